"""Arranging a frame: the same grid with live numbers, and the changes made on it."""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import time
import typing as t

import flask
from flask.typing import ResponseReturnValue

from ..errors import BadRequest, Conflict, NotFound, quoted
from ..frames import Frame, Pane, arranging, committed, framing, showing, story
from ..frames.reading import find_frame, homes_of, own_filters
from ..query.question import PaneOptions, read_options
from ..query.reader import Reader
from ..query.result import Result, Row
from ..state import current_state
from ..words import Words, say, translated
from . import addresses, figures, forms, frames, guard, handles, views, words
from .rendering import is_part, render
from .thumbnails import height_of


@dataclasses.dataclass(frozen=True, slots=True)
class Arrange:
    """The page on which a frame is arranged."""

    name: str
    columns: int
    gap: int
    version: int
    changed: str
    frame: str
    settings: str
    add: str
    panes: tuple[handles.Arranged, ...]
    toast: views.Toast | None


@dataclasses.dataclass(frozen=True, slots=True)
class Again:
    """A change that came too late: its story, and the same change ready to be sent again."""

    name: str
    story: forms.Story
    what: str
    action: str
    fields: tuple[tuple[str, str], ...]
    version: int
    back: str


class Still(frames.Light):
    """Panes whose marks lead nowhere: while arranging, a pane is moved rather than asked."""

    def waiting(self, pane: Pane, columns: int) -> views.Pane:
        """A place for what one pane shows, among its handles."""
        place = f"janela-arrlight-{pane.id}"
        href = addresses.url(self.address.path, [("first", str(pane.id))])
        figure = figures.Waiting(f"{href}#{self.id_of(pane)}", place, place)
        return views.Pane(title=self._title(pane), figure=figure, **self._shape(pane, columns))

    def _toggled(self, result: Result, row: Row, *, several: bool) -> str | None:
        return None

    def _show_all(self, *asked: t.Any, **named: t.Any) -> str | None:
        return None

    def _sort(self, key: str) -> None:
        return None

    def _more(self, *asked: t.Any, **named: t.Any) -> tuple[views.Link, ...]:
        return ()


def still(reader: Reader, found: Frame) -> Still:
    """What draws a frame's panes while it is arranged: its own filters, none of the reader's."""
    homes = homes_of(found, reader)
    own, fault = own_filters(found, reader, homes)
    address = addresses.Address(
        path=flask.url_for("janela.arrange", frame_id=found.id),
        own=(),
        home=homes[0] if homes else None,
        filters=(),
    )
    return Still(reader, address, own, fault, found.gap)


def find(reader: Reader, frame_id: int) -> Frame:
    """The frame, if the caller may see and arrange it."""
    found = find_frame(reader, frame_id)
    guard.require(reader.caller, "arrange", found)
    return found


def find_typed(reader: Reader, frame_id: int) -> Frame:
    """The frame that something was typed for, which may have been deleted meanwhile."""
    found = find_frame(reader, frame_id, removed=None)
    guard.require(reader.caller, "arrange", found)
    return found


def brought_back(found: Frame, by: str | None, version: int) -> int | None:
    """The version that what was typed must still fit, once a deleted frame is there again.

    Raises:
        NotFound: when the frame was deleted, and what was typed is not sent to bring it back.
    """
    if found.removed_at is None:
        return version
    if flask.request.form.get("restore") != "1":
        raise NotFound(say("The frame was deleted meanwhile."))
    framing.restore_frame(found, by=by, version=version)
    return None


def deleted(reader: Reader, found: Frame) -> forms.Story | None:
    """That a frame was deleted while something was typed for it, if so."""
    if found.removed_at is None:
        return None
    own = story.own_reference(reader.caller)
    return forms.Story(story.deleted(found, own, reader.clock, reader.locale), deleted=True)


