"""A queue that sends in any order, doubles and poison: memory is what a fresh store makes of it (P3)."""

from __future__ import annotations

import json
import random
import tempfile
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
from hypothesis import given, settings

import kataribe
from kataribe.domain.memory import Draft, Reason
from kataribe.domain.terms import PUBLIC, Language
from kataribe.domain.work import WorkPolicy
from kataribe.engine import Services
from kataribe.face.sync.kataribe import Kataribe
from kataribe.settings import Settings
from kataribe.testing.fakes import FakeExtractor
from kataribe.worker import MOST_RECEIVES, handler_with
from support.effort import EFFORT
from support.stores import empty_store, services

STORIES: dict[str, Language] = {"s": "en", "語": "ja", "毒": "ja"}
TEXTS: dict[Language, tuple[str, ...]] = {
    "en": ("Ann sang.", "Bo left the harbour.", "The lamp went out."),
    "ja": ("雪が降った。", "澪は鍵を隠した。", "灯りが消えた。"),
}
POISON = "毒。"
"""The text of an episode that no extractor can read."""
BODIES = (
    *(json.dumps({"story": story}) for story in STORIES),
    *("{}", "{", "[]", '{"story": "無い"}', '{"user": 7}', "[" * 5000, ""),
)


@dataclass(frozen=True, slots=True)
class Remaining:
    """A context with this much time left: too little for anything, or enough."""

    milliseconds: int

    def get_remaining_time_in_millis(self) -> int:
        return self.milliseconds


@dataclass(slots=True)
class Queue:
    """At least once, in no order; a message that is given back comes again, counted."""

    waiting: list[tuple[str, str]] = field(default_factory=list)
    received: Counter[str] = field(default_factory=Counter)

    def batch(self, rng: random.Random, size: int) -> dict[str, Any]:
        """Take some, one of them perhaps twice."""
        rng.shuffle(self.waiting)
        taken, self.waiting = self.waiting[:size], self.waiting[size:]
        self.received.update(message_id for message_id, _ in taken)
        if taken and rng.random() < 0.3:
            taken.append(rng.choice(taken))
        return {
            "Records": [
                {
                    "messageId": message_id,
                    "body": body,
                    "attributes": {"ApproximateReceiveCount": str(self.received[message_id])},
                }
                for message_id, body in taken
            ]
        }

    def settle(self, batch: dict[str, Any], answer: dict[str, Any]) -> None:
        """Take back what failed; of the rest some comes once more, as a queue may send it."""
        failed = {one["itemIdentifier"] for one in answer["batchItemFailures"]}
        bodies = {record["messageId"]: record["body"] for record in batch["Records"]}
        assert failed <= bodies.keys()
        self.waiting += [(message_id, bodies[message_id]) for message_id in sorted(failed)]


def parts(extractor: FakeExtractor) -> Services:
    policy = WorkPolicy(backoff_seconds=0, max_attempts=3)
    return replace(services(), extractor=lambda _: extractor, policy=policy)


def reads() -> FakeExtractor:
    drafts = {
        text: [Draft(text=text, start=0, end=len(text), audience=PUBLIC, reason=Reason.NO_CAST)]
        for of in TEXTS.values()
        for text in of
    }
    return FakeExtractor(drafts, failing={POISON}, extractor_id=services().extractor("rules").extractor_id)


def made(path: Path, episodes: dict[tuple[str, int], str], extractor: FakeExtractor) -> Kataribe:
    store = kataribe.open(str(path), services=parts(extractor))
    for story, language in STORIES.items():
        store.story(story).create(language=language, embedder="hash")
    for (story, no), text in episodes.items():
        store.story(story).episodes.put(no, text)
    return store


def memory(store: Kataribe) -> dict[str, list[tuple[int, str]]]:
    return {
        story: [
            (hit.episode_no, hit.text)
            for hit in store.known(story=story, persona="ann", at=99).hits
            if isinstance(hit, kataribe.FactHit)
        ]
        for story in STORIES
    }


@settings(max_examples=8 * EFFORT, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    bodies=st.lists(st.sampled_from(BODIES), min_size=1, max_size=10),
    edits=st.lists(st.tuples(st.sampled_from(list(STORIES)), st.integers(1, 3)), max_size=4),
)
def test_whatever_a_queue_sends_memory_is_that_of_a_fresh_store(
    seed: int, bodies: list[str], edits: list[tuple[str, int]]
) -> None:
    rng, left = random.Random(seed), list(edits)
    episodes = {
        (story, no): POISON if story == "毒" and no == 2 else rng.choice(TEXTS[language])
        for story, language in STORIES.items()
        for no in (1, 2, 3)
    }
    queue = Queue([(f"m{at}", body) for at, body in enumerate(bodies)])
    with tempfile.TemporaryDirectory(prefix="kataribe-queue-") as folder:
        path = empty_store(Path(folder) / "k.db")
        extractor = reads()
        versions: Counter[str] = Counter(episodes.values())
        run = handler_with(settings=Settings(path=str(path)), services=parts(extractor))
        with made(path, episodes, extractor) as store:
            for _ in range(200):
                if not queue.waiting:
                    break
                batch = queue.batch(rng, rng.randint(1, 4))
                context = rng.choice([None, Remaining(900), Remaining(60_000)])
                queue.settle(batch, run(batch, context))
                if left:
                    story, no = left.pop()
                    episodes[story, no] = rng.choice(TEXTS[STORIES[story]])
                    if store.story(story).episodes.put(no, episodes[story, no]).change != "unchanged":
                        versions[episodes[story, no]] += 1
            assert not queue.waiting, "each message was done, or given up"
            assert max(queue.received.values()) <= MOST_RECEIVES
            last: Any = run({"Records": [{"messageId": "last", "body": "{}"}]})
            assert last["batchItemFailures"] == []
            dead = [(item.story_id, item.episode_no) for item in store.admin.work()]
            assert [(one["story"], one["episode"]) for one in last["dead"]] == dead
            assert dead == [place for place in sorted(episodes) if episodes[place] == POISON]
            asked = Counter(extractor.asked)
            assert all(asked[text] <= versions[text] for text in asked if text != POISON), "each once"
            assert asked[POISON] <= 3
            fresh = empty_store(Path(folder) / "fresh.db")
            with made(fresh, episodes, reads()) as anew:
                anew.sync()
                assert memory(store) == memory(anew)
                assert all(memory(store).values())
            assert store.verify().ok
