"""Erasure is complete (P7): of whatever somebody lived through no byte is left, and nobody else is moved."""

from __future__ import annotations

import asyncio
import hashlib
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import fields, replace
from datetime import timedelta
from pathlib import Path
from threading import Barrier

import pytest

import kataribe
from kataribe.adapters.memory_index import MemoryIndex
from kataribe.adapters.sealing.store import FileKeys
from kataribe.adapters.sql import SqlLedger
from kataribe.adapters.sql import ledger as sql_ledger
from kataribe.conversation import import_log
from kataribe.domain.conversation.turns import Turn
from kataribe.domain.privacy.erasure import WrittenExport
from kataribe.domain.records import TurnChanges
from kataribe.domain.space import SpaceType, user_space
from kataribe.domain.terms import Language
from kataribe.engine import Engine, Services
from kataribe.engine.erasing import UNCUT
from kataribe.errors import KataribeError, NotFoundError, NotPermittedError
from kataribe.face.sync.kataribe import Kataribe
from kataribe.formats.wire.privacy import erasure_json
from kataribe.ports import IndexEntry, Matrix, Transaction, VectorIndex, View
from kataribe.testing.fakes import CountingEmbedder, FrozenClock
from kataribe.testing.faulty_index import FaultyIndex, IndexFaults
from kataribe.wiring.keys import seal
from support.archived import says
from support.erasing import erase
from support.lived import GONE, LATER, PLANTED, STAYS, answers, found_in, laid, live, opened, settings_of
from support.stores import services

TOLD = "Quetzalcoatlus told me: 薔薇の温室は秘密です。"
AGAIN = "A new beginning, 新しい朝です。"


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two lives, lived once."""
    folder = laid(tmp_path_factory.mktemp("lived") / "x")
    with opened(folder) as store:
        live(store)
    return folder


@pytest.fixture
def folder(lived: Path, tmp_path: Path) -> Path:
    """A copy of them, with their archive and keys."""
    copy = tmp_path / "x"
    shutil.copytree(lived, copy)
    return copy


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A store in which nobody has lived."""
    return laid(tmp_path / "small")


def looked_at(folder: Path) -> Iterator[View]:
    with (
        closing(SqlLedger(str(folder / "db" / "k.db"), FrozenClock(LATER))) as ledger,
        ledger.reading() as view,
    ):
        yield view


def rows_of(folder: Path, user: str) -> int:
    (view,) = [sum({**one.rows_of_user(user, SpaceType.USER)}.values()) for one in looked_at(folder)]
    (talk,) = [sum({**one.rows_of_user(user, SpaceType.TALK)}.values()) for one in looked_at(folder)]
    return view + talk


def keys_of(folder: Path) -> FileKeys:
    with closing(sqlite3.connect(folder / "db" / "k.db")) as driver:
        (store_id,) = driver.execute("SELECT value FROM marks WHERE name = 'store'").fetchone()
    return FileKeys(folder / "keys" / "k.keys", store_id, seal=seal)


def meet(store: Kataribe, user: str) -> None:
    handle = store.user(user)
    handle.create(language="ja", embedder="hash")
    handle.said(TOLD, speaker=user, persona="himuro", session="one")


# -- what is planted is found before, and nowhere after ------------------------------------------


def test_what_is_looked_for_is_there_before(folder: Path) -> None:
    """Else the search would find nothing whatever is left."""
    found = {words for _, words, _ in found_in(folder)}
    plain = {"Quetzalcoatlus", "薔薇の温室", "曼珠沙華", GONE}
    assert plain <= found
    assert any(name.endswith("opened") for name, _, _ in found_in(folder, ["Quetzalcoatlus", "薔薇の温室"]))
    assert rows_of(folder, GONE) > 50


def test_no_byte_is_left_in_any_file_and_nobody_else_is_moved(folder: Path) -> None:
    with opened(folder) as store:
        before, amiss = answers(store), store.verify().problems
        receipt = erase(store, GONE)
        assert (receipt.complete, receipt.unreached, receipt.held_by) == (True, {}, ())
        assert found_in(folder) == []
        assert answers(store) == before
        assert set(store.verify().problems) <= set(amiss)
        assert store.admin.audit.verify().ok
        with pytest.raises(NotFoundError):
            store.user(GONE).info()
    assert found_in(folder) == []
    assert rows_of(folder, GONE) == 0
    with opened(folder) as store:
        assert answers(store) == before
    assert found_in(folder) == []


