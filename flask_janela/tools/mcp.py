"""The tools of a caller on an MCP server that the host has: the lines it would write itself.

Needs the extra: ``pip install flask-janela[mcp]``. Nothing here opens a port, finds a server or
keeps a session. At every list and every call the host is asked who is calling, the tools are
built anew for that caller, and the work is done off the event loop.
"""

from __future__ import annotations

import collections.abc as cabc
import contextvars
import dataclasses
import functools
import inspect
import logging
import typing as t

import anyio
import anyio.from_thread
import anyio.to_thread
import flask
import mcp.types as types
from mcp import MCPError
from mcp.server import MCPServer, Server, ServerRequestContext
from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.extension import Extension

from ..errors import CallerGone, Failed, JanelaError, Refused, Unauthenticated, quoted
from . import toolset
from .answers import encoded
from .calling import NoSuchTool
from .progress import telling
from .tool import Answer, Tool

log = logging.getLogger(__name__)

REFUSED = -32003
"""The JSON-RPC code of a refusal, in the band that the protocol leaves to implementations."""

WhoCalls = cabc.Callable[[], t.Any]
"""Answers who is calling: a reference such as ``user:42``, a person, or None for nobody.

It is asked in an application context, and in the context of the request: it may read the host's
verified token (:func:`token_caller`). It must not read anything that a model wrote.
"""

Refusals = t.Literal["error", "result"]
Context = ServerRequestContext[t.Any, t.Any] | None

_BROKE = "The tools broke down; the log of the server has why."
_INSTRUCTIONS = (
    "Measures of this application, by dimensions and under filters. Call describe_vocabulary "
    "first. What is listed is what the person you act for may see; a refusal is not an empty "
    "answer."
)


