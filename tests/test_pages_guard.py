"""Who may open which page, and what strangers, refused callers and unscoped hosts meet."""

from __future__ import annotations

import collections.abc as cabc
import re
import typing as t

import flask
import flask_wtf
import pytest
import sqlalchemy as sa
from desk import client, define, desk, frame, page, pane
from flask_sqlalchemy import SQLAlchemy
from hosts import Host, Person
from markup import Page
from sqlalchemy.pool import StaticPool

from flask_janela import Frame, Janela, Pane, Unscoped
from flask_janela.frames import Favourite

ROUTES = [
    "/janela/",
    "/janela/frames/1",
    "/janela/frames/1/panes/1",
    "/janela/ask/orders/revenue",
    "/janela/ask/orders/revenue/region",
    "/janela/ask/orders/orders/placed?renderer=table",
    "/janela/explore",
    "/janela/explore?model=orders&measure=revenue&dimension=region",
    "/janela/frames/1/panes/1.csv",
    "/janela/rows/orders",
    "/janela/rows/orders?measure=revenue&q.product=plain",
    "/janela/rows/orders.csv",
    "/janela/frames/1/panes/1/rows",
    "/janela/frames/1/panes/1/rows.csv",
    "/janela/frames/1/filter?dimension=orders.region",
    "/janela/frames/1/filter?dimension=orders.placed",
    "/janela/ask/orders/revenue.csv",
    "/janela/ask/orders/revenue/region.csv?q.product=plain",
    "/janela/frames/new",
    "/janela/frames/1/edit",
    "/janela/frames/1/delete",
    "/janela/frames/1/arrange",
    "/janela/frames/1/panes/new",
    "/janela/frames/1/panes/new?model=orders&measure=revenue&dimension=region",
    "/janela/frames/1/panes/1/edit",
    "/janela/frames/1/panes/preview?model=orders&measure=revenue&dimension=region",
]

ROSTER = ["/janela/tools", "/janela/tools/read_pane", "/janela/tools.json", "/janela/tools.csv"]
"""What only those see to whom the host grants it: tested with what is on it in its own file."""

CHANGES = {
    "/janela/ask/orders/revenue/region?q.placed.this=year": {"frame": "1"},
    "/janela/frames/new": {"name": "Mine", "columns": "12", "gap": "4"},
    "/janela/frames/1/edit": {"version": "6", "name": "Mine", "columns": "12", "gap": "4"},
    "/janela/frames/1/duplicate": {},
    "/janela/frames/1/delete": {"version": "6"},
    "/janela/frames/1/restore": {},
    "/janela/frames/1/star": {"on": "1"},
    "/janela/frames/1/panes/new": {"version": "6", "model": "orders", "measure": "orders"},
    "/janela/frames/1/panes/1/edit": {"version": "6", "model": "orders", "measure": "orders"},
    "/janela/frames/1/panes/1/move": {"version": "6", "to": "2"},
    "/janela/frames/1/panes/1/resize": {"version": "6", "span": "8"},
    "/janela/frames/1/panes/1/duplicate": {"version": "6"},
    "/janela/frames/1/panes/1/remove": {"version": "6"},
    "/janela/frames/1/panes/1/restore": {},
}
"""Every address that changes something, with a form that it takes."""


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
    frame_, pane_ = "/janela/frames/<int:frame_id>", "/janela/frames/<int:frame_id>/panes"
    assert rules == {
        "/janela/",
        "/janela/frames/new",
        *(frame_ + rest for rest in ("", "/arrange", "/edit", "/delete", "/restore")),
        *(frame_ + rest for rest in ("/duplicate", "/star", "/filter")),
        pane_ + "/<int:pane_id>",
        *(pane_ + rest for rest in ("/new", "/preview", "/<int:pane_id>/edit")),
        *(pane_ + "/<int:pane_id>" + rest for rest in ("/move", "/resize", "/duplicate")),
        *(pane_ + "/<int:pane_id>" + rest for rest in ("/remove", "/restore")),
        pane_ + "/<int:pane_id>.csv",
        *(pane_ + "/<int:pane_id>/rows" + rest for rest in ("", ".csv")),
        *("/janela/rows/<model>" + rest for rest in ("", ".csv")),
        "/janela/ask/<model>/<measure>",
        "/janela/ask/<model>/<measure>/<dimension>",
        "/janela/ask/<model>/<measure>.csv",
        "/janela/ask/<model>/<measure>/<dimension>.csv",
        "/janela/explore",
        *("/janela/tools" + rest for rest in ("", "/<path:name>", ".json", ".csv")),
    }


