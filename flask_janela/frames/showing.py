"""What of frames and panes exists for somebody: the names that they ask by, and their filters.

Whoever arranged a pane may see more than who looks at it. What does not exist for a reader is not
told of, neither its name nor a value, and nothing tells what is hidden from what is gone.
"""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import typing as t

from ..errors import BadRequest, NotFound
from ..query import filters as filter_grammar
from ..query.reader import Reader
from ..vocabulary import BoundModel
from ..words import say
from .models import Filters, Frame, Pane

if t.TYPE_CHECKING:
    from ..query.question import PaneOptions, Question

PANE = say("This pane asks for something that is not there for you.")
FILTER = say("There is a filter that cannot be shown to you. It holds all the same.")
UNCHANGEABLE = say(
    "{pane} So its question can be neither changed nor copied. It can be moved, resized and "
    "removed; add another pane for another question.",
    pane=PANE,
)


@dataclasses.dataclass(frozen=True, slots=True)
class Shown:
    """What of a pane exists for a reader.

    Attributes:
        names: whether all names that it asks by do.
        filters: those of its filters that do.
        whole: whether all of it does.
    """

    names: bool
    filters: Filters
    whole: bool


def shown(pane: Pane, reader: Reader) -> Shown:
    """What of a pane exists for a reader, whatever kind of pane it is now."""
    names = _names(pane.measure, (pane.dimension, pane.over), pane.companions)
    home = _home(pane.model, reader)
    there = not (pane.model or names) if home is None else _exist(names, home, reader)
    filters = _there(pane.filters, reader, [home] if home is not None else [])
    return Shown(there, filters, there and len(filters) == len(pane.filters))


def filters_shown(frame: Frame, reader: Reader) -> Filters:
    """Those of a frame's own filters that exist for a reader."""
    return _there(frame.filters, reader, _every(reader))


def require(question: Question, filters: cabc.Mapping[str, t.Any], reader: Reader) -> None:
    """Refuse a pane's question that is put by what does not exist for a reader.

    Raises:
        NotFound: always in the same words.
    """
    home = _home(question.model, reader)
    names = _names(question.measure, (question.dimension,), question.companions)
    if home is None or not _exist(names, home, reader):
        raise NotFound(PANE)
    if len(_there(filters, reader, [home])) < len(filters):
        raise NotFound(PANE)


def drawn(options: PaneOptions, reader: Reader) -> PaneOptions:
    """A pane's options without what it could do without and does not exist for a reader.

    A number has no need of its course over time, nor of what it would be split by.
    """
    home = _home(options.model, reader)
    dimensions = {} if home is None else reader.dimensions(home)
    left: dict[str, t.Any] = {}
    if options.over is not None and options.over not in dimensions:
        left["over"] = None
    if options.renderer == "number" and options.dimension not in dimensions:
        left |= {"dimension": None, "granularity": None}
    return options.model_copy(update=left)


def _names(
    measure: str | None, dimensions: cabc.Iterable[str | None], companions: cabc.Iterable[str]
) -> list[tuple[str, str]]:
    """Each name with what it would be the name of."""
    return [
        *([("measure", measure)] if measure else []),
        *(("dimension", name) for name in dimensions if name),
        *(("companion", name) for name in companions),
    ]


def _home(model: str | None, reader: Reader) -> BoundModel | None:
    try:
        return reader.model(model or "")
    except NotFound:
        return None


def _exist(names: cabc.Iterable[tuple[str, str]], home: BoundModel, reader: Reader) -> bool:
    measures = reader.catalogue.measures(home, reader.caller).keys()
    dimensions = reader.dimensions(home).keys()
    there: dict[str, cabc.Set[str]] = {
        "measure": measures,
        "dimension": dimensions,
        "companion": measures | dimensions,
    }
    return all(name in there[what] for what, name in names)


def _there(
    filters: cabc.Mapping[str, t.Any], reader: Reader, homes: cabc.Sequence[BoundModel]
) -> Filters:
    found: Filters = {}
    for key, values in filters.items():
        try:
            filter_grammar.dimension_of(key, reader.catalogue, reader.caller, homes)
        except BadRequest:
            continue
        found[key] = values
    return found


def _every(reader: Reader) -> list[BoundModel]:
    return [reader.model(name) for name in reader.catalogue.names(reader.caller)]
