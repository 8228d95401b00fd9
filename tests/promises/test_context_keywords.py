"""A plan's keywords are looked up in past logs too, and stand in the context (S4-69, S4-73 to S4-77)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from kataribe import Component, DropReason, SearchPlan, context_json
from kataribe.domain.terms import Language
from kataribe.face.sync.kataribe import Kataribe
from support.answering import FakeJudge
from support.talk import talk, turn

WORD: dict[Language, str] = {"en": "Silver Compass", "ja": "銀の羅針盤"}
LINES: dict[Language, str] = {
    "en": "It was number {no} when the silver compass pointed north again.",
    "ja": "これで{no}回目になるが、そのとき銀の羅針盤はふたたび北を指したのだということだった。",
}
QUESTION: dict[Language, str] = {"en": "What is new?", "ja": "最近どう？"}
LANGUAGES: tuple[Language, ...] = ("en", "ja")


def plan(language: Language, *more: str) -> SearchPlan:
    return SearchPlan(keywords=(WORD[language], *more), made_by="me")


@contextmanager
def said(path: Path, language: Language, *, count: int = 9, **parts: object) -> Iterator[Kataribe]:
    turns = [turn(no, LINES[language].format(no=no), to=["rin"] if no == 8 else None) for no in range(count)]
    others = [turn(no, f"{no} ...", session="s2", day=1) for no in range(20, 30)]
    with talk(path, [*turns, *others], language=language, parts=parts) as store:
        yield store


def exact(store: Kataribe, language: Language, **asked: object) -> list[str]:
    """Give the items that are there for a keyword alone, when nothing is like the question."""
    asked = {"user": "u", "plan": plan(language), "top_k": 1, "min_similarity": 1.0, **asked}
    made = store.context(QUESTION[language], **asked)  # type: ignore[arg-type]
    return [item.fact_id for item in made.items if "in it" in item.reason]


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_holds_a_keyword_stands_in_the_context_with_its_reason(
    tmp_path: Path, language: Language
) -> None:
    with said(tmp_path / "t.db", language) as store:
        made = store.context(
            QUESTION[language], user="u", plan=plan(language), top_k=1, min_similarity=1.0, order="time"
        )
        ids = [item.fact_id for item in made.items]
        assert len(ids) == len(set(ids))
        assert {"t0", "t1", "t6", "t7"} < set(ids), "the 2 oldest, the 2 newest, and 1 drawn"
        assert "t8" not in ids, "told to another"
        alone = [item for item in made.items if item.score is None]
        assert {item.reason for item in alone} == {f"'{WORD[language]}' stands in it"}
        part = made.part("memories")
        assert part is not None
        assert part.reason == f"{len(ids)} of 1 recalled and {len(alone)} found by keywords, by time"
        assert made.hits == 1 + len(alone) == len(made.items) + len(made.dropped)
        assert context_json(made) == context_json(
            store.context(
                QUESTION[language], user="u", plan=plan(language), top_k=1, min_similarity=1.0,
                order="time", as_of=made.viewer.as_of,
            )
        ), "the lot is the same each time"  # fmt: skip
        assert store.viewer(user="u").report_use([alone[0].id]) == 1
        assert [one.verb for one in store.admin.traces(user="u")][:2] == ["search_log", "recall"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_recalled_already_comes_once(tmp_path: Path, language: Language) -> None:
    with said(tmp_path / "t.db", language, count=4) as store:
        made = store.context(WORD[language], user="u", plan=plan(language), top_k=50, min_similarity=1.0)
        assert sorted(item.fact_id for item in made.items) == ["t0", "t1", "t2", "t3"]
        assert all(item.score is not None for item in made.items), "recalled, and kept for the word in it"
        assert made.items[0].reason.endswith(f", '{WORD[language]}' stands in it")
        left_out = {one.fact_id for one in made.dropped if one.part is Component.MEMORIES}
        assert len({*left_out, "t0", "t1", "t2", "t3"}) == made.hits


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_gate_the_moment_and_the_filter_hold(tmp_path: Path, language: Language) -> None:
    with said(tmp_path / "t.db", language) as store:
        assert "t8" in exact(store, language, persona="rin")
        early = exact(store, language, as_of=turn(2, "x").time, parts=["memories", "question"])
        assert sorted(early) == ["t0", "t1", "t2"]
        assert exact(store, language, where={"fact_id": "t5"}) == ["t5"]
        assert exact(store, language, where={"fact_id": "t20"}) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_looked_up_that_was_not_planned(tmp_path: Path, language: Language) -> None:
    with said(tmp_path / "t.db", language) as store:
        assert exact(store, language, plan=SearchPlan(made_by="me")) == []
        assert exact(store, language, plan=replace(plan(language), needed=False)) == []
        assert exact(store, language, plan=None, planner="none") == []
        assert exact(store, language, parts=["viewer", "question"]) == []
        assert exact(store, language, plan=plan(language, "a", "b", "c", "d")) != [], "three at most"
    with said(tmp_path / "r.db", language) as store:
        quoted = f"「{WORD[language]}」？" if language == "ja" else f'"{WORD[language]}"?'
        made = store.context(quoted, user="u", min_similarity=1.0)
        assert made.plan is not None
        assert made.plan.keywords != (), "the rules find them too"
        assert any("stand" in item.reason for item in made.items)


@pytest.mark.parametrize("language", LANGUAGES)
def test_recent_messages_short_turns_and_long_ones(tmp_path: Path, language: Language) -> None:
    """S4-73, S4-75, S4-77."""
    word, filler = WORD[language], "あれこれ。" if language == "ja" else "on and on "
    newest = LINES[language].format(no=7)
    with said(tmp_path / "t.db", language, count=8) as store:
        found = exact(store, language, recent=[newest])
        assert "t7" not in found
        assert {"t6", "t5"} <= set(found), "another takes its slot"
    long = filler * 100 + word + filler * 100
    turns = [turn(1, word), turn(2, long), turn(3, LINES[language].format(no=3)),
             turn(4, LINES[language].format(no=3), session="s2")]  # fmt: skip
    turns += [turn(no, f"{no} ...", session="s3", day=1) for no in range(20, 24)]
    with talk(tmp_path / "l.db", turns, language=language) as store:
        made = store.context(
            QUESTION[language], user="u", plan=plan(language), top_k=1, min_similarity=1.0, order="time"
        )
        there = {item.fact_id: item for item in made.items}
        alone = {fact_id for fact_id, item in there.items() if item.score is None}
        assert "t2" in alone <= {"t2", "t4"}, "neither the short one nor the repeated one"
        cut = there["t2"]
        assert cut.is_cut
        assert (cut.text[:4], cut.text[-4:], len(cut.text)) == ("[…] ", " […]", 508)
        assert word in cut.text


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_budget_and_the_judge_hold_for_them(tmp_path: Path, language: Language) -> None:
    judge = FakeJudge(keeps=lambda one: False)
    with said(tmp_path / "t.db", language, judge=lambda _: judge) as store:
        asked = {"user": "u", "plan": plan(language), "top_k": 1, "min_similarity": 1.0}
        small = store.context(QUESTION[language], budget=260, **asked)  # type: ignore[arg-type]
        assert small.tokens <= 260
        assert len(small.items) < 5
        assert DropReason.BUDGET in {one.why for one in small.dropped}
        assert small.hits == len(small.items) + len(small.dropped)
        judged = store.context(QUESTION[language], judge="any:model", **asked)  # type: ignore[arg-type]
        assert judged.items == ()
        assert len(judge.asked[0]) in (5, 6)
