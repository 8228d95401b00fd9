"""Comparing memory with what it should be, made anew from the inputs and not stored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from kataribe.domain.ids import exact_hash
from kataribe.domain.memory import Memory
from kataribe.domain.numbering import is_ordered
from kataribe.domain.records import EpisodeState, Verification
from kataribe.errors import KataribeError
from kataribe.ports import Embedder, Reading
from kataribe.write.extract import extract
from kataribe.write.path import Tools
from kataribe.write.refresh import fingerprints, story_of
from kataribe.write.source import Job, gather

_Stored = Mapping[str, tuple[bool, str | None, int]]


async def verify_story(tools: Tools, story_id: str) -> Verification:
    """Extract and derive every synced episode again and compare ids, texts, holders and positions."""
    jobs, states, stored, vectors, found = await tools.read(
        lambda ledger: _read(ledger, story_id, tools.embedder)
    )
    by_episode: dict[str, list[Memory]] = {}
    for memory in stored:
        by_episode.setdefault(memory.episode_id, []).append(memory)
    visible = {state.episode_id for state in states if state.visible}
    problems = list(found)
    for job in jobs:
        if job.episode.episode_id in visible:
            problems += await _compare(tools, job, by_episode.get(job.episode.episode_id, []))
    problems += _misplaced(stored, states, vectors, tools.embedder)
    return Verification(
        stories=1,
        episodes=sum(state.is_live for state in states),
        memories=len(stored),
        pending=sum(state.is_live and not state.visible for state in states),
        problems=tuple(problems),
    )


def _read(
    ledger: Reading, story_id: str, embedder: Embedder
) -> tuple[tuple[Job, ...], tuple[EpisodeState, ...], tuple[Memory, ...], _Stored, list[str]]:
    story = story_of(ledger, story_id)
    states = ledger.episode_states(story_id)
    live = tuple(state.episode_id for state in states if state.is_live)
    found: list[str] = []
    if story.embedder_id != embedder.embedder_id:
        found.append(
            f"{story_id}: embedded by {story.embedder_id}, "
            f"installed is {embedder.embedder_id}; run `kataribe rebuild`"
        )
    if not is_ordered(states):
        found.append(f"{story_id}: order keys do not follow the numbers")
    prints = fingerprints(ledger, story, states)
    for state in states:
        found += _state_problems(
            ledger, story_id, state, prints[state.episode_id].memory if state.is_live else None
        )
    return (
        gather(ledger, story_id, live),
        states,
        ledger.memories(story_id),
        ledger.memory_states(story_id),
        found,
    )


def _state_problems(ledger: Reading, story_id: str, state: EpisodeState, wanted: str | None) -> Iterator[str]:
    where = f"{story_id} episode {state.no} ({state.episode_id})"
    episode = ledger.episode(story_id, state.episode_id)
    if episode is None or exact_hash(episode.text) != state.text_hash:
        yield f"{where}: the text is not the one its hash was taken of"
    if wanted is not None and state.wanted != wanted:
        yield f"{where}: what is wanted was not noted; run `kataribe rebuild`"
    if state.visible and not state.is_live:
        yield f"{where}: deleted, but shown"
    kept = ledger.versions(story_id, state.episode_id)
    if episode is not None and (not kept or kept[-1].text != episode.text):
        yield f"{where}: the current text is not among its versions"


async def _compare(tools: Tools, job: Job, stored: Sequence[Memory]) -> list[str]:
    where = f"{job.story.story_id} episode {job.episode.no} ({job.episode.episode_id})"
    try:
        wanted = (await extract(job, tools.extractor)).memories
    except KataribeError as error:
        return [f"{where}: cannot be extracted again: {error}"]
    should = {memory.memory_id: memory for memory in wanted}
    have = {memory.memory_id: replace(memory, key=0) for memory in stored}
    problems = [f"{where}: memory {gone} is missing" for gone in sorted(should.keys() - have.keys())]
    problems += [
        f"{where}: memory {extra} should not be there" for extra in sorted(have.keys() - should.keys())
    ]
    problems += [
        f"{where}: memory {shared} is not what its inputs make of it"
        for shared in sorted(should.keys() & have.keys())
        if should[shared] != have[shared]
    ]
    return problems


def _misplaced(
    stored: Sequence[Memory], states: Sequence[EpisodeState], vectors: _Stored, embedder: Embedder
) -> Iterator[str]:
    by_id = {state.episode_id: state for state in states}
    for memory in stored:
        state = by_id[memory.episode_id]
        live, made_by, dimensions = vectors[memory.memory_id]
        if memory.position != state.order_key:
            yield f"memory {memory.memory_id} is at the wrong position"
        if live != (state.visible and not memory.in_review):
            yield f"memory {memory.memory_id} is {'shown' if live else 'hidden'} and should not be"
        if live and (made_by != embedder.embedder_id or dimensions != embedder.dimensions):
            yield f"memory {memory.memory_id} has no vector of {embedder.embedder_id}"
