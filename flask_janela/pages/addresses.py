"""A page's address is its whole state: read from the query string, written one way only."""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import typing as t
import urllib.parse

import flask
from werkzeug.datastructures import MultiDict

from ..errors import BadRequest, listed, quoted
from ..query import choosing
from ..query import filters as filter_grammar
from ..query.filters import Filter
from ..query.question import PaneOptions
from ..query.result import Row
from ..vocabulary import BoundDimension, BoundModel
from ..words import say, say_many

Pairs = tuple[tuple[str, str], ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Arguments:
    """A query string, sorted out.

    Attributes:
        own: the page's own parameters, a list for those that may be repeated.
        reader, fixed: pairs of ``q.`` and ``where.``, without the prefix.
    """

    own: cabc.Mapping[str, t.Any]
    reader: Pairs
    fixed: Pairs


def read(
    arguments: MultiDict[str, str],
    *,
    own: cabc.Collection[str] = (),
    repeated: cabc.Collection[str] = (),
    filters: bool = True,
    fixed: bool = False,
) -> Arguments:
    """Sort out a query string, refusing what no page would look at.

    Args:
        own, repeated: the page's parameters, and those that may occur more than once.
        filters: whether the page takes the reader's filters, ``q.…``.
        fixed: whether it takes fixed ones, ``where.…``.

    Raises:
        BadRequest: for a parameter that the page does not have: a filter whose ``q.`` was
            forgotten must not be dropped.
    """
    given: dict[str, t.Any] = {}
    pairs: dict[str, list[tuple[str, str]]] = {"q": [], "where": []}
    unknown: list[str] = []
    for key, value in arguments.items(multi=True):
        prefix, dot, rest = key.partition(".")
        if dot and ((prefix == "q" and filters) or (prefix == "where" and fixed)):
            pairs[prefix].append((rest, value))
        elif key in repeated:
            given.setdefault(key, []).append(value)
        elif key not in own:
            unknown.append(key)
        elif key in given:
            raise BadRequest(say("{key} is given twice; give it once.", key=key))
        else:
            given[key] = value
    if unknown:
        raise BadRequest(_unknown(unknown, [*own, *repeated], filters=filters))
    return Arguments(given, tuple(pairs["q"]), tuple(pairs["where"]))


def whole(given: str | None) -> int | None:
    """A whole number as an address or a form has it; None for whatever else stands there.

    Of at most 18 digits, which every database compares with a key.
    """
    if given is None or not (given.isascii() and given.isdecimal() and len(given) <= 18):
        return None
    return int(given)


def _unknown(names: list[str], allowed: list[str], *, filters: bool) -> str:
    given = listed(quoted(name) for name in names)
    if allowed:
        said = say_many(
            "{names} is not a parameter of this page; there is {known}.",
            "{names} are not parameters of this page; there is {known}.",
            len(names),
            names=given,
            known=listed(sorted(allowed)),
        )
    else:
        said = say_many(
            "{names} is not a parameter of this page.",
            "{names} are not parameters of this page.",
            len(names),
            names=given,
        )
    if not filters:
        return said
    name = names[0].rpartition("?")[2] or "airline"
    return say(
        "{wrong} A filter starts with q. and names a dimension: {example}",
        wrong=said,
        example=quoted(f"q.{name}=…"),
    )


@dataclasses.dataclass(frozen=True)
class Address:
    """Where a page is, under which filters.

    Attributes:
        path: of the page, as ``url_for`` gives it.
        own: its parameters besides the reader's filters.
        home: the model whose name the reader's filters leave out.
        filters: the reader's.
    """

    path: str
    own: Pairs
    home: BoundModel | None
    filters: tuple[Filter, ...]

    def url(self, filters: tuple[Filter, ...] | None = None) -> str:
        """The page, under other filters if given: parameters sorted, so equal states are equal."""
        return url(self.path, self.pairs(filters))

    def pairs(self, filters: tuple[Filter, ...] | None = None) -> list[tuple[str, str]]:
        """Its parameters, under other filters if given."""
        shown = self.filters if filters is None else filters
        reader = [(f"q.{key}", value) for key, value in filter_grammar.write(shown, self.home)]
        return [*self.own, *reader]

    def toggled(self, dimension: BoundDimension, row: Row, *, several: bool = False) -> str:
        """The page with this row's member alone, or cleared when it is the only one.

        ``several`` adds the member to those chosen, or takes it away.
        """
        return self.url(choosing.toggle(self.filters, dimension, row, several=several))

    def switched(self, name: str) -> str:
        """The page with one of its own on-or-off parameters turned to the other."""
        kept = tuple(pair for pair in self.own if pair[0] != name)
        own = kept if len(kept) < len(self.own) else (*kept, (name, "1"))
        return dataclasses.replace(self, own=own).url()

    @property
    def clear(self) -> str | None:
        """The page without the reader's filters; None when there are none."""
        return self.url(()) if self.filters else None


def url(path: str, pairs: cabc.Iterable[tuple[str, str]]) -> str:
    """A path and its sorted query string."""
    query = urllib.parse.urlencode(sorted(pairs), quote_via=urllib.parse.quote)
    return f"{path}?{query}" if query else path


QUESTION = ("granularity", "limit", "order", "other", "over", "renderer", "value_labels")
"""The options of a question that stand in its address, besides its companions."""


def option_pairs(options: PaneOptions, changed: cabc.Mapping[str, t.Any]) -> list[tuple[str, str]]:
    """A question's options as they stand in its address, those that are set.

    Args:
        changed: options with other values; None and False take one away.
    """
    values = {name: getattr(options, name) for name in QUESTION} | dict(changed)
    pairs = [
        (name, "true" if value is True else str(value))
        for name, value in values.items()
        if value is not None and value is not False
    ]
    return [*pairs, *(("companions", name) for name in options.companions)]


def ask_url(
    model: str,
    measure: str,
    dimension: str | None,
    *,
    options: cabc.Iterable[tuple[str, str]] = (),
    fixed: cabc.Iterable[Filter] = (),
    reader: cabc.Iterable[Filter] = (),
    home: BoundModel,
) -> str:
    """The page of a question."""
    path = flask.url_for("janela.ask", model=model, measure=measure, dimension=dimension)
    where = [(f"where.{key}", value) for key, value in filter_grammar.write(fixed, home)]
    own = [(f"q.{key}", value) for key, value in filter_grammar.write(reader, home)]
    return url(path, [*options, *where, *own])


def rows_url(
    home: BoundModel, measure: str, *, fixed: cabc.Iterable[Filter], reader: cabc.Iterable[Filter]
) -> str:
    """The page of the single rows that count into a measure."""
    path = flask.url_for("janela.rows", model=home.name)
    where = [(f"where.{key}", value) for key, value in filter_grammar.write(fixed, home)]
    own = [(f"q.{key}", value) for key, value in filter_grammar.write(reader, home)]
    return url(path, [("measure", measure), *where, *own])
