"""Keeping again what an earlier release kept as it was said; the transaction writes tokens, and seals."""

from __future__ import annotations

from kataribe.conversation.store import keep
from kataribe.conversation.tiers_due import holders_of, want_tiers
from kataribe.domain.ids import digest
from kataribe.ports import Transaction

UNVACUUMED = "unvacuumed"
"""The mark of a store whose free pages may hold what is sealed now."""


def seal_decisions(tx: Transaction, space: str) -> None:
    """Keep again what was decided by hand in a space; its holders' memories are replayed then."""
    changed: list[str] = []
    for holder in sorted(holders_of(tx.turns(space))):
        for decision in tx.hand_decisions(space, holder):
            if decision.text:
                tx.put_hand_decision(space, holder, decision)
                changed.append(holder)
    if changed:
        want_tiers(tx, space, changed, digest("sealed", *changed))
        tx.put_mark(UNVACUUMED, "1")


def seal_unit(tx: Transaction, space: str, unit: str) -> int:
    """Keep the turns of a unit again; gives how many hold personal data."""
    changed = len(keep(tx, space, tx.turns(space, unit=unit)).turns)
    if changed:
        tx.put_mark(UNVACUUMED, "1")
    tx.settle_plain(space, unit)
    return changed
