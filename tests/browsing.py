"""What every test in a real browser needs: a way in, a strict policy, complaints, axe-core."""

from __future__ import annotations

import collections.abc as cabc
import contextlib
import re
import typing as t
from pathlib import Path

import flask
import flask_login
from hosts import Host

if t.TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

VENDOR = Path(__file__).parent / "vendor"

POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "frame-ancestors 'self'; form-action 'self'"
)

# The browser's word for a request that a newer click replaced, and htmx 2's for the same.
OVERTAKEN = r"net::ERR_ABORTED|htmx:sendAbort|htmx:afterRequest, \[object"

AXE = """async within => {
  const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa"];
  const found = await axe.run(within ?? document, { runOnly: { type: "tag", values: tags } });
  return found.violations.flatMap(
    each => each.nodes.map(node => `${each.id}: ${node.target} ${node.failureSummary}`));
}"""


def enterable(made: Host) -> None:
    """Anybody signs in at ``/in/<who>``, and a strict policy goes with every answer."""

    @made.app.get("/in/<who>")
    def enter(who: str) -> str:
        flask_login.login_user(made.people[who])
        return "in"

    @made.app.get("/favicon.ico")
    def icon() -> flask.Response:
        return flask.Response(status=204)

    @made.app.after_request
    def secure(response: flask.Response) -> flask.Response:
        response.headers["Content-Security-Policy"] = POLICY
        return response


@contextlib.contextmanager
def browsing(
    chromium: Browser, *, scripts: bool = True, meant: str = OVERTAKEN, **options: t.Any
) -> cabc.Iterator[tuple[Page, list[str]]]:
    """A page, and what it and those it opens complain about: in the end nothing but what is meant.

    Args:
        meant: a pattern of what is no complaint.
        options: of the browser's context.
    """
    options.setdefault("viewport", {"width": 1280, "height": 800})
    context = chromium.new_context(java_script_enabled=scripts, **options)
    complaints: list[str] = []

    def complain(said: str) -> None:
        if not re.search(meant, said):
            complaints.append(said)

    def listen(page: Page) -> None:
        page.on("console", lambda each: complain(f"{each.type}: {each.text}"))
        page.on("pageerror", lambda error: complain(str(error)))
        page.on("requestfailed", lambda failed: complain(f"{failed.failure}: {failed.url}"))

    context.on("page", listen)
    try:
        yield context.new_page(), complaints
        assert complaints == []
    finally:
        context.close()


def violations(page: Page, within: str | None = None) -> list[str]:
    """What axe-core finds against the WCAG 2.2, levels A and AA; and that it is too wide."""
    page.evaluate((VENDOR / "axe.min.js").read_text() + "; 0")
    found: list[str] = page.evaluate(AXE, within)
    over = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    return [*found, f"{over} px too wide"] if over > 0 else found
