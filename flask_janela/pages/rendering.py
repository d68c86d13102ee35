"""From a view to HTML: the one place that says what every template receives."""

from __future__ import annotations

import typing as t

import flask
import markupsafe

from .. import caller as callers
from .. import words
from ..state import current_state
from . import views


def render(name: str, view: t.Any, caller: t.Any, *, under: str | None = None) -> str:
    """The page ``janela/<name>.html`` of a view, in the host's base template or Janela's own.

    When htmx asks, a page that extends ``janela_page`` comes without what is around it.

    Args:
        under: the page below which it lies in the navigation, where its name does not tell.
    """
    config = current_state().config
    return flask.render_template(
        f"janela/{name}.html",
        **speech(),
        view=view,
        janela_page="janela/part.html" if is_part() else "janela/page.html",
        janela_part=is_part(),
        janela_base=config.base_template,
        janela_htmx=config.htmx,
        janela_current=under or name,
        janela_person=person(caller),
        janela_roster=caller is not None and current_state().may(caller, "roster"),
    )


def render_alone(name: str, view: t.Any) -> str:
    """The page of a view where the database is not there.

    In Janela's own base template and past the host's context processors, which may ask who is
    signed in.
    """
    template = flask.current_app.jinja_env.get_template(f"janela/{name}.html")
    return template.render(
        **speech(),
        view=view,
        janela_page="janela/part.html" if is_part() else "janela/page.html",
        janela_part=is_part(),
        janela_base="janela/base.html",
        janela_htmx=current_state().config.htmx,
        janela_current=name,
        janela_person=None,
        janela_roster=False,
    )


def speech() -> dict[str, t.Any]:
    """What every template needs to say something in the language of its page."""
    language, direction = words.language(), words.direction()
    spoken = markupsafe.Markup("")
    if "babel" in flask.current_app.extensions:
        # The page around may be in another language.
        spoken = markupsafe.Markup(' lang="{}" dir="{}"').format(language, direction)
    return {
        "say": words.teller(),
        "janela_language": language,
        "janela_direction": direction,
        "janela_spoken": spoken,
    }


def is_part() -> bool:
    """Whether htmx asks for a piece of the page on screen, rather than to restore a whole one."""
    asked = flask.request.headers
    return asked.get("HX-Request") == "true" and "HX-History-Restore-Request" not in asked


def person(caller: t.Any) -> views.Person | None:
    """Who is signed in, as the lintel shows them: their ``name``, else their identity."""
    if caller is None:
        return None
    name = callers.name_of(caller)
    words = name.split() or ["?"]
    initials = words[0][:1] + (words[-1][:1] if len(words) > 1 else "")
    return views.Person(name, initials.upper())
