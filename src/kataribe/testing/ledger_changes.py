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
from kataribe.ports import Ledger, Reading
from kataribe.testing.ledger_world import GAP, a_memory, a_story, an_episode, everything, fill, remember


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

        def seen(reading: Reading) -> list[set[str]]:
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
