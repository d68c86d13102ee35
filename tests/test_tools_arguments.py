"""What a model wrote is read as what it is declared as, or refused before anything runs."""

from __future__ import annotations

import collections.abc as cabc
import datetime as dt
import decimal
import json
import typing as t

import pytest
from desk import desk, frame, pane
from hosts import Host

from flask_janela import BadRequest, Tools


@pytest.fixture
def made() -> cabc.Iterator[Host]:
    with desk() as host:
        yield host


def ana(made: Host, **more: t.Any) -> Tools:
    return made.janela.tools_for(made.people["ana"], **more)


def nested(depth: int) -> t.Any:
    found: t.Any = []
    for _ in range(depth):
        found = [found]
    return found


def cyclic() -> t.Any:
    found: list[t.Any] = []
    found += [found] * 10
    return found


def echoing(made: Host, annotation: t.Any, default: t.Any = None) -> tuple[t.Any, list[t.Any]]:
    """A host's tool with one argument ``x`` of a type, and every value that it was called with."""
    seen: list[t.Any] = []

    def echo(caller: t.Any, x: t.Any = default) -> dict[str, t.Any]:
        """Keep what comes."""
        seen.append(x)
        return {}

    echo.__annotations__["x"] = annotation
    made.janela.tool(name="echo", read_only=False)(echo)
    return ana(made, write=True), seen


DAY = dt.date(2013, 7, 4)


# what arrives at a host's function


@pytest.mark.parametrize(
    ("annotation", "given", "arrives"),
    [
        pytest.param(list[int] | None, [], [], id="an empty list"),
        pytest.param(list[int] | None, "[]", [], id="an empty list as a text"),
        pytest.param(list[str] | None, ["", "a"], ["", "a"], id="an empty text in a list"),
        pytest.param(str | None, "", "", id="an empty text"),
        pytest.param(dict[str, int] | None, {}, {}, id="an empty object"),
        pytest.param(int, "50", 50, id="a number as a text"),
        pytest.param(int, 50.0, 50, id="a whole number as JSON may write it"),
        pytest.param(int, str(2**63 - 1), 2**63 - 1, id="the largest"),
        pytest.param(list[int], '["1", 2]', [1, 2], id="a list as a text"),
        pytest.param(set[int], [1, 2, 1], {1, 2}, id="a set"),
        pytest.param(tuple[int, str], ["1", 2], (1, "2"), id="a pair"),
        pytest.param(list[str], "a", ["a"], id="one value of a list"),
        pytest.param(str, '["a"]', '["a"]', id="a text that looks like a list"),
        pytest.param(str, True, "true", id="a truth value as a text"),
        pytest.param(str, "a\0b", "a\0b", id="a text with a NUL"),
        pytest.param(float, "1e3", 1000.0, id="a float as a text"),
        pytest.param(decimal.Decimal, "1.10", decimal.Decimal("1.10"), id="a decimal"),
        pytest.param(dt.date, "2013-07-04", DAY, id="a date"),
        pytest.param(list[dt.date], ["2013-07-04"], [DAY], id="dates"),
    ],
)
def test_what_a_hosts_function_is_given(
    made: Host, annotation: t.Any, given: t.Any, arrives: t.Any
) -> None:
    """As it was sent, where its type takes it: nothing empty becomes the default."""
    tools, seen = echoing(made, annotation, default=None)
    tools.call("echo", {"x": given})
    assert seen == [arrives]
    assert type(seen[0]) is type(arrives)


@pytest.mark.parametrize(
    ("annotation", "given", "said"),
    [
        pytest.param(list[int], "", 'x is "": use a list, each of it a whole', id="no list"),
        pytest.param(list[str] | None, {"a": 1}, "use a list of names", id="an object"),
        pytest.param(int, "", "use a whole number", id="no number"),
        pytest.param(int, True, 'x is "true": use a whole number', id="true as a number"),
        pytest.param(list[int], [True], "use a list, each of it a whole number", id="true in one"),
        pytest.param(int, "1_0", 'x is "1_0": use a whole number', id="underscore"),
        pytest.param(int, "1 ", "use a whole number", id="space"),
        pytest.param(int, 2**63, "of at most 64 bits", id="65 bits"),
        pytest.param(int, str(10**30), "of at most 64 bits", id="65 bits as a text"),
        pytest.param(int, 1.5, "use a whole number", id="half"),
        pytest.param(float, "NaN", 'x is "NaN": use a finite number', id="NaN as a text"),
        pytest.param(float, "1e400", "use a finite number", id="infinite as a text"),
        pytest.param(float, float("nan"), "which JSON cannot say", id="NaN"),
        pytest.param(float, float("inf"), "which JSON cannot say", id="infinity"),
        pytest.param(float, True, "use a finite number", id="true as a float"),
        pytest.param(float, 10**400, "use a finite number", id="too large a float"),
        pytest.param(dt.date, 0, 'x is "0": use a date such as 2013-07-04', id="0 as a date"),
        pytest.param(dt.date, "0", "use a date such as", id="0 as a text"),
        pytest.param(dt.datetime, 1e9, "use a time such as 2013-07-04T12:30", id="epoch"),
        pytest.param(dt.time, 0, "use a time of day such as 12:30", id="0 as a time"),
        pytest.param(list[dt.date] | None, [0], "use a list, each of it a date", id="0 in a list"),
        pytest.param(dt.date, "soon", "use a date such as 2013-07-04", id="no date"),
        pytest.param(dict[str, float], {"a": "inf"}, '"x.a" is "inf": Input', id="in an object"),
    ],
)
def test_what_a_hosts_function_is_not_given(
    made: Host, annotation: t.Any, given: t.Any, said: str
) -> None:
    """Refused by its declared type, and the function never runs."""
    tools, seen = echoing(made, annotation)
    with pytest.raises(BadRequest, match=said):
        tools.call("echo", {"x": given})
    assert seen == []


