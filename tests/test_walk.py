"""The walk: every route by every method as every role, of a host with two tenants."""

from __future__ import annotations

import collections.abc as cabc
import re
import typing as t

import flask
import pytest
import sqlalchemy as sa
from hosts import Host
from ledger import call, keep
from markup import Page, faults
from tenants import FRAME, NOW, PANES, ROLES, Kept, ask, leaks, secrets_of, tenants
from walk import FORMS, METHODS, QUERIES, Step, address_of, steps

from flask_janela import Frame

STEPS = steps()
OTHERS = {"nobody": ("north", "south"), "other": ("north",)}
"""Of whom nothing may be told to a role; the tenant's own are not told of the other."""

FRAGMENT = {"HX-Request": "true"}
BY_SCRIPT = {"Accept": "application/json", "Sec-Fetch-Site": "same-origin"}


@pytest.fixture(scope="module")
def made() -> cabc.Iterator[Host]:
    """The host, its roster with a call of each tenant's."""
    with tenants(JANELA_RECORDER="direct") as host:
        keep(
            host,
            (
                call(tool="list_frames", caller=f"user:{who}", agent=f"agent-of-{who}", started=NOW)
                for who in ("analyst", "other")
            ),
        )
        yield host


@pytest.fixture(scope="module")
def before(made: Host) -> Kept:
    return Kept.of(made)


def rules(made: Host) -> dict[str, set[str]]:
    """Every route of Janela's, by the methods that it takes."""
    found: dict[str, set[str]] = {}
    for rule in made.app.url_map.iter_rules():
        if rule.endpoint.startswith("janela."):
            found.setdefault(rule.rule.removeprefix("/janela"), set()).update(rule.methods or ())
    return found


def test_the_table_has_every_route_and_no_other(made: Host) -> None:
    """Whoever adds a page says here who may open it."""
    assert {step.rule for step in STEPS} == rules(made).keys()


def test_the_table_has_every_method_that_an_address_takes(made: Host) -> None:
    """And none that it does not: a method is refused to everybody, or has a row.

    A file's address takes a POST as that of a question called so, which there is none of.
    """
    taken = made.app.url_map.bind("localhost")
    for step in STEPS:
        takes = taken.test(f"/janela{address_of(step.rule)}", method=step.method)
        assert (set(step.expected.values()) != {405}) == takes, step
    assert {method for methods in rules(made).values() for method in methods} <= set(METHODS)


def test_every_change_has_its_form() -> None:
    """So that it would be made, were it not refused."""
    changes = {s.rule for s in STEPS if s.method == "POST" and s.expected["analyst"] == 303}
    assert changes == FORMS.keys()
    assert {s.rule for s in STEPS} >= QUERIES.keys()


@pytest.mark.parametrize("headers", [{}, FRAGMENT, BY_SCRIPT], ids=["page", "fragment", "script"])
@pytest.mark.parametrize("role", ROLES)
def test_the_walk(made: Host, before: Kept, role: str, headers: dict[str, str]) -> None:
    """Every status is the table's, whatever is not granted changes nothing, and nothing leaks."""
    wrong = [each for step in STEPS for each in _walked(made, before, step, role, headers)]
    assert wrong == []


def _walked(
    made: Host, before: Kept, step: Step, role: str, headers: dict[str, str]
) -> cabc.Iterator[str]:
    answer = ask(made, role, step.method, step.address, data=step.form, headers=headers)
    expected = step.expected[role]
    if expected == 303 and headers is BY_SCRIPT and answer.is_json:
        expected = 200
    if answer.status_code != expected:
        yield f"{step} as {role}: {answer.status_code} rather than {expected}"
    if step.method == "HEAD" and answer.get_data():
        yield f"{step} as {role} has a body"
    for tenant in OTHERS.get(role, ("south",)):
        told = [each for each in leaks(answer, tenant) if each not in step.address]
        # Of an id in the address no answer may depend, see below; it may be written in it.
        if told:
            yield f"{step} as {role} tells of {tenant}: {told}"
    changes = step.method == "POST" and step.expected[role] == 303
    if changes:
        before.put_back(made)
    elif Kept.of(made).rows != before.rows:
        before.put_back(made)
        yield f"{step} as {role} changed something"
    if answer.mimetype == "text/html" and answer.status_code == 200:
        yield from (f"{step} as {role}: {each}" for each in faults(Page(answer.text)))


@pytest.mark.parametrize("step", [s for s in STEPS if "<int:frame_id>" in s.rule], ids=str)
def test_another_tenants_frame_is_answered_as_one_that_is_not_there(made: Host, step: Step) -> None:
    """Byte for byte, its headers among it."""
    theirs = ask(made, "other", step.method, step.address, data=step.form)
    missing = step.address.replace(str(FRAME["north"]), "999999")
    none = ask(made, "other", step.method, missing, data=step.form)
    assert theirs.status == none.status
    assert theirs.get_data() == none.get_data()
    for each in (theirs, none):
        # The session is signed with the second at which it was.
        each.headers.pop("Set-Cookie", None)
    assert theirs.headers.to_wsgi_list() == none.headers.to_wsgi_list()


