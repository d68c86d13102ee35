"""Declarations that cannot work are refused at start-up, with the model, the member and the fix."""

from __future__ import annotations

import decimal
import enum
import typing as t

import pytest
import sqlalchemy as sa
from hosts import host, shop
from sqlalchemy import orm
from sqlalchemy.ext.hybrid import hybrid_property
from sqlalchemy.orm import Mapped, mapped_column, relationship

from flask_janela import (
    Average,
    Count,
    CountDistinct,
    DeclarationError,
    Dimension,
    Minimum,
    Ratio,
    Records,
    Share,
    Sum,
    TimeDimension,
    Vocabulary,
)


class Cents(sa.types.TypeDecorator[t.Any]):
    """Money kept as a whole number of cents."""

    impl = sa.Integer
    cache_ok = True

    def process_bind_param(self, value: t.Any, dialect: t.Any) -> t.Any:
        return None if value is None else int(value * 100)

    def process_result_value(self, value: t.Any, dialect: t.Any) -> t.Any:
        return None if value is None else decimal.Decimal(value) / 100


def _flight(vocabulary: t.Callable[[], type]) -> t.Callable[[t.Any], dict[str, t.Any]]:
    """A model with columns of every sort, under the given vocabulary."""

    def define(db: t.Any) -> dict[str, t.Any]:
        class Plane(db.Model):  # type: ignore[name-defined,misc]
            id: Mapped[int] = mapped_column(primary_key=True)
            tail: Mapped[str]
            make: Mapped[str]
            __table_args__ = (
                sa.Index("one_make", "make", unique=True, sqlite_where=sa.text("make != 'x'")),
            )

        class Flight(db.Model):  # type: ignore[name-defined,misc]
            id: Mapped[int] = mapped_column(primary_key=True)
            plane_id: Mapped[int] = mapped_column(sa.ForeignKey("plane.id"))
            tail: Mapped[str]
            late: Mapped[bool]
            delay: Mapped[int]
            extra: Mapped[t.Any] = mapped_column(sa.JSON)
            left_at: Mapped[t.Any] = mapped_column(sa.DateTime)
            day: Mapped[t.Any] = mapped_column(sa.Date)
            plane: Mapped[Plane] = relationship()
            by_tail: Mapped[Plane] = relationship(
                primaryjoin=lambda: orm.foreign(Flight.tail) == Plane.tail, viewonly=True
            )
            by_make: Mapped[Plane] = relationship(
                primaryjoin=lambda: orm.foreign(Flight.tail) == Plane.make, viewonly=True
            )
            either: Mapped[Plane] = relationship(
                primaryjoin=lambda: sa.or_(
                    orm.foreign(Flight.plane_id) == Plane.id, orm.foreign(Flight.delay) == Plane.id
                ),
                viewonly=True,
                uselist=False,
            )
            earlier: Mapped[Plane] = relationship(
                primaryjoin=lambda: orm.foreign(Flight.plane_id) >= Plane.id,
                viewonly=True,
                uselist=False,
            )
            cents: Mapped[t.Any] = mapped_column(Cents)
            crew: Mapped[list[Crew]] = relationship()

            @hybrid_property
            def plane_weight(self) -> t.Any:
                return self.delay * Plane.id

            Janela = vocabulary()

        class Crew(db.Model):  # type: ignore[name-defined,misc]
            id: Mapped[int] = mapped_column(primary_key=True)
            name: Mapped[str]
            flight_id: Mapped[int] = mapped_column(sa.ForeignKey("flight.id"))

        Flight.__annotations__["crew"] = Mapped[list[Crew]]
        return {"Plane": Plane, "Flight": Flight, "Crew": Crew}

    return define


