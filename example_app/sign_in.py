"""Signing in by saying who you are: a demo has no passwords."""

from __future__ import annotations

import unicodedata

from flask import Blueprint, abort, redirect, render_template, request, session, url_for
from flask.typing import ResponseReturnValue
from flask_login import current_user, login_user, logout_user

from .people import PEOPLE
from .seeding import is_seeded

blueprint = Blueprint("sign_in", __name__)


@blueprint.before_request
def refuse_other_sites() -> None:
    """Let only our own pages sign a reader in or out.

    Browsers say where a request comes from in ``Sec-Fetch-Site``, older ones in ``Origin``; a
    script names neither and has no reader's cookies to misuse.
    """
    if request.method in {"GET", "HEAD", "OPTIONS"}:
        return
    site = request.headers.get("Sec-Fetch-Site")
    origin = request.headers.get("Origin")
    if site is not None:
        ours = site in {"same-origin", "none"}
    else:
        ours = origin is None or origin == request.host_url.rstrip("/")
    if not ours:
        abort(403, "This request came from another site. Sign in on this site's own page.")


@blueprint.get("/sign-in")
def form() -> ResponseReturnValue:
    return _page()


@blueprint.post("/sign-in")
def enter() -> ResponseReturnValue:
    given = request.form.get("person", "")
    person = PEOPLE.get(given)
    if person is None:
        return _page(
            f"There is nobody called “{given[:40]}” here. Choose one of these people."
        ), 400
    session.clear()
    login_user(person)
    return redirect(safe_path(request.values.get("next")) or url_for("home"), 303)


@blueprint.post("/sign-out")
def leave() -> ResponseReturnValue:
    logout_user()
    session.clear()
    return redirect(url_for("sign_in.form"), 303)


def safe_path(target: str | None) -> str | None:
    """The target when it is a path on this site, else None.

    Browsers read ``//host`` and ``/\\host`` as another site, and drop tabs and line ends before
    they look, so none of these may occur.
    """
    if not target or not target.startswith("/") or target.startswith("//"):
        return None
    if "\\" in target or any(unicodedata.category(char).startswith("C") for char in target):
        return None
    return target


def _page(problem: str | None = None) -> str:
    people = list(PEOPLE.values())
    current = PEOPLE.get(current_user.id) if current_user.is_authenticated else None
    return render_template(
        "desk/sign_in.html",
        people=people,
        current=current,
        lit=current or people[0],
        next=safe_path(request.values.get("next")),
        problem=problem,
        seeded=is_seeded(),
    )
