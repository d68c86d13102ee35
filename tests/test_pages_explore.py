"""Building a question by choosing, and putting one into a frame."""

from __future__ import annotations

import collections.abc as cabc
import typing as t
import urllib.parse

import pytest
import sqlalchemy as sa
from desk import client, desk, frame, page, pane
from hosts import Host, Person
from markup import Page, faults

from flask_janela import Frame, Pane


@pytest.fixture
def made() -> cabc.Iterator[Host]:
    with desk() as host:
        yield host


def offers(found: Page, word: str) -> list[str]:
    """What one list offers, the chosen one marked."""
    facet = next(each for each in found.all("janela-facet") if each["aria-label"] == word)
    return [
        f"{offer.words}{' *' if offer['aria-current'] else ''}"
        for offer in found.within(facet, "janela-offer")
    ]


# choosing


def test_it_starts_with_the_first_measure_of_the_first_model(made: Host) -> None:
    """With the answer to it below, and a way to the question itself."""
    found = page(made, "/janela/explore")
    assert offers(found, "Of") == [
        "Orders 3 measures, 3 dimensions *",
        "Tickets 1 measure, 1 dimension",
    ]
    assert offers(found, "show") == [
        "Orders Orders, paid or not. *",
        "Revenue",
        "Average delay",
    ]
    assert offers(found, "by") == [
        "nothing One number over everything. *",
        "region",
        "product",
        "placed Over time.",
    ]
    assert found.one("janela-value").words == "6"
    assert found.links()["Open this question"] == "/janela/ask/orders/orders"
    assert list(faults(found)) == []


def test_each_choice_keeps_the_others(made: Host) -> None:
    """Only another model starts afresh: its measures are others."""
    found = page(made, "/janela/explore?model=orders&measure=revenue&dimension=region")
    links = found.links()
    assert links["Average delay"] == ("/janela/explore?dimension=region&measure=delay&model=orders")
    assert links["product"] == "/janela/explore?dimension=product&measure=revenue&model=orders"
    assert links["nothing One number over everything."] == (
        "/janela/explore?measure=revenue&model=orders"
    )
    assert links["Tickets 1 measure, 1 dimension"] == "/janela/explore?model=tickets"
    assert [mark["aria-label"] for mark in found.all("janela-bar")] == [
        "US: $3,000.00 revenue, 82.2%",
        "EU: $600.60 revenue, 16.5%",
        "(none): $50.00 revenue, 1.4%",
    ]
    assert found.words("janela-section") == ["Revenue by region"]


def test_marks_lead_to_the_question_filtered(made: Host) -> None:
    """Exploring goes on where everything else about the question is."""
    found = page(made, "/janela/explore?model=orders&measure=orders&dimension=region")
    assert found.all("janela-bar")[0]["href"] == "/janela/ask/orders/orders/region?q.region=EU"


def test_what_a_caller_may_not_see_is_not_offered(made: Host) -> None:
    """And naming it is told like naming nothing."""
    assert "Profit" not in offers(page(made, "/janela/explore"), "show")
    page(made, "/janela/explore?model=orders&measure=profit", status=404)
    page(made, "/janela/explore?model=orders&dimension=margin", status=404)
    page(made, "/janela/explore?model=nothing", status=404)
    page(made, "/janela/explore?q.region=EU", status=400)


def test_what_only_some_may_see_is_offered_to_them(made: Host) -> None:
    """The boss has a measure and a dimension more."""
    made.people["boss"] = Person("boss", name="The boss")
    found = page(made, "/janela/explore", person="boss")
    assert "Profit" in offers(found, "show")
    assert "margin" in offers(found, "by")


# adding to a frame


def added(made: Host, address: str, form: dict[str, str], *, person: str = "ana") -> t.Any:
    return client(made, person).post(address, data=form)


