"""Arranging in a real browser under the strict policy: by mouse, by keyboard, without script."""

from __future__ import annotations

import collections.abc as cabc
import contextlib
import dataclasses
import re
import typing as t
from pathlib import Path

import pytest
from browsing import OVERTAKEN, browsing, enterable, violations
from conftest import Serve
from desk import desk, frame, pane
from hosts import Host

if t.TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page, Route

pytestmark = pytest.mark.browser


@dataclasses.dataclass
class Desk:
    """The desk as it is served from a file, so that several requests may write at once."""

    made: Host
    address: str


@pytest.fixture
def served(serve: Serve, tmp_path: Path) -> cabc.Iterator[Desk]:
    database = f"sqlite:///{tmp_path / 'desk.sqlite'}"
    with desk(SQLALCHEMY_DATABASE_URI=database, SQLALCHEMY_ENGINE_OPTIONS={}) as made:
        enterable(made)
        yield Desk(made, serve(made.app))


@dataclasses.dataclass
class Analyst:
    """A signed-in browser."""

    page: Page
    address: str
    complaints: list[str]

    def open(self, address: str) -> None:
        self.page.goto(self.address + address)

    def titles(self) -> list[str]:
        return self.page.locator(".janela-pane__title").all_inner_texts()

    def steps(self) -> list[str]:
        """What stands between two buttons each; where that is a field, what it holds."""
        return list(
            self.page.locator(".janela-step__value").evaluate_all(
                """all => all.map(each => {
                const field = each.querySelector("[type=number]");
                const words = field ? [field.value, field.nextElementSibling.innerText]
                  : [each.innerText];
                return words.join(" ").split(/\\s+/).join(" "); })"""
            )
        )

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    def reach(self, name: str, *, most: int = 120) -> None:
        """Press Tab until the element of that name has the focus."""
        for _ in range(most):
            if _focused(self.page) == name:
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"{name!r} is not reached by Tab; focus is on {_focused(self.page)!r}")


def _focused(page: Page) -> str:
    """The name of what has the focus: its label, else its text."""
    return str(
        page.evaluate(
            """() => { const e = document.activeElement;
            const label = e.getAttribute("aria-label")
              || (e.labels && e.labels.length ? e.labels[0].innerText : e.innerText) || "";
            return label.trim(); }"""
        )
    )


@contextlib.contextmanager
def signed_in(
    chromium: Browser, served: Desk, *, scripts: bool = True, person: str = "ana", **more: t.Any
) -> cabc.Iterator[Analyst]:
    """A browser that may not have complained about anything but the answers that were meant."""
    more.setdefault("viewport", {"width": 1280, "height": 900})
    # Pages are left while they load: what they then do without is no complaint; a console's is.
    meant = rf"{OVERTAKEN}|^net::|status of (400|409) "
    with browsing(chromium, scripts=scripts, meant=meant, **more) as (page, complaints):
        analyst = Analyst(page, served.address, complaints)
        analyst.open(f"/in/{person}")
        yield analyst


@pytest.fixture(params=[True, False], ids=["script", "no-script"])
def analyst(
    chromium: Browser, served: Desk, request: pytest.FixtureRequest
) -> cabc.Iterator[Analyst]:
    """A browser with scripts, and one without: everything but the drag works in both."""
    with signed_in(chromium, served, scripts=request.param) as opened:
        yield opened


@pytest.fixture
def dragging(chromium: Browser, served: Desk) -> cabc.Iterator[Analyst]:
    with signed_in(chromium, served, reduced_motion="reduce") as opened:
        yield opened


def three(served: Desk) -> str:
    """The page that arranges a frame of three panes."""
    sales = frame(served.made)
    pane(served.made, sales, measure="revenue", height=2)
    pane(served.made, sales, measure="orders", dimension="region")
    pane(served.made, sales, kind="text", heading="Words", body="Read me")
    return f"/janela/frames/{sales.id}/arrange"


SIX = ["Revenue", "Orders by region", "Average delay per month", "Tickets", "How to read", "Mix"]


