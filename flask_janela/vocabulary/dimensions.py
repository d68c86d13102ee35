"""What a measure may be split or filtered by, and which columns of single rows may be read."""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import typing as t

from ..words import Words, say
from .measures import Visibility

Granularity = t.Literal["hour", "day", "week", "month", "quarter", "year"]
GRANULARITIES: tuple[Granularity, ...] = t.get_args(Granularity)

CALLED: dict[Granularity, Words] = {
    "hour": say("hour"),
    "day": say("day"),
    "week": say("week"),
    "month": say("month"),
    "quarter": say("quarter"),
    "year": say("year"),
}
"""The granularities as people read them."""

OPERATORS = ("not", "null", "gte", "gt", "lte", "lt", "last", "this", "previous")
"""The words that may follow a dimension in a filter; none of them can name a dimension."""


@dataclasses.dataclass(frozen=True)
class Dimension:
    """A column of the model, or one reached over many-to-one relationships.

    Attributes:
        path: ``"status"`` or ``"customer.region"``; by default the attribute's own name.
        labels: what people read for a key, ``{"paid": "Paid"}``.
        order: keys in their natural order, ``["new", "paid"]``; others follow.
        label: what people read for the dimension; by default its name in words.
        description: one sentence more, for people and for agents.
        agents: whether tools for agents may use it.
        visible_to: a condition on the caller; for others the dimension does not exist.
    """

    path: str | None = None
    _: dataclasses.KW_ONLY
    labels: cabc.Mapping[t.Any, str] = dataclasses.field(default_factory=dict)
    order: cabc.Sequence[t.Any] = ()
    label: str | None = None
    description: str = ""
    agents: bool = True
    visible_to: Visibility | None = None


@dataclasses.dataclass(frozen=True)
class TimeDimension:
    """A date or a time, split into calendar intervals of the report zone.

    Attributes:
        path: the column, or a path to it as for :class:`Dimension`.
        granularity: the interval used when a question names none.
        stored: the IANA zone that values without a zone of their own are in. A date is a
            calendar day and is never shifted.
        label, description, agents, visible_to: as for :class:`Dimension`.
    """

    path: str | None = None
    _: dataclasses.KW_ONLY
    granularity: Granularity = "month"
    stored: str = "UTC"
    label: str | None = None
    description: str = ""
    agents: bool = True
    visible_to: Visibility | None = None


@dataclasses.dataclass(frozen=True, init=False)
class Records:
    """The columns of single rows that a reader may see, in order.

    Each is a column, a path over many-to-one relationships, or the name of a declared
    dimension; one that is hidden from a caller is left out for them, and so is a column over
    which there are only such. The primary key is always shown: it tells the rows apart. A
    vocabulary without ``Records`` shows no single rows.

    Attributes:
        columns: what stands beside each other.
        label: what the rows are called; by default the model's public name in words.
    """

    columns: tuple[str, ...]
    label: str | None = None

    def __init__(self, *columns: str, label: str | None = None) -> None:
        object.__setattr__(self, "columns", columns)
        object.__setattr__(self, "label", label)
