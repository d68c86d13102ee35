"""What an answer holds: order, limits, "Other", the null group, totals, gaps, exact numbers."""

from __future__ import annotations

import collections.abc as cabc
import datetime as dt
import decimal
import enum
import fractions
import json
import typing as t

import pytest
import sqlalchemy as sa
from databases import EXACT, MOMENT
from hosts import Host, host, shop
from sqlalchemy.orm import Mapped, mapped_column

from flask_janela import (
    Average,
    BadRequest,
    Count,
    CountDistinct,
    Dimension,
    Maximum,
    Minimum,
    NotFound,
    Ratio,
    Share,
    Sum,
    TimeDimension,
    Vocabulary,
)
from flask_janela.query.statement import all_shared

D = decimal.Decimal


def _ask(h: Host, measure: str, by: str | None = None, **options: t.Any) -> t.Any:
    return h.janela.ask("orders", measure, by=by, caller="x", **options)


def _orders(h: Host, *statuses: str | None) -> None:
    h.add(*(h.models.Order(status=status) for status in statuses))


@pytest.mark.parametrize(
    ("order", "keys"),
    [
        (None, ["b", "a", "new", "open", None]),
        ("-value", ["b", "a", "new", "open", None]),
        ("value", ["new", "open", None, "a", "b"]),
        ("label", ["open", "a", "b", "new", None]),
        ("natural", ["new", "open", "a", "b", None]),
    ],
)
def test_rows_come_in_the_order_asked_for(order: str | None, keys: list[str | None]) -> None:
    """By value, ties by key and the null group last; "open" reads "Open", before small letters."""
    with host(shop) as h:
        _orders(h, *"bbb", *"aa", "open", "new", None)
        assert [row.key for row in _ask(h, "orders", "status", order=order).rows] == keys


class Grade(enum.Enum):
    """Neither their names nor their values are in the order they are declared in."""

    LOW = "b"
    TOP = "c"
    MIDDLE = "a"


KEYS: dict[str, list[t.Any]] = {
    "word": ["b", "a", "Z", "", "é", "ab", None],
    "grade": [*Grade, None],
    "fine": [True, False, None],
    "size": [10, 9, -1, 200, 0, 1000, None],
    "number": [10, 9, -1, 200, 0, 1000, None],
    "day": [dt.date(2024, 2, 29), dt.date(1969, 7, 20), dt.date(2040, 1, 1), None],
}
"""By how often each is there; the second and the third are so as often."""

LABELS: dict[str, dict[t.Any, str]] = {
    "word": {"b": "Alpha", "Z": "zero"},
    "grade": {Grade.LOW: "a"},
    "fine": {True: "In order"},
    "size": {9: "nine", 200: "99"},
}
NATURAL: dict[str, list[t.Any]] = {
    "word": ["é", "b"],
    "grade": [Grade.MIDDLE, Grade.LOW],
    "fine": [True],
    "size": [200, -1, 10],
}


def _graded(db: t.Any) -> dict[str, t.Any]:
    class Part(db.Model):  # type: ignore[name-defined,misc]
        id: Mapped[int] = mapped_column(primary_key=True)
        word: Mapped[str | None] = mapped_column(EXACT)
        grade: Mapped[Grade | None]
        fine: Mapped[bool | None]
        size: Mapped[int | None]
        day: Mapped[dt.date | None]

        class Janela(Vocabulary, name="parts"):
            parts = Count()
            word = Dimension(labels=LABELS["word"], order=NATURAL["word"])
            grade = Dimension(labels=LABELS["grade"], order=NATURAL["grade"])
            fine = Dimension(labels=LABELS["fine"], order=NATURAL["fine"])
            size = Dimension(labels=LABELS["size"], order=NATURAL["size"])
            number = Dimension("size")
            day = Dimension()

    return {"Part": Part}


def _read_as(by: str, key: t.Any) -> t.Any:
    """What sorts a key by its label: numbers and dates without any label by their size."""
    if by in {"number", "day"}:
        return key
    unlabelled = {"": "(empty)", False: "No"} if not isinstance(key, int) or by == "fine" else {}
    written = key.name.capitalize() if isinstance(key, Grade) else str(key)
    return LABELS[by].get(key) or unlabelled.get(key) or written


@pytest.mark.parametrize("by", KEYS)
def test_a_limit_cuts_the_order_asked_for_wherever_it_falls(by: str) -> None:
    """The database orders what it cuts as Python orders what is left: at every limit."""
    counts = {key: 9 - at + (at > 1) for at, key in enumerate(KEYS[by])}
    natural = NATURAL.get(by, [])

    def by_key(key: t.Any) -> tuple[bool, t.Any]:
        if key is None:
            return True, 0
        return False, list(Grade).index(key) if isinstance(key, Grade) else key

    places: dict[str, cabc.Callable[[t.Any], t.Any]] = {
        "value": lambda key: (counts[key], by_key(key)),
        "-value": lambda key: (-counts[key], by_key(key)),
        "label": lambda key: (True, 0) if key is None else (False, _read_as(by, key)),
        "natural": lambda key: (
            (key is None, key not in natural),
            natural.index(key) if key in natural else by_key(key),
        ),
    }
    column = "size" if by == "number" else by
    with host(_graded) as h:
        h.add(*(h.models.Part(**{column: key}) for key in counts for _ in range(counts[key])))
        for order, place in places.items():
            expected = sorted(KEYS[by], key=place)
            for limit in range(1, len(expected) + 1):
                found = h.janela.ask("parts", "parts", by=by, order=order, limit=limit, caller="x")
                assert [row.key for row in found.rows] == expected[:limit], (order, limit)


