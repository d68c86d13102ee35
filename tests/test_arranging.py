"""Changes to panes: places from 1 without gaps, versions counted, conflicts told, nothing lost."""

from __future__ import annotations

import collections.abc as cabc
import contextlib
import datetime as dt
import json
import os
import subprocess
import sys
import threading
import typing as t
from pathlib import Path

import flask
import pytest
import sqlalchemy as sa
from arranger import arranged_by_many, rounds
from databases import empty_database
from desk import NOW, desk, frame, pane
from flask_sqlalchemy import SQLAlchemy
from hosts import Host

from flask_janela import BadRequest, Conflict, Frame, NotFound, Pane
from flask_janela.frames import (
    MOST_PANES,
    add_pane,
    committed,
    duplicate_pane,
    move_pane,
    remove_pane,
    resize_pane,
    restore_pane,
    update_pane,
)


@pytest.fixture
def made() -> cabc.Iterator[Host]:
    with desk() as host_:
        yield host_


def five(made: Host) -> tuple[Frame, dict[str, int]]:
    """A frame of five panes of words, and their ids by heading."""
    found = frame(made)
    for heading in "abcde":
        pane(made, found, kind="text", heading=heading)
    return found, {each.heading or "": each.id for each in found.panes}


def order(made: Host, of: Frame) -> str:
    """The headings in order; the places are 1 to n."""
    made.db.session.commit()
    assert [each.position for each in of.panes] == list(range(1, len(of.panes) + 1))
    return "".join(each.heading or "?" for each in of.panes)


@pytest.mark.parametrize(
    ("which", "to", "after"),
    [
        ("c", 1, "cabde"),
        ("c", 5, "abdec"),
        ("c", 99, "abdec"),
        ("c", 3, "abcde"),
        ("a", 2, "bacde"),
        ("e", 4, "abced"),
        ("c", "earlier", "acbde"),
        ("c", "later", "abdce"),
        ("a", "earlier", "abcde"),
        ("e", "later", "abcde"),
    ],
)
def test_a_pane_moves_and_the_others_make_room(
    made: Host, which: str, to: t.Any, after: str
) -> None:
    """Beyond either end means that end."""
    found, ids = five(made)
    move_pane(found, ids[which], to, by="user:ana")
    assert order(made, found) == after
    assert (found.version, found.updated_by) == (7, "user:ana")


@pytest.mark.parametrize("to", [0, -1, "first", None])
def test_a_place_that_cannot_be_is_refused(made: Host, to: t.Any) -> None:
    """In words, and the version stays."""
    found, ids = five(made)
    with pytest.raises(BadRequest, match="position is"):
        move_pane(found, ids["a"], to)
    assert (order(made, found), found.version) == ("abcde", 6)


@pytest.mark.parametrize("which", "abcde")
def test_a_removed_pane_comes_back_to_its_place(made: Host, which: str) -> None:
    """It is kept meanwhile, and the others close up."""
    found, ids = five(made)
    remove_pane(found, ids[which])
    assert order(made, found) == "abcde".replace(which, "")
    assert made.db.session.scalar(sa.select(sa.func.count()).select_from(Pane)) == 5
    restore_pane(found, ids[which])
    assert order(made, found) == "abcde"
    restore_pane(found, ids[which])
    assert order(made, found) == "abcde"


def test_several_removals_are_undone_from_the_last(made: Host) -> None:
    """As a person undoes them."""
    found, ids = five(made)
    for which in "bda":
        remove_pane(found, ids[which])
    assert order(made, found) == "ce"
    for which in "adb":
        restore_pane(found, ids[which])
    assert order(made, found) == "abcde"


def test_a_copy_stands_behind_its_original(made: Host) -> None:
    """With all its options."""
    found = frame(made)
    pane(made, found, measure="revenue", dimension="region", limit=2, span=7, title="First")
    pane(made, found, kind="text", heading="Last")
    copy = duplicate_pane(found, found.panes[0].id)
    made.db.session.commit()
    assert [each.title for each in found.panes] == ["First", "First", None]
    assert found.panes[1].id == copy.id
    assert found.panes[0].options() == found.panes[1].options()