def arrange(reader: Reader, frame_id: int) -> ResponseReturnValue:
    """The page; ``?removed=…`` names a pane that was just removed and can be brought back.

    Panes are drawn until the time for that is spent; those after it ask for themselves by
    ``?first=…``, which draws that one before all others, and alone for htmx.
    """
    until = time.monotonic() + current_state().config.render_seconds
    found = find(reader, frame_id)
    given = addresses.read(flask.request.args, own=("first", "removed"), filters=False).own
    alone = "first" in given and is_part()
    light = still(reader, found)
    drawn: dict[int, views.Pane] = {}
    for pane in sorted(found.panes, key=lambda pane: str(pane.id) != given.get("first")):
        waits = pane.kind == "query" and bool(drawn) and (alone or time.monotonic() >= until)
        draw = light.waiting if waits else light.pane
        drawn[pane.id] = draw(pane, found.columns)
    at: dict[str, t.Any] = {"frame_id": found.id}
    count = len(found.panes)
    view = Arrange(
        name=found.name,
        columns=found.columns,
        gap=found.gap,
        version=found.version,
        changed=story.changed(
            found, story.own_reference(reader.caller), reader.clock, reader.locale
        ),
        frame=flask.url_for("janela.frame", **at),
        settings=flask.url_for("janela.edit_frame", **at),
        add=flask.url_for("janela.new_pane", **at),
        panes=tuple(
            handles.arranged(reader, found, pane, drawn[pane.id], count) for pane in found.panes
        ),
        toast=_removed(reader, found, given.get("removed")),
    )
    return render("arrange", view, reader.caller)


def _removed(reader: Reader, found: Frame, given: str | None) -> views.Toast | None:
    if (pane_id := addresses.whole(given)) is None:
        return None
    try:
        pane = arranging.find_pane(found, pane_id)
    except NotFound:
        return None
    if pane.removed_at is None:
        return None
    undo = flask.url_for("janela.restore_pane", frame_id=found.id, pane_id=pane.id)
    return views.Toast(say("Removed “{pane}”.", pane=handles.name_of(pane, reader)), undo)


_Place = tuple[Frame, Pane]

Saying = cabc.Callable[[str], Words]
"""Says a change to the pane of a name."""

Change = cabc.Callable[[Frame, str | None, int | None], Pane]


def _at(reader: Reader, frame_id: int, pane_id: int) -> _Place:
    """What an address names, before anything else that was sent is looked at."""
    found = find(reader, frame_id)
    return found, arranging.find_pane(found, pane_id)


def _changed(
    reader: Reader,
    place: _Place,
    saying: Saying,
    change: Change,
    *,
    focus: str = "pane",
    fits_any: bool = False,
) -> ResponseReturnValue:
    """Make one change to a pane and go back to it, or say who was faster.

    Args:
        focus: which of the pane's controls is gone back to.
        fits_any: whether the change fits any version of the frame.
    """
    found, pane = place
    what = saying(handles.name_of(pane, reader))
    version = None if fits_any else forms.version()
    by = story.own_reference(reader.caller)
    asked_by_script = flask.request.accept_mimetypes.best == "application/json"
    try:
        changed = committed(lambda: change(found, by, version))
    except Conflict as error:
        if asked_by_script:
            return {"code": error.code, "message": translated(error.message)}, error.status
        again = Again(
            name=found.name,
            story=forms.Story(error.message),
            what=what,
            action=flask.request.path,
            fields=tuple(
                (name, value)
                for name, value in flask.request.form.items(multi=True)
                if name in ("to", "span", "height")
            ),
            version=found.version,
            back=flask.url_for("janela.arrange", frame_id=found.id),
        )
        return render("conflict", again, reader.caller), error.status
    if asked_by_script:
        told = story.changed(found, by, reader.clock, reader.locale)
        return {
            "version": found.version,
            "changed": translated(told),
            "said": translated(
                say(
                    "{change}: now {position} of {count}.",
                    change=what,
                    position=changed.position,
                    count=len(found.panes),
                )
            ),
            "order": [each.id for each in found.panes],
        }
    removed = changed.id if changed.removed_at is not None else None
    fragment = f"janela-{focus}-{changed.id}" if removed is None else None
    return flask.redirect(
        flask.url_for("janela.arrange", frame_id=found.id, removed=removed, _anchor=fragment),
        303,
    )


