"""Noting that what holders keep in tiers is to be replayed."""

from __future__ import annotations

from collections.abc import Iterable

from kataribe.domain.conversation.turns import Turn
from kataribe.domain.ids import WORLD, digest
from kataribe.domain.records import Wanted
from kataribe.domain.work import WorkKind
from kataribe.ports import Transaction


def want_tiers(tx: Transaction, space: str, holders: Iterable[str], because: str) -> None:
    """Note that what these holders keep is to be replayed, since something happened.

    What is told to all concerns everybody who holds anything there. What is wanted is named after
    what was wanted before and what happened, so that noting it takes no look at what was ever said.
    """
    there = tx.work(space, WorkKind.TIERS)
    concerned = set(holders)
    if WORLD in concerned:
        concerned |= there.keys()
    wanted: dict[str, Wanted | None] = {}
    for holder in sorted(concerned):
        before = there[holder].wanted if holder in there else ""
        wanted[holder] = Wanted(fingerprint=digest("tiers", before, because), position=0)
    tx.want(space, WorkKind.TIERS, wanted)


def holders_of(turns: Iterable[Turn]) -> set[str]:
    """Name everybody who holds one of these turns."""
    return {holder for turn in turns for holder in turn.audience.holders()}
