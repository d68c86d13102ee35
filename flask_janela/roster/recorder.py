"""The recorder: every call of a tool is kept, and no call is ever slowed or broken by it.

``record`` puts a call into a bounded queue and returns. A thread of its own, started at the first
call, writes what is queued twice a second, or as soon as 500 wait, in its own connection; it also
folds and prunes. What does not fit into the queue while the database cannot be written is dropped
and counted. A process that ends in the ordinary way writes what is left; one that is killed loses
what it was given in the last second.
"""

from __future__ import annotations

import atexit
import collections
import datetime as dt
import logging
import os
import secrets
import socket
import threading
import time
import typing as t
import weakref

import blinker
import flask
import sqlalchemy as sa
from sqlalchemy.pool import StaticPool

from ..calls import Call
from ..config import Config
from . import folding, marks, retention, writing
from .health import Health

log = logging.getLogger(__name__)

tool_called = blinker.Signal(
    "Sent once for every call of a tool, with the application as sender and the ``call`` "
    "(a :class:`flask_janela.calls.Call`). For bridges to StatsD, Prometheus or OpenTelemetry; "
    "what a receiver raises is logged and goes no further."
)

BATCH = 500
"""As soon as so many calls wait they are written."""

MOST_AT_ONCE = 5_000
"""And no more than so many in one transaction."""

EVERY = 0.5
"""Seconds for which calls are gathered into one batch: with the writing, a killed process loses
what it was given in the last second."""

MOST_QUEUED = 50_000
"""Calls that wait at most: some 25 MB of them, while the database cannot be written."""
PATIENCE = 5.0
"""Seconds that somebody who flushes waits for the thread that is writing."""

LAST_PATIENCE = 25.0
"""Seconds that a process which ends may take to write what is left: within gunicorn's 30."""

_IDLE = 15.0
_BUSY_SHARE = 20
_PRUNE_EVERY = 3600.0
_POISON = (
    sa.exc.DataError,
    sa.exc.IntegrityError,
    AttributeError,
    OverflowError,
    TypeError,
    ValueError,
)
"""What a call raises that cannot be written, rather than a database that cannot write."""


class _Live:
    """The recorder's life in one process. A fork begins another, with nothing in it."""

    def __init__(self) -> None:
        self.queue: collections.deque[Call] = collections.deque()
        self.wake = threading.Event()
        self.full = threading.Event()
        self.closing = threading.Event()
        self.starting = threading.Lock()
        self.writing = threading.RLock()
        self.folding = threading.Lock()
        self.thread: threading.Thread | None = None
        self.engine: sa.Engine | None = None
        self.batch: list[Call] = []
        self.written = 0
        self.dropped = 0
        self.untold = 0
        self.last_error: str | None = None
        self.next_fold = time.monotonic()
        self.next_prune = time.monotonic() + _PRUNE_EVERY


