"""A host of two tenants, in which everything that one of them has is told apart from the other's.

No label, number, id or name of one tenant occurs in what the other may see, so that one look for
any of them in an answer says whether something got through.
"""

from __future__ import annotations

import collections.abc as cabc
import contextlib
import dataclasses
import datetime as dt
import decimal
import typing as t

import flask
import flask_login
import sqlalchemy as sa
from flask_sqlalchemy import SQLAlchemy
from hosts import Host, Person, host
from sqlalchemy.orm import Mapped, mapped_column, relationship
from werkzeug.test import TestResponse

from flask_janela import (
    Average,
    Count,
    Dimension,
    Frame,
    Pane,
    Records,
    Sum,
    TimeDimension,
    Vocabulary,
)
from flask_janela.frames import Favourite
from flask_janela.roster import ToolCall

NOW = dt.datetime(2024, 6, 15, 12, tzinfo=dt.UTC)

Role = t.Literal["nobody", "other", "viewer", "analyst", "lead"]
ROLES: tuple[Role, ...] = t.get_args(Role)
"""Who asks: nobody, an analyst of the other tenant, and three people of the tenant's own."""

MAY = {
    "viewer": {"view"},
    "analyst": {"view", "arrange", "export"},
    "lead": {"view", "arrange", "export", "roster"},
}


@dataclasses.dataclass
class Member(Person):
    """Somebody of one tenant."""

    tenant: str = "north"
    role: str = "analyst"


PEOPLE = {
    "other": Member("other", "Sue Southern", tenant="south"),
    "viewer": Member("viewer", "Vic Viewer", role="viewer"),
    "analyst": Member("analyst", "Nora Northern"),
    "lead": Member("lead", "Lea Leading", role="lead"),
}

REGIONS = {"north": ("Northmoor", "Norwick"), "south": ("Southmoor", "Sudwick")}
PRODUCTS = {"north": ("Nettle", "Nutmeg", "Narcissus"), "south": ("Saffron", "Sorrel", "Sage")}
AMOUNTS = {
    "north": ("7131.07", "7132.19", "7133.31", "7134.43"),
    "south": ("8241.03", "8242.17", "8243.29", "8244.41"),
}
FRAME = {"north": 710_001, "south": 820_001}
PANES = {"north": tuple(range(711_001, 711_005)), "south": tuple(range(822_001, 822_005))}
ORDERS = {"north": 7_150_001, "south": 8_250_001}
NAMES = {"north": "Norrland sales", "south": "Sudland sales"}
WORDS = {"north": "What Nordheim sells", "south": "What Sudheim sells"}


def define(db: SQLAlchemy) -> dict[str, t.Any]:
    class Product(db.Model):  # type: ignore[name-defined,misc]
        __tablename__ = "products"
        id: Mapped[int] = mapped_column(primary_key=True)
        name: Mapped[str]

    class Order(db.Model):  # type: ignore[name-defined,misc]
        __tablename__ = "orders"
        id: Mapped[int] = mapped_column(primary_key=True)
        tenant: Mapped[str]
        region: Mapped[str | None]
        product_id: Mapped[int | None] = mapped_column(sa.ForeignKey("products.id"))
        amount: Mapped[t.Any] = mapped_column(sa.Numeric(10, 2))
        weight: Mapped[float | None]
        quantity: Mapped[int | None]
        paid: Mapped[bool | None]
        placed_at: Mapped[dt.datetime | None]
        product: Mapped[Product | None] = relationship()

        class Janela(Vocabulary):
            orders = Count()
            revenue = Sum("amount", currency="EUR")
            weight = Average("weight", suffix=" kg")
            hushed = Sum("amount", visible_to=lambda caller: caller.role == "lead")
            unsaid = Sum("amount", agents=False)

            region = Dimension()
            product = Dimension("product.name")
            pieces = Dimension("quantity")
            paid = Dimension("paid")
            placed = TimeDimension("placed_at")

            rows = Records("placed", "region", "product", "amount", "weight", "quantity", "paid")

    class Visit(db.Model):  # type: ignore[name-defined,misc]
        __tablename__ = "visits"
        id: Mapped[int] = mapped_column(primary_key=True)
        tenant: Mapped[str]
        region: Mapped[str | None]
        day: Mapped[dt.date | None]

        class Janela(Vocabulary):
            visits = Count()
            region = Dimension()
            day = TimeDimension("day", granularity="day")

    return {"Product": Product, "Order": Order, "Visit": Visit}


@contextlib.contextmanager
def tenants(**config: t.Any) -> cabc.Iterator[Host]:
    """The host with the rows and one frame of each tenant, and a scope that parts them."""
    config.setdefault("JANELA_RENDER_SECONDS", 60)
    config.setdefault("JANELA_RECORDER", "off")
    with host(define, scoped=False, **config) as made:
        made.people.update(PEOPLE)
        made.app.test_client_class = flask_login.FlaskLoginClient
        made.app.extensions["janela"].now = lambda: NOW

        @made.janela.scope
        def scope(model: t.Any, caller: Member) -> t.Any:
            if model in (made.models.Order, made.models.Visit):
                return sa.select(model).where(model.tenant == caller.tenant)
            if model is ToolCall:
                own = [f"user:{each.id}" for each in PEOPLE.values() if _together(each, caller)]
                return sa.select(ToolCall).where(ToolCall.caller.in_(own))
            return sa.select(model).where(model.owner_id == caller.tenant)

        @made.janela.permission
        def may(caller: Member, action: str, subject: t.Any = None) -> bool:
            return action in MAY[caller.role]

        made.janela.owner(lambda caller: ("tenant", caller.tenant))
        for tenant in REGIONS:
            _fill(made, tenant)
        yield made


