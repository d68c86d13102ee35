"""From a question to its answer: the statements, the rows in order, the total at its own grain."""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import datetime as dt
import time as timing
import typing as t

import sqlalchemy as sa

from ..errors import BadRequest, listed, quoted
from ..vocabulary import BoundDimension, BoundMeasure
from ..vocabulary import keys as key_values
from ..vocabulary.formats import UNKNOWN, Value
from ..vocabulary.kinds import Kind
from . import labels
from .aggregate import Aggregate, aggregate
from .conditions import Stretch, conditions, holds, stretch
from .dialect import Column as SQLColumn
from .filters import Filter, Layers, key_of, pairs, parse, reach
from .question import LIMIT, Question, companion, granularity_of, read_options
from .reader import Reader
from .result import Cell, Column, Range, Result, Row
from .statement import Source, beyond, by_key, by_label, by_nature, grouped, shared
from .time import Bucket, buckets, instant_of

Values = cabc.Sequence[t.Any]
NO_FILTERS = Layers()


def ask(
    reader: Reader, question: Question, layers: Layers = NO_FILTERS, *, strict: bool = False
) -> Result:
    """Answer a question as one caller may see it.

    Args:
        layers: whose filters apply.
        strict: whether a reader's filter that cannot reach the model is an error rather than a
            line in ``not_applied``.

    Raises:
        NotFound: for a model, measure or dimension that does not exist for the caller.
        BadRequest: for a question or filter that cannot be answered as it was put.
    """
    return _Asking(reader, question, layers, strict=strict).answer()


def answer(
    reader: Reader, options: cabc.Mapping[str, t.Any], filters: cabc.Mapping[str, t.Any]
) -> Result:
    """Answer loosely typed options and filters, all of which must apply."""
    question = Question.of(read_options(options))
    home = reader.model(question.model)
    _check_granularity(reader, question)
    given = parse(pairs(filters), reader.catalogue, reader.caller, [home])
    return ask(reader, question, Layers(fixed=given))


def _check_granularity(reader: Reader, question: Question) -> None:
    """Refuse an interval for what is not split by time; a stored pane's is merely ignored."""
    if question.granularity is None:
        return
    if question.dimension is not None:
        home = reader.model(question.model)
        if reader.catalogue.dimension(home, question.dimension, reader.caller).is_time:
            return
    what = question.dimension or "a question without a dimension"
    raise BadRequest(f"granularity is {quoted(question.granularity)}: {what} is not split by time")


@dataclasses.dataclass(frozen=True)
class _Selected:
    """What one column of the answer selects, where its values stand, and how they become it."""

    columns: tuple[SQLColumn, ...]
    at: slice
    cell: cabc.Callable[[Values], Cell]
    aggregate: Aggregate | None


