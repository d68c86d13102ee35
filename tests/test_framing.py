"""Changes to frames: keys from names, copies, deletion that can be undone, stars."""

from __future__ import annotations

import collections.abc as cabc
import typing as t

import pytest
import sqlalchemy as sa
from desk import desk, frame, pane
from hosts import Host

from flask_janela import BadRequest, Conflict, Frame, NotFound, Pane
from flask_janela.frames import (
    Favourite,
    add_pane,
    create_frame,
    delete_frame,
    duplicate_frame,
    restore_frame,
    set_favourite,
    update_frame,
)
from flask_janela.frames.framing import key_for


@pytest.fixture
def made() -> cabc.Iterator[Host]:
    with desk() as host_:
        yield host_


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("On-time desk", "on_time_desk"),
        ("  Ação & Reação  ", "acao_reacao"),
        ("数字", "frame"),
        ("x" * 80, "x" * 60),
        ("a" * 59 + " b", "a" * 59),
    ],
)
def test_a_key_is_made_from_the_name(name: str, key: str) -> None:
    """Whatever the name is written in."""
    assert key_for(name) == key


def test_keys_are_unique_for_each_owner(made: Host) -> None:
    """Those of deleted frames stay taken, since these can come back."""
    first = create_frame(("team", 1), "Sales", by="user:ana", columns=6)
    delete_frame(first, by="user:ana")
    keys = [create_frame(("team", 1), "Sales").key for _ in range(3)]
    assert (first.key, keys) == ("sales", ["sales_2", "sales_3", "sales_4"])
    assert create_frame(("team", 2), "Sales").key == "sales"
    assert create_frame(None, "sales!").key == "sales"
    assert (first.owner_type, first.owner_id, first.columns) == ("team", "1", 6)
    assert (first.created_by, first.updated_by, first.version) == ("user:ana", "user:ana", 2)


def test_a_race_for_a_key_ends_with_two_keys(made: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody takes the key between the look and the insert."""
    create_frame(None, "Sales")
    made.db.session.commit()
    looked = made.db.session.scalars
    blind = [True]

    def scalars(statement: t.Any, *more: t.Any, **options: t.Any) -> t.Any:
        if blind.pop() if blind else False:
            return iter(())
        return looked(statement, *more, **options)

    monkeypatch.setattr(made.db.session, "scalars", scalars)
    assert create_frame(None, "Sales").key == "sales_2"


@pytest.mark.parametrize(
    ("attributes", "said"),
    [
        ({"name": " "}, "name is .*1 to 200 characters"),
        ({"columns": 13}, "columns is"),
        ({"filters": {"orders.colour": ["red"]}}, 'filters: "colour" is not a dimension'),
        ({"owner_id": "9"}, '"owner_id" cannot be set on a frame; there is name, description'),
    ],
    ids=str,
)
def test_a_frame_is_changed_in_words(made: Host, attributes: dict[str, t.Any], said: str) -> None:
    """What cannot be changes nothing."""
    found = frame(made)
    with pytest.raises(BadRequest, match=said):
        update_frame(found, **attributes)
    made.db.session.rollback()
    update_frame(found, name="New", columns=6, filters={"orders.region": ["EU"]}, version=1)
    made.db.session.commit()
    assert (found.name, found.columns, found.version) == ("New", 6, 2)
    with pytest.raises(Conflict, match="“New” was changed"):
        update_frame(found, name="Newer", version=1)


def test_a_copy_is_a_frame_of_its_own(made: Host) -> None:
    """With every pane that is there as it is, vanished declarations too."""
    found = frame(made, columns=6, gap=2, filters={"orders.region": ["EU"]})
    for heading in "abc":
        pane(made, found, kind="text", heading=heading, span=5)
    pane(made, found, measure="revenue")
    made.db.session.execute(
        sa.update(Pane).where(Pane.heading == "b").values(removed_at=sa.func.now())
    )
    made.db.session.execute(sa.update(Pane).where(Pane.kind == "query").values(measure="vanished"))
    made.db.session.commit()
    copy = duplicate_frame(found, ("team", 1), by="user:ana")
    made.db.session.commit()
    assert (copy.name, copy.key, copy.owner_id) == ("Copy of Sales", "copy_of_sales", "1")
    assert (copy.columns, copy.gap, copy.filters) == (6, 2, {"orders.region": ["EU"]})
    assert [(each.heading, each.measure) for each in copy.panes] == [
        ("a", None),
        ("c", None),
        (None, "vanished"),
    ]
    assert {each.id for each in copy.panes}.isdisjoint(each.id for each in found.panes)


def test_a_deleted_frame_can_be_brought_back(made: Host) -> None:
    """Once; and what is deleted cannot be arranged."""
    found = frame(made)
    pane(made, found, kind="text", heading="a")
    delete_frame(found, version=found.version)
    made.db.session.commit()
    assert found.removed_at is not None
    with pytest.raises(NotFound, match="deleted meanwhile"):
        add_pane(found, kind="text", heading="b")
    made.db.session.rollback()
    restore_frame(found)
    made.db.session.commit()
    assert found.removed_at is None
    assert len(found.panes) == 1
    with pytest.raises(NotFound, match="is not deleted"):
        restore_frame(found)
    made.db.session.rollback()


def test_a_frame_that_is_gone_altogether_is_not_found(made: Host) -> None:
    """Pruned while somebody still looked at it."""
    found = frame(made)
    made.db.session.execute(sa.delete(Frame).execution_options(synchronize_session=False))
    with pytest.raises(NotFound, match="The frame is gone"):
        add_pane(found, kind="text", heading="a")
    made.db.session.rollback()


def test_a_star_is_each_callers_own(made: Host) -> None:
    """Set twice it is there once, and it does not count a version."""
    found = frame(made)
    for _ in range(2):
        set_favourite(found, "user:ana", favourite=True)
    set_favourite(found, "user:ben", favourite=True)
    set_favourite(found, "user:ben", favourite=False)
    made.db.session.commit()
    stars = made.db.session.scalars(sa.select(Favourite)).all()
    assert [(each.caller_ref, each.frame_id) for each in stars] == [("user:ana", found.id)]
    assert found.version == 1
