"""What is made of what was said with a user: threads, memory in tiers, and nights."""

from __future__ import annotations

from datetime import datetime, tzinfo

from kataribe.conversation.pairs import Pair
from kataribe.conversation.threads import HeldThreads
from kataribe.conversation.tiers import KeptMemories, KeptMemory, MemoryHistory, NightReport
from kataribe.domain.conversation.life.events import HandVerb
from kataribe.domain.conversation.life.policy import TierPolicy
from kataribe.engine import Engine
from kataribe.face.marks import author_read, write


class AsyncMemoryHandle:
    """What is derived of one user's conversations.

    All reads here are the author's: they see across personas.
    """

    def __init__(self, engine: Engine, user_id: str) -> None:
        self._engine = engine
        self.user_id = user_id

    @author_read
    async def threads(self) -> HeldThreads:
        """Give the threads of everybody who holds anything, by space and holder, as they were begun.

        Raises `NotFoundError`.
        """
        return await self._engine.all_threads(self.user_id)

    @author_read
    async def pairs(self, persona: str) -> tuple[tuple[Pair, ...], ...]:
        """Give what a persona was told and replied, as examples of its voice. Raises `NotFoundError`."""
        return await self._engine.voice_pairs(self.user_id, persona)

    @author_read
    async def list(self, *, tier: str | None = None, state: str | None = None) -> KeptMemories:
        """Give what everybody keeps now; what has ended only where its `state` is asked for.

        Raises `NotFoundError`, `InputError`.
        """
        return await self._engine.all_memories(self.user_id, tier=tier, state=state)

    @author_read
    async def about(self, text: str) -> tuple[KeptMemory, ...]:
        """Give the memories that have all content words of a text. Raises `NotFoundError`, `InputError`."""
        return await self._engine.memories_about(self.user_id, text)

    @author_read
    async def history(self, memory_id: str) -> MemoryHistory:
        """Give all that became of a memory, each row with its reason. Raises `NotFoundError`."""
        return await self._engine.memory_history(self.user_id, memory_id)

    @author_read
    async def nights_due(self, cron: str, zone: tzinfo, *, upto: datetime) -> tuple[datetime, ...]:
        """Give the nights up to a moment that a schedule names and that were not held.

        `cron` has five fields, in `zone`. Raises `NotFoundError`, `InputError`, `MissingExtraError`.
        """
        return await self._engine.nights_due(self.user_id, cron, zone, upto=upto)

    @write
    async def catch_up(self, cron: str, zone: tzinfo, *, upto: datetime) -> tuple[NightReport, ...]:
        """Hold the nights up to a moment that a schedule names and that were not held, each once.

        However many they are, what was said is replayed once. A stop at any moment loses none of them.
        Raises `NotFoundError`, `InputError`, `MissingExtraError`.
        """
        return await self._engine.catch_up(self.user_id, cron, zone, upto=upto)

    @author_read
    async def nights(self) -> tuple[datetime, ...]:
        """Give when nights were held, in their order. Raises `NotFoundError`."""
        return await self._engine.nights(self.user_id)

    @author_read
    async def last_night(self) -> NightReport:
        """Give what the last night changed. Raises `NotFoundError`, where none was held too."""
        return await self._engine.last_night(self.user_id)

    @write
    async def undo_night(self) -> NightReport:
        """Take the last night back, and give what it had changed; what is kept is replayed without it.

        What was decided by hand since then stays decided. Raises `NotFoundError`, where none was held too.
        """
        return await self._engine.undo_night(self.user_id)

    @write
    async def pin(self, memory_id: str, *, pinned: bool = True) -> None:
        """Keep a memory from fading and from making way, or no more. Raises `NotFoundError`, `InputError`."""
        await self._engine.decide_memory(self.user_id, memory_id, HandVerb.PIN if pinned else HandVerb.UNPIN)

    @write
    async def edit(self, memory_id: str, text: str) -> None:
        """Say what a memory says from now on; no night changes that. Raises `NotFoundError`, `InputError`."""
        await self._engine.decide_memory(self.user_id, memory_id, HandVerb.EDIT, text=text)

    @write
    async def forget(self, memory_id: str) -> None:
        """Forget a memory and what rests on it alone, for every moment. Raises `NotFoundError`."""
        await self._engine.decide_memory(self.user_id, memory_id, HandVerb.FORGET)

    @write
    async def restore(self, memory_id: str) -> None:
        """Bring back what was hidden within the last 30 days. Raises `NotFoundError`, `InputError`."""
        await self._engine.decide_memory(self.user_id, memory_id, HandVerb.RESTORE)

    @write
    async def nightly(
        self,
        *,
        at: datetime | None = None,
        policy: TierPolicy | None = None,
        model: str | None = None,
        dry_run: bool = False,
    ) -> NightReport:
        """Hold a night: promote what matters, consolidate, let fade what is not used.

        It is recorded and replayed ever after. `at` is when (else now), `policy` by which numbers.
        `model`, `rules` or a model, sums up all that was said from then on (None: who did before). A
        `dry_run` records nothing, and says what asking a model would take. Raises `ConflictError` for one
        that is not later than the last, `NotFoundError`, `InputError`.
        """
        return await self._engine.nightly(self.user_id, at=at, policy=policy, model=model, dry_run=dry_run)
