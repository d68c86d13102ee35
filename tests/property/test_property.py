"""Random questions over random tables: every answer equals a plain Python loop."""

from __future__ import annotations

import collections
import collections.abc as cabc
import datetime as dt
import decimal
import json
import math
import os
import typing as t

import pytest
import sqlalchemy as sa
import sqlalchemy.orm as orm
from flask import Flask
from hypothesis import HealthCheck, given, settings

from flask_janela import BadRequest, Result, Row

from . import oracle
from .declared import Rough
from .models import MODELS, create_app, db, fill, janela
from .rows import key_of_row, scoped
from .scopes import scope
from .strategies import cases
from .world import Case

TABLES = {"nothing": 250, "category": 350, "time": 300}
"""How many databases each test draws; each is asked one to eight questions."""

loops = settings(
    deadline=None,
    derandomize="CI" in os.environ,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

Apps = cabc.Mapping[str, Flask]
Asked = collections.Counter[str]


@pytest.fixture(scope="module")
def apps() -> cabc.Iterator[Apps]:
    """Two applications of one host, by the first day of their weeks."""
    made = {day: create_app(day) for day in ("monday", "sunday")}
    yield made
    for app in made.values():
        with app.app_context():
            db.engine.dispose()


@pytest.fixture(scope="module")
def asked(request: pytest.FixtureRequest) -> cabc.Iterator[Asked]:
    """Counts the questions whose answers were compared, and says how many there were."""
    counter: Asked = collections.Counter()
    yield counter
    kinds = ", ".join(f"{number:,} {kind}" for kind, number in counter.items())
    capture = request.config.pluginmanager.get_plugin("capturemanager")
    reporter = request.config.pluginmanager.get_plugin("terminalreporter")
    if capture is not None and reporter is not None:
        with capture.global_and_fixture_disabled():
            reporter.write_line(f"\n{counter.total():,} random questions compared: {kinds}")


@settings(loops, max_examples=TABLES["nothing"])
@given(cases=cases("nothing"))
def test_a_single_number(apps: Apps, asked: Asked, cases: list[Case]) -> None:
    """A measure over every row that the scope and the filters leave."""
    asked["single numbers"] += check(apps, cases)


@settings(loops, max_examples=TABLES["category"])
@given(cases=cases("category"))
def test_by_a_category(apps: Apps, asked: Asked, cases: list[Case]) -> None:
    """A measure by a column or a related record's: members, order, limit and the rest."""
    asked["by a category"] += check(apps, cases)


@settings(loops, max_examples=TABLES["time"])
@given(cases=cases("time"))
def test_by_time(apps: Apps, asked: Asked, cases: list[Case]) -> None:
    """A measure by calendar intervals of the report zone, without gaps."""
    asked["by time"] += check(apps, cases)


@settings(loops, max_examples=60)
@given(cases=cases("nothing"))
def test_the_loops_read_what_a_scope_returns(apps: Apps, cases: list[Case]) -> None:
    """The rows of a scope as SQLAlchemy alone reads them, so that the loops are right of them."""
    with apps["monday"].app_context():
        fill(cases[0].world)
        for case in cases:
            model = MODELS[case.question.model]
            rows = scope(model, case.caller)
            if isinstance(rows, sa.CompoundSelect):
                rows = sa.select(model).from_statement(rows)
            found = rows if isinstance(rows, orm.Query) else db.session.scalars(rows).unique()
            keys = {tuple(sa.inspect(row).identity) for row in found}
            expected = map(key_of_row, scoped(case.world, case.question.model, case.caller.scope))
            assert keys == {key if isinstance(key, tuple) else (key,) for key in expected}


def check(apps: Apps, cases: list[Case]) -> int:
    """Ask, and compare everything the contract says of each answer; how many there were."""
    app = apps[cases[0].week_start]
    with app.app_context():
        fill(cases[0].world)
        for case in cases:
            app.extensions["janela"].now = lambda now=case.now: now
            try:
                expected = oracle.answered(case)
            except oracle.Impossible:
                with pytest.raises(BadRequest):
                    ask(case)
            else:
                compare(ask(case), expected)
    return len(cases)


def ask(case: Case) -> Result:
    question = case.question
    return janela.ask(
        question.model,
        question.measure,
        by=question.by,
        caller=case.caller,
        filters={
            each.key: each.written[0] if len(each.written) == 1 else list(each.written)
            for each in question.filters
        },
        granularity=question.granularity,
        limit=question.limit,
        other=question.other,
        order=question.order,
        companions=list(question.companions),
    )


def compare(result: Result, expected: oracle.Answer) -> None:
    assert [row.key for row in result.rows] == [row.key for row in expected.rows]
    for found, row in zip(result.rows, expected.rows, strict=True):
        compare_row(found, row)
    compare_row(result.total_row, expected.total)
    assert same(result.total, expected.total.value)
    assert result.truncated is expected.truncated
    if expected.undated is None:
        assert result.undated_row is None
        assert result.undated is None
    else:
        assert result.undated_row is not None
        compare_row(result.undated_row, expected.undated)
        assert same(result.undated, expected.undated.value)
    if expected.range is None:
        assert result.range is None
    elif expected.range is not False:
        assert result.range is not None
        assert (instant(result.range.start), instant(result.range.end)) == expected.range
    assert result.not_applied == ()
    json.dumps(result.as_dict(), allow_nan=False)


def compare_row(found: Row, expected: oracle.Row) -> None:
    assert type(found.key) is type(expected.key)
    assert same_offset(found.key, expected.key)
    assert same(found.value, expected.value), (found, expected)
    assert (found.formatted == "—") is (expected.value is None)
    cells = [cell.value for cell in found.companions]
    assert len(cells) == len(expected.companions)
    assert all(map(same, cells, expected.companions)), (found, expected)
    assert found.is_other is expected.is_other
    assert found.until == expected.until
    if expected.label is not None:
        assert found.label == expected.label


def same(found: t.Any, expected: t.Any) -> bool:
    """Whether two values are equal, exactly unless they are floats, and of one type."""
    if isinstance(expected, Rough):
        return type(found) is decimal.Decimal and round(found, 2) == expected
    if isinstance(expected, float):
        return type(found) is float and math.isclose(found, expected, rel_tol=1e-9)
    return type(found) is type(expected) and found == expected and same_offset(found, expected)


def instant(point: t.Any) -> t.Any:
    """A time in UTC: in a repeated hour Python calls times of two zones different."""
    return point.astimezone(dt.UTC) if isinstance(point, dt.datetime) else point


def same_offset(found: t.Any, expected: t.Any) -> bool:
    """Whether two times show the same on the clock, too."""
    if not isinstance(expected, dt.datetime):
        return True
    return isinstance(found, dt.datetime) and found.utcoffset() == expected.utcoffset()
