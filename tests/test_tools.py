"""Tools see exactly what the person they act for may see, and say so when they may not."""

from __future__ import annotations

import asyncio
import collections.abc as cabc
import concurrent.futures
import dataclasses
import json
import threading
import time
import types
import typing as t

import flask
import flask_login
import pytest
import sqlalchemy as sa
from desk import client, desk, frame, page, pane
from hosts import Host, host
from sqlalchemy.orm import Mapped, mapped_column
from toolbox import fitting, recorded
from werkzeug.exceptions import Forbidden, Unauthorized

from flask_janela import (
    BadRequest,
    CallerGone,
    Conflict,
    Count,
    DeclarationError,
    Dimension,
    Failed,
    Frame,
    JanelaError,
    NotFound,
    RateLimited,
    Records,
    Refused,
    Sum,
    Tools,
    Unauthenticated,
    Unscoped,
    Vocabulary,
)
from flask_janela.errors import Unavailable

NUMBERS = ("100.1", "200.2", "300.3", "1000.00", "2000.00", "3650")


@pytest.fixture
def made() -> cabc.Iterator[Host]:
    with desk() as host:
        yield host


def regional(made: Host) -> None:
    """Each person reads the orders of their region and every frame."""
    order = made.models.Order

    @made.janela.scope
    def scope(model: t.Any, caller: t.Any) -> t.Any:
        statement = sa.select(model)
        return statement.where(model.region == caller.region) if model is order else statement


@pytest.fixture
def regions() -> cabc.Iterator[Host]:
    """Ana reads the orders of EU, Ben those of US."""
    with desk(scoped=False) as host:
        regional(host)
        host.people["ana"].region, host.people["ben"].region = "EU", "US"
        yield host


def arranged(made: Host) -> tuple[int, int]:
    """A frame with one pane: its id and the pane's."""
    sales = frame(made)
    pane(made, sales, measure="revenue", dimension="region")
    return sales.id, sales.panes[0].id


def ana(made: Host, **more: t.Any) -> Tools:
    return made.janela.tools_for(made.people["ana"], **more)


# the scope


def test_a_scope_that_returns_nothing_reads_no_values_through_any_tool() -> None:
    """Not one number or name of a row, whatever is called."""
    with desk() as made:
        ids = arranged(made)
        made.janela._hooks.scope = lambda model, caller: sa.select(model).where(sa.false())
        tools = ana(made, write=True)
        assert set(fitting(*ids)) == {tool.name for tool in tools}
        for name, arguments in fitting(*ids).items():
            told = json.dumps(tools.run(name, arguments))
            assert not any(number in told for number in NUMBERS), (name, told)
            if name.startswith(("find_", "count_")):
                assert '"count": 0' in told
        assert tools.run("get_frame", {"frame_id": ids[0]})["error"]["code"] == "not_found"


@pytest.mark.parametrize(
    "build",
    [
        pytest.param(lambda j: j.tools_for(object()), id="for a person"),
        pytest.param(lambda j: j.tools_for(None), id="for nobody"),
        pytest.param(lambda j: j.tools_for_ref("user:ana"), id="for a reference"),
        pytest.param(lambda j: j.tool_definitions(), id="definitions"),
    ],
)
def test_building_tools_without_a_scope_raises(build: t.Any) -> None:
    """At once, not at some later call."""
    with desk(scoped=False) as made, pytest.raises(Unscoped, match=r"@janela\.scope"):
        build(made.janela)


def test_with_one_order_in_scope_a_pane_shows_one() -> None:
    """Of two orders, the other's."""
    with desk(scoped=False) as made:
        order = made.models.Order
        made.db.session.execute(sa.delete(order).where(order.id > 2))
        made.db.session.commit()
        sales = frame(made)
        pane(made, sales, measure="orders")
        made.janela.scope(
            lambda model, caller: (
                sa.select(model).where(model.id == 2) if model is order else sa.select(model)
            )
        )
        answer = ana(made).call("read_pane", {"pane_id": sales.panes[0].id})
        assert answer["total"]["orders"] == 1


def test_an_id_out_of_scope_and_one_that_is_missing_answer_alike(regions: Host) -> None:
    """Byte for byte, for frames, panes and rows."""
    team = Frame.for_owner(("team", "us"), "theirs", name="Theirs")
    regions.db.session.commit()
    pane(regions, team, measure="orders")
    scope = regions.janela._hooks.scope
    assert scope is not None
    regions.janela._hooks.scope = lambda model, caller: (
        sa.select(model).where(model.owner_id == caller.id)
        if model is Frame
        else scope(model, caller)
    )
    tools = ana(regions, write=True)
    theirs = sa.select(regions.models.Order.id).where(regions.models.Order.region == "US")
    hidden = str(regions.db.session.scalars(theirs).first())
    for name, there, absent in (
        ("get_frame", {"frame_id": team.id}, {"frame_id": 999_999}),
        ("read_pane", {"pane_id": team.panes[0].id}, {"pane_id": 999_999}),
        ("add_pane", {"frame_id": team.id, "kind": "text", "body": "x"}, {"frame_id": 2**62}),
        ("remove_pane", {"pane_id": team.panes[0].id}, {"pane_id": -1}),
        ("get_order", {"key": hidden}, {"key": "999999"}),
    ):
        assert tools.run(name, there) == tools.run(name, {**there, **absent}), name
        assert tools.run(name, there)["error"]["code"] == "not_found"


# the caller


def test_tools_built_in_a_request_act_for_that_user_on_another_thread(regions: Host) -> None:
    """After the request has ended and somebody else has signed in."""
    built: list[Tools] = []

    @regions.app.get("/build")
    def build() -> str:
        built.append(regions.janela.tools_for(flask_login.current_user))
        return "built"

    client(regions, "ana").get("/build")
    client(regions, "ben").get("/janela/")
    answers: list[t.Any] = []
    asking = {"model": "orders", "measure": "revenue"}
    thread = threading.Thread(target=lambda: answers.append(built[0].call("read_measure", asking)))
    thread.start()
    thread.join()
    assert answers[0]["total"]["revenue"] == "600.60"


