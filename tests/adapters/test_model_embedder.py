"""Embedders of other machines, against a server on this one."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pydantic_ai", reason="extra model is missing: pip install 'kataribe[model]'")

from pydantic_ai.embeddings.google import GoogleEmbeddingModel
from pydantic_ai.embeddings.openai import OpenAIEmbeddingModel
from pydantic_ai.models import override_allow_model_requests

import kataribe
from kataribe import wiring
from kataribe.adapters.embedding import EmbedderChoice
from kataribe.adapters.pydantic_ai.embedder import BATCH, ModelEmbedder
from kataribe.adapters.pydantic_ai.embedding import PAUSE, RETRIES, make_model
from kataribe.adapters.pydantic_ai.transport import http_client
from kataribe.errors import EmbedderError, EmbedderUnavailableError, InputError, MissingExtraError
from kataribe.ports import Batched, Embedder, Remote
from kataribe.settings import Settings
from kataribe.testing.embedder import EmbedderContract, documents, query
from kataribe.work.embed import embed_texts
from support.model_server import ModelServer, cuts_off, hangs, says
from support.stores import empty_store
from support.vector_server import DIMENSIONS, gives_vectors, numbers, vector_server


class Slept:
    """Notes how long it was to sleep, and does not."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    # To this machine only.
    with vector_server() as running, override_allow_model_requests(True):
        yield running


def made(
    server: ModelServer, slept: Slept | None = None, *, seconds: float = 5.0, name: str = "own-model"
) -> ModelEmbedder:
    wanted = EmbedderChoice(
        family="openai", name=name, base_url=server.url, seconds=seconds, keys={"OPENAI_API_KEY": "secret"}
    )
    return ModelEmbedder(wanted, sleep=slept or Slept())


class TestModelEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self, server: ModelServer) -> Embedder:
        return ModelEmbedder(EmbedderChoice(family="openai", name="own-model", base_url=server.url))


def test_twenty_texts_go_in_a_request_and_come_back_in_order(server: ModelServer) -> None:
    texts = [f"text number {number}" for number in range(45)]
    matrix = documents(made(server), *texts)
    assert [len(body["input"]) for body in server.bodies] == [20, 20, 5]
    assert {body["model"] for body in server.bodies} == {"own-model"}
    assert set(server.keys) == {"Bearer secret"}
    for row, text in zip(matrix, texts, strict=True):
        expected = np.array(numbers(text))
        np.testing.assert_allclose(row, expected / np.linalg.norm(expected), atol=1e-6)


def test_nothing_is_sent_for_what_is_empty(server: ModelServer) -> None:
    embedder = made(server)
    matrix = documents(embedder, "", "a", " ")
    assert [body["input"] for body in server.bodies] == [["a"]]
    assert [bool(row.any()) for row in matrix] == [False, True, False]
    assert documents(embedder).shape == (0, DIMENSIONS)
    assert server.calls == 1


def test_dimensions_nobody_knows_are_asked_once(server: ModelServer) -> None:
    embedder = made(server)
    assert [embedder.dimensions, embedder.dimensions] == [DIMENSIONS, DIMENSIONS]
    assert server.calls == 1


def test_dimensions_are_asked_from_within_a_running_loop(server: ModelServer) -> None:
    async def run() -> int:
        return made(server).dimensions

    assert asyncio.run(run()) == DIMENSIONS


def test_known_models_tell_their_dimensions_unasked() -> None:
    known = wiring.Embedders(Settings()).get("openai:text-embedding-3-large")
    assert (known.dimensions, known.is_lexical) == (3072, False)
    assert isinstance(known, Remote)
    assert known.is_remote, "a turn that is said does not wait for it"
    assert known.embedder_id == "openai/text-embedding-3-large+embed-1"
    assert isinstance(known, Batched)
    assert known.batch == BATCH == 20


# -- failures ------------------------------------------------------------------------------


def test_a_limit_is_waited_for_as_long_as_it_says(server: ModelServer) -> None:
    slept = Slept()
    server.steps += [says(429, retry_after="7"), says(429)]
    matrix = documents(made(server, slept), "a")
    assert matrix.any()
    assert (slept.seconds, server.calls) == ([7.0, 2.0], 3)


def test_limited_requests_pause_and_free_ones_do_not(server: ModelServer) -> None:
    """S4-102: two seconds between batches, but only where the provider limits."""
    slept = Slept()
    embedder = made(server, slept)
    documents(embedder, *map(str, range(60)))
    assert slept.seconds == []
    server.steps.append(says(429, retry_after="1"))
    documents(embedder, *map(str, range(60)))
    assert slept.seconds == [1.0, PAUSE, PAUSE]
    slept.seconds.clear()
    query(embedder, "who asks does not wait")
    assert slept.seconds == []
    documents(embedder, *map(str, range(20 * 40)))
    assert slept.seconds == [PAUSE] * 18


