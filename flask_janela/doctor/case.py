"""``Case``: what the checks look at: one application, its databases, and people to ask as."""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import functools
import logging
import typing as t

import flask
import sqlalchemy as sa
from sqlalchemy import orm

from .. import caller as callers
from ..errors import CallerGone, DeclarationError, JanelaError, Unauthenticated, printable
from ..frames import Base, Frame
from ..query.dialect import HIVE
from ..roster import ToolCall
from ..state import State
from ..tools.declared import declared_tools
from ..vocabulary import BoundModel, Catalogue

log = logging.getLogger(__name__)

MOST_PEOPLE = 200
"""So many users are read at most; the roster's check is about all of them or none."""

COLUMNAR = {"duckdb", HIVE}
"""Databases that read columns whole: no index is missed there, and reflecting them fails."""

SAMPLE = 10
"""The scope is asked as so many of them."""


@dataclasses.dataclass(frozen=True, slots=True)
class Person:
    """Somebody to ask as."""

    reference: str
    caller: t.Any


@dataclasses.dataclass(frozen=True, slots=True)
class Place:
    """Where some tables are.

    Attributes:
        bind: the key of ``SQLALCHEMY_BINDS``, None for the default database.
        tables: those that Janela reads there; ``ours`` whether they are Janela's own.
        engine: None where there is none.
        fault: why nothing can be asked there, in a sentence; "" where it answers.
    """

    bind: str | None
    tables: tuple[sa.Table, ...]
    ours: bool
    engine: sa.Engine | None
    fault: str

    @property
    def named(self) -> str:
        """The database in words, without its password."""
        where = "The default database" if self.bind is None else f"The database of {self.bind!r}"
        if self.engine is None:
            return where
        return f"{where} ({self.engine.url.render_as_string(hide_password=True)})"


class Case:
    """One examination of one application, within its context.

    Args:
        given: on whose behalf to ask, instead of people that are found.

    Attributes:
        unloaded: a reference that the host's loader raised for, and what.
    """

    def __init__(self, app: flask.Flask, state: State, given: Person | None = None) -> None:
        self.app = app
        self.state = state
        self.given = given
        self.unloaded: tuple[str, Exception] | None = None

    # what is declared

    @functools.cached_property
    def faults(self) -> tuple[str, ...]:
        """What is wrong with the declarations, a sentence for each; none where they can work."""
        try:
            self.state.catalogue  # noqa: B018 (bound at the first use)
            declared_tools(self.state)
        except DeclarationError as error:
            return error.faults
        except JanelaError as error:
            return (error.message,)
        except sa.exc.SQLAlchemyError as error:
            return (f"SQLAlchemy cannot map the models: {first_line(error)}",)
        return ()

    @property
    def catalogue(self) -> Catalogue:
        """The vocabularies; none where they cannot work, which is a finding of its own."""
        return Catalogue({}) if self.faults else self.state.catalogue

    @property
    def models(self) -> cabc.Collection[BoundModel]:
        return self.catalogue.models.values()

    # where its rows are

    @functools.cached_property
    def places(self) -> tuple[Place, ...]:
        """Janela's own tables, and those that the vocabularies read, by database."""
        session = self.state.db.session
        ours = tuple(Base.metadata.sorted_tables)
        found = [self._place(None, ours, True, lambda: session().get_bind(sa.inspect(Frame)))]
        tables: dict[str | None, dict[sa.Table, orm.Mapper[t.Any]]] = {}
        for mapper in self._mappers():
            for table in mapper.tables:
                if isinstance(table, sa.Table):
                    bind = table.metadata.info.get("bind_key")
                    tables.setdefault(bind, {}).setdefault(table, mapper)
        for bind, theirs in tables.items():
            mapper = next(iter(theirs.values()))
            get = functools.partial(_bind_of, session, mapper)
            found.append(self._place(bind, tuple(theirs), False, get))
        return tuple(found)

    def _mappers(self) -> list[orm.Mapper[t.Any]]:
        """The mapped classes that questions read, those along paths included."""
        found: dict[orm.Mapper[t.Any], None] = {}
        for bound in self.models:
            home: orm.Mapper[t.Any] = t.cast("orm.Mapper[t.Any]", sa.inspect(bound.model))
            found[home] = None
            columns = () if bound.records is None else bound.records.columns
            for path in [d.path for d in bound.dimensions.values()] + [c.path for c in columns]:
                here = home
                for name in path.relationships:
                    here = here.relationships[name].mapper
                    found[here] = None
        return list(found)

    def _place(
        self,
        bind: str | None,
        tables: tuple[sa.Table, ...],
        ours: bool,
        get: cabc.Callable[[], t.Any],
    ) -> Place:
        try:
            engine: sa.Engine = get().engine
        except (sa.exc.SQLAlchemyError, RuntimeError, KeyError) as error:
            # SQLAlchemy and Flask-SQLAlchemy have no one way to say that there is none.
            why = "is not configured: " + first_line(error)
            return Place(bind, tables, ours, None, why)
        try:
            with engine.connect() as connection:
                connection.execute(sa.select(sa.literal(1)))
        except sa.exc.SQLAlchemyError as error:
            return Place(bind, tables, ours, engine, f"does not answer: {first_line(error)}")
        return Place(bind, tables, ours, engine, "")

    @property
    def own(self) -> Place:
        """Where Janela's own tables are."""
        return self.places[0]

    def there(self, *models: type) -> bool:
        """Whether all tables of some models are in a database that answers."""
        return not any(self._away(t.cast("t.Any", sa.inspect(model))) for model in models)

    def _away(self, mapper: orm.Mapper[t.Any]) -> bool:
        tables = {table.name: table for table in mapper.tables if isinstance(table, sa.Table)}
        return any(
            place.fault or place.engine is None or table.name in self.lacking(place)
            for place in self.places
            for table in place.tables
            if tables.get(table.name) is table
        )

    def lacking(self, place: Place) -> dict[str, list[sa.Column[t.Any]]]:
        """Tables that are not in a database as they are declared, with the columns they lack.

        All of a table's columns where the table itself is missing.
        """
        found = self._lacking.get(id(place))
        if found is None:
            found = self._lacking[id(place)] = {} if place.fault else _lacking(place)
        return found

    def follows(self, error: Exception) -> bool:
        """Whether an error is what comes of a database that is a finding already."""
        if not isinstance(error, sa.exc.SQLAlchemyError | RuntimeError):
            return False
        return any(place.fault or self.lacking(place) for place in self.places)

    @functools.cached_property
    def _lacking(self) -> dict[int, dict[str, list[sa.Column[t.Any]]]]:
        return {}

    # on whose behalf to ask

    @functools.cached_property
    def people(self) -> tuple[tuple[Person, ...], bool]:
        """People that can be found, and whether these are all that there are.

        Those whom Janela's own rows name come first, then the users of the database.
        """
        known = {each.reference: each for each in (self._named() if self.own.engine else ())}
        users, every = self._users()
        known |= {each.reference: each for each in users if each.reference not in known}
        return tuple(known.values()), every

    @property
    def sample(self) -> tuple[Person, ...]:
        """On whose behalf the scope is asked."""
        return (self.given,) if self.given is not None else self.people[0][:SAMPLE]

    def _named(self) -> cabc.Iterator[Person]:
        references: dict[str, None] = {}
        session = self.state.db.session
        newest = sa.select(Frame.created_by, Frame.updated_by).order_by(Frame.id.desc())
        calls = sa.select(ToolCall.caller).order_by(ToolCall.id.desc())
        try:
            for model, statement in ((Frame, newest), (ToolCall, calls)):
                if self.there(model):
                    for row in session.execute(statement.limit(MOST_PEOPLE)):
                        references |= dict.fromkeys(each for each in row if each)
        except sa.exc.SQLAlchemyError as error:
            # What cannot be read is told of by the checks; here there are merely fewer people.
            log.info("Janela's own tables cannot be read: %s", first_line(error))
            session.rollback()
        for reference in references:
            try:
                yield Person(reference, callers.load_caller(reference, self.state.hooks))
            except CallerGone:
                continue  # Rows outlive people.
            except Exception as error:
                session.rollback()
                self.unloaded = (reference, error)
                return

    def _users(self) -> tuple[list[Person], bool]:
        models = [
            mapper
            for mapper in t.cast("t.Any", self.state.db.Model).registry.mappers
            if mapper.inherits is None
            and all(hasattr(mapper.class_, name) for name in ("get_id", "is_active"))
        ]
        found: list[Person] = []
        for mapper in models if self.own.engine is not None else ():
            key = sa.select(mapper.class_).order_by(*mapper.primary_key)
            try:
                rows = self.state.db.session.scalars(key.limit(MOST_PEOPLE + 1)).all()
            except sa.exc.SQLAlchemyError as error:
                # Users are not Janela's to look after: there are merely fewer people to ask as.
                log.info("%s cannot be read: %s", mapper.class_.__name__, first_line(error))
                self.state.db.session.rollback()
                return found, False
            for row in rows:
                try:
                    reference = callers.caller_ref(row)
                except Unauthenticated:
                    continue
                if reference and getattr(row, "is_active", True):
                    found.append(Person(reference, row))
            if len(rows) > MOST_PEOPLE:
                return found[:MOST_PEOPLE], False
        return found, len(models) == 1 and bool(found)


