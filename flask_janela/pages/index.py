"""The frames a caller may see: searched, sorted, each with its arrangement as a little window."""

from __future__ import annotations

import datetime as dt

import babel.dates
import flask
import sqlalchemy as sa
from flask.typing import ResponseReturnValue
from sqlalchemy import orm

from ..errors import BadRequest, listed, quoted
from ..frames import Frame, story
from ..query import Reader
from . import addresses, views, words
from .rendering import render
from .thumbnails import tiles

MOST = 200
"""The most frames on one page; a search finds the others."""

SORTS = (("changed", "Last changed"), ("name", "Name"))


def index(reader: Reader) -> ResponseReturnValue:
    """The page of all frames in the caller's scope."""
    given = addresses.read(flask.request.args, own=("search", "sort"), filters=False).own
    search = str(given.get("search", "")).strip()[:200]
    sort = given.get("sort") or SORTS[0][0]
    if sort not in dict(SORTS):
        raise BadRequest(f"sort is {quoted(sort)}: use one of {listed(dict(SORTS))}.")
    found = _find(reader, search, sort)
    shown = found[:MOST]
    names = story.Names(story.own_reference(reader.caller))
    view = views.Index(
        said=_said(len(shown), more=len(found) > MOST, search=search),
        search=search,
        sort=sort,
        sorts=SORTS,
        cards=tuple(_card(frame, reader, names) for frame in shown),
        declared="" if shown else _declared(reader),
        ways=() if shown else _ways(reader),
    )
    return render("index", view, reader.caller)


def _find(reader: Reader, search: str, sort: str) -> list[Frame]:
    statement = reader.select(Frame).where(Frame.removed_at.is_(None))
    if search:
        statement = statement.where(
            sa.or_(
                Frame.name.icontains(search, autoescape=True),
                Frame.description.icontains(search, autoescape=True),
            )
        )
    by_name = (sa.func.lower(Frame.name), Frame.id)
    order = by_name if sort == "name" else (Frame.updated_at.desc(), *by_name)
    statement = statement.order_by(*order).limit(MOST + 1).options(orm.selectinload(Frame.panes))
    return list(reader.execute(statement).scalars())


def _said(count: int, *, more: bool, search: str) -> str:
    if not count:
        return "Nothing found." if search else "Nothing arranged yet."
    if more:
        return f"The first {count}; search to find others"
    return f"{count} that match" if search else f"{count} that you may see"


def _card(frame: Frame, reader: Reader, names: story.Names) -> views.Card:
    changed = frame.updated_at.replace(tzinfo=dt.UTC)
    return views.Card(
        href=flask.url_for("janela.frame", frame_id=frame.id),
        name=frame.name,
        description=frame.description,
        tiles=tiles(frame.panes, frame.columns),
        panes=len(frame.panes),
        changed=story.ago(changed, reader.clock, reader.locale),
        changed_at=changed,
        changed_full=babel.dates.format_datetime(
            changed, "medium", tzinfo=reader.clock.zone, locale=reader.locale
        ),
        changed_by=names.of(frame.updated_by),
    )


def _declared(reader: Reader) -> str:
    """What the caller could ask, in words."""
    models = [reader.model(name) for name in reader.catalogue.names(reader.caller)]
    if not models:
        return "Nothing is declared for you yet."
    measures = sum(len(reader.catalogue.measures(model, reader.caller)) for model in models)
    dimensions = sum(len(reader.dimensions(model)) for model in models)
    is_or_are = "is" if len(models) == 1 else "are"
    return (
        f"{words.counted(len(models), 'model')} {is_or_are} declared for you, with "
        f"{words.counted(measures, 'measure')} and {words.counted(dimensions, 'dimension')}."
    )


def _ways(reader: Reader) -> tuple[views.Link, ...]:
    """The first question of each of the first models."""
    ways = []
    for name in reader.catalogue.names(reader.caller)[:3]:
        measure = next(iter(reader.catalogue.measures(reader.model(name), reader.caller).values()))
        href = flask.url_for("janela.ask", model=name, measure=measure.name)
        ways.append(views.Link(href, f"See {words.within(measure.label)}"))
    return tuple(ways)
