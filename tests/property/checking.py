"""Asking Janela, and holding everything the contract says of an answer against the loops'."""

from __future__ import annotations

import collections
import collections.abc as cabc
import datetime as dt
import decimal
import json
import math
import typing as t

import pytest
from flask import Flask

from flask_janela import BadRequest, Result, Row

from . import oracle
from .declared import Rough
from .models import fill, janela
from .world import Case

Apps = cabc.Mapping[str, Flask]
"""Two applications of one host, by the first day of their weeks."""

Asked = collections.Counter[str]
"""How many questions of each kind were compared."""


def check(apps: Apps, cases: list[Case]) -> int:
    """Ask, and compare everything the contract says of each answer; how many there were."""
    app = apps[cases[0].week_start]
    with app.app_context():
        fill(cases[0].world)
        for case in cases:
            app.extensions["janela"].now = lambda now=case.now: now
            try:
                check_one(case)
            except Exception as error:
                error.add_note(f"{case.question} by {case.caller}")
                raise
    return len(cases)


def check_one(case: Case) -> None:
    """Ask one question of the rows that are there."""
    try:
        expected = oracle.answered(case)
    except oracle.Impossible:
        with pytest.raises(BadRequest):
            ask(case)
    else:
        compare(ask(case), expected)


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
        assert (
            oracle.instant(result.range.start),
            oracle.instant(result.range.end),
        ) == expected.range
    assert result.not_applied == ()
    sent = json.loads(json.dumps(result.as_dict(), allow_nan=False))
    for row, found in zip(result.rows, sent["rows"], strict=True):
        assert sendable(row.value, found["value"])


def sendable(value: t.Any, sent: t.Any) -> bool:
    """Whether JSON has a number that no reader of it can round."""
    if isinstance(value, decimal.Decimal) or (isinstance(value, int) and abs(value) > 2**53):
        return isinstance(sent, str) and decimal.Decimal(sent) == value
    return sent == value or isinstance(value, dt.date)


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


def same_offset(found: t.Any, expected: t.Any) -> bool:
    """Whether two times show the same on the clock, too."""
    if not isinstance(expected, dt.datetime):
        return True
    return isinstance(found, dt.datetime) and found.utcoffset() == expected.utcoffset()
