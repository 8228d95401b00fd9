"""The audit record in a bucket: every event is there once, whatever fails meanwhile, and no write waits."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import kataribe
from kataribe.adapters.audit_s3 import AT_ONCE, BucketSink
from kataribe.domain.audit import Act, AuditEvent, Head, follow
from kataribe.errors import InputError, MissingExtraError, StoreError
from kataribe.face.sync.kataribe import Kataribe
from kataribe.formats.wire.audit import audit_event_json
from support.bucket import SECRET, Bucket, served_bucket
from support.stores import empty_store, services

BUCKET = "the-record"
USER, SESSION, WORDS = "nora-ノラ", "widdershins", "Bumbershoot 虹色傘."


@pytest.fixture(scope="module")
def server() -> Iterator[Bucket]:
    with served_bucket(BUCKET) as made:
        yield made


@pytest.fixture
def bucket(server: Bucket) -> Iterator[Bucket]:
    server.make()
    yield server
    server.drop()


def objects(bucket: Bucket) -> dict[str, dict[str, Any]]:
    return {name: json.loads(bucket.read(name)) for name in bucket.names()}


def opened(path: Path, sink: str | None) -> Kataribe:
    return kataribe.open(settings=kataribe.Settings(path=str(path), audit_sink=sink), services=services())


def live(store: Kataribe) -> None:
    user = store.user(USER)
    user.create(language="en", embedder="hash")
    user.said(WORDS, speaker="Nora", persona="rin", session=SESSION)
    store.recall(WORDS, user=USER, persona="rin")


def events(count: int) -> list[AuditEvent]:
    now = datetime(2026, 1, 1, tzinfo=UTC).isoformat()
    return list(follow("user:~p", Head(), [Act(at=now, act="user.said") for _ in range(count)]))


def test_every_event_is_an_object_named_by_its_key_and_told_whole(tmp_path: Path, bucket: Bucket) -> None:
    with opened(empty_store(tmp_path / "k.db"), f"s3://{BUCKET}/logs/audit/") as store:
        live(store)
        assert store.admin.audit.verify().ok
        kept = [*store.admin.audit.list(f"user:{USER}", last=999), *store.admin.audit.list("store", last=999)]
        found = objects(bucket)
    wanted = {f"logs/audit/{one.key}.json": dict(audit_event_json(one)) for one in kept}
    assert wanted
    assert {name: found.get(name) for name in wanted} == wanted
    told = json.dumps(found, ensure_ascii=False) + json.dumps(found)
    assert [
        piece for piece in (USER, "ノラ", SESSION, "Bumbershoot", "虹色傘", SECRET) if piece in told
    ] == []
    # Numbers without a gap: whoever has the bucket alone sees that nothing is left out.
    for chain in {one["chain"] for one in found.values()}:
        numbers = sorted(one["n"] for one in found.values() if one["chain"] == chain)
        assert numbers == list(range(1, len(numbers) + 1))


def test_what_the_bucket_does_not_take_waits_and_comes_later(tmp_path: Path, bucket: Bucket) -> None:
    path = empty_store(tmp_path / "k.db")
    bucket.drop()
    try:
        with opened(path, f"s3://{BUCKET}") as store:
            live(store)
            (problem,) = store.admin.audit.verify().problems
            assert "s3://the-record/ cannot be written: NoSuchBucket" in problem
            assert "the events wait" in problem
            assert SECRET not in problem
    finally:
        bucket.make()
    assert objects(bucket) == {}
    with opened(path, f"s3://{BUCKET}") as store:
        assert store.admin.audit.verify().ok
        kept = store.admin.audit.list(f"user:{USER}", last=999)
        assert {f"{one.key}.json" for one in kept} <= objects(bucket).keys()


def test_a_server_that_cannot_be_reached_keeps_no_write_waiting(
    tmp_path: Path, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", "http://127.0.0.1:9")
    with opened(empty_store(tmp_path / "k.db"), f"s3://{BUCKET}") as store:
        live(store)
        assert [turn.text for turn in store.user(USER).turns()] == [WORDS]
        (problem,) = store.admin.audit.verify().problems
        assert "EndpointConnectionError" in problem


def test_put_twice_is_put_once(bucket: Bucket) -> None:
    sink, given = BucketSink(BUCKET, "p"), events(3 * AT_ONCE)
    sink.put(given)
    before = objects(bucket)
    sink.put(given)
    assert len(before) == len(given)
    assert objects(bucket) == before
    assert sink.name == "s3://the-record/p/"


def test_a_failure_in_the_middle_is_told_and_the_rest_is_put_the_next_time(
    bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    sink, given = BucketSink(BUCKET), events(3 * AT_ONCE)
    whole = BucketSink._put

    def fails_at_the_tenth(self: BucketSink, client: Any, event: AuditEvent) -> None:
        if event.n == 10:
            raise import_module("botocore.exceptions").ReadTimeoutError(endpoint_url="http://x")
        whole(self, client, event)

    monkeypatch.setattr(BucketSink, "_put", fails_at_the_tenth)
    with pytest.raises(StoreError, match="ReadTimeoutError"):
        sink.put(given)
    monkeypatch.undo()
    sink.put(given)
    assert sorted(one["n"] for one in objects(bucket).values()) == [one.n for one in given]


@pytest.mark.parametrize("place", ["", "/x", "id:key@bucket", "bucket/x?endpoint=http://y"])
def test_a_bucket_is_named_without_keys_and_options(place: str) -> None:
    with pytest.raises(InputError, match="s3://BUCKET/PREFIX"):
        BucketSink.named(place)


def test_without_its_package_it_says_what_to_type(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("kataribe.adapters.buckets.find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'kataribe\[s3\]'"):
        opened(empty_store(tmp_path / "k.db"), f"s3://{BUCKET}")


def test_an_address_that_is_none_is_told(bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", "nowhere at all")
    with pytest.raises(StoreError, match="the events wait"):
        BucketSink(BUCKET).put(events(1))
