"""What is drawn of one tool: its calls over time by outcome, and how long they took."""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import datetime as dt
import typing as t

import babel.dates

from ..roster.detail import KINDS, Detail
from ..vocabulary.formats import Format
from ..words import Words, full_stop, joined, say, say_many
from . import figures, rostercharts, scales, views, words
from .rosterwords import Writer

_NAMES = {"tiny": 3, "small": 6, "medium": 8, "wide": 12, "widest": 16}
"""How many names fit under a chart, by the width of its pane."""

_TITLES = {
    "24h": say("Calls by hour and outcome"),
    "7d": say("Calls by six hours and outcome"),
    "30d": say("Calls by day and outcome"),
}

_WORDS = {
    "ok": say("ok"),
    "not_found": say("not found"),
    "conflict": say("conflict"),
    "invalid": say("invalid"),
    "refused": say("refused"),
    "failed": say("failed"),
}
"""The outcomes that the chart tells apart, as people read them."""

Url = cabc.Callable[..., str]
"""The tool's page with some parts of its address changed."""


def panes(found: Detail, write: Writer, url: Url) -> tuple[views.Pane, ...]:
    """The charts, each with its table; none of a tool without calls."""
    if not found.figures.calls:
        return ()
    charts = _Charts(found, write, url)
    drawn = [_pane("over-time", _TITLES[found.window.key], charts.outcomes())]
    if found.buckets:
        title = say_many(
            "Latency of {n:,} call that ran",
            "Latency of {n:,} calls that ran",
            found.figures.latency.n,
        )
        drawn.append(_pane("latency", title, charts.durations()))
    return tuple(drawn)


def _pane(id_: str, title: str, drawn: tuple[t.Any, figures.Table]) -> views.Pane:
    figure, table = drawn
    return views.Pane(f"janela-{id_}", title, figure, table=table, whole=True, span=1)


