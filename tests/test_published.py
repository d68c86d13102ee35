"""The published figures of New York's 2013 flights, through the public API and on the pages.

The figures are those that the documentation of the nycflights13 data and its readers quote.
"""

from __future__ import annotations

import typing as t

import pytest
import sqlalchemy as sa
from flask import Flask

from example_app.desk import janela
from example_app.models import db
from flask_janela import Frame

CARRIERS = {"UA": 58_665, "B6": 54_635, "EV": 54_173, "DL": 48_110, "AA": 32_729}
ORIGINS = {
    "Newark Liberty Intl": 120_835,
    "John F Kennedy Intl": 111_279,
    "La Guardia": 104_662,
}


def _ask(app: Flask, measure: str, person: str = "lead", **options: t.Any) -> t.Any:
    with app.app_context():
        caller = janela.load_caller(f"user:{person}")
        return janela.ask("flights", measure, caller=caller, **options)


def _page(app: Flask, path: str, person: str = "lead") -> str:
    client = app.test_client()
    client.post("/sign-in", data={"person": person}, headers={"Origin": "http://localhost"})
    answer = client.get(f"/janela{path}")
    assert answer.status_code == 200
    return answer.text


def test_flights_by_carrier(flights_app: Flask) -> None:
    """The five largest of sixteen."""
    rows = _ask(flights_app, "flights", by="carrier").rows
    assert len(rows) == 16
    assert {row.key: row.value for row in rows[:5]} == CARRIERS
    page = _page(flights_app, "/ask/flights/flights/carrier")
    for number in CARRIERS.values():
        assert f"{number:,}" in page


def test_flights_by_origin(flights_app: Flask) -> None:
    """Newark, Kennedy and LaGuardia, by the name of the airport."""
    result = _ask(flights_app, "flights", by="origin")
    assert {row.label: row.value for row in result.rows} == ORIGINS
    assert result.total == 336_776
    page = _page(flights_app, "/ask/flights/flights/origin")
    for number in ORIGINS.values():
        assert f"{number:,}" in page


@pytest.mark.parametrize(
    ("measure", "value", "shown"),
    [
        ("flights", 336_776, "336,776"),
        ("cancelled", 8_255, "8,255"),
        ("average_delay", pytest.approx(12.64, abs=0.005), "12.6"),
    ],
)
def test_single_numbers(flights_app: Flask, measure: str, value: t.Any, shown: str) -> None:
    """All flights, those without a departure, and the mean delay of those that left."""
    assert _ask(flights_app, measure).total == value
    assert shown in _page(flights_app, f"/ask/flights/{measure}")


def test_months_by_the_calendar_of_new_york(flights_app: Flask) -> None:
    """January and July; by UTC's calendar they would be others."""
    rows = {row.key.month: row.value for row in _ask(flights_app, "flights", by="scheduled").rows}
    assert (rows[1], rows[7], sum(rows.values())) == (27_004, 29_425, 336_776)
    page = _page(flights_app, "/ask/flights/flights/scheduled?renderer=table")
    assert "27,004" in page
    assert "29,425" in page


@pytest.mark.parametrize(
    ("person", "flights"),
    [("lead", 336_776), ("admin", 336_776), ("analyst-ua", 58_665), ("analyst-dl", 48_110)],
)
def test_one_frame_shows_each_person_their_own_flights(
    flights_app: Flask, person: str, flights: int
) -> None:
    """The same frame over all flights, or over one airline's only."""
    with flights_app.app_context():
        frame = db.session.scalar(sa.select(Frame.id).where(Frame.key == "on_time_desk"))
    page = _page(flights_app, f"/frames/{frame}", person)
    assert f"{flights:,}" in page
    others = {336_776, 58_665, 48_110} - {flights}
    if person.startswith("analyst"):
        assert not any(f"{number:,}" in page for number in others)
