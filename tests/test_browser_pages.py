"""The pages in a real browser under a strict Content Security Policy, without any script."""

from __future__ import annotations

import collections.abc as cabc
import contextlib
import dataclasses
import typing as t

import pytest
from browsing import browsing, enterable
from conftest import Serve
from desk import desk, frame, pane

if t.TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

HOSTS_OWN = """<!doctype html><html lang="en"><head><title>A host's own page</title></head><body>
<h1>A</h1><h2>B</h2><p>C</p><ul><li>D</ul><table><tr><td>E</table><a href="#">F</a>
<button>G</button></body>"""

LOOKS = """() => ["body", "h1", "h2", "p", "ul", "table", "td", "a", "button"].map(tag => {
  const style = getComputedStyle(document.querySelector(tag));
  return [style.margin, style.padding, style.font, style.color, style.backgroundColor,
          style.listStyleType, style.textDecorationLine, style.boxSizing];
})"""


@dataclasses.dataclass
class Site:
    """The desk as it is served, with one frame of everything."""

    address: str
    frame: str


@pytest.fixture
def site(serve: Serve) -> cabc.Iterator[Site]:
    with desk(scoped=True) as made:
        sales = frame(made, description="What we sold, where and when.")
        pane(made, sales, measure="revenue", prominence=3, height=2)
        pane(made, sales, measure="orders", dimension="region", span=8)
        pane(made, sales, measure="orders", dimension="placed", span=8)
        pane(made, sales, measure="orders", dimension="placed", renderer="bar", value_labels=True)
        pane(made, sales, measure="orders", dimension="product", renderer="table")
        pane(made, sales, model="tickets", measure="tickets", dimension="topic")
        pane(made, sales, kind="text", heading="Words", body="One\n\nTwo", link="/somewhere")

        @made.app.get("/plain")
        def plain() -> str:
            return HOSTS_OWN

        enterable(made)
        yield Site(serve(made.app), f"/janela/frames/{sales.id}")


@dataclasses.dataclass
class Reader:
    """A signed-in browser, and everything that it complained about."""

    page: Page
    site: Site
    complaints: list[str]

    def open(self, address: str) -> None:
        self.page.goto(self.site.address + address)


@contextlib.contextmanager
def reading(chromium: Browser, site: Site, *, scripts: bool) -> cabc.Iterator[Reader]:
    """A signed-in browser that may not have complained about anything in the end."""
    with browsing(chromium, scripts=scripts) as (page, complaints):
        reader = Reader(page, site, complaints)
        reader.open("/in/ana")
        yield reader


@pytest.fixture
def reader(chromium: Browser, site: Site) -> cabc.Iterator[Reader]:
    """A browser that runs scripts, so that it would complain about one."""
    with reading(chromium, site, scripts=True) as opened:
        yield opened


@pytest.fixture
def plain_reader(chromium: Browser, site: Site) -> cabc.Iterator[Reader]:
    """A browser in which no script runs: everything must work in it."""
    with reading(chromium, site, scripts=False) as opened:
        yield opened


# Colours do not depend on the width, nor sizes on the colours: each once is enough.
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_every_page_loads_under_the_policy(
    reader: Reader, width: int, scheme: t.Literal["light", "dark"]
) -> None:
    """No violation, no error, and nothing wider than the window."""
    reader.page.set_viewport_size({"width": width, "height": 800})
    reader.page.emulate_media(color_scheme=scheme)
    for address in (
        "/janela/",
        "/janela/?search=nothing",
        reader.site.frame,
        f"{reader.site.frame}?q.region=EU&q.placed.gte=2013-11-15",
        "/janela/ask/orders/revenue",
        "/janela/ask/orders/revenue/product",
        "/janela/ask/orders/orders/placed?granularity=day&value_labels=true",
        "/janela/ask/orders/orders/placed?granularity=hour&renderer=bar",
    ):
        reader.open(address)
        assert reader.page.locator("h1").count() == 1, address
        box = reader.page.locator("main").bounding_box()
        assert box is not None
        assert box["width"] <= width, address


