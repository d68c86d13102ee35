"""The vocabularies of ``models`` once more, as functions of plain rows."""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import decimal
import typing as t

from .world import PRIORITIES, Order, Status, Stock, Tier, World

ZERO = decimal.Decimal(0)


class Rough(decimal.Decimal):
    """A decimal that a database without decimals works out in doubles: right to the cent."""


@dataclasses.dataclass(frozen=True)
class Measure:
    """``value`` of a row, None where unknown; only rows where ``where`` is True count."""

    kind: str
    value: cabc.Callable[[t.Any], t.Any] = lambda row: 1
    where: cabc.Callable[[t.Any], bool | None] = lambda row: True
    parts: tuple[str, ...] = ()
    zero: t.Any = 0
    is_rough: bool = False


@dataclasses.dataclass(frozen=True)
class Dimension:
    """``key`` of a row in its world; ``kind`` is that of the key, or ``instant`` or ``naive``."""

    kind: str
    key: cabc.Callable[[World, t.Any], t.Any]
    labels: cabc.Mapping[t.Any, str] = dataclasses.field(default_factory=dict)
    order: tuple[t.Any, ...] = ()
    members: tuple[t.Any, ...] = ()
    granularity: str = "month"
    stored: str = "UTC"

    @property
    def is_time(self) -> bool:
        return self.kind in {"day", "naive", "instant"}


@dataclasses.dataclass(frozen=True)
class Vocabulary:
    measures: cabc.Mapping[str, Measure]
    dimensions: cabc.Mapping[str, Dimension]


def more(value: t.Any, than: t.Any) -> bool | None:
    return None if value is None else value > than


def differs(value: t.Any, other: t.Any) -> bool | None:
    return None if value is None else value != other


def plus(value: int | None, f: cabc.Callable[[int], t.Any]) -> t.Any:
    return None if value is None else f(value)


def times(a: t.Any, b: t.Any) -> t.Any:
    return None if a is None or b is None else a * b


ORDER_MEASURES = {
    "orders": Measure("count"),
    "with_amount": Measure("count", lambda o: o.amount),
    "with_note": Measure("count", lambda o: o.note, lambda o: o.paid),
    "large_orders": Measure("count", where=lambda o: more(o.quantity, 3)),
    "not_new": Measure("count", where=lambda o: differs(o.status, Status.NEW)),
    "billed": Measure("distinct", lambda o: o.billing_customer_id),
    "notes": Measure("distinct", lambda o: o.note),
    "statuses": Measure("distinct", lambda o: o.status),
    "amounts": Measure("distinct", lambda o: o.amount, lambda o: plus(o.quantity, lambda q: q < 5)),
    "ship_days": Measure("distinct", lambda o: o.shipped_on),
    "revenue": Measure("sum", lambda o: o.amount, zero=ZERO),
    "paid_revenue": Measure("sum", lambda o: o.amount, lambda o: o.paid is True, zero=ZERO),
    "pieces": Measure("sum", lambda o: o.quantity),
    "short": Measure(
        "sum", lambda o: plus(o.quantity, lambda q: 10 - q), lambda o: differs(o.note, "")
    ),
    "doubled": Measure("sum", lambda o: plus(o.quantity, lambda q: q * 2 + 1)),
    "turnover": Measure("sum", lambda o: times(o.amount, o.quantity), zero=ZERO, is_rough=True),
    "rates": Measure("sum", lambda o: o.rate, zero=ZERO),
    "total_big": Measure("sum", lambda o: o.big),
    "load": Measure("sum", lambda o: o.weight, zero=0.0),
    "average_amount": Measure("average", lambda o: o.amount),
    "average_quantity": Measure("average", lambda o: o.quantity, lambda o: o.paid is False),
    "average_rate": Measure("average", lambda o: o.rate, lambda o: o.kind != "gift"),
    "average_big": Measure("average", lambda o: o.big),
    "average_weight": Measure("average", lambda o: o.weight),
    "smallest_amount": Measure("minimum", lambda o: o.amount),
    "largest_amount": Measure("maximum", lambda o: o.amount, lambda o: more(o.weight, 0)),
    "smallest_quantity": Measure("minimum", lambda o: o.quantity),
    "largest_big": Measure("maximum", lambda o: o.big),
    "lightest": Measure("minimum", lambda o: o.weight),
    "first_placed": Measure("minimum", lambda o: o.placed_at),
    "last_placed": Measure("maximum", lambda o: o.placed_at, lambda o: o.paid),
    "last_shipped": Measure("maximum", lambda o: o.shipped_on),
    "first_seen": Measure("minimum", lambda o: o.seen_at),
    "paid_share": Measure("share", lambda o: o.paid),
    "large_share": Measure("share", lambda o: more(o.quantity, 3), lambda o: o.status is not None),
    "noted_share": Measure("share", lambda o: differs(o.note, "(none)")),
    "pieces_each": Measure("ratio", parts=("pieces", "orders")),
    "revenue_each": Measure("ratio", parts=("revenue", "with_amount"), where=lambda o: o.paid),
    "revenue_per_piece": Measure("ratio", parts=("revenue", "pieces")),
    "paid_part": Measure("ratio", parts=("paid_revenue", "revenue")),
    "load_per_piece": Measure("ratio", parts=("load", "pieces")),
    "pieces_per_average": Measure("ratio", parts=("pieces", "average_quantity")),
}