def home_of(bound: BoundModel) -> t.Any:
    """The table that a model's own columns are in."""
    return t.cast("orm.Mapper[t.Any]", sa.inspect(bound.model)).local_table


def _bind_of(session: t.Any, mapper: orm.Mapper[t.Any]) -> t.Any:
    return session().get_bind(mapper)


def _lacking(place: Place) -> dict[str, list[sa.Column[t.Any]]]:
    assert place.engine is not None  # noqa: S101
    found: dict[str, list[sa.Column[t.Any]]] = {}
    if place.engine.dialect.name in COLUMNAR:
        for table in place.tables:
            if missing := _refused(place.engine, table):
                found[table.name] = missing
        return found
    with place.engine.connect() as connection:
        inspector = sa.inspect(connection)
        for table in place.tables:
            if not inspector.has_table(table.name, schema=table.schema):
                found[table.name] = list(table.columns)
                continue
            columns = inspector.get_columns(table.name, schema=table.schema)
            there = {str(each["name"]).casefold() for each in columns}
            missing = [each for each in table.columns if each.name.casefold() not in there]
            if missing:
                found[table.name] = missing
    return found


def _refused(engine: sa.Engine, table: sa.Table) -> list[sa.Column[t.Any]]:
    """The columns that cannot be read, for databases that cannot be asked which there are."""

    def is_read(*columns: sa.ColumnElement[t.Any]) -> bool:
        try:
            with engine.connect() as connection:
                connection.execute(sa.select(*columns).select_from(table).where(sa.text("1 = 0")))
        except sa.exc.DBAPIError:
            return False
        return True

    if not is_read(sa.literal(1)):
        return list(table.columns)
    return [column for column in table.columns if not is_read(column)]


def first_line(error: BaseException) -> str:
    """What an error says, in one printable line that is not endless."""
    said = str(getattr(error, "orig", None) or error).strip().splitlines() or [""]
    text = printable(said[0].strip())
    return (text if len(text) <= 200 else f"{text[:197]}...") or type(error).__name__
