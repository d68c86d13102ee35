"""``flask janela doctor``: each check fires where it should, and is quiet where it should be."""

from __future__ import annotations

import collections.abc as cabc
import contextlib
import datetime as dt
import json
import sys
import typing as t
from pathlib import Path

import flask
import flask_login
import jinja2
import pytest
import sqlalchemy as sa
from databases import bind
from flask import Flask
from flask_migrate import Migrate
from flask_sqlalchemy import SQLAlchemy
from hosts import Define, Host, host
from sqlalchemy.orm import Mapped, mapped_column, relationship

from flask_janela import Count, Dimension, Frame, Janela, Sum, TimeDimension, Vocabulary
from flask_janela import config as settings_of
from flask_janela.doctor import Finding, examine, examining, speed
from flask_janela.frames import Base, Pane, add_pane
from flask_janela.migrations import running
from flask_janela.roster import ToolMark

ANA = "user:ana"


def define(db: SQLAlchemy) -> dict[str, t.Any]:
    class Shop(db.Model):  # type: ignore[name-defined,misc]
        __tablename__ = "shops"
        id: Mapped[int] = mapped_column(primary_key=True)
        city: Mapped[str]

    class Sale(db.Model):  # type: ignore[name-defined,misc]
        __tablename__ = "sales"
        id: Mapped[int] = mapped_column(primary_key=True)
        shop_id: Mapped[int | None] = mapped_column(sa.ForeignKey(Shop.id), index=True)
        region: Mapped[str] = mapped_column(index=True)
        paid: Mapped[bool] = mapped_column(default=True)
        amount: Mapped[int]
        shop: Mapped[Shop | None] = relationship()

        class Janela(Vocabulary):
            sales = Count()
            amount = Sum("amount")
            secret = Sum("amount", visible_to=lambda caller: False)
            region = Dimension()
            city = Dimension("shop.city")
            paid = Dimension()

    return {"Sale": Sale, "Shop": Shop}


def scope(model: t.Any, caller: t.Any) -> t.Any:
    if caller is None:
        return sa.select(model).where(sa.false())
    return sa.select(model)


Break = cabc.Callable[[Host], t.Any]


@contextlib.contextmanager
def well(*left_out: str, with_: Define = define, **config: t.Any) -> cabc.Iterator[Host]:
    """A host that nothing is amiss with, but for the functions that are left out."""
    with host(with_, scoped=False, **config) as made:
        if "scope" not in left_out:
            made.janela.scope(scope)
        if "permission" not in left_out:
            made.janela.permission(lambda caller, action, subject=None: True)
        yield made


def seen(made: Host, as_: str | None = ANA) -> list[Finding]:
    return list(examine(made.app, as_=as_).findings)


def only(made: Host, name: str, level: str = "error") -> Finding:
    """The one finding there is."""
    found = seen(made)
    assert [(each.name, each.level) for each in found] == [(name, level)], found
    assert found[0].what.endswith("."), found
    assert found[0].fix, found
    return found[0]


def test_a_host_that_is_well_has_nothing_to_fix() -> None:
    with well() as made:
        assert seen(made) == []


def test_every_check_has_a_name_that_can_be_silenced() -> None:
    assert tuple(examining.CHECKS) == settings_of.CHECKS


# databases


def test_a_bind_that_is_down(tmp_path: Path) -> None:
    """Its tables are not looked for, and everything else is."""

    def facts(db: SQLAlchemy) -> dict[str, t.Any]:
        class Fact(db.Model):  # type: ignore[name-defined,misc]
            __bind_key__ = "facts"
            id: Mapped[int] = mapped_column(primary_key=True)

            class Janela(Vocabulary, name="facts"):
                facts = Count()

        return {"Fact": Fact}

    away = tmp_path / "away"
    binds = {"facts": f"sqlite:///{away / 'facts.sqlite'}"}
    with well(with_=facts, SQLALCHEMY_BINDS=binds, made=None) as made:
        found = only(made, "unreachable-database")
        assert "'facts'" in found.what
        assert "fact" in found.what
        assert "unable to open" in found.what
        away.mkdir()
        assert only(made, "missing-tables").what.endswith("has no table fact.")
        made.db.create_all("facts")
        assert seen(made) == []


def test_facts_on_a_database_that_cannot_be_reflected(tmp_path: Path) -> None:
    """Tables and columns are looked for by reading them; there are no indexes to miss."""

    def facts(db: SQLAlchemy) -> dict[str, t.Any]:
        class Fact(db.Model):  # type: ignore[name-defined,misc]
            __tablename__ = "facts"
            __bind_key__ = "facts"
            id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
            region: Mapped[str]

            class Janela(Vocabulary):
                facts = Count()
                region = Dimension()

        return {"Fact": Fact}

    binds = {"facts": bind(f"duckdb:///{tmp_path / 'facts.duckdb'}")}
    with well(with_=facts, SQLALCHEMY_BINDS=binds, made=None) as made:
        assert "has no table facts." in only(made, "missing-tables").what
        with made.db.engines["facts"].begin() as connection:
            connection.exec_driver_sql("CREATE TABLE facts (id INTEGER)")
        assert "the table facts has no column region." in only(made, "missing-columns").what
        with made.db.engines["facts"].begin() as connection:
            connection.exec_driver_sql("ALTER TABLE facts ADD COLUMN region VARCHAR")
        assert seen(made) == []


