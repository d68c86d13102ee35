"""One number: its digits, what it was before, and its course as a sparkline.

A sparkline is a described image: across in per cent, down in px, as every chart.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import decimal
import itertools

from ..query import comparing
from ..query.asking import ask
from ..query.comparing import Comparison
from ..query.filters import Layers
from ..query.question import PaneOptions, Question
from ..query.reader import Reader
from ..query.result import Result, Row
from ..vocabulary.formats import Format
from ..words import say
from . import charts, figures, words
from .scales import Number, Scale, exact

SHORT, TALL = 32, 78
"""The height of a sparkline beside its number, and below it, px."""

_TOP, _TALL_TOP, _FLOOR = 4.0, 16.0, 3.0
_EDGE = 1.5
_SHARE = Format(precision=1, percent=True)
_WHOLE_SHARE = Format(precision=0, percent=True)


@dataclasses.dataclass(frozen=True, slots=True)
class Over:
    """What a number is held against: the period before, and its own course over time."""

    comparison: Comparison | None
    series: Result


def answer(
    reader: Reader, question: Question, layers: Layers, options: PaneOptions
) -> tuple[Result, Over | None]:
    """The answer to a pane's question, and for a number what it is held against.

    That is nothing where its time does not exist for the caller. A number is taken from its own
    course, whose total is at its own grain, so that it is not asked for twice.
    """
    over = options.over
    number = options.dimension is None and options.renderer != "table"
    if over is None or not number or over not in reader.dimensions(reader.model(question.model)):
        return ask(reader, question, layers), None
    course = comparing.series(reader, question, layers, over)
    result = ask(reader, question, layers) if question.companions else comparing.whole(course)
    return result, Over(comparing.compare(reader, question, layers, over, result), course)


def number(
    result: Result, *, filtered: bool, over: Over | None = None, tall: bool = False
) -> figures.Number:
    """A number as a pane shows it.

    Args:
        filtered: whether the reader's filters may be why there is none.
        tall: whether its sparkline has room below it.
    """
    before, digits, after = result.measure.format.parts(result.total, result.locale)
    sentence: str = ""
    if result.total is None:
        sentence = say("No value to show.")
        if filtered:
            sentence = say("No value to show under these filters.")
    after = after.strip()
    letters = len(digits) + (len(before) + len(after) + 1) // 2
    comparison = over.comparison if over is not None else None
    return figures.Number(
        before,
        digits,
        after,
        sentence,
        min(max(letters, 6), 24),
        delta=_delta(comparison, result) if comparison is not None else None,
        spark=_spark(over, result, tall=tall) if over is not None else None,
    )


def _delta(comparison: Comparison, result: Result) -> figures.Delta:
    format_, locale = result.measure.format, result.locale
    was, when = comparison.before_formatted, comparison.words
    if comparison.before is None:
        was = say("unknown")
    if comparison.value != result.total:
        when = say(
            "{when}; to date {value}", when=when, value=format_.write(comparison.value, locale)
        )
    if comparison.is_new:
        return figures.Delta("", say("new"), comparison.verdict, was, when)
    if comparison.change is None:
        return figures.Delta("", "", "", was, when)
    if not comparison.change:
        return figures.Delta("", say("no change"), "", was, when)
    direction = "up" if comparison.change > 0 else "down"
    return figures.Delta(direction, amount(comparison, result), comparison.verdict, was, when)


def amount(comparison: Comparison, result: Result) -> str:
    """How far a number moved: per cent of a count or sum, points of a percentage, else itself."""
    format_ = result.measure.format
    change = abs(exact(comparison.change) or Number(0))
    if format_.percent:
        points = dataclasses.replace(format_, percent=False, currency=None, prefix="", suffix="")
        return say("{value} points", value=_at_least(change.scaleb(2), points, result))
    if result.measure.empty == 0 and comparison.ratio is not None:
        ratio = abs(Number(str(comparison.ratio)))
        return _at_least(ratio, _WHOLE_SHARE if ratio >= 10 else _SHARE, result)
    return _at_least(change, format_, result)


def _at_least(number: decimal.Decimal, format_: Format, result: Result) -> str:
    """A change that rounds to nothing is said to be less than the smallest that does not."""
    written = format_.write(number, result.locale)
    if written != format_.write(0, result.locale):
        return written
    least = Number(1).scaleb(-format_.precision - (2 if format_.percent else 0))
    return f"<{format_.write(least, result.locale)}"


def _spark(over: Over, result: Result, *, tall: bool) -> figures.Spark | None:
    """The course of a number; none where fewer than two buckets are known."""
    rows = _whole_buckets(over.series) if result.measure.empty == 0 else over.series.rows
    values = [exact(row.value) for row in rows]
    known = [value for value in values if value is not None]
    if len(known) < 2:
        return None
    level = _level(over, result) if tall else None
    shown = known if level is None else [*known, level]
    low, high = min(shown), max(shown)
    scale = Scale(low, high, high - low) if low < high else Scale(low - 1, high + 1, Number(2))
    height, top = (TALL, _TALL_TOP) if tall else (SHORT, _TOP)

    def down(value: Number) -> float:
        return round(height - _FLOOR - (height - _FLOOR - top) * scale.fraction(value), 2)

    def across(i: int) -> float:
        return round(_EDGE + i * (100 - 2 * _EDGE) / (len(rows) - 1), 2)

    places = [None if value is None else (across(i), down(value)) for i, value in enumerate(values)]
    alone = charts.alone(places)
    last = max(i for i, place in enumerate(places) if place is not None)
    peak = values.index(max(known)) if tall and min(known) < max(known) else None
    return figures.Spark(
        words=words.summary(dataclasses.replace(over.series, rows=rows), ["plain"] * len(rows)),
        height=height,
        lines=tuple(
            figures.SparkLine(*one, *other)
            for one, other in itertools.pairwise(places)
            if one is not None and other is not None
        ),
        dots=tuple(
            place for i, place in enumerate(places) if place is not None and (i == last or alone[i])
        ),
        level=None if level is None else down(level),
        peak=_peak(places[peak], rows[peak].formatted) if peak is not None else None,
        ends=(rows[0].label, rows[-1].label) if tall else None,
        key=_key(over, result) if level is not None else "",
    )


def _whole_buckets(series: Result) -> tuple[Row, ...]:
    """The buckets within the asked range: a count of half a week would look like a fall."""
    rows, asked = series.rows, series.range
    instants = bool(rows) and isinstance(rows[0].key, dt.datetime)
    if asked is None:
        return rows

    def inside(row: Row) -> bool:
        starts = asked.start is None or _reaches(asked.start, row.key, instants)
        ends = asked.end is None or row.until is None or _reaches(row.until, asked.end, instants)
        return starts and ends

    return tuple(row for row in rows if inside(row))


def _reaches(one: dt.date, other: dt.date, instants: bool) -> bool:
    return charts.moment(one, instants) <= charts.moment(other, instants)


def _level(over: Over, result: Result) -> Number | None:
    """What the number was before, where its course is measured on the same scale.

    A count of a whole period is no level among counts of weeks; an average is.
    """
    if over.comparison is None or result.measure.empty == 0:
        return None
    return exact(over.comparison.before)


def _key(over: Over, result: Result) -> str:
    if not over.comparison:
        return ""
    return say("dotted: {value} before", value=over.comparison.before_formatted)


def _peak(place: tuple[float, float] | None, text: str) -> figures.Peak | None:
    if place is None:
        return None
    x, y = place
    anchor = "start" if x < 12 else "end" if x > 88 else "middle"
    return figures.Peak(x, round(y - 6, 2), anchor, text)
