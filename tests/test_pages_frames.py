"""A frame's page: its panes under its own filters and the reader's, and what goes wrong in one."""

from __future__ import annotations

import collections.abc as cabc
import re
import typing as t

import pytest
import sqlalchemy as sa
from desk import client, desk, frame, page, pane
from hosts import Host
from markup import Element, Page, faults

from flask_janela import Frame
from flask_janela.frames import Pane


@pytest.fixture
def made() -> cabc.Iterator[Host]:
    with desk() as host_:
        yield host_


def number(found: Page, title: str) -> str:
    return found.within(found.pane(title), "janela-value")[0].words


def notes(found: Page, title: str) -> list[str]:
    return [note.words for note in found.within(found.pane(title), "janela-note")]


def light(found: Page, title: str) -> Element:
    return found.within(found.pane(title), "janela-pane__light")[0]


def test_a_frame_draws_its_panes_in_order(made: Host) -> None:
    """Under headings made of what they ask, in cells as wide and high as they say."""
    sales = frame(made, description="What we sold.", columns=6, gap=7)
    pane(made, sales, measure="revenue", prominence=3, span=2)
    pane(made, sales, measure="orders", dimension="region", span=12, height=3)
    pane(made, sales, measure="delay", dimension="placed", granularity="week")
    pane(made, sales, measure="orders", title="All of them", renderer="number")
    found = page(made, f"/janela/frames/{sales.id}")
    assert found.one(tag="h1").words == "Sales"
    assert found.one("janela-sub").words == "What we sold."
    assert found.words("janela-pane__title") == [
        "Revenue",
        "Orders by region",
        "Average delay per week",
        "All of them",
    ]
    grid = found.one("janela-grid").classes
    assert {"janela-columns-6", "janela-gap-7"} <= grid
    shapes = [sorted(pane.classes - {"janela-pane"}) for pane in found.all("janela-pane")]
    assert shapes == [
        ["janela-height-1", "janela-prominence-3", "janela-span-2"],
        ["janela-height-3", "janela-prominence-1", "janela-span-6"],
        ["janela-height-2", "janela-prominence-1", "janela-span-4"],
        ["janela-height-1", "janela-prominence-1", "janela-span-4"],
    ]
    assert list(faults(found)) == []


def test_the_stylesheet_has_every_class_that_an_integer_picks(made: Host) -> None:
    """Spans, columns, heights, gaps, prominences, letters and gutters."""
    with made.app.test_client().get("/janela/static/janela.css") as response:
        sheet = response.text
    for name, low, high in (
        ("span", 1, 12),
        ("columns", 1, 12),
        ("height", 1, 5),
        ("gap", 0, 8),
        ("prominence", 2, 3),
        ("gutter", 1, 12),
        ("letters", 7, 24),
    ):
        for n in range(low, high + 1):
            assert f".janela-{name}-{n} " in sheet, (name, n)
    assert "!important" not in sheet


def test_one_filter_reaches_every_pane_but_the_one_over_its_dimension(made: Host) -> None:
    """There the chosen member is lit among all of them."""
    sales = frame(made)
    pane(made, sales, measure="revenue")
    pane(made, sales, measure="orders", dimension="region")
    pane(made, sales, measure="orders", dimension="placed", title="Months")
    found = page(made, f"/janela/frames/{sales.id}?q.region=EU")
    assert number(found, "Revenue") == "$600.60"
    assert [bar["aria-label"] for bar in found.all("janela-bar")] == [
        "EU: 3 orders, 50.0%, chosen",
        "US: 2 orders, 33.3%",
        "(none): 1 orders, 16.7%",
    ]
    labels = [mark["aria-label"] for mark in found.all("janela-mark")]
    assert [label.partition(",")[0] for label in labels] == [
        "Oct 2013: 1 orders",
        "Nov 2013: 1 orders",
        "Dec 2013: 1 orders",
    ]
    links = found.links()
    assert links["EU: 3 orders, 50.0%, chosen"] == f"/janela/frames/{sales.id}"
    assert links["US: 2 orders, 33.3%"] == f"/janela/frames/{sales.id}?q.region=US"
    assert links[labels[1]] == (
        f"/janela/frames/{sales.id}?q.placed.gte=2013-11-01&q.placed.lt=2013-12-01&q.region=EU"
    )


