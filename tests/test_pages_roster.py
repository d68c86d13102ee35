"""The roster's pages: the same figures as HTML, JSON and CSV, for whom the host grants it."""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
import re
import typing as t

import flask
import pytest
import sqlalchemy as sa
from desk import IMAGE, client, page
from hosts import Host
from ledger import NOW, TOOLS, call, figures, keep, kept, many, within
from markup import Page, faults

from flask_janela.calls import OUTCOMES
from flask_janela.frames import Base
from flask_janela.roster import ToolCall

CALLS = many(3000, days=31)

FILES = ["/janela/tools.json", "/janela/tools.csv"]
PAGES = ["/janela/tools", "/janela/tools/read_pane"]


def table(shown: Page) -> dict[str, list[str]]:
    """The roster's rows by name: the texts of their cells."""
    rows = {}
    for row in shown.all("janela-roster__row"):
        name = shown.within(row, "janela-roster__name")[0].words
        rows[name] = [cell.words for cell in shown.within(row, tag="td")]
    return rows


def as_json(made: Host, query: str = "") -> dict[str, t.Any]:
    return t.cast("dict[str, t.Any]", client(made).get(f"/janela/tools.json{query}").json)


def as_csv(made: Host, query: str = "") -> list[dict[str, str]]:
    text = client(made).get(f"/janela/tools.csv{query}").get_data(as_text=True)
    return list(csv.DictReader(io.StringIO(text.lstrip("\ufeff"))))


@pytest.mark.parametrize("key", ["24h", "7d", "30d"])
@pytest.mark.parametrize("agent", ["", "morning-brief"])
def test_html_json_and_csv_say_what_a_loop_says(key: str, agent: str) -> None:
    """For every tool: calls, errors, rate, refused, invalid and the trend."""
    calls = [each for each in CALLS if not agent or each.agent == agent]
    with kept(CALLS) as made:
        query = f"?window={key}&agent={agent}"
        shown = page(made, f"/janela/tools{query}")
        assert list(faults(shown)) == []
        rows = table(shown)
        told = as_json(made, query)
        lines = {line["name"]: line for line in as_csv(made, query)}
        tools = {tool["name"]: tool for group in told["groups"] for tool in group["tools"]}
        assert set(lines) == set(tools)
        for name, tool in tools.items():
            own = [e for e in calls if (e.unknown if not name else e.tool == name)]
            own = [e for e in own if e.unknown == (not name)]
            expected = figures(own, key)
            assert tool["calls"] == expected["calls"]
            assert tool["errors"] == expected["errors"]
            assert tool["error_rate"] == expected["error_rate"]
            assert tool["refused"] == expected["refused"]
            assert tool["forged"] == expected["forged"]
            assert tool["trend"] == list(expected["trend"])
            for outcome in ("ok", "invalid", "not_found"):
                assert tool[outcome] == expected["outcomes"][outcome]
            line = lines[name]
            for column in ("calls", "errors", "refused", "invalid", "not_found", "forged"):
                assert line[column] == str(tool[column])
            assert line["p95_ms"] == ("" if (p := tool["latency_ms"]["p95"]) is None else repr(p))
            assert line["trend"].split() == [str(count) for count in expected["trend"]]
            if not name:
                continue
            cells = rows[name]
            assert cells[0] == f"{expected['calls']:,}"
            if expected["calls"]:
                assert cells[1].split("%")[0].startswith(f"{expected['errors']:,}")
            assert cells[2:4] == [str(expected["refused"]), str(expected["outcomes"]["invalid"])]
        everything = figures(calls, key)
        tiles = dict(zip(shown.words(tag="dt"), shown.words(tag="dd"), strict=True))
        assert tiles["Calls"].startswith(f"{everything['calls']:,}")
        assert tiles["Refused"].startswith(f"{everything['refused']:,}")
        assert f"{everything['errors']} failed of {len(everything['ran']):,}" in tiles["Error rate"]
        totals = told["totals"]
        assert totals["calls"] == everything["calls"]
        assert totals["errors"] == everything["errors"]
        assert totals["invalid"] == everything["outcomes"]["invalid"]
        assert (totals["tools"], totals["never_called"]) == (5, 1)


