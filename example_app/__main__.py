"""``python -m example_app``: seed when needed, then serve the desk to this machine only."""

from __future__ import annotations

import errno
import socket

import click
import uvicorn

from . import create_app, mcp
from .seeding import seed_with_progress

HOST = "127.0.0.1"


@click.command()
@click.option("--port", type=click.IntRange(1, 65535), default=5000, show_default=True)
def main(port: int) -> None:
    """Serve the airline desk, seeding it first when it is empty."""
    # Taken before seeding, so that a port in use is said at once rather than after the wait.
    with _listener(port) as listener:
        app = create_app()
        with app.app_context():
            seed_with_progress()
        config = uvicorn.Config(
            mcp.asgi(app, host=HOST, port=port),
            log_level="warning",
            server_header=False,
            timeout_graceful_shutdown=3,
        )
        click.echo(f"\n  Airline desk: http://{HOST}:{port}/")
        click.echo(f"  For agents:   http://{HOST}:{port}{mcp.PATH} (MCP, a bearer token)\n")
        click.echo("  Sign in as the operations lead or as one airline's analyst. Ctrl+C stops it.")
        uvicorn.Server(config).run(sockets=[listener])


def _listener(port: int) -> socket.socket:
    try:
        return socket.create_server((HOST, port))
    except OSError as error:
        if error.errno not in {errno.EADDRINUSE, errno.EACCES}:
            raise
        why = "in use by another program" if error.errno == errno.EADDRINUSE else "not yours to use"
        raise click.ClickException(
            f"Port {port} is {why}. Choose another one: make demo PORT={port % 65535 + 1}"
        ) from None


if __name__ == "__main__":
    main(prog_name="python -m example_app")
