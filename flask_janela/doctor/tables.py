"""Whether databases answer, and have the tables and columns that Janela reads and writes."""

from __future__ import annotations

import collections.abc as cabc
import json
import typing as t

import sqlalchemy as sa

from ..errors import listed
from ..migrations import running
from ..query.dialect import MYSQL
from .case import Case, Place
from .finding import Finding

_CONSTANTS: tuple[tuple[type[sa.types.TypeEngine[t.Any]], str], ...] = (
    (sa.JSON, "'{}'"),
    (sa.Boolean, "false"),
    (sa.Integer, "0"),
    (sa.Numeric, "0"),
    (sa.Float, "0"),
    (sa.DateTime, "'1970-01-01 00:00:00'"),
    (sa.String, "''"),
)


def unreachable(case: Case) -> cabc.Iterator[Finding]:
    """Databases that are not configured, or do not answer."""
    faulty: dict[str | None, list[Place]] = {}
    for place in case.places:
        if place.fault:
            faulty.setdefault(place.bind, []).append(place)
    for places in faulty.values():
        theirs = [table.name for place in places if not place.ours for table in place.tables]
        held = ["Janela's own tables"] if places[0].ours else []
        yield Finding(
            "unreachable-database",
            "error",
            f"{places[0].named} {places[0].fault}. It would hold {listed([*held, *theirs])}.",
            _configure(places[0]),
        )


def _configure(place: Place) -> str:
    if place.engine is not None:
        return "Start the database, or correct its address; then run flask janela doctor again."
    if place.bind is None:
        return "Set SQLALCHEMY_DATABASE_URI, and call db.init_app(app) before janela.init_app."
    return f"Add {place.bind!r} to SQLALCHEMY_BINDS."


def missing_tables(case: Case) -> cabc.Iterator[Finding]:
    """Tables that are not there."""
    for place in case.places:
        lacking = case.lacking(place)
        missing = [
            table for table in place.tables if len(lacking.get(table.name, ())) == _width(table)
        ]
        if missing:
            names = listed(table.name for table in missing)
            yield Finding(
                "missing-tables",
                "error",
                f"{place.named} has no table {names}."
                if len(missing) == 1
                else f"{place.named} has none of the tables {names}.",
                _make(case, place),
            )


def _make(case: Case, place: Place) -> str:
    if command := _upgrade(case, place):
        return command
    if has_migrations(case) and not (place.ours and _lists_revisions(case)):
        return migration("tables")
    if place.ours:
        return "flask janela init"
    return "Make them as you made your others, such as with db.create_all()."


def has_migrations(case: Case) -> bool:
    """Whether the host has Flask-Migrate."""
    return "migrate" in case.app.extensions


def _lists_revisions(case: Case) -> bool:
    """Whether Janela's revisions are among those of the host's Flask-Migrate."""
    locations = _config(case).get_main_option("version_locations")
    return "flask_janela" in (locations or "")


def _config(case: Case) -> t.Any:
    return case.app.extensions["migrate"].migrate.get_config()


def _upgrade(case: Case, place: Place) -> str | None:
    """The command that runs Janela's revisions in this host, where one has not run yet."""
    if not place.ours or place.engine is None or not running.is_installed():
        return None
    with place.engine.connect() as connection:
        if has_migrations(case):
            options = case.app.extensions["migrate"].configure_args
            table = options.get("version_table", running.HOSTS_TABLE)
            due = _lists_revisions(case) and running.is_due(connection, table, _config(case))
            return "flask db upgrade heads" if due else None
        if running.is_the_hosts(connection):
            due = running.is_due(connection, running.HOSTS_TABLE)
            return "alembic upgrade heads" if due else None
        return "flask janela upgrade" if running.is_due(connection) else None


def migration(what: str) -> str:
    """The commands that mend something with Flask-Migrate."""
    return f'flask db migrate -m "The {what} that Janela needs" && flask db upgrade'


