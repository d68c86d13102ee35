"""The form of a filter on a frame: what it offers, what it writes, and what it says."""

from __future__ import annotations

import collections.abc as cabc
import typing as t
import urllib.parse

import pytest
from desk import BREAKOUT, IMAGE, client, desk, frame, page, pane
from hosts import Host
from markup import Page, faults
from sqlalchemy import select


@pytest.fixture
def made() -> cabc.Iterator[Host]:
    with desk() as host_:
        sales = frame(host_)
        pane(host_, sales, measure="orders", dimension="region")
        pane(host_, sales, measure="orders", dimension="placed")
        pane(host_, sales, model="tickets", measure="tickets")
        yield host_


HERE = "/janela/frames/1/filter"


def form(made: Host, query: str, **more: t.Any) -> Page:
    found = page(made, f"{HERE}?{query}", **more)
    assert list(faults(found)) == []
    return found


def offered(found: Page) -> list[str]:
    return [each.words for each in found.all("janela-checks__choice")]


def ticked(found: Page) -> list[str]:
    return [
        each["value"] for each in found.all("janela-checks__input") if "checked" in each.attributes
    ]


def sent(found: Page, **typed: t.Any) -> str:
    """What a browser sends of a form that somebody filled in, and presses the button of."""
    fields = [(e["name"], e["value"]) for e in found.all(tag="input") if e["type"] == "hidden"]
    for name, value in typed.items():
        values = value if isinstance(value, list) else [value]
        fields += [(name.rstrip("_"), each) for each in values]
    return urllib.parse.urlencode(fields if "do" in typed else [*fields, ("do", "apply")])


def applied(made: Host, query: str, **typed: t.Any) -> str:
    """Where a form leads, as it is read."""
    response = client(made).get(f"{HERE}?{sent(form(made, query), **typed)}")
    assert response.status_code == 303, response.text
    return urllib.parse.unquote(response.headers["Location"])


def test_a_frame_offers_a_filter_on_each_dimension(made: Host) -> None:
    """Those without one yet, each of its models', and none that the caller may not name."""
    found = page(made, "/janela/frames/1?q.product=plain")
    menu = found.one("janela-menu--add")
    assert [each.words for each in found.within(menu, "janela-menu__item")] == [
        "Region",
        "Placed",
        "Topic",
    ]
    href = found.links()["Region"]
    assert urllib.parse.unquote(href) == f"{HERE}?dimension=orders.region&q.product=plain"
    assert form(made, href.partition("?")[2]).one(tag="h1").words == "Filter by region"
    wall = page(made, "/janela/frames/1?kiosk=1&q.product=plain")
    assert wall.all("janela-menu--add") == []
    assert "a" not in {each.tag for each in wall.all("janela-chip__text")}


def test_values_are_those_under_the_other_filters(made: Host) -> None:
    """By what people read, unknown last; the dimension's own filter does not narrow them."""
    assert offered(form(made, "dimension=orders.region")) == ["EU", "US", "(none)"]
    found = form(made, "dimension=orders.product&q.region=US&q.product=plain")
    assert offered(found) == sorted([IMAGE, "plain"])
    assert ticked(found) == ["plain"]


def test_values_are_only_those_of_the_callers_scope() -> None:
    """Read through the one function that narrows, a search too."""
    with desk(scoped=False) as host_:
        order = host_.models.Order

        @host_.janela.scope
        def scope(model: type, caller: t.Any) -> t.Any:
            return select(model).where(order.region == "US") if model is order else select(model)

        pane(host_, frame(host_), measure="orders")
        assert offered(form(host_, "dimension=orders.region")) == ["US"]
        assert offered(form(host_, "dimension=orders.product")) == sorted([IMAGE, "plain"])
        searched = form(host_, "dimension=orders.product&do=find&find=script")
        assert offered(searched) == []


def test_the_frames_own_filters_narrow_what_is_offered(made: Host) -> None:
    narrow = frame(made, "eu", "EU", filters={"region": ["EU"]})
    pane(made, narrow, measure="orders")
    found = page(made, f"/janela/frames/{narrow.id}/filter?dimension=orders.region")
    assert offered(found) == ["EU"]


@pytest.mark.parametrize(
    ("query", "typed", "where"),
    [
        ("dimension=orders.region", {"value": ["EU", "US"]}, "q.region=EU&q.region=US"),
        ("dimension=orders.region&q.product=plain", {"value": "EU", "are": "none"},
         "q.product=plain&q.region.not=EU"),
        ("dimension=orders.region", {"unknown": "1"}, "q.region.null=1"),
        ("dimension=orders.region", {"value": "EU", "unknown": "1"},
         "q.region=EU&q.region.null=1"),
        ("dimension=orders.region", {"value": "EU", "unknown": "1", "are": "none"},
         "q.region.not=EU&q.region.null=0"),
        ("dimension=orders.region&q.region=EU", {}, ""),
        ("dimension=orders.region&q.region=EU&several=1", {"value": "US"},
         "q.region=US&several=1"),
        ("dimension=tickets.topic&q.region=EU", {"value": "late"},
         "q.region=EU&q.tickets.topic=late"),
        ("dimension=orders.placed", {"from_": "2013-10-01", "to": "2013-10-31"},
         "q.placed.gte=2013-10-01&q.placed.lt=2013-11-01"),
        ("dimension=orders.placed", {"from_": "2013-10", "to": "2013"},
         "q.placed.gte=2013-10-01&q.placed.lt=2014-01-01"),
        ("dimension=orders.placed", {"to": "2013-10-31T12:30"}, "q.placed.lt=2013-10-31T12:30:00"),
        ("dimension=orders.placed", {"period": "last 30d", "from_": "2013-10-01"},
         "q.placed.last=30d"),
        ("dimension=orders.placed&q.placed.last=7d", {}, ""),
    ],
)  # fmt: skip
def test_a_form_leads_back_to_the_frame_filtered(
    made: Host, query: str, typed: dict[str, t.Any], where: str
) -> None:
    """Written as a click on the same would write it; nothing chosen takes the filter away."""
    address = applied(made, query, **typed)
    assert address == f"/janela/frames/1{'?' if where else ''}{where}"
    page(made, address)


