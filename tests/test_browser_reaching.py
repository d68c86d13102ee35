"""Rings, sorting, exploring, exporting and embedding in a real browser under the strict policy."""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import re
import typing as t
from pathlib import Path

import flask
import pytest
from browsing import enterable, violations
from conftest import Serve
from desk import desk, frame, pane
from test_browser_pages import LOOKS, Reader, Site, reading

if t.TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator

pytestmark = pytest.mark.browser

HOSTS_PAGE = """<!doctype html><html lang="en"><head><title>Shop</title>{{ assets }}</head><body>
<h1>A</h1><h2>B</h2><p>C</p><ul><li>D</ul><table><tr><td>E</table><a href="#">F</a>
<button>G</button>{{ panes }}</body></html>"""


@dataclasses.dataclass
class Reached(Site):
    """The desk with one frame of what is drawn here."""

    plain: str = "/host"
    embedded: str = "/host?panes=1"


@pytest.fixture
def reached(serve: Serve) -> cabc.Iterator[Reached]:
    with desk(JANELA_RENDER_SECONDS=60) as made:
        sales = frame(made, description="What we sold.")
        pane(made, sales, measure="revenue", over="placed", prominence=3, height=2)
        pane(made, sales, measure="orders", over="placed", prominence=2)
        pane(made, sales, measure="delay", over="placed", span=3)
        pane(made, sales, measure="orders", dimension="region", renderer="doughnut")
        pane(made, sales, measure="revenue", dimension="product", renderer="pie", limit=2)
        pane(made, sales, measure="delay", dimension="region", renderer="doughnut", title="Mean")
        pane(
            made,
            sales,
            measure="orders",
            dimension="region",
            renderer="table",
            companions=["revenue", "delay"],
            span=8,
            title="Regions",
        )

        @made.app.get("/host")
        def host() -> str:
            panes = (
                "{{ janela_pane('orders', 'orders', by='region', renderer='doughnut') }}"
                f"{{{{ janela_frame({sales.id}, where={{'region': 'EU'}}) }}}}"
            )
            shown = "panes" in flask.request.args
            text = HOSTS_PAGE.replace("{{ panes }}", panes if shown else "")
            text = text.replace("{{ assets }}", "{{ janela_assets() }}" if shown else "")
            return flask.render_template_string(text)

        enterable(made)
        yield Reached(serve(made.app), f"/janela/frames/{sales.id}")


@pytest.fixture(params=[True, False], ids=["script", "no-script"])
def anyone(
    chromium: Browser, reached: Reached, request: pytest.FixtureRequest
) -> cabc.Iterator[Reader]:
    """A browser with scripts, and one without: everything here works in both."""
    with reading(chromium, reached, scripts=request.param) as opened:
        yield opened


@pytest.fixture
def scripted(chromium: Browser, reached: Reached) -> cabc.Iterator[Reader]:
    with reading(chromium, reached, scripts=True) as opened:
        yield opened


def titled(reader: Reader, title: str) -> Locator:
    """The pane under a heading."""
    heading = reader.page.get_by_role("heading", name=title, exact=True)
    return reader.page.locator(".janela-pane").filter(has=heading)


def test_a_click_on_a_slice_filters_the_frame(anyone: Reader) -> None:
    """The ring's own slice is lit, the others hollow; a second click lights them all again."""
    anyone.open(anyone.site.frame)
    ring = titled(anyone, "Orders by region")
    # The middle of US: from three sixths to five sixths of a turn, so at eight o'clock.
    box = ring.locator(".janela-ring__svg").bounding_box()
    assert box is not None
    at = {"x": box["width"] * (0.5 - 58.5 / 144 * 0.866), "y": box["height"] * (0.5 + 58.5 / 288)}
    ring.locator(".janela-ring__svg").click(position=at)  # type: ignore[arg-type]
    anyone.page.wait_for_url("**?q.region=US")
    number = titled(anyone, "Revenue").locator(".janela-value")
    number.filter(has_text="3,000.00").wait_for()
    lit = ring.locator(".janela-legend__row--lit")
    assert lit.get_by_role("link", name=re.compile("^US ?, chosen$")).count() == 1
    assert ring.locator(".janela-slice .janela-fill-0").count() == 2
    ring.locator(".janela-ring__svg").click(position=at)  # type: ignore[arg-type]
    anyone.page.wait_for_url(f"**{anyone.site.frame}")
    number.filter(has_text="3,650.60").wait_for()


def test_a_slice_is_reached_by_keyboard(anyone: Reader) -> None:
    """Enter on it filters; so does its line in the legend."""
    anyone.open(anyone.site.frame)
    anyone.page.get_by_role("link", name="EU: 3 orders, 50.0%").focus()
    anyone.page.keyboard.press("Enter")
    anyone.page.wait_for_url("**?q.region=EU")
    titled(anyone, "Revenue").locator(".janela-value").filter(has_text="600.60").wait_for()
    legend = titled(anyone, "Orders by region").locator(".janela-legend")
    legend.get_by_role("link", name="US").focus()
    anyone.page.keyboard.press("Enter")
    anyone.page.wait_for_url("**?q.region=US")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_tip_of_a_slice_says_what_it_is_and_hides_nothing(
    scripted: Reader, scheme: t.Literal["light", "dark"]
) -> None:
    """Beside the ring and its legend, on hover and on focus, readable on its glass."""
    scripted.page.emulate_media(color_scheme=scheme)
    scripted.open(scripted.site.frame)
    ring, tip = titled(scripted, "Orders by region"), scripted.page.locator(".janela-tip")
    box = ring.locator(".janela-ring__svg").bounding_box()
    assert box is not None
    # The middle of EU, the first half of the turn: at three o'clock, on the ring itself.
    scripted.page.mouse.move(
        box["x"] + box["width"] * (0.5 + 58.5 / 144), box["y"] + box["height"] / 2
    )
    tip.wait_for()
    assert tip.locator("b").inner_text() == "EU"
    assert tip.locator("span").inner_text() == "3 orders · 50.0%"
    assert ring.evaluate(HIDDEN) == []
    colours = tip.evaluate(
        "e => [getComputedStyle(e.firstChild).color, getComputedStyle(e).backgroundColor]"
    )
    assert (
        colours
        == {
            "light": ["rgb(23, 32, 42)", "rgb(255, 255, 255)"],
            "dark": ["rgb(231, 236, 241)", "rgb(21, 27, 33)"],
        }[scheme]
    )
    scripted.page.mouse.move(0, 0)
    tip.wait_for(state="hidden")
    ring.get_by_role("link", name="EU: 3 orders, 50.0%").focus()
    scripted.page.keyboard.press("Tab")
    assert tip.locator("b").inner_text() == "US"
    assert ring.evaluate(HIDDEN) == []


