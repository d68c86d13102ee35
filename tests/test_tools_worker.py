"""A caller's reference is pickled, goes to another process and acts there for that person only."""

from __future__ import annotations

import base64
import collections.abc as cabc
import json
import os
import pickle
import subprocess
import sys
import typing as t
from pathlib import Path

import pytest
import sqlalchemy as sa
import worker
from worker import Task, User, db, janela

ROOT = Path(__file__).parents[1]

Ask = cabc.Callable[[str | None], tuple[t.Any, dict[str, t.Any]]]


@pytest.fixture
def ask(tmp_path: Path) -> cabc.Iterator[Ask]:
    """Sends a reference to the worker, a process of its own; what it lists and reads for that."""
    database = f"sqlite:///{tmp_path / 'tasks.sqlite'}"
    with worker.create_app(database).app_context():
        db.create_all()
        db.session.add_all([User(id=1, team="a"), User(id=2, team="b"), User(id=3, team="b")])
        db.session.add_all([Task(team=team) for team in "abb"])
        db.session.commit()
        with subprocess.Popen(
            [sys.executable, worker.__file__, database],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            text=True,
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            incoming, outgoing = process.stdin, process.stdout

            def ask(reference: str | None) -> tuple[t.Any, dict[str, t.Any]]:
                incoming.write(base64.b64encode(pickle.dumps(reference)).decode() + "\n")
                incoming.flush()
                listed, answer = json.loads(outgoing.readline())
                return listed, answer

            yield ask
        assert process.returncode == 0
        db.session.remove()
        db.engine.dispose()


def reference(identity: int) -> str | None:
    """As the web process would store it with a job."""
    return janela.caller_ref(db.session.get(User, identity))


def test_a_reference_acts_in_another_process_for_its_person(ask: Ask) -> None:
    """With that person's rows, whoever asked before."""
    for identity, rows in ((1, [["a", 1]]), (2, [["b", 2]]), (1, [["a", 1]]), (3, [["b", 2]])):
        listed, answer = ask(reference(identity))
        assert listed == 5
        assert answer["rows"] == rows


@pytest.mark.parametrize("how", ["deleted", "deactivated"])
def test_somebody_who_is_gone_reads_nothing_in_another_process(ask: Ask, how: str) -> None:
    """Though the worker built their tools before: caller_gone, and nobody else's rows."""
    ben = reference(2)
    assert ask(ben)[1]["rows"] == [["b", 2]]
    gone = sa.delete(User) if how == "deleted" else sa.update(User).values(active=False)
    db.session.execute(gone.where(User.id == 2))
    db.session.commit()
    listed, answer = ask(ben)
    assert listed == "caller_gone"
    assert answer["error"]["code"] == "caller_gone"
    assert set(answer) == {"error"}
    assert ask(reference(3))[1]["rows"] == [["b", 2]]


def test_a_reference_to_nobody_reads_nothing_in_another_process(ask: Ask) -> None:
    """Nor does one that was made up."""
    for forged in ("user:99", "user:", "user:1 OR 1=1", "team:a", ""):
        listed, answer = ask(forged)
        assert listed == "caller_gone", forged
        assert set(answer) == {"error"}
