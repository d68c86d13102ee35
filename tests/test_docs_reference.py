"""The reference names all that there is and nothing that there is not; its examples are run."""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import fnmatch
import importlib
import json
import re
import runpy
import typing as t
import zoneinfo
from pathlib import Path

import babel
import pytest
from documents import ROOT, Space, blocks, shop

import flask_janela
from flask_janela.calls import OUTCOMES, RAN
from flask_janela.cli import janela as commands
from flask_janela.config import WEEKDAYS, Config
from flask_janela.errors import JanelaError

REFERENCE = ROOT / "docs/reference"
DOCUMENTS = sorted([*(ROOT / "docs").glob("*.md"), *REFERENCE.glob("*.md"), ROOT / "README.md"])
TESTED = {
    "README.md",
    "agents.md",
    "databases.md",
    "declaring.md",
    "doctor.md",
    "languages.md",
    "pages.md",
    "roster.md",
    "scope.md",
    "start.md",
    "testing.md",
    "security.md",
    "upgrading.md",
}
"""Documents whose Python is run by tests of their own."""


def text_of(page: str) -> str:
    return (REFERENCE / page).read_text(encoding="utf-8")


def rows(page: str, first: str) -> dict[str, list[str]]:
    """The rows of a table by what their first cell names, from the row of heads on."""
    table = text_of(page).split(f"| {first} |", 1)[1].split("\n\n")[0]
    cells = [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]
    return {row[0].replace("`", ""): row[1:] for row in cells}


# Settings


def shown(field: str, value: t.Any) -> str:
    """A default as somebody would write it."""
    if field == "week_start":
        return json.dumps(WEEKDAYS[value])
    if isinstance(value, zoneinfo.ZoneInfo | babel.Locale):
        return json.dumps(str(value))
    if isinstance(value, frozenset):
        return json.dumps(sorted(value))
    return repr(value) if not isinstance(value, str) else json.dumps(value)


def test_every_setting_is_told_with_its_default() -> None:
    config = Config()
    there = {
        f"JANELA_{field.name.upper()}": shown(field.name, getattr(config, field.name))
        for field in dataclasses.fields(Config)
    }
    assert {name: row[0].strip("`") for name, row in rows("settings.md", "key").items()} == there


def test_no_document_names_a_setting_that_there_is_not() -> None:
    """Names for the tests of this repository are not settings of a host's."""
    there = {f"JANELA_{field.name.upper()}" for field in dataclasses.fields(Config)}
    for document in DOCUMENTS:
        named = set(re.findall(r"\bJANELA_[A-Z_]*[A-Z]\b", document.read_text(encoding="utf-8")))
        assert named <= there, document.name


# Commands and tools


@pytest.fixture(scope="module")
def written() -> dict[str, str]:
    """The pages that the code tells, as it tells them now."""
    pages: cabc.Callable[[], dict[str, str]] = runpy.run_path(
        str(ROOT / "docs/write_reference.py")
    )["pages"]
    return pages()


@pytest.mark.parametrize("page", ["commands.md", "tools.md"])
def test_the_written_pages_are_up_to_date(written: dict[str, str], page: str) -> None:
    """Otherwise: ``python docs/write_reference.py``."""
    assert text_of(page) == written[page]


def test_every_command_and_option_is_told() -> None:
    page = text_of("commands.md")
    for name, command in commands.commands.items():
        part = page.split(f"\n## flask janela {name}\n")[1].split("\n## ")[0]
        told = re.findall(r"^\| `(--[a-z]+|[A-Z]+)", part, re.MULTILINE)
        assert len(told) == len(command.params)
        for parameter in command.params:
            opts = [each for each in parameter.opts if each.startswith("--")]
            assert (opts or [parameter.metavar or (parameter.name or "").upper()])[0] in told


def test_no_document_names_a_command_that_there_is_not() -> None:
    for document in DOCUMENTS:
        text = document.read_text(encoding="utf-8")
        assert set(re.findall(r"flask janela ([a-z]+)\b", text)) <= set(commands.commands)
        for line in re.findall(r"^flask .*?janela ([a-z]+ .*)$", text, re.MULTILINE):
            name, *words = line.split("#")[0].split()
            options = {
                opt for parameter in commands.commands[name].params for opt in parameter.opts
            }
            assert {word for word in words if word.startswith("--")} <= options, line


def test_every_tool_and_argument_is_told(tmp_path: Path) -> None:
    """Those of a model's records as they are for the README's orders."""
    page = text_of("tools.md")
    with shop(tmp_path) as space:
        tools = space["janela"].tool_definitions(write=True)
    own = [tool for tool in tools if tool.group != "host"]
    assert re.findall(r"^## (\w+)$", page, re.MULTILINE) == [tool.name for tool in own]
    for tool in own:
        part = page.split(f"\n## {tool.name}\n")[1].split("\n## ")[0]
        told = re.findall(r"^\| `(\w+)`", part, re.MULTILINE)
        assert told == list(tool.input_schema["properties"])
        required = re.findall(r"^\| `(\w+)` .*\*\*required\*\*", part, re.MULTILINE)
        assert set(required) == set(tool.input_schema.get("required", []))


# Errors and outcomes


def kinds(of: type[JanelaError]) -> list[type[JanelaError]]:
    found = [each for each in of.__subclasses__() if each.__module__.startswith("flask_janela.")]
    return [of, *(kind for each in found for kind in kinds(each))]


def test_every_error_is_told_with_its_code_and_status() -> None:
    importlib.import_module("flask_janela.tools.calling")
    there = {kind.__name__: [f"`{kind.code}`", str(kind.status)] for kind in kinds(JanelaError)}
    assert {name: row[:2] for name, row in rows("errors.md", "class").items()} == there


