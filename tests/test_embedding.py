"""Frames and panes in a host's own templates: whose numbers, whose links, whose page."""

from __future__ import annotations

import collections.abc as cabc
import typing as t

import flask
import jinja2
import pytest
import sqlalchemy as sa
from desk import BREAKOUT, client, desk, frame, pane
from hosts import Host
from markup import Page, faults

from flask_janela import Frame, Unscoped

BASE = (
    "<!doctype html><html lang='en'><head><title>Shop</title>{% block head %}{% endblock %}</head>"
    "<body><h1>Our shop</h1>{% block main %}{% endblock %}</body></html>"
)

Show = cabc.Callable[..., Page]


@pytest.fixture
def made() -> cabc.Iterator[Host]:
    with desk(scoped=False) as host:
        yield host


@pytest.fixture
def show(made: Host) -> Show:
    """A page of the host's, in its own base template, as somebody sees it."""

    def render(body: str, *, person: str | None = "ana", **given: t.Any) -> Page:
        template = "{% extends 'base.html' %}{% block main %}" + body + "{% endblock %}"
        loader = jinja2.DictLoader({"base.html": BASE, "page.html": template})
        made.app.jinja_loader = loader  # type: ignore[misc]
        made.app.jinja_env.cache = None
        endpoint = f"page{len(made.app.view_functions)}"
        made.app._got_first_request = False
        made.app.add_url_rule(
            f"/{endpoint}", endpoint, lambda: flask.render_template("page.html", **given)
        )
        browser = client(made, person) if person else made.app.test_client()
        return Page(browser.get(f"/{endpoint}").text)

    return render


def everything(model: t.Any, caller: t.Any) -> t.Any:
    return sa.select(model)


def test_a_pane_is_drawn_with_links_to_its_question(made: Host, show: Show) -> None:
    """Under the host's filter, which the links keep where no reader can remove it."""
    made.janela.scope(everything)
    found = show('{{ janela_pane("orders", "revenue", by="product", where={"region": "EU"}) }}')
    assert found.words(tag="h1") == ["Our shop"]
    assert [mark["aria-label"] for mark in found.all("janela-bar")] == [
        "plain: $300.30 revenue, 50.0%",
        f"{BREAKOUT}: $200.20 revenue, 33.3%",
        "<img src=x onerror=alert(1)>: $100.10 revenue, 16.7%",
    ]
    links = found.links()
    assert links["plain: $300.30 revenue, 50.0%"] == (
        "/janela/ask/orders/revenue/product?q.product=plain&where.region=EU"
    )
    assert links["Open as a page"] == "/janela/ask/orders/revenue/product?where.region=EU"
    assert found.words("janela-pane__title") == ["Revenue by product"]
    assert list(faults(found)) == []


def test_a_panes_dimension_is_by(made: Host, show: Show) -> None:
    """Whichever of the two names a template uses; both at once would be a guess."""
    made.janela.scope(everything)
    by, dimension = (
        [
            mark["aria-label"]
            for mark in show(f'{{{{ janela_pane("orders", "revenue", {name}="product") }}}}').all(
                "janela-bar"
            )
        ]
        for name in ("by", "dimension")
    )
    assert by == dimension != []
    with pytest.raises(TypeError, match="takes by or dimension"):
        show('{{ janela_pane("orders", "revenue", by="product", dimension="region") }}')


def test_a_pane_takes_a_panes_options(made: Host, show: Show) -> None:
    """A title, a renderer, a limit; a number its course over time."""
    made.janela.scope(everything)
    found = show(
        '{{ janela_pane("orders", "orders", by="region", renderer="doughnut", limit=1, other=true,'
        ' title="Where") }}{{ janela_pane("orders", "orders", over="placed") }}'
    )
    assert found.words("janela-pane__title") == ["Where", "Orders"]
    assert found.words("janela-legend__label") == ["EU", "Other"]
    assert len(found.all("janela-spark")) == 1
    assert list(faults(found)) == []


def test_a_frame_is_drawn_with_links_to_its_page(made: Host, show: Show) -> None:
    """The host's filter holds here, and is the reader's own on the frame's page."""
    made.janela.scope(everything)
    sales = frame(made, filters={"product": ["plain"]})
    pane(made, sales, measure="orders")
    pane(made, sales, measure="orders", dimension="placed", renderer="bar")
    pane(made, sales, measure="orders", dimension="region")
    found = show(
        '{{ janela_frame(frame, where={"region": "EU"}) }}{{ janela_frame(frame.id) }}', frame=sales
    )
    assert [value.words for value in found.all("janela-value")] == ["1", "3"]
    links = found.links()
    assert links["Dec 2013: 1 orders, 100.0%"] == (
        "/janela/frames/1?q.placed.gte=2013-12-01&q.placed.lt=2014-01-01&q.region=EU"
    )
    opened = [a["href"] for a in found.all("janela-link") if a.words == "Open “Sales”"]
    assert opened == ["/janela/frames/1?q.region=EU", "/janela/frames/1"]
    first = found.all("janela-embedded")[0]
    assert [bar["aria-label"] for bar in found.within(first, "janela-bar")] == [
        "EU: 1 orders, 100.0%"
    ]
    assert list(faults(found)) == []


