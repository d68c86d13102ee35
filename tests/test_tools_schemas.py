"""What every client takes: the names and schemas of all tools, a test for each rule.

``tests/tools.json`` is a copy of the example's. When a change is meant, write it anew with
``.venv/bin/flask --app example_app janela tools --write --json > tests/tools.json``.
"""

from __future__ import annotations

import collections.abc as cabc
import datetime as dt
import json
import re
import typing as t
from pathlib import Path

import jsonschema
import pydantic
import pytest
from annotated import FITTING, Leg, add_tools
from flask import Flask
from hosts import Host, host

from flask_janela import DeclarationError, Tool
from flask_janela.tools.mcp import wire
from flask_janela.tools.schemas import answer_schema

STORED = Path(__file__).with_name("tools.json")

Found = cabc.Callable[[], list[Tool]]
Node = dict[str, t.Any]


@pytest.fixture
def annotated() -> cabc.Iterator[Host]:
    with host(lambda db: {}) as made:
        add_tools(made.janela)
        yield made


@pytest.fixture(params=["the example", "a host of every annotation"])
def tools(request: pytest.FixtureRequest) -> list[Tool]:
    """All tools of an application, those that write among them."""
    if request.param == "the example":
        from example_app.desk import janela

        with request.getfixturevalue("desk_app").app_context():
            return janela.tool_definitions(write=True)
    made: Host = request.getfixturevalue("annotated")
    return made.janela.tool_definitions(write=True)


def roots(tools: list[Tool]) -> cabc.Iterator[tuple[str, Node]]:
    """Both schemas of each tool, with what they are called."""
    for tool in tools:
        yield f"{tool.name} in", tool.input_schema
        yield f"{tool.name} out", tool.output_schema


def nodes(schema: t.Any, path: str) -> cabc.Iterator[tuple[str, t.Any]]:
    """Every schema within one, itself included, with where it is."""
    yield path, schema
    if not isinstance(schema, dict):
        return
    for key in ("properties", "patternProperties", "$defs"):
        for name, each in schema.get(key, {}).items():
            yield from nodes(each, f"{path}.{name}")
    for key in ("anyOf", "oneOf", "allOf", "prefixItems"):
        for at, each in enumerate(schema.get(key, [])):
            yield from nodes(each, f"{path}.{key}[{at}]")
    for key in ("items", "additionalProperties", "not", "if", "then", "else", "contains"):
        if key in schema:
            yield from nodes(schema[key], f"{path}.{key}")


def test_the_roots_are_objects_without_a_choice_or_a_reference(tools: list[Tool]) -> None:
    """Hosts of models refuse others, some of them with all tools of the server."""
    for name, schema in roots(tools):
        assert schema["type"] == "object", name
        assert not {"anyOf", "oneOf", "allOf", "not", "if", "enum", "$ref"} & schema.keys(), name


def test_there_are_no_references(tools: list[Tool]) -> None:
    """Many clients leave them out instead of following them."""
    for name, schema in roots(tools):
        for path, node in nodes(schema, name):
            assert not {"$ref", "$defs", "$dynamicRef", "$anchor", "$id"} & set(node or ()), path
        assert "#/$defs" not in json.dumps(schema), name


def test_a_schema_says_nothing_that_a_validator_does_not_know(tools: list[Tool]) -> None:
    """It would be passed over without a word."""
    known = set(jsonschema.Draft202012Validator.VALIDATORS)
    said = known | {"title", "description", "default", "examples", "contentEncoding"}
    for name, schema in roots(tools):
        for path, node in nodes(schema, name):
            assert set(node or ()) <= said, path


def test_a_type_is_one_type(tools: list[Tool]) -> None:
    for name, schema in roots(tools):
        for path, node in nodes(schema, name):
            assert node is False or isinstance(node.get("type", ""), str), path


def test_no_schema_is_a_mere_true_or_false(tools: list[Tool]) -> None:
    """But that the arguments have no others: that is false, at the root."""
    for name, schema in roots(tools):
        root = {k: v for k, v in schema.items() if k != "additionalProperties"}
        for path, node in nodes(root, name):
            assert isinstance(node, dict), path
            assert node != {}, path


def test_there_are_no_arguments_but_those_that_are_told(tools: list[Tool]) -> None:
    for tool in tools:
        assert tool.input_schema["additionalProperties"] is False, tool.name
        assert set(tool.input_schema.get("required", [])) <= set(tool.input_schema["properties"])


def test_an_argument_is_never_a_null(tools: list[Tool]) -> None:
    """What is not needed is left out."""
    for tool in tools:
        for path, node in nodes(tool.input_schema, tool.name):
            assert node is False or node.get("type") != "null", path


def test_an_array_of_arguments_says_of_what(tools: list[Tool]) -> None:
    for tool in tools:
        for path, node in nodes(tool.input_schema, tool.name):
            assert node is False or node.get("type") != "array" or node.get("items"), path


def test_names_are_short_and_of_small_letters(tools: list[Tool]) -> None:
    names = [tool.name for tool in tools]
    assert len(set(names)) == len(names)
    for name in names:
        assert re.fullmatch(r"[a-z0-9_]{1,40}", name)


def test_descriptions_are_short(tools: list[Tool]) -> None:
    """Clients cut what is longer than 2 KB."""
    for tool in tools:
        assert 0 < len(tool.description.encode()) < 2048, tool.name
        for path, node in nodes(tool.input_schema, tool.name):
            assert len((node or {}).get("description", "").encode()) < 2048, path


