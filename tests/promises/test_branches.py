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
from kataribe.face import Kataribe
from kataribe.formats.folder import write_folder
from kataribe.testing.fakes import CountingEmbedder
from support.model import everything, without_places
from support.stores import empty_store, engines

VIEWERS = [(who, at) for who in ("ann", "ben", "stranger") for at in (1, 2, 3, 4, 5, 99)]
QUESTIONS = ("Where is the key?", "Who burned the mill?")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Kataribe]:
    """A parent `p` of four episodes and a branch `b` after the second."""
    with kataribe.open(str(empty_store(tmp_path / "k.db")), engines=engines()) as made:
        made.add_story("p", language="en", embedder="hash")
        for who, name in (("ann", "Ann"), ("ben", "Ben")):
            alias = Alias(text=name, kind=NameKind.NAME)
            made.add_character("p", Character(character_id=who, aliases=(alias,)))
        for no in (1, 2, 3, 4):
            made.put_episode("p", no=no, text=f"Ann carried the key of day {no} to Ben.", episode_id=f"e{no}")
        made.add_branch("b", of="p", after=2)
        made.put_episode("b", no=3, text="Ben burned the mill, and Ann saw it.", episode_id="i3")
        made.sync()
        yield made


def told(store: Kataribe, story: str, at: int = 99, who: str = "ann") -> list[tuple[int, str]]:
    hits = store.known(story_id=story, character=who, at=at).hits
    return [(hit.episode_no, hit.text) for hit in hits]


def day(no: int) -> str:
    return f"Ann carried the key of day {no} to Ben."


BURNED = "Ben burned the mill, and Ann saw it."


def numbers(store: Kataribe, story: str) -> list[tuple[int, str]]:
    return [(e.no, e.episode_id) for e in store.episodes(story) if e.is_live]


# -- what is read --------------------------------------------------------------------------


def test_s1_6_a_branch_reads_the_parent_up_to_the_fork_then_its_own(store: Kataribe) -> None:
    assert told(store, "b") == [(1, day(1)), (2, day(2)), (3, BURNED)]
    assert told(store, "p") == [(no, day(no)) for no in (1, 2, 3, 4)]
    assert told(store, "b", at=3) == [(1, day(1)), (2, day(2))]
    assert told(store, "b", at=1) == []


def test_edits_before_the_fork_show_through_and_later_ones_do_not(store: Kataribe) -> None:
    before = everything(store, "b", VIEWERS, QUESTIONS, ids=True)
    store.put_episode("p", no=3, text="Ann lost the key to Ben in the well.")
    store.put_episode("p", no=5, text="Ann burned the key with Ben.")
    store.delete_episode("p", no=4)
    assert everything(store, "b", VIEWERS, QUESTIONS, ids=True) == before, "nothing is pending either"
    store.sync()
    assert everything(store, "b", VIEWERS, QUESTIONS, ids=True) == before
    store.put_episode("p", no=2, text="Ann hid the key from Ben.")
    assert told(store, "b") == [(1, day(1)), (3, BURNED)]
    assert store.known(story_id="b", character="ann", at=3).pending_episodes == (2,)
    assert store.known(story_id="b", character="ann", at=2).pending_episodes == ()
    store.sync("p")
    assert told(store, "b") == [(1, day(1)), (2, "Ann hid the key from Ben."), (3, BURNED)]


def test_a_branch_of_a_branch_reads_both(store: Kataribe) -> None:
    store.put_episode("b", no=4, text="Ann told Ben of the ashes.", episode_id="i4")
    made = store.add_branch("c", of="b", after=3)
    assert (made.parent, made.fork_episode_id) == ("b", "i3")
    store.put_episode("c", no=4, text="Ann left Ben.", episode_id="j4")
    store.sync()
    assert told(store, "c") == [(1, day(1)), (2, day(2)), (3, BURNED), (4, "Ann left Ben.")]
    assert store.branch("c").lineage == ("p", "b", "c")
    assert "Ann left Ben." not in dict(told(store, "b")).values()


