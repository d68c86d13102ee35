"""The frames a caller may see: searched, sorted, each with its arrangement as a little window."""

from __future__ import annotations

import datetime as dt
import typing as t

import babel.dates
import flask
import sqlalchemy as sa
from flask.typing import ResponseReturnValue
from sqlalchemy import orm

from ..errors import BadRequest, listed, quoted
from ..frames import Favourite, Frame, story
from ..hooks import Action
from ..query.reader import Reader
from ..state import current_state
from ..words import say, say_many
from . import addresses, framing, views, words
from .rendering import render
from .thumbnails import tiles

MOST = 200
"""The most frames on one page; a search finds the others."""

SORTS = (("changed", say("Last changed")), ("name", say("Name")))


def index(reader: Reader) -> ResponseReturnValue:
    """The page of all frames in the caller's scope, their favourites first.

    ``?deleted=…`` names a frame that was just deleted and can be brought back.
    """
    own = ("search", "sort", "deleted")
    given = addresses.read(flask.request.args, own=own, filters=False).own
    search = str(given.get("search", "")).strip()[:200]
    sort = given.get("sort") or SORTS[0][0]
    if sort not in dict(SORTS):
        raise BadRequest(
            say(
                "{name} is {given}: use {use}.",
                name="sort",
                given=quoted(sort),
                use=say("one of {allowed}", allowed=listed(dict(SORTS))),
            )
        )
    cards = _Cards(reader)
    found = _find(reader, search, sort, cards.own)
    shown = found[:MOST]
    starred = tuple(cards.card(frame, starred=True) for frame, star in shown if star)
    others = tuple(cards.card(frame, starred=False) for frame, star in shown if not star)
    groups = (
        views.Group(say("Favourites") if starred else "", starred),
        views.Group(say("All others") if starred else "", others),
    )
    view = views.Index(
        said=_said(len(shown), more=len(found) > MOST, search=search),
        search=search,
        sort=sort,
        sorts=SORTS,
        groups=tuple(group for group in groups if group.cards),
        declared="" if shown else _declared(reader),
        ways=() if shown else _ways(reader),
        new=flask.url_for("janela.new_frame") if cards.may("arrange") else "",
        toast=framing.deleted(reader, given.get("deleted")),
    )
    return render("index", view, reader.caller)


def _find(reader: Reader, search: str, sort: str, own: str | None) -> list[tuple[Frame, bool]]:
    """The frames, each with whether the caller marked it with a star, those first."""
    marked = sa.and_(Favourite.frame_id == Frame.id, Favourite.caller_ref == (own or ""))
    starred = Favourite.frame_id.is_not(None)
    statement = (
        reader.select(Frame)
        .add_columns(starred)
        .select_from(Frame)
        .outerjoin(Favourite, marked)
        .where(Frame.removed_at.is_(None))
    )
    if "\0" in search:
        return []  # no text has one, and no database compares by one
    if search:
        statement = statement.where(
            sa.or_(
                Frame.name.icontains(search, autoescape=True),
                Frame.description.icontains(search, autoescape=True),
            )
        )
    by_name = (sa.func.lower(Frame.name), Frame.id)
    order = by_name if sort == "name" else (Frame.updated_at.desc(), *by_name)
    first = sa.case((starred, 0), else_=1)
    statement = statement.order_by(first, *order).limit(MOST + 1)
    rows = reader.execute(Frame, statement.options(orm.selectinload(Frame.panes)))
    return [(row[0], bool(row[1])) for row in t.cast("t.Any", rows)]


def _said(count: int, *, more: bool, search: str) -> str:
    if not count:
        return say("Nothing found.") if search else say("Nothing arranged yet.")
    if more:
        return say("The first {n}; search to find others", n=count)
    if search:
        return say_many("{n} that match", "{n} that match", count)
    return say_many("{n} that you may see", "{n} that you may see", count)


class _Cards:
    """Frames as their caller sees them in the list, and what they may do with each."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.own = story.own_reference(reader.caller)
        self.names = story.Names(self.own)
        self.back = flask.request.full_path if flask.request.args else flask.request.path

    def may(self, action: Action, frame: Frame | None = None) -> bool:
        return current_state().may(self.reader.caller, action, frame)

    def card(self, frame: Frame, *, starred: bool) -> views.Card:
        changed = frame.updated_at.replace(tzinfo=dt.UTC)
        clock, locale = self.reader.clock, self.reader.locale
        full = babel.dates.format_datetime(changed, "medium", tzinfo=clock.zone, locale=locale)
        at: dict[str, t.Any] = {"frame_id": frame.id}
        may = self.may("arrange", frame)
        return views.Card(
            href=flask.url_for("janela.frame", **at),
            name=frame.name,
            description=frame.description,
            tiles=tiles(frame.panes, frame.columns),
            panes=len(frame.panes),
            changed=story.ago(changed, clock, locale),
            changed_at=changed,
            changed_full=full,
            changed_by=self.names.of(frame.updated_by),
            star=self._star(frame, starred),
            arrange=flask.url_for("janela.arrange", **at) if may else "",
            duplicate=flask.url_for("janela.duplicate_frame", **at) if may else "",
            delete=flask.url_for("janela.delete_frame", **at) if may else "",
        )

    def _star(self, frame: Frame, on: bool) -> views.Star | None:
        if self.own is None:
            return None
        action = flask.url_for("janela.star", frame_id=frame.id)
        return views.Star(frame.id, frame.name, on, action, self.back)


def _declared(reader: Reader) -> str:
    """What the caller could ask, in words."""
    models = [reader.model(name) for name in reader.catalogue.names(reader.caller)]
    if not models:
        return say("Nothing is declared for you yet.")
    measures = sum(len(reader.catalogue.measures(model, reader.caller)) for model in models)
    dimensions = sum(len(reader.dimensions(model)) for model in models)
    return say_many(
        "{n:,} model is declared for you, with {measures} and {dimensions}.",
        "{n:,} models are declared for you, with {measures} and {dimensions}.",
        len(models),
        measures=words.measures(measures),
        dimensions=words.dimensions(dimensions),
    )


def _ways(reader: Reader) -> tuple[views.Link, ...]:
    """The first question of each of the first models."""
    ways = []
    for name in reader.catalogue.names(reader.caller)[:3]:
        measure = next(iter(reader.catalogue.measures(reader.model(name), reader.caller).values()))
        href = flask.url_for("janela.ask", model=name, measure=measure.name)
        ways.append(views.Link(href, say("See {measure}", measure=words.within(measure.label))))
    return tuple(ways)
