"""Single rows: those behind a number, a page at a time, and one by its key.

The rows are narrowed by the same scope, filters and conditions as the number they stand behind,
and each is told apart by its primary key: pages go from key to key, so that a row that comes or
goes between two of them makes no other row come twice or be left out.
"""

from __future__ import annotations

import collections.abc as cabc
import typing as t

import sqlalchemy as sa

from ..errors import NotFound, unusable
from ..vocabulary import BoundColumn, BoundMeasure, BoundModel, BoundRecords
from ..words import say
from .aggregate import contributing
from .applying import apply
from .filters import Layers, pairs, parse
from .keyset import Keyset, Place
from .reader import Reader
from .record import Record, RecordColumn, RecordPage, cell_of
from .statement import Source

LIMIT = 25
"""How many rows a page has unless it is asked for more or fewer."""

MOST = 100
"""How many it can have."""

BATCH = 5000
"""How many rows are read at a time where all are."""

Filters = cabc.Mapping[str, t.Any] | Layers
"""Either ``[model.]dimension[.operator]`` with values, all of which must apply, or layers."""


def find(
    reader: Reader,
    model: str,
    filters: Filters | None = None,
    *,
    measure: str | None = None,
    limit: int = LIMIT,
    cursor: str | None = None,
) -> RecordPage:
    """One page of the rows under some filters, in the order of their primary key.

    Args:
        filters: a reader's own narrow here whatever they are on: nothing is merely lit up.
        measure: keep only the rows that count into this measure.
        limit: at most so many rows, 1 to 100.
        cursor: ``next`` or ``previous`` of another page.

    Raises:
        NotFound: for a name that does not exist for the caller, and where rows are not shown.
        BadRequest: for a filter, limit or cursor that cannot be, in words.
    """
    reading = _Reading(reader, model, filters, measure)
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= MOST:
        raise unusable(
            "limit", limit, say("a whole number from {least} to {most}", least=1, most=MOST)
        )
    place = reading.keyset.place(cursor)
    total, before = reading.counted(place)
    rows, more = reading.batch(place, limit)
    if place is not None and place.back:
        before -= len(rows)
        is_last, is_first = False, not more
    else:
        is_last, is_first = not more, before == 0
    return RecordPage(
        model=reading.bound.name,
        label=reading.records.label,
        measure=reading.measure,
        columns=reading.columns,
        rows=rows,
        total=total,
        before=max(before, 0),
        next=reading.keyset.after(rows[-1].identity) if rows and not is_last else None,
        previous=reading.keyset.before(rows[0].identity) if rows and not is_first else None,
        not_applied=reading.not_applied,
        locale=reader.locale,
    )


def count(
    reader: Reader, model: str, filters: Filters | None = None, *, measure: str | None = None
) -> int:
    """How many rows :func:`find` has on all its pages; raises what it raises."""
    return _Reading(reader, model, filters, measure).counted(None)[0]


def get(reader: Reader, model: str, key: t.Any) -> Record:
    """One row by its key: the text that a :class:`Record` has, or its typed parts.

    Raises:
        NotFound: when there is no such row, or none that the caller may read: both say the same.
        BadRequest: for what cannot be a key of this model.
    """
    reading = _Reading(reader, model, None, None)
    found = reading.one(reading.keyset.read(key))
    if found is None:
        raise NotFound(
            say(
                "There is no such row of {model}, or none that you may see.",
                model=reading.bound.name,
            )
        )
    return found


def stream(
    reader: Reader, model: str, filters: Filters | None = None, *, measure: str | None = None
) -> tuple[tuple[RecordColumn, ...], cabc.Iterator[Record]]:
    """The columns and every row, however many there are; the first ones are read at once.

    They are read in batches, so that no statement is left open while a slow reader takes them,
    and numbers and times in them are written for programs rather than for people.

    Raises:
        NotFound, BadRequest: before anything is answered, as :func:`find` does.
    """
    reading = _Reading(reader, model, filters, measure)
    first, more = reading.batch(None, BATCH, plain=True)

    def rows() -> cabc.Iterator[Record]:
        yield from first
        last, goes_on = first, more
        while goes_on:
            last, goes_on = reading.batch(Place(last[-1].identity), BATCH, plain=True)
            yield from last

    return reading.columns, rows()


