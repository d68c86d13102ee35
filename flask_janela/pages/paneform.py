"""The pages of a pane's form: of a model, show a measure, by a dimension, each, drawn as.

A pane of which something does not exist for whoever edits it has no form: it would show its names
or lose them. Its page says why, and has the handles that move, resize and remove it.
"""

from __future__ import annotations

import dataclasses
import typing as t

import flask
from flask.typing import ResponseReturnValue

from ..errors import BadRequest, Conflict, JanelaError, NotFound
from ..frames import Frame, Pane, arranging, committed, showing, story
from ..query.question import PaneOptions, read_options
from ..query.reader import Reader
from ..words import joined, say
from . import addresses, arrange, forms, handles, views
from .draft import FIELDS, Draft
from .rendering import render, speech


def new_pane(reader: Reader, frame_id: int) -> ResponseReturnValue:
    """The form of a new pane, and the adding of it; the address may fill the form in."""
    if flask.request.method != "POST":
        kind, typed = _from_address()
        return _page(Draft(reader, arrange.find(reader, frame_id), None, kind, typed))
    found = arrange.find_typed(reader, frame_id)
    kind = _kind(flask.request.form.get("kind"))
    typed = forms.typed(flask.request.form, FIELDS[kind])
    form = Draft(reader, found, None, kind, typed)
    if flask.request.form.get("do") == "preview":
        return _page(form)
    version = forms.version()
    by = story.own_reference(reader.caller)

    def save() -> Pane:
        since = arrange.brought_back(found, by, version)
        return arranging.add_pane(found, by=by, version=since, **options.model_dump())

    try:
        options = form.options()
        added = committed(save)
    except NotFound:
        if (gone := arrange.deleted(reader, found)) is None:
            raise
        return _page(form, told=gone), Conflict.status
    except BadRequest as error:
        return _page(form, error, version=version), error.status
    except Conflict as error:
        return _page(form, error), error.status
    return _back(found, added)


def edit_pane(reader: Reader, frame_id: int, pane_id: int) -> ResponseReturnValue:
    """The form of a pane, and its saving; one that was removed meanwhile is brought back by it."""
    asked = flask.request.method != "POST"
    found = (arrange.find if asked else arrange.find_typed)(reader, frame_id)
    pane = arranging.find_pane(found, pane_id)
    kind = _kind(pane.kind)
    if asked:
        before = {name: forms.written(name, getattr(pane, name)) for name in FIELDS[kind]}
        if pane.removed_at is not None:
            raise NotFound(say("This pane was removed from its frame."))
        if not showing.shown(pane, reader).whole:
            return render("pane_kept", _kept(reader, found, pane), reader.caller)
        return _page(Draft(reader, found, pane, kind, before))
    form = Draft(reader, found, pane, kind, forms.typed(flask.request.form, FIELDS[kind]))
    if flask.request.form.get("do") == "preview":
        return _page(form)
    version = forms.version()
    by = story.own_reference(reader.caller)

    def save() -> Pane:
        if not showing.shown(now := arranging.find_pane(found, pane_id), reader).whole:
            raise BadRequest(showing.UNCHANGEABLE)
        options = form.options()
        since = arrange.brought_back(found, by, version)
        if now.removed_at is not None:
            arranging.restore_pane(found, pane_id, by=by, version=since)
            since = None
        return arranging.update_pane(found, pane_id, by=by, version=since, **options.model_dump())

    try:
        saved = committed(save)
    except NotFound:
        if (gone := arrange.deleted(reader, found)) is None:
            raise
        return _page(form, told=gone), Conflict.status
    except BadRequest as error:
        return _page(form, error, version=version), error.status
    except Conflict as error:
        theirs = {name: forms.written(name, getattr(pane, name)) for name in FIELDS[kind]}
        removed = [say("The pane was removed.")] if pane.removed_at is not None else []
        told = forms.Story(
            joined(" ", (error.message, *removed)),
            form.differences(theirs) if showing.shown(pane, reader).whole else (),
        )
        return _page(form, told=told), error.status
    return _back(found, saved)


@dataclasses.dataclass(frozen=True, slots=True)
class Kept:
    """The page of a pane whose question cannot be changed by whoever looks at it."""

    heading: str
    crumbs: tuple[views.Link, ...]
    why: str
    columns: int
    gap: int
    version: int
    arranged: handles.Arranged


def _kept(reader: Reader, found: Frame, pane: Pane) -> Kept:
    drawn = arrange.still(reader, found).pane(pane, found.columns)
    own = handles.arranged(reader, found, pane, drawn, len(found.panes))
    at: dict[str, t.Any] = {"frame_id": found.id}
    return Kept(
        heading=own.name,
        crumbs=(
            views.Link(flask.url_for("janela.index"), say("Frames")),
            views.Link(flask.url_for("janela.frame", **at), found.name),
            views.Link(flask.url_for("janela.arrange", **at), say("Arrange")),
        ),
        why=showing.UNCHANGEABLE,
        columns=found.columns,
        gap=found.gap,
        version=found.version,
        arranged=dataclasses.replace(own, edit="", duplicate=""),
    )


def preview(reader: Reader, frame_id: int) -> ResponseReturnValue:
    """The part of the page beside a pane's form, by itself: the pane as it would be.

    With ``fields=1`` the fields come too, with what they offer now that something was chosen.
    """
    found = arrange.find(reader, frame_id)
    kind = _kind(flask.request.args.get("kind"))
    typed = forms.typed(flask.request.args, FIELDS[kind])
    form = Draft(reader, found, None, kind, typed)
    fields = flask.request.args.get("fields") == "1"
    partial = "pane_refresh" if fields else "preview"
    return flask.render_template(f"janela/_partials/{partial}.html", **speech(), view=form.view())


def _from_address() -> tuple[str, dict[str, t.Any]]:
    given = addresses.read(
        flask.request.args,
        own=("kind", *(name for name in PaneOptions.model_fields if name != "companions")),
        repeated=("companions",),
        filters=False,
    ).own
    kind = _kind(given.get("kind"))
    defaults = read_options({"kind": kind})
    typed = {name: forms.written(name, getattr(defaults, name)) for name in FIELDS[kind]}
    return kind, typed | {name: given[name] for name in typed if name in given}


def _kind(given: str | None) -> str:
    kind = read_options({"kind": given}).kind
    return kind


def _back(found: Frame, pane: Pane) -> ResponseReturnValue:
    fragment = f"janela-pane-{pane.id}"
    return flask.redirect(flask.url_for("janela.arrange", frame_id=found.id, _anchor=fragment), 303)


def _page(
    form: Draft,
    error: JanelaError | None = None,
    *,
    told: forms.Story | None = None,
    version: int | None = None,
) -> str:
    errors: tuple[str, ...] = ()
    if isinstance(error, BadRequest):
        errors = forms.sentences(error)
    elif error is not None:
        told = forms.Story(error.message)
    view = form.view(errors, told, version)
    return render("pane_form", view, form.reader.caller)
