"""Whether there is a scope, and what it answers: to nobody, and to people of this application."""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import functools
import typing as t
import weakref

import flask
import sqlalchemy as sa

from ..calls import outcome_of
from ..errors import Unscoped, listed
from ..frames import Frame
from ..query.scope import narrow, require_scope, scope_of
from ..roster import ToolCall
from .case import Case, Person, first_line
from .finding import Finding

NOTHING: t.Any = sa.text("1 = 0")
"""No row, said so that the database reads the rest of the statement all the same."""


@dataclasses.dataclass(frozen=True, slots=True)
class Fault:
    """What the scope did wrong when it was asked.

    Attributes:
        person: on whose behalf; None for nobody.
        in_request: whether the same went well within a request of theirs.
        statement: whether it is the statement that fails, in the database.
    """

    model: type
    person: Person | None
    error: Exception
    in_request: bool = False
    statement: bool = False

    @property
    def wrong_thing(self) -> bool:
        return isinstance(self.error, Unscoped)


def no_scope(case: Case) -> cabc.Iterator[Finding]:
    """Nothing says what a caller may read."""
    try:
        require_scope(case.state.hooks.scope)
    except Unscoped as error:
        yield Finding(
            "no-scope",
            "error",
            error.message.partition(" Write ")[0],
            "Write one: @janela.scope above def scope(model, caller), answering select(model) "
            "with what narrows it to the caller.",
        )


def raises(case: Case) -> cabc.Iterator[Finding]:
    """A scope that raises."""
    faults = [each for each in faults_of(case) if not each.wrong_thing]
    for fault in _first_of_each_model(faults):
        yield Finding(
            "scope-raises",
            "error",
            f"The scope of {fault.model.__name__}, asked as {_who(fault)}, "
            f"{'answers with a statement that fails' if fault.statement else 'raises'} "
            f"{_said(fault.error)}.",
            _advice(fault),
        )
    yield from _nobody(
        "scope-raises",
        faults,
        "raises",
        "Nothing to do, unless you build tools with allow_anonymous=True: answer for a caller "
        "of None then, such as with select(model).where(sqlalchemy.false()).",
    )


def wrong_thing(case: Case) -> cabc.Iterator[Finding]:
    """A scope that answers with something else than a select of the model."""
    faults = [each for each in faults_of(case) if each.wrong_thing]
    for fault in _first_of_each_model(faults):
        what, _, fix = t.cast("Unscoped", fault.error).message.partition("; ")
        yield Finding(
            "scope-returns-wrong-thing",
            "error",
            f"{what} (asked as {_who(fault)}).",
            f"{fix[:1].upper()}{fix[1:]}",
        )
    yield from _nobody(
        "scope-returns-wrong-thing",
        faults,
        "answers with no select",
        "Nothing to do, unless you build tools with allow_anonymous=True: answer with "
        "select(model).where(sqlalchemy.false()) for a caller of None then.",
    )


def _first_of_each_model(faults: list[Fault]) -> cabc.Iterator[Fault]:
    found: dict[type, Fault] = {}
    for fault in faults:
        if fault.person is not None:
            found.setdefault(fault.model, fault)
    yield from found.values()


def _nobody(name: str, faults: list[Fault], does: str, fix: str) -> cabc.Iterator[Finding]:
    """A note on what happens for nobody, who by default is refused before the scope is asked."""
    somebody = {fault.model for fault in faults if fault.person is not None}
    nobody = [each for each in faults if each.person is None and each.model not in somebody]
    if nobody:
        models = listed(each.model.__name__ for each in nobody)
        error = nobody[0].error
        why = "" if nobody[0].wrong_thing else f" ({_said(error)})"
        yield Finding(
            name,
            "note",
            f"The scope of {models}, asked as nobody, {does}{why}. So nobody reads anything.",
            fix,
        )


def _who(fault: Fault) -> str:
    return "nobody" if fault.person is None else fault.person.reference


def _said(error: Exception) -> str:
    said = first_line(error)
    kind = type(error).__name__
    return kind if said == kind else f"{kind}: {said}"


def _advice(fault: Fault) -> str:
    if fault.in_request:
        return (
            "Go by the caller that the scope is given. Within a request of theirs it answers, so "
            "it reads current_user, session or the request; tools, jobs and commands have none."
        )
    if fault.model is Frame or fault.model is ToolCall:
        return (
            f"Answer for Janela's own {fault.model.__name__} too: with select(model) and what "
            "narrows it, or .where(sqlalchemy.false()) for those who may see none."
        )
    return (
        f"Mend the scope function for {fault.model.__name__}. To refuse, answer with "
        "select(model).where(sqlalchemy.false()), or raise flask_janela.Refused."
    )


_found: weakref.WeakKeyDictionary[Case, list[Fault]] = weakref.WeakKeyDictionary()


def faults_of(case: Case) -> list[Fault]:
    """What went wrong with the scope, for everybody who was asked as; asked once for each case."""
    if case not in _found:
        everybody = (None, *case.sample)
        _found[case] = (
            []
            if case.state.hooks.scope is None
            else [fault for person in everybody for fault in _faults(case, person)]
        )
    return _found[case]


def _faults(case: Case, person: Person | None) -> cabc.Iterator[Fault]:
    for model in _models(case, person):
        ask = functools.partial(_ask, case, model, person)
        found = ask()
        if found is None:
            continue
        if person is not None and not found.statement and _within_request(case, person, ask):
            found = dataclasses.replace(found, in_request=True)
        yield found


def _models(case: Case, person: Person | None) -> cabc.Iterator[type]:
    """The models that the scope would be asked for on somebody's behalf."""
    yield from (bound.model for bound in case.models)
    yield Frame
    if person is not None and case.state.config.recorder != "off" and _may_see(case, person):
        yield ToolCall


def _may_see(case: Case, person: Person) -> bool:
    try:
        return case.state.may(person.caller, "roster")
    except Exception:
        # That is a finding of its own: see people.hook_raises.
        return False


def _ask(case: Case, model: type, person: Person | None) -> Fault | None:
    """Ask for one model, and let the database read the statement without reading a row."""
    session = case.state.db.session
    caller = None if person is None else person.caller
    try:
        with session.no_autoflush:
            within = narrow(model, scope_of(case.state.hooks.scope, model, caller))
    except Exception as error:
        session.rollback()
        refused = outcome_of(error, case.state.hooks.denied) != "failed"
        return None if refused or case.follows(error) else Fault(model, person, error)
    if not case.there(model):
        return None
    try:
        session.execute(sa.select(sa.literal(1)).select_from(model).where(NOTHING, *within)).all()
    except sa.exc.SQLAlchemyError as error:
        session.rollback()
        return None if case.follows(error) else Fault(model, person, error, statement=True)
    return None


def _within_request(case: Case, person: Person, ask: cabc.Callable[[], Fault | None]) -> bool:
    """Whether the scope answers when the same person makes a request."""
    with case.app.test_request_context():
        before = flask.g.pop("_login_user", None)
        flask.g._login_user = person.caller
        try:
            return ask() is None
        finally:
            del flask.g._login_user
            if before is not None:
                flask.g._login_user = before
