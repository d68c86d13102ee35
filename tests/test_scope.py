"""Whatever shape a scope has, an answer counts the rows it returns, each once."""

from __future__ import annotations

import collections.abc as cabc
import pathlib
import typing as t

import pytest
import sqlalchemy as sa
from hosts import Host, host, shop
from sqlalchemy import orm
from sqlalchemy.orm import Mapped, mapped_column

from flask_janela import Count, Dimension, Frame, NotFound, Unscoped, Vocabulary
from flask_janela.query import scope as scopes


def _stock(h: Host) -> None:
    customer, order, tag = h.models.Customer, h.models.Order, h.models.Tag
    h.add(customer(id=1, name="a", region="EU"), customer(id=2, name="b", region="US"))
    h.add(*(order(id=i, customer_id=i % 2 + 1, quantity=i, status="open") for i in range(1, 9)))
    h.add(*(tag(order_id=i) for i in (1, 1, 1, 2, 2, 5)))


SHAPES: dict[str, cabc.Callable[[Host], t.Any]] = {
    "everything": lambda h: sa.select(h.models.Order),
    "where": lambda h: sa.select(h.models.Order).where(h.models.Order.quantity > 3),
    "two wheres, ordered": lambda h: (
        sa.select(h.models.Order)
        .where(h.models.Order.quantity > 2)
        .where(h.models.Order.customer_id == 1)
        .order_by(h.models.Order.id)
    ),
    "join to one": lambda h: (
        sa.select(h.models.Order)
        .join(h.models.Order.customer)
        .where(h.models.Customer.region == "EU")
    ),
    "join to many": lambda h: sa.select(h.models.Order).join(h.models.Order.tags),
    "cross join in where": lambda h: sa.select(h.models.Order).where(
        h.models.Order.id == h.models.Tag.order_id
    ),
    "cross join in where, after a subquery": lambda h: sa.select(h.models.Order).where(
        h.models.Order.id == h.models.Tag.order_id,
        h.models.Order.id.in_(sa.select(h.models.Tag.order_id)),
    ),
    "where and join to many": lambda h: (
        sa.select(h.models.Order).join(h.models.Order.tags).where(h.models.Order.quantity > 1)
    ),
    "where and limit": lambda h: (
        sa.select(h.models.Order)
        .where(h.models.Order.quantity > 1)
        .order_by(h.models.Order.id)
        .limit(3)
    ),
    "distinct": lambda h: sa.select(h.models.Order).join(h.models.Order.tags).distinct(),
    "limit": lambda h: sa.select(h.models.Order).order_by(h.models.Order.id.desc()).limit(3),
    "offset": lambda h: sa.select(h.models.Order).order_by(h.models.Order.id).offset(6),
    "group by": lambda h: (
        sa.select(h.models.Order)
        .join(h.models.Order.tags)
        .group_by(*h.models.Order.__table__.columns)
        .having(sa.func.count() > 1)
    ),
    "union": lambda h: sa.union(
        sa.select(h.models.Order).where(h.models.Order.quantity < 3),
        sa.select(h.models.Order).where(h.models.Order.quantity < 5),
    ),
    "union of all, limited": lambda h: (
        sa.union_all(sa.select(h.models.Order), sa.select(h.models.Order))
        .order_by(sa.literal_column("id"))
        .limit(5)
    ),
    "exists": lambda h: sa.select(h.models.Order).where(h.models.Order.tags.any()),
    "text": lambda h: sa.select(h.models.Order).where(sa.text("quantity > 5")),
    "text with a name that a related model has too": lambda h: sa.select(h.models.Order).where(
        sa.text("id > 5")
    ),
    "legacy query": lambda h: h.db.session.query(h.models.Order).filter_by(customer_id=2),
    "legacy query with a join": lambda h: h.db.session.query(h.models.Order).join(
        h.models.Order.tags
    ),
    "legacy union": lambda h: (
        h.db.session.query(h.models.Order)
        .filter(h.models.Order.quantity < 3)
        .union(h.db.session.query(h.models.Order).filter(h.models.Order.quantity > 6))
    ),
    "loader options": lambda h: sa.select(h.models.Order).options(
        orm.joinedload(h.models.Order.tags)
    ),
    "nothing": lambda h: sa.select(h.models.Order).where(sa.false()),
}


