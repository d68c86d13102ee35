"""Words: English where they are written, the reader's language where they are shown."""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path

import flask
import flask_babel
import markupsafe
import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from speaking import locale_of, speaks, write_catalogue

from flask_janela import words
from flask_janela.words import capital, joined, own, say, say_many, say_of, sentence, translated

HOSTILE = ["<img src=x onerror=alert(1)>", "%s", "%(x)s", "{0}", "{}", "{n}", "{", "\\1", "⟦"]

PANES = ("{n:,} pane of {frame}", "{n:,} panes of {frame}")

PORTUGUESE = {
    "Clear all": "Limpar tudo",
    "{given} is not a measure of {model}": "{model} não tem a medida {given}",
    "nothing": "nada",
    " and ": " e ",
    PANES: ("{n:,} bloco de {frame}", "{n:,} blocos de {frame}"),
    "{a} is broken": "{b} está partido",
}


@pytest.fixture
def app(tmp_path: Path) -> flask.Flask:
    """An application with Flask-Babel and a few words in Portuguese."""
    made = flask.Flask("host")
    speaks(made, write_catalogue(tmp_path, "pt", PORTUGUESE))
    return made


def test_words_are_english_text() -> None:
    """Whatever takes a text takes them."""
    said = say("{given} is not a measure of {model}", given='"x"', model="orders")
    assert said == '"x" is not a measure of orders'
    assert f"{said}!" == '"x" is not a measure of orders!'
    assert json.loads(json.dumps([said])) == [said]
    assert say("Clear all") == "Clear all"


@pytest.mark.parametrize(("n", "text"), [(0, "0 panes"), (1, "1 pane"), (1234, "1,234 panes")])
def test_english_has_two_forms(n: int, text: str) -> None:
    """And groups digits where the message says so."""
    assert say_many(*PANES, n, frame="Sales") == f"{text} of Sales"


def test_they_remember_what_they_were_made_of() -> None:
    said = say_many(*PANES, 3, frame="Sales")
    assert (said.message, said.plural, said.values) == (*PANES, {"n": 3, "frame": "Sales"})


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda w: pickle.loads(pickle.dumps(w))]
)
def test_they_remember_it_through_a_copy(app: flask.Flask, again: object) -> None:
    """A result may be kept by a host."""
    made = capital(joined(" and ", [say("nothing"), "x"]))
    with app.test_request_context("/?lang=pt"):
        assert translated(again(made)) == "Nada and x"


def test_a_page_says_them_in_its_readers_language(app: flask.Flask) -> None:
    """The order of values is the language's own, and numbers are grouped as there."""
    said = say("{given} is not a measure of {model}", given=say("nothing"), model="orders")
    with app.test_request_context("/?lang=pt_PT"):
        assert translated(said) == "orders não tem a medida nada"
        assert translated(say_many(*PANES, 1, frame="x")) == "1 bloco de x"
        assert translated(say_many(*PANES, 12345, frame="x")) == "12\xa0345 blocos de x"
        assert said == "nothing is not a measure of orders"
    with app.test_request_context("/?lang=en"):
        assert translated(said) == said


@pytest.mark.parametrize("value", HOSTILE)
@pytest.mark.parametrize("language", ["en", "pt"])
def test_a_value_is_put_in_as_it_is(app: flask.Flask, value: str, language: str) -> None:
    """It is no template, no markup, and breaks nothing."""
    said = say("{given} is not a measure of {model}", given=value, model="orders")
    expected = {
        "en": f"{value} is not a measure of orders",
        "pt": f"orders não tem a medida {value}",
    }
    with app.test_request_context(f"/?lang={language}"):
        assert translated(said) == expected[language]
        shown = flask.render_template_string("<b title='{{ said }}'>{{ said }}</b>", said=said)
    escaped = markupsafe.escape(expected[language])
    assert shown == f"<b title='{escaped}'>{escaped}</b>"


def test_a_template_says_them_without_being_told(app: flask.Flask) -> None:
    """Beside text, joined, and in an attribute."""
    with app.test_request_context("/?lang=pt"):
        shown = flask.render_template_string(
            "{{ word }}|{{ word ~ '<' }}|{{ [word, '<'] | join('&') }}|{{ word or '' }}",
            word=say("nothing"),
        )
    assert shown == "nada|nada&lt;|nada&amp;&lt;|nada"


def test_one_word_may_be_said_otherwise_of_one_thing_than_of_another(
    tmp_path: Path, app: flask.Flask
) -> None:
    """Where a language has genders or cases; where a catalogue does not tell, as it is written."""
    catalogue = Catalog(locale="pt", domain="janela")
    catalogue.add("All", "Todas", context="calls")
    with (tmp_path / "pt" / "LC_MESSAGES" / "janela.mo").open("wb") as file:
        write_mo(file, catalogue)
    with app.test_request_context("/?lang=pt"):
        assert translated(say_of("calls", "All")) == "Todas"
        assert translated(say_of("frames", "All")) == "All"
    assert say_of("calls", "All") == "All"


