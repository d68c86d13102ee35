"""Who is asking: the signed-in caller, and references to callers that travel.

The caller never comes from anything a reader or a model wrote.
"""

from __future__ import annotations

import logging
import typing as t

import flask
import flask_login
import sqlalchemy as sa

from .errors import CallerGone, Unauthenticated, quoted
from .hooks import Hooks

log = logging.getLogger(__name__)

MOST_REFERENCE = 200


def unwrapped(caller: t.Any) -> t.Any:
    """The person behind Flask-Login's ``current_user``, or None for nobody.

    The proxy means whoever asks last; what is bound to a caller must hold the person.
    """
    if hasattr(caller, "_get_current_object"):
        caller = caller._get_current_object()
    if caller is None or getattr(caller, "is_anonymous", False):
        return None
    return caller


def current_caller(hooks: Hooks) -> t.Any:
    """The caller of this request: what ``@janela.current_caller`` answers, else Flask-Login's."""
    if hooks.current_caller is not None:
        return unwrapped(hooks.current_caller())
    if not hasattr(flask.current_app, "login_manager"):
        return None
    caller = unwrapped(flask_login.current_user)
    return caller if getattr(caller, "is_active", True) else None


def name_of(caller: t.Any) -> str:
    """What a caller is called: their ``name``, else their identity."""
    get_id = getattr(caller, "get_id", None)
    return str(getattr(caller, "name", None) or (get_id() if callable(get_id) else caller))


def caller_ref(caller: t.Any) -> str | None:
    """A reference to a caller that can be stored or sent: ``user:42``; None for nobody.

    Raises:
        Unauthenticated: when the caller has no identity to refer to.
    """
    person = unwrapped(caller)
    if person is None:
        return None
    get_id = getattr(person, "get_id", None)
    identity = get_id() if callable(get_id) else getattr(person, "id", None)
    if identity is None or identity == "":
        raise Unauthenticated(
            f"{type(person).__name__} has neither get_id() nor an id, so nothing can refer to it."
        )
    return f"user:{identity}"


def fresh(person: t.Any, db: t.Any) -> t.Any:
    """A caller as they are now, for a call that may come long after and on any thread.

    A row of the host's own models is loaded anew in the current session; anybody else is as they
    were given.

    Raises:
        CallerGone: when the row is gone, or they are inactive.
    """
    if isinstance(person, db.Model) and (identity := sa.inspect(person).identity) is not None:
        person = db.session.get(type(person), identity)
    if person is None or not getattr(person, "is_active", True):
        raise CallerGone("Whoever these tools act for is no longer somebody who may ask.")
    return person


def load_caller(reference: str, hooks: Hooks) -> t.Any:
    """The caller a reference names, loaded anew.

    ``@janela.caller_loader`` is asked with the reference's identity when there is one, else
    Flask-Login's ``user_loader``.

    Raises:
        CallerGone: when there is no such person any more, or they are inactive.
    """
    kind, _, identity = reference.partition(":")
    if kind != "user" or not identity or len(reference) > MOST_REFERENCE:
        raise CallerGone(f'{quoted(reference)} is not a caller\'s reference such as "user:42".')
    loader = hooks.caller_loader or _flask_login_loader()
    try:
        person = unwrapped(loader(identity))
    except (ValueError, TypeError, LookupError, ArithmeticError, sa.exc.DataError) as error:
        # An identity that the loader cannot even read, int("nightly") say, is nobody's.
        log.info("The caller loader refused %s: %r", quoted(identity), error)
        person = None
    if person is None or not getattr(person, "is_active", True):
        raise CallerGone(f"{quoted(reference)} is no longer somebody who may ask.")
    return person


def _flask_login_loader() -> t.Callable[[str], t.Any]:
    manager = getattr(flask.current_app, "login_manager", None)
    loader = getattr(manager, "_user_callback", None)
    if loader is None:
        raise CallerGone(
            "Nothing can load a caller by reference: register Flask-Login's user_loader, or "
            "@janela.caller_loader."
        )
    return t.cast("t.Callable[[str], t.Any]", loader)
