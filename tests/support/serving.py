"""A server of a store in this process, and a client that talks to it without a socket."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx

import kataribe
from kataribe.ports import Clock
from kataribe.surfaces.http.app import Server
from kataribe.surfaces.http.options import ServerOptions
from support.stores import empty_store, services


class Client:
    """A caller with one access key, or with none."""

    def __init__(self, server: Server, secret: str | None, headers: Mapping[str, str]) -> None:
        told = {} if secret is None else {"authorization": f"Bearer {secret}"}
        transport = httpx.ASGITransport(app=server.app)
        self.http = httpx.AsyncClient(
            transport=transport, base_url="http://localhost", headers={**told, **headers}
        )

    async def __call__(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        status: int | None = None,
        data: bytes | None = None,
        **headers: str,
    ) -> httpx.Response:
        """Send a request, with JSON or with a file; it must end with `status` where that is said."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        sent: dict[str, Any] = {} if body is None else {"json": body}
        if data is not None:
            sent = {"content": data}
        got = await self.http.request(method, path, headers=named, **sent)
        assert status is None or got.status_code == status, (method, path, got.status_code, got.text)
        return got


class Served:
    """A store that is open, and its server."""

    def __init__(self, memory: kataribe.AsyncKataribe, options: ServerOptions) -> None:
        self.memory = memory
        self.server = Server(memory, options)
        self.owner = self.client()

    def client(self, secret: str | None = None, **headers: str) -> Client:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return Client(self.server, secret, named)

    async def key(self, scope: str, **bound: Any) -> Client:
        """Make a key, and give a caller who has it."""
        made = await self.memory.admin.access.add(scope, **bound)
        return self.client(made.secret)


@asynccontextmanager
async def served(
    folder: Path, options: ServerOptions | None = None, *, clock: Clock | None = None
) -> AsyncIterator[Served]:
    """Serve a new store; `clock` is what it is told the time by (else the machine's)."""
    path = empty_store(folder / "served.db")
    parts = services() if clock is None else replace(services(), clock=clock)
    memory = await kataribe.open_async(str(path), services=parts)
    made = Served(memory, options or ServerOptions())
    try:
        yield made
    finally:
        await made.server.work.close()
        await memory.close()
