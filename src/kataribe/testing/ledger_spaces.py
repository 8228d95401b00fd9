"""What every ledger promises of spaces."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kataribe.domain.records import SpaceState
from kataribe.domain.space import place_after, story_space, talk_space, user_space
from kataribe.errors import StoreError
from kataribe.ports import Ledger, Transaction, View
from kataribe.testing.ledger_world import (
    GAP,
    SPACES,
    a_space,
    a_story,
    a_thing,
    a_turn,
    a_user,
    an_episode,
    everything,
    fill,
    gate_of,
    open_spaces,
    plain,
    put_things,
    say,
    shown,
)


def _names(states: tuple[SpaceState, ...]) -> list[str]:
    return [state.space for state in states]


def _talk_everywhere(writing: Transaction) -> None:
    """Say two turns in each space of a user's."""
    open_spaces(writing)
    for space in SPACES[1:]:
        say(writing, space, [a_turn(1), a_turn(2)])


def _kept(reading: View, space: str) -> tuple[list[str], int, list[str]]:
    """Give the turns of a space, how many memories it has, and what its gate admits."""
    turns = [turn.turn_id for turn in reading.turns(space)]
    return turns, len(reading.memories(space)), shown(reading, gate_of(space, "world"))


def _all_of(reading: View, space: str) -> tuple[object, ...]:
    gate = gate_of(space, "world")
    return (
        reading.turns(space),
        [replace(one, space="") for one in plain(reading.memories(space))],
        {unit: reading.memory_states(space, unit) for unit in reading.units(space)},
        reading.turn_units(space),
        [(one.fact_id, one.score) for one in reading.keywords.matching(("word",), gate=gate, top_k=9)],
    )


