"""What differs between databases, all in one place; the rest of the package never asks.

Where a database is not named here it gets the portable form.
"""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import datetime as dt
import decimal
import typing as t

import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from ..vocabulary import BoundDimension
from ..vocabulary.kinds import Kind, undecorated
from .time import UTC, Point, instant_of, stored_wall

Column = sa.ColumnElement[t.Any]

_LAST = dt.datetime(9999, 12, 30, tzinfo=UTC)
"""The latest time that every zone can still show."""

MYSQL = ("mysql", "mariadb")

HIVE = "hive"
"""What PyHive calls its dialect, which Spark's Thrift server is spoken to in."""

KEY = "janela_key"
"""The label of the grouping expression; statements group by it so that it is written once.

Where a table has a column of that name, a database would group by that one: see ``free_label``.
"""

VALUE = "janela_value"
"""What the labels of expressions to sort by begin with."""


def bound(value: t.Any, type_: sa.types.TypeEngine[t.Any]) -> Column:
    """A value as a parameter to compare a column of a type with.

    A whole number that the column is too small for is merely not in it.
    """
    small = type(type_) in {sa.Integer, sa.SmallInteger}
    return sa.literal(value, sa.BigInteger() if small else type_)


@dataclasses.dataclass(frozen=True, slots=True)
class Dialect:
    """One database's ways, by SQLAlchemy's name for it.

    Attributes:
        wide: whether a sum exceeds 64 bits or a double: whole numbers are added up in halves, and
            PostgreSQL's doubles as decimals.
    """

    name: str
    wide: bool = False

    def ordered(self, expression: Column, *, descending: bool = False) -> list[Column]:
        """ORDER BY terms that put nulls last, whichever way the rest goes."""
        unknown = sa.case((expression.is_(None), 1), else_=0)
        return [unknown, expression.desc() if descending else expression.asc()]

    def ordered_by_label(self, label: str, expression: Column, *, descending: bool) -> list[Column]:
        """The same terms for a selected expression, which is not computed again where that is
        possible: MariaDB would add up the rows once more for each time it is written."""
        column: Column = sa.literal_column(label)
        if self.name == "sqlite":
            return self.ordered(column, descending=descending)
        if self.name in MYSQL and descending:
            return [column.desc()]
        if self.name in {"postgresql", "duckdb", HIVE}:
            return [(column.desc() if descending else column.asc()).nulls_last()]
        return self.ordered(expression, descending=descending)

    def by_code_point(self, expression: Column) -> Column:
        """A text so that ORDER BY compares code points, as Python does."""
        if self.name == "postgresql":
            return sa.collate(sa.sql.elements.Grouping(expression), "C")
        if self.name == "sqlite":
            return sa.collate(expression, "BINARY")
        return self.exact(expression)

    def exact(self, text: Column) -> Column:
        """A text that equals only itself.

        MySQL and MariaDB would take it for another in other letters, with other accents or with
        spaces behind it, and so count two members as one.
        """
        if self.name in MYSQL and not isinstance(text, exactly):
            return exactly(text)
        return text

    def any_of(self, column: Column, values: cabc.Sequence[Column]) -> sa.ColumnElement[bool]:
        """Whether a column is one of some values, in a way that an index over it can serve."""
        if isinstance(column, exactly):
            return sa.and_(column.plain.in_(values), column.in_(values))
        return column.in_(values)

    def summed(self, doubles: Column) -> Column:
        """Doubles as they are added up."""
        doubles = sa.type_coerce(doubles, sa.Double())
        return sa.cast(doubles, sa.Numeric()) if self._numeric else doubles

    @property
    def _numeric(self) -> bool:
        return self.wide and self.name == "postgresql"

    @property
    def in_halves(self) -> bool:
        """Whether whole numbers are added up by their upper and lower 32 bits."""
        return self.wide and self.name == "sqlite"

    def real(self, expression: Column) -> Column:
        """A number as a double, or as a decimal where it exceeds one."""
        return sa.cast(expression, sa.Numeric if self._numeric else sa.Double)

    def total(self, column: Column, scale: int | None = 0) -> Column:
        """The sum of a whole or decimal number; ``scale`` is None where it is not known.

        Spark's sum of 64-bit numbers overflows. So may DuckDB's (2.0.1), and without a word, where
        it takes its estimate of the rows for the most there can be.
        """
        if self.name in {"duckdb", HIVE} and scale is not None:
            whole = self.name == "duckdb" and scale == 0
            return sa.func.sum(sa.cast(column, huge() if whole else widest(scale)))
        return sa.func.sum(column)

    def overflowed(self, error: sa.exc.DBAPIError) -> bool:
        """Whether a sum exceeded what the database adds up in: whole numbers, or PostgreSQL's
        doubles."""
        names = {"sqlite", "postgresql"}
        return self.name in names and not self.wide and "overflow" in str(error.orig)

    @property
    def has_decimals(self) -> bool:
        """Whether NUMERIC columns are exact; SQLite keeps them as doubles."""
        return self.name != "sqlite"

    @property
    def seeks_one_extreme(self) -> bool:
        """Whether it goes to the end of an index for a least or greatest value alone, and through
        all of it for both at once."""
        return self.name == "sqlite"

    @property
    def keeps_zones(self) -> bool:
        """Whether TIMESTAMP WITH TIME ZONE columns are instants."""
        return self.name not in {"sqlite", *MYSQL, HIVE}

    def point(self, point: Point, dimension: BoundDimension) -> Column:
        """A point as a bound value to compare a time dimension's column with."""
        type_ = dimension.path.type
        if not isinstance(point, dt.datetime):
            return sa.literal(point, type_)
        decorated = isinstance(type_, sa.TypeDecorator)
        plain = undecorated(type_)
        if getattr(plain, "timezone", False) and (decorated or self.keeps_zones):
            return sa.literal(point.astimezone(UTC), type_)
        assert dimension.zone is not None  # noqa: S101
        wall = stored_wall(point, dimension.zone)
        if self.name == "sqlite" and type(type_) is sa.DateTime:
            # Stored as text. Without a fraction this also sorts right against texts that other
            # programs wrote without one.
            return sa.literal(wall.isoformat(" "), sa.String())
        return sa.literal(wall, type_)

    def instant(self, stored: dt.datetime, dimension: BoundDimension) -> dt.datetime:
        """A value read from a time dimension's column as an instant."""
        if stored.tzinfo is None:
            assert dimension.zone is not None  # noqa: S101
            return instant_of(min(stored, _LAST.replace(tzinfo=None)), dimension.zone)
        return min(stored, _LAST).astimezone(UTC)

    def bucket(
        self, column: Column, bounds: cabc.Sequence[Point], dimension: BoundDimension
    ) -> Column:
        """How many of the ascending bounds a column has reached: 0 before the first.

        Null where the column is null. One comparison per level of a balanced tree of CASE; on
        PostgreSQL a binary search in one bound array.
        """
        values = [self.point(bound, dimension) for bound in bounds]
        if self.name == "postgresql" and dimension.kind is Kind.DATETIME:
            array = sa.literal([value.value for value in values], sa.ARRAY(values[0].type))
            return sa.func.width_bucket(column, array, type_=sa.Integer())
        return reached(column, values)


