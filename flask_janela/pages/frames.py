"""One frame, live: its panes under the frame's own filters and the reader's."""

from __future__ import annotations

import re
import time

import flask
from flask.typing import ResponseReturnValue

from ..errors import NotFound
from ..frames import Frame, Pane, framing, story
from ..frames.reading import find_frame, homes_of, own_filters
from ..query import filters as filter_grammar
from ..query.reader import Reader
from ..state import current_state
from ..vocabulary import BoundDimension
from ..words import say
from . import addresses, guard, live, views
from .light import Light as Light
from .rendering import is_part, render

_SORT = re.compile(r"sort\.[0-9]{1,19}")


def frame(reader: Reader, frame_id: int) -> ResponseReturnValue:
    """The page of one frame; ``?q.…`` is its whole state."""
    until = time.monotonic() + current_state().config.render_seconds
    found = find_frame(reader, frame_id)
    guard.require(reader.caller, "view", found)
    light = light_of(reader, found)
    panes = tuple(
        light.waiting(pane, found.columns)
        # One click is one request: what htmx asks for comes whole.
        if pane.kind == "query" and not is_part() and time.monotonic() >= until
        else light.pane(pane, found.columns)
        for pane in found.panes
    )
    form = "" if light.mode.kiosk else flask.url_for("janela.filter", frame_id=found.id)
    bar = light.bar(form, _dimensions(reader, found))
    view = views.Frame(
        name=found.name,
        description=found.description,
        columns=found.columns,
        gap=found.gap,
        filters=bar,
        panes=panes,
        live=live.view(light.address, light.mode, bar, panes),
        star=_star(reader, found),
        arrange=_arrange(reader, found),
    )
    return render("frame", view, reader.caller)


def pane(reader: Reader, frame_id: int, pane_id: int) -> ResponseReturnValue:
    """The page of one pane under the frame's filters; a pane that waits in a frame asks for it."""
    found = find_frame(reader, frame_id)
    guard.require(reader.caller, "view", found)
    one = next((each for each in found.panes if each.id == pane_id), None)
    if one is None:
        raise NotFound(say("There is no such pane, or none that you may see."))
    light = light_of(reader, found)
    drawn = light.pane(one, found.columns)
    view = views.Alone(
        frame=views.Link(light.address.url(), found.name),
        title=drawn.title or drawn.label or say("Words"),
        filters=light.bar(),
        pane=drawn,
    )
    return render("pane", view, reader.caller)


def query_of(found: Frame, pane_id: int) -> Pane:
    """One pane of a frame that asks for numbers."""
    pane = next((each for each in found.panes if each.id == pane_id), None)
    if pane is None or pane.kind != "query":
        raise NotFound(say("There is no such pane, or none with numbers."))
    return pane


def light_of(
    reader: Reader, found: Frame, *, own: tuple[str, ...] = (), repeated: tuple[str, ...] = ()
) -> Light:
    """What draws a frame's panes under the filters and orders of this request's address.

    Args:
        own, repeated: parameters that this page has besides a frame's.
    """
    homes = homes_of(found, reader)
    given = addresses.read(
        flask.request.args, own=(*live.OWN, *sort_keys(), *own), repeated=repeated
    )
    mode = live.read(given.own)
    address = addresses.Address(
        path=flask.url_for("janela.frame", frame_id=found.id),
        own=(*mode.own, *sorts_of(found, given)),
        home=homes[0] if homes else None,
        filters=filter_grammar.parse(given.reader, reader.catalogue, reader.caller, homes),
    )
    fixed, fault = own_filters(found, reader, homes)
    exports = current_state().may(reader.caller, "export", found)
    return Light(reader, address, fixed, fault, found.gap, exports, mode)


def _dimensions(reader: Reader, found: Frame) -> list[BoundDimension]:
    """What a reader can filter a frame by, in the order of its panes' models."""
    homes = homes_of(found, reader)
    return [each for home in homes for each in reader.dimensions(home).values()]


def _star(reader: Reader, found: Frame) -> views.Star | None:
    own = story.own_reference(reader.caller)
    if own is None:
        return None
    action = flask.url_for("janela.star", frame_id=found.id)
    back = flask.request.full_path.rstrip("?")
    return views.Star(found.id, found.name, framing.is_favourite(found, own), action, back)


def _arrange(reader: Reader, found: Frame) -> str:
    may = current_state().may(reader.caller, "arrange", found)
    return flask.url_for("janela.arrange", frame_id=found.id) if may else ""


def sort_keys() -> list[str]:
    """The parameters of this request that sort a pane's table: ``sort.7=-late``."""
    return [key for key in flask.request.args if _SORT.fullmatch(key)]


def sorts_of(found: Frame, given: addresses.Arguments) -> addresses.Pairs:
    """Those of the frame's panes; one that has been taken away meanwhile has nothing to sort."""
    here = {f"sort.{pane.id}" for pane in found.panes}
    return tuple((key, value) for key, value in given.own.items() if key in here)
