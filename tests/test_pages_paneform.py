"""The form of a pane: what it offers, what it keeps, what it shows, and what it saves."""

from __future__ import annotations

import collections.abc as cabc
import typing as t
from pathlib import Path

import jinja2
import pytest
import sqlalchemy as sa
from desk import client, desk, frame, page, pane
from hosts import Host
from markup import Page, faults
from test_pages_framing import typed

from flask_janela import Frame, Pane
from flask_janela.frames import delete_frame, remove_pane, restore_frame, update_pane
from flask_janela.query.question import PaneOptions

FULL = "?model=orders&measure=revenue&dimension=region"


@pytest.fixture
def made() -> cabc.Iterator[Host]:
    with desk() as host_:
        yield host_


@pytest.fixture
def sales(made: Host) -> Frame:
    return frame(made)


def form(made: Host, of: Frame, query: str = "", **more: t.Any) -> Page:
    return page(made, f"/janela/frames/{of.id}/panes/new{query}", **more)


def chosen(shown: Page) -> dict[str, t.Any]:
    """What a browser would send of a form: fields, selected options, what is checked."""
    sent: dict[str, t.Any] = {}
    for each in shown.all(tag="input"):
        if each["type"] in {"radio", "checkbox"}:
            if "checked" in each.attributes:
                sent.setdefault(each["name"], []).append(each["value"])
        elif each["name"]:
            sent[each["name"]] = each["value"]
    for select in shown.all(tag="select"):
        options = shown.within(select, tag="option")
        picked = [each["value"] for each in options if "selected" in each.attributes]
        sent[select["name"]] = (picked or [options[0]["value"]])[0]
    return sent | {each["name"]: each.text.removeprefix("\n") for each in shown.all(tag="textarea")}


def offered(shown: Page, name: str) -> list[str]:
    select = next(each for each in shown.all(tag="select") if each["name"] == name)
    return [each["value"] for each in shown.within(select, tag="option")]


def send(made: Host, of: Frame, **fields: t.Any) -> t.Any:
    sent = {"kind": "query", "version": str(of.version), **fields}
    return client(made).post(f"/janela/frames/{of.id}/panes/new", data=sent)


def panes(made: Host) -> list[PaneOptions]:
    made.db.session.expire_all()
    return [each.options() for each in made.db.session.scalars(sa.select(Pane).order_by(Pane.id))]


def test_with_several_models_the_model_comes_first(made: Host, sales: Frame) -> None:
    """As plain links, each with what it has for this caller."""
    shown = form(made, sales)
    assert shown.words("janela-starts__link") == [
        "Orders3 measures, 3 dimensions",
        "Tickets1 measure, 1 dimension",
    ]
    first = shown.all("janela-starts__link")[0]["href"]
    assert first == f"/janela/frames/{sales.id}/panes/new?model=orders"
    chosen_model = page(made, first)
    assert offered(chosen_model, "measure") == ["orders", "revenue", "delay"]
    assert chosen_model.one("janela-value").words == "6"


def test_only_what_the_caller_may_see_is_offered(made: Host, sales: Frame) -> None:
    """What is hidden is neither offered nor taken."""
    shown = form(made, sales, FULL)
    assert offered(shown, "dimension") == ["", "region", "product", "placed"]
    assert "Profit" not in " ".join(shown.words(tag="select"))
    made.people["ana"].name = "The boss"
    assert "Profit" in " ".join(form(made, sales, FULL).words(tag="select"))
    made.people["ana"].name = "Ana Reis"
    answer = send(made, sales, model="orders", measure="profit")
    assert answer.status_code == 400
    assert (
        '"profit" is not a measure of orders; it has orders, revenue, delay.'
        in Page(answer.text).one("janela-told__list").words
    )
    assert panes(made) == []


def test_every_option_of_the_spec_has_a_place_in_a_form() -> None:
    """A new option shows up in the form, or a test says that it does not."""
    from flask_janela.pages.draft import FIELDS

    assert {name for fields in FIELDS.values() for name in fields} | {"kind"} == set(
        PaneOptions.model_fields
    )


