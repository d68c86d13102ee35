"""``flask_janela.testing``: a host that is well passes, and each way of leaking fails."""

from __future__ import annotations

import collections.abc as cabc
import contextlib
import types
import typing as t

import flask
import jinja2
import pytest
import sqlalchemy as sa
from flask import Flask
from flask_sqlalchemy import SQLAlchemy
from hosts import Host, host
from sqlalchemy.orm import Mapped, mapped_column, relationship

from flask_janela import (
    Average,
    Count,
    Dimension,
    Frame,
    JanelaError,
    NotFound,
    Records,
    Sum,
    Vocabulary,
    testing,
)
from flask_janela.frames import add_pane
from flask_janela.query import asking, members, records
from flask_janela.testing import leaks, routes


def define(db: SQLAlchemy) -> dict[str, t.Any]:
    class Customer(db.Model):  # type: ignore[name-defined,misc]
        __tablename__ = "customers"
        id: Mapped[int] = mapped_column(primary_key=True)
        name: Mapped[str]

    class Order(db.Model):  # type: ignore[name-defined,misc]
        __tablename__ = "orders"
        id: Mapped[int] = mapped_column(primary_key=True)
        region: Mapped[str]
        product: Mapped[str | None]
        size: Mapped[int]
        amount: Mapped[int]
        customer_id: Mapped[int | None] = mapped_column(sa.ForeignKey(Customer.id))
        customer: Mapped[Customer | None] = relationship()

        class Janela(Vocabulary):
            orders = Count()
            revenue = Sum("amount")
            average = Average("amount")
            product = Dimension()
            size = Dimension()
            customer = Dimension("customer.name")
            rows = Records("product", "amount", "customer")

    return {"Order": Order, "Customer": Customer}


def by_region(model: t.Any, caller: t.Any) -> t.Any:
    if model is Frame:
        return sa.select(Frame).where(Frame.owner_id == caller.region)
    return sa.select(model).where(model.region == caller.region)


Break = cabc.Callable[[Host], t.Any]


@contextlib.contextmanager
def shop(scope: t.Any = by_region, **config: t.Any) -> cabc.Iterator[Host]:
    """Ana of the north and Ben of the south, with orders of their own and a product in common."""
    with host(define, scoped=False, JANELA_RENDER_SECONDS=60, **config) as made:
        made.janela.scope(scope)
        made.janela.owner(lambda caller: ("region", caller.region))
        for person, region in (("ana", "north"), ("ben", "south")):
            made.people[person].region = region
        order, customer = made.models.Order, made.models.Customer
        made.add(customer(id=1, name="Ferreira & Filhos"), customer(id=2, name="Widgets of Leeds"))
        made.add(
            order(region="north", product="Harness", size=3, amount=10, customer_id=2),
            order(region="north", product="Lantern", size=4, amount=20, customer_id=2),
            order(region="south", product="Lantern", size=5, amount=30, customer_id=1),
            order(region="south", product="Azulejo", size=5, amount=40, customer_id=1),
            order(region="south", product=None, size=6, amount=50),
        )
        yield made


def prove(made: Host, **more: t.Any) -> testing.Walked:
    people = made.people
    return testing.assert_scoped(
        made.janela, made.models.Order, people["ana"], people["ben"], **more
    )


def leaking(made: Host, **more: t.Any) -> str:
    """What the proof fails with."""
    with pytest.raises(AssertionError) as caught:
        prove(made, **more)
    assert not isinstance(caught.value, testing.Incomplete), caught.value
    return str(caught.value)


def frames_of(made: Host) -> list[Frame]:
    made.db.session.rollback()
    return list(made.db.session.scalars(sa.select(Frame)))


def test_a_host_that_is_well_is_proved_through_every_route_and_tool() -> None:
    """All that are read and that the callers may open; the walk leaves no frame behind."""
    with shop() as made:
        walked = prove(made, may_read=lambda order, caller: order.region == caller.region)
        roster = {"roster", "tool", "roster_json", "roster_csv"}
        assert walked.routes == routes.KNOWN - roster
        assert walked.tools == {
            *("describe_vocabulary", "list_frames", "get_frame", "read_pane", "read_measure"),
            *("find_orders", "count_orders"),
        }
        assert frames_of(made) == []


def test_the_roster_is_walked_where_somebody_may_see_it() -> None:
    with shop() as made:
        made.janela._hooks.scope = lambda model, caller: (
            by_region(model, caller)
            if hasattr(model, "region") or model is Frame
            else sa.select(model)
        )
        made.janela.permission(lambda caller, action, subject=None: True)
        assert prove(made).routes == routes.KNOWN


