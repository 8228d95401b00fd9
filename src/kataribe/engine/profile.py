"""Verbs for a person's profile and consents."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime

from kataribe.conversation.consents import gives_leave, is_to_ask, may_remember
from kataribe.conversation.homes import user_of
from kataribe.conversation.profile import (
    NewValue,
    UserSeal,
    asking_turns,
    delete_value,
    effects,
    evidence_of,
    interests,
    item,
    keep_settings,
    no_value,
    set_value,
    standing,
)
from kataribe.conversation.store import spaces_of
from kataribe.domain.conversation.turns import Turn
from kataribe.domain.gate import Viewer, position_of
from kataribe.domain.privacy.interests import Interests
from kataribe.domain.privacy.profile import ConsentEvent, ProfileItem, newest
from kataribe.domain.privacy.wishes import wishes_of
from kataribe.domain.recall.context_words import words
from kataribe.domain.space import parse_space, user_space
from kataribe.domain.terms import Language
from kataribe.engine.base import Base
from kataribe.engine.kinds import KINDS
from kataribe.errors import InputError, KeyLostError, KeyStoreError
from kataribe.ports import Transaction, View
from kataribe.read.gate import open_gate

_WITHOUT = "this store was opened without keys, and keeps no profile; give `keys` and `seal`"


class ProfileVerbs(Base):
    """What a user agreed to be kept of it."""

    async def profile(self, user_id: str) -> tuple[ProfileItem, ...]:
        """Give the values that count now, by key; without the user's key they are locked (author).

        Raises `NotFoundError`.
        """
        at = self._position()

        def ask(view: View) -> tuple[ProfileItem, ...]:
            user_of(view, user_id)
            rows = newest(view.profile(user_space(user_id)), at=at)
            seal = self._key_at_hand(view, user_id) if rows else None
            return tuple(item(row, seal) for row in rows)

        return await self._read(ask)

    async def profile_item(self, user_id: str, key: str) -> ProfileItem:
        """Give the value of one key (author).

        Raises `NotFoundError`, and `KeyStoreError` without the user's key.
        """
        at = self._position()

        def ask(view: View) -> ProfileItem:
            user_of(view, user_id)
            rows = newest(view.profile(user_space(user_id), key), at=at)
            if not rows:
                raise no_value(user_id, key)
            seal = self._opening(view, user_id)
            seal.open(rows[0])
            return item(rows[0], seal)

        return await self._read(ask)

    async def profile_history(self, user_id: str, key: str | None = None) -> tuple[ProfileItem, ...]:
        """Give every value that is kept, by key, oldest first (author). Raises `NotFoundError`."""

        def ask(view: View) -> tuple[ProfileItem, ...]:
            user_of(view, user_id)
            rows = view.profile(user_space(user_id), key)
            seal = self._key_at_hand(view, user_id) if rows else None
            return tuple(item(row, seal) for row in rows)

        return await self._read(ask)

    async def set_profile(
        self,
        user_id: str,
        key: str,
        value: object,
        *,
        evidence: str | None = None,
        by_hand: bool = False,
        until: datetime | None = None,
    ) -> ProfileItem:
        """Keep a value, with the turn in which the user agreed to it, or by hand; gives it as it is kept.

        Raises `InputError`, `NotFoundError`, `KeyStoreError`.
        """
        if until is not None and until.tzinfo is None:
            raise InputError(f"the time {until.isoformat()} has no zone; name one")
        at, expires = self._position(), None if until is None else position_of(until)

        def act(tx: Transaction) -> ProfileItem:
            told = evidence_of(tx, user_id, evidence, by_hand=by_hand)
            new = NewValue(key=key, value=value, evidence=told, at=at, expires=expires)
            return set_value(tx, user_id, new, self._sealing(tx, user_id))

        return await self._write(act)

    async def delete_profile(self, user_id: str, key: str) -> int:
        """Remove all values of a key; gives how many there were. Raises `NotFoundError`."""
        return await self._write(lambda tx: delete_value(tx, user_id, key))

    async def consents(self, user_id: str) -> tuple[ConsentEvent, ...]:
        """Give the last step of each consent, by key (author). Raises `NotFoundError`."""
        return await self._read(lambda view: standing(view, user_id))

    async def interests(self, user_id: str, persona: str | None = None) -> Interests:
        """Count what a persona (None: everybody) was told by a user, by the consent `personalise` (author).

        Raises `NotFoundError`.
        """
        viewer = Viewer(persona=persona, user=user_id, as_of=self._services.clock.now())
        return await self._read(lambda view: interests(view, viewer))

    async def _wishes(self, viewer: Viewer, language: Language) -> str:
        """Say how the viewer's user wants to be spoken to; nothing without a user, and without its key."""
        if self._auditor is None:
            return ""
        now = self._position()

        def ask(view: View) -> str:
            rows = effects(view, viewer, lambda: open_gate(KINDS, view, viewer).gate, now=now)
            seal = self._key_at_hand(view, viewer.user or "") if rows else None
            items = [item(row, seal) for row in rows]
            return wishes_of({one.key: one.value for one in items if not one.is_locked}, language)

        return await self._read(ask)

    async def _leave_to_ask(self, viewer: Viewer, language: Language) -> str:
        """Say that the viewer's user is to be asked whether it may be remembered; nothing once it was."""
        is_wanted = await self._read(lambda view: is_to_ask(view, viewer))
        return words(language).leave if is_wanted else ""

    def _learn(self, tx: Transaction, space: str, turns: Sequence[Turn]) -> None:
        """Keep what the user asks for in new or changed turns; nothing where nothing can be sealed.

        Where one of them gives leave to remember, what was asked for before is kept too.
        """
        if self._auditor is None or self._services.seal is None:
            return
        self._learn_of(tx, space, turns)
        if gives_leave(tx, space, [turn.turn_id for turn in turns]):
            self._learn_anew(tx, parse_space(space).ids["user"])

    def _learn_of(self, tx: Transaction, space: str, turns: Sequence[Turn]) -> None:
        asking = asking_turns(tx, space, turns)
        if not asking:
            return
        # A turn is stored whatever becomes of the rest: nothing may be lost for a key store.
        with suppress(KeyStoreError), tx.part():
            keep_settings(tx, space, asking, self._sealing(tx, parse_space(space).ids["user"]))

    def _learn_anew(self, tx: Transaction, user_id: str) -> None:
        """Keep what the user asked for before it could be kept."""
        own = user_space(user_id)
        if self._auditor is None or self._services.seal is None or may_remember(tx, own).is_everything:
            return
        learnt = {(one.evidence.space, one.evidence.turn_id) for one in tx.profile(own)}
        for space in spaces_of(tx, user_id):
            turns = [one for one in tx.turns(space) if (space, one.turn_id) not in learnt]
            whole = turns if self._protection is None else self._protection.whole(tx, space, turns)
            self._learn_of(tx, space, whole)

    # -- keys -----------------------------------------------------------------------------------

    def _position(self) -> int:
        return position_of(self._services.clock.now())

    def _sealing(self, tx: Transaction, user_id: str) -> UserSeal:
        """Give what seals a user's values. Raises `KeyStoreError`."""
        if self._auditor is None or self._services.seal is None:
            raise KeyStoreError(
                "this store was opened without keys, and seals nothing; give `keys` and `seal`"
            )
        key = self._auditor.keyring.making(tx, user_id)
        return UserSeal(self._services.seal(), key, user_space(user_id))

    def _opening(self, view: View, user_id: str) -> UserSeal:
        """Give what opens them. Raises `KeyStoreError`."""
        if self._auditor is None or self._services.seal is None:
            raise KeyStoreError(
                "this store was opened without keys, and opens nothing; give `keys` and `seal`"
            )
        keys = self._auditor.keyring.reading(view)
        key = None if keys is None else keys.of(user_id)
        if key is None:
            raise KeyLostError(
                f"the key of {user_id!r} is not in the key store; put back the one that holds it"
            )
        return UserSeal(self._services.seal(), key, user_space(user_id))

    def _key_at_hand(self, view: View, user_id: str) -> UserSeal | None:
        try:
            return self._opening(view, user_id)
        except KeyStoreError:
            return None