BIG = 2**62
LINES: dict[str, list[tuple[bool | None, int | None, str | None, float | None]]] = {
    "a": [(True, BIG, "0.10", 0.5), (True, BIG, "0.20", 0.25), (None, 3, None, None)],
    "b": [(True, BIG, "0.30", 0.5)],
    "c": [(False, -BIG, "-9.99", 8.0), (True, BIG + 2, "99.99", -8.0), (True, 5, None, 1.5)],
    "d": [(True, 7, "5.00", 1.0), (False, None, "5.01", 1.0), (False, 2, "5.00", 1.0)] * 2,
    "e": [(None, None, None, None)],
    "f": [(True, 1, "1.00", 64.0)] * 5 + [(False, 1, "1.00", 64.0)] * 2,
    "g": [(False, 0, "0.00", 0.0)],
}
"""Whether it is fine, a whole number, a decimal and a double that adds up without rounding."""

TAKEN: dict[str, cabc.Callable[[list[t.Any]], t.Any]] = {
    "share": lambda rows: _mean([r[0] for r in rows]),
    "whole": lambda rows: sum(r[1] or 0 for r in rows),
    "money": lambda rows: sum(fractions.Fraction(r[2] or 0) for r in rows),
    "real": lambda rows: sum(r[3] or 0 for r in rows),
    "mean_whole": lambda rows: _mean([r[1] for r in rows]),
    "mean_money": lambda rows: _mean([r[2] for r in rows]),
    "mean_real": lambda rows: _mean([r[3] for r in rows]),
    "each": lambda rows: _over(sum(r[1] or 0 for r in rows), len(rows)),
    "upside_down": lambda rows: _over(len(rows), sum(r[1] or 0 for r in rows)),
    "least": lambda rows: min((r[1] for r in rows if r[1] is not None), default=None),
    "different": lambda rows: len({r[2] for r in rows} - {None}),
}


def _mean(values: list[t.Any]) -> fractions.Fraction | None:
    known = [fractions.Fraction(value) for value in values if value is not None]
    return _over(sum(known), len(known))


def _over(above: t.Any, below: t.Any) -> fractions.Fraction | None:
    return fractions.Fraction(above) / below if below else None


def _is(found: t.Any, value: t.Any) -> bool:
    """The double that is nearest to it; unknown only where it is."""
    return found is value if value is None or found is None else float(found) == float(value)


@pytest.mark.parametrize("measure", TAKEN)
def test_a_limit_cuts_by_whatever_is_measured(measure: str) -> None:
    """Sums beyond 64 bits, means and quotients are sorted by as exactly as they are read."""

    def define(db: t.Any) -> dict[str, t.Any]:
        class Line(db.Model):  # type: ignore[name-defined,misc]
            id: Mapped[int] = mapped_column(primary_key=True)
            kind: Mapped[str]
            fine: Mapped[bool | None]
            number: Mapped[int | None] = mapped_column(sa.BigInteger)
            price: Mapped[t.Any] = mapped_column(sa.Numeric(10, 2), nullable=True)
            weight: Mapped[float | None] = mapped_column(sa.Double)

            class Janela(Vocabulary, name="lines"):
                lines = Count()
                share = Share("fine")
                whole = Sum("number")
                money = Sum("price")
                real = Sum("weight")
                mean_whole = Average("number")
                mean_money = Average("price")
                mean_real = Average("weight")
                each = Ratio("whole", "lines")
                upside_down = Ratio("lines", "whole")
                least = Minimum("number")
                different = CountDistinct("price")
                kind = Dimension()

        return {"Line": Line}

    values = {kind: TAKEN[measure](rows) for kind, rows in LINES.items()}
    with host(define) as h:
        h.add(
            *(
                h.models.Line(
                    kind=kind, fine=fine, number=number, price=price and D(price), weight=weight
                )
                for kind, rows in LINES.items()
                for fine, number, price, weight in rows
            )
        )
        for order, sign in (("value", 1), ("-value", -1)):
            expected = sorted(
                LINES, key=lambda k: (values[k] is None, sign * (values[k] or 0), k)
            )  # fmt: skip
            for limit in range(1, len(expected) + 1):
                found = h.janela.ask(
                    "lines", measure, by="kind", order=order, limit=limit, caller="x"
                )
                assert [row.key for row in found.rows] == expected[:limit], (order, limit)
                assert all(_is(row.value, values[row.key]) for row in found.rows)


