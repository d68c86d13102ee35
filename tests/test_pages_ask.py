"""The page of one question: its numbers, its refusals in words, and where its links lead."""

from __future__ import annotations

import collections.abc as cabc
import typing as t

import pytest
from desk import BREAKOUT, IMAGE, client, desk, page
from flask import Flask
from hosts import Host, host
from markup import Page, faults
from sqlalchemy.orm import Mapped, mapped_column

from flask_janela import Count, Dimension, Vocabulary


@pytest.fixture
def made() -> cabc.Iterator[Host]:
    with desk() as host_:
        yield host_


def cells(found: Page) -> list[list[str]]:
    """The rows of the page's table, as texts."""
    return [
        [each.words for each in found.within(row, "janela-table__cell")]
        for row in found.all("janela-table__row")
    ]


def test_a_number(made: Host) -> None:
    """The sum of six orders, its currency beside it at half size."""
    found = page(made, "/janela/ask/orders/revenue")
    assert found.one("janela-value").words == "$3,650.60"
    assert found.one("janela-value__unit--before").words == "$"
    assert found.one(tag="h1").words == "Revenue"
    assert found.words("janela-sub") == ["Over all orders that you may see."]
    assert found.one("janela-filters__end").words == "Answered 3:30:05 PM"


def test_members_with_their_table(made: Host) -> None:
    """Largest first, the null group among them, the total at its own grain."""
    found = page(made, "/janela/ask/orders/revenue/region?companions=orders&companions=delay")
    assert found.one(tag="h1").words == "Revenue by region"
    assert cells(found) == [
        ["US", "$3,000.00", "2", "-10.0 min"],
        ["EU", "$600.60", "3", "5.0 min"],
        ["(none)", "$50.00", "1", "2.0 min"],
    ]
    assert found.words("janela-table__total") == ["All 3", "$3,650.60", "6", "0.5 min"]
    assert [bar["aria-label"] for bar in found.all("janela-bar")] == [
        "US: $3,000.00 revenue, 82.2%",
        "EU: $600.60 revenue, 16.5%",
        "(none): $50.00 revenue, 1.4%",
    ]
    assert found.one(tag="figcaption").words == (
        "Revenue by region: 3 shown, from $50.00 ((none)) to $3,000.00 (US)."
    )


def test_an_average_has_no_shares(made: Host) -> None:
    """They would not add up."""
    found = page(made, "/janela/ask/orders/delay/region")
    assert [bar["aria-label"] for bar in found.all("janela-bar")] == [
        "EU: 5.0 min average delay",
        "(none): 2.0 min average delay",
        "US: -10.0 min average delay",
    ]


def test_time_is_a_line_that_says_what_has_no_date(made: Host) -> None:
    """October has two orders, November one, December two; one has no date."""
    found = page(made, "/janela/ask/orders/orders/placed")
    assert [mark["aria-label"] for mark in found.all("janela-mark")] == [
        "Oct 2013: 2 orders, 33.3%",
        "Nov 2013: 1 orders, 16.7%",
        "Dec 2013: 2 orders, 33.3%",
    ]
    assert len(found.within(found.one("janela-line"), tag="line")) == 2
    note = found.links()["1 without a date"]
    assert note == "/janela/ask/orders/orders/placed?q.placed.null=1"
    assert page(made, note).one("janela-chip__val").words == "(none)"


def test_limit_and_other(made: Host) -> None:
    """One member and the rest, which is no member and no link."""
    found = page(made, "/janela/ask/orders/revenue/region?limit=1&other=true")
    assert cells(found) == [["US", "$3,000.00"], ["Other", "$650.60"]]
    assert [bar.tag for bar in found.all("janela-bar")] == ["a", "div"]
    assert found.one("janela-note").words == "The 1 largest; all others are in Other"
    assert found.links()["Show all"] == "/janela/ask/orders/revenue/region"
    assert "the 1 largest and all others as one" in found.one("janela-sub").words


# links


def test_a_member_is_a_link_to_that_member_alone_and_back(made: Host) -> None:
    """The chosen one is lit, ticked and named as chosen; its link clears it."""
    found = page(made, "/janela/ask/orders/orders/region")
    assert found.links()["US"] == "/janela/ask/orders/orders/region?q.region=US"
    chosen = page(made, found.links()["US"])
    us, eu, none = (chosen.links()[name] for name in ("US", "EU", "(none)"))
    assert us == "/janela/ask/orders/orders/region"
    assert eu == "/janela/ask/orders/orders/region?q.region=EU"
    assert none == "/janela/ask/orders/orders/region?q.region.null=1"
    lit = chosen.one("janela-bar--lit")
    assert lit["aria-label"] == "US: 2 orders, 33.3%, chosen"
    assert lit["aria-current"] == "true"
    assert len(chosen.within(lit, "janela-bar__tick")) == 1
    assert len(chosen.all("janela-bar--unlit")) == 2
    assert chosen.one("janela-table__row--lit").words.startswith("US, chosen")


