"""A value of the wrong JSON type as the declared one, where only that can have been meant.

``"50"`` is 50 for a whole number and a text for a text. What would be guessed stays refused: a
truth value is no number, a number is no date, and what does not fit in 64 bits is no key.
"""

from __future__ import annotations

import collections.abc as cabc
import datetime as dt
import decimal
import math
import re
import typing as t

from ..query.allowed import SEVERAL, of_one_type
from . import written

FILTERS = dict[str, list[str]]
"""The type of filters: of a repeated key all values count."""

_TIMES = (dt.date, dt.datetime, dt.time)
_WHOLE = re.compile(r"-?[0-9]{1,19}")
_NUMBER = re.compile(r"-?[0-9]{1,400}(\.[0-9]{1,400})?([eE][+-]?[0-9]{1,4})?")


class Unfit:
    """A value that its declared type does not take, to be refused as it was given."""

    def __init__(self, given: t.Any) -> None:
        self.given = given

    def __str__(self) -> str:
        return str(self.given).lower() if isinstance(self.given, bool) else str(self.given)


def coerced(value: t.Any, annotation: t.Any, name: str) -> t.Any:
    """A value as what it is declared as; one that no reading fits stays what it is, or is Unfit.

    Raises:
        BadRequest: for a JSON text within which something cannot be.
    """
    if value is None or value == "":
        return value
    kind = of_one_type(annotation)
    origin = t.get_origin(kind) or kind
    if origin in SEVERAL or origin is dict:
        return _collection(value, kind, origin, name)
    if isinstance(value, cabc.Mapping | list):
        return value
    if origin is str:
        return _text(value)
    if origin is int:
        return _whole(value)
    if origin is float or origin is decimal.Decimal:
        return _number(value, origin)
    if origin in _TIMES:
        return value if isinstance(value, str) and not _NUMBER.fullmatch(value) else Unfit(value)
    return value


def _collection(value: t.Any, kind: t.Any, origin: t.Any, name: str) -> t.Any:
    """A list or an object, its JSON text, or the one value of a list; each of them as declared."""
    wanted = dict if origin is dict else list
    if isinstance(value, str):
        try:
            read = written.from_text(value)
        except ValueError:
            read = value
        if isinstance(read, wanted):
            if kind == FILTERS and isinstance(read, written.Repeated):
                read = written.collected(read)
            value = written.plain(read, name)
    inner = t.get_args(kind)
    if wanted is dict:
        if not isinstance(value, dict):
            return value
        if kind == FILTERS:
            value = {k: v if isinstance(v, list) else [v] for k, v in value.items()}
        within = inner[1] if len(inner) == 2 else None
        return {key: coerced(each, within, name) for key, each in value.items()}
    if isinstance(value, str | int | float):
        value = [value]
    if not isinstance(value, list):
        return value
    if origin is tuple and Ellipsis not in inner:
        pairs = zip(value, inner, strict=True) if len(inner) == len(value) else ()
        return [coerced(each, arm, name) for each, arm in pairs] or value
    return [coerced(each, inner[0] if inner else None, name) for each in value]


def _text(value: t.Any) -> t.Any:
    """A number or truth value as the text it is written as."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float) else value


def _whole(value: t.Any) -> t.Any:
    text = isinstance(value, str) and _WHOLE.fullmatch(value)
    if text or (isinstance(value, float) and value.is_integer()):
        value = int(value)
    fits = isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**63
    return value if fits else Unfit(value)


def _number(value: t.Any, kind: t.Any) -> t.Any:
    if isinstance(value, bool) or (isinstance(value, str) and not _NUMBER.fullmatch(value)):
        return Unfit(value)
    if kind is decimal.Decimal:
        return value
    try:
        number = float(value)
    except (OverflowError, ValueError):
        return Unfit(value)
    return number if math.isfinite(number) else Unfit(value)