def test_choices_and_bounds_are_those_of_the_spec(made: Host, sales: Frame) -> None:
    """Not written a second time."""
    shown = form(made, sales, FULL)
    assert offered(shown, "span") == [str(n) for n in range(1, 13)]
    assert offered(shown, "height") == ["", "1", "2", "3", "4", "5"]
    assert offered(shown, "prominence") == ["1", "2", "3"]
    assert offered(shown, "order") == ["", "value", "-value", "label", "natural"]
    drawn = [each["value"] for each in shown.all("janela-drawn__input")]
    assert drawn == ["", "number", "table", "bar", "line", "doughnut", "pie"]


@pytest.mark.parametrize(
    ("query", "impossible", "said"),
    [
        ("measure=revenue", "bar line doughnut pie", "Bars, lines and rings need a “by”."),
        ("measure=revenue&dimension=region", "number", "A number takes no “by”."),
        (
            "measure=delay&dimension=region",
            "number doughnut pie",
            "A number takes no “by”; average delay does not add up to a whole, so it makes no "
            "ring.",
        ),
    ],
)
def test_impossible_drawings_stay_in_sight_with_the_reason(
    made: Host, sales: Frame, query: str, impossible: str, said: str
) -> None:
    """Disabled, and explained in a sentence."""
    shown = form(made, sales, f"?model=orders&{query}")
    inputs = shown.all("janela-drawn__input")
    assert [each["value"] for each in inputs if "disabled" in each.attributes] == impossible.split()
    assert any(each.startswith(said) for each in shown.words("janela-help"))


def test_the_automatic_drawing_and_title_are_named(made: Host, sales: Frame) -> None:
    """So that nobody has to guess what "automatic" gives."""
    shown = form(made, sales, "?model=orders&measure=revenue&dimension=placed")
    assert shown.words("janela-drawn__choice")[0] == "Automatic: line"
    title = next(each for each in shown.all(tag="input") if each["name"] == "title")
    assert title["placeholder"] == "Revenue per month"
    assert offered(shown, "granularity")[:3] == ["", "hour", "day"]


def test_the_preview_is_the_pane_as_it_would_be(made: Host, sales: Frame) -> None:
    """Under the frame's filters and its own, by a button that needs no script."""
    sent = chosen(form(made, sales, FULL)) | {"filters": "product = plain", "title": "Plain ones"}
    answer = client(made).post(
        f"/janela/frames/{sales.id}/panes/new", data=sent | {"do": "preview"}
    )
    assert answer.status_code == 200
    shown = Page(answer.text)
    assert shown.pane("Plain ones")
    assert shown.words("janela-bar__n") == ["$2,000.00", "$300.30", "$50.00"]
    assert chosen(shown) == sent
    assert panes(made) == []
    assert sales.version == 1


def test_the_preview_has_an_address_of_its_own(made: Host, sales: Frame) -> None:
    """A fragment for a script; with ``fields=1`` the fields that fit what is chosen come too."""
    address = f"/janela/frames/{sales.id}/panes/preview{FULL}"
    alone = page(made, address)
    assert alone.elements[0]["id"] == "janela-preview"
    assert alone.words("janela-bar__label") == ["US", "EU", "(none)"]
    both = page(made, f"{address}&fields=1&dimension=placed")
    assert [each["id"] for each in both.elements if not each.inside] == [
        "janela-fields",
        "janela-preview",
    ]
    odd = page(made, f"/janela/frames/{sales.id}/panes/preview?model=orders&measure=nothing")
    assert '"nothing" is not a measure' in odd.one("janela-gone").words


