"""What an attacker types, links to and sends: a clear answer, and nothing half-written."""

from __future__ import annotations

import collections.abc as cabc
import io
import typing as t

import pytest
from hostile import BIDI, IMAGE, MARKUP, fuzzing
from hosts import Host
from hypothesis import given
from hypothesis import strategies as st
from markup import Page, faults
from tenants import FRAME, NAMES, PANES, PEOPLE, Kept, ask, tenants
from walk import FORMS, address_of
from werkzeug.http import parse_options_header
from werkzeug.test import TestResponse

from example_app.sign_in import safe_path
from flask_janela import BadRequest, Frame, Pane, RateLimited
from flask_janela.frames import add_pane, committed
from flask_janela.pages.export import disposition
from flask_janela.pages.guard import MOST_BODY

HERE = f"/janela/frames/{FRAME['north']}"
ONE = f"{HERE}/panes/{PANES['north'][0]}"
WORDS = f"{HERE}/panes/{PANES['north'][3]}"
LONG = "x" * 10_000

ADDRESSES = (
    "/janela/", HERE, f"{HERE}?kiosk=1", f"{HERE}/edit", f"{HERE}/delete", f"{HERE}/arrange",
    f"{HERE}/arrange?first={PANES['north'][0]}", ONE, f"{ONE}/edit", f"{ONE}/rows", WORDS,
    f"{WORDS}/edit", "/janela/ask/orders/revenue/region",
)  # fmt: skip
"""Wherever something that was typed is shown."""

SHOWN = {"markup": MARKUP, "image": IMAGE, "right to left": BIDI, "template": "{{ 7 * 7 }}",
         "letters": "\N{PILE OF POO} é e\N{COMBINING ACUTE ACCENT} İß"}  # fmt: skip
"""Texts that are kept as they are typed."""

NOT_KEPT = {"NUL": "a\0b", "escape": "\x1b[31mred", "line end": "a\r\nSet-Cookie: x=1",
            "delete": "a\x7fb", "next line": "a\x85b"}  # fmt: skip
"""Texts with control characters, which no field of one line keeps."""


@pytest.fixture(scope="module")
def host() -> cabc.Iterator[Host]:
    with tenants() as made:
        yield made


@pytest.fixture
def made(host: Host) -> cabc.Iterator[Host]:
    """The host, as it was before."""
    before = Kept.of(host)
    yield host
    before.put_back(host)


def send(made: Host, address: str, **form: str) -> TestResponse:
    """A fitting form of an address, with something else in some of its fields."""
    rule = address.replace(HERE, "/frames/<int:frame_id>").removeprefix("/janela")
    for id_ in PANES["north"]:
        rule = rule.replace(f"/panes/{id_}", "/panes/<int:pane_id>")
    return ask(made, "lead", "POST", address, data=FORMS[rule] | form)


def field(address: str, name: str, **more: str) -> t.Any:
    return pytest.param(address, name, more, id=f"{name} of {address.removeprefix('/janela/')}")


FIELDS = [
    field(f"{HERE}/edit", "name"),
    field("/janela/frames/new", "name"),
    field(f"{HERE}/panes/new", "title"),
    field(f"{ONE}/edit", "title"),
    field(f"{WORDS}/edit", "heading", model="", body="Words"),
    field(f"{HERE}/edit", "description"),
    field(f"{WORDS}/edit", "body", model=""),
    field(f"{HERE}/panes/new", "body", kind="text", model=""),
]
LINES = [each for each in FIELDS if each.values[1] not in {"description", "body"}]


# what is typed


@pytest.mark.parametrize("text", SHOWN.values(), ids=SHOWN)
@pytest.mark.parametrize(("address", "name", "more"), FIELDS)
def test_what_is_typed_is_shown_as_text(
    made: Host, address: str, name: str, more: dict[str, str], text: str
) -> None:
    """On every page, as it was typed; none of it is run, and no page is broken by it."""
    assert send(made, address, **more, **{name: text}).status_code == 303
    seen = False
    frames = [HERE, *(f"/janela/frames/{each.id}" for each in made.db.session.query(Frame))]
    for page in {*ADDRESSES, *frames}:
        answer = ask(made, "lead", "GET", page)
        if answer.status_code == 404 and "frames" in page:
            continue
        assert answer.status_code == 200, page
        shown = Page(answer.text)
        assert list(faults(shown)) == [], page
        assert shown.all(tag="img") == [], page
        assert "49" not in shown.one(tag="h1").words, page
        seen = seen or any(" ".join(text.split()) in each.words for each in shown.elements)
    assert seen


