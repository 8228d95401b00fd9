"""Save slots: a story's inputs are kept under a name, and put back in one transaction."""

from __future__ import annotations

from collections.abc import Mapping

from kataribe.domain.story.checkpoint import Checkpoint
from kataribe.domain.story.undo import EVERYTHING, episode_of, kind_of
from kataribe.errors import ConflictError, NotFoundError
from kataribe.ports import Clock, Transaction, View
from kataribe.story.desk.numbers import follow, forks_of
from kataribe.story.desk.undo import InputShare, check_forks, restore_inputs
from kataribe.story.fingerprints import parts_of, story_of
from kataribe.story.lineage import descendants, fork_no, lineage, seen_states
from kataribe.story.staleness import note_inputs, refresh

_LIVE = "null"
"""The word of an episode that is not deleted."""

Words = Mapping[str, str]
ReadEpisodes = Mapping[str, frozenset[tuple[str, str]]]


def make_checkpoint(
    tx: Transaction, story_id: str, name: str, clock: Clock, *, replace: bool = False
) -> Checkpoint:
    """Keep a story's inputs under a name.

    Raises `NotFoundError`, and `ConflictError` when there is one of this name and `replace` is False.
    """
    story = story_of(tx, story_id)
    words = tx.inputs(story_id, EVERYTHING)
    made = Checkpoint(
        name=name,
        at=clock.now().isoformat(),
        episodes=sum(kind_of(key) == "gone" and word == _LIVE for key, word in words.items()),
        facts=sum(kind_of(key) == "fact" for key in words),
        fork_episode_id=story.fork_episode_id,
        fork_no=fork_no(parts_of(tx, story_id)),
    )
    if not replace and any(one.name == name for one in tx.checkpoints(story_id)):
        raise ConflictError(
            f"story {story_id!r} has a checkpoint {name!r} already; replace it, or choose another name"
        )
    tx.put_checkpoint(story_id, made, words)
    return made


def checkpoints_of(view: View, story_id: str) -> tuple[Checkpoint, ...]:
    """Give the checkpoints of a story, by name. Raises `NotFoundError`."""
    story_of(view, story_id)
    return view.checkpoints(story_id)


def checkpoint_of(view: View, story_id: str, name: str) -> Checkpoint:
    """Give one checkpoint. Raises `NotFoundError`."""
    for one in checkpoints_of(view, story_id):
        if one.name == name:
            return one
    raise _unknown(story_id, name)


def delete_checkpoint(tx: Transaction, story_id: str, name: str) -> None:
    """Forget a checkpoint; the story stays as it is. Raises `NotFoundError`."""
    story_of(tx, story_id)
    if not tx.delete_checkpoint(story_id, name):
        raise _unknown(story_id, name)


def _unknown(story_id: str, name: str) -> NotFoundError:
    return NotFoundError(
        f"story {story_id!r} has no checkpoint {name!r}; "
        f"`kataribe story checkpoints --story {story_id}` lists them"
    )


def rewind(
    tx: Transaction, story_id: str, name: str, clock: Clock
) -> tuple[Checkpoint, tuple[tuple[str, str], ...]]:
    """Make a story's inputs what they were at a checkpoint.

    Gives the checkpoint, and (story id, episode id) of what is to follow in memory. An episode
    made since is deleted, not destroyed: its text can be restored. Raises `NotFoundError`, and
    `ConflictError` where a branch reads what would vanish or the story's fork has moved since;
    the transaction is to be given up then.
    """
    kept = checkpoint_of(tx, story_id, name)
    doing = f"rewind {story_id!r} to {name!r}"
    _check_fork(tx, story_id, kept, doing)
    read, forks = _read_by_branches(tx, story_id), forks_of(tx, story_id)
    then, now = tx.checkpoint_inputs(story_id, name), tx.inputs(story_id, EVERYTHING)
    before = _differences(then, now)
    touched = restore_inputs(tx, [InputShare(story_id, before)], clock, doing=doing)
    for episode_id in sorted({str(episode_of(key)) for key, word in before.items() if _is_taken(key, word)}):
        # A fact that goes back to its episode leaves one behind that was made since.
        note_inputs(tx, story_id, episode_id)
    moves = _moves(then, now)
    follow(tx, story_id, forks, lambda no: moves.get(no, no))
    check_forks(tx, story_id, doing=doing)
    refresh(tx, story_id)
    _check_read(read, _read_by_branches(tx, story_id), doing)
    return kept, touched


def _differences(then: Words, now: Words) -> dict[str, str | None]:
    """Tell what has to change: inputs as they were, None for one that was not there.

    Of an episode made since only two things change: it is deleted, and it gives up facts that
    were in another episode. The rest stays, for who restores it.
    """
    made = {key.partition(":")[2] for key in now if kind_of(key) == "no" and key not in then}
    back = {key.rpartition(":")[2] for key in then if kind_of(key) == "fact"}
    changed: dict[str, str | None] = {}
    for key in then.keys() | now.keys():
        if then.get(key) == now.get(key):
            continue
        if episode_of(key) in made and not (
            (kind_of(key) == "gone" and now[key] == _LIVE)
            or (kind_of(key) == "fact" and key.rpartition(":")[2] in back)
        ):
            continue
        changed[key] = then.get(key)
    return changed


def _is_taken(key: str, word: str | None) -> bool:
    return kind_of(key) == "fact" and word is None


def _moves(then: Words, now: Words) -> dict[int, int]:
    """Tell which number each live episode's number becomes."""
    return {
        int(word): int(then[key])
        for key, word in now.items()
        if kind_of(key) == "no" and key in then and now[f"gone:{key.partition(':')[2]}"] == _LIVE
    }


def _check_fork(view: View, story_id: str, kept: Checkpoint, doing: str) -> None:
    """Refuse for a branch that reads its parent up to another place than it did."""
    story = story_of(view, story_id)
    if story.fork_episode_id != kept.fork_episode_id:
        raise ConflictError(
            f"cannot {doing}: it was a branch when the checkpoint was made and has been detached since"
        )
    if (no := fork_no(parts_of(view, story_id))) != kept.fork_no:
        raise ConflictError(
            f"cannot {doing}: the episode it is forked after was number {kept.fork_no} and is {no} now; "
            f"renumber it in the parent first"
        )


def _read_by_branches(view: View, story_id: str) -> ReadEpisodes:
    """Give the live episodes that each branch of a story reads of it and of its own."""
    return {
        branch.story_id: frozenset(
            (state.story_id, state.episode_id)
            for state in seen_states(view, lineage(view, branch))
            if state.is_live
        )
        for branch in descendants(view, story_id)
    }


def _check_read(before: ReadEpisodes, now: ReadEpisodes, doing: str) -> None:
    """Refuse when a branch would read less than it did."""
    losing = sorted(branch for branch, read in before.items() if read - now[branch])
    if losing:
        raise ConflictError(
            f"cannot {doing}: {', '.join(losing)} read episodes of it that would vanish; "
            f"delete these branches, or `kataribe story branch detach` them, first"
        )
