"""``Finding``: one thing that the doctor saw, and how it is mended."""

from __future__ import annotations

import dataclasses
import typing as t

Level = t.Literal["error", "warning", "note"]
"""What does not work; what works and will surprise somebody; what is well and good to know."""

LEVELS: tuple[Level, ...] = t.get_args(Level)


@dataclasses.dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was seen.

    Attributes:
        name: the check's, by which it can be silenced.
        what: what was seen, in sentences.
        fix: what to do: a command or statement as it can be typed, or a sentence.
    """

    name: str
    level: Level
    what: str
    fix: str
