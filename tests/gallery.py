"""Every page, fragment and error of a small host, in which whatever is data stands in «marks».

So that what is left of a page without them is what Janela itself says.
"""

from __future__ import annotations

import collections.abc as cabc
import contextlib
import dataclasses
import datetime as dt
import typing as t

import flask
import flask_login
import sqlalchemy as sa
from flask_sqlalchemy import SQLAlchemy
from hosts import Host, Person, host
from ledger import TOOLS, call, keep, many
from sqlalchemy.orm import Mapped, mapped_column
from werkzeug.test import TestResponse

from flask_janela import (
    Average,
    Count,
    CountDistinct,
    Dimension,
    Frame,
    Maximum,
    RateLimited,
    Ratio,
    Records,
    Share,
    Sum,
    TimeDimension,
    Vocabulary,
)
from flask_janela.calls import DeclaredTool
from flask_janela.errors import Overrun, Unauthenticated, Unavailable
from flask_janela.frames import Pane, add_pane, delete_frame, remove_pane
from flask_janela.words import say

NOW = dt.datetime(2024, 3, 1, 14, 32, 10, tzinfo=dt.UTC)
SALES, EMPTY, GONE, FULL = 1, 2, 3, 4
"""The frames: one of everything, one of nothing, a deleted one, one whose panes cannot be drawn."""


def define(db: SQLAlchemy) -> dict[str, t.Any]:
    class Order(db.Model):  # type: ignore[name-defined,misc]
        __tablename__ = "orders"
        id: Mapped[int] = mapped_column(primary_key=True)
        region: Mapped[str | None]
        amount: Mapped[t.Any] = mapped_column(sa.Numeric(10, 2))
        pieces: Mapped[int | None]
        paid: Mapped[bool | None]
        placed_at: Mapped[dt.datetime | None]
        due_on: Mapped[dt.date | None]

        class Janela(Vocabulary):
            orders = Count(label="«Orders»", description="«How many.»")
            revenue = Sum("amount", currency="USD", label="«Revenue»", better="higher")
            average = Average("amount", label="«Average»", suffix=" «u»")
            regions = CountDistinct("region", label="«Regions»")
            newest = Maximum("placed_at", label="«Newest»")
            paid_share = Share(lambda o: o.paid, label="«Paid share»", better="lower")
            per_piece = Ratio("revenue", "orders", label="«Per order»")
            secret = Sum("amount", visible_to=lambda caller: caller.id == "ben", label="«Secret»")

            region = Dimension(label="«Region»", description="«Where.»")
            number = Dimension("pieces", label="«Pieces»")
            paid = Dimension("paid", label="«Paid»")
            placed = TimeDimension("placed_at", label="«Placed»")
            due = TimeDimension("due_on", label="«Due»", granularity="day")

            rows = Records("placed", "region", "number", "paid", label="«Orders»")

    class Ticket(db.Model):  # type: ignore[name-defined,misc]
        __tablename__ = "tickets"
        id: Mapped[int] = mapped_column(primary_key=True)
        topic: Mapped[str | None]

        class Janela(Vocabulary):
            tickets = Count(label="«Tickets»")
            topic = Dimension(label="«Topic»")

    return {"Order": Order, "Ticket": Ticket}


@contextlib.contextmanager
def gallery(prepare: cabc.Callable[[Host], t.Any] = id, **config: t.Any) -> cabc.Iterator[Host]:
    """The host, outside of any context of its application: each request has its own.

    Args:
        prepare: what is done to it before the first request.
    """
    config = {"JANELA_RENDER_SECONDS": 60, "JANELA_RECORDER": "direct", **config}
    with contextlib.ExitStack() as stack:
        made = stack.enter_context(host(define, **config))
        made.app.test_client_class = flask_login.FlaskLoginClient
        made.people.update(
            ana=Person("ana", "«Reis»"), ben=Person("ben", "«Ben»"), eve=Person("eve", "«Eve»")
        )
        state = made.app.extensions["janela"]
        state.now = lambda: NOW
        state.declared_tools = _marked_tools
        made.janela.permission(_may)
        made.app.login_manager.unauthorized_handler(_stranger)  # type: ignore[attr-defined]
        prepare(made)
        _pages_of_the_host(made.app)
        _fill(made)
        yield made


def _marked_tools() -> tuple[DeclaredTool, ...]:
    return tuple(dataclasses.replace(each, description=f"«{each.description}»") for each in TOOLS)