@dataclasses.dataclass
class Adapter:
    """Lists and calls one application's tools for whoever is calling.

    Attributes:
        app: the application, with its Janela.
        caller: says who is calling.
        write: whether tools that change something are among them.
        agent: which agent they are for, as it shall stand in the roster.
        allow_anonymous: let nobody call too.
        refusals: ``error`` answers a refusal with a JSON-RPC error; ``result`` with a result that
            is marked as an error, for the model to read.
        transport: how calls come, for the roster; by default ``http`` or ``stdio``.
        threads: how many calls may work at once.
    """

    app: flask.Flask
    caller: WhoCalls
    write: bool = False
    agent: str | None = None
    allow_anonymous: bool = False
    refusals: Refusals = "error"
    transport: str | None = None
    threads: int = 16
    _limiter: anyio.CapacityLimiter | None = dataclasses.field(default=None, init=False)

    def __post_init__(self) -> None:
        if not callable(self.caller):
            raise JanelaError(
                f"caller is {quoted(self.caller)}: give a function that answers who is calling, as "
                "the person or as their reference."
            )
        if not isinstance(self.threads, int) or self.threads < 1:
            raise JanelaError(
                f"threads is {quoted(self.threads)}: how many calls may work at once, 1 or more."
            )

    def tools(self) -> toolset.Tools:
        """The tools of whoever is calling; needs an application context."""
        who = self.caller()
        if isinstance(who, str):
            return toolset.tools_for_ref(who, write=self.write, agent=self.agent)
        return toolset.tools_for(
            who, write=self.write, agent=self.agent, allow_anonymous=self.allow_anonymous
        )

    def names(self) -> frozenset[str]:
        """The names of all tools, whoever calls."""
        with self.app.app_context():
            return frozenset(tool.name for tool in toolset.definitions(write=True))

    async def list_tools(self, context: Context = None, params: t.Any = None) -> t.Any:
        """What ``tools/list`` answers.

        Raises:
            MCPError: for nobody, and for somebody who is no longer there.
        """
        try:
            listed = await self._off_the_loop(self._list)
        except (Refused, Unauthenticated) as error:
            raise _refusal(error) from None
        except Exception:
            log.exception("The tools could not be listed")
            raise MCPError(types.INTERNAL_ERROR, _BROKE) from None
        return types.ListToolsResult(tools=listed, ttl_ms=0, cache_scope="private")

    async def call_tool(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        """What ``tools/call`` answers.

        Raises:
            MCPError: -32602 for a name that no tool has; -32003 for a refusal, unless those are
                results here.
        """
        try:
            tell = _progress(context)
            work = functools.partial(self._call, params.name, params.arguments, context, tell)
            answered: types.CallToolResult = await self._off_the_loop(work)
            return answered
        except NoSuchTool as error:
            raise MCPError(types.INVALID_PARAMS, error.message) from None
        except (Refused, Unauthenticated) as error:
            if self.refusals == "result":
                return _failure(error)
            raise _refusal(error, params.name) from None
        except JanelaError as error:
            if error.code in _READABLE:
                return _failure(error)
            log.exception("The tools could not be called")
            return _failure(Failed(_BROKE))
        except Exception:
            # Whatever escaped here would be sent with its text to clients of the older era.
            log.exception("The tools could not be called")
            return _failure(Failed(_BROKE))

    def _list(self) -> list[types.Tool]:
        with self.app.app_context():
            return [types.Tool.model_validate(wire(tool)) for tool in self.tools()]

    def _call(
        self,
        name: str,
        arguments: t.Any,
        context: Context,
        tell: t.Any,
    ) -> types.CallToolResult:
        with self.app.app_context():
            tools = self.tools().through(self._way(context), *_client(context))
            token = telling.set(tell)
            try:
                answer = tools.call(name, arguments)
            finally:
                telling.reset(token)
            return _result(answer, content=tools.answers_with_content(name))

    def _way(self, context: Context) -> str:
        over_http = context is not None and context.request is not None
        return self.transport or ("http" if over_http else "stdio")

    async def _off_the_loop(self, work: cabc.Callable[[], t.Any]) -> t.Any:
        self._limiter = self._limiter or anyio.CapacityLimiter(self.threads)
        return await anyio.to_thread.run_sync(
            contextvars.copy_context().run, work, limiter=self._limiter, abandon_on_cancel=True
        )


_READABLE = frozenset({"invalid", "not_found", "conflict", "rate_limited", "failed"})


def token_caller() -> str | None:
    """Who is calling, by the host's verified bearer token: its subject as ``user:…``."""
    token = get_access_token()
    return f"user:{token.subject}" if token is not None and token.subject else None


def mcp_server(
    janela: t.Any,
    app: flask.Flask,
    *,
    caller: WhoCalls,
    write: bool = False,
    agent: str | None = None,
    allow_anonymous: bool = False,
    refusals: Refusals = "error",
    transport: str | None = None,
    threads: int = 16,
    name: str = "janela",
    instructions: str = _INSTRUCTIONS,
    **more: t.Any,
) -> Server[t.Any]:
    """A low-level server of the SDK with an application's tools; the host runs it.

    Args:
        janela, app: the host's, ``janela.init_app(app, db)`` done.
        caller: says who is calling, see :data:`WhoCalls`. There is no default.
        write, agent, allow_anonymous, refusals, transport, threads: see :class:`Adapter`.
        more: further arguments of the SDK's ``Server``.

    Raises:
        Unscoped: when there is no scope function.
        JanelaError: when the application is not that Janela's.
    """
    if not janela.serves(app):
        raise JanelaError(
            f"The Flask application {app.name!r} is not registered with this Janela. Did you "
            "forget to call janela.init_app(app, db)?"
        )
    adapter = Adapter(
        app,
        caller,
        write=write,
        agent=agent,
        allow_anonymous=allow_anonymous,
        refusals=refusals,
        transport=transport,
        threads=threads,
    )
    adapter.names()
    if "get_tool_input_schema" in inspect.signature(Server.__init__).parameters:
        # Without it the SDK lists all tools before each call that comes over HTTP.
        more.setdefault("get_tool_input_schema", lambda name: None)
    return Server(
        name,
        instructions=instructions,
        on_list_tools=adapter.list_tools,
        on_call_tool=adapter.call_tool,
        **more,
    )


class ScopedMCPServer(MCPServer):
    """A host's own ``MCPServer`` with an application's tools beside those it registers.

    ::

        server = ScopedMCPServer("desk", adapter=Adapter(app, token_caller))

        @server.tool()
        def ping() -> str: ...
    """

    def __init__(self, *given: t.Any, adapter: Adapter, **more: t.Any) -> None:
        super().__init__(*given, **more)
        self._adapter = adapter

    async def list_tools(self) -> list[types.Tool]:
        ours = (await self._adapter.list_tools()).tools
        return [*await super().list_tools(), *ours]

    async def call_tool(
        self, name: str, arguments: dict[str, t.Any], context: t.Any = None
    ) -> t.Any:
        if name in {tool.name for tool in await super().list_tools()}:
            return await super().call_tool(name, arguments, context)
        params = types.CallToolRequestParams(name=name, arguments=arguments)
        asked = getattr(context, "request_context", None)
        return await self._adapter.call_tool(asked, params)


class JanelaExtension(Extension):
    """The calls of an application's tools, for an ``MCPServer`` that cannot be subclassed.

    The list needs :func:`list_middleware` as well::

        adapter = Adapter(app, token_caller)
        server = MCPServer("desk", extensions=[JanelaExtension(adapter)],
                           middleware=[list_middleware(adapter)])
    """

    identifier = "flask-janela/scoped-tools"

    def __init__(self, adapter: Adapter) -> None:
        self._adapter = adapter
        self._names = adapter.names()

    async def intercept_tool_call(self, params: t.Any, ctx: t.Any, call_next: t.Any) -> t.Any:
        if params.name not in self._names:
            return await call_next(ctx)
        return await self._adapter.call_tool(ctx, params)


def list_middleware(adapter: Adapter) -> cabc.Callable[[t.Any, t.Any], t.Any]:
    """A middleware of the SDK's server that puts an application's tools into ``tools/list``."""

    async def listed(ctx: t.Any, call_next: t.Any) -> t.Any:
        result = await call_next(ctx)
        first = not (ctx.params or {}).get("cursor")
        if ctx.method != "tools/list" or not isinstance(result, dict) or not first:
            return result
        ours = [
            tool.model_dump(by_alias=True, mode="json", exclude_none=True)
            for tool in (await adapter.list_tools(ctx)).tools
        ]
        private = {"cacheScope": "private", "ttlMs": 0} if "cacheScope" in result else {}
        return {**result, **private, "tools": [*result["tools"], *ours]}

    return listed


def wire(tool: Tool) -> Answer:
    """A tool as the protocol writes it."""
    told: Answer = {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.input_schema,
        "annotations": {
            "readOnlyHint": tool.read_only,
            "destructiveHint": tool.destructive,
            "idempotentHint": tool.idempotent,
            "openWorldHint": False,
        },
    }
    if not tool.content:
        told["outputSchema"] = tool.output_schema
    return told


def _result(answer: Answer, *, content: bool) -> types.CallToolResult:
    if content:
        return types.CallToolResult.model_validate({"content": answer["content"]})
    text = types.TextContent(type="text", text=encoded(answer))
    return types.CallToolResult(content=[text], structured_content=answer)


def _failure(error: JanelaError) -> types.CallToolResult:
    """A result that is an error; without structure, which would have to fit the tool's schema."""
    text = encoded({"error": error.as_dict()})
    content: list[t.Any] = [types.TextContent(type="text", text=text)]
    return types.CallToolResult(content=content, is_error=True)


def _refusal(error: Refused | Unauthenticated | CallerGone, name: str | None = None) -> MCPError:
    return MCPError(
        REFUSED, error.message, {"code": error.code, **({"tool": name} if name else {})}
    )


def _client(context: Context) -> tuple[str | None, str | None]:
    """The name and version that a client gives itself."""
    params = None if context is None else context.session.client_params
    info = None if params is None else params.client_info
    return (None, None) if info is None else (info.name, info.version)


def _progress(context: Context) -> t.Any:
    if context is None:
        return None
    session = context.session

    def tell(done: float, total: float | None, message: str | None) -> None:
        anyio.from_thread.run(session.report_progress, done, total, message)

    return tell
