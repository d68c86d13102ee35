"""Every tool of an application: Janela's own, those of its records, and the host's."""

from __future__ import annotations

import collections.abc as cabc
import weakref

from ..calls import DeclaredTool
from ..errors import DeclarationError, listed, quoted
from ..state import State
from ..vocabulary.faults import Faults
from .tool import Declared

_Built = tuple[tuple[int, int], dict[str, Declared]]

_built: weakref.WeakKeyDictionary[State, _Built] = weakref.WeakKeyDictionary()
"""The tools of each application, and how many registrations of the host's they were built from."""


def declared_tools(state: State) -> cabc.Collection[Declared]:
    """All tools, in the order they are listed."""
    return named(state).values()


def named(state: State) -> cabc.Mapping[str, Declared]:
    """All tools by name, built at the first use and after whatever a host registers later.

    Raises:
        DeclarationError: for what cannot be a tool, two of one name, and a hook before a tool that
            there is not.
    """
    registered = (len(state.hooks.tools), len(state.hooks.before_tool))
    found = _built.get(state)
    if found is None or found[0] != registered:
        found = _built[state] = (registered, _build(state))
    return found[1]


def for_the_roster(state: State) -> list[DeclaredTool]:
    """All tools as the roster lists them."""
    return [
        DeclaredTool(
            each.tool.name,
            each.tool.title,
            each.tool.description,
            each.tool.read_only,
            each.tool.group,
        )
        for each in declared_tools(state)
    ]


def _build(state: State) -> dict[str, Declared]:
    # Here, since their schemas take a while to make, and many a process never needs a tool.
    from . import host, records
    from .reads import READS
    from .writes import WRITES

    reserved = state.config.reserved_arguments
    rows = [tool for model in state.agents.models.values() for tool in records.tools_of(model)]
    every = [*READS, *rows, *WRITES]
    faults = Faults()
    for theirs in state.hooks.tools:
        with faults.gathered():
            every.append(host.declared(theirs, reserved))
    faults.raise_them()
    found: dict[str, Declared] = {}
    for each in every:
        with faults.gathered():
            _add(found, each)
    for names, hook in state.hooks.before_tool:
        for unknown in sorted(names - found.keys()):
            with faults.gathered():
                raise DeclarationError(
                    f"@janela.before_tool({quoted(unknown)}) on {hook.__qualname__}: there is no "
                    f"such tool; there is {listed(found)}."
                )
    faults.raise_them()
    return found


def _add(found: dict[str, Declared], each: Declared) -> None:
    if each.tool.name in found:
        raise DeclarationError(
            f"Two tools are called {quoted(each.tool.name)}. Name the host's own otherwise, "
            '@janela.tool(name="…"); one that reads the rows of a model is called after it.'
        )
    found[each.tool.name] = each