def test_a_branch_after_an_inherited_episode_is_one_of_its_owner(store: Kataribe) -> None:
    made = store.add_branch("c", of="b", after=1)
    assert (made.parent, made.fork_episode_id) == ("p", "e1")
    assert told(store, "c") == [(1, day(1))]
    with pytest.raises(kataribe.NotFoundError):
        store.add_branch("d", of="b", after=9)
    with pytest.raises(kataribe.ConflictError):
        store.add_branch("b", of="p", after=1)
    with pytest.raises(kataribe.NotFoundError):
        store.add_branch("d", of="nobody", after=1)


def test_siblings_do_not_see_each_other(store: Kataribe) -> None:
    before = everything(store, "b", VIEWERS, QUESTIONS, ids=True)
    store.add_branch("c", of="p", after=2)
    store.add_character("c", Character(character_id="dora", aliases=(Alias(text="the key"),)))
    store.put_episode("c", no=3, text="Ann gave the key to Ben and Dora.")
    store.sync()
    assert everything(store, "b", VIEWERS, QUESTIONS, ids=True) == before
    assert not store.known(story_id="b", character="dora", at=9).in_cast
    assert store.known(story_id="c", character="dora", at=9).in_cast


def test_who_is_named_after_the_fork_is_not_in_the_branch(store: Kataribe) -> None:
    store.add_fact("p", episode_no=2, text="Seen early.", audience=known_by("early"))
    store.add_fact("p", episode_no=3, text="Seen late.", audience=known_by("late"))
    assert [c.character_id for c in store.cast("b")] == ["ann", "ben", "early"]
    assert [c.character_id for c in store.cast("p")] == ["ann", "ben", "early", "late"]
    for who, seen in (("early", True), ("late", False)):
        assert store.known(story_id="b", character=who, at=99).in_cast is seen
        assert store.known(story_id="p", character=who, at=99).in_cast
    assert not store.known(story_id="b", character="early", at=2).in_cast
    store.add_fact("b", episode_no=3, text="Seen otherwise.", audience=known_by("late"))
    assert store.known(story_id="b", character="late", at=4).in_cast
    store.rename_character("p", "late", "latest")
    store.sync()
    assert told(store, "b", who="late")[-1] == (3, "Seen otherwise.")
    store.rename_character("p", "early", "earliest")
    assert store.known(story_id="b", character="earliest", at=99).in_cast


def test_an_annotation_after_the_fork_closes_nothing_in_the_branch(tmp_path: Path) -> None:
    """A story without cast and annotations is everybody's; so is a branch of one that is up to the fork."""
    with kataribe.open(str(empty_store(tmp_path / "k.db")), engines=engines()) as store:
        store.add_story("p", language="en", embedder="hash")
        store.put_episode("p", no=1, text="The mill stood still.")
        store.add_branch("b", of="p", after=1)
        store.put_episode("b", no=3, text="The mill turned.")
        store.put_episode("p", no=2, text="[[known-by: public]] The mill burned.")
        store.sync()
        assert told(store, "b", who="anybody") == [(1, "The mill stood still."), (3, "The mill turned.")]
        store.put_episode("p", no=1, text="[[known-by: public]] The mill stood still.")
        store.sync()
        assert told(store, "b", who="anybody") == [(1, "The mill stood still.")]
        assert store.verify().problems == ()


def test_a_deleted_fork_episode_keeps_its_place(store: Kataribe) -> None:
    store.delete_episode("p", no=2)
    store.sync()
    assert told(store, "b") == [(1, day(1)), (3, BURNED)]
    store.put_episode("p", no=2, text="Ann ran from Ben.", episode_id="new")
    store.sync()
    assert told(store, "b") == [(1, day(1)), (3, BURNED)], "what came after the fork is the parent's alone"
    with pytest.raises(kataribe.NotFoundError):
        store.episode("b", no=2)
    assert store.episode("p", no=2).text == "Ann ran from Ben."


def test_ties_go_by_the_story(tmp_path: Path, store: Kataribe) -> None:
    """The branch's own third episode comes last; where age counts, the newest first."""
    for no in (1, 2, 3):
        story = "b" if no == 3 else "p"
        store.add_fact(story, episode_no=no, text="The key is under the stone.")
    asked: dict[str, Any] = {"story_id": "b", "character": "ann", "at": 9, "top_k": 3}
    for share, wanted in ((0.0, [1, 2, 3]), (1.0, [3, 2, 1])):
        policy = replace(DEFAULT_RECALL, recency_share=share, duplicate_similarity=0)
        with kataribe.open(str(tmp_path / "k.db"), engines=replace(engines(), recall_policy=policy)) as made:
            hits = made.recall("key under the stone", **asked).hits
            assert [hit.episode_no for hit in hits] == wanted


