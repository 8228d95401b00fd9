"""Verbs for conversation memory in tiers: what is kept, nights, and what people decide."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta, tzinfo
from functools import partial
from itertools import takewhile
from typing import Unpack

from kataribe.conversation.expiry import expire, plan_expiry
from kataribe.conversation.homes import user_of
from kataribe.conversation.overdue import let_go_of, overdue
from kataribe.conversation.search import with_user
from kataribe.conversation.store import spaces_of
from kataribe.conversation.tiers import (
    KeptMemories,
    KeptMemory,
    MemoryHistory,
    NightReport,
    about,
    archive_step,
    author_memories,
    begin_missed_night,
    begin_night,
    decide,
    history,
    last_night,
    night_reports,
    tiers_lag,
    try_night,
    undo_night,
    viewer_memories,
)
from kataribe.domain.conversation.life.events import HandDecision, HandVerb
from kataribe.domain.conversation.life.policy import DAY, TierPolicy
from kataribe.domain.conversation.life.values import Tier, TierState
from kataribe.domain.conversation.summaries import ModelAsk
from kataribe.domain.gate import EPOCH, position_of
from kataribe.domain.memory import NO_USAGE, Usage
from kataribe.domain.recall.requests import MemoriesKeys
from kataribe.engine.kinds import KINDS
from kataribe.engine.talk import TalkVerbs
from kataribe.engine.viewers import viewer_of
from kataribe.errors import InputError
from kataribe.ports import RecordedNight, Transaction, View
from kataribe.story.now import settled

_USER = "memory in tiers is of what was said; name the user"


class TierVerbs(TalkVerbs):
    """What is kept of conversations, and what becomes of it."""

    async def memories(self, **asked: Unpack[MemoriesKeys]) -> KeptMemories:
        """Give what a viewer keeps in tiers at its moment. Raises `NotFoundError`, `InputError`."""
        viewer = with_user(viewer_of(asked, now=self._services.clock.now()), _USER)
        tier, state = _tier(asked.get("tier")), _state(asked.get("state"))
        found = await self._read(
            lambda view: viewer_memories(KINDS, view, settled(view, viewer), tier=tier, state=state)
        )
        return await self._given_back(found, found.viewer or viewer)

    async def all_memories(
        self, user_id: str, *, tier: str | None = None, state: str | None = None
    ) -> KeptMemories:
        """Give what everybody keeps of a user now (author). Raises `NotFoundError`, `InputError`."""
        at, of_tier, in_state = position_of(self._services.clock.now()), _tier(tier), _state(state)
        found = await self._read(
            lambda view: author_memories(view, user_id, at=at, tier=of_tier, state=in_state)
        )
        return await self._given_back_of(found, user_id)

    async def memory_history(self, user_id: str, memory_id: str) -> MemoryHistory:
        """Give all that became of a memory, and why (author). Raises `NotFoundError`."""
        found = await self._read(lambda view: history(view, user_id, memory_id))
        return await self._given_back_of(found, user_id)

    async def memories_about(self, user_id: str, text: str) -> tuple[KeptMemory, ...]:
        """Give the memories that have all content words of a text (author).

        Raises `NotFoundError`, and `InputError` for a text without such words.
        """
        at = position_of(self._services.clock.now())
        words = await self._as_kept(user_id, text)
        found = await self._read(lambda view: about(view, user_id, words, at=at))
        return await self._given_back_of(found, user_id)

    async def decide_memory(
        self, user_id: str, memory_id: str, what: HandVerb, *, text: str = ""
    ) -> MemoryHistory:
        """Record what a person decided about a memory, and replay; gives the memory as it was before.

        Raises `NotFoundError`, `InputError`.
        """
        at = position_of(self._services.clock.now())
        decision = HandDecision(at=at, memory_id=memory_id, what=what, text=text)
        found = await self._write(lambda tx: decide(tx, user_id, decision))
        await self.sync_user(user_id, waits=False)
        await asyncio.to_thread(self._ledger.clear_archive)
        return await self._given_back_of(found, user_id)

    async def nights(self, user_id: str) -> tuple[datetime, ...]:
        """Give when nights were held with a user, in their order (author). Raises `NotFoundError`."""

        def ask(view: View) -> tuple[datetime, ...]:
            user_of(view, user_id)
            return tuple(EPOCH + timedelta(milliseconds=night.at) for night in view.nights(user_id))

        return await self._read(ask)

    async def nights_due(
        self, user_id: str, cron: str, zone: tzinfo, *, upto: datetime
    ) -> tuple[datetime, ...]:
        """Give the nights up to a moment that a schedule names and that were not held (author).

        They begin after the last night that was held; without any, after the first thing that was
        said. Raises `NotFoundError`, `InputError`, `MissingExtraError`.
        """
        held = await self.nights(user_id)
        said = () if held else await self.turns(user_id)
        begun = held[-1] if held else min((turn.time for turn in said), default=upto)
        return tuple(takewhile(lambda night: night <= upto, self._times(cron, zone, begun)))

    def _times(self, cron: str, zone: tzinfo, after: datetime) -> Iterator[datetime]:
        if self._services.cron is None:
            raise InputError("nothing tells the moments of a cron expression here; hold nights one by one")
        return self._services.cron(cron, zone, after)

    async def nightly(
        self,
        user_id: str,
        *,
        at: datetime | None = None,
        policy: TierPolicy | None = None,
        model: str | None = None,
        dry_run: bool = False,
    ) -> NightReport:
        """Hold a night with a user: promote, consolidate, let fade; it is recorded, and replayed ever after.

        A night is held at `at` (else now) and by the numbers of `policy` (else the usual ones). `model`
        sums up all that was said from then on (None: who did before); what models answered before is
        kept, and not asked again. A `dry_run` records nothing. Raises `ConflictError` for one that is not
        later than the last, `NotFoundError`, `InputError`.
        """
        now = self._services.clock.now()
        moment = now if at is None else at
        if moment.tzinfo is None:
            raise InputError(f"the time {moment.isoformat()} has no zone; name one")
        if moment > now:
            raise InputError(f"{moment.isoformat()} is still to come; a night is held when it is over")
        night = RecordedNight(at=position_of(moment), policy=policy or self._services.tuning.tiers)
        summed_by = None if model is None else self._model(model)
        if dry_run:
            tried = await self._read(
                lambda view: try_night(view, user_id, night, position_of(now), summed_by)
            )
            over = await self._read(partial(overdue, user_id=user_id, night=night))
            told = replace(
                tried,
                usage=await self._estimated(user_id, model, tried.open_asks),
                let_go=sum(map(len, over.values())),
            )
            return await self._given_back_of(told, user_id)
        await self._write(lambda tx: begin_night(tx, user_id, night, summed_by))
        (report,) = await self._replayed(user_id, [night.at])
        return report

    async def catch_up(
        self, user_id: str, cron: str, zone: tzinfo, *, upto: datetime
    ) -> tuple[NightReport, ...]:
        """Hold the nights up to a moment that a schedule names and that were not held, each once.

        Each is recorded in a transaction of its own; then all are replayed at once. What a stop leaves
        behind is taken up by the next call. Raises `NotFoundError`, `InputError`, `MissingExtraError`.
        """
        held: list[int] = []
        for time in await self.nights_due(user_id, cron, zone, upto=upto):
            night = RecordedNight(at=position_of(time), policy=self._services.tuning.tiers)
            # Another one may hold the same nights at the same time.
            if await self._write(partial(begin_missed_night, user_id=user_id, night=night)):
                held.append(night.at)
        if not held and not await self._read(lambda view: tiers_lag(view, user_id)):
            return ()
        return await self._replayed(user_id, held)

    async def _replayed(self, user_id: str, moments: Collection[int]) -> tuple[NightReport, ...]:
        """Replay nights that are recorded, archive and let expire once, and tell what came of them.

        What models were asked for all of them stands in the last report.
        """
        done = await self.sync_user(user_id, waits=False)
        gone = 0
        for night in (await self._read(lambda view: view.nights(user_id)))[-1:]:
            gone = await self._let_go_after(user_id, night)
            await self._archive_after(user_id, night)
            await self._expire_after(user_id, night)
        reports = await self._read(lambda view: night_reports(view, user_id, moments))
        asked = (
            replace(one, usage=done.usage, unanswered=done.unanswered, let_go=gone) for one in reports[-1:]
        )
        return await self._given_back_of((*reports[:-1], *asked), user_id)

    async def _estimated(self, user_id: str, model: str | None, asks: Sequence[ModelAsk]) -> Usage:
        """Guess what asking would take. Raises `MissingExtraError`."""
        if not asks:
            return NO_USAGE
        summarizer = self._services.summarizer(model or (await self.user(user_id)).model)
        return sum((summarizer.estimate(one.asked) for one in asks), NO_USAGE)

    async def _archive_after(self, user_id: str, night: RecordedNight) -> None:
        """Archive what is recent no more, batch by batch; a later night goes on where it was stopped."""
        for space in await self._read(partial(spaces_of, user_id=user_id)):
            if not await self._write(partial(_open_archive, space=space)):
                return
            while await self._write(partial(archive_step, space=space, night=night)):
                pass

    async def _let_go_after(self, user_id: str, night: RecordedNight) -> int:
        """Remove what the user wants to be kept no longer, with all that rests on it; gives how many."""
        if not await self._read(partial(overdue, user_id=user_id, night=night)):
            return 0
        gone = await self._delete(partial(let_go_of, user_id=user_id, night=night))
        await self.sync_user(user_id, waits=False)
        await asyncio.to_thread(self._ledger.scrub)
        return gone

    async def _expire_after(self, user_id: str, night: RecordedNight) -> None:
        """Let texts of turns expire, where the policy says so; what is left of them is remembered at once."""
        days = night.policy.log.text_days
        if days == "permanent":
            return
        before = night.at - days * DAY
        expired = 0
        for space in await self._read(partial(spaces_of, user_id=user_id)):
            planned = await self._read(partial(plan_expiry, space=space, user_id=user_id, before=before))
            expired += await self._write(partial(expire, planned=planned))
        if expired:
            await self.sync_user(user_id, waits=False)
            await asyncio.to_thread(self._ledger.scrub)

    async def last_night(self, user_id: str) -> NightReport:
        """Give what the last night changed (author). Raises `NotFoundError`, where none was held too."""
        found = await self._read(lambda view: last_night(view, user_id))
        return await self._given_back_of(found, user_id)

    async def undo_night(self, user_id: str) -> NightReport:
        """Take the last night back, and give what it had changed; what is kept is replayed without it.

        Raises `NotFoundError`, where none was held too.
        """
        report = await self._write(lambda tx: undo_night(tx, user_id))
        await self.sync_user(user_id, waits=False)
        return await self._given_back_of(report, user_id)


def _open_archive(tx: Transaction, space: str) -> bool:
    # Its user may have been erased since the night began.
    return tx.space(space) is not None and tx.open_archive(space)


def _tier(name: str | None) -> Tier | None:
    if name is None:
        return None
    if name not in tuple(Tier):
        raise InputError(f"a tier is {' or '.join(Tier)}, not {name!r}")
    return Tier(name)


def _state(name: str | None) -> TierState | None:
    if name is None:
        return None
    if name not in tuple(TierState):
        raise InputError(f"a state is one of {', '.join(TierState)}, not {name!r}")
    return TierState(name)
