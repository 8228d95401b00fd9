"""Branches (IF stories), rule by rule: what they read, what they refuse, what follows what."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import kataribe
from kataribe.domain.recall.ranking import DEFAULT_RECALL
from kataribe.domain.story.folder import EpisodeRow, FactRow, StoryFolder
from kataribe.domain.story.inputs import Address, Alias, Character, NameKind
from kataribe.domain.terms import PUBLIC, known_by
from kataribe.face.sync.kataribe import Kataribe
from kataribe.formats.folder import write_folder
from kataribe.testing.fakes import CountingEmbedder
from support.hits import fact_hits
from support.model import everything, without_places
from support.stores import empty_store, services

VIEWERS = [(who, at) for who in ("ann", "ben", "stranger") for at in (1, 2, 3, 4, 5, 99)]
QUESTIONS = ("Where is the key?", "Who burned the mill?")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Kataribe]:
    """A parent `p` of four episodes and a branch `b` after the second."""
    with kataribe.open(str(empty_store(tmp_path / "k.db")), services=services()) as made:
        made.story("p").create(language="en", embedder="hash", audience="wide")
        for who, name in (("ann", "Ann"), ("ben", "Ben")):
            alias = Alias(text=name, kind=NameKind.NAME)
            made.story("p").cast.add(Character(character_id=who, aliases=(alias,)))
        for no in (1, 2, 3, 4):
            made.story("p").episodes.put(
                no=no, text=f"Ann carried the key of day {no} to Ben.", episode_id=f"e{no}"
            )
        made.story("p").branches.add("b", after=2)
        made.story("b").episodes.put(no=3, text="Ben burned the mill, and Ann saw it.", episode_id="i3")
        made.sync()
        yield made


def told(store: Kataribe, story: str, at: int = 99, who: str = "ann") -> list[tuple[int, str]]:
    hits = store.known(story=story, persona=who, at=at).hits
    return [(hit.episode_no, hit.text) for hit in fact_hits(hits)]


def day(no: int) -> str:
    return f"Ann carried the key of day {no} to Ben."


BURNED = "Ben burned the mill, and Ann saw it."


def numbers(store: Kataribe, story: str) -> list[tuple[int, str]]:
    return [(e.no, e.episode_id) for e in store.story(story).episodes.list() if e.is_live]


# -- what is read --------------------------------------------------------------------------


def test_s1_6_a_branch_reads_the_parent_up_to_the_fork_then_its_own(store: Kataribe) -> None:
    assert told(store, "b") == [(1, day(1)), (2, day(2)), (3, BURNED)]
    assert told(store, "p") == [(no, day(no)) for no in (1, 2, 3, 4)]
    assert told(store, "b", at=3) == [(1, day(1)), (2, day(2))]
    assert told(store, "b", at=1) == []


def test_edits_before_the_fork_show_through_and_later_ones_do_not(store: Kataribe) -> None:
    before = everything(store, "b", VIEWERS, QUESTIONS, ids=True)
    store.story("p").episodes.put(no=3, text="Ann lost the key to Ben in the well.")
    store.story("p").episodes.put(no=5, text="Ann burned the key with Ben.")
    store.story("p").episodes.delete(no=4)
    assert everything(store, "b", VIEWERS, QUESTIONS, ids=True) == before, "nothing is pending either"
    store.sync()
    assert everything(store, "b", VIEWERS, QUESTIONS, ids=True) == before
    store.story("p").episodes.put(no=2, text="Ann hid the key from Ben.")
    assert told(store, "b") == [(1, day(1)), (3, BURNED)]
    assert store.known(story="b", persona="ann", at=3).pending_episodes == (2,)
    assert store.known(story="b", persona="ann", at=2).pending_episodes == ()
    store.story("p").sync()
    assert told(store, "b") == [(1, day(1)), (2, "Ann hid the key from Ben."), (3, BURNED)]


def test_a_branch_of_a_branch_reads_both(store: Kataribe) -> None:
    store.story("b").episodes.put(no=4, text="Ann told Ben of the ashes.", episode_id="i4")
    made = store.story("b").branches.add("c", after=3)
    assert (made.parent, made.fork_episode_id) == ("b", "i3")
    store.story("c").episodes.put(no=4, text="Ann left Ben.", episode_id="j4")
    store.sync()
    assert told(store, "c") == [(1, day(1)), (2, day(2)), (3, BURNED), (4, "Ann left Ben.")]
    assert store.story("c").branches.origin().lineage == ("p", "b", "c")
    assert "Ann left Ben." not in dict(told(store, "b")).values()


def test_a_branch_after_an_inherited_episode_is_one_of_its_owner(store: Kataribe) -> None:
    made = store.story("b").branches.add("c", after=1)
    assert (made.parent, made.fork_episode_id) == ("p", "e1")
    assert told(store, "c") == [(1, day(1))]
    with pytest.raises(kataribe.NotFoundError):
        store.story("b").branches.add("d", after=9)
    with pytest.raises(kataribe.ConflictError):
        store.story("p").branches.add("b", after=1)
    with pytest.raises(kataribe.NotFoundError):
        store.story("nobody").branches.add("d", after=1)


def test_siblings_do_not_see_each_other(store: Kataribe) -> None:
    before = everything(store, "b", VIEWERS, QUESTIONS, ids=True)
    store.story("p").branches.add("c", after=2)
    store.story("c").cast.add(Character(character_id="dora", aliases=(Alias(text="the key"),)))
    store.story("c").episodes.put(no=3, text="Ann gave the key to Ben and Dora.")
    store.sync()
    assert everything(store, "b", VIEWERS, QUESTIONS, ids=True) == before
    assert not store.known(story="b", persona="dora", at=9).in_cast
    assert store.known(story="c", persona="dora", at=9).in_cast


def test_who_is_named_after_the_fork_is_not_in_the_branch(store: Kataribe) -> None:
    store.story("p").facts.add(episode_no=2, text="Seen early.", audience=known_by("early"))
    store.story("p").facts.add(episode_no=3, text="Seen late.", audience=known_by("late"))
    assert [c.character_id for c in store.story("b").cast.list()] == ["ann", "ben", "early"]
    assert [c.character_id for c in store.story("p").cast.list()] == ["ann", "ben", "early", "late"]
    for who, seen in (("early", True), ("late", False)):
        assert store.known(story="b", persona=who, at=99).in_cast is seen
        assert store.known(story="p", persona=who, at=99).in_cast
    assert not store.known(story="b", persona="early", at=2).in_cast
    store.story("b").facts.add(episode_no=3, text="Seen otherwise.", audience=known_by("late"))
    assert store.known(story="b", persona="late", at=4).in_cast
    store.story("p").cast.rename("late", "latest")
    store.sync()
    assert told(store, "b", who="late")[-1] == (3, "Seen otherwise.")
    store.story("p").cast.rename("early", "earliest")
    assert store.known(story="b", persona="earliest", at=99).in_cast


def test_an_annotation_after_the_fork_closes_nothing_in_the_branch(tmp_path: Path) -> None:
    """A story without cast and annotations is everybody's; so is a branch of one that is up to the fork."""
    with kataribe.open(str(empty_store(tmp_path / "k.db")), services=services()) as store:
        store.story("p").create(language="en", embedder="hash")
        store.story("p").episodes.put(no=1, text="The mill stood still.")
        store.story("p").branches.add("b", after=1)
        store.story("b").episodes.put(no=3, text="The mill turned.")
        store.story("p").episodes.put(no=2, text="[[known-by: public]] The mill burned.")
        store.sync()
        assert told(store, "b", who="anybody") == [(1, "The mill stood still."), (3, "The mill turned.")]
        store.story("p").episodes.put(no=1, text="[[known-by: public]] The mill stood still.")
        store.sync()
        assert told(store, "b", who="anybody") == [(1, "The mill stood still.")]
        assert store.verify().problems == ()


