"""``Walked``: what a proof has been through."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True, slots=True)
class Walked:
    """Which routes and tools answered while something was proved, by their names.

    One that is missing was closed to both callers, or there was nothing of the kind to open.
    """

    routes: frozenset[str]
    tools: frozenset[str]