@dataclasses.dataclass(frozen=True)
class _Charts:
    """The charts of one tool."""

    found: Detail
    write: Writer
    url: Url

    def outcomes(self) -> tuple[rostercharts.Outcomes, figures.Table]:
        found, write = self.found, self.write
        stacks = [_stack(bar) for bar in found.bars]
        most = max(sum(stack.values()) for stack in stacks)
        scale, ticks = rostercharts.value_ticks(most, rostercharts.TOP, self.texts)
        room = 100 / len(stacks)
        columns, rows = [], []
        for at, stack in enumerate(stacks):
            start = found.window.start + dt.timedelta(hours=at * found.window.step)
            end = start + dt.timedelta(hours=found.window.step)
            step = self.step_name(start, full=True)
            said = [joined(": ", (step, words.calls(sum(stack.values()))))]
            if any(stack.values()):
                kinds = (_counted(stack[o], o) for o in rostercharts.STACK if stack[o])
                said.append(joined(", ", kinds))
            micro = (end - dt.datetime(1970, 1, 1, tzinfo=dt.UTC)) // dt.timedelta(microseconds=1)
            columns.append(
                rostercharts.Column(
                    rostercharts.Bar(
                        round(at * room, 3),
                        round(room, 3),
                        rostercharts.TOP,
                        rostercharts.HEIGHT - rostercharts.TOP - 4,
                    ),
                    tuple(
                        rostercharts.stacked(
                            stack, scale, round((at + 0.16) * room, 3), round(0.68 * room, 3)
                        )
                    ),
                    self.url("calls", before=f"{micro}-0"),
                    joined("; ", said),
                )
            )
            rows.append(
                figures.TableRow(
                    self.step_name(start, full=True),
                    None,
                    tuple(
                        figures.Cell(write.count(stack[o]), True)
                        for o in reversed(rostercharts.STACK)
                    ),
                )
            )
        total = {o: sum(stack[o] for stack in stacks) for o in rostercharts.STACK}
        keys = tuple(
            rostercharts.Key(o, _WORDS[o], write.count(total[o]), self.url("calls", outcome=o))
            for o in reversed(rostercharts.STACK)
            if total[o]
        )
        heads = ["UTC", *(_WORDS[o] for o in reversed(rostercharts.STACK))]
        table = figures.Table(
            say("Calls by outcome"),
            tuple(figures.Head(head, at > 0) for at, head in enumerate(heads)),
            tuple(rows),
            None,
        )
        summary = joined(
            ", ", (say("{count} {kind}", count=key.count, kind=key.word) for key in keys)
        )
        return (
            rostercharts.Outcomes(
                title=say("Calls by outcome"),
                gutter=max(len(tick.text) for tick in ticks),
                ticks=ticks,
                columns=tuple(columns),
                names=self.step_names(len(stacks)),
                keys=keys,
                summary=full_stop(joined(": ", (words.calls(found.figures.calls), summary))),
            ),
            table,
        )

    def texts(self, scale: scales.Scale) -> tuple[str, ...]:
        return scales.tick_texts(scale, Format(), self.write.locale)

    def step_name(self, start: dt.datetime, *, full: bool = False) -> str:
        """A step as the axis names it, or in full."""
        locale, step = self.write.locale, self.found.window.step
        if full:
            day = babel.dates.format_skeleton("MMMd", start, tzinfo=dt.UTC, locale=locale)
            if step == 24:
                return day
            time = babel.dates.format_skeleton("Hm", start, tzinfo=dt.UTC, locale=locale)
            return f"{day}, {time}"
        shape = "Hm" if step == 1 else "MMMd"
        return babel.dates.format_skeleton(shape, start, tzinfo=dt.UTC, locale=locale)

    def step_names(self, count: int) -> tuple[rostercharts.Tick, ...]:
        """Names under the columns, thinned out to what fits each width."""
        window = self.found.window
        every = {}
        base = 4 if window.step == 6 else 1
        for width, most in _NAMES.items():
            # A name is "14:00" or "Nov 14"; no more of them than there is room for.
            room = most if window.step == 1 else max(most * 2 // 3, 2)
            n = base
            while count / n > room:
                n += base
            every[width] = n
        names = []
        for at in range(count):
            widths = tuple(width for width, n in every.items() if at % n == 0)
            if widths:
                start = window.start + dt.timedelta(hours=at * window.step)
                x = round((at + 0.5) * 100 / count, 2)
                names.append(rostercharts.Tick(x, self.step_name(start), widths))
        return tuple(names)

    def durations(self) -> tuple[rostercharts.Durations, figures.Table]:
        found, write = self.found, self.write
        latency = found.figures.latency
        bins, steps = rostercharts.bins_of(found.buckets)
        most = max(each.count for each in bins)
        scale, ticks = rostercharts.value_ticks(most, rostercharts.MARKS_TOP, self.texts)
        edges = range(0, len(bins) + 1, steps)
        apart = {"tiny": 4, "small": 2, "medium": 2, "wide": 1, "widest": 1}
        names = tuple(
            rostercharts.Tick(
                round(at / len(bins) * 100, 2),
                self.edge(bins[0].low * 2 ** (at / steps)),
                tuple(width for width, n in apart.items() if at // steps % n == 0),
            )
            for at in edges
        )
        notes = [say("Bars past p95 in blue.")] if latency.p95 is not None else []
        if steps == 3:
            notes.append(say("The axis doubles, each step a third of a doubling."))
        else:
            notes.append(say("The axis doubles, each step a doubling."))
        notes.append(say("Slowest {duration}.", duration=write.took(latency.most)))
        quantiles = [("p50", latency.p50), ("p95", latency.p95), ("p99", latency.p99)]
        said = ", ".join(f"{name} {write.took(v)}" for name, v in quantiles if v is not None)
        table = figures.Table(
            say("Calls by how long they took"),
            (figures.Head(say("From"), False), figures.Head(say("Calls"), True)),
            tuple(
                figures.TableRow(
                    say("{low} to {high}", low=write.took(each.low), high=write.took(each.high)),
                    None,
                    (figures.Cell(write.count(each.count), True),),
                )
                for each in bins
            ),
            None,
        )
        return (
            rostercharts.Durations(
                title=say("Latency"),
                gutter=max(len(tick.text) for tick in ticks),
                ticks=ticks,
                bars=rostercharts.durations_bars(bins, scale, latency),
                names=names,
                marks=rostercharts.marks_of(latency, bins, write.took),
                note=joined(" ", notes),
                summary=say("Latency histogram; {quantiles}.", quantiles=said),
            ),
            table,
        )

    def edge(self, milliseconds: float) -> str:
        """A place on the doubling axis: 64, 512, 1 s, 2 s."""
        if milliseconds < 1:
            return Format(precision=2).write(milliseconds, self.write.locale)
        if milliseconds < 1000:
            return Format().write(round(milliseconds), self.write.locale)
        return f"{Format().write(round(milliseconds / 1024), self.write.locale)} s"


def _stack(bar: cabc.Mapping[str, int]) -> dict[str, int]:
    """A bar's counts by what the chart tells apart."""
    return {kind: sum(bar[outcome] for outcome in KINDS[kind]) for kind in rostercharts.STACK}


def _counted(count: int, kind: str) -> Words:
    return say("{count:,} {kind}", count=count, kind=_WORDS[kind])
