"""The proofs: two callers and a model, two callers and their frames, and nobody."""

from __future__ import annotations

import collections.abc as cabc
import contextlib
import json
import re
import typing as t

import flask
import sqlalchemy as sa

from .. import caller as callers
from ..errors import JanelaError, Unauthenticated, listed
from ..extension import Janela
from ..frames import Frame
from ..frames.models import MOST_ID
from ..state import State, current_state
from ..tools import definitions, tools_for
from ..vocabulary import BoundModel
from .agents import Arguments, Calls, hidden_keys
from .leaks import OWN, PAGE, Incomplete, Leaks, Page
from .report import Walked
from .routes import Walk, check_known
from .subject import Asked, Browser, Hung, SignIn, asked_of, hung, seen_frames
from .truth import Secret, Truth, name_of, rows_of, secrets_of, stands_in, truth_of

MayRead = cabc.Callable[[t.Any, t.Any], bool]
"""The host's own word on whether a row may be read by a caller, in Python."""


def assert_scoped(
    janela: Janela,
    model: type,
    caller_a: t.Any,
    caller_b: t.Any,
    *,
    may_read: MayRead | None = None,
    sign_in: SignIn | None = None,
    arguments: Arguments | None = None,
    ignoring: cabc.Collection[str] = (),
) -> Walked:
    """Prove that rows of a model that only one of two callers may read never reach the other.

    By no page, option list, file, row or tool, in either direction. Needs an application context.

    Args:
        model: a mapped class with a vocabulary.
        caller_a, caller_b: people of whom at least one has rows that the other has not.
        may_read: ``f(row, caller)``, the rule in plain Python; every row that the scope shows to
            either is held against it. Without it a scope that shows both too much goes unnoticed.
        sign_in: ``f(client, caller)`` signs a caller in to a Flask test client; by default as
            Flask-Login's session does.
        arguments: what to call the host's own tools with, a list for each; None leaves one out.
            Those that need no arguments are called without. One that writes is called only when
            it is named here.
        ignoring: texts of rows that are words of the host's pages as well.

    Returns:
        Which routes and tools answered.

    Raises:
        AssertionError: for every route and tool that told what it should not have, what that was
            and what to do; :class:`Incomplete` when too little could be walked to prove anything.
        JanelaError: for a model or an application that this cannot be about.
    """
    state, app = _state_of(janela)
    caller_a, caller_b = _people(caller_a, caller_b)
    bound = _bound(state, model)
    truths = [truth_of(state, bound, caller) for caller in (caller_a, caller_b)]
    if may_read is not None:
        for caller in (caller_a, caller_b):
            _hold(state, bound.model, caller, may_read)
    _check_apart(bound, *truths)
    routes: set[str] = set()
    tools: set[str] = set()
    turns = ((caller_a, caller_b, *truths), (caller_b, caller_a, *reversed(truths)))
    for caller, other, mine, theirs in turns:
        subject = f"Rows of {bound.model.__name__} that only {theirs.name} may read"
        leaks = Leaks(subject, mine.name)
        asked = asked_of(state, bound, caller)
        with hung(state, asked, caller) as own:
            frames = _frames(state, caller, own)
            secrets = _unsaid(secrets_of(bound, mine, theirs), frames, ignoring)
            walk = Walk(
                app=app,
                browser=Browser(app, caller, sign_in),
                asked=asked,
                frames=frames,
                tools=tuple(tool.name for tool in definitions()),
                mine=mine,
                theirs=theirs,
                secrets=secrets,
                locale=state.reader(caller).locale,
                leaks=leaks,
            )
            routes |= set(walk.routes())
            calls = Calls(
                tools=tools_for(caller, write=bool(arguments)),
                asked=asked,
                frames=frames,
                arguments=arguments or {},
                mine=mine,
                theirs=theirs,
                secrets=secrets,
                hidden_keys=hidden_keys(state, asked, other, mine),
                leaks=leaks,
            )
            tools |= set(calls.call())
        leaks.refuse()
    return Walked(frozenset(routes), frozenset(tools))