def test_a_pane_is_added_with_all_that_was_chosen(made: Host, sales: Frame) -> None:
    """Typed as its options are, and the page comes back to it."""
    sent = chosen(form(made, sales, FULL)) | {
        "renderer": "table",
        "limit": "2",
        "other": "true",
        "order": "label",
        "companions": ["orders", "delay"],
        "filters": "product = plain\nplaced.gte = 2013-01-01",
        "title": " Plain ones",
        "span": "7",
        "height": "3",
        "value_labels": "true",
    }
    answer = client(made).post(f"/janela/frames/{sales.id}/panes/new", data=sent)
    assert answer.status_code == 303
    (added,) = panes(made)
    assert added == PaneOptions(
        model="orders", measure="revenue", dimension="region", renderer="table", limit=2,
        other=True, order="label", companions=["orders", "delay"], title=" Plain ones", span=7,
        height=3, value_labels=True,
        filters={"product": ["plain"], "placed.gte": ["2013-01-01"]},
    )  # fmt: skip
    shown = page(made, answer.headers["Location"].partition("#")[0])
    assert answer.headers["Location"].endswith(shown.one("janela-pane__title")["id"])


def test_words_are_added_in_a_form_of_their_own(made: Host, sales: Frame) -> None:
    """Reached by a link beside the other."""
    link = form(made, sales, FULL).links()["Words"]
    shown = page(made, link)
    assert list(faults(shown)) == []
    sent = chosen(shown) | {"heading": "How to read this", "body": "One\r\n\r\nTwo", "span": "8"}
    assert send(made, sales, **sent).status_code == 303
    (added,) = panes(made)
    assert (added.kind, added.heading, added.span) == ("text", "How to read this", 8)
    assert added.body == "One\r\n\r\nTwo"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"measure": "profit"}, '"profit" is not a measure of orders'),
        ({"dimension": "colour"}, '"colour" is not a dimension of orders'),
        ({"limit": "0"}, 'limit is "0": use a whole number from 1 to 1000'),
        ({"limit": "many"}, 'limit is "many"'),
        ({"filters": "product"}, 'filters: line 1 is "product"'),
        ({"filters": "colour = red"}, 'filters: "colour" is not a dimension'),
        ({"companions": ["orders", "nothing"]}, '"nothing" is not a measure or a category'),
        ({"over": "region"}, "not a time dimension"),
        ({"title": "x" * 201}, "title is 201 characters long: use at most 200"),
        ({"span": "13"}, "span is"),
        ({"model": "planets"}, '"planets" is not a model'),
    ],
    ids=str,
)
@pytest.mark.parametrize("existing", [False, True], ids=["new", "existing"])
def test_what_cannot_be_is_said_and_nothing_typed_is_lost(
    made: Host, sales: Frame, wrong: dict[str, t.Any], said: str, *, existing: bool
) -> None:
    """400 in words, and the form stands there as it was sent."""
    address = f"/janela/frames/{sales.id}/panes/new"
    sent = chosen(form(made, sales, FULL))
    if existing:
        pane(made, sales, measure="orders")
        address = f"/janela/frames/{sales.id}/panes/{sales.panes[0].id}/edit"
        sent["version"] = "2"
    sent |= {"title": "Typed", "filters": "product = plain"} | wrong
    before = panes(made)
    answer = client(made).post(address, data=sent)
    assert answer.status_code == 400
    shown = Page(answer.text)
    assert said in shown.one("janela-told__list").words
    kept = chosen(shown)
    for name, value in sent.items():
        if name not in {"companions", "over"} or "model" not in wrong:
            if name == "companions":
                assert set(kept.get(name, ())) <= set(value)
            elif not (name in {"over", "granularity"} and name not in kept):
                assert kept[name] == value, name
    assert panes(made) == before


