"""The tools that read frames, panes and questions."""

from __future__ import annotations

import dataclasses
import functools
import typing as t

import pydantic
import sqlalchemy as sa

from ..errors import BadRequest, NotFound, Refused, quoted
from ..frames import Frame, Pane, reading, showing
from ..frames.models import MOST_ID
from ..query import filters as filter_grammar
from ..query.applying import check_reach
from ..query.asking import ask, check_granularity, count_members
from ..query.filters import Layers
from ..query.question import Question, check_names, read_options
from ..query.reader import Reader
from ..vocabulary import BoundDimension
from . import answers, vocabulary
from .arguments import Arguments, arguments, filters_argument
from .schemas import schema_of
from .telling import frame_dict, pane_dict
from .tool import Acting, Answer, Declared, Tool

_UNSEEN = "a filter that cannot be shown"

_OF_A_SPLIT = ("limit", "order", "other")
"""Options that say something only of a question that is split by a dimension."""

_FRAME: dict[str, t.Any] = {
    "id": {"type": "integer"},
    "name": {"type": "string"},
    "version": {"type": "integer"},
}


def frame_id() -> t.Any:
    return (int, pydantic.Field(description="the frame's id, from list_frames"))


def pane_id() -> t.Any:
    return (int, pydantic.Field(description="the pane's id, from get_frame"))


def _limit(most: int, default: int) -> t.Any:
    return (int, pydantic.Field(default, ge=1, le=most, description="the most that are listed"))


def _cursor() -> t.Any:
    said = "where the answer before ended: its next_cursor"
    return (str | None, pydantic.Field(None, max_length=40, description=said))


class _Described(Arguments):
    model: str | None = pydantic.Field(None, description="one model only", max_length=40)


_List = arguments(
    "ListFrames",
    search=(
        str | None,
        pydantic.Field(None, max_length=200, description="words in the name or the description"),
    ),
    limit=_limit(100, 50),
    cursor=_cursor(),
)
_Get = arguments("GetFrame", frame_id=frame_id(), cursor=_cursor())
_ReadPane = arguments("ReadPane", "limit", pane_id=pane_id(), filters=filters_argument())
_ReadMeasure = arguments(
    "ReadMeasure",
    *("model", "measure", "dimension", "granularity", "limit", "order", "other", "companions"),
    required=("model", "measure"),
    filters=filters_argument(),
)


def may(acting: Acting, action: t.Any, subject: t.Any = None) -> None:
    """Refuse a caller who may not do ``action``, as their pages would.

    Raises:
        Refused: when the host's permission hook says no.
    """
    if not acting.state.may(acting.caller, action, subject):
        raise Refused(f"This caller may not {action} this.")


def _describe_vocabulary(acting: Acting, given: t.Any) -> Answer:
    may(acting, "view")
    return vocabulary.described(acting, given.model)


def _list_frames(acting: Acting, given: t.Any) -> Answer:
    may(acting, "view")
    statement = acting.reader.select(Frame).where(Frame.removed_at.is_(None)).order_by(Frame.id)
    if given.search:
        found = [Frame.name, Frame.description]
        words = (column.icontains(given.search, autoescape=True) for column in found)
        statement = statement.where(sa.or_(*words))
    every = sa.select(sa.func.count()).select_from(statement.order_by(None).subquery())
    page = statement.where(Frame.id > _after(given.cursor)).limit(given.limit + 1)
    frames = acting.reader.execute(Frame, page).scalars().all()
    answer: Answer = {"truncated": len(frames) > given.limit}
    counts = _pane_counts(acting, [frame.id for frame in frames])
    items = [
        frame_dict(frame) | {"panes": counts.get(frame.id, 0)} for frame in frames[: given.limit]
    ]
    whole = functools.partial(_one, acting, every)
    return _paged(acting, answer, "frames", items, whole, "id")


