"""Frames made, described, copied, deleted and brought back."""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import typing as t

import flask
from flask.typing import ResponseReturnValue

from ..errors import BadRequest, Conflict, NotFound, Refused
from ..frames import Frame, committed, models, showing, story
from ..frames import framing as changes
from ..frames.owned import owner_for
from ..frames.reading import find_frame
from ..frames.validation import check_default_filters, of_filters
from ..query.filters import operators
from ..query.reader import Reader
from ..state import current_state
from ..words import say, translated
from . import addresses, arrange, forms, guard, views, words
from .rendering import render

_FIELDS = ("name", "description", "columns", "gap", "filters")

_CALLED = {
    "name": say("Name"),
    "description": say("Description"),
    "columns": say("Columns"),
    "gap": say("Gap"),
    "filters": say("Filters"),
}

_DROP = "drop"
"""The field by which filters that cannot be shown are taken away, since no line is there for it."""

_NOT_KEPT = of_filters(
    say(
        "they cannot be saved together with those that cannot be shown to you; leave them as they "
        "are, or take those away"
    )
)


@dataclasses.dataclass(frozen=True, slots=True)
class FrameForm:
    """A frame's settings as they are typed.

    Attributes:
        known: what may be filtered by, one line for each model.
        version: of the frame, None for a new one.
        deletes: where the frame can be deleted, "" for a new one.
    """

    heading: str
    crumbs: tuple[views.Link, ...]
    action: str
    submit: str
    cancel: str
    fields: tuple[forms.Field, ...]
    known: tuple[str, ...]
    errors: tuple[str, ...] = ()
    story: forms.Story | None = None
    version: int | None = None
    deletes: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Question:
    """Whether to delete a frame."""

    name: str
    panes: str
    action: str
    version: int
    cancel: str
    story: forms.Story | None = None


def new_frame(reader: Reader) -> ResponseReturnValue:
    """The form of a new frame, and the making of it."""
    if flask.request.method != "POST":
        blank = Frame(name="")
        return _form(reader, None, _written(reader, blank))
    typed = _typed()
    try:
        made = committed(lambda: _make(reader, **_read(reader, typed)))
    except BadRequest as error:
        return _form(reader, None, typed, errors=forms.sentences(error)), error.status
    return flask.redirect(flask.url_for("janela.arrange", frame_id=made.id), 303)


def edit_frame(reader: Reader, frame_id: int) -> ResponseReturnValue:
    """The form of a frame's settings, and their saving."""
    if flask.request.method != "POST":
        found = arrange.find(reader, frame_id)
        return _form(reader, found, _written(reader, found))
    found = arrange.find_typed(reader, frame_id)
    typed = _typed()
    version = forms.version()
    by = story.own_reference(reader.caller)

    def save() -> Frame:
        since = arrange.brought_back(found, by, version)
        kept = {} if typed[_DROP] else _unseen(reader, found)
        filters = {**kept, **given["filters"]}
        try:
            return changes.update_frame(
                found, by=by, version=since, **{**given, "filters": filters}
            )
        except BadRequest as error:
            # What is typed exists for the caller; what is kept may exist for nobody any more.
            if kept and error.message.startswith("filters: "):
                raise BadRequest(_NOT_KEPT) from None
            raise

    try:
        given = _read(reader, typed)
        committed(save)
    except NotFound:
        if (gone := arrange.deleted(reader, found)) is None:
            raise
        return _form(reader, found, typed, told=gone), Conflict.status
    except BadRequest as error:
        page = _form(reader, found, typed, errors=forms.sentences(error), version=version)
        return page, error.status
    except Conflict as error:
        told = forms.Story(error.message, _differences(_written(reader, found), typed))
        return _form(reader, found, typed, told=told), error.status
    return flask.redirect(flask.url_for("janela.arrange", frame_id=found.id), 303)


def duplicate_frame(reader: Reader, frame_id: int) -> ResponseReturnValue:
    """A copy of a frame for its caller, to be arranged at once."""
    found = find_frame(reader, frame_id)
    guard.require(reader.caller, "arrange", found)
    name = translated(say("Copy of {frame}", frame=found.name))[: models.LONGEST_NAME]
    by = story.own_reference(reader.caller)
    made = committed(
        lambda: _seen(reader, changes.duplicate_frame(found, _owner(reader), name=name, by=by))
    )
    return flask.redirect(flask.url_for("janela.arrange", frame_id=made.id), 303)


