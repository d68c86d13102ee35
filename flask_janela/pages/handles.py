"""The handles of a pane that is being arranged: what its buttons send, and what they are called."""

from __future__ import annotations

import dataclasses

import flask

from ..frames import Frame, Pane, showing
from ..query.reader import Reader
from ..words import say
from . import views, words
from .thumbnails import height_of

_FEW = 4
"""So many panes are moved by a few presses; with more, a place can be typed."""

_STEPS = {
    "earlier": say("Earlier"),
    "later": say("Later"),
    "narrower": say("Narrower"),
    "wider": say("Wider"),
    "shorter": say("Shorter"),
    "taller": say("Taller"),
}

SIZES = {"span": ("narrower", "wider"), "height": ("shorter", "taller")}


@dataclasses.dataclass(frozen=True, slots=True)
class Step:
    """One button under a pane: what it sends, and where."""

    name: str
    label: str
    href: str
    field: str
    value: str
    disabled: bool


@dataclasses.dataclass(frozen=True, slots=True)
class Stepper:
    """Two buttons with what they change between them: "2 of 8".

    With ``most`` the number is a field, which goes up to that.
    """

    label: str
    number: int
    word: str
    less: Step
    more: Step
    most: int = 0


@dataclasses.dataclass(frozen=True, slots=True)
class Arranged:
    """One pane with its handles.

    Attributes:
        key: the pane's id, for the ids of its controls.
        name: what its buttons call it.
        edit, duplicate: "" where it is not done.
    """

    key: int
    name: str
    pane: views.Pane
    move: str
    edit: str
    duplicate: str
    remove: str
    steppers: tuple[Stepper, ...]


def name_of(pane: Pane, reader: Reader) -> str:
    """What a pane is called where it is spoken of, by names that exist for a reader."""
    named = showing.shown(pane, reader).names
    measure, dimension = (pane.measure, pane.dimension) if named else (None, None)
    return words.title_of_row(pane.title, pane.heading, measure, dimension)


def arranged(reader: Reader, found: Frame, pane: Pane, drawn: views.Pane, count: int) -> Arranged:
    """A pane of a frame of ``count`` as it is drawn, with its handles."""
    whole = showing.shown(pane, reader).whole

    def to(endpoint: str) -> str:
        return flask.url_for(f"janela.{endpoint}", frame_id=found.id, pane_id=pane.id)

    span = min(max(pane.span, 1), found.columns)
    height = min(max(height_of(pane), 1), 5)
    move, resize = to("move_pane"), to("resize_pane")

    def stepper(
        label: str, number: int, word: str, least: int, most: int, href: str, field: str
    ) -> Stepper:
        less, more = SIZES.get(field, ("earlier", "later"))
        down, up = (less, more) if field == "to" else (str(number - 1), str(number + 1))
        typed = most if field == "to" and most > _FEW else 0
        return Stepper(
            label,
            number,
            word,
            Step(less, _STEPS[less], href, field, down, number <= least),
            Step(more, _STEPS[more], href, field, up, number >= most),
            typed,
        )

    return Arranged(
        key=pane.id,
        name=drawn.title or name_of(pane, reader),
        pane=drawn,
        move=move,
        edit=to("edit_pane"),
        duplicate=to("duplicate_pane") if whole else "",
        remove=to("remove_pane"),
        steppers=(
            stepper(
                say("Position"), pane.position, say("of {count}", count=count), 1, count, move, "to"
            ),
            stepper(say("Width in columns"), span, say("wide"), 1, found.columns, resize, "span"),
            stepper(say("Height in rows"), height, say("high"), 1, 5, resize, "height"),
        ),
    )
