"""An answer as a table: its columns, the order of its rows, and its total."""

from __future__ import annotations

import collections.abc as cabc
import datetime as dt
import typing as t

from ..query.ordering import key_place
from ..query.question import PaneOptions
from ..query.result import Result, Row
from ..vocabulary import BoundDimension
from ..vocabulary.formats import in_words
from ..words import joined, say
from . import charts, figures, words
from .scales import exact
from .ways import Member, Ways


def table(
    members: tuple[Member, ...], options: PaneOptions, result: Result, ways: Ways, instead: str
) -> figures.Table:
    """An answer as a table: every row, companions beside, the total below.

    Rows stand in the order of ``ways.sorted``, the members themselves being those that were asked
    for: a table of the ten largest sorted by name still holds the ten largest.
    """
    numbers = [column.is_measure for column in result.columns]

    def cells(row: Row) -> tuple[figures.Cell, ...]:
        return (
            figures.Cell(row.formatted, number=True),
            *(
                figures.Cell(cell.formatted, number)
                for cell, number in zip(row.companions, numbers, strict=True)
            ),
        )

    return figures.Table(
        caption=_caption(result),
        heads=_heads(result, options, ways),
        rows=tuple(
            figures.TableRow(
                label=member.row.label,
                href=member.href,
                cells=cells(member.row),
                lit=member.light == "lit",
                muted=member.muted,
                several=member.several,
                tag=member.tag,
            )
            for member in in_order(members, result, ways.sorted)
        ),
        total=figures.TableRow(all_of(result), None, cells(result.total_row)),
        instead=instead,
    )


def columns(result: Result) -> tuple[str, ...]:
    """The names that a table can be sorted by: what it is split by, and each column."""
    first = () if result.dimension is None else (result.dimension.name,)
    return (*first, result.measure.name, *(column.name for column in result.columns))


def in_order(members: tuple[Member, ...], result: Result, by: str) -> tuple[Member, ...]:
    """The members in the order of a column; unknown values last, and "Other" after all.

    Args:
        by: a column's name, with a minus before it from the largest down; "" and names that are
            no column leave the order as it is.
    """
    name, descending = by.removeprefix("-"), by.startswith("-")
    if name not in columns(result):
        return members
    place = _place(result, name)
    others = tuple(member for member in members if member.row.is_other)
    known: list[tuple[t.Any, Member]] = []
    unknown: list[Member] = []
    for member in members:
        if not member.row.is_other:
            at = place(member.row)
            if at is None:
                unknown.append(member)
            else:
                known.append((at, member))
    known.sort(key=lambda pair: pair[0], reverse=descending)
    return (*(member for _, member in known), *unknown, *others)


def _place(result: Result, name: str) -> cabc.Callable[[Row], t.Any]:
    """What rows are compared by in one column; None where it is unknown."""
    dimension = result.dimension
    if dimension is not None and name == dimension.name:
        sized = not dimension.labels and (dimension.kind.is_number or dimension.kind.is_time)
        return lambda row: (
            None
            if row.key is None
            else ("" if sized else row.label, *key_place(row.key, dimension))
        )
    if name == result.measure.name:
        return lambda row: _comparable(row.value)
    at = [column.name for column in result.columns].index(name)
    declared = result.columns[at].declared
    if isinstance(declared, BoundDimension):
        return lambda row: (
            None if row.companions[at].value is None else row.companions[at].formatted
        )
    return lambda row: _comparable(row.companions[at].value)


def _comparable(value: t.Any) -> t.Any:
    if isinstance(value, dt.date):
        return charts.moment(value, instants=isinstance(value, dt.datetime))
    return exact(value)


def _caption(result: Result) -> str:
    beside = [words.within(column.label) for column in result.columns]
    title = words.title_of(result)
    if not beside:
        return title
    return say("{title}, with {columns}", title=title, columns=joined(", ", beside))


def _heads(result: Result, options: PaneOptions, ways: Ways) -> tuple[figures.Head, ...]:
    dimension = result.dimension
    by = ways.sorted or _asked_order(options, result)

    def head(text: str, name: str, *, number: bool) -> figures.Head:
        way = {name: "ascending", f"-{name}": "descending"}.get(by, "")
        to = f"-{name}" if way != "descending" and (number or way) else name
        return figures.Head(text, number, way, ways.sort(to) if ways.sort else None)

    return (
        head(dimension.label, dimension.name, number=False)
        if dimension is not None
        else figures.Head(in_words(result.model), number=False),
        head(result.measure.label, result.measure.name, number=True),
        *(head(column.label, column.name, number=column.is_measure) for column in result.columns),
    )


def _asked_order(options: PaneOptions, result: Result) -> str:
    """The column that an answer's own order goes by; "" for time, which is as it passed."""
    dimension = result.dimension
    if dimension is None or dimension.is_time or options.order == "natural":
        return ""
    if options.order == "label":
        return dimension.name
    return result.measure.name if options.order == "value" else f"-{result.measure.name}"


def all_of(result: Result) -> str:
    """What a total is of: "All 16", or "All" where there are more than are shown."""
    several = len(result.rows) > 1 and result.granularity is None
    if result.truncated or not several:
        return say("All")
    return say("All {count:,}", count=len(result.rows))