def _stranger() -> t.NoReturn:
    raise Unauthenticated(say("Nobody is signed in."))


def _may(caller: Person, action: str, subject: t.Any = None) -> bool:
    if caller.id == "eve" and action == "view":
        raise _TROUBLE[flask.request.args["trouble"]]
    return caller.id == "ana" or action == "view"


_TROUBLE = {
    "limited": RateLimited(),
    "limited-1": RateLimited(1),
    "limited-90": RateLimited(90),
    "overrun": Overrun(30),
    "unavailable": Unavailable(),
}


def _pages_of_the_host(app: flask.Flask) -> None:
    for name, body in {
        "frame": "{{ janela_frame(1) }}",
        "pane": '{{ janela_pane("orders", "orders", by="region") }}',
        "wrong": '{{ janela_pane("orders", "nothing") }}{{ janela_frame(99) }}',
    }.items():
        app.add_url_rule(f"/own/{name}", name, lambda body=body: flask.render_template_string(body))


def _fill(made: Host) -> None:
    order = made.models.Order
    made.add(
        *(
            order(
                region=(None, "«EU»", "«US»", "«JP»")[at % 4],
                amount=at * 10,
                pieces=None if at == 5 else at % 3,
                paid=(True, False, None)[at % 3],
                placed_at=None if at == 7 else dt.datetime(2023, 9 + at % 4, 1 + at, at % 24),
                due_on=None if at == 8 else dt.date(2024, 1 + at % 2, 1 + at),
            )
            for at in range(1, 25)
        ),
        *(made.models.Ticket(topic=topic) for topic in ("«late»", "«late»", None)),
    )
    sales = Frame.for_owner(None, "sales", name="«Sales»", description="«What we sold.»")
    sales.filters = {"orders.paid.not": ["false"]}
    options: list[dict[str, t.Any]] = [
        {"measure": "orders"},
        {"measure": "revenue", "over": "placed", "prominence": 3, "height": 3},
        {"measure": "average", "over": "placed"},
        {"measure": "paid_share", "over": "placed"},
        {"measure": "orders", "dimension": "region", "limit": 2},
        {"measure": "orders", "dimension": "region", "limit": 2, "other": True, "renderer": "pie"},
        {"measure": "revenue", "dimension": "region", "renderer": "doughnut", "title": "«Ring»"},
        {"measure": "average", "dimension": "region", "renderer": "pie"},
        {"measure": "newest", "dimension": "region", "renderer": "bar"},
        {"measure": "orders", "renderer": "line"},
        {"measure": "revenue", "dimension": "placed", "companions": ["average", "region"],
         "renderer": "table"},
        {"measure": "revenue", "dimension": "placed", "value_labels": True},
        {"measure": "orders", "dimension": "due", "value_labels": True},
        {"measure": "orders", "dimension": "placed", "granularity": "week", "renderer": "bar"},
        {"model": "tickets", "measure": "tickets", "dimension": "topic"},
        {"measure": "orders", "filters": {"region": ["«nowhere»"]}, "dimension": "number"},
    ]  # fmt: skip
    for each in options:
        add_pane(sales, **{"model": "orders", **each})
    add_pane(sales, kind="text", heading="«Heading»", body="«Body»", link="/own/«frame»")
    add_pane(sales, kind="text", body="«Body alone»")
    add_pane(sales, kind="partial", partial="nothing.html")
    removed = add_pane(sales, model="orders", measure="orders", title="«Removed»")
    Frame.for_owner(None, "empty", name="«Empty»")
    gone = Frame.for_owner(None, "gone", name="«Gone»")
    full = Frame.for_owner(None, "broken", name="«Broken»")
    for at in range(4):
        add_pane(full, model="orders", measure="orders", title=f"«Broken {at}»")
    add_pane(full, model="orders", measure="secret")
    add_pane(full, model="orders", measure="orders")
    made.db.session.commit()
    remove_pane(sales, removed.id, by="user:ben")
    delete_frame(gone, by="user:ben")
    for at, change in enumerate(
        ({"granularity": "decade", "dimension": "placed"}, {"dimension": "gate"}, {"limit": 7000})
    ):
        pane = full.panes[at]
        made.db.session.execute(sa.update(Pane).where(Pane.id == pane.id).values(change))
    made.db.session.execute(sa.update(Frame).values(updated_at=dt.datetime(2023, 11, 5, 12)))
    starred = sales.id
    made.db.session.commit()
    browser = made.app.test_client(user=made.people["ana"])
    browser.post(f"/janela/frames/{starred}/star", data={"on": "1"})
    flask.g.pop("_login_user", None)
    keep(made, _calls())


