"""Who may open a page: somebody signed in, to whom the host's permission hook says yes.

What changes something must also come from a page of this site, see :func:`require_same_origin`.
"""

from __future__ import annotations

import collections.abc as cabc
import functools
import logging
import typing as t
import urllib.parse

import flask
from flask.typing import ResponseReturnValue
from werkzeug.wsgi import LimitedStream

from .. import caller as callers
from ..errors import Refused, TooLarge, Unauthenticated
from ..hooks import Action
from ..state import current_state
from ..words import Words, say, speak

log = logging.getLogger(__name__)

_SAFE = {"GET", "HEAD", "OPTIONS"}

MOST_BODY = 1_000_000
"""The most bytes of a form: several times what the longest texts and filters take."""

_REFUSED: dict[Action, Words] = {
    "view": say("You may not view this."),
    "arrange": say("You may not arrange this."),
    "snapshot": say("You may not snapshot this."),
    "export": say("You may not export this."),
    "roster": say("You may not see the roster."),
}

Page = cabc.Callable[..., ResponseReturnValue]
"""A page takes the reader it is drawn for first, and what its address names."""


def guarded(action: Action, page: Page) -> cabc.Callable[..., ResponseReturnValue]:
    """The view of a page that only callers who may do ``action`` can open.

    Nobody signed in: Flask-Login's ``unauthorized()``, else 401. A caller who may not, or a
    change that another site asks for: 403.
    """

    @functools.wraps(page)
    def view(**named: t.Any) -> ResponseReturnValue:
        if flask.request.method not in _SAFE:
            require_same_origin(flask.request)
            require_small(flask.request)
        state = current_state()
        caller = callers.current_caller(state.hooks)
        if caller is None:
            return _nobody()
        require(caller, action)
        reader = state.reader(caller)
        speak(reader.locale)
        return page(reader, **named)

    return view


def require(caller: t.Any, action: Action, subject: t.Any = None) -> None:
    """Refuse a caller who may not do ``action``, to ``subject`` if given.

    Raises:
        Refused: when the host's permission hook says no.
    """
    if not current_state().may(caller, action, subject):
        raise Refused(_REFUSED[action])


def require_same_origin(request: flask.Request) -> None:
    """Refuse a change that a page of another site makes a reader's browser send.

    Browsers say where a request comes from in headers that no page can set:

    - ``Sec-Fetch-Site`` decides where it is sent: ``same-origin``, or ``none`` for what the
      person at the browser did themselves. A sister domain (``same-site``) is another site.
    - Without it (plain HTTP, older browsers) ``Origin`` must name the host that was asked, and
      without that, ``Referer`` must. The scheme is not compared: a proxy may end TLS.
    - A request with none of the three does not come from a page in any browser, and is let
      through: a script has no reader's cookies to misuse.

    A host's own ``CSRFProtect`` checks its token besides; every form carries it.

    Raises:
        Refused: when it comes from elsewhere.
    """
    site = request.headers.get("Sec-Fetch-Site")
    if site is not None:
        allowed = site in {"same-origin", "none"}
    else:
        source = request.headers.get("Origin") or request.headers.get("Referer")
        allowed = source is None or place_of(source)[0] == request.host
    if not allowed:
        raise Refused(
            say(
                "This change was asked for by a page of another site, so nothing was changed. "
                "Open the page here and do it again."
            )
        )


def place_of(url: str | None) -> tuple[str, str, str]:
    """The host, path and query of an address that somebody else wrote, each "" without one.

    Browsers read more than one way of writing another site's address, so what is no plain address
    has no place at all.
    """
    try:
        parts = urllib.parse.urlsplit(url or "")
    except ValueError:
        return "", "", ""
    return parts.netloc, parts.path, parts.query


def require_small(request: flask.Request) -> None:
    """Refuse a form that is longer than any here can be, before it is read.

    A host's own ``MAX_CONTENT_LENGTH`` holds besides.

    Raises:
        TooLarge: saying how long it is and how long it may be.
    """
    length = request.content_length
    if length is not None and length > MOST_BODY:
        raise TooLarge(
            say(
                "What was sent is {length:,} bytes long, and a form here has at most {most:,}.",
                length=length,
                most=MOST_BODY,
            )
        )
    if length is None and "wsgi.input_terminated" in request.environ:
        stream = LimitedStream(request.environ["wsgi.input"], MOST_BODY, is_max=True)
        request.environ["wsgi.input"] = stream


def _nobody() -> ResponseReturnValue:
    manager = getattr(flask.current_app, "login_manager", None)
    if manager is None:
        if current_state().hooks.current_caller is None:
            log.warning(
                "Nothing says who is signed in, so every page of Janela answers 401: set up "
                "Flask-Login, or register @janela.current_caller. flask janela doctor says more."
            )
        raise Unauthenticated(say("Nobody is signed in."))
    return t.cast("ResponseReturnValue", manager.unauthorized())
