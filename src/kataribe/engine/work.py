"""Verbs about work that is not done: what waits, what failed and why, and what to do about it."""

from __future__ import annotations

from kataribe.domain.records import Outcome, Work
from kataribe.domain.space import Space, story_space
from kataribe.domain.work import WorkItem
from kataribe.engine.base import Base
from kataribe.engine.kinds import owner_of, owners_of
from kataribe.errors import ConflictError
from kataribe.ports import Transaction
from kataribe.story.emptied import accept_empty as take_empty
from kataribe.story.extract_task import catch_up
from kataribe.work.owner import WorkPiece


class WorkVerbs(Base):
    """Listing, retrying and dropping work."""

    async def work(self, of: Space | None = None) -> tuple[WorkItem, ...]:
        """Give what is not in memory and why, of whom a space belongs to, or of all (author).

        Stories come first, by id and number; then what was said with users, by space and day.
        Raises `NotFoundError`.
        """
        now = self._services.clock.now().timestamp()
        return await self._read(
            lambda view: tuple(
                item
                for owner in owners_of(view, of)
                for space in owner.spaces(view)
                for item in owner.items(view, space, now)
            )
        )

    async def retry_work(self, of: Space | None = None) -> int:
        """Make due at once what failed, of whom a space belongs to, or of all; returns how many pieces.

        Dead letters and what waits to be tried again are taken up, and what was dropped is not.
        Raises `NotFoundError`.
        """
        return await self._write(
            lambda tx: sum(
                tx.clear_failures(space, kind, None)
                for owner in owners_of(tx, of)
                for space in owner.spaces(tx)
                for kind in owner.works
            )
        )

    async def retry_piece(self, of: Space, named: int | str) -> int:
        """Make one piece of work due at once that failed or was dropped; returns how many of it.

        `named` is an episode's number, or the name of a unit as `work` lists it. Raises `NotFoundError`.
        """

        def run(tx: Transaction) -> int:
            piece = owner_of(tx, of).piece(tx, named)
            return tx.clear_failures(piece.space, piece.kind, piece.unit)

        return await self._write(run)

    async def accept_empty(self, story_id: str, *, episode_no: int) -> None:
        """Take a model's empty answer that was refused: the episode's extracted facts are forgotten.

        Raises `ConflictError` when none was refused, `NotFoundError`.
        """

        def run(tx: Transaction) -> None:
            episode_id = take_empty(tx, story_id, episode_no)
            # What is in memory is of the answer that is not kept any more.
            tx.show(story_space(story_id), {episode_id: False})
            tx.show_deltas(story_id, {episode_id: False})
            catch_up(tx, story_id, episode_id, self._at_hand(tx, story_id))

        await self._write(run)

    async def drop_work(self, of: Space, named: int | str) -> None:
        """Leave an episode, or a unit of turns, out of memory until its inputs change.

        It stays pending. Whoever works on it now has the work refused. `named` is as in
        `retry_piece`. Raises `ConflictError`, `NotFoundError`.
        """

        def run(tx: Transaction) -> None:
            owner = owner_of(tx, of)
            piece = owner.piece(tx, named)
            if piece.kind is not owner.works[0]:
                raise ConflictError(
                    f"{piece.title} is made of what was said, and is left out with it; "
                    f"name that unit of turns"
                )
            _drop(tx, piece)

        await self._write(run)


def _drop(tx: Transaction, piece: WorkPiece) -> None:
    """Drop what lags of a unit and its shares."""
    lagging = {name: held for name, held in tx.work(piece.space, piece.kind, piece.unit).items() if held.lags}
    if not lagging:
        raise ConflictError(f"{piece.title} is in memory as it stands; there is nothing to drop")
    for name, held in lagging.items():
        same = held.fingerprint == held.wanted
        dropped = Work(
            fingerprint=held.wanted,
            outcome=Outcome.DROPPED,
            attempts=held.attempts if same else 0,
            error=held.error if same else None,
        )
        tx.put_work(piece.space, piece.kind, name, dropped)
