"""The answer of a pane or a question as comma-separated values, for a spreadsheet or a program.

Values are as exact as the answer has them and are not formatted; what is text stays text, also to
a spreadsheet that would run it as a formula.
"""

from __future__ import annotations

import collections.abc as cabc
import csv
import datetime as dt
import decimal
import io
import math
import typing as t
import unicodedata
import urllib.parse

import flask
from flask.typing import ResponseReturnValue

from ..frames.reading import find_frame
from ..query.asking import ask
from ..query.reader import Reader
from ..query.result import Result, Row
from ..vocabulary.formats import write_plain
from . import frames, guard, tables, words
from .asked import read
from .ways import Ways, members_of

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""How a cell begins that a spreadsheet would run."""

_MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"
"""Before the first line: by it spreadsheets know the text for UTF-8."""

_MOST_NAME = 100


def export(reader: Reader, frame_id: int, pane_id: int) -> ResponseReturnValue:
    """The rows that a pane shows, under the filters and in the order of its frame's address."""
    found = find_frame(reader, frame_id)
    guard.require(reader.caller, "view", found)
    guard.require(reader.caller, "export", found)
    pane = frames.query_of(found, pane_id)
    light = frames.light_of(reader, found)
    options = pane.options()
    result = ask(reader, *light.put(options))
    title = options.title or words.title_of(result)
    return _file(lines(result, light.sorted_by(pane)), f"{found.name} - {title}")


def export_question(
    reader: Reader, model: str, measure: str, dimension: str | None = None
) -> ResponseReturnValue:
    """The rows of the question that the address asks, in the order it asks for."""
    asked = read(reader, model, measure, dimension)
    result, _ = asked.answer()
    return _file(lines(result), f"{asked.home.label} - {words.title_of(result)}")


def _file(rows: cabc.Iterator[str], name: str) -> flask.Response:
    response = flask.Response(rows, mimetype="text/csv")
    response.headers["Content-Disposition"] = disposition(name)
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response


def lines(result: Result, by: str = "") -> cabc.Iterator[str]:
    """An answer line by line, as RFC 4180 has them: the columns' names, then each row."""
    yield head(_heads(result))
    if result.dimension is None:
        yield line(_values(result, result.total_row))
        return
    for member in tables.in_order(members_of(result, Ways(lambda row: None)), result, by):
        yield line([_key(member.row), *_values(result, member.row)])
    if result.undated_row is not None:
        yield line([text(result.undated_row.label), *_values(result, result.undated_row)])


def _heads(result: Result) -> list[str]:
    first = [] if result.dimension is None else [result.dimension.label]
    columns = [column.label for column in result.columns]
    return [*first, result.measure.label, *columns]


def _key(row: Row) -> str:
    """A member as people read it; a number or a bucket's first day so that programs can."""
    if row.key is None or row.is_other:
        return text(row.label)
    if isinstance(row.key, dt.date):
        return write_plain(row.key)
    if row.label == write_plain(row.key) and isinstance(row.key, int | float | decimal.Decimal):
        return row.label
    return text(row.label)


def _values(result: Result, row: Row) -> list[str]:
    cells = [
        value(cell.value) if column.is_measure else text(cell.formatted)
        for cell, column in zip(row.companions, result.columns, strict=True)
    ]
    return [value(row.value), *cells]


def value(given: t.Any) -> str:
    """A measure's value at full precision, "" where it is unknown."""
    if given is None or (isinstance(given, float) and not math.isfinite(given)):
        return ""
    if isinstance(given, decimal.Decimal):
        return format(given, "f") if given.is_finite() else ""
    return repr(given) if isinstance(given, float) else write_plain(given)


def text(given: str) -> str:
    """A text that no spreadsheet takes for a formula: an apostrophe stands before one."""
    return f"'{given}" if given.startswith(_FORMULA) else given


def cell(given: t.Any, formatted: str) -> str:
    """A value of a single row: its label, else a number or a time so that programs read it."""
    if given is None:
        return ""
    if isinstance(given, int | float | decimal.Decimal | dt.date) and not isinstance(given, bool):
        return value(given) if formatted == write_plain(given) else text(formatted)
    return text(formatted)


def head(labels: cabc.Iterable[str]) -> str:
    """The first line of a file: what its columns are called."""
    return _MARK + line([text(label) for label in labels])


def line(cells: list[str]) -> str:
    """One line as RFC 4180 has it."""
    written = io.StringIO()
    csv.writer(written).writerow(cells)
    return written.getvalue()


def disposition(name: str) -> str:
    """The header that offers a file under a name, as RFC 6266 has it.

    A program that does not read the encoded name of RFC 8187 finds one of plain letters.
    """
    shown = " ".join("".join(c if c.isprintable() else " " for c in name).split())
    shown = "".join("_" if c in '/\\:*?"<>|' else c for c in shown).strip(". ")[:_MOST_NAME]
    plain = unicodedata.normalize("NFKD", shown).encode("ascii", "ignore").decode()
    plain = "".join(c if c.isalnum() or c in " -_.()" else "_" for c in plain).strip(". ")
    encoded = urllib.parse.quote(f"{shown or 'pane'}.csv", safe="")
    return f"attachment; filename=\"{plain or 'pane'}.csv\"; filename*=UTF-8''{encoded}"
