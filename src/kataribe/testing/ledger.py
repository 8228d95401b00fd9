"""What every `Ledger` promises: subclass `LedgerContract` and give a `ledger`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event

import numpy as np
import pytest

from kataribe.domain.gate import Gate, Slice, story_space
from kataribe.domain.ids import exact_hash, text_hash
from kataribe.domain.memory import Draft, Memory, Reason
from kataribe.domain.records import Outcome, Trace, Work
from kataribe.domain.story import (
    PUBLIC,
    Address,
    Alias,
    Annotation,
    Annotations,
    Audience,
    Character,
    Description,
    Episode,
    Fact,
    FactOrigin,
    FactSource,
    NameKind,
    Story,
    Suppression,
    known_by,
)
from kataribe.errors import ConflictError, StoreError
from kataribe.ports import Ledger, Reading, Writing

ODD = (
    "first\r\nsecond\rthird\n\n",
    "  blanks around, tabs\t\tand \u3000 wide ones  ",
    "「ジョバンニ、らっこの上着が来るよ。」とザネリが叫びました。\u3000髙﨑 神\ufe00",
    "👩‍👩‍👧‍👦 🇯🇵 e\u0301 é ﬁ Å Å ｶﾞ \u202eright to left\u202c \ufeff\u200b\x7f\x1b[31m",
    "' \" \\ \\u0000 %s %% {} $1 :name ? ; -- /* */ <|im_end|> \\n",
    "x",
)
"""Texts that a store may be tempted to change."""

LONG = "銀河鉄道の夜。A long night on the railway.\r\n" * 25_000
"""About a million characters."""

_EXTRA: dict[str, object] = {
    "天気": "雪 ❄️",
    "z": [1, 2.5, None, True, {"deep": ["\r\n", ""]}],
    "a": {"y": 1, "b": 2},
    "big": 2**60,
    "none": None,
}
GAP = 2**32


def a_story(story_id: str = "s", **more: object) -> Story:
    """Make a story."""
    made = Story(story_id=story_id, language="ja", embedder="any", embedder_id="any-1", extractor_id="fake-1")
    return replace(made, **more)  # type: ignore[arg-type]


def an_episode(no: int, text: str | None = None, **more: object) -> Episode:
    """Make the episode of this number."""
    made = Episode(episode_id=f"e{no}", no=no, text=f"text of {no}" if text is None else text)
    return replace(made, **more)  # type: ignore[arg-type]


def a_memory(story_id: str, episode: Episode, index: int = 0, **more: object) -> Memory:
    """Make a memory of an episode that stands at its number times `GAP`."""
    text = f"fact {index} of {story_id} {episode.no}"
    made = Memory(
        memory_id=f"{episode.episode_id}/{episode.version}/{index}",
        space=story_space(story_id),
        holder="world",
        position=episode.no * GAP,
        episode_id=episode.episode_id,
        episode_no=episode.no,
        fact_id=f"f{episode.no}-{index}",
        version=episode.version,
        fact_index=index,
        text=text,
        text_hash=text_hash(text),
        origin=FactOrigin.SUPPLIED,
        place=index,
        reason=Reason.SUPPLIED,
    )
    return replace(made, **more)  # type: ignore[arg-type]


def a_vector(memory: Memory) -> bytes:
    """Make the vector of a memory, unlike that of any other text."""
    seed = int(memory.text_hash[:8], 16)
    vector = np.random.default_rng(seed).standard_normal(8)
    return (vector / np.linalg.norm(vector)).astype("<f4").tobytes()


def remember(
    writing: Writing, story_id: str, episode: Episode, memories: Sequence[Memory], *, show: bool = True
) -> None:
    """Put memories in place and show them."""
    writing.replace_memories(
        story_id,
        episode.episode_id,
        memories,
        terms={memory.text_hash: ("word", memory.fact_id) for memory in memories},
        vectors={memory.text_hash: a_vector(memory) for memory in memories},
        embedder_id="any-1",
    )
    writing.set_wanted(story_id, {}, {episode.episode_id: show})


def plain(memories: Sequence[Memory]) -> list[Memory]:
    """Give memories without the store's own keys."""
    return [replace(memory, key=0) for memory in memories]


