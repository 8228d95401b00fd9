"""What every ledger promises of memories that are derived from others (P6)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from kataribe.domain.memory import Memory
from kataribe.ports import Ledger, Transaction, View
from kataribe.testing.ledger_world import (
    SPACES,
    a_thing,
    gate_of,
    open_spaces,
    plain,
    put_memories,
    put_things,
    shown,
    unit_of,
)

in_each = pytest.mark.parametrize("space", SPACES)
Change = Callable[[Transaction, str], None]


def _replaced(**change: object) -> Change:
    """Put the first unit again with its first memory changed."""

    def act(writing: Transaction, space: str) -> None:
        put_things(writing, [a_thing(space, 1, 0, **change), a_thing(space, 1, 1)])

    return act


def _left_out(writing: Transaction, space: str) -> None:
    put_things(writing, [a_thing(space, 1, 1)])


def _taken_out(writing: Transaction, space: str) -> None:
    writing.take_out(space, ["f1-0"])


def _forgotten(writing: Transaction, space: str) -> None:
    writing.forget_units(space, ["e1"])


CHANGES: dict[str, Change] = {
    "is gone": _left_out,
    "says something else": _replaced(text="other words 別の言葉"),
    "has another holder": _replaced(holder="ann"),
    "is taken out": _taken_out,
    "is forgotten with its unit": _forgotten,
}


def _derived(space: str, name: str, *sources: str, holder: str = "world") -> Memory:
    """Make a memory of the third place that is derived from these."""
    return a_thing(
        space, 3, memory_id=name, fact_id=name, holder=holder, text=f"all of {name} まとめ", sources=sources
    )


def _put_derived(writing: Transaction, *memories: Memory) -> None:
    """Put each in a unit of its own."""
    for memory in memories:
        put_memories(writing, memory.space, f"{unit_of(3)}:{memory.memory_id}", [memory])


def _fill(writing: Transaction, space: str) -> None:
    """Put two units; `sum` is of both, `top` of `sum`, `other` of the second alone."""
    open_spaces(writing)
    put_things(writing, [a_thing(space, 1, 0), a_thing(space, 1, 1), a_thing(space, 2)])
    _put_derived(
        writing,
        _derived(space, "other", "e2/1/0"),
        _derived(space, "sum", "e1/1/0", "e2/1/0"),
        _derived(space, "top", "sum"),
    )


class SourcesContract:
    """What every ledger promises of memories that are derived from others (P6)."""

    @in_each
    def test_a_derived_memory_comes_back_with_its_sources(self, ledger: Ledger, space: str) -> None:
        """Sorted by name, however it is asked for; what was told has none."""
        with ledger.writing() as writing:
            _fill(writing, space)
        with ledger.reading() as reading:
            gate = gate_of(space, "world")
            for found in (
                reading.memories(space),
                reading.admitted(gate),
                reading.admitted(gate, keys=[one.key for one in reading.memories(space)]),
            ):
                assert {one.memory_id: one.sources for one in found} == {
                    "e1/1/0": (),
                    "e1/1/1": (),
                    "e2/1/0": (),
                    "other": ("e2/1/0",),
                    "sum": ("e1/1/0", "e2/1/0"),
                    "top": ("sum",),
                }
            (made,) = reading.memories(space, fact_id="sum")
            assert plain([made]) == [_derived(space, "sum", "e1/1/0", "e2/1/0")]

    @in_each
    @pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
    def test_what_is_derived_goes_with_its_source(self, ledger: Ledger, space: str, change: Change) -> None:
        """In the same transaction, and what is derived from that too; what has other sources stays."""
        with ledger.writing() as writing:
            _fill(writing, space)
        with ledger.reading() as reading:
            assert {"sum", "top"} <= set(shown(reading, gate_of(space, "world")))
        with ledger.writing() as writing:
            change(writing, space)
            self._check_gone(writing, space)
        with ledger.reading() as reading:
            self._check_gone(reading, space)
        assert ledger.problems() == ()

    @in_each
    def test_what_is_derived_stays_as_long_as_its_sources_do(self, ledger: Ledger, space: str) -> None:
        """A unit put again with the same memories, and one more, takes nothing with it."""
        with ledger.writing() as writing:
            _fill(writing, space)
            before = set(shown(writing, gate_of(space, "world")))
            put_things(writing, [a_thing(space, 1, n) for n in (0, 1, 2)])
            put_things(writing, [a_thing(space, 2, 0, pinned=True)])
            assert set(shown(writing, gate_of(space, "world"))) == before | {"f1-2"}

    @in_each
    def test_a_memory_of_the_same_id_elsewhere_is_no_source(self, ledger: Ledger, space: str) -> None:
        """What is derived has its sources in one space."""
        with ledger.writing() as writing:
            _fill(writing, space)
            for other in SPACES:
                if other != space:
                    put_things(writing, [replace(a_thing(other, 1), supersedes=None)])
                    writing.take_out(other, ["f1-0"])
            assert {"sum", "top", "other"} <= set(shown(writing, gate_of(space, "world")))

    @in_each
    def test_copies_of_one_source_are_each_a_source(self, ledger: Ledger, space: str) -> None:
        """What one holder's copy was the source of goes with that copy, what another's was stays."""
        hers = a_thing(space, 1, 0, holder="ann", memory_id="hers")
        his = a_thing(space, 1, 0, holder="bob", memory_id="his")
        with ledger.writing() as writing:
            open_spaces(writing)
            put_things(writing, [hers, his])
            _put_derived(
                writing,
                _derived(space, "of hers", "hers", holder="ann"),
                _derived(space, "of his", "his", holder="bob"),
            )
            put_things(writing, [hers])
            assert shown(writing, gate_of(space, "ann", "bob")) == ["f1-0", "of hers"]

    @staticmethod
    def _check_gone(reading: View, space: str) -> None:
        names = {one.memory_id for one in reading.memories(space)}
        assert names & {"sum", "top", "other"} == {"other"}
        gate = gate_of(space, "world")
        found = reading.keywords.matching(("まとめ",), gate=gate, top_k=9)
        assert [one.fact_id for one in found] == ["other"]
        assert {"sum", "top"}.isdisjoint(shown(reading, gate))
        assert not any("sum" in unit or "top" in unit for unit in reading.units(space))