REVENUE = {"EU": "600.60", "US": "3000.00"}
ASKED = {"model": "orders", "measure": "revenue", "dimension": "region"}


def test_sixteen_threads_with_two_callers_never_cross(tmp_path: t.Any) -> None:
    """Each sees the rows of their own region only."""
    with desk(
        scoped=False,
        SQLALCHEMY_DATABASE_URI=f"sqlite:///{tmp_path / 'desk.sqlite'}",
        SQLALCHEMY_ENGINE_OPTIONS={},
    ) as made:
        regional(made)
        sets = {}
        for person, region in (("ana", "EU"), ("ben", "US")):
            made.people[person].region = region
            sets[region] = made.janela.tools_for(made.people[person])
        regions = ["EU", "US"] * 80

        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            found = list(pool.map(lambda region: sets[region].call("read_measure", ASKED), regions))

        for region, answer in zip(regions, found, strict=True):
            assert answer["rows"] == [[region, REVENUE[region]]]


def test_two_hundred_tasks_with_two_callers_never_cross(tmp_path: t.Any) -> None:
    with desk(
        scoped=False,
        SQLALCHEMY_DATABASE_URI=f"sqlite:///{tmp_path / 'desk.sqlite'}",
        SQLALCHEMY_ENGINE_OPTIONS={},
    ) as made:
        regional(made)
        made.people["ana"].region, made.people["ben"].region = "EU", "US"

        async def one(at: int) -> None:
            person, region = ("ana", "EU") if at % 2 else ("ben", "US")
            tools = made.janela.tools_for_ref(f"user:{person}")
            await asyncio.sleep(0)
            answer = await asyncio.to_thread(tools.call, "read_measure", ASKED)
            assert answer["rows"] == [[region, REVENUE[region]]]

        async def every() -> None:
            await asyncio.gather(*(one(at) for at in range(200)))

        asyncio.run(every())


@pytest.mark.parametrize("name", ["actor", "caller", "current_user"])
def test_who_asks_is_dropped_from_the_arguments_of_every_tool(regions: Host, name: str) -> None:
    """And recorded as forged; neither the scope nor a hook sees it."""
    ids = arranged(regions)
    seen: list[t.Any] = []

    @regions.janela.before_tool()
    def look(caller: t.Any, tool: str, arguments: cabc.Mapping[str, t.Any]) -> None:
        seen.append((caller.id, dict(arguments)))

    tools = ana(regions, write=True)
    for tool, arguments in fitting(*ids).items():
        with recorded(regions) as calls:
            tools.run(tool, {**arguments, name: "ben"})
        (call,) = calls
        assert call.forged
        assert call.caller == "user:ana"
        assert call.outcome == "ok", tool
    assert {person for person, _ in seen} == {"ana"}
    assert not any(name in arguments for _, arguments in seen)


def test_a_callers_name_in_a_filter_is_refused_by_name_and_counts_as_forged(made: Host) -> None:
    """Nothing deep in the arguments is dropped: it could be data."""
    asked = {"model": "orders", "measure": "orders", "filters": {"actor": "ben"}}
    with recorded(made) as calls, pytest.raises(BadRequest, match='"actor" is not a dimension'):
        ana(made).call("read_measure", asked)
    assert [(call.outcome, call.forged) for call in calls] == [("invalid", True)]


@pytest.mark.parametrize(
    ("filters", "forged"),
    [
        ({"orders.actor": ["ben"]}, True),
        ('{"actor": "ben"}', True),
        ([{"region": {"actor": "ben"}}], True),
        ({"region": '["EU", {"actor": "ben"}]'}, True),
        ({"region": ["actor"]}, False),
        ({"actors": ["ben"]}, False),
        ('{"actor": "ben"', False),
    ],
    ids=str,
)
def test_a_callers_name_anywhere_in_refused_arguments_counts_as_forged(
    made: Host, filters: t.Any, forged: bool
) -> None:
    """As a name or a part of one, in a list or in a text of JSON; never as a value."""
    with recorded(made) as calls, pytest.raises(BadRequest):
        ana(made).call("read_measure", {"model": "orders", "span": 3, "filters": filters})
    assert [call.forged for call in calls] == [forged]


def test_a_dimension_that_is_really_called_actor_filters() -> None:
    """Then it is data, and nothing is forged."""

    def films(db: t.Any) -> dict[str, t.Any]:
        class Role(db.Model):  # type: ignore[name-defined,misc]
            __tablename__ = "roles"
            id: Mapped[int] = mapped_column(primary_key=True)
            actor: Mapped[str]

            class Janela(Vocabulary):
                roles = Count()
                actor = Dimension()

        return {"Role": Role}

    with host(films) as made:
        made.add(*(made.models.Role(actor=name) for name in ("Bogart", "Bogart", "Bacall")))
        asked = {"model": "roles", "measure": "roles", "filters": {"actor": "Bogart"}}
        with recorded(made) as calls:
            answer = ana(made).call("read_measure", {**asked, "actor": "somebody"})
        assert answer["total"]["roles"] == 2
        assert calls[0].forged
        with recorded(made) as calls, pytest.raises(BadRequest):
            ana(made).call("read_measure", {**asked, "dimension": "nope", "span": 3})
        assert not calls[0].forged


def test_nobody_is_refused_and_never_shown_an_empty_set(made: Host) -> None:
    """Signed out, None, and the anonymous user alike."""
    for nobody in (None, flask_login.AnonymousUserMixin()):
        tools = made.janela.tools_for(nobody)
        with pytest.raises(Unauthenticated, match="nobody is signed in"):
            tools.call("list_frames", {})
        with pytest.raises(Unauthenticated):
            tools.all()
        assert tools.run("nope")["error"]["code"] == "unauthenticated"


