"""The message shapes that SillyTavern, Open WebUI and LibreChat document, with the settings of recipes."""

from __future__ import annotations

import asyncio
import json
import re
import shlex
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx

from kataribe.surfaces.http.options import ServerOptions
from support.openai_serving import Listening, listening
from support.upstream import StubUpstream, says, upstream_server
from test_docs import ROOT, text_of

PAGE = text_of(ROOT / "docs" / "openai.md")
Ask = Callable[..., Awaitable[str]]


def recipe(name: str) -> str:
    """Give one recipe of the page."""
    return PAGE.partition(f"## {name}\n")[2].partition("\n## ")[0]


async def key_of(here: Listening, told: str) -> str:
    """Make the key that a recipe names."""
    given = re.search(r"--scope front [^\n`]*|--users-from [^\n`)]*", told)
    assert given is not None
    words = shlex.split(given[0].replace("--scope front ", ""))
    options = dict(zip(words[::2], words[1::2], strict=True))
    assert options.keys() == {"--users-from", "--prefix", "--as"}
    return await here.key(
        "front", users_from=options["--users-from"], prefix=options["--prefix"], persona=options["--as"]
    )


def run(
    folder: Path,
    act: Callable[[Listening, StubUpstream, httpx.AsyncClient], Awaitable[None]],
    options: ServerOptions | None = None,
) -> None:
    async def whole(stub: StubUpstream) -> None:
        async with listening(folder, stub, options) as here, httpx.AsyncClient(timeout=60) as http:
            await act(here, stub, http)

    with upstream_server() as stub:
        asyncio.run(whole(stub))


async def asked(http: httpx.AsyncClient, here: Listening, body: dict[str, Any], **headers: str) -> str:
    """Send a request as a client does, and give what it shows."""
    got = await http.post(f"{here.url}/v1/chat/completions", json=body, headers=headers)
    assert got.status_code == 200, got.text
    if not body.get("stream"):
        return str(got.json()["choices"][0]["message"]["content"])
    lines = [line.removeprefix("data: ") for line in got.text.split("\n\n") if line]
    assert lines[-1] == "[DONE]"
    chunks = [json.loads(line) for line in lines[:-1]]
    return "".join(one["choices"][0]["delta"].get("content") or "" for one in chunks if one["choices"])


async def texts(here: Listening, who: str) -> list[str]:
    return [turn.text for turn in await here.memory.user(who).turns()]


def test_sillytavern(tmp_path: Path) -> None:
    """Prompts of a card, a greeting, examples as system messages, a swipe, an edit, and a quiet prompt."""
    told = recipe("SillyTavern")
    assert "Custom (OpenAI-compatible)" in told
    assert "Include Body Parameters `user: nora`" in told

    async def act(here: Listening, stub: StubUpstream, http: httpx.AsyncClient) -> None:
        main = {
            "role": "system",
            "content": "Write Akari's next reply in a fictional chat between Akari and nora.",
        }
        example = {"role": "system", "name": "example_user", "content": "Hi"}
        start = {"role": "system", "content": "[Start a new Chat]"}
        greeting = {"role": "assistant", "content": "*Akari looks up.* おかえり、nora。"}
        prompts = [main, example, start, greeting]
        body: dict[str, Any] = {
            "model": "kataribe/akari",
            "user": "nora",
            "temperature": 0.9,
            "frequency_penalty": 0,
            "presence_penalty": 0,
            "top_p": 1,
            "max_tokens": 300,
            "stream": True,
            "stop": ["\nnora:"],
        }
        stub.acts = [says("雨", "だったね。"), says("濡れたでしょう。"), says("A title"), says("うん。")]
        first = [*prompts, {"role": "user", "content": "ただいま。雨だった。"}]
        assert await asked(http, here, {**body, "messages": first}) == "雨だったね。"
        assert stub.last["messages"][1:] == first
        # A swipe, a quiet prompt, and then the talk goes on with the message changed.
        assert await asked(http, here, {**body, "messages": first}) == "濡れたでしょう。"
        quiet = [*first, {"role": "system", "content": "[Pause. Summarise the chat.]"}]
        await asked(http, here, {**body, "model": "kataribe/akari:plain", "messages": quiet})
        changed = [*prompts, {"role": "user", "content": "ただいま。雪だった。"}]
        await asked(http, here, {**body, "messages": changed})
        said = await texts(here, "nora")
        assert said[-2:] == ["ただいま。雪だった。", "うん。"]
        assert not any("Pause" in text or "next reply" in text for text in said)

    run(tmp_path, act)