def test_another_models_pane_says_which_filter_cannot_reach_it(made: Host) -> None:
    """Its number stays, marked as not filtered; its own links name its model."""
    sales = frame(made)
    pane(made, sales, measure="orders")
    pane(made, sales, model="tickets", measure="tickets")
    pane(made, sales, model="tickets", measure="tickets", dimension="topic")
    found = page(made, f"/janela/frames/{sales.id}?q.region=EU")
    assert number(found, "Orders") == "3"
    assert number(found, "Tickets") == "3"
    assert notes(found, "Tickets") == ["not filtered by Region"]
    assert notes(found, "Orders") == []
    assert found.links()["late: 2 tickets, 66.7%"] == (
        f"/janela/frames/{sales.id}?q.region=EU&q.tickets.topic=late"
    )


def test_a_frames_own_filter_is_said_and_cannot_be_removed(made: Host) -> None:
    """It narrows the panes, beside what the reader chooses."""
    sales = frame(made, filters={"region": ["EU", "US"]})
    pane(made, sales, measure="revenue")
    pane(made, sales, measure="orders", dimension="region")
    found = page(made, f"/janela/frames/{sales.id}?q.product=plain")
    assert [chip.words for chip in found.all("janela-chip")] == [
        "Region: EU, US · set by the frame",
        "Product: plain",
    ]
    assert "janela-chip--fixed" in found.all("janela-chip")[0].classes
    assert number(found, "Revenue") == "$2,300.30"
    assert [bar.words.split()[0] for bar in found.all("janela-bar")] == ["EU", "US"]
    assert found.links()["Clear all"] == f"/janela/frames/{sales.id}"


def test_a_frames_own_filter_that_has_vanished_draws_no_pane(made: Host) -> None:
    """Without it the panes would show more than the frame is for."""
    sales = frame(made)
    pane(made, sales, measure="revenue")
    made.db.session.execute(sa.update(Frame).values(filters={"country": ["PT"]}))
    made.db.session.commit()
    found = page(made, f"/janela/frames/{sales.id}")
    assert "The frame's own filter cannot be applied" in light(found, "Revenue").words
    assert found.all("janela-value") == []


def test_a_pane_of_something_gone_says_so_while_the_rest_is_drawn(made: Host) -> None:
    """A measure, a dimension, a model and an option that no longer exist."""
    sales = frame(made)
    for title in ("measure", "dimension", "model", "granularity", "fine"):
        pane(made, sales, measure="orders", dimension="placed", title=title)
    for title, change in {
        "measure": {"measure": "profit"},
        "dimension": {"dimension": "country"},
        "model": {"model": "payroll"},
        "granularity": {"granularity": "decade"},
    }.items():
        made.db.session.execute(sa.update(Pane).where(Pane.title == title).values(change))
    made.db.session.commit()
    found = page(made, f"/janela/frames/{sales.id}")
    said = {title: light(found, title).words for title in ("measure", "dimension", "model")}
    assert set(said.values()) == {
        "This pane asks for something that is not there for you. It may be gone, or not be yours "
        "to see."
    }
    assert light(found, "granularity").words.startswith(
        'This pane cannot be drawn. granularity is "decade"'
    )
    assert len(found.all("janela-pane--gone")) == 4
    assert len(found.within(found.pane("fine"), "janela-mark")) == 3


