"""One caller's reading: what they may name, which rows they may read, by which clock and locale."""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import typing as t

import babel
import sqlalchemy as sa

from ..vocabulary import BoundDimension, BoundModel, Catalogue
from .dialect import Dialect
from .running import Session, run
from .scope import ScopeFunction, narrow, require_scope, scope_of
from .time import Clock


@dataclasses.dataclass(frozen=True, eq=False)
class Reader:
    """Made for one caller and one request, call or job, and thrown away with it.

    The host's scope is asked once for each model a reader reads, and so is how far times reach
    (``extents``); nothing is kept beyond the reader. ``seconds`` is how long one statement may
    take, 0 for as long as it likes.

    Raises:
        Unscoped: at once, when there is no scope function.
    """

    caller: t.Any
    catalogue: Catalogue
    scope: ScopeFunction | None
    session: Session
    clock: Clock
    locale: babel.Locale
    seconds: float = 30.0
    extents: dict[t.Any, tuple[t.Any, t.Any]] = dataclasses.field(default_factory=dict, repr=False)
    _narrowed: dict[type, list[sa.ColumnElement[bool]]] = dataclasses.field(
        default_factory=dict, repr=False
    )

    def __post_init__(self) -> None:
        require_scope(self.scope)

    def narrowed(self, model: type) -> list[sa.ColumnElement[bool]]:
        """The conditions that keep a statement over a model within the caller's scope."""
        if model not in self._narrowed:
            with self.session.no_autoflush:
                given = scope_of(self.scope, model, self.caller)
            self._narrowed[model] = narrow(model, given)
        return self._narrowed[model]

    def select(self, model: type) -> sa.Select[t.Any]:
        """The rows of a mapped class that the caller may read, to be narrowed further."""
        return sa.select(model).where(*self.narrowed(model))

    def execute(self, model: type, statement: sa.Select[t.Any]) -> sa.Result[t.Any]:
        """Run a statement over a model's rows; see :func:`.running.run`. Reading never writes."""
        return run(self.session, model, statement, self.seconds)

    def dialect(self, model: type) -> Dialect:
        """The ways of the database that a model's rows are in."""
        return Dialect(self.session.get_bind(sa.inspect(model)).dialect.name)

    def model(self, name: str) -> BoundModel:
        """A vocabulary by public name; :class:`NotFound` when it does not exist for the caller."""
        return self.catalogue.model(name, self.caller)

    def dimensions(self, model: BoundModel) -> cabc.Mapping[str, BoundDimension]:
        """The dimensions of a model that exist for the caller."""
        return self.catalogue.dimensions(model, self.caller)
