"""Writes that wait at the same time share a transaction, each of them all or nothing."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from kataribe.errors import KataribeError, StoreBusyError, StoreError
from kataribe.ports import Ledger, Transaction

T = TypeVar("T")

TOGETHER = 64
"""Writes to a transaction: one commit for many, and readers and other processes are not kept long."""

_End = tuple[Any, Exception | None]


@dataclass(frozen=True, slots=True)
class _Pending:
    act: Callable[[Transaction], Any]
    told: asyncio.Future[Any]


class GroupCommit:
    """Takes writes in the order they come; each is durable when its caller is told."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._waiting: deque[_Pending] = deque()
        self._working: asyncio.Task[None] | None = None

    async def write(self, act: Callable[[Transaction], T]) -> T:
        """Run `act` in a transaction; what it raises undoes what it did and nothing else."""
        told: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Pending(act, told))
        if self._working is None or self._working.done():
            self._working = asyncio.ensure_future(self._work())
        return await told

    async def _work(self) -> None:
        while self._waiting:
            count = min(len(self._waiting), TOGETHER)
            wishes = [self._waiting.popleft() for _ in range(count)]
            # Whoever was stopped before it began wants it no more.
            wanted = [wish for wish in wishes if not wish.told.done()]
            if wanted:
                await self._grant(wanted)

    async def finish(self) -> None:
        """Wait until what was begun is done, and its callers are told."""
        if self._working is not None:
            await asyncio.wait({self._working})

    async def _grant(self, wishes: Sequence[_Pending]) -> None:
        try:
            ends = await asyncio.to_thread(self._run, [wish.act for wish in wishes])
        except StoreBusyError as error:
            ends = [(None, error)] * len(wishes)
        except Exception as error:
            if len(wishes) > 1:
                # Nothing was written. Whose fault it was shows when each has its own transaction.
                for wish in wishes:
                    await self._grant((wish,))
                return
            ends = [(None, error)]
        for wish, (value, failure) in zip(wishes, ends, strict=True):
            if wish.told.done():
                continue
            if failure is None:
                wish.told.set_result(value)
            else:
                wish.told.set_exception(failure)

    def _run(self, acts: Sequence[Callable[[Transaction], Any]]) -> list[_End]:
        with self._ledger.writing() as tx:
            if len(acts) == 1:
                return [(acts[0](tx), None)]
            return [_attempt(tx, act) for act in acts]


def _attempt(tx: Transaction, act: Callable[[Transaction], Any]) -> _End:
    try:
        with tx.part():
            return act(tx), None
    except StoreError:
        raise
    except KataribeError as error:
        # Refused by the rules. Whatever else went wrong calls all of it off.
        return None, error