def test_nobody_may_be_let_in_and_the_scope_is_told_none(made: Host) -> None:
    asked: list[t.Any] = []

    def scope(model: t.Any, caller: t.Any) -> t.Any:
        asked.append(caller)
        return sa.select(model)

    made.janela._hooks.scope = scope
    tools = made.janela.tools_for(None, allow_anonymous=True)
    assert (
        tools.call("read_measure", {"model": "tickets", "measure": "tickets"})["total"]["tickets"]
        == 3
    )
    assert asked == [None]


def test_a_reference_acts_for_its_person_and_for_nobody_when_they_are_gone(regions: Host) -> None:
    reference = regions.janela.caller_ref(regions.people["ben"])
    assert reference == "user:ben"
    tools = regions.janela.tools_for_ref(reference)
    assert tools.call("read_measure", ASKED)["rows"] == [["US", "3000.00"]]
    del regions.people["ben"]
    for name, arguments in fitting(1, 1).items():
        with recorded(regions) as calls, pytest.raises(CallerGone):
            tools.call(name, arguments)
        assert [(call.outcome, call.caller) for call in calls] == [("caller_gone", "user:ben")]
        assert [(call.tool, call.unknown, call.group == "") for call in calls] == [
            (name, False, False)
        ]
    with pytest.raises(CallerGone):
        tools.all()


@pytest.mark.parametrize("caller", ["user:ana", "ana", 1, b"ana"])
def test_an_id_is_no_person(made: Host, caller: t.Any) -> None:
    """Refused at once, with the way to go: no scope could know who it is."""
    with pytest.raises(BadRequest, match=r"is no caller.*tools_for_ref"):
        made.janela.tools_for(caller)


def test_somebody_without_an_identity_acts_and_their_calls_name_nobody(made: Host) -> None:
    """A service that the host made for the purpose, say."""
    tools = made.janela.tools_for(types.SimpleNamespace(name="nightly report"), agent="reporter")
    with recorded(made) as calls:
        answer = tools.through("mcp", "desk", "1.2").call("read_measure", ASKED)
    assert dict(answer["rows"]) == {**REVENUE, None: "50.00"}
    (call,) = calls
    assert (call.caller, call.agent, call.outcome) == (None, "reporter", "ok")
    assert (call.transport, call.client, call.client_version) == ("mcp", "desk", "1.2")


@pytest.mark.parametrize("reference", [1, b"user:ana", object()])
def test_what_is_no_text_is_no_reference(made: Host, reference: t.Any) -> None:
    with pytest.raises(BadRequest, match='tools_for_ref takes a text such as "user:42"'):
        made.janela.tools_for_ref(reference)


def test_an_inactive_person_is_gone(regions: Host) -> None:
    tools = ana(regions)
    type(regions.people["ana"]).is_active = property(lambda self: self.id != "ana")  # type: ignore[assignment]
    try:
        assert tools.run("list_frames")["error"]["code"] == "caller_gone"
        by_reference = regions.janela.tools_for_ref("user:ana")
        assert by_reference.run("list_frames")["error"]["code"] == "caller_gone"
    finally:
        del type(regions.people["ana"]).is_active


def test_a_person_who_is_a_row_is_loaded_anew_at_every_call() -> None:
    """Deleted or deactivated since the tools were built: gone, and nobody else's rows."""

    def staff(db: t.Any) -> dict[str, t.Any]:
        class User(flask_login.UserMixin, db.Model):  # type: ignore[name-defined,misc]
            id: Mapped[int] = mapped_column(primary_key=True)
            team: Mapped[str]
            active: Mapped[bool] = mapped_column(default=True)

            @property
            def is_active(self) -> bool:
                return self.active

        class Task(db.Model):  # type: ignore[name-defined,misc]
            id: Mapped[int] = mapped_column(primary_key=True)
            team: Mapped[str]

            class Janela(Vocabulary, name="tasks"):
                tasks = Count()

        return {"User": User, "Task": Task}

    asked = {"model": "tasks", "measure": "tasks"}
    with host(staff, scoped=False) as made:
        made.janela.scope(lambda model, caller: sa.select(model).where(model.team == caller.team))
        user, task = made.models.User, made.models.Task
        made.add(user(id=1, team="a"), task(team="a"), task(team="b"), task(team="b"))
        tools = made.janela.tools_for(made.db.session.get(user, 1))
        made.db.session.remove()
        assert tools.call("read_measure", asked)["total"]["tasks"] == 1
        made.db.session.execute(sa.update(user).values(team="b"))
        made.db.session.commit()
        assert tools.call("read_measure", asked)["total"]["tasks"] == 2
        made.db.session.execute(sa.update(user).values(active=False))
        made.db.session.commit()
        assert tools.run("read_measure", asked)["error"]["code"] == "caller_gone"
        made.db.session.execute(sa.delete(user))
        made.db.session.commit()
        assert tools.run("read_measure", asked)["error"]["code"] == "caller_gone"


def test_a_call_leaves_what_a_hosts_session_has_pending_alone(made: Host) -> None:
    """Neither seen, nor flushed, nor committed, nor rolled back."""
    ids = arranged(made)
    draft = made.models.Ticket(topic="draft")
    made.db.session.add(draft)
    tools = ana(made, write=True)
    tools.call("add_pane", {"frame_id": ids[0], "kind": "text", "body": "Words"})
    tools.run("add_pane", {"frame_id": ids[0], "model": "orders", "measure": "nope"})
    assert (
        tools.call("read_measure", {"model": "tickets", "measure": "tickets"})["total"]["tickets"]
        == 3
    )
    assert draft in made.db.session.new
    made.db.session.commit()
    assert (
        tools.call("read_measure", {"model": "tickets", "measure": "tickets"})["total"]["tickets"]
        == 4
    )


# what becomes of a call


class NotAllowed(Exception):
    """A host's own refusal."""


