"""A story as an author reads it: its episodes, its cast and what is remembered, from the root on."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from kataribe.domain.ids import WORLD
from kataribe.domain.memory import Memory
from kataribe.domain.records import EpisodeState
from kataribe.domain.story import Character, Story
from kataribe.domain.views import REVIEW, EpisodeMark, Share
from kataribe.errors import NotFoundError
from kataribe.ports import Reading


@dataclass(frozen=True, slots=True)
class Part:
    """A story of a line, read up to the position `cap` (None: all of it)."""

    story_id: str
    cap: int | None
    cap_no: int | None


def parts_of(ledger: Reading, story: Story) -> tuple[Part, ...]:
    """Give what a story is read from, the root first, each parent up to the fork, itself last."""
    found = [Part(story.story_id, None, None)]
    while story.parent is not None and story.fork_episode_id is not None:
        parent = story_of(ledger, story.parent)
        fork = ledger.episode_state(parent.story_id, story.fork_episode_id)
        if fork is None:
            break
        found.insert(0, Part(parent.story_id, fork.order_key, fork.no))
        story = parent
    return tuple(found)


def story_of(ledger: Reading, story_id: str) -> Story:
    """Give the story, or raise `NotFoundError`."""
    story = ledger.story(story_id)
    if story is None:
        raise NotFoundError(f"there is no story {story_id!r}; `kataribe story list` shows them")
    return story


@dataclass(frozen=True, slots=True)
class Seen:
    """A story with its live episodes by number, and its cast: declared, then those only named."""

    story: Story
    parts: tuple[Part, ...]
    states: Mapping[tuple[str, int], EpisodeState]
    """Live episodes by story and position, in story order."""
    cast: tuple[Character, ...]

    @property
    def story_id(self) -> str:
        """The story's id."""
        return self.story.story_id

    def episodes(self, first: int | None = None, last: int | None = None) -> tuple[EpisodeMark, ...]:
        """Give the live episodes numbered from `first` to `last`, by number."""
        return tuple(
            mark_of(story_id, state)
            for (story_id, _), state in self.states.items()
            if (first is None or state.no >= first) and (last is None or state.no <= last)
        )

    def after_the_last(self) -> int:
        """Give the number at which everything told so far is known."""
        return max((state.no for state in self.states.values()), default=0) + 1

    def name_of(self, holder: str) -> str:
        """Say a holder as the author calls it."""
        if holder == WORLD:
            return "everybody"
        if holder == REVIEW:
            return "in review"
        return next((c.name for c in self.cast if c.character_id == holder), holder)


def see(ledger: Reading, story_id: str) -> Seen:
    """Read a story's frame. Raises `NotFoundError`."""
    story = story_of(ledger, story_id)
    parts = parts_of(ledger, story)
    states: dict[tuple[str, int], EpisodeState] = {}
    for part in parts:
        for state in ledger.episode_states(part.story_id):
            if state.is_live and (part.cap is None or state.order_key <= part.cap):
                states[part.story_id, state.order_key] = state
    return Seen(story, parts, states, _cast(ledger, parts))


def mark_of(story_id: str, state: EpisodeState) -> EpisodeMark:
    """Show an episode without its text."""
    return EpisodeMark(
        no=state.no,
        episode_id=state.episode_id,
        title=state.title,
        story_id=story_id,
        in_memory=state.visible,
    )


def _cast(ledger: Reading, parts: tuple[Part, ...]) -> tuple[Character, ...]:
    cast: dict[str, Character] = {}
    named: dict[str, int] = {}
    for part in parts:
        for character in ledger.characters(part.story_id):
            cast[character.character_id] = _up_to(character, part.cap_no)
        for character_id, since in ledger.mentioned(part.story_id).items():
            if part.cap_no is None or since <= part.cap_no:
                named[character_id] = min(since, named.get(character_id, since))
    later = sorted((since, who) for who, since in named.items() if who not in cast)
    joined = [Character(character_id=who, declared=False, since=since) for since, who in later]
    return (*cast.values(), *joined)


def _up_to(character: Character, no: int | None) -> Character:
    """What a branch sees of a parent's character: no name or description that comes after the fork."""
    if no is None:
        return character
    return replace(
        character,
        aliases=tuple(a for a in character.aliases if a.address.since <= no),
        descriptions=tuple(d for d in character.descriptions if d.address.since <= no),
    )


def shares_of(
    ledger: Reading, seen: Seen, *, holders: Collection[str] | None = None
) -> Iterator[tuple[int, Share]]:
    """Stream what is remembered of a story with each one's episode number, in story order.

    What waits in review is there under the empty holder, of episodes that are in memory only.
    """
    for part in seen.parts:
        for share in ledger.shares(part.story_id, upto=part.cap, holders=holders):
            state = seen.states.get((part.story_id, share.position))
            if state is not None and state.visible:
                yield state.no, share


def copies_of(ledger: Reading, seen: Seen, fact_id: str) -> tuple[tuple[Part, Memory], ...]:
    """Give every copy of a fact in the story's parts, hidden ones and those after a fork too."""
    return tuple(
        (part, memory) for part in seen.parts for memory in ledger.memories(part.story_id, fact_id=fact_id)
    )
