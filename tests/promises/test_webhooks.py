"""Webhooks: who is told of memory is told all of it, in order, signed, and never a word."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import kataribe
from kataribe.adapters.webhook import HttpWebhook, secrets_in
from kataribe.domain.conversation.life.values import ENDED
from kataribe.domain.work import WorkKind
from kataribe.engine.hook_post import MOST_TRIES
from kataribe.face.sync.kataribe import Kataribe
from kataribe.testing.fakes import FrozenClock
from support.receiver import SECRET, Receiver, drips, hangs_up, hooked, receiving, says, store_with
from support.stores import services

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
TESTS = Path(__file__).resolve().parent.parent
WORDS = ("lighthouse", "灯台")


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(NOON)


def begun(path: Path, here: Receiver, clock: FrozenClock | None = None) -> Kataribe:
    """Open a store whose receiver was told that there is nothing yet."""
    store = store_with(path, here, clock)
    store.admin.hooks.deliver()
    return store


def there(store: Kataribe) -> set[tuple[str, str, str]]:
    """Give (space, id, holder) of all that can be remembered, as the ledger has it."""
    with store._of._engine._ledger.reading() as view:
        found = {
            (view.space_token(one.space) or "", fact_id, holder)
            for one in view.spaces()
            for unit in view.units(one.space)
            for (holder, fact_id), is_shown in view.packed(one.space, unit).items()
            if is_shown and holder
        }
        kept = {
            (view.space_token(one.space) or "", memory_id, holder)
            for one in view.spaces()
            for holder in view.work(one.space, WorkKind.TIERS)
            for memory_id, last in view.tier_states(one.space, holder).items()
            if last.state not in ENDED
        }
    return found | kept


def story(store: Kataribe, story_id: str = "海 辺") -> Any:
    made = store.story(story_id)
    made.create(language="ja", embedder="hash", audience="wide")
    for who in ("澪", "樹"):
        made.cast.add(kataribe.Character(character_id=who))
    return made


def told(text: str, who: str, **more: Any) -> dict[str, Any]:
    return {"text": text, "known_by": [who], **more}


# -- what is told ----------------------------------------------------------------------------------


def test_what_is_kept_superseded_and_deleted_is_told_and_no_word_of_it(tmp_path: Path) -> None:
    with receiving() as here, begun(tmp_path / "k.db", here) as store:
        tale = story(store)
        tale.tell("澪は灯台にいた。", facts=[told("澪は灯台にいた。", "澪", fact_id="f1")])
        run = store.admin.hooks.deliver()
        assert (run.sent, run.stopped_by) == (1, None)
        assert here.changes() == [("kept", "f1", "澪")]
        (body,) = here.taken
        assert body["type"] == "memory.changed"
        assert body["data"]["space"] == {**body["data"]["space"], "type": "story", "story": "海 辺"}
        assert body["data"]["episode_id"] == "ep-1"
        tale.tell("澪は港にいた。", facts=[told("澪は港にいた。", "澪", fact_id="f2", supersedes="f1")])
        store.sync()
        assert here.changes()[1:] == [("kept", "f2", "澪"), ("superseded", "f1", "澪")]
        assert here.taken[1]["data"]["changes"][1]["by"] == "f2"
        tale.episodes.delete(1)
        store.admin.hooks.deliver()
        assert here.changes()[3:] == [("deleted", "f1", "澪")]
        tale.episodes.restore(1)
        store.admin.hooks.deliver()
        assert here.changes()[4:] == [("kept", "f1", "澪")]
        assert store.admin.hooks.deliver().sent == 0, "what is known is not told again"
        assert here.mirror() == there(store)
        everything = b"".join(here.raw).decode()
        assert not any(word in everything for word in ("灯台", "港", "いた"))


@pytest.mark.parametrize("language", ["en", "ja"])
def test_what_a_user_says_is_told_by_its_id_and_a_user_who_is_erased_by_none(
    tmp_path: Path, language: Any
) -> None:
    said = "My cat lives in the lighthouse." if language == "en" else "うちの猫は灯台に住んでいる。"
    with receiving() as here, begun(tmp_path / "k.db", here) as store:
        user = store.user("雪")
        user.create(language=language, embedder="hash")
        receipt = user.said(said, speaker="雪", session="1", persona="澪", time=NOON)
        user.sync()
        store.admin.hooks.deliver()
        assert here.changes() == [("kept", receipt.turn_id, "澪")]
        space = here.taken[0]["data"]["space"]
        assert (space["type"], space["user"]) == ("user", "雪")
        assert here.taken[0]["data"]["changes"][0]["position"] == int(NOON.timestamp() * 1000)
        erased = user.delete(user.privacy.request("delete"))
        assert erased.complete
        database = b"".join(file.read_bytes() for file in tmp_path.iterdir() if file.is_file())
        assert receipt.turn_id.encode() not in database
        store.admin.hooks.deliver()
        assert here.taken[-1]["type"] == "space.deleted"
        assert here.taken[-1]["data"] == {"space": {"id": space["id"]}}
        assert here.mirror() == set()
        everything = b"".join(here.raw).decode()
        assert not any(word in everything for word in (*WORDS, "猫", "cat"))


def test_what_nights_keep_forget_and_replace_is_told(tmp_path: Path, clock: FrozenClock) -> None:
    with receiving() as here, begun(tmp_path / "k.db", here, clock) as store:
        user = store.user("nora")
        user.create(language="en", embedder="hash")
        user.said("Please remember: my name is Nora.", speaker="nora", session="1", persona="pip", time=NOON)
        user.sync()
        clock.advance(timedelta(days=1))
        user.memory.nightly()
        user.sync()
        store.admin.hooks.deliver()
        kept = [one.value.memory_id for one in user.memory.list().memories if one.holder == "pip"]
        assert kept, "the night keeps it"
        of_nights = ("kept_memory",)
        assert here.changes(of_nights) == [("kept", one, "pip") for one in sorted(kept)]
        user.memory.forget(kept[0])
        user.sync()
        store.admin.hooks.deliver()
        assert here.changes(of_nights)[len(kept) :] == [("forgotten", kept[0], "pip")]
        user.said("My name is not Nora. My name is Ida.", speaker="nora", session="1", persona="pip")
        user.sync()
        store.admin.hooks.deliver()
        assert here.mirror() == there(store)


def test_a_webhook_is_told_of_what_changes_from_then_on(tmp_path: Path) -> None:
    path = tmp_path / "k.db"
    with receiving() as here:
        with store_with(path, here) as store:
            story(store).tell("澪は灯台にいた。", facts=[told("澪は灯台にいた。", "澪", fact_id="f1")])
            assert store.admin.hooks.lag() is not None
            store.admin.hooks.deliver()
            assert here.taken == []
            store.story("海 辺").facts.delete("f1")
            store.admin.hooks.deliver()
        assert here.changes() == [("deleted", "f1", "澪")]


def test_an_episode_that_is_put_anew_is_told_of_when_it_is_in_memory(tmp_path: Path) -> None:
    """And what stayed the same in between is not told to be gone."""
    with receiving() as here, begun(tmp_path / "k.db", here) as store:
        tale = store.story("s")
        tale.create(language="en", embedder="hash")
        tale.episodes.put(1, "Ann sang. Bo left.")
        tale.sync()
        store.admin.hooks.deliver()
        assert [one[0] for one in here.changes()] == ["kept", "kept"]
        tale.episodes.put(1, "Ann sang. Bo stayed.")
        assert store.admin.hooks.deliver().sent == 0
        tale.sync()
        store.admin.hooks.deliver()
        assert sorted(one[0] for one in here.changes()[2:]) == ["deleted", "kept"]
        assert here.mirror() == there(store)


# -- at least once, in order -------------------------------------------------------------------------


def test_a_message_is_sent_again_under_its_id_until_it_is_taken_and_nothing_overtakes_it(
    tmp_path: Path, clock: FrozenClock
) -> None:
    with receiving() as here, begun(tmp_path / "k.db", here, clock) as store:
        tale = story(store)
        here.answers = [says(500), says(302, location="http://127.0.0.1:1/"), hangs_up, says(429)]
        for no in (1, 2, 3):
            tale.tell(f"{no}", facts=[told(f"澪は{no}を見た。", "澪", fact_id=f"f{no}")])
        waits: list[float] = []
        for _ in range(4):
            run = store.admin.hooks.deliver()
            assert (run.sent, bool(run.stopped_by)) == (0, True)
            seen = len(here.ids)
            while len(here.ids) == seen:
                clock.advance(timedelta(seconds=1))
                waits.append(1.0)
                store.admin.hooks.deliver()
            waits.append(-1.0)
            if here.taken:
                break
        assert len(set(here.ids[:5])) == 1, "one message, and nothing behind it"
        assert [one[1] for one in here.changes()] == ["f1", "f2", "f3"]
        steps = "".join("." if one > 0 else "|" for one in waits).split("|")
        assert [len(one) for one in steps[:4]] == [5, 20, 80, 320]
        lag = store.admin.hooks.lag()
        assert lag is not None
        assert (lag.is_told, lag.failures, lag.failing, lag.sent) == (True, 0, None, 3)


def test_who_asks_to_be_left_alone_is(tmp_path: Path, clock: FrozenClock) -> None:
    with receiving() as here, begun(tmp_path / "k.db", here, clock) as store:
        here.answers = [says(503, retry_after="100")]
        story(store).tell("1", facts=[told("澪は見た。", "澪", fact_id="f1")])
        store.admin.hooks.deliver()
        clock.advance(timedelta(seconds=99))
        assert store.admin.hooks.deliver().sent == 0
        assert len(here.ids) == 1
        clock.advance(timedelta(seconds=1))
        assert store.admin.hooks.deliver().sent == 1


def test_a_message_that_is_refused_again_and_again_does_not_stop_the_others(
    tmp_path: Path, clock: FrozenClock
) -> None:
    with receiving() as here, begun(tmp_path / "k.db", here, clock) as store:
        tale = story(store)
        here.answers = [says(422)] * MOST_TRIES
        for no in (1, 2):
            tale.tell(f"{no}", facts=[told(f"澪は{no}を見た。", "澪", fact_id=f"f{no}")])
        for _ in range(MOST_TRIES):
            store.admin.hooks.deliver()
            clock.advance(timedelta(hours=1))
        assert here.changes() == [("kept", "f2", "澪")]
        lag = store.admin.hooks.lag()
        assert lag is not None
        assert (lag.given_up, lag.sent, lag.is_told) == (1, 1, True)


def test_a_receiver_that_is_away_is_told_all_when_it_comes_back(tmp_path: Path, clock: FrozenClock) -> None:
    path = tmp_path / "k.db"
    with receiving() as here:
        url = here.url
        begun(path, here, clock).close()
    with kataribe.open(str(path), services=hooked(_at(url), clock)) as store:
        tale = story(store)
        for no in (1, 2, 3):
            tale.tell(f"{no}", facts=[told(f"澪は{no}を見た。", "澪", fact_id=f"f{no}")])
        for _ in range(30):
            assert store.admin.hooks.deliver().sent == 0
            clock.advance(timedelta(hours=1))
        lag = store.admin.hooks.lag()
        assert lag is not None
        assert (lag.units, lag.spaces, lag.is_told, lag.given_up) == (3, 1, False, 0)
        assert "does not answer" in (lag.failing or "")


def _at(url: str) -> Receiver:
    found = Receiver()
    found.url = url
    return found


def test_a_receiver_that_answers_a_byte_at_a_time_is_cut_off(tmp_path: Path) -> None:
    with receiving() as here:
        here.answers = [drips]
        hook = HttpWebhook(here.url, secrets_in(SECRET), seconds=0.5)
        begun_at = time.monotonic()
        reply = hook.send("msg_1", b"{}", at=NOON)
        assert (reply.status, reply.is_taken) == (None, False)
        assert time.monotonic() - begun_at < 30
        assert hook.send("msg_1", b"{}", at=NOON).is_taken


def test_two_handles_of_one_store_tell_each_change_once(tmp_path: Path) -> None:
    path = tmp_path / "k.db"
    with receiving() as here, begun(path, here) as store, store_with(path, here) as other:
        tale = story(store)
        for no in range(1, 6):
            tale.tell(f"{no}", facts=[told(f"澪は{no}を見た。", "澪", fact_id=f"f{no}")])
            (store if no % 2 else other).admin.hooks.deliver()
            other.admin.hooks.deliver()
        assert [one[1] for one in here.changes()] == [f"f{no}" for no in range(1, 6)]
        assert len(here.ids) == len(set(here.ids))


def test_while_one_process_tells_another_does_not(tmp_path: Path, clock: FrozenClock) -> None:
    path = tmp_path / "k.db"
    with receiving() as here, begun(path, here, clock) as store:
        story(store).tell("1", facts=[told("澪は見た。", "澪", fact_id="f1")])
        hook = store._of._engine._services.hook
        assert hook is not None
        with store._of._engine._ledger.writing() as tx:
            until = clock.now().timestamp() + 60
            tx.put_mark(f"{hook.hook_id} lease", json.dumps(["elsewhere:1/none", until]))
        run = store.admin.hooks.deliver()
        assert (run.sent, run.stopped_by) == (0, "another process tells it")
        clock.advance(timedelta(seconds=61))
        assert store.admin.hooks.deliver().sent == 1


_TELLER = """
import sys, time
import kataribe
from support.receiver import Receiver, hooked
here = Receiver()
here.url = sys.argv[2]
with kataribe.open(sys.argv[1], services=hooked(here)) as store:
    while True:
        store.admin.hooks.deliver()
        time.sleep(0.01)
