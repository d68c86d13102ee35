"""What tests of tools share: the calls that were recorded, arguments that fit every tool."""

from __future__ import annotations

import collections.abc as cabc
import contextlib
import types
import typing as t

from hosts import Host

from flask_janela.calls import Call


@contextlib.contextmanager
def recorded(made: Host) -> cabc.Iterator[list[Call]]:
    """Every call that is recorded meanwhile, in order."""
    state = made.app.extensions["janela"]
    calls: list[Call] = []
    before = state.recorder
    state.recorder = types.SimpleNamespace(record=calls.append)
    try:
        yield calls
    finally:
        state.recorder = before


def fitting(frame_id: int, pane_id: int) -> dict[str, dict[str, t.Any]]:
    """Arguments for every tool of the desk's, that do something where somebody may."""
    return {
        "describe_vocabulary": {},
        "list_frames": {},
        "get_frame": {"frame_id": frame_id},
        "read_pane": {"pane_id": pane_id},
        "read_measure": {"model": "orders", "measure": "revenue", "dimension": "region"},
        "find_orders": {},
        "count_orders": {},
        "get_order": {"key": "1"},
        "add_pane": {"frame_id": frame_id, "model": "orders", "measure": "orders"},
        "update_pane": {"pane_id": pane_id, "title": "Mine"},
        "move_pane": {"pane_id": pane_id, "position": 1},
        "remove_pane": {"pane_id": pane_id},
    }
