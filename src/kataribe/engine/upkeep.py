"""Verbs that bring memory up and look after it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from kataribe.domain.memory import Refusal
from kataribe.domain.records import Verification
from kataribe.domain.space import Space
from kataribe.domain.story.inputs import Story
from kataribe.domain.work import MAX_WORKERS
from kataribe.engine.erasing import unfinished
from kataribe.engine.finishing import ErasureVerbs
from kataribe.engine.hooks import HookVerbs
from kataribe.engine.kinds import OWNERS
from kataribe.engine.outside import OutsideVerbs
from kataribe.engine.tracing import traced
from kataribe.errors import InputError, KataribeError, StoreBusyError, StoreError
from kataribe.ports import View
from kataribe.story.desk import stories as shelf
from kataribe.story.desk.estimate import Estimate, estimate_story
from kataribe.story.desk.estimate import refusals as refusals_of
from kataribe.story.owner import StoryOwner, families_of, stories_of
from kataribe.work.crew import Crew, SpaceWork, work_through
from kataribe.work.path import Progress
from kataribe.work.task import SyncReport


class UpkeepVerbs(OutsideVerbs, ErasureVerbs, HookVerbs):
    """Syncing, rebuilding and verifying."""

    @traced("sync")
    async def sync(
        self,
        of: Sequence[Space] = (),
        *,
        workers: int = 1,
        retry: bool = False,
        within: float | None = None,
        progress: Progress | None = None,
    ) -> SyncReport:
        """Bring memory up to its inputs: of whom these spaces belong to, or of everything.

        It can be stopped and called again at any moment, and several may run at once: each
        piece of work is done by one of their `workers`. What fails is tried again after a
        while. It returns when nothing is left to do, here or at others' hands, but what failed
        too often; or when `within` seconds are over, with the rest counted as `left`. `retry`
        tries dead letters again. Raises `InputError`.
        """
        if not 1 <= workers <= MAX_WORKERS:
            raise InputError(f"workers must be from 1 to {MAX_WORKERS}, not {workers}")
        if within is not None and not within >= 0:
            raise InputError(f"within must be 0 seconds or more, not {within}")
        await self.flush()
        await self.finish_erasures()
        until = None if within is None else self._services.clock.now().timestamp() + within
        crew = Crew(processes=self._services.processes, size=workers, until=until)
        report = SyncReport()
        works: list[SpaceWork[Any]] = []
        for one in of or (None,):
            for owner in await self._owners(one):
                works += await self._works(owner, report, crew, progress=progress)
        for work in works:
            await work.begin(retry=retry)
        await work_through(works, self._services.clock, report)
        await self._feed_after(report, crew, of)
        await self._tell_after(until)
        return report

    async def estimate(self, of: Space | None = None) -> tuple[Estimate, ...]:
        """Guess what a sync would ask of models, by story, without asking or writing (author)."""
        chosen = await self._read(partial(stories_of, of=of))
        return tuple([await self._read(partial(self._estimate, story)) for story in chosen])

    def _estimate(self, story: Story, view: View) -> Estimate:
        return estimate_story(view, story.story_id, self._services.extractor(story.extractor))

    async def refusals(self, story_id: str) -> tuple[tuple[str, Refusal], ...]:
        """Give what models offered for the texts as they stand and was not taken, by episode id (author)."""
        return await self._read(lambda view: refusals_of(view, story_id))

    async def rebuild(
        self,
        of: Space | None = None,
        *,
        extract_again: bool = False,
        progress: Progress | None = None,
    ) -> SyncReport:
        """Make all memories and vectors again from the inputs, with equal ids (M-1).

        It also moves a story to the embedder and extractor that are installed now. A story's
        branches and its parents are made again with it. What was extracted of an unchanged text
        is kept, so that no model is paid twice, unless `extract_again` says to read every text
        anew.
        """
        report = SyncReport()
        crew = Crew(processes=self._services.processes)
        for story in await self._read(partial(families_of, of=of)):
            await self._write(lambda tx: tx.sweep())
            current = self._current(story)
            await self._write(partial(shelf.set_engines, story=current))
            works = await self._works(
                StoryOwner(current), report, crew, anew=True, again=extract_again, progress=progress
            )
            for work in works:
                await work.begin(retry=False)
            await work_through(works, self._services.clock, report)
        return report

    async def verify(self, of: Space | None = None) -> Verification:
        """Compare memory with what its inputs make of it, and ask whether the file is sound (author).

        Without a space all stories, users and libraries are looked at. Raises `NotFoundError`.
        """
        problems = [*await self._file_problems(), *await self._unfinished()]
        each: list[Verification] = []
        try:
            for kind in OWNERS:
                for owner in await self._read(partial(kind.owners, of=of)):
                    asked = owner.verify(self._tools(), self._makers)
                    await _look(owner.name, asked, each, problems, self._reason_of)
        except StoreBusyError:
            raise
        except StoreError as error:
            problems.append(self._reason_of(error))
        return _verified(problems, each)

    async def _unfinished(self) -> tuple[str, ...]:
        try:
            return await self._read(unfinished)
        except StoreBusyError:
            raise
        except StoreError as error:
            return (str(error),)

    async def _file_problems(self) -> tuple[str, ...]:
        """Ask whether the file is sound; before all else, so that the rest is read from the file too."""
        self._check_open()
        return await asyncio.to_thread(self._ledger.problems)

    async def adopt_extractor(self) -> None:
        """Make what an older extractor found stale, so that it is not shown until it is synced."""
        for story in await self.stories():
            try:
                current = self._services.extractor(story.extractor).extractor_id
            except InputError:
                # Another release knows this model: what it found stays readable, only syncing is refused.
                continue
            if story.extractor_id != current:
                await self._write(partial(shelf.set_engines, story=replace(story, extractor_id=current)))


async def _look(
    name: str,
    asked: Awaitable[Verification],
    each: list[Verification],
    problems: list[str],
    told: Callable[[KataribeError], str],
) -> None:
    """Look at one story or user; what cannot be read of it is a problem, and the rest is looked at still."""
    try:
        each.append(await asked)
    except StoreBusyError:
        raise
    except (StoreError, InputError) as error:
        # A damaged row may name a model that there is none of.
        problems.append(f"{name}: {told(error)}")


def _verified(problems: Sequence[str], each: Sequence[Verification]) -> Verification:
    """Put together what is wrong with the file and what was found in each story or user."""
    return Verification(
        stories=sum(one.stories for one in each),
        episodes=sum(one.episodes for one in each),
        memories=sum(one.memories for one in each),
        pending=sum(one.pending for one in each),
        users=sum(one.users for one in each),
        turns=sum(one.turns for one in each),
        pending_turns=sum(one.pending_turns for one in each),
        libraries=sum(one.libraries for one in each),
        documents=sum(one.documents for one in each),
        pending_documents=sum(one.pending_documents for one in each),
        problems=(*problems, *(problem for one in each for problem in one.problems)),
    )
