"""Arranging a frame by its pages: every change, its undo, and what a later one meets."""

from __future__ import annotations

import collections.abc as cabc
import re
import typing as t

import pytest
import sqlalchemy as sa
from desk import client, desk, frame, page, pane
from hosts import Host
from markup import Page, faults

from flask_janela import Frame, Pane
from flask_janela.frames import move_pane


@pytest.fixture
def made() -> cabc.Iterator[Host]:
    with desk() as host_:
        yield host_


@pytest.fixture
def sales(made: Host) -> Frame:
    """Four panes: a number, words, bars and a line."""
    found = frame(made)
    pane(made, found, measure="revenue", height=2)
    pane(made, found, kind="text", heading="Words", body="Read me", span=8)
    pane(made, found, measure="orders", dimension="region", span=6)
    pane(made, found, measure="orders", dimension="placed", span=12, height=1)
    return found


def arranged(made: Host, of: Frame, query: str = "") -> Page:
    return page(made, f"/janela/frames/{of.id}/arrange{query}")


def press(made: Host, shown: Page, name: str, *, person: str = "ana") -> t.Any:
    """Press the button of that name: its form is sent, to its own address."""
    button = next(
        each for each in shown.all(tag="button") if (each["aria-label"] or each.words) == name
    )
    assert button.attributes.get("disabled", "no") == "no", name
    form = next(
        each
        for each in shown.all(tag="form")
        if (button["form"] and each["id"] == button["form"])
        or any(each is outer for outer in button.inside)
    )
    data = {
        each["name"]: each["value"]
        for each in shown.within(form, tag="input")
        if each["type"] == "hidden"
    }
    if button["name"]:
        data[button["name"]] = button["value"]
    return client(made, person).post(button["formaction"] or form["action"], data=data)


def headings(shown: Page) -> list[str]:
    return shown.words("janela-pane__title")


def steps(shown: Page) -> list[str]:
    return shown.words("janela-step__value")


def test_the_grid_is_live_and_says_each_panes_place_and_size(made: Host, sales: Frame) -> None:
    """The same numbers as on the frame's page; marks are not links here."""
    shown = arranged(made, sales)
    assert headings(shown) == ["Revenue", "Words", "Orders by region", "Orders per month"]
    assert steps(shown)[:6] == ["1 of 4", "4 wide", "2 high", "2 of 4", "8 wide", "1 high"]
    assert shown.one("janela-value").words == "$3,650.60"
    assert not [each for each in shown.all("janela-bar") if each["href"]]
    assert shown.all("janela-mark", tag="a") == []
    assert shown.one("janela-notice__story").words.startswith("Version 5 · changed")
    assert list(faults(shown)) == []
    disabled = [
        each["aria-label"] for each in shown.all(tag="button") if "disabled" in each.attributes
    ]
    assert disabled == [
        "Earlier: Revenue",
        "Shorter: Words",
        "Later: Orders per month",
        "Wider: Orders per month",
        "Shorter: Orders per month",
    ]


@pytest.mark.parametrize(
    ("button", "after", "at"),
    [
        ("Later: Revenue", ["Words", "Revenue", "Orders by region", "Orders per month"], "later"),
        (
            "Earlier: Orders per month",
            ["Revenue", "Words", "Orders per month", "Orders by region"],
            "earlier",
        ),
    ],
)
def test_a_button_moves_a_pane_and_keeps_the_focus(
    made: Host, sales: Frame, button: str, after: list[str], at: str
) -> None:
    """The address that it leads to names the button that was pressed."""
    answer = press(made, arranged(made, sales), button)
    assert answer.status_code == 303
    path, _, fragment = answer.headers["Location"].partition("#")
    shown = page(made, path)
    assert headings(shown) == after
    target = next(each for each in shown.elements if each["id"] == fragment)
    assert target["aria-label"] == button
    assert fragment.startswith(f"janela-{at}-")


