"""The frames a caller may see, found, sorted and drawn small."""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import datetime as dt
import zoneinfo

import babel
import pytest
from desk import NOW, desk, frame, page, pane
from hosts import Host
from markup import faults

from flask_janela.frames.story import ago
from flask_janela.pages.thumbnails import Place, places, tiles
from flask_janela.query.time import Clock


@pytest.fixture
def made() -> cabc.Iterator[Host]:
    with desk() as host_:
        yield host_


def named(made: Host, name: str, *, days_ago: int, by: str | None = None, **more: str) -> None:
    found = frame(made, key=f"days_{days_ago}", name=name, **more)
    found.updated_at = (NOW - dt.timedelta(days=days_ago)).replace(tzinfo=None)
    found.updated_by = by
    made.db.session.commit()


def test_frames_with_what_they_are_about(made: Host) -> None:
    """Name, description, how many panes, changed when and by whom; newest first."""
    named(made, "Sales", days_ago=2, by="user:ana", description="What we sold")
    named(made, "Tickets", days_ago=0, by="user:ben")
    named(made, "Archive", days_ago=60, by="user:gone")
    found = page(made, "/janela/")
    assert found.one("janela-sub").words == "3 that you may see"
    assert found.words("janela-frames__row") == [
        "TicketsNo description 0 1 second ago by Ana Reis Arrange Copy Delete",
        "SalesWhat we sold 0 2 days ago by you Arrange Copy Delete",
        "ArchiveNo description 0 Nov 1 by user:gone Arrange Copy Delete",
    ]
    assert found.words("janela-frames__name") == ["Tickets", "Sales", "Archive"]
    assert found.all("janela-frames__link")[1]["href"].startswith("/janela/frames/")
    assert list(faults(found)) == []


def test_search_looks_into_names_and_descriptions(made: Host) -> None:
    """Case does not matter; the wildcards of SQL are letters like any other."""
    named(made, "Sales", days_ago=1, description="What we SOLD")
    named(made, "100% of it", days_ago=2)
    named(made, "Tickets", days_ago=3)

    def found(search: str) -> list[str]:
        return page(made, f"/janela/?search={search}").words("janela-frames__name")

    assert found("sold") == ["Sales"]
    assert found("%25") == ["100% of it"]
    assert found("_") == []
    assert found("") == ["Sales", "100% of it", "Tickets"]
    nothing = page(made, "/janela/?search=zzz&sort=name")
    assert "zzz" in nothing.one("janela-empty__words").words
    assert nothing.links()["All frames"] == "/janela/"


def test_frames_sort_by_name_or_by_change(made: Host) -> None:
    """The head says which; anything else is 400 in words."""
    named(made, "beta", days_ago=1)
    named(made, "Alpha", days_ago=2)
    by_name = page(made, "/janela/?sort=name")
    assert by_name.words("janela-frames__name") == ["Alpha", "beta"]
    sorted_heads = [h.words for h in by_name.all("janela-table__head") if h["aria-sort"]]
    assert sorted_heads == ["Frame"]
    assert page(made, "/janela/?sort=changed").words("janela-frames__name") == ["beta", "Alpha"]
    bad = page(made, "/janela/?sort=owner", status=400)
    assert bad.one("janela-empty__words").words == 'sort is "owner": use one of changed, name.'
    assert (
        "q."
        not in page(made, "/janela/?q.region=EU", status=400)
        .one("janela-empty__words")
        .words.partition("page")[2]
    )


def test_a_removed_frame_is_not_listed(made: Host) -> None:
    """It can be brought back, but not from here."""
    found = frame(made)
    found.removed_at = found.updated_at
    made.db.session.commit()
    assert page(made, "/janela/").all("janela-frames__row") == []


def test_an_empty_index_says_what_could_be_asked(made: Host) -> None:
    """Declared for this caller: three measures of orders, one of tickets; and ways to start."""
    found = page(made, "/janela/")
    assert found.one("janela-empty__title").words == "No frames yet"
    assert (
        "2 models are declared for you, with 4 measures and 4 dimensions."
        in found.one("janela-empty__words").words
    )
    assert found.links()["See orders"] == "/janela/ask/orders/orders"
    assert found.all(tag="form") == []


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ({"seconds": 20}, "20 seconds ago"),
        ({"minutes": 12}, "12 minutes ago"),
        ({"hours": 5}, "5 hours ago"),
        ({"days": 2}, "2 days ago"),
        ({"days": 35}, "Nov 26"),
        ({"days": 400}, "Nov 26, 2012"),
    ],
)
def test_changes_are_told_by_how_long_ago(before: dict[str, float], expected: str) -> None:
    """Within a week in words, then the day, with its year when that is not this one."""
    clock = Clock(zoneinfo.ZoneInfo("UTC"), 0, NOW)
    moment = NOW - dt.timedelta(**before)
    assert ago(moment, clock, babel.Locale("en", "US")) == expected


def test_changes_are_told_in_the_readers_locale() -> None:
    """Portuguese words for two days."""
    clock = Clock(zoneinfo.ZoneInfo("UTC"), 0, NOW)
    assert ago(NOW - dt.timedelta(days=2), clock, babel.Locale("pt", "PT")) == "há 2 dias"


@dataclasses.dataclass
class Small:
    """As much of a pane as a thumbnail looks at."""

    span: int
    height: int | None
    prominence: int = 1
    kind: str = "query"
    renderer: str | None = None
    dimension: str | None = "region"


def test_panes_land_where_the_browsers_grid_puts_them() -> None:
    """Never before the one they follow: the hole beside a tall pane is filled only in order."""
    sizes = [(4, 2), (4, 1), (4, 1), (8, 1), (12, 1), (20, 1)]
    assert places(sizes, 12) == [
        Place(0, 0, 4, 2),
        Place(4, 0, 4, 1),
        Place(8, 0, 4, 1),
        Place(4, 1, 8, 1),
        Place(0, 2, 12, 1),
        Place(0, 3, 12, 1),
    ]


def test_a_thumbnail_lights_the_most_prominent_pane() -> None:
    """Two halves of 42 by 24 with a line of 1 between."""
    drawn = tiles([Small(6, 1), Small(6, 1, prominence=3)], 12)
    assert [(tile.x, tile.y, tile.width, tile.height, tile.lit) for tile in drawn] == [
        (3, 3, 20.5, 24, False),
        (24.5, 3, 20.5, 24, True),
    ]
    assert tiles([], 12) == ()


def test_thumbnails_draw_real_panes(made: Host) -> None:
    """One tile a pane, and a frame without panes has none."""
    found = frame(made)
    pane(made, found, measure="orders", prominence=2)
    pane(made, found, measure="orders", dimension="region")
    drawn = page(made, "/janela/")
    assert len(drawn.all("janela-thumb__pane")) == 2
    assert len(drawn.all("janela-thumb__pane--lit")) == 1


def test_a_search_for_what_no_text_has_finds_nothing(made: Host) -> None:
    """Rather than everything, as a database that ends its texts there would."""
    frame(made)
    assert page(made, "/janela/?search=%00").words("janela-frames__name") == []