@pytest.mark.parametrize("text", NOT_KEPT.values(), ids=NOT_KEPT)
@pytest.mark.parametrize(("address", "name", "more"), LINES)
def test_control_characters_are_refused_by_name(
    made: Host, address: str, name: str, more: dict[str, str], text: str
) -> None:
    """In the form, beside the field; what was typed is still there, and nothing is written."""
    before = Kept.of(made)
    answer = send(made, address, **more, **{name: text})
    assert answer.status_code == 400
    shown = Page(answer.text)
    (said,) = (each.words for each in shown.all() if each["id"] == f"janela-f-{name}-error")
    assert "leave out the control character U+00" in said.lower().replace("u+", "U+")
    assert list(faults(shown)) == []
    assert Kept.of(made).rows == before.rows


@pytest.mark.parametrize("text", [NOT_KEPT["NUL"], NOT_KEPT["escape"]], ids=["NUL", "escape"])
@pytest.mark.parametrize("name", ["description", "body"])
def test_long_texts_have_lines_and_no_other_control_character(
    made: Host, name: str, text: str
) -> None:
    address, more = (
        (f"{HERE}/edit", {}) if name == "description" else (f"{WORDS}/edit", {"model": ""})
    )
    before = Kept.of(made)
    assert send(made, address, **more, **{name: text}).status_code == 400
    assert Kept.of(made).rows == before.rows
    assert send(made, address, **more, **{name: "one\r\ntwo\tthree"}).status_code == 303


@pytest.mark.parametrize(
    ("address", "name", "more", "most"),
    [
        pytest.param(*each.values, 10_000 if each.values[1] in {"description", "body"} else 200,
                     id=each.id)
        for each in FIELDS
    ],
)  # fmt: skip
def test_a_text_is_as_long_as_it_may_be(
    made: Host, address: str, name: str, more: dict[str, str], most: int
) -> None:
    """One character more is refused, saying how long it is and how long it may be."""
    before = Kept.of(made)
    for text in ("é" * (most + 1), "y" * (10 * most)):
        answer = send(made, address, **more, **{name: text})
        assert answer.status_code == 400
        said = f"{len(text):,} characters long: use at most {most:,}"
        assert said in answer.text
    assert Kept.of(made).rows == before.rows
    assert send(made, address, **more, **{name: "é" * most}).status_code == 303


@pytest.mark.parametrize(
    "text", [*SHOWN.values(), *NOT_KEPT.values(), LONG, "%", "_", "\\"], ids=ascii
)
@pytest.mark.parametrize(
    "address",
    [
        "/janela/?search=",
        f"{HERE}/filter?dimension=orders.region&do=find&find=",
        f"{HERE}/filter?dimension=orders.region&do=apply&value=",
        f"{HERE}/filter?dimension=orders.placed&do=apply&from=",
        f"{HERE}/filter?dimension=orders.pieces&do=apply&to=",
        f"{HERE}?q.region=",
        f"{HERE}?q.pieces.gte=",
        "/janela/ask/orders/revenue/region?q.product.not=",
        "/janela/rows/orders?q.region=",
        "/janela/rows/orders?cursor=",
        "/janela/explore?measure=",
        "/janela/tools?agent=",
        "/janela/tools/",
    ],
)  # fmt: skip
def test_what_an_address_says_is_shown_as_text(made: Host, address: str, text: str) -> None:
    """A page under it, or a page that says what is wrong with it."""
    path, _, name = address.rpartition("?") if address.endswith("=") else (address, "", "")
    if name:
        *rest, last = name.removesuffix("=").split("&")
        query: t.Any = [*(each.split("=") for each in rest), (last, text)]
        answer = ask(made, "lead", "GET", path, query_string=query)
    else:
        answer = ask(made, "lead", "GET", f"{address}{text.replace('%', '%25')}")
    assert answer.status_code in {200, 303, 400, 404}
    if answer.status_code != 303 and "janela-" in answer.text:
        shown = Page(answer.text)
        assert list(faults(shown)) == []
        assert shown.all(tag="img") == []