class SpacesContract:
    """What every ledger promises of spaces."""

    def test_spaces_come_back_as_sent(self, ledger: Ledger) -> None:
        """By name; those of stories and users are made with them, and all can be put again."""
        with ledger.writing() as writing:
            open_spaces(writing)
            writing.put_space(a_space(SPACES[2], language="en", embedder="b", embedder_id="b-2"))
            writing.put_story(a_story(embedder_id="any-2"))
        with ledger.reading() as reading:
            assert _names(reading.spaces()) == sorted(SPACES)
            assert reading.space(SPACES[0]) == a_space(SPACES[0], embedder_id="any-2")
            assert reading.space(SPACES[1]) == a_space(SPACES[1])
            told = reading.space(SPACES[2])
            assert told == a_space(SPACES[2], language="en", embedder="b", embedder_id="b-2")
            assert (told.parsed.story, told.parsed.user, told.parsed.place) == ("s", "u", "e2")
            assert reading.space("story:nobody") is None

    def test_spaces_are_asked_for_by_story_and_user(self, ledger: Ledger) -> None:
        """Or by both; those of others are left out."""
        with ledger.writing() as writing:
            open_spaces(writing)
            writing.put_story(a_story("t"))
            writing.put_user(a_user("v"))
            for story, user in (("s", "v"), ("t", "u")):
                writing.put_space(a_space(talk_space(story, user, "start")))
            assert _names(writing.spaces(story="s")) == ["story:s", "talk:s:u:e2", "talk:s:v:start"]
            assert _names(writing.spaces(user="u")) == ["talk:s:u:e2", "talk:t:u:start", "user:u"]
            assert _names(writing.spaces(story="s", user="u")) == ["talk:s:u:e2"]
            assert writing.spaces(story="nobody") == writing.spaces(user="nobody") == ()

    @pytest.mark.parametrize(("story", "user"), [("nobody", "u"), ("s", "nobody")])
    def test_talk_needs_its_story_and_its_user(self, ledger: Ledger, story: str, user: str) -> None:
        """A space of nobody's is refused, and nothing has changed."""
        with ledger.writing() as writing:
            open_spaces(writing)
        with pytest.raises(StoreError), ledger.writing() as writing:
            writing.put_space(a_space(talk_space(story, user, "e1")))
        with ledger.reading() as reading:
            assert _names(reading.spaces()) == sorted(SPACES)

    def test_a_story_gone_takes_its_talk_along(self, ledger: Ledger) -> None:
        """With turns, memories and work; the user's own space, and talk under another story, stay."""
        with ledger.writing() as writing:
            _talk_everywhere(writing)
            writing.put_story(a_story("t"))
            writing.put_space(a_space("talk:t:u:start"))
            say(writing, "talk:t:u:start", [a_turn(1)])
            writing.delete_story("s")
        with ledger.reading() as reading:
            assert _names(reading.spaces()) == ["story:t", "talk:t:u:start", "user:u"]
            assert _kept(reading, "talk:s:u:e2") == ([], 0, [])
            assert _kept(reading, "talk:t:u:start") == (["D1:1"], 1, ["D1:1"])
            assert _kept(reading, "user:u") == (["D1:1", "D1:2"], 2, ["D1:1", "D1:2"])
        assert ledger.problems() == ()

    def test_a_user_gone_takes_all_its_talk_along(self, ledger: Ledger) -> None:
        """Under every story; stories, and talk with others, stay."""
        with ledger.writing() as writing:
            _talk_everywhere(writing)
            writing.put_user(a_user("v"))
            writing.put_space(a_space("talk:s:v:e1"))
            say(writing, "talk:s:v:e1", [a_turn(1)])
            writing.delete_user("u")
        with ledger.reading() as reading:
            assert _names(reading.spaces()) == ["story:s", "talk:s:v:e1", "user:v"]
            for space in ("talk:s:u:e2", "user:u"):
                assert _kept(reading, space) == ([], 0, [])
            assert _kept(reading, "talk:s:v:e1") == (["D1:1"], 1, ["D1:1"])
        assert ledger.problems() == ()

    def test_a_space_made_again_is_empty(self, ledger: Ledger) -> None:
        """Whoever read it before it was deleted finds nothing of it, not even what was remembered."""
        for again in range(2):
            with ledger.writing() as writing:
                _talk_everywhere(writing)
            with ledger.reading() as reading:
                found = reading.keywords.matching(("word",), gate=gate_of("talk:s:u:e2", "world"), top_k=9)
                assert len(found) == 2, again
            with ledger.writing() as writing:
                writing.delete_user("u")
                open_spaces(writing)
            with ledger.reading() as reading:
                for space in ("talk:s:u:e2", "user:u"):
                    assert _kept(reading, space) == ([], 0, []), again

    def test_a_rename_keeps_all_talk(self, ledger: Ledger) -> None:
        """Of a story or of a user: turns, memories, work, and the name of the place."""
        with ledger.writing() as writing:
            _talk_everywhere(writing)
            place = place_after("e3")
            writing.put_space(a_space(talk_space("s", "u", place)))
            before = {space: _all_of(writing, space) for space in SPACES[1:]}
        with ledger.writing() as writing:
            writing.rename_story("s", "new")
            writing.rename_user("u", "v")
        with ledger.reading() as reading:
            after = {"user:u": "user:v", "talk:s:u:e2": "talk:new:v:e2"}
            assert _names(reading.spaces()) == sorted(
                [story_space("new"), *after.values(), talk_space("new", "v", place)]
            )
            for old, new in after.items():
                assert _all_of(reading, new) == before[old]
                assert _kept(reading, old) == ([], 0, [])
            states = reading.talks("new", "v")
            assert [(state.space, state.no) for state in states] == [
                (talk_space("new", "v", place), 4),
                ("talk:new:v:e2", 2),
            ]
        assert ledger.problems() == ()

    def test_a_rename_touches_no_other_space(self, ledger: Ledger) -> None:
        """One whose name begins with that of the renamed one is another."""
        with ledger.writing() as writing:
            for story_id in ("s", "ss"):
                fill(writing, story_id)
            for user_id in ("u", "uu"):
                writing.put_user(a_user(user_id))
                say(writing, user_space(user_id), [a_turn(1)])
            other = everything(writing, "ss")
            writing.rename_story("s", "t")
            writing.rename_user("u", "v")
        with ledger.reading() as reading:
            assert everything(reading, "ss") == other
            assert _kept(reading, "user:uu") == (["D1:1"], 1, ["D1:1"])

    def test_what_has_changed_since_a_revision_is_told_by_unit(self, ledger: Ledger) -> None:
        """Each unit once, at its last change; in all spaces, or in those of a story with talk under it."""
        with ledger.writing() as writing:
            _talk_everywhere(writing)
            writing.put_story(a_story("t"))
        with ledger.reading() as reading:
            first = reading.changes(0)
            assert reading.changes(first.cursor).changes == ()
            assert {one.space for one in first.changes} == {*SPACES, "story:t"}
        for _ in range(2):
            with ledger.writing() as writing:
                writing.show("user:u", {"2024-03-01": False})
        with ledger.writing() as writing:
            writing.show("talk:s:u:e2", {"2024-03-01": False})
        with ledger.reading() as reading:
            found = reading.changes(first.cursor)
            assert [(one.space, one.unit) for one in found.changes] == [
                ("user:u", "2024-03-01"),
                ("talk:s:u:e2", "2024-03-01"),
            ]
            revisions = [one.revision for one in found.changes]
            assert first.cursor < revisions[0] < revisions[1] <= found.cursor
            assert reading.changes(first.cursor, story="s").changes == found.changes[1:]
            assert reading.changes(first.cursor, story="t").changes == ()
            assert reading.changes(found.cursor).changes == ()

    def test_kinds_of_spaces_do_not_mix(self, ledger: Ledger) -> None:
        """Ids that a story, a user and a talk share name four different places."""
        with ledger.writing() as writing:
            writing.put_story(a_story("x"))
            writing.put_user(a_user("x"))
            writing.put_episode("x", an_episode(1, episode_id="x"), order_key=GAP)
            spaces = ("story:x", "user:x", talk_space("x", "x", "x"), talk_space("x", "x", place_after("x")))
            for at, space in enumerate(spaces):
                if space.startswith("talk:"):
                    writing.put_space(a_space(space))
                told = a_thing(space, 1, fact_id=f"of {at}", memory_id=f"m{at}", text=f"text {at}")
                put_things(writing, [replace(told, space=space)])
        with ledger.reading() as reading:
            for at, space in enumerate(spaces):
                assert shown(reading, gate_of(space, "world")) == [f"of {at}"]
