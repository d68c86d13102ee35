"""Changes to a frame's panes: each in one transaction that holds the frame's row."""

from __future__ import annotations

import typing as t

import sqlalchemy as sa
from sqlalchemy import orm

from ..query.question import read_options
from ..state import current_state
from .models import Frame, Pane, now

Session = orm.scoped_session[t.Any] | orm.Session


def add_pane(frame: Frame, *, by: str | None = None, **options: t.Any) -> Pane:
    """Add a pane after the last one of a frame, in the current session.

    Args:
        by: the reference of the caller who does it.
        options: the fields of :class:`~flask_janela.query.question.PaneOptions`.

    Raises:
        BadRequest: in words, for options that cannot be.
    """
    checked = read_options(options)
    session = current_state().db.session
    hold(session, frame, by)
    last = session.scalar(
        sa.select(sa.func.max(Pane.position)).where(
            Pane.frame_id == frame.id, Pane.removed_at.is_(None)
        )
    )
    pane = Pane(frame_id=frame.id, position=(last or 0) + 1, **checked.model_dump())
    session.add(pane)
    session.flush()
    session.expire(frame, ["panes"])
    return pane


def hold(session: Session, frame: Frame, by: str | None) -> None:
    """Lock a frame's row for this transaction and count a new version of it.

    Writing the row first is what locks it, on every database alike: others that arrange the
    same frame wait here, SQLite's included, before they have read anything.
    """
    session.flush()
    session.execute(
        sa.update(Frame)
        .where(Frame.id == frame.id)
        .values(version=Frame.version + 1, updated_at=now(), updated_by=by)
        .execution_options(synchronize_session=False)
    )
    session.refresh(frame)
