"""A histogram of durations whose quantiles are within 1%, and which adds up over any periods.

Bucket ``i`` holds what lies in (1.02^(i-1), 1.02^i] microseconds, as in DDSketch (Masson, Rim and
Lee, VLDB 2019): its middle, 2·1.02^i / 2.02, is off by at most 0.02 / 2.02 = 0.99% from anything
in it. Which bucket a quantile lies in is exact, so that is also the most a quantile is off.

All counts are one big integer with 64 bits for each bucket, so that merging two histograms is one
addition. Stored they are zlib's text of those bytes from the first to the last bucket that has any.
"""

from __future__ import annotations

import array
import bisect
import collections.abc as cabc
import itertools
import math
import sys
import zlib

GAMMA = 1.02
LAST = 1400
"""The last bucket: twelve days. What takes longer is counted there."""

_LOG = math.log(GAMMA)
_LANE = 64
_BYTES = _LANE // 8
_HEAD = 2


def bucket_of(milliseconds: float) -> int:
    """The bucket of a duration; 0 for up to a microsecond, and for what is no duration."""
    if not milliseconds > 0.001:
        return 0
    if milliseconds == math.inf:
        return LAST
    return min(math.ceil(math.log(milliseconds * 1000) / _LOG - 1e-9), LAST)


def middle_of(bucket: int) -> float:
    """The duration in milliseconds that stands for a bucket."""
    return float(2 * GAMMA**bucket / (1 + GAMMA) / 1000)


def upper_of(bucket: int) -> float:
    """The longest duration of a bucket, in milliseconds."""
    return float(GAMMA**bucket / 1000)


class Histogram:
    """How many durations fell into each bucket."""

    __slots__ = ("_lanes",)

    def __init__(self, lanes: int = 0) -> None:
        self._lanes = lanes

    @classmethod
    def of(cls, milliseconds: cabc.Iterable[float]) -> Histogram:
        """The histogram of some durations."""
        made = cls()
        for each in milliseconds:
            made.add(bucket_of(each))
        return made

    @classmethod
    def read(cls, stored: bytes | None) -> Histogram:
        """The histogram that :meth:`stored` wrote; an empty one of nothing."""
        made = cls()
        if stored:
            made.merge_stored(stored)
        return made

    def add(self, bucket: int, count: int = 1) -> None:
        """Count some more durations of one bucket."""
        self._lanes += count << (_LANE * bucket)

    def merge(self, other: Histogram) -> None:
        """Count all that another has counted."""
        self._lanes += other._lanes

    def merge_stored(self, stored: bytes) -> None:
        """Count all that a stored one has counted."""
        first = int.from_bytes(stored[:_HEAD], "little")
        self._lanes += int.from_bytes(zlib.decompress(stored[_HEAD:]), "little") << (_LANE * first)

    def stored(self) -> bytes:
        """These counts as a few hundred bytes at most."""
        if not self._lanes:
            return b""
        first = ((self._lanes & -self._lanes).bit_length() - 1) // _LANE
        return first.to_bytes(_HEAD, "little") + zlib.compress(self._bytes(first), 1)

    def _bytes(self, first: int = 0) -> bytes:
        lanes = self._lanes >> (_LANE * first)
        return lanes.to_bytes(-(-lanes.bit_length() // _LANE) * _BYTES, "little")

    def counts(self) -> dict[int, int]:
        """How many there are in each bucket that has any, in ascending order."""
        return {bucket: count for bucket, count in enumerate(self._counts()) if count}

    def _counts(self) -> array.array[int]:
        lanes = array.array("Q", self._bytes())
        if sys.byteorder == "big":
            lanes.byteswap()
        return lanes

    def quantiles(self, *fractions: float) -> tuple[float | None, ...]:
        """For each fraction, the smallest duration that so many of all are not longer than.

        That is the nearest rank: of n durations in order the ⌈fraction·n⌉-th. None of nothing.
        """
        passed = list(itertools.accumulate(self._counts()))
        if not passed:
            return (None,) * len(fractions)
        ranks = (max(math.ceil(fraction * passed[-1] - 1e-9), 1) for fraction in fractions)
        return tuple(middle_of(bisect.bisect_left(passed, rank)) for rank in ranks)