def test_a_pane_without_a_title_is_just_a_pane_when_it_is_gone(made: Host) -> None:
    """Its names may be hidden from this reader as well."""
    sales = frame(made)
    pane(made, sales, measure="orders", dimension="region")
    made.db.session.execute(sa.update(Pane).values(measure="taxi_out", dimension="gate"))
    made.db.session.commit()
    assert page(made, f"/janela/frames/{sales.id}").words("janela-pane__title") == ["A pane"]


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        (
            "region=EU",
            '"region" is not a parameter of this page; there is kiosk, refresh, several. A filter',
        ),
        ("limit=3", '"limit" is not a parameter of this page;'),
        ("where.region=EU", '"where.region" is not a parameter of this page;'),
        ("q.country=PT", '"country" is not a dimension to filter by; there is region,'),
        ("q.region.gte=EU", 'region does not take "gte"'),
    ],
)
def test_a_readers_bad_filter_is_a_bad_page(made: Host, query: str, sentence: str) -> None:
    """400 in words for the whole page, never a filter dropped."""
    sales = frame(made)
    pane(made, sales, measure="orders")
    found = page(made, f"/janela/frames/{sales.id}?{query}", status=400)
    assert sentence in found.one("janela-empty__words").words


def test_a_frame_out_of_scope_is_answered_like_none_at_all(made: Host) -> None:
    """Another caller's, one that was removed, one that never was: the same bytes."""
    with desk(scoped=False) as other:
        other.janela.scope(
            lambda model, caller: (
                sa.select(model).where(model.owner_id == caller.id)
                if model is Frame
                else sa.select(model)
            )
        )
        bens = Frame.for_owner(("user", "ben"), "his", name="His")
        anas = Frame.for_owner(("user", "ana"), "mine", name="Mine")
        gone = Frame.for_owner(("user", "ana"), "gone", name="Gone")
        gone.removed_at = gone.updated_at
        other.db.session.commit()
        assert page(other, f"/janela/frames/{anas.id}").one(tag="h1").words == "Mine"
        bodies = {
            (answer.status_code, answer.text)
            for answer in (
                client(other).get(f"/janela/frames/{id_}")
                for id_ in (bens.id, gone.id, 4711, 2**63 - 1, 2**70)
            )
        }
        assert len(bodies) == 1
        assert bodies.pop()[0] == 404


# what a pane says in its sill


def test_a_cut_pane_leads_to_the_whole_answer(made: Host) -> None:
    """Under the same filters: the frame's and the pane's fixed, the reader's as the reader's."""
    sales = frame(made, filters={"product": ["plain"]})
    pane(
        made,
        sales,
        measure="orders",
        dimension="region",
        limit=1,
        companions=["revenue"],
        filters={"placed.null": ["0"]},
    )
    found = page(made, f"/janela/frames/{sales.id}?q.placed.this=year")
    assert notes(found, "Orders by region") == ["The 1 largest; there are more"]
    whole = found.links()["Show all"]
    assert whole == (
        "/janela/ask/orders/orders/region?companions=revenue&q.placed.this=year&renderer=table"
        "&where.placed.null=0&where.product=plain"
    )
    rows = [row.words for row in page(made, whole).all("janela-table__row")]
    assert rows == ["EU 1 $300.30".replace(" ", ""), "(none)1$50.00"]


@pytest.mark.parametrize(
    ("by", "labels"),
    [
        pytest.param("", ["EU", "US", "(none)"], id="as asked, the largest first"),
        pytest.param("region", ["EU", "US", "(none)"], id="by name, the null group last"),
        pytest.param("-region", ["US", "EU", "(none)"], id="by name backwards, it stays last"),
        pytest.param("orders", ["(none)", "US", "EU"], id="by value"),
        pytest.param("-revenue", ["US", "EU", "(none)"], id="by a companion"),
        pytest.param("delay", ["US", "(none)", "EU"], id="by an average with a negative one"),
        pytest.param("nothing", ["EU", "US", "(none)"], id="by no column"),
    ],
)
def test_a_table_is_sorted_by_any_of_its_columns(made: Host, by: str, labels: list[str]) -> None:
    """Over EU's average of 5, US's of -10 and 2 nowhere; the total stays below."""
    sales = frame(made)
    pane(
        made,
        sales,
        measure="orders",
        dimension="region",
        renderer="table",
        companions=["revenue", "delay"],
        title="It",
    )
    found = page(made, f"/janela/frames/{sales.id}?sort.1={by}")
    rows = found.within(light(found, "It"), "janela-table__row")
    assert [found.within(row, tag="th")[0].words for row in rows] == labels
    assert found.all("janela-table__total")[1].words == "6"


