"""What strangers, browsers gone wrong and models send: texts, values and whole requests."""

from __future__ import annotations

import functools
import os
import typing as t

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

BIDI = "\N{RIGHT-TO-LEFT OVERRIDE}gnp.exe\N{POP DIRECTIONAL FORMATTING}"
MARKUP = "<script>alert(1)</script>"
IMAGE = "\"'><img src=x onerror=alert(1)>"

TEXTS = (
    "", " ", "\0", "a\0b", "\x1b[31mred", "a\r\nSet-Cookie: x=1", "\x7f\x85\u2028", BIDI,
    MARKUP, IMAGE, "</textarea>", "{{ 7 * 7 }}", "${7*7}", "%s%n", "'; DROP TABLE orders; --",
    "%", "_", "\\", "a%00b", "../../etc/passwd", "//elsewhere.example", "/\\elsewhere.example",
    "http://[", "javascript:alert(1)", "=1+1", "@SUM(A1)", "é", "e\N{COMBINING ACUTE ACCENT}",
    "İ", "ß", "\N{PILE OF POO}" * 50, "\ufeff", "\ufffd", "x" * 10_000, "9" * 400, "9" * 5000,
    "-1", "-0", "0", "00", "1.5", "1e5", "1e400", "NaN", "Infinity", "0x10", "1_0", "+1", " 1",
    "²", "٣", "１２", "true", "None", "null", "[]", "{}", '["a"]', "2147483647", "2147483648",
    "9223372036854775807", "9223372036854775808", "2024-02-30", "2024-02-29", "0001-01-01",
    "0000-00-00", "9999-12-31", "9999-12", "9999", "10000-01-01", "2024-06-01T00:00:00+25:00",
    "2024-06-01T12:30:00.123456789Z", "24:00", "0d", "1d", "999999d", "99999999999999y", "-1m",
    "1 d", "month", "MONTH", "?", "#", "&", "a=b", "a;b", "q.region", "a.b.c.d", ".", "..",
    "orders.", ".region", "region.not", "region.null", "placed.last", "placed.this",
)  # fmt: skip
"""Texts that have broken something somewhere."""

HALVES = ("\ud800", "a\udfffb")
"""Halves of characters, which JSON can say and a database cannot keep."""

DIMENSIONS = ("region", "product", "pieces", "paid", "placed", "day")
OPERATORS = ("", ".not", ".null", ".gte", ".gt", ".lte", ".lt", ".last", ".this", ".previous")
NAMES = ("orders", "visits", "revenue", "weight", "hushed", "unsaid", *DIMENSIONS)
VALUES = (
    "Northmoor", "Norwick", "Southmoor", "Nettle", "1", "2", "0", "3", "4", "12", "month", "day",
    "week", "quarter", "year", "hour", "bar", "line", "table", "number", "doughnut", "pie",
    "value", "-value", "label", "natural", "2024", "2024-03", "2024-03-03", "30d", "6m", "1y",
    "true", "query", "text", "partial", "earlier", "later", "apply", "find", "enter", "none",
    "last 30d", "this month", "previous year", "changed", "name", "7d", "24h", "-calls", "refused",
)  # fmt: skip
"""Values that mean something somewhere, so that what is sent gets past the first check."""


@functools.cache
def texts() -> st.SearchStrategy[str]:
    """Something hostile, something fitting, or anything at all that has an encoding."""
    return st.one_of(
        st.sampled_from(TEXTS),
        st.sampled_from((*NAMES, *VALUES)),
        st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    )


@functools.cache
def filter_keys() -> st.SearchStrategy[str]:
    """Keys of filters, most of which exist."""
    models = st.sampled_from(("", "", "orders.", "visits.", "nothing."))
    names = st.sampled_from(DIMENSIONS)
    keys = st.tuples(models, names, st.sampled_from(OPERATORS)).map("".join)
    return st.one_of(keys, keys, keys, st.sampled_from(TEXTS))


@functools.cache
def filter_values() -> st.SearchStrategy[str]:
    """Values of filters, many of which fit some dimension."""
    return st.one_of(st.sampled_from(VALUES), texts())


def fuzzing(usual: int) -> settings:
    """As many examples as ``$JANELA_FUZZ`` says, else the usual number for a suite.

    Continuous integration draws the same in every run.
    """
    ci = "CI" in os.environ
    return settings(
        max_examples=int(os.environ.get("JANELA_FUZZ", usual)),
        deadline=None,
        derandomize=ci,
        database=None,
        phases=[Phase.generate] if ci else [Phase.generate, Phase.shrink],
        print_blob=True,
        suppress_health_check=list(HealthCheck),
    )


@functools.cache
def anything(depth: int = 2) -> st.SearchStrategy[t.Any]:
    """A value of any JSON type, hostile or not."""
    plain = st.one_of(
        texts(),
        st.sampled_from(HALVES),
        st.none(),
        st.booleans(),
        st.sampled_from((0, 1, -1, 7, 2**31, 2**63, -(2**63) - 1, 10**400, 0.5, 1e308)),
        st.floats(),
        st.integers(),
    )
    if not depth:
        return plain
    inner = anything(depth - 1)
    return st.one_of(
        plain,
        plain,
        st.lists(inner, max_size=3),
        st.dictionaries(st.one_of(st.sampled_from(NAMES), texts()), inner, max_size=3),
    )
