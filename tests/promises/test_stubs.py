"""Policy A: the text of a turn expires into a stub, and what was made of it stays; policy B keeps the log."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

import kataribe
from kataribe.domain.conversation.life.policy import TierPolicy, policy_from
from kataribe.domain.conversation.turns import Role, Turn
from kataribe.domain.terms import Language
from kataribe.errors import ConflictError, InputError
from kataribe.face.sync.kataribe import Kataribe
from support.archived import archived, in_archive, opened, says
from support.talk import DAY_ONE, turn

NIGHT = DAY_ONE + timedelta(days=40)
STUBS = policy_from({"log": {"text_days": 30}})
SAID: dict[Language, list[tuple[str, str]]] = {
    "en": [
        ("u", "Hello there! My sister lives in Osaka. How do zeppelins fly?"),
        ("rin", "Goodness, what a riddle about marmalade?"),
        ("u", "By the way, please remember that I am allergic to peanuts. Bye-bye!"),
        ("u", "I like natto. Is natto popular with walruses?"),
        ("u", "Do you sell natto, dear platypus?"),
        ("u", "Forget what I said about natto."),
        ("u", "I do not live in Kyoto any more."),
        ("u", "Don't remember this: my wallet is blue."),
    ],
    "ja": [
        ("u", "こんにちは！妹は大阪に住んでいます。飛行船はどう飛ぶの？"),
        ("rin", "へえ、マーマレードの謎ですか？"),
        ("u", "ところで、私はピーナッツアレルギーだと覚えておいて。またね！"),
        ("u", "納豆が好きです。納豆はセイウチに人気ですか？"),
        ("u", "カモノハシさん、納豆はありますか？"),
        ("u", "納豆のことは忘れて。"),
        ("u", "もう京都には住んでいません。"),
        ("u", "これは覚えないで：財布は青いです。"),
    ],
}
GONE = {
    "en": ("zeppelins", "marmalade", "walruses", "platypus"),
    "ja": ("飛行船", "マーマレード", "セイウチ", "カモノハシ"),
}
languages = pytest.mark.parametrize("language", ["en", "ja"])


def said(language: Language) -> list[Turn]:
    return [says(no, text, speaker=who) for no, (who, text) in enumerate(SAID[language], 1)]


def lives(store: Kataribe) -> object:
    memory = store.user("u").memory
    found = [memory.list(), *(memory.list(state=state) for state in ("hidden", "superseded", "expired"))]
    ids = [one.value.memory_id for each in found for one in each.memories]
    moments = [DAY_ONE + timedelta(minutes=3 * step) for step in range(12)] + [NIGHT]
    viewed = [store.viewer(user="u", persona="rin", as_of=at).memories() for at in moments]
    # The nights of the two differ in when texts expire alone.
    histories = [replace(memory.history(one), nights=()) for one in ids]
    return histories, viewed, found[0].asked


def night(store: Kataribe, policy: TierPolicy = STUBS, days: float = 40) -> None:
    store.user("u").memory.nightly(at=DAY_ONE + timedelta(days=days), policy=policy)


@languages
def test_what_was_made_of_a_text_stays_when_it_expires(tmp_path: Path, language: Language) -> None:
    with archived(tmp_path / "b", said(language), language=language, archive=False, night=None) as keeping:
        night(keeping, policy_from({}))
        expected = lives(keeping)
        assert all(any(word in one.text for one in keeping.user("u").turns()) for word in GONE[language])
    with archived(tmp_path / "a", said(language), language=language, archive=False, night=None) as store:
        night(store)
        assert lives(store) == expected
        assert store.verify().problems == ()
        texts = [one.text for one in store.user("u").turns()]
        assert not any(word in text for word in GONE[language] for text in texts)
        assert len(texts) == len(SAID[language])
        store.user("u").rebuild()
        store.user("u").sync()
        assert lives(store) == expected, "made anew from what is left it is the same"
        assert store.verify().problems == ()


@languages
def test_no_byte_of_an_expired_text_stays_in_the_store(tmp_path: Path, language: Language) -> None:
    with archived(tmp_path / "a", said(language), language=language, night=None) as store:
        store.recall(GONE[language][0], user="u", persona="rin")
        night(store)
        held = b"".join(one.read_bytes() for one in (tmp_path / "a").rglob("*") if one.is_file())
        for word in GONE[language]:
            assert word.encode() not in held


@languages
def test_what_is_left_is_recalled_and_the_rest_is_not(tmp_path: Path, language: Language) -> None:
    sister = {"en": "sister", "ja": "妹"}[language]
    with archived(tmp_path / "a", said(language), language=language, archive=False, night=None) as store:
        night(store)
        viewer = store.viewer(user="u", persona="rin")
        hits = viewer.recall(sister, top_k=3).hits
        assert "Osaka" in hits[0].text or "大阪" in hits[0].text
        assert viewer.search_log([GONE[language][0]]).hits == ()
        assert len(viewer.search_log([sister]).hits) == 1


@languages
def test_nights_and_commands_after_it_act_as_before(tmp_path: Path, language: Language) -> None:
    """What is said later points to what is left as it would to what was said."""
    later = {
        "en": ["Forget what I said about my sister.", "My sister moved to Nara."],
        "ja": ["妹のことは忘れて。", "妹は奈良に引っ越しました。"],
    }[language]
    found = []
    for name, policy in (("a", STUBS), ("b", policy_from({}))):
        with archived(tmp_path / name, said(language), language=language, archive=False, night=None) as store:
            night(store, policy)
            for no, text in enumerate(later, 90):
                store.user("u").put_turns([turn(no, text, day=50, speaker="u", to=["rin"], session="s0")])
            store.user("u").sync()
            night(store, policy, days=60)
            assert store.verify().problems == ()
            found.append(lives(store))
    assert found[0] == found[1]


def test_what_is_deleted_takes_what_rests_on_it(tmp_path: Path) -> None:
    with archived(tmp_path / "a", said("en"), night=None) as store:
        night(store)
        store.user("u").delete_turns(["t1", "t3"])
        store.user("u").sync()
        texts = [one.value.text for one in store.user("u").memory.list().memories]
        assert not any("Osaka" in text or "peanuts" in text for text in texts)
        assert not any("Osaka" in text or "peanuts" in text for text in in_archive(tmp_path / "a"))
        assert store.verify().problems == ()


def test_a_log_that_is_brought_in_again_does_not_bring_back_what_expired(tmp_path: Path) -> None:
    turns = said("en")
    with archived(tmp_path / "a", turns, archive=False, night=None) as store:
        night(store)
        before = store.user("u").turns()
        report = store.user("u").put_turns(turns)
        assert report.changed == 0
        assert store.user("u").turns() == before
        # Who may remember it is another thing.
        told = [says(1, turns[0].text, to=("ben",))]
        assert store.user("u").put_turns(told).changed == 1
        store.user("u").sync()
        assert store.user("u").turns()[0].text == before[0].text
        assert store.recall("sister", user="u", persona="ben").hits != ()
        assert not any("sister" in hit.text for hit in store.recall("sister", user="u", persona="rin").hits)
        # Said otherwise it is said anew.
        store.user("u").put_turns([says(1, "Zeppelins are fine.")])
        assert store.user("u").turns()[0].text == "Zeppelins are fine."
        assert store.verify().problems == ()


def test_a_list_of_messages_that_grows_goes_on(tmp_path: Path) -> None:
    sent = [
        {"speaker": "u", "text": "Hm, zeppelins?", "time": DAY_ONE.isoformat()},
        {"speaker": "rin", "text": "My sister lives in Osaka.", "time": DAY_ONE.isoformat()},
    ]
    with archived(tmp_path / "a", [], archive=False, night=None) as store:
        user = store.user("u")
        user.remember(sent, session="list", persona="rin")
        night(store)
        assert user.turns()[0].text == "…"
        more = {"speaker": "u", "text": "I keep a grey cat.", "time": (NIGHT + timedelta(days=1)).isoformat()}
        report = user.remember([*sent, more], session="list", persona="rin")
        assert (report.new, report.changed, report.unchanged) == (1, 0, 2)
        assert user.turns()[0].text == "…"
        with pytest.raises(ConflictError):
            user.remember([{**sent[0], "text": "Hm, balloons?"}], session="list", persona="rin")
        again = replace(user.turns()[0], text="Hm, zeppelins?")
        assert (user.import_log([again]).unchanged, user.import_log([again]).changed) == (1, 0)


def test_texts_expire_in_time_and_tools_too(tmp_path: Path) -> None:
    tool = Turn(
        turn_id="tool", session="s0", speaker="tool", text="marmalade", time=DAY_ONE, role=Role.SYSTEM
    )
    turns = [tool, says(1, "Hm, zeppelins?"), says(2, "Hm, walruses?", day=20)]
    with archived(tmp_path / "a", turns, archive=False, night=None) as store:
        night(store)
        assert [one.text.strip() for one in store.user("u").turns()] == ["…", "…", "Hm, walruses?"]
        night(store, days=51)
        assert [one.text.strip() for one in store.user("u").turns()] == ["…", "…", "…"]


def test_the_whole_log_is_kept_unless_the_policy_says_otherwise(tmp_path: Path) -> None:
    assert policy_from({}).log.text_days == "permanent"
    for wrong in (0, -1, 1.5, "never", True):
        with pytest.raises(InputError, match=r"log\.text_days"):
            policy_from({"log": {"text_days": wrong}})
    with archived(tmp_path / "b", said("en"), archive=False, night=None) as store:
        night(store, policy_from({}), days=290)
        assert [one.text for one in store.user("u").turns()] == [text for _, text in SAID["en"]]


def test_a_backup_has_what_is_left(tmp_path: Path) -> None:
    with archived(tmp_path / "a", said("en"), night=None) as store:
        night(store)
        before = lives(store)
        store.admin.backup(tmp_path / "copy.backup")
    kataribe.restore(tmp_path / "copy.backup", tmp_path / "copy.db")
    with closing(sqlite3.connect(tmp_path / "copy.db")) as driver:
        assert driver.execute("SELECT count(*) FROM turn_stubs").fetchone()[0] == len(SAID["en"])
    with opened(tmp_path / "copy.db", None) as copy:
        copy.user("u").sync()
        assert lives(copy) == before
        assert copy.verify().problems == ()
