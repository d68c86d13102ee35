"""Forms: fields out of the one spec of a pane's options, and what was typed back into options.

Bounds, choices and explanations come from :class:`~flask_janela.query.question.PaneOptions`;
here is only what a person reads beside them.
"""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import typing as t

import annotated_types
import flask
from pydantic.fields import FieldInfo

from ..errors import BadRequest, quoted
from ..frames.models import MOST_ID
from ..frames.validation import of_filters
from ..query.question import ORDER_OF_TIME, ORDERS, RENDERERS, PaneOptions
from ..vocabulary.dimensions import CALLED
from ..words import Words, capital, full_stop, joined, say
from . import addresses

Control = t.Literal["text", "area", "number", "select", "drawn", "checks", "check"]

_LONG = 1000
"""A text that may be longer than this gets several lines."""

_FEW = 12
"""So many whole numbers are offered one by one."""

LABELS = {
    "model": say("Of"),
    "measure": say("show"),
    "dimension": say("by"),
    "granularity": say("each"),
    "renderer": say("drawn as"),
    "limit": say("Most members"),
    "other": say("One row for all others"),
    "over": say("Sparkline over"),
    "companions": say("Beside it"),
    "filters": say("Only where"),
    "span": say("Columns wide"),
    "height": say("Rows high"),
    "value_labels": say("A value at every mark"),
    "body": say("Words"),
    "partial": say("Template"),
    "order": say("Order"),
    "title": say("Title"),
    "prominence": say("Prominence"),
    "heading": say("Heading"),
    "link": say("Link"),
}
"""What people read for each option; together some of them are a sentence."""

_SAID: dict[str, cabc.Mapping[t.Any, str]] = {
    "renderer": RENDERERS,
    "order": ORDERS,
    "granularity": CALLED,
}
"""What people read for the choices of an option."""


@dataclasses.dataclass(frozen=True, slots=True)
class Option:
    """One choice of a field; ``icon`` where it is drawn beside the words."""

    value: str
    text: str
    chosen: bool = False
    disabled: bool = False
    icon: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Field:
    """One field with what was typed into it, however wrong.

    Attributes:
        control: which of the partial's controls it is.
        least, most: of a number; ``longest`` of a text.
        error: what is wrong with it, else "".
    """

    name: str
    label: str
    control: Control
    value: str = ""
    options: tuple[Option, ...] = ()
    help: str = ""
    error: str = ""
    placeholder: str = ""
    least: int | None = None
    most: int | None = None
    longest: int | None = None
    required: bool = False

    @property
    def id(self) -> str:
        return f"janela-f-{self.name}"


@dataclasses.dataclass(frozen=True, slots=True)
class Difference:
    """One field that the frame has otherwise by now than it was typed."""

    label: str
    theirs: str
    yours: str


@dataclasses.dataclass(frozen=True, slots=True)
class Story:
    """That somebody else was faster: who and when, and what is otherwise.

    ``deleted`` is whether the frame is gone until what was typed is sent again.
    """

    said: str
    differences: tuple[Difference, ...] = ()
    deleted: bool = False


def field(
    name: str,
    value: t.Any,
    errors: cabc.Iterable[str] = (),
    options: cabc.Iterable[tuple[str, str]] | None = None,
    **more: t.Any,
) -> Field:
    """The field of one of a pane's options, from its own declaration.

    Args:
        value: what it holds, as text, or the texts of those that are chosen.
        errors: sentences about the whole form; those that begin with the name are its own.
        options: values and words to choose among, where the declaration does not say.
    """
    spec = PaneOptions.model_fields[name]
    bounds = {type(each): each for each in spec.metadata}
    least = bounds[annotated_types.Ge].ge if annotated_types.Ge in bounds else None
    most = bounds[annotated_types.Le].le if annotated_types.Le in bounds else None
    longest = (
        bounds[annotated_types.MaxLen].max_length if annotated_types.MaxLen in bounds else None
    )
    offered = list(options) if options is not None else list(_declared(name, spec, least, most))
    control = _control(spec, longest, offered)
    chosen = value if isinstance(value, list) else [value]
    if control == "select" and value not in ("", *(each for each, _ in offered)):
        # What is no longer offered stays in sight until something else is chosen.
        offered.append((value, say("{name} (not there)", name=value)))
    return Field(
        name=name,
        label=LABELS[name],
        control=more.pop("control", control),
        value="" if isinstance(value, list) else value,
        options=tuple(Option(each, text, each in chosen) for each, text in offered),
        help=more.pop("help", _help(name, spec)),
        error=own_error(name, errors),
        least=least,
        most=most,
        longest=longest,
        **more,
    )


