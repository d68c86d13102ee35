"""A pane being written: what is typed, what that may be, why not, and how it would look.

It offers what its caller may see and nothing else. What cannot be drawn stays in sight, with the
reason; what was typed stays typed, whatever was wrong with it.
"""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import typing as t

import flask

from ..errors import BadRequest
from ..frames import Frame, Pane
from ..frames.validation import check_options
from ..query.question import RENDERERS, PaneOptions, Renderer, read_options
from ..query.reader import Reader
from ..vocabulary import BoundDimension, BoundMeasure, BoundModel
from ..vocabulary.dimensions import CALLED, GRANULARITIES
from ..words import capital, full_stop, joined, say
from . import arrange, forms, handles, rings, views, words

_SIZE = ("span", "height")
_SENTENCE = ("model", "measure", "dimension", "granularity")
_MORE = ("limit", "order", "other", "value_labels", "over", "prominence", "companions", "filters")
FIELDS = {
    "query": (*_SENTENCE, "renderer", "title", *_SIZE, *_MORE),
    "text": ("heading", "body", "link", *_SIZE),
    "partial": ("partial", "title", *_SIZE),
}
"""Which options each kind of pane shows in its form."""

_ICONS = {"number": "number", "table": "table", "bar": "bars", "line": "line"}


@dataclasses.dataclass(frozen=True, slots=True)
class Start:
    """One model to begin with, and what it has."""

    link: views.Link
    has: str


@dataclasses.dataclass(frozen=True, slots=True)
class PaneForm:
    """The page of a pane's form.

    Attributes:
        kinds: links to the form of a chart and of words, for a new pane.
        starts: with several models and none chosen, the models; then there are no fields yet.
        sentence, drawn, plain, more: the fields, ``more`` folded away unless ``open``.
        reasons: why some drawings cannot be chosen.
        preview: the pane as it would be.
    """

    heading: str
    crumbs: tuple[views.Link, ...]
    action: str
    refresh: str
    submit: str
    cancel: str
    kind: str
    version: int
    kinds: tuple[views.Link, ...] = ()
    starts: tuple[Start, ...] = ()
    sentence: tuple[forms.Field, ...] = ()
    drawn: forms.Field | None = None
    reasons: str = ""
    plain: tuple[forms.Field, ...] = ()
    more: tuple[forms.Field, ...] = ()
    open: bool = False
    errors: tuple[str, ...] = ()
    story: forms.Story | None = None
    preview: views.Pane | None = None


