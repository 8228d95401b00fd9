"""What a story reads: its own episodes, and of a branch also those of its parents up to the forks.

A branch (an IF story) is told in parts: the root story up to its fork, each branch in between
up to the next fork, then the branch itself. Every question about what a story *sees* is asked
here, so that reads and writes answer alike; a story without a parent is one part, and is asked
the same few queries as if there were no branches.

Numbers tell the parts apart: a branch's own episodes are numbered after its fork.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from kataribe.domain.lineage import Part, Parts
from kataribe.domain.memory import Memory
from kataribe.domain.records import EpisodeState
from kataribe.domain.space import story_space
from kataribe.domain.story.groups import Group, is_group
from kataribe.domain.story.inputs import Character, Fact, Story
from kataribe.errors import StoreError
from kataribe.ports import View


def lineage(view: View, story: Story) -> Parts:
    """Give the parts a story is told in, the root first and itself last.

    Raises `StoreError` when a parent or the episode it is forked after is missing.
    """
    parts: list[Part] = [Part(story.story_id)]
    while story.parent is not None:
        fork = view.episode_state(story.parent, story.fork_episode_id or "")
        parent = view.story(story.parent)
        if fork is None or parent is None or any(part.story_id == story.parent for part in parts):
            raise StoreError(
                f"story {story.story_id!r} is a branch of {story.parent!r} after episode "
                f"{story.fork_episode_id!r}, which is not there; restore the store from a backup"
            )
        parts.append(Part(parent.story_id, fork.order_key, fork.no))
        story = parent
    return tuple(reversed(parts))


def fork_no(parts: Parts) -> int:
    """Give the number a story is forked after; its own episodes have higher ones. 0: it is no branch."""
    return (parts[-2].cap_no or 0) if len(parts) > 1 else 0


def part_of_no(parts: Parts, no: int) -> Part:
    """Give the part an episode number belongs to, whether or not there is such an episode."""
    return next(part for part in parts if part.holds_no(no))


def part_of(parts: Parts, state: EpisodeState) -> Part:
    """Give the part that holds an episode the story reads."""
    return next(part for part in parts if part.story_id == state.story_id)


# -- the cast ------------------------------------------------------------------------------


def seen_cast(view: View, parts: Parts) -> tuple[Character, ...]:
    """Give the declared cast as a story sees it, in the order of the root's cast, then the branches'.

    A branch's own declaration replaces the parent's of the same id. Of a parent's characters
    only the names and descriptions known by the fork are seen: later ones are its future.
    """
    seen: dict[str, Character] = {}
    for part in parts:
        for character in view.characters(part.story_id):
            seen[character.character_id] = _by_fork(character, part)
    return tuple(seen.values())


def _by_fork(character: Character, part: Part) -> Character:
    if part.cap_no is None:
        return character
    return replace(
        character,
        aliases=tuple(alias for alias in character.aliases if part.holds_no(alias.address.since)),
        descriptions=tuple(text for text in character.descriptions if part.holds_no(text.address.since)),
        narrates=tuple(
            replace(told, until=min(told.until, part.cap_no))
            for told in character.narrates
            if part.holds_no(told.since)
        ),
    )


def seen_groups(view: View, parts: Parts) -> Mapping[str, Group]:
    """Give the groups a story sees, by how rows name them; a branch's own replaces its parent's.

    Of a parent's memberships those are seen that begin by the fork; what ends later goes on.
    """
    seen: dict[str, Group] = {}
    for part in parts:
        for group in view.groups(part.story_id):
            seen[group.ref] = _group_by_fork(group, part)
    return seen


def _group_by_fork(group: Group, part: Part) -> Group:
    if part.cap_no is None:
        return group
    return replace(
        group,
        members=tuple(
            one if one.until is None or part.holds_no(one.until) else replace(one, until=None)
            for one in group.members
            if part.holds_no(one.since)
        ),
    )


def is_open_at(cast: Iterable[Character], first_note: int | None, no: int) -> bool:
    """Whether all that an episode's text says is everybody's: nobody is declared, no note so far."""
    is_declared = any(character.declared for character in cast)
    return not is_declared and (first_note is None or no < first_note)


def seen_mentions(view: View, parts: Parts, cast: Sequence[Character] | None = None) -> Mapping[str, int]:
    """Give each character named by a live row the story sees, with the earliest number that does.

    So are those to whom one of the `cast` tells something, from the first episode told so.
    """
    seen: dict[str, int] = {}
    for part in parts:
        # A later part has higher numbers only, so the first to name somebody stays.
        for character_id, no in view.mentioned(part.story_id, cap=part.cap).items():
            seen.setdefault(character_id, no)
    if any(map(is_group, seen)):
        # A group is named, whose members are in the cast by themselves.
        seen = {one: no for one, no in seen.items() if one not in seen_groups(view, parts)}
    for character in seen_cast(view, parts) if cast is None else cast:
        for told in character.narrates:
            for character_id in told.told_to:
                seen[character_id] = min(told.since, seen.get(character_id, told.since))
    return seen


def full_cast(view: View, parts: Parts) -> tuple[Character, ...]:
    """Give the declared cast a story sees, then those only named by rows, each from the earliest one on."""
    declared = seen_cast(view, parts)
    known = {character.character_id for character in declared}
    return declared + tuple(
        Character(character_id=character_id, declared=False, since=since)
        for character_id, since in seen_mentions(view, parts, declared).items()
        if character_id not in known
    )


# -- episodes ------------------------------------------------------------------------------


def seen_states(view: View, parts: Parts) -> tuple[EpisodeState, ...]:
    """Give all episodes a story reads, deleted ones too, without texts, in story order.

    `EpisodeState.story_id` names the story that owns each.
    """
    return tuple(
        state
        for part in parts
        for state in view.episode_states(part.story_id)
        if part.holds_key(state.order_key)
    )


def seen_live_at(view: View, parts: Parts, no: int) -> EpisodeState | None:
    """Give the live episode of this number that a story reads, its own or a parent's."""
    part = part_of_no(parts, no)
    state = view.live_at(part.story_id, no)
    return state if state is not None and part.holds_key(state.order_key) else None


