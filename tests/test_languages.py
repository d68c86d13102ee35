"""Pages in the language of who reads them; files, addresses and tools in none but English."""

from __future__ import annotations

import ast
import collections.abc as cabc
import io
import re
import typing as t
from pathlib import Path

import babel
import flask
import flask_babel
import flask_login
import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import read_mo, write_mo
from babel.messages.pofile import read_po
from desk import IMAGE, client, desk, frame, pane
from documents import ROOT, blocks, run, shop
from gallery import NOW, SALES, Shot, bare, bare_shots, gallery, shots
from hosts import Host, host
from ledger import TOOLS
from markup import Page
from speaking import (
    PSEUDO,
    Texts,
    extracted,
    message_of,
    outside,
    speaks,
    write_catalogue,
    write_pseudo,
)
from sqlalchemy.orm import Mapped, mapped_column

from flask_janela import Count, Dimension, Vocabulary, words
from flask_janela.errors import Unavailable

FOLDER = Path(words.DIRECTORY)
PLACE = re.compile(r"\{\w+(?::[^}]*)?\}")


def catalogue(language: str) -> Catalog:
    with (FOLDER / language / "LC_MESSAGES" / "janela.po").open("rb") as file:
        return read_po(file)


LANGUAGES = sorted(path.name for path in FOLDER.iterdir() if path.is_dir())


def test_there_is_portuguese() -> None:
    assert "pt" in LANGUAGES


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_message_is_translated(language: str) -> None:
    """What is said anywhere, in all its forms, and nothing else: ``make words`` finds it."""
    found = catalogue(language)
    messages = {message_of(each): each for each in found if each.id}
    assert set(messages) == set(extracted())
    for (key, _), message in messages.items():
        forms = [message.string] if isinstance(key, str) else list(message.string)
        assert all(forms), key
        assert not message.fuzzy, key
        assert len(forms) == (1 if isinstance(key, str) else found.num_plurals), key


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_translation_has_the_places_of_its_message(language: str) -> None:
    """None forgotten, none misspelt; only of a single thing the number may be a word."""
    for message in catalogue(language):
        if not message.id:
            continue
        if isinstance(message.id, str):
            assert sorted(PLACE.findall(message.string)) == sorted(PLACE.findall(message.id))
            continue
        asked = sorted(PLACE.findall(message.id[1]))
        for at, form in enumerate(message.string):
            found = sorted(PLACE.findall(form))
            alone = [each for each in asked if each not in {"{n}", "{n:,}", "{count}"}]
            assert found == asked or (at == 0 and found == alone), message.id


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_compiled_is_what_is_written(language: str) -> None:
    """``make words`` compiles it."""
    made = io.BytesIO()
    write_mo(made, catalogue(language))
    made.seek(0)
    with (FOLDER / language / "LC_MESSAGES" / "janela.mo").open("rb") as file:
        kept = read_mo(file)
    expected = read_mo(made)
    assert [(m.id, m.string) for m in kept] == [(m.id, m.string) for m in expected]
    assert kept.plural_expr == catalogue(language).plural_expr


def test_the_template_for_another_language_is_complete() -> None:
    """``pybabel init -D janela -i …/janela.pot -l de -d translations`` begins one."""
    with (FOLDER / "janela.pot").open("rb") as file:
        found = {message_of(each) for each in read_po(file) if each.id}
    assert found == set(extracted())


# every word of every page

_MONTHS = babel.Locale.parse(PSEUDO).months["format"]["abbreviated"].values()
_NOT_WORDS = {
    *("Janela", "CSV", "JSON", "UTC", "US", "ms", "min", "p50", "p95", "p99", "Orders", "Tickets"),
    *("OperationalError", "antaŭ", "horo", "horoj", "tago", "tagoj", "minutoj", "jk", "region"),
    *(tool.name for tool in TOOLS),
    *("read_panes", "query_sql", "get", "export_month", "list_frames"),
    *_MONTHS,
}
"""Names of things and of code, units, and what Babel writes by itself."""

_DATA = re.compile(
    r"«[^»]*»|\d{4}-\d\d-\d\d[\dT:.+Z-]*|\b[0-9a-f]{8}\b|\buser:\w+|\b(orders|tickets)\.\S+"
    r"|= \S+|/own/|-px"
)
_WORD = re.compile(r"[^\W\d][\w]+")