def test_six_panes_are_arranged_from_nothing_by_mouse(analyst: Analyst) -> None:
    """From an index without frames to a frame of six, every step a click or typed words."""
    page = analyst.page
    analyst.open("/janela/")
    page.get_by_role("link", name="New frame").click()
    page.get_by_label("Name").fill("Sales desk")
    page.get_by_label("Description").fill("What we sold, where and when.")
    page.get_by_label("Only where").fill("orders.placed.gte = 2013-01-01")
    analyst.button("Make the frame").click()

    def add(model: str) -> None:
        page.get_by_role("link", name=re.compile("Add a pane")).first.click()
        page.get_by_role("link", name=re.compile(f"^{model}")).click()

    def done() -> None:
        analyst.button("Add pane").click()
        page.wait_for_url("**/arrange#*")

    add("Orders")
    page.get_by_label("show").select_option("Revenue")
    page.get_by_label("Columns wide").select_option("6")
    done()
    add("Orders")
    page.get_by_label("by", exact=True).select_option("Region")
    done()
    add("Orders")
    page.get_by_label("show").select_option("Average delay")
    page.get_by_label("by", exact=True).select_option("Placed")
    analyst.button("Preview").click()
    page.get_by_role("heading", name="Average delay per month").wait_for()
    assert page.get_by_text("Doughnut").locator("input").is_disabled()
    done()
    add("Tickets")
    done()
    page.get_by_role("link", name=re.compile("Add a pane")).first.click()
    page.get_by_role("link", name="Words").click()
    page.get_by_label("Heading").fill("How to read")
    page.get_by_label("Words", exact=True).fill("Revenue is what was paid.")
    done()
    add("Orders")
    page.get_by_label("by", exact=True).select_option("Product")
    analyst.button("Preview").click()
    page.locator("#janela-preview").get_by_role("heading", name="Orders by product").wait_for()
    page.get_by_text("Doughnut").click()
    page.get_by_label("Title").fill("Mix")
    page.get_by_text("Filters, companions, limit and order").click()
    page.get_by_label("Most members").fill("2")
    page.get_by_label("One row for all others").check()
    done()
    assert analyst.titles() == SIX
    assert analyst.steps()[:3] == ["1 of 6", "6 wide", "1 high"]
    page.get_by_role("link", name="Done").click()
    assert analyst.titles() == SIX
    assert page.locator("figure .janela-ring, .janela-ring").count() >= 1


def test_six_panes_are_arranged_from_nothing_by_keyboard(analyst: Analyst) -> None:
    """Tab, Enter, Space, arrows and letters: nothing needs a mouse."""
    page, keys = analyst.page, analyst.page.keyboard
    analyst.open("/janela/")

    def follow(name: str) -> None:
        analyst.reach(name)
        with page.expect_navigation():
            keys.press("Enter")

    def choose(field: str, value: str) -> None:
        analyst.reach(field)
        keys.type(value)

    def done() -> None:
        follow("Add pane")

    def start() -> None:
        follow("Add a pane")

    follow("New frame")
    analyst.reach("Name")
    keys.type("Sales desk")
    follow("Make the frame")
    start()
    follow("Orders\n3 measures, 3 dimensions")
    choose("show", "Revenue")
    done()
    start()
    follow("Orders\n3 measures, 3 dimensions")
    choose("by", "Region")
    done()
    start()
    follow("Orders\n3 measures, 3 dimensions")
    choose("show", "Average")
    choose("by", "Placed")
    done()
    start()
    follow("Tickets\n1 measure, 1 dimension")
    done()
    start()
    follow("Words")
    analyst.reach("Heading")
    keys.type("How to read")
    done()
    start()
    follow("Orders\n3 measures, 3 dimensions")
    choose("by", "Product")
    analyst.reach("Title")
    keys.type("Mix")
    done()
    assert analyst.titles() == SIX
    for name in ("Later: Revenue", "Wider: Revenue", "Taller: Revenue"):
        follow(name)
        assert _focused(page) == name
    assert analyst.titles()[:2] == ["Orders by region", "Revenue"]
    assert analyst.steps()[3:6] == ["2 of 6", "5 wide", "2 high"]


def test_a_removal_is_undone(analyst: Analyst, served: Desk) -> None:
    """The toast offers it after the page has come back."""
    analyst.open(three(served))
    analyst.button("Remove Orders by region").click()
    analyst.page.get_by_text("Removed “Orders by region”.").wait_for()
    assert analyst.titles() == ["Revenue", "Words"]
    analyst.button("Undo").click()
    analyst.page.wait_for_url("**/arrange#*")
    assert analyst.titles() == ["Revenue", "Orders by region", "Words"]
    assert analyst.page.locator(".janela-toast").count() == 0


