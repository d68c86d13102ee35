"""``Frame`` and ``Pane``: the rows in which analysts keep what they arrange."""

from __future__ import annotations

import datetime as dt
import re
import typing as t

import flask
import sqlalchemy as sa
from sqlalchemy import orm
from sqlalchemy.orm import Mapped, mapped_column

from ..errors import BadRequest
from ..words import joined, say

if t.TYPE_CHECKING:
    from ..query.question import PaneOptions

BOUNDS = {"columns": (1, 12), "gap": (0, 8)}
"""The smallest and largest that a frame's whole numbers may be."""

LONGEST_NAME = 200
LONGEST_DESCRIPTION = 10_000

MOST_ID = 2**31 - 1
"""The largest number that a key can be on every database: what exceeds it is nothing's."""

_KEY = re.compile(r"[a-z0-9_]{1,60}")

Filters = dict[str, list[str]]


def now() -> dt.datetime:
    """The present moment as rows keep it: UTC, without a zone, by the application's clock."""
    state = flask.current_app.extensions.get("janela") if flask.has_app_context() else None
    moment = dt.datetime.now(dt.UTC) if state is None else state.now()
    return t.cast("dt.datetime", moment).astimezone(dt.UTC).replace(tzinfo=None)


class Base(orm.DeclarativeBase):
    """The tables of Janela, in metadata of their own until they join a host's."""


def join_metadata(metadata: sa.MetaData) -> None:
    """Put Janela's tables into a host's, for ``create_all`` and migrations to see them.

    They stay in the database's own default schema, where statements look for them, also where the
    host's tables are in another by default.
    """
    schema, metadata.schema = metadata.schema, None
    try:
        for table in Base.metadata.sorted_tables:
            if table.name not in metadata.tables:
                table.to_metadata(metadata)
    finally:
        metadata.schema = schema


