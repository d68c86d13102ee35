"""Filters: what may be written, read into typed values, and written back one canonical way.

A key is ``[model.]dimension[.operator]``. The operators are those of
:data:`~flask_janela.vocabulary.dimensions.OPERATORS`; none means "any of these values".
"""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import typing as t

from ..errors import BadRequest, NotFound, listed, quoted, unusable
from ..vocabulary import BoundDimension, BoundModel, Catalogue
from ..vocabulary import keys as key_values
from ..vocabulary.dimensions import OPERATORS, Granularity
from ..words import say
from .when import Last, When, read_last, read_when

MOST_KEYS = 20
MOST_VALUES = 1000

CALENDAR_UNITS: tuple[Granularity, ...] = ("day", "week", "month", "quarter", "year")
COMPARISONS = ("gte", "gt", "lte", "lt")
RANGES = (*COMPARISONS, "last", "this", "previous")


@dataclasses.dataclass(frozen=True)
class Filter:
    """One condition on one dimension.

    Attributes:
        operator: one of the operators, or "" for "any of these values".
        values: typed keys; for time :class:`When`, :class:`Last` or a unit's name; for ``null``
            one boolean.
        given: the dimension it was given on, where that is another model's.
    """

    dimension: BoundDimension
    operator: str
    values: tuple[t.Any, ...]
    given: BoundDimension | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Layers:
    """Whose filters apply; all of them do, and only the reader's can be taken away by a reader.

    Attributes:
        frame: the frame's default.
        fixed: the host's own.
        pane: the pane's own.
        reader: what the reader chose. The question's own dimension ignores these.
    """

    frame: tuple[Filter, ...] = ()
    fixed: tuple[Filter, ...] = ()
    pane: tuple[Filter, ...] = ()
    reader: tuple[Filter, ...] = ()


def pairs(given: cabc.Mapping[str, t.Any]) -> list[tuple[str, t.Any]]:
    """A mapping of keys to a value or values as single pairs.

    Raises:
        BadRequest: for a key with no value: a filter is never dropped.
    """
    found: list[tuple[str, t.Any]] = []
    for key, value in given.items():
        several = isinstance(value, list | tuple | set | frozenset)
        values = list(value) if several else [value]
        if not values:
            raise BadRequest(
                say("{key} has no value; leave the key out or give one", key=quoted(key))
            )
        found += [(key, each) for each in values]
    return found


def parse(
    items: cabc.Iterable[tuple[str, t.Any]],
    catalogue: Catalogue,
    caller: t.Any,
    homes: cabc.Sequence[BoundModel],
) -> tuple[Filter, ...]:
    """Read pairs of key and value; a repeated key collects its values.

    Args:
        items: the pairs, keys without their ``q.`` or ``where.``.
        homes: the models by which a key without a model is read: the first that has such a
            dimension.

    Raises:
        BadRequest: saying which key or value cannot be, and what is allowed to this caller.
    """
    items = list(items)
    collected: dict[tuple[int, str, str], tuple[BoundDimension, str, list[t.Any]]] = {}
    for key, value in items:
        dimension, operator = _read_key(key, catalogue, caller, homes)
        at = (id(dimension), dimension.name, operator)
        values = collected.setdefault(at, (dimension, operator, []))[2]
        if value is None:
            raise BadRequest(
                say(
                    "{key} is None: to ask for unknown ones use {dimension}.null=1",
                    key=key,
                    dimension=dimension.name,
                )
            )
        read = _read_value(dimension, operator, value, key)
        if read not in values:
            values.append(read)
        if len(values) > MOST_VALUES:
            many = max(len(values), sum(other == key for other, _ in items))
            raise BadRequest(
                say(
                    "{key} has {many:,} values: use at most {most:,}",
                    key=key,
                    many=many,
                    most=MOST_VALUES,
                )
            )
        if len(values) > 1 and (operator in RANGES or operator == "null"):
            raise BadRequest(say("{key} takes one value, and there are several", key=key))
        if len(collected) > MOST_KEYS:
            many = len({other for other, _ in items})
            raise BadRequest(
                say("there are {many} filters: use at most {most}", many=many, most=MOST_KEYS)
            )
    filters = [
        Filter(dimension, operator, tuple(sorted(values, key=write_value)))
        for dimension, operator, values in collected.values()
    ]
    return tuple(sorted(filters, key=_place))


def write(filters: cabc.Iterable[Filter], home: BoundModel | None = None) -> list[tuple[str, str]]:
    """The one way to write these filters: sorted pairs that :func:`parse` reads back.

    Keys name their model unless it is ``home``.
    """
    written = {
        (key_of(each, home), write_value(value, each.operator))
        for each in filters
        for value in each.values
    }
    return sorted(written)


def key_of(filter_: Filter, home: BoundModel | None = None) -> str:
    """The key of a filter, with its model unless that is ``home``."""
    dimension = filter_.dimension
    model = [] if home is not None and dimension.model_name == home.name else [dimension.model_name]
    operator = [filter_.operator] if filter_.operator else []
    return ".".join([*model, dimension.name, *operator])


def write_value(value: t.Any, operator: str = "") -> str:
    """One value of a filter as text."""
    if operator == "null":
        return "1" if value else "0"
    if isinstance(value, When | Last):
        return value.text
    return key_values.write(value)


