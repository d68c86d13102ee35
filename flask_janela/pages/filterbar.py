"""The bar of chips: every filter in words, each of the reader's with a link that removes it."""

from __future__ import annotations

import collections.abc as cabc

import babel.dates

from ..query import Filter, Reader, choosing
from . import views
from .addresses import Address


def bar(
    address: Address,
    reader: Reader,
    fixed: cabc.Iterable[Filter] = (),
    *,
    by: str = "",
) -> views.FilterBar:
    """The bar of a page.

    Args:
        fixed: filters that the reader cannot remove, set ``by`` something.
    """
    chips = [
        views.Chip(chip.dimension_label, chip.words, chip.when, None, by)
        for chip in choosing.describe(fixed, reader)
    ]
    chips += [
        views.Chip(
            chip.dimension_label,
            chip.words,
            chip.when,
            address.url(choosing.without(address.filters, chip.filters)),
        )
        for chip in choosing.describe(address.filters, reader)
    ]
    answered = babel.dates.format_time(
        reader.clock.now, "medium", tzinfo=reader.clock.zone, locale=reader.locale
    )
    # Not every font has the narrow space that some locales write before AM and PM.
    answered = answered.replace("\N{NARROW NO-BREAK SPACE}", "\N{NO-BREAK SPACE}")
    return views.FilterBar(tuple(chips), address.clear, answered)