@pytest.mark.parametrize(
    ("button", "place", "said"),
    [
        ("Wider: Revenue", 0, ["5 wide", "2 high"]),
        ("Narrower: Revenue", 0, ["3 wide", "2 high"]),
        ("Taller: Revenue", 0, ["4 wide", "3 high"]),
        ("Shorter: Revenue", 0, ["4 wide", "1 high"]),
        ("Taller: Words", 1, ["8 wide", "2 high"]),
        ("Narrower: Orders per month", 3, ["11 wide", "1 high"]),
    ],
)
def test_a_button_resizes_a_pane(
    made: Host, sales: Frame, button: str, place: int, said: list[str]
) -> None:
    """By one from what is seen, also where the height was automatic."""
    answer = press(made, arranged(made, sales), button)
    assert answer.status_code == 303
    assert re.search(r"#janela-(wider|narrower|taller|shorter)-\d+$", answer.headers["Location"])
    shown = arranged(made, sales)
    assert steps(shown)[place * 3 + 1 : place * 3 + 3] == said


def test_in_a_narrow_grid_a_pane_is_as_wide_as_it_is_seen(made: Host) -> None:
    """A span beyond the frame's columns counts as all of them."""
    found = frame(made, columns=6)
    pane(made, found, measure="revenue", span=9)
    shown = arranged(made, found)
    assert steps(shown)[1] == "6 wide"
    press(made, shown, "Narrower: Revenue")
    assert steps(arranged(made, found))[1] == "5 wide"


def test_a_copy_follows_its_original(made: Host, sales: Frame) -> None:
    """And is what the page comes back to."""
    answer = press(made, arranged(made, sales), "Copy Words")
    shown = page(made, answer.headers["Location"].partition("#")[0])
    assert headings(shown) == ["Revenue", "Words", "Words", *headings(shown)[3:]]
    assert answer.headers["Location"].endswith(f"#{shown.all('janela-pane__title')[2]['id']}")


def test_a_removal_is_offered_to_be_undone(made: Host, sales: Frame) -> None:
    """In a toast; undone, the pane is back in its place, whatever was done meanwhile."""
    answer = press(made, arranged(made, sales), "Remove Words")
    assert answer.status_code == 303
    shown = page(made, answer.headers["Location"])
    assert headings(shown) == ["Revenue", "Orders by region", "Orders per month"]
    assert shown.one("janela-toast").words == "Removed “Words”. Undo"
    press(made, shown, "Wider: Revenue")
    answer = press(made, shown, "Undo")
    assert answer.status_code == 303
    shown = page(made, answer.headers["Location"].partition("#")[0])
    assert headings(shown) == ["Revenue", "Words", "Orders by region", "Orders per month"]
    assert shown.all("janela-toast") == []


@pytest.mark.parametrize("removed", ["1", "99", "x", "-1", "9" * 30])
def test_only_a_removed_pane_can_be_brought_back(made: Host, sales: Frame, removed: str) -> None:
    """Anything else in the address is nothing to undo."""
    assert arranged(made, sales, f"?removed={removed}").all("janela-toast") == []


def test_a_change_that_was_overtaken_is_told_and_can_be_made_all_the_same(
    made: Host, sales: Frame
) -> None:
    """Nothing is written until it is sent again, which the page offers."""
    made.people["ben"].name = "Ben Okri"
    shown = arranged(made, sales)
    move_pane(sales, sales.panes[0].id, 4, by="user:ben")
    made.db.session.commit()
    answer = press(made, shown, "Wider: Words")
    assert answer.status_code == 409
    told = Page(answer.text)
    assert "changed by Ben Okri 1 second ago" in told.one("janela-empty__words").words
    assert "version 6 now, after version 5" in told.one("janela-empty__words").words
    assert list(faults(told)) == []
    assert steps(arranged(made, sales))[1] == "8 wide"
    again = press(made, told, "Make “Words” 9 columns wide all the same")
    assert again.status_code == 303
    assert steps(arranged(made, sales))[1] == "9 wide"


