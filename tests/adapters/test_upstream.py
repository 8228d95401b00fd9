"""Asking a model at a provider that speaks as OpenAI does: where, with which key, and how much is taken."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest

from kataribe.adapters.upstream import client as upstream
from kataribe.adapters.upstream.client import ChatUpstream
from kataribe.adapters.upstream.providers import PROVIDERS, UpstreamChoice, chosen
from kataribe.errors import InputError, ModelError
from kataribe.settings import Settings
from kataribe.wiring.upstream import upstream_of

KEYS = {"OPENAI_API_KEY": "sk-o", "ANTHROPIC_API_KEY": "sk-a", "GEMINI_API_KEY": "sk-g"}


@pytest.mark.parametrize(
    ("name", "given", "url", "key"),
    [
        ("openai:gpt-4.1", {}, "https://api.openai.com/v1", "sk-o"),
        ("openai:x", {"base_url": "http://h/v1/"}, "http://h/v1", "sk-o"),
        ("openai:x", {"url": "http://u/v1", "base_url": "http://h/v1"}, "http://u/v1", "sk-o"),
        ("ollama:qwen3:8b", {}, "http://localhost:11434/v1", None),
        ("anthropic:claude", {"base_url": "http://h/v1"}, "https://api.anthropic.com/v1", "sk-a"),
        ("google:gemini", {}, PROVIDERS["google"].url, "sk-g"),
    ],
)
def test_a_name_says_where_a_model_is_asked_and_with_which_key(
    name: str, given: dict[str, str], url: str, key: str | None
) -> None:
    found = chosen(name, keys=KEYS, **given)  # type: ignore[arg-type]
    assert (found.url, found.key, f"{found.provider}:{found.model}") == (url, key, name)
    assert "sk-" not in repr(found)


@pytest.mark.parametrize("name", ["gpt-4", "openai", "openai:", "openai: x", "nobody:x", ":x", "rules"])
def test_what_is_no_model_is_refused_with_those_there_are(name: str) -> None:
    with pytest.raises(InputError, match="openai:NAME"):
        chosen(name, keys=KEYS)


def test_a_provider_that_wants_a_key_is_not_asked_without_one() -> None:
    with pytest.raises(ModelError, match="OPENAI_API_KEY"):
        chosen("openai:x", keys={})
    assert chosen("openai:x", keys={}, url="http://h/v1").key is None
    assert upstream_of(Settings()) is None
    made = upstream_of(Settings(upstream_model="ollama:x"), "ollama:y")
    assert made is not None
    assert made.model == "y"


def asked(pieces: list[bytes], status: int = 200) -> tuple[ChatUpstream, list[httpx2.Request]]:
    """Give a model whose server sends these pieces, and what it will have been asked."""
    requests: list[httpx2.Request] = []

    class Body(httpx2.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            for piece in pieces:
                yield piece

    def answer(request: httpx2.Request) -> httpx2.Response:
        requests.append(request)
        return httpx2.Response(status, stream=Body())

    choice = UpstreamChoice(provider="openai", model="m", url="http://h/v1", key="sk-1")
    made = ChatUpstream(choice)
    made._client = httpx2.AsyncClient(transport=httpx2.MockTransport(answer))
    return made, requests


def chunks(pieces: list[bytes]) -> list[Any]:
    async def run() -> list[Any]:
        made, _ = asked(pieces)
        stream = await made.stream({"messages": []})
        found = [one async for one in stream]
        await stream.aclose()
        await made.close()
        return found

    return asyncio.run(run())


FIRST: dict[str, Any] = {"choices": [{"delta": {"content": "雨"}}]}
SECOND: dict[str, Any] = {"choices": []}
EVENTS = (
    ": a comment\n\nevent: x\nid: 1\n"
    f"data: {json.dumps(FIRST, ensure_ascii=False)}\n\ndata:{json.dumps(SECOND)}\n\ndata: [DONE]\n\n"
)


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("size", [1, 2, 7, 10**6])
def test_events_are_read_however_they_are_cut(ending: str, size: int) -> None:
    data = EVENTS.replace("\n", ending).encode()
    assert chunks([data[at : at + size] for at in range(0, len(data), size)]) == [FIRST, SECOND]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"data: {}\n\n",
        b'data: {"choices": 7}\n\n',
        b"data: no\n\n",
        b'data: {"error": {"message": "x"}}\n\n',
        b'data: {"choices": [{"delta": {"tool_calls": [7]}}]}\n\n',
    ],
)
def test_a_stream_that_does_not_end_as_it_should_broke_off(data: bytes) -> None:
    with pytest.raises(ModelError) as caught:
        chunks([data])
    assert "sk-1" not in str(caught.value)


def test_no_reply_and_no_event_is_longer_than_so_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upstream, "MAX_EVENT_BYTES", 100)
    with pytest.raises(ModelError, match="broke off"):
        chunks([b"data: " + b"x" * 90, b"x" * 90])
    monkeypatch.setattr(upstream, "MAX_REPLY_BYTES", 200)
    with pytest.raises(ModelError, match="broke off"):
        chunks([b"data: {}\n\n"] * 50)

    async def whole() -> None:
        made, _ = asked([b"x" * 150] * 2)
        await made.complete({"messages": []})

    with pytest.raises(ModelError, match="no whole reply"):
        asyncio.run(whole())


def test_what_is_sent_is_the_request_with_the_name_of_the_model() -> None:
    async def run() -> tuple[dict[str, object], httpx2.Request]:
        done = {"choices": [{"message": {"role": "assistant", "content": "x"}}], "odd": 1}
        made, requests = asked([json.dumps(done).encode()])
        found = await made.complete({"model": "kataribe/x", "messages": [{"role": "user", "content": "雨"}]})
        return found, requests[0]

    found, request = asyncio.run(run())
    assert found["odd"] == 1
    assert str(request.url) == "http://h/v1/chat/completions"
    sent = json.loads(request.content)
    assert sent == {"model": "m", "stream": False, "messages": [{"role": "user", "content": "雨"}]}
