"""Commands as somebody types them, each in a process of its own that need not import everything.

They are forked from a server that has what ``flask`` and ``alembic`` import; what a command's own
project is made of is imported anew by each.
"""

from __future__ import annotations

import collections.abc as cabc
import importlib
import multiprocessing
import os
import secrets
import shlex
import sys
from pathlib import Path

SCRIPTS = {"flask": ("flask.cli", "main"), "alembic": ("alembic.config", "main")}

_server = multiprocessing.get_context("forkserver")
_server.set_forkserver_preload(
    [
        "alembic.autogenerate",
        "alembic.command",
        "flask_migrate",
        "flask_janela.migrations.operations",
    ]
)


def typed(line: str, folder: Path, **environment: str) -> str:
    """What a command prints in a folder; it must succeed."""
    said = folder / f"said-{secrets.token_hex(4)}.txt"
    process = _server.Process(target=_run, args=(shlex.split(line), folder, said, environment))
    process.start()
    process.join()
    text = said.read_text()
    assert process.exitcode == 0, f"{line}\n{text}"
    return text


def _run(
    words: cabc.Sequence[str], folder: Path, said: Path, environment: cabc.Mapping[str, str]
) -> None:
    """What the console script of that name does."""
    file = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(file, 1)
    os.dup2(file, 2)
    os.chdir(folder)
    os.environ.update(environment)
    sys.path.insert(0, str(folder))
    sys.argv = list(words)
    module, name = SCRIPTS[words[0]]
    getattr(importlib.import_module(module), name)()