def test_heads_lead_to_the_other_order_and_keep_everything_else(made: Host) -> None:
    """Numbers from the largest first, names from A; filters and other panes' orders stay."""
    sales = frame(made)
    for _ in range(2):
        pane(made, sales, measure="orders", dimension="region", renderer="table", title="It")
    pane(made, sales, measure="orders", dimension="product")
    at = f"/janela/frames/{sales.id}"
    found = page(made, f"{at}?sort.2=region&sort.1=-orders&q.placed.this=year")
    heads = found.all("janela-table__head")
    assert [head["aria-sort"] for head in heads] == [
        "",
        "descending",
        "ascending",
        "",
        "",
        "descending",
    ]
    links = [link["href"] for link in found.all("janela-table__sort", tag="a")]
    assert links == [
        f"{at}?q.placed.this=year&sort.1=region&sort.2=region",
        f"{at}?q.placed.this=year&sort.1=orders&sort.2=region",
        f"{at}?q.placed.this=year&sort.1=-orders&sort.2=-region",
        f"{at}?q.placed.this=year&sort.1=-orders&sort.2=-orders",
    ]
    assert found.links()["Clear all"] == f"{at}?sort.1=-orders&sort.2=region"
    assert (
        page(made, links[1]).links()["EU"].startswith(f"{at}?q.placed.this=year&q.region=EU&sort")
    )


def test_a_cut_table_keeps_its_members_when_it_is_sorted(made: Host) -> None:
    """The two largest by name are still the two largest; "Other" stays below them."""
    sales = frame(made)
    pane(
        made,
        sales,
        measure="orders",
        dimension="region",
        renderer="table",
        limit=2,
        other=True,
        title="It",
    )
    found = page(made, f"/janela/frames/{sales.id}?sort.1=-region&sort.77=gone")
    rows = found.within(light(found, "It"), "janela-table__row")
    assert [found.within(row, tag="th")[0].words for row in rows] == ["US", "EU", "Other"]


@pytest.mark.parametrize(
    ("options", "drawn", "said"),
    [
        (
            {"renderer": "pie", "dimension": None},
            "janela-value",
            "Drawn as a number: a pie needs a dimension",
        ),
        (
            {"renderer": "line", "dimension": None},
            "janela-value",
            "Drawn as a number: a line needs a dimension",
        ),
    ],
)
def test_what_cannot_be_drawn_as_asked_says_how_it_is_drawn(
    made: Host, options: dict[str, t.Any], drawn: str, said: str
) -> None:
    """The answer is there all the same."""
    sales = frame(made)
    pane(made, sales, **{"measure": "orders", "dimension": "region", "title": "It", **options})
    found = page(made, f"/janela/frames/{sales.id}")
    assert len(found.within(light(found, "It"), drawn)) == 1
    assert said in notes(found, "It")


