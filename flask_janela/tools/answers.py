"""Answers for a model: columns once and rows, no longer than what fits, saying what was cut."""

from __future__ import annotations

import collections.abc as cabc
import json
import math
import typing as t

from ..query.question import LIMIT
from ..query.result import Result, Row, json_value
from ..vocabulary import BoundMeasure
from .tool import Acting, Answer

COARSER = ("hour", "day", "week", "month", "quarter", "year")

CUT_SCHEMA: dict[str, t.Any] = {
    "truncated": {"type": "boolean"},
    "count": {"type": "integer", "description": "in all, when truncated"},
    "next_call": {"type": "object", "description": "for the rest, or for less"},
}

_ROW: dict[str, t.Any] = {"type": "array"}

RESULT_SCHEMA: dict[str, t.Any] = {
    "type": "object",
    "properties": {
        "columns": {
            "type": "array",
            "items": {"type": "object"},
            "description": "in a % column 0.123 is 12.3%",
        },
        "rows": {
            "type": "array",
            "items": _ROW,
            "description": "a null key: where the dimension is unknown",
        },
        "total": {
            "type": "object",
            "description": "at its own grain: not the sum of the rows",
        },
        "other": {**_ROW, "description": "all members beyond the limit"},
        "undated": {**_ROW, "description": "the rows without a time"},
        "not_filtered_by": {"type": "array", "items": {"type": "string"}},
        "words": {"type": "string"},
        **CUT_SCHEMA,
    },
    "required": ["truncated"],
}


