"""Believable history for demonstrations and benches: calls that nobody made, marked as such.

Each row's ``transport`` is ``generated``, and a mark counts them, so that every page says so. Where
real calls are kept none are generated.
"""

from __future__ import annotations

import bisect
import collections.abc as cabc
import dataclasses
import datetime as dt
import itertools
import random
import typing as t

import sqlalchemy as sa

from ..calls import OUTCOMES, Call, DeclaredTool, Outcome
from ..errors import JanelaError
from . import marks
from .models import ToolCall, ToolUsage
from .periods import naive
from .writing import row_of

GENERATED = "generated"
CHUNK = 5_000

TOOLS = tuple(
    DeclaredTool(name, title, "", read_only, "frames")
    for name, title, read_only in (
        ("describe_vocabulary", "Describe the vocabulary", True),
        ("list_frames", "List frames", True),
        ("get_frame", "Get a frame", True),
        ("read_pane", "Read a pane", True),
        ("read_measure", "Read a measure", True),
        ("add_pane", "Add a pane", False),
        ("update_pane", "Update a pane", False),
        ("move_pane", "Move a pane", False),
        ("remove_pane", "Remove a pane", False),
    )
)
"""What is called where the application declares no tools yet."""

CALLERS = ("user:1", "user:2", "user:3", "user:4", "user:5")

_WEIGHTS = {"read_measure": 34, "read_pane": 20, "describe_vocabulary": 14, "list_frames": 9}
_MEDIANS = {"describe_vocabulary": 6.0, "list_frames": 18.0, "get_frame": 14.0}
_AGENTS = (
    ("desk-assistant", "claude-desktop", "1.14"),
    ("morning-brief", "janela-py", "0.3.1"),
    ("gate-copilot", "inspector", "0.18"),
    ("", "", ""),
)
_HOURS = (2, 1, 1, 1, 1, 2, 5, 12, 22, 30, 32, 30, 24, 28, 31, 30, 26, 18, 10, 7, 6, 5, 4, 3)
"""How busy each hour of a day is."""

_WEEKEND = 0.35
_STRANGERS = ("read_panes", "query_sql", "get_flights", "list_tables", "run_query")
_SAID = "the value … is not one of this dimension's."


@dataclasses.dataclass(frozen=True, slots=True)
class _Habit:
    """How one tool behaves."""

    tool: DeclaredTool
    median: float
    spread: float
    outcomes: tuple[float, ...]


def generated(
    declared: cabc.Sequence[DeclaredTool],
    *,
    calls: int,
    days: int,
    now: dt.datetime,
    seed: int,
    callers: cabc.Sequence[str] = CALLERS,
) -> cabc.Iterator[Call]:
    """So many calls over the days before ``now``, the same ones for the same seed."""
    rng = random.Random(seed)  # noqa: S311  not for secrets
    habits = [_habit(tool, rng) for tool in declared or TOOLS]
    weights = [
        _WEIGHTS.get(habit.tool.name, rng.uniform(1, 8) * (1 if habit.tool.read_only else 0.4))
        for habit in habits
    ]
    hours = days * 24
    first = now - dt.timedelta(hours=hours)
    busy = list(itertools.accumulate(_busy(first, at) for at in range(hours)))
    by_tool = list(itertools.accumulate(weights))
    by_caller = list(itertools.accumulate(1 / (at + 1) for at in range(len(callers))))
    for _ in range(calls):
        hour = bisect.bisect(busy, rng.random() * busy[-1])
        started = first + dt.timedelta(hours=min(hour, hours - 1), seconds=rng.random() * 3600)
        habit = habits[min(bisect.bisect(by_tool, rng.random() * by_tool[-1]), len(habits) - 1)]
        at = min(bisect.bisect(by_caller, rng.random() * by_caller[-1]), len(callers) - 1)
        yield _call(habit, started, callers[at], rng)


def _busy(first: dt.datetime, hour: int) -> float:
    moment = first + dt.timedelta(hours=hour)
    return _HOURS[moment.hour] * (_WEEKEND if moment.weekday() > 4 else 1)


def _habit(tool: DeclaredTool, rng: random.Random) -> _Habit:
    median = _MEDIANS.get(tool.name, rng.uniform(20, 160))
    failing = rng.choice((0, 0, 0.001, 0.003, 0.004, 0.03 if not tool.read_only else 0.006))
    refused = 0.01 if tool.read_only else 0.12
    # In the order of the outcomes: ok comes first and takes the rest.
    rest = (0.02, 0.008, 0 if tool.read_only else 0.01, refused, 0.002, 0.001, 0.001, failing)
    return _Habit(tool, median, rng.uniform(0.4, 0.9), (1 - sum(rest), *rest))


def _call(habit: _Habit, started: dt.datetime, caller: str, rng: random.Random) -> Call:
    outcome: Outcome = rng.choices(OUTCOMES, habit.outcomes)[0]
    agent, client, version = rng.choices(_AGENTS, (50, 30, 15, 5))[0]
    stranger = rng.random() < 0.002
    duration = rng.lognormvariate(0, habit.spread) * habit.median
    if outcome not in {"ok", "failed"}:
        duration = rng.uniform(0.5, 4)
    elif outcome == "failed" and rng.random() < 0.5:
        duration = 4_000 + rng.random() * 1_000
    return Call(
        tool=rng.choice(_STRANGERS) if stranger else habit.tool.name,
        group="" if stranger else habit.tool.group,
        unknown=stranger,
        outcome="not_found" if stranger else outcome,
        started=started,
        duration=duration,
        agent=agent,
        client=client,
        client_version=version,
        transport=GENERATED,
        caller=None if outcome == "unauthenticated" else caller,
        forged=rng.random() < 0.001,
        error_class="OperationalError" if outcome == "failed" and not stranger else None,
        error_text=_SAID if outcome == "invalid" and not stranger else None,
        correlation=f"{rng.getrandbits(32):08x}",
    )


def add_traffic(
    engine: sa.Engine,
    made: cabc.Iterable[Call],
    *,
    advance: cabc.Callable[[int], object] = lambda calls: None,
) -> int:
    """Write generated calls, all of them or none; how many that were.

    Raises:
        JanelaError: where calls that somebody made are kept.
    """
    total = 0
    with engine.begin() as connection:
        marks.begin_writing(connection)
        _refuse_among_real(connection)
        second = marks.database_now(connection)
        first: dt.datetime | None = None
        calls = iter(made)
        while chunk := list(itertools.islice(calls, CHUNK)):
            rows = [{**row_of(call), "written": second} for call in chunk]
            connection.execute(sa.insert(t.cast("sa.Table", ToolCall.__table__)), rows)
            earliest = min(row["started"] for row in rows)
            first = earliest if first is None else min(first, earliest)
            total += len(chunk)
            advance(len(chunk))
        if first is not None:
            marks.ensure(connection, "since", first)
            marks.bring_forward(connection, "since", first)
            marks.count(connection, "made", total, naive(dt.datetime.now(dt.UTC)))
    return total


def _refuse_among_real(connection: sa.Connection) -> None:
    real = sa.select(ToolCall.id).where(ToolCall.transport != GENERATED).limit(1)
    before = marks.read(connection).value("made")
    usage = sa.select(ToolUsage.hour).limit(1)
    if connection.scalar(real) is not None or (not before and connection.scalar(usage) is not None):
        raise JanelaError(
            "Calls that somebody made are kept in this database, and generated ones would be "
            "counted with them. Generate traffic in a database of its own."
        )
