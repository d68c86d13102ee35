"""For whoever runs the host: every call of a tool recorded, and what the calls came to.

The roster keeps what :mod:`flask_janela.calls` describes and knows no tool itself. Here stand the
names that a host needs; the rest is imported from the module it lives in.
"""

from .models import ToolCall, ToolMark, ToolUsage
from .recorder import Recorder, tool_called

__all__ = ["Recorder", "ToolCall", "ToolMark", "ToolUsage", "tool_called"]
