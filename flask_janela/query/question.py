"""The one spec of a pane's options, and the question that comes out of it.

A stored row's validation, the form, the URL parser, the schemas of tools and ``ask`` itself all
read :class:`PaneOptions`; nothing else says what an option may be.
"""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import functools
import typing as t

import pydantic

from ..errors import BadRequest, NotFound, listed, quoted
from ..vocabulary import BoundDimension, BoundModel, Catalogue
from ..vocabulary.dimensions import Granularity
from ..words import Words, joined, say, say_many
from .allowed import allowed

Renderer = t.Literal["number", "table", "bar", "line", "doughnut", "pie"]
Order = t.Literal["value", "-value", "label", "natural"]
Kind = t.Literal["query", "text", "partial"]

RENDERERS: dict[Renderer, Words] = {
    "number": say("number"),
    "table": say("table"),
    "bar": say("bar"),
    "line": say("line"),
    "doughnut": say("doughnut"),
    "pie": say("pie"),
}
"""The renderers as people read them."""

ORDERS: dict[Order, Words] = {
    "-value": say("largest first (the default)"),
    "value": say("smallest first"),
    "label": say("label"),
    "natural": say("the declared order, or by key"),
}
"""What each order puts first."""

ORDER_OF_TIME = say("Time is always chronological")

Given = t.TypeVar("Given", bound="Options")

LIMIT = 1000
"""The most members of a category that an answer holds."""


def _once(given: t.Any) -> t.Any:
    """A column that is asked for twice is one."""
    texts = isinstance(given, list | tuple) and all(isinstance(each, str) for each in given)
    return list(dict.fromkeys(given)) if texts else given


_Name = t.Annotated[str, pydantic.Field(min_length=1, max_length=40)]
_LINK = r"^/([^/\\\s][^\\\s]*)?$"


class Options(pydantic.BaseModel):
    """Named options of which absent, None, "" and [] all mean "not set"."""

    model_config = pydantic.ConfigDict(extra="forbid", frozen=True)

    @pydantic.model_validator(mode="before")
    @classmethod
    def _unset(cls, given: t.Any) -> t.Any:
        if not isinstance(given, cabc.Mapping):
            return given
        return {k: v for k, v in given.items() if v is not None and v != "" and v != []}


class PaneOptions(Options):
    """Everything that can be set on a pane. Absent, None, "" and [] all mean "not set"."""

    kind: Kind = pydantic.Field("query", description=say("a query, words, or a host's own partial"))
    model: _Name | None = pydantic.Field(None, description=say("the model to ask"))
    measure: _Name | None = pydantic.Field(None, description=say("the number to show"))
    dimension: _Name | None = pydantic.Field(None, description=say("what to split the number by"))
    granularity: Granularity | None = pydantic.Field(
        None, description=say("the interval of a time dimension; its declared one by default")
    )
    renderer: Renderer | None = pydantic.Field(
        None,
        description=say("by default a number without a dimension, a line over time, else bars"),
    )
    limit: int | None = pydantic.Field(
        None, ge=1, le=LIMIT, description=say("the most members to show, largest first")
    )
    other: bool = pydantic.Field(
        False, description=say('whether members beyond the limit become one row "Other"')
    )
    order: Order | None = pydantic.Field(
        None,
        description=joined(
            "",
            (
                *("-value: ", ORDERS["-value"], "; value: ", ORDERS["value"], "; label; "),
                *("natural: ", ORDERS["natural"], ". ", ORDER_OF_TIME),
            ),
        ),
    )
    over: _Name | None = pydantic.Field(
        None, description=say("for a number: the time dimension of its sparkline and comparison")
    )
    companions: t.Annotated[list[_Name], pydantic.BeforeValidator(_once)] = pydantic.Field(
        default_factory=list,
        max_length=3,
        description=say("further measures, or dimensions that a row shares, as columns of a table"),
    )
    filters: dict[str, list[str]] = pydantic.Field(
        default_factory=dict,
        description=say("the pane's own filters: [model.]dimension[.operator]"),
    )
    title: str | None = pydantic.Field(None, max_length=200, description=say("the pane's heading"))
    span: int = pydantic.Field(4, ge=1, le=12, description=say("width in columns of twelve"))
    height: int | None = pydantic.Field(
        None, ge=1, le=5, description=say("height in rows; 1 for numbers and words, 2 for the rest")
    )
    prominence: int = pydantic.Field(1, ge=1, le=3, description=say("how loud a number is"))
    value_labels: bool = pydantic.Field(
        False, description=say("whether every mark shows its value")
    )
    heading: str | None = pydantic.Field(
        None, max_length=200, description=say("words: the heading")
    )
    body: str | None = pydantic.Field(None, max_length=10_000, description=say("words: the text"))
    link: str | None = pydantic.Field(
        None, max_length=2_000, pattern=_LINK, description=say("words: a path on this site")
    )
    partial: str | None = pydantic.Field(
        None,
        max_length=100,
        pattern=r"^[a-z0-9_]+(/[a-z0-9_]+)*\.html$",
        description=say("a template under janela_content/ of the host"),
    )

    @pydantic.field_validator("filters", mode="before")
    @classmethod
    def _lists(cls, given: t.Any) -> t.Any:
        if not isinstance(given, cabc.Mapping):
            return given
        return {key: [v] if isinstance(v, str) else v for key, v in given.items()}