def test_a_bucket_is_a_link_to_its_half_open_range(made: Host) -> None:
    """November begins on the first and ends before December; choosing it tints it."""
    found = page(made, "/janela/ask/orders/orders/placed")
    november = found.links()["Nov 2013"]
    assert november == (
        "/janela/ask/orders/orders/placed?q.placed.gte=2013-11-01&q.placed.lt=2013-12-01"
    )
    chosen = page(made, november)
    assert chosen.one("janela-chip__val").words == "Nov 2013"
    band = chosen.one("janela-band")
    assert (band["x"], band["width"]) == ("33.333%", "33.333%")
    assert chosen.one("janela-mark--lit")["aria-label"].endswith(", chosen")
    assert "Chosen range tinted" in chosen.words("janela-note")
    assert chosen.links()["Nov 2013"] == "/janela/ask/orders/orders/placed"


def test_equal_states_have_equal_addresses(made: Host) -> None:
    """However the query string was ordered or repeated, its links are the same."""
    tidy = "q.placed.gte=2013-10-01&q.region=EU&q.region=US&where.product=plain&limit=5"
    untidy = (
        "q.region=US&limit=5&where.product=plain&q.region=EU&q.placed.gte=2013-10-01&q.region=US"
    )
    one = page(made, f"/janela/ask/orders/orders/region?{tidy}").links()
    other = page(made, f"/janela/ask/orders/orders/region?{untidy}").links()
    assert one == other
    assert one["EU"] == (
        "/janela/ask/orders/orders/region"
        "?limit=5&q.placed.gte=2013-10-01&q.region=EU&where.product=plain"
    )


def test_chips_say_every_filter_and_remove_only_the_readers(made: Host) -> None:
    """What the link fixes is locked."""
    address = "/janela/ask/orders/orders?q.region=EU&q.placed.last=90d&where.product.not=plain"
    found = page(made, address)
    assert [chip.words for chip in found.all("janela-chip")] == [
        "Product: not plain · set by the link",
        "Placed: last 90 days · Oct 3 – Dec 31, 2013",
        "Region: EU",
    ]
    links = found.links()
    assert links["Remove: Region EU"] == (
        "/janela/ask/orders/orders?q.placed.last=90d&where.product.not=plain"
    )
    assert links["Clear all"] == "/janela/ask/orders/orders?where.product.not=plain"
    assert "Remove: Product not plain" not in links
    assert found.one("janela-value").words == "2"
    assert (
        "filtered by Product not plain, Placed last 90 days and Region EU"
        in (found.words("janela-sub")[0])
    )


def test_other_ways_to_look_are_links_that_keep_the_filters(made: Host) -> None:
    """By another dimension, per another interval, as another drawing."""
    found = page(made, "/janela/ask/orders/orders/placed?q.region=EU")
    here = "/janela/ask/orders/orders"
    links = found.links()
    assert links["week"] == f"{here}/placed?granularity=week&q.region=EU"
    assert links["table"] == f"{here}/placed?q.region=EU&renderer=table"
    assert links["product"] == f"{here}/product?q.region=EU"
    assert links["nothing"] == f"{here}?q.region=EU"
    assert found.words("janela-tabs__link")[:1] == ["nothing"]
    current = [link.words for link in found.all("janela-tabs__link") if link["aria-current"]]
    assert current == ["placed", "month", "line"]
    assert "margin" not in links


def test_a_table_sorts_by_links(made: Host) -> None:
    """By value the other way round, or by what is read."""
    found = page(made, "/janela/ask/orders/revenue/region?renderer=table")
    heads = {head.words: head for head in found.all("janela-table__head")}
    assert heads["Revenue"]["aria-sort"] == "descending"
    links = found.links()
    assert links["Revenue"] == "/janela/ask/orders/revenue/region?order=value&renderer=table"
    by_label = page(made, links["Region"])
    assert [row[0] for row in cells(by_label)] == ["EU", "US", "(none)"]


# refusals


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        pytest.param(
            "region=EU",
            '"region" is not a parameter of this page; there is companions, granularity, limit, '
            "order, other, over, renderer, several, value_labels. A filter starts with q. and "
            'names a dimension: "q.region=…".',
            id="a filter without q.",
        ),
        pytest.param("a=1&b=2", '"a", "b" are not parameters', id="two unknown"),
        pytest.param("limit=1&limit=2", "limit is given twice; give it once.", id="twice"),
        pytest.param("limit=0", 'limit is "0": use a whole number from 1 to 1000.', id="limit"),
        pytest.param("renderer=radar", 'renderer is "radar": use one of number, table', id="drawn"),
        pytest.param("q.nothing=1", '"nothing" is not a dimension to filter by', id="dimension"),
        pytest.param("q.margin=1", '"margin" is not a dimension to filter by', id="hidden"),
        pytest.param("q.region.last=3d", 'region does not take "last"', id="operator"),
        pytest.param("q.placed.gte=soon", 'placed.gte is "soon": use a date such as', id="value"),
        pytest.param("q.=1", '"" is not a filter', id="no name"),
        pytest.param("where.region.null=maybe", 'region.null is "maybe": use 1', id="fixed"),
    ],
)
def test_what_cannot_be_asked_is_said_in_words(made: Host, query: str, sentence: str) -> None:
    """A filter that would be dropped, an option that cannot be: 400 and what is allowed."""
    found = page(made, f"/janela/ask/orders/orders/region?{query}", status=400)
    assert sentence in found.one("janela-empty__words").words
    assert found.all("janela-bar") == []


