"""Every tool, called for one caller and compared with what is theirs."""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import json
import typing as t

from ..errors import Failed, JanelaError, NotFound, listed
from ..query.records import find as find_records
from ..query.result import json_value
from ..state import State
from ..tools import Tool, Tools
from ..vocabulary import keys as key_values
from ..vocabulary.formats import snake
from .leaks import OWN, TOOL, Incomplete, Leaks, texts_in
from .subject import Asked, Hung
from .truth import Secret, Truth

MOST_PROBES = 5
"""So many of a dimension's members that are not the caller's are filtered by."""

MOST_PAGES = 10

Arguments = cabc.Mapping[str, cabc.Sequence[cabc.Mapping[str, t.Any]] | None]
"""For tools of the host's: what each is called with; None to leave one out."""


@dataclasses.dataclass(frozen=True)
class Calls:
    """One caller's calls; see :class:`~.routes.Walk`.

    Attributes:
        hidden_keys: keys of rows that only the other caller may read, as records write them.
    """

    tools: Tools
    asked: Asked
    frames: tuple[Hung, ...]
    arguments: Arguments
    mine: Truth
    theirs: Truth
    secrets: list[Secret]
    hidden_keys: tuple[str, ...]
    leaks: Leaks

    def call(self) -> list[str]:
        """Call every tool, look for what is not the caller's, and say which ones answered.

        Raises:
            Incomplete: for a tool of the host's that nobody said how to call, or that breaks down.
        """
        answered: list[str] = []
        every = self.tools.all()
        self._check_arguments(every)
        for tool in every:
            told = [self._told(tool, given) for given in self._calls(tool)]
            if any(told):
                answered.append(tool.name)
        self._probe({tool.name for tool in every})
        return answered

    def _check_arguments(self, tools: list[Tool]) -> None:
        needing = [
            tool.name
            for tool in tools
            if not self._is_own(tool)
            and tool.read_only
            and tool.name not in self.arguments
            and tool.input_schema.get("required")
        ]
        if needing:
            first = needing[0]
            example = {first: [dict.fromkeys(_required(tools, first), "…")]}
            raise Incomplete(
                f"Nobody said how to call {listed(needing)}. Give what would tell of the other "
                f"caller's rows, such as arguments={json.dumps(example, ensure_ascii=False)}, or "
                "None to leave a tool out."
            )

    def _is_own(self, tool: Tool) -> bool:
        return tool.name in _FRAMES or tool.group in self._models

    @property
    def _models(self) -> set[str]:
        return {each.group for each in self.tools.all() if each.name.startswith("find_")}

    def _calls(self, tool: Tool) -> cabc.Iterator[dict[str, t.Any]]:
        """The arguments that a tool is called with."""
        if tool.name in self.arguments:
            yield from (dict(given) for given in self.arguments[tool.name] or ())
        elif not tool.read_only:
            return
        elif tool.name == "get_frame":
            yield from ({"frame_id": frame.id} for frame in self.frames)
        elif tool.name == "read_pane":
            yield from ({"pane_id": pane} for frame in self.frames for pane, _ in frame.panes)
        elif tool.name == "read_measure":
            yield from self._questions()
        elif tool.name.startswith("get_") and tool.group in self._models:
            if tool.group == self.asked.bound.name:
                yield from ({"key": key} for key in self.hidden_keys)
        else:
            yield {}

    def _questions(self) -> cabc.Iterator[dict[str, t.Any]]:
        model = self.asked.bound.name
        for measure in self._there("measures"):
            yield {"model": model, "measure": measure}
        if self.asked.number in self._there("measures"):
            for dimension in self._there("dimensions"):
                yield {"model": model, "measure": self.asked.number, "dimension": dimension}

    def _there(self, kind: str) -> tuple[str, ...]:
        """Those of the asked names that exist for agents."""
        bound = self.asked.bound
        every: t.Any = bound.measures if kind == "measures" else bound.dimensions
        asked = self.asked.measures if kind == "measures" else self.asked.dimensions
        return tuple(name for name in asked if every[name].declared.agents)

    def _told(self, tool: Tool, given: dict[str, t.Any]) -> bool:
        """Call a tool, and compare its answer; whether it answered."""
        where = f"The tool {tool.name}({json.dumps(given, default=str, ensure_ascii=False)})"
        try:
            answer = self.tools.call(tool.name, given)
        except Failed as error:
            raise Incomplete(f"{where} broke down: {error.message}") from error
        except JanelaError as error:
            self.leaks.look(where, error.message, self._unsaid(given), OWN)
            return False
        own = self._is_own(tool)
        told = "\n".join(texts_in(answer))
        self.leaks.look(where, told, self._unsaid(given), OWN if own else TOOL)
        if not own:
            self._compare_keys(where, answer)
        elif tool.name == "read_measure":
            self._compare_answer(where, given, answer)
        elif tool.group == self.asked.bound.name:
            if "key" in given:
                self.leaks.add(where, "a row that is not theirs")
            elif answer["count"] > len(self.mine.keys):
                number = f"{answer['count']} rows, of which there are {len(self.mine.keys)}"
                self.leaks.add(where, f"{number} for them")
        return True

    def _unsaid(self, given: dict[str, t.Any]) -> list[Secret]:
        """What must not be told: not what was said in the call itself."""
        said = "\n".join(texts_in(given))
        return [secret for secret in self.secrets if secret.text not in said]

    def _compare_answer(self, where: str, given: dict[str, t.Any], answer: t.Any) -> None:
        if not self.asked.counts or given["measure"] != self.asked.number:
            return
        total, mine = answer["total"][self.asked.number], len(self.mine.keys)
        if total > mine:
            self.leaks.add(where, f"{total} rows, of which there are {mine} for them")
        dimension = given.get("dimension")
        if dimension is None or self.asked.bound.dimensions[dimension].is_time:
            return
        column = [each["name"] for each in answer["columns"]].index(self.asked.number)
        expected = {json_value(k): count for k, count in self.mine.counts[dimension].items()}
        for row in answer["rows"]:
            if row[0] not in expected:
                self.leaks.add(where, f"the {dimension} “{row[0]}”")
            elif row[column] > expected[row[0]]:
                told = f"{row[column]} rows of the {dimension} “{row[0]}”, of which there are "
                self.leaks.add(where, f"{told}{expected[row[0]]} for them")

    def _compare_keys(self, where: str, answer: t.Any) -> None:
        """What a host's tool says under the name of the model's key, or of the model."""
        one = snake(self.asked.bound.model.__name__)
        hidden = self.theirs.keys - self.mine.keys
        texts = {str(key[0]) for key in hidden if len(key) == 1}
        for name, value in _named(answer):
            if name in {"key", "id", one, f"{one}_id"} and str(value) in texts:
                self.leaks.add(where, f"the {name} {value}", TOOL)

    def _probe(self, there: set[str]) -> None:
        """Filter by members that only the other has: nothing may come of it."""
        if "read_measure" not in there or not self.asked.counts:
            return
        for dimension in self._there("dimensions"):
            hidden = self.theirs.counts[dimension].keys() - self.mine.counts[dimension].keys()
            bound = self.asked.bound.dimensions[dimension]
            if bound.is_time:
                continue
            for key in sorted((k for k in hidden if k is not None), key=str)[:MOST_PROBES]:
                asked = {"model": self.asked.bound.name, "measure": self.asked.number}
                asked["filters"] = {dimension: [key_values.write(key)]}  # type: ignore[assignment]
                where = f"The tool read_measure({json.dumps(asked, ensure_ascii=False)})"
                total = self.tools.run("read_measure", asked).get("total", {})
                if total.get(self.asked.number):
                    self.leaks.add(where, f"{total[self.asked.number]} rows that are not theirs")


