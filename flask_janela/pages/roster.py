"""The page of all tools: what agents asked for, on whose behalf, and how it went."""

from __future__ import annotations

import flask
from flask.typing import ResponseReturnValue

from ..query.reader import Reader
from ..roster.report import DEFAULT_SORT, FEW, Figures, Group, Line, Roster, sort_named
from ..roster.report import roster as figures_of_all
from ..state import current_state
from ..vocabulary.formats import UNKNOWN
from . import addresses, rostercharts, rosterviews, words
from .rendering import render
from .rosterwords import LONG, READ, WRITE, Writer, agents, one, since, windows

COLUMNS = (
    ("tool", "Tool", False),
    ("calls", "Calls", True),
    ("errors", "Errors, rate", True),
    ("refused", "Refused", True),
    ("invalid", "Invalid", True),
    ("average", "Avg", True),
    ("p95", "p95", True),
    ("last", "Last called", False),
)

ABOUT = {
    "frames": "arranged by analysts, read by agents",
    "retired": "called in this window, no longer declared",
    "unknown": "nothing ran; mostly models guessing",
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
            trend="Each hour" if key == "24h" else "Each day",
            heads=tuple(self.head(*column) for column in COLUMNS),
            groups=tuple(self.group(group) for group in found.groups),
            caption=f"Tools with calls, errors, refusals and latency over {LONG[key]}",
        )

    def tiles(self) -> tuple[rosterviews.Tile, ...]:
        totals, write = self.found.totals, self.write
        retired = f"and {write.count(totals.retired)} retired" if totals.retired else "declared"
        tools = rosterviews.Tile("Tools", write.count(totals.tools), "", retired)
        if not self.found.recording.any:
            rest = ("Calls", "Error rate", "Refused", "Never called")
            none = "nothing recorded yet"
            return (tools, *(rosterviews.Tile(word, UNKNOWN, "", none) for word in rest))
        figures = totals.figures
        failed = f"{write.count(figures.errors)} failed of {write.count(figures.ran)} that ran"
        against = write.against(figures.calls, totals.before, self.found.window)
        return (
            tools,
            rosterviews.Tile("Calls", write.count(figures.calls), "", against),
            rosterviews.Tile("Error rate", write.rate(figures.error_rate, 2), "", failed),
            rosterviews.Tile("Refused", write.count(figures.refused), "", "not counted as errors"),
            rosterviews.Tile(
                "Never called", write.count(totals.never_called), "", "since recording began"
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
        about = ABOUT.get(group.key, "")
        if not about and group.title.endswith(" records"):
            about = f"single rows of {words.within(group.title.removesuffix(' records'))}"
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
            about = f"No longer declared; last called {write.moment(line.last_called)} UTC"
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
            no_error="none" if called else UNKNOWN,
            forged=f"{write.count(figures.forged)} forged" if figures.forged else "",
        )

    def last(self, line: Line) -> str:
        if line.last_called is not None:
            return self.write.ago(line.last_called)
        return "never" if self.found.recording.any else UNKNOWN

    def spark(self, figures: Figures) -> rostercharts.Spark | None:
        each = "an hour" if self.found.window.key == "24h" else "a day"
        return rostercharts.spark(figures.trend, figures.failures, each)

    def unknown(self, line: Line) -> rosterviews.Row:
        """All names that nobody declared; of what did not run there is nothing to tell."""
        some = [f"{name} {self.write.count(calls)}" for name, calls in line.names[:3]]
        rest = len(line.names) - len(some)
        more = [f"and {rest} more"] if rest else []
        many = "more than " if line.more else ""
        names = words.counted(len(line.names), "name")
        return rosterviews.Row(
            name=f"{many}{names} nobody declared",
            href="",
            badge=None,
            about=", ".join([*some, *more]),
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
        return f"{words.counted(ran, 'call')} that ran: p95 needs {FEW}"
    return ""
