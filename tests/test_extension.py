"""The extension's habits: several apps, one registration each, errors that guess the cause."""

from __future__ import annotations

import dataclasses
import pickle
import types
import typing as t
from pathlib import Path

import flask
import flask_login
import pytest
import sqlalchemy as sa
from flask_sqlalchemy import SQLAlchemy
from hosts import Person, host, shop
from sqlalchemy.orm import Mapped, mapped_column

from flask_janela import (
    CallerGone,
    Count,
    Dimension,
    Janela,
    JanelaError,
    Unauthenticated,
    Vocabulary,
)
from flask_janela import caller as callers
from flask_janela.config import Config, ConfigurationError
from flask_janela.doctor import examine
from flask_janela.frames import Frame, add_pane
from flask_janela.state import NotInitialised, current_state


def test_a_second_init_app_is_refused() -> None:
    """With a guess at the cause."""
    with host(shop) as h, pytest.raises(JanelaError, match="Did you call init_app twice"):
        h.janela.init_app(h.app, h.db)


def test_use_without_init_app_is_refused() -> None:
    """With a guess at the cause."""
    with flask.Flask("other").app_context(), pytest.raises(NotInitialised, match="Did you forget"):
        Janela().check()
    with pytest.raises(NotInitialised, match="no current Flask application"):
        Janela().check()


def test_janela_of_an_app_alone_is_refused() -> None:
    """The database is needed too."""
    with pytest.raises(JanelaError, match=r"Janela\(app, db\)"):
        Janela(flask.Flask("host"))


def test_one_janela_serves_several_apps() -> None:
    """Settings are each app's own; nothing about an app is on the object."""
    janela = Janela()
    janela.scope(lambda model, caller: sa.select(model))
    zones = []
    for zone in ("UTC", "Europe/Lisbon"):
        app = flask.Flask(zone.replace("/", "_"))
        app.config.update(SQLALCHEMY_DATABASE_URI="sqlite://", JANELA_TIMEZONE=zone)
        janela.init_app(app, SQLAlchemy(app))
        with app.app_context():
            zones.append(current_state().config.timezone.key)
    assert zones == ["UTC", "Europe/Lisbon"]
    assert set(vars(janela)) == {"_hooks"}


@pytest.mark.parametrize("hook", ["scope", "permission", "owner", "current_caller", "timezone"])
def test_a_hook_is_registered_once(hook: str) -> None:
    """A second function would silently replace the first."""
    janela = Janela()

    def first() -> None: ...
    def second() -> None: ...

    register = getattr(janela, hook)
    assert register(first) is first
    register(first)
    with pytest.raises(JanelaError, match=rf"@janela\.{hook} is registered twice"):
        register(second)


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"JANELA_TIMEZONE": "Mars/Olympus"}, "use an IANA time zone"),
        ({"JANELA_TIMEZONE": "../etc"}, "use an IANA time zone"),
        ({"JANELA_WEEK_START": "someday"}, "use one of monday"),
        ({"JANELA_WEEK_START": "locale"}, "beside a JANELA_LOCALE"),
        ({"JANELA_LOCALE": "klingon"}, "use a locale such as"),
        ({"JANELA_URL_PREFIX": "janela"}, "must start with a slash"),
    ],
    ids=str,
)
def test_a_setting_that_cannot_be_is_refused_at_start_up(
    config: dict[str, t.Any], said: str
) -> None:
    """The key, the value and what is allowed."""
    with pytest.raises(ConfigurationError, match=said):
        Config.read(config)


def test_settings_are_read() -> None:
    """Each key becomes what the package works with."""
    config = Config.read(
        {
            "JANELA_TIMEZONE": "Europe/Lisbon",
            "JANELA_WEEK_START": "Sunday",
            "JANELA_LOCALE": "pt-PT",
            "JANELA_URL_PREFIX": "/panes/",
            "JANELA_BASE_TEMPLATE": "site.html",
        }
    )
    assert config.timezone.key == "Europe/Lisbon"
    assert (config.week_start, str(config.locale)) == (6, "pt_PT")
    assert (config.url_prefix, config.base_template) == ("/panes", "site.html")


@pytest.mark.parametrize(("locale", "first"), [("de_DE", 0), ("pt_PT", 6), ("ar_EG", 5)])
def test_weeks_may_begin_as_the_locale_has_them(locale: str, first: int) -> None:
    """The site's own locale, so that a week is the same for all who read there."""
    given = {"JANELA_LOCALE": locale, "JANELA_WEEK_START": "locale"}
    assert Config.read(given).week_start == first
    assert Config.read({"JANELA_LOCALE": locale}).week_start == 0