class Draft:
    """One pane's form: what is typed, what that may be, and how it would look."""

    def __init__(
        self,
        reader: Reader,
        found: Frame,
        pane: Pane | None,
        kind: str,
        typed: dict[str, t.Any],
    ) -> None:
        self.reader = reader
        self.found = found
        self.pane = pane
        self.kind = kind
        self.typed = typed
        self.model: BoundModel | None = None
        self.measure: BoundMeasure | None = None
        self.dimension: BoundDimension | None = None
        if kind == "query":
            self._settle()

    def _settle(self) -> None:
        """The names that are typed, as far as they exist; the only model is chosen already."""
        names = self.reader.catalogue.names(self.reader.caller)
        if not self.typed["model"] and len(names) == 1:
            self.typed["model"] = names[0]
        if self.typed["model"] not in names:
            return
        self.model = self.reader.model(self.typed["model"])
        measures = self.measures
        if not self.typed["measure"] and measures:
            self.typed["measure"] = next(iter(measures))
        self.measure = measures.get(self.typed["measure"])
        self.dimension = self.reader.dimensions(self.model).get(self.typed["dimension"])

    @property
    def measures(self) -> dict[str, BoundMeasure]:
        assert self.model is not None  # noqa: S101
        return self.reader.catalogue.measures(self.model, self.reader.caller)

    def options(self) -> PaneOptions:
        """What is typed as a pane's options, for this caller.

        Raises:
            BadRequest: in words, for what cannot be.
        """
        given: dict[str, t.Any] = {}
        if self.pane is not None:
            given = {name: getattr(self.pane, name) for name in PaneOptions.model_fields}
        given |= self.typed | {"kind": self.kind}
        said = []
        if "filters" in self.typed:
            try:
                given["filters"] = forms.filters_of(self.typed["filters"])
            except BadRequest as error:
                said.append(error.message)
                given["filters"] = {}
        try:
            options = read_options(given)
            check_options(options, self.reader.catalogue, self.reader.caller)
        except BadRequest as error:
            said.append(error.message)
        if said:
            raise BadRequest(joined("; ", said))
        return options

    def differences(self, theirs: cabc.Mapping[str, t.Any]) -> tuple[forms.Difference, ...]:
        """Where the pane is otherwise by now than it is typed here."""

        def plain(value: t.Any) -> str:
            text = ", ".join(value) if isinstance(value, list) else str(value)
            return text.replace("\r\n", "\n").strip()

        return tuple(
            forms.Difference(
                forms.LABELS[name],
                plain(theirs[name]),
                plain(self.typed[name]),
            )
            for name in FIELDS[self.kind]
            if plain(theirs[name]) != plain(self.typed[name])
        )

    def view(
        self,
        errors: tuple[str, ...] = (),
        told: forms.Story | None = None,
        version: int | None = None,
    ) -> PaneForm:
        at: dict[str, t.Any] = {"frame_id": self.found.id}
        back = flask.url_for("janela.arrange", **at)
        pane = self.pane
        if pane is None:
            action = flask.url_for("janela.new_pane", **at)
        else:
            action = flask.url_for("janela.edit_pane", pane_id=pane.id, **at)
        shown = PaneForm(
            heading=self._heading(),
            crumbs=(
                views.Link(flask.url_for("janela.index"), say("Frames")),
                views.Link(flask.url_for("janela.frame", **at), self.found.name),
                views.Link(back, say("Arrange")),
            ),
            action=action,
            refresh=flask.url_for("janela.preview_pane", **at),
            submit=say("Add pane") if pane is None else say("Save pane"),
            cancel=back if pane is None else f"{back}#janela-pane-{pane.id}",
            kind=self.kind,
            version=self.found.version if version is None else version,
            kinds=self._kinds() if pane is None and self.kind != "partial" else (),
            errors=errors,
            story=told,
        )
        if self.kind != "query":
            plain = tuple(self._field(name, errors) for name in FIELDS[self.kind])
            return dataclasses.replace(shown, plain=plain, preview=self._preview())
        if self.model is None and not self.typed["model"]:
            return dataclasses.replace(shown, starts=tuple(self._starts()))
        return dataclasses.replace(
            shown,
            sentence=tuple(
                self._field(name, errors)
                for name in _SENTENCE
                if name != "granularity" or self._times() or self.typed[name]
            ),
            drawn=self._drawn(errors),
            reasons=self._reasons(),
            plain=tuple(self._field(name, errors) for name in ("title", *_SIZE)),
            more=tuple(self._field(name, errors) for name in _MORE if self._has(name)),
            open=self._more_is_set(errors),
            preview=self._preview(),
        )

    def _heading(self) -> str:
        if self.pane is None:
            return say("Add a pane")
        return say("Edit {pane}", pane=handles.name_of(self.pane, self.reader))

    def _kinds(self) -> tuple[views.Link, ...]:
        at = flask.url_for("janela.new_pane", frame_id=self.found.id)
        return tuple(
            views.Link(address, said, self.kind == kind)
            for kind, said, address in (
                ("query", say("A number or chart"), at),
                ("text", say("Words"), f"{at}?kind=text"),
            )
        )

    def _starts(self) -> cabc.Iterator[Start]:
        catalogue, caller = self.reader.catalogue, self.reader.caller
        for name in catalogue.names(caller):
            model = self.reader.model(name)
            measures = words.measures(len(catalogue.measures(model, caller)))
            dimensions = words.dimensions(len(self.reader.dimensions(model)))
            href = flask.url_for("janela.new_pane", frame_id=self.found.id, model=name)
            yield Start(views.Link(href, model.label), joined(", ", (measures, dimensions)))

    def _times(self) -> dict[str, BoundDimension]:
        if self.model is None:
            return {}
        dimensions = self.reader.dimensions(self.model)
        return {name: each for name, each in dimensions.items() if each.is_time}

    def _has(self, name: str) -> bool:
        return name != "over" or bool(self._times() or self.typed[name])

    def _more_is_set(self, errors: cabc.Iterable[str]) -> bool:
        defaults = read_options({})
        return any(
            self.typed[name] != forms.written(name, getattr(defaults, name))
            or forms.own_error(name, errors)
            for name in _MORE
        )

    def _field(self, name: str, errors: cabc.Iterable[str]) -> forms.Field:
        more: dict[str, t.Any] = {}
        offered = self._offered(name)
        if offered is not None:
            more["options"] = offered
        if name in _SENTENCE:
            more["help"] = self._about(name)
        if name == "title":
            more |= {"placeholder": self._usual_title(), "help": ""}
        if name == "filters":
            more |= {
                "placeholder": self._filter_example(),
                "help": self._filter_help(),
            }
        return forms.field(name, self.typed[name], errors, **more)

    def _offered(self, name: str) -> list[tuple[str, str]] | None:
        """The names to choose among; None where the option's own declaration says."""
        if name == "model":
            return [
                (each, self.reader.model(each).label)
                for each in self.reader.catalogue.names(self.reader.caller)
            ]
        if self.model is None:
            return [] if name in {"measure", "dimension", "over", "companions"} else None
        dimensions = self.reader.dimensions(self.model)
        if name == "measure":
            return [(each, measure.label) for each, measure in self.measures.items()]
        if name == "dimension":
            return [("", say("nothing")), *((each, d.label) for each, d in dimensions.items())]
        if name == "over":
            return [("", say("nothing")), *((each, d.label) for each, d in self._times().items())]
        if name == "granularity":
            usual = self.dimension.granularity if self._by_time() and self.dimension else None
            known = self.dimension.granularities if self._by_time() and self.dimension else None
            return [
                ("", say("automatic: {kind}", kind=CALLED[usual]) if usual else say("automatic")),
                *((each, CALLED[each]) for each in known or GRANULARITIES),
            ]
        if name == "companions":
            return [
                *((n, m.label) for n, m in self.measures.items() if n != self.typed["measure"]),
                *(
                    (n, d.label)
                    for n, d in dimensions.items()
                    if not d.is_time and n != self.typed["dimension"]
                ),
            ]
        return None

    def _by_time(self) -> bool:
        return self.dimension is not None and self.dimension.is_time

    def _about(self, name: str) -> str:
        if name == "measure" and self.measure is not None:
            return self.measure.declared.description
        if name == "dimension" and self.dimension is not None:
            return self.dimension.declared.description
        if name == "granularity" and not self._by_time():
            return say("For a split by time.")
        return ""

    def _usual_title(self) -> str:
        if self.measure is None:
            return ""
        dimension = self.dimension
        granularity = None
        if dimension is not None and dimension.is_time:
            granularity = self.typed["granularity"] or dimension.granularity
        return words.title(
            self.measure.label,
            dimension.label if dimension is not None else None,
            granularity,
            self._by_time(),
        )

    def _filter_help(self) -> str:
        names = "" if self.model is None else ", ".join(self.reader.dimensions(self.model))
        return say(
            "One filter a line, for this pane alone. There is {names}.",
            names=names or say("nothing"),
        )

    def _filter_example(self) -> str:
        """A line that could be typed, but for its value."""
        dimensions = {} if self.model is None else self.reader.dimensions(self.model)
        return next((f"{name} = …" for name, d in dimensions.items() if not d.is_time), "")

    def _impossible(self) -> cabc.Mapping[str, str]:
        """Which drawings cannot show what is chosen, and why."""
        if self.measure is None:
            return {}
        label = words.within(self.measure.label)
        if self.typed["dimension"] == "":
            why = say("bars, lines and rings need a “by”")
            return dict.fromkeys(("bar", "line", "doughnut", "pie"), why)
        found = {"number": say("a number takes no “by”")}
        if self.measure.kind.is_time:
            why = say(
                "{measure} is a time rather than an amount, so only a table shows it",
                measure=label,
            )
            found |= dict.fromkeys(("bar", "line", "doughnut", "pie"), why)
        elif not rings.adds_up(self.measure):
            why = say("{measure} does not add up to a whole, so it makes no ring", measure=label)
            found |= dict.fromkeys(("doughnut", "pie"), why)
        return found

    def _reasons(self) -> str:
        said = joined("; ", dict.fromkeys(self._impossible().values()))
        return full_stop(capital(said)) if said else ""

    def _drawn(self, errors: cabc.Iterable[str]) -> forms.Field:
        usual: Renderer = "line" if self._by_time() else "bar"
        if not self.typed["dimension"]:
            usual = "number"
        automatic = say("Automatic: {kind}", kind=RENDERERS[usual])
        impossible = self._impossible()
        plain = forms.field("renderer", self.typed["renderer"], errors, control="drawn", help="")
        return dataclasses.replace(
            plain,
            options=tuple(
                dataclasses.replace(
                    each,
                    text=capital(each.text) if each.value else automatic,
                    disabled=each.value in impossible and not each.chosen,
                    icon=_ICONS.get(each.value or usual, "ring"),
                )
                for each in plain.options
            ),
        )

    def _preview(self) -> views.Pane:
        light = arrange.still(self.reader, self.found)
        try:
            options = self.options()
        except BadRequest as error:
            figure = views.Gone(say("There is nothing to show yet."), error.message)
            return views.Pane("janela-preview-pane", say("Preview"), figure, height=2)
        drawn = Pane(id=0, frame_id=self.found.id, position=0, **options.model_dump())
        return dataclasses.replace(light.pane(drawn, self.found.columns), id="janela-preview-pane")
