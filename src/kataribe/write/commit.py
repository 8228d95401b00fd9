"""Last step: memories, vectors and the word 'done' move in one transaction."""

from __future__ import annotations

from kataribe.domain.records import EpisodeState, Outcome, Work
from kataribe.domain.tokens import tokens
from kataribe.domain.work import WorkPolicy
from kataribe.ports import Reading, Writing
from kataribe.write.values import Embedded, Job, texts_of


def missing_vectors(ledger: Reading, job: Job) -> dict[str, str]:
    """Give the texts of the job, by hash, that nobody has embedded yet."""
    texts = texts_of(job.memories)
    known = ledger.known_vectors(job.story.embedder_id, texts)
    return {hashed: text for hashed, text in texts.items() if hashed not in known}


def commit(ledger: Writing, job: Job, embedded: Embedded | None = None, *, reuse: bool = True) -> bool:
    """Put the job's memories in place; False when its inputs changed meanwhile or a vector is missing.

    They are shown from the moment the transaction commits. Vectors of another embedder than the
    story has by now are left aside.
    """
    story_id, episode_id = job.story.story_id, job.episode.episode_id
    current = ledger.episode_state(story_id, episode_id)
    if current is None or not current.is_live or current.wanted != job.prints.memory:
        return False
    if not _is_in_place(ledger, job, current):
        return False
    texts = texts_of(job.memories)
    known = ledger.known_vectors(job.story.embedder_id, texts) if reuse else {}
    is_ours = embedded is not None and embedded.embedder_id == job.story.embedder_id
    have = {**known, **(embedded.vectors if embedded is not None and is_ours else {})}
    if any(hashed not in have for hashed in texts):
        return False
    _put_extraction(ledger, job)
    ledger.replace_memories(
        story_id,
        episode_id,
        job.memories,
        terms={hashed: tokens(text, job.story.language) for hashed, text in texts.items()},
        vectors=have,
        embedder_id=job.story.embedder_id,
    )
    ledger.put_work(story_id, episode_id, Work(fingerprint=job.prints.memory, outcome=Outcome.DONE))
    ledger.set_wanted(story_id, {}, {episode_id: True})
    return True


def keep(ledger: Writing, job: Job) -> None:
    """Keep what was extracted although the job is not committed: it may have cost money.

    It is found again by its fingerprint alone, so it does no harm when the episode was changed
    since. What another worker extracted of the same goes before it: memory may be made of that.
    """
    story_id, episode_id = job.story.story_id, job.episode.episode_id
    if (
        job.extraction is not None
        and ledger.episode_state(story_id, episode_id) is not None
        and ledger.extraction(story_id, episode_id, job.prints.extraction) is None
    ):
        _put_extraction(ledger, job)


def _put_extraction(ledger: Writing, job: Job) -> None:
    if job.extraction is not None:
        story_id, episode_id = job.story.story_id, job.episode.episode_id
        ledger.put_extraction(
            story_id, episode_id, job.prints.extraction, job.extraction, text=job.episode.text
        )


def _is_in_place(ledger: Reading, job: Job, current: EpisodeState) -> bool:
    """Whether the episode, and the numbers its quotes name, are where they were when it was read.

    Fingerprints leave numbers out, so that renumbering costs nothing; a memory must not be
    put at a position that has become another's meanwhile.
    """
    facts = tuple(fact for _, fact in ledger.facts(job.story.story_id, job.episode.episode_id))
    return (
        current.order_key == job.inputs.order_key
        and current.no == job.episode.no
        and facts == job.inputs.facts
    )


def fail(ledger: Writing, job: Job, reason: str, policy: WorkPolicy, now: float) -> Work:
    """Record a failed attempt: it is tried again later, or becomes a dead letter (`due_at` None)."""
    attempts = job.attempts + 1
    outcome = policy.ended(attempts)
    work = Work(
        fingerprint=job.prints.memory,
        outcome=outcome,
        attempts=attempts,
        error=reason,
        due_at=policy.due_again(now, attempts) if outcome is Outcome.FAILED else None,
    )
    ledger.put_work(job.story.story_id, job.episode.episode_id, work)
    return work