def outcomes(made: Host) -> dict[str, t.Callable[[], t.Any]]:
    """One call for each of the nine things that can become of one."""
    ids = arranged(made)
    made.janela.denies_with(NotAllowed)

    @made.janela.tool()
    def explode(caller: t.Any, how: str) -> dict[str, t.Any]:
        """Break down in one way or another."""
        if how == "forbid":
            raise NotAllowed("order 17 belongs to Acme")
        if how == "wait":
            raise RateLimited(30)
        raise RuntimeError("password=hunter2")

    tools = ana(made, write=True)
    gone = made.janela.tools_for_ref("user:nobody")
    nothing = {"model": "orders", "measure": "orders", "filters": {"region": "Atlantis"}}
    stale = {"pane_id": ids[1], "position": 1, "version": 999}
    return {
        "ok": lambda: tools.call("read_measure", nothing),
        "invalid": lambda: tools.call("read_measure", {"model": "orders", "measure": 7, "x": 1}),
        "not_found": lambda: tools.call("get_frame", {"frame_id": 404}),
        "conflict": lambda: tools.call("move_pane", stale),
        "refused": lambda: tools.call("explode", {"how": "forbid"}),
        "unauthenticated": lambda: made.janela.tools_for(None).call("list_frames", {}),
        "caller_gone": lambda: gone.call("list_frames", {}),
        "rate_limited": lambda: tools.call("explode", {"how": "wait"}),
        "failed": lambda: tools.call("explode", {"how": "crash"}),
    }


def test_nine_things_become_of_a_call_and_no_two_look_alike(made: Host) -> None:
    """An answer of nothing is an answer; everything else raises its own kind."""
    kinds = {
        "invalid": BadRequest,
        "not_found": NotFound,
        "conflict": Conflict,
        "refused": Refused,
        "unauthenticated": Unauthenticated,
        "caller_gone": CallerGone,
        "rate_limited": RateLimited,
        "failed": Failed,
    }
    for outcome, call in outcomes(made).items():
        with recorded(made) as calls:
            if outcome == "ok":
                assert call()["total"]["orders"] == 0
            else:
                with pytest.raises(JanelaError) as raised:
                    call()
                assert type(raised.value) is kinds[outcome]
                assert raised.value.code == outcome
        assert [each.outcome for each in calls] == [outcome]
        assert calls[0].duration > 0


def test_a_crash_says_nothing_of_what_it_was_and_the_log_has_it(
    made: Host, caplog: pytest.LogCaptureFixture
) -> None:
    """Found again by the id that the answer names."""
    with recorded(made) as calls, pytest.raises(Failed) as raised:
        outcomes(made)["failed"]()
    assert "hunter2" not in raised.value.message
    assert calls[0].correlation is not None
    assert calls[0].correlation in raised.value.message
    assert calls[0].correlation in caplog.text
    assert "hunter2" in caplog.text
    assert (calls[0].error_class, calls[0].error_text) == ("RuntimeError", None)


def test_a_hosts_refusal_does_not_tell_why(made: Host) -> None:
    """Its words may be about what the caller is not to know."""
    with recorded(made) as calls, pytest.raises(Refused) as raised:
        outcomes(made)["refused"]()
    assert "Acme" not in raised.value.message
    assert (calls[0].error_class, calls[0].error_text) == ("NotAllowed", None)


def test_what_is_kept_of_a_refused_argument_has_no_value_in_it(made: Host) -> None:
    with recorded(made) as calls:
        ana(made).run("read_measure", {"model": "orders", "measure": "s3cret", "limit": 4711})
    assert calls[0].outcome == "invalid"
    assert calls[0].error_text is not None
    assert "4711" not in calls[0].error_text


def test_run_answers_what_call_raises(made: Host) -> None:
    """For a loop that shows a model whatever comes back."""
    assert ana(made).run("get_frame", {"frame_id": 5}) == {
        "error": {
            "code": "not_found",
            "message": "There is no such frame, or none that you may see.",
        }
    }


def test_a_scope_that_answers_nonsense_is_a_fault_of_the_set_up(made: Host) -> None:
    """Raised even where refusals are answers, and recorded as failed."""
    made.janela._hooks.scope = lambda model, caller: None
    with recorded(made) as calls, pytest.raises(Unscoped):
        ana(made).run("list_frames", {})
    assert [call.outcome for call in calls] == ["failed"]


@pytest.mark.parametrize("error", [DeclarationError("no such column"), KeyboardInterrupt()])
def test_what_is_no_answer_to_a_model_is_raised_as_it_is_and_recorded_as_failed(
    made: Host, error: BaseException
) -> None:
    """A fault of the host's set-up, and a process that is told to stop."""

    @made.janela.tool()
    def stopping(caller: t.Any) -> dict[str, t.Any]:
        """Raise."""
        raise error

    with recorded(made) as calls, pytest.raises(type(error)) as raised:
        ana(made).run("stopping")
    assert raised.value is error
    assert [(call.outcome, call.error_text) for call in calls] == [("failed", None)]


@pytest.mark.parametrize("arguments", [[1], "x", "[1]", 5])
def test_arguments_are_one_object(made: Host, arguments: t.Any) -> None:
    with pytest.raises(BadRequest, match="one object"):
        ana(made).call("list_frames", arguments)


def test_an_unknown_name_is_told_what_there_is(made: Host) -> None:
    """A tool that writes is refused by name where it was not given."""
    with recorded(made) as calls:
        with pytest.raises(NotFound, match='"nope" is not a tool; there is describe_vocabulary'):
            ana(made).call("nope")
        with pytest.raises(Refused, match=r'"add_pane" is not among the tools.*write=True'):
            ana(made).call("add_pane", {})
    assert [(c.tool, c.unknown, c.outcome) for c in calls] == [
        ("nope", True, "not_found"),
        ("add_pane", False, "refused"),
    ]
    assert "add_pane" not in [tool.name for tool in ana(made)]


def test_permission_is_asked_as_on_the_pages(made: Host) -> None:
    frame_id, pane_id = arranged(made)
    asked: list[t.Any] = []

    @made.janela.permission
    def may(caller: t.Any, action: str, subject: t.Any = None) -> bool:
        asked.append((action, getattr(subject, "name", None)))
        return action == "view"

    tools = ana(made, write=True)
    tools.call("read_pane", {"pane_id": pane_id})
    for name in ("add_pane", "update_pane", "move_pane", "remove_pane"):
        with pytest.raises(Refused):
            tools.call(name, fitting(frame_id, pane_id)[name])
    assert ("view", "Sales") in asked
    assert ("arrange", "Sales") in asked


