"""Geometry: where marks stand, what the axis says, which names fit. Numbers are worked by hand."""

from __future__ import annotations

import datetime as dt
import decimal
import itertools
import math
import random
import zoneinfo

import babel
import pytest
from answers import ENGLISH, Range, answer, by_airline, by_month, months, row

from flask_janela.pages import axis, charts
from flask_janela.pages.scales import Number, Scale, domain, exact, nice, tick_texts
from flask_janela.vocabulary.formats import Format

D = decimal.Decimal


def scale(*values: str, from_zero: bool = False, whole: bool = False) -> Scale:
    return nice(*domain([D(v) for v in values], from_zero=from_zero), whole=whole)


# the value axis


@pytest.mark.parametrize(
    ("values", "whole", "ticks"),
    [
        pytest.param(["4346", "5124"], True, [4200, 4400, 4600, 4800, 5000, 5200], id="cut"),
        pytest.param(["0", "17283"], True, [0, 5000, 10000, 15000, 20000], id="from zero"),
        pytest.param(["1", "1"], True, [0, 1], id="all the same"),
        pytest.param(["5", "15"], True, [0, 5, 10, 15], id="small whole numbers"),
        pytest.param(["0", "0"], False, ["0", "0.2", "0.4", "0.6", "0.8", "1.0"], id="zeroes"),
        pytest.param(["-5.2", "17.3"], False, [-10, 0, 10, 20], id="both signs"),
        pytest.param(
            ["-3", "-2.9"],
            False,
            ["-3.00", "-2.98", "-2.96", "-2.94", "-2.92", "-2.90"],
            id="below",
        ),
        pytest.param(["0.1", "0.3"], False, ["0.0", "0.1", "0.2", "0.3"], id="no float error"),
        pytest.param(["1e300", "3e300"], False, ["0", "1e300", "2e300", "3e300"], id="huge"),
        pytest.param(["1e-12", "3e-12"], False, ["0", "1e-12", "2e-12", "3e-12"], id="tiny"),
    ],
)
def test_ticks_are_nice_numbers(values: list[str], whole: bool, ticks: list[object]) -> None:
    """Steps are 1, 2, 2.5 or 5 times a power of ten, and the data lies within the axis."""
    assert list(scale(*values, whole=whole).ticks) == [D(str(tick)) for tick in ticks]


def test_an_axis_has_three_to_five_steps() -> None:
    """Whatever the stretch: the finest nice step of which five are enough."""
    draw = random.Random(2013)
    for _ in range(3000):
        size = 10 ** draw.uniform(-9, 9)
        low, high = sorted((draw.uniform(-size, size), draw.uniform(-size, size)))
        drawn = nice(D(repr(low)), D(repr(high)), whole=False)
        assert 3 <= len(drawn.ticks) - 1 <= 5
        assert drawn.low <= D(repr(low)) < D(repr(high)) <= drawn.high
        assert str(drawn.step.normalize().as_tuple().digits) in {"(1,)", "(2,)", "(2, 5)", "(5,)"}


def test_whole_numbers_have_no_gridline_between_two() -> None:
    """A count of 1 has an axis of 0 and 1, never 0.2."""
    for high in range(1, 200):
        assert all(tick == int(tick) for tick in scale("0", str(high), whole=True).ticks)


def test_a_line_starts_away_from_zero_only_when_zero_would_flatten_it() -> None:
    """The values' spread must be less than a third of the largest."""
    assert domain([D(70), D(100)], from_zero=False) == (70, 100)
    assert domain([D(66), D(100)], from_zero=False) == (0, 100)
    assert domain([D(70), D(100)], from_zero=True) == (0, 100)
    assert domain([D(-100), D(-70)], from_zero=False) == (-100, -70)
    assert domain([], from_zero=False) == (0, 1)


