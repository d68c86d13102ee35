"""Calls of tools made up for tests, and what a plain loop over them comes to."""

from __future__ import annotations

import collections.abc as cabc
import contextlib
import datetime as dt
import math
import random
import typing as t

from desk import desk
from hosts import Host

from flask_janela.calls import OUTCOMES, RAN, Call, DeclaredTool

NOW = dt.datetime(2024, 3, 1, 14, 32, 10, tzinfo=dt.UTC)
"""The day after a leap day."""

TOOLS = (
    DeclaredTool("read_pane", "Read a pane", "A pane's answer.", True, "frames"),
    DeclaredTool("add_pane", "Add a pane", "Add a pane to a frame.", False, "frames"),
    DeclaredTool("remove_pane", "Remove a pane", "Remove a pane.", False, "frames"),
    DeclaredTool("find_orders", "Find orders", "Single orders.", True, "orders"),
    DeclaredTool("rebook", "Rebook", "Move to another flight.", False, "host_tools"),
)

REFUSED = ("refused", "unauthenticated", "caller_gone", "rate_limited")


def call(**given: t.Any) -> Call:
    """One call of ``read_pane`` that went well, unless it says otherwise."""
    given.setdefault("tool", "read_pane")
    given.setdefault("group", "frames")
    given.setdefault("outcome", "ok")
    given.setdefault("started", NOW)
    given.setdefault("duration", 12.5)
    return Call(**given)


def many(count: int, *, seed: int = 5, days: float = 62, now: dt.datetime = NOW) -> list[Call]:
    """Calls over the days before ``now``, of every outcome, of tools declared, retired and not."""
    rng = random.Random(seed)
    names = [("read_pane", "frames"), ("add_pane", "frames"), ("find_orders", "orders")]
    names += [("rebook", "host_tools"), ("export_month", "frames")]
    made = []
    for _ in range(count):
        tool, group = rng.choices(names, (50, 8, 30, 10, 2))[0]
        unknown = rng.random() < 0.02
        outcome = rng.choices(OUTCOMES, (80, 5, 3, 1, 4, 2, 1, 1, 3))[0]
        made.append(
            call(
                tool=rng.choice(["read_panes", "query_sql", "get"]) if unknown else tool,
                group="" if unknown else group,
                unknown=unknown,
                outcome="not_found" if unknown else outcome,
                started=now - dt.timedelta(seconds=rng.random() * days * 86400),
                duration=rng.lognormvariate(4.5, 1.2),
                agent=rng.choice([None, "desk-assistant", "morning-brief"]),
                client=rng.choice([None, "claude-desktop"]),
                client_version="1.14",
                caller=rng.choice([None, "user:ana", "user:ben", "user:gone"]),
                forged=rng.random() < 0.03,
                error_class="OperationalError" if outcome == "failed" else None,
                correlation=f"{rng.getrandbits(32):08x}",
            )
        )
    return made


@contextlib.contextmanager
def kept(
    calls: cabc.Iterable[Call] = (),
    *,
    now: dt.datetime = NOW,
    aside: bool = False,
    **config: t.Any,
) -> cabc.Iterator[Host]:
    """A host that may see the roster, with its tools declared and these calls recorded.

    Nothing is written or folded but when a test says so, unless ``aside``.
    """
    with desk(**config) as made:
        state = made.app.extensions["janela"]
        state.now = lambda: now
        state.declared_tools = lambda: TOOLS
        made.janela.permission(lambda caller, action, subject=None: True)
        if not aside:
            made.janela.recorder._start = lambda live: None
        keep(made, calls)
        yield made


def keep(made: Host, calls: cabc.Iterable[Call]) -> None:
    """Record calls and wait until they are written."""
    recorder = made.janela.recorder
    for at, each in enumerate(calls, 1):
        recorder.record(each)
        if at % 5000 == 0:
            assert recorder.flush()
    assert recorder.flush()


def window(key: str, now: dt.datetime = NOW) -> tuple[dt.datetime, dt.datetime, int]:
    """A window's start and end, and how many hours each bar of a trend is."""
    hour = now.replace(minute=0, second=0, microsecond=0)
    if key == "30d":
        day = now.replace(hour=0, minute=0, second=0, microsecond=0)
        return day - dt.timedelta(days=29), day + dt.timedelta(days=1), 24
    hours = {"24h": 24, "7d": 168}[key]
    after = hour + dt.timedelta(hours=1)
    return after - dt.timedelta(hours=hours), after, 1 if key == "24h" else 24


def within(calls: cabc.Iterable[Call], key: str, now: dt.datetime = NOW) -> list[Call]:
    start, end, _ = window(key, now)
    return [each for each in calls if start <= each.started < end]


def rank(values: cabc.Iterable[float], fraction: float) -> float:
    """The exact nearest-rank quantile."""
    ordered = sorted(values)
    return ordered[max(math.ceil(fraction * len(ordered)), 1) - 1]


def figures(calls: cabc.Sequence[Call], key: str, now: dt.datetime = NOW) -> dict[str, t.Any]:
    """What a plain loop makes of the calls of one row."""
    start, end, step = window(key, now)
    outcomes = dict.fromkeys(OUTCOMES, 0)
    trend = [0] * (int((end - start).total_seconds()) // 3600 // step)
    forged, ran, errors = 0, [], 0
    last: dt.datetime | None = None
    for each in calls:
        if not start <= each.started < end:
            continue
        outcomes[each.outcome] += 1
        forged += each.forged
        errors += each.outcome == "failed"
        if each.outcome in RAN:
            ran.append(each.duration)
        trend[int((each.started - start).total_seconds() // (3600 * step))] += 1
        last = each.started if last is None else max(last, each.started)
    return {
        "calls": sum(outcomes.values()),
        "outcomes": outcomes,
        "errors": errors,
        "error_rate": errors / len(ran) if ran else None,
        "refused": sum(outcomes[outcome] for outcome in REFUSED),
        "forged": forged,
        "ran": ran,
        "trend": tuple(trend),
        "last": last,
    }
