"""What somebody arranged by names that do not exist for a reader: none of them shows."""

from __future__ import annotations

import collections.abc as cabc
import typing as t

import flask
import pytest
import sqlalchemy as sa
from desk import client as browser
from desk import desk, frame, pane
from hosts import Host
from markup import Page

from flask_janela import Frame
from flask_janela.frames import Pane, duplicate_frame, showing

VALUE = "a value of theirs"

HIDDEN: dict[str, dict[str, t.Any]] = {
    "measure": {"measure": "profit"},
    "dimension": {"measure": "orders", "dimension": "margin"},
    "companion": {"measure": "orders", "dimension": "region", "companions": ["profit"]},
    "filter": {"measure": "orders", "filters": {"margin": [VALUE]}},
    "number": {"measure": "orders", "dimension": "margin", "renderer": "number"},
}
"""Panes of the boss, each by a name that exists for nobody else."""


@pytest.fixture
def made() -> cabc.Iterator[Host]:
    with desk() as host:
        host.people["ben"].name = "The boss"
        yield host


def client(made: Host, person: str = "ana") -> t.Any:
    """A browser of a person's; the context of a test remembers whoever asked before."""
    flask.g.pop("_login_user", None)
    return browser(made, person)


def page(made: Host, address: str) -> Page:
    answer = client(made).get(address)
    assert answer.status_code == 200
    return Page(answer.text)


def theirs(made: Host, kind: str = "measure", **more: t.Any) -> tuple[Frame, int]:
    """A frame with one such pane."""
    sales = frame(made)
    pane(made, sales, **HIDDEN[kind], **more)
    return sales, sales.panes[0].id


def tells(text: str) -> list[str]:
    """Which of the hidden names and values stand in a text."""
    return [word for word in ("profit", "margin", VALUE) if word in text.lower()]


def addresses(sales: Frame, id_: int) -> cabc.Iterator[str]:
    here = f"/janela/frames/{sales.id}"
    for more in ("", "/arrange", f"/arrange?first={id_}", "/edit", "?kiosk=1", "/delete"):
        yield here + more
    for more in ("", "/edit", ".csv", "/rows", "/rows.csv"):
        yield f"{here}/panes/{id_}{more}"


@pytest.mark.parametrize("kind", HIDDEN)
def test_no_page_tells_what_is_hidden(made: Host, kind: str) -> None:
    """Not its title, its error, its form, its file or its rows; the boss reads all of it."""
    sales, id_ = theirs(made, kind)
    for address in addresses(sales, id_):
        assert tells(client(made).get(address).text) == [], address
    assert tells(client(made, "ben").get(f"/janela/frames/{sales.id}/panes/{id_}/edit").text)


@pytest.mark.parametrize("kind", HIDDEN)
def test_no_change_tells_what_is_hidden(made: Host, kind: str) -> None:
    """Made, refused, or too late."""
    sales, id_ = theirs(made, kind)
    here = f"/janela/frames/{sales.id}/panes/{id_}"
    sent = {"to": "1", "span": "6", "model": "orders", "measure": "orders", "kind": "query"}
    for change in ("move", "resize", "duplicate", "edit", "remove"):
        for version in ("1", "999"):
            made.db.session.expire_all()
            version = str(sales.version) if version == "1" else version
            answer = client(made).post(f"{here}/{change}", data={**sent, "version": version})
            assert tells(answer.text) == [], (change, version)
    shown = client(made).get(f"/janela/frames/{sales.id}/arrange?removed={id_}")
    assert tells(shown.text) == []
    assert f"Removed “{'Orders' if kind == 'filter' else 'A pane'}”" in shown.text


def test_what_is_hidden_and_what_is_gone_look_alike(made: Host) -> None:
    sales, hidden = theirs(made)
    pane(made, sales, measure="orders")
    gone = sales.panes[1].id
    made.db.session.execute(sa.update(Pane).where(Pane.id == gone).values(measure="vanished"))
    made.db.session.commit()
    shown = page(made, f"/janela/frames/{sales.id}")
    first, second = shown.all("janela-pane--gone")
    assert first.words == second.words
    assert first.words.startswith("A pane This pane asks for something that is not there for you.")
    for more in (".csv", "/rows"):
        answers = [
            client(made).get(f"/janela/frames/{sales.id}/panes/{id_}{more}").text
            for id_ in (hidden, gone)
        ]
        assert answers[0] == answers[1]
        assert showing.PANE in answers[0]


