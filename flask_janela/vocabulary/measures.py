"""The numbers a developer declares: how each is aggregated and how it reads.

These are declarations only. How one becomes SQL is :mod:`flask_janela.query.aggregate`.
"""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import typing as t

import sqlalchemy as sa

Expression = str | cabc.Callable[[t.Any], "sa.ColumnElement[t.Any]"]
"""The name of a column or hybrid of the model, or a function of the model."""

Condition = cabc.Callable[[t.Any], "sa.ColumnElement[bool]"]
Visibility = cabc.Callable[[t.Any], bool]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Measure:
    """A number that may be asked of a model.

    Attributes:
        where: counts only rows for which this condition of the model is true.
        label: what people read; by default the attribute's name in words.
        description: one sentence more, for people and for agents.
        precision: decimals shown, 0 to 10; by default from the column.
        prefix: text directly before the number.
        suffix: text directly after it, a unit such as ``" min"``.
        currency: an ISO 4217 code such as ``"USD"``; the number is written as money.
        better: ``"higher"`` or ``"lower"`` when one of them is good news.
        agents: whether tools for agents may ask it.
        visible_to: a condition on the caller; for others the measure does not exist.
    """

    where: Condition | None = None
    label: str | None = None
    description: str = ""
    precision: int | None = None
    prefix: str = ""
    suffix: str = ""
    currency: str | None = None
    better: t.Literal["higher", "lower"] | None = None
    agents: bool = True
    visible_to: Visibility | None = None


@dataclasses.dataclass(frozen=True)
class Count(Measure):
    """The number of rows; with a column, of the rows where it is known."""

    column: Expression | None = None


@dataclasses.dataclass(frozen=True)
class CountDistinct(Measure):
    """The number of different known values of a column."""

    column: Expression


@dataclasses.dataclass(frozen=True)
class Sum(Measure):
    """The sum of a column's known values; 0 where there are none."""

    column: Expression


@dataclasses.dataclass(frozen=True)
class Average(Measure):
    """The arithmetic mean of a column's known values; null where there are none."""

    column: Expression


@dataclasses.dataclass(frozen=True)
class Minimum(Measure):
    """The smallest known value of a number, date or time."""

    column: Expression


@dataclasses.dataclass(frozen=True)
class Maximum(Measure):
    """The largest known value of a number, date or time."""

    column: Expression


@dataclasses.dataclass(frozen=True)
class Share(Measure):
    """The fraction of rows where a condition is true, among those where it is known.

    The value lies between 0 and 1 and is shown as a percentage.
    """

    condition: Expression


@dataclasses.dataclass(frozen=True)
class Ratio(Measure):
    """One measure over another of the same vocabulary, aggregate by aggregate.

    Null when the divisor is 0 or null. ``percent=True`` shows the fraction as a percentage.
    """

    numerator: str
    denominator: str
    percent: bool = dataclasses.field(default=False, kw_only=True)
