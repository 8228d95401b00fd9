"""The part of the ledger's contract about conversations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from kataribe.domain.conversation import Turn, User, turn_memories, user_space
from kataribe.domain.gate import Gate, Slice
from kataribe.domain.ids import WORLD
from kataribe.domain.memory import Memory
from kataribe.domain.records import Trace, Use
from kataribe.domain.story import PUBLIC, Audience, known_by
from kataribe.ports import Ledger, Transaction, View
from kataribe.testing.ledger_world import EXTRA, ODD, a_story, fill
from kataribe.testing.ledger_world import everything as story_everything

DAY = datetime(2024, 3, 1, 12, tzinfo=UTC)
ALWAYS = 2**60


def a_user(user_id: str = "u", **more: object) -> User:
    """Make a user."""
    made = User(user_id=user_id, language="ja", embedder="any", embedder_id="any-1", extra=EXTRA)
    return replace(made, **more)  # type: ignore[arg-type]


def a_turn(number: int, *, hours: float | None = None, held: Audience = PUBLIC, **more: object) -> Turn:
    """Make the turn of this number, said that many hours after noon of a day (else its number)."""
    made = Turn(
        turn_id=f"D1:{number}",
        session="1",
        speaker="アン" if number % 2 else "Ben",
        text=f"turn {number}",
        time=DAY + timedelta(hours=number if hours is None else hours),
        audience=held,
    )
    return replace(made, **more)  # type: ignore[arg-type]


def vectors_of(memories: Sequence[Memory]) -> dict[str, bytes]:
    """Make a vector of unit length for each text."""
    found = {}
    for memory in memories:
        vector = np.zeros(4, dtype="<f4")
        vector[int(memory.text_hash[0], 16) % 4] = 1.0
        found[memory.text_hash] = vector.tobytes()
    return found


def remember_all(writing: Transaction, user: User) -> None:
    """Make the memory of every lagging page, as the way of a turn does."""
    for page in writing.lagging_pages(user.user_id):
        said = writing.turns(user.user_id, page=page)
        memories = [one for turn in said for one in turn_memories(user, turn)]
        writing.replace_page(
            user.user_id,
            page,
            memories,
            terms={memory.fact_id: memory.text.split() for memory in memories},
            vectors=vectors_of(memories),
            embedder_id=user.embedder_id,
        )


def gate_of(user_id: str, *holders: str, upto: int = ALWAYS) -> Gate:
    """Make a gate on a user's space."""
    return Gate(tuple(Slice(user_space(user_id), holder, upto) for holder in holders))


def shown(reading: View, gate: Gate) -> list[str]:
    """Give the ids of the turns a gate admits, in order."""
    return [memory.fact_id for memory in reading.admitted(gate)]


