"""Last step: memories, vectors and the word 'done' move in one transaction."""

from __future__ import annotations

from collections.abc import Mapping

from kataribe.domain.records import EpisodeState, Outcome, Work
from kataribe.domain.space import Unit, holder_of
from kataribe.domain.text.tokens import tokens
from kataribe.domain.work import WorkKind
from kataribe.errors import MissingExtraError
from kataribe.ports import Transaction, View
from kataribe.story.jobs import EpisodeJob
from kataribe.story.staleness import refresh_episodes, refresh_newcomers
from kataribe.work.path import vectors_for
from kataribe.work.task import Embedded


def commit(tx: Transaction, job: EpisodeJob, embedded: Embedded, *, reuse: bool = True) -> bool:
    """Put the job's memories in place; False when its inputs changed meanwhile or a vector is missing,
    or when the words of its texts cannot be found here.

    They are shown from the moment the transaction commits.
    """
    story_id, episode_id, unit = job.story.story_id, job.episode.episode_id, job.unit
    current = tx.episode_state(story_id, episode_id)
    if current is None or not current.is_live or not _is_in_place(tx, job, current):
        return False
    work = tx.work(unit.space, WorkKind.EXTRACT, unit.name)
    if not _is_noted(job, work):
        # Another version of kataribe may have noted something else for the same inputs: were it not
        # noted anew, the work would be refused and due for ever.
        refresh_episodes(tx, story_id, (current,))
        work = tx.work(unit.space, WorkKind.EXTRACT, unit.name)
        if not _is_noted(job, work):
            return False
    have = vectors_for(tx, job, embedded, reuse=reuse)
    terms = _terms(job, embedded)
    if have is None or terms is None:
        return False
    if job.holder is None:
        _take_back(tx, work, unit)
    _put_extraction(tx, job)
    tx.replace_memories(
        unit.space,
        unit.name,
        job.memories,
        terms=terms,
        vectors=have,
        embedder_id=job.embedder_id,
        shown=True,
    )
    tx.put_deltas(story_id, episode_id, job.memories, holder=job.holder)
    tx.put_work(
        unit.space, WorkKind.EXTRACT, unit.name, Work(fingerprint=job.fingerprint, outcome=Outcome.DONE)
    )
    return True


def _terms(job: EpisodeJob, embedded: Embedded) -> dict[str, tuple[str, ...]] | None:
    """Give the words of each memory: copies of a fact that was changed by hand say what each is to say.

    None when who embeds the story is not at hand, who may know more words.
    """
    if embedded.embedder_id != job.embedder_id:
        return None
    texts = {memory.text for memory in job.memories}
    try:
        words = {text: (*tokens(text, job.story.language), *embedded.words(text)) for text in texts}
    except MissingExtraError:
        return None
    return {memory.memory_id: words[memory.text] for memory in job.memories}


def _is_noted(job: EpisodeJob, work: Mapping[str, Work]) -> bool:
    """Whether the job is what is wanted, and who has a share made by itself is as it was."""
    held = work.get(job.unit.name)
    if held is None or held.wanted != job.fingerprint:
        return False
    shares = {holder_of(name) for name, one in work.items() if one.wanted} - {None}
    return job.holder is not None or shares == job.others


def _take_back(tx: Transaction, work: Mapping[str, Work], unit: Unit) -> None:
    """Forget shares of which nothing is wanted any more: the rest holds them from now on."""
    gone = [name for name, one in work.items() if name != unit.name and not one.wanted]
    if gone:
        tx.forget_units(unit.space, gone)
        for name in gone:
            due = Work(fingerprint="", outcome=Outcome.DUE)
            tx.put_work(unit.space, WorkKind.EXTRACT, name, due)


def keep(tx: Transaction, job: EpisodeJob) -> None:
    """Keep what was extracted although the job is not committed: it may have cost money.

    It is found again by its fingerprint alone, so it does no harm when the episode was changed
    since. What another worker extracted of the same goes before it: memory may be made of that.
    """
    story_id, episode_id = job.story.story_id, job.episode.episode_id
    if (
        job.extraction is not None
        and tx.episode_state(story_id, episode_id) is not None
        and tx.extraction(story_id, episode_id, job.prints.extraction) is None
    ):
        _put_extraction(tx, job)


def _put_extraction(tx: Transaction, job: EpisodeJob) -> None:
    if job.extraction is not None:
        story_id, episode_id = job.story.story_id, job.episode.episode_id
        tx.put_extraction(
            story_id,
            episode_id,
            job.prints.extraction,
            job.extraction,
            text=job.episode.text,
            beside=job.kept,
        )
        refresh_newcomers(tx, story_id, episode_id)


def _is_in_place(view: View, job: EpisodeJob, current: EpisodeState) -> bool:
    """Whether the episode, and the numbers its quotes name, are where they were when it was read.

    Fingerprints leave numbers out, so that renumbering costs nothing; a memory must not be
    put at a position that has become another's meanwhile. What else of facts changes stands in
    the fingerprint, so they are read again only where a quote names a number.
    """
    if current.order_key != job.inputs.order_key or current.no != job.episode.no:
        return False
    if all(fact.quote_no is None for fact in job.inputs.facts):
        return True
    facts = tuple(fact for _, fact in view.facts(job.story.story_id, job.episode.episode_id))
    return facts == job.inputs.facts
