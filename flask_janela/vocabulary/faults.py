"""All that is wrong with a set of declarations, told at once rather than one at each start."""

from __future__ import annotations

import collections.abc as cabc
import contextlib

from ..errors import DeclarationError


class Faults:
    """Gathers what cannot work while the rest is looked at. ::

    faults = Faults()
    for name, declared in declarations.items():
        with faults.gathered():
            bind(name, declared)
    faults.raise_them()
    """

    def __init__(self) -> None:
        self._found: dict[str, DeclarationError] = {}

    @contextlib.contextmanager
    def gathered(self) -> cabc.Iterator[None]:
        """Keeps a fault for later; one that is met twice, by way of a ratio, is one."""
        try:
            yield
        except DeclarationError as error:
            for fault in error.faults:
                self._found.setdefault(fault, error)

    def raise_them(self) -> None:
        """Raise what was gathered, if anything was: one as it is, several under each other.

        Raises:
            DeclarationError: with every fault in its ``faults``.
        """
        match list(self._found.items()):
            case []:
                return
            case [(_, error)]:
                raise error
            case several:
                raise DeclarationError.of([fault for fault, _ in several])
