"""Folding counts calls anew rather than adding to what was counted, so it can be repeated."""

from __future__ import annotations

import collections.abc as cabc
import datetime as dt
import typing as t

import pytest
import sqlalchemy as sa
from hosts import Host
from ledger import NOW, TOOLS, call, figures, keep, kept, many, rank

from flask_janela.roster import ToolCall, ToolMark, ToolUsage, folding, marks, report, retention
from flask_janela.roster.periods import hour_of
from flask_janela.roster.tallies import MOST_UNKNOWN

SECOND = int(NOW.timestamp())


@pytest.fixture
def made() -> cabc.Iterator[Host]:
    with kept() as host:
        yield host


def stamp(made: Host, second: int, *, after: int = 0) -> None:
    """As if the rows after that id had been written at some second."""
    made.db.session.execute(sa.update(ToolCall).where(ToolCall.id > after).values(written=second))
    made.db.session.commit()


def fold(made: Host, second: int) -> folding.Folded:
    return made.janela.recorder.fold(now=second, grace=0)


def usage(made: Host) -> list[t.Any]:
    """Every row of usage, but for the last digits of sums."""
    made.db.session.rollback()
    columns = [column for column in ToolUsage.__table__.columns if column.name != "total"]
    statement = sa.select(*columns).order_by(*ToolUsage.__table__.primary_key)
    return list(made.db.session.execute(statement).all())


def total(made: Host, key: str = "30d") -> report.Roster:
    return report.roster(made.janela.reader(made.people["ana"]), TOOLS, window=key)


def test_folding_again_gives_the_same_rows(made: Host) -> None:
    """Repeated, and made to count every hour and day once more."""
    keep(made, many(2000, days=20))
    stamp(made, SECOND)
    done = fold(made, SECOND + 1)
    assert done.hours > 200
    assert done.days >= 20
    first = usage(made)
    assert fold(made, SECOND + 1) == folding.Folded()
    assert usage(made) == first
    stamp(made, SECOND + 2)
    again = fold(made, SECOND + 1000)
    assert again.hours == done.hours
    assert usage(made) == first


def test_a_call_that_is_written_late_is_counted(made: Host) -> None:
    """Into an hour and a day that were folded long ago."""
    keep(made, [call(started=NOW - dt.timedelta(days=3))])
    stamp(made, SECOND - 1000)
    fold(made, SECOND)
    keep(made, [call(started=NOW - dt.timedelta(days=3), duration=99)])
    stamp(made, SECOND + 5, after=1)
    assert total(made).totals.figures.calls == 2
    fold(made, SECOND + 6)
    assert total(made).totals.figures.calls == 2
    days = [row for row in usage(made) if row.span == 24]
    assert [(row.ok, row.most) for row in days] == [(2, 99)]


def test_a_transaction_that_ended_late_is_found_when_its_hour_closes(made: Host) -> None:
    """Its rows are stamped before the mark; at the end of the hour all calls are counted anew."""
    hour = hour_of(NOW)
    end = (hour + 1) * 3600
    keep(made, [call()])
    stamp(made, SECOND)
    fold(made, SECOND + 1)
    keep(made, [call()])
    stamp(made, SECOND - 30, after=1)
    assert total(made).totals.figures.calls == 1
    fold(made, end + folding.CLOSED + 1)
    assert total(made).totals.figures.calls == 2


def test_one_process_folds_at_a_time(made: Host) -> None:
    """While another holds the lease nothing is done; when it has run out, the next one may."""
    keep(made, many(50, days=1))
    stamp(made, SECOND - 5)
    with made.db.engine.begin() as connection:
        assert marks.hold(connection, "another", SECOND)
    assert fold(made, SECOND + 1) == folding.Folded(held=False)
    assert usage(made) == []
    assert fold(made, SECOND + marks.LEASE + 1).held
    assert usage(made) != []
    keeper = made.db.session.get(ToolMark, "keeper")
    assert keeper is not None
    made.db.session.refresh(keeper)
    assert keeper.holder is None


