"""What agents pay: a tool over its statements, the MCP adapter over the SDK's bare server.

And what every host pays: the time that importing the package adds to importing Flask.

Every ratio is of two jobs that are timed in turn in one run: ``read_pane`` over the statements that
it ran, run again by hand with their rows fetched; the adapter in memory and over HTTP on the
loopback over a tool of the SDK's that does nothing. Run it with ``make bench``.
"""

from __future__ import annotations

import asyncio
import collections.abc as cabc
import contextlib
import gc
import http.client
import json
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import types as types_
import typing as t
from pathlib import Path

import flask
import mcp.types as types
import sqlalchemy as sa
import uvicorn
from mcp import Client
from mcp.server import Server

from example_app import create_app
from example_app.desk import janela
from example_app.models import db
from example_app.seeding import seed
from flask_janela import Frame
from flask_janela.tools.mcp import mcp_server

ROUNDS = 7

Job = cabc.Callable[[], object]


def ratio(ours: list[float], theirs: list[float]) -> float:
    """The median of the ratios pair by pair."""
    return statistics.median(a / b for a, b in zip(ours, theirs, strict=True))


def tools_over_core(app: flask.Flask) -> None:
    """Every pane of the on-time desk that asks, over the statements it asks with."""
    with app.app_context():
        frame = db.session.scalar(sa.select(Frame).where(Frame.key == "on_time_desk"))
        panes = [(pane.id, pane.measure, pane.dimension or "") for pane in frame.panes]
        panes = [pane for pane in panes if pane[1]]
        tools = janela.tools_for(janela.load_caller("user:lead"))
        engine = db.engine
        db.session.remove()
    print("read_pane over its statements, 336,776 flights on SQLite")
    for pane_id, measure, dimension in panes:

        def ask(pane_id: int = pane_id) -> object:
            return tools.call("read_pane", {"pane_id": pane_id})

        by_hand, count = replayed(engine, ask)
        ours, theirs = paired(ask, by_hand)
        print(
            f"  {f'{measure} {dimension}':<32} {count} statements   "
            f"tool {statistics.median(ours) * 1e3:7.1f} ms   "
            f"core {statistics.median(theirs) * 1e3:7.1f} ms   {ratio(ours, theirs):6.3f}"
        )


def recording(app: flask.Flask) -> None:
    """What keeping calls adds to ``read_pane``: with the recorder, and with none at all."""
    with app.app_context():
        frame = db.session.scalar(sa.select(Frame).where(Frame.key == "on_time_desk"))
        pane_id = next(pane.id for pane in frame.panes if pane.measure)
        tools = janela.tools_for(janela.load_caller("user:lead"))
        state = app.extensions["janela"]
        db.session.remove()
    keeps, none = state.recorder, types_.SimpleNamespace(record=lambda call: None)

    def ask(recorder: object) -> Job:
        def job() -> None:
            state.recorder = recorder
            tools.call("read_pane", {"pane_id": pane_id})

        return job

    with_, without = paired(ask(keeps), ask(none), rounds=60)
    state.recorder = keeps
    added = statistics.median(a - b for a, b in zip(with_, without, strict=True))
    alone = statistics.median(without)
    print(
        f"  recording adds {added * 1e6:.0f} µs to read_pane's {alone * 1e3:.1f} ms "
        f"({added / alone * 100:.2f}%)"
    )


def replayed(engine: sa.Engine, ask: Job) -> tuple[Job, int]:
    """The statements of one call again, by hand, and how many they are."""
    seen: list[tuple[str, t.Any]] = []
    here = threading.get_ident()

    def note(connection: t.Any, cursor: t.Any, statement: str, values: t.Any, *_: t.Any) -> None:
        # The recorder writes the calls themselves down meanwhile, on a thread of its own.
        if threading.get_ident() == here:
            seen.append((statement, values))

    ask()
    sa.event.listen(engine, "before_cursor_execute", note)
    ask()
    sa.event.remove(engine, "before_cursor_execute", note)

    def by_hand() -> None:
        with engine.connect() as connection:
            for statement, values in seen:
                connection.exec_driver_sql(statement, values).fetchall()

    return by_hand, len(seen)


def paired(one: Job, other: Job, rounds: int = ROUNDS) -> tuple[list[float], list[float]]:
    one(), other()
    timings: tuple[list[float], list[float]] = ([], [])
    for at in range(rounds):
        for job, taken in ((one, timings[0]), (other, timings[1]))[:: 1 if at % 2 else -1]:
            started = time.perf_counter()
            job()
            taken.append(time.perf_counter() - started)
    return timings


def bare() -> Server[t.Any]:
    """The SDK's own server with a tool that does nothing."""
    schema = {"type": "object", "properties": {}, "additionalProperties": False}
    tool = types.Tool(name="nothing", description="Do nothing.", input_schema=schema)
    answer = types.CallToolResult(content=[types.TextContent(type="text", text="{}")])

    async def listed(context: t.Any, params: t.Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[tool])

    async def called(context: t.Any, params: t.Any) -> types.CallToolResult:
        return answer

    more: dict[str, t.Any] = {"get_tool_input_schema": lambda name: None}
    return Server("bare", on_list_tools=listed, on_call_tool=called, **more)


