"""From a pane's options and its answer to what is drawn: the figure, its table and its sill."""

from __future__ import annotations

import dataclasses
import itertools

from ..query.question import RENDERERS, PaneOptions, Question, Renderer
from ..query.result import Result
from ..vocabulary.formats import in_words
from ..words import capital, joined, say, say_many, translated
from . import charts, figures, numbers, rings, tables, views, words
from .ways import Member, Ways, members_of

ROW = 136
"""The height of one row of a frame's grid, px, as the stylesheet has it."""

_HEAD, _FOOT, _SILL, _BORDERS = 36, 12, 33, 2
_ASK_HEIGHT = 300
_NOT_SHOWN = say("Not shown")


@dataclasses.dataclass(frozen=True, slots=True)
class Drawing:
    """What a pane shows of an answer."""

    figure: figures.Figure
    table: figures.Table | None
    notes: tuple[views.Note, ...]
    show_all: str | None


def renderer_of(options: PaneOptions, result: Result) -> tuple[Renderer, str]:
    """How to draw an answer, and why it is not as it was asked for, if so."""
    dimension = result.dimension
    automatic: Renderer = "number" if dimension is None else "line" if dimension.is_time else "bar"
    asked = options.renderer or automatic
    if asked == "number" or asked == "table":
        return asked, ""
    if dimension is None:
        said = say("Drawn as a number: a {renderer} needs a dimension", renderer=RENDERERS[asked])
        return "number", said
    if not charts.drawable(result):
        said = say(
            "Drawn as a table: {measure} is a time, not an amount", measure=within_measure(result)
        )
        return "table", said if options.renderer else ""
    if result.rows and all(row.value is None for row in result.rows):
        measure = within_measure(result)
        return "table", say("Drawn as a table: no {measure} is known here", measure=measure)
    if asked in {"doughnut", "pie"} and (why := rings.refusal(result)):
        return "table", say("Drawn as a table: {why}.", why=why)
    return asked, ""


def within_measure(result: Result) -> str:
    """The measure as it stands inside a sentence."""
    return words.within(result.measure.label)


def light_height(height: int, gap: int, *, sill: bool) -> int:
    """How many px a pane of ``height`` rows leaves for a chart."""
    whole = height * ROW + (height - 1) * gap * 4
    return whole - _BORDERS - _HEAD - _FOOT - (_SILL if sill else 0)


def draw(
    options: PaneOptions,
    result: Result,
    ways: Ways,
    *,
    height: int | None = None,
    gap: int = 4,
    palette: rings.Palette | None = None,
    over: numbers.Over | None = None,
    tall: bool = False,
) -> Drawing:
    """Draw an answer.

    Args:
        height: the pane's height in rows, with ``gap`` between them; None for a question's own
            page.
        palette: the colours of the members on this page.
        over: for a number, what it is held against.
        tall: whether that number has room below it.
    """
    renderer, instead = renderer_of(options, result)
    notes = [views.Note(instead)] if instead and renderer != "table" else []
    if renderer == "number":
        notes += _missing_filters(result)
        figure = numbers.number(result, filtered=bool(ways.filters), over=over, tall=tall)
        return Drawing(figure, None, tuple(notes), None)
    if not result.rows and result.dimension is not None:
        return Drawing(_nothing(result, ways), None, tuple(_missing_filters(result)), None)

    members = members_of(result, ways)
    table = tables.table(members, options, result, ways, instead)
    facts = _facts(options, result, ways)
    show_all = ways.show_all if result.truncated else None
    if renderer == "table":
        return Drawing(table, None, (*notes, *facts), show_all)
    if renderer == "bar" and result.granularity is None:
        return Drawing(_bars(members, result), table, (*notes, *facts), show_all)
    if renderer in {"doughnut", "pie"}:
        drawn = rings.ring(result, palette or rings.Palette(), hole=renderer == "doughnut")
        ring = _ring(members, result, drawn, hole=renderer == "doughnut")
        return Drawing(ring, table, (*notes, *facts), show_all)

    columns = renderer == "bar"
    scale = charts.value_axis(result, columns=columns, few=height == 1)
    values = charts.value_widths(result) if options.value_labels else ()
    if options.value_labels and not values:
        notes.append(views.Note(say("Too many values to write each beside its mark")))
    if result.chosen_range is not None and result.granularity is not None:
        notes.append(views.Note(say("Chosen range tinted")))
    sill = bool(notes or facts or show_all or scale.starts_elsewhere)
    px = _ASK_HEIGHT if height is None else light_height(height, gap, sill=sill)
    plot = charts.plot(
        result, scale, columns=columns, height=max(px, charts.LEAST_HEIGHT), values=values
    )
    if plot.starts_at is not None:
        notes.insert(0, views.Note(say("Axis starts at {value}", value=plot.starts_at)))
    return Drawing(_plot(members, result, plot), table, (*notes, *facts), show_all)


