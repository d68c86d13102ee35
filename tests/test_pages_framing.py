"""Frames made, described, copied, deleted, brought back and starred, by their pages."""

from __future__ import annotations

import collections.abc as cabc
import typing as t

import pytest
import sqlalchemy as sa
from desk import client, desk, frame, page, pane
from hosts import Host
from markup import Page, faults
from test_pages_arrange import press

from flask_janela import Frame
from flask_janela.frames import delete_frame, set_favourite, update_frame

GOOD = {"name": "Sales", "description": "What we sold", "columns": "12", "gap": "4", "filters": ""}


@pytest.fixture
def made() -> cabc.Iterator[Host]:
    with desk() as host_:
        yield host_


def send(made: Host, address: str, **fields: str) -> t.Any:
    return client(made).post(address, data=fields)


def only(made: Host) -> Frame:
    made.db.session.expire_all()
    return made.db.session.scalars(sa.select(Frame)).one()


def typed(shown: Page) -> dict[str, str]:
    """What stands in the fields of a form."""
    fields = {each["name"]: each["value"] for each in shown.all(tag="input")}
    areas = {each["name"]: each.text.removeprefix("\n") for each in shown.all(tag="textarea")}
    return fields | areas


def test_a_frame_is_made_and_then_arranged(made: Host) -> None:
    """It belongs to whom the owner hook says, under a key from its name."""
    made.janela.owner(lambda caller: ("team", 7))
    shown = page(made, "/janela/frames/new")
    assert list(faults(shown)) == []
    answer = send(made, "/janela/frames/new", **{**GOOD, "filters": "orders.region = EU"})
    assert answer.status_code == 303
    assert answer.headers["Location"].endswith("/arrange")
    found = only(made)
    assert (found.name, found.key, found.owner_type, found.owner_id) == (
        "Sales",
        "sales",
        "team",
        "7",
    )
    assert (found.filters, found.created_by) == ({"orders.region": ["EU"]}, "user:ana")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"name": " "}, "name is"),
        ({"name": "x" * 201}, "name is 201 characters long: use at most 200"),
        ({"columns": "13"}, 'columns is "13": use a whole number from 1 to 12'),
        ({"columns": "many"}, 'columns is "many"'),
        ({"gap": ""}, 'gap is ""'),
        ({"filters": "orders.region"}, 'filters: line 1 is "orders.region", write a dimension'),
        ({"filters": "orders.region = EU\n= 1"}, "filters: line 2 is"),
        ({"filters": "orders.colour = red"}, 'filters: "colour" is not a dimension'),
        ({"filters": "orders.placed.gte = soon"}, "use a date such as"),
    ],
    ids=str,
)
@pytest.mark.parametrize("existing", [False, True], ids=["new", "existing"])
def test_what_cannot_be_is_said_and_nothing_typed_is_lost(
    made: Host, wrong: dict[str, str], said: str, *, existing: bool
) -> None:
    """400, the words beside the field, every field as it was typed, and nothing saved."""
    address = "/janela/frames/new"
    before = ""
    sent = {**GOOD, **wrong}
    if existing:
        before = "Before"
        address = f"/janela/frames/{frame(made, name=before).id}/edit"
        sent["version"] = "1"
    answer = send(made, address, **sent)
    assert answer.status_code == 400
    shown = Page(answer.text)
    assert said in shown.one("janela-told__list").words
    ((wrong_name, _),) = wrong.items()
    assert not shown.words("janela-error")[0].startswith((*wrong, "; "))
    marked = [each["name"] for each in shown.elements if each["aria-invalid"]]
    assert marked == [wrong_name]
    assert {name: typed(shown)[name] for name in sent} == sent
    assert list(faults(shown)) == []
    names = list(made.db.session.scalars(sa.select(Frame.name)))
    assert names == ([before] if existing else [])


def test_settings_are_changed_in_one_go(made: Host) -> None:
    """The form comes filled in, filters as lines."""
    found = frame(made, filters={"orders.region": ["EU", "US"], "orders.placed.this": ["year"]})
    shown = page(made, f"/janela/frames/{found.id}/edit")
    lines = ["orders.placed.this = year", "orders.region = EU", "orders.region = US"]
    assert sorted(typed(shown)["filters"].splitlines()) == lines
    assert typed(shown)["version"] == "1"
    sent = {**GOOD, "name": "New", "gap": "0", "filters": "region = US", "version": "1"}
    answer = send(made, f"/janela/frames/{found.id}/edit", **sent)
    assert answer.status_code == 303
    made.db.session.expire_all()
    assert (found.name, found.gap, found.filters) == ("New", 0, {"orders.region": ["US"]})
    assert (found.version, found.updated_by) == (2, "user:ana")


