"""Running Janela's revisions on an engine, and what a database then has, told in two ways."""

from __future__ import annotations

import collections.abc as cabc
import contextlib
import dataclasses
import typing as t
from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from databases import empty_database
from sqlalchemy.pool import NullPool

from flask_janela.frames import Base
from flask_janela.migrations import VERSION_TABLE, running

FIRST = "janela_0001"
TABLES = [table.name for table in Base.metadata.sorted_tables]


@contextlib.contextmanager
def empty(folder: Path) -> cabc.Iterator[sa.Engine]:
    """An engine over a database without a table."""
    with empty_database(folder) as url:
        engine = sa.create_engine(url, poolclass=NullPool)
        yield engine
        engine.dispose()


def go(engine: sa.Engine, where: str, revision: str) -> None:
    """``upgrade`` or ``downgrade`` to a revision, with the record of ``flask janela upgrade``."""
    config = running.own_config()
    with engine.begin() as connection:
        config.attributes.update(connection=connection, metadata=Base.metadata)
        getattr(command, where)(config, revision)


def differences(engine: sa.Engine, metadata: sa.MetaData = Base.metadata) -> list[t.Any]:
    """What Alembic's autogenerate finds between a database and the models, with all it compares."""
    options = {
        "compare_type": True,
        "compare_server_default": True,
        "version_table": VERSION_TABLE,
        "target_metadata": metadata,
    }
    with engine.connect() as connection:
        return compare_metadata(MigrationContext.configure(connection, opts=options), metadata)


@dataclasses.dataclass(frozen=True)
class Made:
    """One table as a database has it, columns in any order.

    It is more than autogenerate compares: collations, fractions of seconds, deletion of what hangs
    on a row, and whether SQLite's table is kept by its key.
    """

    columns: dict[str, tuple[str, bool, t.Any]]
    key: list[str]
    unique: list[t.Any]
    indexes: list[t.Any]
    foreign: list[t.Any]
    options: dict[t.Any, t.Any]


def made(engine: sa.Engine) -> dict[str, Made]:
    """Every table of Janela's that is there."""
    with engine.connect() as connection:
        seen = sa.inspect(connection)
        there = [name for name in TABLES if seen.has_table(name)]
        return {name: _made(seen, name, _options(connection, name)) for name in there}


def _options(connection: sa.Connection, name: str) -> dict[t.Any, t.Any]:
    if connection.dialect.name == "sqlite":
        written = sa.text("SELECT sql FROM sqlite_master WHERE name = :name")
        sql = connection.execute(written, {"name": name}).scalar_one()
        return {"without rowid": "WITHOUT ROWID" in sql}
    if connection.dialect.name == "postgresql":
        return {}
    return dict(sa.inspect(connection).get_table_options(name))


def _made(seen: sa.Inspector, name: str, options: dict[t.Any, t.Any]) -> Made:
    return Made(
        {c["name"]: (repr(c["type"]), c["nullable"], c["default"]) for c in seen.get_columns(name)},
        seen.get_pk_constraint(name)["constrained_columns"],
        _sorted(seen.get_unique_constraints(name)),
        _sorted(seen.get_indexes(name)),
        _sorted(seen.get_foreign_keys(name)),
        options,
    )


def _sorted(told: t.Any) -> list[t.Any]:
    return sorted((sorted(each.items()) for each in told), key=repr)