@pytest.mark.parametrize(
    ("given", "said"),
    [
        pytest.param({"x": {"a": ["\ud800"]}}, "a lone surrogate", id="half a character"),
        pytest.param({"x": {"\udfff": 1}}, "a lone surrogate", id="in a name"),
        pytest.param('{"x": {"a": "\\ud800"}}', "a lone surrogate", id="in a JSON text"),
        pytest.param({"x": {"a": b"bytes"}}, "x.a is a bytes", id="bytes"),
        pytest.param({"x": {"a": object()}}, "x.a is a object", id="an object of Python's"),
        pytest.param({"x": {1: 1}}, '"1" is no name in x', id="a number as a name"),
        pytest.param({"x": {"a": float("-inf")}}, "x.a is", id="infinity"),
        pytest.param({"x": {"a": 10**5000}}, "too long to be read", id="5,000 digits"),
        pytest.param({"x": nested(5000)}, "nested too deep", id="nested thousands deep"),
        pytest.param({"x": cyclic()}, "nested too deep", id="within itself"),
        pytest.param('{"x": {"a": 1, "a": 2}}', '"a" is given more than once in x', id="twice"),
        pytest.param('{"x": {}, "x": {}}', '"x" is given more than once', id="an argument twice"),
        pytest.param('{"x": {"a": NaN}}', "one object", id="NaN in a JSON text"),
        pytest.param('{"x": ' + "[" * 10**5 + "]" * 10**5 + "}", "one object", id="a deep text"),
        pytest.param('{"x": ' + "9" * 5000 + "}", "one object", id="a long number in a text"),
        pytest.param({"x": '{"a": 1, "a": 2}'}, "more than once in x", id="twice in a text"),
    ],
)
def test_what_json_cannot_say_is_refused_before_anything_runs(
    made: Host, given: t.Any, said: str
) -> None:
    """Anywhere in the arguments, of a host's function too: neither it nor a hook is called."""
    tools, seen = echoing(made, dict[str, t.Any])
    made.janela.before_tool()(lambda caller, tool, arguments: seen.append(tool))
    with pytest.raises(BadRequest, match=said):
        tools.call("echo", given)
    assert seen == []


# Janela's own tools


def arranged(made: Host) -> tuple[int, int]:
    sales = frame(made)
    pane(made, sales, measure="revenue", dimension="region")
    return sales.id, sales.panes[0].id


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("get_frame", {"frame_id": True}),
        ("get_frame", {"frame_id": "1_0"}),
        ("get_frame", {"frame_id": 10**5000}),
        ("remove_pane", {"pane_id": "1 "}),
        ("remove_pane", {"pane_id": True}),
        ("remove_pane", {"version": ""}),
        ("remove_pane", {"version": 10**30}),
        ("move_pane", {"position": 10**30}),
        ("move_pane", {"position": True}),
        ("read_measure", {"limit": 10**5000}),
        ("read_measure", {"limit": True}),
        ("update_pane", {"span": True}),
        ("list_frames", {"search": "\0"}),
        ("list_frames", {"cursor": nested(3000)}),
        ("find_orders", {"cursor": "\0"}),
    ],
)
def test_what_is_no_id_or_count_is_invalid_and_changes_nothing(
    made: Host, name: str, changed: dict[str, t.Any]
) -> None:
    frame_id, pane_id = arranged(made)
    tools = ana(made, write=True)
    before = tools.call("get_frame", {"frame_id": frame_id})
    fitting: dict[str, dict[str, t.Any]] = {
        "get_frame": {"frame_id": frame_id},
        "remove_pane": {"pane_id": pane_id},
        "move_pane": {"pane_id": pane_id, "position": 1},
        "update_pane": {"pane_id": pane_id},
        "read_measure": {"model": "orders", "measure": "orders", "dimension": "region"},
    }
    assert tools.run(name, fitting.get(name, {}) | changed)["error"]["code"] == "invalid"
    assert tools.call("get_frame", {"frame_id": frame_id}) == before


