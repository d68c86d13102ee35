"""The commands, as somebody types them."""

from __future__ import annotations

import datetime as dt
import json
import typing as t

import pytest
import sqlalchemy as sa
from desk import page
from flask import Flask
from hosts import host, shop
from ledger import NOW, call, kept

from example_app.data import FlightRow
from flask_janela import Average, Count, DeclarationError, Dimension, Ratio, Sum, Vocabulary
from flask_janela.frames import Favourite, Frame
from flask_janela.roster import ToolCall, ToolUsage


def test_init_creates_the_tables_that_are_missing() -> None:
    """Twice is as good as once."""
    with host(shop) as h:
        h.db.drop_all()
        for _ in range(2):
            result = h.app.test_cli_runner().invoke(args=["janela", "init"])
            assert result.exit_code == 0, result.output
        assert sorted(sa.inspect(h.db.engine).get_table_names()) == [
            "janela_favourites",
            "janela_frames",
            "janela_panes",
            "janela_tool_calls",
            "janela_tool_marks",
            "janela_tool_usage",
        ]


def test_check_says_what_may_be_asked() -> None:
    """Every model with its measures and dimensions."""
    with host(shop) as h:
        result = h.app.test_cli_runner().invoke(args=["janela", "check"])
        assert result.exit_code == 0
        assert "orders (Order)" in result.output
        assert "dimensions: region" in result.output


def test_check_fails_where_nothing_is_declared() -> None:
    """With what to write."""
    with host(lambda db: {}) as h:
        result = h.app.test_cli_runner().invoke(args=["janela", "check"])
        assert result.exit_code == 1
        assert "class Janela(Vocabulary)" in result.output


def test_check_tells_all_that_cannot_work_at_once() -> None:
    """A start for each of five faults would be five starts; one met by way of a ratio is one."""

    class Orders(Vocabulary, name="orders"):
        orders = Count()
        profit = Sum("profit")
        margin = Ratio("profit", "orders")
        colour = Dimension("colour")

    class Customers(Vocabulary):
        age = Average("age")

    def define(db: t.Any) -> dict[str, t.Any]:
        models = shop(db)
        models["Order"].Janela, models["Customer"].Janela = Orders, Customers
        return models

    with host(define) as h:
        result = h.app.test_cli_runner().invoke(args=["janela", "check"])
        said = result.output
        assert result.exit_code == 1
        assert "3 declarations cannot work" in said
        for member in ("Order.Janela.profit", "Order.Janela.colour", "Customer.Janela.age"):
            assert said.count(f"- {member}: ") == 1
        with pytest.raises(DeclarationError) as raised:
            h.janela.check()
        assert len(raised.value.faults) == 3


def test_check_looks_at_tools_too() -> None:
    """As the first call would."""
    with host(shop) as h:

        @h.janela.tool()
        def rebook(caller: t.Any, flight) -> None:  # type: ignore[no-untyped-def]
            """Put somebody on another flight."""

        @h.janela.tool()
        def cancel(caller: t.Any, *rest: int) -> None:
            """Cancel flights."""

        result = h.app.test_cli_runner().invoke(args=["janela", "check"])
        assert result.exit_code == 1
        assert "flight has no type; annotate it" in result.output
        assert "name every argument" in result.output


def test_ask_answers_as_the_person_named(flights_app: Flask, flight_rows: list[FlightRow]) -> None:
    """The scope of that person holds on the command line too."""
    runner = flights_app.test_cli_runner()
    arguments = ["janela", "ask", "flights", "flights", "--by", "carrier", "--json"]
    for reference, carriers in (
        ("user:lead", {row.carrier for row in flight_rows}),
        ("user:analyst-ua", {"UA"}),
    ):
        result = runner.invoke(args=[*arguments, "--as", reference])
        assert result.exit_code == 0, result.output
        counted = {row["key"]: row["value"] for row in json.loads(result.output)["rows"]}
        assert counted == {
            carrier: sum(row.carrier == carrier for row in flight_rows) for carrier in carriers
        }


def test_ask_prints_lined_up_columns_with_the_total(flights_app: Flask) -> None:
    """Labels left, numbers right."""
    result = flights_app.test_cli_runner().invoke(
        args=[
            "janela", "ask", "flights", "flights", "--by", "origin", "--with", "late",
            "--where", "scheduled.gte=2013-07-01", "--where", "scheduled.lt=2013-08-01",
            "--as", "user:lead",
        ]
    )  # fmt: skip
    lines = result.output.splitlines()
    assert len({len(line) for line in lines}) == 1
    assert lines[-1].split() == ["Total", "29,425", *lines[-1].split()[2:]]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["planes", "x"], '"planes" is not a model; there is flights'),
        (["flights", "profit"], '"profit" is not a measure of flights'),
        (["flights", "flights", "--where", "origin"], "is not KEY=VALUE"),
        (["flights", "flights", "--where", "colour=red"], '"colour" is not a dimension'),
        (["flights", "flights", "--limit", "0"], "a whole number from 1 to 1000"),
        (["flights", "flights", "--as", "user:nobody"], "no longer somebody who may ask"),
        (["flights", "flights", "--as", ""], "Say who asks, with --as user:42"),
    ],
    ids=str,
)
def test_ask_refuses_in_one_sentence(flights_app: Flask, arguments: list[str], said: str) -> None:
    """No trace, and a status that scripts see."""
    if "--as" not in arguments:
        arguments = [*arguments, "--as", "user:lead"]
    result = flights_app.test_cli_runner().invoke(args=["janela", "ask", *arguments])
    assert result.exit_code != 0
    assert said in result.output
    assert "Traceback" not in result.output


