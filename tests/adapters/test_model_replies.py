"""Replies of a model, heard piece by piece over real HTTP on this machine."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from pydantic_ai.models import override_allow_model_requests

from kataribe.adapters.pydantic_ai.names import Asking, read_name
from kataribe.adapters.pydantic_ai.on_use import AnswererOnUse
from kataribe.adapters.pydantic_ai.speech import UsedTail
from kataribe.domain.recall.planning import Answered
from kataribe.errors import ModelError
from kataribe.ports import Speaking
from kataribe.testing.judge import PASSAGES
from support.model_server import ModelServer, Step, asked, hangs, model_server, says, streams

NAME = read_name("openai:stub")


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server(lambda _: []) as made, override_allow_model_requests(True):
        yield made


def replied(server: ModelServer, *, seconds: float = 20) -> tuple[Answered, list[str]]:
    answerer = AnswererOnUse(NAME, Asking(base_url=server.url, seconds=seconds, keys={"OPENAI_API_KEY": "x"}))
    assert isinstance(answerer, Speaking)
    heard: list[str] = []
    said = asyncio.run(
        answerer.reply(
            "鍵はどこ？",
            context="...",
            passages=PASSAGES,
            speaks_as="ミナ",
            language="ja",
            heard=heard.append,
        )
    )
    return said, heard


def test_a_reply_is_heard_as_it_comes(server: ModelServer) -> None:
    first = PASSAGES[0].id
    server.steps = [streams("砂の", "下だよ。", f"\n\nused: {first}, m99")]
    said, heard = replied(server)
    assert "".join(heard) == said.text == "砂の下だよ。"
    assert len(heard) > 1
    assert said.used == (first,), "what it made up is nothing"
    assert (said.usage.calls, said.usage.input_tokens, said.usage.output_tokens) == (1, 100, 10)
    assert asked(server.bodies[0])["ids"] == [one.id for one in PASSAGES]


@pytest.mark.parametrize(
    ("step", "why"),
    [
        (says(400), "400"),
        (streams("砂の", cut_off=True), "stopped before"),
        (hangs, "within 0.5 seconds"),
    ],
)
def test_what_is_no_whole_reply_is_an_error(server: ModelServer, step: Step, why: str) -> None:
    server.steps = [step]
    with pytest.raises(ModelError, match=why):
        replied(server, seconds=0.5)


@pytest.mark.parametrize(
    ("whole", "reply", "used"),
    [
        ("Yes.\nused: m1, m12", "Yes.", ("m1", "m12")),
        ("Yes.\n\nUSED: none\n", "Yes.", ("none",)),
        ("I used to.\nUse it.", "I used to.\nUse it.", ()),
        ("はい。", "はい。", ()),
        ("One.\nTwo.\nused: m3", "One.\nTwo.", ("m3",)),
    ],
)
def test_the_last_line_is_never_heard_however_it_is_cut(
    whole: str, reply: str, used: tuple[str, ...]
) -> None:
    for size in range(1, len(whole) + 1):
        tail = UsedTail()
        told = [tail.feed(whole[at : at + size]) for at in range(0, len(whole), size)]
        rest, found, named = tail.finish()
        assert ("".join(told) + rest, found, named) == (reply, reply, used)
