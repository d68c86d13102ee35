"""The documents' own code: their blocks, and the shop that the README builds from its."""

from __future__ import annotations

import collections.abc as cabc
import contextlib
import datetime as dt
import re
import typing as t
from pathlib import Path

ROOT = Path(__file__).parents[1]

Space = dict[str, t.Any]


def blocks(document: str, language: str = "python") -> list[str]:
    """Every block of one language in a document, in order."""
    text = (ROOT / document).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def run(document: str, space: Space) -> None:
    """A document's blocks of Python, one after another in one space."""
    for block in blocks(document):
        execute(block, document, space)


def execute(block: str, document: str, space: Space) -> None:
    """One block in a space."""
    exec(compile(block, document, "exec", dont_inherit=True), space)


@contextlib.contextmanager
def shop(folder: Path) -> cabc.Iterator[Space]:
    """The names of the README's code, with its application (``app``) inside its context.

    Ana of the north has two orders, the south one.
    """
    space: Space = {"__name__": "readme"}
    run("README.md", space)
    app = space["app"] = space["create_app"].__globals__["Flask"]("readme")
    app.config.update(
        SECRET_KEY="tests", SQLALCHEMY_DATABASE_URI=f"sqlite:///{folder / 'shop.sqlite'}"
    )
    db, user, order, customer = (space[n] for n in ("db", "User", "Order", "Customer"))
    db.init_app(app)
    space["login_manager"].init_app(app)
    space["login_manager"].user_loader(lambda user_id: db.session.get(user, int(user_id)))
    space["janela"].init_app(app, db)
    this_year = dt.datetime.now(dt.UTC).replace(tzinfo=None, month=6, day=15)
    with app.app_context():
        db.create_all()
        db.session.add_all(
            [
                user(id=1, name="Ana", team="north"),
                customer(id=1, region="EU"),
                *(
                    order(
                        team=team, status="paid", amount=amount, placed_at=this_year, customer_id=1
                    )
                    for team, amount in [("north", 10), ("north", 20), ("south", 400)]
                ),
            ]
        )
        db.session.commit()
        yield space
        space["janela"].recorder.close()
        db.session.remove()
        db.engine.dispose()
