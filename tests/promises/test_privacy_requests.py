"""A token permits one act on one user, once, for fifteen minutes; nothing else does."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Barrier

import pytest

import kataribe
from kataribe.adapters.sql import SqlLedger
from kataribe.conversation.confirming import keep_request, spend_request
from kataribe.domain.gate import position_of
from kataribe.domain.privacy.requests import VALID_SECONDS, PrivacyAction, PrivacyRequest
from kataribe.errors import InputError, KataribeError, NotFoundError, NotPermittedError
from kataribe.face.sync.kataribe import Kataribe
from kataribe.testing.fakes import FrozenClock
from support.stores import empty_store, services

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
AT = position_of(NOON)
LAST = AT + VALID_SECONDS * 1000 - 1
USERS = ("ゆき", "jonathan")
EXPORT, DELETE = PrivacyAction.EXPORT, PrivacyAction.DELETE


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "db").mkdir()
    return empty_store(tmp_path / "db" / "k.db")


@pytest.fixture
def k(path: Path) -> Iterator[Kataribe]:
    with kataribe.open(str(path), services=replace(services(), clock=FrozenClock(NOON))) as made:
        for user in USERS:
            made.user(user).create(language="ja", embedder="hash")
        yield made


@pytest.fixture
def ledger(k: Kataribe, path: Path) -> Iterator[SqlLedger]:
    with closing(SqlLedger(str(path), FrozenClock(NOON))) as opened:
        yield opened


def permits(ledger: SqlLedger, user: str, action: PrivacyAction, token: str | None, *, now: int = AT) -> bool:
    """Whether a token is good; spends it."""
    try:
        with ledger.writing() as tx:
            spend_request(tx, user, action, token, now)
    except NotPermittedError:
        return False
    return True


@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("action", PrivacyAction)
def test_a_token_is_good_for_its_user_and_act_and_once(
    k: Kataribe, ledger: SqlLedger, user: str, action: PrivacyAction
) -> None:
    token = k.user(user).privacy.request(action)
    (other,) = {*PrivacyAction} - {action}
    (somebody,) = {*USERS} - {user}
    assert not permits(ledger, user, other, token)
    assert not permits(ledger, somebody, action, token)
    assert permits(ledger, user, action, token)
    assert not permits(ledger, user, action, token)


def test_a_token_ends_after_fifteen_minutes_of_the_clock(k: Kataribe, ledger: SqlLedger) -> None:
    assert VALID_SECONDS == 900
    late, soon = (k.user(USERS[0]).privacy.request("delete") for _ in range(2))
    assert not permits(ledger, USERS[0], DELETE, late, now=LAST + 1)
    assert permits(ledger, USERS[0], DELETE, soon, now=LAST)


@pytest.mark.parametrize("guess", [None, "", "0" * 48, "語" * 9, "\ud800", "' OR 1=1 --"])
def test_what_is_guessed_permits_nothing(k: Kataribe, ledger: SqlLedger, guess: str | None) -> None:
    token = k.user(USERS[0]).privacy.request("delete")
    assert not permits(ledger, USERS[0], DELETE, guess)
    assert not permits(ledger, USERS[0], DELETE, token[:-1])
    assert not permits(ledger, USERS[0], DELETE, token.upper() + " ")
    assert permits(ledger, USERS[0], DELETE, token)


def test_the_refusal_is_of_both_kinds_and_names_how_to_ask(k: Kataribe, ledger: SqlLedger) -> None:
    k.user(USERS[0]).privacy.request("export")
    told = f"privacy request --user {USERS[0]} --action export"
    with pytest.raises(PermissionError, match=told) as found, ledger.writing() as tx:
        spend_request(tx, USERS[0], EXPORT, "wrong", AT)
    assert isinstance(found.value, KataribeError)


def test_several_tokens_stand_beside_each_other(k: Kataribe, ledger: SqlLedger) -> None:
    tokens = [k.user(USERS[0]).privacy.request("export") for _ in range(3)]
    assert len(set(tokens)) == 3
    assert [permits(ledger, USERS[0], EXPORT, token) for token in reversed(tokens)] == [True] * 3


def test_a_token_is_spent_with_what_it_permits_or_not_at_all(k: Kataribe, ledger: SqlLedger) -> None:
    token = k.user(USERS[0]).privacy.request("delete")
    with pytest.raises(ZeroDivisionError), ledger.writing() as tx:  # noqa: PT012
        spend_request(tx, USERS[0], DELETE, token, AT)
        raise ZeroDivisionError
    assert permits(ledger, USERS[0], DELETE, token)


def test_of_fifty_that_come_at_once_one_wins(k: Kataribe, ledger: SqlLedger) -> None:
    token, start = k.user(USERS[0]).privacy.request("delete"), Barrier(50)

    def race() -> bool:
        start.wait()
        return permits(ledger, USERS[0], DELETE, token)

    with ThreadPoolExecutor(50) as pool:
        found = [one.result() for one in [pool.submit(race) for _ in range(50)]]
    assert found.count(True) == 1


def test_the_store_keeps_no_token_and_no_backup_has_its_hash(k: Kataribe, path: Path) -> None:
    token = k.user(USERS[0]).privacy.request("delete")
    k.admin.backup(path.with_name("copy.db"))
    assert token.encode() not in path.read_bytes() + path.with_name("k.db-wal").read_bytes()
    with closing(sqlite3.connect(path)) as ours, closing(sqlite3.connect(path.with_name("copy.db"))) as copy:
        sql = "SELECT count(*) FROM privacy_requests"
        assert (ours.execute(sql).fetchone(), copy.execute(sql).fetchone()) == ((1,), (0,))


def test_asking_is_noted_and_only_for_who_is_there(k: Kataribe) -> None:
    with pytest.raises(NotFoundError):
        k.user("nobody").privacy.request("delete")
    with pytest.raises(InputError, match="export or delete"):
        k.user(USERS[0]).privacy.request("look")
    k.user(USERS[0]).privacy.request("export")
    told = [(event.act, event.reason) for event in k.admin.audit.list(f"user:{USERS[0]}")]
    assert {*told[:2]} == {("privacy.request", "InputError"), ("privacy.request", None)}


def test_what_is_over_does_not_heap_up(k: Kataribe, ledger: SqlLedger) -> None:
    k.user(USERS[0]).privacy.request("export")
    later = LAST + 1
    fresh = PrivacyRequest.of(USERS[0], EXPORT, "t", salt="00", at=later)
    with ledger.writing() as tx:
        keep_request(tx, USERS[0], fresh, now=later)
        assert tx.privacy_requests(f"user:{USERS[0]}") == (fresh,)
