"""Words are found whole before their parts; stores that cut them otherwise are cut anew when opened."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.config import Config

import kataribe
from kataribe import FactEdit
from kataribe.adapters.chive import ChiveEmbedder
from kataribe.adapters.hashing import HashEmbedder
from kataribe.adapters.sql import migrations
from kataribe.domain.terms import Language
from support.stores import services
from support.talk import talk, turn

SAID: dict[Language, tuple[str, ...]] = {
    "ja": (
        "ペットを飼いはじめた。",
        "ペットショップへ行った。",
        "チケットを二枚買った。",
        "ﾍﾟｯﾄは元気だ。",
        "カーペットを敷いた。",
    ),
    "en": (
        "There was a cat on the mat.",
        "We went to the cat-shop.",
        "Please concatenate the files.",
        "ＣＡＴ is all it says.",
        "The catalogue came by post.",
    ),
}
ASKED: dict[Language, str] = {"ja": "ペットは？", "en": "What of the cat?"}


def by_words(store: kataribe.Kataribe, question: str) -> dict[str, float]:
    """Give the keyword score of each turn."""
    hits = store.recall(question, user="u", top_k=10, planner="none", explain=True).hits
    return {hit.fact_id: hit.parts["keyword"] for hit in hits}


@pytest.mark.parametrize("language", ["ja", "en"])
def test_a_word_is_not_found_in_another_that_holds_its_letters(tmp_path: Path, language: Language) -> None:
    turns = [turn(no, text) for no, text in enumerate(SAID[language])]
    with talk(tmp_path / "t.db", turns, language=language) as store:
        found = by_words(store, ASKED[language])
    assert found.get("t2", 0) == 0
    assert found["t0"] > 0
    assert found["t3"] > 0, "half and full width are one"


def test_a_part_of_a_compound_is_found_below_the_whole_word(tmp_path: Path) -> None:
    turns = [turn(no, text) for no, text in enumerate(SAID["ja"])]
    with talk(tmp_path / "t.db", turns, language="ja") as store:
        found = by_words(store, ASKED["ja"])
        assert min(found["t0"], found["t3"]) > max(found["t1"], found["t4"])
        assert min(found["t1"], found["t4"]) > 0
        explained = store.recall(ASKED["ja"], user="u", explain=True).explanation
        assert explained is not None
        assert explained.terms == ("ペット",), "parts are looked for, and not shown"


def _back_to(path: Path, version: str) -> None:
    """Take the tables of a store back to an older schema."""
    engine = sa.create_engine(f"sqlite:///{path}")
    with engine.begin() as connection:
        config = Config()
        config.set_main_option("script_location", str(Path(migrations.__file__ or "").parent))
        config.attributes["connection"] = connection
        command.downgrade(config, version)
    engine.dispose()


def test_a_store_that_cut_words_otherwise_is_cut_anew_when_it_is_opened(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    turns = [turn(no, text) for no, text in enumerate(SAID["ja"])]
    with talk(path, turns, language="ja") as store:
        store.story("s").create(language="ja", embedder="hash")
        store.story("s").episodes.put(1, text="ペットがいる。チケットもある。")
        store.story("s").sync()
        viewer: dict[str, Any] = {"story": "s", "persona": "a", "at": 2}
        before = by_words(store, ASKED["ja"])
        told = [(hit.fact_id, hit.score) for hit in store.recall(ASKED["ja"], **viewer).hits]
    _back_to(path, "0010")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE segments SET hashes = x'', rows = x'', counts = x''")
    with kataribe.open(str(path), services=services()) as store:
        assert by_words(store, ASKED["ja"]) == before
        assert [(hit.fact_id, hit.score) for hit in store.recall(ASKED["ja"], **viewer).hits] == told
        assert store.verify().problems == ()


# -- words that mean about the same --------------------------------------------------------------

MEANS = {"退職": "quit", "辞めた": "quit", "resign": "quit", "left the job": "quit"}
LIFE: dict[Language, tuple[str, ...]] = {
    "ja": ("去年会社を辞めた。", "猫は元気だ。", "雨が続いている。"),
    "en": ("Last year I left the job.", "The cat is fine.", "It keeps raining."),
}
QUIT: dict[Language, str] = {"ja": "退職はいつ？", "en": "When did you resign?"}


class Knowing(HashEmbedder):
    """An embedder that knows a few words."""

    @property
    def embedder_id(self) -> str:
        return "knowing-1"

    def words_in(self, text: str) -> tuple[str, ...]:
        return tuple(f"@{word}" for said, word in MEANS.items() if said in text)

    def words_like(self, text: str) -> tuple[str, ...]:
        return (*self.words_in(text), "@nowhere")


KNOWING = Knowing()


@contextmanager
def knowing(path: Path, language: Language, **policy: Any) -> Iterator[kataribe.Kataribe]:
    own: dict[str, Any] = {"embedder": lambda _: KNOWING}
    turns = [turn(no, text) for no, text in enumerate(LIFE[language])]
    with talk(path, turns, language=language, parts=own, **policy) as store:
        yield store


@pytest.mark.parametrize("language", ["ja", "en"])
def test_what_is_said_in_words_of_like_meaning_is_found_by_them(tmp_path: Path, language: Language) -> None:
    with knowing(tmp_path / "t.db", language) as store:
        found = by_words(store, QUIT[language])
        assert max(found, key=lambda turn_id: found[turn_id]) == "t0"
        assert {turn_id for turn_id, score in found.items() if score} == {"t0"}
        explained = store.recall(QUIT[language], user="u", explain=True).explanation
        assert explained is not None
        assert not any("@" in term for term in explained.terms)
    with knowing(tmp_path / "t.db", language, like_words=False) as store:
        assert not any(by_words(store, QUIT[language]).values())


@pytest.mark.parametrize("language", ["ja", "en"])
def test_words_of_like_meaning_are_kept_through_every_edit(tmp_path: Path, language: Language) -> None:
    """Facts that are changed by hand, pinned, hidden and taken back are found as in a fresh store (P3)."""
    viewer: dict[str, Any] = {"story": "s", "persona": "a", "at": 3}
    with knowing(tmp_path / "t.db", language) as store:
        story = store.story("s")
        story.create(language=language, embedder="knowing")
        story.tell(LIFE[language][0], facts=[{"text": LIFE[language][0], "visibility": "public"}])
        (fact_id,) = story.facts.add_many(
            [{"text": LIFE[language][1], "episode_no": 1, "visibility": "public"}]
        )
        story.sync()
        story.facts.edit(fact_id, FactEdit(text=f"{LIFE[language][0]} {LIFE[language][1]}"))
        story.facts.pin(fact_id)
        story.facts.delete(fact_id)
        story.undo()
        story.undo()
        hits = store.recall(QUIT[language], **viewer, explain=True).hits
        assert all(hit.parts["keyword"] > 0 for hit in hits)
        assert len(hits) == 2
        store.user("u").said(LIFE[language][0], speaker="Ann", session="later")
        assert store.verify().problems == ()


@pytest.mark.parametrize("language", ["ja", "en"])
def test_another_embedder_brings_its_own_words(tmp_path: Path, language: Language) -> None:
    """A store that is moved from one to another holds the words of the other alone, as a fresh one does."""
    turns = [turn(no, text) for no, text in enumerate(LIFE[language])]
    base = services().embedder("hash")
    both: dict[str, Any] = {"embedder": lambda name: KNOWING if name == "knowing" else base}
    with talk(tmp_path / "t.db", turns, language=language, parts=both) as store:
        store.story("s").create(language=language, embedder="hash")
        store.story("s").episodes.put(1, text=LIFE[language][0])
        store.story("s").sync()
        assert not any(by_words(store, QUIT[language]).values())
        for chosen, found in (("knowing", True), ("hash", False)):
            store.admin.reembed(user="u", embedder=chosen)
            store.admin.reembed(story="s", embedder=chosen)
            assert any(by_words(store, QUIT[language]).values()) is found
            assert store.verify().problems == ()


@pytest.mark.skipif(ChiveEmbedder.available() is not None, reason="extra ja is missing")
@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("給料で時計を買った。", "初任給は何に使った？"),
        ("去年会社を辞めた。", "会社を辞めるのはなぜ？"),
        ("クルマで海まで行った。", "自動車で出かけた先は？"),
    ],
)
def test_the_japanese_default_knows_words(said: str, asked: str) -> None:
    embedder = ChiveEmbedder()
    found = set(embedder.words_in(said))
    assert found & set(embedder.words_like(asked))
    assert not set(embedder.words_in("猫が鳴いている。")) & set(embedder.words_like(asked))
    assert set(embedder.words_in(asked)) <= set(embedder.words_like(asked))
    assert embedder.words_in("澪はですます。") == embedder.words_in("澪はですます。")