def test_no_database_at_all() -> None:
    """Neither a default one, nor an application that its SQLAlchemy knows."""
    for known in (True, False):
        app = Flask("host")
        app.config.update(SECRET_KEY="x", SQLALCHEMY_BINDS={"other": "sqlite://"})
        janela = Janela()
        janela.scope(scope)
        janela.init_app(app, SQLAlchemy(app) if known else SQLAlchemy())
        report = examine(app)
        assert [each.name for each in report.findings if each.level == "error"] == [
            "unreachable-database",
            "no-authentication",
        ]
        assert "SQLALCHEMY_DATABASE_URI" in report.findings[0].fix


def test_the_default_database_is_down(tmp_path: Path) -> None:
    """One finding: what the host's own functions meet there is no other."""

    def needs_rows(model: t.Any, caller: t.Any) -> t.Any:
        made.db.session.scalars(sa.select(Frame)).all()
        return sa.select(model)

    url = f"sqlite:///{tmp_path / 'away' / 'host.sqlite'}"
    (tmp_path / "away").mkdir()
    with well("scope", SQLALCHEMY_DATABASE_URI=url) as made:
        made.janela.scope(needs_rows)
        made.janela.caller_loader(lambda id_: made.db.session.scalars(sa.select(Frame)).first())
        made.db.session.remove()
        made.db.engine.dispose()
        (tmp_path / "away" / "host.sqlite").unlink()
        (tmp_path / "away").rmdir()
        found = [each for each in seen(made) if each.level != "note"]
        assert [each.name for each in found] == ["unreachable-database"]
        assert "***" not in found[0].what


def test_a_password_is_not_told() -> None:
    url = "postgresql+psycopg://somebody:hush@127.0.0.1:1/nothing"
    with well(SQLALCHEMY_BINDS={"facts": url}, made=None, with_=_on_facts) as made:
        found = only(made, "unreachable-database")
        assert "somebody:***@" in found.what
        assert "hush" not in str(found)


def _on_facts(db: SQLAlchemy) -> dict[str, t.Any]:
    class Fact(db.Model):  # type: ignore[name-defined,misc]
        __bind_key__ = "facts"
        id: Mapped[int] = mapped_column(primary_key=True)

        class Janela(Vocabulary, name="facts"):
            facts = Count()

    return {"Fact": Fact}


def test_tables_that_are_missing() -> None:
    """Janela's, and those that a vocabulary reads, a related one included."""
    with well() as made:
        made.db.drop_all()
        first, second = seen(made)
        assert (first.name, second.name) == ("missing-tables", "missing-tables")
        assert "janela_frames" in first.what
        assert first.fix == "flask janela upgrade"
        assert "shops" in second.what
        assert "sales" in second.what
        assert made.app.test_cli_runner().invoke(args=["janela", "upgrade"]).exit_code == 0
        assert "sales" in only(made, "missing-tables").what
        made.db.create_all()
        assert seen(made) == []


def test_tables_that_are_missing_without_alembic(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "alembic", None)
    with well() as made:
        _no_tables(made)
        assert only(made, "missing-tables").fix == "flask janela init"
        assert made.app.test_cli_runner().invoke(args=["janela", "init"]).exit_code == 0
        assert seen(made) == []


def test_a_table_that_went_when_no_revision_is_left_to_run() -> None:
    with well() as made:
        running.upgrade(made.db.engine, made.db.metadata)
        with made.db.engine.begin() as connection:
            connection.exec_driver_sql("DROP TABLE janela_favourites")
        assert only(made, "missing-tables").fix == "flask janela init"
        assert made.app.test_cli_runner().invoke(args=["janela", "init"]).exit_code == 0
        assert seen(made) == []


def test_tables_of_a_host_with_migrations() -> None:
    """Then it is a revision that makes them."""
    with well() as made:
        made.db.drop_all()
        Migrate(made.app, made.db)
        assert {each.fix for each in seen(made)} == {
            'flask db migrate -m "The tables that Janela needs" && flask db upgrade'
        }


def test_a_column_that_a_revision_adds() -> None:
    """The command runs it; with no record it looks at what is there."""
    with well() as made:
        _before_the_newest(made)
        assert only(made, "missing-columns").fix == "flask janela upgrade"
        assert made.app.test_cli_runner().invoke(args=["janela", "upgrade"]).exit_code == 0
        assert seen(made) == []


def test_a_column_that_a_revision_among_the_hosts_own_adds(tmp_path: Path) -> None:
    """With Flask-Migrate; what they have run already is mended by statements."""
    (tmp_path / "versions").mkdir()
    lines = "[alembic]\npath_separator = newline\nversion_locations =\n    %(here)s/versions\n"
    (tmp_path / "alembic.ini").write_text(f"{lines}    flask_janela:migrations/versions\n")
    with well() as made:
        _before_the_newest(made)
        Migrate(made.app, made.db, directory=str(tmp_path))
        assert only(made, "missing-columns").fix == "flask db upgrade heads"
        _recorded(made, running.newest())
        assert only(made, "missing-columns").fix.startswith("ALTER TABLE janela_tool_usage ADD")
        _no_tables(made)
        assert only(made, "missing-tables").fix == "flask janela init"
        with made.db.engine.begin() as connection:
            connection.exec_driver_sql("UPDATE alembic_version SET version_num = 'janela_0001'")
        assert only(made, "missing-tables").fix == "flask db upgrade heads"


def test_a_column_that_a_revision_run_by_alembic_alone_adds() -> None:
    with well() as made:
        _before_the_newest(made)
        _recorded(made, "janela_0001", "5f3c0a91b7d2")
        assert only(made, "missing-columns").fix == "alembic upgrade heads"
        with made.db.engine.begin() as connection:
            newest = f"SET version_num = '{running.newest()}' WHERE version_num = 'janela_0001'"
            connection.exec_driver_sql(f"UPDATE alembic_version {newest}")
        assert only(made, "missing-columns").fix.startswith("ALTER TABLE janela_tool_usage ADD")


