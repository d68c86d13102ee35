"""Where the links of a drawing lead, and the members that carry them."""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import hashlib

from ..query.result import Result, Row
from ..vocabulary import keys
from . import charts


@dataclasses.dataclass(frozen=True, slots=True)
class Ways:
    """Where the links of a drawing lead.

    Attributes:
        toggle: the page with this row's member chosen alone, or cleared if it was.
        several: the page with this row's member added to those chosen, or taken away.
        clear: the page without any of the reader's filters; None when there are none.
        filters: how many filters that clears.
        show_all: the question without a limit.
        sort: for a table whose columns can be sorted, the page in the order of a column:
            its name, with a minus before it from the largest down.
        sorted: the column that this page puts its rows in the order of, in the same writing;
            "" for the order that they were asked in.
    """

    toggle: cabc.Callable[[Row], str | None]
    clear: str | None = None
    filters: int = 0
    show_all: str | None = None
    sort: cabc.Callable[[str], str | None] | None = None
    sorted: str = ""
    several: cabc.Callable[[Row], str | None] = lambda row: None


@dataclasses.dataclass(frozen=True, slots=True)
class Member:
    """One row and where its mark leads; "Other" is no member and leads nowhere."""

    row: Row
    light: charts.Light
    href: str | None
    muted: bool
    several: str | None
    tag: str


def members_of(result: Result, ways: Ways) -> tuple[Member, ...]:
    """The rows of an answer, each with its link."""
    return tuple(
        Member(
            row=row,
            light=light,
            href=None if row.is_other else ways.toggle(row),
            muted=row.is_other or row.key is None,
            several=None if row.is_other else ways.several(row),
            tag="" if row.is_other else tag_of(row.key),
        )
        for row, light in zip(result.rows, charts.lights(result), strict=True)
    )


def tag_of(key: keys.Key) -> str:
    """A short name of a member that may stand in an id, the same on every page it is on."""
    if key is None:
        return "none"
    return hashlib.blake2s(keys.write(key).encode(), digest_size=6).hexdigest()
