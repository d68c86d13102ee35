"""What happens in one call: who asks, what is asked, who may, the work, and its record."""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import datetime as dt
import logging
import time
import types
import typing as t
import uuid

import sqlalchemy as sa

from ..calls import Call, Outcome, outcome_of, redacted
from ..errors import (
    BadRequest,
    DeclarationError,
    Failed,
    HookError,
    JanelaError,
    NotFound,
    Overrun,
    RateLimited,
    Refused,
    Unauthenticated,
    Unavailable,
    Unscoped,
    listed,
    printable,
    quoted,
)
from ..query.running import is_unavailable
from ..state import State
from . import written
from .declared import named
from .tool import Acting, Answer, Declared, Written

if t.TYPE_CHECKING:
    from .toolset import Tools

log = logging.getLogger(__name__)

_MOST_NAME = 80
_REFUSED = "This caller may not do this."
_NOBODY = "Nobody is signed in who may do this."
_READ_ONLY = " It changes something, and they were built to read: write=True, or --write, adds it."


class NoSuchTool(NotFound):
    """No tool is called that, for this caller."""


def call(state: State, tools: Tools, name: str, arguments: Written | None) -> Answer:
    """See :meth:`Tools.call`."""
    return _Calling(state, tools, name, arguments).answer()


class _Calling:
    """One call on its way."""

    def __init__(self, state: State, tools: Tools, name: str, arguments: t.Any) -> None:
        self.state = state
        self.tools = tools
        self.name = name if isinstance(name, str) else str(name)
        self.arguments = arguments
        self.started = dt.datetime.now(dt.UTC)
        self.begun = time.perf_counter()
        self.correlation = uuid.uuid4().hex[:16]
        self.person: t.Any = None
        self.declared: Declared | None = None
        self.forged = False

    def answer(self) -> Answer:
        raised: BaseException | None = None
        outcome: Outcome = "ok"
        try:
            return self._work()
        except (Unscoped, DeclarationError, HookError) as error:
            raised, outcome = error, "failed"
            raise
        except Exception as error:
            raised, outcome = error, outcome_of(error, self.state.hooks.denied)
            told = self._told(error, outcome)
            if told is error:
                raise
            raise told from error
        except BaseException as error:
            raised, outcome = error, "failed"
            raise
        finally:
            self.state.recorder.record(self._call(outcome, raised))

    def _work(self) -> Answer:
        # Before who asks: the roster keeps a call that is refused under the tool it was meant for.
        self.declared = named(self.state).get(self.name)
        self.person = person = self.tools.load(self.state)
        given = self._given()
        declared = self._allowed(person)
        read_ = self._read(declared, given)
        reader = self.state.reader(person)
        acting = Acting(
            state=self.state,
            reader=reader,
            agents=dataclasses.replace(reader, catalogue=self.state.agents),
            by=self.tools.who.reference,
            most_bytes=self.state.config.tool_bytes,
            tool=declared.tool.name,
            given=given,
        )
        for names, hook in self.state.hooks.before_tool:
            if not names or self.name in names:
                told = types.MappingProxyType(read_.model_dump(exclude_unset=True))
                if (answer := hook(person, self.name, told)) is not None:
                    raise HookError(
                        f"@janela.before_tool answered {quoted(answer)} about {self.name}: it "
                        "refuses by raising, and answers nothing."
                    )
        try:
            return declared.work(acting, read_)
        except BadRequest:
            self._note_forged(given)
            raise

    def _given(self) -> dict[str, t.Any]:
        """The arguments without those that would say who is asking."""
        from .arguments import HostArguments

        given = self.arguments
        if isinstance(given, str):
            try:
                given = written.from_text(given)
            except ValueError:
                given = None
        elif given is None:
            given = {}
        if not isinstance(given, cabc.Mapping):
            raise BadRequest("The arguments must be one object of names and values.")
        reserved = self.state.config.reserved_arguments
        self.forged = any(key in reserved for key in given)
        own = self.declared is not None and not issubclass(self.declared.arguments, HostArguments)
        if not isinstance(given, written.Repeated):
            given = {key: value for key, value in given.items() if key not in reserved}
        found: dict[str, t.Any] = written.plain(given, collects="filters" if own else "")
        return found

    def _allowed(self, person: t.Any) -> Declared:
        """The tool, when it is one of this set and exists for the caller."""
        found = self.declared
        if found is not None and found.visible(self.state, person):
            if self.tools.has(found):
                return found
            why = "" if self.tools.write or found.tool.read_only else _READ_ONLY
            raise Refused(f"{quoted(self.name)} is not among the tools that were given here.{why}")
        here = [
            each.tool.name
            for each in named(self.state).values()
            if self.tools.has(each) and each.visible(self.state, person)
        ]
        raise NoSuchTool(f"{quoted(self.name)} is not a tool; there is {listed(here)}.")

    def _read(self, declared: Declared, given: dict[str, t.Any]) -> t.Any:
        from ..query.question import read

        try:
            return read(declared.arguments, given, "argument")
        except BadRequest:
            self._note_forged(given)
            raise

    def _note_forged(self, given: t.Any) -> None:
        """Remember a caller's name deep in arguments that were refused, unless it is data."""
        reserved = set(self.state.config.reserved_arguments)
        for model in self.state.agents.models.values():
            reserved -= self.state.agents.dimensions(model, self.person).keys()
        self.forged = self.forged or _names_any(given, reserved)

    def _told(self, error: Exception, outcome: Outcome) -> JanelaError:
        """What an error is to whoever called."""
        if isinstance(error, sa.exc.DBAPIError) and is_unavailable(error):
            error = Unavailable()
        if isinstance(error, Overrun | Unavailable):
            log.warning("Tool %s: %s (%s)", quoted(self.name), error.message, self.correlation)
            return error
        if outcome == "failed":
            log.exception("Tool %s failed (%s)", quoted(self.name), self.correlation)
            return Failed(
                f"The tool broke down; the people who run this can look up {self.correlation} in "
                "the log. Asking again may or may not help."
            )
        if isinstance(error, JanelaError):
            return error
        if outcome == "rate_limited":
            return RateLimited(_wait_of(error))
        # The host's own words may say what a caller is not to know.
        log.info("Tool %s was refused: %r (%s)", quoted(self.name), error, self.correlation)
        return Unauthenticated(_NOBODY) if outcome == "unauthenticated" else Refused(_REFUSED)

    def _call(self, outcome: Outcome, error: BaseException | None) -> Call:
        known = self.declared is not None
        own = isinstance(error, JanelaError) and outcome != "failed"
        return Call(
            tool=self.name if known else printable(self.name)[:_MOST_NAME],
            unknown=not known,
            group=self.declared.tool.group if self.declared is not None else "",
            outcome=outcome,
            started=self.started,
            duration=(time.perf_counter() - self.begun) * 1000,
            agent=self.tools.agent,
            client=self.tools.origin.client,
            client_version=self.tools.origin.client_version,
            transport=self.tools.origin.transport,
            caller=self.tools.who.reference,
            forged=self.forged,
            error_class=None if error is None else type(error).__name__,
            error_text=redacted(str(error)) if own else None,
            correlation=self.correlation,
        )


def _wait_of(error: Exception) -> float | None:
    """How many seconds Werkzeug's ``TooManyRequests`` says to wait, if it says."""
    until = getattr(error, "retry_after", None)
    if isinstance(until, dt.datetime):
        return (until - dt.datetime.now(until.tzinfo)).total_seconds()
    return until if isinstance(until, int | float) else None


def _names_any(given: t.Any, names: cabc.Set[str]) -> bool:
    """Whether a key anywhere in some arguments is, or has as a part, one of these names."""
    if isinstance(given, str) and given[:1] in ("{", "["):
        try:
            return _names_any(written.from_text(given), names)
        except ValueError:
            return False
    if isinstance(given, cabc.Mapping):
        return any(
            not names.isdisjoint(str(key).split(".")) or _names_any(value, names)
            for key, value in given.items()
        )
    return isinstance(given, list | tuple) and any(_names_any(each, names) for each in given)
