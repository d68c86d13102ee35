"""A single row as it is shown: its key and its cells, and a page of such rows."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime as dt
import decimal
import enum
import json
import math
import typing as t
import uuid

import babel
import babel.dates

from ..vocabulary import BoundColumn, BoundMeasure
from ..vocabulary import keys as key_values
from ..vocabulary.formats import UNKNOWN, Format, write_plain
from ..vocabulary.kinds import Kind
from .labels import bucket_label
from .reader import Reader
from .result import Cell, json_value
from .time import instant_of

_MOST_DECIMALS = 6


@dataclasses.dataclass(frozen=True, slots=True)
class RecordColumn:
    """A column of single rows: its name as declared, what people read, what its values are."""

    name: str
    label: str
    kind: Kind


@dataclasses.dataclass(frozen=True, slots=True)
class Record:
    """One row.

    Attributes:
        key: its primary key as text, by which it is found again.
        identity: the typed values of its primary key.
        columns: those that the caller may see, in the declared order.
        cells: its values, one for each column; None where unknown.
    """

    key: str
    identity: tuple[t.Any, ...]
    columns: tuple[RecordColumn, ...]
    cells: tuple[Cell, ...]

    def as_dict(self) -> dict[str, t.Any]:
        """Its values by column as JSON takes them, and its key."""
        return {
            "key": self.key,
            "values": {
                column.name: json_value(cell.value)
                for column, cell in zip(self.columns, self.cells, strict=True)
            },
        }


@dataclasses.dataclass(frozen=True, slots=True)
class RecordPage:
    """Some of the rows under some filters, in the order of their primary key.

    Attributes:
        model: the public name; ``label`` is what people read for its rows.
        measure: the one that the rows count into; None for all rows.
        total: how many there are on all pages.
        before: how many of them come before these.
        next, previous: the cursors of the pages beside this one; None where there is none.
        not_applied: labels of the filters, the reader's or the frame's, that cannot reach this
            model.
        locale: the locale everything formatted is written in.
    """

    model: str
    label: str
    measure: BoundMeasure | None
    columns: tuple[RecordColumn, ...]
    rows: tuple[Record, ...]
    total: int
    before: int
    next: str | None
    previous: str | None
    not_applied: tuple[str, ...]
    locale: babel.Locale

    @property
    def truncated(self) -> bool:
        """Whether there are rows after these."""
        return self.next is not None

    def as_dict(self) -> dict[str, t.Any]:
        """The page as JSON takes it; a row's values stand in the order of the columns."""
        return {
            "model": self.model,
            "measure": self.measure.name if self.measure else None,
            "columns": [
                {"name": each.name, "label": each.label, "type": each.kind.value}
                for each in self.columns
            ],
            "rows": [
                {"key": row.key, "values": [json_value(cell.value) for cell in row.cells]}
                for row in self.rows
            ],
            "total": self.total,
            "truncated": self.truncated,
            "next": self.next,
            "previous": self.previous,
            "not_applied": list(self.not_applied),
        }


def cell_of(column: BoundColumn, value: t.Any, reader: Reader, *, plain: bool = False) -> Cell:
    """A value as the database gave it, as a reader sees it: times in the report zone.

    Args:
        plain: whether numbers and times are written for programs, which is many times faster.
    """
    if value is None or (isinstance(value, float | decimal.Decimal) and not math.isfinite(value)):
        return Cell(None, UNKNOWN)
    labels = column.dimension.labels if column.dimension is not None else {}
    if isinstance(value, dt.datetime):
        # Some hosts write "never" as a time at the end of all calendars, which no zone can shift.
        with contextlib.suppress(OverflowError):
            value = instant_of(value, column.zone).astimezone(reader.clock.zone)
        return Cell(value, write_plain(value) if plain else _time(value, reader.locale))
    if isinstance(value, str | bool | enum.Enum | uuid.UUID):
        return Cell(value, key_values.label(value, labels, reader.locale))
    if isinstance(value, int | float | decimal.Decimal | dt.date):
        if value in labels:
            return Cell(value, labels[value])
        return Cell(value, write_plain(value) if plain else _sized(column, value, reader.locale))
    return Cell(text := _text(value), text)


def _sized(column: BoundColumn, value: t.Any, locale: babel.Locale) -> str:
    """A number or a date as people write it."""
    if isinstance(value, dt.date):
        return bucket_label(value, "day", locale)
    if column.format is None:
        return write_plain(value)
    return _format(column, value, column.format).write(value, locale)


def _format(column: BoundColumn, value: t.Any, given: Format) -> Format:
    if not column.exact:
        return given
    plain = write_plain(decimal.Decimal(str(value)))
    return dataclasses.replace(given, precision=min(len(plain.partition(".")[2]), _MOST_DECIMALS))


def _time(value: dt.datetime, locale: babel.Locale) -> str:
    """A time to the minute, and to the second where it has one."""
    skeleton = "HH:mm:ss" if value.second or value.microsecond else "HH:mm"
    clock = babel.dates.format_time(value.timetz(), skeleton, locale=locale, tzinfo=value.tzinfo)
    return f"{bucket_label(value, 'day', locale)}, {clock}"


def _text(value: t.Any) -> str:
    """What is none of the usual sorts, as text: a structure as JSON."""
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)
