"""What agents are not to know of frames and panes that somebody else arranged is not told."""

from __future__ import annotations

import collections.abc as cabc
import json
import typing as t

import pytest
import sqlalchemy as sa
from desk import frame, pane
from hosts import Host, host
from sqlalchemy.orm import Mapped, mapped_column

from flask_janela import Count, Dimension, Frame, Sum, TimeDimension, Tools, Vocabulary
from flask_janela.frames import Pane, showing

VALUE = "a value of theirs"

HIDDEN: dict[str, dict[str, t.Any]] = {
    "measure": {"measure": "hush"},
    "dimension": {"measure": "people", "dimension": "person"},
    "companion": {"measure": "people", "dimension": "team", "companions": ["hush"]},
    "over": {"measure": "people", "over": "born"},
    "secret": {"measure": "secret"},
}


def define(db: t.Any) -> dict[str, t.Any]:
    class Pay(db.Model):  # type: ignore[name-defined,misc]
        __tablename__ = "pay"
        id: Mapped[int] = mapped_column(primary_key=True)
        team: Mapped[str]
        name: Mapped[str]
        amount: Mapped[int]
        born_at: Mapped[t.Any] = mapped_column(sa.Date, nullable=True)

        class Janela(Vocabulary):
            people = Count()
            hush = Sum("amount", agents=False)
            secret = Sum("amount", visible_to=lambda caller: caller.name == "The boss")
            team = Dimension()
            person = Dimension("name", agents=False, label="Whose")
            born = TimeDimension("born_at", agents=False)

    class Task(db.Model):  # type: ignore[name-defined,misc]
        __tablename__ = "tasks"
        id: Mapped[int] = mapped_column(primary_key=True)
        kind: Mapped[str]

        class Janela(Vocabulary):
            tasks = Count()
            kind = Dimension()

    return {"Pay": Pay, "Task": Task}


@pytest.fixture
def made() -> cabc.Iterator[Host]:
    with host(define) as made:
        pay = made.models.Pay
        made.add(pay(team="a", name=VALUE, amount=100), pay(team="a", name="Ben", amount=1))
        yield made


def ana(made: Host) -> Tools:
    return made.janela.tools_for(made.people["ana"], write=True)


def tells(answer: t.Any) -> list[str]:
    text = json.dumps(answer).lower()
    return [word for word in ("hush", "person", "born", "secret", "whose", VALUE) if word in text]


def arranged(made: Host, options: dict[str, t.Any], **more: t.Any) -> tuple[Frame, int]:
    staff = frame(made, **more)
    pane(made, staff, **{"model": "pay", "title": "Ours", **options})
    return staff, staff.panes[0].id


@pytest.mark.parametrize("kind", HIDDEN)
def test_a_pane_by_what_is_not_there_is_listed_without_its_question(made: Host, kind: str) -> None:
    """By its id, place, size and typed title, and one sentence."""
    staff, id_ = arranged(made, {**HIDDEN[kind], "span": 6, "limit": 3})
    answer = ana(made).call("get_frame", {"frame_id": staff.id})
    assert answer["panes"] == [
        {
            "id": id_,
            "position": 1,
            "kind": "query",
            "title": "Ours",
            "span": 6,
            "not_shown": "This pane asks for something that is not there for you.",
        }
    ]
    assert answer["version"] == staff.version


@pytest.mark.parametrize("kind", HIDDEN)
def test_no_tool_tells_what_is_hidden(made: Host, kind: str) -> None:
    _, id_ = arranged(made, HIDDEN[kind])
    tools = ana(made)
    for name, arguments in (
        ("read_pane", {}),
        ("read_pane", {"filters": {"tasks.kind": "x"}}),
        ("read_pane", {"filters": {"nothing": "x"}}),
        ("move_pane", {"position": 1}),
        ("update_pane", {"title": "Mine"}),
        ("update_pane", {"measure": "people"}),
        ("update_pane", {"kind": "text", "body": "x"}),
        ("update_pane", {"clear": ["dimension"]}),
        ("update_pane", {"span": 13}),
        ("move_pane", {"position": 1, "version": 999}),
        ("remove_pane", {}),
    ):
        answer = tools.run(name, {"pane_id": id_, **arguments})
        assert tells(answer) == [], (name, arguments)


def test_what_is_hidden_and_what_is_gone_are_told_alike(made: Host) -> None:
    staff, hidden = arranged(made, HIDDEN["measure"])
    pane(made, staff, model="pay", measure="people", title="Ours")
    gone = staff.panes[1].id
    made.db.session.execute(sa.update(Pane).where(Pane.id == gone).values(measure="vanished"))
    made.db.session.commit()
    tools = ana(made)
    for name, arguments in (("read_pane", {}), ("update_pane", {"measure": "people"})):
        answers = [tools.run(name, {"pane_id": id_, **arguments}) for id_ in (hidden, gone)]
        assert answers[0] == answers[1], name
    listed = tools.call("get_frame", {"frame_id": staff.id})["panes"]
    assert listed[0] == {**listed[1], "id": hidden, "position": 1}


