"""The tools with clients of other people's: in TypeScript, the inspector, the conformance suite."""

from __future__ import annotations

import collections.abc as cabc
import concurrent.futures
import json
import re
import shutil
import sys
import typing as t
from pathlib import Path

import pytest
from conformance import add_tools
from flask import Flask
from hosts import host
from mcp.server.transport_security import TransportSecuritySettings
from node import Node, installed
from serving import listening

from flask_janela.tools.mcp import mcp_server

ROOT = Path(__file__).parents[1]

# Twelve processes of the inspector take their time where there is little of it.
pytestmark = [pytest.mark.slow, pytest.mark.node, pytest.mark.timeout(600)]

INSPECTOR = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"
SUITES = {
    "0.1.16": ("@modelcontextprotocol/conformance", ()),
    "0.2.0-alpha.12 at 2025-11-25": ("conformance-next", ("--spec-version", "2025-11-25")),
    "0.2.0-alpha.12 at 2026-07-28": ("conformance-next", ("--spec-version", "2026-07-28")),
}
CLIENTS = [
    pytest.param({"sdk": "v1"}, id="v1"),
    pytest.param({"sdk": "v2", "era": "legacy"}, id="v2"),
    pytest.param({"sdk": "v2", "era": "auto"}, id="v2 of 2026"),
]
PLACES = ["http", "stdio"]

CALLS: list[tuple[str, dict[str, t.Any]]] = [
    ("describe_vocabulary", {}),
    ("list_frames", {"search": "desk"}),
    ("get_frame", {"frame_id": 1}),
    ("add_pane", {"frame_id": 1, "model": "flights", "measure": "flights", "dimension": "origin"}),
    ("read_pane", {"pane_id": "$pane", "filters": {"scheduled": ["2013-07"]}}),
    ("update_pane", {"pane_id": "$pane", "renderer": "table"}),
    ("move_pane", {"pane_id": "$pane", "position": 1}),
    ("remove_pane", {"pane_id": "$pane"}),
    ("read_measure", {"model": "flights", "measure": "flights", "dimension": "origin"}),
    ("count_flights", {"measure": "cancelled"}),
    ("find_flights", {"limit": 1}),
    ("get_flight", {"key": "1"}),
]
"""A call of each of the example's tools, in an order that can be kept up."""


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Node:
    return installed(tmp_path_factory.mktemp("node"))


@pytest.fixture
def desk(flights_app: Flask, tmp_path: Path) -> cabc.Iterator[Flask]:
    """The seeded example, over a copy that may be written to."""
    from example_app import create_app
    from example_app.models import db

    seeded = flights_app.config["SQLALCHEMY_DATABASE_URI"].removeprefix("sqlite:///")
    copy = shutil.copy(seeded, tmp_path / "desk.sqlite")
    app = create_app({"SECRET_KEY": "tests", "SQLALCHEMY_DATABASE_URI": f"sqlite:///{copy}"})
    yield app
    app.extensions["janela"].recorder.close()
    with app.app_context():
        db.engine.dispose()


@pytest.fixture
def served(desk: Flask) -> cabc.Iterator[str]:
    """The address of its MCP server."""
    from example_app import mcp

    with listening(lambda port: mcp.asgi(desk, port=port)) as address:
        yield f"{address}/mcp"


def stdio(desk: Flask, person: str) -> dict[str, t.Any]:
    """How a client starts the example's server."""
    return {
        "command": sys.executable,
        "args": ["-m", "example_app.mcp", "--as", person],
        "cwd": str(ROOT),
        "env": {
            "FLASK_SQLALCHEMY_DATABASE_URI": desk.config["SQLALCHEMY_DATABASE_URI"],
            "FLASK_JANELA_RECORDER": "off",
            "FLASK_SECRET_KEY": "tests",
        },
    }


