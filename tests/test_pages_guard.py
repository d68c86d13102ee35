"""Who may open which page, and what strangers, refused callers and unscoped hosts meet."""

from __future__ import annotations

import collections.abc as cabc
import typing as t

import flask
import pytest
import sqlalchemy as sa
from desk import client, define, desk, frame, page, pane
from flask_sqlalchemy import SQLAlchemy
from hosts import Host, Person
from markup import Page
from sqlalchemy.pool import StaticPool

from flask_janela import Frame, Janela, Unscoped

ROUTES = [
    "/janela/",
    "/janela/frames/1",
    "/janela/ask/orders/revenue",
    "/janela/ask/orders/revenue/region",
    "/janela/ask/orders/orders/placed?renderer=table",
]


@pytest.fixture
def shown() -> cabc.Iterator[Host]:
    """The desk with one frame that shows all there is."""
    with desk(scoped=False) as made:
        found = frame(made)
        for renderer in ("bar", "table", "doughnut"):
            pane(made, found, measure="revenue", dimension="region", renderer=renderer)
        pane(made, found, measure="orders", dimension="placed")
        pane(made, found, measure="revenue")
        yield made


def test_these_are_all_the_routes(shown: Host) -> None:
    """A page that is added must be walked by the tests below, so it must be listed above."""
    rules = {
        rule.rule
        for rule in shown.app.url_map.iter_rules()
        if rule.endpoint.startswith("janela.") and rule.endpoint != "janela.static"
    }
    assert rules == {
        "/janela/",
        "/janela/frames/<int:frame_id>",
        "/janela/ask/<model>/<measure>",
        "/janela/ask/<model>/<measure>/<dimension>",
    }


@pytest.mark.parametrize("route", ROUTES)
def test_nobody_is_sent_to_sign_in(shown: Host, route: str) -> None:
    """Flask-Login decides how: a redirect where the host has a sign-in page."""
    shown.janela.scope(lambda model, caller: sa.select(model))
    stranger = shown.app.test_client()
    assert stranger.get(route).status_code == 401
    shown.app.login_manager.login_view = "/sign-in"  # type: ignore[attr-defined]
    answer = stranger.get(route)
    assert answer.status_code == 302
    assert answer.headers["Location"].startswith("/sign-in?next=")


@pytest.mark.parametrize("route", ROUTES)
def test_without_a_scope_every_page_raises(shown: Host, route: str) -> None:
    """Unscoped is the host developer's to see; no page turns it into an empty answer."""
    with pytest.raises(Unscoped, match="No scope function is registered"):
        client(shown).get(route)


def test_without_a_scope_production_answers_500(shown: Host) -> None:
    """And nothing of the fault reaches the page."""
    shown.app.config.update(TESTING=False, PROPAGATE_EXCEPTIONS=False)
    answer = client(shown).get("/janela/")
    assert answer.status_code == 500
    assert "scope" not in answer.text


@pytest.mark.parametrize("route", ROUTES)
def test_a_scope_of_nothing_shows_no_number(shown: Host, route: str) -> None:
    """Neither a value nor a label nor a frame's name leaks."""
    shown.janela.scope(lambda model, caller: sa.select(model).where(sa.false()))
    text = client(shown).get(route).text
    for secret in ("600", "3,000", "3000", "3,650", "50.00", "EU", "US", "Sales", "2013"):
        assert secret not in text, secret


@pytest.mark.parametrize("route", ROUTES)
def test_a_scope_that_fails_fails_the_page(shown: Host, route: str) -> None:
    """Whatever a host's scope raises is raised on."""

    def broken(model: type, caller: t.Any) -> t.Any:
        raise ZeroDivisionError

    shown.janela.scope(broken)
    with pytest.raises(ZeroDivisionError):
        client(shown).get(route)


@pytest.mark.parametrize("route", [*ROUTES, "/janela/frames/99", "/janela/?nothing=1"])
def test_no_page_is_kept_by_a_cache(shown: Host, route: str) -> None:
    """Errors included: they may name what one caller may see."""
    shown.janela.scope(lambda model, caller: sa.select(model))
    answer = client(shown).get(route)
    assert answer.headers["Cache-Control"] == "private, no-store"


