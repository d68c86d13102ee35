"""From single calls to what they came to by hour and by day: again and again the same.

A pass looks at what was written since the last one. Every hour that got calls is counted anew from
all of its calls and its rows are replaced; a day that is over is added up from its hours, and the
longest window, as far as its hours are closed, from its days and hours. So a pass that is repeated,
overtaken or cut off changes nothing: calls are counted, never added on. One transaction replaces
the rows and moves the mark up to which calls are folded, and whoever reads usage reads the calls
beyond the mark beside it.

A call belongs to the hour in which it started, and is folded by when it was written.
"""

from __future__ import annotations

import collections.abc as cabc
import contextlib
import dataclasses
import itertools

import sqlalchemy as sa

from . import marks
from .models import ToolCall, ToolUsage
from .periods import DAY_HOURS, HOUR, LONGEST, day_of
from .tallies import Key, Tallies, Tally, bounded, counted, usage_of, usage_row

GRACE = 10
"""Seconds that a transaction may take from the stamp of its rows to its end.

One that takes longer is found when its hour is counted the next time, at the latest at its end.
"""

CLOSED = 300
"""Seconds after its end at which an hour is counted once more, and a day for the first time."""

QUIET = 2 * HOUR
"""Seconds after the last call for which passes go on, so that its hour is closed."""

STEP = 200_000
"""About how many calls one transaction folds when many wait."""


@dataclasses.dataclass(frozen=True, slots=True)
class Folded:
    """What a pass did: hours and days that were counted, and whether it held the lease."""

    hours: int = 0
    days: int = 0
    held: bool = True


class _Overtaken(Exception):
    """Another process folded meanwhile, its lease run out; what this one did is undone."""


def fold(engine: sa.Engine, holder: str, *, now: int | None = None, grace: int = GRACE) -> Folded:
    """Fold all calls that were written up to a moment ago.

    Args:
        holder: names this process; while another one holds the lease nothing is done.
        now: the moment in seconds since 1970; by the database's clock unless given.
        grace: leave out what was written in so many seconds before it.
    """
    done = Folded()
    try:
        while True:
            with engine.begin() as connection:
                marks.begin_writing(connection)
                moment = marks.database_now(connection) if now is None else now
                if not marks.hold(connection, holder, moment):
                    return Folded(held=False)
            with engine.begin() as connection:
                marks.begin_writing(connection)
                step = _pass(connection, moment - grace)
            if step is None:
                return done
            done = Folded(done.hours + step.hours, done.days + step.days)
    except (_Overtaken, sa.exc.IntegrityError):
        return Folded(done.hours, done.days, held=False)
    finally:
        # Where it cannot be given up now, the lease runs out by itself.
        with contextlib.suppress(sa.exc.DBAPIError), engine.begin() as connection:
            marks.release(connection, holder)


def due(engine: sa.Engine, every: int) -> bool:
    """Whether a pass is worth while: the last one is so many seconds ago, and calls came since.

    Some hours after the last call nothing is looked at any more, and nothing written.
    """
    with engine.connect() as connection:
        folded = marks.read(connection).value("folded")
        last = connection.scalar(sa.select(sa.func.max(ToolCall.written)))
        if last is None or last < folded - QUIET:
            return False
        return marks.database_now(connection) - GRACE - folded >= every