def test_texts_are_joined_and_changed_in_the_language_they_are_said_in(app: flask.Flask) -> None:
    made = sentence(capital(joined(say(" and "), [say("nothing"), "<x>"])))
    assert made == "Nothing and <x>."
    with app.test_request_context("/?lang=pt"):
        assert translated(made) == "Nada e <x>."
        assert markupsafe.escape(made) == "Nada e &lt;x&gt;."


def test_what_is_no_words_stays_what_it_is() -> None:
    """And costs nothing more."""
    assert type(joined(", ", ["a", "b"])) is str
    assert type(capital("a")) is str
    assert translated("Clear all") == "Clear all"


def test_a_wrong_place_in_a_catalogue_stays_in_sight(app: flask.Flask) -> None:
    """A page that a host reworded badly is still a page."""
    with app.test_request_context("/?lang=pt"):
        assert translated(say("{a} is broken", a="x")) == "{b} está partido"


def test_without_flask_babel_there_is_english() -> None:
    """Whatever a browser asks for."""
    with flask.Flask("host").test_request_context("/", headers={"Accept-Language": "pt"}):
        assert translated(say("Clear all")) == "Clear all"
        words.speak(locale_of("pt"))
        assert translated(say("Clear all")) == "Clear all"
        assert (words.language(), words.direction()) == ("en", "ltr")


def test_outside_of_a_request_there_is_english(app: flask.Flask) -> None:
    """In a command, a worker and a log."""
    assert translated(say("Clear all")) == "Clear all"
    with app.app_context():
        assert translated(say("Clear all")) == "Clear all"


def test_a_lazy_text_of_the_hosts_is_said_to_each_reader_anew(
    tmp_path: Path, app: flask.Flask
) -> None:
    """Within a sentence too; by itself it is in the application's default language."""
    write_catalogue(tmp_path, "pt", {"Late arrivals": "Atrasos"}, domain="messages")
    with app.test_request_context("/?lang=pt"):
        label = own(flask_babel.lazy_gettext("Late arrivals"))
        said = joined(": ", (capital(label), say("nothing")))
        assert (label, said) == ("Late arrivals", "Late arrivals: nothing")
        assert (translated(label), translated(said)) == ("Atrasos", "Atrasos: nada")
    with app.test_request_context("/?lang=de"):
        assert translated(said) == said
    assert own("plain") == "plain"
    with flask.Flask("host").app_context():
        assert own(1) == "1"


def test_a_locale_that_was_noted_goes_before_flask_babels(app: flask.Flask) -> None:
    """A host says by a hook of Janela's what its people read."""
    with app.test_request_context("/?lang=en"):
        words.speak(locale_of("pt_PT"))
        assert translated(say("Clear all")) == "Limpar tudo"
        assert (words.language(), words.direction()) == ("pt-PT", "ltr")


@pytest.mark.parametrize(
    ("asked", "language", "text"),
    [
        ("pt_BR", "pt-BR", "Limpar tudo"),
        ("de", "en", "Clear all"),
        ("en_GB", "en", "Clear all"),
        ("ar", "ar", "مسح الكل"),
    ],
)
def test_the_language_is_the_one_that_is_really_used(
    tmp_path: Path, app: flask.Flask, asked: str, language: str, text: str
) -> None:
    """A region takes its language's words; without any it is English, and said to be."""
    write_catalogue(tmp_path, "ar", {"Clear all": "مسح الكل"})
    with app.test_request_context(f"/?lang={asked}"):
        assert translated(say("Clear all")) == text
        assert words.language() == language
        assert words.direction() == ("rtl" if language == "ar" else "ltr")


def test_what_a_host_says_goes_before_what_we_say(tmp_path: Path) -> None:
    """The later folder before the earlier; what neither has is ours, each with its own plurals."""
    one = write_catalogue(tmp_path / "1", "pt", {"Clear all": "Um", "nothing": "nada"})
    two = write_catalogue(tmp_path / "2", "pt", {"Clear all": "Dois"})
    app = flask.Flask("host")
    speaks(app, one, two)
    with app.test_request_context("/?lang=pt"):
        assert translated(say("Clear all")) == "Dois"
        assert translated(say("nothing")) == "nada"
        assert translated(say("Nobody has this.")) == "Nobody has this."


def test_a_host_can_reword_the_english(tmp_path: Path) -> None:
    """Its frames are dashboards."""
    app = flask.Flask("host")
    speaks(app, write_catalogue(tmp_path, "en", {"Frames": "Dashboards"}))
    with app.test_request_context("/?lang=en_GB"):
        assert translated(say("Frames")) == "Dashboards"
        assert words.language() == "en-GB"
