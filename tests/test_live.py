"""What the server sends for a click: pieces, places that wait, several values, modes of looking."""

from __future__ import annotations

import collections.abc as cabc

import pytest
from desk import client, desk, frame, page, pane
from hosts import Host
from markup import Page, faults

from flask_janela.query import filters as filters_
from flask_janela.query.asking import ask
from flask_janela.query.choosing import toggle
from flask_janela.query.question import Question

PART = {"HX-Request": "true"}


@pytest.fixture
def made() -> cabc.Iterator[Host]:
    with desk() as host:
        sales = frame(host)
        pane(host, sales, measure="orders", dimension="region")
        pane(host, sales, measure="orders", dimension="placed")
        pane(host, sales, measure="orders", dimension="product", renderer="table")
        pane(host, sales, measure="orders", dimension="region", renderer="doughnut")
        pane(host, sales, kind="text", heading="Words", body="One")
        yield host


def part(made: Host, address: str) -> str:
    response = client(made).get(address, headers=PART)
    assert response.status_code == 200
    return response.text


def test_htmx_gets_the_body_and_the_title_alone(made: Host) -> None:
    """To restore a whole page it gets the whole page."""
    text = part(made, "/janela/frames/1?q.region=EU")
    assert text.lstrip().startswith("<title>Sales · Janela</title>")
    assert "<html" not in text
    found = Page(text)
    whole = page(made, "/janela/frames/1?q.region=EU")
    assert found.one("janela-live").attributes == whole.one("janela-live").attributes
    assert len(found.all("janela-pane")) == len(whole.all("janela-pane")) == 5
    restored = client(made).get(
        "/janela/frames/1", headers={**PART, "HX-History-Restore-Request": "true"}
    )
    assert "<html" in restored.text


def test_every_live_link_carries_all_that_htmx_needs(made: Host) -> None:
    """On the element itself: htmx 4 inherits nothing; and it leads where its href does."""
    for address in ("/janela/frames/1?q.region=EU", "/janela/ask/orders/orders/region"):
        found = page(made, address)
        live = [each for each in found.all(tag="a") if each["hx-get"]]
        assert len(live) > 5
        for link in live:
            assert link["hx-get"] == link["href"]
            assert link["hx-target"] == link["hx-select"] == link["hx-indicator"] == "#janela-live"
            assert link["hx-swap"] == "outerMorph"
            assert link["hx-sync"] == "#janela-live:replace"
            assert link["hx-push-url"] == "true" or link["id"] == "janela-refresh"
        assert not [e for e in found.elements if "hx-on" in str(e.attributes)]
        assert list(faults(found)) == []


def test_the_live_region_has_its_words_from_the_server(made: Host) -> None:
    """Which filters, in words, and how many panes are new."""
    said = page(made, "/janela/frames/1?q.region=EU&q.product=plain").one("janela-live")
    assert said["data-janela-said"] == ("Filtered by Product plain, Region EU: 4 panes updated")
    assert page(made, "/janela/frames/1").one("janela-live")["data-janela-said"] == (
        "Not filtered: 4 panes updated"
    )


@pytest.mark.parametrize(
    ("given", "key", "expected"),
    [
        ({}, "EU", [("region", "EU")]),
        ({"region": "EU"}, "US", [("region", "EU"), ("region", "US")]),
        ({"region": ["EU", "US"]}, "US", [("region", "EU")]),
        ({"region": "EU"}, "EU", []),
        ({"region": "EU"}, None, [("region", "EU"), ("region.null", "1")]),
        ({"region": "EU", "region.null": "1"}, None, [("region", "EU")]),
        ({"region.null": "1"}, "EU", [("region", "EU"), ("region.null", "1")]),
        ({"region.null": "1"}, None, []),
        ({"region.null": "0"}, "EU", [("region", "EU")]),
        ({"region.not": "EU"}, "EU", []),
        ({"region.not": "EU"}, "US", [("region.not", "EU"), ("region.not", "US")]),
        ({"region.not": ["EU", "US"]}, "US", [("region.not", "EU")]),
        ({"region.not": "EU"}, None, [("region.not", "EU"), ("region.null", "0")]),
        ({"region": "EU", "region.not": "US"}, "US", [("region", "US")]),
        ({"region": "EU", "product": "plain"}, "EU", [("product", "plain")]),
    ],
    ids=str,
)
def test_one_more_value_is_added_or_removed(
    made: Host,
    given: dict[str, str | list[str]],
    key: str | None,
    expected: list[tuple[str, str]],
) -> None:
    """Unknown is a value like others; of those that are not wanted the clicked one joins them."""
    reader = made.janela.reader(made.people["ana"])
    home = reader.model("orders")
    own = filters_.parse(filters_.pairs(given), reader.catalogue, reader.caller, [home])
    rows = ask(reader, Question("orders", "orders", "region")).rows
    row = next(each for each in rows if each.key == key)
    changed = toggle(own, home.dimensions["region"], row, several=True)
    assert filters_.write(changed, home) == expected