@pytest.mark.parametrize("kind", HIDDEN)
def test_its_question_is_not_changed_and_its_place_is(made: Host, kind: str) -> None:
    """Nothing of it is lost by somebody who does not see it."""
    _, id_ = arranged(made, HIDDEN[kind])
    tools = ana(made)
    answer = tools.run("update_pane", {"pane_id": id_, "measure": "people", "clear": ["over"]})
    assert answer["error"] == {"code": "invalid", "message": showing.UNCHANGEABLE}
    told = tools.call("update_pane", {"pane_id": id_, "title": "Mine", "span": 7})
    assert (told["pane"]["title"], told["pane"]["span"]) == ("Mine", 7)
    made.db.session.expire_all()
    kept = made.db.session.get(Pane, id_)
    assert {name: getattr(kept, name) for name in HIDDEN[kind]} == HIDDEN[kind]


def test_words_that_were_a_question_once_do_not_tell_which(made: Host) -> None:
    """They are changed as ever, and never become that question again for this caller."""
    staff, id_ = arranged(made, {**HIDDEN["measure"], "kind": "text", "body": "Mind.", "title": ""})
    tools = ana(made)
    (told,) = tools.call("get_frame", {"frame_id": staff.id})["panes"]
    assert told == {"id": id_, "position": 1, "kind": "text", "body": "Mind."}
    assert tools.call("update_pane", {"pane_id": id_, "body": "Or not."})["pane"]["body"] == (
        "Or not."
    )
    again = tools.run("update_pane", {"pane_id": id_, "kind": "query"})
    assert again["error"]["code"] == "invalid"
    assert tells(again) == []


def test_a_panes_filter_that_is_hidden_narrows_and_is_not_told(made: Host) -> None:
    """What can be told of the pane is."""
    staff, id_ = arranged(
        made, {"measure": "people", "filters": {"person": [VALUE], "team": ["a"]}, "title": ""}
    )
    tools = ana(made)
    (told,) = tools.call("get_frame", {"frame_id": staff.id})["panes"]
    assert told == {
        "id": id_,
        "position": 1,
        "kind": "query",
        "model": "pay",
        "measure": "people",
        "filters": {"team": ["a"]},
        "not_shown": "There is a filter that cannot be shown to you. It holds all the same.",
    }
    assert tools.call("read_pane", {"pane_id": id_})["total"]["people"] == 1
    for changed in ({"filters": {"team": ["b"]}}, {"clear": ["filters"]}, {"measure": "people"}):
        answer = tools.run("update_pane", {"pane_id": id_, **changed})
        assert answer["error"]["message"] == showing.UNCHANGEABLE


def test_a_frames_filter_that_is_hidden_narrows_and_is_said_to_be_there(made: Host) -> None:
    filters = {"pay.person": [VALUE], "pay.team": ["a"]}
    staff, id_ = arranged(made, {"measure": "people"}, filters=filters)
    pane(made, staff, model="tasks", measure="tasks")
    tools = ana(made)
    answer = tools.call("get_frame", {"frame_id": staff.id})
    assert answer["filters"] == {"pay.team": ["a"]}
    assert answer["not_shown"] == showing.FILTER
    assert tells(answer["panes"]) == []
    assert tools.call("read_pane", {"pane_id": id_})["total"]["people"] == 1
    other = tools.call("read_pane", {"pane_id": staff.panes[1].id})
    assert other["not_filtered_by"] == ["a filter that cannot be shown", "Team"]


def test_a_frames_filter_that_cannot_be_read_is_told_as_far_as_agents_may_know(made: Host) -> None:
    _, id_ = arranged(made, {"measure": "people"})
    for filters, said in (
        ({"pay.born": [VALUE]}, "it is by something that is not there for you"),
        ({"pay.team.gte": ["a"]}, '"pay.team.gte": team does not take "gte"'),
    ):
        made.db.session.execute(sa.update(Frame).values(filters=filters))
        made.db.session.commit()
        answer = ana(made).run("read_pane", {"pane_id": id_})
        assert answer["error"]["code"] == "invalid"
        assert said in answer["error"]["message"]
        assert tells(answer) == []


def test_an_error_of_a_call_lists_what_there_is_for_agents(made: Host) -> None:
    _, id_ = arranged(made, {"measure": "people"})
    answer = ana(made).run("read_pane", {"pane_id": id_, "filters": {"tasks.kind": "x"}})
    assert answer["error"]["message"] == "tasks.kind cannot filter pay; it has team"
