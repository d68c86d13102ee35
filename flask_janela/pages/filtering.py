"""The form of one filter of a frame: its values or its range, in words; new, or a chip's own.

A plain form that is sent to its own page, which leads back to the frame under the new filter.
"""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import datetime as dt
import typing as t

import flask
from flask.typing import ResponseReturnValue

from ..errors import BadRequest, NotFound, quoted
from ..frames.reading import find_frame
from ..query import choosing
from ..query import filters as filter_grammar
from ..query.filters import Filter, Layers, same
from ..query.members import MOST, Members, members
from ..query.reader import Reader
from ..query.when import When, at
from ..vocabulary import BoundDimension
from ..vocabulary import keys as key_values
from ..words import Words, capital, full_stop, joined, say
from . import addresses, forms, frames, guard, views, words
from .light import Light
from .rendering import render

OWN = ("dimension", "do", "are", "unknown", "find", "found", "period", "from", "to")

PERIODS = (
    *(f"last {each}" for each in ("7d", "30d", "90d", "12m")),
    *(f"{which} {unit}" for unit in ("week", "month", "quarter", "year")
      for which in ("this", "previous")),
)  # fmt: skip
"""Stretches of time that move with the calendar, as an operator and its value."""

_LONGEST = 200
_DAY = dt.timedelta(days=1)

Typed = dict[str, t.Any]
"""What the fields hold: ``value`` the texts that are chosen, the others one text each."""


@dataclasses.dataclass(frozen=True, slots=True)
class Form:
    """The page of one filter.

    Attributes:
        hidden: the frame's address as it is, which the form carries along.
        dimension: what is filtered, as the address names it.
        are: whether the values are wanted or not, for what has values to choose.
        values: those that there are; ``more`` says how to find the others.
        find: what was searched for among them; None where all are in sight.
        period, ends: of a time, and of a number its bounds.
        kept: filters on the same dimension that no field here shows.
        remove: the frame without any of it; None for a new filter.
    """

    frame: views.Link
    heading: str
    action: str
    hidden: addresses.Pairs
    dimension: str
    are: forms.Field | None
    values: tuple[forms.Option, ...]
    unknown: forms.Option | None
    more: str
    find: str | None
    period: forms.Field | None
    ends: tuple[forms.Field, ...]
    kept: str
    error: str
    remove: str | None


def filter_(reader: Reader, frame_id: int) -> ResponseReturnValue:
    """The form, and the way back to the frame, filtered.

    With ``do=find`` it shows the values that a search finds, with ``do=apply`` it goes back, and
    ``do=enter`` is the key in any field: a search when there is a new one.
    """
    found = find_frame(reader, frame_id)
    guard.require(reader.caller, "view", found)
    light = frames.light_of(reader, found, own=OWN, repeated=("value",))
    if light.fault:
        raise BadRequest(light.fault)
    given = flask.request.args
    dimension = _dimension(reader, given.get("dimension", ""))
    form = _Filtering(reader, light, views.Link(light.address.url(), found.name), dimension)
    typed, do = _typed(), given.get("do", "")
    if do == "enter":
        do = "find" if typed["find"] != typed["found"] else "apply"
    if do == "apply":
        try:
            return flask.redirect(form.applied(typed), 303)
        except BadRequest as error:
            page = form.view(typed, full_stop(capital(error.message)))
            return render("filter", page, reader.caller), error.status
    return render("filter", form.view(typed if do == "find" else form.written()), reader.caller)


def _dimension(reader: Reader, given: str) -> BoundDimension:
    model, _, name = given.partition(".")
    found = reader.dimensions(reader.model(model)).get(name)
    if found is None:
        raise NotFound(say("{name} is not a dimension to filter by.", name=quoted(given)))
    return found


def _typed() -> Typed:
    given = flask.request.args
    texts = {name: given.get(name, "").strip() for name in OWN}
    return {**texts, "value": given.getlist("value")}


def _called(message: str, label: str) -> str:
    """What is wrong with a filter, said by a label: who fills in a form has not seen the key."""
    if isinstance(message, Words):
        for name in ("name", "key"):
            if name in message.values:
                return message.about(**{name: label})
    return message


