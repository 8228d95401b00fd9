"""Comparing memory with what it should be, made anew from the inputs and not stored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from kataribe.domain.ids import exact_hash
from kataribe.domain.lineage import Parts
from kataribe.domain.memory import Memory
from kataribe.domain.records import EpisodeState, MemoryState, Verification
from kataribe.domain.space import episode_of, story_space
from kataribe.domain.story.inputs import Story
from kataribe.domain.story.numbering import is_ordered
from kataribe.domain.text.tokens import term_hash, tokens
from kataribe.domain.work import WorkKind
from kataribe.errors import KataribeError, StoreError
from kataribe.ports import Embedder, View
from kataribe.story.extract import extract
from kataribe.story.extract_task import ExtractTask
from kataribe.story.fingerprints import fingerprints, story_of
from kataribe.story.gather import gather
from kataribe.story.jobs import EpisodeJob
from kataribe.story.lineage import fork_no, lineage
from kataribe.work.compare import is_near, unlike
from kataribe.work.embed import embed_texts
from kataribe.work.path import WorkTools


async def verify_story(tools: WorkTools, task: ExtractTask, story_id: str) -> Verification:
    """Extract, derive, embed and cut into terms every synced episode again, and compare."""
    states, found = await tools.read(lambda view: _read(view, story_id, task.embedder))
    problems = list(found)
    memories = 0
    for state in states:
        if state.is_live:
            of = await tools.read(partial(_of_episode, state=state))
            memories += len(of.stored)
            for job in of.jobs:
                theirs = [memory for memory in of.stored if job.is_of(memory)]
                if job.unit.name in of.shown:
                    problems += await _compare(task, job, theirs)
                    problems += await _worn(task.embedder, job.story, theirs, of.derived)
                problems += _misplaced(theirs, state, of.derived, shown=job.unit.name in of.shown)
            problems += unlike(of.stored, of.packed, of.derived)
    return Verification(
        stories=1,
        episodes=sum(state.is_live for state in states),
        memories=memories,
        pending=sum(state.is_pending for state in states),
        problems=tuple(problems),
    )


def _read(view: View, story_id: str, embedder: Embedder) -> tuple[tuple[EpisodeState, ...], list[str]]:
    story = story_of(view, story_id)
    states = view.episode_states(story_id)
    try:
        parts = lineage(view, story)
    except StoreError as error:
        # What it reads cannot be told; nothing else of it can be compared.
        return (), [f"{story_id}: {error}"]
    found = _branch_problems(view, parts, states)
    if story.embedder_id != embedder.embedder_id:
        found.append(
            f"{story_id}: embedded by {story.embedder_id}, "
            f"installed is {embedder.embedder_id}; run `kataribe rebuild`"
        )
    if not is_ordered(states):
        found.append(f"{story_id}: order keys do not follow the numbers")
    prints = fingerprints(view, story, states)
    for state in states:
        wanted = prints[state.episode_id].memory if state.is_live else None
        found += _state_problems(view, story_id, state, wanted)
        if not state.is_live:
            of = _of_episode(view, state)
            found += [
                *_misplaced(of.stored, state, of.derived, shown=False),
                *unlike(of.stored, of.packed, of.derived),
            ]
    found += _strays(view, story_id, states)
    return states, found


@dataclass(frozen=True, slots=True)
class _OfEpisode:
    """An episode's inputs, share by share, and all that is derived of it."""

    jobs: tuple[EpisodeJob, ...]
    shown: frozenset[str]
    """The units whose memory is of what is wanted."""
    stored: tuple[Memory, ...]
    derived: Mapping[str, MemoryState]
    packed: Mapping[tuple[str, str], bool]


def _of_episode(view: View, state: EpisodeState) -> _OfEpisode:
    space, unit = story_space(state.story_id), state.episode_id
    work = view.work(space, WorkKind.EXTRACT, unit)
    return _OfEpisode(
        gather(view, state.story_id, (unit,)),
        frozenset(name for name, one in work.items() if one.wanted and not one.lags),
        view.memories(space, unit=unit),
        view.memory_states(space, unit),
        view.packed(space, unit),
    )


