"""What every ledger promises of the feeding of an index outside it."""

from __future__ import annotations

import numpy as np
import pytest

from kataribe.domain.feeding import UNFED, FedUnit
from kataribe.ports import Ledger, Transaction, View
from kataribe.testing.ledger_world import (
    GAP,
    SPACES,
    a_thing,
    a_vector,
    gate_of,
    open_spaces,
    put_things,
    unit_of,
)

INDEX = "any-index"


def feed(writing: Transaction, space: str, *, index_id: str = INDEX) -> None:
    """Record that all of a space was fed."""
    state = writing.feed_state(index_id, space)
    assert state is not None
    for unit, revision in writing.lagging_units(index_id, space).items():
        ids = tuple(one.entry_id for one in writing.entries_of(space, unit, revision=revision))
        fed = FedUnit(collection=state.collection, unit=unit, revision=revision, ids=ids)
        writing.put_fed(index_id, fed)
    assert writing.settle_feed(index_id, space, upto=state.revision)


def lags(view: View, space: str, *, index_id: str = INDEX) -> list[str]:
    """Name what lags of a space."""
    return list(view.lagging_units(index_id, space))


class FeedingContract:
    """What every ledger promises of the feeding of an index outside it."""

    @pytest.mark.parametrize("space", SPACES)
    def test_what_was_never_fed_lags(self, ledger: Ledger, space: str) -> None:
        """All of it, for each index by itself, under a name that tells nothing of the space."""
        with ledger.writing() as writing:
            open_spaces(writing)
            put_things(writing, [a_thing(space, 1), a_thing(space, 2)])
        with ledger.reading() as view:
            state = view.feed_state(INDEX, space)
            assert state is not None
            assert (state.fed_upto, state.dimensions) == (UNFED, 8)
            assert not any(word in state.collection for word in (":", "story", "user", "talk"))
            assert lags(view, space) == [unit_of(1), unit_of(2)]
            assert view.feed_state(INDEX, "story:nowhere") is None
            assert view.lagging_units(INDEX, "story:nowhere") == {}

    @pytest.mark.parametrize("space", SPACES)
    def test_what_changes_after_it_was_fed_lags_alone(self, ledger: Ledger, space: str) -> None:
        """What is hidden, replaced or forgotten; other spaces and other indexes stand by themselves."""
        other = next(one for one in SPACES if one != space)
        with ledger.writing() as writing:
            open_spaces(writing)
            put_things(writing, [a_thing(space, 1), a_thing(space, 2), a_thing(space, 3), a_thing(other, 1)])
        with ledger.writing() as writing:
            feed(writing, space)
        with ledger.reading() as view:
            assert lags(view, space) == []
            assert lags(view, other) == [unit_of(1)]
            assert len(lags(view, space, index_id="another")) == 3
        with ledger.writing() as writing:
            put_things(writing, [a_thing(space, 1, text="another")])
            writing.show(space, {unit_of(2): False})
            writing.forget_units(space, [unit_of(3)])
        with ledger.writing() as writing:
            assert lags(writing, space) == [unit_of(1), unit_of(2), unit_of(3)]
            assert [len(writing.entries_of(space, unit_of(no), revision=1)) for no in (1, 2, 3)] == [1, 0, 0]
            feed(writing, space)
            assert lags(writing, space) == []

    @pytest.mark.parametrize("space", SPACES)
    def test_all_of_a_space_lags_when_all_of_it_may_have_changed(self, ledger: Ledger, space: str) -> None:
        """As when it is given another embedder."""
        told = [a_thing(space, 1), a_thing(space, 2)]
        with ledger.writing() as writing:
            open_spaces(writing)
            put_things(writing, told)
            feed(writing, space)
        with ledger.writing() as writing:
            writing.stage_vectors(space, "new-1", {one.text_hash: b"\0\0\x80?" for one in told})
            writing.switch_vectors(space, "new-1", {})
        with ledger.reading() as view:
            assert lags(view, space) == [unit_of(1), unit_of(2)]
            state = view.feed_state(INDEX, space)
            assert state is not None
            assert state.dimensions == 1

    @pytest.mark.parametrize("space", SPACES)
    def test_a_space_is_not_settled_while_a_unit_lags(self, ledger: Ledger, space: str) -> None:
        """Only what had changed by then counts; what is fed twice is fed once."""
        with ledger.writing() as writing:
            open_spaces(writing)
            put_things(writing, [a_thing(space, 1)])
        with ledger.writing() as writing:
            state = writing.feed_state(INDEX, space)
            assert state is not None
            assert not writing.settle_feed(INDEX, space, upto=state.revision)
            fed = FedUnit(
                collection=state.collection, unit=unit_of(1), revision=state.revision, ids=("b", "a")
            )
            writing.put_fed(INDEX, fed)
            writing.put_fed(INDEX, fed)
            assert writing.settle_feed(INDEX, space, upto=state.revision)
            assert writing.fed_unit(INDEX, space, unit_of(1)) is not None
            assert writing.fed_unit(INDEX, space, unit_of(2)) is None
            writing.doubt_fed(INDEX)
            assert lags(writing, space) == [unit_of(1)]
            doubted = writing.fed_unit(INDEX, space, unit_of(1))
            assert doubted is not None
            assert (doubted.ids, doubted.revision) == (("a", "b"), UNFED)

    @pytest.mark.parametrize("space", SPACES)
    def test_entries_are_the_live_memories_with_their_vectors(self, ledger: Ledger, space: str) -> None:
        """What is in review has none."""
        told = [
            a_thing(space, 1, 0, holder="ann"),
            a_thing(space, 1, 1),
            a_thing(space, 1, 2, holder="", text="in review"),
        ]
        with ledger.writing() as writing:
            open_spaces(writing)
            put_things(writing, told)
            entries = writing.entries_of(space, unit_of(1), revision=7)
        assert [(one.entry_id, one.holder, one.position, one.fact_id, one.revision) for one in entries] == [
            (one.memory_id, one.holder, GAP, one.fact_id, 7) for one in told[:2]
        ]
        assert [np.asarray(one.vector, dtype="<f4").tobytes() for one in entries] == [
            a_vector(one) for one in told[:2]
        ]

    @pytest.mark.parametrize("space", SPACES)
    def test_what_is_proposed_is_looked_up_behind_the_gate(self, ledger: Ledger, space: str) -> None:
        """Later, others', hidden and unknown ids lead nowhere (P1)."""
        told = [a_thing(space, 1), a_thing(space, 2), a_thing(space, 1, 1, holder="ben")]
        other = next(one for one in SPACES if one != space)
        with ledger.writing() as writing:
            open_spaces(writing)
            put_things(writing, told)
            put_things(writing, [a_thing(space, 3)], shown=False)
            put_things(writing, [a_thing(other, 1)])
        ids = [a_thing(space, no).memory_id for no in (1, 2, 3)] + [told[2].memory_id, "nobody's"]
        with ledger.reading() as view:
            gate = gate_of(space, "world", upto=GAP)
            (first,) = (one.key for one in view.admitted(gate))
            assert view.proposed_keys(gate, {space: ids, other: ids}) == {first}
            assert view.unit_keys(gate, {space: [unit_of(1), unit_of(2)], other: [unit_of(1)]}) == {first}
            assert view.proposed_keys(gate, {space: []}) == view.unit_keys(gate, {}) == frozenset()
            assert len(view.proposed_keys(gate_of(space, "world", "ben"), {space: ids})) == 3

    @pytest.mark.parametrize("space", SPACES)
    def test_what_was_fed_of_a_space_that_is_gone_is_known(self, ledger: Ledger, space: str) -> None:
        """Until it is dropped, so that an index can be told to forget it."""
        with ledger.writing() as writing:
            open_spaces(writing)
            put_things(writing, [a_thing(space, 1)])
            feed(writing, space)
            state = writing.feed_state(INDEX, space)
            assert writing.fed_to_none(INDEX) == ()
        assert state is not None
        with ledger.writing() as writing:
            writing.delete_user("u")
            writing.delete_story("s")
            gone = writing.fed_to_none(INDEX)
            ids = {one for fed in gone for one in fed.ids}
            assert ({fed.collection for fed in gone}, ids) == ({state.collection}, {"e1/1/0"})
            writing.drop_fed(INDEX, state.collection)
            assert writing.fed_to_none(INDEX) == ()

    @pytest.mark.parametrize("space", SPACES)
    def test_what_changed_since_a_revision_is_named(self, ledger: Ledger, space: str) -> None:
        """By unit."""
        with ledger.writing() as writing:
            open_spaces(writing)
            put_things(writing, [a_thing(space, 1)])
            state = writing.feed_state(INDEX, space)
        assert state is not None
        with ledger.writing() as writing:
            put_things(writing, [a_thing(space, 2)])
        with ledger.reading() as view:
            assert set(view.changed_units(space, state.revision) or ()) == {unit_of(2)}
            assert view.changed_units(space, UNFED) is None
