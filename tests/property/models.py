"""The host application: its models with their vocabularies, its soft delete, its scope.

Its rows are on a bind of their own, the database that is tested; Janela's frames are not there.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import decimal
import typing as t

import sqlalchemy as sa
import sqlalchemy.orm as orm
from databases import EXACT, MOMENT, ZONED, bind, model_class
from flask import Flask
from flask_sqlalchemy import SQLAlchemy
from sqlalchemy.dialects import mysql
from sqlalchemy.ext.hybrid import hybrid_property

from flask_janela import (
    Average,
    Count,
    CountDistinct,
    Dimension,
    Janela,
    Maximum,
    Minimum,
    Ratio,
    Records,
    Share,
    Sum,
    TimeDimension,
    Vocabulary,
)

from .world import PRIORITIES, Caller, Status, Tier, World

FACTS = "facts"
"""The bind that all rows are on."""

db = SQLAlchemy(model_class=model_class())
janela = Janela()


UNPADDED = sa.Text().with_variant(
    mysql.TEXT(collation="utf8mb4_general_nopad_ci"), "mysql", "mariadb"
)
"""A text that the conditions of measures compare: here "" is not " "."""


class Instant(sa.TypeDecorator[dt.datetime]):
    """An aware time, kept as naive UTC: what hosts write for databases without zones."""

    impl = MOMENT
    cache_ok = True

    def process_bind_param(self, value: dt.datetime | None, dialect: t.Any) -> t.Any:
        return None if value is None else value.astimezone(dt.UTC).replace(tzinfo=None)

    def process_result_value(self, value: t.Any, dialect: t.Any) -> dt.datetime | None:
        return None if value is None else value.replace(tzinfo=dt.UTC)


class SoftDeleted:
    """Rows that are deleted by a mark; the session never shows them."""

    deleted_at: orm.Mapped[dt.datetime | None] = orm.mapped_column(MOMENT)


@sa.event.listens_for(db.session, "do_orm_execute")
def hide_deleted(state: orm.ORMExecuteState) -> None:
    if state.is_select:
        state.statement = state.statement.options(
            orm.with_loader_criteria(
                SoftDeleted, lambda model: model.deleted_at.is_(None), include_aliases=True
            )
        )


class Fact(db.Model):
    __abstract__ = True
    __bind_key__ = FACTS


class Country(Fact):
    __tablename__ = "countries"

    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
    name: orm.Mapped[str | None]


class Customer(SoftDeleted, Fact):
    __tablename__ = "customers"

    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
    name: orm.Mapped[str]
    region: orm.Mapped[str | None]
    tier: orm.Mapped[Tier | None]
    score: orm.Mapped[int | None]
    joined_at: orm.Mapped[dt.datetime | None] = orm.mapped_column(MOMENT)
    country_id: orm.Mapped[int | None] = orm.mapped_column(sa.ForeignKey(Country.id))
    referrer_id: orm.Mapped[int | None] = orm.mapped_column(sa.ForeignKey("customers.id"))

    country: orm.Mapped[Country | None] = orm.relationship()
    referrer: orm.Mapped[Customer | None] = orm.relationship(remote_side=[id])
    supplies: orm.Mapped[list[Stock]] = orm.relationship(viewonly=True)

    class Janela(Vocabulary):
        customers = Count()
        countries = CountDistinct("country_id")
        regions = CountDistinct("region", where=lambda c: c.tier != Tier.BASIC)
        score = Sum("score")
        average_score = Average("score", where=lambda c: c.region.is_not(None))
        best_score = Maximum("score")
        first_joined = Minimum("joined_at")
        score_each = Ratio("score", "customers")

        name = Dimension()
        region = Dimension()
        tier = Dimension()
        points = Dimension("score")
        country = Dimension("country.name")
        referrer_region = Dimension("referrer.region")
        referrer_country = Dimension("referrer.country.name")
        joined = TimeDimension("joined_at", granularity="year")

        rows = Records("name", "region", "tier", "country", "joined", "points")


class Order(SoftDeleted, Fact):
    __tablename__ = "orders"
    __mapper_args__: t.ClassVar = {"polymorphic_on": "kind", "polymorphic_identity": "order"}

    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
    kind: orm.Mapped[str]
    billing_customer_id: orm.Mapped[int | None] = orm.mapped_column(sa.ForeignKey(Customer.id))
    shipping_customer_id: orm.Mapped[int | None] = orm.mapped_column(sa.ForeignKey(Customer.id))
    gift_id: orm.Mapped[int | None] = orm.mapped_column(sa.ForeignKey("orders.id"))
    status: orm.Mapped[Status | None] = orm.mapped_column(
        sa.Enum(Status, values_callable=lambda members: [m.value for m in members])
    )
    priority: orm.Mapped[str | None] = orm.mapped_column(sa.Enum(*PRIORITIES, name="priority"))
    paid: orm.Mapped[bool | None]
    amount: orm.Mapped[decimal.Decimal | None] = orm.mapped_column(sa.Numeric(10, 2))
    rate: orm.Mapped[decimal.Decimal | None] = orm.mapped_column(sa.Numeric(14, 3))
    quantity: orm.Mapped[int | None]
    big: orm.Mapped[int | None] = orm.mapped_column(sa.BigInteger)
    weight: orm.Mapped[float | None]
    note: orm.Mapped[str | None] = orm.mapped_column(UNPADDED)
    placed_at: orm.Mapped[dt.datetime | None] = orm.mapped_column(MOMENT)
    shipped_on: orm.Mapped[dt.date | None]
    local_at: orm.Mapped[dt.datetime | None] = orm.mapped_column(MOMENT)
    seen_at: orm.Mapped[dt.datetime | None] = orm.mapped_column(Instant)
    noted_at: orm.Mapped[dt.datetime | None] = orm.mapped_column(ZONED)

    billing_customer: orm.Mapped[Customer | None] = orm.relationship(
        foreign_keys=[billing_customer_id]
    )
    shipping_customer: orm.Mapped[Customer | None] = orm.relationship(
        foreign_keys=[shipping_customer_id]
    )
    gift: orm.Mapped[GiftOrder | None] = orm.relationship(
        foreign_keys=[gift_id], remote_side=[id], viewonly=True
    )
    lines: orm.Mapped[list[Line]] = orm.relationship()

    @hybrid_property
    def pieces_short(self) -> int | None:
        return None if self.quantity is None else 10 - self.quantity

    @pieces_short.inplace.expression
    @classmethod
    def _pieces_short(cls) -> sa.ColumnElement[int]:
        return 10 - cls.quantity

    @hybrid_property
    def is_large(self) -> bool | None:
        return None if self.quantity is None else self.quantity > 3

    @is_large.inplace.expression
    @classmethod
    def _is_large(cls) -> sa.ColumnElement[bool]:
        return cls.quantity > 3

    class Janela(Vocabulary):
        orders = Count()
        with_amount = Count("amount")
        with_note = Count("note", where=lambda o: o.paid)
        large_orders = Count(where=lambda o: o.quantity > 3)
        not_new = Count(where=lambda o: o.status != Status.NEW)
        billed = CountDistinct("billing_customer_id")
        notes = CountDistinct("note")
        statuses = CountDistinct("status")
        amounts = CountDistinct("amount", where=lambda o: o.quantity < 5)
        ship_days = CountDistinct("shipped_on")
        revenue = Sum("amount")
        paid_revenue = Sum("amount", where=lambda o: o.paid.is_(True))
        pieces = Sum("quantity")
        short = Sum("pieces_short", where=lambda o: o.note != "")
        doubled = Sum(lambda o: o.quantity * 2 + 1)
        turnover = Sum(lambda o: o.amount * o.quantity)
        rates = Sum("rate")
        total_big = Sum("big")
        load = Sum("weight")
        average_amount = Average("amount")
        average_quantity = Average("quantity", where=lambda o: o.paid.is_(False))
        average_rate = Average("rate", where=lambda o: o.kind != "gift")
        average_big = Average("big")
        average_weight = Average("weight")
        smallest_amount = Minimum("amount")
        largest_amount = Maximum("amount", where=lambda o: o.weight > 0)
        smallest_quantity = Minimum("quantity")
        largest_big = Maximum("big")
        lightest = Minimum("weight")
        first_placed = Minimum("placed_at")
        last_placed = Maximum("placed_at", where=lambda o: o.paid)
        last_shipped = Maximum("shipped_on")
        first_seen = Minimum("seen_at")
        paid_share = Share("paid")
        large_share = Share("is_large", where=lambda o: o.status.is_not(None))
        noted_share = Share(lambda o: o.note != "(none)")
        pieces_each = Ratio("pieces", "orders")
        revenue_each = Ratio("revenue", "with_amount", where=lambda o: o.paid)
        revenue_per_piece = Ratio("revenue", "pieces")
        paid_part = Ratio("paid_revenue", "revenue", percent=True)
        load_per_piece = Ratio("load", "pieces")
        pieces_per_average = Ratio("pieces", "average_quantity")

        kind = Dimension()
        status = Dimension(
            labels={
                Status.NEW: "Open",
                Status.HELD: "Open",
                Status.SENT: "Away",
                Status.BACK: "back",
            }
        )
        priority = Dimension(order=["normal", "urgent"], labels={"later": "A later day"})
        paid = Dimension(labels={True: "Paid", False: "Unpaid"})
        amount = Dimension()
        quantity = Dimension()
        big = Dimension()
        weight = Dimension()
        note = Dimension(labels={"a": "Zed", "(none)": "The text (none)"}, order=["é", ""])
        ship_day = Dimension("shipped_on")
        billing_name = Dimension("billing_customer.name")
        billing_region = Dimension("billing_customer.region")
        billing_tier = Dimension("billing_customer.tier")
        billing_score = Dimension("billing_customer.score")
        shipping_region = Dimension("shipping_customer.region")
        referrer_region = Dimension("billing_customer.referrer.region")
        country = Dimension("billing_customer.country.name")
        shipping_country = Dimension("shipping_customer.country.name")
        large = Dimension("is_large", labels={True: "Large", False: "a small one"})
        gift_note = Dimension("gift.note")
        gift_region = Dimension("gift.billing_customer.region")
        placed = TimeDimension("placed_at")
        shipped = TimeDimension("shipped_on", granularity="day")
        local = TimeDimension("local_at", granularity="day", stored="America/New_York")
        seen = TimeDimension("seen_at", granularity="hour")
        noted = TimeDimension("noted_at", granularity="week")
        joined = TimeDimension("billing_customer.joined_at", granularity="year")

        rows = Records(
            *("kind", "status", "priority", "paid", "amount", "big", "weight", "note", "shipped"),
            *("billing_region", "country", "gift_note", "large", "placed", "local", "seen"),
        )


class GiftOrder(Order):
    """Inherits its vocabulary like any attribute, under its own name."""

    __mapper_args__: t.ClassVar = {"polymorphic_identity": "gift"}


class PickupOrder(Order):
    """Extends what it inherits."""

    __mapper_args__: t.ClassVar = {"polymorphic_identity": "pickup"}

    counter: orm.Mapped[str | None]

    class Janela(Order.Janela, name="pickups"):
        counters = CountDistinct("counter")
        counter = Dimension()


class Line(Fact):
    __tablename__ = "lines"

    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
    order_id: orm.Mapped[int] = orm.mapped_column(sa.ForeignKey(Order.id))
    number: orm.Mapped[int]


class Stock(Fact):
    """Two columns are its primary key."""

    __tablename__ = "stock"

    warehouse: orm.Mapped[str] = orm.mapped_column(EXACT, primary_key=True)
    sku: orm.Mapped[int] = orm.mapped_column(primary_key=True, autoincrement=False)
    level: orm.Mapped[int | None]
    checked_on: orm.Mapped[dt.date | None]
    supplier_id: orm.Mapped[int | None] = orm.mapped_column(sa.ForeignKey(Customer.id))

    supplier: orm.Mapped[Customer | None] = orm.relationship()
    moves: orm.Mapped[list[Move]] = orm.relationship()

    class Janela(Vocabulary):
        places = Count()
        level = Sum("level")
        average_level = Average("level", where=lambda s: s.sku > 1)
        empty_share = Share(lambda s: s.level <= 0)
        warehouses = CountDistinct("warehouse")
        last_checked = Maximum("checked_on")

        warehouse = Dimension()
        sku = Dimension()
        on_hand = Dimension("level")
        supplier_region = Dimension("supplier.region")
        supplier_country = Dimension("supplier.country.name")
        checked = TimeDimension("checked_on")

        rows = Records("warehouse", "sku", "on_hand", "supplier_region", "checked")


class Move(Fact):
    __tablename__ = "moves"
    __table_args__ = (sa.ForeignKeyConstraint(["warehouse", "sku"], [Stock.warehouse, Stock.sku]),)

    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
    warehouse: orm.Mapped[str] = orm.mapped_column(EXACT)
    sku: orm.Mapped[int]
    number: orm.Mapped[int]


MODELS: dict[str, type[t.Any]] = {
    "customers": Customer,
    "orders": Order,
    "gift_order": GiftOrder,
    "pickups": PickupOrder,
    "stock": Stock,
}


for table in Fact.metadata.tables.values():
    for reference in table.foreign_key_constraints:
        # Rows name others that are not there, as old ones do.
        reference.ddl_if(dialect="sqlite")


def create_app(week_start: str, url: str, *, made: bool = True) -> Flask:
    """One application over a database, whose tables are made unless they are there."""
    app = Flask(__name__)
    # Some scopes group by a key alone, which MySQL understands; MariaDB refuses it if asked to.
    app.config.from_mapping(
        TESTING=True,
        JANELA_WEEK_START=week_start,
        JANELA_STATEMENT_SECONDS=120,
        SQLALCHEMY_DATABASE_URI="sqlite://",
        SQLALCHEMY_BINDS={FACTS: bind(url, modes="")},
    )
    db.init_app(app)
    janela.init_app(app, db)
    with app.app_context():
        db.create_all("__all__" if made else None)
    return app


def fill(rows: World) -> None:
    """Replace everything in the database."""
    given = {
        "moves": rows.moves,
        "stock": rows.stock,
        "lines": rows.lines,
        "orders": rows.orders,
        "customers": rows.customers,
        "countries": rows.countries,
    }
    with db.engines[FACTS].begin() as connection:
        for name, each in given.items():
            table = Fact.metadata.tables[name]
            connection.execute(table.delete())
            if each:
                connection.execute(table.insert(), [dataclasses.asdict(row) for row in each])


@janela.timezone
def timezone(caller: Caller) -> str:
    return caller.zone
