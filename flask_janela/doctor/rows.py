"""Rows of Janela's own that name what is not declared any more."""

from __future__ import annotations

import collections.abc as cabc

import jinja2
import sqlalchemy as sa

from ..errors import BadRequest, printable
from ..frames import Frame, Pane
from ..frames.validation import check_default_filters, undeclared
from ..vocabulary import EVERYTHING
from .case import Case
from .finding import Finding

MOST_FRAMES = 20
"""So many frames are told of one by one."""


def undeclared_rows(case: Case) -> cabc.Iterator[Finding]:
    """Panes and frames' filters by names that have vanished."""
    if case.faults or not case.there(Frame, Pane):
        return
    told = 0
    for frame in _frames(case):
        said = list(_said(case, frame))
        if not said:
            continue
        told += 1
        if told <= MOST_FRAMES:
            yield Finding(
                "undeclared-rows",
                "warning",
                f"The frame “{printable(frame.name)}” asks for what is not declared: "
                f"{'; '.join(said)}.",
                f"Change or remove it at {case.state.config.url_prefix}/frames/{frame.id}/arrange, "
                "or declare again what it names.",
            )
    if told > MOST_FRAMES:
        yield Finding(
            "undeclared-rows",
            "warning",
            f"And so do {told - MOST_FRAMES:,} more frames.",
            "Mend these, and run flask janela doctor again.",
        )


def _frames(case: Case) -> cabc.Iterator[Frame]:
    session = case.state.db.session
    ids = session.scalars(
        sa.select(Frame.id).where(Frame.removed_at.is_(None)).order_by(Frame.id)
    ).all()
    for id_ in ids:
        frame = session.get(Frame, id_)
        if frame is not None:
            yield frame
            session.expunge(frame)


def _said(case: Case, frame: Frame) -> cabc.Iterator[str]:
    if frame.filters:
        try:
            check_default_filters(frame.filters, case.catalogue)
        except BadRequest as error:
            yield f"its own filter, {error.message.rstrip('.')}"
    for pane in frame.panes:
        try:
            said = undeclared(pane.options(), case.catalogue, EVERYTHING)
        except BadRequest as error:
            said = [error.message]
        if pane.kind == "partial" and pane.partial and not _is_there(case, pane.partial):
            said = [*said, f"there is no template janela_content/{pane.partial}"]
        if said:
            yield f"pane {pane.position}, {'; '.join(each.rstrip('.') for each in said)}"


def _is_there(case: Case, partial: str) -> bool:
    loader = case.app.jinja_env.loader
    try:
        if loader is not None:
            loader.get_source(case.app.jinja_env, f"janela_content/{partial}")
    except jinja2.TemplateNotFound:
        return False
    return True