def test_a_deleted_fork_episode_keeps_its_place(store: Kataribe) -> None:
    store.story("p").episodes.delete(no=2)
    store.sync()
    assert told(store, "b") == [(1, day(1)), (3, BURNED)]
    store.story("p").episodes.put(no=2, text="Ann ran from Ben.", episode_id="new")
    store.sync()
    assert told(store, "b") == [(1, day(1)), (3, BURNED)], "what came after the fork is the parent's alone"
    with pytest.raises(kataribe.NotFoundError):
        store.story("b").episodes.get(no=2)
    assert store.story("p").episodes.get(no=2).text == "Ann ran from Ben."


def test_ties_go_by_the_story(tmp_path: Path, store: Kataribe) -> None:
    """The branch's own third episode comes last; where age counts, the newest first."""
    for no in (1, 2, 3):
        story = "b" if no == 3 else "p"
        store.story(story).facts.add(episode_no=no, text="The key is under the stone.")
    asked: dict[str, Any] = {"story": "b", "persona": "ann", "at": 9, "top_k": 3}
    for share, wanted in ((0.0, [1, 2, 3]), (1.0, [3, 2, 1])):
        policy = replace(DEFAULT_RECALL, recency_share=share, duplicate_similarity=0)
        tuned = replace(services(), recall_policy=policy)
        with kataribe.open(str(tmp_path / "k.db"), services=tuned) as made:
            hits = made.recall("key under the stone", **asked).hits
            assert [hit.episode_no for hit in fact_hits(hits)] == wanted