@pytest.mark.parametrize("status", [429, 500, 503])
def test_who_fails_four_times_is_left_for_later(server: ModelServer, status: int) -> None:
    slept = Slept()
    server.steps += [says(status)] * 4
    with pytest.raises(EmbedderUnavailableError, match=str(status)):
        documents(made(server, slept), "a")
    assert (server.calls, slept.seconds) == (RETRIES + 1, [1.0, 2.0, 4.0])


def test_too_long_a_wait_is_not_waited(server: ModelServer) -> None:
    slept = Slept()
    server.steps.append(says(429, retry_after="3600"))
    with pytest.raises(EmbedderUnavailableError, match="3600"):
        documents(made(server, slept), "a")
    assert (server.calls, slept.seconds) == (1, [])


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_wrong_key_or_name_is_said_at_once(server: ModelServer, status: int) -> None:
    server.steps += [says(status)] * 4
    with pytest.raises(EmbedderUnavailableError, match="own-model"):
        documents(made(server), "a")
    assert server.calls == 1


def test_no_answer_in_time_is_asked_again(server: ModelServer) -> None:
    slept = Slept()
    server.steps += [hangs, cuts_off]
    assert documents(made(server, slept, seconds=0.5), "a").any()
    assert slept.seconds == [1.0, 2.0]


def test_nobody_there_is_said(server: ModelServer) -> None:
    nowhere = ModelEmbedder(
        EmbedderChoice(family="openai", name="m", base_url="http://127.0.0.1:9/v1", seconds=2), sleep=Slept()
    )
    with pytest.raises(EmbedderUnavailableError, match="cannot be asked now"):
        documents(nowhere, "a")


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda texts: [numbers(text) for text in texts[1:]], "1 vectors for 2 texts"),
        (lambda texts: [numbers(text) for text in (*texts, "more")], "3 vectors for 2 texts"),
        (lambda texts: [[*numbers(text)[1:], math.nan] for text in texts], "none"),
        (lambda texts: [[*numbers(text)[1:], math.inf] for text in texts], "none"),
        (lambda texts: [[0.0] * DIMENSIONS for _ in texts], "direction"),
        (lambda texts: [[] for _ in texts], "none"),
        (lambda texts: [numbers(text, DIMENSIONS + at) for at, text in enumerate(texts)], "lengths"),
        (lambda texts: [["a", "b"] for _ in texts], "numbers"),
    ],
)
def test_what_is_no_vector_is_refused(server: ModelServer, make: object, said: str) -> None:
    server.steps.append(gives_vectors(make))  # type: ignore[arg-type]
    with pytest.raises(EmbedderError, match=said):
        documents(made(server), "one", "two")


def test_vectors_of_another_length_than_before_are_refused(server: ModelServer) -> None:
    embedder = made(server)
    documents(embedder, "a")
    server.steps.append(gives_vectors(lambda texts: [numbers(text, 12) for text in texts]))
    with pytest.raises(EmbedderError, match="12, 48"):
        query(embedder, "b")


@pytest.mark.parametrize("body", [b"{}", b"not json", b'{"data": null}', b"[]"])
def test_an_answer_that_is_none_is_refused(server: ModelServer, body: bytes) -> None:
    server.steps += [says(200, body)] * 4
    with pytest.raises(EmbedderError):
        documents(made(server), "a")


def test_a_lone_surrogate_is_refused_unsent(server: ModelServer) -> None:
    with pytest.raises(EmbedderError, match="surrogate"):
        documents(made(server), "a", "b\ud800")
    assert server.calls == 0


def test_only_the_text_that_is_refused_is_given_up(server: ModelServer) -> None:
    """S4-102, S0-18: a refused batch is tried text by text."""

    def refuse(handler, body):  # type: ignore[no-untyped-def]
        if "bad" in body["input"]:
            handler.say(400, b'{"error": {"message": "too long"}}')
        else:
            gives_vectors(lambda texts: [numbers(text) for text in texts])(handler, body)

    server.steps += [refuse] * 40
    embedded = asyncio.run(embed_texts(["good", "bad", "fine", *map(str, range(20))], made(server)))
    assert len(embedded.vectors) == 22
    assert [why for why in embedded.failures.values() if "too long" in why]
    assert len(embedded.failures) == 1


