"""A number against the period before, and its course over time.

The period before is as long as the one that filters fix, and aligned with the calendar: this
month to the 15th is held against last month to the 15th, a whole quarter against the quarter
before it; the 31st and 29 February are clamped to the last day there is.
"""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import datetime as dt
import typing as t

from ..errors import BadRequest
from ..vocabulary import BoundDimension
from ..vocabulary.dimensions import Granularity
from ..vocabulary.formats import Value
from ..vocabulary.kinds import Kind
from ..words import Words, say, say_many
from .asking import ask
from .choosing import between, midnight, on_day
from .conditions import Stretch, stretch
from .filters import Filter, Layers, reach, same
from .question import Question
from .reader import Reader
from .result import Range, Result
from .time import COARSER, Clock, add_months, floor, following
from .when import Last, at

Saying = cabc.Callable[[str], Words]
"""Says in which period something was, given its dates."""

_DAY = dt.timedelta(days=1)
_MONTHS: dict[str, int] = {"month": 1, "quarter": 3, "year": 12}


@dataclasses.dataclass(frozen=True, slots=True)
class Comparison:
    """A number against the same number in the period before.

    Attributes:
        value: the number itself; of a period that still runs, what has come to date.
        before: the same over the period before.
        before_formatted: that, as text in the reader's locale.
        change: value minus before; None when either is unknown.
        ratio: change over before, 0.1 for a tenth more; None when before is 0 or unknown.
        is_new: whether there was nothing before and is something now.
        verdict: whether the change is good news, where the measure declares it; else "".
        current, previous: the two periods, half open.
        words: what it was compared with: "in the 90 days before, Jul 5 – Oct 2, 2013".
    """

    value: Value
    before: Value
    before_formatted: str
    change: t.Any
    ratio: float | None
    is_new: bool
    verdict: t.Literal["better", "worse", ""]
    current: Range
    previous: Range
    words: str


def compare(
    reader: Reader, question: Question, layers: Layers, over: str, current: Result
) -> Comparison | None:
    """Hold a number against the period before the one that filters fix on ``over``.

    Args:
        question: the number's, without a dimension.
        layers: the filters it was asked under.
        over: the name of a time dimension of its model.
        current: its answer.

    Returns:
        None where filters fix no period, or one open at either end; and for measures that are
        times.
    """
    dimension = _over(reader, question, over)
    own, others = _apart(reader, question, layers, dimension)
    periods = _periods(own, dimension, reader.clock)
    if periods is None or current.measure.kind.is_time:
        return None
    now, earlier, saying = periods
    value = current.total
    if now != stretch(own, dimension, reader.clock):
        value = _within(reader, question, others, dimension, now).total
    was = _within(reader, question, others, dimension, earlier).total_row
    change = _minus(value, was.value)
    return Comparison(
        value=value,
        before=was.value,
        before_formatted=was.formatted,
        change=change,
        ratio=float(change / was.value) if change is not None and was.value else None,
        is_new=was.value == 0 and change not in (None, 0),
        verdict=_verdict(change, current.measure.declared.better),
        current=_range(now, reader.clock),
        previous=_range(earlier, reader.clock),
        words=saying(between(earlier.start, earlier.end, reader.clock, reader.locale)),
    )


def series(reader: Reader, question: Question, layers: Layers, over: str) -> Result:
    """A number's course over a time dimension, within the period that filters fix on it.

    The interval suits the length of that period, so that a line of a dozen to some sixty points
    comes out; without a period it is the dimension's declared one, or a coarser one.
    """
    dimension = _over(reader, question, over)
    own, _ = _apart(reader, question, layers, dimension)
    granularity: Granularity | None = _suiting(stretch(own, dimension, reader.clock), dimension)
    while True:
        asked = dataclasses.replace(
            question, dimension=over, granularity=granularity, limit=None, companions=()
        )
        try:
            return ask(reader, asked, layers, within=True)
        except BadRequest:
            if granularity not in COARSER:
                raise
            granularity = COARSER[granularity]


def whole(course: Result) -> Result:
    """The number whose course this is: what it comes to at its own grain, without asking again."""
    return dataclasses.replace(
        course,
        dimension=None,
        granularity=None,
        rows=(),
        truncated=False,
        undated_row=None,
        range=None,
    )


def _over(reader: Reader, question: Question, over: str) -> BoundDimension:
    dimension = reader.catalogue.dimension(reader.model(question.model), over, reader.caller)
    if not dimension.is_time:
        raise BadRequest(say("{name} is not a time dimension", name=over))
    return dimension


def _apart(
    reader: Reader, question: Question, layers: Layers, dimension: BoundDimension
) -> tuple[tuple[Filter, ...], Layers]:
    """The filters on one dimension, and the layers without them."""
    model = reader.model(question.model)
    dimensions = reader.dimensions(model)
    own: list[Filter] = []
    others: dict[str, tuple[Filter, ...]] = {}
    for field in dataclasses.fields(Layers):
        left: list[Filter] = []
        for each in getattr(layers, field.name):
            there, _ = reach([each], model, dimensions)
            if there and same(there[0].dimension, dimension):
                own += there
            else:
                left.append(each)
        others[field.name] = tuple(left)
    return tuple(own), Layers(**others)