def test_two_who_change_settings_meet_in_the_form(made: Host) -> None:
    """The second is told who was first and what differs, and can send theirs again."""
    found = frame(made)
    made.people["ben"].name = "Ben Okri"
    update_frame(found, by="user:ben", name="Ben's", columns=6)
    made.db.session.commit()
    sent = {**GOOD, "name": "Mine", "version": "1"}
    answer = send(made, f"/janela/frames/{found.id}/edit", **sent)
    assert answer.status_code == 409
    shown = Page(answer.text)
    told = shown.one("janela-told").words
    assert "changed by Ben Okri 1 second ago" in told
    assert "What you typed is kept below" in told
    rows = [each.words for each in shown.within(shown.one("janela-told__table"), tag="tr")]
    assert rows == [
        "Differs Now Yours".replace(" ", ""),
        "NameBen'sMine",
        "Description—What we sold",
        "Columns612",
    ]
    assert typed(shown)["name"] == "Mine"
    assert typed(shown)["version"] == "2"
    assert list(faults(shown)) == []
    assert only(made).name == "Ben's"
    again = send(made, f"/janela/frames/{found.id}/edit", **{**sent, "version": "2"})
    assert again.status_code == 303
    assert (only(made).name, only(made).columns) == ("Mine", 12)


def test_a_copy_belongs_to_whoever_made_it(made: Host) -> None:
    """And is arranged next."""
    found = frame(made)
    pane(made, found, measure="revenue")
    made.janela.owner(lambda caller: ("person", caller.id))
    answer = press(made, page(made, "/janela/"), "Copy")
    assert answer.status_code == 303
    shown = page(made, answer.headers["Location"])
    assert shown.one(tag="h1").words == "Arranging Copy of Sales"
    assert shown.words("janela-pane__title") == ["Revenue"]
    owners = made.db.session.scalars(sa.select(Frame.owner_id).order_by(Frame.id)).all()
    assert owners == [None, "ana"]


@pytest.mark.parametrize("way", ["make", "copy"])
def test_a_frame_that_its_maker_could_not_see_is_not_made(made: Host, way: str) -> None:
    """Work must not disappear: the reason says which hook is missing."""
    shared = frame(made, key="shared", name="Shared")
    made.janela._hooks.scope = None
    made.janela.scope(
        lambda model, caller: (
            sa.select(model).where(model.id == shared.id) if model is Frame else sa.select(model)
        )
    )
    if way == "make":
        answer = send(made, "/janela/frames/new", **GOOD)
    else:
        answer = send(made, f"/janela/frames/{shared.id}/duplicate")
    assert answer.status_code == 403
    assert "@janela.owner" in answer.text
    assert made.db.session.scalar(sa.select(sa.func.count()).select_from(Frame)) == 1


def test_deleting_asks_first_and_can_be_undone(made: Host) -> None:
    """The question changes nothing; afterwards the index offers to undo it."""
    found = frame(made)
    pane(made, found, measure="revenue")
    asked = page(made, f"/janela/frames/{found.id}/delete")
    assert asked.one(tag="h1").words == "Delete “Sales”?"
    assert "its 1 pane" in asked.all("janela-empty__words")[0].words
    assert list(faults(asked)) == []
    assert only(made).removed_at is None
    answer = press(made, asked, "Delete the frame")
    assert answer.status_code == 303
    index = page(made, answer.headers["Location"])
    assert index.words("janela-frames__name") == []
    assert index.one("janela-toast").words == "Deleted “Sales”. Undo"
    page(made, f"/janela/frames/{found.id}", status=404)
    page(made, f"/janela/frames/{found.id}/arrange", status=404)
    back = press(made, index, "Undo")
    assert back.status_code == 303
    assert page(made, back.headers["Location"]).one(tag="h1").words == "Sales"
    assert press(made, index, "Undo").status_code == 303


def test_a_frame_that_changed_meanwhile_is_asked_about_again(made: Host) -> None:
    """Before it is deleted: the question with the story."""
    found = frame(made)
    asked = page(made, f"/janela/frames/{found.id}/delete")
    pane(made, found, measure="revenue")
    answer = press(made, asked, "Delete the frame")
    assert answer.status_code == 409
    again = Page(answer.text)
    assert "was changed" in again.one(tag="strong").words
    assert press(made, again, "Delete the frame").status_code == 303


def test_nobody_is_offered_to_undo_what_they_may_not(made: Host) -> None:
    """Neither a deleted frame out of scope nor one that they may not arrange is named."""
    found = frame(made, name="Secret")
    found.removed_at = sa.func.now()
    made.db.session.commit()
    assert page(made, f"/janela/?deleted={found.id}").all("janela-toast")
    for given in ("99", "x", "9" * 30):
        assert page(made, f"/janela/?deleted={given}").all("janela-toast") == []
    made.janela.permission(lambda caller, action, subject=None: action == "view")
    assert "Secret" not in client(made).get(f"/janela/?deleted={found.id}").text