_FRAMES = {
    *("describe_vocabulary", "list_frames", "get_frame", "read_pane", "read_measure"),
    *("add_pane", "update_pane", "remove_pane", "move_pane"),
}


def _required(tools: list[Tool], name: str) -> list[str]:
    return next(list(tool.input_schema["required"]) for tool in tools if tool.name == name)


def _named(answer: t.Any) -> cabc.Iterator[tuple[str, t.Any]]:
    """Every single value of an answer with the name that it stands under."""
    waiting: list[tuple[str, t.Any]] = [("", answer)]
    while waiting:
        name, value = waiting.pop()
        if isinstance(value, dict):
            waiting += value.items()
        elif isinstance(value, list | tuple):
            waiting += [(name, each) for each in value]
        elif not isinstance(value, bool):
            yield name, value


def hidden_keys(state: State, asked: Asked, other: t.Any, mine: Truth) -> tuple[str, ...]:
    """Keys of some rows that only the other caller may read, as records write them."""
    if asked.bound.records is None:
        return ()
    found: list[str] = []
    cursor: str | None = None
    for _ in range(MOST_PAGES):
        try:
            page = find_records(state.reader(other), asked.bound.name, limit=100, cursor=cursor)
        except NotFound:
            break
        found += [row.key for row in page.rows if row.identity not in mine.keys]
        cursor = page.next
        if cursor is None or len(found) >= 2 * MOST_PROBES:
            break
    return tuple(found[: 2 * MOST_PROBES])
