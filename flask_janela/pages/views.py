"""What templates receive: everything worked out, nothing left to decide but markup.

Texts here are plain; templates escape them. An ``href`` of None means "not a link".
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import typing as t

from . import charts, rings


@dataclasses.dataclass(frozen=True, slots=True)
class Person:
    """Who is signed in, for the lintel."""

    name: str
    initials: str


@dataclasses.dataclass(frozen=True, slots=True)
class Link:
    """A plain link; ``current`` marks the one among several that is shown."""

    href: str
    text: str
    current: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Choice:
    """Several ways to show the same question, as links side by side."""

    label: str
    links: tuple[Link, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Note:
    """One thing that a pane's sill says; ``warn`` for what a reader could be misled by."""

    words: str
    warn: bool = False
    href: str | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Chip:
    """One dimension's filter in words. Without ``remove`` it is ``by`` somebody else."""

    label: str
    words: str
    when: str
    remove: str | None
    by: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class FilterBar:
    """All filters of a page, and when it was answered."""

    chips: tuple[Chip, ...]
    clear: str | None
    answered: str


@dataclasses.dataclass(frozen=True, slots=True)
class Head:
    """A column's head; ``sorted`` is ``ascending``, ``descending`` or nothing."""

    text: str
    number: bool
    sorted: str = ""
    href: str | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Cell:
    """One value in a table."""

    text: str
    number: bool


@dataclasses.dataclass(frozen=True, slots=True)
class TableRow:
    """One row; ``muted`` where the label is not a member's own name: (none), Other."""

    label: str
    href: str | None
    cells: tuple[Cell, ...]
    lit: bool = False
    muted: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Table:
    """An answer as a table, every row of it; ``instead`` says why it is not drawn otherwise."""

    partial: t.ClassVar[str] = "table"

    caption: str
    heads: tuple[Head, ...]
    rows: tuple[TableRow, ...]
    total: TableRow | None
    instead: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Number:
    """One number: its digits, and what stands before and after them at half the size.

    ``letters`` is how wide all of it is, in letters of the digits' size, 6 to 24.
    """

    partial: t.ClassVar[str] = "number"

    before: str
    digits: str
    after: str
    sentence: str
    letters: int = 6


@dataclasses.dataclass(frozen=True, slots=True)
class BarMark:
    """A bar and what it says."""

    bar: charts.Bar
    label: str
    formatted: str
    words: str
    href: str | None
    muted: bool


@dataclasses.dataclass(frozen=True, slots=True)
class BarChart:
    """Bars, one link a row."""

    partial: t.ClassVar[str] = "bars"

    summary: str
    zero: float
    marks: tuple[BarMark, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class PointMark:
    """A point or column and what it says."""

    point: charts.Point
    formatted: str
    words: str
    href: str | None


@dataclasses.dataclass(frozen=True, slots=True)
class PlotChart:
    """A line or columns, one link a bucket."""

    partial: t.ClassVar[str] = "plot"

    summary: str
    title: str
    plot: charts.Plot
    marks: tuple[PointMark, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class SliceMark:
    """A slice of a ring, its line in the legend, and what it says."""

    slice: rings.Slice
    label: str
    formatted: str
    share: str
    words: str
    href: str | None
    muted: bool


@dataclasses.dataclass(frozen=True, slots=True)
class RingChart:
    """A doughnut or a pie, one link a slice, with its legend.

    Attributes:
        total: what all slices come to, inside a doughnut and below a pie's legend.
        word: what that is of, below it in a doughnut; before it below a legend.
        letters: how wide the total is: 7, 9, 12 or 16.
        hole: whether it is a doughnut.
    """

    partial: t.ClassVar[str] = "ring"

    summary: str
    title: str
    marks: tuple[SliceMark, ...]
    total: str
    word: str
    letters: int
    hole: bool


@dataclasses.dataclass(frozen=True, slots=True)
class Prose:
    """Words of a text pane, as paragraphs of lines."""

    partial: t.ClassVar[str] = "prose"

    paragraphs: tuple[tuple[str, ...], ...]
    link: str | None


@dataclasses.dataclass(frozen=True, slots=True)
class HostPartial:
    """A template of the host's, drawn in a pane."""

    partial: t.ClassVar[str] = "host"

    template: str


@dataclasses.dataclass(frozen=True, slots=True)
class Say:
    """A sentence where an answer would be, and perhaps a way on."""

    partial: t.ClassVar[str] = "say"

    words: str
    way: Link | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Gone:
    """Why a pane cannot be drawn."""

    partial: t.ClassVar[str] = "gone"

    what: str
    why: str


Figure = Table | Number | BarChart | PlotChart | RingChart | Prose | HostPartial | Say | Gone


@dataclasses.dataclass(frozen=True, slots=True)
class Pane:
    """One pane: head, light and sill.

    Attributes:
        id: unique on the page.
        figure: what is in its light; its ``partial`` names the template that draws it.
        title: its heading; without one, ``label`` names it to those who do not see it.
        table: the same answer as a table, behind "Show as table".
        notes, show_all: its sill, drawn only when there is something to say.
        whole: as high as what it shows, rather than scrolling inside a row of a grid.
    """

    id: str
    title: str
    figure: Figure
    span: int = 12
    height: int = 1
    prominence: int = 1
    table: Table | None = None
    notes: tuple[Note, ...] = ()
    show_all: str | None = None
    label: str = ""
    whole: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Frame:
    """A frame's page."""

    name: str
    description: str
    columns: int
    gap: int
    filters: FilterBar
    panes: tuple[Pane, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Ask:
    """The page of one question.

    Attributes:
        sentence: the whole question in words, after its title.
        about: what the measure's own description says.
        choices: other granularities and renderers of it.
        table: its answer as a table, below the chart.
    """

    title: str
    sentence: str
    about: str
    model: str
    filters: FilterBar
    choices: tuple[Choice, ...]
    pane: Pane
    table: Table | None


@dataclasses.dataclass(frozen=True, slots=True)
class Tile:
    """A pane in a thumbnail."""

    x: float
    y: float
    width: float
    height: float
    lit: bool


@dataclasses.dataclass(frozen=True, slots=True)
class Card:
    """One frame in the index."""

    href: str
    name: str
    description: str
    tiles: tuple[Tile, ...]
    panes: int
    changed: str
    changed_at: dt.datetime
    changed_full: str
    changed_by: str


@dataclasses.dataclass(frozen=True, slots=True)
class Index:
    """The frames a caller may see.

    Attributes:
        said: how many, in words.
        search, sort: as the form was sent.
        declared: with no frame at all, what could be asked, in words.
        ways: with no frame at all, questions to start from.
    """

    said: str
    search: str
    sort: str
    sorts: tuple[tuple[str, str], ...]
    cards: tuple[Card, ...]
    declared: str
    ways: tuple[Link, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Problem:
    """An error page: the status in words and, for people who are signed in, the reason."""

    status: int
    title: str
    sentence: str
    reason: str
