"""OpenAI's own client asks for responses and for vectors."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import openai
import pytest

from support.openai_serving import Listening, listening
from support.upstream import StubUpstream, breaks_off, calls, fails, says, says_again, upstream_server

ASKED: dict[str, Any] = {"model": "kataribe/澪", "user": "nora"}
MAIL = "nora@example.com"


def run(folder: Path, act: Callable[[Listening, StubUpstream], Awaitable[None]]) -> None:
    async def whole(stub: StubUpstream) -> None:
        async with listening(folder, stub) as here:
            await act(here, stub)

    with upstream_server() as stub:
        asyncio.run(whole(stub))


async def turns(here: Listening) -> list[tuple[str, str]]:
    return [(turn.speaker, turn.text) for turn in await here.memory.user("nora").turns()]


def test_a_response_is_a_reply_whole_and_in_events(tmp_path: Path) -> None:
    async def act(here: Listening, stub: StubUpstream) -> None:
        client = here.client()
        stub.always = says_again(lambda told: ["Heard: ", *told])
        told = f"雨の日に {MAIL} から便りが来た"
        whole = await client.responses.create(
            input=told, instructions="Be short.", max_output_tokens=50, **ASKED
        )
        assert (whole.status, whole.output_text) == ("completed", f"Heard: {told}")
        assert (whole.usage.input_tokens, whole.usage.total_tokens) == (7, 10)
        assert stub.last["messages"][1] == {"role": "system", "content": "Be short."}
        assert stub.last["max_completion_tokens"] == 50
        assert MAIL not in json.dumps(stub.last)
        more = [
            {"role": "user", "content": told},
            {
                "type": "message",
                "role": "assistant",
                "content": [{"type": "output_text", "text": whole.output_text}],
            },
            {"role": "user", "content": [{"type": "input_text", "text": "傘は?"}]},
        ]
        stub.always = says("持って", "いた。")
        kinds, text = [], ""
        async for event in await client.responses.create(input=more, stream=True, **ASKED):
            kinds.append(event.type)
            text += event.delta if event.type == "response.output_text.delta" else ""
        assert kinds == [
            "response.created",
            "response.in_progress",
            "response.output_item.added",
            "response.content_part.added",
            *["response.output_text.delta"] * 2,
            "response.output_text.done",
            "response.content_part.done",
            "response.output_item.done",
            "response.completed",
        ]
        assert event.response.output_text == text == "持っていた。"
        assert event.response.usage.output_tokens == 3
        spoken = [("nora", told), ("澪", f"Heard: {told}"), ("nora", "傘は?"), ("澪", "持っていた。")]
        assert await turns(here) == spoken

    run(tmp_path, act)


def test_functions_are_called_and_what_they_gave_is_no_turn(tmp_path: Path) -> None:
    async def act(here: Listening, stub: StubUpstream) -> None:
        client = here.client()
        tool = {"type": "function", "name": "weather", "parameters": {"type": "object"}, "strict": False}
        stub.acts = [
            calls("weather", '{"of": ', '"Leeds"}'),
            calls("weather", '{"of": ', '"Leeds"}'),
            says("Rain."),
        ]
        first = [{"role": "user", "content": "How is the weather?"}]
        whole = await client.responses.create(input=first, tools=[tool], tool_choice="required", **ASKED)
        assert [(one.type, one.name, one.arguments, one.call_id) for one in whole.output] == [
            ("function_call", "weather", '{"of": "Leeds"}', "call_1")
        ]
        assert stub.last["tools"] == [
            {
                "type": "function",
                "function": {"name": "weather", "parameters": {"type": "object"}, "strict": False},
            }
        ]
        events = [
            one
            async for one in await client.responses.create(input=first, tools=[tool], stream=True, **ASKED)
        ]
        assert events[-1].response.output[0].arguments == '{"of": "Leeds"}'
        done = next(one for one in events if one.type == "response.function_call_arguments.done")
        assert done.arguments == '{"of": "Leeds"}'
        call = whole.output[0].model_dump(exclude_none=True)
        gave = {"type": "function_call_output", "call_id": "call_1", "output": "rain"}
        last = await client.responses.create(input=[*first, call, gave], tools=[tool], **ASKED)
        assert last.output_text == "Rain."
        assert [one["role"] for one in stub.last["messages"]] == ["system", "user", "assistant", "tool"]
        assert await turns(here) == [("nora", "How is the weather?"), ("澪", "Rain.")]

    run(tmp_path, act)


def test_a_response_that_fails_says_so_and_leaves_what_was_said(tmp_path: Path) -> None:
    async def act(here: Listening, stub: StubUpstream) -> None:
        client = here.client()
        stub.acts = [fails(), breaks_off("It rained")]
        with pytest.raises(openai.InternalServerError):
            await client.responses.create(input="雨だね", **ASKED)
        events = [one async for one in await client.responses.create(input="雨だね", stream=True, **ASKED)]
        assert events[-1].type == "response.failed"
        assert "broke off" in events[-1].response.error.message
        assert await turns(here) == [("nora", "雨だね"), ("澪", "It rained")]
        wrong: dict[str, Any]
        for wrong in (
            {"previous_response_id": "resp_1"},
            {"conversation": "c"},
            {"tools": [{"type": "web_search"}]},
            {"input": [{"type": "item_reference", "id": "x"}]},
            {"input": 7},
            {"input": []},
        ):
            with pytest.raises(openai.BadRequestError):
                await client.responses.create(**{"input": "x", **ASKED, **wrong})
        assert len(await turns(here)) == 2

    run(tmp_path, act)


@pytest.mark.parametrize("wanted", ["float", "base64", None])
def test_vectors_are_those_of_the_stores_embedder(tmp_path: Path, wanted: str | None) -> None:
    async def act(here: Listening, stub: StubUpstream) -> None:
        more = {} if wanted is None else {"encoding_format": wanted}
        await here.memory.user("nora").create(language="en", embedder="hash")
        owner = here.client()
        found = await owner.embeddings.create(model="kataribe/embedder:hash", input=["rain", "雨"], **more)
        expected = await here.memory.admin.index.embed(["rain", "雨"], embedder="hash")
        assert found.model == "kataribe/embedder:hash"
        if wanted != "base64":
            assert [one.embedding for one in found.data] == [
                pytest.approx(list(one), abs=1e-6) for one in expected.vectors
            ]
        # A key that is bound has the embedder of what it is bound to, whatever it names.
        bound = here.client(await here.key("user", user="nora", persona="澪"))
        other = await bound.embeddings.create(model="kataribe/embedder:nobody's", input="rain", **more)
        assert (other.model, other.data[0].embedding) == ("kataribe/embedder:hash", found.data[0].embedding)
        admin = here.client(await here.key("admin"))
        wrong: dict[str, Any]
        for wrong in (
            {"input": []},
            {"input": [1, 2]},
            {"input": " "},
            {"input": "x", "dimensions": 3},
            {"input": "x", "model": "kataribe/embedder:nobody's"},
        ):
            with pytest.raises(openai.BadRequestError):
                await admin.embeddings.create(**{"model": "kataribe/embedder:hash", **wrong})

    run(tmp_path, act)
