"""Second step: the episode's text becomes facts with an audience."""

from __future__ import annotations

from kataribe.errors import ExtractionError
from kataribe.ports import Extractor
from kataribe.write.values import Job


async def extract(job: Job, extractor: Extractor) -> Job:
    """Extract the facts of the job's text, unless it is supplied or unchanged, and derive memories.

    Raises `ExtractionError` when a fact is not a span of the text.
    """
    if job.source is None:
        return job.derived()
    drafts = await extractor.extract(job.source)
    for draft in drafts:
        if job.source.text[draft.start : draft.end] != draft.text:
            raise ExtractionError(
                f"the extractor gave {draft.text[:40]!r}, which does not stand in the text; "
                f"report this to the extractor's maker"
            )
    return job.derived(drafts)
