"""The decoded data against the figures that are published for it, counted by plain loops."""

from __future__ import annotations

import collections
import datetime as dt
import hashlib
import re
import shutil
import zoneinfo
from pathlib import Path

import pytest

from example_app import data


def test_every_flight_of_2013_is_there(flight_rows: list[data.FlightRow]) -> None:
    """The published number of flights."""
    assert len(flight_rows) == 336_776


@pytest.mark.parametrize(
    ("carrier", "expected"),
    [("UA", 58_665), ("B6", 54_635), ("EV", 54_173), ("DL", 48_110), ("AA", 32_729)],
)
def test_flights_by_carrier(flight_rows: list[data.FlightRow], carrier: str, expected: int) -> None:
    """The published flights of the five largest carriers."""
    assert sum(flight.carrier == carrier for flight in flight_rows) == expected


def test_flights_by_origin(flight_rows: list[data.FlightRow]) -> None:
    """The published flights of the three airports, and no fourth."""
    counts = collections.Counter(flight.origin_code for flight in flight_rows)
    assert counts == {"EWR": 120_835, "JFK": 111_279, "LGA": 104_662}


def test_departure_delays(flight_rows: list[data.FlightRow]) -> None:
    """8,255 flights never left; the others left 12.64 minutes late on average."""
    delays = [f.departure_delay for f in flight_rows if f.departure_delay is not None]
    assert len(flight_rows) - len(delays) == 8_255
    assert round(sum(delays) / len(delays), 2) == 12.64


def test_months_by_the_calendar_of_new_york(flight_rows: list[data.FlightRow]) -> None:
    """Scheduled departures are UTC instants: only New York's clock gives the published months."""
    new_york = zoneinfo.ZoneInfo("America/New_York")
    months: collections.Counter[tuple[int, int]] = collections.Counter()
    for flight in flight_rows:
        local = flight.scheduled_at.replace(tzinfo=dt.UTC).astimezone(new_york)
        months[local.year, local.month] += 1
    assert months[2013, 1] == 27_004
    assert months[2013, 7] == 29_425
    assert set(months) == {(2013, month) for month in range(1, 13)}


def test_flights_come_in_the_order_of_their_departure(flight_rows: list[data.FlightRow]) -> None:
    """The first row is the first scheduled departure, the 05:15 to Houston."""
    instants = [flight.scheduled_at for flight in flight_rows]
    assert instants == sorted(instants)
    assert flight_rows[0] == data.FlightRow(
        "UA", 1545, "N14228", "EWR", "IAH", dt.datetime(2013, 1, 1, 10, 15), 2, 11, 227, 1400
    )


def test_related_tables_hold_what_the_flights_name(flight_rows: list[data.FlightRow]) -> None:
    """Nothing superfluous, and missing only what the source does not know."""
    carriers = {flight.carrier for flight in flight_rows}
    assert {row.carrier for row in data.airlines()} == carriers

    ends = {code for f in flight_rows for code in (f.origin_code, f.destination_code)}
    airports = {row.code for row in data.airports()}
    assert airports < ends
    assert ends - airports == {"BQN", "PSE", "SJU", "STT"}
    assert sum(f.destination_code not in airports for f in flight_rows) == 7_602

    planes = {row.tail_number for row in data.planes()}
    assert planes < {flight.tail_number for flight in flight_rows}
    assert sum(f.tail_number not in planes for f in flight_rows) == 52_606
    assert sum(f.tail_number is None for f in flight_rows) == 2_512


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    """One wrong byte: the sentence names the file and what to do."""
    folder = tmp_path / "data"
    shutil.copytree(data.FOLDER, folder)
    path = folder / "flights.columns.xz"
    content = bytearray(path.read_bytes())
    content[1000] ^= 1
    path.write_bytes(content)
    with pytest.raises(data.DataError, match=r"flights\.columns\.xz is damaged .* Restore"):
        data.flights(folder)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """A checkout without its data says which file and where to get it."""
    with pytest.raises(data.DataError, match=r"airlines\.csv is missing. Restore example_app/data"):
        data.airlines(tmp_path)


def test_the_readme_names_every_file_as_it_is(flight_rows: list[data.FlightRow]) -> None:
    """The sizes and sums in the README are those of the files beside it."""
    readme = (data.FOLDER / "README.md").read_text("utf-8")
    listed = dict(re.findall(r"^\| `(.+?)` \|.*\| `([0-9a-f]{64})` \|$", readme, re.MULTILINE))
    sums = (data.FOLDER / "SHA256SUMS").read_text("ascii").splitlines()
    assert listed == {line.split()[1]: line.split()[0] for line in sums}
    for name, digest in listed.items():
        content = (data.FOLDER / name).read_bytes()
        assert hashlib.sha256(content).hexdigest() == digest
        rows = len(content.splitlines()) - 1 if name.endswith(".csv") else len(flight_rows)
        assert f"| `{name}` | {rows:,} | {len(content):,} |" in readme


def test_the_data_stays_small() -> None:
    """At most 4 MB, so that a clone stays quick."""
    assert sum(path.stat().st_size for path in data.FOLDER.glob("*.*")) < 4_000_000
