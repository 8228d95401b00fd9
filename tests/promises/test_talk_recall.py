"""Recalling what was said: neighbours, sessions, speakers, intents, and nothing from outside the gate."""

from __future__ import annotations

import asyncio
import json
import logging
import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kataribe
from kataribe.domain.conversation.turns import Turn
from kataribe.domain.gate import Gate, Slice
from kataribe.domain.memory import Hit, Recollection
from kataribe.domain.recall.planning import Intent, SearchPlan
from kataribe.domain.recall.ranking import DEFAULT_RECALL, ends_in_question
from kataribe.domain.space import user_space
from kataribe.domain.terms import Audience
from kataribe.domain.text.tokens import tokens
from kataribe.errors import InputError, ModelError
from kataribe.face.sync.kataribe import Kataribe
from kataribe.formats.wire.recall import recollection_json
from kataribe.testing.reference import IndexRow, ReferenceWorld
from support.stores import empty_store, services
from support.talk import DAY_ONE, FakePlanner, FakeReranker, talk, turn

LATER = DAY_ONE + timedelta(days=4000)


def ask(store: Kataribe, question: str, **asked: Any) -> Recollection:
    return store.recall(question, **{"user": "u", "as_of": LATER, **asked})


def ids(found: Recollection) -> list[str]:
    return [hit.fact_id for hit in found.hits]


def by_id(found: Recollection) -> dict[str, Hit]:
    return {hit.fact_id: hit for hit in found.hits}


# -- what stands beside --------------------------------------------------------------------------

SMALL_TALK = [
    turn(n, f"Nothing much happened on walk number {n}.", session="s9", day=1) for n in range(20, 60)
]
ANSWERED = [
    turn(1, "What did you name the new puppy?", speaker="Ben"),
    turn(2, "Biscuit!"),
    *SMALL_TALK,
]


def test_an_answer_is_found_by_its_question(tmp_path: Path) -> None:
    question = "the name of the new puppy"
    with talk(tmp_path / "k.db", ANSWERED) as store:
        assert ids(ask(store, question))[:2] == ["t1", "t2"]
        parts = by_id(ask(store, question))["t2"].parts
        assert parts["neighbours"] == pytest.approx(0.4, abs=0.01)
    off: dict[str, Any] = {"answer_share": 0, "neighbour_share": 0, "session_share": 0}
    with talk(tmp_path / "k.db", ANSWERED, **off) as store:
        hit = by_id(ask(store, question, top_k=5))["t2"]
        assert hit.parts["neighbours"] == 0
        assert (hit.score or 0.0) < 0.1 < parts["neighbours"], "its own words say nothing of a puppy"


def test_an_answer_in_japanese(tmp_path: Path) -> None:
    turns = [
        turn(1, "新しい子犬の名前は何にしたの？", speaker="健"),
        turn(2, "ビスケット！", speaker="澪"),
        *(
            turn(n, f"散歩のことは、とくに話すことがないなあ{n}。", session="s9", day=1)
            for n in range(20, 60)
        ),
    ]
    with talk(tmp_path / "k.db", turns, language="ja") as store:
        assert ids(ask(store, "子犬の名前"))[:2] == ["t1", "t2"]


@pytest.mark.parametrize(
    ("off", "part"),
    [
        ({"neighbour_share": 0, "answer_share": 0}, "neighbours"),
        ({"session_share": 0}, "session"),
        ({"speaker_bonus": 0}, "speaker"),
    ],
)
def test_each_part_can_be_switched_off(tmp_path: Path, off: dict[str, Any], part: str) -> None:
    turns = [*ANSWERED, turn(3, 'I said "a shop of sweets", Ann.', speaker="Ben")]
    question = 'Did Ben say "a shop of sweets" of the puppy?'

    def of(store: Kataribe) -> list[float]:
        return [hit.parts[part] for hit in ask(store, question, planner="none").hits]

    with talk(tmp_path / "k.db", turns) as store:
        assert any(of(store))
    with talk(tmp_path / "k.db", turns, **off) as store:
        assert not any(of(store))


