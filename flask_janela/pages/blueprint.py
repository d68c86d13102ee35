"""The blueprint: which page is where, who may open it, and what every answer's headers say."""

from __future__ import annotations

import importlib
import typing as t

import flask
import sqlalchemy as sa
from werkzeug.exceptions import RequestEntityTooLarge

from ..config import Config
from ..errors import JanelaError
from . import assets
from .guard import Page, guarded


class _Pages:
    """A module of pages, imported when one of them is first opened.

    A command, a worker and a test that opens no page need none, and they are most of the package.
    """

    def __init__(self, module: str) -> None:
        self._module = f"{__package__}.{module}"

    def __getattr__(self, name: str) -> t.Callable[..., t.Any]:
        def page(*given: t.Any, **named: t.Any) -> t.Any:
            return getattr(importlib.import_module(self._module), name)(*given, **named)

        page.__name__ = name
        return page


adding = _Pages("adding")
arrange = _Pages("arrange")
ask = _Pages("ask")
embedding = _Pages("embedding")
explore = _Pages("explore")
export = _Pages("export")
favourites = _Pages("favourites")
filtering = _Pages("filtering")
frames = _Pages("frames")
framing = _Pages("framing")
index = _Pages("index")
paneform = _Pages("paneform")
problems = _Pages("problems")
roster = _Pages("roster")
rosterfiles = _Pages("rosterfiles")
rows = _Pages("rows")
tool = _Pages("tool")


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
    filter_ = guarded("view", filtering.filter_)
    pages.add_url_rule("/frames/<int:frame_id>/filter", "filter", filter_)
    one = guarded("view", frames.pane)
    pages.add_url_rule("/frames/<int:frame_id>/panes/<int:pane_id>", "pane", one)
    csv = guarded("export", export.export)
    pages.add_url_rule("/frames/<int:frame_id>/panes/<int:pane_id>.csv", "export", csv)
    question, add = guarded("view", ask.ask), guarded("arrange", adding.add)
    file = guarded("export", export.export_question)
    for rule in ("/ask/<model>/<measure>", "/ask/<model>/<measure>/<dimension>"):
        pages.add_url_rule(rule, "ask", question)
        pages.add_url_rule(rule, "add", add, methods=["POST"])
        pages.add_url_rule(f"{rule}.csv", "export_question", file)
    pages.add_url_rule("/rows/<model>", "rows", guarded("view", rows.rows))
    pages.add_url_rule("/rows/<model>.csv", "export_rows", guarded("export", rows.export_rows))
    behind = "/frames/<int:frame_id>/panes/<int:pane_id>/rows"
    pages.add_url_rule(behind, "pane_rows", guarded("view", rows.pane_rows))
    file = guarded("export", rows.export_pane_rows)
    pages.add_url_rule(f"{behind}.csv", "export_pane_rows", file)
    pages.add_url_rule("/explore", "explore", guarded("view", explore.explore))
    _add_arranging(pages)
    _add_roster(pages)
    pages.register_error_handler(JanelaError, problems.show)
    pages.register_error_handler(RequestEntityTooLarge, problems.show_too_large)
    pages.register_error_handler(sa.exc.DBAPIError, problems.show_database)
    pages.after_request(_keep_private)
    # Not jinja_env.globals: touching the environment here would settle the host's own options.
    pages.app_context_processor(embedding.globals_)
    return pages


def _add_arranging(pages: flask.Blueprint) -> None:
    """What changes frames and panes: forms, and changes that are only ever sent."""
    frame_, pane = "/frames/<int:frame_id>", "/frames/<int:frame_id>/panes/<int:pane_id>"
    forms: dict[str, tuple[str, Page]] = {
        "new_frame": ("/frames/new", framing.new_frame),
        "edit_frame": (f"{frame_}/edit", framing.edit_frame),
        "delete_frame": (f"{frame_}/delete", framing.delete_frame),
        "new_pane": (f"{frame_}/panes/new", paneform.new_pane),
        "edit_pane": (f"{pane}/edit", paneform.edit_pane),
    }
    changes: dict[str, tuple[str, Page]] = {
        "duplicate_frame": (f"{frame_}/duplicate", framing.duplicate_frame),
        "restore_frame": (f"{frame_}/restore", framing.restore_frame),
        "move_pane": (f"{pane}/move", arrange.move_pane),
        "resize_pane": (f"{pane}/resize", arrange.resize_pane),
        "duplicate_pane": (f"{pane}/duplicate", arrange.duplicate_pane),
        "remove_pane": (f"{pane}/remove", arrange.remove_pane),
        "restore_pane": (f"{pane}/restore", arrange.restore_pane),
    }
    for name, (rule, page) in forms.items():
        pages.add_url_rule(rule, name, guarded("arrange", page), methods=["GET", "POST"])
    for name, (rule, page) in changes.items():
        pages.add_url_rule(rule, name, guarded("arrange", page), methods=["POST"])
    pages.add_url_rule(f"{frame_}/arrange", "arrange", guarded("arrange", arrange.arrange))
    preview = guarded("arrange", paneform.preview)
    pages.add_url_rule(f"{frame_}/panes/preview", "preview_pane", preview)
    star = guarded("view", favourites.star)
    pages.add_url_rule(f"{frame_}/star", "star", star, methods=["POST"])


def _add_roster(pages: flask.Blueprint) -> None:
    """What agents did, for those to whom the host grants it."""
    pages.add_url_rule("/tools", "roster", guarded("roster", roster.roster))
    pages.add_url_rule("/tools/<path:name>", "tool", guarded("roster", tool.tool))
    pages.add_url_rule("/tools.json", "roster_json", guarded("roster", rosterfiles.roster_json))
    pages.add_url_rule("/tools.csv", "roster_csv", guarded("roster", rosterfiles.roster_csv))


def _keep_private(response: flask.Response) -> flask.Response:
    """Numbers are one caller's own: no cache keeps a page, theirs or one in between."""
    if flask.request.endpoint != "janela.static":
        response.headers["Cache-Control"] = "private, no-store"
    return response