def delete_frame(reader: Reader, frame_id: int) -> ResponseReturnValue:
    """Ask whether to delete a frame, and delete it; the index then offers to undo that."""
    found = arrange.find(reader, frame_id)
    if flask.request.method != "POST":
        return render("delete_frame", _question(found), reader.caller)
    version = forms.version()
    by = story.own_reference(reader.caller)
    try:
        committed(lambda: changes.delete_frame(found, by=by, version=version))
    except Conflict as error:
        asked = dataclasses.replace(_question(found), story=forms.Story(error.message))
        return render("delete_frame", asked, reader.caller), error.status
    return flask.redirect(flask.url_for("janela.index", deleted=found.id), 303)


def restore_frame(reader: Reader, frame_id: int) -> ResponseReturnValue:
    """Bring a deleted frame back; one that is there is just shown."""
    found = find_frame(reader, frame_id, removed=None)
    guard.require(reader.caller, "arrange", found)
    by = story.own_reference(reader.caller)
    if found.removed_at is not None:
        committed(lambda: changes.restore_frame(found, by=by))
    return flask.redirect(flask.url_for("janela.frame", frame_id=found.id), 303)


def _owner(reader: Reader) -> t.Any:
    return owner_for(current_state().hooks, reader.caller)


def _make(reader: Reader, name: str, **attributes: t.Any) -> Frame:
    made = changes.create_frame(
        _owner(reader), name, by=story.own_reference(reader.caller), **attributes
    )
    return _seen(reader, made)


def _seen(reader: Reader, made: Frame) -> Frame:
    """A frame that was just made, if its maker may see it: nobody's work disappears."""
    try:
        return find_frame(reader, made.id)
    except NotFound:
        raise Refused(
            say(
                "You could not see a frame that you make here, so none was made: this site has "
                "not said whose your frames are. Its developers do that with @janela.owner."
            )
        ) from None


def _typed() -> dict[str, str]:
    return {name: flask.request.form.get(name, "") for name in (*_FIELDS, _DROP)}


def _written(reader: Reader, frame: Frame) -> dict[str, str]:
    """A frame's settings as they can be typed; of its filters those that exist for the caller."""
    written = {name: str(getattr(frame, name)) for name in _FIELDS}
    lines = forms.lines_of(showing.filters_shown(frame, reader))
    return written | {"filters": lines, _DROP: ""}


def _unseen(reader: Reader, frame: Frame) -> dict[str, list[str]]:
    """A frame's filters that do not exist for the caller: they are kept, and not told of."""
    seen = showing.filters_shown(frame, reader)
    return {key: values for key, values in frame.filters.items() if key not in seen}


def _read(reader: Reader, typed: cabc.Mapping[str, str]) -> dict[str, t.Any]:
    """What was typed as a frame's attributes; what is no number stays a text, to be refused."""
    read: dict[str, t.Any] = {name: typed[name].strip() for name in ("name", "description")}
    for name in models.BOUNDS:
        text = typed[name].strip()
        number = addresses.whole(text)
        read[name] = text if number is None else number
    filters = forms.filters_of(typed["filters"])
    try:
        read["filters"] = check_default_filters(filters, reader.catalogue, reader.caller)
    except BadRequest as error:
        raise BadRequest(of_filters(error.message)) from None
    return read


def _differences(
    theirs: cabc.Mapping[str, str], yours: cabc.Mapping[str, str]
) -> tuple[forms.Difference, ...]:
    def plain(text: str) -> str:
        return text.replace("\r\n", "\n").strip()

    return tuple(
        forms.Difference(_CALLED[name], plain(theirs[name]), plain(yours[name]))
        for name in _FIELDS
        if plain(theirs[name]) != plain(yours[name])
    )