def _within(
    reader: Reader, question: Question, layers: Layers, dimension: BoundDimension, period: Stretch
) -> Result:
    """The number over one period."""
    assert period.start is not None  # noqa: S101
    assert period.end is not None  # noqa: S101
    bounds = (
        Filter(dimension, "gte", (at(period.start),)),
        Filter(dimension, "lt", (at(period.end),)),
    )
    return ask(reader, question, dataclasses.replace(layers, fixed=(*layers.fixed, *bounds)))


def _periods(
    own: cabc.Sequence[Filter], dimension: BoundDimension, clock: Clock
) -> tuple[Stretch, Stretch, Saying] | None:
    """The period that filters fix, to date while it runs; the one before; how that is said."""
    if any(f.operator in {"not", "null"} or len(f.values) > 1 for f in own):
        return None
    fixed = stretch(own, dimension, clock)
    if fixed is None or fixed.start is None or fixed.end is None or fixed.start >= fixed.end:
        return None
    start, end = midnight(fixed.start, clock), midnight(fixed.end, clock)
    if start is None or end is None:
        return _hours_before(fixed)
    if start <= clock.today:
        end = min(end, clock.today + _DAY)
    named = [f for f in own if f.operator in {"this", "previous"}]
    saying: Saying = _in
    if len(own) == 1 and named:
        earlier = _unit_before(start, end, named[0].values[0])
    else:
        earlier, saying = _dates_before(start, end, _months_of(own), clock)
    return (
        on_day(start, end, dimension, clock),
        on_day(*earlier, dimension, clock),
        saying,
    )


def _in(dates: str) -> Words:
    return say("in {dates}", dates=dates)


def _on(dates: str) -> Words:
    return say("on {dates}", dates=dates)


def _in_the_time_before(dates: str) -> Words:
    return say("in the time before, {dates}", dates=dates)


def _in_the_days_before(days: int) -> Saying:
    return lambda dates: say_many(
        "in the {n} day before, {dates}", "in the {n} days before, {dates}", days, dates=dates
    )


def _hours_before(fixed: Stretch) -> tuple[Stretch, Stretch, Saying]:
    start, end = t.cast("dt.datetime", fixed.start), t.cast("dt.datetime", fixed.end)
    return fixed, Stretch(start - (end - start), start), _in_the_time_before


def _months_of(own: cabc.Sequence[Filter]) -> int:
    """How many calendar months a single "last 6m" or "last 1y" goes back, else 0."""
    if len(own) != 1 or not isinstance(own[0].values[0], Last):
        return 0
    last: Last = own[0].values[0]
    return last.count * {"m": 1, "y": 12}.get(last.unit, 0)


def _unit_before(start: dt.date, end: dt.date, unit: str) -> tuple[dt.date, dt.date]:
    """The same days of the calendar interval before; a day it does not have is clamped."""
    if unit in _MONTHS:
        back = _MONTHS[unit]
        if end == add_months(start, back):
            return add_months(start, -back), start
        return add_months(start, -back), add_months(end - _DAY, -back) + _DAY
    days = (7 if unit == "week" else 1) * _DAY
    return start - days, end - days


def _dates_before(
    start: dt.date, end: dt.date, months: int, clock: Clock
) -> tuple[tuple[dt.date, dt.date], Saying]:
    """The dates of the period before, and how to say them."""
    last = end - _DAY
    if months:
        return (add_months(start, -months), start), _in_the_time_before
    if start.day == 1 and end.day == 1:
        whole = (end.year - start.year) * 12 + end.month - start.month
        return (add_months(start, -whole), start), _in
    for unit, back in _MONTHS.items():
        named = t.cast("Granularity", unit)
        if floor(start, named, 0) == start and last < following(start, named):
            return (add_months(start, -back), add_months(last, -back) + _DAY), _in
    days = (end - start).days
    if days < 7 and start.weekday() == clock.week_start:
        return (start - 7 * _DAY, end - 7 * _DAY), _in
    if days == 1:
        return (start - _DAY, start), _on
    return (start - days * _DAY, start), _in_the_days_before(days)


def _suiting(fixed: Stretch | None, dimension: BoundDimension) -> Granularity:
    if fixed is None or fixed.start is None or fixed.end is None:
        return dimension.granularity
    days = (fixed.end - fixed.start) / _DAY
    if days <= 2 and dimension.kind is Kind.DATETIME:
        return "hour"
    steps: tuple[tuple[float, Granularity], ...] = (
        (45, "day"),
        (400, "week"),
        (1830, "month"),
        (7320, "quarter"),
    )
    return next((unit for most, unit in steps if days <= most), "year")


def _range(period: Stretch, clock: Clock) -> Range:
    def local(point: t.Any) -> t.Any:
        return point.astimezone(clock.zone) if isinstance(point, dt.datetime) else point

    return Range(local(period.start), local(period.end))


def _minus(value: t.Any, before: t.Any) -> t.Any:
    if value is None or before is None:
        return None
    if isinstance(value, float) or isinstance(before, float):
        return float(value) - float(before)
    return value - before


def _verdict(
    change: t.Any, better: t.Literal["higher", "lower"] | None
) -> t.Literal["better", "worse", ""]:
    if better is None or not change:
        return ""
    return "better" if (change > 0) == (better == "higher") else "worse"