def test_a_script_is_answered_in_json(made: Host, sales: Frame) -> None:
    """After a drop: the new version and order; or the story of who was faster."""
    first = sales.panes[0].id
    address = f"/janela/frames/{sales.id}/panes/{first}/move"
    headers = {"Accept": "application/json", "Sec-Fetch-Site": "same-origin"}
    answer = client(made).post(address, data={"version": "5", "to": "3"}, headers=headers)
    assert answer.status_code == 200
    assert answer.json["version"] == 6
    assert answer.json["order"].index(first) == 2
    assert answer.json["said"] == "Move “Revenue” to place 3: now 3 of 4."
    late = client(made).post(address, data={"version": "5", "to": "1"}, headers=headers)
    assert late.status_code == 409
    assert late.json["code"] == "conflict"
    assert "changed by you" in late.json["message"]


@pytest.mark.parametrize(
    ("change", "data", "said"),
    [
        ("move", {"to": "2"}, "version is"),
        ("move", {"version": "x", "to": "2"}, "version is"),
        ("move", {"version": "5"}, "to is"),
        ("move", {"version": "5", "to": "0"}, "position is"),
        ("move", {"version": "5", "to": "up"}, "use a position"),
        ("resize", {"version": "5"}, "a new size needs a span, a height, or both"),
        ("resize", {"version": "5", "span": "13"}, "span is"),
        ("resize", {"version": "5", "height": "0"}, "height is"),
        ("remove", {}, "version is"),
    ],
    ids=str,
)
def test_a_change_that_cannot_be_is_400_in_words(
    made: Host, sales: Frame, change: str, data: dict[str, str], said: str
) -> None:
    """And changes nothing."""
    address = f"/janela/frames/{sales.id}/panes/{sales.panes[0].id}/{change}"
    answer = client(made).post(address, data=data)
    assert answer.status_code == 400
    assert said in Page(answer.text).one("janela-empty__words").words
    made.db.session.expire_all()
    assert sales.version == 5


@pytest.mark.parametrize("change", ["move", "resize", "duplicate", "remove", "restore", "edit"])
def test_a_pane_of_another_frame_is_missing(made: Host, sales: Frame, change: str) -> None:
    """A frame in scope opens no door to panes outside of it."""
    other = frame(made, key="other", name="Other")
    address = f"/janela/frames/{other.id}/panes/{sales.panes[0].id}/{change}"
    answer = client(made).post(address, data={"version": "1", "to": "1", "span": "1"})
    assert answer.status_code == 404


def test_vanished_and_hidden_declarations_can_be_rearranged(made: Host, sales: Frame) -> None:
    """They say what is wrong in their own place, and have every button."""
    made.db.session.execute(sa.update(Pane).where(Pane.position == 1).values(measure="profit"))
    made.db.session.execute(sa.update(Pane).where(Pane.position == 3).values(measure="vanished"))
    made.db.session.commit()
    shown = arranged(made, sales)
    assert headings(shown) == ["A pane", "Words", "A pane", "Orders per month"]
    assert len(shown.all("janela-pane--gone")) == 2
    assert press(made, shown, "Later: A pane").status_code == 303
    assert headings(arranged(made, sales)) == ["Words", "A pane", "A pane", "Orders per month"]
    assert press(made, arranged(made, sales), "Remove A pane").status_code == 303
    assert headings(arranged(made, sales)) == ["Words", "A pane", "Orders per month"]


def test_an_empty_frame_offers_its_first_pane(made: Host) -> None:
    """With one primary way on."""
    found = frame(made)
    shown = arranged(made, found)
    assert shown.links()["Add a pane"] == f"/janela/frames/{found.id}/panes/new"
    assert "Nothing in this frame yet" in shown.one("janela-empty__words").words
    assert page(made, f"/janela/frames/{found.id}").links()["Arrange"].endswith("/arrange")