def test_a_reference_travels_and_finds_the_person_again() -> None:
    """It is a plain text; the person is loaded anew wherever it arrives."""
    with host(shop) as h:
        reference = h.janela.caller_ref(h.people["ana"])
        assert reference == "user:ana"
        assert h.janela.load_caller(pickle.loads(pickle.dumps(reference))) is h.people["ana"]


def test_current_user_is_unwrapped() -> None:
    """The reference and the reading belong to the person, not to whoever asks last."""
    with host(shop) as h, h.app.test_request_context():
        flask_login.login_user(h.people["ana"])
        assert h.janela.caller_ref(flask_login.current_user) == "user:ana"
        assert h.janela.reader(flask_login.current_user).caller is h.people["ana"]


@pytest.mark.parametrize(
    "reference", ["user:nobody", "user:", "ana", "", "group:ana", "user:" + "x" * 300]
)
def test_a_reference_to_nobody_is_gone(reference: str) -> None:
    """Never somebody else, and never nobody in particular."""
    with host(shop) as h, pytest.raises(CallerGone):
        h.janela.load_caller(reference)


def test_an_inactive_person_is_gone() -> None:
    """As if they no longer existed."""

    @dataclasses.dataclass
    class Left(Person):
        is_active = False  # type: ignore[assignment]

    with host(shop) as h:
        h.people["eva"] = Left("eva")
        with pytest.raises(CallerGone, match="no longer somebody who may ask"):
            h.janela.load_caller("user:eva")


def test_a_host_can_load_callers_itself() -> None:
    """Without Flask-Login, or beside it."""
    with host(shop) as h:
        h.janela.caller_loader({"7": "seven"}.get)
        assert h.janela.load_caller("user:7") == "seven"
        with pytest.raises(CallerGone):
            h.janela.load_caller("user:ana")


class Numbered:
    """Somebody who has an identity, and neither a name nor Flask-Login's other attributes."""

    def get_id(self) -> str:
        return "7"


@pytest.mark.parametrize(
    ("caller", "called"),
    [(Person("ana"), "Ana Reis"), (Person("ana", name=""), "ana"), (Numbered(), "7"), (7, "7")],
    ids=["name", "no name", "no attribute", "number"],
)
def test_a_caller_is_called_by_their_name_else_by_their_identity(
    caller: t.Any, called: str
) -> None:
    assert callers.name_of(caller) == called


@pytest.mark.parametrize(
    ("caller", "reference"),
    [
        (Numbered(), "user:7"),
        (types.SimpleNamespace(id=7), "user:7"),
        (types.SimpleNamespace(id=0), "user:0"),
        (None, None),
        (flask_login.AnonymousUserMixin(), None),
    ],
    ids=["get_id", "id", "zero", "nobody", "anonymous"],
)
def test_a_reference_is_made_of_an_identity(caller: t.Any, reference: str | None) -> None:
    """Flask-Login's ``get_id``, else an ``id``; nobody has none."""
    assert callers.caller_ref(caller) == reference


@pytest.mark.parametrize(
    "caller",
    [object(), types.SimpleNamespace(id=None), types.SimpleNamespace(id="")],
    ids=["neither", "None", "empty"],
)
def test_nothing_refers_to_somebody_without_an_identity(caller: t.Any) -> None:
    """Rather than everybody without one sharing a reference."""
    with pytest.raises(Unauthenticated, match=r"has neither get_id\(\) nor an id"):
        callers.caller_ref(caller)