HIDDEN = """pane => {
  const tip = document.querySelector(".janela-tip").getBoundingClientRect();
  return [...pane.querySelectorAll(".janela-slice__fill, .janela-ring__total, .janela-legend td")]
    .filter(each => {
      const box = each.getBoundingClientRect();
      return box.left < tip.right && box.right > tip.left
        && box.top < tip.bottom && box.bottom > tip.top;
    }).map(each => each.outerHTML);
}"""


def test_a_table_is_sorted_by_its_heads(anyone: Reader) -> None:
    """By a companion, then by names; the address says so."""
    anyone.open(anyone.site.frame)
    table = titled(anyone, "Regions").locator("table")
    table.get_by_role("link", name="Average delay").click()
    anyone.page.wait_for_url("**?sort.7=-delay")
    table.locator("[aria-sort=descending]", has_text="Average delay").wait_for()
    assert [row.split()[0] for row in table.locator("tbody tr").all_inner_texts()] == [
        "EU",
        "(none)",
        "US",
    ]
    table.get_by_role("link", name="Region").click()
    anyone.page.wait_for_url("**?sort.7=region")


def test_a_pane_is_taken_away_as_a_file(anyone: Reader) -> None:
    """From the menu behind its three dots, by keyboard."""
    anyone.open(f"{anyone.site.frame}?q.region=EU&sort.7=region")
    more = titled(anyone, "Regions").locator(".janela-more summary")
    more.focus()
    anyone.page.keyboard.press("Enter")
    with anyone.page.expect_download() as download:
        titled(anyone, "Regions").get_by_role("link", name="Export as CSV").click()
    assert download.value.suggested_filename == "Sales - Regions.csv"
    lines = Path(download.value.path()).read_text("utf-8-sig").splitlines()
    assert lines[0] == "Region,Orders,Revenue,Average delay"
    assert lines[1] == "EU,3,600.60,5.0"
    anyone.complaints[:] = [c for c in anyone.complaints if not c.startswith("failed: ")]


def test_a_question_is_built_and_added_to_a_frame(anyone: Reader) -> None:
    """From the bar of the page to a new pane, by links and one form."""
    anyone.open("/janela/")
    page = anyone.page
    page.get_by_role("link", name="Explore").click()
    page.get_by_role("link", name="Revenue").first.click()
    page.wait_for_url("**/explore?measure=revenue&model=orders")
    page.get_by_role("navigation", name="by").get_by_role("link", name="region").click()
    page.wait_for_url("**dimension=region**")
    page.get_by_role("link", name="Open this question").click()
    page.wait_for_url("**/ask/orders/revenue/region")
    page.get_by_role("link", name="doughnut").click()
    page.wait_for_url("**?renderer=doughnut")
    page.get_by_role("combobox", name="Frame").select_option("Sales")
    page.get_by_role("button", name="Add to the frame").click()
    page.wait_for_url("**/frames/1#janela-pane-8")
    assert titled(anyone, "Revenue by region").locator(".janela-slice").count() == 3


# Colours do not depend on the width, nor sizes on the colours: each once is enough.
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_every_page_is_accessible_and_fits(
    scripted: Reader, width: int, scheme: t.Literal["light", "dark"]
) -> None:
    """No WCAG 2.2 A or AA violation, and nothing wider than the window."""
    scripted.page.set_viewport_size({"width": width, "height": 900})
    scripted.page.emulate_media(color_scheme=scheme)
    for address in (
        scripted.site.frame,
        f"{scripted.site.frame}?q.placed=2013-12&q.region=EU&sort.7=-delay",
        "/janela/explore",
        "/janela/explore?model=orders&measure=revenue&dimension=region",
        "/janela/ask/orders/orders/region?renderer=doughnut&q.region=EU",
        "/janela/ask/orders/revenue/product?renderer=pie&limit=1",
        "/janela/ask/orders/orders?over=placed&q.placed=2013-12",
    ):
        scripted.open(address)
        assert violations(scripted.page) == [], address


def test_a_hosts_page_looks_as_it_did_around_what_is_embedded(scripted: Reader) -> None:
    """Its own headings, lists, tables and links keep their looks; the panes have theirs."""
    site = t.cast("Reached", scripted.site)
    scripted.open(site.plain)
    before = scripted.page.evaluate(LOOKS)
    scripted.open(site.embedded)
    assert scripted.page.evaluate(LOOKS) == before
    assert scripted.page.locator(".janela-slice").count() > 3
    scripted.page.get_by_role("link", name="US: 2 orders, 33.3%").first.press("Enter")
    scripted.page.wait_for_url("**/janela/ask/orders/orders/region?q.region=US&renderer=doughnut")