def test_the_schema_of_the_json_is_kept() -> None:
    """Names and shapes are a contract."""
    with kept(CALLS) as made:
        told = as_json(made, "?window=24h")
    assert list(told) == [
        *("generated_at", "groups", "recording", "schema_version", "totals", "window"),
    ]
    assert told["schema_version"] == 1
    assert told["generated_at"] == "2024-03-01T14:32:10.000Z"
    assert told["window"] == {
        "key": "24h",
        "start": "2024-02-29T15:00:00.000Z",
        "end": "2024-03-01T15:00:00.000Z",
    }
    assert set(told["recording"]) == {"since", "dropped", "healthy"}
    assert set(told["totals"]) == {
        *("tools", "calls", "errors", "error_rate", "refused", "invalid", "never_called")
    }
    group = told["groups"][0]
    assert set(group) == {"key", "title", "tools"}
    assert set(group["tools"][0]) == {
        *("name", "title", "read_only", "status", "calls", "ok", "errors", "error_rate"),
        *("refused", "invalid", "not_found", "forged", "latency_ms", "last_called"),
        *("last_error", "trend"),
    }
    assert set(group["tools"][0]["latency_ms"]) == {"avg", "p50", "p95", "p99", "max", "n"}
    failed = next(t for g in told["groups"] for t in g["tools"] if t["last_error"])
    assert set(failed["last_error"]) == {"at", "outcome", "text"}


@pytest.mark.parametrize("address", [*PAGES, *FILES])
@pytest.mark.parametrize(
    "query",
    [
        "?window=1y",
        "?window=",
        "?window=24h&window=30d",
        "?window=" + "9" * 5000,
        "?sort=speed",
        "?sort=--calls",
        "?sort=",
        "?sort=tool&sort=p95",
        "?agent=nobody-knows",
        "?agent=a&agent=b",
        "?agent=%00%F0%9F%A6%84",
        "?q.region=EU&what=ever",
        "?before=x&outcome=odd&caller=%00",
        "?before=99999999999999999-1",
        "?before=1-99999999999999999999",
        "?before=%C2%B2-%C2%B2",
    ],
)
def test_nonsense_is_the_default(address: str, query: str) -> None:
    """200, and what the page says without it."""
    with kept(CALLS[:300]) as made:
        answer = client(made).get(address + query)
        assert answer.status_code == 200, answer.text
        plain = client(made).get(address)
        if address in FILES:
            assert answer.data == plain.data
        else:
            shown, expected = Page(answer.text), Page(plain.text)
            assert shown.words(tag="dd") == expected.words(tag="dd")
            assert [r.words for r in shown.all("janela-roster__row")] == [
                r.words for r in expected.all("janela-roster__row")
            ]


@pytest.mark.parametrize("sort", ["tool", "-tool", "calls", "-p95", "-last", "-invalid"])
def test_a_head_says_how_it_is_sorted_and_turns_it(sort: str) -> None:
    """One head is current; its link turns the order, or goes back to the default."""
    with kept(CALLS[:500]) as made:
        shown = page(made, f"/janela/tools?sort={sort}")
        current = [head for head in shown.all("janela-table__head") if head["aria-sort"]]
        assert len(current) == 1
        assert current[0]["aria-sort"] == ("descending" if sort[0] == "-" else "ascending")
        href = shown.within(current[0], tag="a")[0]["href"]
        turned = page(made, href)
        heads = [head for head in turned.all("janela-table__head") if head["aria-sort"]]
        assert heads[0].words == current[0].words
        assert heads[0]["aria-sort"] != current[0]["aria-sort"]