def assert_frames_scoped(
    janela: Janela, caller_a: t.Any, caller_b: t.Any, *, sign_in: SignIn | None = None
) -> Walked:
    """Prove that frames that only one of two callers may see are told to the other in no way.

    Neither listed, opened, exported, changed nor read by a tool: a frame of the other's is as one
    that does not exist. Needs an application context.

    Args:
        caller_a, caller_b: people of whom at least one has frames that the other has not.
        sign_in: see :func:`assert_scoped`.

    Raises:
        AssertionError: for every route and tool that told of one; :class:`Incomplete` when neither
            has a frame that the other has not.
    """
    state, app = _state_of(janela)
    caller_a, caller_b = _people(caller_a, caller_b)
    check_known(app)
    seen = [seen_frames(state, caller) for caller in (caller_a, caller_b)]
    ids = [{frame.id for frame in frames} for frames in seen]
    if not ids[0] ^ ids[1]:
        raise Incomplete(
            f"The scope shows {name_of(caller_a)} and {name_of(caller_b)} the same frames, so "
            "there is nothing to tell apart. Give one a frame of their own, or narrow Frame."
        )
    routes: set[str] = set()
    tools: set[str] = set()
    for caller, frames, own in ((caller_a, seen[1], seen[0]), (caller_b, seen[0], seen[1])):
        theirs = [frame for frame in frames if frame.id not in {each.id for each in own}]
        name = name_of(caller)
        leaks = Leaks(f"Frames that {name} may not see", name)
        browser = Browser(app, caller, sign_in)
        routes |= _walk_frames(app, browser, theirs, {frame.name for frame in own}, leaks)
        tools |= _call_frames(caller, theirs, leaks)
        leaks.refuse()
    return Walked(frozenset(routes), frozenset(tools))


def assert_nobody_reads(janela: Janela, model: type) -> Walked:
    """Prove that whoever is not signed in is told nothing: by no route, and by no tool.

    Every page must answer with 401, 403, 404 or lead elsewhere, such as to signing in, and every
    tool must refuse. Needs an application context.

    Raises:
        AssertionError: for every route and tool that answered.
    """
    state, app = _state_of(janela)
    bound = _bound(state, model)
    leaks = Leaks("Janela", "nobody, who is not signed in")
    measure = next(iter(bound.measures))
    asked = Asked(bound, (measure,), tuple(bound.dimensions), measure, False)
    nothing = Truth("nobody", frozenset(), {})
    some = state.db.session.scalars(sa.select(Frame).limit(1)).first()
    panes = () if some is None else tuple((pane.id, pane.model) for pane in some.panes)
    frames = () if some is None else (Hung(some.id, some.version, False, panes, some.name),)
    named = tuple(tool.name for tool in definitions(write=True))
    browser = Browser(app, None, None)
    walk = Walk(
        app, browser, asked, frames, named, nothing, nothing, [], state.config.locale, leaks
    )
    check_known(app)
    routes: set[str] = set()
    for endpoint, address in walk.everywhere():
        routes.add(endpoint)
        status = browser.get(address).status_code
        if status not in {301, 302, 303, 307, 308, 401, 403, 404}:
            leaks.add(f"GET {address}", f"them something: it answered {status}", PAGE)
    nobody = tools_for(None, write=True)
    for name in named:
        try:
            nobody.call(name, {})
        except Unauthenticated:
            continue
        leaks.add(f"The tool {name}", "them something: it did not refuse")
    leaks.refuse()
    return Walked(frozenset(routes), frozenset(named))


def _state_of(janela: Janela) -> tuple[State, flask.Flask]:
    state = current_state()
    app: flask.Flask = t.cast("t.Any", flask.current_app)._get_current_object()
    if not janela.serves(app):
        raise JanelaError("The current application is another Janela's: push the context of yours.")
    return state, app


def _people(*given: t.Any) -> list[t.Any]:
    people = [callers.unwrapped(each) for each in given]
    if None in people:
        raise JanelaError("Give two people; for nobody there is assert_nobody_reads.")
    return people


def _bound(state: State, model: type) -> BoundModel:
    found = next((each for each in state.catalogue.models.values() if each.model is model), None)
    if found is None:
        models = listed(each.model.__name__ for each in state.catalogue.models.values())
        raise JanelaError(
            f"{model.__name__} declares no vocabulary, so nothing of it is told; {models} do. For "
            "frames there is assert_frames_scoped."
        )
    return found


def _hold(state: State, model: type, caller: t.Any, may_read: MayRead) -> None:
    """Hold every row that the scope shows against the host's own word."""
    shown = sa.select(rows_of(state, model, caller)).execution_options(yield_per=1000)
    with contextlib.closing(state.db.session.scalars(shown)) as rows:
        other = next((row for row in rows if not may_read(row, caller)), None)
    if other is not None:
        key = listed(t.cast("t.Any", sa.inspect(other)).identity)
        raise AssertionError(
            f"The scope shows {name_of(caller)} the {model.__name__} {key}, which may_read says "
            f"they may not read. Mend the scope function for {model.__name__}."
        )


def _check_apart(bound: BoundModel, a: Truth, b: Truth) -> None:
    if a.keys != b.keys:
        return
    model = bound.model.__name__
    if not a.keys:
        raise Incomplete(
            f"Neither {a.name} nor {b.name} may read any {model}, so there is nothing to tell "
            "apart. Add rows of both to the database of this test."
        )
    raise AssertionError(
        f"{a.name} and {b.name} may read the same {len(a.keys):,} rows of {model}: the scope "
        f"does not tell them apart. If they should differ, let the scope of {model} go by the "
        "caller that it is given; else choose two callers who may read different rows."
    )


