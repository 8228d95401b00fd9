"""A model over real HTTP, on this machine, and all that goes wrong on the way."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from pydantic_ai.models import override_allow_model_requests

from kataribe.adapters.pydantic_ai.extractor import ModelExtractor
from kataribe.adapters.pydantic_ai.names import Asking, read_name
from kataribe.adapters.pydantic_ai.providers import make_model
from kataribe.adapters.pydantic_ai.transport import ATTEMPTS, LONGEST_WAIT, http_client
from kataribe.domain.memory import Extraction
from kataribe.errors import ExtractionError, ModelError
from kataribe.ports import Source
from kataribe.testing.extractor import ENGLISH, JAPANESE, source_of
from support.model_server import (
    Fact,
    ModelServer,
    Step,
    completion,
    cuts_off,
    fact,
    gives,
    hangs,
    model_server,
    never_ends,
    says,
)

GOOD = fact("Mio opened the window.", known_by=["mio"])


@pytest.fixture(autouse=True)
def _real_requests() -> Iterator[None]:
    with override_allow_model_requests(True):
        yield


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server(lambda _: [GOOD]) as made:
        yield made


class Asked:
    """An extractor on the server, and how long it waited."""

    def __init__(
        self, server: ModelServer, *, seconds: float = 20, keys: dict[str, str] | None = None
    ) -> None:
        self.waits: list[float] = []
        asking = Asking(base_url=server.url, seconds=seconds, keys=keys or {})
        self.extractor = ModelExtractor(read_name("openai:stub"), asking, sleep=self._sleep)

    async def _sleep(self, seconds: float) -> None:
        self.waits.append(seconds)

    def extract(self, source: Source | None = None) -> Extraction:
        return asyncio.run(self.extractor.extract(source or source_of(ENGLISH, "en")))


def test_a_model_is_asked_over_http(server: ModelServer) -> None:
    found = Asked(server, keys={"OPENAI_API_KEY": "k"}).extract()
    assert [draft.text for draft in found.drafts] == ["Mio opened the window."]
    assert (found.usage.calls, found.usage.input_tokens, found.usage.output_tokens) == (1, 100, 10)
    assert found.usage.cost is None, "nobody knows what one's own server costs"
    assert server.keys == ["Bearer k"]
    (body,) = server.bodies
    assert body["model"] == "stub"
    assert body["stream"] is False
    assert body.get("max_completion_tokens") or body.get("max_tokens")


def test_japanese_comes_through_as_it_is(server: ModelServer) -> None:
    server.facts = lambda prompt: [fact("雪が降っていた。", "雪が降っている。")]
    (draft,) = Asked(server).extract(source_of(JAPANESE, "ja")).drafts
    assert draft.text == "雪が降っていた。"
    assert JAPANESE[draft.start : draft.end] == "雪が降っている。"


def test_what_is_refused_is_mended_over_http(server: ModelServer) -> None:
    bad: Fact = fact("It snowed.", "It snew.")
    server.steps = [gives(GOOD, bad), gives(fact("It snowed.", "It was snowing."))]
    found = Asked(server).extract()
    assert [draft.text for draft in found.drafts] == ["Mio opened the window.", "It snowed."]
    assert found.refused == ()
    assert found.usage.calls == server.calls == 2


@pytest.mark.parametrize("step", [says(500), says(502), says(503), cuts_off, never_ends])
def test_what_passes_is_tried_again(server: ModelServer, step: Step) -> None:
    server.steps = [step]
    asked = Asked(server)
    assert len(asked.extract().drafts) == 1
    assert server.calls == 2
    assert asked.waits == [1.0]


def test_what_does_not_pass_is_given_up(server: ModelServer) -> None:
    server.steps = [says(500)] * 99
    asked = Asked(server)
    with pytest.raises(ExtractionError, match="did not answer: the server answered 500"):
        asked.extract()
    assert server.calls == ATTEMPTS
    assert asked.waits == [1.0, 2.0]


def test_a_model_that_hangs_is_waited_for_as_long_as_was_said(server: ModelServer) -> None:
    server.steps = [hangs]
    begun = time.monotonic()
    assert len(Asked(server, seconds=1.0).extract().drafts) == 1
    assert time.monotonic() - begun < 15
    server.steps = [hangs] * ATTEMPTS
    with pytest.raises(ExtractionError, match=r"no whole answer within 0\.2 seconds"):
        Asked(server, seconds=0.2).extract()


def _in_20_seconds() -> str:
    return format_datetime(datetime.now(UTC) + timedelta(seconds=20), usegmt=True)


@pytest.mark.parametrize(
    ("said", "least", "most"), [(lambda: "7", 7, 7), (_in_20_seconds, 10, 20), (lambda: "soon", 1, 1)]
)
def test_a_server_that_says_how_long_to_wait_is_heard(
    server: ModelServer, said: Callable[[], str], least: float, most: float
) -> None:
    server.steps = [says(429, Retry_After=said())]
    asked = Asked(server)
    assert len(asked.extract().drafts) == 1
    assert len(asked.waits) == 1
    assert least <= asked.waits[0] <= most


def test_a_server_that_asks_to_wait_too_long_is_given_up(server: ModelServer) -> None:
    server.steps = [says(429, Retry_After=str(int(LONGEST_WAIT) + 1))]
    asked = Asked(server)
    with pytest.raises(ExtractionError, match="asks to wait 61 s"):
        asked.extract()
    assert (server.calls, asked.waits) == (1, [])


@pytest.mark.parametrize("body", [b"{nope", b"[]", b'"text"', b"", b'{"choices": []}'])
def test_a_body_that_is_no_answer_is_an_error(server: ModelServer, body: bytes) -> None:
    server.steps = [says(200, body)] * 9
    with pytest.raises(ExtractionError):
        Asked(server).extract()
    assert server.calls <= ATTEMPTS


def test_facts_that_are_no_json_are_asked_for_once_more(server: ModelServer) -> None:
    server.steps = [says(200, completion('{"facts": [{"text":'))]
    assert len(Asked(server).extract().drafts) == 1
    assert server.calls == 2
    server.steps = [says(200, completion('{"facts": 7}'))] * 9
    with pytest.raises(ExtractionError, match="no facts in the shape asked for"):
        Asked(server).extract()
    assert server.calls == 4


def test_what_is_no_text_is_never_taken(server: ModelServer) -> None:
    """JSON may name the half of a sign; no store can hold it."""
    half = json.dumps({"facts": [fact("Half a sign: \ud800.", "Nobody came.")]})
    assert "\\ud800" in half
    server.steps = [says(200, completion(half))]
    assert [draft.text for draft in Asked(server).extract().drafts] == ["Mio opened the window."]
    assert server.calls == 2


@pytest.mark.parametrize("status", [401, 403, 404])
def test_what_only_a_person_can_mend_stops_the_work(server: ModelServer, status: int) -> None:
    server.steps = [says(status)] * 9
    with pytest.raises(ModelError, match=f"cannot be asked: the server answered {status}"):
        Asked(server).extract()
    assert server.calls == 1


def test_a_server_that_is_not_there_is_an_error(server: ModelServer) -> None:
    asking = Asking(base_url="http://127.0.0.1:9/v1", seconds=5)
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    made = ModelExtractor(read_name("ollama:qwen3:8b"), asking, sleep=sleep)
    with pytest.raises(ExtractionError, match="did not answer"):
        asyncio.run(made.extract(source_of(ENGLISH, "en")))
    assert len(waits) == ATTEMPTS - 1


@pytest.mark.parametrize(
    ("name", "variable"),
    [
        ("openai:x", "OPENAI_API_KEY"),
        ("anthropic:x", "ANTHROPIC_API_KEY"),
        ("google:x", "GOOGLE_API_KEY"),
    ],
)
def test_a_missing_key_is_named(name: str, variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(variable, raising=False)
    made = ModelExtractor(read_name(name), Asking())
    with pytest.raises(ModelError, match=f"set {variable} in the environment"):
        asyncio.run(made.extract(source_of(ENGLISH, "en")))


@pytest.mark.parametrize(
    ("name", "variable", "address"),
    [
        ("openai:gpt-5-mini", "OPENAI_API_KEY", "https://api.openai.com/v1"),
        ("anthropic:claude-sonnet-4-5", "ANTHROPIC_API_KEY", "https://api.anthropic.com"),
        ("google:gemini-2.5-flash", "GEMINI_API_KEY", "https://generativelanguage.googleapis.com"),
        ("ollama:qwen3:8b", "OLLAMA_API_KEY", "http://localhost:11434/v1"),
    ],
)
@pytest.mark.parametrize("seconds", [5.0, 60.0])
def test_every_provider_gives_a_model(name: str, variable: str, address: str, seconds: float) -> None:
    async def made() -> tuple[str, str]:
        async with http_client(seconds) as client:
            model = make_model(read_name(name), Asking(keys={variable: "k"}), client)
            return model.model_name, str(model.base_url).rstrip("/")

    assert asyncio.run(made()) == (name.partition(":")[2], address)


def test_no_more_than_a_few_are_asked_at_once(server: ModelServer) -> None:
    under_way, most = 0, 0

    def facts(_: dict[str, Any]) -> list[Fact]:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        time.sleep(0.1)
        under_way -= 1
        return [GOOD]

    server.facts = facts
    made = Asked(server).extractor

    async def many() -> None:
        await asyncio.gather(*(made.extract(source_of(ENGLISH, "en")) for _ in range(12)))

    asyncio.run(many())
    assert server.calls == 12
    assert 1 < most <= 4
