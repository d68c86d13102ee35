"""All checks in their order, and the report that comes of them."""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import typing as t

import flask
import sqlalchemy as sa

from ..caller import load_caller
from ..errors import CallerGone
from ..state import current_state
from . import people, recording, rows, scopes, settings, speed, tables, zones
from .case import Case, Person, first_line
from .finding import LEVELS, Finding

Check = cabc.Callable[[Case], cabc.Iterable[Finding]]


def _broken_declarations(case: Case) -> cabc.Iterator[Finding]:
    """Declarations that cannot work, each with the fix in its own words."""
    for fault in case.faults:
        yield Finding(
            "broken-declarations",
            "error",
            fault,
            "Mend it, and see what flask janela check says then.",
        )


def _nothing_declared(case: Case) -> cabc.Iterator[Finding]:
    """No model may be asked anything."""
    if not case.faults and not case.models:
        yield Finding(
            "nothing-declared",
            "warning",
            "No model declares a vocabulary, so nothing may be asked.",
            "Write class Janela(Vocabulary) in a model, or janela.describe(Model, …) beside one; "
            "it must be imported before the first request.",
        )


def _not_checked(case: Case) -> cabc.Iterator[Finding]:
    """Nobody could be asked as. What the database cuts short is added as it happens."""
    if case.state.hooks.scope is not None and not case.sample:
        yield Finding(
            "not-checked",
            "note",
            "The scope was asked as nobody only: there is no user in the database, and no frame or "
            "call that names one.",
            "flask janela doctor --as user:42",
        )


CHECKS: dict[str, Check] = {
    "unknown-setting": settings.unknown_setting,
    "unreachable-database": tables.unreachable,
    "missing-tables": tables.missing_tables,
    "missing-columns": tables.missing_columns,
    "broken-declarations": _broken_declarations,
    "nothing-declared": _nothing_declared,
    "no-scope": scopes.no_scope,
    "scope-raises": scopes.raises,
    "scope-returns-wrong-thing": scopes.wrong_thing,
    "no-authentication": people.no_authentication,
    "hook-raises": people.hook_raises,
    "no-owner-hook": people.no_owner_hook,
    "pages-nobody-may-open": people.pages_nobody_may_open,
    "roster-nobody-may-see": people.roster_nobody_may_see,
    "undeclared-rows": rows.undeclared_rows,
    "slow-filters": speed.slow_filters,
    "time-zone-tables": zones.time_zone_tables,
    "recorder-losing-calls": recording.losing_calls,
    "not-checked": _not_checked,
}
"""Every check by the name of what it finds, in the order in which things are best mended.

A report has the errors first, then the warnings, then the notes, each in this order.
"""


@dataclasses.dataclass(frozen=True)
class Report:
    """What was seen.

    Attributes:
        asked_as: the references of those on whose behalf the scope was asked, besides nobody.
        silenced: the checks that were left out, by ``JANELA_SILENCED_CHECKS``.
    """

    findings: tuple[Finding, ...]
    asked_as: tuple[str, ...]
    silenced: tuple[str, ...]

    def count(self, level: str) -> int:
        """How many findings there are of one level."""
        return sum(each.level == level for each in self.findings)

    def as_dict(self) -> dict[str, t.Any]:
        """The report as plain data, for JSON."""
        return {
            "schema_version": 1,
            "errors": self.count("error"),
            "warnings": self.count("warning"),
            "notes": self.count("note"),
            "findings": [dataclasses.asdict(each) for each in self.findings],
            "asked_as": list(self.asked_as),
            "silenced": list(self.silenced),
        }


def examine(app: flask.Flask, *, as_: str | None = None) -> Report:
    """Look at an application, within a context of its own. Nothing is changed.

    Args:
        as_: the reference of whom to ask as, such as ``user:42``; otherwise people are looked for
            in Janela's own rows and in the users of the database.

    Raises:
        CallerGone: when that reference is nobody's.
    """
    with app.app_context():
        state = current_state()
        case = Case(app, state)
        if as_ is not None:
            _find(case, as_)
        silenced = state.config.silenced_checks
        found: list[Finding] = []
        for name, check in CHECKS.items():
            if name not in silenced:
                found += _checked(case, name, check)
        found.sort(key=lambda each: LEVELS.index(each.level))
        return Report(
            tuple(each for each in found if each.name not in silenced),
            tuple(each.reference for each in case.sample),
            tuple(name for name in CHECKS if name in silenced),
        )


def _find(case: Case, reference: str) -> None:
    """Ask as one person; where the host's loader raises, that is a finding."""
    try:
        case.given = Person(reference, load_caller(reference, case.state.hooks))
    except CallerGone:
        raise
    except Exception as error:
        case.unloaded = (reference, error)


def _checked(case: Case, name: str, check: Check) -> list[Finding]:
    """What one check finds; where the database cuts it short that is a finding too."""
    try:
        return list(check(case))
    except (sa.exc.SQLAlchemyError, NotImplementedError) as error:
        return [
            Finding(
                "not-checked",
                "warning",
                f"The database did not let {name} be looked at: {first_line(error)}",
                f'Mend that, or leave it out: JANELA_SILENCED_CHECKS = ["{name}"]',
            )
        ]
    finally:
        _forget(case)


def _forget(case: Case) -> None:
    """Leave no transaction open behind a check."""
    if case.own.engine is not None:
        case.state.db.session.rollback()
