"""Verbs for what a user agrees to: to be remembered, and for how long."""

from __future__ import annotations

import asyncio

from kataribe.conversation.consents import may_remember, read_leave, step
from kataribe.conversation.homes import user_of
from kataribe.conversation.profile import evidence_of, give, withdraw
from kataribe.conversation.store import delete, remember_anew, spaces_of
from kataribe.domain.ids import WORLD, check_id
from kataribe.domain.privacy.keeping import KEEP, Keeping, check_days
from kataribe.domain.privacy.profile import ConsentEvent, ConsentStep
from kataribe.domain.privacy.remembering import MayRemember, is_of_remembering, remember_key
from kataribe.domain.space import user_space
from kataribe.engine.profile import ProfileVerbs
from kataribe.ports import Transaction


class ConsentVerbs(ProfileVerbs):
    """What a user agreed to, and what becomes of its memory by it."""

    async def give_consent(
        self, user_id: str, key: str, *, evidence: str | None = None, by_hand: bool = False
    ) -> ConsentEvent:
        """Note that a user consents, with the turn that says so, or by hand.

        By `remember` (of one persona: `remember:PERSONA`) what was said and is still there is remembered.
        Raises `InputError`, `NotFoundError`.
        """
        at = self._position()

        def act(tx: Transaction) -> ConsentEvent:
            told = evidence_of(tx, user_id, evidence, by_hand=by_hand)
            before = may_remember(tx, user_space(user_id))
            made = give(tx, user_id, key, at=at, evidence=told)
            if is_of_remembering(key):
                self._decided(tx, user_id, before)
            return made

        return await self._followed(user_id, await self._write(act))

    async def withdraw_consent(self, user_id: str, key: str) -> ConsentEvent:
        """Take a consent back, and all that rests on it. Raises `NotFoundError` where none stands.

        With `remember` (of one persona: `remember:PERSONA`) goes what was said to nobody else who may
        remember it.
        """
        at = self._position()

        def act(tx: Transaction) -> ConsentEvent:
            before = may_remember(tx, user_space(user_id))
            made = withdraw(tx, user_id, key, at=at)
            if is_of_remembering(key):
                self._decided(tx, user_id, before)
                _forget_said(tx, user_id)
            return made

        made = await self._followed(user_id, await self._delete(act))
        if is_of_remembering(key):
            await asyncio.to_thread(self._ledger.scrub)
        return made

    async def require_consent(self, user_id: str, persona: str | None = None) -> ConsentEvent:
        """Have a user asked before anything is remembered of it, by all or by one persona.

        Until it agrees what is said is at hand within its session, and nothing is made of it. Raises
        `NotFoundError`, `InputError`.
        """
        return await self._decide(user_id, persona, ConsentStep.REQUIRED)

    async def waive_consent(self, user_id: str, persona: str | None = None) -> ConsentEvent:
        """Have a user asked no more; what it refused stays refused. Raises `NotFoundError`, `InputError`."""
        return await self._decide(user_id, persona, ConsentStep.WAIVED)

    async def _decide(self, user_id: str, persona: str | None, what: ConsentStep) -> ConsentEvent:
        at = self._position()
        key = remember_key(WORLD if persona is None else check_id(persona, "the persona"))

        def act(tx: Transaction) -> ConsentEvent:
            user_of(tx, user_id)
            before = may_remember(tx, user_space(user_id))
            made = step(tx, user_space(user_id), key, what, at=at)
            self._decided(tx, user_id, before)
            return made

        return await self._followed(user_id, await self._write(act))

    async def _followed(self, user_id: str, made: ConsentEvent) -> ConsentEvent:
        """Bring memory up to a step that says who may remember."""
        if is_of_remembering(made.key):
            await self._remembered_anew(user_id)
        return made

    async def _remembered_anew(self, user_id: str) -> None:
        """Bring what is remembered of a user up to what may be; what fails is left to the next sync."""

    def _decided(self, tx: Transaction, user_id: str, before: MayRemember) -> None:
        """Remember by what was decided; what was asked and answered before counts too, at its moments."""
        for space in spaces_of(tx, user_id):
            read_leave(tx, space, {turn.session for turn in tx.turns(space)})
        remember_anew(tx, user_id, before)
        self._learn_anew(tx, user_id)

    async def keep_for(
        self,
        user_id: str,
        days: int | None,
        *,
        spare_asked: bool = False,
        evidence: str | None = None,
        by_hand: bool = False,
    ) -> ConsentEvent:
        """Note for how many days a user wants what is said to be kept (None: for good).

        It holds from the next night on. With `spare_asked` what the user asked to be remembered, and what
        is pinned, stays all the same. Raises `InputError`, `NotFoundError`.
        """
        at, kept = self._position(), Keeping(check_days(days), spare_asked)

        def act(tx: Transaction) -> ConsentEvent:
            told = evidence_of(tx, user_id, evidence, by_hand=by_hand)
            own = user_space(user_of(tx, user_id).user_id)
            given = ConsentStep.GIVEN
            return step(tx, own, KEEP, given, at=at, evidence=told, keeping=kept)

        return await self._write(act)


def _forget_said(tx: Transaction, user_id: str) -> None:
    """Remove what was said to nobody who may remember it, as far as that was refused."""
    for space in spaces_of(tx, user_id):
        leave = may_remember(tx, space)
        over = [turn.turn_id for turn in tx.turns(space) if leave.is_refused(turn)]
        if over:
            delete(tx, space, over)
