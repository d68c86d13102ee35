"""The example as a host application: signing in, staying on this site, who may what."""

from __future__ import annotations

import collections.abc as cabc
import stat
import subprocess
import sys
import typing as t
from pathlib import Path

import pytest
import sqlalchemy as sa
from flask import Flask

from example_app import _kept_secret
from example_app.desk import may, owner, scope
from example_app.models import Airline, Flight, db
from example_app.people import PEOPLE
from example_app.sign_in import safe_path
from flask_janela import Frame

if t.TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage

Serve = cabc.Callable[[Flask], str]


@pytest.mark.parametrize("person", list(PEOPLE))
def test_each_person_can_sign_in(desk_app: Flask, person: str) -> None:
    """One POST, and the home page leads to the frames instead of the sign-in page."""
    client = desk_app.test_client()
    assert client.get("/").location == "/sign-in"
    answer = client.post("/sign-in", data={"person": person})
    assert (answer.status_code, answer.location) == (303, "/")
    assert client.get("/").location == "/janela/"


def test_the_sign_in_page_offers_everyone_and_says_that_it_is_a_demo(desk_app: Flask) -> None:
    """Each person by name, and what a visitor must know about this page."""
    page = desk_app.test_client().get("/sign-in").text
    for person in PEOPLE.values():
        assert f'value="{person.id}"' in page
        assert person.name in page
    assert "This is a demo: there are no passwords, and anyone may sign in as anyone." in page


def test_the_sign_in_page_says_when_there_is_nothing_to_see_yet(desk_app: Flask) -> None:
    """Before seeding it names the command."""
    assert "flask --app example_app seed" in desk_app.test_client().get("/sign-in").text


@pytest.mark.parametrize("person", ["nobody", "", "<script>", "lead "])
def test_an_unknown_person_gets_the_form_again(desk_app: Flask, person: str) -> None:
    """400 with a sentence, the word escaped, nobody signed in."""
    client = desk_app.test_client()
    answer = client.post("/sign-in", data={"person": person, "next": "/janela/ask/flights/late"})
    assert answer.status_code == 400
    assert "There is nobody called" in answer.text
    assert 'value="/janela/ask/flights/late"' in answer.text
    assert "<script>" not in answer.text
    assert client.get("/").location == "/sign-in"


def test_signing_out(desk_app: Flask) -> None:
    """A POST ends it; a GET does nothing."""
    client = desk_app.test_client()
    client.post("/sign-in", data={"person": "lead"})
    assert client.get("/sign-out").status_code == 405
    assert client.get("/").location == "/janela/"
    answer = client.post("/sign-out")
    assert (answer.status_code, answer.location) == (303, "/sign-in")
    assert client.get("/").location == "/sign-in"


def test_signing_in_leaves_nothing_of_the_person_before(desk_app: Flask) -> None:
    """The session of the next person starts empty."""
    client = desk_app.test_client()
    client.post("/sign-in", data={"person": "lead"})
    with client.session_transaction() as session:
        session["left"] = "over"
    client.post("/sign-in", data={"person": "analyst-ua"})
    with client.session_transaction() as session:
        assert session["_user_id"] == "analyst-ua"
        assert "left" not in session


def test_a_signed_out_visitor_is_brought_back_to_where_they_were_going(desk_app: Flask) -> None:
    """The page asked for is kept through the form, filters and all."""
    client = desk_app.test_client()
    answer = client.get("/janela/?q.origin=JFK")
    assert answer.status_code == 302
    assert answer.location.startswith("/sign-in?next=")
    page = client.get(answer.location).text
    assert 'name="next" value="/janela/?q.origin=JFK"' in page
    answer = client.post("/sign-in", data={"person": "lead", "next": "/janela/?q.origin=JFK"})
    assert answer.location == "/janela/?q.origin=JFK"


