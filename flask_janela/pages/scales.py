"""The value axis: how far it reaches, where its gridlines stand and what they say.

Steps are the "nice numbers" of Heckbert (Nice Numbers for Graph Labels, Graphics Gems, 1990), 1, 2
and 5 times a power of ten, and 2.5 from the list of Talbot, Lin and Hanrahan (An Extension of
Wilkinson's Algorithm, 2010). Labels are loose, as Heckbert calls them: the axis ends on a step at
or beyond the data. Everything is decimal, so that no label shows a float's error.
"""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import datetime as dt
import decimal

import babel
import babel.numbers

from ..vocabulary.formats import Format, Value

Number = decimal.Decimal

MOST_STEPS = 5
FEW_STEPS = 3
_CONTEXT = decimal.Context(prec=80, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN)
_MANTISSAS = (Number(1), Number(2), Number("2.5"), Number(5))
_WHOLE_UNITS = (Number(1), Number(2), Number(5))
_COMPACT_FROM = Number(1_000_000)
_SCIENTIFIC_FROM = Number(10) ** 15
_SCIENTIFIC_BELOW = Number("0.000001")


@dataclasses.dataclass(frozen=True, slots=True)
class Scale:
    """An axis from ``low`` to ``high``, both multiples of ``step``."""

    low: Number
    high: Number
    step: Number

    @property
    def ticks(self) -> tuple[Number, ...]:
        """Every multiple of the step from the lowest to the highest."""
        count = int(_CONTEXT.to_integral_value(_CONTEXT.divide(self.high - self.low, self.step)))
        return tuple(_CONTEXT.fma(self.step, Number(i), self.low) for i in range(count + 1))

    @property
    def starts_elsewhere(self) -> bool:
        """Whether 0 is outside the axis, which a reader must be told."""
        return self.low > 0 or self.high < 0

    def fraction(self, value: Number) -> float:
        """Where a value stands: 0.0 at the low end, 1.0 at the high end."""
        span = _CONTEXT.subtract(self.high, self.low)
        return float(_CONTEXT.divide(_CONTEXT.subtract(value, self.low), span))


def exact(value: Value) -> Number | None:
    """A measure's value as a decimal; None for what is unknown or not finite."""
    if value is None or isinstance(value, dt.date):
        return None
    number = value if isinstance(value, decimal.Decimal) else decimal.Decimal(str(value))
    return number if number.is_finite() else None


def domain(values: cabc.Iterable[Number], *, from_zero: bool) -> tuple[Number, Number]:
    """The stretch an axis has to show.

    It includes 0, unless ``from_zero`` is false and the values lie so close together, within a
    third of the largest, that an axis from 0 would flatten them.
    """
    known = list(values)
    if not known:
        return Number(0), Number(1)
    low, high = min(known), max(known)
    spread = _CONTEXT.subtract(high, low)
    near = spread > 0 and _CONTEXT.multiply(spread, Number(3)) < max(abs(low), abs(high))
    if from_zero or not (near and (low > 0 or high < 0)):
        low, high = min(low, Number(0)), max(high, Number(0))
    return (low, high) if low < high else (Number(0), Number(1))


def nice(low: Number, high: Number, *, whole: bool, most: int = MOST_STEPS) -> Scale:
    """The finest axis over a stretch that needs no more than ``most`` steps.

    Args:
        low, high: the stretch, low before high.
        whole: whether the values are whole numbers, so that no gridline stands between two.
        most: with 5 the axis has three to five steps, fewer only for few whole numbers.
    """
    exponent = _CONTEXT.divide(_CONTEXT.subtract(high, low), Number(most)).adjusted() - 1
    while True:
        for step in _steps(exponent, whole):
            first = _floor(_CONTEXT.divide(low, step))
            last = -_floor(_CONTEXT.divide(-high, step))
            if last - first <= most:
                return Scale(_CONTEXT.multiply(first, step), _CONTEXT.multiply(last, step), step)
        exponent += 1


def _steps(exponent: int, whole: bool) -> cabc.Iterator[Number]:
    if whole and exponent < 0:
        return
    for mantissa in _WHOLE_UNITS if whole and exponent == 0 else _MANTISSAS:
        yield mantissa.scaleb(exponent, _CONTEXT)


def _floor(number: Number) -> Number:
    return number.to_integral_value(decimal.ROUND_FLOOR, _CONTEXT)


def tick_texts(scale: Scale, format: Format, locale: babel.Locale) -> tuple[str, ...]:
    """What the ticks say: as few decimals as tell them apart, long numbers in short.

    A currency or a per cent sign stands at each, a unit in words only at the last.
    """
    ticks = scale.ticks
    shift = 2 if format.percent else 0
    largest = max(abs(scale.low), abs(scale.high)).scaleb(shift, _CONTEXT)
    step = scale.step.scaleb(shift, _CONTEXT)
    plain = dataclasses.replace(format, precision=_decimals(step), suffix="")
    last = dataclasses.replace(plain, suffix=format.suffix)
    long = largest >= _COMPACT_FROM or step < _SCIENTIFIC_BELOW
    texts = []
    for tick in ticks:
        before, digits, after = (last if tick is ticks[-1] else plain).parts(tick, locale)
        if long:
            digits = _short(abs(tick).scaleb(shift, _CONTEXT), largest, step, locale)
        texts.append(f"{before}{digits}{after}")
    return tuple(texts)


def _short(number: Number, largest: Number, step: Number, locale: babel.Locale) -> str:
    """ "1.2M" for 1,200,000, and powers of ten beyond what has a short name."""
    if not number:
        return "0"
    if largest >= _SCIENTIFIC_FROM or step < _SCIENTIFIC_BELOW:
        return babel.numbers.format_scientific(number.normalize(_CONTEXT), locale=locale)
    thousands = largest.adjusted() // 3 * 3
    digits = _decimals(step.scaleb(-thousands, _CONTEXT))
    return babel.numbers.format_compact_decimal(number, fraction_digits=digits, locale=locale)


def _decimals(step: Number) -> int:
    exponent = step.normalize(_CONTEXT).as_tuple().exponent
    assert isinstance(exponent, int)  # noqa: S101  steps are finite
    return min(max(0, -exponent), 10)
