"""The tables as they were first: frames, panes, stars, and the calls of tools."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects import mysql

from flask_janela.migrations.operations import create_index, create_table, drop_table

revision = "janela_0001"
down_revision = None
branch_labels = ("janela",)
depends_on = None

MYSQL = ("mysql", "mariadb")


def exact(length: int) -> sa.String:
    """A text that is compared letter by letter."""
    collated = mysql.VARCHAR(length, collation="utf8mb4_bin", charset="utf8mb4")
    return sa.String(length).with_variant(collated, *MYSQL)


def moment() -> sa.DateTime:
    """A time to the microsecond."""
    return sa.DateTime().with_variant(mysql.DATETIME(fsp=6), *MYSQL)


def upgrade(engine_name: str = "") -> None:
    """Make the tables.

    Args:
        engine_name: the bind, where Flask-Migrate has several; Janela's tables are in the default.
    """
    if engine_name:
        return
    create_table(
        "janela_frames",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("key", sa.String(60), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("description", sa.Text, nullable=False),
        sa.Column("columns", sa.Integer, nullable=False),
        sa.Column("gap", sa.Integer, nullable=False),
        sa.Column("owner_type", sa.String(100)),
        sa.Column("owner_id", sa.String(100)),
        sa.Column("owner_slot", sa.String(255), nullable=False),
        sa.Column("filters", sa.JSON, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("created_at", sa.DateTime, nullable=False),
        sa.Column("updated_at", sa.DateTime, nullable=False),
        sa.Column("created_by", sa.String(200)),
        sa.Column("updated_by", sa.String(200)),
        sa.Column("removed_at", sa.DateTime),
        sa.UniqueConstraint("owner_slot", "key", name="uq_janela_frames_owner_key"),
    )
    create_index(None, "janela_frames", ["owner_type"])
    create_index(None, "janela_frames", ["owner_id"])
    create_table(
        "janela_panes",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column(
            "frame_id",
            sa.Integer,
            sa.ForeignKey("janela_frames.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("model", sa.String(40)),
        sa.Column("measure", sa.String(40)),
        sa.Column("dimension", sa.String(40)),
        sa.Column("granularity", sa.String(10)),
        sa.Column("renderer", sa.String(10)),
        sa.Column("row_limit", sa.Integer),
        sa.Column("other", sa.Boolean, nullable=False),
        sa.Column("row_order", sa.String(10)),
        sa.Column("over", sa.String(40)),
        sa.Column("companions", sa.JSON, nullable=False),
        sa.Column("filters", sa.JSON, nullable=False),
        sa.Column("title", sa.String(200)),
        sa.Column("span", sa.Integer, nullable=False),
        sa.Column("height", sa.Integer),
        sa.Column("prominence", sa.Integer, nullable=False),
        sa.Column("value_labels", sa.Boolean, nullable=False),
        sa.Column("heading", sa.String(200)),
        sa.Column("body", sa.Text),
        sa.Column("link", sa.String(2000)),
        sa.Column("partial", sa.String(100)),
        sa.Column("created_at", sa.DateTime, nullable=False),
        sa.Column("removed_at", sa.DateTime),
    )
    create_index(None, "janela_panes", ["frame_id"])
    create_index(None, "janela_panes", ["removed_at"])
    create_table(
        "janela_favourites",
        sa.Column("caller_ref", sa.String(200), primary_key=True),
        sa.Column(
            "frame_id",
            sa.Integer,
            sa.ForeignKey("janela_frames.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("created_at", sa.DateTime, nullable=False),
    )
    create_table(
        "janela_tool_calls",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
        sa.Column("hour", sa.Integer, nullable=False),
        sa.Column("written", sa.BigInteger, nullable=False),
        sa.Column("started", moment(), nullable=False),
        sa.Column("duration", sa.Double, nullable=False),
        sa.Column("bucket", sa.SmallInteger, nullable=False),
        sa.Column("tool", exact(100), nullable=False),
        sa.Column("tool_group", exact(100), nullable=False),
        sa.Column("outcome", exact(20), nullable=False),
        sa.Column("unknown", sa.Boolean, nullable=False),
        sa.Column("forged", sa.Boolean, nullable=False),
        sa.Column("agent", exact(100), nullable=False),
        sa.Column("client", exact(100), nullable=False),
        sa.Column("client_version", exact(40), nullable=False),
        sa.Column("transport", exact(20), nullable=False),
        sa.Column("caller", exact(200)),
        sa.Column("error_class", exact(100)),
        sa.Column("error_text", exact(300)),
        sa.Column("correlation", exact(64)),
    )
    create_index("ix_janela_tool_calls_hour", "janela_tool_calls", ["hour"])
    create_index("ix_janela_tool_calls_written", "janela_tool_calls", ["written"])
    create_index("ix_janela_tool_calls_tool_started", "janela_tool_calls", ["tool", "started"])
    create_table(
        "janela_tool_usage",
        sa.Column("span", sa.SmallInteger, primary_key=True, autoincrement=False),
        sa.Column("hour", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("tool", exact(100), primary_key=True),
        sa.Column("tool_group", exact(100), primary_key=True),
        sa.Column("agent", exact(100), primary_key=True),
        sa.Column("unknown", sa.Boolean, primary_key=True, autoincrement=False),
        sa.Column("ok", sa.BigInteger, nullable=False),
        sa.Column("invalid", sa.BigInteger, nullable=False),
        sa.Column("not_found", sa.BigInteger, nullable=False),
        sa.Column("conflict", sa.BigInteger, nullable=False),
        sa.Column("refused", sa.BigInteger, nullable=False),
        sa.Column("unauthenticated", sa.BigInteger, nullable=False),
        sa.Column("caller_gone", sa.BigInteger, nullable=False),
        sa.Column("failed", sa.BigInteger, nullable=False),
        sa.Column("forged", sa.BigInteger, nullable=False),
        sa.Column("total", sa.Double, nullable=False),
        sa.Column("least", sa.Double),
        sa.Column("most", sa.Double),
        sa.Column("histogram", sa.LargeBinary),
        sa.Column("last", moment(), nullable=False),
        sa.Column("error_at", moment()),
        sa.Column("error_class", exact(100)),
        sa.Column("error_text", exact(300)),
        sqlite_with_rowid=False,
    )
    create_index("ix_janela_tool_usage_tool_last", "janela_tool_usage", ["tool", "last"])
    create_table(
        "janela_tool_marks",
        sa.Column("name", sa.String(20), primary_key=True),
        sa.Column("value", sa.BigInteger, nullable=False),
        sa.Column("at", moment()),
        sa.Column("holder", sa.String(100)),
    )


def downgrade(engine_name: str = "") -> None:
    """Drop the tables, with everything that anybody arranged and all that was recorded."""
    if engine_name:
        return
    for table in ("tool_marks", "tool_usage", "tool_calls", "favourites", "panes", "frames"):
        drop_table(f"janela_{table}")