def test_a_later_fact_of_the_branch_replaces_one_of_the_parent(store: Kataribe) -> None:
    old = store.add_fact("p", episode_no=2, text="The key is under the stone.")
    new = store.add_fact("b", episode_no=3, text="The key is in the ashes.", supersedes=old)
    marked = {h.fact_id: h.superseded_by for h in store.known(story_id="b", character="ann", at=9).hits}
    assert marked[old] == new
    assert old not in {
        h.fact_id for h in store.recall("the key", story_id="b", character="ann", at=9, top_k=50).hits
    }
    assert old in {
        h.fact_id for h in store.recall("the key", story_id="p", character="ann", at=9, top_k=50).hits
    }


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
    store.import_story(tmp_path / "p", story_id="p")
    own = FactRow(fact_id="own", episode_no=4, audience=PUBLIC, text="A mark.", quote="the mill", quote_no=3)
    late = EpisodeRow(episode_id="i4", no=4, text="Ann wept before Ben.")
    write_folder(tmp_path / "b", StoryFolder(language="en", episodes=(late,), facts=(own,)))
    store.import_story(tmp_path / "b", story_id="b")
    store.sync()
    quotes = {h.fact_id: h.quote for h in store.known(story_id="b", character="ann", at=99).hits}
    assert (quotes["q2"], quotes["q3"], quotes["own"]) == ("day 2", None, "the mill")
    assert {h.fact_id: h.quote for h in store.known(story_id="p", character="ann", at=99).hits}[
        "q3"
    ] == "day 3"


# -- numbers -------------------------------------------------------------------------------


def test_inherited_numbers_are_refused_with_the_place_to_edit(store: Kataribe, tmp_path: Path) -> None:
    folder = StoryFolder(language="en", episodes=(EpisodeRow(no=2, text="x"),))
    write_folder(tmp_path / "f", folder)
    before = everything(store, "b", VIEWERS, QUESTIONS, ids=True)
    refused: list[Callable[[], object]] = [
        lambda: store.put_episode("b", no=2, text="x"),
        lambda: store.insert_episode("b", no=1, text="x"),
        lambda: store.renumber_episode("b", no=3, to=2),
        lambda: store.renumber_episode("b", no=2, to=5),
        lambda: store.restore_episode("b", no=2),
        lambda: store.delete_episode("b", no=1),
        lambda: store.add_fact("b", episode_no=2, text="x"),
        lambda: store.import_story(tmp_path / "f", story_id="b"),
    ]
    for verb in refused:
        with pytest.raises(kataribe.ConflictError, match="'p'"):
            verb()
    assert everything(store, "b", VIEWERS, QUESTIONS, ids=True) == before


def test_facts_of_the_parent_are_refused_with_the_place_to_edit(store: Kataribe) -> None:
    made = store.add_fact("p", episode_no=1, text="The key is old.")
    extracted = next(f.fact_id for f in store.facts("b") if f.episode_no == 2)
    for fact_id in (made, extracted):
        for verb in (
            lambda f: store.edit_fact("b", f, kataribe.FactEdit(text="x")),
            lambda f: store.pin_fact("b", f),
            lambda f: store.delete_fact("b", f),
        ):
            with pytest.raises(kataribe.ConflictError, match="'p'"):
                verb(fact_id)
    later = store.add_fact("p", episode_no=4, text="The key is lost.")
    with pytest.raises(kataribe.NotFoundError):
        store.delete_fact("b", later)


def test_inherited_episodes_read_through(store: Kataribe) -> None:
    assert store.episode("b", no=2).text == day(2)
    assert len(store.history("b", no=2)) == 1
    owners = [(e.no, e.story_id) for e in store.episodes("b")]
    assert owners == [(1, "p"), (2, "p"), (3, "b")]
    assert next((f.episode_no, f.space) for f in store.facts("b")) == (1, "story:p")
    assert {f.episode_no for f in store.facts("b", episode_no=2)} == {2}
    with pytest.raises(kataribe.NotFoundError):
        store.episode("b", no=4)