def test_it_is_denied_unless_the_host_grants_it() -> None:
    """Without a permission hook nobody sees it, and no link leads to it."""
    with kept(CALLS[:50]) as made:
        assert "Tools" in page(made, "/janela/").links()
        made.janela._hooks.permission = None
        for address in (*PAGES, *FILES):
            answer = client(made).get(address)
            assert answer.status_code == 403
            assert "read_pane" not in answer.text
        assert "Tools" not in page(made, "/janela/").links()
        made.janela._hooks.permission = lambda caller, action, subject=None: caller.id == "ana"
        assert client(made, "ana").get(PAGES[0]).status_code == 200
        flask.g.pop("_login_user")
        assert client(made, "ben").get(PAGES[0]).status_code == 403
    with kept() as made:
        for address in (*PAGES, *FILES):
            assert made.app.test_client().get(address).status_code == 401


def test_an_unknown_tool_is_not_found() -> None:
    """Neither declared nor ever called; a retired one has its page, a stranger's name has none."""
    calls = [call(tool="export_month"), call(tool="made_up", group="", unknown=True)]
    with kept(calls) as made:
        assert client(made).get("/janela/tools/nothing").status_code == 404
        assert client(made).get("/janela/tools/made_up").status_code == 404
        retired = page(made, "/janela/tools/export_month")
        assert "No longer declared." in retired.words("janela-sub")[0]
        never = page(made, "/janela/tools/remove_pane")
        assert never.words(tag="dd")[0] == "0 0 a day"


def test_nothing_recorded_yet_is_no_zero() -> None:
    """Dashes on the page, null in the JSON, and since when there would have been something."""
    with kept() as made:
        shown = page(made, "/janela/tools")
        assert [words.split()[0] for words in shown.words(tag="dd")] == ["5", "—", "—", "—", "—"]
        said = shown.words("janela-since")[0]
        assert "Recording since" in said
        assert "no call recorded yet" in said
        for cells in table(shown).values():
            assert set(cells) == {"—"}
        told = as_json(made)
        assert told["totals"]["calls"] is None
        assert {tool["calls"] for group in told["groups"] for tool in group["tools"]} == {None}
        assert told["recording"]["since"] is not None
        detail = page(made, "/janela/tools/read_pane")
        assert {words.split()[0] for words in detail.words(tag="dd")} == {"—"}


def test_recording_that_began_within_the_window_says_so() -> None:
    """A window that starts before it is no whole window."""
    with kept([call(started=NOW - dt.timedelta(hours=1))]) as made:
        said = page(made, "/janela/tools").words("janela-since")[0]
        assert "Recording since Mar 1, 2024, 13:32 UTC" in said
        assert "it starts before recording began" in said
    with kept([call(started=NOW - dt.timedelta(days=8))]) as made:
        assert "before recording" not in page(made, "/janela/tools").words("janela-since")[0]


def test_a_tool_that_was_only_refused_has_no_error_rate() -> None:
    """A refusal is no failure, and nothing ran."""
    outcomes = ("refused", "unauthenticated", "caller_gone", "rate_limited")
    with kept([call(tool="rebook", outcome=outcome) for outcome in outcomes]) as made:
        cells = table(page(made, "/janela/tools"))["rebook"]
        assert cells[:6] == ["4", "0", "4", "0", "—", "—"]
        assert as_json(made)["totals"]["error_rate"] is None


@pytest.mark.parametrize(("count", "p95", "p99"), [(19, 0, 0), (20, 1, 0), (99, 1, 0), (100, 1, 1)])
def test_small_samples_have_no_quantile(count: int, p95: int, p99: int) -> None:
    """A dash at 19 and at 99, a figure at 20 and at 100, of calls that ran."""
    refused = [call(outcome="refused") for _ in range(150)]
    ran = [call(duration=10.0 + at) for at in range(count)]
    with kept([*refused, *ran]) as made:
        assert (table(page(made, "/janela/tools"))["read_pane"][5].startswith("—")) == (not p95)
        tiles = page(made, "/janela/tools/read_pane").words(tag="dd")
        assert tiles[5].startswith("—") == (not p95)
        assert tiles[6].startswith("—") == (not p99)


EDGES = {
    "24h": (dt.datetime(2024, 2, 29, 15), dt.datetime(2024, 3, 1, 15)),
    "7d": (dt.datetime(2024, 2, 23, 15), dt.datetime(2024, 3, 1, 15)),
    "30d": (dt.datetime(2024, 2, 1), dt.datetime(2024, 3, 2)),
}


