"""A caller who asks too often is told when to ask again, and nothing is read or changed."""

from __future__ import annotations

import collections.abc as cabc
import datetime as dt
import typing as t

import pytest
import sqlalchemy as sa
from desk import desk, frame
from hosts import Host
from toolbox import recorded
from werkzeug.exceptions import TooManyRequests

from flask_janela import BadRequest, RateLimited, Tools

ASKED = {"model": "orders", "measure": "orders"}


@pytest.fixture
def made() -> cabc.Iterator[Host]:
    with desk() as host:
        yield host


def limited(made: Host, error: Exception) -> Tools:
    """Ana's tools, where whoever calls one has done so too often."""

    @made.janela.before_tool()
    def not_too_often(caller: t.Any, tool: str, arguments: t.Any) -> None:
        raise error

    return made.janela.tools_for(made.people["ana"], write=True)


@pytest.mark.parametrize(
    ("wait", "said", "message"),
    [
        (None, None, "You ask too often. Wait a while before asking again."),
        (float("inf"), None, "You ask too often. Wait a while before asking again."),
        (0, 1, "You ask too often. Ask again in 1 second."),
        (0.2, 1, "You ask too often. Ask again in 1 second."),
        (-5, 1, "You ask too often. Ask again in 1 second."),
        (29.01, 30, "You ask too often. Ask again in 30 seconds."),
    ],
)
def test_how_long_to_wait_is_told_in_whole_seconds(
    wait: float | None, said: int | None, message: str
) -> None:
    """Never too short, and not at all where it is not known."""
    error = RateLimited(wait)
    assert (error.retry_after, error.message, error.status) == (said, message, 429)
    known = {} if said is None else {"retry_after": said}
    assert error.as_dict() == {"code": "rate_limited", "message": message, **known}


def test_a_host_says_it_in_its_own_words() -> None:
    assert RateLimited(5, "Ten exports an hour.").as_dict() == {
        "code": "rate_limited", "message": "Ten exports an hour.", "retry_after": 5,
    }  # fmt: skip


@pytest.mark.parametrize("name", ["read_measure", "add_pane"])
def test_a_call_too_many_reads_and_changes_nothing(made: Host, name: str) -> None:
    """It raises in Python, is an error for a model, and is recorded as what it is."""
    sales = frame(made)
    asked = {**ASKED, **({"frame_id": sales.id} if name == "add_pane" else {})}
    tools = limited(made, RateLimited(12))
    read: list[t.Any] = []
    hooks = made.app.extensions["janela"].hooks
    hooks.scope = lambda model, caller: read.append(model) or sa.select(model)
    with recorded(made) as calls:
        with pytest.raises(RateLimited) as raised:
            tools.call(name, asked)
        answer = tools.run(name, asked)
    assert raised.value.retry_after == 12
    assert answer == {"error": raised.value.as_dict()}
    assert [(each.outcome, each.error_class) for each in calls] == [
        ("rate_limited", "RateLimited")
    ] * 2
    assert read == []
    made.db.session.expire_all()
    assert sales.panes == []


def test_a_call_that_cannot_be_does_not_reach_the_limit(made: Host) -> None:
    """Nor does one of a tool that is not there."""
    tools = limited(made, RateLimited(12))
    with pytest.raises(BadRequest):
        tools.call("read_measure", {**ASKED, "limit": "many"})
    assert tools.run("nothing")["error"]["code"] == "not_found"


@pytest.mark.parametrize(
    ("given", "least", "most"),
    [
        (None, None, None),
        (30, 30, 30),
        (dt.datetime.now(dt.UTC) + dt.timedelta(hours=1), 3000, 3600),
        (dt.datetime.now(dt.UTC) - dt.timedelta(hours=1), 1, 1),
    ],
    ids=["unsaid", "seconds", "a moment", "a moment that has passed"],
)
def test_werkzeugs_429_means_the_same(
    made: Host, given: t.Any, least: int | None, most: int | None
) -> None:
    """And so what Flask-Limiter raises; what it says goes to the log."""
    tools = limited(made, TooManyRequests("Acme used up 100 calls", retry_after=given))
    with recorded(made) as calls:
        error = tools.run("read_measure", ASKED)["error"]
    assert error["code"] == "rate_limited"
    assert "Acme" not in error["message"]
    if least is None or most is None:
        assert "retry_after" not in error
    else:
        assert least <= error["retry_after"] <= most
    assert [each.outcome for each in calls] == ["rate_limited"]
