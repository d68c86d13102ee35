"""What analysts arrange: frames of panes, their validation and the changes made to them."""

from . import validation
from .arranging import (
    MOST_PANES,
    add_pane,
    duplicate_pane,
    find_pane,
    move_pane,
    remove_pane,
    resize_pane,
    restore_pane,
    update_pane,
)
from .framing import (
    create_frame,
    delete_frame,
    duplicate_frame,
    restore_frame,
    set_favourite,
    update_frame,
)
from .holding import committed, hold
from .models import Base, Favourite, Frame, Pane
from .validation import check_options

__all__ = [
    "MOST_PANES",
    "Base",
    "Favourite",
    "Frame",
    "Pane",
    "add_pane",
    "check_options",
    "committed",
    "create_frame",
    "delete_frame",
    "duplicate_frame",
    "duplicate_pane",
    "find_pane",
    "hold",
    "move_pane",
    "remove_pane",
    "resize_pane",
    "restore_frame",
    "restore_pane",
    "set_favourite",
    "update_frame",
    "update_pane",
    "validation",
]
