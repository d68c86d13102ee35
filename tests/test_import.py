"""What starting costs a host: no library that it does not need yet, and little time."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import typing as t

import pytest

PRINTS = """
import json, sys, time
started = time.process_time()
import flask, flask_login, flask_sqlalchemy, sqlalchemy.orm
there = time.process_time()
import flask_janela
app = flask.Flask("host")
app.config["SQLALCHEMY_DATABASE_URI"] = "sqlite://"
db = flask_sqlalchemy.SQLAlchemy(app)
flask_janela.Janela().init_app(app, db)
ended = time.process_time()
print(json.dumps([there - started, ended - there, sorted(sys.modules)]))
"""

ROUNDS = 5


@pytest.fixture(scope="module")
def imported() -> list[tuple[float, float, list[str]]]:
    """Fresh processes: the seconds of what a host has anyway, ours, and every module then.

    Ours are those of the import and of ``init_app``.
    """
    found = []
    for _ in range(ROUNDS):
        command = [sys.executable, "-c", PRINTS]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        found.append(t.cast("tuple[float, float, list[str]]", tuple(json.loads(done.stdout))))
    return found


@pytest.mark.parametrize("library", ["mcp", "mcp_types", "starlette", "anyio", "uvicorn", "a2wsgi"])
def test_no_library_of_mcp_is_imported(imported: list[t.Any], library: str) -> None:
    assert library not in imported[0][2]


@pytest.mark.parametrize(
    "module",
    [
        "flask_janela.doctor",
        "flask_janela.frames.arranging",
        "flask_janela.pages.frames",
        "flask_janela.query.question",
        "flask_janela.roster.report",
        "flask_janela.testing",
        "flask_janela.tools.reads",
        "pydantic",
    ],
)
def test_what_answers_is_not_made_before_somebody_asks(imported: list[t.Any], module: str) -> None:
    """A worker or a command may never need it."""
    assert importlib.util.find_spec(module)
    assert module not in imported[0][2]


def test_starting_takes_less_than_half_of_importing_flask_and_sqlalchemy(
    imported: list[t.Any],
) -> None:
    """Of the process's own time, the best of some."""
    there, ours = (min(each[at] for each in imported) for at in (0, 1))
    assert ours < there / 2, f"{ours * 1000:.0f} ms over {there * 1000:.0f} ms"
