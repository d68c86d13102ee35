"""What an expression of a model must be to be grouped, filtered or added up row by row."""

from __future__ import annotations

import datetime as dt
import decimal
import typing as t
import uuid

import sqlalchemy as sa
from sqlalchemy.engine.default import DefaultDialect

from ..errors import DeclarationError, listed
from .kinds import Kind, kind_of, undecorated

_AGGREGATES = {
    "array_agg", "avg", "count", "group_concat", "max", "median", "min", "mode",
    "percentile_cont", "percentile_disc", "stddev", "string_agg", "sum", "total", "variance",
}  # fmt: skip

_SAMPLES: dict[Kind, t.Any] = {
    Kind.TEXT: "a",
    Kind.BOOLEAN: True,
    Kind.INTEGER: 7,
    Kind.DECIMAL: decimal.Decimal("7.50"),
    Kind.FLOAT: 7.5,
    Kind.UUID: uuid.UUID(int=7),
    Kind.DATE: dt.date(2013, 7, 4),
    Kind.DATETIME: dt.datetime(2013, 7, 4, 12),
}


def check_rows(expression: t.Any, model: type, member: str) -> None:
    """Refuse an expression that is not a value of each row of the model by itself.

    Raises:
        DeclarationError: for one over another table, which would multiply the rows, and for one
            that aggregates already.
    """
    own = sa.select(model).get_final_froms()
    both = sa.select(expression).select_from(model).get_final_froms()
    if len(both) > len(own):
        others = [str(getattr(each, "name", each)) for each in both[len(own) :]]
        raise DeclarationError(
            f"{member} also reads {listed(others)}, which would multiply the rows of "
            f"{model.__name__}; use a relationship's any() or has(), or a correlated "
            "scalar subquery."
        )
    waiting = [expression.__clause_element__() if _mapped(expression) else expression]
    while waiting:
        element = waiting.pop()
        if isinstance(element, sa.SelectBase | sa.ScalarSelect | sa.Exists):
            continue
        named = getattr(element, "name", "") if isinstance(element, sa.FunctionElement) else ""
        if isinstance(element, sa.Over) or str(named).lower() in _AGGREGATES:
            raise DeclarationError(
                f"{member} aggregates by itself; give the value of one row, and let the measure "
                "add up."
            )
        waiting += element.get_children()


def _mapped(expression: t.Any) -> bool:
    return hasattr(expression, "__clause_element__")


def check_decorated(type_: sa.types.TypeEngine[t.Any], member: str, *, summed: bool) -> None:
    """Refuse a ``TypeDecorator`` whose values are not of the sort that its column stores.

    Args:
        summed: whether the stored values are added up; then they must be the values themselves.

    Raises:
        DeclarationError: naming what to write instead.
    """
    if not isinstance(type_, sa.TypeDecorator) or _keeps(type_, summed=summed):
        return
    stored = type(undecorated(type_)).__name__
    raise DeclarationError(
        f"{member}: {type(type_).__name__} makes other values of the {stored} that its column "
        f"stores, so what the database compares and adds up is not what people read; use an "
        f"expression of the stored value, such as type_coerce(column, {stored}), through a "
        "hybrid property."
    )


def _keeps(type_: sa.TypeDecorator[t.Any], *, summed: bool) -> bool:
    """Whether a sample of what is stored comes back as a value of the same sort."""
    if type(type_).process_result_value is sa.TypeDecorator.process_result_value:
        return True
    sample = _SAMPLES.get(kind_of(type_))
    if sample is None:
        return False
    try:
        value = type_.process_result_value(sample, DefaultDialect())
    except Exception:
        # Whatever a decorator raises, it does not take this sort of value as it is.
        return False
    return value == sample if summed else isinstance(value, type(sample))