def _before_the_newest(made: Host) -> None:
    with made.db.engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE janela_tool_usage DROP COLUMN rate_limited")


def _recorded(made: Host, *revisions: str) -> None:
    with made.db.engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE alembic_version (version_num VARCHAR(32))")
        for each in revisions:
            connection.exec_driver_sql(f"INSERT INTO alembic_version VALUES ('{each}')")


TABLES = [table.name for table in Base.metadata.sorted_tables]


@pytest.mark.parametrize("name", TABLES)
def test_a_column_that_is_missing_is_mended_by_what_is_said(name: str) -> None:
    """Typed as it stands, into a table that has a row; each column but the keys.

    That is where no revision is left to run that may add it.
    """
    whole = Base.metadata.tables[name]
    with well() as made:
        running.upgrade(made.db.engine, made.db.metadata)
        for column in whole.columns:
            if column.primary_key:
                continue
            _older(made, whole, column)
            found = only(made, "missing-columns")
            assert found.what.endswith(f"the table {name} has no column {column.name}.")
            with made.db.engine.begin() as connection:
                for statement in found.fix.splitlines():
                    connection.exec_driver_sql(statement.replace("%", "%%"))
            assert seen(made) == [], column.name
            with made.db.engine.connect() as connection:
                value = connection.execute(sa.select(column)).scalar_one()
                indexed = sa.inspect(connection).get_indexes(name)
            assert (value is None) == bool(column.nullable)
            wanted = {index.name for index in whole.indexes if column in index.columns.values()}
            assert wanted <= {index["name"] for index in indexed}


def _older(made: Host, whole: sa.Table, column: sa.Column[t.Any]) -> None:
    """A table in the place of one of Janela's, without one of its columns, and one row in it."""
    others = [
        sa.Column(
            each.name, each.type, primary_key=each.primary_key, autoincrement=each.autoincrement
        )
        for each in whole.columns
        if each is not column
    ]
    older = sa.Table(whole.name, sa.MetaData(), *others)
    with made.db.engine.begin() as connection:
        if connection.dialect.name in ("mysql", "mariadb"):
            connection.exec_driver_sql("SET foreign_key_checks = 0")
        cascade = " CASCADE" if connection.dialect.name == "postgresql" else ""
        connection.exec_driver_sql(f"DROP TABLE {whole.name}{cascade}")
        older.create(connection)
        keys = {each.name: _some(each.type) for each in others if each.primary_key}
        connection.execute(sa.insert(older).values(**keys))


def _some(type_: sa.types.TypeEngine[t.Any]) -> t.Any:
    if isinstance(type_, sa.String):
        return "a"
    return False if isinstance(type_, sa.Boolean) else 1000


def test_a_column_of_the_hosts_is_the_hosts_to_add() -> None:
    with well() as made:
        with made.db.engine.begin() as connection:
            connection.exec_driver_sql("ALTER TABLE sales DROP COLUMN amount")
        assert "no column amount" in only(made, "missing-columns").what
        Migrate(made.app, made.db)
        assert only(made, "missing-columns").fix.startswith("flask db migrate")


# declarations


def test_a_declaration_that_cannot_work() -> None:
    def wrong(db: SQLAlchemy) -> dict[str, t.Any]:
        class Sale(db.Model):  # type: ignore[name-defined,misc]
            id: Mapped[int] = mapped_column(primary_key=True)

            class Janela(Vocabulary):
                profit = Sum("profit")

        return {"Sale": Sale}

    with well(with_=wrong) as made:
        assert '"profit" is not a column of Sale' in only(made, "broken-declarations").what


def test_declarations_that_cannot_work_are_a_finding_each() -> None:
    def wrong(db: SQLAlchemy) -> dict[str, t.Any]:
        class Sale(db.Model):  # type: ignore[name-defined,misc]
            id: Mapped[int] = mapped_column(primary_key=True)

            class Janela(Vocabulary):
                profit = Sum("profit")
                region = Dimension()

        return {"Sale": Sale}

    with well(with_=wrong) as made:
        found = seen(made)
        assert [each.name for each in found] == ["broken-declarations"] * 2
        assert "Sale.Janela.profit" in found[0].what
        assert "Sale.Janela.region" in found[1].what


def test_models_that_cannot_be_mapped() -> None:
    """SQLAlchemy's own words, in one line."""
    with well(with_=lambda db: {}) as made:

        class Sale(made.db.Model):  # type: ignore[name-defined,misc]
            id: Mapped[int] = mapped_column(primary_key=True)
            shop = relationship("Nowhere")

        made.models.Sale = Sale
        try:
            assert "Nowhere" in only(made, "broken-declarations").what
        finally:
            # No other test's mappers are to wait for this one.
            made.db.Model.registry.dispose()  # type: ignore[attr-defined]


def test_a_tool_that_cannot_be() -> None:
    with well() as made:
        made.janela.before_tool("vanish")(lambda *given: None)
        assert "there is no such tool" in only(made, "broken-declarations").what


def test_nothing_is_declared() -> None:
    with well(with_=lambda db: {}) as made:
        only(made, "nothing-declared", "warning")


# the scope


def test_there_is_no_scope() -> None:
    with well("scope") as made:
        assert "@janela.scope" in only(made, "no-scope").fix


def test_a_scope_that_raises_for_somebody() -> None:
    """Once for a model, whoever else it raises for."""

    def by_tenant(model: t.Any, caller: t.Any) -> t.Any:
        if model is Frame:
            return sa.select(model)
        return sa.select(model).where(model.region == caller.tenant_id)

    with well("scope") as made:
        made.janela.scope(by_tenant)
        found = seen(made)
        assert [(each.name, each.level) for each in found] == [("scope-raises", "error")] * 2
        assert "The scope of Sale, asked as user:ana, raises AttributeError" in found[0].what
        assert "'tenant_id'" in found[0].what
        assert "Answer for Janela's own ToolCall too" in found[1].fix