# hooks and the host's own tools


def test_a_hook_before_a_tool_refuses_by_raising(made: Host) -> None:
    """Before those that it names, and before nothing else."""
    ids = arranged(made)
    asked: list[t.Any] = []

    @made.janela.before_tool("add_pane", "update_pane")
    def check(caller: t.Any, tool: str, arguments: cabc.Mapping[str, t.Any]) -> None:
        asked.append((caller.id, tool, dict(arguments)))
        if arguments.get("title") == "No":
            raise Refused("Not with that title.")

    tools = ana(made, write=True)
    with pytest.raises(Refused, match="Not with that title"):
        tools.call("update_pane", {"pane_id": str(ids[1]), "title": "No"})
    tools.call("read_pane", {"pane_id": ids[1]})
    assert asked == [("ana", "update_pane", {"pane_id": ids[1], "title": "No"})]
    assert tools.call("get_frame", {"frame_id": ids[0]})["panes"][0].get("title") is None


def test_a_hook_before_a_tool_that_there_is_not_is_a_mistake(made: Host) -> None:
    made.janela.before_tool("ad_pane")(lambda caller, tool, arguments: None)
    with pytest.raises(DeclarationError, match='"ad_pane"'):
        made.janela.check()


@pytest.mark.parametrize(
    ("error", "outcome"),
    [(Forbidden(), "refused"), (Unauthorized(), "unauthenticated"), (Refused("No."), "refused")],
)
def test_an_error_of_the_web_framework_is_a_refusal(
    made: Host, error: Exception, outcome: str
) -> None:
    @made.janela.tool()
    def raising(caller: t.Any) -> dict[str, t.Any]:
        """Raise."""
        raise error

    assert ana(made).run("raising")["error"]["code"] == outcome


def test_a_function_of_the_hosts_is_a_tool_like_any_other(made: Host) -> None:
    """Its schema from the annotations; the caller passed, and never an argument."""

    @made.janela.tool(read_only=False, group="desk")
    def rebook(caller: t.Any, flight_id: int, reason: str, notify: bool = True) -> dict[str, t.Any]:
        """Put the passengers of a cancelled flight on the next one."""
        return {"by": caller.id, "flight": flight_id, "reason": reason, "notified": notify}

    tools = ana(made, write=True)
    tool = next(each for each in tools if each.name == "rebook")
    assert tool.description == "Put the passengers of a cancelled flight on the next one."
    assert (tool.title, tool.group, tool.read_only, tool.destructive) == (
        "Rebook",
        "desk",
        False,
        True,
    )
    assert tool.input_schema == {
        "type": "object",
        "properties": {
            "flight_id": {"type": "integer"},
            "reason": {"type": "string"},
            "notify": {"type": "boolean", "default": True},
        },
        "required": ["flight_id", "reason"],
        "additionalProperties": False,
    }
    assert tools.call("rebook", {"flight_id": "7", "reason": "fog", "actor": "ben"}) == {
        "by": "ana",
        "flight": 7,
        "reason": "fog",
        "notified": True,
    }
    with pytest.raises(BadRequest, match="flight_id is missing"):
        tools.call("rebook", {"reason": "fog"})
    with pytest.raises(Refused):
        ana(made).call("rebook", {"flight_id": 7, "reason": "fog"})


def test_a_hosts_tool_answers_an_object_whatever_it_returns(made: Host) -> None:
    @made.janela.tool()
    def airports(caller: t.Any) -> list[str]:
        """Name the airports."""
        return ["JFK", "LGA"]

    assert ana(made).call("airports") == {"result": ["JFK", "LGA"]}


def test_what_json_does_not_have_is_null_in_a_hosts_answer(made: Host) -> None:
    @made.janela.tool()
    def odd(caller: t.Any) -> dict[str, t.Any]:
        """Divide by nothing."""
        return {"ratio": float("nan"), "all": [float("inf"), 1.5]}

    assert ana(made).call("odd") == {"ratio": None, "all": [None, 1.5]}


def test_a_tool_that_is_registered_late_is_there(made: Host) -> None:
    """After the tools were built for somebody already."""
    tools = ana(made)
    tools.all()

    @made.janela.tool()
    def late(caller: t.Any) -> dict[str, t.Any]:
        """Come late."""
        return {"late": True}

    assert tools.call("late") == {"late": True}


def test_a_hosts_answer_that_does_not_fit_asks_for_less(made: Host) -> None:
    @made.janela.tool()
    def everything(caller: t.Any) -> dict[str, str]:
        """Say too much."""
        return {"text": "x" * 60_000}

    with pytest.raises(BadRequest, match="ask for less"):
        ana(made).call("everything")


def _no_caller() -> None:
    """Nothing."""


def _any_number(caller: t.Any, *ids: int) -> None:
    """Several."""


def _untyped(caller: t.Any, flight) -> None:  # type: ignore[no-untyped-def]
    """No type."""


def _who(caller: t.Any, current_user: str) -> None:
    """Say who."""


def _hidden(caller: t.Any, _secret: str) -> None:
    """Take what a schema cannot name."""


def _typed_first(n: int) -> None:
    """Take a number, and forget who asks."""


def _kept(caller: t.Any, model_dump: str) -> None:
    """Take what pydantic calls so."""


def _unreadable(caller: t.Any, day: str, frame: Frame) -> None:
    """Take a row of the database."""


def _silent(caller: t.Any) -> None: ...