def test_a_ring_says_its_parts_and_their_shares(made: Host) -> None:
    """Three orders of six in EU are a half; each slice and each line of the legend is a link."""
    sales = frame(made)
    pane(made, sales, measure="orders", dimension="region", renderer="doughnut", title="It")
    found = page(made, f"/janela/frames/{sales.id}?q.region=EU")
    assert [row.words for row in found.within(light(found, "It"), "janela-legend__row")] == [
        "EU, chosen 3 50.0%",
        "US 2 33.3%",
        "(none) 1 16.7%",
    ]
    assert found.words("janela-ring__total") == ["6"]
    slices = found.all("janela-slice")
    assert [(each["aria-label"], each["href"], each["aria-current"]) for each in slices] == [
        ("EU: 3 orders, 50.0%, chosen", f"/janela/frames/{sales.id}", "true"),
        ("US: 2 orders, 33.3%", f"/janela/frames/{sales.id}?q.region=US", ""),
        ("(none): 1 orders, 16.7%", f"/janela/frames/{sales.id}?q.region.null=1", ""),
    ]
    hollow = ["janela-fill-0" in each.classes for each in found.all("janela-slice__fill")]
    assert hollow == [False, True, True]


def test_a_pie_cut_short_is_closed_by_what_is_not_shown(made: Host) -> None:
    """The rest is hollow and no link, and the sill says that there are more."""
    sales = frame(made)
    pane(made, sales, measure="revenue", dimension="region", renderer="pie", limit=1, title="It")
    found = page(made, f"/janela/frames/{sales.id}")
    assert [row.words for row in found.within(light(found, "It"), "janela-legend__row")] == [
        "US $3,000.00 82.2%",
        "Not shown $650.60 17.8%",
    ]
    assert [each.tag for each in found.all("janela-slice")] == ["a", "g"]
    assert "The 1 largest; there are more" in notes(found, "It")
    assert found.words("janela-legend__cell--total") == ["All", "$3,650.60", ""]
    assert found.all("janela-ring__total") == []


@pytest.mark.parametrize(
    ("measure", "said"),
    [
        ("delay", "Drawn as a table: an average is not a whole of parts."),
        ("loss", "Drawn as a table: a ring needs values of 0 and more."),
    ],
)
def test_a_ring_that_cannot_be_says_why_above_its_table(
    made: Host, measure: str, said: str
) -> None:
    """A mean has no parts, and a negative amount no angle."""
    made.add(made.models.Order(region="EU", product="back", amount="-900.00"))
    sales = frame(made)
    measure = "revenue" if measure == "loss" else measure
    pane(made, sales, measure=measure, dimension="region", renderer="doughnut", title="It")
    found = page(made, f"/janela/frames/{sales.id}")
    assert found.one("janela-instead").words == said
    assert len(found.within(light(found, "It"), "janela-table")) == 1


@pytest.mark.parametrize(
    ("options", "narrower"),
    [
        ({"dimension": "region", "renderer": "bar"}, "q.placed.gte=2013-12-01"),
        ({"dimension": "region", "renderer": "pie"}, "q.placed.gte=2013-12-01"),
        ({"dimension": "placed", "granularity": "month"}, "q.region=EU"),
    ],
    ids=str,
)
def test_a_chart_of_nothing_known_is_a_table_that_says_so(
    made: Host, options: dict[str, t.Any], narrower: str
) -> None:
    """Axes around nothing would look like a fault; one known value is enough to be drawn."""
    sales = frame(made)
    pane(made, sales, measure="delay", title="It", **options)
    address = f"/janela/frames/{sales.id}?q.product=plain"
    said = "Drawn as a table: no average delay is known here"
    assert said not in page(made, address).words("janela-instead")
    found = page(made, f"{address}&{narrower}")
    assert found.one("janela-instead").words == said
    assert "—" in found.within(light(found, "It"), "janela-table")[0].words


def test_no_rows_under_filters_says_how_to_get_some(made: Host) -> None:
    """A count of nothing is 0, an average of nothing is unknown, a chart of nothing says so."""
    sales = frame(made)
    pane(made, sales, measure="orders")
    pane(made, sales, measure="delay")
    pane(made, sales, measure="orders", dimension="product")
    found = page(made, f"/janela/frames/{sales.id}?q.region=Mars&q.placed.gte=2013-10-01")
    assert number(found, "Orders") == "0"
    assert number(found, "Average delay") == "—"
    assert "No value to show under these filters." in light(found, "Average delay").words
    assert light(found, "Orders by product").words == (
        "No orders under these filters.Clear the 2 filters"
    )
    assert found.links()["Clear the 2 filters"] == f"/janela/frames/{sales.id}"


