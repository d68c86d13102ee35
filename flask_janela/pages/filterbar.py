"""The bar of chips: every filter in words, each of the reader's with a link that removes it."""

from __future__ import annotations

import collections.abc as cabc
import dataclasses

import babel.dates

from ..query import choosing
from ..query.filters import Filter, same
from ..query.reader import Reader
from ..vocabulary import BoundDimension
from ..words import say
from . import views
from .addresses import Address


def bar(
    address: Address,
    reader: Reader,
    fixed: cabc.Iterable[Filter] = (),
    *,
    by: str = "",
    unseen: str = "",
    form: str = "",
    dimensions: cabc.Iterable[BoundDimension] = (),
) -> views.FilterBar:
    """The bar of a page.

    Args:
        fixed: filters that the reader cannot remove, set ``by`` something.
        unseen: what is said of those of them that cannot be shown, "" where there are none.
        form: where a filter is typed, "" where none is; ``dimensions`` are those that can get one.
    """
    chips = [views.Chip(say("A filter"), unseen, "", None, by)] if unseen else []
    chips += [
        views.Chip(chip.dimension_label, chip.words, chip.when, None, by)
        for chip in choosing.describe(fixed, reader)
    ]
    chips += [
        views.Chip(
            chip.dimension_label,
            chip.words,
            chip.when,
            address.url(choosing.without(address.filters, chip.filters)),
            edit=_link(address, form, chip.filters[0].dimension) if form else None,
        )
        for chip in choosing.describe(address.filters, reader)
    ]
    answered = babel.dates.format_time(
        reader.clock.now, "medium", tzinfo=reader.clock.zone, locale=reader.locale
    )
    # Not every font has the narrow space that some locales write before AM and PM.
    answered = answered.replace("\N{NARROW NO-BREAK SPACE}", "\N{NO-BREAK SPACE}")
    add = _links(address, form, dimensions) if form else ()
    return views.FilterBar(tuple(chips), address.clear, answered, add)


def _links(
    address: Address, form: str, dimensions: cabc.Iterable[BoundDimension]
) -> tuple[views.Link, ...]:
    """Where each of these dimensions gets a filter that does not have one yet."""
    filtered = [each.dimension for each in address.filters]
    shown: list[BoundDimension] = []
    for each in dimensions:
        if not any(same(each, other) for other in (*shown, *filtered)):
            shown.append(each)
    labels = [each.label for each in shown]

    def called(each: BoundDimension) -> str:
        if labels.count(each.label) == 1:
            return each.label
        return say("{dimension} of {model}", dimension=each.label, model=each.model_name)

    return tuple(views.Link(_link(address, form, each), called(each)) for each in shown)


def _link(address: Address, form: str, dimension: BoundDimension) -> str:
    """The form of a filter on one dimension, filled in as an address has it."""
    own = (*address.own, ("dimension", f"{dimension.model_name}.{dimension.name}"))
    return dataclasses.replace(address, path=form, own=own).url()