class _Filtering:
    """One dimension's filter on a frame, between its address and its form."""

    def __init__(
        self, reader: Reader, light: Light, frame: views.Link, dimension: BoundDimension
    ) -> None:
        self.reader, self.light, self.frame = reader, light, frame
        self.dimension = dimension
        filters = light.address.filters
        self.own = tuple(each for each in filters if same(each.dimension, dimension))
        self.others = tuple(each for each in filters if each not in self.own)
        self.shown = self._shown()
        self.kept = tuple(each for each in self.own if each not in self.shown)

    # from an address to the form

    def _shown(self) -> tuple[Filter, ...]:
        """The filters that the fields can show; others are kept beside them."""
        by = {each.operator: each for each in self.own}
        if len(by) < len(self.own):
            return ()
        if not self.dimension.is_time:
            wanted = "" if "" in by or by.get("null") == self._null(True) else "not"
            shown = [by.get(wanted), by.get("gte"), by.get("lte")]
            shown.append(by.get("null") if by.get("null") == self._null(wanted == "") else None)
            return tuple(each for each in shown if each is not None)
        if len(by) == 1 and any(f"{op} {_text(each)}" for op, each in by.items() if op in _MOVING):
            return self.own
        if len(by) == 1 and "" in by and len(by[""].values) == 1 and by[""].values[0].end:
            return self.own
        bounds = {operator: by[operator] for operator in ("gte", "lt", "lte") if operator in by}
        return tuple(bounds.values()) if len(bounds.keys() & {"lt", "lte"}) < 2 else ()

    def _null(self, unknown: bool) -> Filter:
        own = next((each for each in self.own if each.operator == "null"), None)
        return (
            dataclasses.replace(own, values=(unknown,))
            if own
            else Filter(self.dimension, "null", (unknown,))
        )

    def written(self) -> Typed:
        """What the fields hold for the filters of the address."""
        typed: Typed = {"value": [], **dict.fromkeys(OWN, "")}
        for each in self.shown:
            value = each.values[0]
            match each.operator:
                case "last" | "this" | "previous":
                    typed["period"] = f"{each.operator} {_text(each)}"
                case "null":
                    typed["unknown"] = "1"
                    typed["are"] = "" if value else "none"
                case "" if self.dimension.is_time:
                    typed["from"], typed["to"] = _first(value), _last(value)
                case "" | "not":
                    typed["are"] = "none" if each.operator else ""
                    typed["value"] = [filter_grammar.write_value(v) for v in each.values]
                case "gte":
                    typed["from"] = self._end(value, first=True)
                case "lte":
                    typed["to"] = self._end(value, first=False)
                case "lt":
                    typed["to"] = self._before(value)
        return typed

    def _end(self, value: t.Any, *, first: bool) -> str:
        if not isinstance(value, When):
            return filter_grammar.write_value(value)
        return _first(value) if first else _last(value)

    def _before(self, value: When) -> str:
        """The last day before a time that is midnight; else the time itself."""
        day = choosing.midnight(self._point(value), self.reader.clock)
        return value.text if day is None else (day - _DAY).isoformat()

    def _point(self, value: When) -> dt.date:
        start = value.start
        return self.reader.clock.instant(start) if isinstance(start, dt.datetime) else start

    # from the form to an address

    def applied(self, typed: Typed) -> str:
        """The frame under what was typed; nothing typed takes the filter away.

        Raises:
            BadRequest: for what cannot be a filter, in words.
        """
        new = self._ranged(typed) if self.dimension.is_time else self._chosen(typed)
        return self.light.address.url((*self.others, *self.kept, *new))

    def _read(self, pairs: cabc.Iterable[tuple[str, str]]) -> tuple[Filter, ...]:
        model, name = self.dimension.model_name, self.dimension.name
        keyed = [(f"{model}.{name}{'.' if op else ''}{op}", value) for op, value in pairs]
        homes = [self.reader.model(model)]
        try:
            return filter_grammar.parse(keyed, self.reader.catalogue, self.reader.caller, homes)
        except BadRequest as error:
            raise BadRequest(_called(error.message, self.dimension.label)) from None

    def _chosen(self, typed: Typed) -> tuple[Filter, ...]:
        none = typed["are"] == "none"
        pairs = [("not" if none else "", value) for value in typed["value"]]
        if typed["unknown"]:
            pairs.append(("null", "0" if none else "1"))
        if self.dimension.kind.is_number:
            ends = {"gte": typed["from"], "lte": typed["to"]}
            pairs += [(operator, value) for operator, value in ends.items() if value]
        return self._read(pairs)

    def _ranged(self, typed: Typed) -> tuple[Filter, ...]:
        if typed["period"]:
            operator, _, value = typed["period"].partition(" ")
            if operator not in _MOVING:
                raise BadRequest(
                    say("{name} is not a period to choose", name=quoted(typed["period"]))
                )
            return self._read([(operator, value)])
        ends = {"gte": typed["from"], "lte": typed["to"]}
        given = {f.operator: f for f in self._read([(op, v) for op, v in ends.items() if v])}
        first, last = given.get("gte"), given.get("lte")
        found = []
        if first is not None:
            found.append(dataclasses.replace(first, values=(at(first.values[0].start),)))
        if last is not None:
            # As a bucket's own link writes it, so that equal states have equal addresses.
            after: When = last.values[0]
            end = at(after.end) if after.end is not None else after
            found.append(dataclasses.replace(last, operator="lt", values=(end,)))
        if len(found) == 2 and not self._before_each_other(found[0], found[1]):
            raise BadRequest(say("the range ends before it begins"))
        return tuple(found)

    def _before_each_other(self, first: Filter, last: Filter) -> bool:
        clock = self.reader.clock
        one, other = (clock.instant(each.values[0].start) for each in (first, last))
        return one < other

    # the page

    def view(self, typed: Typed, error: str = "") -> Form:
        dimension = self.dimension
        there = None if dimension.is_time else self._members(typed["find"])
        form = flask.url_for("janela.filter", **(flask.request.view_args or {}))
        kept = choosing.describe(self.kept, self.reader)
        values = self._values(typed, there) if there else ()
        return Form(
            frame=self.frame,
            heading=say("Filter by {dimension}", dimension=words.within(dimension.label)),
            action=form,
            hidden=tuple(self.light.address.pairs()),
            dimension=f"{dimension.model_name}.{dimension.name}",
            are=self._are(typed) if there else None,
            values=values,
            unknown=self._unknown(typed, there),
            more=_more(there, typed["find"]) if there else "",
            find=typed["find"] if there and (there.truncated or typed["find"]) else None,
            period=self._period(typed) if dimension.is_time else None,
            ends=self._ends(typed),
            kept=joined(", ", (chip.words for chip in kept)),
            error=error,
            remove=self.light.address.url(self.others) if self.own else None,
        )

    def _members(self, find: str) -> Members:
        layers = Layers(frame=self.light.own, reader=self.others)
        return members(self.reader, self.dimension, layers, search=find[:_LONGEST])

    def _values(self, typed: Typed, there: Members) -> tuple[forms.Option, ...]:
        """What is chosen stays in sight, then what there is to choose."""
        dimension, locale = self.dimension, self.reader.locale
        chosen = []
        for text in typed["value"]:
            try:
                chosen.append(dimension.parse(text))
            except BadRequest:
                continue
        absent = [key for key in chosen if key not in there.keys]
        return tuple(
            forms.Option(key_values.write(key), dimension.label_of(key, locale), key in chosen)
            for key in (*absent, *there.keys)
        )

    def _are(self, typed: Typed) -> forms.Field:
        none = typed["are"] == "none"
        options = (
            forms.Option("", say("any of these"), not none),
            forms.Option("none", say("none of these"), none),
        )
        label = say("{dimension} is", dimension=self.dimension.label)
        return forms.Field("are", label, "select", options=options)

    def _unknown(self, typed: Typed, there: Members | None) -> forms.Option | None:
        if there is None or not (there.unknown or typed["unknown"]):
            return None
        return forms.Option("1", key_values.NONE_LABEL, bool(typed["unknown"]))

    def _period(self, typed: Typed) -> forms.Field:
        offered = dict.fromkeys((*PERIODS, typed["period"])) if typed["period"] else PERIODS
        options = [forms.Option("", say("The dates below"), not typed["period"])]
        for each in offered:
            operator, _, value = each.partition(" ")
            try:
                (moving,) = self._read([(operator, value)])
            except BadRequest:
                continue
            said = choosing.describe([moving], self.reader)[0].words
            options.append(forms.Option(each, capital(said), each == typed["period"]))
        return forms.Field("period", say("Period"), "select", options=tuple(options))

    def _ends(self, typed: Typed) -> tuple[forms.Field, ...]:
        if self.dimension.is_time:
            help_ = say("Such as 2013-07-04, 2013-07 or 2013. That day, month or year is included.")
            first, last = "2013-07-01", "2013-07-31"
            return (
                forms.Field("from", say("From"), "text", typed["from"], placeholder=first),
                forms.Field("to", say("To"), "text", typed["to"], placeholder=last, help=help_),
            )
        if self.dimension.kind.is_number:
            return (
                forms.Field("from", say("At least"), "number", typed["from"]),
                forms.Field("to", say("At most"), "number", typed["to"]),
            )
        return ()


_MOVING = ("last", "this", "previous")


def _text(filter_: Filter) -> str:
    return filter_grammar.write_value(filter_.values[0], filter_.operator)


def _first(when: When) -> str:
    return when.text if when.end is None else when.start.isoformat()


def _last(when: When) -> str:
    return when.text if when.end is None else (when.end - _DAY).isoformat()


def _more(there: Members, find: str) -> str:
    if there.truncated:
        if find:
            return say("These are the first {n} that match. Search for the others.", n=MOST)
        return say("These are the first {n} of them. Search for the others.", n=MOST)
    if find and not there.keys:
        return say("Nothing here is called {search}.", search=quoted(find))
    if there.keys or there.unknown:
        return ""
    return say("There is nothing to choose under the other filters.")
