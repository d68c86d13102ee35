"""Every route by every method, and what each role is answered: one table, kept complete by tests.

``nobody`` is not signed in, ``other`` an analyst of the other tenant who asks for what is this
tenant's; ``viewer`` may view, ``analyst`` also arrange and export, ``lead`` also see the roster.
"""

from __future__ import annotations

import dataclasses
import typing as t

from tenants import FRAME, PANES, ROLES

METHODS = ("GET", "HEAD", "POST", "OPTIONS", "PUT", "DELETE", "PATCH")

TABLE = """
rule                                                 methods   nobody  other  viewer  analyst  lead
/                                                    GET HEAD     401    200     200      200   200
/frames/<int:frame_id>                               GET HEAD     401    404     200      200   200
/frames/<int:frame_id>/filter                        GET HEAD     401    404     200      200   200
/frames/<int:frame_id>/panes/<int:pane_id>           GET HEAD     401    404     200      200   200
/frames/<int:frame_id>/panes/<int:pane_id>.csv       GET HEAD     401    404     403      200   200
/frames/<int:frame_id>/panes/<int:pane_id>/rows      GET HEAD     401    404     200      200   200
/frames/<int:frame_id>/panes/<int:pane_id>/rows.csv  GET HEAD     401    404     403      200   200
/frames/<int:frame_id>/star                          POST         401    404     303      303   303
/ask/<model>/<measure>                               GET HEAD     401    200     200      200   200
/ask/<model>/<measure>                               POST         401    404     403      303   303
/ask/<model>/<measure>.csv                           GET HEAD     401    200     403      200   200
/ask/<model>/<measure>.csv                           POST         401    404     403      404   404
/ask/<model>/<measure>/<dimension>                   GET HEAD     401    200     200      200   200
/ask/<model>/<measure>/<dimension>                   POST         401    404     403      303   303
/ask/<model>/<measure>/<dimension>.csv               GET HEAD     401    200     403      200   200
/ask/<model>/<measure>/<dimension>.csv               POST         401    404     403      404   404
/rows/<model>                                        GET HEAD     401    200     200      200   200
/rows/<model>.csv                                    GET HEAD     401    200     403      200   200
/explore                                             GET HEAD     401    200     200      200   200
/frames/new                                          GET HEAD     401    200     403      200   200
/frames/new                                          POST         401    303     403      303   303
/frames/<int:frame_id>/edit                          GET HEAD     401    404     403      200   200
/frames/<int:frame_id>/edit                          POST         401    404     403      303   303
/frames/<int:frame_id>/delete                        GET HEAD     401    404     403      200   200
/frames/<int:frame_id>/delete                        POST         401    404     403      303   303
/frames/<int:frame_id>/duplicate                     POST         401    404     403      303   303
/frames/<int:frame_id>/restore                       POST         401    404     403      303   303
/frames/<int:frame_id>/arrange                       GET HEAD     401    404     403      200   200
/frames/<int:frame_id>/panes/preview                 GET HEAD     401    404     403      200   200
/frames/<int:frame_id>/panes/new                     GET HEAD     401    404     403      200   200
/frames/<int:frame_id>/panes/new                     POST         401    404     403      303   303
/frames/<int:frame_id>/panes/<int:pane_id>/edit      GET HEAD     401    404     403      200   200
/frames/<int:frame_id>/panes/<int:pane_id>/edit      POST         401    404     403      303   303
/frames/<int:frame_id>/panes/<int:pane_id>/move      POST         401    404     403      303   303
/frames/<int:frame_id>/panes/<int:pane_id>/resize    POST         401    404     403      303   303
/frames/<int:frame_id>/panes/<int:pane_id>/duplicate POST         401    404     403      303   303
/frames/<int:frame_id>/panes/<int:pane_id>/remove    POST         401    404     403      303   303
/frames/<int:frame_id>/panes/<int:pane_id>/restore   POST         401    404     403      303   303
/tools                                               GET HEAD     401    403     403      403   200
/tools/<path:name>                                   GET HEAD     401    403     403      403   200
/tools.json                                          GET HEAD     401    403     403      403   200
/tools.csv                                           GET HEAD     401    403     403      403   200
/static/<path:filename>                              GET HEAD     200    200     200      200   200
every                                                OPTIONS      200    200     200      200   200
every                                                otherwise    405    405     405      405   405
"""