class widest(sa.types.UserDefinedType[decimal.Decimal]):
    """A decimal of as many digits as DuckDB and Spark have, read as the driver has it.

    SQLAlchemy's own type goes through a double in the dialect for DuckDB, and in the one for Hive
    has neither digits nor scale.
    """

    cache_ok = True

    def __init__(self, scale: int) -> None:
        self.scale = scale

    def get_col_spec(self, **options: t.Any) -> str:
        return f"DECIMAL(38, {self.scale})"


class huge(sa.types.UserDefinedType[int]):
    """DuckDB's whole number of 128 bits, which it adds up quicker than a decimal."""

    cache_ok = True

    def get_col_spec(self, **options: t.Any) -> str:
        return "HUGEINT"


class reached(FunctionElement[int]):
    """A balanced tree of CASE that counts the ascending bounds a column has reached.

    As a function of the column and the bounds it is compiled once for so many bounds.
    """

    name = "janela_reached"
    inherit_cache = True

    def __init__(self, column: Column, bounds: cabc.Sequence[Column]) -> None:
        super().__init__(column, *bounds)
        self.type = sa.Integer()


@compiles(reached)
def _write_reached(element: reached, compiler: SQLCompiler, **options: t.Any) -> str:
    column, *bounds = (compiler.process(each, **options) for each in element.clauses)

    def tree(low: int, high: int) -> str:
        if low == high:
            return str(low)
        middle = (low + high) // 2
        return (
            f"CASE WHEN {column} < {bounds[middle]} "
            f"THEN {tree(low, middle)} ELSE {tree(middle + 1, high)} END"
        )

    return f"CASE WHEN {column} IS NULL THEN NULL ELSE {tree(0, len(bounds))} END"


class exactly(FunctionElement[str]):
    """A text of MySQL's or MariaDB's compared character by character, in the order of code points.

    Whatever character set it is stored in; what it is read as stays the same.
    """

    name = "janela_exactly"
    inherit_cache = True

    def __init__(self, text: Column) -> None:
        super().__init__(text)
        self.type = text.type

    @property
    def plain(self) -> Column:
        """The text as its column compares it."""
        return next(iter(self.clauses))


@compiles(exactly)
def _write_exactly(element: exactly, compiler: SQLCompiler, **options: t.Any) -> str:
    text = compiler.process(element.plain, **options)
    maria = getattr(compiler.dialect, "is_mariadb", False)
    # Neither pads the shorter of two texts with spaces.
    collation = "utf8mb4_nopad_bin" if maria else "utf8mb4_0900_bin"
    return f"CONVERT({text} USING utf8mb4) COLLATE {collation}"
