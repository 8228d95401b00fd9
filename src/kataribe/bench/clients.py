"""A client of a server that costs next to nothing beside it: HTTP/1.1 over one connection that is kept."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """What came back."""

    status: int
    body: bytes

    @property
    def json(self) -> Any:
        """The value of its body."""
        return json.loads(self.body)


class HttpClient:
    """One caller of a server on this machine, with an access key or without one."""

    def __init__(self, port: int, secret: str | None = None) -> None:
        self._port = port
        self._key = "" if secret is None else f"Authorization: Bearer {secret}\r\n"
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(
        self, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None
    ) -> HttpAnswer:
        """Send a request and read its answer. Raises `ConnectionError` where the other side ends first."""
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._streams
        data = b"" if body is None else json.dumps(body, ensure_ascii=False).encode()
        head = "".join(f"{name}: {value}\r\n" for name, value in (headers or {}).items())
        writer.write(
            f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{self._key}{head}"
            f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n".encode()
            + data
        )
        try:
            return await _answer(reader)
        except asyncio.IncompleteReadError as error:
            await self.close()
            raise ConnectionResetError("the server closed the connection") from error

    async def close(self) -> None:
        """Close the connection; another request opens a new one."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


async def _answer(reader: asyncio.StreamReader) -> HttpAnswer:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    named = dict(line.lower().split(": ", 1) for line in head[1:] if line)
    return HttpAnswer(
        int(head[0].split()[1]), await reader.readexactly(int(named.get("content-length", "0")))
    )
