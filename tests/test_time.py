"""Buckets are calendar intervals of the report zone, whatever its clocks do."""

from __future__ import annotations

import datetime as dt
import itertools
import zoneinfo

import pytest

from flask_janela.errors import BadRequest
from flask_janela.query.time import (
    UTC,
    Clock,
    add_months,
    buckets,
    floor,
    hour_end,
    hour_start,
    last_range,
    previous_range,
    stored_wall,
    this_range,
)

ZONES = [
    "America/New_York", "America/Los_Angeles", "America/Santiago", "America/Sao_Paulo",
    "Europe/London", "Europe/Madrid", "Africa/Cairo", "Asia/Tehran", "Asia/Kathmandu",
    "Australia/Lord_Howe", "Pacific/Chatham", "Pacific/Apia", "America/Havana",
]  # fmt: skip


def _clock(zone: str, now: dt.datetime | None = None, week_start: int = 0) -> Clock:
    return Clock(zoneinfo.ZoneInfo(zone), week_start, now or dt.datetime(2024, 1, 1, tzinfo=UTC))


@pytest.mark.parametrize("zone", ZONES)
def test_every_instant_lies_in_the_day_that_its_clocks_show(zone: str) -> None:
    """Every quarter of an hour of three years, against zoneinfo itself."""
    clock = _clock(zone)
    start, end = dt.datetime(2024, 1, 1, tzinfo=UTC), dt.datetime(2027, 1, 1, tzinfo=UTC)
    found = list(buckets("day", start, end, clock))
    instant, at = start, 0
    while instant < end:
        while found[at].end <= instant:
            at += 1
        assert found[at].start <= instant
        assert found[at].key == instant.astimezone(clock.zone).date()
        instant += dt.timedelta(minutes=15)


@pytest.mark.parametrize("zone", ZONES)
def test_every_instant_lies_in_the_hour_and_offset_that_its_clocks_show(zone: str) -> None:
    """Round each change of offset in 2024 to 2026."""
    clock = _clock(zone)
    instant = dt.datetime(2024, 1, 1, tzinfo=UTC)
    changes = []
    while instant.year < 2027:
        later = instant + dt.timedelta(hours=6)
        if instant.astimezone(clock.zone).utcoffset() != later.astimezone(clock.zone).utcoffset():
            changes.append(instant)
        instant = later
    for change in [*changes, dt.datetime(2025, 5, 5, tzinfo=UTC)]:
        last = change + dt.timedelta(hours=12)
        found = buckets("hour", change, last, clock)
        moment = change
        while moment <= last:
            (bucket,) = [b for b in found if b.start <= moment < b.end]
            local = moment.astimezone(clock.zone)
            assert bucket.key.hour == local.hour  # type: ignore[attr-defined]
            assert bucket.key.utcoffset() == local.utcoffset()  # type: ignore[attr-defined]
            moment += dt.timedelta(minutes=15)


@pytest.mark.parametrize(
    ("zone", "day", "hours"),
    [
        ("America/New_York", dt.date(2024, 3, 10), 23),
        ("America/New_York", dt.date(2024, 11, 3), 25),
        ("Europe/Madrid", dt.date(2024, 3, 31), 23),
        ("Europe/Madrid", dt.date(2024, 10, 27), 25),
        ("America/Santiago", dt.date(2024, 9, 8), 23),
        ("America/Santiago", dt.date(2024, 4, 6), 25),
        ("Africa/Cairo", dt.date(2024, 4, 26), 23),
        ("Africa/Cairo", dt.date(2024, 10, 31), 25),
    ],
)
def test_a_day_of_23_or_25_hours_is_one_bucket(zone: str, day: dt.date, hours: int) -> None:
    """Published dates of the changes; the hours are those between two local midnights."""
    noon = dt.datetime.combine(day, dt.time(12), zoneinfo.ZoneInfo(zone))
    (bucket,) = buckets("day", noon, noon, _clock(zone))
    assert bucket.key == day
    assert bucket.end - bucket.start == dt.timedelta(hours=hours)  # type: ignore[operator]
    hourly = buckets(
        "hour",
        bucket.start,
        bucket.end - dt.timedelta(seconds=1),
        _clock(zone),  # type: ignore[operator]
    )
    assert len(hourly) == hours


def test_a_day_that_a_zone_left_out_is_no_bucket() -> None:
    """Samoa went from 29 to 31 December 2011."""
    found = buckets(
        "day",
        dt.datetime(2011, 12, 29, 12, tzinfo=UTC),
        dt.datetime(2011, 12, 31, 12, tzinfo=UTC),
        _clock("Pacific/Apia"),
    )
    assert [b.key.day for b in found] == [29, 31, 1]
    assert all(one.end == other.start for one, other in itertools.pairwise(found))


@pytest.mark.parametrize(
    ("granularity", "week_start", "expected"),
    [
        ("day", 0, dt.date(2024, 5, 15)),
        ("week", 0, dt.date(2024, 5, 13)),
        ("week", 6, dt.date(2024, 5, 12)),
        ("week", 2, dt.date(2024, 5, 15)),
        ("month", 0, dt.date(2024, 5, 1)),
        ("quarter", 0, dt.date(2024, 4, 1)),
        ("year", 0, dt.date(2024, 1, 1)),
    ],
)
def test_an_interval_begins_on_its_first_day(
    granularity: str, week_start: int, expected: dt.date
) -> None:
    """15 May 2024 was a Wednesday."""
    assert floor(dt.date(2024, 5, 15), granularity, week_start) == expected  # type: ignore[arg-type]


