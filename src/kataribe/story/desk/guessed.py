"""Guessed audiences as rows of `visibility.jsonl`, for an author to edit and hand in again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from kataribe.domain.evidence import is_guess
from kataribe.domain.memory import Memory
from kataribe.domain.space import story_space
from kataribe.domain.story.audience import paragraph_hash
from kataribe.domain.story.folder import VisibilityRow
from kataribe.domain.story.inputs import Episode
from kataribe.domain.terms import Audience, FactSource
from kataribe.ports import View
from kataribe.story.desk.scenes import paragraph_spans
from kataribe.story.fingerprints import parts_of
from kataribe.story.lineage import part_of, seen_states

_BEGINS = 40
"""Characters of a paragraph that a row shows, so that a person knows it again."""


def guessed_rows(view: View, story_id: str) -> tuple[VisibilityRow, ...]:
    """Give a row for each paragraph of which something is somebody's by guess, in story order.

    It names all who hold some sentence of the paragraph. What waits in review has none, and
    what is not in memory as it stands is left out.
    """
    parts = parts_of(view, story_id)
    found: list[VisibilityRow] = []
    for state in seen_states(view, parts):
        if not state.is_live or state.is_pending or state.fact_source is not FactSource.EXTRACTED:
            continue
        owner = part_of(parts, state).story_id
        episode = view.episode(owner, state.episode_id)
        assert episode is not None
        guessed = [
            memory
            for memory in view.memories(story_space(owner), unit=state.episode_id)
            if is_guess(memory.evidence) and memory.quote_span is not None
        ]
        found += _rows(episode, guessed)
    return tuple(found)


def _rows(episode: Episode, guessed: list[Memory]) -> Iterator[VisibilityRow]:
    spans = paragraph_spans(episode)
    ids = [name for name, _ in episode.paragraph_ids or ()] or [
        f"{episode.no}-{at}" for at in range(1, len(spans) + 1)
    ]
    texts = [episode.text[start:end] for start, end in spans]
    # The same words are one fact of the episode, wherever they stand in it.
    held: defaultdict[str, set[str]] = defaultdict(set)
    for memory in guessed:
        assert memory.quote_span is not None
        at = memory.quote_span[0]
        home = next(
            (text for (start, end), text in zip(spans, texts, strict=True) if start <= at < end), None
        )
        if home is not None:
            held[paragraph_hash(home)].add(memory.holder)
    for name, text in zip(ids, texts, strict=True):
        hashed = paragraph_hash(text)
        if held[hashed]:
            yield VisibilityRow(
                episode_no=episode.no,
                paragraph_id=name,
                paragraph_hash=hashed,
                audience=Audience(members=frozenset(held[hashed])),
                extra={"begins": " ".join(text.split())[:_BEGINS]},
            )
