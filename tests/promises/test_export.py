"""An export gives out all that is kept of one user, in the words that were said, whole or not at all."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from functools import cache
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

import kataribe
from kataribe.adapters.sql.conversations import SqlConversationsView
from kataribe.adapters.sql.sealed import SqlSealedView
from kataribe.domain.conversation.turns import Role, Turn
from kataribe.domain.privacy.page import TOKEN
from kataribe.domain.terms import Language
from kataribe.errors import (
    ConflictError,
    InputError,
    KeyStoreError,
    NotFoundError,
    NotPermittedError,
    StoreFullError,
)
from kataribe.face.sync.kataribe import Kataribe
from kataribe.formats.bundle.pages import Pages
from kataribe.formats.bundle.tables import TABLES
from kataribe.formats.bundle.words import words_in
from kataribe.formats.logs import parse_log
from kataribe.testing.fakes import FrozenClock
from support.archived import LATER, archived, in_archive, opened, says
from support.exports import conversation, everything, exported, page, rows, turns
from support.stores import empty_store, services

LANGUAGES: tuple[Language, ...] = ("en", "ja")
SAID: dict[Language, tuple[str, ...]] = {
    "en": (
        "I live in Leeds. My mail is ann.lee@example.com, write there.",
        "Please remember that I am allergic to hazelnuts.",
        "Call me at 415-555-2671 tonight.\n# The heron's stairs are steep.",
        "I do not live in Leeds any more. I live in York.",
    ),
    "ja": (
        "私は函館に住んでいます。メールはann.lee@example.comです。",
        "私はそばアレルギーだと覚えておいて。",
        "電話は０９０－１２３４－５６７８です。\n# 鷺の階段は急だ。",
        "もう函館には住んでいません。今は小樽に住んでいます。",
    ),
}
PERSONAL: dict[Language, tuple[str, ...]] = {
    "en": ("ann.lee@example.com", "415-555-2671"),
    "ja": ("ann.lee@example.com", "０９０－１２３４－５６７８"),
}
OTHERS: dict[Language, str] = {
    "en": "My marmalade cipher is bob@example.net.",
    "ja": "私のマーマレード暗号はbob@example.netです。",
}
ODD = Turn(
    turn_id="odd: 1",
    session="Ａ/B\u2028 |月曜|",
    speaker="Ann *Lee*",
    text="  <b>two</b>\r\nlines\u2028and 'a' \"quote\"\\ 👪 ",
    time=datetime(2024, 1, 2, 3, 4, 5, 678000, tzinfo=timezone(timedelta(hours=9))),
    ordinal=7,
    caption="a lamp\nat night",
    audience=kataribe.known_by("rin", "himuro"),
    arousal=0.25,
    role=Role.USER,
    extra={"conversation": "c1", "text": 1, "known_by": ["x"], "deep": {"a": [None, True]}},
)


def live(folder: Path, language: Language) -> None:
    """Make a store in which a user has a life in every tier, and another user has a secret."""
    said = [says(no, text, day=no) for no, text in enumerate(SAID[language], 1)]
    with archived(folder, said, language=language) as k:
        k.user("bob").create(language=language, embedder="hash")
        k.user("bob").put_turns([says(90, OTHERS[language], speaker="bob")])
        k.user("bob").sync()
        k.user("bob").profile.set("name", OTHERS[language], by_hand=True)
        k.user("u").profile.set("name", "Ann Lee 安", by_hand=True)
        k.user("u").profile.set("name", "Anna Lee 安", by_hand=True)
        k.user("u").profile.give("personalise", by_hand=True)


@cache
def _made(language: Language) -> Path:
    folder = Path(tempfile.mkdtemp(prefix="kataribe-tests-"))
    live(folder / "s", language)
    return folder / "s"


@contextmanager
def lived(folder: Path, language: Language, *, own_keys: bool = False) -> Iterator[Kataribe]:
    """Give such a store: a copy, and copies have one key store, or one with keys of its own."""
    if own_keys:
        live(folder, language)
    else:
        shutil.copytree(_made(language), folder)
    with opened(folder / "t.db", folder / "archive") as k:
        yield k


@pytest.fixture(params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> Language:
    found: Language = request.param
    return found


def files_in(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir())


def test_all_that_was_said_is_in_it_in_its_own_words(tmp_path: Path, language: Language) -> None:
    with lived(tmp_path / "s", language) as k:
        assert in_archive(tmp_path / "s")
        bundle = exported(k, tmp_path / "out.zip")
        assert turns(bundle) == k.user("u").turns()
    assert bundle.testzip() is None
    told = conversation(bundle)
    for text in SAID[language]:
        assert "\n".join(f"> {line}" for line in text.split("\n")) in told
    assert not TOKEN.search(told)


def test_what_is_remembered_is_in_it_with_why(tmp_path: Path, language: Language) -> None:
    with lived(tmp_path / "s", language) as k:
        kept = [one for state in (None, "superseded", "hidden") for one in _kept(k, state)]
        bundle = exported(k, tmp_path / "out.zip")
        histories = {one: k.user("u").memory.history(one) for one, _ in kept}
    found = {row["id"]: row for row in rows(bundle, "memories")}
    assert {(name, row["text"]) for name, row in found.items()} == set(kept)
    assert {"mid", "long"} <= {row["tier"] for row in found.values()}
    for name, row in found.items():
        reasons = [(one.reason.word, one.text) for one in histories[name].rows]
        assert [(one["reason"], one["text"]) for one in row["history"]] == reasons
    told = page(bundle, "memories.md")
    for name, text in kept:
        assert f"`{name}`" in told
        assert f"> {text.splitlines()[0]}" in told
    mail = PERSONAL[language][0]
    assert any(mail in row["text"] for row in found.values())


def _kept(k: Kataribe, state: str | None) -> list[tuple[str, str]]:
    return [(one.value.memory_id, one.value.text) for one in k.user("u").memory.list(state=state).memories]


def test_the_profile_with_its_history_and_the_consents_are_in_it(tmp_path: Path, language: Language) -> None:
    with lived(tmp_path / "s", language) as k:
        bundle = exported(k, tmp_path / "out.zip")
    assert [(one["key"], one["value"], one["version"]) for one in rows(bundle, "profile")] == [
        ("name", "Ann Lee 安", "1.0.0"),
        ("name", "Anna Lee 安", "1.0.1"),
    ]
    assert [(one["key"], one["given"]) for one in rows(bundle, "consents")] == [
        ("name", True),
        ("name", True),
        ("personalise", True),
    ]
    assert "Ann Lee 安" in page(bundle, "profile.md")


def test_threads_nights_and_the_record_of_this_user_are_in_it(tmp_path: Path, language: Language) -> None:
    with lived(tmp_path / "s", language) as k:
        threads = [one.thread for one in k.user("u").memory.threads().threads]
        nights = k.user("u").memory.nights()
        bundle = exported(k, tmp_path / "out.zip")
        chain = k.admin.audit.list("user:u", last=1000)
        events = {event.key for event in chain}
        others = {event.key for event in k.admin.audit.list("user:bob", last=1000)}
    found = rows(bundle, "threads")
    assert [one["id"] for one in found] == [thread.thread_id for thread in threads]
    assert [one["turns"] for one in found] == [[turn.turn_id for turn in one.turns] for one in threads]
    assert [datetime.fromisoformat(one["at"]) for one in rows(bundle, "nights")] == list(nights)
    keys = {one["key"] for one in rows(bundle, "audit")}
    assert keys
    assert keys < events
    assert not keys & others
    done = [event for event in chain if event.act == "export"]
    assert [event.detail["rows"]["turns"] for event in done] == [len(SAID[language])]


def test_nothing_of_another_user_is_in_it(tmp_path: Path, language: Language) -> None:
    with lived(tmp_path / "s", language) as k:
        content = everything(exported(k, tmp_path / "out.zip"))
    for word in (OTHERS[language], "bob", "marmalade", "マーマレード"):
        assert word.encode() not in content


def test_the_pages_are_in_the_language_of_the_user(tmp_path: Path, language: Language) -> None:
    with lived(tmp_path / "s", language) as k:
        bundle = exported(k, tmp_path / "out.zip")
    words = words_in(language)
    told = page(bundle, "README.md")
    assert told.startswith(f"# {words.title.format('u')}\n")
    for said in (words.warning, words.with_parquet, *words.not_in_list, *words.files):
        assert said in told
    assert f"--user ID --language {language}" in told


def test_every_field_of_every_table_is_explained(tmp_path: Path) -> None:
    with lived(tmp_path / "s", "en") as k:
        k.user("u").memory.pin(k.user("u").memory.list().memories[0].value.memory_id)
        k.recall("Where is it?", user="u", persona="rin")
        bundle = exported(k, tmp_path / "out.zip")
    explained = page(bundle, "FIELDS.md")
    for table in TABLES:
        for row in rows(bundle, table.name):
            assert list(row) == [one.name for one in table.fields], table.name
        assert f"## {table.name}\n" in explained
    assert rows(bundle, "decisions")
    assert rows(bundle, "searches")


def test_the_tables_are_there_as_parquet_with_the_same_rows(tmp_path: Path) -> None:
    duckdb: Any = __import__("duckdb")
    with lived(tmp_path / "s", "ja") as k:
        bundle = exported(k, tmp_path / "out.zip")
    bundle.extractall(tmp_path / "all")
    for table in TABLES:
        file = str(tmp_path / "all" / "data" / "parquet" / f"{table.name}.parquet")
        made = duckdb.execute(f"SELECT * FROM read_parquet('{file}')")
        assert [one[0] for one in made.description] == [one.name for one in table.fields]
        assert len(made.fetchall()) == len(rows(bundle, table.name)), table.name
    file = str(tmp_path / "all" / "data" / "parquet" / "turns.parquet")
    texts = [one[0] for one in duckdb.execute(f"SELECT text FROM read_parquet('{file}')").fetchall()]
    assert texts == list(SAID["ja"])


def test_without_what_writes_parquet_it_is_left_out_and_that_is_said(tmp_path: Path) -> None:
    parts = replace(services(), tables=None)
    with kataribe.open(str(empty_store(tmp_path / "k.db")), services=parts) as k:
        k.user("u").create(language="en", embedder="hash")
        made = k.user("u").privacy.export(tmp_path / "o.zip", token=k.user("u").privacy.request("export"))
    assert made.left_out == ("parquet",)
    bundle = zipfile.ZipFile(tmp_path / "o.zip")
    assert words_in("en").without_parquet in page(bundle, "README.md")
    assert not [name for name in bundle.namelist() if "parquet" in name]


@pytest.mark.parametrize("text", [ODD.text, "はい。", "My card is 4111 1111 1111 1111."])
def test_what_was_said_can_be_brought_into_another_store_as_it_was(tmp_path: Path, text: str) -> None:
    said = (
        replace(ODD, text=text),
        replace(ODD, turn_id="2", ordinal=9, audience=kataribe.PUBLIC, role=None, extra={}, caption=None),
        replace(ODD, turn_id="3", session="x", extra={"conversation": "c2"}, arousal=None),
        replace(ODD, turn_id="4", speaker="system", role=Role.SYSTEM, time=datetime(2025, 1, 1, tzinfo=UTC)),
    )
    with kataribe.open(str(empty_store(tmp_path / "a.db")), services=services()) as k:
        k.user("u").create(language="ja", embedder="hash")
        k.user("u").put_turns(said)
        stored = k.user("u").turns()
        data = exported(k, tmp_path / "out.zip").read("data/turns.jsonl")
    log = parse_log(data, "turns.jsonl")
    with kataribe.open(str(empty_store(tmp_path / "b.db")), services=services()) as fresh:
        fresh.user("v").import_log(log.turns, language="ja", embedder="hash")
        assert fresh.user("v").turns() == stored
    assert {one.turn_id: one for one in stored} == {one.turn_id: one for one in said}


@pytest.mark.parametrize("language", LANGUAGES)
def test_talk_under_stories_is_in_it_and_can_be_brought_in_again(tmp_path: Path, language: Language) -> None:
    text = SAID[language][0]
    with kataribe.open(str(empty_store(tmp_path / "a.db")), services=services()) as k:
        k.story("s").create(language=language, embedder="hash")
        for no in (1, 2):
            k.story("s").episodes.put(no, "The bell rings.")
        for user, words in (("u", text), ("bob", OTHERS[language])):
            k.user(user).create(language=language, embedder="hash")
            k.user(user).put_turns([says(1, words, speaker=user, to=("mio",))], story="s", at=2)
        bundle = exported(k, tmp_path / "out.zip")
        told = k.user("u").turns(story="s", at=2)
    (_, talk) = rows(bundle, "spaces")
    assert (talk["story"], talk["episode"], talk["turns"]) == ("s", 2, 1)
    assert turns(bundle, talk["file"]) == told
    assert told[0].text == text
    assert f"log import {talk['file']} --user ID --story s --at 2 --persona mio" in page(bundle, "README.md")
    assert words_in(language).under.format("s", 2) in conversation(bundle)
    assert OTHERS[language].encode() not in everything(bundle)


def test_the_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        with lived(tmp_path / "s", "en") as k:
            exported(k, tmp_path / "out.zip")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "out.zip").stat().st_mode) == 0o600


def test_the_same_store_gives_the_same_bytes(tmp_path: Path) -> None:
    with lived(tmp_path / "s", "ja") as k:
        first, second = (exported(k, tmp_path / f"{no}.zip") for no in (1, 2))
    assert first.namelist() == second.namelist()
    # What was done grew by the first export itself.
    grown = {name for name in first.namelist() if first.read(name) != second.read(name)}
    assert grown == {"audit.md", "data/audit.jsonl", "data/parquet/audit.parquet"}
    assert [one.date_time for one in first.infolist()] == [one.date_time for one in second.infolist()]


def test_a_token_permits_one_export_of_its_user_alone(tmp_path: Path, language: Language) -> None:
    with lived(tmp_path / "s", language) as k:
        u, place = k.user("u").privacy, tmp_path / "out"
        place.mkdir()
        wrong = ("", "x", u.request("delete"), k.user("bob").privacy.request("export"))
        for token in wrong:
            with pytest.raises(NotPermittedError):
                u.export(place / "a.zip", token=token)
        assert files_in(place) == []
        token = u.request("export")
        u.export(place / "a.zip", token=token)
        with pytest.raises(NotPermittedError):
            u.export(place / "b.zip", token=token)
        assert files_in(place) == ["a.zip"]
        refused = [one for one in k.admin.audit.list("user:u", last=50) if one.outcome == "refused"]
        assert [(one.act, one.reason) for one in refused] == [("privacy.export", "NotPermittedError")] * 5
        with pytest.raises(NotFoundError):
            k.user("nobody").privacy.export(place / "c.zip", token=token)


def test_of_many_who_have_one_token_one_is_given_the_export(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with lived(tmp_path / "s", "en") as k:
        token = k.user("u").privacy.request("export")
        barrier = Barrier(6)

        def one(no: int) -> bool:
            with opened(tmp_path / "s" / "t.db", tmp_path / "s" / "archive", now=LATER) as mine:
                barrier.wait()
                try:
                    mine.user("u").privacy.export(tmp_path / "out" / f"{no}.zip", token=token)
                except NotPermittedError:
                    return False
                return True

        with ThreadPoolExecutor(6) as threads:
            won = list(threads.map(one, range(6)))
    assert won.count(True) == 1
    assert files_in(tmp_path / "out") == [f"{won.index(True)}.zip"]


def test_an_erasure_takes_the_exports_that_lie_where_they_were_written(
    tmp_path: Path, language: Language
) -> None:
    with lived(tmp_path / "s", language, own_keys=True) as k:
        k.user("bob").profile.give("personalise", by_hand=True)
        exported(k, tmp_path / "bob.zip", "bob")
        exported(k, tmp_path / "one.zip")
        exported(k, tmp_path / "two.zip")
        (tmp_path / "two.zip").write_bytes(b"mine")
        receipt = k.user("u").delete(k.user("u").privacy.request("delete"))
    assert files_in(tmp_path) == ["bob.zip", "s", "two.zip"]
    assert receipt.counts["exports"] == 2
    assert [*receipt.unreached] == ["exports"]


def test_a_file_that_is_there_is_never_overwritten(tmp_path: Path) -> None:
    with lived(tmp_path / "s", "en") as k:
        token = k.user("u").privacy.request("export")
        (tmp_path / "mine.zip").write_text("mine")
        (tmp_path / "nowhere.zip").symlink_to(tmp_path / "no" / "file")
        for name in ("mine.zip", "nowhere.zip"):
            with pytest.raises(ConflictError):
                k.user("u").privacy.export(tmp_path / name, token=token)
        with pytest.raises(InputError):
            k.user("u").privacy.export(tmp_path / "nix" / "out.zip", token=token)
        assert (tmp_path / "mine.zip").read_text() == "mine"
        k.user("u").privacy.export(tmp_path / "out.zip", token=token)


def test_a_file_that_came_meanwhile_is_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "out.zip"
    before = Pages.threads

    def meanwhile(self: Pages) -> Iterator[str]:
        place.write_text("mine")
        return before(self)

    monkeypatch.setattr(Pages, "threads", meanwhile)
    with lived(tmp_path / "s", "en") as k, pytest.raises(ConflictError):
        exported(k, place)
    assert place.read_text() == "mine"
    assert files_in(tmp_path) == ["out.zip", "s"]


def test_without_the_key_nothing_is_exported_and_it_is_said_what_to_do(
    tmp_path: Path, language: Language
) -> None:
    with lived(tmp_path / "s", language) as k:
        place = Path(k.admin.keys.status().place)
        token = k.user("u").privacy.request("export")
    away = place.with_suffix(".away")
    os.replace(place, away)
    with (
        opened(tmp_path / "s" / "t.db", tmp_path / "s" / "archive") as k,
        pytest.raises(KeyStoreError, match="put it back"),
    ):
        k.user("u").privacy.export(tmp_path / "out.zip", token=token)
    assert files_in(tmp_path) == ["s"]
    os.replace(away, place)
    with opened(tmp_path / "s" / "t.db", tmp_path / "s" / "archive") as k:
        k.user("u").privacy.export(tmp_path / "out.zip", token=token)


def test_what_is_sealed_under_a_key_that_is_lost_for_good_is_not_exported(tmp_path: Path) -> None:
    with lived(tmp_path / "s", "en", own_keys=True) as k:
        place = Path(k.admin.keys.status().place)
    place.unlink()
    with opened(tmp_path / "s" / "t.db", tmp_path / "s" / "archive") as k:
        k.admin.keys.init(anew=True)
        with pytest.raises(KeyStoreError):
            exported(k, tmp_path / "out.zip")
    assert files_in(tmp_path) == ["s"]


def test_a_disk_that_is_full_leaves_no_file_and_the_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Pages) -> Iterator[str]:
        raise OSError(errno.ENOSPC, "No space left on device")

    with lived(tmp_path / "s", "en") as k:
        token = k.user("u").privacy.request("export")
        with monkeypatch.context() as patched:
            patched.setattr(Pages, "audit", full)
            with pytest.raises(StoreFullError):
                k.user("u").privacy.export(tmp_path / "out.zip", token=token)
        assert files_in(tmp_path) == ["s"]
        k.user("u").privacy.export(tmp_path / "out.zip", token=token)


def test_a_user_who_is_deleted_meanwhile_leaves_no_export(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with lived(tmp_path / "s", "en", own_keys=True) as k:
        token = k.user("u").privacy.request("export")
        before = Pages.audit

        def meanwhile(self: Pages) -> Iterator[str]:
            ledger: Any = k._of._engine._ledger
            with ledger.writing() as tx:
                tx.delete_user("u")
            return before(self)

        monkeypatch.setattr(Pages, "audit", meanwhile)
        with pytest.raises(NotFoundError):
            k.user("u").privacy.export(tmp_path / "out.zip", token=token)
    assert files_in(tmp_path) == ["s"]


KILLED = """
import os, signal, sys
from pathlib import Path
from support.archived import opened
from kataribe.formats.bundle import new_file
from kataribe.formats.bundle.pages import Pages
folder, token, nameless = Path(sys.argv[1]), sys.argv[2], sys.argv[3] == "nameless"
if not nameless and hasattr(os, "O_TMPFILE"):
    del os.O_TMPFILE