def test_a_question_becomes_a_pane_with_its_filters(made: Host) -> None:
    """Everything of its address, and the answer is the same there."""
    sales = frame(made)
    pane(made, sales, measure="orders")
    address = (
        "/janela/ask/orders/revenue/region?companions=orders&limit=2&q.placed.this=year"
        "&renderer=table&where.product=plain&where.region.not=UK"
    )
    sent = page(made, address).one(tag="form")
    assert sent["method"] == "post"
    assert sent["action"] == address
    answer = added(made, sent["action"], {"frame": str(sales.id)})
    assert answer.status_code == 303
    new = made.db.session.scalars(sa.select(Pane).order_by(Pane.id.desc())).first()
    assert new is not None
    assert answer.headers["Location"] == f"/janela/frames/{sales.id}#janela-pane-{new.id}"
    assert (new.position, new.span, new.measure, new.dimension) == (2, 6, "revenue", "region")
    assert (new.limit, new.renderer, new.companions) == (2, "table", ["orders"])
    assert new.filters == {
        "placed.this": ["year"],
        "product": ["plain"],
        "region.not": ["UK"],
    }
    there = [row.words for row in page(made, address).all("janela-table__row")]
    found = page(made, f"/janela/frames/{sales.id}")
    rows = found.within(found.pane("Revenue by region"), "janela-table__row")
    assert [row.words for row in rows] == there
    made.db.session.refresh(sales)
    assert sales.updated_by == "user:ana"


def test_a_key_that_is_filtered_twice_is_refused(made: Host) -> None:
    """Both hold on the page; a pane would widen them to either."""
    sales = frame(made)
    answer = added(
        made,
        "/janela/ask/orders/orders?q.region=EU&where.region=US",
        {"frame": str(sales.id)},
    )
    assert answer.status_code == 400
    assert "region is filtered twice" in answer.text
    assert made.db.session.scalars(sa.select(Pane)).all() == []


@pytest.mark.parametrize("given", ["", "x", "-1", "99", "9" * 30, "１"])
def test_a_frame_that_is_none_takes_nothing(made: Host, given: str) -> None:
    """Whatever the form says."""
    frame(made)
    assert added(made, "/janela/ask/orders/orders", {"frame": given}).status_code in {400, 404}
    assert made.db.session.scalars(sa.select(Pane)).all() == []


def test_only_frames_that_one_may_arrange_are_offered(made: Host) -> None:
    """And a frame that is not offered takes nothing either."""
    for key, name in (("b", "Ours"), ("a", "Theirs")):
        frame(made, key=key, name=name)
    allowed = {"view"}

    @made.janela.permission
    def may(caller: t.Any, action: str, subject: t.Any = None) -> bool:
        return action in allowed and (action == "view" or subject is None or subject.key == "b")

    assert page(made, "/janela/ask/orders/orders").all(tag="form") == []
    allowed.add("arrange")
    found = page(made, "/janela/ask/orders/orders")
    assert found.words(tag="option") == ["Ours"]
    theirs = made.db.session.scalars(sa.select(Frame).where(Frame.key == "a")).one()
    answer = added(made, "/janela/ask/orders/orders", {"frame": str(theirs.id)})
    assert answer.status_code == 403


def test_a_frame_out_of_scope_takes_nothing() -> None:
    """As if it were not there."""
    with desk(scoped=False) as made:
        frame(made)

        @made.janela.scope
        def scope(model: t.Any, caller: t.Any) -> t.Any:
            return sa.select(model).where(sa.false()) if model is Frame else sa.select(model)

        assert added(made, "/janela/ask/orders/orders", {"frame": "1"}).status_code == 404
        assert "Make a frame to add this to" in page(made, "/janela/ask/orders/orders").links()


def test_what_a_pane_cannot_be_is_said(made: Host) -> None:
    """A question that nobody can ask adds nothing."""
    sales = frame(made)
    for address in ("/janela/ask/orders/nothing", "/janela/ask/orders/orders?limit=0"):
        given = {"frame": str(sales.id)}
        assert added(made, address, given).status_code in {400, 404}
    assert made.db.session.scalars(sa.select(Pane)).all() == []


def test_a_pane_leads_to_its_question_and_back(made: Host) -> None:
    """Behind its three dots: the same question under the same filters on a page of its own."""
    sales = frame(made, filters={"product": ["plain"]})
    pane(made, sales, measure="orders", dimension="region", limit=2, renderer="doughnut")
    found = page(made, f"/janela/frames/{sales.id}?q.placed.this=year")
    address = found.links()["Open as a page"]
    assert urllib.parse.parse_qs(address.partition("?")[2]) == {
        "limit": ["2"],
        "renderer": ["doughnut"],
        "q.placed.this": ["year"],
        "where.product": ["plain"],
    }
    assert page(made, address).words("janela-ring__total") == found.words("janela-ring__total")