def test_a_later_fact_of_the_branch_replaces_one_of_the_parent(store: Kataribe) -> None:
    old = store.story("p").facts.add(episode_no=2, text="The key is under the stone.")
    new = store.story("b").facts.add(episode_no=3, text="The key is in the ashes.", supersedes=old)
    marked = {h.fact_id: h.superseded_by for h in store.known(story="b", persona="ann", at=9).hits}
    assert marked[old] == new
    assert old not in {
        h.fact_id for h in store.recall("the key", story="b", persona="ann", at=9, top_k=50).hits
    }
    assert old in {h.fact_id for h in store.recall("the key", story="p", persona="ann", at=9, top_k=50).hits}


def test_a_quote_of_the_parents_future_is_not_shown(store: Kataribe, tmp_path: Path) -> None:
    """Number 3 is another episode in the branch; its name must lend the parent's words nothing."""
    rows = tuple(
        FactRow(
            fact_id=f"q{no}", episode_no=1, audience=PUBLIC, text=f"A hint at {no}.", quote=q, quote_no=no
        )
        for no, q in ((2, "day 2"), (3, "day 3"))
    )
    episode = EpisodeRow(episode_id="e1", no=1, text=day(1))
    write_folder(tmp_path / "p", StoryFolder(language="en", episodes=(episode,), facts=rows))
    store.story("p").import_folder(tmp_path / "p")
    own = FactRow(fact_id="own", episode_no=4, audience=PUBLIC, text="A mark.", quote="the mill", quote_no=3)
    late = EpisodeRow(episode_id="i4", no=4, text="Ann wept before Ben.")
    write_folder(tmp_path / "b", StoryFolder(language="en", episodes=(late,), facts=(own,)))
    store.story("b").import_folder(tmp_path / "b")
    store.sync()
    quotes = {h.fact_id: h.quote for h in fact_hits(store.known(story="b", persona="ann", at=99).hits)}
    assert (quotes["q2"], quotes["q3"], quotes["own"]) == ("day 2", None, "the mill")
    parents = fact_hits(store.known(story="p", persona="ann", at=99).hits)
    assert {h.fact_id: h.quote for h in parents}["q3"] == "day 3"


# -- numbers -------------------------------------------------------------------------------


