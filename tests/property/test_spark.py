"""The same answers from a Spark cluster: a question goes through its Thrift server to two workers.

``make spark`` runs these. One table stands there for all of them.
"""

from __future__ import annotations

import collections.abc as cabc
import contextlib
import dataclasses
import datetime as dt
import random

import pytest
from cluster import WORKERS, Cluster
from flask import Flask
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from .checking import Asked, ask, check_one
from .declared import ORDER_MEASURES
from .lake import CHANGES, TEXTS, load, spring
from .models import FACTS, create_app, db
from .strategies import ZONES, Split, numbers, questions, scope_of
from .tables import NEAR
from .world import Caller, Case, Filter, Question, Scope, Span

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]

WORLD = spring()
NOW = dt.datetime(2024, 4, 26, 9, 30, tzinfo=dt.UTC)
SPRING = Filter(
    "seen",
    ("2024-03", "2024-04"),
    "seen",
    "",
    (
        Span("month", dt.date(2024, 3, 1)),
        Span("month", dt.date(2024, 4, 1)),
    ),
)


@pytest.fixture(scope="module")
def apps(spark: Cluster) -> cabc.Iterator[cabc.Mapping[str, Flask]]:
    """The host's two applications over tables that only Spark writes."""
    made = {day: create_app(day, spark.url, made=False) for day in ("monday", "sunday")}
    with made["monday"].app_context():
        load(WORLD, db.engines[FACTS], spark.folder)
    yield made
    for app in made.values():
        with app.app_context():
            for engine in db.engines.values():
                engine.dispose()


@contextlib.contextmanager
def asking(apps: cabc.Mapping[str, Flask], case: Case) -> cabc.Iterator[None]:
    with apps[case.week_start].app_context() as context:
        context.app.extensions["janela"].now = lambda: case.now
        try:
            yield
        except Exception as error:
            error.add_note(f"{case.question} by {case.caller}")
            raise


def plainly(question: Question, zone: str = "UTC") -> Case:
    """A question of somebody who reads everything."""
    return Case(WORLD, Caller(zone, Scope()), "monday", NOW, question)


@st.composite
def cases(draw: st.DrawFn, split: Split) -> Case:
    """Somebody's question of the one table."""
    chance = random.Random(draw(numbers))
    zone, anchor = chance.choice(ZONES), chance.choice(CHANGES)
    return Case(
        world=WORLD,
        caller=Caller(zone, draw(scope_of(chance))),
        week_start=chance.choice(["monday", "sunday"]),
        now=anchor + chance.choice(NEAR),
        question=draw(questions(chance, split, WORLD, anchor, zone)),
    )


@pytest.mark.parametrize("split", ["nothing", "category", "time"])
def test_random_questions(apps: cabc.Mapping[str, Flask], asked: Asked, split: Split) -> None:
    """Each is answered as plain loops answer it."""

    @settings(
        max_examples=50,
        deadline=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=cases(split))
    def compared(case: Case) -> None:
        with asking(apps, case):
            check_one(case)
        asked[f"by {split}"] += 1

    compared()


@pytest.mark.parametrize("measure", ORDER_MEASURES)
def test_every_measure_by_a_category(apps: cabc.Mapping[str, Flask], measure: str) -> None:
    """Its largest members, all others as one, and the total."""
    case = plainly(Question("orders", measure, by="billing_region", limit=3, other=True))
    if ORDER_MEASURES[measure].is_rough:
        case = plainly(Question("orders", measure, by="billing_region", order="natural"))
    with asking(apps, case):
        check_one(case)


@pytest.mark.parametrize("granularity", ["hour", "day", "week", "month", "quarter", "year"])
@pytest.mark.parametrize("zone", ZONES)
def test_calendar_time_where_clocks_change(
    apps: cabc.Mapping[str, Flask], zone: str, granularity: str
) -> None:
    """Every interval of a spring in which the clocks of five zones are changed."""
    question = Question(
        "orders",
        "revenue",
        by="seen",
        granularity=granularity,
        filters=(SPRING,),
        companions=("orders",),
    )
    case = plainly(question, zone)
    with asking(apps, case):
        check_one(case)


@pytest.mark.parametrize("text", TEXTS, ids=ascii)
def test_a_text_is_only_ever_a_text(apps: cabc.Mapping[str, Flask], text: str) -> None:
    """Spark fills variables into statements; into no filter's value."""
    written = Filter("note", (text,), "note", "", (text,))
    other = dataclasses.replace(written, key="note.not", operator="not")
    for filter_ in (written, other):
        case = plainly(Question("orders", "orders", filters=(filter_,)))
        with asking(apps, case):
            check_one(case)


def test_both_workers_did_their_part(apps: cabc.Mapping[str, Flask], spark: Cluster) -> None:
    """The rows of one question are added up where they are."""

    def tasks() -> dict[str, int]:
        return {each["id"]: each["completedTasks"] for each in spark.executors()}

    before = tasks()
    case = plainly(Question("orders", "revenue", by="note"))
    with asking(apps, case):
        ask(case)
    after = tasks()
    assert len(after) == WORKERS
    assert all(after[id_] > before[id_] for id_ in after)
