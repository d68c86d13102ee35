"""The recorder keeps every call and slows or breaks none, whatever the database does."""

from __future__ import annotations

import collections.abc as cabc
import contextlib
import os
import sqlite3
import threading
import time
import typing as t
from pathlib import Path

import pytest
import sqlalchemy as sa
from desk import page
from hosts import Host
from ledger import call, keep, kept, many

from flask_janela.calls import Call
from flask_janela.roster import Recorder, ToolCall, tool_called
from flask_janela.roster.recorder import BATCH


@contextlib.contextmanager
def filed(folder: Path, **config: t.Any) -> cabc.Iterator[Host]:
    """A host whose database is a file, so that the recorder has a thread and a connection."""
    options = {"connect_args": {"timeout": config.pop("timeout", 5)}}
    uri = config.pop("uri", f"sqlite:///{folder / 'calls.sqlite'}")
    config |= {"SQLALCHEMY_DATABASE_URI": uri, "SQLALCHEMY_ENGINE_OPTIONS": options}
    with kept(aside=True, **config) as made:
        yield made
        made.janela.recorder.close()


@pytest.fixture
def made(tmp_path: Path) -> cabc.Iterator[Host]:
    with filed(tmp_path) as host:
        yield host


def count(made: Host) -> int:
    made.db.session.rollback()
    return int(made.db.session.scalar(sa.select(sa.func.count(ToolCall.id))) or 0)


