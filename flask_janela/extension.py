"""``Janela``: what a host creates once, hangs its functions on, and gives its applications to."""

from __future__ import annotations

import collections.abc as cabc
import functools
import typing as t

import flask
import flask_sqlalchemy

from . import caller as callers
from .cli import janela as commands
from .config import Config
from .errors import JanelaError, Unauthenticated
from .frames.models import join_metadata
from .hooks import Hooks
from .pages.blueprint import blueprint
from .query.scope import require_scope
from .registry import Registry
from .roster import Recorder
from .state import State, current_state
from .tools import Tool, Tools, definitions, tools_for, tools_for_ref
from .tools.declared import declared_tools, for_the_roster
from .vocabulary import Catalogue

if t.TYPE_CHECKING:
    from .query.reader import Reader
    from .query.record import RecordPage
    from .query.result import Result


class Janela(Registry):
    """The extension.

    One object serves any number of applications; it holds the host's functions and nothing
    about any application. ::

        janela = Janela()

        @janela.scope
        def scope(model, caller):
            return select(model).where(model.owner_id == caller.id)

        janela.init_app(app, db)
    """

    def __init__(
        self, app: flask.Flask | None = None, db: flask_sqlalchemy.SQLAlchemy | None = None
    ) -> None:
        self._hooks = Hooks()
        if app is not None:
            if db is None:
                raise JanelaError(
                    "Janela(app) needs the application's SQLAlchemy too: Janela(app, db)."
                )
            self.init_app(app, db)

    def init_app(self, app: flask.Flask, db: flask_sqlalchemy.SQLAlchemy) -> None:
        """Give an application its pages, tables and commands.

        Args:
            app: the application; its ``JANELA_*`` keys are read now.
            db: the Flask-SQLAlchemy extension, initialised for the application already or
                later.

        Raises:
            JanelaError: when the application has a Janela already.
        """
        if "janela" in app.extensions:
            raise JanelaError(
                f"A Janela is already registered on the Flask application {app.name!r}. Did you "
                "call init_app twice, or Janela(app, db) and init_app? Call it once."
            )
        config = Config.read(app.config)
        recorder = Recorder(app, lambda: db.engine, config)
        state = State(config=config, hooks=self._hooks, db=db, recorder=recorder)
        state.declared_tools = functools.partial(for_the_roster, state)
        app.extensions["janela"] = state
        join_metadata(db.metadata)
        app.register_blueprint(blueprint(config))
        app.cli.add_command(commands)
        app.before_request(_check_declarations)

    def serves(self, app: flask.Flask) -> bool:
        """Whether an application was given to this very Janela."""
        state = app.extensions.get("janela")
        return isinstance(state, State) and state.hooks is self._hooks

    def check(self) -> Catalogue:
        """Bind and check every declaration now rather than at the first request.

        Raises:
            DeclarationError: for those that cannot work, with a fix for each.
        """
        state = current_state()
        declared_tools(state)
        return state.catalogue

    def reader(self, caller: t.Any, *, allow_anonymous: bool = False) -> Reader:
        """A reading on behalf of one caller, for one request, call or job.

        Raises:
            Unscoped: when no scope function is registered.
            Unauthenticated: for nobody (None, or Flask-Login's anonymous user), unless allowed.
        """
        state, person = current_state(), callers.unwrapped(caller)
        if person is None and not allow_anonymous:
            require_scope(state.hooks.scope)
            raise Unauthenticated("nobody is signed in")
        return state.reader(person)

    def ask(
        self,
        model: str,
        measure: str,
        *,
        caller: t.Any,
        by: str | None = None,
        filters: cabc.Mapping[str, t.Any] | None = None,
        granularity: str | None = None,
        limit: int | None = None,
        other: bool = False,
        order: str | None = None,
        companions: cabc.Sequence[str] = (),
        allow_anonymous: bool = False,
    ) -> Result:
        """Answer a question as one caller may see it. ::

            janela.ask("flights", "average_delay", by="airline",
                       filters={"scheduled.gte": "2013-06-01"}, caller=user)

        Args:
            model, measure, by: public names; ``by`` is a dimension.
            caller: who asks; there is no default.
            filters: ``[model.]dimension[.operator]`` with a value or a list of them.
            granularity: the interval of a time dimension; its declared one by default.
            limit: the most members, 1 to 1000; 1000 by default. Of time, the first so many.
            other: whether members beyond the limit become one row "Other". Not for time.
            order: ``-value`` (the default), ``value``, ``label`` or ``natural``. Time is always
                chronological.
            companions: up to three further measures, or dimensions that a row shares.
            allow_anonymous: let nobody ask too; the scope is then given None.

        Raises:
            NotFound: for a name that does not exist for the caller.
            BadRequest: for an option or filter that cannot be, in words.
            Unauthenticated: for nobody (None, or Flask-Login's anonymous user).
            Unscoped: when no scope function is registered.
        """
        from .query.asking import answer

        reader = self.reader(caller, allow_anonymous=allow_anonymous)
        options = {
            "model": model,
            "measure": measure,
            "dimension": by,
            "granularity": granularity,
            "limit": limit,
            "other": other,
            "order": order,
            "companions": list(companions),
        }
        return answer(reader, options, filters or {})

    def tools_for(
        self,
        caller: t.Any,
        *,
        write: bool = False,
        agent: str | None = None,
        allow_anonymous: bool = False,
    ) -> Tools:
        """The tools with which an agent acts for one caller, and for nobody else. ::

            tools = janela.tools_for(current_user)
            for tool in tools:
                ...  # tool.name, tool.description, tool.input_schema
            answer = tools.call("read_measure", {"model": "flights", "measure": "late"})

        They belong to that person on whatever thread they are called, in a request or not. A
        person who is a row of a model is loaded anew at every call.

        Args:
            write: whether tools that change something are among them.
            agent: which agent they are for, as it shall stand in the roster.
            allow_anonymous: let nobody call too; the scope is then given None.

        Raises:
            Unscoped: when no scope function is registered.
        """
        return tools_for(caller, write=write, agent=agent, allow_anonymous=allow_anonymous)

    def tools_for_ref(
        self, reference: str, *, write: bool = False, agent: str | None = None
    ) -> Tools:
        """The tools of the caller that a reference names, for a worker elsewhere.

        The person is loaded anew at every call; for one who is gone or inactive every call is
        refused as ``caller_gone``.

        Raises:
            Unscoped: when no scope function is registered.
        """
        return tools_for_ref(reference, write=write, agent=agent)

    def tool_definitions(self, *, write: bool = False) -> list[Tool]:
        """The tools without a caller, for libraries that register before anyone asks.

        Raises:
            Unscoped: when no scope function is registered.
        """
        return definitions(write=write)

    def records(
        self,
        model: str,
        *,
        caller: t.Any,
        filters: cabc.Mapping[str, t.Any] | None = None,
        measure: str | None = None,
        limit: int = 25,
        cursor: str | None = None,
        allow_anonymous: bool = False,
    ) -> RecordPage:
        """One page of a model's single rows, of those that one caller may see. ::

            page = janela.records("flights", measure="cancelled",
                                  filters={"airline": "Delta Air Lines Inc."}, caller=user)

        Args:
            model: the public name of a model that declares ``Records``.
            caller: who asks; there is no default.
            filters: ``[model.]dimension[.operator]`` with a value or a list of them.
            measure: keep only the rows that count into this measure.
            limit: the most rows, 1 to 100.
            cursor: ``next`` or ``previous`` of another page.
            allow_anonymous: let nobody ask too; the scope is then given None.

        Raises:
            NotFound: for a name that does not exist for the caller, and where rows are not shown.
            BadRequest: for a filter, limit or cursor that cannot be, in words.
            Unauthenticated: for nobody (None, or Flask-Login's anonymous user).
            Unscoped: when no scope function is registered.
        """
        from .query.records import find

        reader = self.reader(caller, allow_anonymous=allow_anonymous)
        return find(reader, model, filters, measure=measure, limit=limit, cursor=cursor)

    @property
    def recorder(self) -> Recorder:
        """What records calls in the current application; ``status()`` says whether it is well."""
        return t.cast("Recorder", current_state().recorder)

    def caller_ref(self, caller: t.Any) -> str | None:
        """A reference to a caller that can be stored or sent to a worker: ``user:42``."""
        return callers.caller_ref(caller)

    def load_caller(self, reference: str) -> t.Any:
        """The caller that a reference names, loaded anew.

        Raises:
            CallerGone: when they no longer exist or are inactive.
        """
        return callers.load_caller(reference, current_state().hooks)


def _check_declarations() -> None:
    """Before every request: the declarations are bound, or the application says why not."""
    current_state().catalogue  # noqa: B018 (bound at the first use)
