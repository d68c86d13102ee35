"""``Janela``: what a host creates once, hangs its functions on, and gives its applications to."""

from __future__ import annotations

import collections.abc as cabc
import typing as t

import flask
import flask_sqlalchemy

from . import caller as callers
from .cli import janela as commands
from .config import Config
from .errors import JanelaError, Unauthenticated, quoted
from .frames import Base
from .hooks import Hooks
from .pages.blueprint import blueprint
from .query import Reader, Result, answer
from .query.scope import require_scope
from .roster import Recorder
from .state import State, current_state
from .vocabulary import Catalogue, VocabularyType

Function = t.TypeVar("Function", bound=cabc.Callable[..., t.Any])


class Janela:
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
        app.extensions["janela"] = state
        for table in Base.metadata.sorted_tables:
            if table.name not in db.metadata.tables:
                table.to_metadata(db.metadata)
        app.register_blueprint(blueprint(config))
        app.cli.add_command(commands)
        app.before_request(_check_declarations)

    # what the host says

    def scope(self, function: Function) -> Function:
        """Register ``f(model, caller)``: a select of the rows of ``model`` the caller may read.

        Required. It is asked anew for every model at every request, call and job.
        """
        return self._register("scope", function)

    def permission(self, function: Function) -> Function:
        """Register ``f(caller, action, subject)``: whether the caller may.

        The actions are view, arrange, snapshot, export and roster. Without it whoever is signed
        in may do all but see the roster.
        """
        return self._register("permission", function)

    def owner(self, function: Function) -> Function:
        """Register ``f(caller)``: the ``(type, id)`` that owns what the caller creates, or None."""
        return self._register("owner", function)

    def current_caller(self, function: Function) -> Function:
        """Register ``f()``: who asks in this request, for hosts without Flask-Login."""
        return self._register("current_caller", function)

    def caller_loader(self, function: Function) -> Function:
        """Register ``f(identity)``: the caller of a reference's identity, or None.

        Without it Flask-Login's ``user_loader`` is asked.
        """
        return self._register("caller_loader", function)

    def timezone(self, function: Function) -> Function:
        """Register ``f(caller)``: the IANA name of the zone that a caller reads in."""
        return self._register("timezone", function)

    def locale(self, function: Function) -> Function:
        """Register ``f(caller)``: the name of the locale that a caller reads in."""
        return self._register("locale", function)

    def describe(self, model: type, vocabulary: VocabularyType) -> None:
        """Declare the vocabulary of a model that somebody else owns.

        Raises:
            JanelaError: when the model is described already.
        """
        if model in self._hooks.described:
            raise JanelaError(f"{model.__name__} is described already; describe it once.")
        self._hooks.described[model] = vocabulary

    def _register(self, hook: str, function: Function) -> Function:
        earlier = getattr(self._hooks, hook)
        if earlier is not None and earlier is not function:
            raise JanelaError(
                f"@janela.{hook} is registered twice, as {_named(earlier)} and "
                f"{_named(function)}; keep one."
            )
        setattr(self._hooks, hook, function)
        return function

    # what the host asks

    def check(self) -> Catalogue:
        """Bind and check every declaration now rather than at the first request.

        Raises:
            DeclarationError: for the first that cannot work.
        """
        return current_state().catalogue

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

    @property
    def recorder(self) -> Recorder:
        """The recorder of the current application: its ``status()`` says whether it is well."""
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


def _named(function: t.Any) -> str:
    return quoted(getattr(function, "__qualname__", function))


def _check_declarations() -> None:
    """Before every request: the declarations are bound, or the application says why not."""
    current_state().catalogue  # noqa: B018 (bound at the first use)