class LedgerTalk:
    """What every `Ledger` promises about users and their turns."""

    def open_backup(self, path: Path) -> Ledger:
        """Open a copy that `backup` wrote."""
        raise NotImplementedError

    def test_turns_come_back_as_they_were_said(self, ledger: Ledger) -> None:
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
            writing.put_user(a_user())
            assert writing.put_turns("u", [*said, *same]) == len(said) + 3
        with ledger.reading() as reading:
            found = reading.turns("u")
            assert len(found) == len(said) + 3
            assert {turn.turn_id: turn for turn in found} == {t.turn_id: t for t in (*said, *same)}
            order = [(turn.at, turn.session, turn.ordinal, turn.turn_id) for turn in found]
            assert order == sorted(order)
            assert reading.turn("u", "D1:2") == said[2]
            assert reading.turn("u", "nix") is None
            assert {turn.session for turn in reading.turns("u", session="s 1")} == {"s 1"}
            page = said[0].page
            assert all(turn.page == page for turn in reading.turns("u", page=page))
            assert (reading.user("u"), reading.user("nobody")) == (a_user(), None)

    def test_only_what_is_new_or_another_counts(self, ledger: Ledger) -> None:
        """And only its pages lag."""
        user = a_user()
        first, second = a_turn(1), a_turn(2, hours=30)
        with ledger.writing() as writing:
            writing.put_user(user)
            assert writing.put_turns("u", [first, second]) == 2
            assert writing.lagging_pages("u") == (first.page, second.page)
            remember_all(writing, user)
            assert writing.lagging_pages("u") == ()
            assert writing.put_turns("u", [first, second]) == 0
            assert writing.lagging_pages("u") == ()
            assert writing.put_turns("u", [replace(second, text="another"), first]) == 1
            assert writing.lagging_pages("u") == (second.page,)

    def test_what_is_never_remembered_is_not_waited_for(self, ledger: Ledger) -> None:
        """A turn of the system's is stored like any other; it is no turn that memory lacks."""
        with ledger.writing() as writing:
            writing.put_user(a_user())
            told = [
                replace(a_turn(no), speaker=who) for no, who in enumerate(("Ｓｙｓｔｅｍ", "TOOL", "Ann"))
            ]
            assert writing.put_turns("u", told) == 3
            assert len(writing.turns("u")) == 3
            assert writing.pending_turns("u", holders={WORLD}, upto=ALWAYS) == 1

    def test_a_page_that_only_grows_is_shown_as_it_was(self, ledger: Ledger) -> None:
        """One that loses what it held is not shown until it is made again."""
        user, gate = a_user(), gate_of("u", WORLD)
        with ledger.writing() as writing:
            writing.put_user(user)
            writing.put_turns("u", [a_turn(1), a_turn(2), a_turn(3, hours=40)])
            remember_all(writing, user)
            writing.put_turns("u", [a_turn(4)])
            assert shown(writing, gate) == ["D1:1", "D1:2", "D1:3"]
            assert writing.pending_turns("u", holders={WORLD}, upto=ALWAYS) == 1
            writing.put_turns("u", [replace(a_turn(2), text="changed")])
            assert shown(writing, gate) == ["D1:3"]
            assert writing.pending_turns("u", holders={WORLD}, upto=ALWAYS) == 3
            remember_all(writing, user)
            assert shown(writing, gate) == ["D1:1", "D1:2", "D1:4", "D1:3"]
            assert writing.pending_turns("u", holders={WORLD}, upto=ALWAYS) == 0

    def test_a_turn_that_moves_leaves_its_page(self, ledger: Ledger) -> None:
        """Both pages are made again; it is never shown twice."""
        user = a_user()
        with ledger.writing() as writing:
            writing.put_user(user)
            writing.put_turns("u", [a_turn(1), a_turn(2, hours=40)])
            remember_all(writing, user)
            writing.put_turns("u", [a_turn(1, hours=41)])
            assert len(writing.lagging_pages("u")) == 2
            assert shown(writing, gate_of("u", WORLD)) == ["D1:2"]
            remember_all(writing, user)
            assert shown(writing, gate_of("u", WORLD)) == ["D1:2", "D1:1"]
            assert writing.remembered_pages("u") == (a_turn(2, hours=40).page,)

    def test_a_deleted_turn_is_gone_at_once(self, ledger: Ledger) -> None:
        """What it said is in no index either."""
        user, gate = a_user(), gate_of("u", WORLD)
        with ledger.writing() as writing:
            writing.put_user(user)
            writing.put_turns("u", [a_turn(1), a_turn(2)])
            remember_all(writing, user)
        with ledger.writing() as writing:
            assert writing.delete_turns("u", ["D1:1", "nix"]) == 1
        with ledger.writing() as writing:
            assert shown(writing, gate) == []
            assert writing.keywords.matching(["1", "turn"], gate=gate, top_k=9) == ()
            remember_all(writing, user)
        with ledger.reading() as reading:
            assert shown(reading, gate) == ["D1:2"]
            found = reading.keywords.matching(["1", "turn"], gate=gate, top_k=9)
            assert [candidate.fact_id for candidate in found] == ["D1:2"]

    def test_a_gate_parts_a_page(self, ledger: Ledger) -> None:
        """By the moment, in the middle of a page, and by who holds what."""
        user = a_user()
        said = [
            a_turn(1),
            a_turn(2, held=known_by("rin")),
            a_turn(3, held=known_by("rin", "himuro")),
            a_turn(4),
        ]
        with ledger.writing() as writing:
            writing.put_user(user)
            writing.put_turns("u", said)
            assert writing.pending_turns("u", holders={WORLD, "himuro"}, upto=said[2].at) == 2
            remember_all(writing, user)
        with ledger.reading() as reading:
            assert shown(reading, gate_of("u", WORLD)) == ["D1:1", "D1:4"]
            assert shown(reading, gate_of("u", WORLD, "himuro", upto=said[2].at)) == ["D1:1", "D1:3"]
            assert shown(reading, gate_of("u", WORLD, "rin", upto=said[2].at - 1)) == ["D1:1", "D1:2"]
            assert shown(reading, gate_of("other", WORLD)) == []
            for upto, wanted in ((said[0].at, 1), (said[3].at - 1, 1), (said[3].at, 2)):
                near = reading.vectors.nearest(
                    np.ones(4, dtype=np.float32), gate=gate_of("u", WORLD, upto=upto), top_k=9
                )
                assert len(near) == wanted

    def test_neighbours_are_inside_the_gate(self, ledger: Ledger) -> None:
        """What stands between and may not be known is as if it had not been said."""
        user = a_user()
        said = [a_turn(1), a_turn(2, held=known_by("rin")), a_turn(3), a_turn(4, session="2"), a_turn(5)]
        with ledger.writing() as writing:
            writing.put_user(user)
            writing.put_turns("u", said)
            remember_all(writing, user)
        with ledger.reading() as reading:
            for holders, upto, wanted in (
                ((WORLD,), ALWAYS, {"D1:1": ["D1:3"], "D1:3": ["D1:1", "D1:5"], "D1:5": ["D1:3"]}),
                (
                    (WORLD, "rin"),
                    said[2].at,
                    {"D1:1": ["D1:2"], "D1:2": ["D1:1", "D1:3"], "D1:3": ["D1:2"]},
                ),
            ):
                gate = gate_of("u", *holders, upto=upto)
                names = {memory.key: memory.fact_id for memory in reading.admitted(gate)}
                beside = reading.neighbours(gate, names.keys())
                assert {names[key]: [names[one] for one in found] for key, found in beside.items()} == wanted

    def test_what_is_derived_of_a_page_can_be_looked_at(self, ledger: Ledger) -> None:
        """Each memory is shown, has its own terms and its vector."""
        user = a_user()
        with ledger.writing() as writing:
            writing.put_user(user)
            writing.put_turns("u", [a_turn(1), a_turn(2, held=known_by("rin", "himuro"))])
            remember_all(writing, user)
        with ledger.reading() as reading:
            memories = reading.turn_memories("u")
            states = reading.turn_states("u", a_turn(1).page)
            assert states.keys() == {memory.memory_id for memory in memories}
            assert len(memories) == 3
            vectors = vectors_of(memories)
            for memory in memories:
                state = states[memory.memory_id]
                assert (state.live, state.embedder_id) == (True, "any-1")
                assert state.vector == vectors[memory.text_hash]
                assert len(state.terms) == 2
            assert reading.known_vectors("any-1", vectors) == vectors
            assert reading.known_vectors("any-2", vectors) == {}

    @pytest.mark.parametrize("forget", [False, True])
    def test_all_pages_can_be_made_to_lag(self, ledger: Ledger, forget: bool) -> None:
        """Shown meanwhile, or forgotten at once."""
        user = a_user()
        with ledger.writing() as writing:
            writing.put_user(user)
            writing.put_user(a_user("other"))
            for user_id in ("u", "other"):
                writing.put_turns(user_id, [a_turn(1), a_turn(2, hours=50)])
            remember_all(writing, user)
            remember_all(writing, a_user("other"))
            assert writing.lag_pages("u", forget=forget) == 2
            assert len(writing.lagging_pages("u")) == 2
            assert writing.lagging_pages("other") == ()
            assert shown(writing, gate_of("u", WORLD)) == ([] if forget else ["D1:1", "D1:2"])
            assert shown(writing, gate_of("other", WORLD)) == ["D1:1", "D1:2"]
            remember_all(writing, user)
            assert shown(writing, gate_of("u", WORLD)) == ["D1:1", "D1:2"]

    def test_a_user_is_deleted_whole(self, ledger: Ledger) -> None:
        """And made again it is empty; another user and the stories stay."""
        with ledger.writing() as writing:
            fill(writing)
            stories = story_everything(writing, "s")
            for user_id in ("u", "other"):
                writing.put_user(a_user(user_id))
                writing.put_turns(user_id, [a_turn(1)])
                remember_all(writing, a_user(user_id))
            writing.put_user_traces([self.a_trace()])
            writing.put_uses(user_space("u"), "rin", ["D1:1"], upto=5, at="2024")
            writing.delete_user("u")
            assert [user.user_id for user in writing.users()] == ["other"]
            writing.put_user(a_user())
            assert writing.turns("u") == ()
            assert writing.turn_memories("u") == ()
            assert writing.lagging_pages("u") == ()
            assert writing.user_traces("u", last=9) == ()
            assert writing.uses(user_space("u"), "rin", ["D1:1"], upto=9) == {}
            assert shown(writing, gate_of("u", WORLD)) == []
            assert shown(writing, gate_of("other", WORLD)) == ["D1:1"]
            assert story_everything(writing, "s") == stories

    def test_a_user_given_another_id_keeps_all(self, ledger: Ledger) -> None:
        """The old id is free."""
        with ledger.writing() as writing:
            writing.put_user(a_user())
            writing.put_turns("u", [a_turn(1), a_turn(2)])
            remember_all(writing, a_user())
        with ledger.reading() as reading:
            assert shown(reading, gate_of("u", WORLD)) == ["D1:1", "D1:2"]
        with ledger.writing() as writing:
            writing.rename_user("u", "v")
        with ledger.reading() as reading:
            assert [user.user_id for user in reading.users()] == ["v"]
            assert len(reading.turns("v")) == 2
            for user_id, wanted in (("u", 0), ("v", 2)):
                gate = gate_of(user_id, WORLD)
                assert len(shown(reading, gate)) == wanted
                assert len(reading.keywords.matching(["turn"], gate=gate, top_k=9)) == wanted

    def test_sweeping_stories_leaves_conversations(self, ledger: Ledger) -> None:
        """A rebuild of stories sweeps what is of no episode; turns are of none."""
        with ledger.writing() as writing:
            writing.put_story(a_story())
            writing.put_user(a_user())
            writing.put_turns("u", [a_turn(1)])
            remember_all(writing, a_user())
            writing.sweep()
            assert shown(writing, gate_of("u", WORLD)) == ["D1:1"]
            assert writing.turn_states("u", a_turn(1).page)["turn:D1:1:world"].vector is not None

    def test_a_backup_holds_turns_and_no_vectors(self, ledger: Ledger, tmp_path: Path) -> None:
        """Every page lags in it, and what is made again is what was."""
        user = a_user()
        with ledger.writing() as writing:
            writing.put_user(user)
            writing.put_turns("u", [a_turn(1), a_turn(2, hours=50, text=ODD[2])])
            remember_all(writing, user)
            turns, memories = writing.turns("u"), [replace(m, key=0) for m in writing.turn_memories("u")]
        ledger.backup(tmp_path / "copy.db")
        copy = self.open_backup(tmp_path / "copy.db")
        try:
            with copy.writing() as writing:
                assert writing.turns("u") == turns
                assert writing.lagging_pages("u") == tuple(sorted({turn.page for turn in turns}))
                assert shown(writing, gate_of("u", WORLD)) == []
                assert writing.pending_turns("u", holders={WORLD}, upto=ALWAYS) == 2
                remember_all(writing, user)
                assert [replace(memory, key=0) for memory in writing.turn_memories("u")] == memories
        finally:
            copy.close()

    def test_uses_are_counted_for_one_viewer_up_to_a_moment(self, ledger: Ledger) -> None:
        """What it used later, or another used, does not count."""
        space = user_space("u")
        with ledger.writing() as writing:
            writing.put_user(a_user())
            writing.put_uses(space, "rin", ["D1:1", "D1:2"], upto=5, at="2024-01-02")
            writing.put_uses(space, "rin", ["D1:1"], upto=5, at="2024-01-01")
            writing.put_uses(space, "rin", ["D1:1"], upto=8, at="2024-01-03")
            writing.put_uses(space, "himuro", ["D1:2"], upto=5, at="2024-01-09")
        with ledger.reading() as reading:
            asked = ["D1:1", "D1:2", "nix"]
            assert reading.uses(space, "rin", asked, upto=4) == {}
            assert reading.uses(space, "rin", asked, upto=5) == {
                "D1:1": Use(times=2, last="2024-01-02"),
                "D1:2": Use(times=1, last="2024-01-02"),
            }
            assert reading.uses(space, "rin", ["D1:1"], upto=8)["D1:1"].times == 3
            assert reading.uses(user_space("other"), "rin", asked, upto=9) == {}

    def test_vectors_made_ahead_are_kept_by_embedder(self, ledger: Ledger) -> None:
        """And forgotten by embedder."""
        with ledger.writing() as writing:
            writing.put_embeddings("a-1", {"x": b"1234", "y": b"5678"})
            writing.put_embeddings("a-1", {"x": b"abcd"})
            writing.put_embeddings("b-1", {"x": b"9999"})
            assert writing.embeddings("a-1", ["x", "y", "z"]) == {"x": b"abcd", "y": b"5678"}
            writing.clear_embeddings("a-1")
            assert writing.embeddings("a-1", ["x", "y"]) == {}
            assert writing.embeddings("b-1", ["x"]) == {"x": b"9999"}

    def test_traces_of_a_user_come_newest_first(self, ledger: Ledger) -> None:
        """Those of users that are gone are dropped."""
        with ledger.writing() as writing:
            writing.put_user(a_user())
            writing.put_user_traces([self.a_trace(verb) for verb in ("recall", "known")])
            writing.put_user_traces([replace(self.a_trace(), user="gone")])
        with ledger.reading() as reading:
            found = reading.user_traces("u", last=9)
            assert found == (self.a_trace("known"), self.a_trace("recall"))
            assert reading.user_traces("u", last=1) == found[:1]
            assert reading.user_traces("gone", last=9) == ()

    def test_only_the_last_traces_stay_where_a_number_is_told(self, ledger: Ledger) -> None:
        """Of each user what it wrote, and of nobody who wrote nothing."""
        with ledger.writing() as writing:
            for name in ("u", "v"):
                writing.put_user(replace(a_user(), user_id=name))
                writing.put_user_traces([replace(self.a_trace(str(no)), user=name) for no in range(4)])
            writing.put_user_traces([self.a_trace("last")], keep=3)
            assert [one.verb for one in writing.user_traces("u", last=9)] == ["last", "3", "2"]
            assert len(writing.user_traces("v", last=9)) == 4
            writing.put_user_traces([self.a_trace("none")], keep=0)
            assert writing.user_traces("u", last=9) == ()

    def a_trace(self, verb: str = "recall") -> Trace:
        """Make a trace in a user's space."""
        return Trace(
            at="2001-02-03T04:05:06+00:00",
            user="u",
            character="rin",
            as_of="2024-03-01T12:00:00+00:00",
            verb=verb,
            filter={"天気": 1},
            slices=("world as of x",),
            ids=("turn:D1:1:world",),
        )