def die(self):
    os.kill(os.getpid(), signal.SIGKILL)
Pages.audit = die
with opened(folder / "s" / "t.db", folder / "s" / "archive") as k:
    k.user("u").privacy.export(folder / "out" / "out.zip", token=token)
"""


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="files without a name are Linux's")
@pytest.mark.parametrize("way", ["nameless", "named"])
def test_a_kill_in_the_middle_leaves_no_half_that_could_be_read(tmp_path: Path, way: str) -> None:
    (tmp_path / "out").mkdir()
    with lived(tmp_path / "s", "en") as k:
        token = k.user("u").privacy.request("export")
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ran = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path), token, way], check=False, env=environ)
    assert ran.returncode == -signal.SIGKILL
    left = [tmp_path / "out" / name for name in files_in(tmp_path / "out")]
    assert len(left) == (way == "named")
    for one in left:
        assert stat.S_IMODE(one.stat().st_mode) == 0o600
        assert not zipfile.is_zipfile(one)
    with opened(tmp_path / "s" / "t.db", tmp_path / "s" / "archive") as k:
        k.user("u").privacy.export(tmp_path / "out" / "out.zip", token=token)
    assert files_in(tmp_path / "out") == ["out.zip"]


def test_no_space_is_ever_read_as_a_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kataribe.conversation.records.TOGETHER", 3)
    with lived(tmp_path / "s", "en") as k:
        said = k.user("u").turns()
        token = k.user("u").privacy.request("export")
        sealed = SqlSealedView.sealed_turns

        def all_of_it(*given: Any, **named: Any) -> Any:
            raise AssertionError("all of a space was read at once")

        def some(self: Any, space: str, *, turn_ids: Any = None, upto: Any = None) -> Any:
            assert turn_ids is not None
            assert len(turn_ids) <= 3
            return sealed(self, space, turn_ids=turn_ids, upto=upto)

        monkeypatch.setattr(SqlConversationsView, "turns", all_of_it)
        monkeypatch.setattr(SqlSealedView, "sealed_turns", some)
        k.user("u").privacy.export(tmp_path / "out.zip", token=token)
    assert turns(zipfile.ZipFile(tmp_path / "out.zip")) == said


def test_a_user_of_whom_nothing_is_kept_has_an_export_too(tmp_path: Path, language: Language) -> None:
    with kataribe.open(str(empty_store(tmp_path / "k.db")), services=services()) as k:
        k.user("u").create(language=language, embedder="hash")
        bundle = exported(k, tmp_path / "out.zip")
    assert turns(bundle) == ()
    assert words_in(language).nothing in page(bundle, "memories.md")


def test_a_store_in_memory_is_exported_too(tmp_path: Path) -> None:
    with kataribe.open(":memory:", services=replace(services(), clock=FrozenClock(LATER))) as k:
        k.user("u").create(language="en", embedder="hash")
        k.user("u").said(SAID["en"][0], speaker="u")
        assert turns(exported(k, tmp_path / "out.zip")) == k.user("u").turns()


def test_what_is_kept_of_a_user_is_shown_without_a_token(tmp_path: Path, language: Language) -> None:
    with lived(tmp_path / "s", language) as k:
        found = k.user("u").privacy.show()
        live = k.user("u").memory.list().memories
        ended = k.user("u").memory.list(state="superseded").memories
        (key_store,) = {k.admin.keys.status().place}
    (space,) = found.spaces
    assert (space.turns, len(space.sessions), space.sealed, space.archived > 0) == (4, 4, 2, True)
    assert found.holders == ("rin",)
    assert [(one.key, one.value) for one in found.profile] == [("name", "Anna Lee 安")]
    assert [one.key for one in found.consents] == ["name", "personalise"]
    assert sum(found.memories.values()) == len(live) + len(ended)
    texts = {one.value.text for one in live}
    assert {one.value.text for one in found.newest} <= texts
    assert not any(TOKEN.search(one.value.text) for one in found.newest)
    assert (found.nights, found.is_open, found.key_place, found.backups) == (1, True, key_store, ())
    assert "bob" not in repr(found)


def test_what_is_shown_counts_backups_and_does_without_the_key(tmp_path: Path, language: Language) -> None:
    with lived(tmp_path / "s", language) as k:
        k.admin.backup(tmp_path / "copy.db")
        (written,) = k.user("u").privacy.show().backups
        assert (written.path, written.is_sealed) == (str(tmp_path / "copy.db"), True)
        place = Path(k.admin.keys.status().place)
    os.replace(place, place.with_suffix(".away"))
    with opened(tmp_path / "s" / "t.db", tmp_path / "s" / "archive") as k:
        found = k.user("u").privacy.show()
        assert not found.is_open
        assert found.profile[0].is_locked
        assert PERSONAL[language][0] not in repr(found)
    os.replace(place.with_suffix(".away"), place)