def test_own_episodes_keep_their_distance_to_the_fork(store: Kataribe) -> None:
    store.put_episode("b", no=6, text="Ann slept near Ben.", episode_id="i6")
    store.delete_episode("b", no=6)
    store.add_branch("c", of="b", after=3)
    store.put_episode("c", no=4, text="Ben slept near Ann.", episode_id="j4")
    store.insert_episode("p", no=1, text="Before all, Ann met Ben.", episode_id="e0")
    assert numbers(store, "b") == [(1, "e0"), (2, "e1"), (3, "e2"), (4, "i3")]
    assert store.restore_episode("b", no=7) == "i6"
    assert numbers(store, "c")[-2:] == [(4, "i3"), (5, "j4")]
    assert store.branch("b").after == 3
    store.insert_episode("p", no=4, text="Ann stood by Ben.")
    assert numbers(store, "b")[-2:] == [(4, "i3"), (7, "i6")], "after the fork nothing follows"
    store.renumber_episode("p", no=3, to=9)
    assert numbers(store, "b")[-2:] == [(10, "i3"), (13, "i6")]
    assert numbers(store, "c")[-1] == (11, "j4")
    assert store.verify().problems == ()
    store.sync()
    assert [no for no, _ in told(store, "c")] == [no for no, _ in numbers(store, "c")]


def test_what_names_a_number_in_the_branch_follows(store: Kataribe) -> None:
    for since, text in ((2, "the Bearer"), (3, "the Witness")):
        alias = Alias(text=text, address=Address(since=since))
        store.edit_character("b", "ann", kataribe.CastEdit(add_aliases=(alias,)))
    store.insert_episode("p", no=2, text="Between, Ann met Ben.")
    shifted = {a.text: a.address.since for a in store.character("b", "ann").aliases}
    assert shifted == {"Ann": 0, "the Bearer": 3, "the Witness": 4}
    store.renumber_episode("p", no=1, to=9)
    assert {a.text: a.address.since for a in store.character("b", "ann").aliases} == shifted


def test_an_episode_that_moves_over_the_fork_leaves_or_joins_the_branch(store: Kataribe) -> None:
    store.renumber_episode("p", no=1, to=9)
    assert numbers(store, "b") == [(2, "e2"), (3, "i3")]
    store.renumber_episode("p", no=4, to=1)
    store.sync()
    assert told(store, "b") == [(1, day(4)), (2, day(2)), (3, BURNED)]


def test_ids_are_one_familys(store: Kataribe, tmp_path: Path) -> None:
    for story, taken in (("b", "e4"), ("p", "i3")):
        with pytest.raises(kataribe.ConflictError, match=taken):
            store.put_episode(story, no=7, text="x", episode_id=taken)
        with pytest.raises(kataribe.ConflictError, match=taken):
            store.insert_episode(story, no=4, text="x", episode_id=taken)
        write_folder(
            tmp_path / story,
            StoryFolder(language="en", episodes=(EpisodeRow(episode_id=taken, no=7, text="x"),)),
        )
        with pytest.raises(kataribe.ConflictError, match=taken):
            store.import_story(tmp_path / story, story_id=story)
    assert store.put_episode("p", no=5, text="x").episode_id == "ep-5"
    assert store.put_episode("b", no=5, text="x").episode_id == "ep-5-2"
    assert store.put_episode("p", no=6, text="x").episode_id == "ep-6"
    store.add_story("other", language="en", embedder="hash")
    assert store.put_episode("other", no=5, text="x", episode_id="i3").episode_id == "i3"


# -- cast ----------------------------------------------------------------------------------


