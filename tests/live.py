"""The desk as it is served to real browsers: who reads it, how, and what they complained about."""

from __future__ import annotations

import collections.abc as cabc
import contextlib
import dataclasses
import threading
import typing as t
from pathlib import Path

import flask
import flask_login
import sqlalchemy as sa
from browsing import VENDOR, browsing, enterable
from desk import desk, frame, pane
from hosts import Host

if t.TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@dataclasses.dataclass
class Gate:
    """Holds the statements over orders back, each request until it is let through."""

    closed: bool = False
    held: list[threading.Event] = dataclasses.field(default_factory=list)
    arrived: threading.Condition = dataclasses.field(default_factory=threading.Condition)
    _of_request: threading.local = dataclasses.field(default_factory=threading.local)

    def wait(self, statement: str) -> None:
        if not self.closed or "FROM orders" not in statement:
            return
        if getattr(self._of_request, "passed", None) is flask.g._get_current_object():
            return
        self._of_request.passed = flask.g._get_current_object()
        event = threading.Event()
        with self.arrived:
            self.held.append(event)
            self.arrived.notify_all()
        assert event.wait(30)

    def until(self, count: int) -> None:
        """Until so many requests are held."""
        with self.arrived:
            assert self.arrived.wait_for(lambda: len(self.held) >= count, 30)

    def open(self) -> None:
        self.closed = False
        for event in self.held:
            event.set()


@dataclasses.dataclass
class Site:
    """The desk as it is served, with one frame of everything."""

    made: Host
    address: str
    frame: str
    gate: Gate
    requests: list[str]


@contextlib.contextmanager
def served(
    serve: cabc.Callable[[flask.Flask], str], folder: Path, **config: t.Any
) -> cabc.Iterator[Site]:
    """The desk over a database that several requests can read at once, under a strict policy.

    Ana reads everything, Ben what is in the EU.
    """
    gate, requests = Gate(), list[str]()
    config.setdefault("SQLALCHEMY_DATABASE_URI", f"sqlite:///{folder / 'desk.sqlite'}")
    config.setdefault("SQLALCHEMY_ENGINE_OPTIONS", {})
    config.setdefault("JANELA_RENDER_SECONDS", 60)
    with desk(scoped=False, **config) as made:
        order = made.models.Order
        made.people["ben"].region = "EU"

        @made.janela.scope
        def scope(model: type, caller: t.Any) -> sa.Select[t.Any]:
            if model is order and caller.region:
                return sa.select(model).where(order.region == caller.region)
            return sa.select(model)

        sales = frame(made, description="What we sold, where and when.")
        pane(made, sales, measure="revenue", prominence=3, height=2)
        pane(made, sales, measure="orders", dimension="region", span=8)
        pane(made, sales, measure="orders", dimension="placed", span=8)
        pane(made, sales, measure="orders", dimension="product", renderer="table")
        pane(made, sales, model="tickets", measure="tickets", dimension="topic")
        pane(made, sales, kind="text", heading="Words", body="One\n\nTwo")

        enterable(made)

        @made.app.get("/out")
        def leave() -> str:
            flask_login.logout_user()
            return "out"

        @made.app.get("/htmx-2.js")
        def htmx() -> flask.Response:
            return flask.send_from_directory(VENDOR, "htmx-2.min.js")

        @made.app.before_request
        def note() -> None:
            if flask.request.path.startswith("/janela/") and "/static/" not in flask.request.path:
                requests.append(flask.request.full_path.rstrip("?"))

        @sa.event.listens_for(made.db.engine, "before_cursor_execute")
        def slow(
            connection: t.Any, cursor: t.Any, statement: str, parameters: t.Any, *rest: t.Any
        ) -> None:
            if flask.has_request_context():
                gate.wait(statement)

        site = Site(made, serve(made.app), f"/janela/frames/{sales.id}", gate, requests)
        try:
            yield site
        finally:
            gate.open()


@dataclasses.dataclass
class Reader:
    """A signed-in browser, and everything that it complained about."""

    page: Page
    site: Site
    complaints: list[str]

    def open(self, address: str) -> None:
        self.page.goto(self.site.address + address)

    @property
    def address(self) -> str:
        """Where the address bar is, without the host."""
        return self.page.url.removeprefix(self.site.address)

    def until_at(self, address: str) -> None:
        """Until the address bar says so, and what is on screen is of that address."""
        self.page.wait_for_url(f"{self.site.address}{address}")
        shown = f'#janela-live[data-janela-address="{address}"]:not(.htmx-request)'
        self.page.wait_for_selector(shown)

    def number(self) -> str:
        """What the loud number says."""
        return self.page.locator(".janela-value").first.inner_text()


@contextlib.contextmanager
def reading(
    chromium: Browser, site: Site, *, scripts: bool = True, who: str = "ana", **more: t.Any
) -> cabc.Iterator[Reader]:
    """A signed-in browser that may not have complained about anything in the end."""
    with browsing(chromium, scripts=scripts, **more) as (page, complaints):
        reader = Reader(page, site, complaints)
        reader.open(f"/in/{who}")
        yield reader
