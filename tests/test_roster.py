"""The roster's figures are those of a plain loop over the calls that were made."""

from __future__ import annotations

import collections.abc as cabc
import datetime as dt
import typing as t

import pytest
import sqlalchemy as sa
from hosts import Host
from ledger import TOOLS, figures, keep, kept, many, rank, window, within

from flask_janela.calls import NOT_LET_THROUGH
from flask_janela.roster import ToolCall, detail, report

CALLS = many(6000)


@pytest.fixture(scope="module", params=["raw", "folded", "half"])
def made(request: pytest.FixtureRequest) -> cabc.Iterator[Host]:
    """Six thousand calls: as they were written, all folded, and half of them folded."""
    with kept() as host:
        if request.param == "half":
            keep(host, CALLS[:3000])
            host.db.session.execute(sa.update(ToolCall).values(written=ToolCall.written - 100))
            host.db.session.commit()
            assert host.janela.recorder.fold().hours
            keep(host, CALLS[3000:])
        else:
            keep(host, CALLS)
            if request.param == "folded":
                assert host.janela.recorder.fold(grace=-1).hours
        yield host


def read(made: Host, **asked: t.Any) -> report.Roster:
    reader = made.janela.reader(made.people["ana"])
    return report.roster(reader, TOOLS, **asked)


def same(found: t.Any, expected: dict[str, t.Any]) -> None:
    """Figures against a plain loop's."""
    ran = expected["ran"]
    assert found.calls == expected["calls"]
    assert dict(found.outcomes) == expected["outcomes"]
    assert found.errors == expected["errors"]
    assert found.error_rate == expected["error_rate"]
    assert found.refused == expected["refused"]
    assert found.forged == expected["forged"]
    latency = found.latency
    assert latency.n == len(ran)
    if not ran:
        assert latency.average is None
        return
    assert latency.average == pytest.approx(sum(ran) / len(ran))
    assert latency.most == max(ran)
    assert latency.p50 == pytest.approx(rank(ran, 0.5), rel=0.01)
    for name, fraction, least in (("p95", 0.95, 20), ("p99", 0.99, 100)):
        value = getattr(latency, name)
        if len(ran) < least:
            assert value is None
        else:
            assert value == pytest.approx(rank(ran, fraction), rel=0.01)


@pytest.mark.parametrize("key", ["24h", "7d", "30d"])
@pytest.mark.parametrize("agent", ["", "desk-assistant"])
def test_every_figure_is_that_of_a_loop(made: Host, key: str, agent: str) -> None:
    """Of every tool, of all together, for each window, for all agents and for one."""
    calls = [each for each in CALLS if not agent or each.agent == agent]
    found = read(made, window=key, agent=agent)
    start, end, _ = window(key)
    assert (found.window.start, found.window.end) == (start, end)
    same(found.totals.figures, figures(calls, key))
    lines = [line for group in found.groups for line in group.tools]
    for line in lines:
        own = [e for e in calls if (e.unknown if not line.name else e.tool == line.name)]
        expected = figures(own, key)
        same(line.figures, expected)
        assert line.figures.trend == expected["trend"]
        assert sum(line.figures.failures) == expected["errors"]
        if line.status == "never":
            assert not [e for e in own if e.started < end]
        else:
            assert line.last_called == max(e.started for e in own)
    assert {line.name for line in lines} >= {tool.name for tool in TOOLS}
    assert found.agents == ("desk-assistant", "morning-brief")
    assert found.totals.tools == len(TOOLS)
    assert found.totals.never_called == 1
    strangers = [e.tool for e in within(calls, key) if e.unknown]
    rows = [group for group in found.groups if group.key == "unknown"]
    assert bool(rows) == bool(strangers)
    for group in rows:
        assert dict(group.tools[0].names) == {name: strangers.count(name) for name in strangers}


@pytest.mark.parametrize("key", ["24h", "7d", "30d"])
def test_the_window_before_is_counted_too(made: Host, key: str) -> None:
    """When recording had begun by then, which 62 days of calls say."""
    start, end, _ = window(key)
    length = end - start
    expected = sum(start - length <= each.started < start for each in CALLS)
    assert read(made, window=key).totals.before == expected


@pytest.mark.parametrize("sort", [s + n for s in ("", "-") for n in report.SORTS])
def test_tools_are_sorted_within_their_groups(made: Host, sort: str) -> None:
    """By any column, either way; what has no value is last."""
    values: dict[str, cabc.Callable[[t.Any], t.Any]] = {
        "tool": lambda line: line.name,
        "calls": lambda line: line.figures.calls,
        "errors": lambda line: line.figures.errors,
        "refused": lambda line: line.figures.refused,
        "invalid": lambda line: line.figures.outcomes["invalid"],
        "average": lambda line: line.figures.latency.average,
        "p95": lambda line: line.figures.latency.p95,
        "last": lambda line: line.last_called,
    }
    value = values[sort.removeprefix("-")]
    for group in read(made, window="30d", sort=sort).groups:
        got = [value(line) for line in group.tools]
        known = [each for each in got if each is not None]
        assert known == sorted(known, reverse=sort.startswith("-"))
        assert got == known + [None] * (len(got) - len(known))


