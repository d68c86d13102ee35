"""Filters as SQL conditions, and the stretch of time they leave."""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import datetime as dt
import functools
import operator as compare
import typing as t

import sqlalchemy as sa

from ..vocabulary import BoundDimension
from ..vocabulary.dimensions import Granularity
from ..vocabulary.keys import Key
from ..vocabulary.kinds import Kind
from .dialect import Column, Dialect, bound
from .filters import Filter, same
from .time import Clock, Point, as_point, last_range, previous_range, this_range
from .when import Last, When

Condition = sa.ColumnElement[bool]


@dataclasses.dataclass(frozen=True, slots=True)
class Stretch:
    """A half-open stretch of points; None where it is open."""

    start: Point | None
    end: Point | None

    def within(self, other: Stretch) -> Stretch:
        """What both have in common."""
        starts = [s for s in (self.start, other.start) if s is not None]
        ends = [e for e in (self.end, other.end) if e is not None]
        return Stretch(max(starts, default=None), min(ends, default=None))


def conditions(
    filters: cabc.Iterable[Filter],
    column_of: cabc.Callable[[BoundDimension], Column],
    dialect: Dialect,
    clock: Clock,
) -> list[Condition]:
    """The conditions of one layer's filters, all of which must hold.

    "Or unknown" (``null=1`` beside plain values of the same dimension) widens within a layer.
    """
    found: list[Condition] = []
    for given in together(filters):
        dimension = next(iter(given.values())).dimension
        column = column_of(dimension)
        plain, null = given.pop("", None), given.pop("null", None)
        if plain is not None:
            any_of = _any_of(plain, column, dialect, clock)
            widened = null is not None and null.values[0]
            found.append(sa.or_(any_of, column.is_(None)) if widened else any_of)
        elif null is not None:
            found.append(column.is_(None) if null.values[0] else column.is_not(None))
        for operator, each in given.items():
            if operator == "not":
                none_of = sa.not_(_any_of(each, column, dialect, clock))
                found.append(sa.or_(none_of, column.is_(None)))
            elif dimension.is_time:
                found += _inside(stretch_of(each, clock), column, dimension, dialect)
            else:
                found.append(_compared(column, operator, each.values[0], dimension))
    return found


def _any_of(filter_: Filter, column: Column, dialect: Dialect, clock: Clock) -> Condition:
    dimension = filter_.dimension
    if not dimension.is_time:
        values = [bound(value, dimension.path.type) for value in filter_.values]
        return dialect.any_of(column, values)
    spans = _spans(filter_, clock)
    if len(spans) == 1:
        return sa.and_(*_inside(spans[0], column, dimension, dialect))
    # Inside one of many apart stretches: an odd number of their bounds has been reached.
    bounds = [point for span in spans for point in (span.start, span.end)]
    return dialect.bucket(column, bounds, dimension) % 2 == 1


def _inside(
    stretch: Stretch, column: Column, dimension: BoundDimension, dialect: Dialect
) -> list[Condition]:
    found: list[Condition] = []
    if stretch.start is not None:
        found.append(column >= dialect.point(stretch.start, dimension))
    if stretch.end is not None:
        found.append(column < dialect.point(stretch.end, dimension))
    return found


def _compared(column: Column, operator: str, value: t.Any, dimension: BoundDimension) -> Condition:
    compared = _COMPARE[operator](column, bound(value, dimension.path.type))
    return t.cast("Condition", compared)


def together(filters: cabc.Iterable[Filter]) -> list[dict[str, Filter]]:
    """One layer's filters by operator, for each dimension that they were given on.

    Two dimensions of different models can reach the same one here; each then narrows by itself.
    """
    found: dict[int, dict[str, Filter]] = {}
    for each in filters:
        found.setdefault(id(each.given or each.dimension), {})[each.operator] = each
    return list(found.values())


def holds(filters: cabc.Iterable[Filter], key: Key) -> bool:
    """Whether one member of a category passes one layer's filters on its own dimension."""
    return all(_holds(given, key) for given in together(filters))