@dataclasses.dataclass(frozen=True, slots=True)
class Question:
    """What is asked: a measure of a model, perhaps by a dimension."""

    model: str
    measure: str
    dimension: str | None = None
    granularity: Granularity | None = None
    limit: int | None = None
    other: bool = False
    order: Order | None = None
    companions: tuple[str, ...] = ()

    @classmethod
    def of(cls, options: PaneOptions) -> Question:
        """The question in a pane's options; drawn as one number it is split by nothing."""
        if options.model is None or options.measure is None:
            raise BadRequest(_missing(options))
        single = options.renderer == "number"
        return cls(
            model=options.model,
            measure=options.measure,
            dimension=None if single else options.dimension,
            granularity=None if single else options.granularity,
            limit=options.limit,
            other=options.other,
            order=options.order,
            companions=tuple(options.companions),
        )


def read_options(given: cabc.Mapping[str, t.Any]) -> PaneOptions:
    """Options from loosely typed values (a form, a URL, a tool's arguments, keywords).

    Raises:
        BadRequest: with one sentence for each option that cannot be.
    """
    return read(PaneOptions, given)


def read(kind: type[Given], given: cabc.Mapping[str, t.Any], called: str = "option") -> Given:
    """Named values of one kind from loosely typed ones.

    Args:
        called: what one of them is called where it is refused.

    Raises:
        BadRequest: with one sentence for each that cannot be.
    """
    try:
        return kind.model_validate(given)
    except pydantic.ValidationError as error:
        said = dict.fromkeys(_sentence(kind, each, called) for each in error.errors())
        raise BadRequest(joined("; ", said)) from None


def _sentence(kind: type[Options], error: t.Any, called: str) -> str:
    name = str(error["loc"][0]) if error["loc"] else f"the {called}s"
    if error["type"] == "extra_forbidden":
        return f"{quoted(name)} is not an {called}; there is {listed(kind.model_fields)}"
    field = kind.model_fields.get(name)
    if field is None:
        return f"{name}: {error['msg']}"
    if error["type"] == "missing":
        return f"{name} is missing: give {field.description or allowed(field)}"
    if error["type"] == "string_too_long":
        return said_too_long(name, error["input"], error["ctx"]["max_length"])
    if error["type"] == "too_long":
        many = say_many(
            "has {n:,} name: use at most {most}",
            "has {n:,} names: use at most {most}",
            len(error["input"]),
            most=error["ctx"]["max_length"],
        )
        return say("{name} {rest}", name=name, rest=many)
    use = allowed(field)
    if use == "an object" and len(error["loc"]) > 1:
        # What is wrong within it is known to whoever declared it.
        within = ".".join(str(part) for part in error["loc"])
        return f"{quoted(within)} is {quoted(error['input'])}: {error['msg']}"
    return cannot_be(name, error["input"], say("use {use}", use=use))


def cannot_be(name: str, given: object, rest: str) -> Words:
    """That an option cannot be what it is; ``rest`` says what it may be, beside its field too."""
    return say("{name} is {given}: {rest}", name=name, given=quoted(given), rest=rest)


def said_too_long(name: str, text: str, most: int) -> str:
    """That a text is longer than it may be, in words."""
    rest = say_many(
        "{n:,} character long: use at most {most:,}",
        "{n:,} characters long: use at most {most:,}",
        len(text),
        most=most,
    )
    return say("{name} is {rest}", name=name, rest=rest)


def _missing(options: PaneOptions) -> str:
    if options.model is None:
        return say("a query needs a model")
    return say("a query needs a measure")


def check_names(options: PaneOptions, catalogue: Catalogue, caller: t.Any) -> list[str]:
    """What in a query's options names nothing that exists for the caller, in words."""
    if options.kind != "query":
        return []
    if options.model is None or options.measure is None:
        return [_missing(options)]
    try:
        bound = catalogue.model(options.model, caller)
    except NotFound as error:
        return [error.message]
    said: list[str] = []
    checks: list[cabc.Callable[[], t.Any]] = [
        functools.partial(catalogue.measure, bound, options.measure, caller),
        *(
            functools.partial(companion, bound, name, catalogue, caller)
            for name in options.companions
        ),
    ]
    if options.dimension is not None:
        checks.append(functools.partial(_check_split, options, bound, catalogue, caller))
    if options.over is not None:
        checks.append(functools.partial(_check_over, options.over, bound, catalogue, caller))
    for check in checks:
        try:
            check()
        except (NotFound, BadRequest) as error:
            said.append(error.message)
    return said


def _check_split(
    options: PaneOptions, bound: BoundModel, catalogue: Catalogue, caller: t.Any
) -> None:
    dimension = catalogue.dimension(bound, options.dimension or "", caller)
    granularity_of(dimension, options.granularity)


def _check_over(name: str, bound: BoundModel, catalogue: Catalogue, caller: t.Any) -> None:
    if not catalogue.dimension(bound, name, caller).is_time:
        raise BadRequest(say("over is {given}, which is not a time dimension", given=quoted(name)))


def granularity_of(dimension: BoundDimension, asked: Granularity | None) -> Granularity | None:
    """The interval to split a dimension by; None for a category, whatever was asked."""
    if not dimension.is_time:
        return None
    if asked is None:
        return dimension.granularity
    if asked not in dimension.granularities:
        rest = say(
            "{dimension} is a date, use one of {allowed}",
            dimension=dimension.name,
            allowed=listed(dimension.granularities),
        )
        raise BadRequest(cannot_be("granularity", asked, rest))
    return asked


def companion(bound: BoundModel, name: str, catalogue: Catalogue, caller: t.Any) -> t.Any:
    """The measure, else the dimension, that a companion column names."""
    measures = catalogue.measures(bound, caller)
    if name in measures:
        return measures[name]
    dimensions = catalogue.dimensions(bound, caller)
    if name in dimensions and not dimensions[name].is_time:
        return dimensions[name]
    raise NotFound(
        say(
            "{name} is not a measure or a category of {model}; it has {known}.",
            name=quoted(name),
            model=bound.name,
            known=listed([*measures, *(n for n, d in dimensions.items() if not d.is_time)]),
        )
    )
