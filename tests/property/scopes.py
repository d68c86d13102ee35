"""The many ways in which a host writes its scope, each narrowing by the caller's two numbers."""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import typing as t

import sqlalchemy as sa
import sqlalchemy.orm as orm

from . import world
from .models import FACTS, Customer, Line, Move, Stock, db, janela
from .world import Caller


@janela.scope
def scope(model: type[t.Any], caller: Caller) -> t.Any:
    """The rows a caller may read, written as the caller's shape of scope says."""
    return SHAPES[caller.scope.shape](_Parts.of(model), caller.scope)


@dataclasses.dataclass(frozen=True)
class _Parts:
    """What the shapes are written with: a number of the model, related records, its key."""

    model: type[t.Any]
    size: t.Any
    many: t.Any
    number: t.Any
    one: t.Any
    key: tuple[t.Any, ...]

    @classmethod
    def of(cls, model: type[t.Any]) -> _Parts:
        key = tuple(sa.inspect(model).primary_key)
        if issubclass(model, Customer):
            return cls(model, model.score, model.supplies, Stock.level, model.referrer, key)
        if issubclass(model, Stock):
            return cls(model, model.level, model.moves, Move.number, model.supplier, key)
        return cls(model, model.quantity, model.lines, Line.number, model.billing_customer, key)


Shape = cabc.Callable[[_Parts, world.Scope], t.Any]


def _everything(p: _Parts, s: world.Scope) -> t.Any:
    return sa.select(p.model)


def _nothing(p: _Parts, s: world.Scope) -> t.Any:
    return sa.select(p.model).where(sa.false())


def _where(p: _Parts, s: world.Scope) -> t.Any:
    return sa.select(p.model).where(p.size >= s.low).where(p.size <= s.high)


def _either(p: _Parts, s: world.Scope) -> t.Any:
    return sa.select(p.model).where(p.size.is_(None) | (p.size < s.low)).order_by(p.size)


def _text(p: _Parts, s: world.Scope) -> t.Any:
    column = "sku" if p.model is Stock else "id"
    return sa.select(p.model).where(sa.text(f"{column} >= :low").bindparams(low=s.low))


def _any(p: _Parts, s: world.Scope) -> t.Any:
    return sa.select(p.model).where(p.many.any(p.number >= s.low))


def _joined_to_many(p: _Parts, s: world.Scope) -> t.Any:
    return sa.select(p.model).join(p.many).where(p.number >= s.low)


def _joined_to_one(p: _Parts, s: world.Scope) -> t.Any:
    if p.model is Customer:
        referrer = orm.aliased(Customer)
        return sa.select(Customer).join(p.one.of_type(referrer)).where(referrer.score >= s.low)
    return sa.select(p.model).join(p.one).where(Customer.score >= s.low)


def _implicit_join(p: _Parts, s: world.Scope) -> t.Any:
    related = {Customer: Stock.supplier_id, Stock: Move.warehouse}
    other = related.get(p.model, Line.order_id)
    return sa.select(p.model).where(p.key[0] == other, p.number >= s.low)


def _distinct(p: _Parts, s: world.Scope) -> t.Any:
    return sa.select(p.model).outerjoin(p.many).where(p.size >= s.low).distinct()


def _eager(p: _Parts, s: world.Scope) -> t.Any:
    eager = sa.select(p.model).options(orm.joinedload(p.many), orm.joinedload(p.one))
    return eager.where(p.size >= s.low)


def _selected_from(p: _Parts, s: world.Scope) -> t.Any:
    joined = orm.join(p.model, p.number.class_, p.many, isouter=True)
    return sa.select(p.model).select_from(joined)


def _limited(p: _Parts, s: world.Scope) -> t.Any:
    ordered = sa.select(p.model).order_by(*(column.desc() for column in p.key))
    return ordered.offset(max(s.low, 0)).limit(s.high)


def _grouped(p: _Parts, s: world.Scope) -> t.Any:
    # That a key decides all the rest of its row is not known to these.
    engine = db.engines[FACTS].dialect.name
    by = sa.inspect(p.model).columns if engine in {"duckdb", "hive"} else p.key
    joined = sa.select(p.model).join(p.many).group_by(*by)
    return joined.having(sa.func.count() >= s.low)


def _union(p: _Parts, s: world.Scope) -> t.Any:
    low, high = sa.select(p.model).where(p.size <= s.low), sa.select(p.model).where(p.size > s.high)
    return sa.union(low, high)


def _union_all(p: _Parts, s: world.Scope) -> t.Any:
    low, high = sa.select(p.model).where(p.size <= s.low), sa.select(p.model).where(p.size > s.high)
    return low.union_all(high)


def _except(p: _Parts, s: world.Scope) -> t.Any:
    return sa.except_(sa.select(p.model), sa.select(p.model).where(p.size >= s.low))


def _aliased_union(p: _Parts, s: world.Scope) -> t.Any:
    ids = sa.select(*p.key).where(p.size <= s.low).union(sa.select(*p.key).where(p.size > s.high))
    found = ids.subquery()
    return sa.select(p.model).join(
        found, sa.and_(*(a == b for a, b in zip(p.key, found.c, strict=True)))
    )


def _largest(p: _Parts, s: world.Scope) -> t.Any:
    again = orm.aliased(p.model)
    size = getattr(again, p.size.key)
    return sa.select(p.model).where(p.size == sa.select(sa.func.max(size)).scalar_subquery())


def _legacy(p: _Parts, s: world.Scope) -> t.Any:
    return db.session.query(p.model).filter(p.size >= s.low)


def _legacy_joined(p: _Parts, s: world.Scope) -> t.Any:
    return db.session.query(p.model).join(p.many).filter(p.number >= s.low)


def _legacy_union(p: _Parts, s: world.Scope) -> t.Any:
    low = db.session.query(p.model).filter(p.size <= s.low)
    return low.union(db.session.query(p.model).filter(p.size > s.high))


SHAPES: dict[str, Shape] = {
    "all": _everything,
    "none": _nothing,
    "where": _where,
    "either": _either,
    "text": _text,
    "any": _any,
    "joined to many": _joined_to_many,
    "joined to one": _joined_to_one,
    "implicit join": _implicit_join,
    "distinct": _distinct,
    "eager": _eager,
    "selected from": _selected_from,
    "limited": _limited,
    "grouped": _grouped,
    "union": _union,
    "union all": _union_all,
    "except": _except,
    "aliased union": _aliased_union,
    "largest": _largest,
    "legacy": _legacy,
    "legacy joined": _legacy_joined,
    "legacy union": _legacy_union,
}