def test_times_are_sorted_by_to_the_microsecond() -> None:
    """As values of a measure; the null group's too, and unknown ones last."""
    noon = dt.datetime(2024, 2, 29, 12)
    last = {"c": noon, "a": noon + dt.timedelta(microseconds=1), "b": noon, "d": None}

    def define(db: t.Any) -> dict[str, t.Any]:
        class Visit(db.Model):  # type: ignore[name-defined,misc]
            id: Mapped[int] = mapped_column(primary_key=True)
            place: Mapped[str]
            at: Mapped[dt.datetime | None] = mapped_column(MOMENT)

            class Janela(Vocabulary, name="visits"):
                latest = Maximum("at")
                place = Dimension()

        return {"Visit": Visit}

    with host(define) as h:
        h.add(*(h.models.Visit(place=place, at=at) for place, at in last.items()))
        for order, keys in (("-value", ["a", "b", "c", "d"]), ("value", ["b", "c", "a", "d"])):
            for limit in range(1, 5):
                found = h.janela.ask(
                    "visits", "latest", by="place", order=order, limit=limit, caller="x"
                )
                assert [row.key for row in found.rows] == keys[:limit]


def test_unknown_values_come_last_whichever_way() -> None:
    """A null average is neither large nor small."""
    with host(shop) as h:
        h.add(*(h.models.Order(status=s, amount=a) for s, a in [("a", 1), ("b", None), ("c", 2)]))
        for order, keys in (("value", ["a", "c", "b"]), ("-value", ["c", "a", "b"])):
            rows = _ask(h, "average_amount", "status", order=order).rows
            assert [row.key for row in rows] == keys
            assert (rows[-1].value, rows[-1].formatted) == (None, "—")


def test_a_limit_cuts_and_says_so_and_other_is_asked_over_the_rest() -> None:
    """An average over the rest is not the average of averages."""
    with host(shop) as h:
        amounts = {"a": [10, 20], "b": [8], "c": [1, 1, 1, 5], None: [0]}
        h.add(
            *(
                h.models.Order(status=status, amount=amount)
                for status, some in amounts.items()
                for amount in some
            )
        )
        result = _ask(h, "average_amount", "status", limit=2, other=True, companions=["orders"])
        assert [(r.key, r.value, r.is_other) for r in result.rows] == [
            ("a", D(15), False),
            ("b", D(8), False),
            (None, D(8) / 5, True),
        ]
        assert [r.companions[0].value for r in result.rows] == [2, 1, 5]
        assert result.rows[-1].label == "Other"
        assert result.truncated
        assert result.total == D(46) / 8

        without = _ask(h, "average_amount", "status", limit=2)
        assert len(without.rows) == 2
        assert without.truncated
        assert not _ask(h, "average_amount", "status", limit=4, other=True).truncated


def test_other_beside_the_null_group_alone_leaves_it_out() -> None:
    """Five unknown ones and two others are seven, not twelve."""
    with host(shop) as h:
        _orders(h, *[None] * 5, "a", "b")
        rows = _ask(h, "orders", "status", limit=1, other=True).rows
        assert [(row.key, row.label, row.value) for row in rows] == [
            (None, "(none)", 5),
            (None, "Other", 2),
        ]


def test_a_thousand_members_are_shown_when_no_limit_is_given() -> None:
    """The 1,001st is said to be missing."""
    with host(shop) as h:
        _orders(h, *(f"s{n:04}" for n in range(1001)))
        result = _ask(h, "orders", "status")
        assert (len(result.rows), result.truncated, result.total) == (1000, True, 1001)
        assert result.rows[-1].key == "s0999"


@pytest.mark.parametrize("limit", [0, 1001, -1, "ten", 2.5])
def test_a_limit_beyond_a_thousand_is_refused(limit: t.Any) -> None:
    """The range is said."""
    with host(shop) as h, pytest.raises(BadRequest, match="a whole number from 1 to 1000"):
        _ask(h, "orders", "status", limit=limit)


def test_the_null_group_is_a_member_of_its_own() -> None:
    """Distinct from the empty text and from the text "(none)"."""
    with host(shop) as h:
        _orders(h, None, None, "", "(none)")
        rows = _ask(h, "orders", "status").rows
        assert [(r.key, r.label, r.value) for r in rows] == [
            (None, "(none)", 2),
            ("", "(empty)", 1),
            ("(none)", "(none)", 1),
        ]


def test_no_rows_at_all_come_to_zero_or_unknown() -> None:
    """Counts and sums are 0, everything else is null."""
    with host(shop) as h:
        totals = {
            name: _ask(h, name).total
            for name in (
                "orders",
                "quantity",
                "revenue",
                "average_amount",
                "largest",
                "open_share",
                "paid_share",
            )
        }
        assert totals == {
            "orders": 0,
            "quantity": 0,
            "revenue": 0,
            "average_amount": None,
            "largest": None,
            "open_share": None,
            "paid_share": None,
        }
        assert _ask(h, "orders", "status").rows == ()
        assert _ask(h, "orders", "placed").rows == ()


def test_a_related_column_keeps_rows_without_the_related_record() -> None:
    """They are in the null group."""
    with host(shop) as h:
        h.add(h.models.Customer(id=1, name="a", region="EU"))
        h.add(*(h.models.Order(customer_id=c) for c in (1, 1, None)))
        rows = _ask(h, "orders", "region").rows
        assert [(r.key, r.value) for r in rows] == [("EU", 2), (None, 1)]


