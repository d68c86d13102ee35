"""Every route of Janela's that is read, opened as one caller and compared with what is theirs."""

from __future__ import annotations

import collections
import collections.abc as cabc
import csv
import dataclasses
import io
import typing as t

import babel
import flask

from ..errors import JanelaError, listed
from ..vocabulary import keys as key_values
from ..vocabulary.kinds import Kind
from .leaks import OWN, PAGE, Incomplete, Leaks, Page
from .subject import Asked, Browser, Hung
from .truth import Secret, Truth, label_of

_EXACT = {Kind.TEXT, Kind.INTEGER, Kind.BOOLEAN, Kind.ENUM}
"""Kinds whose members a file writes in one way only."""

Address = tuple[str, str, str | None]
"""An endpoint without its blueprint, an address, and the dimension that its answer is split by."""


@dataclasses.dataclass(frozen=True)
class Walk:
    """One caller's walk.

    Attributes:
        mine, theirs: what the two callers may read, as the scope says.
        secrets: texts of the other's that must not be told.
    """

    app: flask.Flask
    browser: Browser
    asked: Asked
    frames: tuple[Hung, ...]
    tools: tuple[str, ...]
    mine: Truth
    theirs: Truth
    secrets: list[Secret]
    locale: babel.Locale
    leaks: Leaks

    def routes(self) -> list[str]:
        """Open every page, look for what is not the caller's, and say which routes answered.

        Raises:
            Incomplete: when the caller is not signed in, or a page breaks down.
        """
        check_known(self.app)
        opened: dict[str, None] = {}
        with self.app.test_request_context():
            addresses = list(self._addresses())
        for endpoint, address, dimension in addresses:
            answer = _opened(self.browser, address)
            if answer.status_code != 200:
                if endpoint == "index":
                    raise Incomplete(_not_in(self.mine.name, address, answer.status_code))
                continue
            opened[endpoint] = None
            self._compare(endpoint, address, dimension, answer)
        return list(opened)

    def everywhere(self) -> list[tuple[str, str]]:
        """Every endpoint and address there is to open."""
        with self.app.test_request_context():
            return [(endpoint, address) for endpoint, address, _ in self._addresses()]

    # which pages there are

    def _addresses(self) -> cabc.Iterator[Address]:
        yield "index", _url("index"), None
        yield from self._questions()
        yield "explore", _url("explore"), None
        asked = {"model": self.asked.bound.name, "measure": self.asked.number}
        for dimension in self.asked.dimensions:
            yield "explore", _url("explore", **asked, dimension=dimension), None
        yield "new_frame", _url("new_frame"), None
        for frame in self.frames:
            yield from self._of_frame(frame)
        for name in ("roster", "roster_json", "roster_csv"):
            yield name, _url(name), None
        for tool in self.tools:
            yield "tool", _url("tool", name=tool), None

    def _questions(self) -> cabc.Iterator[Address]:
        model = self.asked.bound.name
        splits: list[dict[str, str]] = [{"measure": each} for each in self.asked.measures]
        splits += [{"measure": self.asked.number, "dimension": d} for d in self.asked.dimensions]
        for split in splits:
            for name in ("ask", "export_question"):
                yield name, _url(name, model=model, **split), split.get("dimension", "")
        for name in ("rows", "export_rows"):
            yield name, _url(name, model=model), None

    def _of_frame(self, frame: Hung) -> cabc.Iterator[Address]:
        here: dict[str, t.Any] = {"frame_id": frame.id}
        asked = {"model": self.asked.bound.name, "measure": self.asked.number}
        for name in ("frame", "arrange", "edit_frame", "delete_frame"):
            yield name, _url(name, **here), None
        yield "frame", _url("frame", **here, kiosk=1), None
        for dimension in self.asked.dimensions:
            named = f"{self.asked.bound.name}.{dimension}"
            yield "filter", _url("filter", **here, dimension=named), dimension
            for name in ("new_pane", "preview_pane"):
                yield name, _url(name, **here, **asked, dimension=dimension), None
        split: list[str | None] = ["", *self.asked.dimensions]
        for at, (pane, _) in enumerate(frame.panes):
            its = {**here, "pane_id": pane}
            by = split[at] if frame.made else None
            for name in ("pane", "edit_pane", "pane_rows"):
                yield name, _url(name, **its), None
            yield "export", _url("export", **its), by
            counted = "" if frame.made else None
            yield "export_pane_rows", _url("export_pane_rows", **its), counted

    # what an answer tells

    def _compare(self, endpoint: str, address: str, dimension: str | None, answer: t.Any) -> None:
        where = f"GET {address}"
        if answer.mimetype == "text/html":
            page = Page(answer.text)
            self.leaks.look(where, page.text, self.secrets, PAGE)
            if endpoint == "filter" and dimension:
                self._compare_offered(where, dimension, page.offered)
            return
        self.leaks.look(where, answer.text, self.secrets, OWN)
        if answer.mimetype == "text/csv" and dimension is not None:
            lines = list(csv.reader(io.StringIO(answer.text.removeprefix("\ufeff"))))[1:]
            if endpoint in {"export_question", "export"}:
                self._compare_counts(where, dimension, lines)
            else:
                self._compare_number(where, len(lines), "rows")
        elif endpoint == "export_rows":
            lines = list(csv.reader(io.StringIO(answer.text)))[1:]
            self._compare_number(where, len(lines), "rows")

    def _compare_offered(self, where: str, dimension: str, offered: list[str]) -> None:
        theirs = self.theirs.counts[dimension].keys() - self.mine.counts[dimension].keys()
        for text in {key_values.write(key) for key in theirs if key is not None} & set(offered):
            self.leaks.add(where, f"the {dimension} “{text}” among what it offers")

    def _compare_counts(self, where: str, dimension: str, lines: list[list[str]]) -> None:
        """A file's members with how many rows each has."""
        if not dimension:
            if self._is_count(where) and lines:
                self._compare_number(where, int(lines[0][-1]), "rows")
            return
        bound = self.asked.bound.dimensions[dimension]
        if bound.kind not in _EXACT:
            return
        expected: collections.Counter[str] = collections.Counter()
        for key, count in self.mine.counts[dimension].items():
            expected[label_of(bound, key, self.locale)] += count
        for label, *values in lines:
            found = label if label in expected else label.removeprefix("'")
            if found not in expected:
                self.leaks.add(where, f"the {dimension} “{found}”")
            elif self.asked.counts and int(values[0]) > expected[found]:
                told = f"{values[0]} rows of the {dimension} “{found}”, of which there are "
                self.leaks.add(where, f"{told}{expected[found]} for them")

    def _is_count(self, where: str) -> bool:
        asked = self.asked
        question = f"/ask/{asked.bound.name}/{asked.number}.csv"
        return asked.counts and (where.endswith(question) or "/panes/" in where)

    def _compare_number(self, where: str, told: int, what: str) -> None:
        if told > len(self.mine.keys):
            mine = len(self.mine.keys)
            self.leaks.add(where, f"{told} {what}, of which there are {mine} for them")


