"""The live frame in a real browser: under htmx 4, under htmx 2, and without any script."""

from __future__ import annotations

import collections.abc as cabc
import re
import typing as t
from pathlib import Path

import pytest
from conftest import Serve
from live import Reader, Site, reading, served
from playwright.sync_api import expect

if t.TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

HTMX = {"htmx 4": {}, "htmx 2": {"JANELA_HTMX": "/htmx-2.js"}}

EU = "EU: 3 orders, 50.0%"
US = "US: 2 orders, 33.3%"
NOWHERE = "(none): 1 orders, 16.7%"
NOVEMBER = "Nov 2013: 1 orders, 16.7%"


@pytest.fixture(params=HTMX)
def site(request: pytest.FixtureRequest, serve: Serve, tmp_path: Path) -> cabc.Iterator[Site]:
    with served(serve, tmp_path, **HTMX[request.param]) as made:
        yield made


@pytest.fixture
def reader(chromium: Browser, site: Site) -> cabc.Iterator[Reader]:
    """A browser that runs scripts, at the frame."""
    with reading(chromium, site) as opened:
        opened.open(site.frame)
        yield opened


@pytest.fixture(params=[*HTMX, "no script"])
def any_reader(
    request: pytest.FixtureRequest, chromium: Browser, serve: Serve, tmp_path: Path
) -> cabc.Iterator[Reader]:
    """A browser at the frame: under either htmx, and without any script."""
    config = HTMX.get(request.param, {})
    with (
        served(serve, tmp_path, **config) as made,
        reading(chromium, made, scripts=request.param in HTMX) as opened,
    ):
        opened.open(made.frame)
        yield opened


def test_a_bar_filters_the_frame_and_its_chip_clears_it(any_reader: Reader) -> None:
    """The number, the address and the name of the mark follow."""
    page, frame = any_reader.page, any_reader.site.frame
    assert any_reader.number() == "$3,650.60"
    page.get_by_role("link", name=EU).click()
    any_reader.until_at(f"{frame}?q.region=EU")
    assert any_reader.number() == "$600.60"
    assert page.get_by_role("link", name=f"{EU}, chosen").count() == 1
    page.get_by_role("link", name="Remove: Region EU").click()
    any_reader.until_at(frame)
    assert any_reader.number() == "$3,650.60"


def test_a_table_value_filters_the_frame(any_reader: Reader) -> None:
    """A second click on it clears it again."""
    page, frame = any_reader.page, any_reader.site.frame
    page.locator(".janela-table__link", has_text="plain").click()
    any_reader.until_at(f"{frame}?q.product=plain")
    assert any_reader.number() == "$2,350.30"
    page.locator(".janela-table__link", has_text="plain").click()
    any_reader.until_at(frame)


def test_a_time_bucket_sets_its_half_open_range(any_reader: Reader) -> None:
    """Wherever in its column it is clicked."""
    page, frame = any_reader.page, any_reader.site.frame
    hit = page.get_by_role("link", name=NOVEMBER).locator(".janela-mark__hit")
    box = hit.bounding_box()
    assert box is not None
    hit.click(position={"x": 3, "y": box["height"] - 3})
    any_reader.until_at(f"{frame}?q.placed.gte=2013-11-01&q.placed.lt=2013-12-01")
    assert any_reader.number() == "$200.20"


def test_back_and_forward_follow(any_reader: Reader) -> None:
    """What is on screen is always what the address says."""
    page, frame = any_reader.page, any_reader.site.frame
    page.get_by_role("link", name=EU).click()
    any_reader.until_at(f"{frame}?q.region=EU")
    page.get_by_role("link", name=US).click()
    any_reader.until_at(f"{frame}?q.region=US")
    assert any_reader.number() == "$3,000.00"
    page.go_back()
    any_reader.until_at(f"{frame}?q.region=EU")
    assert any_reader.number() == "$600.60"
    page.go_back()
    any_reader.until_at(frame)
    assert any_reader.number() == "$3,650.60"
    page.go_forward()
    any_reader.until_at(f"{frame}?q.region=EU")
    assert any_reader.number() == "$600.60"


def test_the_switch_makes_clicks_add_and_remove(any_reader: Reader) -> None:
    """For those who have no keyboard, and for those who have no script."""
    page, frame = any_reader.page, any_reader.site.frame
    page.get_by_role("link", name="Select several: off").click()
    any_reader.until_at(f"{frame}?several=1")
    page.get_by_role("link", name=EU).click()
    any_reader.until_at(f"{frame}?q.region=EU&several=1")
    page.get_by_role("link", name=US).click()
    any_reader.until_at(f"{frame}?q.region=EU&q.region=US&several=1")
    assert any_reader.number() == "$3,600.60"
    page.get_by_role("link", name=f"{EU}, chosen").click()
    any_reader.until_at(f"{frame}?q.region=US&several=1")
    page.get_by_role("link", name="Select several: on").click()
    any_reader.until_at(f"{frame}?q.region=US")


