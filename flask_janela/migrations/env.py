"""Where Alembic runs for ``flask janela upgrade``: on the connection that it is given.

A host that lists the revisions among its own has its own ``env.py``, and never sees this one.
"""

from __future__ import annotations

from alembic import context

from flask_janela.migrations import VERSION_TABLE

given = context.config.attributes
context.configure(
    connection=given["connection"], target_metadata=given["metadata"], version_table=VERSION_TABLE
)
with context.begin_transaction():
    context.run_migrations()
