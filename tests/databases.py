"""The database that tests run on: SQLite, or what ``$JANELA_TEST_DATABASE`` names.

``postgresql`` and ``mariadb`` are looked for at ``$JANELA_POSTGRESQL`` and ``$JANELA_MARIADB``,
else on this machine; ``duckdb`` needs no server. Every database that is handed out is empty and
is dropped afterwards.
"""

from __future__ import annotations

import collections.abc as cabc
import contextlib
import datetime as dt
import functools
import os
import re
import secrets
import typing as t
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
def unreachable(engine: str) -> str | None:
    """Why a server cannot be tested on, in one line; None when it can."""
    server = sa.create_engine(SERVERS[engine], poolclass=NullPool)
    try:
        with server.connect():
            return None
    except sa.exc.DBAPIError as error:
        said = str(error.orig).strip().splitlines()[0]
        address = server.url.render_as_string()
        return f"No {engine} answers at {address} (JANELA_{engine.upper()}): {said}"


@contextlib.contextmanager
def empty_database(folder: Path | None = None, engine: str = ENGINE) -> cabc.Iterator[str]:
    """The URL of a database without a table, gone afterwards.

    SQLite's and DuckDB's is a file in ``folder``, which several connections can share.
    """
    if engine in IN_MEMORY:
        yield IN_MEMORY[engine] if folder is None else f"{engine}:///{folder / f'host.{engine}'}"
        return
    if why := unreachable(engine):
        pytest.skip(why)
    name = f"janela_{secrets.token_hex(8)}"
    server = sa.create_engine(SERVERS[engine], poolclass=NullPool, isolation_level="AUTOCOMMIT")
    kind = "SCHEMA" if engine == "postgresql" else "DATABASE"
    with server.connect() as connection:
        letters = "" if engine == "postgresql" else " CHARACTER SET utf8mb4"
        connection.execute(sa.text(f"CREATE {kind} {name}{letters}"))
    try:
        if engine == "postgresql":
            url = server.url.update_query_dict({"options": f"-csearch_path={name}"})
        else:
            url = server.url.set(database=name)
        yield url.render_as_string(hide_password=False)
    finally:
        cascade = " CASCADE" if engine == "postgresql" else ""
        with server.connect() as connection:
            connection.execute(sa.text(f"DROP {kind} {name}{cascade}"))


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
