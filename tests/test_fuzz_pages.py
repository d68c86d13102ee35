"""Requests of every kind to every page: whatever is sent, a clear answer, and nothing leaks.

``JANELA_FUZZ=20000 pytest tests/test_fuzz_pages.py`` sends as many as that.
"""

from __future__ import annotations

import collections.abc as cabc
import functools
import os
import random
import typing as t
import urllib.parse

import pytest
from hostile import HALVES, NAMES, TEXTS, VALUES, filter_keys, filter_values, fuzzing, texts
from hosts import Host
from hypothesis import given
from hypothesis import strategies as st
from markup import Page, faults
from tenants import FRAME, PANES, ROLES, Kept, ask, secrets_of, tenants
from walk import FIELDS, FORMS, PARAMETERS, PLACES, QUERIES, address_of, steps
from werkzeug.routing import Rule
from werkzeug.test import TestResponse

STATUSES = {200, 206, 303, 308, 400, 401, 403, 404, 405, 409, 413, 416}
"""All that a page may answer; 206 and 416 a part of a file that is the same for everybody."""

FORM = "application/x-www-form-urlencoded"

IDS = st.one_of(
    st.sampled_from((*FRAME.values(), *PANES["north"], PANES["south"][0])).map(str),
    st.sampled_from(TEXTS),
)
WORDS = st.one_of(st.sampled_from(NAMES), texts())
KNOWN_IDS = {"frame_id": FRAME["north"], "pane_id": PANES["north"][0]}

EVERY_PARAMETER = tuple(sorted({each for own in PARAMETERS.values() for each in own}))
EVERY_FIELD = tuple(sorted({each for own in FIELDS.values() for each in own}))


def written(text: str) -> str:
    """A text in an address, halves of characters as the bytes that they would be."""
    return urllib.parse.quote(text.encode("utf-8", "surrogatepass"), safe="")


def encoded(given_: cabc.Iterable[tuple[str, str]]) -> str:
    return "&".join(f"{written(key)}={written(value)}" for key, value in given_)


@functools.cache
def pairs(own: tuple[str, ...], every: tuple[str, ...]) -> t.Any:
    """Parameters, most of them of this page, and filters."""
    values = st.one_of(texts(), st.sampled_from(VALUES), st.sampled_from(HALVES))
    ours = st.tuples(st.sampled_from(own or every), values)
    reader = st.tuples(filter_keys().map("q.{}".format), filter_values())
    fixed = st.tuples(filter_keys().map("where.{}".format), filter_values())
    strange = st.tuples(st.sampled_from((*TEXTS, *every)), values)
    return st.lists(st.one_of(ours, ours, ours, reader, fixed, strange), max_size=4)


@st.composite
def requests(draw: st.DrawFn, rules: list[Rule]) -> dict[str, t.Any]:
    """One request as the client takes it."""
    rule = draw(st.sampled_from(rules))
    address, plain = rule.rule, rule.rule.removeprefix("/janela")
    for name, kind in rule._converters.items():
        number = type(kind).__name__ == "IntegerConverter"
        known = str(KNOWN_IDS[name]) if number else PLACES[name]
        if not draw(st.integers(0, 7)):
            known = draw(IDS if number else WORDS)
        for place in (f"<int:{name}>", f"<path:{name}>", f"<{name}>"):
            address = address.replace(place, written(known))
    own = sorted({"GET", "POST"} & (rule.methods or set()))
    method = draw(st.sampled_from([*own * 8, "HEAD", "OPTIONS", "PUT"]))
    query = draw(pairs(PARAMETERS.get(plain, ()), EVERY_PARAMETER))
    asked: dict[str, t.Any] = {
        "role": draw(st.sampled_from((*ROLES, *("other", "analyst", "lead", "lead") * 3))),
        "method": method,
        "address": address,
        "query_string": encoded(query),
        "headers": draw(headers()),
    }
    if method in {"POST", "PUT"}:
        asked |= draw(bodies(plain))
    return asked


@functools.cache
def headers() -> st.SearchStrategy[dict[str, str]]:
    """Headers that pages read, fit for the wire."""
    plain = st.sampled_from([t for t in TEXTS if t.isascii() and t.isprintable()])
    given_: dict[str, t.Any] = {
        "HX-Request": st.sampled_from(("true", "false", "")),
        "HX-History-Restore-Request": st.just("true"),
        "Accept": st.one_of(st.just("application/json"), plain),
        "Accept-Language": st.one_of(st.just("pt-PT"), plain),
        "Referer": st.one_of(st.just("http://localhost/janela/?sort=name"), plain),
        "Origin": st.one_of(st.just("http://localhost"), plain),
        "Sec-Fetch-Site": st.sampled_from(("same-origin", "cross-site", "")),
        "Range": st.just("bytes=0-1"),
    }
    return st.fixed_dictionaries({}, optional=given_)


