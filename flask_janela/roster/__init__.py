"""For whoever runs the host: every call of a tool recorded, and what the calls came to.

The roster keeps what :mod:`flask_janela.calls` describes and knows no tool itself.
"""

from ..calls import DeclaredTool
from .detail import Detail, detail
from .folding import Folded, fold
from .health import Health
from .histogram import Histogram
from .models import ToolCall, ToolMark, ToolUsage
from .periods import DEFAULT_WINDOW, WINDOWS, Window
from .recorder import Recorder, tool_called
from .report import DEFAULT_SORT, SORTS, Roster, roster, sort_named
from .retention import Pruned, forget, prune
from .traffic import add_traffic, generated

__all__ = [
    "DEFAULT_SORT",
    "DEFAULT_WINDOW",
    "SORTS",
    "WINDOWS",
    "DeclaredTool",
    "Detail",
    "Folded",
    "Health",
    "Histogram",
    "Pruned",
    "Recorder",
    "Roster",
    "ToolCall",
    "ToolMark",
    "ToolUsage",
    "Window",
    "add_traffic",
    "detail",
    "fold",
    "forget",
    "generated",
    "prune",
    "roster",
    "sort_named",
    "tool_called",
]
