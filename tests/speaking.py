"""Catalogues of words for tests, and hosts whose people read different languages."""

from __future__ import annotations

import collections.abc as cabc
import functools
import html.parser
import re
import typing as t
from pathlib import Path

import babel
import flask
import flask_babel
from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo

ROOT = Path(__file__).parent.parent
Message = tuple[str | tuple[str, str], str | None]
"""A message, or its singular and its plural; and of what, where that matters."""

KEYWORDS: dict[str, t.Any] = {"say": (1,), "say_many": (1, 2), "say_of": ((1, "c"), 2)}


@functools.cache
def extracted() -> tuple[Message, ...]:
    """Every message that Janela's code and templates say."""
    methods = [("flask_janela/**.py", "python"), ("templates/**.html", "jinja2")]
    found = extract_from_dir(
        ROOT, methods, keywords=KEYWORDS, directory_filter=lambda name: not name.startswith(".")
    )
    return tuple(dict.fromkeys(_message(each[2], each[4]) for each in found))


def _message(said: t.Any, subject: str | None) -> Message:
    # Of a message with a subject, and with values in a template, only the message itself is told.
    texts = (said,) if isinstance(said, str) else tuple(each for each in said if each)
    return (texts[0] if len(texts) == 1 else t.cast("tuple[str, str]", texts)), subject


def message_of(message: t.Any) -> Message:
    """The same of a catalogue's message."""
    return _message(message.id, message.context)


def write_catalogue(
    folder: Path, locale: str, messages: cabc.Mapping[t.Any, t.Any], *, domain: str = "janela"
) -> str:
    """Compile messages, plural ones as pairs, as a host's translations: of Janela's words."""
    catalogue = Catalog(locale=locale, domain=domain)
    catalogue.mime_headers = [("Plural-Forms", "nplurals=2; plural=(n != 1);")]
    for message, said in messages.items():
        key, subject = message if message in extracted() else (message, None)
        catalogue.add(key, said, context=subject)
    place = folder / locale / "LC_MESSAGES"
    place.mkdir(parents=True, exist_ok=True)
    with (place / f"{domain}.mo").open("wb") as file:
        write_mo(file, catalogue)
    return str(folder)


PSEUDO = "eo"
"""A language in which everything that Janela says stands in ⟦brackets⟧."""


def write_pseudo(folder: Path) -> str:
    def bracketed(message: Message) -> str | tuple[str, str]:
        said = message[0]
        return f"⟦{said}⟧" if isinstance(said, str) else (f"⟦{said[0]}⟧", f"⟦{said[1]}⟧")

    return write_catalogue(folder, PSEUDO, {each: bracketed(each) for each in extracted()})


def speaks(app: flask.Flask, *folders: str) -> None:
    """Give an application Flask-Babel; ``?lang=…`` of a request is what its reader reads."""
    app.config["BABEL_TRANSLATION_DIRECTORIES"] = ";".join(folders) or "translations"
    flask_babel.Babel(app, locale_selector=_asked, configure_jinja=False)


def _asked() -> str | None:
    asked = flask.request.args.get("lang") or flask.request.accept_languages.best
    return asked and asked.replace("-", "_")


def locale_of(name: str) -> babel.Locale:
    return babel.Locale.parse(name)


READ = {"title", "aria-label", "placeholder", "alt", "label", "data-label", "aria-description",
        "aria-roledescription", "aria-valuetext", "data-janela-said", "data-janela-failed",
        "data-janela-unanswered", "data-janela-unsaved", "data-janela-unreached",
        "data-janela-reload", "summary"}  # fmt: skip
"""Attributes that are shown or read out."""


class Texts(html.parser.HTMLParser):
    """Every text of a page that somebody sees or hears, with what it stands in."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, str]] = []
        self._open: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        button = tag == "input" and given.get("type") in {"submit", "button", "reset"}
        for name, value in attrs:
            if value and (name in READ or (button and name == "value")):
                self.found.append((f"<{tag} {name}>", value))
        if tag in {"script", "style", "textarea"}:  # what is typed is data
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._open and self._open[-1] == tag:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        if data.strip() and not self._open:
            self.found.append(("text", " ".join(data.split())))


_INNERMOST = re.compile(r"⟦[^⟦⟧]*⟧")


def outside(text: str) -> str:
    """What of a text stands in no brackets."""
    before = ""
    while before != text:
        before, text = text, _INNERMOST.sub("", text)
    return text
