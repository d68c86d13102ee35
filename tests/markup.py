"""HTML read back: elements with their attributes and text, for tests that look at pages."""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import html.parser

VOID = {"br", "img", "input", "link", "meta", "hr"}
SHAPES = {"rect", "line", "path", "circle"}


@dataclasses.dataclass
class Element:
    """One element; ``text`` is all the text inside it."""

    tag: str
    attributes: dict[str, str | None]
    inside: tuple[Element, ...]
    text: str = ""

    def __getitem__(self, name: str) -> str:
        return self.attributes.get(name) or ""

    @property
    def classes(self) -> set[str]:
        return set(self["class"].split())

    @property
    def words(self) -> str:
        return " ".join(self.text.split())


class Page(html.parser.HTMLParser):
    """All elements of a page in the order they open."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[Element] = []
        self._open: list[Element] = []
        self.feed(text)
        self.close()
        assert not self._open, [element.tag for element in self._open]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, dict(attrs), tuple(self._open))
        self.elements.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in SHAPES, f"<{tag}/> does not close itself in HTML"
        self.elements.append(Element(tag, dict(attrs), tuple(self._open)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open, f"</{tag}> closes nothing"
        assert self._open[-1].tag == tag, f"</{tag}> closes <{self._open[-1].tag}>"
        self._open.pop()

    def handle_data(self, data: str) -> None:
        for element in self._open:
            element.text += data

    def all(self, class_: str = "", tag: str = "") -> list[Element]:
        """The elements of a class, of a tag, or of both."""
        return [
            element
            for element in self.elements
            if (not class_ or class_ in element.classes) and (not tag or element.tag == tag)
        ]

    def one(self, class_: str = "", tag: str = "") -> Element:
        found = self.all(class_, tag)
        assert len(found) == 1, (class_, tag, len(found))
        return found[0]

    def within(self, outer: Element, class_: str = "", tag: str = "") -> list[Element]:
        """Those that lie inside another."""
        return [each for each in self.all(class_, tag) if any(o is outer for o in each.inside)]

    def words(self, class_: str = "", tag: str = "") -> list[str]:
        return [element.words for element in self.all(class_, tag)]

    def links(self) -> dict[str, str]:
        """Every link's address by its name: its label, else its text."""
        return {
            (element["aria-label"] or element.words): element["href"]
            for element in self.elements
            if element.tag == "a" and element["href"]
        }

    def pane(self, title: str) -> Element:
        """The pane under a heading."""
        for heading in self.all("janela-pane__title"):
            if heading.words == title:
                return next(e for e in heading.inside if "janela-pane" in e.classes)
        raise AssertionError(f"no pane {title!r} among {self.words('janela-pane__title')}")


def faults(page: Page) -> cabc.Iterator[str]:
    """What a strict Content Security Policy or a validator would object to."""
    seen: set[str] = set()
    for element in page.elements:
        inline = element.tag == "script" and (not element["src"] or element.text)
        if inline or element.tag == "style":
            yield f"<{element.tag}>"
        for name, value in element.attributes.items():
            if name == "style" or name.startswith("on"):
                yield f"{element.tag} {name}"
            if name in {"href", "src", "action"} and (value or "").lower().startswith(
                ("javascript:", "data:", "//", "http")
            ):
                yield f"{element.tag} {name}={value}"
        if element["id"]:
            if element["id"] in seen:
                yield f"two elements have the id {element['id']}"
            seen.add(element["id"])
    for element in page.elements:
        for name in ("aria-labelledby", "for"):
            if element[name] and element[name] not in seen:
                yield f"{element.tag} {name}={element[name]} names nothing"
