"""Servers of stores in a thread of this process, for clients that are not made for event loops."""

from __future__ import annotations

import asyncio
import shutil
import threading
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, TypeVar

import uvicorn

import kataribe
from kataribe.engine import Services
from kataribe.surfaces.http.app import Server
from kataribe.surfaces.http.listen import Listening, _socket
from kataribe.surfaces.http.options import ServerOptions
from kataribe.surfaces.http.patience import PatientProtocol

T = TypeVar("T")
FREE = ServerOptions(rate=1e6, burst=10**6)
"""No caller asks too often."""


class LoopThread:
    """An event loop that turns in a thread of its own."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def run(self, told: Coroutine[Any, Any, T]) -> T:
        """Run something there, and wait for it."""
        return asyncio.run_coroutine_threadsafe(told, self._loop).result()

    def close(self) -> None:
        """Stop it."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


class Listened:
    """A store that is served on a port of this machine."""

    def __init__(self, thread: LoopThread, path: Path, services: Services, options: ServerOptions) -> None:
        self._thread = thread
        self._held = AsyncExitStack()
        self.memory, self.url = thread.run(self._open(path, services, options))

    async def _open(
        self, path: Path, services: Services, options: ServerOptions
    ) -> tuple[kataribe.AsyncKataribe, str]:
        memory = await kataribe.open_async(str(path), services=services)
        self._held.push_async_callback(memory.close)
        config = uvicorn.Config(
            Server(memory, options).app,
            http=PatientProtocol,
            log_config=None,
            access_log=False,
            server_header=False,
            date_header=False,
            proxy_headers=False,
            lifespan="on",
            ws="none",
        )
        server = uvicorn.Server(config)
        listening = _socket(Listening(port=0))
        self._held.callback(listening.close)
        serving = asyncio.create_task(server.serve(sockets=[listening]))

        async def stop() -> None:
            server.should_exit = True
            await serving

        self._held.push_async_callback(stop)
        return memory, f"http://127.0.0.1:{listening.getsockname()[1]}"

    def run(self, told: Coroutine[Any, Any, T]) -> T:
        """Do something with the store where its loop is."""
        return self._thread.run(told)

    def close(self) -> None:
        """Stop serving, and close the store."""
        self._thread.run(self._held.aclose())


def copied(store: Path, to: Path) -> Path:
    """Copy a store that nobody has open."""
    shutil.copyfile(store, to)
    return to
