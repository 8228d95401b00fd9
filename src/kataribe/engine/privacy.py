"""Verbs for all that is kept of a user: confirming, and erasing it everywhere."""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

from kataribe.conversation.confirming import keep_request, spend_request
from kataribe.domain.gate import position_of
from kataribe.domain.privacy.erasure import ErasureReceipt
from kataribe.domain.privacy.requests import PrivacyAction, PrivacyRequest
from kataribe.domain.space import parse_space
from kataribe.engine.answer import AnswerVerbs
from kataribe.engine.auditing import NotedTransaction
from kataribe.engine.erasing import ProcessStore, erase_from, finish_all, left_of, unsealed
from kataribe.engine.finishing import ErasureVerbs
from kataribe.errors import InputError, KeyStoreError
from kataribe.ports import Transaction
from kataribe.ports.userstore import UserStore

_TOKEN_BYTES = 24
_SALT_BYTES = 16


class PrivacyVerbs(AnswerVerbs, ErasureVerbs):
    """Asking for a token, and erasing with it."""

    async def privacy_request(self, user_id: str, action: str) -> str:
        """Give a token that permits one act on a user, `export` or `delete`, once within 15 minutes.

        Raises `NotFoundError`, and `InputError` for another act.
        """
        wanted, token = _action(action), secrets.token_hex(_TOKEN_BYTES)
        now = position_of(self._services.clock.now())
        request = PrivacyRequest.of(user_id, wanted, token, salt=secrets.token_hex(_SALT_BYTES), at=now)
        await self._write(lambda tx: keep_request(tx, user_id, request, now=now))
        return token

    async def delete_user(self, user_id: str, token: str | None = None) -> ErasureReceipt:
        """Erase a user with all that was said and is kept of it, under stories too.

        `privacy_request` gives the token. What cannot be done at once is noted, and done by a later
        sync, or by whoever opens the store next; the receipt says what. Raises `NotFoundError`, and
        `NotPermittedError` without a good token: nothing is done then.
        """
        now = self._services.clock.now()
        stores = (ProcessStore(self._forget_user, self._held_of_user), *self._lasting_stores())

        def act(tx: Transaction) -> dict[str, int]:
            spend_request(tx, user_id, PrivacyAction.DELETE, token, position_of(now))
            counts = erase_from(stores, tx, user_id)
            if isinstance(tx, NotedTransaction):
                tx.note_erased(user_id, counts)
            return counts

        await self.flush()
        counts = await self._write(act)
        receipt = ErasureReceipt(user=user_id, at=now.isoformat(), counts=counts)
        return await asyncio.to_thread(self._finished, stores, receipt)

    def _finished(self, stores: tuple[UserStore, ...], receipt: ErasureReceipt) -> ErasureReceipt:
        """Do what follows the transaction, ask every place anew, and say what came of it."""
        problems = finish_all(stores)
        with self._ledger.reading() as view:
            try:
                left = left_of(stores, view, receipt.user)
            except KeyStoreError as error:
                left = {"key": (str(error),)}
            copies = unsealed(view, self._ledger)
        held = problems.pop("log", ())
        unreached = {name: "; ".join(told) for name, told in {**left, **problems}.items() if name != "log"}
        return replace(receipt, held_by=held, unreached=unreached, unsealed=copies)

    def _forget_user(self, user_id: str) -> None:
        """Forget what waits to be written of a user, and what was looked up last."""
        for waiting, one in self._waiting_of(user_id):
            with suppress(ValueError, IndexError):
                waiting.remove(one)
        self._makers.forget()
        self._hints.clear()
        self._languages.clear()
        self._harmless_texts.clear()
        self._asked_before.forget(user_id)
        if self._hooks is not None:
            self._hooks.forget(user_id)

    def _held_of_user(self, user_id: str) -> int:
        # Who is refused from then on leaves notes, and these say nothing of it.
        held = self._asked_before.held(user_id)
        held += 0 if self._hooks is None else self._hooks.held(user_id)
        return held + sum(1 for waiting, _ in self._waiting_of(user_id) if waiting is not self._notes)

    def _waiting_of(self, user_id: str) -> Iterator[tuple[deque[Any], object]]:
        for trace in list(self._traces):
            if trace.user == user_id:
                yield self._traces, trace
        for note in list(self._notes):
            if note.of is not None and note.of.user == user_id:
                yield self._notes, note
        for use in list(self._uses):
            if parse_space(use.row.space).user == user_id:
                yield self._uses, use


def _action(named: str) -> PrivacyAction:
    if named not in tuple(PrivacyAction):
        raise InputError(f"a token is for {' or '.join(PrivacyAction)}, not for {named!r}; name one")
    return PrivacyAction(named)
