"""What is checked whenever a frame or pane is saved, by a form, a tool, an import or a script."""

from __future__ import annotations

import collections.abc as cabc
import typing as t
import unicodedata

import sqlalchemy as sa

from ..errors import BadRequest, listed, quoted
from ..query import filters as filter_grammar
from ..query.question import PaneOptions, cannot_be, check_names
from ..state import current_state
from ..vocabulary import EVERYTHING, BoundModel, Catalogue
from ..words import Words, joined, say
from .models import Frame, Pane, check_frame
from .owned import owner_slot

PLACE = {"span", "height", "prominence", "title", "heading", "body", "link", "value_labels"}
"""Options that ask nothing: a pane whose declaration has vanished can still be moved."""


TEXTS = ("title", "heading", "body", "link")
"""Options that people type and read."""

_LINES = {"body", "description"}
_LINE_ENDS = dict.fromkeys(map(ord, "\n\r\t"))
_CONTROLS = {"Cc", "Cs"}
"""Control characters, and halves of others."""


def check_options(options: PaneOptions, catalogue: Catalogue, caller: t.Any) -> None:
    """Refuse options that name what does not exist for the caller.

    Raises:
        BadRequest: in words, one sentence for each.
    """
    said = undeclared(options, catalogue, caller)
    said += check_texts(options)
    if options.kind == "text" and not (options.body or options.heading):
        said.append(say("words need a heading or a body"))
    if options.kind == "partial" and not options.partial:
        said.append(say("a partial needs the name of its template"))
    if said:
        raise BadRequest(joined("; ", said))


def undeclared(options: PaneOptions, catalogue: Catalogue, caller: t.Any) -> list[str]:
    """What options name, filters included, that does not exist for the caller, in words."""
    said = check_names(options, catalogue, caller)
    if not said and options.kind == "query" and options.filters:
        bound = catalogue.model(options.model or "", caller)
        try:
            given = filter_grammar.parse(
                filter_grammar.pairs(options.filters), catalogue, caller, [bound]
            )
            dimensions = catalogue.dimensions(bound, caller)
            _, missed = filter_grammar.reach(given, bound, dimensions)
            said += [
                say("{key} cannot filter {model}", key=filter_grammar.key_of(m), model=bound.name)
                for m in missed
            ]
        except BadRequest as error:
            said.append(of_filters(error.message))
    return said


def of_filters(why: str) -> Words:
    """A sentence about the option ``filters``."""
    return say("{name}: {rest}", name="filters", rest=why)


def check_texts(row: PaneOptions | Pane | Frame, names: cabc.Iterable[str] = TEXTS) -> list[str]:
    """What people type that holds control characters, in words; long texts have lines and tabs.

    A terminal or a log would run them, and not every database keeps them.
    """
    said: list[str] = []
    for name in names:
        text = getattr(row, name, None) or ""
        plain = text.translate(_LINE_ENDS) if name in _LINES else text
        odd = next((c for c in plain if unicodedata.category(c) in _CONTROLS), "")
        if odd:
            code = f"U+{ord(odd):04X}"
            rest = say("leave out the control character {code}", code=code)
            said.append(cannot_be(name, text, rest))
    return said


def check_default_filters(
    filters: cabc.Mapping[str, t.Any], catalogue: Catalogue, caller: t.Any = EVERYTHING
) -> dict[str, list[str]]:
    """A frame's default filters as they are kept: each key with its model.

    Args:
        caller: for whom what they name must exist.

    Raises:
        BadRequest: for what no vocabulary could take, and for a dimension that several models
            have over different columns.
    """
    given = filter_grammar.pairs(filters)
    found = [_one_meaning(key, value, catalogue, caller) for key, value in given]
    # Read once more together, for what only several can be wrong about.
    parsed = filter_grammar.parse(found, catalogue, caller, _models(catalogue, caller))
    kept: dict[str, list[str]] = {}
    for key, value in filter_grammar.write(parsed):
        kept.setdefault(key, []).append(value)
    return kept


def _models(catalogue: Catalogue, caller: t.Any) -> list[BoundModel]:
    return [catalogue.model(name, caller) for name in catalogue.names(caller)]


def _one_meaning(key: str, value: t.Any, catalogue: Catalogue, caller: t.Any) -> tuple[str, t.Any]:
    """A key with its model, and the value that was given for it."""
    means: dict[cabc.Hashable, filter_grammar.Filter] = {}
    said: list[BadRequest] = []
    models = _models(catalogue, caller)
    for model in models:
        try:
            (one,) = filter_grammar.parse([(key, value)], catalogue, caller, [model])
        except BadRequest as error:
            said.append(error)
        else:
            means.setdefault(one.dimension.path.identity, one)
    if not means:
        filter_grammar.parse([(key, value)], catalogue, caller, models)
        raise said[0]
    if len(means) > 1:
        keys = listed(filter_grammar.key_of(one) for one in means.values())
        raise BadRequest(
            say("{key} could be any of {keys}; write which", key=quoted(key), keys=keys)
        )
    return filter_grammar.key_of(next(iter(means.values()))), value


def make_valid_frame(frame: Frame) -> None:
    """A frame's attributes as they are kept, before it is saved; else :class:`BadRequest`."""
    check_frame(frame)
    frame.owner_slot = owner_slot(frame.owner_type, frame.owner_id)
    texts = [name for name in ("name", "description") if _changed(frame, {name})]
    if said := check_texts(frame, texts):
        raise BadRequest(joined("; ", said))
    if frame.filters and _changed(frame, {"filters"}):
        try:
            frame.filters = check_default_filters(frame.filters, current_state().catalogue)
        except BadRequest as error:
            raise BadRequest(of_filters(error.message)) from None


def make_valid_pane(pane: Pane) -> None:
    """A pane's options as they are kept, before it is saved; else :class:`BadRequest`."""
    options = pane.options()
    for name in PaneOptions.model_fields:
        value = getattr(options, name)
        if getattr(pane, name) != value:
            setattr(pane, name, value)
    if said := check_texts(pane, [name for name in TEXTS if _changed(pane, {name})]):
        raise BadRequest(joined("; ", said))
    if _changed(pane, set(PaneOptions.model_fields) - PLACE):
        check_options(options, current_state().catalogue, EVERYTHING)


def _changed(row: Frame | Pane, names: set[str]) -> bool:
    state = t.cast("t.Any", sa.inspect(row))
    return (
        state.transient
        or state.pending
        or any(state.attrs[name].history.has_changes() for name in names)
    )
