"""Relevance means the same for every question, and keeps silent what was never spoken of."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kataribe
from kataribe import InputError, Kataribe, Turn
from kataribe.bench.folders import bundled
from kataribe.domain.memory import Kind
from kataribe.domain.recall.relevance import Cues, cues, model_for
from kataribe.domain.recall.requests import ViewerKeys
from kataribe.domain.terms import Language

OFF_TOPIC: dict[Language, tuple[str, ...]] = {
    "en": (
        "What is the capital of France?",
        "How do I install Python on Windows?",
        "Which vitamin does sunlight give?",
        "Who painted the Mona Lisa?",
        "Translate good morning into Spanish.",
    ),
    "ja": (
        "フランスの首都はどこですか？",
        "Pythonのインストール方法を教えて",
        "144の平方根は？",
        "モナリザを描いたのは誰？",
        "円相場はいくら？",
    ),
}
ANSWERED: dict[Language, tuple[str, str]] = {
    "en": ("What is the name of the puppy?", "The puppy is called Biscuit."),
    "ja": ("子犬の名前は何？", "子犬の名前はビスケットです。"),
}
LANGUAGES: tuple[Language, ...] = ("en", "ja")
HOUR = timedelta(hours=1)


@pytest.fixture(scope="module", params=LANGUAGES)
def story(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Kataribe, Language]]:
    """The story that comes with kataribe in this language, and its language."""
    with kataribe.open(str(tmp_path_factory.mktemp("relevance") / "k.db")) as store, bundled() as folders:
        for folder in folders:
            store.story(folder.name).import_folder(folder, only="facts")
            if store.story(folder.name).info().language == request.param:
                store.story(folder.name).sync()
                yield store, request.param
                return


def _last(language: Language) -> ViewerKeys:
    names = {"en": ("lantern-isle", "wren"), "ja": ("yoimachi", "mio")}
    story, persona = names[language]
    return ViewerKeys(story=story, persona=persona, at=9)


@pytest.mark.parametrize("number", range(5))
def test_what_a_story_never_spoke_of_is_met_with_silence(
    story: tuple[Kataribe, Language], number: int
) -> None:
    store, language = story
    question, viewer = OFF_TOPIC[language][number], _last(language)
    made = store.context(question, **viewer)
    assert made.items == ()
    found = store.recall(question, **viewer)
    assert found.hits != (), "recall leaves nothing out by itself"
    assert all(hit.relevance is not None and 0 <= hit.relevance < 0.05 for hit in found.hits)


def test_a_minimum_leaves_out_what_is_below_it(story: tuple[Kataribe, Language]) -> None:
    store, language = story
    question = {"en": "Who found the blue lantern?", "ja": "青い提灯を見つけたのは誰？"}[language]
    every = store.recall(question, **_last(language)).hits
    bar = sorted(hit.relevance or 0.0 for hit in every)[5]
    some = store.recall(question, min_relevance=bar, explain=True, **_last(language))
    assert some.hits != ()
    assert all((hit.relevance or 0.0) >= bar for hit in some.hits)
    assert some.explanation is not None
    assert any(reason.startswith("relevance ") for _, reason in some.explanation.dropped)


@pytest.mark.parametrize("wrong", [-0.1, 1.1, float("nan"), True, "much"])
def test_a_minimum_is_a_share(story: tuple[Kataribe, Language], wrong: object) -> None:
    store, language = story
    for verb in (store.recall, store.context):
        with pytest.raises(InputError, match="min_relevance is a number from 0 to 1"):
            verb("?", min_relevance=wrong, **_last(language))  # type: ignore[arg-type]


@pytest.mark.parametrize("language", LANGUAGES)
def test_p2_what_else_is_remembered_changes_no_relevance(tmp_path: Path, language: Language) -> None:
    question, answer = ANSWERED[language]
    told: list[float | None] = []
    for others in ((), OFF_TOPIC[language]):
        with kataribe.open(str(tmp_path / f"{len(others)}.db")) as store:
            user = store.user("u")
            user.create(language=language, embedder="hash")
            when = datetime(2026, 1, 1, tzinfo=UTC)
            user.put_turns(
                [
                    Turn(
                        turn_id=f"t{n}",
                        session="s",
                        speaker="Nora",
                        text=text,
                        time=when + timedelta(hours=n),
                    )
                    for n, text in enumerate((answer, *others))
                ]
            )
            user.sync()
            hits = store.recall(question, user="u").hits
            told += [hit.relevance for hit in hits if hit.text == answer]
    assert len(told) == 2
    assert told[0] == told[1]
    assert told[0] is not None
    assert told[0] > 0.05


@given(
    question=st.text(max_size=30),
    text=st.text(max_size=60),
    similarity=st.floats(-1, 1),
    speaker=st.none() | st.text(max_size=8),
    language=st.sampled_from(LANGUAGES),
)
def test_relevance_is_a_share_of_any_pair(
    question: str, text: str, similarity: float, speaker: str | None, language: Language
) -> None:
    taken = cues(question, text, language, similarity=similarity, speaker=speaker)
    assert all(0 <= value <= 1 for value in taken[1:])
    for kind in (Kind.FACT, Kind.TURN):
        model = model_for("hash-1", kind, language)
        assert model is not None
        assert 0 <= model.relevance(taken) <= 1
        assert model.floor < model.minimum
        more = Cues(taken.similarity, 1.0, 1.0, 1.0)
        assert model.relevance(taken) <= model.relevance(more), "no cue speaks against a memory"


def test_an_embedder_that_nobody_measured_has_no_relevance() -> None:
    assert model_for("my-own-1", Kind.TURN, "en") is None
    assert model_for("chive-ja-ginza-5.3.0-sudachidict-20260723-sif1-words1", Kind.TURN, "en") is None
