"""From a declared measure to SQL aggregates, and from their values to the measure's.

A measure asks the database for *parts* that are exact (counts, sums of whole numbers, extremes)
and finishes in Python: an average is its sum over its count. So a mean is the same on every
database, a ratio is the ratio of the aggregates, and parts that add up give a total without
asking again.
"""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import datetime as dt
import decimal
import math
import typing as t

import sqlalchemy as sa

from ..vocabulary import (
    Average,
    BoundMeasure,
    Count,
    CountDistinct,
    Maximum,
    Minimum,
    Ratio,
    Share,
    Sum,
)
from ..vocabulary.formats import Value
from ..vocabulary.kinds import Kind, kind_of, undecorated
from ..vocabulary.measures import Measure
from .dialect import Column, Dialect

Values = cabc.Sequence[t.Any]
Fold = cabc.Callable[[list[t.Any]], t.Any]

_LOW = 0xFFFFFFFF


@dataclasses.dataclass(frozen=True, slots=True)
class Part:
    """One SQL aggregate.

    Attributes:
        fold: makes the value over all rows from the known values over groups of them; None when
            that cannot be done, as for counts of different values.
    """

    expression: Column
    fold: Fold | None


@dataclasses.dataclass(frozen=True, slots=True)
class Aggregate:
    """What a measure asks of the database and how it becomes one value.

    Attributes:
        parts: the aggregates, in the order ``finish`` takes their values.
        finish: from the parts' values to the measure's.
        order: expressions that sort rows by the measure, the first one first.
    """

    parts: tuple[Part, ...]
    finish: cabc.Callable[[Values], Value]
    order: tuple[Column, ...]

    def folded(self, groups: cabc.Sequence[Values]) -> list[t.Any] | None:
        """The parts over all rows from those over every group, or None where they must be asked."""
        if any(part.fold is None for part in self.parts):
            return None
        return [
            part.fold([group[at] for group in groups if group[at] is not None])
            for at, part in enumerate(self.parts)
            if part.fold is not None
        ]


def aggregate(measure: BoundMeasure, dialect: Dialect) -> Aggregate:
    """The aggregates of a measure over its model's own columns."""
    declared = measure.declared
    if isinstance(declared, Ratio):
        above, below = (aggregate(operand, dialect) for operand in measure.operands)
        return _ratio(above, below, measure.kind, dialect)
    if isinstance(declared, Share):
        return _share(declared, measure.model, dialect)
    if isinstance(declared, Count):
        return _count(declared, measure.model)
    column = _column(t.cast("t.Any", declared).column, measure.model)
    type_ = column.type if _is_stored(column) else _computed(column.type)
    column = _kept(column, declared, measure.model)
    if isinstance(declared, CountDistinct):
        if kind_of(type_) is Kind.TEXT:
            column = dialect.exact(column)
        part = Part(sa.func.count(sa.distinct(column)), None)
        return Aggregate((part,), _whole, (part.expression,))
    if isinstance(declared, Sum):
        return _sum(column, type_, measure.kind, dialect)
    if isinstance(declared, Average):
        return _average(column, type_, measure.kind, dialect)
    assert isinstance(declared, Minimum | Maximum)  # noqa: S101
    return _extreme(column, type_, smallest=isinstance(declared, Minimum))


def contributing(measure: BoundMeasure) -> list[sa.ColumnElement[bool]]:
    """The conditions for a row to count into a measure; none where every row does.

    Its own ``where`` holds and what it is taken over is known: so as many rows meet them as a
    count comes to, and an average is the mean over just these. Of a ratio, the rows that count
    into either of its two measures; of a share, all that it is a share of.
    """
    declared, model = measure.declared, measure.model
    if isinstance(declared, Ratio):
        either = [contributing(operand) for operand in measure.operands]
        return [sa.or_(*(sa.and_(*each) for each in either))] if all(either) else []
    found = [] if declared.where is None else [declared.where(model)]
    over = declared.condition if isinstance(declared, Share) else t.cast("t.Any", declared).column
    return found if over is None else [*found, _column(over, model).is_not(None)]


def _column(given: t.Any, model: t.Any) -> Column:
    return t.cast("Column", getattr(model, given) if isinstance(given, str) else given(model))


def _is_stored(column: t.Any) -> bool:
    """Whether an expression is a column of the table as it is stored."""
    stored = getattr(getattr(column, "property", None), "columns", [None])
    return isinstance(stored[0], sa.Column)


