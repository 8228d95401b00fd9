"""Verbs about the webhook."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from functools import partial

from kataribe.domain.hooks import HookLag, HookRun
from kataribe.engine.base import Base
from kataribe.errors import InputError, StoreError


class HookVerbs(Base):
    """Telling it, and how it stands."""

    async def deliver_hook(self, *, thorough: bool = True) -> HookRun:
        """Tell the webhook's receiver what it lacks, as far as it takes it.

        It can be stopped and called again. Raises `InputError` when there is no webhook.
        """
        hooks = self._hooks
        if hooks is None:
            raise InputError("there is no webhook; name one with KATARIBE_WEBHOOK")
        self._check_open()
        return await asyncio.to_thread(partial(hooks.deliver, thorough=thorough))

    async def hook_lag(self) -> HookLag | None:
        """Tell how the webhook stands (author); None when there is none."""
        self._check_open()
        return None if self._hooks is None else await asyncio.to_thread(self._hooks.lag)

    async def _tell_after(self, until: float | None) -> None:
        """Tell what a sync has brought up; what is not taken, or not told in time, waits for the next one."""
        if self._hooks is not None:
            with suppress(StoreError):
                await asyncio.to_thread(partial(self._hooks.deliver, until=until))
