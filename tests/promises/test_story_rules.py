"""The rules of episode-delta memory by their row names, on the bundled stories and on small ones."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import kataribe
from kataribe.adapters.sql.sqlite.pool import Lent
from kataribe.domain.gate import DENY_ALL, Slice, story_gate
from kataribe.domain.space import MemoryAddress
from kataribe.domain.terms import known_by
from kataribe.face.sync.kataribe import Kataribe
from support.hits import fact_hits
from support.stores import empty_store, services, sql_ledger

STORIES = ("yoimachi", "lantern-isle")


@pytest.fixture
def told(tmp_path: Path, bundled: Path) -> Iterator[Kataribe]:
    """Both bundled stories, in facts and in text mode, with the default embedders."""
    with kataribe.open(str(empty_store(tmp_path / "k.db")), services=services()) as store:
        for name in STORIES:
            store.story(name).import_folder(bundled / name)
            store.story(f"{name} text").import_folder(bundled / name, only="text")
        store.sync()
        yield store


def facts_of(store: Kataribe, story_id: str, character: str, at: int) -> set[tuple[str, str]]:
    """Give what a viewer may know, as (holder, fact id)."""
    told = store.known(story=story_id, persona=character, at=at)
    return {(hit.character_id, hit.fact_id) for hit in told.hits}


def test_s0_44_what_is_admissible_grows_with_the_episode(told: Kataribe) -> None:
    for story in told.admin.stories():
        for character in told.story(story.story_id).cast.list():
            before: set[tuple[str, str]] = set()
            for at in range(1, 12):
                now = facts_of(told, story.story_id, character.character_id, at)
                assert before <= now
                before = now
            assert before, "by the end everybody knows something"


def test_s0_45_no_fact_from_beyond_the_cutoff(told: Kataribe) -> None:
    for story in told.admin.stories():
        for character in told.story(story.story_id).cast.list():
            for at in range(1, 12):
                known = told.known(story=story.story_id, persona=character.character_id, at=at)
                assert all(hit.episode_no <= at - 1 for hit in fact_hits(known.hits))
                assert all(hit.character_id in ("world", character.character_id) for hit in known.hits)


def test_s0_46_after_an_update_no_old_fact_returns(told: Kataribe) -> None:
    story = "lantern-isle text"
    old = told.story(story).episodes.get(no=4).text
    kept, gone = old.split("\n")[0], old.split("\n")[-1]
    assert any(gone in hit.text or hit.text in gone for hit in _all(told, story, 12))
    told.story(story).episodes.put(no=4, text=kept)
    assert not [hit for hit in _all(told, story, 12) if hit.episode_no == 4], "stale is invisible at once"
    told.story(story).sync()
    now = [hit for hit in _all(told, story, 12) if hit.episode_no == 4]
    assert now
    assert all(hit.text in kept for hit in now)
    for hit in fact_hits(told.recall(gone, story=story, persona="wren", at=12, top_k=50).hits):
        assert hit.episode_no != 4 or hit.text in kept


def test_s0_47_after_a_delete_no_fact_of_the_episode_returns(told: Kataribe) -> None:
    for story in ("yoimachi", "yoimachi text"):
        words = next(hit.text for hit in _all(told, story, 12) if hit.episode_no == 5)
        told.story(story).episodes.delete(no=5)
        assert not [hit for hit in _all(told, story, 12) if hit.episode_no == 5]
        for character in told.story(story).cast.list():
            found = told.recall(words, story=story, persona=character.character_id, at=12, top_k=500)
            assert not [hit for hit in fact_hits(found.hits) if hit.episode_no == 5]
        told.story(story).episodes.restore(no=5)
        assert [hit for hit in _all(told, story, 12) if hit.episode_no == 5], "back without a sync"


def _all(store: Kataribe, story: str, at: int) -> list[kataribe.FactHit]:
    return [
        hit
        for character in store.story(story).cast.list()
        for hit in fact_hits(store.known(story=story, persona=character.character_id, at=at).hits)
    ]


def test_u_13_recall_gives_all_that_is_known_when_asked_for_enough(told: Kataribe) -> None:
    for story in told.admin.stories():
        for character in told.story(story.story_id).cast.list():
            viewer = {"story": story.story_id, "persona": character.character_id, "at": 8}
            known = told.known(**viewer)  # type: ignore[arg-type]
            found = told.recall("?", top_k=1000, planner="none", **viewer)  # type: ignore[arg-type]
            current = {hit.id for hit in known.hits if hit.superseded_by is None}
            got = {hit.id for hit in found.hits}
            assert got == current or len(current) > 400


def test_episode_one_reads_no_memory_row(tmp_path: Path, bundled: Path) -> None:
    """S1-18, U-3, P9: deny-all is a value; nothing is searched for and no memory is read."""
    parts = services()
    with kataribe.open(str(empty_store(tmp_path / "k.db")), services=parts) as store:
        store.story("y").import_folder(bundled / "yoimachi")
        store.sync()
        said: list[str] = []
        _listen(store, said)
        for character in ("澪", "somebody else"):
            assert store.recall("灯守とは誰？", story="y", persona=character, at=1).hits == ()
            assert store.known(story="y", persona=character, at=1).hits == ()
        assert said, "the trace works"
        touched = [line for line in said if "memor" in line.lower() and "traces" not in line.lower()]
        assert touched == []
        store.recall("灯守とは誰？", story="y", persona="澪", at=3)
        assert [line for line in said if "memories" in line], "and it would have seen a read"


@pytest.mark.parametrize(("quoted", "reads"), [(None, 1), ("The bell", 2)])
def test_supplied_facts_are_read_again_only_where_a_number_they_quote_may_have_moved(
    tmp_path: Path, quoted: str | None, reads: int
) -> None:
    facts = [{"episode_no": 2, "text": f"鐘が{no}回鳴った。", "visibility": "public"} for no in range(9)]
    facts[0] |= {"quote": quoted, "quote_episode": 1}
    texts = [{"episode_no": no, "text": "The bell rang."} for no in (1, 2)]
    for name, rows in (("episodes", texts), ("facts", facts)):
        lines = "".join(f"{json.dumps(row)}\n" for row in rows)
        (tmp_path / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    with kataribe.open(str(empty_store(tmp_path / "k.db")), services=services()) as store:
        store.story("y").import_folder(tmp_path, language="ja", embedder="hash", only="facts")
        said: list[str] = []
        _listen(store, said)
        store.sync()
        assert len([line for line in said if "FROM facts" in line and "'ep-2'" in line]) == reads
        assert len(store.story("y").facts.list()) == 9


def _listen(store: Kataribe, said: list[str]) -> None:
    pool = sql_ledger(store)._pool
    take = pool._take

    def listening() -> Lent:
        lent: Lent = take()
        lent.driver.set_trace_callback(said.append)
        return lent

    pool._take = listening


def test_a_gate_is_a_list_of_slices() -> None:
    viewer = kataribe.Viewer(story="s", persona="himuro", at=3)
    assert story_gate(viewer, uptos=[("story:s", 7)], in_cast=True).slices == (
        Slice("story:s", "world", 7),
        Slice("story:s", "himuro", 7),
    )
    assert story_gate(viewer, uptos=[("story:s", 7)], in_cast=False).slices == (Slice("story:s", "world", 7),)
    assert story_gate(viewer, uptos=[("story:s", None)], in_cast=True) is DENY_ALL
    first = kataribe.Viewer(story="s", persona="himuro", at=1)
    assert story_gate(first, uptos=[("story:s", 7)], in_cast=True) is DENY_ALL
    assert not DENY_ALL.admits(MemoryAddress("story:s", "world", 0))


@pytest.mark.parametrize("at", [0, -1, True, 1.0, "3", None])
def test_s0_21_what_is_missing_or_no_whole_number_is_an_error(at: object) -> None:
    with pytest.raises(kataribe.InputError):
        kataribe.Viewer(story="s", persona="a", at=at)  # type: ignore[arg-type]


def test_stories_do_not_leak_into_each_other(told: Kataribe) -> None:
    """S1-1: the same character id in two stories is two characters."""
    told.story("other").create(language="en")
    told.story("other").episodes.put(no=1, text="Nothing here.")
    told.story("other").facts.add(episode_no=1, text="Wren owns a whale.", audience=known_by("wren"))
    told.story("other").sync()
    for hit in told.recall("Who owns a whale?", story="lantern-isle", persona="wren", at=12, top_k=100).hits:
        assert "whale" not in hit.text
    whale = told.recall("whale", story="other", persona="wren", at=2).hits
    assert [hit.text for hit in whale] == ["Wren owns a whale.", "Nothing here."]


def test_the_tool_cannot_be_widened_by_a_model(told: Kataribe) -> None:
    """S0-30: the viewer is bound when the tool is made."""
    tool = told.viewer(story="yoimachi", persona="澪", at=3).recall_tool()
    assert set(tool.parameters["properties"]) == {"query", "top_k"}  # type: ignore[call-overload]
    assert all(hit["episode_no"] <= 2 for hit in tool(query="灯守とは誰？", top_k=50))  # type: ignore[operator]
    for name in ("at", "character", "story_id", "viewer", "where"):
        with pytest.raises(kataribe.InputError, match=name):
            tool(query="灯守", **{name: 9})
    with pytest.raises(kataribe.InputError):
        tool(query="灯守", top_k=0)
    with pytest.raises(kataribe.InputError):
        tool()


def test_s0_31_every_search_leaves_a_trace(told: Kataribe) -> None:
    found = told.recall(
        "灯守とは誰？", story="yoimachi", persona="澪", at=3, where={"importance": {"$gte": 3}}
    )
    trace = told.admin.traces(story="yoimachi", last=1)[0]
    assert (trace.character, trace.episode_no, trace.verb) == ("澪", 3, "recall")
    assert trace.filter == {"importance": {"$gte": 3}}
    assert trace.ids == tuple(hit.id for hit in found.hits)
    assert trace.slices == ("world up to 2", "澪 up to 2")


@pytest.mark.parametrize("story", STORIES)
def test_a_secret_alias_is_expanded_only_for_those_who_know_it(told: Kataribe, story: str) -> None:
    """The secret name is added for those who know whose it is, and for nobody else."""
    seen = {True: 0, False: 0}
    for character in told.story(story).cast.list():
        for alias in {a.text for a in character.aliases if not a.address.audience.world}:
            for viewer in told.story(story).cast.list():
                for at in (2, 5, 8, 10):
                    knows = any(
                        a.text == alias and a.address.is_known(viewer=viewer.character_id, cutoff=at - 1)
                        for a in character.aliases
                    )
                    asked = {"story": story, "persona": viewer.character_id, "at": at}
                    found = told.recall(f"{character.name}?", explain=True, **asked).explanation  # type: ignore[arg-type]
                    assert found is not None
                    assert (alias in found.expansions) == knows
                    seen[knows] += 1
    assert seen[True]
    assert seen[False]


def test_a_filter_is_and_ed_with_the_gate(told: Kataribe) -> None:
    """S0-28, S0-30: it narrows, it never widens; top_k is filled when it can be."""
    viewer = {"story": "yoimachi", "persona": "澪", "at": 9}
    everything = told.known(**viewer).hits  # type: ignore[arg-type]
    for where in (
        {"episode_no": {"$lte": 3}},
        {"$or": [{"scope": "world"}, {"character_id": "蓮"}]},
        {"episode_no": {"$gte": 1}},
        {"importance": {"$in": [4, 5]}, "kind": "fact"},
        {"scope": {"$ne": "world"}},
        {"nothing": {"$exists": False}},
    ):
        some = told.known(where=where, **viewer).hits  # type: ignore[arg-type]
        assert some
        assert {hit.id for hit in some} <= {hit.id for hit in everything}
        current = [hit for hit in some if hit.superseded_by is None]
        found = told.recall("灯守", top_k=3, where=where, **viewer).hits  # type: ignore[arg-type]
        assert len(found) == min(3, len(current))
        assert {hit.id for hit in found} <= {hit.id for hit in current}
    not_understood: list[dict[str, object]] = [{"a": {"$regex": "x"}}, {"$nor": []}, {"a": {}}]
    for bad in not_understood:
        with pytest.raises(kataribe.FilterError):
            told.recall("灯守", where=bad, **viewer)  # type: ignore[arg-type]


def test_superseding_counts_only_inside_the_gate(told: Kataribe) -> None:
    """U-14: the older fact stays for whoever does not know the newer one."""
    seen = 0
    for story in STORIES:
        replaced = {
            fact.supersedes: fact for fact in told.story(story).facts.list() if fact.supersedes is not None
        }
        for old, new in replaced.items():
            for character in told.story(story).cast.list():
                viewer = {"story": story, "persona": character.character_id, "at": 12}
                known = {hit.fact_id: hit for hit in told.known(**viewer).hits}  # type: ignore[arg-type]
                if old not in known:
                    continue
                recalled = {
                    hit.fact_id
                    for hit in told.recall("x", top_k=1000, **viewer).hits  # type: ignore[arg-type]
                }
                holds_both = new.fact_id in known
                assert (known[old].superseded_by is not None) == holds_both
                assert (old in recalled) != holds_both
                seen += 1
    assert seen > 10
