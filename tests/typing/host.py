"""A host as a type checker sees it. Checked by mypy and never run.

What has a type is asserted; what must be refused carries an ignore, which mypy reports when it is
not needed.
"""

from __future__ import annotations

import datetime as dt
import decimal
import typing as t

import sqlalchemy as sa
from flask import Flask
from flask_sqlalchemy import SQLAlchemy

import flask_janela
from flask_janela import (
    Average,
    Count,
    CountDistinct,
    Dimension,
    Frame,
    Janela,
    Maximum,
    Minimum,
    Pane,
    Ratio,
    Records,
    Refused,
    Result,
    Row,
    Share,
    Sum,
    TimeDimension,
    Tool,
    Tools,
    Vocabulary,
)
from flask_janela.frames import add_pane, move_pane, remove_pane, update_pane
from flask_janela.roster import Recorder, ToolCall, ToolUsage

app, db = Flask("host"), SQLAlchemy()
janela = Janela(app, db)
janela.init_app(app, db)


class Words(Vocabulary, name="orders"):
    orders = Count(label="Orders", description="Paid or not.")
    customers = CountDistinct("customer_id")
    revenue = Sum("amount", currency="EUR", where=lambda order: order.paid.is_(True))
    average = Average(lambda order: order.amount * 2, precision=1, better="higher")
    first, last = Minimum("placed_at"), Maximum("placed_at")
    each = Ratio("revenue", "orders")
    paid = Share(lambda order: order.paid, visible_to=lambda caller: bool(caller.is_lead))
    region = Dimension("customer.region", labels={"EU": "Europe"})
    placed = TimeDimension("placed_at", granularity="month")
    rows = Records("placed", "region")


Sum()  # type: ignore[call-arg]
Average("amount", better="up")  # type: ignore[arg-type]
TimeDimension("placed_at", granularity="fortnight")  # type: ignore[arg-type]


@janela.scope
def scope(model: type[t.Any], caller: t.Any) -> sa.Select[t.Any]:
    return sa.select(model)


t.assert_type(scope(ToolCall, None), sa.Select[t.Any])


@janela.permission
def permission(caller: t.Any, action: str, subject: object = None) -> bool:
    return action == "view"


@janela.before_tool("rebook")
def may_rebook(caller: t.Any, tool: Tool, arguments: dict[str, t.Any]) -> None:
    raise Refused("not on Sundays")


@janela.tool(read_only=False, group="desk")
def rebook(caller: t.Any, flight_id: int, reason: str) -> dict[str, object]:
    """Move passengers to another flight."""
    return {"flight": flight_id}


t.assert_type(rebook(None, 1, reason="late"), dict[str, object])
rebook(None, "one", reason="late")  # type: ignore[arg-type]


def asked(person: t.Any) -> None:
    result = janela.ask("orders", "revenue", by="region", filters={"placed": "2013"}, caller=person)
    t.assert_type(result, Result)
    t.assert_type(result.rows, tuple[Row, ...])
    t.assert_type(result.rows[0].label, str)
    t.assert_type(result.total, int | float | decimal.Decimal | dt.date | None)
    t.assert_type(result.as_dict(), dict[str, t.Any])
    janela.ask("orders", "revenue")  # type: ignore[call-arg]
    janela.ask("orders", "revenue", "region", caller=person)  # type: ignore[misc]


def acted(person: t.Any) -> None:
    tools = janela.tools_for(person, write=True, agent="desk")
    t.assert_type(tools, Tools)
    t.assert_type(tools.all(), list[Tool])
    t.assert_type([tool.name for tool in tools], list[str])
    t.assert_type(tools.only("read_pane"), Tools)
    t.assert_type(janela.tools_for_ref("user:42"), Tools)
    t.assert_type(janela.tool_definitions(), list[Tool])
    t.assert_type(janela.caller_ref(person), str | None)
    janela.tools_for()  # type: ignore[call-arg]
    janela.tools_for(person, True)  # type: ignore[call-arg]


def arranged() -> None:
    frame = Frame.for_owner(None, "sales", name="Sales")
    t.assert_type(frame, Frame)
    pane = add_pane(frame, model="orders", measure="revenue", dimension="region")
    t.assert_type(pane, Pane)
    t.assert_type(update_pane(frame, pane.id, limit=5), Pane)
    t.assert_type(move_pane(frame, pane.id, "earlier"), Pane)
    t.assert_type(remove_pane(frame, pane.id), Pane)
    move_pane(frame, pane.id, "sideways")  # type: ignore[arg-type]


def recorded() -> None:
    t.assert_type(janela.recorder, Recorder)
    t.assert_type(janela.recorder.status().healthy, bool)
    sa.select(ToolUsage.tool, ToolCall.duration)


def missing() -> None:
    flask_janela.Chart  # type: ignore[attr-defined]  # noqa: B018
