"""Days of 23 and 25 hours are one day, and an hour that the clocks show twice is two.

One order stands in the table for every quarter of an hour of three years, so a day's count is
known from a loop over its quarters.
"""

from __future__ import annotations

import collections
import collections.abc as cabc
import datetime as dt
import functools
import zoneinfo

import pytest
import sqlalchemy as sa
import sqlalchemy.orm as orm
from flask import Flask
from flask_sqlalchemy import SQLAlchemy

from flask_janela import Count, Janela, Result, TimeDimension, Vocabulary

UTC = dt.UTC
QUARTER = dt.timedelta(minutes=15)
ZONES = ("America/New_York", "Europe/Madrid", "America/Santiago", "Africa/Cairo")
FIRST, LAST = dt.date(2024, 1, 1), dt.date(2026, 12, 31)
HOUR = 4
"""Quarters in an hour."""


class Base(orm.DeclarativeBase):
    pass


db = SQLAlchemy(model_class=Base)
janela = Janela()


class Order(db.Model):
    __tablename__ = "orders"

    placed_at: orm.Mapped[dt.datetime] = orm.mapped_column(sa.DateTime, primary_key=True)

    class Janela(Vocabulary):
        orders = Count()
        placed = TimeDimension("placed_at", granularity="day")


@janela.scope
def scope(model: type[Order], caller: str) -> sa.Select[tuple[Order]]:
    return sa.select(model)


@janela.timezone
def timezone(caller: str) -> str:
    """The caller of these tests is the zone they read in."""
    return caller


def instants() -> cabc.Iterator[dt.datetime]:
    """Every quarter of an hour of the three years, and of a day on both sides of them."""
    instant = dt.datetime.combine(FIRST, dt.time(), UTC) - dt.timedelta(days=1)
    while instant.date() <= LAST + dt.timedelta(days=1):
        yield instant
        instant += QUARTER


@functools.cache
def by_day(zone: str) -> dict[dt.date, list[dt.datetime]]:
    """The local times of every day of the three years."""
    at = zoneinfo.ZoneInfo(zone)
    days: dict[dt.date, list[dt.datetime]] = collections.defaultdict(list)
    for instant in instants():
        local = instant.astimezone(at)
        if FIRST <= local.date() <= LAST:
            days[local.date()].append(local)
    return days


def changes(hours: int) -> list[tuple[str, dt.date]]:
    """The days of so many hours, by zone."""
    found = [(zone, day, len(locals_)) for zone in ZONES for day, locals_ in by_day(zone).items()]
    return [(zone, day) for zone, day, quarters in found if quarters == hours * HOUR]


SHORT, LONG = changes(23), changes(25)


def on(days: list[tuple[str, dt.date]]) -> pytest.MarkDecorator:
    """A test for each of these days."""
    named = [pytest.param(zone, day, id=f"{zone.partition('/')[2]} {day}") for zone, day in days]
    return pytest.mark.parametrize(("zone", "day"), named)


@pytest.fixture(scope="module")
def app() -> cabc.Iterator[Flask]:
    """The application over all those orders. Not to be written to."""
    app = Flask(__name__)
    app.config.from_mapping(TESTING=True, SQLALCHEMY_DATABASE_URI="sqlite://")
    db.init_app(app)
    janela.init_app(app, db)
    with app.app_context():
        db.create_all()
        rows = [{"placed_at": instant.replace(tzinfo=None)} for instant in instants()]
        db.session.execute(sa.insert(Order), rows)
        db.session.commit()
        yield app
        db.session.remove()
        db.engine.dispose()


def ask(zone: str, first: dt.date, last: dt.date, granularity: str) -> Result:
    """Orders from one day, or moment, to another, both included."""
    return janela.ask(
        "orders",
        "orders",
        by="placed",
        granularity=granularity,
        filters={"placed.gte": first, "placed.lte": last},
        caller=zone,
    )


def offset_of(row_key: object) -> dt.timedelta | None:
    assert isinstance(row_key, dt.datetime)
    return row_key.utcoffset()


@pytest.mark.parametrize("zone", ZONES)
def test_the_clocks_are_changed_twice_a_year(zone: str) -> None:
    """So the tests below have their days."""
    for days in (SHORT, LONG):
        assert [day.year for where, day in days if where == zone] == [2024, 2025, 2026]


