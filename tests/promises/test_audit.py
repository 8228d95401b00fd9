"""The audit record: whatever was done is in it, nobody's words are, and what is taken out shows."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

import pytest

import kataribe
from kataribe.adapters.sql import SqlLedger
from kataribe.domain.audit import AuditCheck
from kataribe.domain.terms import Language
from kataribe.engine import auditing
from kataribe.engine.audit_check import look_over
from kataribe.engine.keyring import KeyRing
from kataribe.errors import KataribeError, KeyLostError, NotFoundError, StoreError
from kataribe.face.sync.kataribe import Kataribe
from kataribe.formats.wire.audit import audit_event_json
from kataribe.ports import Ledger, Transaction, View
from kataribe.ports.audit import STORE_MARK
from kataribe.testing.fakes import FrozenClock
from support.erasing import erase
from support.stores import empty_store

USERS = ("ゆきのしん", "jonathan")
WORDS = ("ペトリコールの匂いが好き", "I adore the Bumbershoot parade")
SESSION = "薔薇の面会-rosemeet"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "db").mkdir()
    return empty_store(tmp_path / "db" / "k.db")


def opened(path: Path) -> Kataribe:
    return kataribe.open(str(path))


def live(k: Kataribe) -> None:
    """Say, ask, forget, and be refused, as two users."""
    languages: tuple[Language, ...] = ("ja", "en")
    for user, text, language in zip(USERS, WORDS, languages, strict=True):
        handle = k.user(user)
        handle.create(language=language, embedder="hash")
        handle.said(text, speaker=user, persona="himuro", session=SESSION)
        assert k.recall(text, user=user, persona="himuro").hits
        handle.turns()
        with pytest.raises(KataribeError):
            handle.create(language=language, embedder="hash")


@pytest.fixture
def k(path: Path) -> Iterator[Kataribe]:
    with opened(path) as made:
        live(made)
        yield made


def acts(k: Kataribe, space: str | None = None) -> list[tuple[str, str | None]]:
    return [(event.act, event.reason) for event in reversed(k.admin.audit.list(space, last=1000))]


def sound(found: AuditCheck) -> bool:
    assert found.problems == ()
    return found.ok


@pytest.mark.parametrize("user", USERS)
def test_everything_that_was_done_with_a_user_is_in_its_chain(k: Kataribe, user: str) -> None:
    told = acts(k, f"user:{user}")
    assert {act for act, reason in told if reason is None} == {
        "keys.make",
        "user.create",
        "user.said",
        "recall",
        "user.turns",
    }
    assert [act for act in told if act[1] is not None] == [("user.create", "ConflictError")]
    assert sound(k.admin.audit.verify())


def test_each_act_tells_what_it_wrote_and_found(k: Kataribe) -> None:
    events = k.admin.audit.list(f"user:{USERS[0]}", last=100)
    wrote = [event.detail["wrote"] for event in events if event.act == "user.said"]
    assert {"put_turns": 1} in wrote
    (asked,) = [event for event in events if event.act == "recall"]
    assert asked.detail == {"as": "himuro", "hits": 1}
    assert asked.key == f"recall/{asked.chain}/{asked.at}/{asked.event_id}"
    assert len({event.key for event in events}) == len(events)


def test_the_record_holds_no_words_no_session_and_no_id_of_a_user(k: Kataribe, path: Path) -> None:
    k.admin.flush()
    with closing(sqlite3.connect(path)) as driver:
        rows = driver.execute("SELECT * FROM audit UNION ALL SELECT *, 0, 0, 0, 0, 0 FROM audit_heads")
        held = repr(rows.fetchall())
    pieces = [*USERS, SESSION, *(word for text in WORDS for word in text.split()), "ペトリコール", "匂い"]
    assert [piece for piece in pieces if len(piece) > 1 and piece in held] == []
    assert "himuro" in held


def test_what_is_undone_leaves_no_event(k: Kataribe) -> None:
    before = len(acts(k, f"user:{USERS[0]}"))
    with pytest.raises(NotFoundError):
        k.user(USERS[0]).memory.pin("turn:nothing")
    told = acts(k, f"user:{USERS[0]}")[before:]
    assert [reason for _, reason in told] == ["NotFoundError"]


def test_stories_are_in_it_when_all_is_asked_for(path: Path) -> None:
    settings = kataribe.Settings(path=str(path), audit="all")
    with kataribe.open(settings=settings) as k:
        k.story("s").create(language="en", embedder="hash", audience="wide")
        assert "story.create" in [act for act, _ in acts(k, "story:s")]
        assert sound(k.admin.audit.verify())
    with opened(path) as k:
        before = acts(k)
        k.story("t").create(language="en", embedder="hash")
        assert acts(k) == before


def test_no_record_is_kept_where_it_is_off(path: Path) -> None:
    with kataribe.open(settings=kataribe.Settings(path=str(path), audit="off")) as k:
        live(k)
        assert acts(k) == []
        erase(k, USERS[0])
        assert acts(k) == []


def test_words_that_name_no_space_are_refused(k: Kataribe) -> None:
    with pytest.raises(kataribe.InputError, match="is no space"):
        k.admin.audit.list("yuki")


class _UndoneError(Exception):
    pass


def _tried(ledger: Ledger, change: Callable[[Transaction], object]) -> AuditCheck:
    """Change something, look the record over, and take it back."""
    found: list[AuditCheck] = []
    with suppress(_UndoneError), ledger.writing() as tx:
        change(tx)
        found.append(look_over(tx))
        raise _UndoneError
    return found[0]


def _tampered(ledger: Ledger, sql: str, *given: object) -> AuditCheck:
    def change(tx: Transaction) -> None:
        assert tx._driver.execute(sql, given).rowcount  # type: ignore[attr-defined]

    return _tried(ledger, change)


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqlLedger]:
    """A record with chains of two users and a talk, and of one who is erased."""
    path = empty_store(tmp_path_factory.mktemp("record") / "k.db")
    with kataribe.open(str(path)) as k:
        live(k)
        k.user("gone").create(language="en", embedder="hash")
        erase(k, "gone")
    with closing(SqlLedger(str(path), FrozenClock())) as ledger:
        yield ledger


def _rows(ledger: Ledger, table: str) -> list[tuple[object, ...]]:
    with ledger.reading() as view:
        return list(view._driver.execute(f"SELECT * FROM {table}").fetchall())  # type: ignore[attr-defined]


def test_a_record_nobody_touched_is_sound(record: SqlLedger) -> None:
    with record.reading() as view:
        found = look_over(view)
    assert found == AuditCheck(chains=3, events=len(_rows(record, "audit")), erased=1, problems=())


def test_each_event_that_is_removed_is_missed(record: SqlLedger) -> None:
    for chain, n, *_ in _rows(record, "audit"):
        found = _tampered(record, "DELETE FROM audit WHERE chain = ? AND n = ?", chain, n)
        assert any(str(chain) in problem for problem in found.problems), (chain, n)


def test_each_value_of_each_event_that_is_changed_is_found(record: SqlLedger) -> None:
    names = ("chain", "n", "at", "act", "outcome", "reason", "detail", "hash")
    for row in _rows(record, "audit"):
        chain, n, *_ = row
        for column, former in list(zip(names, row, strict=True))[2:]:
            for value in ("x", "{}", f"{former} "):
                if value != former:
                    sql = f"UPDATE audit SET {column} = ? WHERE chain = ? AND n = ?"
                    assert not _tampered(record, sql, value, chain, n).ok, (chain, n, column, value)


def test_each_event_that_is_moved_is_found(record: SqlLedger) -> None:
    for chain, n, *_ in _rows(record, "audit"):
        for where, given in (("n = -n", ()), ("n = n + 100", ()), ("chain = ?", ("user:~else",))):
            sql = f"UPDATE audit SET {where} WHERE chain = ? AND n = ?"
            assert not _tampered(record, sql, *given, chain, n).ok, (chain, n, where)


def test_events_that_change_places_are_found(record: SqlLedger) -> None:
    """All that they say goes along; their numbers alone stay in order."""
    columns = "at, act, outcome, reason, detail, hash"
    other = f"SELECT {columns} FROM audit AS b WHERE b.chain = audit.chain AND b.n = 2 * ? + 1 - audit.n"
    for chain, n, *_ in _rows(record, "audit"):
        if (chain, int(str(n)) + 1) not in {(one[0], one[1]) for one in _rows(record, "audit")}:
            continue
        sql = f"UPDATE audit SET ({columns}) = ({other}) WHERE chain = ? AND n IN (?, ? + 1)"
        assert not _tampered(record, sql, n, chain, n, n).ok, (chain, n)


def test_an_event_that_is_put_in_is_found(record: SqlLedger) -> None:
    for chain, n, *_ in _rows(record, "audit_heads"):
        sql = "INSERT INTO audit SELECT chain, n + 1, at, act, outcome, reason, detail, hash FROM audit WHERE chain = ? AND n = ?"  # noqa: E501
        assert not _tampered(record, sql, chain, n).ok, chain


def test_each_note_of_a_length_that_is_removed_or_changed_is_found(record: SqlLedger) -> None:
    for chain, *_ in _rows(record, "audit_heads"):
        assert not _tampered(record, "DELETE FROM audit_heads WHERE chain = ?", chain).ok
        for change in ("length = length - 1", "length = length + 1", "head = 'x'", "chain = 'user:~x'"):
            assert not _tampered(record, f"UPDATE audit_heads SET {change} WHERE chain = ?", chain).ok


def test_a_chain_that_goes_without_an_erasure_was_removed(record: SqlLedger) -> None:
    for chain, *_ in _rows(record, "audit_heads"):
        found = _tried(record, lambda tx, chain=str(chain): tx.erase_audit([chain]))  # type: ignore[misc]
        assert not found.ok, chain


def test_a_tail_that_is_cut_with_its_note_is_found(record: SqlLedger) -> None:
    """The chain of the store says how far each had grown."""
    for chain, length, _ in _rows(record, "audit_heads"):
        if chain != "store":
            assert not _tried(record, partial(_cut, chain=str(chain), length=int(str(length)))).ok, chain


def _cut(tx: Transaction, chain: str, length: int) -> None:
    driver = tx._driver  # type: ignore[attr-defined]
    driver.execute("DELETE FROM audit WHERE chain = ? AND n = ?", (chain, length))
    before = "SELECT hash FROM audit WHERE chain = ? AND n = ?"
    sql = f"UPDATE audit_heads SET length = ?, head = ({before}) WHERE chain = ?"
    driver.execute(sql, (length - 1, chain, length - 1, chain))


@pytest.mark.parametrize("user", USERS)
def test_an_erasure_takes_the_whole_chain_and_says_so(k: Kataribe, path: Path, user: str) -> None:
    other = next(one for one in USERS if one != user)
    chain = k.admin.audit.list(f"user:{user}")[0].chain
    kept = acts(k, f"user:{other}")
    erase(k, user)
    assert acts(k, f"user:{user}") == []
    assert acts(k, f"user:{other}") == kept
    found = k.admin.audit.verify()
    assert sound(found)
    assert (found.chains, found.erased) == (2, 1)
    assert [event.detail["by"] for event in k.admin.audit.list("store") if event.act == "erase"] == [
        "user.delete"
    ]
    status = k.admin.keys.status()
    assert (status.users, status.tombstones) == (1, 1)
    # The id comes again: under another name, with another key, and nothing ties it to the first.
    k.user(user).create(language="en", embedder="hash")
    assert k.admin.audit.list(f"user:{user}")[0].chain != chain
    assert sound(k.admin.audit.verify())


def test_a_reads_note_does_not_bring_an_erased_user_back(k: Kataribe) -> None:
    k.recall(WORDS[0], user=USERS[0], persona="himuro")
    with pytest.raises(NotFoundError):
        k.user("nobody").info()
    erase(k, USERS[0])
    with pytest.raises(NotFoundError):
        k.user(USERS[0]).turns()
    assert ("user.turns", "NotFoundError") in acts(k, "store")
    assert acts(k, f"user:{USERS[0]}") == []
    assert k.admin.keys.status().users == 1


def test_an_erasure_that_was_killed_before_the_key_was_destroyed_is_taken_up_again(
    k: Kataribe, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as dying:
        dying.setattr(KeyRing, "finish", lambda self, ledger: (_ for _ in ()).throw(StoreError("killed")))
        told = erase(k, USERS[0])
        assert (told.complete, told.unreached) == (False, {"key": "killed"})
    assert k.admin.keys.status().users == 2
    with opened(path) as again:
        status = again.admin.keys.status()
        assert (status.users, status.tombstones) == (1, 1)
        assert sound(again.admin.audit.verify())


def test_an_id_that_comes_again_at_once_is_not_given_the_key_it_had(
    k: Kataribe, monkeypatch: pytest.MonkeyPatch
) -> None:
    chain = k.admin.audit.list(f"user:{USERS[0]}")[0].chain
    with monkeypatch.context() as dying:
        dying.setattr(KeyRing, "finish", lambda self, ledger: None)
        erase(k, USERS[0])
    k.user(USERS[0]).create(language="ja", embedder="hash")
    assert k.admin.audit.list(f"user:{USERS[0]}")[0].chain != chain
    assert k.admin.keys.status().tombstones == 1


def test_without_its_key_store_a_store_still_answers_and_takes_nothing_new(k: Kataribe) -> None:
    k.admin.flush()
    place = Path(k.admin.keys.status().place)
    place.rename(place.with_suffix(".away"))
    assert k.recall(WORDS[0], user=USERS[0], persona="himuro").hits
    with pytest.raises(KeyLostError, match="put it back"):
        k.user(USERS[0]).said("新しい話", speaker=USERS[0], persona="himuro")
    assert len(k.user(USERS[0]).turns()) == 1
    # What was read is noted, without saying of whom.
    assert [event.detail for event in k.admin.audit.list("store") if event.act == "recall"] == [{}]
    assert not place.exists()
    place.with_suffix(".away").rename(place)
    k.user(USERS[0]).said("新しい話", speaker=USERS[0], persona="himuro")
    assert len(k.user(USERS[0]).turns()) == 2
    assert sound(k.admin.audit.verify())


def test_a_key_store_that_is_lost_for_good_is_made_anew_when_that_is_said(k: Kataribe) -> None:
    with pytest.raises(kataribe.ConflictError, match="no key store is missing"):
        k.admin.keys.init(anew=True)
    k.admin.flush()
    chain = k.admin.audit.list(f"user:{USERS[0]}")[0].chain
    Path(k.admin.keys.status().place).unlink()
    with pytest.raises(KeyLostError, match="--anew"):
        k.admin.keys.init()
    assert k.admin.keys.init(anew=True).is_made
    k.user(USERS[0]).said("新しい話", speaker=USERS[0], persona="himuro")
    assert k.admin.audit.list(f"user:{USERS[0]}")[0].chain != chain
    assert ("keys.anew", None) in acts(k, "store")
    assert sound(k.admin.audit.verify())


def test_keys_of_a_store_in_memory_end_with_it() -> None:
    with kataribe.open(":memory:") as k:
        live(k)
        assert k.admin.keys.status().place == ":memory:"
        assert sound(k.admin.audit.verify())


def test_a_backup_opens_by_the_same_keys_and_holds_none(k: Kataribe, path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy" / "k.db"
    copy.parent.mkdir()
    k.admin.backup(tmp_path / "k.backup")
    assert kataribe.restore(tmp_path / "k.backup", copy).ok
    assert ("admin.backup", None) in acts(k, "store")
    with opened(copy) as restored:
        assert restored.admin.keys.status().place == k.admin.keys.status().place
        assert sound(restored.admin.audit.verify())
        assert acts(restored, f"user:{USERS[0]}")
    key = sqlite3.connect(k.admin.keys.status().place).execute("SELECT wrapped FROM keys").fetchone()[0]
    assert key[-20:] not in copy.read_bytes() + (tmp_path / "k.backup").read_bytes()


def test_every_write_of_a_transaction_is_somebodys_or_said_to_be_nobodys() -> None:
    for name in dir(Transaction):
        if not name.startswith("_") and not hasattr(View, name):
            assert name in auditing.UNTOLD or auditing.owner_of_write(name), name
    assert [name for name in auditing.UNTOLD if not hasattr(Transaction, name)] == []


def test_stores_have_ids_of_their_own(tmp_path: Path) -> None:
    ids = set()
    for name in "ab":
        path = empty_store(tmp_path / f"{name}.db")
        with opened(path) as k:
            k.user("u").create(language="en", embedder="hash")
        with closing(SqlLedger(str(path), FrozenClock())) as ledger, ledger.reading() as view:
            ids.add(view.mark(STORE_MARK))
    assert len(ids - {None}) == 2


def test_the_record_goes_to_a_file_too_and_nothing_is_left_out(path: Path, tmp_path: Path) -> None:
    file = tmp_path / "logs" / "audit.jsonl"
    settings = kataribe.Settings(path=str(path), audit_sink=f"file://{file}")
    with kataribe.open(settings=settings) as k:
        live(k)
        # There is no such folder yet: what is to be written waits, and whoever asks is told.
        (problem,) = k.admin.audit.verify().problems
        assert "cannot be written" in problem
        file.parent.mkdir()
        assert sound(k.admin.audit.verify())
        k.recall(WORDS[0], user=USERS[0], persona="himuro")
    with opened(path) as k:
        erase(k, USERS[1])
    with kataribe.open(settings=settings) as k:
        assert sound(k.admin.audit.verify())
        events = [*k.admin.audit.list(f"user:{USERS[0]}", last=999), *k.admin.audit.list("store", last=999)]
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert [one for one in map(audit_event_json, events) if one not in lines] == []
    assert len({line["key"] for line in lines}) == len(lines)
    assert file.stat().st_mode & 0o077 == 0
    assert [piece for piece in (*USERS, SESSION, "Bumbershoot") if piece in file.read_text("utf-8")] == []


def test_another_sort_of_place_for_the_record_is_refused(path: Path) -> None:
    with pytest.raises(kataribe.InputError, match="file of JSON Lines or a bucket"):
        kataribe.open(settings=kataribe.Settings(path=str(path), audit_sink="ftp://somewhere/else"))
