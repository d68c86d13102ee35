"""What a filter may be, what it leaves, and the one way it is written."""

from __future__ import annotations

import collections.abc as cabc
import datetime as dt
import typing as t

import pytest
import sqlalchemy as sa
from hosts import Host, host, shop
from sqlalchemy.orm import Mapped, mapped_column, relationship

from flask_janela import BadRequest, Count, Dimension, TimeDimension, Vocabulary
from flask_janela.query import filters as filters_
from flask_janela.query.asking import ask, count_members
from flask_janela.query.choosing import describe, toggle
from flask_janela.query.filters import Layers
from flask_janela.query.question import Question

NOW = dt.datetime(2024, 3, 31, 12, tzinfo=dt.UTC)


@pytest.fixture
def orders() -> cabc.Iterator[Host]:
    """Orders with statuses, quantities and times, read in Madrid on Easter Sunday 2024."""
    with host(shop, JANELA_TIMEZONE="Europe/Madrid") as h:
        h.app.extensions["janela"].now = lambda: NOW
        customer, order = h.models.Customer, h.models.Order
        h.add(customer(id=1, name="a", region="EU"), customer(id=2, name="b", region=None))
        h.add(
            *(
                order(status=status, quantity=quantity, paid=paid, customer_id=who, placed_at=at)
                for status, quantity, paid, who, at in [
                    ("open", 1, True, 1, dt.datetime(2024, 3, 30, 22, 59)),
                    ("open", 2, False, 2, dt.datetime(2024, 3, 30, 23, 0)),
                    ("closed", 3, None, 1, dt.datetime(2024, 3, 31, 21, 59, 59)),
                    ("closed", -4, True, None, dt.datetime(2024, 3, 31, 22, 0)),
                    (None, None, True, 1, None),
                    ("", 5, True, 1, dt.datetime(2024, 2, 29, 12)),
                    ("(none)", 0, True, 1, dt.datetime(2023, 3, 31, 12)),
                ]
            )
        )
        yield h


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"status": "open"}, 2),
        ({"status": ["open", "closed"]}, 4),
        ({"status": ""}, 1),
        ({"status": "(none)"}, 1),
        ({"status": "OPEN"}, 0),
        ({"status.not": "open"}, 5),
        ({"status.not": ["open", "closed", ""]}, 2),
        ({"status.null": "1"}, 1),
        ({"status.null": "0"}, 6),
        ({"status": "open", "status.null": "1"}, 3),
        ({"status": "open", "status.null": "0"}, 2),
        ({"status.null": False}, 6),
        ({"orders.status": "open"}, 2),
        ({"orders.status.not": "open"}, 5),
        ({"region": "EU"}, 5),
        ({"region.null": True}, 2),
        ({"customers.region": "EU"}, 5),
        ({"paid_already": "true"}, 5),
        ({"paid_already": False}, 1),
        ({"paid_already.not": "true"}, 2),
        ({"amount_of": "3"}, 1),
        ({"amount_of": [3, "-4"]}, 2),
        ({"amount_of": (3, "-4")}, 2),
        ({"amount_of": {3, -4}}, 2),
        ({"amount_of": frozenset({3, -4})}, 2),
        ({"amount_of": ["3", *map(str, range(1000, 1999))]}, 1),
        ({"amount_of.gte": 2}, 3),
        ({"amount_of.gte": ["2", 2]}, 3),
        ({"amount_of.gt": "2", "amount_of.lt": "5"}, 1),
        ({"amount_of.lte": "0"}, 2),
        ({"placed.gte": "2024-03-31"}, 3),
        ({"placed.gte": "2024-03-31", "placed.lte": "2024-03-31"}, 2),
        ({"placed.gt": "2024-03-31"}, 1),
        ({"placed.lt": "2024-03-31"}, 3),
        ({"placed": "2024-03-31"}, 2),
        ({"placed": ["2024-02", "2023"]}, 2),
        ({"placed": ["2023", "2024-03-31"]}, 3),
        ({"placed": ["2024", "2024-02"]}, 5),
        ({"placed": ["2023-03", "2024", "2024-02"]}, 6),
        ({"placed": ["2022", "2024", "2024-03", "2024-03-31"]}, 5),
        ({"placed": ["2024-03-30T23:00:00+00:00", "2024-03-30T23:59:00+01:00"]}, 2),
        ({"placed": ["2024-02", "2024-03"]}, 4),
        ({"placed": ["2024-02", "2023"], "placed.null": "0"}, 2),
        ({"placed": ["2024-02", "2023"], "placed.null": "1"}, 3),
        ({"placed.not": "2024"}, 2),
        ({"placed.null": "1"}, 1),
        ({"placed.gte": "2024-03-31T01:00"}, 2),
        ({"placed": "2024-03-30T23:00:00+00:00"}, 1),
        ({"placed.lte": dt.datetime(2024, 3, 30, 23, tzinfo=dt.UTC)}, 4),
        ({"placed.lt": dt.datetime(2024, 3, 30, 23, tzinfo=dt.UTC)}, 3),
        ({"placed.gte": dt.date(2024, 3, 31)}, 3),
        ({"placed.last": "1d"}, 2),
        ({"placed.last": "2d"}, 3),
        ({"placed.last": "36h"}, 2),
        ({"placed.last": "1m"}, 3),
        ({"placed.last": "2m"}, 4),
        ({"placed.last": "5w"}, 4),
        ({"placed.last": "1y"}, 4),
        ({"placed.last": "2y"}, 5),
        ({"placed.this": "day"}, 2),
        ({"placed.this": "month"}, 3),
        ({"placed.this": "year"}, 5),
        ({"placed.previous": "day"}, 1),
        ({"placed.previous": "month"}, 1),
        ({"placed.previous": "quarter"}, 0),
        ({"placed.previous": "week"}, 0),
        ({"placed.previous": "year"}, 1),
        ({"placed.this": "week"}, 3),
        ({"placed.this": "quarter"}, 4),
    ],
    ids=lambda value: str(value)[:60],
)
def test_a_filter_leaves_these_rows(orders: Host, filters: dict[str, t.Any], expected: int) -> None:
    """Counted by hand in the fixture: Madrid is at +1 until 02:00 of the 31st, then +2."""
    assert orders.janela.ask("orders", "orders", filters=filters, caller="x").total == expected