@st.composite
def bodies(draw: st.DrawFn, rule: str) -> dict[str, t.Any]:
    """A form with something wrong about it, or no form at all."""
    if not draw(st.integers(0, 9)):
        kinds = (FORM, "multipart/form-data; boundary=x", "multipart/form-data",
                 "application/json", "text/plain; charset=nothing")  # fmt: skip
        return {"data": draw(st.binary(max_size=60)), "content_type": draw(st.sampled_from(kinds))}
    form = dict(FORMS.get(rule, {}))
    form.update(draw(pairs(FIELDS.get(rule, ()), EVERY_FIELD)))
    for key in draw(st.lists(st.sampled_from(sorted(form) or [""]), max_size=1)):
        form.pop(key, None)
    return {"data": encoded(form.items()), "content_type": FORM}


@pytest.fixture(scope="module")
def made() -> cabc.Iterator[Host]:
    with tenants(JANELA_RECORDER="direct") as host:
        for tool in ("list_frames", "nothing"):
            host.janela.tools_for(host.people["analyst"]).run(tool)
        yield host


def test_every_request_has_a_clear_answer(made: Host) -> None:
    """No 500, no page that is broken or runs what was sent, and nothing of another tenant's."""
    before = Kept.of(made)
    rules = [r for r in made.app.url_map.iter_rules() if r.endpoint.startswith("janela.")]

    @fuzzing(400)
    @given(asked=requests(rules))
    def send(asked: dict[str, t.Any]) -> None:
        answer = ask(made, **asked)
        try:
            check(asked, answer)
        finally:
            if asked["method"] != "GET" and answer.status_code in (200, 303):
                before.put_back(made)

    send()


def test_every_parameter_and_field_takes_every_hostile_text(made: Host) -> None:
    """One of them in an address, a query or a form that is fitting otherwise."""
    before = Kept.of(made)
    every = [*one_by_one()]
    # All of them, or as many as a suite has time for; which ones is the same in every run.
    most = int(os.environ.get("JANELA_FUZZ", 900))
    for asked in random.Random(7).sample(every, min(most, len(every))):
        answer = ask(made, **asked)
        check(asked, answer)
        if asked["method"] == "POST" and answer.status_code in (200, 303):
            before.put_back(made)


def one_by_one() -> cabc.Iterator[dict[str, t.Any]]:
    """A request for every parameter, field and place in an address, and every text."""
    for text in (*TEXTS, *HALVES):
        for rule, names in PARAMETERS.items():
            query = dict(each.split("=") for each in QUERIES.get(rule, "").split("&") if each)
            for name in names:
                sent = encoded({**query, name: text}.items())
                yield {**request(rule), "method": "GET", "query_string": sent}
        for rule, names in FIELDS.items():
            for name in names:
                sent = encoded({**FORMS[rule], name: text}.items())
                yield {**request(rule), "method": "POST", "data": sent, "content_type": FORM}
        for step in steps():
            places = [name for name in PLACES if f"{name}>" in step.rule]
            if step.method in {"GET", "POST"} and places:
                form = {"data": encoded(FORMS.get(step.rule, {}).items()), "content_type": FORM}
                for name in places:
                    at = request(step.rule, **{name: written(text)})
                    yield {**at, **(form if step.method == "POST" else {}), "method": step.method}


def request(rule: str, **places: str) -> dict[str, t.Any]:
    address = f"/janela{address_of(rule, **places)}"
    return {"role": "lead", "address": address, "query_string": QUERIES.get(rule, "")}


def check(asked: dict[str, t.Any], answer: TestResponse) -> None:
    assert answer.status_code in STATUSES, answer.status
    # What Flask's router answers by itself is the same for everybody.
    outside = answer.status_code in (308, 404, 405) and "janela-" not in answer.text
    if "janela/static" not in asked["address"] and not outside:
        assert answer.headers["Cache-Control"] == "private, no-store"
    if place := answer.headers.get("Location"):
        assert place.startswith("/janela") or answer.status_code == 308, place
    if (
        answer.mimetype == "text/html"
        and "janela-" in answer.text
        and "Location" not in answer.headers
    ):
        shown = Page(answer.text)
        assert list(faults(shown)) == []
        assert not shown.all(tag="img")
    sent = urllib.parse.unquote(f"{asked['address']}?{asked['query_string']}{asked.get('data')}")
    theirs = secrets_of("north" if asked["role"] == "other" else "south")
    if asked["role"] == "nobody":
        theirs |= secrets_of("north")
    said = f"{answer.headers}\n{answer.get_data(as_text=True)}"
    assert [each for each in theirs if each in said and each not in sent] == []
