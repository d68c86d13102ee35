"""The roster's drawings as geometry: across in per cent, down in px, as on frames."""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import decimal
import math
import typing as t

from ..roster.histogram import middle_of
from ..roster.report import Latency
from ..words import joined, say
from . import scales

HEIGHT, TOP, FLOOR = 216, 8, 192
_MARKS_TOP = 52

STACK = ("ok", "not_found", "conflict", "invalid", "refused", "failed")
"""Outcomes from the bottom of a column to its top; refused holds all that was not let through."""

BAD_RATE = 0.02
"""From this rate of errors on they are red."""

_LEAST_PX = 2.0


@dataclasses.dataclass(frozen=True, slots=True)
class Bar:
    """A rectangle; ``look`` picks its class."""

    x: float
    width: float
    y: float
    height: float
    look: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Spark:
    """Calls in each step of the window, and on top, in red, where many of them failed.

    Each is one path of all its bars: hundreds of tools make a page, and each has a month of them.
    """

    width: t.ClassVar[int] = 84
    height: t.ClassVar[int] = 20

    words: str
    calls: str
    empty: str
    failures: str


@dataclasses.dataclass(frozen=True, slots=True)
class Tick:
    """A gridline and its number, or a place on the axis below and its name."""

    at: float
    text: str
    widths: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class Column:
    """One step of the window: a link to its calls, named in words."""

    hit: Bar
    parts: tuple[Bar, ...]
    href: str
    words: str


@dataclasses.dataclass(frozen=True, slots=True)
class Key:
    """What a colour stands for, and how many there are of it."""

    look: str
    word: str
    count: str
    href: str


@dataclasses.dataclass(frozen=True, slots=True)
class Outcomes:
    """Calls over time, stacked by outcome."""

    partial: t.ClassVar[str] = "outcomes"

    title: str
    gutter: int
    ticks: tuple[Tick, ...]
    columns: tuple[Column, ...]
    names: tuple[Tick, ...]
    keys: tuple[Key, ...]
    summary: str
    height: int = HEIGHT
    top: int = TOP
    floor: int = FLOOR


@dataclasses.dataclass(frozen=True, slots=True)
class Mark:
    """A quantile on the histogram, its name and value on a line of their own."""

    x: float
    y: float
    name: str
    value: str
    end: bool


@dataclasses.dataclass(frozen=True, slots=True)
class Durations:
    """How long calls took, on an axis that doubles."""

    partial: t.ClassVar[str] = "durations"

    title: str
    gutter: int
    ticks: tuple[Tick, ...]
    bars: tuple[Bar, ...]
    names: tuple[Tick, ...]
    marks: tuple[Mark, ...]
    note: str
    summary: str
    height: int = HEIGHT
    floor: int = FLOOR


def spark(calls: cabc.Sequence[int], failures: cabc.Sequence[int], *, hourly: bool) -> Spark | None:
    """The course of a tool's calls, each hour or each day; None when there are none."""
    most = max(calls, default=0)
    if not most:
        return None
    room, tall = Spark.width / len(calls), Spark.height - 2
    full: list[str] = []
    empty: list[str] = []
    failed: list[str] = []
    for at, (count, failing) in enumerate(zip(calls, failures, strict=True)):
        x, width = at * room, room * 0.72
        height = max(count / most * tall, 1.0)
        top = Spark.height - height
        (full if count else empty).append(_bar(x, width, top, height))
        if failing and failing >= count * BAD_RATE:
            lit = min(max(failing / most * tall, _LEAST_PX), height)
            failed.append(_bar(x, width, top, lit))
    counts = ", ".join(map(str, calls))
    said = [say("calls a day: {counts}", counts=counts)]
    if hourly:
        said = [say("calls an hour: {counts}", counts=counts)]
    if any(failures):
        said.append(say("failed: {counts}", counts=", ".join(map(str, failures))))
    return Spark(joined("; ", said), "".join(full), "".join(empty), "".join(failed))


def _bar(x: float, width: float, y: float, height: float) -> str:
    return f"M{x:.1f} {y:.1f}h{width:.1f}v{height:.1f}h-{width:.1f}z"


