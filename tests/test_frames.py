"""Frames and panes: what a row may hold, and the table they live in."""

from __future__ import annotations

import typing as t

import pytest
import sqlalchemy as sa
from hosts import host, shop

from flask_janela import BadRequest, Frame, Pane
from flask_janela.frames import (
    add_pane,
    committed,
    create_frame,
    delete_frame,
    update_frame,
    update_pane,
)


def test_the_tables_join_the_hosts_metadata() -> None:
    """So that create_all and migrations see them."""
    with host(shop) as h:
        assert {"janela_frames", "janela_panes"} <= set(h.db.metadata.tables)
        assert {"janela_frames", "janela_panes"} <= set(sa.inspect(h.db.engine).get_table_names())


def test_a_frame_of_an_owner_is_found_or_created_once() -> None:
    """Also when the owner is nobody, where a unique constraint over nulls would not hold."""
    with host(shop) as h:
        one = Frame.for_owner(("team", 7), "sales", name="Sales", columns=6)
        assert (one.owner_type, one.owner_id, one.columns, one.gap) == ("team", "7", 6, 4)
        assert Frame.for_owner(("team", "7"), "sales", name="Other").id == one.id
        nobodys = Frame.for_owner(None, "sales", name="Nobody's")
        assert nobodys.id != one.id
        assert Frame.for_owner(None, "sales", name="x").id == nobodys.id
        h.db.session.add(Frame(key="sales", name="Twice"))
        with pytest.raises(sa.exc.IntegrityError):
            h.db.session.flush()


def test_owners_are_never_taken_for_each_other() -> None:
    """A colon in an owner's name changes nothing."""
    with host(shop):
        one = Frame.for_owner(("team", "a:b"), "k", name="One")
        other = Frame.for_owner(("team:a", "b"), "k", name="Other")
        assert one.id != other.id


def test_a_deleted_frame_is_brought_back_by_its_key() -> None:
    """It holds its key, so no second one could be made."""
    with host(shop) as h:
        frame = Frame.for_owner(None, "k", name="A frame")
        frame.removed_at = frame.created_at
        h.db.session.commit()
        assert Frame.for_owner(None, "k", name="x").removed_at is None


def test_default_filters_are_kept_with_their_model() -> None:
    """So that what is checked is what is read, whatever panes a frame has."""
    with host(shop) as h:
        frame = Frame.for_owner(None, "k", name="A frame", filters={"status": "open"})
        assert frame.filters == {"orders.status": ["open"]}
        frame.filters = {"region": ["EU"], "orders.paid_already": ["1"]}
        h.db.session.flush()
        assert frame.filters == {"customers.region": ["EU"], "orders.paid_already": ["true"]}