PLACES = {
    "frame_id": str(FRAME["north"]),
    "pane_id": str(PANES["north"][0]),
    "model": "orders",
    "measure": "revenue",
    "dimension": "region",
    "name": "list_frames",
    "filename": "janela.css",
}
"""What stands in an address: this tenant's own."""

_VERSION = {"version": "1"}
_PANE = {"model": "orders", "measure": "revenue", "dimension": "region"}
_SETTINGS = {"name": "Renamed", "columns": "12", "gap": "4"}

QUERIES = {
    "/frames/<int:frame_id>/filter": "dimension=orders.region",
    "/frames/<int:frame_id>/panes/new": "model=orders&measure=revenue&dimension=region",
    "/frames/<int:frame_id>/panes/preview": "model=orders&measure=revenue&dimension=region",
    "/explore": "model=orders&measure=revenue&dimension=region",
}
"""What some pages need to show anything."""

FORMS: dict[str, dict[str, str]] = {
    "/frames/<int:frame_id>/star": {"on": "1"},
    "/ask/<model>/<measure>": {"frame": PLACES["frame_id"]},
    "/ask/<model>/<measure>/<dimension>": {"frame": PLACES["frame_id"]},
    "/frames/new": _SETTINGS,
    "/frames/<int:frame_id>/edit": _VERSION | _SETTINGS,
    "/frames/<int:frame_id>/delete": _VERSION,
    "/frames/<int:frame_id>/duplicate": {},
    "/frames/<int:frame_id>/restore": {},
    "/frames/<int:frame_id>/panes/new": _VERSION | _PANE,
    "/frames/<int:frame_id>/panes/<int:pane_id>/edit": _VERSION | _PANE,
    "/frames/<int:frame_id>/panes/<int:pane_id>/move": _VERSION | {"to": "2"},
    "/frames/<int:frame_id>/panes/<int:pane_id>/resize": _VERSION | {"span": "8"},
    "/frames/<int:frame_id>/panes/<int:pane_id>/duplicate": _VERSION,
    "/frames/<int:frame_id>/panes/<int:pane_id>/remove": _VERSION,
    "/frames/<int:frame_id>/panes/<int:pane_id>/restore": {},
}
"""The form of every change, as its page sends it."""


@dataclasses.dataclass(frozen=True)
class Step:
    """One route by one method, and the status that each role meets."""

    rule: str
    method: str
    expected: t.Mapping[str, int]

    @property
    def address(self) -> str:
        """Of this tenant's own, and found by its query."""
        query = QUERIES.get(self.rule, "")
        return f"/janela{address_of(self.rule)}{'?' if query else ''}{query}"

    @property
    def form(self) -> dict[str, str] | None:
        return FORMS.get(self.rule, {}) if self.method == "POST" else None

    def __str__(self) -> str:
        return f"{self.method} {self.rule}"


def address_of(rule: str, **changed: str) -> str:
    """A rule with this tenant's own in its places, or something else."""
    address = rule
    for name, value in (PLACES | changed).items():
        for place in (f"<int:{name}>", f"<path:{name}>", f"<{name}>"):
            address = address.replace(place, value)
    return address


def steps() -> list[Step]:
    """The table, a step for each method of each route."""
    lines = [line.rsplit(maxsplit=len(ROLES)) for line in TABLE.strip().splitlines()[1:]]
    rows = []
    for start, *statuses in lines:
        rule, methods = start.split(maxsplit=1)
        rows.append((rule, methods.split(), dict(zip(ROLES, map(int, statuses), strict=True))))
    rules = dict.fromkeys(rule for rule, _, _ in rows if rule != "every")
    general = {method: expected for rule, methods, expected in rows
               if rule == "every" for method in methods}  # fmt: skip
    own = {(rule, method): expected for rule, methods, expected in rows for method in methods}
    return [
        Step(rule, method, own.get((rule, method)) or general.get(method) or general["otherwise"])
        for rule in rules
        for method in METHODS
    ]


