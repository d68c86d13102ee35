"""Instants around every change of the clocks of 2024 to 2027, in twelve zones.

Each is kept four ways: as naive UTC, as what the zone's clocks showed, as an aware time and as a
date. Whatever it is split by, the counts must be those of a loop that walks the calendar.
"""

from __future__ import annotations

import collections
import collections.abc as cabc
import contextlib
import datetime as dt
import functools
import itertools
import typing as t
import zoneinfo

import sqlalchemy as sa
from databases import IN_MEMORY, MOMENT, ZONED, model_class, settings
from flask import Flask
from flask_sqlalchemy import SQLAlchemy
from property.clock import Calendar
from sqlalchemy import orm

from flask_janela import Count, Janela, Result, TimeDimension, Vocabulary

ZONES = (
    *("America/New_York", "America/Los_Angeles", "America/Santiago", "America/Sao_Paulo"),
    *("Europe/London", "Europe/Madrid", "Africa/Cairo", "Asia/Tehran"),
    *("Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Chatham", "Pacific/Apia"),
)
FIRST, LAST = dt.datetime(2024, 1, 1, tzinfo=dt.UTC), dt.datetime(2028, 1, 1, tzinfo=dt.UTC)
DAY, HOUR, MINUTE = dt.timedelta(days=1), dt.timedelta(hours=1), dt.timedelta(minutes=1)
TICK = dt.timedelta(microseconds=1)
AROUND = (-25 * HOUR, -2 * HOUR, -HOUR, -30 * MINUTE, -MINUTE, -TICK)
LONGER = ("day", "week", "month", "quarter", "year")

db = SQLAlchemy(model_class=model_class())
janela = Janela()


class Moment(db.Model):
    __tablename__ = "moments"
    __bind_key__ = "facts"

    id: orm.Mapped[int] = orm.mapped_column(primary_key=True, autoincrement=False)
    zone: orm.Mapped[str]
    utc_at: orm.Mapped[dt.datetime] = orm.mapped_column(MOMENT)
    local_at: orm.Mapped[dt.datetime] = orm.mapped_column(MOMENT)
    aware_at: orm.Mapped[dt.datetime] = orm.mapped_column(ZONED)
    on_day: orm.Mapped[dt.date]

    __mapper_args__ = {"polymorphic_on": "zone", "polymorphic_identity": ""}


def public(zone: str) -> str:
    return zone.partition("/")[2].lower()


def declare(zone: str) -> type:
    """The moments of one zone, whose clocks their local times were read from."""

    class Words(Vocabulary, name=public(zone)):
        moments = Count()
        utc = TimeDimension("utc_at")
        local = TimeDimension("local_at", stored=zone)
        aware = TimeDimension("aware_at")
        date = TimeDimension("on_day")

    own = {"__mapper_args__": {"polymorphic_identity": zone}, "Janela": Words}
    return type(public(zone).title(), (Moment,), own)


for each in ZONES:
    declare(each)


@janela.scope
def scope(model: type[Moment], caller: str) -> sa.Select[tuple[Moment]]:
    return sa.select(model)


@janela.timezone
def timezone(caller: str) -> str:
    """The caller of these tests is the zone they read in."""
    return caller


@functools.cache
def changes(zone: str) -> list[dt.datetime]:
    """The instants at which a zone's clocks are changed, found by walking hours and minutes."""
    at = zoneinfo.ZoneInfo(zone)
    found, hour = [], FIRST
    while hour < LAST:
        if hour.astimezone(at).utcoffset() != (hour + HOUR).astimezone(at).utcoffset():
            minutes = (hour + MINUTE * n for n in range(1, 61))
            before = hour.astimezone(at).utcoffset()
            found.append(next(m for m in minutes if m.astimezone(at).utcoffset() != before))
        hour += HOUR
    return found


@functools.cache
def instants(zone: str) -> list[dt.datetime]:
    """Around each change of the clocks, and around the turn of each month."""
    turns = [
        dt.datetime(year, month, 1, tzinfo=zoneinfo.ZoneInfo(zone)).astimezone(dt.UTC)
        for year in range(2024, 2028)
        for month in range(1, 13)
    ]
    steps = [*AROUND, *(-step for step in AROUND), dt.timedelta()]
    found = [change + step for change in changes(zone) for step in steps]
    found += [turn + step for turn in turns for step in (-TICK, dt.timedelta(), MINUTE)]
    return sorted(found)