def of_billing(attribute: str) -> cabc.Callable[[World, Order], t.Any]:
    return lambda w, o: getattr(w.customer(o.billing_customer_id), attribute, None)


def of_shipping(attribute: str) -> cabc.Callable[[World, Order], t.Any]:
    return lambda w, o: getattr(w.customer(o.shipping_customer_id), attribute, None)


def of_supplier(attribute: str) -> cabc.Callable[[World, Stock], t.Any]:
    return lambda w, s: getattr(w.customer(s.supplier_id), attribute, None)


def country_of(world: World, customer_id: int | None) -> str | None:
    customer = world.customer(customer_id)
    country = world.country(customer.country_id) if customer else None
    return country.name if country else None


def referrer_region(world: World, customer_id: int | None) -> str | None:
    customer = world.customer(customer_id)
    referrer = world.customer(customer.referrer_id) if customer else None
    return referrer.region if referrer else None


def region_of_gift(world: World, order: Order) -> str | None:
    gift = world.gift(order.gift_id)
    customer = world.customer(gift.billing_customer_id) if gift else None
    return customer.region if customer else None


TIERS = tuple(Tier)

ORDER_DIMENSIONS = {
    "kind": Dimension("text", lambda w, o: o.kind),
    "status": Dimension(
        "enum",
        lambda w, o: o.status,
        labels={
            Status.NEW: "Open",
            Status.HELD: "Open",
            Status.SENT: "Away",
            Status.BACK: "back",
        },
        members=tuple(Status),
    ),
    "priority": Dimension(
        "enum",
        lambda w, o: o.priority,
        labels={"later": "A later day", "urgent": "urgent", "normal": "normal"},
        order=("normal", "urgent"),
        members=PRIORITIES,
    ),
    "paid": Dimension("boolean", lambda w, o: o.paid, labels={True: "Paid", False: "Unpaid"}),
    "amount": Dimension("decimal", lambda w, o: o.amount),
    "quantity": Dimension("integer", lambda w, o: o.quantity),
    "big": Dimension("integer", lambda w, o: o.big),
    "weight": Dimension("float", lambda w, o: o.weight),
    "note": Dimension(
        "text",
        lambda w, o: o.note,
        labels={"a": "Zed", "(none)": "The text (none)"},
        order=("é", ""),
    ),
    "ship_day": Dimension("date", lambda w, o: o.shipped_on),
    "billing_name": Dimension("text", of_billing("name")),
    "billing_region": Dimension("text", of_billing("region")),
    "billing_tier": Dimension(
        "enum",
        of_billing("tier"),
        labels={tier: tier.name.capitalize() for tier in TIERS},
        members=TIERS,
    ),
    "billing_score": Dimension("integer", of_billing("score")),
    "shipping_region": Dimension("text", of_shipping("region")),
    "referrer_region": Dimension("text", lambda w, o: referrer_region(w, o.billing_customer_id)),
    "country": Dimension("text", lambda w, o: country_of(w, o.billing_customer_id)),
    "shipping_country": Dimension("text", lambda w, o: country_of(w, o.shipping_customer_id)),
    "large": Dimension(
        "boolean", lambda w, o: more(o.quantity, 3), labels={True: "Large", False: "a small one"}
    ),
    "gift_note": Dimension("text", lambda w, o: getattr(w.gift(o.gift_id), "note", None)),
    "gift_region": Dimension("text", region_of_gift),
    "placed": Dimension("naive", lambda w, o: o.placed_at),
    "shipped": Dimension("day", lambda w, o: o.shipped_on, granularity="day"),
    "local": Dimension(
        "naive", lambda w, o: o.local_at, granularity="day", stored="America/New_York"
    ),
    "seen": Dimension("instant", lambda w, o: o.seen_at, granularity="hour"),
    "noted": Dimension("instant", lambda w, o: o.noted_at, granularity="week"),
    "joined": Dimension("naive", of_billing("joined_at"), granularity="year"),
}