def own_error(name: str, errors: cabc.Iterable[str]) -> str:
    """Those of a form's errors that are about one field, without saying its name beside it."""
    found = [
        each.values["rest"]
        for each in errors
        if isinstance(each, Words) and each.values.get("name") == name and "rest" in each.values
    ]
    return joined(" ", [full_stop(capital(each)) for each in found])


def sentences(error: BadRequest) -> tuple[str, ...]:
    """The sentences about a whole form that an error was joined from."""
    said = error.message
    return said.parts if isinstance(said, Words) else (said,)


def _declared(
    name: str, spec: FieldInfo, least: int | None, most: int | None
) -> cabc.Iterator[tuple[str, str]]:
    """The choices that an option's declaration has: its literals, or a few whole numbers."""
    arms = [spec.annotation, *t.get_args(spec.annotation)]
    literal = next((arm for arm in arms if t.get_origin(arm) is t.Literal), None)
    optional = type(None) in arms
    said = _SAID.get(name, {})
    if literal is not None:
        if optional:
            yield "", say("automatic")
        for each in t.get_args(literal):
            yield each, said.get(each, each)
    elif least is not None and most is not None and most - least < _FEW:
        if optional:
            yield "", say("automatic")
        for number in range(least, most + 1):
            yield str(number), str(number)


def _control(spec: FieldInfo, longest: int | None, offered: cabc.Sized) -> Control:
    if spec.annotation is bool:
        return "check"
    if t.get_origin(spec.annotation) is list:
        return "checks"
    if t.get_origin(spec.annotation) is dict:
        return "area"
    if len(offered):
        return "select"
    if int in (spec.annotation, *t.get_args(spec.annotation)):
        return "number"
    return "area" if longest is not None and longest > _LONG else "text"


def _help(name: str, spec: FieldInfo) -> str:
    """What a declaration says; what each of its choices means stands beside those."""
    words = ORDER_OF_TIME if name == "order" else spec.description
    return full_stop(capital(words)) if words else ""


def written(name: str, value: t.Any) -> t.Any:
    """An option's value as a form shows it: a text, or the texts that are chosen."""
    if value is None or value is False:
        return ""
    if value is True:
        return "true"
    if name == "filters":
        return lines_of(value)
    return list(value) if isinstance(value, list) else str(value)


def typed(form: cabc.Mapping[str, t.Any], names: cabc.Iterable[str]) -> dict[str, t.Any]:
    """What was typed into the fields of these names, as :func:`written` writes it."""
    given = t.cast("t.Any", form)
    found: dict[str, t.Any] = {}
    for name in names:
        several = t.get_origin(PaneOptions.model_fields[name].annotation) is list
        found[name] = given.getlist(name) if several else given.get(name, "")
    return found


def lines_of(filters: cabc.Mapping[str, cabc.Sequence[str]]) -> str:
    """Filters as lines that can be typed: ``status = open``."""
    return "\n".join(f"{key} = {value}" for key, values in filters.items() for value in values)


def filters_of(lines: str) -> dict[str, list[str]]:
    """Filters from lines; a key that is repeated collects its values.

    Raises:
        BadRequest: naming the lines that are none.
    """
    found: dict[str, list[str]] = {}
    said = []
    for number, line in enumerate(lines.splitlines(), 1):
        if not line.strip():
            continue
        key, equals, value = (part.strip() for part in line.partition("="))
        if equals and key and value:
            found.setdefault(key, []).append(value)
        else:
            why = say(
                "line {line} is {given}, write a dimension, an equals sign and a value, such as "
                '"status = open"',
                line=number,
                given=quoted(line.strip()),
            )
            said.append(of_filters(why))
    if said:
        raise BadRequest(joined("; ", said))
    return found


def version() -> int:
    """The frame's version that the form sent was drawn from.

    Raises:
        BadRequest: when it does not say.
    """
    given = flask.request.form.get("version", "")
    number = addresses.whole(given)
    if number is None or number > MOST_ID:
        raise BadRequest(
            say(
                "{name} is {given}: send the version of the frame that the form was made for",
                name="version",
                given=quoted(given),
            )
        )
    return number
