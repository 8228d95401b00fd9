"""Backups in a bucket: written, tried, restored and kept there as in a folder."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import kataribe
from kataribe.domain.terms import Language
from kataribe.errors import ConflictError, InputError, MissingExtraError, StoreError
from kataribe.face.sync.kataribe import Kataribe
from support.bucket import SECRET, Bucket, served_bucket
from support.erasing import erase
from support.stores import empty_store, services

BUCKET = "the-copies"
USERS = {"nora": "I left the silver key by the mill.", "ノラ": "銀の鍵は水車小屋に置いてきた。"}
MONDAY = datetime(2026, 5, 4, 4, 30, tzinfo=UTC)


@pytest.fixture(scope="module")
def server() -> Iterator[Bucket]:
    with served_bucket(BUCKET) as made:
        yield made


@pytest.fixture
def bucket(server: Bucket) -> Iterator[Bucket]:
    server.make()
    yield server
    server.drop()


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a store in which two users said something."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    made = empty_store(tmp_path / "k.db")
    with opened(made) as store:
        for user, said in USERS.items():
            language: Language = "en" if said.isascii() else "ja"
            store.user(user).create(language=language, embedder="hash")
            store.user(user).said(said, speaker=user, persona="rin")
    return made


def opened(path: Path) -> Kataribe:
    return kataribe.open(str(path), services=services())


def said(path: Path) -> dict[str, list[str]]:
    with opened(path) as store:
        return {
            one.user_id: [turn.text for turn in store.user(one.user_id).turns()]
            for one in store.admin.users()
        }


def test_what_is_written_there_is_tried_and_restored_from_there(bucket: Bucket, path: Path) -> None:
    url = f"s3://{BUCKET}/copies/k.backup"
    with opened(path) as store:
        store.admin.backup(url)
        assert [one.path for one in store.admin.backups.list()] == [url]
    assert bucket.names() == ["copies/k.backup"]
    content = bucket.read("copies/k.backup")
    assert not [words for words in USERS.values() if words.encode() in content]
    tried = kataribe.check_backup(url)
    assert (tried.ok, tried.file, tried.users) == (True, url, 2)
    done = kataribe.restore(url, path.with_name("again.db"))
    assert (done.ok, done.file) == (True, url)
    assert said(path.with_name("again.db")) == {user: [words] for user, words in USERS.items()}
    assert SECRET not in repr((tried, done))


def test_who_was_erased_does_not_come_back_from_there(bucket: Bucket, path: Path) -> None:
    url = f"s3://{BUCKET}/k.backup"
    with opened(path) as store:
        store.admin.backup(url)
        assert erase(store, "ノラ").complete
    done = kataribe.restore(url, path.with_name("again.db"))
    assert (done.users, done.erased) == (1, 1)
    assert said(path.with_name("again.db")).keys() == {"nora"}


def test_what_is_there_is_not_written_over_and_what_is_not_cannot_be_read(bucket: Bucket, path: Path) -> None:
    bucket.put("k.backup", b"mine")
    url = f"s3://{BUCKET}/k.backup"
    with opened(path) as store, pytest.raises(ConflictError, match="exists already"):
        store.admin.backup(url)
    assert bucket.read("k.backup") == b"mine"
    with pytest.raises(StoreError, match="no backup of a kataribe store"):
        kataribe.check_backup(url)
    for ask in (kataribe.check_backup, lambda url: kataribe.restore(url, path.with_name("again.db"))):
        with pytest.raises(StoreError, match=rf"there is no s3://{BUCKET}/other; give another address"):
            ask(f"s3://{BUCKET}/other")
    assert not path.with_name("again.db").exists()
    with opened(path) as store:
        assert store.admin.backups.list() == ()


def test_a_place_that_does_not_take_it_is_told_and_nothing_is_listed(
    bucket: Bucket, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(path) as store:
        with pytest.raises(StoreError, match="NoSuchBucket"):
            store.admin.backup("s3://another-bucket/k.backup")
        monkeypatch.setenv("AWS_ENDPOINT_URL_S3", "http://127.0.0.1:9")
        with pytest.raises(StoreError, match="EndpointConnectionError"):
            store.admin.backup(f"s3://{BUCKET}/k.backup")
        assert store.admin.backups.list() == ()


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("s3://", "add the name|s3://BUCKET"),
        ("s3://bucket/", "add the name"),
        ("s3://id:key@bucket/x", "without keys"),
        ("s3://bucket/x?y/z", "without keys"),
        ("ftp://host/x", "a file or a bucket, not to 'ftp://host/x'"),
    ],
)
def test_an_address_that_names_no_backup_is_refused(path: Path, url: str, words: str) -> None:
    with opened(path) as store, pytest.raises(InputError, match=words):
        store.admin.backup(url)
    with pytest.raises(InputError, match=words):
        kataribe.check_backup(url)


def test_without_its_package_it_says_what_to_type(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    monkeypatch.setattr("kataribe.adapters.buckets.find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'kataribe\[s3\]'"), opened(path) as store:
        store.admin.backup(f"s3://{BUCKET}/k.backup")


def test_a_schedule_keeps_there_what_must_be_kept_and_takes_nothing_else_away(
    bucket: Bucket, path: Path
) -> None:
    bucket.put("daily/k-20200101T000000Z.backup", b"mine")
    chosen = kataribe.Settings(
        path=str(path),
        backups_folder=f"s3://{BUCKET}/daily/",
        backups_keep_daily=2,
        backups_keep_weekly=0,
    )
    first = kataribe.scheduled_backup(settings=chosen, upto=MONDAY)
    assert first is not None
    assert first.path == f"s3://{BUCKET}/daily/k-20260504T043000Z.backup"
    assert kataribe.scheduled_backup(settings=chosen, upto=MONDAY + timedelta(hours=20)) is None
    kataribe.scheduled_backup(settings=chosen, upto=MONDAY + timedelta(days=1))
    done = kataribe.scheduled_backup(settings=chosen, upto=MONDAY + timedelta(days=2))
    assert done is not None
    assert done.removed == (first.path,)
    wanted = ["daily/k-20260505T043000Z.backup", "daily/k-20260506T043000Z.backup"]
    assert bucket.names() == ["daily/k-20200101T000000Z.backup", *wanted]
    with opened(path) as store:
        assert [one.path for one in store.admin.backups.list()] == [f"s3://{BUCKET}/{one}" for one in wanted]
    assert kataribe.check_backup(done.path).ok
    assert not list(path.parent.glob(".*.writing"))


def test_a_schedule_whose_bucket_does_not_answer_keeps_what_is_listed(
    bucket: Bucket, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = kataribe.Settings(path=str(path), backups_folder=f"s3://{BUCKET}")
    first = kataribe.scheduled_backup(settings=chosen, upto=MONDAY)
    assert first is not None
    with monkeypatch.context() as away:
        away.setenv("AWS_ENDPOINT_URL_S3", "http://127.0.0.1:9")
        with pytest.raises(StoreError, match="EndpointConnectionError"):
            kataribe.scheduled_backup(settings=chosen, upto=MONDAY + timedelta(days=1))
    with opened(path) as store:
        assert [one.path for one in store.admin.backups.list()] == [first.path]