@pytest.mark.parametrize("step", [s for s in STEPS if "<int:pane_id>" in s.rule], ids=str)
def test_another_tenants_pane_is_not_reached_through_ones_own_frame(
    made: Host, before: Kept, step: Step
) -> None:
    """As one that is not there, and nothing is changed."""
    frame, pane, other = (str(FRAME["north"]), str(PANES["north"][0]), str(PANES["south"][0]))
    address = f"/janela{address_of(step.rule, frame_id=frame, pane_id=other)}"
    theirs = ask(made, "lead", step.method, address, data=step.form)
    none = ask(made, "lead", step.method, address.replace(other, "999999"), data=step.form)
    assert pane not in address
    assert (theirs.status, theirs.get_data()) == (none.status, none.get_data())
    assert theirs.status_code in {404, 405} or step.method == "OPTIONS"
    assert Kept.of(made).rows == before.rows


@pytest.mark.parametrize("role", ["viewer", "analyst", "lead"])
def test_the_walk_would_see_a_leak(made: Host, role: str) -> None:
    """What it looks for does stand on the pages of those who may see it."""
    seen: set[str] = set()
    for step in STEPS:
        if step.method == "GET":
            seen.update(leaks(ask(made, role, step.method, step.address), "north"))
    assert {"Northmoor", "Nettle", "Norrland sales", "7,131.07", str(FRAME["north"])} <= seen


@pytest.mark.parametrize(
    "query",
    [
        "q.region=Northmoor",
        "q.region.not=Southmoor",
        "q.product=Nettle",
        "where.region=Northmoor",
        "q.placed.gte=2024-01-01",
        "q.region.null=1",
        "q.pieces.gte=0",
    ],
)
def test_no_question_of_the_other_tenants_finds_a_member_of_ours(made: Host, query: str) -> None:
    """Whatever its filter names, on a page and in a file."""
    found = []
    for path in (
        "/ask/orders/revenue",
        "/ask/orders/revenue/region",
        "/ask/orders/orders/placed",
        "/ask/orders/revenue/product.csv",
        "/rows/orders",
        "/rows/orders.csv",
    ):
        answer = ask(made, "other", "GET", f"/janela{path}?{query}")
        assert answer.status_code == 200
        found += [(path, each) for each in leaks(answer, "north") if each not in query]
    assert found == []


def test_a_search_for_the_other_tenants_words_finds_what_any_other_does(made: Host) -> None:
    """Nothing, in the list of frames and among the values of a filter."""
    south = f"/janela/frames/{FRAME['south']}/filter?dimension=orders.region&do=find&find="
    for address, word in (("/janela/?search=", "Norrland"), (south, "Northmoor")):
        theirs = ask(made, "other", "GET", f"{address}{word}")
        none = ask(made, "other", "GET", f"{address}{'Q' * len(word)}")
        assert theirs.status_code == none.status_code == 200
        assert theirs.text.replace(word, "Q" * len(word)) == none.text


@pytest.mark.parametrize("write", [False, True])
def test_no_tool_tells_of_another_tenant(made: Host, before: Kept, write: bool) -> None:
    """Named by id or by value; what is the other's is told as what is not there."""
    tools = made.janela.tools_for(made.people["other"], write=write)
    frame, pane = FRAME["north"], PANES["north"][0]
    asked: dict[str, cabc.Callable[[int], dict[str, t.Any]]] = {
        "describe_vocabulary": lambda by: {},
        "list_frames": lambda by: {"search": "Norrland"},
        "get_frame": lambda by: {"frame_id": frame + by},
        "read_pane": lambda by: {"pane_id": pane + by},
        "read_measure": lambda by: {
            "model": "orders", "measure": "revenue", "dimension": "product",
            "filters": {"region": ["Northmoor", "Southmoor"]},
        },
        "find_orders": lambda by: {"filters": {"region": ["Northmoor"]}},
        "count_orders": lambda by: {"filters": {"region": ["Northmoor"]}},
        "get_order": lambda by: {"key": str(7_150_001 + by)},
        "add_pane": lambda by: {"frame_id": frame + by, "model": "orders", "measure": "orders"},
        "update_pane": lambda by: {"pane_id": pane + by, "title": "Mine"},
        "move_pane": lambda by: {"pane_id": pane + by, "position": 1},
        "remove_pane": lambda by: {"pane_id": pane + by},
    }  # fmt: skip
    listed = {tool.name for tool in made.janela.tool_definitions(write=True)}
    assert listed == asked.keys(), "a tool that is added is walked here"
    for name, arguments in asked.items():
        answer = tools.run(name, arguments(0))
        said = str(answer)
        assert [each for each in secrets_of("north") if each in said] == [], name
        if arguments(0) != arguments(1):
            assert answer == tools.run(name, arguments(100_000)), name
            assert answer["error"]["code"] in {"not_found", "refused"}
    assert Kept.of(made).rows == before.rows


def test_the_roster_of_one_tenant_has_no_call_of_the_others(made: Host) -> None:
    """Where the scope narrows the calls; without that there is one roster for all."""
    for path in ("/tools", "/tools/list_frames", "/tools.json", "/tools.csv"):
        answer = ask(made, "lead", "GET", f"/janela{path}")
        assert not {"agent-of-other", "user:other"} & set(re.findall(r"[\w:-]+", answer.text)), path
    assert "agent-of-analyst" in ask(made, "lead", "GET", "/janela/tools/list_frames").text


def test_what_is_kept_of_a_frame_comes_back(made: Host, before: Kept) -> None:
    """The walk itself puts back what it changes."""
    made.db.session.execute(sa.update(Frame).values(name="Changed"))
    made.db.session.commit()
    assert Kept.of(made).rows != before.rows
    before.put_back(made)
    assert Kept.of(made).rows == before.rows
    assert flask.has_app_context()