def test_a_scope_that_raises_for_nobody_only_reads_nothing_for_nobody() -> None:
    """Which is as it should be, and worth a note to whoever allows nobody."""
    with well("scope") as made:
        made.janela.scope(lambda model, caller: sa.select(model).where(caller.id != ""))
        found = only(made, "scope-raises", "note")
        assert "The scope of Sale, Frame, asked as nobody, raises" in found.what
        assert "So nobody reads anything" in found.what
        assert "allow_anonymous=True" in found.fix


def test_a_scope_that_goes_by_current_user_is_told_from_others() -> None:
    """It works on pages and breaks in tools, jobs and commands."""
    with well("scope") as made:
        made.janela.scope(
            lambda model, caller: sa.select(model).where(flask_login.current_user.name != "")
        )
        found = seen(made)
        assert {each.name for each in found} == {"scope-raises"}
        assert all("it reads current_user" in each.fix for each in found)


@pytest.mark.parametrize("refusal", [PermissionError, flask.abort], ids=["own", "werkzeug"])
def test_a_scope_that_refuses_does_not_break(refusal: t.Any) -> None:
    def refuses(model: t.Any, caller: t.Any) -> t.Any:
        if refusal is PermissionError:
            raise PermissionError
        flask.abort(403)

    with well("scope") as made:
        made.janela.denies_with(PermissionError)
        made.janela.scope(refuses)
        assert seen(made) == []


def test_a_scope_whose_statement_the_database_refuses() -> None:
    """Found without reading a row; the session can be used afterwards."""
    with well("scope") as made:
        made.janela.scope(lambda model, caller: sa.select(model).where(sa.text("vanished = 1")))
        found = seen(made)
        assert {each.name for each in found} == {"scope-raises"}
        assert "a statement that fails" in found[0].what
        assert "vanished" in found[0].what
        assert made.db.session.scalars(sa.select(Frame)).all() == []


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda model: None, "answered None"),
        (lambda model: [], "answered with a list"),
        (lambda model: sa.select(model.id), "answered a select of id"),
    ],
    ids=["nothing", "a list", "a column"],
)
def test_a_scope_that_returns_the_wrong_thing(answer: t.Any, said: str) -> None:
    def wrong(model: t.Any, caller: t.Any) -> t.Any:
        right = caller is None or model.__name__ != "Sale"
        return sa.select(model) if right else answer(model)

    with well("scope") as made:
        made.janela.scope(wrong)
        found = only(made, "scope-returns-wrong-thing")
        assert f"The scope of Sale {said}" in found.what
        assert "asked as user:ana" in found.what
        assert found.fix.startswith("It must answer with a select of Sale")


@pytest.mark.parametrize(
    "shape",
    [
        lambda model, session: session.query(model),
        lambda model, session: sa.select(model).union(sa.select(model)),
        lambda model, session: sa.select(model).distinct(),
    ],
    ids=["a legacy query", "a union", "distinct"],
)
def test_any_shape_of_a_select_is_right(shape: t.Any) -> None:
    with well("scope") as made:
        # PostgreSQL tells no two frames apart by all their columns: one of them is JSON.
        made.janela.scope(
            lambda model, caller: (
                shape(model, made.db.session) if model is made.models.Sale else sa.select(model)
            )
        )
        assert seen(made) == []


def test_nothing_returned_for_nobody_is_a_note() -> None:
    with well("scope") as made:
        made.janela.scope(lambda model, caller: None if caller is None else sa.select(model))
        only(made, "scope-returns-wrong-thing", "note")


# people


def _without_login(made: Host) -> None:
    del made.app.login_manager  # type: ignore[attr-defined]


def _without_loader(made: Host) -> None:
    made.app.login_manager._user_callback = None  # type: ignore[attr-defined]
    made.janela.caller_loader(made.people.get)


def _without_key(made: Host) -> None:
    made.app.config["SECRET_KEY"] = None


@pytest.mark.parametrize("broken", [_without_login, _without_loader, _without_key])
def test_nobody_can_sign_in(broken: Break) -> None:
    """Unless the host says in its own way who asks."""
    with well() as made:
        if broken is _without_login:
            made.janela.caller_loader(made.people.get)
        broken(made)
        only(made, "no-authentication")
        made.janela.current_caller(lambda: made.people["ana"])
        assert seen(made) == []


def test_tokens_need_no_key() -> None:
    with well() as made:
        _without_key(made)
        made.app.login_manager.request_loader(lambda request: None)  # type: ignore[attr-defined]
        assert seen(made) == []


def _raising(*given: t.Any, **named: t.Any) -> t.Any:
    raise LookupError("no such team")


@pytest.mark.parametrize("hook", ["permission", "owner", "timezone", "locale"])
def test_a_hook_that_raises(hook: str) -> None:
    """Told once, as whom; one that refuses is no fault."""
    with well("permission" if hook == "permission" else "") as made:
        getattr(made.janela, hook)(_raising)
        found = only(made, "hook-raises")
        assert "asked about user:ana, raises LookupError: no such team." in found.what
        assert hook in found.what
        made.janela.denies_with(LookupError)
        assert seen(made) == []


def test_a_hook_that_raises_is_told_beside_a_scope_that_is_missing() -> None:
    with well("scope", "permission") as made:
        made.janela.permission(_raising)
        made.janela.timezone(_raising)
        assert [each.name for each in seen(made)] == ["no-scope", "hook-raises"]


