"""The pages of single rows: which they list, under which filters, and who may have them."""

from __future__ import annotations

import collections.abc as cabc
import csv
import datetime as dt
import decimal
import io
import typing as t

import pytest
import sqlalchemy as sa
from desk import BREAKOUT, IMAGE, client, desk, frame, page, pane
from hosts import Host
from markup import Page, faults

from flask_janela.pages import export
from flask_janela.query import records

ALL = [
    ["Oct 5, 2013, 00:00", "EU", IMAGE, "$100.10", "4 min"],
    ["Nov 5, 2013, 00:00", "EU", BREAKOUT, "$200.20", "6 min"],
    ["Dec 5, 2013, 00:00", "EU", "plain", "$300.30", "—"],
    ["Dec 24, 2013, 00:00", "US", IMAGE, "$1,000.00", "-10 min"],
    ["—", "US", "plain", "$2,000.00", "—"],
    ["Oct 31, 2013, 00:00", "—", "plain", "$50.00", "2 min"],
]
EU, NOWHERE = ALL[:3], ALL[5:]


@pytest.fixture
def made() -> cabc.Iterator[Host]:
    with desk() as host:
        yield host


def listed(found: Page) -> list[list[str]]:
    """The cells of each row, as they can be read."""
    lines: dict[int, list[str]] = {}
    for cell in found.all("janela-table__cell"):
        (row,) = (each for each in cell.inside if each.tag == "tr")
        lines.setdefault(id(row), []).append(cell.words)
    return list(lines.values())


def words(rows: list[list[str]]) -> list[list[str]]:
    return [[" ".join(cell.split()) for cell in row] for row in rows]


def test_the_rows_of_a_question_are_listed(made: Host) -> None:
    """Every one, what is hostile as text, without what the reader may not see."""
    found = page(made, "/janela/rows/orders")
    assert listed(found) == words(ALL)
    assert found.words("janela-table__head") == [
        *("Placed", "Region", "Product", "Amount", "Minutes")
    ]
    assert found.words(tag="h1") == ["Orders"]
    assert found.words("janela-sub") == ["6 orders that you may see."]
    assert found.words(tag="caption") == ["Orders: 6 orders that you may see."]
    assert found.words("janela-pager__shown") == ["1 to 6 of 6"]
    assert found.all("janela-chip") == []
    assert list(faults(found)) == []


@pytest.mark.parametrize(
    ("query", "rows", "said"),
    [
        ("?q.region=EU", EU, "3 orders filtered by Region EU."),
        ("?where.region.null=1", NOWHERE, "1 of the orders filtered by Region (none)."),
        (
            "?measure=delay&where.region=EU",
            EU[:2],
            "2 orders that count into average delay, filtered by Region EU.",
        ),
        ("?measure=delay", [*ALL[:2], ALL[3], ALL[5]], "4 orders that count into average delay."),
        ("?measure=orders", ALL, "6 orders that you may see."),
        (
            "?q.placed=2013-12&q.region=US",
            [ALL[3]],
            "1 of the orders filtered by Placed Dec 2013 and Region US.",
        ),
        ("?q.region=nowhere", [], "No orders that you may see, filtered by Region nowhere."),
    ],
    ids=["reader", "null", "measure and filter", "measure", "count", "one", "nothing"],
)
def test_the_filters_and_the_measure_decide_which(
    made: Host, query: str, rows: list[list[str]], said: str
) -> None:
    """And the page says so in a sentence."""
    found = page(made, f"/janela/rows/orders{query}")
    assert listed(found) == words(rows)
    assert found.words("janela-sub") == [said]


def test_rows_lie_below_where_they_were_found(made: Host) -> None:
    """A frame's pane, or a question: the navigation marks what the way above the title says."""
    pane(made, frame(made), measure="orders")

    def marked(address: str) -> list[str]:
        found = page(made, address).all("janela-nav__link")
        return [each.words for each in found if each["aria-current"]]

    assert marked("/janela/rows/orders?measure=orders") == ["Explore"]
    assert marked("/janela/frames/1/panes/1/rows") == ["Frames"]
    assert marked("/janela/frames/1/panes/1") == ["Frames"]


