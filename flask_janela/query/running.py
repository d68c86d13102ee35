"""Runs one statement that only reads: within a time limit, and without harm to a transaction.

The transaction is whoever's session it is. A statement that fails or takes too long leaves it
usable, and no setting of the connection stays changed.
"""

from __future__ import annotations

import collections.abc as cabc
import contextlib
import datetime as dt
import decimal
import math
import re
import sqlite3
import threading
import time
import typing as t

import sqlalchemy as sa
from sqlalchemy import orm

from ..errors import Overrun, Unavailable
from .dialect import HIVE, MYSQL

Session = orm.Session | orm.scoped_session[t.Any]

_STEPS = 20_000
"""After so many steps of SQLite's machine its time is looked at: a few thousand times a second."""

_SAVEPOINT = "janela"

_CANCELLED = "57014"
_TOO_LONG = {1969, 3024}
"""``ER_STATEMENT_TIMEOUT`` of MariaDB, ``ER_QUERY_TIMEOUT`` of MySQL."""
_INTERRUPTED = {"interrupted", "INTERRUPT Error: Interrupted!"}
"""What SQLite and DuckDB say."""


def run(
    session: Session, model: type, statement: sa.Select[t.Any], seconds: float
) -> sa.Result[t.Any]:
    """Run a select over a model's rows and fetch all of it, without flushing what is pending.

    Args:
        seconds: the most it may take where the database can be told so; 0 for no limit.

    Raises:
        Overrun: when it took longer.
        Unavailable: when the database could not be reached.
    """
    bound: dict[str, t.Any] = {"mapper": sa.inspect(model)}
    connection: sa.Connection | None = None
    with session.no_autoflush:
        try:
            connection = session.connection(bind_arguments=bound)
            if connection.invalidated:  # by a statement before, in the same transaction
                raise Unavailable()
            with _limited(connection, seconds):
                found = session.execute(statement, bind_arguments=bound)
                return found.freeze()()
        except sa.exc.DBAPIError as error:
            if _overran(error):
                raise Overrun(seconds) from error
            if is_unavailable(error):
                raise Unavailable() from error
            raise
        except Exception as error:
            if not _is_torn(error):
                raise
            if connection is not None:
                connection.invalidate(error)
            raise Unavailable() from error


def is_unavailable(error: sa.exc.DBAPIError) -> bool:
    """Whether the database is not there, rather than unwilling.

    An error without a statement happened on the way to a connection; with SQLite also while rows
    were fetched.
    """
    if not isinstance(error, sa.exc.OperationalError | sa.exc.InterfaceError):
        return False
    if isinstance(error.orig, sqlite3.Error):
        return "unable to open" in str(error.orig)
    if _said_by_hive(error.orig):
        return False
    return error.connection_invalidated or error.statement is None


def _limited(
    connection: sa.Connection, seconds: float
) -> contextlib.AbstractContextManager[object]:
    name = connection.dialect.name
    if name == "postgresql":
        return _postgresql(connection, seconds)
    if name in MYSQL and seconds:
        return _mysql(connection, seconds)
    if name == "sqlite" and seconds:
        return _sqlite(connection, seconds)
    if name == "duckdb":
        return _duckdb(connection, seconds)
    if name == HIVE:
        return _hive(connection, seconds)
    return contextlib.nullcontext()


@contextlib.contextmanager
def _postgresql(connection: sa.Connection, seconds: float) -> cabc.Iterator[None]:
    """A savepoint around the statement.

    Rolling back to it undoes the limit as well as the end of a transaction that an error is. Where
    each statement is a transaction of its own there is nothing to save.
    """
    driver: t.Any = connection.connection.driver_connection
    if getattr(driver, "autocommit", False):
        with _postgresql_setting(connection, seconds):
            yield
        return
    before = [f"SAVEPOINT {_SAVEPOINT}"]
    if seconds:
        before.append(f"SET LOCAL statement_timeout = {_milliseconds(seconds)}")
    _send(connection, before)
    try:
        yield
    finally:
        if not connection.invalidated:
            _send(
                connection,
                [f"ROLLBACK TO SAVEPOINT {_SAVEPOINT}", f"RELEASE SAVEPOINT {_SAVEPOINT}"],
            )


@contextlib.contextmanager
def _postgresql_setting(connection: sa.Connection, seconds: float) -> cabc.Iterator[None]:
    """The session's own limit, put back afterwards."""
    if not seconds:
        yield
        return
    kept = connection.exec_driver_sql("SHOW statement_timeout").scalar_one()
    connection.exec_driver_sql(f"SET statement_timeout = {_milliseconds(seconds)}")
    try:
        yield
    finally:
        if not connection.invalidated:
            connection.exec_driver_sql(f"SET statement_timeout = '{kept}'")


def _send(connection: sa.Connection, commands: list[str]) -> None:
    """Commands in one message where the driver takes several."""
    if connection.dialect.driver in {"psycopg", "psycopg2"}:
        commands = ["; ".join(commands)]
    for command in commands:
        connection.exec_driver_sql(command)