def test_the_focus_stays_on_the_button_that_was_pressed(analyst: Analyst, served: Desk) -> None:
    """Or on its counterpart in reach of one Tab where it can go no further."""
    analyst.open(three(served))
    for _ in range(2):
        analyst.button("Later: Revenue").focus()
        with analyst.page.expect_navigation():
            analyst.page.keyboard.press("Enter")
    assert analyst.titles() == ["Orders by region", "Words", "Revenue"]
    analyst.page.keyboard.press("Tab")
    assert _focused(analyst.page) in {"Narrower: Revenue", "Wider: Revenue"}


def test_two_tabs_that_edit_one_frame_lose_nothing(analyst: Analyst, served: Desk) -> None:
    """The second is told the story, finds what was typed, and sends it again."""
    analyst.open(three(served))
    page = analyst.page
    second = analyst.page.context.new_page()
    second.goto(page.url)
    second.get_by_role("link", name="Edit Words").click()
    second.get_by_label("Heading").fill("Mine")
    page.get_by_role("link", name="Edit Words").click()
    page.get_by_label("Heading").fill("Theirs")
    analyst.button("Save pane").click()
    page.wait_for_url("**/arrange#*")
    second.get_by_role("button", name="Save pane").click()
    told = second.get_by_role("alert")
    told.wait_for()
    assert "changed by you" in told.inner_text()
    assert "Theirs" in told.inner_text()
    assert second.get_by_label("Heading").input_value() == "Mine"
    second.get_by_role("button", name="Save pane").click()
    second.wait_for_url("**/arrange#*")
    page.reload()
    assert analyst.titles() == ["Revenue", "Orders by region", "Mine"]


def test_a_button_of_a_stale_tab_tells_the_story(analyst: Analyst, served: Desk) -> None:
    """And offers to do it all the same."""
    analyst.open(three(served))
    page = analyst.page
    second = analyst.page.context.new_page()
    second.goto(page.url)
    analyst.button("Wider: Revenue").click()
    page.wait_for_url("**#janela-wider-*")
    second.get_by_role("button", name="Later: Revenue").click()
    second.get_by_role("heading", name="Changed meanwhile").wait_for()
    second.get_by_role("button", name="Move “Revenue” later all the same").click()
    second.wait_for_url("**/arrange#*")
    page.reload()
    assert analyst.titles() == ["Orders by region", "Revenue", "Words"]
    assert analyst.steps()[3:5] == ["2 of 3", "5 wide"]


def drag(page: Page, what: str, onto: str) -> None:
    """Take a pane by its handle and let it go over the far corner of another."""
    source = page.locator(".janela-pane", has_text=what).locator(".janela-handle").bounding_box()
    target = page.locator(".janela-pane", has_text=onto).bounding_box()
    assert source is not None
    assert target is not None
    page.mouse.move(source["x"] + 8, source["y"] + 8)
    page.mouse.down()
    page.mouse.move(source["x"] + 30, source["y"] + 20, steps=4)
    x, y = target["x"] + target["width"] * 0.8, target["y"] + target["height"] * 0.6
    page.mouse.move(x, y, steps=12)
    page.mouse.move(x + 4, y + 2, steps=3)
    page.mouse.up()


def test_a_pane_is_dragged_to_another_place(dragging: Analyst, served: Desk) -> None:
    """Its numbers stay on screen, its place is saved, and the buttons go on from there."""
    dragging.open(three(served))
    page = dragging.page
    page.evaluate("() => { document.querySelector('.janela-value').dataset.mine = '1'; }")
    drag(page, "Revenue", "Words")
    page.get_by_text("Move “Revenue” to place 3: now 3 of 3.").wait_for()
    assert dragging.titles() == ["Orders by region", "Words", "Revenue"]
    assert page.locator(".janela-value[data-mine]").inner_text() == "$3,650.60"
    assert page.locator("[data-janela-version]").inner_text() == "5"
    assert [dragging.steps()[at] for at in (0, 3, 6)] == ["1 of 3", "2 of 3", "3 of 3"]
    assert dragging.button("Later: Revenue").is_disabled()
    dragging.button("Earlier: Revenue").click()
    page.wait_for_url("**#janela-earlier-*")
    assert dragging.titles() == ["Orders by region", "Revenue", "Words"]


