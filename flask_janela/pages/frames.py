"""One frame, live: its panes under the frame's own filters and the reader's."""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import re
import typing as t

import flask
import jinja2
from flask.typing import ResponseReturnValue
from sqlalchemy import orm

from ..errors import BadRequest, NotFound
from ..frames import Frame, Pane, framing, story
from ..query import Filter, Layers, PaneOptions, Question, Reader, Result, Row, ask, comparing
from ..query import filters as filter_grammar
from ..state import current_state
from ..vocabulary import BoundModel
from . import addresses, drawing, figures, filterbar, guard, numbers, rings, views, words
from .rendering import render
from .thumbnails import height_of
from .ways import Ways

MOST_ID = 2**63 - 1
_SORT = re.compile(r"sort\.[0-9]{1,19}")
_VANISHED = "This pane asks for something that is gone."
_CANNOT = "This pane cannot be drawn."


def frame(reader: Reader, frame_id: int) -> ResponseReturnValue:
    """The page of one frame; ``?q.…`` is its whole state."""
    found = find(reader, frame_id)
    guard.require(reader.caller, "view", found)
    homes = homes_of(found, reader)
    given = addresses.read(flask.request.args, own=sort_keys())
    address = addresses.Address(
        path=flask.url_for("janela.frame", frame_id=found.id),
        own=sorts_of(found, given),
        home=homes[0] if homes else None,
        filters=filter_grammar.parse(given.reader, reader.catalogue, reader.caller, homes),
    )
    own, fault = own_filters(found, reader, homes)
    light = Light(reader, address, own, fault, found.gap)
    view = views.Frame(
        name=found.name,
        description=found.description,
        columns=found.columns,
        gap=found.gap,
        filters=filterbar.bar(address, reader, own, by="set by the frame"),
        panes=tuple(light.pane(pane, found.columns) for pane in found.panes),
        star=_star(reader, found),
        arrange=_arrange(reader, found),
    )
    return render("frame", view, reader.caller)


def _star(reader: Reader, found: Frame) -> views.Star | None:
    own = story.own_reference(reader.caller)
    if own is None:
        return None
    action = flask.url_for("janela.star", frame_id=found.id)
    back = flask.request.full_path.rstrip("?")
    return views.Star(found.id, found.name, framing.is_favourite(found, own), action, back)


def _arrange(reader: Reader, found: Frame) -> str:
    may = current_state().may(reader.caller, "arrange", found)
    return flask.url_for("janela.arrange", frame_id=found.id) if may else ""


def find(reader: Reader, frame_id: int, *, removed: bool | None = False) -> Frame:
    """The frame, if it is in the caller's scope; one outside and none at all are told alike.

    Args:
        removed: whether it has been deleted; None for either.
    """
    statement = (
        reader.select(Frame).where(Frame.id == frame_id).options(orm.selectinload(Frame.panes))
    )
    if removed is not None:
        here = Frame.removed_at.is_not(None) if removed else Frame.removed_at.is_(None)
        statement = statement.where(here)
    found = reader.execute(statement).scalars().one_or_none() if frame_id <= MOST_ID else None
    if found is None:
        raise NotFound("There is no such frame, or none that you may see.")
    return t.cast("Frame", found)


def sort_keys() -> list[str]:
    """The parameters of this request that sort a pane's table: ``sort.7=-late``."""
    return [key for key in flask.request.args if _SORT.fullmatch(key)]


def sorts_of(found: Frame, given: addresses.Arguments) -> addresses.Pairs:
    """Those of the frame's panes; one that has been taken away meanwhile has nothing to sort."""
    here = {f"sort.{pane.id}" for pane in found.panes}
    return tuple((key, value) for key, value in given.own.items() if key in here)


def homes_of(found: Frame, reader: Reader) -> list[BoundModel]:
    """The models of a frame's panes in order, by which filters without a model are read."""
    homes: dict[str, BoundModel] = {}
    for pane in found.panes:
        if pane.kind == "query" and pane.model and pane.model not in homes:
            try:
                homes[pane.model] = reader.model(pane.model)
            except NotFound:
                continue
    return list(homes.values())


def own_filters(
    found: Frame, reader: Reader, homes: list[BoundModel]
) -> tuple[tuple[Filter, ...], str]:
    """The frame's default filters, and why they cannot be applied, if so.

    Then no pane may be drawn: without them it would show more than the frame is for.
    """
    every = [reader.model(name) for name in reader.catalogue.names(reader.caller)]
    others = [model for model in every if model not in homes]
    try:
        pairs = filter_grammar.pairs(found.filters)
        return filter_grammar.parse(pairs, reader.catalogue, reader.caller, [*homes, *others]), ""
    except BadRequest as error:
        return (), f"The frame's own filter cannot be applied: {error.message}"