def _nothing(result: Result, ways: Ways) -> figures.Say:
    things = words.within(in_words(result.model))
    if ways.clear is None:
        return figures.Say(say("No {things} to show.", things=things))
    clear = say_many("Clear the filter", "Clear the {n} filters", ways.filters)
    said = say("No {things} under these filters.", things=things)
    return figures.Say(said, views.Link(ways.clear, clear))


def _facts(options: PaneOptions, result: Result, ways: Ways) -> list[views.Note]:
    """What the sill says about any drawing of this answer."""
    notes = []
    if result.truncated and result.dimension is not None:
        shown = sum(not row.is_other for row in result.rows)
        which = words.first(Question.of(options), result.dimension, shown)
        rest = say("there are more")
        if shown < len(result.rows):
            rest = say("all others are in Other")
        notes.append(views.Note(joined("; ", (capital(which), rest))))
    if (undated := result.undated_row) is not None:
        said = say("{value} without a date", value=undated.formatted)
        notes.append(views.Note(said, href=ways.toggle(undated)))
    return notes + _missing_filters(result)


def _missing_filters(result: Result) -> list[views.Note]:
    if not result.not_applied:
        return []
    missed = joined(", ", result.not_applied)
    return [views.Note(say("not filtered by {dimensions}", dimensions=missed), warn=True)]


def _bars(members: tuple[Member, ...], result: Result) -> figures.BarChart:
    drawn = charts.bars(result)
    share = words.shares(result)
    return figures.BarChart(
        summary=words.summary(result, [member.light for member in members]),
        zero=drawn.zero,
        marks=tuple(
            figures.BarMark(
                bar=bar,
                label=bar.row.label,
                formatted=bar.row.formatted,
                words=words.mark(bar.row, result, share(bar.row), bar.light),
                href=member.href,
                muted=member.muted,
                several=member.several,
                tag=member.tag,
            )
            for bar, member in zip(drawn.bars, members, strict=True)
        ),
    )


def _plot(members: tuple[Member, ...], result: Result, plot: charts.Plot) -> figures.PlotChart:
    share = words.shares(result)
    return figures.PlotChart(
        summary=words.summary(result, [member.light for member in members]),
        title=words.title_of(result),
        plot=plot,
        marks=tuple(
            figures.PointMark(
                point=point,
                formatted=point.row.formatted,
                words=words.mark(point.row, result, share(point.row), point.light),
                href=member.href,
                several=member.several,
                tag=member.tag,
            )
            for point, member in zip(plot.points, members, strict=True)
        ),
    )


def _ring(
    members: tuple[Member, ...], result: Result, drawn: rings.Ring, *, hole: bool
) -> figures.RingChart:
    format_, locale = result.measure.format, result.locale
    marks = []
    for slice_, member in itertools.zip_longest(drawn.slices, members):
        share = words.share(slice_.share, locale)
        if member is None:
            formatted = format_.write(drawn.rest, locale)
            label: str = _NOT_SHOWN
            said = joined(", ", (joined(": ", (label, formatted)), share))
        else:
            formatted, label = member.row.formatted, member.row.label
            said = words.mark(member.row, result, share, member.light)
        marks.append(
            figures.SliceMark(
                slice=slice_,
                label=label,
                formatted=formatted,
                share=share,
                words=said,
                href=member.href if member else None,
                muted=member is None or member.muted,
                several=member.several if member else None,
                tag=member.tag if member else "",
            )
        )
    total, word = (
        words.ring_total(result) if hole else (result.total_row.formatted, tables.all_of(result))
    )
    return figures.RingChart(
        summary=words.summary(result, [member.light for member in members]),
        title=words.title_of(result),
        marks=tuple(marks),
        total=total,
        # It is cut to fit the hole, in the language it is shown in.
        word=translated(word),
        letters=next((n for n in (7, 9, 12) if len(total) <= n), 16),
        hole=hole,
    )
