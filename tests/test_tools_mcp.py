"""The tools over MCP: the official client in memory, over HTTP and over stdio, in both eras."""

from __future__ import annotations

import collections.abc as cabc
import contextlib
import contextvars
import json
import os
import sys
import threading
import time
import typing as t
from pathlib import Path

import anyio
import httpx2
import mcp.types as types
import pytest
import sqlalchemy as sa
from desk import desk, frame, pane
from hosts import Host
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.server import MCPServer
from serving import listening
from test_tools import ana, outcomes
from toolbox import fitting, recorded

from example_app import mcp as desk_mcp
from example_app.people import TOKENS
from flask_janela import JanelaError, Unscoped
from flask_janela.tools import report_progress
from flask_janela.tools.mcp import (
    Adapter,
    JanelaExtension,
    ScopedMCPServer,
    list_middleware,
    mcp_server,
)

ERAS = ["auto", "legacy"]
ROOT = Path(__file__).parents[1]

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def made(tmp_path: Path) -> cabc.Iterator[Host]:
    """The desk over a file: calls work on threads of their own."""
    database = f"sqlite:///{tmp_path / 'desk.sqlite'}"
    with desk(SQLALCHEMY_DATABASE_URI=database, SQLALCHEMY_ENGINE_OPTIONS={}) as host:
        yield host


def server_for(made: Host, person: str = "user:ana", **more: t.Any) -> t.Any:
    return mcp_server(made.janela, made.app, caller=lambda: person, write=True, **more)


async def failure(client: Client, name: str, arguments: dict[str, t.Any]) -> dict[str, t.Any]:
    """The error in a result that is one."""
    result = await client.call_tool(name, arguments)
    assert result.is_error
    assert result.structured_content is None
    told = json.loads(result.content[0].text)  # type: ignore[union-attr]
    return t.cast("dict[str, t.Any]", told["error"])


@pytest.mark.parametrize("era", ERAS)
async def test_every_tool_is_listed_and_called(made: Host, era: str) -> None:
    """What is answered is what the tools answer in Python, and fits their schemas."""
    sales = frame(made)
    pane(made, sales, measure="revenue", dimension="region")
    arguments = fitting(sales.id, sales.panes[0].id)
    async with Client(server_for(made), mode=era) as client:
        listed = await client.list_tools()
        own = ana(made, write=True)
        assert [(each.name, each.title) for each in listed.tools] == [
            (each.name, each.title) for each in own
        ]
        assert len(listed.model_dump_json(by_alias=True, exclude_none=True)) < 16_384
        # What takes the pane away comes last.
        for tool in sorted(listed.tools, key=lambda each: each.name == "remove_pane"):
            result = await client.call_tool(tool.name, arguments[tool.name])
            assert not result.is_error, (tool.name, result)
            assert json.loads(result.content[0].text) == result.structured_content  # type: ignore[union-attr]
            hints = tool.annotations
            assert hints is not None
            assert None not in (hints.read_only_hint, hints.destructive_hint)
            if hints.read_only_hint:
                assert result.structured_content == own.call(tool.name, arguments[tool.name])


@pytest.mark.parametrize("era", ERAS)
async def test_nine_things_become_of_a_call_and_no_two_look_alike(made: Host, era: str) -> None:
    """A refusal is a JSON-RPC error without a result; a crash says nothing of what it was."""
    outcomes(made)
    stale = {"pane_id": 1, "position": 1, "version": 999}
    nothing = {"model": "orders", "measure": "orders", "filters": {"region": ["Atlantis"]}}
    async with Client(server_for(made), mode=era) as client:
        ok = await client.call_tool("read_measure", nothing)
        assert not ok.is_error
        assert ok.structured_content is not None
        assert ok.structured_content["total"]["orders"] == 0
        errors = {
            "invalid": await failure(client, "read_measure", {"model": "orders", "x": 1}),
            "not_found": await failure(client, "get_frame", {"frame_id": 404}),
            "conflict": await failure(client, "move_pane", stale),
            "rate_limited": await failure(client, "explode", {"how": "wait"}),
            "failed": await failure(client, "explode", {"how": "crash"}),
        }
        assert errors["rate_limited"]["retry_after"] == 30
        assert {code: error["code"] for code, error in errors.items()} == {
            code: code for code in errors
        }
        assert "hunter2" not in json.dumps(errors)
        with pytest.raises(MCPError) as raised:
            await client.call_tool("explode", {"how": "forbid"})
        assert (raised.value.code, raised.value.data) == (
            -32003,
            {"code": "refused", "tool": "explode"},
        )
        assert "Acme" not in str(raised.value)
        with pytest.raises(MCPError) as raised:
            await client.call_tool("nope", {})
        assert raised.value.code == -32602
    for person, code in ((None, "unauthenticated"), ("user:nobody", "caller_gone")):
        async with Client(server_for(made, person), mode=era) as client:  # type: ignore[arg-type]
            for ask in (client.list_tools(), client.call_tool("list_frames", {})):
                with pytest.raises(MCPError) as raised:
                    await ask
                assert raised.value.code == -32003
                assert raised.value.data["code"] == code


