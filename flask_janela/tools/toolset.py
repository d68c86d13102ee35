"""``Tools``: what one caller's agent may call, and everything that is true of every call.

The caller is bound when the tools are built and is never read from what a model wrote. Every
call works in an application context of its own, on whatever thread it is made: it reads the
caller's scope anew, and neither sees nor touches what a host's session has pending.
"""

from __future__ import annotations

import collections.abc as cabc
import copy
import dataclasses
import typing as t

import flask

from .. import caller as callers
from ..errors import (
    BadRequest,
    DeclarationError,
    JanelaError,
    Unauthenticated,
    Unscoped,
    listed,
    quoted,
)
from ..query.scope import require_scope
from ..state import State, current_state
from . import calling
from .declared import declared_tools, named
from .tool import Answer, Declared, Tool, Written


@dataclasses.dataclass(frozen=True, slots=True)
class Origin:
    """How a call came, for its record."""

    transport: str = "python"
    client: str | None = None
    client_version: str | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Who:
    """Whom tools act for: a person, somebody's reference, or nobody."""

    person: t.Any = None
    reference: str | None = None
    by_reference: bool = False

    def load(self, state: State) -> t.Any:
        """The person as they are now; None for nobody.

        Raises:
            CallerGone: when there is no such person any more, or they are inactive.
        """
        if self.by_reference:
            return callers.load_caller(self.reference or "", state.hooks)
        return None if self.person is None else callers.fresh(self.person, state.db)


@dataclasses.dataclass(frozen=True)
class Tools:
    """The tools of one caller. Iterating gives each :class:`Tool`, in an order that is kept.

    Attributes:
        app: the application they read in.
        write: whether tools that change something are among them.
        agent: which agent they are for, as the host calls it; kept with every call.
    """

    app: flask.Flask = dataclasses.field(repr=False)
    who: Who = dataclasses.field(repr=False)
    write: bool = False
    agent: str | None = None
    allow_anonymous: bool = False
    origin: Origin = Origin()
    names: frozenset[str] | None = None

    def __iter__(self) -> cabc.Iterator[Tool]:
        return iter(self.all())

    def all(self) -> list[Tool]:
        """The tools that there are for this caller.

        Raises:
            Unauthenticated: for nobody, unless they are allowed.
            CallerGone: for a person who is no longer there.
        """
        with self.app.app_context():
            state = current_state()
            person = self.load(state)
            return [
                # A copy, so that what a host does to a schema stays with the host.
                copy.deepcopy(each.tool)
                for each in declared_tools(state)
                if self.has(each) and each.visible(state, person)
            ]

    def call(self, name: str, arguments: Written | None = None) -> Answer:
        """Call a tool on behalf of the caller.

        Args:
            name: the tool's.
            arguments: one mapping, as a model wrote it, or the text of one in JSON. What would
                say who is asking (``JANELA_RESERVED_ARGUMENTS``) is taken out before anything
                sees it.

        Raises:
            BadRequest: for arguments that cannot be, in words that a model can act on.
            NotFound: for what does not exist for this caller, a tool included.
            Refused: for what the caller, or this set of tools, may not do.
            Unauthenticated: for nobody; CallerGone: for a person who is no longer there.
            RateLimited: when the host says that the caller asks too often.
            Conflict: when somebody else changed it meanwhile.
            Failed: when the tool broke down; the log has why.
            Unscoped, DeclarationError: when the host's set-up is at fault.
        """
        with self.app.app_context():
            return calling.call(current_state(), self, name, arguments)

    def run(self, name: str, arguments: Written | None = None) -> Answer:
        """Call a tool and answer in any case, for a loop that shows a model what comes back.

        What :meth:`call` raises comes back as ``{"error": {"code": …, "message": …}}``, so that
        the model can read it, with ``retry_after`` for one that asks too often; a fault of the
        host's set-up is raised.
        """
        try:
            return self.call(name, arguments)
        except (Unscoped, DeclarationError):
            raise
        except JanelaError as error:
            return {"error": error.as_dict()}

    def only(self, *names: str) -> Tools:
        """Some of these tools, for a sub-agent: the same caller, never more than here.

        Raises:
            BadRequest: for a name that is not among these tools.
        """
        with self.app.app_context():
            here = [each.tool.name for each in declared_tools(current_state()) if self.has(each)]
        if missing := [name for name in names if name not in here]:
            raise BadRequest(
                f"{quoted(missing[0])} is not one of these tools; there is {listed(here)}"
            )
        return dataclasses.replace(self, names=frozenset(names))

    def through(
        self, transport: str, client: str | None = None, client_version: str | None = None
    ) -> Tools:
        """The same tools, their calls recorded as having come another way."""
        return dataclasses.replace(self, origin=Origin(transport, client, client_version))

    def answers_with_content(self, name: str) -> bool:
        """Whether a tool answers with :class:`Content`; needs an application context."""
        return named(current_state())[name].tool.content

    def has(self, declared: Declared) -> bool:
        """Whether a tool is in this set, whoever the caller is."""
        tool = declared.tool
        return (self.write or tool.read_only) and (self.names is None or tool.name in self.names)

    def load(self, state: State) -> t.Any:
        """The caller as they are now.

        Raises:
            Unauthenticated: for nobody, unless they are allowed.
            CallerGone: for a person who is no longer there.
        """
        person = self.who.load(state)
        if person is None and not self.allow_anonymous:
            raise Unauthenticated("nobody is signed in")
        return person


def tools_for(
    caller: t.Any, *, write: bool = False, agent: str | None = None, allow_anonymous: bool = False
) -> Tools:
    """See :meth:`flask_janela.Janela.tools_for`."""
    person = callers.unwrapped(caller)
    if isinstance(person, str | bytes | int | float):
        # A user's id, say: by its own attributes a scope would find anybody, or nobody.
        raise BadRequest(
            f"{quoted(caller)} is no caller: give the person themselves, or build the tools by "
            'their reference, tools_for_ref("user:42")'
        )
    reference = None
    if person is not None:
        try:
            reference = callers.caller_ref(person)
        except Unauthenticated:
            # Somebody without an identity can act; their calls name nobody.
            reference = None
    return _build(Who(person, reference), write, agent, allow_anonymous)


def tools_for_ref(reference: str, *, write: bool = False, agent: str | None = None) -> Tools:
    """See :meth:`flask_janela.Janela.tools_for_ref`."""
    if reference is not None and not isinstance(reference, str):
        raise BadRequest(
            f'{quoted(reference)} is no reference: tools_for_ref takes a text such as "user:42", '
            "which caller_ref gives; tools_for takes the person themselves"
        )
    return _build(Who(reference=reference, by_reference=True), write, agent, False)


def definitions(*, write: bool = False) -> list[Tool]:
    """See :meth:`flask_janela.Janela.tool_definitions`."""
    state = current_state()
    require_scope(state.hooks.scope)
    return [
        copy.deepcopy(each.tool) for each in declared_tools(state) if write or each.tool.read_only
    ]


def _build(who: Who, write: bool, agent: str | None, allow_anonymous: bool) -> Tools:
    state = current_state()
    require_scope(state.hooks.scope)
    named(state)
    app = t.cast("t.Any", flask.current_app)._get_current_object()
    return Tools(app, who, write=write, agent=agent, allow_anonymous=allow_anonymous)
