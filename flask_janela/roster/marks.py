"""What recording remembers: marks, which process keeps house, and the database's clock."""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import datetime as dt
import time
import typing as t

import sqlalchemy as sa

from .models import MYSQL, ToolMark

LEASE = 120
"""Seconds for which one process keeps the roster's house before another may."""


@dataclasses.dataclass(frozen=True, slots=True)
class Marks:
    """All marks as they stood at one moment."""

    rows: cabc.Mapping[str, tuple[int, dt.datetime | None]]

    def value(self, name: str) -> int:
        """A mark's number, 0 where there is none."""
        return self.rows.get(name, (0, None))[0]

    def at(self, name: str) -> dt.datetime | None:
        """A mark's moment, in UTC."""
        moment = self.rows.get(name, (0, None))[1]
        return None if moment is None else moment.replace(tzinfo=dt.UTC)


def read(connection: sa.Connection) -> Marks:
    """All marks."""
    rows = connection.execute(sa.select(ToolMark.name, ToolMark.value, ToolMark.at))
    return Marks({name: (value, at) for name, value, at in rows})


def begin_writing(connection: sa.Connection) -> None:
    """On SQLite, wait for the right to write before anything is read or stamped."""
    if connection.dialect.name == "sqlite":
        connection.execute(sa.update(ToolMark).where(sa.false()).values(value=0))


def database_now(connection: sa.Connection) -> int:
    """Seconds since 1970 by the one clock that all processes share."""
    name = connection.dialect.name
    if name == "postgresql":
        moment = sa.func.extract("epoch", sa.func.clock_timestamp())
        return int(t.cast("t.Any", connection.scalar(sa.select(moment))))
    if name in MYSQL:
        return int(t.cast("t.Any", connection.scalar(sa.select(sa.func.unix_timestamp()))))
    return int(time.time())


def ensure(connection: sa.Connection, name: str, at: dt.datetime | None = None) -> None:
    """There is a mark of that name; a new one says 0, and ``at``."""
    if connection.scalar(sa.select(ToolMark.name).where(ToolMark.name == name)) is not None:
        return
    try:
        with connection.begin_nested():
            connection.execute(sa.insert(ToolMark).values(name=name, value=0, at=at))
    except sa.exc.IntegrityError:
        pass  # Another process was first.


def move(connection: sa.Connection, name: str, old: int, new: int) -> bool:
    """Change a mark's number from ``old`` to ``new``; False when it is not ``old``."""
    ensure(connection, name)
    return _changed(connection, name, ToolMark.value == old, value=new)


def raise_to(connection: sa.Connection, name: str, value: int) -> None:
    """A mark's number is at least so much."""
    ensure(connection, name)
    _changed(connection, name, ToolMark.value < value, value=value)


def bring_forward(connection: sa.Connection, name: str, at: dt.datetime) -> None:
    """A mark's moment is at the latest that one."""
    _changed(connection, name, ToolMark.at > at, at=at)


def count(connection: sa.Connection, name: str, more: int, at: dt.datetime) -> None:
    """A mark's number grows."""
    ensure(connection, name)
    _changed(connection, name, sa.true(), value=ToolMark.value + more, at=at)


def hold(connection: sa.Connection, holder: str, now: int) -> bool:
    """Take or keep the lease; False while another process has it."""
    ensure(connection, "keeper")
    free = sa.or_(ToolMark.holder == holder, ToolMark.holder.is_(None), ToolMark.value <= now)
    return _changed(connection, "keeper", free, value=now + LEASE, holder=holder)


def release(connection: sa.Connection, holder: str) -> None:
    """Give the lease up."""
    _changed(connection, "keeper", ToolMark.holder == holder, value=0, holder=None)


def _changed(
    connection: sa.Connection, name: str, condition: sa.ColumnElement[bool], **values: t.Any
) -> bool:
    statement = sa.update(ToolMark).where(ToolMark.name == name, condition).values(**values)
    return t.cast("sa.CursorResult[t.Any]", connection.execute(statement)).rowcount == 1
