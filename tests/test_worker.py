"""`kataribe.worker.handler`: a queue wakes the work, and nothing it sends twice, late or broken does harm."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

import kataribe
from kataribe.domain.records import Outcome, Work
from kataribe.domain.work import WorkKind
from kataribe.face.sync.kataribe import Kataribe
from kataribe.testing.fakes import FakeExtractor
from kataribe.worker import MOST_RECEIVES, handler, handler_with
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


@pytest.mark.parametrize(
    "body", ["{", "[]", "7", "null", '{"story": 7}', asked("nobody"), "[" * 100_000, '{"story": "\\ud800"}']
)
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


def record(message_id: str, body: str, *, received: int = 1, group: str | None = None) -> dict[str, Any]:
    """Write a message as SQS sends it, of a FIFO queue where it has a group."""
    attributes = {"ApproximateReceiveCount": str(received)}
    if group is not None:
        attributes["MessageGroupId"] = group
    return {"messageId": message_id, "body": body, "attributes": attributes, "eventSource": "aws:sqs"}


def test_a_message_that_fails_is_given_back_so_many_times_and_then_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"this is no store at all" * 100)
    monkeypatch.setenv("KATARIBE_DB", str(broken))
    for received in range(1, MOST_RECEIVES + 3):
        answer: Any = handler({"Records": [record("m", asked("s"), received=received)]})
        is_over = received >= MOST_RECEIVES
        assert [one["itemIdentifier"] for one in answer["batchItemFailures"]] == ([] if is_over else ["m"])
        assert [one["messageId"] for one in answer["poison"]] == (["m"] if is_over else [])
        assert len(answer["errors"]) == 1
    assert f"received {MOST_RECEIVES + 2} times" in answer["poison"][0]["reason"]


def test_a_message_whose_work_goes_on_is_given_back_however_often_it_came(store: Kataribe) -> None:
    last = {"Records": [record("m", asked("s"), received=MOST_RECEIVES)]}
    stuck: Any = handler(last, Remaining(900))
    assert (stuck["batchItemFailures"], len(stuck["poison"])) == ([], 1)
    assert pending(store) == ["s", "語"], "nothing is lost with it: the store knows what is due"
    assert handler({})["done"] == 2


def test_behind_a_message_that_is_given_back_a_fifo_queue_keeps_its_order(store: Kataribe) -> None:
    messages = [
        record("a", asked("語"), group="g"),
        record("b", asked("s"), group="h"),
        record("c", asked("s"), group="g"),
        record("d", "{", group="g"),
        record("e", asked("s")),
    ]
    answer: Any = handler({"Records": messages}, Remaining(900))
    assert [one["itemIdentifier"] for one in answer["batchItemFailures"]] == ["a", "b", "c", "d", "e"]
    answer = handler({"Records": messages})
    assert answer["batchItemFailures"] == []
    answer = handler({"Records": [record("d", "{", group="g"), *messages[:1]]})
    assert (answer["batchItemFailures"], len(answer["poison"])) == ([], 1), "poison holds no group up"


def test_one_story_that_breaks_in_an_unknown_way_keeps_no_other_waiting(
    store: Kataribe, tmp_path: Path
) -> None:
    class Broken(FakeExtractor):
        async def extract(self, source: Any) -> Any:
            if source.language == "en":
                raise ZeroDivisionError("out of the blue")
            return await super().extract(source)

    broken = Broken(extractor_id=services().extractor("rules").extractor_id)
    run = handler_with(services=replace(services(), extractor=lambda _: broken))
    answer: Any = run({"Records": [record("a", asked("s")), record("b", asked("語"))]})
    assert answer["batchItemFailures"] == [{"itemIdentifier": "a"}]
    assert (answer["done"], answer["errors"]) == (1, ["unexpected: ZeroDivisionError"])
    with pytest.raises(ZeroDivisionError):
        run({"story": "s"})


def test_dead_letters_are_told_each_time_and_listed(store: Kataribe) -> None:
    with store._of._engine._ledger.writing() as tx:
        (unit,) = tx.due("story:s", WorkKind.EXTRACT)
        wanted = tx.work("story:s", WorkKind.EXTRACT, unit)[unit].wanted
        dead = Work(fingerprint=wanted, outcome=Outcome.DEAD, attempts=3, error="no facts came")
        tx.put_work("story:s", WorkKind.EXTRACT, unit, dead)
    for _ in range(2):
        answer: Any = handler({"Records": [record("a", asked("s")), record("b", "{}")]})
        assert answer["dead"] == [{"story": "s", "episode": 1, "reason": "no facts came"}]
        assert answer["batchItemFailures"] == []
    assert [(item.story_id, item.state, item.error) for item in store.admin.work()] == [
        ("s", "dead", "no facts came")
    ]


class Shrinking:
    """A context of a function whose time passes each time that it is asked."""

    def __init__(self, milliseconds: int) -> None:
        self.milliseconds = milliseconds
        self.asked = 0

    def get_remaining_time_in_millis(self) -> int:
        self.asked += 1
        return self.milliseconds


def test_each_story_has_an_equal_share_of_the_time(store: Kataribe, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[float | None] = []
    real = Kataribe.sync

    def sync(self: Kataribe, **asked: Any) -> Any:
        given.append(asked["within"])
        return real(self, **asked)

    monkeypatch.setattr(Kataribe, "sync", sync)
    handler(batch(asked("s"), asked("語"), "{}"), Shrinking(40_000))
    assert given == [10.0, 15.0, 30.0]


# -- requests ----------------------------------------------------------------------------------


def request(
    version: int, body: str | None, *, secret: str | None = None, method: str = "POST"
) -> dict[str, Any]:
    """Write a request as API Gateway hands it on: version 1, or 2 as function URLs do too."""
    headers = {} if secret is None else {"Authorization": f"Bearer {secret}"}
    if version == 1:
        return {
            "httpMethod": method,
            "path": "/",
            "requestContext": {},
            "headers": headers or None,
            "body": body,
        }
    return {
        "version": "2.0",
        "requestContext": {"http": {"method": method, "path": "/"}},
        "headers": {name.lower(): value for name, value in headers.items()},
        **(
            {}
            if body is None
            else {"body": base64.b64encode(body.encode()).decode(), "isBase64Encoded": True}
        ),
    }


@pytest.mark.parametrize("version", [1, 2])
def test_a_request_is_answered_to_the_owner_alone(store: Kataribe, version: int) -> None:
    for secret in (None, "", "ktr_none", "語"):
        refused: Any = handler(request(version, asked("s"), secret=secret))
        assert refused["statusCode"] == 401
        assert refused["headers"]["www-authenticate"]
    viewer = store.admin.access.add("viewer", story="s", persona="ann", upto=1).secret
    assert handler(request(version, asked("s"), secret=viewer))["statusCode"] == 403
    assert pending(store) == ["s", "語"]
    secret = store.admin.access.add("admin").secret
    done: Any = handler(request(version, asked("語"), secret=secret), Remaining(60_000))
    assert (done["statusCode"], done["headers"]["content-type"]) == (200, "application/json")
    assert json.loads(done["body"]) == {
        "done": 1, "left": 0, "dead": [], "poison": [], "errors": [], "batchItemFailures": []
    }  # fmt: skip
    assert json.loads(handler(request(version, None, secret=secret))["body"])["done"] == 1  # type: ignore[arg-type]


@pytest.mark.parametrize("version", [1, 2])
def test_what_is_wrong_with_a_request_is_a_problem(store: Kataribe, version: int) -> None:
    secret = store.admin.access.add("admin").secret
    for body, status in (("{", 400), ('{"story": 7}', 400), (asked("無い"), 404), ("[" * 100_000, 400)):
        refused: Any = handler(request(version, body, secret=secret))
        assert refused["statusCode"] == status
        assert refused["headers"]["content-type"] == "application/problem+json"
        assert json.loads(refused["body"])["status"] == status
    assert handler(request(version, "{}", secret=secret, method="GET"))["statusCode"] == 405
    broken = {**request(2, "{}", secret=secret), "body": "!", "isBase64Encoded": True}
    assert handler(broken)["statusCode"] == 400


def test_a_request_whose_store_is_refused_is_a_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"this is no store at all" * 100)
    monkeypatch.setenv("KATARIBE_DB", str(broken))
    refused: Any = handler(request(2, "{}", secret="ktr_x"))
    assert (refused["statusCode"], refused["headers"]["retry-after"]) == (503, "1")