def test_a_total_counts_different_values_anew() -> None:
    """Two groups share a value: the sum of the groups would count it twice."""

    def define(db: t.Any) -> dict[str, t.Any]:
        class Visit(db.Model):  # type: ignore[name-defined,misc]
            id: Mapped[int] = mapped_column(primary_key=True)
            page: Mapped[str]
            who: Mapped[str]

            class Janela(Vocabulary, name="visits"):
                visits = Count()
                people = CountDistinct("who")
                each = Ratio("visits", "people")
                page = Dimension()

        return {"Visit": Visit}

    with host(define) as h:
        h.add(*(h.models.Visit(page=p, who=w) for p, w in ["aX", "aX", "bX", "bY"]))
        result = h.janela.ask("visits", "people", by="page", caller="x", companions=["each"])
        assert [(r.key, r.value) for r in result.rows] == [("b", 2), ("a", 1)]
        assert result.total == 2
        assert [r.companions[0].value for r in result.rows] == [1.0, 2.0]
        assert result.total_row.companions[0].value == 2.0


def test_a_dimension_as_a_companion_shows_what_a_row_shares() -> None:
    """Where rows differ, or some are unknown, it shows nothing."""
    with host(shop) as h:
        h.add(
            *(
                h.models.Order(status=s, paid=p, quantity=q)
                for s, p, q in [
                    ("a", True, 1),
                    ("a", True, 1),
                    ("b", False, 2),
                    ("b", True, 2),
                    ("c", False, None),
                    ("c", False, 3),
                ]
            )
        )
        rows = _ask(h, "orders", "status", companions=["paid_already", "amount_of"]).rows
        assert {r.key: [c.value for c in r.companions] for r in rows} == {
            "a": [True, 1],
            "b": [None, 2],
            "c": [False, None],
        }
        assert [c.formatted for c in rows[0].companions] == ["Yes", "1"]


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"companions": ["orders", "revenue", "status", "region"]}, BadRequest, "use at most 3"),
        ({"companions": ["nothing"]}, NotFound, '"nothing" is not a measure or a category'),
        ({"by": "nothing"}, NotFound, '"nothing" is not a dimension of orders'),
        ({"by": "secret"}, NotFound, '"secret" is not a dimension of orders'),
        ({"by": "placed", "granularity": "decade"}, BadRequest, "use one of hour, day"),
        ({"by": "status", "order": "up"}, BadRequest, "use one of value, -value, label, natural"),
        ({"by": "status", "granularity": "day"}, BadRequest, "status is not split by time"),
        ({"granularity": "day"}, BadRequest, "a question without a dimension is not split"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_an_option_that_cannot_be_is_refused_in_words(
    options: dict[str, t.Any], error: type[Exception], said: str
) -> None:
    """What was given and what is allowed."""
    with host(shop) as h, pytest.raises(error, match=said):
        _ask(h, "orders", **options)


def test_gaps_are_filled_and_rows_without_a_time_are_told_apart() -> None:
    """From the first to the last month with data; 0 for counts, a break for averages."""
    with host(shop) as h:
        h.add(
            *(
                h.models.Order(placed_at=at, amount=amount)
                for at, amount in [
                    (dt.datetime(2024, 1, 31, 23), 1),
                    (dt.datetime(2024, 4, 1), 3),
                    (None, 5),
                    (None, 7),
                ]
            )
        )
        counted = _ask(h, "orders", "placed")
        assert [(r.key, r.label, r.value) for r in counted.rows] == [
            (dt.date(2024, 1, 1), "Jan 2024", 1),
            (dt.date(2024, 2, 1), "Feb 2024", 0),
            (dt.date(2024, 3, 1), "Mar 2024", 0),
            (dt.date(2024, 4, 1), "Apr 2024", 1),
        ]
        assert (counted.undated, counted.total, counted.granularity) == (2, 4, "month")
        averaged = _ask(h, "average_amount", "placed")
        assert [r.value for r in averaged.rows] == [D(1), None, None, D(3)]
        assert (averaged.undated, averaged.total) == (D(6), D(4))


def test_an_asked_range_is_filled_whether_or_not_there_is_data() -> None:
    """A range open at one end is filled from or to where the data is."""
    with host(shop) as h:
        h.add(h.models.Order(placed_at=dt.datetime(2024, 3, 5)))

        def months(**filters: str) -> list[tuple[int, t.Any]]:
            given = {f"placed.{operator}": value for operator, value in filters.items()}
            rows = _ask(h, "orders", "placed", filters=given).rows
            return [(row.key.month, row.value) for row in rows]

        assert months(gte="2024-02", lt="2024-05") == [(2, 0), (3, 1), (4, 0)]
        assert months(gte="2024-02") == [(2, 0), (3, 1)]
        assert months(lt="2024-05") == [(3, 1), (4, 0)]
        assert months(gte="2025-01", lt="2025-03") == [(1, 0), (2, 0)]
        assert months(gte="2025-01") == []
        assert months(gte="2025-01", lt="2024-01") == []


def test_more_than_two_thousand_buckets_are_refused() -> None:
    """A coarser granularity is named."""
    with host(shop) as h, pytest.raises(BadRequest, match="2,000 intervals; ask by day"):
        _ask(
            h,
            "orders",
            "placed",
            granularity="hour",
            filters={"placed.gte": "2024-01", "placed.lt": "2024-06"},
        )


def test_a_limit_on_time_keeps_the_first_buckets() -> None:
    """And says that it cut; without one every bucket is shown."""
    with host(shop) as h:
        h.add(*(h.models.Order(placed_at=dt.datetime(2024, m, 1)) for m in (1, 2, 3)))
        result = _ask(h, "orders", "placed", limit=2)
        assert ([r.key.month for r in result.rows], result.truncated) == ([1, 2], True)
        years = _ask(
            h,
            "orders",
            "placed",
            granularity="day",
            filters={"placed.gte": "2020", "placed.lt": "2024"},
        )
        assert (len(years.rows), years.truncated) == (1461, False)


def _exact(db: t.Any) -> dict[str, t.Any]:
    class Entry(db.Model):  # type: ignore[name-defined,misc]
        id: Mapped[int] = mapped_column(primary_key=True)
        account: Mapped[str]
        cents: Mapped[t.Any] = mapped_column(sa.Numeric(12, 2), nullable=True)
        fine: Mapped[t.Any] = mapped_column(sa.Numeric(14, 8), nullable=True)
        big: Mapped[int | None] = mapped_column(sa.BigInteger)
        weight: Mapped[float | None]
        at: Mapped[dt.datetime | None]

        class Janela(Vocabulary, name="entries"):
            entries = Count()
            cents = Sum("cents")
            mean_cents = Average("cents")
            fine = Sum("fine")
            big = Sum("big")
            mean_big = Average("big")
            smallest = Minimum("big")
            weight = Sum("weight")
            product = Sum(lambda e: e.cents * e.cents)
            per_big = Ratio("cents", "big")
            first = Minimum("at")
            latest = Maximum("at")
            account = Dimension()
            when = TimeDimension("at")

    return {"Entry": Entry}


def test_decimals_add_up_to_the_last_digit() -> None:
    """Ten times 0.10 is 1.00, which doubles do not give."""
    with host(_exact) as h:
        h.add(
            *(h.models.Entry(account="a", cents=D("0.10"), fine=D("0.00000001")) for _ in range(10))
        )
        h.add(h.models.Entry(account="b", cents=D("9999999999.99"), fine=D("123456.00000003")))
        ask = h.janela.ask
        assert ask("entries", "cents", by="account", caller="x").rows[1].value == D("1.00")
        assert ask("entries", "cents", caller="x").total == D("10000000000.99")
        assert ask("entries", "fine", caller="x").total == D("123456.00000013")
        assert ask("entries", "mean_cents", by="account", caller="x").rows[1].value == D("0.10")
        assert str(ask("entries", "cents", caller="x").total_row.formatted) == "10,000,000,000.99"


def test_a_product_of_decimals_keeps_its_places() -> None:
    """0.01 times 0.01 is not 0.00."""
    with host(_exact) as h:
        h.add(h.models.Entry(account="a", cents=D("0.01")))
        assert h.janela.ask("entries", "product", caller="x").total == D("0.0001")


def test_whole_numbers_beyond_64_bits_are_exact() -> None:
    """SQLite's own SUM would overflow; in JSON such numbers travel as texts."""
    with host(_exact) as h:
        for value in (2**62, 2**62, 2**62 + 1, -(2**40)):
            h.add(h.models.Entry(account="a", big=value))
        h.add(h.models.Entry(account="b", big=-(2**62)), h.models.Entry(account="b", big=-(2**62)))
        result = h.janela.ask("entries", "big", by="account", caller="x")
        expected = 3 * 2**62 + 1 - 2**40
        assert [r.value for r in result.rows] == [expected, -(2**63)]
        assert result.total == expected - 2**63
        assert h.janela.ask("entries", "mean_big", caller="x").total == (expected - 2**63) / 6
        sent = json.loads(json.dumps(result.as_dict()))
        assert sent["rows"][0]["value"] == str(expected)


def test_neighbours_beyond_double_precision_are_told_apart() -> None:
    """Order and cut use the exact sums, not their doubles."""
    with host(_exact) as h:
        for account, value in (("a", 2**60), ("b", 2**60 + 1), ("c", 2**60 - 1)):
            h.add(h.models.Entry(account=account, big=value))
        result = h.janela.ask("entries", "big", by="account", limit=1, caller="x")
        assert [r.key for r in result.rows] == ["b"]
        ordered = h.janela.ask("entries", "big", by="account", order="value", caller="x")
        assert [r.key for r in ordered.rows] == ["c", "a", "b"]


WEIGHTS = {
    "overflow": [1.7e308] * 10,
    "overflow of two": [1e308, 1e308],
    "both infinities": [float("inf"), float("-inf")],
    "one infinity": [float("inf"), 1.0],
}


# They keep no infinity, and answer 0 for more than a double holds.
@pytest.mark.not_on("mysql", "mariadb")
@pytest.mark.parametrize("weights", WEIGHTS.values(), ids=WEIGHTS)
@pytest.mark.parametrize("by", [None, "account"])
def test_infinities_are_unknown(weights: list[float], by: str | None) -> None:
    """No page, JSON or tool ever carries one, whether or not the total is added up from groups."""
    with host(_exact) as h:
        h.add(*(h.models.Entry(account=str(n), weight=w) for n, w in enumerate(weights)))
        result = h.janela.ask("entries", "weight", by=by, caller="x")
        assert (result.total, result.total_row.formatted) == (None, "—")
        json.dumps(result.as_dict(), allow_nan=False)


def test_the_first_and_latest_time_are_read_in_the_report_zone() -> None:
    """Stored without a zone they are UTC."""
    with host(_exact, JANELA_TIMEZONE="America/New_York") as h:
        h.add(h.models.Entry(account="a", at=dt.datetime(2024, 1, 1, 3)))
        result = h.janela.ask("entries", "first", caller="x")
        assert result.total == dt.datetime(2024, 1, 1, 3, tzinfo=dt.UTC)
        assert result.total_row.formatted == "Dec 31, 2023, 10:00:00\u202fPM"


def test_an_extreme_is_in_the_zone_that_its_dimension_is_stored_in() -> None:
    """The same noon as the split by that column shows."""

    def define(db: t.Any) -> dict[str, t.Any]:
        models = _exact(db)
        declared = models["Entry"].Janela.declarations
        declared["when"] = TimeDimension("at", stored="America/New_York")
        return models

    with host(define, JANELA_TIMEZONE="America/New_York") as h:
        h.add(h.models.Entry(account="a", at=dt.datetime(2024, 1, 1, 12)))
        result = h.janela.ask("entries", "latest", by="when", granularity="hour", caller="x")
        assert result.rows[0].key == dt.datetime(2024, 1, 1, 17, tzinfo=dt.UTC)
        assert result.rows[0].value == dt.datetime(2024, 1, 1, 17, tzinfo=dt.UTC)


@pytest.mark.parametrize("granularity", ["hour", "day", "month"])
def test_a_time_that_the_stored_zone_skipped_is_counted_in_a_bucket(granularity: str) -> None:
    """Half past two on the day the clocks went forward: the moment of the skip."""

    def define(db: t.Any) -> dict[str, t.Any]:
        models = _exact(db)
        declared = models["Entry"].Janela.declarations
        declared["when"] = TimeDimension("at", stored="America/New_York")
        return models

    for zone in ("America/New_York", "UTC", "Asia/Kathmandu"):
        with host(define, JANELA_TIMEZONE=zone) as h:
            times = [(3, 10, 2, 30), (3, 10, 1, 59), (3, 10, 3, 0), (11, 3, 1, 30)]
            h.add(*(h.models.Entry(account="a", at=dt.datetime(2013, *at)) for at in times[:3]))
            result = h.janela.ask(
                "entries", "entries", by="when", granularity=granularity, caller="x"
            )
            assert sum(row.value for row in result.rows) == result.total == 3


def test_conditions_hold_for_every_measure() -> None:
    """Sums, averages, extremes, shares and different values alike, over a split and in total."""
    from flask_janela import Share

    def define(db: t.Any) -> dict[str, t.Any]:
        models = shop(db)
        declared = models["Order"].Janela.declarations
        only = {"where": lambda o: o.status == "open"}
        declared |= {
            "w_sum": Sum("quantity", **only),
            "w_average": Average("quantity", **only),
            "w_least": Minimum("quantity", **only),
            "w_most": Maximum("quantity", **only),
            "w_share": Share("paid", **only),
            "w_different": CountDistinct("quantity", **only),
            "w_known": Count("quantity", **only),
        }
        return models

    rows = [
        ("open", 4, True),
        ("open", 8, False),
        ("open", None, None),
        ("x", 100, True),
        ("x", -5, True),
    ]
    with host(define) as h:
        h.add(*(h.models.Order(status=s, quantity=q, paid=p) for s, q, p in rows))
        for by in (None, "status", "paid_already"):
            totals = {
                n: _ask(h, n, by).total
                for n in (
                    "w_sum",
                    "w_average",
                    "w_least",
                    "w_most",
                    "w_share",
                    "w_different",
                    "w_known",
                )
            }
            assert totals == {
                "w_sum": 12,
                "w_average": 6.0,
                "w_least": 4,
                "w_most": 8,
                "w_share": 0.5,
                "w_different": 2,
                "w_known": 2,
            }


def test_months_that_filters_left_out_are_not_shown_as_empty() -> None:
    """January and March were asked for: February is not 0, it is not there."""
    with host(shop) as h:
        h.add(*(h.models.Order(placed_at=dt.datetime(2024, m, 5)) for m in (1, 2, 2, 3, 4)))

        def months(given: dict[str, t.Any]) -> list[tuple[int, t.Any]]:
            rows = _ask(h, "orders", "placed", filters=given).rows
            return [(row.key.month, row.value) for row in rows]

        assert months({"placed": ["2024-01", "2024-03"]}) == [(1, 1), (3, 1)]
        assert months({"placed.not": "2024-02"}) == [(1, 1), (3, 1), (4, 1)]
        assert months({"placed": ["2024-01", "2024-02-03"]}) == [(1, 1), (2, 0)]


def test_a_thousand_days_can_be_asked_for() -> None:
    """As many values as the contract allows, in one statement that a database can parse."""
    with host(shop) as h:
        first = dt.date(2020, 1, 1)
        h.add(
            *(
                h.models.Order(placed_at=dt.datetime.combine(first, dt.time(9)) + dt.timedelta(n))
                for n in range(2000)
            )
        )
        days = [(first + dt.timedelta(2 * n)).isoformat() for n in range(1000)]
        assert _ask(h, "orders", filters={"placed": days}).total == 1000
        assert _ask(h, "orders", filters={"placed.not": days}).total == 1000


@pytest.mark.parametrize("granularity", ["day", "month", "year"])
def test_the_end_of_time_is_refused_in_words(granularity: str) -> None:
    """A sentinel date among the rows is named, with what to do."""
    with host(shop) as h:
        h.add(h.models.Order(placed_at=dt.datetime(9999, 12, 31, 23, 59)))
        for zone in ("UTC", "Asia/Tokyo", "America/New_York"):
            h.janela._hooks.timezone = lambda caller, zone=zone: zone
            with pytest.raises(BadRequest, match="there are times as late as 9999"):
                _ask(h, "orders", "placed", granularity=granularity)
        given = {"placed.lt": "9998"}
        assert _ask(h, "orders", "placed", granularity=granularity, filters=given).rows == ()


def test_a_column_of_the_grouping_labels_name_is_no_key() -> None:
    """The database would group by the column instead."""

    def define(db: t.Any) -> dict[str, t.Any]:
        class Odd(db.Model):  # type: ignore[name-defined,misc]
            id: Mapped[int] = mapped_column(primary_key=True)
            janela_key: Mapped[int]
            janela_key_: Mapped[int]
            kind: Mapped[str]

            class Janela(Vocabulary, name="odds"):
                odds = Count()
                kind = Dimension()

        return {"Odd": Odd}

    with host(define) as h:
        h.add(*(h.models.Odd(janela_key=n, janela_key_=n, kind="ab"[n % 2]) for n in range(5)))
        rows = h.janela.ask("odds", "odds", by="kind", caller="x").rows
        assert [(row.key, row.value) for row in rows] == [("a", 3), ("b", 2)]


@pytest.mark.sqlite
def test_whole_numbers_of_any_column_are_exact() -> None:
    """SQLite keeps 64 bits in every column of whole numbers."""
    with host(shop) as h:
        h.add(*(h.models.Order(quantity=2**62, status="a") for _ in range(3)))
        assert _ask(h, "quantity").total == 3 * 2**62
        assert [row.value for row in _ask(h, "quantity", "status").rows] == [3 * 2**62]


def test_a_date_as_a_category_and_as_a_time_are_two_dimensions() -> None:
    """A filter on the one never lights, nor reads its values as, the other."""

    def define(db: t.Any) -> dict[str, t.Any]:
        class Shift(db.Model):  # type: ignore[name-defined,misc]
            id: Mapped[int] = mapped_column(primary_key=True)
            day: Mapped[dt.date]

            class Janela(Vocabulary, name="shifts"):
                shifts = Count()
                when = TimeDimension("day", granularity="day")
                date = Dimension("day")

        return {"Shift": Shift}

    with host(define) as h:
        h.add(*(h.models.Shift(day=dt.date(2024, 1, n)) for n in (1, 1, 3)))
        ask = h.janela.ask
        by_time = ask("shifts", "shifts", by="when", filters={"date": "2024-01-01"}, caller="x")
        assert [(r.key.day, r.value) for r in by_time.rows] == [(1, 2)]
        by_date = ask("shifts", "shifts", by="date", filters={"when": "2024-01-03"}, caller="x")
        assert [(r.key.day, r.value) for r in by_date.rows] == [(3, 1)]


def test_a_scope_that_reads_flushes_nothing() -> None:
    """The host's own look-ups inside its scope function are no reason to write either."""
    with host(shop, scoped=False) as h:

        @h.janela.scope
        def scope(model: t.Any, caller: t.Any) -> t.Any:
            h.db.session.scalars(sa.select(h.models.Customer)).all()
            return sa.select(model)

        h.db.session.add(h.models.Order(status="draft"))
        assert _ask(h, "orders").total == 0
        assert len(h.db.session.new) == 1


def test_a_dimension_as_a_companion_has_a_total_where_all_rows_share_it() -> None:
    """However the total was made: added up, asked for, or alone."""
    with host(shop) as h:
        h.add(*(h.models.Order(status=s, quantity=3, paid=s == "a") for s in "abc"))
        for by, limit in ((None, None), ("status", None), ("status", 2)):
            cells = _ask(
                h, "orders", by, companions=["amount_of", "paid_already"], limit=limit
            ).total_row.companions
            assert [cell.value for cell in cells] == [3, None]


def test_reading_flushes_nothing_that_the_host_has_pending() -> None:
    """A page that only reads must not write."""
    with host(shop) as h:
        h.db.session.add(h.models.Order(status="draft"))
        assert _ask(h, "orders").total == 0
        assert len(h.db.session.new) == 1


def test_a_soft_deleted_row_is_not_counted() -> None:
    """The host's own criteria hold, because statements are made of its mapped attributes."""
    from sqlalchemy import event, orm

    with host(shop) as h:
        order, customer = h.models.Order, h.models.Customer

        @event.listens_for(h.db.session, "do_orm_execute")
        def hide(state: orm.ORMExecuteState) -> None:
            state.statement = state.statement.options(
                orm.with_loader_criteria(order, order.status != "deleted", include_aliases=True),
                orm.with_loader_criteria(
                    customer, lambda c: c.name != "deleted", include_aliases=True
                ),
            )

        h.add(customer(id=1, name="deleted", region="EU"), customer(id=2, name="b", region="US"))
        h.add(
            order(status="deleted", customer_id=2),
            order(status="open", customer_id=1),
            order(status="open", customer_id=2),
        )
        result = _ask(h, "orders", "region")
        assert result.total == 2
        assert {r.key: r.value for r in result.rows} == {"US": 1, None: 1}


def test_members_of_an_enum_tie_as_they_are_declared() -> None:
    """Of Python's enums and of plain names alike, in the database and after."""

    def define(db: t.Any) -> dict[str, t.Any]:
        class Job(db.Model):  # type: ignore[name-defined,misc]
            id: Mapped[int] = mapped_column(primary_key=True)
            size: Mapped[str | None] = mapped_column(sa.Enum("small", "large", "huge", name="size"))

            class Janela(Vocabulary, name="jobs"):
                jobs = Count()
                size = Dimension()

        return {"Job": Job}

    with host(define) as h:
        h.add(*(h.models.Job(size=size) for size in ("huge", "small", None, "large")))
        for limit in (None, 3):
            rows = h.janela.ask("jobs", "jobs", by="size", limit=limit, caller="x").rows
            assert [row.key for row in rows] == ["small", "large", "huge", None][:limit]


def test_a_ratios_own_condition_holds_for_both_that_it_divides() -> None:
    """Beside the conditions they have themselves, and through a ratio of ratios."""

    def define(db: t.Any) -> dict[str, t.Any]:
        models = shop(db)
        models["Order"].Janela.declarations |= {
            "each": Ratio("quantity", "orders", where=lambda o: o.paid),
            "open_paid": Ratio("open_orders", "orders", where=lambda o: o.paid),
            "whole": Ratio("quantity", "orders"),
            "nested": Ratio("whole", "open_orders", where=lambda o: o.paid),
        }
        return models

    rows = [("open", 4, True), ("x", 8, True), ("open", 100, False), ("open", 7, None)]
    with host(define) as h:
        h.add(*(h.models.Order(status=s, quantity=q, paid=p) for s, q, p in rows))
        for by in (None, "status"):
            assert _ask(h, "each", by).total == 12 / 2
            assert _ask(h, "open_paid", by).total == 1 / 2
            assert _ask(h, "nested", by).total == (12 / 2) / 1
            assert _ask(h, "whole", by).total == 119 / 4


def test_a_course_begins_and_ends_with_rows_that_are_there() -> None:
    """Its first and last month are of no deleted row and of no other class in the table."""

    class Kept:
        gone: Mapped[bool] = mapped_column()

    def define(db: t.Any) -> dict[str, t.Any]:
        class Visit(Kept, db.Model):  # type: ignore[name-defined,misc]
            __mapper_args__: t.ClassVar = {"polymorphic_on": "kind", "polymorphic_identity": "v"}
            id: Mapped[int] = mapped_column(primary_key=True)
            kind: Mapped[str]
            day: Mapped[dt.date] = mapped_column(index=True)

            class Janela(Vocabulary, name="visits"):
                visits = Count()
                day = TimeDimension("day")

        class Call(Visit):
            __mapper_args__: t.ClassVar = {"polymorphic_identity": "c"}

            class Janela(Vocabulary, name="calls"):
                calls = Count()
                day = TimeDimension("day")

        @sa.event.listens_for(db.session, "do_orm_execute")
        def hide(state: t.Any) -> None:
            criteria = sa.orm.with_loader_criteria(
                Kept, lambda kept: kept.gone.is_(False), include_aliases=True
            )
            state.statement = state.statement.options(criteria)

        return {"Visit": Visit, "Call": Call}

    with host(define) as h:
        visit, call = h.models.Visit, h.models.Call
        h.add(
            visit(day=dt.date(2020, 1, 1), gone=True), visit(day=dt.date(2021, 3, 1), gone=False),
            call(day=dt.date(2021, 4, 1), gone=False), call(day=dt.date(2021, 5, 1), gone=False),
            visit(day=dt.date(2021, 6, 1), gone=False), call(day=dt.date(2022, 1, 1), gone=True),
        )  # fmt: skip
        visits = h.janela.ask("visits", "visits", by="day", caller="ana").rows
        assert [(row.key.month, row.value) for row in visits] == [(3, 1), (4, 1), (5, 1), (6, 1)]
        calls = h.janela.ask("calls", "calls", by="day", caller="ana").rows
        assert [(row.key.month, row.value) for row in calls] == [(4, 1), (5, 1)]


def test_groups_of_unknown_values_share_none() -> None:
    """Over all of them: no value, none counted, and the rows of each."""
    assert all_shared([[None, None, 0, 2], [None, None, 0, 1]]) == [None, None, 0, 3]
    assert all_shared([[None, None, 0, 2], ["a", "a", 3, 3]]) == ["a", "a", 3, 5]
    assert all_shared([["a", "a", 1, 1], ["b", "b", 2, 2]]) == ["a", "b", 3, 3]
