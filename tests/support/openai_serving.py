"""A server of a store that listens on this machine, with a model behind it, and OpenAI's own client."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import uvicorn
from openai import AsyncOpenAI

import kataribe
from kataribe.adapters.upstream.client import ChatUpstream
from kataribe.adapters.upstream.providers import UpstreamChoice
from kataribe.surfaces.http.app import create_app
from kataribe.surfaces.http.options import ServerOptions
from kataribe.surfaces.http.patience import PatientProtocol
from support.stores import empty_store, services
from support.upstream import StubUpstream

SECONDS = 60.0


def upstream_at(
    stub: StubUpstream, *, key: str | None = "sk-upstream", seconds: float = SECONDS
) -> ChatUpstream:
    """Give what asks a stub."""
    choice = UpstreamChoice(provider="openai", model="stub", url=stub.url, key=key, seconds=seconds)
    return ChatUpstream(choice)


@dataclass
class Listening:
    """A server that listens."""

    memory: kataribe.AsyncKataribe
    url: str
    clients: list[AsyncOpenAI] = field(default_factory=list)

    def client(self, secret: str = "none", **more: Any) -> Any:
        """Give OpenAI's client. It asks once: what fails is looked at. Messages are plain objects."""
        made = AsyncOpenAI(base_url=f"{self.url}/v1", api_key=secret, max_retries=0, timeout=SECONDS, **more)
        self.clients.append(made)
        return made

    async def key(self, scope: str, **bound: Any) -> str:
        """Make a key, and give its secret."""
        return (await self.memory.admin.access.add(scope, **bound)).secret


@asynccontextmanager
async def listening(
    folder: Path, stub: StubUpstream | None = None, options: ServerOptions | None = None
) -> AsyncIterator[Listening]:
    """Serve a new store until the end."""
    path = empty_store(folder / "served.db")
    memory = await kataribe.open_async(str(path), services=services())
    upstream = None if stub is None else upstream_at(stub)
    app = create_app(memory, options or ServerOptions(), upstream)
    config = uvicorn.Config(app, http=PatientProtocol, log_config=None, lifespan="on", ws="none")
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listens:
        serving = asyncio.create_task(server.serve(sockets=[listens]))
        made = Listening(memory, f"http://127.0.0.1:{listens.getsockname()[1]}")
        try:
            yield made
        finally:
            for client in made.clients:
                await client.close()
            server.should_exit = True
            await serving
            await memory.close()
