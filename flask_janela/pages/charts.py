"""From an answer to geometry: what stands where, for templates to draw.

Across, everything is in per cent of the plot; down, in px. So a chart fits any width without a
script, and words never scale. Pixels are floats; every text comes from the values themselves.
"""

from __future__ import annotations

import bisect
import collections.abc as cabc
import dataclasses
import datetime as dt
import itertools
import typing as t

from ..query.result import Range, Result, Row
from . import axis
from .scales import FEW_STEPS, MOST_STEPS, Number, Scale, domain, exact, nice, tick_texts

Light = t.Literal["plain", "lit", "unlit"]
"""Lit: chosen by the reader; unlit: beside a chosen one; plain: nothing is chosen."""

TOP = 10.0
BELOW = 24.0
"""Room under the base line for one line of names; ``SECOND_LINE`` more for what they belong to."""
SECOND_LINE = 13.0
LEAST_HEIGHT = 96

MOST_DOTS = 60
"""Beyond so many points only those are dotted that no line would show."""

MOST_TAB_STOPS = 120
"""Beyond so many the marks leave the tab order; the table holds the same links, one a row."""

_LEAST_BAR = 0.4
_APART = 6


@dataclasses.dataclass(frozen=True, slots=True)
class Bar:
    """One horizontal bar, from ``x`` over ``width`` per cent; no width where it is unknown."""

    row: Row
    light: Light
    x: float
    width: float | None


