"""Whether calls of tools are kept."""

from __future__ import annotations

import collections.abc as cabc
import datetime as dt
import typing as t

import sqlalchemy as sa
from sqlalchemy.pool import StaticPool

from ..calls import Call
from ..roster import Recorder, ToolCall, ToolMark, marks, writing
from .case import Case
from .finding import Finding


def losing_calls(case: Case) -> cabc.Iterator[Finding]:
    """Calls that were dropped lately, and a database that takes none now."""
    if case.state.config.recorder == "off" or not case.there(ToolCall, ToolMark):
        return
    engine = t.cast("sa.Engine", case.own.engine)
    with engine.connect() as connection:
        known = marks.read(connection)
    here = t.cast("Recorder", case.state.recorder).status().dropped
    last = known.at("dropped")
    lately = case.state.now() - dt.timedelta(days=case.state.config.calls_days)
    if here or (known.value("dropped") and last is not None and last >= lately):
        lost = max(known.value("dropped"), here)
        when = f", the last on {last:%Y-%m-%d at %H:%M} UTC" if last is not None else ""
        yield Finding(
            "recorder-losing-calls",
            "warning",
            f"{lost:,} calls of tools could not be written{when}. The roster counts without them.",
            "Look in the log for “Calls of tools cannot be written” at that time. The queue holds "
            'those of a database that is away for minutes; JANELA_RECORDER="direct" writes each in '
            "the call itself.",
        )
    if (why := _refused(engine)) is not None:
        yield Finding(
            "recorder-losing-calls",
            "error",
            f"A call of a tool cannot be written: {why}",
            "Let the user of the default database insert, update and delete in Janela's own "
            'tables, or set JANELA_RECORDER="off".',
        )


def _refused(engine: sa.Engine) -> str | None:
    """Why a call cannot be written, tried and taken back; None where it can."""
    if isinstance(engine.pool, StaticPool):
        return None  # The one connection may have work of somebody else's, and is in memory.
    moment = dt.datetime.now(dt.UTC)
    call = Call(tool="doctor", group="", outcome="ok", started=moment, duration=0.0)
    try:
        with engine.connect() as connection:
            transaction = connection.begin()
            try:
                writing.write(connection, [writing.row_of(call)], moment)
            finally:
                transaction.rollback()
    except sa.exc.SQLAlchemyError as error:
        return writing.told(error)
    return None
