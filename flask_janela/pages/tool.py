"""The page of one tool: its calls over time, its latency, who called it, and single calls."""

from __future__ import annotations

import collections.abc as cabc
import datetime as dt
import typing as t

import babel.dates
import flask
from flask.typing import ResponseReturnValue

from ..frames import story
from ..query import Reader
from ..roster import Detail
from ..roster import detail as detail_of
from ..roster.detail import KINDS, NEWEST, NOBODY, Share
from ..roster.report import FEW, SOME
from ..state import current_state
from ..vocabulary.formats import UNKNOWN, Format, in_words
from . import addresses, figures, rostercharts, rosterviews, scales, views, words
from .rendering import render
from .rosterwords import BADGES, READ, WRITE, Writer, agents, one, since, windows

KIND_WORDS = {"": "All", "failed": "Failed", "refused": "Refused", "invalid": "Invalid"}
_NAMES = {"tiny": 3, "small": 6, "medium": 8, "wide": 12, "widest": 16}
"""How many names fit under a chart, by the width of its pane."""


def tool(reader: Reader, name: str) -> ResponseReturnValue:
    """The page. Its address has a window and an agent, and what single calls are filtered by."""
    found = detail_of(
        reader,
        current_state().declared_tools(),
        name,
        window=one("window"),
        agent=one("agent"),
        kind=one("outcome"),
        caller=one("caller"),
        cursor=one("before"),
    )
    return render("tool", _Page(found, Writer(reader)).view(), reader.caller)


