"""Declarations bound to a mapped class, and everything that can be wrong with them.

Binding happens once the mappers are configured; what cannot work raises
:class:`~flask_janela.errors.DeclarationError` with the model, the member and the fix.
"""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import typing as t
import zoneinfo

import babel
import babel.numbers
import sqlalchemy as sa
from sqlalchemy import orm

from ..errors import BadRequest, DeclarationError, listed, quoted
from ..words import own
from . import keys, paths
from .bound import BoundDimension, BoundMeasure, BoundModel
from .columns import bind_records
from .declaration import VocabularyType
from .dimensions import GRANULARITIES, Dimension, TimeDimension
from .expressions import check_decorated, check_rows
from .faults import Faults
from .formats import Format, in_words
from .kinds import Kind, kind_of, undecorated
from .measures import (
    Average,
    Condition,
    Count,
    CountDistinct,
    Maximum,
    Measure,
    Minimum,
    Ratio,
    Share,
    Sum,
)


def bind(model: type, vocabulary: VocabularyType, name: str) -> BoundModel:
    """Bind a vocabulary to a mapped class under its public name."""
    return _Binder(model, vocabulary, name).bind()


class _Binder:
    def __init__(self, model: type, vocabulary: VocabularyType, name: str) -> None:
        self.model = model
        self.mapper: orm.Mapper[t.Any] = t.cast("orm.Mapper[t.Any]", sa.inspect(model))
        self.vocabulary = vocabulary
        self.name = name
        self.measures: dict[str, BoundMeasure] = {}

    def bind(self) -> BoundModel:
        if self.mapper.with_polymorphic and self.mapper.with_polymorphic[1] is not None:
            raise DeclarationError(
                f"{self.model.__name__} is mapped to a selectable of its own (concrete "
                "inheritance), which statements over its columns do not follow; declare the "
                "vocabulary on the concrete classes, each with concrete=True and no "
                "polymorphic union."
            )
        declared = self.vocabulary.declarations
        dimensions: dict[str, BoundDimension] = {}
        faults = Faults()
        for member, value in declared.items():
            with faults.gathered():
                if isinstance(value, Measure):
                    self._measure(member, ())
                elif isinstance(value, Dimension | TimeDimension):
                    dimensions[member] = self._dimension(member, value)
        faults.raise_them()
        return BoundModel(
            name=self.name,
            model=self.model,
            measures={name: self.measures[name] for name in declared if name in self.measures},
            dimensions=dimensions,
            records=bind_records(self.mapper, self.vocabulary, self.name, dimensions),
        )

    def _member(self, name: str) -> str:
        return f"{self.model.__name__}.Janela.{name}"

    # measures

    def _measure(self, name: str, asking: tuple[str, ...]) -> BoundMeasure:
        if name in self.measures:
            return self.measures[name]
        declared = t.cast("Measure", self.vocabulary.declarations[name])
        member = self._member(name)
        operands: tuple[BoundMeasure, ...] = ()
        if isinstance(declared, Ratio):
            operands = self._operands(declared, member, (*asking, name))
            kind = _ratio_kind(declared, operands)
            scale = None
        else:
            kind, scale = self._aggregated(declared, member)
        if declared.where is not None:
            self._condition(declared.where, f"{member} where")
            operands = tuple(_narrowed(operand, declared.where) for operand in operands)
        bound = BoundMeasure(
            name=name,
            declared=_told(declared),
            model=self.model,
            label=own(declared.label or in_words(name)),
            kind=kind,
            format=_format(declared, kind, scale, member),
            operands=operands,
            zone=self._stored(declared, member) if kind is Kind.DATETIME else None,
        )
        self.measures[name] = bound
        return bound

    def _stored(self, declared: Measure, member: str) -> zoneinfo.ZoneInfo:
        """The zone that values of a time without one are in, as the dimensions over it say."""
        column = t.cast("Minimum | Maximum", declared).column
        zones = {
            value.stored
            for name, value in self.vocabulary.declarations.items()
            if isinstance(value, TimeDimension) and (value.path or name) == column
        }
        if len(zones) > 1:
            raise DeclarationError(
                f"{member}: {quoted(column)} is declared as stored in {listed(sorted(zones))}; "
                "one column is in one zone."
            )
        return _zone(zones.pop() if zones else "UTC", member)

    def _operands(
        self, ratio: Ratio, member: str, asking: tuple[str, ...]
    ) -> tuple[BoundMeasure, ...]:
        bound = []
        for operand in (ratio.numerator, ratio.denominator):
            if not isinstance(self.vocabulary.declarations.get(operand), Measure):
                raise DeclarationError(
                    f"{member} divides {quoted(operand)}, which is not a measure of "
                    f"{self.name}; it has {listed(self._declared(Measure))}."
                )
            if operand in asking:
                raise DeclarationError(
                    f"{member} divides itself by way of {' → '.join((*asking, operand))}; "
                    "a ratio needs two measures that do not depend on it."
                )
            measure = self._measure(operand, asking)
            if measure.kind.is_time:
                raise DeclarationError(
                    f"{member} divides {quoted(operand)}, which is a time; divide numbers."
                )
            bound.append(measure)
        return tuple(bound)

    def _declared(self, of: type) -> list[str]:
        return [
            name for name, value in self.vocabulary.declarations.items() if isinstance(value, of)
        ]

    def _aggregated(self, declared: Measure, member: str) -> tuple[Kind, int | None]:
        """The kind of value a measure comes to and the decimals its column has."""
        if isinstance(declared, Count | CountDistinct):
            if declared.column is not None:
                self._expression(declared.column, member)
            return Kind.INTEGER, None
        if isinstance(declared, Share):
            if kind_of(self._expression(declared.condition, member).type) is not Kind.BOOLEAN:
                raise DeclarationError(
                    f"{member}: a share needs a condition that is true or false, such as "
                    f"Share(lambda {self.name[0]}: {self.name[0]}.amount > 0)."
                )
            return Kind.FLOAT, None
        assert isinstance(declared, Sum | Average | Minimum | Maximum)  # noqa: S101
        expression = self._expression(declared.column, member)
        kind = kind_of(expression.type)
        check_decorated(expression.type, member, summed=not kind.is_time)
        verb = type(declared).__name__
        if isinstance(expression.type, sa.types.NullType):
            raise DeclarationError(
                f"{member}: nothing says what type this expression is; wrap it, "
                "type_coerce(…, Integer) or cast(…, Numeric(10, 2))."
            )
        if kind is Kind.BOOLEAN:
            raise DeclarationError(
                f"{member}: {verb} of a true-or-false column has no meaning on every database; "
                "use Share(...) for the fraction or Count(where=...) for the number."
            )
        if isinstance(declared, Minimum | Maximum) and kind.is_time:
            return kind, None
        if not kind.is_number:
            raise DeclarationError(
                f"{member}: {verb} needs a number"
                f"{' or a time' if isinstance(declared, Minimum | Maximum) else ''}, "
                f"and this column is {kind.value}. {quoted(self.model.__name__)} has the numbers "
                f"{listed(self._numbers())}; CountDistinct counts different values of any column."
            )
        plain = undecorated(expression.type)
        scale = getattr(plain, "scale", None) if kind is Kind.DECIMAL else None
        if isinstance(declared, Average) and kind is Kind.INTEGER:
            kind = Kind.FLOAT
        return kind, scale

    def _numbers(self) -> list[str]:
        """The model's own columns of numbers, but for its key."""
        return [
            name
            for name, column in self.mapper.columns.items()
            if kind_of(column.type).is_number and not column.primary_key
        ]

    def _expression(self, given: object, member: str) -> sa.ColumnElement[t.Any]:
        """A column name or a function of the model as an expression of this model alone."""
        if isinstance(given, str):
            if "." in given:
                raise DeclarationError(
                    f"{member}: a measure is taken over the model's own columns; declare it on "
                    f"the model that {quoted(given)} leads to, or use a function of the model."
                )
            paths.resolve(self.mapper, given, member)
            return t.cast("sa.ColumnElement[t.Any]", getattr(self.model, given))
        if not callable(given):
            raise DeclarationError(
                f"{member}: {quoted(given)} is neither a column's name nor a function of the model."
            )
        try:
            expression = given(self.model)
        except Exception as error:
            raise DeclarationError(
                f"{member}: its function failed on {self.model.__name__}: "
                f"{type(error).__name__}: {error}"
            ) from error
        if not hasattr(expression, "type") or (
            not hasattr(expression, "__clause_element__")
            and not isinstance(expression, sa.ColumnElement)
        ):
            raise DeclarationError(
                f"{member}: its function answered {quoted(expression)}, not an expression of "
                f"{self.model.__name__}'s columns."
            )
        check_rows(expression, self.model, member)
        return t.cast("sa.ColumnElement[t.Any]", expression)

    def _condition(self, given: object, member: str) -> None:
        if isinstance(given, str):
            raise DeclarationError(
                f"{member} is {quoted(given)}: give a function of the model, such as "
                f"lambda row: row.{given}."
            )
        if kind_of(self._expression(given, member).type) is not Kind.BOOLEAN:
            raise DeclarationError(f"{member} is not a condition that is true or false.")

    # dimensions

    def _dimension(self, name: str, declared: Dimension | TimeDimension) -> BoundDimension:
        member = self._member(name)
        path = paths.resolve(self.mapper, declared.path or name, member)
        if isinstance(declared, TimeDimension):
            return self._time(name, declared, path, member)
        if path.kind is Kind.DATETIME:
            raise DeclarationError(
                f"{member}: {quoted(path.attribute)} is a time; declare it as "
                f'TimeDimension("{declared.path or name}").'
            )
        if path.kind is Kind.OTHER:
            raise DeclarationError(
                f"{member}: a {type(undecorated(path.type)).__name__} column cannot be grouped "
                "by or filtered on the same way on every database; use a text, number, "
                "true-or-false, date, enum or UUID column."
            )
        check_decorated(path.type, member, summed=False)
        typed = f"{member} labels"
        for given, what in ((declared.labels, "labels"), (declared.order, "order")):
            if isinstance(given, str) or not isinstance(given, cabc.Collection):
                raise DeclarationError(f"{member}: {what} is {quoted(given)}; give a list or dict.")
        try:
            labels = {
                keys.parse(key, path.kind, path.type, typed): own(text)
                for key, text in declared.labels.items()
            }
            order = tuple(
                keys.parse(key, path.kind, path.type, f"{member} order") for key in declared.order
            )
        except BadRequest as error:
            raise DeclarationError(error.message) from None
        return BoundDimension(
            name=name,
            model_name=self.name,
            declared=_told(declared),
            label=own(declared.label or in_words(name)),
            path=path,
            labels=labels,
            order=order,
        )

    def _time(
        self, name: str, declared: TimeDimension, path: paths.Path, member: str
    ) -> BoundDimension:
        if not path.kind.is_time:
            raise DeclarationError(
                f"{member}: {quoted(path.attribute)} is {path.kind.value}, not a date or a "
                "time; declare it as Dimension."
            )
        granularities = GRANULARITIES[1:] if path.kind is Kind.DATE else GRANULARITIES
        if declared.granularity not in granularities:
            raise DeclarationError(
                f"{member}: granularity is {quoted(declared.granularity)}; "
                f"use one of {listed(granularities)}."
            )
        return BoundDimension(
            name=name,
            model_name=self.name,
            declared=_told(declared),
            label=own(declared.label or in_words(name)),
            path=path,
            labels={},
            order=(),
            zone=_zone(declared.stored, member),
        )


