"""What a host says to its :class:`~flask_janela.Janela`: its functions, its words, its tools."""

from __future__ import annotations

import collections.abc as cabc
import inspect
import typing as t

from .errors import JanelaError, quoted
from .hooks import Hooks
from .vocabulary import VocabularyType

Function = t.TypeVar("Function", bound=cabc.Callable[..., t.Any])


class Registry:
    """Where a host registers its functions, each kind as its own method."""

    _hooks: Hooks

    def scope(self, function: Function) -> Function:
        """Register ``f(model, caller)``: a select of the rows of ``model`` the caller may read.

        Required. It is asked anew for every model at every request, call and job.
        """
        return self._register("scope", function)

    def permission(self, function: Function) -> Function:
        """Register ``f(caller, action, subject)``: True where the caller may, else False.

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

    def denies_with(self, *exceptions: type[Exception]) -> None:
        """Name the host's own exceptions that mean "refused" when a tool raises them.

        Werkzeug's 401 and 403 do already. What they say goes to the log, not to the model: it
        may be about what the caller is not to know. Raise :class:`Refused` to say something.
        """
        for each in exceptions:
            if not (isinstance(each, type) and issubclass(each, Exception)):
                raise JanelaError(f"denies_with takes exception classes, not {quoted(each)}.")
        self._hooks.denied += exceptions

    def before_tool(self, *names: str) -> cabc.Callable[[Function], Function]:
        """Register ``f(caller, tool, arguments)`` to run before those tools, or before all.

        It sees the arguments as the tool will, and refuses by raising.
        """
        if any(not isinstance(name, str) for name in names):
            raise JanelaError('Write @janela.before_tool("add_pane", …), or @janela.before_tool().')

        def register(function: Function) -> Function:
            _require_plain("before_tool", function)
            self._hooks.before_tool.append((frozenset(names), function))
            return function

        return register

    def tool(
        self,
        *wrong: t.Never,
        read_only: bool = True,
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        group: str = "host",
        destructive: bool | None = None,
        idempotent: bool | None = None,
        input_schema: cabc.Mapping[str, t.Any] | None = None,
    ) -> cabc.Callable[[Function], Function]:
        """Make a function of the host's own a tool, in the same list and under the same checks. ::

            @janela.tool(read_only=False)
            def rebook(caller, flight_id: int, reason: str) -> dict:
                \"\"\"Put the passengers of a cancelled flight on the next one.\"\"\"

        The caller is passed first; the schema comes from the annotations, the description from
        the docstring.

        Args:
            read_only: whether it changes nothing; one that does is only there with
                ``write=True``.
            destructive: whether what it changes cannot be had back; by default whatever is not
                read only.
            idempotent: whether twice comes to the same as once; by default whatever is read only.
            input_schema: a JSON schema to tell of the arguments, word for word, instead of the one
                from the annotations; it is the annotations that are kept to. Not every client
                takes references, or choices at the root.

        Raises:
            DeclarationError: here, or at ``check()``, when it cannot be a tool.
        """

        from .tools.host import host_tool

        if wrong:
            raise JanelaError("Write @janela.tool(), or @janela.tool(read_only=False, …).")

        def register(function: Function) -> Function:
            _require_plain("tool", function)
            self._hooks.tools.append(
                host_tool(
                    function,
                    name=name,
                    title=title,
                    description=description,
                    group=group,
                    read_only=read_only,
                    destructive=destructive,
                    idempotent=idempotent,
                    input_schema=input_schema,
                )
            )
            return function

        return register

    def _register(self, hook: str, function: Function) -> Function:
        _require_plain(hook, function)
        earlier = getattr(self._hooks, hook)
        if earlier is not None and earlier is not function:
            raise JanelaError(
                f"@janela.{hook} is registered twice, as {_named(earlier)} and "
                f"{_named(function)}; keep one."
            )
        setattr(self._hooks, hook, function)
        return function


def _require_plain(hook: str, function: t.Any) -> None:
    """Refuse what answers later, or never: what it stands for would not be asked at all."""
    if not callable(function):
        raise JanelaError(f"@janela.{hook} takes a function, not {quoted(function)}.")
    if any(
        is_kind(each)
        for each in (function, getattr(function, "__call__", None))  # noqa: B004 (its code)
        for is_kind in (
            inspect.iscoroutinefunction,
            inspect.isasyncgenfunction,
            inspect.isgeneratorfunction,
        )
    ):
        raise JanelaError(
            f"@janela.{hook} on {_named(function)}: nobody waits for what it answers; write a "
            "plain function, without async or yield."
        )


def _named(function: t.Any) -> str:
    return quoted(getattr(function, "__qualname__", function))
