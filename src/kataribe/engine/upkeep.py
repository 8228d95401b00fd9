"""Verbs that bring memory up and look after it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from kataribe.conversation.homes import user_of
from kataribe.conversation.page_task import TurnsTask
from kataribe.conversation.verify import verify_user
from kataribe.domain.conversation.turns import User
from kataribe.domain.memory import Refusal
from kataribe.domain.records import Verification
from kataribe.domain.space import story_space
from kataribe.domain.story.inputs import Story
from kataribe.domain.work import MAX_WORKERS
from kataribe.engine.base import ASKED_TOGETHER, check_installed
from kataribe.engine.outside import OutsideVerbs
from kataribe.engine.tracing import traced
from kataribe.errors import InputError, StoreBusyError, StoreError
from kataribe.ports import View
from kataribe.story.desk import stories as shelf
from kataribe.story.desk.estimate import Estimate, estimate_story
from kataribe.story.desk.estimate import refusals as refusals_of
from kataribe.story.fingerprints import story_of
from kataribe.story.jobs import EpisodeJob
from kataribe.story.lineage import family
from kataribe.story.verify import verify_story
from kataribe.work.crew import Crew, SpaceWork, work_through
from kataribe.work.path import CHUNK, Progress
from kataribe.work.task import SyncReport


class UpkeepVerbs(OutsideVerbs):
    """Syncing, rebuilding, verifying and backing up."""

    @traced("sync")
    async def sync(
        self,
        story_id: str | None = None,
        *,
        user: str | None = None,
        workers: int = 1,
        retry: bool = False,
        within: float | None = None,
        progress: Progress | None = None,
    ) -> SyncReport:
        """Bring memory up to its inputs: of one story, of what was said with one user, or of everything.

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
        until = None if within is None else self._engines.clock.now().timestamp() + within
        crew = Crew(processes=self._engines.processes, size=workers, until=until)
        report = SyncReport()
        works: list[SpaceWork[Any]] = []
        if user is None or story_id is not None:
            works += [
                self._story_work(story, report, crew, progress=progress)
                for story in await self._chosen(story_id)
            ]
        if story_id is None or user is not None:
            users = await self._read(lambda view: view.users() if user is None else (user_of(view, user),))
            for one in users:
                works += await self._turn_works(one, report, crew, progress=progress)
        for work in works:
            await work.begin(retry=retry)
        await work_through(works, self._engines.clock, report)
        await self._feed_after(report, crew, story=story_id, user=user)
        return report

    def _story_work(
        self,
        story: Story,
        report: SyncReport,
        crew: Crew,
        *,
        anew: bool = False,
        again: bool = False,
        progress: Progress | None = None,
    ) -> SpaceWork[EpisodeJob]:
        """Make ready to bring up a story. Raises `EmbedderMismatchError`."""
        task = self._extract_task(story, again=again)
        check_installed(f"story {story.story_id!r}", story.embedder_id, task.embedder)
        return SpaceWork(
            self._tools(together=ASKED_TOGETHER if story.asks_model else CHUNK),
            task,
            story_space(story.story_id),
            report,
            crew,
            name=story.story_id,
            anew=anew,
            progress=progress,
        )

    async def estimate(self, story_id: str | None = None) -> tuple[Estimate, ...]:
        """Guess what a sync would ask of models, by story, without asking or writing (author)."""
        chosen = await self._chosen(story_id)
        return tuple([await self._read(partial(self._estimate, story)) for story in chosen])

    def _estimate(self, story: Story, ledger: View) -> Estimate:
        return estimate_story(ledger, story.story_id, self._engines.extractor(story.extractor))

    async def refusals(self, story_id: str) -> tuple[tuple[str, Refusal], ...]:
        """Give what models offered for the texts as they stand and was not taken, by episode id (author)."""
        return await self._read(lambda ledger: refusals_of(ledger, story_id))

    async def rebuild(
        self,
        story_id: str | None = None,
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
        crew = Crew(processes=self._engines.processes)
        for story in await self._families(story_id):
            await self._write(lambda tx: tx.sweep())
            current = self._current(story)
            await self._write(partial(shelf.set_engines, story=current))
            work = self._story_work(current, report, crew, anew=True, again=extract_again, progress=progress)
            await work.begin(retry=False)
            await work_through((work,), self._engines.clock, report)
        return report

    async def _families(self, story_id: str | None) -> tuple[Story, ...]:
        if story_id is None:
            return await self.stories()
        return await self._read(lambda ledger: family(ledger, story_of(ledger, story_id)))

    async def verify(self, story_id: str | None = None) -> Verification:
        """Compare memory with what its inputs make of it, and ask whether the file is sound (author).

        Without a story all stories and all users are looked at.
        """
        problems = list(await self._file_problems())
        each: list[Verification] = []
        try:
            for story in await self._chosen(story_id):
                await _look(story.story_id, self._verify_story(story), each, problems)
            if story_id is None:
                for user in await self._read(lambda view: view.users()):
                    await _look(user.user_id, self._verify_user(user), each, problems)
        except StoreBusyError:
            raise
        except StoreError as error:
            problems.append(str(error))
        return _verified(problems, each)

    async def verify_user(self, user_id: str) -> Verification:
        """Compare what is remembered of a user with what was said (author). Raises `NotFoundError`."""
        problems = list(await self._file_problems())
        user = await self._read(lambda ledger: user_of(ledger, user_id))
        each: list[Verification] = []
        await _look(user_id, self._verify_user(user), each, problems)
        return _verified(problems, each)

    async def _verify_story(self, story: Story) -> Verification:
        return await verify_story(self._tools(), self._extract_task(story), story.story_id)

    async def _verify_user(self, user: User) -> Verification:
        return await verify_user(
            self._tools(), TurnsTask(self._engines.embedder(user.embedder)), user.user_id
        )

    async def _file_problems(self) -> tuple[str, ...]:
        """Ask whether the file is sound; before all else, so that the rest is read from the file too."""
        self._check_open()
        return await asyncio.to_thread(self._ledger.problems)

    async def backup(self, path: str | Path, *, with_vectors: bool = False) -> None:
        """Write a consistent copy without vectors to a new file; `sync` on it makes them again (author).

        `with_vectors` keeps those of stories, so that the copy recalls stories at once; those of
        users and of talk are never in it. Raises `ConflictError` when the file exists, `StoreError`.
        """
        await asyncio.to_thread(self._ledger.backup, Path(path), with_vectors=with_vectors)

    async def adopt_extractor(self) -> None:
        """Make what an older extractor found stale, so that it is not shown until it is synced."""
        for story in await self.stories():
            try:
                current = self._engines.extractor(story.extractor).extractor_id
            except InputError:
                # Another release knows this model: what it found stays readable, only syncing is refused.
                continue
            if story.extractor_id != current:
                await self._write(partial(shelf.set_engines, story=replace(story, extractor_id=current)))


async def _look(
    name: str, asked: Awaitable[Verification], each: list[Verification], problems: list[str]
) -> None:
    """Look at one story or user; what cannot be read of it is a problem, and the rest is looked at still."""
    try:
        each.append(await asked)
    except StoreBusyError:
        raise
    except (StoreError, InputError) as error:
        # A damaged row may name a model that there is none of.
        problems.append(f"{name}: {error}")


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
        problems=(*problems, *(problem for one in each for problem in one.problems)),
    )
