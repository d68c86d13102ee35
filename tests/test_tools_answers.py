"""An answer fits, goes on where it ended, and never says that what was done was not."""

from __future__ import annotations

import collections.abc as cabc
import dataclasses
import json
import typing as t

import jsonschema
import pytest
import sqlalchemy as sa
from databases import LONG
from desk import desk, frame, pane
from hosts import Host, host, shop
from sqlalchemy.orm import Mapped, mapped_column
from toolbox import recorded
from typing_extensions import TypedDict

from flask_janela import Count, Dimension, Records, Tools, Vocabulary
from flask_janela.tools import Content

FITS = 48 * 1024


@pytest.fixture
def made() -> cabc.Iterator[Host]:
    with desk() as host:
        yield host


def ana(made: Host, **more: t.Any) -> Tools:
    return made.janela.tools_for(made.people["ana"], **more)


# what was done


class Long(TypedDict):
    """An answer with a name of its own."""

    text: str


def _wrapped(caller: t.Any) -> list[str]:
    """Answer a list."""
    return ["x" * FITS]


def _typed(caller: t.Any) -> Long:
    """Answer an object."""
    return {"text": "x" * FITS}


def _mapped(caller: t.Any) -> dict[str, int]:
    """Answer a mapping."""
    return {str(number): number for number in range(FITS)}


def _shown(caller: t.Any) -> Content:
    """Answer a text to be shown."""
    return {"content": [{"type": "text", "text": "x" * FITS}]}


def _unsayable(caller: t.Any) -> dict[str, t.Any]:
    """Answer what has no JSON."""
    return {"what": object()}


@pytest.mark.parametrize("function", [_wrapped, _typed, _mapped, _shown, _unsayable])
def test_what_was_done_is_told_as_done_when_the_answer_cannot_be_sent(
    made: Host, function: t.Any
) -> None:
    """In words, within the budget and within the schema, so that nobody does it again."""
    made.janela.tool(name="change", read_only=False)(function)
    tools = ana(made, write=True)
    with recorded(made) as calls:
        answer = tools.call("change")
    assert [call.outcome for call in calls] == ["ok"]
    assert answer["truncated"] is True
    assert "It was done." in json.dumps(answer)
    assert len(json.dumps(answer)) < 400
    tool = next(each for each in tools if each.name == "change")
    if not tool.content:
        jsonschema.validate(answer, tool.output_schema)


def test_a_long_pane_that_was_added_is_told_in_part(made: Host) -> None:
    sales = frame(made)
    filters = {"product": [f"{number} {'x' * 200}" for number in range(1000)]}
    asked = {"frame_id": sales.id, "model": "orders", "measure": "orders", "filters": filters}
    answer = ana(made, write=True).call("add_pane", asked)
    assert answer["cut"] is True
    assert len(json.dumps(answer)) < FITS
    made.db.session.rollback()  # to see what others did since
    (added,) = sales.panes
    assert answer["pane"]["id"] == added.id
    assert {key: set(values) for key, values in added.filters.items()} == {
        "product": set(filters["product"])
    }


@pytest.mark.parametrize("returns", [dict, dict[str, t.Any], t.Any])
def test_a_function_that_returns_nothing_answers_an_object(made: Host, returns: t.Any) -> None:
    """Whatever its annotation promised."""

    def nothing(caller: t.Any) -> t.Any:
        """Return nothing."""

    nothing.__annotations__["return"] = returns
    made.janela.tool()(nothing)
    assert ana(made).call("nothing") == {"result": None}


def test_half_of_a_character_in_a_hosts_answer_is_replaced(made: Host) -> None:
    @made.janela.tool()
    def odd(caller: t.Any) -> t.Any:
        """Return half of a character."""
        return {"text": "a\ud800b", "whole": "\N{GRINNING FACE}"}

    assert ana(made).call("odd") == {"text": "a\N{REPLACEMENT CHARACTER}b", "whole": "😀"}


# going on


def pages(tools: Tools, name: str, arguments: dict[str, t.Any], items: str) -> list[t.Any]:
    """All items of a tool's answers, by following what each says to call next."""
    found: list[t.Any] = []
    asked: list[str] = []
    while True:
        asked.append(json.dumps(arguments, sort_keys=True))
        assert asked.count(asked[-1]) == 1, f"the same call again: {asked[-1]}"
        answer = tools.call(name, arguments)
        assert len(json.dumps(answer, ensure_ascii=False).encode()) <= FITS
        found += answer[items]
        if not answer["truncated"]:
            return found
        arguments = answer["next_call"]["arguments"]