def printed(node: Node, script: str, *arguments: str, given: t.Any = None) -> t.Any:
    """The JSON that a script prints; it has to end well and complain of nothing."""
    done = node.run(script, *arguments, given=given)
    assert (done.returncode, done.stderr) == (0, ""), (done.stdout[-2000:], done.stderr[-2000:])
    return json.loads(done.stdout)


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("place", PLACES)
def test_the_typescript_client_lists_and_calls_every_tool(
    node: Node, desk: Flask, request: pytest.FixtureRequest, place: str, client: dict[str, str]
) -> None:
    """It checks what is answered against the schemas; United flew 58,665 of the flights."""
    if place == "http":
        where = {"url": request.getfixturevalue("served"), "token": "demo-analyst-ua"}
    else:
        where = stdio(desk, "analyst-ua")
    told = printed(
        node,
        "list_and_call.mjs",
        given={**client, "era": client.get("era"), "where": where, "calls": CALLS},
    )
    assert sorted(tool["name"] for tool in told["tools"]) == sorted(name for name, _ in CALLS)
    answers = dict(zip((name for name, _ in CALLS), told["answers"], strict=True))
    for name, answer in answers.items():
        assert "structuredContent" in answer, (name, answer)
        assert not answer.get("isError"), (name, answer)
    assert answers["read_measure"]["structuredContent"]["total"]["flights"] == 58_665
    assert answers["remove_pane"]["structuredContent"]["panes"] == len(
        answers["get_frame"]["structuredContent"]["panes"]
    )


@pytest.fixture(scope="module")
def suited() -> cabc.Iterator[str]:
    """The address of a server of the tools that the conformance suite asks for.

    Anybody who comes is Ana: the suite has no way to say who it is.
    """
    with host(lambda db: {}) as made:
        add_tools(made.janela)
        server = mcp_server(made.janela, made.app, caller=lambda: "user:ana")

        def make(port: int) -> t.Any:
            hosts = [f"127.0.0.1:{port}", f"localhost:{port}"]
            return server.streamable_http_app(
                stateless_http=True,
                transport_security=TransportSecuritySettings(
                    allowed_hosts=hosts, allowed_origins=[f"http://{each}" for each in hosts]
                ),
            )

        with listening(make) as address:
            yield f"{address}/mcp"


@pytest.mark.parametrize("client", CLIENTS)
def test_the_typescript_client_tells_a_refusal_from_an_unknown_tool(
    node: Node, suited: str, client: dict[str, str]
) -> None:
    calls = [("forbidden", {}), ("no_such_tool", {}), ("get_frame", {"frame_id": 404})]
    asked = {**client, "where": {"url": suited, "token": "none"}, "calls": calls}
    refused, unknown, missing = printed(node, "list_and_call.mjs", given=asked)["answers"]
    assert refused["thrown"]["code"] == -32003
    assert refused["thrown"]["data"] == {"code": "refused", "tool": "forbidden"}
    assert unknown["thrown"]["code"] == -32602
    assert missing["isError"]
    assert json.loads(missing["content"][0]["text"])["error"]["code"] == "not_found"


def inspect(node: Node, where: list[str], *arguments: str) -> t.Any:
    patient = ["--connect-timeout", "200000"]  # of a machine that has other things to do
    return printed(node, INSPECTOR, "--cli", *where, *patient, *arguments)


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_the_inspector_lists_strictly_and_calls_every_tool_over_http(
    node: Node, served: str, era: str
) -> None:
    """Without an error or a warning about any schema: those would be on standard error."""
    where = [served, "--transport", "http", "--protocol-era", era]
    where += ["--header", "Authorization: Bearer demo-lead"]
    listed = inspect(node, where, "--method", "tools/list", "--strict")
    assert sorted(tool["name"] for tool in listed["tools"]) == sorted(name for name, _ in CALLS)

    def call(name: str, arguments: dict[str, t.Any]) -> t.Any:
        # Each call is a process of its own, so it takes a pane of the frame as it was seeded.
        given = {key: 2 if value == "$pane" else value for key, value in arguments.items()}
        told = ["--tool-name", name, "--tool-args-json", json.dumps(given)]
        return inspect(node, where, "--method", "tools/call", *told)

    first = [each for each in CALLS if each[0] != "remove_pane"]
    if era == "modern":
        first = [each for each in first if each[0] in ("read_pane", "update_pane")]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda each: call(*each), first))
    answers.append(call("remove_pane", {"pane_id": 2}))
    assert all("structuredContent" in answer for answer in answers)


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_the_inspector_lists_strictly_and_calls_over_stdio(
    node: Node, desk: Flask, era: str
) -> None:
    started = stdio(desk, "analyst-ua")
    where = [started["command"], *started["args"], "--cwd", started["cwd"]]
    where += ["--protocol-era", era]
    for name, value in started["env"].items():
        where += ["-e", f"{name}={value}"]
    listed = inspect(node, where, "--method", "tools/list", "--strict")
    assert len(listed["tools"]) == len(CALLS)
    counted = inspect(node, where, "--method", "tools/call", "--tool-name", "count_flights")
    assert counted["structuredContent"] == {"count": 58_665}