BROKEN: dict[str, tuple[dict[str, t.Any], str]] = {
    "unknown column": ({"x": Sum("dely")}, r'Flight\.Janela\.x: "dely" is not a column .* delay'),
    "sum of a boolean": ({"x": Sum("late")}, r"Flight\.Janela\.x: Sum of a true-or-false .*Share"),
    "average of a boolean": ({"x": Average("late")}, "Average of a true-or-false"),
    "sum of a text": (
        {"x": Sum("tail")},
        'and this column is text. "Flight" has the numbers .*delay.*CountDistinct',
    ),
    "smallest text": ({"x": Minimum("tail")}, "Minimum needs a number or a time"),
    "json dimension": ({"x": Dimension("extra")}, "JSON column cannot be grouped"),
    "time as a category": ({"x": Dimension("left_at")}, r'TimeDimension\("left_at"\)'),
    "category as a time": ({"x": TimeDimension("tail")}, "is text, not a date or a time"),
    "hours of a date": ({"x": TimeDimension("day", granularity="hour")}, "use one of day"),
    "unknown zone": ({"x": TimeDimension("left_at", stored="Mars")}, "IANA time zone"),
    "unknown granularity": (
        {"x": TimeDimension("left_at", granularity=t.cast("t.Any", "decade"))},
        "use one of hour, day",
    ),
    "path over to-many": ({"x": Dimension("crew.name")}, "leads to many rows"),
    "path over a key that is not unique": ({"x": Dimension("by_tail.make")}, "not unique"),
    "path over nothing": ({"x": Dimension("pilot.name")}, "not a relationship of Flight"),
    "relationship alone": ({"x": Dimension("plane")}, '"plane.id"'),
    "ratio of nothing": ({"n": Count(), "x": Ratio("m", "n")}, '"m", which is not a measure'),
    "ratio of a dimension": (
        {"n": Count(), "d": Dimension("tail"), "x": Ratio("d", "n")},
        '"d", which is not a measure',
    ),
    "ratio of itself": ({"x": Ratio("y", "y"), "y": Ratio("x", "x")}, "divides itself"),
    "ratio of a time": (
        {"n": Count(), "m": Minimum("left_at"), "x": Ratio("m", "n")},
        "which is a time",
    ),
    "share of a number": ({"x": Share("delay")}, "a condition that is true or false"),
    "where that is no condition": ({"x": Count(where=lambda f: f.delay)}, "is not a condition"),
    "precision": ({"x": Sum("delay", precision=11)}, "whole number from 0 to 10"),
    "currency": ({"x": Sum("delay", currency="EURO")}, "ISO 4217"),
    "better": ({"x": Sum("delay", better=t.cast("t.Any", "more"))}, '"higher" or "lower"'),
    "function that fails": ({"x": Sum(lambda f: f.nothing)}, "its function failed on Flight"),
    "function of nothing": ({"x": Sum(lambda f: 3)}, "not an expression"),
    "measure over a path": ({"x": Sum("plane.id")}, "the model's own columns"),
    "label of an impossible key": (
        {"x": Dimension("late", labels={"maybe": "Maybe"})},
        "use true or false",
    ),
    "sum of a sum": ({"x": Sum(lambda f: sa.func.sum(f.delay))}, "aggregates by itself"),
    "window": (
        {"x": Sum(lambda f: sa.func.row_number().over(order_by=f.id))},
        "aggregates by itself",
    ),
    "where by name": ({"x": Count(where=t.cast("t.Any", "late"))}, r"lambda row: row\.late"),
    "order that is a text": ({"x": Dimension("tail", order="new")}, 'order is "new"; give a list'),
    "untyped function": ({"x": Sum(lambda f: sa.func.anything(f.delay))}, "what type"),
    "decorated sum": ({"x": Sum("cents")}, "Cents makes other values of the Integer"),
    "decorated category": ({"x": Dimension("cents")}, "Cents makes other values"),
    "hybrid over another table": ({"x": Sum("plane_weight")}, "also reads plane"),
    "hybrid category over another table": ({"x": Dimension("plane_weight")}, "also reads plane"),
    "path over a partial key": ({"x": Dimension("by_make.tail")}, "not unique"),
    "path by one of two columns": ({"x": Dimension("either.make")}, "not unique"),
    "path by an inequality": ({"x": Dimension("earlier.make")}, "not unique"),
    "one column in two zones": (
        {
            "a": TimeDimension("left_at"),
            "b": TimeDimension("left_at", stored="Asia/Tokyo"),
            "x": Minimum("left_at"),
        },
        "stored in Asia/Tokyo, UTC; one column is in one zone",
    ),
    "records of nothing": ({"x": Records()}, "at least one column"),
    "two records": ({"x": Records("tail"), "y": Records("tail")}, "records twice"),
    "record of a missing column": ({"x": Records("tial")}, '"tial" is not a column'),
}


