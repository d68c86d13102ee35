"""What a pane shows: its question answered and drawn, or why it cannot be."""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import logging
import typing as t

import flask
import jinja2
import sqlalchemy as sa

from ..errors import BadRequest, NotFound, Overrun, Unavailable
from ..frames import Pane, showing
from ..frames.reading import UNSEEN
from ..query import filters as filter_grammar
from ..query import records
from ..query.filters import Filter, Layers
from ..query.question import PaneOptions, Question, granularity_of
from ..query.reader import Reader
from ..query.result import Result, Row
from ..vocabulary import BoundDimension
from ..words import say
from . import addresses, drawing, figures, filterbar, live, numbers, rings, views, words
from .handles import name_of
from .thumbnails import height_of
from .ways import Ways, tag_of

_VANISHED = say("This pane asks for something that is gone.")
_NOT_THERE = say("It may be gone, or not be yours to see.")
_CANNOT = say("This pane cannot be drawn.")
_UNANSWERED = say("This pane could not be answered.")
_WHY_NOT = say("The database, or something in its rows, stood in the way. The log has the detail.")
_STOOD_IN_THE_WAY = (sa.exc.StatementError, LookupError, ValueError, ArithmeticError)
"""What a statement or an unreadable row fails with; faults of the set-up are not among it."""

log = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True)
class Light:
    """What all panes of one page are drawn by.

    Attributes:
        address: of the page, where its marks lead to.
        own: the filters that the reader cannot remove; ``fault`` says why they cannot be applied.
        gap: the space between panes, in steps of 4 px.
        exports: whether the caller may take a pane's numbers away.
        mode: how the page is looked at.
    """

    reader: Reader
    address: addresses.Address
    own: tuple[Filter, ...]
    fault: str
    gap: int
    exports: bool = False
    mode: live.Mode = live.PLAIN
    palette: rings.Palette = dataclasses.field(default_factory=rings.Palette)

    def bar(
        self, form: str = "", dimensions: cabc.Iterable[BoundDimension] = ()
    ) -> views.FilterBar:
        """All filters in words; the frame's own are not the reader's to remove.

        ``form`` is where a filter on one of these dimensions is typed, "" where none is.
        """
        return filterbar.bar(
            self.address,
            self.reader,
            self.own,
            unseen=_unseen(self.fault),
            by=say("set by the frame"),
            form=form,
            dimensions=dimensions,
        )

    def waiting(self, pane: Pane, columns: int) -> views.Pane:
        """A place for one pane, which asks for it by itself."""
        path = flask.url_for("janela.pane", frame_id=pane.frame_id, pane_id=pane.id)
        there = dataclasses.replace(self.address, path=path)
        shape = self._shape(pane, columns)
        brings, href = shape["id"], there.url()
        # Of this state alone: an answer that is overtaken by a click finds its place gone.
        shape["id"] = f"janela-waits-{pane.id}-{tag_of(href)}"
        return views.Pane(
            title=self._title(pane),
            figure=figures.Waiting(href, brings, shape["id"]),
            **shape,
        )

    def _shape(self, pane: Pane, columns: int) -> dict[str, t.Any]:
        return {
            "id": self.id_of(pane),
            "span": min(max(pane.span, 1), columns),
            "height": min(max(height_of(pane), 1), 5),
            "prominence": min(max(pane.prominence, 1), 3),
        }

    def _title(self, pane: Pane) -> str:
        """The heading that a pane will have once it is answered."""
        try:
            options = pane.options()
            home = self.reader.model(options.model or "")
            catalogue, caller = self.reader.catalogue, self.reader.caller
            measure = catalogue.measure(home, options.measure or "", caller)
            if options.title or options.dimension is None:
                return options.title or measure.label
            dimension = catalogue.dimension(home, options.dimension, caller)
            granularity = granularity_of(dimension, options.granularity)
            return words.title(measure.label, dimension.label, granularity, dimension.is_time)
        except (NotFound, BadRequest):
            return name_of(pane, self.reader)

    def pane(self, pane: Pane, columns: int) -> views.Pane:
        """One pane; what is wrong with it is said in its own place."""
        shape = self._shape(pane, columns)
        try:
            options = pane.options()
            if options.kind == "text":
                return views.Pane(title=options.heading or "", figure=prose(options), **shape)
            if options.kind == "partial":
                figure = host_partial(options)
                return views.Pane(title=options.title or "", figure=figure, **shape)
            return self._query(pane, showing.drawn(options, self.reader), shape)
        except (NotFound, BadRequest) as error:
            what = _VANISHED if isinstance(error, NotFound) else _CANNOT
            gone = figures.Gone(what, error.message)
            if not showing.shown(pane, self.reader).whole:
                gone = figures.Gone(showing.PANE, _NOT_THERE)
            return views.Pane(title=name_of(pane, self.reader), figure=gone, **shape)
        except (Overrun, Unavailable) as error:
            gone = figures.Gone(_UNANSWERED, error.message)
            return views.Pane(title=name_of(pane, self.reader), figure=gone, **shape)
        except _STOOD_IN_THE_WAY:
            log.exception("Pane %s of frame %s could not be answered", pane.id, pane.frame_id)
            gone = figures.Gone(_UNANSWERED, _WHY_NOT)
            return views.Pane(title=name_of(pane, self.reader), figure=gone, **shape)

    def put(self, options: PaneOptions) -> tuple[Question, Layers]:
        """What a pane asks, under whose filters.

        Raises:
            BadRequest: when the filters of the frame or the pane cannot be applied.
            NotFound: when it names what does not exist for the caller.
        """
        if self.fault:
            raise BadRequest(self.fault)
        question = Question.of(options)
        showing.require(question, options.filters, self.reader)
        pairs = filter_grammar.pairs(options.filters)
        home = self.reader.model(question.model)
        own = filter_grammar.parse(pairs, self.reader.catalogue, self.reader.caller, [home])
        return question, self.layers(own)

    def layers(self, own: tuple[Filter, ...]) -> Layers:
        """Whose filters apply to a pane with these of its own."""
        return Layers(frame=self.own, pane=own, reader=self.address.filters)

    def id_of(self, pane: Pane) -> str:
        """What a pane is called on this page."""
        return f"janela-pane-{pane.id}"

    def sorted_by(self, pane: Pane) -> str:
        """The column that the reader sorts a pane's table by, as its address says."""
        return str(dict(self.address.own).get(f"sort.{pane.id}", ""))

    def _query(self, pane: Pane, options: PaneOptions, shape: dict[str, t.Any]) -> views.Pane:
        question, layers = self.put(options)
        result, over = numbers.answer(self.reader, question, layers, options)
        is_table = drawing.renderer_of(options, result)[0] == "table"
        ways = Ways(
            toggle=lambda row: self._toggled(result, row, several=self.mode.several),
            several=lambda row: self._several(result, row),
            clear=self.address.clear if layers.reader else None,
            filters=len(layers.reader),
            show_all=self._show_all(options, result, layers),
            sort=self._sort(f"sort.{pane.id}") if is_table else None,
            sorted=self.sorted_by(pane),
        )
        drawn = drawing.draw(
            options,
            result,
            ways,
            height=shape["height"],
            gap=self.gap,
            palette=self.palette,
            over=over,
            tall=shape["prominence"] == 3 and shape["height"] > 1,
        )
        return views.Pane(
            title=options.title or words.title_of(result),
            figure=drawn.figure,
            table=drawn.table,
            notes=drawn.notes,
            show_all=drawn.show_all,
            more=self._more(pane, options, layers),
            **shape,
        )

    def _sort(self, key: str) -> cabc.Callable[[str], str] | None:
        """Where the heads of a pane's table lead: this page with its rows in another order."""
        others = tuple(pair for pair in self.address.own if pair[0] != key)

        def sorted_by(name: str) -> str:
            return dataclasses.replace(self.address, own=(*others, (key, name))).url()

        return sorted_by

    def _toggled(self, result: Result, row: Row, *, several: bool) -> str | None:
        if result.dimension is None:
            return None
        return self.address.toggled(result.dimension, row, several=several)

    def _several(self, result: Result, row: Row) -> str | None:
        """What Ctrl or Cmd does; nothing else than a click while that adds by itself."""
        return None if self.mode.several else self._toggled(result, row, several=True)

    def _show_all(self, options: PaneOptions, result: Result, layers: Layers) -> str | None:
        """The pane's question on a page of its own, without its limit."""
        if not result.truncated or options.limit is None:
            return None
        whole = {"limit": None, "other": False, "granularity": None, "value_labels": False}
        return self._asked(options, layers, {**whole, "renderer": "table"})

    def _more(self, pane: Pane, options: PaneOptions, layers: Layers) -> tuple[views.Link, ...]:
        """What else can be done with a pane that is kept: its numbers, its question."""
        if pane.id is None:
            return ()
        asked = self._asked(options, layers, {})
        links = [views.Link(asked, say("Open as a page"))] if asked is not None else []
        if records.are_shown(self.reader, self.reader.model(options.model or "")):
            path = flask.url_for("janela.pane_rows", frame_id=pane.frame_id, pane_id=pane.id)
            there = dataclasses.replace(self.address, path=path, own=())
            links.append(views.Link(there.url(), say("Show the rows")))
        if self.exports:
            path = flask.url_for("janela.export", frame_id=pane.frame_id, pane_id=pane.id)
            own = tuple(pair for pair in self.address.own if pair[0] == f"sort.{pane.id}")
            address = dataclasses.replace(self.address, path=path, own=own)
            links.append(views.Link(address.url(), say("Export as CSV")))
        return tuple(links)

    def _asked(
        self, options: PaneOptions, layers: Layers, changed: cabc.Mapping[str, t.Any]
    ) -> str | None:
        """The page of a pane's question under the same filters, with some options changed.

        None where an address cannot say what the filters of frame and pane come to together.
        """
        home = self.reader.model(options.model or "")
        dimensions = self.reader.dimensions(home)
        each = (layers.frame, layers.fixed, layers.pane)
        fixed = filter_grammar.merged(
            *(filter_grammar.reach(layer, home, dimensions)[0] for layer in each)
        )
        if fixed is None:
            return None
        return addresses.ask_url(
            home.name,
            options.measure or "",
            options.dimension,
            options=addresses.option_pairs(options, changed),
            fixed=fixed,
            reader=layers.reader,
            home=home,
        )


def _unseen(fault: str) -> str:
    """What the bar says of filters that it cannot show."""
    if not fault:
        return ""
    if fault == UNSEEN:
        return say("that cannot be shown to you")
    return say("that cannot be applied")


def prose(options: PaneOptions) -> figures.Prose:
    """A text pane's words: paragraphs at blank lines, lines as they were typed."""
    text = (options.body or "").replace("\r\n", "\n").replace("\r", "\n")
    paragraphs = (part.strip("\n").split("\n") for part in text.split("\n\n"))
    return figures.Prose(
        paragraphs=tuple(tuple(lines) for lines in paragraphs if any(map(str.strip, lines))),
        link=options.link,
    )


def host_partial(options: PaneOptions) -> figures.HostPartial:
    """A host's own template.

    Raises:
        NotFound: when the host has no template of that name.
    """
    name = f"janela_content/{options.partial}"
    try:
        flask.current_app.jinja_env.get_template(name)
    except jinja2.TemplateNotFound as error:
        if error.name != name:
            raise
        raise NotFound(say("There is no template {name}.", name=name)) from None
    return figures.HostPartial(name)
