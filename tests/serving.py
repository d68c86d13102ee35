"""An ASGI application on a free port of this machine, for clients that need a real server."""

from __future__ import annotations

import collections.abc as cabc
import contextlib
import socket
import threading
import typing as t

import uvicorn


@contextlib.contextmanager
def listening(make: cabc.Callable[[int], t.Any]) -> cabc.Iterator[str]:
    """Serves what ``make`` answers for a port; the address."""
    # As TCP by name: asyncio sends at once only on sockets that say so.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        server = uvicorn.Server(uvicorn.Config(make(port), log_level="error"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            server.should_exit = True
            thread.join()