def _get_frame(acting: Acting, given: t.Any) -> Answer:
    frame = reading.find_frame(acting.reader, given.frame_id)
    may(acting, "view", frame)
    after = _after(given.cursor)
    panes = [pane for pane in frame.panes if pane.position > after]
    answer = {**frame_dict(frame), "columns": frame.columns, "truncated": False}
    filters = showing.filters_shown(frame, acting.agents)
    if filters:
        answer["filters"] = filters
    if len(filters) < len(frame.filters):
        answer["not_shown"] = showing.FILTER
    answer = answers.within(answer, acting.most_bytes // 4)
    items = [pane_dict(acting, pane, cut=True) for pane in panes]
    return _paged(acting, answer, "panes", items, lambda: len(frame.panes), "position")


def _read_pane(acting: Acting, given: t.Any) -> Answer:
    frame, pane = reading.find_pane(acting.reader, given.pane_id)
    may(acting, "view", frame)
    options = pane.options()
    if options.kind == "text":
        words = "\n\n".join(text for text in (options.heading, options.body) if text)
        return {"words": words, "truncated": False}
    if options.kind == "partial":
        raise BadRequest("This pane is a template of the host's; it has nothing to read.")
    told = showing.shown(pane, acting.agents)
    if not told.names:
        raise NotFound(showing.PANE)
    said = check_names(options, acting.agents.catalogue, acting.caller)
    if said:
        raise NotFound("; ".join(said))
    # Filters of the frame and the pane hold also where agents are not told of them.
    reader = acting.reader
    question = Question.of(options)
    homes = reading.homes_of(frame, reader)
    own, fault = reading.own_filters(frame, reader, homes, told=acting.agents)
    if fault:
        raise BadRequest(fault)
    layers = Layers(
        frame=own,
        pane=_own_filters(reader, options.filters, question.model, told.whole),
        fixed=_asked_filters(acting, given.filters, question.model),
    )
    if given.limit is not None:
        _check_split(question, {"limit": given.limit})
        question = dataclasses.replace(question, limit=given.limit)
    return _answer(acting, reader, question, layers, title=options.title or "")


def _read_measure(acting: Acting, given: t.Any) -> Answer:
    may(acting, "view")
    reader = acting.agents
    asked = given.model_dump(exclude={"filters"}, exclude_unset=True)
    options = read_options(asked)
    question = Question.of(options)
    reader.model(question.model)
    check_granularity(reader, question)
    _check_split(question, {name: asked[name] for name in _OF_A_SPLIT if asked.get(name)})
    layers = Layers(fixed=_asked_filters(acting, given.filters, question.model))
    return _answer(acting, reader, question, layers)


def _check_split(question: Question, given: dict[str, t.Any]) -> None:
    """Refuse what says how members are listed where there are none, rather than ignore it."""
    for name, value in given.items():
        if question.dimension is None:
            raise BadRequest(
                f"{name} is {quoted(value)}, and there is no dimension to split by; leave it out, "
                "or ask read_measure with a dimension"
            )


def _asked_filters(
    acting: Acting, filters: dict[str, list[str]], model: str
) -> tuple[filter_grammar.Filter, ...]:
    """The filters of a call: all of them must apply."""
    agents = acting.agents
    home = agents.model(model)
    pairs = filter_grammar.pairs(filters)
    asked = filter_grammar.parse(pairs, agents.catalogue, agents.caller, [home])
    check_reach(asked, home, agents.dimensions(home))
    return asked


def _own_filters(
    reader: Reader, filters: dict[str, list[str]], model: str, whole: bool
) -> tuple[filter_grammar.Filter, ...]:
    """A pane's own filters; what is wrong with them is only told where all of them can be."""
    home = reader.model(model)
    try:
        pairs = filter_grammar.pairs(filters)
        own = filter_grammar.parse(pairs, reader.catalogue, reader.caller, [home])
        check_reach(own, home, reader.dimensions(home))
    except BadRequest:
        if whole:
            raise
        raise NotFound(showing.PANE) from None
    return own


def _answer(
    acting: Acting, reader: t.Any, question: Question, layers: Layers, **more: t.Any
) -> Answer:
    result = ask(reader, question, layers)
    if result.not_applied:
        seen = {each.label for model in _models(acting) for each in model}
        told = (label if label in seen else _UNSEEN for label in result.not_applied)
        result = dataclasses.replace(result, not_applied=tuple(dict.fromkeys(told)))
    return answers.of_result(
        acting, result, members=lambda: count_members(reader, question, layers), **more
    )


def _models(acting: Acting) -> t.Iterator[t.Iterable[BoundDimension]]:
    """The dimensions that exist for the caller's agents, by model."""
    agents = acting.agents
    for name in agents.catalogue.names(agents.caller):
        yield agents.dimensions(agents.model(name)).values()


def _pane_counts(acting: Acting, frames: list[int]) -> dict[int, int]:
    counted = t.cast(
        "sa.Select[t.Any]",
        sa.select(Pane.frame_id, sa.func.count())
        .where(Pane.frame_id.in_(frames), Pane.removed_at.is_(None))
        .group_by(Pane.frame_id),
    )
    rows = t.cast("t.Any", acting.reader.execute(Pane, counted))
    return {row[0]: row[1] for row in rows}


def _one(acting: Acting, statement: t.Any) -> int:
    return int(acting.reader.execute(Frame, statement).scalar_one())


def _after(cursor: str | None) -> int:
    """The number after which a page begins.

    Raises:
        BadRequest: for a cursor that no answer gave.
    """
    if cursor is None:
        return 0
    digits = cursor.isascii() and cursor.isdecimal() and len(cursor) <= 18
    if not digits or int(cursor) > MOST_ID:
        raise BadRequest(f"cursor is {quoted(cursor)}: use the next_cursor of an answer")
    return int(cursor)


def _paged(
    acting: Acting, answer: Answer, name: str, items: list[Answer], whole: t.Any, place: str
) -> Answer:
    """As many as fit, and the cursor behind them; ``place`` is what it counts by."""
    return answers.fitted(
        acting,
        answer,
        name,
        items,
        whole=whole,
        then=lambda fits: {"cursor": str(items[fits - 1][place]) if fits else "0"},
        truncated=answer["truncated"],
    )


READS = (
    Declared(
        Tool(
            name="describe_vocabulary",
            title="What may be asked",
            description="The models with their measures (numbers) and dimensions (what to split "
            "and filter by), and how filters are written. Call this before asking.",
            input_schema=schema_of(_Described),
            output_schema=vocabulary.SCHEMA,
        ),
        _Described,
        _describe_vocabulary,
    ),
    Declared(
        Tool(
            name="list_frames",
            title="List frames",
            description="The frames (dashboards) there are for this caller, by id.",
            input_schema=schema_of(_List),
            output_schema={
                "type": "object",
                "properties": {
                    "frames": {
                        "type": "array",
                        "items": {"type": "object", "properties": _FRAME},
                    },
                    **answers.CUT_SCHEMA,
                },
                "required": ["frames", "truncated"],
            },
        ),
        _List,
        _list_frames,
    ),
    Declared(
        Tool(
            name="get_frame",
            title="Get a frame",
            description="One frame with its panes in order: what each asks and how it is drawn, "
            "without numbers.",
            input_schema=schema_of(_Get),
            output_schema={
                "type": "object",
                "properties": {
                    **_FRAME,
                    "filters": {"type": "object", "description": "the frame's own filters"},
                    "panes": {"type": "array", "items": {"type": "object"}},
                    **answers.CUT_SCHEMA,
                },
                "required": ["id", "name", "panes", "truncated"],
            },
        ),
        _Get,
        _get_frame,
    ),
    Declared(
        Tool(
            name="read_pane",
            title="Read a pane",
            description="The numbers that a pane shows, under its frame's filters, its own, and "
            "those given here, which must all apply.",
            input_schema=schema_of(_ReadPane),
            output_schema=answers.RESULT_SCHEMA,
        ),
        _ReadPane,
        _read_pane,
    ),
    Declared(
        Tool(
            name="read_measure",
            title="Read a measure",
            description="The answer to any question: a measure of a model, perhaps by a "
            "dimension, under filters.",
            input_schema=schema_of(_ReadMeasure),
            output_schema=answers.RESULT_SCHEMA,
        ),
        _ReadMeasure,
        _read_measure,
    ),
)
"""The tools that change nothing, in the order they are listed."""
