"""Erasing a user: what every place that holds anything of one answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from kataribe.ports.ledger import Transaction, View


class UserStore(Protocol):
    """One of the places that hold anything of a user. Each is made anew for each erasure.

    An erasure asks `erase` of all within one transaction, `finish` once that is committed, and then
    `left`, whatever `finish` said.
    """

    @property
    def name(self) -> str:
        """What it is called in a receipt."""

    def erase(self, tx: Transaction, user_id: str) -> Mapping[str, int]:
        """Take out what is a user's, or note what `finish` is to take out; counts it."""

    def finish(self) -> tuple[str, ...]:
        """Take out what committed erasures have left, others' too; says what keeps it from being done.

        Empty: nothing. It may be called again, and by another process. Raises `KataribeError`.
        """

    def left(self, view: View, user_id: str) -> int:
        """Ask anew how much is there of the user that was erased."""