@pytest.mark.parametrize("key", EDGES)
@pytest.mark.parametrize("folded", [False, True], ids=["raw", "folded"])
@pytest.mark.parametrize("zone", ["UTC", "America/New_York", "Europe/Lisbon"])
def test_the_first_and_the_last_instant_of_a_window(key: str, folded: bool, zone: str) -> None:
    """Belong to it, and those beside them do not; whatever zone the reader is in."""
    start, end = (moment.replace(tzinfo=dt.UTC) for moment in EDGES[key])
    tick = dt.timedelta(microseconds=1)
    moments = [start - tick, start, end - tick, end]
    with kept([call(started=at) for at in moments], JANELA_TIMEZONE=zone) as made:
        if folded:
            made.janela.recorder.fold(grace=-1)
        tool = as_json(made, f"?window={key}")["groups"][0]["tools"][0]
        assert tool["calls"] == 2
        assert (tool["trend"][0], tool["trend"][-1]) == (1, 1)


def test_names_that_are_markup_stand_as_text() -> None:
    """Of tools, agents, clients and callers; and no cell of the CSV is a formula."""
    hostile = [
        call(tool=IMAGE, group="=1+1", unknown=True, outcome="not_found"),
        call(tool="=cmd|' /C calc'!A0", group="x"),
        call(agent=IMAGE, client='"><script>', client_version="@1", caller="<b>user</b>"),
        call(outcome="failed", error_class="=Error", correlation="<i>"),
        call(outcome="invalid", error_text='"secret" is no region of 4711 <u>x</u>'),
    ]
    with kept(hostile) as made:
        for address in ("/janela/tools", "/janela/tools/read_pane", "/janela/tools?agent=x"):
            shown = page(made, address)
            assert list(faults(shown)) == []
            assert [e for tag in ("img", "i", "u") for e in shown.all(tag=tag)] == []
        text = client(made).get("/janela/tools/read_pane").text
        assert "secret" not in text
        assert "4711" not in text
        for line in csv.reader(
            io.StringIO(client(made).get("/janela/tools.csv").text.lstrip("\ufeff"))
        ):
            assert not [cell for cell in line if cell.startswith(("=", "+", "-", "@"))]
        link = page(made, "/janela/tools").links()["=cmd|' /C calc'!A0"]
        assert client(made).get(link).status_code == 200


def test_arguments_and_values_reach_no_table() -> None:
    """Neither from a message that quotes them nor from a number in it."""
    with kept([call(outcome="invalid", error_text="region is \"EU\"; 'x' of 1,234 rows")]) as made:
        rows = made.db.session.execute(sa.select(ToolCall.__table__)).mappings().all()
        text = json.dumps([dict(row) for row in rows], default=str)
        assert "EU" not in text
        assert "1,234" not in text
        names = {column.name for t in Base.metadata.sorted_tables for column in t.columns}
        assert not names & {"arguments", "result", "answer", "traceback"}


def test_missing_tables_are_said_and_break_nothing() -> None:
    """The page opens, says what is wrong and how to mend it, and shows dashes."""
    with kept() as made:
        for name in ("calls", "usage", "marks"):
            made.db.session.execute(sa.text(f"DROP TABLE janela_tool_{name}"))
        made.db.session.commit()
        made.janela.recorder.record(call())
        for address in ("/janela/tools", "/janela/tools/read_pane"):
            said = page(made, address).words("janela-since")[0]
            assert "tables are missing: run flask janela init" in said
        assert as_json(made)["recording"] == {"since": None, "dropped": 0, "healthy": False}
        assert made.janela.recorder.status().queued == 1


def test_recording_that_is_off_says_so() -> None:
    """And keeps nothing."""
    with kept([call()], JANELA_RECORDER="off") as made:
        said = page(made, "/janela/tools").words("janela-since")[0]
        assert "Recording is off" in said
        assert made.db.session.scalar(sa.select(sa.func.count(ToolCall.id))) == 0


