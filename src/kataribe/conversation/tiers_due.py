"""Noting that what holders keep in tiers is to be replayed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from kataribe.domain.conversation.turns import Turn
from kataribe.domain.ids import WORLD, digest
from kataribe.domain.records import Outcome, Wanted
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


def want_used(tx: Transaction, space: str, viewer: str, because: str) -> None:
    """Note that what a viewer keeps is to be replayed, since it used what was said; nobody else's moves.

    `viewer` is whom the use is kept under. Who keeps nothing of its own there is left as it is.
    """
    if not viewer.startswith(":"):
        return
    holder = viewer[1:] or WORLD
    before = tx.work(space, WorkKind.TIERS, holder).get(holder)
    if before is not None:
        now = Wanted(fingerprint=digest("tiers", before.wanted, because), position=0)
        tx.want(space, WorkKind.TIERS, {holder: now})


def lose_tiers(tx: Transaction, space: str) -> None:
    """Record that what holders keep there is not whole any more, so that all of it is written again."""
    for holder, work in tx.work(space, WorkKind.TIERS).items():
        if work.outcome is Outcome.DONE:
            tx.put_work(space, WorkKind.TIERS, holder, replace(work, fingerprint="", outcome=Outcome.DUE))


def holders_of(turns: Iterable[Turn]) -> set[str]:
    """Name everybody who holds one of these turns."""
    return {holder for turn in turns for holder in turn.audience.holders()}