@contextlib.contextmanager
def locked(folder: Path) -> cabc.Iterator[None]:
    """Somebody else writes and does not end."""
    other = sqlite3.connect(folder / "calls.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


def written(made: Host) -> threading.Event:
    """Set as soon as something else than this thread commits calls."""
    event = threading.Event()
    own = threading.get_ident()

    def after(connection: t.Any) -> None:
        if threading.get_ident() != own:
            event.set()

    sa.event.listen(made.db.engine, "commit", after)
    return event


def test_calls_are_written_without_being_asked_for(made: Host) -> None:
    """By a thread of the recorder's own, within about a second."""
    event = written(made)
    for each in many(20):
        made.janela.recorder.record(each)
    assert event.wait(30)
    assert made.janela.recorder.flush()
    assert count(made) == 20
    assert made.janela.recorder.status().written == 20


def test_a_full_batch_is_written_at_once(made: Host) -> None:
    """Nobody waits for the second to pass."""
    event = written(made)
    for each in many(BATCH):
        made.janela.recorder.record(each)
    assert event.wait(30)


def test_what_is_kept_is_what_was_made(made: Host) -> None:
    """Every field, cut to its column and without a character that no database takes."""
    given = call(
        tool="t" * 200,
        client="a\x00b\ud800c",
        caller="  user:1 ",
        agent=None,
        error_text='"EU" is 3 of 4',
        outcome="invalid",
        forged=True,
        duration=-4,
    )
    keep(made, [given])
    row = made.db.session.scalars(sa.select(ToolCall)).one()
    assert row.tool == "t" * 100
    assert row.client == "a\ufffdb\ufffdc"
    assert (row.caller, row.agent, row.forged) == ("user:1", "", True)
    assert (row.error_text, row.duration, row.outcome) == ("… is … of …", 0, "invalid")


def test_a_call_that_cannot_be_written_takes_no_other_with_it(made: Host) -> None:
    """It is dropped and counted; those around it are kept."""
    good = many(9)
    bad = call(outcome="odd")
    keep(made, [*good[:4], bad, *good[4:]])
    assert count(made) == 9
    health = made.janela.recorder.status()
    assert (health.dropped, health.healthy, health.last_error) == (1, False, None)


def test_calls_answer_while_the_database_is_locked(tmp_path: Path) -> None:
    """For as long as it is, at full speed; afterwards all of them are written."""
    with filed(tmp_path, timeout=0.1) as made:
        keep(made, [call()])
        recorder = made.janela.recorder
        with locked(tmp_path):
            started = time.perf_counter()
            for each in many(1000):
                recorder.record(each)
            assert time.perf_counter() - started < 2
            assert not recorder.flush()
            health = recorder.status()
            assert health.last_error == "The database is locked by somebody else."
            assert (health.queued, health.dropped, health.healthy) == (1000, 0, False)
            said = page(made, "/janela/tools").one("janela-since").words
            assert "locked by somebody else" in said
        assert recorder.flush()
        assert count(made) == 1001
        assert recorder.status().healthy


def test_what_does_not_fit_is_dropped_counted_and_shown(tmp_path: Path) -> None:
    """The queue is bounded; the page says how many are missing, in every process."""
    with filed(tmp_path, timeout=0.1) as made:
        state = made.app.extensions["janela"]
        state.recorder.close()
        state.recorder = recorder = Recorder(
            made.app, lambda: made.db.engine, state.config, most=50
        )
        with locked(tmp_path):
            assert not recorder.flush()
            for each in many(80):
                recorder.record(each)
            assert recorder.status().dropped >= 29
            dropped = recorder.status().dropped
            assert f"{dropped} dropped" in page(made, "/janela/tools").one("janela-since").words
        assert recorder.flush()
        assert count(made) == 80 - dropped
        recorder.close()
        state.recorder = Recorder(made.app, lambda: made.db.engine, state.config)
        assert f"{dropped} dropped" in page(made, "/janela/tools").one("janela-since").words


def test_a_database_that_cannot_be_written_fails_no_call(
    made: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Read only, or full: what it has is shown, and the page says what is wrong."""
    keep(made, [call()])
    recorder = made.janela.recorder
    for pragma, said in (
        ("query_only = 1", "The database is read only."),
        ("max_page_count = 1", "The database is full."),
    ):
        engine = made.db.engine

        @sa.event.listens_for(engine, "checkout")
        def limit(connection: t.Any, record: t.Any, proxy: t.Any, pragma: str = pragma) -> None:
            connection.execute(f"PRAGMA {pragma}")

        try:
            for each in many(400):
                recorder.record(each)
            assert not recorder.flush()
            assert recorder.status().last_error == said
            shown = page(made, "/janela/tools")
            assert said in shown.one("janela-since").words
            assert shown.words(tag="dd")[1].startswith("1 ")
        finally:
            sa.event.remove(engine, "checkout", limit)
            made.db.session.rollback()
            engine.dispose()


def test_direct_writes_in_the_call_itself(tmp_path: Path) -> None:
    """What was recorded is there; where the database is locked it is kept for later."""
    with filed(tmp_path, timeout=0.1, JANELA_RECORDER="direct") as made:
        recorder = made.janela.recorder
        recorder.record(call())
        assert count(made) == 1
        with locked(tmp_path):
            recorder.record(call())
            assert recorder.status().queued == 1
        assert recorder.flush()
        assert count(made) == 2


def test_a_signal_is_sent_for_every_call(made: Host) -> None:
    """With the application as its sender; a receiver that raises harms nothing."""
    seen: list[tuple[t.Any, Call]] = []

    def listen(app: t.Any, call: Call) -> None:
        seen.append((app, call))
        raise ZeroDivisionError

    calls = many(5)
    with tool_called.connected_to(listen):
        keep(made, calls)
    keep(made, [call()])
    assert [each for _, each in seen] == calls
    assert {app for app, _ in seen} == {made.app}
    assert count(made) == 6


def test_record_never_raises(made: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever it is given, and whatever goes wrong in it."""
    made.janela.recorder.record(t.cast("Call", None))
    monkeypatch.setattr(Recorder, "_start", lambda self, live: 1 / 0)
    made.janela.recorder.record(call())
    monkeypatch.undo()
    assert made.janela.recorder.flush()
    assert count(made) == 1


def test_many_threads_lose_nothing(made: Host) -> None:
    """Eight at once."""
    recorder = made.janela.recorder

    def work() -> None:
        for _ in range(500):
            recorder.record(call())

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert recorder.flush()
    assert count(made) == 4000


def test_a_process_that_was_forked_begins_with_nothing(made: Host) -> None:
    """It does not write what its parent has queued, nor use its parent's thread."""
    recorder = made.janela.recorder
    recorder.record(call())
    before = recorder._live()
    real = os.getpid()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "getpid", lambda: real + 1)
        child = recorder._live()
        assert child is not before
        assert (len(child.queue), child.thread, child.written) == (0, None, 0)
        recorder.record(call())
        assert recorder.flush()
        child.closing.set()
        child.wake.set()
        child.full.set()
    before.closing.set()
    before.wake.set()
    before.full.set()


def test_the_recorder_is_well_when_it_is(made: Host) -> None:
    """A line for the host's own checks."""
    keep(made, many(3, days=1))
    health = made.janela.recorder.status()
    assert (health.mode, health.healthy, health.queued, health.dropped) == ("queue", True, 0, 0)
    assert health.since is not None
    assert health.last_error is None
