"""A larger table for a database that is only read: a spring in which clocks change."""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import datetime as dt
import json
import random
import typing as t
from pathlib import Path

import sqlalchemy as sa

from . import tables
from .models import Fact
from .world import World

UTC = dt.UTC
CHANGES = tuple(
    dt.datetime(2024, *each, tzinfo=UTC)
    for each in ((3, 10, 7), (3, 31, 1), (4, 6, 15), (4, 7, 4), (4, 25, 22))
)
"""When clocks changed in New York, Madrid, on Lord Howe Island, in Santiago and in Cairo."""

FAR = (
    dt.datetime(1969, 7, 20, 20, 17, 40, 1),
    dt.datetime(1901, 12, 13, 20, 45, 51),
    dt.datetime(2038, 1, 19, 3, 14, 8),
    dt.datetime(2062, 2, 28, 23, 59, 59, 999_999),
)

TEXTS = ("${spark.app.name}", "${env:HOME}", "'; --", "\\", "\\'", "%s %(a)s", "\n", "\u2028")
"""What somebody could write who wants a text to be more than one."""

ROWS = 400


def spring() -> World:
    """Orders near those changes, and a few long before and after."""
    chance = random.Random(20_240_310)

    def drawn() -> t.Any:
        number = chance.randrange(2**24)
        return tables._Drawn(number, chance.choice(CHANGES), tables.NEAR)

    orders = [tables.order(id_, drawn()) for id_ in range(1, ROWS + 1)]
    for at, moment in enumerate(FAR):
        orders[at] = dataclasses.replace(
            orders[at], placed_at=moment, shipped_on=moment.date(), deleted_at=None
        )
    for at, text in enumerate(TEXTS, len(FAR)):
        orders[at] = dataclasses.replace(orders[at], note=text, deleted_at=None)
    return World(
        countries=tuple(tables.country(id_, drawn()) for id_ in range(1, 9)),
        customers=tuple(tables.customer(id_, drawn()) for id_ in range(1, 9)),
        orders=tuple(orders),
        lines=tuple(tables.line(id_, drawn()) for id_ in range(1, 30)),
        stock=tuple(tables.stock(place, drawn()) for place in tables.PLACES),
        moves=tuple(tables.move(id_, drawn()) for id_ in range(1, 20)),
    )


def load(world: World, engine: sa.Engine, folder: Path) -> None:
    """Make the tables of a world in Spark."""
    named = dataclasses.asdict(world)
    for table in Fact.metadata.sorted_tables:
        make(engine, table, named[table.name], folder)


def make(
    engine: sa.Engine, table: sa.Table, rows: cabc.Iterable[dict[str, t.Any]], folder: Path
) -> None:
    """Make one table in Spark, of several files."""
    path = folder / f"{table.name}.json"
    with path.open("w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps(_written(row, table, engine.dialect)) + "\n")
    texts = ", ".join(f"`{column.name}` STRING" for column in table.columns)
    typed = ", ".join(
        f"CAST(`{column.name}` AS {_type(column.type)}) AS `{column.name}`"
        for column in table.columns
    )
    with engine.connect() as connection:
        for command in (
            f"CREATE TEMPORARY VIEW raw ({texts}) USING json OPTIONS (path '{path}')",
            f"CREATE TABLE `{table.name}` USING parquet AS "
            f"SELECT /*+ REPARTITION(4) */ {typed} FROM raw",
            "DROP VIEW raw",
        ):
            connection.exec_driver_sql(command)


def _written(row: dict[str, t.Any], table: sa.Table, dialect: sa.Dialect) -> dict[str, t.Any]:
    """A row as texts, its values as SQLAlchemy hands them to a driver."""
    found = {}
    for column in table.columns:
        processor = column.type.dialect_impl(dialect).bind_processor(dialect)
        value = row[column.name]
        value = processor(value) if processor else value
        if isinstance(value, dt.datetime):
            value = value.isoformat(" ")
        found[column.name] = None if value is None else str(value)
    return found


def _type(type_: sa.types.TypeEngine[t.Any]) -> str:
    plain: t.Any = type_.impl if isinstance(type_, sa.TypeDecorator) else type_
    match plain:
        case sa.DateTime():
            return "TIMESTAMP" if plain.timezone else "TIMESTAMP_NTZ"
        case sa.Float():
            return "DOUBLE"
        case sa.Numeric():
            return f"DECIMAL({plain.precision}, {plain.scale})"
    names = {sa.Date: "DATE", sa.Boolean: "BOOLEAN", sa.BigInteger: "BIGINT", sa.Integer: "INT"}
    return next((name for kind, name in names.items() if isinstance(plain, kind)), "STRING")
