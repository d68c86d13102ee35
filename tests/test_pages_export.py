"""A pane as comma-separated values: what stands in the file, and who may have it."""

from __future__ import annotations

import collections.abc as cabc
import csv
import datetime as dt
import decimal
import io
import typing as t

import pytest
import sqlalchemy as sa
from answers import answer, row
from desk import BREAKOUT, IMAGE, client, desk, frame, page, pane
from hosts import Host

from flask_janela.frames import Pane
from flask_janela.pages import export


@pytest.fixture
def made() -> cabc.Iterator[Host]:
    with desk() as host:
        yield host


def exported(made: Host, query: str = "", *, status: int = 200) -> t.Any:
    """The file of the first pane of the first frame."""
    found = client(made).get(f"/janela/frames/1/panes/1.csv{query}")
    assert found.status_code == status, found.text
    return found


def rows(made: Host, query: str = "") -> list[list[str]]:
    text = exported(made, query).data.decode("utf-8-sig")
    return list(csv.reader(io.StringIO(text, newline="")))


def test_a_file_is_utf_8_with_a_mark_and_lines_that_end_as_they_should(made: Host) -> None:
    """RFC 4180: CRLF, and quotes doubled inside quotes."""
    pane(made, frame(made), measure="orders", dimension="product")
    found = exported(made)
    doubled = BREAKOUT.replace('"', '""')
    assert (
        found.data
        == (f'\ufeffProduct,Orders\r\nplain,3\r\n{IMAGE},2\r\n"{doubled}",1\r\n').encode()
    )
    assert found.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert found.headers["X-Content-Type-Options"] == "nosniff"
    assert found.headers["Cache-Control"] == "private, no-store"
    assert "Content-Length" not in found.headers


def test_numbers_are_exact_and_not_formatted(made: Host) -> None:
    """Decimals as they are stored, averages in full, an unknown one empty, a negative one bare."""
    made.add(made.models.Order(region="UK", amount="7.10", product="p"))
    pane(
        made,
        frame(made),
        measure="revenue",
        dimension="region",
        companions=["delay", "product"],
    )
    assert rows(made) == [
        ["Region", "Revenue", "Average delay", "Product"],
        ["US", "3000.00", "-10.0", "—"],
        ["EU", "600.60", "5.0", "—"],
        ["(none)", "50.00", "2.0", "plain"],
        ["UK", "7.10", "", "p"],
    ]


def test_a_time_is_written_so_that_programs_read_it(made: Host) -> None:
    """The first day of each bucket, and what has no date last."""
    pane(made, frame(made), measure="orders", dimension="placed")
    assert rows(made) == [
        ["Placed", "Orders"],
        ["2013-10-01", "2"],
        ["2013-11-01", "1"],
        ["2013-12-01", "2"],
        ["(none)", "1"],
    ]


def test_a_number_is_a_file_of_one_row(made: Host) -> None:
    """Its name above it."""
    pane(made, frame(made), measure="revenue", companions=["orders"])
    assert rows(made, "?q.region=EU") == [["Revenue", "Orders"], ["600.60", "3"]]


def test_filters_limits_and_orders_are_the_panes_own(made: Host) -> None:
    """The frame's, the pane's and the reader's, "Other" last, sorted as on the page."""
    sales = frame(made, filters={"product": [IMAGE, "plain"]})
    pane(made, sales, measure="orders", dimension="region", limit=2, other=True, renderer="table")
    assert rows(made, "?sort.1=region&q.placed.this=year") == [
        ["Region", "Orders"],
        ["EU", "2"],
        ["US", "1"],
        ["Other", "1"],
    ]
    link = page(made, "/janela/frames/1?sort.1=region&q.placed.this=year").links()["Export as CSV"]
    assert link == "/janela/frames/1/panes/1.csv?q.placed.this=year&sort.1=region"


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_no_text_is_a_formula(made: Host, start: str) -> None:
    """A spreadsheet reads the apostrophe as "this is text"; labels of columns are texts too."""
    hostile = f"{start}cmd|' /C calc'!A0"
    made.db.session.execute(sa.delete(made.models.Order))
    made.add(made.models.Order(region=hostile, product=hostile, amount=1))
    pane(made, frame(made), measure="orders", dimension="region", companions=["product"])
    assert rows(made)[1] == [f"'{hostile}", "1", f"'{hostile}"]


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (2**70, "1180591620717411303424"),
        (decimal.Decimal("1E+30"), "1" + 30 * "0"),
        (decimal.Decimal("0.1000"), "0.1000"),
        (0.1, "0.1"),
        (-5, "-5"),
        (1e300, "1e+300"),
        (float("nan"), ""),
        (float("inf"), ""),
        (None, ""),
        (dt.datetime(2013, 7, 4, 12, 30, tzinfo=dt.UTC), "2013-07-04T12:30:00+00:00"),
    ],
)
def test_values_keep_every_digit(value: object, written: str) -> None:
    """Nothing is rounded, nothing grouped, and what is no number is empty."""
    assert export.value(value) == written


def test_a_key_that_is_a_number_stays_one() -> None:
    """-5 as a key is no formula; -5 as a text is guarded."""
    assert list(export.lines(answer([row(-5, 1), row("-5", 1)])))[1:] == ["-5,1\r\n", "'-5,1\r\n"]


# its name


