"""What every ledger promises of memories, in every kind of space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from kataribe.domain.around import StorySentence, TextStretch
from kataribe.domain.filters import Filter, parse
from kataribe.domain.gate import DENY_ALL, Gate, Place, Slice
from kataribe.domain.memory import Memory, Reason
from kataribe.domain.story.inputs import Fact
from kataribe.domain.terms import PUBLIC, FactOrigin
from kataribe.ports import Ledger, View
from kataribe.testing.ledger_world import (
    ALWAYS,
    EXTRA,
    GAP,
    ODD,
    SPACES,
    a_branch,
    a_memory,
    a_story,
    a_thing,
    a_turn,
    an_episode,
    fill,
    gate_of,
    hide,
    open_spaces,
    plain,
    put_memories,
    put_things,
    remember,
    reveal,
    say,
    shown,
)


class MemoryContract:
    """What every ledger promises of memories, in every kind of space."""

    def test_memories_come_back_as_sent(self, ledger: Ledger) -> None:
        """Whole, in story order, with the number of their episode and a key of the store's own."""
        one, two = an_episode(1), an_episode(2, version=3)
        full = a_memory(
            "s",
            two,
            0,
            holder="氷室",
            origin=FactOrigin.EXTRACTED,
            reason=Reason.INNER,
            flagged=True,
            text=ODD[3],
            quote="text",
            quote_no=1,
            quote_span=(0, 4),
            importance=5,
            pinned=True,
            supersedes="f1-0",
            told_from="f1-1",
            extra=EXTRA,
        )
        review = a_memory("s", two, 1, holder="", reason=Reason.UNRECOGNISED)
        hand = a_memory("s", two, 2, origin=FactOrigin.HAND, version=0, place=0)
        early = [a_memory("s", one, n, place=9 - n) for n in (0, 1)]
        with ledger.writing() as writing:
            writing.put_story(a_story())
            for episode in (two, one):
                writing.put_episode("s", episode, order_key=episode.no * GAP)
            remember(writing, "s", two, [hand, review, full])
            remember(writing, "s", one, early)
        with ledger.reading() as reading:
            found = reading.memories("story:s")
            assert plain(found) == [early[1], early[0], full, review, hand]
            assert repr(plain(found)[2]) == repr(full)
            assert len({memory.key for memory in found}) == 5
            assert all(memory.key for memory in found)
            assert plain(reading.memories("story:s", unit="e1")) == [early[1], early[0]]
            assert plain(reading.memories("story:s", fact_id=full.fact_id)) == [full]
            assert reading.memories("story:s", unit="e1", fact_id=full.fact_id) == ()
            states = {**reading.memory_states("story:s", "e1"), **reading.memory_states("story:s", "e2")}
            assert set(states) == {m.memory_id for m in (*early, full, hand, review)}
            for memory in (*early, full, hand):
                state = states[memory.memory_id]
                assert (state.live, state.embedder_id, len(state.vector or b"")) == (True, "any-1", 32)
            waiting = states[review.memory_id]
            assert (waiting.live, waiting.embedder_id, waiting.vector) == (False, None, None)
            gate = Gate((Slice("story:s", "世", 9 * GAP), Slice("story:s", "氷室", 2 * GAP)))
            assert plain(reading.admitted(gate)) == [full]
            assert reading.successions(gate) == ((full.fact_id, "f1-0", (0, 2 * GAP)),)

    def test_nobody_is_given_what_waits_in_review(self, ledger: Ledger) -> None:
        """Not even one whose id is empty."""
        episode = an_episode(1)
        with ledger.writing() as writing:
            writing.put_story(a_story())
            writing.put_episode("s", episode, order_key=GAP)
            remember(writing, "s", episode, [a_memory("s", episode, holder="")])
            gate = Gate((Slice("story:s", "", 9 * GAP),))
            assert writing.admitted(gate) == ()
            assert writing.keywords.matching(("word",), gate=gate, top_k=9) == ()

    def test_gains_and_shares_are_of_what_is_live_or_in_review(self, ledger: Ledger) -> None:
        """Counted by holder and position, streamed in story order, cut at a position and by holder."""
        one, two = an_episode(1), an_episode(2)
        early = [a_memory("s", one, n, place=9 - n) for n in (0, 1)]
        secret = a_memory(
            "s", two, 0, holder="氷室", text=ODD[3], quote="text", quote_no=1, flagged=True, told_from="f1-0"
        )
        newer = a_memory("s", two, 1, holder="氷室", supersedes="f1-1", origin=FactOrigin.EXTRACTED)
        review = a_memory("s", two, 2, holder="", reason=Reason.UNRECOGNISED)
        with ledger.writing() as writing:
            for story_id in ("s", "other"):
                writing.put_story(a_story(story_id))
                for episode in (two, one):
                    writing.put_episode(story_id, episode, order_key=episode.no * GAP)
            remember(writing, "s", two, [secret, newer, review])
            remember(writing, "s", one, early)
            remember(writing, "other", one, [a_memory("other", one)])
        with ledger.reading() as reading:
            assert reading.gains("story:s") == (("", 2 * GAP, 1), ("world", GAP, 2), ("氷室", 2 * GAP, 2))
            assert reading.gains("story:nobody") == ()
            shares = list(reading.shares("story:s"))
            assert [s.fact_id for s in shares] == ["f1-1", "f1-0", "f2-0", "f2-1", "f2-2"]
            told = shares[2]
            assert (told.holder, told.position, told.episode_id) == ("氷室", 2 * GAP, "e2")
            assert (told.text, told.quote, told.quote_no, told.flagged) == (ODD[3], "text", 1, True)
            assert (told.told_from, told.supersedes, told.origin) == ("f1-0", None, FactOrigin.SUPPLIED)
            assert (shares[3].supersedes, shares[3].origin) == ("f1-1", FactOrigin.EXTRACTED)
            assert (shares[4].holder, shares[4].reason) == ("", Reason.UNRECOGNISED)
            assert [s.fact_id for s in reading.shares("story:s", upto=GAP)] == ["f1-1", "f1-0"]
            assert [s.fact_id for s in reading.shares("story:s", holders=["氷室"])] == ["f2-0", "f2-1"]
            assert list(reading.shares("story:s", holders=[])) == []
        with ledger.writing() as writing:
            hide(writing, "s", "e2")
            assert writing.gains("story:s") == (("", 2 * GAP, 1), ("world", GAP, 2))
            assert [s.fact_id for s in writing.shares("story:s")] == ["f1-1", "f1-0", "f2-2"]

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
            hide(writing, "s", "e1")
        with ledger.writing() as writing:
            assert seen(writing) == [{"f2-0", "f2-1"}] * 4
            assert [(s.wanted, s.visible) for s in writing.episode_states("s")] == [
                ("another print", False),
                ("print", True),
            ]
            assert writing.pending("s", 9, holders=()) == (1,)
            assert len(writing.memories("story:s")) == 4
            assert all(delta.deleted_at is not None for delta in writing.deltas("s", "e1"))
            reveal(writing, "s", "e1")
            assert seen(writing) == [{"f1-0", "f1-1", "f2-0", "f2-1"}] * 4
            assert all(delta.deleted_at is None for delta in writing.deltas("s", "e1"))
            assert writing.pending("s", 9, holders=()) == ()

    @pytest.mark.parametrize("space", SPACES)
    def test_what_is_put_in_a_space_comes_back(self, ledger: Ledger, space: str) -> None:
        """Whole, to its holders alone, by unit, by fact and by key, in every kind of space."""
        told = a_thing(space, 2, 0, holder="氷室", text=ODD[3], pinned=True, importance=5, arousal=0.5)
        told = replace(told, supersedes="f1-0", told_from="f1-1", extra=EXTRA)
        early = [a_thing(space, 1, n, place=9 - n) for n in (0, 1)]
        review = a_thing(space, 2, 1, holder="", reason=Reason.UNRECOGNISED)
        with ledger.writing() as writing:
            open_spaces(writing)
            put_things(writing, [told, *early, review])
        with ledger.reading() as reading:
            found = reading.memories(space)
            assert plain(found) == [early[1], early[0], told, review]
            assert repr(plain(found)[2]) == repr(told)
            assert plain(reading.memories(space, unit="e1")) == [early[1], early[0]]
            assert plain(reading.memories(space, fact_id=told.fact_id)) == [told]
            assert reading.memories(space, unit="e1", fact_id=told.fact_id) == ()
            assert reading.units(space) == ("e1", "e2")
            packed = {("world", "f1-0"): True, ("world", "f1-1"): True, ("氷室", "f2-0"): True}
            assert {**reading.packed(space, "e1"), **reading.packed(space, "e2")} == packed
            keys = {one.memory_id: one.key for one in found}
            own, both = gate_of(space, "氷室"), gate_of(space, "world", "氷室")
            assert plain(reading.admitted(own)) == [told]
            assert plain(reading.admitted(both)) == [early[1], early[0], told]
            assert plain(reading.admitted(both, keys=[keys[told.memory_id], keys[review.memory_id]])) == [
                told
            ]
            assert reading.admitted(both, keys=()) == reading.admitted(DENY_ALL) == ()
            trait = reading.traits(both, keys.values())[keys[told.memory_id]]
            assert (trait.fact_id, trait.holder, trait.position) == ("f2-0", "氷室", 2 * GAP)
            assert (trait.pinned, trait.text, trait.arousal, trait.space) == (True, ODD[3], 0.5, space)
            assert reading.traits(own, [keys[early[0].memory_id], keys[review.memory_id]]) == {}
            for other in set(SPACES) - {space}:
                assert reading.memories(other) == reading.admitted(gate_of(other, "world", "氷室")) == ()
                assert reading.units(other) == ()

    @pytest.mark.parametrize("space", SPACES)
    def test_the_future_is_never_found(self, ledger: Ledger, space: str) -> None:
        """By no question: not as a memory, a fact, a succession, a place, by words or by likeness."""
        told = [
            a_thing(space, no, 0, holder=who, memory_id=f"{who}{no}", fact_id=f"{who}{no}", supersedes="old")
            for no in (1, 2, 3)
            for who in ("world", "ann", "bob")
        ]
        with ledger.writing() as writing:
            open_spaces(writing)
            put_things(writing, told)
        for upto in (0, GAP - 1, GAP, 2 * GAP - 1, 2 * GAP, ALWAYS):
            for holders in (("world",), ("world", "ann"), ("bob",)):
                gate = gate_of(space, *holders, upto=upto)
                wanted = {
                    m.fact_id: (0, m.position) for m in told if m.holder in holders and m.position <= upto
                }
                with ledger.reading() as reading:
                    assert self._found(reading, gate, told) == [wanted] * 6, (upto, holders)

    @staticmethod
    def _found(reading: View, gate: Gate, told: Sequence[Memory]) -> list[dict[str, Place]]:
        keys = {memory.key: memory.fact_id for memory in reading.memories(told[0].space)}
        question = np.ones(8, dtype=np.float32)
        searches = (
            reading.vectors.nearest(question, gate=gate, top_k=99),
            reading.keywords.matching(("word",), gate=gate, top_k=99),
        )
        return [
            {one.fact_id: (0, one.position) for one in reading.admitted(gate)},
            dict(reading.admitted_facts(gate, [one.fact_id for one in told])),
            {new: place for new, old, place in reading.successions(gate) if old == "old"},
            {keys[key]: (trait.part, trait.position) for key, trait in reading.traits(gate, keys).items()},
            *({one.fact_id: (one.part, one.position) for one in found} for found in searches),
        ]

    @pytest.mark.parametrize("space", SPACES)
    def test_what_supersedes_what_is_told_inside_the_gate(self, ledger: Ledger, space: str) -> None:
        """In order of place, then of id, and of some facts alone where that is asked."""
        with ledger.writing() as writing:
            open_spaces(writing)
            put_things(
                writing,
                [
                    a_thing(space, 1, 0),
                    a_thing(space, 1, 1, supersedes="f1-0"),
                    a_thing(space, 2, 0, holder="ann", supersedes="f1-1"),
                    a_thing(space, 3, 0, supersedes="f1-1"),
                ],
            )
        with ledger.reading() as reading:
            world, ann = gate_of(space, "world"), gate_of(space, "world", "ann")
            first, hers, last = (
                ("f1-1", "f1-0", (0, GAP)),
                ("f2-0", "f1-1", (0, 2 * GAP)),
                ("f3-0", "f1-1", (0, 3 * GAP)),
            )
            assert reading.successions(world) == (first, last)
            assert reading.successions(ann) == (first, hers, last)
            assert reading.successions(gate_of(space, "world", "ann", upto=2 * GAP)) == (first, hers)
            assert reading.successions(ann, of=["f1-0"]) == (first,)
            assert reading.successions(ann, of=["f2-0", "nobody"]) == (hers,)
            assert reading.successions(world, of=["f2-0"]) == reading.successions(ann, of=()) == ()
            assert reading.admitted_facts(world, ["f1-0", "f2-0", "f3-0"]) == {
                "f1-0": (0, GAP),
                "f3-0": (0, 3 * GAP),
            }
            assert reading.admitted_facts(ann, ["f2-0"]) == {"f2-0": (0, 2 * GAP)}
            assert reading.admitted_facts(ann, []) == reading.admitted_facts(DENY_ALL, ["f1-0"]) == {}

    def test_sentences_of_a_stretch_are_those_the_gate_admits(self, ledger: Ledger) -> None:
        """In the order of the text, whoever made them; what is in other words is none."""
        words = "One.二つ。Three. Four."
        one, two = an_episode(1, words), an_episode(2)

        def told(index: int, start: int, end: int, **more: object) -> Memory:
            origin = more.pop("origin", FactOrigin.EXTRACTED)
            place = start if origin is FactOrigin.EXTRACTED else 0
            quote = words[start:end]
            spot = {"place": place, "quote": quote, "quote_span": (start, end), "text": quote}
            return a_memory("s", one, index, **{**spot, "origin": origin, **more})

        given = Fact(fact_id="f1-2", text="Three.", audience=PUBLIC, origin=FactOrigin.HAND, quote="Three.")
        own = replace(given, fact_id="f1-3", text="In other words.", quote="Four.")
        with ledger.writing() as writing:
            writing.put_story(a_story())
            for episode in (one, two):
                writing.put_episode("s", episode, order_key=episode.no * GAP)
            writing.put_facts("s", "e1", [given, own])
            rows = [
                told(0, 0, 4),
                told(1, 4, 7, holder="ann"),
                told(2, 7, 13, origin=FactOrigin.HAND, importance=5),
                told(3, 14, 19, origin=FactOrigin.HAND, text="In other words."),
                told(4, 14, 19, holder="bob"),
                told(5, 14, 19, holder=""),
                told(6, 0, 4, holder="ann", quote_span=None, quote_no=2, place=0),
            ]
            remember(writing, "s", one, rows)
            remember(writing, "s", two, [a_memory("s", two, quote="text", quote_span=(0, 4))])
        whole = TextStretch("story:s", "e1", GAP, 0, 99)
        some = TextStretch("story:s", "e1", GAP, 4, 14)
        with ledger.reading() as reading:
            gate = gate_of("story:s", "world", "ann")

            def found(gate: Gate, *asked: TextStretch, where: Filter | None = None) -> dict[TextStretch, str]:
                told = reading.sentences(gate, asked, where=where)
                return {here: " ".join(one.text for one in ones) for here, ones in told.items()}

            assert found(gate, whole, some) == {whole: "One. 二つ。 Three.", some: "二つ。 Three."}
            assert found(gate_of("story:s", "world"), some) == {some: "Three."}
            assert found(gate_of("story:s", "ann", "bob"), whole) == {whole: "二つ。 Four."}
            assert found(gate_of("story:s", ""), whole) == found(DENY_ALL, whole) == found(gate) == {}
            assert found(Gate((Slice("story:s", "world", GAP - 1),)), whole) == {}
            assert found(gate, whole, where=parse({"importance": {"$gt": 4}})) == {whole: "Three."}
            (first, *_) = reading.sentences(gate, [whole])[whole]
            assert first == StorySentence("story:s", "world", GAP, "e1", "f1-0", 0, 4, "One.")
        with ledger.writing() as writing:
            hide(writing, "s", "e1")
            assert writing.sentences(gate, [whole, some]) == {}

    def test_spaces_of_all_kinds_are_read_together(self, ledger: Ledger) -> None:
        """In the order of the parts of the gate, whatever their positions mean."""
        gate = Gate(tuple(Slice(space, "world", 2 * GAP, at) for at, space in enumerate(SPACES)))
        with ledger.writing() as writing:
            open_spaces(writing)
            for at, space in enumerate(SPACES):
                for no in (1, 3 - at):
                    one = f"{at}-{no}"
                    thing = a_thing(space, no, memory_id=one, fact_id=one, supersedes="x", text=f"text {one}")
                    put_things(writing, [thing])
        with ledger.reading() as reading:
            named = ["0-1", "1-1", "1-2", "2-1"]
            places = [(0, GAP), (1, GAP), (1, 2 * GAP), (2, GAP)]
            assert shown(reading, gate) == named
            assert reading.places(gate) == tuple(places)
            assert reading.successions(gate) == tuple(
                (fact_id, "x", place) for fact_id, place in zip(named, places, strict=True)
            )
            assert reading.admitted_facts(gate, [*named, "0-3"]) == dict(zip(named, places, strict=True))
            found = reading.keywords.matching(("word",), gate=gate, top_k=9)
            assert sorted((one.part, one.position) for one in found) == places

    @pytest.mark.parametrize("space", SPACES)
    def test_a_unit_is_shown_and_hidden(self, ledger: Ledger, space: str) -> None:
        """What is hidden is found by no viewer; what is in review is not shown by it."""
        told = [a_thing(space, no) for no in (1, 2)]
        review = a_thing(space, 1, 1, holder="")
        with ledger.writing() as writing:
            open_spaces(writing)
            put_things(writing, [*told, review])
            before = self._found(writing, gate_of(space, "world", ""), told)
            writing.show(space, {"e1": False})
            assert (
                self._found(writing, gate_of(space, "world", ""), told)
                == [{"f2-0": (0, 2 * GAP)}] * 2 + [{}] + [{"f2-0": (0, 2 * GAP)}] * 3
            )
            assert writing.packed(space, "e1") == {("world", "f1-0"): False}
            assert len(writing.memories(space)) == 3
            writing.show(space, {"e1": True, "e2": True})
            assert self._found(writing, gate_of(space, "world", ""), told) == before
            assert writing.gains(space) == (("", GAP, 1), ("world", GAP, 1), ("world", 2 * GAP, 1))
            put_things(writing, told[:1], shown=False)
            assert shown(writing, gate_of(space, "world")) == ["f2-0"]

    @pytest.mark.parametrize("space", SPACES)
    def test_a_unit_is_replaced_whole(self, ledger: Ledger, space: str) -> None:
        """And another unit is left as it is; put twice is once."""
        with ledger.writing() as writing:
            open_spaces(writing)
            put_things(writing, [a_thing(space, 1, 0), a_thing(space, 1, 1, holder="ann"), a_thing(space, 2)])
        for _ in range(2):
            new = [a_thing(space, 1, 1), a_thing(space, 1, 2, holder="bob", text="新しい words")]
            with ledger.writing() as writing:
                put_things(writing, new)
            with ledger.reading() as reading:
                assert plain(reading.memories(space)) == [*new, a_thing(space, 2)]
                assert shown(reading, gate_of(space, "world", "ann", "bob")) == ["f1-1", "f1-2", "f2-0"]
                assert reading.packed(space, "e1") == {("bob", "f1-2"): True, ("world", "f1-1"): True}
        assert ledger.problems() == ()

    @pytest.mark.parametrize("space", SPACES)
    def test_units_are_forgotten(self, ledger: Ledger, space: str) -> None:
        """Some, or all of a space; other spaces stay."""
        with ledger.writing() as writing:
            open_spaces(writing)
            put_things(writing, [a_thing(each, no) for each in SPACES for no in (1, 2, 3)])
        with ledger.reading() as reading:
            assert len(reading.keywords.matching(("word",), gate=gate_of(space, "world"), top_k=9)) == 3
        with ledger.writing() as writing:
            writing.forget_units(space, ["e2", "never there"])
        with ledger.reading() as reading:
            assert reading.units(space) == ("e1", "e3")
            assert len(reading.keywords.matching(("word",), gate=gate_of(space, "world"), top_k=9)) == 2
        with ledger.writing() as writing:
            writing.forget_units(space)
        with ledger.reading() as reading:
            assert (reading.memories(space), reading.units(space)) == ((), ())
            assert reading.keywords.matching(("word",), gate=gate_of(space, "world"), top_k=9) == ()
            assert all(len(reading.memories(other)) == 3 for other in SPACES if other != space)

    @pytest.mark.parametrize("space", SPACES)
    def test_what_is_taken_out_leaves_the_rest_of_its_unit(self, ledger: Ledger, space: str) -> None:
        """Found by words and by likeness, with the counts of a store that never held the other."""
        texts = ("銀河 鉄道 の 夜", "night on the railway", "鉄道 鉄道 railway", "夜 night")
        told = [a_thing(space, 1, n, text=text) for n, text in enumerate(texts)]
        told += [a_thing(space, 1, n, holder="ann", memory_id=f"ann{n}", text=texts[n]) for n in (1, 2)]
        kept = [one for one in told if one.fact_id != "f1-2"]
        gate, question = gate_of(space, "world", "ann"), np.ones(8, dtype=np.float32)

        def asked(reading: View) -> list[list[tuple[str, str, float]]]:
            words = (["鉄道"], ["railway"], ["night", "夜"], ["word"], ["f1-2"])
            found = [reading.keywords.matching(each, gate=gate, top_k=9) for each in words]
            found.append(reading.vectors.nearest(question, gate=gate, top_k=9))
            return [[(one.fact_id, one.holder, one.score) for one in each] for each in found]

        with ledger.writing() as writing:
            open_spaces(writing)
            put_things(writing, told)
        with ledger.reading() as reading:
            assert "f1-2" in {fact_id for fact_id, _, _ in asked(reading)[0]}
        with ledger.writing() as writing:
            writing.take_out(space, ["f1-2", "never there"])
            assert {one.memory_id for one in writing.memories(space)} == {one.memory_id for one in kept}
        with ledger.reading() as reading:
            after = asked(reading)
            states = dict(reading.memory_states(space, "e1"))
            assert {fact_id for _, fact_id in reading.packed(space, "e1")} == {one.fact_id for one in kept}
        with ledger.writing() as writing:
            writing.forget_units(space)
            put_things(writing, kept)
        with ledger.reading() as reading:
            assert asked(reading) == after
            assert reading.memory_states(space, "e1") == states
        assert after[-2] == []
        assert len(after[-1]) == len(kept)
        assert ledger.problems() == ()

    @pytest.mark.parametrize("space", SPACES)
    def test_the_last_of_a_unit_can_be_taken_out(self, ledger: Ledger, space: str) -> None:
        """Nothing is left of the unit."""
        with ledger.writing() as writing:
            open_spaces(writing)
            put_things(writing, [a_thing(space, 1), a_thing(space, 2)])
            writing.take_out(space, ["f1-0"])
            assert writing.units(space) == ("e2",)
            assert (writing.packed(space, "e1"), writing.memory_states(space, "e1")) == ({}, {})
            assert shown(writing, gate_of(space, "world")) == ["f2-0"]

    @pytest.mark.parametrize("space", SPACES)
    def test_a_share_belongs_to_its_unit(self, ledger: Ledger, space: str) -> None:
        """A holder's own share is looked at with the unit, and is replaced and hidden by itself."""
        with ledger.writing() as writing:
            open_spaces(writing)
            own = a_thing(space, 1, 1, holder="ann")
            put_memories(writing, space, "e1", [a_thing(space, 1, 0)])
            put_memories(writing, space, "e1:ann", [own])
            put_memories(writing, space, "e10", [a_thing(space, 3, 0)])
            assert [one.fact_id for one in writing.memories(space, unit="e1")] == ["f1-0", "f1-1"]
            assert set(writing.memory_states(space, "e1")) == {"e1/1/0", "e1/1/1"}
            assert set(writing.packed(space, "e1")) == {("world", "f1-0"), ("ann", "f1-1")}
            assert writing.units(space) == ("e1", "e10", "e1:ann")
            writing.show(space, {"e1": False})
            assert shown(writing, gate_of(space, "world", "ann")) == ["f1-1", "f3-0"]
            put_memories(writing, space, "e1", [])
            assert plain(writing.memories(space, unit="e1")) == [own]

    @pytest.mark.parametrize("space", SPACES)
    def test_sweeping_leaves_what_has_its_episode_or_turn(self, ledger: Ledger, space: str) -> None:
        """In every kind of space; what has none goes."""
        with ledger.writing() as writing:
            open_spaces(writing)
            if space == SPACES[0]:
                put_things(writing, [a_thing(space, 1), a_thing(space, 2)])
                put_memories(writing, space, "e9", [a_thing(space, 3)])
            else:
                say(writing, space, [a_turn(1), a_turn(2)])
                put_things(writing, [a_thing(space, 3)])
            before = [one for one in writing.memories(space) if one.fact_id != "f3-0"]
            writing.sweep()
            assert list(writing.memories(space)) == before
            assert len(before) == 2
            assert {fact for unit in writing.units(space) for _, fact in writing.packed(space, unit)} == {
                one.fact_id for one in before
            }