def test_every_chart_has_its_table(made: Host) -> None:
    """Behind a disclosure that needs no script, with every row and link of the chart."""
    sales = frame(made)
    pane(made, sales, measure="orders", dimension="region")
    pane(made, sales, measure="orders", dimension="placed")
    pane(made, sales, measure="orders", dimension="region", renderer="table", title="Table")
    found = page(made, f"/janela/frames/{sales.id}")
    tables = found.all("janela-astable")
    assert [table.tag for table in tables] == ["details", "details"]
    assert [len(found.within(table, "janela-table__row")) for table in tables] == [3, 3]
    assert len(found.within(tables[0], "janela-table__link")) == 3


# words and the host's own


def test_words_are_escaped_and_keep_their_paragraphs(made: Host) -> None:
    """No markup of any kind: what was typed is what is read."""
    sales = frame(made, name="<b>Sales</b>", description="<i>all</i>")
    pane(
        made,
        sales,
        kind="text",
        heading="<h1>Read me</h1>",
        body="One *two*\r\nthree\r\n\r\n\r\n<script>alert(1)</script>",
        link="/notes/december?a=1&b=2",
    )
    text = client(made).get(f"/janela/frames/{sales.id}").text
    assert "<script>" not in text
    found = Page(text)
    assert list(faults(found)) == []
    assert found.one(tag="h1").text == "<b>Sales</b>"
    assert found.words("janela-pane__title") == ["<h1>Read me</h1>"]
    assert found.words("janela-prose__p") == [
        "One *two*three",
        "<script>alert(1)</script>",
        "/notes/december?a=1&b=2",
    ]
    assert found.links()["/notes/december?a=1&b=2"] == "/notes/december?a=1&b=2"


def test_words_without_a_heading_have_no_empty_one(made: Host) -> None:
    """The pane is named for those who do not see it."""
    sales = frame(made)
    pane(made, sales, kind="text", body="Hello")
    found = page(made, f"/janela/frames/{sales.id}")
    assert found.all("janela-pane__title") == []
    assert found.one("janela-pane")["aria-label"] == "Words"


def test_a_hosts_partial_is_drawn_in_its_pane(made: Host, tmp_path: t.Any) -> None:
    """From janela_content/ alone; one that is missing says so in its place."""
    content = tmp_path / "janela_content"
    content.mkdir()
    (content / "hello.html").write_text("<em>Hello from the host</em>")
    made.app.template_folder = str(tmp_path)
    sales = frame(made)
    pane(made, sales, kind="partial", partial="hello.html", title="Ours")
    pane(made, sales, kind="partial", partial="missing.html", title="Missing")
    found = page(made, f"/janela/frames/{sales.id}")
    assert found.one(tag="em").words == "Hello from the host"
    assert "There is no template janela_content/missing.html." in light(found, "Missing").words


def test_a_frame_without_panes_says_so(made: Host) -> None:
    """And still is a whole page."""
    empty = frame(made)
    found = page(made, f"/janela/frames/{empty.id}")
    assert found.one("janela-empty__title").words == "Nothing in this frame yet"


def test_a_panes_question_is_only_opened_under_the_same_filters(made: Host) -> None:
    """A frame of EU with a pane of US shows nothing; a page of either of them would be another."""
    sales = frame(made, filters={"orders.region": ["EU", "US"]})
    pane(made, sales, measure="orders", filters={"region": ["US"]})
    pane(made, sales, measure="orders", filters={"region": ["Atlantis"]}, title="Nowhere")
    text = client(made).get(f"/janela/frames/{sales.id}").text
    links = re.findall(r'href="(/janela/ask/[^"]*)"', text)
    assert len(links) == 1
    assert "where.region=US" in links[0]
    assert "where.region=EU" not in links[0]
