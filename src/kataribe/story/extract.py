"""Second step: the episode's text becomes facts with an audience."""

from __future__ import annotations

from kataribe.domain.memory import Draft, Reason
from kataribe.errors import ExtractionError
from kataribe.ports import Extractor, Source
from kataribe.story.jobs import EpisodeJob


async def extract(job: EpisodeJob, extractor: Extractor) -> EpisodeJob:
    """Extract the facts of the job's text, unless it is supplied or unchanged, and derive memories.

    Raises `ExtractionError` when a fact has no words, no span of the text or strangers for holders.
    """
    if job.source is None:
        return job.derived()
    found = await extractor.extract(job.source)
    known = {character.character_id for character in job.source.cast}
    for draft in found.drafts:
        wrong = _wrong_with(draft, job.source, known)
        if wrong is not None:
            raise ExtractionError(
                f"the extractor gave {draft.text[:40]!r}, {wrong}; report this to the extractor's maker",
                usage=found.usage,
            )
    return job.derived(found)


def _wrong_with(draft: Draft, source: Source, known: set[str]) -> str | None:
    if not 0 <= draft.start < draft.end <= len(source.text):
        return "which does not stand in the text"
    if not draft.text.strip():
        return "which has no words"
    strangers = (draft.audience.members | {held.holder for held in draft.holdings}) - known
    if strangers and draft.reason is not Reason.ANNOTATION:
        return f"known by {', '.join(sorted(strangers))}, who is not in the cast"
    if not all(0 <= held.confidence <= 1 for held in draft.holdings):
        return "with a confidence that is not from 0 to 1"
    return None