@pytest.mark.parametrize(("members", "said"), BROKEN.values(), ids=BROKEN.keys())
def test_a_declaration_that_cannot_work_is_refused(members: dict[str, t.Any], said: str) -> None:
    """Each says where it is and what would work."""
    members = {"flights": Count(), **members}
    vocabulary = type(Vocabulary)("Janela", (Vocabulary,), dict(members))
    with (
        host(_flight(lambda: vocabulary)) as h,
        pytest.raises(DeclarationError, match=said) as raised,
    ):
        h.janela.check()
    assert "Flight" in str(raised.value)


def test_a_measure_over_another_table_is_refused() -> None:
    """A function that reads a table it does not join would multiply the rows."""

    def define(db: t.Any) -> dict[str, t.Any]:
        models = shop(db)
        customer, order = models["Customer"], models["Order"]
        order.Janela.declarations["x"] = Sum(lambda o: o.quantity + customer.id)
        return models

    with host(define) as h, pytest.raises(DeclarationError, match="also reads customer"):
        h.janela.check()


def test_a_correlated_measure_is_allowed_and_counts_right() -> None:
    """A relationship's any() is a condition of the row itself."""

    def define(db: t.Any) -> dict[str, t.Any]:
        models = shop(db)
        order = models["Order"]
        order.Janela.declarations["tagged"] = Count(where=lambda o: o.tags.any())
        return models

    with host(define) as h:
        h.add(*(h.models.Order(id=i) for i in (1, 2, 3)))
        h.add(*(h.models.Tag(order_id=i) for i in (1, 1, 3)))
        assert h.janela.ask("orders", "tagged", caller="x").total == 2


def test_two_declarations_of_one_name_are_refused_where_they_stand() -> None:
    """Python would let the second replace the first in silence."""
    with pytest.raises(DeclarationError, match='declares "late" twice'):

        class Janela(Vocabulary):
            late = Count()
            late = Dimension("status")  # type: ignore[assignment]


def test_a_declaration_that_was_not_called_is_refused() -> None:
    """``flights = Count`` instead of ``Count()`` would declare nothing."""
    with pytest.raises(DeclarationError, match=r"call it, flights = Count\(\.\.\.\)"):

        class Janela(Vocabulary):
            flights = Count


@pytest.mark.parametrize("name", ["Flights", "2nd", "late-ones", "a" * 41, "_late", "é"])
def test_names_that_could_not_stand_in_a_url_are_refused(name: str) -> None:
    """The rule is said with the name."""
    with pytest.raises(DeclarationError, match="small letters, digits and underscores"):
        type(Vocabulary)("Janela", (Vocabulary,), {name: Count()})


def test_an_operator_cannot_name_a_dimension() -> None:
    """``status.not`` must mean one thing."""
    with pytest.raises(DeclarationError, match="is an operator of filters"):
        type(Vocabulary)("Janela", (Vocabulary,), {"last": Dimension("status")})


