"""The desk's tables, and what may be asked of them.

An ordinary Flask-SQLAlchemy module: Janela's part is the ``class Janela`` on ``Flight``.
"""

from __future__ import annotations

import datetime as dt

import sqlalchemy as sa
import sqlalchemy.orm as orm
from flask_sqlalchemy import SQLAlchemy

from flask_janela import (
    Average,
    Count,
    Dimension,
    Ratio,
    Records,
    Share,
    Sum,
    TimeDimension,
    Vocabulary,
)


class Base(orm.DeclarativeBase):
    pass


db = SQLAlchemy(model_class=Base)


class Airline(db.Model):
    __tablename__ = "airlines"

    carrier: orm.Mapped[str] = orm.mapped_column(sa.String(2), primary_key=True)
    name: orm.Mapped[str] = orm.mapped_column(sa.String(80))


class Airport(db.Model):
    __tablename__ = "airports"

    code: orm.Mapped[str] = orm.mapped_column(sa.String(3), primary_key=True)
    name: orm.Mapped[str] = orm.mapped_column(sa.String(80))


class Plane(db.Model):
    __tablename__ = "planes"

    tail_number: orm.Mapped[str] = orm.mapped_column(sa.String(6), primary_key=True)
    year: orm.Mapped[int | None]
    manufacturer: orm.Mapped[str] = orm.mapped_column(sa.String(40))
    model: orm.Mapped[str] = orm.mapped_column(sa.String(40))
    seats: orm.Mapped[int]


class Flight(db.Model):
    """One scheduled departure from New York.

    Destination and tail number carry no foreign key: the source has no airport for Puerto Rico and
    the Virgin Islands, and the registry does not know every aircraft.
    """

    __tablename__ = "flights"
    __table_args__ = (
        sa.Index("ix_flights_carrier_scheduled_at", "carrier", "scheduled_at"),
        sa.Index("ix_flights_scheduled_at", "scheduled_at"),
        sa.Index("ix_flights_origin_code", "origin_code"),
        sa.Index("ix_flights_destination_code", "destination_code"),
        sa.Index("ix_flights_tail_number", "tail_number"),
    )

    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
    carrier: orm.Mapped[str] = orm.mapped_column(sa.ForeignKey(Airline.carrier))
    number: orm.Mapped[int]
    tail_number: orm.Mapped[str | None] = orm.mapped_column(sa.String(6))
    origin_code: orm.Mapped[str] = orm.mapped_column(sa.ForeignKey(Airport.code))
    destination_code: orm.Mapped[str] = orm.mapped_column(sa.String(3))
    scheduled_at: orm.Mapped[dt.datetime] = orm.mapped_column(sa.DateTime)
    """The instant of the scheduled departure, in UTC and naive."""
    departure_delay: orm.Mapped[int | None]
    """Minutes, early ones below zero; null when the flight never left."""
    arrival_delay: orm.Mapped[int | None]
    air_time: orm.Mapped[int | None]
    distance: orm.Mapped[int]

    airline: orm.Mapped[Airline] = orm.relationship()
    origin: orm.Mapped[Airport] = orm.relationship(foreign_keys=[origin_code])
    destination: orm.Mapped[Airport | None] = orm.relationship(
        primaryjoin=lambda: orm.foreign(Flight.destination_code) == Airport.code, viewonly=True
    )
    plane: orm.Mapped[Plane | None] = orm.relationship(
        primaryjoin=lambda: orm.foreign(Flight.tail_number) == Plane.tail_number, viewonly=True
    )

    class Janela(Vocabulary):
        flights = Count(description="Scheduled departures from New York, cancelled ones included.")
        departed = Count("departure_delay", description="Flights that left.")
        cancelled = Count(
            where=lambda flight: flight.departure_delay.is_(None),
            description="Flights that never left.",
            better="lower",
        )
        cancellation_rate = Ratio("cancelled", "flights", percent=True, better="lower")
        late = Share(
            lambda flight: flight.arrival_delay > 15,
            label="Late arrivals",
            description="The share of arrivals more than 15 minutes after schedule.",
            better="lower",
        )
        average_delay = Average(
            "departure_delay",
            label="Average departure delay",
            description="Over the flights that left; leaving early counts below zero.",
            suffix=" min",
            precision=1,
            better="lower",
        )
        distance = Sum("distance", label="Distance flown", suffix=" mi")

        airline = Dimension("airline.name")
        carrier = Dimension(description="The two-character code of the airline.")
        origin = Dimension(
            "origin.name", order=["Newark Liberty Intl", "La Guardia", "John F Kennedy Intl"]
        )
        destination = Dimension("destination.name")
        aircraft = Dimension("plane.model")
        scheduled = TimeDimension("scheduled_at", granularity="month")

        records = Records(
            "scheduled",
            "airline",
            "number",
            "origin",
            "destination",
            "departure_delay",
            "arrival_delay",
        )


class Seeding(db.Model):
    """One row once everything is in place: a run that was interrupted leaves none."""

    __tablename__ = "seedings"

    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
    flights: orm.Mapped[int]
    finished_at: orm.Mapped[dt.datetime] = orm.mapped_column(sa.DateTime)
