"""What may be asked, told to an agent: names, types, operators and bounds."""

from __future__ import annotations

import typing as t

import sqlalchemy as sa

from ..query.filters import MOST_KEYS, MOST_VALUES, operators
from ..query.question import LIMIT, PaneOptions
from ..query.reader import Reader
from ..vocabulary import BoundDimension, BoundMeasure, BoundModel
from ..vocabulary.dimensions import GRANULARITIES
from ..vocabulary.keys import write
from ..vocabulary.kinds import Kind, undecorated
from .answers import size
from .arguments import FILTERS_IN_WORDS
from .tool import Acting, Answer

_MOST_KEYS_TOLD = 50

_NAMED: dict[str, t.Any] = {"type": "array", "items": {"type": "object"}}

SCHEMA: dict[str, t.Any] = {
    "type": "object",
    "properties": {
        "models": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "measures": _NAMED,
                    "dimensions": _NAMED,
                },
            },
        },
        "filters": {"type": "string", "description": "how filters are written"},
    },
    "required": ["models"],
}


def described(acting: Acting, model: str | None) -> Answer:
    """All models, or one, as far as they exist for this caller and for agents.

    Raises:
        NotFound: for a model that does not exist for the caller.
    """
    reader = acting.agents
    names = [model] if model else reader.catalogue.names(reader.caller)
    models = [reader.model(name) for name in names]
    answer: Answer = {
        "models": [_model(reader, each) for each in models],
        "filters": FILTERS_IN_WORDS,
        "renderers": list(
            t.get_args(t.get_args(PaneOptions.model_fields["renderer"].annotation)[0])
        ),
        "granularities": list(GRANULARITIES),
        "limits": {"limit": LIMIT, "filters": MOST_KEYS, "values_of_a_filter": MOST_VALUES},
    }
    if size(answer) > acting.most_bytes:
        answer["models"] = [_names_of(reader, each) for each in models]
        answer["note"] = "Names only, as there are many: give a model for more."
    if size(answer) > acting.most_bytes:
        answer["models"] = [{"name": each.name} for each in models]
    return answer


def _model(reader: Reader, model: BoundModel) -> Answer:
    measures = reader.catalogue.measures(model, reader.caller)
    return {
        "name": model.name,
        "label": model.label,
        "measures": [_measure(each) for each in measures.values()],
        "dimensions": [_dimension(each) for each in reader.dimensions(model).values()],
    }


def _names_of(reader: Reader, model: BoundModel) -> Answer:
    measures = reader.catalogue.measures(model, reader.caller)
    return {
        "name": model.name,
        "measures": [{"name": name} for name in measures],
        "dimensions": [{"name": name} for name in reader.dimensions(model)],
    }


def _measure(measure: BoundMeasure) -> Answer:
    declared = measure.declared
    told = {
        "name": measure.name,
        "label": measure.label,
        "description": declared.description,
        "unit": measure.format.unit.strip(),
        "better": declared.better,
    }
    return {key: value for key, value in told.items() if value}


def _dimension(dimension: BoundDimension) -> Answer:
    told: Answer = {
        "name": dimension.name,
        "label": dimension.label,
        "description": dimension.declared.description,
        "type": dimension.kind.name.lower(),
        "operators": list(operators(dimension)),
    }
    if dimension.is_time:
        told["type"] = "date" if dimension.kind is Kind.DATE else "time"
        told["granularities"] = list(dimension.granularities)
        told["granularity"] = dimension.granularity
    elif (keys := _keys(dimension)) is not None:
        told["keys"] = keys
    return {key: value for key, value in told.items() if value}


def _keys(dimension: BoundDimension) -> list[str] | None:
    """The keys that are known from the declaration alone."""
    if dimension.kind is Kind.ENUM:
        plain = t.cast("sa.Enum", undecorated(dimension.path.type))
        members = plain.enum_class.__members__ if plain.enum_class is not None else plain.enums
        keys = list(members)
    else:
        keys = [write(key) for key in {**dict.fromkeys(dimension.order), **dimension.labels}]
    return keys if 0 < len(keys) <= _MOST_KEYS_TOLD else None