def _rows(h: Host, scope: t.Any) -> list[t.Any]:
    """The rows a scope returns, each once, as the host itself would load them."""
    if isinstance(scope, orm.Query):
        found = scope.all()
    elif isinstance(scope, sa.CompoundSelect):
        found = h.db.session.scalars(sa.select(h.models.Order).from_statement(scope)).all()
    else:
        found = h.db.session.scalars(scope).unique().all()
    return list({row.id: row for row in found}.values())


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())
def test_an_answer_equals_a_loop_over_the_rows_of_its_scope(
    shape: cabc.Callable[[Host], t.Any],
) -> None:
    """For every shape of scope: how many, how much, and by a related column."""
    with host(shop, scoped=False) as h:
        _stock(h)
        h.janela.scope(lambda model, caller: shape(h))
        rows = _rows(h, shape(h))
        regions: dict[str, int] = {}
        for row in rows:
            regions[row.customer.region] = regions.get(row.customer.region, 0) + 1

        assert h.janela.ask("orders", "orders", caller="x").total == len(rows)
        assert h.janela.ask("orders", "quantity", caller="x").total == sum(
            row.quantity for row in rows
        )
        by_region = h.janela.ask("orders", "orders", by="region", caller="x")
        assert {row.key: row.value for row in by_region.rows} == regions


def test_a_composite_key_is_matched_whole() -> None:
    """A scope that joins over a two-column key counts each row once, and no others."""

    def define(db: t.Any) -> dict[str, t.Any]:
        class Seat(db.Model):  # type: ignore[name-defined,misc]
            row: Mapped[int] = mapped_column(primary_key=True)
            place: Mapped[str] = mapped_column(primary_key=True)

            class Janela(Vocabulary, name="seats"):
                seats = Count()
                place = Dimension()

        class Booking(db.Model):  # type: ignore[name-defined,misc]
            id: Mapped[int] = mapped_column(primary_key=True)
            row: Mapped[int]
            place: Mapped[str]

        return {"Seat": Seat, "Booking": Booking}

    with host(define, scoped=False) as h:
        seat, booking = h.models.Seat, h.models.Booking
        h.add(*(seat(row=r, place=p) for r in (1, 2) for p in "ABC"))
        h.add(*(booking(row=r, place=p) for r, p in [(1, "A"), (1, "A"), (2, "B")]))
        h.janela.scope(
            lambda model, caller: sa.select(seat).join(
                booking, sa.and_(booking.row == seat.row, booking.place == seat.place)
            )
        )

        result = h.janela.ask("seats", "seats", by="place", caller="x")

        assert {row.key: row.value for row in result.rows} == {"A": 1, "B": 1}


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda h: None, "answered None"),
        (lambda h: [], "with a list"),
        (lambda h: True, "with a bool"),
        (lambda h: sa.select(h.models.Customer), "a select of Customer"),
        (lambda h: sa.select(h.models.Order.id), "a select of id"),
        (lambda h: sa.select(orm.aliased(h.models.Order)), "a select of"),
        (lambda h: h.models.Order.quantity > 3, "BinaryExpression"),
        (
            lambda h: sa.union(sa.select(h.models.Order), sa.select(h.models.Customer)),
            "CompoundSelect",
        ),
        (
            lambda h: sa.union(
                sa.select(h.models.Order),
                sa.text('SELECT * FROM "order"').columns(*h.models.Order.__table__.columns),
            ),
            "CompoundSelect",
        ),
        (lambda h: sa.select(h.models.Order, h.models.Customer), "a select of Order, Customer"),
        (
            lambda h: h.db.session.query(h.models.Order).from_statement(
                sa.text('SELECT * FROM "order"')
            ),
            "with a Query",
        ),
    ],
    ids=[
        "none",
        "list",
        "bool",
        "other model",
        "column",
        "alias",
        "condition",
        "mixed union",
        "union with a text",
        "two models",
        "legacy query from a text",
    ],
)
def test_an_answer_that_is_no_select_of_the_model_raises(
    answer: cabc.Callable[[Host], t.Any], said: str
) -> None:
    """The model and what came are named; nothing is read."""
    with host(shop, scoped=False) as h:
        h.janela.scope(lambda model, caller: answer(h))

        with pytest.raises(Unscoped, match=said) as raised:
            h.janela.ask("orders", "orders", caller="x")

        assert "The scope of Order" in str(raised.value)


