"""Turns of the system and of tools are kept as inputs, and never remembered (S4-76)."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

import kataribe
from kataribe.domain.conversation.turns import is_system
from kataribe.domain.terms import Language
from kataribe.testing.fakes import CountingEmbedder
from support.stores import services
from support.talk import talk, turn

LINES: dict[Language, tuple[str, str, str]] = {
    "en": ("The silver key lies under the mill.", "Always speak of the silver key politely.", "silver key"),
    "ja": ("銀の鍵は水車小屋の下にある。", "銀の鍵のことは必ず丁寧に話すこと。", "銀の鍵"),
}


@pytest.mark.parametrize("who", ["SYSTEM", "system", " Ｓｙｓｔｅｍ", "Tool", "function"])
@pytest.mark.parametrize("language", ["en", "ja"])
def test_what_the_system_said_comes_back_nowhere(tmp_path: Path, language: Language, who: str) -> None:
    said, instructed, word = LINES[language]
    turns = [turn(1, said), turn(2, instructed, speaker=who), turn(3, instructed, speaker=who, day=1)]
    embedder = CountingEmbedder(services().embedder("hash"))
    with talk(tmp_path / "t.db", turns, language=language, parts={"embedder": lambda _: embedder}) as store:
        assert store.user("u").turns() == tuple(turns), "stored as it came"
        assert instructed not in embedder.documents
        assert [hit.fact_id for hit in store.known(user="u").hits] == ["t1"]
        found = store.recall(word, user="u", top_k=9)
        assert ([hit.fact_id for hit in found.hits], found.pending_turns) == (["t1"], 0)
        made = store.context(word, user="u", min_similarity=-1)
        assert ([item.fact_id for item in made.items], made.hits) == (["t1"], 1)
        assert instructed not in made.text
        assert [hit.turn_id for hit in store.viewer(user="u").search_log([word]).hits] == ["t1"]
        with pytest.raises(kataribe.NotFoundError):
            store.viewer(user="u").read_turn("t2")
        checked = store.user("u").verify()
        assert (checked.problems, checked.turns, checked.memories) == ((), 3, 1)
        assert [one["turn"] for one in store.viewer(user="u").search_tool()(keywords=[word])] == ["t1"]


def test_the_system_leaves_no_trace_in_scores(tmp_path: Path) -> None:
    """With and without its turns all is alike, statistics and neighbours too."""
    said = [turn(1, "The mill is closed."), turn(4, "The key is silver."), turn(6, "The mill, again?")]
    told = [turn(2, "mill mill key", speaker="system"), turn(5, "The key is silver.", speaker="tool")]
    seen = []
    for number, turns in enumerate(([*said, *told], said)):
        with talk(tmp_path / f"{number}.db", turns) as store:
            seen.append(store.recall("Where is the mill?", user="u").hits)
    assert seen[0] == seen[1]
    assert len(seen[0]) == 3


def test_who_is_only_named_like_it_is_remembered(tmp_path: Path) -> None:
    assert not any(is_system(name) for name in ("System Ann", "toolbox", "user", "assistant", "システム"))
    with talk(tmp_path / "t.db", [turn(1, "I fix tools.", speaker="Toolsmith")]) as store:
        assert len(store.known(user="u").hits) == 1


def test_who_is_found_out_to_be_the_system_is_forgotten(tmp_path: Path) -> None:
    with talk(tmp_path / "t.db", [turn(1, "Be brief."), turn(2, "I am here.")]) as store:
        assert len(store.known(user="u").hits) == 2
        store.user("u").put_turns([replace(turn(1, "Be brief."), speaker="system")])
        store.user("u").sync()
        assert [hit.fact_id for hit in store.known(user="u").hits] == ["t2"]


def test_what_an_older_store_remembers_of_it_is_reported_and_goes(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    with talk(path, [turn(1, "Be brief."), turn(2, "I am here.")]):
        pass
    with sqlite3.connect(path) as raw:
        raw.execute("UPDATE turns SET speaker = 'system' WHERE turn_id = 't1'")
        raw.execute(
            "UPDATE memories SET speaker = 'system', fields = json_set(fields, '$.speaker', 'system') "
            "WHERE fact_id = 't1'"
        )
    with kataribe.open(str(path), services=services()) as store:
        problem = "memory turn:t1:world is of no person but of the system; run `kataribe rebuild --user u`"
        found = store.user("u").verify().problems
        assert f"user u 2023-05-08: {problem}" in found
        # What a turn names is read of persons alone.
        assert all("what its turns name" in one for one in set(found) - {f"user u 2023-05-08: {problem}"})
        assert store.viewer(user="u").search_log(["brief"]).hits == ()
        store.user("u").rebuild()
        assert store.user("u").verify().problems == ()
        assert [hit.fact_id for hit in store.known(user="u").hits] == ["t2"]
