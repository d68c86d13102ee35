"""``ask`` over the same statements written by hand in SQLAlchemy Core, in one run.

Prints a ratio for each question over the example's 336,776 flights and over a million orders,
for a page of their single rows, and the fixed cost of a question on a table of ten rows. Run it
with ``make bench``.
"""

from __future__ import annotations

import collections.abc as cabc
import datetime as dt
import gc
import random
import statistics
import tempfile
import time
import typing as t
from pathlib import Path

import flask
import sqlalchemy as sa
from flask_sqlalchemy import SQLAlchemy
from sqlalchemy.orm import Mapped, mapped_column, relationship

from example_app import create_app
from example_app.desk import janela as desk
from example_app.models import db as desk_db
from example_app.seeding import seed
from flask_janela import (
    Average,
    Count,
    CountDistinct,
    Dimension,
    Janela,
    Sum,
    TimeDimension,
    Vocabulary,
)

ROUNDS = 7

Job = cabc.Callable[[], object]


def median_seconds(job: Job, rounds: int) -> float:
    """The median of several timings of one job, after one that is not counted."""
    job()
    timings = []
    for _ in range(rounds):
        started = time.perf_counter()
        job()
        timings.append(time.perf_counter() - started)
    return statistics.median(timings)


def paired(one: Job, other: Job, rounds: int = ROUNDS) -> tuple[float, float, float]:
    """Two jobs in turn: the median seconds of each, and the median of the ratios pair by pair."""
    one(), other()
    ones, others = [], []
    for at in range(rounds):
        for job, timings in ((one, ones), (other, others))[:: 1 if at % 2 else -1]:
            started = time.perf_counter()
            job()
            timings.append(time.perf_counter() - started)
    ratio = statistics.median(a / b for a, b in zip(ones, others, strict=True))
    return statistics.median(ones), statistics.median(others), ratio


def replayed(engine: sa.Engine, ask: Job) -> Job:
    """The statements that a question runs, run again by hand as Core with the rows fetched.

    They are taken from the question itself, so that both sides ask the database for the same.
    """
    seen: list[tuple[str, t.Any]] = []

    def listen(
        connection: t.Any, cursor: t.Any, statement: str, parameters: t.Any, *_: t.Any
    ) -> None:
        seen.append((statement, parameters))

    sa.event.listen(engine, "before_cursor_execute", listen)
    ask()
    sa.event.remove(engine, "before_cursor_execute", listen)

    def by_hand() -> None:
        with engine.connect() as connection:
            for statement, parameters in seen:
                connection.exec_driver_sql(statement, parameters).fetchall()

    return by_hand


def report(title: str, engine: sa.Engine, ask: Job, rounds: int = ROUNDS) -> None:
    ours, theirs, ratio = paired(ask, replayed(engine, ask), rounds)
    print(f"  {title:<44} ask {ours * 1e3:9.1f} ms   core {theirs * 1e3:9.1f} ms   {ratio:6.3f}")


def flights(folder: Path) -> None:
    app = create_app(
        {"SECRET_KEY": "bench", "SQLALCHEMY_DATABASE_URI": f"sqlite:///{folder / 'desk.sqlite'}"}
    )
    with app.app_context():
        seed()
        lead = desk.load_caller("user:lead")
        united = desk.load_caller("user:analyst-ua")
        engine = desk_db.engine
        print("336,776 flights on SQLite: ask over Core")
        questions: list[tuple[str, dict[str, t.Any]]] = [
            ("flights", {}),
            ("flights by carrier", {"by": "carrier"}),
            ("average delay by airline (join)", {"by": "airline"}),
            ("flights by month in New York", {"by": "scheduled"}),
            ("flights by day in New York", {"by": "scheduled", "granularity": "day"}),
            ("two filters", {"by": "origin", "filters": {"carrier": "UA", "scheduled": "2013-07"}}),
        ]
        for title, options in questions:
            measure = "average_delay" if title.startswith("average") else "flights"

            def ask(measure: str = measure, options: dict[str, t.Any] = options) -> object:
                return desk.ask("flights", measure, caller=lead, **options)

            report(title, engine, ask)
        report(
            "by destination, one airline's analyst",
            engine,
            lambda: desk.ask("flights", "flights", by="destination", caller=united),
        )
        print("a page of 25 of those flights: records over Core")
        pages: list[tuple[str, dict[str, t.Any]]] = [
            ("the first of all", {"caller": lead}),
            ("in the middle", {"caller": lead, "cursor": "after.168388"}),
            (
                "behind a cancellation rate, filtered",
                {
                    "caller": lead,
                    "measure": "cancellation_rate",
                    "filters": {"airline": "Delta Air Lines Inc."},
                },
            ),
            ("one airline's analyst", {"caller": united, "measure": "cancelled"}),
        ]
        for title, given in pages:

            def page(given: dict[str, t.Any] = given) -> object:
                return desk.records("flights", **given)

            report(title, engine, page)
        desk_db.session.remove()
        desk_db.engine.dispose()