def test_a_part_that_is_off_can_be_switched_on(tmp_path: Path) -> None:
    """Phrases found word by word earn nothing by themselves; a person may give them a bonus."""
    turns = [*ANSWERED, turn(3, 'I said "a shop of sweets", Ann.', speaker="Ben")]
    question = 'Did Ben say "a shop of sweets" of the puppy?'
    with talk(tmp_path / "k.db", turns) as store:
        assert not any(hit.parts["phrase"] for hit in ask(store, question, planner="none").hits)
    with talk(tmp_path / "k.db", turns, phrase_bonus=0.05) as store:
        hit = by_id(ask(store, question, planner="none"))["t3"]
        assert (hit.parts["verbatim"], hit.parts["phrase"]) == (1.0, 0.05)


def test_intent_can_be_switched_off(tmp_path: Path) -> None:
    """Then the score is relevance alone, the sum of its parts."""
    with talk(tmp_path / "k.db", ANSWERED, intent_weight=0) as store:
        for hit in ask(store, "the name of the new puppy", intent="emotional").hits:
            added = ("fused", "neighbours", "session", "speaker", "phrase", "pinned")
            assert hit.score == pytest.approx(sum(hit.parts[name] for name in added), abs=2e-6)


def test_the_same_words_on_another_day_are_found_by_the_date(tmp_path: Path) -> None:
    """The words are embedded once; each day's terms are its own, by the zone it was said in."""
    tokyo = timezone(timedelta(hours=9))
    said = [replace(turn(n, "We went for a walk."), session=f"s{n}") for n in (1, 2, 3)]
    days = (datetime(2023, 5, 8, 12, tzinfo=tokyo), datetime(2023, 7, 1, 2, tzinfo=tokyo))
    turns = [replace(said[0], time=days[0]), replace(said[1], time=days[1]), said[2]]
    with talk(tmp_path / "k.db", turns) as store:
        assert ids(ask(store, "the walk of 1 July"))[0] == "t2", "in UTC it was the last of June"


