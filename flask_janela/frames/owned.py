"""Finding an owner's frame by its key, or creating it, safe against a race."""

from __future__ import annotations

import collections.abc as cabc
import typing as t

import sqlalchemy as sa

from ..errors import BadRequest, HookError, listed, quoted
from ..hooks import Hooks
from ..state import current_state
from .holding import begin_writing
from .models import Frame

FRAME_OPTIONS = ("name", "description", "columns", "gap", "filters")
"""What a frame is made with, and can be given later."""


def owner_parts(owner: tuple[str, object] | None) -> tuple[str, str] | tuple[None, None]:
    """An owner as the two texts that rows keep."""
    if owner is None:
        return None, None
    if not isinstance(owner, tuple) or len(owner) != 2 or not all(str(part) for part in owner):
        raise BadRequest(f'owner is {quoted(owner)}: use ("type", "id") or None')
    return str(owner[0]), str(owner[1])


def owner_for(hooks: Hooks, caller: object) -> tuple[str, object] | None:
    """Whose a frame is that a caller makes, as ``@janela.owner`` answers; None for nobody's.

    Raises:
        HookError: when it answers anything else.
    """
    if hooks.owner is None:
        return None
    answer = hooks.owner(caller)
    try:
        owner_parts(answer)
    except BadRequest:
        raise HookError(
            f'@janela.owner answered {quoted(answer)}: answer ("type", "id"), or None for nobody.'
        ) from None
    return t.cast("tuple[str, object] | None", answer)


def check_attributes(attributes: cabc.Iterable[str]) -> None:
    """Refuse what is no attribute that a frame is made with."""
    unknown = [quoted(name) for name in attributes if name not in FRAME_OPTIONS]
    if unknown:
        raise BadRequest(
            f"{listed(unknown)} cannot be set on a frame; there is {listed(FRAME_OPTIONS)}"
        )


def find_or_create(
    owner: tuple[str, object] | None, key: str, *, name: str, **attributes: t.Any
) -> Frame:
    """The owner's frame of that key; a new one is flushed, and committed with the session.

    One that was deleted holds its key, and is brought back.
    """
    check_attributes(attributes)
    session = current_state().db.session
    owner_type, owner_id = owner_parts(owner)
    wanted = sa.select(Frame).where(
        Frame.key == key,
        Frame.owner_slot == owner_slot(owner_type, owner_id),
    )
    if (found := session.scalars(wanted).first()) is not None:
        if found.removed_at is not None:
            found.removed_at = None
            session.flush()
        return found
    frame = Frame(key=key, name=name, owner_type=owner_type, owner_id=owner_id, **attributes)
    begin_writing(session)
    try:
        with session.begin_nested():
            session.add(frame)
    except sa.exc.IntegrityError:
        # As it is now: MySQL would show what was there before.
        if (found := session.scalars(wanted.with_for_update()).first()) is not None:
            return found
        raise
    return frame


def owner_slot(owner_type: str | None, owner_id: str | None) -> str:
    """One text for an owner, never null, so that a key is unique for nobody's frames too."""
    return "" if owner_type is None else f"{len(owner_type)}:{owner_type}:{owner_id}"