@pytest.mark.parametrize(
    ("function", "name", "said"),
    [
        (_no_caller, None, "takes no caller"),
        (_typed_first, None, r"who calls is passed first, and n is int; write def .*\(caller, n"),
        (_any_number, None, "name every argument"),
        (_untyped, None, "flight has no type"),
        (_who, None, "who is asking"),
        (_hidden, None, "_secret, which pydantic keeps"),
        (_kept, None, "model_dump, which pydantic keeps"),
        (_unreadable, None, "frame is Frame, which cannot be read from JSON.*flight_id: int"),
        (_silent, None, "says nothing"),
        (_no_caller, "Rebook!", "cannot be a tool's name"),
        (lambda caller: None, "read_pane", "docstring"),
    ],
)
def test_a_function_that_cannot_be_a_tool_is_refused_with_the_fix(
    made: Host, function: t.Any, name: str | None, said: str
) -> None:
    def declare() -> None:
        made.janela.tool(name=name)(function)
        made.janela.check()

    with pytest.raises(DeclarationError, match=said):
        declare()


def test_an_argument_may_be_called_as_a_method_of_pydantics(made: Host) -> None:
    """It arrives, and nobody is warned."""

    @made.janela.tool()
    def convert(
        caller: t.Any, copy: str, exact: str, json: str, schema: str = "", model_id: int = 0
    ) -> list[t.Any]:
        """Say what came."""
        return [copy, exact, json, schema, model_id]

    given = {"copy": "a", "exact": "", "json": "{}", "schema": "public", "model_id": "7"}
    assert ana(made).call("convert", given) == {"result": ["a", "", "{}", "public", 7]}


def test_a_hosts_tool_cannot_take_the_name_of_another(made: Host) -> None:
    @made.janela.tool()
    def read_pane(caller: t.Any) -> None:
        """Read something else."""

    with pytest.raises(DeclarationError, match="Two tools are called"):
        made.janela.check()


def test_tools_that_cannot_be_are_refused_where_they_are_built(made: Host) -> None:
    """Not at some later call."""

    @made.janela.tool()
    def read_pane(caller: t.Any) -> None:
        """Read something else."""

    with pytest.raises(DeclarationError, match="Two tools are called"):
        ana(made)


def test_a_statement_that_fails_is_no_database_that_has_gone(made: Host) -> None:
    """Asking again in a while would not help."""

    @made.janela.tool()
    def broken(caller: t.Any) -> None:
        """Ask for what is not there."""
        made.db.session.execute(sa.text("SELECT nothing FROM nowhere"))

    with pytest.raises(Failed, match="The tool broke down") as raised:
        ana(made).call("broken")
    assert not isinstance(raised.value, Unavailable)


def test_a_call_is_recorded_in_milliseconds(made: Host) -> None:
    @made.janela.tool()
    def wait(caller: t.Any) -> None:
        """Wait a little."""
        time.sleep(0.03)

    with recorded(made) as calls:
        ana(made).call("wait")
    assert 30 <= calls[0].duration < 20_000


def test_a_name_that_nobody_declared_is_kept_short_and_printable(made: Host) -> None:
    """It is whatever a model wrote."""
    with recorded(made) as calls, pytest.raises(NotFound):
        ana(made).call("drop\x1b[2J" + "x" * 500)
    assert calls[0].unknown
    assert calls[0].tool.startswith("drop\N{REPLACEMENT CHARACTER}[2J")
    assert len(calls[0].tool) == 80


# some of the tools


def test_a_sub_agent_is_told_why_a_tool_is_not_among_its_own(made: Host) -> None:
    """``write=True`` would add it to tools that only read, and to those of a sub-agent not."""
    with pytest.raises(Refused, match="write=True, or --write, adds it"):
        ana(made).call("add_pane")
    with pytest.raises(Refused) as raised:
        ana(made, write=True).only("read_pane").call("add_pane")
    assert "write=True" not in raised.value.message


def test_a_sub_agent_has_the_same_caller_and_never_more(regions: Host) -> None:
    fewer = ana(regions).only("read_measure", "list_frames")
    assert [tool.name for tool in fewer] == ["list_frames", "read_measure"]
    assert fewer.call("read_measure", ASKED)["rows"] == [["EU", "600.60"]]
    with pytest.raises(Refused):
        fewer.call("describe_vocabulary")
    with pytest.raises(BadRequest, match='"get_frame" is not one of these tools'):
        fewer.only("get_frame")
    with pytest.raises(BadRequest):
        ana(regions).only("add_pane")


@pytest.mark.parametrize("write", [False, True])
def test_the_definitions_are_those_of_the_tools_that_somebody_gets(made: Host, write: bool) -> None:
    """Those that change something only where they are asked for, and each a copy."""
    told = made.janela.tool_definitions(write=write)
    assert told == ana(made, write=write).all()
    assert all(tool.read_only for tool in told) is not write
    told[0].input_schema.clear()
    assert made.janela.tool_definitions(write=write)[0].input_schema != {}


def test_what_a_host_does_to_a_schema_stays_with_the_host(made: Host) -> None:
    ana(made).all()[0].input_schema.clear()
    assert ana(made).all()[0].input_schema["type"] == "object"


def test_what_agents_are_not_to_ask_does_not_exist_for_them() -> None:
    """On pages it does; also in a pane that a person arranged."""

    def payroll(db: t.Any) -> dict[str, t.Any]:
        class Pay(db.Model):  # type: ignore[name-defined,misc]
            __tablename__ = "pay"
            id: Mapped[int] = mapped_column(primary_key=True)
            team: Mapped[str]
            person: Mapped[str]
            amount: Mapped[int]

            class Janela(Vocabulary):
                people = Count()
                salaries = Sum("amount", agents=False)
                team = Dimension()
                person = Dimension(agents=False)

        return {"Pay": Pay}

    with host(payroll) as made:
        made.add(made.models.Pay(team="a", person="Ana", amount=100))
        tools = ana(made)
        told = json.dumps(tools.call("describe_vocabulary"))
        assert "salaries" not in told
        assert "person" not in told
        asked = {"model": "pay", "measure": "salaries"}
        with pytest.raises(NotFound, match='"salaries" is not a measure'):
            tools.call("read_measure", asked)
        with pytest.raises(BadRequest, match='"person" is not a dimension'):
            tools.call(
                "read_measure", {"model": "pay", "measure": "people", "filters": {"person": "Ana"}}
            )
        staff = Frame.for_owner(None, "staff", name="Staff", filters={"pay.person": ["Ana"]})
        made.db.session.commit()
        pane(made, staff, model="pay", measure="salaries")
        pane(made, staff, model="pay", measure="people")
        hidden, shown = (each.id for each in staff.panes)
        with pytest.raises(NotFound):
            tools.call("read_pane", {"pane_id": hidden})
        made.add(made.models.Pay(team="a", person="Ben", amount=1))
        assert tools.call("read_pane", {"pane_id": shown})["total"]["people"] == 1


