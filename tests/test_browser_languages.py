"""What scripts say, in the language of the page."""

from __future__ import annotations

import collections.abc as cabc
import typing as t
from pathlib import Path

import pytest
from conftest import Serve
from live import Reader, reading, served
from playwright.sync_api import expect
from speaking import PSEUDO, speaks, write_pseudo
from test_browser_arrange import drag

if t.TYPE_CHECKING:
    from playwright.sync_api import Browser, Route

pytestmark = pytest.mark.browser


@pytest.fixture
def reader(chromium: Browser, serve: Serve, tmp_path: Path) -> cabc.Iterator[Reader]:
    """Somebody who reads the language of brackets, at the frame."""
    folder = write_pseudo(tmp_path / "words")
    with served(serve, tmp_path) as site:
        speaks(site.made.app, folder)
        with reading(chromium, site, locale=PSEUDO, reduced_motion="reduce") as opened:
            opened.open(site.frame)
            yield opened
            # That nothing came back is what these tests are about.
            opened.complaints.clear()


def test_a_click_is_announced_in_the_readers_language(reader: Reader) -> None:
    """By the server's words."""
    page = reader.page
    page.get_by_role("link", name="EU: 3 orders").click()
    reader.until_at(f"{reader.site.frame}?q.region=EU")
    said = "⟦⟦Filtered by Region EU⟧: ⟦5 panes⟧ updated⟧"
    expect(page.locator("#janela-status")).to_have_text(said)


def test_that_nothing_came_back_is_said_in_the_readers_language(reader: Reader) -> None:
    """It is the script that says so."""
    page = reader.page
    page.route("**/janela/frames/**", lambda route: route.abort())
    page.get_by_role("link", name="EU: 3 orders").click()
    said = "⟦Nothing came back. What you see is as it was; try again.⟧"
    expect(page.locator("#janela-status")).to_have_text(said)


@pytest.mark.parametrize(
    ("answer", "said", "way"),
    [
        (
            lambda route: route.abort(),
            "⟦The site could not be reached, so the pane is back where it was.⟧",
            [],
        ),
        (
            lambda route: route.fulfill(status=500, body="broken"),
            "⟦This could not be saved, so the pane is back where it was.⟧",
            ["⟦See it as it is now⟧"],
        ),
    ],
    ids=["no answer", "a broken one"],
)
def test_a_drag_that_fails_is_told_in_the_readers_language(
    reader: Reader, answer: cabc.Callable[[Route], None], said: str, way: list[str]
) -> None:
    page = reader.page
    reader.open(f"{reader.site.frame}/arrange")
    page.route("**/move", answer)
    drag(page, "Revenue", "Tickets")
    toast = page.locator(".janela-toast")
    expect(toast.locator("span").first).to_have_text(said)
    assert toast.locator("a").all_inner_texts() == way


def test_a_drag_is_told_in_the_readers_language(reader: Reader) -> None:
    """What the server answers the script with."""
    page = reader.page
    reader.open(f"{reader.site.frame}/arrange")
    drag(page, "Revenue", "Tickets")
    toast = page.locator(".janela-toast span").first
    expect(toast).to_contain_text("⟦⟦Move “Revenue” to place")
    expect(page.locator("[data-janela-changed]")).to_contain_text("⟦changed by ⟦you⟧")
