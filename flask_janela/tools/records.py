"""The tools that read single rows, three for each model that declares ``Records``."""

from __future__ import annotations

import functools
import typing as t

import pydantic

from ..errors import DeclarationError, quoted
from ..query import records
from ..query.result import json_value
from ..state import State
from ..vocabulary import BoundModel
from ..vocabulary.formats import in_words, snake
from . import answers
from .arguments import Arguments, arguments, filters_argument
from .host import NAME
from .reads import may
from .schemas import schema_of
from .tool import Acting, Answer, Declared, Tool

_MEASURE = (
    str | None,
    pydantic.Field(None, max_length=40, description="only the rows that count into this measure"),
)

_Find = arguments(
    "FindRecords",
    filters=filters_argument(),
    measure=_MEASURE,
    limit=(
        int,
        pydantic.Field(
            records.LIMIT, ge=1, le=records.MOST, description="the most rows that are listed"
        ),
    ),
    cursor=(
        str | None,
        pydantic.Field(None, max_length=2000, description="from next_call of the answer before"),
    ),
)
_Count = arguments("CountRecords", filters=filters_argument(), measure=_MEASURE)


class _Get(Arguments):
    key: str = pydantic.Field(max_length=2000, description="the row's key, as it was listed")


_COLUMNS: dict[str, t.Any] = {
    "type": "array",
    "items": {"type": "object", "properties": {"name": {"type": "string"}}},
}
_FOUND: dict[str, t.Any] = {
    "type": "object",
    "properties": {
        "columns": _COLUMNS,
        "rows": {
            "type": "array",
            "description": "one list for each row: its key, then a value for each column",
            "items": {"type": "array"},
        },
        **answers.CUT_SCHEMA,
    },
    "required": ["columns", "rows", "truncated", "count"],
}
_COUNTED: dict[str, t.Any] = {
    "type": "object",
    "properties": {"count": {"type": "integer"}},
    "required": ["count"],
}
_GOT: dict[str, t.Any] = {
    "type": "object",
    "properties": {"key": {"type": "string"}, "values": {"type": "object"}},
    "required": ["key", "values"],
}


def tools_of(model: BoundModel) -> list[Declared]:
    """The three tools of one model's rows; none where it shows no rows.

    Raises:
        DeclarationError: when their names would be too long.
    """
    if model.records is None:
        return []
    called = in_words(model.name).lower()
    one = snake(model.model.__name__)
    visible = functools.partial(_are_shown, model.name)

    def declared(
        name: str, title: str, description: str, taken: type[Arguments], told: t.Any, work: t.Any
    ) -> Declared:
        if not NAME.fullmatch(name):
            raise DeclarationError(
                f"{quoted(name)} would be the name of a tool, of more than 40 characters; give "
                f'{model.model.__name__} a shorter name, class Janela(Vocabulary, name="…").'
            )
        tool = Tool(
            name=name,
            title=title,
            description=description,
            input_schema=schema_of(taken),
            output_schema=told,
            group=model.name,
        )
        return Declared(tool, taken, functools.partial(work, model.name), visible)

    return [
        declared(
            f"find_{model.name}",
            f"Find {called}",
            f"Single rows of {called} under filters, in the order of their keys.",
            _Find,
            _FOUND,
            _find,
        ),
        declared(
            f"count_{model.name}",
            f"Count {called}",
            f"How many rows of {called} there are under filters.",
            _Count,
            _COUNTED,
            _count,
        ),
        declared(
            f"get_{one}",
            f"Get one of {called}",
            f"One row of {called} by the key with which find_{model.name} lists it.",
            _Get,
            _GOT,
            _get,
        ),
    ]


def _are_shown(name: str, state: State, person: t.Any) -> bool:
    """Whether the caller's agents may see rows of a model at all."""
    model = state.agents.models[name]
    columns = () if model.records is None else model.records.columns
    visible = state.agents.dimensions(model, person)
    return bool(state.agents.measures(model, person)) and any(
        each.exists_among(visible) for each in columns
    )


def _find(model: str, acting: Acting, given: t.Any) -> Answer:
    may(acting, "view")
    page = records.find(
        acting.agents,
        model,
        given.filters,
        measure=given.measure,
        limit=given.limit,
        cursor=given.cursor,
    )
    answer: Answer = {
        "columns": [
            {"name": each.name, "label": each.label, "type": each.kind.name.lower()}
            for each in page.columns
        ],
        "rows": [],
        "truncated": page.truncated,
        "count": page.total,
    }
    rows = [[row.key, *(json_value(cell.value) for cell in row.cells)] for row in page.rows]

    def then(fits: int) -> Answer:
        if fits == len(rows):
            return {"cursor": page.next}
        return {"limit": max(fits, 1)}

    return answers.fitted(
        acting,
        answer,
        "rows",
        rows,
        whole=lambda: page.total,
        then=then,
        truncated=page.truncated,
    )


def _count(model: str, acting: Acting, given: t.Any) -> Answer:
    may(acting, "view")
    count = records.count(acting.agents, model, given.filters, measure=given.measure)
    return {"count": count}


def _get(model: str, acting: Acting, given: t.Any) -> Answer:
    may(acting, "view")
    found = records.get(acting.agents, model, given.key)
    answer: Answer = found.as_dict()
    if answers.size(answer) > acting.most_bytes:
        most = max(acting.most_bytes // (len(answer["values"]) + 1) // 4 - 10, 1)
        for name, value in answer["values"].items():
            if isinstance(value, str) and len(value) > most:
                answer["values"][name] = f"{value[:most]}…"
    return answer
