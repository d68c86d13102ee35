"""Statements over one model, built from ORM attributes only.

So soft-delete criteria, polymorphic identity and binds hold, which ``__table__`` would bypass.
Every statement here is narrowed to its caller when it is made; there is no way to get one that
is not.
"""

from __future__ import annotations

import collections.abc as cabc
import typing as t

import sqlalchemy as sa
from sqlalchemy import orm

from ..vocabulary import BoundDimension
from ..vocabulary.keys import Key
from ..vocabulary.kinds import Kind
from ..vocabulary.paths import Path
from .dialect import KEY, Column, Dialect, bound
from .result import Column as ResultColumn

Condition = sa.ColumnElement[bool]


class Source:
    """The rows of a model that a caller may read, under some conditions, with related columns.

    Each path to a related model is joined once, under an alias of its own, and LEFT, so that a
    row without the related record stays.
    """

    def __init__(self, model: type, narrowed: cabc.Sequence[Condition], dialect: Dialect) -> None:
        self._model = model
        self._dialect = dialect
        self._conditions: list[Condition] = list(narrowed)
        self._joined: dict[tuple[str, ...], t.Any] = {}

    def column(self, dimension: BoundDimension) -> Column:
        """A dimension's column in this source, so that it equals only what is the same."""
        column = self.at(dimension.path)
        return self._dialect.exact(column) if dimension.kind is Kind.TEXT else column

    def at(self, path: Path) -> Column:
        """The column at the end of a path."""
        entity: t.Any = self._model
        for depth in range(1, len(path.relationships) + 1):
            entity = self._join(entity, path.relationships[:depth])
        return t.cast("Column", getattr(entity, path.attribute))

    def _join(self, parent: t.Any, relationships: tuple[str, ...]) -> t.Any:
        if relationships not in self._joined:
            relationship = getattr(parent, relationships[-1])
            alias = orm.aliased(relationship.property.entity.entity)
            self._joined[relationships] = (alias, relationship.of_type(alias))
        return self._joined[relationships][0]

    def free_label(self, label: str = KEY) -> str:
        """A label that no column of these rows has; by itself for the grouping expression."""
        entities = [self._model, *(alias for alias, _ in self._joined.values())]
        taken = {
            column.name
            for entity in entities
            for table in t.cast("t.Any", sa.inspect(entity)).mapper.tables
            for column in table.columns
        }
        while label in taken:
            label += "_"
        return label

    def where(self, *conditions: Condition) -> None:
        """Keep only rows for which these hold as well."""
        self._conditions += conditions

    def select(self, *columns: Column, also: cabc.Sequence[Condition] = ()) -> sa.Select[t.Any]:
        """These columns over the rows; ``also`` holds for this statement alone."""
        statement = sa.select(*columns).select_from(self._model)
        for _, relationship in self._joined.values():
            statement = statement.outerjoin(relationship)
        return statement.where(*self._conditions, *also)

    def extremes(self, column: Column) -> sa.Select[t.Any]:
        """The least and the greatest value of a column over the rows."""
        both = [
            sa.type_coerce(extreme(column), column.type) for extreme in (sa.func.min, sa.func.max)
        ]
        if self._dialect.seeks_one_extreme and not self._conditions and not self._joined:
            return sa.select(*(self.select(each).scalar_subquery() for each in both))
        return self.select(*both)


def grouped(source: Source, key: Column, columns: cabc.Sequence[Column]) -> sa.Select[t.Any]:
    """The columns per value of the key, which comes first."""
    label = source.free_label()
    return source.select(key.label(label), *columns).group_by(sa.literal_column(label))


def beyond(column: Column, dimension: BoundDimension, shown: cabc.Sequence[Key]) -> Condition:
    """Rows whose key is none of those shown; None among them stands for the null group."""
    known = [bound(key, dimension.path.type) for key in shown if key is not None]
    others = column.not_in(known)
    if None in shown:
        return sa.and_(others, column.is_not(None))
    return sa.or_(others, column.is_(None))


def shared(
    column: ResultColumn, source: Source
) -> tuple[list[Column], cabc.Callable[[cabc.Sequence[t.Any]], Key]]:
    """What a dimension as a companion asks for, and the one key all rows of a group share."""
    dimension = t.cast("BoundDimension", column.declared)
    expression = source.column(dimension)
    boolean = dimension.kind is Kind.BOOLEAN
    compared = sa.cast(expression, sa.Integer) if boolean else expression

    def one(values: cabc.Sequence[t.Any]) -> Key:
        smallest, largest, known, rows = values
        if smallest is None or smallest != largest or known != rows:
            return None
        return bool(smallest) if boolean else smallest

    return [
        sa.func.min(compared, type_=compared.type),
        sa.func.max(compared, type_=compared.type),
        sa.func.count(expression),
        sa.func.count(),
    ], one


def all_shared(groups: cabc.Sequence[cabc.Sequence[t.Any]]) -> list[t.Any]:
    """What :func:`shared` asks for over all rows, from what it got over every group of them."""
    keys = [key for least, most, *_ in groups for key in (least, most) if key is not None]
    first = keys[0] if keys else None
    other = next((key for key in keys if key != first), first)
    return [first, other, sum(group[2] for group in groups), sum(group[3] for group in groups)]