def _computed(type_: sa.types.TypeEngine[t.Any]) -> sa.types.TypeEngine[t.Any]:
    """The type of a computed decimal without a scale: a product has more than its factors."""
    return sa.Numeric() if kind_of(type_) is Kind.DECIMAL else type_


def _kept(column: Column, declared: Measure, model: t.Any) -> Column:
    """The column where the measure's own condition holds, else null."""
    if declared.where is None:
        return column
    return sa.case((declared.where(model), column))


def _count(declared: Count, model: t.Any) -> Aggregate:
    if declared.column is not None:
        counted = sa.func.count(_kept(_column(declared.column, model), declared, model))
    elif declared.where is not None:
        counted = sa.func.count(sa.case((declared.where(model), 1)))
    else:
        counted = sa.func.count()
    return Aggregate((Part(counted, sum),), _whole, (counted,))


def _share(declared: Share, model: t.Any, dialect: Dialect) -> Aggregate:
    condition = _column(declared.condition, model)
    holds = condition if declared.where is None else sa.and_(declared.where(model), condition)
    true = sa.func.count(sa.case((holds, 1)))
    known = sa.func.count(_kept(condition, declared, model))
    return Aggregate(
        (Part(true, sum), Part(known, sum)),
        lambda values: _divided(values[0], values[1], Kind.FLOAT),
        (dialect.real(true) / sa.func.nullif(known, 0),),
    )


def _ratio(above: Aggregate, below: Aggregate, kind: Kind, dialect: Dialect) -> Aggregate:
    split = len(above.parts)
    divisor = sa.func.nullif(dialect.real(_single(below, dialect)), 0)
    return Aggregate(
        above.parts + below.parts,
        lambda values: _divided(above.finish(values[:split]), below.finish(values[split:]), kind),
        (dialect.real(_single(above, dialect)) / divisor,),
    )


def _single(part: Aggregate, dialect: Dialect) -> Column:
    """The order of an aggregate as one number: exact sums come in two halves."""
    if len(part.order) == 1:
        return part.order[0]
    high, low = part.order
    return dialect.real(high) * float(2**32) + low


def _sum(column: Column, type_: t.Any, kind: Kind, dialect: Dialect) -> Aggregate:
    exact = _exact_sum(column, type_, kind, dialect)
    if kind is not Kind.FLOAT:
        return exact
    # Both infinities add up to nothing that SQLite can keep: unknown, where 0 would be a lie.
    known = Part(sa.func.count(column), sum)
    return Aggregate(
        (*exact.parts, known),
        lambda values: None if _is_lost(values[0], values[1]) else exact.finish(values[:1]),
        tuple(sa.func.coalesce(each, 0) for each in exact.order),
    )


def _is_lost(total: t.Any, known: int | None) -> bool:
    return total is None and (known or 0) > 0


def _average(column: Column, type_: t.Any, kind: Kind, dialect: Dialect) -> Aggregate:
    summed_kind = Kind.INTEGER if isinstance(undecorated(type_), sa.Integer) else kind
    total = _exact_sum(column, type_, summed_kind, dialect)
    known = Part(sa.func.count(column), sum)
    return Aggregate(
        (*total.parts, known),
        lambda values: (
            None
            if _is_lost(values[0], values[-1])
            else _divided(total.finish(values[:-1]), values[-1], kind)
        ),
        (dialect.real(_single(total, dialect)) / sa.func.nullif(known.expression, 0),),
    )


def _exact_sum(column: Column, type_: t.Any, kind: Kind, dialect: Dialect) -> Aggregate:
    """A sum that loses nothing where the column itself has lost nothing."""
    plain = undecorated(type_)
    if kind is Kind.INTEGER:
        if dialect.in_halves:
            return _halves(column, 0)
        return _plain_sum(dialect.total(column), _whole)
    if kind is Kind.DECIMAL and not dialect.has_decimals:
        return _scaled_sum(column, plain, wide=dialect.in_halves)
    if kind is Kind.DECIMAL:
        return _plain_sum(dialect.total(column, getattr(plain, "scale", None)), _decimal)
    total: Column = sa.func.sum(dialect.summed(column))
    return Aggregate((Part(total, _float_sum),), _float, (total,))


def _plain_sum(total: Column, finish: cabc.Callable[[Values], Value]) -> Aggregate:
    known = sa.func.coalesce(total, 0)
    return Aggregate((Part(known, _decimal_sum),), finish, (known,))


