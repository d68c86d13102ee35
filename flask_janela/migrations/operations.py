"""What revisions do: Alembic's operations, but for what is there already.

Tables may be older than any record of them, made by ``db.create_all()`` or ``flask janela init``;
and where a database does not take back what an interrupted upgrade did, as MySQL, running it once
more has to complete it. With ``--sql`` there is no database to look at: everything is written.
"""

from __future__ import annotations

import collections.abc as cabc
import typing as t

import sqlalchemy as sa
from alembic import op
from alembic.operations.ops import CreateIndexOp

from flask_janela.errors import JanelaError


def create_table(name: str, *columns: sa.schema.SchemaItem, **options: t.Any) -> None:
    """Make a table, unless it is there."""
    database = _database()
    if database is None or not database.has_table(name):
        op.create_table(name, *columns, **options)


def drop_table(name: str) -> None:
    """Drop a table with all its rows, unless it is gone."""
    database = _database()
    if database is None or database.has_table(name):
        op.drop_table(name)


def create_index(name: str | None, table: str, columns: cabc.Sequence[str]) -> None:
    """Make an index, unless one of its name is there.

    Args:
        name: None for the one that the host's naming convention gives it, as with ``index=True``.
    """
    database = _database()
    given = CreateIndexOp(name, table, columns).to_index(op.get_context()).name
    if database is None or given not in {each["name"] for each in database.get_indexes(table)}:
        op.create_index(name, table, columns)


def add_column(table: str, column: sa.Column[t.Any]) -> None:
    """Add a column to a table that may have rows, unless it is there."""
    if column.name not in _columns(table, unknown=()):
        op.add_column(table, column)


def drop_column(table: str, column: str) -> None:
    """Drop a column, unless it is gone."""
    if column in _columns(table, unknown=(column,)):
        op.drop_column(table, column)


def _columns(table: str, *, unknown: cabc.Collection[str]) -> cabc.Collection[str]:
    database = _database()
    if database is None:
        return unknown
    if not database.has_table(table):
        raise JanelaError(
            f"The table {table} is gone, though the revision that makes it has run. Make it anew "
            "with flask janela init, then upgrade again."
        )
    return {each["name"] for each in database.get_columns(table)}


def _database() -> sa.Inspector | None:
    """What is there now; None where statements are only written."""
    return None if op.get_context().as_sql else sa.inspect(op.get_bind())