def test_two_models_of_one_name_are_refused() -> None:
    """Both classes are named."""

    def define(db: t.Any) -> dict[str, t.Any]:
        class One(db.Model):  # type: ignore[name-defined,misc]
            id: Mapped[int] = mapped_column(primary_key=True)

            class Janela(Vocabulary, name="things"):
                things = Count()

        class Two(db.Model):  # type: ignore[name-defined,misc]
            id: Mapped[int] = mapped_column(primary_key=True)

            class Janela(Vocabulary, name="things"):
                things = Count()

        return {"One": One, "Two": Two}

    with (
        host(define) as h,
        pytest.raises(DeclarationError, match='One and Two are both called "things"'),
    ):
        h.janela.check()


def test_a_declaration_taken_away_stays_away() -> None:
    """Also in what is made from the vocabulary that took it away."""

    class Whole(Vocabulary):
        open = Count()
        secret = Sum("margin")

    class Less(Whole):
        secret = None  # type: ignore[assignment]

    class Again(Less):
        pass

    assert list(Less.declarations) == list(Again.declarations) == ["open"]


def test_a_path_into_another_database_is_refused() -> None:
    """No statement could join the two."""

    def define(db: t.Any) -> dict[str, t.Any]:
        class Far(db.Model):  # type: ignore[name-defined,misc]
            __bind_key__ = "far"
            id: Mapped[int] = mapped_column(primary_key=True)
            name: Mapped[str]

        class Near(db.Model):  # type: ignore[name-defined,misc]
            id: Mapped[int] = mapped_column(primary_key=True)
            far_id: Mapped[int]
            far: Mapped[Far] = relationship(
                primaryjoin=lambda: orm.foreign(Near.far_id) == Far.id, viewonly=True
            )

            class Janela(Vocabulary, name="nears"):
                nears = Count()
                far = Dimension("far.name")

        return {"Far": Far, "Near": Near}

    with (
        host(define, SQLALCHEMY_BINDS={"far": "sqlite://"}) as h,
        pytest.raises(DeclarationError, match="in another database"),
    ):
        h.janela.check()


def test_concrete_inheritance_over_a_union_is_refused() -> None:
    """Statements over its columns would multiply the rows."""
    from sqlalchemy.ext.declarative import ConcreteBase

    def define(db: t.Any) -> dict[str, t.Any]:
        class Person(ConcreteBase, db.Model):  # type: ignore[name-defined,misc]
            id: Mapped[int] = mapped_column(primary_key=True)
            __mapper_args__ = {"polymorphic_identity": "person", "concrete": True}

            class Janela(Vocabulary, name="people"):
                people = Count()

        class Boss(Person):
            __tablename__ = "boss"
            id: Mapped[int] = mapped_column(primary_key=True)
            __mapper_args__ = {"polymorphic_identity": "boss", "concrete": True}
            Janela = None

        return {"Person": Person, "Boss": Boss}

    with host(define) as h, pytest.raises(DeclarationError, match="concrete inheritance"):
        h.janela.check()


def test_a_class_janela_that_is_no_vocabulary_is_refused() -> None:
    """It would declare nothing, without a word."""

    def define(db: t.Any) -> dict[str, t.Any]:
        class Thing(db.Model):  # type: ignore[name-defined,misc]
            id: Mapped[int] = mapped_column(primary_key=True)

            class Janela:
                things = Count()

        return {"Thing": Thing}

    with host(define) as h, pytest.raises(DeclarationError, match="class Janela\\(Vocabulary\\)"):
        h.janela.check()


class Kind(enum.Enum):
    PLAIN = "plain"
    GIFT = "gift"