def test_an_outage_skips_batches_and_does_not_go_on_for_ever(server: ModelServer) -> None:
    server.steps += [says(503)] * 4
    texts = [str(number) for number in range(50)]
    embedded = asyncio.run(embed_texts(texts, made(server)))
    assert (len(embedded.failures), len(embedded.vectors)) == (20, 30)
    server.steps += [says(503)] * 400
    before = server.calls
    embedded = asyncio.run(embed_texts(texts, made(server)))
    assert (len(embedded.failures), len(embedded.vectors)) == (50, 0)
    assert server.calls - before == 2 * (RETRIES + 1)


def test_what_an_outage_skipped_is_not_taken_for_done(server: ModelServer, tmp_path: Path) -> None:
    settings = Settings(path=str(empty_store(tmp_path / "k.db")), base_url=server.url)
    embedder = made(server)
    usual = wiring.default_services(settings=settings)
    services = kataribe.Services(
        embedder=lambda _: embedder,
        default_embedder=usual.default_embedder,
        extractor=usual.extractor,
        clock=usual.clock,
        processes=usual.processes,
    )
    with kataribe.open(settings=settings, services=services) as store:
        store.user("u").create(language="en", embedder="openai:own-model")
        store.user("u").put_turns([_turn(number) for number in range(3)])
        server.steps += [says(503)] * (RETRIES + 1)
        report = store.user("u").sync(waits=False)
        assert (report.pages, len(report.failed)) == (0, 1)
        assert store.recall("turn 1", user="u").pending_turns == 3
        report = store.user("u").sync()
        assert (report.pages, report.embedded) == (1, 3)
        assert len(store.recall("turn 1", user="u").hits) == 3


def _turn(number: int) -> kataribe.Turn:
    from datetime import UTC, datetime

    when = datetime(2024, 1, 1, 12, number, tzinfo=UTC)
    return kataribe.Turn(turn_id=f"t{number}", session="s", speaker="a", text=f"turn {number}", time=when)


# -- names and keys ------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["opnai:x", "openai:", "openai: ", "pydantic-ai", "hash:x", "none"])
def test_what_is_no_embedder_is_refused(name: str) -> None:
    with pytest.raises(InputError):
        wiring.Embedders(Settings()).get(name)


@pytest.mark.parametrize("name", ["openai:text-embedding-3-small", "google:gemini-embedding-001"])
def test_without_a_key_it_says_which(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("OPENAI_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(variable, raising=False)
    with pytest.raises(EmbedderUnavailableError, match=f"{name.partition(':')[0].upper()}_API_KEY"):
        documents(wiring.Embedders(Settings()).get(name), "a")


def test_a_provider_with_a_package_of_its_own_says_what_to_type() -> None:
    pytest.importorskip("pydantic_ai")
    if _has("voyageai"):
        pytest.skip("the package is installed here")
    with pytest.raises((MissingExtraError, EmbedderUnavailableError), match="voyageai"):
        documents(wiring.Embedders(Settings()).get("voyageai:voyage-3.5"), "a")


def _has(package: str) -> bool:
    from importlib.util import find_spec

    return find_spec(package) is not None


def test_each_provider_gets_its_own_kind_of_model() -> None:
    async def kinds() -> list[type]:
        async with http_client(1) as client:
            keys = {"OPENAI_API_KEY": "a", "GEMINI_API_KEY": "b"}
            return [
                type(make_model(EmbedderChoice(family=family, name="m", keys=keys), client))
                for family in ("openai", "ollama", "google")
            ]

    assert asyncio.run(kinds()) == [OpenAIEmbeddingModel, OpenAIEmbeddingModel, GoogleEmbeddingModel]


def test_questions_and_documents_are_told_apart(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """S4-98: a question has another task than what is to be found."""
    from pydantic_ai.embeddings.openai import OpenAIEmbeddingModel as Asked

    sides: list[str] = []
    usual = Asked.embed

    async def noting(self, inputs, *, input_type, settings=None):  # type: ignore[no-untyped-def]
        sides.append(input_type)
        return await usual(self, inputs, input_type=input_type, settings=settings)

    monkeypatch.setattr(Asked, "embed", noting)
    embedder = made(server)
    documents(embedder, "a")
    query(embedder, "a")
    assert sides == ["document", "query"]


def test_nothing_of_the_vendor_is_loaded_to_know_an_id() -> None:
    import subprocess
    import sys

    code = (
        "import sys; from kataribe.wiring import Embedders; "
        "print(Embedders().get('openai:text-embedding-3-large').dimensions, 'pydantic_ai' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["3072", "False"]
