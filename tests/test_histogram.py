"""Quantiles within 1% of the exact ones, whatever the durations and however they were merged."""

from __future__ import annotations

import random
import typing as t

import pytest
from ledger import rank

from flask_janela.roster.histogram import LAST, Histogram, bucket_of, middle_of, upper_of


def durations(shape: str, count: int = 20_000) -> list[float]:
    """So many milliseconds, by a seed."""
    rng = random.Random(7)
    shapes: dict[str, t.Callable[[], float]] = {
        "lognormal": lambda: rng.lognormvariate(4.5, 1.0),
        "bimodal": lambda: rng.gauss(8, 1) if rng.random() < 0.7 else rng.gauss(900, 50),
        "constant": lambda: 42.0,
        "heavy-tailed": lambda: 5 * rng.paretovariate(1.1),
        "tiny": lambda: rng.uniform(0.002, 0.02),
    }
    return [abs(shapes[shape]()) for _ in range(count)]


SHAPES = ["lognormal", "bimodal", "constant", "heavy-tailed", "tiny"]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("parts", [1, 24, 24 * 30])
def test_quantiles_are_within_a_hundredth(shape: str, parts: int) -> None:
    """Of one histogram, and of those of each hour of a day and of a month, stored and merged."""
    values = durations(shape)
    merged = Histogram()
    for part in range(parts):
        merged.merge_stored(Histogram.of(values[part::parts]).stored())
    fractions = (0.01, 0.5, 0.9, 0.95, 0.99, 1.0)
    for fraction, found in zip(fractions, merged.quantiles(*fractions), strict=True):
        assert found == pytest.approx(rank(values, fraction), rel=0.01)


@pytest.mark.parametrize("value", [0.0011, 0.5, 1, 12.5, 1000, 60_000, 86_400_000])
@pytest.mark.parametrize("count", [1, 2, 99])
def test_a_single_value_is_every_quantile(value: float, count: int) -> None:
    """However often it was seen."""
    found = Histogram.of([value] * count).quantiles(0.5, 0.95, 0.99)
    assert found == pytest.approx((value,) * 3, rel=0.01)


def test_merging_is_the_same_in_any_order() -> None:
    """And as counting everything at once."""
    values = durations("lognormal", 999)
    whole = Histogram.of(values).counts()
    parts = [Histogram.of(values[i::7]) for i in range(7)]
    for order in (parts, parts[::-1]):
        merged = Histogram()
        for part in order:
            merged.merge(part)
        assert merged.counts() == whole
    assert sum(whole.values()) == 999


def test_a_stored_one_is_read_back() -> None:
    """Small, and nothing of nothing."""
    made = Histogram.of(durations("lognormal", 100_000))
    assert Histogram.read(made.stored()).counts() == made.counts()
    assert len(made.stored()) < 1200
    assert Histogram().stored() == b""
    assert Histogram.read(None).quantiles(0.5) == (None,)


def test_counts_far_beyond_what_32_bits_hold() -> None:
    """A neighbour's count is not touched."""
    made = Histogram()
    made.add(100, 2**40)
    made.add(101)
    doubled = Histogram.read(made.stored())
    doubled.merge(made)
    assert doubled.counts() == {100: 2**41, 101: 2}


def test_buckets_hold_what_they_say() -> None:
    """Each value is in its bucket; what is no duration in the first, the longest in the last."""
    rng = random.Random(3)
    for _ in range(5000):
        value = 10 ** rng.uniform(-2.9, 8.9)
        bucket = bucket_of(value)
        assert upper_of(bucket - 1) <= value * (1 + 1e-9)
        assert value <= upper_of(bucket) * (1 + 1e-9)
        assert middle_of(bucket) == pytest.approx(value, rel=0.01)
    assert [bucket_of(v) for v in (0, -1, float("nan"), 0.0005)] == [0, 0, 0, 0]
    assert bucket_of(float("inf")) == bucket_of(1e300) == LAST
