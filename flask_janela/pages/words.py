"""Titles, names of marks and summaries: what a chart says to somebody who does not see it."""

from __future__ import annotations

import collections.abc as cabc
import decimal

import babel
import babel.numbers

from ..query.question import Question
from ..query.result import Result, Row
from ..vocabulary import BoundDimension, BoundMeasure, Count, Sum
from ..vocabulary.dimensions import Granularity
from ..vocabulary.formats import Format, in_words
from .charts import Light
from .scales import exact

_SHARE = Format(precision=1, percent=True)
_MOST_IN_A_RING = 16


def within(label: str) -> str:
    """A label as it stands inside a sentence: "Late arrivals" small, "USD revenue" as it is."""
    return label if label[1:2].isupper() else label[:1].lower() + label[1:]


def title(
    measure: str, dimension: str | None, granularity: Granularity | None, is_time: bool
) -> str:
    """The heading of a question, by its labels."""
    if dimension is None:
        return measure
    if is_time:
        return f"{measure} per {granularity}"
    return f"{measure} by {within(dimension)}"


def title_of(result: Result) -> str:
    """The heading of an answered question."""
    dimension = result.dimension
    return title(
        result.measure.label,
        None if dimension is None else dimension.label,
        result.granularity,
        dimension is not None and dimension.is_time,
    )


def title_of_row(
    given: str | None, heading: str | None, measure: str | None, dimension: str | None
) -> str:
    """The heading of a pane that cannot be asked, from the names in its row alone."""
    if given or heading:
        return given or heading or ""
    named = in_words(measure or "") or "A pane"
    return f"{named} by {within(in_words(dimension))}" if dimension else named


def value(measure: BoundMeasure, formatted: str) -> str:
    """ "48,110 flights", "12.6 min average delay": the value first, as it stands beside the name.

    What a mark is called begins with what can be read on it (WCAG 2.5.3, Label in Name).
    """
    return f"{formatted} {within(measure.label)}"


def shares(result: Result) -> cabc.Callable[[Row], str]:
    """How to say a row's share of the total: nothing unless the rows add up to it.

    Only counts of rows and sums do, and only while nothing is negative.
    """
    total = exact(result.total)
    values = [exact(row.value) for row in result.rows]
    adds_up = isinstance(result.measure.declared, Count | Sum)
    if not adds_up or not total or total < 0 or any(v is not None and v < 0 for v in values):
        return lambda row: ""

    def of(row: Row) -> str:
        number = exact(row.value)
        if number is None:
            return ""
        return share(decimal.Context(prec=40).divide(number, total), result.locale)

    return of


def share(part: decimal.Decimal, locale: babel.Locale) -> str:
    """A fraction of the whole in per cent: what is there is never "0.0%"."""
    written = _SHARE.write(part, locale)
    if part and written == _SHARE.write(decimal.Decimal(0), locale):
        return f"<{_SHARE.write(decimal.Decimal('0.001'), locale)}"
    return written


def ring_total(result: Result) -> tuple[str, str]:
    """A ring's total, and its unit or what it counts; in short where the digits would not fit."""
    before, digits, after = result.measure.format.parts(result.total, result.locale)
    total = exact(result.total)
    if total is not None and len(before) + len(digits) > _MOST_IN_A_RING:
        digits = babel.numbers.format_compact_decimal(
            total, fraction_digits=1, locale=result.locale
        )
    return f"{before}{digits}", after.strip() or within(result.measure.label)


def mark(row: Row, result: Result, share: str, light: Light) -> str:
    """The name of one mark: "Delta: 48,110 flights, 14.3%, chosen"."""
    said = f"{row.label}: {value(result.measure, row.formatted)}"
    return ", ".join([said, *([share] if share else []), *(["chosen"] if light == "lit" else [])])


def summary(result: Result, lights: cabc.Sequence[Light]) -> str:
    """A chart in one sentence, and which of its members are chosen in another."""
    known = [row for row in result.rows if exact(row.value) is not None]
    heading = title_of(result)
    if not known:
        said = f"{heading}: every value is unknown."
    elif len(known) == 1:
        said = f"{heading}: {known[0].label}, {known[0].formatted}."
    else:
        low = min(known, key=lambda row: exact(row.value) or 0)
        high = max(known, key=lambda row: exact(row.value) or 0)
        said = (
            f"{heading}: {len(result.rows)} shown, from {low.formatted} ({low.label}) "
            f"to {high.formatted} ({high.label})."
        )
    chosen = [row.label for row, light in zip(result.rows, lights, strict=True) if light == "lit"]
    return f"{said} Chosen: {_some(chosen)}." if chosen else said


def _some(names: list[str], most: int = 3) -> str:
    if len(names) <= most:
        return ", ".join(names)
    return f"{', '.join(names[:most])} and {len(names) - most} more"


def sentence(question: Question, result: Result, filters: cabc.Sequence[tuple[str, str]]) -> str:
    """The question after its title: over which rows, how many members, beside what."""
    things = within(in_words(result.model))
    if filters:
        said = [
            f"Over {things} filtered by {all_of([f'{label} {words}' for label, words in filters])}"
        ]
    else:
        said = [f"Over all {things} that you may see"]
    if question.limit is not None and result.dimension is not None:
        rest = " and all others as one" if question.other else ""
        said.append(f"{first(question, result.dimension, question.limit)}{rest}")
    if result.columns:
        said.append(f"with {all_of([within(column.label) for column in result.columns])} beside")
    return f"{', '.join(said).removesuffix('.')}."


def first(question: Question, dimension: BoundDimension, count: int) -> str:
    """Which members are kept when there are more: "the 10 largest"."""
    if dimension.is_time or question.order in {"label", "natural"}:
        return f"the first {count:,}"
    return f"the {count:,} {'smallest' if question.order == 'value' else 'largest'}"


def all_of(texts: list[str]) -> str:
    """ "one, two and three"."""
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


def counted(count: int, word: str) -> str:
    """ "1 pane", "3 panes"."""
    return f"{count:,} {word}{'' if count == 1 else 's'}"