Declared = t.TypeVar("Declared", Measure, Dimension, TimeDimension)


def _told(declared: Declared) -> Declared:
    """A declaration with what it says of itself as text."""
    if isinstance(declared.description, str):
        return declared
    return dataclasses.replace(declared, description=own(declared.description))


def _narrowed(measure: BoundMeasure, where: Condition) -> BoundMeasure:
    """A measure that a ratio divides, over only those rows that the ratio's own condition keeps."""
    own = measure.declared.where

    def both(model: t.Any) -> sa.ColumnElement[bool]:
        return where(model) if own is None else sa.and_(own(model), where(model))

    return dataclasses.replace(
        measure,
        declared=dataclasses.replace(measure.declared, where=both),
        operands=tuple(_narrowed(operand, where) for operand in measure.operands),
    )


def _zone(name: str, member: str) -> zoneinfo.ZoneInfo:
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        raise DeclarationError(
            f'{member}: stored is {quoted(name)}; use an IANA time zone such as "Europe/Lisbon".'
        ) from None


def _ratio_kind(ratio: Ratio, operands: tuple[BoundMeasure, ...]) -> Kind:
    kinds = {operand.kind for operand in operands}
    return Kind.DECIMAL if Kind.DECIMAL in kinds and Kind.FLOAT not in kinds else Kind.FLOAT


