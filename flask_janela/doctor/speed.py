"""Dimensions that a filter cannot find quickly in a large table."""

from __future__ import annotations

import collections.abc as cabc
import typing as t

import sqlalchemy as sa
from sqlalchemy import orm

from ..errors import listed
from ..vocabulary import BoundDimension, BoundModel
from ..vocabulary.kinds import Kind
from .case import COLUMNAR, Case, home_of
from .finding import Finding
from .tables import has_migrations, index_over, migration

LARGE = 100_000
"""Rows from which on reading all of a table is felt."""


def slow_filters(case: Case) -> cabc.Iterator[Finding]:
    """Columns of large tables that dimensions filter by, and no index begins with."""
    for bound in case.models:
        engine = next(
            (p.engine for p in case.places if home_of(bound) in p.tables and not p.fault), None
        )
        if engine is None or engine.dialect.name in COLUMNAR or not case.there(bound.model):
            continue
        with engine.connect() as connection:
            if not _is_large(connection, home_of(bound)):
                continue
            leading = _leading(connection, home_of(bound))
        for column, dimensions in _filtered(bound).items():
            if column.name not in leading:
                yield _finding(case, bound, column, dimensions, engine.dialect)


def _is_large(connection: sa.Connection, table: sa.Table) -> bool:
    # Counted no further than it matters.
    some = sa.select(sa.literal(1)).select_from(table).limit(LARGE + 1).subquery()
    return (connection.scalar(sa.select(sa.func.count()).select_from(some)) or 0) > LARGE


def _leading(connection: sa.Connection, table: sa.Table) -> set[str]:
    """The columns that a key or an index over all rows begins with."""
    inspector = sa.inspect(connection)
    found: list[cabc.Sequence[str | None]] = [
        inspector.get_pk_constraint(table.name, table.schema)["constrained_columns"],
        *(
            each["column_names"]
            for each in inspector.get_unique_constraints(table.name, table.schema)
        ),
    ]
    for index in inspector.get_indexes(table.name, table.schema):
        options = index.get("dialect_options", {})
        if not any(
            name.endswith("_where") and value is not None for name, value in options.items()
        ):
            found.append(index["column_names"])
    return {columns[0] for columns in found if columns and columns[0] is not None}


def _filtered(bound: BoundModel) -> dict[sa.Column[t.Any], list[BoundDimension]]:
    """Own columns that filters narrow by, with the dimensions that do.

    Of a path it is the column that leads to the related row. What is computed is left out: which
    index would serve it only the host can know; and so is what is true or false, for which none
    is worth reading.
    """
    mapper: orm.Mapper[t.Any] = t.cast("orm.Mapper[t.Any]", sa.inspect(bound.model))
    found: dict[sa.Column[t.Any], list[BoundDimension]] = {}
    for dimension in bound.dimensions.values():
        if dimension.path.relationships:
            relationship = mapper.relationships[dimension.path.relationships[0]]
            columns: list[t.Any] = [local for local, _ in relationship.local_remote_pairs or ()]
        elif dimension.path.attribute in mapper.column_attrs and dimension.kind is not Kind.BOOLEAN:
            columns = list(mapper.column_attrs[dimension.path.attribute].columns)[:1]
        else:
            continue
        for column in columns[:1]:
            if isinstance(column, sa.Column) and column.table is mapper.local_table:
                found.setdefault(column, []).append(dimension)
    return found


def _finding(
    case: Case,
    bound: BoundModel,
    column: sa.Column[t.Any],
    dimensions: list[BoundDimension],
    dialect: sa.Dialect,
) -> Finding:
    table = column.table
    named = listed(each.name for each in dimensions)
    attribute = f"index=True on {bound.model.__name__}.{column.key}"
    statement = index_over(table, column, dialect)
    return Finding(
        "slow-filters",
        "warning",
        f"A filter on {named} of {bound.name} reads all of {table.name}, which has more than "
        f"{LARGE:,} rows: no index begins with {column.name}.",
        f"{attribute}, then {migration('indexes')}"
        if has_migrations(case)
        else f"{statement}\nAnd {attribute}, for tables that are made anew.",
    )
