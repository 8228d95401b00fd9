"""What every ledger promises of conversation memory in tiers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kataribe.domain.arrays import np
from kataribe.domain.conversation.life.events import (
    HandDecision,
    HandVerb,
    TurnAsk,
    TurnCorrection,
    TurnVerb,
    UsedAt,
)
from kataribe.domain.conversation.life.policy import policy_from
from kataribe.domain.conversation.life.stubs import TurnStub, said_hash
from kataribe.domain.conversation.life.summed import SummedItem
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
from kataribe.domain.conversation.summaries import (
    ModelAnswer,
    ModelAsk,
    NewerWords,
    OlderWords,
    SpokenLine,
    ThreadText,
    fingerprint_of,
)
from kataribe.domain.gate import Gate, Slice
from kataribe.domain.ids import WORLD
from kataribe.domain.terms import PUBLIC, known_by
from kataribe.errors import ConflictError
from kataribe.ports import Ledger, RecordedNight, View
from kataribe.ports.tiers import TierStanding
from kataribe.testing.ledger_world import SPACES, a_turn, a_user, open_spaces, say

TOLD = SPACES[1:]
in_each = pytest.mark.parametrize("space", TOLD)
WHY = Cause("said", (("turns", 2.0),))


def fates_of(view: View, gate: Gate) -> dict[tuple[str, str], TurnFate]:
    """Give how turns stand, by space and id."""
    return {(one.space, turn_id): fate for one in view.fates(gate) for turn_id, fate in one.rows.items()}


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


def a_line(turn_id: str) -> SpokenLine:
    """Make a turn as a model is shown it."""
    return SpokenLine(turn_id=turn_id, speaker="u", is_users=True, day="2023-05-08", text="猫がいる。")


def an_ask(*turn_ids: str, holder: str = "rin") -> ModelAsk:
    """Make a question about a thread."""
    asked = ThreadText(thread_id="th", language="ja", lines=tuple(a_line(one) for one in turn_ids))
    return ModelAsk(holder=holder, asked=asked, fingerprint=fingerprint_of(asked, "m-1"), ready_at=9)


def a_comparison(turn_id: str, older: str) -> ModelAsk:
    """Make a question about a turn and an older one."""
    words = OlderWords(turn_id=older, start=0, end=5, day="2023-05-07", text="犬がいる。")
    asked = NewerWords(language="ja", line=a_line(turn_id), older=(words,))
    return ModelAsk(holder="rin", asked=asked, fingerprint=fingerprint_of(asked, "m-1"), ready_at=3)


AN_ANSWER = ModelAnswer(
    items=(
        SummedItem(
            text="猫を飼っている。",
            topic="猫",
            kind=ItemKind.FACT,
            sources=("t1", "t2"),
            pii=True,
            valence=-0.5,
        ),
    ),
    keywords=("猫",),
    older=(("t1", (0, 5)),),
    refused=("'x': it has no words",),
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
    def test_how_each_memory_stands_at_last_is_told_without_a_word_of_it(
        self, ledger: Ledger, space: str
    ) -> None:
        """Ended ones too; of another holder or space nothing."""
        last = replace(a_value(1, "t1", position=7), state=TierState.SUPERSEDED, superseded_by="m2")
        life = Life(values=(a_value(1, "t1"), a_value(2, "t1", position=3), last))
        with ledger.writing() as writing:
            open_spaces(writing)
            writing.put_life(space, "rin", life)
        with ledger.reading() as view:
            assert view.tier_states(space, "rin") == {
                "m1": TierStanding(state=TierState.SUPERSEDED, position=7, superseded_by="m2"),
                "m2": TierStanding(state=TierState.HOT, position=3),
            }
            assert view.tier_states(space, "mio") == {}
            assert view.tier_states("user:nobody", "rin") == {}

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
    def test_rows_are_streamed_with_a_memorys_together(self, ledger: Ledger, space: str) -> None:
        """All that `life` gives, whatever lies between a memory's rows."""
        values = [a_value(number % 300, "t1", position=number // 300) for number in range(700)]
        fates = [a_fate(f"t{number}", number) for number in range(700)]
        asked = a_life("t1").asked
        with ledger.writing() as writing:
            open_spaces(writing)
            writing.put_life(space, "rin", Life(values=tuple(values), fates=tuple(fates), asked=asked))
            writing.put_life(space, "ben", a_life("t9"))
        with ledger.reading() as reading:
            whole, parts = reading.life(space, "rin"), list(reading.life_parts(space, "rin"))
            by_part = [[one.memory_id for one in part.values] for part in parts]
            assert len({name for names in by_part for name in names}) == sum(len({*one}) for one in by_part)
            found = [one for part in parts for one in part.values]
            assert sorted(found, key=repr) == sorted(whole.values, key=repr)
            assert tuple(one for part in parts for one in part.fates) == whole.fates
            assert tuple(one for part in parts for one in part.asked) == whole.asked
            assert list(reading.life_parts(space, "mia")) == []
            assert reading.archived(space) == 0

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
    def test_rows_are_found_by_their_words(self, ledger: Ledger, space: str) -> None:
        """All of the words must stand in one."""
        cat, dog = a_value(1, "t1"), replace(a_value(2, "t1", position=4), text="犬が庭にいる。")
        with ledger.writing() as writing:
            open_spaces(writing)
            writing.put_life(space, "rin", Life(values=(cat, dog)))
        with ledger.reading() as reading:
            assert reading.naming(space, "rin", ["猫"]) == {("m1", 1)}
            assert reading.naming(space, "rin", ["犬", "庭"]) == {("m2", 4)}
            assert reading.naming(space, "rin", ["猫", "庭"]) == frozenset()
            assert reading.naming(space, "ben", ["猫"]) == frozenset()

    @in_each
    def test_all_rows_of_a_space_go_together(self, ledger: Ledger, space: str) -> None:
        """Those of other spaces stay, and so does what a person decided."""
        other = next(one for one in TOLD if one != space)
        pin = HandDecision(at=7, memory_id="m1", what=HandVerb.PIN)
        with ledger.writing() as writing:
            open_spaces(writing)
            for one in (space, other):
                writing.put_life(one, "rin", a_life("t1"))
            writing.put_hand_decision(space, "rin", pin)
            writing.drop_lives(space)
        with ledger.reading() as reading:
            assert reading.life(space, "rin") == Life()
            assert reading.life(other, "rin") == a_life("t1")
            assert reading.hand_decisions(space, "rin") == (pin,)

    @in_each
    def test_without_an_archive_nothing_is_archived(self, ledger: Ledger, space: str) -> None:
        """It says so before anything is tried."""
        with ledger.writing() as writing:
            open_spaces(writing)
            writing.put_life(space, "rin", a_life("t1"))
            assert not writing.open_archive(space)
        with ledger.reading() as reading:
            assert reading.life(space, "rin") == a_life("t1")

    @in_each
    def test_what_is_left_of_a_turn_takes_its_place(self, ledger: Ledger, space: str) -> None:
        """Said again word for word it stays what is left of it; said otherwise it is said anew."""
        said = a_turn(1, held=known_by("rin"))
        left = replace(said, text="…")
        stub = TurnStub(
            turn_id=said.turn_id,
            said_hash=said_hash(said),
            embedder_id="e",
            vector=np.asarray([0.6, 0.8], dtype=np.float32),
            statements=((0, 1, ItemKind.FACT),),
            asks=(TurnAsk(verb=TurnVerb.FORGET, start=0, end=1, is_clear=False),),
            correction=TurnCorrection(new=(0, 1)),
            echoes=("t9",),
        )
        with ledger.writing() as writing:
            open_spaces(writing)
            say(writing, space, [said])
            assert writing.stubs(space) == {}
            assert writing.put_stubs(space, [(left, stub)]).turns == (said.turn_id,)
            assert writing.put_turns(space, [said]).turns == ()
            assert writing.put_turns(space, [left]).turns == ()
        with ledger.reading() as reading:
            assert reading.turns(space) == (left,)
            (read,) = reading.stubs(space).values()
            assert read == stub
            assert read.vector is not None
            assert read.vector.tolist() == stub.vector.tolist() if stub.vector is not None else False
        with ledger.writing() as writing:
            writing.put_turns(space, [replace(said, arousal=0.5)])
            assert writing.turns(space) == (replace(left, arousal=0.5),)
            assert list(writing.stubs(space)) == [said.turn_id]
            writing.put_turns(space, [replace(said, text="Something else.")])
            assert writing.stubs(space) == {}

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
    def test_what_models_are_asked_and_answered_is_kept(self, ledger: Ledger, space: str) -> None:
        """By holder, until a turn that it was made of goes; what stood beside that is not given meanwhile."""
        thread, newer = an_ask("t1", "t2"), a_comparison("t3", "t1")
        done = replace(thread, answer=AN_ANSWER, embedder_id="hash-1", vectors={"h": b"12345678"})
        with ledger.writing() as writing:
            open_spaces(writing)
            for ask in (newer, thread, done):
                writing.put_model_ask(space, ask)
            writing.put_model_ask(space, replace(thread, holder="ben"))
            writing.put_life(space, "rin", Life(values=(a_value(1, "t2"), a_value(2, "t9"))))
        with ledger.reading() as reading:
            assert reading.model_asks(space, "rin") == (newer, done)
            assert reading.model_ask(space, thread.unit) == done
            assert reading.model_ask(space, replace(thread, holder="mia").unit) is None
        with ledger.writing() as writing:
            writing.drop_model_ask(space, replace(thread, holder="ben"))
            assert writing.model_asks(space, "ben") == ()
            writing.forget_derived(space, ["t1"])
            assert writing.model_asks(space, "rin") == ()
            assert [one.memory_id for one in writing.life(space, "rin").values] == ["m2"]

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
            of_world = {(space, "D1:2"): a_fate("D1:2", 5)} if is_own else {}
            assert fates_of(reading, gate("rin", later)) == {(space, "D1:1"): rows[1]}
            assert fates_of(reading, gate("rin", 8)) == of_world
            assert fates_of(reading, gate("mia", later)) == of_world
        with ledger.writing() as writing:
            writing.put_life(space, "rin", Life(fates=rows[:1]))
            assert fates_of(writing, gate("rin", later)) == {(space, "D1:1"): rows[0]}
        with ledger.reading() as reading:
            assert fates_of(reading, gate("rin", later)) == {(space, "D1:1"): rows[0]}
        with ledger.writing() as writing:
            writing.forget_derived(space, ["D1:1"])
        with ledger.reading() as reading:
            assert (space, "D1:1") not in fates_of(reading, gate("rin", later))

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
