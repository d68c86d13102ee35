"""JSON schemas as every client takes them: one object without references, unions of types or nulls.

Hosts of models refuse, or silently leave out, a tool whose schema has a reference, a choice at its
root, or a list of types. What those would say is checked here in any case; only how it is told is
plainer.
"""

from __future__ import annotations

import collections.abc as cabc
import typing as t

import pydantic

from ..errors import DeclarationError
from .tool import Schema

_UNTOLD = frozenset({"title", "$defs", "$schema", "propertyNames", "discriminator", "prefixItems"})
_UNTOLD_OF_TEXTS = frozenset({"minLength", "maxLength", "pattern"})
"""They are checked, and said where they are not kept; told, they only cost room."""

_NULL = {"type": "null"}


def schema_of(arguments: type[pydantic.BaseModel], *, brief: cabc.Collection[str] = ()) -> Schema:
    """The schema of some arguments.

    There are no nulls: what is not needed is left out instead. Of a choice between null and
    something, the something is told.

    Args:
        brief: the arguments that another tool describes; nothing happens where they are absent.

    Raises:
        DeclarationError: for a type that contains itself, and for one that may be anything.
    """
    told = arguments.model_json_schema()
    plain = _Plain(told.get("$defs", {}), answers=False).of(told)
    for name in brief:
        for left in ("description", "default"):
            plain["properties"][name].pop(left, None)
    plain.setdefault("properties", {})
    for name, each in plain["properties"].items():
        _told_at_all(name, each)
    plain["additionalProperties"] = False
    return {"type": "object", **{k: v for k, v in plain.items() if k != "type"}}


def answer_schema(adapter: pydantic.TypeAdapter[t.Any]) -> Schema:
    """The schema of what a function returns, whatever its root is.

    A null stays, as one arm of a choice: it does come. What contains itself is told as an object.
    """
    told = adapter.json_schema(mode="serialization")
    return _Plain(told.get("$defs", {}), answers=True).of(told)


def _told_at_all(name: str, node: Schema) -> None:
    """Refuse what says nothing: many clients do, and a model would have to guess."""
    if not {"type", "enum", "anyOf"} & node.keys():
        raise DeclarationError(f"{name} may be anything; say of which type it is.")
    if node.get("type") == "array":
        _told_at_all(f"each of {name}", node.get("items", {}))
    for inner, each in node.get("properties", {}).items():
        _told_at_all(f"{name}.{inner}", each)


class _Plain:
    """A schema of pydantic's, told without what clients do not take."""

    def __init__(self, definitions: Schema, *, answers: bool) -> None:
        self.definitions = definitions
        self.answers = answers
        self.within: tuple[str, ...] = ()

    def of(self, node: Schema) -> Schema:
        if "$ref" in node:
            return self._inlined(node)
        for choice in ("anyOf", "oneOf", "allOf"):
            if choice in node:
                return self._chosen(node, choice)
        left = set(_UNTOLD)
        if node.get("default") in (None, {}, []):
            left.add("default")
        if node.get("type") == "string":
            left |= _UNTOLD_OF_TEXTS
        plain: Schema = {}
        for key, value in node.items():
            if key in left:
                continue
            if key == "const":
                plain["enum"] = [value]
            elif key == "properties":
                plain[key] = {name: self.of(each) for name, each in value.items()}
            elif key == "patternProperties":
                plain["additionalProperties"] = self._one_of([*map(self.of, value.values())])
            elif key not in ("items", "additionalProperties"):
                plain[key] = value
            elif isinstance(value, dict) and (inner := self.of(value)):
                plain[key] = inner
        if "prefixItems" in node:
            plain["items"] = self._one_of([self.of(each) for each in node["prefixItems"]])
        return plain

    def _inlined(self, node: Schema) -> Schema:
        name = node["$ref"].removeprefix("#/$defs/")
        around = {key: value for key, value in node.items() if key != "$ref"}
        if name in self.within:
            if self.answers:
                return {"type": "object"}
            raise DeclarationError(
                f"{name} contains itself, and clients take no such schema; take a dict instead."
            )
        self.within += (name,)
        try:
            return self.of({**self.definitions[name], **around})
        finally:
            self.within = self.within[:-1]

    def _chosen(self, node: Schema, choice: str) -> Schema:
        """A choice: of one arm that arm, else arms of one type each."""
        arms = [arm for arm in node[choice] if self.answers or arm != _NULL]
        around = {key: value for key, value in node.items() if key != choice}
        if len(arms) == 1 or choice == "allOf":
            return self.of({**around, **{k: v for arm in arms for k, v in arm.items()}})
        told = self.of(around) if around else {}
        return {**told, **self._one_of([self.of(arm) for arm in arms])}

    def _one_of(self, arms: list[Schema]) -> Schema:
        different: list[Schema] = []
        for arm in arms:
            if arm not in different:
                different.append(arm)
        if {} in different:
            return {}
        return different[0] if len(different) == 1 else {"anyOf": different}
