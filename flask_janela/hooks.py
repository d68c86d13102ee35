"""What a host registers on its :class:`~flask_janela.Janela`, each at most once."""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import typing as t

from .vocabulary import VocabularyType

Action = t.Literal["view", "arrange", "snapshot", "export", "roster"]
"""What a permission hook is asked about."""

Answer = cabc.Callable[..., t.Any]


@dataclasses.dataclass(frozen=True, slots=True)
class HostTool:
    """A function of the host's own as a tool: ``f(caller, …)``.

    Attributes:
        name, title, description: as given, else from the function.
        group: under which it stands in the list of tools.
        read_only: whether it changes nothing; one that does is only there with ``write=True``.
        destructive: whether what it changes cannot be had back.
        idempotent: whether doing it twice comes to the same as doing it once.
        input_schema: what is told of its arguments instead of what the annotations say.
    """

    function: Answer
    name: str
    title: str
    description: str
    group: str
    read_only: bool
    destructive: bool
    idempotent: bool
    input_schema: cabc.Mapping[str, t.Any] | None = None


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
        denied: the host's exceptions that mean "refused".
        before_tool: names of tools (none: of all) and ``f(caller, tool, arguments)``, which is
            called before those and refuses by raising.
        tools: the host's own tools.
    """

    scope: Answer | None = None
    permission: Answer | None = None
    owner: Answer | None = None
    current_caller: Answer | None = None
    caller_loader: Answer | None = None
    timezone: Answer | None = None
    locale: Answer | None = None
    described: dict[type, VocabularyType] = dataclasses.field(default_factory=dict)
    denied: tuple[type[Exception], ...] = ()
    before_tool: list[tuple[frozenset[str], Answer]] = dataclasses.field(default_factory=list)
    tools: list[HostTool] = dataclasses.field(default_factory=list)
