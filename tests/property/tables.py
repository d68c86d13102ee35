"""Draws of rows: small tables full of the values that break sums, orders and clocks.

Hypothesis draws how many rows there are and a number for each; all of a row follows from its
number. So a failing table shrinks by whole rows, quickly.
"""

from __future__ import annotations

import collections.abc as cabc
import datetime as dt
import decimal
import itertools
import random
import typing as t
import zoneinfo

from hypothesis import strategies as st

from .world import (
    PRIORITIES,
    Country,
    Customer,
    Line,
    Move,
    Order,
    Status,
    Stock,
    Tier,
    World,
)

UTC = dt.UTC
NEW_YORK = zoneinfo.ZoneInfo("America/New_York")

REGIONS = ("north", "North", "", " ", "(none)", "Other", "é", "e\u0301", "日本", "null")
NAMES = ("Ana", "ana", "Ñandú", "O'Brien", "😀", "\ue000", "Zoë; --", "100%", "a_b", "Ana ")
NOTES = ("", " ", "(none)", "Other", "a", "A", "b", "é", "ß", "ss", "İ", "\uffff", "😀", "#1")
AMOUNTS = tuple(
    map(
        decimal.Decimal,
        ("0.00", "0.10", "0.20", "0.30", "0.70", "1.10", "2.20", "3.30", "-0.10", "-5.05", "7"),
    )
)
LARGE_AMOUNTS = tuple(map(decimal.Decimal, ("99999999.99", "-99999999.99", "12345678.91")))
RATES = tuple(
    map(decimal.Decimal, ("0.001", "0.002", "0.003", "-1.5", "99999999999.999", "-99999999999.999"))
)
QUANTITIES = (-7, -1, 0, 1, 2, 3, 4, 5, 12)
BIGS = (2**62, -(2**62), 2**62 - 1, 2**53, 2**53 + 1, 2**53 + 2, 1, 0, -3)
WEIGHTS = tuple(quarters * 0.25 for quarters in (-6, -1, 0, 1, 2, 3, 10))
PLACES = tuple(itertools.product(REGIONS[:4], (1, 2, 3)))


def away(*days: int) -> tuple[dt.timedelta, ...]:
    """Distances from an anchor: quarters of an hour over some days, and one tick beside each."""
    ticks = (dt.timedelta(microseconds=tick) for tick in (0, 0, 0, -1, 1, 59_999_999))
    quarters = (dt.timedelta(minutes=15 * quarter) for quarter in range(-12, 13))
    whole = (dt.timedelta(days=day) for day in days)
    return tuple(sum(each, dt.timedelta()) for each in itertools.product(whole, quarters, ticks))


NEAR = away(0, 0, 0, 0, 0, -1, 1, 2, -6, 7)
FAR = away(0, 0, 0, -1, 1, 7, -31, 30, 200, -365)


class _Drawn:
    """The values of one row, all from its number."""

    def __init__(
        self, number: int, anchor: dt.datetime, distances: tuple[dt.timedelta, ...]
    ) -> None:
        self._random = random.Random(number)
        self._anchor = anchor
        self._distances = distances

    def one_of(self, values: cabc.Sequence[t.Any]) -> t.Any:
        return self._random.choice(values)

    def maybe(self, values: cabc.Sequence[t.Any], unknown: float = 0.12) -> t.Any:
        """One of some values, or unknown."""
        return None if self._random.random() < unknown else self._random.choice(values)

    def text(self) -> str:
        """A text such as people write, seldom one of any three characters there are."""
        if self._random.random() < 0.9:
            return self._random.choice(NOTES)
        some = (self._random.choice((0x7F, 0xD7FF, 0x10FFFF)) for _ in range(3))
        characters = (chr(self._random.randrange(1, most)) for most in some)
        return "".join(c for c in characters if not "\ud800" <= c <= "\udfff")

    def moment(self) -> dt.datetime | None:
        distance = self.maybe(self._distances)
        return None if distance is None else self._anchor + distance

    def naive(self, zone: dt.tzinfo = UTC) -> dt.datetime | None:
        """What the clocks of a zone show; in an hour they show twice, the zone is not told."""
        moment = self.moment()
        return moment and moment.astimezone(zone).replace(tzinfo=None, fold=0)

    def day(self) -> dt.date | None:
        moment = self.moment()
        return moment and moment.date()

    def deleted(self) -> dt.datetime | None:
        return self.maybe([dt.datetime(2024, 1, 1)], 0.85)