def _together(one: Member, other: Member) -> bool:
    return one.tenant == other.tenant


def _fill(made: Host, tenant: str) -> None:
    models = made.models
    first = ORDERS[tenant]
    products = [
        models.Product(id=first + at, name=name) for at, name in enumerate(PRODUCTS[tenant])
    ]
    made.add(*products)
    made.add(
        *(
            models.Order(
                id=first + at,
                tenant=tenant,
                region=[*REGIONS[tenant], None][at % 3],
                product_id=[*(each.id for each in products), None][at % 4],
                amount=decimal.Decimal(amount),
                weight=None if at == 2 else at + 0.5,
                quantity=None if at == 1 else at,
                paid=[True, False, None][at % 3],
                placed_at=None if at == 3 else dt.datetime(2024, 1 + at, 3, 4, 5),
            )
            for at, amount in enumerate(AMOUNTS[tenant])
        ),
        models.Visit(tenant=tenant, region=REGIONS[tenant][0], day=dt.date(2024, 2, 29)),
    )
    made.add(
        Frame(
            id=FRAME[tenant],
            key="sales",
            name=NAMES[tenant],
            description=WORDS[tenant],
            owner_type="tenant",
            owner_id=tenant,
        )
    )
    region = {"region": [REGIONS[tenant][0]]}
    options: tuple[dict[str, t.Any], ...] = (
        {"measure": "revenue", "dimension": "region", "title": f"{NAMES[tenant]} by region"},
        {"measure": "revenue", "dimension": "placed"},
        {"measure": "orders", "dimension": "product", "renderer": "table", "filters": region},
        {"kind": "text", "heading": WORDS[tenant], "body": WORDS[tenant]},
    )
    made.add(
        *(
            Pane(
                id=id_,
                frame_id=FRAME[tenant],
                position=at,
                **({"model": "orders"} if "measure" in each else {}),
                **each,
            )
            for at, (id_, each) in enumerate(zip(PANES[tenant], options, strict=True), 1)
        )
    )


def ask(made: Host, role: str, method: str, address: str, **more: t.Any) -> TestResponse:
    """One request of somebody's, with nobody remembered from the one before."""
    flask.g.pop("_login_user", None)
    user = PEOPLE.get(role)
    browser = made.app.test_client(**({} if user is None else {"user": user}))
    answer = browser.open(address, method=method, buffered=True, **more)
    answer.get_data()
    made.db.session.rollback()
    return answer


def secrets_of(tenant: str) -> frozenset[str]:
    """Every text by which something of a tenant's would be known in an answer."""
    amounts = [decimal.Decimal(each) for each in AMOUNTS[tenant]]
    sums = {
        sum(some, decimal.Decimal())
        for size in range(1, 16)
        for some in [[a for at, a in enumerate(amounts) if size >> at & 1]]
    }
    return frozenset(
        {
            *REGIONS[tenant],
            *PRODUCTS[tenant],
            NAMES[tenant],
            WORDS[tenant],
            str(FRAME[tenant]),
            *map(str, PANES[tenant]),
            *(str(ORDERS[tenant] + at) for at in range(4)),
            *(f"{each:,.2f}" for each in sums),
            *(f"{each:.2f}" for each in sums),
            *(person.name for person in PEOPLE.values() if person.tenant == tenant),
        }
    )


def leaks(answer: TestResponse, tenant: str) -> list[str]:
    """What of a tenant's stands in an answer, its headers among it."""
    said = f"{answer.status}\n{answer.headers}\n{answer.get_data(as_text=True)}"
    return sorted(secret for secret in secrets_of(tenant) if secret in said)


@dataclasses.dataclass(frozen=True, repr=False)
class Kept:
    """Every row of frames, panes and stars as it was, to be compared with and put back."""

    rows: tuple[tuple[sa.Table, tuple[tuple[t.Any, ...], ...]], ...]

    @classmethod
    def of(cls, made: Host) -> Kept:
        made.db.session.rollback()
        tables = [t.cast("sa.Table", each.__table__) for each in (Frame, Pane, Favourite)]
        return cls(
            tuple(
                (table, tuple(map(tuple, made.db.session.execute(_in_order(table)))))
                for table in tables
            )
        )

    def put_back(self, made: Host) -> None:
        session = made.db.session
        session.rollback()
        for table, _ in reversed(self.rows):
            session.execute(sa.delete(table))
        for table, rows in self.rows:
            if rows:
                names = [column.name for column in table.columns]
                given = [dict(zip(names, row, strict=True)) for row in rows]
                session.execute(sa.insert(table), given)
        session.commit()
        session.expunge_all()


def _in_order(table: sa.Table) -> sa.Select[t.Any]:
    return sa.select(table).order_by(*table.primary_key)
