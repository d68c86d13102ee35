"""Frames and panes that were removed long ago are deleted for good, and nothing else is."""

from __future__ import annotations

import collections.abc as cabc
import datetime as dt

import pytest
import sqlalchemy as sa
from desk import NOW, desk, frame, pane
from hosts import Host

from flask_janela import Frame, Pane
from flask_janela.frames import (
    Favourite,
    delete_frame,
    pruning,
    remove_pane,
    restore_frame,
    set_favourite,
)

DAYS = 90


@pytest.fixture
def made() -> cabc.Iterator[Host]:
    with desk() as host:
        yield host


def on_day(made: Host, days_ago: int) -> None:
    """What is done next happens so many days ago."""
    at = NOW - dt.timedelta(days=days_ago)
    made.app.extensions["janela"].now = lambda: at


def prune(made: Host) -> str:
    made.db.session.remove()
    on_day(made, 0)
    result = made.app.test_cli_runner().invoke(args=["janela", "prune"])
    assert result.exit_code == 0, result.output
    return str(result.output)


def ids(made: Host, model: type[Frame] | type[Pane]) -> list[int]:
    return list(made.db.session.scalars(sa.select(model.id).order_by(model.id)))


@pytest.mark.parametrize(("days_ago", "left"), [(DAYS + 1, 1), (DAYS - 1, 2)])
def test_a_frame_goes_with_its_panes_and_stars(made: Host, days_ago: int, left: int) -> None:
    """A day after it can no longer be brought back, not a day before."""
    stays, goes = frame(made, "stays"), frame(made, "goes")
    for each in (stays, goes):
        pane(made, each, measure="orders")
        pane(made, each, measure="revenue")
        set_favourite(each, "user:ana", favourite=True)
    on_day(made, days_ago)
    delete_frame(goes)
    made.db.session.commit()
    said = prune(made)
    gone = 2 - left
    assert f"{gone} removed frames and {2 * gone} panes" in said
    assert len(ids(made, Frame)) == left
    assert len(ids(made, Pane)) == 2 * left
    assert made.db.session.scalar(sa.select(sa.func.count()).select_from(Favourite)) == left


def test_a_pane_goes_from_a_frame_that_stays(made: Host) -> None:
    """The others keep their places."""
    found = frame(made)
    for _ in range(4):
        pane(made, found, measure="orders")
    first, second, third, fourth = ids(made, Pane)
    on_day(made, DAYS + 5)
    remove_pane(found, second)
    on_day(made, 5)
    remove_pane(found, third)
    made.db.session.commit()
    assert "0 removed frames and 1 panes" in prune(made)
    assert ids(made, Pane) == [first, third, fourth]
    kept = made.db.session.scalars(sa.select(Frame)).one()
    assert [(each.id, each.position) for each in kept.panes] == [(first, 1), (fourth, 2)]


def test_what_was_brought_back_stays(made: Host) -> None:
    """However long ago it was removed."""
    found = frame(made)
    pane(made, found, measure="orders")
    on_day(made, DAYS + 5)
    delete_frame(found)
    restore_frame(found)
    made.db.session.commit()
    assert "0 removed frames and 0 panes" in prune(made)
    assert (len(ids(made, Frame)), len(ids(made, Pane))) == (1, 1)


def test_many_go_in_small_transactions(made: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    """And all of them."""
    monkeypatch.setattr(pruning, "BATCH", 3)
    on_day(made, DAYS + 5)
    for at in range(8):
        each = frame(made, f"frame_{at}")
        pane(made, each, measure="orders")
        delete_frame(each)
    living = frame(made, "living")
    for _ in range(7):
        pane(made, living, measure="orders")
    for each_id in [each.id for each in living.panes]:
        remove_pane(living, each_id)
    made.db.session.commit()
    left = living.id
    assert "8 removed frames and 15 panes" in prune(made)
    assert ids(made, Frame) == [left]
    assert ids(made, Pane) == []