def _scaled_sum(column: Column, plain: t.Any, *, wide: bool) -> Aggregate:
    """Decimals that are kept as doubles, summed as whole numbers of their last place.

    Doubles keep 15 significant digits, so a column of more is summed as it is stored.
    """
    scale, precision = plain.scale, plain.precision
    stored: Column = sa.type_coerce(column, sa.Double())
    if scale is None or precision is None or precision > 15:
        digits = getattr(plain, "decimal_return_scale", None) or scale or 10
        total: Column = sa.func.sum(stored)

        def rounded(values: Values) -> Value:
            return decimal.Decimal(f"{values[0] or 0.0:.{digits}f}")

        return Aggregate((Part(total, _float_sum),), rounded, (total,))
    # Written out, so that SQLite takes the sum to sort by for the one that is selected.
    factor = sa.literal_column(str(10**scale), sa.Integer())
    units = sa.cast(sa.func.round(stored * factor), sa.BigInteger())
    if wide:
        return _halves(units, scale)
    total = sa.func.coalesce(sa.func.sum(units), 0)
    return Aggregate((Part(total, sum),), lambda values: _units(values[0] or 0, scale), (total,))


def _halves(column: Column, scale: int) -> Aggregate:
    """A sum of 64-bit whole numbers by their upper and lower 32 bits, which cannot overflow."""
    high = sa.func.sum(column.op(">>")(32))
    low = sa.func.sum(column.op("&")(_LOW))

    def finish(values: Values) -> Value:
        return _units(int(values[0] or 0) * 2**32 + int(values[1] or 0), scale)

    carried = sa.func.coalesce(high + low.op(">>")(32), 0)
    rest = sa.func.coalesce(low.op("&")(_LOW), 0)
    return Aggregate((Part(high, sum), Part(low, sum)), finish, (carried, rest))


def _units(units: int, scale: int) -> Value:
    return units if scale == 0 else decimal.Decimal(units).scaleb(-scale, _WIDE)


_WIDE = decimal.Context(prec=100)


def _extreme(column: Column, type_: t.Any, *, smallest: bool) -> Aggregate:
    function = sa.func.min if smallest else sa.func.max
    expression = function(column, type_=type_)
    return Aggregate(
        (Part(expression, _smallest if smallest else _largest),), _as_is, (expression,)
    )


def _smallest(values: list[t.Any]) -> t.Any:
    """As databases have it: NaN counts as larger than any number."""
    return min((v for v in values if not _is_nan(v)), default=next(iter(values), None))


def _largest(values: list[t.Any]) -> t.Any:
    return next((v for v in values if _is_nan(v)), None) or max(values, default=None)


def _is_nan(value: t.Any) -> bool:
    return isinstance(value, float | decimal.Decimal) and value != value


def _float_sum(values: list[t.Any]) -> float:
    """An exact sum where there is one, else the infinity or NaN that adding up comes to."""
    try:
        return math.fsum(values)
    except (OverflowError, ValueError):
        return float(sum(values))


def _decimal_sum(values: list[t.Any]) -> t.Any:
    with decimal.localcontext(_WIDE):
        return sum(values)


def _whole(values: Values) -> Value:
    return int(values[0] or 0)


def _decimal(values: Values) -> Value:
    return _finite(decimal.Decimal(values[0] or 0))


def _float(values: Values) -> Value:
    return _finite(float(values[0] or 0.0))


def _as_is(values: Values) -> Value:
    value = values[0]
    if isinstance(value, float | decimal.Decimal):
        return _finite(value)
    return t.cast("Value", value)


def _finite(value: float | decimal.Decimal) -> Value:
    return value if math.isfinite(value) else None


def _divided(above: t.Any, below: t.Any, kind: Kind) -> Value:
    """A quotient; null when the divisor is 0 or null, or the quotient no finite number."""
    if above is None or not below:
        return None
    assert not isinstance(above, dt.date)  # noqa: S101
    if kind is Kind.DECIMAL:
        one, other = decimal.Decimal(above), decimal.Decimal(below)
        # 28 digits, as Python divides by default, and ten beyond those there are already.
        with decimal.localcontext(prec=max(28, len(one.as_tuple().digits) + 10)):
            return one / other
    try:
        if isinstance(above, int) and isinstance(below, int):
            return above / below
        return _finite(float(above) / float(below))
    except OverflowError:
        return None
