"""A backup holds no vectors of what users said; that of a store without users may hold those of stories."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import kataribe
from kataribe import Alias, Character, ConflictError, Kataribe, Turn, known_by
from support.erasing import erase
from support.model import everything
from support.stores import empty_store, services

TEXTS = {
    "ja": ("アンは水車小屋へ行った。鍵は石の下にある。", "ベンはランプを割った。"),
    "en": ("Ann went to the mill. The key is under the stone.", "Ben broke the lamp."),
}
SAID = {"ja": "鍵は井戸の中だと思う。", "en": "I think that the key is in the well."}
QUESTION = {"ja": "鍵はどこ？", "en": "Where is the key?"}
VIEWERS = [(who, at) for who in ("ann", "stranger") for at in (1, 2, 9)]


@pytest.fixture(params=["ja", "en"])
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def store(tmp_path: Path, language: Any) -> Iterator[Kataribe]:
    """A story, a user, and talk between them; one episode is not in memory yet."""
    with kataribe.open(str(empty_store(tmp_path / "k.db")), services=services()) as made:
        made.story("s").create(language=language, embedder="hash", audience="wide")
        alias = Alias(text={"ja": "アン", "en": "Ann"}[language])
        made.story("s").cast.add(Character(character_id="ann", aliases=(alias,)))
        for no, text in enumerate(TEXTS[language], start=1):
            made.story("s").episodes.put(no=no, text=text)
        made.user("u").create(language=language, embedder="hash")
        for turn_id, place in (("out", {}), ("in", {"story": "s", "at": 2})):
            turn = Turn(
                turn_id=turn_id,
                session=turn_id,
                speaker="Ann",
                text=SAID[language],
                time=datetime(2024, 5, 1, tzinfo=UTC),
                audience=known_by("ann"),
            )
            held: Any = place
            made.user("u").put_turns([turn], **held)
        made.sync()
        made.story("s").episodes.put(no=3, text=TEXTS[language][0])
        yield made


def rows(path: Path, table: str) -> set[str]:
    with closing(sqlite3.connect(path)) as connection:
        return {str(row[0]) for row in connection.execute(f"SELECT DISTINCT space FROM {table}")}


def of_user(store: Kataribe, language: str) -> list[str]:
    hits = store.recall(QUESTION[language], user="u", story="s", persona="ann", at=9, top_k=50).hits
    return sorted(hit.fact_id for hit in hits if hit.kind == "turn")


def test_stories_are_recalled_at_once_from_a_backup_with_vectors(
    store: Kataribe, language: str, tmp_path: Path
) -> None:
    erase(store, "u")
    before = everything(store, "s", VIEWERS, [QUESTION[language]], ids=True)
    copy = tmp_path / "copy.db"
    store.admin.backup(copy, with_vectors=True)
    assert rows(copy, "segments") == rows(copy, "memory_vectors") == {"story:s"}
    assert rows(copy, "embeddings") == set()
    with kataribe.open(str(copy), services=services()) as opened:
        assert everything(opened, "s", VIEWERS, [QUESTION[language]], ids=True) == before
        assert [one.no for one in opened.story("s").episodes.list() if one.is_pending] == [3]
        assert opened.verify().problems == ()
        opened.story("s").episodes.put(no=1, text=TEXTS[language][1])
        opened.sync()
        store.story("s").episodes.put(no=1, text=TEXTS[language][1])
        store.sync()
        after = everything(store, "s", VIEWERS, [QUESTION[language]], ids=True)
        assert everything(opened, "s", VIEWERS, [QUESTION[language]], ids=True) == after
        assert opened.verify().problems == ()


def test_vectors_are_for_stores_without_users(store: Kataribe, tmp_path: Path) -> None:
    with pytest.raises(ConflictError, match="leave --with-vectors out"):
        store.admin.backup(tmp_path / "copy.db", with_vectors=True)
    assert not (tmp_path / "copy.db").exists()


def test_no_backup_holds_vectors_of_what_users_said(store: Kataribe, language: str, tmp_path: Path) -> None:
    """Neither rows of them nor words packed for search, nor those of stories; all is to be done."""
    copy = tmp_path / "copy.db"
    assert len(rows(tmp_path / "k.db", "segments")) == 3
    store.admin.backup(tmp_path / "copy.backup")
    for file in (tmp_path / "copy.backup", copy):
        if file == copy:
            assert kataribe.restore(tmp_path / "copy.backup", copy).ok
        for table in ("segments", "memory_vectors", "embeddings"):
            assert rows(file, table) == set()
        with closing(sqlite3.connect(file)) as connection:
            assert connection.execute("SELECT count(*) FROM changes").fetchone() == (0,)
            assert connection.execute("SELECT count(*) FROM work WHERE lease IS NOT NULL").fetchone() == (0,)
    with kataribe.open(str(copy), services=services()) as opened:
        assert all(one.is_pending for one in opened.story("s").episodes.list())
        assert of_user(opened, language) == []
        opened.sync()
        assert of_user(opened, language) == ["in", "out"]
