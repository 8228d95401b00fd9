"""What changing one thing does to the others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kataribe.domain.gate import Gate, Slice
from kataribe.domain.story import (
    PUBLIC,
    Address,
    Alias,
    Annotation,
    Annotations,
    Character,
    Description,
    Episode,
    Fact,
    Suppression,
    known_by,
)
from kataribe.errors import StoreError
from kataribe.ports import Ledger, View
from kataribe.testing.ledger_world import (
    GAP,
    a_branch,
    a_memory,
    a_story,
    an_episode,
    everything,
    fill,
    remember,
)


class LedgerChanges:
    """What changing one thing does to the others."""

    def test_a_story_gone_takes_everything_along(self, ledger: Ledger) -> None:
        """And leaves other stories as they were."""
        with ledger.writing() as writing:
            fill(writing, "s")
            fill(writing, "other")
        with ledger.reading() as reading:
            other = everything(reading, "other")
            hashes = [memory.text_hash for memory in reading.memories("s")]
        with ledger.writing() as writing:
            writing.delete_story("s")
        with ledger.reading() as reading:
            assert not any(everything(reading, "s").values())
            assert reading.known_vectors("any-1", hashes) == {}
            assert everything(reading, "other") == other
            assert [story.story_id for story in reading.stories()] == ["other"]
        with ledger.writing() as writing:
            fill(writing, "s")
            assert len(writing.memories("s")) == 4
        assert ledger.problems() == ()

    def test_branches_are_found_and_follow_a_rename(self, ledger: Ledger) -> None:
        """By id; a branch of a branch is the branch's, not the root's."""
        with ledger.writing() as writing:
            fill(writing)
            a_branch(writing, "z", "s", 1)
            a_branch(writing, "c", "s", 2)
            a_branch(writing, "deep", "c", 2)
            assert [story.story_id for story in writing.branches("s")] == ["c", "z"]
            assert writing.branches("c") == (a_story("deep", parent="c", fork_episode_id="e2"),)
            assert writing.branches("deep") == writing.branches("nobody") == ()
            writing.rename_story("s", "new")
            assert [story.parent for story in writing.branches("new")] == ["new", "new"]
            assert writing.branches("s") == ()

    def test_a_cap_leaves_later_episodes_out(self, ledger: Ledger) -> None:
        """Whatever is asked; the episode at the cap is in."""
        with ledger.writing() as writing:
            fill(writing)
            writing.put_mentions("s", "e2", ["ann", "bob"])
            writing.put_mentions("s", "e1", ["ben"])
            writing.set_inputs("s", "e1", notes_hash="n", rows_hash="r", annotated=False)
            writing.set_wanted("s", {}, {"e1": False, "e2": False})
            asked = [
                (
                    writing.upto("s", 9, cap=cap),
                    writing.pending("s", 9, cap=cap),
                    sorted(writing.live_texts("s", [1, 2], cap=cap)),
                    dict(writing.mentioned("s", cap=cap)),
                    writing.first_annotated("s", cap=cap),
                )
                for cap in (None, 2 * GAP, 2 * GAP - 1, GAP, GAP - 1)
            ]
        everyone = {"ann": 2, "ben": 1, "bob": 2}
        both = (2 * GAP, (1, 2), [1, 2], everyone, 2)
        first = (GAP, (1,), [1], {"ben": 1}, None)
        assert asked == [both, both, first, first, (None, (), [], {}, None)]

    def test_a_gate_of_two_spaces_is_told_in_its_parts(self, ledger: Ledger) -> None:
        """What is admitted stands in the order of the parts, however low a position is."""
        gate = Gate((Slice("story:s", "world", 2 * GAP, 0), Slice("story:b", "world", GAP, 1)))
        with ledger.writing() as writing:
            fill(writing)
            a_branch(writing, "b", "s", 2)
            assert [m.fact_id for m in writing.admitted(gate)] == ["f1-0", "f2-0", "own"]
            assert writing.successions(gate) == (("own", "f1-0", (1, 1)),)
            for end in ("own", "f1-0"):
                assert writing.successions(gate, of=["f2-0", end]) == writing.successions(gate)
            assert writing.successions(gate, of=["f2-0"]) == writing.successions(gate, of=()) == ()
            assert writing.admitted_facts(gate, ["f1-0", "f2-0", "own", "f1-1"]) == {
                "f1-0": (0, GAP),
                "f2-0": (0, 2 * GAP),
                "own": (1, 1),
            }

    def test_a_copied_episode_is_the_same_but_for_its_memories(self, ledger: Ledger) -> None:
        """Its inputs, versions and extraction; the one it is copied from stays as it was."""
        with ledger.writing() as writing:
            fill(writing)
            writing.put_episode("s", an_episode(1, "new text", version=2), order_key=GAP)
            before = everything(writing, "s")
            writing.put_story(a_story("t"))
            writing.copy_episode("s", "e1", "t", order_key=7)
            assert everything(writing, "s") == before
            (copied,) = writing.episode_states("t")
            assert (copied.order_key, copied.visible, copied.wanted) == (7, False, "")
            for ask in ("episode", "versions", "annotations", "facts", "suppressions", "pins"):
                assert getattr(writing, ask)("t", "e1") == getattr(writing, ask)("s", "e1"), ask
            assert (
                writing.extraction("t", "e1", "print") == writing.extraction("s", "e1", "print") is not None
            )
            assert writing.named_by("t", "e1") == {"ann"}
            assert writing.memories("t") == ()
            assert [d.facts for d in writing.deltas("t", "e1")] == [
                d.facts for d in writing.deltas("s", "e1")
            ]
            assert all(delta.deleted_at is not None for delta in writing.deltas("t", "e1"))
            writing.delete_story("s")
            assert writing.episode("t", "e1") == an_episode(1, "new text", version=2)
        assert ledger.problems() == ()

    def test_a_renamed_story_takes_everything_along(self, ledger: Ledger) -> None:
        """Its memories are found in the new space and nowhere else."""
        with ledger.writing() as writing:
            fill(writing, "s")
            fill(writing, "other")
            before, other = everything(writing, "s"), everything(writing, "other")
            writing.rename_story("s", "new")
        with ledger.reading() as reading:
            assert not any(everything(reading, "s").values())
            after = everything(reading, "new")
            assert everything(reading, "other") == other
        for found in (before, after):
            found.pop("story")
            found["states"] = [replace(s, story_id="") for s in found["states"]]  # type: ignore[attr-defined]
            found["traces"] = [replace(t, story="") for t in found["traces"]]  # type: ignore[attr-defined]
            for name in ("memories", "admitted"):
                found[name] = [replace(m, space="") for m in found[name]]  # type: ignore[attr-defined]
        assert after == before
        assert after["admitted"]
        assert after["near"]
        assert ledger.problems() == ()
        with ledger.writing() as writing:
            writing.delete_story("new")
            assert not any(everything(writing, "new").values())

    def test_a_renamed_character_is_renamed_wherever_it_is_named(self, ledger: Ledger) -> None:
        """In cast, facts, annotations, decisions, mentions and addresses; whole ids only."""
        secret = Address(since=1, audience=known_by("an", "ann"))
        with ledger.writing() as writing:
            writing.put_story(a_story())
            writing.put_character("s", Character(character_id="ann", aliases=(Alias(text="A"),)))
            bob = Character(character_id="bob", aliases=(Alias(text="B", address=secret),))
            writing.put_character("s", bob)
            writing.put_episode("s", an_episode(1), order_key=GAP)
            rows = (Annotation(audience=known_by("ann", "bob")), Annotation(audience=known_by("annie")))
            writing.put_annotations("s", "e1", Annotations(rows=rows))
            writing.put_facts("s", "e1", [Fact(fact_id="f", text="x", audience=known_by("ann", "an"))])
            writing.put_suppressions("s", "e1", [Suppression(holder="ann", text_hash="h")])
            writing.put_mentions("s", "e1", ["ann", "bob"])
            writing.rename_character("s", "ann", "%_\"'")
        new = "%_\"'"
        with ledger.reading() as reading:
            first, second = reading.characters("s")
            assert (first.character_id, first.aliases) == (new, (Alias(text="A"),))
            assert second.aliases[0].address.audience == known_by("an", new)
            found = reading.annotations("s", "e1").rows
            assert [row.audience for row in found] == [known_by(new, "bob"), known_by("annie")]
            assert reading.facts("s")[0][1].audience == known_by("an", new)
            assert reading.suppressions("s", "e1") == (Suppression(holder=new, text_hash="h"),)
            assert reading.mentioned("s") == {new: 1, "bob": 1}

    def test_numbers_can_be_swapped(self, ledger: Ledger) -> None:
        """With their order keys, and memories go along."""
        with ledger.writing() as writing:
            fill(writing)
            third = an_episode(3)
            writing.put_episode("s", third, order_key=3 * GAP)
            writing.set_numbers("s", {"e1": 2, "e2": 1}, {"e1": 2 * GAP, "e2": GAP})
        with ledger.reading() as reading:
            states = reading.episode_states("s")
            assert [(s.episode_id, s.no, s.order_key) for s in states] == [
                ("e2", 1, GAP),
                ("e1", 2, 2 * GAP),
                ("e3", 3, 3 * GAP),
            ]
            assert [(m.episode_id, m.episode_no, m.position) for m in reading.memories("s")] == [
                *[("e2", 1, GAP)] * 2,
                *[("e1", 2, 2 * GAP)] * 2,
            ]
            gate = Gate((Slice("story:s", "world", GAP),))
            assert [m.episode_id for m in reading.admitted(gate)] == ["e2"]

    def test_numbers_can_all_move_on(self, ledger: Ledger) -> None:
        """Making room moves numbers alone; keys and memories stay where they are."""
        with ledger.writing() as writing:
            fill(writing)
            writing.set_numbers("s", {"e1": 2, "e2": 3}, {})
            assert [(s.no, s.order_key) for s in writing.episode_states("s")] == [(2, GAP), (3, 2 * GAP)]
            assert [(m.episode_no, m.position) for m in writing.memories("s")] == [
                *[(2, GAP)] * 2,
                *[(3, 2 * GAP)] * 2,
            ]
            assert (writing.upto("s", 1), writing.upto("s", 2), writing.upto("s", 9)) == (None, GAP, 2 * GAP)
            assert writing.live_texts("s", [1, 2, 3, 4]) == {2: "text of 1", 3: "text of 2"}

    def test_references_follow_the_numbers_they_name(self, ledger: Ledger) -> None:
        """Aliases, descriptions and quotes; the start stays the start."""
        sinces = (0, 1, 2, 3)
        person = Character(
            character_id="ann",
            aliases=tuple(Alias(text=f"a{n}", address=Address(since=n)) for n in sinces),
            descriptions=(Description(text="d", address=Address(since=2)),),
        )
        episode = an_episode(1)
        with ledger.writing() as writing:
            for story_id in ("s", "other"):
                writing.put_story(a_story(story_id))
                writing.put_character(story_id, person)
                writing.put_episode(story_id, episode, order_key=GAP)
            told = [
                Fact(fact_id=f"f{n}", text="x", quote="q", quote_no=n, audience=PUBLIC) for n in (1, 2, 3)
            ]
            own = Fact(fact_id="own", text="x", quote="q", audience=PUBLIC)
            writing.put_facts("s", "e1", [*told, own])
            memories = [a_memory("s", episode, n, quote="q", quote_no=n or None) for n in range(4)]
            remember(writing, "s", episode, memories)
            writing.shift_references("s", {1: 2, 2: 3})
        with ledger.reading() as reading:
            (found,) = reading.characters("s")
            assert [alias.address.since for alias in found.aliases] == [0, 2, 3, 3]
            assert found.descriptions[0].address.since == 3
            quoted = {fact.fact_id: fact.quote_no for _, fact in reading.facts("s")}
            assert quoted == {"f1": 2, "f2": 3, "f3": 3, "own": None}
            assert [m.quote_no for m in reading.memories("s")] == [None, 2, 3, 3]
            assert reading.characters("other") == (person,)

    def test_no_references_to_shift_is_no_error(self, ledger: Ledger) -> None:
        """Nothing changes."""
        with ledger.writing() as writing:
            fill(writing)
            before = everything(writing, "s")
            writing.shift_references("s", {})
            assert everything(writing, "s") == before

    def test_memories_are_shown_and_hidden(self, ledger: Ledger) -> None:
        """What is hidden is found by no viewer, and is there for the author."""
        gate = Gate((Slice("story:s", "world", 9 * GAP), Slice("story:s", "ann", 9 * GAP)))
        question = np.ones(8, dtype=np.float32)

        def seen(reading: View) -> list[set[str]]:
            searches = (
                reading.vectors.nearest(question, gate=gate, top_k=9),
                reading.keywords.matching(("word",), gate=gate, top_k=9),
            )
            return [
                {m.fact_id for m in reading.admitted(gate)},
                *({c.fact_id for c in found} for found in searches),
                set(reading.admitted_facts(gate, ["f1-0", "f1-1", "f2-0", "f2-1"])),
            ]

        with ledger.writing() as writing:
            fill(writing)
            assert seen(writing) == [{"f1-0", "f1-1", "f2-0", "f2-1"}] * 4
            writing.set_wanted("s", {"e2": "wanted"}, {"e1": False})
        with ledger.writing() as writing:
            assert seen(writing) == [{"f2-0", "f2-1"}] * 4
            assert [(s.wanted, s.visible) for s in writing.episode_states("s")] == [
                ("", False),
                ("wanted", True),
            ]
            assert writing.pending("s", 9) == (1,)
            assert len(writing.memories("s")) == 4
            assert all(delta.deleted_at is not None for delta in writing.deltas("s", "e1"))
            writing.set_wanted("s", {}, {"e1": True})
            assert seen(writing) == [{"f1-0", "f1-1", "f2-0", "f2-1"}] * 4
            assert all(delta.deleted_at is None for delta in writing.deltas("s", "e1"))
            assert writing.pending("s", 9) == ()

    def test_deleted_episodes_are_kept_but_lead_nowhere(self, ledger: Ledger) -> None:
        """They give no position, no text and no pending number, and can come back."""
        with ledger.writing() as writing:
            fill(writing)
            writing.set_deleted("s", "e2", "2001-02-03")
            writing.set_wanted("s", {}, {"e2": False})
            assert writing.upto("s", 9) == GAP
            assert writing.live_texts("s", [1, 2]) == {1: "text of 1"}
            assert writing.pending("s", 9) == ()
            assert writing.episode_states("s")[1].deleted_at == "2001-02-03"
            assert writing.episode("s", "e2") == an_episode(2, deleted_at="2001-02-03")
            new = Episode(episode_id="new", no=2, text="in its place")
            writing.put_episode("s", new, order_key=3 * GAP)
            assert writing.live_texts("s", [2]) == {2: "in its place"}
            writing.set_numbers("s", {"new": 3}, {})
            writing.set_deleted("s", "e2", None)
            assert writing.live_texts("s", [2, 3]) == {2: "text of 2", 3: "in its place"}

    def test_two_live_episodes_of_one_number_are_refused(self, ledger: Ledger) -> None:
        """And so is an unknown story's episode; nothing has changed."""
        with ledger.writing() as writing:
            fill(writing)
            before = everything(writing, "s")
        twin = Episode(episode_id="twin", no=2, text="x")
        for story_id in ("s", "unknown"):
            with pytest.raises(StoreError), ledger.writing() as writing:  # noqa: PT012
                writing.put_story(a_story("third"))
                writing.put_episode(story_id, twin, order_key=9 * GAP)
        with ledger.reading() as reading:
            assert everything(reading, "s") == before
            assert reading.story("third") is None
