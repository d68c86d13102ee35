"""The roster: every tool with its calls, errors, refusals and latency, over one window.

Days and hours are read from usage, and single calls only beyond the mark up to which they are
folded; so a page costs as much as there are tools and periods, however many calls there were. A
caller whose scope narrows ``ToolCall`` sees what they may see counted from single calls instead.
"""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import datetime as dt
import typing as t

from ..calls import OUTCOMES, DeclaredTool
from ..query.reader import Reader
from ..vocabulary.formats import in_words
from ..words import say
from .periods import Window, aware
from .reading import Reading, read
from .tallies import Tally

FEW, SOME = 20, 100
"""How many calls must have run before there is a p95, and before there is a p99."""

Status = t.Literal["active", "never", "retired"]

SORTS = ("tool", "calls", "errors", "refused", "invalid", "average", "p95", "last")
DEFAULT_SORT = "-calls"


@dataclasses.dataclass(frozen=True, slots=True)
class Latency:
    """Durations in milliseconds of the ``n`` calls that ran; None where there are too few."""

    n: int = 0
    average: float | None = None
    p50: float | None = None
    p95: float | None = None
    p99: float | None = None
    most: float | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class LastError:
    """The newest failure: when, of which class, and what its message said without values."""

    at: dt.datetime
    class_: str
    text: str

    @property
    def said(self) -> str:
        return ": ".join(part for part in (self.class_, self.text) if part)


