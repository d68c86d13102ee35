"""What each of two callers may read, found by the host's scope alone.

The scope's own statement is read whole and counted in Python. Nothing here goes the way by which
Janela narrows and asks, so the two can be compared.
"""

from __future__ import annotations

import collections
import collections.abc as cabc
import dataclasses
import datetime as dt
import functools
import typing as t

import babel
import sqlalchemy as sa
from sqlalchemy import orm

from .. import caller as callers
from ..query.scope import scope_of
from ..state import State
from ..vocabulary import BoundDimension, BoundModel
from ..vocabulary.formats import write_plain
from ..vocabulary.paths import Path

MOST_SECRETS = 300
"""So many of a column's texts are looked for in pages, the longest."""

Counts = collections.Counter[t.Any]


@dataclasses.dataclass(frozen=True)
class Truth:
    """What one caller may read of one model, as the host says.

    Attributes:
        name: the caller, for people.
        keys: the primary keys of their rows.
        counts: by column, how many of their rows have each value.
    """

    name: str
    keys: frozenset[tuple[t.Any, ...]]
    counts: cabc.Mapping[str, Counts]


@dataclasses.dataclass(frozen=True, slots=True)
class Secret:
    """A text that stands in rows of the other caller only."""

    column: str
    text: str


def columns_of(bound: BoundModel) -> dict[str, Path]:
    """Every column whose values are told: dimensions, and what records show."""
    found = {name: dimension.path for name, dimension in bound.dimensions.items()}
    for column in () if bound.records is None else bound.records.columns:
        found.setdefault(column.name, column.path)
    return found


def name_of(caller: t.Any) -> str:
    """A caller as errors name them."""
    return callers.caller_ref(caller) or "nobody"


def rows_of(state: State, model: type, caller: t.Any) -> t.Any:
    """The model as an alias of what the scope answers to a caller."""
    statement = scope_of(state.hooks.scope, model, callers.unwrapped(caller))
    return orm.aliased(model, statement.subquery())


def truth_of(state: State, bound: BoundModel, caller: t.Any) -> Truth:
    """Read the rows that the scope answers to a caller, and count them by each column."""
    model, session = bound.model, state.db.session
    key: list[t.Any] = _key_of(model)
    counts: dict[str, Counts] = {}
    entity = rows_of(state, model, caller)
    own = [getattr(entity, name) for name in key]
    keys = frozenset(tuple(row) for row in session.execute(sa.select(*own)))
    for name, path in columns_of(bound).items():
        statement, here = sa.select(*own).select_from(entity), entity
        for relationship in path.relationships:
            related = orm.aliased(getattr(here, relationship).property.mapper.class_)
            statement = statement.outerjoin(getattr(here, relationship).of_type(related))
            here = related
        found = session.execute(statement.add_columns(getattr(here, path.attribute)))
        values = {tuple(row[:-1]): row[-1] for row in found}
        counts[name] = collections.Counter(map(_hashable, values.values()))
    return Truth(name_of(caller), keys, counts)


def _key_of(model: type) -> list[t.Any]:
    mapper = t.cast("orm.Mapper[t.Any]", sa.inspect(model))
    return [mapper.get_property_by_column(column).key for column in mapper.primary_key]


def _hashable(value: t.Any) -> t.Any:
    return value if isinstance(value, cabc.Hashable) else repr(value)


def label_of(dimension: BoundDimension, key: t.Any, locale: babel.Locale) -> str:
    """A member as files write it."""
    return write_plain(key) if isinstance(key, dt.date) else dimension.label_of(key, locale)


def secrets_of(bound: BoundModel, mine: Truth, theirs: Truth) -> list[Secret]:
    """Texts that are told of the other's rows only, and could not be in a page by chance.

    What is declared, and what is a part of a text of the caller's own, is none.
    """
    own = "\n".join(
        value for counts in mine.counts.values() for value in counts if isinstance(value, str)
    )
    declared = _declared(bound)
    found: list[Secret] = []
    for name, counts in theirs.counts.items():
        texts = {value for value in counts if isinstance(value, str) and _is_telling(value)}
        texts = {each for each in texts - declared if not stands_in(each, own)}
        longest = sorted(texts, key=lambda each: (-len(each), each))
        found += [Secret(name, text) for text in longest[:MOST_SECRETS]]
    return found


def _is_telling(text: str) -> bool:
    return len(text.strip()) >= 3 and any(c.isalpha() for c in text)


def _declared(bound: BoundModel) -> set[str]:
    """The words that are declared, and so told to everybody."""
    found: set[str] = {bound.name, bound.label}
    for measure in bound.measures.values():
        found |= {measure.name, measure.label}
    for dimension in bound.dimensions.values():
        found |= {dimension.name, dimension.label}
        found |= {str(key) for key in (*dimension.labels, *dimension.order)}
        found |= set(dimension.labels.values())
    return found


@functools.lru_cache(maxsize=4096)
def _words(text: str) -> str:
    return " ".join(text.split())


def stands_in(text: str, told: str) -> bool:
    """Whether a text stands in another as words of its own, however it is spaced."""
    wanted = _words(text)
    at = told.find(wanted)
    while at >= 0:
        before, after = told[at - 1 : at], told[at + len(wanted) :][:1]
        if not (_joins(before, wanted[0]) or _joins(wanted[-1], after)):
            return True
        at = told.find(wanted, at + 1)
    return False


def _joins(left: str, right: str) -> bool:
    """Whether two characters beside each other are of one word."""
    return left.isalnum() and right.isalnum()
