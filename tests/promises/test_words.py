"""Words are found whole before their parts; stores that cut them otherwise are cut anew when opened."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import kataribe
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


def test_a_store_that_cut_words_otherwise_is_cut_anew_when_it_is_opened(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    turns = [turn(no, text) for no, text in enumerate(SAID["ja"])]
    with talk(path, turns, language="ja") as store:
        store.story("s").create(language="ja", embedder="hash")
        store.story("s").episodes.put(1, text="ペットがいる。チケットもある。")
        store.story("s").sync()
        viewer = {"story": "s", "persona": "a", "at": 2}
        before = by_words(store, ASKED["ja"])
        told = [(hit.fact_id, hit.score) for hit in store.recall(ASKED["ja"], **viewer).hits]
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE segments SET hashes = x'', rows = x'', counts = x''")
        connection.execute("UPDATE alembic_version SET version_num = '0009'")
    with kataribe.open(str(path), services=services()) as store:
        assert by_words(store, ASKED["ja"]) == before
        assert [(hit.fact_id, hit.score) for hit in store.recall(ASKED["ja"], **viewer).hits] == told
        assert store.verify().problems == ()
