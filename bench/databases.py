"""``ask`` over the SQL that somebody who knows the database would write, on every engine.

Prints engine, rows and a ratio for each question, all in one run: a category, a join, the month in
New York over the same split by plain UTC, two filters and a count of different values, by hand too
with the count over all rows that belongs to it. The time has an index. Run it with
``make bench``, or with a number of rows and the engines: ``python bench/databases.py 10000000
postgresql``. Servers are looked for where the tests look for them; what is not there is left out.
"""

from __future__ import annotations

import datetime as dt
import os
import sys
import tempfile
import time
import typing as t
from pathlib import Path

import flask
import sqlalchemy as sa
from ask import Job, paired
from flask_sqlalchemy import SQLAlchemy
from sqlalchemy.orm import Mapped, mapped_column, relationship

from flask_janela import Count, CountDistinct, Dimension, Janela, Sum, TimeDimension, Vocabulary

CUSTOMERS = 100_000
SECONDS = 94_608_000
"""Three years."""

SERVERS = {
    "postgresql": os.environ.get(
        "JANELA_POSTGRESQL", "postgresql+psycopg://postgres@127.0.0.1:5432/test"
    ),
    "mariadb": os.environ.get("JANELA_MARIADB", "mariadb+pymysql://root@127.0.0.1:3306/test"),
}

SERIES = {
    "sqlite": "(WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < {rows}) "
    "SELECT n FROM c)",
    "postgresql": "(SELECT n::bigint FROM generate_series(1, {rows}) AS g(n)) AS s",
    "mariadb": "(SELECT seq AS n FROM seq_1_to_{rows}) AS s",
    "duckdb": "(SELECT n FROM range(1, {rows} + 1) AS g(n))",
}

MOMENT = {
    "sqlite": "datetime('2021-01-01', (n * 32452843 % {seconds}) || ' seconds') || '.000000'",
    "postgresql": "timestamp '2021-01-01' + (n * 32452843 % {seconds}) * interval '1 second'",
    "mariadb": "timestamp '2021-01-01 00:00:00' + INTERVAL (n * 32452843 % {seconds}) SECOND",
    "duckdb": "timestamp '2021-01-01' + to_seconds(n * 32452843 % {seconds})",
}

MONTH = {
    "sqlite": "strftime('%Y-%m', placed_at)",
    "postgresql": "date_trunc('month', placed_at)",
    "mariadb": "date_format(placed_at, '%Y-%m')",
    "duckdb": "date_trunc('month', placed_at)",
}

STATUS = (
    "CASE n * 7919 % 5 WHEN 0 THEN 'new' WHEN 1 THEN 'open' WHEN 2 THEN 'paid' WHEN 3 "
    "THEN 'sent' ELSE 'gone' END"
)
REGION = "CASE n % 4 WHEN 0 THEN 'EU' WHEN 1 THEN 'US' WHEN 2 THEN 'APAC' ELSE 'MEA' END"


def host(uri: str) -> tuple[flask.Flask, SQLAlchemy, Janela]:
    app = flask.Flask("bench")
    app.config.update(SQLALCHEMY_DATABASE_URI=uri, JANELA_TIMEZONE="America/New_York")
    app.config["JANELA_STATEMENT_SECONDS"] = 600
    db, janela = SQLAlchemy(app), Janela()

    class Customer(db.Model):  # type: ignore[name-defined,misc]
        __tablename__ = "bench_customers"
        id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
        region: Mapped[str] = mapped_column(sa.String(10))

    class Order(db.Model):  # type: ignore[name-defined,misc]
        __tablename__ = "bench_orders"
        id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
        customer_id: Mapped[int] = mapped_column(sa.ForeignKey(Customer.id))
        status: Mapped[str] = mapped_column(sa.String(10))
        quantity: Mapped[int]
        amount: Mapped[t.Any] = mapped_column(sa.Numeric(10, 2))
        placed_at: Mapped[dt.datetime] = mapped_column(index=True)
        customer: Mapped[Customer] = relationship()

        class Janela(Vocabulary, name="orders"):
            orders = Count()
            quantity = Sum("quantity")
            revenue = Sum("amount")
            customers = CountDistinct("customer_id")
            status = Dimension()
            region = Dimension("customer.region")
            placed = TimeDimension("placed_at")

    janela.scope(lambda model, caller: sa.select(model))
    janela.init_app(app, db)
    app.extensions["bench"] = (Customer, Order)  # SQLAlchemy alone does not keep classes alive
    return app, db, janela


def tables(db: SQLAlchemy) -> list[sa.Table]:
    return [db.metadata.tables["bench_customers"], db.metadata.tables["bench_orders"]]


