"""The order of an answer's rows, the same in the database and in Python.

The database sorts so that a limit cuts the right members; Python sorts again by the exact
values, which a database's numbers may only come near.
"""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import datetime as dt
import decimal
import enum
import typing as t

import babel
import sqlalchemy as sa

from ..vocabulary import BoundDimension
from ..vocabulary.keys import Key, sort_key, write
from ..vocabulary.kinds import Kind, undecorated
from .dialect import Column, Dialect, bound
from .question import Order
from .result import Row


@dataclasses.dataclass(frozen=True)
class Ordering:
    """An order for the members of one dimension; by value and descending when none is named."""

    order: Order | None
    dimension: BoundDimension
    dialect: Dialect
    locale: babel.Locale

    @property
    def by_value(self) -> bool:
        """Whether rows are sorted by the measure."""
        return self.order not in {"label", "natural"}

    def terms(self, key: Column, value: cabc.Mapping[str, Column]) -> list[Column]:
        """ORDER BY terms, from a group's key and what sorts it by value, by its label."""
        match self.order:
            case "label":
                return _by_label(key, self.dimension, self.dialect, self.locale)
            case "natural":
                return _by_nature(key, self.dimension, self.dialect)
        descending = self.order != "value"
        terms = [
            term
            for label, column in value.items()
            for term in self.dialect.ordered_by_label(label, column, descending=descending)
        ]
        return [*terms, *_by_key(key, self.dimension, self.dialect)]

    def place(self, row: Row) -> tuple[t.Any, ...]:
        """Where a row stands: a sort key."""
        match self.order:
            case "label":
                return label_place(row, self.dimension)
            case "natural":
                places = {key: at for at, key in enumerate(self.dimension.order)}
                return _natural_place(row, places, self.dimension)
        return _value_place(row, 1 if self.order == "value" else -1, self.dimension)


def _by_key(expression: Column, dimension: BoundDimension, dialect: Dialect) -> list[Column]:
    """ORDER BY terms for the keys of a dimension, ascending, the null group last."""
    return dialect.ordered(_comparable(expression, dimension, dialect))


def _by_label(
    expression: Column, dimension: BoundDimension, dialect: Dialect, locale: babel.Locale
) -> list[Column]:
    """ORDER BY terms for what people read."""
    labels = _worded(dimension, locale)
    if labels is None:
        return _by_key(expression, dimension, dialect)
    text = sa.case(
        *((expression == bound(key, dimension.path.type), label) for key, label in labels),
        else_=None if dimension.kind is Kind.ENUM else sa.cast(expression, sa.String),
    )
    ordered = dialect.ordered(dialect.by_code_point(text))
    return [*ordered, *_by_key(expression, dimension, dialect)]


def _by_nature(expression: Column, dimension: BoundDimension, dialect: Dialect) -> list[Column]:
    """ORDER BY terms for the declared order, then the keys."""
    terms = _by_key(expression, dimension, dialect)
    if not dimension.order:
        return terms
    place = sa.case(
        *(
            (expression == bound(key, dimension.path.type), at)
            for at, key in enumerate(dimension.order)
        ),
        (expression.is_(None), len(dimension.order) + 1),
        else_=len(dimension.order),
    )
    return [place, *terms]


def _worded(dimension: BoundDimension, locale: babel.Locale) -> list[tuple[Key, str]] | None:
    """Every key whose label is more than the key itself, with it; None when no key has one."""
    if dimension.kind is Kind.ENUM:
        return [(m, dimension.label_of(m, locale)) for m in _enum_members(dimension)]
    if dimension.kind is Kind.BOOLEAN:
        return [(key, dimension.label_of(key, locale)) for key in (False, True)]
    if dimension.kind is Kind.TEXT:
        return list({"": dimension.label_of("", locale), **dimension.labels}.items())
    return list(dimension.labels.items()) or None


def _enum_members(dimension: BoundDimension) -> list[t.Any]:
    """The members of an enum dimension in the order they are declared."""
    plain = t.cast("sa.Enum", undecorated(dimension.path.type))
    if plain.enum_class is None:
        return list(plain.enums)
    return list(plain.enum_class.__members__.values())


def _comparable(expression: Column, dimension: BoundDimension, dialect: Dialect) -> Column:
    if dimension.kind is Kind.TEXT:
        return dialect.by_code_point(expression)
    if dimension.kind is Kind.ENUM:
        return sa.case(
            *(
                (expression == bound(member, dimension.path.type), at)
                for at, member in enumerate(_enum_members(dimension))
            ),
        )
    return expression


def key_place(key: Key, dimension: BoundDimension) -> tuple[t.Any, ...]:
    """Where a key stands among the keys: enum members as declared, the null group last."""
    if dimension.kind is Kind.ENUM and key is not None:
        return (0, _enum_members(dimension).index(key))
    return sort_key(key)


def _value_place(row: Row, sign: int, dimension: BoundDimension) -> tuple[t.Any, ...]:
    """Where a row stands by value: nulls last, ties by key."""
    value: t.Any = row.value
    if value is None:
        return (1, 0, *key_place(row.key, dimension))
    if isinstance(value, dt.date):
        value = decimal.Decimal(_ordinal(value))
    return (0, sign * value, *key_place(row.key, dimension))


def _ordinal(value: dt.date) -> int:
    if isinstance(value, dt.datetime):
        return (value - dt.datetime(1, 1, 1, tzinfo=dt.UTC)) // dt.timedelta(microseconds=1)
    return value.toordinal()


def label_place(row: Row, dimension: BoundDimension) -> tuple[t.Any, ...]:
    """Where a row stands by what people read: texts by code point, numbers and dates by size.

    A key without a label of its own stands among labels as the database writes it.
    """
    worded = bool(dimension.labels) or dimension.kind in {Kind.ENUM, Kind.BOOLEAN, Kind.TEXT}
    written = row.label if isinstance(row.key, str | bool | enum.Enum) else None
    text = dimension.labels.get(row.key) or written or write(row.key)
    return (row.key is None, text if worded else "", *key_place(row.key, dimension))


def _natural_place(
    row: Row, places: cabc.Mapping[Key, int], dimension: BoundDimension
) -> tuple[t.Any, ...]:
    """Where a row stands by its dimension's declared order, then by key; the null group last."""
    if row.key is None:
        return (2, 0, *key_place(row.key, dimension))
    place = places.get(row.key)
    return (
        (1, 0, *key_place(row.key, dimension))
        if place is None
        else (0, place, *key_place(row.key, dimension))
    )