def test_the_sentence_ends_once(made: Host) -> None:
    """Also after a name that ends as a sentence does."""
    found = page(made, "/janela/rows/orders?q.product=Delta+Inc.")
    assert found.words("janela-sub")[0].endswith("Product Delta Inc.")


def test_a_filter_is_removed_by_its_chip(made: Host) -> None:
    """The reader's own; what the link set stays, and the page is the first one again."""
    found = page(made, "/janela/rows/orders?measure=delay&where.region=EU&q.product=plain")
    links = found.links()
    assert links["Remove: Product plain"] == "/janela/rows/orders?measure=delay&where.region=EU"
    assert "Remove: Region EU" not in links
    assert links["Average delay"] == "/janela/ask/orders/delay?q.product=plain&where.region=EU"


def test_a_filter_of_another_model_reaches_or_is_said_not_to(made: Host) -> None:
    """A reader's is told; one that the link sets must hold, so it is refused."""
    found = page(made, "/janela/rows/orders?q.tickets.topic=late")
    assert listed(found) == words(ALL)
    assert found.words("janela-sub") == [
        "6 orders that you may see.",
        "Not filtered by Topic: these rows have nothing of the kind.",
    ]
    page(made, "/janela/rows/orders?where.tickets.topic=late", status=400)


def test_pages_lead_forward_and_back_by_plain_links(
    made: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under the same filters; the ends have no way beyond them."""
    monkeypatch.setattr(records.find, "__kwdefaults__", {**records.find.__kwdefaults__, "limit": 2})
    first = page(made, "/janela/rows/orders?measure=revenue&q.region.not=JP")
    second = page(made, first.links()["Next"])
    third = page(made, second.links()["Next"])

    assert [row for each in (first, second, third) for row in listed(each)] == words(ALL)
    assert [each.words("janela-pager__shown") for each in (first, second, third)] == [
        ["1 to 2 of 6"],
        ["3 to 4 of 6"],
        ["5 to 6 of 6"],
    ]
    assert first.links()["Next"] == (
        "/janela/rows/orders?cursor=after.2&measure=revenue&q.region.not=JP"
    )
    assert not {"First", "Previous"} & set(first.links())
    assert "Next" not in third.links()
    assert listed(page(made, third.links()["Previous"])) == listed(second)
    assert third.links()["First"] == "/janela/rows/orders?measure=revenue&q.region.not=JP"


@pytest.mark.parametrize(
    ("address", "status", "said"),
    [
        ("/janela/rows/orders?cursor=7", 400, 'cursor is "7": use the one that a page gave'),
        ("/janela/rows/orders?cursor=after.1&cursor=after.2", 400, "given twice"),
        ("/janela/rows/orders?region=EU", 400, "is not a parameter of this page"),
        ("/janela/rows/orders?q.nothing=1", 400, "is not a dimension to filter by"),
        ("/janela/rows/orders?limit=1000", 400, "is not a parameter of this page"),
        ("/janela/rows/orders.csv?cursor=after.1", 400, "is not a parameter of this page"),
        ("/janela/rows/orders?measure=profit", 404, "is not a measure of orders"),
        ("/janela/rows/nothing", 404, "is not a model"),
        ("/janela/rows/tickets", 404, "Single rows of tickets are not shown"),
        ("/janela/rows/tickets.csv", 404, "Single rows of tickets are not shown"),
        ("/janela/frames/1/panes/1/rows?cursor=7", 400, "use the one that a page gave"),
        ("/janela/frames/1/panes/2/rows", 404, "Single rows of tickets are not shown"),
        ("/janela/frames/1/panes/3/rows", 404, "no such pane, or none with numbers"),
        ("/janela/frames/1/panes/9/rows", 404, "no such pane, or none with numbers"),
        ("/janela/frames/9/panes/1/rows", 404, "There is no such frame"),
    ],
)
def test_what_cannot_be_is_refused_in_words(
    made: Host, address: str, status: int, said: str
) -> None:
    """Nothing that was asked for is dropped."""
    sales = frame(made)
    pane(made, sales, measure="orders")
    pane(made, sales, model="tickets", measure="tickets")
    pane(made, sales, kind="text", heading="Words", body="One")
    found = page(made, address, status=status)
    assert said in " ".join(found.words("janela-empty__words"))


# ways there


def test_a_question_leads_to_its_rows(made: Host) -> None:
    """With its measure and all its filters, those on what it is split by too."""
    found = page(made, "/janela/ask/orders/revenue/region?where.product=plain&q.region=US")
    address = found.links()["Show the rows"]
    assert address == "/janela/rows/orders?measure=revenue&q.region=US&where.product=plain"
    assert listed(page(made, address)) == words([ALL[4]])
    assert "Show the rows" not in page(made, "/janela/ask/tickets/tickets").links()


def test_every_mark_of_a_pane_leads_to_as_many_rows_as_it_says(made: Host) -> None:
    """A click chooses the mark's member; the pane's rows are then that member's."""
    pane(made, frame(made), measure="orders", dimension="region")
    for mark in page(made, "/janela/frames/1").all("janela-bar"):
        said = int(mark["aria-label"].partition(": ")[2].split()[0])
        chosen = page(made, mark["href"])
        assert len(listed(page(made, chosen.links()["Show the rows"]))) == said


def test_the_layers_of_a_pane_all_hold(made: Host) -> None:
    """The frame's, the pane's and the reader's on one dimension: none widens another."""
    sales = frame(made, filters={"region": ["EU", "US"]})
    pane(made, sales, measure="orders", filters={"region": ["US"]}, dimension="product")
    pane(made, sales, model="tickets", measure="tickets")
    shown = page(made, "/janela/frames/1?q.product=plain&sort.1=orders")
    address = shown.links()["Show the rows"]
    assert address == "/janela/frames/1/panes/1/rows?q.product=plain"

    found = page(made, address)

    assert listed(found) == words([ALL[4]])
    assert found.links()["Sales"] == "/janela/frames/1?q.product=plain"
    assert found.links()["Remove: Product plain"] == "/janela/frames/1/panes/1/rows"
    assert [chip.words for chip in found.all("janela-chip--fixed")]
    assert list(faults(found)) == []


def test_a_pane_in_the_hosts_page_leads_to_its_rows(made: Host) -> None:
    """Under the host's filter."""

    @made.app.get("/embedded")
    def embedded() -> str:
        from flask import render_template_string

        return render_template_string(
            '{{ janela_pane("orders", "orders", where={"region": "EU"}) }}'
            '{{ janela_pane("tickets", "tickets") }}'
        )

    found = page(made, "/embedded")
    ways = [link["href"] for link in found.all("janela-more__link") if "rows" in link.words]
    assert ways == ["/janela/rows/orders?measure=orders&where.region=EU"]
    assert listed(page(made, ways[0])) == words(EU)


# who may


@pytest.mark.parametrize(("name", "shown"), [("The boss", True), ("Ana Reis", False)])
def test_what_is_hidden_from_a_reader_is_in_neither_page_nor_file(
    made: Host, name: str, shown: bool
) -> None:
    """The boss has one column more."""
    made.people["ana"].name = name
    found = page(made, "/janela/rows/orders")
    assert ("Margin" in found.words("janela-table__head")) is shown
    assert ("Margin" in client(made).get("/janela/rows/orders.csv").text) is shown


def test_rows_stay_within_the_scope() -> None:
    """On every page and in every file."""
    with desk(scoped=False) as made:
        order = made.models.Order

        @made.janela.scope
        def scope(model: type, caller: t.Any) -> t.Any:
            return (
                sa.select(model).where(order.region == "EU") if model is order else sa.select(model)
            )

        pane(made, frame(made), measure="orders")
        for address in ("/janela/rows/orders", "/janela/frames/1/panes/1/rows"):
            assert listed(page(made, address)) == words(EU)
            assert len(read(client(made).get(f"{address}.csv").data)) == 1 + len(EU)


def test_the_permission_hook_says_who_may_see_and_take_rows() -> None:
    """``view`` for the page, ``export`` besides for the file, both for the frame as well."""
    with desk() as made:
        pane(made, frame(made), measure="orders")
        allowed = {"view", "arrange"}
        made.janela.permission(lambda caller, action, subject=None: action in allowed)
        for address in ("/janela/rows/orders", "/janela/frames/1/panes/1/rows"):
            assert "Export as CSV" not in page(made, address).links()
            assert client(made).get(f"{address}.csv").status_code == 403
            allowed.add("export")
            assert page(made, address).links()["Export as CSV"] == f"{address}.csv"
            assert client(made).get(f"{address}.csv").status_code == 200
            allowed.remove("view")
            assert client(made).get(address).status_code == 403
            assert client(made).get(f"{address}.csv").status_code == 403
            allowed.add("view")
            allowed.remove("export")


def test_a_frame_can_be_kept_from_a_file() -> None:
    """Of a host whose readers may export, but not this frame."""
    with desk() as made:
        pane(made, frame(made), measure="orders")
        made.janela.permission(
            lambda caller, action, subject=None: action != "export" or subject is None
        )
        assert client(made).get("/janela/rows/orders.csv").status_code == 200
        assert client(made).get("/janela/frames/1/panes/1/rows.csv").status_code == 403
        assert "Export as CSV" not in page(made, "/janela/frames/1/panes/1/rows").links()


# as a file


def read(data: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def test_a_file_has_every_row_and_exact_values(made: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamed in batches; times with their zone, numbers bare, unknown ones empty."""
    monkeypatch.setattr(records, "BATCH", 2)
    found = client(made).get("/janela/rows/orders.csv?measure=revenue&q.region.not=JP")
    assert read(found.data) == [
        ["Placed", "Region", "Product", "Amount", "Minutes"],
        ["2013-10-05T00:00:00+00:00", "EU", IMAGE, "100.10", "4.0"],
        ["2013-11-05T00:00:00+00:00", "EU", BREAKOUT, "200.20", "6.0"],
        ["2013-12-05T00:00:00+00:00", "EU", "plain", "300.30", ""],
        ["2013-12-24T00:00:00+00:00", "US", IMAGE, "1000.00", "-10.0"],
        ["", "US", "plain", "2000.00", ""],
        ["2013-10-31T00:00:00+00:00", "", "plain", "50.00", "2.0"],
    ]
    assert "Content-Length" not in found.headers
    assert found.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert found.headers["X-Content-Type-Options"] == "nosniff"
    assert found.headers["Cache-Control"] == "private, no-store"
    assert 'filename="Orders behind revenue.csv"' in found.headers["Content-Disposition"]


@pytest.mark.parametrize(
    ("given", "formatted", "written"),
    [
        (1, "1", "1"),
        (1, "=Paid", "'=Paid"),
        (decimal.Decimal("100.10"), "100.1", "100.10"),
        (True, "Yes", "Yes"),
        (dt.date(2013, 7, 4), "2013-07-04", "2013-07-04"),
        (None, "—", ""),
    ],
    ids=["number", "labelled number", "decimal", "boolean", "date", "unknown"],
)
def test_a_cell_is_written_by_what_it_is(given: t.Any, formatted: str, written: str) -> None:
    """What has a label of its own stands as people read it, all else as programs do."""
    assert export.cell(given, formatted) == written


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@sum", "\t=1", "\r=1"])
def test_no_spreadsheet_takes_a_text_for_a_formula(made: Host, text: str) -> None:
    """An apostrophe stands before it."""
    made.add(made.models.Order(region="JP", product=text, amount="-1.00"))
    found = read(client(made).get("/janela/rows/orders.csv?q.region=JP").data)
    assert found[1] == ["", "JP", f"'{text}", "-1.00", ""]
