"""Noting that what turns name is to be read."""

from __future__ import annotations

from kataribe.domain.ids import digest
from kataribe.domain.records import Wanted
from kataribe.domain.work import WorkKind
from kataribe.ports import Transaction


def want_associations(tx: Transaction, space: str, unit: str, because: str, *, position: int) -> None:
    """Note that a unit's turns are to be read, since they came into memory.

    What is wanted is named after what was wanted before: a turn that is changed and changed back has
    lost what was read of it.
    """
    before = tx.work(space, WorkKind.ASSOCIATIONS, unit).get(unit)
    wanted = digest("associations", "" if before is None else before.wanted, because)
    tx.want(space, WorkKind.ASSOCIATIONS, {unit: Wanted(fingerprint=wanted, position=position)})
