"""One tool: its calls over time by outcome, its latency, who called it, and single calls."""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import datetime as dt
import typing as t

import sqlalchemy as sa

from ..calls import NOT_LET_THROUGH, OUTCOMES, DeclaredTool
from ..errors import NotFound
from ..query.reader import Reader
from ..words import say
from .models import ToolCall
from .periods import Window, aware, naive
from .reading import Source, read
from .report import Figures, Recording, figures_of, recording_of

NEWEST = 10_000
"""Who called is told from at most so many of the newest calls of the window."""

PAGE = 25
MOST_LISTED = 8

KINDS: dict[str, tuple[str, ...]] = {
    "failed": ("failed",),
    "refused": NOT_LET_THROUGH,
    "invalid": ("invalid",),
    "not_found": ("not_found",),
    "conflict": ("conflict",),
    "ok": ("ok",),
}
"""What single calls can be filtered by; as on the roster, refused is all not let through."""

NOBODY = "nobody"


@dataclasses.dataclass(frozen=True, slots=True)
class Share:
    """One caller, agent, client or error among the newest calls. "" is for none named."""

    name: str
    calls: int
    errors: int
    last: dt.datetime | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Single:
    """One call."""

    started: dt.datetime
    outcome: str
    caller: str | None
    agent: str
    client: str
    transport: str
    duration: float
    forged: bool
    said: str
    correlation: str


@dataclasses.dataclass(frozen=True, slots=True)
class Singles:
    """A page of single calls, newest first.

    Attributes:
        kind, caller: what they are filtered by; "" for nothing.
        older: the cursor of the page after this one; "" on the last.
    """

    calls: tuple[Single, ...]
    kind: str
    caller: str
    cursor: str
    older: str


@dataclasses.dataclass(frozen=True, slots=True)
class Detail:
    """One tool over one window.

    Attributes:
        tool: as it is declared; None for a retired one.
        bars: calls by outcome in each step of the window.
        buckets: durations by bucket of the histogram.
        looked_at: from how many of the newest calls ``callers`` and the like are.
    """

    name: str
    tool: DeclaredTool | None
    window: Window
    agent: str
    agents: tuple[str, ...]
    recording: Recording
    figures: Figures
    last_called: dt.datetime | None
    bars: tuple[cabc.Mapping[str, int], ...]
    buckets: cabc.Mapping[int, int]
    looked_at: int
    callers: tuple[Share, ...]
    agents_seen: tuple[Share, ...]
    clients: tuple[Share, ...]
    errors: tuple[Share, ...]
    singles: Singles


@dataclasses.dataclass(slots=True)
class _Looked:
    """What is looked at beside the window's figures."""

    count: int = 0
    shares: dict[str, list[Share]] = dataclasses.field(default_factory=dict)
    singles: Singles = dataclasses.field(default_factory=lambda: Singles((), "", "", "", ""))


def detail(
    reader: Reader,
    declared: cabc.Sequence[DeclaredTool],
    name: str,
    *,
    window: str = "",
    agent: str = "",
    kind: str = "",
    caller: str = "",
    cursor: str = "",
) -> Detail:
    """One tool as a reader may see it.

    Args:
        kind: only single calls of this kind, see :data:`KINDS`; anything else is no filter.
        caller: only single calls on behalf of this reference, or of ``nobody``.
        cursor: the page of single calls that starts there; the first for anything else.

    Raises:
        NotFound: when no tool is called that and none was within the reader's scope.
    """
    tool = next((each for each in declared if each.name == name), None)
    looked = _Looked()

    def look(source: Source) -> None:
        looked.count, looked.shares = _shares(source)
        looked.singles = _singles(source, kind, caller, cursor)

    found = read(reader, window, agent, tool=name, look=look)
    if tool is None and name not in found.last:
        raise NotFound(say("There is no such tool, and none was called that."))
    tally = found.of_tool(name)
    shares = looked.shares
    return Detail(
        name=name,
        tool=tool,
        window=found.window,
        agent=found.agent,
        agents=found.agents,
        recording=recording_of(found),
        figures=figures_of(tally, *found.trend(name)),
        last_called=aware(found.last.get(name)),
        bars=tuple(found.bars_of(name)),
        buckets=tally.histogram.counts(),
        looked_at=looked.count,
        callers=tuple(shares.get("caller", ())),
        agents_seen=tuple(shares.get("agent", ())),
        clients=tuple(shares.get("client", ())),
        errors=tuple(shares.get("error", ())),
        singles=looked.singles,
    )