ELSEWHERE = [
    "https://elsewhere.example/",
    "//elsewhere.example/",
    "///elsewhere.example/",
    "/\\elsewhere.example/",
    "\\\\elsewhere.example/",
    "/\t/elsewhere.example/",
    "/\n/elsewhere.example/",
    "/\x00/elsewhere.example/",
    "/janela/\\elsewhere.example",
    " //elsewhere.example/",
    "javascript:alert(1)",
    "janela/",
    "",
]


@pytest.mark.parametrize("target", ELSEWHERE, ids=repr)
def test_next_never_leads_to_another_site(desk_app: Flask, target: str) -> None:
    """Whatever a browser could read as another site is dropped, from the form and the address."""
    assert safe_path(target) is None
    client = desk_app.test_client()
    answer = client.post("/sign-in", data={"person": "lead", "next": target})
    assert answer.location == "/"
    answer = client.post("/sign-in", query_string={"next": target}, data={"person": "lead"})
    assert answer.location == "/"
    assert "elsewhere" not in client.get("/sign-in", query_string={"next": target}).text


def test_next_keeps_any_path_of_this_site() -> None:
    """Encoded and non-Latin paths and query strings are as they were."""
    for path in ("/", "/janela/?q.airline=São&x=//y", "/a/%5C/b", "/janela/frames/1#pane-2"):
        assert safe_path(path) == path


@pytest.mark.parametrize("path", ["/sign-in", "/sign-out"])
@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "https://elsewhere.example"},
        {"Origin": "https://localhost"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"},
    ],
    ids=lambda headers: ", ".join(headers.values()),
)
def test_another_site_signs_nobody_in_or_out(
    desk_app: Flask, path: str, headers: dict[str, str]
) -> None:
    """A form elsewhere that posts here is refused, and whoever was signed in stays so."""
    client = desk_app.test_client()
    client.post("/sign-in", data={"person": "analyst-ua"})
    answer = client.post(path, data={"person": "lead"}, headers=headers)
    assert answer.status_code == 403
    assert "another site" in answer.text
    with client.session_transaction() as session:
        assert session["_user_id"] == "analyst-ua"


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Sec-Fetch-Site": "same-origin", "Origin": "http://localhost"},
        {"Sec-Fetch-Site": "none"},
        {"Origin": "http://localhost"},
    ],
    ids=lambda headers: ", ".join(headers.values()) or "no headers",
)
def test_this_site_and_scripts_may_sign_in(desk_app: Flask, headers: dict[str, str]) -> None:
    """Our own form, an older browser's, and a client that is no browser."""
    answer = desk_app.test_client().post("/sign-in", data={"person": "lead"}, headers=headers)
    assert answer.status_code == 303


def test_the_session_cookie_and_the_headers(desk_app: Flask) -> None:
    """SameSite and HttpOnly on the cookie; a policy without inline anything on the page."""
    client = desk_app.test_client()
    cookie = client.post("/sign-in", data={"person": "lead"}).headers["Set-Cookie"]
    assert "SameSite=Lax" in cookie
    assert "HttpOnly" in cookie
    answer = client.get("/sign-in")
    assert "default-src 'self'" in answer.headers["Content-Security-Policy"]
    assert "style=" not in answer.text
    assert "<script" not in answer.text


def test_the_secret_is_generated_and_kept(tmp_path: Path) -> None:
    """Not a constant, the same after a restart, and readable by its owner only."""
    first = _kept_secret(tmp_path / "one" / "instance")
    assert len(first) == 64
    assert _kept_secret(tmp_path / "one" / "instance") == first
    assert _kept_secret(tmp_path / "two") != first
    assert [path.name for path in (tmp_path / "two").iterdir()] == ["secret_key"]
    mode = (tmp_path / "two" / "secret_key").stat().st_mode
    assert stat.S_IMODE(mode) == 0o600


