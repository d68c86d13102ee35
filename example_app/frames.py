"""The two frames that the desk starts with."""

from __future__ import annotations

import functools

import sqlalchemy as sa

from flask_janela import Frame
from flask_janela.frames import Pane, add_pane

from .models import db

KEYS = ("on_time_desk", "network")


def arrange_frames() -> None:
    """Hang the panes of both frames, which belong to nobody and so are shared by all."""
    _arrange_on_time_desk()
    _arrange_network()


def remove_frames() -> None:
    """Take both down, for a fresh start after a run that was interrupted."""
    ours = sa.select(Frame.id).where(Frame.owner_id.is_(None), Frame.key.in_(KEYS))
    db.session.execute(sa.delete(Pane).where(Pane.frame_id.in_(ours)))
    db.session.execute(sa.delete(Frame).where(Frame.owner_id.is_(None), Frame.key.in_(KEYS)))


def _arrange_on_time_desk() -> None:
    frame = Frame.for_owner(
        None,
        "on_time_desk",
        name="On-time desk",
        description="What left New York late, who flew it, and where it went.",
    )
    add_text = functools.partial(add_pane, frame, by="user:lead", kind="text")
    add = functools.partial(add_pane, frame, by="user:lead", model="flights")

    add(measure="late", over="scheduled", prominence=3, span=4, height=2)
    add(measure="flights", over="scheduled", prominence=2, span=4, height=1)
    add(measure="average_delay", over="scheduled", prominence=2, span=4, height=1)
    add_text(
        heading="How to read this desk",
        body=(
            "A flight is late when it reaches its gate more than 15 minutes after schedule; "
            "cancelled flights have no arrival and are left out. The departure delay is an "
            "average over the flights that left, and leaving early counts below zero. "
            "Click a bar, a row or a month to see only that."
        ),
        span=8,
        height=1,
    )
    add(
        title="Flights per month",
        measure="flights",
        dimension="scheduled",
        granularity="month",
        renderer="line",
        span=8,
        height=2,
    )
    add(
        title="Flights by origin",
        measure="flights",
        dimension="origin",
        renderer="doughnut",
        span=4,
        height=2,
    )
    add(
        title="Flights by airline",
        measure="flights",
        dimension="airline",
        renderer="bar",
        span=5,
        height=3,
    )
    add(
        title="Busiest destinations",
        measure="flights",
        dimension="destination",
        renderer="table",
        companions=["late", "average_delay", "cancelled"],
        limit=10,
        span=7,
        height=3,
    )


def _arrange_network() -> None:
    frame = Frame.for_owner(
        None,
        "network",
        name="Network",
        description="How far New York flies, on what, and how much of it is cancelled.",
    )
    add = functools.partial(add_pane, frame, by="user:lead", model="flights")

    for measure in ("flights", "distance", "cancelled", "cancellation_rate"):
        add(measure=measure, over="scheduled", prominence=2, span=3, height=1)
    add(
        title="Cancellation rate per week",
        measure="cancellation_rate",
        dimension="scheduled",
        granularity="week",
        renderer="line",
        span=12,
        height=2,
    )
    add(
        title="Distance by destination",
        measure="distance",
        dimension="destination",
        renderer="bar",
        limit=15,
        span=5,
        height=3,
    )
    add(
        title="Flights by aircraft",
        measure="flights",
        dimension="aircraft",
        renderer="table",
        companions=["distance", "average_delay", "cancelled"],
        limit=12,
        span=7,
        height=3,
    )
