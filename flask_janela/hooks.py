"""What a host registers on its :class:`~flask_janela.Janela`, each at most once."""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import typing as t

from .vocabulary import VocabularyType

Action = t.Literal["view", "arrange", "snapshot", "export", "roster"]
"""What a permission hook is asked about."""

Answer = cabc.Callable[..., t.Any]


@dataclasses.dataclass(slots=True)
class Hooks:
    """The host's functions; None where it registered none.

    Attributes:
        scope: ``f(model, caller)`` answers a select of the rows the caller may read.
        permission: ``f(caller, action, subject)`` answers whether the caller may.
        owner: ``f(caller)`` answers (type, id) or None, the owner of what the caller creates.
        current_caller: ``f()`` answers the caller of the current request.
        caller_loader: ``f(identity)`` answers the caller of that identity, or None.
        timezone: ``f(caller)`` answers an IANA name, the zone that caller reads in, or None.
        locale: ``f(caller)`` answers a locale's name, or None.
        described: vocabularies of models that somebody else owns.
    """

    scope: Answer | None = None
    permission: Answer | None = None
    owner: Answer | None = None
    current_caller: Answer | None = None
    caller_loader: Answer | None = None
    timezone: Answer | None = None
    locale: Answer | None = None
    described: dict[type, VocabularyType] = dataclasses.field(default_factory=dict)
