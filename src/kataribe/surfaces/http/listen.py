"""Listening: a socket, TLS where it is asked for, and the loop that serves until it is stopped."""

from __future__ import annotations

import asyncio
import re
import signal
import socket
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from kataribe.errors import InputError
from kataribe.face.aio.kataribe import AsyncKataribe
from kataribe.ports.upstream import Upstream
from kataribe.surfaces.http.app import create_app
from kataribe.surfaces.http.options import (
    LOOPBACK_NAMES,
    SESSION_HEADER,
    ServerOptions,
    check_exposure,
    is_loopback,
)
from kataribe.surfaces.http.patience import PatientProtocol

_IDLE_SECONDS = 15
_GRACE_SECONDS = 10
_BACKLOG = 512
_HEADER = re.compile(r"[A-Za-z0-9-]{1,64}")
_STOPS = (signal.SIGINT, signal.SIGTERM)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listening:
    """Where a server listens. `proxy` is the address, or the name, of a proxy that ends TLS."""

    host: str = "127.0.0.1"
    port: int = 8374
    keys_required: bool = False
    tls_cert: Path | None = None
    tls_key: Path | None = None
    proxy: str | None = None
    session_header: str = SESSION_HEADER

    def __post_init__(self) -> None:
        if (self.tls_cert is None) != (self.tls_key is None):
            raise InputError("TLS needs both a certificate and its key: give --tls-cert and --tls-key")
        if _HEADER.fullmatch(self.session_header) is None:
            raise InputError(f"{self.session_header!r} is no name of a header")

    @property
    def has_tls(self) -> bool:
        """Whether it speaks TLS itself."""
        return self.tls_cert is not None


async def serve(
    memory: AsyncKataribe,
    where: Listening,
    *,
    listens: Callable[[str], None],
    upstream: Upstream | None = None,
    is_raw: bool = False,
) -> None:
    """Serve a store until the process is told to stop; `listens` is told the address.

    `upstream` is the model that the OpenAI-compatible routes ask; `is_raw` lets users' personal data go
    to it as they are.

    Raises `InputError` when it may not listen there, `OSError` when it cannot.
    """
    has_keys = bool(await memory.admin.access.list())
    check_exposure(where.host, has_keys=has_keys, has_tls=where.has_tls, has_proxy=where.proxy is not None)
    local = is_loopback(where.host) and where.proxy is None
    options = ServerOptions(
        keys_required=where.keys_required or not is_loopback(where.host) or where.proxy is not None,
        proxies=None if where.proxy is None else addresses_of(where.proxy),
        hosts=LOOPBACK_NAMES | {where.host} if local else None,
        session_header=where.session_header,
        upstream_raw=is_raw,
    )
    config = uvicorn.Config(
        create_app(memory, options, upstream),
        http=PatientProtocol,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan="on",
        ws="none",
        timeout_keep_alive=_IDLE_SECONDS,
        timeout_graceful_shutdown=_GRACE_SECONDS,
        backlog=_BACKLOG,
        ssl_certfile=where.tls_cert,
        ssl_keyfile=where.tls_key,
    )
    with _socket(where) as listening:
        host, port = listening.getsockname()[:2]
        shown = f"[{host}]" if ":" in host else host
        listens(f"{'https' if where.has_tls else 'http'}://{shown}:{port}")
        await _Server(config).serve(sockets=[listening])


class _Server(uvicorn.Server):
    """Stops when it is told to, and lets the store be closed then."""

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Take the signals that stop a process, as long as it serves."""
        if threading.current_thread() is not threading.main_thread() or sys.platform == "win32":
            with super().capture_signals():
                yield
            return
        loop = asyncio.get_running_loop()
        for one in _STOPS:
            loop.add_signal_handler(one, self.handle_exit, one, None)
        try:
            yield
        finally:
            for one in _STOPS:
                loop.remove_signal_handler(one)


def _socket(where: Listening) -> socket.socket:
    family = socket.AF_INET6 if ":" in where.host else socket.AF_INET
    return socket.create_server((where.host, where.port), family=family, backlog=_BACKLOG)


def addresses_of(name: str) -> frozenset[str]:
    """Give the addresses of a proxy. Raises `InputError` for a name that has none."""
    try:
        found = socket.getaddrinfo(name, None)
    except OSError as error:
        raise InputError(f"{name!r} is no address of a proxy; name one that this machine knows") from error
    return frozenset(str(one[4][0]) for one in found)
