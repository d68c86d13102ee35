"""The guides are true: their code runs, and does what they say."""

from __future__ import annotations

import collections.abc as cabc
import datetime as dt
import re
import shlex
import types
import typing as t
import urllib.parse
from pathlib import Path

import flask
import pytest
import sqlalchemy as sa
from documents import ROOT, Space, blocks, execute, run, shop
from sqlalchemy.orm import with_loader_criteria

from flask_janela import CallerGone, NotFound, Unauthenticated, Unscoped
from flask_janela.frames import MOST_PANES
from flask_janela.frames.models import LONGEST_DESCRIPTION, LONGEST_NAME
from flask_janela.pages import index
from flask_janela.query import members, question, records
from flask_janela.query.filters import MOST_KEYS, MOST_VALUES
from flask_janela.query.question import PaneOptions
from flask_janela.query.time import MOST_BUCKETS
from flask_janela.vocabulary.dimensions import OPERATORS


def text_of(document: str) -> str:
    return (ROOT / document).read_text(encoding="utf-8")


@pytest.fixture
def space(tmp_path: Path) -> cabc.Iterator[Space]:
    """The names of the README's blocks, and two people of the north: Ana and her boss."""
    with shop(tmp_path) as space:
        session, user = space["db"].session, space["User"]
        session.add(user(id=2, name="Rui", team="north", is_boss=True))
        session.commit()
        space["ana"], space["rui"] = session.get(user, 1), session.get(user, 2)
        yield space


@pytest.fixture
def declared(space: Space) -> Space:
    """And those of the page on declaring, over three tickets and a lawsuit."""
    run("docs/declaring.md", space)
    space["db"].create_all()
    ticket, priority = space["Ticket"], space["Priority"]
    for minutes, high, day in ((30, True, 5), (90, False, 6), (None, False, 20)):
        space["db"].session.add(
            ticket(
                team="north",
                priority=priority.HIGH if high else priority.LOW,
                open=minutes == 90,
                minutes=minutes,
                cost="1.50",
                day=dt.date(2026, 1, day),
                opened_at=dt.datetime(2026, 1, day, 12),
                customer_id=1 if high else None,
            )
        )
    for kind in ("Complaint", "Lawsuit"):
        space["db"].session.add(space[kind](team="north", cost=7))
    space["db"].session.add(space["Payslip"](team="north", amount=100))
    space["db"].session.commit()
    return space


@pytest.mark.parametrize(
    ("measure", "written"),
    [
        ("tickets", "3"),
        ("answered", "2"),
        ("urgent", "1"),
        ("customers", "1"),
        ("cost", "€4.50"),
        ("hours", "2.0 h"),
        ("average_minutes", "60.0 min"),
        ("quickest", "30 min"),
        ("newest", "Jan 20, 2026, 12:00:00\u202fPM"),
        ("late", "50.0%"),
        ("cost_per_ticket", "€1.50"),
        ("urgent_share", "33.3%"),
    ],
)
def test_every_measure_of_the_example(declared: Space, measure: str, written: str) -> None:
    """As they are reckoned by hand from the three tickets."""
    result = declared["janela"].ask("tickets", measure, caller=declared["rui"])
    assert result.total_row.formatted == written


def test_the_dimensions_of_the_example(declared: Space) -> None:
    """Labels, natural order, the group of none, and weeks that are filled."""
    ask, rui = declared["janela"].ask, declared["rui"]
    by = ask("tickets", "tickets", by="priority", order="natural", caller=rui)
    assert [(row.label, row.value) for row in by.rows] == [("At once", 1), ("Low", 2)]
    by = ask("tickets", "tickets", by="region", caller=rui)
    assert [(row.label, row.value) for row in by.rows] == [("(none)", 2), ("EU", 1)]
    granularity, weeks = declared["by_week"](rui)
    assert granularity == "week"
    assert [value for _, value in weeks] == [2, 0, 1]
    assert declared["late_ones"](rui) == (1, [90])


def test_names_that_some_callers_do_not_have(declared: Space) -> None:
    """Hidden ones read as those that nobody declared, and tools do not know ``agents=False``."""
    janela, ana, rui = (declared[name] for name in ("janela", "ana", "rui"))
    assert float(janela.ask("payslips", "paid", caller=rui).total) == 100
    said = []
    for name in ("paid", "nobody"):
        with pytest.raises(NotFound) as raised:
            janela.ask("payslips", name, caller=ana)
        said.append(raised.value.message.replace(name, "…"))
    assert said[0] == said[1]
    told = janela.tools_for(rui).call("describe_vocabulary", {"model": "payslips"})
    assert "paid" in str(told)
    assert "largest" not in str(told)


def test_descriptions_and_inheritance(declared: Space) -> None:
    ask, rui = declared["janela"].ask, declared["rui"]
    assert ask("customers", "customers", caller=rui).total == 1
    assert ask("complaints", "complaints", caller=rui).total == 2
    assert ask("lawsuits", "lawsuits", caller=rui).total == 1
    with pytest.raises(NotFound):
        ask("lawsuits", "complaints", caller=rui)


