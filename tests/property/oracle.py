"""The answer to a question by plain loops over rows, written from the contract.

No SQL and nothing of Janela: what is counted, split, filtered, ordered and filled here is what
the design says, in the fewest words that Python has for it.
"""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import datetime as dt
import decimal
import itertools
import typing as t
import zoneinfo

from .clock import (
    QUARTER_OF_AN_HOUR,
    TICK,
    UTC,
    Calendar,
    Stretch,
    at_offset,
    bound,
    clock_hour,
    hour_of,
    inside,
    stretch_of,
    zone_named,
)
from .declared import VOCABULARIES, Dimension, Rough, Vocabulary
from .rows import key_of_row, scoped
from .world import Case, Filter

MOST_BUCKETS = 2000


class Impossible(Exception):
    """The question must be refused as a bad request."""


def point_of(dimension: Dimension, value: t.Any) -> t.Any:
    """A row's time as a date or as an aware moment."""
    if dimension.kind == "naive" and value is not None:
        return value.replace(tzinfo=zone_named(dimension.stored)).astimezone(UTC)
    return value


def stretches_of(filter_: Filter, dimension: Dimension, calendar: Calendar) -> list[Stretch]:
    """The stretches of time that a filter names; none for ``null``."""
    if filter_.operator == "null":
        return []
    if filter_.operator in {"", "not"}:
        return [stretch_of(span, dimension, calendar) for span in filter_.meant]
    return [bound(filter_, dimension, calendar)]


def passes(
    key: t.Any, dimension: Dimension, given: cabc.Sequence[Filter], calendar: Calendar
) -> bool:
    """Whether a key passes all the filters that reach its dimension."""

    def is_any(filter_: Filter) -> bool:
        if not dimension.is_time:
            return any(key == value for value in filter_.meant)
        return any(inside(key, stretch_of(s, dimension, calendar)) for s in filter_.meant)

    plain = any(filter_.operator == "" for filter_ in given)
    null = any(filter_.operator == "null" and filter_.meant[0] for filter_ in given)
    or_unknown = plain and null
    for filter_ in given:
        match filter_.operator:
            case "":
                held = or_unknown if key is None else is_any(filter_)
            case "not":
                held = key is None or not is_any(filter_)
            case "null":
                held = or_unknown or (key is None) is filter_.meant[0]
            case _ if key is None:
                held = False
            case _ if dimension.is_time:
                held = inside(key, bound(filter_, dimension, calendar))
            case "gte":
                held = key >= filter_.meant[0]
            case "gt":
                held = key > filter_.meant[0]
            case "lte":
                held = key <= filter_.meant[0]
            case _:
                held = key < filter_.meant[0]
        if not held:
            return False
    return True


def measured(
    vocabulary: Vocabulary, name: str, rows: cabc.Sequence[t.Any], zone: zoneinfo.ZoneInfo
) -> t.Any:
    """What a measure comes to over some rows."""
    measure = vocabulary.measures[name]
    kept = [row for row in rows if measure.where(row) is True]
    if measure.kind == "ratio":
        over, under = (measured(vocabulary, part, kept, zone) for part in measure.parts)
        if over is None or not under:
            return None
        mixed = isinstance(over, decimal.Decimal) != isinstance(under, decimal.Decimal)
        return float(over) / under if mixed and isinstance(under, float) else over / under
    known = [value for row in kept if (value := measure.value(row)) is not None]
    match measure.kind:
        case "count":
            return len(known)
        case "distinct":
            return len(set(known))
        case "sum":
            total = sum(known, measure.zero)
            return Rough(total) if measure.is_rough else total
        case "average":
            return sum(known) / len(known) if known else None
        case "share":
            return sum(value is True for value in known) / len(known) if known else None
    extreme = (min if measure.kind == "minimum" else max)(known, default=None)
    if isinstance(extreme, dt.datetime):
        aware = extreme if extreme.tzinfo else extreme.replace(tzinfo=UTC)
        return aware.astimezone(zone)
    return extreme


def counts_into(vocabulary: Vocabulary, name: str, row: t.Any) -> bool:
    """Whether a row counts into a measure: it is kept, and what is measured is known of it."""
    measure = vocabulary.measures[name]
    if measure.where(row) is not True:
        return False
    if measure.kind == "ratio":
        return any(counts_into(vocabulary, part, row) for part in measure.parts)
    return measure.value(row) is not None


