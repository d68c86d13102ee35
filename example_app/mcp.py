"""The desk's MCP server: over HTTP beside the pages, one bearer token per person, and over stdio.

``python -m example_app.mcp --as analyst-ua`` speaks over standard input and output, for clients
that start their servers themselves.
"""

from __future__ import annotations

import collections.abc as cabc
import contextlib
import sys
import typing as t

import anyio
import click
from a2wsgi import WSGIMiddleware
from flask import Flask
from mcp.server import Server
from mcp.server.auth.provider import AccessToken, TokenVerifier
from mcp.server.auth.settings import AuthSettings
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings

from flask_janela.tools.mcp import mcp_server, token_caller

from . import create_app
from .desk import janela
from .people import PEOPLE, TOKENS
from .seeding import seed

PATH = "/mcp"
_MCP_PATHS = (PATH, "/.well-known/oauth-protected-resource")

Scope = cabc.MutableMapping[str, t.Any]
Application = cabc.Callable[..., cabc.Awaitable[None]]


class DemoTokens(TokenVerifier):
    """Whose a token is. A real host looks it up where it keeps them, hashed and with an end."""

    async def verify_token(self, token: str) -> AccessToken | None:
        person = TOKENS.get(token)
        if person is None:
            return None
        return AccessToken(token=token, client_id="desk", subject=person, scopes=["desk"])


def http_server(app: Flask, *, caller: cabc.Callable[[], t.Any] = token_caller) -> Server[t.Any]:
    """The tools of whoever's token a request carries; they may arrange, as on the pages."""
    return mcp_server(janela, app, caller=caller, write=True, name="airline-desk")


def asgi(app: Flask, *, host: str = "127.0.0.1", port: int = 5000) -> Application:
    """One application of the pages and the MCP server, for an ASGI server."""
    base = f"http://{host}:{port}"
    tools = http_server(app).streamable_http_app(
        streamable_http_path=PATH,
        stateless_http=True,
        auth=AuthSettings(
            issuer_url=t.cast("t.Any", f"{base}/"),
            resource_server_url=t.cast("t.Any", f"{base}{PATH}"),
            required_scopes=["desk"],
            validate_token_resource=False,
        ),
        token_verifier=DemoTokens(),
        transport_security=TransportSecuritySettings(
            allowed_hosts=[f"{host}:{port}", f"localhost:{port}"],
            allowed_origins=[base, f"http://localhost:{port}"],
        ),
    )
    pages = t.cast("Application", WSGIMiddleware(t.cast("t.Any", app), workers=10))

    async def both(scope: Scope, receive: t.Any, send: t.Any) -> None:
        # The server's start and end are the tools' business; all else goes by the path.
        if scope["type"] == "lifespan" or scope["path"].startswith(_MCP_PATHS):
            await tools(scope, receive, send)
        else:
            await pages(scope, receive, send)

    return both


async def speak(server: Server[t.Any]) -> None:
    """Answer on standard output what comes on standard input, until that ends."""
    async with stdio_server() as (read, write):
        # What anything prints must not get between the messages.
        with contextlib.redirect_stdout(sys.stderr):
            await server.run(read, write, server.create_initialization_options())


@click.command()
@click.option(
    "--as",
    "person",
    required=True,
    type=click.Choice(list(PEOPLE)),
    help="On whose behalf. There is no default.",
)
def main(person: str) -> None:
    """The desk's tools over standard input and output, as one of its people."""
    with contextlib.redirect_stdout(sys.stderr):
        app = create_app()
        with app.app_context():
            seed()
    server = mcp_server(
        janela,
        app,
        caller=lambda: f"user:{person}",
        write=True,
        transport="stdio",
        name="airline-desk",
    )
    anyio.run(speak, server)


if __name__ == "__main__":
    main(prog_name="python -m example_app.mcp")
