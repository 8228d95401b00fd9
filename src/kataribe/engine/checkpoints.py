"""Verbs of save slots: keep a story's inputs under a name, and go back to them."""

from __future__ import annotations

from kataribe.domain.story.checkpoint import Checkpoint
from kataribe.domain.story.undo import EVERYTHING
from kataribe.engine.review import ReviewVerbs
from kataribe.ports import Transaction
from kataribe.story.desk import checkpoints as slots
from kataribe.story.extract_task import catch_up


class CheckpointVerbs(ReviewVerbs):
    """Making checkpoints and rewinding to them."""

    async def checkpoint(self, story_id: str, name: str, *, replace: bool = False) -> Checkpoint:
        """Keep a story's inputs as they stand under a name; durable when this returns.

        Inputs are episodes with the deleted ones, facts, the cast, annotations, decisions and
        pins, of this story alone: what a branch reads of its parent is the parent's. `replace`
        takes the place of one of this name. Raises `NotFoundError`, `InputError`,
        `ConflictError` when the name is taken.
        """
        return await self._write(
            lambda tx: slots.make_checkpoint(tx, story_id, name, self._services.clock, replace=replace)
        )

    async def rewind(self, story_id: str, name: str) -> Checkpoint:
        """Make a story's inputs exactly those of a checkpoint, in one transaction.

        Memory follows: what was extracted or embedded of the same inputs and is still there is
        used again, and the rest is left to `sync`. An episode made since is deleted and can be
        restored. Talk under the story is left as it is and follows its episodes. It is one step
        that `undo` takes back. Raises `NotFoundError`, and `ConflictError` when a branch reads
        what would vanish, or when a branch's own fork has been moved or detached since.
        """

        def run(tx: Transaction) -> tuple[Checkpoint, tuple[tuple[str, str], ...]]:
            with self._recorded(tx, story_id, EVERYTHING) as step:
                step.summary = f"rewound to {name}"
                kept, touched = slots.rewind(tx, story_id, name, self._services.clock)
            for owner, episode_id in touched:
                catch_up(tx, owner, episode_id, self._at_hand(tx, owner))
            return kept, touched

        kept, touched = await self._write(run)
        for owner, episode_id in touched:
            await self._follow(owner, (episode_id,))
        return kept

    async def checkpoints(self, story_id: str) -> tuple[Checkpoint, ...]:
        """Give the checkpoints of a story, by name (author). Raises `NotFoundError`."""
        return await self._read(lambda view: slots.checkpoints_of(view, story_id))

    async def delete_checkpoint(self, story_id: str, name: str) -> None:
        """Forget a checkpoint; the story stays as it is. Raises `NotFoundError`."""
        await self._write(lambda tx: slots.delete_checkpoint(tx, story_id, name))
