"""Who can sign in, whose what they make is, and who may see the roster."""

from __future__ import annotations

import collections.abc as cabc
import typing as t

import sqlalchemy as sa
from sqlalchemy.sql import visitors

from ..calls import outcome_of
from ..errors import JanelaError
from ..frames import Frame
from ..frames.owned import owner_for
from ..hooks import Action
from ..query.scope import scope_of
from .case import Case, Person, first_line
from .finding import Finding

_OWNER = {"owner_type", "owner_id", "owner_slot"}


def no_authentication(case: Case) -> cabc.Iterator[Finding]:
    """Nobody can ever be signed in."""
    if case.state.hooks.current_caller is not None:
        return
    manager = getattr(case.app, "login_manager", None)
    if manager is None:
        yield Finding(
            "no-authentication",
            "error",
            "Nothing says who is signed in: the application has no Flask-Login and no "
            "@janela.current_caller, so every page answers 401.",
            "Set up flask_login.LoginManager(app) with a user_loader, or register "
            "@janela.current_caller above def current_caller(), answering who asks.",
        )
        return
    user, request = (
        getattr(manager, name, None) for name in ("_user_callback", "_request_callback")
    )
    if user is None and request is None:
        yield Finding(
            "no-authentication",
            "error",
            "Flask-Login is there without a user_loader or a request_loader, so nobody is ever "
            "signed in.",
            "Register one: @login_manager.user_loader above def load_user(user_id), answering the "
            "user or None.",
        )
    elif request is None and not case.app.secret_key:
        yield Finding(
            "no-authentication",
            "error",
            "The application has no SECRET_KEY, without which no session can be signed and nobody "
            "can sign in.",
            "Set SECRET_KEY to a long random text that you keep, such as what "
            "python -c 'import secrets; print(secrets.token_hex())' prints.",
        )


def hook_raises(case: Case) -> cabc.Iterator[Finding]:
    """A function of the host's that raises for somebody who is asked as."""
    # People are found first: their loader may be what raises.
    hooks, asked = case.state.hooks, case.sample
    if case.unloaded is not None and not case.follows(case.unloaded[1]):
        reference, error = case.unloaded
        yield _raised("The loader of callers", reference, error)
    calls: tuple[tuple[str, str, t.Any, cabc.Callable[[t.Any], t.Any]], ...] = (
        (
            "@janela.permission",
            "f(caller, action, subject)",
            hooks.permission,
            lambda who: [case.state.may(who, action) for action in ("view", "roster")],
        ),
        ("@janela.owner", "f(caller)", hooks.owner, lambda who: owner_for(hooks, who)),
        (
            "@janela.timezone or @janela.locale",
            "f(caller)",
            hooks.timezone or hooks.locale,
            _reader_of(case),
        ),
    )
    for name, called, hook, call in calls:
        if hook is None:
            continue
        for person in asked:
            error_ = _error_of(case, call, person)
            if error_ is not None:
                yield _raised(name, person.reference, error_, called)
                break


def _reader_of(case: Case) -> cabc.Callable[[t.Any], t.Any]:
    cannot = case.faults or case.state.hooks.scope is None
    return lambda who: None if cannot else case.state.reader(who)


def _error_of(case: Case, call: cabc.Callable[[t.Any], t.Any], person: Person) -> Exception | None:
    try:
        call(person.caller)
    except Exception as error:
        case.state.db.session.rollback()
        failed = outcome_of(error, case.state.hooks.denied) == "failed"
        return error if failed and not case.follows(error) else None
    return None


def _raised(what: str, reference: str, error: Exception, called: str = "f(identity)") -> Finding:
    said = error.message if isinstance(error, JanelaError) else first_line(error)
    return Finding(
        "hook-raises",
        "error",
        f"{what}, asked about {reference}, raises {type(error).__name__}: {said.rstrip('.')}.",
        "Let it answer for everybody who can sign in: no page of theirs can be opened. It is "
        f"called as {called}.",
    )


def no_owner_hook(case: Case) -> cabc.Iterator[Finding]:
    """The scope filters frames by their owner, and nobody sets one."""
    if case.state.hooks.owner is not None or case.state.hooks.scope is None:
        return
    for person in (*case.sample, None):
        caller = None if person is None else person.caller
        try:
            with case.state.db.session.no_autoflush:
                statement = scope_of(case.state.hooks.scope, Frame, caller)
        except Exception:
            # That is a finding of its own: see the module of scopes.
            case.state.db.session.rollback()
            continue
        if _by_owner(statement):
            yield Finding(
                "no-owner-hook",
                "warning",
                "The scope filters frames by their owner, and there is no @janela.owner: what "
                "somebody makes belongs to nobody, and may not be shown to them.",
                "Register @janela.owner above def owner(caller), answering the (type, id) that "
                "the scope looks for.",
            )
            return


def _by_owner(statement: t.Any) -> bool:
    """Whether a statement's conditions read the columns of a frame's owner."""
    conditions: list[t.Any] = []
    for element in visitors.iterate(statement):
        if isinstance(element, sa.Select) and element.whereclause is not None:
            conditions.append(element.whereclause)
        if isinstance(element, sa.Join):
            conditions.append(element.onclause)
    columns = (each for condition in conditions for each in visitors.iterate(condition))
    return any(
        isinstance(each, sa.Column)
        and each.name in _OWNER
        and each.table.name == Frame.__tablename__
        for each in columns
    )


def pages_nobody_may_open(case: Case) -> cabc.Iterator[Finding]:
    """Whoever signs in is refused."""
    everybody, all_there_are = case.people
    if case.state.hooks.permission is None or not all_there_are or not everybody:
        return
    if any(_may(case, each, "view") for each in everybody):
        return
    yield Finding(
        "pages-nobody-may-open",
        "error",
        f"@janela.permission refuses view to each of the {len(everybody):,} users there are, so "
        "nobody can open a page or call a tool.",
        'Answer True for the action "view" to whoever may; a function that ends without return '
        "refuses.",
    )


def roster_nobody_may_see(case: Case) -> cabc.Iterator[Finding]:
    """Calls are recorded, and there is nobody who may look at them."""
    if case.state.config.recorder == "off":
        return
    fix = (
        'Grant the action "roster" to whoever runs this, in @janela.permission; or set '
        'JANELA_RECORDER="off".'
    )
    if case.state.hooks.permission is None:
        what = (
            "Calls of tools are recorded, and nobody may see the roster: there is no "
            "@janela.permission to grant it."
        )
        yield Finding("roster-nobody-may-see", "warning", what, fix)
        return
    everybody, all_there_are = case.people
    if not all_there_are or any(_may(case, each, "roster") for each in everybody):
        return
    yield Finding(
        "roster-nobody-may-see",
        "warning",
        "Calls of tools are recorded, and nobody may see the roster: @janela.permission refuses "
        f"it to each of the {len(everybody):,} users there are.",
        fix,
    )


def _may(case: Case, person: Person, action: Action) -> bool:
    try:
        return case.state.may(person.caller, action)
    except Exception:
        # A finding of its own; whoever it would answer for is not known.
        case.state.db.session.rollback()
        return True