def _strays(view: View, story_id: str, states: Sequence[EpisodeState]) -> Iterator[str]:
    """Name what is derived of episodes that are not there."""
    there = {state.episode_id for state in states}
    for unit in view.units(story_space(story_id)):
        if episode_of(unit) not in there:
            yield f"{story_id}: memories of {unit}, which is no episode; run `kataribe rebuild`"


def _branch_problems(view: View, parts: Parts, states: Sequence[EpisodeState]) -> list[str]:
    """Hold a branch against its parents: numbers after the fork, ids of its own, the same engines."""
    *above, own = parts
    if not above:
        return []
    found = [
        f"{own.story_id} episode {state.no} ({state.episode_id}): not after the fork at {fork_no(parts)}"
        for state in states
        if state.no <= fork_no(parts)
    ]
    for part in above:
        shared = {s.episode_id for s in states} & {s.episode_id for s in view.episode_states(part.story_id)}
        found += [f"{own.story_id}: {part.story_id} has an episode {one!r} too" for one in sorted(shared)]
    story, parent = story_of(view, own.story_id), story_of(view, above[-1].story_id)
    if (story.embedder_id, story.extractor_id) != (parent.embedder_id, parent.extractor_id):
        found.append(f"{own.story_id}: other engines than its parent's; run `kataribe rebuild`")
    return found


def _state_problems(view: View, story_id: str, state: EpisodeState, wanted: str | None) -> Iterator[str]:
    where = f"{story_id} episode {state.no} ({state.episode_id})"
    episode = view.episode(story_id, state.episode_id)
    if episode is None or exact_hash(episode.text) != state.text_hash:
        yield f"{where}: the text is not the one its hash was taken of"
    if wanted is not None and state.wanted != wanted:
        yield f"{where}: what is wanted was not noted; run `kataribe rebuild`"
    if state.visible and not state.is_live:
        yield f"{where}: deleted, but shown"
    kept = view.versions(story_id, state.episode_id)
    if episode is not None and (not kept or kept[-1].text != episode.text):
        yield f"{where}: the current text is not among its versions"


async def _compare(task: ExtractTask, job: EpisodeJob, stored: Sequence[Memory]) -> list[str]:
    where = f"{job.story.story_id} episode {job.episode.no} ({job.episode.episode_id})"
    if job.source is not None and job.story.asks_model:
        return [f"{where}: what the model found in it is not kept; run `kataribe rebuild`"]
    try:
        wanted = (await extract(job, task.extractor)).memories
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
    stored: Sequence[Memory], state: EpisodeState, derived: Mapping[str, MemoryState], *, shown: bool
) -> Iterator[str]:
    for memory in stored:
        live = derived[memory.memory_id].live
        if memory.position != state.order_key:
            yield f"memory {memory.memory_id} is at the wrong position"
        if live != (shown and not memory.in_review):
            yield f"memory {memory.memory_id} is {'shown' if live else 'hidden'} and should not be"


async def _worn(
    embedder: Embedder, story: Story, stored: Sequence[Memory], derived: Mapping[str, MemoryState]
) -> list[str]:
    """Compare terms and vectors with what the texts give now."""
    held = [memory for memory in stored if not memory.in_review]
    anew = await embed_texts([memory.text for memory in held], embedder)
    problems: list[str] = []
    for memory in held:
        state = derived[memory.memory_id]
        terms = (*tokens(memory.text, story.language), *anew.words(memory.text))
        if state.terms != tuple(sorted(map(term_hash, terms))):
            problems.append(f"memory {memory.memory_id} has other keywords than its text")
        vector = anew.vectors.get(memory.text_hash)
        if state.vector is None or state.embedder_id != embedder.embedder_id:
            problems.append(f"memory {memory.memory_id} has no vector of {embedder.embedder_id}")
        elif vector is not None and not is_near(state.vector, vector):
            problems.append(f"memory {memory.memory_id} has another vector than its text")
    return problems
