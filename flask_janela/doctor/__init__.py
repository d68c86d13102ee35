"""``flask janela doctor``: does what Janela does in an application, and reports what it saw.

Nothing imports this but the command. Here stand the names that a host's own script would use.
"""

from .examining import Report, examine
from .finding import Finding

__all__ = ["Finding", "Report", "examine"]
