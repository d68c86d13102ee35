"""Calendar time in the report zone: instants, intervals, buckets and relative ranges.

A bucket is a calendar interval of the report zone. Its bounds are computed here, by zoneinfo,
as instants, and the database only compares a column with them. So every database agrees, and
grouping and filtering can never disagree with each other.
"""

from __future__ import annotations

import calendar
import dataclasses
import datetime as dt
import functools
import itertools
import typing as t
import zoneinfo

from ..errors import BadRequest
from ..vocabulary.dimensions import CALLED, Granularity
from ..words import say

UTC = dt.UTC
MOST_BUCKETS = 2000
EARLIEST = dt.date(2, 1, 1)
LATEST = dt.date(9998, 1, 1)

Point = dt.date | dt.datetime
"""A date for a dimension over a date column, else an instant in UTC."""

COARSER: dict[Granularity, Granularity] = {
    "hour": "day",
    "day": "week",
    "week": "month",
    "month": "quarter",
    "quarter": "year",
}


@dataclasses.dataclass(frozen=True, slots=True)
class Clock:
    """The report zone, the first day of its week, and the moment that "today" refers to.

    Attributes:
        week_start: 0 for Monday to 6 for Sunday.
        now: an instant; "today" is its date in the zone.
    """

    zone: zoneinfo.ZoneInfo
    week_start: int
    now: dt.datetime

    @property
    def today(self) -> dt.date:
        return self.now.astimezone(self.zone).date()

    def instant(self, wall: dt.date | dt.datetime) -> dt.datetime:
        """The first instant at which the zone's clocks show this time or a later one.

        A time that is shown twice means its first showing; one that is skipped means the moment
        of the skip. An aware datetime is an instant already.
        """
        return instant_of(wall, self.zone)


@dataclasses.dataclass(frozen=True, slots=True)
class Bucket:
    """One interval: its key, the key of the next, and its bounds as points."""

    key: dt.date
    until: dt.date
    start: Point
    end: Point


def instant_of(wall: dt.date | dt.datetime, zone: zoneinfo.ZoneInfo) -> dt.datetime:
    """The first instant at which a zone's clocks show this time or a later one."""
    if not isinstance(wall, dt.datetime):
        wall = dt.datetime.combine(wall, dt.time())
    if wall.tzinfo is not None:
        return wall.astimezone(UTC)
    late = wall.replace(tzinfo=zone, fold=0).astimezone(UTC)
    if late.astimezone(zone).replace(tzinfo=None, fold=0) == wall:
        return late
    early = wall.replace(tzinfo=zone, fold=1).astimezone(UTC)
    while late - early > dt.timedelta(seconds=1):
        middle = early + (late - early) / 2
        middle = middle.replace(microsecond=0)
        if middle.astimezone(zone).replace(tzinfo=None, fold=0) >= wall:
            late = middle
        else:
            early = middle
    return late


def stored_wall(instant: dt.datetime, zone: zoneinfo.ZoneInfo) -> dt.datetime:
    """The smallest naive time in ``zone`` that stands for this instant or a later one.

    For columns that hold naive times of a zone, read as :func:`instant_of` does: a time that the
    zone shows twice stands for its first showing, since nothing tells the two apart, and one
    that it skips for the moment of the skip.
    """
    local = instant.astimezone(zone)
    wall = local.replace(tzinfo=None, fold=0)
    if not local.fold:
        tick = dt.timedelta(microseconds=1)
        before = (instant.astimezone(UTC) - tick).astimezone(zone)
        return min(wall, before.replace(tzinfo=None, fold=0) + tick)
    low, high = wall, wall + dt.timedelta(hours=3)
    while high - low > dt.timedelta(microseconds=1):
        middle = low + (high - low) / 2
        if middle.replace(tzinfo=zone, fold=0).astimezone(UTC) >= instant.astimezone(UTC):
            high = middle
        else:
            low = middle
    return high


def add_months(day: dt.date, months: int) -> dt.date:
    """The same day of another month, or that month's last day when it has no such day."""
    index = day.year * 12 + day.month - 1 + months
    year, month = index // 12, index % 12 + 1
    return day.replace(
        year=year, month=month, day=min(day.day, calendar.monthrange(year, month)[1])
    )


