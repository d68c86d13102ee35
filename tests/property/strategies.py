"""Draws of cases: a database, a caller, and a question with filters written in many ways.

As for rows, all of a question follows from one number, and Hypothesis draws which of its parts
are kept: so questions are spread evenly, and a failing one shrinks by losing parts.
"""

from __future__ import annotations

import collections.abc as cabc
import datetime as dt
import enum
import functools
import random
import typing as t
import zoneinfo

from hypothesis import strategies as st

from .clock import at_offset
from .declared import VOCABULARIES, Dimension
from .oracle import point_of
from .rows import every
from .scopes import SHAPES
from .tables import (
    AMOUNTS,
    BIGS,
    FAR,
    LARGE_AMOUNTS,
    NAMES,
    NEAR,
    NOTES,
    QUANTITIES,
    REGIONS,
    UTC,
    WEIGHTS,
    numbers,
    worlds,
)
from .world import Caller, Case, Filter, Question, Scope, Span, World

ZONES = (
    "America/New_York",
    "Europe/Madrid",
    "America/Santiago",
    "Africa/Cairo",
    "Asia/Kathmandu",
    "Australia/Lord_Howe",
)

ORDERS = (None, "value", "-value", "label", "natural")
LIMITS = (None, 1, 1, 2, 2, 3, 5, 1000)
COMPARISONS = ("gte", "gt", "lte", "lt")
MOST = {"h": 60, "d": 60, "w": 8, "m": 14, "y": 2}

ORDER_MODELS = ("orders", "gift_order", "pickups")

# Keys of another model's dimension over the same column, and which dimension here they reach.
REACHING: dict[str, dict[str, tuple[str, ...]]] = {
    **{
        model: {
            "billing_tier": ("customers.tier",),
            "billing_name": ("customers.name",),
            "billing_score": ("customers.points",),
            "country": ("customers.country",),
            "joined": ("customers.joined",),
            **{
                name: tuple(f"{other}.{name}" for other in ORDER_MODELS if other != model)
                for name in ("status", "paid", "amount", "note", "placed", "shipped", "quantity")
            },
        }
        for model in ORDER_MODELS
    },
    "customers": {
        "tier": ("orders.billing_tier",),
        "name": ("orders.billing_name",),
        "points": ("gift_order.billing_score",),
        "country": ("orders.country", "pickups.country"),
        "joined": ("orders.joined",),
    },
    "stock": {
        "supplier_region": ("customers.region", "orders.shipping_region"),
        "supplier_country": ("customers.country",),
    },
}

# Keys that reach no dimension, or several of which none has the name.
BEYOND_REACH = {
    "orders": ("customers.region", "customers.referrer_country", "stock.sku", "pickups.counter"),
    "gift_order": ("customers.region", "stock.warehouse", "pickups.counter"),
    "pickups": ("customers.region", "stock.warehouse"),
    "customers": ("stock.sku", "orders.status", "orders.billing_region"),
    "stock": ("orders.paid", "customers.tier"),
}

POOLS: dict[str, cabc.Sequence[t.Any]] = {
    "text": (*REGIONS, *NAMES, *NOTES),
    "boolean": (True, False),
    "integer": (*QUANTITIES, *BIGS),
    "decimal": AMOUNTS + LARGE_AMOUNTS,
    "float": WEIGHTS,
    "date": (dt.date(2024, 12, 31), dt.date(2025, 3, 30)),
}


@functools.cache
def changes(zone: str) -> tuple[dt.datetime, ...]:
    """The hours in 2024 to 2026 in which a zone's offset changes; a new year without any."""
    at = zoneinfo.ZoneInfo(zone)
    hour, found = dt.datetime(2024, 1, 1, tzinfo=UTC), []
    offset = hour.astimezone(at).utcoffset()
    while hour.year < 2027:
        hour += dt.timedelta(hours=1)
        before, offset = offset, hour.astimezone(at).utcoffset()
        if offset != before:
            found.append(hour)
    return tuple(found) or (dt.datetime(2024, 12, 31, 18, 15, tzinfo=UTC),)