@pytest.mark.parametrize("era", ERAS)
async def test_a_refusal_is_a_result_where_a_host_wants_the_model_to_read_it(
    made: Host, era: str
) -> None:
    outcomes(made)
    async with Client(server_for(made, refusals="result"), mode=era) as client:
        assert (await failure(client, "explode", {"how": "forbid"}))["code"] == "refused"
    async with Client(server_for(made, "user:nobody", refusals="result"), mode=era) as client:
        with contextlib.suppress(MCPError):
            await client.list_tools()
        assert (await failure(client, "list_frames", {}))["code"] == "caller_gone"


@pytest.mark.parametrize("era", ERAS)
async def test_a_fault_of_the_set_up_says_nothing_to_the_client(made: Host, era: str) -> None:
    made.janela._hooks.scope = lambda model, caller: "password=hunter2"
    async with Client(server_for(made), mode=era) as client:
        error = await failure(client, "list_frames", {})
    assert error["code"] == "failed"
    assert "hunter2" not in error["message"]


async def test_a_call_is_recorded_with_its_client_and_the_way_it_came(made: Host) -> None:
    with recorded(made) as calls:
        async with Client(server_for(made, agent="desk"), mode="auto") as client:
            await client.call_tool("list_frames", {"actor": "ben"})
            with pytest.raises(MCPError):
                await client.call_tool("nope", {})
    assert [(c.tool, c.unknown, c.outcome, c.forged) for c in calls] == [
        ("list_frames", False, "ok", True),
        ("nope", True, "not_found", False),
    ]
    assert {(c.agent, c.caller, c.transport) for c in calls} == {("desk", "user:ana", "stdio")}
    assert calls[0].client
    assert calls[0].client_version


async def test_who_calls_is_asked_at_every_call(made: Host) -> None:
    """Two callers interleaved over one server, each with their own rows."""
    order = made.models.Order
    made.janela._hooks.scope = lambda model, caller: (
        sa.select(model).where(model.region == caller.region)
        if model is order
        else sa.select(model)
    )
    made.people["ana"].region, made.people["ben"].region = "EU", "US"
    asking: contextvars.ContextVar[str] = contextvars.ContextVar("asking")
    ours = Adapter(made.app, asking.get)
    wrong: list[t.Any] = []

    async def one(person: str, region: str) -> None:
        asking.set(f"user:{person}")
        params = types.CallToolRequestParams(
            name="read_measure",
            arguments={"model": "orders", "measure": "orders", "dimension": "region"},
        )
        result = await ours.call_tool(None, params)
        rows = (result.structured_content or {})["rows"]
        if [row[0] for row in rows] != [region]:
            wrong.append((person, rows))

    async with anyio.create_task_group() as group:
        for at in range(100):
            group.start_soon(one, *(("ana", "EU") if at % 2 else ("ben", "US")))
    assert wrong == []


@pytest.mark.parametrize("caller", ["user:ana", None, 5], ids=repr)
def test_who_calls_is_asked_of_a_function(made: Host, caller: t.Any) -> None:
    """One reference for everybody who calls would be nobody's intention."""
    with pytest.raises(JanelaError, match="give a function that answers who is calling"):
        Adapter(made.app, caller)


@pytest.mark.parametrize("threads", [0, -1, None, 1.5, "2"], ids=repr)
def test_some_call_must_be_able_to_work(made: Host, threads: t.Any) -> None:
    """Said where the server is made, not at the first call."""
    with pytest.raises(JanelaError, match="how many calls may work at once, 1 or more"):
        server_for(made, threads=threads)


def both_ways(made: Host) -> dict[str, t.Callable[[], t.Any]]:
    adapter = Adapter(made.app, lambda: "user:ana")

    def subclassed() -> t.Any:
        return ScopedMCPServer("desk", adapter=adapter, log_level="ERROR")

    def extended() -> t.Any:
        return MCPServer(
            "desk",
            extensions=[JanelaExtension(adapter)],
            middleware=[list_middleware(adapter)],
            log_level="ERROR",
        )

    return {"subclass": subclassed, "extension": extended}