def test_the_walk_knows_every_page_that_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is added later cannot be forgotten."""
    with shop() as made:
        routes.check_known(made.app)
        monkeypatch.setattr(routes, "KNOWN", routes.KNOWN - {"export_rows"})
        with pytest.raises(JanelaError, match="does not know the pages export_rows"):
            prove(made)


def test_a_scope_that_does_not_go_by_its_caller() -> None:
    with shop(lambda model, caller: sa.select(model)) as made:
        said = leaking(made)
        assert "user:ana and user:ben may read the same 5 rows of Order" in said
        assert "let the scope of Order go by the caller" in said


def test_a_scope_that_shows_too_much_is_held_against_the_hosts_own_word() -> None:
    """Both have rows of their own, so nothing else could tell."""

    def too_wide(model: t.Any, caller: t.Any) -> t.Any:
        if model is Frame:
            return by_region(model, caller)
        return sa.select(model).where(
            sa.or_(model.region == caller.region, model.product == "Lantern")
        )

    with shop(too_wide) as made:
        prove(made)
        said = leaking(made, may_read=lambda order, caller: order.region == caller.region)
        assert "shows user:ana the Order 3, which may_read says they may not read" in said


def _by_session(model: t.Any, caller: t.Any) -> t.Any:
    """Right outside of requests; in one it lets a region be chosen that is anybody's."""
    if model is not Frame and flask.has_request_context():
        return sa.select(model)
    return by_region(model, caller)


def test_a_scope_that_answers_otherwise_in_a_request() -> None:
    """Told by the file, the option list, the rows and the page; tools have no request."""
    with shop(_by_session) as made:
        said = leaking(made)
        assert "Rows of Order that only user:ben may read reached user:ana:" in said
        assert "GET /janela/ask/orders/orders/product.csv told the product “Azulejo”." in said
        assert (
            "GET /janela/ask/orders/orders.csv told 5 rows, of which there are 2 for them" in said
        )
        assert "let it go by the caller that it is given, not by current_user" in said
        assert frames_of(made) == []


def test_a_scope_that_answers_otherwise_in_a_tool() -> None:
    """As one does that is wide open where there is no request."""
    armed: list[bool] = []

    def by_armed(model: t.Any, caller: t.Any) -> t.Any:
        if model is not Frame and armed and not flask.has_request_context():
            return sa.select(model)
        return by_region(model, caller)

    with shop(by_armed) as made:
        made.janela.before_tool()(lambda *given: armed.append(True))
        said = leaking(made)
        assert "The tool read_measure(" in said
        assert "told 5 rows, of which there are 2 for them" in said
        assert "the product “Azulejo”" in said


def test_a_tool_of_the_hosts_that_reads_outside_of_the_scope() -> None:
    """By a text, or by the keys of rows."""
    with shop() as made:
        order, session = made.models.Order, made.db.session

        @made.janela.tool()
        def largest(caller) -> dict:  # type: ignore[no-untyped-def,type-arg]
            """The largest order."""
            found = session.scalars(
                sa.select(order).order_by(order.amount.desc()).offset(1)
            ).first()
            return {"of": found.customer.name, "order_id": found.id}

        said = leaking(made)
        assert "user:ana:\n  The tool largest({}) told the customer “Ferreira & Filhos”." in said
        assert "The tool largest({}) told the order_id 4." in said
        assert "Narrow what it reads to its caller" in said
        assert "janela.ask(…, caller=caller)" in said
        assert "GET " not in said
        prove(made, arguments={"largest": None})


def test_a_tool_that_needs_arguments_is_not_passed_over() -> None:
    """Nor is one that writes called, unless it is named."""
    called: list[int] = []
    with shop() as made:
        order, session = made.models.Order, made.db.session

        @made.janela.tool(read_only=False)
        def cancel(caller, order_id: int) -> dict:  # type: ignore[no-untyped-def,type-arg]
            """Cancel an order."""
            called.append(order_id)
            return {"product": session.get(order, order_id).product}

        prove(made)
        assert called == []
        said = leaking(made, arguments={"cancel": [{"order_id": 4}]})
        assert 'The tool cancel({"order_id": 4}) told the product “Azulejo”.' in said

        @made.janela.tool()
        def look(caller, order_id: int) -> dict:  # type: ignore[no-untyped-def,type-arg]
            """Look an order up."""
            if session.get(order, order_id).region != caller.region:
                raise NotFound("There is no such order.")
            return {"id": order_id}

        with pytest.raises(testing.Incomplete) as caught:
            prove(made)
        assert "Nobody said how to call look." in str(caught.value)
        assert 'arguments={"look": [{"order_id": "…"}]}' in str(caught.value)
        every = [{"order_id": id_} for id_ in range(1, 6)]
        assert "look" in prove(made, arguments={"look": every}).tools


