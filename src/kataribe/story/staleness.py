"""After any change of inputs: what is stale now, and therefore invisible from this instant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kataribe.domain.records import EpisodeState, Outcome, Wanted, Work
from kataribe.domain.space import episode_of, episode_unit, holder_of, story_space
from kataribe.domain.story.audience import is_marked, marked_ids
from kataribe.domain.story.derive import notes_hash, rows_hash
from kataribe.domain.terms import FactOrigin, FactSource
from kataribe.domain.work import WorkKind
from kataribe.errors import NotFoundError
from kataribe.ports import Transaction, View
from kataribe.story.fingerprints import Fingerprints, fingerprints, story_of, work_of
from kataribe.story.lineage import descendants


def note_inputs(ledger: Transaction, story_id: str, episode_id: str) -> bool:
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
    annotated = bool(annotations.rows or is_marked(episode.text))
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


@dataclass(frozen=True, slots=True)
class _Reach:
    """What of an episode's rows other episodes read: who is in the cast by them, and from when on."""

    named: Mapping[str, int]
    annotated: int | None

    def first_changed(self, now: _Reach) -> int | None:
        """Give the lowest number of an episode that reads something else now; None: none does.

        When somebody has left the cast it is 1: a share of their own may lie in any episode.
        """
        if self.named.keys() - now.named.keys():
            return 1
        moved = [
            min(no, self.named.get(who, no)) for who, no in now.named.items() if self.named.get(who) != no
        ]
        if self.annotated != now.annotated:
            moved += [no for no in (self.annotated, now.annotated) if no is not None]
        return min(moved, default=None)


def _reach(ledger: View, story_id: str) -> _Reach:
    return _Reach(dict(ledger.mentioned(story_id)), ledger.first_annotated(story_id))


def refresh_after(ledger: Transaction, story_id: str, *episode_ids: str) -> None:
    """Record these episodes' inputs, and hide what is stale: themselves, and others that are concerned.

    Those are the ones from which on somebody is in the cast, or texts are everybody's no more:
    what is told at the end of a story of any length concerns nothing before it.
    """
    before = _reach(ledger, story_id)
    concerned = [note_inputs(ledger, story_id, episode_id) for episode_id in episode_ids]
    first = before.first_changed(_reach(ledger, story_id)) if any(concerned) else None
    found = (ledger.episode_state(story_id, episode_id) for episode_id in episode_ids)
    states = {state.episode_id: state for state in found if state is not None}
    if first is not None:
        states |= {s.episode_id: s for s in ledger.episode_states(story_id) if s.no >= first}
    refresh_episodes(ledger, story_id, tuple(states.values()))
    if first is not None:
        _refresh_branches(ledger, story_id, first)


def _refresh_branches(ledger: Transaction, story_id: str, first: int) -> None:
    """Refresh the branches that read an episode numbered `first` or later, and theirs."""
    for branch in ledger.branches(story_id):
        fork = ledger.episode_state(story_id, branch.fork_episode_id or "")
        if fork is not None and fork.no >= first:
            refresh(ledger, branch.story_id)


def refresh(ledger: Transaction, story_id: str) -> None:
    """Recompute what every episode's memory should be made from, and hide what is stale.

    In the branches of the story too: they read its cast and its annotations.
    """
    refresh_episodes(ledger, story_id, ledger.episode_states(story_id))
    for branch in descendants(ledger, story_id):
        refresh_episodes(ledger, branch.story_id, ledger.episode_states(branch.story_id))


def refresh_episodes(ledger: Transaction, story_id: str, states: Sequence[EpisodeState]) -> None:
    """Recompute what these episodes' memory should be made from, and hide what is stale."""
    if not states:
        return
    story = story_of(ledger, story_id)
    work = work_of(ledger, story_id, states)
    prints = fingerprints(ledger, story, states, work=work)
    wanted: dict[str, Wanted | None] = {}
    shown: dict[str, bool] = {}
    for state in states:
        for unit, target in _targets(state, prints.get(state.episode_id), work).items():
            held = work.get(unit)
            was_wanted = "" if held is None else held.wanted
            is_done = held is not None and held.outcome is Outcome.DONE
            was_shown = held is not None and is_done and held.fingerprint == was_wanted != ""
            is_shown = held is not None and is_done and held.fingerprint == target != ""
            if target != was_wanted or (target and held is None):
                wanted[unit] = Wanted(fingerprint=target, position=state.order_key) if target else None
            if is_shown != was_shown:
                shown[unit] = is_shown
            if target and not was_wanted and holder_of(unit) is not None:
                _split_off(ledger, story_id, unit)
    _record(ledger, story_id, wanted, shown)


def _targets(state: EpisodeState, prints: Fingerprints | None, work: Mapping[str, Work]) -> dict[str, str]:
    """Give what each unit of an episode should be made from; empty: nothing is wanted of it."""
    theirs = [unit for unit in work if episode_of(unit) == state.episode_id]
    targets = dict.fromkeys((state.episode_id, *theirs), "")
    if prints is not None:
        targets[state.episode_id] = prints.memory
        targets |= {
            episode_unit(state.episode_id, holder): share.memory for holder, share in prints.shares.items()
        }
    return targets


def _split_off(ledger: Transaction, story_id: str, unit: str) -> None:
    """Let a holder's share be made by itself: what it had of the rest is forgotten, others keep theirs."""
    holder = holder_of(unit)
    assert holder is not None
    ledger.forget_share(story_space(story_id), episode_of(unit), holder)


def _record(
    ledger: Transaction, story_id: str, wanted: Mapping[str, Wanted | None], shown: Mapping[str, bool]
) -> None:
    space = story_space(story_id)
    if wanted:
        ledger.want(space, WorkKind.EXTRACT, wanted)
    if shown:
        ledger.show(space, shown)
        ledger.show_deltas(story_id, shown)
