"""The members of a dimension that a filter can choose among, as one caller may see them."""

from __future__ import annotations

import dataclasses

import sqlalchemy as sa

from ..vocabulary import BoundDimension
from ..vocabulary.keys import Key
from ..vocabulary.kinds import Kind
from .conditions import conditions
from .dialect import Column
from .filters import Layers, reach, same
from .ordering import Ordering
from .question import LIMIT
from .reader import Reader
from .statement import Source, grouped

MOST = 200
"""The most members that are offered at once."""


@dataclasses.dataclass(frozen=True, slots=True)
class Members:
    """What a dimension may be filtered by.

    Attributes:
        keys: known ones, in the dimension's own order or by what people read.
        unknown: whether there are rows where it is unknown.
        truncated: whether there are more than these.
    """

    keys: tuple[Key, ...]
    unknown: bool
    truncated: bool


def members(
    reader: Reader, dimension: BoundDimension, layers: Layers, *, search: str = ""
) -> Members:
    """The members of a category that there are under everybody's filters on other dimensions.

    Args:
        layers: whose filters apply; of the reader's, those on this dimension do not.
        search: a part of what people read, in any case; "" for all of them.
    """
    model = reader.model(dimension.model_name)
    dialect = reader.dialect(model.model)
    source = Source(model.model, reader.narrowed(model.model), dialect)
    chosen = tuple(each for each in layers.reader if not same(each.dimension, dimension))
    for layer in (layers.frame, layers.fixed, layers.pane, chosen):
        there, _ = reach(layer, model, reader.dimensions(model))
        source.where(*conditions(there, source.column, dialect, reader.clock))
    column = source.column(dimension)
    unknown = reader.execute(
        model.model, source.select(sa.literal(1), also=[column.is_(None)]).limit(1)
    ).first()
    # What people read is known to the database only where it is the text itself.
    in_database = dimension.kind is Kind.TEXT and not dimension.labels
    known = [column.is_not(None), *_alike(source.at(dimension.path), search if in_database else "")]
    ordering = Ordering(
        "natural" if dimension.order else "label", dimension, dialect, reader.locale
    )
    most = MOST if in_database or not search else LIMIT
    statement = grouped(source, column, []).where(*known)
    found = reader.execute(
        model.model, statement.order_by(*ordering.terms(column, {})).limit(most + 1)
    )
    keys = [row[0] for row in found]
    truncated = len(keys) > most
    if search and not in_database:
        word = search.casefold()
        keys = [key for key in keys if word in dimension.label_of(key, reader.locale).casefold()]
    return Members(tuple(keys[:MOST]), unknown is not None, truncated or len(keys) > MOST)


def _alike(column: Column, search: str) -> list[sa.ColumnElement[bool]]:
    if "\0" in search:
        return [sa.false()]  # no text has one, and no database compares by one
    return [column.icontains(search, autoescape=True)] if search else []
