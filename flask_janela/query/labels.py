"""How buckets of time are written, and the exact order of an answer's rows."""

from __future__ import annotations

import collections.abc as cabc
import datetime as dt
import decimal
import enum
import typing as t

import babel
import babel.dates

from ..vocabulary import BoundDimension
from ..vocabulary.dimensions import Granularity
from ..vocabulary.keys import Key, sort_key, write
from ..vocabulary.kinds import Kind
from .result import Row


def bucket_label(key: dt.date, granularity: Granularity | None, locale: babel.Locale) -> str:
    """A bucket as people write it: "Jan 2013", "Q1 2013", "7 Jan 2013, 14:00"."""
    match granularity:
        case "hour":
            assert isinstance(key, dt.datetime)  # noqa: S101
            return (
                _skeleton(key, "yMMMd", locale)
                + ", "
                + babel.dates.format_time(
                    key.timetz(), "HH:mm", locale=locale, tzinfo=t.cast("t.Any", key.tzinfo)
                )
            )
        case "month":
            return _skeleton(key, "yMMM", locale)
        case "quarter":
            return _skeleton(key, "yQQQ", locale)
        case "year":
            return _skeleton(key, "y", locale)
        case _:
            return _skeleton(key, "yMMMd", locale)


def _skeleton(key: dt.date, skeleton: str, locale: babel.Locale) -> str:
    day = key.date() if isinstance(key, dt.datetime) else key
    pattern = locale.datetime_skeletons.get(skeleton)
    return babel.dates.format_date(day, pattern.pattern if pattern else "medium", locale=locale)


def value_place(row: Row, sign: int) -> tuple[t.Any, ...]:
    """Where a row stands by value: nulls last, ties by key."""
    value: t.Any = row.value
    if value is None:
        return (1, 0, *sort_key(row.key))
    if isinstance(value, dt.date):
        value = decimal.Decimal(_ordinal(value))
    return (0, sign * value, *sort_key(row.key))


def _ordinal(value: dt.date) -> int:
    if isinstance(value, dt.datetime):
        return int((value - dt.datetime(1, 1, 1, tzinfo=dt.UTC)) / dt.timedelta(microseconds=1))
    return value.toordinal()


def label_place(row: Row, dimension: BoundDimension) -> tuple[t.Any, ...]:
    """Where a row stands by what people read: texts by code point, numbers and dates by size.

    A key without a label of its own stands among labels as the database writes it.
    """
    worded = bool(dimension.labels) or dimension.kind in {Kind.ENUM, Kind.BOOLEAN, Kind.TEXT}
    written = row.label if isinstance(row.key, str | bool | enum.Enum) else None
    text = dimension.labels.get(row.key) or written or write(row.key)
    return (row.key is None, text if worded else "", *sort_key(row.key))


def natural_place(row: Row, places: cabc.Mapping[Key, int]) -> tuple[t.Any, ...]:
    """Where a row stands by its dimension's declared order, then by key; the null group last."""
    if row.key is None:
        return (2, 0, *sort_key(row.key))
    place = places.get(row.key)
    return (1, 0, *sort_key(row.key)) if place is None else (0, place, *sort_key(row.key))
