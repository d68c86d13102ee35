"""Answers made by hand, for what draws them."""

from __future__ import annotations

import collections.abc as cabc
import datetime as dt
import functools
import typing as t

import babel
import sqlalchemy as sa
from sqlalchemy import orm
from sqlalchemy.orm import Mapped, mapped_column

from flask_janela import (
    Average,
    Count,
    CountDistinct,
    Dimension,
    Maximum,
    Share,
    Sum,
    TimeDimension,
    Vocabulary,
)
from flask_janela.query.result import Range, Result, Row
from flask_janela.vocabulary import BoundModel
from flask_janela.vocabulary.binding import bind
from flask_janela.vocabulary.dimensions import Granularity

ENGLISH = babel.Locale("en", "US")


class Base(orm.DeclarativeBase):
    pass


class Flight(Base):
    __tablename__ = "flights"
    id: Mapped[int] = mapped_column(primary_key=True)
    airline: Mapped[str | None]
    fare: Mapped[t.Any] = mapped_column(sa.Numeric(30, 10))
    delay: Mapped[float]
    on_time: Mapped[bool]
    left_at: Mapped[dt.datetime]

    class Janela(Vocabulary):
        flights = Count()
        airlines = CountDistinct("airline")
        takings = Sum("fare", currency="USD", precision=2)
        delay = Average("delay", suffix=" min", precision=1)
        punctual = Share("on_time")
        latest = Maximum("left_at")
        airline = Dimension()
        left = TimeDimension("left_at")


@functools.cache
def flights() -> BoundModel:
    """The vocabulary that the answers below speak."""
    return bind(Flight, Flight.Janela, "flights")


def row(key: t.Any, value: t.Any, measure: str = "flights", **more: t.Any) -> Row:
    """A row of a measure, its label the key."""
    formatted = flights().measures[measure].format.write(value, ENGLISH)
    label = "(none)" if key is None else str(key)
    return Row(key=key, label=more.pop("label", label), value=value, formatted=formatted, **more)


def answer(
    rows: cabc.Sequence[Row],
    measure: str = "flights",
    *,
    by: str | None = "airline",
    granularity: Granularity | None = None,
    total: t.Any = None,
    **more: t.Any,
) -> Result:
    """A result over rows, in English."""
    bound = flights()
    given: dict[str, t.Any] = {
        "columns": (),
        "truncated": False,
        "undated_row": None,
        "range": None,
        "chosen": None,
        "chosen_range": None,
        "not_applied": (),
        "locale": ENGLISH,
        "ms": 0.0,
    }
    return Result(
        model="flights",
        measure=bound.measures[measure],
        dimension=bound.dimensions[by] if by is not None else None,
        rows=tuple(rows),
        total_row=row("Total", total, measure, companions=more.pop("totals", ())),
        granularity=granularity,
        **(given | more),
    )


def by_airline(*values: t.Any, measure: str = "flights", **more: t.Any) -> Result:
    """One row for each value, by airlines A, B, C and so on."""
    rows = [row(chr(ord("A") + i), value, measure) for i, value in enumerate(values)]
    return answer(rows, measure, **more)


def by_month(*values: t.Any, measure: str = "flights", start: int = 2013, **more: t.Any) -> Result:
    """One row for each value, by months from January."""
    return answer(months(values, measure, start), measure, by="left", granularity="month", **more)


def months(values: cabc.Sequence[t.Any], measure: str = "flights", start: int = 2013) -> list[Row]:
    """Rows of months from January of a year."""
    firsts = [dt.date(start + i // 12, i % 12 + 1, 1) for i in range(len(values) + 1)]
    return [
        row(first, value, measure, until=until, label=f"{first:%b %Y}")
        for first, until, value in zip(firsts, firsts[1:], values, strict=False)
    ]


__all__ = [
    "ENGLISH",
    "Range",
    "Result",
    "Row",
    "answer",
    "by_airline",
    "by_month",
    "flights",
    "months",
    "row",
]
