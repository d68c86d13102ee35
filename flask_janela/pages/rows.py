"""The single rows behind a number, as a page in plain HTML and as a file."""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import typing as t

import flask
from flask.typing import ResponseReturnValue

from ..frames import Frame
from ..frames.reading import find_frame
from ..query import choosing, records
from ..query import filters as filter_grammar
from ..query.aggregate import contributing
from ..query.filters import Filter, Layers
from ..query.reader import Reader
from ..query.record import Record, RecordColumn, RecordPage
from ..state import current_state
from ..vocabulary import BoundMeasure, BoundModel
from ..vocabulary.formats import Format
from ..words import Words, full_stop, joined, say, say_many
from . import addresses, export, figures, filterbar, frames, guard, views, words
from .rendering import render


@dataclasses.dataclass(frozen=True)
class Behind:
    """Which rows are asked for, and where they are asked.

    Attributes:
        address: of their first page.
        layers: whose filters apply; ``by`` says who set those that the reader cannot remove.
        file: the endpoint of the same rows as a file; "" where the caller may not have it.
        crumbs: where they were asked from.
        named: what their endpoints are named by.
    """

    reader: Reader
    home: BoundModel
    measure: BoundMeasure | None
    layers: Layers
    address: addresses.Address
    by: str
    file: str
    crumbs: tuple[views.Link, ...]
    named: cabc.Mapping[str, t.Any]

    @property
    def measure_name(self) -> str | None:
        return None if self.measure is None else self.measure.name

    @property
    def counts(self) -> str:
        """What they count into, in a sentence; "" where every row does."""
        if self.measure is None or not contributing(self.measure):
            return ""
        return words.within(self.measure.label)

    @property
    def kept(self) -> tuple[Filter, ...]:
        """The filters that the reader cannot remove."""
        layers = (*self.layers.frame, *self.layers.fixed, *self.layers.pane)
        return filter_grammar.reach(layers, self.home, self.reader.dimensions(self.home))[0]

    @property
    def label(self) -> str:
        """What its rows are called."""
        records = self.home.records
        return self.home.label if records is None else records.label

    @property
    def title(self) -> str:
        """ "Flights behind cancellation rate"; of a count of all rows just "Flights"."""
        if not self.counts:
            return self.label
        return say("{rows} behind {measure}", rows=self.label, measure=self.counts)


def rows(reader: Reader, model: str) -> ResponseReturnValue:
    """A page of the rows that the address asks for."""
    return _page(_asked(reader, model, "cursor"))


def export_rows(reader: Reader, model: str) -> ResponseReturnValue:
    """All of them as a file."""
    guard.require(reader.caller, "view")
    return _file(_asked(reader, model))


def pane_rows(reader: Reader, frame_id: int, pane_id: int) -> ResponseReturnValue:
    """A page of the rows behind a pane of a frame, under the filters of both and the reader's."""
    return _page(_of_pane(reader, find_frame(reader, frame_id), pane_id, "cursor"))


def export_pane_rows(reader: Reader, frame_id: int, pane_id: int) -> ResponseReturnValue:
    """All of them as a file."""
    found = find_frame(reader, frame_id)
    guard.require(reader.caller, "export", found)
    return _file(_of_pane(reader, found, pane_id))


def _asked(reader: Reader, model: str, *own: str) -> Behind:
    """What an address asks for; ``own`` are parameters of its page besides the measure."""
    home = reader.model(model)
    given = addresses.read(flask.request.args, own=("measure", *own), fixed=True)
    name = given.own.get("measure")
    measure = None if name is None else reader.catalogue.measure(home, name, reader.caller)
    fixed = filter_grammar.parse(given.fixed, reader.catalogue, reader.caller, [home])
    chosen = filter_grammar.parse(given.reader, reader.catalogue, reader.caller, [home])
    crumbs = [views.Link(flask.url_for("janela.explore"), say("Explore"))]
    kept = [(f"where.{key}", value) for key, value in filter_grammar.write(fixed, home)]
    if measure is not None:
        question = addresses.ask_url(
            model, measure.name, None, fixed=fixed, reader=chosen, home=home
        )
        crumbs.append(views.Link(question, measure.label))
        kept.append(("measure", measure.name))
    return Behind(
        reader=reader,
        home=home,
        measure=measure,
        layers=Layers(fixed=fixed, reader=chosen),
        address=addresses.Address(
            flask.url_for("janela.rows", model=model), tuple(kept), home, chosen
        ),
        by=say("set by the link"),
        file="janela.export_rows" if current_state().may(reader.caller, "export", None) else "",
        crumbs=tuple(crumbs),
        named={"model": model},
    )


def _of_pane(reader: Reader, found: Frame, pane_id: int, *own: str) -> Behind:
    guard.require(reader.caller, "view", found)
    pane = frames.query_of(found, pane_id)
    light = frames.light_of(reader, found, own=own)
    question, layers = light.put(pane.options())
    home = reader.model(question.model)
    named: dict[str, t.Any] = {"frame_id": found.id, "pane_id": pane_id}
    path = flask.url_for("janela.pane_rows", **named)
    return Behind(
        reader=reader,
        home=home,
        measure=reader.catalogue.measure(home, question.measure, reader.caller),
        layers=layers,
        address=dataclasses.replace(light.address, path=path, own=()),
        by=say("set by the frame"),
        file="janela.export_pane_rows" if light.exports else "",
        crumbs=(
            views.Link(flask.url_for("janela.index"), say("Frames")),
            views.Link(light.address.url(), found.name),
        ),
        named=named,
    )


