"""A question put into a frame as a pane, with the filters it was asked under."""

from __future__ import annotations

import collections.abc as cabc

import flask
from flask.typing import ResponseReturnValue

from ..errors import BadRequest, quoted
from ..frames import Frame, add_pane, committed, story
from ..frames.reading import find_frame
from ..frames.validation import check_options
from ..query import filters as filter_grammar
from ..query.filters import Filter
from ..query.question import read_options
from ..query.reader import Reader
from ..state import current_state
from ..vocabulary import BoundModel
from ..words import say
from . import addresses, guard, views
from .asked import read

MOST = 200
"""The most frames that are offered, by name."""

_WIDE, _NARROW = 6, 4


def offer(reader: Reader, address: str) -> views.AddTo | None:
    """The frames that a question at an address can be added to; None for who may arrange none."""
    state = current_state()
    if not state.may(reader.caller, "arrange"):
        return None
    statement = reader.select(Frame).where(Frame.removed_at.is_(None))
    statement = statement.order_by(Frame.name, Frame.id).limit(MOST)
    found = [
        frame
        for frame in reader.execute(Frame, statement).scalars()
        if state.may(reader.caller, "arrange", frame)
    ]
    return views.AddTo(
        action=address,
        frames=tuple((frame.id, frame.name) for frame in found),
        new=flask.url_for("janela.new_frame"),
    )


def add(
    reader: Reader, model: str, measure: str, dimension: str | None = None
) -> ResponseReturnValue:
    """Add the question of this address to the frame that the form names; then show that frame."""
    asked = read(reader, model, measure, dimension)
    given = flask.request.form.get("frame", "")
    if (frame_id := addresses.whole(given)) is None:
        raise BadRequest(
            say("{name} is {given}: choose one of your frames.", name="frame", given=quoted(given))
        )
    found = find_frame(reader, frame_id)
    guard.require(reader.caller, "arrange", found)
    number = asked.options.renderer == "number" or asked.options.dimension is None
    options = asked.options.model_dump() | {
        "span": min(_NARROW if number else _WIDE, found.columns),
        "filters": kept(asked.fixed, asked.chosen, asked.home),
    }
    # What is saved is checked by all that is declared; what is said to the caller by what they see.
    check_options(read_options(options), reader.catalogue, reader.caller)
    by = story.own_reference(reader.caller)
    pane = committed(lambda: add_pane(found, by=by, **options))
    page = flask.url_for("janela.frame", frame_id=found.id, _anchor=f"janela-pane-{pane.id}")
    return flask.redirect(page, 303)


def kept(
    fixed: cabc.Iterable[Filter], chosen: cabc.Iterable[Filter], home: BoundModel
) -> dict[str, list[str]]:
    """The filters of a question as a pane keeps them.

    Raises:
        BadRequest: when the link and the reader filter by one key in two ways: both hold, and a
            pane has each key only once.
    """
    found: dict[str, list[str]] = {}
    for layer in (fixed, chosen):
        written: dict[str, list[str]] = {}
        for key, value in filter_grammar.write(layer, home):
            written.setdefault(key, []).append(value)
        for key, values in written.items():
            if found.setdefault(key, values) != values:
                raise BadRequest(
                    say("{key} is filtered twice; remove one of the two filters first.", key=key)
                )
    return found