def test_every_outcome_is_told() -> None:
    """With what it counts as; the page on the roster names each, too."""
    told = rows("errors.md", "outcome")
    assert list(told) == list(OUTCOMES)
    assert {name for name, row in told.items() if row[-1].startswith("ran")} == RAN
    roster = (ROOT / "docs/roster.md").read_text(encoding="utf-8")
    named = re.findall(r"^\| ((?:`\w+` ?)+)\|", roster, re.MULTILINE)
    assert sorted(re.findall(r"\w+", " ".join(named))) == sorted(OUTCOMES)


# Addresses and templates


@pytest.fixture(scope="module")
def space(tmp_path_factory: pytest.TempPathFactory) -> cabc.Iterator[Space]:
    with shop(tmp_path_factory.mktemp("reference")) as space:
        yield space


def test_every_address_is_told_with_its_methods(space: Space) -> None:
    there: dict[str, set[str]] = {}
    for rule in space["app"].url_map.iter_rules():
        if rule.endpoint.startswith("janela."):
            path = re.sub(r"<\w+:", "<", rule.rule).removeprefix("/janela")
            there.setdefault(path, set()).update(rule.methods - {"HEAD", "OPTIONS"})
    told = {path: set(row[0].split(", ")) for path, row in rows("pages.md", "path").items()}
    assert told == there


def test_every_address_asks_for_the_action_that_is_told(space: Space) -> None:
    """Refused that one alone, its page is refused; of two actions the first is that of reading."""
    refused, client = [""], space["app"].test_client()
    space["janela"].permission(lambda caller, action, subject=None: action != refused[-1])
    with client.session_transaction() as session:
        session["_user_id"] = "1"
    for path, (methods, actions, _) in rows("pages.md", "path").items():
        address = f"/janela{path}".replace("<model>/<measure>", "orders/revenue")
        for part, given in (("<model>", "orders"), ("<dimension>", "region"), ("<name>", "call")):
            address = address.replace(part, given)
        address = re.sub(r"<\w+_id>", "1", address)
        for method in methods.split(", "):
            reads = actions.split(";")[0]
            action = actions.split(": ")[1] if method == "POST" and ";" in actions else reads
            refused.append(action)
            status = client.open(address, method=method).status_code
            assert (status == 403) == (action != "none"), f"{method} {address}: {status}"


def test_every_function_for_templates_is_told(space: Space) -> None:
    from flask_janela.pages.embedding import globals_

    told = {name.split("(")[0] for name in rows("pages.md", "function")}
    assert told == set(globals_())


# Names


def test_every_public_name_is_told() -> None:
    """Of the package and of the modules that a host imports from, and none besides."""
    parts = re.split(r"^## (flask_janela[\w.]*)$", text_of("names.md"), flags=re.MULTILINE)
    told: dict[str, set[str]] = {}
    for module, part in zip(parts[1::2], parts[2::2], strict=True):
        found = re.findall(r"^\.\. auto\w+:: (\w+)$", part, re.MULTILINE)
        assert len(found) == len(set(found))
        for name in found:
            assert hasattr(importlib.import_module(module), name), name
        told[module] = set(found)
    above = told["flask_janela"]
    assert above == set(flask_janela.__all__)
    for module in set(told) - {"flask_janela", "flask_janela.tools.mcp"}:
        assert told[module] == set(importlib.import_module(module).__all__) - above
    assert set(told) == {
        "flask_janela",
        "flask_janela.doctor",
        "flask_janela.frames",
        "flask_janela.migrations",
        "flask_janela.roster",
        "flask_janela.testing",
        "flask_janela.tools",
        "flask_janela.tools.mcp",
    }


def test_documents_import_only_what_there_is_and_is_public() -> None:
    """Every name that a block of Python imports from the package stands in the reference."""
    names = text_of("names.md")
    for document in DOCUMENTS:
        for block in blocks(str(document.relative_to(ROOT))):
            found = re.findall(
                r"^from (flask_janela[\w.]*) import ([\w, ]+|\([^)]+\))", block, re.M
            )
            for module, imported in found:
                for name in re.findall(r"\w+", imported):
                    assert hasattr(importlib.import_module(module), name), name
                    told = rf"(?::: |^## {re.escape(module)}\.){name}$"
                    assert re.search(told, names, re.MULTILINE), name


# The documents themselves


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_block_of_python_is_one_that_is_run(document: Path) -> None:
    """And in a document of which some test runs them."""
    for block in blocks(str(document.relative_to(ROOT))):
        compile(block, document.name, "exec")
        assert document.name in TESTED


def test_sphinx_is_only_for_the_documents() -> None:
    """Nothing that is installed, served or tested imports it."""
    for folder in ("flask_janela", "example_app", "tests", "bench"):
        for path in (ROOT / folder).rglob("*.py"):
            assert not re.search(
                r"^\s*(?:import|from) (?:sphinx|myst_parser|docutils)\b", path.read_text(), re.M
            ), path.name


def test_every_page_is_in_the_tree() -> None:
    """By its name, or by a pattern."""
    index = (ROOT / "docs/index.md").read_text(encoding="utf-8")
    trees = "".join(re.findall(r"^```{toctree}\n(.*?)^```", index, re.DOTALL | re.MULTILINE))
    lines = [line for line in trees.splitlines() if line and not line.startswith(":")]
    listed = [line.partition("<")[2].removesuffix(">") or line for line in lines]
    for path in [*(ROOT / "docs").glob("*.md"), *REFERENCE.glob("*.md")]:
        name = path.relative_to(ROOT / "docs").with_suffix("").as_posix()
        assert name == "index" or any(fnmatch.fnmatch(name, each) for each in listed), name