@pytest.mark.parametrize(
    ("start", "end", "month", "expected"),
    [
        pytest.param("2013-10-01", "2013-11-01", 11, "2013-10-01 2013-12-01", id="grows right"),
        pytest.param("2013-12-01", "2014-01-01", 10, "2013-10-01 2014-01-01", id="to the hull"),
        pytest.param("2013-10-01", "2014-01-01", 10, "2013-11-01 2014-01-01", id="first off"),
        pytest.param("2013-10-01", "2014-01-01", 12, "2013-10-01 2013-12-01", id="last off"),
        pytest.param("2013-10-01", "2013-11-01", 10, "", id="the only one off"),
        pytest.param("2013-10-01", "2014-01-01", 11, "2013-11-01 2014-01-01", id="inside"),
        pytest.param("2013-10", "2013-11", 11, "2013-10 2013-12-01", id="months written short"),
    ],
)
def test_of_time_one_stretch_stays(
    made: Host, start: str, end: str, month: int, expected: str
) -> None:
    """Without a hole, whatever bucket is added or removed."""
    reader = made.janela.reader(made.people["ana"])
    home = reader.model("orders")
    given = {"placed.gte": start, "placed.lt": end}
    own = filters_.parse(filters_.pairs(given), reader.catalogue, reader.caller, [home])
    rows = ask(reader, Question("orders", "orders", "placed")).rows
    row = next(each for each in rows if each.key is not None and each.key.month == month)
    changed = toggle(own, home.dimensions["placed"], row, several=True)
    assert [value for _, value in filters_.write(changed, home)] == expected.split()


def test_in_several_mode_plain_links_add_and_remove(made: Host) -> None:
    """Without a script too; the mode is in the address and stays there."""
    usual = page(made, "/janela/frames/1?q.region=EU")
    us = next(e for e in usual.all("janela-bar") if e["aria-label"].startswith("US"))
    assert us["href"] == "/janela/frames/1?q.region=US"
    assert us["data-janela-several"] == "/janela/frames/1?q.region=EU&q.region=US"
    several = page(made, "/janela/frames/1?q.region=EU&several=1")
    us = next(e for e in several.all("janela-bar") if e["aria-label"].startswith("US"))
    assert us["href"] == "/janela/frames/1?q.region=EU&q.region=US&several=1"
    assert us["data-janela-several"] == ""
    assert several.one("janela-switch")["href"] == "/janela/frames/1?q.region=EU"
    asked = page(made, "/janela/ask/orders/orders/region?q.region=EU&several=1")
    us = next(e for e in asked.all("janela-bar") if e["aria-label"].startswith("US"))
    assert us["href"] == "/janela/ask/orders/orders/region?q.region=EU&q.region=US&several=1"