@pytest.mark.parametrize(
    ("where", "values", "ends", "period"),
    [
        ("q.region=EU&q.region.null=1", ["EU", "1"], [], ""),
        ("q.region.not=US&q.region.null=0", ["US", "1"], [], ""),
        ("q.placed.gte=2013-10-01&q.placed.lt=2013-11-01", [], ["2013-10-01", "2013-10-31"], ""),
        ("q.placed=2013-10", [], ["2013-10-01", "2013-10-31"], ""),
        ("q.placed.lte=2013-10-31", [], ["", "2013-10-31"], ""),
        ("q.placed.this=year", [], ["", ""], "this year"),
        ("q.placed.last=36h", [], ["", ""], "last 36h"),
    ],
)
def test_a_chip_opens_the_form_filled_in(
    made: Host, where: str, values: list[str], ends: list[str], period: str
) -> None:
    """And sent as it is, it leads back to the same numbers."""
    chip = page(made, f"/janela/frames/1?{where}").one("janela-chip__text")
    found = form(made, chip["href"].partition("?")[2])
    assert ticked(found) == values
    assert [e["value"] for e in found.all("janela-field__input")] == ends
    chosen = [e["value"] for e in found.all(tag="option") if "selected" in e.attributes]
    typed: dict[str, t.Any] = {"value": [v for v in values if v != "1"], "are": chosen[0]}
    typed |= {"unknown": "1"} if "1" in values else {}
    if "placed" in where:
        typed = {"period": chosen[0], "from_": ends[0], "to": ends[1]}
        assert chosen == [period]
    again = applied(made, chip["href"].partition("?")[2], **typed)
    old, new = (
        page(made, at).words("janela-chip__val") for at in (f"/janela/frames/1?{where}", again)
    )
    assert old == new


def test_what_no_field_shows_is_kept_and_said(made: Host) -> None:
    """A filter is never dropped because a form has no field for it."""
    query = "dimension=orders.region&q.region=EU&q.region=US&q.region.not=US"
    found = form(made, query)
    assert ticked(found) == ["EU", "US"]
    assert "Beside it stays: not US." in found.words("janela-help")
    assert applied(made, query, value="EU") == "/janela/frames/1?q.region=EU&q.region.not=US"


@pytest.mark.parametrize(
    ("query", "typed", "said"),
    [
        ("dimension=orders.placed", {"from_": "soon"}, 'Placed is "soon": use a date such as'),
        ("dimension=orders.placed", {"from_": "2013-11-01", "to": "2013-10-01"},
         "The range ends before it begins."),
        ("dimension=orders.placed", {"period": "next week"}, '"next week" is not a period'),
    ],
)  # fmt: skip
def test_what_cannot_be_a_filter_is_said_beside_what_was_typed(
    made: Host, query: str, typed: dict[str, t.Any], said: str
) -> None:
    """In the words of the form, which stays as it was filled in."""
    found = form(made, sent(form(made, query), **typed), status=400)
    assert said in found.one("janela-told").words
    if "from_" in typed:
        assert found.all("janela-field__input")[0]["value"] == typed["from_"]


def test_values_beyond_the_first_are_found_by_searching(made: Host) -> None:
    """In any case; what was chosen already stays in sight and is kept."""
    order = made.models.Order
    names = [f"Product {n:03}" for n in range(250)]
    with made.app.app_context():
        made.add(*(order(product=name, amount=1) for name in names))
    first = form(made, "dimension=orders.product")
    assert len(offered(first)) == 200
    assert "These are the first 200 of them. Search for the others." in first.words("janela-help")
    found = form(made, sent(first, value="Product 003", find="DUCT 24", do="find"))
    assert offered(found) == ["Product 003", *names[240:]]
    assert ticked(found) == ["Product 003"]
    nothing = form(made, sent(first, find="50%", do="enter"))
    assert 'Nothing here is called "50%".' in nothing.words("janela-help")
    entered = sent(nothing, find="50%", value="plain", do="enter")
    response = client(made).get(f"{HERE}?{entered}")
    assert response.headers["Location"] == "/janela/frames/1?q.product=plain"


@pytest.mark.parametrize(
    ("address", "status"),
    [
        (f"{HERE}?dimension=orders.margin", 404),
        (f"{HERE}?dimension=orders.nothing", 404),
        (f"{HERE}?dimension=", 404),
        (HERE, 404),
        (f"{HERE}?dimension=orders.region&region=EU", 400),
        ("/janela/frames/99/filter?dimension=orders.region", 404),
    ],
)
def test_what_is_not_there_for_a_caller_is_not_offered(
    made: Host, address: str, status: int
) -> None:
    """A dimension that is hidden from them is told like one that does not exist."""
    page(made, address, status=status)


def test_a_hidden_dimension_and_an_unknown_one_are_told_alike(made: Host) -> None:
    hidden, unknown = (
        client(made).get(f"{HERE}?dimension=orders.{name}").text.replace(name, "…")
        for name in ("margin", "nothing")
    )
    assert hidden == unknown


def test_values_are_text_whatever_they_say(made: Host) -> None:
    """Markup in a value is read, not run."""
    assert {IMAGE, BREAKOUT} <= set(offered(form(made, "dimension=orders.product")))