def test_the_cast_is_copied_when_it_is_written(store: Kataribe) -> None:
    store.edit_character("b", "ann", kataribe.CastEdit(add_aliases=(Alias(text="the Witness"),)))
    store.add_character("b", Character(character_id="dora"))
    store.add_branch("c", of="b", after=3)
    assert [c.character_id for c in store.cast("p")] == ["ann", "ben"]
    assert [c.character_id for c in store.cast("b")] == ["ann", "ben", "dora"]
    for story, wanted in (("p", ["Ann"]), ("b", ["Ann", "the Witness"]), ("c", ["Ann", "the Witness"])):
        assert [a.text for a in store.character(story, "ann").aliases] == wanted
    store.edit_character("p", "ann", kataribe.CastEdit(name="Anna"))
    store.edit_character("p", "ben", kataribe.CastEdit(name="Benjamin"))
    assert [a.text for a in store.character("b", "ann").aliases] == ["Ann", "the Witness"]
    assert [a.text for a in store.character("b", "ben").aliases] == ["Benjamin"]
    with pytest.raises(kataribe.ConflictError):
        store.add_character("b", Character(character_id="ben"))


def test_names_of_the_parents_future_are_not_seen(store: Kataribe) -> None:
    hyde = Alias(text="the Burner", address=Address(since=3))
    fork = Alias(text="the Bearer", address=Address(since=2))
    before = everything(store, "b", VIEWERS, ("the Burner",), ids=True)
    store.edit_character("p", "ann", kataribe.CastEdit(add_aliases=(hyde,)))
    store.sync()
    assert [a.text for a in store.character("b", "ann").aliases] == ["Ann"]
    assert everything(store, "b", VIEWERS, ("the Burner",), ids=True) == before
    store.edit_character("p", "ann", kataribe.CastEdit(add_aliases=(fork,)))
    assert [a.text for a in store.character("b", "ann").aliases] == ["Ann", "the Bearer"]


def test_a_rename_is_done_in_the_parent_and_goes_down(store: Kataribe) -> None:
    store.add_fact("b", episode_no=3, text="A secret.", audience=known_by("ann"))
    store.add_branch("c", of="b", after=3)
    store.edit_character("c", "ann", kataribe.CastEdit(add_aliases=(Alias(text="Annie"),)))
    for verb in (
        lambda: store.rename_character("c", "ann", "anna"),
        lambda: store.delete_character("b", "ann"),
        lambda: store.delete_character("c", "ann"),
    ):
        with pytest.raises(kataribe.ConflictError, match="'p'"):
            verb()
    store.rename_character("p", "ann", "anna")
    store.sync()
    for story in ("p", "b", "c"):
        assert "ann" not in {c.character_id for c in store.cast(story)}
        assert store.known(story_id=story, character="anna", at=99).in_cast
    assert (3, "A secret.") in told(store, "b", who="anna")
    assert [a.text for a in store.character("c", "anna").aliases] == ["Ann", "Annie"]
    store.add_character("b", Character(character_id="dora"))
    with pytest.raises(kataribe.ConflictError, match="'b'"):
        store.rename_character("p", "ben", "dora")
    store.rename_character("b", "dora", "thea")
    assert "thea" in {c.character_id for c in store.cast("c")} - {c.character_id for c in store.cast("p")}


def test_the_parents_cast_makes_the_branch_stale(store: Kataribe) -> None:
    """An extraction is of the cast by then: what the branch's text says of her changes with it."""
    store.add_character("p", Character(character_id="cleo", aliases=(Alias(text="the mill"),)))
    (own,) = (e for e in store.episodes("b") if e.story_id == "b")
    assert not own.visible
    assert (3, BURNED) not in told(store, "b")
    store.sync("b")
    assert store.verify("b").problems == ()


# -- stories -------------------------------------------------------------------------------


def test_a_parent_with_branches_is_not_deleted(store: Kataribe) -> None:
    with pytest.raises(kataribe.ConflictError, match="b"):
        store.delete_story("p")
    store.rename_story("p", "canon")
    assert store.story("b").parent == "canon"
    assert told(store, "b")[0] == (1, day(1))
    store.rename_story("b", "what if")
    assert told(store, "what if")[-1] == (3, BURNED)
    store.delete_story("what if")
    store.delete_story("canon")
    assert store.stories() == ()


