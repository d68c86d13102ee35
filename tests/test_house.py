"""The house rules: which way imports point, how long files grow, what is public."""

from __future__ import annotations

import ast
import collections.abc as cabc
from pathlib import Path

import pytest

import flask_janela

PACKAGE = Path(flask_janela.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))

FLOORS = [
    {"words"},
    {"errors"},
    {"config", "calls"},
    {"vocabulary"},
    {"query"},
    {"hooks"},
    {"state", "caller"},
    {"frames"},
    {"roster"},
    {"pages", "tools", "migrations"},
    {"doctor"},
    {"cli_agents"},
    {"cli_doctor"},
    {"cli"},
    {"registry"},
    {"extension"},
    {"testing"},
]
"""From the ground up: a room imports from its own floor's rooms of the same name and below.

The roster is below the pages that draw it, the tools whose calls it keeps and the commands that
tidy it: each needs it, and it needs none of them.
"""

LEVEL = {room: level for level, rooms in enumerate(FLOORS) for room in rooms}


def _room(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def _imported(path: Path) -> cabc.Iterator[str]:
    """The rooms of this package that a module imports, wherever in the module it does so."""
    depth = len(path.relative_to(PACKAGE).parts)
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            if node.level == depth:
                if node.module:
                    yield node.module.split(".")[0]
                else:
                    yield from (alias.name for alias in node.names)
            elif node.level == 0 and (node.module or "").startswith("flask_janela."):
                yield (node.module or "").split(".")[1]


@pytest.mark.parametrize("path", MODULES, ids=lambda p: p.relative_to(PACKAGE).as_posix())
def test_imports_point_one_way(path: Path) -> None:
    """Pages, tools and commands above the roster, that above frames, those above queries."""
    room = _room(path)
    if room == "__init__":
        return
    for other in _imported(path):
        if other == room:
            continue
        allowed = LEVEL[other] < LEVEL[room] or {room, other} == {"state", "caller"}
        assert allowed, f"{room} imports {other}"


@pytest.mark.parametrize("path", MODULES, ids=lambda p: p.relative_to(PACKAGE).as_posix())
def test_a_file_stays_one_thing(path: Path) -> None:
    """One that grows past 400 lines is two."""
    assert len(path.read_text().splitlines()) <= 400


@pytest.mark.parametrize("path", MODULES, ids=lambda p: p.relative_to(PACKAGE).as_posix())
def test_a_module_says_what_it_is_for(path: Path) -> None:
    """In its first lines."""
    assert ast.get_docstring(ast.parse(path.read_text()))


def test_every_public_name_is_documented() -> None:
    """What is exported has a docstring."""
    for name in flask_janela.__all__:
        assert getattr(flask_janela, name).__doc__, name


def test_the_public_names_are_sorted_and_complete() -> None:
    """``__all__`` is what the package offers, and nothing else."""
    tree = ast.parse((PACKAGE / "__init__.py").read_text())
    imported = {
        alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.level == 1
        for alias in node.names
    }
    assert sorted(imported) == sorted(flask_janela.__all__)