def test_tools_of_rows_that_somebody_may_not_see_do_not_exist_for_them() -> None:
    """They are called like any name that there is not, and no error lists them."""

    def payroll(db: t.Any) -> dict[str, t.Any]:
        class Pay(db.Model):  # type: ignore[name-defined,misc]
            __tablename__ = "pay"
            id: Mapped[int] = mapped_column(primary_key=True)
            person: Mapped[str]

            class Janela(Vocabulary):
                people = Count(visible_to=lambda caller: caller.id == "ben")
                person = Dimension()
                rows = Records("person")

        return {"Pay": Pay}

    with host(payroll) as made:
        made.add(made.models.Pay(person="Ana"))
        assert made.janela.tools_for(made.people["ben"]).call("count_pay") == {"count": 1}
        tools = ana(made)
        told = set()
        for name in ("find_pay", "count_pay", "get_pay", "add_pay"):
            with recorded(made) as calls, pytest.raises(NotFound) as raised:
                tools.call(name, {"key": "1"} if name == "get_pay" else {})
            told.add(raised.value.message.replace(name, "…"))
            assert [call.outcome for call in calls] == ["not_found"]
        (message,) = told
        assert [name in message for name in ("read_pane", "add_pane", "_pay")] == [
            True,
            False,
            False,
        ]
        assert not [tool.name for tool in tools if tool.name.endswith("_pay")]


# an agent at work


def test_an_agent_arranges_a_frame_from_end_to_end(made: Host) -> None:
    """And the analyst's page shows the same frame."""
    frame(made, name="Desk")
    tools = ana(made, write=True, agent="desk-assistant")
    frames = tools.call("list_frames", {"search": "desk"})["frames"]
    assert [each["name"] for each in frames] == ["Desk"]
    frame_id = frames[0]["id"]
    models = tools.call("describe_vocabulary", {"model": "orders"})["models"]
    assert [each["name"] for each in models[0]["measures"]] == ["orders", "revenue", "delay"]
    with pytest.raises(BadRequest, match='"profit" is not a measure of orders'):
        tools.call("add_pane", {"frame_id": frame_id, "model": "orders", "measure": "profit"})
    added = [
        tools.call("add_pane", {"frame_id": frame_id, **options})["pane"]["id"]
        for options in (
            {"model": "orders", "measure": "revenue", "title": "Revenue"},
            {"model": "orders", "measure": "orders", "dimension": "region", "span": "6"},
            {"model": "orders", "measure": "delay", "dimension": "placed", "title": ""},
            {"kind": "text", "heading": "Mind", "body": "Two orders have no date."},
        )
    ]
    moved = tools.call("move_pane", {"pane_id": added[3], "position": 1})
    assert moved["panes"] == 4
    listed = tools.call("get_frame", {"frame_id": frame_id})["panes"]
    assert [each["id"] for each in listed] == [added[3], *added[:3]]
    answer = tools.call("read_pane", {"pane_id": added[1], "filters": {"product": "plain"}})
    assert answer["rows"] == [["EU", 1], ["US", 1], [None, 1]]
    changed = tools.call("update_pane", {"pane_id": added[1], "clear": ["span"], "limit": 1})
    assert changed["pane"].get("span") is None
    shown = page(made, f"/janela/frames/{frame_id}")
    text = " ".join(element.words for element in shown.elements)
    for words in ("Mind", "Revenue", "$3,650.60"):
        assert words in text
    tools.call("remove_pane", {"pane_id": added[0], "version": changed["frame"]["version"]})
    with pytest.raises(Conflict, match="changed"):
        tools.call("move_pane", {"pane_id": added[1], "position": 1, "version": 2})


def test_what_is_refused_changes_nothing(made: Host) -> None:
    frame_id, pane_id = arranged(made)
    before = ana(made).call("get_frame", {"frame_id": frame_id})
    tools = ana(made, write=True)
    for name, arguments in (
        ("add_pane", {"frame_id": frame_id, "model": "orders", "measure": "margin"}),
        ("update_pane", {"pane_id": pane_id, "span": 13}),
        ("update_pane", {"pane_id": pane_id, "clear": ["id"]}),
        ("update_pane", {"pane_id": pane_id, "clear": ["title"], "title": "x"}),
        ("move_pane", {"pane_id": pane_id, "position": 0}),
        ("add_pane", {"frame_id": frame_id, "model": "orders", "measure": "orders", "css": "x"}),
    ):
        with pytest.raises(BadRequest):
            tools.call(name, arguments)
    assert ana(made).call("get_frame", {"frame_id": frame_id}) == before


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ({"limit": "2"}, {"limit": 2}),
        ({"companions": '["orders"]'}, {"companions": ["orders"]}),
        ({"companions": "orders"}, {"companions": ["orders"]}),
        ({"filters": '{"region": ["EU"]}'}, {"filters": {"region": ["EU"]}}),
        ({"filters": {"region": "EU"}}, {"filters": {"region": ["EU"]}}),
        ({"filters": {}, "order": "", "companions": []}, {}),
        ({"other": "true", "limit": 1}, {"other": True, "limit": 1}),
        ({"limit": None}, {}),
    ],
)
def test_arguments_of_the_wrong_json_type_are_what_was_meant(
    made: Host, given: dict[str, t.Any], meant: dict[str, t.Any]
) -> None:
    tools = ana(made)
    answers = [tools.call("read_measure", {**ASKED, **each}) for each in (given, meant)]
    for answer in answers:
        answer.pop("next_call", None)
    assert answers[0] == answers[1]


