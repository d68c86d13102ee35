"""Frames and panes as agents are told of them: what is set, as far as it exists for the caller."""

from __future__ import annotations

from ..frames import Frame, Pane, showing
from ..query.question import PaneOptions
from .tool import Acting, Answer

_CUT = 200
"""How much of a pane's words is told in a list of panes."""

_NAMES = ("model", "measure", "dimension", "over", "companions", "filters")
_ASKED = tuple(name for name in PaneOptions.model_fields if name not in {"title", "span", "height"})
"""What is not told of a pane that asks for what is not there for the caller."""


def frame_dict(frame: Frame) -> Answer:
    """A frame as it is listed."""
    return {
        "id": frame.id,
        "name": frame.name,
        **({"description": frame.description} if frame.description else {}),
        **({"owner": f"{frame.owner_type}:{frame.owner_id}"} if frame.owner_type else {}),
        "version": frame.version,
    }


def pane_dict(acting: Acting, pane: Pane, *, cut: bool = False) -> Answer:
    """A pane as it is set: its place, and every option that is not as it would be anyway.

    Of what does not exist for the caller's agents neither names nor values are told.
    """
    set_: Answer = {"id": pane.id, "position": pane.position, "kind": pane.kind}
    told = showing.shown(pane, acting.agents)
    if not told.whole and pane.kind == "query":
        set_["not_shown"] = showing.FILTER if told.names else showing.PANE
    left = () if told.names else _ASKED if pane.kind == "query" else _NAMES
    for name, field in PaneOptions.model_fields.items():
        value = told.filters if name == "filters" else getattr(pane, name)
        if (
            name != "kind"
            and name not in left
            and value != field.get_default(call_default_factory=True)
        ):
            set_[name] = value
    if cut and len(set_.get("body", "")) > _CUT:
        set_["body"] = f"{set_['body'][:_CUT]}… (read_pane has all of it)"
    return set_
