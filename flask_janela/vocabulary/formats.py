"""How a value reads: precision, percent, money, units, and the reader's locale.

Formatting is only text; the values themselves keep their full precision.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import decimal
import functools
import re
import typing as t

import babel
import babel.dates
import babel.numbers

Value = int | float | decimal.Decimal | dt.date | dt.datetime | None
"""What a measure can come to."""

UNKNOWN = "—"
"""What is shown for null: never 0."""


@dataclasses.dataclass(frozen=True, slots=True)
class Format:
    """How the values of one measure are written."""

    precision: int = 0
    percent: bool = False
    currency: str | None = None
    prefix: str = ""
    suffix: str = ""

    @property
    def unit(self) -> str:
        """The unit in one word: ``%``, a currency code, or the suffix."""
        return "%" if self.percent else self.currency or self.suffix.strip()

    def write(self, value: Value, locale: babel.Locale) -> str:
        """The value as a reader of that locale expects it, with its unit."""
        before, number, after = self.parts(value, locale)
        return f"{before}{number}{after}"

    def parts(self, value: Value, locale: babel.Locale) -> tuple[str, str, str]:
        """What stands before the digits, the digits, and what follows them."""
        if value is None:
            return "", UNKNOWN, ""
        if isinstance(value, dt.datetime):
            return (
                self.prefix,
                babel.dates.format_datetime(value, "medium", locale=locale),
                self.suffix,
            )
        if isinstance(value, dt.date):
            return self.prefix, babel.dates.format_date(value, "medium", locale=locale), self.suffix
        exact = value if isinstance(value, decimal.Decimal) else decimal.Decimal(str(value))
        if self.percent:
            exact = exact.scaleb(2, _WIDE)
        digits = _digits(exact, self.precision, locale)
        sign = ""
        if digits.startswith("-"):
            sign = babel.numbers.get_minus_sign_symbol(locale)
            digits = digits[1:]
        if self.currency is not None:
            return _money(sign, self.prefix, digits, self.suffix, self.currency, locale)
        if self.percent:
            before, after = _affixes(locale.percent_formats[None])
            return sign + self.prefix + before, digits, after + self.suffix
        return sign + self.prefix, digits, self.suffix


_WIDE = decimal.Context(prec=400)


def _digits(exact: decimal.Decimal, precision: int, locale: babel.Locale) -> str:
    """Round half to even at ``precision`` decimals and group the digits; "-0.0" becomes "0.0"."""
    rounded = exact.quantize(decimal.Decimal(1).scaleb(-precision), context=_WIDE)
    sign = "-" if rounded < 0 else ""
    if (separators := _separators(str(locale))) is not None:
        return f"{sign}{rounded.copy_abs():,f}".translate(separators)
    pattern = _pattern(precision, str(locale))
    if rounded.adjusted() < 20:
        return f"{sign}{pattern.apply(abs(rounded), locale)}"
    with decimal.localcontext(_WIDE):
        return f"{sign}{pattern.apply(abs(rounded), locale)}"


@functools.lru_cache(maxsize=256)
def _separators(locale: str) -> dict[int, str] | None:
    """What stands for "," and "." in a locale, or None where digits are not grouped in threes.

    Most locales group in threes, as Python does, many times faster than a pattern is applied.
    """
    parsed = babel.Locale.parse(locale)
    if parsed.decimal_formats[None].grouping != (3, 3):
        return None
    return {
        ord(","): babel.numbers.get_group_symbol(parsed),
        ord("."): babel.numbers.get_decimal_symbol(parsed),
    }


@functools.lru_cache(maxsize=256)
def _pattern(precision: int, locale: str) -> babel.numbers.NumberPattern:
    pattern = babel.numbers.parse_pattern(babel.Locale.parse(locale).decimal_formats[None].pattern)
    pattern.frac_prec = (precision, precision)
    return pattern


@functools.lru_cache(maxsize=256)
def _affixes(pattern: babel.numbers.NumberPattern) -> tuple[str, str]:
    return pattern.prefix[0], pattern.suffix[0]


def _money(
    sign: str, prefix: str, digits: str, suffix: str, currency: str, locale: babel.Locale
) -> tuple[str, str, str]:
    """Money with the sign before the symbol, and the symbol where the locale has it."""
    before, after = _affixes(locale.currency_formats["standard"])
    symbol = babel.numbers.get_currency_symbol(currency, locale)
    before = before.replace("\N{CURRENCY SIGN}", symbol)
    after = after.replace("\N{CURRENCY SIGN}", symbol)
    return sign + prefix + before, digits, after + suffix


def snake(name: str) -> str:
    """A class's name in small letters and underscores: ``flight_record``."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def in_words(name: str) -> str:
    """``departure_delay`` as people write it: ``Departure delay``."""
    words = name.replace("_", " ").strip()
    return words[:1].upper() + words[1:]


def write_plain(value: t.Any) -> str:
    """A key as text without a locale: how it is written in a URL and read back."""
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, dt.date | dt.datetime):
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        return format(value.normalize(_WIDE) + 0, "f")
    if isinstance(value, float):
        return repr(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    return str(value)