def test_a_title_that_somebody_typed_is_told(made: Host) -> None:
    sales, _ = theirs(made, title="Ours")
    assert page(made, f"/janela/frames/{sales.id}").words("janela-pane__title") == ["Ours"]


@pytest.mark.parametrize("kind", HIDDEN)
def test_the_question_of_such_a_pane_is_not_changed_and_nothing_is_lost(
    made: Host, kind: str
) -> None:
    """Its page says why and has the buttons that still work; what is sent all the same is kept."""
    sales, id_ = theirs(made, kind)
    address = f"/janela/frames/{sales.id}/panes/{id_}"
    shown = page(made, f"{address}/edit")
    assert "So its question can be neither changed nor copied" in shown.one("janela-told").words
    actions = {each["action"] for each in shown.all(tag="form")}
    actions |= {each["formaction"] for each in shown.all(tag="button")}
    assert {f"{address}/{change}" for change in ("move", "resize", "remove")} <= actions
    assert not {f"{address}/{change}" for change in ("edit", "duplicate")} & actions
    sent = {"version": str(sales.version), "model": "orders", "measure": "revenue", "title": "Mine"}
    answer = client(made).post(f"{address}/edit", data=sent)
    assert answer.status_code == 400
    assert "So its question can be neither changed nor copied" in answer.text
    assert "Mine" in answer.text
    made.db.session.expire_all()
    kept = sales.panes[0]
    assert {name: getattr(kept, name) for name in HIDDEN[kind]} == HIDDEN[kind]
    resized = {"version": str(sales.version), "span": "7"}
    assert client(made).post(f"{address}/resize", data=resized).status_code == 303
    assert client(made, "ben").post(f"{address}/edit", data=sent).status_code == 409


def test_such_a_pane_is_not_copied_and_a_frame_is_copied_as_it_is(made: Host) -> None:
    """The copy of a frame is hidden from whoever made it where the frame was."""
    sales, id_ = theirs(made, "filter")
    answer = client(made).post(
        f"/janela/frames/{sales.id}/panes/{id_}/duplicate", data={"version": str(sales.version)}
    )
    assert answer.status_code == 400
    made.db.session.expire_all()
    assert len(sales.panes) == 1
    assert client(made).post(f"/janela/frames/{sales.id}/duplicate").status_code == 303
    copy = made.db.session.scalars(sa.select(Frame).where(Frame.id != sales.id)).one()
    assert copy.panes[0].filters == {"margin": [VALUE]}
    assert tells(client(made).get(f"/janela/frames/{copy.id}").text) == []


def test_a_pane_that_became_hidden_meanwhile_does_not_tell_what_it_is(made: Host) -> None:
    """Whoever saves an older form reads that somebody was faster, and not with what."""
    sales = frame(made)
    pane(made, sales, measure="orders")
    id_, version = sales.panes[0].id, sales.version
    boss = {"version": str(version), "model": "orders", "measure": "profit"}
    address = f"/janela/frames/{sales.id}/panes/{id_}/edit"
    assert client(made, "ben").post(address, data=boss).status_code == 303
    answer = client(made).post(address, data={**boss, "measure": "revenue"})
    assert answer.status_code in (400, 409)
    assert tells(answer.text) == []


# a frame's own filters


def filtered(made: Host) -> Frame:
    sales = frame(made, filters={"orders.margin": [VALUE], "orders.region": ["EU"]})
    pane(made, sales, measure="orders")
    return sales