def reach(
    filters: cabc.Iterable[Filter], model: BoundModel, dimensions: cabc.Mapping[str, BoundDimension]
) -> tuple[tuple[Filter, ...], tuple[Filter, ...]]:
    """The filters as they apply to a model, and those that cannot reach it.

    A filter of another model reaches this one when exactly one dimension here, or the one of
    the same name, is over the same column.
    """
    applied: list[Filter] = []
    missed: list[Filter] = []
    for each in filters:
        target = _counterpart(each.dimension, model, dimensions)
        if target is None:
            missed.append(each)
        elif target is each.dimension:
            applied.append(each)
        else:
            applied.append(dataclasses.replace(each, dimension=target, given=each.dimension))
    return tuple(applied), tuple(missed)


def merged(*layers: cabc.Iterable[Filter]) -> tuple[Filter, ...] | None:
    """Filters of several layers, all of which apply, as those of one layer.

    Within a layer the values of one key are alternatives, so the layers' values of one key are
    those that all of them allow. None where one layer cannot say it: different bounds of one
    kind, nothing allowed by all, or unknown ones allowed by some.
    """
    found: dict[tuple[str, str, str], Filter] = {}
    asked: dict[tuple[str, str], int] = {}
    nulls: set[tuple[str, str]] = set()
    for layer in layers:
        here = tuple(layer)
        for dimension in {_place(each)[:2] for each in here}:
            asked[dimension] = asked.get(dimension, 0) + 1
        for each in here:
            place = _place(each)
            if each.operator == "null":
                nulls.add(place[:2])
            values = each.values
            if (earlier := found.get(place)) is not None and earlier.values != values:
                if each.operator == "not":
                    values = tuple(dict.fromkeys((*earlier.values, *values)))
                elif each.operator == "" and not each.dimension.is_time:
                    values = tuple(value for value in earlier.values if value in values)
                else:
                    return None
            if not values:
                return None
            found[place] = dataclasses.replace(each, values=values)
    if any(asked[dimension] > 1 for dimension in nulls):
        return None
    return tuple(found.values())


def _counterpart(
    dimension: BoundDimension, model: BoundModel, dimensions: cabc.Mapping[str, BoundDimension]
) -> BoundDimension | None:
    if dimension.model_name == model.name:
        return dimension
    alike = [each for each in dimensions.values() if same(each, dimension)]
    named = [each for each in alike if each.name == dimension.name]
    candidates = named or alike
    return candidates[0] if len(candidates) == 1 else None


def same(one: BoundDimension, other: BoundDimension) -> bool:
    """Whether two dimensions split by the same column, reached in the same way, alike.

    A date as a category and the same date as a time take different values.
    """
    if one.is_time != other.is_time:
        return False
    if one.model_name == other.model_name:
        return one.path == other.path
    return one.path.identity == other.path.identity


def _place(filter_: Filter) -> tuple[str, str, str]:
    return filter_.dimension.model_name, filter_.dimension.name, filter_.operator


def _read_key(
    key: str, catalogue: Catalogue, caller: t.Any, homes: cabc.Sequence[BoundModel]
) -> tuple[BoundDimension, str]:
    found, operator = dimension_of(key, catalogue, caller, homes)
    _check_operator(found, operator, key)
    return found, operator


def dimension_of(
    key: str, catalogue: Catalogue, caller: t.Any, homes: cabc.Sequence[BoundModel]
) -> tuple[BoundDimension, str]:
    """The dimension that a key names, and what stands for an operator behind it.

    Raises:
        BadRequest: when there is none for the caller.
    """
    parts = key.split(".")
    operator = parts.pop() if len(parts) > 1 and parts[-1] in OPERATORS else ""
    if len(parts) > 2 or not all(parts):
        raise BadRequest(
            say("{key} is not a filter; use [model.]dimension[.operator]", key=quoted(key))
        )
    if len(parts) == 2:
        try:
            homes = [catalogue.model(parts[0], caller)]
        except NotFound as error:
            unknown = say("{key}: {why}", key=quoted(key), why=error.message)
            if parts[0] in {name for home in homes for name in catalogue.dimensions(home, caller)}:
                unknown = say(
                    "{name} is not an operator; there is {known}",
                    name=quoted(parts[1]),
                    known=listed(OPERATORS),
                )
            raise BadRequest(unknown) from None
    name = parts[-1]
    for home in homes:
        found = catalogue.dimensions(home, caller).get(name)
        if found is not None:
            return found, operator
    known = dict.fromkeys(n for home in homes for n in catalogue.dimensions(home, caller))
    raise BadRequest(
        say(
            "{name} is not a dimension to filter by; there is {known}",
            name=quoted(name),
            known=listed(known),
        )
    )


def operators(dimension: BoundDimension) -> tuple[str, ...]:
    """The operators that a dimension takes, besides none."""
    if dimension.is_time:
        return OPERATORS
    if dimension.kind.is_number:
        return ("not", "null", *COMPARISONS)
    return ("not", "null")


def _check_operator(dimension: BoundDimension, operator: str, key: str) -> None:
    allowed = operators(dimension)
    if operator and operator not in allowed:
        raise BadRequest(
            say(
                "{key}: {dimension} does not take {operator}; it takes values alone, or {known}",
                key=quoted(key),
                dimension=dimension.name,
                operator=quoted(operator),
                known=listed(allowed),
            )
        )


def _read_value(dimension: BoundDimension, operator: str, value: t.Any, key: str) -> t.Any:
    if operator == "null":
        if value in (True, "1"):
            return True
        if value in (False, "0"):
            return False
        raise unusable(key, value, say("1 for unknown only, 0 for known only"))
    if operator == "last":
        return read_last(dimension, value, key)
    if operator in {"this", "previous"}:
        if value not in CALENDAR_UNITS:
            raise unusable(key, value, say("one of {allowed}", allowed=listed(CALENDAR_UNITS)))
        return value
    if dimension.is_time:
        return read_when(dimension, value, key)
    return dimension.parse(value, key)
