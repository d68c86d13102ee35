"""Facts on DuckDB, frames elsewhere: pages, and what becomes of a statement that fails.

That answers are right is tested by ``property``, with ``JANELA_TEST_DATABASE=duckdb``.
"""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import datetime as dt
import decimal
import typing as t

import flask_login
import pytest
import sqlalchemy as sa
from databases import IN_MEMORY, bind, settings
from desk import client, frame, page, pane
from flask_sqlalchemy import SQLAlchemy
from hosts import Host, host
from sqlalchemy.orm import Mapped, mapped_column

from flask_janela import Count, Dimension, Sum, TimeDimension, Vocabulary
from flask_janela.errors import Overrun

SALES = (
    ("EU", "100.10", dt.datetime(2013, 10, 5)),
    ("EU", "200.20", dt.datetime(2013, 11, 5)),
    ("US", "1000.00", dt.datetime(2013, 11, 24)),
    (None, "50.00", None),
)


def define(db: SQLAlchemy) -> dict[str, t.Any]:
    class Order(db.Model):  # type: ignore[name-defined,misc]
        __tablename__ = "orders"
        __bind_key__ = "facts"

        id: Mapped[int] = mapped_column(primary_key=True)
        region: Mapped[str | None]
        amount: Mapped[decimal.Decimal] = mapped_column(sa.Numeric(10, 2))
        placed_at: Mapped[dt.datetime | None]

        class Janela(Vocabulary):
            orders = Count()
            revenue = Sum("amount")
            slow = Sum(lambda o: o.id + LONG)
            broken = Sum(lambda o: o.id + sa.cast("x" + sa.cast(o.id, sa.String), sa.Integer))

            region = Dimension()
            placed = TimeDimension("placed_at")

    return {"Order": Order}


LONG = sa.literal_column("(SELECT count(*) FROM range(20000000000) WHERE range % 7 = 3)")
"""What takes DuckDB many seconds to count."""


@pytest.fixture
def made() -> cabc.Iterator[Host]:
    binds = {"facts": bind(IN_MEMORY["duckdb"])}
    frames = settings(IN_MEMORY["sqlite"])
    # However busy the machine is, pages are drawn whole.
    with host(define, **frames, SQLALCHEMY_BINDS=binds, JANELA_RENDER_SECONDS=60) as made:
        made.app.test_client_class = flask_login.FlaskLoginClient
        for at, (region, amount, placed_at) in enumerate(SALES, 1):
            order = made.models.Order(id=at, region=region, amount=amount, placed_at=placed_at)
            made.db.session.add(order)
        made.db.session.commit()
        yield made


def test_questions_and_frames_over_another_bind(made: Host) -> None:
    """The frames are read from SQLite, their numbers from DuckDB."""
    assert sa.inspect(made.db.engine).has_table("janela_frames")
    assert not sa.inspect(made.db.engine).has_table("orders")
    found = page(made, "/janela/ask/orders/revenue/region")
    shown = [each.text for each in found.all(tag="td")]
    assert shown == ["1,000.00", "300.30", "50.00", "1,350.30"]

    sales = frame(made)
    pane(made, sales, measure="revenue", dimension="region")
    pane(made, sales, measure="orders", dimension="placed", granularity="month")
    text = client(made).get("/janela/frames/1?q.region=EU").text
    assert "300.30" in text
    assert "Nov 2013" in text


def test_a_failing_pane_leaves_the_others_their_numbers(made: Host) -> None:
    """An error ends a transaction of DuckDB's, and the next pane reads in another."""
    sales = frame(made)
    pane(made, sales, measure="broken", dimension="region")
    pane(made, sales, measure="revenue", dimension="region")
    text = client(made).get("/janela/frames/1").text
    assert "300.30" in text
    assert "Conversion" not in text


def test_a_statement_has_its_time(made: Host) -> None:
    """One that takes longer is interrupted, and the connection still answers."""
    state = made.app.extensions["janela"]
    whole = state.config
    state.config = dataclasses.replace(whole, statement_seconds=0.2)
    with pytest.raises(Overrun):
        made.janela.ask("orders", "slow", caller="ana")
    state.config = whole
    assert made.janela.ask("orders", "orders", caller="ana").total == 4
