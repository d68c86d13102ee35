"""Small host applications, each with a database of its own."""

from __future__ import annotations

import collections.abc as cabc
import contextlib
import dataclasses
import types
import typing as t

import flask
import flask_login
import jinja2
import jinja2.bccache
import sqlalchemy as sa
from databases import ENGINE, LENT, SERVERS, empty_database, model_class, settings
from flask_sqlalchemy import SQLAlchemy
from sqlalchemy.orm import Mapped, mapped_column, relationship

from flask_janela import Janela


class Compiled(jinja2.BytecodeCache):
    """Templates that one host compiled, for the next."""

    def __init__(self) -> None:
        self._kept: dict[str, bytes] = {}

    def load_bytecode(self, bucket: jinja2.bccache.Bucket) -> None:
        if bucket.key in self._kept:
            bucket.bytecode_from_string(self._kept[bucket.key])

    def dump_bytecode(self, bucket: jinja2.bccache.Bucket) -> None:
        self._kept[bucket.key] = bucket.bytecode_to_string()


COMPILED = Compiled()


@dataclasses.dataclass
class Person(flask_login.UserMixin):
    """Somebody who may sign in."""

    id: str
    name: str = "Ana Reis"
    region: str | None = None


@dataclasses.dataclass
class Host:
    """An application, its extensions and the models that a test defined for it."""

    app: flask.Flask
    db: SQLAlchemy
    janela: Janela
    models: types.SimpleNamespace
    people: dict[str, Person]

    def add(self, *rows: t.Any) -> None:
        self.db.session.add_all(rows)
        self.db.session.commit()


Define = cabc.Callable[[SQLAlchemy], cabc.Mapping[str, t.Any]]


@contextlib.contextmanager
def host(
    define: Define, *, scoped: bool = True, made: str | None = "__all__", **config: t.Any
) -> cabc.Iterator[Host]:
    """A host application inside its context, its tables made: those of all binds, or of one.

    ``scoped`` registers a scope that shows everybody everything; without it a test registers its
    own, or none.
    """
    if "SQLALCHEMY_DATABASE_URI" in config:
        with _host(define, scoped, made, config) as found:
            yield found
    elif ENGINE in SERVERS and made == "__all__" and "<locals>" not in define.__qualname__:
        with LENT.to(define) as lent:
            with _host(define, scoped, made, settings(lent.url) | config) as found:
                lent.watch(found.db.engine)
                yield found
            if not lent.changed:
                lent.empty(found.db.metadata.sorted_tables)
    else:
        with empty_database() as url, _host(define, scoped, made, settings(url) | config) as found:
            yield found


@contextlib.contextmanager
def _host(
    define: Define, scoped: bool, made: str | None, config: dict[str, t.Any]
) -> cabc.Iterator[Host]:
    app = flask.Flask("host")
    app.config.update({"SECRET_KEY": "tests", "TESTING": True} | config)
    app.jinja_options = {"bytecode_cache": COMPILED}
    db = SQLAlchemy(app, model_class=model_class())
    people = {id_: Person(id_) for id_ in ("ana", "ben")}
    manager = flask_login.LoginManager(app)
    manager.user_loader(people.get)
    janela = Janela()
    if scoped:
        janela.scope(lambda model, caller: sa.select(model))
    models = types.SimpleNamespace(**define(db))
    janela.init_app(app, db)
    with app.app_context():
        db.create_all(made)
        try:
            yield Host(app, db, janela, models, people)
        finally:
            janela.recorder.close()
            db.session.remove()
            for engine in db.engines.values():
                engine.dispose()


def shop(db: SQLAlchemy) -> dict[str, t.Any]:
    """Orders of customers, as most tests need them."""
    from flask_janela import (
        Average,
        Count,
        Dimension,
        Maximum,
        Ratio,
        Share,
        Sum,
        TimeDimension,
        Vocabulary,
    )

    class Customer(db.Model):  # type: ignore[name-defined,misc]
        id: Mapped[int] = mapped_column(primary_key=True)
        name: Mapped[str]
        region: Mapped[str | None]

        class Janela(Vocabulary, name="customers"):
            customers = Count()
            region = Dimension()

    class Tag(db.Model):  # type: ignore[name-defined,misc]
        id: Mapped[int] = mapped_column(primary_key=True)
        order_id: Mapped[int] = mapped_column(sa.ForeignKey("order.id"))

    class Order(db.Model):  # type: ignore[name-defined,misc]
        id: Mapped[int] = mapped_column(primary_key=True)
        customer_id: Mapped[int | None] = mapped_column(sa.ForeignKey("customer.id"))
        status: Mapped[str | None]
        paid: Mapped[bool | None]
        quantity: Mapped[int | None]
        amount: Mapped[t.Any] = mapped_column(sa.Numeric(10, 2), nullable=True)
        placed_at: Mapped[t.Any] = mapped_column(sa.DateTime, nullable=True)
        customer: Mapped[Customer | None] = relationship()
        tags: Mapped[list[Tag]] = relationship()

        class Janela(Vocabulary, name="orders"):
            orders = Count()
            open_orders = Count(where=lambda o: o.status == "open")
            quantity = Sum("quantity")
            revenue = Sum("amount", currency="USD")
            average_amount = Average("amount")
            average_quantity = Average("quantity")
            largest = Maximum("amount")
            open_share = Ratio("open_orders", "orders", percent=True)
            paid_share = Share("paid")
            margin = Sum("amount", visible_to=lambda caller: caller == "boss")

            status = Dimension(labels={"open": "Open"}, order=["new", "open"])
            region = Dimension("customer.region")
            paid_already = Dimension("paid")
            amount_of = Dimension("quantity")
            secret = Dimension("status", visible_to=lambda caller: caller == "boss")
            placed = TimeDimension("placed_at")

    return {"Customer": Customer, "Tag": Tag, "Order": Order}