def test_panes_longer_than_an_answer_are_listed_in_part(made: Host) -> None:
    """By themselves and among others, and none of them twice."""
    sales = frame(made)
    long = {"product": [f"{number} {'x' * 400}" for number in range(1000)]}
    for filters in ({}, long, {}, long, {"region": ["y" * 60_000]}, {}):
        pane(made, sales, measure="orders", filters=filters)
    panes = pages(ana(made), "get_frame", {"frame_id": sales.id}, "panes")
    assert [each["position"] for each in panes] == [1, 2, 3, 4, 5, 6]
    assert panes[1]["filters"]["product"][0].startswith("0 x")
    assert panes[1]["filters"]["product"][-1] == "…"
    assert panes[4]["filters"]["region"][0].endswith("…")


def test_a_frame_with_a_long_description_and_long_filters_is_listed(made: Host) -> None:
    filters = {"orders.product": [f"{number} {'x' * 100}" for number in range(1000)]}
    for key in ("a", "b"):
        sales = frame(made, key=key, description="\U0001f600" * 10_000, filters=filters)
        pane(made, sales, measure="orders")
    tools = ana(made)
    assert len(pages(tools, "get_frame", {"frame_id": sales.id}, "panes")) == 1
    assert [each["panes"] for each in pages(tools, "list_frames", {}, "frames")] == [1, 1]


def test_keys_that_are_declared_are_told_before_anything_is_asked() -> None:
    """Those that have a label or a place in the order; others are known to the rows alone."""
    with host(shop) as made:
        told = ana(made).call("describe_vocabulary", {"model": "orders"})["models"]
        keys = {each["name"]: each.get("keys") for model in told for each in model["dimensions"]}
    assert keys["status"] == ["new", "open"]
    assert keys["region"] is None


def test_a_pane_of_words_is_read_whole(made: Host) -> None:
    """Both its texts, and that nothing is left out."""
    sales = frame(made)
    pane(made, sales, kind="text", heading="Mind", body="Two have no date.")
    told = ana(made).call("read_pane", {"pane_id": sales.panes[0].id})
    assert told == {"words": "Mind\n\nTwo have no date.", "truncated": False}


def test_rows_longer_than_an_answer_are_listed_in_part() -> None:
    def notes(db: t.Any) -> dict[str, t.Any]:
        class Note(db.Model):  # type: ignore[name-defined,misc]
            __tablename__ = "notes"
            id: Mapped[int] = mapped_column(primary_key=True)
            text: Mapped[str] = mapped_column(LONG)

            class Janela(Vocabulary):
                notes = Count()
                text = Dimension()
                rows = Records("text")

        return {"Note": Note}

    with host(notes) as made:
        made.add(*(made.models.Note(text=f"{number}{'x' * 60_000}") for number in range(3)))
        rows = pages(ana(made), "find_notes", {}, "rows")
        assert list(dict.fromkeys(row[1][0] for row in rows)) == ["0", "1", "2"]
        assert all(row[1].endswith("…") for row in rows)
        asked = {"model": "notes", "measure": "notes", "dimension": "text"}
        answer = ana(made).call("read_measure", asked)
        assert answer["truncated"]
        assert answer["cut"]
        assert answer["total"]["notes"] == 3


def test_a_row_longer_than_an_answer_is_told_in_part() -> None:
    """What is short in it stays whole, and so does a row that fits."""

    def notes(db: t.Any) -> dict[str, t.Any]:
        class Note(db.Model):  # type: ignore[name-defined,misc]
            __tablename__ = "notes"
            id: Mapped[int] = mapped_column(primary_key=True)
            title: Mapped[str] = mapped_column(sa.String(20))
            text: Mapped[str] = mapped_column(LONG)

            class Janela(Vocabulary):
                notes = Count()
                rows = Records("title", "text")

        return {"Note": Note}

    with host(notes) as made:
        made.add(made.models.Note(title="Long", text="x" * 60_000))
        made.add(made.models.Note(title="Short", text="y" * 500))
        tools = ana(made)
        keys = [row[0] for row in pages(tools, "find_notes", {}, "rows")]
        told = {each["values"]["title"]: each for each in (
            tools.call("get_note", {"key": key}) for key in dict.fromkeys(keys)
        )}  # fmt: skip
        assert told["Short"]["values"]["text"] == "y" * 500
        cut = told["Long"]["values"]["text"]
        assert cut == "x" * (len(cut) - 1) + "…"
        most = made.app.extensions["janela"].config.tool_bytes
        assert 1000 < len(json.dumps(told["Long"])) <= most


def test_a_small_budget_goes_on_too(made: Host) -> None:
    state = made.app.extensions["janela"]
    state.config = dataclasses.replace(state.config, tool_bytes=4096)
    sales = frame(made)
    for _ in range(3):
        pane(made, sales, kind="text", heading="h" * 200, body="b" * 5000, link=f"/{'l' * 1999}")
    panes = pages(ana(made), "get_frame", {"frame_id": sales.id}, "panes")
    assert [each["position"] for each in panes] == [1, 2, 3]
