"""The airline desk under load and faults: is anything lost, and does memory stay flat?

Serves the example with gunicorn on PostgreSQL, to this machine only. Fifty clients open pages,
choose, arrange frames and call tools for two minutes, while a worker is killed every ten seconds
and the database once. Then everything that was acknowledged is looked for. ``python bench/soak.py
[seconds [clients]]``; needs the extra ``test``.
"""

from __future__ import annotations

import collections
import collections.abc as cabc
import contextlib
import dataclasses
import http.client
import itertools
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import typing as t
import urllib.parse
from pathlib import Path

import flask
import sqlalchemy as sa
from flask_login import current_user

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from databases import own_postgresql  # noqa: E402

from example_app import create_app  # noqa: E402
from example_app.desk import janela  # noqa: E402
from example_app.people import PEOPLE  # noqa: E402
from example_app.seeding import seed  # noqa: E402
from flask_janela import Frame, Pane  # noqa: E402
from flask_janela.roster import ToolCall  # noqa: E402

WORKERS, THREADS = 3, 8
WARM_UP = 40
MOST_MINE = 8
"""Panes that a client has in their frame at once."""

KILL_EVERY, LOST_AT_MOST = 10.0, 1.25
"""Seconds; a killed worker may lose the calls it answered in the last of them, and its clock."""

AGENT = "soak"
CHOICES = ("", "q.carrier=UA", "q.origin=JFK", "q.carrier=DL&q.origin=LGA", "q.scheduled=2013-07")


def application() -> flask.Flask:
    """The desk, and an agent's loop in it: calls go through the tools of whoever is signed in."""
    app = create_app()

    @app.post("/soak/call/<name>")
    def call(name: str) -> flask.typing.ResponseReturnValue:
        tools = janela.tools_for(current_user, write=True, agent=AGENT)
        answer = tools.run(name, flask.request.get_json())
        return {"pid": os.getpid(), "answer": answer}

    return app


@dataclasses.dataclass
class Ledger:
    """What the clients were told, and what they do not know.

    Attributes:
        answers: how often each kind of answer came, by what was asked.
        added, removed: headings of panes of which it was acknowledged.
        tried: headings that somebody tried to remove.
        calls: when each call was answered, and by which process.
        unknown: calls of which no answer came.
        killing: whether the database has just been killed: who has a connection to it then may
            fail in Flask-SQLAlchemy's end of the request, when the page is drawn already.
    """

    lock: threading.Lock = dataclasses.field(default_factory=threading.Lock)
    answers: collections.Counter[tuple[str, str]] = dataclasses.field(
        default_factory=collections.Counter
    )
    added: dict[str, int] = dataclasses.field(default_factory=dict)
    removed: set[str] = dataclasses.field(default_factory=set)
    tried: set[str] = dataclasses.field(default_factory=set)
    calls: list[tuple[float, int]] = dataclasses.field(default_factory=list)
    unknown: int = 0
    killing: bool = False
    kills: list[tuple[float, int]] = dataclasses.field(default_factory=list)
    memory: list[tuple[float, float]] = dataclasses.field(default_factory=list)


