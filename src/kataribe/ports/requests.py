"""The ledger's part for confirmations: what is kept of tokens that permit an act on a user."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from kataribe.domain.privacy.requests import PrivacyRequest


class RequestsView(Protocol):
    """What is read of them within one view. A space is a user's own."""

    def privacy_requests(self, space: str) -> tuple[PrivacyRequest, ...]:
        """Give what is kept of tokens that were given out, spent ones left out (author)."""


class RequestsTransaction(RequestsView, Protocol):
    """What is written of them within one transaction."""

    def put_privacy_request(self, space: str, request: PrivacyRequest) -> None:
        """Keep a request; it goes with its space, and is in no backup."""

    def drop_privacy_requests(self, space: str, digests: Collection[str]) -> None:
        """Forget the requests of these digests."""