@pytest.mark.parametrize(
    "error",
    [
        ValueError("int"),
        TypeError("int"),
        KeyError("nightly"),
        OverflowError("too large"),
        sa.exc.DataError("SELECT", {}, Exception("out of range")),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_identity_that_the_loader_cannot_read_is_nobodys(error: Exception) -> None:
    """A loader of numbers that is given a word, say; another error of it is its own."""

    def load(identity: str) -> t.Any:
        raise error if identity == "nightly" else RuntimeError("no database")

    with host(shop) as h:
        h.janela.caller_loader(load)
        with pytest.raises(CallerGone, match='"user:nightly" is no longer'):
            h.janela.load_caller("user:nightly")
        with pytest.raises(RuntimeError, match="no database"):
            h.janela.load_caller("user:7")


def test_a_reference_may_have_two_hundred_characters_and_colons_within() -> None:
    """The first colon alone ends what kind it is."""
    with host(shop) as h:
        h.janela.caller_loader(lambda identity: identity or "whoever is first")
        assert h.janela.load_caller("user:a:b") == "a:b"
        with pytest.raises(CallerGone):
            h.janela.load_caller("user:")
        assert h.janela.load_caller("user:" + "x" * 195) == "x" * 195
        with pytest.raises(CallerGone):
            h.janela.load_caller("user:" + "x" * 196)


def test_without_a_loader_nobody_can_be_loaded() -> None:
    """It says which to register, with Flask-Login and without."""
    with host(shop) as h:
        h.app.login_manager._user_callback = None  # type: ignore[attr-defined]
        with pytest.raises(CallerGone, match="register Flask-Login's user_loader"):
            h.janela.load_caller("user:ana")
        del h.app.login_manager  # type: ignore[attr-defined]
        with pytest.raises(CallerGone, match="register Flask-Login's user_loader"):
            h.janela.load_caller("user:ana")


def test_the_caller_of_a_request_is_the_hosts_own_answer_else_flask_logins() -> None:
    """Nobody where neither is there, and nobody whom Flask-Login has as inactive."""
    with host(shop) as h:
        hooks = h.app.extensions["janela"].hooks
        user: t.Any = Numbered()
        h.app.login_manager.user_loader(lambda identity: user)  # type: ignore[attr-defined]

        def current() -> t.Any:
            with h.app.test_request_context():
                flask.session["_user_id"] = "7"
                return callers.current_caller(hooks)

        assert current() is user
        user.is_active = False
        assert current() is None
        user.is_active = True
        del h.app.login_manager  # type: ignore[attr-defined]
        assert current() is None
        h.janela.current_caller(lambda: h.people["ana"])
        assert current() is h.people["ana"]
        hooks.current_caller = flask_login.AnonymousUserMixin
        assert current() is None


def test_a_row_that_is_not_stored_yet_asks_as_it_is() -> None:
    """There is nothing to load anew."""
    with host(shop) as h:
        customer = h.models.Customer(name="a")
        assert callers.fresh(customer, h.db) is customer


def test_a_caller_reads_in_their_own_zone_and_locale() -> None:
    """What the hooks answer for them."""
    with host(shop) as h:
        h.janela.timezone(lambda caller: "Asia/Tokyo" if caller == "yuki" else "UTC")
        h.janela.locale(lambda caller: "de" if caller == "yuki" else "en")
        reader = h.janela.reader("yuki")
        assert (reader.clock.zone.key, str(reader.locale)) == ("Asia/Tokyo", "de")
        assert h.janela.reader("x").clock.zone.key == "UTC"


@pytest.mark.parametrize("nobody", [None, flask_login.AnonymousUserMixin()])
def test_nobody_is_refused_unless_the_host_says_otherwise(nobody: t.Any) -> None:
    """A refusal is never an empty answer."""
    with host(shop, scoped=False) as h:
        asked: list[t.Any] = []

        @h.janela.scope
        def scope(model: t.Any, caller: t.Any) -> t.Any:
            asked.append(caller)
            return sa.select(model)

        with pytest.raises(Unauthenticated, match="nobody is signed in"):
            h.janela.ask("orders", "orders", caller=nobody)
        assert asked == []
        assert h.janela.ask("orders", "orders", caller=nobody, allow_anonymous=True).total == 0
        assert asked == [None]


def test_nobody_is_refused_before_any_hook_is_asked() -> None:
    """An ordinary hook that reads an attribute of the caller is not handed None."""
    with host(shop) as h:
        h.janela.timezone(lambda caller: caller.zone)
        with pytest.raises(Unauthenticated):
            h.janela.ask("orders", "orders", caller=None)
        with pytest.raises(Unauthenticated):
            h.janela.reader(None)


def test_a_hook_that_answers_none_leaves_the_setting() -> None:
    """Somebody without a zone of their own reads in the configured one."""
    with host(shop, JANELA_TIMEZONE="Asia/Tokyo") as h:
        h.janela.timezone(lambda caller: None)
        h.janela.locale(lambda caller: None)
        assert h.janela.reader("x").clock.zone.key == "Asia/Tokyo"


def test_what_one_app_describes_is_not_another_apps() -> None:
    """A model of the first application's database cannot be asked in the second."""

    def define(db: t.Any) -> dict[str, t.Any]:
        class Ticket(db.Model):  # type: ignore[name-defined,misc]
            id: Mapped[int] = mapped_column(primary_key=True)

        return {"Ticket": Ticket}

    tickets = type(Vocabulary)("Tickets", (Vocabulary,), {"tickets": Count()})
    with host(define) as h:
        h.janela.describe(h.models.Ticket, tickets)
        assert list(h.janela.check().models) == ["ticket"]
        other = flask.Flask("other")
        other.config["SQLALCHEMY_DATABASE_URI"] = "sqlite://"
        h.janela.init_app(other, SQLAlchemy(other))
        with other.app_context():
            assert list(h.janela.check().models) == []


def test_an_inactive_person_reads_no_page() -> None:
    """Whatever their session still says."""
    with host(shop) as h:
        h.people["ana"].__class__ = type("Left", (Person,), {"is_active": False})
        client = h.app.test_client()
        with client.session_transaction() as session:
            session["_user_id"] = "ana"
        assert client.get("/janela/").status_code == 401


def test_facts_on_another_bind_are_asked_there() -> None:
    """The statement goes to the model's own database; frames stay in the default one."""

    def define(db: t.Any) -> dict[str, t.Any]:
        class Fact(db.Model):  # type: ignore[name-defined,misc]
            __bind_key__ = "facts"
            id: Mapped[int] = mapped_column(primary_key=True)
            topic: Mapped[str]

            class Janela(Vocabulary, name="facts"):
                facts = Count()
                topic = Dimension()

        return {"Fact": Fact}

    with host(define, SQLALCHEMY_BINDS={"facts": "sqlite://"}) as h:
        h.add(*(h.models.Fact(topic=topic) for topic in "aab"))
        rows = h.janela.ask("facts", "facts", by="topic", caller="x").rows
        assert [(row.key, row.value) for row in rows] == [("a", 2), ("b", 1)]
        tables = sa.inspect(h.db.engines["facts"]).get_table_names()
        assert tables == ["fact"]
        own = sorted(sa.inspect(h.db.engine).get_table_names())
        assert own == [
            "janela_favourites",
            "janela_frames",
            "janela_panes",
            "janela_tool_calls",
            "janela_tool_marks",
            "janela_tool_usage",
        ]
        h.db.session.remove()
        h.db.engines["facts"].dispose()


@pytest.mark.sqlite
def test_tables_of_a_host_with_a_schema_leave_janelas_where_its_statements_look(
    tmp_path: Path,
) -> None:
    """They are made, hold a frame with its panes, and the doctor has nothing against them."""
    app = flask.Flask("host")
    app.config["SQLALCHEMY_DATABASE_URI"] = f"sqlite:///{tmp_path / 'host.sqlite'}"
    app.config["SECRET_KEY"] = "tests"
    db = SQLAlchemy(app, metadata=sa.MetaData(schema="desk"))
    flask_login.LoginManager(app).user_loader(lambda id_: Person(id_))
    janela = Janela()
    janela.scope(lambda model, caller: sa.select(model))

    class Sale(db.Model):  # type: ignore[name-defined,misc]
        id: Mapped[int] = mapped_column(primary_key=True)

        class Janela(Vocabulary):
            sales = Count()

    janela.init_app(app, db)
    with app.app_context():

        @sa.event.listens_for(db.engine, "connect")
        def attach(connection: t.Any, _: t.Any) -> None:
            connection.execute(f"ATTACH '{tmp_path / 'desk.sqlite'}' AS desk")

        result = app.test_cli_runner().invoke(args=["janela", "init"])
        assert result.exit_code == 0, result.output
        db.metadata.create_all(db.engine, tables=[db.metadata.tables["desk.sale"]])
        tables = sa.inspect(db.engine)
        assert tables.get_table_names(schema="desk") == ["sale"]
        assert "janela_panes" in tables.get_table_names()
        db.session.add(Sale(id=1))
        ana = Person("ana")
        frame = Frame(name="Sales", key="sales")
        db.session.add(frame)
        db.session.flush()
        add_pane(frame, model="sale", measure="sales")
        db.session.commit()
        assert janela.ask("sale", "sales", caller=ana).total == 1
        leads = tables.get_foreign_keys("janela_panes")[0]
        assert (leads["referred_schema"], leads["referred_table"]) == (None, "janela_frames")
        assert db.metadata.schema == "desk"
        assert not [finding for finding in examine(app).findings if finding.level == "error"]
        janela.recorder.close()