@pytest.mark.parametrize("zone", ZONES)
def test_every_day_of_three_years_is_one_row(app: Flask, zone: str) -> None:
    """1,096 rows, the short and the long days among them."""
    result = ask(zone, FIRST, LAST, "day")
    assert [(row.key, row.value) for row in result.rows] == [
        (day, len(locals_)) for day, locals_ in by_day(zone).items()
    ]
    assert len(result.rows) == 1096
    assert result.total == sum(map(len, by_day(zone).values()))


@on(SHORT + LONG)
def test_a_filter_on_the_day_counts_what_its_bucket_counts(
    app: Flask, zone: str, day: dt.date
) -> None:
    """From that day to that day is the bucket of that day, and nothing of its neighbours."""
    expected = len(by_day(zone)[day])
    filtered = ask(zone, day, day, "day")
    assert [(row.key, row.value) for row in filtered.rows] == [(day, expected)]
    assert filtered.total == expected
    around = ask(zone, day - dt.timedelta(days=2), day + dt.timedelta(days=2), "day")
    assert {row.key: row.value for row in around.rows}[day] == expected


@on(LONG)
def test_the_repeated_hour_is_two_rows(app: Flask, zone: str, day: dt.date) -> None:
    """25 rows of an hour each; two show one hour, an hour apart and with different offsets."""
    result = ask(zone, day, day, "hour")
    assert [row.value for row in result.rows] == [HOUR] * 25
    shown = [row.key.replace(tzinfo=None) for row in result.rows]
    assert len(set(shown)) == 24
    twice = next(hour for hour in shown if shown.count(hour) == 2)
    first, second = (row.key for row in result.rows if row.key.replace(tzinfo=None) == twice)
    assert second - first == dt.timedelta(hours=1)
    assert offset_of(first) != offset_of(second)
    local = [local for local in by_day(zone)[day] if local.replace(tzinfo=None, fold=0) == twice]
    assert [offset_of(each) for each in local] == [offset_of(first), offset_of(second)]


@on(SHORT)
def test_the_skipped_hour_is_no_row(app: Flask, zone: str, day: dt.date) -> None:
    """23 rows of an hour each, as the clocks show them."""
    result = ask(zone, day, day, "hour")
    assert [row.value for row in result.rows] == [HOUR] * 23
    hours = dict.fromkeys(local.hour for local in by_day(zone)[day])
    assert [row.key.hour for row in result.rows] == list(hours)


@pytest.mark.parametrize("granularity", ["week", "month", "quarter", "year"])
@pytest.mark.parametrize("zone", ZONES)
def test_longer_intervals_hold_all_of_their_days(app: Flask, zone: str, granularity: str) -> None:
    """Every row counts all quarters of an hour of the days from its key until the next."""
    rows = ask(zone, FIRST, LAST, granularity).rows
    for row in rows:
        assert isinstance(row.key, dt.date)
        assert row.until is not None
        days = (locals_ for day, locals_ in by_day(zone).items() if row.key <= day < row.until)
        assert row.value == sum(map(len, days))
    assert [row.until for row in rows[:-1]] == [row.key for row in rows[1:]]


@pytest.mark.parametrize("day", [dt.date(2025, 4, 6), dt.date(2025, 10, 5)], ids=str)
def test_clocks_that_change_by_half_an_hour_have_a_half_hour(app: Flask, day: dt.date) -> None:
    """On Lord Howe Island one showing of an hour begins, or ends, at half past."""
    zone = "Australia/Lord_Howe"
    shown: dict[tuple[int, dt.timedelta | None], list[dt.datetime]] = {}
    for local in by_day(zone)[day]:
        shown.setdefault((local.hour, local.utcoffset()), []).append(local)
    expected = [(quarters[0].astimezone(UTC), len(quarters)) for quarters in shown.values()]
    assert [number for _, number in expected].count(HOUR // 2) == 1

    rows = ask(zone, day, day, "hour").rows
    assert [(row.key, row.value) for row in rows] == expected
    assert [offset_of(row.key) for row in rows] == [offset for _, offset in shown]
    half = next(row for row in rows if row.value == HOUR // 2)
    assert ask(zone, half.key, half.until - QUARTER, "hour").rows[0].key == half.key