ORDERS = Vocabulary(ORDER_MEASURES, ORDER_DIMENSIONS)

VOCABULARIES = {
    "orders": ORDERS,
    "gift_order": ORDERS,
    "pickups": Vocabulary(
        ORDER_MEASURES | {"counters": Measure("distinct", lambda o: o.counter)},
        ORDER_DIMENSIONS | {"counter": Dimension("text", lambda w, o: o.counter)},
    ),
    "customers": Vocabulary(
        {
            "customers": Measure("count"),
            "countries": Measure("distinct", lambda c: c.country_id),
            "regions": Measure(
                "distinct", lambda c: c.region, lambda c: differs(c.tier, Tier.BASIC)
            ),
            "score": Measure("sum", lambda c: c.score),
            "average_score": Measure("average", lambda c: c.score, lambda c: c.region is not None),
            "best_score": Measure("maximum", lambda c: c.score),
            "first_joined": Measure("minimum", lambda c: c.joined_at),
            "score_each": Measure("ratio", parts=("score", "customers")),
        },
        {
            "name": Dimension("text", lambda w, c: c.name),
            "region": Dimension("text", lambda w, c: c.region),
            "tier": Dimension(
                "enum",
                lambda w, c: c.tier,
                labels={tier: tier.name.capitalize() for tier in TIERS},
                members=TIERS,
            ),
            "points": Dimension("integer", lambda w, c: c.score),
            "country": Dimension("text", lambda w, c: country_of(w, c.id)),
            "referrer_region": Dimension("text", lambda w, c: referrer_region(w, c.id)),
            "referrer_country": Dimension("text", lambda w, c: country_of(w, c.referrer_id)),
            "joined": Dimension("naive", lambda w, c: c.joined_at, granularity="year"),
        },
    ),
    "stock": Vocabulary(
        {
            "places": Measure("count"),
            "level": Measure("sum", lambda s: s.level),
            "average_level": Measure("average", lambda s: s.level, lambda s: s.sku > 1),
            "empty_share": Measure("share", lambda s: plus(s.level, lambda level: level <= 0)),
            "warehouses": Measure("distinct", lambda s: s.warehouse),
            "last_checked": Measure("maximum", lambda s: s.checked_on),
        },
        {
            "warehouse": Dimension("text", lambda w, s: s.warehouse),
            "sku": Dimension("integer", lambda w, s: s.sku),
            "on_hand": Dimension("integer", lambda w, s: s.level),
            "supplier_region": Dimension("text", of_supplier("region")),
            "supplier_country": Dimension("text", lambda w, s: country_of(w, s.supplier_id)),
            "checked": Dimension("day", lambda w, s: s.checked_on),
        },
    ),
}