def behind(case: Case, *, measured: bool) -> list[tuple[t.Any, ...]]:
    """Every row behind the number of a case, by its key: the key, then each dimension's.

    Args:
        measured: whether only those that count into its measure.

    Raises:
        Impossible: when the question must be refused.
    """
    asked = _Asked(case)
    measure = case.question.measure
    return [
        (key_of_row(row), {n: asked._key(row, d) for n, d in asked.vocabulary.dimensions.items()})
        for row in sorted(asked.rows, key=key_of_row)
        if not measured or counts_into(asked.vocabulary, measure, row)
    ]


@dataclasses.dataclass(frozen=True)
class Row:
    key: t.Any
    value: t.Any
    companions: tuple[t.Any, ...]
    label: str | None = None
    until: dt.date | None = None
    is_other: bool = False


@dataclasses.dataclass(frozen=True)
class Answer:
    """What a result must say; ``range`` is False where the contract says nothing of it."""

    rows: tuple[Row, ...]
    total: Row
    truncated: bool = False
    undated: Row | None = None
    range: Stretch | t.Literal[False] | None = None


def answered(case: Case) -> Answer:
    """The answer to a case's question.

    Raises:
        Impossible: when the question must be refused.
    """
    return _Asked(case).answer()


class _Asked:
    def __init__(self, case: Case) -> None:
        self.question = case.question
        self.world = case.world
        self.vocabulary = VOCABULARIES[case.question.model]
        self.calendar = Calendar(zone_named(case.caller.zone), case.week_start, case.now)
        by = self.question.by
        self.dimension = None if by is None else self.vocabulary.dimensions[by]
        given: dict[str, list[Filter]] = {}
        for filter_ in self.question.filters:
            if filter_.dimension is None:
                raise Impossible
            given.setdefault(filter_.dimension, []).append(filter_)
        self.given = given
        self.rows = [
            row
            for row in scoped(case.world, self.question.model, case.caller.scope)
            if all(
                passes(
                    self._key(row, self.vocabulary.dimensions[name]),
                    self.vocabulary.dimensions[name],
                    filters,
                    self.calendar,
                )
                for name, filters in given.items()
            )
        ]

    def _key(self, row: t.Any, dimension: Dimension) -> t.Any:
        return point_of(dimension, dimension.key(self.world, row))

    def _row(self, key: t.Any, rows: cabc.Sequence[t.Any], **more: t.Any) -> Row:
        value = measured(self.vocabulary, self.question.measure, rows, self.calendar.zone)
        companions = tuple(self._companion(name, rows) for name in self.question.companions)
        return Row(key, value, companions, **more)

    def _companion(self, name: str, rows: cabc.Sequence[t.Any]) -> t.Any:
        if name in self.vocabulary.measures:
            return measured(self.vocabulary, name, rows, self.calendar.zone)
        keys = [self._key(row, self.vocabulary.dimensions[name]) for row in rows]
        return keys[0] if keys and all(key == keys[0] for key in keys) else None

    def answer(self) -> Answer:
        total = self._row(None, self.rows)
        if self.dimension is None:
            return Answer((), total)
        if self.dimension.is_time:
            return self._by_time(self.dimension, total)
        return self._by_category(self.dimension, total)

    def _by_category(self, dimension: Dimension, total: Row) -> Answer:
        groups: dict[t.Any, list[t.Any]] = {}
        for row in self.rows:
            groups.setdefault(self._key(row, dimension), []).append(row)
        found = [
            self._row(key, rows, label=label_of(dimension, key)) for key, rows in groups.items()
        ]
        ordered = in_order(found, dimension, self.question.order)
        limit = self.question.limit or 1000
        shown, hidden = ordered[:limit], ordered[limit:]
        if hidden and self.question.other:
            rest = [row for each in hidden for row in groups[each.key]]
            shown.append(self._row(None, rest, label="Other", is_other=True))
        return Answer(tuple(shown), total, truncated=bool(hidden))

    def _by_time(self, dimension: Dimension, total: Row) -> Answer:
        granularity = self.question.granularity or dimension.granularity
        undated = [row for row in self.rows if self._key(row, dimension) is None]
        dated = [row for row in self.rows if self._key(row, dimension) is not None]
        range_ = self._range(dimension)
        points = [self._key(row, dimension) for row in dated]
        keys = self._keys(dimension, granularity, points)
        rows = []
        for key, until in itertools.pairwise(keys):
            lying = [
                row
                for row, point in zip(dated, points, strict=True)
                if self.calendar.bucket(point, granularity) == key
            ]
            if self._is_left(dimension, key, until):
                rows.append(self._row(key, lying, until=until))
        limit = self.question.limit or len(rows)
        return Answer(
            tuple(rows[:limit]),
            total,
            truncated=len(rows) > limit,
            undated=self._row(None, undated) if undated else None,
            range=range_,
        )

    def _is_left(self, dimension: Dimension, key: dt.date, until: dt.date) -> bool:
        """Whether the filters on the dimension leave any of an interval."""
        filters = self.given.get(self.question.by or "", [])
        start, end = key, until
        if dimension.kind != "day" and not isinstance(key, dt.datetime):
            start, end = self.calendar.midnight(key), self.calendar.midnight(until)
        bounds = [
            point
            for filter_ in filters
            for stretch in stretches_of(filter_, dimension, self.calendar)
            for point in stretch
            if point is not None and start <= point < end
        ]
        return any(passes(point, dimension, filters, self.calendar) for point in [start, *bounds])

    def _asked(self, dimension: Dimension) -> Stretch:
        """What the filters leave of the dimension of time."""
        start, end = None, None
        for filter_ in self.given.get(self.question.by or "", []):
            if filter_.operator in {"not", "null"}:
                continue
            stretches = stretches_of(filter_, dimension, self.calendar)
            low, high = stretches[0]
            if filter_.operator == "":
                low, high = min(s[0] for s in stretches), max(s[1] for s in stretches)
            start = low if start is None else start if low is None else max(start, low)
            end = high if end is None else end if high is None else min(end, high)
        return start, end

    def _range(self, dimension: Dimension) -> Stretch | t.Literal[False] | None:
        given = self.given.get(self.question.by or "", [])
        operators = {filter_.operator for filter_ in given} - {"not", "null"}
        if not operators:
            return None
        return False if "" in operators else self._asked(dimension)

    def _keys(
        self, dimension: Dimension, granularity: str, points: cabc.Sequence[t.Any]
    ) -> list[dt.date]:
        """Every interval's key without gaps, and the key after the last."""
        start, end = self._asked(dimension)
        if start is not None and end is not None and start >= end:
            return []
        if not points and (start is None or end is None):
            return []
        first = min(points) if start is None else start
        step = dt.timedelta(days=1) if dimension.kind == "day" else TICK
        last = max(points) if end is None else end - step
        if granularity == "hour":
            return self._hours(first, last)
        key = self.calendar.bucket(first, granularity)
        keys = [key]
        while key <= self.calendar.day(last):
            key = self.calendar.next_day(key, granularity)
            keys.append(key)
            if len(keys) > MOST_BUCKETS + 1:
                raise Impossible
        return keys

    def _hours(self, first: dt.datetime, last: dt.datetime) -> list[dt.date]:
        if last - first > dt.timedelta(hours=MOST_BUCKETS + 5):
            raise Impossible
        zone = self.calendar.zone
        moment = hour_of(first, zone).astimezone(UTC)
        keys = [at_offset(moment, zone)]
        while keys[-1] <= last:
            before = clock_hour(moment, zone)
            moment += QUARTER_OF_AN_HOUR
            if clock_hour(moment, zone) != before:
                keys.append(at_offset(moment, zone))
        if len(keys) > MOST_BUCKETS + 1:
            raise Impossible
        return list(keys)