def test_the_newest_error_is_the_one_told(made: Host) -> None:
    """By when it happened, whatever was written last."""
    for group in read(made, window="30d").groups:
        for line in group.tools:
            own = [e for e in within(CALLS, "30d") if e.tool == line.name and not e.unknown]
            failed = [e for e in own if e.outcome == "failed"]
            if failed:
                newest = max(failed, key=lambda e: e.started)
                assert line.figures.last_error is not None
                assert line.figures.last_error.at == newest.started
                assert line.figures.last_error.said == "OperationalError"
            elif line.name:
                assert line.figures.last_error is None


def test_groups_stand_in_the_order_of_the_tools(made: Host) -> None:
    """Then what is retired, then the names that nobody declared."""
    found = read(made, window="30d")
    assert [(group.key, group.title) for group in found.groups] == [
        ("frames", "Frames"),
        ("orders", "Orders records"),
        ("host_tools", "Host tools"),
        ("retired", "Retired"),
        ("unknown", "Unknown names"),
    ]
    assert [line.name for line in found.groups[3].tools] == ["export_month"]
    assert found.groups[3].tools[0].status == "retired"


@pytest.mark.parametrize("key", ["24h", "7d", "30d", "nonsense"])
def test_the_detail_is_that_of_a_loop(made: Host, key: str) -> None:
    """Figures, bars, latency and who called."""
    reader = made.janela.reader(made.people["ana"])
    found = detail.detail(reader, TOOLS, "read_pane", window=key)
    key = "7d" if key == "nonsense" else key
    own = [e for e in CALLS if e.tool == "read_pane" and not e.unknown]
    same(found.figures, figures(own, key))
    assert sum(sum(bar.values()) for bar in found.bars) == found.figures.calls
    assert len(found.bars) == {"24h": 24, "7d": 28, "30d": 30}[key]
    assert sum(found.buckets.values()) == found.figures.latency.n
    seen = within(own, key)
    assert found.looked_at == len(seen)
    for shares, value in (
        (found.callers, lambda e: e.caller or "nobody"),
        (found.agents_seen, lambda e: e.agent or ""),
        (found.clients, lambda e: f"{e.client or ''} {e.client_version}".strip()),
    ):
        names = [value(e) for e in seen]
        failed = [value(e) for e in seen if e.outcome == "failed"]
        assert {s.name: (s.calls, s.errors) for s in shares} == {
            name: (names.count(name), failed.count(name)) for name in names
        }


@pytest.mark.parametrize("kind", ["", "failed", "refused", "nonsense"])
@pytest.mark.parametrize("caller", ["", "user:ana", "nobody"])
def test_single_calls_are_paged_without_a_gap(made: Host, kind: str, caller: str) -> None:
    """Page after page, each call once, newest first."""
    reader = made.janela.reader(made.people["ana"])
    kinds = {"failed": {"failed"}, "refused": set(NOT_LET_THROUGH)}
    expected = [
        e.started
        for e in within(CALLS, "7d")
        if e.tool == "read_pane"
        and not e.unknown
        and (kind not in kinds or e.outcome in kinds[kind])
        and (not caller or (e.caller or "nobody") == caller)
    ]
    got: list[dt.datetime] = []
    cursor = ""
    while True:
        found = detail.detail(
            reader, TOOLS, "read_pane", window="7d", kind=kind, caller=caller, cursor=cursor
        ).singles
        got += [single.started for single in found.calls]
        cursor = found.older
        if not cursor:
            break
    assert got == sorted(expected, reverse=True)


def test_a_scope_over_calls_is_counted_from_single_calls() -> None:
    """A lead who may see one person's calls sees those, folded or not."""
    with kept() as host:
        host.janela._hooks.scope = lambda model, caller: (
            sa.select(model).where(ToolCall.caller == "user:ben")
            if model is ToolCall
            else sa.select(model)
        )
        keep(host, CALLS)
        host.janela.recorder.fold(grace=-1)
        own = [each for each in CALLS if each.caller == "user:ben"]
        found = read(host, window="30d")
        same(found.totals.figures, figures(own, "30d"))
        for group in found.groups:
            for line in group.tools:
                mine = [e for e in own if (e.unknown if not line.name else e.tool == line.name)]
                assert line.figures.trend == figures(mine, "30d")["trend"]
        shown = detail.detail(
            host.janela.reader(host.people["ana"]), TOOLS, "read_pane", window="30d"
        )
        assert {share.name for share in shown.callers} == {"user:ben"}
