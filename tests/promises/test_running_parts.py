"""Lives that go on from sync to sync, beside what else works on them: the archive, expiry and models."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

import kataribe
from kataribe.conversation.running_lives import KeptLife, RunningLives
from kataribe.domain.conversation.life.policy import policy_from
from kataribe.domain.conversation.life.replay import Happened, LifeStep
from kataribe.domain.conversation.summaries import OfferedSummary, ThreadText
from kataribe.domain.terms import LANGUAGES, Language
from kataribe.testing.fakes import FrozenClock
from support.archived import LATER, archived, files, in_archive, in_ledger, says
from support.noting import ONE_CALL, ScriptedSummarizer
from support.stores import empty_store, services
from support.talk import DAY_ONE

SAID: dict[Language, tuple[str, str, str]] = {
    "en": ("My sister lives in Osaka.", "I like tea.", "Forget what I said about my sister."),
    "ja": ("妹は大阪に住んでいます。", "お茶が好きだ。", "妹のことは忘れて。"),
}


def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note each life that a sync replays from the beginning, and each that goes on."""
    found: list[str] = []
    step = KeptLife.step

    def steps(life: KeptLife, happened: Happened) -> LifeStep:
        found.append("anew" if life.stored is None else "on")
        return step(life, happened)

    monkeypatch.setattr(KeptLife, "step", steps)
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_goes_on_leaves_the_archive_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, language: Language
) -> None:
    sister, tea, forget = SAID[language]
    with archived(tmp_path, [says(1, sister)], language=language) as store:
        steps, before = counted(monkeypatch), files(tmp_path)
        assert any(sister.rstrip(".。") in text for text in in_archive(tmp_path))
        store.user("u").put_turns([says(2, tea, day=5)])
        store.user("u").sync()
        assert steps == ["on"]
        assert files(tmp_path) == before
        assert sister.rstrip(".。") not in in_ledger(tmp_path)
        texts = [one.value.text for one in store.user("u").memory.list().memories]
        assert [text.rstrip(".。") for text in texts] == [sister.rstrip(".。"), tea.rstrip(".。")]
        store.user("u").put_turns([says(3, forget, day=6)])
        store.user("u").sync()
        assert store.user("u").verify().problems == ()
        store.user("u").delete_turns(["t1"])
        store.user("u").sync()
        assert in_archive(tmp_path) == []
        assert store.user("u").verify().problems == ()


@pytest.mark.parametrize("language", LANGUAGES)
def test_missed_nights_are_archived_and_expire_as_if_each_had_been_held(
    tmp_path: Path, language: Language
) -> None:
    found = []
    said = [says(no, text, day=no) for no, text in enumerate(SAID[language][:2], 1)]
    for name in ("each", "at once"):
        folder = tmp_path / name
        with archived(folder, said, language=language, night=None) as store:
            memory, upto = store.user("u").memory, DAY_ONE + timedelta(days=4)
            zone = DAY_ONE.tzinfo
            assert zone is not None
            if name == "each":
                for night in memory.nights_due("0 3 * * *", zone, upto=upto):
                    memory.nightly(at=night)
            else:
                memory.catch_up("0 3 * * *", zone, upto=upto)
            assert in_archive(folder) != []
            assert store.user("u").verify().problems == ()
            found.append((in_archive(folder), in_ledger(folder), memory.list().memories))
    assert found[0] == found[1]


@pytest.mark.parametrize("language", LANGUAGES)
def test_nobody_goes_on_with_a_text_that_has_expired(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, language: Language
) -> None:
    sister, tea, forget = SAID[language]
    small_talk = {"en": "Is there a platypus?", "ja": "カモノハシさん、いますか？"}[language]
    with archived(tmp_path, [says(1, sister), says(2, small_talk, day=1)], language=language) as store:
        steps = counted(monkeypatch)
        short = policy_from({"log": {"text_days": 7}})
        store.user("u").memory.nightly(at=DAY_ONE + timedelta(days=20), policy=short)
        assert small_talk not in [one.text for one in store.user("u").turns()]
        assert steps == ["on", "anew"], "the past was touched"
        steps.clear()
        for no, text in ((3, tea), (4, forget)):
            store.user("u").put_turns([says(no, text, day=20 + no)])
            store.user("u").sync()
            assert store.user("u").verify().problems == ()
        assert steps[0] == "on"


def test_where_a_model_sums_up_all_is_replayed_and_rules_go_on_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = ScriptedSummarizer(lambda _: OfferedSummary(items=(), keywords=(), usage=ONE_CALL))
    parts = replace(services(), summarizer=lambda _: model, clock=FrozenClock(LATER))
    kept: list[str] = []
    put = RunningLives.put

    def puts(lives: RunningLives, space: str, holder: str, life: KeptLife) -> None:
        kept.append(holder)
        put(lives, space, holder, life)

    monkeypatch.setattr(RunningLives, "put", puts)
    with kataribe.open(str(empty_store(tmp_path / "t.db")), services=parts) as store:
        user = store.user("u")
        user.create(language="en", embedder="hash")
        user.put_turns([says(1, "My sister lives in Osaka.")])
        user.sync()
        steps = counted(monkeypatch)
        for day, name in ((2, None), (4, "openai:scripted"), (6, None), (8, "rules"), (10, None)):
            steps.clear()
            kept.clear()
            user.put_turns([says(day, f"I like tea number {day}.", day=day)])
            user.memory.nightly(at=DAY_ONE + timedelta(days=day + 1), model=name)
            assert user.verify().problems == ()
            assert ("on" in steps, bool(kept)) == {
                2: (True, True),
                4: (False, False),
                6: (False, False),
                8: (False, True),
                10: (True, True),
            }[day]


def test_a_question_goes_by_the_numbers_of_its_moment_and_is_not_asked_again(tmp_path: Path) -> None:
    asked: list[int] = []

    def sums(thread: ThreadText) -> OfferedSummary:
        asked.append(thread.most)
        return OfferedSummary(items=(), keywords=(), usage=ONE_CALL)

    parts = replace(services(), summarizer=lambda _: ScriptedSummarizer(sums), clock=FrozenClock(LATER))
    with kataribe.open(str(empty_store(tmp_path / "t.db")), services=parts) as store:
        user = store.user("u")
        user.create(language="en", embedder="hash", model="openai:scripted")
        user.put_turns([says(1, "My sister lives in Osaka.")])
        user.sync()
        short = policy_from({"mid": {"item_characters": 90}})
        user.memory.nightly(at=DAY_ONE + timedelta(days=2), policy=short)
        user.put_turns([says(2, "I like tea.", day=3)])
        user.sync()
        assert asked == [200, 90]
        assert user.verify().problems == ()