@contextlib.contextmanager
def _mysql(connection: sa.Connection, seconds: float) -> cabc.Iterator[None]:
    """The session's own limit, put back afterwards.

    What comes back when the time is over is no answer, even where the server calls it one: MariaDB
    10.11 answers 0 rows when it stops within a subquery (seen with EXISTS).
    """
    if getattr(connection.dialect, "is_mariadb", False):
        name, most = "max_statement_time", f"{seconds:.3f}"
    else:
        name, most = "max_execution_time", str(_milliseconds(seconds))
    connection.exec_driver_sql(f"SET @janela_limit = @@{name}, {name} = {most}")
    begun = time.monotonic()
    try:
        yield
        if time.monotonic() - begun > seconds * 0.99:
            raise Overrun(seconds)
    finally:
        if not connection.invalidated:
            connection.exec_driver_sql(f"SET {name} = @janela_limit")


@contextlib.contextmanager
def _sqlite(connection: sa.Connection, seconds: float) -> cabc.Iterator[None]:
    """Its machine stops when it is asked to. There is one such question for a connection."""
    ends = time.monotonic() + seconds
    driver: t.Any = connection.connection.driver_connection
    driver.set_progress_handler(lambda: time.monotonic() > ends, _STEPS)
    try:
        yield
    finally:
        driver.set_progress_handler(None, 0)


@contextlib.contextmanager
def _duckdb(connection: sa.Connection, seconds: float) -> cabc.Iterator[None]:
    """Another thread interrupts it. An error ends the transaction, so that one is begun anew.

    There are no savepoints, and what was written in a transaction with an error is lost.
    """
    driver: t.Any = connection.connection.driver_connection
    clock = threading.Timer(seconds, driver.interrupt)
    clock.daemon = True
    if seconds:
        clock.start()
    try:
        yield
    except sa.exc.DBAPIError:
        for command in ("ROLLBACK", "BEGIN"):
            driver.execute(command)
        raise
    finally:
        clock.cancel()


@contextlib.contextmanager
def _hive(connection: sa.Connection, seconds: float) -> cabc.Iterator[None]:
    """The limit goes with the statement itself; what PyHive cannot write or read is done here."""
    client: t.Any = t.cast("t.Any", connection.connection.driver_connection).client
    send = client.ExecuteStatement

    def send_with_limit(request: t.Any) -> t.Any:
        request.queryTimeout = math.ceil(seconds)
        return send(request)

    def before(
        connection: sa.Connection, cursor: t.Any, statement: str, given: t.Any, *others: t.Any
    ) -> tuple[str, t.Any]:
        _read_dates(cursor)
        return statement, {name: _spelled(value) for name, value in given.items()}

    sa.event.listen(connection, "before_cursor_execute", before, retval=True)
    client.ExecuteStatement = send_with_limit
    try:
        yield
    finally:
        del client.ExecuteStatement
        sa.event.remove(connection, "before_cursor_execute", before)


class _Spelled(float):
    """What PyHive puts into a statement as it is, as it does with numbers."""

    spelling: str

    def __str__(self) -> str:
        return self.spelling


def _spelled(value: t.Any) -> t.Any:
    """A value as Spark reads it, where PyHive would refuse it or write something else."""
    match value:
        case decimal.Decimal():
            spelling = f"{value:f}BD"
        case dt.datetime():
            spelling = f"'{value.isoformat(' ')}'"
        case dt.date():
            spelling = f"'{value.isoformat()}'"
        case str() if not _PLAIN.fullmatch(value):
            # Spark puts variables into "${...}", also within a literal; and whether a backslash
            # stands for itself is a setting.
            spelling = f"CAST(X'{value.encode().hex()}' AS STRING)"
        case _:
            return value
    found = _Spelled()
    found.spelling = spelling
    return found


_PLAIN = re.compile(r"[\w .,:;()+-]*")


def _read_dates(cursor: t.Any) -> None:
    """Have a cursor of PyHive's answer with dates, which it leaves as texts."""
    fetch = cursor.fetchall

    def fetchall() -> list[tuple[t.Any, ...]]:
        dates = {at for at, column in enumerate(cursor.description) if column[1] == "DATE_TYPE"}
        rows = fetch()
        if not dates:
            return t.cast("list[tuple[t.Any, ...]]", rows)
        return [
            tuple(
                dt.date.fromisoformat(value) if at in dates and isinstance(value, str) else value
                for at, value in enumerate(row)
            )
            for row in rows
        ]

    cursor.fetchall = fetchall


def _said_by_hive(error: t.Any) -> t.Any:
    """What a Thrift server answered instead of a result, or nothing."""
    first = error.args[0] if getattr(error, "args", ()) else None
    return getattr(getattr(first, "status", None), "infoMessages", None)


def _is_torn(error: Exception) -> bool:
    """Whether the way to a database is gone, in the words of a driver that has none of its own."""
    return isinstance(error, OSError | EOFError) or type(error).__module__.startswith("thrift.")


def _milliseconds(seconds: float) -> int:
    return max(round(seconds * 1000), 1)


def _overran(error: sa.exc.DBAPIError) -> bool:
    raised: t.Any = error.orig
    if said := _said_by_hive(raised):
        return "TIMEDOUT" in said[0]
    state = getattr(raised, "sqlstate", None) or getattr(raised, "pgcode", None)
    first = raised.args[0] if getattr(raised, "args", ()) else None
    return state == _CANCELLED or first in _TOO_LONG or first in _INTERRUPTED
