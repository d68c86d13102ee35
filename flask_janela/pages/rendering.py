"""From a view to HTML: the one place that says what every template receives."""

from __future__ import annotations

import typing as t

import flask

from .. import caller as callers
from ..state import current_state
from . import views


def render(name: str, view: t.Any, caller: t.Any) -> str:
    """The page ``janela/<name>.html`` of a view, in the host's base template or Janela's own."""
    return flask.render_template(
        f"janela/{name}.html",
        view=view,
        janela_base=current_state().config.base_template,
        janela_current=name,
        janela_person=person(caller),
    )


def person(caller: t.Any) -> views.Person | None:
    """Who is signed in, as the lintel shows them: their ``name``, else their identity."""
    if caller is None:
        return None
    name = callers.name_of(caller)
    words = name.split() or ["?"]
    initials = words[0][:1] + (words[-1][:1] if len(words) > 1 else "")
    return views.Person(name, initials.upper())
