"""Finding frames and panes within a caller's scope, and whose filters apply to a pane."""

from __future__ import annotations

import typing as t

import sqlalchemy as sa
from sqlalchemy import orm

from ..errors import BadRequest, NotFound
from ..query import filters as filter_grammar
from ..query.filters import Filter
from ..query.reader import Reader
from ..vocabulary import BoundModel
from ..words import say
from . import showing
from .models import MOST_ID, Frame, Pane

UNSEEN = say(
    "The frame's own filter cannot be applied: it is by something that is not there for you."
)


def find_frame(reader: Reader, frame_id: int, *, removed: bool | None = False) -> Frame:
    """The frame, if it is in the caller's scope; one outside and none at all are told alike.

    Args:
        removed: whether it has been deleted; None for either.

    Raises:
        NotFound: when there is none that the caller may see.
    """
    statement = (
        reader.select(Frame).where(Frame.id == frame_id).options(orm.selectinload(Frame.panes))
    )
    if removed is not None:
        here = Frame.removed_at.is_not(None) if removed else Frame.removed_at.is_(None)
        statement = statement.where(here)
    there = 0 < frame_id <= MOST_ID
    found = reader.execute(Frame, statement).scalars().one_or_none() if there else None
    if found is None:
        raise NotFound(say("There is no such frame, or none that you may see."))
    return t.cast("Frame", found)


def find_pane(reader: Reader, pane_id: int) -> tuple[Frame, Pane]:
    """A pane with its frame, if that is in the caller's scope.

    Raises:
        NotFound: when there is none that the caller may see.
    """
    statement = (
        reader.select(Frame)
        .where(Frame.removed_at.is_(None))
        .where(
            Frame.id.in_(
                sa.select(Pane.frame_id).where(Pane.id == pane_id, Pane.removed_at.is_(None))
            )
        )
        .options(orm.selectinload(Frame.panes))
    )
    there = 0 < pane_id <= MOST_ID
    frame = reader.execute(Frame, statement).scalars().one_or_none() if there else None
    pane = next((each for each in frame.panes if each.id == pane_id), None) if frame else None
    if frame is None or pane is None:
        raise NotFound(say("There is no such pane, or none that you may see."))
    return frame, pane


def homes_of(found: Frame, reader: Reader) -> list[BoundModel]:
    """The models of a frame's panes in order, by which filters without a model are read."""
    homes: dict[str, BoundModel] = {}
    for pane in found.panes:
        if pane.kind == "query" and pane.model and pane.model not in homes:
            try:
                homes[pane.model] = reader.model(pane.model)
            except NotFound:
                continue
    return list(homes.values())


def own_filters(
    found: Frame, reader: Reader, homes: list[BoundModel], *, told: Reader | None = None
) -> tuple[tuple[Filter, ...], str]:
    """The frame's default filters, and why they cannot be applied, if so.

    Then no pane may be drawn: without them it would show more than the frame is for.

    Args:
        told: by what exists for whom this is said; the reader's own by default.
    """
    every = [reader.model(name) for name in reader.catalogue.names(reader.caller)]
    others = [model for model in every if model not in homes]
    try:
        pairs = filter_grammar.pairs(found.filters)
        return filter_grammar.parse(pairs, reader.catalogue, reader.caller, [*homes, *others]), ""
    except BadRequest as error:
        if len(showing.filters_shown(found, told or reader)) < len(found.filters):
            return (), UNSEEN
        return (), say("The frame's own filter cannot be applied: {why}", why=error.message)