@pytest.mark.parametrize("half", ["\ud800", "a\udfffb"], ids=ascii)
@pytest.mark.parametrize("name", ["title", "heading", "body", "link", "filters"])
def test_half_a_character_is_refused_before_a_tool_runs(made: Host, name: str, half: str) -> None:
    tools = made.janela.tools_for(PEOPLE["analyst"], write=True)
    before = Kept.of(made)
    value: t.Any = {"region": [half]} if name == "filters" else half
    error = tools.run("update_pane", {"pane_id": PANES["north"][0], name: value})["error"]
    assert (error["code"], "lone surrogate" in error["message"]) == ("invalid", True)
    assert error["message"].isprintable()
    assert Kept.of(made).rows == before.rows


def test_a_form_with_half_a_character_is_kept_without_it_or_refused(made: Host) -> None:
    """No encoding has one, so what arrives is what stands for the bytes that it would have been."""
    sent = "version=1&name=a%ED%A0%80b&columns=12&gap=4"
    kind = "application/x-www-form-urlencoded"
    answer = ask(made, "lead", "POST", f"{HERE}/edit", data=sent, content_type=kind)
    assert answer.status_code in {303, 400}
    name = made.db.session.get(Frame, FRAME["north"]).name
    assert name.encode()
    assert Page(ask(made, "lead", "GET", HERE).text).one(tag="h1").words == name


# other sites


@pytest.mark.parametrize("address", [address_of(rule) for rule in FORMS])
@pytest.mark.parametrize("headers", [{"Origin": "http://["}, {"Referer": "//["}, {"Origin": ""},
                                     {"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"}],
                         ids=str)  # fmt: skip
def test_a_change_of_another_sites_is_refused_by_every_form(
    made: Host, address: str, headers: dict[str, str]
) -> None:
    """Whatever its headers are made of; without any it is no browser's."""
    before = Kept.of(made)
    rule = next(rule for rule in FORMS if address_of(rule) == address)
    answer = ask(made, "lead", "POST", f"/janela{address}", data=FORMS[rule], headers=headers)
    if headers == {"Origin": ""}:
        assert answer.status_code == 303
        return
    assert answer.status_code == 403
    assert "asked for by a page of another site" in answer.text
    assert Kept.of(made).rows == before.rows


ELSEWHERE = [
    "https://elsewhere.example/", "//elsewhere.example/", "/\\elsewhere.example", "\\\\elsewhere",
    "/\t/elsewhere.example", "/\n/elsewhere.example", " //elsewhere.example",
    "http:elsewhere.example", "https:/elsewhere.example", "javascript:alert(1)", "data:text/html,x",
    "http://[", "http://localhost@elsewhere.example/janela/", "http://localhost.elsewhere.example/",
    "//localhost:80@elsewhere.example/janela/", "/janela/\r\nLocation: //elsewhere.example",
]  # fmt: skip


@pytest.mark.parametrize("target", ELSEWHERE, ids=ascii)
def test_no_way_back_leads_to_another_site(made: Host, target: str) -> None:
    """Neither what the form says nor what the browser says it came from."""
    for form, headers in (({"back": target}, {}), ({}, {"Referer": target.strip("\r\n\t")})):
        if any(ord(c) < 32 for c in headers.get("Referer", "")):
            continue
        answer = ask(made, "lead", "POST", f"{HERE}/star", data={"on": "1"} | form,
                     headers=headers | {"Sec-Fetch-Site": "same-origin"})  # fmt: skip
        assert answer.status_code == 303
        assert answer.headers["Location"].partition("#")[0] in {HERE, "/janela/"}


@pytest.mark.parametrize("target", ELSEWHERE, ids=ascii)
def test_no_link_of_a_pane_leads_to_another_site(made: Host, target: str) -> None:
    """It is a path on this site; anything else is refused, by a form and by a tool."""
    before = Kept.of(made)
    assert send(made, f"{WORDS}/edit", model="", body="Words", link=target).status_code == 400
    tools = made.janela.tools_for(PEOPLE["analyst"], write=True)
    answer = tools.run("update_pane", {"pane_id": PANES["north"][3], "link": target})
    assert answer["error"]["code"] == "invalid"
    assert Kept.of(made).rows == before.rows


