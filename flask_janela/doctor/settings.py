"""Whether what stands in the configuration is read at all."""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import difflib

from ..config import Config
from ..errors import quoted
from .case import Case
from .finding import Finding

SETTINGS = tuple(f"JANELA_{field.name.upper()}" for field in dataclasses.fields(Config))


def unknown_setting(case: Case) -> cabc.Iterator[Finding]:
    """Keys that begin as Janela's do and that it never reads, such as misspelt ones."""
    for key in case.app.config:
        if isinstance(key, str) and key.startswith("JANELA_") and key not in SETTINGS:
            near = difflib.get_close_matches(key, SETTINGS, n=1, cutoff=0.8)
            meant = f"Did you mean {near[0]}?" if near else "Take it out, or give it another name."
            yield Finding(
                "unknown-setting",
                "warning",
                f"The configuration has {quoted(key)}, which Janela does not read.",
                meant,
            )