def country(id_: int, drawn: _Drawn) -> Country:
    return Country(id_, drawn.maybe(REGIONS))


def customer(id_: int, drawn: _Drawn) -> Customer:
    return Customer(
        id=id_,
        name=drawn.one_of(NAMES),
        region=drawn.maybe(REGIONS),
        tier=drawn.maybe(tuple(Tier)),
        score=drawn.maybe(QUANTITIES),
        joined_at=drawn.naive(),
        country_id=drawn.maybe(range(1, 5)),
        referrer_id=drawn.maybe(range(1, 6)),
        deleted_at=drawn.deleted(),
    )


def order(id_: int, drawn: _Drawn) -> Order:
    kind = drawn.one_of(["order", "gift", "order", "pickup"])
    return Order(
        id=id_,
        kind=kind,
        billing_customer_id=drawn.maybe(range(1, 6)),
        shipping_customer_id=drawn.maybe(range(1, 6)),
        gift_id=drawn.maybe(range(1, 12), 0.3),
        status=drawn.maybe(tuple(Status)),
        priority=drawn.maybe(PRIORITIES),
        paid=drawn.maybe([True, False]),
        amount=drawn.maybe(AMOUNTS * 3 + LARGE_AMOUNTS),
        rate=drawn.maybe(RATES),
        quantity=drawn.maybe(QUANTITIES),
        big=drawn.maybe(BIGS),
        weight=drawn.maybe(WEIGHTS),
        note=drawn.maybe([drawn.text()]),
        counter=drawn.maybe(NAMES) if kind == "pickup" else None,
        placed_at=drawn.naive(),
        shipped_on=drawn.day(),
        local_at=drawn.naive(NEW_YORK),
        seen_at=drawn.moment(),
        noted_at=drawn.moment(),
        deleted_at=drawn.deleted(),
    )


def line(id_: int, drawn: _Drawn) -> Line:
    return Line(id_, drawn.one_of(range(1, 15)), drawn.one_of(QUANTITIES))


def stock(place: tuple[str, int], drawn: _Drawn) -> Stock:
    return Stock(*place, drawn.maybe(QUANTITIES), drawn.day(), drawn.maybe(range(1, 6)))


def move(id_: int, drawn: _Drawn) -> Move:
    return Move(id_, *drawn.one_of(PLACES), drawn.one_of(QUANTITIES))


numbers = st.integers(0, 2**24 - 1)
some = st.lists(numbers, max_size=9)
placed = st.tuples(st.sampled_from(PLACES), numbers)


@st.composite
def worlds(draw: st.DrawFn, anchor: dt.datetime, distances: tuple[dt.timedelta, ...]) -> World:
    """Tables whose times lie at such distances from an anchor."""

    def rows(
        row: cabc.Callable[[t.Any, _Drawn], t.Any], drawn: cabc.Iterable[tuple[t.Any, int]]
    ) -> tuple[t.Any, ...]:
        return tuple(row(key, _Drawn(number, anchor, distances)) for key, number in drawn)

    # Four short lists are seldom all short.
    orders = [number for _ in range(4) for number in draw(some)][:25]
    return World(
        countries=rows(country, enumerate(draw(some), 1)),
        customers=rows(customer, enumerate(draw(some), 1)),
        orders=rows(order, enumerate(orders, 1)),
        lines=rows(line, enumerate(draw(some), 1)),
        stock=rows(stock, draw(st.lists(placed, max_size=12, unique_by=lambda p: p[0]))),
        moves=rows(move, enumerate(draw(some), 1)),
    )
