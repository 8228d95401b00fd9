"""What every ledger promises of a story's episodes and what is decided of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kataribe.domain.gate import Gate, Slice
from kataribe.domain.story.inputs import (
    Address,
    Alias,
    Annotation,
    Annotations,
    Character,
    Description,
    Episode,
    Fact,
)
from kataribe.domain.terms import PUBLIC, FactSource, known_by
from kataribe.errors import StoreError
from kataribe.ports import Ledger
from kataribe.testing.ledger_world import (
    EXTRA,
    GAP,
    a_memory,
    a_story,
    an_episode,
    everything,
    fill,
    hide,
    remember,
)


class EpisodesContract:
    """What every ledger promises of a story's episodes and what is decided of them."""

    def test_episodes_come_back_as_sent(self, ledger: Ledger) -> None:
        """In the order of their numbers; a new version joins the old ones."""
        full = an_episode(
            2,
            "一行目\r\n二行目",
            title="題",
            fact_source=FactSource.SUPPLIED,
            paragraph_ids=(("p1", "一行目"), ("p1", "二行目")),
            extra=EXTRA,
        )
        bare = an_episode(1, "")
        newer = replace(bare, version=2, text="new", title="new")
        with ledger.writing() as writing:
            writing.put_story(a_story())
            writing.put_episode("s", full, order_key=2 * GAP)
            writing.put_episode("s", bare, order_key=GAP)
            writing.put_episode("s", newer, order_key=GAP)
        with ledger.reading() as reading:
            assert reading.episode("s", "e2") == full
            assert repr(reading.episode("s", "e2")) == repr(full)
            assert reading.episode("s", "e1") == newer
            states = reading.episode_states("s")
            assert [(s.episode_id, s.no, s.order_key, s.version) for s in states] == [
                ("e1", 1, GAP, 2),
                ("e2", 2, 2 * GAP, 1),
            ]
            assert [s.fact_source for s in states] == [FactSource.EXTRACTED, FactSource.SUPPLIED]
            assert [(s.wanted, s.visible, s.deleted_at, s.annotated) for s in states] == [
                ("", False, None, False)
            ] * 2
            assert [(v.version, v.text, v.title) for v in reading.versions("s", "e1")] == [
                (1, "", None),
                (2, "new", "new"),
            ]
            assert all(v.created_at for v in reading.versions("s", "e1"))

    def test_paragraphs_begin_where_the_text_or_its_author_says(self, ledger: Ledger) -> None:
        """And elsewhere once the text has changed."""
        lines = an_episode(1, "一行目。\n\n  二行目。\nA line that\nruns on.")
        cut = an_episode(
            2, "一行目。二行目。三行目。", paragraph_ids=(("a", "一行目。"), ("b", "二行目。三行目。"))
        )
        with ledger.writing() as writing:
            writing.put_story(a_story())
            for episode in (lines, cut):
                writing.put_episode("s", episode, order_key=episode.no * GAP)
        with ledger.reading() as reading:
            found = reading.paragraph_starts("s", ["e1", "e2", "e9"])
            assert {name: list(starts) for name, starts in found.items()} == {"e1": [0, 8, 13], "e2": [0, 4]}
            assert reading.paragraph_starts("s", []) == {}
        with ledger.writing() as writing:
            writing.put_episode("s", replace(lines, version=2, text="\n一行目。"), order_key=GAP)
        with ledger.reading() as reading:
            found = reading.paragraph_starts("s", ["e1", "e2"])
            assert {name: list(starts) for name, starts in found.items()} == {"e1": [1], "e2": [0, 4]}

    def test_annotations_come_back_as_sent(self, ledger: Ledger) -> None:
        """Rows in order, twins counted in, with what stood there; replaced as a whole."""
        row = Annotation(audience=known_by("ann", "氷室"), paragraph_id="p", paragraph_hash="h", extra=EXTRA)
        decided = Annotation(audience=known_by("ann"), paragraph_hash="h", decided=0)
        given = Annotations(rows=(row, Annotation(audience=PUBLIC), row, decided), base=("h", "h", "k"))
        with ledger.writing() as writing:
            writing.put_story(a_story())
            writing.put_episode("s", an_episode(1), order_key=GAP)
            writing.put_annotations("s", "e1", given)
            writing.set_inputs("s", "e1", notes_hash="notes", rows_hash="rows", annotated=True)
        with ledger.writing() as writing:
            assert writing.annotations("s", "e1") == given
            (state,) = writing.episode_states("s")
            assert (state.notes_hash, state.rows_hash, state.annotated) == ("notes", "rows", True)
            writing.put_annotations("s", "e1", Annotations(base=("k",)))
            assert writing.annotations("s", "e1") == Annotations(base=("k",))

    def test_a_cap_leaves_later_episodes_out(self, ledger: Ledger) -> None:
        """Whatever is asked; the episode at the cap is in."""
        with ledger.writing() as writing:
            fill(writing)
            writing.put_mentions("s", "e2", ["ann", "bob"])
            writing.put_mentions("s", "e1", ["ben"])
            writing.set_inputs("s", "e1", notes_hash="n", rows_hash="r", annotated=False)
            hide(writing, "s", "e1", "e2")
            asked = [
                (
                    writing.upto("s", 9, cap=cap),
                    writing.pending("s", 9, holders=(), cap=cap),
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

    def test_the_last_number_is_that_of_a_live_episode_unless_deleted_ones_are_asked_for(
        self, ledger: Ledger
    ) -> None:
        """A cap leaves later ones out of both."""
        with ledger.writing() as writing:
            writing.put_story(a_story())
            assert writing.last_no("s") is None
            assert writing.last_no("s", deleted=True) is None
            for no in (1, 3, 7):
                writing.put_episode("s", an_episode(no), order_key=no * GAP)
            assert writing.last_no("s") == 7
            writing.set_deleted("s", "e7", "2024-01-01T00:00:00+00:00")
            asked = [
                (writing.last_no("s", cap=cap), writing.last_no("s", cap=cap, deleted=True))
                for cap in (None, 7 * GAP, 7 * GAP - 1, GAP, GAP - 1)
            ]
        assert asked == [(3, 7), (3, 7), (3, 3), (1, 1), (None, None)]

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
            assert writing.memories("story:t") == ()
            assert [d.facts for d in writing.deltas("t", "e1")] == [
                d.facts for d in writing.deltas("s", "e1")
            ]
            assert all(delta.deleted_at is not None for delta in writing.deltas("t", "e1"))
            writing.delete_story("s")
            assert writing.episode("t", "e1") == an_episode(1, "new text", version=2)
        assert ledger.problems() == ()

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
            assert [(m.episode_id, m.episode_no, m.position) for m in reading.memories("story:s")] == [
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
            assert [(m.episode_no, m.position) for m in writing.memories("story:s")] == [
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
            assert [m.quote_no for m in reading.memories("story:s")] == [None, 2, 3, 3]
            assert reading.characters("other") == (person,)

    def test_no_references_to_shift_is_no_error(self, ledger: Ledger) -> None:
        """Nothing changes."""
        with ledger.writing() as writing:
            fill(writing)
            before = everything(writing, "s")
            writing.shift_references("s", {})
            assert everything(writing, "s") == before

    def test_deleted_episodes_are_kept_but_lead_nowhere(self, ledger: Ledger) -> None:
        """They give no position, no text and no pending number, and can come back."""
        with ledger.writing() as writing:
            fill(writing)
            writing.set_deleted("s", "e2", "2001-02-03")
            hide(writing, "s", "e2")
            assert writing.upto("s", 9) == GAP
            assert writing.live_texts("s", [1, 2]) == {1: "text of 1"}
            assert writing.pending("s", 9, holders=()) == ()
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
