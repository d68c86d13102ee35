"""``flask --app example_app seed``: the data into its tables, once, and the frames arranged."""

from __future__ import annotations

import collections.abc as cabc
import datetime as dt

import click
import sqlalchemy as sa
from flask import current_app
from flask.cli import with_appcontext

from flask_janela.roster import ToolCall
from flask_janela.roster.folding import fold
from flask_janela.roster.traffic import add_traffic, generated

from . import data
from .frames import arrange_frames, remove_frames
from .models import Airline, Airport, Flight, Plane, Seeding, db
from .people import PEOPLE

CHUNK = 10_000
CALLS, CALL_DAYS = 20_000, 30
ROWS = 336_776


def is_seeded() -> bool:
    """Whether a run has finished here."""
    if not sa.inspect(db.engine).has_table(Seeding.__tablename__):
        return False
    return db.session.scalar(sa.select(sa.func.count()).select_from(Seeding)) == 1


def seed(advance: cabc.Callable[[int], object] = lambda rows: None) -> bool:
    """Fill an empty or half-filled database; False, and nothing done, when it is already full.

    The rows are one transaction, the frames follow, and the Seeding row comes last, so that
    whatever an interrupted run left is recognised, removed and written again.
    ``advance`` hears how many rows were written since it was last called.
    """
    db.create_all()
    if is_seeded():
        return False
    flights = data.flights()
    remove_frames()
    for model in (Flight, Plane, Airport, Airline, Seeding):
        db.session.execute(sa.delete(model))
    for model, rows in (
        (Airline, data.airlines()),
        (Airport, data.airports()),
        (Plane, data.planes()),
    ):
        db.session.execute(sa.insert(model), [row._asdict() for row in rows])
    insert = sa.insert(Flight.__table__)
    for start in range(0, len(flights), CHUNK):
        chunk = flights[start : start + CHUNK]
        db.session.connection().execute(insert, [row._asdict() for row in chunk])
        advance(len(chunk))
    db.session.commit()
    arrange_frames()
    add_calls()
    now = dt.datetime.now(dt.UTC).replace(tzinfo=None, microsecond=0)
    db.session.add(Seeding(id=1, flights=len(flights), finished_at=now))
    db.session.commit()
    return True


def add_calls() -> None:
    """A month of calls that nobody made, so that the roster has something to show; once."""
    there = db.session.scalar(sa.select(ToolCall.id).limit(1)) is not None
    db.session.commit()  # What is written next has a connection of its own.
    if there:
        return
    state = current_app.extensions["janela"]
    made = generated(
        state.declared_tools(),
        calls=CALLS,
        days=CALL_DAYS,
        now=dt.datetime.now(dt.UTC),
        seed=2013,
        callers=[f"user:{person}" for person in PEOPLE],
    )
    add_traffic(db.engine, made)
    fold(db.engine, "seeding", grace=0)


def seed_with_progress() -> None:
    """Seed, showing how far it is; say so when there is nothing to do."""
    if is_seeded():
        click.echo("Already seeded: nothing to do.")
        return
    try:
        with click.progressbar(length=ROWS, label="Seeding flights") as bar:
            seed(bar.update)
    except data.DataError as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"Seeded {ROWS:,} flights, two frames and {CALLS:,} generated calls of tools.")


@click.command("seed")
@with_appcontext
def seed_command() -> None:
    """Load the flights of 2013 and arrange the demo frames."""
    seed_with_progress()
