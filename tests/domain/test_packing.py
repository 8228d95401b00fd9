"""Packing: never over the budget, nothing lost without a word, always the same."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import hypothesis.strategies as st
import pytest
from hypothesis import assume, given

from kataribe.adapters.tokens import EstimateCounter
from kataribe.domain.around import StorySentence
from kataribe.domain.gate import Viewer
from kataribe.domain.memory import Backend, FactHit, Hit, Recollection, TurnHit
from kataribe.domain.recall.context import (
    CUT,
    Component,
    ContextOrder,
    DropReason,
    check_budgets,
    check_order,
    check_parts,
    choose,
    clip,
    newest,
)
from kataribe.domain.recall.planning import SearchPlan
from kataribe.domain.text.fence import Fenced, read_back
from kataribe.errors import InputError
from kataribe.read.pack import assemble
from kataribe.read.pack_at_hand import ContextRequest
from kataribe.read.select import Screened, judged, screen

STORY = Viewer(story="s", persona="ann", at=9)
USER = Viewer(user="u", persona="mio", as_of=datetime(2026, 1, 31, 9, 0, tzinfo=UTC))
BACKEND = Backend(embedder="e", model="rules")
COUNT = EstimateCounter()


class ByPairs:
    """A counter whose whole is more than its pieces: every second border between letters costs one more."""

    counter_id = "pairs"

    def count(self, text: str) -> int:
        return len(text) + text.count("\n\n") * 7


def fact(number: int, text: str, *, no: int = 1, pinned: bool = False, similarity: float = 0.5) -> FactHit:
    return FactHit(
        id=f"vec:ep-{no}:v1:world:{number}",
        fact_id=f"f{number}",
        text=text,
        episode_no=no,
        episode_id=f"ep-{no}",
        scope="world",
        character_id="world",
        importance=3,
        score=round(1 - number / 1000, 6),
        pinned=pinned,
        parts={"similarity": similarity},
    )


def turn(number: int, text: str, *, hours: int, speaker: str = "Bo") -> TurnHit:
    return TurnHit(
        id=f"turn:t{number}:mio",
        fact_id=f"t{number}",
        text=text,
        scope="world",
        character_id="world",
        importance=3,
        session="s1",
        speaker=speaker,
        time=datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=hours),
        score=round(1 - number / 1000, 6),
        parts={"similarity": 0.5},
    )


def found(*hits: Hit, viewer: Viewer = STORY) -> Recollection:
    return Recollection(viewer=viewer, in_cast=True, hits=hits, pending_episodes=(), backend=BACKEND)


def screened(*hits: Hit, least: float | None = None, recent: tuple[str, ...] = ()) -> Screened:
    return screen(found(*hits), minimum=lambda _: least, recent=recent, plan=None)


def wanted(question: str = "Where is the key?", budget: int = 6000) -> ContextRequest:
    return ContextRequest(question=question, language="en", budget=budget, counter=COUNT)


words = st.text(st.sampled_from("鍵は石の下 ab\n[m1]|\\<>/。、A"), min_size=1, max_size=80)
hits = st.lists(
    st.tuples(words, st.booleans(), st.sampled_from([0.1, 0.5, 0.9]), st.integers(1, 8)), max_size=12
).map(lambda rows: [fact(n, t, no=no, pinned=p, similarity=s) for n, (t, p, s, no) in enumerate(rows)])
budgets = st.one_of(st.integers(1, 400), st.integers(1, 3000))


@given(
    hits=hits,
    budget=budgets,
    single=st.dictionaries(st.sampled_from(list(Component)), st.integers(0, 300)),
    recent=st.lists(words, max_size=5),
    question=words,
    persona=st.one_of(st.just(""), words),
    order=st.sampled_from(ContextOrder),
    parts=st.lists(st.sampled_from(list(Component)), unique=True),
    counter=st.sampled_from([COUNT, ByPairs()]),
)
def test_a_context_is_within_its_budget_and_loses_nothing_silently(
    hits: list[Hit],
    budget: int,
    single: dict[Component, int],
    recent: list[str],
    question: str,
    persona: str,
    order: ContextOrder,
    parts: list[Component],
    counter: EstimateCounter | ByPairs,
) -> None:
    assume(question.strip())
    chosen = screen(found(*hits), minimum=lambda _: 0.3, recent=recent, plan=None)
    asked = ContextRequest(
        question=question,
        language="ja",
        budget=budget,
        counter=counter,
        budgets=single,
        parts=(*(p for p in parts if p is not Component.QUESTION), Component.QUESTION),
        persona=persona,
        recent=tuple(recent),
        order=order,
    )
    try:
        made = assemble(chosen, asked)
    except InputError:
        # It does not hold what must be there; which budgets do is said below.
        return
    assert made.tokens == counter.count(made.text) <= budget
    assert made == assemble(chosen, asked)
    kept = [item.handle for item in made.items]
    left = [one.handle for one in made.dropped if one.handle]
    if Component.MEMORIES in asked.parts:
        assert sorted([*kept, *left]) == sorted(f"m{n}" for n in range(1, len(hits) + 1))
        assert len(set(kept) | set(left)) == len(hits) == made.hits
    assert [p.name for p in made.parts] == [name for name in asked.parts if made.part(name) is not None]
    shown = tuple(Fenced(handle=i.handle, where=i.where, text=i.text, marks=i.marks) for i in made.items)
    assert read_back(made.text) == shown
    cut = [item for item in made.items if item.is_cut]
    assert len(cut) <= 1
    texts = {hit.id: hit.text for hit in hits}
    for item in made.items:
        if item.is_cut:
            assert item.text.endswith(CUT)
            assert texts[item.id].startswith(item.text.removesuffix(CUT))
        else:
            assert item.text == texts[item.id]
    for part in made.parts:
        assert part.tokens <= part.budget or not part.text


@given(
    paragraph_of=st.lists(st.integers(0, 3), min_size=1, max_size=10),
    budget=st.integers(500, 2000),
    pinned=st.sets(st.integers(0, 9)),
)
def test_what_is_around_takes_the_room_that_is_left_and_stands_once(
    paragraph_of: list[int], budget: int, pinned: set[int]
) -> None:
    """Nothing that would be there by itself makes way for what stands around another."""
    # Letters, so that the mark of a fence, which is made of what it holds, costs the same for all.
    asked = replace(wanted(budget=budget), counter=ByPairs())
    told = [
        StorySentence(
            "story:s", "world", 1, "ep-1", f"f{n}", n * 50, n * 50 + 40, f"Sentence {n} of the lamp."
        )
        for n in range(len(paragraph_of))
    ]
    rows = [
        replace(
            fact(n, one.text, pinned=n in pinned),
            space=one.space,
            offsets=(one.start, one.end),
            sentences=tuple(o for o, at in zip(told, paragraph_of, strict=True) if at == paragraph_of[n]),
        )
        for n, one in enumerate(told)
    ]
    bare = assemble(screened(*(replace(row, sentences=()) for row in rows)), asked)
    made = assemble(screened(*rows), asked)
    assert made.tokens <= budget
    within = {one.fact_id: one.detail for one in made.dropped if one.why is DropReason.DUPLICATE}
    assert {item.fact_id for item in bare.items} <= {item.fact_id for item in made.items} | within.keys()
    shown = "".join(item.text for item in made.items)
    assert all(shown.count(one.text) <= 1 for one in told)
    for one in told:
        if one.fact_id in within:
            (item,) = [item for item in made.items if one.text in item.text]
            assert within[one.fact_id] == f"stands around {item.handle}"
    assert len(made.items) + len([one for one in made.dropped if one.handle]) == len(rows)


def test_the_best_stay_when_room_is_short() -> None:
    many = [fact(n, f"The lamp number {n} hangs in the {n}. house of the lane.") for n in range(40)]
    made = assemble(screened(*many), wanted(budget=600))
    kept = [item.fact_id for item in made.items]
    assert kept == [f"f{n}" for n in range(len(kept))]
    assert 5 < len(kept) < 40
    assert {one.why for one in made.dropped} == {DropReason.BUDGET}


def test_a_smaller_one_fills_the_gap_a_larger_one_leaves() -> None:
    assert choose([5, 9, 3, 1], 9) == (0, 2, 3)
    assert choose([], 3) == ()
    assert newest([5, 1, 2], 4) == 1
    assert newest([5, 1, 9], 4) == 3


def test_the_best_memory_alone_is_cut_and_marked() -> None:
    long = "".join(f"石段の{n}段目に鍵がある。" for n in range(300))
    made = assemble(screened(fact(0, long)), wanted(budget=500))
    (item,) = made.items
    assert item.is_cut
    assert item.text.endswith(CUT)
    assert 300 < made.tokens <= 500


@given(words, st.integers(0, 60))
def test_a_clip_is_the_longest_that_fits(text: str, room: int) -> None:
    kept = clip(text, room, len)
    if len(text) <= room:
        assert kept == text
    elif kept is not None:
        assert len(kept) <= room
        assert kept.endswith(CUT)
        assert text.startswith(kept.removesuffix(CUT))


def test_pinned_memories_stand_first_and_time_orders_the_rest() -> None:
    rows = (
        fact(0, "A late thing.", no=7),
        fact(1, "An early thing.", no=2),
        fact(2, "A pin.", no=8, pinned=True),
    )
    by_score = assemble(screened(*rows), wanted())
    assert [item.fact_id for item in by_score.items] == ["f2", "f0", "f1"]
    assert [item.handle for item in by_score.items] == ["m1", "m2", "m3"]
    by_time = assemble(screened(*rows), replace(wanted(), order=ContextOrder.TIME))
    assert [item.fact_id for item in by_time.items] == ["f2", "f1", "f0"]
    assert {i.handle: i.id for i in by_time.items} == {i.handle: i.id for i in by_score.items}
    said = (turn(0, "later", hours=9), turn(1, "sooner", hours=2))
    talk = screen(found(*said, viewer=USER), minimum=lambda _: None, recent=(), plan=None)
    made = assemble(talk, replace(wanted(), order=ContextOrder.TIME))
    assert [item.text for item in made.items] == ["sooner", "later"]
    assert made.items[0].where == "2026-01-01 02:00+00:00, Bo"
    assert "talking with u" in made.text


def test_what_is_left_out_says_why() -> None:
    rows = (
        fact(0, "The key is under the stone."),
        fact(1, "The sea is far away.", similarity=0.1),
        fact(2, "We said that the lamp is broken."),
        fact(3, "The key is  under the stone."),
    )
    kept = screened(*rows, least=0.2, recent=("Hm. we said. We said that the lamp is broken.",))
    why = {one.fact_id: (one.why, one.detail) for one in kept.dropped}
    assert why == {
        "f1": (DropReason.BELOW_MINIMUM, "0.100 < 0.200"),
        "f2": (DropReason.RECENT, "the recent messages say so"),
        "f3": (DropReason.DUPLICATE, "says the same as m1"),
    }
    out = judged(kept, {"m9"}, "judge-1")
    assert out.chosen == ()
    made = assemble(out, wanted())
    assert made.items == ()
    assert made.hits == 4 == len(made.dropped)
    assert "You remember nothing about it." in made.text
    assert made.judge == "judge-1"


def test_what_words_or_a_person_speak_for_is_used_whatever_its_cosine() -> None:
    rows = (
        replace(fact(0, "A"), parts={"similarity": 0.1, "verbatim": 0.5}),
        fact(1, "B", pinned=True, similarity=0.1),
        replace(fact(2, "C"), parts={"similarity": 0.0, "keyword": 3.0}),
        replace(fact(3, "D"), parts={"similarity": 0.1, "keyword": 3.0}),
    )
    rows = (rows[0], replace(rows[1], parts={"similarity": 0.1, "pinned": 0.1}), *rows[2:])
    kept = screened(*rows, least=0.2)
    assert {one.hit.fact_id for one in kept.chosen} == {"f0", "f1", "f2"}


def test_a_short_word_said_before_is_no_reason_to_forget_one() -> None:
    kept = screened(fact(0, "はい"), recent=("はい、そうです",))
    assert [one.handle for one in kept.chosen] == ["m1"]
    assert screened(fact(0, "はい"), recent=("はい",)).chosen == ()


def test_small_talk_needs_no_memory() -> None:
    plan = SearchPlan(needed=False, made_by="rules-1")
    made = assemble(screen(found(), minimum=lambda _: None, recent=(), plan=plan), wanted("Hello!"))
    part = made.part(Component.MEMORIES)
    assert part is not None
    assert (part.text, part.items) == ("", ())
    assert part.reason == "nothing needs to be remembered for this, says rules-1"


def test_the_newest_messages_stay() -> None:
    recent = tuple(f"message number {n} about the weather" for n in range(50))
    made = assemble(screened(), replace(wanted(budget=300), recent=recent))
    part = made.part(Component.RECENT)
    assert part is not None
    shown = [line for line in part.text.split("\n") if line.startswith("- ")]
    assert shown == [f"- {message}" for message in recent[-len(shown) :]]
    assert 2 < len(shown) < 50
    assert len(made.dropped) == 50 - len(shown)


def test_memories_leave_the_recent_messages_their_share() -> None:
    recent = tuple(f"message number {n} about the weather" for n in range(50))
    many = [fact(n, f"The lamp number {n} hangs in the {n}. house.") for n in range(90)]
    made = assemble(screened(*many), replace(wanted(budget=1000), recent=recent))
    part = made.part(Component.RECENT)
    assert part is not None
    assert part.tokens > 200
    assert len(made.items) > 10


def test_parts_orders_and_budgets_are_checked() -> None:
    assert check_parts(["question", "memories"]) == (Component.QUESTION, Component.MEMORIES)
    assert check_budgets({"recent": 0}) == {Component.RECENT: 0}
    assert check_order("time") is ContextOrder.TIME
    for refused in (
        lambda: check_parts(["memories"]),
        lambda: check_parts(["question", "question"]),
        lambda: check_parts(["question", "soul"]),
        lambda: check_parts("question"),
        lambda: check_budgets({"soul": 3}),
        lambda: check_budgets({"recent": -1}),
        lambda: check_order("luck"),
    ):
        with pytest.raises(InputError):
            refused()


def test_a_budget_that_cannot_hold_what_must_be_there_is_refused() -> None:
    for budget in (1, 20, 60):
        with pytest.raises(InputError, match="raise it"):
            assemble(screened(fact(0, "x")), wanted(budget=budget))
    assert assemble(screened(fact(0, "x")), wanted(budget=150)).tokens <= 150
