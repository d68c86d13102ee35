"""What reached somebody whom it should not have reached, and what to do about it."""

from __future__ import annotations

import dataclasses
import html.parser
import typing as t
import urllib.parse

from .truth import Secret, stands_in

MOST_TOLD = 20

OWN = (
    "The scope answers otherwise there than here: let it go by the caller that it is given, not by "
    "current_user, session, the request or anything that is kept from one call to the next."
)
"""What to do where one of Janela's own pages or tools told something."""

PAGE = (
    "Where the scope goes by its caller alone, it is a template of yours, or a partial: read what "
    "it shows through the scope. If it is a word of your pages rather than of a row, leave it out: "
    "ignoring={…}."
)
TOOL = (
    "Narrow what it reads to its caller, such as by janela.ask(…, caller=caller) or "
    "janela.records(…, caller=caller)."
)


class Incomplete(AssertionError):
    """Nothing leaked that was seen, and not enough was seen to prove anything."""


@dataclasses.dataclass(frozen=True, slots=True)
class Leak:
    """One thing that was told.

    Attributes:
        where: the route with its address, or the tool with its arguments.
        what: what was told there.
        todo: what to do about it.
    """

    where: str
    what: str
    todo: str


class Leaks:
    """All of what one caller was told of another's."""

    def __init__(self, subject: str, to: str) -> None:
        self.subject = subject
        self.to = to
        self.found: dict[tuple[str, str], Leak] = {}

    def add(self, where: str, what: str, todo: str = OWN) -> None:
        self.found.setdefault((where, what), Leak(where, what, todo))

    def look(self, where: str, told: str, secrets: list[Secret], todo: str) -> None:
        """Look for texts that are not the caller's to read."""
        words = " ".join(told.split())
        for secret in secrets:
            if stands_in(secret.text, words):
                self.add(where, f"the {secret.column} “{secret.text}”", todo)

    def refuse(self) -> None:
        """Raise when there are any.

        Raises:
            AssertionError: with every route and tool, what it told, and what to do.
        """
        if not self.found:
            return
        leaks = list(self.found.values())
        lines = [f"{self.subject} reached {self.to}:"]
        lines += [f"  {each.where} told {each.what}." for each in leaks[:MOST_TOLD]]
        if len(leaks) > MOST_TOLD:
            lines.append(f"  And {len(leaks) - MOST_TOLD} more.")
        lines += ["What to do:", *(f"  {todo}" for todo in dict.fromkeys(e.todo for e in leaks))]
        raise AssertionError("\n".join(lines))


class Page(html.parser.HTMLParser):
    """What a page tells: its texts and attributes, and the values that its fields offer."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.told: list[str] = []
        self.offered: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.told += [urllib.parse.unquote_plus(value) for value in given.values()]
        if tag == "option" or given.get("name") == "value":
            self.offered.append(given.get("value", ""))

    def handle_data(self, data: str) -> None:
        self.told.append(data)

    @property
    def text(self) -> str:
        return "\n".join(self.told)


def texts_in(answer: t.Any) -> list[str]:
    """Every text in a tool's answer, names of fields included."""
    if isinstance(answer, str):
        return [answer]
    if isinstance(answer, dict):
        return [text for pair in answer.items() for each in pair for text in texts_in(each)]
    if isinstance(answer, list | tuple):
        return [text for each in answer for text in texts_in(each)]
    return []