def everything(reading: Reading, story_id: str) -> dict[str, object]:
    """Read all there is of a story, keys of the store's own aside."""
    states = reading.episode_states(story_id)
    every = [state.episode_id for state in states]
    gate = Gate((Slice(story_space(story_id), "world", 2**60), Slice(story_space(story_id), "ann", 2**60)))
    question = np.ones(8, dtype=np.float32) / np.sqrt(np.float32(8))
    return {
        "story": reading.story(story_id),
        "characters": reading.characters(story_id),
        "mentioned": dict(reading.mentioned(story_id)),
        "states": states,
        "episodes": [reading.episode(story_id, one) for one in every],
        "versions": [reading.versions(story_id, one) for one in every],
        "annotations": [reading.annotations(story_id, one) for one in every],
        "facts": reading.facts(story_id),
        "suppressions": [reading.suppressions(story_id, one) for one in every],
        "pins": [reading.pins(story_id, one) for one in every],
        "extractions": [reading.extraction(story_id, one) for one in every],
        "deltas": [reading.deltas(story_id, one) for one in every],
        "memories": plain(reading.memories(story_id)),
        "memory_states": [dict(reading.memory_states(story_id, one)) for one in every],
        "admitted": plain(reading.admitted(gate)),
        "successions": reading.successions(gate),
        "near": [(c.fact_id, c.score) for c in reading.vectors.nearest(question, gate=gate, top_k=99)],
        "wordy": [(c.fact_id, c.score) for c in reading.keywords.matching(("word",), gate=gate, top_k=99)],
        "work": dict(reading.work(story_id)),
        "traces": reading.traces(story_id, last=99),
    }


def fill(writing: Writing, story_id: str = "s") -> None:
    """Put two episodes and one or more of everything else into a story."""
    first, second = an_episode(1), an_episode(2)
    writing.put_story(a_story(story_id, title="題", extra=_EXTRA))
    writing.put_character(story_id, Character(character_id="ann", aliases=(Alias(text="アン"),)))
    for episode in (first, second):
        episode_id = episode.episode_id
        writing.put_episode(story_id, episode, order_key=episode.no * GAP)
        writing.put_annotations(story_id, episode_id, Annotations(rows=(Annotation(audience=PUBLIC),)))
        writing.put_facts(story_id, episode_id, [Fact(fact_id=f"f{episode.no}-0", text="x", audience=PUBLIC)])
        writing.put_suppressions(story_id, episode_id, [Suppression(holder="ann", text_hash="h")])
        writing.set_pin(story_id, episode_id, f"p{episode.no}", pinned=True)
        writing.put_mentions(story_id, episode_id, ["ann"])
        writing.set_inputs(story_id, episode_id, notes_hash="n", rows_hash="r", annotated=True)
        writing.put_extraction(story_id, episode_id, "print", [a_draft(episode.text, 0, 4)])
        remember(
            writing,
            story_id,
            episode,
            [a_memory(story_id, episode, 0), a_memory(story_id, episode, 1, holder="ann", supersedes="f1-0")],
        )
        writing.put_work(story_id, episode_id, Work(fingerprint="print", outcome=Outcome.DONE))
    writing.put_traces([a_trace(story_id)])


def a_draft(text: str, start: int, end: int, audience: Audience = PUBLIC) -> Draft:
    """Make a draft of a span of a text."""
    return Draft(text=text[start:end], start=start, end=end, audience=audience, reason=Reason.SCENE)


def a_trace(story_id: str, verb: str = "recall") -> Trace:
    """Make a trace."""
    return Trace(
        at="2001-02-03T04:05:06+00:00",
        story=story_id,
        character="ann",
        episode_no=3,
        verb=verb,
        filter={"天気": {"$in": ["雪", 1, None]}},
        slices=(f"story:{story_id} world 2",),
        ids=("vec:e1:v1:world:world:0",),
    )


