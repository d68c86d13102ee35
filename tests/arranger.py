"""Arranges one frame at random beside others who do, in a thread or as a process of its own.

``python tests/arranger.py URL FRAME SEED ROUNDS`` prints how many changes were made, and how many
met a pane that was gone, as JSON.
"""

from __future__ import annotations

import json
import random
import sys

import flask
import sqlalchemy as sa
from flask_sqlalchemy import SQLAlchemy

from flask_janela import Frame, Janela, NotFound
from flask_janela.frames import add_pane, committed, move_pane, remove_pane, resize_pane


def arranged_by_many(url: str) -> tuple[flask.Flask, SQLAlchemy]:
    """An application over a database that others use too."""
    app = flask.Flask("host")
    app.config["SQLALCHEMY_DATABASE_URI"] = url
    if url.startswith("sqlite"):
        app.config["SQLALCHEMY_ENGINE_OPTIONS"] = {"connect_args": {"timeout": 30}}
    db = SQLAlchemy(app)
    janela = Janela()
    janela.scope(lambda model, caller: sa.select(model))
    janela.init_app(app, db)
    return app, db


def rounds(db: SQLAlchemy, frame_id: int, seed: int, count: int) -> dict[str, int]:
    """So many random changes, each whole or not at all; needs an application context."""
    draw = random.Random(seed)
    found = {"gone": 0, "done": 0}
    for at in range(count):
        what = draw.choice(["add", "move", "remove", "resize"])

        def change(what: str = what, at: int = at) -> None:
            mine = db.session.get(Frame, frame_id)
            assert mine is not None
            ids = [each.id for each in mine.panes]
            by = f"user:{seed}"
            if what == "add" or not ids:
                add_pane(mine, by=by, kind="text", heading=f"{seed} {at}")
            elif what == "move":
                move_pane(mine, draw.choice(ids), draw.randint(1, len(ids)), by=by)
            elif what == "resize":
                resize_pane(mine, draw.choice(ids), span=draw.randint(1, 12), by=by)
            else:
                remove_pane(mine, draw.choice(ids), by=by)

        try:
            committed(change)
            found["done"] += 1
        except NotFound:
            found["gone"] += 1
    return found


if __name__ == "__main__":
    address, frame, seed_, count_ = sys.argv[1:]
    app_, db_ = arranged_by_many(address)
    with app_.app_context():
        print(json.dumps(rounds(db_, int(frame), int(seed_), int(count_))))
        db_.session.remove()
        db_.engine.dispose()
