"""What a reader chose, in words, and the choice that one more click makes."""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import datetime as dt

import babel
import babel.dates

from ..vocabulary import BoundDimension
from ..vocabulary.dimensions import Granularity
from ..vocabulary.formats import write_plain
from ..vocabulary.keys import NONE_LABEL
from ..vocabulary.kinds import Kind
from ..words import Words, joined, say, say_many
from .conditions import Stretch, relative, stretch
from .filters import Filter, same
from .labels import bucket_label
from .reader import Reader
from .result import Row
from .several import added_or_removed
from .time import Clock, Point, as_point, floor, following
from .when import Last, When, at

_COMPARED = {"gte", "gt", "lte", "lt"}
_NAMED: dict[tuple[str, str], Words] = {
    ("this", "day"): say("this day"),
    ("this", "week"): say("this week"),
    ("this", "month"): say("this month"),
    ("this", "quarter"): say("this quarter"),
    ("this", "year"): say("this year"),
    ("previous", "day"): say("previous day"),
    ("previous", "week"): say("previous week"),
    ("previous", "month"): say("previous month"),
    ("previous", "quarter"): say("previous quarter"),
    ("previous", "year"): say("previous year"),
}
_WHOLE: tuple[Granularity, ...] = ("year", "quarter", "month", "day")


@dataclasses.dataclass(frozen=True)
class Chip:
    """All filters on one dimension as one removable thing.

    Attributes:
        dimension_label: what is filtered.
        words: by what: "Delta, JetBlue + 2", "not EMB-145LR", "last 90 days".
        when: the dates that relative words stand for now, else "".
        filters: the filters it stands for.
    """

    dimension_label: str
    words: str
    when: str
    filters: tuple[Filter, ...]


def describe(filters: cabc.Iterable[Filter], reader: Reader) -> list[Chip]:
    """One chip for each dimension filtered by, in the order given."""
    by_dimension: dict[BoundDimension, list[Filter]] = {}
    for each in filters:
        by_dimension.setdefault(each.dimension, []).append(each)
    return [_chip(dimension, tuple(own), reader) for dimension, own in by_dimension.items()]


def toggle(
    filters: cabc.Iterable[Filter],
    dimension: BoundDimension,
    row: Row,
    *,
    several: bool = False,
) -> tuple[Filter, ...]:
    """The filters after a click on a row: that value alone, or none if it was alone.

    ``several`` adds the value to those chosen, or takes it away; see :mod:`.several`.
    """
    own = tuple(each for each in filters if same(each.dimension, dimension))
    others = tuple(each for each in filters if not same(each.dimension, dimension))
    wanted = filters_of(dimension, row)
    changed = added_or_removed(own, wanted) if several and own else None
    if changed is not None:
        return others + changed
    chosen = {(each.operator, each.values) for each in own}
    if chosen == {(each.operator, each.values) for each in wanted}:
        return others
    return others + wanted


def without(filters: cabc.Iterable[Filter], removed: cabc.Collection[Filter]) -> tuple[Filter, ...]:
    """The filters that are left when some are removed."""
    return tuple(each for each in filters if each not in removed)


def filters_of(dimension: BoundDimension, row: Row) -> tuple[Filter, ...]:
    """The filters that a row alone stands for; a bucket of time is a half-open range."""
    if row.is_other:
        raise ValueError("the row for all other members is no value to filter by")
    if row.key is None:
        return (Filter(dimension, "null", (True,)),)
    if not dimension.is_time or row.until is None:
        return (Filter(dimension, "", (row.key,)),)
    return (
        Filter(dimension, "gte", (at(row.key),)),
        Filter(dimension, "lt", (at(row.until),)),
    )


def _chip(dimension: BoundDimension, filters: tuple[Filter, ...], reader: Reader) -> Chip:
    said: list[str] = []
    when = ""
    bounds = [each for each in filters if dimension.is_time and each.operator in _COMPARED]
    for each in filters:
        if each not in bounds:
            said.append(_words(each, reader))
        if each.operator in {"last", "this", "previous"}:
            start, end = relative(each.values[0], each.operator, reader.clock)
            when = between(start, end, reader.clock, reader.locale)
    if bounds:
        left = stretch(bounds, dimension, reader.clock)
        if left is not None:
            said.append(between(left.start, left.end, reader.clock, reader.locale))
    plain = any(each.operator == "" for each in filters)
    null = any(each.operator == "null" and each.values[0] for each in filters)
    if plain and null and len(said) == 2:
        either = say("{one} or {other}", one=said[0], other=said[1])
        return Chip(dimension.label, either, when, filters)
    return Chip(dimension.label, joined(", ", said), when, filters)


