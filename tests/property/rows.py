"""Which rows of a model a scope returns, by loops."""

from __future__ import annotations

import collections.abc as cabc
import typing as t

from .declared import more
from .world import Order, Scope, Stock, World


def scoped(world: World, model: str, scope: Scope) -> list[t.Any]:
    """The rows of a model that the scope returns, each once, without the deleted ones."""
    rows = [row for row in every(world, model) if getattr(row, "deleted_at", None) is None]
    low, high = scope.low, scope.high
    match scope.shape:
        case "all" | "selected from":
            return rows
        case "none":
            return []
        case "where":
            return [r for r in rows if (n := _size(r)) is not None and low <= n <= high]
        case "either" | "except":
            return [r for r in rows if (n := _size(r)) is None or n < low]
        case "text":
            return [r for r in rows if (r.sku if model == "stock" else r.id) >= low]
        case "any" | "joined to many" | "legacy joined":
            return [r for r in rows if any(n is not None and n >= low for n in _many(world, r))]
        case "joined to one":
            return [r for r in rows if more(_score_of_one(world, r), low - 1)]
        case "implicit join":
            if model == "stock":
                return [
                    r
                    for r in rows
                    if any(m.warehouse == r.warehouse and m.number >= low for m in world.moves)
                ]
            return [r for r in rows if any(n is not None and n >= low for n in _many(world, r))]
        case "distinct" | "eager" | "legacy":
            return [r for r in rows if (n := _size(r)) is not None and n >= low]
        case "limited":
            return sorted(rows, key=key_of_row, reverse=True)[max(low, 0) :][:high]
        case "grouped":
            return [r for r in rows if (n := len(_many(world, r))) and n >= low]
        case "union" | "union all" | "aliased union" | "legacy union":
            return [r for r in rows if (n := _size(r)) is not None and (n <= low or n > high)]
        case "largest":
            largest = max((n for r in rows if (n := _size(r)) is not None), default=None)
            return [r for r in rows if largest is not None and _size(r) == largest]
    raise AssertionError(scope.shape)


def every(world: World, model: str) -> cabc.Sequence[t.Any]:
    """The rows of a model, the deleted ones too."""
    match model:
        case "customers":
            return world.customers
        case "stock":
            return world.stock
        case "gift_order":
            return [order for order in world.orders if order.kind == "gift"]
        case "pickups":
            return [order for order in world.orders if order.kind == "pickup"]
    return world.orders


def key_of_row(row: t.Any) -> t.Any:
    return (row.warehouse, row.sku) if isinstance(row, Stock) else row.id


def _size(row: t.Any) -> int | None:
    if isinstance(row, Order):
        return row.quantity
    return row.level if isinstance(row, Stock) else row.score


def _many(world: World, row: t.Any) -> list[int | None]:
    """The numbers of the records to which this row is one."""
    if isinstance(row, Order):
        return [line.number for line in world.lines if line.order_id == row.id]
    if isinstance(row, Stock):
        return [
            move.number for move in world.moves if (move.warehouse, move.sku) == key_of_row(row)
        ]
    return [stock.level for stock in world.stock if stock.supplier_id == row.id]


def _score_of_one(world: World, row: t.Any) -> int | None:
    if isinstance(row, Order):
        one = world.customer(row.billing_customer_id)
    elif isinstance(row, Stock):
        one = world.customer(row.supplier_id)
    else:
        one = world.customer(row.referrer_id)
    return one.score if one else None