def test_a_drag_on_a_stale_page_puts_the_pane_back(dragging: Analyst, served: Desk) -> None:
    """And tells who was faster, with a way to the frame as it is."""
    dragging.open(three(served))
    page = dragging.page
    second = dragging.page.context.new_page()
    second.goto(page.url)
    second.get_by_role("button", name="Wider: Words").click()
    second.wait_for_url("**#janela-wider-*")
    page.bring_to_front()
    drag(page, "Revenue", "Words")
    page.get_by_text("changed by you").last.wait_for()
    assert dragging.titles() == ["Revenue", "Orders by region", "Words"]
    page.get_by_role("link", name="See it as it is now").click()
    page.wait_for_load_state()
    assert dragging.steps()[7] == "5 wide"


def pull(page: Page, what: str, right: int, down: int) -> None:
    """Take a pane by its corner and pull that."""
    grip = page.locator(".janela-pane", has_text=what).locator(".janela-grip").bounding_box()
    assert grip is not None
    x, y = grip["x"] + 16, grip["y"] + 16
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + right, y + down, steps=6)


def test_a_pane_is_pulled_to_another_size(dragging: Analyst, served: Desk) -> None:
    """Both ways at once, in whole columns and rows; Escape leaves it as it was."""
    dragging.open(three(served))
    page = dragging.page
    pull(page, "Revenue", 210, 170)
    assert dragging.steps()[1:3] == ["6 wide", "3 high"]
    page.keyboard.press("Escape")
    assert dragging.steps()[1:3] == ["4 wide", "2 high"]
    page.mouse.up()
    pull(page, "Revenue", 210, 170)
    with page.expect_navigation():
        page.mouse.up()
    assert dragging.steps()[1:3] == ["6 wide", "3 high"]
    page.reload()
    assert dragging.steps()[1:3] == ["6 wide", "3 high"]


def test_the_preview_follows_the_form(dragging: Analyst, served: Desk) -> None:
    """Without a press: what is offered and what is drawn change as something is chosen."""
    dragging.open(three(served))
    page = dragging.page
    page.get_by_role("link", name="Add a pane", exact=True).click()
    page.get_by_role("link", name=re.compile("^Orders")).click()
    page.get_by_label("by", exact=True).select_option("Region")
    page.locator("#janela-preview .janela-bars").wait_for()
    page.get_by_text("Table", exact=True).click()
    page.locator("#janela-preview .janela-pane__light .janela-table").wait_for()
    page.get_by_label("show").select_option("Average delay")
    page.get_by_text("does not add up to a whole").wait_for()
    page.get_by_label("Title").fill("Mine")
    page.locator("#janela-preview").get_by_role("heading", name="Mine").wait_for()
    assert page.get_by_label("Title").input_value() == "Mine"


def asking_of_orders(analyst: Analyst, served: Desk) -> list[Route]:
    """Open the form of a new pane; the first answer about its fields is held back."""
    analyst.open(three(served))
    page = analyst.page
    page.get_by_role("link", name="Add a pane", exact=True).click()
    page.get_by_role("link", name=re.compile("^Orders")).click()
    page.wait_for_load_state()  # the script listens from then on
    held: list[Route] = []
    page.route(re.compile("fields=1"), lambda route: held.append(route), times=1)
    return held


def test_a_list_in_use_stays_while_what_is_offered_around_it_changes(
    dragging: Analyst, served: Desk
) -> None:
    """The answer to an earlier choice takes no later one back, and the list keeps the focus."""
    page, held = dragging.page, asking_of_orders(dragging, served)
    with page.expect_request(re.compile("fields=1")):
        page.get_by_label("show").select_option("Average delay")
    by = page.get_by_label("by", exact=True)
    by.focus()
    kept = by.element_handle()
    by.select_option("Placed")
    page.get_by_role("heading", name="Average delay per month").wait_for()
    page.get_by_label("each").wait_for()
    with page.expect_response(held[0].request.url):
        held[0].continue_()
    assert by.input_value() == "placed"
    assert kept is not None
    assert kept.evaluate("each => each === document.activeElement")
    assert page.get_by_label("show", exact=True).input_value() == "delay"