def seen_texts(view: View, parts: Parts, numbers: Collection[int]) -> Mapping[int, str]:
    """Give the texts of the live episodes with these numbers that a story reads."""
    found: dict[int, str] = {}
    after = 0
    for part in parts:
        theirs = {no for no in numbers if after < no and part.holds_no(no)}
        after = part.cap_no or after
        found.update(view.live_texts(part.story_id, theirs, cap=part.cap))
    return found


def seen_first_annotated(view: View, parts: Parts) -> int | None:
    """Give the lowest number of a live episode the story reads that has annotations or inline marks."""
    firsts = (view.first_annotated(part.story_id, cap=part.cap) for part in parts)
    return next((no for no in firsts if no is not None), None)


def seen_pending(view: View, parts: Parts, cutoff: int, *, holders: Collection[str]) -> tuple[int, ...]:
    """Give the numbers up to `cutoff` of live episodes that are not in these holders' memory yet."""
    return tuple(
        no for part in parts for no in view.pending(part.story_id, cutoff, holders=holders, cap=part.cap)
    )


def uptos(view: View, parts: Parts, cutoff: int) -> tuple[int | None, ...]:
    """Give for each part the position of its last live episode numbered `cutoff` or lower."""
    return tuple(view.upto(part.story_id, cutoff, cap=part.cap) for part in parts)


# -- facts and memories --------------------------------------------------------------------


def seen_facts(view: View, part: Part, episode_id: str) -> tuple[Fact, ...]:
    """Give the supplied and hand-made facts of one episode of a part, in order.

    A quote of an episode after the part is left out: that number is another episode's in a branch.
    """
    facts = (fact for _, fact in view.facts(part.story_id, episode_id))
    return tuple(
        fact
        if fact.quote_no is None or part.holds_no(fact.quote_no)
        else replace(fact, quote=None, quote_no=None)
        for fact in facts
    )


def seen_memories(view: View, parts: Parts) -> tuple[Memory, ...]:
    """Give every memory of what a story reads in story order, hidden ones too (author)."""
    return tuple(
        memory
        for part in parts
        for memory in view.memories(story_space(part.story_id))
        if part.holds_key(memory.position)
    )


# -- the family ----------------------------------------------------------------------------


def root_of(view: View, story: Story) -> Story:
    """Give the story that a branch, or a branch of it, goes back to; a story of its own gives itself."""
    parts = lineage(view, story)
    if len(parts) == 1:
        return story
    root = view.story(parts[0].story_id)
    assert root is not None
    return root


def descendants(view: View, story_id: str) -> Iterator[Story]:
    """Give the branches of a story and theirs, each after its parent (not the story itself)."""
    for child in view.branches(story_id):
        yield child
        yield from descendants(view, child.story_id)


def family(view: View, story: Story) -> tuple[Story, ...]:
    """Give the root of a story with all its branches and theirs, each after its parent."""
    root = root_of(view, story)
    return (root, *descendants(view, root.story_id))