class _Asking:
    """One question on its way to an answer."""

    def __init__(self, reader: Reader, question: Question, layers: Layers, *, strict: bool) -> None:
        self.started = timing.perf_counter()
        self.reader = reader
        self.question = question
        catalogue, caller = reader.catalogue, reader.caller
        self.model = reader.model(question.model)
        self.measure = catalogue.measure(self.model, question.measure, caller)
        self.dimension = (
            catalogue.dimension(self.model, question.dimension, caller)
            if question.dimension is not None
            else None
        )
        self.granularity = (
            granularity_of(self.dimension, question.granularity) if self.dimension else None
        )
        self.dialect = reader.dialect(self.model.model)
        self.source = Source(self.model.model, reader.narrowed(self.model.model))
        self._filter(layers, strict)
        self.companions = tuple(
            _column(companion(self.model, name, catalogue, caller)) for name in question.companions
        )
        self.selected = self._select()

    # what applies

    def _filter(self, layers: Layers, strict: bool) -> None:
        dimensions = self.reader.dimensions(self.model)
        reaching, missed = reach(layers.reader, self.model, dimensions)
        if strict and missed:
            raise BadRequest(
                f"{key_of(missed[0])} cannot filter {self.model.name}; it has {listed(dimensions)}"
            )
        self.not_applied = tuple(dict.fromkeys(each.dimension.label for each in missed))
        self.own = tuple(each for each in reaching if self._is_own(each))
        self.applied: list[Filter] = [each for each in reaching if not self._is_own(each)]
        for each in (layers.frame, layers.fixed, layers.pane):
            there, beyond_reach = reach(each, self.model, dimensions)
            if beyond_reach and each is not layers.frame:
                raise BadRequest(
                    f"{key_of(beyond_reach[0])} cannot filter {self.model.name}; "
                    f"it has {listed(dimensions)}"
                )
            if beyond_reach:
                names = dict.fromkeys(f.dimension.label for f in beyond_reach)
                self.not_applied = tuple(dict.fromkeys((*self.not_applied, *names)))
            self.applied += there
            self._keep(there)
        self._keep(tuple(each for each in reaching if not self._is_own(each)))

    def _keep(self, filters: cabc.Iterable[Filter]) -> None:
        self.source.where(*conditions(filters, self.source.column, self.dialect, self.reader.clock))

    def _is_own(self, filter_: Filter) -> bool:
        return self.dimension is not None and filter_.dimension.path == self.dimension.path

    # what is selected

    def _select(self) -> list[_Selected]:
        selected = [self._of_measure(self.measure, 0)]
        for column in self.companions:
            start = selected[-1].at.stop
            if isinstance(column.declared, BoundMeasure):
                selected.append(self._of_measure(column.declared, start))
            else:
                selected.append(self._of_dimension(column, column.declared, start))
        return selected

    def _of_measure(self, measure: BoundMeasure, start: int) -> _Selected:
        found = aggregate(measure, self.dialect)

        def cell(values: Values) -> Cell:
            value = self._shown(found.finish(values), measure)
            return Cell(value, measure.format.write(value, self.reader.locale))

        columns = tuple(part.expression for part in found.parts)
        return _Selected(columns, slice(start, start + len(columns)), cell, found)

    def _of_dimension(self, column: Column, dimension: BoundDimension, start: int) -> _Selected:
        columns, one = shared(column, self.source)

        def cell(values: Values) -> Cell:
            key = one(values)
            shown = UNKNOWN if key is None else dimension.label_of(key, self.reader.locale)
            return Cell(key, shown)

        return _Selected(tuple(columns), slice(start, start + len(columns)), cell, None)

    def _shown(self, value: Value, measure: BoundMeasure) -> Value:
        """A time as people read it: in the report zone."""
        if not isinstance(value, dt.datetime):
            return value
        if value.tzinfo is None and measure.zone is not None:
            value = instant_of(value, measure.zone)
        return value.astimezone(self.reader.clock.zone)

    @property
    def _columns(self) -> list[SQLColumn]:
        return [column for each in self.selected for column in each.columns]

    def _total_row(self, values: Values) -> Row:
        """The total; a dimension beside a split is no one key over all rows."""
        row = self._row(None, "Total", values)
        if self.dimension is None:
            return row
        cells = zip(self.companions, row.companions, strict=True)
        return dataclasses.replace(
            row,
            companions=tuple(c if of.is_measure else Cell(None, UNKNOWN) for of, c in cells),
        )

    def _row(self, key: key_values.Key, label: str, values: Values, **more: t.Any) -> Row:
        own, *others = (each.cell(values[each.at]) for each in self.selected)
        return Row(key, label, own.value, own.formatted, tuple(others), **more)

    # asking

    def answer(self) -> Result:
        rows: list[Row] = []
        truncated = False
        undated: Row | None = None
        total: Values | None = None
        stretched: Range | None = None
        if self.dimension is None:
            total = self._ask_total()
        elif self.dimension.is_time:
            rows, undated, total, stretched = self._by_time(self.dimension)
            if self.question.limit is not None and len(rows) > self.question.limit:
                rows, truncated = rows[: self.question.limit], True
        else:
            rows, truncated, total = self._by_category(self.dimension)
        return Result(
            model=self.model.name,
            measure=self.measure,
            dimension=self.dimension,
            columns=self.companions,
            rows=tuple(rows),
            total_row=self._total_row(total),
            truncated=truncated,
            undated_row=undated,
            range=stretched,
            granularity=self.granularity,
            chosen=self._chosen(rows),
            chosen_range=self._chosen_range(),
            not_applied=self.not_applied,
            locale=self.reader.locale,
            ms=(timing.perf_counter() - self.started) * 1000,
        )

    def _ask_total(self, *also: sa.ColumnElement[bool]) -> Values:
        return tuple(self.reader.execute(self.source.select(*self._columns, also=also)).one())

    def _total(self, groups: cabc.Sequence[Values]) -> Values:
        """The parts over all rows: added up from every group where that is exact, else asked."""
        found: list[t.Any] = []
        for each in self.selected:
            if each.aggregate is None:
                found += [None] * len(each.columns)
                continue
            folded = each.aggregate.folded([group[each.at] for group in groups])
            if folded is None:
                return self._ask_total()
            found += folded
        return found

    # by category

    def _by_category(self, dimension: BoundDimension) -> tuple[list[Row], bool, Values]:
        column = self.source.column(dimension)
        limit = self.question.limit or LIMIT
        statement = grouped(self.source, column, self._columns)
        statement = statement.order_by(*self._sorting(column, dimension)).limit(limit + 1)
        groups: list[tuple[key_values.Key, Values]] = [
            (row[0], tuple(row[1:])) for row in self.reader.execute(statement).all()
        ]
        truncated = len(groups) > limit
        locale = self.reader.locale
        rows = [
            self._row(key, dimension.label_of(key, locale), values)
            for key, values in groups[:limit]
        ]
        rows.sort(key=self._python_sorting(dimension))
        if not truncated:
            return rows, False, self._total([values for _, values in groups])
        if self.question.other:
            rest = self._ask_total(beyond(column, dimension, [row.key for row in rows]))
            rows.append(self._row(None, key_values.OTHER_LABEL, rest, is_other=True))
        return rows, True, self._ask_total()

    def _sorting(self, column: SQLColumn, dimension: BoundDimension) -> list[SQLColumn]:
        match self.question.order:
            case "label":
                return by_label(column, dimension, self.dialect, self.reader.locale)
            case "natural":
                return by_nature(column, dimension, self.dialect)
        descending = self.question.order != "value"
        own = t.cast("Aggregate", self.selected[0].aggregate)
        terms = [t for each in own.order for t in self.dialect.ordered(each, descending=descending)]
        return [*terms, *by_key(column, dimension, self.dialect)]

    def _python_sorting(self, dimension: BoundDimension) -> cabc.Callable[[Row], t.Any]:
        """The same order by the exact values: the database's is only as exact as its numbers."""
        order = self.question.order
        if order == "label":
            return lambda row: labels.label_place(row, dimension)
        if order == "natural":
            places = {key: at for at, key in enumerate(dimension.order)}
            return lambda row: labels.natural_place(row, places)
        sign = 1 if order == "value" else -1
        return lambda row: labels.value_place(row, sign)

    # by time

    def _by_time(
        self, dimension: BoundDimension
    ) -> tuple[list[Row], Row | None, Values, Range | None]:
        assert self.granularity is not None  # noqa: S101
        column = self.source.column(dimension)
        asked = stretch(self.applied, dimension, self.reader.clock)
        spread = self._spread(column, dimension, asked)
        if spread and spread.start is not None and spread.end is not None:
            found = buckets(self.granularity, spread.start, _last_point(spread), self.reader.clock)
        else:
            found = ()
        bounds = [each.start for each in found] + [each.end for each in found[-1:]]
        if not found:
            values = self._ask_total()
            undated = self._undated_values(column)
            return [], self._undated_row(undated), values, self._range(asked, dimension)
        key = self.dialect.bucket(column, bounds, dimension)
        statement = grouped(self.source, key, self._columns)
        groups: dict[int | None, Values] = {
            row[0]: tuple(row[1:]) for row in self.reader.execute(statement).all()
        }
        rows = [self._bucket_row(each, groups.get(at)) for at, each in enumerate(found, start=1)]
        total = self._total(list(groups.values()))
        return rows, self._undated_row(groups.get(None)), total, self._range(asked, dimension)

    def _spread(
        self, column: SQLColumn, dimension: BoundDimension, asked: Stretch | None
    ) -> Stretch | None:
        """The stretch to draw: as asked, and where that is open from or to the data's own."""
        asked = asked or Stretch(None, None)
        if asked.start is not None and asked.end is not None:
            return asked if asked.start < asked.end else None
        statement = self.source.select(
            sa.func.min(column, type_=column.type), sa.func.max(column, type_=column.type)
        )
        first, last = tuple(self.reader.execute(statement).one())
        if first is None:
            return None
        if dimension.kind is Kind.DATETIME:
            first = self.dialect.instant(first, dimension)
            last = self.dialect.instant(last, dimension)
            tick = dt.timedelta(microseconds=1)
        else:
            tick = dt.timedelta(days=1)
        return Stretch(
            asked.start if asked.start is not None else first,
            asked.end if asked.end is not None else last + tick,
        )

    def _undated_values(self, column: SQLColumn) -> Values | None:
        statement = self.source.select(sa.func.count(), *self._columns, also=[column.is_(None)])
        rows, *values = tuple[t.Any, ...](self.reader.execute(statement).one())
        return values if rows else None

    def _undated_row(self, values: Values | None) -> Row | None:
        return self._row(None, key_values.NONE_LABEL, values) if values is not None else None

    def _bucket_row(self, bucket: Bucket, values: Values | None) -> Row:
        label = labels.bucket_label(bucket.key, self.granularity, self.reader.locale)
        if values is None:
            cells = [self._gap(each) for each in self.selected]
            own, *others = cells
            return Row(
                bucket.key, label, own.value, own.formatted, tuple(others), until=bucket.until
            )
        return self._row(bucket.key, label, values, until=bucket.until)

    def _gap(self, selected: _Selected) -> Cell:
        """What a bucket without rows shows: 0 for counts and sums, else unknown."""
        if selected.aggregate is None:
            return Cell(None, UNKNOWN)
        return selected.cell([None] * len(selected.columns))

    def _range(self, asked: Stretch | None, dimension: BoundDimension) -> Range | None:
        if asked is None:
            return None
        return Range(self._local(asked.start), self._local(asked.end))

    def _local(self, point: dt.date | None) -> dt.date | None:
        return point.astimezone(self.reader.clock.zone) if isinstance(point, dt.datetime) else point

    def _chosen(self, rows: list[Row]) -> tuple[key_values.Key, ...] | None:
        if self.dimension is None or self.dimension.is_time or not self.own:
            return None
        return tuple(row.key for row in rows if not row.is_other and holds(self.own, row.key))

    def _chosen_range(self) -> Range | None:
        if self.dimension is None or not self.dimension.is_time or not self.own:
            return None
        chosen = stretch(self.own, self.dimension, self.reader.clock)
        return self._range(chosen, self.dimension)


def _column(declared: BoundMeasure | BoundDimension) -> Column:
    return Column(declared.name, declared.label, declared)


def _last_point(spread: Stretch) -> t.Any:
    """The last point inside a half-open stretch."""
    if isinstance(spread.end, dt.datetime):
        return spread.end - dt.timedelta(microseconds=1)
    return t.cast("dt.date", spread.end) - dt.timedelta(days=1)