"""


def test_a_kill_at_any_moment_loses_nothing(tmp_path: Path) -> None:
    rng, path = random.Random(5), tmp_path / "k.db"
    with receiving() as here, begun(path, here) as store:
        tale = story(store)
        for kill in range(4):
            seen = len(here.ids)
            for no in range(12):
                text = f"{kill}-{no}"
                tale.tell(text, facts=[told(f"澪は{text}を見た。", "澪", fact_id=f"f{text}")])
            process = subprocess.Popen(
                [sys.executable, "-c", _TELLER, str(path), here.url],
                env={**os.environ, "PYTHONPATH": str(TESTS)},
            )
            wanted = seen + rng.randint(1, 11)
            deadline = time.monotonic() + 60
            while len(here.ids) < wanted and time.monotonic() < deadline:
                time.sleep(0.001)
            process.send_signal(signal.SIGKILL)
            process.wait()
            assert len(here.ids) >= wanted
            if rng.random() < 0.5:
                tale.facts.delete(f"f{kill}-3")
        deadline = time.monotonic() + 60
        while here.mirror() != there(store) and time.monotonic() < deadline:
            # What the dead process held is free at once where that can be seen, else when it runs out.
            store.admin.hooks.deliver()
        assert here.mirror() == there(store)
        once = list(dict.fromkeys(here.ids))
        first = [here.ids.index(one) for one in once]
        assert first == sorted(first)


@pytest.mark.parametrize("seed", range(3))
def test_whatever_happens_and_however_it_fails_the_receiver_ends_with_what_is_there(
    tmp_path: Path, seed: int, clock: FrozenClock
) -> None:
    rng = random.Random(seed)
    with receiving() as here, begun(tmp_path / "k.db", here, clock) as store:
        stories = {name: story(store, name) for name in ("s", "語")}
        nora = store.user("nora")
        nora.create(language="en", embedder="hash")
        made = 0
        for step in range(60):
            here.answers = [rng.choice([says(500), hangs_up])] if rng.random() < 0.2 else []
            name = rng.choice([*stories])
            tale, act = stories[name], rng.random()
            live = [one.no for one in tale.episodes.list() if one.is_live]
            if act < 0.4 or not live:
                made += 1
                fact = told(f"{made}を見た。", rng.choice(["澪", "樹"]), fact_id=f"f{made}")
                tale.tell(f"{made}", facts=[fact])
            elif act < 0.55:
                tale.episodes.put(rng.choice(live), f"{step}。", facts=[])
            elif act < 0.65:
                tale.episodes.delete(rng.choice(live))
            elif act < 0.8:
                moment = NOON + timedelta(minutes=step)
                nora.said(f"I saw {step}.", speaker="nora", session="1", persona="pip", time=moment)
                nora.sync()
            elif act < 0.85:
                tale.delete()
                stories[name] = story(store, name)
            if rng.random() < 0.5:
                store.sync()
            store.admin.hooks.deliver()
            clock.advance(timedelta(minutes=rng.randint(0, 30)))
        here.answers = []
        store.sync()
        clock.advance(timedelta(hours=2))
        store.admin.hooks.deliver()
        assert here.mirror() == there(store)
        lag = store.admin.hooks.lag()
        assert lag is not None
        assert lag.is_told


# -- what is set -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "url",
    [
        *("http://example.com/hook", "ftp://127.0.0.1/", "https://", "127.0.0.1/hook", "https://user:pw@a.b/"),
        *("https://a.b/#c", "https://a.b:99999/", "https://例え.jp/", "https://a.b/\r\nx: y", "http://127.evil/"),
    ],
)  # fmt: skip
def test_an_address_that_can_be_overheard_or_is_none_is_refused(url: str) -> None:
    with pytest.raises(kataribe.InputError) as refused:
        HttpWebhook(url, secrets_in(SECRET))
    assert "pw" not in str(refused.value)


@pytest.mark.parametrize(
    "url", ["https://a.b/c?d=e", "http://localhost:1/", "http://[::1]:8/x", "http://127.0.0.2/"]
)
def test_tls_or_this_machine_is_taken(url: str) -> None:
    hook = HttpWebhook(url, secrets_in(SECRET))
    assert "?" not in hook.name
    assert hook.hook_id.startswith("webhook:")


@pytest.mark.parametrize("secret", ["", "  ", "abc", "whsec_", "whsec_!!!!", "whsec_c2hvcnQ=", SECRET[6:]])
def test_without_a_secret_nothing_is_sent(tmp_path: Path, secret: str) -> None:
    settings = kataribe.Settings(path=str(tmp_path / "k.db"), webhook="https://a.b/", webhook_secret=secret)
    with pytest.raises(kataribe.InputError, match="whsec_"):
        kataribe.open(settings=settings)
    assert secret.strip() not in repr(settings) or not secret.strip()


def test_each_of_several_secrets_signs(tmp_path: Path) -> None:
    other = "whsec_" + "QUJD" * 8
    with receiving() as here:
        hook = HttpWebhook(here.url, secrets_in(f"{other} {SECRET}"))
        assert hook.send("msg_1", b"{}", at=NOON).is_taken
        signed = here.heads[0]["webhook-signature"].split()
        assert len(signed) == 2
        assert all(one.startswith("v1,") for one in signed)
        assert here.heads[0]["webhook-timestamp"] == str(int(NOON.timestamp()))


def test_where_there_is_no_webhook_nobody_is_told(tmp_path: Path) -> None:
    with kataribe.open(str(tmp_path / "k.db"), services=services()) as store:
        assert store.admin.hooks.lag() is None
        with pytest.raises(kataribe.InputError, match="KATARIBE_WEBHOOK"):
            store.admin.hooks.deliver()
