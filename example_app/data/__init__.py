"""The flights that left New York in 2013, read from the files beside this module.

Every read checks the file against SHA256SUMS first: figures that the tests, the docs and the
benchmarks rely on must not change because a download was cut short.
"""

from __future__ import annotations

import array
import csv
import datetime as dt
import hashlib
import io
import json
import lzma
import sys
import typing as t
from pathlib import Path

FOLDER = Path(__file__).resolve().parent


class DataError(Exception):
    """A data file is missing or is not the one that belongs to this version."""


class AirlineRow(t.NamedTuple):
    carrier: str
    name: str


class AirportRow(t.NamedTuple):
    code: str
    name: str


class PlaneRow(t.NamedTuple):
    tail_number: str
    year: int | None
    manufacturer: str
    model: str
    seats: int


class FlightRow(t.NamedTuple):
    """One scheduled departure; the delays are minutes, the distance is miles."""

    carrier: str
    number: int
    tail_number: str | None
    origin_code: str
    destination_code: str
    scheduled_at: dt.datetime
    """The instant of the scheduled departure, in UTC and naive."""
    departure_delay: int | None
    """None when the flight never left."""
    arrival_delay: int | None
    """None when it never left, was diverted, or its arrival was not recorded."""
    air_time: int | None
    distance: int


def airlines(folder: Path = FOLDER) -> list[AirlineRow]:
    return [AirlineRow(*row) for row in _table("airlines.csv", folder)]


def airports(folder: Path = FOLDER) -> list[AirportRow]:
    return [AirportRow(*row) for row in _table("airports.csv", folder)]


def planes(folder: Path = FOLDER) -> list[PlaneRow]:
    return [
        PlaneRow(tail, int(year) if year else None, maker, model, int(seats))
        for tail, year, maker, model, seats in _table("planes.csv", folder)
    ]


def flights(folder: Path = FOLDER) -> list[FlightRow]:
    """All flights in the order of their scheduled departure."""
    head, _, body = lzma.decompress(_verified("flights.columns.xz", folder)).partition(b"\n")
    layout = json.loads(head)
    columns: dict[str, list[t.Any]] = {}
    offset = 0
    for column in layout["columns"]:
        values = array.array(column["type"])
        end = offset + layout["rows"] * values.itemsize
        values.frombytes(body[offset:end])
        offset = end
        if sys.byteorder == "big":
            values.byteswap()
        columns[column["name"]] = _decoded(column, values)
    columns["scheduled_at"] = _instants(columns.pop("scheduled_minute"))
    rows = list(map(FlightRow, *(columns[name] for name in FlightRow._fields)))
    rows.sort(key=lambda row: row.scheduled_at)
    return rows


def _decoded(column: dict[str, t.Any], values: array.array[int]) -> list[t.Any]:
    if "words" in column:
        words = column["words"]
        return [words[index] for index in values]
    if column.get("steps"):
        sums = []
        total = 0
        for step in values:
            total += step
            sums.append(total)
        return sums
    if "unknown" in column:
        unknown = column["unknown"]
        return [None if value == unknown else value for value in values]
    return list(values)


def _instants(minutes: list[int]) -> list[dt.datetime]:
    epoch = dt.datetime(1970, 1, 1)
    # Many flights share a minute; one datetime for each is half the time and memory.
    instants = {minute: epoch + dt.timedelta(minutes=minute) for minute in set(minutes)}
    return [instants[minute] for minute in minutes]


def _table(name: str, folder: Path) -> list[list[str]]:
    text = _verified(name, folder).decode("utf-8")
    return list(csv.reader(io.StringIO(text)))[1:]


def _verified(name: str, folder: Path) -> bytes:
    try:
        content = (folder / name).read_bytes()
        sums = (folder / "SHA256SUMS").read_text("ascii")
    except FileNotFoundError as error:
        raise DataError(
            f"The example's data file {error.filename} is missing. "
            "Restore example_app/data from the repository."
        ) from None
    expected = {file: digest for digest, file in (line.split() for line in sums.splitlines())}
    found = hashlib.sha256(content).hexdigest()
    if found != expected.get(name):
        raise DataError(
            f"{folder / name} is damaged or was changed: its sha256 is {found}, "
            f"SHA256SUMS says {expected.get(name, 'nothing about it')}. "
            "Restore example_app/data from the repository, or build it again with "
            "example_app/data/build.py."
        )
    return content
