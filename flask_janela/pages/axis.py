"""The words under a chart: which buckets or members are named, at which width of the pane.

The server does not know how wide a pane will be, so each name says at which of five widths it is
shown, and the stylesheet asks the pane. Under a bucket's name stands what it belongs to, a year
under its first month, where that changes.
"""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import datetime as dt
import itertools
import math

import babel
import babel.dates

from ..query.result import Row
from ..vocabulary.dimensions import Granularity

WIDTHS = {"tiny": 110, "small": 240, "medium": 365, "wide": 490, "widest": 780}
"""The least room for the plot, in px, where the stylesheet shows names of that width."""

_LETTER = 6.2
_THIN = 3.2
_SPACE = 12
_LONGEST = 14


@dataclasses.dataclass(frozen=True, slots=True)
class Name:
    """One name under the chart.

    Attributes:
        index: which row it names.
        text: what it says, cut where it is long.
        below: what stands under it, perhaps nothing.
        widths: at which of :data:`WIDTHS` it is shown.
    """

    index: int
    text: str
    below: str
    widths: tuple[str, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class _Rung:
    """A way to thin out: which buckets it names, and as what."""

    names: cabc.Callable[[dt.date], bool]
    style: Granularity


def _years(count: int) -> _Rung:
    return _Rung(lambda d: d.month == 1 and d.year % count == 0, "year")


_YEARS = tuple(_years(count) for count in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000))
_MONTHS = (
    _Rung(lambda d: True, "month"),
    _Rung(lambda d: d.month % 2 == 1, "month"),
    _Rung(lambda d: d.month in {1, 4, 7, 10}, "month"),
    _Rung(lambda d: d.month in {1, 7}, "month"),
    *_YEARS,
)


def _starting(rung: _Rung, days: int) -> _Rung:
    """A rung of months over finer buckets: only those in the first days of the month."""
    return _Rung(lambda d: d.day <= days and rung.names(d), rung.style)


_DAYS = (
    _Rung(lambda d: True, "day"),
    _Rung(lambda d: d.day % 2 == 1 and d.day < 31, "day"),
    _Rung(lambda d: d.day in {1, 8, 15, 22}, "day"),
    *(_starting(rung, 1) for rung in _MONTHS),
)


def _hours(count: int) -> _Rung:
    return _Rung(lambda d: _at(d, count), "hour")


def _at_midnight(rung: _Rung) -> _Rung:
    return _Rung(lambda d: _at(d, 24) and rung.names(d), rung.style)


def _at(key: dt.date, hours: int) -> bool:
    return isinstance(key, dt.datetime) and key.hour % hours == 0 and key.minute == 0


