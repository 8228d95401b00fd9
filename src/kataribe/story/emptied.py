"""Empty never replaces non-empty by itself: what a model forgets, a person has to accept."""

from __future__ import annotations

from dataclasses import replace

from kataribe.domain.memory import Extraction, Refusal, Usage
from kataribe.domain.records import Outcome
from kataribe.domain.space import story_space
from kataribe.domain.terms import FactOrigin
from kataribe.domain.work import WorkKind
from kataribe.errors import ConflictError, ExtractionError
from kataribe.ports import Transaction, View
from kataribe.story.desk.episodes import live_state
from kataribe.story.gather import gather
from kataribe.story.jobs import EpisodeJob

EMPTIED = "nothing was found where facts had been found before"
"""How the reason begins; what was refused for it is told by that."""
PARAGRAPH = 200
"""A changed text that is shorter, in characters, may well hold no fact any more."""


def spare(view: View, job: EpisodeJob) -> EpisodeJob:
    """Give the job as it may be committed, when its extraction came back empty.

    What was found before in a text of the same fingerprint stays. Where there is none, of a
    text that is the same or still a paragraph long, the episode waits as after any failure: then
    `ExtractionError` is raised.
    """
    found = job.extraction
    if found is None or found.drafts or not job.story.asks_model:
        return job
    story_id, episode = job.story.story_id, job.episode
    kept = view.extraction(story_id, episode.episode_id, job.prints.extraction)
    if kept is not None and kept.drafts:
        others = [one for one in kept.refused if not _is_mark(one)]
        mark = Refusal(text="", quote="", reason=f"{EMPTIED}; what was found before stays. {_how(job)}")
        return job.derived(replace(kept, refused=(*others, mark), usage=found.usage))
    before = [
        memory
        for memory in view.memories(job.unit.space, unit=episode.episode_id)
        if memory.origin is FactOrigin.EXTRACTED
    ]
    same_text = any(memory.version == episode.version for memory in before)
    if not before or not (same_text or len(episode.text.strip()) >= PARAGRAPH):
        return job
    raise ExtractionError(f"{EMPTIED} ({len(before)} of them). {_how(job)}", usage=found.usage)


def _how(job: EpisodeJob) -> str:
    return (
        f"If there is nothing to remember, accept it with "
        f"`kataribe work accept --story {job.story.story_id} --at {job.episode.no}`"
    )


def _is_mark(refusal: Refusal) -> bool:
    return not refusal.text and refusal.reason.startswith(EMPTIED)


def was_spared(extraction: Extraction | None) -> str | None:
    """Give the reason why a kept extraction was not replaced by an empty one; None when it was not tried."""
    marks = [one.reason for one in extraction.refused if _is_mark(one)] if extraction is not None else []
    return marks[0] if marks else None


def accept_empty(tx: Transaction, story_id: str, episode_no: int) -> str:
    """Take the empty answer that was refused as what the text holds; returns the episode's id.

    Raises `ConflictError` when none was refused.
    """
    state = live_state(tx, story_id, episode_no)
    # A text that a model reads is read once, for all who hold anything of it.
    job = gather(tx, story_id, (state.episode_id,))[0]
    kept = tx.extraction(story_id, state.episode_id, job.prints.extraction)
    space = story_space(story_id)
    work = tx.work(space, WorkKind.EXTRACT, state.episode_id).get(state.episode_id)
    is_waiting = (
        work is not None
        and work.fingerprint == state.wanted
        and work.outcome in (Outcome.FAILED, Outcome.DEAD, Outcome.DROPPED)
        and (work.error or "").startswith(EMPTIED)
    )
    if was_spared(kept) is None and not is_waiting:
        raise ConflictError(
            f"no empty answer was refused for episode {episode_no} of {story_id!r}: there is nothing to "
            f"accept; `kataribe work list` shows what waits"
        )
    # A model was asked for it, and what it cost was counted then: it is kept like any answer paid for.
    asked = kept.usage if kept is not None else Usage(calls=1)
    tx.put_extraction(
        story_id,
        state.episode_id,
        job.prints.extraction,
        Extraction(usage=asked),
        text=job.episode.text,
    )
    tx.clear_failures(space, WorkKind.EXTRACT, state.episode_id)
    return state.episode_id
