"""Holding a frame's row while it is changed, so that whatever happens at once happens in turn."""

from __future__ import annotations

import collections.abc as cabc
import typing as t

import sqlalchemy as sa
from sqlalchemy import orm

from ..errors import BadRequest, Conflict, NotFound, quoted
from ..state import current_state
from ..words import say
from .models import MOST_ID, Frame, now
from .story import told

Session = orm.scoped_session[t.Any] | orm.Session
Answer = t.TypeVar("Answer")

_ATTEMPTS = 4
_BUSY = ("database is locked", "database table is locked", "deadlock", "could not serialize")


def hold(
    session: Session,
    frame: Frame,
    by: str | None,
    version: int | None = None,
    *,
    removed: bool = False,
) -> None:
    """Lock a frame's row for this transaction and count a new version of it.

    Writing the row first is what locks it, on every database alike: others that arrange the
    same frame wait here, SQLite's included, before they have read anything. A version that is
    no longer the current one writes nothing. What is read from here on is read FOR UPDATE: MySQL
    would show it as it was when the transaction first read anything.

    Args:
        by: the reference of the caller who does it.
        version: the one that the change was made for; None for a change that fits any.
        removed: whether the frame is to be a deleted one rather than one that is there.

    Raises:
        BadRequest: when ``by`` is no reference.
        Conflict: when the frame has another version by now, with who changed it and when.
        NotFound: when the frame is gone.
    """
    if by is not None and ":" not in by:
        raise BadRequest(
            f'by is {quoted(by)}: it is the reference of who does it, such as "user:42"; what '
            "splits a pane is its dimension"
        )
    session.flush()
    identity = t.cast("t.Any", sa.inspect(frame)).identity
    there = Frame.removed_at.is_not(None) if removed else Frame.removed_at.is_(None)
    wanted = [Frame.id == identity[0], there]
    if version is not None:
        # A number that no key can be is no frame's version, and not every database compares it.
        wanted.append(Frame.version == version if abs(version) <= MOST_ID else sa.false())
    held = session.execute(
        sa.update(Frame)
        .where(*wanted)
        .values(version=Frame.version + 1, updated_at=now(), updated_by=by)
        .execution_options(synchronize_session=False)
    )
    try:
        session.refresh(frame, with_for_update=True)
    except sa.exc.InvalidRequestError:
        raise NotFound(say("The frame is gone.")) from None
    if t.cast("sa.CursorResult[t.Any]", held).rowcount == 0:
        if removed != (frame.removed_at is not None):
            if removed:
                raise NotFound(say("The frame is not deleted."))
            raise NotFound(say("The frame was deleted meanwhile."))
        raise Conflict(told(frame, by, version))


def begin_writing(session: Session) -> None:
    """Be in a transaction that writes, before a savepoint is set in it.

    Python's SQLite driver begins a transaction at the first change of a row, and a savepoint
    outside of one would be committed as soon as it is released. This changes no row.
    """
    session.execute(
        sa.update(Frame)
        .where(sa.false())
        .values(version=Frame.version)
        .execution_options(synchronize_session=False)
    )


def committed(work: cabc.Callable[[], Answer]) -> Answer:
    """Do some work in the current session and commit it, wholly or not at all.

    Where the database ended the transaction because others were writing, the work is done again
    from its start, a few times; so it must read what it needs itself.

    Raises:
        Conflict: when the database stays too busy. Nothing was changed.
    """
    session = current_state().db.session
    for attempt in range(_ATTEMPTS):
        try:
            answer = work()
            session.commit()
            return answer
        except sa.exc.DBAPIError as error:
            session.rollback()
            if not any(words in str(error.orig).lower() for words in _BUSY):
                raise
            if attempt == _ATTEMPTS - 1:
                raise Conflict(
                    say(
                        "Others are writing at this very moment, so nothing was changed. Try again."
                    )
                ) from error
        except BaseException:
            session.rollback()
            raise
    raise AssertionError("the last attempt answers or raises")
