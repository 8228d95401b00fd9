"""Undo: what a verb changed is recorded with it, and can be put back as it was."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from kataribe.domain.evidence import AudienceMode
from kataribe.domain.ids import exact_hash
from kataribe.domain.space import story_space
from kataribe.domain.story.inputs import check_no
from kataribe.domain.story.numbering import is_ordered, respaced
from kataribe.domain.story.undo import (
    AUDIENCE,
    STEPS_KEPT,
    Scope,
    Step,
    episode_of,
    episodes_of,
    kind_of,
    scope_of,
)
from kataribe.errors import ConflictError, NotFoundError
from kataribe.ports import Clock, Transaction, View
from kataribe.story.desk.episodes import live_state
from kataribe.story.desk.groups import check_none_named
from kataribe.story.desk.stories import set_audience
from kataribe.story.fingerprints import parts_of, story_of
from kataribe.story.lineage import descendants, family, fork_no
from kataribe.story.staleness import note_inputs, refresh

PLACES = Scope(places=True)
CAST = Scope(cast=True)
SETTINGS = Scope(settings=True)
_BRANCHES = "branches"
"""The key of which branches followed when numbers changed."""

Inputs = Mapping[str, str | None]


@dataclass(slots=True)
class Recording:
    """What is being done; `summary` is said to whoever asks what can be undone.

    `made` is a new episode (id, number) that changed nothing else, so that nothing else needs to be
    compared: adding the last of many episodes costs what adding the first does.
    """

    summary: str = ""
    made: tuple[str, int] | None = None


# -- recording -----------------------------------------------------------------------------


@contextmanager
def recorded(tx: Transaction, clock: Clock, story_id: str, scope: Scope) -> Iterator[Recording]:
    """Record what the block changes of the inputs in this scope, in the same transaction.

    The block must fill `summary`. Nothing is recorded when nothing changed.
    """
    before = _seen(tx, story_id, scope)
    recording = Recording()
    yield recording
    after = _seen(tx, story_id, scope)
    # What has left the scope by the change, a quote that names a number no more, is not gone.
    left = _seen_of(tx, story_id, before.keys() - after.keys())
    after.update({key: left[key] for key in before.keys() - after.keys() if key in left})
    if recording.made is not None:
        episode_id, no = recording.made
        after |= {f"no:{episode_id}": str(no), f"gone:{episode_id}": "null"}
    changed = sorted(key for key in before.keys() | after.keys() if before.get(key) != after.get(key))
    if not changed:
        return
    if any(kind_of(key) == "no" and key in before for key in _by_story(story_id, changed)[story_id]):
        changed.append(_BRANCHES)
        before[_BRANCHES] = after[_BRANCHES] = _branches(tx, story_id)
    latest = tx.steps(story_id, last=1)
    step = Step(
        number=latest[0].number + 1 if latest else 1,
        at=clock.now().isoformat(),
        summary=recording.summary,
        before={key: before.get(key) for key in changed},
        after={key: _digest(after.get(key)) for key in changed},
    )
    tx.put_step(story_id, step, keep=STEPS_KEPT)


def _digest(word: str | None) -> str | None:
    return None if word is None else exact_hash(word)


def _branches(view: View, story_id: str) -> str:
    return ",".join(sorted(branch.story_id for branch in descendants(view, story_id)))


def _seen(view: View, story_id: str, scope: Scope) -> dict[str, str]:
    """Give the inputs in the scope; those of branches, which follow numbers and names, are marked so."""
    found = dict(view.inputs(story_id, scope))
    if scope.places:
        for branch in descendants(view, story_id):
            theirs = view.inputs(branch.story_id, scope)
            found.update({f"@{branch.story_id}:{key}": word for key, word in theirs.items()})
    return found


def _seen_of(view: View, story_id: str, keys: Iterable[str]) -> dict[str, str]:
    """Give what there is of inputs with these keys, and what lies beside them."""
    found: dict[str, str] = {}
    for owner, theirs in _by_story(story_id, keys).items():
        mark = "" if owner == story_id else f"@{owner}:"
        now = view.inputs(owner, scope_of(theirs))
        found.update({f"{mark}{key}": word for key, word in now.items()})
    return found


def _by_story(story_id: str, keys: Iterable[str]) -> dict[str, list[str]]:
    """Part keys by the story they are of, the one that was changed first."""
    found: dict[str, list[str]] = {story_id: []}
    for key in keys:
        if key.startswith("@"):
            owner, _, rest = key[1:].partition(":")
            found.setdefault(owner, []).append(rest)
        elif key != _BRANCHES:
            found[story_id].append(key)
    return found


def fact_scope(view: View, story_id: str, fact_id: str, *, to_no: int | None = None) -> Scope:
    """Give the scope of a change to a fact: the episode it is in, and the one it goes to."""
    found = view.fact(story_id, fact_id)
    homes = {copy.episode_id for copy in view.memories(story_space(story_id), fact_id=fact_id)}
    if found is not None:
        homes.add(found[0])
    if to_no is not None:
        homes.add(live_state(view, story_id, to_no).episode_id)
    return Scope(episodes=frozenset(homes))


def put_scope(view: View, story_id: str, no: int) -> Scope:
    """Give the scope of putting the episode numbered `no`: its text; nothing when it is new."""
    story_of(view, story_id)
    held = view.live_at(story_id, check_no(no))
    return Scope() if held is None else Scope(episodes=frozenset({held.episode_id}))


# -- taking back ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class InputShare:
    """What is to come back of one story: inputs as they were, by key; None for one that was not there."""

    story_id: str
    before: Inputs

    @property
    def numbers(self) -> dict[str, int]:
        """The numbers that come back, by episode."""
        return {
            key.partition(":")[2]: int(word)
            for key, word in self.before.items()
            if kind_of(key) == "no" and word is not None
        }

    @property
    def made(self) -> frozenset[str]:
        """The episodes the step made."""
        return episodes_of(
            key for key, word in self.before.items() if kind_of(key) == "gone" and word is None
        )


def undo_last(
    tx: Transaction, story_id: str, clock: Clock, *, number: int | None = None
) -> tuple[Step, tuple[tuple[str, str], ...]]:
    """Take the last step back; give it, and (story id, episode id) of what is to follow in memory.

    An episode that the step made is deleted, not destroyed: its text can be restored. A text
    that comes back is a new version. `number` refuses to take back another step than this.
    Raises `NotFoundError` when there is nothing to undo, `ConflictError` when what the step
    left behind has been changed since; the transaction is to be given up then.
    """
    story_of(tx, story_id)
    last = tx.steps(story_id, last=1)
    if not last:
        raise NotFoundError(f"there is nothing to undo in story {story_id!r}")
    step = last[0]
    if number is not None and step.number != number:
        raise ConflictError(
            f"step {number} is not the last any more, step {step.number} is ({step.summary}); "
            f"`kataribe undo --story {story_id} --list` shows them"
        )
    _check_unchanged(tx, story_id, step)
    doing = f"undo {step.summary!r}"
    touched = restore_inputs(tx, _shares(story_id, step), clock, doing=doing)
    check_forks(tx, story_id, doing=doing)
    refresh(tx, story_id)
    tx.delete_step(story_id, step.number)
    return step, touched


def restore_inputs(
    tx: Transaction, shares: Sequence[InputShare], clock: Clock, *, doing: str
) -> tuple[tuple[str, str], ...]:
    """Make inputs what they were; the caller looks at branches and refreshes.

    Gives (story id, episode id) of the live episodes whose memory is to follow. Raises
    `ConflictError` that says what cannot be done (`doing`); the transaction is to be given up then.
    """
    for share in shares:
        _check_facts(tx, share, doing)
        _check_numbers(tx, share, doing)
    touched: list[tuple[str, str]] = []
    groups = {share.story_id: tx.groups(share.story_id) for share in shares}
    for share in shares:
        if AUDIENCE in share.before:
            set_audience(tx, share.story_id, _audience_of(share))
        for episode_id in sorted(_put_back(tx, share, clock)):
            note_inputs(tx, share.story_id, episode_id)
            state = tx.episode_state(share.story_id, episode_id)
            if state is not None and state.is_live:
                touched.append((share.story_id, episode_id))
        left = {group.group_id for group in tx.groups(share.story_id)}
        gone = [group for group in groups[share.story_id] if group.group_id not in left]
        if gone:
            check_none_named(tx, share.story_id, gone)
    return tuple(touched)


def _audience_of(share: InputShare) -> AudienceMode:
    """Give the mode that comes back; every guess counted in stores of before there was a choice."""
    word = share.before[AUDIENCE]
    return AudienceMode.WIDE if word is None else AudienceMode(word.strip('"'))


def _shares(story_id: str, step: Step) -> tuple[InputShare, ...]:
    return tuple(
        InputShare(owner, {key: step.before[key if owner == story_id else f"@{owner}:{key}"] for key in keys})
        for owner, keys in _by_story(story_id, step.before).items()
    )


_UNSAID = ',"arousal":null}'
"""How a fact of which nobody said an arousal ends; in stores of before there was one it ends without."""


def _digests(word: str | None) -> tuple[str | None, ...]:
    """Give the digests an input has had as it stands: a store may have been upgraded since the step."""
    if word is None or not word.endswith(_UNSAID):
        return (_digest(word),)
    return _digest(word), _digest(f"{word.removesuffix(_UNSAID)}}}")


def _check_unchanged(view: View, story_id: str, step: Step) -> None:
    if _BRANCHES in step.after and _digest(_branches(view, story_id)) != step.after[_BRANCHES]:
        raise ConflictError(
            f"cannot undo {step.summary!r}: the story has other branches than it had, which would have to "
            f"follow; use `kataribe episode renumber`"
        )
    now = _seen_of(view, story_id, step.after)
    for key, left in step.after.items():
        if key != _BRANCHES and left not in _digests(now.get(key)):
            raise ConflictError(
                f"cannot undo {step.summary!r}: {_named(view, story_id, key)} has been changed since "
                f"by an import or another process; change it by hand"
            )


_WORDS = {
    "text": "the text of episode {}",
    "source": "where the facts of episode {} come from",
    "no": "the number of episode {}",
    "gone": "whether episode {} is deleted",
    "notes": "what is annotated in episode {}",
    "fact": "a fact of episode {}",
    "struck": "what is struck out of episode {}",
    "pin": "a pin in episode {}",
}


def _named(view: View, story_id: str, key: str) -> str:
    owner, (own_key,) = list(_by_story(story_id, [key]).items())[-1]
    if own_key == AUDIENCE:
        return "the audience mode"
    episode_id = episode_of(own_key)
    if episode_id is None:
        what = "group" if kind_of(own_key).startswith("group") else "character"
        return f"{what} {own_key.partition(':')[2]!r}"
    state = view.episode_state(owner, episode_id)
    where = _WORDS[kind_of(own_key)].format(repr(episode_id) if state is None else state.no)
    return where if owner == story_id else f"{where} of {owner!r}"


def _check_facts(view: View, share: InputShare, doing: str) -> None:
    """Refuse when a fact that comes back is in another episode now, or in another story of the family."""
    for key, word in share.before.items():
        if kind_of(key) == "fact" and word is not None:
            _, episode_id, fact_id = key.split(":")
            known = {f"fact:{episode_id}:{fact_id}", *share.before}
            for member in family(view, story_of(view, share.story_id)):
                held = view.fact(member.story_id, fact_id)
                own = member.story_id == share.story_id
                if held is not None and not (own and f"fact:{held[0]}:{fact_id}" in known):
                    raise ConflictError(
                        f"cannot {doing}: there is a fact {fact_id!r} in episode {held[0]!r} "
                        f"of {member.story_id!r} now; delete that one first"
                    )


def _check_numbers(view: View, share: InputShare, doing: str) -> None:
    """Refuse when a number that comes back has been given to another episode."""
    numbers, made = share.numbers, share.made
    live: Counter[int] = Counter()
    for state in view.episode_states(share.story_id):
        key = f"gone:{state.episode_id}"
        comes = share.before[key] == "null" if key in share.before else state.is_live
        if comes and state.episode_id not in made:
            live[numbers.get(state.episode_id, state.no)] += 1
    taken = sorted(no for no, count in live.items() if count > 1)
    if taken:
        raise ConflictError(
            f"cannot {doing}: number {taken[0]} is taken by another episode now; "
            f"renumber or delete that one first"
        )


def check_forks(view: View, story_id: str, *, doing: str) -> None:
    """Refuse when a branch would have episodes of its own at its parent's numbers."""
    for branch in descendants(view, story_id):
        fork = fork_no(parts_of(view, branch.story_id))
        if any(state.no <= fork for state in view.episode_states(branch.story_id) if state.is_live):
            raise ConflictError(
                f"cannot {doing}: the branch {branch.story_id!r} has episodes at numbers "
                f"that would be its parent's; renumber those first"
            )


def _put_back(tx: Transaction, share: InputShare, clock: Clock) -> frozenset[str]:
    """Put one story's inputs back; give the episodes whose rows, text or deletion changed."""
    story_id, made, numbers = share.story_id, share.made, share.numbers
    for episode_id in made:
        tx.set_deleted(story_id, episode_id, clock.now().isoformat())
    rest = {
        key: word
        for key, word in share.before.items()
        if kind_of(key) not in ("no", "audience") and not (kind_of(key) == "gone" and word is None)
    }
    # Who is to be live needs a free number first, who is not makes one free.
    leaving = {key: word for key, word in rest.items() if kind_of(key) == "gone" and word != "null"}
    tx.put_back(story_id, leaving)
    if numbers:
        tx.set_numbers(story_id, numbers, {})
        states = tx.episode_states(story_id)
        if not is_ordered(states):
            tx.set_numbers(story_id, {}, respaced(states))
    tx.put_back(story_id, {key: word for key, word in rest.items() if key not in leaving})
    return episodes_of(key for key in share.before if kind_of(key) != "no") - made
