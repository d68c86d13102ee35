"""What analysts arrange: frames of panes, their validation and the changes made to them.

The tables are there at once. What changes them is imported when it is first used: it brings the
option spec, which an application that only starts does not need.
"""

import importlib
import typing as t

from .models import Base, Favourite, Frame, Pane

if t.TYPE_CHECKING:
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
else:

    def __getattr__(name: str) -> t.Any:
        if name in __all__:
            for module in ("arranging", "framing", "holding"):
                changes = importlib.import_module(f".{module}", __name__)
                if hasattr(changes, name):
                    return getattr(changes, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "MOST_PANES",
    "Base",
    "Favourite",
    "Frame",
    "Pane",
    "add_pane",
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
]