@dataclasses.dataclass(frozen=True, slots=True)
class Figures:
    """What some calls came to.

    Attributes:
        outcomes: how many ended in which way; their sum is ``calls``.
        errors: those that failed, and ``error_rate`` their part of the ones that ran.
        refused: those not let through: refused, with nobody signed in, for somebody gone, or
            too often.
        trend: calls in each step of the window, and ``failures`` those of them that failed.
    """

    calls: int
    outcomes: cabc.Mapping[str, int]
    ran: int
    errors: int
    error_rate: float | None
    refused: int
    forged: int
    latency: Latency
    last_error: LastError | None
    trend: tuple[int, ...] = ()
    failures: tuple[int, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class Line:
    """One tool. Of a retired one nobody knows any more what it was: ``read_only`` is None.

    Attributes:
        last_called: the last time at all, also before the window; None for never.
        names: for the row of unknown names, the most called of them with their counts.
        more: whether there were names beyond those that are kept.
    """

    name: str
    title: str
    description: str
    read_only: bool | None
    status: Status
    figures: Figures
    last_called: dt.datetime | None
    names: tuple[tuple[str, int], ...] = ()
    more: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Group:
    """Tools that belong together. The keys of the last two are ``retired`` and ``unknown``.

    ``model`` is what single rows are of, where these are tools for them.
    """

    key: str
    title: str
    tools: tuple[Line, ...]
    model: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Totals:
    """All tools together.

    Attributes:
        tools: how many are declared.
        before: calls in the window before this one; None when recording had not begun then.
    """

    tools: int
    retired: int
    never_called: int
    figures: Figures
    before: int | None


@dataclasses.dataclass(frozen=True, slots=True)
class Recording:
    """How recording goes.

    Attributes:
        since: when it began; None when it has not.
        any: whether any call is kept at all.
        dropped: calls that could not be written, ``dropped_at`` the last time.
        trouble: what is wrong now, in a sentence.
        made: how many calls were generated rather than made.
    """

    mode: str
    since: dt.datetime | None
    any: bool
    healthy: bool
    dropped: int
    dropped_at: dt.datetime | None
    trouble: str
    made: int


@dataclasses.dataclass(frozen=True, slots=True)
class Roster:
    """The whole of it, at one moment."""

    window: Window
    generated_at: dt.datetime
    agent: str
    agents: tuple[str, ...]
    recording: Recording
    totals: Totals
    groups: tuple[Group, ...]


def roster(
    reader: Reader,
    declared: cabc.Sequence[DeclaredTool],
    *,
    window: str = "",
    agent: str = "",
    sort: str = DEFAULT_SORT,
) -> Roster:
    """The roster as a reader may see it.

    Args:
        declared: all tools that can be called now, in their order.
        window: ``24h``, ``7d`` or ``30d``; anything else is the default one.
        agent: only the calls of this agent; all of them when there was none of that name.
        sort: one of :data:`SORTS`, with a ``-`` before it for the largest first.
    """
    found = read(reader, window, agent)
    groups = _declared_groups(reader, declared, found, sort)
    retired = _retired(declared, found, sort)
    unknown = _unknown(found)
    lines = [line for group in groups for line in group.tools]
    everything = Tally()
    for tally in found.tallies.values():
        everything.add(tally)
    return Roster(
        window=found.window,
        generated_at=found.now,
        agent=found.agent,
        agents=found.agents,
        recording=recording_of(found),
        totals=Totals(
            tools=len(declared),
            retired=len(retired),
            never_called=sum(line.status == "never" for line in lines),
            figures=figures_of(everything),
            before=found.before,
        ),
        groups=(
            *groups,
            *([Group("retired", RETIRED, retired)] if retired else []),
            *([Group("unknown", _UNKNOWN, (unknown,))] if unknown else []),
        ),
    )


def recording_of(found: Reading) -> Recording:
    """How recording goes, from what was read and from this process's recorder."""
    return Recording(
        mode=found.mode,
        since=found.since,
        any=found.any,
        healthy=not found.trouble and not found.dropped,
        dropped=found.dropped,
        dropped_at=found.dropped_at,
        trouble=found.trouble,
        made=found.made,
    )


def figures_of(
    tally: Tally, trend: tuple[int, ...] = (), failures: tuple[int, ...] = ()
) -> Figures:
    """A tally as the roster tells it."""
    ran, errors = tally.ran, tally.outcomes["failed"]
    return Figures(
        calls=tally.calls,
        outcomes={outcome: tally.outcomes[outcome] for outcome in OUTCOMES},
        ran=ran,
        errors=errors,
        error_rate=errors / ran if ran else None,
        refused=tally.refused,
        forged=tally.forged,
        latency=latency_of(tally),
        last_error=_last_error(tally),
        trend=trend,
        failures=failures,
    )


def latency_of(tally: Tally) -> Latency:
    """Quantiles lie within the shortest and the longest duration, which are exact."""
    ran = tally.ran
    if not ran or tally.least is None or tally.most is None:
        return Latency()
    least, most = tally.least, tally.most
    p50, p95, p99 = (
        None if value is None else min(max(value, least), most)
        for value in tally.histogram.quantiles(0.5, 0.95, 0.99)
    )
    return Latency(
        n=ran,
        average=tally.total / ran,
        p50=p50,
        p95=p95 if ran >= FEW else None,
        p99=p99 if ran >= SOME else None,
        most=most,
    )


def _last_error(tally: Tally) -> LastError | None:
    at = aware(tally.error_at)
    return None if at is None else LastError(at, tally.error_class or "", tally.error_text or "")


def _declared_groups(
    reader: Reader, declared: cabc.Sequence[DeclaredTool], found: Reading, sort: str
) -> list[Group]:
    groups: dict[str, list[Line]] = {}
    for tool in declared:
        tally = found.of_tool(tool.name)
        last = aware(found.last.get(tool.name))
        line = Line(
            name=tool.name,
            title=tool.title,
            description=tool.description,
            read_only=tool.read_only,
            status="active" if last else "never",
            figures=figures_of(tally, *found.trend(tool.name)),
            last_called=last,
        )
        groups.setdefault(tool.group, []).append(line)
    return [_group(reader, key, in_order(lines, sort)) for key, lines in groups.items()]


def _group(reader: Reader, key: str, lines: tuple[Line, ...]) -> Group:
    model = reader.catalogue.models.get(key)
    if model is None:
        return Group(key, title_of(key), lines)
    return Group(key, say("{model} records", model=model.label), lines, model.label)


RETIRED = say("Retired")
_UNKNOWN = say("Unknown names")


def title_of(group: str) -> str:
    """What a group of tools is called that is no model's."""
    known = {"frames": say("Frames"), "host_tools": say("Host tools"), "": say("Tools")}
    return known.get(group) or in_words(group)


def _retired(declared: cabc.Sequence[DeclaredTool], found: Reading, sort: str) -> tuple[Line, ...]:
    names = {tool.name for tool in declared}
    return in_order(
        [
            Line(
                name=name,
                title=in_words(name),
                description="",
                read_only=None,
                status="retired",
                figures=figures_of(tally, *found.trend(name)),
                last_called=aware(tally.last),
            )
            for name, tally in found.known().items()
            if name not in names
        ],
        sort,
    )


def _unknown(found: Reading) -> Line | None:
    """All names that nobody declared, as one row."""
    strangers = found.strangers()
    if not strangers:
        return None
    together = Tally()
    for tally in strangers.values():
        together.add(tally)
    named = [(name, tally.calls) for name, tally in strangers.items() if name]
    named.sort(key=lambda pair: (-pair[1], pair[0]))
    return Line(
        name="",
        title=_UNKNOWN,
        description="",
        read_only=None,
        status="active",
        figures=figures_of(together, *found.trend(None)),
        last_called=aware(together.last),
        names=tuple(named),
        more="" in strangers,
    )


def in_order(lines: cabc.Iterable[Line], sort: str) -> tuple[Line, ...]:
    """Lines by a column; what has no value comes last, and equal ones are by name."""
    descending, column = sort.startswith("-"), sort.removeprefix("-")
    by_name = sorted(lines, key=lambda line: line.name)
    if column == "tool":
        return tuple(reversed(by_name) if descending else by_name)
    value = _VALUES[column]
    known = [line for line in by_name if value(line) is not None]
    known.sort(key=value, reverse=descending)
    return (*known, *(line for line in by_name if value(line) is None))


_VALUES: dict[str, cabc.Callable[[Line], t.Any]] = {
    "calls": lambda line: line.figures.calls,
    "errors": lambda line: line.figures.errors,
    "refused": lambda line: line.figures.refused,
    "invalid": lambda line: line.figures.outcomes["invalid"],
    "average": lambda line: line.figures.latency.average,
    "p95": lambda line: line.figures.latency.p95,
    "last": lambda line: line.last_called,
}


def sort_named(given: cabc.Sequence[str]) -> str:
    """The sort that was asked for; the default one for anything else, or for several."""
    if len(given) == 1 and given[0].removeprefix("-") in SORTS:
        return given[0]
    return DEFAULT_SORT