@pytest.mark.parametrize("reference", [(10, 48), (2, 4)], ids=["all", "a pool of six"])
def test_scores_are_those_of_the_formula(tmp_path: Path, reference: tuple[int, int]) -> None:
    """Worked out plainly, row by row."""
    top_k, pool = reference
    texts = [
        "Do you like tea?",
        "Yes, green tea.",
        "I went to the sea.",
        "Alone?",
        "With Ben, by train to the sea.",
    ]
    turns = [
        turn(n, f"{texts[n % 5]} ({n})", speaker=("Ann", "Ben")[n % 2], session=f"s{n // 7}", day=n // 7)
        for n in range(1, 30)
    ]
    question = "When did Ann drink tea by the sea?"
    with talk(
        tmp_path / "k.db", turns, pool=pool, intent_weight=0, duplicate_similarity=0, same_matter=0
    ) as store:
        found = ask(store, question, top_k=top_k, planner="none")
    wanted = _by_formula(
        turns, question, stripped="When did drink tea by the sea?", pool=max(pool, 3 * top_k)
    )
    assert ids(found) == [turn_id for turn_id, _ in wanted[:top_k]]
    assert [hit.score for hit in found.hits] == pytest.approx([s for _, s in wanted[:top_k]], abs=5e-6)


def _by_formula(turns: Sequence[Turn], question: str, *, stripped: str, pool: int) -> list[tuple[str, float]]:
    embedder = services().embedder("hash")
    matrix = asyncio.run(embedder.embed_documents([one.words for one in turns]))
    world = ReferenceWorld()
    space = user_space("u")
    world.load(
        IndexRow(
            space=space,
            holder="world",
            position=one.at,
            fact_id=one.turn_id,
            vector=tuple(row.tolist()),
            terms=tokens(one.told("en"), "en"),
        )
        for one, row in zip(turns, matrix, strict=True)
    )
    gate = Gate((Slice(space, "world", turns[-1].at),))
    vector = asyncio.run(embedder.embed_query(stripped))
    terms = tokens(question, "en")
    every = range(len(turns))
    like = world.vectors.similarities(vector, every, gate=gate)
    words = world.keywords.scores(terms, every, gate=gate)
    in_pool = {c.key for c in world.vectors.nearest(vector, gate=gate, top_k=pool)}
    in_pool |= {c.key for c in world.keywords.matching(terms, gate=gate, top_k=pool)}

    def beside(at: int) -> list[int]:
        return [b for b in (at - 1, at + 1) if b in every and turns[b].session == turns[at].session]

    rows = in_pool | {b for at in in_pool for b in beside(at)}
    most_like, most_words = max(like.values()), max(words.values())
    fused = {at: 0.4 * max(like[at], 0) / most_like + 0.6 * words[at] / most_words for at in rows}
    score: dict[int, float] = {}
    for at in rows:
        score[at] = fused[at]
        for other in beside(at):
            # What neither search found lends to what one found, and not to another of its sort.
            if other in rows and (at in in_pool or other in in_pool):
                asks = other == at - 1 and ends_in_question(turns[other].text)
                score[at] += (0.4 if asks else 0.15) * fused[other]
    best = {one.session: 0.0 for one in turns}
    for at, value in score.items():
        best[turns[at].session] = max(best[turns[at].session], value)
    final = {
        at: value + 0.4 * best[turns[at].session] + 0.3 * (turns[at].speaker == "Ann")
        for at, value in score.items()
    }
    ranked = sorted(final, key=lambda at: (-round(final[at], 6), turns[at].at))
    return [(turns[at].turn_id, final[at]) for at in ranked]


# -- who says it ---------------------------------------------------------------------------------


def test_whom_the_question_names_is_put_first(tmp_path: Path) -> None:
    turns = [turn(1, "I love jazz.", speaker="Ben"), turn(2, "I love jazz too.", session="s2", speaker="Ann")]
    with talk(tmp_path / "k.db", turns, intent_weight=0) as store:
        assert ids(ask(store, "What music does Ann love? Ann's music"))[0] == "t2"
        told = ask(store, "What music does Ann love?", explain=True)
        assert told.explanation is not None
        assert told.explanation.stripped == ("Ann",)
        both = ask(store, "Do Ann and Ben love jazz?").hits
        assert [hit.parts["speaker"] for hit in both] == [0.0, 0.0], "who names all names nobody"


@pytest.mark.parametrize("question", ["澪さんの好きな音楽は？", "澪ちゃん、音楽", "音楽といえば澪"])
def test_one_letter_of_japanese_is_no_name(tmp_path: Path, question: str) -> None:
    turns = [turn(1, "音楽が好き。", speaker="澪"), turn(2, "音楽が好き。", speaker="健一")]
    with talk(tmp_path / "k.db", turns, language="ja") as store:
        told = ask(store, question, explain=True).explanation
        assert told is not None
        assert told.stripped == ()
        told = ask(store, question.replace("澪", "健一"), explain=True).explanation
        assert told is not None
        assert told.stripped == ("健一",)


# -- nothing from outside the gate ---------------------------------------------------------------

WORDS = ("tea", "sea", "train", "jazz", "cake?", "rain", "Ann", "Cy")
TURNS = st.lists(
    st.tuples(
        st.lists(st.sampled_from(WORDS), min_size=1, max_size=4),
        st.sampled_from(("Ann", "Ben", "Cy")),
        st.sampled_from(("s1", "s2")),
        st.sampled_from((None, ("p1",), ("p2",), ("p1", "p2"))),
        st.sampled_from((None, 0.0, 0.9)),
        st.integers(0, 2),
    ),
    min_size=1,
    max_size=14,
)


@settings(max_examples=25)
@given(
    given=TURNS,
    cut=st.integers(0, 14),
    question=st.lists(st.sampled_from(WORDS), min_size=1, max_size=4),
    intent=st.sampled_from((None, *Intent)),
    top_k=st.sampled_from((2, 9)),
)
def test_p2_what_lies_outside_the_gate_moves_nothing(
    tmp_path_factory: pytest.TempPathFactory,
    given: list[tuple[list[str], str, str, tuple[str, ...] | None, float | None, int]],
    cut: int,
    question: list[str],
    intent: str | None,
    top_k: int,
) -> None:
    """Hidden turns between admitted ones, sessions of others, speakers heard only later."""
    turns = [
        turn(no, " ".join(words), speaker=who, session=session, to=to, arousal=arousal, day=gap)
        for no, (words, who, session, to, arousal, gap) in enumerate(given)
    ]
    as_of = DAY_ONE + timedelta(minutes=cut, days=cut % 3)
    seen = [
        _for_p1(one)
        for one in turns
        if one.time <= as_of and (one.audience.world or "p1" in one.audience.members)
    ]

    def told(some: Sequence[Turn]) -> str:
        folder = tmp_path_factory.mktemp("p2")
        with talk(folder / "k.db", some) as store:
            found = store.recall(
                " ".join(question),
                user="u",
                persona="p1",
                as_of=as_of,
                intent=intent,
                top_k=top_k,
                explain=True,
            )
        shown = [json.dumps(recollection_json(found)), repr(found.explanation)]
        return "\n".join(shown)

    assert told(turns) == told(seen)


def _for_p1(one: Turn) -> Turn:
    return one if one.audience.world else replace(one, audience=Audience(members=frozenset({"p1"})))


def test_a_hidden_turn_between_two_is_as_if_it_had_not_been_said(tmp_path: Path) -> None:
    turns = [
        turn(1, "Where is the key?", speaker="Ben"),
        turn(2, "Psst, under the stone.", to=["p2"]),
        turn(3, "No idea.", speaker="Ann"),
    ]
    with talk(tmp_path / "k.db", turns) as store:
        hits = by_id(ask(store, "Where is the key?", persona="p1"))
        assert set(hits) == {"t1", "t3"}
        assert hits["t3"].parts["neighbours"] == pytest.approx(0.4, abs=0.01), (
            "it comes right after the question"
        )
        assert (
            hits["t3"].parts["neighbours"]
            > by_id(ask(store, "Where is the key?", persona="p2"))["t3"].parts["neighbours"]
        )


# -- by intent -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "old", "fresh", "question"),
    [
        ("en", "My mother died that night.", "My mother bought a pan.", "my mother"),
        ("ja", "あの夜、母が亡くなった。", "きのう、母が鍋を買った。", "母のこと"),
    ],
)
def test_s4_90_old_and_stirring_or_fresh_by_what_is_asked(
    tmp_path: Path, language: Any, old: str, fresh: str, question: str
) -> None:
    """S4-118: old memories matter too, and technical facts go stale."""
    turns = [turn(1, old, session="s1", arousal=0.95), turn(2, fresh, session="s2", day=400, arousal=0.05)]
    soon = DAY_ONE + timedelta(days=401)
    with talk(tmp_path / "k.db", turns, language=language) as store:
        assert ids(ask(store, question, as_of=soon, intent="emotional")) == ["t1", "t2"]
    plain = [replace(turns[0], arousal=None), replace(turns[1], arousal=None)]
    with talk(tmp_path / "k.db", plain, language=language) as store:
        assert ids(ask(store, question, as_of=soon, intent="technical")) == ["t2", "t1"]


