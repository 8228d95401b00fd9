"""Conversation memory in tiers by a model: what it makes rests on its sources, and goes with them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

import kataribe
from kataribe.conversation.tiers import KeptMemory
from kataribe.domain.conversation.summaries import (
    NewerWords,
    OfferedContradictions,
    OfferedItem,
    OfferedSummary,
    ThreadText,
)
from kataribe.domain.conversation.turns import Turn
from kataribe.domain.terms import Language
from kataribe.domain.work import WorkPolicy
from kataribe.errors import ConflictError, ModelError
from kataribe.face.sync.kataribe import Kataribe
from kataribe.testing.fakes import FrozenClock
from support.erasing import erase
from support.noting import ONE_CALL, ScriptedSummarizer
from support.stores import empty_store, services
from support.talk import DAY_ONE, turn

LATER = DAY_ONE + timedelta(days=300)


def says(no: int, text: str, *, day: float = 0, speaker: str = "u", to: tuple[str, ...] = ("rin",)) -> Turn:
    return turn(no, text, day=day, speaker=speaker, to=to, session=f"s{day:g}")


@contextmanager
def modelled(
    path: Path,
    turns: list[Turn],
    model: ScriptedSummarizer,
    *,
    language: Language = "en",
    clock: FrozenClock | None = None,
) -> Iterator[Kataribe]:
    parts = replace(
        services(),
        summarizer=lambda _: model,
        clock=clock or FrozenClock(LATER),
        policy=WorkPolicy(backoff_seconds=0),
    )
    with kataribe.open(str(empty_store(path)), services=parts) as store:
        store.user("u").create(language=language, embedder="hash", model="openai:scripted")
        store.user("u").put_turns(turns)
        store.user("u").sync()
        yield store


def items(*given: OfferedItem, keywords: tuple[str, ...] = ()) -> ScriptedSummarizer:
    """Make a summarizer that offers, of each thread, the items whose sources are all in it."""

    def sums(thread: ThreadText) -> OfferedSummary:
        there = set(thread.turn_ids)
        found = tuple(one for one in given if set(one.sources) <= there)
        return OfferedSummary(items=found, keywords=keywords, usage=ONE_CALL)

    return ScriptedSummarizer(sums)


def kept(store: Kataribe, **asked: str) -> list[KeptMemory]:
    return list(store.user("u").memory.list(**asked).memories)


def texts(store: Kataribe, **asked: str) -> list[str]:
    return [one.value.text for one in kept(store, **asked)]


SISTER = {
    "en": ("My sister Mia moved.", "She has a flat in Osaka now.", "u's sister Mia lives in Osaka."),
    "ja": ("妹の美亜が引っ越したんだ。", "今は大阪に部屋を借りているよ。", "uの妹の美亜は大阪に住んでいる。"),
}


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_models_item_stands_in_the_place_of_the_words_it_sums_up(
    tmp_path: Path, language: Language
) -> None:
    one, two, summary = SISTER[language]
    model = items(OfferedItem(text=summary, topic="Mia", sources=("t2", "t1"), kind="fact"))
    with modelled(tmp_path / "t.db", [says(1, one), says(2, two)], model, language=language) as store:
        (found,) = kept(store)
        assert (found.value.text, found.value.sources) == (summary, ("t1", "t2"))
        assert (found.value.topic, found.value.sensitivity, found.value.tier.value) == ("Mia", "none", "mid")
        (row, *_) = store.user("u").memory.history(found.value.memory_id).rows
        assert row.reason.word == "summed_up"
        assert store.user("u").verify().problems == ()
        assert [line.text for line in model.threads[0].lines] == [one, two]
        store.user("u").rebuild()
        assert kept(store) == [found]
        assert len(model.threads) == 1, "what was answered is kept"


def test_what_a_model_may_not_say_is_refused_and_told(tmp_path: Path) -> None:
    long = OfferedItem(text="x" * 201, sources=("t1",))
    bare = OfferedItem(text="rests on nothing")
    other = OfferedItem(text="from elsewhere", sources=("t1", "t99"))
    code = OfferedItem(text="Your code is 123456, she said.", sources=("t1",), explicit=True)
    model = ScriptedSummarizer(lambda _: OfferedSummary(items=(long, bare, other, code), usage=ONE_CALL))
    with modelled(tmp_path / "t.db", [], model) as store:
        store.user("u").put_turns([says(1, "My code is 123456.", speaker="rin")])
        report = store.user("u").sync()
        assert len(report.refused) == 3
        assert "201 characters" in report.refused[0]
        assert report.usage.calls == 1
        (found,) = kept(store)
        assert "123456" not in found.value.text
        assert "123456" not in model.shown
        assert not found.value.explicit, "only the user's words command"


@pytest.mark.parametrize("language", ["en", "ja"])
def test_what_rests_on_a_deleted_turn_is_gone_and_asked_again(tmp_path: Path, language: Language) -> None:
    one, two, summary = SISTER[language]
    strict = items(
        OfferedItem(text=summary, sources=("t1", "t2")),
        OfferedItem(text="t1 alone", sources=("t1",)),
        OfferedItem(text="The ferry was late.", sources=("t3",)),
    )
    later = says(3, "The ferry was late.", day=9)
    with modelled(tmp_path / "t.db", [says(1, one), says(2, two), later], strict, language=language) as store:
        assert sorted(texts(store)) == sorted([summary, "t1 alone", "The ferry was late."])
        store.user("u").delete_turns(["t2"])
        assert texts(store) == ["The ferry was late."], "at once, with all that was made of its thread"
        store.user("u").sync()
        assert sorted(texts(store)) == ["The ferry was late.", "t1 alone"]
        assert summary not in texts(store, state="superseded")
        asked = [thread.turn_ids for thread in strict.threads]
        assert asked == [("t1", "t2"), ("t3",), ("t1",)], "only what changed is asked again"


def test_a_corrected_turn_takes_what_rests_on_it_and_leaves_the_rest(tmp_path: Path) -> None:
    turns = [
        says(1, "I live in Osaka. My cat is called Miso."),
        says(2, "I do not live in Osaka any more. I live in Kyoto.", day=9),
    ]
    model = items(OfferedItem(text="u lives in Osaka with the cat Miso.", sources=("t1",)))
    with modelled(tmp_path / "t.db", turns, model) as store:
        now = texts(store)
        assert not any("Osaka with" in text for text in now)
        assert "My cat is called Miso." in now, "what remains is kept in its own words"
        (gone,) = kept(store, state="superseded")
        assert gone.value.text == "u lives in Osaka with the cat Miso."
        assert gone.value.superseded_by == "t2"


@pytest.mark.parametrize(
    ("language", "older", "newer"),
    [
        ("en", "My office is in Osaka.", "My office is a house in Kyoto, near the river."),
        ("ja", "私の事務所は大阪にある。", "私の事務所は京都の川のそばの家だ。"),
    ],
)
def test_a_model_says_what_a_newer_statement_does_away_with(
    tmp_path: Path, language: Language, older: str, newer: str
) -> None:
    def contradicts(asked: NewerWords) -> OfferedContradictions:
        return OfferedContradictions(places=(*range(len(asked.older)), 77), usage=ONE_CALL)

    turns = [says(1, older), says(2, newer, day=9)]
    model = ScriptedSummarizer(lambda _: OfferedSummary(usage=ONE_CALL), contradicts)
    with modelled(tmp_path / "t.db", turns, model, language=language) as store:
        assert [one.older[0].text for one in model.newer] == [older]

        def recalled(day: float) -> set[str]:
            as_of = DAY_ONE + timedelta(days=day, minutes=3)
            hits = store.recall(older, user="u", persona="rin", as_of=as_of, top_k=9).hits
            return {hit.text for hit in hits}

        assert recalled(8) == {older}, "the past stays"
        assert recalled(9) == {newer}
        assert recalled(290) == {newer}
        assert store.user("u").verify().problems == ()


def test_nobody_is_asked_where_the_words_say_so_themselves(tmp_path: Path) -> None:
    turns = [
        says(1, "I live in Osaka."),
        says(2, "I do not live in Osaka any more. I live in Kyoto.", day=9),
        says(3, "Please forget what I said about Kyoto.", day=10),
        says(4, "I love trains.", day=11, speaker="ben"),
    ]
    model = ScriptedSummarizer()
    with modelled(tmp_path / "t.db", turns, model):
        assert model.newer == []


@pytest.mark.parametrize(
    ("language", "said", "asked"),
    [
        ("en", "I broke up with Daniel.", "Forget what I said about Daniel."),
        ("ja", "ダニエルと別れたんだ。", "ダニエルのことは忘れて。"),
    ],
)
def test_what_is_forgotten_takes_the_model_s_words_and_is_shown_to_no_model(
    tmp_path: Path, language: Language, said: str, asked: str
) -> None:
    model = items(OfferedItem(text="sad about a person", topic="love", sources=("t1",)))
    with modelled(tmp_path / "t.db", [says(1, said)], model, language=language) as store:
        (before,) = kept(store)
        store.user("u").put_turns([says(2, asked, day=299.9)])
        store.user("u").sync()
        assert texts(store) == []
        hidden = {one.value.memory_id for one in kept(store, state="hidden")}
        assert hidden == {before.value.memory_id}
        store.user("u").memory.restore(before.value.memory_id)
        assert texts(store) == ["sad about a person"]
        assert store.user("u").verify().problems == ()
    fresh = ScriptedSummarizer()
    name = said[:6]
    with modelled(tmp_path / "f.db", [says(1, said), says(2, asked)], fresh, language=language):
        assert name not in fresh.shown, "a model is not told what was forgotten in the same thread"


def test_a_hand_on_a_models_memory_wins(tmp_path: Path) -> None:
    model = items(OfferedItem(text="u likes tea.", topic="tea", sources=("t1",)))
    with modelled(tmp_path / "t.db", [says(1, "Tea is what I like."), says(2, "Yes.")], model) as store:
        (one,) = kept(store)
        store.user("u").memory.edit(one.value.memory_id, "Green tea.")
        store.user("u").memory.pin(one.value.memory_id)
        store.user("u").memory.nightly(at=LATER)
        (now,) = kept(store)
        assert (now.value.text, now.value.pinned, now.value.sensitivity) == ("Green tea.", True, None)
        store.user("u").memory.forget(one.value.memory_id)
        assert texts(store) == []
        hits = store.recall("tea", user="u", persona="rin", as_of=LATER).hits
        assert not any("Tea" in hit.text for hit in hits)
        assert store.user("u").verify().problems == ()


def test_a_model_that_is_down_loses_nothing_and_is_caught_up_by_the_next_night(tmp_path: Path) -> None:
    clock = FrozenClock(DAY_ONE + timedelta(days=1))
    model = ScriptedSummarizer()
    model.fails()
    with modelled(tmp_path / "t.db", [says(1, "I like tea.")], model, clock=clock) as store:
        assert texts(store) == ["I like tea."], "by rules as long as nobody answers"
        for day in range(2, 9):
            store.user("u").put_turns([says(day, f"I saw the heron number {day}.", day=day - 0.5)])
            clock.set(DAY_ONE + timedelta(days=day))
            report = store.user("u").memory.nightly()
            assert len(report.unanswered) >= 1
            assert "down for the week" in next(iter(report.unanswered.values()))
        assert len(texts(store)) == 8
        waiting = [one for one in store.admin.work() if one.kind.value == "asks"]
        assert waiting
        model.down = None
        clock.set(DAY_ONE + timedelta(days=10))
        report = store.user("u").memory.nightly()
        assert report.unanswered == {}
        assert report.usage.calls == len(model.threads) + len(model.newer)
        assert len(model.threads) == 8
        assert all(text.startswith("u: ") for text in texts(store))
        assert store.user("u").verify().problems == ()
        again = store.user("u").memory.list().memories
    everything = [says(1, "I like tea.")]
    everything += [says(day, f"I saw the heron number {day}.", day=day - 0.5) for day in range(2, 9)]
    with modelled(tmp_path / "f.db", everything, ScriptedSummarizer()) as fresh:
        for day in (*range(2, 9), 10):
            fresh.user("u").memory.nightly(at=DAY_ONE + timedelta(days=day))
        assert fresh.user("u").memory.list().memories == again, "P3"


def test_a_dry_run_says_what_asking_takes_and_is_exact_once_answers_are_kept(tmp_path: Path) -> None:
    clock = FrozenClock(DAY_ONE + timedelta(minutes=2))
    model = ScriptedSummarizer()
    night = DAY_ONE + timedelta(days=1)
    with modelled(tmp_path / "t.db", [says(1, "Remember that I like tea.")], model, clock=clock) as store:
        assert model.threads == [], "the thread is still at hand"
        clock.set(night)
        dry = store.user("u").memory.nightly(dry_run=True)
        assert (dry.usage.calls, len(dry.open_asks), model.threads) == (1, 1, [])
        done = store.user("u").memory.nightly()
        assert (done.usage.calls, len(model.threads)) == (1, 1)
        clock.set(night + timedelta(days=200))
        dry = store.user("u").memory.nightly(dry_run=True)
        assert dry.usage.calls == 0
        done = store.user("u").memory.nightly()
        assert (done.changed, done.usage.calls) == (dry.changed, 0)
        assert done.changed


def test_a_user_may_change_the_model_and_what_was_answered_is_not_asked_twice(tmp_path: Path) -> None:
    model = ScriptedSummarizer()
    with modelled(tmp_path / "t.db", [says(1, "I like tea.")], model) as store:
        by_model = kept(store)
        memory = store.user("u").memory
        memory.nightly(at=DAY_ONE + timedelta(days=1), model="rules")
        assert store.user("u").info().model == "rules"
        assert texts(store) == ["I like tea."]
        tried = memory.nightly(at=DAY_ONE + timedelta(days=2), model="openai:scripted", dry_run=True)
        assert (tried.open_asks, store.user("u").info().model) == ((), "rules")
        memory.nightly(at=DAY_ONE + timedelta(days=2), model="openai:scripted")
        assert kept(store) == by_model
        assert len(model.threads) == 1


def test_a_model_is_chosen_by_name_or_by_the_settings(tmp_path: Path) -> None:
    path = str(empty_store(tmp_path / "t.db"))
    with kataribe.open(path, services=replace(services(), default_model="openai:gpt-x")) as store:
        assert store.user("a").create(language="en", embedder="hash").model == "openai:gpt-x"
        assert store.user("b").create(language="en", embedder="hash", model="rules").model_id == "rules"
        with pytest.raises(kataribe.InputError, match="is no model"):
            store.user("c").create(language="en", embedder="hash", model="no such model")
        with pytest.raises(kataribe.InputError, match="is no model"):
            store.user("a").memory.nightly(model="no such model")
    with kataribe.open(path, services=services()) as store:
        assert store.user("a").info().model_id.startswith("openai/gpt-x+summary-")
        assert store.user("d").create(language="en", embedder="hash").model == "rules"


def test_an_item_rests_on_every_turn_whose_words_it_has(tmp_path: Path) -> None:
    """A model cannot carry what one turn said under the name of another."""
    turns = [says(1, "I had lunch."), says(2, "Daniel left me."), says(3, "Do not tell anybody.")]
    model = items(OfferedItem(text="u had lunch, and Daniel left.", sources=("t1",)))
    with modelled(tmp_path / "t.db", turns, model) as store:
        (found,) = kept(store)
        assert found.value.sources == ("t1", "t2")


def test_nobody_is_shown_what_another_was_told(tmp_path: Path) -> None:
    turns = [says(1, "My key is under the mat."), says(2, "Ben snores.", to=("ben",))]
    model = ScriptedSummarizer()
    with modelled(tmp_path / "t.db", turns, model) as store:
        assert sorted(thread.turn_ids for thread in model.threads) == [("t1",), ("t2",)]
        mine = store.viewer(user="u", persona="rin").memories().memories
        assert [one.value.sources for one in mine] == [("t1",)]


def test_a_models_words_have_vectors_of_their_own(tmp_path: Path) -> None:
    model = items(OfferedItem(text="green tea", topic="tea", sources=("t1",)))
    with modelled(tmp_path / "t.db", [says(1, "I like tea.")], model) as store:
        with store._of._engine._ledger.reading() as view:
            (ask,) = view.model_asks("user:u", "rin")
        assert (len(ask.vectors), ask.embedder_id) == (1, store.user("u").info().embedder_id)
        erase(store, "u")
        with store._of._engine._ledger.reading() as view:
            assert view.model_asks("user:u", "rin") == ()


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("by_name", [False, True])
def test_a_question_that_failed_for_good_is_asked_again_by_work_retry(
    tmp_path: Path, language: Language, by_name: bool
) -> None:
    one, two, summary = SISTER[language]
    well = items(OfferedItem(text=summary, topic="Mia", sources=("t1", "t2"), kind="fact"))
    is_down = True

    def sums(thread: ThreadText) -> OfferedSummary:
        if is_down:
            raise ModelError("the model is down")
        return well.sums(thread)

    model = ScriptedSummarizer(sums)
    with modelled(tmp_path / "t.db", [says(1, one), says(2, two)], model, language=language) as store:
        for _ in range(9):
            store.user("u").sync()
        (failed,) = store.admin.work(user="u")
        assert (failed.kind, failed.state) == ("asks", "dead")
        assert failed.unit is not None
        is_down = False
        store.user("u").sync()
        assert texts(store) != [summary], "what failed for good is left alone"
        with pytest.raises(ConflictError, match="name that unit of turns"):
            store.admin.drop(user="u", unit=failed.unit)
        assert store.admin.retry(user="u", unit=failed.unit if by_name else None) == 1
        store.user("u").sync()
        assert texts(store) == [summary]
        assert store.admin.work(user="u") == ()
        assert store.admin.retry() == 0
