"""Whether MySQL or MariaDB knows the time zones that the host's own expressions name.

Janela's own statements never need them: the bounds of intervals are computed in Python. But
``CONVERT_TZ`` in a measure or a hybrid answers null where the server's tables are empty.
"""

from __future__ import annotations

import collections.abc as cabc
import typing as t

import sqlalchemy as sa
from sqlalchemy.sql import visitors

from ..errors import listed
from ..query.dialect import MYSQL
from ..vocabulary import BoundModel
from ..vocabulary.measures import Measure
from .case import Case, home_of
from .finding import Finding

_ASKED = sa.text("SELECT CONVERT_TZ('2013-07-04 12:00:00', 'UTC', 'Europe/Lisbon')")


def time_zone_tables(case: Case) -> cabc.Iterator[Finding]:
    """Expressions that convert between named zones, on a server that knows none."""
    for place in case.places:
        engine = place.engine
        if place.fault or engine is None or engine.dialect.name not in MYSQL:
            continue
        using = [
            f"{bound.name}.{name}"
            for bound in case.models
            if home_of(bound) in place.tables
            for name, expressions in _expressions(bound)
            if any(_converts(each) for each in expressions)
        ]
        if not using or _knows_zones(engine):
            continue
        yield Finding(
            "time-zone-tables",
            "error",
            f"{place.named} has no time zone tables, and CONVERT_TZ in {listed(using)} answers "
            "null without them.",
            "mysql_tzinfo_to_sql /usr/share/zoneinfo | mysql -u root mysql\nOr declare a "
            "TimeDimension over the stored time: Janela's own zones need no tables.",
        )


def _knows_zones(engine: sa.Engine) -> bool:
    with engine.connect() as connection:
        return connection.scalar(_ASKED) is not None


def _expressions(bound: BoundModel) -> cabc.Iterator[tuple[str, list[t.Any]]]:
    """Everything that a vocabulary computes, by the name it has there."""
    for measure in bound.measures.values():
        yield measure.name, list(_of_measure(measure.declared, bound.model))
    for dimension in bound.dimensions.values():
        if not dimension.path.relationships:
            yield dimension.name, [getattr(bound.model, dimension.path.attribute)]


def _of_measure(declared: Measure, model: type) -> cabc.Iterator[t.Any]:
    for given in (
        declared.where,
        getattr(declared, "column", None),
        getattr(declared, "condition", None),
    ):
        if isinstance(given, str):
            yield getattr(model, given)
        elif given is not None:
            yield given(model)


def _converts(expression: t.Any) -> bool:
    element = getattr(expression, "__clause_element__", lambda: expression)()
    return any(
        isinstance(each, sa.sql.functions.FunctionElement)
        and str(getattr(each, "name", "")).lower() == "convert_tz"
        for each in visitors.iterate(element)
    )
