"""Groups as a story sees them: who is in them at an episode, and what those learn who join."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from kataribe.domain.lineage import Part, Parts
from kataribe.domain.memory import Memory
from kataribe.domain.records import EpisodeState
from kataribe.domain.story.derive import Inputs, cast_by, cast_hash, extraction_fingerprint, learned
from kataribe.domain.story.groups import Group, Members, Newcomers, is_group, resolved
from kataribe.domain.story.inputs import Story
from kataribe.domain.terms import Audience, FactSource
from kataribe.errors import InputError
from kataribe.ports import View
from kataribe.story.lineage import full_cast, is_open_at, seen_first_annotated, seen_groups, seen_states

Groups = Mapping[str, Group]
"""Groups by how rows and marks name them."""


def members_at(groups: Groups, named: Iterable[str], no: int) -> Members:
    """Give the members, at an episode, of those groups that are named."""
    return {ref: groups[ref].at(no) for ref in named if ref in groups}


def resolved_at(view: View, parts: Parts, no: int, audience: Audience) -> Audience:
    """Replace the groups of an audience by their members at an episode; empty when they have none then."""
    if not any(map(is_group, audience.members)):
        return audience
    return resolved(audience, members_at(seen_groups(view, parts), audience.members, no))


def check_groups(view: View, parts: Parts, named: Iterable[str], *, known: Iterable[str] = ()) -> None:
    """Refuse a group that the story does not have; ids that begin so from before there were groups stay.

    `known` are ids that were named already. Raises `InputError`.
    """
    asked = sorted(filter(is_group, named))
    if not asked:
        return
    there = seen_groups(view, parts).keys() | set(known)
    unknown = [ref for ref in asked if ref not in there]
    if unknown:
        there |= {character.character_id for character in full_cast(view, parts)}
        unknown = [ref for ref in unknown if ref not in there]
    if unknown:
        raise InputError(
            f"the story has no group {unknown[0]!r}; add it with `kataribe cast group add {unknown[0][1:]}`, "
            f"or name characters"
        )


def check_tellers(view: View, parts: Parts, telling: Iterable[str]) -> None:
    """Refuse a group where a mark names who tells or who is told. Raises `InputError`."""
    asked = sorted(filter(is_group, telling))
    groups = seen_groups(view, parts) if asked else {}
    if any(ref in groups for ref in asked):
        raise InputError(f"{asked[0]!r} is a group: who tells, and who is told, is named one by one")


# -- who joins later -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Joining:
    """A character who joins a group that tells newcomers what it holds, and the episode it happens at."""

    group: str
    character_id: str
    state: EpisodeState


def _joinings(groups: Groups, states: Sequence[EpisodeState]) -> Iterator[_Joining]:
    """Give who joins where: at the first live episode of their time in the group, by its number."""
    for ref, group in sorted(groups.items()):
        for member in group.members if group.newcomers is Newcomers.TOLD else ():
            first = next((state for state in states if member.covers(state.no)), None)
            if first is not None and member.since > 0:
                yield _Joining(ref, member.character_id, first)


def _tells(groups: Groups) -> bool:
    return any(group.newcomers is Newcomers.TOLD for group in groups.values())


def joining_states(view: View, parts: Parts) -> tuple[EpisodeState, ...]:
    """Give the story's own episodes at which newcomers may learn what a group holds, or did before an edit.

    Which of them it is depends on the live ones before: all from the first joining on are given.
    """
    groups = seen_groups(view, parts)
    joined = [
        one.since
        for group in groups.values()
        for one in group.members
        if group.newcomers is Newcomers.TOLD and one.since > 0
    ]
    if not joined:
        return ()
    states = view.episode_states(parts[-1].story_id)
    return tuple(state for state in states if state.no >= min(joined))


def _live(view: View, parts: Parts) -> list[EpisodeState]:
    live = [state for state in seen_states(view, parts) if state.is_live]
    return sorted(live, key=lambda state: state.no)


class NewcomerReader:
    """Reads what newcomers learn at the episodes of a story, each earlier episode once."""

    def __init__(self, view: View, story: Story, parts: Parts, groups: Groups) -> None:
        self._view, self._story, self._parts, self._groups = view, story, parts, groups
        self._is_telling = _tells(groups)
        self._states: list[EpisodeState] | None = None
        self._joined: list[_Joining] = []
        self._inputs: dict[str, Inputs] = {}
        self._firsts: dict[str, int | None] = {}

    def at(self, state: EpisodeState) -> tuple[Memory, ...]:
        """Give what of earlier episodes those learn who join at this one, by holder and fact.

        Of a fact one learns at several joinings the first counts.
        """
        if not self._is_telling:
            return ()
        if self._states is None:
            self._states = _live(self._view, self._parts)
            self._joined = sorted(
                _joinings(self._groups, self._states), key=lambda one: (one.state.no, one.group)
            )
        here = {one.character_id for one in self._joined if one.state.episode_id == state.episode_id}
        return tuple(row for who in sorted(here) for row in self._learned(who, state))

    def _learned(self, who: str, state: EpisodeState) -> list[Memory]:
        seen: set[str] = set()
        found: dict[str, Memory] = {}
        for joining in self._joined:
            if joining.character_id != who or joining.state.no > state.no:
                continue
            rows = {row.fact_id: row for row in self._held_before(joining)}
            if joining.state.no == state.no:
                found.update({one: row for one, row in rows.items() if one not in seen | found.keys()})
            else:
                seen |= rows.keys()
        return [found[fact_id] for fact_id in sorted(found)]

    def _held_before(self, joining: _Joining) -> Iterator[Memory]:
        """Give what the group holds of the episodes before somebody joins, as they would hold it."""
        for state in self._states or ():
            if state.no >= joining.state.no:
                return
            if joining.group in self._view.named_by(state.story_id, state.episode_id):
                yield from learned(self._inputs_of(state), joining.group, joining.character_id)

    def _inputs_of(self, state: EpisodeState) -> Inputs:
        if state.episode_id not in self._inputs:
            at = next(at for at, part in enumerate(self._parts) if part.story_id == state.story_id)
            self._inputs[state.episode_id] = _inputs(self._view, self._story, self._parts[: at + 1], state)
        return self._inputs[state.episode_id]


def _inputs(view: View, story: Story, parts: Parts, state: EpisodeState) -> Inputs:
    """Read what an episode's memory is made from, with what is kept of its text; nothing is asked anew."""
    story_id, episode_id = state.story_id, state.episode_id
    # Up to its last part a story reads a parent as the parent reads itself.
    parts = (*parts[:-1], Part(story_id))
    episode = view.episode(story_id, episode_id)
    assert episode is not None
    kept = None
    if state.fact_source is FactSource.EXTRACTED:
        kept = view.extraction(story_id, episode_id, _extraction_of(view, story, parts, state))
    named = view.named_by(story_id, episode_id)
    return Inputs(
        story_id=story_id,
        episode=replace(episode, no=state.no),
        order_key=state.order_key,
        facts=tuple(fact for _, fact in view.facts(story_id, episode_id)),
        suppressions=view.suppressions(story_id, episode_id),
        pins=view.pins(story_id, episode_id),
        drafts=() if kept is None else kept.drafts,
        mode=story.audience,
        members=members_at(seen_groups(view, parts), named, state.no),
    )


def _extraction_of(view: View, story: Story, parts: Parts, state: EpisodeState) -> str:
    """Give the fingerprint of what is extracted of an episode for all who have no share of their own."""
    by_then = cast_by(full_cast(view, parts), state.no, described=story.asks_model)
    is_open = is_open_at(by_then, seen_first_annotated(view, parts), state.no)
    return extraction_fingerprint(
        text=state.text_hash,
        notes=state.notes_hash,
        cast=cast_hash(() if is_open else by_then),
        language=story.language,
        extractor_id=story.extractor_id,
        is_open=is_open,
    )
