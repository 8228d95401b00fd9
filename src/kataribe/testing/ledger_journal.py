"""What every ledger promises of searches, uses, and steps that are taken back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kataribe.domain.evidence import AudienceMode
from kataribe.domain.records import Trace, Use
from kataribe.domain.story.checkpoint import Checkpoint
from kataribe.domain.story.groups import Group, Membership, Newcomers
from kataribe.domain.story.inputs import Alias, Annotation, Annotations, Character, Fact, Suppression
from kataribe.domain.story.undo import AUDIENCE, EVERYTHING, Scope, Step, kind_of
from kataribe.domain.terms import PUBLIC, FactSource, known_by
from kataribe.ports import Ledger, Transaction, View
from kataribe.testing.ledger_world import (
    EXTRA,
    GAP,
    ODD,
    SPACES,
    a_story,
    a_trace,
    a_user,
    an_episode,
    fill,
    open_spaces,
)


def inputs_of(reading: View, story_id: str) -> dict[str, object]:
    """Read what a story is made from, the versions of its texts aside."""
    every = [state.episode_id for state in reading.episode_states(story_id)]
    found = [reading.episode(story_id, one) for one in every]
    return {
        "story": reading.story(story_id),
        "characters": reading.characters(story_id),
        "episodes": [episode and replace(episode, version=1) for episode in found],
        "annotations": [reading.annotations(story_id, one) for one in every],
        "facts": reading.facts(story_id),
        "suppressions": [reading.suppressions(story_id, one) for one in every],
        "pins": [reading.pins(story_id, one) for one in every],
    }


def change(writing: Transaction) -> None:
    """Change, add and take out inputs of every kind, numbers aside."""
    writing.put_facts("s", "e1", [Fact(fact_id="f1-0", text="changed", audience=known_by("ann"))])
    writing.put_facts("s", "e2", [Fact(fact_id="new", text=ODD[0], audience=PUBLIC, extra=EXTRA)])
    writing.delete_facts("s", ["f2-0"])
    writing.put_suppressions(
        "s", "e1", [Suppression(holder="", text_hash="h"), Suppression(holder="z", text_hash="h")]
    )
    writing.set_pin("s", "e1", "p1", pinned=False)
    writing.set_pin("s", "e2", "p3", pinned=True)
    writing.put_annotations(
        "s",
        "e1",
        Annotations(
            rows=(
                Annotation(audience=known_by("ann")),
                Annotation(audience=known_by("ann"), paragraph_hash="h", decided=1),
            ),
            base=("b",),
        ),
    )
    writing.put_annotations("s", "e2", Annotations())
    told = an_episode(1, ODD[1], version=2, title="t")
    writing.put_episode("s", replace(told, fact_source=FactSource.EXTRACTED, extra=EXTRA), order_key=GAP)
    writing.set_deleted("s", "e2", "2026-01-01T00:00:00+00:00")
    writing.put_character("s", Character(character_id="ben", extra=EXTRA))
    writing.put_group("s", Group(group_id="輪", newcomers=Newcomers.TOLD))
    writing.put_group("s", Group(group_id="new", members=(Membership(character_id="ann"),)))
    writing.put_said_groups("s", [Group(group_id="輪"), Group(group_id="new")])
    writing.put_said_cast("s", [Character(character_id="ann"), Character(character_id="ben", extra=EXTRA)])
    writing.delete_character("s", "ann")
    writing.put_story(a_story("s", title="題", extra=EXTRA, audience=AudienceMode.STRICT))


def _of_user(verb: str = "recall") -> Trace:
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


class JournalContract:
    """What every ledger promises of searches, uses, and steps that are taken back."""

    def test_traces_come_back_as_sent(self, ledger: Ledger) -> None:
        """Newest first; those of a story that is gone are dropped."""
        traces = [a_trace("s", verb) for verb in ("recall", "known", "recall")]
        with ledger.writing() as writing:
            writing.put_story(a_story())
            writing.put_traces([replace(trace, filter=None) for trace in traces[:1]] + traces[1:])
            writing.put_traces([a_trace("a story that is gone")])
        with ledger.writing() as writing:
            assert writing.traces("story:s", last=9) == (
                traces[2],
                traces[1],
                replace(traces[0], filter=None),
            )
            assert writing.traces("story:s", last=1) == (traces[2],)
            assert writing.traces("story:a story that is gone", last=9) == ()

    def test_traces_of_a_user_come_newest_first(self, ledger: Ledger) -> None:
        """Those of users that are gone are dropped."""
        with ledger.writing() as writing:
            writing.put_user(a_user())
            writing.put_traces([_of_user(verb) for verb in ("recall", "known")])
            writing.put_traces([replace(_of_user(), user="gone")])
        with ledger.reading() as reading:
            found = reading.traces("user:u", last=9)
            assert found == (_of_user("known"), _of_user("recall"))
            assert reading.traces("user:u", last=1) == found[:1]
            assert reading.traces("user:gone", last=9) == ()

    def test_a_trace_of_a_story_and_a_user_is_both_s(self, ledger: Ledger) -> None:
        """It is found by either, and goes with whichever goes first."""
        both = [replace(a_trace(story, verb), user="u") for story in "st" for verb in ("recall", "known")]
        with ledger.writing() as writing:
            for story_id in "st":
                writing.put_story(a_story(story_id))
            writing.put_user(a_user())
            writing.put_traces([*both, a_trace("s", "alone"), replace(both[0], user="gone")])
            assert writing.traces("user:u", last=9) == tuple(reversed(both))
            assert writing.traces("story:s", last=9) == (a_trace("s", "alone"), both[1], both[0])
            assert writing.traces("story:s", last=2) == (a_trace("s", "alone"), both[1])
            writing.delete_story("t")
            assert writing.traces("user:u", last=9) == (both[1], both[0])
            writing.delete_user("u")
            assert writing.traces("story:s", last=9) == (a_trace("s", "alone"),)

    @pytest.mark.parametrize("space", SPACES)
    def test_uses_are_counted_for_one_viewer_up_to_a_moment(self, ledger: Ledger, space: str) -> None:
        """What it used later, or another used, does not count."""
        with ledger.writing() as writing:
            open_spaces(writing)
            writing.put_uses(space, "rin", ["D1:1", "D1:2"], upto=5, at="2024-01-02")
            writing.put_uses(space, "rin", ["D1:1"], upto=5, at="2024-01-01")
            writing.put_uses(space, "rin", ["D1:1"], upto=8, at="2024-01-03")
            writing.put_uses(space, "himuro", ["D1:2"], upto=5, at="2024-01-09")
            writing.put_uses("user:nobody", "rin", ["D1:1"], upto=5, at="2024-01-09")
        with ledger.reading() as reading:
            asked = ["D1:1", "D1:2", "nix"]
            assert reading.uses(space, "rin", asked, upto=4) == {}
            assert reading.uses(space, "rin", asked, upto=5) == {
                "D1:1": Use(times=2, last="2024-01-02"),
                "D1:2": Use(times=1, last="2024-01-02"),
            }
            assert reading.uses(space, "rin", ["D1:1"], upto=8)["D1:1"].times == 3
            for other in {*SPACES, "user:nobody"} - {space}:
                assert reading.uses(other, "rin", asked, upto=9) == {}

    def test_inputs_are_put_back_as_they_were(self, ledger: Ledger) -> None:
        """In their order too: a character that comes back stands where it stood."""
        with ledger.writing() as writing:
            fill(writing)
            fill(writing, "other")
            writing.put_character("s", Character(character_id="cleo", aliases=(Alias(text=ODD[3]),)))
            words = writing.inputs("s", EVERYTHING)
            before, other = inputs_of(writing, "s"), inputs_of(writing, "other")
            change(writing)
            changed = writing.inputs("s", EVERYTHING)
            gone = {
                key: words.get(key)
                for key in words.keys() | changed.keys()
                if words.get(key) != changed.get(key)
            }
            assert {kind_of(key) for key in gone} == {
                "fact", "struck", "pin", "notes", "text", "source", "gone", "character", "said", "group",
                "groupsaid", "audience",
            }  # fmt: skip
            writing.put_back("s", gone)
            assert writing.inputs("s", EVERYTHING) == words
            assert inputs_of(writing, "s") == before
            assert inputs_of(writing, "other") == other
            # The text that came back is a version of its own: no number ever means two texts.
            assert [version.version for version in writing.versions("s", "e1")] == [1, 2, 3]
        assert ledger.problems() == ()

    def test_a_fact_goes_back_to_its_episode(self, ledger: Ledger) -> None:
        """It has one id, and is there once."""
        with ledger.writing() as writing:
            fill(writing)
            scope = Scope(episodes=frozenset({"e1", "e2"}))
            words, before = writing.inputs("s", scope), writing.facts("s")
            ((_, fact),) = writing.facts("s", "e1")
            writing.delete_facts("s", ["f1-0"])
            writing.put_facts("s", "e2", [fact])
            writing.put_back("s", {"fact:e2:f1-0": None, "fact:e1:f1-0": words["fact:e1:f1-0"]})
            assert writing.facts("s") == before
            assert writing.inputs("s", scope) == words

    def test_a_scope_covers_what_it_says(self, ledger: Ledger) -> None:
        """Episodes, places with what names a number, and the cast."""
        with ledger.writing() as writing:
            fill(writing)
            named = Fact(fact_id="quoting", text="x", audience=PUBLIC, quote="y", quote_no=1)
            writing.put_facts("s", "e2", [named])
            assert writing.inputs("s", Scope()) == {}
            one = writing.inputs("s", Scope(episodes=frozenset({"e1"})))
            assert set(one) == {
                "fact:e1:f1-0", "struck:e1:ann:h", "pin:e1:p1", "notes:e1", "text:e1", "source:e1",
            }  # fmt: skip
            places = writing.inputs("s", Scope(places=True))
            numbers = {f"{kind}:{episode}" for kind in ("no", "gone") for episode in ("e1", "e2")}
            assert set(places) == numbers | {"fact:e2:quoting", "character:ann", "group:輪"}
            assert set(writing.inputs("s", Scope(cast=True))) == {
                "character:ann", "said:ann", "group:輪", "groupsaid:輪", "groupsaid:gone",
            }  # fmt: skip
            assert writing.inputs("s", Scope(settings=True)) == {AUDIENCE: '"evident"'}
            assert writing.inputs("nobody", EVERYTHING) == {}
            assert (places["no:e2"], places["gone:e2"]) == ("2", "null")

    def test_steps_come_back_newest_first_and_the_oldest_are_forgotten(self, ledger: Ledger) -> None:
        """They go with their story and follow it."""
        with ledger.writing() as writing:
            fill(writing)
            fill(writing, "other")
            for number in range(1, 6):
                step = Step(
                    number=number,
                    at="2026-01-01T00:00:00+00:00",
                    summary=ODD[number],
                    before={"fact:e1:x": ODD[0], "pin:e1:x": None},
                    after={"fact:e1:x": None, "pin:e1:x": "d"},
                )
                writing.put_step("s", step, keep=3)
            assert [one.number for one in writing.steps("s", last=9)] == [5, 4, 3]
            assert writing.steps("s", last=1) == (step,)
            assert writing.steps("other", last=9) == ()
            writing.delete_step("s", 5)
            assert [one.number for one in writing.steps("s", last=9)] == [4, 3]
            writing.rename_story("s", "new")
            assert [one.number for one in writing.steps("new", last=9)] == [4, 3]
            writing.delete_story("new")
            fill(writing, "new")
            assert writing.steps("new", last=9) == ()

    def test_a_checkpoint_holds_what_it_was_given_and_follows_its_story(self, ledger: Ledger) -> None:
        """By name; another of the same name takes its place."""
        with ledger.writing() as writing:
            fill(writing)
            fill(writing, "other")
            words = writing.inputs("s", EVERYTHING)
            late, early = (
                Checkpoint(name=name, at="2026-01-01T00:00:00+00:00", episodes=2, facts=1)
                for name in ("夜の前", "before the fire")
            )
            branched = replace(early, fork_episode_id="e1", fork_no=4)
            writing.put_checkpoint("s", late, words)
            writing.put_checkpoint("s", early, {})
            writing.put_checkpoint("s", branched, {"no:e1": "1"})
        with ledger.writing() as writing:
            assert writing.checkpoints("s") == (branched, late)
            assert writing.checkpoint_inputs("s", late.name) == words
            assert writing.checkpoint_inputs("s", early.name) == {"no:e1": "1"}
            assert (writing.checkpoints("other"), writing.checkpoint_inputs("other", late.name)) == ((), {})
            assert writing.delete_checkpoint("s", early.name)
            assert not writing.delete_checkpoint("s", early.name)
            writing.rename_story("s", "new")
            assert (writing.checkpoints("s"), writing.checkpoints("new")) == ((), (late,))
            writing.delete_story("new")
            fill(writing, "new")
            assert writing.checkpoints("new") == ()
