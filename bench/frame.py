"""One click on the example's on-time desk: the server's time over that of its statements.

The click is the request that htmx makes, through the whole application; the statements are those
that it ran, run again by hand with their rows fetched. Both are timed in turn, in one run, in the
processor time of this process, which holds the database too; of each the fastest round counts, so
that what else the machine does counts as little as can be. Run it with ``make bench``.
"""

from __future__ import annotations

import collections.abc as cabc
import gc
import tempfile
import time
import typing as t
from pathlib import Path

import flask
import sqlalchemy as sa

from example_app import create_app
from example_app.models import db
from example_app.seeding import seed
from flask_janela import Frame
from flask_janela.pages.light import Light

ROUNDS = 9

CLICKS = [
    ("nothing chosen", ""),
    ("an airline", "?q.airline=United%20Air%20Lines%20Inc."),
    ("an origin", "?q.origin=John%20F%20Kennedy%20Intl"),
    ("a month", "?q.scheduled.gte=2013-07-01&q.scheduled.lt=2013-08-01"),
]


def seconds(job: cabc.Callable[[], object]) -> float:
    started = time.process_time()
    job()
    return time.process_time() - started


Statements = list[tuple[str, t.Any]]


def over_flights(statements: Statements) -> int:
    return sum(" flights" in text for text, _ in statements)


def count_panes(seen: Statements) -> list[tuple[str, int]]:
    """What each pane that is drawn from now on is called, and how many statements it ran."""
    counted: list[tuple[str, int]] = []
    draw = Light.pane

    def drawn(light: Light, *given: t.Any) -> t.Any:
        before = over_flights(seen)
        pane = draw(light, *given)
        if asked := over_flights(seen) - before:
            counted.append((pane.title, asked))
        return pane

    Light.pane = drawn  # type: ignore[method-assign]
    return counted


def measure(app: flask.Flask) -> None:
    with app.app_context():
        frame = db.session.scalar(sa.select(Frame).where(Frame.key == "on_time_desk"))
        panes = sum(pane.kind == "query" for pane in frame.panes)
        path = f"/janela/frames/{frame.id}"
        db.session.remove()
        engine = db.engine
    client = app.test_client()
    client.post("/sign-in", data={"person": "lead"})
    seen: Statements = []
    counted = count_panes(seen)

    @sa.event.listens_for(engine, "before_cursor_execute")
    def note(
        connection: t.Any, cursor: t.Any, statement: str, parameters: t.Any, *_: t.Any
    ) -> None:
        seen.append((statement, parameters))

    print(f"On-time desk, {panes} panes that ask, 336,776 flights on SQLite: one click")
    for title, query in CLICKS:
        address = path + query

        def click(address: str = address) -> None:
            response = client.get(address, headers={"HX-Request": "true"})
            assert response.status_code == 200, response.text[:300]

        click()
        seen.clear()
        counted.clear()
        click()
        statements, by_pane = list(seen), list(counted)
        flights = over_flights(statements)

        def by_hand(statements: Statements = statements) -> None:
            with engine.connect() as connection:
                for text, parameters in statements:
                    connection.exec_driver_sql(text, parameters).fetchall()

        by_hand()
        ours, theirs = [], []
        for at in range(ROUNDS):
            for job, timings in ((click, ours), (by_hand, theirs))[:: 1 if at % 2 else -1]:
                timings.append(seconds(job))
        print(
            f"  {title:<16} 1 request, {flights:2} statements over flights, "
            f"{len(statements) - flights} others   server {min(ours) * 1e3:7.1f} ms"
            f"   statements {min(theirs) * 1e3:7.1f} ms   {min(ours) / min(theirs):6.3f}"
        )
        print("    " + ", ".join(f"{pane} {asked}" for pane, asked in by_pane))
    with app.app_context():
        db.session.remove()
        engine.dispose()


if __name__ == "__main__":
    gc.freeze()
    with tempfile.TemporaryDirectory() as temporary:
        made = create_app(
            {
                "SECRET_KEY": "bench",
                "SQLALCHEMY_DATABASE_URI": f"sqlite:///{Path(temporary) / 'desk.sqlite'}",
            }
        )
        with made.app_context():
            seed()
        measure(made)