def test_favourites_come_first_for_whoever_marked_them(made: Host) -> None:
    """Under headings of their own, in the chosen order within each."""
    for key in ("alpha", "beta", "gamma"):
        set_favourite(frame(made, key=key, name=key.capitalize()), "user:ben", favourite=True)
    made.db.session.commit()
    shown = page(made, "/janela/?sort=name")
    assert shown.all("janela-frames__group") == []
    answer = press(made, shown, "Favourite: Gamma")
    assert answer.status_code == 303
    where, _, fragment = answer.headers["Location"].partition("#")
    assert where == "/janela/?sort=name"
    shown = page(made, where)
    assert shown.words("janela-frames__group") == ["Favourites", "All others"]
    assert shown.words("janela-frames__name") == ["Gamma", "Alpha", "Beta"]
    star = next(each for each in shown.elements if each["id"] == fragment)
    assert star["aria-pressed"] == "true"
    assert page(made, "/janela/?sort=name&search=beta").words("janela-frames__group") == []
    press(made, shown, "Favourite: Gamma")
    assert page(made, "/janela/?sort=name").all("janela-frames__group") == []


def test_a_star_on_the_frame_keeps_the_readers_filters(made: Host) -> None:
    """It leads back to the very address that it was pressed on."""
    found = frame(made)
    pane(made, found, measure="revenue")
    address = f"/janela/frames/{found.id}?q.region=EU"
    answer = press(made, page(made, address), "Favourite: Sales")
    assert answer.headers["Location"] == f"{address}#janela-star-{found.id}"
    assert page(made, address).one("janela-star")["aria-pressed"] == "true"


def test_a_star_leads_back_to_what_was_filtered_since(made: Host) -> None:
    """The browser knows the address better than the form that was drawn with the page."""
    found = frame(made)
    address = f"/janela/frames/{found.id}?q.region=EU"
    answer = client(made).post(
        f"/janela/frames/{found.id}/star",
        data={"on": "1", "back": f"/janela/frames/{found.id}"},
        headers={"Referer": f"http://localhost{address}", "Sec-Fetch-Site": "same-origin"},
    )
    assert answer.headers["Location"] == f"{address}#janela-star-{found.id}"


@pytest.mark.parametrize(
    "back",
    [
        "https://elsewhere.example/",
        "//elsewhere.example/",
        "/janela/../admin",
        "/other",
        "",
        "\\\\x",
    ],
)
def test_a_star_leads_nowhere_else(made: Host, back: str) -> None:
    """Whatever the form says."""
    found = frame(made)
    answer = send(made, f"/janela/frames/{found.id}/star", on="1", back=back)
    assert answer.headers["Location"] == f"/janela/frames/{found.id}"


def test_an_index_without_frames_offers_to_make_one(made: Host) -> None:
    """As its one primary way on."""
    shown = page(made, "/janela/")
    assert shown.links()["New frame"] == "/janela/frames/new"
    assert len(shown.all("janela-btn--primary")) == 1


def test_settings_typed_for_a_frame_that_was_deleted_meanwhile_are_not_lost(made: Host) -> None:
    """Who deleted it and when, and a button that brings it back with what was typed."""
    found = frame(made)
    made.people["ben"].name = "Ben Okri"
    address = f"/janela/frames/{found.id}/edit"
    sent = {**GOOD, "name": "Mine", "version": "1"}
    delete_frame(found, by="user:ben")
    made.db.session.commit()
    page(made, address, status=404)
    answer = send(made, address, **sent)
    assert answer.status_code == 409
    shown = Page(answer.text)
    assert list(faults(shown)) == []
    assert "“Sales” was deleted by Ben Okri 1 second ago." in shown.one("janela-told").words
    assert "What you typed is kept below" in shown.one("janela-told").words
    kept = typed(shown)
    assert (kept["name"], kept["description"], kept["version"]) == ("Mine", "What we sold", "2")
    assert only(made).removed_at is not None
    assert "Bring the frame back and save" in shown.words("janela-btn--primary")
    assert send(made, address, **kept).status_code == 303
    assert (only(made).name, only(made).removed_at) == ("Mine", None)


def test_a_frame_out_of_scope_and_deleted_is_told_as_nothing(made: Host) -> None:
    """Nobody learns of a frame that they may not see by typing for it."""
    found = frame(made)
    delete_frame(found)
    made.db.session.commit()
    made.janela._hooks.scope = None
    made.janela.scope(lambda model, caller: sa.select(model).where(sa.false()))
    answers = {
        send(made, f"/janela/frames/{id_}/edit", **{**GOOD, "version": "1"}).text
        for id_ in (found.id, 99)
    }
    assert len(answers) == 1
    assert "Sales" not in answers.pop()
