"""``class Janela(Vocabulary)``: the declarations of one model, before they meet its mapper."""

from __future__ import annotations

import re
import typing as t

from ..errors import DeclarationError, quoted
from .dimensions import OPERATORS, Dimension, Records, TimeDimension
from .measures import Measure

Declaration = Measure | Dimension | TimeDimension | Records

_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")


class _Body(dict[str, t.Any]):
    """A class body that refuses to let a second declaration silently replace the first."""

    def __setitem__(self, name: str, value: t.Any) -> None:
        if isinstance(value, Declaration) and isinstance(self.get(name), Declaration):
            raise DeclarationError(
                f"{self.get('__qualname__', 'A vocabulary')} declares {quoted(name)} twice: "
                "measures and dimensions share one set of names, so give one of them another."
            )
        super().__setitem__(name, value)


class VocabularyType(type):
    """Collects the declarations of a vocabulary in the order they were written."""

    declarations: dict[str, Declaration]
    public_name: str | None

    @classmethod
    def __prepare__(
        mcs, name: str, bases: tuple[type, ...], /, **options: t.Any
    ) -> dict[str, t.Any]:
        return _Body()

    def __new__(
        mcs,
        class_name: str,
        bases: tuple[type, ...],
        body: dict[str, t.Any],
        *,
        name: str | None = None,
    ) -> VocabularyType:
        return super().__new__(mcs, class_name, bases, dict(body))

    def __init__(
        cls,
        class_name: str,
        bases: tuple[type, ...],
        body: dict[str, t.Any],
        *,
        name: str | None = None,
    ) -> None:
        super().__init__(class_name, bases, body)
        cls.public_name = name
        if name is not None:
            check_name(name, cls.__qualname__, "the public name")
        declarations: dict[str, Declaration] = {}
        for base in reversed(cls.__mro__[1:]):
            for member, value in vars(base).items():
                if isinstance(value, Declaration):
                    declarations[member] = value
                else:
                    declarations.pop(member, None)
        for member, value in body.items():
            if isinstance(value, Declaration):
                _check_member(member, value, cls.__qualname__)
                declarations[member] = value
            elif isinstance(value, type) and issubclass(value, Declaration):
                raise DeclarationError(
                    f"{cls.__qualname__}.{member} is {value.__name__} itself: "
                    f"call it, {member} = {value.__name__}(...)."
                )
            else:
                declarations.pop(member, None)
        cls.declarations = declarations


class Vocabulary(metaclass=VocabularyType):
    """The parent of a model's ``class Janela``: its attributes are measures and dimensions.

    An attribute's name is its public name. ``class Janela(Vocabulary, name="flights")`` chooses
    the model's public name; extend another with ``class Janela(Flight.Janela)``, where an
    attribute set to ``None`` takes an inherited declaration away.
    """


def check_name(name: str, owner: str, what: str) -> None:
    """Refuse a name that could not stand in a URL, a filter key and a tool schema alike."""
    if not _NAME.fullmatch(name):
        raise DeclarationError(
            f"{owner}: {what} is {quoted(name)}; use small letters, digits and underscores, "
            "a letter first, at most 40 characters."
        )


def _check_member(name: str, value: Declaration, owner: str) -> None:
    check_name(name, owner, "a declaration's name")
    if isinstance(value, Dimension | TimeDimension) and name in OPERATORS:
        raise DeclarationError(
            f"{owner}.{name}: {quoted(name)} is an operator of filters and cannot name a "
            "dimension; give it another name."
        )
