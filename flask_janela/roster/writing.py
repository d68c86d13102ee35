"""Calls into rows: texts that every database takes, none too long, and none with a value."""

from __future__ import annotations

import collections.abc as cabc
import datetime as dt
import typing as t

import sqlalchemy as sa

from ..calls import OUTCOMES, Call, redacted
from ..errors import printable
from ..words import say
from . import marks
from .histogram import bucket_of
from .models import LENGTHS, ToolCall
from .periods import hour_of, naive

Row = dict[str, t.Any]

_TABLE = t.cast("sa.Table", ToolCall.__table__)


def row_of(call: Call) -> Row:
    """A call as it is kept.

    Whoever made it has taken every value out of its error text; here it is done again, since
    what is written stays.
    """
    if call.outcome not in OUTCOMES:
        raise ValueError(f"{call.outcome!r} is no outcome")
    started = naive(call.started)
    duration = max(float(call.duration), 0.0)
    text = None if call.error_text is None else redacted(call.error_text)
    return {
        "hour": hour_of(started),
        "started": started,
        "duration": duration,
        "bucket": bucket_of(duration),
        "tool": _text("tool", call.tool) or "?",
        "tool_group": _text("tool_group", call.group),
        "outcome": call.outcome,
        "unknown": bool(call.unknown),
        "forged": bool(call.forged),
        "agent": _text("agent", call.agent),
        "client": _text("client", call.client),
        "client_version": _text("client_version", call.client_version),
        "transport": _text("transport", call.transport),
        "caller": _text("caller", call.caller) or None,
        "error_class": _text("error_class", call.error_class) or None,
        "error_text": _text("error_text", text) or None,
        "correlation": _text("correlation", call.correlation) or None,
    }


def _text(column: str, given: str | None) -> str:
    """At most as many characters as the column has, all of them printable."""
    if given is None:
        return ""
    if given.isascii() and given.isprintable() and len(given) <= LENGTHS[column]:
        return given.strip()
    return printable(str(given))[: LENGTHS[column]].strip()


def write(
    connection: sa.Connection, rows: cabc.Sequence[Row], since: dt.datetime | None
) -> dt.datetime:
    """Write rows within a transaction that has just begun, stamped with the database's second.

    Args:
        since: when recording began, as far as is known.

    Returns:
        When it began: never after the first call that there is.
    """
    marks.begin_writing(connection)
    second = marks.database_now(connection)
    if rows:
        connection.execute(sa.insert(_TABLE), [{**row, "written": second} for row in rows])
    now = dt.datetime.now(dt.UTC)
    first = min((row["started"] for row in rows), default=naive(now)).replace(tzinfo=dt.UTC)
    if since is not None and since <= first:
        return since
    marks.ensure(connection, "since", naive(first))
    marks.bring_forward(connection, "since", naive(first))
    return began(connection) or first


def began(connection: sa.Connection) -> dt.datetime | None:
    """When recording began."""
    return marks.read(connection).at("since")


LOCKED = say("The database is locked by somebody else.")

_TOLD = (
    ("no such table", "missing"),
    ("doesn't exist", "missing"),
    ("does not exist", "missing"),
    ("no such column", "changed"),
    ("unknown column", "changed"),
    ("has no column", "changed"),
    ("readonly", say("The database is read only.")),
    ("read-only", say("The database is read only.")),
    ("read only", say("The database is read only.")),
    ("full", say("The database is full.")),
    ("no space left", say("The database is full.")),
    ("locked", LOCKED),
    ("timeout", say("The database does not answer in time.")),
    ("connect", say("The database cannot be reached.")),
    ("unable to open", say("The database cannot be opened.")),
)
"""What a database's message says, by words that are in it. The message itself may hold values."""


def told(error: BaseException) -> str:
    """Why calls cannot be written or read, in a sentence without anything from the database."""
    said = str(getattr(error, "orig", None) or error).lower()
    why = next((why for words, why in _TOLD if words in said), "")
    if why == "missing":
        return say("Janela's tables are missing: run flask janela init, or your next migration.")
    if why == "changed":
        return say(
            "Janela's tables are of another version: run your next migration, or "
            "flask janela upgrade."
        )
    return why or say(
        "The database answered with a {error}; the log has the rest.", error=type(error).__name__
    )