def _inheritance(db: t.Any) -> dict[str, t.Any]:
    class Parcel(db.Model):  # type: ignore[name-defined,misc]
        id: Mapped[int] = mapped_column(primary_key=True)
        kind: Mapped[str]
        weight: Mapped[int]
        ribbon: Mapped[str | None]
        __mapper_args__ = {"polymorphic_on": "kind", "polymorphic_identity": "plain"}

        class Janela(Vocabulary, name="parcels"):
            parcels = Count()
            weight = Sum("weight")
            kind = Dimension()

    class GiftParcel(Parcel):
        __mapper_args__ = {"polymorphic_identity": "gift"}

    class HeavyParcel(Parcel):
        __mapper_args__ = {"polymorphic_identity": "heavy"}

        class Janela(Parcel.Janela, name="heavy"):  # type: ignore[misc]
            heaviest = Sum("weight")
            weight = None

    class LetterParcel(Parcel):
        __mapper_args__ = {"polymorphic_identity": "letter"}

        class Janela(Vocabulary, name="letters"):
            letters = Count()

    return {"Parcel": Parcel, "Gift": GiftParcel, "Heavy": HeavyParcel, "Letter": LetterParcel}


def test_a_single_table_subclass_inherits_extends_or_replaces() -> None:
    """Each has its own name and counts its own rows only."""
    with host(_inheritance) as h:
        catalogue = h.janela.check()
        h.add(
            h.models.Parcel(weight=1),
            h.models.Gift(weight=2),
            h.models.Gift(weight=3),
            h.models.Heavy(weight=50),
            h.models.Letter(weight=0),
        )

        assert list(catalogue.models) == ["gift_parcel", "heavy", "letters", "parcels"]
        assert list(catalogue.models["gift_parcel"].measures) == ["parcels", "weight"]
        assert list(catalogue.models["heavy"].measures) == ["parcels", "heaviest"]
        assert list(catalogue.models["letters"].measures) == ["letters"]
        assert h.janela.ask("parcels", "parcels", caller="x").total == 5
        assert h.janela.ask("gift_parcel", "weight", caller="x").total == 5
        assert h.janela.ask("heavy", "heaviest", caller="x").total == 50
        by_kind = h.janela.ask("gift_parcel", "parcels", by="kind", caller="x")
        assert [(row.key, row.value) for row in by_kind.rows] == [("gift", 2)]


def test_a_model_that_someone_else_owns_is_described() -> None:
    """Its rows are asked like any other's."""

    def define(db: t.Any) -> dict[str, t.Any]:
        class Ticket(db.Model):  # type: ignore[name-defined,misc]
            id: Mapped[int] = mapped_column(primary_key=True)
            topic: Mapped[str]

        return {"Ticket": Ticket}

    class Tickets(Vocabulary, name="tickets"):
        tickets = Count()
        topics = CountDistinct("topic")

    with host(define) as h:
        h.janela.describe(h.models.Ticket, Tickets)
        h.add(*(h.models.Ticket(topic=topic) for topic in ("a", "b", "a")))
        assert h.janela.ask("tickets", "tickets", caller="x").total == 3
        assert h.janela.ask("tickets", "topics", caller="x").total == 2


def test_the_format_comes_from_the_declaration_then_the_column() -> None:
    """Decimals shown: declared, else the column's scale, else 0 for counts and 2 for averages."""
    with host(shop) as h:
        measures = h.janela.check().models["orders"].measures
        shown = {name: (m.format.precision, m.format.percent) for name, m in measures.items()}
        assert shown["orders"] == (0, False)
        assert shown["quantity"] == (0, False)
        assert shown["revenue"] == (2, False)
        assert shown["average_amount"] == (2, False)
        assert shown["open_share"] == (1, True)
        assert shown["paid_share"] == (1, True)


def test_declarations_are_checked_at_the_first_request() -> None:
    """A broken declaration is a clear error of the whole application, not of some later page."""
    vocabulary = type(Vocabulary)("Janela", (Vocabulary,), {"x": Sum("dely")})
    with host(_flight(lambda: vocabulary)) as h:
        h.app.add_url_rule("/health", view_func=lambda: "fine")
        with pytest.raises(DeclarationError, match="dely"):
            h.app.test_client().get("/health")
