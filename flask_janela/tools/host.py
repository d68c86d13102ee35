"""A host's own function as a tool: its schema from the annotations, the caller passed by us."""

from __future__ import annotations

import collections.abc as cabc
import functools
import inspect
import math
import re
import typing as t

import pydantic

from ..errors import BadRequest, DeclarationError, quoted
from ..hooks import HostTool
from .answers import size
from .arguments import Arguments, schema_of
from .tool import Acting, Answer, Content, Declared, Schema, Tool

NAME = re.compile(r"[a-z0-9_]{1,40}")


def declared(tool: HostTool, reserved: cabc.Collection[str]) -> Declared:
    """A host's function as a declared tool.

    Raises:
        DeclarationError: when it cannot be one, with the fix.
    """
    try:
        hints = t.get_type_hints(tool.function, include_extras=True)
    except Exception as error:
        raise DeclarationError(f"{_of(tool)}: its annotations cannot be read: {error}") from error
    taken = _arguments(tool, hints, reserved)
    returned = hints.get("return", t.Any)
    return Declared(
        Tool(
            name=tool.name,
            title=tool.title,
            description=tool.description,
            input_schema=schema_of(taken),
            output_schema=_output(tool, returned),
            group=tool.group,
            read_only=tool.read_only,
            destructive=tool.destructive,
            idempotent=tool.idempotent,
            content=returned is Content,
        ),
        taken,
        functools.partial(_call, tool, pydantic.TypeAdapter(returned)),
    )


def _arguments(
    tool: HostTool, hints: cabc.Mapping[str, t.Any], reserved: cabc.Collection[str]
) -> type[Arguments]:
    parameters = list(inspect.signature(tool.function).parameters.values())
    if not parameters or parameters[0].kind not in (
        inspect.Parameter.POSITIONAL_ONLY,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
    ):
        raise DeclarationError(
            f"{_of(tool)} takes no caller: write def {tool.name}(caller, …). It is passed first."
        )
    fields: dict[str, t.Any] = {}
    for each in parameters[1:]:
        if each.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
            raise DeclarationError(f"{_of(tool)} takes {each}: name every argument, with a type.")
        if each.kind is inspect.Parameter.POSITIONAL_ONLY:
            raise DeclarationError(f"{_of(tool)}: {each.name} must be taken by name.")
        if each.name in reserved:
            raise DeclarationError(
                f"{_of(tool)} has an argument {each.name}, which would say who is asking. The "
                "caller is passed as the first argument; call this one otherwise."
            )
        if each.name not in hints:
            raise DeclarationError(f"{_of(tool)}: {each.name} has no type; annotate it.")
        default = ... if each.default is inspect.Parameter.empty else each.default
        fields[each.name] = (hints[each.name], default)
    try:
        return pydantic.create_model(tool.name, __base__=Arguments, **fields)
    except (pydantic.errors.PydanticUserError, NameError) as error:
        raise DeclarationError(f"{_of(tool)}: {error}") from error


def _output(tool: HostTool, returned: t.Any) -> Schema:
    """What it answers with as an object; what is none is put into one, under ``result``."""
    if returned is t.Any:
        return {"type": "object"}
    try:
        adapter = pydantic.TypeAdapter(returned)
        told = adapter.json_schema(mode="serialization")
    except (pydantic.errors.PydanticUserError, NameError) as error:
        raise DeclarationError(f"{_of(tool)}: what it returns has no schema: {error}") from error
    if told.get("type") == "object":
        plain = schema_of(_Told(adapter))  # type: ignore[arg-type]
        if "properties" not in told:
            del plain["properties"], plain["additionalProperties"]
        else:
            del plain["additionalProperties"]
        return plain
    return {"type": "object", "properties": {"result": {}}, "required": ["result"]}


class _Told:
    """What :func:`schema_of` needs to know of a type."""

    def __init__(self, adapter: pydantic.TypeAdapter[t.Any]) -> None:
        self._adapter = adapter

    def model_json_schema(self) -> Schema:
        return self._adapter.json_schema(mode="serialization")


def _call(
    tool: HostTool, adapter: pydantic.TypeAdapter[t.Any], acting: Acting, given: t.Any
) -> Answer:
    values = {name: getattr(given, name) for name in type(given).model_fields}
    told = adapter.dump_python(tool.function(acting.caller, **values), mode="json", warnings=False)
    answer: Answer = _finite(told if isinstance(told, dict) else {"result": told})
    if (bytes_ := size(answer)) > acting.most_bytes:
        raise BadRequest(
            f"The answer would be {bytes_} bytes long, more than the {acting.most_bytes} that "
            "fit; ask for less."
        )
    return answer


def _finite(value: t.Any) -> t.Any:
    """An answer without what JSON does not have: NaN and infinity are null."""
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _of(tool: HostTool) -> str:
    return f"The tool {quoted(tool.name)} ({tool.function.__qualname__})"


def host_tool(
    function: cabc.Callable[..., t.Any],
    *,
    name: str | None,
    title: str | None,
    description: str | None,
    group: str,
    read_only: bool,
    destructive: bool | None,
    idempotent: bool | None,
) -> HostTool:
    """What ``@janela.tool(…)`` says of a function, the rest from the function itself.

    Raises:
        DeclarationError: for a name that clients do not take, or without a description.
    """
    named = name or function.__name__
    if not NAME.fullmatch(named):
        raise DeclarationError(
            f"{quoted(named)} cannot be a tool's name: use small letters, digits and "
            "underscores, at most 40."
        )
    described = description or inspect.cleandoc(function.__doc__ or "")
    if not described:
        raise DeclarationError(
            f"The tool {quoted(named)} says nothing of what it does: give the function a docstring."
        )
    return HostTool(
        function=function,
        name=named,
        title=title or named.replace("_", " ").capitalize(),
        description=described,
        group=group,
        read_only=read_only,
        destructive=not read_only if destructive is None else destructive,
        idempotent=read_only if idempotent is None else idempotent,
    )