def test_an_address_shows_another_caller_their_own_numbers(
    any_reader: Reader, chromium: Browser
) -> None:
    """The state travels, the scope does not."""
    page, site = any_reader.page, any_reader.site
    page.get_by_role("link", name="lost: 1 tickets, 33.3%").click()
    any_reader.until_at(f"{site.frame}?q.tickets.topic=lost")
    page.locator(".janela-table__link", has_text="plain").click()
    any_reader.until_at(f"{site.frame}?q.product=plain&q.tickets.topic=lost")
    assert any_reader.number() == "$2,350.30"
    with reading(chromium, site, who="ben") as ben:
        ben.open(any_reader.address)
        assert ben.number() == "$300.30"


def test_one_click_is_one_request(reader: Reader) -> None:
    """For the whole body: no pane asks on its own."""
    page, site = reader.page, reader.site
    site.requests.clear()
    page.get_by_role("link", name=EU).click()
    reader.until_at(f"{site.frame}?q.region=EU")
    assert site.requests == [f"{site.frame}?q.region=EU"]


@pytest.mark.parametrize("modifier", ["Control", "Meta"])
def test_several_are_selected_from_the_keyboard(reader: Reader, modifier: str) -> None:
    """Ctrl or Cmd with Enter adds and removes; Escape clears."""
    page, frame = reader.page, reader.site.frame
    page.get_by_role("link", name=EU).focus()
    page.keyboard.press("Enter")
    reader.until_at(f"{frame}?q.region=EU")
    page.get_by_role("link", name=NOWHERE).focus()
    page.keyboard.press(f"{modifier}+Enter")
    reader.until_at(f"{frame}?q.region=EU&q.region.null=1")
    assert reader.number() == "$650.60"
    page.keyboard.press(f"{modifier}+Enter")
    reader.until_at(f"{frame}?q.region=EU")
    page.keyboard.press("Escape")
    reader.until_at(frame)


def test_several_are_selected_by_clicking(reader: Reader) -> None:
    """No new tab opens; of time one stretch grows."""
    page, frame = reader.page, reader.site.frame
    page.get_by_role("link", name=US).click(modifiers=["Control"])
    reader.until_at(f"{frame}?q.region=US")
    page.get_by_role("link", name=EU).click(modifiers=["Control"])
    reader.until_at(f"{frame}?q.region=EU&q.region=US")
    page.mouse.move(0, 0)
    page.keyboard.press("Escape")
    reader.until_at(frame)
    marks = page.locator("a.janela-mark")
    marks.nth(0).click(modifiers=["Control"])
    reader.until_at(f"{frame}?q.placed.gte=2013-10-01&q.placed.lt=2013-11-01")
    marks.nth(1).click(modifiers=["Control"])
    reader.until_at(f"{frame}?q.placed.gte=2013-10-01&q.placed.lt=2013-12-01")
    assert len(page.context.pages) == 1


def test_the_focus_stays_on_the_clicked_mark(reader: Reader) -> None:
    """A bar, a bucket and a row: each is still what is focused after the swap."""
    page, frame = reader.page, reader.site.frame
    for locator, name, address in (
        (page.get_by_role("link", name=EU), "EU", "q.region=EU"),
        (page.locator("a.janela-mark").nth(1), "Nov 2013", ""),
        (page.locator(".janela-table__link", has_text="plain"), "plain", "q.product=plain"),
    ):
        reader.open(frame)
        locator.focus()
        page.keyboard.press("Enter")
        reader.until_at(f"{frame}?{address or 'q.placed.gte=2013-11-01&q.placed.lt=2013-12-01'}")
        focused = page.evaluate(
            "document.activeElement.getAttribute('aria-label') || document.activeElement.innerText"
        )
        assert focused.startswith(name), (name, focused)


def test_the_focus_is_not_lost_with_the_chip_that_is_removed(reader: Reader) -> None:
    """It goes to the bar that the chip was in."""
    page, frame = reader.page, reader.site.frame
    reader.open(f"{frame}?q.region=EU")
    page.get_by_role("link", name="Remove: Region EU").focus()
    page.keyboard.press("Enter")
    reader.until_at(frame)
    assert page.evaluate("document.activeElement.id") == "janela-filters"


