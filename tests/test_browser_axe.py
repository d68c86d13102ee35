"""No page violates the WCAG 2.2, levels A and AA, as far as axe-core can see."""

from __future__ import annotations

import collections.abc as cabc
import typing as t
from pathlib import Path

import pytest
import sqlalchemy as sa
from browsing import violations
from conftest import Serve
from desk import NOW, frame, pane
from ledger import TOOLS, keep, many
from live import Site, reading, served
from speaking import speaks

from flask_janela.frames import Pane

if t.TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

ADDRESSES = [
    "/janela/",
    "/janela/?search=nothing",
    "/janela/frames/1",
    "/janela/frames/1?q.region=EU&q.placed.gte=2013-11-15",
    "/janela/frames/1?q.region=EU&several=1",
    "/janela/frames/1?q.region=nowhere",
    "/janela/frames/1?kiosk=1&refresh=60",
    "/janela/frames/1/panes/2?q.product=plain",
    "/janela/ask/orders/revenue",
    "/janela/ask/orders/orders/region?q.region=EU",
    "/janela/ask/orders/orders/region?renderer=doughnut",
    "/janela/ask/orders/orders/region?renderer=doughnut&q.region=EU",
    "/janela/ask/orders/revenue/product?renderer=pie&limit=1",
    "/janela/ask/orders/orders?over=placed&q.placed=2013-12",
    "/janela/ask/orders/orders/placed?granularity=day&value_labels=true",
    "/janela/rows/orders?measure=delay&where.region=EU",
    "/janela/rows/orders?q.region=nowhere",
    "/janela/frames/1/panes/2/rows?q.region=EU",
    "/janela/explore",
    "/janela/explore?model=orders&measure=revenue&dimension=region",
    "/janela/frames/1?q.placed=2013-12&q.region=EU&sort.4=product",
    "/janela/frames/1/filter?dimension=orders.region&q.region=EU&q.region.null=1",
    "/janela/frames/1/filter?dimension=orders.placed&q.placed.last=30d",
    "/janela/frames/1/filter?dimension=orders.product&do=find&find=nothing",
    "/janela/frames/1/filter?dimension=orders.placed&do=apply&from=soon",
    "/janela/frames/99",
    "/janela/frames/1?region=EU",
    "/janela/frames/new",
    "/janela/frames/1/arrange",
    "/janela/frames/1/edit",
    "/janela/frames/1/delete",
    "/janela/frames/1/panes/new",
    "/janela/frames/1/panes/1/edit",
    "/janela/tools",
    "/janela/tools?agent=desk-assistant&window=30d",
    "/janela/tools/read_pane?window=30d",
    "/janela/tools/read_pane?window=30d&caller=user:ana",
    "/janela/tools/remove_pane",
    "/janela/frames/1/panes/6/edit",
    "/janela/frames/1/panes/new?kind=text",
    "/janela/frames/2",
    "/janela/frames/2/arrange",
    "/janela/frames/2/edit",
    "/janela/frames/2/panes/{hidden}/edit",
]


@pytest.fixture
def site(serve: Serve, tmp_path: Path) -> cabc.Iterator[Site]:
    with served(serve, tmp_path) as made:
        state = made.made.app.extensions["janela"]
        state.declared_tools = lambda: TOOLS
        made.made.janela.permission(lambda caller, action, subject=None: True)
        keep(made.made, many(400, days=3, now=NOW))
        theirs = frame(made.made, "theirs", "Theirs", filters={"orders.margin": ["plain"]})
        pane(made.made, theirs, measure="profit")
        yield made
        made.made.janela.recorder.close()


# Colours do not depend on the width, nor sizes on the colours: each once is enough.
@pytest.mark.parametrize(
    ("width", "scheme", "language"),
    [(1280, "light", "en-US"), (390, "dark", "en-US"), (390, "light", "pt-PT")],
)
def test_no_page_violates_the_guidelines(
    chromium: Browser, site: Site, scheme: t.Literal["light", "dark"], width: int, language: str
) -> None:
    """Light and dark, on a desk and on a phone, and in longer words."""
    if language != "en-US":
        speaks(site.made.app)
    found: list[str] = []
    with reading(
        chromium,
        site,
        viewport={"width": width, "height": 800},
        color_scheme=scheme,
        reduced_motion="reduce",
        locale=language,
    ) as reader:
        theirs = site.made.db.session.scalars(sa.select(Pane.id).where(Pane.frame_id == 2)).one()
        for address in (each.format(hidden=theirs) for each in ADDRESSES):
            reader.open(address)
            spoken = "en" if language == "en-US" else language
            assert reader.page.locator("html").get_attribute("lang") == spoken
            found += [f"{address} {said}" for said in violations(reader.page)]
            # What a menu holds is part of its page once it is open; what it then lies over is not.
            for menu in reader.page.locator(".janela-menu--add").all():
                menu.locator("summary").click()
                inside = violations(reader.page, ".janela-menu--add")
                found += [f"{address} menu {said}" for said in inside]
        # A page that says 404 or 400 is one of them; the browser remarks on it.
        reader.complaints[:] = [c for c in reader.complaints if "status of 40" not in c]
    assert found == []
