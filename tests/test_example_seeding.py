"""``flask --app example_app seed``: once, completely, or not at all."""

from __future__ import annotations

import sqlite3
import typing as t

import pytest
import sqlalchemy as sa
from flask import Flask

from example_app import data, frames, seeding
from example_app.models import Flight, Seeding, db
from flask_janela import Frame
from flask_janela.frames import Pane
from flask_janela.roster import ToolCall


@pytest.fixture
def few_flights(
    monkeypatch: pytest.MonkeyPatch, flight_rows: list[data.FlightRow]
) -> list[data.FlightRow]:
    """The first 25 flights only, in chunks of 10: what seeding does, without the wait."""
    few = flight_rows[:25]
    monkeypatch.setattr(data, "flights", lambda: few)
    monkeypatch.setattr(seeding, "CHUNK", 10)
    monkeypatch.setattr(seeding, "CALLS", 40)
    return few


def _counts() -> dict[str, int]:
    tables = {"flights": Flight, "seedings": Seeding, "frames": Frame, "panes": Pane}
    counts = {
        name: db.session.scalar(sa.select(sa.func.count()).select_from(model)) or 0
        for name, model in tables.items()
    }
    # Those that were seeded: tools may have been called as well.
    seeded = sa.select(sa.func.count()).where(ToolCall.transport == "generated")
    return {**counts, "calls": db.session.scalar(seeded) or 0}


FULL = {"flights": 25, "seedings": 1, "frames": 2, "panes": 15, "calls": 40}


def test_seeding_fills_every_table(flights_app: Flask) -> None:
    """All flights, with the related rows found by their relationships."""
    with flights_app.app_context():
        assert _counts() == {**FULL, "flights": 336_776, "calls": 20_000}
        flight = db.session.get(Flight, 1)
        assert flight is not None
        assert flight.airline.name == "United Air Lines Inc."
        assert flight.origin.name == "Newark Liberty Intl"
        assert flight.destination is not None
        assert flight.destination.name == "George Bush Intercontinental"
        assert flight.plane is not None
        assert flight.plane.manufacturer == "BOEING"


def test_seeding_twice_does_nothing(desk_app: Flask, few_flights: list[data.FlightRow]) -> None:
    """The second run says so and changes no row."""
    runner = desk_app.test_cli_runner()
    first = runner.invoke(args=["seed"])
    assert first.exit_code == 0
    assert "Seeding flights" in first.output
    with desk_app.app_context():
        assert _counts() == FULL
        finished = db.session.scalar(sa.select(Seeding.finished_at))
    second = runner.invoke(args=["seed"])
    assert (second.exit_code, second.output) == (0, "Already seeded: nothing to do.\n")
    with desk_app.app_context():
        assert _counts() == FULL
        assert db.session.scalar(sa.select(Seeding.finished_at)) == finished


def test_seeding_interrupted_among_the_rows(
    desk_app: Flask, few_flights: list[data.FlightRow]
) -> None:
    """Ctrl+C after the second chunk leaves no row, and the next run starts again."""
    written: list[int] = []

    def interrupt(rows: int) -> None:
        written.append(rows)
        if len(written) == 2:
            raise KeyboardInterrupt

    with desk_app.app_context(), pytest.raises(KeyboardInterrupt):
        seeding.seed(interrupt)
    with desk_app.app_context():
        assert written == [10, 10]
        assert set(_counts().values()) == {0}
        assert not seeding.is_seeded()
        assert seeding.seed()
        assert _counts() == FULL


def test_seeding_interrupted_among_the_frames(
    desk_app: Flask, few_flights: list[data.FlightRow], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the rows in place and one frame half arranged, the next run leaves each thing once."""

    def arrange_half() -> None:
        frame = Frame.for_owner(None, "on_time_desk", name="On-time desk", description="")
        frames.add_pane(frame, by="user:lead", model="flights", measure="late")
        db.session.commit()
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, desk_app.app_context():
        patch.setattr(seeding, "arrange_frames", arrange_half)
        with pytest.raises(KeyboardInterrupt):
            seeding.seed()
    with desk_app.app_context():
        assert _counts() == {"flights": 25, "seedings": 0, "frames": 1, "panes": 1, "calls": 0}
        assert not seeding.is_seeded()
        assert seeding.seed()
        assert _counts() == FULL


def test_seeding_leaves_what_people_arranged_since(
    desk_app: Flask, few_flights: list[data.FlightRow]
) -> None:
    """A pane that somebody removed from a seeded frame does not come back."""
    with desk_app.app_context():
        seeding.seed()
        pane = db.session.scalars(sa.select(Pane)).first()
        db.session.delete(pane)
        db.session.commit()
        assert not seeding.seed()
        assert _counts()["panes"] == FULL["panes"] - 1


def test_seeding_refuses_damaged_data(desk_app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command ends with the reader's sentence instead of a traceback."""

    def damaged() -> t.NoReturn:
        raise data.DataError("flights.columns.xz is damaged.")

    monkeypatch.setattr(data, "flights", damaged)
    result = desk_app.test_cli_runner().invoke(args=["seed"])
    assert result.exit_code == 1
    assert "Error: flights.columns.xz is damaged." in result.output


def test_the_rows_are_those_of_the_data(
    flights_app: Flask, flight_rows: list[data.FlightRow]
) -> None:
    """The database, read without SQLAlchemy, sums to what the file sums to."""
    rows = flight_rows
    uri = flights_app.config["SQLALCHEMY_DATABASE_URI"]
    connection = sqlite3.connect(uri.removeprefix("sqlite:///"))
    try:
        found = connection.execute(
            "select count(*), sum(departure_delay), sum(arrival_delay), sum(distance),"
            " count(distinct tail_number), min(scheduled_at) from flights"
        ).fetchone()
    finally:
        connection.close()
    assert found == (
        len(rows),
        sum(row.departure_delay or 0 for row in rows),
        sum(row.arrival_delay or 0 for row in rows),
        sum(row.distance for row in rows),
        len({row.tail_number for row in rows} - {None}),
        "2013-01-01 10:15:00.000000",
    )