@pytest.mark.sqlite
@pytest.mark.parametrize("target", ELSEWHERE, ids=ascii)
def test_no_sign_in_leads_to_another_site(target: str) -> None:
    """The example's: where it would have gone is no path of its own."""
    assert safe_path(target) is None


# the names of files


@pytest.mark.sqlite
@fuzzing(200)
@given(name=st.text(max_size=150))
def test_a_files_name_is_one_header_of_plain_letters(name: str) -> None:
    """Whatever it is called after, a reader of RFC 6266 finds one name that ends in .csv."""
    header = disposition(name)
    assert header.isascii()
    assert header.isprintable()
    kind, options = parse_options_header(header)
    assert kind == "attachment"
    assert options.keys() == {"filename"}
    found = options["filename"]
    assert found.endswith(".csv")
    assert found.isprintable()
    assert not set(found) & set('/\\:*?"<>|')
    assert not found.startswith(".")


@pytest.mark.parametrize("text", SHOWN.values(), ids=SHOWN)
def test_a_file_of_a_frame_with_such_a_name_has_no_header_more(made: Host, text: str) -> None:
    """Than one of any other name."""
    plain = ask(made, "lead", "GET", f"{ONE}.csv")
    assert send(made, f"{HERE}/edit", name=text).status_code == 303
    answer = ask(made, "lead", "GET", f"{ONE}.csv")
    assert [*answer.headers.keys()] == [*plain.headers.keys()]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.get_data() == plain.get_data()


# limits: at each it works, and one more is refused with what was given and what is allowed


def test_a_frame_has_so_many_panes_and_no_more(made: Host) -> None:
    """By a form, a copy and a tool."""
    here = made.db.session.get(Frame, FRAME["north"])
    made.db.session.add_all(
        Pane(frame_id=here.id, position=at, kind="text", heading=str(at))
        for at in range(len(here.panes) + 1, 200)
    )
    made.db.session.commit()
    tools = made.janela.tools_for(PEOPLE["analyst"], write=True)
    pane = {"frame_id": here.id, "model": "orders", "measure": "orders"}
    assert tools.call("add_pane", pane)["panes"] == 200
    said = "this frame holds 200 panes, which is the most; remove one first"
    error = tools.run("add_pane", pane)["error"]
    assert (error["code"], said in error["message"]) == ("invalid", True)
    made.db.session.rollback()  # so that it is read as it is now, on MariaDB too
    version = str(made.db.session.get(Frame, FRAME["north"]).version)
    for address in (f"{HERE}/panes/new", f"{ONE}/duplicate"):
        answer = send(made, address, version=version)
        assert (answer.status_code, "200 panes" in answer.text) == (400, True), address
    assert ask(made, "lead", "GET", f"{HERE}/arrange").status_code == 200


@pytest.mark.parametrize("way", ["page", "frame", "tool", "pane"])
def test_so_many_values_of_a_filter_and_no_more(made: Host, way: str) -> None:
    thousand = ["Northmoor", *(f"r{n}" for n in range(999))]
    said = "has 1,001 values: use at most 1,000"
    if way in {"page", "frame"}:
        address = HERE if way == "frame" else "/janela/ask/orders/revenue"
        query = [("q.region", each) for each in thousand]
        assert ask(made, "lead", "GET", address, query_string=query).status_code == 200
        answer = ask(made, "lead", "GET", address, query_string=[*query, ("q.region", "more")])
        assert (answer.status_code, said in answer.text) == (400, True)
        return
    tools = made.janela.tools_for(PEOPLE["analyst"], write=True)
    asked: dict[str, t.Any] = {"model": "orders", "measure": "revenue"}
    asked |= {"frame_id": FRAME["north"]} if way == "pane" else {}
    tool = "add_pane" if way == "pane" else "read_measure"
    assert "error" not in tools.run(tool, asked | {"filters": {"region": thousand}})
    error = tools.run(tool, asked | {"filters": {"region": [*thousand, "more"]}})["error"]
    assert (error["code"], said in error["message"]) == ("invalid", True)


