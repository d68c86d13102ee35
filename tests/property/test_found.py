"""Questions that random ones were once answered wrong, with the few rows that it took."""

from __future__ import annotations

import datetime as dt
import typing as t

import pytest

from .checking import Apps, check
from .world import Caller, Case, Customer, Filter, Order, Question, Scope, Span, Stock, Tier, World

UTC = dt.UTC


def orders(*rows: dict[str, t.Any]) -> World:
    """A world of nothing but these orders."""
    return World(orders=tuple(Order(id=at, **row) for at, row in enumerate(rows, 1)))


def plain(key: str, written: t.Any, meant: t.Any = None) -> Filter:
    """A filter for one value."""
    dimension = key.rpartition(".")[2]
    return Filter(key, (written,), dimension, "", (written if meant is None else meant,))


def unknown_too(key: str) -> Filter:
    return Filter(f"{key}.null", ("1",), key.rpartition(".")[2], "null", (True,))


FEBRUARY = Span("month", dt.date(2024, 2, 1))
APRIL = Span("month", dt.date(2024, 4, 1))

FOUND = {
    "Other is not the null group when that alone is shown": (
        orders({"quantity": 3}, {"quantity": 4, "note": "b"}),
        Question("orders", "doubled", by="note", limit=1, order="value", other=True),
    ),
    "a second key over the same column narrows as well": (
        orders({"paid": True}),
        Question(
            "orders", "orders", filters=(plain("paid", True), plain("gift_order.paid", False))
        ),
    ),
    "a category over the column that time is split by": (
        orders({"shipped_on": dt.date(2025, 3, 30)}, {"shipped_on": dt.date(2025, 3, 31)}),
        Question(
            "orders",
            "orders",
            by="shipped",
            filters=(plain("ship_day", "2025-03-30", dt.date(2025, 3, 30)),),
        ),
    ),
    "the empty text stands where its label does, also beyond a limit": (
        World(stock=(Stock("", 1), Stock(" ", 1))),
        Question("stock", "places", by="warehouse", order="label", limit=1),
    ),
    "names of a plain enum tie as they are declared": (
        orders({"priority": "later"}, {"priority": "urgent"}, {"priority": "normal"}),
        Question("orders", "orders", by="priority", limit=2),
    ),
    "what all rows share stands beside the total": (
        orders({"note": "b", "quantity": 1}, {"note": "c", "quantity": 1}),
        Question("orders", "orders", by="note", companions=("quantity", "kind", "large")),
    ),
    "an enum that rows do not share does not": (
        World(
            customers=(
                Customer(1, tier=Tier.GOLD, region="north"),
                Customer(2, tier=Tier.GOLD),
                Customer(3, tier=Tier.SILVER),
            )
        ),
        Question("customers", "customers", by="region", companions=("tier",)),
    ),
    "times a tick apart are in order": (
        orders(
            {"seen_at": dt.datetime(2024, 12, 31, 18, 45, 0, 1, tzinfo=UTC)},
            {"seen_at": dt.datetime(2024, 12, 31, 18, 45, tzinfo=UTC), "note": "b"},
        ),
        Question("orders", "first_seen", by="note"),
    ),
    "a month or unknown, by day": (
        orders({"seen_at": dt.datetime(2024, 4, 3, tzinfo=UTC)}, {}),
        Question(
            "orders",
            "orders",
            by="seen",
            granularity="day",
            filters=(plain("seen", "2024-04", APRIL), unknown_too("seen")),
        ),
    ),
    "an interval of which two filters together leave nothing": (
        World(),
        Question(
            "orders",
            "orders",
            by="shipped",
            granularity="quarter",
            filters=(
                Filter("shipped.not", ("2024-04",), "shipped", "not", (APRIL,)),
                Filter("shipped.gte", ("2024-02",), "shipped", "gte", (FEBRUARY,)),
                Filter("shipped.lte", ("2024-04",), "shipped", "lte", (APRIL,)),
            ),
        ),
    ),
}


@pytest.mark.parametrize(("world", "question"), FOUND.values(), ids=FOUND)
def test_an_answer_that_was_wrong(apps: Apps, world: World, question: Question) -> None:
    """It is right now."""
    caller = Caller("Asia/Kathmandu", Scope())
    check(apps, [Case(world, caller, "monday", dt.datetime(2025, 1, 1, tzinfo=UTC), question)])
