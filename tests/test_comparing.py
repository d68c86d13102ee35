"""A number against the period before: as long, aligned with the calendar, said in words."""

from __future__ import annotations

import collections.abc as cabc
import datetime as dt
import typing as t

import pytest
from hosts import Host, host, shop

from flask_janela.query import filters as filters_
from flask_janela.query.asking import ask
from flask_janela.query.comparing import Comparison, compare, series, whole
from flask_janela.query.filters import Layers
from flask_janela.query.question import Question
from flask_janela.query.result import Range

D = dt.date


@pytest.fixture
def daily() -> cabc.Iterator[Host]:
    """One order a day from 1 January 2023 to 30 June 2024, at noon; today is 15 May 2024."""
    with host(shop) as h:
        h.app.extensions["janela"].now = lambda: dt.datetime(2024, 5, 15, 9, tzinfo=dt.UTC)
        day = dt.datetime(2023, 1, 1, 12)
        orders = []
        while day < dt.datetime(2024, 7, 1):
            orders.append(h.models.Order(status="open", quantity=day.month, placed_at=day))
            day += dt.timedelta(days=1)
        h.add(*orders)
        yield h


def _compare(
    h: Host, filters: dict[str, t.Any], measure: str = "orders", layer: str = "reader"
) -> Comparison | None:
    reader = h.janela.reader("x")
    home = reader.model("orders")
    given = filters_.parse(filters_.pairs(filters), reader.catalogue, "x", [home])
    layers = Layers(**{layer: given})
    question = Question("orders", measure)
    return compare(reader, question, layers, "placed", ask(reader, question, layers))