def test_a_pass_that_is_cut_off_leaves_everything_as_it_was(
    made: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows and mark change together, or not at all."""
    calls = many(300, days=2)
    keep(made, calls)
    stamp(made, SECOND)

    def cut(*given: t.Any) -> bool:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(marks, "move", cut)
        with pytest.raises(KeyboardInterrupt):
            fold(made, SECOND + 1)
    assert usage(made) == []
    assert total(made).totals.figures.calls == figures(calls, "30d")["calls"]
    assert fold(made, SECOND + 1).hours


def test_many_waiting_calls_are_folded_in_steps(
    made: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each a transaction of its own, and in the end the same rows."""
    keep(made, many(1000, days=5))
    made.db.session.execute(sa.update(ToolCall).values(written=SECOND + ToolCall.id))
    made.db.session.commit()
    fold(made, SECOND + 10_000)
    whole = usage(made)
    for model in (ToolUsage, ToolMark):
        made.db.session.execute(sa.delete(model))
    made.db.session.commit()
    monkeypatch.setattr(folding, "STEP", 90)
    fold(made, SECOND + 10_000)
    assert usage(made) == whole


def test_whoever_reads_while_it_is_folded_counts_each_call_once(
    made: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reading during which the mark moved is thrown away and made again."""
    calls = many(500, days=5)
    keep(made, calls)
    stamp(made, SECOND)
    read, moved = marks.read, []

    def meddle(connection: sa.Connection) -> marks.Marks:
        found = read(connection)
        if not moved:
            moved.append(1)
            connection.rollback()
            fold(made, SECOND + 1)
        return found

    monkeypatch.setattr("flask_janela.roster.reading.marks.read", meddle)
    assert total(made).totals.figures.calls == figures(calls, "30d")["calls"]
    assert moved


def test_names_made_up_make_no_rows_without_end(made: Host) -> None:
    """An hour and a day keep the most called ones, the window theirs; all are counted."""
    calls = [
        call(tool=f"guess_{at}", group="", unknown=True, outcome="not_found")
        for at in range(100)
        for _ in range(2 if at < 5 else 1)
    ]
    keep(made, calls)
    stamp(made, SECOND)
    fold(made, SECOND + 100_000)
    assert len(usage(made)) == 3 * (MOST_UNKNOWN + 1)
    line = total(made).groups[-1].tools[0]
    assert line.figures.calls == 105
    assert [count for _, count in line.names[:6]] == [2, 2, 2, 2, 2, 1]
    assert line.more


def longest(made: Host) -> set[tuple[int, int]]:
    """First hour and length of what is added up beyond days."""
    return {(row.hour, row.span) for row in usage(made) if row.span > 24}


def shown(made: Host) -> t.Any:
    """What the roster says of the longest window, but for the last digits of averages."""
    found = total(made)
    lines = [(line.name, line.figures) for group in found.groups for line in group.tools]
    return [
        (name, each.outcomes, each.forged, each.latency.p99, each.trend, each.last_error)
        for name, each in [*lines, ("", found.totals.figures)]
    ]


@pytest.mark.parametrize("agent", ["", "morning-brief"])
def test_the_longest_window_is_added_up_as_far_as_its_hours_are_closed(
    made: Host, agent: str
) -> None:
    """Its rows say the same as its days and hours, of all agents and of each."""
    calls = many(3000, days=40)
    keep(made, calls)
    stamp(made, SECOND - 1)
    fold(made, SECOND)
    hour = hour_of(NOW)
    first = hour - hour % 24 - 29 * 24
    assert longest(made) == {(first, hour - first)}
    reader = made.janela.reader(made.people["ana"])
    found = report.roster(reader, TOOLS, window="30d", agent=agent)
    mine = [each for each in calls if not agent or each.agent == agent]
    expected = figures(mine, "30d")
    got = found.totals.figures
    assert (got.outcomes, got.forged) == (expected["outcomes"], expected["forged"])
    assert got.latency.p50 == pytest.approx(rank(expected["ran"], 0.5), rel=0.01)
    assert got.latency.average == pytest.approx(sum(expected["ran"]) / len(expected["ran"]))
    before = shown(made)
    made.db.session.execute(sa.delete(ToolUsage).where(ToolUsage.span > 24))
    made.db.session.commit()
    assert shown(made) == before


@pytest.mark.parametrize("hours_ago", [1, 10, 14, 15, 100, 29 * 24 + 14])
def test_a_call_that_is_written_late_is_in_the_longest_window(made: Host, hours_ago: int) -> None:
    """Whether its hour was in a day that is over or in today."""
    calls = many(300, days=31)
    keep(made, calls)
    stamp(made, SECOND - 1)
    fold(made, SECOND)
    known = longest(made)
    late = call(started=NOW - dt.timedelta(hours=hours_ago), duration=9_999_999.0)
    keep(made, [late])
    stamp(made, SECOND + 1, after=len(calls))
    fold(made, SECOND + 5)
    assert longest(made) == known
    got, expected = total(made).totals.figures, figures([*calls, late], "30d")
    assert got.outcomes == expected["outcomes"]
    assert got.latency.most == 9_999_999.0


def test_the_longest_window_moves_on_with_hours_and_days(made: Host) -> None:
    """At every hour that closes; there is never more than one of it."""
    calls = many(500, days=35)
    keep(made, calls)
    stamp(made, SECOND - 1)
    fold(made, SECOND)
    state = made.app.extensions["janela"]
    for hours in (1, 9, 10, 11, 34, 24 * 20):
        now = NOW + dt.timedelta(hours=hours)
        calls.append(call(started=now - dt.timedelta(minutes=1)))
        keep(made, calls[-1:])
        stamp(made, int(now.timestamp()) - 1, after=len(calls) - 1)
        state.now = lambda now=now: now
        assert total(made).totals.figures.outcomes == figures(calls, "30d", now)["outcomes"]
        fold(made, int(now.timestamp()))
        hour = hour_of(now)
        first = hour - hour % 24 - 29 * 24
        assert longest(made) == {(first, hour - first)}
        assert total(made).totals.figures.outcomes == figures(calls, "30d", now)["outcomes"]


def test_nothing_is_left_of_the_longest_window_when_no_call_is_in_it(made: Host) -> None:
    """However long nobody called, what is old enough to be pruned is not in a sum either."""
    keep(made, many(500, days=29))
    stamp(made, SECOND - 1)
    fold(made, SECOND)
    assert longest(made)
    config = made.app.extensions["janela"].config
    retention.prune(made.db.engine, config, "test", now=SECOND + 500 * 86400)
    assert usage(made) == []


def test_pruning_keeps_what_the_windows_need(made: Host) -> None:
    """Single calls go after 30 days, hours after 60, days after 400; no figure changes."""
    calls = many(3000, days=450)
    keep(made, calls)
    stamp(made, SECOND - 100)
    engine, config = made.db.engine, made.app.extensions["janela"].config
    folding.fold(engine, "test", now=SECOND)
    before = {key: total(made, key) for key in ("24h", "7d", "30d")}
    done = retention.prune(engine, config, "test", now=SECOND)
    made.db.session.rollback()
    session = made.db.session
    hour = hour_of(NOW)
    left = session.scalars(sa.select(ToolCall.hour)).all()
    assert len(left) == sum(hour_of(e.started) >= hour - 720 for e in calls)
    assert done.calls == len(calls) - len(left)
    day = hour - hour % 24
    for span, days in ((1, 60), (24, 400)):
        oldest = session.scalar(
            sa.select(sa.func.min(ToolUsage.hour)).where(ToolUsage.span == span)
        )
        assert oldest is not None
        assert day - days * 24 <= oldest < day - (days - 5) * 24
    for key, found in before.items():
        now = total(made, key)
        assert now.totals == found.totals
        assert now.groups == found.groups
    assert retention.prune(engine, config, "test", now=SECOND) == retention.Pruned()


def test_a_call_from_before_what_was_pruned_undoes_nothing(made: Host) -> None:
    """Its hour has lost calls, so it is not counted anew from what is left."""
    old = NOW - dt.timedelta(days=40)
    keep(made, [call(started=old) for _ in range(7)])
    stamp(made, SECOND - 100)
    engine, config = made.db.engine, made.app.extensions["janela"].config
    retention.prune(engine, config, "test", now=SECOND)
    before = usage(made)
    assert {row.ok for row in before} == {7}
    keep(made, [call(started=old)])
    stamp(made, SECOND + 1)
    fold(made, SECOND + 10)
    assert usage(made) == before


def test_what_is_not_folded_is_not_pruned(made: Host) -> None:
    """However old it is."""
    keep(made, [call(started=NOW - dt.timedelta(days=100))])
    stamp(made, SECOND)
    config = made.app.extensions["janela"].config
    retention.prune(made.db.engine, config, "test", now=SECOND)
    assert made.db.session.scalar(sa.select(sa.func.count(ToolCall.id))) == 1


@pytest.mark.sqlite
def test_what_is_not_folded_is_found_without_reading_what_is(made: Host) -> None:
    """Of very many calls few are not folded: they are found by when they were written."""
    keep(made, many(500, days=20))
    stamp(made, SECOND - 1)
    fold(made, SECOND)
    keep(made, [call()])
    plans = []

    def explain(
        connection: t.Any, cursor: t.Any, statement: str, given: t.Any, *more: t.Any
    ) -> None:
        if "FROM janela_tool_calls" in statement and "written >=" in statement:
            found = connection.connection.execute(f"EXPLAIN QUERY PLAN {statement}", given)
            plans.append(" ".join(str(row[-1]) for row in found))

    with made.app.app_context():
        sa.event.listen(made.db.engine, "before_cursor_execute", explain)
        total(made)
        sa.event.remove(made.db.engine, "before_cursor_execute", explain)
    assert plans
    assert all("written" in plan for plan in plans), plans