def test_the_receipt_counts_each_store_and_one_tombstone_stays(folder: Path) -> None:
    with opened(folder) as store:
        receipt = erase(store, GONE)
        assert receipt.user == GONE
        assert receipt.at == LATER.isoformat()
        wanted = {"turns", "memories", "memory_vectors", "traces", "uses", "tier_values", "turn_marks"}
        wanted |= {"hand_decisions", "user_profile", "archive", "audit", "key", "users", "spaces", "nights"}
        assert wanted <= {name for name, count in receipt.counts.items() if count > 0}
        assert erasure_json(receipt)["deleted"] is True
    keys = keys_of(folder)
    (stone,) = keys.tombstones()
    assert stone.is_of(GONE)
    assert not stone.is_of(STAYS)
    assert stone.counts == dict(receipt.counts)
    assert (keys.pseudonym(GONE), keys.status().users) == (None, 1)
    keys.close()


def test_who_comes_again_is_another_one(folder: Path) -> None:
    with opened(folder) as store:
        erase(store, GONE)
        store.user(GONE).create(language="ja", embedder="hash")
        store.user(GONE).said(AGAIN, speaker="x", persona="himuro", session="new")
        store.user(GONE).sync()
        found = store.viewer(user=GONE, persona="himuro").known()
        assert [hit.text for hit in found.hits] == [AGAIN]
        assert store.user(GONE).memory.nights() == ()
        assert store.user(GONE).profile.show() == ()
    assert found_in(folder, set(PLANTED) - {GONE}) == []


@pytest.mark.parametrize("audit", ["users", "off"])
def test_who_said_nothing_personal_leaves_a_tombstone_too(small: Path, audit: str) -> None:
    settings = replace(settings_of(small), audit=audit)  # type: ignore[arg-type]
    with kataribe.open(settings=settings, services=services()) as store:
        store.user("quiet").create(language="en", embedder="hash")
        receipt = erase(store, "quiet")
        assert receipt.complete
        assert store.admin.keys.status().tombstones == 1


# -- confirmation ---------------------------------------------------------------------------------


@pytest.mark.parametrize("given", ["none", "guessed", "of another", "for another act", "used", "over"])
def test_without_a_good_token_nothing_is_done_and_it_is_noted(small: Path, given: str) -> None:
    clock = FrozenClock(LATER)
    with opened(small, clock=clock) as store:
        meet(store, GONE)
        meet(store, STAYS)
        asked = store.user(STAYS if given == "of another" else GONE).privacy
        token = asked.request("export" if given == "for another act" else "delete")
        if given == "used":
            store.user(GONE).delete(token)
            meet(store, GONE)
        if given == "over":
            clock.advance(timedelta(minutes=15))
        with pytest.raises(PermissionError, match="privacy request") as refused:
            store.user(GONE).delete({"none": None, "guessed": "0" * 48}.get(given, token))
        assert isinstance(refused.value, NotPermittedError)
        assert [turn.text for turn in store.user(GONE).turns()] == [TOLD]
        told = store.admin.audit.list(user_space(GONE))
        assert ("user.delete", "NotPermittedError") in {(one.act, one.reason) for one in told}


def test_of_fifty_that_erase_with_one_token_one_does(small: Path) -> None:
    with opened(small) as store:
        meet(store, GONE)
        token, start = store.user(GONE).privacy.request("delete"), Barrier(50)

        def race() -> bool:
            start.wait()
            try:
                receipt = store.user(GONE).delete(token)
            except (NotPermittedError, NotFoundError):
                return False
            assert receipt.complete, receipt
            return True

        with ThreadPoolExecutor(50) as pool:
            found = [one.result() for one in [pool.submit(race) for _ in range(50)]]
        assert found.count(True) == 1


# -- what cannot be done at once ------------------------------------------------------------------


