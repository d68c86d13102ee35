"""A filter added and changed by its form, in a real browser under the strict policy."""

from __future__ import annotations

import collections.abc as cabc
import typing as t
from pathlib import Path

import pytest
from conftest import Serve
from live import Reader, reading, served

if t.TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser


@pytest.fixture(params=[True, False], ids=["script", "no-script"])
def reader(
    chromium: Browser, serve: Serve, tmp_path: Path, request: pytest.FixtureRequest
) -> cabc.Iterator[Reader]:
    """A browser with scripts, and one without, at the frame."""
    with (
        served(serve, tmp_path) as site,
        reading(chromium, site, scripts=request.param) as opened,
    ):
        opened.open(site.frame)
        yield opened


def test_a_filter_is_added_and_changed_without_a_mouse(reader: Reader) -> None:
    """From the bar to the form and back; the chip's own text opens the form again."""
    page, keys, frame = reader.page, reader.page.keyboard, reader.site.frame
    page.get_by_text("Add a filter").focus()
    keys.press("Enter")
    page.locator(".janela-menu--add").get_by_role("link", name="Region").focus()
    keys.press("Enter")
    page.get_by_role("heading", name="Filter by region").wait_for()
    page.get_by_role("checkbox", name="EU").focus()
    keys.press("Space")
    keys.press("Enter")
    reader.until_at(f"{frame}?q.region=EU")
    assert reader.number() == "$600.60"
    page.get_by_role("link", name="Region: EU", exact=True).focus()
    keys.press("Enter")
    page.get_by_role("heading", name="Filter by region").wait_for()
    assert page.get_by_role("checkbox", name="EU").is_checked()
    page.get_by_role("combobox", name="Region is").select_option("none of these")
    page.get_by_role("button", name="Filter the frame").click()
    reader.until_at(f"{frame}?q.region.not=EU")
    assert reader.number() == "$3,050.00"


def test_a_range_of_days_is_typed_and_corrected(reader: Reader) -> None:
    """What cannot be a date is said beside what was typed."""
    page, frame = reader.page, reader.site.frame
    reader.open(f"{frame}?q.region=EU")
    page.get_by_text("Add a filter").click()
    page.locator(".janela-menu--add").get_by_role("link", name="Placed").click()
    page.get_by_label("From").fill("November")
    page.get_by_label("To", exact=True).fill("2013-11")
    page.get_by_role("button", name="Filter the frame").click()
    page.get_by_text('Placed is "November": use a date such as').wait_for()
    page.get_by_label("From").fill("2013-11-01")
    page.get_by_role("button", name="Filter the frame").click()
    reader.until_at(f"{frame}?q.placed.gte=2013-11-01&q.placed.lt=2013-12-01&q.region=EU")
    assert reader.number() == "$200.20"
    reader.complaints[:] = [c for c in reader.complaints if "status of 400" not in c]


def test_the_menu_of_filters_closes_on_escape(
    chromium: Browser, serve: Serve, tmp_path: Path
) -> None:
    """And what is filtered stays; a second Escape clears it."""
    with served(serve, tmp_path) as site, reading(chromium, site) as opened:
        opened.open(f"{site.frame}?q.region=EU")
        page = opened.page
        page.get_by_text("Add a filter").click()
        page.locator(".janela-menu--add").get_by_role("link", name="Product").focus()
        page.keyboard.press("Escape")
        assert page.locator(".janela-menu--add[open]").count() == 0
        assert opened.address == f"{site.frame}?q.region=EU"
        page.keyboard.press("Escape")
        opened.until_at(site.frame)