def move_pane(reader: Reader, frame_id: int, pane_id: int) -> ResponseReturnValue:
    """Move a pane ``to`` a position, earlier or later."""
    at = _at(reader, frame_id, pane_id)
    to = flask.request.form.get("to", "")
    place = t.cast("t.Any", to if to in ("earlier", "later") else addresses.whole(to))
    if place is None:
        raise BadRequest(
            say('to is {given}: use a position, "earlier" or "later"', given=quoted(to))
        )

    def saying(pane: str) -> Words:
        if to == "earlier":
            return say("Move “{pane}” earlier", pane=pane)
        if to == "later":
            return say("Move “{pane}” later", pane=pane)
        return say("Move “{pane}” to place {place}", pane=pane, place=to)

    return _changed(
        reader,
        at,
        saying,
        lambda found, by, version: arranging.move_pane(
            found, pane_id, place, by=by, version=version
        ),
        focus=to if isinstance(place, str) else "pane",
    )


def resize_pane(reader: Reader, frame_id: int, pane_id: int) -> ResponseReturnValue:
    """Make a pane ``span`` columns wide or ``height`` rows high, or both."""
    at = _at(reader, frame_id, pane_id)
    form = flask.request.form
    given = {name: form[name] for name in handles.SIZES if name in form}
    if not given:
        raise BadRequest(say("a new size needs a span, a height, or both"))
    size: PaneOptions = read_options(given)
    chosen = {name: t.cast("int | None", getattr(size, name)) for name in given}
    sizes = {"span": say("{count} columns wide", count=size.span)}
    sizes["height"] = say("{count} rows high", count=size.height)
    said = words.all_of([sizes[name] for name in chosen])
    return _changed(
        reader,
        at,
        lambda pane: say("Make “{pane}” {size}", pane=pane, size=said),
        lambda found, by, version: arranging.resize_pane(
            found, pane_id, by=by, version=version, **chosen
        ),
        focus=_pressed(at[1], chosen),
    )


def _pressed(pane: Pane, chosen: cabc.Mapping[str, int | None]) -> str:
    """Which button a new size comes from, so that the focus can stay on it."""
    if len(chosen) != 1:
        return "pane"
    ((name, value),) = chosen.items()
    before = pane.span if name == "span" else height_of(pane)
    return handles.SIZES[name][(value or 0) > before]


def duplicate_pane(reader: Reader, frame_id: int, pane_id: int) -> ResponseReturnValue:
    """Put a copy behind a pane, if all of it exists for the caller."""
    at = _at(reader, frame_id, pane_id)
    if not showing.shown(at[1], reader).whole:
        raise BadRequest(showing.UNCHANGEABLE)
    return _changed(
        reader,
        at,
        lambda pane: say("Copy “{pane}”", pane=pane),
        lambda found, by, version: arranging.duplicate_pane(found, pane_id, by=by, version=version),
    )


def remove_pane(reader: Reader, frame_id: int, pane_id: int) -> ResponseReturnValue:
    """Take a pane out; the page it leads to offers to undo that."""
    return _changed(
        reader,
        _at(reader, frame_id, pane_id),
        lambda pane: say("Remove “{pane}”", pane=pane),
        lambda found, by, version: arranging.remove_pane(found, pane_id, by=by, version=version),
    )


def restore_pane(reader: Reader, frame_id: int, pane_id: int) -> ResponseReturnValue:
    """Bring a removed pane back to its place."""
    return _changed(
        reader,
        _at(reader, frame_id, pane_id),
        lambda pane: say("Bring back “{pane}”", pane=pane),
        lambda found, by, version: arranging.restore_pane(found, pane_id, by=by, version=version),
        fits_any=True,
    )