def test_a_click_filters_the_frame_and_a_second_clears_it(plain_reader: Reader) -> None:
    """A bar, then its chip's cross: whole pages, each with an address of its own."""
    plain_reader.open(plain_reader.site.frame)
    page = plain_reader.page
    page.get_by_role("link", name="EU: 3 orders, 50.0%").click()
    page.wait_for_url("**?q.region=EU")
    assert page.locator(".janela-value").inner_text() == "$600.60"
    assert page.get_by_role("link", name="EU: 3 orders, 50.0%, chosen").count() == 1
    page.get_by_role("link", name="Remove: Region EU").click()
    page.wait_for_url(f"**{plain_reader.site.frame}")


def test_a_bucket_of_a_line_is_a_target(plain_reader: Reader) -> None:
    """The whole column is, far from the thin line."""
    plain_reader.open(plain_reader.site.frame)
    page = plain_reader.page
    november = page.locator("a.janela-mark").nth(1)
    box = november.locator(".janela-mark__hit").bounding_box()
    assert box is not None
    assert box["width"] >= 24
    november.locator(".janela-mark__hit").click(position={"x": 3, "y": box["height"] - 3})
    page.wait_for_url("**?q.placed.gte=2013-11-01&q.placed.lt=2013-12-01")


def test_show_as_table_takes_the_charts_place(plain_reader: Reader) -> None:
    """From the keyboard too, and without making the pane any higher."""
    plain_reader.open(plain_reader.site.frame)
    pane_ = plain_reader.page.locator(".janela-pane", has_text="Orders by region").first
    before = pane_.bounding_box()
    summary = pane_.locator(".janela-astable__button")
    summary.focus()
    plain_reader.page.keyboard.press("Enter")
    assert pane_.locator("table").is_visible()
    assert not pane_.locator(".janela-bars").is_visible()
    assert pane_.bounding_box() == before
    plain_reader.page.keyboard.press("Enter")
    assert pane_.locator(".janela-bars").is_visible()


def test_everything_that_can_be_reached_shows_its_focus(plain_reader: Reader) -> None:
    """Every tab stop is outlined, or, a chart's column, outlines its own target."""
    plain_reader.open(plain_reader.site.frame)
    page = plain_reader.page
    seen = 0
    while seen < 60:
        page.keyboard.press("Tab")
        focused = page.locator(":focus")
        if focused.count() == 0:
            break
        seen += 1
        mark = focused.locator(".janela-mark__hit")
        if mark.count():
            style = mark.evaluate("e => getComputedStyle(e).strokeWidth")
            assert style == "2px"
        else:
            style = focused.evaluate("e => getComputedStyle(e).outlineStyle + e.className")
            assert not style.startswith("none"), style
    assert seen > 20


def test_a_pane_is_as_high_as_its_rows_say(plain_reader: Reader) -> None:
    """Two rows of 136 px and the gap of 16 between, whatever is in them."""
    plain_reader.open(plain_reader.site.frame)
    for pane_ in plain_reader.page.locator(".janela-height-2").all():
        box = pane_.bounding_box()
        assert box is not None
        assert box["height"] == 288


def test_a_site_that_is_always_light_is_so_where_the_system_is_dark(plain_reader: Reader) -> None:
    """By one attribute of its root; Janela's colours, and the browser's own of fields and bars."""
    page = plain_reader.page
    page.emulate_media(color_scheme="dark")
    plain_reader.open("/janela/")
    looks = """() => {
      const style = getComputedStyle(document.querySelector(".janela"));
      return [style.getPropertyValue("--janela-wall").trim(), style.colorScheme];
    }"""
    assert page.evaluate(looks) == ["#0e1317", "light dark"]
    page.evaluate("document.documentElement.dataset.janelaScheme = 'light'")
    assert page.evaluate(looks) == ["#f1f3f5", "light"]


def test_the_stylesheet_leaves_the_hosts_own_page_alone(reader: Reader) -> None:
    """Headings, tables and links outside .janela look as they did before it was loaded."""
    reader.open("/plain")
    before = reader.page.evaluate(LOOKS)
    reader.page.add_style_tag(url="/janela/static/janela.css")
    root = "getComputedStyle(document.documentElement)"
    assert reader.page.evaluate(f"{root}.getPropertyValue('--janela-wall')")
    assert reader.page.evaluate(LOOKS) == before
