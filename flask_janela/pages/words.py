"""Titles, names of marks and summaries: what a chart says to somebody who does not see it."""

from __future__ import annotations

import collections.abc as cabc
import decimal

import babel
import babel.numbers

from ..query.question import Question
from ..query.result import Result, Row
from ..vocabulary import BoundDimension, BoundMeasure, Count, Sum
from ..vocabulary.dimensions import CALLED, Granularity
from ..vocabulary.formats import Format, in_words
from ..words import Words, changed, full_stop, joined, say, say_many
from .charts import Light
from .scales import exact

_SHARE = Format(precision=1, percent=True)
_MOST_IN_A_RING = 16


def within(label: str) -> str:
    """A label as it stands inside a sentence: "Late arrivals" small, "USD revenue" as it is."""
    return changed(label, _within)


def _within(label: str) -> str:
    return label if label[1:2].isupper() else label[:1].lower() + label[1:]


def title(
    measure: str, dimension: str | None, granularity: Granularity | None, is_time: bool
) -> str:
    """The heading of a question, by its labels."""
    if dimension is None:
        return measure
    if is_time and granularity is not None:
        each = CALLED.get(granularity, granularity)
        return say("{measure} per {granularity}", measure=measure, granularity=each)
    return say("{measure} by {dimension}", measure=measure, dimension=within(dimension))


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
    named = in_words(measure or "") or say("A pane")
    if not dimension:
        return named
    return say("{measure} by {dimension}", measure=named, dimension=within(in_words(dimension)))


def value(measure: BoundMeasure, formatted: str) -> str:
    """ "48,110 flights", "12.6 min average delay": the value first, as it stands beside the name.

    What a mark is called begins with what can be read on it (WCAG 2.5.3, Label in Name).
    """
    return joined(" ", (formatted, within(measure.label)))


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
    said = joined(": ", (row.label, value(result.measure, row.formatted)))
    chosen = [say("chosen")] if light == "lit" else []
    return joined(", ", [said, *([share] if share else []), *chosen])


def summary(result: Result, lights: cabc.Sequence[Light]) -> str:
    """A chart in one sentence, and which of its members are chosen in another."""
    known = [row for row in result.rows if exact(row.value) is not None]
    heading = title_of(result)
    if not known:
        said = say("{title}: every value is unknown.", title=heading)
    elif len(known) == 1:
        said = say(
            "{title}: {label}, {value}.",
            title=heading,
            label=known[0].label,
            value=known[0].formatted,
        )
    else:
        low = min(known, key=lambda row: exact(row.value) or 0)
        high = max(known, key=lambda row: exact(row.value) or 0)
        said = say(
            "{title}: {count} shown, from {low} ({lowest}) to {high} ({highest}).",
            title=heading,
            count=len(result.rows),
            low=low.formatted,
            lowest=low.label,
            high=high.formatted,
            highest=high.label,
        )
    chosen = [row.label for row, light in zip(result.rows, lights, strict=True) if light == "lit"]
    if not chosen:
        return said
    return say("{summary} Chosen: {members}.", summary=said, members=_some(chosen))


def _some(names: list[str], most: int = 3) -> str:
    if len(names) <= most:
        return joined(", ", names)
    shown = joined(", ", names[:most])
    return say("{names} and {n} more", names=shown, n=len(names) - most)


def sentence(question: Question, result: Result, filters: cabc.Sequence[tuple[str, str]]) -> str:
    """The question after its title: over which rows, how many members, beside what."""
    things = within(in_words(result.model))
    said: list[str] = []
    if filters:
        by = all_of([joined(" ", each) for each in filters])
        said.append(say("Over {things} filtered by {filters}", things=things, filters=by))
    else:
        said.append(say("Over all {things} that you may see", things=things))
    if question.limit is not None and result.dimension is not None:
        shown = first(question, result.dimension, question.limit)
        if question.other:
            shown = say("{members} and all others as one", members=shown)
        said.append(shown)
    if result.columns:
        beside = all_of([within(column.label) for column in result.columns])
        said.append(say("with {columns} beside", columns=beside))
    return full_stop(joined(", ", said))


def first(question: Question, dimension: BoundDimension, count: int) -> str:
    """Which members are kept when there are more: "the 10 largest"."""
    if dimension.is_time or question.order in {"label", "natural"}:
        return say_many("the first {n:,}", "the first {n:,}", count)
    if question.order == "value":
        return say_many("the {n:,} smallest", "the {n:,} smallest", count)
    return say_many("the {n:,} largest", "the {n:,} largest", count)


def all_of(texts: list[str]) -> str:
    """ "one, two and three"."""
    if len(texts) == 1:
        return texts[0]
    return say("{some} and {last}", some=joined(", ", texts[:-1]), last=texts[-1])


def panes(count: int) -> Words:
    """ "1 pane", "3 panes"."""
    return say_many("{n:,} pane", "{n:,} panes", count)


def calls(count: int) -> Words:
    """ "1 call", "3 calls"."""
    return say_many("{n:,} call", "{n:,} calls", count)


def measures(count: int) -> Words:
    """ "1 measure", "3 measures"."""
    return say_many("{n:,} measure", "{n:,} measures", count)


def dimensions(count: int) -> Words:
    """ "1 dimension", "3 dimensions"."""
    return say_many("{n:,} dimension", "{n:,} dimensions", count)
