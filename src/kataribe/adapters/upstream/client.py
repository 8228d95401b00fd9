"""Asking for chat completions over HTTP: what is sent and what comes back stays as it is."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

import httpx2

from kataribe.adapters.upstream.providers import UpstreamChoice
from kataribe.errors import ModelError
from kataribe.ports.upstream import ChatJson, UpstreamStream

MAX_REPLY_BYTES = 16 << 20
"""No reply is longer."""
MAX_EVENT_BYTES = 4 << 20
"""No event of a stream is longer."""
LONGEST_SECONDS = 600.0
"""How long a whole reply may take."""
_CONNECT_SECONDS = 10.0
_DATA = "data:"
_DONE = "[DONE]"


class ChatUpstream:
    """One model at one address. It is asked once for each request: who asked may ask again."""

    def __init__(self, wanted: UpstreamChoice) -> None:
        self._wanted = wanted
        told = {} if wanted.key is None else {"authorization": f"Bearer {wanted.key}"}
        self._client = httpx2.AsyncClient(
            timeout=httpx2.Timeout(wanted.seconds, connect=min(wanted.seconds, _CONNECT_SECONDS)),
            headers={**told, "accept-encoding": "identity", "user-agent": "kataribe"},
            follow_redirects=False,
        )

    @property
    def model(self) -> str:
        """What the provider calls the model."""
        return self._wanted.model

    async def complete(self, body: ChatJson) -> dict[str, object]:
        """Ask for a whole completion. Raises `ModelError` when there is none."""
        try:
            async with asyncio.timeout(LONGEST_SECONDS):
                response = await self._sent({**body, "stream": False})
                try:
                    data = b"".join([piece async for piece in _bounded(response)])
                finally:
                    await response.aclose()
        except (httpx2.HTTPError, TimeoutError) as error:
            raise self._failed(error) from error
        found = _json(data)
        if not isinstance(found, dict) or not found.get("choices") or not _is_chat(found, "message"):
            raise ModelError(f"{self._name} replied with what is no chat completion")
        return found

    async def stream(self, body: ChatJson) -> UpstreamStream:
        """Begin to ask for a completion in chunks. Raises `ModelError` when none begins."""
        try:
            return _Chunks(await self._sent({**body, "stream": True}), self._name)
        except httpx2.HTTPError as error:
            raise self._failed(error) from error

    async def close(self) -> None:
        """Hang up on whatever is still asked; doing it twice is doing it."""
        await self._client.aclose()

    async def _sent(self, body: Mapping[str, object]) -> httpx2.Response:
        asked = self._client.build_request(
            "POST",
            f"{self._wanted.url}/chat/completions",
            content=json.dumps({**body, "model": self.model}, ensure_ascii=False).encode("utf-8"),
            headers={"content-type": "application/json"},
        )
        response = await self._client.send(asked, stream=True)
        if response.status_code != 200:
            await response.aclose()
            # What it says may repeat what it was sent, and part of a key.
            raise ModelError(f"{self._name} answered with the status {response.status_code}")
        return response

    @property
    def _name(self) -> str:
        return f"the upstream {self._wanted.provider}:{self._wanted.model}"

    def _failed(self, error: Exception) -> ModelError:
        return ModelError(f"{self._name} gave no whole reply ({type(error).__name__})")


class _Chunks:
    """The chunks of a stream of events."""

    def __init__(self, response: httpx2.Response, name: str) -> None:
        self._response = response
        self._name = name

    async def __aiter__(self) -> AsyncIterator[ChatJson]:
        loop = asyncio.get_running_loop()
        end = loop.time() + LONGEST_SECONDS
        try:
            async for event in _events(self._response):
                if event == _DONE:
                    return
                if loop.time() > end:
                    raise ModelError(f"{self._name} was still replying after {LONGEST_SECONDS:g} seconds")
                yield self._chunk(event)
        except httpx2.HTTPError as error:
            raise ModelError(f"{self._name} broke off ({type(error).__name__})") from error
        raise ModelError(f"{self._name} broke off before the end of its reply")

    def _chunk(self, event: str) -> ChatJson:
        found = _json(event.encode("utf-8"))
        if isinstance(found, dict) and found.get("error") is not None:
            raise ModelError(f"{self._name} failed in the middle of its reply")
        if not isinstance(found, dict) or not _is_chat(found, "delta"):
            raise ModelError(f"{self._name} sent an event that is no chunk of a completion")
        return found

    async def aclose(self) -> None:
        """Hang up; doing it twice is doing it."""
        await self._response.aclose()


async def _bounded(response: httpx2.Response) -> AsyncIterator[bytes]:
    size = 0
    async for piece in response.aiter_raw():
        size += len(piece)
        if size > MAX_REPLY_BYTES:
            raise httpx2.ReadError(f"the reply is longer than {MAX_REPLY_BYTES} bytes")
        yield piece


async def _events(response: httpx2.Response) -> AsyncIterator[str]:
    """Give the data of each event, as it comes."""
    waiting = b""
    told: list[str] = []
    async for piece in _bounded(response):
        *lines, waiting = (waiting + piece).replace(b"\r\n", b"\n").split(b"\n")
        if len(waiting) + sum(map(len, told)) > MAX_EVENT_BYTES:
            raise httpx2.ReadError(f"an event is longer than {MAX_EVENT_BYTES} bytes")
        for line in lines:
            text = line.decode("utf-8", errors="replace")
            if text.startswith(_DATA):
                told.append(text[len(_DATA) :].removeprefix(" "))
            elif not text and told:
                yield "\n".join(told)
                told = []
    last = waiting.decode("utf-8", errors="replace")
    if last.startswith(_DATA):
        told.append(last[len(_DATA) :].removeprefix(" "))
    if told:
        yield "\n".join(told)


def _is_chat(found: Mapping[str, Any], part: str) -> bool:
    """Whether something is a completion, or a chunk of one, as far as it is looked into."""
    choices = found.get("choices") or []
    return isinstance(choices, list) and all(_is_choice(one, part) for one in choices)


def _is_choice(choice: object, part: str) -> bool:
    if not isinstance(choice, dict):
        return False
    said = choice.get(part)
    if said is None:
        # Some servers end a stream without a delta.
        return part == "delta"
    calls = said.get("tool_calls") or [] if isinstance(said, dict) else None
    return isinstance(calls, list) and all(
        isinstance(one, dict) and isinstance(one.get("function") or {}, dict) for one in calls
    )


def _json(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None
