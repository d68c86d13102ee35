"""One number: how it changed, in words, and its sparkline, by hand."""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import datetime as dt
import decimal
import typing as t

import pytest
import sqlalchemy as sa
from answers import ENGLISH, Result, answer, by_month, flights
from desk import desk, frame, page, pane
from hosts import Host

from flask_janela import Pane
from flask_janela.pages import figures, numbers
from flask_janela.query.comparing import Comparison
from flask_janela.query.result import Range

D = decimal.Decimal
DAY = dt.date(2013, 1, 1)
PERIOD = Range(DAY, DAY)


@pytest.fixture
def made() -> cabc.Iterator[Host]:
    with desk() as host:
        yield host


def compared(value: t.Any, before: t.Any, measure: str, **more: t.Any) -> Comparison:
    """A comparison as the query would have made it."""
    change = None if value is None or before is None else value - before
    given: dict[str, t.Any] = {
        "value": value,
        "before": before,
        "before_formatted": flights().measures[measure].format.write(before, ENGLISH),
        "change": change,
        "ratio": float(change / before) if change is not None and before else None,
        "is_new": before == 0 and bool(change),
        "verdict": "",
        "current": PERIOD,
        "previous": PERIOD,
        "words": "in Nov 2013",
    }
    return Comparison(**(given | more))


def number(
    value: t.Any,
    before: t.Any,
    measure: str = "flights",
    *,
    course: Result | None = None,
    tall: bool = False,
    **more: t.Any,
) -> figures.Number:
    over = numbers.Over(
        compared(value, before, measure, **more), course or by_month(1, 2, measure=measure)
    )
    result = answer([], measure, by=None, total=value)
    return numbers.number(result, filtered=False, over=over, tall=tall)


def delta(value: t.Any, before: t.Any, measure: str = "flights", **more: t.Any) -> figures.Delta:
    found = number(value, before, measure, **more).delta
    assert found is not None
    return found


# how it changed


@pytest.mark.parametrize(
    ("value", "before", "measure", "direction", "amount"),
    [
        pytest.param(14_503, 14_600, "flights", "down", "0.7%", id="a count in per cent"),
        pytest.param(3, 2, "airlines", "up", "50.0%", id="a distinct count too"),
        pytest.param(D("150.50"), D("100.00"), "takings", "up", "50.5%", id="a sum too"),
        pytest.param(
            D("0.223"), D("0.202"), "punctual", "up", "2.1 points", id="a share in points"
        ),
        pytest.param(10.4, 12.8, "delay", "down", "2.4 min", id="a mean in its unit"),
        pytest.param(5, 0, "flights", "", "new", id="from nothing"),
        pytest.param(0, 0, "flights", "", "no change", id="nothing still"),
        pytest.param(5, 5, "flights", "", "no change", id="the same"),
        pytest.param(1_000_001, 1_000_000, "flights", "up", "<0.1%", id="hardly"),
        pytest.param(D("0.20001"), D("0.2"), "punctual", "up", "<0.1 points", id="hardly a point"),
        pytest.param(12.801, 12.8, "delay", "up", "<0.1 min", id="hardly a minute"),
        pytest.param(0, 7, "flights", "down", "100.0%", id="to nothing"),
        pytest.param(5_100, 100, "flights", "up", "5,000%", id="many times over"),
        pytest.param(D("-50"), D("-100"), "takings", "up", "50.0%", id="less of a loss"),
    ],
)
def test_a_change_says_which_way_and_how_far(
    value: t.Any, before: t.Any, measure: str, direction: str, amount: str
) -> None:
    """Per cent of counts and sums, points of percentages, the unit of everything else."""
    found = delta(value, before, measure)
    assert (found.direction, found.amount) == (direction, amount)


@pytest.mark.parametrize("verdict", ["better", "worse", ""])
def test_the_verdict_is_the_measures_own(verdict: str) -> None:
    """What the comparison found; without a declaration it is neither."""
    assert delta(2, 1, verdict=verdict).verdict == verdict


def test_what_it_was_is_said_with_its_period() -> None:
    """The earlier value and the words of the comparison."""
    found = delta(10.4, 12.8, "delay")
    assert (found.was, found.when) == ("12.8 min", "in Nov 2013")


def test_an_unknown_value_before_is_called_so() -> None:
    """No arrow and no amount where there is nothing to subtract."""
    found = delta(10.4, None, "delay")
    assert (found.direction, found.amount, found.was) == ("", "", "unknown")


def test_a_period_that_still_runs_says_what_was_compared() -> None:
    """The number counts what is planned, the comparison only what has come to date."""
    result = answer([], by=None, total=900)
    over = numbers.Over(compared(400, 500, "flights"), by_month(1, 2))
    found = numbers.number(result, filtered=False, over=over).delta
    assert found is not None
    assert found.when == "in Nov 2013; to date 400"


# its course