def test_a_loader_that_raises() -> None:
    """For the person who was asked for, and for those whom rows name."""

    def load(id_: str) -> t.Any:
        raise AttributeError("no cache")

    with well() as made:
        made.janela.caller_loader(load)
        found = seen(made)
        assert [each.name for each in found] == ["hook-raises", "not-checked"]
        assert "raises AttributeError: no cache." in found[0].what
        made.add(Frame(key="a", name="A", created_by="user:ana"))
        assert seen(made, None) == found


def by_owner(model: t.Any, caller: t.Any) -> t.Any:
    if caller is None:
        return sa.select(model).where(sa.false())
    if model is Frame:
        return sa.select(Frame).where(Frame.owner_id == caller.id)
    return sa.select(model)


def by_owner_among_others(model: t.Any, caller: t.Any) -> t.Any:
    if model is not Frame or caller is None:
        return scope(model, caller)
    mine = sa.select(Frame.id).where(Frame.owner_slot == "4:user:3:ana")
    return sa.select(Frame).where(Frame.id.in_(mine)).union_all(sa.select(Frame).where(sa.false()))


@pytest.mark.parametrize("filters", [by_owner, by_owner_among_others])
def test_a_scope_by_owner_where_nobody_sets_one(filters: t.Any) -> None:
    with well("scope") as made:
        made.janela.scope(filters)
        assert "@janela.owner" in only(made, "no-owner-hook", "warning").fix
        made.janela.owner(lambda caller: ("user", caller.id))
        assert seen(made) == []


def test_a_scope_by_something_else_needs_no_owner() -> None:
    with well("scope") as made:
        made.janela.scope(
            lambda model, caller: (
                sa.select(model).where(Frame.name != "") if model is Frame else sa.select(model)
            )
        )
        assert seen(made) == []


def test_a_roster_that_nobody_may_see() -> None:
    """Without a permission function that is certain; calls that are not kept need no roster."""
    with well("permission") as made:
        only(made, "roster-nobody-may-see", "warning")
    with well("permission", JANELA_RECORDER="off") as made:
        assert seen(made) == []


def users(db: SQLAlchemy) -> dict[str, t.Any]:
    class User(flask_login.UserMixin, db.Model):  # type: ignore[name-defined,misc]
        __tablename__ = "users"
        id: Mapped[int] = mapped_column(primary_key=True)
        is_ops: Mapped[bool] = mapped_column(default=False)

    return define(db) | {"User": User}


def test_a_roster_that_is_refused_to_all_users() -> None:
    """All there are must be known: of a sample it would be no more than a guess."""
    with well("permission", with_=users) as made:
        made.janela.permission(
            lambda caller, action, subject=None: action != "roster" or caller.is_ops
        )
        user = made.models.User
        assert [each.name for each in seen(made, None)] == ["not-checked"]
        made.add(user(), user())
        found = list(examine(made.app).findings)
        assert [each.name for each in found] == ["roster-nobody-may-see"]
        assert "each of the 2 users" in found[0].what
        made.add(user(is_ops=True))
        assert seen(made, None) == []


def test_pages_that_are_refused_to_all_users() -> None:
    """As by a permission that ends without ``return``; one person who may is enough."""
    allowed: list[int] = []

    def may(caller: t.Any, action: str, subject: t.Any = None) -> t.Any:
        return True if caller.id in allowed else None

    with well("permission", with_=users, JANELA_RECORDER="off") as made:
        user = made.models.User
        made.add(user(id=1), user(id=2))
        made.janela.caller_loader(lambda id_: made.db.session.get(user, int(id_)))
        made.janela.permission(may)
        found = [each for each in seen(made, None) if each.level == "error"]
        assert [each.name for each in found] == ["pages-nobody-may-open"]
        assert "refuses view to each of the 2 users" in found[0].what
        assert "without return" in found[0].fix
        allowed.append(2)
        assert seen(made, None) == []


def test_a_hook_of_another_signature_is_told_how_it_is_called() -> None:
    with well("permission") as made:
        made.janela.permission(lambda caller, action: True)
        assert "It is called as f(caller, action, subject)." in only(made, "hook-raises").fix


def test_errors_come_first_and_notes_last() -> None:
    """Whatever they are about."""
    with well("scope", JANELA_RECODER="off") as made:
        found = seen(made, None)
        assert [each.level for each in found] == sorted(
            (each.level for each in found), key=("error", "warning", "note").index
        )
        assert {each.level for each in found} >= {"error", "warning"}


def test_people_are_found_in_rows_and_among_users() -> None:
    """Those whom Janela's own rows name first; whoever is gone is left out."""
    with well(with_=users) as made:
        user = made.models.User
        made.add(user(id=1), user(id=2))
        loaded: cabc.Callable[[str], t.Any] = lambda id_: made.db.session.get(user, int(id_))  # noqa: E731
        made.janela.caller_loader(loaded)
        made.add(
            Frame(key="a", name="A", created_by="user:2", updated_by="user:9"),
            Frame(key="b", name="B", created_by="forgotten"),
        )
        assert examine(made.app).asked_as == ("user:2", "user:1")
        assert examine(made.app, as_="user:1").asked_as == ("user:1",)


def test_where_nobody_is_found_that_is_said() -> None:
    with well() as made:
        (found,) = seen(made, None)
        assert (found.name, found.level) == ("not-checked", "note")
        assert found.fix == "flask janela doctor --as user:42"


# rows


def arranged(made: Host, **options: t.Any) -> Frame:
    frame = Frame.for_owner(None, "a", name="Week")
    add_pane(frame, **{"model": "sales", "measure": "sales"} | options)
    made.db.session.commit()
    return frame


