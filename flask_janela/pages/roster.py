"""The page of all tools: what agents asked for, on whose behalf, and how it went."""

from __future__ import annotations

import flask
from flask.typing import ResponseReturnValue

from ..query.reader import Reader
from ..roster.report import DEFAULT_SORT, FEW, Figures, Group, Line, Roster, sort_named
from ..roster.report import roster as figures_of_all
from ..state import current_state
from ..vocabulary.formats import UNKNOWN
from ..words import joined, say, say_many
from . import addresses, rostercharts, rosterviews, words
from .rendering import render
from .rosterwords import LONG, READ, WRITE, Writer, agents, one, since, windows

COLUMNS = (
    ("tool", say("Tool"), False),
    ("calls", say("Calls"), True),
    ("errors", say("Errors, rate"), True),
    ("refused", say("Refused"), True),
    ("invalid", say("Invalid"), True),
    ("average", say("Avg"), True),
    ("p95", say("p95"), True),
    ("last", say("Last called"), False),
)

ABOUT = {
    "frames": say("arranged by analysts, read by agents"),
    "retired": say("called in this window, no longer declared"),
    "unknown": say("nothing ran; mostly models guessing"),
}


def read(reader: Reader) -> Roster:
    """The roster that the address asks for; what it cannot mean is left out."""
    return figures_of_all(
        reader,
        current_state().declared_tools(),
        window=one("window"),
        agent=one("agent"),
        sort=sort_named(flask.request.args.getlist("sort")),
    )


def roster(reader: Reader) -> ResponseReturnValue:
    """The page. Its address has a window, an agent and a column to sort by."""
    found = read(reader)
    page = _Page(found, Writer(reader), sort_named(flask.request.args.getlist("sort")))
    return render("roster", page.view(), reader.caller)