def _calls() -> cabc.Iterator[t.Any]:
    for each in many(300, days=40):
        named = {"agent": each.agent and f"«{each.agent}»", "client": each.client and "«desk»"}
        failed = {"error_text": "«It broke.»"} if each.outcome == "failed" else {}
        yield dataclasses.replace(each, **named, **failed)
    yield call(started=NOW - dt.timedelta(minutes=3), forged=True)


@dataclasses.dataclass(frozen=True)
class Shot:
    """One request; ``status`` is what it is answered with."""

    address: str
    status: int = 200
    form: cabc.Mapping[str, t.Any] | None = None
    headers: cabc.Mapping[str, str] = dataclasses.field(default_factory=dict)
    person: str | None = "ana"

    def __str__(self) -> str:
        return f"{self.address} {dict(self.form or {})} {self.person} {dict(self.headers)}"

    def taken(self, made: Host, language: str = "") -> TestResponse:
        """The answer, to somebody who reads a language."""
        flask.g.pop("_login_user", None)
        flask.g.pop("_flask_babel", None)
        flask.g.pop("janela_embedded", None)
        user = made.people[self.person] if self.person else None
        browser = made.app.test_client(user=user) if user else made.app.test_client()
        headers = dict(self.headers) | ({"Accept-Language": language} if language else {})
        method = "GET" if self.form is None else "POST"
        answer = browser.open(
            self.address, method=method, data=self.form, headers=headers, buffered=True
        )
        assert answer.status_code == self.status, (str(self), answer.status, answer.text)
        return answer


@contextlib.contextmanager
def bare(
    prepare: cabc.Callable[[Host], t.Any] = id, *, tools: bool = True, **config: t.Any
) -> cabc.Iterator[Host]:
    """A host with nothing declared, arranged or recorded."""
    with host(lambda db: {}, **config) as made:
        made.app.test_client_class = flask_login.FlaskLoginClient
        made.people["ana"] = Person("ana", "«Reis»")
        state = made.app.extensions["janela"]
        state.now = lambda: NOW
        state.declared_tools = _marked_tools if tools else tuple
        made.janela.permission(lambda caller, action, subject=None: True)
        prepare(made)
        yield made


def bare_shots() -> cabc.Iterator[Shot]:
    for address in ("/", "/explore", "/tools", "/tools/read_pane", "/frames/new"):
        yield Shot(f"/janela{address}")


FRAGMENT = {"HX-Request": "true"}
BY_SCRIPT = {"Accept": "application/json"}
ELSEWHERE = {"Sec-Fetch-Site": "cross-site"}

FRAME = f"/janela/frames/{SALES}"
LONG = "x" * 300

_FILTERS = (
    "q.region=«EU»", "q.region=«EU»&q.region=«US»&q.region=«JP»", "q.region.not=«EU»",
    "q.region.null=1", "q.region.null=0", "q.region=«EU»&q.region.null=1", "q.number.gte=1",
    "q.number.lt=2", "q.placed.last=30d", "q.placed.last=1y", "q.placed.last=12w",
    "q.placed.last=36h", "q.placed.this=month", "q.placed.previous=quarter", "q.placed=2023-10",
    "q.placed.gte=2023-10-01&q.placed.lt=2023-12-01", "q.placed.gte=2023-10-05",
    "q.placed.lt=2023-11-05", "q.placed.gte=2023-10-05T12:30", "q.placed.lt=2023-10-05T12:30",
    "q.placed.null=1", "q.tickets.topic=«late»", "q.region=«nowhere»", "q.due.this=year",
    "q.placed.gte=2023-10-05T12:30&q.placed.lt=2023-10-06T12:30", "q.placed=2023-10-05T12:30",
)  # fmt: skip

_WRONG = (
    "region=EU", "region=EU&limit=3", "kiosk=2", "refresh=1", "refresh=x", "kiosk=1&kiosk=1",
    "q.country=PT", "q.region.gte=EU", "q.region.null=7", "q.placed=soon", "q.placed=9999",
    "q.placed.last=7", "q.placed.last=99999y", "q.placed.this=decade", "q.due.last=3h",
    "q.due=2024-01-01T12:00", "q.number=x", "q.paid=maybe", "q.a.b.c.d=1", "q.nothing.region=1",
    "q.placed.this=month&q.placed.this=year", "q.region.odd=1", "q.orders.odd=1",
    "&".join(f"q.number.not={at}&q.region=r{at}" for at in range(1001)),
)  # fmt: skip