def spark(course: Result, *, before: t.Any = 7, tall: bool = False) -> figures.Spark | None:
    measure = course.measure.name
    return number(7, before, measure, course=course, tall=tall).spark


def test_a_sparkline_reaches_from_its_lowest_to_its_highest() -> None:
    """Three points from 4 px to 29 px, from edge to edge but for the last dot's own width."""
    found = spark(by_month(10, 30, 20))
    assert found is not None
    assert found.lines == (
        figures.SparkLine(1.5, 29, 50, 4),
        figures.SparkLine(50, 4, 98.5, 16.5),
    )
    assert found.dots == ((98.5, 16.5),)
    assert (found.level, found.peak, found.ends, found.key) == (None, None, None, "")
    assert found.words == "Flights per month: 3 shown, from 10 (Jan 2013) to 30 (Feb 2013)."


def test_null_is_a_gap_in_a_sparkline() -> None:
    """A point between two gaps is dotted, and so is the last one known."""
    found = spark(by_month(1.0, 2.0, None, 3.0, None, measure="delay"))
    assert found is not None
    assert [(line.x1, line.x2) for line in found.lines] == [(1.5, 25.75)]
    assert [x for x, _ in found.dots] == [74.25]


def test_a_tall_sparkline_names_its_ends_its_peak_and_the_level_before() -> None:
    """The level before lies on the same scale, so the scale makes room for it."""
    found = spark(by_month(10.0, 20.0, 15.0, measure="delay"), before=30.0, tall=True)
    assert found is not None
    assert found.ends == ("Jan 2013", "Mar 2013")
    assert found.level == 16
    assert found.key == "dotted: 30.0 min before"
    assert found.peak == figures.Peak(50, 39.5, "middle", "20.0 min")


def test_a_count_of_a_period_is_no_level_among_counts_of_months() -> None:
    """14,600 flights of a quarter would lie far above each month's."""
    found = spark(by_month(10, 20), before=500, tall=True)
    assert found is not None
    assert (found.level, found.key) == (None, "")


@pytest.mark.parametrize("course", [by_month(5), by_month(None, 3.0, measure="delay"), by_month()])
def test_a_course_of_less_than_two_points_is_not_drawn(course: Result) -> None:
    """A single dot has no course."""
    assert spark(course) is None


def test_a_flat_course_runs_through_the_middle() -> None:
    """All the same is neither high nor low, and has no peak."""
    found = spark(by_month(5, 5), tall=True)
    assert found is not None
    assert [line.y1 for line in found.lines] == [45.5]
    assert found.peak is None


def test_counts_of_half_a_bucket_are_left_out() -> None:
    """January from the 15th and March to the 10th; a mean of half a month is still a mean."""
    cut = Range(dt.date(2013, 1, 15), dt.date(2013, 4, 10))
    counts = spark(by_month(5, 30, 31, 3, range=cut))
    assert counts is not None
    assert len(counts.lines) == 1
    means = by_month(5.0, 30.0, 31.0, 3.0, measure="delay")
    drawn = spark(dataclasses.replace(means, range=cut))
    assert drawn is not None
    assert len(drawn.lines) == 3


# on a page


def test_a_number_on_a_frame_is_held_against_the_month_before(made: Host) -> None:
    """Two orders in December, one in November: up by 100%, without a verdict."""
    sales = frame(made)
    pane(made, sales, measure="orders", over="placed")
    found = page(made, f"/janela/frames/{sales.id}?q.placed=2013-12")
    assert found.one("janela-value").words == "2"
    assert found.one("janela-delta").words == "▲Up 100.0% 1 in Nov 2013before"
    assert found.one("janela-delta").classes == {"janela-delta"}
    assert found.one("janela-spark")["aria-label"].startswith("Orders per day: 31 shown")
    assert found.one("janela-spark")["role"] == "img"
    assert found.all("janela-spark__ends") == []


def test_without_a_period_a_number_has_its_course_alone(made: Host) -> None:
    """October, November and December: 2, 1 and 2 orders."""
    sales = frame(made)
    pane(made, sales, measure="orders", over="placed", prominence=3, height=2)
    found = page(made, f"/janela/frames/{sales.id}")
    assert found.all("janela-delta") == []
    assert len(found.all("janela-spark__line")) == 2
    assert found.one("janela-spark__ends").words == "Oct 2013Dec 2013"
    assert found.one("janela-spark__peak").words == "2"


def test_a_number_over_a_time_that_has_gone_is_still_a_number(made: Host) -> None:
    """The row may name what this caller may not see; the number is right without it."""
    sales = frame(made)
    pane(made, sales, measure="orders", over="placed")
    made.db.session.execute(sa.update(Pane).values(over="vanished"))
    made.db.session.commit()
    found = page(made, f"/janela/frames/{sales.id}")
    assert found.one("janela-value").words == "6"
    assert found.all("janela-spark") == []