def test_a_pane_is_edited_in_the_same_form(made: Host, sales: Frame) -> None:
    """Filled in; what is emptied is unset; what the form does not show is kept."""
    pane(made, sales, measure="revenue", dimension="region", limit=2, other=True, title="It",
         filters={"product": ["plain"]}, companions=["orders"])  # fmt: skip
    made.db.session.execute(sa.update(Pane).values(heading="kept"))
    made.db.session.commit()
    address = f"/janela/frames/{sales.id}/panes/{sales.panes[0].id}/edit"
    shown = page(made, address)
    assert list(faults(shown)) == []
    assert "open" in shown.one("janela-more").attributes
    sent = chosen(shown)
    assert (sent["limit"], sent["other"], sent["companions"]) == ("2", ["true"], ["orders"])
    assert sent["filters"] == "product = plain"
    del sent["other"], sent["companions"]
    answer = client(made).post(address, data=sent | {"limit": "", "dimension": "product"})
    assert answer.status_code == 303
    (saved,) = panes(made)
    assert (saved.dimension, saved.limit, saved.other, saved.companions) == (
        "product",
        None,
        False,
        [],
    )
    assert (saved.title, saved.heading, saved.filters) == ("It", "kept", {"product": ["plain"]})


def test_two_who_edit_a_pane_meet_in_the_form(made: Host, sales: Frame) -> None:
    """The second reads who was first and what differs; theirs is kept to be sent again."""
    made.people["ben"].name = "Ben Okri"
    pane(made, sales, measure="revenue", title="First")
    id_ = sales.panes[0].id
    address = f"/janela/frames/{sales.id}/panes/{id_}/edit"
    sent = chosen(page(made, address)) | {"title": "Mine", "filters": "region = EU"}
    update_pane(sales, id_, by="user:ben", title="Ben's")
    made.db.session.commit()
    answer = client(made).post(address, data=sent)
    assert answer.status_code == 409
    shown = Page(answer.text)
    assert "changed by Ben Okri 1 second ago" in shown.one("janela-told").words
    rows = [each.words for each in shown.within(shown.one("janela-told__table"), tag="tr")]
    assert rows[1:] == ["TitleBen'sMine", "Only where—region = EU"]
    kept = chosen(shown)
    assert (kept["title"], kept["filters"]) == ("Mine", "region = EU")
    assert kept["version"] == "3"
    assert panes(made)[0].title == "Ben's"
    assert client(made).post(address, data=kept).status_code == 303
    assert (panes(made)[0].title, sales.version) == ("Mine", 4)


def test_a_pane_added_to_a_changed_frame_is_kept_in_the_form(made: Host, sales: Frame) -> None:
    """A new pane for a stale version is a conflict like any other."""
    sent = chosen(form(made, sales, FULL)) | {"title": "Mine"}
    pane(made, sales, measure="orders")
    answer = client(made).post(f"/janela/frames/{sales.id}/panes/new", data=sent)
    assert answer.status_code == 409
    kept = chosen(Page(answer.text))
    assert kept["title"] == "Mine"
    assert client(made).post(f"/janela/frames/{sales.id}/panes/new", data=kept).status_code == 303


def test_an_edit_of_a_pane_that_was_removed_meanwhile_is_not_lost(made: Host, sales: Frame) -> None:
    """It is told, and sending it again brings the pane back with what was typed."""
    pane(made, sales, measure="revenue")
    id_ = sales.panes[0].id
    address = f"/janela/frames/{sales.id}/panes/{id_}/edit"
    sent = chosen(page(made, address)) | {"title": "Mine"}
    remove_pane(sales, id_, by="user:ben")
    made.db.session.commit()
    page(made, address, status=404)
    answer = client(made).post(address, data=sent)
    assert answer.status_code == 409
    shown = Page(answer.text)
    assert "The pane was removed." in shown.one("janela-told").words
    assert client(made).post(address, data=chosen(shown)).status_code == 303
    made.db.session.expire_all()
    assert [each.title for each in sales.panes] == ["Mine"]


def test_an_address_may_fill_the_form_in(made: Host, sales: Frame) -> None:
    """For "add to a frame"; a parameter that is none is 400."""
    query = f"{FULL}&limit=2&companions=orders&filters=product+%3D+plain&title=Plain"
    sent = chosen(form(made, sales, query))
    assert (sent["limit"], sent["companions"], sent["title"]) == ("2", ["orders"], "Plain")
    assert typed(form(made, sales, query))["filters"] == "product = plain"
    form(made, sales, "?colour=red", status=400)
    form(made, sales, "?kind=movie", status=400)


