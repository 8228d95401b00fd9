"""`kataribe.worker.handler`: a queue wakes the work, and nothing it sends twice, late or broken does harm."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import kataribe
from kataribe.domain.records import Outcome, Work
from kataribe.domain.work import WorkKind
from kataribe.face.sync.kataribe import Kataribe
from kataribe.worker import handler
from support.stores import empty_store, services


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Kataribe]:
    path = empty_store(tmp_path / "k.db")
    monkeypatch.setenv("KATARIBE_DB", str(path))
    with kataribe.open(str(path), services=services()) as made:
        made.story("s").create(language="en", embedder="hash")
        made.story("s").episodes.put(no=1, text="Ann sang.")
        made.story("語").create(language="ja", embedder="hash")
        made.story("語").episodes.put(no=1, text="雪が降った。")
        yield made


@dataclass
class Remaining:
    """A context with this much time left."""

    milliseconds: int

    def get_remaining_time_in_millis(self) -> int:
        return self.milliseconds


def batch(*bodies: str) -> dict[str, object]:
    return {"Records": [{"messageId": f"m{at}", "body": body} for at, body in enumerate(bodies)]}


def asked(story: str) -> str:
    return json.dumps({"story": story})


def pending(store: Kataribe) -> list[str | None]:
    return [item.story_id for item in store.admin.work()]


def test_an_empty_event_works_off_all_stories(store: Kataribe) -> None:
    answer = handler({})
    assert (answer["done"], answer["left"], answer["batchItemFailures"]) == (2, 0, [])
    assert pending(store) == []
    json.dumps(answer)


def test_an_event_names_a_story(store: Kataribe) -> None:
    assert handler({"story": "語"}, None)["done"] == 1
    assert pending(store) == ["s"]


def test_an_event_names_a_library(store: Kataribe) -> None:
    library = store.library("l")
    library.create(language="en", embedder="hash")
    library.put("a.txt", "Ann sang.")
    with store._of._engine._ledger.writing() as tx:
        tx.forget_units("kb:l")
        wanted = Work(fingerprint="", outcome=Outcome.DUE)
        tx.put_work("kb:l", WorkKind.PASSAGES, "a.txt", wanted)
    answer = handler({"library": "l"}, None)
    assert (answer["done"], answer["dead"]) == (1, [])
    assert [hit.text for hit in library.search("Ann").hits] == ["Ann sang."]
    assert pending(store) == ["s", "語"]


def test_a_batch_in_any_order_and_twice_does_each_once(store: Kataribe) -> None:
    messages = batch(asked("語"), asked("s"), asked("語"), asked("s"))
    assert handler(messages)["done"] == 2
    again = handler(messages)
    assert (again["done"], again["batchItemFailures"], again["poison"]) == (0, [], [])
    assert store.verify().ok


@pytest.mark.parametrize("body", ["{", "[]", "7", "null", '{"story": 7}', asked("nobody")])
def test_what_no_retry_can_mend_is_answered_and_not_sent_again(store: Kataribe, body: str) -> None:
    answer = handler(batch(body, asked("s")))
    poison = list(answer["poison"])  # type: ignore[call-overload]
    assert [one["messageId"] for one in poison] == ["m0"]
    assert poison[0]["reason"]
    assert answer["batchItemFailures"] == []
    assert answer["done"] == 1, "it holds no other message up"


def test_a_body_that_is_missing_is_poison(store: Kataribe) -> None:
    answer = handler({"Records": [{"messageId": "a"}, {"messageId": "b", "body": {}}]})
    assert [one["messageId"] for one in answer["poison"]] == ["a"]  # type: ignore[attr-defined]
    assert answer["done"] == 2


def test_when_time_is_over_the_rest_is_sent_again(store: Kataribe) -> None:
    answer = handler(batch(asked("s")), Remaining(900))
    assert (answer["done"], answer["left"]) == (0, 1)
    assert answer["batchItemFailures"] == [{"itemIdentifier": "m0"}]
    assert handler(batch(asked("s")), Remaining(60_000))["batchItemFailures"] == []
    assert pending(store) == ["語"]


def test_a_store_that_refuses_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"this is no store at all" * 100)
    monkeypatch.setenv("KATARIBE_DB", str(broken))
    answer = handler(batch(asked("s"), "{"))
    assert answer["batchItemFailures"] == [{"itemIdentifier": "m0"}]
    assert len(answer["errors"]) == 1  # type: ignore[arg-type]
    assert [one["messageId"] for one in answer["poison"]] == ["m1"]  # type: ignore[attr-defined]
    with pytest.raises(kataribe.ForeignStoreError):
        handler({})


@pytest.mark.parametrize("event", [None, [], "s", {"Records": {}}, {"Records": [{}]}, {"story": 1}])
def test_an_event_of_no_known_sort_is_refused(store: Kataribe, event: object) -> None:
    with pytest.raises(kataribe.InputError):
        handler(event)


def test_an_unknown_story_asked_for_alone_is_refused(store: Kataribe) -> None:
    with pytest.raises(kataribe.NotFoundError):
        handler({"story": "nobody"})
