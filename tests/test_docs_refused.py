"""What ``docs/declaring.md`` says is refused is: one declaration for each row of its table."""

from __future__ import annotations

import collections.abc as cabc
import re
import typing as t

import pytest
import sqlalchemy as sa
from documents import ROOT
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship

from flask_janela import (
    Count,
    DeclarationError,
    Dimension,
    Ratio,
    Records,
    Sum,
    TimeDimension,
    Vocabulary,
)
from flask_janela.vocabulary import VocabularyType, build


class Shouting(sa.TypeDecorator[t.Any]):
    """Numbers as texts."""

    impl = sa.Integer
    cache_ok = True

    def process_result_value(self, value: t.Any, dialect: t.Any) -> t.Any:
        return f"{value}!"


class Base(DeclarativeBase):
    pass


class Line(Base):
    __tablename__ = "lines"
    id: Mapped[int] = mapped_column(primary_key=True)
    order_id: Mapped[int] = mapped_column(sa.ForeignKey("orders.id"))


class Rate(Base):
    __tablename__ = "rates"
    id: Mapped[int] = mapped_column(primary_key=True)
    country: Mapped[str]
    name: Mapped[str]


class Order(Base):
    __tablename__ = "orders"
    id: Mapped[int] = mapped_column(primary_key=True)
    paid: Mapped[bool]
    country: Mapped[str]
    placed_at: Mapped[t.Any] = mapped_column(sa.DateTime)
    notes: Mapped[t.Any] = mapped_column(sa.JSON)
    photo: Mapped[bytes]
    loud: Mapped[t.Any] = mapped_column(Shouting)
    lines: Mapped[list[Line]] = relationship()
    rate: Mapped[Rate] = relationship(
        primaryjoin=lambda: sa.orm.foreign(Order.country) == Rate.country, viewonly=True
    )


def twice() -> None:
    class Janela(Vocabulary):
        orders = Count()
        orders = Dimension("country")


def named(**members: t.Any) -> cabc.Callable[[], None]:
    def declare() -> None:
        build([], {Order: VocabularyType("Janela", (Vocabulary,), members)})

    return declare


def two_of_one_name() -> None:
    one = VocabularyType("Janela", (Vocabulary,), {"orders": Count()}, name="things")
    build([], {Order: one, Line: one})


REFUSED: dict[str, list[cabc.Callable[[], None]]] = {
    "a column that there is not": [named(a=Sum("nothing"))],
    "a `Sum`, `Average`, `Minimum` or `Maximum` of a true-or-false column": [named(a=Sum("paid"))],
    'a measure over a path, `Sum("customer.debt")`': [named(a=Sum("rate.id"))],
    "a measure's function over another table": [named(a=Sum(lambda order: Line.id))],
    "a function that aggregates by itself": [named(a=Sum(lambda order: sa.func.sum(order.id)))],
    "a `Ratio` of what is not a measure, or of itself": [
        named(a=Ratio("b", "c")),
        named(a=Ratio("a", "a")),
    ],
    "a path over a to-many relationship": [named(a=Dimension("lines.id"))],
    "a path to a record that is not unique": [named(a=Dimension("rate.name"))],
    "a time as `Dimension`, or anything else as `TimeDimension`": [
        named(a=Dimension("placed_at")),
        named(a=TimeDimension("country")),
    ],
    "a JSON, binary or interval column as a dimension": [
        named(a=Dimension("notes")),
        named(a=Dimension("photo")),
    ],
    "two declarations of one name, two models of one name": [twice, two_of_one_name],
    "a dimension called like an operator of filters": [named(last=Dimension("country"))],
    "a `TypeDecorator` that makes other values of what is stored": [named(a=Sum("loud"))],
    "`Records` of bytes, or of a model whose key has no text": [named(a=Records("photo"))],
}


def test_the_table_has_these_rows() -> None:
    table = (ROOT / "docs/declaring.md").read_text(encoding="utf-8").split("| refused |")[1]
    told = re.findall(r"^\| (.+?) \| .+ \|$", table.split("\n\n")[0], re.MULTILINE)
    assert [row for row in told if row != "---"] == list(REFUSED)


@pytest.mark.parametrize("row", REFUSED)
def test_what_is_said_to_be_refused_is(row: str) -> None:
    for declare in REFUSED[row]:
        with pytest.raises(DeclarationError):
            declare()