@pytest.mark.parametrize("existing", [False, True], ids=["new", "existing"])
def test_a_pane_typed_for_a_frame_that_was_deleted_meanwhile_is_not_lost(
    made: Host, sales: Frame, *, existing: bool
) -> None:
    """Who deleted it and when, what was typed, and a button that brings the frame back with it."""
    made.people["ben"].name = "Ben Okri"
    pane(made, sales, measure="orders", title="First")
    address = f"/janela/frames/{sales.id}/panes/new"
    if existing:
        address = f"/janela/frames/{sales.id}/panes/{sales.panes[0].id}/edit"
    shown = page(made, f"{address}{'' if existing else FULL}")
    sent = chosen(shown) | {"title": "Mine", "filters": "region = EU"}
    delete_frame(sales, by="user:ben")
    made.db.session.commit()
    answer = client(made).post(address, data=sent)
    assert answer.status_code == 409
    told = Page(answer.text)
    assert list(faults(told)) == []
    assert "“Sales” was deleted by Ben Okri 1 second ago." in told.one("janela-told").words
    kept = chosen(told)
    assert (kept["title"], kept["filters"], kept["restore"]) == ("Mine", "region = EU", "1")
    assert "Bring the frame back and save" in told.words("janela-btn--primary")
    page(made, f"/janela/frames/{sales.id}", status=404)
    assert client(made).post(address, data=kept).status_code == 303
    made.db.session.expire_all()
    assert [each.title for each in sales.panes] == (["Mine"] if existing else ["First", "Mine"])
    assert sales.removed_at is None


def test_a_frame_that_others_brought_back_is_not_overwritten(made: Host, sales: Frame) -> None:
    """What was typed must fit the version that its writer was told of."""
    pane(made, sales, measure="orders")
    address = f"/janela/frames/{sales.id}/panes/{sales.panes[0].id}/edit"
    sent = chosen(page(made, address)) | {"title": "Mine"}
    delete_frame(sales, by="user:ben")
    made.db.session.commit()
    kept = chosen(Page(client(made).post(address, data=sent).text))
    restore_frame(sales, by="user:ben")
    update_pane(sales, sales.panes[0].id, by="user:ben", title="Ben's")
    delete_frame(sales, by="user:ben")
    made.db.session.commit()
    answer = client(made).post(address, data=kept)
    assert answer.status_code == 409
    assert panes(made)[0].title == "Ben's"
    assert sales.removed_at is not None


def test_a_pane_of_the_hosts_own_is_edited_in_its_form(
    made: Host, sales: Frame, tmp_path: Path
) -> None:
    """Its template, title and size; a template outside the folder is refused."""
    content = tmp_path / "janela_content"
    content.mkdir()
    (content / "hello.html").write_text("Hello")
    (content / "bye.html").write_text("Good <b>bye</b>")
    made.app.jinja_loader = jinja2.FileSystemLoader(tmp_path)
    pane(made, sales, kind="partial", partial="hello.html", title="Ours", span=4)
    address = f"/janela/frames/{sales.id}/panes/{sales.panes[0].id}/edit"
    shown = page(made, address)
    assert list(faults(shown)) == []
    sent = chosen(shown)
    assert (sent["kind"], sent["partial"], sent["title"]) == ("partial", "hello.html", "Ours")
    assert "Hello" in shown.one("janela-preview").words
    refused = client(made).post(address, data=sent | {"partial": "../secret.html"})
    assert refused.status_code == 400
    assert chosen(Page(refused.text))["partial"] == "../secret.html"
    assert "a template under janela_content" in Page(refused.text).one("janela-error").words
    sent |= {"partial": "bye.html", "title": "Farewell", "span": "6", "height": "2"}
    assert client(made).post(address, data=sent).status_code == 303
    (saved,) = panes(made)
    assert (saved.kind, saved.partial, saved.title) == ("partial", "bye.html", "Farewell")
    assert (saved.span, saved.height) == (6, 2)
    assert "Good bye" in page(made, f"/janela/frames/{sales.id}").one("janela-pane").words