def floor(day: dt.date, granularity: Granularity, week_start: int) -> dt.date:
    """The first day of the interval that a day lies in."""
    match granularity:
        case "week":
            return day - dt.timedelta(days=(day.weekday() - week_start) % 7)
        case "month":
            return day.replace(day=1)
        case "quarter":
            return day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1)
        case "year":
            return day.replace(month=1, day=1)
        case _:
            return day


def following(first: dt.date, granularity: Granularity) -> dt.date:
    """The first day of the interval after the one that begins on ``first``."""
    match granularity:
        case "week":
            return first + dt.timedelta(days=7)
        case "month":
            return add_months(first, 1)
        case "quarter":
            return add_months(first, 3)
        case "year":
            return add_months(first, 12)
        case _:
            return first + dt.timedelta(days=1)


def buckets(
    granularity: Granularity, first: Point, last: Point, clock: Clock
) -> tuple[Bucket, ...]:
    """The intervals from the one that holds ``first`` to the one that holds ``last``.

    Both points are dates, or both are instants. A day that a zone left out altogether (Samoa's
    30 December 2011) is no bucket.

    Raises:
        BadRequest: when there would be more than 2,000; it names a coarser granularity.
    """
    day = last.date() if isinstance(last, dt.datetime) else last
    if day >= LATEST:
        raise BadRequest(
            say(
                "there are times as late as {day}; filter what is before {year}",
                day=day,
                year=LATEST.year,
            )
        )
    if not isinstance(first, dt.datetime):
        return _date_buckets(granularity, first, last, clock.week_start)
    assert isinstance(last, dt.datetime)  # noqa: S101
    if granularity == "hour":
        return _hour_buckets(first.astimezone(UTC), last.astimezone(UTC), clock.zone)
    return _zoned_buckets(
        granularity,
        first.astimezone(clock.zone).date(),
        last.astimezone(clock.zone).date(),
        clock.zone,
        clock.week_start,
    )


def _too_many(granularity: Granularity) -> BadRequest:
    by = CALLED[granularity]
    if granularity not in COARSER:
        return BadRequest(
            say(
                "by {granularity} this would be more than {most:,} intervals; filter a shorter "
                "range",
                granularity=by,
                most=MOST_BUCKETS,
            )
        )
    return BadRequest(
        say(
            "by {granularity} this would be more than {most:,} intervals; ask by {coarser}, or "
            "filter a shorter range",
            granularity=by,
            most=MOST_BUCKETS,
            coarser=CALLED[COARSER[granularity]],
        )
    )


def _keys(
    granularity: Granularity, first: dt.date, last: dt.date, week_start: int
) -> list[dt.date]:
    """The first days of the intervals, and of the one after them."""
    key = floor(first, granularity, week_start)
    found = [key]
    while key <= last:
        key = following(key, granularity)
        found.append(key)
        if len(found) > MOST_BUCKETS + 1:
            raise _too_many(granularity)
    return found


@functools.lru_cache(maxsize=128)
def _date_buckets(
    granularity: Granularity, first: dt.date, last: dt.date, week_start: int
) -> tuple[Bucket, ...]:
    keys = _keys(granularity, first, last, week_start)
    return tuple(Bucket(key, until, key, until) for key, until in itertools.pairwise(keys))


@functools.lru_cache(maxsize=128)
def _zoned_buckets(
    granularity: Granularity,
    first: dt.date,
    last: dt.date,
    zone: zoneinfo.ZoneInfo,
    week_start: int,
) -> tuple[Bucket, ...]:
    keys = _keys(granularity, first, last, week_start)
    instants = [instant_of(key, zone) for key in keys]
    spans = zip(keys, keys[1:], instants, instants[1:], strict=False)
    return tuple(Bucket(k, until, start, end) for k, until, start, end in spans if start < end)


def _shown_hour(instant: dt.datetime, zone: zoneinfo.ZoneInfo) -> tuple[t.Any, ...]:
    local = instant.astimezone(zone)
    return local.year, local.month, local.day, local.hour, local.utcoffset()


