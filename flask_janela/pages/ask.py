"""The page of one question: a sentence, its chart, its table, and other ways to look at it."""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import typing as t

import flask
from flask.typing import ResponseReturnValue

from ..query import choosing, records
from ..query.filters import same
from ..query.question import RENDERERS, Question, Renderer
from ..query.reader import Reader
from ..query.result import Row
from ..state import current_state
from ..vocabulary.dimensions import CALLED
from ..words import say
from . import adding, addresses, drawing, figures, filterbar, live, rings, views, words
from .asked import Asked, read
from .rendering import render
from .ways import Ways


def ask(
    reader: Reader, model: str, measure: str, dimension: str | None = None
) -> ResponseReturnValue:
    """The answer to the question that the address asks."""
    asked = read(reader, model, measure, dimension)
    return render("ask", Sheet(asked).view(), reader.caller)


class Sheet:
    """One answered question and the addresses around it."""

    def __init__(self, asked: Asked) -> None:
        self.reader, self.home, self.options = asked.reader, asked.home, asked.options
        self.fixed, self.chosen = asked.fixed, asked.chosen
        self.address, self.mode = asked.address, asked.mode
        self.result, self.over = asked.answer()

    def view(self) -> views.Ask:
        result = self.result
        drawn = self.drawn()
        bar = filterbar.bar(self.address, self.reader, self.fixed, by=say("set by the link"))
        own = result.dimension
        # The reader's filter on what the question is split by lights members up; it leaves all.
        chosen = (each for each in self.chosen if own is None or not same(each.dimension, own))
        chips = choosing.describe((*self.fixed, *chosen), self.reader)
        said = [(chip.dimension_label, chip.words) for chip in chips]
        pane = self.pane(drawn)
        return views.Ask(
            title=self.title,
            sentence=words.sentence(Question.of(self.options), result, said),
            about=result.measure.declared.description,
            model=self.home.label,
            filters=bar,
            choices=tuple(choice for choice in self._choices() if len(choice.links) > 1),
            pane=pane,
            table=drawn.table,
            live=live.view(
                self.address, self.mode, bar, (pane,), choose=result.dimension is not None
            ),
            rows=self.rows(),
            add=adding.offer(self.reader, self.address.url()),
            export=self._export(),
        )

    def _export(self) -> str:
        if not current_state().may(self.reader.caller, "export"):
            return ""
        path = flask.url_for(
            "janela.export_question",
            model=self.home.name,
            measure=self.options.measure,
            dimension=self.options.dimension,
        )
        own = tuple(pair for pair in self.address.own if pair not in self.mode.own)
        return dataclasses.replace(self.address, path=path, own=own).url()

    @property
    def title(self) -> str:
        """The heading of the question."""
        return words.title_of(self.result)

    def rows(self) -> str:
        """The page of the single rows behind the answer, where they are shown."""
        if not records.are_shown(self.reader, self.home):
            return ""
        return addresses.rows_url(
            self.home, self.result.measure.name, fixed=self.fixed, reader=self.chosen
        )

    def drawn(self) -> drawing.Drawing:
        """The answer as it is drawn; its marks lead to this question, filtered."""
        ways = Ways(
            toggle=lambda row: self._toggled(row, several=self.mode.several),
            several=lambda row: None if self.mode.several else self._toggled(row, several=True),
            clear=self.address.clear,
            filters=len(self.chosen),
            show_all=self._other({"limit": None, "other": None}) if self.options.limit else None,
            sort=self._sorted,
        )
        return drawing.draw(self.options, self.result, ways, over=self.over, tall=True)

    def pane(self, drawn: drawing.Drawing) -> views.Pane:
        """What is drawn, as high as it is."""
        return views.Pane(
            id="janela-answer",
            title="",
            label=self.title,
            figure=drawn.figure,
            prominence=3 if isinstance(drawn.figure, figures.Number) else 1,
            notes=drawn.notes,
            show_all=drawn.show_all,
            whole=True,
        )

    def _toggled(self, row: Row, *, several: bool) -> str | None:
        dimension = self.result.dimension
        if dimension is None:
            return None
        return self.address.toggled(dimension, row, several=several)

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
            say("By"),
            (
                views.Link(self._by(None), say("nothing"), here is None),
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
                say("Per"),
                tuple(
                    views.Link(
                        self._other({"granularity": each}),
                        CALLED[each],
                        each == self.result.granularity,
                    )
                    for each in dimension.granularities
                ),
            )
        drawn, _ = drawing.renderer_of(self.options, self.result)
        usual: list[Renderer] = ["line"] if dimension.is_time else []
        usual += ["bar", "table"]
        if not dimension.is_time and rings.adds_up(self.result.measure):
            usual += ["doughnut", "pie"]
        offered: dict[Renderer, None] = dict.fromkeys([*usual, drawn, "number"])
        yield views.Choice(
            say("As"),
            tuple(
                views.Link(self._other({"renderer": each}), RENDERERS[each], each == drawn)
                for each in offered
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
            options=addresses.option_pairs(self.options, changed),
            fixed=self.fixed,
            reader=self.chosen,
            home=self.home,
        )