class _Page:
    """One tool as its reader sees it."""

    def __init__(self, found: Detail, write: Writer) -> None:
        self.found = found
        self.write = write
        self.path = flask.url_for("janela.tool", name=found.name)
        self.names = story.Names(story.own_reference(write.reader.caller))
        singles = found.singles
        self.parts = {
            "window": found.window.key,
            "agent": found.agent,
            "outcome": singles.kind,
            "caller": singles.caller,
            "before": singles.cursor,
        }

    def url(self, anchor: str = "", **changed: str) -> str:
        """This page with some parts of its address changed, "" for left out."""
        parts = {**self.parts, "before": "", **changed}
        pairs = [(name, value) for name, value in parts.items() if value]
        return addresses.url(self.path, pairs) + (f"#{anchor}" if anchor else "")

    def view(self) -> rosterviews.Tool:
        found, write = self.found, self.write
        declared = found.tool
        kept = (("window", found.window.key),)
        agent = (("agent", found.agent),) if found.agent else ()
        singles = found.singles
        about = declared.description if declared else "No longer declared."
        looked = ""
        if found.figures.calls > found.looked_at:
            looked = f"Of the newest {write.count(NEWEST)} calls of this window."
        return rosterviews.Tool(
            name=found.name,
            group=in_words(declared.group) if declared else "Retired",
            badge=None if declared is None else READ if declared.read_only else WRITE,
            about=about,
            roster=addresses.url(flask.url_for("janela.roster"), (*kept, *agent)),
            agents=agents(self.path, kept, found.agents, found.agent),
            windows=windows(self.path, agent, found.window.key),
            tiles=self.tiles(),
            since=since(found.recording, found.window, write),
            panes=tuple(self.panes()),
            whos=self.whos(),
            looked=looked,
            kinds=tuple(
                views.Link(self.url("calls", outcome=kind), word, kind == singles.kind)
                for kind, word in KIND_WORDS.items()
            ),
            caller=views.Link(self.url("calls", caller=""), singles.caller)
            if singles.caller
            else None,
            singles=tuple(self.singles()),
            shown=self.shown(),
            newest=self.url("calls") if singles.cursor else "",
            older=self.url("calls", before=singles.older) if singles.older else "",
        )

    def tiles(self) -> tuple[rosterviews.Tile, ...]:
        known, write = self.found.figures, self.write
        latency = known.latency
        hours = self.found.window.key == "24h"
        if not self.found.recording.any:
            names = ("Calls", "Error rate", "Refused", "Invalid", "p50", "p95", "p99")
            none = "nothing recorded yet"
            return tuple(rosterviews.Tile(name, UNKNOWN, "", none) for name in names)
        steps = 24 if hours else {"7d": 7, "30d": 30}[self.found.window.key]
        each = known.calls / steps
        often = Format(precision=0 if each >= 10 or not each else 1).write(each, write.locale)
        ran = write.count(known.ran)
        average = "no call that ran" if not latency.n else f"average {write.took(latency.average)}"
        few = f"{words.counted(latency.n, 'call')} that ran"
        return (
            rosterviews.Tile(
                "Calls", write.count(known.calls), "", f"{often} {'an hour' if hours else 'a day'}"
            ),
            rosterviews.Tile(
                "Error rate",
                write.rate(known.error_rate, 2),
                "",
                f"{write.count(known.errors)} failed of {ran} that ran",
            ),
            rosterviews.Tile("Refused", write.count(known.refused), "", "not counted as errors"),
            rosterviews.Tile("Invalid", write.count(known.outcomes["invalid"]), "", self.forged()),
            rosterviews.Tile("p50", *write.took_parts(latency.p50), average),
            rosterviews.Tile(
                "p95",
                *write.took_parts(latency.p95),
                "one in twenty takes longer" if latency.p95 else f"{few}: needs {FEW}",
            ),
            rosterviews.Tile(
                "p99",
                *write.took_parts(latency.p99),
                f"slowest {write.took(latency.most)}" if latency.p99 else f"{few}: needs {SOME}",
            ),
        )

    def forged(self) -> str:
        forged = self.found.figures.forged
        return f"{self.write.count(forged)} forged a caller" if forged else "asked wrongly"

    # the charts

    def panes(self) -> cabc.Iterator[views.Pane]:
        if not self.found.figures.calls:
            return
        title = {"24h": "Calls by hour", "7d": "Calls by six hours", "30d": "Calls by day"}
        yield self.pane("over-time", f"{title[self.found.window.key]} and outcome", self.outcomes())
        if self.found.buckets:
            ran = words.counted(self.found.figures.latency.n, "call")
            yield self.pane("latency", f"Latency of {ran} that ran", self.durations())

    def pane(self, id_: str, title: str, drawn: tuple[t.Any, figures.Table]) -> views.Pane:
        figure, table = drawn
        return views.Pane(f"janela-{id_}", title, figure, table=table, whole=True)

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
            said = self.step_name(start, full=True)
            said += f": {words.counted(sum(stack.values()), 'call')}"
            parts = [f"{stack[o]:,} {_word(o)}" for o in rostercharts.STACK if stack[o]]
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
                    "; ".join(filter(None, [said, ", ".join(parts)])),
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
            rostercharts.Key(o, _word(o), write.count(total[o]), self.url("calls", outcome=o))
            for o in reversed(rostercharts.STACK)
            if total[o]
        )
        heads = ["UTC", *(_word(o) for o in reversed(rostercharts.STACK))]
        table = figures.Table(
            "Calls by outcome",
            tuple(figures.Head(head, at > 0) for at, head in enumerate(heads)),
            tuple(rows),
            None,
        )
        summary = ", ".join(f"{write.count(total[k.look])} {k.word}" for k in keys)
        return (
            rostercharts.Outcomes(
                title="Calls by outcome",
                gutter=max(len(tick.text) for tick in ticks),
                ticks=ticks,
                columns=tuple(columns),
                names=self.step_names(len(stacks)),
                keys=keys,
                summary=f"{words.counted(found.figures.calls, 'call')}: {summary}.",
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
        lit = "Bars past p95 in blue. " if latency.p95 is not None else ""
        step = "each step a third of a doubling" if steps == 3 else "each step a doubling"
        note = f"{lit}The axis doubles, {step}. Slowest {write.took(latency.most)}."
        quantiles = [("p50", latency.p50), ("p95", latency.p95), ("p99", latency.p99)]
        said = ", ".join(f"{name} {write.took(v)}" for name, v in quantiles if v is not None)
        table = figures.Table(
            "Calls by how long they took",
            (figures.Head("From", False), figures.Head("Calls", True)),
            tuple(
                figures.TableRow(
                    f"{write.took(each.low)} to {write.took(each.high)}",
                    None,
                    (figures.Cell(write.count(each.count), True),),
                )
                for each in bins
            ),
            None,
        )
        return (
            rostercharts.Durations(
                title="Latency",
                gutter=max(len(tick.text) for tick in ticks),
                ticks=ticks,
                bars=rostercharts.durations_bars(bins, scale, latency),
                names=names,
                marks=rostercharts.marks_of(latency, bins, write.took),
                note=note,
                summary=f"Latency histogram; {said}.",
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

    # who, and single calls

    def whos(self) -> tuple[rosterviews.Whos, ...]:
        found = self.found
        return (
            self.who("callers", "Callers", ("Caller", "Errors"), found.callers),
            self.who("agents", "Agents", ("Agent", "Errors"), found.agents_seen, "none named"),
            self.who("clients", "Clients", ("Client", "Errors"), found.clients, "none named"),
            self.who("errors", "Newest errors", ("Class", "Last"), found.errors, "no class"),
        )

    def who(
        self,
        id_: str,
        title: str,
        heads: tuple[str, str],
        shares: cabc.Sequence[Share],
        unnamed: str = "",
    ) -> rosterviews.Whos:
        most = max((share.calls for share in shares), default=1)
        rows = []
        for share in shares:
            href = ""
            if id_ == "callers":
                href = self.url("calls", caller=share.name)
            elif id_ == "agents" and share.name:
                href = self.url(agent=share.name, caller="", outcome="")
            last = "" if share.last is None else self.write.moment(share.last)
            rows.append(
                rosterviews.Who(
                    name=share.name or unnamed,
                    known_as=self.known_as(share.name) if id_ == "callers" else "",
                    href=href,
                    calls=self.write.count(share.calls),
                    width=round(share.calls / most * 100, 2),
                    errors=last if id_ == "errors" else self.write.count(share.errors),
                )
            )
        none = "No call failed." if id_ == "errors" else "No calls in this window."
        return rosterviews.Whos(f"janela-{id_}", title, heads, tuple(rows), none)

    def known_as(self, reference: str) -> str:
        """The name behind a reference, where there is another one than that."""
        if not reference.startswith("user:"):
            return ""
        name = self.names.of(reference)
        return "" if name == reference else name

    def singles(self) -> cabc.Iterator[rosterviews.Single]:
        for call in self.found.singles.calls:
            caller = call.caller or NOBODY
            yield rosterviews.Single(
                when=self.write.moment(call.started, seconds=True),
                at=call.started.isoformat(),
                badge=BADGES[call.outcome],
                forged=call.forged,
                caller=caller,
                known_as=self.known_as(caller),
                agent=call.agent or UNKNOWN,
                client=call.client or ("generated" if call.transport == "generated" else UNKNOWN),
                took=self.write.took(call.duration),
                said=call.said,
                correlation=call.correlation,
            )

    def shown(self) -> str:
        count = len(self.found.singles.calls)
        if not count:
            return "No such calls in this window, or they are no longer kept one by one."
        filtered = self.found.singles.kind or self.found.singles.caller
        if filtered or self.found.singles.cursor:
            return words.counted(count, "call")
        return f"{count} of {self.write.count(self.found.figures.calls)}"


def _stack(bar: cabc.Mapping[str, int]) -> dict[str, int]:
    """A bar's counts by what the chart tells apart."""
    return {kind: sum(bar[outcome] for outcome in KINDS[kind]) for kind in rostercharts.STACK}


def _word(kind: str) -> str:
    return kind.replace("_", " ")
