"""The verb that finishes what erasures have left."""

from __future__ import annotations

import asyncio

from kataribe.engine.base import Base
from kataribe.engine.erasing import IndexStore, finish_all, lasting_stores
from kataribe.ports.userstore import UserStore


class ErasureVerbs(Base):
    """Finishing what erasures have left."""

    def _lasting_stores(self) -> tuple[UserStore, ...]:
        return lasting_stores(self._ledger, self._auditor, self._services.index)

    async def finish_erasures(self, *, reach: bool = True) -> dict[str, tuple[str, ...]]:
        """Do what is still to be done of erasures, those too that a kill has stopped; says what keeps it.

        By store; empty when nothing is left to do. Without `reach` no index outside the store is asked.
        """
        stores = [one for one in self._lasting_stores() if reach or not isinstance(one, IndexStore)]
        return await asyncio.to_thread(finish_all, stores)