LADDERS: dict[Granularity, tuple[_Rung, ...]] = {
    "hour": (
        _Rung(lambda d: True, "hour"),
        *(_hours(count) for count in (2, 3, 6, 12)),
        *(_at_midnight(rung) for rung in _DAYS),
    ),
    "day": _DAYS,
    "week": (
        _Rung(lambda d: True, "week"),
        _Rung(lambda d: d.toordinal() // 7 % 2 == 0, "week"),
        *(_starting(rung, 7) for rung in _MONTHS),
    ),
    "month": _MONTHS,
    "quarter": (
        _Rung(lambda d: True, "quarter"),
        _Rung(lambda d: d.month in {1, 7}, "quarter"),
        *_YEARS,
    ),
    "year": (_Rung(lambda d: True, "year"), *_YEARS[1:]),
}
"""For each granularity the ways to thin its buckets out, finest first."""


def time_names(
    rows: cabc.Sequence[Row], granularity: Granularity, locale: babel.Locale
) -> tuple[Name, ...]:
    """Names under buckets: the finest calendar steps that fit each width."""
    keys: list[dt.date] = [row.key for row in rows]
    chosen = {
        width: _fitting(keys, LADDERS[granularity], granularity, room, locale)
        for width, room in WIDTHS.items()
    }
    return _merged(chosen)


def member_names(rows: cabc.Sequence[Row]) -> tuple[Name, ...]:
    """Names under members: each n-th, cut where long."""
    texts = [cut(row.label) for row in rows]
    longest = max((text_width(text) for text in texts), default=0)
    chosen = {}
    for width, room in WIDTHS.items():
        every = max(math.ceil(len(texts) * (longest + _SPACE) / room), 1)
        chosen[width] = [(i, texts[i], "") for i in range(0, len(texts), every)]
    return _merged(chosen)


def text_width(text: str) -> float:
    """About how many px a text takes at the size of an axis."""
    return sum(_THIN if letter in " .,:'il" else _LETTER for letter in text)


def cut(text: str) -> str:
    """A text short enough to stand under a mark."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1].rstrip()}…"


_Placed = list[tuple[int, str, str]]


def _merged(chosen: dict[str, _Placed]) -> tuple[Name, ...]:
    widths: dict[tuple[int, str, str], list[str]] = {}
    for width, placed in chosen.items():
        for each in placed:
            widths.setdefault(each, []).append(width)
    return tuple(Name(*each, tuple(shown)) for each, shown in sorted(widths.items()))


def _fitting(
    keys: cabc.Sequence[dt.date],
    ladder: tuple[_Rung, ...],
    granularity: Granularity,
    room: int,
    locale: babel.Locale,
) -> _Placed:
    for rung in ladder:
        at = [i for i, key in enumerate(keys) if rung.names(key)]
        if len(at) < min(2, len(keys)):
            break
        if len(at) * _LETTER > room:
            continue
        placed = _placed(keys, at, rung.style, room, locale)
        if _fits(placed, len(keys), room):
            return placed
    return _every_nth(keys, granularity, room, locale)


def _every_nth(
    keys: cabc.Sequence[dt.date], granularity: Granularity, room: int, locale: babel.Locale
) -> _Placed:
    """Where the calendar offers nothing that fits: evenly spaced, from the first."""
    every = 1
    while True:
        placed = _placed(keys, list(range(0, len(keys), every)), granularity, room, locale)
        if len(placed) < 2 or _fits(placed, len(keys), room):
            return placed
        every = every + 1 if every < 8 else every * 2


def _fits(placed: _Placed, buckets: int, room: int) -> bool:
    """Whether no name touches the next, were each as wide as its letters."""
    for (i, text, _), (j, following, _) in itertools.pairwise(placed):
        apart = (j - i) * room / buckets
        if apart < (text_width(text) + text_width(following)) / 2 + _SPACE:
            return False
    return True


def _placed(
    keys: cabc.Sequence[dt.date],
    at: list[int],
    style: Granularity,
    room: int,
    locale: babel.Locale,
) -> _Placed:
    """The names at some buckets; below the first, and where it changes, what they belong to."""
    placed: _Placed = []
    before: dt.date | None = None
    for i in at:
        key = keys[i]
        below = _below(key, before, style, locale)
        if below and placed and before is not None:
            j, text, last = placed[-1]
            apart = (i - j) * room / len(keys)
            if last and apart < (text_width(last) + text_width(below)) / 2 + _SPACE:
                placed[-1] = (j, text, "")
                below = _below(key, None, style, locale)
        placed.append((i, _text(key, style, locale), below))
        before = key
    return placed


def _text(key: dt.date, style: Granularity, locale: babel.Locale) -> str:
    if style == "hour":
        twelve = "a" in str(locale.time_formats["short"].pattern)
        moment = key if isinstance(key, dt.datetime) else dt.datetime.combine(key, dt.time())
        return babel.dates.format_skeleton(
            "h" if twelve else "Hm", moment.replace(tzinfo=None), locale=locale
        )
    if style == "quarter":
        return babel.dates.format_date(key, "QQQ", locale=locale)
    return _skeleton({"day": "d", "week": "MMMd", "month": "MMM", "year": "y"}[style], key, locale)


def _below(key: dt.date, before: dt.date | None, style: Granularity, locale: babel.Locale) -> str:
    if style == "year":
        return ""
    if before is None or before.year != key.year:
        return _skeleton({"hour": "yMMMd", "day": "yMMM"}.get(style, "y"), key, locale)
    if style == "hour" and (before.month, before.day) != (key.month, key.day):
        return _skeleton("MMMd", key, locale)
    if style == "day" and before.month != key.month:
        return _skeleton("MMM", key, locale)
    return ""


def _skeleton(skeleton: str, key: dt.date, locale: babel.Locale) -> str:
    day = dt.datetime(key.year, key.month, key.day)
    return babel.dates.format_skeleton(skeleton, day, locale=locale)
