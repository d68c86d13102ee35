"""UTC hours counted from 1970, and the windows that the roster looks through."""

from __future__ import annotations

import dataclasses
import datetime as dt

HOUR = 3600
DAY_HOURS = 24
LONGEST = 30 * DAY_HOURS
"""Hours of the longest window."""

_EPOCH = dt.datetime(1970, 1, 1)


def hour_of(moment: dt.datetime) -> int:
    """The UTC hour of a moment; a naive one is in UTC already."""
    return int((naive(moment) - _EPOCH) // dt.timedelta(hours=1))


def day_of(hour: int) -> int:
    """The first hour of the UTC day that an hour belongs to."""
    return hour - hour % DAY_HOURS


def start_of(hour: int) -> dt.datetime:
    """The moment at which an hour starts, in UTC."""
    return (_EPOCH + dt.timedelta(hours=hour)).replace(tzinfo=dt.UTC)


def naive(moment: dt.datetime) -> dt.datetime:
    """A moment as rows keep it: UTC, without a zone."""
    return moment if moment.tzinfo is None else moment.astimezone(dt.UTC).replace(tzinfo=None)


def aware(moment: dt.datetime | None) -> dt.datetime | None:
    """What rows keep as a moment."""
    return None if moment is None else moment.replace(tzinfo=dt.UTC)


@dataclasses.dataclass(frozen=True, slots=True)
class Window:
    """So many whole UTC hours, or days, up to and including the current one.

    Attributes:
        first, after: its first hour, and the first that is no longer in it.
        step: how many hours each bar of a trend stands for.
    """

    key: str
    first: int
    after: int
    step: int

    @property
    def start(self) -> dt.datetime:
        return start_of(self.first)

    @property
    def end(self) -> dt.datetime:
        return start_of(self.after)

    @property
    def steps(self) -> int:
        """How many bars a trend has."""
        return (self.after - self.first) // self.step

    @property
    def before(self) -> Window:
        """The window of the same length that ends where this one starts."""
        length = self.after - self.first
        return dataclasses.replace(self, first=self.first - length, after=self.first)


WINDOWS = ("24h", "7d", "30d")
DEFAULT_WINDOW = "7d"


def window_at(key: str, now: dt.datetime, *, fine: bool = False) -> Window:
    """The window of that name as it stands now; the default one for any other name.

    Args:
        fine: four bars a day rather than one, where a window of seven days is drawn large.
    """
    hour = hour_of(now)
    if key == "24h":
        return Window(key, hour - 23, hour + 1, 1)
    if key == "30d":
        return Window(key, day_of(hour) + DAY_HOURS - LONGEST, day_of(hour) + DAY_HOURS, DAY_HOURS)
    return Window("7d", hour + 1 - 7 * DAY_HOURS, hour + 1, 6 if fine else DAY_HOURS)
