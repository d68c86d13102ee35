"""What some calls came to, and how that adds up: counted from single calls, or read from usage."""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import datetime as dt
import typing as t

import sqlalchemy as sa

from ..calls import NOT_LET_THROUGH, OUTCOMES, RAN
from .histogram import Histogram
from .models import ToolCall, ToolUsage

MOST_UNKNOWN = 20
"""The most names nobody declared that one period keeps; the rest are counted without one."""


class Key(t.NamedTuple):
    """Whose calls are counted together, and in which hour they start to be."""

    hour: int
    tool: str
    group: str
    agent: str
    unknown: bool


@dataclasses.dataclass(slots=True)
class Tally:
    """What some calls came to. Durations are in milliseconds, of the calls that ran."""

    outcomes: dict[str, int] = dataclasses.field(default_factory=lambda: dict.fromkeys(OUTCOMES, 0))
    forged: int = 0
    total: float = 0.0
    least: float | None = None
    most: float | None = None
    histogram: Histogram = dataclasses.field(default_factory=Histogram)
    last: dt.datetime | None = None
    error_at: dt.datetime | None = None
    error_class: str | None = None
    error_text: str | None = None

    @property
    def calls(self) -> int:
        return sum(self.outcomes.values())

    @property
    def ran(self) -> int:
        """How many got to do their work."""
        return sum(self.outcomes[outcome] for outcome in RAN)

    @property
    def refused(self) -> int:
        """Not let through: refused, nobody signed in, the caller gone, or asking too often."""
        return sum(self.outcomes[outcome] for outcome in NOT_LET_THROUGH)

    def add(self, other: Tally) -> None:
        """Count all that another has counted."""
        for outcome, count in other.outcomes.items():
            self.outcomes[outcome] += count
        self.forged += other.forged
        self.span(other.total, other.least, other.most)
        self.histogram.merge(other.histogram)
        self.seen(other.last)
        self.failed(other.error_at, other.error_class, other.error_text)

    def span(self, total: float, least: float | None, most: float | None) -> None:
        """Count durations by their sum, shortest and longest."""
        self.total += total
        if least is not None and (self.least is None or least < self.least):
            self.least = least
        if most is not None and (self.most is None or most > self.most):
            self.most = most

    def seen(self, last: dt.datetime | None) -> None:
        """A call started then."""
        if last is not None and (self.last is None or last > self.last):
            self.last = last

    def failed(self, at: dt.datetime | None, class_: str | None, text: str | None) -> None:
        """A failure, kept when it is the newest."""
        if at is not None and (self.error_at is None or at >= self.error_at):
            self.error_at, self.error_class, self.error_text = at, class_, text


Tallies = dict[Key, Tally]


def counted(
    connection: sa.Connection, *conditions: sa.ColumnElement[bool], step: int = 1, first: int = 0
) -> Tallies:
    """Count single calls.

    The database groups them by bucket, so what it answers grows with tools, not with calls.

    Args:
        conditions: which calls.
        step, first: count together what starts in the same ``step`` hours from ``first`` on.
    """
    call = ToolCall
    # Written out, so that the expression is the same in SELECT and GROUP BY on every database.
    since = sa.literal_column(f"(janela_tool_calls.hour - {int(first)})", sa.Integer)
    each = sa.literal_column(str(int(step)), sa.Integer)
    period: t.Any = since // each if step > 1 else call.hour
    by = (period, call.tool, call.tool_group, call.agent, call.unknown)
    took = call.duration
    statement = (
        sa.select(
            *by,
            call.outcome,
            call.bucket,
            sa.func.count(),
            sa.func.sum(took),
            sa.func.min(took),
            sa.func.max(took),
            sa.func.max(call.started),
            sa.func.sum(sa.case((call.forged, 1), else_=0)),
        )
        .where(*conditions)
        .group_by(*by, call.outcome, call.bucket)
    )
    found: Tallies = {}
    for row in connection.execute(statement):
        (*whose, outcome, bucket, count, total, least, most, last, forged) = row
        tally = found.setdefault(_key(whose, step, first), Tally())
        tally.outcomes[outcome] += count
        tally.forged += int(forged)
        if outcome in RAN:
            tally.span(total, least, most)
            tally.histogram.add(bucket, count)
        tally.seen(last)
    if any(tally.outcomes["failed"] for tally in found.values()):
        _with_errors(connection, found, by, conditions, step, first)
    return found


def _key(whose: cabc.Sequence[t.Any], step: int, first: int) -> Key:
    at, tool, group, agent, unknown = whose
    return Key(int(at) * step + first if step > 1 else at, tool, group, agent, bool(unknown))


