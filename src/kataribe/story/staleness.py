"""After any change of inputs: what is stale now, and therefore invisible from this instant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kataribe.domain.records import EpisodeState, Outcome, Wanted, Work
from kataribe.domain.space import episode_of, episode_unit, holder_of, story_space
from kataribe.domain.story.audience import is_marked, marked_ids, narrator_marks
from kataribe.domain.story.derive import notes_hash, rows_hash
from kataribe.domain.story.groups import is_group
from kataribe.domain.terms import FactOrigin, FactSource
from kataribe.domain.work import WorkKind
from kataribe.errors import NotFoundError
from kataribe.ports import Transaction, View
from kataribe.story.fingerprints import Fingerprints, fingerprints, parts_of, story_of, work_of
from kataribe.story.groups import check_groups, check_tellers, joining_states
from kataribe.story.lineage import descendants, lineage


def note_inputs(tx: Transaction, story_id: str, episode_id: str) -> bool:
    """Record the hashes of an episode's annotations, facts and decisions, and whom they name.

    True when other episodes may be concerned: who is named, or whether anything is annotated,
    has changed.
    """
    episode, before = tx.episode(story_id, episode_id), tx.episode_state(story_id, episode_id)
    if episode is None or before is None:
        raise NotFoundError(f"story {story_id!r} has no episode {episode_id!r}")
    annotations = tx.annotations(story_id, episode_id)
    facts = [fact for _, fact in tx.facts(story_id, episode_id)]
    named = set(marked_ids(episode.text))
    for row in annotations.rows:
        named |= row.audience.members
    for fact in facts:
        if fact.origin is FactOrigin.HAND or episode.fact_source is FactSource.SUPPLIED:
            named |= fact.audience.members
    named_before = tx.named_by(story_id, episode_id)
    parts = parts_of(tx, story_id)
    check_groups(tx, parts, named, known=named_before)
    telling = [one for mark in narrator_marks(episode.text) for one in (mark.narrator, *mark.told_to)]
    check_tellers(tx, parts, telling)
    annotated = bool(annotations.rows or is_marked(episode.text))
    concerns_others = annotated != before.annotated or named != named_before
    if concerns_others:
        tx.put_mentions(story_id, episode_id, named)
    tx.set_inputs(
        story_id,
        episode_id,
        notes_hash=notes_hash(annotations, episode.paragraph_ids),
        rows_hash=rows_hash(facts, tx.suppressions(story_id, episode_id), tx.pins(story_id, episode_id)),
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


def _reach(view: View, story_id: str) -> _Reach:
    return _Reach(dict(view.mentioned(story_id)), view.first_annotated(story_id))


def refresh_after(tx: Transaction, story_id: str, *episode_ids: str) -> None:
    """Record these episodes' inputs, and hide what is stale: themselves, and others that are concerned.

    Those are the ones from which on somebody is in the cast, or texts are everybody's no more:
    what is told at the end of a story of any length concerns nothing before it.
    """
    before = _reach(tx, story_id)
    concerned = [note_inputs(tx, story_id, episode_id) for episode_id in episode_ids]
    first = before.first_changed(_reach(tx, story_id)) if any(concerned) else None
    found = (tx.episode_state(story_id, episode_id) for episode_id in episode_ids)
    states = {state.episode_id: state for state in found if state is not None}
    if first is not None:
        states |= {s.episode_id: s for s in tx.episode_states(story_id) if s.no >= first}
    for state in joining_states(tx, parts_of(tx, story_id)):
        states.setdefault(state.episode_id, state)
    refresh_episodes(tx, story_id, tuple(states.values()))
    if first is not None:
        _refresh_branches(tx, story_id, first)
    for branch in descendants(tx, story_id):
        refresh_episodes(tx, branch.story_id, joining_states(tx, lineage(tx, branch)))


def refresh_newcomers(tx: Transaction, story_id: str, episode_id: str) -> None:
    """Hide what is stale of what newcomers learn, once more or less is kept of an episode's text.

    Only an episode that names a group concerns them.
    """
    if not any(map(is_group, tx.named_by(story_id, episode_id))):
        return
    for story in (story_of(tx, story_id), *descendants(tx, story_id)):
        refresh_episodes(tx, story.story_id, joining_states(tx, lineage(tx, story)))


def _refresh_branches(tx: Transaction, story_id: str, first: int) -> None:
    """Refresh the branches that read an episode numbered `first` or later, and theirs."""
    for branch in tx.branches(story_id):
        fork = tx.episode_state(story_id, branch.fork_episode_id or "")
        if fork is not None and fork.no >= first:
            refresh(tx, branch.story_id)


def refresh(tx: Transaction, story_id: str) -> None:
    """Recompute what every episode's memory should be made from, and hide what is stale.

    In the branches of the story too: they read its cast and its annotations.
    """
    refresh_episodes(tx, story_id, tx.episode_states(story_id))
    for branch in descendants(tx, story_id):
        refresh_episodes(tx, branch.story_id, tx.episode_states(branch.story_id))


def refresh_episodes(tx: Transaction, story_id: str, states: Sequence[EpisodeState]) -> None:
    """Recompute what these episodes' memory should be made from, and hide what is stale."""
    if not states:
        return
    story = story_of(tx, story_id)
    work = work_of(tx, story_id, states)
    prints = fingerprints(tx, story, states, work=work)
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
                _split_off(tx, story_id, unit)
    _record(tx, story_id, wanted, shown)


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


def _split_off(tx: Transaction, story_id: str, unit: str) -> None:
    """Let a holder's share be made by itself: what it had of the rest is forgotten, others keep theirs."""
    holder = holder_of(unit)
    assert holder is not None
    tx.forget_share(story_space(story_id), episode_of(unit), holder)


def _record(
    tx: Transaction, story_id: str, wanted: Mapping[str, Wanted | None], shown: Mapping[str, bool]
) -> None:
    space = story_space(story_id)
    if wanted:
        tx.want(space, WorkKind.EXTRACT, wanted)
    if shown:
        tx.show(space, shown)
        tx.show_deltas(story_id, shown)
