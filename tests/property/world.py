"""The rows of one drawn database as plain data, and what is asked of them.

Nothing here knows SQLAlchemy or Janela: the oracle reads these, the models are filled from them.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import decimal
import enum
import typing as t


class Tier(enum.StrEnum):
    """Neither the names nor the values are declared in their alphabetical order."""

    GOLD = "g"
    BASIC = "z"
    SILVER = "a"


class Status(enum.Enum):
    NEW = "zeta"
    HELD = "beta"
    SENT = "alpha"
    BACK = "gamma"


PRIORITIES = ("urgent", "later", "normal")


@dataclasses.dataclass(frozen=True)
class Country:
    id: int
    name: str | None = None


@dataclasses.dataclass(frozen=True)
class Customer:
    id: int
    name: str = "Ana"
    region: str | None = None
    tier: Tier | None = None
    score: int | None = None
    joined_at: dt.datetime | None = None
    country_id: int | None = None
    referrer_id: int | None = None
    deleted_at: dt.datetime | None = None


@dataclasses.dataclass(frozen=True)
class Order:
    """``kind`` is order, gift or pickup; ``counter`` is only known of a pickup."""

    id: int
    kind: str = "order"
    billing_customer_id: int | None = None
    shipping_customer_id: int | None = None
    gift_id: int | None = None
    status: Status | None = None
    priority: str | None = None
    paid: bool | None = None
    amount: decimal.Decimal | None = None
    rate: decimal.Decimal | None = None
    quantity: int | None = None
    big: int | None = None
    weight: float | None = None
    note: str | None = None
    counter: str | None = None
    placed_at: dt.datetime | None = None
    shipped_on: dt.date | None = None
    local_at: dt.datetime | None = None
    seen_at: dt.datetime | None = None
    noted_at: dt.datetime | None = None
    deleted_at: dt.datetime | None = None


@dataclasses.dataclass(frozen=True)
class Line:
    id: int
    order_id: int
    number: int


@dataclasses.dataclass(frozen=True)
class Stock:
    warehouse: str
    sku: int
    level: int | None = None
    checked_on: dt.date | None = None
    supplier_id: int | None = None


@dataclasses.dataclass(frozen=True)
class Move:
    id: int
    warehouse: str
    sku: int
    number: int


@dataclasses.dataclass(frozen=True)
class World:
    """Every row there is, the deleted ones too."""

    countries: tuple[Country, ...] = ()
    customers: tuple[Customer, ...] = ()
    orders: tuple[Order, ...] = ()
    lines: tuple[Line, ...] = ()
    stock: tuple[Stock, ...] = ()
    moves: tuple[Move, ...] = ()

    def country(self, id_: int | None) -> Country | None:
        return next((c for c in self.countries if c.id == id_), None)

    def customer(self, id_: int | None) -> Customer | None:
        """The customer, unless there is none of that number or they are deleted."""
        return next((c for c in self.customers if c.id == id_ and c.deleted_at is None), None)

    def gift(self, id_: int | None) -> Order | None:
        """The gift of that number; an order of another kind is none."""
        found = (o for o in self.orders if o.kind == "gift" and o.deleted_at is None)
        return next((o for o in found if o.id == id_), None)


@dataclasses.dataclass(frozen=True)
class Scope:
    """One way a host may write which rows a caller reads; ``low`` and ``high`` are its numbers."""

    shape: str = "all"
    low: int = 0
    high: int = 0


@dataclasses.dataclass(frozen=True)
class Caller:
    zone: str
    scope: Scope


@dataclasses.dataclass(frozen=True)
class Span:
    """A time as a filter names it: a whole ``day``, ``month`` or ``year``, or a ``moment``.

    A moment without a zone is what the report zone's clocks show.
    """

    of: t.Literal["day", "month", "year", "moment"]
    start: dt.date


@dataclasses.dataclass(frozen=True)
class Filter:
    """A filter as it is written, and what that means.

    ``dimension`` is the one of the asked model that it reaches; None when there is no such one.
    """

    key: str
    written: tuple[t.Any, ...]
    dimension: str | None
    operator: str
    meant: tuple[t.Any, ...]


@dataclasses.dataclass(frozen=True)
class Question:
    model: str
    measure: str
    by: str | None = None
    granularity: str | None = None
    filters: tuple[Filter, ...] = ()
    limit: int | None = None
    other: bool = False
    order: str | None = None
    companions: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class Case:
    world: World
    caller: Caller
    week_start: str
    now: dt.datetime
    question: Question
