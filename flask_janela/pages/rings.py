"""Rings: when an answer is a whole of parts, its slices' outlines, and which colour is whose.

Everything lies in a square of 144 units round the centre; the y axis points down, as in SVG.
"""

from __future__ import annotations

import dataclasses
import hashlib
import math
import typing as t

from ..query.result import Result, Row
from ..vocabulary import BoundDimension, BoundMeasure, Count, Sum
from ..vocabulary.keys import Key, write
from ..words import say
from . import charts
from .scales import Number, exact

OUTER, INNER = 70.0, 47.0
COLOURS = 8
NEUTRAL = 0
"""The colour that is none: hollow."""

_HALF_GAP = 1.0
_LEAST_TARGET = 29.0
"""A slice this wide and high is 24 px where the ring is smallest, 120 px."""


@dataclasses.dataclass(frozen=True, slots=True)
class Slice:
    """One member's part.

    Attributes:
        row: the member; None for what is left of the whole beyond the rows.
        colour: 1 to 8, or 0 for the neutral.
        path: its outline, None where it has no part to show.
        target: whether it is large enough to be reached by itself; the legend is always.
    """

    row: Row | None
    light: charts.Light
    colour: int
    share: Number
    path: str | None
    target: bool


@dataclasses.dataclass(frozen=True, slots=True)
class Ring:
    """Slices clockwise from the top, in the order of the rows.

    Attributes:
        rest: the amount that belongs to no row, of members that are not shown.
    """

    slices: tuple[Slice, ...]
    rest: Number


class Palette:
    """Which colour is whose on one page.

    A member of a declared set (an order, labels, an enum, yes and no) has the colour of its place
    in it; any other draws one from its own key. So neither rank nor filters move a colour, on any
    page; only where two members of one page draw the same does the later one take its next.
    """

    def __init__(self) -> None:
        self._given: dict[t.Any, dict[Key, int]] = {}

    def colours(self, dimension: BoundDimension, rows: tuple[Row, ...]) -> dict[Key, int]:
        """The colours of the first eight members; those that are left out are neutral."""
        known = self._given.setdefault(dimension.path.identity, {})
        keys = [row.key for row in rows if not row.is_other][:COLOURS]
        found: dict[Key, int] = {}
        for key in keys:
            if key in known and known[key] not in found.values():
                found[key] = known[key]
        others = [key for key in keys if key not in found]
        for key in sorted(others, key=lambda key: _rank(key, dimension)):
            turn = _turn(key, dimension)
            fresh = [colour for colour in turn if colour not in known.values()]
            found[key] = next(c for c in [*fresh, *turn] if c not in found.values())
            known.setdefault(key, found[key])
        return found


def _rank(key: Key, dimension: BoundDimension) -> tuple[int, int]:
    """Who draws first: declared places in order, then the rest by their digests."""
    place = _place(key, dimension)
    return (0, place) if place is not None else (1, _digest(key))


