"""The tools that arrange a frame. They are only there where a host asks for them."""

from __future__ import annotations

import typing as t

import pydantic

from ..errors import BadRequest, listed, quoted
from ..frames import Frame, Pane, arranging, committed, reading, showing
from ..frames.validation import PLACE, check_options
from ..query.question import PaneOptions, read_options
from . import answers
from .arguments import Arguments, arguments
from .reads import frame_id, may, pane_id
from .schemas import schema_of
from .telling import pane_dict
from .tool import Acting, Answer, Declared, Tool

OPTIONS = tuple(PaneOptions.model_fields)

_CLEARED = [name for name in OPTIONS if name != "kind"]


def _version() -> t.Any:
    said = "the frame's version as you read it: refused when somebody has changed it since"
    return (int | None, pydantic.Field(None, ge=1, description=said))


_Add = arguments("AddPane", *OPTIONS, frame_id=frame_id(), version=_version())
_Update = arguments(
    "UpdatePane",
    *OPTIONS,
    pane_id=pane_id(),
    version=_version(),
    clear=(
        list[str],
        pydantic.Field(
            default_factory=list, description="names of attributes to set back to how they begin"
        ),
    ),
)
_Remove = arguments("RemovePane", pane_id=pane_id(), version=_version())
_Move = arguments(
    "MovePane",
    pane_id=pane_id(),
    position=(int, pydantic.Field(ge=1, description="its new place, from 1")),
    version=_version(),
)


def _add_pane(acting: Acting, given: t.Any) -> Answer:
    def add() -> Answer:
        frame = _frame(acting, given.frame_id)
        options = _checked(acting, _set(given))
        pane = arranging.add_pane(frame, by=acting.by, version=given.version, **options)
        return _changed(acting, frame, pane)

    return committed(add)


def _update_pane(acting: Acting, given: t.Any) -> Answer:
    unknown = [name for name in given.clear if name not in _CLEARED]
    if unknown:
        raise BadRequest(f"{quoted(unknown[0])} cannot be cleared; there is {listed(_CLEARED)}")
    both = [name for name in given.clear if name in given.model_fields_set]
    if both:
        raise BadRequest(f"{both[0]} is both given and cleared; do one of them")
    cleared = {
        name: PaneOptions.model_fields[name].get_default(call_default_factory=True)
        for name in given.clear
    }

    def update() -> Answer:
        frame, pane = _found(acting, given.pane_id)
        now = {name: getattr(pane, name) for name in OPTIONS}
        changed = _set(given) | cleared
        whole = showing.shown(pane, acting.agents).whole
        if not whole and changed.keys() - PLACE:
            raise BadRequest(showing.UNCHANGEABLE)
        if whole or pane.kind != "query":
            _checked(acting, now | changed)
        updated = arranging.update_pane(
            frame, pane.id, by=acting.by, version=given.version, **changed
        )
        return _changed(acting, frame, updated)

    return committed(update)


def _remove_pane(acting: Acting, given: t.Any) -> Answer:
    def remove() -> Answer:
        frame, pane = _found(acting, given.pane_id)
        arranging.remove_pane(frame, pane.id, by=acting.by, version=given.version)
        return _changed(acting, frame)

    return committed(remove)


def _move_pane(acting: Acting, given: t.Any) -> Answer:
    def move() -> Answer:
        frame, pane = _found(acting, given.pane_id)
        moved = arranging.move_pane(
            frame, pane.id, given.position, by=acting.by, version=given.version
        )
        return _changed(acting, frame, moved)

    return committed(move)


def _frame(acting: Acting, frame_id: int) -> Frame:
    frame = reading.find_frame(acting.reader, frame_id)
    may(acting, "arrange", frame)
    return frame


def _found(acting: Acting, pane_id: int) -> tuple[Frame, Pane]:
    frame, pane = reading.find_pane(acting.reader, pane_id)
    may(acting, "arrange", frame)
    return frame, pane


def _set(given: Arguments) -> dict[str, t.Any]:
    """The options that a call names."""
    return {name: getattr(given, name) for name in OPTIONS if name in given.model_fields_set}


def _checked(acting: Acting, options: dict[str, t.Any]) -> dict[str, t.Any]:
    """Options that exist for this caller and for agents, else the row's own words."""
    check_options(read_options(options), acting.agents.catalogue, acting.caller)
    return options


def _changed(acting: Acting, frame: Frame, pane: Pane | None = None) -> Answer:
    told: Answer = {
        "frame": {"id": frame.id, "name": frame.name, "version": frame.version},
        "panes": len(frame.panes),
    }
    if pane is not None:
        told = {"pane": pane_dict(acting, pane), **told}
    return answers.within(told, acting.most_bytes)


_SCHEMA: dict[str, t.Any] = {
    "type": "object",
    "properties": {
        "pane": {"type": "object"},
        "frame": {"type": "object"},
        "panes": {"type": "integer"},
    },
    "required": ["frame", "panes"],
}

WRITES = (
    Declared(
        Tool(
            name="add_pane",
            title="Add a pane",
            description="Put a pane behind the last one of a frame: a query (model and measure), "
            'words (kind "text" with heading or body), or a partial of the host\'s.',
            input_schema=schema_of(_Add),
            output_schema=_SCHEMA,
            read_only=False,
            idempotent=False,
        ),
        _Add,
        _add_pane,
    ),
    Declared(
        Tool(
            name="update_pane",
            title="Change a pane",
            description="Set some attributes of a pane, as add_pane describes them; the others "
            "stay as they are.",
            input_schema=schema_of(_Update, brief=OPTIONS),
            output_schema=_SCHEMA,
            read_only=False,
        ),
        _Update,
        _update_pane,
    ),
    Declared(
        Tool(
            name="remove_pane",
            title="Remove a pane",
            description="Take a pane out of its frame. People can bring it back on the page.",
            input_schema=schema_of(_Remove),
            output_schema=_SCHEMA,
            read_only=False,
            destructive=True,
            idempotent=False,
        ),
        _Remove,
        _remove_pane,
    ),
    Declared(
        Tool(
            name="move_pane",
            title="Move a pane",
            description="Put a pane at another place of its frame.",
            input_schema=schema_of(_Move),
            output_schema=_SCHEMA,
            read_only=False,
        ),
        _Move,
        _move_pane,
    ),
)
"""The tools that change a frame."""
