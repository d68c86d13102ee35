"""What a model wrote, read strictly: JSON and nothing else, before anything is run by it."""

from __future__ import annotations

import collections.abc as cabc
import json
import math
import typing as t

from ..errors import BadRequest, quoted

MOST_DEPTH = 32
"""So many lists and objects stand in one another at most."""

_MOST_BITS = 4096


class Repeated(dict[str, t.Any]):
    """An object in which a name stands more than once: all its ``pairs``, none of them dropped."""

    def __init__(self, pairs: list[tuple[str, t.Any]]) -> None:
        super().__init__(pairs)
        self.pairs = pairs


def from_text(text: str) -> t.Any:
    """A JSON text, an object with a repeated name as :class:`Repeated`.

    Raises:
        ValueError: when it is none, or nested too deep to be read.
    """
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_no_number)
    except RecursionError:
        raise ValueError("nested too deep") from None


def plain(given: t.Any, where: str = "", *, depth: int = 0, collects: str = "") -> t.Any:
    """A copy of what was written, out of texts, finite numbers, lists and objects alone.

    Args:
        where: what it is called when it is refused.
        collects: the one name at the root whose object may repeat names, as lists of all values.

    Raises:
        BadRequest: for what JSON cannot say, and for what would be read in more than one way.
    """
    if depth > MOST_DEPTH:
        raise BadRequest(f"{where} is nested too deep; use at most {MOST_DEPTH} lists and objects")
    if isinstance(given, str):
        return _text(given, where)
    if isinstance(given, cabc.Mapping):
        return _plain_object(given, where, depth, collects)
    if isinstance(given, list | tuple):
        called = _short(f"each of {where}")
        return [plain(each, called, depth=depth + 1) for each in given]
    if isinstance(given, int) and given.bit_length() > _MOST_BITS:
        raise BadRequest(f"{where} is a number too long to be read")
    if isinstance(given, float) and not math.isfinite(given):
        raise BadRequest(f"{where} is {quoted(given)}, which JSON cannot say; give a finite number")
    if given is not None and not isinstance(given, bool | int | float):
        raise BadRequest(f"{where} is a {type(given).__name__}, which JSON cannot say")
    return given


def collected(given: Repeated) -> dict[str, t.Any]:
    """An object with a list of all values under each name."""
    found: dict[str, t.Any] = {}
    for key, value in given.pairs:
        found.setdefault(key, []).extend(value if isinstance(value, list) else [value])
    return found


def _plain_object(
    given: cabc.Mapping[t.Any, t.Any], where: str, depth: int, collects: str
) -> dict[str, t.Any]:
    if isinstance(given, Repeated):
        names = [key for key, _ in given.pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise BadRequest(f"{quoted(twice)} is given more than once{_in(where)}; give it once")
    found: dict[str, t.Any] = {}
    for key, value in given.items():
        if not isinstance(key, str):
            raise BadRequest(f"{quoted(key)} is no name{_in(where)}; names are texts")
        name = _text(key, "a name")
        called = f"{where}.{name}" if where else name
        if isinstance(value, Repeated) and collects and called == collects:
            value = collected(value)
        found[name] = plain(value, _short(called), depth=depth + 1)
    return found


def _text(given: str, where: str) -> str:
    try:
        given.encode()
    except UnicodeEncodeError:
        raise BadRequest(
            f"{where} is {quoted(given)}, with half of a character (a lone surrogate); write "
            "whole characters"
        ) from None
    return given


def _in(where: str) -> str:
    return f" in {where}" if where else ""


def _short(called: str) -> str:
    return quoted(called)[1:-1]


def _object(pairs: list[tuple[str, t.Any]]) -> dict[str, t.Any]:
    found = dict(pairs)
    return found if len(found) == len(pairs) else Repeated(pairs)


def _no_number(name: str) -> t.NoReturn:
    raise ValueError(name)
