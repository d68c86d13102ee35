"""Runs one statement that only reads: within a time limit, and without harm to a transaction.

The transaction is whoever's session it is. A statement that fails or takes too long leaves it
usable, and no setting of the connection stays changed.
"""

from __future__ import annotations

import collections.abc as cabc
import contextlib
import sqlite3
import threading
import time
import typing as t

import sqlalchemy as sa
from sqlalchemy import orm

from ..errors import Overrun, Unavailable
from .dialect import MYSQL

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
    with session.no_autoflush:
        try:
            connection = session.connection(bind_arguments=bound)
            with _limited(connection, seconds):
                found = session.execute(statement, bind_arguments=bound)
                return found.freeze()()
        except sa.exc.DBAPIError as error:
            if _overran(error):
                raise Overrun(seconds) from error
            if is_unavailable(error):
                raise Unavailable() from error
            raise


def is_unavailable(error: sa.exc.DBAPIError) -> bool:
    """Whether the database is not there, rather than unwilling.

    An error without a statement happened on the way to a connection; with SQLite also while rows
    were fetched.
    """
    if not isinstance(error, sa.exc.OperationalError | sa.exc.InterfaceError):
        return False
    if isinstance(error.orig, sqlite3.Error):
        return "unable to open" in str(error.orig)
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
    return contextlib.nullcontext()


@contextlib.contextmanager
def _postgresql(connection: sa.Connection, seconds: float) -> cabc.Iterator[None]:
    """A savepoint around the statement.

    Rolling back to it undoes the limit as well as the end of a transaction that an error is.
    """
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


def _send(connection: sa.Connection, commands: list[str]) -> None:
    """Commands in one message where the driver takes several."""
    if connection.dialect.driver in {"psycopg", "psycopg2"}:
        commands = ["; ".join(commands)]
    for command in commands:
        connection.exec_driver_sql(command)


@contextlib.contextmanager
def _mysql(connection: sa.Connection, seconds: float) -> cabc.Iterator[None]:
    """The session's own limit, put back afterwards."""
    if getattr(connection.dialect, "is_mariadb", False):
        name, most = "max_statement_time", f"{seconds:.3f}"
    else:
        name, most = "max_execution_time", str(_milliseconds(seconds))
    connection.exec_driver_sql(f"SET @janela_limit = @@{name}, {name} = {most}")
    try:
        yield
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


def _milliseconds(seconds: float) -> int:
    return max(round(seconds * 1000), 1)


def _overran(error: sa.exc.DBAPIError) -> bool:
    raised: t.Any = error.orig
    code = getattr(raised, "sqlstate", None) or getattr(raised, "pgcode", None)
    if code is not None:
        return bool(code == _CANCELLED)
    first = raised.args[0] if getattr(raised, "args", ()) else None
    return first in _TOO_LONG or first in _INTERRUPTED
