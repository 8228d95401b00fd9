"""Planner, guard, answerer and reranker over real HTTP, on this machine, and what goes wrong."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic_ai.models import override_allow_model_requests

from kataribe.adapters.pydantic_ai.answerer import ModelAnswerer
from kataribe.adapters.pydantic_ai.judge import ModelJudge
from kataribe.adapters.pydantic_ai.names import Asking, read_name
from kataribe.adapters.pydantic_ai.planner import ModelPlanner
from kataribe.adapters.pydantic_ai.reranker import ModelReranker
from kataribe.adapters.pydantic_ai.transport import ATTEMPTS
from kataribe.adapters.rules import RulesPlanner
from kataribe.domain.recall.planning import SearchPlan
from kataribe.errors import ModelError
from kataribe.testing.answerer import answered
from kataribe.testing.judge import PASSAGES, kept
from kataribe.testing.reranker import scored
from support.model_server import (
    ModelServer,
    Step,
    completion,
    cuts_off,
    hangs,
    model_server,
    never_ends,
    says,
)

NAME = read_name("openai:stub")
QUESTION = "灯台の鍵はいつ無くなった？"
PLAN = {"needed": True, "terms": ["紛失"], "keywords": ["灯台"], "intent": "temporal"}


@pytest.fixture(autouse=True)
def _real_requests() -> Iterator[None]:
    with override_allow_model_requests(True):
        yield


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server(lambda _: []) as made:
        yield made


def tells(told: dict[str, Any]) -> Step:
    return says(200, completion(json.dumps(told, ensure_ascii=False)))


def text(words: str) -> Step:
    body = json.loads(completion(""))
    body["choices"][0]["message"] = {"role": "assistant", "content": words}
    body["choices"][0]["finish_reason"] = "stop"
    return says(200, json.dumps(body).encode())


async def no_sleep(_: float) -> None:
    return None


def planned(server: ModelServer, *, seconds: float = 20, url: str | None = None) -> SearchPlan:
    asking = Asking(base_url=url or server.url)
    made = ModelPlanner(NAME, asking, fallback=RulesPlanner(), seconds=seconds)
    return asyncio.run(made.plan(QUESTION, language="ja"))


def test_a_plan_comes_over_http(server: ModelServer) -> None:
    server.steps = [tells(PLAN)]
    made = planned(server)
    assert (made.terms, made.keywords, made.made_by) == (("紛失",), ("灯台",), "openai/stub+plan-1")
    assert (made.usage.calls, made.usage.input_tokens, made.usage.output_tokens) == (1, 100, 10)
    (body,) = server.bodies
    assert body["model"] == "stub"
    server.steps = [text("NONE")]
    assert not planned(server).needed


@pytest.mark.parametrize(
    ("step", "why"),
    [
        (says(429, Retry_After="1"), "429"),
        (says(500), "500"),
        (says(401), "401"),
        (cuts_off, "did not answer"),
        (never_ends, ""),
        (says(200, b"{nope"), ""),
        (says(200, b'{"choices": []}'), ""),
        (says(200, completion('{"needed": tr')), "no plan in the shape asked for"),
        (
            says(200, completion('{"needed": true, "keywords": ["\\ud800"]}')),
            "no plan in the shape asked for",
        ),
        (text("I think nothing is needed."), "no plan in the shape asked for"),
    ],
)
def test_whatever_goes_wrong_the_rules_plan_after_one_request(
    server: ModelServer, step: Step, why: str
) -> None:
    server.steps = [step] * 9
    begun = time.monotonic()
    made = planned(server)
    assert time.monotonic() - begun < 20
    assert server.calls == 1
    assert (made.made_by, made.keywords) == ("rules-1", ("灯台",))
    assert made.note is not None
    assert why in made.note


def test_a_server_that_hangs_is_given_up_in_time(server: ModelServer) -> None:
    server.steps = [hangs] * 9
    begun = time.monotonic()
    made = planned(server, seconds=0.5)
    assert time.monotonic() - begun < 10
    assert made.made_by == "rules-1"
    assert made.note is not None
    assert "0.5 seconds" in made.note


def test_a_server_that_is_not_there_is_replaced(server: ModelServer) -> None:
    made = planned(server, url="http://127.0.0.1:9/v1")
    assert made.made_by == "rules-1"
    assert made.note is not None


def test_a_missing_key_is_told_in_the_note() -> None:
    made = asyncio.run(
        ModelPlanner(read_name("anthropic:x"), Asking(), fallback=RulesPlanner()).plan(
            QUESTION, language="ja"
        )
    )
    assert made.made_by == "rules-1"
    assert made.note is not None
    assert "set ANTHROPIC_API_KEY" in made.note


# -- the others: asked again when it passes, refused when it does not -------------------------


def ask(part: str, server: ModelServer) -> object:
    asking = Asking(base_url=server.url, seconds=20)
    if part == "judge":
        return kept(ModelJudge(NAME, asking, sleep=no_sleep), QUESTION, PASSAGES)
    if part == "answerer":
        return answered(ModelAnswerer(NAME, asking, sleep=no_sleep), QUESTION).text
    return scored(ModelReranker(NAME, asking, sleep=no_sleep), QUESTION, ["a", "b"])


GOOD: dict[str, tuple[dict[str, Any], object]] = {
    "judge": ({"keep": ["2"]}, frozenset({PASSAGES[1].id})),
    "answerer": ({"answer": "覚えていない。", "used": []}, "覚えていない。"),
    "reranker": ({"scores": [{"id": "2", "score": 7}]}, (-1.0, 7.0)),
}


@pytest.mark.parametrize("part", GOOD)
@pytest.mark.parametrize("step", [says(429, Retry_After="1"), says(503), cuts_off])
def test_what_passes_is_tried_again(server: ModelServer, part: str, step: Step) -> None:
    told, wanted = GOOD[part]
    server.steps = [step, tells(told)]
    assert ask(part, server) == wanted
    assert server.calls == 2


@pytest.mark.parametrize("part", GOOD)
@pytest.mark.parametrize(
    ("step", "calls"),
    [(says(500), ATTEMPTS), (says(401), 1), (says(404), 1), (says(200, completion("[]")), 2)],
)
def test_what_does_not_pass_is_an_error(server: ModelServer, part: str, step: Step, calls: int) -> None:
    server.steps = [step] * 9
    with pytest.raises(ModelError, match="openai:stub"):
        ask(part, server)
    assert server.calls == calls


def test_none_as_text_is_the_empty_set(server: ModelServer) -> None:
    server.steps = [text(" none.")]
    assert ask("judge", server) == frozenset()
