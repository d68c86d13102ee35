"""The functions that a host registers: what they may be, and what they may answer."""

from __future__ import annotations

import collections.abc as cabc
import typing as t

import pytest
from desk import client, desk, frame
from hosts import Host
from toolbox import recorded

from flask_janela import Frame, Janela, JanelaError
from flask_janela.errors import BadRequest, HookError
from flask_janela.frames import add_pane

HOOKS = (
    "scope",
    "permission",
    "owner",
    "current_caller",
    "caller_loader",
    "timezone",
    "locale",
    "before_tool",
    "tool",
)


@pytest.fixture
def made() -> cabc.Iterator[Host]:
    with desk() as host:
        yield host


def register(janela: Janela, hook: str, function: t.Any) -> None:
    method = getattr(janela, hook)
    (method() if hook in ("before_tool", "tool") else method)(function)


async def later(*given: t.Any) -> bool:
    """Says no, some time."""
    return False


def yielding(*given: t.Any) -> t.Any:
    """Says no, to whoever goes on asking."""
    yield False


class Later:
    async def __call__(self, *given: t.Any) -> bool:
        return False


@pytest.mark.parametrize("hook", HOOKS)
@pytest.mark.parametrize("function", [later, yielding, Later()], ids=["async", "yield", "object"])
def test_what_answers_later_is_refused(hook: str, function: t.Any) -> None:
    """Nothing waits for it: a "no" that is never awaited would be taken for a "yes"."""
    with pytest.raises(JanelaError, match=rf"@janela\.{hook} on .*without async or yield"):
        register(Janela(), hook, function)


@pytest.mark.parametrize("hook", HOOKS)
def test_what_is_no_function_is_refused(hook: str) -> None:
    with pytest.raises(JanelaError, match=rf'@janela\.{hook} takes a function, not "5"'):
        register(Janela(), hook, 5)


def test_tool_without_its_brackets_is_refused() -> None:
    """In words rather than as a number of arguments."""
    with pytest.raises(JanelaError, match=r"Write @janela\.tool\(\), or"):
        Janela().tool(yielding)  # type: ignore[arg-type]


@pytest.mark.parametrize("answer", ["no", (False, "why"), 1, 0, [], 0.0], ids=repr)
def test_a_permission_is_yes_or_no(made: Host, answer: t.Any) -> None:
    """What is neither is nobody's permission, whichever way Python takes it."""
    made.janela.permission(lambda caller, action, subject=None: answer)
    with pytest.raises(HookError, match=r"answered .* about view: answer True or False"):
        client(made).get("/janela/")
    with recorded(made) as calls, pytest.raises(HookError):
        made.janela.tools_for(made.people["ana"]).call("list_frames")
    assert [call.outcome for call in calls] == ["failed"]


@pytest.mark.parametrize(("answer", "status"), [(True, 200), (False, 403), (None, 403)])
def test_a_permission_that_says_nothing_says_no(
    made: Host, answer: bool | None, status: int
) -> None:
    made.janela.permission(lambda caller, action, subject=None: answer)
    assert client(made).get("/janela/").status_code == status


@pytest.mark.parametrize("answer", [False, True, "refused", 0], ids=repr)
def test_before_a_tool_is_refused_by_raising_alone(made: Host, answer: t.Any) -> None:
    """Whoever answers False meant to refuse, and the tool does not run."""
    made.janela.before_tool()(lambda caller, tool, arguments: answer)
    with pytest.raises(HookError, match="about list_frames: it refuses by raising"):
        made.janela.tools_for(made.people["ana"]).call("list_frames")


@pytest.mark.parametrize("answer", ["team:1", 1, ("team",), ("team", ""), ["team", 1]], ids=repr)
def test_an_owner_is_a_type_and_an_id(made: Host, answer: t.Any) -> None:
    """Said to the developer, whose function it is, rather than to whoever saves a frame."""
    made.janela.owner(lambda caller: answer)
    with pytest.raises(HookError, match=r"@janela\.owner answered .*\(\"type\", \"id\"\)"):
        client(made).post("/janela/frames/new", data={"name": "Mine"})
    assert made.db.session.query(Frame).count() == 0


def test_by_is_who_does_it_not_what_splits_a_pane(made: Host) -> None:
    """Elsewhere ``by`` is a dimension: a name of one is not written down as a person's."""
    mine = frame(made)
    with pytest.raises(BadRequest, match=r'by is "region": .*"user:42".*its dimension'):
        add_pane(mine, model="orders", measure="revenue", by="region")
    made.db.session.rollback()
    assert mine.panes == []


def test_a_frame_is_made_with_what_a_frame_has(made: Host) -> None:
    with pytest.raises(BadRequest, match='"colums" cannot be set on a frame; there is name, '):
        Frame.for_owner(None, "mine", name="Mine", colums=3)
