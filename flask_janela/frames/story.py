"""Who changed a frame and when, as people say it."""

from __future__ import annotations

import datetime as dt
import functools
import typing as t

import babel
import babel.dates

from .. import caller as callers
from ..errors import JanelaError
from ..query.time import Clock
from ..state import current_state
from ..words import say, say_of, written
from .models import Frame

_YOU = say_of("the reader, after “by”", "you")
_RECENT = dt.timedelta(days=7)


class Names:
    """The names behind callers' references, each person loaded once."""

    def __init__(self, own: str | None, you: str = _YOU) -> None:
        """``own`` is the reference of whoever reads the names: they are ``you``."""
        self._hooks = current_state().hooks
        self._known: dict[str, str] = {} if own is None else {own: you}

    def of(self, reference: str | None) -> str:
        """The name of a reference: the reference itself when that person is gone."""
        if not reference:
            return ""
        if reference not in self._known:
            try:
                self._known[reference] = callers.name_of(
                    callers.load_caller(reference, self._hooks)
                )
            except JanelaError:
                self._known[reference] = reference
        return self._known[reference]


def own_reference(caller: t.Any) -> str | None:
    """The reference of a caller; None for one that nothing can refer to."""
    try:
        return callers.caller_ref(caller)
    except JanelaError:
        return None


def ago(moment: dt.datetime, clock: Clock, locale: babel.Locale) -> str:
    """ "12 minutes ago" within a week, else the day, with its year when that is not this one."""
    return written(functools.partial(_ago, moment, clock), locale)


def _ago(moment: dt.datetime, clock: Clock, locale: babel.Locale) -> str:
    since = moment - clock.now
    if -_RECENT < since <= dt.timedelta(minutes=1):
        since = min(since, -dt.timedelta(seconds=1))
        return babel.dates.format_timedelta(since, add_direction=True, locale=locale)
    day = moment.astimezone(clock.zone)
    if day.year != clock.today.year:
        return babel.dates.format_date(day, "medium", locale=locale)
    return babel.dates.format_skeleton("MMMd", day, tzinfo=clock.zone, locale=locale)


def changed(frame: Frame, own: str | None, clock: Clock, locale: babel.Locale) -> str:
    """ "changed by Ana Reis 2 minutes ago", as somebody with the reference ``own`` reads it."""
    name, when = _who_and_when(frame, own, clock, locale)
    if not name:
        return say("changed {when}", when=when)
    return say("changed by {name} {when}", name=name, when=when)


def _who_and_when(
    frame: Frame, own: str | None, clock: Clock, locale: babel.Locale
) -> tuple[str, str]:
    when = ago(frame.updated_at.replace(tzinfo=dt.UTC), clock, locale)
    return Names(own).of(frame.updated_by), when


def deleted(frame: Frame, own: str | None, clock: Clock, locale: babel.Locale) -> str:
    """That a frame was deleted, by whom and when, as somebody with the reference ``own`` reads it.

    Deleting is the last change there was.
    """
    name, when = _who_and_when(frame, own, clock, locale)
    if not name:
        return say(
            "“{frame}” was deleted {when}. Nothing of yours was saved yet.",
            frame=frame.name,
            when=when,
        )
    return say(
        "“{frame}” was deleted by {name} {when}. Nothing of yours was saved yet.",
        frame=frame.name,
        name=name,
        when=when,
    )


def told(frame: Frame, by: str | None, version: int | None) -> str:
    """Why a change for another version of a frame was not made."""
    state = current_state()
    clock = Clock(zone=state.config.timezone, week_start=state.config.week_start, now=state.now())
    said = changed(frame, by, clock, state.config.locale)
    if version is None:
        return say(
            "“{frame}” was {changed}: it is at version {version} now. Nothing of yours was saved "
            "yet.",
            frame=frame.name,
            changed=said,
            version=frame.version,
        )
    return say(
        "“{frame}” was {changed}: it is at version {version} now, after version {started} that "
        "you started from. Nothing of yours was saved yet.",
        frame=frame.name,
        changed=said,
        version=frame.version,
        started=version,
    )
