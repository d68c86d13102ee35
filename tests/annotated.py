"""A host whose own tools take and return as many kinds of types as there are annotations for."""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import datetime as dt
import decimal
import enum
import typing as t
import uuid

import pydantic
from typing_extensions import TypedDict

from flask_janela import Janela
from flask_janela.tools import Content


class Cabin(enum.Enum):
    """An enum of texts."""

    ECONOMY = "economy"
    BUSINESS = "business"


class Priority(enum.IntEnum):
    """An enum of numbers."""

    LOW = 1
    HIGH = 2


class Seat(pydantic.BaseModel):
    """A model within a model."""

    row: int
    letter: t.Literal["A", "B", "C"]
    cabin: Cabin = Cabin.ECONOMY


class Passenger(pydantic.BaseModel):
    """A model of models."""

    model_config = pydantic.ConfigDict(extra="forbid")

    name: str = pydantic.Field(max_length=80, description="as in the passport")
    title: str | None = None
    born: dt.date | None = None
    seat: Seat
    others: list[Seat] = []


class ByPhone(pydantic.BaseModel):
    """One of two that are told apart by their kind."""

    kind: t.Literal["phone"]
    number: str


class ByMail(pydantic.BaseModel):
    """The other."""

    kind: t.Literal["mail"]
    address: str


class Stop(TypedDict, total=False):
    """A typed dictionary."""

    code: t.Required[str]
    delay: int | None


@dataclasses.dataclass
class Route:
    """A dataclass, with an alias and a value that may be missing."""

    origin: str
    stops: list[Stop]
    gate: str | None = None


class Leg(pydantic.BaseModel):
    """What contains itself."""

    code: str
    then: Leg | None = None
    flown_by: str = pydantic.Field("", serialization_alias="flownBy")


Way = t.Annotated[ByPhone | ByMail, pydantic.Field(discriminator="kind")]


def add_tools(janela: Janela) -> None:
    """The tools; each returns what its annotation says."""

    @janela.tool()
    def plain(
        caller: t.Any,
        number: int,
        share: float,
        sure: bool,
        name: str,
        amount: decimal.Decimal,
        key: uuid.UUID,
        most: t.Annotated[int, pydantic.Field(ge=1, le=100, description="at most")] = 25,
    ) -> dict[str, t.Any]:
        """Take plain values."""
        return {"number": number, "most": most}

    @janela.tool()
    def times(
        caller: t.Any,
        day: dt.date,
        at: dt.datetime,
        clock: dt.time | None = None,
        span: dt.timedelta | None = None,
    ) -> dt.date:
        """Take times."""
        return day

    @janela.tool()
    def choices(
        caller: t.Any,
        cabin: Cabin,
        priority: Priority = Priority.LOW,
        colour: t.Literal["red", "green"] = "red",
        only: t.Literal["this"] = "this",
        either: int | str | None = None,
        maybe: str | None = None,
    ) -> t.Literal["done"]:
        """Take choices."""
        return "done"

    @janela.tool()
    def many(
        caller: t.Any,
        codes: list[str],
        numbers: set[int] | None = None,
        point: tuple[float, float] | None = None,
        mixed: tuple[int, str] | None = None,
        several: cabc.Sequence[Cabin] = (),
        nested: list[list[int]] | None = None,
    ) -> list[str]:
        """Take several of a kind."""
        return codes

    @janela.tool()
    def mappings(
        caller: t.Any,
        prices: dict[str, float],
        free: dict[str, t.Any] | None = None,
        seats: dict[Cabin, list[Seat]] | None = None,
    ) -> dict[str, float | None]:
        """Take mappings."""
        return {**prices, "unknown": None}

    @janela.tool()
    def models(caller: t.Any, passenger: Passenger, ways: list[Way] | None = None) -> Route:
        """Take models of models."""
        return Route(passenger.name, [{"code": "JFK", "delay": None}])

    @janela.tool()
    def either(caller: t.Any, ours: bool = True) -> ByPhone | ByMail:
        """Return one of two models."""
        if ours:
            return ByPhone(kind="phone", number="1")
        return ByMail(kind="mail", address="a")

    @janela.tool()
    def recursive(caller: t.Any) -> Leg:
        """Return what contains itself."""
        return Leg(code="JFK", then=Leg(code="LGA"))

    @janela.tool()
    def nothing(caller: t.Any) -> None:
        """Return nothing."""

    @janela.tool()
    def perhaps(caller: t.Any) -> Seat | None:
        """Return a model, or nothing."""

    @janela.tool()
    def unsaid(caller: t.Any):  # type: ignore[no-untyped-def]
        """Return what no annotation tells."""
        return ["anything"]

    @janela.tool()
    def seen(caller: t.Any) -> Content:
        """Return what is shown rather than read."""
        return {"content": [{"type": "text", "text": "A picture would be here."}]}


FITTING: dict[str, dict[str, t.Any]] = {
    "plain": {
        "number": 1,
        "share": 0.5,
        "sure": True,
        "name": "Ana",
        "amount": "1.10",
        "key": "6f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e5f",
    },
    "times": {"day": "2013-06-01", "at": "2013-06-01T10:00:00"},
    "choices": {"cabin": "business", "either": "x"},
    "many": {"codes": ["JFK"], "point": [1.5, 2], "mixed": [1, "a"]},
    "mappings": {"prices": {"JFK": 1.5}, "seats": {"economy": [{"row": 1, "letter": "A"}]}},
    "models": {
        "passenger": {"name": "Ana", "seat": {"row": 1, "letter": "A"}},
        "ways": [{"kind": "mail", "address": "a"}],
    },
    "either": {},
    "recursive": {},
    "nothing": {},
    "perhaps": {},
    "unsaid": {},
    "seen": {},
}
"""Arguments for each of them."""