def test_the_live_region_says_what_changed(reader: Reader) -> None:
    """Once it has."""
    page, frame = reader.page, reader.site.frame
    status = page.get_by_role("status")
    assert status.inner_text() == ""
    page.get_by_role("link", name=EU).click()
    reader.until_at(f"{frame}?q.region=EU")
    assert status.inner_text() == "Filtered by Region EU: 5 panes updated"
    page.get_by_role("link", name="Clear all").click()
    reader.until_at(frame)
    assert status.inner_text() == "Not filtered: 5 panes updated"


def test_what_a_reader_had_opened_and_scrolled_stays(reader: Reader) -> None:
    """The table in place of a chart, and the page's own scroll."""
    page, frame = reader.page, reader.site.frame
    shown = page.locator(".janela-pane", has_text="Orders by region").first
    shown.locator(".janela-astable__button").click()
    page.mouse.wheel(0, 120)
    shown.locator(".janela-table__link", has_text="US").hover()
    before = page.evaluate("window.scrollY")
    shown.locator(".janela-table__link", has_text="US").click()
    reader.until_at(f"{frame}?q.region=US")
    assert shown.locator("table").is_visible()
    assert page.evaluate("window.scrollY") == before


def test_old_numbers_are_dimmed_until_the_new_ones_come(reader: Reader) -> None:
    """At 62 per cent."""
    page, site = reader.page, reader.site
    site.gate.closed = True
    page.get_by_role("link", name=EU).click()
    site.gate.until(1)
    light = page.locator(".janela-pane__light").first
    expect(light).to_have_css("opacity", "0.62")
    site.gate.open()
    reader.until_at(f"{site.frame}?q.region=EU")
    expect(light).to_have_css("opacity", "1")


def test_ten_quick_clicks_end_with_the_last_one(reader: Reader) -> None:
    """Even when the database answers the newest first and the overtaken ones after it."""
    page, site = reader.page, reader.site
    site.gate.closed = True
    names = [EU, US, NOWHERE, NOVEMBER, US, NOWHERE, EU, NOVEMBER, EU, US]
    for count, name in enumerate(names, start=1):
        page.get_by_role("link", name=name).click()
        site.gate.until(count)
    assert reader.address == site.frame
    site.gate.held[-1].set()
    reader.until_at(f"{site.frame}?q.region=US")
    assert reader.number() == "$3,000.00"
    site.gate.open()
    page.get_by_role("link", name="Refresh").click()
    reader.until_at(f"{site.frame}?q.region=US")
    assert reader.number() == "$3,000.00"


def test_back_overtakes_a_click_that_has_no_answer_yet(reader: Reader) -> None:
    """And the click's own answer, when it comes, changes nothing."""
    page, site = reader.page, reader.site
    page.get_by_role("link", name=EU).click()
    reader.until_at(f"{site.frame}?q.region=EU")
    site.gate.closed = True
    page.get_by_role("link", name=US).click()
    site.gate.until(1)
    page.go_back()
    site.gate.until(2)
    site.gate.open()
    reader.until_at(site.frame)
    assert reader.number() == "$3,650.60"


def test_an_ended_session_is_not_a_hole(reader: Reader) -> None:
    """The answer that is not the frame is opened as the page that it is."""
    page, site = reader.page, reader.site
    page.context.request.get(f"{site.address}/out")
    page.get_by_role("link", name=EU).click()
    page.wait_for_url(f"{site.address}{site.frame}?q.region=EU")
    page.wait_for_load_state()
    assert "Unauthorized" in page.inner_text("body")
    reader.complaints[:] = [each for each in reader.complaints if "401" not in each]


def test_a_question_is_live_too(reader: Reader) -> None:
    """A click on its chart, another split, and Back."""
    page = reader.page
    reader.open("/janela/ask/orders/orders/region")
    page.get_by_role("link", name=EU).click()
    reader.until_at("/janela/ask/orders/orders/region?q.region=EU")
    page.get_by_role("link", name="product", exact=True).click()
    reader.until_at("/janela/ask/orders/orders/product?q.region=EU")
    assert page.locator("h1").inner_text() == "Orders by product"
    assert page.title() == "Orders by product · Janela"
    page.go_back()
    reader.until_at("/janela/ask/orders/orders/region?q.region=EU")
    assert page.locator("h1").inner_text() == "Orders by region"