def test_inherited_numbers_are_refused_with_the_place_to_edit(store: Kataribe, tmp_path: Path) -> None:
    folder = StoryFolder(language="en", episodes=(EpisodeRow(no=2, text="x"),))
    write_folder(tmp_path / "f", folder)
    before = everything(store, "b", VIEWERS, QUESTIONS, ids=True)
    refused: list[Callable[[], object]] = [
        lambda: store.story("b").episodes.put(no=2, text="x"),
        lambda: store.story("b").episodes.insert(no=1, text="x"),
        lambda: store.story("b").episodes.renumber(no=3, to=2),
        lambda: store.story("b").episodes.renumber(no=2, to=5),
        lambda: store.story("b").episodes.restore(no=2),
        lambda: store.story("b").episodes.delete(no=1),
        lambda: store.story("b").facts.add(episode_no=2, text="x"),
        lambda: store.story("b").import_folder(tmp_path / "f"),
    ]
    for verb in refused:
        with pytest.raises(kataribe.ConflictError, match="'p'"):
            verb()
    assert everything(store, "b", VIEWERS, QUESTIONS, ids=True) == before


def test_facts_of_the_parent_are_refused_with_the_place_to_edit(store: Kataribe) -> None:
    made = store.story("p").facts.add(episode_no=1, text="The key is old.")
    extracted = next(f.fact_id for f in store.story("b").facts.list() if f.episode_no == 2)
    for fact_id in (made, extracted):
        for verb in (
            lambda f: store.story("b").facts.edit(f, kataribe.FactEdit(text="x")),
            lambda f: store.story("b").facts.pin(f),
            lambda f: store.story("b").facts.delete(f),
        ):
            with pytest.raises(kataribe.ConflictError, match="'p'"):
                verb(fact_id)
    later = store.story("p").facts.add(episode_no=4, text="The key is lost.")
    with pytest.raises(kataribe.NotFoundError):
        store.story("b").facts.delete(later)


def test_inherited_episodes_read_through(store: Kataribe) -> None:
    assert store.story("b").episodes.get(no=2).text == day(2)
    assert len(store.story("b").episodes.history(no=2)) == 1
    owners = [(e.no, e.story_id) for e in store.story("b").episodes.list()]
    assert owners == [(1, "p"), (2, "p"), (3, "b")]
    assert next((f.episode_no, f.space) for f in store.story("b").facts.list()) == (1, "story:p")
    assert {f.episode_no for f in store.story("b").facts.list(episode_no=2)} == {2}
    with pytest.raises(kataribe.NotFoundError):
        store.story("b").episodes.get(no=4)


def test_own_episodes_keep_their_distance_to_the_fork(store: Kataribe) -> None:
    store.story("b").episodes.put(no=6, text="Ann slept near Ben.", episode_id="i6")
    store.story("b").episodes.delete(no=6)
    store.story("b").branches.add("c", after=3)
    store.story("c").episodes.put(no=4, text="Ben slept near Ann.", episode_id="j4")
    store.story("p").episodes.insert(no=1, text="Before all, Ann met Ben.", episode_id="e0")
    assert numbers(store, "b") == [(1, "e0"), (2, "e1"), (3, "e2"), (4, "i3")]
    assert store.story("b").episodes.restore(no=7) == "i6"
    assert numbers(store, "c")[-2:] == [(4, "i3"), (5, "j4")]
    assert store.story("b").branches.origin().after == 3
    store.story("p").episodes.insert(no=4, text="Ann stood by Ben.")
    assert numbers(store, "b")[-2:] == [(4, "i3"), (7, "i6")], "after the fork nothing follows"
    store.story("p").episodes.renumber(no=3, to=9)
    assert numbers(store, "b")[-2:] == [(10, "i3"), (13, "i6")]
    assert numbers(store, "c")[-1] == (11, "j4")
    assert store.verify().problems == ()
    store.sync()
    assert [no for no, _ in told(store, "c")] == [no for no, _ in numbers(store, "c")]