def test_a_page_that_took_its_time_leaves_the_rest_to_themselves() -> None:
    """Words are drawn at once; what htmx asks for comes whole."""
    with desk(JANELA_RENDER_SECONDS=0) as made:
        sales = frame(made)
        pane(made, sales, measure="orders", dimension="region")
        pane(made, sales, kind="text", heading="Words", body="One")
        found = page(made, "/janela/frames/1?q.region=EU&several=1")
        waiting = found.one("janela-pane--waiting")
        assert found.words("janela-pane__title") == ["Orders by region", "Words"]
        link = next(e for e in found.within(waiting, tag="a") if e.words == "Load now")
        there = "/janela/frames/1/panes/1?q.region=EU&several=1"
        assert link["href"] == link["hx-get"] == there
        assert link["hx-target"] == f"#{waiting['id']}"
        assert link["hx-select"] == "#janela-pane-1"
        assert found.one("janela-live")["data-janela-said"] == (
            "Filtered by Region EU: 0 panes updated, 1 still asking"
        )
        assert len(found.all("janela-prose")) == 1
        assert list(faults(found)) == []
        other = page(made, "/janela/frames/1").one("janela-pane--waiting")
        assert other["id"] != waiting["id"]
        assert Page(part(made, "/janela/frames/1")).all("janela-pane--waiting") == []
        brought = Page(part(made, there))
        assert brought.pane("Orders by region")["id"] == "janela-pane-1"
        us = next(e for e in brought.all("janela-bar") if e["aria-label"].startswith("US"))
        assert us["hx-get"] == "/janela/frames/1?q.region=EU&q.region=US&several=1"


def test_a_pane_has_a_page_of_its_own(made: Host) -> None:
    """Its marks lead to the frame; of another frame's pane nothing is said."""
    found = page(made, "/janela/frames/1/panes/1?q.product=plain")
    assert found.one(tag="h1").words == "Orders by region"
    eu = next(e for e in found.all("janela-bar") if e["aria-label"].startswith("EU"))
    assert eu["href"] == "/janela/frames/1?q.product=plain&q.region=EU"
    assert eu["hx-get"] == ""
    assert found.links()["Sales"] == "/janela/frames/1?q.product=plain"
    assert list(faults(found)) == []
    frame(made, "other", "Other")
    page(made, "/janela/frames/2/panes/1", status=404)
    page(made, "/janela/frames/1/panes/99", status=404)


def test_a_wall_shows_nothing_to_operate(made: Host) -> None:
    """And refreshes itself, without a script too; its links stay on the wall."""
    found = page(made, "/janela/frames/1?kiosk=1&refresh=60")
    assert found.all("janela-lintel") == found.all("janela-tools") == []
    assert found.all("janela-filters") == []
    assert page(made, "/janela/frames/1?kiosk=1&q.region=EU").all("janela-filters") != []
    again = next(e for e in found.all(tag="meta") if e["http-equiv"] == "refresh")
    assert again["content"] == "60"
    assert again.inside[-1].tag == "noscript"
    assert found.one("janela-live")["data-janela-refresh"] == "60"
    eu = next(e for e in found.all("janela-bar") if e["aria-label"].startswith("EU"))
    assert eu["href"] == "/janela/frames/1?kiosk=1&q.region=EU&refresh=60"


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("refresh=4", 'refresh is "4": use a whole number of seconds from 5 to 86400.'),
        ("refresh=86401", 'refresh is "86401": use'),
        ("refresh=soon", 'refresh is "soon": use'),
        ("refresh=%D9%A6%D9%A0", "use a whole number of seconds"),
        ("kiosk=yes", 'kiosk is "yes": use 1, or leave it out.'),
        ("several=0", 'several is "0": use 1, or leave it out.'),
    ],
)
def test_a_mode_that_cannot_be_is_said_in_words(made: Host, query: str, sentence: str) -> None:
    """400, never a page that quietly does not refresh."""
    found = page(made, f"/janela/frames/1?{query}", status=400)
    assert sentence in found.one("janela-empty__words").words


@pytest.mark.parametrize(
    ("htmx", "scripts"),
    [
        (None, ["/janela/static/vendor/htmx.min.js", "/janela/static/janela.js"]),
        ("/my/htmx.js", ["/my/htmx.js", "/janela/static/janela.js"]),
        ("", ["/janela/static/janela.js"]),
    ],
)
def test_a_host_may_bring_its_own_htmx(htmx: str | None, scripts: list[str]) -> None:
    """Another address, or none where its base template loads it."""
    with desk(JANELA_HTMX=htmx) as made:
        found = page(made, "/janela/")
        assert [each["src"] for each in found.all(tag="script")] == scripts