_FRAME = ("kiosk", "several", "refresh", "sort.711003", "q.region", "q.placed.last", "q.pieces.gte")
_ASKED = (
    "granularity", "limit", "order", "other", "over", "renderer", "value_labels", "companions",
    "q.region", "q.placed", "q.placed.gte", "q.placed.last", "q.placed.this", "q.paid",
    "q.pieces", "q.region.null", "where.region", "where.placed.lt",
)  # fmt: skip
_ROWS = ("measure", "cursor", "q.region", "q.placed.lte", "where.product", "where.pieces.gt")
_TYPED = (
    "kind", "model", "measure", "dimension", "granularity", "renderer", "title", "span", "height",
    "limit", "order", "other", "value_labels", "over", "prominence", "companions", "filters",
    "heading", "body", "link", "partial",
)  # fmt: skip
_TOOLS = ("window", "agent", "sort")

PARAMETERS: dict[str, tuple[str, ...]] = {
    "/": ("search", "sort", "deleted"),
    "/frames/<int:frame_id>": _FRAME,
    "/frames/<int:frame_id>/filter": (
        "dimension", "do", "are", "unknown", "find", "found", "period", "from", "to", "value",
        *_FRAME,
    ),
    "/frames/<int:frame_id>/panes/<int:pane_id>": _FRAME,
    "/frames/<int:frame_id>/panes/<int:pane_id>.csv": _FRAME,
    "/frames/<int:frame_id>/panes/<int:pane_id>/rows": (*_FRAME, "cursor"),
    "/frames/<int:frame_id>/panes/<int:pane_id>/rows.csv": _FRAME,
    "/ask/<model>/<measure>": _ASKED,
    "/ask/<model>/<measure>.csv": _ASKED,
    "/ask/<model>/<measure>/<dimension>": _ASKED,
    "/ask/<model>/<measure>/<dimension>.csv": _ASKED,
    "/rows/<model>": _ROWS,
    "/rows/<model>.csv": _ROWS,
    "/explore": ("model", "measure", "dimension"),
    "/frames/<int:frame_id>/arrange": ("first", "removed"),
    "/frames/<int:frame_id>/panes/new": _TYPED,
    "/frames/<int:frame_id>/panes/preview": (*_TYPED, "fields"),
    "/tools": _TOOLS,
    "/tools/<path:name>": (*_TOOLS, "outcome", "caller", "before"),
    "/tools.json": _TOOLS,
    "/tools.csv": _TOOLS,
}  # fmt: skip
"""What the addresses of pages may say."""

FIELDS: dict[str, tuple[str, ...]] = {
    "/frames/<int:frame_id>/star": ("on", "back"),
    "/ask/<model>/<measure>": ("frame",),
    "/ask/<model>/<measure>/<dimension>": ("frame",),
    "/frames/new": ("name", "description", "columns", "gap", "filters"),
    "/frames/<int:frame_id>/edit": (
        "version", "name", "description", "columns", "gap", "filters", "drop", "restore",
    ),
    "/frames/<int:frame_id>/delete": ("version",),
    "/frames/<int:frame_id>/panes/new": ("version", "do", "restore", *_TYPED),
    "/frames/<int:frame_id>/panes/<int:pane_id>/edit": ("version", "do", "restore", *_TYPED),
    "/frames/<int:frame_id>/panes/<int:pane_id>/move": ("version", "to"),
    "/frames/<int:frame_id>/panes/<int:pane_id>/resize": ("version", "span", "height"),
    "/frames/<int:frame_id>/panes/<int:pane_id>/duplicate": ("version",),
    "/frames/<int:frame_id>/panes/<int:pane_id>/remove": ("version",),
}  # fmt: skip
"""What the forms of changes may say."""
