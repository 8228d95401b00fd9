"""The loop thread on which the work of a synchronous face runs."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Coroutine
from threading import Thread
from typing import Any, Protocol, TypeVar

from kataribe.errors import StoreError

T = TypeVar("T")


class Runner(Protocol):
    """Waits for work: what every synchronous handle is given."""

    def __call__(self, work: Coroutine[Any, Any, T]) -> T:
        """Run work to its end and give what came of it."""


class LoopThread:
    """An event loop in a thread of its own; many threads may wait for work on it at once."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, name="kataribe", daemon=True)
        self._process = os.getpid()
        self._closed = False
        self._thread.start()

    def __call__(self, work: Coroutine[Any, Any, T]) -> T:
        """Run work to its end. Raises `StoreError` once closed, and in a child of `os.fork`."""
        refusal = self._refusal()
        if refusal is not None:
            work.close()
            raise StoreError(refusal)
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            # Ctrl-C in the caller's thread must stop the work in ours.
            future.cancel()
            raise

    def _refusal(self) -> str | None:
        if self._closed:
            return "the store is closed; open it again"
        if os.getpid() != self._process:
            # Threads do not come along into a child: its work would wait for ever.
            return "the store was opened before this process was forked off; open it again here"
        return None

    @property
    def is_closed(self) -> bool:
        """Whether no work is taken any more."""
        return self._closed

    @property
    def is_of_this_process(self) -> bool:
        """Whether this process started the thread."""
        return os.getpid() == self._process

    def start(self, make: Callable[[], Awaitable[T]]) -> T:
        """Run the first work; when it fails the thread ends."""

        async def made() -> T:
            return await make()

        try:
            return self(made())
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """End the loop and its thread; a second time does nothing."""
        if self._closed:
            return
        self._closed = True
        if not self.is_of_this_process:
            return
        # Shut down on its own loop: the caller's thread may be running another.
        asyncio.run_coroutine_threadsafe(self._loop.shutdown_default_executor(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