def _with_errors(
    connection: sa.Connection,
    found: Tallies,
    by: tuple[sa.ColumnElement[t.Any] | t.Any, ...],
    conditions: tuple[sa.ColumnElement[bool], ...],
    step: int,
    first: int,
) -> None:
    """Find the newest failure of each."""
    call = ToolCall
    failed = (*conditions, call.outcome == "failed")
    names = ("period", "tool", "tool_group", "agent", "unknown")
    newest = (
        sa.select(
            *(column.label(f"of_{name}") for column, name in zip(by, names, strict=True)),
            sa.func.max(call.started).label("newest"),
        )
        .where(*failed)
        .group_by(*by)
        .subquery()
    )
    same = [newest.c[f"of_{name}"] == column for column, name in zip(by, names, strict=True)]
    statement = (
        sa.select(*by, call.started, call.error_class, call.error_text)
        .join(newest, sa.and_(call.started == newest.c.newest, *same))
        .where(*failed)
        .order_by(call.id)
    )
    for *whose, at, class_, text in connection.execute(statement):
        found[_key(whose, step, first)].failed(at, class_, text)


_OUTCOMES: tuple[t.Any, ...] = tuple(getattr(ToolUsage, outcome) for outcome in OUTCOMES)

CALLS: t.Any = sum(_OUTCOMES[1:], _OUTCOMES[0])
"""All calls of a usage row."""


def usage_of(
    connection: sa.Connection, *conditions: sa.ColumnElement[bool], by: tuple[t.Any, ...]
) -> dict[tuple[t.Any, ...], Tally]:
    """Add usage rows up, those together that have the same values of ``by``.

    The database adds up the counts; histograms are merged here.
    """
    use = ToolUsage
    many = len(by)
    statement = sa.select(
        *by,
        *(sa.func.sum(outcome) for outcome in _OUTCOMES),
        sa.func.sum(use.forged),
        sa.func.sum(use.total),
        sa.func.min(use.least),
        sa.func.max(use.most),
        sa.func.max(use.last),
        sa.func.max(use.error_at),
    )
    found: dict[tuple[t.Any, ...], Tally] = {}
    for row in connection.execute(statement.where(*conditions).group_by(*by)):
        counts = row[many : many + len(OUTCOMES)]
        forged, total, least, most, last, error_at = row[many + len(OUTCOMES) :]
        found[tuple(row[:many])] = Tally(
            outcomes={outcome: int(n) for outcome, n in zip(OUTCOMES, counts, strict=True)},
            forged=int(forged),
            total=total,
            least=least,
            most=most,
            last=last,
            error_at=error_at,
        )
    stored = sa.select(*by, use.histogram).where(*conditions, use.histogram.is_not(None))
    for *whose, histogram in connection.execute(stored):
        found[tuple(whose)].histogram.merge_stored(histogram)
    if any(tally.error_at for tally in found.values()):
        _with_usage_errors(connection, found, by, conditions)
    return found


def _with_usage_errors(
    connection: sa.Connection,
    found: dict[tuple[t.Any, ...], Tally],
    by: tuple[t.Any, ...],
    conditions: tuple[sa.ColumnElement[bool], ...],
) -> None:
    """What the newest failure of each said."""
    use = ToolUsage
    newest = {tally.error_at for tally in found.values()} - {None}
    chunk = 500
    moments = sorted(t.cast("set[dt.datetime]", newest))
    for at in range(0, len(moments), chunk):
        statement = sa.select(*by, use.error_at, use.error_class, use.error_text).where(
            *conditions, use.error_at.in_(moments[at : at + chunk])
        )
        for *whose, moment, class_, text in connection.execute(statement):
            tally = found[tuple(whose)]
            if tally.error_at == moment:
                tally.error_class, tally.error_text = class_, text


def usage_row(span: int, key: Key, tally: Tally) -> dict[str, t.Any]:
    """A tally as a usage row."""
    return {
        "span": span,
        "hour": key.hour,
        "tool": key.tool,
        "tool_group": key.group,
        "agent": key.agent,
        "unknown": key.unknown,
        **tally.outcomes,
        "forged": tally.forged,
        "total": tally.total,
        "least": tally.least,
        "most": tally.most,
        "histogram": tally.histogram.stored() or None,
        "last": tally.last,
        "error_at": tally.error_at,
        "error_class": tally.error_class,
        "error_text": tally.error_text,
    }


def bounded(tallies: Tallies) -> Tallies:
    """The same with at most :data:`MOST_UNKNOWN` names nobody declared in each period.

    Whoever makes names up must not make rows without end.
    """
    strangers: dict[int, list[Key]] = {}
    for key in tallies:
        if key.unknown and key.tool:
            strangers.setdefault(key.hour, []).append(key)
    kept = dict(tallies)
    for keys in strangers.values():
        keys.sort(key=lambda key: (-tallies[key].calls, key))
        for key in keys[MOST_UNKNOWN:]:
            kept.setdefault(key._replace(tool="", group=""), Tally()).add(kept.pop(key))
    return kept
