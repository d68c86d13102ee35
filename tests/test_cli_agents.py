"""The tools from a terminal, and the skill that tells agents how to use them."""

from __future__ import annotations

import collections.abc as cabc
import json
import re
import threading
from pathlib import Path

import pytest
from desk import desk, frame, pane
from hosts import Host
from toolbox import recorded

from flask_janela.calls import OUTCOMES
from flask_janela.tools.skill import skill

ROOT = Path(__file__).parents[1]


@pytest.fixture
def made() -> cabc.Iterator[Host]:
    with desk() as host:
        yield host


def run(made: Host, *arguments: str) -> tuple[int, str]:
    result = made.app.test_cli_runner().invoke(args=["janela", *arguments])
    return result.exit_code, result.output


def test_the_tools_are_listed_for_all_and_for_one(made: Host) -> None:
    code, output = run(made, "tools")
    assert code == 0
    assert re.search(r"^read_pane +read +Read a pane$", output, re.MULTILINE)
    assert "add_pane" not in output
    code, output = run(made, "tools", "--as", "user:ana", "--write")
    assert re.search(r"^add_pane +write +Add a pane$", output, re.MULTILINE)
    code, output = run(made, "tools", "--json")
    assert json.loads(output)[0]["input_schema"]["type"] == "object"
    code, output = run(made, "tools", "--as", "user:nobody")
    assert code == 1
    assert "no longer somebody who may ask" in output


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["tools"], "read_pane"),
        (["skill"], "read_pane"),
        (["call", "describe_vocabulary", "--as", "user:ana"], "orders"),
    ],
    ids=["tools", "skill", "call"],
)
def test_commands_bring_their_own_context(made: Host, words: list[str], told: str) -> None:
    """Also where a test of the host's runs them without one."""
    result = []
    thread = threading.Thread(
        target=lambda: result.append(made.app.test_cli_runner().invoke(args=["janela", *words]))
    )
    thread.start()
    thread.join()
    assert (result[0].exit_code, told in result[0].output) == (0, True), result[0].output


def test_a_tool_is_called_as_somebody(made: Host) -> None:
    """Printed as JSON, and recorded like any other call."""
    sales = frame(made)
    pane(made, sales, measure="revenue")
    with recorded(made) as calls:
        code, output = run(made, "call", "read_pane", '{"pane_id": 1}', "--as", "user:ana")
    assert code == 0
    assert json.loads(output)["total"]["revenue"] == "3650.60"
    assert [(c.transport, c.caller, c.outcome) for c in calls] == [("cli", "user:ana", "ok")]


def test_a_call_that_is_refused_says_so_and_fails(made: Host) -> None:
    code, output = run(made, "call", "get_frame", '{"frame_id": 9}', "--as", "user:ana")
    assert (code, "not_found: There is no such frame" in output) == (1, True)
    code, output = run(made, "call", "add_pane", "{}", "--as", "user:ana")
    assert (code, "refused:" in output) == (1, True)
    code, output = run(made, "call", "list_frames", "{", "--as", "user:ana")
    assert (code, "not JSON" in output) == (2, True)
    code, output = run(made, "call", "list_frames")
    assert (code, "Say who calls" in output) == (2, True)


def test_the_skill_names_every_tool_and_every_outcome(made: Host) -> None:
    """It is made from the tools, the host's own among them."""

    @made.janela.tool()
    def rebook(caller: object) -> None:
        """Put passengers on the next flight."""

    code, output = run(made, "skill")
    assert code == 0
    for tool in made.janela.tool_definitions(write=True):
        assert f"- `{tool.name}`: " in output
    assert "- `rebook`: Put passengers on the next flight." in output
    for outcome in OUTCOMES:
        assert f"- `{outcome}`: " in output


def test_the_skill_in_the_docs_is_the_one_that_is_printed(made: Host) -> None:
    """For Janela's own tools."""
    own = [tool for tool in made.janela.tool_definitions(write=True) if tool.group == "frames"]
    assert (ROOT / "docs" / "skill.md").read_text() == skill(own)
