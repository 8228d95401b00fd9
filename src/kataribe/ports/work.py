"""The ledger's part for work: what is wanted of each unit, who works on it, and how it ended.

A piece of work is named by (space, kind, unit). It lags while what is wanted of it is not what
was done; what failed too often or was dropped lags too, but is not due.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Protocol

from kataribe.domain.records import Wanted, Work
from kataribe.domain.space import Unit
from kataribe.domain.work import Lease, WorkKind


class WorkView(Protocol):
    """What is read of work within one view."""

    def work(self, space: str, kind: WorkKind, unit: str | None = None) -> Mapping[str, Work]:
        """Give how the work on each unit of a space, or on one and its shares, stands, by unit."""

    def due(self, space: str, kind: WorkKind) -> tuple[str, ...]:
        """Give the units that lag and are not given up, by position."""

    def next_due(self, space: str, kind: WorkKind) -> float | None:
        """Give the moment from which the next unit can be claimed; None when none is due.

        It lies in the past when one can be claimed at once.
        """

    def lease_holders(self, space: str, kind: WorkKind) -> frozenset[str]:
        """Give the workers named by leases, stale ones too."""

    def held(self, token: str, *, now: float) -> frozenset[Unit]:
        """Give the units whose lease has this token and has not run out."""


class WorkTransaction(WorkView, Protocol):
    """What is written of work within one transaction."""

    def want(self, space: str, kind: WorkKind, wanted: Mapping[str, Wanted | None]) -> None:
        """Record what each of these units should be made from; None: nothing is wanted of it any more.

        A lease on a unit of which something else is wanted now is let go: its work comes too late.
        """

    def put_work(self, space: str, kind: WorkKind, unit: str, work: Work) -> None:
        """Record how the work on a unit ended; a lease that `work` does not name is gone."""

    def clear_failures(self, space: str, kind: WorkKind, unit: str | None = None) -> int:
        """Forget failed attempts and dead letters, so that the work is tried again; returns how many.

        What a person dropped is taken up only when its unit is named, which means its shares too.
        """

    def claim(
        self,
        space: str,
        kind: WorkKind,
        lease: Lease,
        *,
        now: float,
        limit: int,
        among: Collection[str] | None = None,
    ) -> tuple[str, ...]:
        """Lease up to `limit` units that are due, by position; returns them.

        Left out are those given up or dropped, those to be tried again later, and those with
        a lease that has not run out. With `among` it is these wanted units that are leased,
        whether they lag or not, unless they have such a lease.
        """

    def renew(self, token: str, *, now: float, until: float) -> int:
        """Make the leases of this token that have not run out last until `until`; returns how many."""

    def release(self, token: str) -> None:
        """Let go of the leases of this token; what they were for is due."""

    def void(self, workers: Collection[str]) -> None:
        """Let go of every lease of these workers."""