def test_the_stylesheet_may_be_kept_and_needs_no_sign_in(shown: Host) -> None:
    """It is the same for everybody."""
    answer = shown.app.test_client().get("/janela/static/janela.css", buffered=True)
    assert answer.status_code == 200
    assert answer.mimetype == "text/css"
    assert "no-store" not in answer.headers.get("Cache-Control", "")


def test_the_permission_hook_is_asked_for_the_page_and_for_the_frame(shown: Host) -> None:
    """First without a subject, then with the frame itself."""
    asked: list[tuple[str, t.Any]] = []

    @shown.janela.permission
    def may(caller: t.Any, action: str, subject: t.Any = None) -> bool:
        asked.append((action, subject))
        return True

    shown.janela.scope(lambda model, caller: sa.select(model))
    page(shown, "/janela/frames/1")
    assert [(action, type(subject)) for action, subject in asked] == [
        ("view", type(None)),
        ("view", Frame),
    ]


@pytest.mark.parametrize("route", ROUTES)
def test_a_refused_caller_meets_403(shown: Host, route: str) -> None:
    """And no number."""
    shown.janela.scope(lambda model, caller: sa.select(model))
    shown.janela.permission(lambda caller, action, subject=None: False)
    answer = client(shown).get(route)
    assert answer.status_code == 403
    assert "You may not view this." in answer.text
    assert "600" not in answer.text


def test_a_host_without_flask_login_names_the_caller_itself() -> None:
    """Nobody is told to sign in, and nothing more; somebody sees the page and its error."""
    app = flask.Flask("host")
    app.config.update(
        TESTING=True,
        SQLALCHEMY_DATABASE_URI="sqlite://",
        SQLALCHEMY_ENGINE_OPTIONS={"poolclass": StaticPool},
    )
    db = SQLAlchemy(app)
    models = define(db)
    janela = Janela()
    janela.scope(lambda model, caller: sa.select(model))
    here: list[t.Any] = [None]
    janela.current_caller(lambda: here[0])
    janela.init_app(app, db)
    with app.app_context():
        db.create_all()
        stranger = app.test_client().get("/janela/ask/orders/nothing")
        assert stranger.status_code == 401
        said = Page(stranger.text).one("janela-empty__words").words
        assert said == "This page is for people who are signed in."
        assert "nothing" not in stranger.text
        here[0] = Person("cy")
        assert app.test_client().get("/janela/").status_code == 200
        known = app.test_client().get("/janela/ask/orders/nothing")
        assert known.status_code == 404
        assert models["Order"].__tablename__ in known.text
        assert "is not a measure of orders" in known.text
        db.session.remove()
        db.engine.dispose()


def test_a_prefix_of_nothing_leaves_the_hosts_own_static_files_alone() -> None:
    """At the root of a site /static belongs to the host."""
    with desk(JANELA_URL_PREFIX="") as made:
        found = page(made, "/")
        assert found.one(tag="link")["href"] == "/janela-static/janela.css"
        sheet = made.app.test_client().get("/janela-static/janela.css", buffered=True)
        assert sheet.status_code == 200


def test_pages_hang_in_the_hosts_base_template(tmp_path: t.Any) -> None:
    """JANELA_BASE_TEMPLATE is extended through its blocks; the stylesheet comes with the page."""
    (tmp_path / "site.html").write_text(
        "<!doctype html><html><head><title>{% block title %}{% endblock %}</title>"
        "{% block head %}{% endblock %}</head><body><h1>Our site</h1>"
        "{% block main %}{% endblock %}</body></html>"
    )
    with desk(JANELA_BASE_TEMPLATE="site.html") as made:
        made.app.template_folder = str(tmp_path)
        found = page(made, "/janela/")
        assert "Our site" in found.words(tag="h1")
        assert found.one(tag="title").words == "Frames · Janela"
        assert found.one(tag="link")["href"] == "/janela/static/janela.css"
        assert found.all("janela-lintel") == []
        assert "janela" in found.one("janela-page").classes