def test_these_are_all_the_changes(shown: Host) -> None:
    """Every rule that takes a POST is walked below too."""
    adapter = shown.app.url_map.bind("localhost")
    paths = [address.partition("?")[0] for address in CHANGES]
    walked = {adapter.match(path, method="POST")[0] for path in paths}
    assert walked == {
        rule.endpoint
        for rule in shown.app.url_map.iter_rules()
        if rule.endpoint.startswith("janela.") and "POST" in (rule.methods or ())
    }


def counted(shown: Host) -> list[t.Any]:
    """All that a change could have touched."""
    session = shown.db.session
    session.rollback()
    frames = session.scalars(sa.select(Frame).order_by(Frame.id)).all()
    panes = session.execute(sa.select(Pane.id, Pane.position, Pane.span, Pane.removed_at)).all()
    stars = session.execute(sa.select(Favourite.caller_ref, Favourite.frame_id)).all()
    return [[(each.name, each.version, each.removed_at) for each in frames], panes, stars]


@pytest.mark.parametrize("address", CHANGES)
@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"},
        {"Origin": "https://elsewhere.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost.elsewhere.example"},
        {"Referer": "https://elsewhere.example/page"},
    ],
    ids=str,
)
def test_a_change_that_another_site_asks_for_is_refused(
    shown: Host, address: str, headers: dict[str, str]
) -> None:
    """With 403, before anything is looked at, and nothing is changed."""
    shown.janela.scope(lambda model, caller: sa.select(model))
    before = counted(shown)
    answer = client(shown).post(address, data=CHANGES[address], headers=headers)
    assert answer.status_code == 403
    assert "asked for by a page of another site" in answer.text
    assert counted(shown) == before


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "same-origin"},
        {"Sec-Fetch-Site": "none"},
        {"Sec-Fetch-Site": "same-origin", "Origin": "null"},
        {"Origin": "https://localhost"},
        {"Referer": "http://localhost/janela/"},
        {},
    ],
    ids=str,
)
def test_a_change_from_this_site_is_made(shown: Host, headers: dict[str, str]) -> None:
    """A proxy may have ended TLS, so the scheme is not compared; no header is no browser."""
    shown.janela.scope(lambda model, caller: sa.select(model))
    answer = client(shown).post("/janela/frames/1/star", data={"on": "1"}, headers=headers)
    assert answer.status_code == 303


@pytest.mark.parametrize("address", CHANGES)
def test_a_stranger_changes_nothing(shown: Host, address: str) -> None:
    """Nobody is told to sign in."""
    shown.janela.scope(lambda model, caller: sa.select(model))
    before = counted(shown)
    assert shown.app.test_client().post(address, data=CHANGES[address]).status_code == 401
    assert counted(shown) == before


@pytest.mark.parametrize("address", CHANGES)
def test_every_change_answers_303(shown: Host, address: str) -> None:
    """And leads to a page that opens."""
    shown.janela.scope(lambda model, caller: sa.select(model))
    answer = client(shown).post(address, data=CHANGES[address])
    assert answer.status_code == 303, answer.text
    assert client(shown).get(answer.headers["Location"]).status_code == 200


@pytest.mark.parametrize("address", CHANGES)
def test_a_change_out_of_scope_is_told_as_one_of_nothing(shown: Host, address: str) -> None:
    """Byte for byte the same answer as for a frame that does not exist."""
    shown.janela.scope(lambda model, caller: sa.select(model).where(sa.false()))
    before = counted(shown)
    answer = client(shown).post(address, data=CHANGES[address])
    assert answer.status_code in {403, 404}
    assert counted(shown) == before
    if "frames/1" in address:
        missing = client(shown).post(address.replace("frames/1", "frames/99"), data={})
        assert (answer.status_code, answer.data) == (missing.status_code, missing.data)