def operators_of(dimension: Dimension) -> tuple[str, ...]:
    if dimension.is_time:
        return ("", "not", "null", *COMPARISONS, "last", "this", "previous", "last")
    if dimension.kind in {"integer", "decimal", "float"}:
        return ("", "not", "null", *COMPARISONS)
    return ("", "", "not", "null")


def ways_to_write(value: t.Any) -> list[t.Any]:
    """The ways in which a value may be given."""
    if isinstance(value, enum.Enum):
        return [value, value.name]
    if isinstance(value, bool):
        return [value, *(("true", "1") if value else ("false", "0"))]
    if isinstance(value, dt.date):
        return [value, value.isoformat()]
    return [value, str(value)]


def ways_to_write_span(span: Span) -> list[t.Any]:
    text = span.start.isoformat()
    if span.of == "month":
        return [text[:7]]
    return [text[:4]] if span.of == "year" else [span.start, text]


def span(chance: random.Random, points: list[t.Any], zone: str, *, dates: bool) -> Span:
    """A day, month, year or moment in which, or beside which, something lies."""
    point = chance.choice(points)
    at = zoneinfo.ZoneInfo(zone)
    of = chance.choice(["day", "day", "month", "year", *([] if dates else ["moment"] * 2)])
    if of == "moment":
        minutes, ticks = chance.choice([(0, 0), (0, 1), (0, -1), (30, 0), (60, 0), (60, -1)])
        point += dt.timedelta(minutes=minutes, microseconds=ticks)
        wall = point.astimezone(at).replace(tzinfo=None, fold=0)
        return Span(of, chance.choice([point, at_offset(point, at), wall]))
    day = point.astimezone(at).date() if isinstance(point, dt.datetime) else point
    day += dt.timedelta(days=chance.choice([0, 0, 0, -1, 1, 7]))
    if of == "day":
        return Span(of, day)
    return Span(of, day.replace(day=1) if of == "month" else day.replace(month=1, day=1))


def filter_on(
    chance: random.Random,
    key: str,
    name: str,
    dimension: Dimension,
    points: list[t.Any],
    zone: str,
) -> Filter:
    """One filter, under a key that reaches the dimension."""

    def filter_(written: cabc.Iterable[t.Any], meant: cabc.Iterable[t.Any]) -> Filter:
        full = f"{key}.{operator}" if operator else key
        return Filter(full, tuple(written), name, operator, tuple(meant))

    operator = chance.choice(operators_of(dimension))
    if operator == "null":
        wanted = chance.choice([True, False])
        return filter_([chance.choice([wanted, str(int(wanted))])], [wanted])
    if operator == "last":
        unit = chance.choice("dwmy" if dimension.kind == "day" else "hhdwmy")
        text = f"{chance.randint(1, MOST[unit])}{unit}"
        return filter_([text], [text])
    if operator in {"this", "previous"}:
        unit = chance.choice(["day", "week", "month", "quarter", "year"])
        return filter_([unit], [unit])
    number = 1 if operator in COMPARISONS else chance.randint(1, 3)
    if dimension.is_time:
        dates = dimension.kind == "day"
        found = [span(chance, points, zone, dates=dates) for _ in range(number)]
        return filter_([chance.choice(ways_to_write_span(each)) for each in found], found)
    pool = points * 5 + list(dimension.members or POOLS[dimension.kind])
    values = [chance.choice(pool) for _ in range(number)]
    return filter_([chance.choice(ways_to_write(value)) for value in values], values)