@dataclasses.dataclass(frozen=True, slots=True)
class Bars:
    """Horizontal bars with 0 at ``zero`` per cent."""

    zero: float
    bars: tuple[Bar, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Tick:
    """A gridline and what it says; ``base`` is the one the marks stand on."""

    y: float
    text: str
    base: bool


@dataclasses.dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of line between two neighbouring points."""

    x1: float
    y1: float
    x2: float
    y2: float
    light: Light


@dataclasses.dataclass(frozen=True, slots=True)
class Column:
    """A vertical bar."""

    x: float
    width: float
    y: float
    height: float


@dataclasses.dataclass(frozen=True, slots=True)
class Point:
    """One bucket or member: its column from ``left`` over ``width``, its mark at ``x`` and ``y``.

    ``y`` is None where the value is unknown. ``dot`` says whether the point itself is drawn, and
    ``alone`` that no line reaches it.
    """

    row: Row
    light: Light
    left: float
    width: float
    x: float
    y: float | None
    dot: bool
    alone: bool
    column: Column | None


@dataclasses.dataclass(frozen=True, slots=True)
class Band:
    """The chosen stretch of time; ``edges`` are those that lie inside the plot."""

    x: float
    width: float
    edges: tuple[float, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Plot:
    """A chart whose members run from left to right: a line, or columns.

    Attributes:
        height: of the drawing, px.
        top, floor: where the plot's glass begins and ends.
        gutter: letters of the longest tick, for the room left of the plot.
        values: widths of the pane at which each mark shows its value, none or all of them.
        dense: whether the marks are too many to tab through.
        starts_at: what the axis starts at when that is not 0.
    """

    height: int
    top: float
    floor: float
    ticks: tuple[Tick, ...]
    gutter: int
    points: tuple[Point, ...]
    segments: tuple[Segment, ...]
    names: tuple[axis.Name, ...]
    band: Band | None
    values: tuple[str, ...]
    dense: bool
    starts_at: str | None


def drawable(result: Result) -> bool:
    """Whether every value is a number or unknown, so that a length can stand for it."""
    return not any(isinstance(row.value, dt.date) for row in result.rows)


def lights(result: Result) -> tuple[Light, ...]:
    """Which rows the reader's own filter on this dimension lights up."""
    if result.dimension is not None and result.dimension.is_time:
        if result.chosen_range is None:
            return _lit(result)
        start, end = _stretch(result.rows, result.chosen_range)
        return tuple(_light(start < i + 1 and end > i) for i in range(len(result.rows)))
    return _lit(result)


def _lit(result: Result) -> tuple[Light, ...]:
    chosen = result.chosen
    if chosen is None:
        return tuple("plain" for _ in result.rows)
    return tuple(_light(row.key in chosen and not row.is_other) for row in result.rows)


def _light(chosen: bool) -> Light:
    return "lit" if chosen else "unlit"


def bars(result: Result) -> Bars:
    """Horizontal bars over one scale from 0; with negative values 0 moves inward."""
    values = [exact(row.value) for row in result.rows]
    low, high = domain((v for v in values if v is not None), from_zero=True)
    scale = Scale(low, high, high - low)
    zero = 100 * scale.fraction(Number(0))
    drawn = []
    for row, value, light in zip(result.rows, values, lights(result), strict=True):
        if value is None:
            drawn.append(Bar(row, light, _percent(zero), None))
            continue
        end = 100 * scale.fraction(value)
        width = max(abs(end - zero), _LEAST_BAR) if value else 0.0
        left = zero if value >= 0 else zero - width
        drawn.append(Bar(row, light, _percent(min(left, 100 - width)), _percent(width)))
    return Bars(_percent(zero), tuple(drawn))


def value_axis(result: Result, *, columns: bool, few: bool = False) -> Scale:
    """The axis of a line, which may start away from 0, or of columns, which may not.

    ``few`` gridlines are for a chart of little height.
    """
    values = [v for row in result.rows if (v := exact(row.value)) is not None]
    whole = result.measure.kind.value == "integer"
    most = FEW_STEPS if few else MOST_STEPS
    return nice(*domain(values, from_zero=columns), whole=whole, most=most)


def value_widths(result: Result) -> tuple[str, ...]:
    """The widths of a pane at which a value fits above every mark; all are shown or none."""
    widest = max((axis.text_width(row.formatted) for row in result.rows), default=0)
    need = len(result.rows) * (widest + _APART)
    return tuple(width for width, room in axis.WIDTHS.items() if need <= room)


def plot(
    result: Result,
    scale: Scale,
    *,
    columns: bool,
    height: int,
    values: tuple[str, ...] = (),
) -> Plot:
    """A line with real gaps at null, or columns, over buckets of time or over members.

    Args:
        values: the widths of the pane at which every mark shows its value.
    """
    rows, count = result.rows, max(len(result.rows), 1)
    numbers = [exact(row.value) for row in rows]
    if result.granularity is not None:
        names = axis.time_names(rows, result.granularity, result.locale)
    else:
        names = axis.member_names(rows)
    top = TOP + (SECOND_LINE if values else 0)
    base = height - BELOW - (SECOND_LINE if any(name.below for name in names) else 0)

    def down(value: Number) -> float:
        return round(base - (base - top) * scale.fraction(value), 2)

    lit = lights(result)
    ys = [None if value is None else down(value) for value in numbers]
    apart = alone(ys)
    stand = down(min(max(Number(0), scale.low), scale.high))
    width = 100 / count
    points = tuple(
        Point(
            row=row,
            light=lit[i],
            left=_percent(i * width),
            width=_percent(width),
            x=_percent((i + 0.5) * width),
            y=ys[i],
            dot=not columns and ys[i] is not None and (count <= MOST_DOTS or apart[i]),
            alone=apart[i],
            column=_column(ys[i], stand, i * width, width) if columns else None,
        )
        for i, row in enumerate(rows)
    )
    texts = tick_texts(scale, result.measure.format, result.locale)
    return Plot(
        height=height,
        top=top - 6,
        floor=base,
        ticks=tuple(
            Tick(y=down(tick), text=text, base=down(tick) == stand)
            for tick, text in zip(scale.ticks, texts, strict=True)
        ),
        gutter=max(len(text) for text in texts),
        points=points,
        segments=() if columns else _segments(points),
        names=names,
        band=_band(result, count),
        values=values,
        dense=count > MOST_TAB_STOPS,
        starts_at=(texts[0] if scale.low > 0 else texts[-1]) if scale.starts_elsewhere else None,
    )


def _percent(value: float) -> float:
    return round(value, 3)


def alone(places: cabc.Sequence[object]) -> list[bool]:
    """Which known points have no known neighbour, so that no line reaches them."""
    padded = [None, *places, None]
    return [
        here is not None and before is None and after is None
        for before, here, after in zip(padded, padded[1:], padded[2:], strict=False)
    ]


def _segments(points: tuple[Point, ...]) -> tuple[Segment, ...]:
    drawn = []
    for a, b in itertools.pairwise(points):
        if a.y is not None and b.y is not None:
            light: Light = a.light if a.light == b.light else "unlit"
            drawn.append(Segment(a.x, a.y, b.x, b.y, light))
    return tuple(drawn)


def _column(y: float | None, floor: float, left: float, width: float) -> Column | None:
    """Two thirds of the bucket's width; of very many, all of it."""
    if y is None:
        return None
    part = 2 / 3 if width > 100 / MOST_TAB_STOPS else 1.0
    tall = round(abs(floor - y), 2)
    return Column(
        x=_percent(left + width * (1 - part) / 2),
        width=_percent(width * part),
        y=min(y, floor),
        height=tall,
    )


def _band(result: Result, count: int) -> Band | None:
    if result.granularity is None or result.chosen_range is None or not result.rows:
        return None
    start, end = _stretch(result.rows, result.chosen_range)
    if start >= end:
        return None
    left, right = _percent(100 * start / count), _percent(100 * end / count)
    edges = tuple(edge for edge in (left, right) if 0 < edge < 100)
    return Band(left, _percent(100 * (end - start) / count), edges)


def _stretch(rows: tuple[Row, ...], chosen: Range) -> tuple[float, float]:
    """A range as counted in buckets from the left, cut to those there are."""
    instants = bool(rows) and isinstance(rows[0].key, dt.datetime)
    starts = [moment(row.key, instants) for row in rows if row.key is not None]
    ends = [
        moment(row.until, instants) if row.until is not None else following
        for row, following in itertools.zip_longest(rows[: len(starts)], starts[1:])
    ]

    def place(bound: dt.date) -> float:
        at = moment(bound, instants)
        i = bisect.bisect_right(starts, at) - 1
        if i < 0:
            return 0.0
        start, end = starts[i], ends[i]
        if end is None or at >= end or end <= start:
            return i + 1.0
        return i + (at - start) / (end - start)

    return (
        0.0 if chosen.start is None else place(chosen.start),
        float(len(rows)) if chosen.end is None else place(chosen.end),
    )


def moment(value: dt.date, instants: bool) -> dt.datetime:
    """A time to compare others with: an instant among hours, else what the wall clock shows."""
    if not isinstance(value, dt.datetime):
        value = dt.datetime.combine(value, dt.time())
    if instants:
        return value.astimezone(dt.UTC)
    return value.replace(tzinfo=None)
