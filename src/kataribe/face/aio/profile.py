"""A user's profile: what the user agreed to be kept, and the consents themselves."""

from __future__ import annotations

from datetime import datetime

from kataribe.domain.privacy.interests import Interests
from kataribe.domain.privacy.profile import ConsentEvent, ProfileItem
from kataribe.engine import Engine
from kataribe.face.marks import author_read, write


class AsyncProfileHandle:
    """The profile of one user: keys with values of JSON, each with the consent it rests on.

    All reads here are the author's.
    """

    def __init__(self, engine: Engine, user_id: str) -> None:
        self._engine = engine
        self.user_id = user_id

    @author_read
    async def show(self) -> tuple[ProfileItem, ...]:
        """Give the values that count now, by key; where the user's key is missing they are locked.

        Raises `NotFoundError`.
        """
        return await self._engine.profile(self.user_id)

    @author_read
    async def get(self, key: str) -> ProfileItem:
        """Give the value of one key. Raises `NotFoundError`, `KeyStoreError` without the user's key."""
        return await self._engine.profile_item(self.user_id, key)

    @author_read
    async def history(self, key: str | None = None) -> tuple[ProfileItem, ...]:
        """Give every value that is kept, of one key or of all, oldest first. Raises `NotFoundError`."""
        return await self._engine.profile_history(self.user_id, key)

    @write
    async def set(
        self,
        key: str,
        value: object,
        *,
        evidence: str | None = None,
        by_hand: bool = False,
        until: datetime | None = None,
    ) -> ProfileItem:
        """Keep a value, sealed under the user's key; gives it as it is kept.

        `evidence` is the id of the turn in which the user said so; without one say `by_hand`. `until`
        is when it ends. Raises `InputError`, `NotFoundError`, `KeyStoreError`.
        """
        return await self._engine.set_profile(
            self.user_id, key, value, evidence=evidence, by_hand=by_hand, until=until
        )

    @write
    async def delete(self, key: str) -> int:
        """Remove all values of a key; gives how many there were. Raises `NotFoundError`."""
        return await self._engine.delete_profile(self.user_id, key)

    @author_read
    async def consents(self) -> tuple[ConsentEvent, ...]:
        """Give the last step of each consent, by key. Raises `NotFoundError`."""
        return await self._engine.consents(self.user_id)

    @write
    async def give(self, key: str, *, evidence: str | None = None, by_hand: bool = False) -> ConsentEvent:
        """Note that the user consents, in the turn that is the evidence or by hand.

        To be remembered is the consent `remember`, or `remember:PERSONA` for one persona.

        Raises `InputError`, `NotFoundError`.
        """
        return await self._engine.give_consent(self.user_id, key, evidence=evidence, by_hand=by_hand)

    @write
    async def withdraw(self, key: str) -> ConsentEvent:
        """Take a consent back, with the values of its key. Raises `NotFoundError` where none stands.

        With `remember`, or `remember:PERSONA`, goes all that was said to nobody else who may remember it.
        """
        return await self._engine.withdraw_consent(self.user_id, key)

    @write
    async def require(self, persona: str | None = None) -> ConsentEvent:
        """Have the user asked before anything is remembered of it, by all or by one persona.

        Until it agrees, what is said is at hand within its session and nothing is made of it. Raises
        `NotFoundError`, `InputError`.
        """
        return await self._engine.require_consent(self.user_id, persona)

    @write
    async def waive(self, persona: str | None = None) -> ConsentEvent:
        """Have the user asked no more; what it refused stays refused.

        Raises `NotFoundError`, `InputError`.
        """
        return await self._engine.waive_consent(self.user_id, persona)

    @write
    async def keep(
        self,
        days: int | None,
        *,
        spare_asked: bool = False,
        evidence: str | None = None,
        by_hand: bool = False,
    ) -> ConsentEvent:
        """Note for how many days the user wants what is said to be kept (None: for good).

        It holds from the next night on. With `spare_asked` what the user asked to be remembered, and
        what is pinned, stays all the same. `evidence` and `by_hand` as in `set`. Raises `InputError`,
        `NotFoundError`.
        """
        return await self._engine.keep_for(
            self.user_id, days, spare_asked=spare_asked, evidence=evidence, by_hand=by_hand
        )

    @author_read
    async def interests(self, persona: str | None = None) -> Interests:
        """Count what the user spoke of to a persona (None: what all were told), and to whom.

        Empty without the consent `personalise`. Raises `NotFoundError`.
        """
        return await self._engine.interests(self.user_id, persona)
