"""Conversation memory in tiers: what is kept, promoted, forgotten, and given to nobody any more."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import kataribe
from kataribe.conversation.tiers import begin_night
from kataribe.domain.conversation.life.policy import policy_from
from kataribe.domain.conversation.life.replay import Happened, LifeStep, RunningLife
from kataribe.domain.conversation.life.values import Life
from kataribe.domain.conversation.turns import Turn
from kataribe.domain.gate import position_of
from kataribe.domain.recall.policy_file import Tuning
from kataribe.domain.terms import Language
from kataribe.face.sync.kataribe import Kataribe
from kataribe.ports import RecordedNight
from kataribe.testing.fakes import FrozenClock
from support.talk import DAY_ONE, talk, turn

LATER = DAY_ONE + timedelta(days=300)


def says(no: int, text: str, *, day: float = 0, speaker: str = "u", to: tuple[str, ...] = ("rin",)) -> Turn:
    return turn(no, text, day=day, speaker=speaker, to=to, session=f"s{day:g}")


@contextmanager
def house(path: Path, turns: list[Turn], *, language: Language = "en") -> Iterator[Kataribe]:
    with talk(path, turns, language=language, parts={"clock": FrozenClock(LATER)}) as store:
        yield store


def kept(store: Kataribe, **asked: str) -> list[tuple[str, str, str]]:
    found = store.user("u").memory.list(**asked).memories
    return [(one.value.tier.value, one.value.state.value, one.value.text) for one in found]


def recalled(store: Kataribe, question: str, *, as_of: datetime | None = None) -> list[str]:
    hits = store.recall(question, user="u", persona="rin", as_of=as_of or LATER, top_k=20).hits
    return [hit.text for hit in hits]


def test_what_was_said_is_kept_once_its_thread_is_over(tmp_path: Path) -> None:
    with house(tmp_path / "t.db", [says(1, "Hello!"), says(2, "My sister lives in Osaka.")]) as store:
        assert kept(store) == [("mid", "kept", "My sister lives in Osaka.")]
        (mine,) = store.user("u").memory.list().memories
        assert (mine.space, mine.holder, mine.value.sources) == ("user:u", "rin", ("t2",))
        before = store.viewer(user="u", persona="rin", as_of=DAY_ONE + timedelta(minutes=3))
        assert before.memories().memories == (), "it is still at hand"


@pytest.mark.parametrize(
    ("language", "text", "wish"),
    [
        ("en", "My sister lives in Osaka.", "Please remember this."),
        ("ja", "妹は大阪に住んでいます。", "覚えておいて。"),
    ],
)  # fmt: skip
def test_a_command_is_no_memory_of_its_own(tmp_path: Path, language: Language, text: str, wish: str) -> None:
    with house(tmp_path / "t.db", [says(1, f"{text} {wish}"), says(2, wish)], language=language) as store:
        (one,) = store.user("u").memory.list().memories
        assert one.value.text.rstrip("。.") == text.rstrip("。.")


@pytest.mark.parametrize(
    ("language", "text", "kept_text"),
    [
        ("en", "Please remember that I am allergic to peanuts.", "I am allergic to peanuts"),
        ("ja", "私はピーナッツアレルギーだと覚えておいて。", "ピーナッツ"),
    ],
)
def test_what_the_user_asks_to_remember_is_promoted_the_next_night(
    tmp_path: Path, language: Language, text: str, kept_text: str
) -> None:
    with house(tmp_path / "t.db", [says(1, text)], language=language) as store:
        report = store.user("u").memory.nightly(at=DAY_ONE + timedelta(days=1))
        assert report.counts != {}
        ((tier, _, said),) = kept(store)
        assert tier == "long"
        assert kept_text in said
        (one,) = store.user("u").memory.list(tier="long").memories
        rows = store.user("u").memory.history(one.value.memory_id).rows
        assert [row.tier.value for row in rows][-1] == "long"
        assert all(row.reason.word for row in rows)


def test_only_the_users_own_words_command(tmp_path: Path) -> None:
    turns = [says(1, "Please remember that I am allergic to peanuts.", speaker="rin")]
    with house(tmp_path / "t.db", turns) as store:
        store.user("u").memory.nightly(at=DAY_ONE + timedelta(days=1))
        assert all(tier == "mid" for tier, _, _ in kept(store))


@pytest.mark.parametrize(
    ("language", "said", "asked", "question"),
    [
        ("en", "I broke up with Daniel.", "Forget what I said about Daniel.", "Daniel"),
        ("ja", "ダニエルと別れたんだ。", "ダニエルのことは忘れて。", "ダニエル"),
    ],
)
def test_what_is_forgotten_comes_back_nowhere(
    tmp_path: Path, language: Language, said: str, asked: str, question: str
) -> None:
    turns = [says(1, said), says(2, asked, day=1)]
    with house(tmp_path / "t.db", turns, language=language) as store:
        assert said not in recalled(store, question)
        assert said not in [hit.text for hit in store.known(user="u", persona="rin").hits]
        assert said not in store.context(question, user="u", persona="rin", min_similarity=-1).text
        viewer = store.viewer(user="u", persona="rin")
        assert said not in [hit.text for hit in viewer.search_log([question]).hits]
        with pytest.raises(kataribe.NotFoundError):
            viewer.read_turn("t1")
        assert said in recalled(store, question, as_of=DAY_ONE + timedelta(hours=12)), "the past stays"
        assert [one.text for one in store.user("u").turns()] == [said, asked], "the log keeps the words"


def test_what_was_hidden_can_be_restored_for_a_while(tmp_path: Path) -> None:
    turns = [says(1, "I have a tattoo on my shoulder."), says(2, "Please forget about my tattoo.", day=298)]
    with house(tmp_path / "t.db", turns) as store:
        assert "I have a tattoo on my shoulder." not in recalled(store, "tattoo")
        (hidden,) = store.user("u").memory.list(state="hidden").memories
        store.user("u").memory.restore(hidden.value.memory_id)
        assert "I have a tattoo on my shoulder." in recalled(store, "tattoo")
        with pytest.raises(kataribe.InputError, match="nothing to restore"):
            store.user("u").memory.restore(hidden.value.memory_id)


def test_a_newer_statement_supersedes_the_older_one(tmp_path: Path) -> None:
    turns = [says(1, "I live in Osaka."), says(2, "I do not live in Osaka any more. I live in Kyoto.", day=9)]
    with house(tmp_path / "t.db", turns) as store:
        assert "I live in Osaka." not in recalled(store, "Where does she live?")
        assert "I live in Osaka." in recalled(store, "Where?", as_of=DAY_ONE + timedelta(days=1))
        assert "I live in Osaka." not in [text for _, _, text in kept(store)]


def test_what_is_deleted_takes_what_rests_on_it(tmp_path: Path) -> None:
    turns = [says(1, "Remember that my cat is called Miso."), says(2, "The harbour is cold.")]
    with house(tmp_path / "t.db", turns) as store:
        store.user("u").memory.nightly(at=DAY_ONE + timedelta(days=1))
        assert any("Miso" in text for _, _, text in kept(store))
        store.user("u").delete_turns(["t1"])
        assert not any("Miso" in text for _, _, text in kept(store)), "at once"
        store.user("u").sync()
        assert [text for _, _, text in kept(store)] == ["The harbour is cold."]


def test_what_is_not_used_fades(tmp_path: Path) -> None:
    with house(tmp_path / "t.db", [says(1, "The ferry to Saga was late."), says(2, "Hm.", day=299)]) as store:
        found = {}
        for days in (1, 40, 100, 200):
            store.user("u").memory.nightly(at=DAY_ONE + timedelta(days=days))
            hits = store.recall(
                "ferry", user="u", persona="rin", as_of=DAY_ONE + timedelta(days=days + 1)
            ).hits
            found[days] = [hit.score for hit in hits if "ferry" in hit.text]
        assert found[1] > found[40] > found[100], found
        assert found[200] == [], "archived"
        assert [hit.text for hit in store.viewer(user="u", persona="rin").search_log(["ferry"]).hits] == [
            "The ferry to Saga was late."
        ], "what is only old stays in the log"


def test_nights_are_recorded_in_order_and_replayed(tmp_path: Path) -> None:
    turns = [says(no, "I love matcha.", day=no) for no in (1, 2, 3)]
    nights = [DAY_ONE + timedelta(days=days) for days in (2.5, 4)]
    seen = []
    for number, said in enumerate((turns, list(reversed(turns)))):
        with house(tmp_path / f"{number}.db", said[:2]) as store:
            dry = store.user("u").memory.nightly(at=nights[0], dry_run=True)
            assert dry.changed == store.user("u").memory.nightly(at=nights[0]).changed, "a dry run is exact"
            with pytest.raises(kataribe.ConflictError):
                store.user("u").memory.nightly(at=nights[0])
            with pytest.raises(kataribe.InputError, match="still to come"):
                store.user("u").memory.nightly(at=LATER + timedelta(days=1))
            store.user("u").memory.nightly(at=nights[1])
            store.user("u").put_turns(said[2:])
            store.user("u").sync()
            seen.append(store.user("u").memory.list().memories)
            assert store.user("u").verify().problems == ()
    assert seen[0] == seen[1], "whatever came first"


def test_a_hand_wins_over_nights(tmp_path: Path) -> None:
    turns = [says(1, "Remember that my brother is called Tom.")]
    with house(tmp_path / "t.db", turns) as store:
        (one,) = store.user("u").memory.list().memories
        store.user("u").memory.edit(one.value.memory_id, "Her brother is Thomas.")
        store.user("u").memory.pin(one.value.memory_id)
        store.user("u").memory.nightly(at=LATER)
        (now,) = store.user("u").memory.list().memories
        assert (now.value.text, now.value.pinned) == ("Her brother is Thomas.", True)
        store.user("u").rebuild()
        assert store.user("u").memory.list().memories == (now,)
        store.user("u").memory.forget(one.value.memory_id)
        assert store.user("u").memory.list().memories == ()
        assert not any("Tom" in text for text in recalled(store, "Tom"))


def test_nobody_is_given_what_another_keeps(tmp_path: Path) -> None:
    turns = [says(1, "My key is under the mat."), says(2, "Ben snores.", to=("ben",))]
    with house(tmp_path / "t.db", turns) as store:
        mine = store.viewer(user="u", persona="rin").memories()
        assert [one.value.text for one in mine.memories] == ["My key is under the mat."]
        assert store.viewer(user="u", persona="mia").memories().memories == ()
        assert store.viewer(user="u").memories().memories == ()
        with pytest.raises(kataribe.NotFoundError):
            store.user("u").memory.pin("nothing")


def test_verify_finds_rows_that_nobody_made(tmp_path: Path) -> None:
    with house(tmp_path / "t.db", [says(1, "My key is under the mat.")]) as store:
        assert store.user("u").verify().problems == ()
        with store._of._engine._ledger.writing() as tx:
            tx.put_life("user:u", "rin", Life())
        (problem,) = store.user("u").verify().problems
        assert "what rin keeps in tiers" in problem
        store.user("u").rebuild()
        assert store.user("u").verify().problems == ()


def test_threads_and_buffer_are_cut_by_the_numbers_of_the_policy(tmp_path: Path) -> None:
    said = [says(no, "My key is under the mat.") for no in (1, 2, 3)]
    with house(tmp_path / "t.db", said) as store:
        viewer = store.viewer(user="u", persona="rin", as_of=DAY_ONE + timedelta(days=2))
        assert [len(one.thread.turns) for one in viewer.threads().threads] == [3]
        twos = policy_from({"thread": {"turns": 2}})
        store.user("u").memory.nightly(at=DAY_ONE + timedelta(days=1), policy=twos)
        later = [says(no, "My key is under the mat.", day=1.5) for no in (4, 5, 6)]
        store.user("u").put_turns(later)
        store.user("u").sync()
        # What was cut before that night stays.
        assert [len(one.thread.turns) for one in viewer.threads().threads] == [3, 2, 1]
        assert store.user("u").verify().problems == ()
    tuned = Tuning(tiers=policy_from({"buffer": {"messages": 2}}))
    with talk(tmp_path / "b.db", said, parts={"clock": FrozenClock(said[2].time), "tuning": tuned}) as store:
        assert len(store.viewer(user="u", persona="rin").buffer().turns) == 2


def test_a_night_that_was_killed_is_replayed_by_the_next_sync(tmp_path: Path) -> None:
    """It is recorded before anything is made of it; what is made, is made whole."""
    said = [says(1, "Please remember that I am allergic to peanuts.")]
    night = DAY_ONE + timedelta(days=1)
    seen = []
    for is_killed in (False, True):
        with house(tmp_path / f"{is_killed}.db", said) as store:
            before = kept(store)
            if is_killed:
                with store._of._engine._ledger.writing() as tx:
                    begin_night(tx, "u", RecordedNight(at=position_of(night)))
                assert kept(store) == before
                store.user("u").sync()
            else:
                store.user("u").memory.nightly(at=night)
            seen.append(store.user("u").memory.list().memories)
            with pytest.raises(kataribe.ConflictError):
                store.user("u").memory.nightly(at=night)
    assert seen[0] == seen[1]
    assert [one.value.tier.value for one in seen[0]] == ["long"]


def test_scores_fade_by_the_numbers_of_the_last_night(tmp_path: Path) -> None:
    with house(tmp_path / "t.db", [says(1, "The ferry to Saga was late.")]) as store:
        viewer = store.viewer(user="u", persona="rin", as_of=DAY_ONE + timedelta(days=3))
        (before,) = viewer.recall("ferry").hits
        half = policy_from({"decay": {"hot_factor": 0.5}})
        store.user("u").memory.nightly(at=DAY_ONE + timedelta(days=2), policy=half)
        (after,) = viewer.recall("ferry").hits
        assert before.score is not None
        # Of a tenth of the score half is left.
        assert after.score == pytest.approx(before.score * 0.95, abs=1e-6)


def test_a_night_and_a_memory_tell_by_which_numbers(tmp_path: Path) -> None:
    twos = policy_from({"promotion": {"mentions": 1}})
    with house(tmp_path / "t.db", [says(1, "The ferry to Saga was late.")]) as store:
        memory = store.user("u").memory
        nights = [DAY_ONE + timedelta(days=days) for days in (1.5, 3)]
        assert memory.nightly(at=nights[0]).policy == policy_from({})
        assert memory.nightly(at=nights[1], policy=twos, dry_run=True).policy == twos
        assert memory.nightly(at=nights[1], policy=twos).policy == twos
        (one,) = memory.list().memories
        told = memory.history(one.value.memory_id)
        numbers = [(row.reason.word, told.policy_of(row) == twos) for row in told.rows]
        assert numbers == [("said", False), ("kept", False), ("promoted_mentions", True)]


def test_missed_nights_are_held_each_once_and_replayed_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = [says(no, "I love matcha.", day=no * 5) for no in range(5)]
    upto = DAY_ONE + timedelta(days=30)
    replays: list[object] = []
    begin = RunningLife.begin
    found = []

    def counted(life: RunningLife, happened: Happened) -> LifeStep:
        replays.append(happened)
        return begin(life, happened)

    for is_one_by_one in (True, False):
        with house(tmp_path / f"{is_one_by_one}.db", said) as store:
            memory = store.user("u").memory
            monkeypatch.setattr(RunningLife, "begin", counted)
            replays.clear()
            if is_one_by_one:
                due = memory.nights_due("0 3 * * *", UTC, upto=upto)
                reports = tuple(memory.nightly(at=night) for night in due)
            else:
                reports = memory.catch_up("0 3 * * *", UTC, upto=upto)
                assert len(replays) == 1
            assert memory.catch_up("0 3 * * *", UTC, upto=upto) == ()
            assert len(memory.nights()) == len(reports) == 30
            assert store.user("u").verify().problems == ()
            found.append((reports, memory.list().memories))
    assert found[0] == found[1]


@pytest.mark.parametrize("held", [1, 7, 30])
def test_nights_that_were_recorded_before_a_kill_are_replayed_by_the_next_schedule(
    tmp_path: Path, held: int
) -> None:
    said = [says(no, "I love matcha.", day=no * 5) for no in range(5)]
    upto = DAY_ONE + timedelta(days=30)
    with house(tmp_path / "w.db", said) as store:
        store.user("u").memory.catch_up("0 3 * * *", UTC, upto=upto)
        whole = store.user("u").memory.list().memories
    with house(tmp_path / "k.db", said) as store:
        memory = store.user("u").memory
        for night in memory.nights_due("0 3 * * *", UTC, upto=upto)[:held]:
            with store._of._engine._ledger.writing() as tx:
                begin_night(tx, "u", RecordedNight(at=position_of(night)))
        assert all(one.value.tier.value == "mid" for one in memory.list().memories)
        reports = memory.catch_up("0 3 * * *", UTC, upto=upto)
        assert len(reports) == 30 - held, "each once"
        assert memory.list().memories == whole


@pytest.mark.parametrize(
    ("language", "text", "question"),
    [("en", "My sister lives in Osaka.", "sister"), ("ja", "妹は大阪に住んでいます。", "大阪")],
)
def test_what_is_archived_is_recalled_only_where_that_is_asked(
    tmp_path: Path, language: Language, text: str, question: str
) -> None:
    with house(tmp_path / "t.db", [says(1, text)], language=language) as store:
        viewer = store.viewer(user="u", persona="rin", as_of=LATER)
        fresh = viewer.recall(question, top_k=5, archived=True).hits
        assert fresh == viewer.recall(question, top_k=5).hits
        assert fresh[0].score is not None
        store.user("u").memory.nightly(at=DAY_ONE + timedelta(days=200))
        assert viewer.recall(question, top_k=5).hits == ()
        (hit,) = viewer.recall(question, top_k=5, archived=True).hits
        assert (hit.text, hit.score) == (text, round(fresh[0].score * 0.95, 6)), "it counts as what is cool"
        (many,) = store.recall_many(question, [{"user": "u", "persona": "rin"}], top_k=5, archived=True)
        assert many.hits == (hit,)
        mia = store.recall(question, user="u", persona="mia", archived=True)
        assert mia.hits == (), "it widens no gate"
        found = store.viewer(user="u", persona="rin").search_log([question]).hits
        assert [one.text for one in found] == [text]


def test_what_is_deleted_by_age_is_recalled_in_no_way(tmp_path: Path) -> None:
    short = policy_from({"decay": {"warm_days": 1, "cool_days": 2, "archive_days": 3, "delete_days": 4}})
    with house(tmp_path / "t.db", [says(1, "My sister lives in Osaka.")]) as store:
        for days, hits in ((3.5, 1), (5, 0)):
            store.user("u").memory.nightly(at=DAY_ONE + timedelta(days=days), policy=short)
            assert len(store.recall("sister", user="u", persona="rin", archived=True).hits) == hits
        assert len(store.viewer(user="u", persona="rin").search_log(["sister"]).hits) == 1
