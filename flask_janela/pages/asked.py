"""The question of a page's address: its options, and the filters it is asked under."""

from __future__ import annotations

import dataclasses

import flask

from ..query import filters as filter_grammar
from ..query.filters import Filter, Layers
from ..query.question import PaneOptions, Question, read_options
from ..query.reader import Reader
from ..query.result import Result
from ..vocabulary import BoundModel
from . import addresses, live, numbers


@dataclasses.dataclass(frozen=True)
class Asked:
    """A question with the filters of its address, for one reader."""

    reader: Reader
    home: BoundModel
    options: PaneOptions
    fixed: tuple[Filter, ...]
    chosen: tuple[Filter, ...]
    mode: live.Mode = live.PLAIN

    @property
    def layers(self) -> Layers:
        return Layers(fixed=self.fixed, reader=self.chosen)

    def answer(self) -> tuple[Result, numbers.Over | None]:
        """The answer, and for a number what it is held against."""
        return numbers.answer(self.reader, Question.of(self.options), self.layers, self.options)

    @property
    def address(self) -> addresses.Address:
        """Where it stands."""
        home, options = self.home, self.options
        where = filter_grammar.write(self.fixed, home)
        return addresses.Address(
            path=flask.url_for(
                "janela.ask", model=home.name, measure=options.measure, dimension=options.dimension
            ),
            own=(
                *self.mode.own,
                *addresses.option_pairs(options, {}),
                *((f"where.{key}", value) for key, value in where),
            ),
            home=home,
            filters=self.chosen,
        )


def read(reader: Reader, model: str, measure: str, dimension: str | None) -> Asked:
    """The question of this request's address."""
    home = reader.model(model)
    reader.catalogue.measure(home, measure, reader.caller)
    if dimension is not None:
        reader.catalogue.dimension(home, dimension, reader.caller)
    own = (*addresses.QUESTION, "several")
    given = addresses.read(flask.request.args, own=own, repeated=("companions",), fixed=True)
    asked = {name: value for name, value in given.own.items() if name != "several"}
    options = read_options({**asked, "model": model, "measure": measure, "dimension": dimension})
    mode = live.read({name: given.own[name] for name in given.own.keys() & {"several"}})
    fixed = filter_grammar.parse(given.fixed, reader.catalogue, reader.caller, [home])
    chosen = filter_grammar.parse(given.reader, reader.catalogue, reader.caller, [home])
    return Asked(reader, home, options, fixed, chosen, mode)
