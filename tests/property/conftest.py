"""The two applications, and the number of questions that were compared."""

from __future__ import annotations

import collections
import collections.abc as cabc
import contextlib

import pytest
from databases import empty_database

from . import scopes  # noqa: F401 (it registers the scope)
from .checking import Apps, Asked
from .models import create_app, db


@pytest.fixture(scope="module")
def apps() -> cabc.Iterator[Apps]:
    """Two applications of one host, by the first day of their weeks."""
    with contextlib.ExitStack() as stack:
        made = {
            day: create_app(day, stack.enter_context(empty_database()))
            for day in ("monday", "sunday")
        }
        yield made
        for app in made.values():
            with app.app_context():
                for engine in db.engines.values():
                    engine.dispose()


@pytest.fixture(scope="module")
def asked(request: pytest.FixtureRequest) -> cabc.Iterator[Asked]:
    """Counts the questions whose answers were compared, and says how many there were."""
    counter: Asked = collections.Counter()
    yield counter
    kinds = ", ".join(f"{number:,} {kind}" for kind, number in counter.items())
    capture = request.config.pluginmanager.get_plugin("capturemanager")
    reporter = request.config.pluginmanager.get_plugin("terminalreporter")
    if capture is not None and reporter is not None:
        with capture.global_and_fixture_disabled():
            reporter.write_line(f"\n{counter.total():,} random questions compared: {kinds}")
