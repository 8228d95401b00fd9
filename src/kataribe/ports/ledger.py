"""The ledger: what is read in one view and written in one transaction. Stores are sync.

Both are bundles of small parts, each with a module and a contract of its own; code asks for
the part it needs.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol, TypeVar

from kataribe.domain.backups import BackupNotes
from kataribe.ports.access import AccessTransaction, AccessView
from kataribe.ports.associations import AssociationsTransaction, AssociationsView
from kataribe.ports.audit import AuditTransaction, AuditView
from kataribe.ports.backups import BackupSealer
from kataribe.ports.conversations import ConversationsTransaction, ConversationsView
from kataribe.ports.documents import DocumentsTransaction, DocumentsView
from kataribe.ports.erasing import ErasingTransaction, ErasingView
from kataribe.ports.feeding import FeedingTransaction, FeedingView
from kataribe.ports.journal import JournalTransaction, JournalView
from kataribe.ports.memory import GatedView, MemoryTransaction, MemoryView
from kataribe.ports.profiles import ProfilesTransaction, ProfilesView
from kataribe.ports.requests import RequestsTransaction, RequestsView
from kataribe.ports.sealed import SealedTransaction, SealedView
from kataribe.ports.spaces import SpacesTransaction, SpacesView
from kataribe.ports.stories import (
    EpisodesTransaction,
    EpisodesView,
    FactsTransaction,
    FactsView,
    StoriesTransaction,
    StoriesView,
)
from kataribe.ports.tiers import TiersTransaction, TiersView
from kataribe.ports.vectors import VectorsTransaction, VectorsView
from kataribe.ports.work import WorkTransaction, WorkView

T = TypeVar("T")


class View(
    SpacesView,
    MemoryView,
    GatedView,
    VectorsView,
    WorkView,
    JournalView,
    StoriesView,
    EpisodesView,
    FactsView,
    ConversationsView,
    DocumentsView,
    FeedingView,
    TiersView,
    ProfilesView,
    RequestsView,
    ErasingView,
    AssociationsView,
    AuditView,
    SealedView,
    AccessView,
    Protocol,
):
    """One consistent view of the ledger; everything read through it is of one moment."""

    def once(self, key: Hashable, read: Callable[[], T]) -> T:
        """Give what `read` gives, which nobody may change; it may be that of an earlier view with this key.

        Only of one of the very same store: as soon as anybody has written it is read anew.
        """


class Transaction(
    SpacesTransaction,
    MemoryTransaction,
    VectorsTransaction,
    WorkTransaction,
    JournalTransaction,
    StoriesTransaction,
    EpisodesTransaction,
    FactsTransaction,
    ConversationsTransaction,
    DocumentsTransaction,
    FeedingTransaction,
    TiersTransaction,
    ProfilesTransaction,
    RequestsTransaction,
    ErasingTransaction,
    AssociationsTransaction,
    AuditTransaction,
    SealedTransaction,
    AccessTransaction,
    View,
    Protocol,
):
    """One transaction: all of it happens, or nothing."""

    def part(self) -> AbstractContextManager[None]:
        """Open a part of it that is undone by itself when its block raises; the rest goes on.

        Raises `StoreError` when the store could not undo the part alone: then nothing may be
        written any more, and the transaction must end by that error.
        """


class NotWarmError(Exception):
    """What was asked for must be waited for or laid first; ask again, off the event loop."""


class Ledger(Protocol):
    """The one truth. Several processes may read while one writes; writers wait for each other."""

    def reading(self, *, warm: bool = False) -> AbstractContextManager[View]:
        """Open a consistent view. Raises `StoreError`.

        With `warm` nobody is waited for and no index is laid: this, or a search in the view, raises
        `NotWarmError` where that had to be done.
        """

    def writing(self, *, patience: float | None = None) -> AbstractContextManager[Transaction]:
        """Open a transaction, committed when the block ends and undone when it raises.

        `patience` is how many seconds to wait for another writer (None: as the store was
        opened). Raises `StoreBusyError` when that one does not finish in time,
        `StoreFullError` when the disk is full; in both cases nothing has changed.
        """

    def problems(self) -> tuple[str, ...]:
        """Give what is wrong with the store as a file; empty when it is sound."""

    def scrub(self, *, whole: bool = False) -> tuple[str, ...]:
        """Leave nothing of what was deleted in the store's files; names who keeps it from that by reading.

        Empty: it is done. With `whole` they are written anew, which needs room for a second copy: for
        when much was replaced.
        """

    def copies(self) -> tuple[str, ...]:
        """Name the copies that upgrades have left beside the store: each holds what the store held then."""

    def archived(self, folders: Collection[str]) -> tuple[str, ...]:
        """Name what lies in these folders of the archive, as `FOLDER/NAME`."""

    def clear_archive(self) -> None:
        """Remove from the archive what was deleted and is there still; each commit tries it quietly.

        Raises `ArchiveError` where it cannot be removed.
        """

    def backup(
        self, path: Path, *, with_vectors: bool = False, sealer: BackupSealer | None = None
    ) -> BackupNotes:
        """Write a consistent copy without vectors and caches, while others may write; tells what it holds.

        Every row of a user's spaces is sealed in it by `sealer`; without one those rows stand as they
        are. `with_vectors` keeps the vectors of stories in it, never those of users or of talk.
        """

    def close(self) -> None:
        """Let go of the store; closing twice is closing."""
