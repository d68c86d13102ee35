"""How recording goes, for the host's own checks."""

from __future__ import annotations

import dataclasses
import datetime as dt

from ..config import Recording


@dataclasses.dataclass(frozen=True, slots=True)
class Health:
    """How recording goes in this process, for the host's own checks.

    Attributes:
        mode: ``queue``, ``direct`` or ``off``.
        healthy: nothing is failing now and nothing was dropped by this process.
        written, queued, dropped: how many calls this process wrote, holds and lost.
        last_error: why writing failed last, in a sentence without values; None while it works.
        since: when recording began, in UTC; None when that is not known.
    """

    mode: Recording
    healthy: bool
    written: int
    queued: int
    dropped: int
    last_error: str | None
    since: dt.datetime | None