def test_a_tip_says_what_the_mark_says_and_hides_no_data(reader: Reader) -> None:
    """On hover and on focus; Escape and leaving take it away, and the browser's own stays away."""
    page = reader.page
    tip = page.locator(".janela-tip")
    for name, head in ((EU, "EU"), (NOVEMBER, "Nov 2013")):
        mark = page.get_by_role("link", name=name)
        mark.hover()
        assert tip.locator("b").inner_text() == head
        assert tip.locator("span").inner_text() == name.split(": ")[1].replace(", ", " · ")
        assert mark.locator("title").count() == 0
        assert page.evaluate(OVERLAPS) == []
        page.mouse.move(0, 0)
        assert tip.is_hidden()
    page.get_by_role("link", name=EU).focus()
    page.keyboard.press("Tab")
    assert tip.locator("b").inner_text() == "US"
    page.keyboard.press("Escape")
    assert tip.is_hidden()
    assert reader.address == reader.site.frame


OVERLAPS = """() => {
  const tip = document.querySelector(".janela-tip").getBoundingClientRect();
  return [...document.querySelectorAll(
    ".janela-bar__fill, .janela-bar__n, .janela-bar__label, .janela-mark__dot, .janela-line line")]
    .filter(each => {
      const box = each.getBoundingClientRect();
      return box.left < tip.right && box.right > tip.left
        && box.top < tip.bottom && box.bottom > tip.top;
    }).map(each => each.outerHTML);
}"""


def test_panes_after_the_budget_load_themselves(
    chromium: Browser, serve: Serve, tmp_path: Path
) -> None:
    """Each from its own address; without a script each has a link there."""
    with served(serve, tmp_path, JANELA_RENDER_SECONDS=0) as site:
        site.gate.closed = True
        with reading(chromium, site) as reader:
            reader.open(f"{site.frame}?q.region=EU")
            page = reader.page
            site.gate.until(4)
            expect(page.get_by_role("link", name="lost: 1 tickets, 33.3%")).to_be_visible()
            assert page.locator(".janela-prose").count() == 1
            assert page.locator(".janela-pane--waiting.htmx-request").count() == 4
            site.gate.open()
            expect(page.locator(".janela-pane--waiting")).to_have_count(0)
            assert reader.number() == "$600.60"
            page.get_by_role("link", name=US).click()
            reader.until_at(f"{site.frame}?q.region=US")
        with reading(chromium, site, scripts=False) as plain:
            plain.open(f"{site.frame}?q.region=EU")
            plain.page.get_by_role("link", name="Load now").first.click()
            assert plain.page.locator("h1").inner_text() == "Revenue"
            assert plain.number() == "$600.60"
            plain.page.get_by_role("link", name="Sales").click()
            plain.until_at(f"{site.frame}?q.region=EU")


def test_a_pane_that_waits_is_overtaken_by_a_click(
    chromium: Browser, serve: Serve, tmp_path: Path
) -> None:
    """Its answer under the old filter never comes to stand under the new one."""
    with (
        served(serve, tmp_path, JANELA_RENDER_SECONDS=0) as site,
        reading(chromium, site) as reader,
    ):
        site.gate.closed = True
        reader.open(f"{site.frame}?q.region=EU")
        site.gate.until(4)
        site.gate.closed = False
        reader.page.get_by_role("link", name="Remove: Region EU").click()
        reader.until_at(site.frame)
        site.gate.open()
        reader.page.wait_for_load_state("networkidle")
        assert reader.number() == "$3,650.60"


def test_a_wall_refreshes_itself_but_not_while_hidden(reader: Reader) -> None:
    """No lintel, no tools; the hidden page asks once it is seen again."""
    page, site = reader.page, reader.site
    page.clock.install()
    reader.open(f"{site.frame}?kiosk=1&refresh=60")
    assert page.locator(".janela-lintel, .janela-tools").count() == 0
    site.requests.clear()
    with page.expect_response(re.compile("kiosk")):
        page.clock.run_for(61_000)
    assert len(site.requests) == 1
    page.evaluate(HIDE)
    page.clock.run_for(180_000)
    assert len(site.requests) == 1
    with page.expect_response(re.compile("kiosk")):
        page.evaluate(SHOW)
    assert len(site.requests) == 2


HIDE = """() => { Object.defineProperty(document, "hidden", {value: true, configurable: true});
  document.dispatchEvent(new Event("visibilitychange")); }"""
SHOW = HIDE.replace("true, conf", "false, conf")


def test_full_screen_is_offered_where_a_script_can_do_it(reader: Reader, chromium: Browser) -> None:
    """And nowhere else."""
    button = reader.page.get_by_role("button", name="Full screen")
    button.click()
    expect(reader.page.locator(".janela-page:fullscreen")).to_have_count(1)
    with reading(chromium, reader.site, scripts=False) as plain:
        plain.open(reader.site.frame)
        assert not plain.page.locator("#janela-full").is_visible()