class Frame(Base):
    """A named grid of panes: a dashboard.

    Attributes:
        key: a short name, unique for its owner (and among frames of nobody).
        columns: the grid's width in columns, 1 to 12.
        gap: the space between panes, 0 to 8 steps of 4 px.
        owner_type, owner_id: whose it is, as the host's owner hook says; both None for nobody's.
        filters: the default filters, as keys with lists of texts.
        version: grows with every change to the frame or its panes.
        created_by, updated_by: callers' references.
        removed_at: when it was removed; until ``prune`` deletes it, it can be brought back.
    """

    __tablename__ = "janela_frames"
    __table_args__ = (sa.UniqueConstraint("owner_slot", "key", name="uq_janela_frames_owner_key"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(sa.String(60))
    name: Mapped[str] = mapped_column(sa.String(200))
    description: Mapped[str] = mapped_column(sa.Text, default="")
    columns: Mapped[int] = mapped_column(default=12)
    gap: Mapped[int] = mapped_column(default=4)
    owner_type: Mapped[str | None] = mapped_column(sa.String(100), index=True)
    owner_id: Mapped[str | None] = mapped_column(sa.String(100), index=True)
    owner_slot: Mapped[str] = mapped_column(sa.String(255), default="")
    filters: Mapped[Filters] = mapped_column(sa.JSON, default=dict)
    version: Mapped[int] = mapped_column(default=1)
    created_at: Mapped[dt.datetime] = mapped_column(sa.DateTime, default=now)
    updated_at: Mapped[dt.datetime] = mapped_column(sa.DateTime, default=now)
    created_by: Mapped[str | None] = mapped_column(sa.String(200))
    updated_by: Mapped[str | None] = mapped_column(sa.String(200))
    removed_at: Mapped[dt.datetime | None] = mapped_column(sa.DateTime)

    panes: Mapped[list[Pane]] = orm.relationship(
        back_populates="frame",
        primaryjoin="and_(Frame.id == Pane.frame_id, Pane.removed_at.is_(None))",
        order_by="Pane.position",
        viewonly=True,
    )

    def __init__(self, **given: t.Any) -> None:
        for name, column in (("description", ""), ("columns", 12), ("gap", 4)):
            given.setdefault(name, column)
        given.setdefault("filters", {})
        super().__init__(**given)

    @classmethod
    def for_owner(
        cls, owner: tuple[str, object] | None, key: str, *, name: str, **attributes: t.Any
    ) -> Frame:
        """Find an owner's frame by its key, or create it in the current session.

        Two that create it at once end with one frame between them; a deleted one is brought
        back.

        Args:
            owner: ``(type, id)``, or None for a frame of nobody.
            key: small letters, digits and underscores.
            name, attributes: what a new one starts with; an existing one is left as it is.
        """
        from .owned import find_or_create

        return find_or_create(owner, key, name=name, **attributes)


class Pane(Base):
    """One query drawn, or words, at a place in a frame.

    Its columns are the fields of :class:`~flask_janela.query.question.PaneOptions`, and its
    place: ``position`` counts from 1 without gaps among the panes that are not removed.
    """

    __tablename__ = "janela_panes"

    id: Mapped[int] = mapped_column(primary_key=True)
    frame_id: Mapped[int] = mapped_column(
        sa.ForeignKey("janela_frames.id", ondelete="CASCADE"), index=True
    )
    position: Mapped[int]
    kind: Mapped[str] = mapped_column(sa.String(10), default="query")
    model: Mapped[str | None] = mapped_column(sa.String(40))
    measure: Mapped[str | None] = mapped_column(sa.String(40))
    dimension: Mapped[str | None] = mapped_column(sa.String(40))
    granularity: Mapped[str | None] = mapped_column(sa.String(10))
    renderer: Mapped[str | None] = mapped_column(sa.String(10))
    limit: Mapped[int | None] = mapped_column("row_limit")
    other: Mapped[bool] = mapped_column(default=False)
    order: Mapped[str | None] = mapped_column("row_order", sa.String(10))
    over: Mapped[str | None] = mapped_column(sa.String(40))
    companions: Mapped[list[str]] = mapped_column(sa.JSON, default=list)
    filters: Mapped[Filters] = mapped_column(sa.JSON, default=dict)
    title: Mapped[str | None] = mapped_column(sa.String(200))
    span: Mapped[int] = mapped_column(default=4)
    height: Mapped[int | None]
    prominence: Mapped[int] = mapped_column(default=1)
    value_labels: Mapped[bool] = mapped_column(default=False)
    heading: Mapped[str | None] = mapped_column(sa.String(200))
    body: Mapped[str | None] = mapped_column(sa.Text)
    link: Mapped[str | None] = mapped_column(sa.String(2000))
    partial: Mapped[str | None] = mapped_column(sa.String(100))
    created_at: Mapped[dt.datetime] = mapped_column(sa.DateTime, default=now)
    removed_at: Mapped[dt.datetime | None] = mapped_column(sa.DateTime, index=True)

    frame: Mapped[Frame] = orm.relationship()

    def __init__(self, **given: t.Any) -> None:
        from ..query.question import PaneOptions

        for name, field in PaneOptions.model_fields.items():
            given.setdefault(name, field.get_default(call_default_factory=True))
        super().__init__(**given)

    def options(self) -> PaneOptions:
        """The pane's options as one object; :class:`BadRequest` when the row holds nonsense."""
        from ..query.question import PaneOptions, read_options

        return read_options({name: getattr(self, name) for name in PaneOptions.model_fields})


class Favourite(Base):
    """That a caller marked a frame with a star. It says nothing of what they may see."""

    __tablename__ = "janela_favourites"

    caller_ref: Mapped[str] = mapped_column(sa.String(200), primary_key=True)
    frame_id: Mapped[int] = mapped_column(
        sa.ForeignKey("janela_frames.id", ondelete="CASCADE"), primary_key=True
    )
    created_at: Mapped[dt.datetime] = mapped_column(sa.DateTime, default=now)


def check_frame(frame: Frame) -> None:
    """Refuse a frame whose own attributes cannot be.

    Raises:
        BadRequest: in words, one sentence for each.
    """
    from ..query.question import cannot_be, said_too_long

    said: list[str] = []
    if not isinstance(frame.key, str) or not _KEY.fullmatch(frame.key):
        rest = "use small letters, digits and underscores, at most 60"
        said.append(cannot_be("key", frame.key, rest))
    name = frame.name.strip() if isinstance(frame.name, str) else ""
    if not name:
        rest = say("use 1 to {most} characters", most=LONGEST_NAME)
        said.append(cannot_be("name", frame.name, rest))
    for attribute, most in (("name", LONGEST_NAME), ("description", LONGEST_DESCRIPTION)):
        text = getattr(frame, attribute) or ""
        if isinstance(text, str) and len(text) > most:
            said.append(said_too_long(attribute, text, most))
    for attribute, (low, high) in BOUNDS.items():
        value = getattr(frame, attribute)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            use = say("a whole number from {least} to {most}", least=low, most=high)
            said.append(cannot_be(attribute, value, say("use {use}", use=use)))
    if (frame.owner_type is None) != (frame.owner_id is None):
        said.append("owner_type and owner_id go together: set both or neither")
    if said:
        raise BadRequest(joined("; ", said))


@sa.event.listens_for(Frame, "before_insert")
@sa.event.listens_for(Frame, "before_update")
def _before_saving_frame(mapper: object, connection: object, frame: Frame) -> None:
    from .validation import make_valid_frame

    make_valid_frame(frame)


@sa.event.listens_for(Pane, "before_insert")
@sa.event.listens_for(Pane, "before_update")
def _before_saving_pane(mapper: object, connection: object, pane: Pane) -> None:
    from .validation import make_valid_pane

    make_valid_pane(pane)