@pytest.mark.parametrize(
    ("values", "form", "texts"),
    [
        pytest.param(["0.134", "0.427"], Format(1, percent=True), "0% 10% 20% 30% 40% 50%", id="%"),
        pytest.param(["0", "20"], Format(1, suffix=" min"), "0 5 10 15 20 min", id="unit once"),
        pytest.param(["0", "30"], Format(2, currency="USD"), "$0 $10 $20 $30", id="money"),
        pytest.param(["0", "4300000"], Format(), "0 1M 2M 3M 4M 5M", id="short"),
        pytest.param(["0", "1100000"], Format(), "0 250K 500K 750K 1M 1.25M", id="short decimals"),
        pytest.param(["0", "0.0004"], Format(2), "0.0000 0.0001 0.0002 0.0003 0.0004", id="small"),
        pytest.param(["-30", "0"], Format(), "-30 -20 -10 0", id="negative"),
        pytest.param(["1e300", "3e300"], Format(2), "0 1E300 2E300 3E300", id="huge"),
        pytest.param(["1e-12", "3e-12"], Format(2), "0 1E-12 2E-12 3E-12", id="tiny"),
    ],
)
def test_ticks_say_no_more_than_tells_them_apart(
    values: list[str], form: Format, texts: str
) -> None:
    """Decimals come from the step, not from the measure; long numbers are written in short."""
    assert " ".join(tick_texts(scale(*values), form, ENGLISH)) == texts


def test_ticks_are_written_in_the_readers_locale() -> None:
    """A German reader sees a decimal comma and the per cent sign where German has it."""
    drawn = scale("0.001", "0.004")
    written = tick_texts(drawn, Format(1, percent=True), babel.Locale("de"))
    assert written == ("0,0\xa0%", "0,1\xa0%", "0,2\xa0%", "0,3\xa0%", "0,4\xa0%")


def test_decimals_stay_exact_on_their_way_to_text() -> None:
    """A float would turn the last digits of these into others."""
    low, high = D("123456789012345678.1"), D("123456789012345678.5")
    ticks = nice(low, high, whole=False).ticks
    assert ticks[0] == low
    assert ticks[-1] == high
    assert exact(0.1) == D("0.1")
    assert exact(2**70) == D(2**70)


@pytest.mark.parametrize("value", [None, math.nan, math.inf, D("NaN"), dt.date(2013, 1, 1)])
def test_what_has_no_place_on_an_axis_is_unknown(value: object) -> None:
    """Null, NaN, infinity and dates are no amounts."""
    assert exact(value) is None  # type: ignore[arg-type]


# bars


def widths(drawn: charts.Bars) -> list[tuple[float, float | None]]:
    return [(bar.x, bar.width) for bar in drawn.bars]


def test_bars_start_at_zero_and_the_largest_fills_the_plot() -> None:
    """Half the value is half the length."""
    drawn = charts.bars(by_airline(200, 100, 50))
    assert drawn.zero == 0
    assert widths(drawn) == [(0, 100), (0, 50), (0, 25)]


def test_negative_bars_grow_to_the_left_of_zero() -> None:
    """With -50 and 150 zero stands at a quarter."""
    drawn = charts.bars(by_airline(150, 50, -50))
    assert drawn.zero == 25
    assert widths(drawn) == [(25, 75), (25, 25), (0, 25)]


def test_bars_that_are_all_negative_end_at_zero_on_the_right() -> None:
    """Zero stays in place, at the right edge."""
    drawn = charts.bars(by_airline(-50, -100))
    assert drawn.zero == 100
    assert widths(drawn) == [(50, 50), (0, 100)]


def test_an_unknown_value_has_no_bar_and_zero_has_none_to_see() -> None:
    """Null is not 0; both differ from a value that is merely small, which keeps a sliver."""
    drawn = charts.bars(by_airline(10_000_000, 1, 0, None, measure="takings"))
    assert widths(drawn) == [(0, 100), (0, 0.4), (0, 0), (0, None)]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        pytest.param([7, 7], [(0, 100), (0, 100)], id="all the same"),
        pytest.param([0, 0], [(0, 0), (0, 0)], id="all zero"),
        pytest.param([None, None], [(0, None), (0, None)], id="all unknown"),
        pytest.param([10**40, 10**40 // 4], [(0, 100), (0, 25)], id="huge"),
        pytest.param([1e-300, 5e-301], [(0, 100), (0, 50)], id="tiny"),
        pytest.param([-1e-9], [(0, 100)], id="one, negative"),
        pytest.param([D("0.2"), D("0.1")], [(0, 100), (0, 50)], id="decimals"),
    ],
)
def test_bars_of_extreme_values(values: list[object], expected: list[object]) -> None:
    """Nothing overflows, and nothing divides by zero."""
    assert widths(charts.bars(by_airline(*values))) == expected