@pytest.mark.parametrize(
    "document", ["README.md", "docs/declaring.md", "docs/scope.md", "docs/pages.md"]
)
def test_the_commands_that_are_shown_run(space: Space, document: str) -> None:
    """Each as it stands, in the shop; what makes environments and files aside."""
    runner = space["app"].test_cli_runner()
    if document == "docs/declaring.md":
        run(document, space)
    for line in "".join(blocks(document, "console")).splitlines():
        words = shlex.split(line.split(" > ")[0], comments=True)
        if words[0] not in {"make", "pip"}:
            assert words[0] == "flask"
            done = runner.invoke(args=words[1:])
            assert done.exit_code == 0, f"{line}: {done.output}"


@pytest.fixture
def scoped(space: Space) -> Space:
    """And those of the page on scope, with one more order: the south's, of another region."""
    run("docs/scope.md", space)
    north = space["Customer"](id=2, region="north")
    order = space["Order"](
        team="south", status="new", amount=5, placed_at=dt.datetime(2026, 1, 1), customer=north
    )
    space["db"].session.add_all([north, order])
    space["db"].session.commit()
    return space


@pytest.mark.parametrize(
    ("scope", "orders"),
    [("of_the_team", 2), ("by_region", 1), ("theirs_or_new", 3), ("nothing", 0)],
)
def test_every_shape_of_scope_that_is_shown(scoped: Space, scope: str, orders: int) -> None:
    """Ana's, of the four orders that there are."""
    scoped["janela"]._hooks.scope = scoped[scope]
    assert scoped["janela"].ask("orders", "orders", caller=scoped["ana"]).total == orders


def refused_scopes(space: Space) -> list[t.Any]:
    """In the order of the page's table."""
    select, order, customer = (space[name] for name in ("select", "Order", "Customer"))
    criteria = with_loader_criteria(order, order.team == "north")
    answers = [
        None,
        [order],
        select(customer),
        select(order.id),
        select(order).options(criteria),
        select(order).execution_options(team="north"),
    ]
    return [None, *((lambda model, caller, given=given: given) for given in answers)]


def test_what_a_scope_may_not_be(scoped: Space) -> None:
    """Each row of the table, in the words that it has."""
    table = text_of("docs/scope.md").split("| `Unscoped` says |")[1]
    said = re.findall(r"^\| [^|]+ \| ([^-|][^|]+) \|$", table.split("\n\n")[0], re.MULTILINE)
    scopes = refused_scopes(scoped)
    assert len(said) == len(scopes) == 7
    for words, scope in zip(said, scopes, strict=True):
        scoped["janela"]._hooks.scope = scope
        with pytest.raises(Unscoped, match=re.escape(words)):
            scoped["janela"].ask("orders", "orders", caller=scoped["ana"])
    scoped["janela"]._hooks.scope = None
    with pytest.raises(Unscoped):
        scoped["janela"].tools_for(scoped["ana"])


def test_callers_of_other_hosts_and_nobody(scoped: Space) -> None:
    """``who`` says who opens a page, and the scope is given None where nobody may ask."""
    janela, app = scoped["janela"], scoped["app"]
    with pytest.raises(Unauthenticated):
        janela.ask("orders", "orders", caller=None)
    janela._hooks.scope = lambda model, caller: scoped["select"](model)
    assert scoped["for_everybody"]() == 4
    assert app.test_client().get("/janela/").status_code == 401
    janela.current_caller(scoped["who"])
    with app.test_request_context("/janela/"):
        scoped["g"].person = scoped["ana"]
        assert "Ana" in app.full_dispatch_request().get_data(as_text=True)


def test_references_and_the_test_of_a_scope(scoped: Space) -> None:
    assert scoped["reference"](scoped["ana"]) == "user:1"
    assert float(scoped["later"]("user:1")) == 30
    with pytest.raises(CallerGone):
        scoped["later"]("user:99")
    scoped["check_scope"]([scoped["ana"], scoped["rui"]])


@pytest.fixture
def arranged(space: Space) -> Space:
    """And those of the page on pages, beside the README's frame."""
    space["arrange"]()
    run("docs/pages.md", space)
    return space


def opened(space: Space, address: str) -> t.Any:
    """The answer to Ana, who signed in."""
    client = space["app"].test_client()
    with client.session_transaction() as session:
        session["_user_id"] = "1"
    return client.get(address)


def test_every_address_that_is_shown_opens(arranged: Space) -> None:
    """For whoever is signed in."""
    shown = re.findall(r"`(/janela/[^`]*)`", text_of("docs/pages.md"))
    assert len(shown) >= 9
    for address in shown:
        assert opened(arranged, address).status_code == 200, address