def _words(filter_: Filter, reader: Reader) -> str:
    dimension, values = filter_.dimension, filter_.values
    match filter_.operator:
        case "null":
            return NONE_LABEL if values[0] else say("known")
        case "last":
            return _last(values[0])
        case "this" | "previous":
            return _NAMED[filter_.operator, values[0]]
        case "gte":
            return say("at least {value}", value=write_plain(values[0]))
        case "gt":
            return say("more than {value}", value=write_plain(values[0]))
        case "lte":
            return say("at most {value}", value=write_plain(values[0]))
        case "lt":
            return say("less than {value}", value=write_plain(values[0]))
    names = [
        _when_words(value, reader)
        if isinstance(value, When)
        else dimension.label_of(value, reader.locale)
        for value in values
    ]
    shown = joined(", ", names[:2])
    if len(names) > 2:
        shown = joined(" + ", [shown, str(len(names) - 2)])
    return say("not {values}", values=shown) if filter_.operator == "not" else shown


def _last(last: Last) -> Words:
    match last.unit:
        case "h":
            return say_many("last hour", "last {n} hours", last.count)
        case "d":
            return say_many("last day", "last {n} days", last.count)
        case "w":
            return say_many("last week", "last {n} weeks", last.count)
        case "m":
            return say_many("last month", "last {n} months", last.count)
        case _:
            return say_many("last year", "last {n} years", last.count)


def _when_words(when: When, reader: Reader) -> str:
    if when.end is None:
        return _moment(reader.clock.instant(when.start), reader.clock, reader.locale)
    return between(when.start, when.end, reader.clock, reader.locale)


def on_day(start: dt.date, end: dt.date, dimension: BoundDimension, clock: Clock) -> Stretch:
    """The stretch between two days in a dimension's own points."""
    dates = dimension.kind is Kind.DATE
    return Stretch(as_point(start, clock, dates=dates), as_point(end, clock, dates=dates))


def between(start: Point | None, end: Point | None, clock: Clock, locale: babel.Locale) -> str:
    """A half-open stretch as people write it, its last day included."""
    first, after = midnight(start, clock), midnight(end, clock)
    if start is None and end is None:
        return ""
    if (start is not None and first is None) or (end is not None and after is None):
        return _moments(start, end, clock, locale)
    last = after - dt.timedelta(days=1) if after is not None else None
    if first is None:
        return say("until {day}", day=bucket_label(last, "day", locale)) if last else ""
    if last is None:
        return say("from {day}", day=bucket_label(first, "day", locale))
    for whole in _WHOLE:
        if floor(first, whole, 0) == first and following(first, whole) == after:
            return bucket_label(first, whole, locale)
    return str(babel.dates.format_interval(first, last, "yMMMd", locale=locale))


def midnight(point: Point | None, clock: Clock) -> dt.date | None:
    """The day that begins at a point, or None where it lies within a day."""
    if not isinstance(point, dt.datetime):
        return point
    day = point.astimezone(clock.zone).date()
    return day if clock.instant(day) == point else None


def _moments(start: Point | None, end: Point | None, clock: Clock, locale: babel.Locale) -> str:
    written = [
        _moment(clock.instant(point), clock, locale) for point in (start, end) if point is not None
    ]
    if start is None:
        return say("before {moment}", moment=written[0])
    if end is None:
        return say("from {moment}", moment=written[0])
    return f"{written[0]} – {written[1]}"


def _moment(instant: dt.datetime, clock: Clock, locale: babel.Locale) -> str:
    return (
        bucket_label(instant.astimezone(clock.zone), "day", locale)
        + ", "
        + str(babel.dates.format_time(instant, "HH:mm", tzinfo=clock.zone, locale=locale))
    )