def test_operations_read_everything_and_an_analyst_one_airline(flights_app: Flask) -> None:
    """The scope, counted in the database: published figures per airline."""
    with flights_app.app_context():

        def flights(person: str) -> int | None:
            rows = scope(Flight, PEOPLE[person]).subquery()
            return db.session.scalar(sa.select(sa.func.count()).select_from(rows))

        assert flights("lead") == 336_776
        assert flights("admin") == 336_776
        assert flights("analyst-ua") == 58_665
        assert flights("analyst-dl") == 48_110


def test_an_analyst_reads_shared_frames_and_those_of_the_airline(desk_app: Flask) -> None:
    """Another airline's frame is not there; nor is a frame of another kind of owner."""
    with desk_app.app_context():
        db.create_all()
        for frame_owner, key in [
            (None, "shared"),
            (("airline", "UA"), "united"),
            (("airline", "DL"), "delta"),
            (("team", "UA"), "team"),
        ]:
            Frame.for_owner(frame_owner, key, name=key, description="")
        db.session.commit()

        def keys(person: str) -> set[str]:
            return {frame.key for frame in db.session.scalars(scope(Frame, PEOPLE[person]))}

        assert keys("lead") == {"shared", "united", "delta", "team"}
        assert keys("analyst-ua") == {"shared", "united"}
        assert keys("analyst-dl") == {"shared", "delta"}


def test_what_nobody_opened_is_closed_to_an_analyst(flights_app: Flask) -> None:
    """A model that the scope does not name has no rows for an analyst."""
    with flights_app.app_context():
        assert db.session.scalars(scope(Airline, PEOPLE["analyst-ua"])).all() == []


def test_permissions_and_owners() -> None:
    """Everyone arranges; the roster is for operations; an analyst's frames are the airline's."""
    for person in PEOPLE.values():
        assert may(person, "view")
        assert may(person, "arrange")
        assert not may(person, "an action nobody has heard of")
    assert {person for person in PEOPLE if may(PEOPLE[person], "roster")} == {"lead", "admin"}
    assert owner(PEOPLE["analyst-ua"]) == ("airline", "UA")
    assert owner(PEOPLE["lead"]) is None


def test_a_port_in_use_is_said_in_words(serve: Serve, desk_app: Flask) -> None:
    """``make demo`` stops at once and says how to choose another port."""
    port = serve(desk_app).rpartition(":")[2]
    command = [sys.executable, "-m", "example_app", "--port", port]
    root = Path(__file__).resolve().parent.parent
    result = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert f"Port {port} is in use by another program." in result.stderr
    assert "make demo PORT=" in result.stderr


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("colours", ["light", "dark"])
def test_the_sign_in_page_in_a_browser(
    desk_app: Flask,
    serve: Serve,
    chromium: Browser,
    width: int,
    colours: t.Literal["light", "dark"],
) -> None:
    """It fits, breaks no policy, and works by keyboard alone."""
    address = serve(desk_app)
    context = chromium.new_context(viewport={"width": width, "height": 800}, color_scheme=colours)
    page = context.new_page()
    problems: list[str] = []

    def note(message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            problems.append(message.text)

    page.on("console", note)
    page.goto(f"{address}/sign-in?next=/sign-in")
    assert page.evaluate("document.documentElement.scrollWidth") == width
    for _ in range(3):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Sign out").wait_for()
    assert page.get_by_text("Signed in: go on").count() == 1
    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("button", name="Sign out").wait_for(state="detached")
    assert problems == []
    context.close()


@pytest.mark.parametrize(
    ("accepted", "title"),
    [("pt", "Painéis"), ("pt-BR,pt;q=0.9", "Painéis"), ("en-GB", "Frames"), ("de", "Frames")],
)
def test_the_pages_are_in_portuguese_for_who_reads_it(
    flights_app: Flask, accepted: str, title: str
) -> None:
    """As the browser says; the desk's own words, its labels among them, are English."""
    browser = flights_app.test_client()
    browser.post("/sign-in", data={"person": "lead"})
    page = browser.get("/janela/", headers={"Accept-Language": accepted}).text
    assert f'<h1 class="janela-title">{title}</h1>' in page
