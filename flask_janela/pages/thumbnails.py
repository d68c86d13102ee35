"""A frame's arrangement as a little window, from the panes' real spans and heights."""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import typing as t

from . import views

WIDTH, HEIGHT, EDGE, GAP = 42.0, 24.0, 3.0, 1.0
MOST_TILES = 60


@dataclasses.dataclass(frozen=True, slots=True)
class Place:
    """Where the browser's grid puts a pane, in columns and rows from 0."""

    column: int
    row: int
    span: int
    height: int


def places(sizes: cabc.Iterable[tuple[int, int]], columns: int) -> list[Place]:
    """Where panes of these spans and heights land in a grid that fills its rows in order.

    This is CSS's sparse auto-placement: a pane never goes before the one it follows.
    """
    taken: set[tuple[int, int]] = set()
    found: list[Place] = []
    row = column = 0
    for span, height in sizes:
        span = min(span, columns)
        while True:
            if column + span > columns:
                row, column = row + 1, 0
            cells = {(row + y, column + x) for y in range(height) for x in range(span)}
            if not cells & taken:
                break
            column += 1
        taken |= cells
        found.append(Place(column, row, span, height))
        column += span
    return found


def tiles(panes: cabc.Sequence[t.Any], columns: int) -> tuple[views.Tile, ...]:
    """The tiles of a thumbnail; the first of the most prominent panes is lit."""
    shown = panes[:MOST_TILES]
    placed = places([(pane.span, height_of(pane)) for pane in shown], columns)
    if not placed:
        return ()
    rows = max(place.row + place.height for place in placed)
    loudest = max(pane.prominence for pane in shown)
    lit = next(i for i, pane in enumerate(shown) if pane.prominence == loudest)
    across, down = (WIDTH + GAP) / columns, (HEIGHT + GAP) / rows
    return tuple(
        views.Tile(
            x=round(EDGE + place.column * across, 2),
            y=round(EDGE + place.row * down, 2),
            width=round(max(place.span * across - GAP, 0.5), 2),
            height=round(max(place.height * down - GAP, 0.5), 2),
            lit=i == lit,
        )
        for i, place in enumerate(placed)
    )


def height_of(pane: t.Any) -> int:
    """A pane's height in rows: its own, else 1 for numbers and words and 2 for the rest."""
    if pane.height is not None:
        return int(pane.height)
    if pane.kind == "text":
        return 1
    number = pane.renderer == "number" or (pane.renderer is None and pane.dimension is None)
    return 1 if pane.kind == "query" and number else 2
