"""Serving MCP: over standard input and output, or over HTTP on this machine alone, until it is stopped."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from kataribe.agents.mcp import server_for
from kataribe.domain.recall.requests import ViewerKeys
from kataribe.errors import InputError
from kataribe.face.aio.kataribe import AsyncKataribe

LOOPBACK = "127.0.0.1"
"""The one address that is served: who may connect is who is on this machine."""
PATH = "/mcp"
GRACE = 2
"""Seconds that connections have to end when the server is stopped."""
_STOPS = (signal.SIGINT, signal.SIGTERM)


def serve(
    opened: Callable[[], Coroutine[Any, Any, AsyncKataribe]],
    viewer: ViewerKeys,
    *,
    library: str | None = None,
    port: int | None = None,
    version: str = "",
    say: Callable[[str], None],
) -> None:
    """Serve one viewer until the client is gone or the process is told to stop; the store is closed then.

    `port` serves HTTP (0: one that is free), without it standard input and output are the
    connection. `say` is told where it listens. Raises `InputError` for a viewer that is none and a
    port that is taken, `NotFoundError` for an unknown story, user or library.
    """
    asyncio.run(_serve(opened, viewer, library=library, port=port, version=version, say=say))


async def _serve(
    opened: Callable[[], Coroutine[Any, Any, AsyncKataribe]],
    viewer: ViewerKeys,
    *,
    library: str | None,
    port: int | None,
    version: str,
    say: Callable[[str], None],
) -> None:
    memory = await opened()
    try:
        await check(memory, viewer, library=library)
        server = server_for(memory, viewer, library=library, version=version)
        await (_over_stdio(server, memory) if port is None else _over_http(server, port, say))
    finally:
        await memory.close()


async def check(memory: AsyncKataribe, viewer: ViewerKeys, *, library: str | None = None) -> None:
    """Raise `NotFoundError` for a story or library that is not there; a user is made by what is said."""
    if library is not None:
        await memory.library(library).info()
    if viewer.get("story") is not None and viewer.get("user") is None:
        await memory.viewer(**viewer).known(where={"fact_id": ""})


async def _over_stdio(server: Server[Any], memory: AsyncKataribe) -> None:
    """Serve until the client closes its end; where the process is told to stop before, it ends here."""
    with _stops() as stopped:
        async with stdio_server() as (read, write):
            run = asyncio.create_task(server.run(read, write, server.create_initialization_options()))
            await asyncio.wait({run, stopped}, return_when=asyncio.FIRST_COMPLETED)
            if stopped.done():
                await memory.close()
                sys.stderr.flush()
                # A thread waits for standard input, and would wait for as long as the client lives.
                os._exit(0)
            run.result()


async def _over_http(server: Server[Any], port: int, say: Callable[[str], None]) -> None:
    """Serve on this machine until the process is told to stop."""
    try:
        listening = socket.create_server((LOOPBACK, port))
    except (OSError, OverflowError) as error:
        raise InputError(f"port {port} cannot be served here: {error}; choose another") from error
    app = server.streamable_http_app(streamable_http_path=PATH, host=LOOPBACK)
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, timeout_graceful_shutdown=GRACE, lifespan="on"
    )
    door = _HttpDoor(config)
    with _stops() as stopped:
        stopped.add_done_callback(door.stop)
        say(f"MCP at http://{LOOPBACK}:{listening.getsockname()[1]}{PATH}; Ctrl-C ends")
        await door.serve(sockets=[listening])


class _HttpDoor(uvicorn.Server):
    """A server that leaves signals to us: the store is to be closed before the process ends."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals alone."""
        yield

    def stop(self, _: object) -> None:
        """Take no more requests, and end."""
        self.should_exit = True


@contextmanager
def _stops() -> Iterator[asyncio.Future[None]]:
    """Give what is done once the process is told to stop."""
    loop = asyncio.get_running_loop()
    stopped: asyncio.Future[None] = loop.create_future()

    def stop() -> None:
        if not stopped.done():
            stopped.set_result(None)

    for one in _STOPS:
        loop.add_signal_handler(one, stop)
    try:
        yield stopped
    finally:
        for one in _STOPS:
            loop.remove_signal_handler(one)
        stopped.cancel()