def forgotten(page: str) -> list[str]:
    """What of a page in the pseudo-language is said in English."""
    found = []
    for kind, text in Texts(page).found:
        left = _DATA.sub(" ", outside(text))
        if said := [word for word in _WORD.findall(left) if word not in _NOT_WORDS]:
            found.append(f"{kind} {text!r}: {said}")
    return found


def told(answer: t.Any) -> str:
    return str(answer.json["message"]) if answer.is_json else str(answer.text)


def test_no_word_of_any_page_is_forgotten(tmp_path: Path) -> None:
    """In a language of brackets whatever stands in none is data, or English by mistake."""
    folder = write_pseudo(tmp_path)
    found: dict[str, list[str]] = {}
    with gallery(lambda made: speaks(made.app, folder)) as made:
        for shot in shots():
            answer = shot.taken(made, PSEUDO)
            if "trouble=unavailable" in shot.address:
                continue  # in the site's own language, see below
            page = Page(answer.text) if answer.mimetype == "text/html" else None
            if page is not None and page.all(tag="html"):
                assert page.one(tag="html")["lang"] == PSEUDO
            if said := forgotten(told(answer)):
                found[str(shot)] = said
    assert found == {}


@pytest.mark.parametrize("recorder", ["direct", "off"])
def test_no_word_of_an_empty_page_is_forgotten(tmp_path: Path, recorder: str) -> None:
    """With nothing declared, nothing arranged and nothing recorded."""
    folder = write_pseudo(tmp_path)
    with bare(lambda made: speaks(made.app, folder), JANELA_RECORDER=recorder) as made:
        for shot in bare_shots():
            assert forgotten(shot.taken(made, PSEUDO).text) == [], shot


def test_the_walk_would_see_a_forgotten_word() -> None:
    page = '<p>⟦Frames ⟦of⟧ x⟧ «Data»</p><a aria-label="Remove: «EU»" title="⟦More⟧">5 ms</a>'
    assert forgotten(page) == ["<a aria-label> 'Remove: «EU»': ['Remove']"]
    assert forgotten("<button>Save</button>") == ["text 'Save': ['Save']"]


def test_no_script_has_words_of_its_own() -> None:
    """A page hands them over in its reader's language."""
    for script in (ROOT / "static").glob("*.js"):
        code = re.sub(r"/\*.*?\*/|//[^\n]*", "", script.read_text(), flags=re.DOTALL)
        texts = re.findall(r'"([^"\n]*)"', code)
        words_ = {each for each in texts if re.match(r"[A-Z][a-z]+( |$)", each)}
        assert words_ <= {"Enter", "Escape"}, script.name


ERRORS = {"BadRequest", "NotFound", "Refused", "Conflict", "Unauthenticated", "TooLarge"}
"""What people meet on pages, in the rooms that pages ask."""

_OURS = ("owned.py: ", "framing.py: f", "holding.py: f'by is")
"""How what only a developer can cause is told apart."""


@pytest.mark.parametrize("room", ["pages", "frames", "query", "vocabulary", "roster"])
def test_errors_that_people_meet_are_made_of_words(room: str) -> None:
    """But those that only a developer or an agent can cause."""
    found = [
        f"{path.name}: {ast.unparse(call.args[0])}"
        for path in sorted((ROOT / "flask_janela" / room).glob("*.py"))
        for call in ast.walk(ast.parse(path.read_text()))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id in ERRORS
        and call.args
        and isinstance(call.args[0], ast.Constant | ast.JoinedStr)
    ]
    assert [each for each in found if not each.startswith(_OURS)] == []


# Portuguese


@pytest.fixture
def made(tmp_path: Path) -> cabc.Iterator[Host]:
    """A host with Flask-Babel; a browser's ``Accept-Language`` is what its reader reads."""
    with gallery(lambda made: speaks(made.app)) as host:
        yield host


def shown(made: Host, address: str, language: str = "pt-PT", **more: t.Any) -> Page:
    return Page(Shot(address, **more).taken(made, language.replace("-", "_")).text)


