"""The ledger's part for a person's profile: sealed values by key, and the steps of consents."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from kataribe.domain.privacy.profile import ConsentEvent, SealedValue


class ProfilesView(Protocol):
    """What is read of it within one view. A space is the user's own."""

    def profile(self, space: str, key: str | None = None) -> tuple[SealedValue, ...]:
        """Give every value that is kept, of one key or of all, in order of key and number (author)."""

    def consent_steps(self, space: str, key: str | None = None) -> tuple[ConsentEvent, ...]:
        """Give the steps of consents, of one key or of all, in order of key and number (author)."""


class ProfilesTransaction(ProfilesView, Protocol):
    """What is written of it within one transaction."""

    def put_profile_value(self, space: str, value: SealedValue) -> None:
        """Add a value of a key."""

    def put_consent(self, space: str, step: ConsentEvent) -> None:
        """Add a step of a consent."""

    def drop_consents(self, space: str, steps: Collection[ConsentEvent]) -> None:
        """Remove these steps, by key and number."""

    def drop_profile(self, space: str, keys: Collection[str]) -> None:
        """Remove all values of these keys; the steps of their consents stay."""

    def drop_evidence(self, space: str, said_in: str, turn_ids: Collection[str]) -> None:
        """Remove every value and every step that rests on one of these turns of the space `said_in` (P6)."""
