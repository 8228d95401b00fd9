"""What the arena asks of a store: segments, and what has changed since when."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from kataribe.arena.segment import Segment
from kataribe.domain.filters import Filter
from kataribe.domain.gate import Gate


class Feed(Protocol):
    """One consistent view of a store; all answers are of one moment."""

    @property
    def is_warm(self) -> bool:
        """Whether nobody is to be waited for, and segments are refused with `NotWarmError`."""

    def revision(self, space: str) -> int:
        """Give the revision of the last change of a space's memories; 0 when there was none.

        Revisions only grow, and one is never used twice, not even when a space is deleted and
        made again.
        """

    def changed(self, space: str, since: int) -> Collection[str] | None:
        """Give the units whose memories changed after a revision; None when all may have."""

    def segments(
        self,
        space: str,
        holder: str,
        *,
        after: int | None = None,
        upto: int,
        units: Collection[str] | None = None,
    ) -> list[Segment]:
        """Give a holder's live segments that begin up to a position, in the order in which they begin.

        Only those that begin after another position and are of these units, where that is
        asked. Each is given whole, though it may end behind `upto`.
        """

    def admitted_keys(self, gate: Gate, where: Filter) -> Collection[int]:
        """Give the keys of the live memories that the gate admits and the filter lets pass."""
