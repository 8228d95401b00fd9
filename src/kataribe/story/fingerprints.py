"""What an episode's extraction and memory should be made from, told as fingerprints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kataribe.domain.derive import cast_by, cast_hash, extraction_fingerprint, memory_fingerprint
from kataribe.domain.lineage import Parts
from kataribe.domain.records import EpisodeState
from kataribe.domain.story import Character, Story
from kataribe.errors import NotFoundError
from kataribe.ports import View
from kataribe.story.lineage import full_cast, lineage, seen_first_annotated


@dataclass(frozen=True, slots=True)
class Fingerprints:
    """What an episode's extraction and memory should be made from, and the cast that goes into it."""

    extraction: str
    memory: str
    cast: tuple[Character, ...]
    is_open: bool


def story_of(ledger: View, story_id: str) -> Story:
    """Give the story, or raise `NotFoundError`."""
    story = ledger.story(story_id)
    if story is None:
        raise NotFoundError(f"there is no story {story_id!r}; `kataribe story list` shows them")
    return story


def parts_of(ledger: View, story_id: str) -> Parts:
    """Give the parts a story is told in; raise `NotFoundError` when there is no such story."""
    return lineage(ledger, story_of(ledger, story_id))


def fingerprints(ledger: View, story: Story, states: Sequence[EpisodeState]) -> dict[str, Fingerprints]:
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
        is_open = _is_open(by_then, first_note, state.no)
        if is_open:
            # Who is named only as the holder of a secret closes nothing, and so has no part in it.
            by_then = ()
        # The cast only grows with the number, so this tells its stages apart.
        key = tuple((one.character_id, len(one.aliases), len(one.descriptions)) for one in by_then)
        if key not in hashes:
            hashes[key] = cast_hash(by_then)
        found[state.episode_id] = _fingerprints(story, state, by_then, hashes[key], is_open)
    return found


def _is_open(cast: Sequence[Character], first_note: int | None, no: int) -> bool:
    """Whether all that an episode's text says is everybody's: nobody is declared, no note so far."""
    is_declared = any(character.declared for character in cast)
    return not is_declared and (first_note is None or no < first_note)


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