def test_a_change_of_arousal_changes_the_order(tmp_path: Path) -> None:
    turns = [turn(1, "We met at the pier.", session="s1"), turn(2, "We met at the pier again.", session="s2")]
    for calm, stirred in ((0, 1), (1, 0)):
        given = list(turns)
        given[stirred] = replace(given[stirred], arousal=0.9)
        given[calm] = replace(given[calm], arousal=0.1)
        with talk(tmp_path / "k.db", given) as store:
            found = ask(store, "We met at the pier", intent="emotional")
            assert ids(found)[0] == given[stirred].turn_id
            assert found.hits[0].parts["arousal"] == 0.9


def test_long_after_and_calm_the_order_is_that_of_relevance(tmp_path: Path) -> None:
    """S4-92: nothing is sorted by date."""
    question = "the name of the new puppy"
    with talk(tmp_path / "k.db", ANSWERED, intent_weight=0, same_matter=0) as store:
        plain = ids(ask(store, question, top_k=30))
    with talk(tmp_path / "k.db", ANSWERED, same_matter=0) as store:
        for intent in Intent:
            assert ids(ask(store, question, top_k=30, intent=intent)) == plain


STORY = ("The old mill burned and Ann wept.", "Ann swept the mill.", "Ann ate bread.", "Ann slept well.")


@pytest.fixture
def story(tmp_path: Path) -> Any:
    """A story of four episodes with a fact each; `arousal` is written as an import would."""
    path = empty_store(tmp_path / "s.db")

    def opened(arousal: dict[int, float]) -> Kataribe:
        made = kataribe.open(str(path), services=services())
        if not made.admin.stories():
            made.story("s").create(language="en", embedder="hash")
            for no, text in enumerate(STORY, start=1):
                made.story("s").episodes.put(no=no, text=text)
                made.story("s").facts.add(episode_no=no, text=text)
            made.story("s").sync()
        with sqlite3.connect(path) as raw:
            raw.execute("UPDATE memories SET arousal = NULL")
            for no, value in arousal.items():
                raw.execute("UPDATE memories SET arousal = ? WHERE text = ?", (value, STORY[no - 1]))
        return made

    return opened


