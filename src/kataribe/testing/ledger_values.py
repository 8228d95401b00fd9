"""What goes in comes out as it was."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kataribe.domain.gate import Gate, Slice
from kataribe.domain.ids import exact_hash
from kataribe.domain.memory import Extraction, Reason
from kataribe.domain.records import Outcome, Work
from kataribe.domain.story import (
    PUBLIC,
    Address,
    Alias,
    Annotation,
    Annotations,
    Audience,
    Character,
    Description,
    Fact,
    FactOrigin,
    FactSource,
    NameKind,
    Suppression,
    known_by,
)
from kataribe.ports import Ledger
from kataribe.testing.ledger_world import (
    EXTRA,
    GAP,
    LONG,
    ODD,
    a_draft,
    a_memory,
    a_story,
    a_trace,
    a_vector,
    an_episode,
    an_extraction,
    everything,
    fill,
    plain,
    remember,
)


class LedgerValues:
    """What goes in comes out as it was."""

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
            writing.put_work("s", "e1", Work(fingerprint="x", outcome=Outcome.FAILED, error=text))
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
            assert plain(reading.memories("s")) == [memory]
            assert reading.deltas("s", "e1")[0].facts == ((memory.fact_id, text),)
            assert reading.work("s")["e1"].error == text

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

    def test_episodes_come_back_as_sent(self, ledger: Ledger) -> None:
        """In the order of their numbers; a new version joins the old ones."""
        full = an_episode(
            2,
            "一行目\r\n二行目",
            title="題",
            fact_source=FactSource.SUPPLIED,
            paragraph_ids=(("p1", "一行目"), ("p1", "二行目")),
            extra=EXTRA,
        )
        bare = an_episode(1, "")
        newer = replace(bare, version=2, text="new", title="new")
        with ledger.writing() as writing:
            writing.put_story(a_story())
            writing.put_episode("s", full, order_key=2 * GAP)
            writing.put_episode("s", bare, order_key=GAP)
            writing.put_episode("s", newer, order_key=GAP)
        with ledger.reading() as reading:
            assert reading.episode("s", "e2") == full
            assert repr(reading.episode("s", "e2")) == repr(full)
            assert reading.episode("s", "e1") == newer
            states = reading.episode_states("s")
            assert [(s.episode_id, s.no, s.order_key, s.version) for s in states] == [
                ("e1", 1, GAP, 2),
                ("e2", 2, 2 * GAP, 1),
            ]
            assert [s.fact_source for s in states] == [FactSource.EXTRACTED, FactSource.SUPPLIED]
            assert [(s.wanted, s.visible, s.deleted_at, s.annotated) for s in states] == [
                ("", False, None, False)
            ] * 2
            assert [(v.version, v.text, v.title) for v in reading.versions("s", "e1")] == [
                (1, "", None),
                (2, "new", "new"),
            ]
            assert all(v.created_at for v in reading.versions("s", "e1"))

    def test_annotations_come_back_as_sent(self, ledger: Ledger) -> None:
        """Rows in order, twins counted in, with what stood there; replaced as a whole."""
        row = Annotation(audience=known_by("ann", "氷室"), paragraph_id="p", paragraph_hash="h", extra=EXTRA)
        given = Annotations(rows=(row, Annotation(audience=PUBLIC), row), base=("h", "h", "k"))
        with ledger.writing() as writing:
            writing.put_story(a_story())
            writing.put_episode("s", an_episode(1), order_key=GAP)
            writing.put_annotations("s", "e1", given)
            writing.set_inputs("s", "e1", notes_hash="notes", rows_hash="rows", annotated=True)
        with ledger.writing() as writing:
            assert writing.annotations("s", "e1") == given
            (state,) = writing.episode_states("s")
            assert (state.notes_hash, state.rows_hash, state.annotated) == ("notes", "rows", True)
            writing.put_annotations("s", "e1", Annotations(base=("k",)))
            assert writing.annotations("s", "e1") == Annotations(base=("k",))

    def test_facts_come_back_as_sent(self, ledger: Ledger) -> None:
        """In the order of the file, then those made by hand by id."""
        full = Fact(
            fact_id="z",
            text=ODD[1],
            audience=known_by("ann", "氷室"),
            quote="text",
            quote_no=2,
            importance=5,
            pinned=True,
            supersedes="nobody knows it",
            told_from="a",
            ordinal=0,
            extra=EXTRA,
        )
        later = Fact(fact_id="a", text="later", audience=PUBLIC, ordinal=1)
        hand = [Fact(fact_id=i, text=i, audience=PUBLIC, origin=FactOrigin.HAND) for i in ("h1", "b2")]
        with ledger.writing() as writing:
            writing.put_story(a_story())
            for no in (1, 2):
                writing.put_episode("s", an_episode(no), order_key=no * GAP)
            writing.put_facts("s", "e1", [later, full])
            writing.put_facts("s", "e2", hand)
            writing.put_facts("s", "e2", [])
        with ledger.writing() as writing:
            assert writing.facts("s") == (("e1", full), ("e1", later), ("e2", hand[1]), ("e2", hand[0]))
            assert writing.facts("s", "e1") == (("e1", full), ("e1", later))
            assert writing.fact("s", "z") == ("e1", full)
            assert repr(writing.fact("s", "z")) == repr(("e1", full))
            changed = replace(full, text="changed", audience=PUBLIC, quote=None, quote_no=None)
            writing.put_facts("s", "e1", [changed])
            assert writing.facts("s", "e1") == (("e1", changed), ("e1", later))
            writing.delete_facts("s", ["z", "b2", "never there"])
            assert writing.facts("s") == (("e1", later), ("e2", hand[0]))

    def test_decisions_come_back_as_sent(self, ledger: Ledger) -> None:
        """Suppressions, pins and mentions of each episode."""
        struck = [Suppression(holder=who, text_hash=h) for who, h in (("", "h"), ("ann", "g"), ("ann", "h"))]
        with ledger.writing() as writing:
            writing.put_story(a_story())
            for no in (1, 2):
                writing.put_episode("s", an_episode(no), order_key=no * GAP)
            writing.put_suppressions("s", "e1", [struck[2], struck[0]])
            writing.put_suppressions("s", "e1", [struck[1], struck[0]])
            for episode_id, fact_id in (("e1", "f"), ("e1", "f"), ("e1", "g"), ("e2", "f")):
                writing.set_pin("s", episode_id, fact_id, pinned=True)
            writing.put_mentions("s", "e2", ["氷室", "ann"])
            writing.put_mentions("s", "e1", ["ann"])
        with ledger.writing() as writing:
            assert writing.suppressions("s", "e1") == tuple(struck)
            assert [writing.pins("s", one) for one in ("e1", "e2")] == [{"f", "g"}, {"f"}]
            assert list(writing.mentioned("s").items()) == [("ann", 1), ("氷室", 2)]
            writing.put_mentions("s", "e1", [])
            assert list(writing.mentioned("s").items()) == [("ann", 2), ("氷室", 2)]
            writing.set_deleted("s", "e2", "2001")
            assert writing.mentioned("s") == {}
            writing.set_pin("s", "e1", "g", pinned=False)
            assert writing.pins("s", "e1") == {"f"}
            assert writing.pins("s", "e2") == {"f"}

    def test_a_pin_is_taken_out_of_its_own_episode_only(self, ledger: Ledger) -> None:
        """As it was put in."""
        with ledger.writing() as writing:
            fill(writing)
            for episode_id in ("e1", "e2"):
                writing.set_pin("s", episode_id, "same", pinned=True)
            writing.set_pin("s", "e1", "same", pinned=False)
            assert "same" not in writing.pins("s", "e1")
            assert "same" in writing.pins("s", "e2")

    def test_extractions_come_back_as_sent(self, ledger: Ledger) -> None:
        """Spans of the text or words of their own, with audience and reason, and what was refused."""
        text = "👩‍👩‍👧‍👦が見た。\r\nShe saw it."
        drafts = (
            a_draft(text, 0, 4),
            replace(a_draft(text, 3, 12, known_by("ann", "氷室")), flagged=True, importance=5),
            replace(a_draft(text, 12, len(text), Audience()), reason=Reason.UNRECOGNISED),
            replace(a_draft(text, 13, 20), text="彼女は見た。", reason=Reason.MODEL),
        )
        asked = an_extraction(*drafts, calls=2)
        with ledger.writing() as writing:
            writing.put_story(a_story())
            writing.put_episode("s", an_episode(1, text), order_key=GAP)
            writing.put_extraction("s", "e1", "print", Extraction(), text=text)
            assert writing.extraction("s", "e1", "print") == Extraction()
            writing.put_extraction("s", "e1", "print", asked, text=text)
        with ledger.reading() as reading:
            assert reading.extraction("s", "e1", "print") == asked
            assert reading.extraction("s", "e1", "other") is None

    def test_what_a_model_found_is_kept_beside_what_comes_after(self, ledger: Ledger) -> None:
        """What costs nothing to find again is not; another episode's is left alone."""
        with ledger.writing() as writing:
            writing.put_story(a_story())
            for no in (1, 2):
                writing.put_episode("s", an_episode(no, "x"), order_key=no * GAP)
                writing.put_extraction("s", f"e{no}", "paid", an_extraction(calls=1), text="x")
                writing.put_extraction("s", f"e{no}", "free", an_extraction(), text="x")
            writing.put_extraction("s", "e1", "new", an_extraction(calls=1), text="x")
        with ledger.reading() as reading:
            kept = [
                (no, name)
                for no in (1, 2)
                for name in ("paid", "free", "new")
                if reading.extraction("s", f"e{no}", name) is not None
            ]
            assert kept == [(1, "paid"), (1, "new"), (2, "paid"), (2, "free")]

    def test_memories_come_back_as_sent(self, ledger: Ledger) -> None:
        """Whole, in story order, with the number of their episode and a key of the store's own."""
        one, two = an_episode(1), an_episode(2, version=3)
        full = a_memory(
            "s",
            two,
            0,
            holder="氷室",
            origin=FactOrigin.EXTRACTED,
            reason=Reason.INNER,
            flagged=True,
            text=ODD[3],
            quote="text",
            quote_no=1,
            quote_span=(0, 4),
            importance=5,
            pinned=True,
            supersedes="f1-0",
            told_from="f1-1",
            extra=EXTRA,
        )
        review = a_memory("s", two, 1, holder="", reason=Reason.UNRECOGNISED)
        hand = a_memory("s", two, 2, origin=FactOrigin.HAND, version=0, place=0)
        early = [a_memory("s", one, n, place=9 - n) for n in (0, 1)]
        with ledger.writing() as writing:
            writing.put_story(a_story())
            for episode in (two, one):
                writing.put_episode("s", episode, order_key=episode.no * GAP)
            remember(writing, "s", two, [hand, review, full])
            remember(writing, "s", one, early)
        with ledger.reading() as reading:
            found = reading.memories("s")
            assert plain(found) == [early[1], early[0], full, review, hand]
            assert repr(plain(found)[2]) == repr(full)
            assert len({memory.key for memory in found}) == 5
            assert all(memory.key for memory in found)
            assert plain(reading.memories("s", episode_id="e1")) == [early[1], early[0]]
            assert plain(reading.memories("s", fact_id=full.fact_id)) == [full]
            assert reading.memories("s", episode_id="e1", fact_id=full.fact_id) == ()
            states = {**reading.memory_states("s", "e1"), **reading.memory_states("s", "e2")}
            assert set(states) == {m.memory_id for m in (*early, full, hand, review)}
            for memory in (*early, full, hand):
                state = states[memory.memory_id]
                assert (state.live, state.embedder_id, len(state.vector or b"")) == (True, "any-1", 32)
            waiting = states[review.memory_id]
            assert (waiting.live, waiting.embedder_id, waiting.vector) == (False, None, None)
            gate = Gate((Slice("story:s", "世", 9 * GAP), Slice("story:s", "氷室", 2 * GAP)))
            assert plain(reading.admitted(gate)) == [full]
            assert reading.successions(gate) == ((full.fact_id, "f1-0", (0, 2 * GAP)),)

    def test_nobody_is_given_what_waits_in_review(self, ledger: Ledger) -> None:
        """Not even one whose id is empty."""
        episode = an_episode(1)
        with ledger.writing() as writing:
            writing.put_story(a_story())
            writing.put_episode("s", episode, order_key=GAP)
            remember(writing, "s", episode, [a_memory("s", episode, holder="")])
            gate = Gate((Slice("story:s", "", 9 * GAP),))
            assert writing.admitted(gate) == ()
            assert writing.keywords.matching(("word",), gate=gate, top_k=9) == ()

    def test_gains_and_shares_are_of_what_is_live_or_in_review(self, ledger: Ledger) -> None:
        """Counted by holder and position, streamed in story order, cut at a position and by holder."""
        one, two = an_episode(1), an_episode(2)
        early = [a_memory("s", one, n, place=9 - n) for n in (0, 1)]
        secret = a_memory(
            "s", two, 0, holder="氷室", text=ODD[3], quote="text", quote_no=1, flagged=True, told_from="f1-0"
        )
        newer = a_memory("s", two, 1, holder="氷室", supersedes="f1-1", origin=FactOrigin.EXTRACTED)
        review = a_memory("s", two, 2, holder="", reason=Reason.UNRECOGNISED)
        with ledger.writing() as writing:
            for story_id in ("s", "other"):
                writing.put_story(a_story(story_id))
                for episode in (two, one):
                    writing.put_episode(story_id, episode, order_key=episode.no * GAP)
            remember(writing, "s", two, [secret, newer, review])
            remember(writing, "s", one, early)
            remember(writing, "other", one, [a_memory("other", one)])
        with ledger.reading() as reading:
            assert reading.gains("s") == (("", 2 * GAP, 1), ("world", GAP, 2), ("氷室", 2 * GAP, 2))
            assert reading.gains("nobody") == ()
            shares = list(reading.shares("s"))
            assert [s.fact_id for s in shares] == ["f1-1", "f1-0", "f2-0", "f2-1", "f2-2"]
            told = shares[2]
            assert (told.holder, told.position, told.episode_id) == ("氷室", 2 * GAP, "e2")
            assert (told.text, told.quote, told.quote_no, told.flagged) == (ODD[3], "text", 1, True)
            assert (told.told_from, told.supersedes, told.origin) == ("f1-0", None, FactOrigin.SUPPLIED)
            assert (shares[3].supersedes, shares[3].origin) == ("f1-1", FactOrigin.EXTRACTED)
            assert (shares[4].holder, shares[4].reason) == ("", Reason.UNRECOGNISED)
            assert [s.fact_id for s in reading.shares("s", upto=GAP)] == ["f1-1", "f1-0"]
            assert [s.fact_id for s in reading.shares("s", holders=["氷室"])] == ["f2-0", "f2-1"]
            assert list(reading.shares("s", holders=[])) == []
        with ledger.writing() as writing:
            writing.set_wanted("s", {}, {"e2": False})
            assert writing.gains("s") == (("", 2 * GAP, 1), ("world", GAP, 2))
            assert [s.fact_id for s in writing.shares("s")] == ["f1-1", "f1-0", "f2-2"]

    def test_each_version_leaves_its_deltas(self, ledger: Ledger) -> None:
        """One for each holder; the last version's are in force, the others marked."""
        first, second = an_episode(1), an_episode(1, "new", version=2)
        with ledger.writing() as writing:
            writing.put_story(a_story())
            writing.put_episode("s", first, order_key=GAP)
            remember(writing, "s", first, [a_memory("s", first, n) for n in (0, 1)])
            writing.put_episode("s", second, order_key=GAP)
            mine = a_memory("s", second, 0)
            hers = a_memory("s", second, 1, holder="ann")
            review = a_memory("s", second, 2, holder="")
            remember(writing, "s", second, [mine, hers, review])
        with ledger.reading() as reading:
            deltas = reading.deltas("s", "e1")
        assert [(d.version, d.scope, d.character_id, len(d.facts)) for d in deltas] == [
            (1, "world", "world", 2),
            (2, "character", "ann", 1),
            (2, "world", "world", 1),
        ]
        assert [d.deleted_at is None for d in deltas] == [False, True, True]
        assert deltas[1].facts == ((hers.fact_id, hers.text),)
        assert len({d.hash for d in deltas}) == 3

    def test_work_and_traces_come_back_as_sent(self, ledger: Ledger) -> None:
        """The last word on each piece of work; traces newest first."""
        done = Work(fingerprint="f", outcome=Outcome.DONE)
        failed = Work(fingerprint="f", outcome=Outcome.FAILED, attempts=2, error=ODD[0])
        dead = Work(fingerprint="g", outcome=Outcome.DEAD, attempts=3, error="")
        traces = [a_trace("s", verb) for verb in ("recall", "known", "recall")]
        with ledger.writing() as writing:
            writing.put_story(a_story())
            for no, work in enumerate((done, failed, dead), start=1):
                writing.put_episode("s", an_episode(no), order_key=no * GAP)
                writing.put_work("s", f"e{no}", failed)
                writing.put_work("s", f"e{no}", work)
            writing.put_traces([replace(trace, filter=None) for trace in traces[:1]] + traces[1:])
            writing.put_traces([a_trace("a story that is gone")])
        with ledger.writing() as writing:
            assert writing.work("s") == {"e1": done, "e2": failed, "e3": dead}
            assert writing.traces("s", last=9) == (traces[2], traces[1], replace(traces[0], filter=None))
            assert writing.traces("s", last=1) == (traces[2],)
            assert writing.traces("a story that is gone", last=9) == ()
            writing.clear_failures("s")
            assert writing.work("s") == {"e1": done}
            writing.put_traces([a_trace("s", "last")], keep=2)
            assert [trace.verb for trace in writing.traces("s", last=9)] == ["last", "recall"]

    def test_vectors_already_made_are_known(self, ledger: Ledger) -> None:
        """By embedder and text, in whatever story, and however many are asked for."""
        episode = an_episode(1)
        memories = [a_memory("s", episode, n) for n in range(3)]
        review = a_memory("s", episode, 3, holder="")
        with ledger.writing() as writing:
            writing.put_story(a_story())
            writing.put_episode("s", episode, order_key=GAP)
            remember(writing, "s", episode, [*memories, review], show=False)
        with ledger.reading() as reading:
            asked = [m.text_hash for m in (*memories, review)] + [f"unknown {n}" for n in range(3000)]
            wanted = {m.text_hash: a_vector(m) for m in memories}
            assert reading.known_vectors("any-1", asked) == wanted
            assert reading.known_vectors("any-1", asked[1:2]) == {asked[1]: wanted[asked[1]]}
            assert reading.known_vectors("other", asked) == {}
            assert reading.known_vectors("any-1", []) == {}

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
