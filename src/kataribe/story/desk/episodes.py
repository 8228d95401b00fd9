"""Episodes: put, delete, restore, insert, renumber. Memory follows by `refresh`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from kataribe.domain.ids import check_id, check_text
from kataribe.domain.lineage import Parts
from kataribe.domain.records import EpisodeState
from kataribe.domain.story.audience import marked_ids
from kataribe.domain.story.inputs import Episode, check_no
from kataribe.domain.story.numbering import is_ordered, key_between, respaced
from kataribe.domain.terms import Extra, FactSource
from kataribe.errors import ConflictError, NotFoundError
from kataribe.ports import Clock, Transaction, View
from kataribe.story.desk.numbers import (
    Forks,
    Move,
    check_id_free,
    check_own,
    follow,
    forks_of,
    is_taken,
    own_quotes,
    refer,
)
from kataribe.story.fingerprints import parts_of, story_of
from kataribe.story.lineage import seen_live_at
from kataribe.story.staleness import refresh, refresh_after


@dataclass(frozen=True, slots=True, kw_only=True)
class PutResult:
    """What became of an episode that was put: `new`, `edited` or `unchanged`."""

    episode_id: str
    no: int
    version: int
    change: str


def live_state(view: View, story_id: str, no: int) -> EpisodeState:
    """Give the story's own live episode numbered `no`, to be changed.

    Raises `NotFoundError`, and `ConflictError` for one that a branch reads of its parent.
    """
    parts = parts_of(view, story_id)
    check_own(parts, check_no(no))
    return read_state(view, parts, no)


def read_state(view: View, parts: Parts, no: int) -> EpisodeState:
    """Give the live episode numbered `no` that a story reads, or raise `NotFoundError`."""
    state = seen_live_at(view, parts, check_no(no))
    if state is None:
        story_id = parts[-1].story_id
        raise NotFoundError(
            f"story {story_id!r} has no episode {no}; `kataribe episode list --story` shows them"
        )
    return state


def default_id(no: int, is_taken: Callable[[str], bool]) -> str:
    """Make an id out of the number at creation: `ep-3`, then `ep-3-2`, `ep-3-3` when taken."""
    candidate, count = f"ep-{no}", 1
    while is_taken(candidate):
        count += 1
        candidate = f"ep-{no}-{count}"
    return candidate


def _new_key(tx: Transaction, story_id: str, no: int) -> int:
    key = key_between(*tx.keys_around(story_id, no), no=no)
    if key is None:
        tx.set_numbers(story_id, {}, respaced(tx.episode_states(story_id)))
        key = key_between(*tx.keys_around(story_id, no), no=no)
    assert key is not None
    return key


def put_episode(
    tx: Transaction,
    story_id: str,
    *,
    no: int,
    text: str,
    episode_id: str | None = None,
    title: str | None = None,
) -> PutResult:
    """Add the episode numbered `no`, or give it a new text, as `place_episode` does."""
    done = place_episode(tx, story_id, no=no, text=text, episode_id=episode_id, title=title)
    if done.change != "unchanged":
        refresh_after(tx, story_id, done.episode_id)
    return done


def place_episode(
    tx: Transaction,
    story_id: str,
    *,
    no: int,
    text: str,
    episode_id: str | None = None,
    title: str | None = None,
    source: FactSource | None = None,
    extra: Extra | None = None,
) -> PutResult:
    """Add the episode numbered `no`, or give it a new text; the caller refreshes.

    `source` says where its facts come from (None: from where they did), `extra` what is kept with it
    (None: what was). Raises
    `ConflictError` when `episode_id` belongs to another number, or the number to
    another id or the id to another story of the family, or the number is a parent's.
    """
    check_own(parts_of(tx, story_id), check_no(no))
    check_text(text)
    held = tx.live_at(story_id, no)
    if episode_id is not None:
        check_id(episode_id, "episode id")
        _check_free(tx.episode_state(story_id, episode_id), no, episode_id, held)
    if held is None:
        return _add(
            tx, story_id, no=no, text=text, episode_id=episode_id, title=title, source=source, extra=extra
        )
    episode = tx.episode(story_id, held.episode_id)
    assert episode is not None
    after = edited(episode, text, title)
    after = replace(
        after, fact_source=source or after.fact_source, extra=after.extra if extra is None else extra
    )
    return _store_edit(tx, story_id, held, after)


def _check_free(owner: EpisodeState | None, no: int, episode_id: str, held: EpisodeState | None) -> None:
    """Refuse an id that is not this number's, and a number that is not this id's."""
    if held is not None and held.episode_id != episode_id:
        raise ConflictError(
            f"episode {no} is {held.episode_id!r}, not {episode_id!r}; "
            f"leave the id out, or insert a new episode there"
        )
    if owner is not None and held is None:
        done = f"number {owner.no}; renumber it first" if owner.is_live else "deleted; restore it first"
        raise ConflictError(f"episode {episode_id!r} is {done}")


def edited(episode: Episode, text: str, title: str | None) -> Episode:
    """Give the episode with this text; the author's paragraph cuts belong to the old one."""
    if text == episode.text:
        return replace(episode, title=episode.title if title is None else title)
    return replace(
        episode,
        text=text,
        title=episode.title if title is None else title,
        version=episode.version + 1,
        paragraph_ids=None,
    )


