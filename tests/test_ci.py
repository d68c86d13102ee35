"""The rule of continuous integration: a test that was skipped was not passed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.version import Version

ROOT = Path(__file__).parent.parent
CONFTEST = Path(__file__).with_name("conftest.py")

TESTS = """
import pytest

def test_that_passes():
    pass

@pytest.mark.skip(reason="no database here")
def test_that_needs_a_database():
    pass
"""

BROWSER_TEST = """
def test_that_needs_a_browser(chromium):
    pass
"""


def run(folder: Path, source: str, **environment: str) -> subprocess.CompletedProcess[str]:
    shutil.copy(CONFTEST, folder / "conftest.py")
    (folder / "test_inner.py").write_text(source, encoding="utf-8")
    env = {name: value for name, value in os.environ.items() if name != "CI"} | environment
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", str(folder)]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


def test_a_skip_fails_the_run_in_ci(tmp_path: Path) -> None:
    """The list names the test, and pytest's own summary stays the last line."""
    result = run(tmp_path, TESTS, CI="true")
    assert result.returncode == pytest.ExitCode.TESTS_FAILED
    assert "CI IS SET" in result.stdout
    assert "test_inner.py::test_that_needs_a_database" in result.stdout
    assert "1 passed, 1 skipped" in result.stdout.splitlines()[-1]


def test_a_skip_is_fine_elsewhere(tmp_path: Path) -> None:
    """On a developer's machine without the database the run passes."""
    result = run(tmp_path, TESTS)
    assert result.returncode == pytest.ExitCode.OK
    assert "CI IS SET" not in result.stdout


def test_a_missing_browser_is_said_loudly(tmp_path: Path) -> None:
    """Only the tests that drive one are skipped, and the end of the run says why."""
    missing = str(tmp_path / "no-such-chromium")
    result = run(tmp_path, BROWSER_TEST + TESTS, JANELA_CHROMIUM=missing)
    assert result.returncode == pytest.ExitCode.OK
    assert "NO BROWSER" in result.stdout
    assert "Install chromium, or name one in JANELA_CHROMIUM." in result.stdout
    assert "1 passed, 2 skipped" in result.stdout.splitlines()[-1]


def test_the_lowest_versions_are_those_that_are_allowed() -> None:
    """``make test-lowest`` runs on each lower bound of pyproject.toml, and on no other.

    Those of what every host has, and of what upgrades its tables.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needed = [*project["dependencies"], *project["optional-dependencies"]["migrate"]]
    allowed = dict(each.split(">=") for each in needed if ";" not in each)
    lines = (ROOT / "tests/lowest.txt").read_text().splitlines()
    pinned = dict(line.split("==") for line in lines if not line.startswith("#"))
    assert {name: Version(each) for name, each in pinned.items()} == {
        name: Version(each) for name, each in allowed.items()
    }
