"""What every ledger promises of an episode's facts, decisions, extractions and deltas."""

from __future__ import annotations

from dataclasses import replace

from kataribe.domain.evidence import EvidenceKind, Holding
from kataribe.domain.memory import Extraction, Reason
from kataribe.domain.story.inputs import Fact, Suppression
from kataribe.domain.terms import PUBLIC, Audience, FactOrigin, known_by
from kataribe.ports import Ledger
from kataribe.testing.ledger_world import (
    EXTRA,
    GAP,
    ODD,
    a_draft,
    a_memory,
    a_story,
    an_episode,
    an_extraction,
    fill,
    remember,
)

HOLDINGS = (
    Holding("ann", EvidenceKind.SPOKE, 0.97),
    Holding("氷室", EvidenceKind.PRESENT, 0.5),
)


class FactsContract:
    """What every ledger promises of an episode's facts, decisions, extractions and deltas."""

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
            called = writing.facts_called("s", ["z", "b2", "never there"])
            assert called == {"z": ("e1", full), "b2": ("e2", hand[1])}
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
            replace(a_draft(text, 14, 20, known_by("ann", "氷室")), holdings=HOLDINGS),
            replace(a_draft(text, 15, 20, known_by("ann")), text="Ann saw it.", holdings=HOLDINGS[:1]),
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
