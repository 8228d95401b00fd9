"""Writing what is derived: memories, segments and deltas, and how the work on them goes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import sqlalchemy as sa

from kataribe.adapters.sql import hot, leases
from kataribe.adapters.sql import rows as r
from kataribe.adapters.sql.schema import (
    extractions,
    memories,
    memory_deltas,
    memory_vectors,
    segments,
    traces,
    work,
)
from kataribe.adapters.sql.segments import pack
from kataribe.adapters.sql.talk import prune_traces
from kataribe.adapters.sql.transaction import SqlTransaction
from kataribe.domain.gate import story_space
from kataribe.domain.ids import delta_id, digest
from kataribe.domain.memory import Extraction, Memory
from kataribe.domain.records import Trace, Work
from kataribe.domain.work import Lease


class SqlRemembering(SqlTransaction):
    """The derived half of a writing transaction."""

    def set_wanted(self, story_id: str, wanted: Mapping[str, str], visible: Mapping[str, bool]) -> None:
        """Record what memory should be made from, and show or hide the memories of episodes."""
        run = self._driver.execute
        for episode_id, fingerprint in wanted.items():
            run(hot.SET_WANTED, (fingerprint, story_id, episode_id))
            # Whoever works on the old inputs works in vain; the new ones need not wait for that.
            run(leases.FREE, (story_id, episode_id))
        for episode_id, shown in visible.items():
            run(hot.SET_VISIBLE, (shown, story_id, episode_id))
            run(hot.SET_LIVE, (shown, story_id, episode_id))
            run(hot.SET_SEGMENTS_LIVE, (shown, story_id, episode_id))
            run(hot.SET_DELTAS, (None if shown else self._now(), story_id, episode_id))
        self._changed(story_space(story_id), visible)
        self._touch(story_id)

    def put_extraction(
        self, story_id: str, episode_id: str, fingerprint: str, extraction: Extraction, *, text: str
    ) -> None:
        """Keep an extraction beside those that models were asked for."""
        self._driver.execute(hot.DROP_FREE_EXTRACTIONS, (story_id, episode_id))
        row = {
            "story_id": story_id,
            "episode_id": episode_id,
            "fingerprint": fingerprint,
            "made_at": self._now(),
            **r.extraction_out(extraction, text),
        }
        hot.insert(self._driver, extractions, [row], replace=True)

    def replace_memories(
        self,
        story_id: str,
        episode_id: str,
        given: Sequence[Memory],
        *,
        terms: Mapping[str, Sequence[str]],
        vectors: Mapping[str, bytes],
        embedder_id: str,
    ) -> None:
        """Put these memories in the place of the episode's."""
        hot.clear(self._driver, memories, story_id, episode_id)
        hot.clear(self._driver, segments, story_id, episode_id)
        hot.insert(self._driver, memories, [r.memory_out(story_id, x) for x in given])
        keys = dict(hot.tuples(self._driver, hot.KEYS, (story_id, episode_id)))
        places: dict[str, tuple[int, int]] = {}
        for share in _shares(given):
            packed = pack(share, keys=keys, terms=[terms[x.text_hash] for x in share], vectors=vectors)
            owner = {"story_id": story_id, "episode_id": episode_id, "unit": episode_id}
            segment = hot.insert_one(self._driver, segments, {**owner, **packed})
            places.update({x.memory_id: (segment, slot) for slot, x in enumerate(share)})
        hot.insert(
            self._driver,
            memory_vectors,
            [
                {
                    "memory_key": keys[x.memory_id],
                    "story_id": story_id,
                    "vector_id": x.memory_id,
                    "delta_id": _delta_of(x),
                    "episode_id": episode_id,
                    "version": x.version,
                    "scope": r.scope_of(x.holder),
                    "character_id": x.holder,
                    "fact_index": x.fact_index,
                    "embedder_id": embedder_id,
                    "text_hash": x.text_hash,
                    "segment_key": places[x.memory_id][0],
                    "slot": places[x.memory_id][1],
                }
                for x in given
                if not x.in_review
            ],
        )
        self._replace_deltas(story_id, episode_id, given)
        self._changed(story_space(story_id), [episode_id])

    def _replace_deltas(self, story_id: str, episode_id: str, given: Sequence[Memory]) -> None:
        latest = max((x.version for x in given), default=0)
        self._driver.execute(hot.REPLACED_DELTAS, (story_id, episode_id, latest))
        self._driver.execute(hot.OLDER_DELTAS, (self._now(), story_id, episode_id))
        shares: dict[str, list[Memory]] = {}
        for x in given:
            if not x.in_review:
                shares.setdefault(_delta_of(x), []).append(x)
        hot.insert(
            self._driver,
            memory_deltas,
            [
                {
                    "story_id": story_id,
                    "delta_id": delta,
                    "episode_id": episode_id,
                    "version": share[0].version,
                    "scope": r.scope_of(share[0].holder),
                    "character_id": share[0].holder,
                    "facts": r.dump([[x.fact_id, x.text] for x in share]),
                    "hash": digest(share[0].holder, *(x.text_hash for x in share)),
                    "deleted_at": None,
                }
                for delta, share in shares.items()
            ],
        )

    def sweep(self) -> None:
        """Remove derived rows whose memory or episode is gone."""
        for statement in hot.SWEEP:
            self._driver.execute(statement)

    def put_work(self, story_id: str, episode_id: str, done: Work) -> None:
        """Record how the work on an episode ended."""
        row = {
            "story_id": story_id,
            "kind": "remember",
            "key": episode_id,
            "fingerprint": done.fingerprint,
            "outcome": done.outcome.value,
            "attempts": done.attempts,
            "error": done.error,
            "lease": done.lease,
            "worker": done.worker,
            "leased_until": done.leased_until,
            "due_at": done.due_at,
        }
        hot.insert(self._driver, work, [row], replace=True)

    def clear_failures(self, story_id: str, episode_id: str | None = None) -> int:
        """Forget failed attempts and dead letters."""
        named = (story_id, episode_id, episode_id)
        # A row that is leased stays, or who works on it would lose the lease.
        kept = self._driver.execute(leases.CLEAR, named).rowcount
        return kept + self._driver.execute(leases.FORGET, (*named, episode_id)).rowcount

    def claim(
        self, story_id: str, lease: Lease, *, now: float, limit: int, among: Collection[str] | None = None
    ) -> tuple[str, ...]:
        """Lease episodes that are due."""
        asked = (
            (story_id, now, now, limit) if among is None else (story_id, r.dump(sorted(among)), now, limit)
        )
        found = hot.ask(self._driver, leases.DUE if among is None else leases.THESE, asked)
        ids = tuple(row.episode_id for row in found)
        rows = [(story_id, episode_id, lease.token, lease.worker, lease.until) for episode_id in ids]
        self._driver.executemany(leases.CLAIM, rows)
        return ids

    def renew(self, token: str, *, now: float, until: float) -> int:
        """Make the leases of this token last longer."""
        return self._driver.execute(leases.RENEW, (until, token, now)).rowcount

    def release(self, token: str) -> None:
        """Let go of the leases of this token."""
        self._driver.execute(leases.RELEASE, (token,))

    def void(self, workers: Collection[str]) -> None:
        """Let go of every lease of these workers."""
        self._driver.executemany(leases.VOID, [(worker,) for worker in sorted(workers)])

    def put_traces(self, given: Sequence[Trace], *, keep: int | None = None) -> None:
        """Append traces; those of a story deleted meanwhile are dropped."""
        known = {story.story_id for story in self.stories()}
        self._run(sa.insert(traces), [r.trace_out(trace) for trace in given if trace.story in known])
        prune_traces(self._driver, "story_id", {trace.story for trace in given}, keep)


def _shares(memories: Iterable[Memory]) -> list[list[Memory]]:
    """Part memories by holder, each share in order of fact id; those in review have no holder."""
    shares: dict[str, list[Memory]] = {}
    for memory in memories:
        if not memory.in_review:
            shares.setdefault(memory.holder, []).append(memory)
    return [sorted(share, key=lambda m: m.fact_id) for _, share in sorted(shares.items())]


def _delta_of(memory: Memory) -> str:
    return delta_id(
        episode_id=memory.episode_id,
        version=memory.version,
        scope=r.scope_of(memory.holder),
        character_id=memory.holder,
    )
