"""Fixtures that several test files share: the seeded example, a real server, a real browser."""

from __future__ import annotations

import collections.abc as cabc
import contextlib
import os
import shutil
import subprocess
import sys
import threading
import typing as t
from pathlib import Path

import pytest
from flask import Flask
from werkzeug.serving import make_server

if t.TYPE_CHECKING:
    from cluster import Cluster
    from playwright.sync_api import Browser, Playwright

    from example_app.data import FlightRow

NO_BROWSER = "No Chromium could be started"

CHROMIUM_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module", autouse=True)
def nothing_goes_on() -> cabc.Iterator[None]:
    """What a test left running would fold its calls in the midst of another's."""
    yield
    left = [thread for thread in threading.enumerate() if thread.name == "janela-recorder"]
    assert not left, "Close the recorder of every application that a test made."


@pytest.fixture(scope="session", autouse=True)
def nothing_is_left() -> cabc.Iterator[None]:
    """Of the databases that one host after another was lent."""
    yield
    if "databases" in sys.modules:
        sys.modules["databases"].LENT.drop()


@pytest.fixture(scope="session")
def flight_rows() -> list[FlightRow]:
    """Every flight as the data file has it, for plain loops to count. Not to be changed."""
    # Imported here, so that what does not need the example is tested when it cannot be imported.
    from example_app.data import flights

    return flights()


@pytest.fixture(scope="session")
def flights_app(tmp_path_factory: pytest.TempPathFactory) -> cabc.Iterator[Flask]:
    """The example over all its flights, seeded once for the whole run. Not to be written to."""
    from example_app.models import db
    from example_app.seeding import seed

    # Whatever tools are called here leave no trace either.
    path = tmp_path_factory.mktemp("flights") / "flights.sqlite"
    app = _desk_over(path, JANELA_RECORDER="off")
    with app.app_context():
        assert seed()
    yield app
    with app.app_context():
        db.engine.dispose()


@pytest.fixture
def desk_app(tmp_path: Path) -> cabc.Iterator[Flask]:
    """The example over a database of its own, without a table in it."""
    from example_app.models import db

    app = _desk_over(tmp_path / "desk.sqlite")
    yield app
    app.extensions["janela"].recorder.close()
    with app.app_context():
        db.engine.dispose()


def _desk_over(path: Path, **more: str) -> Flask:
    from hosts import COMPILED

    from example_app import create_app

    app = create_app(
        {
            "TESTING": True,
            "SECRET_KEY": "tests",
            # However busy the machine is, a page that is read here has its numbers.
            "JANELA_RENDER_SECONDS": 60,
            "SQLALCHEMY_DATABASE_URI": f"sqlite:///{path}",
            **more,
        }
    )
    app.jinja_env.bytecode_cache = COMPILED
    return app


Serve = cabc.Callable[[Flask], str]


@pytest.fixture
def serve() -> cabc.Iterator[Serve]:
    """Serves an application on a free port of this machine and answers with its address."""
    with contextlib.ExitStack() as stack:

        def start(app: Flask) -> str:
            server = make_server("127.0.0.1", 0, app, threaded=True)
            thread = threading.Thread(target=server.serve_forever)
            thread.start()
            stack.callback(server.server_close)
            stack.callback(thread.join)
            stack.callback(server.shutdown)
            return f"http://127.0.0.1:{server.server_port}"

        yield start


@pytest.fixture(scope="module")
def chromium() -> cabc.Iterator[Browser]:
    """A headless Chromium: $JANELA_CHROMIUM, else one on PATH, else Playwright's own.

    It ends with its module: while it is there an event loop runs in this thread, and tests that
    have one of their own cannot.
    """
    from playwright.sync_api import Error, sync_playwright

    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(
                executable_path=_chromium_path(playwright), args=CHROMIUM_ARGUMENTS
            )
        except (Error, OSError, subprocess.SubprocessError) as error:
            pytest.skip(f"{NO_BROWSER}: {str(error).splitlines()[0]}")
        yield browser
        browser.close()


def _chromium_path(playwright: Playwright) -> str:
    if given := os.environ.get("JANELA_CHROMIUM"):
        return given
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name):
            return found
    own = playwright.chromium.executable_path
    if not Path(own).exists():
        command = [sys.executable, "-m", "playwright", "install", "chromium"]
        subprocess.run(command, check=True, timeout=600)
    return own


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> cabc.Iterator[Cluster]:
    """A Spark cluster for the whole run. Its start takes a quarter of a minute."""
    from cluster import cluster

    with cluster(tmp_path_factory.mktemp("spark")) as found:
        yield found


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out, rather than skip, what the database that is tested on cannot do.

    And what needs a Spark cluster, unless it is asked for: ``make spark``.
    """
    engine = os.environ.get("JANELA_TEST_DATABASE", "sqlite")
    spark = bool(os.environ.get("JANELA_SPARK"))

    def cannot(item: pytest.Item) -> bool:
        if item.get_closest_marker("spark") and not spark:
            return True
        return any(engine in marker.args for marker in item.iter_markers("not_on"))

    if left := [item for item in items if cannot(item)]:
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if item not in left]


def pytest_sessionfinish(session: pytest.Session) -> None:
    """In CI nothing is left out unnoticed: a skipped test fails the run."""
    if os.environ.get("CI") and _skipped(session.config) and session.exitstatus == 0:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say loudly what was not tested, just above pytest's last line."""
    skipped = _skipped(config)
    browserless = {why for why in skipped.values() if NO_BROWSER in why}
    if browserless:
        terminalreporter.section("NO BROWSER", red=True, bold=True)
        terminalreporter.line(browserless.pop())
        terminalreporter.line(
            "The tests that drive one were skipped. Install chromium, or name one in "
            "JANELA_CHROMIUM."
        )
    if os.environ.get("CI") and skipped:
        terminalreporter.section("SKIPPED, AND CI IS SET: THE RUN FAILS", red=True, bold=True)
        for name in skipped:
            terminalreporter.line(name)


def _skipped(config: pytest.Config) -> dict[str, str]:
    """Every skipped test and why, in whichever process it would have run."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    reports = [] if reporter is None else reporter.getreports("skipped")
    return {report.nodeid: _reason(report.longrepr) for report in reports}


def _reason(told: object) -> str:
    return str(told[2] if isinstance(told, tuple) else told)