def test_a_tool_that_breaks_down_proves_nothing() -> None:
    with shop() as made:

        @made.janela.tool()
        def broken(caller) -> dict:  # type: ignore[no-untyped-def,type-arg]
            """Break."""
            raise RuntimeError

        with pytest.raises(testing.Incomplete, match=r"The tool broken.* broke down"):
            prove(made)


BASE = """<!doctype html><title>{% block title %}{% endblock %}</title>
{% block head %}{% endblock %}{% block body %}{% endblock %}{% block content %}{% endblock %}
{% for each in customers() %}<a href="/customers?name={{ each|urlencode }}">x</a>{% endfor %}
"""


def test_a_template_of_the_hosts_that_reads_outside_of_the_scope() -> None:
    """Every page has it, in an address; a word that is no row's can be left out."""
    with shop(JANELA_BASE_TEMPLATE="base.html") as made:
        customer, session = made.models.Customer, made.db.session
        made.app.jinja_loader = jinja2.DictLoader({"base.html": BASE})  # type: ignore[assignment]
        made.app.jinja_env.globals["customers"] = lambda: session.scalars(sa.select(customer.name))
        said = leaking(made)
        assert "GET /janela/ told the customer “Ferreira & Filhos”." in said
        assert "it is a template of yours, or a partial" in said
        assert "And " in said
        prove(made, ignoring={"Ferreira & Filhos", "Widgets of Leeds"})


def test_a_partial_of_the_hosts_that_reads_outside_of_the_scope() -> None:
    with shop() as made:
        partial = {"janela_content/all.html": "<p>{{ products() }}</p>"}
        made.app.jinja_loader = jinja2.DictLoader(partial)  # type: ignore[assignment]
        made.app.jinja_env.globals["products"] = lambda: "Lantern, Harness, Azulejo"
        frame = Frame.for_owner(("region", "north"), "a", name="Week")
        add_pane(frame, kind="partial", partial="all.html")
        made.db.session.commit()
        said = leaking(made)
        assert f"GET /janela/frames/{frame.id} told the product “Azulejo”." in said
        assert "Harness" not in said


def test_what_somebody_typed_into_a_frame_that_is_shown_is_no_leak() -> None:
    """Nor is a text that is a part of one's own, or that is declared."""
    with shop() as made:
        frame = Frame.for_owner(("region", "north"), "a", name="Where is the Azulejo?")
        add_pane(frame, model="orders", measure="orders", title="Ferreira & Filhos")
        order = made.models.Order
        made.add(order(region="south", product="Revenue", size=3, amount=1))
        made.add(order(region="north", product="Two Lamps", size=3, amount=1))
        made.add(order(region="south", product="Lamps", size=3, amount=1))
        prove(made)


def test_callers_of_whom_neither_has_a_row_prove_nothing() -> None:
    with shop() as made:
        for person in made.people.values():
            person.region = "nowhere"
        with pytest.raises(testing.Incomplete, match="Neither user:ana nor user:ben may read any"):
            prove(made)


def test_one_who_reads_all_of_the_others_rows_is_proved_one_way() -> None:
    """As a lead does, and an analyst."""

    def lead(model: t.Any, caller: t.Any) -> t.Any:
        return sa.select(model) if caller.id == "ben" else by_region(model, caller)

    with shop(lead) as made:
        prove(made)


def test_a_caller_who_is_not_signed_in_proves_nothing() -> None:
    """The host says how, where it is not by Flask-Login's session."""
    asked: list[str] = []

    def sign_in(client: t.Any, caller: t.Any) -> None:
        asked.append(caller.id)
        with client.session_transaction() as session:
            session["who"] = caller.id

    with shop() as made:
        made.janela.current_caller(lambda: made.people.get(flask.session.get("who", "")))
        with pytest.raises(testing.Incomplete, match="user:ana cannot open /janela/: it answered"):
            prove(made)
        prove(made, sign_in=sign_in)
        assert asked == ["ana", "ben"]
        del made.app.login_manager  # type: ignore[attr-defined]
        with pytest.raises(JanelaError, match="say how somebody signs in: sign_in="):
            prove(made)