def _form(
    reader: Reader,
    found: Frame | None,
    typed: cabc.Mapping[str, str],
    *,
    errors: tuple[str, ...] = (),
    told: forms.Story | None = None,
    version: int | None = None,
) -> str:
    columns, gap = models.BOUNDS["columns"], models.BOUNDS["gap"]

    def error(name: str) -> str:
        return forms.own_error(name, errors)

    fields: tuple[forms.Field, ...] = (
        forms.Field(
            "name", _CALLED["name"], "text", typed["name"], longest=models.LONGEST_NAME,
            required=True, error=error("name"),
        ),
        forms.Field(
            "description", _CALLED["description"], "area", typed["description"],
            help=say("What it is for, in a sentence."), error=error("description"),
        ),
        forms.Field(
            "columns", _CALLED["columns"], "number", typed["columns"], least=columns[0],
            most=columns[1],
            help=say("How many columns the grid has. Panes are so many of them wide."),
            error=error("columns"),
        ),
        forms.Field(
            "gap", _CALLED["gap"], "number", typed["gap"], least=gap[0], most=gap[1],
            help=say(
                "The space between panes, in steps of 4 px; 0 lets neighbours share a line."
            ),
            error=error("gap"),
        ),
        forms.Field(
            "filters", forms.LABELS["filters"], "area", typed["filters"],
            placeholder=f"{example} = …" if (example := _example(reader)) else "",
            help=say(
                "One filter a line. They hold for every pane, and readers cannot remove them."
            ),
            error=error("filters"),
        ),
    )  # fmt: skip
    if found is not None and _unseen(reader, found):
        fields += (
            forms.Field(
                _DROP, say("Take away the filters that cannot be shown to you"), "check",
                typed[_DROP],
                help=showing.FILTER,
            ),
        )  # fmt: skip
    index = views.Link(flask.url_for("janela.index"), say("Frames"))
    known = tuple(_known(reader))
    if found is None:
        view = FrameForm(
            heading=say("New frame"),
            crumbs=(index,),
            action=flask.url_for("janela.new_frame"),
            submit=say("Make the frame"),
            cancel=index.href,
            fields=fields,
            known=known,
            errors=errors,
        )
    else:
        at: dict[str, t.Any] = {"frame_id": found.id}
        back = flask.url_for("janela.arrange", **at)
        view = FrameForm(
            heading=say("Settings of {frame}", frame=found.name),
            crumbs=(index, views.Link(flask.url_for("janela.frame", **at), found.name)),
            action=flask.url_for("janela.edit_frame", **at),
            submit=say("Save"),
            cancel=back,
            fields=fields,
            known=known,
            errors=errors,
            story=told,
            version=found.version if version is None else version,
            deletes=flask.url_for("janela.delete_frame", **at),
        )
    return render("frame_form", view, reader.caller)


def _known(reader: Reader) -> cabc.Iterator[str]:
    """What may be filtered by, for those who type filters: "Orders: region, placed"."""
    names = reader.catalogue.names(reader.caller)
    for name in names:
        model = reader.model(name)
        prefix = f"{name}." if len(names) > 1 else ""
        dimensions = reader.dimensions(model).values()
        if dimensions:
            plain = ", ".join(f"{prefix}{each.name}" for each in dimensions)
            yield f"{model.label}: {plain}"
    every = dict.fromkeys(
        operator
        for name in names
        for each in reader.dimensions(reader.model(name)).values()
        for operator in operators(each)
    )
    if every:
        example = f"{_example(reader)}.not"
        yield say(
            "After a dot, such as {example}: {operators}",
            example=example,
            operators=", ".join(every),
        )


def _example(reader: Reader) -> str:
    """The first dimension as a filter names it; "" when there is none."""
    names = reader.catalogue.names(reader.caller)
    for name in names:
        for dimension in reader.dimensions(reader.model(name)):
            return f"{name}.{dimension}" if len(names) > 1 else dimension
    return ""


def _question(found: Frame) -> Question:
    return Question(
        name=found.name,
        panes=words.panes(len(found.panes)),
        action=flask.url_for("janela.delete_frame", frame_id=found.id),
        version=found.version,
        cancel=flask.url_for("janela.arrange", frame_id=found.id),
    )


def deleted(reader: Reader, given: str | None) -> views.Toast | None:
    """The toast of a frame that was just deleted, for a caller who may bring it back."""
    if (frame_id := addresses.whole(given)) is None:
        return None
    try:
        found = find_frame(reader, frame_id, removed=True)
        guard.require(reader.caller, "arrange", found)
    except (NotFound, Refused):
        return None
    undo = flask.url_for("janela.restore_frame", frame_id=found.id)
    return views.Toast(say("Deleted “{frame}”.", frame=found.name), undo)
