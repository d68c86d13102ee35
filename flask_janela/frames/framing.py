"""Changes to frames themselves: made, described, copied, deleted and brought back.

Like those of panes they are made in the current session, each while the frame's row is held.
"""

from __future__ import annotations

import re
import typing as t
import unicodedata

import sqlalchemy as sa

from ..query.question import PaneOptions
from ..state import current_state
from .holding import begin_writing, hold
from .models import Favourite, Frame, Pane, now
from .owned import check_attributes, owner_parts, owner_slot

Owner = tuple[str, object] | None

"""What can be set on a frame."""

_LONGEST_KEY = 60


def create_frame(owner: Owner, name: str, *, by: str | None = None, **attributes: t.Any) -> Frame:
    """Make a frame under a key of its own, taken from its name.

    Args:
        owner: ``(type, id)``, or None for a frame of nobody.
        by: the reference of the caller who does it.
        attributes: ``description``, ``columns``, ``gap`` and ``filters``.

    Raises:
        BadRequest: in words, for what cannot be.
    """
    check_attributes(attributes)
    session = current_state().db.session
    owner_type, owner_id = owner_parts(owner)
    begin_writing(session)
    wanted = sa.select(Frame.key).where(Frame.owner_slot == owner_slot(owner_type, owner_id))
    while True:
        frame = Frame(
            key=_free(key_for(name), set(session.scalars(wanted))),
            name=name.strip(),
            owner_type=owner_type,
            owner_id=owner_id,
            created_by=by,
            updated_by=by,
            **attributes,
        )
        try:
            with session.begin_nested():
                session.add(frame)
        except sa.exc.IntegrityError:
            # Somebody took the key between the look and the insert: the next one then.
            wanted = wanted.with_for_update()  # as it is now, on MySQL too
            if frame.key not in set(session.scalars(wanted)):
                raise
            continue
        return frame


def update_frame(
    frame: Frame, *, by: str | None = None, version: int | None = None, **attributes: t.Any
) -> Frame:
    """Set a frame's name, description, columns, gap or default filters.

    Raises:
        BadRequest: in words, for what cannot be.
        Conflict: when the frame has another version by now.
    """
    check_attributes(attributes)
    session = current_state().db.session
    hold(session, frame, by, version)
    for name, value in attributes.items():
        setattr(frame, name, value)
    session.flush()
    return frame


def duplicate_frame(
    frame: Frame, owner: Owner, *, name: str | None = None, by: str | None = None
) -> Frame:
    """A copy of a frame and its panes for an owner, who need not be the frame's."""
    session = current_state().db.session
    session.refresh(frame, with_for_update=True)
    copy = create_frame(
        owner,
        name or f"Copy of {frame.name}"[:200],
        by=by,
        description=frame.description,
        columns=frame.columns,
        gap=frame.gap,
    )
    # Rows are copied as they are, those whose declaration has vanished too; so are the filters.
    session.execute(
        sa.update(Frame)
        .where(Frame.id == copy.id)
        .values(filters=frame.filters)
        .execution_options(synchronize_session=False)
    )
    columns = ["position", *PaneOptions.model_fields]
    session.execute(
        sa.insert(Pane).from_select(
            ["frame_id", *(_column(name) for name in columns), "created_at"],
            sa.select(
                sa.literal(copy.id),
                *(getattr(Pane, name) for name in columns),
                sa.literal(now(), sa.DateTime),
            ).where(Pane.frame_id == frame.id, Pane.removed_at.is_(None)),
            include_defaults=False,
        )
    )
    session.expire(copy, ["panes", "filters"])
    return copy


def delete_frame(frame: Frame, *, by: str | None = None, version: int | None = None) -> Frame:
    """Delete a frame. It is kept with its panes and can be brought back.

    Raises:
        Conflict: when the frame has another version by now.
    """
    session = current_state().db.session
    hold(session, frame, by, version)
    frame.removed_at = now()
    session.flush()
    return frame


def restore_frame(frame: Frame, *, by: str | None = None, version: int | None = None) -> Frame:
    """Bring a deleted frame back as it was.

    Raises:
        NotFound: when it is not deleted.
        Conflict: when the frame has another version by now.
    """
    session = current_state().db.session
    hold(session, frame, by, version, removed=True)
    frame.removed_at = None
    session.flush()
    return frame


def is_favourite(frame: Frame, caller_ref: str | None) -> bool:
    """Whether a caller marked a frame with their star."""
    here = sa.and_(Favourite.frame_id == frame.id, Favourite.caller_ref == (caller_ref or ""))
    statement = sa.select(sa.func.count()).select_from(Favourite).where(here)
    return bool(current_state().db.session.scalar(statement))


def set_favourite(frame: Frame, caller_ref: str, *, favourite: bool) -> None:
    """Mark a frame with a caller's star, or take the star away; twice is as good as once."""
    session = current_state().db.session
    if not favourite:
        here = sa.and_(Favourite.frame_id == frame.id, Favourite.caller_ref == caller_ref)
        session.execute(sa.delete(Favourite).where(here))
        return
    begin_writing(session)
    if is_favourite(frame, caller_ref):
        return
    try:
        with session.begin_nested():
            session.execute(
                sa.insert(Favourite).values(
                    frame_id=frame.id, caller_ref=caller_ref, created_at=now()
                )
            )
    except sa.exc.IntegrityError:
        # A second click won the race; the star is there.
        return


def key_for(name: str) -> str:
    """A name as a key: small letters, digits and underscores; "frame" when none of it is left."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "_", plain).strip("_")[:_LONGEST_KEY].rstrip("_") or "frame"


def _free(key: str, taken: set[str]) -> str:
    if key not in taken:
        return key
    number = 2
    while (numbered := f"{key[: _LONGEST_KEY - len(f'_{number}')]}_{number}") in taken:
        number += 1
    return numbered


def _column(name: str) -> t.Any:
    return sa.inspect(Pane).attrs[name].columns[0]