@pytest.mark.parametrize("address", CHANGES)
def test_a_change_that_the_host_refuses_is_403(shown: Host, address: str) -> None:
    """Asked for arranging without a subject first, then with the frame; a star needs viewing."""
    shown.janela.scope(lambda model, caller: sa.select(model))
    asked: list[t.Any] = []
    wanted = "view" if address.endswith("star") else "arrange"

    @shown.janela.permission
    def may(caller: t.Any, action: str, subject: t.Any = None) -> bool:
        asked.append((action, subject))
        return action != wanted or (subject is None and "frames/new" not in address)

    before = counted(shown)
    asked.clear()
    answer = client(shown).post(address, data=CHANGES[address])
    assert answer.status_code == 403
    assert f"You may not {wanted} this." in answer.text
    assert counted(shown) == before
    if "frames/new" not in address:
        seen = [(action, type(subject)) for action, subject in asked if action != "roster"]
        assert seen == [
            (wanted, type(None)),
            (wanted, Frame),
        ]


def test_a_host_with_csrf_protection_finds_its_token_in_every_form(shown: Host) -> None:
    """Without it a change is refused by the host; with it, it is made."""
    flask_wtf.CSRFProtect(shown.app)
    shown.janela.scope(lambda model, caller: sa.select(model))
    browser = client(shown)
    assert browser.post("/janela/frames/1/star", data={"on": "1"}).status_code == 400
    pages = [each for each in ROUTES if "/frames/" in each and not each.endswith(".csv")]
    for route in ("/janela/", *pages):
        found = Page(browser.get(route).text)
        for form in found.all(tag="form"):
            if form["method"] == "post":
                names = [each["name"] for each in found.within(form, tag="input")]
                assert names.count("csrf_token") == 1, (route, form["action"])
    found = Page(browser.get("/janela/frames/1/arrange").text)
    token = next(each["value"] for each in found.all(tag="input") if each["name"] == "csrf_token")
    move = {"version": "6", "to": "2", "csrf_token": token}
    assert browser.post("/janela/frames/1/panes/1/move", data=move).status_code == 303


@pytest.mark.parametrize("route", [*ROUTES, *ROSTER])
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


@pytest.mark.parametrize("route", [each for each in ROUTES if each != "/janela/frames/new"])
def test_a_scope_that_fails_fails_the_page(shown: Host, route: str) -> None:
    """Whatever a host's scope raises is raised on; the form of a new frame reads no row."""

    def broken(model: type, caller: t.Any) -> t.Any:
        raise ZeroDivisionError

    shown.janela.scope(broken)
    with pytest.raises(ZeroDivisionError):
        client(shown).get(route)


@pytest.mark.parametrize("route", [*ROUTES, *ROSTER, "/janela/frames/99", "/janela/?nothing=1"])
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
    """First without a subject, then with the frame itself; and what to offer doing with it."""
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
        ("export", Frame),
        ("arrange", Frame),
        ("roster", type(None)),
    ]


@pytest.mark.parametrize("route", [*ROUTES, *ROSTER])
def test_a_refused_caller_meets_403(shown: Host, route: str) -> None:
    """And no number."""
    shown.janela.scope(lambda model, caller: sa.select(model))
    shown.janela.permission(lambda caller, action, subject=None: False)
    answer = client(shown).get(route)
    assert answer.status_code == 403
    assert re.search(
        "You may not (view this|arrange this|export this|see the roster).", answer.text
    )
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


def test_who_sets_up_no_sign_in_reads_why_every_page_is_401(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """In the log; a stranger reads no more than before. With a hook nothing is to be said."""
    app = flask.Flask("host")
    app.config["SQLALCHEMY_DATABASE_URI"] = "sqlite://"
    janela = Janela()
    janela.scope(lambda model, caller: sa.select(model))
    janela.init_app(app, SQLAlchemy(app))
    assert app.test_client().get("/janela/").status_code == 401
    assert "@janela.current_caller" in caplog.text
    caplog.clear()
    janela.current_caller(lambda: None)
    assert app.test_client().get("/janela/").status_code == 401
    assert not caplog.records
    with app.app_context():
        janela.recorder.close()