def _format(declared: Measure, kind: Kind, scale: int | None, member: str) -> Format:
    percent = isinstance(declared, Share) or (isinstance(declared, Ratio) and declared.percent)
    precision = declared.precision
    if precision is not None and (
        isinstance(precision, bool) or not isinstance(precision, int) or not 0 <= precision <= 10
    ):
        raise DeclarationError(
            f"{member}: precision is {quoted(precision)}; use a whole number from 0 to 10."
        )
    if declared.better not in {None, "higher", "lower"}:
        raise DeclarationError(
            f'{member}: better is {quoted(declared.better)}; use "higher" or "lower".'
        )
    if declared.currency is not None and declared.currency not in _currencies():
        raise DeclarationError(
            f"{member}: currency is {quoted(declared.currency)}; use an ISO 4217 code such as "
            '"USD".'
        )
    if precision is None:
        if percent:
            precision = 1
        elif isinstance(declared, Average | Ratio) or kind is Kind.DECIMAL:
            precision = scale if scale is not None else 2
        else:
            precision = 2 if kind is Kind.FLOAT else 0
    return Format(
        precision=min(precision, 10),
        percent=percent,
        currency=declared.currency,
        prefix=declared.prefix,
        suffix=declared.suffix,
    )


def _currencies() -> cabc.Collection[str]:
    return t.cast("cabc.Collection[str]", babel.numbers.list_currencies())