PASSED = {
    "dns-rebinding-protection",
    "http-header-validation",
    "input-required-result-ignore-extra-params",
    "input-required-result-missing-input-response",
    "input-required-result-unsupported-methods",
    "input-required-result-validate-input",
    "json-schema-2020-12",
    "ping",
    "sep-2164-resource-not-found",
    "server-initialize",
    "server-sse-multiple-streams",
    "tools-call-audio",
    "tools-call-embedded-resource",
    "tools-call-error",
    "tools-call-image",
    "tools-call-mixed-content",
    "tools-call-simple-text",
    "tools-call-with-progress",
    "tools-list",
}
"""Every scenario of tools that answer when they are called, and of the protocol around them."""

NOTHING_TO_CHECK = {
    "server-session-lifecycle",
    "server-sse-multiple-streams",
    "server-sse-polling",
}
"""Without sessions, which this server does not keep."""

_PLAIN = "a tool is a function that answers alike with and without MCP: it cannot ask the client"
_NONE = "there are tools here, and no"

OUT_OF_SCOPE = {
    "caching": f"{_NONE} prompts or resources to keep; the list of tools passes",
    "completion-complete": f"{_NONE} completions",
    "elicitation-sep1034-defaults": _PLAIN,
    "elicitation-sep1330-enums": _PLAIN,
    "http-custom-header-server-validation": "no argument of a tool is a header of its request",
    "input-required-result-basic-elicitation": _PLAIN,
    "input-required-result-basic-list-roots": _PLAIN,
    "input-required-result-basic-sampling": _PLAIN,
    "input-required-result-capability-check": _PLAIN,
    "input-required-result-multi-round": _PLAIN,
    "input-required-result-multiple-input-requests": _PLAIN,
    "input-required-result-non-tool-request": f"{_NONE} prompts",
    "input-required-result-request-state": _PLAIN,
    "input-required-result-result-type": _PLAIN,
    "input-required-result-tampered-state": _PLAIN,
    "logging-set-level": "what is logged is the operator's, not the client's; gone in 2026-07-28",
    "prompts-get-embedded-resource": f"{_NONE} prompts",
    "prompts-get-simple": f"{_NONE} prompts",
    "prompts-get-with-args": f"{_NONE} prompts",
    "prompts-get-with-image": f"{_NONE} prompts",
    "prompts-list": f"{_NONE} prompts",
    "resources-list": f"{_NONE} resources",
    "resources-read-binary": f"{_NONE} resources",
    "resources-read-text": f"{_NONE} resources",
    "resources-subscribe": f"{_NONE} resources",
    "resources-templates-read": f"{_NONE} resources",
    "resources-unsubscribe": f"{_NONE} resources",
    "server-stateless": "four of its checks need tools that ask the client or log to it",
    "tools-call-elicitation": _PLAIN,
    "tools-call-sampling": _PLAIN,
    "tools-call-with-logging": "as logging-set-level",
}
"""What the suite asks of servers besides, and why it is not for this one."""


@pytest.mark.parametrize("suite", SUITES)
def test_the_conformance_suite_finds_every_scenario_of_tools_kept(
    node: Node, suited: str, suite: str, tmp_path: Path
) -> None:
    package, options = SUITES[suite]
    script = f"node_modules/{package}/dist/index.js"
    node.run(
        script, "server", "--url", suited, "--suite", "all", "--output-dir", str(tmp_path), *options
    )
    found: dict[str, dict[str, t.Any]] = {"FAILURE": {}, "SUCCESS": {}, "": {}}
    for folder in tmp_path.iterdir():
        scenario = re.sub(r"^server-|-\d{4}-\d\d-\d\dT.*$", "", folder.name)
        checks = json.loads((folder / "checks.json").read_text())
        ends = {check["status"] for check in checks}
        end = next((each for each in ("FAILURE", "SUCCESS") if each in ends), "")
        found[end][scenario] = [check.get("errorMessage") for check in checks]
    assert found["FAILURE"].keys() <= OUT_OF_SCOPE.keys(), found["FAILURE"]
    assert found["SUCCESS"].keys() <= PASSED
    assert found[""].keys() <= NOTHING_TO_CHECK
    of_tools = {name for name in PASSED if name.startswith(("tools-", "json-schema"))}
    assert of_tools <= found["SUCCESS"].keys()
