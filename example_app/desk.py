"""What the desk tells Janela: who may read which rows, who may do what, whose a new frame is."""

from __future__ import annotations

import typing as t

import sqlalchemy as sa

from flask_janela import Frame, Janela

from .models import Flight
from .people import Person

janela = Janela()


@janela.scope
def scope(model: type[t.Any], caller: Person) -> sa.Select[t.Any]:
    """Operations read everything; an analyst their airline's flights and frames, and shared frames.

    Whatever is added later is closed to analysts until it is opened here.
    """
    if caller.is_ops:
        return sa.select(model)
    if model is Flight:
        return sa.select(Flight).where(Flight.carrier == caller.carrier)
    if model is Frame:
        shared = Frame.owner_id.is_(None)
        own = sa.and_(Frame.owner_type == "airline", Frame.owner_id == caller.carrier)
        return sa.select(Frame).where(sa.or_(shared, own))
    return sa.select(model).where(sa.false())


@janela.permission
def may(caller: Person, action: str, subject: object = None) -> bool:
    """Everyone may view and arrange what the scope shows them; the roster is for operations."""
    if action == "roster":
        return caller.is_ops
    return action in {"view", "arrange", "snapshot", "export"}


@janela.owner
def owner(caller: Person) -> tuple[str, str] | None:
    """An analyst's new frames belong to the airline; those of operations are shared."""
    return None if caller.carrier is None else ("airline", caller.carrier)