def _page(behind: Behind) -> ResponseReturnValue:
    cursor = flask.request.args.get("cursor")
    page = records.find(
        behind.reader,
        behind.home.name,
        behind.layers,
        measure=behind.measure_name,
        cursor=cursor,
    )
    # Rows that are nobody's pane lie below the question that they were found by.
    under = "rows" if "frame_id" in behind.named else "ask"
    return render("rows", _view(behind, page), behind.reader.caller, under=under)


def _file(behind: Behind) -> ResponseReturnValue:
    columns, every = records.stream(
        behind.reader, behind.home.name, behind.layers, measure=behind.measure_name
    )
    lines = flask.stream_with_context(_lines(columns, every))
    response = flask.Response(lines, mimetype="text/csv")
    response.headers["Content-Disposition"] = export.disposition(behind.title)
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response


# as a page


def _view(behind: Behind, page: RecordPage) -> views.Rows:
    address, said = behind.address, sentence(behind, page)

    def at(cursor: str | None) -> str | None:
        if cursor is None:
            return None
        return dataclasses.replace(address, own=(*address.own, ("cursor", cursor))).url()

    file = ""
    if behind.file and page.total:
        path = flask.url_for(behind.file, **behind.named)
        file = dataclasses.replace(address, path=path).url()
    return views.Rows(
        title=behind.title,
        sentence=said,
        crumbs=behind.crumbs,
        filters=filterbar.bar(address, behind.reader, behind.kept, by=behind.by),
        not_applied=page.not_applied,
        table=table(page, joined(": ", (behind.title, said))),
        shown=_shown(page),
        first=address.url() if page.before else None,
        previous=at(page.previous),
        next=at(page.next),
        file=file,
    )


def sentence(behind: Behind, page: RecordPage) -> str:
    """How many rows there are, and of what: "48,110 flights filtered by Airline Delta"."""
    chips = choosing.describe((*behind.kept, *_reaching(behind)), behind.reader)
    said = [joined(" ", (chip.dimension_label, chip.words)) for chip in chips]
    rows: dict[str, str] = {"things": words.within(behind.label), "measure": behind.counts}
    if page.total == 0:
        found = say("No {things} that you may see", **rows)
        if behind.counts:
            found = say("No {things} that you may see that count into {measure}", **rows)
    else:
        found = _so_many(page, whole=not said, **rows)
    if said:
        comma = behind.counts or page.total == 0
        by = words.all_of(said)
        if comma:
            found = say("{rows}, filtered by {filters}", rows=found, filters=by)
        else:
            found = say("{rows} filtered by {filters}", rows=found, filters=by)
    return full_stop(found)


def _so_many(page: RecordPage, *, whole: bool, things: str, measure: str) -> Words:
    """How many rows; ``whole`` where nothing says which."""
    count = {"count": _number(page.total, page), "things": things}
    if measure:
        return say_many(
            "1 of the {things} that count into {measure}",
            "{count} {things} that count into {measure}",
            page.total,
            measure=measure,
            **count,
        )
    if whole:
        return say_many(
            "1 of the {things} that you may see",
            "{count} {things} that you may see",
            page.total,
            **count,
        )
    return say_many("1 of the {things}", "{count} {things}", page.total, **count)


def _reaching(behind: Behind) -> tuple[Filter, ...]:
    dimensions = behind.reader.dimensions(behind.home)
    return filter_grammar.reach(behind.layers.reader, behind.home, dimensions)[0]


def _shown(page: RecordPage) -> str:
    """ "26 to 50 of 48,110"."""
    if not page.rows:
        return say("No rows here")
    first, last = page.before + 1, page.before + len(page.rows)
    written = [_number(each, page) for each in (first, last, page.total)]
    return say("{first} to {last} of {count}", first=written[0], last=written[1], count=written[2])


def _number(count: int, page: RecordPage) -> str:
    return Format().write(count, page.locale)


def table(page: RecordPage, caption: str) -> figures.Table:
    """Rows as a table, each under its first column."""
    numbers = [column.kind.is_number for column in page.columns]
    return figures.Table(
        caption=caption,
        heads=tuple(
            figures.Head(column.label, number and at > 0)
            for at, (column, number) in enumerate(zip(page.columns, numbers, strict=True))
        ),
        rows=tuple(
            figures.TableRow(
                label=row.cells[0].formatted,
                href=None,
                cells=tuple(
                    figures.Cell(cell.formatted, number)
                    for cell, number in zip(row.cells[1:], numbers[1:], strict=True)
                ),
            )
            for row in page.rows
        ),
        total=None,
    )


# as a file


def _lines(
    columns: cabc.Sequence[RecordColumn], every: cabc.Iterable[Record]
) -> cabc.Iterator[str]:
    yield export.head([column.label for column in columns])
    for row in every:
        yield export.line([export.cell(cell.value, cell.formatted) for cell in row.cells])
