"""``docs/agents.md`` is true: all of its code runs, and does what it says."""

from __future__ import annotations

import collections.abc as cabc
import contextlib
import json
import re
import sys
import typing as t
from pathlib import Path

import httpx2
import pytest
from documents import ROOT, Space, blocks, run, shop
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from serving import listening

from flask_janela.calls import OUTCOMES

DOCUMENT = "docs/agents.md"

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def space(tmp_path: Path) -> cabc.Iterator[Space]:
    """The names of the README's blocks and then of this document's."""
    with shop(tmp_path) as space:
        run(DOCUMENT, space)
        space["ana"] = space["db"].session.get(space["User"], 1)
        yield space


def test_tools_are_built_for_one_caller(space: Space) -> None:
    """In a worker and for a sub-agent, too."""
    assert "read_measure" in space["names_of"](space["ana"])
    assert space["revenue_of"](space["ana"]) == "30.00"
    reference = space["reference_of"](space["ana"])
    assert reference == "user:1"
    assert space["nightly"](reference)["total"]["orders"] == 2
    assert space["nightly"]("user:2")["error"]["code"] == "caller_gone"
    fewer = space["for_a_sub_agent"](space["ana"])
    assert [tool.name for tool in fewer] == ["describe_vocabulary", "read_measure"]


def test_hooks_and_functions_of_the_hosts_are_under_the_same_checks(space: Space) -> None:
    ana, session = space["ana"], space["db"].session
    tools = space["janela"].tools_for(ana, write=True)
    asked = {"before": "2100-01-01", "regions": ["EU"]}
    assert tools.call("overdue", asked) == {"result": [1, 2]}
    picture = tools.call("map_of_orders")["content"][1]
    assert picture["mimeType"] == "image/png"
    for name, tool, arguments, said in (
        ("Friday", "remove_pane", {"pane_id": 1}, "Frames stay as they are on Fridays."),
        ("Nosy", "overdue", asked, "This caller may not do this."),
    ):
        ana.name = name
        session.commit()
        assert tools.run(tool, arguments)["error"] == {"code": "refused", "message": said}


def test_who_asks_too_often_is_told_when_to_ask_again(space: Space) -> None:
    """After as many calls as the document allows, and only that person."""
    tools = space["tools_of"](space["ana"])
    asked = {"model": "orders", "measure": "orders"}
    answers = [tools.run("read_measure", asked) for _ in range(space["CALLS"] + 1)]
    assert [each for each in answers[:-1] if "error" in each] == []
    error = answers[-1]["error"]
    assert error["code"] == "rate_limited"
    assert 0 < error["retry_after"] <= space["SECONDS"]
    assert str(error["retry_after"]) in error["message"]
    assert space["LATELY"].keys() == {space["ana"].id}


def test_the_shapes_of_two_apis_of_models(space: Space) -> None:
    """A call that went wrong is marked, and the model can read why."""
    tools = space["tools_of"](space["ana"])
    asked = {"model": "orders", "measure": "revenue"}
    names = [tool.name for tool in tools]
    listed = space["anthropic_tools"](tools)
    assert [each["name"] for each in listed] == names
    assert all(each["input_schema"]["type"] == "object" for each in listed)
    content = [
        {"type": "text", "text": "Let me see."},
        {"type": "tool_use", "id": "a", "name": "read_measure", "input": asked},
        {"type": "tool_use", "id": "b", "name": "get_frame", "input": {"frame_id": 9}},
    ]
    message = space["anthropic_answers"](tools, content)
    assert [each["is_error"] for each in message["content"]] == [False, True]
    assert json.loads(message["content"][0]["content"])["total"]["formatted"] == "€30.00"
    listed = space["openai_tools"](tools)
    assert [each["name"] for each in listed] == names
    output = [
        {"type": "message", "content": []},
        {
            "type": "function_call",
            "call_id": "c",
            "name": "read_measure",
            "arguments": json.dumps(asked),
        },
        {"type": "function_call", "call_id": "d", "name": "read_measure", "arguments": "{oops"},
    ]
    answers = space["openai_answers"](tools, output)
    assert [each["call_id"] for each in answers] == ["c", "d"]
    assert json.loads(answers[0]["output"])["total"]["formatted"] == "€30.00"
    assert json.loads(answers[1]["output"])["error"]["code"] == "invalid"


