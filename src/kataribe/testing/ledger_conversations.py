"""What every ledger promises of users, and of turns in the spaces they were said in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta, timezone
from pathlib import Path

import numpy as np
import pytest

from kataribe.domain.conversation.turns import UNIT_TURNS, Role, Turn, turn_memories
from kataribe.domain.gate import Gate
from kataribe.domain.ids import WORLD
from kataribe.domain.records import Outcome, TalkState, Wanted, Work
from kataribe.domain.space import place_after, talk_space, user_space
from kataribe.domain.terms import PUBLIC, known_by
from kataribe.ports import Ledger, Transaction, View
from kataribe.testing.ledger_world import (
    ALWAYS,
    DAY,
    EXTRA,
    GAP,
    ODD,
    PRINT,
    SPACES,
    TURNS,
    a_space,
    a_story,
    a_turn,
    a_user,
    a_vector,
    everything,
    fill,
    gate_of,
    open_spaces,
    plain,
    remember_units,
    say,
    shown,
)

TOLD = SPACES[1:]
"""The spaces that hold turns: a user's own, and talk under a story."""
in_each = pytest.mark.parametrize("space", TOLD)


def _lag(writing: Transaction, space: str, units: Sequence[str]) -> None:
    """Want what units hold now, as whoever stores turns does."""
    for unit in units:
        said = writing.turns(space, unit=unit)
        fingerprint = " ".join(f"{turn.turn_id} {turn.text}" for turn in said)
        wanted = Wanted(fingerprint=fingerprint, position=said[0].at) if said else None
        writing.want(space, TURNS, {unit: wanted})


def _pending(reading: View, space: str, *holders: str, upto: int = ALWAYS) -> int:
    return reading.pending_turns(space, holders=holders or (WORLD,), upto=upto)


def _words(reading: View, gate: Gate, *terms: str) -> list[str]:
    return [one.fact_id for one in reading.keywords.matching(terms, gate=gate, top_k=99)]


