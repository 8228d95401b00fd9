"""What follows when episodes change their numbers: names, quotes, and the branches forked after them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from kataribe.domain.lineage import Parts
from kataribe.domain.story.groups import Membership
from kataribe.domain.story.inputs import Narration, Story
from kataribe.errors import ConflictError
from kataribe.ports import Transaction, View
from kataribe.story.lineage import family, fork_no, part_of_no
from kataribe.story.staleness import note_inputs

Move = Callable[[int], int]
"""Tells which number an episode number has become."""

Forks = Mapping[str, int]
"""By branch: the number of the episode it is forked after."""


def check_own(parts: Parts, no: int) -> None:
    """Refuse a number that a branch reads of a parent; the parent is where to change it."""
    if no > fork_no(parts):
        return
    owner = part_of_no(parts, no).story_id
    raise ConflictError(
        f"episodes up to {fork_no(parts)} of the branch {parts[-1].story_id!r} are its parent's; "
        f"episode {no} is changed in story {owner!r} (--story {owner})"
    )


def check_id_free(view: View, story: Story, episode_id: str) -> None:
    """Refuse an episode id that another story of the family has: they are read together."""
    for member in family(view, story):
        if member.story_id == story.story_id:
            continue
        if (held := view.episode_state(member.story_id, episode_id)) is not None:
            raise ConflictError(
                f"episode id {episode_id!r} is that of episode {held.no} of story {member.story_id!r}; "
                f"a story and its branches share no ids: choose another"
            )


def is_taken(view: View, story: Story, episode_id: str) -> bool:
    """Whether an episode of a story or its family has this id, a deleted one too."""
    return any(view.episode_state(member.story_id, episode_id) is not None for member in family(view, story))


def taken_ids(view: View, story: Story) -> set[str]:
    """Give the ids of all episodes of a story and its family, deleted ones too."""
    return {
        state.episode_id for member in family(view, story) for state in view.episode_states(member.story_id)
    }


def forks_of(view: View, story_id: str) -> Forks:
    """Give the branches of a story with the numbers they are forked after, before these change."""
    found: dict[str, int] = {}
    for branch in view.branches(story_id):
        state = view.episode_state(story_id, branch.fork_episode_id or "")
        if state is not None:
            found[branch.story_id] = state.no
    return found


def refer(tx: Transaction, story_id: str, move: Move) -> None:
    """Let names, descriptions, narrators, members and quotes of a story follow the numbers they name."""
    for character in [one for one in tx.characters(story_id) if one.narrates]:
        told = moved_narrations(character.narrates, move, last=_last_no(tx, story_id))
        if told != character.narrates:
            tx.put_character(story_id, replace(character, narrates=told))
    for group in tx.groups(story_id):
        members = moved_members(group.members, move, last=_last_no(tx, story_id))
        if members != group.members:
            tx.put_group(story_id, replace(group, members=members))
    named = {alias.address.since for c in tx.characters(story_id) for alias in c.aliases}
    named |= {d.address.since for c in tx.characters(story_id) for d in c.descriptions}
    named |= {fact.quote_no for _, fact in tx.facts(story_id) if fact.quote_no is not None}
    numbers = {no: move(no) for no in named if no > 0}
    changed = {no: to for no, to in numbers.items() if no != to}
    if changed:
        tx.shift_references(story_id, changed)


def _last_no(view: View, story_id: str) -> int:
    """Give the highest number that an episode of a story has, deleted ones too."""
    return max((state.no for state in view.episode_states(story_id)), default=0)


def moved_narrations(told: Sequence[Narration], move: Move, *, last: int) -> tuple[Narration, ...]:
    """Give what a character tells when episodes have changed their numbers; `last` is the highest of all.

    What is put between two episodes it tells is told by it too; an episode that goes elsewhere
    is told by it there, and parts the range it came from or falls into.
    """
    found: list[Narration] = []
    for one in told:
        near = min(one.until, max(last, one.since))
        end = 1 + max(last, near)
        images = sorted((move(no), no) for no in range(1, end + 1))
        runs = [
            [new for new, _ in run]
            for covered, run in groupby(images, key=lambda image: one.since <= image[1] <= near)
            if covered
        ]
        # What ends behind the last episode of all goes on as far as it did.
        beyond = one.until - near
        for at, run in enumerate(runs):
            until = min(run[-1] + (beyond if at == len(runs) - 1 else 0), _HIGHEST)
            if at and found[-1].until + 1 >= run[0]:
                found[-1] = replace(found[-1], until=until)
            else:
                found.append(replace(one, since=run[0], until=until))
    return tuple(found)


def moved_members(members: Sequence[Membership], move: Move, *, last: int) -> tuple[Membership, ...]:
    """Give who is in a group when episodes have changed their numbers; `last` is the highest of all.

    As what a character tells: a member stays one at the same episodes, and at those put between them.
    """
    return tuple(after for one in members for after in _moved_member(one, move, last))


def _moved_member(one: Membership, move: Move, last: int) -> Iterator[Membership]:
    until = max(last, one.since) + 1 if one.until is None else one.until
    near = min(until, max(last, one.since) + 1)
    images = sorted((move(no), no) for no in range(1, max(last, near) + 2))
    # Who is in it from the start is so before the first episode, wherever that goes.
    start = [(0, 0)] if one.since == 0 else []
    runs = [
        [new for new, _ in run]
        for covered, run in groupby([*start, *images], key=lambda image: one.since <= image[1] <= near)
        if covered
    ]
    if one.until is None and runs:
        yield from (replace(one, since=run[0], until=run[-1]) for run in runs[:-1])
        yield replace(one, since=runs[-1][0])
        return
    for at, run in enumerate(runs):
        beyond = until - near if at == len(runs) - 1 else 0
        yield replace(one, since=run[0], until=max(1, min(run[-1] + beyond, _HIGHEST)))


_HIGHEST = 2**31 - 1
"""The highest number an episode can have."""


def own_quotes(tx: Transaction, story_id: str, episode_id: str, no: int) -> None:
    """Make quotes that named this number before the episode came to it quotes of its own."""
    facts = [fact for _, fact in tx.facts(story_id, episode_id) if fact.quote_no == no]
    if facts:
        tx.put_facts(story_id, episode_id, [replace(fact, quote_no=None) for fact in facts])
        note_inputs(tx, story_id, episode_id)


def follow(tx: Transaction, story_id: str, before: Forks, move: Move) -> None:
    """Let the branches of a story, and theirs, follow its numbers; the caller refreshes.

    A branch's own episodes keep their distance to the fork. What it says of a number follows
    the episode of that number, the parent's as `move` tells; a number whose episode has left
    what the branch reads is left as it is.
    """
    for branch_id, was in before.items():
        now = forks_of(tx, story_id)[branch_id]
        _follow_one(tx, branch_id, was, now, move)


def _follow_one(tx: Transaction, branch_id: str, was: int, now: int, move: Move) -> None:
    def moved(no: int) -> int:
        if no > was:
            return no + now - was
        return move(no) if move(no) <= now else no

    inner = forks_of(tx, branch_id)
    if now != was:
        states = tx.episode_states(branch_id)
        tx.set_numbers(branch_id, {state.episode_id: moved(state.no) for state in states}, {})
    refer(tx, branch_id, moved)
    for state in tx.episode_states(branch_id):
        own_quotes(tx, branch_id, state.episode_id, state.no)
    follow(tx, branch_id, inner, moved)
