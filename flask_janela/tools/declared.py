"""Every tool of an application: Janela's own, those of its records, and the host's."""

from __future__ import annotations

import collections.abc as cabc
import weakref

from ..errors import DeclarationError, listed, quoted
from ..state import State
from .tool import Declared

_built: weakref.WeakKeyDictionary[State, dict[str, Declared]] = weakref.WeakKeyDictionary()


def declared_tools(state: State) -> cabc.Collection[Declared]:
    """All tools, in the order they are listed."""
    return named(state).values()


def named(state: State) -> cabc.Mapping[str, Declared]:
    """All tools by name, built at the first use.

    Raises:
        DeclarationError: for two of one name, or a hook before a tool that there is not.
    """
    found = _built.get(state)
    if found is None:
        found = _built[state] = _build(state)
    return found


def _build(state: State) -> dict[str, Declared]:
    # Here, since their schemas take a while to make, and many a process never needs a tool.
    from . import host, records
    from .reads import READS
    from .writes import WRITES

    reserved = state.config.reserved_arguments
    rows = [tool for model in state.agents.models.values() for tool in records.tools_of(model)]
    own = [*READS, *rows, *WRITES]
    every = [*own, *(host.declared(each, reserved) for each in state.hooks.tools)]
    found: dict[str, Declared] = {}
    for each in every:
        if each.tool.name in found:
            raise DeclarationError(
                f"Two tools are called {quoted(each.tool.name)}; name the host's own otherwise, "
                '@janela.tool(name="…").'
            )
        found[each.tool.name] = each
    for names, hook in state.hooks.before_tool:
        if unknown := sorted(names - found.keys()):
            raise DeclarationError(
                f"@janela.before_tool({quoted(unknown[0])}) on {hook.__qualname__}: there is no "
                f"such tool; there is {listed(found)}."
            )
    return found
