"""Choosing several values of one dimension: what adding or removing one more comes to.

Of a category, a value joins the others or leaves them; where a filter says which values are
*not* wanted, it leaves or joins those. Unknown is a value like any other: it makes the filter
"… or unknown". Of time, what is chosen stays one stretch without a hole: a bucket outside it
extends it up to there, one at its edge is taken off, and one inside moves the nearer edge there.
"""

from __future__ import annotations

import dataclasses
import typing as t

from .filters import Filter
from .when import When

Filters = tuple[Filter, ...]


def added_or_removed(own: Filters, wanted: Filters) -> Filters | None:
    """The filters of one dimension after one more value is added or removed.

    Args:
        own: the dimension's filters so far.
        wanted: the filters of the value alone.

    Returns:
        None where the two cannot be one choice: the value alone is chosen then.
    """
    # Two models may name one column; the filters stay on the dimension they were given by.
    dimension = own[0].dimension
    if any(each.dimension is not dimension for each in own):
        return None
    if len(wanted) == 2:
        return _stretched(own, wanted)
    one = dataclasses.replace(wanted[0], dimension=dimension)
    given = {each.operator: each.values for each in own}
    if one.dimension.is_time or not given.keys() <= {"", "not", "null"}:
        return None
    if "not" in given and "" in given:
        return None
    return _excluded(given, one) if "not" in given else _included(given, one)


def _included(given: dict[str, tuple[t.Any, ...]], one: Filter) -> Filters | None:
    values, unknown = given.get("", ()), given.get("null")
    if unknown == (False,):
        return None
    if one.operator == "null":
        return _filters(one, "", values, null=None if unknown else True)
    return _filters(one, "", _other(values, one.values[0]), null=True if unknown else None)


def _excluded(given: dict[str, tuple[t.Any, ...]], one: Filter) -> Filters | None:
    values, unknown = given["not"], given.get("null")
    if unknown == (True,):
        return None
    if one.operator == "null":
        return _filters(one, "not", values, null=None if unknown else False)
    return _filters(one, "not", _other(values, one.values[0]), null=False if unknown else None)


def _other(values: tuple[t.Any, ...], value: t.Any) -> tuple[t.Any, ...]:
    return tuple(v for v in values if v != value) if value in values else (*values, value)


def _filters(
    one: Filter, operator: str, values: tuple[t.Any, ...], *, null: bool | None
) -> Filters:
    given = [(operator, values)] if values else []
    given += [("null", (null,))] if null is not None else []
    return tuple(Filter(one.dimension, each, of) for each, of in given)


def _stretched(own: Filters, wanted: Filters) -> Filters | None:
    """The range after a bucket is added or removed; None unless it is one of two plain bounds."""
    given = {each.operator: each.values[0] for each in own}
    if given.keys() != {"gte", "lt"}:
        return None
    first, last = given["gte"], given["lt"]
    start, end = wanted[0].values[0], wanted[1].values[0]
    try:
        left, right = _chosen(first, last, start, end)
    except TypeError:  # a date beside an instant, or one with a zone beside one without
        return None
    if not _before(left, right):
        return ()
    dimension = own[0].dimension
    return (Filter(dimension, "gte", (left,)), Filter(dimension, "lt", (right,)))


def _chosen(first: When, last: When, start: When, end: When) -> tuple[When, When]:
    """What is chosen of ``first`` to ``last`` with the bucket from ``start`` to ``end``."""
    if _before(start, first) or _before(last, end):
        return (start if _before(start, first) else first), (end if _before(last, end) else last)
    if not _before(first, start):
        return end, last
    if not _before(end, last):
        return first, start
    nearer_start = start.start - first.start <= last.start - end.start
    return (start, last) if nearer_start else (first, end)


def _before(one: When, other: When) -> bool:
    if type(one.start) is not type(other.start):
        raise TypeError
    return one.start < other.start