@pytest.mark.parametrize(
    ("name", "header"),
    [
        pytest.param(
            "Sales", "attachment; filename=\"Sales.csv\"; filename*=UTF-8''Sales.csv", id="plain"
        ),
        pytest.param(
            "São Paulo – ação",
            'attachment; filename="Sao Paulo  acao.csv"; '
            "filename*=UTF-8''S%C3%A3o%20Paulo%20%E2%80%93%20a%C3%A7%C3%A3o.csv",
            id="letters beyond ASCII",
        ),
        pytest.param(
            'a"; filename=evil.exe\r\nSet-Cookie: x=1',
            'attachment; filename="a__ filename_evil.exe Set-Cookie_ x_1.csv"; '
            "filename*=UTF-8''a_%3B%20filename%3Devil.exe%20Set-Cookie_%20x%3D1.csv",
            id="a header of its own",
        ),
        pytest.param(
            "../../etc/passwd",
            "attachment; filename=\"_.._etc_passwd.csv\"; filename*=UTF-8''_.._etc_passwd.csv",
            id="a path",
        ),
        pytest.param(
            "\u202e", "attachment; filename=\"pane.csv\"; filename*=UTF-8''pane.csv", id="none"
        ),
        pytest.param(
            "東京",
            "attachment; filename=\"pane.csv\"; filename*=UTF-8''%E6%9D%B1%E4%BA%AC.csv",
            id="no letter of ASCII",
        ),
    ],
)
def test_a_files_name_is_safe(name: str, header: str) -> None:
    """No quote, control character or path gets into the header."""
    assert export.disposition(name) == header


def test_the_file_is_called_after_the_frame_and_the_pane(made: Host) -> None:
    """A hostile title included, of a row that something else wrote."""
    pane(made, frame(made), measure="orders")
    made.db.session.execute(sa.update(Pane).values(title='Or"ders\r\nX-Evil: 1'))
    made.db.session.commit()
    found = exported(made)
    assert "X-Evil" not in found.headers
    assert found.headers["Content-Disposition"].startswith(
        'attachment; filename="Sales - Or_ders X-Evil_ 1.csv"'
    )


# who may have it


def test_without_the_permission_there_is_no_file_and_no_link(made: Host) -> None:
    """The action is "export", asked for the frame too."""
    pane(made, frame(made), measure="orders", dimension="region")
    asked: list[tuple[str, t.Any]] = []

    @made.janela.permission
    def may(caller: t.Any, action: str, subject: t.Any = None) -> bool:
        asked.append((action, type(subject).__name__))
        return action != "export" or subject is None

    assert "You may not export this." in exported(made, status=403).text
    # The page that says so also asks whether to link to the roster.
    assert [each for each in asked if each[0] != "roster"] == [
        ("export", "NoneType"),
        ("view", "Frame"),
        ("export", "Frame"),
    ]
    assert "Export as CSV" not in page(made, "/janela/frames/1").links()


@pytest.mark.parametrize(
    "address",
    [
        "/janela/frames/2/panes/1.csv",
        "/janela/frames/1/panes/2.csv",
        "/janela/frames/1/panes/99.csv",
        "/janela/frames/99/panes/1.csv",
    ],
)
def test_a_pane_that_is_not_there_has_no_file(made: Host, address: str) -> None:
    """Of another frame, of words, of nothing: told alike."""
    sales = frame(made)
    pane(made, sales, measure="orders")
    pane(made, sales, kind="text", body="Words")
    frame(made, key="other", name="Other")
    page(made, address, status=404)


def test_a_frame_whose_filter_has_gone_exports_nothing(made: Host) -> None:
    """Without it the file would hold more than the frame is for."""
    sales = frame(made)
    pane(made, sales, measure="orders")
    made.db.session.execute(made.db.text('UPDATE janela_frames SET filters = \'{"gone": ["1"]}\''))
    made.db.session.commit()
    assert "own filter cannot be applied" in exported(made, status=400).text


def question(made: Host, rest: str, *, status: int = 200) -> t.Any:
    found = client(made).get(f"/janela/ask/orders/{rest}")
    assert found.status_code == status, found.text
    return found


@pytest.mark.parametrize(
    ("rest", "lines"),
    [
        ("orders.csv", ["Orders", "6"]),
        ("orders/region.csv", ["Region,Orders", "EU,3", "US,2", "(none),1"]),
        ("orders/region.csv?order=value&limit=2&q.product=plain&where.region.not=US",
         ["Region,Orders", "EU,1", "(none),1"]),
        ("revenue/region.csv?companions=orders&q.region=EU",
         ["Region,Revenue,Orders", "US,3000.00,2", "EU,600.60,3", "(none),50.00,1"]),
        ("orders/placed.csv?granularity=quarter",
         ["Placed,Orders", "2013-10-01,5", "(none),1"]),
    ],
)  # fmt: skip
def test_a_question_is_exported_as_its_address_asks_it(
    made: Host, rest: str, lines: list[str]
) -> None:
    """Under the link's filters and the reader's, in the order and with the columns asked for."""
    text = question(made, rest).data.decode("utf-8-sig")
    assert text == "".join(f"{line}\r\n" for line in lines)


def test_the_page_of_a_question_leads_to_its_file(made: Host) -> None:
    """With all that its address asks, but not how it is looked at."""
    page_ = page(made, "/janela/ask/orders/orders/region?q.product=plain&several=1&limit=2")
    address = "/janela/ask/orders/orders/region.csv?limit=2&q.product=plain"
    assert page_.links()["Export as CSV"] == address
    named = question(made, "orders/region.csv").headers["Content-Disposition"]
    assert 'filename="Orders - Orders by region.csv"' in named
    question(made, "orders/nothing.csv", status=404)
    question(made, "nothing.csv", status=404)


def test_a_question_is_exported_by_those_who_may(made: Host) -> None:
    """For others there is no link and no file."""
    made.janela.permission(lambda caller, action, subject=None: action != "export")
    assert "Export as CSV" not in page(made, "/janela/ask/orders/orders/region").links()
    assert "You may not export this." in question(made, "orders/region.csv", status=403).text