_ASKED = (
    "orders", "revenue", "average", "paid_share", "per_piece", "newest", "regions",
    "revenue?over=placed", "average?over=placed&q.placed.this=year", "orders/region",
    "revenue/region?limit=2", "revenue/region?limit=2&other=1", "revenue/region?limit=1",
    "revenue/region?limit=2&order=value", "revenue/region?limit=2&order=label",
    "orders/region?renderer=pie", "orders/region?renderer=doughnut", "average/region?renderer=pie",
    "newest/region?renderer=bar", "orders?renderer=bar", "revenue/region?renderer=number",
    "orders/placed", "orders/placed?granularity=day",
    "orders/placed?granularity=week", "orders/placed?granularity=quarter",
    "orders/placed?granularity=year", "orders/placed?renderer=table&companions=average",
    "orders/placed?limit=2", "orders/region?q.region=«nowhere»", "orders/region?where.region=«EU»",
    "orders/region?q.region=«EU»&q.number=1&where.paid=true", "orders/number?companions=revenue",
    "orders/region?renderer=table&q.region=«EU»", "revenue/region?value_labels=1&renderer=line",
    "regions/region?renderer=pie", "per_piece/paid?renderer=pie", "paid_share/paid?renderer=pie",
    "orders/placed?several=1", "orders/number?q.number=1", "orders/placed?q.placed.this=year",
    "average/region?where.region=«nowhere»", "average?where.region=«nowhere»",
    "revenue?over=placed&q.placed=2023-10", "revenue?over=placed&q.placed=2023-09",
)  # fmt: skip

_UNASKED: tuple[tuple[str, int], ...] = (
    ("nothing/orders", 404), ("orders/nothing", 404), ("orders/orders/nothing", 404),
    ("orders/orders?limit=0", 400), ("orders/orders?renderer=cube", 400),
    ("orders/orders?over=region", 400), ("orders/orders/placed?granularity=hour", 400),
    ("orders/orders/due?granularity=hour", 400),
    ("orders/orders/placed?granularity=eon", 400), ("orders/orders/region?companions=nothing", 404),
    ("orders/orders/region?companions=average&companions=revenue&companions=regions"
     "&companions=newest", 400), ("orders/orders/region?order=up", 400),
    ("orders/orders?where.tickets.topic=x", 400), ("orders/orders?other=2", 400),
)  # fmt: skip

_PANE: dict[str, t.Any] = {"kind": "query", "version": "", "model": "orders"}
_WRONG_PANES: tuple[dict[str, t.Any], ...] = (
    {"measure": "nothing", "dimension": "nothing"},
    {"measure": "orders", "limit": "0", "span": "99", "height": "x", "title": LONG},
    {"measure": "orders", "filters": "region\n= x\nnothing = 1"},
    {"measure": "orders", "filters": "region.gte = 1"},
    {"measure": "orders", "filters": "tickets.topic = 1"},
    {"measure": "orders", "dimension": "region", "over": "region"},
    {"measure": "orders", "companions": ["nothing"], "dimension": "region"},
    {"measure": "orders", "renderer": "cube", "order": "up", "prominence": "9"},
    {"measure": "orders", "dimension": "due", "granularity": "hour"},
    {"measure": "orders", "title": "\x07"},
    {"model": "nothing", "measure": "orders"},
    {"model": ""},
    {"kind": "text"},
    {"kind": "text", "body": "x" * 10_001, "link": "http://elsewhere"},
    {"kind": "partial", "partial": "/etc"},
    {"kind": "partial"},
)


def shots() -> cabc.Iterator[Shot]:
    """Every page in every state, errors last of each."""
    yield from _lists()
    yield from _frames()
    yield from _questions()
    yield from _arranging()
    yield from _roster()
    yield from _refusals()


def _lists() -> cabc.Iterator[Shot]:
    for query in ("", "?search=Sal&sort=name", "?search=«nowhere»", f"?deleted={GONE}"):
        yield Shot(f"/janela/{query}")
    yield Shot("/janela/?sort=size", 400)
    yield Shot("/janela/", person="ben")


