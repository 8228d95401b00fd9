"""What models would be asked for, and what they offered in vain; nothing is changed here."""

from __future__ import annotations

from dataclasses import dataclass

from kataribe.domain.ids import text_hash
from kataribe.domain.memory import NO_USAGE, Refusal, Usage
from kataribe.domain.space import story_space
from kataribe.domain.terms import FactSource
from kataribe.domain.work import WorkKind
from kataribe.ports import Extractor, View
from kataribe.story.fingerprints import fingerprints, story_of
from kataribe.story.gather import gather_units

_TOGETHER = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What syncing a story would take: due episodes, those whose text is read, and a guess of the usage."""

    story_id: str
    model: str
    due: int
    to_read: int
    usage: Usage


def estimate_story(view: View, story_id: str, extractor: Extractor) -> Estimate:
    """Guess what a sync of the story would ask of a model, without asking it."""
    waiting = view.due(story_space(story_id), WorkKind.EXTRACT)
    to_read, usage = 0, NO_USAGE
    for at in range(0, len(waiting), _TOGETHER):
        for job in gather_units(view, story_id, waiting[at : at + _TOGETHER]):
            if job.source is not None:
                to_read += 1
                usage += extractor.estimate(job.source)
    model = story_of(view, story_id).extractor
    return Estimate(story_id=story_id, model=model, due=len(waiting), to_read=to_read, usage=usage)


def refusals(view: View, story_id: str) -> tuple[tuple[str, Refusal], ...]:
    """Give (episode id, refusal) of the live episodes' current extractions, in story order.

    Those whose words the author struck out (a suppression without a holder) are left out.
    """
    story = story_of(view, story_id)
    states = [state for state in view.episode_states(story_id) if state.is_live]
    prints = fingerprints(view, story, states)
    found: list[tuple[str, Refusal]] = []
    for state in states:
        if state.fact_source is not FactSource.EXTRACTED:
            continue
        kept = view.extraction(story_id, state.episode_id, prints[state.episode_id].extraction)
        if kept is None or not kept.refused:
            continue
        struck = {row.text_hash for row in view.suppressions(story_id, state.episode_id) if not row.holder}
        found += [(state.episode_id, one) for one in kept.refused if text_hash(one.text) not in struck]
    return tuple(found)
