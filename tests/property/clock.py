"""Calendar time by walking it: days a day at a time, clocks a minute at a time."""

from __future__ import annotations

import dataclasses
import datetime as dt
import functools
import re
import typing as t
import zoneinfo

from .declared import Dimension
from .world import Filter, Span

UTC = dt.UTC
QUARTER_OF_AN_HOUR = dt.timedelta(minutes=15)
MINUTE = dt.timedelta(minutes=1)
TICK = dt.timedelta(microseconds=1)


@functools.cache
def zone_named(name: str) -> zoneinfo.ZoneInfo:
    return zoneinfo.ZoneInfo(name)


@dataclasses.dataclass(frozen=True)
class Calendar:
    """The report zone, the first day of its week, and the moment that is now."""

    zone: zoneinfo.ZoneInfo
    week_start: str
    now: dt.datetime

    @property
    def today(self) -> dt.date:
        return self.now.astimezone(self.zone).date()

    def day(self, point: dt.date) -> dt.date:
        """The day on which a moment falls; a date is its own."""
        return point.astimezone(self.zone).date() if isinstance(point, dt.datetime) else point

    def bucket(self, point: dt.date, granularity: str) -> dt.date:
        """The first day of the interval that a point lies in, or the first moment of its hour."""
        if granularity == "hour":
            assert isinstance(point, dt.datetime)
            return hour_of(point, self.zone)
        return self.first_day(self.day(point), granularity)

    def first_day(self, day: dt.date, granularity: str) -> dt.date:
        if granularity == "week":
            first = 0 if self.week_start == "monday" else 6
            while day.weekday() != first:
                day -= dt.timedelta(days=1)
            return day
        if granularity == "month":
            return day.replace(day=1)
        if granularity == "quarter":
            return dt.date(day.year, {1: 1, 2: 4, 3: 7, 4: 10}[(day.month + 2) // 3], 1)
        if granularity == "year":
            return day.replace(month=1, day=1)
        return day

    def next_day(self, first: dt.date, granularity: str) -> dt.date:
        """The first day of the next interval."""
        day = first
        while self.first_day(day, granularity) == first:
            day += dt.timedelta(days=1)
        return day

    def midnight(self, day: dt.date) -> dt.datetime:
        """The first moment of a day."""
        return midnight_of(day, self.zone)


def clock_hour(moment: dt.datetime, zone: zoneinfo.ZoneInfo) -> tuple[t.Any, ...]:
    """What an hour is: a stretch in which the clocks show one hour at one offset."""
    local = moment.astimezone(zone)
    return local.date(), local.hour, local.utcoffset()


def at_offset(moment: dt.datetime, zone: zoneinfo.ZoneInfo) -> dt.datetime:
    local = moment.astimezone(zone)
    return local.replace(tzinfo=dt.timezone(local.utcoffset() or dt.timedelta()), fold=0)


@functools.lru_cache(maxsize=20_000)
def hour_of(moment: dt.datetime, zone: zoneinfo.ZoneInfo) -> dt.datetime:
    """The first moment, at its offset, of the hour that a moment lies in."""
    start = moment.astimezone(UTC).replace(second=0, microsecond=0)
    while clock_hour(start - MINUTE, zone) == clock_hour(moment, zone):
        start -= MINUTE
    return at_offset(start, zone)


@functools.lru_cache(maxsize=2_000)
def midnight_of(day: dt.date, zone: zoneinfo.ZoneInfo) -> dt.datetime:
    moment = dt.datetime(day.year, day.month, day.day, tzinfo=UTC) - dt.timedelta(hours=15)
    while moment.astimezone(zone).date() < day:
        moment += QUARTER_OF_AN_HOUR
    return moment


@functools.lru_cache(maxsize=2_000)
def moment_of(wall: dt.datetime, zone: zoneinfo.ZoneInfo) -> dt.datetime:
    """When the clocks first show this time; for one they skip, the moment of the skip."""
    if wall.tzinfo is not None:
        return wall.astimezone(UTC)
    moment = wall.replace(tzinfo=zone, fold=0).astimezone(UTC)
    if moment.astimezone(zone).replace(tzinfo=None, fold=0) == wall:
        return moment
    moment = wall.replace(tzinfo=zone, fold=1).astimezone(UTC).replace(second=0, microsecond=0)
    while moment.astimezone(zone).replace(tzinfo=None, fold=0) < wall:
        moment += MINUTE
    return moment


def months_earlier(day: dt.date, months: int) -> dt.date:
    """The same day so many months before, or the last one that month has."""
    year, month = day.year, day.month
    for _ in range(months):
        year, month = (year, month - 1) if month > 1 else (year - 1, 12)
    for last in range(day.day, 0, -1):
        try:
            return dt.date(year, month, last)
        except ValueError:
            continue
    raise AssertionError


Stretch = tuple[t.Any, t.Any]
"""From a point to another that is outside; None where it is open."""


def stretch_of(span: Span, dimension: Dimension, calendar: Calendar) -> Stretch:
    """The points that a named day, month, year or moment holds."""
    if span.of == "moment":
        assert isinstance(span.start, dt.datetime)
        moment = moment_of(span.start, calendar.zone)
        return moment, moment + TICK
    days = span.start, calendar.next_day(span.start, span.of)
    return _as_points(days, dimension, calendar)


def _as_points(days: Stretch, dimension: Dimension, calendar: Calendar) -> Stretch:
    if dimension.kind == "day":
        return days
    return calendar.midnight(days[0]), calendar.midnight(days[1])


def relative(operator: str, value: str, dimension: Dimension, calendar: Calendar) -> Stretch:
    """``last``, ``this`` and ``previous`` as points."""
    today, tomorrow = calendar.today, calendar.today + dt.timedelta(days=1)
    if operator == "this":
        first = calendar.first_day(today, value)
        return _as_points((first, calendar.next_day(first, value)), dimension, calendar)
    if operator == "previous":
        after = calendar.first_day(today, value)
        first = calendar.first_day(after - dt.timedelta(days=1), value)
        return _as_points((first, after), dimension, calendar)
    found = re.fullmatch(r"(\d+)([hdwmy])", value)
    assert found is not None
    count, unit = int(found[1]), found[2]
    if unit == "h":
        end = calendar.now.astimezone(UTC).replace(second=0, microsecond=0)
        while clock_hour(end, calendar.zone) == clock_hour(calendar.now, calendar.zone):
            end += MINUTE
        return end - dt.timedelta(hours=count), end
    if unit in "dw":
        first = tomorrow - dt.timedelta(days=count * (7 if unit == "w" else 1))
    else:
        first = months_earlier(tomorrow, count * (12 if unit == "y" else 1))
    return _as_points((first, tomorrow), dimension, calendar)


def inside(point: t.Any, stretch: Stretch) -> bool:
    start, end = stretch
    return (start is None or start <= point) and (end is None or point < end)


def bound(filter_: Filter, dimension: Dimension, calendar: Calendar) -> Stretch:
    """What one filter with a range operator leaves of time."""
    value = filter_.meant[0]
    if filter_.operator in {"last", "this", "previous"}:
        return relative(filter_.operator, value, dimension, calendar)
    start, end = stretch_of(value, dimension, calendar)
    match filter_.operator:
        case "gte":
            return start, None
        case "gt":
            return end, None
        case "lt":
            return None, start
    return None, end