def test_a_filter_that_reaches_no_pane_is_not_dropped(made: Host, show: Show) -> None:
    """Tickets have no region: their pane says so and shows nothing."""
    made.janela.scope(everything)
    sales = frame(made)
    pane(made, sales, measure="orders")
    pane(made, sales, model="tickets", measure="tickets")
    found = show("{{ janela_frame(frame, where={'region': 'EU'}) }}", frame=sales)
    assert found.words("janela-value") == ["3"]
    assert "cannot filter tickets" in found.one("janela-gone").words


def test_each_reader_sees_their_own_rows(made: Host, show: Show) -> None:
    """The scope is asked for whoever opens the host's page."""
    made.people["ben"].region = "US"
    made.janela.scope(lambda model, caller: sa.select(model).where(model.region == caller.region))
    found = show('{{ janela_pane("orders", "orders") }}', person="ben")
    assert found.words("janela-value") == ["2"]


def test_nobody_reads_a_sentence_and_no_row(made: Host, show: Show) -> None:
    """The host's page stands, and the scope is never asked."""
    asked: list[t.Any] = []
    made.janela.scope(lambda model, caller: asked.append(model))
    sales = frame(made)
    body = '{{ janela_pane("orders", "orders") }}{{ janela_frame(frame) }}'
    found = show(body, person=None, frame=sales)
    assert found.words(tag="h1") == ["Our shop"]
    assert found.words("janela-gone__what") == ["Sign in to see this."] * 2
    assert found.all("janela-value") == []
    assert asked == []


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ('{{ janela_pane("orders", "orders") }}', "You may not see this."),
        ("{{ janela_frame(1) }}", "You may not see this."),
    ],
)
def test_who_may_not_view_reads_so(made: Host, show: Show, body: str, what: str) -> None:
    """The permission hook holds in the host's pages as in Janela's."""
    made.janela.scope(everything)
    frame(made)
    made.janela.permission(lambda caller, action, subject=None: False)
    found = show(body)
    assert found.words("janela-gone__what") == [what]
    assert found.all("janela-value") == []


@pytest.mark.parametrize(
    "body",
    [
        '{{ janela_pane("orders", "profit") }}',
        '{{ janela_pane("nothing", "orders") }}',
        '{{ janela_pane("orders", "orders", by="margin") }}',
        '{{ janela_pane("orders", "orders", where={"nothing": 1}) }}',
        '{{ janela_pane("orders", "orders", limit=0) }}',
        "{{ janela_frame(99) }}",
        "{{ janela_frame(1, where={'nothing': 1}) }}",
    ],
)
def test_what_cannot_be_shown_is_said_in_its_place(made: Host, show: Show, body: str) -> None:
    """Hidden, unknown or impossible: a sentence and its reason, and the host's page stands."""
    made.janela.scope(everything)
    pane(made, frame(made), measure="orders")
    found = show(body)
    assert found.words("janela-gone__what") == ["This cannot be shown here."]
    assert found.words(tag="h1") == ["Our shop"]
    assert found.all("janela-value") == []


def test_a_frame_out_of_scope_is_as_good_as_none(made: Host, show: Show) -> None:
    """Also when the host's own code has loaded it."""
    sales = frame(made)
    made.janela.scope(
        lambda model, caller: sa.select(model).where(sa.false() if model is Frame else sa.true())
    )
    one, other = (show("{{ janela_frame(f) }}", f=f).one("janela-gone").words for f in (sales, 99))
    assert one == other


@pytest.mark.parametrize("body", ['{{ janela_pane("orders", "orders") }}', "{{ janela_frame(1) }}"])
def test_without_a_scope_the_hosts_page_raises(made: Host, show: Show, body: str) -> None:
    """A fault of the set-up is the developer's to see."""
    frame(made)
    with pytest.raises(Unscoped):
        show(body)


def test_assets_are_one_stylesheet_and_nothing_else(made: Host, show: Show) -> None:
    """The rest of the host's page is byte for byte what it was."""
    made.janela.scope(everything)
    found = show("{{ janela_assets() }}")
    assert found.one(tag="link")["href"] == "/janela/static/janela.css"
    assert list(faults(found)) == []


def test_the_hosts_jinja_environment_is_left_alone() -> None:
    """What a host sets on its application after init_app still holds."""
    with desk() as host:
        assert "jinja_env" not in vars(host.app)