def test_intent_orders_facts_of_a_story_too(story: Any) -> None:
    """By arousal as with turns, by age in the order of the story and not by any clock (U-7)."""
    viewer = {"story": "s", "persona": "ann", "at": 9}
    with story({}) as store:
        decays = {hit.text: hit.parts["decay"] for hit in store.recall("Ann", top_k=9, **viewer).hits}
        assert [decays[text] for text in STORY] == [
            pytest.approx(2.718281828 ** (-0.05 * n), abs=1e-6) for n in (3, 2, 1, 0)
        ]
        early = store.recall("Ann", story="s", persona="ann", at=3).hits
        assert {hit.text: hit.parts["decay"] for hit in early}[STORY[1]] == 1.0
        assert store.recall("Ann and the mill", intent="technical", **viewer).hits[0].text == STORY[1]
    with story({1: 0.95, 2: 0.05}) as store:
        assert store.recall("Ann and the mill", intent="emotional", **viewer).hits[0].text == STORY[0]
        assert "session" not in store.recall("Ann", **viewer).hits[0].parts


def test_s4_89_a_debug_line_for_each_hit(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with talk(tmp_path / "k.db", ANSWERED[:2]) as store, caplog.at_level(logging.DEBUG, "kataribe.recall"):
        found = ask(store, "puppy", intent="emotional")
    lines = [record.getMessage() for record in caplog.records if record.name == "kataribe.recall"]
    assert len(lines) == len(found.hits) == 2
    for line, hit in zip(lines, found.hits, strict=True):
        assert line.startswith(f"{hit.id} kataribe emotional sim=")
        assert f"arousal={hit.parts['arousal']:.6f} decay={hit.parts['decay']:.6f} composite=" in line
        assert hit.text not in line


# -- the plan ------------------------------------------------------------------------------------


def test_the_planner_is_asked_unless_told_otherwise(tmp_path: Path) -> None:
    plan = SearchPlan(
        terms=("dog",), keywords=("Biscuit",), intent=Intent.TEMPORAL, detected=True, made_by="fake-1"
    )
    planner = FakePlanner(plan)
    parts = {"planner": lambda _name: planner}
    with talk(tmp_path / "k.db", [*ANSWERED, turn(5, "The dog ran off.")], parts=parts) as store:
        told = ask(store, "puppy", explain=True, recent=["Hello!"]).explanation
        assert told is not None
        assert (told.intent, told.detected, told.made_by) == ("temporal", True, "fake-1")
        assert (told.planned, told.keywords) == (("dog",), ("biscuit",))
        assert {"dog", "biscuit"} <= set(told.terms)
        assert planner.asked == [("puppy", "en", ("Hello!",))]
        plain = ask(store, "puppy", explain=True, planner="none").explanation
        assert plain is not None
        assert (plain.intent, plain.detected, plain.made_by, plain.planned) == ("factual", False, "none", ())
        ask(store, "puppy", intent="relational")
        assert len(planner.asked) == 1, "S4-85: an intent that is told is not asked for"
        both = ask(store, "puppy", explain=True, intent="relational", planner="rules").explanation
        assert both is not None
        assert (both.intent, both.made_by) == ("relational", "fake-1")
        assert len(planner.asked) == 2
        hits = by_id(ask(store, "puppy", planner="rules"))
        assert (hits["t2"].parts["verbatim"], hits["t1"].parts["verbatim"]) == (1, 0)
        assert hits["t2"].parts["phrase"] == DEFAULT_RECALL.phrase_bonus == 0


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        ({"intent": "sad"}, "emotional, factual, technical, temporal, relational"),
        ({"min_similarity": 1.5}, "cosine"),
        ({"min_similarity": float("nan")}, "cosine"),
        ({"recent": "Hello!"}, "list of messages"),
        ({"planner": "nobody"}, "nobody"),
        ({"reranker": "nobody"}, "nobody"),
        ({"top_k": 0}, "top_k"),
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path: Path, asked: dict[str, Any], named: str) -> None:
    with talk(tmp_path / "k.db", ANSWERED[:1]) as store, pytest.raises(InputError, match=named):
        ask(store, "puppy", **asked)