class ConversationsContract:
    """What every ledger promises of users, and of turns in the spaces they were said in."""

    def open_backup(self, path: Path) -> Ledger:
        """Open a copy that `backup` wrote."""
        raise NotImplementedError

    def test_users_come_back_as_sent(self, ledger: Ledger) -> None:
        """By id, and replaced when put again."""
        full = a_user("ユーザー 1", language="en")
        with ledger.writing() as writing:
            writing.put_user(full)
            writing.put_user(a_user("b", embedder="to be replaced"))
            writing.put_user(a_user("b", extra={}))
        with ledger.reading() as reading:
            assert reading.users() == (a_user("b", extra={}), full)
            assert repr(reading.user("ユーザー 1")) == repr(full)
            assert reading.user("nobody") is None

    @in_each
    def test_turns_come_back_as_they_were_said(self, ledger: Ledger, space: str) -> None:
        """In order of time, session, ordinal and id, whatever is in them."""
        said = [
            a_turn(
                at,
                text=text,
                caption=text,
                session=f"s {at % 2}",
                extra=EXTRA,
                arousal=at / 10,
                held=known_by("rin", "himuro") if at % 2 else PUBLIC,
            )
            for at, text in enumerate(ODD)
        ]
        same = [a_turn(20 + at, hours=3, ordinal=at % 2) for at in range(3)]
        with ledger.writing() as writing:
            open_spaces(writing)
            changes = writing.put_turns(space, [*said, *same])
            assert set(changes.turns) == {turn.turn_id for turn in (*said, *same)}
        with ledger.reading() as reading:
            found = reading.turns(space)
            assert len(found) == len(said) + 3
            assert {turn.turn_id: turn for turn in found} == {t.turn_id: t for t in (*said, *same)}
            order = [(turn.at, turn.session, turn.ordinal, turn.turn_id) for turn in found]
            assert order == sorted(order)
            assert reading.turn(space, "D1:2") == said[2]
            assert reading.turn(space, "nix") is None
            assert {turn.session for turn in reading.turns(space, session="s 1")} == {"s 1"}
            assert reading.turn_units(space) == changes.units
            by_unit = [turn for unit in changes.units for turn in reading.turns(space, unit=unit)]
            assert sorted(turn.turn_id for turn in by_unit) == sorted(turn.turn_id for turn in found)
            for other in set(SPACES) - {space}:
                assert (reading.turns(other), reading.turn_units(other)) == ((), ())
                assert reading.turn(other, "D1:2") is None

    @in_each
    def test_turns_are_read_on_from_a_place_in_their_order(self, ledger: Ledger, space: str) -> None:
        """So many at a time, none twice and none left out; of one session, and up to a position."""
        said = [a_turn(no, hours=no // 3, ordinal=no % 2, session=f"s {no % 2}") for no in range(9)]
        with ledger.writing() as writing:
            open_spaces(writing)
            writing.put_turns(space, said)
        with ledger.reading() as reading:
            whole = reading.turns(space)
            for limit in (1, 2, 4, 99):
                found: list[Turn] = []
                after = (-1, "", -1, "")
                while some := reading.said_after(space, after, limit=limit):
                    assert len(some) <= limit
                    found += some
                    after = some[-1].order
                assert tuple(found) == whole
            odd = tuple(turn for turn in whole if turn.session == "s 1")
            first = (odd[0].at, "", -1, "")
            assert reading.said_after(space, first, limit=99, session="s 1") == odd
            upto = odd[1].at
            early = tuple(turn for turn in odd if turn.at <= upto)
            assert reading.said_after(space, first, limit=99, session="s 1", upto=upto) == early
            for other in set(SPACES) - {space}:
                assert reading.said_after(other, first, limit=9) == ()

    @in_each
    def test_a_sessions_last_turn_is_told_from_a_moment_on(self, ledger: Ledger, space: str) -> None:
        """Of that session and space alone; a session of another name never counts."""
        first, second, other = a_turn(1), a_turn(2, hours=3), a_turn(3, hours=30, session="s 2")
        with ledger.writing() as writing:
            open_spaces(writing)
            writing.put_turns(space, [first, second, other])
        with ledger.reading() as reading:
            named = first.session
            assert reading.last_said(space, named, since=0) == second.at
            assert reading.last_said(space, named, since=second.at) == second.at
            assert reading.last_said(space, named, since=second.at + 1) is None
            assert reading.last_said(space, "nix", since=0) is None
            for one in set(SPACES) - {space}:
                assert reading.last_said(one, named, since=0) is None

    def test_the_personas_are_named_who_were_told_something(self, ledger: Ledger) -> None:
        """Outside stories, by one user or by any."""
        with ledger.writing() as writing:
            open_spaces(writing)
            writing.put_user(a_user("v"))
            mine = [a_turn(1, held=known_by("rin", "ben")), a_turn(2, held=known_by("rin")), a_turn(3)]
            writing.put_turns(user_space("u"), mine)
            writing.put_turns(user_space("v"), [a_turn(1, held=known_by("澪"))])
            writing.put_turns(talk_space("s", "u", "e2"), [a_turn(4, held=known_by("kai"))])
            assert writing.listeners("u") == {"rin", "ben"}
        with ledger.reading() as reading:
            assert reading.listeners() == {"rin", "ben", "澪"}
            assert reading.listeners("v") == {"澪"}
            assert reading.listeners("nobody") == set()

    @in_each
    def test_the_last_turns_of_people_are_those_a_holder_was_told(self, ledger: Ledger, space: str) -> None:
        """Up to a position, in order; the system's are passed over, however many they are."""
        mine = [a_turn(no, held=known_by("rin"), role=Role.USER) for no in (1, 2, 9)]
        others = [a_turn(no, held=known_by("ben", "rin"), session="s 2") for no in (3, 4)]
        hidden = a_turn(5, held=known_by("ben"))
        told = [a_turn(no, held=known_by("rin"), speaker="ＳＹＳＴＥＭ") for no in (6, 7)]
        told.append(a_turn(8, held=known_by("rin"), role=Role.SYSTEM))
        with ledger.writing() as writing:
            open_spaces(writing)
            writing.put_turns(space, [*mine, *others, hidden, *told])
        with ledger.reading() as reading:

            def last(limit: int, *holders: str, upto: int = ALWAYS, session: str | None = None) -> list[Turn]:
                return [*reading.last_turns(space, holders=holders, upto=upto, limit=limit, session=session)]

            assert last(2, "rin", WORLD) == [others[1], mine[2]]
            assert last(99, "rin", WORLD) == [*mine[:2], *others, mine[2]]
            assert last(99, "rin", upto=mine[2].at - 1) == [*mine[:2], *others]
            assert last(1, "rin", session="s 2") == [others[1]]
            assert last(99, "ben") == [*others, hidden]
            assert last(99, WORLD) == []
            assert mine[0].role is last(99, "rin")[0].role

    @in_each
    def test_only_what_is_new_or_another_counts(self, ledger: Ledger, space: str) -> None:
        """And only its units are named."""
        first, second = a_turn(1), a_turn(2, hours=30)
        with ledger.writing() as writing:
            open_spaces(writing)
            changes = writing.put_turns(space, [first, second])
            assert set(changes.turns) == {"D1:1", "D1:2"}
            assert changes.units == ("2024-03-01", "2024-03-02")
            assert writing.turns(space, unit="2024-03-02") == (second,)
            again = writing.put_turns(space, [first, second])
            assert (again.turns, again.units) == ((), ())
            again = writing.put_turns(space, [replace(second, text="another"), first])
            assert (again.turns, again.units) == (("D1:2",), ("2024-03-02",))

    @in_each
    def test_a_unit_is_bounded_and_of_one_day(self, ledger: Ledger, space: str) -> None:
        """However many turns are said, at one moment or over days, at once or one by one; none is lost."""
        tokyo = timezone(timedelta(hours=9))
        burst = [a_turn(n, hours=0) for n in range(2 * UNIT_TURNS + 3)]
        spread = [a_turn(1000 + n, hours=n / 2) for n in range(3 * UNIT_TURNS)]
        zoned = [replace(a_turn(3000 + n), time=DAY.astimezone(tokyo)) for n in range(UNIT_TURNS)]
        with ledger.writing() as writing:
            open_spaces(writing)
            writing.put_turns(space, burst)
            for turn in (*spread, *zoned):
                writing.put_turns(space, [turn])
            writing.delete_turns(space, [turn.turn_id for turn in burst[::3]])
            writing.put_turns(space, [a_turn(5000 + n, hours=1) for n in range(UNIT_TURNS)])
        with ledger.reading() as reading:
            units = reading.turn_units(space)
            held = {unit: reading.turns(space, unit=unit) for unit in units}
            assert all(0 < len(turns) <= UNIT_TURNS for turns in held.values())
            assert all(len({turn.day for turn in turns}) == 1 for turns in held.values())
            every = sorted(turn.turn_id for turns in held.values() for turn in turns)
            assert every == sorted(turn.turn_id for turn in reading.turns(space))
            days = Counter(turn.day for turn in reading.turns(space))
            per_day = Counter(turns[0].day for turns in held.values())
            assert days["2024-03-01"] > 3 * UNIT_TURNS
            assert all(per_day[day] <= 2 + count // (UNIT_TURNS // 2) for day, count in days.items())

    @in_each
    def test_a_turn_that_is_added_leaves_the_rest_shown(self, ledger: Ledger, space: str) -> None:
        """One that has changed is shown no more until it is made again, the others of its unit are."""
        gate = gate_of(space, WORLD)
        with ledger.writing() as writing:
            open_spaces(writing)
            say(writing, space, [a_turn(1), a_turn(2), a_turn(3, hours=40)])
            units = writing.put_turns(space, [a_turn(4)]).units
            _lag(writing, space, units)
            assert shown(writing, gate) == ["D1:1", "D1:2", "D1:3"]
            assert _pending(writing, space) == 1
            units = writing.put_turns(space, [replace(a_turn(2), text="changed")]).units
            _lag(writing, space, units)
            assert shown(writing, gate) == ["D1:1", "D1:3"]
            assert _words(writing, gate, "2") == []
            assert _pending(writing, space) == 2
            remember_units(writing, space, writing.due(space, TURNS))
            assert shown(writing, gate) == ["D1:1", "D1:2", "D1:4", "D1:3"]
            assert _words(writing, gate, "changed") == ["D1:2"]
            assert _pending(writing, space) == 0

    @in_each
    def test_a_turn_that_moves_leaves_its_unit(self, ledger: Ledger, space: str) -> None:
        """Both units are named; it is never shown twice."""
        with ledger.writing() as writing:
            open_spaces(writing)
            say(writing, space, [a_turn(1), a_turn(2, hours=40)])
            units = writing.put_turns(space, [a_turn(1, hours=41)]).units
            assert units == ("2024-03-01", "2024-03-03")
            assert shown(writing, gate_of(space, WORLD)) == ["D1:2"]
            remember_units(writing, space, units)
            assert shown(writing, gate_of(space, WORLD)) == ["D1:2", "D1:1"]
            assert writing.turn_units(space) == writing.units(space) == ("2024-03-03",)

    @in_each
    def test_a_deleted_turn_is_gone_at_once(self, ledger: Ledger, space: str) -> None:
        """What it said is in no index either, and the others of its unit stay."""
        gate = gate_of(space, WORLD)
        with ledger.writing() as writing:
            open_spaces(writing)
            say(writing, space, [a_turn(1), a_turn(2, text="列車 が 来た"), a_turn(3)])
        with ledger.reading() as reading:
            assert _words(reading, gate, "1", "列車") == ["D1:1", "D1:2"]
        with ledger.writing() as writing:
            changes = writing.delete_turns(space, ["D1:2", "nix"])
            assert (changes.turns, changes.units) == (("D1:2",), ("2024-03-01",))
            again = writing.delete_turns(space, ["D1:2"])
            assert (again.turns, again.units) == ((), ())
        with ledger.reading() as reading:
            assert shown(reading, gate) == ["D1:1", "D1:3"]
            assert _words(reading, gate, "列車") == []
            assert sorted(_words(reading, gate, "turn")) == ["D1:1", "D1:3"]
            near = reading.vectors.nearest(np.ones(8, dtype=np.float32), gate=gate, top_k=9)
            assert {one.fact_id for one in near} == {"D1:1", "D1:3"}
            assert reading.turn(space, "D1:2") is None

    @in_each
    def test_the_others_of_a_unit_are_found_as_if_the_one_never_was(self, ledger: Ledger, space: str) -> None:
        """By words with exact counts, and by likeness, after one of them was taken out or deleted."""
        gate, question = gate_of(space, WORLD), np.ones(8, dtype=np.float32)
        said = [a_turn(n, text=f"{'night ' * n}夜 turn {n}") for n in range(1, 6)]

        def asked(reading: View) -> list[list[tuple[str, float]]]:
            words = (["night"], ["夜", "turn"], ["3"])
            found = [reading.keywords.matching(each, gate=gate, top_k=9) for each in words]
            found.append(reading.vectors.nearest(question, gate=gate, top_k=9))
            return [[(one.fact_id, one.score) for one in each] for each in found]

        with ledger.writing() as writing:
            open_spaces(writing)
            (unit,) = say(writing, space, said)
        with ledger.writing() as writing:
            writing.delete_turns(space, ["D1:3"])
        with ledger.reading() as reading:
            after = asked(reading)
        with ledger.writing() as writing:
            remember_units(writing, space, [unit])
        with ledger.reading() as reading:
            assert asked(reading) == after
        assert [len(found) for found in after] == [4, 4, 0, 4]

    @in_each
    def test_a_gate_parts_a_unit(self, ledger: Ledger, space: str) -> None:
        """By the moment, in the middle of a unit, and by who holds what."""
        said = [
            a_turn(1),
            a_turn(2, held=known_by("rin")),
            a_turn(3, held=known_by("rin", "himuro")),
            a_turn(4),
        ]
        with ledger.writing() as writing:
            open_spaces(writing)
            units = writing.put_turns(space, said).units
            _lag(writing, space, units)
            assert _pending(writing, space, WORLD, "himuro", upto=said[2].at) == 2
            remember_units(writing, space, units)
        with ledger.reading() as reading:
            assert shown(reading, gate_of(space, WORLD)) == ["D1:1", "D1:4"]
            assert shown(reading, gate_of(space, WORLD, "himuro", upto=said[2].at)) == ["D1:1", "D1:3"]
            assert shown(reading, gate_of(space, WORLD, "rin", upto=said[2].at - 1)) == ["D1:1", "D1:2"]
            assert shown(reading, gate_of("user:other", WORLD)) == []
            for upto, wanted in ((said[0].at, 1), (said[3].at - 1, 1), (said[3].at, 2)):
                near = reading.vectors.nearest(
                    np.ones(8, dtype=np.float32), gate=gate_of(space, WORLD, upto=upto), top_k=9
                )
                assert len(near) == wanted

    @in_each
    def test_neighbours_are_inside_the_gate(self, ledger: Ledger, space: str) -> None:
        """What stands between and may not be known is as if it had not been said."""
        said = [a_turn(1), a_turn(2, held=known_by("rin")), a_turn(3), a_turn(4, session="2"), a_turn(5)]
        with ledger.writing() as writing:
            open_spaces(writing)
            say(writing, space, said)
        with ledger.reading() as reading:
            for holders, upto, wanted in (
                ((WORLD,), ALWAYS, {"D1:1": ["D1:3"], "D1:3": ["D1:1", "D1:5"], "D1:5": ["D1:3"]}),
                (
                    (WORLD, "rin"),
                    said[2].at,
                    {"D1:1": ["D1:2"], "D1:2": ["D1:1", "D1:3"], "D1:3": ["D1:2"]},
                ),
            ):
                gate = gate_of(space, *holders, upto=upto)
                names = {memory.key: memory.fact_id for memory in reading.admitted(gate)}
                beside = reading.neighbours(gate, names.keys())
                assert {names[key]: [names[one] for one in found] for key, found in beside.items()} == wanted

    def test_neighbours_are_of_one_space(self, ledger: Ledger) -> None:
        """A session of the same name elsewhere is another."""
        with ledger.writing() as writing:
            open_spaces(writing)
            for at, space in enumerate(TOLD):
                say(writing, space, [a_turn(10 * at + n) for n in (1, 2)])
        with ledger.reading() as reading:
            gate = Gate(tuple(part for space in TOLD for part in gate_of(space, WORLD).slices))
            names = {memory.key: memory.fact_id for memory in reading.admitted(gate)}
            beside = reading.neighbours(gate, names.keys())
            assert {names[key]: [names[one] for one in found] for key, found in beside.items()} == {
                "D1:1": ["D1:2"],
                "D1:2": ["D1:1"],
                "D1:11": ["D1:12"],
                "D1:12": ["D1:11"],
            }

    @in_each
    def test_voices_are_those_inside_the_gate(self, ledger: Ledger, space: str) -> None:
        """Each with the first moment it is heard."""
        said = [a_turn(1), a_turn(2, held=known_by("rin")), a_turn(4, held=known_by("rin")), a_turn(6)]
        with ledger.writing() as writing:
            open_spaces(writing)
            say(writing, space, said)
        with ledger.reading() as reading:
            assert reading.voices(gate_of(space, WORLD)) == {"アン": said[0].at, "Ben": said[3].at}
            assert reading.voices(gate_of(space, WORLD, "rin")) == {"アン": said[0].at, "Ben": said[1].at}
            assert reading.voices(gate_of(space, WORLD, upto=said[3].at - 1)) == {"アン": said[0].at}
            assert reading.voices(gate_of(space, "himuro")) == {}
        with ledger.writing() as writing:
            writing.delete_turns(space, ["D1:1"])
        with ledger.reading() as reading:
            assert reading.voices(gate_of(space, WORLD)) == {"Ben": said[3].at}

    @in_each
    def test_what_is_derived_of_a_unit_can_be_looked_at(self, ledger: Ledger, space: str) -> None:
        """Each memory is shown, has its own terms and its vector."""
        with ledger.writing() as writing:
            open_spaces(writing)
            (unit,) = say(writing, space, [a_turn(1), a_turn(2, held=known_by("rin", "himuro"))])
        with ledger.reading() as reading:
            memories = reading.memories(space)
            states = reading.memory_states(space, unit)
            assert states.keys() == {memory.memory_id for memory in memories}
            assert len(memories) == 3
            vectors = {memory.text_hash: a_vector(memory) for memory in memories}
            for memory in memories:
                state = states[memory.memory_id]
                assert (state.live, state.embedder_id) == (True, "any-1")
                assert state.vector == vectors[memory.text_hash]
                assert len(state.terms) == 4
            assert reading.known_vectors((space,), "any-1", vectors) == vectors
            assert reading.known_vectors((space,), "any-2", vectors) == {}

    @in_each
    def test_a_memory_of_a_turn_comes_back_as_made(self, ledger: Ledger, space: str) -> None:
        """With who said it, when, and what a picture showed."""
        turn = a_turn(1, text=ODD[3], caption=ODD[2], extra=EXTRA, arousal=0.25, held=known_by("rin", "氷室"))
        with ledger.writing() as writing:
            open_spaces(writing)
            say(writing, space, [turn])
        with ledger.reading() as reading:
            assert plain(reading.memories(space)) == sorted(
                turn_memories(space, turn), key=lambda memory: memory.holder
            )

    @in_each
    @pytest.mark.parametrize("forget", [False, True])
    def test_all_units_can_be_made_to_lag(self, ledger: Ledger, space: str, forget: bool) -> None:
        """Shown meanwhile, or forgotten at once."""
        with ledger.writing() as writing:
            open_spaces(writing)
            for each in TOLD:
                say(writing, each, [a_turn(1), a_turn(2, hours=50)])
            if forget:
                writing.forget_units(space)
            _lag(writing, space, writing.turn_units(space))
            assert len(writing.due(space, TURNS)) == 2
            assert _pending(writing, space) == (2 if forget else 0)
            for other in set(TOLD) - {space}:
                assert writing.due(other, TURNS) == ()
                assert shown(writing, gate_of(other, WORLD)) == ["D1:1", "D1:2"]
            assert shown(writing, gate_of(space, WORLD)) == ([] if forget else ["D1:1", "D1:2"])
            remember_units(writing, space, writing.due(space, TURNS))
            assert shown(writing, gate_of(space, WORLD)) == ["D1:1", "D1:2"]

    def test_a_user_is_deleted_whole(self, ledger: Ledger) -> None:
        """And made again it is empty; another user and the stories stay."""
        with ledger.writing() as writing:
            fill(writing)
            stories = everything(writing, "s")
            for user_id in ("u", "other"):
                writing.put_user(a_user(user_id))
                say(writing, f"user:{user_id}", [a_turn(1)])
            writing.put_uses("user:u", "rin", ["D1:1"], upto=5, at="2024")
            writing.stage_vectors("user:u", "new-1", {"x": b"1234"})
            writing.delete_user("u")
            assert [user.user_id for user in writing.users()] == ["other"]
            writing.put_user(a_user())
            left = (writing.turns("user:u"), writing.memories("user:u"), writing.units("user:u"))
            assert left == ((), (), ())
            assert writing.work("user:u", TURNS) == {}
            assert writing.uses("user:u", "rin", ["D1:1"], upto=9) == {}
            assert writing.staged_vectors("user:u", "new-1", ["x"]) == {}
            assert shown(writing, gate_of("user:u", WORLD)) == []
            assert shown(writing, gate_of("user:other", WORLD)) == ["D1:1"]
            assert everything(writing, "s") == stories
        assert ledger.problems() == ()

    def test_a_user_given_another_id_keeps_all(self, ledger: Ledger) -> None:
        """The old id is free."""
        with ledger.writing() as writing:
            writing.put_user(a_user())
            say(writing, "user:u", [a_turn(1), a_turn(2)])
        with ledger.reading() as reading:
            assert shown(reading, gate_of("user:u", WORLD)) == ["D1:1", "D1:2"]
        with ledger.writing() as writing:
            writing.rename_user("u", "v")
        with ledger.reading() as reading:
            assert reading.users() == (a_user("v"),)
            assert reading.user("u") is None
            assert len(reading.turns("user:v")) == 2
            for user_id, wanted in (("u", 0), ("v", 2)):
                gate = gate_of(f"user:{user_id}", WORLD)
                assert len(shown(reading, gate)) == wanted
                assert len(_words(reading, gate, "turn")) == wanted
        with ledger.writing() as writing:
            writing.put_user(a_user())
            assert writing.turns("user:u") == ()

    def test_talk_is_held_at_places_of_a_story(self, ledger: Ledger) -> None:
        """Each with the number its episode has now; what was held at a deleted one is left out."""
        places = ("e1", "e3", place_after("e3"))
        with ledger.writing() as writing:
            open_spaces(writing)
            writing.put_story(a_story("t"))
            for place in places:
                writing.put_space(a_space(talk_space("s", "u", place)))
            writing.put_space(a_space(talk_space("t", "u", place_after(None))))
            one, two, three = (talk_space("s", "u", f"e{no}") for no in (1, 2, 3))
            after = talk_space("s", "u", place_after("e3"))
            assert set(writing.talks("s", "u")) == {
                TalkState(space=one, no=1, order_key=GAP),
                TalkState(space=two, no=2, order_key=2 * GAP),
                TalkState(space=three, no=3, order_key=3 * GAP),
                TalkState(space=after, no=4, order_key=3 * GAP),
            }
            (start,) = writing.talks("t", "u")
            assert (start.no, start.order_key) == (1, None)
            assert writing.talks("s", "nobody") == writing.talks("nobody", "u") == ()
            writing.set_numbers("s", {"e1": 3, "e3": 1}, {"e1": 3 * GAP, "e3": GAP})
            assert {(state.space, state.no) for state in writing.talks("s", "u")} == {
                (one, 3),
                (two, 2),
                (three, 1),
                (after, 2),
            }
            writing.set_deleted("s", "e3", "2024")
            assert {state.space for state in writing.talks("s", "u")} == {one, two}

    @pytest.mark.parametrize("with_vectors", [False, True])
    @in_each
    def test_a_backup_holds_turns_and_no_vectors(
        self, ledger: Ledger, tmp_path: Path, space: str, with_vectors: bool
    ) -> None:
        """Every unit lags in it, and what is made again is what was; with the vectors of stories too."""
        with ledger.writing() as writing:
            open_spaces(writing)
            units = say(writing, space, [a_turn(1), a_turn(2, hours=50, text=ODD[2])])
            turns, memories = writing.turns(space), plain(writing.memories(space))
        ledger.backup(tmp_path / "copy.db", with_vectors=with_vectors)
        copy = self.open_backup(tmp_path / "copy.db")
        try:
            with copy.writing() as writing:
                assert writing.turns(space) == turns
                assert writing.due(space, TURNS) == units
                assert shown(writing, gate_of(space, WORLD)) == []
                assert _pending(writing, space) == 2
                remember_units(writing, space, units)
                assert plain(writing.memories(space)) == memories
                assert shown(writing, gate_of(space, WORLD)) == ["D1:1", "D1:2"]
        finally:
            copy.close()

    @in_each
    def test_pending_turns_are_those_the_asker_would_hold(self, ledger: Ledger, space: str) -> None:
        """What has been given up is pending too; what is in memory although its unit lags is not."""
        said: list[Turn] = [a_turn(1), a_turn(2, held=known_by("rin")), a_turn(3, hours=30)]
        with ledger.writing() as writing:
            open_spaces(writing)
            units = writing.put_turns(space, said).units
            _lag(writing, space, units)
            assert _pending(writing, space, WORLD) == 2
            assert _pending(writing, space, "rin") == 3
            assert _pending(writing, space, "himuro", upto=said[1].at) == 1
            for unit in units:
                (held,) = writing.work(space, TURNS, unit).values()
                dead = Work(fingerprint=held.wanted, outcome=Outcome.DEAD, attempts=3)
                writing.put_work(space, TURNS, unit, dead)
            assert writing.due(space, TURNS) == ()
            assert _pending(writing, space, WORLD) == 2
            remember_units(writing, space, units)
            wanted = Wanted(fingerprint="another " + PRINT, position=0)
            writing.want(space, TURNS, dict.fromkeys(units, wanted))
            assert _pending(writing, space, WORLD, "rin") == 0
