"""The verb that seals what an earlier release stored in the open."""

from __future__ import annotations

import asyncio
from functools import partial

from kataribe.conversation.sealing import UNVACUUMED, seal_decisions, seal_unit
from kataribe.engine.base import Base


class SealVerbs(Base):
    """Sealing what is there."""

    async def seal_plain(self) -> int:
        """Seal what users said before anything was sealed; gives how many turns hold personal data.

        It may be stopped at any moment and goes on with the next call. What was remembered of these
        turns is taken out, and made again by a sync. At last the file is written anew, so that
        nothing of them stands in it. Raises `KeyStoreError`, `StoreError`.
        """
        if self._protection is None:
            return 0
        units = await self._read(lambda view: view.plain_units())
        for space in dict.fromkeys(space for space, _ in units):
            await self._write(partial(seal_decisions, space=space))
        sealed = sum([await self._write(partial(seal_unit, space=space, unit=unit)) for space, unit in units])
        if await self._read(lambda view: view.mark(UNVACUUMED)):
            await asyncio.to_thread(partial(self._ledger.scrub, whole=True))
            await self._write(lambda tx: tx.put_mark(UNVACUUMED, ""))
        return sealed
