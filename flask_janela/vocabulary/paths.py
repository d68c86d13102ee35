"""From ``"customer.region"`` to the mapped column it means, refusing what would count twice."""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import typing as t

import sqlalchemy as sa
from sqlalchemy import orm
from sqlalchemy.sql import operators

from ..errors import DeclarationError, listed, quoted
from .expressions import check_rows
from .kinds import Kind, kind_of


@dataclasses.dataclass(frozen=True, slots=True)
class Path:
    """A column reached from a model.

    Attributes:
        relationships: the many-to-one relationships to follow, in order.
        attribute: the mapped attribute at the end.
        identity: the same for every path that ends at the same column, from whatever model;
            with the relationships it tells two paths apart.
        kind: what sort of value it holds.
        type: its SQLAlchemy type.
    """

    relationships: tuple[str, ...]
    attribute: str = dataclasses.field(compare=False)
    identity: cabc.Hashable
    kind: Kind = dataclasses.field(compare=False)
    type: sa.types.TypeEngine[t.Any] = dataclasses.field(compare=False)


def resolve(mapper: orm.Mapper[t.Any], path: str, member: str) -> Path:
    """Follow a dotted path from a model; ``member`` names the declaration in errors."""
    *relationships, attribute = path.split(".")
    here = mapper
    for name in relationships:
        here = _follow(here, name, member)
    descriptor = here.all_orm_descriptors.get(attribute)
    names = _column_names(here)
    if descriptor is None:
        raise DeclarationError(
            f"{member}: {quoted(attribute)} is not a column of {here.class_.__name__}; "
            f"it has {listed(names)}."
        )
    if attribute in here.relationships:
        related = here.relationships[attribute].mapper
        raise DeclarationError(
            f"{member}: {quoted(attribute)} is a relationship of {here.class_.__name__}; "
            f'name a column beyond it, such as "{path}.{_column_names(related)[0]}".'
        )
    expression = getattr(here.class_, attribute)
    if not hasattr(expression, "type"):
        raise DeclarationError(
            f"{member}: {quoted(attribute)} of {here.class_.__name__} is not a single column; "
            f"it has {listed(names)}."
        )
    if attribute not in here.column_attrs:
        check_rows(expression, here.class_, member)
    return Path(
        relationships=tuple(relationships),
        attribute=attribute,
        identity=_identity(here, attribute, descriptor),
        kind=kind_of(expression.type),
        type=expression.type,
    )


def _follow(mapper: orm.Mapper[t.Any], name: str, member: str) -> orm.Mapper[t.Any]:
    relationship = mapper.relationships.get(name)
    owner = mapper.class_.__name__
    if relationship is None:
        raise DeclarationError(
            f"{member}: {quoted(name)} is not a relationship of {owner}; "
            f"it has {listed(mapper.relationships.keys())}."
        )
    if relationship.direction is not orm.RelationshipDirection.MANYTOONE:
        raise DeclarationError(
            f"{member}: {owner}.{name} leads to many rows, so a row would be counted once for "
            f"each; declare the dimension on {relationship.mapper.class_.__name__} instead."
        )
    if _bind_key(relationship.mapper) != _bind_key(mapper):
        raise DeclarationError(
            f"{member}: {owner}.{name} leads to {relationship.mapper.class_.__name__}, which is in "
            "another database (__bind_key__), so no statement can join them."
        )
    if not _at_most_one(relationship):
        columns = listed(sorted(column.name for column in relationship.remote_side))
        raise DeclarationError(
            f"{member}: {owner}.{name} finds its row by {columns} of "
            f"{relationship.mapper.class_.__name__}, which is not unique, so a row could be "
            "counted more than once; add a unique constraint there."
        )
    return relationship.mapper


def _bind_key(mapper: orm.Mapper[t.Any]) -> t.Any:
    metadata = getattr(mapper.local_table, "metadata", None)
    return metadata.info.get("bind_key") if metadata is not None else None


def _at_most_one(relationship: orm.RelationshipProperty[t.Any]) -> bool:
    """Whether the columns a relationship looks up are a key of the table it leads to."""
    looked_up = _looked_up(relationship)
    if relationship.mapper.primary_key and looked_up.issuperset(relationship.mapper.primary_key):
        return True
    for table in relationship.mapper.tables:
        if not isinstance(table, sa.Table):
            continue
        keys: list[cabc.Iterable[t.Any]] = [table.primary_key.columns]
        keys += [c.columns for c in table.constraints if isinstance(c, sa.UniqueConstraint)]
        keys += [i.columns for i in table.indexes if i.unique and not _is_partial(i)]
        keys += [[column] for column in table.columns if column.unique]
        if any(set(key) and looked_up.issuperset(key) for key in keys):
            return True
    return False


def _looked_up(relationship: orm.RelationshipProperty[t.Any]) -> set[t.Any]:
    """The columns beyond a relationship that every row it finds must equal something in."""
    join = relationship.primaryjoin
    both = isinstance(join, sa.BooleanClauseList) and join.operator is operators.and_
    found: set[t.Any] = set()
    for each in join.clauses if both else [join]:
        if isinstance(each, sa.BinaryExpression) and each.operator is operators.eq:
            sides = {
                column
                for side in (each.left, each.right)
                for column in relationship.remote_side
                if column.shares_lineage(side)
            }
            found |= sides
    return found


def _is_partial(index: sa.Index) -> bool:
    """Whether an index holds only some rows, so that others may repeat its key."""
    return any(
        name.endswith("_where") and value is not None
        for name, value in index.dialect_kwargs.items()
    )


def _column_names(mapper: orm.Mapper[t.Any]) -> list[str]:
    return [
        name
        for name in mapper.all_orm_descriptors.keys()  # noqa: SIM118 (not a dict)
        if name not in mapper.relationships and not name.startswith("_")
    ]


def _identity(mapper: orm.Mapper[t.Any], attribute: str, descriptor: t.Any) -> cabc.Hashable:
    """One value for one column: the column itself, else the thing that computes it."""
    if attribute in mapper.column_attrs:
        columns = mapper.column_attrs[attribute].columns
        if isinstance(columns[-1], sa.Column):
            return t.cast("cabc.Hashable", columns[-1])
        return t.cast("cabc.Hashable", columns[0])
    return t.cast("cabc.Hashable", descriptor)