VANISHED: dict[str, tuple[type, dict[str, t.Any], str]] = {
    "model": (Pane, {"model": "gone"}, '"gone" is not a model'),
    "measure": (Pane, {"measure": "gone"}, '"gone" is not a measure of sales'),
    "dimension": (Pane, {"dimension": "gone"}, '"gone" is not a dimension of sales'),
    "companion": (Pane, {"companions": ["gone"]}, '"gone" is not a measure or a category'),
    "filter": (Pane, {"filters": {"gone": ["x"]}}, '"gone"'),
    "frame's filter": (Frame, {"filters": {"sales.gone": ["x"]}}, "its own filter, "),
    "template": (
        Pane,
        {"kind": "partial", "partial": "gone.html"},
        "there is no template janela_content/gone.html",
    ),
    "nonsense": (Pane, {"span": 13}, "use a whole number from 1 to 12"),
}


@pytest.mark.parametrize("kind", VANISHED)
def test_rows_that_name_what_has_vanished(kind: str) -> None:
    """Those that were removed are left in peace."""
    row, values, said = VANISHED[kind]
    with well() as made:
        frame = arranged(made)
        made.db.session.execute(sa.update(row).values(**values))
        made.db.session.commit()
        found = only(made, "undeclared-rows", "warning")
        assert found.what.startswith("The frame “Week” asks for what is not declared: ")
        assert said in found.what
        assert f"/janela/frames/{frame.id}/arrange" in found.fix
        gone = sa.update(row).values(removed_at=dt.datetime(2013, 1, 1))
        made.db.session.execute(gone)
        made.db.session.commit()
        assert seen(made) == []


def test_what_is_hidden_from_some_is_declared() -> None:
    """Measures, filters, words, and a template that is there."""
    with well(with_=define) as made:
        templates = jinja2.DictLoader({"janela_content/there.html": "hello"})
        made.app.jinja_loader = templates  # type: ignore[assignment]
        arranged(made, measure="secret", filters={"city": ["Porto"]}, dimension="region")
        frame = made.db.session.scalars(sa.select(Frame)).one()
        add_pane(frame, kind="text", body="Mind.")
        add_pane(frame, kind="partial", partial="there.html")
        frame.filters = {"region": ["EU"]}
        made.db.session.commit()
        assert seen(made) == []


def test_many_frames_are_told_of_in_short(monkeypatch: pytest.MonkeyPatch) -> None:
    from flask_janela.doctor import rows

    monkeypatch.setattr(rows, "MOST_FRAMES", 1)
    with well() as made:
        for key in "abc":
            frame = Frame.for_owner(None, key, name=key)
            add_pane(frame, model="sales", measure="sales")
        made.db.session.commit()
        made.db.session.execute(sa.update(Pane).values(measure="gone"))
        made.db.session.commit()
        _, more = seen(made)
        assert more.what == "And so do 2 more frames."


# speed


def wide(db: SQLAlchemy) -> dict[str, t.Any]:
    class Shop(db.Model):  # type: ignore[name-defined,misc]
        __tablename__ = "shops"
        id: Mapped[int] = mapped_column(primary_key=True)
        city: Mapped[str]

    class Sale(db.Model):  # type: ignore[name-defined,misc]
        __tablename__ = "sales"
        __table_args__ = (
            sa.Index("ix_sales_region_at", "region", "sold_at"),
            sa.UniqueConstraint("number"),
        )
        id: Mapped[int] = mapped_column(primary_key=True)
        # Without a foreign key, for which MySQL and MariaDB make an index by themselves.
        shop_id: Mapped[int | None]
        region: Mapped[str]
        number: Mapped[int]
        sold_at: Mapped[dt.datetime]
        paid: Mapped[bool] = mapped_column(default=True)
        shop: Mapped[Shop | None] = relationship(
            primaryjoin=lambda: sa.orm.foreign(Sale.shop_id) == Shop.id, viewonly=True
        )

        class Janela(Vocabulary):
            sales = Count()
            key = Dimension("id")
            number = Dimension()
            region = Dimension()
            city = Dimension("shop.city")
            paid = Dimension()
            sold = TimeDimension("sold_at")

    return {"Sale": Sale}


def test_filters_that_read_a_large_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """A column that no index begins with; what is said is what mends it."""
    monkeypatch.setattr(speed, "LARGE", 3)
    with well(with_=wide) as made:
        sold = dt.datetime(2013, 7, 4)
        sale = made.models.Sale
        made.add(*(sale(region="EU", number=at, sold_at=sold) for at in range(3)))
        assert seen(made) == []
        made.add(sale(region="EU", number=3, sold_at=sold))
        first, second = seen(made)
        assert {first.name, second.name} == {"slow-filters"}
        assert {first.level, second.level} == {"warning"}
        assert "A filter on city of sales reads all of sales" in first.what
        assert "no index begins with shop_id" in first.what
        assert "no index begins with sold_at" in second.what
        assert "index=True on Sale.sold_at" in second.fix
        with made.db.engine.begin() as connection:
            for each in (first, second):
                connection.exec_driver_sql(each.fix.splitlines()[0])
        assert seen(made) == []


@pytest.mark.not_on("mariadb")
def test_an_index_over_some_rows_serves_no_filter_on_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed, "LARGE", 1)
    with well() as made:
        sale = made.models.Sale
        made.add(*(sale(region="EU", amount=1) for _ in range(2)))
        assert seen(made) == []
        with made.db.engine.begin() as connection:
            connection.exec_driver_sql("DROP INDEX ix_sales_region")
            connection.exec_driver_sql("CREATE INDEX ix_some ON sales (region) WHERE amount = 1")
        assert "begins with region" in only(made, "slow-filters", "warning").what
        made.app.extensions["migrate"] = object()
        assert only(made, "slow-filters", "warning").fix == (
            'index=True on Sale.region, then flask db migrate -m "The indexes that Janela needs" '
            "&& flask db upgrade"
        )


