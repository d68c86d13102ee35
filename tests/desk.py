"""A host with orders and tickets in two regions, for tests of pages. Small enough to add up."""

from __future__ import annotations

import collections.abc as cabc
import contextlib
import datetime as dt
import typing as t

import flask_login
import sqlalchemy as sa
from flask.testing import FlaskClient
from flask_sqlalchemy import SQLAlchemy
from hosts import Host, host
from markup import Page
from sqlalchemy.orm import Mapped, mapped_column

from flask_janela import (
    Average,
    Count,
    Dimension,
    Frame,
    Records,
    Sum,
    TimeDimension,
    Vocabulary,
)
from flask_janela.frames import add_pane

NOW = dt.datetime(2013, 12, 31, 15, 30, 5, tzinfo=dt.UTC)
IMAGE = "<img src=x onerror=alert(1)>"
BREAKOUT = '"></svg><script>alert(2)</script>'


def define(db: SQLAlchemy) -> dict[str, t.Any]:
    class Order(db.Model):  # type: ignore[name-defined,misc]
        __tablename__ = "orders"
        id: Mapped[int] = mapped_column(primary_key=True)
        region: Mapped[str | None]
        product: Mapped[str | None]
        amount: Mapped[t.Any] = mapped_column(sa.Numeric(10, 2))
        minutes: Mapped[float | None]
        placed_at: Mapped[dt.datetime | None]

        class Janela(Vocabulary):
            orders = Count(description="Orders, paid or not.")
            revenue = Sum("amount", currency="USD")
            delay = Average("minutes", label="Average delay", suffix=" min", precision=1)
            profit = Sum("amount", visible_to=lambda caller: caller.name == "The boss")

            region = Dimension()
            product = Dimension()
            margin = Dimension("product", visible_to=lambda caller: caller.name == "The boss")
            placed = TimeDimension("placed_at")

            rows = Records("placed", "region", "product", "amount", "minutes", "margin")

    class Ticket(db.Model):  # type: ignore[name-defined,misc]
        __tablename__ = "tickets"
        id: Mapped[int] = mapped_column(primary_key=True)
        topic: Mapped[str]

        class Janela(Vocabulary):
            tickets = Count()
            topic = Dimension()

    return {"Order": Order, "Ticket": Ticket}


@contextlib.contextmanager
def desk(*, scoped: bool = True, **config: t.Any) -> cabc.Iterator[Host]:
    """The host with its rows: 3 orders in EU, 2 in US, 1 nowhere, and 1 without a date.

    However busy the machine is, its pages are drawn whole unless a test says otherwise.
    """
    config.setdefault("JANELA_RENDER_SECONDS", 60)
    with host(define, scoped=scoped, **config) as made:
        made.app.test_client_class = flask_login.FlaskLoginClient
        made.app.extensions["janela"].now = lambda: NOW
        order = made.models.Order
        made.add(
            *(
                order(region=region, product=product, amount=amount, minutes=minutes, placed_at=at)
                for region, product, amount, minutes, at in (
                    ("EU", IMAGE, "100.10", 4.0, dt.datetime(2013, 10, 5)),
                    ("EU", BREAKOUT, "200.20", 6.0, dt.datetime(2013, 11, 5)),
                    ("EU", "plain", "300.30", None, dt.datetime(2013, 12, 5)),
                    ("US", IMAGE, "1000.00", -10.0, dt.datetime(2013, 12, 24)),
                    ("US", "plain", "2000.00", None, None),
                    (None, "plain", "50.00", 2.0, dt.datetime(2013, 10, 31)),
                )
            ),
            *(made.models.Ticket(topic=topic) for topic in ("late", "late", "lost")),
        )
        yield made


def client(made: Host, person: str = "ana") -> FlaskClient:
    """A browser in which a person is signed in."""
    return made.app.test_client(user=made.people[person])


def page(made: Host, address: str, *, status: int = 200, person: str = "ana") -> Page:
    """A page as a person sees it."""
    response = client(made, person).get(address)
    assert response.status_code == status, (response.status, response.text)
    return Page(response.text)


def frame(made: Host, key: str = "sales", name: str = "Sales", **attributes: t.Any) -> Frame:
    """A frame of nobody."""
    made_frame = Frame.for_owner(None, key, name=name, **attributes)
    made.db.session.commit()
    return made_frame


def pane(made: Host, of: Frame, **options: t.Any) -> None:
    """One more pane; a query of orders unless it says otherwise."""
    if options.get("kind", "query") == "query":
        options.setdefault("model", "orders")
    add_pane(of, **options)
    made.db.session.commit()