# -- what is left out ----------------------------------------------------------------------------


def test_what_is_too_unlike_is_left_out_and_said(tmp_path: Path) -> None:
    with talk(tmp_path / "k.db", ANSWERED) as store:
        every = ask(store, "the name of the new puppy", top_k=50)
        assert len(every.hits) == len(ANSWERED)
        least = 0.3
        some = ask(store, "the name of the new puppy", top_k=50, min_similarity=least, explain=True)
        wanted = {hit.fact_id for hit in every.hits if hit.parts["similarity"] >= least}
        assert 0 < len(wanted) < len(every.hits)
        assert set(ids(some)) == wanted
        assert some.explanation is not None
        reasons = dict(some.explanation.dropped)
        assert set(reasons) == set(ids(every)) - wanted
        assert all("below 0.3" in reason for reason in reasons.values())
        assert ask(store, "zzz", min_similarity=1.0).hits == (), "silence is legal"


def test_what_was_just_said_is_left_out(tmp_path: Path) -> None:
    """S4-73, however it is spaced and however wide its letters are."""
    with talk(tmp_path / "k.db", ANSWERED) as store:
        found = ask(store, "puppy", recent=["What  did you name the new puppy？"], explain=True)
        assert "t1" not in ids(found)
        assert found.explanation is not None
        assert ("t1", "said in the recent messages") in found.explanation.dropped


def test_what_says_the_same_makes_way(tmp_path: Path) -> None:
    turns = [
        *(turn(n, "I like green tea.", session=f"s{n}") for n in (1, 2, 3)),
        turn(4, "Green is the colour of my door.", session="s4"),
    ]
    with talk(tmp_path / "k.db", turns, intent_weight=0) as store:
        found = ask(store, "green tea", top_k=2, explain=True)
        assert ids(found) == ["t3", "t4"], "the newest of them stays"
        assert found.explanation is not None
        assert dict(found.explanation.dropped) == dict.fromkeys(("t1", "t2"), "says the same as t3")
        assert ids(ask(store, "green tea", top_k=3)) == ["t3", "t2", "t4"], "where there is room it stays"
    with talk(tmp_path / "k.db", turns, intent_weight=0, duplicate_similarity=0, same_matter=0) as store:
        assert ids(ask(store, "green tea", top_k=2)) == ["t1", "t2"]


def test_a_filter_holds_for_neighbours(tmp_path: Path) -> None:
    with talk(tmp_path / "k.db", ANSWERED) as store:
        found = ask(store, "the name of the new puppy", where={"speaker": "Ben"})
        assert ids(found) == ["t1"]


# -- reranking -----------------------------------------------------------------------------------


def test_s0_42_a_reranker_is_given_more_and_orders_them(tmp_path: Path) -> None:
    reranker = FakeReranker()
    with talk(tmp_path / "k.db", ANSWERED, parts={"reranker": lambda _name: reranker}) as store:
        found = ask(store, "the name of the new puppy", reranker="short", top_k=3)
        assert reranker.given == [len(ANSWERED)]
        assert found.backend.reranker == "short-1"
        assert ids(found)[0] == "t2", "the shortest of all"
        scores = [hit.score or 0.0 for hit in found.hits]
        assert scores == sorted(scores, reverse=True)
        assert found.hits[0].score == found.hits[0].parts["rerank"] == -float(len(found.hits[0].text))
        assert ask(store, "the name", top_k=3).backend.reranker is None
        nothing = ask(store, "the name", reranker="short", as_of=DAY_ONE - timedelta(days=9))
        assert nothing.hits == ()
        assert len(reranker.given) == 1, "nobody is asked about nothing"


def test_a_reranker_that_gives_nonsense_is_refused(tmp_path: Path) -> None:
    class Broken(FakeReranker):
        async def rerank(self, question: str, texts: Sequence[str]) -> tuple[float, ...]:
            return (float("nan"),) * len(texts)

    parts = {"reranker": lambda _name: Broken()}
    with talk(tmp_path / "k.db", ANSWERED, parts=parts) as store, pytest.raises(ModelError, match="short-1"):
        ask(store, "the name", reranker="short")
