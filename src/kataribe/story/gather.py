"""First step: what is to be remembered of an episode, read in one view of the ledger."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from kataribe.domain.records import EpisodeState
from kataribe.domain.space import episode_of, episode_unit, holder_of, story_space
from kataribe.domain.story.derive import Inputs
from kataribe.domain.story.inputs import Episode, Story
from kataribe.domain.terms import FactSource
from kataribe.domain.text.paragraphs import episode_paragraphs
from kataribe.domain.work import WorkKind
from kataribe.ports import Source, View
from kataribe.story.fingerprints import Fingerprints, fingerprints, story_of
from kataribe.story.jobs import EpisodeJob
from kataribe.story.lineage import family


def gather(
    view: View, story_id: str, episode_ids: Sequence[str], *, again: bool = False
) -> tuple[EpisodeJob, ...]:
    """Read what each of these episodes' memory is to be made from, a job for each share of it.

    `again` leaves kept extractions aside, so that the texts are read anew.
    """
    asked = _ask(view, story_id, episode_ids)
    prints = asked.prints
    units = [
        episode_unit(episode_id, holder)
        for episode_id in episode_ids
        if episode_id in prints
        for holder in (None, *prints[episode_id].shares)
    ]
    return _jobs(view, asked, units, again=again)


def gather_units(
    view: View, story_id: str, units: Sequence[str], *, again: bool = False
) -> tuple[EpisodeJob, ...]:
    """Read what each of these units of episodes is to be made from; those that are gone are left out."""
    return _jobs(view, _ask(view, story_id, tuple(dict.fromkeys(map(episode_of, units)))), units, again=again)


@dataclass(frozen=True, slots=True)
class _Looked:
    """The episodes that are asked for and live, and what their memory should be made from."""

    story: Story
    states: Mapping[str, EpisodeState]
    prints: Mapping[str, Fingerprints]


def _ask(view: View, story_id: str, episode_ids: Sequence[str]) -> _Looked:
    story = story_of(view, story_id)
    found = (view.episode_state(story_id, episode_id) for episode_id in episode_ids)
    states = {state.episode_id: state for state in found if state is not None and state.is_live}
    return _Looked(story, states, fingerprints(view, story, tuple(states.values())))


def _jobs(view: View, asked: _Looked, units: Sequence[str], *, again: bool) -> tuple[EpisodeJob, ...]:
    story, states = asked.story, asked.states
    space, spaces = story_space(story.story_id), vector_spaces(view, story)
    jobs: list[EpisodeJob] = []
    for unit in units:
        episode_id, holder = episode_of(unit), holder_of(unit)
        whole = asked.prints.get(episode_id)
        own = whole if whole is None or holder is None else whole.shares.get(holder)
        if whole is None or own is None:
            continue
        done = view.work(space, WorkKind.EXTRACT, unit).get(unit)
        same = done is not None and done.fingerprint == own.memory
        theirs = replace(own, members=whole.members, newcomers=whole.newcomers)
        attempts = done.attempts if done and same else 0
        job = _job(view, story, states[episode_id], theirs, attempts, again=again)
        others = frozenset(whole.shares) if holder is None else frozenset()
        jobs.append(replace(job, holder=holder, others=others, kept=whole.extractions, vector_spaces=spaces))
    return tuple(jobs)


def _job(
    view: View,
    story: Story,
    state: EpisodeState,
    prints: Fingerprints,
    attempts: int,
    *,
    again: bool,
) -> EpisodeJob:
    story_id, episode_id = story.story_id, state.episode_id
    episode = view.episode(story_id, episode_id)
    assert episode is not None
    is_extracted = episode.fact_source is FactSource.EXTRACTED
    kept = None
    if is_extracted and not again:
        kept = view.extraction(story_id, episode_id, prints.extraction)
    return EpisodeJob(
        story=story,
        inputs=Inputs(
            story_id=story_id,
            episode=episode,
            order_key=state.order_key,
            facts=tuple(fact for _, fact in view.facts(story_id, episode_id)),
            suppressions=view.suppressions(story_id, episode_id),
            pins=view.pins(story_id, episode_id),
            drafts=() if kept is None else kept.drafts,
            mode=story.audience,
            members=prints.members,
            newcomers=prints.newcomers,
        ),
        prints=prints,
        source=_source(view, story, episode, prints) if is_extracted and kept is None else None,
        attempts=attempts,
    )


def vector_spaces(view: View, story: Story) -> tuple[str, ...]:
    """Name the spaces of a story's family, its own first: what one has embedded serves all."""
    own = story_space(story.story_id)
    spaces = [story_space(member.story_id) for member in family(view, story)]
    return (own, *(space for space in spaces if space != own))


def _source(view: View, story: Story, episode: Episode, prints: Fingerprints) -> Source:
    return Source(
        text=episode.text,
        language=story.language,
        cast=prints.cast,
        annotations=view.annotations(story.story_id, episode.episode_id),
        paragraphs=episode_paragraphs(episode.text, episode.paragraph_ids),
        is_open=prints.is_open,
    )