def test_labels_cannot_command_a_terminal() -> None:
    """Control characters of a row are made visible, and "Other" is no member."""
    with host(shop) as h:
        h.add(*(h.models.Order(status=s) for s in ("a\x1b[31mRED\nline", "b", "c")))
        result = h.app.test_cli_runner().invoke(
            args=[
                "janela", "ask", "orders", "orders", "--by", "status", "--limit", "2", "--other",
                "--as", "user:ana",
            ],
            color=True,
        )  # fmt: skip
        assert "\x1b" not in result.output
        assert result.output.splitlines()[-1] == "Only the first 2 members are shown."


@pytest.mark.parametrize("identity", ["abc", "9" * 30, ""])
def test_an_identity_that_the_loader_cannot_read_is_nobodys(identity: str) -> None:
    """One sentence, not the loader's trace."""
    with host(shop) as h:
        h.janela.caller_loader(lambda given: h.people.get(chr(int(given))))
        result = h.app.test_cli_runner().invoke(
            args=["janela", "ask", "orders", "orders", "--as", f"user:{identity}"]
        )
        assert result.exit_code == 1
        assert result.output.startswith("Error: ")
        assert len(result.output.splitlines()) == 1


def test_traffic_is_made_marked_and_said() -> None:
    """As many as were asked for, over as many days, the same ones for the same seed."""
    made: list[list[tuple[object, ...]]] = []
    for _ in range(2):
        with kept() as h:
            arguments = ["janela", "traffic", "--calls", "500", "--days", "3", "--seed", "4"]
            result = h.app.test_cli_runner().invoke(args=arguments)
            assert result.exit_code == 0, result.output
            assert "Generated 500 calls over 3 days" in result.output
            calls = h.db.session.scalars(sa.select(ToolCall).order_by(ToolCall.id)).all()
            assert {call.transport for call in calls} == {"generated"}
            earliest = min(call.started for call in calls)
            assert NOW.replace(tzinfo=None) - earliest < dt.timedelta(days=3)
            made.append([(call.tool, call.started, call.duration) for call in calls])
            said = page(h, "/janela/tools").one("janela-since").words
            assert "500 of the calls are generated" in said
    assert made[0] == made[1]
    assert len(made[0]) == 500


def test_traffic_is_refused_where_somebody_made_calls() -> None:
    """And for more days than calls are kept."""
    with kept([call()]) as h:
        result = h.app.test_cli_runner().invoke(args=["janela", "traffic", "--calls", "5"])
        assert result.exit_code == 1
        assert "Calls that somebody made are kept" in result.output
        assert h.db.session.scalar(sa.select(sa.func.count(ToolCall.id))) == 1
        result = h.app.test_cli_runner().invoke(args=["janela", "traffic", "--days", "31"])
        assert result.exit_code == 2
        assert "JANELA_CALLS_DAYS" in result.output


def test_forget_blanks_a_caller_and_keeps_the_counts() -> None:
    """In every call; and their stars and their name on frames go too."""
    made = [call(caller="user:42"), call(caller="user:421"), call(caller=None)]
    with kept([*made, *made]) as h:
        frame = Frame(key="k", name="Sales", created_by="user:42", updated_by="user:421")
        h.add(frame)
        h.add(Favourite(caller_ref="user:42", frame_id=frame.id))
        before = page(h, "/janela/tools").words("janela-roster__row")
        result = h.app.test_cli_runner().invoke(args=["janela", "forget", "user:42"])
        assert (result.exit_code, result.output) == (0, "user:42 is blanked in 2 calls.\n")
        h.db.session.expire_all()
        callers = h.db.session.scalars(sa.select(ToolCall.caller).order_by(ToolCall.id)).all()
        assert callers == ["forgotten", "user:421", None] * 2
        assert (frame.created_by, frame.updated_by) == (None, "user:421")
        assert h.db.session.scalars(sa.select(Favourite)).all() == []
        assert page(h, "/janela/tools").words("janela-roster__row") == before


def test_prune_says_what_is_gone() -> None:
    """Calls older than thirty days, once they are folded."""
    now = dt.datetime.now(dt.UTC)
    old, young = call(started=now - dt.timedelta(days=31)), call(started=now)
    with kept([old, young], now=now) as h:
        h.db.session.execute(sa.update(ToolCall).values(written=ToolCall.written - 100))
        h.db.session.commit()
        result = h.app.test_cli_runner().invoke(args=["janela", "prune"])
        assert result.exit_code == 0, result.output
        assert "Deleted 1 calls" in result.output
        assert h.db.session.scalar(sa.select(sa.func.count(ToolCall.id))) == 1
        usage = sa.select(sa.func.sum(ToolUsage.ok)).where(ToolUsage.span == 1)
        assert h.db.session.scalar(usage) == 2