def test_a_page_in_portuguese(made: Host) -> None:
    """Its words, its numbers, its money and its dates."""
    found = shown(made, f"/janela/frames/{SALES}?q.placed.last=12w")
    assert found.one(tag="html")["lang"] == "pt-PT"
    assert found.one("janela-page")["lang"] == "pt-PT"
    assert found.words("janela-nav__link") == ["Painéis", "Explorar", "Ferramentas"]
    chips = found.words("janela-chip")
    assert chips[1].startswith("«Placed»: últimas 12 semanas · 9 de dez")
    assert "«Revenue» por «Region»" not in found.words("janela-pane__title")
    assert "«Orders» por «Region»" in found.words("janela-pane__title")
    assert "«Orders» por semana" in found.words("janela-pane__title")
    assert found.one("janela-filters__end").words.startswith("Respondido às 14:32:10")
    money = found.within(found.pane("«Revenue»"), "janela-value")[0]
    assert re.fullmatch(r"[\d ]+,\d\dUS\$", money.words)


@pytest.mark.parametrize(
    ("address", "status", "title", "reason"),
    [
        (
            "/janela/ask/orders/nothing",
            404,
            "Nada aqui",
            '"nothing" não é uma medida de orders; há orders, revenue, average, regions, newest, '
            "paid_share, per_piece.",
        ),
        (
            f"/janela/frames/{SALES}?q.placed.last=7",
            400,
            "Isto não se pode perguntar",
            'placed.last é "7": use um número e h, d, w, m ou y, como 30d ou 6m.',
        ),
        (
            f"/janela/frames/{SALES}?q.region.gte=1",
            400,
            "Isto não se pode perguntar",
            '"region.gte": region não leva "gte"; leva apenas valores, ou not, null.',
        ),
    ],
)
def test_an_error_in_portuguese(
    made: Host, address: str, status: int, title: str, reason: str
) -> None:
    """What was given stays as it was given, and so do the names that may be used."""
    found = shown(made, address, status=status)
    assert found.one(tag="h1").words == title
    assert found.one("janela-empty__words").words == reason


def test_what_is_wrong_with_a_form_in_portuguese(made: Host) -> None:
    """Above the form, and beside each field without the field's name."""
    form = {"kind": "query", "version": "1", "model": "orders", "measure": "orders", "limit": "0"}
    found = shown(made, f"/janela/frames/{SALES}/panes/new", status=400, form=form)
    assert found.words("janela-told__list") == ['limit é "0": use um número inteiro de 1 a 1000']
    assert found.words("janela-error") == ["Use um número inteiro de 1 a 1000."]


def test_readers_of_several_languages_never_meet(made: Host) -> None:
    """Each request is in its own, whoever asked before."""
    address = "/janela/ask/orders/orders/region"
    titles = {
        "pt": "«Orders» por «Region»",
        "en": "«Orders» by «Region»",
        "de": "«Orders» by «Region»",
    }
    for language in ("pt", "en", "pt", "de", "pt", "en"):
        found = shown(made, address, language)
        assert found.one(tag="h1").words == titles[language]
        assert found.one(tag="html")["lang"] == ("pt" if language == "pt" else "en")
        assert "no-store" in Shot(address).taken(made, language).headers["Cache-Control"]


def test_files_and_addresses_are_the_same_in_every_language(made: Host) -> None:
    """A link that is sent to a colleague, a file that a program reads."""
    paths = [
        f"/janela/frames/{SALES}/panes/5.csv",
        "/janela/ask/orders/revenue/region.csv",
        "/janela/ask/orders/orders/placed.csv?q.placed.this=year",
        "/janela/rows/orders.csv?measure=average",
        "/janela/tools.json",
        "/janela/tools.csv",
    ]
    for path in paths:
        answers = [Shot(path).taken(made, language) for language in ("en", "pt_PT")]
        assert answers[0].get_data() == answers[1].get_data(), path
        assert answers[0].headers.get("Content-Disposition") == answers[1].headers.get(
            "Content-Disposition"
        )
    pages = [f"/janela/frames/{SALES}?q.placed.last=1y", "/janela/ask/orders/orders/region"]
    for path in pages:
        english, portuguese = (
            [a["href"] for a in shown(made, path, language).all(tag="a")]
            for language in ("en", "pt")
        )
        assert english == portuguese


