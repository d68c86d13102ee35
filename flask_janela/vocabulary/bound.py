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
class BoundModel:
    """One model's vocabulary: what may be asked of it under which names."""

    name: str
    model: type
    measures: cabc.Mapping[str, BoundMeasure]
    dimensions: cabc.Mapping[str, BoundDimension]
    records: tuple[tuple[str, paths.Path], ...] | None

    @property
    def label(self) -> str:
        return in_words(self.name)