def test_a_frames_filter_that_is_hidden_is_said_to_be_there(made: Host) -> None:
    """No pane is drawn without it, and neither its name nor a value is told."""
    sales = filtered(made)
    for address in addresses(sales, sales.panes[0].id):
        assert tells(client(made).get(address).text) == [], address
    shown = page(made, f"/janela/frames/{sales.id}")
    assert shown.words("janela-chip") == [
        "A filter: that cannot be shown to you · set by the frame"
    ]
    assert "it is by something that is not there for you" in shown.one("janela-gone").words
    with made.app.test_request_context():
        html = flask.render_template_string("{{ janela_frame(id) }}", id=sales.id)
    assert tells(html) == []


def settings(made: Host, sales: Frame, **typed: str) -> dict[str, str]:
    shown = page(made, f"/janela/frames/{sales.id}/edit")
    area = {each["name"]: each.text.removeprefix("\n") for each in shown.all(tag="textarea")}
    made.db.session.expire_all()
    plain = {"name": sales.name, "columns": "12", "gap": "4", "version": str(sales.version)}
    return {**plain, **area, **typed}


def test_settings_keep_a_filter_that_is_hidden(made: Host) -> None:
    """Whatever else is saved; it goes when that is said."""
    sales = filtered(made)
    address = f"/janela/frames/{sales.id}/edit"
    sent = settings(made, sales)
    assert sent["filters"] == "orders.region = EU"
    sent = settings(made, sales, name="Renamed", filters="orders.region = US")
    assert client(made).post(address, data=sent).status_code == 303
    made.db.session.expire_all()
    assert sales.filters == {"orders.margin": [VALUE], "orders.region": ["US"]}
    sent = settings(made, sales, drop="true")
    assert client(made).post(address, data=sent).status_code == 303
    made.db.session.expire_all()
    assert sales.filters == {"orders.region": ["US"]}


def test_settings_get_rid_of_a_filter_that_is_gone(made: Host) -> None:
    """It is told like one that is hidden; other filters cannot be saved beside it."""
    sales = filtered(made)
    gone = {"orders.vanished": [VALUE]}
    made.db.session.execute(sa.update(Frame).values(filters=gone))
    made.db.session.commit()
    address = f"/janela/frames/{sales.id}/edit"
    assert client(made).post(address, data=settings(made, sales, name="A")).status_code == 303
    sent = settings(made, sales, filters="orders.region = US")
    answer = client(made).post(address, data=sent)
    assert answer.status_code == 400
    assert "vanished" not in answer.text
    assert tells(answer.text) == []
    sent = settings(made, sales, filters="orders.region = US", drop="true")
    assert client(made).post(address, data=sent).status_code == 303
    made.db.session.expire_all()
    assert sales.filters == {"orders.region": ["US"]}


@pytest.mark.parametrize("line", ["orders.margin = x", "margin = x", "vanished = x"])
def test_settings_take_no_filter_that_is_hidden(made: Host, line: str) -> None:
    """Its name is as unknown as any other, and what there is is what there is for the caller."""
    sales = frame(made)
    address = f"/janela/frames/{sales.id}/edit"
    answer = client(made).post(address, data=settings(made, sales, filters=line))
    assert answer.status_code == 400
    assert "is not a dimension to filter by" in answer.text
    assert "margin," not in answer.text
    assert ", margin" not in answer.text


def test_a_frame_with_a_filter_that_is_gone_is_copied_as_it_is(made: Host) -> None:
    sales = filtered(made)
    gone = {"orders.vanished": [VALUE]}
    made.db.session.execute(sa.update(Frame).values(filters=gone))
    made.db.session.commit()
    copy = duplicate_frame(sales, None)
    made.db.session.commit()
    assert copy.filters == gone


@pytest.mark.parametrize("query", ["companions=nothing", "companions=profit", "over=nothing"])
def test_a_question_that_is_added_is_checked_by_what_its_caller_may_see(
    made: Host, query: str
) -> None:
    """What is hidden is as unknown as anything else, and is not among what there is."""
    sales = frame(made)
    address = f"/janela/ask/orders/orders/region?{query}"
    answer = client(made).post(address, data={"frame": str(sales.id)})
    assert answer.status_code in (400, 404)
    assert tells(answer.text.replace("&#34;profit&#34; is not", "")) == []
    made.db.session.expire_all()
    assert sales.panes == []