def test_a_list_that_the_focus_has_reached_keeps_what_is_chosen_when_it_offers_more(
    dragging: Analyst, served: Desk
) -> None:
    """Tab was quicker than the answer: the interval stays automatic, now with its name."""
    page, held = dragging.page, asking_of_orders(dragging, served)
    with page.expect_request(re.compile("fields=1")):
        page.get_by_label("by", exact=True).select_option("Placed")
    each = page.get_by_label("each")
    each.focus()
    held[0].continue_()
    page.get_by_role("heading", name="Orders per month").wait_for()
    assert each.locator("option").first.inner_text() == "automatic: month"
    assert each.input_value() == ""
    assert each.evaluate("each => each === document.activeElement")


def test_what_is_chosen_before_the_script_is_there_is_seen_once_it_is(
    dragging: Analyst, served: Desk
) -> None:
    """On a slow connection, or come back to with Back: the form and its preview say the same."""
    page = dragging.page
    held: list[Route] = []
    dragging.open(three(served))
    page.get_by_role("link", name="Add a pane", exact=True).click()
    page.get_by_role("heading", name="Of what?").wait_for()
    page.route(re.compile("janela-arrange.js"), lambda route: held.append(route))
    page.get_by_role("link", name=re.compile("^Orders")).click(no_wait_after=True)
    page.get_by_label("by", exact=True).select_option("Region")
    page.get_by_label("Title").fill("Mine")
    assert not page.locator("#janela-preview .janela-bars").count()
    held[0].continue_()
    page.locator("#janela-preview .janela-bars").wait_for()
    page.locator("#janela-preview").get_by_role("heading", name="Mine").wait_for()
    assert page.get_by_label("by", exact=True).input_value() == "region"


def test_a_preview_that_cannot_be_had_says_so(dragging: Analyst, served: Desk) -> None:
    """What is drawn is never of an earlier choice without a word."""
    dragging.open(three(served))
    page = dragging.page
    page.get_by_role("link", name="Add a pane", exact=True).click()
    page.get_by_role("link", name=re.compile("^Orders")).click()
    page.wait_for_load_state()
    shown = page.locator("#janela-preview")
    for answer in (
        lambda route: route.abort(),
        lambda route: route.fulfill(status=503),
        lambda route: route.fulfill(body="<h1>Sign in</h1>", content_type="text/html"),
    ):
        page.route(re.compile("fields=1"), answer, times=1)
        page.get_by_label("by", exact=True).select_option("Region")
        shown.get_by_text("Nothing came back. What you see is as it was; try again.").wait_for()
        page.get_by_label("by", exact=True).select_option("Placed")
        shown.get_by_role("alert").wait_for(state="detached")
        shown.get_by_role("heading", name="Orders per month").wait_for()
        assert shown.locator(".janela-pane").count() == 1
    remarks = re.compile(r"net::ERR_FAILED|status of 503")
    dragging.complaints[:] = [each for each in dragging.complaints if not remarks.search(each)]


# Colours do not depend on the width, nor sizes on the colours: each once is enough.
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_every_page_of_arranging_is_accessible_and_fits(
    chromium: Browser, served: Desk, width: int, scheme: t.Literal["light", "dark"]
) -> None:
    """No WCAG 2.2 A or AA violation, nothing wider than the window, whatever it shows."""
    arranging = three(served)
    base = arranging.removesuffix("/arrange")
    pane(served.made, frame(served.made), measure="orders", dimension="placed", span=12)
    options: dict[str, t.Any] = {"viewport": {"width": width, "height": 900}}
    with signed_in(chromium, served, color_scheme=scheme, **options) as analyst:
        page = analyst.page

        def check(name: str) -> None:
            assert violations(page) == [], name

        for address in (
            "/janela/",
            base,
            arranging,
            f"{base}/edit",
            f"{base}/delete",
            f"{base}/panes/new",
            f"{base}/panes/new?model=orders&measure=delay&dimension=placed&limit=2",
            f"{base}/panes/new?kind=text",
            f"{base}/panes/2/edit",
            "/janela/frames/new",
        ):
            analyst.open(address)
            check(address)
        analyst.open("/janela/frames/new")
        analyst.button("Make the frame").click()
        page.get_by_role("alert").wait_for()
        check("a form with errors")
        analyst.open(arranging)
        stale = analyst.page.context.new_page()
        stale.goto(page.url)
        analyst.button("Remove Words").click()
        page.get_by_text("Removed").wait_for()
        check("a toast")
        stale.get_by_role("button", name="Wider: Revenue").click()
        stale.get_by_role("heading", name="Changed meanwhile").wait_for()
        page = stale
        check("a conflict")
