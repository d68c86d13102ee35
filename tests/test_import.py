"""What starting costs a host: no library that it does not need yet, and few modules.

How long that takes is measured in ``bench/tools.py``.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import typing as t

import pytest

PRINTS = """
import json, sys
import flask, flask_login, flask_sqlalchemy, sqlalchemy.orm
app = flask.Flask("host")
app.config["SQLALCHEMY_DATABASE_URI"] = "sqlite://"
db = flask_sqlalchemy.SQLAlchemy(app)
with app.app_context():
    db.engine
there = set(sys.modules)
import flask_janela
flask_janela.Janela().init_app(app, db)
print(json.dumps(sorted(set(sys.modules) - there)))
"""

MOST = 110
"""Modules that starting adds: a fifth more than it does."""


@pytest.fixture(scope="module")
def imported() -> list[str]:
    """What a fresh process imports when an application starts, beyond what a host has anyway."""
    command = [sys.executable, "-c", PRINTS]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return t.cast("list[str]", json.loads(done.stdout))


@pytest.mark.parametrize("library", ["mcp", "mcp_types", "starlette", "anyio", "uvicorn", "a2wsgi"])
def test_no_library_of_mcp_is_imported(imported: list[str], library: str) -> None:
    assert library not in imported


def test_no_library_of_languages_is_imported(imported: list[str]) -> None:
    """Before the host does, who has it if it wants several languages."""
    assert "flask_babel" not in imported


@pytest.mark.parametrize(
    "module",
    [
        "flask_janela.doctor",
        "flask_janela.frames.arranging",
        "flask_janela.migrations",
        "flask_janela.pages.frames",
        "flask_janela.query.question",
        "flask_janela.roster.report",
        "flask_janela.testing",
        "flask_janela.tools.reads",
        "alembic",
        "pydantic",
    ],
)
def test_what_answers_is_not_made_before_somebody_asks(imported: list[str], module: str) -> None:
    """A worker or a command may never need it."""
    assert importlib.util.find_spec(module)
    assert module not in imported


def test_starting_imports_few_modules(imported: list[str]) -> None:
    """Most of a package is asked for later, or never."""
    assert 50 < len(imported) <= MOST, imported