def _holds(filters: cabc.Mapping[str, Filter], key: Key) -> bool:
    given = {operator: each.values for operator, each in filters.items()}
    null = given.pop("null", None)
    if "" in given:
        if key in given.pop("") or (key is None and null == (True,)):
            null = None
        else:
            return False
    if null is not None and (key is None) != null[0]:
        return False
    if key is None:
        return not any(operator in _COMPARE for operator in given)
    return all(
        key not in values if operator == "not" else _COMPARE[operator](key, values[0])
        for operator, values in given.items()
    )


_COMPARE: dict[str, cabc.Callable[[t.Any, t.Any], bool]] = {
    "gte": compare.ge,
    "gt": compare.gt,
    "lte": compare.le,
    "lt": compare.lt,
}

_TICK = dt.timedelta(microseconds=1)


def _span(when: When, dimension: BoundDimension, clock: Clock) -> Stretch:
    """All of a day, month or year; of a moment, that moment alone."""
    dates = dimension.kind is Kind.DATE
    start = as_point(when.start, clock, dates=dates)
    end = start + _TICK if when.end is None else as_point(when.end, clock, dates=dates)
    return Stretch(start, end)


@functools.lru_cache(maxsize=64)
def _spans(filter_: Filter, clock: Clock) -> tuple[t.Any, ...]:
    """The stretches that plain values stand for, in order, those that meet made one."""
    found: list[t.Any] = []
    spans: list[t.Any] = [_span(when, filter_.dimension, clock) for when in filter_.values]
    for span in sorted(spans, key=lambda span: span.start):
        if found and span.start <= found[-1].end:
            found[-1] = Stretch(found[-1].start, max(found[-1].end, span.end))
        else:
            found.append(span)
    return tuple(found)


def reaches(filters: cabc.Iterable[Filter], start: t.Any, end: t.Any, clock: Clock) -> bool:
    """Whether filters on a time dimension, taken together, leave anything between two points."""
    left: list[tuple[t.Any, t.Any]] = [(start, end)]
    for given in together(filters):
        null = given.get("null")
        if null is not None and null.values[0] and "" not in given:
            return False
        for operator, each in given.items():
            if operator == "not":
                for span in _spans(each, clock):
                    before = [(s, min(e, span.start)) for s, e in left]
                    left = before + [(max(s, span.end), e) for s, e in left]
            elif operator != "null":
                spans = _spans(each, clock) if operator == "" else (stretch_of(each, clock),)
                left = [
                    (
                        s if span.start is None else max(s, span.start),
                        e if span.end is None else min(e, span.end),
                    )
                    for s, e in left
                    for span in spans
                ]
            left = [(s, e) for s, e in left if s < e]
    return bool(left)


@functools.lru_cache(maxsize=64)
def stretch_of(filter_: Filter, clock: Clock) -> Stretch:
    """The stretch that a range filter on time leaves."""
    dimension, value = filter_.dimension, filter_.values[0]
    match filter_.operator:
        case "gte":
            return Stretch(_span(value, dimension, clock).start, None)
        case "gt":
            return Stretch(_span(value, dimension, clock).end, None)
        case "lt":
            return Stretch(None, _span(value, dimension, clock).start)
        case "lte":
            return Stretch(None, _span(value, dimension, clock).end)
        case _:
            start, end = relative(value, filter_.operator, clock)
            dates = dimension.kind is Kind.DATE
            return Stretch(as_point(start, clock, dates=dates), as_point(end, clock, dates=dates))


def relative(value: Last | Granularity, operator: str, clock: Clock) -> tuple[dt.date, dt.date]:
    """The dates (for hours, instants) that a relative filter stands for now."""
    if isinstance(value, Last):
        return last_range(value.count, value.unit, clock)
    return this_range(value, clock) if operator == "this" else previous_range(value, clock)


def stretch(
    filters: cabc.Iterable[Filter], dimension: BoundDimension, clock: Clock
) -> Stretch | None:
    """What all filters on a time dimension leave of it, or None when none fixes anything."""
    stretches: list[Stretch] = []
    for each in filters:
        if not same(each.dimension, dimension):
            continue
        if each.operator == "":
            spans = [_span(when, dimension, clock) for when in each.values]
            stretches.append(
                Stretch(min(s.start for s in spans), max(s.end for s in spans))  # type: ignore[type-var]
            )
        elif each.operator not in {"not", "null"}:
            stretches.append(stretch_of(each, clock))
    return functools.reduce(Stretch.within, stretches) if stretches else None
