"""The roster over very many calls: its page beside the same figures by GROUP BY, and its growth.

Calls of 200 tools over 30 days are generated straight into the table and folded as the recorder
does. Run it with ``make bench``, or with a number of calls: ``python bench/roster.py 10000000``.
A database's URL may follow; without one it is SQLite in a temporary folder.
"""

from __future__ import annotations

import collections.abc as cabc
import datetime as dt
import random
import statistics
import sys
import tempfile
import threading
import time
import typing as t
from pathlib import Path

import flask
import flask_login
import sqlalchemy as sa
from flask_sqlalchemy import SQLAlchemy

from flask_janela import Janela
from flask_janela.calls import Call, DeclaredTool
from flask_janela.roster import ToolCall
from flask_janela.roster.histogram import bucket_of
from flask_janela.roster.periods import hour_of

TOOLS, DAYS, CHUNK, ROUNDS = 200, 30, 20_000, 7
MOST_ELSEWHERE = 1_000_000
"""Calls of the open hour, and requests of the peer, whose page takes seconds of each million."""
NOW = dt.datetime.now(dt.UTC).replace(microsecond=0)


class Person(flask_login.UserMixin):
    id = "lead"


def host(uri: str) -> tuple[flask.Flask, SQLAlchemy, Janela]:
    app = flask.Flask("bench")
    app.config.update(SECRET_KEY="bench", SQLALCHEMY_DATABASE_URI=uri)
    app.test_client_class = flask_login.FlaskLoginClient
    db, janela = SQLAlchemy(app), Janela()
    flask_login.LoginManager(app).user_loader(lambda identity: Person())
    janela.scope(lambda model, caller: sa.select(model))
    janela.permission(lambda caller, action, subject=None: True)
    janela.init_app(app, db)
    app.extensions["janela"].declared_tools = lambda: [
        DeclaredTool(f"tool_{at}", f"Tool {at}", "Does what it does.", True, f"group_{at // 25}")
        for at in range(TOOLS)
    ]
    with app.app_context():
        db.drop_all()
        db.create_all()
    return app, db, janela


def rows(count: int, first: dt.datetime, seconds: int, rng: random.Random) -> cabc.Iterator[t.Any]:
    """Rows as the recorder would have written them, in the order of time."""
    start = first.replace(tzinfo=None)
    durations = [rng.lognormvariate(4.5, 0.9) for _ in range(10_000)]
    buckets = [bucket_of(duration) for duration in durations]
    outcomes = ["ok"] * 94 + ["failed", "invalid", "invalid", "refused", "not_found", "conflict"]
    for at in range(count):
        moment = start + dt.timedelta(seconds=at / count * seconds)
        pick = rng.randrange(10_000)
        tool = min(int(rng.expovariate(1 / 40)), TOOLS - 1)
        outcome = outcomes[rng.randrange(100)]
        yield {
            "hour": hour_of(moment),
            "written": int(moment.replace(tzinfo=dt.UTC).timestamp()),
            "started": moment,
            "duration": durations[pick],
            "bucket": buckets[pick],
            "tool": f"tool_{tool}",
            "tool_group": f"group_{tool // 25}",
            "outcome": outcome,
            "unknown": False,
            "forged": False,
            "agent": "",
            "client": "bench",
            "client_version": "1",
            "transport": "generated",
            "caller": f"user:{pick % 50}",
            "error_class": "OperationalError" if outcome == "failed" else None,
            "error_text": None,
            "correlation": None,
        }


def load(db: SQLAlchemy, made: cabc.Iterable[t.Any]) -> None:
    chunk: list[t.Any] = []
    with db.engine.begin() as connection:
        for row in made:
            chunk.append(row)
            if len(chunk) == CHUNK:
                connection.execute(sa.insert(ToolCall.__table__), chunk)
                chunk = []
        if chunk:
            connection.execute(sa.insert(ToolCall.__table__), chunk)


def milliseconds(job: cabc.Callable[[], object], rounds: int = ROUNDS) -> float:
    job()
    timings = []
    for _ in range(rounds):
        started = time.perf_counter()
        job()
        timings.append(time.perf_counter() - started)
    return statistics.median(timings) * 1e3


def by_hand(db: SQLAlchemy, *, buckets: bool) -> None:
    """The same figures from single calls: counts alone, or with buckets for the quantiles."""
    first = hour_of(NOW) - DAYS * 24
    call = ToolCall
    by = [call.tool, call.outcome, *([call.bucket] if buckets else [])]
    took = call.duration
    statement = (
        sa.select(*by, sa.func.count(), sa.func.sum(took), sa.func.max(call.started))
        .where(call.hour >= first)
        .group_by(*by)
    )
    with db.engine.connect() as connection:
        connection.execute(statement).fetchall()


