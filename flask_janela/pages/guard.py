"""Who may open a page: somebody signed in, to whom the host's permission hook says yes."""

from __future__ import annotations

import collections.abc as cabc
import functools
import typing as t

import flask
from flask.typing import ResponseReturnValue

from .. import caller as callers
from ..errors import Refused, Unauthenticated
from ..hooks import Action
from ..state import current_state

Page = cabc.Callable[..., ResponseReturnValue]
"""A page takes the reader it is drawn for first, and what its address names."""


def guarded(action: Action, page: Page) -> cabc.Callable[..., ResponseReturnValue]:
    """The view of a page that only callers who may do ``action`` can open.

    Nobody signed in: Flask-Login's ``unauthorized()``, else 401. A caller who may not: 403.
    """

    @functools.wraps(page)
    def view(**named: t.Any) -> ResponseReturnValue:
        state = current_state()
        caller = callers.current_caller(state.hooks)
        if caller is None:
            return _nobody()
        require(caller, action)
        return page(state.reader(caller), **named)

    return view


def require(caller: t.Any, action: Action, subject: t.Any = None) -> None:
    """Refuse a caller who may not do ``action``, to ``subject`` if given.

    Raises:
        Refused: when the host's permission hook says no.
    """
    if not current_state().may(caller, action, subject):
        raise Refused(f"You may not {action} this.")


def _nobody() -> ResponseReturnValue:
    manager = getattr(flask.current_app, "login_manager", None)
    if manager is None:
        raise Unauthenticated("Nobody is signed in.")
    return t.cast("ResponseReturnValue", manager.unauthorized())