def test_so_many_columns_beside_a_number_and_no_more(made: Host) -> None:
    tools = made.janela.tools_for(PEOPLE["analyst"])
    asked = {"model": "orders", "measure": "revenue", "dimension": "region"}
    three = ["weight", "orders", "paid"]
    assert "error" not in tools.run("read_measure", asked | {"companions": three})
    error = tools.run("read_measure", asked | {"companions": [*three, "product"]})["error"]
    assert error["message"] == "companions has 4 names: use at most 3"
    query = [("companions", each) for each in (*three, "product")]
    answer = ask(made, "lead", "GET", "/janela/ask/orders/revenue/region", query_string=query)
    assert (answer.status_code, "has 4 names: use at most 3" in answer.text) == (400, True)


def test_a_query_string_may_be_as_long_as_the_server_lets_it(made: Host) -> None:
    """A megabyte of it is refused in one page of ordinary length."""
    for query in ("q.region=" + "x" * 1_000_000, "&".join(f"p{n}=1" for n in range(100_000)),
                  "q.region=" + "%00" * 300_000):  # fmt: skip
        answer = ask(made, "lead", "GET", HERE, query_string=query)
        assert answer.status_code in {200, 400}
        assert answer.status_code == 400 or "q.region" in query
        assert answer.status_code == 200 or len(answer.get_data()) < 20_000


@pytest.mark.sqlite
def test_a_form_has_so_many_bytes_and_no_more(made: Host) -> None:
    """A clear 413 before anything of it is read; at the limit it is a form like any other."""
    before = Kept.of(made)
    start = "version=1&name=Long&columns=12&gap=4&more="
    kind = "application/x-www-form-urlencoded"
    at_most = start + "x" * (MOST_BODY - len(start))
    more = ask(made, "lead", "POST", f"{HERE}/edit", data=f"{at_most}x", content_type=kind)
    assert more.status_code == 413
    assert (
        "What was sent is 1,000,001 bytes long, and a form here has at most 1,000,000." in more.text
    )
    assert list(faults(Page(more.text))) == []
    assert Kept.of(made).rows == before.rows
    assert ask(made, "nobody", "POST", f"{HERE}/edit", data=f"{at_most}x").status_code == 413
    fits = ask(made, "lead", "POST", f"{HERE}/edit", data=at_most, content_type=kind)
    assert fits.status_code == 303


@pytest.mark.sqlite
def test_a_form_that_does_not_say_how_long_it_is_has_no_more_bytes(made: Host) -> None:
    """As a server that reads chunks hands it on."""
    start = b"version=1&name=Long&columns=12&gap=4&more="
    for length, status in ((MOST_BODY, 303), (MOST_BODY + 1, 413)):
        body = io.BytesIO(start + b"x" * (length - len(start)))
        answer = ask(
            made, "lead", "POST", f"{HERE}/edit", input_stream=body,
            content_type="application/x-www-form-urlencoded",
            environ_overrides={"wsgi.input_terminated": True},
        )  # fmt: skip
        assert answer.status_code == status


@pytest.mark.sqlite
def test_a_hosts_own_limit_holds_besides() -> None:
    """And is told by the same page."""
    with tenants(MAX_CONTENT_LENGTH=100) as made:
        answer = send(made, f"{HERE}/edit", description="x" * 100)
        assert answer.status_code == 413
        assert "A form here may not be as long" in answer.text


@pytest.mark.sqlite
def test_a_page_that_is_asked_for_too_often_says_when_to_ask_again(made: Host) -> None:
    """Where a host raises so in a hook of its own."""
    hooks = made.app.extensions["janela"].hooks
    may = hooks.permission

    def not_too_often(caller: t.Any, action: str, subject: t.Any = None) -> bool:
        if action == "view":
            raise RateLimited(7.2)
        return True

    try:
        hooks.permission = not_too_often
        answer = ask(made, "lead", "GET", "/janela/")
    finally:
        hooks.permission = may
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "8")
    assert "You ask too often. Ask again in 8 seconds." in answer.text


def test_what_a_script_of_the_hosts_writes_is_under_the_same_limits(made: Host) -> None:
    """Forms, tools and Python save the same rows."""
    here = made.db.session.get(Frame, FRAME["north"])
    for options, said in (
        ({"title": LONG}, "title is 10,000 characters long: use at most 200"),
        ({"title": "a\0b"}, r"leave out the control character U\+0000"),
        ({"filters": {"region": [str(n) for n in range(1001)]}}, "1,001 values"),
    ):
        with pytest.raises(BadRequest, match=said):
            committed(lambda o=options: add_pane(here, model="orders", measure="orders", **o))
    assert NAMES["north"] == here.name