def _pass(connection: sa.Connection, target: int) -> Folded | None:
    """Fold one step towards ``target``; None when it is reached."""
    known = marks.read(connection)
    before = known.value("folded")
    if target <= before:
        return None
    until = _step(connection, before, target)
    pruned = known.value("pruned")
    hours = [hour for hour in _hours(connection, before, until) if hour >= pruned]
    for _, chunk in itertools.groupby(hours, key=day_of):
        _fold_hours(connection, list(chunk), until)
    over = _over(until)
    days = {day_of(hour) for hour in [*hours, *_open(connection, known.value("days"), over)]}
    days = {day for day in days if pruned <= day < over}
    for day in sorted(days):
        _fold_day(connection, day)
    _fold_window(connection, {*hours, *days}, (until - CLOSED) // HOUR, last=until == target)
    if not marks.move(connection, "folded", before, until):
        raise _Overtaken
    marks.raise_to(connection, "days", over)
    return Folded(len(hours), len(days))


def _over(second: int) -> int:
    """The first hour of the first day that is not over yet."""
    return day_of((second - CLOSED) // HOUR)


def _open(connection: sa.Connection, first: int, over: int) -> list[int]:
    """The hours of the days that are over since the last pass."""
    since = (ToolUsage.span == 1, ToolUsage.hour >= first, ToolUsage.hour < over)
    return list(connection.scalars(sa.select(ToolUsage.hour).where(*since).distinct()))


def _step(connection: sa.Connection, before: int, target: int) -> int:
    """How far this step goes: to the target, or over about :data:`STEP` calls of more."""
    far = connection.scalar(
        sa.select(ToolCall.written)
        .where(ToolCall.written >= before, ToolCall.written < target)
        .order_by(ToolCall.written)
        .offset(STEP)
        .limit(1)
    )
    return target if far is None else max(far, before + 1)


def _hours(connection: sa.Connection, before: int, until: int) -> list[int]:
    """The hours of the calls written in this step, and those that it is time to close."""
    written = sa.and_(ToolCall.written >= before, ToolCall.written < until)
    closing = sa.and_(
        ToolCall.hour >= (before - CLOSED) // HOUR, ToolCall.hour < (until - CLOSED) // HOUR
    )
    found: set[int] = set()
    for condition in (written, closing):
        found.update(connection.scalars(sa.select(ToolCall.hour).where(condition).distinct()))
    return sorted(found)


def _fold_hours(connection: sa.Connection, hours: list[int], until: int) -> None:
    """Count some hours of one day anew."""
    tallies = counted(connection, ToolCall.hour.in_(hours), ToolCall.written < until)
    _replace(connection, 1, hours, bounded(tallies))


def _fold_day(connection: sa.Connection, day: int) -> None:
    """Add a day up from its hours."""
    tallies = _added_up(connection, day, (1, day, day + DAY_HOURS))
    _replace(connection, DAY_HOURS, [day], bounded(tallies))


def _fold_window(
    connection: sa.Connection, counted_anew: cabc.Set[int], after: int, *, last: bool
) -> None:
    """Add up the longest window from its first day to the hour before ``after``.

    Only when something in it was counted anew, or it moved on; and when more steps follow, the
    last of them does it. Meanwhile there is none.
    """
    today = day_of(after)
    first = today - LONGEST + DAY_HOURS
    use, longer = ToolUsage, ToolUsage.span > DAY_HOURS
    known = connection.execute(sa.select(use.hour, use.span).where(longer).limit(1)).first()
    if known == (first, after - first) and not any(hour < after for hour in counted_anew):
        return
    connection.execute(sa.delete(use).where(longer))
    if last:
        made = _added_up(connection, first, (DAY_HOURS, first, today), (1, today, after))
        _insert(connection, after - first, made)


def _added_up(connection: sa.Connection, hour: int, *periods: tuple[int, int, int]) -> Tallies:
    """Usage of some spans, from an hour to before another, as what starts in ``hour``."""
    use = ToolUsage
    by = (use.tool, use.tool_group, use.agent, use.unknown)
    tallies: Tallies = {}
    for span, first, after in periods:
        within = (use.span == span, use.hour >= first, use.hour < after)
        for whose, tally in usage_of(connection, *within, by=by).items():
            tool, group, agent, unknown = whose
            key = Key(hour, tool, group, agent, bool(unknown))
            tallies.setdefault(key, Tally()).add(tally)
    return tallies


def _replace(
    connection: sa.Connection, span: int, hours: cabc.Sequence[int], tallies: Tallies
) -> None:
    connection.execute(
        sa.delete(ToolUsage).where(ToolUsage.span == span, ToolUsage.hour.in_(hours))
    )
    _insert(connection, span, tallies)


def _insert(connection: sa.Connection, span: int, tallies: Tallies) -> None:
    rows = [usage_row(span, key, tally) for key, tally in sorted(tallies.items())]
    if rows:
        connection.execute(sa.insert(ToolUsage.__table__), rows)  # type: ignore[arg-type]