def _frames() -> cabc.Iterator[Shot]:
    for query in ("", "?kiosk=1&refresh=60", "?several=1", *(f"?{each}" for each in _FILTERS)):
        yield Shot(FRAME + query)
    yield Shot(FRAME, headers=FRAGMENT)
    yield Shot(f"{FRAME}?q.region=«EU»&q.placed.this=year", headers=FRAGMENT)
    yield Shot(f"/janela/frames/{EMPTY}")
    yield Shot(f"/janela/frames/{FULL}")
    yield Shot(FRAME, person="ben")
    yield Shot(f"/janela/frames/{EMPTY}", person="ben")
    for query in _WRONG:
        yield Shot(f"{FRAME}?{query}", 400)
    for address in ("/janela/frames/99", f"/janela/frames/{GONE}", f"{FRAME}/panes/99"):
        yield Shot(address, 404)
    for at in (1, 2, 5, 6, 17, 18, 19):
        yield Shot(f"{FRAME}/panes/{at}")
        yield Shot(f"{FRAME}/panes/{at}", headers=FRAGMENT)
    for query in ("region", "placed", "number", "due", "paid"):
        yield Shot(f"{FRAME}/filter?dimension=orders.{query}")
    for query in (
        "dimension=orders.region&q.region=«EU»&q.region.not=«US»&q.region.null=1",
        "dimension=orders.region&find=«nowhere»&do=find",
        "dimension=orders.placed&q.placed.last=12w",
        "dimension=orders.placed&q.placed.last=45d&q.placed.gte=2023-10-01",
        "dimension=tickets.topic",
    ):
        yield Shot(f"{FRAME}/filter?{query}")
    for query in (
        "dimension=orders.placed&do=apply&from=soon",
        "dimension=orders.placed&do=apply&from=2024&to=2023",
        "dimension=orders.placed&do=apply&period=last+7",
        "dimension=orders.number&do=apply&from=x",
    ):
        yield Shot(f"{FRAME}/filter?{query}", 400)
    for query in ("dimension=orders.nothing", "dimension=orders.region.not", "do=apply"):
        yield Shot(f"{FRAME}/filter?{query}", 404)
    for query in (
        "", "?q.region=«EU»", "?q.tickets.topic=«late»", "?q.region=«nowhere»", "?measure=average",
        "?measure=average&where.region=«EU»", "?where.region.null=1", "?cursor=after.5",
    ):  # fmt: skip
        yield Shot(f"/janela/rows/orders{query}")
    yield Shot(f"{FRAME}/panes/1/rows")
    yield Shot(f"{FRAME}/panes/1/rows?q.region=«EU»")
    for address in ("nothing", "tickets", "orders?measure=nothing"):
        yield Shot(f"/janela/rows/{address}", 404)
    yield Shot("/janela/rows/orders?cursor=7", 400)
    yield Shot(f"{FRAME}/panes/17/rows", 404)


def _questions() -> cabc.Iterator[Shot]:
    for asked in _ASKED:
        yield Shot(f"/janela/ask/orders/{asked}")
    yield Shot("/janela/ask/tickets/tickets/topic")
    yield Shot("/janela/ask/orders/orders/region", person="ben")
    for asked, status in _UNASKED:
        yield Shot(f"/janela/ask/{asked}", status)
    for frame, status in (("x", 400), ("99", 404)):
        yield Shot("/janela/ask/orders/orders", status, {"frame": frame})
    twice = "/janela/ask/orders/orders?where.region=«EU»&q.region=«US»"
    yield Shot(twice, 400, {"frame": str(EMPTY)})
    for query in ("", "?model=tickets", "?model=orders&measure=revenue&dimension=placed"):
        yield Shot(f"/janela/explore{query}")
    yield Shot("/janela/explore?model=nothing", 404)