def test_engines_are_the_familys(store: Kataribe, tmp_path: Path) -> None:
    made = store.add_branch("c", of="b", after=3)
    parent = store.story("p")
    assert (made.language, made.embedder, made.extractor_id) == (
        parent.language,
        parent.embedder,
        parent.extractor_id,
    )
    other_id = "hash-2"
    other = _Renamed(engines().embedder("hash"))
    newer = replace(engines(), embedder=lambda _: other)
    store.add_story("alone", language="en", embedder="hash")
    with kataribe.open(str(tmp_path / "k.db"), engines=newer) as again:
        again.rebuild("b")
        assert {s.story_id: s.embedder_id for s in again.stories()} == {
            "p": other_id,
            "b": other_id,
            "c": other_id,
            "alone": "hash-1",
        }
        assert told(again, "b") == [(1, day(1)), (2, day(2)), (3, BURNED)]
        again.recall("key", story_id="b", character="ann", at=9)
        assert again.verify("b").problems == ()


class _Renamed(CountingEmbedder):
    """An embedder of another name."""

    @property
    def embedder_id(self) -> str:
        return "hash-2"


def test_detaching_changes_nothing_but_the_ties(store: Kataribe, tmp_path: Path) -> None:
    store.add_fact("p", episode_no=1, text="The key is old.", audience=known_by("ann"))
    store.pin_fact("p", next(f.fact_id for f in store.facts("p") if f.episode_no == 2))
    store.put_episode("p", no=1, text="Ann carried the old key to Ben. Ben frowned.")
    store.sync()
    store.delete_fact("p", next(f.fact_id for f in store.facts("p") if f.text == "Ben frowned."))
    store.add_branch("c", of="b", after=3)
    store.put_episode("c", no=4, text="Ann left Ben.")
    store.sync()
    before = {s: without_places(everything(store, s, VIEWERS, QUESTIONS, ids=True)) for s in ("b", "c", "p")}
    looked = store.history("b", no=1)
    store.detach_branch("b")
    assert store.story("b").parent is None
    after = {s: without_places(everything(store, s, VIEWERS, QUESTIONS, ids=True)) for s in ("b", "c", "p")}
    assert after == before
    assert [(h.version, h.text, h.created_at) for h in store.history("b", no=1)] == [
        (h.version, h.text, h.created_at) for h in looked
    ]
    assert store.verify().problems == ()
    assert store.sync().done == 0, "nothing was left to make"
    store.put_episode("p", no=1, text="Nothing of this was so.")
    store.edit_character("p", "ann", kataribe.CastEdit(name="Anna"))
    store.put_episode("b", no=1, text=store.episode("b", no=1).text)
    for s in ("b", "c"):
        assert without_places(everything(store, s, VIEWERS, QUESTIONS, ids=True)) == before[s]
    with pytest.raises(kataribe.ConflictError):
        store.detach_branch("b")
    store.sync()
    store.delete_story("p")


def test_detaching_embeds_nothing(tmp_path: Path) -> None:
    embedder = CountingEmbedder(engines().embedder("hash"))
    given = replace(engines(), embedder=lambda _: embedder)
    with kataribe.open(str(empty_store(tmp_path / "k.db")), engines=given) as store:
        store.add_story("p", language="en", embedder="hash")
        store.put_episode("p", no=1, text="Ann walked.")
        store.sync()
        store.add_branch("b", of="p", after=1)
        before = len(embedder.documents)
        store.detach_branch("b")
        assert [hit.text for hit in store.known(story_id="b", character="ann", at=9).hits] == ["Ann walked."]
        assert len(embedder.documents) == before


def test_an_exported_branch_stands_by_itself(store: Kataribe, tmp_path: Path) -> None:
    store.edit_character(
        "p", "ann", kataribe.CastEdit(add_aliases=(Alias(text="late", address=Address(since=4)),))
    )
    store.add_character("b", Character(character_id="dora", aliases=(Alias(text="Dora"),)))
    store.sync()
    store.export_story(tmp_path / "out", story_id="b")
    with kataribe.open(str(empty_store(tmp_path / "other.db")), engines=engines()) as other:
        other.import_story(tmp_path / "out", story_id="b")
        other.sync()
        there, here = (everything(each, "b", VIEWERS, QUESTIONS, ids=True) for each in (other, store))
        assert without_places(there) == without_places(here)
        assert [c.character_id for c in other.cast("b")] == ["ann", "ben", "dora"]
        assert [a.text for a in other.character("b", "ann").aliases] == ["Ann"]