def _frames(state: State, caller: t.Any, own: Hung | None) -> tuple[Hung, ...]:
    others = [frame for frame in seen_frames(state, caller) if own is None or frame.id != own.id]
    return (*([own] if own is not None else []), *others)


def _unsaid(
    secrets: list[Secret], frames: cabc.Iterable[Hung], ignoring: cabc.Collection[str]
) -> list[Secret]:
    """Texts of the other's rows, but for what somebody typed into a frame that is shown."""
    typed = " ".join(" ".join(frame.typed for frame in frames).split())
    return [s for s in secrets if s.text not in ignoring and not stands_in(s.text, typed)]


GHOST = Hung(MOST_ID - 1, 1, False, ((MOST_ID - 1, None),), "")
"""A frame that there is not: another's must look like it."""


def _walk_frames(
    app: flask.Flask, browser: Browser, theirs: list[Hung], own: set[str], leaks: Leaks
) -> set[str]:
    """Try every route to somebody else's frames, to read and to change.

    Args:
        own: names of frames that they may see, as alike as a template makes them.
    """
    routes: set[str] = set()
    names = [Secret("frame", frame.name) for frame in theirs if frame.name not in own]
    with app.test_request_context():
        lists = [flask.url_for("janela.index"), flask.url_for("janela.explore")]
        links = [(f, flask.url_for("janela.frame", frame_id=f.id)) for f in theirs]
        tries = [each for frame in theirs for each in _tries(app, frame)]
        ghostly = {each[:2]: each for each in _tries(app, GHOST)}
    for address in lists:
        page = browser.get(address).text
        leaks.look(f"GET {address}", Page(page).text, names, OWN)
        for frame, link in links:
            if re.search(rf"{re.escape(link)}(?!\d)", page):
                leaks.add(f"GET {address}", f"of the frame {frame.id}")
    for endpoint, method, address, form in tries:
        routes.add(endpoint)
        answer = _status(browser, method, address, form)
        if answer != _status(browser, *ghostly[endpoint, method][1:]):
            told = f"of a frame that is not theirs: it answered {answer}"
            leaks.add(f"{method} {address}", told)
    return routes


def _status(browser: Browser, method: str, address: str, form: dict[str, str]) -> int:
    answer = browser.get(address) if method == "GET" else browser.post(address, **form)
    return int(answer.status_code)


def _tries(app: flask.Flask, frame: Hung) -> cabc.Iterator[tuple[str, str, str, dict[str, str]]]:
    """Every route that names a frame: its endpoint, method, address and form."""
    for rule in app.url_map.iter_rules():
        if not rule.endpoint.startswith("janela.") or "frame_id" not in rule.arguments:
            continue
        named: dict[str, t.Any] = {"frame_id": frame.id}
        if "pane_id" in rule.arguments:
            if not frame.panes:
                continue
            named["pane_id"] = frame.panes[0][0]
        for method in sorted({"GET", "POST"} & (rule.methods or set())):
            name = rule.endpoint.removeprefix("janela.")
            form = {"version": str(frame.version)}
            yield name, method, flask.url_for(rule.endpoint, **named), form


def _call_frames(caller: t.Any, theirs: list[Hung], leaks: Leaks) -> set[str]:
    """Ask tools for somebody else's frames and panes, to read and to change."""
    tools = tools_for(caller, write=True)
    told = {frame["id"] for frame in tools.call("list_frames", {"limit": 100})["frames"]}
    called = {"list_frames"}
    for frame in theirs:
        if frame.id in told:
            leaks.add("The tool list_frames", f"of the frame {frame.id}")
        ghostly = dict(_calls(GHOST))
        for name, given in _calls(frame):
            called.add(name)
            answer = tools.run(name, given)
            if answer != tools.run(name, ghostly[name]):
                said = json.dumps(given, ensure_ascii=False)
                leaks.add(f"The tool {name}({said})", "of a frame that is not theirs")
    return called


def _calls(frame: Hung) -> cabc.Iterator[tuple[str, dict[str, t.Any]]]:
    yield "get_frame", {"frame_id": frame.id}
    yield "add_pane", {"frame_id": frame.id, "kind": "text", "body": "A walk"}
    for pane, _ in frame.panes[:1]:
        yield "read_pane", {"pane_id": pane}
        yield "update_pane", {"pane_id": pane, "span": 4}
        yield "move_pane", {"pane_id": pane, "position": 1}
        yield "remove_pane", {"pane_id": pane}
