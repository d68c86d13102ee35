"""For agents: tools that see exactly what the person they act for may see.

Nothing here knows of an MCP library; the adapter for one is :mod:`flask_janela.tools.mcp`.
"""

from .progress import report_progress
from .tool import Content, Tool
from .toolset import Tools, definitions, tools_for, tools_for_ref

__all__ = [
    "Content",
    "Tool",
    "Tools",
    "definitions",
    "report_progress",
    "tools_for",
    "tools_for_ref",
]