class Client:
    """One person in front of a browser, with an agent of their own."""

    def __init__(self, at: int, port: int, frame_id: int, ledger: Ledger) -> None:
        self.at, self.port, self.frame_id, self.ledger = at, port, frame_id, ledger
        self.draw = random.Random(at)
        self.person = sorted(PEOPLE)[at % len(PEOPLE)]
        self.cookie = ""
        self.serial = itertools.count()
        self.mine: dict[str, int] = {}

    def run(self, until: float) -> None:
        jobs: list[tuple[int, cabc.Callable[[], None]]] = [
            (4, self.open_frame),
            (1, lambda: self.get("page", "/janela/")),
            (2, lambda: self.get("ask", "/janela/ask/flights/flights/airline")),
            (1, lambda: self.get("export", "/janela/ask/flights/late/origin.csv")),
            (1, lambda: self.get("explore", "/janela/explore?model=flights&measure=flights")),
            (3, self.read),
            (3, self.add),
            (2, self.remove),
            (2, self.move),
        ]
        weights = [weight for weight, _ in jobs]
        while time.monotonic() < until:
            if not self.cookie:
                self.sign_in()
                continue
            self.draw.choices(jobs, weights)[0][1]()

    def ask(
        self, kind: str, method: str, path: str, body: bytes = b"", type_: str = ""
    ) -> tuple[int, bytes, http.client.HTTPMessage | None]:
        """One request; the status is 0 when no answer came."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {"Cookie": self.cookie, **({"Content-Type": type_} if type_ else {})}
        try:
            connection.request(method, path, body or None, headers)
            response = connection.getresponse()
            answer, said = response.read(), str(response.status)
            status, more = response.status, response.headers
        except (OSError, http.client.HTTPException) as error:
            answer, said, status, more = b"", type(error).__name__, 0, None
        finally:
            connection.close()
        if status == 500 and self.ledger.killing:
            said = "500 (database killed)"
        with self.ledger.lock:
            self.ledger.answers[kind, said] += 1
        if status in (0, 503):
            time.sleep(0.2)
        return status, answer, more

    def get(self, kind: str, path: str) -> None:
        self.ask(kind, "GET", path)

    def post(self, kind: str, path: str, **form: t.Any) -> int:
        body = urllib.parse.urlencode(form).encode()
        return self.ask(kind, "POST", path, body, "application/x-www-form-urlencoded")[0]

    def sign_in(self) -> None:
        body = urllib.parse.urlencode({"person": self.person}).encode()
        form = "application/x-www-form-urlencoded"
        status, _, headers = self.ask("sign in", "POST", "/sign-in", body, form)
        if status == 303 and headers is not None:
            self.cookie = headers["Set-Cookie"].partition(";")[0]

    def open_frame(self) -> None:
        self.get("frame", f"/janela/frames/{self.draw.randint(1, 2)}?{self.draw.choice(CHOICES)}")

    def call(self, name: str, arguments: dict[str, t.Any]) -> tuple[int, dict[str, t.Any]]:
        body = json.dumps(arguments).encode()
        status, answer, _ = self.ask("tool", "POST", f"/soak/call/{name}", body, "application/json")
        with self.ledger.lock:
            if status != 200:
                self.ledger.unknown += 1
                return status, {}
            told = json.loads(answer)
            self.ledger.calls.append((time.time(), told["pid"]))
            if error := told["answer"].get("error"):
                self.ledger.answers["tool", error["code"]] += 1
                return 0, {}
        return status, told["answer"]

    def read(self) -> None:
        by = self.draw.choice(["airline", "origin", "destination"])
        self.call("read_measure", {"model": "flights", "measure": "flights", "dimension": by})

    def add(self) -> None:
        if len(self.mine) == MOST_MINE:  # Else pages grow, and memory with them.
            return self.remove()
        heading = f"{self.at} {next(self.serial)}"
        arguments = {"frame_id": self.frame_id, "kind": "text", "heading": heading}
        status, answer = self.call("add_pane", arguments)
        if status == 200:
            self.mine[heading] = answer["pane"]["id"]
            with self.ledger.lock:
                self.ledger.added[heading] = self.frame_id

    def remove(self) -> None:
        if len(self.mine) < 4:
            return
        heading = self.draw.choice(sorted(self.mine))
        pane_id = self.mine.pop(heading)
        with self.ledger.lock:
            self.ledger.tried.add(heading)
        status, _ = self.call("remove_pane", {"pane_id": pane_id})
        if status == 200:
            with self.ledger.lock:
                self.ledger.removed.add(heading)

    def move(self) -> None:
        """On the page, with the version that it was made for."""
        if not self.mine:
            return
        status, answer = self.call("get_frame", {"frame_id": self.frame_id})
        if status == 200:
            pane = self.draw.choice(sorted(self.mine.values()))
            path = f"/janela/frames/{self.frame_id}/panes/{pane}/move"
            self.post("arrange", path, version=answer["version"], to="earlier")


def workers(parent: int) -> list[int]:
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text()
    return sorted(map(int, children.split()))


def resident(pid: int) -> float:
    """Megabytes that a process has in memory."""
    status = Path(f"/proc/{pid}/status").read_text()
    [line] = [line for line in status.splitlines() if line.startswith("VmRSS")]
    return int(line.split()[1]) / 1024


def trouble(parent: int, database: t.Any, ledger: Ledger, seconds: float) -> None:
    """Kill workers, all but the first, whose memory is looked at; and once the database."""
    started = time.monotonic()
    first = workers(parent)[0]
    next_kill, restarted = KILL_EVERY, False
    while (passed := time.monotonic() - started) < seconds:
        time.sleep(1)
        ledger.memory.append((passed, resident(first)))
        if passed >= next_kill:
            next_kill += KILL_EVERY
            victim = workers(parent)[-1]
            if victim != first:
                ledger.kills.append((time.time(), victim))
                os.kill(victim, signal.SIGKILL)
        if passed > seconds / 2 and not restarted:
            restarted = True
            ledger.killing = True
            database.kill()
            time.sleep(1)
            ledger.killing = False
            database.restart()
            # Until calls of the time without a database are written, a kill loses all of them.
            next_kill = time.monotonic() - started + KILL_EVERY


@contextlib.contextmanager
def served(url: str, folder: Path) -> cabc.Iterator[tuple[int, subprocess.Popen[bytes]]]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {
        **os.environ,
        "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'bench'}",
        "FLASK_SQLALCHEMY_DATABASE_URI": url,
        "FLASK_SECRET_KEY": "soak",
    }
    command = [sys.executable, "-m", "gunicorn", "--bind", f"127.0.0.1:{port}"]
    command += ["--workers", str(WORKERS), "--threads", str(THREADS), "--timeout", "60"]
    command += ["--graceful-timeout", "30", "soak:application()"]
    with (folder / "gunicorn.log").open("wb") as log:
        server = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        try:
            for _ in range(300):
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                    break
                time.sleep(0.1)
            yield port, server
        finally:
            server.terminate()
            server.wait(60)


def judge(app: flask.Flask, ledger: Ledger) -> list[str]:
    """What was promised and did not hold."""
    found: list[str] = []
    db = app.extensions["sqlalchemy"]
    with app.app_context():
        frames = db.session.scalars(sa.select(Frame).where(Frame.key.like("soak_%"))).all()
        there: dict[str, int] = {}
        for frame in frames:
            if [pane.position for pane in frame.panes] != list(range(1, len(frame.panes) + 1)):
                found.append(f"places of frame {frame.id} are not whole")
            there.update({str(pane.heading): pane.frame_id for pane in frame.panes})
        twice = db.session.execute(
            sa.select(Pane.heading, sa.func.count())
            .where(Pane.frame_id.in_([frame.id for frame in frames]))
            .group_by(Pane.heading)
            .having(sa.func.count() > 1)
        ).all()
        lost = [h for h, at in ledger.added.items() if h not in ledger.tried and there.get(h) != at]
        back = [heading for heading in ledger.removed if heading in there]
        found += [f"lost: {lost[:5]}"] * bool(lost) + [f"came back: {back[:5]}"] * bool(back)
        found += [f"done twice: {twice[:5]}"] * bool(twice)
        kept = db.session.scalar(
            sa.select(sa.func.count()).select_from(ToolCall).where(ToolCall.agent == AGENT)
        )
        db.session.remove()
    answered, risk = len(ledger.calls), 0
    for at, pid in ledger.kills:
        risk += sum(pid == by and at - LOST_AT_MOST <= when <= at for when, by in ledger.calls)
    print(
        f"  arranged: {len(ledger.added):,} panes added, {len(ledger.removed):,} removed, "
        f"lost {len(lost)}, came back {len(back)}, twice {len(twice)}"
    )
    print(
        f"  calls: {answered:,} answered, {ledger.unknown:,} without an answer, {kept:,} recorded; "
        f"{len(ledger.kills)} workers killed within a second of {risk} answers"
    )
    if not answered - risk <= kept <= answered + ledger.unknown:
        found.append(f"{kept} calls are recorded of {answered}")
    return found


def report(ledger: Ledger) -> list[str]:
    by_kind: dict[str, list[str]] = {}
    for (kind, said), count in sorted(ledger.answers.items()):
        by_kind.setdefault(kind, []).append(f"{said} {count:,}")
    for kind, answers in by_kind.items():
        print(f"  {kind:<8} {'   '.join(answers)}")
    warm = [size for at, size in ledger.memory if at >= WARM_UP] or [0.0]
    half = len(warm) // 2
    early, late = (sum(part) / max(len(part), 1) for part in (warm[:half], warm[half:]))
    print(
        f"  memory of a worker: {ledger.memory[0][1]:.0f} MB at first, after {WARM_UP} s "
        f"{early:.1f} MB in the first half of what is left, {late:.1f} MB in the second"
    )
    stretches = [warm[at * len(warm) // 8 : (at + 1) * len(warm) // 8] for at in range(8)]
    means = [f"{sum(part) / len(part):.1f}" for part in stretches if part]
    print(f"  by eighths of that: {', '.join(means)} MB")
    bad = [f"{kind}: {n} x 500" for (kind, said), n in ledger.answers.items() if said == "500"]
    return bad + ([f"a worker grew by {late - early:.1f} MB"] if late > early * 1.05 else [])


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 120.0
    clients = int(sys.argv[2]) if len(sys.argv) > 2 else 50
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        database = own_postgresql(folder / "postgresql")
        app = create_app({"SQLALCHEMY_DATABASE_URI": database.url, "SECRET_KEY": "soak"})
        with app.app_context():
            seed()
            frames = [Frame.for_owner(None, f"soak_{at}", name=f"{at}") for at in range(clients)]
            for at, frame in enumerate(frames):
                person = PEOPLE[sorted(PEOPLE)[at % len(PEOPLE)]]
                if person.carrier is not None:
                    frame.owner_type, frame.owner_id = "airline", person.carrier
            app.extensions["sqlalchemy"].session.commit()
            ids = [frame.id for frame in frames]
            app.extensions["sqlalchemy"].session.remove()
            app.extensions["sqlalchemy"].engine.dispose()
        ledger = Ledger()
        with served(database.url, folder) as (port, server):
            until = time.monotonic() + seconds
            print(f"Soak: {clients} clients for {seconds:.0f} s, {WORKERS} x {THREADS} threads")
            threads = [
                threading.Thread(target=Client(at, port, ids[at], ledger).run, args=(until,))
                for at in range(clients)
            ]
            for thread in threads:
                thread.start()
            trouble(server.pid, database, ledger, seconds - 2)
            for thread in threads:
                thread.join()
        wrong = report(ledger) + judge(app, ledger)
        if any(line.startswith(("page", "frame", "tool")) for line in wrong):
            print((folder / "gunicorn.log").read_text())
        with app.app_context():
            app.extensions["sqlalchemy"].engine.dispose()
    print("  nothing is wrong" if not wrong else "  WRONG: " + "; ".join(wrong))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
