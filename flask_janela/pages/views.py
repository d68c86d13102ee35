"""What templates receive: everything worked out, nothing left to decide but markup.

Texts here are plain; templates escape them. An ``href`` of None means "not a link".
"""

from __future__ import annotations

import dataclasses
import datetime as dt

from .figures import Figure, Table
from .figures import Gone as Gone
from .figures import Link as Link


@dataclasses.dataclass(frozen=True, slots=True)
class Person:
    """Who is signed in, for the lintel."""

    name: str
    initials: str


@dataclasses.dataclass(frozen=True, slots=True)
class Choice:
    """Several ways to show the same question, as links side by side."""

    label: str
    links: tuple[Link, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Note:
    """One thing that a pane's sill says; ``warn`` for what a reader could be misled by."""

    words: str
    warn: bool = False
    href: str | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Chip:
    """One dimension's filter in words. Without ``remove`` it is ``by`` somebody else.

    ``edit`` is the form that it was, or could have been, typed into.
    """

    label: str
    words: str
    when: str
    remove: str | None
    by: str = ""
    edit: str | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class FilterBar:
    """All filters of a page, when it was answered, and the forms that add a filter."""

    chips: tuple[Chip, ...]
    clear: str | None
    answered: str
    add: tuple[Link, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class Live:
    """What a page that one click brings anew needs to know of itself.

    Attributes:
        address: its own, written the one way.
        several: the switch to choosing several values, as a link; None where there is none.
        said: what changed, for the live region.
        kiosk: whether it hangs on a wall, without anything to operate.
        refresh: seconds after which it asks again by itself.
    """

    address: str
    several: Link | None
    said: str
    kiosk: bool = False
    refresh: int | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Pane:
    """One pane: head, light and sill.

    Attributes:
        id: unique on the page.
        figure: what is in its light; its ``partial`` names the template that draws it.
        title: its heading; without one, ``label`` names it to those who do not see it.
        table: the same answer as a table, behind "Show as table".
        notes, show_all: its sill, drawn only when there is something to say.
        more: what else can be done with it, behind the three dots.
        whole: as high as what it shows, rather than scrolling inside a row of a grid.
    """

    id: str
    title: str
    figure: Figure
    span: int = 12
    height: int = 1
    prominence: int = 1
    table: Table | None = None
    notes: tuple[Note, ...] = ()
    show_all: str | None = None
    label: str = ""
    whole: bool = False
    more: tuple[Link, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class Toast:
    """What was just done, and where the form that undoes it leads, if it can be undone."""

    words: str
    undo: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Star:
    """A caller's star on a frame: whether it is set, and the form that changes that.

    ``back`` is where the form leads afterwards, ``key`` the frame's id.
    """

    key: int
    name: str
    on: bool
    action: str
    back: str


@dataclasses.dataclass(frozen=True, slots=True)
class Frame:
    """A frame's page; ``arrange`` is where its reader can arrange it, "" if they may not."""

    name: str
    description: str
    columns: int
    gap: int
    filters: FilterBar
    panes: tuple[Pane, ...]
    live: Live
    star: Star | None = None
    arrange: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class EmbeddedFrame:
    """A frame in a page of the host's; ``href`` is the frame's own page."""

    name: str
    href: str
    columns: int
    gap: int
    panes: tuple[Pane, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Alone:
    """The page of one pane of a frame."""

    frame: Link
    title: str
    filters: FilterBar
    pane: Pane


@dataclasses.dataclass(frozen=True, slots=True)
class Rows:
    """A page of single rows.

    Attributes:
        sentence: how many there are in all, and of what.
        crumbs: where they were asked from.
        not_applied: filters that cannot reach their model.
        shown: which of them these are, "26 to 50 of 48,110".
        first, previous, next: other pages of them, where there are some.
        file: all of them as a file; "" for those who may not have it.
    """

    title: str
    sentence: str
    crumbs: tuple[Link, ...]
    filters: FilterBar
    not_applied: tuple[str, ...]
    table: Table
    shown: str
    first: str | None
    previous: str | None
    next: str | None
    file: str


@dataclasses.dataclass(frozen=True, slots=True)
class Ask:
    """The page of one question.

    Attributes:
        sentence: the whole question in words, after its title.
        about: what the measure's own description says.
        choices: other granularities and renderers of it.
        table: its answer as a table, below the chart.
        rows: the page of the single rows behind it; "" where they are not shown.
        add: the frames it can be added to, for who may arrange.
        export: its rows as a file, "" for who may not take them away.
    """

    title: str
    sentence: str
    about: str
    model: str
    filters: FilterBar
    choices: tuple[Choice, ...]
    pane: Pane
    table: Table | None
    live: Live
    rows: str = ""
    add: AddTo | None = None
    export: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class AddTo:
    """The frames, as (id, name), that a question can be added to by a form.

    Attributes:
        action: where the form is sent: the question's own address.
        new: where a frame is made, for who has none yet.
    """

    action: str
    frames: tuple[tuple[int, str], ...]
    new: str


@dataclasses.dataclass(frozen=True, slots=True)
class Offer:
    """One thing to choose, and what it is."""

    link: Link
    about: str


@dataclasses.dataclass(frozen=True, slots=True)
class Facet:
    """One part of a question, and all that it may be."""

    word: str
    offers: tuple[Offer, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Explore:
    """The page on which a question is built.

    Attributes:
        facets: what is chosen among, in the order in which the question is read; none where
            nothing is declared for the caller.
        pane: the answer so far.
        ask: the page of the question itself.
    """

    facets: tuple[Facet, ...]
    title: str
    about: str
    pane: Pane | None
    ask: str


@dataclasses.dataclass(frozen=True, slots=True)
class Tile:
    """A pane in a thumbnail."""

    x: float
    y: float
    width: float
    height: float
    lit: bool


@dataclasses.dataclass(frozen=True, slots=True)
class Card:
    """One frame in the index; without ``arrange`` its reader may only look at it."""

    href: str
    name: str
    description: str
    tiles: tuple[Tile, ...]
    panes: int
    changed: str
    changed_at: dt.datetime
    changed_full: str
    changed_by: str
    star: Star | None = None
    arrange: str = ""
    duplicate: str = ""
    delete: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Group:
    """Frames under a heading: favourites, then all others. Without any there is no heading."""

    heading: str
    cards: tuple[Card, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Index:
    """The frames a caller may see.

    Attributes:
        said: how many, in words.
        search, sort: as the form was sent.
        declared: with no frame at all, what could be asked, in words.
        ways: with no frame at all, questions to start from.
        groups: the caller's favourites and the others, those that have any.
        new: where a frame can be made, "" for those who may not.
        toast: what was just done and can be undone.
    """

    said: str
    search: str
    sort: str
    sorts: tuple[tuple[str, str], ...]
    declared: str
    ways: tuple[Link, ...]
    groups: tuple[Group, ...] = ()
    new: str = ""
    toast: Toast | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Problem:
    """An error page: the status in words and, for people who are signed in, the reason."""

    status: int
    title: str
    sentence: str
    reason: str
