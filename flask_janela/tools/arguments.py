"""A tool's arguments: declared once, and read from what a model wrote.

Models write ``"50"`` for 50 and a list as a text. What was written is turned into what an argument
is declared as, and into nothing else: a text that looks like a list stays a text where a text is
declared.
"""

from __future__ import annotations

import collections.abc as cabc
import copy
import json
import typing as t

import pydantic
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from ..query.question import Options, PaneOptions

_Own = dict[str, tuple[t.Any, FieldInfo]]

Filters = dict[str, list[str]]

FILTERS_IN_WORDS = (
    'Each key is [model.]dimension[.operator], with a list of values: {"region": ["Lisbon"], '
    '"placed.gte": ["2013-06-01"]}. Without an operator any of the values; "not" none of them; '
    '"null" with "1" only unknown, "0" only known; for numbers and times gte, gt, lte, lt; for '
    'times last ("30d", "6m"), this and previous ("month").'
)


_FILTERS_IN_SHORT = (
    'as describe_vocabulary says: {"region": ["Lisbon"], "placed.gte": ["2013-06-01"]}'
)


class Arguments(Options):
    """What every tool's arguments are read through."""

    @pydantic.model_validator(mode="before")
    @classmethod
    def _coerced(cls, given: t.Any) -> t.Any:
        if not isinstance(given, cabc.Mapping):
            return given
        fields = cls.model_fields
        return {
            k: _coerced(v, fields[k].annotation) if k in fields else v for k, v in given.items()
        }


def arguments(
    name: str,
    *options: str,
    required: cabc.Collection[str] = (),
    **own: t.Any,
) -> type[Arguments]:
    """The arguments of a tool: some of a pane's options, as a pane has them, and its own.

    Args:
        options: names of :class:`PaneOptions` fields.
        required: those of them that have to be given.
        own: further ones, as pydantic takes them.
    """
    fields: _Own = dict(own)
    for option in options:
        field = copy.copy(PaneOptions.model_fields[option])
        if option in required:
            field.default, field.default_factory = PydanticUndefined, None
        fields[option] = (field.annotation, field)
    return pydantic.create_model(name, __base__=Arguments, **t.cast("t.Any", fields))


def filters_argument() -> tuple[t.Any, FieldInfo]:
    """Filters as a reader's: those of the frame and the pane apply besides."""
    return Filters, t.cast("FieldInfo", pydantic.Field({}, description=_FILTERS_IN_SHORT))


def _coerced(value: t.Any, annotation: t.Any) -> t.Any:
    """A value of the wrong JSON type as the declared one, where that is what was meant."""
    kind = _kind(annotation)
    if kind in (list, dict) and isinstance(value, str):
        try:
            read = json.loads(value)
        except ValueError:
            read = value
        value = read if isinstance(read, kind) else value
    if kind is list:
        if isinstance(value, str | int | float):
            value = [value] if value != "" else []
        return [_text(each) for each in value] if isinstance(value, list) else value
    if kind is dict and isinstance(value, dict) and annotation == Filters:
        return {
            k: [_text(each) for each in (v if isinstance(v, list) else [v])]
            for k, v in value.items()
        }
    return _text(value) if kind is str else value


def _kind(annotation: t.Any) -> t.Any:
    """The Python type that an annotation comes down to, None where there are several."""
    arms = [arm for arm in t.get_args(annotation) if arm is not type(None)]
    origin = t.get_origin(annotation)
    if origin in (list, dict):
        return origin
    if origin is t.Annotated:
        return _kind(arms[0])
    if len(arms) == 1 and origin is not t.Literal:
        return _kind(arms[0])
    return annotation if isinstance(annotation, type) else None


def _text(value: t.Any) -> t.Any:
    """A number or truth value as the text it is written as; anything else stays what it is."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float) else value
