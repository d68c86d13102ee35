"""Error pages. Who is signed in reads the reason; a stranger only what the status means."""

from __future__ import annotations

import logging

import sqlalchemy as sa
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import RequestEntityTooLarge

from .. import caller as callers
from ..errors import JanelaError, RateLimited, TooLarge, Unavailable
from ..query.running import is_unavailable
from ..state import current_state
from ..words import is_settled, say, speak
from ..words import sentence as as_sentence
from . import views
from .rendering import render, render_alone

log = logging.getLogger(__name__)

SENTENCES = {
    400: (
        say("This cannot be asked"),
        say("The address of this page asks for something that cannot be."),
    ),
    401: (say("Sign in first"), say("This page is for people who are signed in.")),
    403: (say("Not for you"), say("You may not see this page.")),
    404: (say("Nothing here"), say("There is no such page, or none that you may see.")),
    409: (say("Changed meanwhile"), say("Somebody else changed this meanwhile.")),
    413: (
        say("Too much at once"),
        say("More was sent than this page takes, so nothing was changed."),
    ),
    429: (say("Too often"), say("Wait a while before you ask again.")),
    503: (say("Not at this moment"), say("The database could not answer this in time.")),
}


def show(error: JanelaError) -> ResponseReturnValue:
    """The page of an error that a reader caused; anything else is raised on.

    A fault of the set-up, ``Unscoped`` above all, is the host developer's to see: it becomes the
    host's own 500.
    """
    if error.status not in SENTENCES:
        raise error
    log.info("%s %s: %s", error.status, error.code, error.message)
    title, sentence = SENTENCES[error.status]
    state = current_state()
    if isinstance(error, Unavailable):
        if not is_settled():
            # What a reader reads may stand in the very database that is not there.
            speak(state.config.locale)
        problem = views.Problem(error.status, title, error.message, "")
        return render_alone("problem", problem), error.status
    caller = callers.current_caller(state.hooks)
    if caller is not None:
        speak(state.locale(caller))
    reason = error.message if caller is not None else ""
    problem = views.Problem(error.status, title, sentence, as_sentence(reason))
    return render("problem", problem, caller), error.status, _headers(error)


def show_database(error: sa.exc.DBAPIError) -> ResponseReturnValue:
    """The page of a database that is not there; any other error of a database is raised on."""
    if not is_unavailable(error):
        raise error
    log.warning("The database cannot be reached: %s", type(error.orig).__name__)
    return show(Unavailable())


def show_too_large(error: RequestEntityTooLarge) -> ResponseReturnValue:
    """The page of more than the host's own limits let through (``MAX_CONTENT_LENGTH``, say)."""
    return show(TooLarge(say("A form here may not be as long, nor have as many fields.")))


def _headers(error: JanelaError) -> dict[str, str]:
    wait = error.retry_after if isinstance(error, RateLimited) else None
    return {} if wait is None else {"Retry-After": str(wait)}
