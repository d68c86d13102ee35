"""The answer to a question. Pages, charts, tools and exports all read this one object."""

from __future__ import annotations

import dataclasses
import datetime as dt
import decimal
import math
import typing as t

import babel

from ..vocabulary import BoundDimension, BoundMeasure
from ..vocabulary.dimensions import Granularity
from ..vocabulary.formats import Value
from ..vocabulary.keys import Key, write

Instant = dt.datetime
"""A time with a zone."""

SAFE_INTEGER = 2**53


@dataclasses.dataclass(frozen=True, slots=True)
class Cell:
    """One value beside a row's own: a companion's."""

    value: t.Any
    formatted: str


@dataclasses.dataclass(frozen=True, slots=True)
class Row:
    """One member of the dimension, or one bucket of time, and what the measure comes to there.

    Attributes:
        key: the member's typed key, None for the null group; a bucket's first day, or for hours
            its first instant in the report zone.
        label: what people read for the key.
        value: the measure, at full precision; None where it is unknown.
        formatted: the value as text in the reader's locale.
        companions: the further columns, in the question's order.
        until: for a bucket, the first day (or instant) that no longer belongs to it.
        is_other: whether this row stands for all members that are not shown.
    """

    key: Key
    label: str
    value: Value
    formatted: str
    companions: tuple[Cell, ...] = ()
    until: dt.date | None = None
    is_other: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Range:
    """A half-open stretch of time, ``start`` included and ``end`` not; None where it is open.

    Both are dates for a dimension over a date column, else instants in the report zone.
    """

    start: dt.date | None
    end: dt.date | None


@dataclasses.dataclass(frozen=True, slots=True)
class Column:
    """A companion column: a further measure, or a dimension shared by the whole row."""

    name: str
    label: str
    declared: BoundMeasure | BoundDimension

    @property
    def is_measure(self) -> bool:
        return isinstance(self.declared, BoundMeasure)


@dataclasses.dataclass(frozen=True, slots=True)
class Result:
    """An answer.

    Attributes:
        measure, dimension: what was asked, by what; dimension is None for a single number.
        columns: the companions, in order.
        rows: in the order asked for.
        total_row: the measure without the dimension, at its own grain, with companions;
            ``total`` is its value.
        truncated: whether there were more members than the limit let through.
        undated_row: the measure over rows without a time, when there are any and time was
            asked; ``undated`` is its value.
        range: the stretch that filters fix on the dimension of time.
        granularity: the buckets' interval.
        chosen: the keys that the reader's own filter on this dimension lights up; None without
            one.
        chosen_range: for time, the one stretch that the reader's own filter fixes.
        not_applied: labels of the filters, the reader's or the frame's, that cannot reach this
            model.
        locale: the locale everything formatted is written in.
        ms: milliseconds spent, statements included.
    """

    model: str
    measure: BoundMeasure
    dimension: BoundDimension | None
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    total_row: Row
    truncated: bool
    undated_row: Row | None
    range: Range | None
    granularity: Granularity | None
    chosen: tuple[Key, ...] | None
    chosen_range: Range | None
    not_applied: tuple[str, ...]
    locale: babel.Locale
    ms: float

    @property
    def total(self) -> Value:
        """The measure without the dimension."""
        return self.total_row.value

    @property
    def undated(self) -> Value:
        """The measure over rows without a time; None when there are none, or it is unknown."""
        return self.undated_row.value if self.undated_row else None

    @property
    def unit(self) -> str:
        """The measure's unit in one word: ``%``, a currency code, or its suffix."""
        return self.measure.format.unit

    def as_dict(self) -> dict[str, t.Any]:
        """The answer as JSON takes it; whole numbers beyond 2**53 are strings, no NaN."""
        return {
            "model": self.model,
            "measure": self.measure.name,
            "dimension": self.dimension.name if self.dimension else None,
            "granularity": self.granularity,
            "unit": self.unit,
            "columns": [column.name for column in self.columns],
            "rows": [_row_dict(row) for row in self.rows],
            "total": _row_dict(self.total_row),
            "truncated": self.truncated,
            "undated": _row_dict(self.undated_row) if self.undated_row else None,
            "range": [json_value(self.range.start), json_value(self.range.end)]
            if self.range
            else None,
            "not_applied": list(self.not_applied),
            "ms": round(self.ms, 3),
        }


def _row_dict(row: Row) -> dict[str, t.Any]:
    return {
        "key": json_value(row.key),
        "label": row.label,
        "value": json_value(row.value),
        "formatted": row.formatted,
        "companions": [
            {"value": json_value(cell.value), "formatted": cell.formatted}
            for cell in row.companions
        ],
        **({"other": True} if row.is_other else {}),
    }


def json_value(value: t.Any) -> str | int | float | bool | None:
    """A key or value as JSON can carry it without loss."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return value if abs(value) <= SAFE_INTEGER else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, decimal.Decimal):
        return format(value, "f") if value.is_finite() else None
    return write(value)
