"""An index outside the store: it is asked before a view opens, and fed from the change log."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from kataribe.domain.feeding import FeedLag
from kataribe.domain.gate import Viewer
from kataribe.domain.space import Space, ids_of
from kataribe.engine.base import Base
from kataribe.engine.kinds import KINDS
from kataribe.errors import InputError, VectorIndexError
from kataribe.ports import Ledger, Transaction, VectorIndex, View
from kataribe.ports.kinds import Kinds
from kataribe.read.path import RecallQuestion, to_ask
from kataribe.read.preselect import IndexQuestion, propose
from kataribe.story.now import settled
from kataribe.work.crew import Crew, SpaceWork, work_through
from kataribe.work.feed_index import FeedJob, FeedTask, want_feeding
from kataribe.work.path import Progress
from kataribe.work.task import SyncReport


class OutsideReads(Base):
    """Asking it."""

    async def _preselected(
        self, viewer: Viewer, asked: RecallQuestion, kinds: Kinds = KINDS
    ) -> RecallQuestion:
        """Add to a question what the outside index proposes; without one it stays as it is."""
        index = self._services.index
        if index is None:
            return asked
        wanted = await self._read(partial(_to_ask, kinds, viewer=viewer, asked=asked, index=index))
        if not wanted:
            return asked
        return replace(asked, proposed=await asyncio.to_thread(propose, wanted, index, top_k=asked.pool))


def _to_ask(
    kinds: Kinds, view: View, *, viewer: Viewer, asked: RecallQuestion, index: VectorIndex
) -> tuple[IndexQuestion, ...]:
    return to_ask(kinds, view, settled(view, viewer), asked, index)


class OutsideVerbs(Base):
    """Feeding it."""

    async def feed_index(self, *, again: bool = False, progress: Progress | None = None) -> int:
        """Bring the outside index up to the change log; returns how many units it was fed.

        `sync` does so too, for what it brings up. It can be stopped and called again. `again` feeds
        everything anew, for an index that has lost what it was fed. Raises `InputError` when there is
        no such index, `VectorIndexError` when it cannot be reached: nothing is lost then, what it
        lacks is searched in the store.
        """
        index = self._outside()
        if again:
            await self._write(lambda tx: tx.doubt_fed(index.index_id))
        report = SyncReport()
        await self._feed(report, Crew(processes=self._services.processes), progress=progress)
        return report.fed

    async def index_lag(self) -> FeedLag | None:
        """Tell what the outside index lacks (author); None when there is none."""
        index = self._services.index
        return None if index is None else await self._read(lambda view: _lag(view, index))

    def _outside(self) -> VectorIndex:
        if self._services.index is None:
            raise InputError("there is no index outside the store; name one with KATARIBE_INDEX")
        return self._services.index

    async def _feed_after(self, report: SyncReport, crew: Crew, of: Sequence[Space]) -> None:
        """Feed what a sync has brought up; an index that cannot be reached is fed the next time."""
        if self._services.index is None:
            return
        try:
            await self._feed(report, crew, of)
        except VectorIndexError as error:
            report.unfed = self._reason_of(error)

    async def _feed(
        self,
        report: SyncReport,
        crew: Crew,
        of: Sequence[Space] = (),
        *,
        progress: Progress | None = None,
    ) -> None:
        index = self._outside()
        await self._take_back(index)
        spaces = await self._read(lambda view: _behind(view, index, of))
        if not spaces:
            return
        upto = await self._write(lambda tx: {one: want_feeding(tx, index.index_id, one) for one in spaces})
        works = [self._feeding(index, space, report, crew, progress) for space in spaces]
        for work in works:
            await work.begin(retry=True)
        await work_through(works, self._services.clock, report)
        await self._write(lambda tx: _settle(tx, index, upto))

    def _feeding(
        self,
        index: VectorIndex,
        space: str,
        report: SyncReport,
        crew: Crew,
        progress: Progress | None,
    ) -> SpaceWork[FeedJob]:
        tools = self._tools()
        task = FeedTask(index, tools)
        return SpaceWork(tools, task, space, report, crew, name=space, progress=progress)

    async def _take_back(self, index: VectorIndex) -> None:
        """Make the index forget what it holds of spaces that are gone."""
        await asyncio.to_thread(take_back, self._ledger, index)


def take_back(ledger: Ledger, index: VectorIndex) -> None:
    """Make an index forget what it holds of spaces that are gone. Raises `VectorIndexError`."""
    with ledger.reading() as view:
        fed = view.fed_to_none(index.index_id)
    held: dict[str, set[str]] = {}
    for gone in fed:
        held.setdefault(gone.collection, set()).update(gone.ids)
    for collection, ids in held.items():
        if ids:
            index.delete(collection, ids)
        # All that is known of a collection goes at once: not before the index has forgotten each part of it.
        with ledger.writing() as tx:
            tx.drop_fed(index.index_id, collection)


def _settle(tx: Transaction, index: VectorIndex, upto: dict[str, int | None]) -> None:
    for space, revision in upto.items():
        if revision is not None:
            tx.settle_feed(index.index_id, space, upto=revision)


def _takes(index: VectorIndex, dimensions: int) -> bool:
    most = index.capabilities.max_dimensions
    return most is None or dimensions <= most


def _behind(view: View, index: VectorIndex, of: Sequence[Space]) -> tuple[str, ...]:
    """Name the spaces, of those that name what these do, of which an index lacks something that it takes."""
    found: list[str] = []
    story, user = ids_of(of)
    for one in view.spaces(story=story, user=user):
        state = view.feed_state(index.index_id, one.space)
        if state is None or not _takes(index, state.dimensions):
            continue
        if state.fed_upto < state.revision:
            found.append(one.space)
    return tuple(found)


def _lag(view: View, index: VectorIndex) -> FeedLag:
    states = [view.feed_state(index.index_id, one.space) for one in view.spaces()]
    held = [state for state in states if state is not None]
    taken = [state for state in held if _takes(index, state.dimensions)]
    units = [len(view.lagging_units(index.index_id, state.space)) for state in taken]
    return FeedLag(
        index_id=index.index_id,
        units=sum(units),
        spaces=sum(count > 0 for count in units),
        gone=sum(1 for one in view.fed_to_none(index.index_id) if one.unit),
        too_long=len(held) - len(taken),
    )