def test_what_names_a_number_in_the_branch_follows(store: Kataribe) -> None:
    for since, text in ((2, "the Bearer"), (3, "the Witness")):
        alias = Alias(text=text, address=Address(since=since))
        store.story("b").cast.edit("ann", kataribe.CastEdit(add_aliases=(alias,)))
    store.story("p").episodes.insert(no=2, text="Between, Ann met Ben.")
    shifted = {a.text: a.address.since for a in store.story("b").cast.get("ann").aliases}
    assert shifted == {"Ann": 0, "the Bearer": 3, "the Witness": 4}
    store.story("p").episodes.renumber(no=1, to=9)
    assert {a.text: a.address.since for a in store.story("b").cast.get("ann").aliases} == shifted


def test_an_episode_that_moves_over_the_fork_leaves_or_joins_the_branch(store: Kataribe) -> None:
    store.story("p").episodes.renumber(no=1, to=9)
    assert numbers(store, "b") == [(2, "e2"), (3, "i3")]
    store.story("p").episodes.renumber(no=4, to=1)
    store.sync()
    assert told(store, "b") == [(1, day(4)), (2, day(2)), (3, BURNED)]


def test_ids_are_one_familys(store: Kataribe, tmp_path: Path) -> None:
    for story, taken in (("b", "e4"), ("p", "i3")):
        with pytest.raises(kataribe.ConflictError, match=taken):
            store.story(story).episodes.put(no=7, text="x", episode_id=taken)
        with pytest.raises(kataribe.ConflictError, match=taken):
            store.story(story).episodes.insert(no=4, text="x", episode_id=taken)
        write_folder(
            tmp_path / story,
            StoryFolder(language="en", episodes=(EpisodeRow(episode_id=taken, no=7, text="x"),)),
        )
        with pytest.raises(kataribe.ConflictError, match=taken):
            store.story(story).import_folder(tmp_path / story)
    assert store.story("p").episodes.put(no=5, text="x").episode_id == "ep-5"
    assert store.story("b").episodes.put(no=5, text="x").episode_id == "ep-5-2"
    assert store.story("p").episodes.put(no=6, text="x").episode_id == "ep-6"
    store.story("other").create(language="en", embedder="hash")
    assert store.story("other").episodes.put(no=5, text="x", episode_id="i3").episode_id == "i3"


# -- cast ----------------------------------------------------------------------------------


def test_the_cast_is_copied_when_it_is_written(store: Kataribe) -> None:
    store.story("b").cast.edit("ann", kataribe.CastEdit(add_aliases=(Alias(text="the Witness"),)))
    store.story("b").cast.add(Character(character_id="dora"))
    store.story("b").branches.add("c", after=3)
    assert [c.character_id for c in store.story("p").cast.list()] == ["ann", "ben"]
    assert [c.character_id for c in store.story("b").cast.list()] == ["ann", "ben", "dora"]
    for story, wanted in (("p", ["Ann"]), ("b", ["Ann", "the Witness"]), ("c", ["Ann", "the Witness"])):
        assert [a.text for a in store.story(story).cast.get("ann").aliases] == wanted
    store.story("p").cast.edit("ann", kataribe.CastEdit(name="Anna"))
    store.story("p").cast.edit("ben", kataribe.CastEdit(name="Benjamin"))
    assert [a.text for a in store.story("b").cast.get("ann").aliases] == ["Ann", "the Witness"]
    assert [a.text for a in store.story("b").cast.get("ben").aliases] == ["Benjamin"]
    with pytest.raises(kataribe.ConflictError):
        store.story("b").cast.add(Character(character_id="ben"))


def test_names_of_the_parents_future_are_not_seen(store: Kataribe) -> None:
    hyde = Alias(text="the Burner", address=Address(since=3))
    fork = Alias(text="the Bearer", address=Address(since=2))
    before = everything(store, "b", VIEWERS, ("the Burner",), ids=True)
    store.story("p").cast.edit("ann", kataribe.CastEdit(add_aliases=(hyde,)))
    store.sync()
    assert [a.text for a in store.story("b").cast.get("ann").aliases] == ["Ann"]
    assert everything(store, "b", VIEWERS, ("the Burner",), ids=True) == before
    store.story("p").cast.edit("ann", kataribe.CastEdit(add_aliases=(fork,)))
    assert [a.text for a in store.story("b").cast.get("ann").aliases] == ["Ann", "the Bearer"]


