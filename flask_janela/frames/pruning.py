"""Letting go of what was removed so long ago that nobody will bring it back."""

from __future__ import annotations

import dataclasses
import datetime as dt
import typing as t

import sqlalchemy as sa

from .models import Favourite, Frame, Pane

BATCH = 200
"""Frames, or panes, that one transaction deletes, so that nobody waits long."""


@dataclasses.dataclass(frozen=True, slots=True)
class Pruned:
    """How many frames were deleted, and how many panes, those of such frames among them."""

    frames: int = 0
    panes: int = 0


def prune_removed(engine: sa.Engine, before: dt.datetime) -> Pruned:
    """Delete frames and panes that were removed before a moment, in small transactions.

    One that is brought back meanwhile stays, whole.

    Args:
        before: in UTC, without a zone, as rows keep it.
    """
    frames = panes = 0
    while taken := _some_frames(engine, before):
        frames, panes = frames + taken.frames, panes + taken.panes
    while taken := _some_panes(engine, before):
        panes += taken.panes
    return Pruned(frames, panes)


def _some_frames(engine: sa.Engine, before: dt.datetime) -> Pruned | None:
    """A batch of frames with all that is theirs; None when there is no more."""
    with engine.begin() as connection:
        ids = _held(connection, Frame, before)
        panes = _delete(connection, Pane, Pane.frame_id.in_(ids))
        _delete(connection, Favourite, Favourite.frame_id.in_(ids))
        _delete(connection, Frame, Frame.id.in_(ids))
        return Pruned(len(ids), panes) if ids else None


def _some_panes(engine: sa.Engine, before: dt.datetime) -> Pruned | None:
    with engine.begin() as connection:
        ids = _held(connection, Pane, before)
        _delete(connection, Pane, Pane.id.in_(ids))
        return Pruned(panes=len(ids)) if ids else None


def _delete(connection: sa.Connection, model: type, which: sa.ColumnElement[bool]) -> int:
    """How many rows that were."""
    statement = sa.delete(model).where(which)
    return t.cast("sa.CursorResult[t.Any]", connection.execute(statement)).rowcount


def _held(
    connection: sa.Connection, model: type[Frame] | type[Pane], before: dt.datetime
) -> list[int]:
    """Rows that are removed still once nobody else can change them."""
    removed = sa.and_(model.removed_at.is_not(None), model.removed_at < before)
    # It changes nothing, and SQLite lets nobody else write from here on.
    connection.execute(sa.update(model).where(sa.false()).values(removed_at=None))
    oldest = sa.select(model.id).where(removed).order_by(model.removed_at).limit(BATCH)
    return list(connection.scalars(oldest.with_for_update()))