def test_tools_stay_english(made: Host) -> None:
    """What a model reads is a contract, whoever it works for and wherever it is called."""
    with made.app.test_request_context("/", headers={"Accept-Language": "pt_PT"}):
        flask.g.pop("_flask_babel", None)
        words.speak(babel.Locale.parse("pt_PT"))
        assert words.translated(words.say("Frames")) == "Painéis"
        tools = made.janela.tools_for(made.people["ana"])
        said = tools.run("read_measure", {"model": "orders", "measure": "nothing"})
        assert said["error"]["message"].startswith('"nothing" is not a measure of orders; it has')
        asked = {"model": "orders", "measure": "orders", "dimension": "region", "limit": 1}
        answer = str(tools.run("read_measure", {**asked, "other": True}))
        assert "24" in answer
        assert "Outros" not in answer


def test_the_hook_goes_before_flask_babel(made: Host) -> None:
    """It knows the caller; what it leaves open is Flask-Babel's."""
    made.janela.locale(lambda caller: "pt_PT" if caller.id == "ana" else None)
    assert shown(made, "/janela/", "en").one(tag="h1").words == "Painéis"
    assert shown(made, "/janela/", "en", person="ben").one(tag="h1").words == "Frames"
    assert shown(made, "/janela/", "pt", person="ben").one(tag="h1").words == "Painéis"


def test_who_is_not_signed_in_reads_what_flask_babel_says(made: Host) -> None:
    """On a page of the host's that embeds something."""
    found = shown(made, "/own/pane", person=None)
    assert found.one("janela-gone__what").words == "Inicie sessão para ver isto."


def test_a_database_that_is_not_there_is_asked_for_no_language(tmp_path: Path) -> None:
    """Whoever reads the page may stand in it; so it is in the site's own language."""

    def unreachable() -> str:
        raise AssertionError("asked")

    def prepare(made: Host) -> None:
        flask_babel.Babel(made.app, locale_selector=unreachable, configure_jinja=False)

        @made.janela.current_caller
        def current() -> t.Any:
            raise Unavailable()

    with bare(prepare, JANELA_LOCALE="pt_PT", JANELA_RECORDER="off") as made:
        found = shown(made, "/janela/", status=503)
    assert found.one(tag="h1").words == "De momento não"


def test_a_host_rewords_what_we_say(tmp_path: Path) -> None:
    """With a catalogue of its own, of which the rest is ours."""
    folder = write_catalogue(tmp_path, "pt", {"Frames": "Quadros"})
    with gallery(lambda made: speaks(made.app, folder)) as made:
        found = shown(made, "/janela/")
        assert found.words("janela-nav__link") == ["Quadros", "Explorar", "Ferramentas"]


def test_a_language_that_runs_the_other_way(tmp_path: Path) -> None:
    """The whole page does, and a part in a page that does not."""
    folder = write_catalogue(tmp_path, "ar", {"Frames": "اللوحات"})
    with gallery(lambda made: speaks(made.app, folder)) as made:
        found = shown(made, "/janela/", "ar")
        assert (found.one(tag="html")["lang"], found.one(tag="html")["dir"]) == ("ar", "rtl")
        part = shown(made, "/own/pane", "ar").one("janela-embedded")
        assert (part["lang"], part["dir"]) == ("ar", "rtl")


def test_hostile_names_are_inert_in_every_language(tmp_path: Path) -> None:
    """Neither markup nor a template, in a title, a label and an attribute."""
    with desk() as made:
        speaks(made.app)
        names = [IMAGE, "%s %(x)s", "{0} {measure} {n:,}", "{"]
        for at, name in enumerate(names):
            frame(made, f"key_{at}", name, description=name)
            pane(made, frame(made, f"key_{at}"), measure="orders", dimension="product", title=name)
        found = client(made).get("/janela/", headers={"Accept-Language": "pt"})
        page = Page(found.text)
        assert sorted(page.words("janela-frames__name")) == sorted(names)
        labels = [e["aria-label"] for e in page.all(tag="summary")]
        assert sorted(labels) == sorted(f"O que fazer com {name}" for name in names)
        for at, name in enumerate(names, 1):
            answer = client(made).get(
                f"/janela/frames/{at}/delete", headers={"Accept-Language": "pt"}
            )
            assert Page(answer.text).one(tag="h1").words == f"Eliminar “{name}”?"


