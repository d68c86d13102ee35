"""Reading what a window holds: usage by day and hour, and single calls that are not folded yet."""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import datetime as dt
import typing as t

import sqlalchemy as sa

from ..calls import OUTCOMES
from ..query.reader import Reader
from ..state import current_state
from . import marks
from .models import ToolCall, ToolUsage
from .periods import DAY_HOURS, Window, day_of, window_at
from .recorder import Recorder
from .tallies import CALLS, Key, Tally, counted, usage_of
from .writing import told

_ATTEMPTS = 5
_FLUSH_SECONDS = 1.0
_NEVER = 2**62

Bars = dict[tuple[str | None, int], dict[str, int]]
"""Calls by outcome, for each tool (None for unknown names) and step of the window."""


@dataclasses.dataclass(slots=True)
class Reading:
    """What a window holds.

    Attributes:
        tallies: by tool, and whether its name was unknown.
        last: when each tool was called last, also before the window.
        any: whether any call is kept at all.
        before: calls in the window before; None when recording had not begun then.
    """

    window: Window
    now: dt.datetime
    agent: str
    mode: str
    tallies: dict[tuple[str, bool], Tally] = dataclasses.field(default_factory=dict)
    bars: Bars = dataclasses.field(default_factory=dict)
    agents: tuple[str, ...] = ()
    last: dict[str, dt.datetime] = dataclasses.field(default_factory=dict)
    before: int | None = None
    any: bool = False
    since: dt.datetime | None = None
    dropped: int = 0
    dropped_at: dt.datetime | None = None
    trouble: str = ""
    made: int = 0

    def of_tool(self, name: str) -> Tally:
        """The calls of a tool, perhaps none."""
        return self.tallies.get((name, False), Tally())

    def known(self) -> dict[str, Tally]:
        """The calls of everything that was a tool then."""
        return {name: tally for (name, unknown), tally in self.tallies.items() if not unknown}

    def strangers(self) -> dict[str, Tally]:
        """The calls of names that nobody declared; those without a name were too many to keep."""
        return {name: tally for (name, unknown), tally in self.tallies.items() if unknown}

    def bars_of(self, name: str | None) -> list[dict[str, int]]:
        """Calls by outcome in each step of the window; None is for all unknown names."""
        none: dict[str, int] = dict.fromkeys(OUTCOMES, 0)
        return [self.bars.get((name, step), none) for step in range(self.window.steps)]

    def trend(self, name: str | None) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Calls, and failures, in each step of the window."""
        bars = self.bars_of(name)
        return tuple(sum(bar.values()) for bar in bars), tuple(bar["failed"] for bar in bars)

    def count(self, key: Key, tally: Tally) -> None:
        """Count a tally of some period within the window."""
        self.tallies.setdefault((key.tool, key.unknown), Tally()).add(tally)

    def bar(
        self, tool: str, unknown: bool, step: int, outcomes: cabc.Iterable[tuple[str, int]]
    ) -> None:
        """Count calls in a step of the trend."""
        key = (None if unknown else tool, step)
        if (bar := self.bars.get(key)) is None:
            bar = self.bars[key] = dict.fromkeys(OUTCOMES, 0)
        for outcome, count in outcomes:
            bar[outcome] += int(count)


Look = cabc.Callable[["Source"], None]


def read(
    reader: Reader,
    window: str,
    agent: str = "",
    *,
    tool: str = "",
    look: Look | None = None,
) -> Reading:
    """Read a window.

    Where the tables cannot be read, there is nothing in it but the ``trouble`` that says why.

    Args:
        agent: only the calls of this agent, if it made any.
        tool: only the calls of this tool, with finer bars.
        look: looks at more in the same reading.
    """
    state = current_state()
    now = state.now()
    found = Reading(window_at(window, now, fine=bool(tool)), now, agent, state.config.recorder)
    recorder: object = state.recorder
    if isinstance(recorder, Recorder):
        recorder.flush(_FLUSH_SECONDS)
        found.dropped, found.trouble = recorder.untold, recorder.status().last_error or ""
    narrowed = reader.narrowed(ToolCall)
    try:
        for attempt in range(_ATTEMPTS):
            with state.db.engine.connect() as connection:
                known = marks.read(connection)
                into = dataclasses.replace(found, tallies={}, bars={}, last={})
                source = Source(connection, into, known, narrowed, tool)
                source.read()
                if look is not None:
                    look(source)
                if attempt + 1 == _ATTEMPTS or _unmoved(connection, known):
                    return into
    except sa.exc.DBAPIError as error:
        found.trouble = found.trouble or told(error)
    return found


def _unmoved(connection: sa.Connection, known: marks.Marks) -> bool:
    """Whether nothing was folded while we read, so that no call was seen twice or not at all."""
    return marks.read(connection).value("folded") == known.value("folded")


@dataclasses.dataclass(slots=True)
class Source:
    """Where one reading comes from, and which calls it is of."""

    connection: sa.Connection
    into: Reading
    known: marks.Marks
    narrowed: cabc.Sequence[sa.ColumnElement[bool]]
    tool: str

    def read(self) -> None:
        into, known = self.into, self.known
        into.since = known.at("since")
        into.dropped += known.value("dropped")
        into.dropped_at = known.at("dropped")
        into.made = known.value("made")
        into.any = self._any()
        if into.agent:
            into.agents = self._agents()
            if into.agent not in into.agents:
                into.agent = ""
        seen = self._count()
        if not into.agent:
            into.agents = tuple(sorted(seen - {""}))
        self._find_last()
        if into.since is not None and into.since <= into.window.before.start:
            into.before = self._calls_in(into.window.before)

    def single(self, window: Window, *, folded: bool = False) -> list[sa.ColumnElement[bool]]:
        """The single calls of a window: those that its usage does not hold, or the others too."""
        hour: t.Any = ToolCall.hour
        within = list(self.narrowed)
        if not self.narrowed and not folded:
            # Few calls are not folded yet, and the index over when they were written finds them.
            # One over hours would find the whole window, and SQLite would rather have that.
            hour = hour + sa.literal_column("0", sa.Integer)
            # With an end as well, PostgreSQL expects few of them even before it has any statistics.
            within.append(ToolCall.written >= self.known.value("folded"))
            within.append(ToolCall.written < _NEVER)
        return [hour >= window.first, hour < window.after, *within, *self._asked_for(ToolCall)]

    def _asked_for(self, model: t.Any) -> list[sa.ColumnElement[bool]]:
        asked = [model.agent == self.into.agent] if self.into.agent else []
        return [*asked, model.tool == self.tool, model.unknown.is_(False)] if self.tool else asked

    def _spans(self, window: Window) -> list[sa.ColumnElement[bool]]:
        """The usage rows that make a window up: whole days where there are, else hours."""
        if self.narrowed:
            return []
        first, after = window.first, window.after
        days_from = day_of(first + DAY_HOURS - 1)
        days_to = max(min(day_of(after), self.known.value("days")), days_from)
        if window.step == 1 or days_from >= days_to:
            return [self._usage(1, first, after)]
        return [
            self._usage(1, first, days_from),
            self._usage(DAY_HOURS, days_from, days_to),
            self._usage(1, days_to, after),
        ]

    def _summed(self, window: Window) -> list[sa.ColumnElement[bool]]:
        """The same in as few rows as there are."""
        if self.narrowed or window.step == 1:
            return self._spans(window)
        begins = (ToolUsage.hour == window.first, ToolUsage.span > DAY_HOURS)
        span = self.connection.scalar(sa.select(ToolUsage.span).where(*begins).limit(1))
        if span is None:
            return self._spans(window)
        until = window.first + span
        return [self._usage(span, window.first, until), self._usage(1, until, window.after)]

    def _usage(self, span: int, first: int, after: int) -> sa.ColumnElement[bool]:
        period = [ToolUsage.span == span, ToolUsage.hour >= first, ToolUsage.hour < after]
        return sa.and_(*period, *self._asked_for(ToolUsage))

    def _any(self) -> bool:
        if self.connection.scalar(sa.select(ToolCall.id).where(*self.narrowed).limit(1)):
            return True
        if self.narrowed:
            return False
        return self.connection.scalar(sa.select(ToolUsage.hour).limit(1)) is not None

    def _agents(self) -> tuple[str, ...]:
        """All agents that made calls in the window."""
        asked, self.into.agent = self.into.agent, ""
        window = self.into.window
        statements = [
            sa.select(ToolCall.agent).where(*self.single(window)).distinct(),
            *(sa.select(ToolUsage.agent).where(span).distinct() for span in self._spans(window)),
        ]
        self.into.agent = asked
        found: set[str] = set()
        for statement in statements:
            found.update(self.connection.scalars(statement))
        return tuple(sorted(found - {""}))

    def _count(self) -> set[str]:
        """Count the window; the agents whose calls were counted."""
        into, window = self.into, self.into.window
        single = counted(
            self.connection, *self.single(window), step=window.step, first=window.first
        )
        for key, tally in single.items():
            into.count(key, tally)
            step = (key.hour - window.first) // window.step
            into.bar(key.tool, key.unknown, step, tally.outcomes.items())
        seen = {key.agent for key in single}
        by = (ToolUsage.tool, ToolUsage.unknown, ToolUsage.agent)
        for span in self._summed(window):
            for (tool, unknown, agent), tally in usage_of(self.connection, span, by=by).items():
                into.count(Key(0, tool, "", agent, bool(unknown)), tally)
                seen.add(agent)
        # Days stand for bars only where each bar is a day; else those are added up from hours.
        whole = window.step == 1 or (window.step == DAY_HOURS and not window.first % DAY_HOURS)
        hours = [] if self.narrowed else [self._usage(1, window.first, window.after)]
        for span in self._spans(window) if whole else hours:
            self._bars(span)
        return seen

    def _bars(self, span: sa.ColumnElement[bool]) -> None:
        """The trend of some usage rows; of all tools at once only what failed is told apart."""
        window = self.into.window
        since = sa.literal_column(f"(janela_tool_usage.hour - {int(window.first)})", sa.Integer)
        step: t.Any = since // sa.literal_column(str(int(window.step)), sa.Integer)
        by = (step, ToolUsage.tool, ToolUsage.unknown)
        apart: dict[str, t.Any] = {"ok": CALLS - ToolUsage.failed, "failed": ToolUsage.failed}
        if self.tool:
            apart = {outcome: getattr(ToolUsage, outcome) for outcome in OUTCOMES}
        statement = sa.select(*by, *map(sa.func.sum, apart.values())).where(span).group_by(*by)
        for at, tool, unknown, *counts in self.connection.execute(statement):
            self.into.bar(tool, unknown, int(at), zip(apart, counts, strict=True))

    def _calls_in(self, window: Window) -> int:
        """How many calls a window holds."""
        count = sa.select(sa.func.count()).select_from(ToolCall).where(*self.single(window))
        calls = int(self.connection.scalar(count) or 0)
        for span in self._spans(window):
            usage = sa.select(sa.func.sum(CALLS)).where(span)
            calls += int(self.connection.scalar(usage) or 0)
        return calls

    def _find_last(self) -> None:
        """When each tool was called last, also those that the window does not hold."""
        last = self.into.last
        for name, tally in self.into.known().items():
            if tally.last is not None:
                last[name] = tally.last
        names = {self.tool} if self.tool else {e.name for e in current_state().declared_tools()}
        if not (waiting := names - set(last)):
            return
        everything = dataclasses.replace(self.into.window, first=0, after=2**31 - 1)
        single = self.single(everything)
        sources: list[tuple[t.Any, t.Any, list[sa.ColumnElement[bool]]]]
        if self.narrowed:
            sources = [(ToolCall, ToolCall.started, [ToolCall.tool.in_(waiting), *single])]
        else:
            here = [ToolUsage.tool.in_(waiting), *self._asked_for(ToolUsage)]
            sources = [(ToolCall, ToolCall.started, single), (ToolUsage, ToolUsage.last, here)]
        for model, moment, conditions in sources:
            # Not the column itself: SQLite would walk an index over all calls for its order.
            name = (model.tool + "").label("name")
            statement = (
                sa.select(name, sa.func.max(moment))
                .where(model.unknown.is_(False), *conditions)
                .group_by(name)
            )
            for name, at in self.connection.execute(statement):
                if name in waiting:
                    last[name] = max(at, last.get(name, at))