def test_an_import_into_a_branch_is_of_its_own_episodes(store: Kataribe, tmp_path: Path) -> None:
    rows = (EpisodeRow(no=3, text=BURNED), EpisodeRow(no=4, text="Ann left Ben."))
    write_folder(tmp_path / "f", StoryFolder(language="en", episodes=rows, cast=store.cast("b")))
    report = store.import_story(tmp_path / "f", story_id="b")
    assert (report.unchanged, report.new, report.cast_changed) == (["i3"], ["ep-4"], 0)
    assert not report.is_open
    store.sync()
    assert told(store, "b")[-1] == (4, "Ann left Ben.")


def test_a_sync_is_of_one_story(store: Kataribe) -> None:
    store.put_episode("p", no=1, text="Ann hid the key from Ben.")
    store.put_episode("b", no=3, text="Ben drowned the mill, and Ann saw it.")
    assert store.branch("b").pending == (1, 3)
    assert store.sync("b").done == 1
    assert store.branch("b").pending == (1,)
    assert store.sync("p").done == 1
    assert store.branch("b").pending == ()


def test_a_backup_holds_branches(store: Kataribe, tmp_path: Path) -> None:
    before = everything(store, "b", VIEWERS, QUESTIONS, ids=True)
    store.backup(tmp_path / "copy.db")
    with kataribe.open(str(tmp_path / "copy.db"), engines=engines()) as copy:
        copy.sync()
        assert everything(copy, "b", VIEWERS, QUESTIONS, ids=True) == before


def test_verify_misses_a_parent(store: Kataribe, tmp_path: Path) -> None:
    assert store.verify().problems == ()
    for column, value in (("fork_episode_id", "gone"), ("parent_id", "gone"), ("parent_id", "b")):
        old = sqlite3.connect(tmp_path / "k.db")
        with old:
            (kept,) = old.execute(f"SELECT {column} FROM stories WHERE story_id = 'b'").fetchone()
            old.execute(f"UPDATE stories SET {column} = ? WHERE story_id = 'b'", (value,))
        assert any("not there" in problem for problem in store.verify("b").problems)
        with pytest.raises(kataribe.StoreError):
            store.known(story_id="b", character="ann", at=9)
        with old:
            old.execute(f"UPDATE stories SET {column} = ? WHERE story_id = 'b'", (kept,))
        old.close()
    meddler = sqlite3.connect(tmp_path / "k.db")
    with meddler:
        meddler.execute("UPDATE episodes SET no = 2 WHERE episode_id = 'i3'")
    meddler.close()
    assert any("not after the fork" in problem for problem in store.verify("b").problems)


def test_explanations_tell_each_part(store: Kataribe) -> None:
    found = store.recall("key", story_id="b", character="ann", at=9, explain=True)
    assert found.explanation is not None
    assert found.explanation.slices == (
        "story:p world up to episode 2",
        "story:p ann up to episode 2",
        "story:b world up to episode 8",
        "story:b ann up to episode 8",
    )


def test_a_japanese_branch(tmp_path: Path) -> None:
    with kataribe.open(str(empty_store(tmp_path / "k.db")), engines=engines()) as store:
        store.add_story("銀河", language="ja", embedder="hash")
        name = Alias(text="ジョバンニ", kind=NameKind.NAME)
        store.add_character("銀河", Character(character_id="ジョバンニ", aliases=(name,)))
        store.put_episode("銀河", no=1, text="ジョバンニは活版所へ行った。")
        store.put_episode("銀河", no=2, text="ジョバンニは銀河鉄道に乗った。")
        store.add_branch("もしも", of="銀河", after=1, title="乗らなかった夜")
        store.put_episode("もしも", no=2, text="ジョバンニは牛乳を取りに行った。")
        store.sync()
        assert told(store, "もしも", who="ジョバンニ") == [
            (1, "ジョバンニは活版所へ行った。"),
            (2, "ジョバンニは牛乳を取りに行った。"),
        ]
        hits = store.recall("銀河鉄道", story_id="もしも", character="ジョバンニ", at=9).hits
        assert all("銀河鉄道" not in hit.text for hit in hits)
        assert store.story("もしも").language == "ja"