def fill(db: SQLAlchemy, engine: str, rows: int) -> None:
    """Both tables, made by the database itself and by arithmetic, so that they are alike."""
    db.metadata.drop_all(db.engine, tables=tables(db))
    db.metadata.create_all(db.engine, tables=tables(db))
    indexes = [index for table in tables(db) for index in table.indexes]
    customers = SERIES[engine].format(rows=CUSTOMERS)
    orders = SERIES[engine].format(rows=rows)
    moment = MOMENT[engine].format(seconds=SECONDS)
    whole = "n * 7 % 19 + 1"
    cents = "(n * 15485863 % 99900 + 100)"
    with db.engine.begin() as connection:
        for index in indexes:  # Many rows come faster without one.
            index.drop(connection)
        for statement in (
            f"INSERT INTO bench_customers SELECT n, {REGION} FROM {customers}",
            f"INSERT INTO bench_orders SELECT n, n * 104729 % {CUSTOMERS} + 1, {STATUS}, {whole}, "
            f"{cents} / 100.0, {moment} FROM {orders}",
        ):
            connection.exec_driver_sql(_written(db, statement))
        for index in indexes:
            index.create(connection)
    if engine == "duckdb":
        return
    analyze = {"mariadb": "ANALYZE TABLE bench_orders, bench_customers"}.get(engine, "ANALYZE")
    with db.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql(analyze)


def _written(db: SQLAlchemy, sql: str) -> str:
    """With per cent signs as the driver wants them."""
    return sql.replace("%", "%%") if db.engine.dialect.paramstyle in {"format", "pyformat"} else sql


def by_hand(db: SQLAlchemy, sql: str) -> Job:
    """The statements and all of their rows, through the same engine."""

    def job() -> None:
        with db.engine.connect() as connection:
            for each in sql.split(";"):
                connection.exec_driver_sql(_written(db, each)).fetchall()

    return job


def measure(engine: str, uri: str, rows: int) -> None:
    app, db, janela = host(uri)
    with app.app_context():
        started = time.perf_counter()
        fill(db, engine, rows)
        print(f"{engine}, {rows:,} orders (made in {time.perf_counter() - started:.0f} s)")
        if engine == "mariadb":
            with db.engine.connect() as connection:
                pool = connection.exec_driver_sql("SELECT @@innodb_buffer_pool_size").scalar_one()
            print(f"  with a buffer pool of {pool / 2**20:,.0f} MB; less than the tables is slow")
        grouped = "FROM bench_orders GROUP BY status ORDER BY s DESC"
        joined = "bench_orders o LEFT JOIN bench_customers c ON c.id = o.customer_id"
        questions: list[tuple[str, str, dict[str, t.Any], str]] = [
            (
                "sum by status",
                "quantity",
                {"by": "status"},
                f"SELECT status, sum(quantity) AS s {grouped}",
            ),
            (
                "decimal sum by status",
                "revenue",
                {"by": "status"},
                f"SELECT status, sum(amount) AS s {grouped}",
            ),
            (
                "orders by region (join)",
                "orders",
                {"by": "region"},
                f"SELECT c.region, count(*) AS s FROM {joined} GROUP BY c.region ORDER BY s DESC",
            ),
            (
                "month in New York over month in UTC",
                "orders",
                {"by": "placed", "granularity": "month"},
                f"SELECT {MONTH[engine]} AS m, count(*) FROM bench_orders GROUP BY m ORDER BY m",
            ),
            (
                "two filters, by status",
                "orders",
                {"by": "status", "filters": {"region": "EU", "placed": "2022"}},
                f"SELECT o.status, count(*) AS s FROM {joined} WHERE c.region = 'EU' AND "
                "o.placed_at >= '2022-01-01 05:00:00' AND o.placed_at < '2023-01-01 05:00:00' "
                "GROUP BY o.status ORDER BY s DESC",
            ),
            (
                "different customers by status",
                "customers",
                {"by": "status"},
                f"SELECT status, count(DISTINCT customer_id) AS s {grouped};"
                "SELECT count(DISTINCT customer_id) FROM bench_orders",
            ),
        ]
        for title, name, options, sql in questions:

            def ask(name: str = name, options: dict[str, t.Any] = options) -> object:
                db.session.rollback()
                return janela.ask("orders", name, caller="x", **options)

            hand = by_hand(db, sql)
            started = time.perf_counter()
            hand()
            quick = time.perf_counter() - started < 3
            ours, theirs, ratio = paired(ask, hand, 9 if quick else 3)
            print(
                f"  {title:<38} ask {ours * 1e3:9.1f} ms   sql {theirs * 1e3:9.1f} ms   "
                f"{ratio:6.3f}"
            )
        db.session.remove()
        db.metadata.drop_all(db.engine, tables=tables(db))
        db.engine.dispose()


def main() -> None:
    given = [each for each in sys.argv[1:] if not each.replace("_", "").isdigit()]
    rows = next((int(each) for each in sys.argv[1:] if each not in given), 1_000_000)
    with tempfile.TemporaryDirectory() as folder:
        addresses = {
            "sqlite": f"sqlite:///{Path(folder) / 'orders.sqlite'}",
            **SERVERS,
            "duckdb": f"duckdb:///{Path(folder) / 'orders.duckdb'}",
        }
        for engine in given or addresses:
            try:
                measure(engine, addresses[engine], rows)
            except (sa.exc.OperationalError, sa.exc.NoSuchModuleError) as error:
                print(f"{engine}: left out, {str(error).splitlines()[0]}")


if __name__ == "__main__":
    main()
