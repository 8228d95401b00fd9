"""After any change of inputs: what is stale now, and therefore invisible from this instant."""

from __future__ import annotations

from collections.abc import Sequence

from kataribe.domain.audience import marked_ids, marks
from kataribe.domain.derive import (
    cast_by,
    cast_hash,
    extraction_fingerprint,
    memory_fingerprint,
    notes_hash,
    rows_hash,
)
from kataribe.domain.records import EpisodeState, Outcome
from kataribe.domain.story import Character, FactOrigin, FactSource, Story
from kataribe.errors import NotFoundError
from kataribe.ports import Reading, Writing
from kataribe.read.lineage import Parts, descendants, full_cast, lineage, seen_first_annotated
from kataribe.write.values import Fingerprints


def story_of(ledger: Reading, story_id: str) -> Story:
    """Give the story, or raise `NotFoundError`."""
    story = ledger.story(story_id)
    if story is None:
        raise NotFoundError(f"there is no story {story_id!r}; `kataribe story list` shows them")
    return story


def parts_of(ledger: Reading, story_id: str) -> Parts:
    """Give the parts a story is told in; raise `NotFoundError` when there is no such story."""
    return lineage(ledger, story_of(ledger, story_id))


def fingerprints(ledger: Reading, story: Story, states: Sequence[EpisodeState]) -> dict[str, Fingerprints]:
    """Give the fingerprints of those of these episodes that are live, by id."""
    parts = lineage(ledger, story)
    cast = full_cast(ledger, parts)
    first_note = seen_first_annotated(ledger, parts)
    found: dict[str, Fingerprints] = {}
    hashes: dict[tuple[tuple[str, int, int], ...], str] = {}
    for state in states:
        if not state.is_live:
            continue
        by_then = cast_by(cast, state.no, told=story.asks_model)
        is_open = not by_then and (first_note is None or state.no < first_note)
        # The cast only grows with the number, so this tells its stages apart.
        key = tuple((one.character_id, len(one.aliases), len(one.descriptions)) for one in by_then)
        if key not in hashes:
            hashes[key] = cast_hash(by_then)
        found[state.episode_id] = _fingerprints(story, state, by_then, hashes[key], is_open)
    return found


def _fingerprints(
    story: Story, state: EpisodeState, cast: tuple[Character, ...], hashed: str, is_open: bool
) -> Fingerprints:
    extraction = extraction_fingerprint(
        text=state.text_hash,
        notes=state.notes_hash,
        cast=hashed,
        language=story.language,
        extractor_id=story.extractor_id,
        is_open=is_open,
    )
    memory = memory_fingerprint(
        source=state.fact_source,
        text=state.text_hash,
        rows=state.rows_hash,
        extraction=extraction,
        embedder_id=story.embedder_id,
        version=state.version,
    )
    return Fingerprints(extraction=extraction, memory=memory, cast=cast, is_open=is_open)


def note_inputs(ledger: Writing, story_id: str, episode_id: str) -> bool:
    """Record the hashes of an episode's annotations, facts and decisions, and whom they name.

    True when other episodes may be concerned: who is named, or whether anything is annotated,
    has changed.
    """
    episode, before = ledger.episode(story_id, episode_id), ledger.episode_state(story_id, episode_id)
    if episode is None or before is None:
        raise NotFoundError(f"story {story_id!r} has no episode {episode_id!r}")
    annotations = ledger.annotations(story_id, episode_id)
    facts = [fact for _, fact in ledger.facts(story_id, episode_id)]
    named = set(marked_ids(episode.text))
    for row in annotations.rows:
        named |= row.audience.members
    for fact in facts:
        if fact.origin is FactOrigin.HAND or episode.fact_source is FactSource.SUPPLIED:
            named |= fact.audience.members
    annotated = bool(annotations.rows or marks(episode.text))
    concerns_others = annotated != before.annotated or named != ledger.named_by(story_id, episode_id)
    if concerns_others:
        ledger.put_mentions(story_id, episode_id, named)
    ledger.set_inputs(
        story_id,
        episode_id,
        notes_hash=notes_hash(annotations, episode.paragraph_ids),
        rows_hash=rows_hash(
            facts, ledger.suppressions(story_id, episode_id), ledger.pins(story_id, episode_id)
        ),
        annotated=annotated,
    )
    return concerns_others


def refresh_after(ledger: Writing, story_id: str, episode_id: str) -> None:
    """Record an episode's inputs, and hide what is stale: itself, or others too when they are concerned."""
    if note_inputs(ledger, story_id, episode_id):
        refresh(ledger, story_id)
        return
    state = ledger.episode_state(story_id, episode_id)
    assert state is not None
    _refresh(ledger, story_id, (state,))


def refresh(ledger: Writing, story_id: str) -> None:
    """Recompute what every episode's memory should be made from, and hide what is stale.

    In the branches of the story too: they read its cast and its annotations.
    """
    _refresh(ledger, story_id, ledger.episode_states(story_id))
    for branch in descendants(ledger, story_id):
        _refresh(ledger, branch.story_id, ledger.episode_states(branch.story_id))


def _refresh(ledger: Writing, story_id: str, states: Sequence[EpisodeState]) -> None:
    wanted = fingerprints(ledger, story_of(ledger, story_id), states)
    work = ledger.work(story_id, states[0].episode_id if len(states) == 1 else None)
    changed: dict[str, str] = {}
    shown: dict[str, bool] = {}
    for state in states:
        target = wanted[state.episode_id].memory if state.is_live else state.wanted
        done = work.get(state.episode_id)
        visible = (
            state.is_live and done is not None and done.outcome is Outcome.DONE and done.fingerprint == target
        )
        if target != state.wanted:
            changed[state.episode_id] = target
        if visible != state.visible:
            shown[state.episode_id] = visible
    if changed or shown:
        ledger.set_wanted(story_id, changed, shown)
