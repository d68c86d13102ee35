"""Running the revisions where a host has no migrations of its own: ``flask janela upgrade``.

Alembic is imported when it is needed: it is in the extra ``migrate``.
"""

from __future__ import annotations

import collections.abc as cabc
import contextlib
import dataclasses
import importlib.util
import typing as t

import sqlalchemy as sa

from ..errors import JanelaError, listed
from ..query.dialect import MYSQL
from . import VERSION_TABLE

if t.TYPE_CHECKING:
    from alembic.config import Config

INSTALL = "pip install 'flask-janela[migrate]'"

HOSTS_TABLE = "alembic_version"
"""Where a host's own Alembic records its revisions, Janela's among them if it lists these."""

_LOCK = 0x6A616E656C61
"""Ours among PostgreSQL's advisory locks: "janela" in ASCII."""

_SECONDS = 600
"""So long MySQL lets one wait for another."""


@dataclasses.dataclass(frozen=True)
class Upgrade:
    """What an upgrade did.

    Attributes:
        before: the revision that was recorded, None where there was none.
        after: the newest one, which is recorded now.
    """

    before: str | None
    after: str


def is_installed() -> bool:
    """Whether there is an Alembic to run the revisions with."""
    found = importlib.util.find_spec("alembic")
    # A folder of that name, in which many hosts keep their revisions, is a package without origin.
    return found is not None and found.origin is not None


def own_config() -> Config:
    """Alembic's configuration for Janela's revisions alone."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", "flask_janela:migrations")
    return config


def upgrade(engine: sa.Engine, metadata: sa.MetaData) -> Upgrade:
    """Run the revisions that have not run yet, in one transaction where the database has those.

    Tables that are there without a record of a revision are taken as they are: what they lack is
    added.

    Args:
        metadata: whose naming convention names what the revisions leave unnamed.

    Raises:
        JanelaError: without Alembic, when the host's own Alembic runs the revisions, or when the
            tables are of a newer flask-janela.
    """
    if not is_installed():
        raise JanelaError(f"This needs Alembic, which is not installed: {INSTALL}")
    from alembic import command

    config = own_config()
    with _alone(engine) as connection:
        if is_the_hosts(connection):
            raise JanelaError(
                f"The application's own Alembic runs Janela's revisions: the table {HOSTS_TABLE} "
                "names one. Run alembic upgrade heads, or flask db upgrade heads."
            )
        before = recorded(connection)
        if unknown := before - _known(config):
            raise JanelaError(
                f"The tables are of a newer flask-janela than this one: {VERSION_TABLE} names "
                f"{listed(sorted(unknown))}. Install that one again."
            )
        config.attributes.update(connection=connection, metadata=metadata)
        command.upgrade(config, "head")
        after = recorded(connection)
    return Upgrade(next(iter(before), None), next(iter(after)))


def recorded(connection: sa.Connection, table: str = VERSION_TABLE) -> set[str]:
    """The newest revisions that a version table names; none where it is not there."""
    from alembic.migration import MigrationContext

    context = MigrationContext.configure(connection, opts={"version_table": table})
    return set(context.get_current_heads())


def is_the_hosts(connection: sa.Connection) -> bool:
    """Whether the host's own Alembic has run one of Janela's revisions."""
    return not recorded(connection, HOSTS_TABLE).isdisjoint(_known(own_config()))


def is_due(
    connection: sa.Connection, table: str = VERSION_TABLE, config: Config | None = None
) -> bool:
    """Whether one of Janela's revisions has not run yet.

    Args:
        table: the version table.
        config: of the host whose revisions Janela's are among; by default Janela's alone.
    """
    from alembic.script import ScriptDirectory

    config = config or own_config()
    scripts = ScriptDirectory.from_config(config)
    heads = recorded(connection, table) & _known(config)
    run = {each.revision for each in scripts.iterate_revisions(tuple(heads), "base")}
    return newest() not in run


def newest() -> str:
    """The newest of Janela's revisions."""
    from alembic.script import ScriptDirectory

    return str(ScriptDirectory.from_config(own_config()).get_current_head())


def _known(config: Config) -> set[str]:
    """Every revision that a configuration finds."""
    from alembic.script import ScriptDirectory

    return {each.revision for each in ScriptDirectory.from_config(config).walk_revisions()}


@contextlib.contextmanager
def _alone(engine: sa.Engine) -> cabc.Iterator[sa.Connection]:
    """A transaction while nobody else upgrades: servers that are deployed at once may all begin."""
    with engine.connect() as connection:
        lock = sa.func.concat("janela:", sa.func.md5(sa.func.database()))
        if engine.dialect.name in MYSQL:
            if not connection.scalar(sa.select(sa.func.get_lock(lock, _SECONDS))):
                raise JanelaError(
                    f"Another process has been upgrading for {_SECONDS // 60} minutes. Wait until "
                    "it is done, or end it; then run this again."
                )
            connection.commit()
        try:
            with connection.begin():
                if engine.dialect.name == "sqlite":
                    _begin_writing(connection)
                elif engine.dialect.name == "postgresql":
                    connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
                yield connection
        finally:
            if engine.dialect.name in MYSQL:
                connection.execute(sa.select(sa.func.release_lock(lock)))


def _begin_writing(connection: sa.Connection) -> None:
    """Begin a transaction, where the driver would commit each change of a table by itself."""
    raw = connection.connection.dbapi_connection
    if not getattr(raw, "in_transaction", False):
        connection.exec_driver_sql("BEGIN IMMEDIATE")