def test_a_reader_that_holds_the_log_is_named_and_the_next_opening_cuts_it_off(
    small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sql_ledger, "_READERS_WAITED_FOR", 0.05)
    with opened(small) as store:
        meet(store, GONE)
    reader = """
import sqlite3, sys
driver = sqlite3.connect(sys.argv[1])
driver.execute("BEGIN")
driver.execute("SELECT count(*) FROM turns").fetchall()
print("reading", flush=True)
sys.stdin.read()
"""
    command = [sys.executable, "-c", reader, str(small / "db" / "k.db")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        with opened(small) as store:
            receipt = erase(store, GONE)
            assert not receipt.complete
            assert receipt.held_by in ((f"process {other.pid}",), ("another process",))
            assert receipt.unreached == {}
            assert any("log may still hold" in problem for problem in store.verify().problems)
            other.communicate()
            store.sync()
            assert store.verify().problems == ()
            assert found_in(small, [TOLD, "Quetzalcoatlus", GONE]) == []
    for view in looked_at(small):
        assert view.mark(UNCUT) == ""


def test_an_index_that_is_down_is_named_and_reached_by_a_later_sync(small: Path) -> None:
    below = MemoryIndex()
    index = FaultyIndex(below, IndexFaults())
    with opened(small, index=index) as store:
        meet(store, GONE)
        meet(store, STAYS)
        store.sync()
        held = entries(below)
        assert len(held) == 2
        index.faults = IndexFaults(away=1.0)
        receipt = erase(store, GONE)
        assert (receipt.complete, [*receipt.unreached]) == (False, ["index"])
        assert entries(below) == held
        index.faults = IndexFaults()
        store.sync()
        assert len(entries(below)) == 1
        assert erase(store, STAYS).complete
        assert entries(below) == frozenset()


def test_an_index_of_before_is_named(small: Path) -> None:
    with opened(small, index=MemoryIndex()) as store:
        meet(store, GONE)
        store.sync()
    with opened(small) as store:
        receipt = erase(store, GONE)
        assert "is not the index of this store now" in receipt.unreached["index"]


def entries(index: MemoryIndex) -> frozenset[str]:
    """Name all that an index holds."""
    return frozenset(f"{collection}/{one}" for collection, held in index._held.items() for one in held)


def test_exports_go_and_one_that_was_changed_is_named(small: Path) -> None:
    files = {name: small / name for name in ("one.zip", "two.zip", "gone.zip")}
    with opened(small) as store:
        meet(store, GONE)
        digest = hashlib.sha256(TOLD.encode()).hexdigest()
        ledger = SqlLedger(str(small / "db" / "k.db"), FrozenClock(LATER))
        with closing(ledger), ledger.writing() as tx:
            for file in files.values():
                file.write_bytes(TOLD.encode())
                tx.put_export(user_space(GONE), WrittenExport(str(file), digest))
        files["two.zip"].write_text("something else by now")
        files["gone.zip"].unlink()
        receipt = erase(store, GONE)
        assert receipt.counts["exports"] == 3
        assert (receipt.complete, [*receipt.unreached]) == (False, ["exports"])
        assert "two.zip was changed" in receipt.unreached["exports"]
        assert [file.exists() for file in files.values()] == [False, True, False]
        files["two.zip"].unlink()
        store.sync()
    for view in looked_at(small):
        assert view.exports_gone() == {}
    assert found_in(small, [GONE, "Quetzalcoatlus"]) == []


def test_copies_that_are_not_sealed_are_named(small: Path) -> None:
    with opened(small) as store:
        meet(store, GONE)
        meet(store, STAYS)
        store.admin.backup(small / "copy.db")
        (small / "db" / "k.db.schema-0012").write_bytes(b"as it was")
        receipt = erase(store, GONE)
        assert receipt.complete
        assert receipt.unsealed == (str(small / "db" / "k.db.schema-0012"),), "no backup is in the open"


# -- under fire -----------------------------------------------------------------------------------


class _Interrupting(CountingEmbedder):
    """Does something while a text is embedded, once."""

    then: Callable[[], object] | None = None

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        then, self.then = self.then, None
        if then is not None:
            await asyncio.to_thread(then)
        return await super().embed_documents(texts)


@pytest.fixture
def interrupting() -> _Interrupting:
    return _Interrupting(services().embedder("hash"))


def with_embedder(folder: Path, embedder: _Interrupting) -> Kataribe:
    real = services().embedder
    parts = replace(
        services(),
        clock=FrozenClock(LATER),
        embedder=lambda name: embedder if name == "hash" else real(name),
    )
    return kataribe.open(settings=settings_of(folder), services=parts)


@pytest.mark.parametrize("comes_again", [False, True])
@pytest.mark.parametrize("verb", ["sync", "sync all", "rebuild", "night"])
def test_what_runs_while_its_user_is_erased_ends_cleanly_and_brings_nothing_back(
    small: Path, interrupting: _Interrupting, verb: str, comes_again: bool
) -> None:
    with with_embedder(small, interrupting) as store:
        handle = store.user(GONE)
        handle.create(language="ja", embedder="hash")
        turns = [says(no, TOLD, speaker=GONE, to=("himuro",)) for no in range(3)]
        handle.put_turns(turns)
        verbs: dict[str, Callable[[], object]] = {
            "sync": handle.sync,
            "sync all": store.sync,
            "rebuild": handle.rebuild,
            "night": handle.memory.nightly,
        }

        def erased() -> None:
            assert erase(store, GONE).complete
            if comes_again:
                handle.create(language="ja", embedder="hash")

        interrupting.then = erased
        with suppress(KataribeError):
            verbs[verb]()
        assert interrupting.then is None
        store.sync()
        if comes_again:
            assert handle.turns() == ()
            assert handle.memory.list().memories == ()
            assert store.viewer(user=GONE, persona="himuro").known().hits == ()
        else:
            assert rows_of(small, GONE) == 0
    assert found_in(small, [TOLD, "Quetzalcoatlus", "薔薇の温室"]) == []


def test_what_was_being_handed_to_an_index_is_taken_back(small: Path) -> None:
    below = MemoryIndex()

    class Late(FaultyIndex):
        then: Callable[[], object] | None = None

        def upsert(self, collection: str, given: Collection[IndexEntry]) -> None:
            then, self.then = self.then, None
            if then is not None:
                then()
            super().upsert(collection, list(given))

    index: VectorIndex = Late(below, IndexFaults())
    with opened(small, index=index) as store:
        meet(store, GONE)
        index.then = lambda: erase(store, GONE)  # type: ignore[attr-defined]
        with suppress(KataribeError):
            store.sync()
        store.sync()
        assert entries(below) == frozenset()
        assert rows_of(small, GONE) == 0


@pytest.mark.parametrize("comes_again", [False, True])
@pytest.mark.parametrize("language", ["ja", "en"])
def test_a_chat_whose_user_is_erased_stores_no_reply_any_more(
    small: Path, language: Language, comes_again: bool
) -> None:
    with opened(small) as store:
        chat = store.user(GONE).chat(persona="himuro", language=language, embedder="hash")
        chat.said(TOLD)
        chat.replied("はい。")
        erase(store, GONE)
        if comes_again:
            store.user(GONE).create(language=language, embedder="hash")
        with pytest.raises(NotFoundError, match="was erased since"):
            chat.replied(f"You said: {TOLD}")
        assert [user.user_id for user in store.admin.users()] == [GONE] * comes_again
    assert found_in(small, ["Quetzalcoatlus", "薔薇の温室"]) == []


def test_a_log_that_is_brought_in_meanwhile_is_not_gone_on_with(
    small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where somebody has the id again by then."""
    monkeypatch.setattr("kataribe.conversation.import_log.BATCH", 1)
    with opened(small) as store:
        handle = store.user(GONE)
        real, left = import_log.store_batch, [1]

        def once_more(tx: Transaction, begun: import_log.Begun, turns: Sequence[Turn]) -> TurnChanges:
            if not left:
                tx.delete_user(GONE)
                tx.put_user(begun.user)
            else:
                left.pop()
            return real(tx, begun, turns)

        monkeypatch.setattr(import_log, "store_batch", once_more)
        turns = [says(no, TOLD, speaker=GONE, to=("himuro",)) for no in range(3)]
        with pytest.raises(NotFoundError, match="deleted while it was brought in"):
            handle.import_log(turns, language="ja", embedder="hash")


def test_what_a_read_leaves_waiting_goes_along(small: Path) -> None:
    """Written later, it would stand in the record of whoever has the id by then."""
    with opened(small) as store:
        meet(store, GONE)
        store.recall(TOLD, user=GONE, persona="himuro")
        erase(store, GONE)
        store.user(GONE).create(language="ja", embedder="hash")
        assert store.admin.traces(user=GONE) == ()
        acts = [event.act for event in store.admin.audit.list(user_space(GONE))]
        assert "recall" not in acts


# -- nothing new is forgotten ---------------------------------------------------------------------

IN_STORES = {
    "keys": "KeyStore and AuditStore",
    "index": "IndexStore",
    "_ledger": "KindsStore, ArchiveStore, ExportStore and FileStore",
    "_auditor": "KeyStore and AuditStore",
    "_traces": "ProcessStore",
    "_notes": "ProcessStore",
    "_uses": "ProcessStore",
    "_hints": "ProcessStore",
    "_languages": "ProcessStore",
    "_harmless_texts": "ProcessStore",
    "_asked_before": "ProcessStore",
    "_makers": "ProcessStore",
    "hook": "HookStore",
    "_hooks": "ProcessStore",
}
"""Parts of an open store that hold anything of a user, and what erases it."""
HOLDS_NOTHING = {
    *("embedder", "default_embedder", "extractor", "planner", "reranker", "judge", "answerer"),
    *("proofreader", "summarizer", "counter", "book", "document", "cron", "clock", "processes", "policy"),
    *("recall_policy", "traces_kept", "default_model", "default_reranker", "tuning", "telemetry"),
    *("audit_sink", "audit", "seal", "tables", "remote_backup"),
    *("_services", "_protection", "_writes", "_notes_lost", "_outbox", "_delivering", "_flushing"),
    *("_is_closed", "_noting"),
}
"""Parts that hold no word and no id of a user: the record that is kept elsewhere calls it by a pseudonym."""


def test_a_new_part_of_a_store_must_say_who_erases_what_it_holds_of_a_user(small: Path) -> None:
    with opened(small) as store:
        engine = store._of._engine
        assert isinstance(engine, Engine)
        parts = {one.name for one in fields(Services)} | vars(engine).keys()
        assert parts == IN_STORES.keys() | HOLDS_NOTHING