def are_shown(reader: Reader, model: BoundModel) -> bool:
    """Whether single rows of a model are shown to the caller at all."""
    return bool(_columns(reader, model))


def _columns(reader: Reader, model: BoundModel) -> tuple[BoundColumn, ...]:
    """The columns that exist for the caller."""
    visible = reader.dimensions(model)
    declared = () if model.records is None else model.records.columns
    return tuple(each for each in declared if each.exists_among(visible))


class _Reading:
    """The rows of one model under some filters, on their way to pages."""

    def __init__(
        self, reader: Reader, model: str, filters: Filters | None, measure: str | None
    ) -> None:
        self.reader = reader
        self.bound = reader.model(model)
        self._declared = _columns(reader, self.bound)
        if not self._declared:
            raise NotFound(
                say(
                    "Single rows of {model} are not shown, only numbers of them.",
                    model=self.bound.name,
                )
            )
        self.records = t.cast("BoundRecords", self.bound.records)
        self.columns = tuple(
            RecordColumn(each.name, each.label, each.kind) for each in self._declared
        )
        self.measure: BoundMeasure | None = None
        if measure is not None:
            self.measure = reader.catalogue.measure(self.bound, measure, reader.caller)
        dialect = reader.dialect(self.bound.model)
        self._source = Source(self.bound.model, reader.narrowed(self.bound.model), dialect)
        applied = apply(self._layers(filters), self._source, self.bound, reader, dialect)
        self.not_applied = applied.not_applied
        if self.measure is not None:
            self._source.where(*contributing(self.measure))
        self.keyset = Keyset(self._source, self.records.key)

    def _layers(self, filters: Filters | None) -> Layers:
        if isinstance(filters, Layers):
            return filters
        reader = self.reader
        given = parse(pairs(filters or {}), reader.catalogue, reader.caller, [self.bound])
        return Layers(fixed=given)

    def _run(self, statement: sa.Select[t.Any]) -> sa.Result[t.Any]:
        return self.reader.execute(self.bound.model, statement)

    def counted(self, place: Place | None) -> tuple[int, int]:
        """How many rows there are, and how many come before a place."""
        if place is None:
            return self.reader.execute(
                self.bound.model, self._source.select(sa.func.count())
            ).scalar_one(), 0
        beyond = sa.func.count(sa.case((self.keyset.beyond(place), 1)))
        statement = self._source.select(sa.func.count(), beyond)
        total, those = tuple[t.Any, ...](self._run(statement).one())
        return total, those if place.back else total - those

    def batch(
        self, place: Place | None, limit: int, *, plain: bool = False
    ) -> tuple[tuple[Record, ...], bool]:
        """The rows next to a place in ascending order, and whether more lie beyond them."""
        back = place is not None and place.back
        also = [] if place is None else [self.keyset.beyond(place)]
        statement = self._select(*also).order_by(*self.keyset.order(back=back)).limit(limit + 1)
        answered = self._run(statement).all()
        found = [self._record(values, plain=plain) for values in answered]
        rows = found[:limit]
        return tuple(rows[::-1] if back else rows), len(found) > limit

    def one(self, identity: tuple[t.Any, ...]) -> Record | None:
        """The row with this key."""
        statement = self._select(*self.keyset.equal(identity))
        values = self._run(statement).one_or_none()
        return None if values is None else self._record(values)

    def _select(self, *also: sa.ColumnElement[bool]) -> sa.Select[t.Any]:
        shown = [self._source.at(column.path) for column in self._declared]
        return self._source.select(*self.keyset.columns, *shown, also=also)

    def _record(self, values: cabc.Sequence[t.Any], *, plain: bool = False) -> Record:
        width = len(self.keyset.columns)
        identity = tuple(values[:width])
        cells = tuple(
            cell_of(column, value, self.reader, plain=plain)
            for column, value in zip(self._declared, values[width:], strict=True)
        )
        return Record(self.keyset.write(identity), identity, self.columns, cells)
