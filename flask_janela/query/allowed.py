"""What an option or an argument may be, in words, from its own declaration."""

from __future__ import annotations

import collections.abc as cabc
import datetime as dt
import decimal
import enum
import types
import typing as t
import uuid

import annotated_types
from pydantic.fields import FieldInfo

from ..errors import listed
from ..words import joined, say

SEVERAL = (list, set, frozenset, tuple, cabc.Sequence, cabc.Set, cabc.Iterable, cabc.Collection)
_WORDS: dict[t.Any, str] = {
    bool: say("true or false"),
    float: "a finite number",
    decimal.Decimal: "a number",
    dt.datetime: "a time such as 2013-07-04T12:30",
    dt.date: "a date such as 2013-07-04",
    dt.time: "a time of day such as 12:30",
    dt.timedelta: "a duration such as PT1H30M",
    uuid.UUID: "a UUID",
}


def allowed(field: FieldInfo) -> str:
    """What a field may be: its choices or bounds, else what it is, else how its type is written."""
    kind = of_one_type(field.annotation)
    bounds = {type(each): each for each in field.metadata}
    most = bounds.get(annotated_types.MaxLen)
    if kind is int:
        return _whole(bounds)
    if t.get_origin(kind) is list and t.get_args(kind) and _is_text(t.get_args(kind)[0]):
        return say("at most {most} names", most=most.max_length) if most else "a list of names"
    if t.get_origin(kind) is dict and kind == dict[str, list[str]]:
        return say('keys such as "airline" or "scheduled.gte" with lists of texts')
    if not _is_text(kind):
        return of_type(kind)
    what = field.description or say("a text")
    if most:
        return say("{what}, at most {most} characters", what=what, most=most.max_length)
    return say("{what}, by name", what=what) if field.description else what


def of_type(annotation: t.Any) -> str:
    """How a value of a type is written."""
    kind = of_one_type(annotation)
    origin = t.get_origin(kind)
    if origin is t.Literal:
        return say("one of {allowed}", allowed=listed(t.get_args(kind)))
    if origin is t.Union or origin is types.UnionType:
        arms = (arm for arm in t.get_args(kind) if arm is not type(None))
        return joined(" or ", dict.fromkeys(of_type(arm) for arm in arms))
    if (origin or kind) in SEVERAL:
        inner = [arm for arm in t.get_args(kind) if arm is not Ellipsis]
        each = dict.fromkeys(of_type(arm) for arm in inner)
        return f"a list, each of it {' or '.join(each)}" if each else "a list"
    if kind is int:
        return _whole({})
    if _is_text(kind):
        return say("a text")
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return f"one of {listed(each.value for each in kind)}"
    return _WORDS.get(kind, "an object")


def _whole(bounds: cabc.Mapping[type, t.Any]) -> str:
    low, high = bounds.get(annotated_types.Ge), bounds.get(annotated_types.Le)
    if low and high:
        return say("a whole number from {least} to {most}", least=low.ge, most=high.le)
    return f"a whole number of at most 64 bits{f', {low.ge} or more' if low else ''}"


def of_one_type(annotation: t.Any) -> t.Any:
    """A type without what is said about it and without None, where it is then one."""
    origin = t.get_origin(annotation)
    if origin is t.Annotated:
        return of_one_type(t.get_args(annotation)[0])
    if origin is t.Union or origin is types.UnionType:
        arms = [arm for arm in t.get_args(annotation) if arm is not type(None)]
        return of_one_type(arms[0]) if len(arms) == 1 else annotation
    return annotation


def _is_text(kind: t.Any) -> bool:
    return of_one_type(kind) is str
