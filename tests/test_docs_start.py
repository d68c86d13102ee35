"""``docs/start.md`` leads a newcomer there: typed off in order, it prints what it shows."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import typing as t
from pathlib import Path

import pytest
from documents import ROOT, blocks

BLOCK = re.compile(r"^```(python|console|text)\n(.*?)^```", re.DOTALL | re.MULTILINE)
ELSEWHERE = ("python3 -m venv", ". .venv", "pip install", "flask --app shop run")
"""What makes the environment, which these tests have, and what does not end by itself."""

PAGES = """
import shop
client = shop.create_app().test_client()
for user_id in (1, 2):
    page = client.get(f"/sign-in/{user_id}", follow_redirects=True).text
    print(user_id, "Sales" in page, "/janela/frames/new" in page)
"""

ANSWER = """
import shop
with shop.create_app().app_context():
    ana = shop.db.session.get(shop.User, 1)
    print(shop.answer(ana, "read_measure", {"model": "orders", "measure": "revenue"})["total"])
"""


def command(line: str) -> list[str]:
    words = shlex.split(line)
    return [sys.executable, *(["-m", "flask"] if words[0] == "flask" else []), *words[1:]]


def run(folder: Path, words: t.Sequence[str]) -> str:
    """What a command prints, whether it went well or not."""
    done = subprocess.run(
        words,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=60,
    )
    assert "Traceback" not in done.stdout, done.stdout
    return done.stdout


@pytest.mark.slow
def test_a_newcomer_gets_there(tmp_path: Path) -> None:
    """Each block of Python goes to the end of ``shop.py``; each command is run when it is shown.

    And proves the scope, by the page on testing.
    """
    printed, compared = "", 0
    for language, text in BLOCK.findall((ROOT / "docs/start.md").read_text(encoding="utf-8")):
        if language == "python":
            with (tmp_path / "shop.py").open("a", encoding="utf-8") as file:
                file.write(f"{text}\n\n")
        elif language == "console":
            lines = [line for line in text.splitlines() if not line.startswith(ELSEWHERE)]
            printed = "".join(run(tmp_path, command(line)) for line in lines)
        else:
            assert printed.splitlines() == text.splitlines()
            compared += 1
    assert compared == 6
    assert run(tmp_path, [sys.executable, "-c", PAGES]) == "1 True True\n2 False True\n"
    assert "€490" in run(tmp_path, [sys.executable, "-c", ANSWER])
    proof, fixtures = blocks("docs/testing.md")[:2]
    (tmp_path / "conftest.py").write_text(fixtures, encoding="utf-8")
    (tmp_path / "test_shop.py").write_text(
        f"from shop import Order, janela\n{proof}", encoding="utf-8"
    )
    assert "1 passed" in run(tmp_path, [sys.executable, "-m", "pytest", "-q"])
