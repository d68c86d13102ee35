"""A tool's arguments: declared once, and read from what a model wrote.

Models write ``"50"`` for 50 and a list as a text. What was written is turned into what an argument
is declared as, and into nothing else: a text that looks like a list stays a text where a text is
declared.
"""

from __future__ import annotations

import collections.abc as cabc
import copy
import typing as t

import pydantic
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from ..errors import BadRequest, quoted
from ..query.question import Options, PaneOptions
from .coercion import FILTERS, coerced

_Own = dict[str, tuple[t.Any, FieldInfo]]

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
    """What every tool's arguments are read through.

    Of Janela's own tools "" and [] mean "not given", as for a pane's options.
    """

    _exact: t.ClassVar[cabc.Container[str]] = ("version",)
    """The names of those that are taken as they are given, however empty."""

    @pydantic.model_validator(mode="before")
    @classmethod
    def _unset(cls, given: t.Any) -> t.Any:
        if not isinstance(given, cabc.Mapping):
            return given
        found = {k: cls._read(k, v) for k, v in given.items() if v is not None}
        return {k: v for k, v in found.items() if k in cls._exact or (v != "" and v != [])}

    @classmethod
    def _read(cls, name: str, value: t.Any) -> t.Any:
        """One argument as what it is declared as; no database takes a NUL in a text."""
        if name not in cls.model_fields:
            return value
        read = coerced(value, cls.model_fields[name].annotation, name)
        if isinstance(read, str) and "\0" in read:
            raise BadRequest(f"{name} is {quoted(read)}: leave out the control character U+0000")
        return read


class _Everything:
    """Holds whatever is looked for in it."""

    def __contains__(self, name: object) -> bool:
        return True


class HostArguments(Arguments):
    """Those of a host's function: what is empty arrives as it was given."""

    model_config = pydantic.ConfigDict(protected_namespaces=())
    _exact: t.ClassVar[cabc.Container[str]] = _Everything()

    @classmethod
    def _read(cls, name: str, value: t.Any) -> t.Any:
        if name not in cls.model_fields:
            return value
        return coerced(value, cls.model_fields[name].annotation, name)


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
    return FILTERS, t.cast("FieldInfo", pydantic.Field({}, description=_FILTERS_IN_SHORT))
