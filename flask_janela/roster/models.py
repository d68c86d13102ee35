"""``ToolCall``, ``ToolUsage`` and ``ToolMark``: the rows in which calls are kept and counted.

Hours are counted from 1970 in UTC, so that every database groups and compares whole numbers. There
is no column for arguments, answers or the text of a crash.
"""

from __future__ import annotations

import datetime as dt

import sqlalchemy as sa
from sqlalchemy.dialects import mysql
from sqlalchemy.orm import Mapped, mapped_column

from ..frames.models import Base

MYSQL = ("mysql", "mariadb")

LENGTHS = {
    "tool": 100,
    "tool_group": 100,
    "outcome": 20,
    "agent": 100,
    "client": 100,
    "client_version": 40,
    "transport": 20,
    "caller": 200,
    "error_class": 100,
    "error_text": 300,
    "correlation": 64,
}
"""The most characters of each text; what is longer is cut."""


def _name(column: str) -> sa.String:
    """A text that is compared letter by letter: MySQL would take "Read" for "read"."""
    length = LENGTHS[column]
    exact = mysql.VARCHAR(length, collation="utf8mb4_bin", charset="utf8mb4")
    return sa.String(length).with_variant(exact, *MYSQL)


def _moment() -> sa.DateTime:
    """UTC without a zone, to the microsecond: MySQL would round to seconds."""
    return sa.DateTime().with_variant(mysql.DATETIME(fsp=6), *MYSQL)


class ToolCall(Base):
    """One call of a tool.

    Attributes:
        hour: the UTC hour in which it started, counted from 1970.
        written: when its row was written, in seconds since 1970 by the database's clock; folding
            goes by it.
        duration: how long it took, in milliseconds.
        bucket: the bucket of that in a :class:`~.histogram.Histogram`.
        caller: the reference of whom it acted for; None for nobody.
        transport: how it came; ``generated`` when no tool was called at all.
    """

    __tablename__ = "janela_tool_calls"
    __table_args__ = (
        sa.Index("ix_janela_tool_calls_hour", "hour"),
        sa.Index("ix_janela_tool_calls_written", "written"),
        sa.Index("ix_janela_tool_calls_tool_started", "tool", "started"),
    )

    id: Mapped[int] = mapped_column(
        sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True
    )
    hour: Mapped[int] = mapped_column(sa.Integer)
    written: Mapped[int] = mapped_column(sa.BigInteger)
    started: Mapped[dt.datetime] = mapped_column(_moment())
    duration: Mapped[float] = mapped_column(sa.Double)
    bucket: Mapped[int] = mapped_column(sa.SmallInteger)
    tool: Mapped[str] = mapped_column(_name("tool"))
    tool_group: Mapped[str] = mapped_column(_name("tool_group"))
    outcome: Mapped[str] = mapped_column(_name("outcome"))
    unknown: Mapped[bool] = mapped_column(default=False)
    forged: Mapped[bool] = mapped_column(default=False)
    agent: Mapped[str] = mapped_column(_name("agent"), default="")
    client: Mapped[str] = mapped_column(_name("client"), default="")
    client_version: Mapped[str] = mapped_column(_name("client_version"), default="")
    transport: Mapped[str] = mapped_column(_name("transport"))
    caller: Mapped[str | None] = mapped_column(_name("caller"))
    error_class: Mapped[str | None] = mapped_column(_name("error_class"))
    error_text: Mapped[str | None] = mapped_column(_name("error_text"))
    correlation: Mapped[str | None] = mapped_column(_name("correlation"))


class ToolUsage(Base):
    """What the calls of one tool by one agent came to in one hour or one day.

    Folded from :class:`ToolCall`, and so always as if it were counted anew.

    Attributes:
        span: 1 for an hour, 24 for a day. More for the one stretch of days that the longest window
            begins with, up to the last hour that is closed: what is in it is in hours and days too.
        hour: its first hour, counted from 1970.
        total, least, most: milliseconds of the calls that ran.
        histogram: of the same, as :meth:`~.histogram.Histogram.stored` writes it.
        last: when the last call started.
        error_at, error_class, error_text: the newest failure.
    """

    __tablename__ = "janela_tool_usage"
    # By period on disk, which is how it is read.
    __table_args__ = (
        sa.Index("ix_janela_tool_usage_tool_last", "tool", "last"),
        {"sqlite_with_rowid": False},
    )

    span: Mapped[int] = mapped_column(sa.SmallInteger, primary_key=True, autoincrement=False)
    hour: Mapped[int] = mapped_column(sa.Integer, primary_key=True, autoincrement=False)
    tool: Mapped[str] = mapped_column(_name("tool"), primary_key=True)
    tool_group: Mapped[str] = mapped_column(_name("tool_group"), primary_key=True)
    agent: Mapped[str] = mapped_column(_name("agent"), primary_key=True)
    unknown: Mapped[bool] = mapped_column(primary_key=True, autoincrement=False)
    ok: Mapped[int] = mapped_column(sa.BigInteger)
    invalid: Mapped[int] = mapped_column(sa.BigInteger)
    not_found: Mapped[int] = mapped_column(sa.BigInteger)
    conflict: Mapped[int] = mapped_column(sa.BigInteger)
    refused: Mapped[int] = mapped_column(sa.BigInteger)
    unauthenticated: Mapped[int] = mapped_column(sa.BigInteger)
    caller_gone: Mapped[int] = mapped_column(sa.BigInteger)
    rate_limited: Mapped[int] = mapped_column(sa.BigInteger, server_default="0")
    failed: Mapped[int] = mapped_column(sa.BigInteger)
    forged: Mapped[int] = mapped_column(sa.BigInteger)
    total: Mapped[float] = mapped_column(sa.Double)
    least: Mapped[float | None] = mapped_column(sa.Double)
    most: Mapped[float | None] = mapped_column(sa.Double)
    histogram: Mapped[bytes | None] = mapped_column(sa.LargeBinary)
    last: Mapped[dt.datetime] = mapped_column(_moment())
    error_at: Mapped[dt.datetime | None] = mapped_column(_moment())
    error_class: Mapped[str | None] = mapped_column(_name("error_class"))
    error_text: Mapped[str | None] = mapped_column(_name("error_text"))


class ToolMark(Base):
    """One thing that recording remembers, by name.

    ======== ===================================================================================
    since    ``at``: when recording began
    dropped  ``value``: calls that could not be written; ``at``: the last time
    folded   ``value``: calls written before this second are in the usage
    days     ``value``: days before this hour are in the usage as days
    pruned   ``value``: calls before this hour may be gone
    keeper   ``holder``: which process folds and prunes, until the second ``value``
    made     ``value``: calls that were generated; ``at``: the last time
    ======== ===================================================================================
    """

    __tablename__ = "janela_tool_marks"

    name: Mapped[str] = mapped_column(sa.String(20), primary_key=True)
    value: Mapped[int] = mapped_column(sa.BigInteger, default=0)
    at: Mapped[dt.datetime | None] = mapped_column(_moment())
    holder: Mapped[str | None] = mapped_column(sa.String(100))