def test_the_filters_that_are_shown(arranged: Space) -> None:
    """Of Ana's two orders in the EU, both paid in the middle of this year."""
    counted = arranged["counted"](arranged["ana"])
    year = dt.datetime.now(dt.UTC).year
    assert counted[:3] == [2, 2, 2]
    assert counted[3:5] == ([2, 2] if year == 2026 else [0, 0])
    assert counted[7] == 2
    answers = [
        opened(arranged, f"/janela/ask/orders/orders?{query}") for query in queries(arranged)
    ]
    assert [answer.status_code for answer in answers] == [200] * len(counted)


def queries(space: Space) -> list[str]:
    """The filters as they stand in an address."""
    return [
        urllib.parse.urlencode({f"q.{key}": value for key, value in each.items()}, doseq=True)
        for each in space["FILTERS"]
    ]


def test_a_script_arranges(arranged: Space) -> None:
    """The number stands in front, and the page shows it."""
    frame = arranged["rearrange"](arranged["ana"])
    assert [pane.measure for pane in frame.panes] == ["revenue", "orders"]
    page = opened(arranged, f"/janela/frames/{frame.id}").text
    assert page.index("Revenue so far") < page.index("Orders by region")


def test_the_embedding_page(arranged: Space) -> None:
    """Panes of the frame and one more, filtered; nobody reads a number."""
    (page,) = blocks("docs/pages.md", "jinja")
    app = arranged["app"]
    app.add_url_rule("/eu", "eu", lambda: flask.render_template_string(page))
    found = opened(arranged, "/eu").text
    assert found.count("janela-embedded") >= 2
    assert "€30.00" in found
    assert "janela-slice" in found
    flask.g.pop("_login_user")  # what a request inside the shop's context leaves there
    assert "€" not in app.test_client().get("/eu").text


@pytest.mark.parametrize("option", PaneOptions.model_fields)
def test_every_option_of_a_pane_is_told(option: str) -> None:
    """In the table of panes."""
    table = text_of("docs/pages.md").split("## Panes")[1].split("## Filters")[0]
    assert re.search(rf"^\|[^|]*`{option}`", table, re.MULTILINE)


@pytest.mark.parametrize("operator", OPERATORS)
def test_every_operator_is_told(operator: str) -> None:
    """In the table of filters."""
    assert f"`{operator}`" in text_of("docs/pages.md").split("## Filters")[1].split("## ")[0]


@pytest.mark.parametrize(
    ("what", "most"),
    [
        ("panes in a frame", f"{MOST_PANES}"),
        ("members in an answer", f"{question.LIMIT:,}"),
        ("intervals of time in an answer", f"{MOST_BUCKETS:,}"),
        ("filters, and values of each", f"{MOST_KEYS}, {MOST_VALUES:,}"),
        ("values offered in the form of a filter", f"{members.MOST}; a search finds the others"),
        ("frames on the first page", f"{index.MOST}; a search finds the others"),
        ("rows on a page", f"{records.LIMIT}; `records` and tools {records.MOST}, a file has all"),
        ("characters of a name or title", f"{LONGEST_NAME}"),
        ("characters of a description or of words", f"{LONGEST_DESCRIPTION:,}"),
    ],
)
def test_the_limits_are_those_of_the_code(what: str, most: str) -> None:
    assert f"| {what} | {most} |" in text_of("docs/pages.md")


# The pages on the roster and on databases, whose blocks stand each for itself


def test_the_roster_s_examples_run(space: Space) -> None:
    """Who may see it, where calls are counted, and what a tenant's lead sees of them."""
    permission, signal, scope = blocks("docs/roster.md")
    counted: list[str] = []
    space["statsd"] = types.SimpleNamespace(timing=lambda name, ms: counted.append(name))
    space |= {"literal": sa.literal, "cast": sa.cast, "String": sa.String}
    execute(permission, "docs/roster.md", space)
    assert space["may"](types.SimpleNamespace(is_ops=False), "view")
    assert not space["may"](types.SimpleNamespace(is_ops=False), "roster")
    execute(signal, "docs/roster.md", space)
    space["janela"].tools_for(space["ana"]).call("count_orders")
    assert counted == ["tools.count_orders.ok"]
    space["janela"].recorder.flush()
    space["janela"]._hooks.scope = None
    execute(scope, "docs/roster.md", space)
    found = {}
    for team in ("north", "south"):
        lead = types.SimpleNamespace(team=team, is_ops=False)
        calls = space["db"].session.scalars(space["scope"](space["ToolCall"], lead)).all()
        found[team] = [call.tool for call in calls]
    assert found == {"north": ["count_orders"], "south": []}


def test_the_databases_examples_run(space: Space) -> None:
    """They are binds that Flask-SQLAlchemy takes, of drivers that SQLAlchemy reads."""
    read = 0
    for block in blocks("docs/databases.md"):
        space["app"] = flask.Flask("facts")
        execute(block, "docs/databases.md", space)
        bind = space["app"].config["SQLALCHEMY_BINDS"]["facts"]
        assert sa.make_url(bind if isinstance(bind, str) else bind["url"]).drivername
        read += 1
    assert read == 3
    assert space["Sale"].metadata.info["bind_key"] == "facts"
