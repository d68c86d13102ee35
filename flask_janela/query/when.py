"""Times as filters are given them: a day, a month, a year, a moment, or so long until now."""

from __future__ import annotations

import dataclasses
import datetime as dt
import re
import typing as t

from ..errors import BadRequest, quoted, unusable
from ..vocabulary import BoundDimension
from ..vocabulary.kinds import Kind
from ..words import say
from .time import EARLIEST, LATEST, UNITS, add_months

_LAST = re.compile(rf"([1-9][0-9]{{0,4}})([{''.join(UNITS)}])")
_YEAR = re.compile(r"[0-9]{4}")
_MONTH = re.compile(r"[0-9]{4}-[0-9]{2}")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_OUTSIDE = ("0000", "0001", "9998", "9999")
"""Years of which some days, or the days after them, are beyond what is computed with."""


_DATES = say("a date such as 2013-07-04, a month such as 2013-07, a year")
_TIMES = say(
    "a date such as 2013-07-04, a month such as 2013-07, a year, or a time such as 2013-07-04T12:30"
)


@dataclasses.dataclass(frozen=True, slots=True)
class When:
    """A given time: a day, month or year stands for the whole of it, a time for that moment.

    Attributes:
        start: its first date, or the moment.
        end: the first date after it, or None for a moment.
        text: how it is written.
    """

    start: dt.date
    end: dt.date | None
    text: str


@dataclasses.dataclass(frozen=True, slots=True)
class Last:
    """So many hours, days, weeks, months or years, ending with the current one."""

    count: int
    unit: str

    @property
    def text(self) -> str:
        return f"{self.count}{self.unit}"


def read_last(dimension: BoundDimension, value: t.Any, key: str) -> Last:
    """A stretch of so many units up to now; :class:`BadRequest` says how one is written."""
    found = _LAST.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        raise unusable(key, value, say("a number and h, d, w, m or y, such as 30d or 6m"))
    last = Last(int(found[1]), found[2])
    if last.unit == "h" and dimension.kind is Kind.DATE:
        raise BadRequest(
            say(
                "{name} is {given}: {dimension} is a date and has no hours",
                name=key,
                given=quoted(value),
                dimension=dimension.name,
            )
        )
    per = {"h": 1 / 24, "d": 1, "w": 7, "m": 30.5, "y": 366}[last.unit]
    if last.count * per > 366 * 1000:
        raise unusable(key, value, say("at most 1000 years"))
    return last


def read_when(dimension: BoundDimension, value: t.Any, key: str) -> When:
    """A day, month, year or moment; :class:`BadRequest` says how one is written, and the range."""
    try:
        when = _when(value)
    except (ValueError, OverflowError, TypeError):
        if isinstance(value, str) and value[:4] in _OUTSIDE:
            raise _outside(key, value) from None
        raise unusable(key, value, _DATES if dimension.kind is Kind.DATE else _TIMES) from None
    if not EARLIEST <= _day(when.start) <= LATEST:
        raise _outside(key, value)
    if when.end is None and dimension.kind is Kind.DATE:
        raise BadRequest(
            say(
                "{name} is {given}: {dimension} is a date, give a date",
                name=key,
                given=quoted(value),
                dimension=dimension.name,
            )
        )
    return when


def _outside(key: str, value: t.Any) -> BadRequest:
    return BadRequest(
        say(
            "{name} is {given}: use a date from {first} to {last}; for an open end leave the "
            "filter out",
            name=key,
            given=quoted(value),
            first=EARLIEST,
            last=LATEST,
        )
    )


def at(point: dt.date) -> When:
    """A day, or a moment, as the value of a filter."""
    if isinstance(point, dt.datetime):
        return When(point, None, point.isoformat())
    return When(point, point + dt.timedelta(days=1), point.isoformat())


def _day(value: dt.date) -> dt.date:
    return value.date() if isinstance(value, dt.datetime) else value


def _when(value: t.Any) -> When:
    if isinstance(value, dt.date):
        return at(value)
    if not isinstance(value, str) or not value.isascii():
        raise TypeError
    if _YEAR.fullmatch(value):
        start = dt.date(int(value), 1, 1)
        return When(start, add_months(start, 12), value)
    if _MONTH.fullmatch(value):
        start = dt.date.fromisoformat(f"{value}-01")
        return When(start, add_months(start, 1), value)
    if _DATE.fullmatch(value):
        start = dt.date.fromisoformat(value)
        return When(start, start + dt.timedelta(days=1), value)
    if not _DATE.match(value) or len(value) > 40:
        raise ValueError
    # A plus sign that a URL turned into a space still means the offset.
    moment = dt.datetime.fromisoformat(
        re.sub(r" (?=\d\d:\d\d$)", "+", value) if "T" in value else value
    )
    return When(moment, None, moment.isoformat())