def test_who_may_not_arrange_is_not_offered_it(made: Host, sales: Frame) -> None:
    """Neither on the frame nor in the index, and the page is refused."""
    made.janela.permission(lambda caller, action, subject=None: action == "view")
    assert "Arrange" not in page(made, f"/janela/frames/{sales.id}").links()
    index = page(made, "/janela/")
    assert not {"New frame", "Arrange", "Delete"} & set(index.links())
    assert index.all("janela-star") != []
    page(made, f"/janela/frames/{sales.id}/arrange", status=403)


def test_names_on_the_arranging_page_are_escaped(made: Host) -> None:
    """In headings, labels, toasts and questions alike."""
    hostile = '"><script>alert(1)</script>'
    found = frame(made, name=hostile)
    pane(made, found, kind="text", heading=hostile, body="x")
    shown = arranged(made, found)
    assert [each for each in shown.all(tag="script") if not each["src"]] == []
    answer = press(made, shown, f"Remove {hostile}")
    after = page(made, answer.headers["Location"])
    assert after.one("janela-toast").words == f"Removed “{hostile}”. Undo"
    assert [each for each in after.all(tag="script") if not each["src"]] == []


def test_what_takes_long_loads_itself_among_its_handles() -> None:
    """Every pane can be moved at once; without a script a link draws the one first."""
    with desk(JANELA_RENDER_SECONDS=0) as made:
        sales = frame(made)
        pane(made, sales, kind="text", heading="Words", body="One")
        pane(made, sales, measure="orders", dimension="region")
        pane(made, sales, measure="revenue")
        shown = arranged(made, sales)
        assert list(faults(shown)) == []
        assert headings(shown) == ["Words", "Orders by region", "Revenue"]
        link = next(e for e in shown.all(tag="a") if e.words == "Load now")
        assert link["href"] == f"/janela/frames/{sales.id}/arrange?first=2#janela-pane-2"
        assert (link["hx-target"], link["hx-select"]) == (
            "#janela-arrlight-2",
            "#janela-arrlight-2",
        )
        assert press(made, shown, "Later: Orders by region").status_code == 303
        there = page(made, link["href"].partition("#")[0])
        assert there.words("janela-bar__n") == ["3", "2", "1"]
        assert len([e for e in there.all(tag="a") if e.words == "Load now"]) == 1
        part = client(made).get(link["hx-get"].partition("#")[0], headers={"HX-Request": "true"})
        lights = Page(part.text).all("janela-arrlight")
        brought = next(e for e in lights if e["id"] == "janela-arrlight-2")
        assert "EU" in brought.words
        page(made, f"/janela/frames/{sales.id}/arrange?first=99")


def test_with_many_panes_a_place_can_be_typed(made: Host, sales: Frame) -> None:
    """A field of its own form: the key Enter in it moves, and nothing else."""
    assert arranged(made, sales).all("janela-place") == []
    pane(made, sales, measure="orders", title="Fifth")
    shown = arranged(made, sales)
    assert list(faults(shown)) == []
    field = next(e for e in shown.all("janela-place__input") if "Fifth" in e["aria-label"])
    assert (field["value"], field["max"]) == ("5", "5")
    form = next(each for each in field.inside if each.tag == "form")
    version = next(e["value"] for e in shown.within(form, tag="input") if e["name"] == "version")
    sent = {"version": version, "to": "2"}
    assert client(made).post(form["action"], data=sent).status_code == 303
    assert headings(arranged(made, sales))[:3] == ["Revenue", "Fifth", "Words"]
    assert client(made).post(form["action"], data=sent).status_code == 409
    for wrong in ("0", "-1", "", "many"):
        assert client(made).post(form["action"], data=sent | {"to": wrong}).status_code == 400
