"""What every ledger promises of conversation memory in tiers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kataribe.domain.conversation.life.events import HandDecision, HandVerb, UsedAt
from kataribe.domain.conversation.life.policy import policy_from
from kataribe.domain.conversation.life.values import (
    Cause,
    ItemKind,
    Life,
    LifeCounts,
    MemoryValue,
    OpenQuestion,
    Tier,
    TierState,
    TurnFate,
    TurnState,
)
from kataribe.domain.gate import Gate, Slice
from kataribe.domain.ids import WORLD
from kataribe.domain.terms import PUBLIC, known_by
from kataribe.errors import ConflictError
from kataribe.ports import Ledger, RecordedNight
from kataribe.testing.ledger_world import SPACES, a_turn, a_user, open_spaces, say

TOLD = SPACES[1:]
in_each = pytest.mark.parametrize("space", TOLD)
WHY = Cause("said", (("turns", 2.0),))


def a_value(number: int, *sources: str, position: int = 1) -> MemoryValue:
    """Make a row of a memory."""
    return MemoryValue(
        memory_id=f"m{number}",
        position=position,
        tier=Tier.LONG,
        state=TierState.HOT,
        kind=ItemKind.FACT,
        text="猫がいる。",
        topic="猫",
        importance=0.25,
        salience=0.8,
        confidence=0.7,
        explicit=True,
        pinned=False,
        created_at=1,
        last_used_at=2,
        sources=sources,
        superseded_by=None,
        reason=WHY,
    )


def a_fate(turn_id: str, position: int, state: TurnState = TurnState.WARM, by: str = "") -> TurnFate:
    """Make a row of a turn."""
    return TurnFate(turn_id=turn_id, position=position, state=state, by=by, reason=WHY)


def a_life(*turn_ids: str) -> Life:
    """Make rows that rest on these turns."""
    return Life(
        values=(a_value(1, *turn_ids), a_value(2, turn_ids[-1])),
        fates=tuple(a_fate(one, 5) for one in turn_ids),
        asked=tuple(OpenQuestion(turn_id=one, position=3, verb="forget", why="unclear") for one in turn_ids),
    )


class TiersContract:
    """Nights, decisions by hand, and the rows that come of them."""

    def test_nights_come_one_after_another(self, ledger: Ledger) -> None:
        """Each with its numbers; one that is not later than the last is refused."""
        first = RecordedNight(at=10, policy=policy_from({"mid": {"kept_days": 9}}))
        with ledger.writing() as writing:
            open_spaces(writing)
            writing.put_night("u", first)
            writing.put_night("u", RecordedNight(at=20))
        with pytest.raises(ConflictError), ledger.writing() as writing:
            writing.put_night("u", RecordedNight(at=20))
        with ledger.reading() as reading:
            assert reading.nights("u") == (first, RecordedNight(at=20))
            assert reading.nights("nobody") == ()

    def test_a_night_can_be_dropped(self, ledger: Ledger) -> None:
        """That one alone, and of that user alone; then one at its moment can be recorded again."""
        with ledger.writing() as writing:
            open_spaces(writing)
            for at in (10, 20):
                writing.put_night("u", RecordedNight(at=at))
            writing.put_user(a_user("v"))
            writing.put_night("v", RecordedNight(at=20))
            writing.drop_night("u", 20)
            writing.drop_night("u", 15)
        with ledger.reading() as reading:
            assert reading.nights("u") == (RecordedNight(at=10),)
            assert reading.nights("v") == (RecordedNight(at=20),)
        with ledger.writing() as writing:
            writing.put_night("u", RecordedNight(at=20))

    @in_each
    def test_rows_come_back_as_written_and_are_replaced_whole(self, ledger: Ledger, space: str) -> None:
        """Of that holder in that space alone."""
        with ledger.writing() as writing:
            open_spaces(writing)
            writing.put_life(space, "rin", a_life("t1"))
            writing.put_life(space, "ben", a_life("t9"))
            writing.put_life(space, "rin", a_life("t1", "t2"))
        with ledger.reading() as reading:
            assert reading.life(space, "rin") == a_life("t1", "t2")
            assert reading.life(space, "ben") == a_life("t9")
            assert reading.life(space, "mia") == Life()
            for other in set(TOLD) - {space}:
                assert reading.life(other, "rin") == Life()

    @in_each
    def test_rows_behind_the_first_ones_are_replaced_alone(self, ledger: Ledger, space: str) -> None:
        """So many of each sort stay as they are; rows are given from a position on as well."""

        def rows(*positions: int) -> Life:
            return Life(
                values=tuple(a_value(at, "t1", position=at) for at in positions),
                fates=tuple(a_fate(f"t{at}", at) for at in positions),
            )

        with ledger.writing() as writing:
            open_spaces(writing)
            writing.put_life(space, "rin", rows(1, 2, 3, 4))
            writing.put_life(space, "ben", rows(1, 2, 3))
            writing.put_life(space, "rin", rows(5, 6, 7), since=LifeCounts(values=2, fates=3))
        with ledger.reading() as reading:
            whole = Life(values=rows(1, 2, 5, 6, 7).values, fates=rows(1, 2, 3, 5, 6, 7).fates)
            assert reading.life(space, "rin") == whole
            assert reading.life(space, "rin", since=6) == rows(6, 7)
            assert reading.life(space, "rin", since=3) == Life(
                values=rows(5, 6, 7).values, fates=rows(3, 5, 6, 7).fates
            )
            assert reading.life(space, "rin", since=0) == whole
            assert reading.life(space, "rin", since=8) == Life()
            assert reading.life(space, "ben") == rows(1, 2, 3)

    @in_each
    def test_what_is_kept_is_given_as_it_stands_at_a_position(self, ledger: Ledger, space: str) -> None:
        """The last row of each by then; what has ended is not kept."""
        first, second = a_life("t1", "t2").values[:2]
        ended = replace(first, position=first.position + 9, state=TierState.EXPIRED)
        changed = replace(first, position=first.position + 5, text="changed")
        later = replace(second, position=first.position + 7)
        with ledger.writing() as writing:
            open_spaces(writing)
            writing.put_life(space, "rin", Life(values=(first, changed, later, ended)))
        with ledger.reading() as reading:
            at = first.position
            assert reading.kept(space, "rin", upto=at - 1) == ()
            assert reading.kept(space, "rin", upto=at) == (first,)
            assert reading.kept(space, "rin", upto=at + 8) == (changed, later)
            assert reading.kept(space, "rin", upto=at + 9) == (later,)
            assert reading.kept(space, "ben", upto=at + 9) == ()

    @in_each
    def test_what_rests_on_a_turn_goes_with_it(self, ledger: Ledger, space: str) -> None:
        """Whoever holds it; what rests on others stays."""
        with ledger.writing() as writing:
            open_spaces(writing)
            writing.put_life(space, "rin", a_life("t1", "t2"))
            writing.put_life(space, "ben", Life(fates=(a_fate("t3", 5, by="t1"), a_fate("t4", 5))))
            writing.forget_derived(space, ["t1"])
        with ledger.reading() as reading:
            left = reading.life(space, "rin")
            assert [one.memory_id for one in left.values] == ["m2"]
            assert [one.turn_id for one in left.fates] == ["t2"]
            assert [one.turn_id for one in left.asked] == ["t2"]
            assert reading.life(space, "ben").fates == (a_fate("t4", 5),)

    @in_each
    def test_decisions_are_given_in_their_order(self, ledger: Ledger, space: str) -> None:
        """Told twice they are there once."""
        pin = HandDecision(at=7, memory_id="m", what=HandVerb.PIN)
        edit = HandDecision(at=5, memory_id="m", what=HandVerb.EDIT, text="犬がいる。")
        with ledger.writing() as writing:
            open_spaces(writing)
            for one in (pin, edit, pin):
                writing.put_hand_decision(space, "rin", one)
        with ledger.reading() as reading:
            assert reading.hand_decisions(space, "rin") == (edit, pin)
            assert reading.hand_decisions(space, "ben") == ()

    @in_each
    def test_each_use_is_given(self, ledger: Ledger, space: str) -> None:
        """By the position it was made from, as often as it was made."""
        with ledger.writing() as writing:
            open_spaces(writing)
            writing.put_uses(space, ":rin", ["t2", "t1"], upto=8, at="x")
            writing.put_uses(space, ":rin", ["t1"], upto=8, at="y")
        with ledger.reading() as reading:
            one, other = UsedAt(turn_id="t1", at=8), UsedAt(turn_id="t2", at=8)
            assert reading.turn_uses(space, ":rin") == (one, one, other)
            assert reading.turn_uses(space, ":ben") == ()

    @in_each
    def test_how_turns_stand_is_told_inside_a_gate(self, ledger: Ledger, space: str) -> None:
        """The last row up to where the gate goes; a holder's own once it holds anything there."""
        is_own = space == TOLD[0]
        with ledger.writing() as writing:
            open_spaces(writing)
            mine = a_turn(1, held=known_by("rin"))
            say(writing, space, [mine] if not is_own else [mine, a_turn(2, held=PUBLIC)])
            rows = (a_fate("D1:1", 5), a_fate("D1:1", 9, TurnState.COOL))
            writing.put_life(space, "rin", Life(fates=rows))
            writing.put_life(space, WORLD, Life(fates=(a_fate("D1:2", 5),)))
        later = mine.at + 9

        def gate(holder: str, upto: int) -> Gate:
            world = (Slice(space, WORLD, upto),) if is_own else ()
            return Gate((Slice(space, holder, upto), *world))

        with ledger.reading() as reading:
            assert reading.fates(gate("rin", later)) == {(space, "D1:1"): rows[1]}
            assert reading.fates(gate("rin", 8)) == ({(space, "D1:2"): a_fate("D1:2", 5)} if is_own else {})
            strangers = reading.fates(gate("mia", later))
            assert strangers == ({(space, "D1:2"): a_fate("D1:2", 5)} if is_own else {})

    def test_a_user_that_is_deleted_takes_all_of_it(self, ledger: Ledger) -> None:
        """By foreign key."""
        space = TOLD[0]
        with ledger.writing() as writing:
            open_spaces(writing)
            writing.put_night("u", RecordedNight(at=10))
            writing.put_life(space, "rin", a_life("t1"))
            writing.put_hand_decision(space, "rin", HandDecision(at=7, memory_id="m", what=HandVerb.PIN))
            writing.delete_user("u")
        with ledger.reading() as reading:
            assert reading.nights("u") == ()
            assert (reading.life(space, "rin"), reading.hand_decisions(space, "rin")) == (Life(), ())
