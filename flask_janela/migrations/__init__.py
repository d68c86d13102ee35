"""How Janela's own tables change from one version to the next: revisions of Alembic's.

``versions`` has them, for hosts to list among their ``version_locations``; ``running`` is what
``flask janela upgrade`` does in hosts without migrations of their own.
"""

from __future__ import annotations

import typing as t

from ..frames import Base

VERSION_TABLE = "janela_alembic_version"
"""Where ``flask janela upgrade`` records which revisions have run."""


def include_object(
    item: t.Any, name: str | None, type_: str, reflected: bool, compare_to: t.Any
) -> bool:
    """Leave Janela's tables out of Alembic's autogenerate, for hosts that run its revisions. ::

        migrate = Migrate(app, db, include_object=include_object)

    It is what Alembic takes as ``include_object``: False for Janela's tables, and for the one in
    which ``flask janela upgrade`` keeps its version.
    """
    return type_ != "table" or (name not in Base.metadata.tables and name != VERSION_TABLE)


__all__ = ["include_object"]
