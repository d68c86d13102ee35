"""Facts in Spark, frames elsewhere: pages and tools, and what becomes of a statement that fails.

``make spark`` runs these. That answers are right is tested in ``property``.
"""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import decimal
import socket
import typing as t

import flask_login
import pytest
import sqlalchemy as sa
from cluster import Cluster
from databases import IN_MEMORY, bind, settings
from desk import client, frame, page, pane
from flask_sqlalchemy import SQLAlchemy
from hosts import Host, host
from sqlalchemy.orm import Mapped, mapped_column

from flask_janela import Count, Dimension, Sum, Vocabulary
from flask_janela.errors import Failed, Overrun, Unavailable
from flask_janela.roster import ToolCall

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]

PATIENCE = {"JANELA_RENDER_SECONDS": 120, "JANELA_STATEMENT_SECONDS": 120}
"""However busy the machine is, and however cold the cluster, pages are drawn whole."""

SALES = "('EU', 100.10), ('EU', 200.20), ('US', 1000.00), (NULL, 50.00)"
JAVA = ("java", "spark", "HiveSQLException", "CAST_INVALID_INPUT", "secret")


def define(db: SQLAlchemy) -> dict[str, t.Any]:
    class Sale(db.Model):  # type: ignore[name-defined,misc]
        __tablename__ = "sales"
        __bind_key__ = "facts"

        region: Mapped[str | None] = mapped_column(primary_key=True)
        amount: Mapped[decimal.Decimal] = mapped_column(sa.Numeric(10, 2))

        class Janela(Vocabulary):
            sales = Count()
            revenue = Sum("amount")
            slow = Sum(lambda s: s.amount + LONG)
            broken = Sum(lambda s: sa.cast("secret" + s.region, sa.Integer))

            region = Dimension()

    return {"Sale": Sale}


LONG = sa.literal_column("(SELECT count(*) FROM range(1000000000000) WHERE id % 7 = 3)")
"""What Spark would count for minutes."""


@pytest.fixture(scope="module")
def sales(spark: Cluster) -> str:
    """The address of a table of sales."""
    engine = sa.create_engine(**bind(spark.url))
    with engine.connect() as connection:
        connection.exec_driver_sql(
            "CREATE TABLE sales USING parquet AS SELECT region, CAST(amount AS DECIMAL(10, 2)) "
            f"AS amount FROM VALUES {SALES} AS sales(region, amount)"
        )
    engine.dispose()
    return spark.url


def over(url: str) -> t.Any:
    return host(
        define,
        made=None,
        **settings(IN_MEMORY["sqlite"]),
        SQLALCHEMY_BINDS={"facts": bind(url)},
        JANELA_RECORDER="direct",
        **PATIENCE,
    )


@pytest.fixture
def made(sales: str) -> cabc.Iterator[Host]:
    with over(sales) as made:
        made.app.test_client_class = flask_login.FlaskLoginClient
        yield made


def test_a_frame_over_another_bind(made: Host) -> None:
    """A pane that Spark cannot answer says so in our words; the others have their numbers."""
    sheet = frame(made)
    pane(made, sheet, model="sales", measure="revenue", dimension="region")
    pane(made, sheet, model="sales", measure="broken", dimension="region")
    text = client(made).get("/janela/frames/1").text
    assert "300.30" in text
    assert "The database, or something in its rows, stood in the way." in text
    assert not [word for word in JAVA if word.lower() in text.lower()]

    found = page(made, "/janela/ask/sales/revenue/region")
    shown = [each.text for each in found.all(tag="td")]
    assert shown == ["1,000.00", "300.30", "50.00", "1,350.30"]


def test_an_agent_is_not_shown_the_java(made: Host) -> None:
    """Neither is the roster."""
    tools = made.janela.tools_for(made.people["ana"])
    with pytest.raises(Failed) as caught:
        tools.call("read_measure", {"model": "sales", "measure": "broken"})
    assert str(caught.value).startswith("The tool broke down;")
    [call] = made.db.session.scalars(sa.select(ToolCall)).all()
    for told in (str(caught.value), f"{call.error_class} {call.error_text}"):
        assert not [word for word in JAVA if word.lower() in told.lower()]


def test_a_statement_has_its_time(made: Host) -> None:
    """The server ends what takes longer, and answers the next."""
    state = made.app.extensions["janela"]
    whole = state.config
    state.config = dataclasses.replace(whole, statement_seconds=1)
    with pytest.raises(Overrun):
        made.janela.ask("sales", "slow", caller="ana")
    state.config = whole
    assert made.janela.ask("sales", "sales", caller="ana").total == 4


def test_a_connection_that_is_torn_is_replaced(made: Host) -> None:
    """What was asked meanwhile was asked of a database that cannot be reached."""
    mapper = {"mapper": sa.inspect(made.models.Sale)}
    driver: t.Any = made.db.session.connection(mapper).connection.driver_connection
    driver._transport.close()
    for _ in range(2):
        with pytest.raises(Unavailable):
            made.janela.ask("sales", "sales", caller="ana")
    made.db.session.rollback()
    assert made.janela.ask("sales", "sales", caller="ana").total == 4


def test_a_server_that_is_not_there() -> None:
    """Is a database that cannot be reached, rather than a fault."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with over(f"hive://tests@127.0.0.1:{port}/default") as made, pytest.raises(Unavailable):
        made.janela.ask("sales", "sales", caller="ana")
