"""A statement of ours in a host's transaction: its time limit, its faults, a database that goes."""

from __future__ import annotations

import collections.abc as cabc
import sys
import time
import typing as t

import pytest
import sqlalchemy as sa
from databases import ENGINE, Postgresql, own_postgresql
from desk import client, desk, frame, page, pane
from hosts import Host
from sqlalchemy import orm
from toolbox import recorded

from flask_janela.config import ConfigurationError
from flask_janela.errors import Failed, Overrun, Unavailable

LIMIT = 0.3
ENOUGH = 10.0
"""Seconds after which nothing can have been limited."""


def slow(model: t.Any, over: t.Any) -> sa.Select[t.Any]:
    """A scope that looks at a thousand million combinations of rows before it finds none."""
    first, *others = (orm.aliased(over) for _ in range(11))
    joined = sa.select(1).select_from(first, *others)
    joined = joined.where(*(each.id > first.id - 100 for each in others))
    total = sum((each.id for each in others), start=first.id)
    return sa.select(model).where(sa.exists(joined.where(total < 0)))


def broken(model: t.Any) -> sa.Select[t.Any]:
    return sa.select(model).where(sa.text("no_such_column = 1"))


@pytest.fixture
def made() -> cabc.Iterator[Host]:
    """Orders are quick to read; tickets take for ever, or cannot be read at all."""
    with desk(scoped=False, JANELA_STATEMENT_SECONDS=LIMIT) as host:
        order, ticket = host.models.Order, host.models.Ticket

        @host.janela.scope
        def scope(model: type, caller: t.Any) -> sa.Select[t.Any]:
            if model is not ticket:
                return sa.select(model)
            return broken(model) if caller.id == "ben" else slow(model, order)

        yield host


def ask(made: Host, model: str = "tickets", caller: str = "ana") -> t.Any:
    return made.janela.ask(model, model, caller=made.people[caller]).total


def test_a_statement_that_takes_too_long_is_stopped(made: Host) -> None:
    """And the next one is answered."""
    for _ in range(5):
        begun = time.monotonic()
        with pytest.raises(Overrun, match=r"not done after 0\.3 seconds. Ask for less"):
            ask(made)
        assert time.monotonic() - begun < ENOUGH
        assert ask(made, "orders") == 6


@pytest.mark.parametrize(
    ("caller", "error"), [("ana", Overrun), ("ben", sa.exc.DBAPIError)], ids=["slow", "broken"]
)
def test_what_the_host_has_pending_outlives_it(
    made: Host, caller: str, error: type[Exception]
) -> None:
    """What was flushed before is committed afterwards, in the one transaction."""
    session = made.db.session
    session.add(made.models.Ticket(topic="pending"))
    session.flush()
    with pytest.raises(error):
        ask(made, caller=caller)
    session.add(made.models.Ticket(topic="pending"))
    session.commit()
    table = made.models.Ticket
    count = sa.select(sa.func.count()).where(table.topic == "pending").select_from(table)
    assert session.scalar(count) == 2


def test_limits_of_the_hosts_own_are_put_back(made: Host) -> None:
    """After an answer, and after one that was stopped."""
    session = made.db.session
    change, show, shown = {
        "postgresql": ("SET LOCAL statement_timeout = '7s'", "SHOW statement_timeout", "7s"),
        "mariadb": ("SET max_statement_time = 7", "SELECT @@max_statement_time", 7.0),
        # It has no setting; what takes longer than ours is merely not stopped.
        "sqlite": (
            "SELECT 1",
            "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 3000000) "
            "SELECT count(*) FROM c",
            3_000_000,
        ),
    }[ENGINE]
    session.execute(sa.text(change))
    ask(made, "orders")
    assert session.scalar(sa.text(show)) == shown
    with pytest.raises(Overrun):
        ask(made)
    assert session.scalar(sa.text(show)) == shown


@pytest.mark.not_on("sqlite", "mariadb")
def test_a_connection_that_commits_by_itself_is_limited_too() -> None:
    """It has no transaction to set a savepoint in, and its own limit is put back as well."""
    options = {"isolation_level": "AUTOCOMMIT"}
    with desk(
        scoped=False, JANELA_STATEMENT_SECONDS=LIMIT, SQLALCHEMY_ENGINE_OPTIONS=options
    ) as made:
        ticket, order = made.models.Ticket, made.models.Order
        made.janela.scope(
            lambda model, caller: slow(model, order) if model is ticket else sa.select(model)
        )
        made.db.session.execute(sa.text("SET statement_timeout = '7s'"))
        assert ask(made, "orders") == 6
        with pytest.raises(Overrun):
            ask(made)
        assert made.db.session.scalar(sa.text("SHOW statement_timeout")) == "7s"