async def test_no_more_calls_work_at_once_than_was_said(made: Host) -> None:
    """Two do, the others wait for their turn."""
    pair, counting = threading.Barrier(2), threading.Lock()
    working = most = 0

    @made.janela.tool()
    def work(caller: t.Any) -> None:
        """Work."""
        nonlocal working, most
        with counting:
            working += 1
            most = max(most, working)
        pair.wait(30)
        time.sleep(0.05)
        with counting:
            working -= 1

    async with (
        Client(server_for(made, threads=2)) as client,
        anyio.create_task_group() as calls,
    ):
        for _ in range(6):
            calls.start_soon(client.call_tool, "work", {})
    assert most == 2


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("way", ["subclass", "extension"])
async def test_a_hosts_own_server_has_ours_beside_its_own(made: Host, era: str, way: str) -> None:
    """Each with its schema, its refusals and its failures."""
    outcomes(made)
    server = both_ways(made)[way]()

    @server.tool()
    def ping(times: int) -> str:
        """Ping."""
        return "pong" * times

    async with Client(server, mode=era) as client:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert {"ping", "list_frames", "read_pane"} <= set(listed)
        assert listed["read_pane"].input_schema["additionalProperties"] is False
        pong = await client.call_tool("ping", {"times": 2})
        assert pong.content[0].text == "pongpong"  # type: ignore[union-attr]
        answer = await client.call_tool("read_measure", {"model": "tickets", "measure": "tickets"})
        assert answer.structured_content is not None
        assert answer.structured_content["total"]["tickets"] == 3
        assert (await failure(client, "get_frame", {"frame_id": 404}))["code"] == "not_found"
        with pytest.raises(MCPError) as raised:
            await client.call_tool("explode", {"how": "forbid"})
        assert raised.value.code == -32003


async def test_a_long_tool_tells_how_far_it_has_come(made: Host) -> None:
    @made.janela.tool()
    def count(caller: t.Any) -> dict[str, int]:
        """Count to three."""
        for number in range(3):
            report_progress(number + 1, 3, "counting")
        return {"counted": 3}

    told: list[tuple[float, float | None]] = []

    async def hear(done: float, total: float | None, message: str | None) -> None:
        told.append((done, total))

    assert ana(made).call("count") == {"counted": 3}
    async with Client(server_for(made)) as client:
        await client.call_tool("count", {}, progress_callback=hear)
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_a_server_needs_a_scope_and_its_own_application() -> None:
    with desk(scoped=False) as made, pytest.raises(Unscoped):
        mcp_server(made.janela, made.app, caller=lambda: None)
    with desk() as made, desk() as other, pytest.raises(JanelaError, match="init_app"):
        mcp_server(made.janela, other.app, caller=lambda: None)


# the example, over HTTP and over stdio


@pytest.fixture(scope="module")
def served(flights_app: t.Any) -> cabc.Iterator[str]:
    """The example's pages and its MCP server in one process; its address."""
    with listening(lambda port: desk_mcp.asgi(flights_app, port=port)) as address:
        yield address


@contextlib.asynccontextmanager
async def over_http(address: str, token: str, era: str) -> cabc.AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(headers=headers) as http:
        way = streamable_http_client(f"{address}/mcp", http_client=http)
        async with Client(way, mode=era) as client:
            yield client


@pytest.mark.parametrize("era", ERAS)
async def test_over_http_each_token_has_its_persons_rows(served: str, era: str) -> None:
    """Published figures: 336,776 flights in all, 58,665 of United, 48,110 of Delta."""
    asked = {"model": "flights", "measure": "flights"}
    for token, flights in (
        ("demo-lead", 336_776),
        ("demo-analyst-ua", 58_665),
        ("demo-analyst-dl", 48_110),
    ):
        async with over_http(served, token, era) as client:
            assert {t_.name for t_ in (await client.list_tools()).tools} >= {"find_flights"}
            answer = await client.call_tool("read_measure", asked)
            assert answer.structured_content is not None
            assert answer.structured_content["total"]["flights"] == flights


async def test_without_a_token_the_door_is_shut_and_the_pages_are_beside_it(served: str) -> None:
    async with httpx2.AsyncClient() as http:
        for headers in ({}, {"Authorization": "Bearer demo-nobody"}):
            answer = await http.post(f"{served}/mcp", json={}, headers=headers)
            assert answer.status_code == 401
        assert (await http.get(f"{served}/sign-in")).status_code == 200
        foreign = await http.post(
            f"{served}/mcp", json={}, headers={"Authorization": "Bearer demo-lead", "Host": "evil"}
        )
        assert foreign.status_code == 421


def test_the_sign_in_page_shows_the_tokens_and_says_that_this_is_a_demo(flights_app: t.Any) -> None:
    text = flights_app.test_client().get("/sign-in").text
    assert all(token in text for token in TOKENS)
    assert "demo" in text


@pytest.mark.slow
@pytest.mark.parametrize("era", ERAS)
async def test_over_stdio_the_launcher_says_who(flights_app: t.Any, era: str) -> None:
    """And what is printed on the way does not get between the messages."""
    started = StdioServerParameters(
        command=sys.executable,
        args=["-m", "example_app.mcp", "--as", "analyst-ua"],
        cwd=ROOT,
        env={
            **os.environ,
            "FLASK_SQLALCHEMY_DATABASE_URI": flights_app.config["SQLALCHEMY_DATABASE_URI"],
            "FLASK_JANELA_RECORDER": "off",
            "FLASK_SECRET_KEY": "tests",
        },
    )
    async with Client(started, mode=era) as client:
        assert len((await client.list_tools()).tools) == 12
        answer = await client.call_tool("count_flights", {})
        assert answer.structured_content == {"count": 58_665}
