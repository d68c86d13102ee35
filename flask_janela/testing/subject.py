"""What a walk is about: who is signed in, what they may ask, and the frames that they see."""

from __future__ import annotations

import collections.abc as cabc
import contextlib
import contextvars
import dataclasses
import functools
import secrets
import typing as t

import flask
import sqlalchemy as sa
from flask.testing import FlaskClient

from .. import caller as callers
from ..errors import JanelaError
from ..frames import Frame, Pane, add_pane
from ..frames.owned import owner_for
from ..state import State
from ..vocabulary import BoundMeasure, BoundModel, Count
from .leaks import Incomplete
from .truth import name_of, rows_of

SignIn = cabc.Callable[[FlaskClient, t.Any], t.Any]
"""The host's way to sign a caller in to a test client."""

MOST_FRAMES = 20


@dataclasses.dataclass(frozen=True, slots=True)
class Hung:
    """A frame that a caller may see: its id, its panes' ids, and all that was typed into it.

    Attributes:
        made: whether the walk hung it itself, and so knows what its panes ask.
        panes: ids of its queries, with the model that each asks.
    """

    id: int
    version: int
    made: bool
    panes: tuple[tuple[int, str | None], ...]
    typed: str

    @property
    def name(self) -> str:
        return self.typed.partition("\n")[0]


@dataclasses.dataclass(frozen=True, slots=True)
class Asked:
    """What is asked about a model on a caller's behalf.

    Attributes:
        measures, dimensions: public names of those that exist for them.
        number: the measure that dimensions are asked with; ``counts`` whether it counts all rows.
    """

    bound: BoundModel
    measures: tuple[str, ...]
    dimensions: tuple[str, ...]
    number: str
    counts: bool


def asked_of(state: State, bound: BoundModel, caller: t.Any) -> Asked:
    """What exists for a caller in a model's vocabulary.

    Raises:
        Incomplete: when no measure does.
    """
    measures = state.catalogue.measures(bound, caller)
    if not measures:
        raise Incomplete(
            f"No measure of {bound.name} exists for {name_of(caller)} (visible_to), so there is "
            "nothing to ask. Choose another caller."
        )
    plain = [name for name, measure in measures.items() if _counts_all(measure)]
    return Asked(
        bound,
        tuple(measures),
        tuple(state.catalogue.dimensions(bound, caller)),
        plain[0] if plain else next(iter(measures)),
        bool(plain),
    )


def _counts_all(measure: BoundMeasure) -> bool:
    declared = measure.declared
    return type(declared) is Count and declared.column is None and declared.where is None


class Browser:
    """A test client in which somebody is signed in. Each request begins with nothing in ``g``."""

    def __init__(self, app: flask.Flask, caller: t.Any, sign_in: SignIn | None) -> None:
        self._client = app.test_client()
        if caller is not None:
            signing = sign_in or functools.partial(_by_flask_login, app)
            contextvars.Context().run(signing, self._client, caller)

    def get(self, address: str) -> t.Any:
        return self._fresh(self._client.get, address)

    def post(self, address: str, **form: str) -> t.Any:
        return self._fresh(self._client.post, address, data=form)

    def _fresh(self, send: cabc.Callable[..., t.Any], address: str, **more: t.Any) -> t.Any:
        # In a context of its own, and read to its end there: a test's own application context would
        # keep who asked before.
        return contextvars.Context().run(lambda: send(address, buffered=True, **more))


def _by_flask_login(app: flask.Flask, client: FlaskClient, caller: t.Any) -> None:
    if not hasattr(app, "login_manager"):
        raise JanelaError(
            "The application has no Flask-Login, so say how somebody signs in: "
            "sign_in=lambda client, caller: client.post(…)."
        )
    with client.session_transaction() as session:
        session["_user_id"] = callers.unwrapped(caller).get_id()
        session["_fresh"] = True


def seen_frames(state: State, caller: t.Any) -> list[Hung]:
    """Frames that the scope shows to a caller, the newest first."""
    entity = rows_of(state, Frame, caller)
    newest = sa.select(entity).where(entity.removed_at.is_(None)).order_by(entity.id.desc())
    return [_hung(frame) for frame in state.db.session.scalars(newest.limit(MOST_FRAMES))]


def _hung(frame: Frame, made: bool = False) -> Hung:
    typed = [frame.name, frame.description or "", str(frame.filters)]
    for pane in frame.panes:
        words = (pane.title, pane.heading, pane.body, str(pane.filters))
        typed += [word for word in words if word]
    panes = tuple((pane.id, pane.model) for pane in frame.panes if pane.kind == "query")
    return Hung(frame.id, frame.version, made, panes, "\n".join(typed))


@contextlib.contextmanager
def hung(state: State, asked: Asked, caller: t.Any) -> cabc.Iterator[Hung | None]:
    """A frame with a pane for each of a model's dimensions, as the caller would make it.

    It is there while the walk is, in the database that the application uses. None for a caller who
    may not arrange.

    Raises:
        Incomplete: when the scope does not show it to them.
    """
    if not state.may(caller, "arrange"):
        yield None
        return
    session = state.db.session
    owner = owner_for(state.hooks, callers.unwrapped(caller))
    key = f"janela_testing_{secrets.token_hex(8)}"
    frame = Frame.for_owner(owner, key, name="A walk of flask_janela.testing")
    number: dict[str, t.Any] = {"model": asked.bound.name, "measure": asked.number}
    add_pane(frame, **number)
    for dimension in asked.dimensions:
        add_pane(frame, **number, dimension=dimension, renderer="table")
    session.commit()
    id_ = frame.id
    try:
        entity = rows_of(state, Frame, caller)
        if session.scalar(sa.select(entity.id).where(entity.id == id_)) is None:
            raise Incomplete(
                f"A frame that {name_of(caller)} makes is not shown to them by the scope, so no "
                "pane can be walked: let @janela.owner answer what the scope looks for in Frame, "
                'or let @janela.permission refuse them the action "arrange".'
            )
        yield _hung(frame, made=True)
    finally:
        session.rollback()
        session.execute(sa.delete(Pane).where(Pane.frame_id == id_))
        session.execute(sa.delete(Frame).where(Frame.id == id_))
        session.commit()