def test_the_page_of_a_tool_leads_from_chart_to_calls() -> None:
    """Each column to the calls up to its end, each key to its outcome, each caller to theirs."""
    with kept(CALLS) as made:
        shown = page(made, "/janela/tools/read_pane?window=24h")
        assert list(faults(shown)) == []
        marks = shown.all("janela-mark")
        assert len(marks) == 24
        said = [int(re.search(r": ([\d,]+) call", mark["aria-label"])[1]) for mark in marks]
        own = [e for e in CALLS if e.tool == "read_pane" and not e.unknown]
        assert said == list(figures(own, "24h")["trend"])
        older = page(made, marks[5]["href"].partition("#")[0])
        newest = older.within(older.all("janela-calls__row")[0], tag="time")[0]["datetime"]
        until = dt.datetime(2024, 2, 29, 21, tzinfo=dt.UTC)
        expected = max(e.started for e in within(own, "24h") if e.started < until)
        assert dt.datetime.fromisoformat(newest) == expected
        refused = page(made, shown.links()[f"refused {_refused(own)}"].partition("#")[0])
        badges = {badge.words for badge in refused.all("janela-badge") if badge.words != "forged"}
        assert badges <= {"refused", "unauthenticated", "caller gone", "rate limited", "read"}
        mine = page(made, shown.links()["user:ana"].partition("#")[0])
        assert mine.one("janela-chip__val").words == "user:ana"


def _refused(calls: list[t.Any]) -> int:
    return int(figures(calls, "24h")["refused"])


def test_every_outcome_has_a_badge() -> None:
    """In words, whatever its colour."""
    with kept([call(outcome=outcome) for outcome in OUTCOMES]) as made:
        shown = page(made, "/janela/tools/read_pane")
        rows = shown.all("janela-calls__row")
        words = {shown.within(row, "janela-badge")[0].words for row in rows}
        assert words == {outcome.replace("_", " ") for outcome in OUTCOMES}


def test_without_tools_the_page_says_what_will_be_there() -> None:
    """Rather than an empty table."""
    with kept() as made:
        made.app.extensions["janela"].declared_tools = tuple
        shown = page(made, "/janela/tools")
        assert shown.one("janela-empty__title").words == "No tools yet"
        keep(made, [call()])
        assert table(page(made, "/janela/tools"))["read_pane"][0] == "1"
        assert len(TOOLS) == 5


@pytest.mark.parametrize("address", [*PAGES, *FILES])
def test_a_scope_of_no_calls_shows_none(address: str) -> None:
    """Neither a count nor a caller nor a tool that is not declared."""
    nothing = {"read_pane": 4711, "export_month": 1}
    calls = [call(tool=name, caller="user:ben") for name, n in nothing.items() for _ in range(n)]
    with kept(calls) as made:
        made.janela.recorder.fold(grace=-1)
        assert "4711" in client(made).get(address).text.replace(",", "")
        made.janela._hooks.scope = lambda model, caller: sa.select(model).where(sa.false())
        text = client(made).get(address).text.replace(",", "")
        for secret in ("4711", "4712", "export_month", "user:ben"):
            assert secret not in text


@pytest.mark.parametrize("address", [*PAGES, *FILES])
def test_a_scope_that_fails_fails_the_page(address: str) -> None:
    """It is asked for the model of calls, and what it raises is raised on."""

    def broken(model: type, caller: t.Any) -> t.Any:
        raise ZeroDivisionError(model.__name__)

    with kept() as made:
        made.janela._hooks.scope = broken
        with pytest.raises(ZeroDivisionError, match="ToolCall"):
            client(made).get(address)


def test_a_tool_whose_callers_were_forged_says_so_in_its_row() -> None:
    """How many; a tool without any says nothing."""
    calls = [call(forged=True), call(forged=True), call(), call(tool="add_pane")]
    with kept(calls) as made:
        rows = page(made, "/janela/tools").all("janela-roster__row")
        told = [row.words for row in rows if "forged" in row.words]
    assert len(told) == 1
    assert told[0].startswith("read_pane")
    assert "2 forged" in told[0]