def test_a_frame_that_its_maker_is_not_shown_proves_nothing() -> None:
    """Unless they may not make one, and then what there is is walked."""
    with shop() as made:
        made.janela._hooks.owner = None
        with pytest.raises(testing.Incomplete, match="A frame that user:ana makes is not shown"):
            prove(made)
        assert frames_of(made) == []
        made.janela.permission(lambda caller, action, subject=None: action in ("view", "export"))
        assert "ask" in prove(made).routes


def test_a_page_that_breaks_down_proves_nothing() -> None:
    with shop(TESTING=False, PROPAGATE_EXCEPTIONS=False) as made:
        made.app.jinja_env.globals["janela_pages_broken"] = None

        @made.app.after_request
        def broken(response: flask.Response) -> flask.Response:
            if flask.request.endpoint == "janela.explore":
                response.status_code = 500
            return response

        with pytest.raises(testing.Incomplete, match="GET /janela/explore answered 500"):
            prove(made)


def test_what_it_cannot_be_about_is_said() -> None:
    with shop() as made, shop() as other, made.app.app_context():
        ana, ben = made.people["ana"], made.people["ben"]
        with pytest.raises(JanelaError, match=r"Frame declares no vocabulary.*Order do"):
            testing.assert_scoped(made.janela, Frame, ana, ben)
        with pytest.raises(JanelaError, match="another Janela's"):
            testing.assert_scoped(other.janela, other.models.Order, ana, ben)
        with pytest.raises(JanelaError, match="Give two people"):
            testing.assert_scoped(made.janela, made.models.Order, ana, None)


def test_numbers_that_only_the_other_has_are_found_among_what_is_offered() -> None:
    """Which no text could be told from."""

    def by_size(model: t.Any, caller: t.Any) -> t.Any:
        if model is Frame:
            return by_region(model, caller)
        open_ = flask.has_request_context() and flask.request.endpoint == "janela.filter"
        return sa.select(model) if open_ else by_region(model, caller)

    with shop(by_size) as made:
        assert "told the size “5” among what it offers." in leaking(made)