def define_without(db: t.Any) -> dict[str, t.Any]:
    """Orders whose vocabulary has neither the hidden measure nor the hidden dimension."""

    class Order(db.Model):  # type: ignore[name-defined,misc]
        __tablename__ = "orders"
        id: Mapped[int] = mapped_column(primary_key=True)
        region: Mapped[str | None]

        class Janela(Vocabulary):
            orders = Count()
            region = Dimension()

    return {"Order": Order}


def define_hidden(db: t.Any) -> dict[str, t.Any]:
    """The same, with a measure, a dimension and a model for nobody here."""

    class Order(db.Model):  # type: ignore[name-defined,misc]
        __tablename__ = "orders"
        id: Mapped[int] = mapped_column(primary_key=True)
        region: Mapped[str | None]

        class Janela(Vocabulary):
            orders = Count()
            profit = Count(visible_to=lambda caller: False)
            region = Dimension()
            margin = Dimension("region", visible_to=lambda caller: False)

    class Payroll(db.Model):  # type: ignore[name-defined,misc]
        id: Mapped[int] = mapped_column(primary_key=True)

        class Janela(Vocabulary, name="payroll"):
            pay = Count(visible_to=lambda caller: False)

    return {"Order": Order, "Payroll": Payroll}


@pytest.mark.parametrize(
    "address",
    [
        "/janela/ask/orders/profit",
        "/janela/ask/orders/profit/region",
        "/janela/ask/orders/orders/margin",
        "/janela/ask/payroll/pay",
        "/janela/ask/orders/orders?companions=profit",
        "/janela/ask/orders/orders?q.margin=1",
        "/janela/ask/orders/orders?q.payroll.pay=1",
        "/janela/ask/orders/orders",
        "/janela/",
    ],
)
def test_hidden_and_unknown_are_the_same_byte_for_byte(address: str) -> None:
    """The page of a host that hides it equals the page of one that never declared it."""
    bodies = []
    for define in (define_without, define_hidden):
        with host(define) as made:
            response = client_of(made).get(address)
            text = response.text
            bodies.append((response.status_code, text.partition("Answered")[0]))
    assert bodies[0] == bodies[1]


def client_of(made: Host) -> t.Any:
    from flask_login import FlaskLoginClient

    made.app.test_client_class = FlaskLoginClient
    return client(made)


# what people wrote into rows


@pytest.mark.parametrize("renderer", ["bar", "table", "line"])
def test_hostile_labels_are_text(made: Host, renderer: str) -> None:
    """In marks, titles, names under the chart, tables, chips and sentences."""
    address = f"/janela/ask/orders/orders/product?renderer={renderer}"
    for query in (
        "",
        f"&q.product={IMAGE}",
        "&q.product=%22%3E%3C/svg%3E%3Cscript%3Ealert(2)%3C/script%3E",
    ):
        response = client(made).get(address + query)
        assert response.status_code == 200
        assert "<img" not in response.text
        assert "<script>" not in response.text
        found = Page(response.text)
        assert list(faults(found)) == []
        assert {row[0].removesuffix(", chosen") for row in cells(found)} == {
            IMAGE,
            BREAKOUT,
            "plain",
        }


def test_a_hostile_address_is_text(made: Host) -> None:
    """What an error quotes from the address is escaped like everything else."""
    for address in (
        "/janela/ask/orders/%3Cscript%3Ealert(1)%3C%2Fscript%3E",
        "/janela/ask/orders/orders?%3Cscript%3E=1",
        "/janela/ask/orders/orders?q.region.%3Cscript%3E=1",
        "/janela/?sort=%3Cscript%3E",
    ):
        text = client(made).get(address).text
        assert "<script>" not in text
        assert "&lt;script" in text


def test_the_sentence_names_only_filters_that_narrow(flights_app: Flask) -> None:
    """What the question is split by is lit up, not narrowed; drawn as one number it is narrowed."""
    client = flights_app.test_client()
    client.post("/sign-in", data={"person": "lead"}, headers={"Origin": "http://localhost"})
    bars = client.get("/janela/ask/flights/flights/carrier?q.carrier=UA").text
    assert "Over all flights that you may see" in bars
    number = client.get("/janela/ask/flights/flights/carrier?q.carrier=UA&renderer=number").text
    assert "Over flights filtered by Carrier UA" in number
    assert "58,665" in number
    assert "336,776" not in number
