"""Random questions over random tables: every answer equals a plain Python loop."""

from __future__ import annotations

import os

import sqlalchemy as sa
import sqlalchemy.orm as orm
from hypothesis import HealthCheck, Phase, given, settings

from .checking import Apps, Asked, check
from .models import MODELS, db, fill
from .rows import key_of_row, scoped
from .scopes import scope
from .strategies import cases
from .world import Case

TABLES = {"nothing": 280, "category": 380, "time": 340}
"""A thousand databases; each is asked one to eight questions."""

IN_CI = "CI" in os.environ

# Continuous integration draws the same cases in every run, and prints a failing one as it was
# drawn; elsewhere it is made smaller first, which takes some minutes.
loops = settings(
    deadline=None,
    derandomize=IN_CI,
    phases=[Phase.explicit, Phase.generate] if IN_CI else list(Phase),
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


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
