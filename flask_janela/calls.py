"""One call of a tool and what became of it: where tools make and the roster keeps them.

This is the one place where an outcome is told from an error.

A refusal is not a failure, and neither is a question that was put wrongly: only ``failed`` counts
as an error of the tool.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import re
import typing as t

from werkzeug.exceptions import Forbidden, TooManyRequests, Unauthorized

from .errors import (
    BadRequest,
    CallerGone,
    Conflict,
    NotFound,
    RateLimited,
    Refused,
    Unauthenticated,
    printable,
)

Outcome = t.Literal[
    "ok",
    "invalid",
    "not_found",
    "conflict",
    "refused",
    "unauthenticated",
    "caller_gone",
    "rate_limited",
    "failed",
]

OUTCOMES: tuple[Outcome, ...] = t.get_args(Outcome)

NOT_LET_THROUGH: tuple[Outcome, ...] = (
    "refused",
    "unauthenticated",
    "caller_gone",
    "rate_limited",
)
"""Outcomes that the roster counts together, as refused."""

RAN: frozenset[Outcome] = frozenset({"ok", "failed", "not_found", "conflict"})
"""Outcomes of calls that got to do their work: those that errors and latency are counted over."""

_KINDS: tuple[tuple[type[Exception], Outcome], ...] = (
    (CallerGone, "caller_gone"),
    (Unauthenticated, "unauthenticated"),
    (Unauthorized, "unauthenticated"),
    (Refused, "refused"),
    (Forbidden, "refused"),
    (RateLimited, "rate_limited"),
    (TooManyRequests, "rate_limited"),
    (NotFound, "not_found"),
    (Conflict, "conflict"),
    (BadRequest, "invalid"),
)

MOST_TEXT = 300

# What a message quotes, and every number in it, may come from an argument or a row.
_VALUES = re.compile(r'"[^"]*"?|\'[^\']*\'?|\d[\d.,:-]*')


def outcome_of(error: BaseException | None, denied: tuple[type[Exception], ...] = ()) -> Outcome:
    """The outcome of a call that raised ``error``, or nothing.

    Args:
        denied: the host's own exceptions that mean "refused" (``janela.denies_with``).
    """
    if error is None:
        return "ok"
    if denied and isinstance(error, denied):
        return "refused"
    return next((outcome for kind, outcome in _KINDS if isinstance(error, kind)), "failed")


def redacted(message: str) -> str:
    """A message of Janela's own without any value that somebody gave, in at most 300 characters."""
    text = _VALUES.sub("…", printable(" ".join(message.split())))
    return text if len(text) <= MOST_TEXT else f"{text[: MOST_TEXT - 1]}…"


@dataclasses.dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool, whatever way it came. Neither its arguments nor its answer are here.

    Attributes:
        tool: the name that was asked for; what a stranger wrote, when it is ``unknown``.
        unknown: whether no tool is called that.
        group: the tool's group: ``frames``, a model's name, or the host's own.
        agent: which agent the tools were built for, as the host says.
        client: the name that an MCP client gives itself.
        client_version: and its version.
        transport: how it came: ``python``, ``cli``, ``memory``, ``stdio``, ``http``.
        caller: the reference of whom it acts for; None for nobody.
        outcome: what became of it.
        forged: whether its arguments tried to say who is asking.
        started: when, in UTC.
        duration: how long it took, in milliseconds.
        error_class: the class of what was raised.
        error_text: its message without values; nothing for a crash.
        correlation: the id under which the log has the rest.
    """

    tool: str
    group: str
    outcome: Outcome
    started: dt.datetime
    duration: float
    unknown: bool = False
    agent: str | None = None
    client: str | None = None
    client_version: str | None = None
    transport: str = "python"
    caller: str | None = None
    forged: bool = False
    error_class: str | None = None
    error_text: str | None = None
    correlation: str | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class DeclaredTool:
    """What the roster needs to know of a tool that can be called.

    Attributes:
        title: its name for people.
        group: as :attr:`Call.group` has it.
    """

    name: str
    title: str
    description: str
    read_only: bool
    group: str