# lines and columns


def plot(result: charts.Result, height: int = 147, *, columns: bool = False) -> charts.Plot:
    """A plot 100 px deep when its names take two lines: from y 10 to y 110."""
    return charts.plot(
        result, charts.value_axis(result, columns=columns), columns=columns, height=height
    )


def test_a_line_stands_in_the_middle_of_its_buckets() -> None:
    """Across in per cent of four buckets; down 100 px for 0 to 10."""
    drawn = plot(by_month(0, 10, 5, 2.5))
    assert [(point.x, point.y) for point in drawn.points] == [
        (12.5, 110),
        (37.5, 10),
        (62.5, 60),
        (87.5, 85),
    ]
    assert [(point.left, point.width) for point in drawn.points] == [
        (0, 25),
        (25, 25),
        (50, 25),
        (75, 25),
    ]
    assert (drawn.top, drawn.floor, drawn.height) == (4, 110, 147)


def test_ticks_stand_where_their_values_do() -> None:
    """The base line is the one at zero."""
    drawn = plot(by_month(0, 10))
    assert [(tick.y, tick.text, tick.base) for tick in drawn.ticks] == [
        (110, "0", True),
        (90, "2", False),
        (70, "4", False),
        (50, "6", False),
        (30, "8", False),
        (10, "10", False),
    ]
    assert drawn.starts_at is None


def test_null_is_a_gap_in_the_line() -> None:
    """No segment leads to or from an unknown bucket."""
    drawn = plot(by_month(1, 2, None, 4, 5, measure="delay"))
    ends = [(segment.x1, segment.x2) for segment in drawn.segments]
    assert ends == [(10, 30), (70, 90)]
    assert drawn.points[2].y is None
    assert drawn.points[2].dot is False


def test_a_point_between_gaps_is_drawn_even_where_dots_are_left_out() -> None:
    """Of hundreds of points only the one that no line reaches keeps its dot."""
    values = [5.0] * 100 + [None, 5.0, None] + [5.0] * 100
    drawn = plot(by_month(*values, measure="delay"))
    dotted = [i for i, point in enumerate(drawn.points) if point.dot]
    assert dotted == [101]
    assert drawn.points[101].alone


def test_a_single_point_is_a_dot_without_a_line() -> None:
    """One bucket stands in the middle, on an axis from 0."""
    drawn = plot(by_month(5))
    assert [(point.x, point.dot, point.alone) for point in drawn.points] == [(50, True, True)]
    assert drawn.segments == ()
    assert drawn.starts_at is None


def test_all_unknown_is_an_empty_chart() -> None:
    """The axis is there, and nothing on it."""
    drawn = plot(by_month(None, None, measure="delay"))
    assert drawn.segments == ()
    assert [point.dot for point in drawn.points] == [False, False]
    assert [tick.text for tick in drawn.ticks] == ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0 min"]


def test_an_axis_that_starts_elsewhere_says_where() -> None:
    """4,346 to 5,124 is drawn from 4,200, as a line and not as columns."""
    result = by_month(4346, 5124)
    assert plot(result).starts_at == "4,200"
    assert plot(result, columns=True).starts_at is None
    assert plot(by_month(-100, -90)).starts_at == "-90"


def test_columns_stand_on_zero() -> None:
    """A negative one hangs below it; two thirds of the bucket are filled."""
    drawn = plot(by_month(10, -10), columns=True)
    first, second = (point.column for point in drawn.points)
    assert first is not None
    assert second is not None
    assert (first.y, first.height) == (10, 50)
    assert (second.y, second.height) == (60, 50)
    assert (first.x, first.width) == (8.333, 33.333)
    assert [tick.y for tick in drawn.ticks if tick.base] == [60]
    assert drawn.segments == ()


def test_two_thousand_buckets_keep_a_column_each_and_no_tab_stops() -> None:
    """The columns touch from edge to edge; the table has the links for the keyboard."""
    drawn = plot(by_month(*range(2000), start=1850))
    assert drawn.dense
    assert len(drawn.points) == 2000
    assert drawn.points[0].left == 0
    assert round(drawn.points[-1].left + drawn.points[-1].width, 3) == 100
    assert not plot(by_month(*range(120))).dense


