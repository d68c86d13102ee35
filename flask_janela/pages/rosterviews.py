"""What the roster's templates receive: every figure as text, every address worked out."""

from __future__ import annotations

import dataclasses

from .figures import Link, Table
from .rostercharts import Spark
from .views import Note, Pane


@dataclasses.dataclass(frozen=True, slots=True)
class Tile:
    """One number of the strip at the top, with a line that qualifies it."""

    label: str
    value: str
    unit: str
    note: str


@dataclasses.dataclass(frozen=True, slots=True)
class Badge:
    """A word in a frame; ``look`` is a modifier of its class, ``icon`` stands before the word."""

    word: str
    look: str
    icon: str


@dataclasses.dataclass(frozen=True, slots=True)
class Since:
    """How recording goes: a ``light`` (well, off or ill), since when, and what else to say."""

    light: str
    words: str
    notes: tuple[Note, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Choice:
    """Agents to choose from, as links; the one chosen is ``word``."""

    word: str
    links: tuple[Link, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Head:
    """A column's head, which sorts by it."""

    text: str
    href: str
    sorted: str
    number: bool


@dataclasses.dataclass(frozen=True, slots=True)
class LastError:
    """The newest failure: when, and what it said."""

    when: str
    at: str
    said: str


@dataclasses.dataclass(frozen=True, slots=True)
class Row:
    """One tool; ``look`` is never, retired, unknown or "".

    ``forged`` says of how many calls the arguments claimed to be somebody, else "".
    """

    name: str
    href: str
    badge: Badge | None
    about: str
    look: str
    calls: str
    errors: str
    rate: str
    rate_bad: bool
    refused: str
    invalid: str
    average: str
    p95: str
    p95_why: str
    last: str
    last_at: str
    spark: Spark | None
    error: LastError | None
    no_error: str
    forged: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Group:
    """Tools that belong together."""

    key: str
    title: str
    about: str
    rows: tuple[Row, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Roster:
    """The page of all tools."""

    agents: Choice | None
    windows: tuple[Link, ...]
    csv: str
    json: str
    tiles: tuple[Tile, ...]
    since: Since
    trend: str
    heads: tuple[Head, ...]
    groups: tuple[Group, ...]
    caption: str


@dataclasses.dataclass(frozen=True, slots=True)
class Who:
    """One row of callers, agents, clients or errors; ``width`` is its part of the largest."""

    name: str
    known_as: str
    href: str
    calls: str
    width: float
    errors: str


@dataclasses.dataclass(frozen=True, slots=True)
class Whos:
    """A short table of who or what called."""

    id: str
    title: str
    heads: tuple[str, str]
    rows: tuple[Who, ...]
    none: str


@dataclasses.dataclass(frozen=True, slots=True)
class Single:
    """One call."""

    when: str
    at: str
    badge: Badge
    forged: bool
    caller: str
    known_as: str
    agent: str
    client: str
    took: str
    said: str
    correlation: str


@dataclasses.dataclass(frozen=True, slots=True)
class Tool:
    """The page of one tool."""

    name: str
    group: str
    badge: Badge | None
    about: str
    roster: str
    agents: Choice | None
    windows: tuple[Link, ...]
    tiles: tuple[Tile, ...]
    since: Since
    panes: tuple[Pane, ...]
    whos: tuple[Whos, ...]
    looked: str
    kinds: tuple[Link, ...]
    caller: Link | None
    singles: tuple[Single, ...]
    shown: str
    newest: str
    older: str
    tables: tuple[Table, ...] = ()