@pytest.mark.parametrize("era", ["auto", "legacy"])
@pytest.mark.parametrize("kind", ["my_server", "extended_server", "fast_server"])
async def test_servers_that_a_host_has(space: Space, kind: str, era: str) -> None:
    """Ours beside its own; a refusal is an error of the protocol, and nobody is not nothing."""
    who = ["user:1"]
    server = space[kind](space["app"], caller=lambda: who[-1])
    if kind != "my_server":

        @server.tool()
        def ping() -> str:
            """Say that the shop is there."""
            return "pong"

    with contextlib.ExitStack() as stack:
        where: t.Any = server
        if kind == "fast_server":
            app = server.http_app(path="/mcp", stateless_http=True)
            where = f"{stack.enter_context(listening(lambda port: app))}/mcp"
        async with Client(where, mode=era) as client:
            await beside_its_own(client, who)


async def beside_its_own(client: Client, who: list[str]) -> None:
    names = {tool.name for tool in (await client.list_tools()).tools}
    assert {"read_measure", "overdue", "ping"} <= names
    assert "pong" in str(await client.call_tool("ping", {}))
    asked = {"model": "orders", "measure": "revenue"}
    answer = await client.call_tool("read_measure", asked)
    assert answer.structured_content is not None
    assert answer.structured_content["total"]["formatted"] == "€30.00"
    missing = await client.call_tool("get_frame", {"frame_id": 9})
    assert missing.is_error
    drawn = await client.call_tool("map_of_orders", {})
    assert [each.type for each in drawn.content] == ["text", "image"]
    who.append("user:2")
    for ask in (client.call_tool("read_measure", asked), client.list_tools()):
        with pytest.raises(MCPError) as raised:
            await ask
        assert raised.value.code == -32003
        assert raised.value.data["code"] == "caller_gone"


async def test_over_http_by_a_token(space: Space) -> None:
    """Ana's token reads Ana's orders; without one the door is shut."""

    def make(port: int) -> t.Any:
        return space["http_app"](space["app"], f"http://127.0.0.1:{port}")

    with listening(make) as address:
        headers = {"Authorization": "Bearer a-long-random-token"}
        async with httpx2.AsyncClient(headers=headers) as http:
            way = streamable_http_client(f"{address}/mcp", http_client=http)
            async with Client(way) as client:
                answer = await client.call_tool("count_orders", {})
        assert answer.structured_content == {"count": 2}
        async with httpx2.AsyncClient() as http:
            assert (await http.post(f"{address}/mcp", json={})).status_code == 401


START = """
app = create_app()
with app.app_context():
    db.create_all()
    db.session.merge(User(id=1, name="Ana", team="north"))
    db.session.commit()
speak(app, "user:1")
"""


@pytest.mark.slow
async def test_over_stdio_for_whom_the_launcher_says(tmp_path: Path) -> None:
    """All blocks in one file, started by a client."""
    script = tmp_path / "shop.py"
    script.write_text("\n\n".join([*blocks("README.md"), *blocks(DOCUMENT), START]))
    started = StdioServerParameters(
        command=sys.executable, args=[str(script)], cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}
    )
    async with Client(started) as client:
        answer = await client.call_tool("count_orders", {})
    assert answer.structured_content == {"count": 0}


def test_every_tool_outcome_and_reserved_name_is_told(space: Space) -> None:
    text = (ROOT / DOCUMENT).read_text(encoding="utf-8")
    for outcome in OUTCOMES:
        assert f"| `{outcome}` |" in text, outcome
    for tool in space["janela"].tool_definitions(write=True):
        if tool.group == "frames":
            assert re.search(rf"`{tool.name}`.* \|", text), tool.name
    for name in space["app"].extensions["janela"].config.reserved_arguments:
        assert f"`{name}`" in text