def _turn(key: Key, dimension: BoundDimension) -> list[int]:
    """All eight colours in the order in which a member would have them."""
    place = _place(key, dimension)
    if place is not None:
        return [(place + i) % COLOURS + 1 for i in range(COLOURS)]
    digest = _digest(key)
    start, step = digest % COLOURS, (1, 3, 5, 7)[digest // COLOURS % 4]
    return [(start + i * step) % COLOURS + 1 for i in range(COLOURS)]


def _place(key: Key, dimension: BoundDimension) -> int | None:
    """Where a key stands in the set its dimension declares, if it declares one."""
    declared = list(dimension.order) + [k for k in dimension.labels if k not in dimension.order]
    if isinstance(key, bool):
        declared = [True, False]
    elif enum_class := getattr(dimension.path.type, "enum_class", None):
        declared += [member for member in enum_class if member not in declared]
    return declared.index(key) if key in declared else None


def _digest(key: Key) -> int:
    written = "null" if key is None else f"={write(key)}"
    return int.from_bytes(hashlib.blake2b(written.encode(), digest_size=8).digest())


def adds_up(measure: BoundMeasure) -> bool:
    """Whether a measure's values over parts add up to the whole: counts of rows and sums do."""
    return isinstance(measure.declared, Count | Sum)


def refusal(result: Result) -> str:
    """Why no ring can show an answer, in words; "" when one can."""
    if not adds_up(result.measure):
        return _WHY_NOT.get(type(result.measure.declared).__name__, _NO_WHOLE)
    values = [exact(row.value) for row in result.rows]
    total = exact(result.total)
    if any(value is not None and value < 0 for value in values):
        return say("a ring needs values of 0 and more")
    if not total:
        return say("the total is 0, so nothing is a part of it")
    if _rest(result) < 0:
        return say("a ring needs values of 0 and more, and there are others among those not shown")
    return ""


_NO_WHOLE = say("this measure is not a whole of parts")
_WHY_NOT = {
    "CountDistinct": say("a number of different values is not a whole of parts"),
    "Average": say("an average is not a whole of parts"),
    "Minimum": say("a smallest value is not a whole of parts"),
    "Maximum": say("a largest value is not a whole of parts"),
    "Share": say("a share is not a whole of parts"),
    "Ratio": say("a ratio is not a whole of parts"),
}


def _rest(result: Result) -> Number:
    """What the total holds beyond the rows; 0 where floats disagree in their last digits only."""
    shown = sum((exact(row.value) or Number(0) for row in result.rows), Number(0))
    total = exact(result.total) or Number(0)
    rest = total - shown
    return Number(0) if abs(rest) <= abs(total) * Number("1e-9") else rest


def ring(result: Result, palette: Palette, *, hole: bool) -> Ring:
    """The slices of an answer that :func:`refusal` has nothing against.

    Args:
        hole: a doughnut rather than a pie.
    """
    assert result.dimension is not None  # noqa: S101
    total = exact(result.total) or Number(1)
    rest = _rest(result)
    colours = palette.colours(result.dimension, result.rows)
    inner = INNER if hole else 0.0
    slices = []
    done = Number(0)

    def drawn(row: Row | None, light: charts.Light, colour: int, value: Number) -> Slice:
        nonlocal done
        start, done = done, done + value
        share = value / total
        if not value:
            return Slice(row, light, colour, share, None, False)
        ends = (float(start / total), float(done / total)) if value < total else (0.0, 1.0)
        path = outline(*ends, inner)
        return Slice(row, light, colour, share, path, _is_target(*ends, inner))

    for row, light in zip(result.rows, charts.lights(result), strict=True):
        colour = NEUTRAL if row.is_other else colours.get(row.key, NEUTRAL)
        slices.append(drawn(row, light, colour, exact(row.value) or Number(0)))
    if rest:
        slices.append(drawn(None, "plain", NEUTRAL, rest))
    return Ring(tuple(slices), rest)


def outline(start: float, end: float, inner: float) -> str:
    """The outline of a slice from ``start`` to ``end``, fractions of a turn from the top.

    Neighbours are two units apart, at every distance from the centre; a slice too thin for that
    keeps half of its own width. A whole turn is closed, without a gap.
    """
    if end - start >= 1:
        return _whole(inner)
    a, b = math.tau * start, math.tau * end
    width = b - a

    def gap(radius: float) -> float:
        return min(math.asin(_HALF_GAP / radius), width / 4)

    outer_gap = gap(OUTER)
    first, last = _at(OUTER, a + outer_gap), _at(OUTER, b - outer_gap)
    large = int(width - 2 * outer_gap > math.pi)
    arc = f"M{first}A{OUTER:g} {OUTER:g} 0 {large} 1 {last}"
    if not inner:
        tip = _HALF_GAP / math.sin(width / 2)
        return f"{arc}L{_at(tip if tip < OUTER / 2 else 0, (a + b) / 2)}Z"
    inner_gap = gap(inner)
    large = int(width - 2 * inner_gap > math.pi)
    last, first = _at(inner, b - inner_gap), _at(inner, a + inner_gap)
    return f"{arc}L{last}A{inner:g} {inner:g} 0 {large} 0 {first}Z"


def _whole(inner: float) -> str:
    """A full circle: an arc cannot end where it begins, so it is two halves."""

    def circle(radius: float, sweep: int) -> str:
        half = f"A{radius:g} {radius:g} 0 1 {sweep} "
        return f"M0 {-radius:g}{half}0 {radius:g}{half}0 {-radius:g}Z"

    return circle(OUTER, 1) + (circle(inner, 0) if inner else "")


def _at(radius: float, angle: float) -> str:
    x, y = round(radius * math.sin(angle), 2), round(-radius * math.cos(angle), 2)
    return f"{x + 0:g} {y + 0:g}"


def _is_target(start: float, end: float, inner: float) -> bool:
    """Whether the box round a slice is large enough to hit."""
    turns = [start, end, *(q for q in (0.25, 0.5, 0.75) if start < q < end)]
    points = [
        (radius * math.sin(math.tau * turn), radius * math.cos(math.tau * turn))
        for turn in turns
        for radius in (OUTER, inner)
    ]
    wide = max(x for x, _ in points) - min(x for x, _ in points)
    high = max(y for _, y in points) - min(y for _, y in points)
    return min(wide, high) >= _LEAST_TARGET
