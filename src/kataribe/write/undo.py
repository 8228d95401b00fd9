"""Undo: what a verb changed is recorded with it, and can be put back as it was."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from kataribe.domain.ids import exact_hash
from kataribe.domain.numbering import is_ordered, respaced
from kataribe.domain.records import EpisodeState
from kataribe.domain.steps import STEPS_KEPT, Scope, Step, episode_of, episodes_of, kind_of, scope_of
from kataribe.domain.story import check_no
from kataribe.errors import ConflictError, NotFoundError
from kataribe.ports import Clock, Reading, Writing
from kataribe.write.episodes import live_state
from kataribe.write.refresh import note_inputs, refresh, story_of

PLACES = Scope(places=True)
CAST = Scope(cast=True)


@dataclass(slots=True)
class Recording:
    """What is being done; `summary` is said to whoever asks what can be undone."""

    summary: str = ""


@contextmanager
def recorded(ledger: Writing, clock: Clock, story_id: str, scope: Scope) -> Iterator[Recording]:
    """Record what the block changes of the inputs in this scope, in the same transaction.

    The block must fill `summary`. Nothing is recorded when nothing changed.
    """
    before = ledger.inputs(story_id, scope)
    recording = Recording()
    yield recording
    after = ledger.inputs(story_id, scope)
    changed = sorted(key for key in before.keys() | after.keys() if before.get(key) != after.get(key))
    if changed:
        latest = ledger.steps(story_id, last=1)
        step = Step(
            number=latest[0].number + 1 if latest else 1,
            at=clock.now().isoformat(),
            summary=recording.summary,
            before={key: before.get(key) for key in changed},
            after={key: _digest(after.get(key)) for key in changed},
        )
        ledger.put_step(story_id, step, keep=STEPS_KEPT)


def _digest(word: str | None) -> str | None:
    return None if word is None else exact_hash(word)


def fact_scope(ledger: Reading, story_id: str, fact_id: str, *, to_no: int | None = None) -> Scope:
    """Give the scope of a change to a fact: the episode it is in, and the one it goes to."""
    found = ledger.fact(story_id, fact_id)
    homes = {copy.episode_id for copy in ledger.memories(story_id, fact_id=fact_id)}
    if found is not None:
        homes.add(found[0])
    if to_no is not None:
        homes.add(live_state(ledger, story_id, to_no).episode_id)
    return Scope(episodes=frozenset(homes))


def put_scope(ledger: Reading, story_id: str, no: int) -> Scope:
    """Give the scope of putting the episode numbered `no`: its text, or the place of a new one."""
    story_of(ledger, story_id)
    held = ledger.live_at(story_id, check_no(no))
    return PLACES if held is None else Scope(episodes=frozenset({held.episode_id}))


def undo_last(
    ledger: Writing, story_id: str, clock: Clock, *, number: int | None = None
) -> tuple[Step, tuple[str, ...]]:
    """Take the last step back; give it, and the episodes whose memory is to follow.

    An episode that the step made is deleted, not destroyed: its text can be restored. A text
    that comes back is a new version. `number` refuses to take back another step than this.
    Raises `NotFoundError` when there is nothing to undo, `ConflictError` when what the step
    left behind has been changed since; nothing is changed then.
    """
    story_of(ledger, story_id)
    last = ledger.steps(story_id, last=1)
    if not last:
        raise NotFoundError(f"there is nothing to undo in story {story_id!r}")
    step = last[0]
    if number is not None and step.number != number:
        raise ConflictError(
            f"step {number} is not the last any more, step {step.number} is ({step.summary}); "
            f"`kataribe undo --story {story_id} --list` shows them"
        )
    _check_unchanged(ledger, story_id, step)
    _check_numbers(ledger, story_id, step)
    touched = _put_back(ledger, story_id, step, clock)
    for episode_id in touched:
        note_inputs(ledger, story_id, episode_id)
    refresh(ledger, story_id)
    ledger.delete_step(story_id, step.number)
    return step, tuple(state.episode_id for state in _live(ledger, story_id) if state.episode_id in touched)


def _live(ledger: Reading, story_id: str) -> list[EpisodeState]:
    return [state for state in ledger.episode_states(story_id) if state.is_live]


def _check_unchanged(ledger: Reading, story_id: str, step: Step) -> None:
    now = ledger.inputs(story_id, scope_of(step.after))
    for key, left in step.after.items():
        if _digest(now.get(key)) != left:
            raise ConflictError(
                f"cannot undo {step.summary!r}: {_named(ledger, story_id, key)} has been changed since "
                f"by an import or another process; change it by hand"
            )
    for key, word in step.before.items():
        if kind_of(key) == "fact" and word is not None and key not in now:
            _, episode_id, fact_id = key.split(":")
            held = ledger.fact(story_id, fact_id)
            if held is not None and f"fact:{held[0]}:{fact_id}" not in step.after:
                raise ConflictError(
                    f"cannot undo {step.summary!r}: fact {fact_id!r} is in episode {held[0]!r} now, "
                    f"not in {episode_id!r}; delete that one first"
                )


_WORDS = {
    "text": "the text of episode {}",
    "no": "the number of episode {}",
    "gone": "whether episode {} is deleted",
    "notes": "what is annotated in episode {}",
    "fact": "a fact of episode {}",
    "struck": "what is struck out of episode {}",
    "pin": "a pin in episode {}",
}


def _named(ledger: Reading, story_id: str, key: str) -> str:
    episode_id = episode_of(key)
    if episode_id is None:
        return f"character {key.partition(':')[2]!r}"
    state = ledger.episode_state(story_id, episode_id)
    return _WORDS[kind_of(key)].format(repr(episode_id) if state is None else state.no)


def _numbers(step: Step) -> dict[str, int]:
    """Give the numbers that come back, by episode."""
    return {
        key.partition(":")[2]: int(word)
        for key, word in step.before.items()
        if kind_of(key) == "no" and word is not None
    }


def _made(step: Step) -> frozenset[str]:
    """Give the episodes the step made."""
    return episodes_of(key for key, word in step.before.items() if kind_of(key) == "gone" and word is None)


def _check_numbers(ledger: Reading, story_id: str, step: Step) -> None:
    """Refuse when a number that comes back has been given to another episode."""
    numbers, made = _numbers(step), _made(step)
    live: Counter[int] = Counter()
    for state in ledger.episode_states(story_id):
        key = f"gone:{state.episode_id}"
        comes = step.before.get(key) == "null" if key in step.before else state.is_live
        if comes and state.episode_id not in made:
            live[numbers.get(state.episode_id, state.no)] += 1
    taken = sorted(no for no, count in live.items() if count > 1)
    if taken:
        raise ConflictError(
            f"cannot undo {step.summary!r}: number {taken[0]} is taken by another episode now; "
            f"renumber or delete that one first"
        )


def _put_back(ledger: Writing, story_id: str, step: Step, clock: Clock) -> frozenset[str]:
    made, numbers = _made(step), _numbers(step)
    for episode_id in made:
        ledger.set_deleted(story_id, episode_id, clock.now().isoformat())
    rest = {
        key: word
        for key, word in step.before.items()
        if kind_of(key) != "no" and not (kind_of(key) == "gone" and word is None)
    }
    # Who is to be live needs a free number first, who is not makes one free.
    leaving = {key: word for key, word in rest.items() if kind_of(key) == "gone" and word != "null"}
    ledger.put_back(story_id, leaving)
    if numbers:
        ledger.set_numbers(story_id, numbers, {})
        states = ledger.episode_states(story_id)
        if not is_ordered(states):
            ledger.set_numbers(story_id, {}, respaced(states))
    ledger.put_back(story_id, {key: word for key, word in rest.items() if key not in leaving})
    return episodes_of(key for key in step.before if kind_of(key) != "no") - made
