"""Letting go: calls and usage that are old enough, and people who are to be forgotten."""

from __future__ import annotations

import dataclasses
import time
import typing as t

import sqlalchemy as sa

from ..config import Config
from ..frames import Favourite, Frame
from . import folding, marks
from .models import ToolCall, ToolUsage
from .periods import DAY_HOURS, HOUR, day_of

BATCH = 1000
"""Rows that one transaction deletes or changes, so that nobody waits long."""

_ATTEMPTS = 20
"""Times to ask for the lease before somebody else's pass is taken to be a long one."""

FORGOTTEN = "forgotten"
"""What stands where the reference of a caller was."""


@dataclasses.dataclass(frozen=True, slots=True)
class Pruned:
    """How many rows were let go; ``held`` is False when another process was at it."""

    calls: int = 0
    hours: int = 0
    days: int = 0
    held: bool = True


def prune(
    engine: sa.Engine,
    config: Config,
    holder: str,
    *,
    now: int | None = None,
) -> Pruned:
    """Fold, then delete what is older than the configuration keeps, in small batches.

    Single calls go hour by hour, usage by whole UTC days; what is not folded yet stays.
    """
    for attempt in range(_ATTEMPTS):
        if folding.fold(engine, holder, now=now).held:
            break
        if attempt + 1 == _ATTEMPTS:
            return Pruned(held=False)
        time.sleep(0.2)
    with engine.begin() as connection:
        marks.begin_writing(connection)
        moment = marks.database_now(connection) if now is None else now
        hour = moment // HOUR
        folded = marks.read(connection).value("folded")
        calls = hour - config.calls_days * DAY_HOURS
        hours = day_of(hour) - config.hours_days * DAY_HOURS
        days = day_of(hour) - config.days_days * DAY_HOURS
        marks.raise_to(connection, "pruned", max(calls, hours, 0))
    gone = 0
    old = (ToolCall.hour < calls, ToolCall.written < folded)
    oldest = sa.select(ToolCall.id).where(*old).order_by(ToolCall.hour)
    while True:
        with engine.begin() as connection:
            ids = list(connection.scalars(oldest.limit(BATCH)))
            if not ids:
                break
            connection.execute(sa.delete(ToolCall).where(ToolCall.id.in_(ids)))
        gone += len(ids)
    return Pruned(gone, _usage_before(engine, 1, hours), _usage_before(engine, DAY_HOURS, days))


def _usage_before(engine: sa.Engine, span: int, before: int) -> int:
    """Delete usage that is older, an hour or a day at a time."""
    gone = 0
    while True:
        with engine.begin() as connection:
            old = (ToolUsage.span == span, ToolUsage.hour < before)
            oldest = connection.scalar(sa.select(sa.func.min(ToolUsage.hour)).where(*old))
            if oldest is None:
                return gone
            answer = connection.execute(
                sa.delete(ToolUsage).where(ToolUsage.span == span, ToolUsage.hour == oldest)
            )
        rows = t.cast("sa.CursorResult[t.Any]", answer).rowcount
        gone += rows


def forget(engine: sa.Engine, reference: str) -> int:
    """Blank a caller wherever Janela keeps their reference; how many calls that were.

    Their calls stay and count as before, as those of somebody forgotten. Their stars go, and
    the frames they made or changed no longer say so.
    """
    changed, last = 0, 0
    while True:
        with engine.begin() as connection:
            ids = list(
                connection.scalars(
                    sa.select(ToolCall.id)
                    .where(ToolCall.caller == reference, ToolCall.id > last)
                    .order_by(ToolCall.id)
                    .limit(BATCH)
                )
            )
            if not ids:
                break
            connection.execute(
                sa.update(ToolCall).where(ToolCall.id.in_(ids)).values(caller=FORGOTTEN)
            )
        last = ids[-1]
        changed += len(ids)
    with engine.begin() as connection:
        connection.execute(sa.delete(Favourite).where(Favourite.caller_ref == reference))
        for column in (Frame.created_by, Frame.updated_by):
            connection.execute(
                sa.update(Frame).where(column == reference).values({column.key: None})
            )
    return changed
