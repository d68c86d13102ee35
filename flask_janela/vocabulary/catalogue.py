"""All vocabularies of one application, and what one caller may name in them."""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import typing as t

import sqlalchemy as sa
from sqlalchemy import orm

from ..errors import DeclarationError, NotFound, listed, quoted
from ..words import say
from .binding import bind
from .bound import BoundDimension, BoundMeasure, BoundModel
from .declaration import VocabularyType, check_name
from .faults import Faults
from .formats import snake

EVERYTHING: t.Any = object()
"""Stands for a caller from whom no declaration is hidden: for checks, never for reading."""


@dataclasses.dataclass(frozen=True)
class Catalogue:
    """The bound vocabularies by public name.

    Every look-up takes the caller: what is hidden from them is answered exactly as what does
    not exist.
    """

    models: cabc.Mapping[str, BoundModel]

    def model(self, name: str, caller: t.Any) -> BoundModel:
        """The vocabulary of that public name, if the caller may see any measure of it."""
        bound = self.models.get(name)
        if bound is None or not self.measures(bound, caller):
            known = listed(self.names(caller))
            raise NotFound(
                say("{name} is not a model; there is {known}.", name=quoted(name), known=known)
            )
        return bound

    def for_agents(self) -> Catalogue:
        """The vocabularies without what is declared ``agents=False``."""
        return Catalogue(
            {
                name: dataclasses.replace(
                    bound,
                    measures={n: m for n, m in bound.measures.items() if m.declared.agents},
                    dimensions={n: d for n, d in bound.dimensions.items() if d.declared.agents},
                )
                for name, bound in self.models.items()
            }
        )

    def names(self, caller: t.Any) -> list[str]:
        """The public names of the models a caller may ask."""
        return [name for name, bound in self.models.items() if self.measures(bound, caller)]

    def measures(self, bound: BoundModel, caller: t.Any) -> dict[str, BoundMeasure]:
        """The measures of a model that exist for a caller."""
        return {n: m for n, m in bound.measures.items() if _visible(m, caller)}

    def dimensions(self, bound: BoundModel, caller: t.Any) -> dict[str, BoundDimension]:
        """The dimensions of a model that exist for a caller."""
        return {n: d for n, d in bound.dimensions.items() if _visible(d, caller)}

    def measure(self, bound: BoundModel, name: str, caller: t.Any) -> BoundMeasure:
        """One measure, or :class:`NotFound` naming those there are."""
        found = bound.measures.get(name)
        if found is None or not _visible(found, caller):
            raise NotFound(
                say(
                    "{name} is not a measure of {model}; it has {known}.",
                    name=quoted(name),
                    model=bound.name,
                    known=listed(self.measures(bound, caller)),
                )
            )
        return found

    def dimension(self, bound: BoundModel, name: str, caller: t.Any) -> BoundDimension:
        """One dimension, or :class:`NotFound` naming those there are."""
        found = bound.dimensions.get(name)
        if found is None or not _visible(found, caller):
            raise NotFound(
                say(
                    "{name} is not a dimension of {model}; it has {known}.",
                    name=quoted(name),
                    model=bound.name,
                    known=listed(self.dimensions(bound, caller)),
                )
            )
        return found


def _visible(bound: BoundMeasure | BoundDimension, caller: t.Any) -> bool:
    condition = bound.declared.visible_to
    return condition is None or caller is EVERYTHING or bool(condition(caller))


def build(
    registries: cabc.Iterable[orm.registry], described: cabc.Mapping[type, VocabularyType]
) -> Catalogue:
    """Bind every vocabulary of the mapped classes of some registries.

    Args:
        registries: where to look for models with a ``class Janela(Vocabulary)``.
        described: vocabularies of models that somebody else owns.

    Raises:
        DeclarationError: for every declaration that cannot work.
    """
    orm.configure_mappers()
    models: dict[str, BoundModel] = {}
    faults = Faults()
    mappers = sorted(
        {mapper for registry in registries for mapper in registry.mappers},
        key=lambda mapper: (mapper.class_.__module__, mapper.class_.__qualname__),
    )
    for mapper in mappers:
        if mapper.class_ not in described:
            with faults.gathered():
                _add_own(models, mapper.class_)
    for model, vocabulary in described.items():
        with faults.gathered():
            _add_described(models, model, vocabulary)
    faults.raise_them()
    return Catalogue(models)


def _add_own(models: dict[str, BoundModel], model: type) -> None:
    """Bind what a model itself declares, or inherits."""
    nested = getattr(model, "Janela", None)
    if isinstance(nested, VocabularyType):
        _add(models, model, nested)
    elif isinstance(vars(model).get("Janela"), type):
        raise DeclarationError(
            f"{model.__name__}.Janela declares nothing: write class Janela(Vocabulary)."
        )


def _add_described(models: dict[str, BoundModel], model: type, vocabulary: VocabularyType) -> None:
    """Bind what somebody else declares of a model."""
    if not isinstance(sa.inspect(model, raiseerr=False), orm.Mapper):
        raise DeclarationError(
            f"describe({getattr(model, '__name__', model)}, …): it is not a mapped class."
        )
    if isinstance(vars(model).get("Janela"), VocabularyType):
        raise DeclarationError(
            f"{model.__name__} has a class Janela of its own and is described as well; "
            "keep one of them."
        )
    _add(models, model, vocabulary, described=True)


def _add(
    models: dict[str, BoundModel], model: type, vocabulary: VocabularyType, described: bool = False
) -> None:
    name = _public_name(model, vocabulary, described)
    if name in models:
        raise DeclarationError(
            f"{models[name].model.__name__} and {model.__name__} are both called "
            f'{quoted(name)}; name one of them, class Janela(Vocabulary, name="…").'
        )
    models[name] = bind(model, vocabulary, name)


def _public_name(model: type, vocabulary: VocabularyType, described: bool) -> str:
    """The name given where the model itself declares it, else its table's, else its class's."""
    mapper: orm.Mapper[t.Any] = t.cast("orm.Mapper[t.Any]", sa.inspect(model))
    if vocabulary.public_name is not None and (described or "Janela" in vars(model)):
        return vocabulary.public_name
    if mapper.inherits is not None and mapper.local_table is mapper.inherits.local_table:
        name = snake(model.__name__)
    else:
        name = str(getattr(mapper.local_table, "name", model.__name__)).lower()
    try:
        check_name(name, model.__name__, "its table's name, taken as its public name,")
    except DeclarationError as error:
        fix = 'Choose one: class Janela(Vocabulary, name="…").'
        raise DeclarationError(f"{error.message} {fix}") from None
    return name