def test_a_race_for_one_frame_ends_with_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody commits the same frame between the look and the insert."""
    with host(shop) as h:
        h.db.session.commit()
        looked = h.db.session.scalars
        answers: list[t.Any] = []

        def scalars(statement: t.Any) -> t.Any:
            found = looked(statement)
            if not answers:
                answers.append(found.first())
                h.db.session.execute(
                    sa.insert(Frame.__table__).values(
                        key="k",
                        name="Theirs",
                        description="",
                        columns=12,
                        gap=4,
                        owner_slot="",
                        filters={},
                        version=1,
                        created_at=sa.func.now(),
                        updated_at=sa.func.now(),
                    )
                )
                return looked(sa.select(Frame).where(sa.false()))
            return found

        monkeypatch.setattr(h.db.session, "scalars", scalars)
        assert Frame.for_owner(None, "k", name="Mine").name == "Theirs"


@pytest.mark.parametrize(
    ("attributes", "said"),
    [
        ({"name": " "}, "name is .*1 to 200 characters"),
        ({"name": "x" * 201}, "name is 201 characters long: use at most 200"),
        ({"columns": 0}, 'columns is "0": use a whole number from 1 to 12'),
        ({"columns": 13}, "from 1 to 12"),
        ({"gap": 9}, 'gap is "9": use a whole number from 0 to 8'),
        ({"gap": True}, "from 0 to 8"),
        ({"key": "Bad Key"}, "small letters, digits and underscores"),
        ({"owner_type": "team"}, "set both or neither"),
        ({"filters": {"orders.colour": ["red"]}}, 'filters: "colour" is not a dimension'),
        ({"filters": {"status": []}}, "filters: .*has no value"),
    ],
    ids=str,
)
def test_a_frame_that_cannot_be_is_refused_on_save(attributes: dict[str, t.Any], said: str) -> None:
    """In words, and nothing is written."""
    with host(shop) as h:
        given = {"key": "k", "name": "A frame", **attributes}
        h.db.session.add(Frame(**given))
        with pytest.raises(BadRequest, match=said):
            h.db.session.commit()
        h.db.session.rollback()
        assert h.db.session.scalar(sa.select(sa.func.count()).select_from(Frame)) == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"measure": "orders"}, "a query needs a model"),
        ({"model": "orders"}, "a query needs a measure"),
        ({"model": "planets", "measure": "x"}, '"planets" is not a model'),
        ({"model": "orders", "measure": "profit"}, '"profit" is not a measure of orders'),
        (
            {"model": "orders", "measure": "profit", "dimension": "colour"},
            '"profit" is not a measure of orders.*"colour" is not a dimension of orders',
        ),
        ({"model": "orders", "measure": "orders", "companions": ["x"]}, '"x" is not a measure'),
        ({"model": "orders", "measure": "orders", "over": "status"}, "not a time dimension"),
        ({"model": "orders", "measure": "orders", "limit": 0}, 'limit is "0": use a whole number'),
        ({"model": "orders", "measure": "orders", "span": 13}, "from 1 to 12"),
        ({"model": "orders", "measure": "orders", "height": 6}, "from 1 to 5"),
        ({"model": "orders", "measure": "orders", "prominence": 0}, "from 1 to 3"),
        ({"model": "orders", "measure": "orders", "renderer": "radar"}, "one of number, table"),
        (
            {"model": "orders", "measure": "orders", "filters": {"colour": ["red"]}},
            'filters: "colour" is not a dimension',
        ),
        (
            {"model": "customers", "measure": "customers", "filters": {"orders.status": ["x"]}},
            r"orders\.status cannot filter customers",
        ),
        ({"kind": "text"}, "words need a heading or a body"),
        ({"kind": "text", "body": "x", "link": "https://elsewhere"}, "a path on this site"),
        ({"kind": "text", "body": "x", "link": "//elsewhere"}, "a path on this site"),
        ({"kind": "text", "body": "x", "link": "/\\elsewhere"}, "a path on this site"),
        ({"kind": "text", "body": "x", "link": "javascript:alert(1)"}, "a path on this site"),
        (
            {"kind": "text", "body": "x" * 10_001},
            "body is 10,001 characters long: use at most 10,000",
        ),
        ({"kind": "partial"}, "needs the name of its template"),
        ({"kind": "partial", "partial": "../secret.html"}, "a template under janela_content"),
        ({"kind": "movie"}, "use one of query, text, partial"),
        ({"colour": "red"}, '"colour" is not an option'),
    ],
    ids=str,
)
def test_a_pane_that_cannot_be_is_refused_in_words(options: dict[str, t.Any], said: str) -> None:
    """The same words for a form, a tool and an import, and nothing is written."""
    with host(shop) as h:
        frame = Frame.for_owner(None, "k", name="A frame")
        with pytest.raises(BadRequest, match=said):
            add_pane(frame, **options)
        h.db.session.rollback()
        assert h.db.session.scalar(sa.select(sa.func.count()).select_from(Pane)) == 0


def test_panes_are_added_in_order_and_count_a_version_each() -> None:
    """Positions count from 1; who did it is kept."""
    with host(shop) as h:
        frame = Frame.for_owner(None, "k", name="A frame")
        for measure in ("orders", "revenue", "quantity"):
            add_pane(frame, by="user:ana", model="orders", measure=measure)
        h.db.session.commit()
        assert [(p.position, p.measure) for p in frame.panes] == [
            (1, "orders"),
            (2, "revenue"),
            (3, "quantity"),
        ]
        assert (frame.version, frame.updated_by) == (4, "user:ana")
        assert frame.panes[0].options().measure == "orders"


def test_loosely_typed_options_are_kept_typed() -> None:
    """A form sends texts; empty ones mean "not set"."""
    with host(shop):
        frame = Frame.for_owner(None, "k", name="A frame")
        pane = add_pane(
            frame, model="orders", measure="orders", limit="5", other="true", title="",
            companions=[], filters={"status": "open"},
        )  # fmt: skip
        assert (pane.limit, pane.other, pane.title) == (5, True, None)
        assert pane.filters == {"status": ["open"]}


def test_a_pane_whose_declaration_has_vanished_can_still_be_moved() -> None:
    """But not asked something else that does not exist."""
    with host(shop) as h:
        frame = Frame.for_owner(None, "k", name="A frame")
        pane = add_pane(frame, model="orders", measure="orders")
        h.db.session.commit()
        h.db.session.execute(sa.update(Pane).values(measure="vanished"))
        h.db.session.commit()
        pane.span = 6
        h.db.session.commit()
        assert pane.span == 6
        pane.dimension = "status"
        with pytest.raises(BadRequest, match='"vanished" is not a measure of orders'):
            h.db.session.commit()


CONTROLS = [
    pytest.param("a\0b", "U\\+0000", id="NUL"),
    pytest.param("a\x1b[31m", "U\\+001B", id="ESC"),
    pytest.param("a\x07", "U\\+0007", id="BEL"),
    pytest.param("a\nb", "U\\+000A", id="a line end"),
    pytest.param("a\x9b", "U\\+009B", id="CSI"),
]


@pytest.mark.parametrize(("text", "said"), CONTROLS)
def test_names_and_titles_hold_no_control_characters(text: str, said: str) -> None:
    """A terminal runs them, and PostgreSQL keeps no NUL; they are refused when they are saved."""
    with host(shop) as h:
        found = Frame.for_owner(None, "sales", name="Sales")
        add_pane(found, model="orders", measure="orders")
        h.db.session.commit()
        id_ = found.panes[0].id
        for change in (
            lambda: create_frame(None, text),
            lambda: update_frame(found, name=text),
            lambda: add_pane(found, model="orders", measure="orders", title=text),
            lambda: add_pane(found, kind="text", heading=text),
            lambda: update_pane(found, id_, title=text),
        ):
            with pytest.raises(BadRequest, match=said):
                committed(change)
        if text != "a\nb":
            with pytest.raises(BadRequest, match=f"body is .*{said}"):
                committed(lambda: add_pane(found, kind="text", body=text))
            with pytest.raises(BadRequest, match=f"description is .*{said}"):
                committed(lambda: update_frame(found, description=text))


def test_long_texts_have_lines_and_tabs() -> None:
    with host(shop) as h:
        found = create_frame(None, "Words", description="One\r\n\ttwo")
        added = add_pane(found, kind="text", body="One\n\n\ttwo\r\n")
        h.db.session.commit()
        assert (found.description, added.body) == ("One\r\n\ttwo", "One\n\n\ttwo\r\n")


def test_a_row_that_holds_one_already_is_still_moved_and_deleted() -> None:
    """Nothing is asked of what does not change."""
    with host(shop) as h:
        found = create_frame(None, "Words")
        add_pane(found, kind="text", heading="Bell")
        h.db.session.commit()
        h.db.session.execute(sa.update(Pane).values(heading="Bell\x07"))
        h.db.session.execute(sa.update(Frame).values(name="Bell\x07"))
        h.db.session.commit()
        committed(lambda: update_pane(found, found.panes[0].id, span=6))
        committed(lambda: delete_frame(found))
        assert found.removed_at is not None
