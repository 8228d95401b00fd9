"""What every ledger promises of stories, their casts, episodes, facts and decisions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kataribe.domain.evidence import AudienceMode
from kataribe.domain.ids import exact_hash
from kataribe.domain.records import Outcome, Work
from kataribe.domain.story.inputs import (
    Address,
    Alias,
    Annotation,
    Annotations,
    Character,
    Description,
    Fact,
    NameKind,
    Narration,
    Suppression,
)
from kataribe.domain.terms import PUBLIC, known_by
from kataribe.ports import Ledger
from kataribe.testing.ledger_world import (
    EXTRA,
    EXTRACT,
    GAP,
    LONG,
    ODD,
    a_branch,
    a_draft,
    a_memory,
    a_story,
    an_episode,
    an_extraction,
    everything,
    fill,
    plain,
    remember,
)


class StoriesContract:
    """What every ledger promises of stories, their casts, episodes, facts and decisions."""

    def test_an_empty_ledger_holds_nothing(self, ledger: Ledger) -> None:
        """Nothing is not an error."""
        with ledger.reading() as reading:
            assert reading.stories() == ()
            assert reading.story("s") is None
            assert reading.episode("s", "e1") is None
            assert reading.fact("s", "f") is None
            assert reading.extraction("s", "e1", "print") is None
            assert reading.upto("s", 9) is None
            assert reading.annotations("s", "e1") == Annotations()
            found = everything(reading, "s")
        assert not any(found.values())
        assert ledger.problems() == ()

    def test_stories_come_back_as_sent(self, ledger: Ledger) -> None:
        """With every field, by id, and replaced when put again."""
        plain_one = a_story("b")
        full = a_story("銀河 鉄道", title=ODD[3], language="en", language_told=True, extra=EXTRA)
        full = replace(full, audience=AudienceMode.WIDE)
        with ledger.writing() as writing:
            writing.put_story(full)
            writing.put_story(a_story("b", title="to be replaced", extra=EXTRA))
            writing.put_story(plain_one)
        with ledger.reading() as reading:
            assert reading.stories() == (plain_one, full)
            assert reading.story("銀河 鉄道") == full
            assert repr(reading.story("銀河 鉄道")) == repr(full)

    @pytest.mark.parametrize("text", [*ODD, LONG], ids=[*(f"odd{n}" for n in range(len(ODD))), "long"])
    def test_texts_come_back_byte_for_byte(self, ledger: Ledger, text: str) -> None:
        """Wherever they stand."""
        short = text[:200]
        episode = an_episode(1, text, title=short, paragraph_ids=(("p1", text), ("p2", "")))
        fact = Fact(fact_id="f", text=text, quote=text, audience=PUBLIC, extra={short: short})
        memory = a_memory("s", episode, text=text, quote=text, extra={short: [short]})
        alias = Alias(text=short, extra={short: short})
        person = Character(character_id="ann", aliases=(alias,), descriptions=(Description(text=text),))
        draft = a_draft(text, 0, len(text))
        with ledger.writing() as writing:
            writing.put_story(a_story(title=short))
            writing.put_character("s", person)
            writing.put_episode("s", episode, order_key=GAP)
            writing.put_facts("s", "e1", [fact])
            writing.put_extraction("s", "e1", "print", an_extraction(draft), text=text)
            remember(writing, "s", episode, [memory])
            writing.put_work(
                "story:s", EXTRACT, "e1", Work(fingerprint="x", outcome=Outcome.FAILED, error=text)
            )
        with ledger.reading() as reading:
            assert reading.stories() == (a_story(title=short),)
            assert reading.characters("s") == (person,)
            assert reading.episode("s", "e1") == episode
            assert reading.versions("s", "e1")[0].text == text
            assert reading.live_texts("s", [1]) == {1: text}
            assert reading.episode_states("s")[0].text_hash == exact_hash(text)
            assert reading.episode_states("s")[0].characters == len(text)
            assert reading.facts("s") == (("e1", fact),)
            assert reading.extraction("s", "e1", "print") == an_extraction(draft)
            assert plain(reading.memories("story:s")) == [memory]
            assert reading.deltas("s", "e1")[0].facts == ((memory.fact_id, text),)
            assert reading.work("story:s", EXTRACT)["e1"].error == text

    def test_characters_come_back_as_sent(self, ledger: Ledger) -> None:
        """In the order of the cast, with addressed aliases and descriptions in theirs."""
        secret = Address(since=3, audience=known_by("hyde", "アターソン"))
        jekyll = Character(
            character_id="jekyll",
            aliases=(
                Alias(text="Henry Jekyll", kind=NameKind.NAME),
                Alias(text="ハイド", kind=NameKind.OTHER, address=secret, extra=EXTRA),
                *(Alias(text=kind.value, kind=kind) for kind in NameKind),
                Alias(text="ハイド", kind=NameKind.OTHER, address=secret, extra=EXTRA),
            ),
            descriptions=(Description(text="A doctor."), Description(text=ODD[0], address=secret)),
            extra=EXTRA,
        )
        bare = Character(character_id="アン")
        with ledger.writing() as writing:
            for story_id in ("s", "t"):
                writing.put_story(a_story(story_id))
            for person in (jekyll, bare):
                writing.put_character("s", person)
            writing.put_character("t", Character(character_id="jekyll"))
        with ledger.writing() as writing:
            assert writing.characters("s") == (jekyll, bare)
            assert repr(writing.characters("s")) == repr((jekyll, bare))
            changed = replace(jekyll, aliases=jekyll.aliases[1:], descriptions=())
            writing.put_character("s", changed)
            assert writing.characters("s") == (changed, bare)
            writing.delete_character("s", "jekyll")
            assert writing.characters("s") == (bare,)
            writing.put_character("s", jekyll)
            assert writing.characters("s") == (bare, jekyll)
            assert writing.characters("t") == (Character(character_id="jekyll"),)

    def test_a_story_gone_takes_everything_along(self, ledger: Ledger) -> None:
        """And leaves other stories as they were."""
        with ledger.writing() as writing:
            fill(writing, "s")
            fill(writing, "other")
        with ledger.reading() as reading:
            other = everything(reading, "other")
            hashes = [memory.text_hash for memory in reading.memories("story:s")]
        with ledger.writing() as writing:
            writing.delete_story("s")
        with ledger.reading() as reading:
            assert not any(everything(reading, "s").values())
            assert reading.known_vectors(("story:s",), "any-1", hashes) == {}
            assert everything(reading, "other") == other
            assert [story.story_id for story in reading.stories()] == ["other"]
        with ledger.writing() as writing:
            fill(writing, "s")
            assert len(writing.memories("story:s")) == 4
        assert ledger.problems() == ()

    def test_branches_are_found_and_follow_a_rename(self, ledger: Ledger) -> None:
        """By id; a branch of a branch is the branch's, not the root's."""
        with ledger.writing() as writing:
            fill(writing)
            a_branch(writing, "z", "s", 1)
            a_branch(writing, "c", "s", 2)
            a_branch(writing, "deep", "c", 2)
            assert [story.story_id for story in writing.branches("s")] == ["c", "z"]
            assert writing.branches("c") == (a_story("deep", parent="c", fork_episode_id="e2"),)
            assert writing.branches("deep") == writing.branches("nobody") == ()
            writing.rename_story("s", "new")
            assert [story.parent for story in writing.branches("new")] == ["new", "new"]
            assert writing.branches("s") == ()

    def test_a_renamed_story_takes_everything_along(self, ledger: Ledger) -> None:
        """Its memories are found in the new space and nowhere else."""
        with ledger.writing() as writing:
            fill(writing, "s")
            fill(writing, "other")
            before, other = everything(writing, "s"), everything(writing, "other")
            writing.rename_story("s", "new")
        with ledger.reading() as reading:
            assert not any(everything(reading, "s").values())
            after = everything(reading, "new")
            assert everything(reading, "other") == other
        for found in (before, after):
            found.pop("story")
            found["states"] = [replace(s, story_id="") for s in found["states"]]  # type: ignore[attr-defined]
            found["traces"] = [replace(t, story="") for t in found["traces"]]  # type: ignore[attr-defined]
            for name in ("memories", "admitted"):
                found[name] = [replace(m, space="") for m in found[name]]  # type: ignore[attr-defined]
        assert after == before
        assert after["admitted"]
        assert after["near"]
        assert ledger.problems() == ()
        with ledger.writing() as writing:
            writing.delete_story("new")
            assert not any(everything(writing, "new").values())

    def test_a_renamed_character_is_renamed_wherever_it_is_named(self, ledger: Ledger) -> None:
        """In cast, facts, annotations, decisions, mentions and addresses; whole ids only."""
        secret = Address(since=1, audience=known_by("an", "ann"))
        with ledger.writing() as writing:
            writing.put_story(a_story())
            writing.put_character("s", Character(character_id="ann", aliases=(Alias(text="A"),)))
            told = (Narration(since=1, until=2, told_to=frozenset({"ann", "annie"})),)
            bob = Character(character_id="bob", aliases=(Alias(text="B", address=secret),), narrates=told)
            writing.put_character("s", bob)
            writing.put_episode("s", an_episode(1), order_key=GAP)
            rows = (Annotation(audience=known_by("ann", "bob")), Annotation(audience=known_by("annie")))
            writing.put_annotations("s", "e1", Annotations(rows=rows))
            writing.put_facts("s", "e1", [Fact(fact_id="f", text="x", audience=known_by("ann", "an"))])
            writing.put_suppressions("s", "e1", [Suppression(holder="ann", text_hash="h")])
            writing.put_mentions("s", "e1", ["ann", "bob"])
            writing.rename_character("s", "ann", "%_\"'")
        new = "%_\"'"
        with ledger.reading() as reading:
            first, second = reading.characters("s")
            assert (first.character_id, first.aliases) == (new, (Alias(text="A"),))
            assert second.aliases[0].address.audience == known_by("an", new)
            assert second.narrates[0].told_to == {new, "annie"}
            found = reading.annotations("s", "e1").rows
            assert [row.audience for row in found] == [known_by(new, "bob"), known_by("annie")]
            assert reading.facts("s")[0][1].audience == known_by("an", new)
            assert reading.suppressions("s", "e1") == (Suppression(holder=new, text_hash="h"),)
            assert reading.mentioned("s") == {new: 1, "bob": 1}

    def test_put_twice_is_once(self, ledger: Ledger) -> None:
        """Doing it all again changes nothing (traces are appended)."""
        with ledger.writing() as writing:
            fill(writing)
            once = everything(writing, "s")
        with ledger.writing() as writing:
            fill(writing)
            twice = everything(writing, "s")
        assert once.pop("traces") != twice.pop("traces")
        assert twice == once