def _arranging() -> cabc.Iterator[Shot]:
    edit, version = f"{FRAME}/edit", {"version": "1"}
    settings = {"name": "«Sales»", "columns": "12", "gap": "4"}
    yield Shot("/janela/frames/new")
    yield Shot("/janela/frames/new", 400, {})
    wrong = {"name": LONG, "columns": "13", "gap": "x", "filters": "nothing = 1", "description": ""}
    yield Shot("/janela/frames/new", 400, wrong)
    yield Shot("/janela/frames/new", 400, {**settings, "filters": "region"})
    yield Shot("/janela/frames/new", 400, {**settings, "name": "\x07", "columns": "13"})
    yield Shot(edit)
    yield Shot(edit, 409, {**version, **settings, "name": "«Other»", "filters": ""})
    yield Shot(edit, 400, {"version": "x", **settings})
    yield Shot(f"/janela/frames/{GONE}/edit", 409, {**version, **settings})
    yield Shot(f"{FRAME}/delete")
    yield Shot(f"{FRAME}/delete", 409, version)
    yield Shot(f"{FRAME}/arrange")
    yield Shot(f"{FRAME}/arrange?removed=20")
    yield Shot(f"{FRAME}/arrange?first=3", headers=FRAGMENT)
    for frame in (EMPTY, FULL):
        yield Shot(f"/janela/frames/{frame}/arrange")
    for change, form in {
        "move": {"to": "earlier"},
        "resize": {"span": "6", "height": "2"},
        "duplicate": {},
        "remove": {},
    }.items():
        yield Shot(f"{FRAME}/panes/2/{change}", 409, {**version, **form})
    yield Shot(f"{FRAME}/panes/2/move", 409, {**version, "to": "3"}, BY_SCRIPT)
    yield Shot(f"{FRAME}/panes/2/move", 409, {**version, "to": "3"})
    yield Shot(f"{FRAME}/panes/2/move", 400, {**version, "to": "up"})
    yield Shot(f"{FRAME}/panes/2/resize", 400, {**version, "span": "99"})
    yield Shot(f"{FRAME}/panes/2/resize", 400, version)
    yield Shot(f"{FRAME}/panes/99/remove", 404, version)
    yield Shot(f"/janela/frames/{FULL}/panes/25/duplicate", 400, version)
    new = f"{FRAME}/panes/new"
    for query in (
        "", "?model=orders", "?model=orders&measure=revenue&dimension=region", "?kind=text",
        "?kind=partial", "?model=orders&measure=average&dimension=region&filters=nothing",
        "?model=orders&measure=newest&dimension=placed&granularity=week", "?model=nothing",
        "?model=orders&measure=orders&dimension=placed&over=placed&limit=5",
    ):  # fmt: skip
        yield Shot(new + query)
    yield Shot(f"{FRAME}/panes/preview?model=orders&measure=orders")
    yield Shot(f"{FRAME}/panes/preview?model=orders&measure=nothing&fields=1")
    yield Shot(f"{FRAME}/panes/preview?kind=cube", 400)
    for pane in _WRONG_PANES:
        yield Shot(new, 400, {**_PANE, "version": "1", **pane})
    yield Shot(new, 409, {**_PANE, "version": "1", "measure": "orders"})
    stale = {**_PANE, "version": "1", "measure": "orders", "title": "«Mine»"}
    yield Shot(f"/janela/frames/{GONE}/panes/new", 409, stale)
    for at in (1, 5, 17):
        yield Shot(f"{FRAME}/panes/{at}/edit")
    yield Shot(f"{FRAME}/panes/1/edit", 409, stale)
    yield Shot(f"{FRAME}/panes/20/edit", 409, stale)
    yield Shot(f"{FRAME}/panes/20/edit", 404)
    yield Shot(f"/janela/frames/{FULL}/panes/25/edit")
    yield Shot(f"/janela/frames/{FULL}/panes/25/edit", 400, stale)


def _roster() -> cabc.Iterator[Shot]:
    for query in ("", "?window=24h", "?window=30d", "?agent=«desk-assistant»", "?sort=-calls"):
        yield Shot(f"/janela/tools{query}")
        yield Shot(f"/janela/tools/read_pane{query}")
    for name in ("add_pane", "remove_pane", "export_month", "rebook"):
        yield Shot(f"/janela/tools/{name}")
    for kind in ("failed", "refused", "invalid"):
        yield Shot(f"/janela/tools/read_pane?outcome={kind}&window=30d")
    yield Shot("/janela/tools/read_pane?outcome=failed&window=24h&caller=user:ben")
    yield Shot("/janela/tools/nothing", 404)


def _refusals() -> cabc.Iterator[Shot]:
    yield Shot("/janela/", 401, person=None)
    for address in ("/janela/tools", "/janela/frames/new", f"{FRAME}/panes/1.csv"):
        yield Shot(address, 403, person="ben")
    yield Shot("/janela/frames/new", 403, {"name": "x"}, ELSEWHERE)
    yield Shot("/janela/frames/new", 413, {"name": "x" * 1_000_001})
    for trouble, status in {
        "limited": 429, "limited-1": 429, "limited-90": 429, "overrun": 503, "unavailable": 503,
    }.items():  # fmt: skip
        yield Shot(f"/janela/?trouble={trouble}", status, person="eve")
    for name in ("frame", "pane", "wrong"):
        yield Shot(f"/own/{name}")
        yield Shot(f"/own/{name}", person=None)
