"""From a question to its answer: the statements, the rows in order, the total at its own grain."""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import datetime as dt
import time as timing
import typing as t

import sqlalchemy as sa

from ..errors import BadRequest, quoted
from ..vocabulary import BoundDimension, BoundMeasure
from ..vocabulary import keys as key_values
from ..vocabulary.kinds import Kind
from ..words import say
from .applying import apply
from .conditions import Stretch, holds, reaches, stretch
from .dialect import VALUE, Dialect
from .dialect import Column as SQLColumn
from .filters import Layers, pairs, parse, same
from .labels import bucket_label
from .ordering import Ordering
from .question import LIMIT, Question, companion, granularity_of, read_options
from .reader import Reader
from .result import Column, Range, Result, Row
from .selection import Selection, Values
from .statement import Source, beyond, grouped
from .time import Bucket, as_point, buckets

NO_FILTERS = Layers()

_TOTAL = say("Total")


def ask(
    reader: Reader,
    question: Question,
    layers: Layers = NO_FILTERS,
    *,
    strict: bool = False,
    within: bool = False,
) -> Result:
    """Answer a question as one caller may see it.

    Args:
        layers: whose filters apply.
        strict: whether a reader's filter that cannot reach the model is an error rather than a
            line in ``not_applied``.
        within: whether the reader's filters on the question's own dimension narrow it too,
            rather than mark what they choose.

    Raises:
        NotFound: for a model, measure or dimension that does not exist for the caller.
        BadRequest: for a question or filter that cannot be answered as it was put.
    """
    dialect = reader.dialect(reader.model(question.model).model)
    try:
        return _Asking(reader, question, layers, dialect, strict=strict, within=within).answer()
    except sa.exc.DBAPIError as error:
        if not dialect.overflowed(error):
            raise
    wide = dataclasses.replace(dialect, wide=True)
    return _Asking(reader, question, layers, wide, strict=strict, within=within).answer()


def count_members(reader: Reader, question: Question, layers: Layers = NO_FILTERS) -> int:
    """How many members a question would list without a limit, the null group among them.

    Raises:
        NotFound, BadRequest: as :func:`ask`.
    """
    dialect = reader.dialect(reader.model(question.model).model)
    return _Asking(reader, question, layers, dialect).members()


def answer(
    reader: Reader, options: cabc.Mapping[str, t.Any], filters: cabc.Mapping[str, t.Any]
) -> Result:
    """Answer loosely typed options and filters, all of which must apply."""
    question = Question.of(read_options(options))
    home = reader.model(question.model)
    check_granularity(reader, question)
    given = parse(pairs(filters), reader.catalogue, reader.caller, [home])
    return ask(reader, question, Layers(fixed=given))


def check_granularity(reader: Reader, question: Question) -> None:
    """Refuse an interval for what is not split by time; a stored pane's is merely ignored.

    Raises:
        BadRequest: saying what is asked for instead.
        NotFound: for a model or dimension that does not exist for the caller.
    """
    if question.granularity is None:
        return
    if question.dimension is not None:
        home = reader.model(question.model)
        if reader.catalogue.dimension(home, question.dimension, reader.caller).is_time:
            return
    raise BadRequest(
        say(
            "granularity is {given}: {what} is not split by time",
            given=quoted(question.granularity),
            what=question.dimension or say("a question without a dimension"),
        )
    )


