"""Every change of the clocks of 2024 to 2027, in twelve zones, in Spark. See ``make spark``."""

from __future__ import annotations

import collections.abc as cabc
import functools

import pytest
from cluster import Cluster
from databases import bind
from flask import Flask
from moments import ZONES, applications, check_hours, check_intervals, public
from property import lake

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def apps(spark: Cluster) -> cabc.Iterator[dict[str, Flask]]:
    load = functools.partial(lake.make, folder=spark.folder)
    with applications(bind(spark.url), load) as made:
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
    """The days on both sides of a change in spring and one in autumn, or of a new year."""
    check_hours(apps, zone, column, most=2)
