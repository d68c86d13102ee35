"""What a tool is: plain data that any library can register, and the work behind it."""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import typing as t

# Pydantic reads this one on every Python; that of typing only from 3.12 on.
from typing_extensions import TypedDict

from ..query.reader import Reader
from ..state import State

if t.TYPE_CHECKING:
    from .arguments import Arguments

Answer = dict[str, t.Any]
"""What a tool answers with: an object of JSON."""

Written = cabc.Mapping[str, t.Any] | str
"""Arguments as a model wrote them: an object, or the JSON text of one."""

Schema = dict[str, t.Any]
"""A JSON schema; its root is always an object."""


class Content(TypedDict):
    """What a host's tool returns that answers with texts, images or sounds rather than data.

    Each block is one as MCP writes it: ``{"type": "image", "data": …, "mimeType": "image/png"}``.
    """

    content: list[dict[str, t.Any]]


FRAMES = "frames"
"""The group of the tools for frames, panes and questions."""


@dataclasses.dataclass(frozen=True)
class Tool:
    """One tool as it is told to an agent.

    Attributes:
        name: ``[a-z0-9_]``, at most 40 characters.
        title: the name in words, for people.
        description: what it does and when to use it, for a model.
        input_schema: what its arguments may be.
        output_schema: what it answers with.
        group: ``frames``, the name of the model whose records it reads, or the host's own.
        read_only: whether it changes nothing.
        destructive: whether what it changes cannot be had back.
        idempotent: whether doing it twice comes to the same as doing it once.
        content: whether it answers with :class:`Content`.
    """

    name: str
    title: str
    description: str
    input_schema: Schema
    output_schema: Schema
    group: str = FRAMES
    read_only: bool = True
    destructive: bool = False
    idempotent: bool = True
    content: bool = False


@dataclasses.dataclass(frozen=True)
class Acting:
    """One call on somebody's behalf.

    Attributes:
        reader: reads what the caller may see, as their pages do.
        agents: the same without what is declared ``agents=False``.
        by: the caller's reference, for what a call changes.
        most_bytes: how long the answer may be.
        tool: the name of the tool that is called.
        given: its arguments, for a smaller call to be proposed.
    """

    state: State
    reader: Reader
    agents: Reader
    by: str | None
    most_bytes: int
    tool: str
    given: cabc.Mapping[str, t.Any]

    @property
    def caller(self) -> t.Any:
        return self.reader.caller


Work = cabc.Callable[[Acting, t.Any], Answer]


@dataclasses.dataclass(frozen=True)
class Declared:
    """A tool with the work behind it.

    Attributes:
        arguments: what its arguments are read into.
        work: what answers a call.
        visible: whether the tool exists for a caller.
    """

    tool: Tool
    arguments: type[Arguments]
    work: Work
    visible: cabc.Callable[[State, t.Any], bool] = lambda state, caller: True
