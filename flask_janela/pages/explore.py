"""Building a question by choosing: a model, what it can show, by what, with the answer below."""

from __future__ import annotations

import collections.abc as cabc
import typing as t

import flask
from flask.typing import ResponseReturnValue

from ..query.question import read_options
from ..query.reader import Reader
from ..vocabulary import BoundDimension, BoundMeasure, BoundModel
from ..words import joined, say
from . import addresses, ask, views, words
from .asked import Asked
from .rendering import render


def explore(reader: Reader) -> ResponseReturnValue:
    """The page of choices; what is chosen stands in its address."""
    own = ("model", "measure", "dimension")
    given = addresses.read(flask.request.args, own=own, filters=False).own
    models = [reader.model(name) for name in reader.catalogue.names(reader.caller)]
    if not models:
        return render("explore", views.Explore((), "", "", None, ""), reader.caller)
    home = reader.model(given["model"]) if given.get("model") else models[0]
    measures = reader.catalogue.measures(home, reader.caller)
    measure = (
        reader.catalogue.measure(home, given["measure"], reader.caller)
        if given.get("measure")
        else next(iter(measures.values()))
    )
    dimension = (
        reader.catalogue.dimension(home, given["dimension"], reader.caller)
        if given.get("dimension")
        else None
    )
    choices = _Choices(home, measure, dimension)
    options = read_options(
        {"model": home.name, "measure": measure.name, "dimension": dimension and dimension.name}
    )
    asked = Asked(reader, home, options, (), ())
    sheet = ask.Sheet(asked)
    view = views.Explore(
        facets=(
            choices.models(reader, models),
            choices.measures(measures),
            choices.dimensions(reader.dimensions(home)),
        ),
        title=sheet.title,
        about=measure.declared.description,
        pane=sheet.pane(sheet.drawn()),
        ask=asked.address.url(),
    )
    return render("explore", view, reader.caller)


class _Choices:
    """The links that change one part of a question and keep the others."""

    def __init__(
        self, home: BoundModel, measure: BoundMeasure, dimension: BoundDimension | None
    ) -> None:
        self.home = home
        self.measure = measure
        self.dimension = dimension

    def models(self, reader: Reader, models: cabc.Iterable[BoundModel]) -> views.Facet:
        return views.Facet(
            say("Of"),
            tuple(
                views.Offer(
                    views.Link(
                        self._url(each) if each is not self.home else self._here({}),
                        each.label,
                        each is self.home,
                    ),
                    _counted(reader, each),
                )
                for each in models
            ),
        )

    def measures(self, measures: cabc.Mapping[str, BoundMeasure]) -> views.Facet:
        return views.Facet(
            say("show"),
            tuple(
                views.Offer(
                    views.Link(
                        self._here({"measure": each.name}), each.label, each is self.measure
                    ),
                    each.declared.description,
                )
                for each in measures.values()
            ),
        )

    def dimensions(self, dimensions: cabc.Mapping[str, BoundDimension]) -> views.Facet:
        nothing = views.Link(
            self._here({"dimension": None}), say("nothing"), self.dimension is None
        )
        return views.Facet(
            say("by"),
            (
                views.Offer(nothing, say("One number over everything.")),
                *(
                    views.Offer(
                        views.Link(
                            self._here({"dimension": each.name}),
                            words.within(each.label),
                            each is self.dimension,
                        ),
                        each.declared.description or (say("Over time.") if each.is_time else ""),
                    )
                    for each in dimensions.values()
                ),
            ),
        )

    def _here(self, changed: cabc.Mapping[str, t.Any]) -> str:
        parts = {
            "model": self.home.name,
            "measure": self.measure.name,
            "dimension": self.dimension and self.dimension.name,
        }
        pairs = [(name, value) for name, value in (parts | dict(changed)).items() if value]
        return addresses.url(flask.url_for("janela.explore"), pairs)

    def _url(self, model: BoundModel) -> str:
        return addresses.url(flask.url_for("janela.explore"), [("model", model.name)])


def _counted(reader: Reader, model: BoundModel) -> str:
    measures = len(reader.catalogue.measures(model, reader.caller))
    dimensions = len(reader.dimensions(model))
    return joined(", ", (words.measures(measures), words.dimensions(dimensions)))