def value_ticks(
    most: int, top: int, texts: cabc.Callable[[scales.Scale], tuple[str, ...]]
) -> tuple[scales.Scale, tuple[Tick, ...]]:
    """The axis of counts, and its gridlines from the bottom."""
    low, high = scales.domain([decimal.Decimal(most)], from_zero=True)
    scale = scales.nice(low, high, whole=True, most=4)
    ticks = tuple(
        Tick(round(FLOOR - scale.fraction(value) * (FLOOR - top), 2), text)
        for value, text in zip(scale.ticks, texts(scale), strict=True)
    )
    return scale, ticks


def stacked(
    counts: cabc.Mapping[str, int], scale: scales.Scale, x: float, width: float
) -> list[Bar]:
    """One column: each outcome that there is in its place, at least 2 px high, 1 px apart."""
    bars: list[Bar] = []
    floor = float(FLOOR)
    for look in STACK:
        if not (count := counts.get(look, 0)):
            continue
        height = max(scale.fraction(decimal.Decimal(count)) * (FLOOR - TOP) - 1, _LEAST_PX)
        floor -= height + (1 if bars else 0)
        bars.append(Bar(x, width, round(floor, 2), round(height, 2), look))
    return bars


@dataclasses.dataclass(frozen=True, slots=True)
class Bin:
    """Calls that took from ``low`` to ``high`` milliseconds."""

    low: float
    high: float
    count: int


_MOST_BINS = 36
_LEAST_BINS = 9


def bins_of(buckets: cabc.Mapping[int, int]) -> tuple[list[Bin], int]:
    """Durations in steps of a third of a doubling, or of whole ones where they spread far.

    Returns:
        The bins without a gap, and how many of them make a doubling.
    """
    for steps in (3, 1):
        found: dict[int, int] = {}
        for bucket, count in buckets.items():
            at = math.floor(math.log2(middle_of(bucket)) * steps)
            found[at] = found.get(at, 0) + count
        low, high = min(found), max(found)
        if high - low < _MOST_BINS or steps == 1:
            break
    short = _LEAST_BINS - (high - low + 1)
    low, high = (low - (short + 1) // 2, high + short // 2) if short > 0 else (low, high)
    low -= low % steps
    bins = [
        Bin(2 ** (at / steps), 2 ** ((at + 1) / steps), found.get(at, 0))
        for at in range(low, high + 1)
    ]
    return bins, steps


def place(milliseconds: float, bins: cabc.Sequence[Bin]) -> float:
    """Where a duration stands on the axis of these bins, in per cent."""
    low, high = math.log2(bins[0].low), math.log2(bins[-1].high)
    at = (math.log2(max(milliseconds, bins[0].low)) - low) / (high - low)
    return round(min(max(at, 0), 1) * 100, 2)


def durations_bars(
    bins: cabc.Sequence[Bin], scale: scales.Scale, latency: Latency
) -> tuple[Bar, ...]:
    """The bars, those past p95 lit."""
    room = 100 / len(bins)
    bars = []
    for at, bin_ in enumerate(bins):
        if not bin_.count:
            continue
        height = max(scale.fraction(decimal.Decimal(bin_.count)) * (FLOOR - _MARKS_TOP), _LEAST_PX)
        tail = latency.p95 is not None and bin_.low >= latency.p95
        bars.append(
            Bar(
                round(at * room + room * 0.06, 2),
                round(room * 0.88, 2),
                round(FLOOR - height, 2),
                round(height, 2),
                "tail" if tail else "",
            )
        )
    return tuple(bars)


MARKS_TOP = _MARKS_TOP


def marks_of(
    latency: Latency, bins: cabc.Sequence[Bin], write: cabc.Callable[[float], str]
) -> tuple[Mark, ...]:
    """The quantiles, each named on its own line so that no two names meet."""
    found = []
    for line, (name, value) in enumerate(
        (("p50", latency.p50), ("p95", latency.p95), ("p99", latency.p99))
    ):
        if value is not None:
            x = place(value, bins)
            found.append(Mark(x, 11 + line * 14, name, write(value), x > 70))
    return tuple(found)
