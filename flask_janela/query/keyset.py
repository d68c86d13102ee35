"""The primary key of rows: as text, as an order to page through, and as cursors."""

from __future__ import annotations

import dataclasses
import datetime as dt
import typing as t
import urllib.parse

import sqlalchemy as sa

from ..errors import BadRequest, listed, unusable
from ..vocabulary import keys
from ..vocabulary.kinds import Kind
from ..vocabulary.paths import Path
from ..words import say
from .dialect import Column, bound
from .statement import Condition, Source

Identity = tuple[t.Any, ...]
"""The typed values of a row's primary key, in its order."""

_UNKNOWN = "%00"
_AFTER, _BEFORE = "after.", "before."


@dataclasses.dataclass(frozen=True)
class Place:
    """The rows after a key; with ``back`` those before it, the nearest first."""

    identity: Identity
    back: bool = False


class Keyset:
    """The primary key in one source.

    As text its parts stand side by side with commas between them, ``EWR,1545``. A comma or a
    per cent sign within a part is written ``%2C`` or ``%25``.
    """

    def __init__(self, source: Source, key: tuple[tuple[Path, bool], ...]) -> None:
        self._paths = tuple(path for path, _ in key)
        self._nullable = tuple(nullable for _, nullable in key)
        self.columns = tuple(source.at(path) for path in self._paths)

    # as text

    def write(self, identity: Identity) -> str:
        """A key as text; :meth:`read` reads it back."""
        return ",".join(
            _UNKNOWN if part is None else _written(part).replace("%", "%25").replace(",", "%2C")
            for part in identity
        )

    def read(self, key: t.Any) -> Identity:
        """A key from its text, or from its parts, typed or as text.

        Raises:
            BadRequest: saying what a key of these rows is.
        """
        if isinstance(key, str):
            parts: list[t.Any] = [
                None if part == _UNKNOWN else urllib.parse.unquote(part) for part in key.split(",")
            ]
        else:
            parts = list(key) if isinstance(key, tuple | list) else [key]
        if len(parts) != len(self._paths):
            names = listed(path.attribute for path in self._paths)
            use = f"the key of a row as it was given, made of {names}"
            raise unusable("key", key, use)
        return tuple(self._part(part, at) for at, part in enumerate(parts))

    def _part(self, part: t.Any, at: int) -> t.Any:
        path = self._paths[at]
        name = "key" if len(self._paths) == 1 else f"{path.attribute} in key"
        if part is None and self._nullable[at]:
            return None
        if path.kind is not Kind.DATETIME:
            return keys.parse(part, path.kind, path.type, name)
        try:
            return part if isinstance(part, dt.datetime) else dt.datetime.fromisoformat(part)
        except (TypeError, ValueError):
            use = "a time such as 2013-07-04T12:30:00"
            raise unusable(name, part, use) from None

    # as cursors

    def after(self, identity: Identity) -> str:
        """The cursor of the page that follows a row."""
        return _AFTER + self.write(identity)

    def before(self, identity: Identity) -> str:
        """The cursor of the page that precedes a row."""
        return _BEFORE + self.write(identity)

    def place(self, cursor: str | None) -> Place | None:
        """Where a cursor points; None for the first page.

        Raises:
            BadRequest: for what no page gave.
        """
        if cursor is None or cursor == "":
            return None
        for prefix in (_AFTER, _BEFORE):
            if isinstance(cursor, str) and cursor.startswith(prefix):
                try:
                    return Place(self.read(cursor.removeprefix(prefix)), prefix == _BEFORE)
                except BadRequest:
                    break
        raise unusable(
            "cursor", cursor, say("the one that a page gave, or none for the first page")
        )

    # in SQL

    def order(self, *, back: bool) -> list[Column]:
        """ORDER BY terms, null last; the other way round with ``back``."""
        terms: list[Column] = []
        for column, nullable in zip(self.columns, self._nullable, strict=True):
            if nullable:
                terms.append(sa.case((column.is_(None), 1), else_=0))
            terms.append(column)
        return [term.desc() if back else term.asc() for term in terms]

    def equal(self, identity: Identity) -> list[Condition]:
        """The conditions of a row with this key."""
        return [self._equal(at, part) for at, part in enumerate(identity)]

    def beyond(self, place: Place) -> Condition:
        """The condition of the rows after a place, or before it."""
        compared = self._less if place.back else self._greater
        beyond = sa.or_(
            *(
                sa.and_(*self.equal(place.identity[:at]), compared(at, part))
                for at, part in enumerate(place.identity)
            )
        )
        first = place.identity[0]
        if len(place.identity) == 1 or self._nullable[0]:
            return beyond
        # Says nothing new, and lets a database begin at the right place of the key's index.
        start, column = self._bound(0, first), self.columns[0]
        return sa.and_(column <= start if place.back else column >= start, beyond)

    def _equal(self, at: int, part: t.Any) -> Condition:
        column = self.columns[at]
        return column.is_(None) if part is None else column == self._bound(at, part)

    def _greater(self, at: int, part: t.Any) -> Condition:
        if part is None:
            return sa.false()
        greater = self.columns[at] > self._bound(at, part)
        return sa.or_(greater, self.columns[at].is_(None)) if self._nullable[at] else greater

    def _less(self, at: int, part: t.Any) -> Condition:
        column = self.columns[at]
        return column.is_not(None) if part is None else column < self._bound(at, part)

    def _bound(self, at: int, part: t.Any) -> Column:
        return bound(part, self._paths[at].type)


def _written(part: t.Any) -> str:
    return part.isoformat() if isinstance(part, dt.datetime) else keys.write(part)