def test_a_pane_that_takes_too_long_says_so_in_its_own_place(made: Host) -> None:
    """The other panes of the frame have their numbers."""
    sales = frame(made)
    pane(made, sales, measure="orders")
    pane(made, sales, model="tickets", measure="tickets")
    shown = page(made, f"/janela/frames/{sales.id}")
    assert "not done after 0.3 seconds" in shown.pane("Tickets").text
    assert "6" in shown.pane("Orders").text


def test_a_question_that_takes_too_long_is_a_page_that_says_so(made: Host) -> None:
    shown = client(made).get("/janela/ask/tickets/tickets")
    assert shown.status_code == 503
    assert "not done after 0.3 seconds. Ask for less" in shown.text


def test_a_tool_that_takes_too_long_says_what_to_narrow(made: Host) -> None:
    """``failed``, in words that a model can act on."""
    tools = made.janela.tools_for(made.people["ana"])
    with recorded(made) as calls, pytest.raises(Failed, match="filter a shorter range"):
        tools.call("read_measure", {"model": "tickets", "measure": "tickets"})
    assert [(call.outcome, call.error_class) for call in calls] == [("failed", "Overrun")]


def test_no_limit_at_all() -> None:
    """0 seconds are for as long as it likes."""
    with desk(JANELA_STATEMENT_SECONDS=0) as made:
        assert ask(made, "orders") == 6


@pytest.mark.parametrize("given", [-1, "soon", True])
def test_a_limit_that_is_none_is_refused(given: object) -> None:
    with (
        pytest.raises(ConfigurationError, match="JANELA_STATEMENT_SECONDS is"),
        desk(JANELA_STATEMENT_SECONDS=given),
    ):
        pass


@pytest.fixture(scope="module")
def postgresql(tmp_path_factory: pytest.TempPathFactory) -> Postgresql:
    """A server that is killed; not the one that other tests are on."""
    return own_postgresql(tmp_path_factory.mktemp("postgresql"))


@pytest.mark.skipif(sys.platform == "win32", reason="signals and sockets")
@pytest.mark.parametrize("knows_people", [True, False], ids=["memory", "database"])
def test_a_server_that_is_killed_is_one_clear_page_and_comes_back(
    postgresql: Postgresql, knows_people: bool
) -> None:
    """Nothing is half written, and the application is not started again."""
    with desk(SQLALCHEMY_DATABASE_URI=postgresql.url, JANELA_RECORDER="direct") as made:
        if not knows_people:

            def load(identity: str) -> t.Any:
                made.db.session.execute(sa.text("SELECT 1"))
                return made.people[identity]

            made.app.login_manager.user_loader(load)  # type: ignore[attr-defined]
        sales = frame(made)
        pane(made, sales, measure="orders")
        address = f"/janela/frames/{sales.id}"
        browser = client(made)
        assert browser.get(address).status_code == 200
        tools = made.janela.tools_for(made.people["ana"], write=True)
        made.db.session.remove()

        postgresql.kill()
        for _ in range(2):
            gone = browser.get(address)
            made.db.session.remove()
            assert gone.status_code == 503
            assert "The database cannot be reached at this moment" in gone.text
            assert "psycopg" not in gone.text
        made.db.session.remove()
        with pytest.raises(Unavailable, match="cannot be reached"):
            tools.call("add_pane", {"frame_id": 1, "model": "orders", "measure": "revenue"})
        assert made.janela.recorder.status().last_error

        postgresql.restart()
        made.db.session.remove()
        assert browser.get(address).status_code == 200
        assert len(tools.call("get_frame", {"frame_id": 1})["panes"]) == 1
        tools.call("add_pane", {"frame_id": 1, "model": "orders", "measure": "revenue"})
        assert len(tools.call("get_frame", {"frame_id": 1})["panes"]) == 2
        made.janela.recorder.close()
        made.db.session.remove()
        made.db.drop_all()
