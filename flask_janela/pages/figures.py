"""What stands in a pane's light: each figure names the partial that draws it.

Everything is worked out and every text is plain, as in :mod:`.views`.
"""

from __future__ import annotations

import dataclasses
import typing as t

from . import charts, rings


@dataclasses.dataclass(frozen=True, slots=True)
class Link:
    """A plain link; ``current`` marks the one among several that is shown."""

    href: str
    text: str
    current: bool = False


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
    """One row; ``muted`` where the label is not a member's own name: (none), Other.

    As of every mark: ``tag`` tells it from the others of its drawing, and ``several`` is the
    page with its member added to those chosen, or taken away.
    """

    label: str
    href: str | None
    cells: tuple[Cell, ...]
    lit: bool = False
    muted: bool = False
    several: str | None = None
    tag: str = ""


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
class Delta:
    """How a number changed.

    Attributes:
        direction: ``up``, ``down`` or "" without a change.
        amount: how far; "" when that is unknown.
        verdict: ``better`` or ``worse`` where the measure says which, else "".
        was, when: what it was, and in which period.
    """

    direction: str
    amount: str
    verdict: str
    was: str
    when: str


@dataclasses.dataclass(frozen=True, slots=True)
class SparkLine:
    """A stretch of a sparkline."""

    x1: float
    y1: float
    x2: float
    y2: float


@dataclasses.dataclass(frozen=True, slots=True)
class Peak:
    """The highest value of a sparkline, said above it."""

    x: float
    y: float
    anchor: str
    text: str


@dataclasses.dataclass(frozen=True, slots=True)
class Spark:
    """The course of a number, as a described image of ``height`` px.

    Attributes:
        dots: where its last point is, and those that no line reaches.
        level: where the earlier level is dotted, and ``key`` says which that is.
        ends: what its first and last buckets are called; None beside a number.
    """

    words: str
    height: int
    lines: tuple[SparkLine, ...]
    dots: tuple[tuple[float, float], ...]
    level: float | None
    peak: Peak | None
    ends: tuple[str, str] | None
    key: str


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
    delta: Delta | None = None
    spark: Spark | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class BarMark:
    """A bar and what it says."""

    bar: charts.Bar
    label: str
    formatted: str
    words: str
    href: str | None
    muted: bool
    several: str | None = None
    tag: str = ""


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
    several: str | None = None
    tag: str = ""


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
    several: str | None = None
    tag: str = ""


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
class Waiting:
    """A pane that the page had no time for.

    ``href`` has it, under the id ``brings``, for the place that has the id ``place`` here.
    """

    partial: t.ClassVar[str] = "waiting"

    href: str
    brings: str
    place: str


@dataclasses.dataclass(frozen=True, slots=True)
class Gone:
    """Why a pane cannot be drawn."""

    partial: t.ClassVar[str] = "gone"

    what: str
    why: str


Figure = (
    Table | Number | BarChart | PlotChart | RingChart | Prose | HostPartial | Say | Waiting | Gone
)
