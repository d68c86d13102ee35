"""The page of one question: a sentence, its chart, its table, and other ways to look at it."""

from __future__ import annotations

import collections.abc as cabc
import typing as t

import flask
from flask.typing import ResponseReturnValue

from ..query import Layers, PaneOptions, Question, Reader, Result, Row, read_options
from ..query import ask as answer
from ..query import filters as filter_grammar
from ..vocabulary import BoundModel
from . import addresses, drawing, figures, filterbar, rings, views, words
from .rendering import render
from .ways import Ways

OWN = ("granularity", "limit", "order", "other", "renderer", "value_labels")
REPEATED = ("companions",)


def ask(
    reader: Reader, model: str, measure: str, dimension: str | None = None
) -> ResponseReturnValue:
    """The answer to the question that the address asks."""
    home = reader.model(model)
    reader.catalogue.measure(home, measure, reader.caller)
    if dimension is not None:
        reader.catalogue.dimension(home, dimension, reader.caller)
    given = addresses.read(flask.request.args, own=OWN, repeated=REPEATED, fixed=True)
    options = read_options(
        {**given.own, "model": model, "measure": measure, "dimension": dimension}
    )
    fixed = filter_grammar.parse(given.fixed, reader.catalogue, reader.caller, [home])
    chosen = filter_grammar.parse(given.reader, reader.catalogue, reader.caller, [home])
    question = Question.of(options)
    result = answer(reader, question, Layers(fixed=fixed, reader=chosen))
    return render("ask", _Sheet(reader, home, options, result, fixed, chosen).view(), reader.caller)


class _Sheet:
    """One answered question and the addresses around it."""

    def __init__(
        self,
        reader: Reader,
        home: BoundModel,
        options: PaneOptions,
        result: Result,
        fixed: tuple[filter_grammar.Filter, ...],
        chosen: tuple[filter_grammar.Filter, ...],
    ) -> None:
        self.reader = reader
        self.home = home
        self.options = options
        self.result = result
        self.fixed = fixed
        self.chosen = chosen
        where = filter_grammar.write(fixed, home)
        self.address = addresses.Address(
            path=flask.url_for(
                "janela.ask",
                model=home.name,
                measure=result.measure.name,
                dimension=options.dimension,
            ),
            own=(*self._own({}), *((f"where.{key}", value) for key, value in where)),
            home=home,
            filters=chosen,
        )

    def view(self) -> views.Ask:
        result, options = self.result, self.options
        title = words.title_of(result)
        ways = Ways(
            toggle=self._toggled,
            clear=self.address.clear,
            filters=len(self.chosen),
            show_all=self._other({"limit": None, "other": None}) if options.limit else None,
            sort=self._sorted,
        )
        drawn = drawing.draw(options, result, ways)
        bar = filterbar.bar(self.address, self.reader, self.fixed, by="set by the link")
        said = [(chip.label, chip.words) for chip in bar.chips]
        return views.Ask(
            title=title,
            sentence=words.sentence(Question.of(options), result, said),
            about=result.measure.declared.description,
            model=self.home.label,
            filters=bar,
            choices=tuple(choice for choice in self._choices() if len(choice.links) > 1),
            pane=views.Pane(
                id="janela-answer",
                title="",
                label=title,
                figure=drawn.figure,
                prominence=3 if isinstance(drawn.figure, figures.Number) else 1,
                notes=drawn.notes,
                show_all=drawn.show_all,
                whole=True,
            ),
            table=drawn.table,
        )

    def _toggled(self, row: Row) -> str | None:
        dimension = self.result.dimension
        return None if dimension is None else self.address.toggled(dimension, row)

    def _sorted(self, by: str) -> str | None:
        """This question in the order of a column, where the answer itself can be asked in it."""
        dimension, measure = self.result.dimension, self.result.measure.name
        if dimension is None or dimension.is_time:
            return None
        orders = {dimension.name: "label", f"-{dimension.name}": "label"}
        orders |= {measure: "value", f"-{measure}": "-value"}
        return self._other({"order": orders[by]}) if by in orders else None

    def _choices(self) -> cabc.Iterator[views.Choice]:
        dimensions = self.reader.dimensions(self.home).values()
        here = self.options.dimension
        yield views.Choice(
            "By",
            (
                views.Link(self._by(None), "nothing", here is None),
                *(
                    views.Link(self._by(each.name), words.within(each.label), each.name == here)
                    for each in dimensions
                ),
            ),
        )
        dimension = self.result.dimension
        if dimension is None:
            return
        if dimension.is_time:
            yield views.Choice(
                "Per",
                tuple(
                    views.Link(
                        self._other({"granularity": each}), each, each == self.result.granularity
                    )
                    for each in dimension.granularities
                ),
            )
        drawn, _ = drawing.renderer_of(self.options, self.result)
        usual = ["line", "bar", "table"] if dimension.is_time else ["bar", "table"]
        if not dimension.is_time and rings.adds_up(self.result.measure):
            usual += ["doughnut", "pie"]
        offered = dict.fromkeys([*usual, drawn, "number"])
        yield views.Choice(
            "As",
            tuple(
                views.Link(self._other({"renderer": each}), each, each == drawn) for each in offered
            ),
        )

    def _by(self, dimension: str | None) -> str:
        """The same measure split otherwise; what belonged to this split is dropped."""
        if dimension == self.options.dimension:
            return self.address.url()
        return addresses.ask_url(
            self.home.name,
            self.result.measure.name,
            dimension,
            options=[("companions", name) for name in self.options.companions],
            fixed=self.fixed,
            reader=self.chosen,
            home=self.home,
        )

    def _other(self, changed: cabc.Mapping[str, t.Any]) -> str:
        """This question with some options changed; None takes one away."""
        return addresses.ask_url(
            self.home.name,
            self.result.measure.name,
            self.options.dimension,
            options=self._own(changed),
            fixed=self.fixed,
            reader=self.chosen,
            home=self.home,
        )

    def _own(self, changed: cabc.Mapping[str, t.Any]) -> list[tuple[str, str]]:
        """The question's options as they stand in its address, those that are set."""
        set_ = {name: getattr(self.options, name) for name in OWN} | dict(changed)
        pairs = [
            (name, "true" if value is True else str(value))
            for name, value in set_.items()
            if value is not None and value is not False
        ]
        return [*pairs, *(("companions", name) for name in self.options.companions)]
