"""Several processes record at once: each call is counted once, and the end of one loses little."""

from __future__ import annotations

import concurrent.futures
import itertools
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import textwrap
import time
import urllib.request
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent

HOST = """
import datetime, os, sys
import flask, sqlalchemy
from flask_sqlalchemy import SQLAlchemy
from flask_janela import Janela
from flask_janela.calls import Call

app = flask.Flask("host")
app.config.update(
    SECRET_KEY="tests", SQLALCHEMY_DATABASE_URI="sqlite:///" + os.environ["CALLS"],
    SQLALCHEMY_ENGINE_OPTIONS={"connect_args": {"timeout": 60}},
)
db, janela = SQLAlchemy(app), Janela()
janela.scope(lambda model, caller: sqlalchemy.select(model))
janela.init_app(app, db)

def record(count, correlation=""):
    for _ in range(count):
        janela.recorder.record(Call(
            tool="read_pane", group="frames", outcome="ok", duration=1.5, correlation=correlation,
            started=datetime.datetime.now(datetime.timezone.utc),
        ))

@app.get("/record/<int:count>")
def view(count):
    record(count)
    return str(os.getpid())

with app.app_context():
    db.create_all()
    record(int(os.environ.get("BEFORE", "0")))
"""


def environment(folder: Path, **more: str) -> dict[str, str]:
    (folder / "host.py").write_text(textwrap.dedent(HOST))
    paths = f"{folder}{os.pathsep}{ROOT}"
    return {**os.environ, "PYTHONPATH": paths, "CALLS": str(folder / "calls.sqlite"), **more}


def query(folder: Path, statement: str) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(folder / "calls.sqlite")
    try:
        return connection.execute(statement).fetchall()
    finally:
        connection.close()


@pytest.fixture
def port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def test_four_workers_of_four_threads_count_every_call_once(tmp_path: Path, port: int) -> None:
    """Forty thousand calls, and three of the parent's before it forked; all end normally."""
    command = [sys.executable, "-m", "gunicorn", "--preload", "-w", "4", "--threads", "4"]
    command += ["-b", f"127.0.0.1:{port}", "host:app"]
    with subprocess.Popen(
        command, env=environment(tmp_path, BEFORE="3"), cwd=tmp_path, stderr=subprocess.PIPE
    ) as server:
        try:
            assert server.stderr is not None
            said = ""
            while said.count("Booting worker") < 4:
                said += (line := server.stderr.readline().decode())
                assert line, said

            def ask(_: int) -> str:
                address = f"http://127.0.0.1:{port}/record/250"
                with urllib.request.urlopen(address, timeout=60) as answer:
                    return str(answer.read().decode())

            with concurrent.futures.ThreadPoolExecutor(16) as pool:
                workers = set(pool.map(ask, range(160)))
        finally:
            server.send_signal(signal.SIGTERM)
            said += server.stderr.read().decode()
            server.wait(60)

    assert len(workers) > 1
    assert query(tmp_path, "SELECT count(*) FROM janela_tool_calls") == [(40_003,)]
    check = """
    import host
    from flask_janela.roster import report
    with host.app.app_context():
        for _ in range(2):
            reader = host.janela.reader("somebody")
            print(report.roster(reader, (), window="24h").totals.figures.calls)
            host.janela.recorder.fold(grace=-1)
    """
    answer = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(check)],
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert answer.stdout.split() == ["40003", "40003"], answer.stderr


def test_a_worker_that_is_killed_loses_at_most_the_last_second(tmp_path: Path) -> None:
    """What was recorded before it is there; where the machine stood still, so long before."""
    script = """
    import host, time
    with host.app.app_context():
        for at in range(100_000):
            host.record(1, str(at))
            print(at, time.time(), flush=True)
            time.sleep(0.002)
    """
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)],
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        text=True,
    ) as worker:
        assert worker.stdout is not None
        lines = []
        for line in worker.stdout:
            lines.append(line.split())
            if float(lines[-1][1]) - float(lines[0][1]) > 6:
                break
        worker.kill()
        killed = time.time()
        lines += [line.split() for line in worker.stdout if line.count(" ") == 1]
        worker.wait(30)
    kept = {
        int(str(row[0])) for row in query(tmp_path, "SELECT correlation FROM janela_tool_calls")
    }
    moments = [float(moment) for _, moment in lines]
    stood_still = max(later - earlier for earlier, later in itertools.pairwise(moments))
    safe = {int(at) for at, moment in lines if float(moment) < killed - 1 - stood_still}
    assert safe
    assert safe <= kept
    assert kept == set(range(len(kept)))
