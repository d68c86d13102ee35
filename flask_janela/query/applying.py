"""Which of the given filters narrow a model's rows: for an answer and for the rows behind it."""

from __future__ import annotations

import collections.abc as cabc
import dataclasses

from ..errors import BadRequest, listed
from ..vocabulary import BoundDimension, BoundModel
from ..words import say
from .conditions import conditions
from .dialect import Dialect
from .filters import Filter, Layers, key_of, reach, same
from .reader import Reader
from .statement import Source


@dataclasses.dataclass(frozen=True)
class Applied:
    """What became of the filters of all layers.

    Attributes:
        filters: those that narrow, as they reach the model.
        lit: the reader's on what a question is split by: they light members up and narrow nothing.
        not_applied: labels of those that cannot reach the model.
    """

    filters: tuple[Filter, ...]
    lit: tuple[Filter, ...]
    not_applied: tuple[str, ...]


def apply(
    layers: Layers,
    source: Source,
    model: BoundModel,
    reader: Reader,
    dialect: Dialect,
    *,
    lit: BoundDimension | None = None,
    strict: bool = False,
) -> Applied:
    """Narrow a source by the filters of all layers.

    Args:
        lit: the dimension that a question is split by, which ignores the reader's filters on it.
        strict: whether a reader's filter that cannot reach the model is an error too.

    Raises:
        BadRequest: for a filter of the host or a pane that cannot reach the model.
    """
    dimensions = reader.dimensions(model)

    def keep(filters: cabc.Iterable[Filter]) -> None:
        source.where(*conditions(filters, source.column, dialect, reader.clock))

    reaching, missed = reach(layers.reader, model, dimensions)
    if strict and missed:
        raise _out_of_reach(missed[0], model, dimensions)
    own: tuple[Filter, ...] = ()
    narrowing: tuple[Filter, ...] = ()
    for each in reaching:
        if lit is not None and same(each.dimension, lit):
            own += (each,)
        else:
            narrowing += (each,)
    applied = narrowing
    for layer in (layers.frame, layers.fixed, layers.pane):
        there, beyond = reach(layer, model, dimensions)
        if beyond and layer is not layers.frame:
            raise _out_of_reach(beyond[0], model, dimensions)
        missed += beyond
        applied += there
        keep(there)
    keep(narrowing)
    labels = dict.fromkeys(each.dimension.label for each in missed)
    return Applied(applied, own, tuple(labels))


def check_reach(
    filters: cabc.Iterable[Filter], model: BoundModel, dimensions: cabc.Mapping[str, BoundDimension]
) -> None:
    """Refuse filters that cannot reach a model.

    Raises:
        BadRequest: naming the first of them, and what there is.
    """
    _, missed = reach(filters, model, dimensions)
    if missed:
        raise _out_of_reach(missed[0], model, dimensions)


def _out_of_reach(filter_: Filter, model: BoundModel, dimensions: cabc.Iterable[str]) -> BadRequest:
    return BadRequest(
        say(
            "{key} cannot filter {model}; it has {known}",
            key=key_of(filter_),
            model=model.name,
            known=listed(dimensions),
        )
    )