def test_a_rename_is_done_in_the_parent_and_goes_down(store: Kataribe) -> None:
    store.story("b").facts.add(episode_no=3, text="A secret.", audience=known_by("ann"))
    store.story("b").branches.add("c", after=3)
    store.story("c").cast.edit("ann", kataribe.CastEdit(add_aliases=(Alias(text="Annie"),)))
    for verb in (
        lambda: store.story("c").cast.rename("ann", "anna"),
        lambda: store.story("b").cast.delete("ann"),
        lambda: store.story("c").cast.delete("ann"),
    ):
        with pytest.raises(kataribe.ConflictError, match="'p'"):
            verb()
    store.story("p").cast.rename("ann", "anna")
    store.sync()
    for story in ("p", "b", "c"):
        assert "ann" not in {c.character_id for c in store.story(story).cast.list()}
        assert store.known(story=story, persona="anna", at=99).in_cast
    assert (3, "A secret.") in told(store, "b", who="anna")
    assert [a.text for a in store.story("c").cast.get("anna").aliases] == ["Ann", "Annie"]
    store.story("b").cast.add(Character(character_id="dora"))
    with pytest.raises(kataribe.ConflictError, match="'b'"):
        store.story("p").cast.rename("ben", "dora")
    store.story("b").cast.rename("dora", "thea")
    assert "thea" in {c.character_id for c in store.story("c").cast.list()} - {
        c.character_id for c in store.story("p").cast.list()
    }


def test_the_parents_cast_makes_the_branch_stale(store: Kataribe) -> None:
    """An extraction is of the cast by then: what the branch's text says of her changes with it."""
    store.story("p").cast.add(Character(character_id="cleo", aliases=(Alias(text="the mill"),)))
    (own,) = (e for e in store.story("b").episodes.list() if e.story_id == "b")
    assert not own.visible
    assert (3, BURNED) not in told(store, "b")
    store.story("b").sync()
    assert store.story("b").verify().problems == ()


# -- stories -------------------------------------------------------------------------------


def test_a_parent_with_branches_is_not_deleted(store: Kataribe) -> None:
    with pytest.raises(kataribe.ConflictError, match="b"):
        store.story("p").delete()
    store.story("p").rename("canon")
    assert store.story("b").info().parent == "canon"
    assert told(store, "b")[0] == (1, day(1))
    store.story("b").rename("what if")
    assert told(store, "what if")[-1] == (3, BURNED)
    store.story("what if").delete()
    store.story("canon").delete()
    assert store.admin.stories() == ()


def test_engines_are_the_familys(store: Kataribe, tmp_path: Path) -> None:
    made = store.story("b").branches.add("c", after=3)
    parent = store.story("p").info()
    assert (made.language, made.embedder, made.extractor_id) == (
        parent.language,
        parent.embedder,
        parent.extractor_id,
    )
    other_id = "hash-2"
    other = _Renamed(services().embedder("hash"))
    newer = replace(services(), embedder=lambda _: other)
    store.story("alone").create(language="en", embedder="hash")
    with kataribe.open(str(tmp_path / "k.db"), services=newer) as again:
        again.admin.rebuild(story="b")
        assert {s.story_id: s.embedder_id for s in again.admin.stories()} == {
            "p": other_id,
            "b": other_id,
            "c": other_id,
            "alone": "hash-1",
        }
        assert told(again, "b") == [(1, day(1)), (2, day(2)), (3, BURNED)]
        again.recall("key", story="b", persona="ann", at=9)
        assert again.story("b").verify().problems == ()