class Recorder:
    """Keeps the calls of one application's tools.

    Args:
        app: the application; its default database is where calls are kept.
        engine: answers that database's engine, within an application context.
        most: the most calls that wait to be written.
    """

    def __init__(
        self,
        app: flask.Flask,
        engine: t.Callable[[], sa.Engine],
        config: Config,
        *,
        most: int = MOST_QUEUED,
    ) -> None:
        self._app = weakref.ref(app)
        self._get_engine = engine
        self._config = config
        self._most = most
        self._lives: dict[int, _Live] = {}
        self._used: tuple[int, sa.Engine] | None = None
        self._holder = f"{socket.gethostname()[:40]}:{secrets.token_hex(6)}"
        self.since: dt.datetime | None = None
        atexit.register(_at_exit, weakref.ref(self))

    # what a call meets

    def record(self, call: Call) -> None:
        """Keep one call. Never raises; waits for nothing but, in direct mode, the write itself."""
        try:
            self._signal(call)
            if self._config.recorder == "off":
                return
            live = self._live()
            if self._config.recorder == "direct" and self._written_now(live, call):
                return
            if len(live.queue) >= self._most:
                live.dropped += 1
                live.untold += 1
                return
            live.queue.append(call)
            if not live.wake.is_set():
                live.wake.set()
            if len(live.queue) >= BATCH and not live.full.is_set():
                live.full.set()
            if live.thread is None:
                self._start(live)
        except Exception:
            log.exception("A call could not be recorded.")

    def _signal(self, call: Call) -> None:
        if not tool_called.receivers:
            return
        try:
            tool_called.send(self._app(), call=call)
        except Exception:
            log.exception("A receiver of tool_called raised.")

    def _written_now(self, live: _Live, call: Call) -> bool:
        """Whether a call is written at once; if not, it waits in the queue like any other."""
        with live.writing:
            if live.queue or live.batch:
                return False
            live.batch = [call]
            done = self._write_batch(live)
            live.batch = []
            if done and live.thread is None:
                self._start(live)
            return done

    # what the host asks

    def flush(self, timeout: float = PATIENCE) -> bool:
        """Write what is queued in this process; whether all of it is written.

        Args:
            timeout: the most seconds to wait for the thread that may be writing already. The
                database's own patience comes on top.
        """
        if self._config.recorder == "off":
            return True
        live = self._live()
        if not live.writing.acquire(timeout=timeout):
            return False
        try:
            done = self._drain(live)
            if self.since is None and done:
                self._write(live, [])
            if live.thread is None:
                self._start(live)
            return done
        except Exception as error:
            self._failed(live, error)
            return False
        finally:
            live.writing.release()

    def status(self) -> Health:
        """How recording goes in this process. Asks the database nothing but since when, once."""
        live = self._live()
        if self.since is None and self._config.recorder != "off" and live.last_error is None:
            self._read_since(live)
        return Health(
            mode=self._config.recorder,
            healthy=live.last_error is None and not live.dropped,
            written=live.written,
            queued=len(live.queue) + len(live.batch),
            dropped=live.dropped,
            last_error=live.last_error,
            since=self.since,
        )

    @property
    def untold(self) -> int:
        """How many calls this process dropped that the database does not know of yet."""
        return self._live().untold

    def fold(self, *, now: int | None = None, grace: int = folding.GRACE) -> folding.Folded:
        """Fold and wait for it, see :func:`.folding.fold`; the thread does so by itself."""
        with self._live().folding:
            return folding.fold(self.engine, self._holder, now=now, grace=grace)

    def close(self) -> None:
        """Write what is left and end the thread; the next call starts another."""
        live = self._lives.get(os.getpid())
        if live is None:
            return
        self.flush()
        live.closing.set()
        live.full.set()
        live.wake.set()
        if live.thread is not None and live.thread is not threading.current_thread():
            live.thread.join(PATIENCE)
        self._lives.pop(os.getpid(), None)

    # how it is done

    @property
    def engine(self) -> sa.Engine:
        """The engine of the database in which calls are kept."""
        live = self._live()
        if live.engine is None:
            app = self._app()
            if app is None:
                raise RuntimeError("The application is gone.")
            with app.app_context():
                engine = self._get_engine()
            if self._used is not None and self._used[0] != os.getpid() and not _shared(engine):
                # Another process's connections came along with the fork; they are its own.
                engine.dispose(close=False)
            self._used = (os.getpid(), engine)
            live.engine = engine
        return live.engine

    def _live(self) -> _Live:
        pid = os.getpid()
        live = self._lives.get(pid)
        if live is None:
            live = self._lives.setdefault(pid, _Live())
            for other in list(self._lives):
                if other != pid:
                    self._lives.pop(other, None)
        return live

    def _start(self, live: _Live) -> None:
        """Start the thread, except where it would have no connection of its own.

        A database in memory has one connection for all, and a thread must not commit what a
        request has half done: there calls are written when the roster is opened, or flushed.
        """
        with live.starting:
            if live.thread is None and not live.closing.is_set() and not _shared(self.engine):
                live.thread = threading.Thread(
                    target=_run, args=(weakref.ref(self), live), name="janela-recorder", daemon=True
                )
                live.thread.start()

    def _drain(self, live: _Live, *, once: bool = False) -> bool:
        """Write batch after batch, or one; False when one could not be written and waits."""
        with live.writing:
            while live.batch or live.queue:
                while live.queue and len(live.batch) < MOST_AT_ONCE:
                    live.batch.append(live.queue.popleft())
                if not self._write_batch(live):
                    return False
                if once:
                    break
            return True

    def _write_batch(self, live: _Live) -> bool:
        try:
            self._write(live, live.batch)
        except _POISON:
            self._write_one_by_one(live)
        except Exception as error:
            self._failed(live, error)
        if live.last_error is None:
            live.batch = []
        return live.last_error is None

    def _write(self, live: _Live, calls: list[Call]) -> None:
        rows = [writing.row_of(call) for call in calls]
        untold = live.untold
        with self.engine.begin() as connection:
            self.since = writing.write(connection, rows, self.since)
            if untold:
                now = dt.datetime.now(dt.UTC).replace(tzinfo=None)
                marks.count(connection, "dropped", untold, now)
        live.written += len(rows)
        live.untold -= untold
        live.last_error = None

    def _write_one_by_one(self, live: _Live) -> None:
        """A batch that a database refuses for what is in it: all but what it refuses is kept."""
        calls, live.batch = live.batch, []
        live.last_error = None
        for at, call in enumerate(calls):
            try:
                self._write(live, [call])
            except _POISON:
                live.dropped += 1
                live.untold += 1
                log.exception("A call of a tool cannot be written.")
            except Exception as error:
                live.batch = calls[at:]
                self._failed(live, error)
                return

    def _failed(self, live: _Live, error: Exception) -> None:
        said = writing.told(error)
        if said != live.last_error:
            log.warning("Calls of tools cannot be written: %s %s", said, type(error).__name__)
            log.debug("Calls of tools cannot be written.", exc_info=error)
        live.last_error = said

    def _read_since(self, live: _Live) -> None:
        try:
            with self.engine.connect() as connection:
                self.since = writing.began(connection)
        except Exception as error:
            self._failed(live, error)

    def _upkeep(self, live: _Live) -> None:
        """Fold, and now and then prune, where it is time; at most a twentieth of the time."""
        now = time.monotonic()
        try:
            if now >= live.next_fold:
                if folding.due(self.engine, int(_IDLE) // 2):
                    self.fold()
                live.next_fold = time.monotonic() + max(
                    _IDLE, (time.monotonic() - now) * _BUSY_SHARE
                )
            if now >= live.next_prune:
                live.next_prune = now + _PRUNE_EVERY
                with live.folding:
                    retention.prune(self.engine, self._config, self._holder)
        except Exception as error:
            live.next_fold = time.monotonic() + _IDLE
            log.warning("The roster could not be folded: %s", writing.told(error))


def _shared(engine: sa.Engine) -> bool:
    """Whether all threads have one connection between them."""
    return isinstance(engine.pool, StaticPool)


def _run(reference: weakref.ref[Recorder], live: _Live) -> None:
    """The thread's work, for as long as there is a recorder."""
    while True:
        live.wake.wait(_IDLE if live.last_error is None else EVERY)
        if live.queue and not live.closing.is_set():
            live.full.wait(EVERY)
        live.wake.clear()
        live.full.clear()
        recorder = reference()
        if recorder is None or live.closing.is_set():
            return
        written = recorder._drain(live, once=True)
        if written:
            recorder._upkeep(live)
        else:
            live.closing.wait(EVERY)
        if len(live.queue) >= BATCH:
            # Folding goes on also where calls never stop.
            live.full.set()
            live.wake.set()
        del recorder


def _at_exit(reference: weakref.ref[Recorder]) -> None:
    recorder = reference()
    if recorder is None:
        return
    live = recorder._lives.get(os.getpid())
    if live is None or not (live.queue or live.batch or live.thread):
        return
    ends = time.monotonic() + LAST_PATIENCE
    while not recorder.flush(max(ends - time.monotonic(), 0)) and time.monotonic() < ends:
        if live.last_error not in {None, writing.LOCKED}:
            break
        time.sleep(0.05)
    if left := len(live.queue) + len(live.batch):
        log.warning("%s calls of tools were not written before the process ended.", left)
