"""The frames a caller may see: searched, sorted, each with its arrangement as a little window."""

from __future__ import annotations

import datetime as dt

import babel
import babel.dates
import flask
import sqlalchemy as sa
from flask.typing import ResponseReturnValue
from sqlalchemy import orm

from .. import caller as callers
from ..errors import BadRequest, JanelaError, listed, quoted
from ..frames import Frame
from ..query import Reader
from ..query.time import Clock
from ..state import current_state
from . import addresses, views, words
from .rendering import person, render
from .thumbnails import tiles

MOST = 200
"""The most frames on one page; a search finds the others."""

SORTS = (("changed", "Last changed"), ("name", "Name"))
_RECENT = dt.timedelta(days=7)


def index(reader: Reader) -> ResponseReturnValue:
    """The page of all frames in the caller's scope."""
    given = addresses.read(flask.request.args, own=("search", "sort"), filters=False).own
    search = str(given.get("search", "")).strip()[:200]
    sort = given.get("sort") or SORTS[0][0]
    if sort not in dict(SORTS):
        raise BadRequest(f"sort is {quoted(sort)}: use one of {listed(dict(SORTS))}.")
    found = _find(reader, search, sort)
    shown = found[:MOST]
    names = _Names(reader)
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


def _card(frame: Frame, reader: Reader, names: _Names) -> views.Card:
    changed = frame.updated_at.replace(tzinfo=dt.UTC)
    return views.Card(
        href=flask.url_for("janela.frame", frame_id=frame.id),
        name=frame.name,
        description=frame.description,
        tiles=tiles(frame.panes, frame.columns),
        panes=len(frame.panes),
        changed=ago(changed, reader.clock, reader.locale),
        changed_at=changed,
        changed_full=babel.dates.format_datetime(
            changed, "medium", tzinfo=reader.clock.zone, locale=reader.locale
        ),
        changed_by=names.of(frame.updated_by),
    )


def ago(moment: dt.datetime, clock: Clock, locale: babel.Locale) -> str:
    """ "12 minutes ago" within a week, else the day, with its year when that is not this one."""
    since = moment - clock.now
    if -_RECENT < since <= dt.timedelta(minutes=1):
        since = min(since, -dt.timedelta(seconds=1))
        return babel.dates.format_timedelta(since, add_direction=True, locale=locale)
    day = moment.astimezone(clock.zone)
    if day.year != clock.today.year:
        return babel.dates.format_date(day, "medium", locale=locale)
    return babel.dates.format_skeleton("MMMd", day, tzinfo=clock.zone, locale=locale)


class _Names:
    """The names behind callers' references, each person loaded once."""

    def __init__(self, reader: Reader) -> None:
        self.hooks = current_state().hooks
        self.known: dict[str, str] = {}
        try:
            own = callers.caller_ref(reader.caller)
        except JanelaError:
            return
        if own is not None:
            self.known[own] = "you"

    def of(self, reference: str | None) -> str:
        """The name of a reference: the reference itself when that person is gone."""
        if not reference:
            return ""
        if reference not in self.known:
            try:
                found = person(callers.load_caller(reference, self.hooks))
                self.known[reference] = found.name if found else reference
            except JanelaError:
                self.known[reference] = reference
        return self.known[reference]


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
