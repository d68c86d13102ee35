"""Catalogues of words for tests, and hosts whose people read different languages."""

from __future__ import annotations

import collections.abc as cabc
from pathlib import Path

import babel
import flask
import flask_babel
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo

Said = str | tuple[str, ...]


def write_catalogue(
    folder: Path, locale: str, messages: cabc.Mapping[str | tuple[str, str], Said]
) -> str:
    """Compile messages, plural ones as pairs, as a host's translations of Janela's words."""
    catalogue = Catalog(locale=locale, domain="janela")
    catalogue.mime_headers = [("Plural-Forms", "nplurals=2; plural=(n != 1);")]
    for message, said in messages.items():
        catalogue.add(message, said)
    place = folder / locale / "LC_MESSAGES"
    place.mkdir(parents=True, exist_ok=True)
    with (place / "janela.mo").open("wb") as file:
        write_mo(file, catalogue)
    return str(folder)


def speaks(app: flask.Flask, *folders: str) -> None:
    """Give an application Flask-Babel; ``?lang=…`` of a request is what its reader reads."""
    app.config["BABEL_TRANSLATION_DIRECTORIES"] = ";".join(folders) or "translations"
    flask_babel.Babel(app, locale_selector=_asked, configure_jinja=False)


def _asked() -> str | None:
    return flask.request.args.get("lang") or flask.request.accept_languages.best


def locale_of(name: str) -> babel.Locale:
    return babel.Locale.parse(name)
