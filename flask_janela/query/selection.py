"""The columns of an answer: what each selects, and how values from the database become its rows."""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import datetime as dt
import typing as t

from ..vocabulary import BoundDimension, BoundMeasure
from ..vocabulary.formats import UNKNOWN, Value
from ..vocabulary.keys import Key
from .aggregate import Aggregate, aggregate
from .dialect import Column as SQLColumn
from .dialect import Dialect
from .reader import Reader
from .result import Cell, Column, Row
from .statement import Source, all_shared, shared
from .time import instant_of

Values = cabc.Sequence[t.Any]
"""What the database answers for one row: a value for each selected expression."""


@dataclasses.dataclass(frozen=True)
class _Selected:
    """What one column selects, where its values stand, and how they become a cell."""

    expressions: tuple[SQLColumn, ...]
    at: slice
    cell: cabc.Callable[[Values], Cell]
    aggregate: Aggregate | None


class Selection:
    """The measure of a question and its companions, in order."""

    def __init__(
        self,
        reader: Reader,
        dialect: Dialect,
        source: Source,
        measure: BoundMeasure,
        companions: tuple[Column, ...],
    ) -> None:
        self._reader = reader
        self._dialect = dialect
        self._source = source
        self._selected = [self._measure(measure, 0)]
        for column in companions:
            start = self._selected[-1].at.stop
            made = (
                self._measure(column.declared, start)
                if isinstance(column.declared, BoundMeasure)
                else self._dimension(column, column.declared, start)
            )
            self._selected.append(made)

    def _measure(self, measure: BoundMeasure, start: int) -> _Selected:
        found = aggregate(measure, self._dialect)

        def cell(values: Values) -> Cell:
            value = self._shown(found.finish(values), measure)
            return Cell(value, measure.format.write(value, self._reader.locale))

        expressions = tuple(part.expression for part in found.parts)
        return _Selected(expressions, slice(start, start + len(expressions)), cell, found)

    def _dimension(self, column: Column, dimension: BoundDimension, start: int) -> _Selected:
        expressions, one = shared(column, self._source)

        def cell(values: Values) -> Cell:
            key = one(values)
            shown = UNKNOWN if key is None else dimension.label_of(key, self._reader.locale)
            return Cell(key, shown)

        return _Selected(tuple(expressions), slice(start, start + len(expressions)), cell, None)

    def _shown(self, value: Value, measure: BoundMeasure) -> Value:
        """A time as people read it: in the report zone."""
        if not isinstance(value, dt.datetime):
            return value
        if value.tzinfo is None and measure.zone is not None:
            value = instant_of(value, measure.zone)
        return value.astimezone(self._reader.clock.zone)

    @property
    def expressions(self) -> list[SQLColumn]:
        """Everything to select."""
        return [each for selected in self._selected for each in selected.expressions]

    @property
    def order(self) -> tuple[SQLColumn, ...]:
        """What sorts rows by the measure."""
        return t.cast("Aggregate", self._selected[0].aggregate).order

    @property
    def nothing(self) -> Values:
        """The values where there are no rows."""
        return [None] * len(self.expressions)

    def row(self, key: Key, label: str, values: Values, **more: t.Any) -> Row:
        """One row of the answer."""
        own, *others = (each.cell(values[each.at]) for each in self._selected)
        return Row(key, label, own.value, own.formatted, tuple(others), **more)

    def folded(self, groups: cabc.Sequence[Values]) -> Values | None:
        """The values over all rows from those over every group; None where they must be asked."""
        found: list[t.Any] = []
        for each in self._selected:
            mine = [group[each.at] for group in groups]
            folded = each.aggregate.folded(mine) if each.aggregate else all_shared(mine)
            if folded is None:
                return None
            found += folded
        return found