def orders(folder: Path) -> None:
    app = flask.Flask("bench")
    app.config["SQLALCHEMY_DATABASE_URI"] = f"sqlite:///{folder / 'orders.sqlite'}"
    app.config["JANELA_TIMEZONE"] = "America/New_York"
    db = SQLAlchemy(app)

    class Customer(db.Model):  # type: ignore[name-defined,misc]
        id: Mapped[int] = mapped_column(primary_key=True)
        region: Mapped[str]

    class Order(db.Model):  # type: ignore[name-defined,misc]
        id: Mapped[int] = mapped_column(primary_key=True)
        customer_id: Mapped[int] = mapped_column(sa.ForeignKey("customer.id"))
        status: Mapped[str]
        quantity: Mapped[int]
        amount: Mapped[t.Any] = mapped_column(sa.Numeric(10, 2))
        placed_at: Mapped[dt.datetime]
        customer: Mapped[Customer] = relationship()

        class Janela(Vocabulary, name="orders"):
            orders = Count()
            quantity = Sum("quantity")
            mean = Average("quantity")
            revenue = Sum("amount")
            customers = CountDistinct("customer_id")
            status = Dimension()
            region = Dimension("customer.region")
            placed = TimeDimension("placed_at")

    class Few(db.Model):  # type: ignore[name-defined,misc]
        id: Mapped[int] = mapped_column(primary_key=True)
        status: Mapped[str]

        class Janela(Vocabulary, name="few"):
            rows = Count()
            status = Dimension()

    janela = Janela()
    janela.scope(lambda model, caller: sa.select(model))
    janela.init_app(app, db)
    with app.app_context():
        db.create_all()
        draw = random.Random(1)
        start = dt.datetime(2021, 1, 1)
        regions = ["EU", "US", "APAC", "LATAM", "MEA"]
        db.session.execute(
            sa.insert(Customer),
            [{"id": n, "region": draw.choice(regions)} for n in range(1, 10_001)],
        )
        for _ in range(10):
            db.session.execute(
                sa.insert(Order),
                [
                    {
                        "customer_id": draw.randrange(1, 10_001),
                        "status": draw.choice(["new", "open", "paid", "sent", "gone"]),
                        "quantity": draw.randrange(1, 20),
                        "amount": draw.randrange(100, 100_000) / 100,
                        "placed_at": start + dt.timedelta(seconds=draw.randrange(94_608_000)),
                    }
                    for _ in range(100_000)
                ],
            )
        db.session.execute(sa.insert(Few), [{"status": s} for s in "aabbbccccd"])
        db.session.commit()
        print("1,000,000 orders on SQLite: ask over Core")
        questions: list[tuple[str, str, dict[str, t.Any]]] = [
            ("orders", "orders", {}),
            ("orders by status", "orders", {"by": "status"}),
            ("sum by status", "quantity", {"by": "status"}),
            ("mean by status", "mean", {"by": "status"}),
            ("decimal sum by status", "revenue", {"by": "status"}),
            ("orders by region (join)", "orders", {"by": "region"}),
            ("orders by month in New York", "orders", {"by": "placed"}),
            ("different customers by status", "customers", {"by": "status"}),
        ]
        for title, measure, options in questions:

            def ask(measure: str = measure, options: dict[str, t.Any] = options) -> object:
                return janela.ask("orders", measure, caller="x", **options)

            report(title, db.engine, ask, rounds=5)
        plain = sa.text(
            "SELECT strftime('%Y-%m', placed_at) AS month, count(*) FROM 'order' GROUP BY month"
        )
        ours, theirs, ratio = paired(
            lambda: janela.ask("orders", "orders", by="placed", caller="x"),
            lambda: db.session.execute(plain).all(),
            rounds=5,
        )
        print(
            f"  {'month in New York over strftime in UTC':<44} ask {ours * 1e3:9.1f} ms   "
            f"sql  {theirs * 1e3:9.1f} ms   {ratio:6.3f}"
        )
        print("10 rows on SQLite: the fixed cost of a question")
        for title, options in (("a number", {}), ("by a dimension", {"by": "status"})):

            def fixed(options: dict[str, t.Any] = options) -> object:
                return janela.ask("few", "rows", caller="x", **options)

            by_hand = replayed(db.engine, fixed)
            ours = median_seconds(fixed, 300)
            theirs = median_seconds(by_hand, 300)
            print(
                f"  {title:<44} ask {ours * 1e6:9.0f} µs   core {theirs * 1e6:9.0f} µs   "
                f"over {(ours - theirs) * 1e6:6.0f} µs"
            )
        db.session.remove()
        db.engine.dispose()


if __name__ == "__main__":
    gc.freeze()
    with tempfile.TemporaryDirectory() as temporary:
        flights(Path(temporary))
        orders(Path(temporary))
