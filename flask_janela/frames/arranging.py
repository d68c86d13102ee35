"""Changes to a frame's panes, each while the frame's row is held.

They are made in the current session and committed with it; :func:`~.holding.committed` does both.
``by`` is the reference of the caller who does it, ``version`` the one of the frame that the
change was made for: when the frame has another by now, :class:`Conflict` says who changed it.
"""

from __future__ import annotations

import collections.abc as cabc
import typing as t

import sqlalchemy as sa

from ..errors import BadRequest, NotFound, quoted
from ..query.question import PaneOptions, read_options
from ..state import current_state
from ..words import say
from .holding import Session, hold
from .models import MOST_ID, Frame, Pane, now

MOST_PANES = 200
"""The most panes a frame holds."""


def add_pane(
    frame: Frame, *, by: str | None = None, version: int | None = None, **options: t.Any
) -> Pane:
    """Add a pane after the last one of a frame.

    Args:
        options: the fields of :class:`~flask_janela.query.question.PaneOptions`.

    Raises:
        BadRequest: in words, for options that cannot be, or when the frame is full.
        Conflict: when the frame has another version by now.
    """
    checked = read_options(options)
    with _held(frame, by, version) as (session, panes):
        pane = Pane(frame_id=frame.id, position=len(panes) + 1, **checked.model_dump())
        _insert(session, frame, panes, pane, len(panes) + 1)
    return pane


def update_pane(
    frame: Frame,
    pane_id: int,
    *,
    by: str | None = None,
    version: int | None = None,
    **options: t.Any,
) -> Pane:
    """Set some of a pane's options; those that are not named stay as they are.

    Raises:
        BadRequest: in words, for options that cannot be.
        NotFound: when the frame has no such pane.
        Conflict: when the frame has another version by now.
    """
    with _held(frame, by, version) as (session, panes):
        pane = _one(panes, pane_id)
        kept = {name: getattr(pane, name) for name in PaneOptions.model_fields}
        for name, value in read_options(kept | options).model_dump().items():
            setattr(pane, name, value)
        session.flush()
    return pane


def duplicate_pane(
    frame: Frame, pane_id: int, *, by: str | None = None, version: int | None = None
) -> Pane:
    """Put a copy of a pane behind it.

    Raises:
        BadRequest: when the frame is full, or the pane asks for what does not exist any more.
        NotFound: when the frame has no such pane.
        Conflict: when the frame has another version by now.
    """
    with _held(frame, by, version) as (session, panes):
        pane = _one(panes, pane_id)
        at = panes.index(pane) + 2
        options = {name: getattr(pane, name) for name in PaneOptions.model_fields}
        copy = Pane(frame_id=frame.id, position=at, **options)
        _insert(session, frame, panes, copy, at)
    return copy


def remove_pane(
    frame: Frame, pane_id: int, *, by: str | None = None, version: int | None = None
) -> Pane:
    """Take a pane out of its frame. It is kept, with its place, and can be brought back.

    Raises:
        NotFound: when the frame has no such pane.
        Conflict: when the frame has another version by now.
    """
    with _held(frame, by, version) as (session, panes):
        pane = _one(panes, pane_id)
        _set(session, pane, removed_at=now())
        _number(session, frame, [each for each in panes if each is not pane])
    return pane


def restore_pane(
    frame: Frame, pane_id: int, *, by: str | None = None, version: int | None = None
) -> Pane:
    """Bring a removed pane back to the place it had; one that is there stays as it is.

    Raises:
        BadRequest: when the frame is full.
        NotFound: when the frame never had such a pane.
        Conflict: when the frame has another version by now.
    """
    with _held(frame, by, version) as (session, panes):
        pane = find_pane(frame, pane_id, held=True)
        if pane.removed_at is not None:
            _set(session, pane, removed_at=None)
            _insert(session, frame, panes, pane, pane.position)
    return pane


