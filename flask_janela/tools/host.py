"""A host's own function as a tool: its schema from the annotations, the caller passed by us."""

from __future__ import annotations

import collections.abc as cabc
import functools
import inspect
import logging
import re
import typing as t
import warnings

import pydantic

from ..errors import BadRequest, DeclarationError, listed, quoted
from ..hooks import HostTool
from .answers import sendable, size
from .arguments import Arguments, HostArguments
from .schemas import answer_schema, schema_of
from .tool import Acting, Answer, Content, Declared, Schema, Tool

log = logging.getLogger(__name__)

NAME = re.compile(r"[a-z0-9_]{1,40}")

_TAKEN = frozenset(name for name in dir(pydantic.BaseModel) if name.startswith("model_"))

_PLAIN = (int, float, bool, dict, list)
"""What no caller is, as the type of a first argument."""

_CLOSED = ("additionalProperties", "patternProperties", "minProperties", "maxProperties")

MOST_DESCRIPTION = 2000
"""Clients cut what is longer than 2 KB."""


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
    told = _answer_schema(tool, returned)
    # What may be anything is an object where it is one, and is put into one where it is not.
    wrapped = None if not told else told.get("type") != "object"
    output = _in_result(told) if wrapped else {**told, "type": "object"}
    if not tool.read_only:
        output = _perhaps_done(output)
    return Declared(
        Tool(
            name=tool.name,
            title=tool.title,
            description=tool.description,
            input_schema=_input_schema(tool, taken),
            output_schema=output,
            group=tool.group,
            read_only=tool.read_only,
            destructive=tool.destructive,
            idempotent=tool.idempotent,
            content=returned is Content,
        ),
        taken,
        functools.partial(
            _call, tool, pydantic.TypeAdapter(returned), wrapped, returned is Content
        ),
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
    first = parameters[0].name
    if hints.get(first) in _PLAIN:
        raise DeclarationError(
            f"{_of(tool)}: who calls is passed first, and {first} is {hints[first].__name__}; "
            f"write def {tool.name}(caller, {first}, …)."
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
        if each.name.startswith("_") or each.name in _TAKEN:
            raise DeclarationError(
                f"{_of(tool)} has an argument {each.name}, which pydantic keeps for itself; call "
                "it otherwise."
            )
        if each.name not in hints:
            raise DeclarationError(f"{_of(tool)}: {each.name} has no type; annotate it.")
        default = ... if each.default is inspect.Parameter.empty else each.default
        fields[each.name] = (hints[each.name], default)
    try:
        with warnings.catch_warnings():
            # An argument called copy or schema hides a method that nothing here calls.
            warnings.filterwarnings("ignore", "Field name .* shadows an attribute", UserWarning)
            return pydantic.create_model(tool.name, __base__=HostArguments, **fields)
    except (pydantic.errors.PydanticUserError, NameError) as error:
        raise DeclarationError(f"{_of(tool)}: {_unread(fields) or error}") from error


def _unread(fields: cabc.Mapping[str, tuple[t.Any, t.Any]]) -> str:
    """Which argument nothing in JSON can be read as, and what to take instead; "" for none."""
    for name, (hint, _) in fields.items():
        try:
            pydantic.TypeAdapter(hint)
        except pydantic.errors.PydanticSchemaGenerationError:
            called = getattr(hint, "__name__", hint)
            return (
                f"{name} is {called}, which cannot be read from JSON. Take what tells which one it "
                "is, such as flight_id: int, or a TypedDict, dataclass or pydantic model."
            )
    return ""


def _input_schema(tool: HostTool, taken: type[Arguments]) -> Schema:
    """What is told of the arguments: what the host says of them, else what they are."""
    try:
        told = schema_of(taken)
    except DeclarationError as error:
        raise DeclarationError(f"{_of(tool)}: {error.message}") from None
    given = tool.input_schema
    if given is None:
        return told
    if given.get("type") != "object" or set(given.get("properties", ())) != set(taken.model_fields):
        raise DeclarationError(
            f"{_of(tool)}: its input_schema must be of type object, with the properties "
            f"{listed(taken.model_fields)}."
        )
    return dict(given)


def _answer_schema(tool: HostTool, returned: t.Any) -> Schema:
    try:
        return answer_schema(pydantic.TypeAdapter(returned))
    except (pydantic.errors.PydanticUserError, NameError) as error:
        raise DeclarationError(f"{_of(tool)}: what it returns has no schema: {error}") from error


def _in_result(told: Schema) -> Schema:
    return {"type": "object", "properties": {"result": told}, "required": ["result"]}


def _call(
    tool: HostTool,
    adapter: pydantic.TypeAdapter[t.Any],
    wrapped: bool | None,
    content: bool,
    acting: Acting,
    given: t.Any,
) -> Answer:
    values = {name: getattr(given, name) for name in type(given).model_fields}
    returned = tool.function(acting.caller, **values)
    try:
        told = adapter.dump_python(returned, mode="json", by_alias=True, warnings=False)
        wrap = not isinstance(told, dict) if wrapped is None else wrapped
        answer: Answer = sendable({"result": told} if wrap or not isinstance(told, dict) else told)
        bytes_ = size(answer)
    except Exception:
        if tool.read_only:
            raise
        log.exception("What the tool %s answered cannot be sent; it did its work", tool.name)
        return _done(content, "could not be sent")
    if bytes_ <= acting.most_bytes:
        return answer
    if tool.read_only:
        raise BadRequest(
            f"The answer would be {bytes_} bytes long, more than the {acting.most_bytes} that "
            "fit; ask for less."
        )
    why = f"was {bytes_} bytes long, more than the {acting.most_bytes} that fit"
    return _done(content, why)


def _done(content: bool, why: str) -> Answer:
    """What is answered when something was changed, and only its answer cannot be told.

    Never an error: whoever reads one does it again.
    """
    said = f"It was done. The answer {why}; do not call again for it."
    if content:
        return {"content": [{"type": "text", "text": said}], "truncated": True}
    return {"done": True, "truncated": True, "message": said}


def _perhaps_done(told: Schema) -> Schema:
    """The schema of an answer in whose place it may be told that the work was done."""
    plain = {key: each for key, each in told.items() if key not in ("required", *_CLOSED)}
    properties = {"truncated": {"type": "boolean"}, **told.get("properties", {})}
    return {**plain, "properties": properties}


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
    input_schema: cabc.Mapping[str, t.Any] | None,
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
    if (length := len(described.encode())) > MOST_DESCRIPTION:
        raise DeclarationError(
            f"The description of the tool {quoted(named)} is {length} bytes long, and clients cut "
            f'what is longer than {MOST_DESCRIPTION}; give a shorter one, description="…".'
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
        input_schema=input_schema,
    )