@pytest.mark.not_on("mariadb")  # its DATETIME has whole seconds
def test_a_moment_is_that_moment_alone(orders: Host) -> None:
    """The next one that a database tells apart is another."""
    at = dt.datetime(2024, 3, 30, 23)
    orders.add(orders.models.Order(placed_at=at + dt.timedelta(microseconds=1)))
    filters = {"placed": at.replace(tzinfo=dt.UTC).isoformat()}
    assert orders.janela.ask("orders", "orders", filters=filters, caller="x").total == 1


@pytest.mark.parametrize(
    ("filters", "said"),
    [
        ({"colour": "red"}, '"colour" is not a dimension to filter by; there is status, region'),
        ({"secret": "x"}, '"secret" is not a dimension to filter by; there is status, region'),
        ({"status.gte": "x"}, 'status does not take "gte"; it takes values alone, or not, null'),
        ({"status.like": "x"}, '"like" is not an operator; there is not, null, gte'),
        ({"planets.status": "x"}, '"planets" is not a model'),
        ({"a.b.c.d": "x"}, r"use \[model\.\]dimension\[\.operator\]"),
        ({"": "x"}, r"use \[model"),
        ({"orders.any.status": "open"}, r"use \[model"),
        ({"null": "1"}, '"null" is not a dimension to filter by'),
        ({"status": 3}, "use a text"),
        ({"status": "a\0b"}, "use a text"),
        ({"status": []}, "has no value"),
        ({"status": None}, r"use status\.null=1"),
        ({"status.null": "yes"}, "use 1 for unknown only"),
        ({"status.null": ["0", "1"]}, "takes one value"),
        ({"paid_already": "perhaps"}, "use true or false"),
        ({"amount_of": "3.5"}, "use a whole number"),
        ({"amount_of": "١"}, "use a whole number"),
        ({"amount_of": True}, "use a whole number"),
        ({"amount_of.gte": ["1", "2"]}, "takes one value"),
        ({"amount_of.gte": str(2**63)}, "use a whole number"),
        ({"amount_of.gt": ["1", "2"]}, "takes one value"),
        ({"placed.lte": ["2024-01", "2024-02"]}, "takes one value"),
        ({"placed.lt": ["2024-01", "2024-02"]}, "takes one value"),
        ({"placed.last": ["1d", "2d"]}, "takes one value"),
        ({"placed.this": ["month", "year"]}, "takes one value"),
        ({"placed.previous": ["month", "year"]}, "takes one value"),
        ({"placed.gte": "yesterday"}, "use a date such as 2013-07-04"),
        ({"placed.gte": "20130704"}, "use a date such as 2013-07-04"),
        ({"placed.gte": "2013-W27-4"}, "use a date such as 2013-07-04"),
        ({"placed.gte": f"2013-07-04T12:00:00.{'0' * 30}"}, "use a date such as 2013-07-04"),
        ({"placed.gte": "2024-02-30"}, "use a date"),
        ({"placed.gte": "0000"}, "use a date"),
        ({"placed.gte": "9999-12-31"}, "use a date"),
        ({"placed.last": "30"}, "such as 30d or 6m"),
        ({"placed.last": "0d"}, "such as 30d"),
        ({"placed.last": "99999y"}, "at most 1000 years"),
        ({"placed.this": "hour"}, "use one of day, week"),
        ({"status": [str(n) for n in range(1001)]}, "status has 1,001 values: use at most 1,000"),
        ({"status": "x" * 100}, None),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_filter_that_cannot_be_is_refused_in_words(
    orders: Host, filters: dict[str, t.Any], said: str | None
) -> None:
    """What was given, and what is allowed to this caller."""
    if said is None:
        assert orders.janela.ask("orders", "orders", filters=filters, caller="x").total == 0
        return
    with pytest.raises(BadRequest, match=said) as raised:
        orders.janela.ask("orders", "orders", filters=filters, caller="x")
    assert len(str(raised.value)) < 400


def test_more_than_twenty_keys_are_refused() -> None:
    """The bound is said."""

    def define(db: t.Any) -> dict[str, t.Any]:
        columns: dict[str, t.Any] = {f"c{n}": mapped_column(sa.Integer) for n in range(21)}
        members: dict[str, t.Any] = {f"c{n}": Dimension() for n in range(21)}
        vocabulary = type(Vocabulary)("Janela", (Vocabulary,), {"wides": Count(), **members})
        wide = type(
            "Wide",
            (db.Model,),
            {"id": mapped_column(sa.Integer, primary_key=True), "Janela": vocabulary, **columns},
        )
        return {"Wide": wide}

    with host(define) as h:
        twenty = {f"c{n}": "1" for n in range(20)}
        assert h.janela.ask("wide", "wides", filters=twenty, caller="x").total == 0
        with pytest.raises(BadRequest, match="there are 21 filters: use at most 20"):
            h.janela.ask("wide", "wides", filters={**twenty, "c20": "1"}, caller="x")


@pytest.mark.parametrize(
    ("filters", "written"),
    [
        (
            {"status": ["b", "a"], "orders.region": "EU"},
            [("region", "EU"), ("status", "a"), ("status", "b")],
        ),
        ({"status.null": True}, [("status.null", "1")]),
        ({"paid_already": "TRUE"}, [("paid_already", "true")]),
        ({"amount_of": "007"}, [("amount_of", "7")]),
        ({"placed.gte": dt.date(2024, 1, 2)}, [("placed.gte", "2024-01-02")]),
        ({"placed.gte": "2024-01-02T03:04"}, [("placed.gte", "2024-01-02T03:04:00")]),
        ({"placed.last": "30d"}, [("placed.last", "30d")]),
        ({"customers.region": "EU"}, [("customers.region", "EU")]),
    ],
    ids=str,
)
def test_equal_filters_are_written_alike(
    orders: Host, filters: dict[str, t.Any], written: list[tuple[str, str]]
) -> None:
    """Sorted, without the home model, and read back as the same."""
    reader = orders.janela.reader("x")
    home = reader.model("orders")
    parsed = filters_.parse(filters_.pairs(filters), reader.catalogue, "x", [home])
    pairs = filters_.write(parsed, home)
    assert pairs == written
    assert filters_.parse(pairs, reader.catalogue, "x", [home]) == parsed


def test_a_pane_ignores_the_readers_filter_on_its_own_dimension_and_lights_it(
    orders: Host,
) -> None:
    """Other layers apply there too, and the total is of what is shown."""
    reader = orders.janela.reader("x")
    home = reader.model("orders")

    def parse(given: dict[str, t.Any]) -> tuple[filters_.Filter, ...]:
        return filters_.parse(filters_.pairs(given), reader.catalogue, "x", [home])

    question = Question("orders", "orders", "status")
    chosen = parse({"status": "open", "paid_already": "true"})

    result = ask(reader, question, Layers(reader=chosen))
    assert {row.key: row.value for row in result.rows} == {
        "open": 1,
        "closed": 1,
        None: 1,
        "": 1,
        "(none)": 1,
    }
    assert result.total == 5
    assert result.chosen == ("open",)

    fixed = ask(reader, question, Layers(fixed=parse({"status": "open"}), reader=chosen))
    assert [(row.key, row.value) for row in fixed.rows] == [("open", 1)]


def test_layers_are_all_anded(orders: Host) -> None:
    """The frame's, the host's, the pane's and the reader's each narrow further."""
    reader = orders.janela.reader("x")
    home = reader.model("orders")

    def parse(given: dict[str, t.Any]) -> tuple[filters_.Filter, ...]:
        return filters_.parse(filters_.pairs(given), reader.catalogue, "x", [home])

    layers = Layers(
        frame=parse({"status": ["open", "closed", ""]}),
        fixed=parse({"status": ["open", "closed"]}),
        pane=parse({"amount_of.gte": "-10"}),
        reader=parse({"region": "EU"}),
    )
    assert ask(reader, Question("orders", "orders"), layers).total == 2


def test_a_filter_of_the_hosts_narrows_by_what_its_reader_may_not_name() -> None:
    """Whoever set it could; for the reader the dimension does not exist, and it holds."""

    def define(db: t.Any) -> dict[str, t.Any]:
        class Visit(db.Model):  # type: ignore[name-defined,misc]
            id: Mapped[int] = mapped_column(primary_key=True)
            tenant: Mapped[str]

            class Janela(Vocabulary, name="visits"):
                visits = Count()
                tenant = Dimension(visible_to=lambda caller: caller == "boss")

        return {"Visit": Visit}

    with host(define) as h:
        h.add(*(h.models.Visit(tenant=tenant) for tenant in ("a", "a", "b")))
        reader = h.janela.reader("x")
        fixed = filters_.parse(
            [("tenant", "a")], reader.catalogue, "boss", [reader.model("visits")]
        )
        assert ask(reader, Question("visits", "visits"), Layers(fixed=fixed)).total == 2
        with pytest.raises(BadRequest, match="is not a dimension"):
            h.janela.ask("visits", "visits", filters={"tenant": "a"}, caller="x")


def test_a_filter_reaches_another_model_over_the_same_column_only(orders: Host) -> None:
    """Customers have a region of the same column, and no status: that one is said."""
    reader = orders.janela.reader("x")
    home = reader.model("orders")
    given = filters_.parse(
        filters_.pairs({"region": "EU", "status": "open"}), reader.catalogue, "x", [home]
    )

    result = ask(reader, Question("customers", "customers"), Layers(reader=given))
    assert result.total == 1
    assert result.not_applied == ("Status",)

    with pytest.raises(BadRequest, match=r"orders\.status cannot filter customers"):
        ask(reader, Question("customers", "customers"), Layers(reader=given), strict=True)
    with pytest.raises(BadRequest, match=r"orders\.status cannot filter customers"):
        orders.janela.ask("customers", "customers", filters={"orders.status": "open"}, caller="x")


@pytest.mark.parametrize("turned", [False, True])
def test_two_keys_that_reach_one_dimension_both_hold(orders: Host, turned: bool) -> None:
    """The other model's region and this one's: neither replaces the other."""
    orders.add(orders.models.Customer(id=3, name="c", region="US"))
    orders.add(orders.models.Order(customer_id=3))
    pairs = [("customers.region", "EU"), ("region", "US")]
    filters = dict(reversed(pairs) if turned else pairs)
    assert orders.janela.ask("orders", "orders", filters=filters, caller="x").total == 0
    reader = orders.janela.reader("x")
    home = reader.model("orders")
    given = filters_.parse(filters_.pairs(filters), reader.catalogue, "x", [home])
    lit = ask(reader, Question("orders", "orders", "region"), Layers(reader=given))
    assert lit.chosen == ()


def test_two_ways_to_one_column_are_not_guessed_between() -> None:
    """Billing and shipping region are over one column: another model's region reaches neither."""

    def define(db: t.Any) -> dict[str, t.Any]:
        class Client(db.Model):  # type: ignore[name-defined,misc]
            id: Mapped[int] = mapped_column(primary_key=True)
            region: Mapped[str]

            class Janela(Vocabulary, name="clients"):
                clients = Count()
                region = Dimension()

        class Invoice(db.Model):  # type: ignore[name-defined,misc]
            id: Mapped[int] = mapped_column(primary_key=True)
            billed_id: Mapped[int] = mapped_column(sa.ForeignKey("client.id"))
            shipped_id: Mapped[int] = mapped_column(sa.ForeignKey("client.id"))
            billed: Mapped[Client] = relationship(foreign_keys=billed_id)
            shipped: Mapped[Client] = relationship(foreign_keys=shipped_id)

            class Janela(Vocabulary, name="invoices"):
                invoices = Count()
                billed_region = Dimension("billed.region")
                shipped_region = Dimension("shipped.region")

        return {"Client": Client, "Invoice": Invoice}

    with host(define) as h:
        client, invoice = h.models.Client, h.models.Invoice
        h.add(client(id=1, region="EU"), client(id=2, region="US"))
        h.add(invoice(billed_id=1, shipped_id=2), invoice(billed_id=2, shipped_id=2))
        by_billed = h.janela.ask(
            "invoices",
            "invoices",
            by="billed_region",
            caller="x",
            filters={"shipped_region": "US"},
        )
        assert {row.key: row.value for row in by_billed.rows} == {"EU": 1, "US": 1}
        reader = h.janela.reader("x")
        shipped = filters_.parse(
            [("shipped_region", "EU")], reader.catalogue, "x", [reader.model("invoices")]
        )
        question = Question("invoices", "invoices", "billed_region")
        assert ask(reader, question, Layers(reader=shipped)).rows == ()
        with pytest.raises(BadRequest, match="cannot filter invoices"):
            h.janela.ask("invoices", "invoices", filters={"clients.region": "EU"}, caller="x")


@pytest.mark.parametrize(
    ("names", "reached"),
    [
        ({"region": "billed", "shipped_region": "shipped"}, {"EU": 2}),
        ({"billed_region": "billed", "region": "shipped"}, {"EU": 1}),
        ({"billed_region": "billed"}, {"EU": 2}),
    ],
    ids=["of the same name", "of the same name as well", "the only one"],
)
def test_of_two_ways_to_one_column_the_one_of_the_same_name_is_reached(
    names: dict[str, str], reached: dict[str, int]
) -> None:
    """Two invoices are billed to the EU, and one of them is shipped there."""

    def define(db: t.Any) -> dict[str, t.Any]:
        class Client(db.Model):  # type: ignore[name-defined,misc]
            id: Mapped[int] = mapped_column(primary_key=True)
            region: Mapped[str]

            class Janela(Vocabulary, name="clients"):
                clients = Count()
                region = Dimension()

        dimensions = {name: Dimension(f"{way}.region") for name, way in names.items()}
        vocabulary = type(Vocabulary)("Janela", (Vocabulary,), {"n": Count(), **dimensions})

        class Invoice(db.Model):  # type: ignore[name-defined,misc]
            id: Mapped[int] = mapped_column(primary_key=True)
            billed_id: Mapped[int] = mapped_column(sa.ForeignKey("client.id"))
            shipped_id: Mapped[int] = mapped_column(sa.ForeignKey("client.id"))
            billed: Mapped[Client] = relationship(foreign_keys=billed_id)
            shipped: Mapped[Client] = relationship(foreign_keys=shipped_id)
            Janela = vocabulary

        return {"Client": Client, "Invoice": Invoice}

    with host(define) as h:
        client, invoice = h.models.Client, h.models.Invoice
        h.add(client(id=1, region="EU"), client(id=2, region="US"))
        h.add(*(invoice(billed_id=b, shipped_id=s) for b, s in [(1, 1), (1, 2), (2, 2)]))
        for region, count in reached.items():
            filters = {"clients.region": region}
            assert h.janela.ask("invoice", "n", filters=filters, caller="x").total == count


def test_a_click_chooses_one_value_alone_and_a_second_click_clears_it(orders: Host) -> None:
    """Whatever was chosen of that dimension before; other dimensions stay."""
    reader = orders.janela.reader("x")
    home = reader.model("orders")
    status, placed = home.dimensions["status"], home.dimensions["placed"]
    given = filters_.parse(
        filters_.pairs({"status": ["open", "closed"], "region": "EU"}),
        reader.catalogue,
        "x",
        [home],
    )
    rows = {r.key: r for r in ask(reader, Question("orders", "orders", "status")).rows}

    once = toggle(given, status, rows["open"])
    assert filters_.write(once, home) == [("region", "EU"), ("status", "open")]
    assert filters_.write(toggle(once, status, rows["open"]), home) == [("region", "EU")]
    assert filters_.write(toggle((), status, rows[None]), home) == [("status.null", "1")]

    march = ask(reader, Question("orders", "orders", "placed")).rows[-1]
    assert filters_.write(toggle((), placed, march), home) == [
        ("placed.gte", "2024-04-01"),
        ("placed.lt", "2024-05-01"),
    ]


@pytest.mark.parametrize(
    ("filters", "words", "when"),
    [
        ({"status": "open"}, "Open", ""),
        ({"status": ["closed", "open", "", "x"]}, "(empty), closed + 2", ""),
        ({"status.not": "open"}, "not Open", ""),
        ({"status": "open", "status.null": "1"}, "Open or (none)", ""),
        ({"status": "open", "status.not": "closed"}, "Open, not closed", ""),
        ({"status.not": "closed", "status.null": "1"}, "not closed, (none)", ""),
        ({"status.null": "0"}, "known", ""),
        ({"amount_of.gte": "2"}, "at least 2", ""),
        ({"paid_already": "true"}, "Yes", ""),
        ({"placed.gte": "2024-03-01", "placed.lt": "2024-04-01"}, "Mar 2024", ""),
        ({"placed.gte": "2024-01-01", "placed.lt": "2024-04-01"}, "Q1 2024", ""),
        ({"placed.lte": "2024-03-30"}, "until Mar 30, 2024", ""),
        ({"placed.gte": "2024-03-30"}, "from Mar 30, 2024", ""),
        ({"placed": "2024-03"}, "Mar 2024", ""),
        ({"placed.gte": "2024-03-30T12:30"}, "from Mar 30, 2024, 12:30", ""),
        ({"placed.lt": "2024-03-30T12:30"}, "before Mar 30, 2024, 12:30", ""),
        ({"placed.last": "1d"}, "last day", "Mar 31, 2024"),
        ({"placed.last": "12m"}, "last 12 months", "Apr 1, 2023\u2009–\u2009Mar 31, 2024"),
        ({"placed.this": "day"}, "this day", "Mar 31, 2024"),
        ({"placed.this": "month"}, "this month", "Mar 2024"),
        ({"placed.this": "quarter"}, "this quarter", "Q1 2024"),
        ({"placed.this": "year"}, "this year", "2024"),
        ({"placed.previous": "day"}, "previous day", "Mar 30, 2024"),
        ({"placed.previous": "week"}, "previous week", "Mar 18\u2009–\u200924, 2024"),
        ({"placed.previous": "month"}, "previous month", "Feb 2024"),
        ({"placed.previous": "quarter"}, "previous quarter", "Q4 2023"),
        ({"placed.previous": "year"}, "previous year", "2023"),
    ],
    ids=str,
)
def test_a_chip_says_a_filter_in_words(
    orders: Host, filters: dict[str, t.Any], words: str, when: str
) -> None:
    """One chip for a dimension, with the dates that relative words stand for today."""
    reader = orders.janela.reader("x")
    parsed = filters_.parse(
        filters_.pairs(filters), reader.catalogue, "x", [reader.model("orders")]
    )
    (chip,) = describe(parsed, reader)
    assert (chip.words, chip.when) == (words, when)


@pytest.mark.parametrize(
    ("filters", "start", "end"),
    [
        ({"placed.gte": "2024-03-10"}, "2024-03-10", None),
        ({"amount_of.gte": "0", "placed.gte": "2024-03-10"}, "2024-03-10", None),
        ({"placed.gt": "2024-03-10"}, "2024-03-11", None),
        ({"placed.lt": "2024-03-20"}, None, "2024-03-20"),
        ({"placed.lte": "2024-03-20"}, None, "2024-03-21"),
        ({"placed.gte": "2024-03-10", "placed.this": "month"}, "2024-03-10", "2024-04-01"),
        ({"placed.lt": "2024-03-20", "placed.this": "month"}, "2024-03-01", "2024-03-20"),
        ({"placed.gte": "2024-02-10", "placed.this": "month"}, "2024-03-01", "2024-04-01"),
        ({"placed.lt": "2024-04-20", "placed.this": "month"}, "2024-03-01", "2024-04-01"),
        ({"placed": ["2024-03-10", "2024-02"]}, "2024-02-01", "2024-03-11"),
        ({"placed.gte": "2024-03-10", "placed.not": "2024-03-20"}, "2024-03-10", None),
        ({"placed.gte": "2024-03-10", "placed.null": "0"}, "2024-03-10", None),
        ({"placed.not": "2024-03-20"}, None, None),
        ({"status": "open"}, None, None),
    ],
    ids=str,
)
def test_the_range_of_an_answer_is_what_all_its_filters_on_time_leave(
    orders: Host, filters: dict[str, t.Any], start: str | None, end: str | None
) -> None:
    """The later start and the earlier end; what takes single times out fixes neither."""
    found = orders.janela.ask("orders", "orders", by="placed", filters=filters, caller="x").range

    def day(point: dt.date | None) -> str | None:
        return None if point is None else point.isoformat()[:10]

    if start is None and end is None:
        assert found is None
    else:
        assert found is not None
        assert (day(found.start), day(found.end)) == (start, end)


SPRING = {"placed.gte": "2024-02", "placed.lt": "2024-05"}


@pytest.mark.parametrize(
    ("filters", "months"),
    [
        (SPRING, [2, 3, 4]),
        ({**SPRING, "placed.not": "2024-03"}, [2, 4]),
        ({**SPRING, "placed.not": ["2024-02", "2024-03"]}, [4]),
        ({**SPRING, "placed.not": ["2024-03-01", "2024-03-31"]}, [2, 3, 4]),
        ({**SPRING, "placed.not": "2024-01"}, [2, 3, 4]),
        ({**SPRING, "placed": ["2024-02", "2024-04-30"]}, [2, 4]),
        ({**SPRING, "placed": ["2024-01", "2024-04", "2024-05"]}, [4]),
        ({**SPRING, "placed.this": "month"}, [3]),
        ({**SPRING, "placed.null": "0"}, [2, 3, 4]),
        ({**SPRING, "placed.null": "1"}, []),
        ({**SPRING, "placed": "2024-03", "placed.null": "1"}, [3]),
        ({"placed": ["2023-12", "2024-02", "2024-04"]}, [12, 2, 4]),
    ],
    ids=str,
)
def test_a_month_that_the_filters_on_time_leave_nothing_of_is_no_row(
    orders: Host, filters: dict[str, t.Any], months: list[int]
) -> None:
    """One that they leave a day of is one, also without any order in it."""
    found = orders.janela.ask("orders", "orders", by="placed", filters=filters, caller="x")
    assert [t.cast("dt.date", row.key).month for row in found.rows] == months


def test_a_date_column_is_never_shifted() -> None:
    """A calendar day means the same day in every report zone."""

    def define(db: t.Any) -> dict[str, t.Any]:
        class Shift(db.Model):  # type: ignore[name-defined,misc]
            id: Mapped[int] = mapped_column(primary_key=True)
            day: Mapped[dt.date]

            class Janela(Vocabulary, name="shifts"):
                shifts = Count()
                day = TimeDimension("day", granularity="day")

        return {"Shift": Shift}

    with host(define, JANELA_TIMEZONE="Pacific/Apia") as h:
        h.add(*(h.models.Shift(day=dt.date(2024, 1, n)) for n in (1, 1, 3)))
        result = h.janela.ask("shifts", "shifts", by="day", caller="x")
        assert [(row.key, row.value) for row in result.rows] == [
            (dt.date(2024, 1, 1), 2),
            (dt.date(2024, 1, 2), 0),
            (dt.date(2024, 1, 3), 1),
        ]
        with pytest.raises(BadRequest, match="day is a date, give a date"):
            h.janela.ask("shifts", "shifts", filters={"day.gte": "2024-01-01T10:00"}, caller="x")
        with pytest.raises(BadRequest, match="has no hours"):
            h.janela.ask("shifts", "shifts", filters={"day.last": "3h"}, caller="x")
        with pytest.raises(BadRequest, match="use one of day, week"):
            h.janela.ask("shifts", "shifts", by="day", granularity="hour", caller="x")


def test_other_is_never_lit(orders: Host) -> None:
    """It has no key, and is not the group without one."""
    reader = orders.janela.reader("x")
    home = reader.model("orders")
    given = filters_.parse([("status.null", "1")], reader.catalogue, "x", [home])
    question = Question("orders", "orders", "status", limit=1, other=True)
    found = ask(reader, question, Layers(reader=given))
    assert [row.is_other for row in found.rows] == [False, True]
    assert found.chosen == ()


@pytest.mark.parametrize(
    ("filters", "start", "end"),
    [
        ({"placed": "2024-03"}, "2024-03-01", "2024-04-01"),
        ({"placed.gte": "2024-03-30"}, "2024-03-30", None),
        ({"placed.not": "2024-03"}, None, None),
        ({"placed": ["2024-03", "2023-03"]}, None, None),
    ],
    ids=str,
)
def test_a_choice_of_time_is_a_range_where_it_is_one(
    orders: Host, filters: dict[str, t.Any], start: str | None, end: str | None
) -> None:
    """What takes a time out, and two of them, are none."""
    reader = orders.janela.reader("x")
    home = reader.model("orders")
    given = filters_.parse(filters_.pairs(filters), reader.catalogue, "x", [home])
    found = ask(reader, Question("orders", "orders", "placed"), Layers(reader=given)).chosen_range
    if start is None:
        assert found is None
    else:
        assert found is not None
        ends = (found.start, found.end)
        assert [each and each.isoformat()[:10] for each in ends] == [start, end]


@pytest.mark.parametrize("by", ["placed", "status", "region", "paid_already", None])
def test_members_are_counted_as_they_would_be_listed(orders: Host, by: str | None) -> None:
    """Intervals without a row among them, and the group of none."""
    reader = orders.janela.reader("x")
    question = Question("orders", "orders", by)
    rows = ask(reader, question).rows
    assert count_members(reader, question) == (1 if by is None else len(rows))


@pytest.mark.parametrize(
    "filters",
    [
        {"amount_of": ["1", "3"]},
        {"amount_of": "1", "amount_of.null": "1"},
        {"amount_of.null": "1"},
        {"amount_of.null": "0"},
        {"amount_of.not": ["1", "2"]},
        {"amount_of.gte": "1", "amount_of.lt": "5"},
        {"amount_of.gt": "1"},
        {"amount_of.lte": "0", "amount_of.not": "0"},
        {"amount_of": "99"},
    ],
    ids=str,
)
def test_what_is_lit_is_what_the_filter_would_leave(
    orders: Host, filters: dict[str, t.Any]
) -> None:
    """The same filter as a fixed one, and as a reader's."""
    reader = orders.janela.reader("x")
    home = reader.model("orders")
    given = filters_.parse(filters_.pairs(filters), reader.catalogue, "x", [home])
    question = Question("orders", "orders", "amount_of")
    left = ask(reader, question, Layers(fixed=given))
    lit = ask(reader, question, Layers(reader=given))
    assert lit.chosen is not None
    assert set(lit.chosen) == {row.key for row in left.rows}
    assert len(lit.rows) == 7
    assert left.chosen is None


@pytest.mark.parametrize(
    ("layers", "together"),
    [
        pytest.param([{"status": ["a", "b"]}, {"status": ["b", "c"]}], {"status": ["b"]}, id="any"),
        pytest.param([{"status": "a"}, {"status": "b"}], None, id="nothing allowed by both"),
        pytest.param(
            [{"status.not": "a"}, {"status.not": "b"}], {"status.not": ["a", "b"]}, id="none of"
        ),
        pytest.param(
            [{"status": ["a", "b"]}, {"status.not": "b"}],
            {"status": ["a", "b"], "status.not": "b"},
            id="any and none of",
        ),
        pytest.param(
            [{"placed.gte": "2013"}, {"placed.lt": "2014"}],
            {"placed.gte": "2013", "placed.lt": "2014"},
            id="two bounds",
        ),
        pytest.param([{"placed.gte": "2013"}, {"placed.gte": "2014"}], None, id="one bound twice"),
        pytest.param([{"placed.gte": "2013"}] * 2, {"placed.gte": "2013"}, id="the same bound"),
        pytest.param([{"placed": "2013"}, {"placed": "2013-05"}], None, id="a year and its month"),
        pytest.param(
            [{"placed": ["2013", "2014"]}, {"placed": ["2013-05", "2014"]}], None, id="years"
        ),
        pytest.param([{"status": "a"}, {"status.null": "1"}], None, id="unknown ones in one layer"),
        pytest.param(
            [{"status": "a", "status.null": "1"}, {"region": "EU"}],
            {"status": "a", "status.null": "1", "region": "EU"},
            id="unknown ones in the only layer",
        ),
        pytest.param([{"status": "a"}, {"status": "a"}], {"status": "a"}, id="the same twice"),
    ],
)
def test_layers_are_told_as_one_or_not_at_all(
    layers: list[dict[str, t.Any]], together: dict[str, t.Any] | None
) -> None:
    """All of them apply: what one address says of them may not let more rows in."""
    with host(shop) as h:
        reader = h.janela.reader("ana")
        home = [reader.model("orders")]

        def read(given: dict[str, t.Any]) -> tuple[filters_.Filter, ...]:
            return filters_.parse(filters_.pairs(given), reader.catalogue, "ana", home)

        found = filters_.merged(*(read(each) for each in layers))

        if together is None:
            assert found is None
        else:
            assert found is not None
            assert set(found) == set(read(together))


@pytest.mark.parametrize(
    ("operator", "given"),
    [
        ("lte", "9999-12-31"),
        ("lte", "9999-12-31T23:59:59"),
        ("lt", "9999"),
        ("gte", "0001-01-01"),
        ("gte", "0001"),
        ("gte", "0000"),
        ("gte", "9998-12"),
    ],
)
def test_a_time_that_is_not_computed_with_is_told_the_range(operator: str, given: str) -> None:
    """Such as an open end is often written with: it says what to do instead."""
    with host(shop) as h, pytest.raises(BadRequest, match="from 0002-01-01 to 9998-01-01; for an"):
        h.janela.ask("orders", "orders", filters={f"placed.{operator}": given}, caller="ana")