class _Asking:
    """One question on its way to an answer."""

    def __init__(
        self,
        reader: Reader,
        question: Question,
        layers: Layers,
        dialect: Dialect,
        *,
        strict: bool = False,
        within: bool = False,
    ) -> None:
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
        self.dialect = dialect
        self.source = Source(self.model.model, reader.narrowed(self.model.model), dialect)
        lit = None if within else self.dimension
        found = apply(layers, self.source, self.model, reader, dialect, lit=lit, strict=strict)
        self.own, self.applied, self.not_applied = found.lit, found.filters, found.not_applied
        self.companions = tuple(
            _column(companion(self.model, name, catalogue, caller)) for name in question.companions
        )
        self.selection = Selection(reader, dialect, self.source, self.measure, self.companions)

    def _run(self, statement: sa.Select[t.Any]) -> sa.Result[t.Any]:
        return self.reader.execute(self.model.model, statement)

    # asking

    def answer(self) -> Result:
        rows: list[Row] = []
        truncated = False
        undated: Row | None = None
        total: Values | None = None
        stretched: Range | None = None
        if self.dimension is None:
            total = self._ask()
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
            total_row=self.selection.row(None, _TOTAL, total),
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

    def _ask(self, *also: sa.ColumnElement[bool]) -> Values:
        """The parts over all rows, or over those for which something holds as well."""
        statement = self.source.select(*self.selection.expressions, also=also)
        return tuple(self._run(statement).one())

    def _total(self, groups: cabc.Sequence[Values]) -> Values:
        """The parts over all rows: added up from every group where that is exact, else asked."""
        folded = self.selection.folded(groups)
        return self._ask() if folded is None else folded

    def members(self) -> int:
        """How many members there are."""
        if self.dimension is None:
            return 1
        if self.dimension.is_time:
            return len(self._by_time(self.dimension)[0])
        column = self.source.column(self.dimension)
        counted = [sa.func.count(column.distinct()), sa.func.count(column), sa.func.count()]
        counts = tuple[int, ...](self._run(self.source.select(*counted)).one())
        different, known, rows = counts
        return different + (rows > known)

    # by category

    def _by_category(self, dimension: BoundDimension) -> tuple[list[Row], bool, Values]:
        column = self.source.column(dimension)
        limit = self.question.limit or LIMIT
        by = Ordering(self.question.order, dimension, self.dialect, self.reader.locale)
        selected, value = self._sortable() if by.by_value else (self.selection.expressions, {})
        statement = grouped(self.source, column, selected)
        statement = statement.order_by(*by.terms(column, value)).limit(limit + 1)
        own = slice(1, 1 + len(self.selection.expressions))
        groups: list[tuple[key_values.Key, Values]] = [
            (row[0], tuple(row[own])) for row in self._run(statement).all()
        ]
        truncated = len(groups) > limit
        locale = self.reader.locale
        rows = [
            self.selection.row(key, dimension.label_of(key, locale), values)
            for key, values in groups[:limit]
        ]
        rows.sort(key=by.place)
        if not truncated:
            return rows, False, self._total([values for _, values in groups])
        if self.question.other:
            rest = self._ask(beyond(column, dimension, [row.key for row in rows]))
            rows.append(self.selection.row(None, key_values.OTHER_LABEL, rest, is_other=True))
        return rows, True, self._ask()

    def _sortable(self) -> tuple[list[SQLColumn], dict[str, SQLColumn]]:
        """What to select, and after it what sorts by the measure if that is not among it; and by
        which labels to sort."""
        selected = list(self.selection.expressions)
        places = {id(expression): at for at, expression in enumerate(selected)}
        value: dict[str, SQLColumn] = {}
        for expression in self.selection.order:
            label = self.source.free_label(f"{VALUE}_{len(value)}")
            at = places.setdefault(id(expression), len(selected))
            selected[at : at + 1] = [expression.label(label)]
            value[label] = expression
        return selected, value

    # by time

    def _by_time(
        self, dimension: BoundDimension
    ) -> tuple[list[Row], Row | None, Values, Range | None]:
        assert self.granularity is not None  # noqa: S101
        column = self.source.column(dimension)
        asked = stretch(self.applied, dimension, self.reader.clock)
        spread = self._spread(column, dimension, asked)
        found = buckets(self.granularity, *spread, self.reader.clock) if spread else ()
        bounds = [each.start for each in found] + [each.end for each in found[-1:]]
        if not found:
            values = self._ask()
            undated = self._undated_values(column)
            return [], self._undated_row(undated), values, self._range(asked, dimension)
        key = self.dialect.bucket(column, bounds, dimension)
        statement = grouped(self.source, key, self.selection.expressions)
        groups: dict[int | None, Values] = {
            row[0]: tuple(row[1:]) for row in self._run(statement).all()
        }
        within = [each for each in self.applied if same(each.dimension, dimension)]
        rows = [
            self._bucket_row(each, groups.get(at))
            for at, each in enumerate(found, start=1)
            if reaches(within, each.start, each.end, self.reader.clock)
        ]
        total = self._total(list(groups.values()))
        return rows, self._undated_row(groups.get(None)), total, self._range(asked, dimension)

    def _spread(
        self, column: SQLColumn, dimension: BoundDimension, asked: Stretch | None
    ) -> tuple[t.Any, t.Any] | None:
        """The first and last point to draw: as asked, and where that is open the data's own."""
        start, end = (asked.start, asked.end) if asked else (None, None)
        dates = dimension.kind is Kind.DATE
        tick = dt.timedelta(days=1) if dates else dt.timedelta(microseconds=1)
        before_end = None if end is None else end - tick
        if start is None or before_end is None:
            first, last = self._extent(column, dimension)
            if first is None:
                return None
            if not dates:
                first, last = (self.dialect.instant(each, dimension) for each in (first, last))
            start = first if start is None else start
            before_end = last if before_end is None else before_end
        return (start, before_end) if start <= before_end else None

    def _extent(self, column: SQLColumn, dimension: BoundDimension) -> tuple[t.Any, t.Any]:
        """The first and last time there is, asked once for all questions under the same filters."""
        key = (self.model.name, dimension.name, self.applied)
        known = self.reader.extents
        if key not in known:
            first, last = tuple(self._run(self.source.extremes(column)).one())
            known[key] = (first, last)
        return known[key]

    def _undated_values(self, column: SQLColumn) -> Values | None:
        statement = self.source.select(
            sa.func.count(), *self.selection.expressions, also=[column.is_(None)]
        )
        rows, *values = tuple[t.Any, ...](self._run(statement).one())
        return values if rows else None

    def _undated_row(self, values: Values | None) -> Row | None:
        return (
            self.selection.row(None, key_values.NONE_LABEL, values) if values is not None else None
        )

    def _bucket_row(self, bucket: Bucket, values: Values | None) -> Row:
        label = bucket_label(bucket.key, self.granularity, self.reader.locale)
        found = self.selection.nothing if values is None else values
        return self.selection.row(bucket.key, label, found, until=bucket.until)

    def _range(self, asked: Stretch | None, dimension: BoundDimension) -> Range | None:
        if asked is None:
            return None
        return Range(self._local(asked.start), self._local(asked.end))

    def _local(self, point: dt.date | None) -> dt.date | None:
        return point.astimezone(self.reader.clock.zone) if isinstance(point, dt.datetime) else point

    def _chosen(self, rows: list[Row]) -> tuple[key_values.Key, ...] | None:
        if self.dimension is None or not self.own:
            return None
        if self.dimension.is_time:
            return tuple(
                row.key
                for row in rows
                if reaches(
                    self.own, self._point(row.key), self._point(row.until), self.reader.clock
                )
            )
        return tuple(row.key for row in rows if not row.is_other and holds(self.own, row.key))

    def _point(self, key: t.Any) -> t.Any:
        dates = self.dimension is not None and self.dimension.kind is Kind.DATE
        return as_point(key, self.reader.clock, dates=dates)

    def _chosen_range(self) -> Range | None:
        if self.dimension is None or not self.dimension.is_time or not self.own:
            return None
        if any(each.operator == "not" or len(each.values) > 1 for each in self.own):
            return None
        chosen = stretch(self.own, self.dimension, self.reader.clock)
        return self._range(chosen, self.dimension)


def _column(declared: BoundMeasure | BoundDimension) -> Column:
    return Column(declared.name, declared.label, declared)
