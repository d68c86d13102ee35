"""What sort of value a column holds, as far as grouping, filtering and formatting care."""

from __future__ import annotations

import enum
import typing as t

import sqlalchemy as sa
from sqlalchemy.types import TypeEngine


class Kind(enum.Enum):
    """The sorts of value that Janela can group, filter or add up."""

    TEXT = "text"
    ENUM = "enum"
    BOOLEAN = "boolean"
    INTEGER = "integer"
    DECIMAL = "decimal"
    FLOAT = "float"
    UUID = "uuid"
    DATE = "date"
    DATETIME = "datetime"
    OTHER = "other"

    @property
    def is_number(self) -> bool:
        return self in {Kind.INTEGER, Kind.DECIMAL, Kind.FLOAT}

    @property
    def is_time(self) -> bool:
        return self in {Kind.DATE, Kind.DATETIME}


def undecorated(type_: TypeEngine[t.Any]) -> TypeEngine[t.Any]:
    """The type below any ``TypeDecorator``."""
    while isinstance(type_, sa.TypeDecorator):
        type_ = type_.impl_instance
    return type_


def kind_of(type_: TypeEngine[t.Any]) -> Kind:
    """The kind of a column type; ``OTHER`` for what cannot be compared as one value."""
    if isinstance(type_, sa.Interval):
        return Kind.OTHER  # Where a database has none it decorates a time, and is not one.
    plain = undecorated(type_)
    if isinstance(plain, sa.Enum):
        return Kind.ENUM
    if isinstance(plain, sa.Boolean):
        return Kind.BOOLEAN
    if isinstance(plain, sa.Integer):
        return Kind.INTEGER
    if isinstance(plain, sa.Float):
        return Kind.DECIMAL if plain.asdecimal else Kind.FLOAT
    if isinstance(plain, sa.Numeric):
        return Kind.DECIMAL if plain.asdecimal else Kind.FLOAT
    if isinstance(plain, sa.String):
        return Kind.TEXT
    if isinstance(plain, sa.Uuid):
        return Kind.UUID
    if isinstance(plain, sa.DateTime):
        return Kind.DATETIME
    if isinstance(plain, sa.Date):
        return Kind.DATE
    return Kind.OTHER
