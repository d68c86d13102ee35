"""What Janela keeps of one application, under ``app.extensions["janela"]``."""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import datetime as dt
import functools
import threading
import typing as t

import babel
import flask
import flask_sqlalchemy

from .calls import Call, DeclaredTool
from .config import Config, locale_named, timezone_named
from .errors import HookError, JanelaError, quoted
from .hooks import Action, Hooks
from .vocabulary import Catalogue, VocabularyType, build

if t.TYPE_CHECKING:
    from .query.reader import Reader

_binding = threading.Lock()


class Records(t.Protocol):
    """What keeps the calls of tools: :class:`~flask_janela.roster.Recorder`."""

    def record(self, call: Call) -> None:
        """Keep one call. Never raises, never waits."""


class _Nowhere:
    """Keeps no call."""

    def record(self, call: Call) -> None:
        pass


@dataclasses.dataclass(eq=False)
class State:
    """One application's Janela: settings, hooks, database and bound vocabularies.

    Attributes:
        now: the moment that relative ranges refer to.
        recorder: where every call of a tool is handed to.
        declared_tools: answers all tools that can be called.
    """

    config: Config
    hooks: Hooks
    db: flask_sqlalchemy.SQLAlchemy
    now: cabc.Callable[[], dt.datetime] = lambda: dt.datetime.now(dt.UTC)
    recorder: Records = dataclasses.field(default_factory=_Nowhere)
    declared_tools: cabc.Callable[[], cabc.Sequence[DeclaredTool]] = tuple

    @functools.cached_property
    def _built(self) -> Catalogue:
        return build([t.cast("t.Any", self.db.Model).registry], self._described())

    def _described(self) -> dict[type, VocabularyType]:
        """The described models, without those of another application's database."""
        return {
            model: vocabulary
            for model, vocabulary in self.hooks.described.items()
            if getattr(model, "__fsa__", self.db) is self.db
        }

    @property
    def catalogue(self) -> Catalogue:
        """The vocabularies, bound and checked at the first use."""
        with _binding:
            return self._built

    @functools.cached_property
    def agents(self) -> Catalogue:
        """The vocabularies as agents may name them."""
        return self.catalogue.for_agents()

    def reader(self, caller: t.Any) -> Reader:
        """A reading on behalf of one caller, for one request, call or job.

        Raises:
            Unscoped: when no scope function is registered.
        """
        from .query.reader import Reader
        from .query.time import Clock

        zone = self.hooks.timezone(caller) if self.hooks.timezone else None
        return Reader(
            caller=caller,
            catalogue=self.catalogue,
            scope=self.hooks.scope,
            session=self.db.session,
            clock=Clock(
                zone=timezone_named(zone, "@janela.timezone") if zone else self.config.timezone,
                week_start=self.config.week_start,
                now=self.now(),
            ),
            locale=self.locale(caller),
            seconds=self.config.statement_seconds,
        )

    def locale(self, caller: t.Any) -> babel.Locale:
        """The hook's locale of a caller, else Flask-Babel's where the host has it, else ours."""
        named = self.hooks.locale(caller) if self.hooks.locale else None
        if named:
            return locale_named(named, "@janela.locale")
        if "babel" in flask.current_app.extensions and flask.has_request_context():
            import flask_babel

            return t.cast("babel.Locale", flask_babel.get_locale() or self.config.locale)
        return self.config.locale

    def may(self, caller: t.Any, action: Action, subject: t.Any = None) -> bool:
        """Whether a caller may do something.

        Without a permission hook, whoever is signed in may do everything but see the roster.

        Raises:
            HookError: when the hook answers neither yes nor no.
        """
        if self.hooks.permission is None:
            return action != "roster"
        answer = self.hooks.permission(caller, action, subject)
        if answer is not None and not isinstance(answer, bool):
            raise HookError(
                f"@janela.permission answered {quoted(answer)} about {action}: answer True or "
                "False; nothing is False."
            )
        return bool(answer)


class NotInitialised(JanelaError):
    """Janela was used in an application that it was never initialised for."""

    code = "not_initialised"


def current_state() -> State:
    """The state of the current application.

    Raises:
        NotInitialised: without an application, or in one that no ``init_app`` has seen.
    """
    if not flask.has_app_context():
        raise NotInitialised(
            "There is no current Flask application. Janela works in a request, a command, or "
            "with app.app_context()."
        )
    state = flask.current_app.extensions.get("janela")
    if state is None:
        raise NotInitialised(
            "This Flask application is not registered with a Janela instance. Did you forget to "
            "call janela.init_app(app, db), or did you create several applications?"
        )
    return t.cast("State", state)