def test_a_pane_is_updated_option_by_option(made: Host) -> None:
    """What is not named stays; None takes away; what cannot be changes nothing."""
    found = frame(made)
    pane(made, found, measure="revenue", dimension="region", limit=2, title="It")
    id_ = found.panes[0].id
    update_pane(found, id_, title=None, span="8")
    made.db.session.commit()
    changed = found.panes[0]
    assert (changed.title, changed.span, changed.limit) == (None, 8, 2)
    with pytest.raises(BadRequest, match='"profits" is not a measure of orders'):
        committed(lambda: update_pane(found, id_, measure="profits"))
    assert (found.panes[0].measure, found.version) == ("revenue", 3)


def test_a_pane_is_resized_within_bounds(made: Host) -> None:
    """Each side alone."""
    found, ids = five(made)
    resize_pane(found, ids["a"], span=12)
    resize_pane(found, ids["a"], height=5)
    made.db.session.commit()
    assert (found.panes[0].span, found.panes[0].height) == (12, 5)
    for size in ({"span": 13}, {"span": 0}, {"height": 6}):
        with pytest.raises(BadRequest, match="use a whole number from 1 to"):
            resize_pane(found, ids["a"], **size)


def test_a_pane_of_another_frame_is_not_there(made: Host) -> None:
    """Whatever is done with it."""
    found, ids = five(made)
    other = frame(made, key="other", name="Other")
    changes: list[cabc.Callable[[], t.Any]] = [
        lambda: move_pane(other, ids["a"], 1),
        lambda: resize_pane(other, ids["a"], span=2),
        lambda: duplicate_pane(other, ids["a"]),
        lambda: update_pane(other, ids["a"], span=2),
        lambda: remove_pane(other, ids["a"]),
        lambda: restore_pane(other, ids["a"]),
    ]
    for change in changes:
        with pytest.raises(NotFound, match="no such pane in this frame"):
            committed(change)
    assert order(made, found) == "abcde"
    assert other.version == 1


def test_a_stale_version_is_told_who_changed_the_frame(made: Host) -> None:
    """By name and time, and nothing is written."""
    found, ids = five(made)
    move_pane(found, ids["a"], 2, by="user:ben", version=6)
    made.db.session.commit()
    made.people["ben"].name = "Ben Okri"
    made.app.extensions["janela"].now = lambda: NOW + dt.timedelta(minutes=2)
    with pytest.raises(Conflict, match="changed by Ben Okri 2 minutes ago") as caught:
        move_pane(found, ids["a"], 5, by="user:ana", version=6)
    assert "it is at version 7 now, after version 6 that you started from" in caught.value.message
    made.db.session.rollback()
    assert (order(made, found), found.version) == ("bacde", 7)
    with pytest.raises(Conflict, match="changed by you 2 minutes ago"):
        remove_pane(found, ids["a"], by="user:ben", version=6)


def test_a_frame_holds_so_many_panes(made: Host) -> None:
    """One more is refused in words, however it comes."""
    found = frame(made)
    made.db.session.add_all(
        Pane(frame_id=found.id, position=at, kind="text", heading=str(at))
        for at in range(1, MOST_PANES + 1)
    )
    made.db.session.commit()
    first = found.panes[0].id
    for more in (
        lambda: add_pane(found, kind="text", heading="more"),
        lambda: duplicate_pane(found, first),
    ):
        with pytest.raises(BadRequest, match=f"holds {MOST_PANES} panes"):
            committed(more)
    committed(lambda: remove_pane(found, first))
    committed(lambda: add_pane(found, kind="text", heading="more"))
    with pytest.raises(BadRequest, match=f"holds {MOST_PANES} panes"):
        committed(lambda: restore_pane(found, first))
    assert len(found.panes) == MOST_PANES


