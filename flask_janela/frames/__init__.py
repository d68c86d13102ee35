"""What analysts arrange: frames of panes, their validation and the changes made to them."""

from . import validation
from .arranging import add_pane
from .models import Base, Frame, Pane
from .validation import check_options

__all__ = ["Base", "Frame", "Pane", "add_pane", "check_options", "validation"]