def measure(count: int, uri: str) -> float:
    """Print what the page of 30 days costs at so many calls; its milliseconds."""
    app, db, janela = host(uri)
    client = app.test_client(user=Person())

    def page(window: str) -> cabc.Callable[[], object]:
        def job() -> None:
            answer = client.get(f"/janela/tools?window={window}")
            assert answer.status_code == 200, answer.text[:300]

        return job

    with app.app_context():
        started = time.perf_counter()
        first = NOW - dt.timedelta(days=DAYS) + dt.timedelta(hours=1)
        seconds = int((NOW - first).total_seconds())
        load(db, rows(count, first, seconds, random.Random(1)))
        loaded = time.perf_counter()
        janela.recorder.fold()
        folded = time.perf_counter()
        if uri.startswith("postgresql"):
            # As its autovacuum does by itself, some minutes later.
            with db.engine.begin() as connection:
                connection.exec_driver_sql("ANALYZE")
        print(
            f"  {count:>10,} calls   loaded in {loaded - started:6.1f} s, "
            f"folded in {folded - loaded:6.1f} s ({(folded - loaded) / count * 1e6:.1f} µs a call)"
        )
        shown = {window: milliseconds(page(window)) for window in ("24h", "7d", "30d")}
        counts = milliseconds(lambda: by_hand(db, buckets=False), 2)
        quantiles = milliseconds(lambda: by_hand(db, buckets=True), 2)
        pages = "  ".join(f"{window} {took:6.1f} ms" for window, took in shown.items())
        print(f"             page       {pages}")
        against = counts / shown["30d"], quantiles / shown["30d"]
        print(
            f"             GROUP BY   30d counts {counts:.1f} ms (the page is 1/{against[0]:.1f}), "
            f"with quantiles {quantiles:.1f} ms (1/{against[1]:.1f})"
        )
        db.session.remove()
        janela.recorder.close()
        db.engine.dispose()
    return shown["30d"]


def open_hour(uri: str, count: int) -> None:
    """A page while the open hour holds very many calls, and while none of them is folded."""
    app, db, janela = host(uri)
    client = app.test_client(user=Person())
    with app.app_context():
        first = NOW - dt.timedelta(days=DAYS) + dt.timedelta(hours=1)
        before = NOW.replace(minute=0, second=0)
        load(db, rows(100_000, first, int((before - first).total_seconds()), random.Random(1)))
        janela.recorder.fold()
        job = lambda: client.get("/janela/tools?window=30d")  # noqa: E731
        calm = milliseconds(job)
        spread = max(int((NOW - before).total_seconds()), 60)
        load(db, rows(count, before, spread, random.Random(2)))
        janela.recorder.fold()
        busy = milliseconds(job)
        print(
            f"  open hour: {count:,} calls in it   page {busy:.1f} ms, without them {calm:.1f} ms "
            f"({busy / calm:.2f})"
        )
        db.session.remove()
        janela.recorder.close()
        db.engine.dispose()


def cost(uri: str) -> None:
    """What recording adds to a call."""
    app, db, janela = host(uri)
    with app.app_context():
        recorder = janela.recorder
        made = [
            Call("read_pane", "frames", "ok", NOW, 12.5, caller="user:1", agent="desk")
            for _ in range(2_000)
        ]
        for _ in range(3):
            started = time.perf_counter()
            for call in made:
                recorder.record(call)
            took = (time.perf_counter() - started) / len(made) * 1e6
            recorder.flush()
        print(f"  record(): {took:.2f} µs a call, with the thread writing beside it")
        threads = [
            threading.Thread(target=lambda: [recorder.record(call) for call in made])
            for _ in range(4)
        ]
        started = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        took = (time.perf_counter() - started) / len(made) / 4 * 1e6
        recorder.flush()
        assert recorder.status().dropped == 0
        print(f"  record(): {took:.2f} µs a call, from four threads at once")
        recorder.close()
        db.session.remove()
        db.engine.dispose()


def peer(count: int, folder: Path) -> None:
    """Flask-MonitoringDashboard's overview over the same number of requests, if it is there."""
    try:
        import flask_monitoringdashboard as peer_
    except ImportError:
        print("  Flask-MonitoringDashboard is not installed: not compared with")
        return
    peer_.config.database_name = f"sqlite:///{folder / 'peer.sqlite'}"
    app = flask.Flask("peer")
    app.secret_key = "bench"
    peer_.bind(app)
    from flask_monitoringdashboard.database import Endpoint, Request, session_scope

    rng = random.Random(1)
    first = NOW.replace(tzinfo=None) - dt.timedelta(days=DAYS)
    with session_scope() as session:
        for at in range(TOOLS):
            session.add(Endpoint(name=f"tool_{at}", monitor_level=1, version_added="1"))
        session.flush()
        ids = [row.id for row in session.query(Endpoint).filter(Endpoint.name.like("tool_%"))]
        table = Request.__table__
        for start in range(0, count, CHUNK):
            chunk = [
                {
                    "endpoint_id": ids[min(int(rng.expovariate(1 / 40)), TOOLS - 1)],
                    "duration": rng.lognormvariate(4.5, 0.9),
                    "time_requested": first + dt.timedelta(seconds=at / count * DAYS * 86400),
                    "version_requested": "1",
                    "status_code": 200,
                    "group_by": "",
                    "ip": "127.0.0.1",
                }
                for at in range(start, min(start + CHUNK, count))
            ]
            session.execute(sa.insert(table), chunk)
    client = app.test_client()
    client.post(
        "/dashboard/login",
        data={"name": peer_.config.username, "password": peer_.config.password},
    )

    def job() -> None:
        answer = client.get("/dashboard/api/overview")
        assert answer.status_code == 200, answer.text[:200]

    print(
        f"  Flask-MonitoringDashboard, {count:,} requests: overview {milliseconds(job, 1):.0f} ms"
    )


def main() -> None:
    count = int(sys.argv[1].replace("_", "")) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as temporary:
        uri = sys.argv[2] if len(sys.argv) > 2 else f"sqlite:///{Path(temporary) / 'calls.sqlite'}"
        print(f"Roster of {TOOLS} tools over {DAYS} days on {uri.partition(':')[0]}")
        cost(uri)
        small = measure(max(count // 10, 1), uri)
        large = measure(count, uri)
        print(f"  growth from {count // 10:,} to {count:,} calls: page x {large / small:.2f}")
        open_hour(uri, min(count, MOST_ELSEWHERE))
        peer(min(count, MOST_ELSEWHERE), Path(temporary))


if __name__ == "__main__":
    main()
