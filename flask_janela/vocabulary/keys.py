"""The members of a dimension: from what was written to a typed key, and to what people read."""

from __future__ import annotations

import collections.abc as cabc
import datetime as dt
import decimal
import enum
import typing as t
import uuid

import babel
import babel.dates
import sqlalchemy as sa

from ..errors import BadRequest, listed, quoted
from ..words import say
from .formats import in_words, write_plain
from .kinds import Kind, undecorated

Key = t.Any
"""A dimension's value as Python has it: str, int, bool, Decimal, date, enum member or None."""

NONE_LABEL = say("(none)")
EMPTY_LABEL = say("(empty)")
OTHER_LABEL = say("Other")
_YES, _NO = say("Yes"), say("No")

_TRUE = {"true", "1"}
_FALSE = {"false", "0"}


def parse(value: object, kind: Kind, type_: sa.types.TypeEngine[t.Any], name: str) -> Key:
    """One given value as a key of that kind; :class:`BadRequest` says what would be one."""
    try:
        return _PARSERS[kind](value, type_)
    except (ValueError, ArithmeticError, TypeError, AttributeError, LookupError):
        allowed = _ALLOWED[kind]
        if kind is Kind.ENUM:
            allowed = say("one of {allowed}", allowed=listed(_enum_names(type_)))
        raise BadRequest(
            say("{name} is {given}: use {use}.", name=name, given=quoted(value), use=allowed)
        ) from None


def write(key: Key) -> str:
    """A key as it stands in a URL; :func:`parse` reads it back."""
    return key.name if isinstance(key, enum.Enum) else write_plain(key)


def label(key: Key, labels: cabc.Mapping[Key, str], locale: babel.Locale) -> str:
    """What people read for a key."""
    if key is None:
        return NONE_LABEL
    if (declared := _lookup(labels, key)) is not None:
        return declared
    if key == "":
        return EMPTY_LABEL
    if isinstance(key, enum.Enum):
        return in_words(key.name.lower())
    if isinstance(key, bool):
        return _YES if key else _NO
    if isinstance(key, dt.date) and not isinstance(key, dt.datetime):
        return babel.dates.format_date(key, "medium", locale=locale)
    return write_plain(key)


def _lookup(labels: cabc.Mapping[Key, str], key: Key) -> str | None:
    try:
        return labels.get(key)
    except TypeError:
        return None


def sort_key(key: Key) -> tuple[int, t.Any]:
    """Keys in ascending order, the null group last."""
    if key is None:
        return (1, 0)
    if isinstance(key, uuid.UUID):
        return (0, str(key))
    return (0, key)


def _text(value: object, type_: sa.types.TypeEngine[t.Any]) -> str:
    if not isinstance(value, str):
        raise TypeError
    value.encode()  # a lone surrogate cannot be asked of any database
    if "\0" in value:
        raise ValueError
    return value


def _integer(value: object, type_: sa.types.TypeEngine[t.Any]) -> int:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise TypeError
    number = int(value) if isinstance(value, int) else _ascii_integer(value)
    if not -(2**63) <= number < 2**63:
        raise ValueError
    return number


def _ascii_integer(text: str) -> int:
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 19):
        raise ValueError
    return int(text)


def _decimal(value: object, type_: sa.types.TypeEngine[t.Any]) -> decimal.Decimal:
    if isinstance(value, bool) or not isinstance(value, int | float | str | decimal.Decimal):
        raise TypeError
    text = str(value)
    if len(text) > 60 or "_" in text:
        raise ValueError
    number = decimal.Decimal(text)
    if not number.is_finite() or abs(number.adjusted()) > 50:
        raise ValueError
    return number


def _float(value: object, type_: sa.types.TypeEngine[t.Any]) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str | decimal.Decimal):
        raise TypeError
    number = float(value)
    if number != number or "_" in str(value):
        raise ValueError
    return number


def _boolean(value: object, type_: sa.types.TypeEngine[t.Any]) -> bool:
    if isinstance(value, bool):
        return value
    text = str(value).lower()
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    raise ValueError


def _date(value: object, type_: sa.types.TypeEngine[t.Any]) -> dt.date:
    if isinstance(value, dt.date) and not isinstance(value, dt.datetime):
        return value
    if not isinstance(value, str) or len(value) != 10:
        raise TypeError
    return dt.date.fromisoformat(value)


def _uuid(value: object, type_: sa.types.TypeEngine[t.Any]) -> Key:
    found = value if isinstance(value, uuid.UUID) else uuid.UUID(str(value))
    plain = undecorated(type_)
    return found if not isinstance(plain, sa.Uuid) or plain.as_uuid else str(found)


def _enum(value: object, type_: sa.types.TypeEngine[t.Any]) -> Key:
    plain = t.cast("sa.Enum", undecorated(type_))
    if plain.enum_class is None:
        if value not in plain.enums:
            raise ValueError
        return value
    members: cabc.Mapping[str, enum.Enum] = plain.enum_class.__members__
    if isinstance(value, enum.Enum):
        return members[value.name]
    if isinstance(value, str) and value in members:
        return members[value]
    by_value = {str(member.value): member for member in members.values()}
    return by_value[str(value)]


def _enum_names(type_: sa.types.TypeEngine[t.Any]) -> cabc.Iterable[str]:
    plain = t.cast("sa.Enum", undecorated(type_))
    return plain.enum_class.__members__ if plain.enum_class is not None else plain.enums


def _other(value: object, type_: sa.types.TypeEngine[t.Any]) -> Key:
    raise TypeError


_PARSERS: dict[Kind, cabc.Callable[[object, sa.types.TypeEngine[t.Any]], Key]] = {
    Kind.TEXT: _text,
    Kind.INTEGER: _integer,
    Kind.DECIMAL: _decimal,
    Kind.FLOAT: _float,
    Kind.BOOLEAN: _boolean,
    Kind.DATE: _date,
    Kind.UUID: _uuid,
    Kind.ENUM: _enum,
    Kind.DATETIME: _other,
    Kind.OTHER: _other,
}

_ALLOWED: dict[Kind, str] = {
    Kind.TEXT: say("a text"),
    Kind.INTEGER: say("a whole number"),
    Kind.DECIMAL: say("a number"),
    Kind.FLOAT: say("a number"),
    Kind.BOOLEAN: say("true or false"),
    Kind.DATE: say("a date such as 2013-07-04"),
    Kind.UUID: say("a UUID"),
    Kind.ENUM: say("one of its values"),
    Kind.DATETIME: say("a time"),
    Kind.OTHER: say("another dimension"),
}