def test_the_examples_of_the_page_on_languages(tmp_path: Path) -> None:
    """They run, and do what they say."""
    with shop(tmp_path) as space:
        run("docs/languages.md", space)
        browser = space["app"].test_client()
        with browser.session_transaction() as session:
            session["_user_id"] = "1"
        for locale, title in (("pt-PT,pt;q=0.9", "Painéis"), ("de", "Frames"), ("en", "Frames")):
            flask.g.pop("_flask_babel", None)
            page = Page(space["frames_of"](browser, locale))
            assert page.one(tag="h1").words == title
        (reworded,) = blocks("docs/languages.md", "po")
        found = read_po(io.StringIO(reworded))
        assert {message_of(each) for each in found if each.id} <= set(extracted())


def test_a_copy_is_named_in_the_language_of_who_makes_it(made: Host) -> None:
    """Its name is its maker's from then on."""
    Shot("/janela/frames/2/duplicate", 303, {}).taken(made, "pt")
    assert "Cópia de «Empty»" in shown(made, "/janela/", "en").words("janela-frames__name")


def test_lazy_labels_are_in_the_language_of_who_reads_them(tmp_path: Path) -> None:
    """On pages; agents and files have those of the application's default locale."""
    folder = write_catalogue(
        tmp_path,
        "pt",
        {"Late": "Atrasos", "By hand": "À mão", "Which.": "Qual."},
        domain="messages",
    )

    def define(db: t.Any) -> dict[str, t.Any]:
        class Flight(db.Model):  # type: ignore[name-defined,misc]
            id: Mapped[int] = mapped_column(primary_key=True)
            how: Mapped[str]

            class Janela(Vocabulary, name="flights"):
                late = Count(label=flask_babel.lazy_gettext("Late"))
                how = Dimension(
                    labels={"hand": flask_babel.lazy_gettext("By hand")},
                    description=flask_babel.lazy_gettext("Which."),
                )

        return {"Flight": Flight}

    with host(define, JANELA_RECORDER="off") as made:
        made.app.test_client_class = flask_login.FlaskLoginClient
        speaks(made.app, folder)
        made.add(made.models.Flight(how="hand"))
        page = "/janela/ask/flights/late/how"
        found = shown(made, page, "pt")
        assert found.one(tag="h1").words == "Atrasos por how"
        assert found.words("janela-bar__label") == ["À mão"]
        assert found.all("janela-bar")[0]["aria-label"] == "À mão: 1 atrasos, 100,0%"
        assert shown(made, page, "en").one(tag="h1").words == "Late by how"
        for language in ("pt", "en"):
            file = Shot(f"{page}.csv").taken(made, language).text
            assert file.splitlines()[1:] == ["By hand,1"]
            assert "How,Late" in file
        described = str(made.janela.tools_for(made.people["ana"]).run("describe_vocabulary", {}))
        assert "'Late'" in described
        assert "Which." in described


def test_without_flask_babel_every_page_is_english() -> None:
    """Whatever the browser asks for and the hook says; the numbers follow the hook."""
    with gallery() as made:
        made.janela.locale(lambda caller: "pt_PT")
        found = shown(made, "/janela/ask/orders/revenue/region")
        assert found.one(tag="h1").words == "«Revenue» by «Region»"
        assert found.one(tag="html")["lang"] == "en"
        assert "lang" not in found.one("janela-page").attributes
        assert any("," in cell and "US$" in cell for cell in found.words("janela-bar__n"))


def test_the_moment_is_said_as_the_reader_says_it(made: Host) -> None:
    """In a sentence that was made before it was known who reads it."""
    form = {"version": "1", "name": "«Sales»", "columns": "12", "gap": "4", "filters": ""}
    made.app.extensions["janela"].now = lambda: NOW
    found = shown(made, f"/janela/frames/{SALES}/edit", status=409, form=form)
    told_ = found.one("janela-told__said").words
    assert told_.startswith("“«Sales»” foi alterado por «Ben» 05/11/2023: está agora na versão ")