class _Page:
    """One roster as its reader sees it."""

    def __init__(self, found: Roster, write: Writer, sort: str) -> None:
        self.found = found
        self.write = write
        self.sort = sort
        self.path = flask.url_for("janela.roster")
        self.window: addresses.Pairs = (("window", found.window.key),)
        self.agent: addresses.Pairs = (("agent", found.agent),) if found.agent else ()
        self.sorted: addresses.Pairs = (("sort", sort),) if sort != DEFAULT_SORT else ()

    def view(self) -> rosterviews.Roster:
        found = self.found
        key = found.window.key
        files = (*self.window, *self.agent, *self.sorted)
        return rosterviews.Roster(
            agents=agents(self.path, (*self.window, *self.sorted), found.agents, found.agent),
            windows=windows(self.path, (*self.agent, *self.sorted), key),
            csv=addresses.url(flask.url_for("janela.roster_csv"), files),
            json=addresses.url(flask.url_for("janela.roster_json"), files),
            tiles=self.tiles(),
            since=since(found.recording, found.window, self.write),
            trend=say("Each hour") if key == "24h" else say("Each day"),
            heads=tuple(self.head(*column) for column in COLUMNS),
            groups=tuple(self.group(group) for group in found.groups),
            caption=say(
                "Tools with calls, errors, refusals and latency over {period}", period=LONG[key]
            ),
        )

    def tiles(self) -> tuple[rosterviews.Tile, ...]:
        totals, write = self.found.totals, self.write
        retired = say("declared")
        if totals.retired:
            retired = say_many(
                "and {count} retired",
                "and {count} retired",
                totals.retired,
                count=write.count(totals.retired),
            )
        tools = rosterviews.Tile(say("Tools"), write.count(totals.tools), "", retired)
        if not self.found.recording.any:
            rest = (say("Calls"), say("Error rate"), say("Refused"), say("Never called"))
            none = say("nothing recorded yet")
            return (tools, *(rosterviews.Tile(word, UNKNOWN, "", none) for word in rest))
        figures = totals.figures
        failed = failed_of(figures, write)
        against = write.against(figures.calls, totals.before, self.found.window)
        return (
            tools,
            rosterviews.Tile(say("Calls"), write.count(figures.calls), "", against),
            rosterviews.Tile(say("Error rate"), write.rate(figures.error_rate, 2), "", failed),
            rosterviews.Tile(
                say("Refused"), write.count(figures.refused), "", say("not counted as errors")
            ),
            rosterviews.Tile(
                say("Never called"),
                write.count(totals.never_called),
                "",
                say("since recording began"),
            ),
        )

    def head(self, column: str, text: str, number: bool) -> rosterviews.Head:
        """A click sorts numbers from the largest, names from the first; another one turns it."""
        natural = column if column == "tool" else f"-{column}"
        turned = natural.removeprefix("-") if natural.startswith("-") else f"-{natural}"
        wanted = turned if self.sort == natural else natural
        pairs = (*self.window, *self.agent)
        sort = () if wanted == DEFAULT_SORT else (("sort", wanted),)
        current = self.sort.removeprefix("-") == column
        shown = "descending" if self.sort.startswith("-") else "ascending"
        href = addresses.url(self.path, (*pairs, *sort))
        return rosterviews.Head(text, href, shown if current else "", number)

    def group(self, group: Group) -> rosterviews.Group:
        about: str = ABOUT.get(group.key, "")
        if not about and group.model:
            about = say("single rows of {model}", model=words.within(group.model))
        rows = tuple(
            self.unknown(line) if group.key == "unknown" else self.row(line) for line in group.tools
        )
        return rosterviews.Group(group.key, group.title, about, rows)

    def row(self, line: Line) -> rosterviews.Row:
        figures, write = line.figures, self.write
        any_ = self.found.recording.any
        called = bool(figures.calls)
        badge = None if line.read_only is None else READ if line.read_only else WRITE
        about = line.description
        if line.status == "retired" and line.last_called is not None:
            about = say(
                "No longer declared; last called {moment} UTC",
                moment=write.moment(line.last_called),
            )
        error = figures.last_error
        bad = (figures.error_rate or 0) >= rostercharts.BAD_RATE
        return rosterviews.Row(
            name=line.name,
            href=addresses.url(
                flask.url_for("janela.tool", name=line.name), (*self.window, *self.agent)
            ),
            badge=badge,
            about=about,
            look={"never": "never", "retired": "retired"}.get(line.status, ""),
            calls=write.count(figures.calls if any_ else None),
            errors=write.count(figures.errors if called else None),
            rate=write.rate(figures.error_rate) if figures.errors else "",
            rate_bad=bad,
            refused=write.count(figures.refused if any_ else None),
            invalid=write.count(figures.outcomes["invalid"] if any_ else None),
            average=write.took(figures.latency.average),
            p95=write.took(figures.latency.p95),
            p95_why=_too_few(figures),
            last=self.last(line),
            last_at="" if line.last_called is None else line.last_called.isoformat(),
            spark=self.spark(figures),
            error=None
            if error is None
            else rosterviews.LastError(write.moment(error.at), error.at.isoformat(), error.said),
            no_error=say("none") if called else UNKNOWN,
            forged=_forged(figures, write),
        )

    def last(self, line: Line) -> str:
        if line.last_called is not None:
            return self.write.ago(line.last_called)
        return say("never") if self.found.recording.any else UNKNOWN

    def spark(self, figures: Figures) -> rostercharts.Spark | None:
        hourly = self.found.window.key == "24h"
        return rostercharts.spark(figures.trend, figures.failures, hourly=hourly)

    def unknown(self, line: Line) -> rosterviews.Row:
        """All names that nobody declared; of what did not run there is nothing to tell."""
        some = [f"{name} {self.write.count(calls)}" for name, calls in line.names[:3]]
        rest = len(line.names) - len(some)
        more = [say("and {n} more", n=rest)] if rest else []
        named = say_many(
            "{n:,} name nobody declared", "{n:,} names nobody declared", len(line.names)
        )
        if line.more:
            named = say_many(
                "more than {n:,} name nobody declared",
                "more than {n:,} names nobody declared",
                len(line.names),
            )
        return rosterviews.Row(
            name=named,
            href="",
            badge=None,
            about=joined(", ", [*some, *more]),
            look="unknown",
            calls=self.write.count(line.figures.calls),
            errors=UNKNOWN,
            rate="",
            rate_bad=False,
            refused=UNKNOWN,
            invalid=UNKNOWN,
            average=UNKNOWN,
            p95=UNKNOWN,
            p95_why="",
            last=self.last(line),
            last_at="" if line.last_called is None else line.last_called.isoformat(),
            spark=self.spark(line.figures),
            error=None,
            no_error=UNKNOWN,
        )


def _too_few(figures: Figures) -> str:
    ran = figures.latency.n
    if ran and figures.latency.p95 is None:
        return say_many(
            "{n:,} call that ran: p95 needs {least}",
            "{n:,} calls that ran: p95 needs {least}",
            ran,
            least=FEW,
        )
    return ""


def _forged(figures: Figures, write: Writer) -> str:
    if not figures.forged:
        return ""
    count = write.count(figures.forged)
    return say_many("{count} forged", "{count} forged", figures.forged, count=count)


def failed_of(figures: Figures, write: Writer) -> str:
    """ "3 failed of 120 that ran"."""
    return say_many(
        "{failed} failed of {ran} that ran",
        "{failed} failed of {ran} that ran",
        figures.errors,
        failed=write.count(figures.errors),
        ran=write.count(figures.ran),
    )