@contextmanager
def beside() -> Iterator[Callable[[Callable[[], object]], Future[object]]]:
    """Run functions in other threads, and wait for them at the end."""
    with ThreadPoolExecutor(4) as pool:
        yield pool.submit


class _Undone(Exception):  # noqa: N818 - not an error of anybody's
    pass


class LedgerContract:
    """What every `Ledger` promises."""

    @pytest.fixture
    def ledger(self) -> Iterator[Ledger]:
        """Give an empty ledger, and close it afterwards."""
        raise NotImplementedError

    def open_backup(self, path: Path) -> Ledger:
        """Open what `Ledger.backup` wrote."""
        raise NotImplementedError

    # -- round trips -----------------------------------------------------------------------

    def test_an_empty_ledger_holds_nothing(self, ledger: Ledger) -> None:
        """Nothing is not an error."""
        with ledger.reading() as reading:
            assert reading.stories() == ()
            assert reading.story("s") is None
            assert reading.episode("s", "e1") is None
            assert reading.fact("s", "f") is None
            assert reading.extraction("s", "e1") is None
            assert reading.upto("s", 9) is None
            assert reading.annotations("s", "e1") == Annotations()
            found = everything(reading, "s")
        assert not any(found.values())
        assert ledger.problems() == ()

    def test_stories_come_back_as_sent(self, ledger: Ledger) -> None:
        """With every field, by id, and replaced when put again."""
        plain_one = a_story("b")
        full = a_story("銀河 鉄道", title=ODD[3], language="en", language_told=True, extra=_EXTRA)
        with ledger.writing() as writing:
            writing.put_story(full)
            writing.put_story(a_story("b", title="to be replaced", extra=_EXTRA))
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
            writing.put_extraction("s", "e1", "print", [draft])
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
            assert reading.extraction("s", "e1") == ("print", (draft,))
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
                Alias(text="ハイド", kind=NameKind.OTHER, address=secret, extra=_EXTRA),
                *(Alias(text=kind.value, kind=kind) for kind in NameKind),
                Alias(text="ハイド", kind=NameKind.OTHER, address=secret, extra=_EXTRA),
            ),
            descriptions=(Description(text="A doctor."), Description(text=ODD[0], address=secret)),
            extra=_EXTRA,
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
            extra=_EXTRA,
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
        row = Annotation(audience=known_by("ann", "氷室"), paragraph_id="p", paragraph_hash="h", extra=_EXTRA)
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
            extra=_EXTRA,
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
            writing.clear_decisions("s", "e1")
            assert (writing.suppressions("s", "e1"), writing.pins("s", "e1")) == ((), frozenset())
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
        """Spans of the text, with audience and reason; a new one takes the place of the old."""
        text = "👩‍👩‍👧‍👦が見た。\r\nShe saw it."
        drafts = (
            a_draft(text, 0, 4),
            replace(a_draft(text, 3, 12, known_by("ann", "氷室")), flagged=True, importance=5),
            replace(a_draft(text, 12, len(text), Audience()), reason=Reason.UNRECOGNISED),
        )
        with ledger.writing() as writing:
            writing.put_story(a_story())
            writing.put_episode("s", an_episode(1, text), order_key=GAP)
            writing.put_extraction("s", "e1", "old", [])
            assert writing.extraction("s", "e1") == ("old", ())
            writing.put_extraction("s", "e1", "new", drafts)
        with ledger.reading() as reading:
            assert reading.extraction("s", "e1") == ("new", drafts)

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
            extra=_EXTRA,
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
            assert reading.successions(gate) == ((full.fact_id, "f1-0", 2 * GAP),)

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

    # -- changes ---------------------------------------------------------------------------

    def test_a_story_gone_takes_everything_along(self, ledger: Ledger) -> None:
        """And leaves other stories as they were."""
        with ledger.writing() as writing:
            fill(writing, "s")
            fill(writing, "other")
        with ledger.reading() as reading:
            other = everything(reading, "other")
            hashes = [memory.text_hash for memory in reading.memories("s")]
        with ledger.writing() as writing:
            writing.delete_story("s")
        with ledger.reading() as reading:
            assert not any(everything(reading, "s").values())
            assert reading.known_vectors("any-1", hashes) == {}
            assert everything(reading, "other") == other
            assert [story.story_id for story in reading.stories()] == ["other"]
        with ledger.writing() as writing:
            fill(writing, "s")
            assert len(writing.memories("s")) == 4
        assert ledger.problems() == ()

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
            bob = Character(character_id="bob", aliases=(Alias(text="B", address=secret),))
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
            found = reading.annotations("s", "e1").rows
            assert [row.audience for row in found] == [known_by(new, "bob"), known_by("annie")]
            assert reading.facts("s")[0][1].audience == known_by("an", new)
            assert reading.suppressions("s", "e1") == (Suppression(holder=new, text_hash="h"),)
            assert reading.mentioned("s") == {new: 1, "bob": 1}

    def test_numbers_can_be_swapped(self, ledger: Ledger) -> None:
        """With their order keys, and memories go along."""
        with ledger.writing() as writing:
            fill(writing)
            third = an_episode(3)
            writing.put_episode("s", third, order_key=3 * GAP)
            writing.set_numbers("s", {"e1": 2, "e2": 1}, {"e1": 2 * GAP, "e2": GAP})
        with ledger.reading() as reading:
            states = reading.episode_states("s")
            assert [(s.episode_id, s.no, s.order_key) for s in states] == [
                ("e2", 1, GAP),
                ("e1", 2, 2 * GAP),
                ("e3", 3, 3 * GAP),
            ]
            assert [(m.episode_id, m.episode_no, m.position) for m in reading.memories("s")] == [
                *[("e2", 1, GAP)] * 2,
                *[("e1", 2, 2 * GAP)] * 2,
            ]
            gate = Gate((Slice("story:s", "world", GAP),))
            assert [m.episode_id for m in reading.admitted(gate)] == ["e2"]

    def test_numbers_can_all_move_on(self, ledger: Ledger) -> None:
        """Making room moves numbers alone; keys and memories stay where they are."""
        with ledger.writing() as writing:
            fill(writing)
            writing.set_numbers("s", {"e1": 2, "e2": 3}, {})
            assert [(s.no, s.order_key) for s in writing.episode_states("s")] == [(2, GAP), (3, 2 * GAP)]
            assert [(m.episode_no, m.position) for m in writing.memories("s")] == [
                *[(2, GAP)] * 2,
                *[(3, 2 * GAP)] * 2,
            ]
            assert (writing.upto("s", 1), writing.upto("s", 2), writing.upto("s", 9)) == (None, GAP, 2 * GAP)
            assert writing.live_texts("s", [1, 2, 3, 4]) == {2: "text of 1", 3: "text of 2"}

    def test_references_follow_the_numbers_they_name(self, ledger: Ledger) -> None:
        """Aliases, descriptions and quotes; the start stays the start."""
        sinces = (0, 1, 2, 3)
        person = Character(
            character_id="ann",
            aliases=tuple(Alias(text=f"a{n}", address=Address(since=n)) for n in sinces),
            descriptions=(Description(text="d", address=Address(since=2)),),
        )
        episode = an_episode(1)
        with ledger.writing() as writing:
            for story_id in ("s", "other"):
                writing.put_story(a_story(story_id))
                writing.put_character(story_id, person)
                writing.put_episode(story_id, episode, order_key=GAP)
            told = [
                Fact(fact_id=f"f{n}", text="x", quote="q", quote_no=n, audience=PUBLIC) for n in (1, 2, 3)
            ]
            own = Fact(fact_id="own", text="x", quote="q", audience=PUBLIC)
            writing.put_facts("s", "e1", [*told, own])
            memories = [a_memory("s", episode, n, quote="q", quote_no=n or None) for n in range(4)]
            remember(writing, "s", episode, memories)
            writing.shift_references("s", {1: 2, 2: 3})
        with ledger.reading() as reading:
            (found,) = reading.characters("s")
            assert [alias.address.since for alias in found.aliases] == [0, 2, 3, 3]
            assert found.descriptions[0].address.since == 3
            quoted = {fact.fact_id: fact.quote_no for _, fact in reading.facts("s")}
            assert quoted == {"f1": 2, "f2": 3, "f3": 3, "own": None}
            assert [m.quote_no for m in reading.memories("s")] == [None, 2, 3, 3]
            assert reading.characters("other") == (person,)

    def test_no_references_to_shift_is_no_error(self, ledger: Ledger) -> None:
        """Nothing changes."""
        with ledger.writing() as writing:
            fill(writing)
            before = everything(writing, "s")
            writing.shift_references("s", {})
            assert everything(writing, "s") == before

    def test_memories_are_shown_and_hidden(self, ledger: Ledger) -> None:
        """What is hidden is found by no viewer, and is there for the author."""
        gate = Gate((Slice("story:s", "world", 9 * GAP), Slice("story:s", "ann", 9 * GAP)))
        question = np.ones(8, dtype=np.float32)

        def seen(reading: Reading) -> list[set[str]]:
            searches = (
                reading.vectors.nearest(question, gate=gate, top_k=9),
                reading.keywords.matching(("word",), gate=gate, top_k=9),
            )
            return [
                {m.fact_id for m in reading.admitted(gate)},
                *({c.fact_id for c in found} for found in searches),
                set(reading.admitted_facts(gate, ["f1-0", "f1-1", "f2-0", "f2-1"])),
            ]

        with ledger.writing() as writing:
            fill(writing)
            assert seen(writing) == [{"f1-0", "f1-1", "f2-0", "f2-1"}] * 4
            writing.set_wanted("s", {"e2": "wanted"}, {"e1": False})
        with ledger.writing() as writing:
            assert seen(writing) == [{"f2-0", "f2-1"}] * 4
            assert [(s.wanted, s.visible) for s in writing.episode_states("s")] == [
                ("", False),
                ("wanted", True),
            ]
            assert writing.pending("s", 9) == (1,)
            assert len(writing.memories("s")) == 4
            assert all(delta.deleted_at is not None for delta in writing.deltas("s", "e1"))
            writing.set_wanted("s", {}, {"e1": True})
            assert seen(writing) == [{"f1-0", "f1-1", "f2-0", "f2-1"}] * 4
            assert all(delta.deleted_at is None for delta in writing.deltas("s", "e1"))
            assert writing.pending("s", 9) == ()

    def test_deleted_episodes_are_kept_but_lead_nowhere(self, ledger: Ledger) -> None:
        """They give no position, no text and no pending number, and can come back."""
        with ledger.writing() as writing:
            fill(writing)
            writing.set_deleted("s", "e2", "2001-02-03")
            writing.set_wanted("s", {}, {"e2": False})
            assert writing.upto("s", 9) == GAP
            assert writing.live_texts("s", [1, 2]) == {1: "text of 1"}
            assert writing.pending("s", 9) == ()
            assert writing.episode_states("s")[1].deleted_at == "2001-02-03"
            assert writing.episode("s", "e2") == an_episode(2, deleted_at="2001-02-03")
            new = Episode(episode_id="new", no=2, text="in its place")
            writing.put_episode("s", new, order_key=3 * GAP)
            assert writing.live_texts("s", [2]) == {2: "in its place"}
            writing.set_numbers("s", {"new": 3}, {})
            writing.set_deleted("s", "e2", None)
            assert writing.live_texts("s", [2, 3]) == {2: "text of 2", 3: "in its place"}

    def test_two_live_episodes_of_one_number_are_refused(self, ledger: Ledger) -> None:
        """And so is an unknown story's episode; nothing has changed."""
        with ledger.writing() as writing:
            fill(writing)
            before = everything(writing, "s")
        twin = Episode(episode_id="twin", no=2, text="x")
        for story_id in ("s", "unknown"):
            with pytest.raises(StoreError), ledger.writing() as writing:  # noqa: PT012
                writing.put_story(a_story("third"))
                writing.put_episode(story_id, twin, order_key=9 * GAP)
        with ledger.reading() as reading:
            assert everything(reading, "s") == before
            assert reading.story("third") is None

    # -- transactions ----------------------------------------------------------------------

    @pytest.mark.parametrize("error", [_Undone, KeyboardInterrupt])
    def test_a_block_that_raises_changes_nothing(self, ledger: Ledger, error: type[BaseException]) -> None:
        """Neither what it added, nor what it changed, nor what it took out."""
        with ledger.writing() as writing:
            fill(writing)
            before = everything(writing, "s")
        with pytest.raises(error), ledger.writing() as writing:  # noqa: PT012
            fill(writing, "another")
            writing.put_episode("s", an_episode(1, "changed", version=2), order_key=GAP)
            writing.set_numbers("s", {"e1": 2, "e2": 1}, {})
            writing.delete_facts("s", ["f1-0"])
            writing.rename_story("s", "renamed")
            writing.delete_story("renamed")
            raise error
        with ledger.reading() as reading:
            assert everything(reading, "s") == before
            assert [story.story_id for story in reading.stories()] == ["s"]
        with ledger.writing() as writing:
            writing.put_story(a_story("after"))
        with ledger.reading() as reading:
            assert reading.story("after") is not None

    def test_a_writer_sees_what_it_wrote(self, ledger: Ledger) -> None:
        """Before it is committed."""
        with ledger.writing() as writing:
            fill(writing)
            assert len(everything(writing, "s")["admitted"]) == 4  # type: ignore[arg-type]

    def test_reading_is_of_one_moment(self, ledger: Ledger) -> None:
        """A writer may commit meanwhile or wait for the reader, but is never seen by it."""
        with ledger.writing() as writing:
            fill(writing)

        def change() -> None:
            with ledger.writing() as writing:
                writing.put_story(a_story("new"))
                writing.put_episode("s", an_episode(1, "changed", version=2), order_key=GAP)
                writing.set_wanted("s", {}, {"e1": False})

        with beside() as start:
            with ledger.reading() as reading:
                before = everything(reading, "s")
                changing = start(change)
                wait([changing], timeout=0.3)
                assert everything(reading, "s") == before
                assert reading.story("new") is None
            changing.result()
        with ledger.reading() as reading:
            assert reading.story("new") is not None
            assert everything(reading, "s") != before

    def test_a_reader_never_sees_half(self, ledger: Ledger) -> None:
        """While a writer moves two stories together, over and over."""
        over = Event()

        def move() -> None:
            for step in range(1, 31):
                with ledger.writing() as writing:
                    for story_id in ("a", "b"):
                        writing.put_story(a_story(story_id, title=str(step)))
            over.set()

        with beside() as start:
            moving = start(move)
            while not over.is_set() and not moving.done():
                with ledger.reading() as reading:
                    one, two = reading.story("a"), reading.story("b")
                    assert (one and one.title) == (two and two.title)
            moving.result()

    def test_two_writers_lose_no_write(self, ledger: Ledger) -> None:
        """Each reads what the other wrote before it adds its own."""
        with ledger.writing() as writing:
            writing.put_story(a_story(title="0"))

        def count() -> None:
            for _ in range(15):
                with ledger.writing() as writing:
                    story = writing.story("s")
                    assert story is not None
                    writing.put_story(replace(story, title=str(int(story.title or 0) + 1)))

        with beside() as start:
            for counting in [start(count) for _ in range(4)]:
                counting.result()
        with ledger.reading() as reading:
            story = reading.story("s")
        assert story is not None
        assert story.title == "60"

    # -- upkeep ----------------------------------------------------------------------------

    def test_a_sound_ledger_has_no_problems(self, ledger: Ledger) -> None:
        """Empty or filled."""
        with ledger.writing() as writing:
            fill(writing)
        assert ledger.problems() == ()

    def test_looking_for_problems_waits_its_turn(self, ledger: Ledger) -> None:
        """It disturbs no writer at work in another thread."""
        with beside() as start:
            with ledger.writing() as writing:
                fill(writing)
                looking = start(ledger.problems)
                wait([looking], timeout=0.3)
            assert looking.result() == ()
        with ledger.reading() as reading:
            assert len(reading.memories("s")) == 4

    def test_a_backup_holds_the_inputs_and_no_vectors(self, ledger: Ledger, tmp_path: Path) -> None:
        """What was handed in is there; what is derived is due to be made again."""
        with ledger.writing() as writing:
            fill(writing)
            before = everything(writing, "s")
        ledger.backup(tmp_path / "copy.db")
        with ledger.reading() as reading:
            assert everything(reading, "s") == before
            hashes = [memory.text_hash for memory in reading.memories("s")]
        copy = self.open_backup(tmp_path / "copy.db")
        with copy.reading() as reading:
            after = everything(reading, "s")
            assert reading.known_vectors("any-1", hashes) == {}
            assert reading.pending("s", 9) == (1, 2)
        same = ("story", "characters", "mentioned", "episodes", "versions", "annotations", "facts")
        for name in (*same, "suppressions", "pins"):
            assert after[name] == before[name]
        for name in ("admitted", "near", "wordy", "work"):
            assert not after[name]
        assert copy.problems() == ()
        copy.close()
        assert [file.name for file in tmp_path.iterdir() if file.name.startswith("copy")] == ["copy.db"]

    def test_a_backup_never_overwrites(self, ledger: Ledger, tmp_path: Path) -> None:
        """Whatever stands there."""
        taken = tmp_path / "taken"
        taken.write_bytes(b"mine")
        with pytest.raises(ConflictError):
            ledger.backup(taken)
        assert taken.read_bytes() == b"mine"
        folder = tmp_path / "folder"
        folder.mkdir()
        with pytest.raises(ConflictError):
            ledger.backup(folder)

    def test_a_backup_into_a_missing_folder_is_refused(self, ledger: Ledger, tmp_path: Path) -> None:
        """And makes none."""
        with pytest.raises(StoreError):
            ledger.backup(tmp_path / "missing" / "copy.db")
        assert not (tmp_path / "missing").exists()

    def test_a_backup_holds_nothing_uncommitted(self, ledger: Ledger, tmp_path: Path) -> None:
        """A writer at work in another thread is waited for or not seen, and is not disturbed."""
        copy = tmp_path / "copy.db"
        with ledger.writing() as writing:
            writing.put_story(a_story("kept"))
        with beside() as start:
            with pytest.raises(_Undone), ledger.writing() as writing:  # noqa: PT012
                writing.put_story(a_story("undone"))
                copying = start(lambda: ledger.backup(copy))
                wait([copying], timeout=0.3)
                writing.put_story(a_story("undone too"))
                raise _Undone
            copying.result()
        made = self.open_backup(copy)
        with made.reading() as reading, ledger.reading() as ours:
            assert [story.story_id for story in reading.stories()] == ["kept"]
            assert [story.story_id for story in ours.stories()] == ["kept"]
        made.close()

    def test_backups_of_a_busy_ledger_are_of_one_moment(self, ledger: Ledger, tmp_path: Path) -> None:
        """A writer that moves two stories together is neither caught between them nor disturbed."""
        over = Event()

        def move() -> None:
            try:
                for step in range(40):
                    with ledger.writing() as writing:
                        writing.put_story(a_story("a", title=str(step)))
                        over.wait(0.01)
                        writing.put_story(a_story("b", title=str(step)))
            finally:
                over.set()

        copies: list[Path] = []
        with beside() as start:
            moving = start(move)
            while not over.is_set() and len(copies) < 20:
                copies.append(tmp_path / f"copy{len(copies)}.db")
                ledger.backup(copies[-1])
            moving.result()
        for copy in copies[::4]:
            made = self.open_backup(copy)
            with made.reading() as reading:
                one, two = reading.story("a"), reading.story("b")
                assert (one and one.title) == (two and two.title)
            made.close()

    def test_closing_twice_is_closing(self, ledger: Ledger) -> None:
        """And says nothing."""
        with ledger.writing() as writing:
            fill(writing)
        ledger.close()
        ledger.close()
