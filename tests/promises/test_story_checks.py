"""What `check` guesses: contradictions with both sentences and their places, secrets told in other words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import kataribe
from kataribe.domain.story.inputs import Character
from kataribe.domain.story.views import Finding
from kataribe.domain.terms import Language, known_by
from kataribe.face.sync.kataribe import Kataribe
from support.stores import empty_store, services

SECRETS = Path(__file__).parent.parent / "story_checks"
EMBEDDERS = {"ja": "chive", "en": "wordllama"}
NAMES = {
    "ja": ("澪", "桐生", "バルド", "遥", "ルカ", "誠一", "千夏", "レオン", "美咲", "健太"),
    "en": ("Mio", "Kiryu", "Bardo", "Harriet", "Luca", "Edmund", "Chloe", "Leon", "Maisie", "Kent"),
}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Kataribe]:
    with kataribe.open(str(empty_store(tmp_path / "k.db")), services=services()) as made:
        yield made


def story_of(
    store: Kataribe, language: Language, *texts: str, embedder: str = "hash"
) -> kataribe.StoryHandle:
    story = store.story("s")
    story.create(language=language, embedder=embedder, audience="wide")
    for name in NAMES[language]:
        story.cast.add(Character(character_id=name))
    for no, text in enumerate(texts, start=1):
        story.episodes.put(no=no, text=text)
    story.sync()
    return story


def found(story: kataribe.StoryHandle, code: str) -> list[Finding]:
    return [finding for finding in story.views.check().findings if finding.code == code]


TOLD = {
    "ja": (
        "朝だった。\n\n千夏は窓を開けた。レオンは竜の炎に焼かれて息絶えた。",
        "市が立つ日だった。\n\n千夏は茶を淹れた。\n\nレオンは斧を担いで広場に現れ、千夏に笑いかけた。",
    ),
    "en": (
        "It was morning.\n\nChloe opened the window. Leon burned to death in the dragon's fire.",
        "It was market day.\n\nChloe made tea.\n\nLeon strolled into the square and smiled at Chloe.",
    ),
}


@pytest.mark.parametrize("language", ["ja", "en"])
def test_a_contradiction_quotes_both_sentences_with_their_places(store: Kataribe, language: Language) -> None:
    texts = TOLD[language]
    (finding,) = found(story_of(store, language, *texts), "contradiction")
    assert finding.is_guess
    one, other = finding.quotes
    assert (one.episode_no, one.paragraph, other.episode_no, other.paragraph) == (1, 2, 2, 3)
    for quoted, text in zip((one, other), texts, strict=True):
        assert quoted.start is not None
        assert text[quoted.start :].startswith(quoted.text)


@pytest.mark.parametrize("language", ["ja", "en"])
def test_what_nobody_holds_for_true_together_or_what_is_settled_is_no_contradiction(
    store: Kataribe, language: Language
) -> None:
    dead, acts = TOLD[language][0].split("\n\n")[-1], TOLD[language][1].split("\n\n")[-1]
    dead = dead.split("。")[1] + "。" if language == "ja" else dead.split(". ")[1]
    a, b, *_ = NAMES[language]
    story = story_of(store, language, "…", "…")
    old = story.facts.add(episode_no=1, text=dead, audience=known_by(a))
    new = story.facts.add(episode_no=2, text=acts, audience=known_by(b))
    assert not found(story, "contradiction")
    story.facts.edit(new, kataribe.FactEdit(audience=kataribe.PUBLIC))
    assert [finding.fact_ids for finding in found(story, "contradiction")] == [(old, new)]
    story.facts.edit(new, kataribe.FactEdit(supersedes=old))
    assert not found(story, "contradiction")


@pytest.mark.parametrize("language", ["ja", "en"])
def test_half_of_the_secrets_told_in_other_words_are_found_and_no_other_sentence_is(
    store: Kataribe, language: Language
) -> None:
    rows = [
        json.loads(line) for line in (SECRETS / f"secrets.{language}.jsonl").read_text("utf-8").splitlines()
    ]
    story = story_of(store, language, "…", embedder=EMBEDDERS[language])
    a, b, *_ = NAMES[language]
    secrets = [story.facts.add(episode_no=1, text=row["secret"], audience=known_by(a)) for row in rows]
    shown = [story.facts.add(episode_no=1, text=row["shows"], audience=known_by(b)) for row in rows]
    wanted = dict(zip(secrets, shown, strict=True))
    told = {finding.fact_ids for finding in found(story, "secret-shows")}
    for one, other in told:
        assert wanted.get(one) == other or wanted.get(other) == one
    assert len({pair for pair in told if pair[0] in wanted}) >= len(rows) // 2


@pytest.mark.parametrize(("language", "which"), [("ja", 3), ("en", 5)])
def test_a_secret_told_in_other_words_to_those_who_hold_it_shows_to_nobody(
    store: Kataribe, language: Language, which: int
) -> None:
    row = json.loads((SECRETS / f"secrets.{language}.jsonl").read_text("utf-8").splitlines()[which])
    story = story_of(store, language, "…", embedder=EMBEDDERS[language])
    a, b, *_ = NAMES[language]
    secret = story.facts.add(episode_no=1, text=row["secret"], audience=known_by(a))
    other = story.facts.add(episode_no=1, text=row["shows"], audience=known_by(b))
    (finding,) = [one for one in found(story, "secret-shows") if one.fact_ids[0] == secret]
    assert finding.is_guess
    assert [quoted.text for quoted in finding.quotes] == [row["secret"], row["shows"]]
    story.facts.edit(other, kataribe.FactEdit(audience=known_by(a)))
    assert not found(story, "secret-shows")
    story.facts.edit(other, kataribe.FactEdit(audience=known_by(b), told_from=secret))
    assert not found(story, "secret-shows")