def test_every_schema_is_one(tools: list[Tool]) -> None:
    for name, schema in roots(tools):
        jsonschema.Draft202012Validator.check_schema(schema), name


def test_the_list_of_the_examples_tools_is_short(desk_app: Flask) -> None:
    """Under 16 KB as it is sent, those that write among them."""
    from example_app.desk import janela

    with desk_app.app_context():
        listed = {"tools": [wire(tool) for tool in janela.tool_definitions(write=True)]}
    sent = json.dumps(listed, ensure_ascii=False, separators=(",", ":"))
    assert len(sent.encode()) < 16_384


def test_names_and_schemas_are_as_they_were(desk_app: Flask) -> None:
    """They are a contract with whoever built an agent on them."""
    with desk_app.app_context():
        told = desk_app.test_cli_runner().invoke(args=["janela", "tools", "--write", "--json"])
    assert json.loads(told.output) == json.loads(STORED.read_text(encoding="utf-8")), (
        "What agents are told has changed. If that is meant, write the copy anew with\n"
        "    .venv/bin/flask --app example_app janela tools --write --json > tests/tools.json\n"
        "and say in CHANGELOG.md what changed and how it could break an agent."
    )


def test_what_is_lost_by_a_call_is_said_with_its_tool(desk_app: Flask) -> None:
    """Only a pane that is taken away; a client may ask somebody before such a call."""
    from example_app.desk import janela

    with desk_app.app_context():
        tools = janela.tool_definitions(write=True)
    writing = {each.name for each in tools if not each.read_only}
    assert writing == {"add_pane", "update_pane", "remove_pane", "move_pane"}
    assert {each.name for each in tools if each.destructive} == {"remove_pane"}
    assert {each.name for each in tools if not each.idempotent} == {"add_pane", "remove_pane"}


def test_what_a_hosts_tool_answers_fits_the_schema_that_is_told(annotated: Host) -> None:
    """Clients check it, and show the model nothing of what does not fit."""
    tools = annotated.janela.tools_for(annotated.people["ana"], write=True)
    own = {tool.name: tool for tool in tools if tool.group == "host"}
    assert set(FITTING) == set(own)
    for name, arguments in FITTING.items():
        jsonschema.validate(arguments, own[name].input_schema)
        jsonschema.validate(tools.call(name, arguments), own[name].output_schema)


def test_a_null_that_is_answered_is_told(annotated: Host) -> None:
    """As one arm of a choice, since a type is one type."""
    tools = {tool.name: tool for tool in annotated.janela.tool_definitions()}
    assert tools["mappings"].output_schema["additionalProperties"] == {
        "anyOf": [{"type": "number"}, {"type": "null"}]
    }
    assert tools["either"].output_schema["required"] == ["result"]


def test_what_is_computed_for_an_answer_is_told() -> None:
    """A schema of what is answered, not of what would be taken."""

    class Found(pydantic.BaseModel):
        count: int

        @pydantic.computed_field
        def twice(self) -> int:
            return self.count * 2

    told = answer_schema(pydantic.TypeAdapter(Found))
    assert set(told["properties"]) == {"count", "twice"}


def _recursive(caller: t.Any, leg: Leg) -> None:
    """Take what contains itself."""


def _anything(caller: t.Any, what: t.Any) -> None:
    """Take anything."""


def _list_of_anything(caller: t.Any, what: list[t.Any]) -> None:
    """Take a list of anything."""


def _long(caller: t.Any) -> None:
    """Say too much."""


_long.__doc__ = "Say too much. " * 200


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (_recursive, "Leg contains itself"),
        (_anything, "what may be anything"),
        (_list_of_anything, "each of what may be anything"),
        (_long, "bytes long"),
    ],
)
def test_what_clients_do_not_take_is_refused_with_the_fix(function: t.Any, said: str) -> None:
    def declare(made: Host) -> None:
        made.janela.tool(name="odd")(function)
        made.janela.check()

    with host(lambda db: {}) as made, pytest.raises(DeclarationError, match=said):
        declare(made)


def test_a_host_may_tell_a_schema_of_its_own() -> None:
    """Word for word; the annotations are kept to all the same."""
    told = {
        "type": "object",
        "properties": {"day": {"type": "string", "format": "date", "examples": ["2013-06-01"]}},
        "required": ["day"],
    }
    with host(lambda db: {}) as made:

        @made.janela.tool(input_schema=told)
        def weather(caller: t.Any, day: dt.date) -> str:
            """Tell the weather of a day."""
            return f"{day:%A}: fog"

        tools = made.janela.tools_for(made.people["ana"])
        assert next(tool for tool in tools if tool.name == "weather").input_schema == told
        assert tools.call("weather", {"day": "2013-06-01"}) == {"result": "Saturday: fog"}
        assert tools.run("weather", {"day": "soon"})["error"]["code"] == "invalid"


@pytest.mark.parametrize(
    "told",
    [
        {"type": "array", "items": {"type": "string"}},
        {"type": "object", "properties": {"night": {"type": "string"}}},
        {"type": "object"},
    ],
)
def test_a_schema_of_another_function_is_refused(told: dict[str, t.Any]) -> None:
    with host(lambda db: {}) as made:

        @made.janela.tool(input_schema=told)
        def weather(caller: t.Any, day: dt.date) -> str:
            """Tell the weather of a day."""
            return ""

        with pytest.raises(DeclarationError, match="with the properties day"):
            made.janela.check()