@pytest.mark.parametrize(
    ("filters", "current", "previous", "words"),
    [
        ({"placed": "2024-03"}, (D(2024, 3, 1), D(2024, 4, 1)), (D(2024, 2, 1), D(2024, 3, 1)),
         "in Feb 2024"),
        ({"placed.gte": "2024-04-01", "placed.lt": "2024-04-16"},
         (D(2024, 4, 1), D(2024, 4, 16)), (D(2024, 3, 1), D(2024, 3, 16)),
         "in Mar 1\u2009–\u200915, 2024"),
        ({"placed.gte": "2024-03-01", "placed.lte": "2024-03-31"},
         (D(2024, 3, 1), D(2024, 4, 1)), (D(2024, 2, 1), D(2024, 3, 1)), "in Feb 2024"),
        ({"placed.gte": "2024-03-01", "placed.lte": "2024-03-30"},
         (D(2024, 3, 1), D(2024, 3, 31)), (D(2024, 2, 1), D(2024, 3, 1)), "in Feb 2024"),
        ({"placed.gte": "2024-01-01", "placed.lt": "2024-04-01"},
         (D(2024, 1, 1), D(2024, 4, 1)), (D(2023, 10, 1), D(2024, 1, 1)), "in Q4 2023"),
        ({"placed.gte": "2024-01-01", "placed.lte": "2024-02-29"},
         (D(2024, 1, 1), D(2024, 3, 1)), (D(2023, 11, 1), D(2024, 1, 1)),
         "in Nov 1\u2009–\u2009Dec 31, 2023"),
        ({"placed.gte": "2024-04-01", "placed.lte": "2024-05-10"},
         (D(2024, 4, 1), D(2024, 5, 11)), (D(2024, 1, 1), D(2024, 2, 11)),
         "in Jan 1\u2009–\u2009Feb 10, 2024"),
        ({"placed.gte": "2024-01-01", "placed.lte": "2024-05-15"},
         (D(2024, 1, 1), D(2024, 5, 16)), (D(2023, 1, 1), D(2023, 5, 16)),
         "in Jan 1\u2009–\u2009May 15, 2023"),
        ({"placed": "2024-05-14"}, (D(2024, 5, 14), D(2024, 5, 15)),
         (D(2024, 5, 13), D(2024, 5, 14)), "on May 13, 2024"),
        ({"placed.gte": "2024-05-06", "placed.lt": "2024-05-09"},
         (D(2024, 5, 6), D(2024, 5, 9)), (D(2024, 4, 29), D(2024, 5, 2)),
         "in Apr 29\u2009–\u2009May 1, 2024"),
        ({"placed.last": "90d"}, (D(2024, 2, 16), D(2024, 5, 16)),
         (D(2023, 11, 18), D(2024, 2, 16)),
         "in the 90 days before, Nov 18, 2023\u2009–\u2009Feb 15, 2024"),
        ({"placed.last": "2m"}, (D(2024, 3, 16), D(2024, 5, 16)),
         (D(2024, 1, 16), D(2024, 3, 16)),
         "in the time before, Jan 16\u2009–\u2009Mar 15, 2024"),
        ({"placed.this": "month"}, (D(2024, 5, 1), D(2024, 5, 16)),
         (D(2024, 4, 1), D(2024, 4, 16)), "in Apr 1\u2009–\u200915, 2024"),
        ({"placed.this": "year"}, (D(2024, 1, 1), D(2024, 5, 16)),
         (D(2023, 1, 1), D(2023, 5, 16)), "in Jan 1\u2009–\u2009May 15, 2023"),
        ({"placed.gte": "2024-05-01", "placed.lt": "2024-06-01"},
         (D(2024, 5, 1), D(2024, 5, 16)), (D(2024, 4, 1), D(2024, 4, 16)),
         "in Apr 1\u2009–\u200915, 2024"),
        ({"placed.previous": "month"}, (D(2024, 4, 1), D(2024, 5, 1)),
         (D(2024, 3, 1), D(2024, 4, 1)), "in Mar 2024"),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)  # fmt: skip
@pytest.mark.parametrize("layer", ["reader", "frame", "pane", "fixed"])
def test_the_period_before_is_as_long_and_aligned(
    daily: Host,
    filters: dict[str, t.Any],
    current: tuple[D, D],
    previous: tuple[D, D],
    words: str,
    layer: str,
) -> None:
    """One order a day: the numbers are the days of both periods, whoever set the filter."""
    found = _compare(daily, filters, layer=layer)
    assert found is not None
    for period, (start, end) in ((found.current, current), (found.previous, previous)):
        assert (period.start, period.end) == tuple(
            dt.datetime.combine(day, dt.time(), dt.UTC) for day in (start, end)
        )
    assert (found.value, found.before) == (
        (current[1] - current[0]).days,
        (previous[1] - previous[0]).days,
    )
    assert found.words == words


def test_29_february_is_clamped() -> None:
    """A year to 29 February is held against one to the 28th."""
    with host(shop) as h:
        h.app.extensions["janela"].now = lambda: dt.datetime(2024, 2, 29, 9, tzinfo=dt.UTC)
        this_year = _compare(h, {"placed.this": "year"})
        assert this_year is not None
        assert this_year.previous.end == dt.datetime(2023, 3, 1, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    "filters",
    [
        {},
        {"placed.gte": "2024-01-01"},
        {"placed.lt": "2024-01-01"},
        {"placed": ["2024-01", "2024-03"]},
        {"placed.null": "1"},
        {"placed.not": "2024-01"},
        {"placed.gte": "2024-02-01", "placed.lt": "2024-01-01"},
        {"status": "open"},
    ],
    ids=str,
)
def test_without_a_period_there_is_nothing_to_compare_with(
    daily: Host, filters: dict[str, t.Any]
) -> None:
    """A range open at one end, several, or none."""
    assert _compare(daily, filters) is None


def test_a_period_that_begins_within_a_day_is_held_against_as_many_hours(daily: Host) -> None:
    """Noon of two days against noon of one: the 38 hours before have one noon."""
    found = _compare(daily, {"placed.gte": "2024-01-01T10:00", "placed.lt": "2024-01-03"})
    assert found is not None
    assert found.previous == Range(
        dt.datetime(2023, 12, 30, 20, tzinfo=dt.UTC), dt.datetime(2024, 1, 1, 10, tzinfo=dt.UTC)
    )
    assert (found.value, found.before) == (2, 1)


def test_a_rise_from_nothing_is_new_and_never_infinite() -> None:
    """And nothing to nothing is no change."""
    with host(shop) as h:
        h.add(h.models.Order(placed_at=dt.datetime(2024, 3, 5)))
        found = _compare(h, {"placed": "2024-03"})
        assert found is not None
        assert (found.before, found.change, found.ratio, found.is_new) == (0, 1, None, True)
        empty = _compare(h, {"placed": "2024-01"})
        assert empty is not None
        assert (empty.change, empty.ratio, empty.is_new, empty.verdict) == (0, None, False, "")


def test_an_unknown_value_has_no_change() -> None:
    """An average over no orders is not 0."""
    with host(shop) as h:
        h.add(h.models.Order(placed_at=dt.datetime(2024, 3, 5), amount=3))
        found = _compare(h, {"placed": "2024-03"}, "average_amount")
        assert found is not None
        assert (found.before, found.before_formatted, found.change, found.ratio) == (
            None, "—", None, None,
        )  # fmt: skip


def test_good_news_is_what_the_measure_declares() -> None:
    """More of it, or less of it; without a declaration it is neither."""
    from flask_janela import Count

    def define(db: t.Any) -> dict[str, t.Any]:
        models = shop(db)
        declared = models["Order"].Janela.declarations
        declared["wins"] = Count(better="higher")
        declared["losses"] = Count(better="lower")
        return models

    with host(define) as h:
        h.add(*(h.models.Order(placed_at=dt.datetime(2024, m, 5)) for m in (3, 4, 4, 5)))
        verdicts = {
            (measure, month): _compare(h, {"placed": month}, measure).verdict  # type: ignore[union-attr]
            for measure in ("wins", "losses", "orders")
            for month in ("2024-04", "2024-05")
        }
        assert verdicts == {
            ("wins", "2024-04"): "better", ("wins", "2024-05"): "worse",
            ("losses", "2024-04"): "worse", ("losses", "2024-05"): "better",
            ("orders", "2024-04"): "", ("orders", "2024-05"): "",
        }  # fmt: skip


@pytest.mark.parametrize(
    ("filters", "granularity", "points"),
    [
        ({"placed": "2024-05-14"}, "hour", 24),
        ({"placed": "2024-04"}, "day", 30),
        ({"placed.gte": "2024-01-01", "placed.lt": "2024-04-01"}, "week", 13),
        ({"placed.gte": "2023-01-01", "placed.lt": "2024-07-01"}, "month", 18),
        ({"placed.lt": "2024-03-01"}, "month", 14),
        ({"placed.gte": "2024-01-01"}, "month", 6),
        ({}, "month", 18),
    ],
    ids=str,
)
def test_a_course_has_a_suitable_number_of_points(
    daily: Host, filters: dict[str, t.Any], granularity: str, points: int
) -> None:
    """Within the period that filters fix, the reader's own included."""
    reader = daily.janela.reader("x")
    home = reader.model("orders")
    given = filters_.parse(filters_.pairs(filters), reader.catalogue, "x", [home])
    result = series(reader, Question("orders", "orders"), Layers(reader=given), "placed")
    assert (result.granularity, len(result.rows)) == (granularity, points)
    assert sum(row.value for row in result.rows) == result.total


def _under(h: Host, **layers: dict[str, t.Any]) -> Layers:
    reader = h.janela.reader("x")
    home = reader.model("orders")
    given = {
        layer: filters_.parse(filters_.pairs(filters), reader.catalogue, "x", [home])
        for layer, filters in layers.items()
    }
    return Layers(**given)


def test_every_layer_narrows_a_course(daily: Host) -> None:
    """A reader who asks for more than the frame, the link and the pane show gets no more."""
    layers = _under(
        daily,
        frame={"placed.gte": "2024-02-01"},
        fixed={"placed.lt": "2024-05-01", "placed.gte": "2023-01-01"},
        pane={"placed.gte": "2024-01-15", "placed.lt": "2024-06-01"},
        reader={"placed.gte": "2023-01-01", "placed.lt": "2024-07-01"},
    )
    question = Question("orders", "orders")
    result = series(daily.janela.reader("x"), question, layers, "placed")
    days = (D(2024, 5, 1) - D(2024, 2, 1)).days
    assert sum(row.value for row in result.rows) == result.total == days


@pytest.mark.parametrize(
    ("filters", "start", "end"),
    [
        ({}, D(2023, 1, 1), D(2024, 7, 1)),
        ({"placed": "2024-04"}, D(2024, 4, 1), D(2024, 5, 1)),
        ({"status": "closed"}, D(2024, 1, 1), D(2024, 1, 1)),
    ],
    ids=str,
)
def test_a_number_is_what_its_course_comes_to(
    daily: Host, filters: dict[str, t.Any], start: dt.date, end: dt.date
) -> None:
    """At its own grain: an average of all days, not of months."""
    days = [start + dt.timedelta(days=n) for n in range((end - start).days)]
    quantity = sum(day.month for day in days)
    expected = {
        "orders": len(days),
        "quantity": quantity,
        "average_quantity": quantity / len(days) if days else None,
        "open_share": 1.0 if days else None,
    }
    reader, layers = daily.janela.reader("x"), _under(daily, reader=filters)
    found = {
        measure: whole(series(reader, Question("orders", measure), layers, "placed"))
        for measure in expected
    }
    assert {measure: result.total for measure, result in found.items()} == expected
    assert {(r.dimension, r.rows, r.granularity, r.range) for r in found.values()} == {
        (None, (), None, None)
    }