def kept(zone: str) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for instant in instants(zone):
        local = instant.astimezone(zoneinfo.ZoneInfo(zone)).replace(tzinfo=None)
        naive = instant.replace(tzinfo=None)
        rows.append(
            {
                "zone": zone,
                "utc_at": naive,
                "local_at": local,
                "aware_at": instant,
                "on_day": local.date(),
            }
        )
    return rows


Load = cabc.Callable[[sa.Engine, sa.Table, list[dict[str, object]]], None]
"""Makes a table in an engine's database, with rows."""


def plainly(engine: sa.Engine, table: sa.Table, rows: list[dict[str, object]]) -> None:
    """As every database of one machine makes it."""
    with engine.begin() as connection:
        table.create(connection)
        connection.execute(sa.insert(table), rows)


@contextlib.contextmanager
def applications(bound: dict[str, object], load: Load = plainly) -> cabc.Iterator[dict[str, Flask]]:
    """Two over the same moments of a bind, by the first day of their weeks."""
    made = {}
    for day in ("monday", "sunday"):
        app = made[day] = Flask(__name__)
        app.config.from_mapping(
            TESTING=True,
            JANELA_WEEK_START=day,
            JANELA_STATEMENT_SECONDS=120,
            SQLALCHEMY_BINDS={"facts": bound},
            **settings(IN_MEMORY["sqlite"]),
        )
        db.init_app(app)
        janela.init_app(app, db)
    every = itertools.chain.from_iterable(map(kept, ZONES))
    rows: list[dict[str, object]] = [{"id": at, **row} for at, row in enumerate(every)]
    with made["monday"].app_context():
        load(db.engines["facts"], t.cast("sa.Table", Moment.__table__), rows)
    if bound["url"] in IN_MEMORY.values():
        with made["sunday"].app_context():
            load(db.engines["facts"], t.cast("sa.Table", Moment.__table__), rows)
    yield made
    for app in made.values():
        with app.app_context():
            db.session.remove()
            db.engines["facts"].dispose()


def read_as(column: str, zone: str) -> list[dt.date]:
    """What a column holds of each instant: of a time shown twice, its first showing."""
    at = zoneinfo.ZoneInfo(zone)
    if column == "date":
        return [instant.astimezone(at).date() for instant in instants(zone)]
    if column == "local":
        shown = (instant.astimezone(at).replace(tzinfo=None) for instant in instants(zone))
        return [wall.replace(tzinfo=at, fold=0).astimezone(dt.UTC) for wall in shown]
    return list(instants(zone))


def ask(app: Flask, zone: str, column: str, granularity: str, **filters: object) -> Result:
    with app.app_context():
        return janela.ask(
            public(zone),
            "moments",
            by=column,
            granularity=granularity,
            filters={f"{column}.{operator}": value for operator, value in filters.items()},
            caller=zone,
        )


def counted(result: Result) -> dict[object, object]:
    """The rows that count anything, all of them in order and none of them twice."""
    keys = [row.key for row in result.rows]
    assert keys == sorted(set(keys))
    return {row.key: row.value for row in result.rows if row.value}


def check_intervals(apps: dict[str, Flask], zone: str, column: str) -> None:
    """By day, week, month, quarter and year, with weeks that start on Monday and on Sunday."""
    points = read_as(column, zone)
    for week_start, granularity in [*(("monday", each) for each in LONGER), ("sunday", "week")]:
        calendar = Calendar(zoneinfo.ZoneInfo(zone), week_start, LAST)
        expected = collections.Counter(calendar.bucket(point, granularity) for point in points)
        result = ask(apps[week_start], zone, column, granularity)
        assert counted(result) == expected, (week_start, granularity)
        assert result.total == len(points)


def check_hours(apps: dict[str, Flask], zone: str, column: str, most: int | None = None) -> None:
    """The days on both sides of each change; where clocks are never changed, of a new year."""
    calendar = Calendar(zoneinfo.ZoneInfo(zone), "monday", LAST)
    points = read_as(column, zone)
    for change in (changes(zone) or [dt.datetime(2025, 1, 1, tzinfo=dt.UTC)])[:most]:
        day = change.astimezone(calendar.zone).date()
        days = (day - DAY, day, day + DAY)
        hours = (calendar.bucket(point, "hour") for point in points if calendar.day(point) in days)
        expected = collections.Counter(hours)
        assert expected
        found = ask(apps["monday"], zone, column, "hour", gte=days[0], lte=days[-1])
        assert counted(found) == expected, change