def test_what_a_scope_carries_beside_its_rows_is_refused() -> None:
    """Criteria and execution options would be lost, and the caller would read more."""
    with host(shop, scoped=False) as h:
        order = h.models.Order
        criteria = orm.with_loader_criteria(order, order.status == "open")
        scopes_ = [
            sa.select(order).options(criteria),
            sa.select(order).options(criteria).distinct(),
            sa.union(sa.select(order).options(criteria), sa.select(order)),
            sa.union(sa.select(order), sa.select(order).options(criteria)),
            sa.select(order).execution_options(tenant="a"),
        ]
        h.janela.scope(lambda model, caller: scopes_[caller])
        for number in range(len(scopes_)):
            with pytest.raises(Unscoped, match=r"would be lost .* say the same in \.where"):
                h.janela.ask("orders", "orders", caller=number)


def test_a_union_of_unions_is_looked_into() -> None:
    """Each select within is of the model and carries nothing, however deep the brackets are."""
    with host(shop, scoped=False) as h:
        order = h.models.Order
        plain = sa.union(sa.select(order), sa.select(order))
        criteria = orm.with_loader_criteria(order, order.status == "open")
        narrowed = sa.union(sa.select(order), sa.select(order).options(criteria))

        nested = sa.union(plain, sa.select(order))
        assert scopes.scope_of(lambda model, caller: nested, order, "x") is nested
        for refused in (narrowed, sa.union(sa.select(order), sa.select(h.models.Customer))):
            around = sa.union(sa.select(order), refused)
            with pytest.raises(Unscoped):
                scopes.scope_of(lambda model, caller, each=around: each, order, "x")


def test_a_scope_that_raises_is_not_swallowed() -> None:
    """The host's own exception comes through as it is."""
    with host(shop, scoped=False) as h:

        @h.janela.scope
        def scope(model: type, caller: t.Any) -> t.Any:
            raise PermissionError("not on Sundays")

        with pytest.raises(PermissionError, match="Sundays"):
            h.janela.ask("orders", "orders", caller="x")


def test_without_a_scope_nothing_can_be_asked() -> None:
    """The reading is refused before any name is looked at, and says how to write a scope."""
    with host(shop, scoped=False) as h:
        with pytest.raises(Unscoped, match=r"@janela\.scope above def scope"):
            h.janela.ask("nonsense", "nonsense", caller="x")
        with pytest.raises(Unscoped):
            h.janela.reader("x")


def test_the_scope_is_asked_anew_for_every_question() -> None:
    """Nothing of one caller's reading is kept for the next."""
    with host(shop, scoped=False) as h:
        _stock(h)
        asked: list[t.Any] = []

        @h.janela.scope
        def scope(model: t.Any, caller: t.Any) -> t.Any:
            asked.append(caller)
            return sa.select(model).where(model.quantity == caller)

        assert h.janela.ask("orders", "orders", caller=1).total == 1
        assert h.janela.ask("orders", "quantity", caller=5).total == 5
        assert asked == [1, 5]


def test_a_frame_out_of_scope_and_one_that_is_missing_are_the_same() -> None:
    """Frames are narrowed by the same function as everything else."""
    with host(shop, scoped=False) as h:
        h.janela.scope(lambda model, caller: sa.select(model).where(model.owner_id == caller))
        Frame.for_owner(("team", "a"), "mine", name="Mine")
        Frame.for_owner(("team", "b"), "theirs", name="Theirs")

        reader = h.janela.reader("a")

        assert [f.name for f in h.db.session.scalars(reader.select(Frame))] == ["Mine"]


def test_unknown_and_forbidden_names_are_refused_alike() -> None:
    """A measure for somebody else is told apart from a missing one by nothing."""
    with host(shop) as h:
        messages = []
        for name in ("margin", "nargim"):
            with pytest.raises(NotFound) as raised:
                h.janela.ask("orders", name, caller="ana")
            messages.append(str(raised.value).replace(name, "…"))

        assert messages[0] == messages[1]
        assert "margin" not in messages[0]
        assert h.janela.ask("orders", "margin", caller="boss").total == 0


def test_only_one_function_narrows() -> None:
    """Nothing else calls the host's function, and only the reader and frames run statements.

    The doctor and the proofs for hosts answer nobody: they look at what the others do.
    """
    package = pathlib.Path(scopes.__file__).parent.parent

    def using(*words: str) -> list[str]:
        return sorted(
            path.relative_to(package).as_posix()
            for path in package.rglob("*.py")
            if any(word in path.read_text() for word in words)
            and path.relative_to(package).parts[0] not in {"doctor", "testing"}
        )

    assert using(" narrow(", "scope_of(") == ["query/reader.py", "query/scope.py"]
    running = using("session.execute(", "session.scalar(", "session.scalars(", "session.get(")
    assert [path for path in running if not path.startswith("frames/")] == [
        "caller.py",  # who is asking, before there is a reader
        "query/running.py",
    ]
