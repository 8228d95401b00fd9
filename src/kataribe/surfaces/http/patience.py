"""Connections on which nothing is asked for are given up: half a head holds none of them for ever."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 20.0
"""How long the head of a request may take, and how long a connection may be open without one."""


class PatientProtocol(H11Protocol):
    """HTTP/1.1 that closes a connection which asks nothing for `HEAD_SECONDS`."""

    head_seconds = HEAD_SECONDS

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._waits_since = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a head."""
        super().connection_made(transport)
        # Head and body of a reply are two writes: the second is not to wait for the first to be acknowledged.
        # (The event loop does so only where a socket names its protocol; those of `create_server` do not.)
        connection = transport.get_extra_info("socket")
        if connection is not None and connection.family in (socket.AF_INET, socket.AF_INET6):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._waits_since = self.loop.time()
        self._look_again(self.head_seconds)

    def on_response_complete(self) -> None:
        """Begin to wait for the next one."""
        self._waits_since = self.loop.time()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        if self._timer is not None:
            self._timer.cancel()
        super().connection_lost(exc)

    def _look_again(self, seconds: float) -> None:
        self._timer = self.loop.call_later(seconds, self._look)

    def _look(self) -> None:
        is_busy = self.cycle is not None and not self.cycle.response_complete
        left = self.head_seconds - (self.loop.time() - self._waits_since)
        if is_busy or left > 0:
            self._look_again(self.head_seconds if is_busy else left)
        else:
            self.transport.close()