def test_a_pane_whose_declaration_has_vanished_is_moved_resized_and_removed(made: Host) -> None:
    """It only cannot be asked."""
    found = frame(made)
    pane(made, found, measure="revenue")
    pane(made, found, kind="text", heading="b")
    made.db.session.execute(sa.update(Pane).where(Pane.position == 1).values(measure="vanished"))
    made.db.session.commit()
    id_ = found.panes[0].id
    move_pane(found, id_, 2)
    resize_pane(found, id_, span=9, height=2)
    remove_pane(found, id_)
    restore_pane(found, id_)
    assert order(made, found) == "b?"


@contextlib.contextmanager
def many(tmp_path: Path) -> cabc.Iterator[tuple[flask.Flask, SQLAlchemy, int]]:
    """An application with a frame of six panes that several threads or processes may change."""
    with empty_database(tmp_path) as url:
        app, db = arranged_by_many(url)
        with app.app_context():
            db.create_all()
            found = Frame.for_owner(None, "k", name="K")
            for at in range(6):
                add_pane(found, kind="text", heading=f"first {at}")
            db.session.commit()
            id_ = found.id
        yield app, db, id_
        with app.app_context():
            db.session.remove()
            db.engine.dispose()


def at_once(work: cabc.Callable[[int], None], count: int = 8) -> None:
    """Do a work in so many threads."""
    threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_of_many_changes_for_one_version_one_is_made(tmp_path: Path) -> None:
    """All others are told of it: nobody's change is lost without a word."""
    told: list[str] = []
    with many(tmp_path) as (app, db, id_):
        start = threading.Barrier(8)

        def arrange(number: int) -> None:
            with app.app_context():
                mine = db.session.get_one(Frame, id_)
                pane_id, version = mine.panes[0].id, mine.version
                db.session.rollback()
                start.wait()
                try:
                    committed(
                        lambda: move_pane(mine, pane_id, 6, by=f"user:{number}", version=version)
                    )
                    told.append("made")
                except Conflict as error:
                    told.append(error.message)

        at_once(arrange)
        assert told.count("made") == 1
        assert sum("changed by user:" in each for each in told) == 7
        with app.app_context():
            assert db.session.get_one(Frame, id_).version == 8


def test_many_who_arrange_one_frame_at_once_end_whole(tmp_path: Path) -> None:
    """200 random changes from 8 threads: places 1 to n, every version counted, nothing lost."""
    with many(tmp_path) as (app, db, id_):
        lost: list[BaseException] = []
        counts = {"gone": 0, "done": 0}
        counting = threading.Lock()

        def arrange(seed: int) -> None:
            try:
                with app.app_context():
                    found = rounds(db, id_, seed, 25)
            except BaseException as error:
                lost.append(error)
                raise
            with counting:
                for key, count in found.items():
                    counts[key] += count

        at_once(arrange)
        assert lost == []
        assert counts["done"] + counts["gone"] == 200
        with app.app_context():
            found = db.session.get_one(Frame, id_)
            assert [each.position for each in found.panes] == list(range(1, len(found.panes) + 1))
            assert found.version == 1 + 6 + counts["done"]


def test_two_processes_that_arrange_one_frame_end_whole(tmp_path: Path) -> None:
    """A thousand rounds between them: no deadlock, places whole, every version counted."""
    with many(tmp_path) as (app, db, id_):
        url = db_url(app, db)
        here = Path(__file__).parent
        workers = [
            subprocess.Popen(
                [sys.executable, str(here / "arranger.py"), url, str(id_), str(seed), "500"],
                env={**os.environ, "PYTHONPATH": f"{here}{os.pathsep}{here.parent}"},
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for seed in (1, 2)
        ]
        counts = {"gone": 0, "done": 0}
        for worker in workers:
            said, wrong = worker.communicate(timeout=240)
            assert worker.returncode == 0, wrong
            for key, count in json.loads(said).items():
                counts[key] += count
        assert sum(counts.values()) == 1000
        with app.app_context():
            found = db.session.get_one(Frame, id_)
            assert [each.position for each in found.panes] == list(range(1, len(found.panes) + 1))
            assert found.version == 1 + 6 + counts["done"]


def db_url(app: flask.Flask, db: SQLAlchemy) -> str:
    with app.app_context():
        return db.engine.url.render_as_string(hide_password=False)
