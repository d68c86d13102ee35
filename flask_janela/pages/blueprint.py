"""The blueprint: which page is where, who may open it, and what every answer's headers say."""

from __future__ import annotations

import flask

from ..config import Config
from ..errors import JanelaError
from . import ask, assets, frames, index, problems
from .guard import guarded


def blueprint(config: Config) -> flask.Blueprint:
    """All pages of Janela, under the configured prefix."""
    pages = flask.Blueprint(
        "janela",
        __name__,
        url_prefix=config.url_prefix or None,
        template_folder=str(assets.find("templates")),
        static_folder=str(assets.find("static")),
        # At the root of a site its own /static/ comes first.
        static_url_path="/static" if config.url_prefix else "/janela-static",
    )
    pages.add_url_rule("/", "index", guarded("view", index.index))
    pages.add_url_rule("/frames/<int:frame_id>", "frame", guarded("view", frames.frame))
    question = guarded("view", ask.ask)
    pages.add_url_rule("/ask/<model>/<measure>", "ask", question)
    pages.add_url_rule("/ask/<model>/<measure>/<dimension>", "ask", question)
    pages.register_error_handler(JanelaError, problems.show)
    pages.after_request(_keep_private)
    return pages


def _keep_private(response: flask.Response) -> flask.Response:
    """Numbers are one caller's own: no cache keeps a page, theirs or one in between."""
    if flask.request.endpoint != "janela.static":
        response.headers["Cache-Control"] = "private, no-store"
    return response
