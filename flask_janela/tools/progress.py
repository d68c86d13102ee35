"""How far a long tool has come, told to whoever waits for it."""

from __future__ import annotations

import collections.abc as cabc
import contextvars
import typing as t

Told = cabc.Callable[[float, float | None, str | None], t.Any]

telling: contextvars.ContextVar[Told | None] = contextvars.ContextVar("telling", default=None)
"""What tells it, set by an adapter around a call; None where nobody is told."""


def report_progress(done: float, total: float | None = None, message: str | None = None) -> None:
    """Tell whoever waits for this tool how far it has come; nothing where nobody listens.

    Args:
        done: how much is done, growing with every report.
        total: how much there is to do, if that is known.
        message: what is being done, in words.
    """
    tell = telling.get()
    if tell is not None:
        tell(done, total, message)
