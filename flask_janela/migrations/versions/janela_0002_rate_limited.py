"""The roster counts calls that were refused because they came too often."""

from __future__ import annotations

import sqlalchemy as sa

from flask_janela.migrations.operations import add_column, drop_column

revision = "janela_0002"
down_revision = "janela_0001"
branch_labels = None
depends_on = None


def upgrade(engine_name: str = "") -> None:
    """Add the count; none of the calls so far were of that kind."""
    if engine_name:
        return
    counted = sa.Column("rate_limited", sa.BigInteger, nullable=False, server_default="0")
    add_column("janela_tool_usage", counted)


def downgrade(engine_name: str = "") -> None:
    """Drop the count."""
    if not engine_name:
        drop_column("janela_tool_usage", "rate_limited")