def filters_of(
    chance: random.Random, world: World, model: str, by: str | None, anchor: dt.datetime, zone: str
) -> list[Filter]:
    """Filters of one question; keys are different, and several may reach one dimension."""
    if chance.random() < 0.02:
        key = chance.choice(BEYOND_REACH[model])
        return [Filter(f"{key}.null", ("1",), None, "null", (True,))]
    dimensions = VOCABULARIES[model].dimensions
    times = [name for name, dimension in dimensions.items() if dimension.is_time]
    names = chance.sample([*dimensions], chance.choice([0, 0, 0, 0, 1, 1, 2]))
    if chance.random() < 0.2:
        names.append(chance.choice(times))
    if by is not None and chance.random() < 0.2:
        names.append(by)
    found: dict[str, Filter] = {}
    for name in dict.fromkeys(names):
        dimension = dimensions[name]
        keys = {point_of(dimension, dimension.key(world, row)) for row in every(world, model)}
        points = sorted((key for key in keys if key is not None), key=str)
        if dimension.is_time and not points:
            points = [anchor.date() if dimension.kind == "day" else anchor]
        elsewhere = REACHING[model].get(name, ())
        key = chance.choice([name, name, f"{model}.{name}", *elsewhere])
        for _ in range(chance.choice([1, 1, 2])):
            each = filter_on(chance, key, name, dimension, points, zone)
            found.setdefault(each.key, each)
        if key in found and chance.random() < 0.3:
            unknown = f"{key}.null"
            found[unknown] = Filter(unknown, ("1",), name, "null", (True,))
        # A second key that reaches the same dimension must hold as well. What "or unknown"
        # would mean across the two is left open.
        if elsewhere and key not in elsewhere and chance.random() < 0.3:
            each = filter_on(chance, elsewhere[0], name, dimension, points, zone)
            if each.operator != "null" and f"{key}.null" not in found:
                found.setdefault(each.key, each)
    return list(found.values())


Split = t.Literal["nothing", "category", "time"]
kept = st.sampled_from([False, True, True, True, True])


@st.composite
def cases(draw: st.DrawFn, split: Split) -> list[Case]:
    """A database and some callers' questions, split by nothing, by a category or by time."""
    chance = random.Random(draw(numbers))
    zone = chance.choice(ZONES)
    anchor = chance.choice(changes(zone))
    world = draw(worlds(anchor, chance.choice([NEAR, NEAR, FAR])))
    week_start = chance.choice(["monday", "sunday"])
    asked = draw(st.lists(numbers, min_size=1, max_size=8))
    return [
        Case(
            world=world,
            caller=Caller(zone, draw(scope_of(chance))),
            week_start=week_start,
            now=anchor + chance.choice(NEAR),
            question=draw(questions(chance, split, world, anchor, zone)),
        )
        for chance in map(random.Random, asked)
    ]


@st.composite
def scope_of(draw: st.DrawFn, chance: random.Random) -> Scope:
    shape = chance.choice(("all",) * len(SHAPES) + tuple(SHAPES))
    scope = Scope(shape, chance.randint(-1, 3), chance.randint(1, 12))
    return scope if draw(kept) else Scope()


@st.composite
def questions(
    draw: st.DrawFn,
    chance: random.Random,
    split: Split,
    world: World,
    anchor: dt.datetime,
    zone: str,
) -> Question:
    def maybe(value: t.Any, otherwise: t.Any = None) -> t.Any:
        return value if draw(kept) else otherwise

    def some(values: cabc.Iterable[t.Any]) -> tuple[t.Any, ...]:
        return tuple(value for value in values if draw(kept))

    model = chance.choice(["orders"] * 6 + [name for name in VOCABULARIES if name != "orders"])
    vocabulary = VOCABULARIES[model]
    times = [name for name, dimension in vocabulary.dimensions.items() if dimension.is_time]
    categories = [name for name in vocabulary.dimensions if name not in times]
    measure = maybe(chance.choice(list(vocabulary.measures)), next(iter(vocabulary.measures)))
    is_rough = vocabulary.measures[measure].is_rough
    by, granularity = None, None
    if split == "category":
        by = chance.choice(categories)
    if split == "time":
        by = chance.choice(times)
        finest = ["day"] if vocabulary.dimensions[by].kind == "day" else ["hour", "day"]
        granularity = chance.choice([*finest, *finest, "week", "month", "quarter", "year"])
    return Question(
        model=model,
        measure=measure,
        by=by,
        granularity=maybe(granularity),
        filters=some(filters_of(chance, world, model, by, anchor, zone)),
        limit=maybe(chance.choice(LIMITS)),
        other=maybe(chance.choice([True, False]), False),
        # The order of values that a database works out in doubles is not promised.
        order="natural" if is_rough else maybe(chance.choice(ORDERS)),
        companions=some(chance.sample([*vocabulary.measures, *categories], 3)),
    )