def test_values_are_written_at_every_mark_or_at_none() -> None:
    """Twelve of six digits need some 480 px: a wide pane has them, a narrow one does not."""
    assert charts.value_widths(by_month(*[27_004] * 12)) == ("wide", "widest")
    assert charts.value_widths(by_month(7, 8)) == ("tiny", "small", "medium", "wide", "widest")
    assert charts.value_widths(by_month(*[27_004] * 60)) == ()


def test_dates_cannot_be_drawn_as_lengths() -> None:
    """The latest departure is a time, not an amount."""
    result = by_airline(dt.datetime(2013, 1, 1, tzinfo=dt.UTC), measure="latest")
    assert not charts.drawable(result)
    assert charts.drawable(by_airline(1, None))


# what the reader chose


def test_chosen_members_are_lit_and_others_unlit() -> None:
    """Also when the chosen one is not among those shown."""
    assert charts.lights(by_airline(3, 2, 1)) == ("plain", "plain", "plain")
    assert charts.lights(by_airline(3, 2, 1, chosen=("B",))) == ("unlit", "lit", "unlit")
    assert charts.lights(by_airline(3, 2, chosen=("Z",))) == ("unlit", "unlit")


def test_the_null_group_is_lit_and_other_never_is() -> None:
    """Both have the key None, and only one of them is a member."""
    rows = [row(None, 2), row("", 1), row(None, 9, is_other=True)]
    assert charts.lights(answer(rows, chosen=(None,))) == ("lit", "unlit", "unlit")


def test_a_chosen_range_is_a_band_across_its_buckets() -> None:
    """From 15 February, the middle of 28 days and the second of four buckets, to the end."""
    drawn = plot(by_month(1, 2, 3, 4, chosen_range=Range(dt.date(2013, 2, 15), None)))
    assert drawn.band == charts.Band(x=37.5, width=62.5, edges=(37.5,))
    assert [point.light for point in drawn.points] == ["unlit", "lit", "lit", "lit"]
    assert [segment.light for segment in drawn.segments] == ["unlit", "lit", "lit"]


@pytest.mark.parametrize(
    ("start", "end", "lit"),
    [
        pytest.param(dt.date(2013, 2, 1), dt.date(2013, 3, 1), [1], id="one bucket"),
        pytest.param(None, dt.date(2013, 2, 1), [0], id="until"),
        pytest.param(dt.date(2013, 3, 31), dt.date(2013, 4, 2), [2, 3], id="over an edge"),
        pytest.param(dt.date(2001, 1, 1), dt.date(2002, 1, 1), [], id="before all"),
        pytest.param(dt.date(2020, 1, 1), None, [], id="after all"),
        pytest.param(None, None, [0, 1, 2, 3], id="open"),
    ],
)
def test_buckets_that_touch_the_range_are_lit(
    start: dt.date | None, end: dt.date | None, lit: list[int]
) -> None:
    """A range is half open: its end belongs to the next bucket."""
    lights = charts.lights(by_month(1, 2, 3, 4, chosen_range=Range(start, end)))
    assert [i for i, light in enumerate(lights) if light == "lit"] == lit


def test_a_range_of_instants_lights_local_days() -> None:
    """Midnight in New York is the edge of the bucket, whatever UTC has then."""
    zone = zoneinfo.ZoneInfo("America/New_York")
    chosen = Range(dt.datetime(2013, 2, 1, tzinfo=zone), dt.datetime(2013, 3, 1, tzinfo=zone))
    assert charts.lights(by_month(1, 2, 3, chosen_range=chosen)) == ("unlit", "lit", "unlit")


def test_the_repeated_hour_is_two_buckets_of_a_range() -> None:
    """On 3 November 2013 New York has one o'clock twice; choosing the second leaves the first."""
    zone = zoneinfo.ZoneInfo("America/New_York")
    starts = [dt.datetime(2013, 11, 3, 4 + i, tzinfo=dt.UTC).astimezone(zone) for i in range(5)]
    rows = [row(a, 1, until=b) for a, b in itertools.pairwise(starts)]
    result = answer(rows, by="left", granularity="hour", chosen_range=Range(starts[2], starts[3]))
    assert [start.hour for start in starts] == [0, 1, 1, 2, 3]
    assert charts.lights(result) == ("unlit", "unlit", "lit", "unlit")


# names under the chart


