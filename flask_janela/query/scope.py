"""The one place that narrows a query to what its caller may read.

Pages, option lists, drill to rows, tools, exports and the command line all come through
:func:`narrow`. There is no other way from a model to its rows in this package.
"""

from __future__ import annotations

import collections.abc as cabc
import typing as t

import sqlalchemy as sa
from sqlalchemy import orm

from ..errors import Unscoped

ScopeFunction = cabc.Callable[[type, t.Any], t.Any]
"""The host's answer: from a model and a caller to a select of the rows the caller may read."""

Scope = sa.Select[t.Any] | sa.CompoundSelect[t.Any]


def scope_of(function: ScopeFunction | None, model: type, caller: t.Any) -> Scope:
    """Ask the host which rows of a model a caller may read.

    Raises:
        Unscoped: when there is no scope function, or it answers with anything but a select of
            exactly that model.
    """
    answer = require_scope(function)(model, caller)
    statement = answer.statement if isinstance(answer, orm.Query) else answer
    if not _selects(answer, model) or not isinstance(statement, sa.Select | sa.CompoundSelect):
        raise Unscoped(
            f"The scope of {model.__name__} answered {_described(answer)}; it must answer with a "
            f"select of {model.__name__}, such as select({model.__name__}).where(...). To let "
            f"nobody read it, answer select({model.__name__}).where(sqlalchemy.false())."
        )
    if (carried := _carried(statement)) is not None:
        raise Unscoped(
            f"The scope of {model.__name__} narrows by {carried}, which would be lost on the way "
            "into a statement of another shape; say the same in .where(...)."
        )
    return statement


def require_scope(function: ScopeFunction | None) -> ScopeFunction:
    """The host's scope function, or :class:`Unscoped` saying how to write one."""
    if function is None:
        raise Unscoped(
            "No scope function is registered, so nothing says what a caller may read. Write "
            "one: @janela.scope above def scope(model, caller), answering select(model) with "
            "what narrows it to the caller."
        )
    return function


def narrow(model: type, scope: Scope) -> list[sa.ColumnElement[bool]]:
    """The conditions that keep a statement over ``model`` within a scope.

    A scope that only adds WHERE on the model itself is taken over as it is. Any other (joins,
    DISTINCT, LIMIT, GROUP BY, UNION) is asked for its primary keys, so that however it finds a
    row the row is counted once.
    """
    if (conditions := _own_conditions(model, scope)) is not None:
        return conditions
    mapper: orm.Mapper[t.Any] = t.cast("orm.Mapper[t.Any]", sa.inspect(model))
    within = scope.subquery()
    pairs = [
        (mapper.get_property_by_column(column).class_attribute, _found(within, column, model))
        for column in mapper.primary_key
    ]
    if len(pairs) == 1:
        own, theirs = pairs[0]
        return [own.in_(sa.select(theirs))]
    matching = sa.select(sa.literal(1)).where(*(own == theirs for own, theirs in pairs))
    return [matching.select_from(within).correlate_except(within).exists()]


def _selects(statement: t.Any, model: type) -> bool:
    """Whether a statement selects exactly whole rows of the model."""
    if isinstance(statement, sa.CompoundSelect):
        return all(_selects(_within(each), model) for each in statement.selects)
    if not isinstance(statement, sa.Select | orm.Query):
        return False
    described = statement.column_descriptions
    return len(described) == 1 and described[0]["expr"] is model


def _carried(statement: t.Any) -> str | None:
    """What a scope carries beside its rows that could narrow them, and cannot be taken over."""
    if isinstance(statement, sa.CompoundSelect):
        parts = (_carried(_within(each)) for each in statement.selects)
        if (carried := next((part for part in parts if part is not None), None)) is not None:
            return carried
    if statement.get_execution_options():
        return "execution options"
    options = getattr(statement, "_with_options", ())
    if any(getattr(option, "_is_criteria_option", False) for option in options):
        return "with_loader_criteria"
    return None


def _within(statement: t.Any) -> t.Any:
    """The select inside the brackets that a nested UNION puts round it."""
    return getattr(statement, "element", statement)


def _described(answer: object) -> str:
    if answer is None:
        return "None"
    if isinstance(answer, sa.Select):
        described = answer.column_descriptions
        whats = [each["name"] or f"an alias of {each['type'].__name__}" for each in described]
        return f"a select of {', '.join(map(str, whats))}"
    return f"with a {type(answer).__name__}"


def _found(within: sa.Subquery, column: sa.ColumnElement[t.Any], model: type) -> t.Any:
    found = within.corresponding_column(t.cast("t.Any", column))
    if found is None:
        raise Unscoped(
            f"The scope of {model.__name__} leaves out its primary key; answer with a select of "
            f"the whole model."
        )
    return found


def _own_conditions(model: type, scope: Scope) -> list[sa.ColumnElement[bool]] | None:
    """The WHERE of a scope that does nothing else, or None for every other shape."""
    if not isinstance(scope, sa.Select):
        return None
    condition = scope.whereclause
    tables = t.cast("orm.Mapper[t.Any]", sa.inspect(model)).tables
    if condition is not None and not _over(condition, tables):
        return None
    given = _unordered(scope)
    plain = _unordered(sa.select(model))
    if condition is None:
        return [] if given.compare(plain) else None
    parts = list(condition.get_children()) if isinstance(condition, sa.BooleanClauseList) else []
    if given.compare(plain.where(condition)) or given.compare(plain.where(*parts)):  # type: ignore[arg-type]
        return [condition]
    return None


def _unordered(statement: sa.Select[t.Any]) -> sa.Select[t.Any]:
    return statement.order_by(None).set_label_style(sa.LABEL_STYLE_TABLENAME_PLUS_COL)


def _over(condition: t.Any, tables: cabc.Collection[t.Any]) -> bool:
    """Whether a condition reads columns of these tables only, subqueries aside."""
    waiting = [condition]
    while waiting:
        element = waiting.pop()
        if isinstance(element, sa.SelectBase | sa.ScalarSelect | sa.Exists | sa.Subquery):
            continue
        if isinstance(element, sa.TextClause):
            return False
        if isinstance(element, sa.ColumnClause):
            if element.table not in tables:
                return False
            continue
        waiting += element.get_children()
    return True
