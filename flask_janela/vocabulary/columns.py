"""``Records(...)`` bound to a mapped class: the columns of single rows, and the key of a row."""

from __future__ import annotations

import collections.abc as cabc
import typing as t
import zoneinfo

import sqlalchemy as sa
from sqlalchemy import orm

from ..errors import DeclarationError, listed, quoted
from ..words import own
from . import paths
from .bound import BoundColumn, BoundDimension, BoundRecords
from .declaration import VocabularyType
from .dimensions import Records
from .expressions import check_decorated
from .formats import Format, in_words
from .kinds import Kind, undecorated
from .measures import Average, Maximum, Measure, Minimum, Sum

_MOST_DECIMALS = 10


def bind_records(
    mapper: orm.Mapper[t.Any],
    vocabulary: VocabularyType,
    name: str,
    dimensions: cabc.Mapping[str, BoundDimension],
) -> BoundRecords | None:
    """What a vocabulary lets be read of single rows; None without ``Records``."""
    owner = f"{mapper.class_.__name__}.Janela"
    declared = [
        (name, value)
        for name, value in vocabulary.declarations.items()
        if isinstance(value, Records)
    ]
    if not declared:
        return None
    if len(declared) > 1:
        raise DeclarationError(
            f"{owner} declares records twice, as {listed(name for name, _ in declared)}; keep one."
        )
    member, records = f"{owner}.{declared[0][0]}", declared[0][1]
    if not records.columns:
        raise DeclarationError(f"{member}: name at least one column.")
    for column in records.columns:
        if records.columns.count(column) > 1:
            raise DeclarationError(f"{member} names {quoted(column)} twice; name it once.")
    measures = [m for m in vocabulary.declarations.values() if isinstance(m, Measure)]
    return BoundRecords(
        label=own(records.label or in_words(name)),
        columns=tuple(
            _column(mapper, column, member, dimensions, measures) for column in records.columns
        ),
        key=tuple(_key(mapper, column, member) for column in mapper.primary_key),
    )


def _column(
    mapper: orm.Mapper[t.Any],
    name: str,
    member: str,
    dimensions: cabc.Mapping[str, BoundDimension],
    measures: cabc.Sequence[Measure],
) -> BoundColumn:
    dimension = dimensions.get(name)
    path = paths.resolve(mapper, name, member) if dimension is None else dimension.path
    if isinstance(undecorated(path.type), sa.LargeBinary):
        raise DeclarationError(
            f"{member}: {quoted(name)} holds bytes, which cannot be shown; leave it out."
        )
    over = tuple(each for each in dimensions.values() if each.path == path)
    zones = [each.zone for each in over if each.zone is not None]
    scale = getattr(undecorated(path.type), "scale", None) if path.kind is Kind.DECIMAL else 0
    exact = scale is None or path.kind is Kind.FLOAT
    return BoundColumn(
        name=name,
        label=in_words(name.replace(".", " ")) if dimension is None else dimension.label,
        path=path,
        dimension=dimension,
        over=over if dimension is None else (),
        format=_format(path, measures, 0 if exact else scale),
        exact=exact,
        zone=zones[0] if zones else zoneinfo.ZoneInfo("UTC"),
    )


def _format(path: paths.Path, measures: cabc.Sequence[Measure], scale: int | None) -> Format | None:
    """How a column's numbers are written: with the unit of the first measure over it."""
    if not path.kind.is_number:
        return None
    precision = min(scale or 0, _MOST_DECIMALS)
    for measure in measures:
        if (
            isinstance(measure, Sum | Average | Minimum | Maximum)
            and measure.visible_to is None
            and not path.relationships
            and measure.column == path.attribute
        ):
            return Format(
                precision=precision,
                currency=measure.currency,
                prefix=measure.prefix,
                suffix=measure.suffix,
            )
    return None if path.kind is Kind.INTEGER else Format(precision=precision)


def _key(
    mapper: orm.Mapper[t.Any], column: sa.ColumnElement[t.Any], member: str
) -> tuple[paths.Path, bool]:
    """One column of the primary key, which rows are told apart and paged through by."""
    path = paths.resolve(mapper, mapper.get_property_by_column(column).key, member)
    if path.kind is Kind.OTHER:
        raise DeclarationError(
            f"{member}: rows are told apart by their primary key, and a "
            f"{type(undecorated(path.type)).__name__} such as {quoted(path.attribute)} has no "
            f"text that could stand in an address; take {member} away."
        )
    check_decorated(path.type, f"{member}, by the primary key {path.attribute}", summed=False)
    return path, bool(getattr(column, "nullable", False))