# zones


def zoned(db: SQLAlchemy) -> dict[str, t.Any]:
    class Sale(db.Model):  # type: ignore[name-defined,misc]
        __tablename__ = "sales"
        id: Mapped[int] = mapped_column(primary_key=True)
        sold_at: Mapped[dt.datetime]

        class Janela(Vocabulary):
            sales = Count()
            early = Count(
                where=lambda sale: (
                    sa.func.hour(sa.func.convert_tz(sale.sold_at, "UTC", "Europe/Lisbon")) < 12
                )
            )
            sold = TimeDimension("sold_at")

    return {"Sale": Sale}


def _knows_zones(made: Host) -> bool:
    named = sa.text("SELECT CONVERT_TZ('2013-07-04 12:00:00', 'UTC', 'Europe/Lisbon')")
    return made.db.session.scalar(named) is not None


@pytest.mark.not_on("sqlite", "postgresql")
def test_zones_that_the_server_does_not_know(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where an expression of the host's names one, and nowhere else."""
    with well(with_=zoned) as made:
        if _knows_zones(made):
            assert seen(made) == []
        else:
            assert "sales.early" in only(made, "time-zone-tables").what
        offsets = sa.text("SELECT CONVERT_TZ('2013-07-04 12:00:00', '+00:00', '+01:00')")
        from flask_janela.doctor import zones

        monkeypatch.setattr(zones, "_ASKED", offsets)
        assert seen(made) == []


def test_zones_that_janela_needs_itself_are_not_the_databases() -> None:
    """A report zone and a time dimension need no tables anywhere."""

    def timed(db: SQLAlchemy) -> dict[str, t.Any]:
        class Sale(db.Model):  # type: ignore[name-defined,misc]
            __tablename__ = "sales"
            id: Mapped[int] = mapped_column(primary_key=True)
            sold_at: Mapped[dt.datetime]

            class Janela(Vocabulary):
                sales = Count()
                sold = TimeDimension("sold_at", stored="America/New_York")

        return {"Sale": Sale}

    with well(with_=timed, JANELA_TIMEZONE="Europe/Lisbon") as made:
        assert seen(made) == []


# recording


def test_calls_that_were_dropped_lately() -> None:
    """As long as single calls are kept; not those of long ago."""
    with well() as made:
        now = dt.datetime.now(dt.UTC).replace(tzinfo=None)
        made.add(ToolMark(name="dropped", value=1200, at=now - dt.timedelta(days=31)))
        assert seen(made) == []
        made.db.session.execute(sa.update(ToolMark).values(at=now - dt.timedelta(days=29)))
        made.db.session.commit()
        found = only(made, "recorder-losing-calls", "warning")
        assert found.what.startswith("1,200 calls of tools could not be written, the last on ")


def test_calls_that_cannot_be_written(tmp_path: Path) -> None:
    """Tried in a transaction that is taken back: there is no trace of it where it works."""
    path = tmp_path / "host.sqlite"
    with well(SQLALCHEMY_DATABASE_URI=f"sqlite:///{path}") as made:
        assert seen(made) == []
        with made.db.engine.connect() as connection:
            for table in ("janela_tool_calls", "janela_tool_marks"):
                assert connection.exec_driver_sql(f"SELECT * FROM {table}").all() == []
    url = f"sqlite:///file:{path}?mode=ro&uri=true"
    with well(SQLALCHEMY_DATABASE_URI=url) as made:
        assert "The database is read only." in only(made, "recorder-losing-calls").what
    with well(SQLALCHEMY_DATABASE_URI=url, JANELA_RECORDER="off") as made:
        assert seen(made) == []


@pytest.mark.parametrize("table", ["sales", "janela_tool_calls"])
def test_what_a_database_does_not_let_be_looked_at_is_said(tmp_path: Path, table: str) -> None:
    """A view over a table that is gone: no trace, and the other checks are made."""
    url = f"sqlite:///{tmp_path / 'host.sqlite'}"
    with well("permission", SQLALCHEMY_DATABASE_URI=url) as made:
        with made.db.engine.begin() as connection:
            connection.exec_driver_sql(f"DROP TABLE {table}")
            connection.exec_driver_sql(f"CREATE VIEW {table} AS SELECT * FROM gone")
        found = seen(made)
        assert {each.name for each in found} == {"not-checked", "roster-nobody-may-see"}
        assert any("missing-tables" in each.what and "gone" in each.what for each in found)
        # Nor is there one where people are looked for.
        assert {"not-checked"} < {each.name for each in seen(made, None)}
        assert all('JANELA_SILENCED_CHECKS = ["' in f.fix for f in found if f.name == "not-checked")


def test_a_setting_that_is_never_read() -> None:
    """A misspelt one is told what is near; what does not begin as Janela's is the host's own."""
    with well(JANELA_RECODER="off", JANELA_PORT=5000, MY_JANELA_PORT=5000) as made:
        found = {each.what.split('"')[1]: each for each in seen(made)}
        assert set(found) == {"JANELA_RECODER", "JANELA_PORT"}
        assert {(each.name, each.level) for each in found.values()} == {
            ("unknown-setting", "warning")
        }
        assert found["JANELA_RECODER"].fix == "Did you mean JANELA_RECORDER?"
        assert found["JANELA_PORT"].fix == "Take it out, or give it another name."
    with well(JANELA_RECORDER="off", JANELA_TIMEZONE="Europe/Lisbon") as made:
        assert seen(made) == []


# the command


def _told(made: Host, *arguments: str) -> t.Any:
    return made.app.test_cli_runner().invoke(args=["janela", "doctor", *arguments])


def test_the_command_says_that_there_is_nothing_to_fix() -> None:
    with well() as made:
        result = _told(made, "--as", ANA)
        assert (result.exit_code, result.output) == (
            0,
            "Nothing to fix. Asked as nobody and as user:ana.\n",
        )


def test_warnings_leave_the_status_at_0_and_errors_do_not() -> None:
    with well("permission") as made:
        result = _told(made, "--as", ANA)
        assert result.exit_code == 0
        assert result.output.startswith("warning roster-nobody-may-see\n  Calls of tools")
        assert "\n  → Grant the action" in result.output
        assert "0 errors, 1 warning. " in result.output
    with well("scope") as made:
        result = _told(made, "--as", ANA)
        assert result.exit_code == 1
        assert "1 error, 0 warnings. " in result.output


def test_the_report_as_json() -> None:
    with well("scope", "permission") as made:
        result = _told(made, "--json", "--as", ANA)
        assert result.exit_code == 1
        told = json.loads(result.output)
        assert {key: told[key] for key in ("schema_version", "errors", "warnings", "notes")} == {
            "schema_version": 1,
            "errors": 1,
            "warnings": 1,
            "notes": 0,
        }
        first, second = told["findings"]
        assert set(first) == {"name", "level", "what", "fix"}
        assert (first["name"], second["name"]) == ("no-scope", "roster-nobody-may-see")
        assert told["asked_as"] == [ANA]
        assert told["silenced"] == []


def test_what_is_silenced_is_not_found_and_is_said() -> None:
    silenced = ["roster-nobody-may-see", "no-scope"]
    with well("scope", "permission", JANELA_SILENCED_CHECKS=silenced) as made:
        result = _told(made, "--as", ANA)
        assert result.exit_code == 0
        assert "Silenced: no-scope, roster-nobody-may-see." in result.output


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["no-scopes"], 'names "no-scopes", which is no check; there is unknown-setting'),
        ("no-scope", 'use a list of names, such as ["no-owner-hook", "slow-filters"]'),
        ([1], "use a list of names"),
    ],
    ids=str,
)
def test_a_name_that_is_no_checks_is_refused_at_start_up(given: t.Any, said: str) -> None:
    with pytest.raises(settings_of.ConfigurationError) as caught:
        settings_of.Config.read({"JANELA_SILENCED_CHECKS": given})
    assert said in caught.value.message