def encoded(answer: t.Any) -> str:
    """An answer as the text that is sent: compact JSON, every character as itself.

    Raises:
        ValueError: for NaN and infinity, which JSON does not have.
        TypeError: for what is no JSON at all.
    """
    return json.dumps(answer, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def size(answer: t.Any) -> int:
    """How many bytes an answer takes, also where it is written with a space after each comma."""
    return len(json.dumps(answer, ensure_ascii=False, allow_nan=False).encode())


def sendable(value: t.Any) -> t.Any:
    """An answer of what JSON has: NaN and infinity are null, half of a character is replaced."""
    if isinstance(value, dict):
        return {sendable(key): sendable(each) for key, each in value.items()}
    if isinstance(value, list):
        return [sendable(each) for each in value]
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return None if isinstance(value, float) and not math.isfinite(value) else value


def of_result(
    acting: Acting, result: Result, *, members: cabc.Callable[[], int], **more: t.Any
) -> Answer:
    """A question's answer.

    Args:
        members: counts how many members there are, asked only when some are left out.
        more: what else is told of it.
    """
    columns = [_column(result.measure.name, result.measure.label, result.unit)]
    columns += [
        _column(
            each.name,
            each.label,
            each.declared.format.unit if isinstance(each.declared, BoundMeasure) else "",
        )
        for each in result.columns
    ]
    answer: Answer = {
        **{name: value for name, value in more.items() if value},
        "model": result.model,
        "columns": columns,
        "rows": [],
        "total": {
            **dict(zip((c["name"] for c in columns), _values(result.total_row), strict=True)),
            "formatted": result.total_row.formatted,
        },
        "truncated": False,
    }
    if result.not_applied:
        answer["not_filtered_by"] = list(result.not_applied)
    if result.dimension is None:
        return answer
    named = [row for row in result.rows if row.label != json_value(row.key) and row.key is not None]
    labelled = bool(named) and result.granularity is None
    heads = [_column(result.dimension.name, result.dimension.label, "")]
    if labelled:
        heads.append(_column(f"{result.dimension.name}_label", "What people read for it", ""))
    answer["columns"] = [*heads, *columns]
    if result.granularity:
        answer["granularity"] = result.granularity
    if result.undated_row is not None:
        answer["undated"] = _values(result.undated_row)
    rows = [row for row in result.rows if not row.is_other]
    for row in result.rows:
        if row.is_other:
            answer["other"] = _values(row)
    listed = [
        [json_value(row.key), *([str(row.label)] if labelled else []), *_values(row)]
        for row in rows
    ]
    return fitted(
        acting,
        answer,
        "rows",
        listed,
        whole=lambda: members() if result.truncated else len(rows),
        truncated=result.truncated,
        then=_then(result),
    )


def _then(result: Result) -> cabc.Callable[[int], Answer]:
    """What to ask instead, when so many rows fit; never what was asked already.

    Wider intervals of time; of members fewer when these do not fit, more when a limit left some
    out, and a good deal fewer when no more can be asked for.
    """
    shown = sum(not row.is_other for row in result.rows)

    def ask(fits: int) -> Answer:
        if result.granularity is not None and result.granularity != COARSER[-1]:
            return {"granularity": COARSER[COARSER.index(result.granularity) + 1]}
        if fits < shown:
            return {"limit": max(_rounded(fits), 1)}
        return {"limit": min(10 * shown, LIMIT) if 0 < shown < LIMIT else LIMIT // 10}

    return ask


def fitted(
    acting: Acting,
    answer: Answer,
    name: str,
    items: cabc.Sequence[t.Any],
    *,
    whole: cabc.Callable[[], int],
    then: cabc.Callable[[int], Answer],
    truncated: bool = False,
) -> Answer:
    """An answer with as many items as fit, and what to call when some are left out.

    Args:
        name: what the items are in the answer.
        whole: counts how many there are in all, asked only when some are left out.
        then: which arguments to change for what is left out, given how many items fit.
        truncated: whether some were left out before.
    """
    # What is told of a cut answer is as long as this at most; the items share the rest.
    most = acting.most_bytes - size({**answer, name: []}) - 400 - size(dict(acting.given))
    kept, used = 0, 0
    for item in items:
        used += size(item) + 2
        if used > most:
            break
        kept += 1
    answer[name] = list(items[:kept])
    if items and not kept:
        # One that is too long by itself is told in part: without it nothing would ever go on.
        answer[name], answer["cut"], kept = [shortened(items[0], most - 20)], True, 1
    if not truncated and kept == len(items):
        return answer
    answer["truncated"] = True
    answer["count"] = whole()
    answer["next_call"] = {
        "tool": acting.tool,
        "arguments": {**acting.given, **then(kept)},
    }
    return answer


def within(answer: Answer, most: int) -> Answer:
    """An answer in so many bytes, which says so where it is ``cut``."""
    return answer if size(answer) <= most else {**shortened(answer, most - 20), "cut": True}


def shortened(item: t.Any, most: int) -> t.Any:
    """An item in so many bytes, or as few as can be: its texts and inner lists end with "…"."""
    for longest in (2000, 500, 200, 50, 10):
        if size(item) <= most:
            break
        item = _cut(item, longest, outer=True)
    return item


def _cut(item: t.Any, longest: int, *, outer: bool = False) -> t.Any:
    """An item with no text longer than so many characters, and no inner list a tenth as long."""
    if isinstance(item, str) and len(item) > longest:
        return f"{item[: longest - 1]}…"
    if isinstance(item, dict):
        return {name: _cut(each, longest) for name, each in item.items()}
    if isinstance(item, list):
        few = item if outer else item[: longest // 10]
        end = [] if len(few) == len(item) or few[-1] == "…" else ["…"]
        return [*(_cut(each, longest) for each in few), *end]
    return item


def _rounded(fits: int) -> int:
    """Down to a number that reads well."""
    for step in (100, 10):
        if fits > 2 * step:
            return fits // step * step
    return fits


def _column(name: str, label: str, unit: str) -> Answer:
    return {"name": name, "label": str(label), **({"unit": unit} if unit else {})}


def _values(row: Row) -> list[t.Any]:
    return [json_value(row.value), *(json_value(cell.value) for cell in row.companions)]