def missing_columns(case: Case) -> cabc.Iterator[Finding]:
    """Columns that tables lack which are there."""
    for place in case.places:
        lacking = case.lacking(place)
        for table in place.tables:
            missing = lacking.get(table.name, [])
            if missing and len(missing) < _width(table):
                names = listed(column.name for column in missing)
                yield Finding(
                    "missing-columns",
                    "error",
                    f"{place.named}: the table {table.name} has no column {names}.",
                    _mend(case, place, table, missing),
                )


def _width(table: sa.Table) -> int:
    return len(table.columns)


def _mend(case: Case, place: Place, table: sa.Table, missing: list[sa.Column[t.Any]]) -> str:
    if place.ours and any(column.primary_key for column in missing):
        make = _make(case, place)
        return f"Rename the table {table.name}, which is none of Janela's; then {make}."
    if command := _upgrade(case, place):
        return command
    if has_migrations(case) and not (place.ours and _lists_revisions(case)):
        return migration("columns")
    if not place.ours:
        return "Add what is missing to the table as you change your others."
    assert place.engine is not None  # noqa: S101
    return "\n".join(f"{each};" for each in _statements(table, missing, place.engine.dialect))


def _statements(
    table: sa.Table, missing: list[sa.Column[t.Any]], dialect: sa.Dialect
) -> cabc.Iterator[str]:
    """What adds columns to a table that may have rows, and the indexes over them."""
    named = dialect.identifier_preparer.format_table(table)
    for column in missing:
        alone = column._copy()
        alone.index = alone.unique = None
        if not column.nullable and column.server_default is None:
            alone.server_default = sa.DefaultClause(sa.text(_constant(column, dialect)))
        sa.Table(table.name, sa.MetaData(), alone)
        added = str(sa.schema.CreateColumn(alone).compile(dialect=dialect)).strip()
        yield f"ALTER TABLE {named} ADD COLUMN {added}"
    for constraint in table.constraints:
        if isinstance(constraint, sa.UniqueConstraint) and _over(constraint.columns, missing):
            # The same as an index, which every database can add to a table that is there.
            copy = sa.Table(table.name, sa.MetaData(), *(c._copy() for c in table.columns))
            named_columns = [copy.columns[column.name] for column in constraint.columns]
            alike = sa.Index(str(constraint.name), *named_columns, unique=True)
            yield str(sa.schema.CreateIndex(alike).compile(dialect=dialect)).strip()
    for index in sorted(table.indexes, key=lambda each: str(each.name)):
        if _over(index.columns, missing):
            yield str(sa.schema.CreateIndex(index).compile(dialect=dialect)).strip()


def _over(columns: cabc.Iterable[t.Any], missing: list[sa.Column[t.Any]]) -> bool:
    return any(column in missing for column in columns)


def _constant(column: sa.Column[t.Any], dialect: sa.Dialect) -> str:
    """What rows that are there have in a column that may not be null, as SQL."""
    default = t.cast("t.Any", column.default)
    if default is not None and default.is_scalar:
        value = default.arg
        literal = sa.literal(value, column.type)
        written = str(literal.compile(dialect=dialect, compile_kwargs={"literal_binds": True}))
    elif isinstance(column.type, sa.JSON) and default is not None:
        written = f"'{json.dumps(default.arg(None))}'"
    else:
        kinds = _CONSTANTS
        written = next(sql for kind, sql in kinds if isinstance(column.type, kind))
    # MySQL takes a default for a long text only in brackets, which SQLite does not take at all.
    return f"({written})" if dialect.name in MYSQL else written


def index_over(table: sa.Table, column: sa.Column[t.Any], dialect: sa.Dialect) -> str:
    """The statement that makes an index over one column."""
    copy = sa.Table(table.name, sa.MetaData(), column._copy(), schema=table.schema)
    copy.indexes.clear()
    index = sa.Index(f"ix_{table.name}_{column.name}"[:60], copy.columns[column.name])
    return f"{str(sa.schema.CreateIndex(index).compile(dialect=dialect)).strip()};"
