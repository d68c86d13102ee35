"""``docs/security.md`` is true: its limits are those of the code."""

from __future__ import annotations

import re

from documents import ROOT

from flask_janela.config import Config
from flask_janela.frames.arranging import MOST_PANES
from flask_janela.frames.models import LONGEST_DESCRIPTION, LONGEST_NAME
from flask_janela.pages.guard import MOST_BODY
from flask_janela.query import filters, records, time
from flask_janela.query.question import LIMIT, PaneOptions
from flask_janela.tools.written import MOST_DEPTH

TEXT = (ROOT / "docs/security.md").read_text(encoding="utf-8")


def longest(option: str) -> int:
    (found,) = (
        each.max_length
        for each in PaneOptions.model_fields[option].metadata
        if hasattr(each, "max_length")
    )
    return int(found)


LIMITS = {
    "bytes of a form": [MOST_BODY],
    "panes of a frame": [MOST_PANES],
    "filters": [filters.MOST_KEYS, filters.MOST_VALUES],
    "columns beside a number": [longest("companions")],
    "members of an answer": [LIMIT, time.MOST_BUCKETS],
    "rows a page, by a tool": [25, records.MOST],
    "name of a frame, title and heading of a pane": [LONGEST_NAME],
    "description of a frame, words of a pane": [LONGEST_DESCRIPTION],
    "a pane's link": [longest("link")],
    "seconds of one statement": [int(Config().statement_seconds)],
    "bytes of a tool's answer": [Config().tool_bytes],
    "lists and objects in one another, in a tool's arguments": [MOST_DEPTH],
}


def test_the_limits_are_those_of_the_code() -> None:
    """One row for each, and the numbers in it."""
    rows = re.findall(r"^\| ([^|]+?)(?: \(413\))? \| ([^|]+) \|$", TEXT, re.MULTILINE)
    told = {
        what: [int(each.replace(",", "")) for each in re.findall(r"\d[\d,]*\d|\d", most)]
        for what, most in rows
        if what not in {"what", "---"}
    }
    assert told == LIMITS


def test_what_has_one_length_has_one_number() -> None:
    """Names, titles and headings; descriptions and words."""
    assert longest("title") == longest("heading") == LONGEST_NAME
    assert longest("body") == LONGEST_DESCRIPTION


def test_every_reserved_argument_is_named() -> None:
    for name in Config().reserved_arguments:
        assert f"`{name}`" in TEXT