def test_somebody_who_is_gone_cannot_be_asked_as() -> None:
    """One sentence."""
    with well() as made:
        result = _told(made, "--as", "user:42")
        assert result.exit_code == 1
        assert result.output == 'Error: "user:42" is no longer somebody who may ask.\n'


# ten hosts, each with one thing amiss


def _no_tables(made: Host) -> None:
    made.db.drop_all()
    made.db.metadata.create_all(
        made.db.engine, tables=[made.models.Shop.__table__, made.models.Sale.__table__]
    )


def _old_table(made: Host) -> None:
    with made.db.engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE janela_panes DROP COLUMN value_labels")


def _wrong_thing(made: Host) -> None:
    made.janela._hooks.scope = lambda model, caller: made.db.session.scalars(sa.select(model)).all()


def _raises(made: Host) -> None:
    made.janela._hooks.scope = lambda model, caller: (
        sa.select(model).where(model.team == caller.team)
        if caller and model is made.models.Sale
        else sa.select(model)
    )


def _dropped(made: Host) -> None:
    made.add(ToolMark(name="dropped", value=1, at=dt.datetime.now(dt.UTC).replace(tzinfo=None)))


def _vanished(made: Host) -> None:
    arranged(made)
    made.db.session.execute(sa.update(Pane).values(filters={"gone": ["x"]}))
    made.db.session.commit()


def _no_roster(made: Host) -> None:
    made.janela._hooks.permission = None


def _no_owner(made: Host) -> None:
    made.janela._hooks.scope = by_owner


def _no_scope(made: Host) -> None:
    made.janela._hooks.scope = None


BROKEN: dict[str, tuple[Break, int]] = {
    "missing-tables": (_no_tables, 1),
    "missing-columns": (_old_table, 1),
    "no-scope": (_no_scope, 1),
    "scope-raises": (_raises, 1),
    "scope-returns-wrong-thing": (_wrong_thing, 1),
    "no-authentication": (_without_loader, 1),
    "no-owner-hook": (_no_owner, 0),
    "undeclared-rows": (_vanished, 0),
    "roster-nobody-may-see": (_no_roster, 0),
    "recorder-losing-calls": (_dropped, 0),
}


@pytest.mark.parametrize("name", BROKEN)
def test_ten_broken_hosts(name: str) -> None:
    """Each with the right finding and nothing else."""
    broken, status = BROKEN[name]
    with well() as made:
        broken(made)
        result = _told(made, "--json", "--as", ANA)
        assert result.exit_code == status, result.output
        assert {each["name"] for each in json.loads(result.output)["findings"]} == {name}


# the example


def test_the_example_has_nothing_to_fix(flights_app: Flask) -> None:
    """Over all its flights, asked as all of its people. It answers for people, not for nobody."""
    result = flights_app.test_cli_runner().invoke(args=["janela", "doctor", "--json"])
    told = json.loads(result.output)
    assert result.exit_code == 0
    assert (told["errors"], told["warnings"]) == (0, 0), told["findings"]
    assert [each["level"] for each in told["findings"]] == ["note"]
    everybody = {"user:lead", "user:admin", "user:analyst-ua", "user:analyst-dl"}
    assert set(told["asked_as"]) == everybody