def hour_end(instant: dt.datetime, zone: zoneinfo.ZoneInfo) -> dt.datetime:
    """The end, in UTC, of the hour on the zone's clocks that an instant lies in.

    An hour is a stretch over which the clocks show one hour at one offset, so the two showings
    of a repeated hour are two, and a change of offset inside an hour ends it.
    """
    instant = instant.astimezone(UTC).replace(second=0, microsecond=0)
    shown = _shown_hour(instant, zone)
    end = instant + dt.timedelta(minutes=60 - instant.astimezone(zone).minute)
    if end.astimezone(zone).utcoffset() == shown[-1]:
        return end
    end = instant
    while _shown_hour(end, zone) == shown:
        end += dt.timedelta(minutes=1)
    return end


def hour_start(instant: dt.datetime, zone: zoneinfo.ZoneInfo) -> dt.datetime:
    """The start, in UTC, of the hour on the zone's clocks that an instant lies in."""
    instant = instant.astimezone(UTC).replace(second=0, microsecond=0)
    shown = _shown_hour(instant, zone)
    start = instant - dt.timedelta(minutes=instant.astimezone(zone).minute)
    if start.astimezone(zone).utcoffset() == shown[-1]:
        return start
    start = instant
    while _shown_hour(start - dt.timedelta(minutes=1), zone) == shown:
        start -= dt.timedelta(minutes=1)
    return start


@functools.lru_cache(maxsize=32)
def _hour_buckets(
    first: dt.datetime, last: dt.datetime, zone: zoneinfo.ZoneInfo
) -> tuple[Bucket, ...]:
    """Hours as the zone's clocks show them, each beginning where the last one ends."""
    if last - first > dt.timedelta(hours=MOST_BUCKETS + 2):
        raise _too_many("hour")
    starts = [hour_start(first, zone)]
    while starts[-1] <= last:
        starts.append(hour_end(starts[-1], zone))
    if len(starts) > MOST_BUCKETS + 1:
        raise _too_many("hour")
    return tuple(
        Bucket(at_offset(start, zone), at_offset(end, zone), start, end)
        for start, end in itertools.pairwise(starts)
    )


def at_offset(instant: dt.datetime, zone: zoneinfo.ZoneInfo) -> dt.datetime:
    """An instant as the zone's clocks show it, with the offset itself for its zone.

    Python compares two times of one zone by their clocks alone, so the two showings of a
    repeated hour would be equal; with their offsets they differ.
    """
    local = instant.astimezone(zone)
    return local.replace(tzinfo=dt.timezone(local.utcoffset() or dt.timedelta()), fold=0)


UNITS: dict[str, str] = {"h": "hour", "d": "day", "w": "week", "m": "month", "y": "year"}


def last_range(count: int, unit: str, clock: Clock) -> tuple[dt.date, dt.date]:
    """``30d`` and its kind: that many days, weeks, months or years, ending with today.

    Hours end with the current hour of the zone's clocks and are answered as instants.
    """
    if unit == "h":
        end = hour_end(clock.now, clock.zone)
        return end - dt.timedelta(hours=count), end
    tomorrow = clock.today + dt.timedelta(days=1)
    match unit:
        case "d":
            return tomorrow - dt.timedelta(days=count), tomorrow
        case "w":
            return tomorrow - dt.timedelta(weeks=count), tomorrow
        case "m":
            return add_months(tomorrow, -count), tomorrow
        case _:
            return add_months(tomorrow, -12 * count), tomorrow


def this_range(unit: Granularity, clock: Clock) -> tuple[dt.date, dt.date]:
    """The whole day, week, month, quarter or year that today lies in."""
    start = floor(clock.today, unit, clock.week_start)
    return start, following(start, unit)


def previous_range(unit: Granularity, clock: Clock) -> tuple[dt.date, dt.date]:
    """The one before :func:`this_range`."""
    start = floor(clock.today, unit, clock.week_start)
    return floor(start - dt.timedelta(days=1), unit, clock.week_start), start


def as_point(value: dt.date, clock: Clock, *, dates: bool) -> t.Any:
    """A wall date or time as a point: itself for a date column, else the instant it begins."""
    return value if dates else clock.instant(value)