@pytest.mark.parametrize(
    ("module", "told"),
    [
        (asking, ["GET /janela/ask/orders/orders.csv told 5 rows", "The tool read_measure("]),
        (members, ["/filter?dimension=orders.product told the product “Azulejo”"]),
        (records, ["GET /janela/rows/orders.csv told 5 rows", "The tool find_orders({}) told"]),
        (records, ['The tool get_order({"key": "3"}) told a row that is not theirs.']),
    ],
    ids=["questions", "option lists", "rows", "single rows"],
)
def test_a_way_of_reading_that_forgot_to_narrow_is_found(
    module: types.ModuleType, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the host's scope says: what is proved is not believed."""
    narrowed: t.Any = module.Source

    def forgot(model: type, conditions: t.Any, *more: t.Any) -> t.Any:
        return narrowed(model, [], *more)

    with shop() as made:
        prove(made)
        monkeypatch.setattr(module, "Source", forgot)
        monkeypatch.setattr(leaks, "MOST_TOLD", 1000)
        said = leaking(made)
        for each in told:
            assert each in said


# frames


def hang(made: Host) -> Frame:
    frame = Frame.for_owner(("region", "north"), "week", name="The week in the north")
    add_pane(frame, model="orders", measure="orders")
    made.db.session.commit()
    return frame


def prove_frames(made: Host) -> testing.Walked:
    return testing.assert_frames_scoped(made.janela, made.people["ana"], made.people["ben"])


def test_frames_of_one_are_to_the_other_as_if_there_were_none() -> None:
    """Through every route that names a frame, and every tool; nothing is changed."""
    with shop() as made:
        frame = hang(made)
        walked = prove_frames(made)
        named = {
            rule.endpoint.removeprefix("janela.")
            for rule in made.app.url_map.iter_rules()
            if "frame_id" in rule.arguments
        }
        assert walked.routes == named
        assert walked.tools == {
            *("list_frames", "get_frame", "add_pane", "read_pane", "update_pane", "move_pane"),
            "remove_pane",
        }
        made.db.session.refresh(frame)
        assert (frame.version, len(frame.panes)) == (2, 1)


def test_frames_that_a_request_or_a_tool_shows_to_everybody() -> None:
    """Where the scope goes by the request, and where a page lists them by itself."""

    def in_requests(model: t.Any, caller: t.Any) -> t.Any:
        open_ = model is Frame and flask.has_request_context()
        return sa.select(Frame) if open_ else by_region(model, caller)

    with shop(in_requests) as made:
        frame = hang(made)
        with pytest.raises(AssertionError) as caught:
            prove_frames(made)
        said = str(caught.value)
        assert "Frames that user:ben may not see reached user:ben:" in said
        assert "GET /janela/ told the frame “The week in the north”." in said
        assert (
            f"GET /janela/frames/{frame.id} told of a frame that is not theirs: it answered 200"
            in said
        )


def test_frames_of_one_name_are_told_apart() -> None:
    """One of each team's, as a template makes them: no leak, until one is listed to the other."""
    with shop() as made:
        for region in ("north", "south"):
            Frame.for_owner(("region", region), "week", name="The week")
        made.db.session.commit()
        theirs = made.db.session.scalars(sa.select(Frame.id).order_by(Frame.id)).all()
        shown: list[int] = []

        @made.app.after_request
        def listed(response: flask.Response) -> flask.Response:
            if flask.request.endpoint == "janela.index":
                links = "".join(f'<a href="/janela/frames/{id_}">…</a>' for id_ in shown)
                response.set_data(response.get_data(as_text=True) + links)
            return response

        assert "frame" in prove_frames(made).routes
        shown.append(theirs[0])
        with pytest.raises(AssertionError) as caught:
            prove_frames(made)
        said = str(caught.value)
        assert "reached user:ben" in said
        assert f"GET /janela/ told of the frame {theirs[0]}." in said


def test_the_same_frames_prove_nothing() -> None:
    with shop() as made, pytest.raises(testing.Incomplete, match="the same frames"):
        prove_frames(made)


# nobody


def test_nobody_is_told_anything() -> None:
    with shop() as made:
        hang(made)
        walked = testing.assert_nobody_reads(made.janela, made.models.Order)
        assert walked.routes == routes.KNOWN
        assert {"find_orders", "add_pane"} <= walked.tools


def test_a_host_that_takes_everybody_for_somebody_tells_nobody_everything() -> None:
    with shop() as made:
        made.janela.current_caller(lambda: made.people["ana"])
        with pytest.raises(AssertionError) as caught:
            testing.assert_nobody_reads(made.janela, made.models.Order)
        assert "GET /janela/ told them something: it answered 200" in str(caught.value)


# the example


@pytest.fixture
def few_flights(desk_app: Flask, flight_rows: list[t.Any]) -> Flask:
    """The example with a few flights of each airline, and its frames."""
    from example_app import data
    from example_app.frames import arrange_frames
    from example_app.models import Airline, Airport, Flight, Plane, db

    by_carrier: dict[str, list[t.Any]] = {}
    for row in flight_rows:
        by_carrier.setdefault(row.carrier, []).append(row)
    few = [row for rows in by_carrier.values() for row in rows[:: max(len(rows) // 40, 1)][:40]]
    with desk_app.app_context():
        db.create_all()
        for model, rows in (
            (Airline, data.airlines()),
            (Airport, data.airports()),
            (Plane, data.planes()),
            (Flight, few),
        ):
            db.session.execute(sa.insert(model), [row._asdict() for row in rows])
        arrange_frames()
        db.session.commit()
    return desk_app


def test_the_example_keeps_its_airlines_apart(few_flights: Flask) -> None:
    """Its analysts, and its lead before them; signed in as its own page does it."""
    from example_app.desk import janela
    from example_app.models import Flight
    from example_app.people import PEOPLE

    def may_read(flight: Flight, person: t.Any) -> bool:
        return person.carrier in (None, flight.carrier)

    def sign_in(client: t.Any, person: t.Any) -> None:
        assert client.post("/sign-in", data={"person": person.id}).status_code == 303

    ua, dl, lead = (PEOPLE[each] for each in ("analyst-ua", "analyst-dl", "lead"))
    with few_flights.app_context():
        for other in (dl, lead):
            walked = testing.assert_scoped(
                janela, Flight, ua, other, may_read=may_read, sign_in=sign_in
            )
            expected = routes.KNOWN - {"roster", "tool", "roster_json", "roster_csv"}
            assert walked.routes >= expected
        testing.assert_nobody_reads(janela, Flight)
        frame = Frame.for_owner(("airline", "UA"), "ours", name="United's own week")
        add_pane(frame, model="flights", measure="flights")
        from example_app.models import db

        db.session.commit()
        testing.assert_frames_scoped(janela, ua, dl)
