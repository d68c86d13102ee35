"""A host with a worker: a web process and another process build the same application.

``python tests/worker.py DATABASE`` works: each line on standard input is a pickled caller's
reference, each line on standard output what that caller's tools answer.
"""

from __future__ import annotations

import base64
import json
import pickle
import sys
import typing as t

import flask
import flask_login
import sqlalchemy as sa
from flask_sqlalchemy import SQLAlchemy
from sqlalchemy.orm import Mapped, mapped_column

from flask_janela import Count, Dimension, Janela, JanelaError, Vocabulary

db = SQLAlchemy()
janela = Janela()


class User(flask_login.UserMixin, db.Model):  # type: ignore[name-defined,misc]
    """Somebody of a team."""

    id: Mapped[int] = mapped_column(primary_key=True)
    team: Mapped[str]
    active: Mapped[bool] = mapped_column(default=True)

    @property
    def is_active(self) -> bool:
        return self.active


class Task(db.Model):  # type: ignore[name-defined,misc]
    """What a team has to do."""

    __tablename__ = "tasks"

    id: Mapped[int] = mapped_column(primary_key=True)
    team: Mapped[str]

    class Janela(Vocabulary):
        tasks = Count()
        team = Dimension()


@janela.scope
def scope(model: t.Any, caller: User) -> t.Any:
    """A person reads what is their team's."""
    return sa.select(model).where(model.team == caller.team)


def create_app(database: str) -> flask.Flask:
    """The application, as every process of the host builds it."""
    app = flask.Flask("worker")
    app.config.update(SECRET_KEY="tests", SQLALCHEMY_DATABASE_URI=database)
    db.init_app(app)
    manager = flask_login.LoginManager(app)
    manager.user_loader(lambda identity: db.session.get(User, int(identity)))
    janela.init_app(app, db)
    return app


def work(database: str) -> None:
    """Answer until standard input ends. A caller's tools are built once and kept."""
    kept: dict[str, t.Any] = {}
    with create_app(database).app_context():
        for line in sys.stdin:
            reference = pickle.loads(base64.b64decode(line))
            tools = kept.setdefault(reference, janela.tools_for_ref(reference, agent="nightly"))
            try:
                listed = len(tools.all())
            except JanelaError as error:
                listed = error.code
            asked = {"model": "tasks", "measure": "tasks", "dimension": "team"}
            print(json.dumps([listed, tools.run("read_measure", asked)]), flush=True)


if __name__ == "__main__":
    work(sys.argv[1])
