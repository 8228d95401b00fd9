"""What every ledger promises of what goes with what in conversations."""

from __future__ import annotations

from kataribe.domain.conversation.associations.marks import TurnMarks
from kataribe.domain.gate import Gate, Slice
from kataribe.domain.ids import WORLD
from kataribe.domain.terms import PUBLIC, known_by
from kataribe.ports import HeldMarks, Ledger
from kataribe.testing.ledger_tiers import TOLD, in_each
from kataribe.testing.ledger_world import a_turn, open_spaces, say

MARKS = TurnMarks(
    concepts=("rain", "港", "mill"),
    written=("rained", "港", "Mill"),
    people=("ann",),
    called=("Ann",),
    causes=(((0,), (1, 2)), ((1, 2), (0,))),
)
NOTHING = TurnMarks(concepts=(), written=(), people=(), called=())


def a_mark(turn_id: str, position: int, holder: str = "rin", marks: TurnMarks = MARKS) -> HeldMarks:
    """Make what a turn names."""
    return HeldMarks(holder, turn_id, position, marks)


def _by_place(*held: HeldMarks) -> dict[tuple[str, str], HeldMarks]:
    return {(one.holder, one.turn_id): one for one in held}


class AssociationsContract:
    """What turns name, by unit, holder and turn."""

    @in_each
    def test_what_a_unit_names_comes_back_as_written_and_is_replaced_whole(
        self, ledger: Ledger, space: str
    ) -> None:
        """Of that unit in that space alone."""
        other = a_mark("t9", 9)
        with ledger.writing() as writing:
            open_spaces(writing)
            writing.put_marks(space, "d1", [a_mark("t1", 1), a_mark("t2", 2)])
            writing.put_marks(space, "d2", [other])
            writing.put_marks(space, "d1", [a_mark("t1", 1), a_mark("t3", 3, marks=NOTHING)])
        with ledger.reading() as reading:
            assert reading.marks(space, "d1") == _by_place(a_mark("t1", 1), a_mark("t3", 3, marks=NOTHING))
            assert reading.marks(space, "d2") == _by_place(other)
            for another in set(TOLD) - {space}:
                assert reading.marks(another, "d1") == {}

    @in_each
    def test_what_one_more_turn_names_is_added(self, ledger: Ledger, space: str) -> None:
        """Of the same turn and holder it takes the place."""
        with ledger.writing() as writing:
            open_spaces(writing)
            writing.put_marks(space, "d1", [a_mark("t1", 1), a_mark("t2", 2)])
            writing.add_marks(space, "d1", [a_mark("t2", 2, marks=NOTHING), a_mark("t2", 2, "ben")])
        with ledger.reading() as reading:
            wanted = _by_place(a_mark("t1", 1), a_mark("t2", 2, marks=NOTHING), a_mark("t2", 2, "ben"))
            assert reading.marks(space, "d1") == wanted

    @in_each
    def test_what_a_turn_names_goes_with_it(self, ledger: Ledger, space: str) -> None:
        """Whoever holds it; what others name stays."""
        with ledger.writing() as writing:
            open_spaces(writing)
            writing.put_marks(space, "d1", [a_mark("t1", 1), a_mark("t1", 1, "ben"), a_mark("t2", 2)])
            writing.forget_marks(space, ["t1", "t7"])
        with ledger.reading() as reading:
            assert reading.marks(space, "d1") == _by_place(a_mark("t2", 2))

    @in_each
    def test_marked_turns_are_those_in_memory_that_the_gate_admits(self, ledger: Ledger, space: str) -> None:
        """Each once and in order; a turn that is not remembered, or held by others, is not among them."""
        mine, others, late = (
            a_turn(1, held=known_by("rin")),
            a_turn(2, held=known_by("ben")),
            a_turn(3, held=known_by("rin")),
        )
        with ledger.writing() as writing:
            open_spaces(writing)
            say(writing, space, [mine, others, late])
            held = [
                a_mark(mine.turn_id, mine.at),
                a_mark(others.turn_id, others.at, "ben"),
                a_mark(late.turn_id, late.at),
                a_mark("never said", mine.at),
            ]
            writing.put_marks(space, "d1", held)
        with ledger.reading() as reading:
            gate = Gate((Slice(space, "rin", late.at),))
            found = reading.marked_turns(gate)
            assert [one.turn_id for one in found] == [mine.turn_id, late.turn_id]
            assert (found[0].space, found[0].session, found[0].marks) == (space, mine.session, MARKS)
            assert found[0].order == (mine.at, mine.ordinal, mine.turn_id)
            assert [one.turn_id for one in reading.marked_turns(Gate((Slice(space, "rin", mine.at),)))] == [
                mine.turn_id
            ]
            keys = {memory.key for memory in reading.admitted(gate)}
            assert {one.key for one in found} == keys

    def test_gates_that_admit_the_same_turns_are_cut_back_to_the_same(self, ledger: Ledger) -> None:
        """Whatever the moment; a slice without any goes."""
        space = TOLD[0]
        turn = a_turn(1, held=PUBLIC)
        with ledger.writing() as writing:
            open_spaces(writing)
            say(writing, space, [turn])
            writing.put_marks(space, "d1", [a_mark(turn.turn_id, turn.at, WORLD)])
        with ledger.reading() as reading:
            cut = [
                reading.marked_upto(Gate((Slice(space, WORLD, upto), Slice(space, "rin", upto, 1))))
                for upto in (turn.at, turn.at + 5, turn.at + 99)
            ]
            assert cut == [Gate((Slice(space, WORLD, turn.at),))] * 3
            assert reading.marked_upto(Gate((Slice(space, WORLD, turn.at - 1),))) == Gate(())

    def test_a_user_that_is_deleted_takes_what_its_turns_name(self, ledger: Ledger) -> None:
        """By foreign key."""
        space = TOLD[0]
        with ledger.writing() as writing:
            open_spaces(writing)
            writing.put_marks(space, "d1", [a_mark("t1", 1)])
            writing.delete_user("u")
        with ledger.reading() as reading:
            assert reading.marks(space, "d1") == {}