class _Renamed(CountingEmbedder):
    """An embedder of another name."""

    @property
    def embedder_id(self) -> str:
        return "hash-2"


def test_detaching_changes_nothing_but_the_ties(store: Kataribe, tmp_path: Path) -> None:
    store.story("p").facts.add(episode_no=1, text="The key is old.", audience=known_by("ann"))
    store.story("p").facts.pin(next(f.fact_id for f in store.story("p").facts.list() if f.episode_no == 2))
    store.story("p").episodes.put(no=1, text="Ann carried the old key to Ben. Ben frowned.")
    store.sync()
    store.story("p").facts.delete(
        next(f.fact_id for f in store.story("p").facts.list() if f.text == "Ben frowned.")
    )
    store.story("b").branches.add("c", after=3)
    store.story("c").episodes.put(no=4, text="Ann left Ben.")
    store.sync()
    before = {s: without_places(everything(store, s, VIEWERS, QUESTIONS, ids=True)) for s in ("b", "c", "p")}
    looked = store.story("b").episodes.history(no=1)
    store.story("b").branches.detach()
    assert store.story("b").info().parent is None
    after = {s: without_places(everything(store, s, VIEWERS, QUESTIONS, ids=True)) for s in ("b", "c", "p")}
    assert after == before
    assert [(h.version, h.text, h.created_at) for h in store.story("b").episodes.history(no=1)] == [
        (h.version, h.text, h.created_at) for h in looked
    ]
    assert store.verify().problems == ()
    assert store.sync().done == 0, "nothing was left to make"
    store.story("p").episodes.put(no=1, text="Nothing of this was so.")
    store.story("p").cast.edit("ann", kataribe.CastEdit(name="Anna"))
    store.story("b").episodes.put(no=1, text=store.story("b").episodes.get(no=1).text)
    for s in ("b", "c"):
        assert without_places(everything(store, s, VIEWERS, QUESTIONS, ids=True)) == before[s]
    with pytest.raises(kataribe.ConflictError):
        store.story("b").branches.detach()
    store.sync()
    store.story("p").delete()


def test_detaching_embeds_nothing(tmp_path: Path) -> None:
    embedder = CountingEmbedder(services().embedder("hash"))
    given = replace(services(), embedder=lambda _: embedder)
    with kataribe.open(str(empty_store(tmp_path / "k.db")), services=given) as store:
        store.story("p").create(language="en", embedder="hash")
        store.story("p").episodes.put(no=1, text="Ann walked.")
        store.sync()
        store.story("p").branches.add("b", after=1)
        before = len(embedder.documents)
        store.story("b").branches.detach()
        assert [hit.text for hit in store.known(story="b", persona="ann", at=9).hits] == ["Ann walked."]
        assert len(embedder.documents) == before


def test_an_exported_branch_stands_by_itself(store: Kataribe, tmp_path: Path) -> None:
    store.story("p").cast.edit(
        "ann", kataribe.CastEdit(add_aliases=(Alias(text="late", address=Address(since=4)),))
    )
    store.story("b").cast.add(Character(character_id="dora", aliases=(Alias(text="Dora"),)))
    store.sync()
    store.story("b").export(tmp_path / "out")
    with kataribe.open(str(empty_store(tmp_path / "other.db")), services=services()) as other:
        other.story("b").import_folder(tmp_path / "out")
        other.sync()
        there, here = (everything(each, "b", VIEWERS, QUESTIONS, ids=True) for each in (other, store))
        assert without_places(there) == without_places(here)
        assert [c.character_id for c in other.story("b").cast.list()] == ["ann", "ben", "dora"]
        assert [a.text for a in other.story("b").cast.get("ann").aliases] == ["Ann"]


