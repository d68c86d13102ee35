"""Every change of the clocks of 2024 to 2027, in twelve zones, on every database."""

from __future__ import annotations

import collections.abc as cabc

import pytest
from databases import bind, empty_database
from flask import Flask
from moments import ZONES, applications, changes, check_hours, check_intervals, public


@pytest.fixture(scope="module")
def apps() -> cabc.Iterator[dict[str, Flask]]:
    with empty_database() as url, applications(bind(url)) as made:
        yield made


@pytest.mark.parametrize("column", ["utc", "local", "aware", "date"])
@pytest.mark.parametrize("zone", ZONES, ids=public)
def test_every_interval_counts_what_a_loop_counts(
    apps: dict[str, Flask], zone: str, column: str
) -> None:
    """By day, week, month, quarter and year, with weeks that start on Monday and on Sunday."""
    check_intervals(apps, zone, column)


@pytest.mark.parametrize("column", ["utc", "local", "aware"])
@pytest.mark.parametrize("zone", ZONES, ids=public)
def test_every_hour_around_a_change_counts_what_a_loop_counts(
    apps: dict[str, Flask], zone: str, column: str
) -> None:
    """The days on both sides of each change; where clocks are never changed, of a new year."""
    check_hours(apps, zone, column)


def test_the_clocks_of_nine_of_the_zones_are_changed() -> None:
    """Eight times in four years, so that there is something to be wrong about."""
    still = {"America/Sao_Paulo", "Asia/Tehran", "Asia/Kathmandu", "Pacific/Apia"}
    assert {zone for zone in ZONES if not changes(zone)} == still
    assert all(len(changes(zone)) == 8 for zone in set(ZONES) - still)
