"""The theming contract: what docs/theming.md names is there, and what is there is named."""

from __future__ import annotations

import functools
import re
from pathlib import Path

import pytest
from desk import desk, frame, page, pane
from hosts import Host
from markup import Page

ROOT = Path(__file__).parent.parent
DOCUMENT = (ROOT / "docs" / "theming.md").read_text()
SHEET = re.sub(r"/\*.*?\*/", "", (ROOT / "static" / "janela.css").read_text(), flags=re.DOTALL)


def section(heading: str) -> str:
    """The text under a heading, up to the next one."""
    return re.split(r"^#+ ", DOCUMENT.split(f"# {heading}\n", 1)[1], flags=re.MULTILINE)[0]


def named(heading: str) -> list[str]:
    """What the first column of a table names, ranges as they are written."""
    cells = re.findall(r"^\| (`[^|]+) \|", section(heading), re.MULTILINE)
    return [cell.replace("`", "") for cell in cells]


def spread(name: str) -> list[str]:
    """ "janela-gap-0 to janela-gap-8" as the nine that it stands for."""
    if " to " not in name:
        return [name]
    first, last = name.split(" to ")
    stem = first.rstrip("0123456789")
    assert last.startswith(stem)
    return [f"{stem}{i}" for i in range(int(first[len(stem) :]), int(last[len(stem) :]) + 1)]


PROPERTIES = [each for name in named("Properties") for each in spread(name)]
CLASSES, STATES = named("Classes"), named("States")
RANGES = [each for name in named("Integers") for each in spread(name)]


def declared(block: str) -> dict[str, str]:
    return dict(re.findall(r"(--janela-[a-z0-9-]+):\s*([^;]+);", block))


LIGHT = declared(re.findall(r"^:root \{(.*?)^\}", SHEET, re.DOTALL | re.MULTILINE)[0])
DARK = declared(
    re.findall(r"prefers-color-scheme: dark\) \{\s*:root:where.*? \{(.*?)\}", SHEET, re.DOTALL)[0]
)


def test_every_property_is_named() -> None:
    """In the order of the stylesheet's tokens, and none that is not one."""
    assert sorted(PROPERTIES) == sorted(LIGHT)
    assert len(PROPERTIES) == len(set(PROPERTIES))


def test_every_colour_has_a_dark_value() -> None:
    """Sizes, faces and what floats are the same in both."""
    colours = {name for name, value in LIGHT.items() if value.startswith("#")}
    assert colours <= set(DARK) <= set(LIGHT)


@pytest.mark.parametrize("name", [*CLASSES, *STATES, *RANGES])
def test_every_class_has_a_rule(name: str) -> None:
    """Of its own, or with others."""
    if name not in {"janela-embedded"}:
        assert re.search(rf"\.{re.escape(name)}(?![\w-])", SHEET), name


def everything(made: Host) -> list[Page]:
    """Pages that together show every part there is."""
    sales = frame(made, description="All there is.", filters={"product.not": ["nothing"]})
    pane(made, sales, measure="revenue", over="placed", prominence=3, height=2)
    pane(made, sales, measure="orders", dimension="region")
    pane(made, sales, measure="orders", dimension="region", renderer="doughnut")
    pane(made, sales, measure="delay", dimension="region", renderer="doughnut", title="Not a ring")
    pane(made, sales, measure="orders", dimension="placed")
    pane(made, sales, measure="orders", dimension="product", renderer="table", limit=1)
    pane(made, sales, model="tickets", measure="tickets", dimension="topic")
    pane(made, sales, kind="text", heading="Words", body="One", link="/somewhere")

    @made.app.get("/embedded")
    def embedded() -> str:
        from flask import render_template_string

        return render_template_string('{{ janela_pane("orders", "orders", by="region") }}')

    at = f"/janela/frames/{sales.id}"
    addresses = [
        "/janela/",
        "/janela/?search=nothing",
        f"{at}?q.placed=2013-12",
        f"{at}?q.region=EU&q.placed.gte=2013-11-15",
        "/janela/ask/orders/revenue",
        "/janela/explore",
        f"{at}/arrange",
        "/janela/frames/new",
        "/embedded",
    ]
    return [page(made, address) for address in addresses]


@functools.cache
def rendered() -> frozenset[str]:
    """Every class on any of those pages."""
    with desk() as made:
        found = everything(made)
        return frozenset(name for each in found for e in each.elements for name in e.classes)


@pytest.mark.parametrize("name", CLASSES)
def test_every_class_is_rendered(name: str) -> None:
    """By some page."""
    assert name in rendered()


@pytest.mark.parametrize(
    "name", [name for name in STATES if not name.endswith(("better", "worse", "waiting", "gone"))]
)
def test_states_that_readers_bring_about_are_rendered(name: str) -> None:
    """By the pages that are filtered."""
    assert name in rendered()


def test_every_block_is_named() -> None:
    """Those of the base template, and the one that pages fill."""
    templates = ROOT / "templates" / "janela"
    found = {
        block
        for name in ("base.html", "page.html")
        for block in re.findall(r"{% block (\w+) %}", (templates / name).read_text())
    }
    assert set(named("Blocks")) == found


def test_the_shown_theme_works(tmp_path: Path) -> None:
    """Its base template holds every page, and its stylesheet comes after Janela's."""
    (base,) = re.findall(r"```jinja\n(.*?)```", DOCUMENT, re.DOTALL)
    (tmp_path / "site.html").write_text(base)
    with desk(JANELA_BASE_TEMPLATE="site.html") as made:
        made.app.template_folder = str(tmp_path)
        for found in everything(made)[:-1]:
            sheets = [link["href"] for link in found.all(tag="link")]
            assert sheets[:2] == ["/janela/static/janela.css", "/static/theme.css"]
            assert found.all(tag="title")[0].words.endswith("· Our shop")
            assert found.all("janela-lintel") == []


def test_the_shown_theme_sets_what_there_is() -> None:
    """Every property and class in its stylesheet is one of the contract's."""
    (sheet,) = re.findall(r"```css\n(.*?)```", DOCUMENT, re.DOTALL)
    assert set(re.findall(r"--janela-[\w-]+", sheet)) <= set(PROPERTIES)
    assert set(re.findall(r"\.(janela-[\w-]+)", sheet)) <= set(CLASSES)