KNOWN = {
    *("index", "frame", "filter", "pane", "export", "ask", "export_question", "rows"),
    *("export_rows", "pane_rows", "export_pane_rows", "explore", "new_frame", "edit_frame"),
    *("delete_frame", "new_pane", "edit_pane", "arrange", "preview_pane", "roster", "tool"),
    *("roster_json", "roster_csv"),
}
"""Every endpoint that is read."""


def check_known(app: flask.Flask) -> None:
    """Refuse to prove anything where there are pages that a walk does not open.

    Raises:
        JanelaError: naming them.
    """
    read = {
        rule.endpoint.removeprefix("janela.")
        for rule in app.url_map.iter_rules()
        if rule.endpoint.startswith("janela.") and "GET" in (rule.methods or ())
    }
    if unknown := sorted(read - KNOWN - {"static"}):
        raise JanelaError(f"flask_janela.testing does not know the pages {listed(unknown)}.")


def _url(page: str, /, **named: t.Any) -> str:
    return flask.url_for(f"janela.{page}", **named)


def _opened(browser: Browser, address: str) -> t.Any:
    try:
        answer = browser.get(address)
    except Exception as error:
        error.add_note(f"While flask_janela.testing opened {address}")
        raise
    if answer.status_code >= 500:
        raise Incomplete(
            f"GET {address} answered {answer.status_code}, so it is not known what it tells. Mend "
            "that first: flask janela doctor says what it can."
        )
    return answer


def _not_in(name: str, address: str, status: int) -> str:
    return (
        f"{name} cannot open {address}: it answered {status}, so no page can be walked. If they "
        "are not signed in, say how that is done: sign_in=lambda client, caller: client.post(…). "
        'If they may not "view", choose another caller.'
    )