def test_months_are_added_with_the_last_day_clamped() -> None:
    """29 February has no anniversary in 2025."""
    assert add_months(dt.date(2024, 1, 31), 1) == dt.date(2024, 2, 29)
    assert add_months(dt.date(2024, 2, 29), 12) == dt.date(2025, 2, 28)
    assert add_months(dt.date(2024, 1, 31), -2) == dt.date(2023, 11, 30)


NEW_YEARS_EVE = dt.datetime(2013, 12, 31, 23, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("count", "unit", "start", "end"),
    [
        (90, "d", dt.date(2013, 10, 3), dt.date(2014, 1, 1)),
        (1, "d", dt.date(2013, 12, 31), dt.date(2014, 1, 1)),
        (2, "w", dt.date(2013, 12, 18), dt.date(2014, 1, 1)),
        (6, "m", dt.date(2013, 7, 1), dt.date(2014, 1, 1)),
        (1, "y", dt.date(2013, 1, 1), dt.date(2014, 1, 1)),
    ],
)
def test_the_last_days_end_with_today(count: int, unit: str, start: dt.date, end: dt.date) -> None:
    """In New York it is still 31 December."""
    assert last_range(count, unit, _clock("America/New_York", NEW_YEARS_EVE)) == (start, end)


def test_the_last_hours_end_with_the_current_one() -> None:
    """At 18:30 in New York the last three hours began at 16:00."""
    start, end = last_range(3, "h", _clock("America/New_York", NEW_YEARS_EVE))
    assert start == dt.datetime(2013, 12, 31, 21, tzinfo=UTC)
    assert end == dt.datetime(2014, 1, 1, 0, tzinfo=UTC)


def test_this_and_previous_are_whole_calendar_intervals() -> None:
    """In Auckland it is 2014 already."""
    clock = _clock("Pacific/Auckland", NEW_YEARS_EVE)
    assert this_range("year", clock) == (dt.date(2014, 1, 1), dt.date(2015, 1, 1))
    assert previous_range("year", clock) == (dt.date(2013, 1, 1), dt.date(2014, 1, 1))
    assert previous_range("month", clock) == (dt.date(2013, 12, 1), dt.date(2014, 1, 1))
    assert previous_range("week", clock) == (dt.date(2013, 12, 23), dt.date(2013, 12, 30))
    assert this_range("day", clock) == (dt.date(2014, 1, 1), dt.date(2014, 1, 2))


def test_a_repeated_half_hour_is_an_hour_of_its_own() -> None:
    """On Lord Howe the clocks go back by thirty minutes, at 02:00 to 01:30."""
    zone = zoneinfo.ZoneInfo("Australia/Lord_Howe")
    again = dt.datetime(2024, 4, 7, 1, 45, fold=1, tzinfo=zone)
    assert hour_start(again, zone) == dt.datetime(2024, 4, 6, 15, 0, tzinfo=UTC)
    assert hour_end(again, zone) == dt.datetime(2024, 4, 6, 15, 30, tzinfo=UTC)


def test_naive_local_values_count_in_the_first_showing_of_a_repeated_hour() -> None:
    """Nothing in such a column tells the two showings apart."""
    zone = zoneinfo.ZoneInfo("America/New_York")
    second_one = dt.datetime(2024, 11, 3, 6, 0, tzinfo=UTC)
    assert stored_wall(second_one, zone) == dt.datetime(2024, 11, 3, 2)
    first_one = dt.datetime(2024, 11, 3, 5, 0, tzinfo=UTC)
    assert stored_wall(first_one, zone) == dt.datetime(2024, 11, 3, 1)


def test_naive_local_values_of_a_skipped_hour_lie_at_the_moment_of_the_skip() -> None:
    """From 02:00 on, which the clocks never showed: an hour that begins there takes them in."""
    zone = zoneinfo.ZoneInfo("America/New_York")
    skip = dt.datetime(2024, 3, 10, 7, 0, tzinfo=UTC)
    assert stored_wall(skip, zone) == dt.datetime(2024, 3, 10, 2)
    assert stored_wall(skip + dt.timedelta(minutes=1), zone) == dt.datetime(2024, 3, 10, 3, 1)


def test_too_many_buckets_name_a_coarser_granularity() -> None:
    """2,000 are drawn, 2,001 are not."""
    first = dt.datetime(2020, 1, 1, tzinfo=UTC)
    assert len(buckets("day", first, first + dt.timedelta(days=1999), _clock("UTC"))) == 2000
    with pytest.raises(BadRequest, match="ask by week"):
        buckets("day", first, first + dt.timedelta(days=2000), _clock("UTC"))
    assert len(buckets("hour", first, first + dt.timedelta(hours=1999), _clock("UTC"))) == 2000
    with pytest.raises(BadRequest, match="ask by day"):
        buckets("hour", first, first + dt.timedelta(hours=2000), _clock("UTC"))