@dataclasses.dataclass(frozen=True)
class Light:
    """What all panes of one page are drawn by."""

    reader: Reader
    address: addresses.Address
    own: tuple[Filter, ...]
    fault: str
    gap: int
    palette: rings.Palette = dataclasses.field(default_factory=rings.Palette)

    def pane(self, pane: Pane, columns: int) -> views.Pane:
        """One pane; what is wrong with it is said in its own place."""
        shape: dict[str, t.Any] = {
            "id": f"janela-pane-{pane.id}",
            "span": min(max(pane.span, 1), columns),
            "height": min(max(height_of(pane), 1), 5),
            "prominence": min(max(pane.prominence, 1), 3),
        }
        try:
            options = pane.options()
            if options.kind == "text":
                return views.Pane(title=options.heading or "", figure=prose(options), **shape)
            if options.kind == "partial":
                figure = host_partial(options)
                return views.Pane(title=options.title or "", figure=figure, **shape)
            if self.fault:
                raise BadRequest(self.fault)
            return self._query(options, shape, f"sort.{pane.id}")
        except (NotFound, BadRequest) as error:
            what = _VANISHED if isinstance(error, NotFound) else _CANNOT
            title = words.title_of_row(pane.title, pane.heading, pane.measure, pane.dimension)
            return views.Pane(title=title, figure=figures.Gone(what, error.message), **shape)

    def _query(self, options: PaneOptions, shape: dict[str, t.Any], sort_key: str) -> views.Pane:
        question = Question.of(options)
        home = self.reader.model(question.model)
        own = filter_grammar.parse(
            filter_grammar.pairs(options.filters), self.reader.catalogue, self.reader.caller, [home]
        )
        layers = Layers(frame=self.own, pane=own, reader=self.address.filters)
        result = ask(self.reader, question, layers)
        ways = Ways(
            toggle=lambda row: self._toggled(result, row),
            clear=self.address.clear,
            filters=len(self.address.filters),
            show_all=self._show_all(options, result, home, own),
            sort=self._sort(sort_key)
            if drawing.renderer_of(options, result)[0] == "table"
            else None,
            sorted=dict(self.address.own).get(sort_key, ""),
        )
        drawn = drawing.draw(
            options,
            result,
            ways,
            height=shape["height"],
            gap=self.gap,
            palette=self.palette,
            over=self._over(options, question, layers, result),
            tall=shape["prominence"] == 3 and shape["height"] > 1,
        )
        return views.Pane(
            title=options.title or words.title_of(result),
            figure=drawn.figure,
            table=drawn.table,
            notes=drawn.notes,
            show_all=drawn.show_all,
            **shape,
        )

    def _sort(self, key: str) -> cabc.Callable[[str], str] | None:
        """Where the heads of a pane's table lead: this page with its rows in another order."""
        others = tuple(pair for pair in self.address.own if pair[0] != key)

        def sorted_by(name: str) -> str:
            return dataclasses.replace(self.address, own=(*others, (key, name))).url()

        return sorted_by

    def _over(
        self, options: PaneOptions, question: Question, layers: Layers, result: Result
    ) -> numbers.Over | None:
        """What a number is held against; nothing where that time does not exist for the caller."""
        if options.over is None or options.dimension is not None:
            return None
        home = self.reader.model(question.model)
        if options.over not in self.reader.dimensions(home):
            return None
        return numbers.Over(
            comparing.compare(self.reader, question, layers, options.over, result),
            comparing.series(self.reader, question, layers, options.over),
        )

    def _toggled(self, result: Result, row: Row) -> str | None:
        return None if result.dimension is None else self.address.toggled(result.dimension, row)

    def _show_all(
        self, options: PaneOptions, result: Result, home: BoundModel, own: tuple[Filter, ...]
    ) -> str | None:
        """The pane's question on a page of its own, under the same filters, without its limit."""
        if not result.truncated or options.limit is None:
            return None
        dimensions = self.reader.dimensions(home)
        fixed, _ = filter_grammar.reach((*self.own, *own), home, dimensions)
        chosen = [("companions", name) for name in options.companions]
        if options.order is not None:
            chosen.append(("order", options.order))
        return addresses.ask_url(
            home.name,
            result.measure.name,
            options.dimension,
            options=[*chosen, ("renderer", "table")],
            fixed=fixed,
            reader=self.address.filters,
            home=home,
        )


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
        raise NotFound(f"There is no template {name}.") from None
    return figures.HostPartial(name)