def ours(app: flask.Flask) -> Server[t.Any]:
    """The desk's tools, among them one of the host's that does nothing."""
    return mcp_server(janela, app, caller=lambda: "user:lead")


async def in_memory(servers: list[Server[t.Any]], era: str, calls: int = 200) -> list[list[float]]:
    """How many calls of ``nothing`` each server answers in a second, in turn, round by round."""
    async with contextlib.AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(Client(s, mode=era)) for s in servers]
        rates: list[list[float]] = [[] for _ in clients]
        for at in range(ROUNDS + 1):
            for client, found in list(zip(clients, rates, strict=True))[:: 1 if at % 2 else -1]:
                started = time.perf_counter()
                for _ in range(calls):
                    await client.call_tool("nothing", {})
                found.append(calls / (time.perf_counter() - started))
        return [found[1:] for found in rates]


def over_http(ports: list[int], version: str, calls: int = 100) -> list[list[float]]:
    """The same over one kept connection to each, with as little as a client can do."""
    meta = {
        f"io.modelcontextprotocol/{key}": value
        for key, value in (("protocolVersion", version), ("clientCapabilities", {}))
    }
    params = {"name": "nothing", "arguments": {}, **({"_meta": meta} if version > "2026" else {})}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": version,
        "Mcp-Method": "tools/call",
        "Mcp-Name": "nothing",
    }
    connections = [http.client.HTTPConnection("127.0.0.1", port) for port in ports]
    rates: list[list[float]] = [[] for _ in connections]
    for at in range(ROUNDS + 1):
        both = list(zip(connections, rates, strict=True))[:: 1 if at % 2 else -1]
        for connection, found in both:
            started = time.perf_counter()
            for _ in range(calls):
                connection.request("POST", "/mcp", body, headers)
                response = connection.getresponse()
                answer = response.read()
                assert response.status == 200, answer
                assert b'"content"' in answer, answer
            found.append(calls / (time.perf_counter() - started))
    for connection in connections:
        connection.close()
    return [found[1:] for found in rates]


def report(title: str, rates: list[list[float]]) -> None:
    mine, theirs = rates
    print(
        f"  {title:<32} adapter {statistics.median(mine):6.0f}/s   "
        f"bare {statistics.median(theirs):6.0f}/s   {ratio(theirs, mine):6.3f} times as long"
    )


@contextlib.contextmanager
def listening(server: Server[t.Any]) -> cabc.Iterator[int]:
    """The server on a free port of the loopback, in a thread of its own; the port."""
    app = server.streamable_http_app(stateless_http=True)
    # As TCP by name: asyncio sends at once only on sockets that say so.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        served = uvicorn.Server(uvicorn.Config(app, log_level="error"))
        thread = threading.Thread(target=served.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            served.should_exit = True
            thread.join()


def adapter_over_bare(app: flask.Flask) -> None:
    print("A tool that does nothing: the adapter (who calls, scope, hooks, record) over the SDK's")
    servers = [ours(app), bare()]
    for era, called in (("auto", "2026-07-28"), ("legacy", "2025-11-25")):
        report(f"in memory, {called}", asyncio.run(in_memory(servers, era)))
    with listening(servers[0]) as one, listening(servers[1]) as other:
        for version in ("2026-07-28", "2025-11-25"):
            report(f"over HTTP, {version}", over_http([one, other], version))


def imports() -> None:
    """The process's own time, the best of some in turn."""
    code = (
        "import time; a = time.process_time();"
        "import flask, flask_login, flask_sqlalchemy, sqlalchemy.orm; b = time.process_time();"
        "import flask_janela; print(b - a, time.process_time() - b)"
    )
    runs = []
    for _ in range(ROUNDS):
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        runs.append([float(each) for each in done.stdout.split()])
    theirs, mine = (min(run[at] for run in runs) * 1e3 for at in (0, 1))
    print(
        f"Importing flask_janela adds {mine:.0f} ms to the {theirs:.0f} ms of Flask, Flask-Login, "
        f"Flask-SQLAlchemy and SQLAlchemy   {mine / theirs:6.3f}"
    )


@janela.tool()
def nothing(caller: t.Any) -> dict[str, t.Any]:
    """Do nothing."""
    return {}


if __name__ == "__main__":
    gc.freeze()
    imports()
    with tempfile.TemporaryDirectory() as temporary:
        made = create_app(
            {
                "SECRET_KEY": "bench",
                "SQLALCHEMY_DATABASE_URI": f"sqlite:///{Path(temporary) / 'desk.sqlite'}",
            }
        )
        with made.app_context():
            seed()
        tools_over_core(made)
        recording(made)
        adapter_over_bare(made)
        with made.app_context():
            db.session.remove()
            db.engine.dispose()
