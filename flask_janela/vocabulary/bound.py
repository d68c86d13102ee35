"""A vocabulary that has met its mapped class: what may be asked, ready to be asked."""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import typing as t
import zoneinfo

import babel

from . import keys, paths
from .dimensions import GRANULARITIES, Dimension, Granularity, TimeDimension
from .formats import Format, in_words
from .kinds import Kind
from .measures import Count, CountDistinct, Measure, Sum


@dataclasses.dataclass(frozen=True, eq=False)
class BoundMeasure:
    """A measure of one model, ready to be asked.

    Attributes:
        kind: what its values are: whole numbers, decimals, floats, dates or times.
        operands: for a ratio the measures it divides, else empty.
        zone: for a time, the zone that stored values without one are in.
    """

    name: str
    declared: Measure
    model: type
    label: str
    kind: Kind
    format: Format
    operands: tuple[BoundMeasure, ...] = ()
    zone: zoneinfo.ZoneInfo | None = None

    @property
    def empty(self) -> int | None:
        """What it comes to over no rows: 0 for counts and sums, else null."""
        return 0 if isinstance(self.declared, Count | CountDistinct | Sum) else None


@dataclasses.dataclass(frozen=True, eq=False)
class BoundDimension:
    """A dimension of one model, ready to split or filter by.

    Attributes:
        path: how to reach its column.
        labels: what people read, by typed key.
        order: keys in their natural order.
        zone: for a time, the zone that stored values without one are in.
    """

    name: str
    model_name: str
    declared: Dimension | TimeDimension
    label: str
    path: paths.Path
    labels: cabc.Mapping[keys.Key, str]
    order: tuple[keys.Key, ...]
    zone: zoneinfo.ZoneInfo | None = None

    @property
    def is_time(self) -> bool:
        return isinstance(self.declared, TimeDimension)

    @property
    def kind(self) -> Kind:
        return self.path.kind

    @property
    def granularity(self) -> Granularity:
        """The interval a time dimension is split by unless a question says otherwise."""
        return t.cast("TimeDimension", self.declared).granularity

    @property
    def granularities(self) -> tuple[Granularity, ...]:
        """The intervals a time dimension can be split by; a date has no hours."""
        return GRANULARITIES[1:] if self.kind is Kind.DATE else GRANULARITIES

    def parse(self, value: object, name: str | None = None) -> keys.Key:
        """One given value as a key; :class:`BadRequest` says what would be one."""
        return keys.parse(value, self.kind, self.path.type, name or self.name)

    def label_of(self, key: keys.Key, locale: babel.Locale) -> str:
        return keys.label(key, self.labels, locale)


@dataclasses.dataclass(frozen=True, eq=False)
class BoundColumn:
    """One column of single rows, ready to be read.

    Attributes:
        name: as it is declared: a dimension's name, else a column's or a path to one.
        dimension: the dimension of that name, if there is one.
        over: for a column that is named itself, the dimensions over it. Where there are some it
            exists for those callers only for whom one of them does.
        format: how its numbers are written; None for digits alone, as whole numbers that nothing
            adds up are: they may be names.
        exact: whether a number is written with as many decimals as it has.
        zone: the zone that stored times without one are in.
    """

    name: str
    label: str
    path: paths.Path
    dimension: BoundDimension | None
    over: tuple[BoundDimension, ...]
    format: Format | None
    exact: bool
    zone: zoneinfo.ZoneInfo

    @property
    def kind(self) -> Kind:
        return self.path.kind

    def exists_among(self, visible: cabc.Container[str]) -> bool:
        """Whether it exists for a caller for whom these dimensions do."""
        gates = (self.dimension,) if self.dimension is not None else self.over
        return not gates or any(each.name in visible for each in gates)


@dataclasses.dataclass(frozen=True, eq=False)
class BoundRecords:
    """What may be read of a model's single rows.

    Attributes:
        key: the columns of the primary key, in its order, each with whether it may be null.
    """

    label: str
    columns: tuple[BoundColumn, ...]
    key: tuple[tuple[paths.Path, bool], ...]


@dataclasses.dataclass(frozen=True, eq=False)
class BoundModel:
    """One model's vocabulary: what may be asked of it under which names."""

    name: str
    model: type
    measures: cabc.Mapping[str, BoundMeasure]
    dimensions: cabc.Mapping[str, BoundDimension]
    records: BoundRecords | None

    @property
    def label(self) -> str:
        return in_words(self.name)
