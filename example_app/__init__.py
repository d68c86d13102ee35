"""An airline desk: the small host application that flask-janela is shown and tested in.

``flask --app example_app seed`` loads the flights that left New York in 2013;
``flask --app example_app run`` serves them.
"""

from __future__ import annotations

import collections.abc as cabc
import os
import secrets
import typing as t
from pathlib import Path

from flask import Flask, Response, redirect, request, url_for
from flask.typing import ResponseReturnValue
from flask_babel import Babel
from flask_login import current_user

from .desk import janela
from .models import db
from .people import login_manager
from .seeding import seed_command
from .sign_in import blueprint as sign_in

CONTENT_SECURITY_POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; frame-ancestors 'self'; form-action 'self'"
)

LANGUAGES = ("en_US", "pt_PT", "pt_BR")
"""What Janela's pages are offered in, as a browser prefers; the desk's own words are English."""


def create_app(config: cabc.Mapping[str, t.Any] | None = None) -> Flask:
    """The desk; ``config`` overrides the defaults, and so do ``FLASK_…`` environment variables."""
    app = Flask(__name__)
    app.config.from_mapping(
        SQLALCHEMY_DATABASE_URI="sqlite:///airline_desk.sqlite",
        SESSION_COOKIE_NAME="airline_desk",
        SESSION_COOKIE_SAMESITE="Lax",
        BABEL_DEFAULT_LOCALE=LANGUAGES[0],
        JANELA_TIMEZONE="America/New_York",
    )
    app.config.from_prefixed_env()
    app.config.from_mapping(config or {})
    if not app.config["SECRET_KEY"]:
        app.config["SECRET_KEY"] = _kept_secret(Path(app.instance_path))

    db.init_app(app)
    login_manager.init_app(app)
    janela.init_app(app, db)
    Babel(app, locale_selector=lambda: request.accept_languages.best_match(LANGUAGES))
    app.register_blueprint(sign_in)
    app.cli.add_command(seed_command)

    @app.get("/")
    def home() -> ResponseReturnValue:
        if current_user.is_authenticated:
            return redirect(f"{app.config.get('JANELA_URL_PREFIX', '/janela')}/")
        return redirect(url_for("sign_in.form"))

    @app.get("/favicon.ico")
    def icon() -> ResponseReturnValue:
        return app.send_static_file("desk.svg")

    @app.after_request
    def secure(response: Response) -> Response:
        response.headers.setdefault("Content-Security-Policy", CONTENT_SECURITY_POLICY)
        response.headers.setdefault("X-Content-Type-Options", "nosniff")
        response.headers.setdefault("Referrer-Policy", "same-origin")
        return response

    return app


def _kept_secret(folder: Path) -> str:
    """The key that signs the session cookies: made once, readable by its owner, kept in ``folder``.

    It is written aside and linked into place, so that of two processes that start at once both use
    the key of the first.
    """
    path = folder / "secret_key"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        draft = folder / f"secret_key.{os.getpid()}"
        draft.touch(mode=0o600)
        draft.write_text(secrets.token_hex(32), encoding="ascii")
        try:
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return path.read_text(encoding="ascii")