@pytest.mark.parametrize("empty", [None, "", []], ids=repr)
def test_what_is_empty_is_not_given(made: Host, empty: t.Any) -> None:
    """Of Janela's own tools: a client that fills every argument in asks what it would have."""
    tools = ana(made)
    asked = {"model": "orders", "measure": "revenue", "dimension": "region"}
    plain = tools.call("read_measure", asked)
    for name in ("granularity", "limit", "order", "companions"):
        answer = tools.call("read_measure", {**asked, name: empty})
        assert (answer["rows"], answer["columns"]) == (plain["rows"], plain["columns"]), name
    with pytest.raises(BadRequest, match="model"):
        tools.call("read_measure", {**asked, "model": empty})


@pytest.mark.parametrize("version", [2**31, 10**12, 2**63 - 1])
@pytest.mark.parametrize("name", ["add_pane", "update_pane", "move_pane", "remove_pane"])
def test_a_version_that_no_frame_can_have_is_a_conflict(
    made: Host, name: str, version: int
) -> None:
    """Also where the database cannot compare with a number as large."""
    frame_id, pane_id = arranged(made)
    asked: dict[str, t.Any] = {"version": version, "pane_id": pane_id}
    asked |= {"position": 1} if name == "move_pane" else {}
    if name == "add_pane":
        asked = {"version": version, "frame_id": frame_id, **ASKED}
    error = ana(made, write=True).run(name, asked)["error"]
    assert error["code"] == "conflict"


ASKED = {"model": "orders", "measure": "orders", "dimension": "region"}


@pytest.mark.parametrize("inner", [False, True])
def test_a_filter_that_is_written_twice_has_the_values_of_both(made: Host, inner: bool) -> None:
    """In the text of all arguments, and in the text of the filters: nothing is dropped."""
    filters = '{"region": ["EU"], "region": "US", "product": ["plain"]}'
    asked = json.dumps(ASKED)[:-1]
    text = f'{asked}, "filters": {json.dumps(filters) if inner else filters}}}'
    assert ana(made).call("read_measure", text)["rows"] == [["EU", 1], ["US", 1]]


def test_what_a_host_calls_filters_is_its_own_affair(made: Host) -> None:
    """Of a name that is written twice in it nothing is chosen, and nothing put together."""
    seen: list[t.Any] = []

    @made.janela.tool()
    def look(caller: t.Any, filters: dict[str, t.Any]) -> dict[str, t.Any]:
        """Keep what comes."""
        seen.append(filters)
        return {}

    with pytest.raises(BadRequest, match='"a" is given more than once in filters'):
        ana(made).call("look", '{"filters": {"a": 1, "a": 2}}')
    ana(made).call("look", '{"filters": {"a": 1}}')
    assert seen == [{"a": 1}]


def test_an_argument_that_is_written_twice_is_refused(made: Host) -> None:
    text = f'{json.dumps(ASKED)[:-1]}, "measure": "revenue"}}'
    with pytest.raises(BadRequest, match='"measure" is given more than once'):
        ana(made).call("read_measure", text)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"dimension": "region", "granularity": "day"}, "region is not split by time"),
        ({"granularity": "day"}, "without a dimension is not split by time"),
        ({"limit": 3}, 'limit is "3", and there is no dimension'),
        ({"order": "label"}, 'order is "label", and there is no dimension'),
        ({"other": True}, "other is .*, and there is no dimension"),
    ],
)
def test_what_a_question_would_not_heed_is_refused(
    made: Host, given: dict[str, t.Any], said: str
) -> None:
    with pytest.raises(BadRequest, match=said):
        ana(made).call("read_measure", {"model": "orders", "measure": "orders", **given})


def test_what_a_stored_pane_does_not_use_is_kept_and_ignored(made: Host) -> None:
    """It may have been split by time once. A limit that is given for it now is refused."""
    sales = frame(made)
    pane(made, sales, measure="orders", granularity="day", limit=3, other=True)
    tools, id_ = ana(made), sales.panes[0].id
    assert tools.call("read_pane", {"pane_id": id_})["total"]["orders"] == 6
    with pytest.raises(BadRequest, match="limit is"):
        tools.call("read_pane", {"pane_id": id_, "limit": 3})


def test_a_companion_that_is_named_twice_is_one(made: Host) -> None:
    answer = ana(made).call("read_measure", {**ASKED, "companions": ["revenue"] * 4})
    assert [each["name"] for each in answer["columns"]] == ["region", "orders", "revenue"]
