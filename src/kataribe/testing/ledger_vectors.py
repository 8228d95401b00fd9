"""What every ledger promises of vectors, and of the step to another embedder's."""

from __future__ import annotations

import numpy as np
import pytest

from kataribe.domain.ids import text_hash
from kataribe.errors import ConflictError
from kataribe.ports import Ledger
from kataribe.testing.ledger_world import (
    GAP,
    ODD,
    SPACES,
    a_memory,
    a_story,
    a_thing,
    a_vector,
    an_episode,
    gate_of,
    open_spaces,
    put_things,
    remember,
)


def _unit_vector(at: int) -> bytes:
    """Make a vector of four numbers, one of them 1."""
    vector: bytes = np.eye(4, dtype="<f4")[at].tobytes()
    return vector


class VectorsContract:
    """What every ledger promises of vectors, and of the step to another embedder's."""

    def test_vectors_already_made_are_known(self, ledger: Ledger) -> None:
        """By embedder and text, hidden ones too, and however many are asked for."""
        episode = an_episode(1)
        memories = [a_memory("s", episode, n) for n in range(3)]
        review = a_memory("s", episode, 3, holder="")
        with ledger.writing() as writing:
            writing.put_story(a_story())
            writing.put_episode("s", episode, order_key=GAP)
            remember(writing, "s", episode, [*memories, review], show=False)
        with ledger.reading() as reading:
            asked = [m.text_hash for m in (*memories, review)] + [f"unknown {n}" for n in range(3000)]
            wanted = {m.text_hash: a_vector(m) for m in memories}
            here = ("story:s",)
            assert reading.known_vectors(here, "any-1", asked) == wanted
            assert reading.known_vectors(here, "any-1", asked[1:2]) == {asked[1]: wanted[asked[1]]}
            assert reading.known_vectors(here, "other", asked) == {}
            assert reading.known_vectors(here, "any-1", []) == {}

    @pytest.mark.parametrize("space", SPACES)
    def test_vectors_are_known_in_their_spaces_alone(self, ledger: Ledger, space: str) -> None:
        """What was made for one user or story serves no other unless its space is asked."""
        told = a_thing(space, 1, text=ODD[2])
        with ledger.writing() as writing:
            open_spaces(writing)
            put_things(writing, [told])
        with ledger.reading() as reading:
            wanted = {told.text_hash: a_vector(told)}
            others = [other for other in SPACES if other != space]
            assert reading.known_vectors([space], "any-1", wanted) == wanted
            assert reading.known_vectors(SPACES, "any-1", wanted) == wanted
            assert reading.known_vectors(others, "any-1", wanted) == {}
            assert reading.known_vectors((), "any-1", wanted) == {}

    @pytest.mark.parametrize("space", SPACES)
    def test_what_has_no_vector_yet_is_found_by_words(self, ledger: Ledger, space: str) -> None:
        """It is like nothing, waits for its vector, and stands among others that have theirs."""
        with_one, without = a_thing(space, 1, 0, text="猫 が いる"), a_thing(space, 1, 1, text="a cat")
        gate = gate_of(space, "world")
        vector = np.frombuffer(a_vector(with_one), dtype="<f4")
        with ledger.writing() as writing:
            open_spaces(writing)
            put_things(writing, [with_one, without])
            unit = writing.units(space)[0]
            writing.replace_memories(
                space,
                unit,
                [with_one, without],
                terms={one.fact_id: one.text.split() for one in (with_one, without)},
                vectors={with_one.text_hash: a_vector(with_one)},
                embedder_id="any-1",
                shown=True,
            )
        with ledger.reading() as reading:
            found = {one.fact_id: one.score for one in reading.vectors.nearest(vector, gate=gate, top_k=9)}
            assert found == {with_one.fact_id: pytest.approx(1), without.fact_id: 0}
            (word,) = reading.keywords.matching(["cat"], gate=gate, top_k=9)
            assert word.fact_id == without.fact_id
            assert reading.vectors.similarities(vector, [word.key], gate=gate) == {word.key: 0}
            assert reading.vectors.vectors_of([word.key], gate=gate) == {}
            hashes = [with_one.text_hash, without.text_hash]
            assert set(reading.known_vectors((space,), "any-1", hashes)) == {with_one.text_hash}
            assert reading.unembedded(space, "any-1") == {without.text_hash: without.fact_id}

    @pytest.mark.parametrize("space", SPACES)
    def test_vectors_made_ahead_are_kept_by_space_and_embedder(self, ledger: Ledger, space: str) -> None:
        """And forgotten by both; what is put twice has its last value."""
        other = next(one for one in SPACES if one != space)
        with ledger.writing() as writing:
            open_spaces(writing)
            writing.stage_vectors(space, "a-1", {"x": b"1234", "y": b"5678"})
            writing.stage_vectors(space, "a-1", {"x": b"abcd"})
            writing.stage_vectors(space, "b-1", {"x": b"9999"})
            writing.stage_vectors(other, "a-1", {"x": b"else"})
        with ledger.writing() as writing:
            assert writing.staged_vectors(space, "a-1", ["x", "y", "z"]) == {"x": b"abcd", "y": b"5678"}
            writing.clear_staged(space, "a-1")
            assert writing.staged_vectors(space, "a-1", ["x", "y"]) == {}
            assert writing.staged_vectors(space, "b-1", ["x"]) == {"x": b"9999"}
            assert writing.staged_vectors(other, "a-1", ["x", "y"]) == {"x": b"else"}

    @pytest.mark.parametrize("space", SPACES)
    def test_what_has_no_vector_of_an_embedder_is_named(self, ledger: Ledger, space: str) -> None:
        """By text, once; what is hidden or in review is not waited for."""
        shown = [a_thing(space, 1, 0, text="猫"), a_thing(space, 1, 1, text="cat")]
        shown.append(a_thing(space, 1, 2, holder="ann", text="猫"))
        with ledger.writing() as writing:
            open_spaces(writing)
            put_things(writing, [*shown, a_thing(space, 1, 3, holder="", text="in review")])
            put_things(writing, [a_thing(space, 2, text="hidden")], shown=False)
            cat, neko = text_hash("cat"), text_hash("猫")
            assert writing.unembedded(space, "any-1") == {}
            assert writing.unembedded(space, "new-1") == {neko: "f1-0", cat: "f1-1"}
            writing.stage_vectors(space, "new-1", {neko: _unit_vector(0)})
            assert writing.unembedded(space, "new-1") == {cat: "f1-1"}
            other = next(one for one in SPACES if one != space)
            assert writing.unembedded(other, "new-1") == {}

    @pytest.mark.parametrize("space", SPACES)
    def test_a_space_goes_over_to_another_embedder(self, ledger: Ledger, space: str) -> None:
        """All that is shown, at once, for those too who read the old vectors; words are those it is given."""
        told = [a_thing(space, no, text=text) for no, text in ((1, "猫 が いる"), (2, "a cat"))]
        gate = gate_of(space, "world")
        with ledger.writing() as writing:
            open_spaces(writing)
            put_things(writing, [*told, a_thing(next(o for o in SPACES if o != space), 1)])
        with ledger.reading() as reading:
            assert reading.keywords.matching(("いぬ",), gate=gate, top_k=9) == ()
            assert len(reading.vectors.nearest(np.ones(8, dtype=np.float32), gate=gate, top_k=9)) == 2
        with ledger.writing() as writing:
            staged = {memory.text_hash: _unit_vector(at) for at, memory in enumerate(told)}
            writing.stage_vectors(space, "new-1", staged)
            terms = {one.key: ("いぬ", one.text) for one in writing.memories(space)}
            assert writing.switch_vectors(space, "new-1", terms) == 2
            writing.clear_staged(space, "new-1")
        with ledger.reading() as reading:
            for at, memory in enumerate(told):
                question = np.eye(4, dtype=np.float32)[at]
                found = reading.vectors.nearest(question, gate=gate, top_k=9)
                assert (found[0].fact_id, found[0].score) == (memory.fact_id, 1.0)
            assert reading.known_vectors([space], "new-1", staged) == staged
            assert reading.known_vectors([space], "any-1", staged) == {}
            assert reading.unembedded(space, "new-1") == {}
            assert len(reading.keywords.matching(("いぬ",), gate=gate, top_k=9)) == 2
            assert [one.fact_id for one in reading.keywords.matching(("a cat",), gate=gate, top_k=9)] == [
                told[1].fact_id
            ]
            assert reading.keywords.matching(("word",), gate=gate, top_k=9) == ()

    @pytest.mark.parametrize("space", SPACES)
    def test_a_space_does_not_go_over_by_half(self, ledger: Ledger, space: str) -> None:
        """When a vector is missing the step is refused, and nothing has changed."""
        told = [a_thing(space, no) for no in (1, 2)]
        with ledger.writing() as writing:
            open_spaces(writing)
            put_things(writing, told)
            writing.stage_vectors(space, "new-1", {told[0].text_hash: _unit_vector(0)})
        with pytest.raises(ConflictError), ledger.writing() as writing:
            writing.switch_vectors(space, "new-1", {})
        with ledger.reading() as reading:
            wanted = {one.text_hash: a_vector(one) for one in told}
            assert reading.known_vectors([space], "any-1", wanted) == wanted
            assert reading.unembedded(space, "new-1") == {told[1].text_hash: "f2-0"}