def _store_edit(tx: Transaction, story_id: str, state: EpisodeState, episode: Episode) -> PutResult:
    before = tx.episode(story_id, state.episode_id)
    change = "unchanged" if before == episode else "edited"
    if change == "edited":
        tx.put_episode(story_id, episode, order_key=state.order_key)
    return PutResult(episode_id=episode.episode_id, no=episode.no, version=episode.version, change=change)


def _add(
    tx: Transaction,
    story_id: str,
    *,
    no: int,
    text: str,
    episode_id: str | None,
    title: str | None,
    source: FactSource | None = None,
    extra: Extra | None = None,
) -> PutResult:
    story = story_of(tx, story_id)
    if episode_id is None:
        episode_id = default_id(no, lambda made: is_taken(tx, story, made))
    else:
        check_id_free(tx, story, episode_id)
    told = source or FactSource.EXTRACTED
    episode = Episode(
        episode_id=episode_id, no=no, text=text, title=title, fact_source=told, extra=extra or {}
    )
    marked_ids(text)
    store_new(tx, story_id, episode)
    return PutResult(episode_id=episode.episode_id, no=no, version=1, change="new")


def store_new(tx: Transaction, story_id: str, episode: Episode) -> None:
    """Store a new episode; the caller notes its inputs and refreshes."""
    tx.put_episode(story_id, episode, order_key=_new_key(tx, story_id, episode.no))


def delete_episode(tx: Transaction, story_id: str, no: int, clock: Clock) -> str:
    """Delete an episode: its memories go at once, its number stays a gap, its text can come back."""
    state = live_state(tx, story_id, no)
    tx.set_deleted(story_id, state.episode_id, clock.now().isoformat())
    refresh(tx, story_id)
    return state.episode_id


def restore_episode(tx: Transaction, story_id: str, no: int) -> str:
    """Bring back the episode last deleted from this number.

    Raises `ConflictError` when the number is taken, `NotFoundError` when none was deleted.
    """
    check_own(parts_of(tx, story_id), check_no(no))
    states = tx.episode_states(story_id)
    gone = [state for state in states if not state.is_live and state.no == no]
    holder = next((state for state in states if state.is_live and state.no == no), None)
    if holder is not None:
        raise ConflictError(
            f"number {no} is taken by episode {holder.episode_id!r}; renumber or delete that one first"
        )
    if not gone:
        raise NotFoundError(f"no deleted episode of story {story_id!r} had number {no}")
    latest = max(gone, key=lambda state: (state.deleted_at or "", state.order_key))
    tx.set_deleted(story_id, latest.episode_id, None)
    refresh(tx, story_id)
    return latest.episode_id


def insert_episode(
    tx: Transaction,
    story_id: str,
    *,
    no: int,
    text: str,
    episode_id: str | None = None,
    title: str | None = None,
) -> PutResult:
    """Put a new episode at `no`; the one that was there and all later ones move up by one.

    Aliases and quotes that name a later number follow it, as do branches forked after one.
    """
    check_own(parts_of(tx, story_id), check_no(no))
    check_text(text)
    states = tx.episode_states(story_id)
    if episode_id is not None:
        check_id(episode_id, "episode id")
        if any(state.episode_id == episode_id for state in states):
            raise ConflictError(f"there is an episode {episode_id!r} already; choose another id")
    later = [state for state in states if state.no >= no]
    if any(state.is_live for state in later):
        forks = forks_of(tx, story_id)
        tx.set_numbers(story_id, {state.episode_id: state.no + 1 for state in later}, {})
        _carry(tx, story_id, forks, lambda named: named + 1 if named >= no else named)
        # Numbers decide which names an episode knows: all those that moved are looked at again.
        refresh(tx, story_id)
    done = _add(tx, story_id, no=no, text=text, episode_id=episode_id, title=title)
    refresh_after(tx, story_id, done.episode_id)
    return done


def _carry(tx: Transaction, story_id: str, forks: Forks, move: Move) -> None:
    """Let what names the story's numbers follow them, and its branches too."""
    refer(tx, story_id, move)
    follow(tx, story_id, forks, move)


def renumber_episode(tx: Transaction, story_id: str, *, no: int, to: int) -> str:
    """Move an episode to a free number; aliases and quotes that name it follow.

    A branch forked after it goes along: its own episodes keep their distance.
    """
    state = live_state(tx, story_id, no)
    check_own(parts_of(tx, story_id), check_no(to, "new number"))
    if no == to:
        return state.episode_id
    states = tx.episode_states(story_id)
    taken = next((other for other in states if other.is_live and other.no == to), None)
    if taken is not None:
        raise ConflictError(
            f"number {to} is taken by episode {taken.episode_id!r}; "
            f"move that one away first, or use `episode insert`"
        )
    forks = forks_of(tx, story_id)
    renumber(tx, story_id, {state.episode_id: to})
    _carry(tx, story_id, forks, lambda named: to if named == no else named)
    own_quotes(tx, story_id, state.episode_id, to)
    refresh(tx, story_id)
    return state.episode_id


def renumber(tx: Transaction, story_id: str, numbers: Mapping[str, int]) -> None:
    """Give these episodes new numbers, and new order keys where their order changes."""
    tx.set_numbers(story_id, numbers, {})
    states = tx.episode_states(story_id)
    if is_ordered(states):
        return
    if len(numbers) == 1:
        (episode_id, no) = next(iter(numbers.items()))
        key = key_between(*tx.keys_around(story_id, no, leaving_out=episode_id))
        if key is not None:
            tx.set_numbers(story_id, {}, {episode_id: key})
            return
    tx.set_numbers(story_id, {}, respaced(states))