def label_of(dimension: Dimension, key: t.Any) -> str | None:
    """What people read for a key; None where the contract leaves it to the locale."""
    if key is None:
        return "(none)"
    if key == "":
        return "(empty)"
    if key in dimension.labels:
        return dimension.labels[key]
    return key if dimension.kind == "text" else None


def instant(value: t.Any) -> t.Any:
    """A time in UTC: Python compares two times of one zone by what its clocks show."""
    return value.astimezone(UTC) if isinstance(value, dt.datetime) else value


def key_place(dimension: Dimension, key: t.Any) -> t.Any:
    """Where a known key stands among the others."""
    return dimension.members.index(key) if dimension.kind == "enum" else key


def in_order(found: list[Row], dimension: Dimension, order: str | None) -> list[Row]:
    """The groups in order: the null group after all that tie with it, ties by key."""
    known = [row for row in found if row.key is not None]
    known.sort(key=lambda row: key_place(dimension, row.key))
    null = [row for row in found if row.key is None]
    if order == "label":
        known.sort(key=lambda row: row.label or "")
        return known + null
    if order == "natural":
        named = [row for key in dimension.order for row in known if row.key == key]
        return named + [row for row in known if row.key not in dimension.order] + null
    valued = [row for row in known + null if row.value is not None]
    valued.sort(key=lambda row: instant(row.value), reverse=order != "value")
    return valued + [row for row in known + null if row.value is None]
