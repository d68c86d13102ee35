"""The star that a caller sets on a frame, and takes away."""

from __future__ import annotations

import urllib.parse

import flask
from flask.typing import ResponseReturnValue

from ..errors import Refused
from ..frames import Frame, committed, story
from ..frames import framing as changes
from ..frames.reading import find_frame
from ..query.reader import Reader
from ..words import say
from . import addresses, guard


def star(reader: Reader, frame_id: int) -> ResponseReturnValue:
    """Set the caller's star on a frame (``on=1``) or take it away, and go back."""
    found = find_frame(reader, frame_id)
    guard.require(reader.caller, "view", found)
    own = story.own_reference(reader.caller)
    if own is None:
        raise Refused(say("A favourite is kept for somebody with an identity, and you have none."))
    on = flask.request.form.get("on") == "1"
    committed(lambda: changes.set_favourite(found, own, favourite=on))
    return flask.redirect(_back(found), 303)


def _back(found: Frame) -> str:
    """Where the star was pressed: the index or the frame, with their own parameters.

    The browser says it, with what was filtered since the page was loaded; else the form does.
    """
    frame = flask.url_for("janela.frame", frame_id=found.id)
    here = {flask.url_for("janela.index"), frame}
    for given, hosts in (
        (flask.request.headers.get("Referer"), {flask.request.host}),
        (flask.request.form.get("back"), {""}),
    ):
        host, path, query = guard.place_of(given)
        if host in hosts and path in here:
            break
    else:
        return frame
    pairs = urllib.parse.parse_qsl(query, keep_blank_values=True)
    return f"{addresses.url(path, pairs)}#janela-star-{found.id}"