def test_a_text_that_looks_like_a_list_stays_a_text(made: Host) -> None:
    """Where a text is declared."""
    frame_id, _ = arranged(made)
    tools = ana(made, write=True)
    told = tools.call("add_pane", {"frame_id": frame_id, "kind": "text", "body": '["EU"]'})
    assert told["pane"]["body"] == '["EU"]'
    told = tools.call("add_pane", {"frame_id": frame_id, "kind": "text", "body": 2013})
    assert told["pane"]["body"] == "2013"


# how long an answer is


def test_pages_of_frames_and_panes_go_on_where_they_ended(made: Host) -> None:
    for number in range(120):
        Frame.for_owner(None, f"f{number}", name=f"Frame {number}", description="x" * 500)
    made.db.session.commit()
    tools, found, arguments = ana(made), [], {"limit": 100}
    while True:
        answer = tools.call("list_frames", arguments)
        assert len(json.dumps(answer)) < 49_152
        found += [each["id"] for each in answer["frames"]]
        if not answer["truncated"]:
            break
        assert answer["count"] == 120
        assert answer["next_call"]["tool"] == "list_frames"
        arguments = answer["next_call"]["arguments"]
    assert found == sorted(set(found))
    assert len(found) == 120


def test_a_cursor_that_no_answer_gave_is_refused(made: Host) -> None:
    for cursor in ("x", "-1", "٣", "1" * 30, "2147483648"):
        with pytest.raises(BadRequest, match="cursor is"):
            ana(made).call("list_frames", {"cursor": cursor})


def test_a_frame_with_much_to_say_is_listed_in_part(made: Host) -> None:
    words = frame(made, name="Words")
    for _ in range(200):
        pane(made, words, kind="text", heading="h" * 190, body="b" * 5_000)
    tools, found, arguments = ana(made), [], {"frame_id": words.id}
    while True:
        answer = tools.call("get_frame", arguments)
        assert len(json.dumps(answer)) < 49_152
        found += [each["position"] for each in answer["panes"]]
        if not answer["truncated"]:
            break
        arguments = answer["next_call"]["arguments"]
    assert found == list(range(1, 201))


@pytest.mark.slow
def test_a_million_members_come_back_cut_with_their_number_and_a_smaller_call() -> None:
    """Under the budget, saying that it is cut, the total, and what to call instead."""

    def visits(db: t.Any) -> dict[str, t.Any]:
        class Visit(db.Model):  # type: ignore[name-defined,misc]
            __tablename__ = "visits"
            id: Mapped[int] = mapped_column(primary_key=True)
            address: Mapped[str]

            class Janela(Vocabulary):
                visits = Count()
                address = Dimension()

        return {"Visit": Visit}

    with host(visits) as made:
        made.db.session.execute(
            sa.text(
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000) "
                "INSERT INTO visits (id, address) "
                "SELECT i, 'an address that is long enough to fill what fits ' || i FROM n"
            )
        )
        made.db.session.commit()
        asked = {"model": "visits", "measure": "visits", "dimension": "address"}
        tools = ana(made)
        answer = tools.call("read_measure", asked)
        assert len(json.dumps(answer, ensure_ascii=False)) < 49_152
        assert answer["truncated"] is True
        assert answer["total"]["visits"] == 1_000_000
        assert answer["count"] == 1_000_000
        smaller = answer["next_call"]
        assert smaller["tool"] == "read_measure"
        again = tools.call(smaller["tool"], smaller["arguments"])
        assert len(again["rows"]) == smaller["arguments"]["limit"]
        assert again["rows"] == answer["rows"][: len(again["rows"])]


def test_hours_that_do_not_fit_are_asked_as_days(made: Host) -> None:
    asked = {"model": "orders", "measure": "orders", "dimension": "placed", "granularity": "hour"}
    asked |= {"filters": {"placed.gte": ["2013-10-01"], "placed.lt": ["2013-12-20"]}}
    state = made.app.extensions["janela"]
    state.config = dataclasses.replace(state.config, tool_bytes=4096)
    answer = ana(made).call("read_measure", asked)
    assert answer["truncated"]
    assert answer["next_call"]["arguments"]["granularity"] == "day"
    assert len(json.dumps(answer)) <= 4096


def test_answers_hold_null_none_other_and_big_numbers_apart(made: Host) -> None:
    """The null group has a null key, what is beyond the limit its own place."""
    tools = ana(made)
    answer = tools.call("read_measure", {**ASKED, "limit": 1, "other": True})
    assert answer["rows"] == [["US", "3000.00"]]
    assert answer["other"] == ["650.60"]
    assert answer["truncated"]
    assert answer["count"] == 3
    answer = tools.call("read_measure", {**ASKED, "filters": {"region.null": "1"}})
    assert answer["rows"] == [[None, "50.00"]]


def test_a_limit_that_left_members_out_leads_to_more_of_them(made: Host) -> None:
    """The call that is told is never the one that was made."""
    tools = ana(made)
    answer = tools.call("read_measure", {**ASKED, "limit": 1})
    following = answer["next_call"]["arguments"]
    assert following["limit"] == 10
    rest = tools.call("read_measure", following)
    assert len(rest["rows"]) == 3
    assert not rest["truncated"]


def test_what_a_frames_filter_cannot_reach_is_told(made: Host) -> None:
    sales = frame(made, filters={"orders.region": ["EU"]})
    pane(made, sales, model="tickets", measure="tickets")
    answer = ana(made).call("read_pane", {"pane_id": sales.panes[0].id})
    assert answer["not_filtered_by"] == ["Region"]
    with pytest.raises(BadRequest, match="cannot filter tickets"):
        ana(made).call(
            "read_pane", {"pane_id": sales.panes[0].id, "filters": {"orders.region": "EU"}}
        )


def test_tools_need_an_application(made: Host) -> None:
    tools = ana(made)
    result: list[t.Any] = []

    def elsewhere() -> None:
        assert not flask.has_app_context()
        result.append(tools.call("list_frames"))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert result == [{"frames": [], "truncated": False}]
