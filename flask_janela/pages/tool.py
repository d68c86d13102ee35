"""The page of one tool: its calls over time, its latency, who called it, and single calls."""

from __future__ import annotations

import collections.abc as cabc

import flask
from flask.typing import ResponseReturnValue

from ..frames import story
from ..query.reader import Reader
from ..roster.detail import NEWEST, NOBODY, Detail, Share
from ..roster.detail import detail as detail_of
from ..roster.report import FEW, RETIRED, SOME, title_of
from ..state import current_state
from ..vocabulary.formats import UNKNOWN, Format
from ..words import say, say_many, say_of
from . import addresses, rosterviews, toolcharts, views, words
from .rendering import render
from .roster import failed_of
from .rosterwords import BADGES, READ, WRITE, Writer, agents, one, since, windows

KIND_WORDS = {
    "": say_of("calls", "All"),
    "failed": say("Failed"),
    "refused": say("Refused"),
    "invalid": say("Invalid"),
}


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
        own = story.own_reference(write.reader.caller)
        self.names = story.Names(own, say_of("the reader, named beside a reference", "you"))
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
        about = declared.description if declared else say("No longer declared.")
        looked: str = ""
        if found.figures.calls > found.looked_at:
            looked = say("Of the newest {count} calls of this window.", count=write.count(NEWEST))
        return rosterviews.Tool(
            name=found.name,
            group=title_of(declared.group) if declared else RETIRED,
            badge=None if declared is None else READ if declared.read_only else WRITE,
            about=about,
            roster=addresses.url(flask.url_for("janela.roster"), (*kept, *agent)),
            agents=agents(self.path, kept, found.agents, found.agent),
            windows=windows(self.path, agent, found.window.key),
            tiles=self.tiles(),
            since=since(found.recording, found.window, write),
            panes=toolcharts.panes(found, write, self.url),
            whos=self.whos(),
            looked=looked,
            kinds=tuple(
                views.Link(self.url("calls", outcome=kind), word, kind == singles.kind)
                for kind, word in KIND_WORDS.items()
            ),
            caller=views.Link(self.url("calls", caller=""), _called(singles.caller))
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
            counts = (say("Calls"), say("Error rate"), say("Refused"), say("Invalid"))
            names = (*counts, "p50", "p95", "p99")
            none = say("nothing recorded yet")
            return tuple(rosterviews.Tile(name, UNKNOWN, "", none) for name in names)
        steps = 24 if hours else {"7d": 7, "30d": 30}[self.found.window.key]
        each = known.calls / steps
        often = Format(precision=0 if each >= 10 or not each else 1).write(each, write.locale)
        calls = say("{count} a day", count=often)
        if hours:
            calls = say("{count} an hour", count=often)
        average = say("no call that ran")
        if latency.n:
            average = say("average {duration}", duration=write.took(latency.average))
        slowest = say("slowest {duration}", duration=write.took(latency.most))
        return (
            rosterviews.Tile(say("Calls"), write.count(known.calls), "", calls),
            rosterviews.Tile(
                say("Error rate"), write.rate(known.error_rate, 2), "", failed_of(known, write)
            ),
            rosterviews.Tile(
                say("Refused"), write.count(known.refused), "", say("not counted as errors")
            ),
            rosterviews.Tile(
                say("Invalid"), write.count(known.outcomes["invalid"]), "", self.forged()
            ),
            rosterviews.Tile("p50", *write.took_parts(latency.p50), average),
            rosterviews.Tile(
                "p95",
                *write.took_parts(latency.p95),
                say("one in twenty takes longer") if latency.p95 else _too_few(latency.n, FEW),
            ),
            rosterviews.Tile(
                "p99",
                *write.took_parts(latency.p99),
                slowest if latency.p99 else _too_few(latency.n, SOME),
            ),
        )

    def forged(self) -> str:
        forged = self.found.figures.forged
        if not forged:
            return say("asked wrongly")
        count = self.write.count(forged)
        return say_many("{count} forged a caller", "{count} forged a caller", forged, count=count)

    # who, and single calls

    def whos(self) -> tuple[rosterviews.Whos, ...]:
        found = self.found
        errors, unnamed = say("Errors"), say("none named")
        return (
            self.who("callers", say("Callers"), (say("Caller"), errors), found.callers),
            self.who("agents", say("Agents"), (say("Agent"), errors), found.agents_seen, unnamed),
            self.who("clients", say("Clients"), (say("Client"), errors), found.clients, unnamed),
            self.who(
                "errors",
                say("Newest errors"),
                (say("Class"), say("Last")),
                found.errors,
                say("no class"),
            ),
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
                    name=_called(share.name) or unnamed,
                    known_as=self.known_as(share.name) if id_ == "callers" else "",
                    href=href,
                    calls=self.write.count(share.calls),
                    width=round(share.calls / most * 100, 2),
                    errors=last if id_ == "errors" else self.write.count(share.errors),
                )
            )
        none = say("No call failed.") if id_ == "errors" else say("No calls in this window.")
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
                caller=_called(caller),
                known_as=self.known_as(caller),
                agent=call.agent or UNKNOWN,
                client=call.client
                or (say("generated") if call.transport == "generated" else UNKNOWN),
                took=self.write.took(call.duration),
                said=call.said,
                correlation=call.correlation,
            )

    def shown(self) -> str:
        count = len(self.found.singles.calls)
        if not count:
            return say("No such calls in this window, or they are no longer kept one by one.")
        filtered = self.found.singles.kind or self.found.singles.caller
        if filtered or self.found.singles.cursor:
            return words.calls(count)
        every = self.write.count(self.found.figures.calls)
        return say("{shown} of {count}", shown=count, count=every)


def _called(caller: str) -> str:
    return say("nobody") if caller == NOBODY else caller


def _too_few(ran: int, least: int) -> str:
    return say_many(
        "{n:,} call that ran: needs {least}",
        "{n:,} calls that ran: needs {least}",
        ran,
        least=least,
    )