def names(result: charts.Result, width: str) -> str:
    """The names shown at one width, what stands below in brackets."""
    assert result.granularity is not None
    found = axis.time_names(result.rows, result.granularity, result.locale)
    return " ".join(
        f"{name.text}[{name.below}]" if name.below else name.text
        for name in found
        if width in name.widths
    )


def test_months_carry_the_year_where_it_changes() -> None:
    """Under the first, and under each January."""
    result = by_month(*range(15))
    assert names(result, "widest") == (
        "Jan[2013] Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec Jan[2014] Feb Mar"
    )


def test_a_narrow_pane_names_fewer_months() -> None:
    """Every second, every sixth: steps of the calendar, not of the counter."""
    result = by_month(*range(12))
    assert names(result, "small") == "Jan[2013] Mar May Jul Sep Nov"
    assert names(result, "tiny") == "Jan[2013] Jul"


def test_names_never_touch() -> None:
    """For every count of months, at every width, the letters fit with room between."""
    for count in [*range(1, 61), 240, 2000]:
        result = by_month(*[0] * count, start=1850)
        found = axis.time_names(result.rows, "month", ENGLISH)
        for width, room in axis.WIDTHS.items():
            shown = [name for name in found if width in name.widths]
            assert shown, (count, width)
            for one, other in itertools.pairwise(shown):
                apart = (other.index - one.index) * room / count
                assert apart > axis.text_width(one.text) / 2 + axis.text_width(other.text) / 2


@pytest.mark.parametrize(
    ("granularity", "keys", "expected"),
    [
        pytest.param(
            "hour",
            [dt.datetime(2013, 3, 9, 21, tzinfo=dt.UTC) + dt.timedelta(hours=i) for i in range(6)],
            "9 PM[Mar 9, 2013] 10 PM 11 PM 12 AM[Mar 10] 1 AM 2 AM",
            id="hours",
        ),
        pytest.param(
            "day",
            [dt.date(2013, 12, 30) + dt.timedelta(days=i) for i in range(5)],
            "30[Dec 2013] 31 1[Jan 2014] 2 3",
            id="days",
        ),
        pytest.param(
            "week",
            [dt.date(2013, 9, 30) + dt.timedelta(weeks=i) for i in range(3)],
            "Sep 30[2013] Oct 7 Oct 14",
            id="weeks",
        ),
        pytest.param(
            "quarter",
            [dt.date(2013, 7, 1), dt.date(2013, 10, 1), dt.date(2014, 1, 1)],
            "Q3[2013] Q4 Q1[2014]",
            id="quarters",
        ),
        pytest.param("year", [dt.date(y, 1, 1) for y in (2012, 2013)], "2012 2013", id="years"),
    ],
)
def test_each_granularity_has_its_names(
    granularity: str, keys: list[dt.date], expected: str
) -> None:
    """Below stands what the name alone leaves open, once."""
    result = answer([row(key, 1) for key in keys], by="left", granularity=granularity)  # type: ignore[arg-type]
    assert names(result, "wide") == expected


def test_names_follow_the_readers_locale() -> None:
    """Portuguese months, and a clock of 24 hours."""
    portuguese = babel.Locale("pt", "PT")
    found = axis.time_names(months([1, 2]), "month", portuguese)
    assert [name.text for name in found] == ["jan.", "fev."]
    hour = [row(dt.datetime(2013, 3, 9, 18, tzinfo=dt.UTC), 1)]
    assert axis.time_names(hour, "hour", portuguese)[0].text == "18:00"


def test_long_member_names_are_cut_and_thinned() -> None:
    """Fourteen letters at most, and fewer of them where there is less room."""
    found = axis.member_names(
        [row("General Edward Lawrence Logan", 1), *(row(str(i), 1) for i in range(20))]
    )
    assert found[0].text == "General Edwar…"
    shown = {width: sum(width in name.widths for name in found) for width in axis.WIDTHS}
    assert 1 <= shown["tiny"] < shown["small"] < shown["medium"] < shown["wide"] < shown["widest"]


def test_scale_places_its_ends_at_nought_and_one() -> None:
    """And what lies between in proportion."""
    drawn = Scale(Number(-10), Number(30), Number(10))
    assert [drawn.fraction(Number(v)) for v in (-10, 0, 10, 30)] == [0, 0.25, 0.5, 1]