def move_pane(
    frame: Frame,
    pane_id: int,
    to: int | t.Literal["earlier", "later"],
    *,
    by: str | None = None,
    version: int | None = None,
) -> Pane:
    """Move a pane to a position, or by one; behind the last one means the last place.

    Raises:
        BadRequest: for a position below 1.
        NotFound: when the frame has no such pane.
        Conflict: when the frame has another version by now.
    """
    if to not in ("earlier", "later") and (not isinstance(to, int) or to < 1):
        raise BadRequest(
            say(
                'position is {given}: use 1 or more, "earlier" or "later"',
                given=quoted(to),
            )
        )
    with _held(frame, by, version) as (session, panes):
        pane = _one(panes, pane_id)
        at = panes.index(pane) + 1
        wanted = {"earlier": at - 1, "later": at + 1}.get(to, to) if isinstance(to, str) else to
        others = [each for each in panes if each is not pane]
        others.insert(max(int(wanted), 1) - 1, pane)
        _number(session, frame, others)
    return pane


def resize_pane(
    frame: Frame,
    pane_id: int,
    *,
    span: int | None = None,
    height: int | None = None,
    by: str | None = None,
    version: int | None = None,
) -> Pane:
    """Make a pane so many columns wide (1 to 12) and so many rows high (1 to 5).

    Raises:
        BadRequest: in words, for another size.
        NotFound: when the frame has no such pane.
        Conflict: when the frame has another version by now.
    """
    given = {"span": span, "height": height}
    size = {name: value for name, value in given.items() if value is not None}
    read_options(size)
    with _held(frame, by, version) as (session, panes):
        pane = _one(panes, pane_id)
        if size:
            _set(session, pane, **size)
    return pane


def find_pane(frame: Frame, pane_id: int, *, held: bool = False) -> Pane:
    """A pane that is in a frame, or was until it was removed.

    Args:
        held: whether the frame's row is, and the pane is to be read as it is now.

    Raises:
        NotFound: when the frame never had such a pane.
    """
    here = sa.select(Pane).where(Pane.id == pane_id, Pane.frame_id == frame.id)
    here = here.with_for_update() if held else here
    fresh = here.execution_options(populate_existing=True)
    found = current_state().db.session.scalars(fresh).one_or_none() if pane_id <= MOST_ID else None
    if found is None:
        raise NotFound(say("There is no such pane in this frame."))
    return found


class _held:
    """A frame's row held, with its panes in order as they are now."""

    def __init__(self, frame: Frame, by: str | None, version: int | None) -> None:
        self.frame, self.by, self.version = frame, by, version
        self.session: Session = current_state().db.session

    def __enter__(self) -> tuple[Session, list[Pane]]:
        hold(self.session, self.frame, self.by, self.version)
        panes = self.session.scalars(
            sa.select(Pane)
            .where(Pane.frame_id == self.frame.id, Pane.removed_at.is_(None))
            .order_by(Pane.position, Pane.id)
            .with_for_update()
            .execution_options(populate_existing=True)
        )
        return self.session, list(panes)

    def __exit__(self, *error: object) -> None:
        if error[0] is None:
            self.session.expire(self.frame, ["panes"])


def _one(panes: list[Pane], pane_id: int) -> Pane:
    for pane in panes:
        if pane.id == pane_id:
            return pane
    raise NotFound(say("There is no such pane in this frame."))


def _insert(session: Session, frame: Frame, panes: list[Pane], pane: Pane, at: int) -> None:
    """Put a pane at a position among the others, if there is room for one more."""
    if len(panes) >= MOST_PANES:
        raise BadRequest(
            say(
                "this frame holds {most} panes, which is the most; remove one first, or start "
                "another frame",
                most=MOST_PANES,
            )
        )
    session.add(pane)
    session.flush()
    _number(session, frame, [*panes[: at - 1], pane, *panes[at - 1 :]])


def _number(session: Session, frame: Frame, panes: cabc.Sequence[Pane]) -> None:
    """Count the panes from 1 in this order, in one statement for those whose place is new.

    The rows are written past the checks of a save, which a pane whose declaration has vanished
    would not pass: it can still be moved.
    """
    moved = {pane.id: at for at, pane in enumerate(panes, 1) if pane.position != at}
    if moved:
        session.execute(
            sa.update(Pane)
            .where(Pane.frame_id == frame.id, Pane.id.in_(moved))
            .values(position=sa.case(moved, value=Pane.id))
            .execution_options(synchronize_session=False)
        )
    for pane in panes:
        session.expire(pane, ["position"])


def _set(session: Session, pane: Pane, **values: t.Any) -> None:
    """Write some columns of a pane past the checks of a save."""
    session.execute(
        sa.update(Pane)
        .where(Pane.id == pane.id)
        .values(**values)
        .execution_options(synchronize_session=False)
    )
    session.expire(pane, list(values))
