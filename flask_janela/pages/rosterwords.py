"""How the roster writes: counts, rates, durations, moments in UTC, and how recording goes."""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import datetime as dt

import babel
import babel.dates
import babel.numbers
import flask

from ..frames import story
from ..query.reader import Reader
from ..roster.periods import WINDOWS, Window
from ..roster.report import Recording
from ..vocabulary.formats import UNKNOWN, Format
from ..words import say, say_many
from . import addresses, rosterviews, views

LONG = {"24h": say("24 hours"), "7d": say("7 days"), "30d": say("30 days")}

SHORT = {"24h": say("24h"), "7d": say("7d"), "30d": say("30d")}

BADGES = {
    "ok": rosterviews.Badge(say("ok"), "ok", "tick"),
    "failed": rosterviews.Badge(say("failed"), "failed", "cross"),
    "refused": rosterviews.Badge(say("refused"), "refused", "lock"),
    "unauthenticated": rosterviews.Badge(say("unauthenticated"), "refused", "lock"),
    "caller_gone": rosterviews.Badge(say("caller gone"), "refused", "lock"),
    "rate_limited": rosterviews.Badge(say("rate limited"), "refused", "lock"),
    "invalid": rosterviews.Badge(say("invalid"), "plain", "question"),
    "not_found": rosterviews.Badge(say("not found"), "plain", "search"),
    "conflict": rosterviews.Badge(say("conflict"), "plain", "copy"),
}

READ = rosterviews.Badge(say("read"), "read", "eye")
WRITE = rosterviews.Badge(say("write"), "write", "pencil")


@dataclasses.dataclass(frozen=True)
class Writer:
    """Writes for one reader, in their locale."""

    reader: Reader

    @property
    def locale(self) -> babel.Locale:
        return self.reader.locale

    def count(self, number: int | None) -> str:
        """ "1,230", or a dash for what was not recorded."""
        return UNKNOWN if number is None else Format().write(number, self.locale)

    def rate(self, part: float | None, precision: int = 1) -> str:
        """A part in per cent: what is there is never 0.0%."""
        if part is None:
            return UNKNOWN
        shape = Format(precision=precision, percent=True)
        written = shape.write(part, self.locale)
        if part and written == shape.write(0, self.locale):
            return f"<{shape.write(10.0 ** -(precision + 2), self.locale)}"
        return written

    def took(self, milliseconds: float | None) -> str:
        """A duration with its unit."""
        return " ".join(filter(None, self.took_parts(milliseconds)))

    def took_parts(self, milliseconds: float | None) -> tuple[str, str]:
        """A duration to about three digits, and its unit."""
        if milliseconds is None:
            return UNKNOWN, ""
        for limit, divisor, precision, unit in (
            (1, 1, 2, "ms"),
            (9.95, 1, 1, "ms"),
            (999.5, 1, 0, "ms"),
            (9_995, 1_000, 2, "s"),
            (119_950, 1_000, 1, "s"),
        ):
            if milliseconds < limit:
                return Format(precision=precision).write(milliseconds / divisor, self.locale), unit
        return Format(precision=1).write(milliseconds / 60_000, self.locale), "min"

    def ago(self, moment: dt.datetime) -> str:
        return story.ago(moment, self.reader.clock, self.locale)

    def moment(self, moment: dt.datetime, *, seconds: bool = False, day: bool = False) -> str:
        """A time in UTC: with its day unless that is today, with its year unless this one.

        ``day`` has the day said in any case.
        """
        now = self.reader.clock.now
        shape = "Hms" if seconds else "Hm"
        time = babel.dates.format_skeleton(shape, moment, tzinfo=dt.UTC, locale=self.locale)
        if not day and moment.date() == now.astimezone(dt.UTC).date():
            return time
        days = "MMMd" if moment.year == now.year else "yMMMd"
        date = babel.dates.format_skeleton(days, moment, tzinfo=dt.UTC, locale=self.locale)
        return f"{date}, {time}"

    def full(self, moment: dt.datetime) -> str:
        """A time in UTC with its day and year."""
        day = babel.dates.format_skeleton("yMMMd", moment, tzinfo=dt.UTC, locale=self.locale)
        time = babel.dates.format_skeleton("Hm", moment, tzinfo=dt.UTC, locale=self.locale)
        return f"{day}, {time}"

    def against(self, calls: int, before: int | None, window: Window) -> str:
        """ "+8% on the 7 days before"."""
        if not before:
            return say("in {period}", period=LONG[window.key])
        part = (calls - before) / before
        sign = "+" if part >= 0 else "−"
        change = f"{sign}{self.rate(abs(part), 0)}"
        return say(
            "{change} on the {period} before",
            change=change,
            period=LONG[window.key],
        )


def since(recording: Recording, window: Window, write: Writer) -> rosterviews.Since:
    """How recording goes, in words."""
    notes = []
    if recording.trouble:
        notes.append(views.Note(recording.trouble, warn=True))
    if recording.since is None:
        off = recording.mode == "off"
        said = say("Recording has not begun")
        if off:
            said = say("Recording is off ({setting})", setting="JANELA_RECORDER")
        return rosterviews.Since("off" if off else "ill", said, tuple(notes))
    began = write.full(recording.since)
    said = say("Recording since {moment} UTC", moment=began)
    if recording.mode == "off":
        said = say(
            "Recording is off ({setting}); it began {moment} UTC",
            setting="JANELA_RECORDER",
            moment=began,
        )
    now = write.reader.clock.now
    first, last = write.moment(window.start, day=True), write.moment(now, day=True)
    notes.append(views.Note(say("this window: {first} – {last} UTC", first=first, last=last)))
    if recording.since > window.start:
        notes.append(views.Note(say("it starts before recording began"), warn=True))
    if not recording.any:
        notes.append(views.Note(say("no call recorded yet")))
    if recording.dropped:
        dropped = say("{count} dropped, not in these figures", count=write.count(recording.dropped))
        if recording.dropped_at is not None:
            dropped = say(
                "{dropped}, last {when}", dropped=dropped, when=write.ago(recording.dropped_at)
            )
        notes.append(views.Note(dropped, warn=True))
    else:
        notes.append(views.Note(say("nothing dropped")))
    if recording.made:
        generated = say_many(
            "{count} of the calls are generated",
            "{count} of the calls are generated",
            recording.made,
            count=write.count(recording.made),
        )
        notes.append(views.Note(generated))
    light = "off" if recording.mode == "off" else "well" if recording.healthy else "ill"
    return rosterviews.Since(light, said, tuple(notes))


def windows(path: str, pairs: addresses.Pairs, current: str) -> tuple[views.Link, ...]:
    """The windows as links, the current one marked."""
    return tuple(
        views.Link(addresses.url(path, [*pairs, ("window", key)]), SHORT[key], key == current)
        for key in WINDOWS
    )


def agents(
    path: str, pairs: addresses.Pairs, names: cabc.Sequence[str], current: str
) -> rosterviews.Choice | None:
    """The agents as links; None when no call had one."""
    if not names:
        return None
    everyone = views.Link(addresses.url(path, pairs), say("All agents"), not current)
    each = (
        views.Link(addresses.url(path, [*pairs, ("agent", name)]), name, name == current)
        for name in names
    )
    return rosterviews.Choice(current or say("All agents"), (everyone, *each))


def one(name: str) -> str:
    """A parameter of the address that is given exactly once, else "".

    One with a character that no database keeps is as good as none.
    """
    given = flask.request.args.getlist(name)
    return given[0] if len(given) == 1 and "\0" not in given[0] else ""