def test_an_import_into_a_branch_is_of_its_own_episodes(store: Kataribe, tmp_path: Path) -> None:
    rows = (EpisodeRow(no=3, text=BURNED), EpisodeRow(no=4, text="Ann left Ben."))
    write_folder(tmp_path / "f", StoryFolder(language="en", episodes=rows, cast=store.story("b").cast.list()))
    report = store.story("b").import_folder(tmp_path / "f")
    assert (report.unchanged, report.new, report.cast_changed) == (["i3"], ["ep-4"], 0)
    assert not report.is_open
    store.sync()
    assert told(store, "b")[-1] == (4, "Ann left Ben.")


def test_a_sync_is_of_one_story(store: Kataribe) -> None:
    store.story("p").episodes.put(no=1, text="Ann hid the key from Ben.")
    store.story("b").episodes.put(no=3, text="Ben drowned the mill, and Ann saw it.")
    assert store.story("b").branches.origin().pending == (1, 3)
    assert store.story("b").sync().done == 1
    assert store.story("b").branches.origin().pending == (1,)
    assert store.story("p").sync().done == 1
    assert store.story("b").branches.origin().pending == ()


def test_a_backup_holds_branches(store: Kataribe, tmp_path: Path) -> None:
    before = everything(store, "b", VIEWERS, QUESTIONS, ids=True)
    store.admin.backup(tmp_path / "copy.db")
    with kataribe.open(str(tmp_path / "copy.db"), services=services()) as copy:
        copy.sync()
        assert everything(copy, "b", VIEWERS, QUESTIONS, ids=True) == before


def test_verify_misses_a_parent(store: Kataribe, tmp_path: Path) -> None:
    assert store.verify().problems == ()
    for column, value in (("fork_episode_id", "gone"), ("parent_id", "gone"), ("parent_id", "b")):
        old = sqlite3.connect(tmp_path / "k.db")
        with old:
            (kept,) = old.execute(f"SELECT {column} FROM stories WHERE story_id = 'b'").fetchone()
            old.execute(f"UPDATE stories SET {column} = ? WHERE story_id = 'b'", (value,))
        assert any("not there" in problem for problem in store.story("b").verify().problems)
        with pytest.raises(kataribe.StoreError):
            store.known(story="b", persona="ann", at=9)
        with old:
            old.execute(f"UPDATE stories SET {column} = ? WHERE story_id = 'b'", (kept,))
        old.close()
    meddler = sqlite3.connect(tmp_path / "k.db")
    with meddler:
        meddler.execute("UPDATE episodes SET no = 2 WHERE episode_id = 'i3'")
    meddler.close()
    assert any("not after the fork" in problem for problem in store.story("b").verify().problems)


def test_explanations_tell_each_part(store: Kataribe) -> None:
    found = store.recall("key", story="b", persona="ann", at=9, explain=True)
    assert found.explanation is not None
    assert found.explanation.slices == (
        "story:p world up to episode 2",
        "story:p ann up to episode 2",
        "story:b world up to episode 8",
        "story:b ann up to episode 8",
    )


def test_a_japanese_branch(tmp_path: Path) -> None:
    with kataribe.open(str(empty_store(tmp_path / "k.db")), services=services()) as store:
        store.story("銀河").create(language="ja", embedder="hash")
        name = Alias(text="ジョバンニ", kind=NameKind.NAME)
        store.story("銀河").cast.add(Character(character_id="ジョバンニ", aliases=(name,)))
        store.story("銀河").episodes.put(no=1, text="ジョバンニは活版所へ行った。")
        store.story("銀河").episodes.put(no=2, text="ジョバンニは銀河鉄道に乗った。")
        store.story("銀河").branches.add("もしも", after=1, title="乗らなかった夜")
        store.story("もしも").episodes.put(no=2, text="ジョバンニは牛乳を取りに行った。")
        store.sync()
        assert told(store, "もしも", who="ジョバンニ") == [
            (1, "ジョバンニは活版所へ行った。"),
            (2, "ジョバンニは牛乳を取りに行った。"),
        ]
        hits = store.recall("銀河鉄道", story="もしも", persona="ジョバンニ", at=9).hits
        assert all("銀河鉄道" not in hit.text for hit in hits)
        assert store.story("もしも").info().language == "ja"