def _within(source: Source) -> list[sa.ColumnElement[bool]]:
    """All single calls of the window, by when they started so that the index serves."""
    window = source.into.window
    return [
        ToolCall.started >= naive(window.start),
        ToolCall.started < naive(window.end),
        *source.single(window, folded=True),
    ]


def _shares(source: Source) -> tuple[int, dict[str, list[Share]]]:
    """Who and what the newest calls were of."""
    call = ToolCall
    client = sa.func.trim(call.client + " " + call.client_version)
    newest = (
        sa.select(
            call.started,
            call.outcome,
            sa.func.coalesce(call.caller, NOBODY).label("caller"),
            call.agent,
            client.label("client"),
            sa.func.coalesce(call.error_class, "").label("error"),
        )
        .where(*_within(source))
        .order_by(call.started.desc(), call.id.desc())
        .limit(NEWEST)
        .subquery()
    )
    count = source.connection.scalar(sa.select(sa.func.count()).select_from(newest)) or 0
    errors = sa.func.sum(sa.case((newest.c.outcome == "failed", 1), else_=0))
    shares: dict[str, list[Share]] = {}
    for name in ("caller", "agent", "client", "error"):
        column = newest.c[name]
        statement = (
            sa.select(column, sa.func.count(), errors, sa.func.max(newest.c.started))
            .group_by(column)
            .order_by(sa.func.count().desc(), column)
            .limit(MOST_LISTED)
        )
        if name == "error":
            statement = statement.where(newest.c.outcome == "failed")
        shares[name] = [
            Share(named, calls, int(failed), aware(last))
            for named, calls, failed, last in source.connection.execute(statement)
        ]
    return count, shares


def _singles(source: Source, kind: str, caller: str, cursor: str) -> Singles:
    call = ToolCall
    conditions = _within(source)
    kind = kind if kind in KINDS else ""
    if kind:
        conditions.append(call.outcome.in_(KINDS[kind]))
    if caller:
        conditions.append(call.caller.is_(None) if caller == NOBODY else call.caller == caller)
    if (at := _read_cursor(cursor)) is not None:
        started, id_ = at
        conditions.append(
            sa.or_(call.started < started, sa.and_(call.started == started, call.id < id_))
        )
    columns: tuple[t.Any, ...] = (
        call.id,
        call.started,
        call.outcome,
        call.caller,
        call.agent,
        call.client,
        call.client_version,
        call.transport,
        call.duration,
        call.forged,
        call.error_class,
        call.error_text,
        call.correlation,
    )
    statement = sa.select(*columns).where(*conditions)
    statement = statement.order_by(call.started.desc(), call.id.desc()).limit(PAGE + 1)
    rows = source.connection.execute(statement).all()
    older = _cursor(rows[PAGE - 1]) if len(rows) > PAGE else ""
    return Singles(
        tuple(_single(row) for row in rows[:PAGE]),
        kind,
        caller,
        cursor if at is not None else "",
        older,
    )


def _single(row: t.Any) -> Single:
    said = (row.error_class, row.error_text) if row.outcome == "failed" else (row.error_text,)
    return Single(
        started=row.started.replace(tzinfo=dt.UTC),
        outcome=row.outcome,
        caller=row.caller,
        agent=row.agent,
        client=f"{row.client} {row.client_version}".strip(),
        transport=row.transport,
        duration=row.duration,
        forged=bool(row.forged),
        said=": ".join(part for part in said if part),
        correlation=row.correlation or "",
    )


_EPOCH = dt.datetime(1970, 1, 1)


def _cursor(row: t.Any) -> str:
    return f"{(row.started - _EPOCH) // dt.timedelta(microseconds=1)}-{row.id}"


def _read_cursor(cursor: str) -> tuple[dt.datetime, int] | None:
    moment, dash, id_ = cursor.partition("-")
    digits = moment.isascii() and moment.isdigit() and id_.isascii() and id_.isdigit()
    if not dash or not digits or len(moment) > 17 or len(id_) > 18:
        return None
    return _EPOCH + dt.timedelta(microseconds=int(moment)), int(id_)


assert {outcome for kind in KINDS.values() for outcome in kind} == set(OUTCOMES)  # noqa: S101
