"""Frames and panes in the host's own templates, for whoever asks for the page.

``janela_frame``, ``janela_pane`` and ``janela_assets`` are known to every template that the host
renders. They go through the same guard, scope and filters as the pages. What cannot be shown to
this caller is said in the pane's place, so that the host's page stands: nobody signed in reads a
sentence and no row; a fault of the set-up, ``Unscoped`` above all, is raised.
"""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import typing as t

import flask
import markupsafe

from .. import caller as callers
from ..errors import BadRequest, JanelaError, NotFound, Refused, Unauthenticated
from ..frames import Frame, Pane
from ..frames.reading import find_frame, homes_of, own_filters
from ..query import filters as filter_grammar
from ..query.filters import Filter, Layers
from ..query.question import read_options
from ..query.reader import Reader
from ..state import current_state
from ..words import say, speak
from . import addresses, ask, figures, frames, guard, views
from .asked import Asked
from .rendering import speech

Where = cabc.Mapping[str, t.Any]
"""Filters of the host's own: ``[model.]dimension[.operator]`` with a value or a list of them."""

_NOT_HERE = {
    Unauthenticated: say("Sign in to see this."),
    Refused: say("You may not see this."),
    NotFound: say("This cannot be shown here."),
    BadRequest: say("This cannot be shown here."),
}


def globals_() -> dict[str, t.Any]:
    """What the host's templates are given."""
    return {
        "janela_frame": janela_frame,
        "janela_pane": janela_pane,
        "janela_assets": janela_assets,
    }


def janela_assets() -> markupsafe.Markup:
    """The stylesheet that frames and panes need, for the head of the host's page."""
    return _drawn("assets")


def janela_frame(frame: Frame | int, *, where: Where | None = None) -> markupsafe.Markup:
    """A frame, live: its marks lead to the frame's page, filtered. ::

        {{ janela_frame(frame, where={"customer": customer.id}) }}

    Args:
        frame: the frame, or its id. It is read anew, within the caller's scope.
        where: filters that its readers cannot remove here.

    Raises:
        Unscoped: when no scope function is registered.
    """
    given = frame.id if isinstance(frame, Frame) else frame
    try:
        reader = _reader()
        found = find_frame(reader, given)
        guard.require(reader.caller, "view", found)
        light = _light(reader, found, where or {})
        view = views.EmbeddedFrame(
            name=found.name,
            href=light.address.url(),
            columns=found.columns,
            gap=found.gap,
            panes=tuple(light.pane(pane, found.columns) for pane in found.panes),
        )
    except (Unauthenticated, Refused, NotFound, BadRequest) as error:
        return _instead(error)
    return _drawn("embedded_frame", frame=view)


def janela_pane(
    model: str,
    measure: str,
    *,
    by: str | None = None,
    where: Where | None = None,
    **options: t.Any,
) -> markupsafe.Markup:
    """One question drawn: its marks lead to the question's own page, filtered. ::

        {{ janela_pane("flights", "late", by="airline", where={"scheduled.this": "year"}) }}

    Args:
        model, measure, by: public names; ``by`` is a dimension.
        where: filters that its readers cannot remove here.
        options: the other options of a pane, such as ``renderer``, ``limit`` or ``title``. Its
            ``dimension`` is ``by``.

    Raises:
        Unscoped: when no scope function is registered.
    """
    try:
        reader = _reader()
        given = {"dimension": by, **options, "model": model, "measure": measure}
        if by is not None and given["dimension"] != by:
            raise TypeError("janela_pane takes by or dimension, which mean the same; give one.")
        asked = _asked(reader, given, where or {})
        sheet = ask.Sheet(asked)
        drawn = sheet.drawn()
        pane = dataclasses.replace(
            sheet.pane(drawn),
            id=f"janela-embedded-{_count()}",
            title=asked.options.title or sheet.title,
            table=drawn.table if drawn.figure is not drawn.table else None,
            more=(
                views.Link(asked.address.url(), say("Open as a page")),
                *([views.Link(rows, say("Show the rows"))] if (rows := sheet.rows()) else []),
            ),
        )
    except (Unauthenticated, Refused, NotFound, BadRequest) as error:
        return _instead(error)
    return _drawn("embedded_pane", pane=pane)


def _reader() -> Reader:
    """A reading for who asks for this page, as the guard of the pages makes one."""
    state = current_state()
    caller = callers.current_caller(state.hooks)
    if caller is None:
        raise Unauthenticated(say("Nobody is signed in."))
    guard.require(caller, "view")
    reader = state.reader(caller)
    speak(reader.locale)
    return reader


def _asked(reader: Reader, given: dict[str, t.Any], where: Where) -> Asked:
    options = read_options(given)
    home = reader.model(options.model or "")
    reader.catalogue.measure(home, options.measure or "", reader.caller)
    pairs = filter_grammar.pairs({**options.filters, **where})
    fixed = filter_grammar.parse(pairs, reader.catalogue, reader.caller, [home])
    return Asked(reader, home, options, fixed, ())


@dataclasses.dataclass(frozen=True)
class _Inside(frames.Light):
    """A frame's panes inside a page of the host's, under filters of the host's.

    The address is the frame's page under the same filters, where they are the reader's own.
    """

    number: int = 0

    def layers(self, own: tuple[Filter, ...]) -> Layers:
        return Layers(frame=self.own, fixed=self.address.filters, pane=own)

    def id_of(self, pane: Pane) -> str:
        return f"janela-embedded-{self.number}-{pane.id}"

    def _sort(self, key: str) -> None:
        return None


def _light(reader: Reader, found: Frame, where: Where) -> _Inside:
    homes = homes_of(found, reader)
    every = [reader.model(name) for name in reader.catalogue.names(reader.caller)]
    others = [model for model in every if model not in homes]
    own, fault = own_filters(found, reader, homes)
    pairs = filter_grammar.pairs(where)
    address = addresses.Address(
        path=flask.url_for("janela.frame", frame_id=found.id),
        own=(),
        home=homes[0] if homes else None,
        filters=filter_grammar.parse(pairs, reader.catalogue, reader.caller, [*homes, *others]),
    )
    return _Inside(reader, address, own, fault, found.gap, number=_count())


def _count() -> int:
    """How many times this page has embedded something, so that no id stands on it twice."""
    count = int(flask.g.get("janela_embedded", 0)) + 1
    flask.g.janela_embedded = count
    return count


def _instead(error: JanelaError) -> markupsafe.Markup:
    what = next(words for kind, words in _NOT_HERE.items() if isinstance(error, kind))
    why = error.message if isinstance(error, NotFound | BadRequest) else ""
    pane = views.Pane(
        id=f"janela-embedded-{_count()}",
        title="",
        label=what,
        figure=figures.Gone(what, why),
        whole=True,
    )
    return _drawn("embedded_pane", pane=pane)


def _drawn(partial: str, **given: t.Any) -> markupsafe.Markup:
    # Escaped by the template; Markup keeps the host's from escaping it once more.
    html = flask.render_template(f"janela/_partials/{partial}.html", **speech(), **given)
    return markupsafe.Markup(html)  # noqa: S704
