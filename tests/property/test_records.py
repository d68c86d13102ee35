"""The rows behind random questions: over all pages, each that a plain loop finds, once."""

from __future__ import annotations

import typing as t

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from flask_janela import BadRequest
from flask_janela.query import records
from flask_janela.query.record import Record

from . import oracle
from .checking import Apps, ask, same
from .declared import VOCABULARIES
from .models import fill, janela
from .strategies import cases
from .world import Case


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(cases=cases("nothing"), limit=st.integers(1, 7), measured=st.booleans())
def test_the_rows_behind_a_number(
    apps: Apps, cases: list[Case], limit: int, measured: bool
) -> None:
    """Under every scope and filter, forward and back, and as many as a count comes to."""
    app = apps[cases[0].week_start]
    with app.app_context():
        fill(cases[0].world)
        for case in cases:
            app.extensions["janela"].now = lambda now=case.now: now
            try:
                check(case, limit, measured=measured)
            except Exception as error:
                error.add_note(f"{case.question} by {case.caller}")
                raise


def check(case: Case, limit: int, *, measured: bool) -> None:
    question = case.question
    reader = janela.reader(case.caller)
    filters = {each.key: list(each.written) for each in question.filters}
    measure = question.measure if measured else None

    def page(cursor: str | None) -> records.RecordPage:
        return records.find(
            reader, question.model, filters, measure=measure, limit=limit, cursor=cursor
        )

    try:
        expected = oracle.behind(case, measured=measured)
    except oracle.Impossible:
        with pytest.raises(BadRequest):
            page(None)
        return
    forward = [page(None)]
    while (cursor := forward[-1].next) is not None:
        forward.append(page(cursor))
    compare([row for each in forward for row in each.rows], expected)
    assert [each.before for each in forward] == [limit * at for at in range(len(forward))]
    assert {each.total for each in forward} == {len(expected)}
    assert records.count(reader, question.model, filters, measure=measure) == len(expected)
    back = [forward[-1]]
    while (cursor := back[0].previous) is not None:
        back.insert(0, page(cursor))
    assert back == forward
    _, every = records.stream(reader, question.model, filters, measure=measure)
    assert [(row.key, [c.value for c in row.cells]) for row in every] == [
        (row.key, [c.value for c in row.cells]) for each in forward for row in each.rows
    ]
    for row in forward[0].rows:
        assert records.get(reader, question.model, row.key) == row
    kind = VOCABULARIES[question.model].measures[question.measure].kind
    if measured and kind == "count":
        assert ask(case).total == len(expected)


def compare(found: list[Record], expected: list[tuple[t.Any, ...]]) -> None:
    assert [one_key(row.identity) for row in found] == [key for key, _ in expected]
    for row, (_, keys) in zip(found, expected, strict=True):
        for column, cell in zip(row.columns, row.cells, strict=True):
            key = keys[column.name]
            assert same(oracle.instant(cell.value), oracle.instant(key)), (column, cell, key)
            assert (cell.formatted == "—") is (key is None)


def one_key(identity: tuple[t.Any, ...]) -> t.Any:
    return identity if len(identity) > 1 else identity[0]