def test_open_webui(tmp_path: Path) -> None:
    told = recipe("Open WebUI")
    header = re.search(r"--session-header (\S+)", told)
    assert header is not None
    assert "ENABLE_FORWARD_USER_INFO_HEADERS=true" in told

    async def act(here: Listening, stub: StubUpstream, http: httpx.AsyncClient) -> None:
        secret = await key_of(here, told)

        def heads(user: str, chat: str) -> dict[str, str]:
            return {
                "Authorization": f"Bearer {secret}",
                "X-OpenWebUI-User-Name": "Nora%20B",
                "X-OpenWebUI-User-Id": user,
                "X-OpenWebUI-User-Email": "nora@example.com",
                "X-OpenWebUI-User-Role": "user",
                "X-OpenWebUI-Chat-Id": chat,
            }

        models = await http.get(f"{here.url}/v1/models", headers={"Authorization": f"Bearer {secret}"})
        assert [one["id"] for one in models.json()["data"]] == ["kataribe/akari"]
        body: dict[str, Any] = {
            "stream": True,
            "model": "kataribe/akari",
            "stream_options": {"include_usage": True},
        }
        hi = [{"role": "user", "content": "Hi! It rained on my way."}]
        await asked(http, here, {**body, "messages": hi}, **heads("u-1", "c-1"))
        title = [{"role": "user", "content": "### Task:\nGenerate a concise title.\n<chat_history>..."}]
        plain = {
            "model": "kataribe/akari:plain",
            "messages": title,
            "stream": False,
            "max_completion_tokens": 1000,
        }
        await asked(http, here, plain, **heads("u-1", "c-1"))
        # The same words in another chat, and of somebody else.
        await asked(http, here, {**body, "messages": hi}, **heads("u-1", "c-2"))
        await asked(http, here, {**body, "messages": hi}, **heads("u-2", "c-1"))
        picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
        more = [
            *hi,
            {"role": "assistant", "content": "Yes."},
            {"role": "user", "content": [{"type": "text", "text": "Look!"}, picture]},
        ]
        await asked(http, here, {**body, "messages": more}, **heads("u-1", "c-1"))
        assert stub.last["messages"][-1]["content"][1] == picture
        turns = await here.memory.user("owui-u-1").turns()
        by_chat = {name: [one.text for one in turns if one.session == name] for name in ("c-1", "c-2")}
        assert by_chat == {
            "c-1": ["Hi! It rained on my way.", "Yes.", "Look!", "Yes."],
            "c-2": ["Hi! It rained on my way.", "Yes."],
        }
        assert await texts(here, "owui-u-2") == ["Hi! It rained on my way.", "Yes."]

    run(tmp_path, act, ServerOptions(session_header=header[1]))


def test_librechat(tmp_path: Path) -> None:
    told = recipe("LibreChat")
    assert 'X-User: "{{LIBRECHAT_USER_ID}}"' in told
    assert 'titleModel: "kataribe/akari:plain"' in told

    async def act(here: Listening, stub: StubUpstream, http: httpx.AsyncClient) -> None:
        secret = await key_of(here, told)
        heads = {"Authorization": f"Bearer {secret}", "X-User": "65f0c0ffee"}
        body: dict[str, Any] = {
            "model": "kataribe/akari",
            "temperature": 1,
            "top_p": 1,
            "presence_penalty": 0,
            "frequency_penalty": 0,
            "stream": True,
        }
        prompt = {"role": "system", "content": "You are helpful.", "name": "instructions"}
        hi = [prompt, {"role": "user", "content": "雨が好き。"}]
        await asked(http, here, {**body, "messages": hi}, **heads)
        title = [{"role": "user", "content": "Provide a concise, 5-word-or-less title for the conversation"}]
        await asked(http, here, {"model": "kataribe/akari:plain", "messages": title}, **heads)
        more = [
            *hi,
            {"role": "assistant", "content": "Yes.", "name": "Akari"},
            {"role": "user", "content": "雪は?"},
        ]
        await asked(http, here, {**body, "messages": more}, **heads)
        assert await texts(here, "libre-65f0c0ffee") == ["雨が好き。", "Yes.", "雪は?", "Yes."]
        assert {one.session for one in await here.memory.user("libre-65f0c0ffee").turns()} != {None}
        assert len({one.session for one in await here.memory.user("libre-65f0c0ffee").turns()}) == 1

    run(tmp_path, act)
