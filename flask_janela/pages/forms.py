"""Forms: fields out of the one spec of a pane's options, and what was typed back into options.

Bounds, choices and explanations come from :class:`~flask_janela.query.question.PaneOptions`;
here is only what a person reads beside them.
"""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import re
import typing as t

import annotated_types
import flask
from pydantic.fields import FieldInfo

from ..errors import BadRequest, quoted
from ..frames.models import MOST_ID
from ..query.question import PaneOptions
from ..vocabulary.formats import in_words
from . import addresses

Control = t.Literal["text", "area", "number", "select", "drawn", "checks", "check"]

_LONG = 1000
"""A text that may be longer than this gets several lines."""

_FEW = 12
"""So many whole numbers are offered one by one."""

_BETWEEN = re.compile(r'; (?="|[a-z_]+(?: is "|: | is [0-9,]+ characters| has [0-9,]+ names))')

LABELS = {
    "model": "Of",
    "measure": "show",
    "dimension": "by",
    "granularity": "each",
    "renderer": "drawn as",
    "limit": "Most members",
    "other": "One row for all others",
    "over": "Sparkline over",
    "companions": "Beside it",
    "filters": "Only where",
    "span": "Columns wide",
    "height": "Rows high",
    "value_labels": "A value at every mark",
    "body": "Words",
    "partial": "Template",
}
"""What people read where the option's own name would not do in the form's sentence."""


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
    offered = list(options) if options is not None else list(_declared(spec, least, most))
    control = _control(spec, longest, offered)
    chosen = value if isinstance(value, list) else [value]
    if control == "select" and value not in ("", *(each for each, _ in offered)):
        # What is no longer offered stays in sight until something else is chosen.
        offered.append((value, f"{value} (not there)"))
    return Field(
        name=name,
        label=LABELS.get(name) or in_words(name),
        control=more.pop("control", control),
        value="" if isinstance(value, list) else value,
        options=tuple(Option(each, text, each in chosen) for each, text in offered),
        help=more.pop("help", _sentence(_rest(spec) if offered else spec.description)),
        error=own_error(name, errors),
        least=least,
        most=most,
        longest=longest,
        **more,
    )


def own_error(name: str, errors: cabc.Iterable[str]) -> str:
    """Those of a form's errors that are about one field, without saying its name beside it."""
    begins = re.compile(rf'{name}(?:(?: is ".*?")?: (?=\S)| is (?=[0-9])| (?=has [0-9]))')
    found = [each[match.end() :] for each in errors if (match := begins.match(each))]
    return " ".join(f"{each[:1].upper()}{each[1:]}." for each in found)


def sentences(error: BadRequest) -> tuple[str, ...]:
    """The sentences about a whole form, each of which begins with an option's name or a quote.

    One sentence may have a semicolon of its own.
    """
    return tuple(_BETWEEN.split(error.message))


def _declared(
    spec: FieldInfo, least: int | None, most: int | None
) -> cabc.Iterator[tuple[str, str]]:
    """The choices that an option's declaration has: its literals, or a few whole numbers."""
    arms = [spec.annotation, *t.get_args(spec.annotation)]
    literal = next((arm for arm in arms if t.get_origin(arm) is t.Literal), None)
    optional = type(None) in arms
    said = dict(
        part.split(": ", 1) for part in (spec.description or "").split("; ") if ": " in part
    )
    if literal is not None:
        if optional:
            yield "", "automatic"
        for each in t.get_args(literal):
            yield each, said.get(each, each).partition(". ")[0]
    elif least is not None and most is not None and most - least < _FEW:
        if optional:
            yield "", "automatic"
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


def _rest(spec: FieldInfo) -> str:
    """What a declaration says besides what each of its choices means, which stands beside them."""
    words = spec.description or ""
    return words.partition(". ")[2] if ": " in words and "; " in words else words


def _sentence(words: str | None) -> str:
    return "" if not words else f"{words[:1].upper()}{words[1:]}."


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
            said.append(
                f"filters: line {number} is {quoted(line.strip())}, write a dimension, an equals "
                'sign and a value, such as "status = open"'
            )
    if said:
        raise BadRequest("; ".join(said))
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
            f"version is {quoted(given)}: send the version of the frame that the form was made for"
        )
    return number
