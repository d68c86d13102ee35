"""Calls of every tool with what its own schema says, and with what no schema says.

``JANELA_FUZZ=20000 pytest tests/test_fuzz_tools.py`` makes as many as that.
"""

from __future__ import annotations

import collections.abc as cabc
import datetime as dt
import decimal
import enum
import json
import typing as t
import uuid

import jsonschema
import pytest
from hostile import HALVES, NAMES, TEXTS, VALUES, anything, filter_keys, filter_values, fuzzing
from hosts import Host
from hypothesis import given
from hypothesis import strategies as st
from tenants import FRAME, ORDERS, PANES, Kept, secrets_of, tenants
from toolbox import recorded

from flask_janela.calls import OUTCOMES
from flask_janela.tools.answers import encoded

Schema = cabc.Mapping[str, t.Any]

CALLER = {"actor": "user:other", "caller": "user:other", "current_user": 7}

FITTING: dict[str, st.SearchStrategy[t.Any]] = {
    "frame_id": st.sampled_from((*FRAME.values(), 1, 0, 2**31)),
    "pane_id": st.sampled_from((*PANES["north"], PANES["south"][0], 0)),
    "version": st.sampled_from((1, 2, 10**12)),
    "key": st.sampled_from((*map(str, ORDERS.values()), "0", "x")),
    "cursor": st.sampled_from(("0", "1", "2147483648", "999999999999999999", "x", "1,2")),
    "model": st.sampled_from(("orders", "orders", "visits", "nothing")),
    "measure": st.sampled_from(NAMES),
    "dimension": st.sampled_from(NAMES),
    "over": st.sampled_from(NAMES),
    "link": st.sampled_from(("/orders", "//elsewhere.example", "/\\elsewhere.example")),
}
"""Arguments by name, so that most calls get past what their schema says."""


def by_schema(schema: Schema, name: str = "") -> st.SearchStrategy[t.Any]:
    """Values that a schema allows, which are often ones that exist."""
    if name in FITTING:
        return FITTING[name]
    if name == "filters":
        values = st.lists(filter_values(), min_size=1, max_size=2)
        return st.dictionaries(filter_keys(), values, max_size=2)
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "anyOf" in schema:
        return st.one_of([by_schema(arm, name) for arm in schema["anyOf"]])
    kind = schema.get("type")
    if kind == "object":
        return objects(schema)
    if kind == "array":
        return st.lists(by_schema(schema.get("items", {}), f"{name}[]"), max_size=4)
    if kind == "integer":
        return st.integers(schema.get("minimum"), schema.get("maximum"))
    if kind == "number":
        return st.floats(allow_nan=False, allow_infinity=False)
    if kind == "boolean":
        return st.booleans()
    if kind == "string":
        return st.one_of(st.sampled_from((*TEXTS, *NAMES, *VALUES)), st.text(max_size=10))
    return anything(1)


def objects(schema: Schema) -> st.SearchStrategy[dict[str, t.Any]]:
    """Objects with what a schema requires, and some of what it offers."""
    properties = schema.get("properties", {})
    needed = set(schema.get("required", ()))
    fields = {name: by_schema(each, name) for name, each in properties.items()}
    return st.fixed_dictionaries(
        {name: fields[name] for name in sorted(needed)},
        optional={name: each for name, each in fields.items() if name not in needed},
    )


HOW = st.sampled_from(("as it is",) * 4 + ("spoilt", "spoilt", "texts", "no object"))
SPOILT = st.one_of(anything(), anything().map(lambda value: json_text(value)))


def calls(schemas: cabc.Mapping[str, Schema]) -> st.SearchStrategy[tuple[str, t.Any]]:
    """A tool's name and its arguments: as its schema says, then perhaps spoilt."""
    return st.one_of([called(name, schema) for name, schema in sorted(schemas.items())])


def called(tool: str, schema: Schema) -> st.SearchStrategy[tuple[str, t.Any]]:
    names = sorted(schema.get("properties", {}))
    fitting, gone = objects(schema), st.lists(st.sampled_from([*names, ""]), max_size=1)
    keys = st.lists(
        st.one_of(st.sampled_from([*names, *CALLER]), st.sampled_from(TEXTS)),
        min_size=1,
        max_size=3,
    )
    strangers = st.sampled_from((*TEXTS, *HALVES))

    @st.composite
    def one(draw: st.DrawFn) -> tuple[str, t.Any]:
        given_: t.Any = draw(fitting)
        how = draw(HOW)
        if how == "spoilt":
            given_.update((key, draw(SPOILT)) for key in draw(keys))
            for key in draw(gone):
                given_.pop(key, None)
        elif how == "texts":
            given_ = {key: json_text(value) for key, value in given_.items()}
        elif how == "no object":
            given_ = draw(anything())
        if draw(st.integers(0, 9)) == 0:
            given_ = json_text(given_)
        return (draw(strangers) if draw(st.integers(0, 29)) == 0 else tool), given_

    return one()


def json_text(value: t.Any) -> str:
    """A value as the JSON text that a model might write of it."""
    try:
        return json.dumps(value)
    except ValueError:
        return str(type(value))


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@pytest.fixture(scope="module")
def made() -> cabc.Iterator[Host]:
    with tenants() as host:

        @host.janela.tool(read_only=False)
        def everything(
            caller: t.Any,
            text: str,
            whole: int = 0,
            real: float = 0.0,
            exact: decimal.Decimal = decimal.Decimal(0),
            yes: bool = False,
            day: dt.date | None = None,
            moment: dt.datetime | None = None,
            hour: dt.time | None = None,
            length: dt.timedelta | None = None,
            one: uuid.UUID | None = None,
            colour: Colour = Colour.RED,
            either: t.Literal["a", 1] = "a",
            several: list[int] | None = None,
            apart: set[str] | None = None,
            pair: tuple[int, str] | None = None,
            named: dict[str, float] | None = None,
        ) -> dict[str, t.Any]:
            """Take one of everything that a function may take."""
            return {"said": f"{text} {whole} {real} {exact} {day} {moment} {hour} {length} {one}"}

        yield host


def test_every_call_has_a_clear_answer(made: Host) -> None:
    """An answer as its schema says, or an error to act on; never a failure, and no leak."""
    before = Kept.of(made)
    tools = made.janela.tools_for(made.people["analyst"], write=True)
    listed = {tool.name: tool for tool in tools}
    answers = {
        name: jsonschema.Draft202012Validator(tool.output_schema) for name, tool in listed.items()
    }
    most = made.app.extensions["janela"].config.tool_bytes

    @fuzzing(500)
    @given(asked=calls({name: tool.input_schema for name, tool in listed.items()}))
    def call(asked: tuple[str, t.Any]) -> None:
        name, arguments = asked
        with recorded(made) as kept:
            answer = tools.run(name, arguments)
        assert [each.outcome for each in kept] != ["failed"]
        assert len(kept) == 1
        sent = encoded(answer)
        assert len(sent.encode()) <= most
        if "error" in answer and set(answer) == {"error"}:
            assert answer["error"]["code"] == kept[0].outcome
            assert kept[0].outcome in OUTCOMES
            assert answer["error"]["message"].isprintable()
        else:
            assert kept[0].outcome == "ok"
            answers[name].validate(json.loads(sent))
        asked_for = json_text(arguments)
        assert [s for s in secrets_of("south") if s in sent and s not in asked_for] == []
        if kept[0].outcome == "ok" and not listed[name].read_only:
            before.put_back(made)

    call()
