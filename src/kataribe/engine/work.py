"""Verbs about work that is not done: what waits, what failed and why, and what to do about it."""

from __future__ import annotations

from kataribe.domain.records import Outcome, Work
from kataribe.domain.work import WorkItem, work_item
from kataribe.engine.base import Base
from kataribe.errors import ConflictError, InputError
from kataribe.ports import Reading, Writing
from kataribe.write.emptied import accept_empty as take_empty
from kataribe.write.episodes import live_state
from kataribe.write.path import catch_up


class WorkVerbs(Base):
    """Listing, retrying and dropping work."""

    async def work(self, story_id: str | None = None) -> tuple[WorkItem, ...]:
        """Give what is not in memory, by story and number, and why (author). Raises `NotFoundError`."""
        stories = await self._chosen(story_id)
        now = self._engines.clock.now().timestamp()

        def run(ledger: Reading) -> tuple[WorkItem, ...]:
            return tuple(item for story in stories for item in _items(ledger, story.story_id, now))

        return await self._read(run)

    async def retry_work(self, story_id: str | None = None, *, episode_no: int | None = None) -> int:
        """Make what failed due at once; returns how many episodes. Raises `NotFoundError`.

        Dead letters and what waits to be tried again are taken up; what was dropped is only
        when `episode_no` names it, which needs a story.
        """
        if episode_no is not None and story_id is None:
            raise InputError("a number needs the story it belongs to; name that too")
        stories = await self._chosen(story_id)

        def run(ledger: Writing) -> int:
            if episode_no is None:
                return sum(ledger.clear_failures(story.story_id) for story in stories)
            state = live_state(ledger, stories[0].story_id, episode_no)
            return ledger.clear_failures(stories[0].story_id, state.episode_id)

        return await self._write(run)

    async def accept_empty(self, story_id: str, *, episode_no: int) -> None:
        """Take a model's empty answer that was refused: the episode's extracted facts are forgotten.

        Raises `ConflictError` when none was refused, `NotFoundError`.
        """

        def run(ledger: Writing) -> None:
            episode_id = take_empty(ledger, story_id, episode_no)
            # What is in memory is of the answer that is not kept any more.
            ledger.set_wanted(story_id, {}, {episode_id: False})
            catch_up(ledger, story_id, episode_id)

        await self._write(run)

    async def drop_work(self, story_id: str, *, episode_no: int) -> None:
        """Leave an episode out of memory until its inputs change. Raises `ConflictError`, `NotFoundError`.

        It stays pending. Whoever works on it now has the work refused.
        """

        def run(ledger: Writing) -> None:
            state = live_state(ledger, story_id, episode_no)
            if state.visible:
                raise ConflictError(
                    f"episode {episode_no} is in memory as it stands; there is nothing to drop"
                )
            held = ledger.work(story_id, state.episode_id).get(state.episode_id)
            same = held is not None and held.fingerprint == state.wanted
            dropped = Work(
                fingerprint=state.wanted,
                outcome=Outcome.DROPPED,
                attempts=held.attempts if held is not None and same else 0,
                error=held.error if held is not None and same else None,
            )
            ledger.put_work(story_id, state.episode_id, dropped)

        await self._write(run)


def _items(ledger: Reading, story_id: str, now: float) -> list[WorkItem]:
    work = ledger.work(story_id)
    return [
        work_item(
            work.get(state.episode_id),
            story_id=story_id,
            episode_id=state.episode_id,
            episode_no=state.no,
            wanted=state.wanted,
            now=now,
        )
        for state in ledger.episode_states(story_id)
        if state.is_live and not state.visible
    ]
