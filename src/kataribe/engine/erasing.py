"""The places that hold anything of a user; whoever adds one adds it to `lasting_stores`.

Each takes out what it has, or notes in the erasing transaction what is to be taken out after it:
so an erasure that is killed is taken up again by the next that opens the store.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from kataribe.domain.feeding import UNFED, FedUnit
from kataribe.domain.hooks import HOOK
from kataribe.engine.auditing import Auditor
from kataribe.engine.backups import backups_written
from kataribe.engine.kinds import KINDS, LIBRARIES
from kataribe.engine.outside import take_back
from kataribe.errors import KataribeError, StoreError
from kataribe.ports import Ledger, Transaction, VectorIndex, View
from kataribe.ports.userstore import UserStore

UNCUT = "uncut"
"""The mark of a store whose log may hold what was deleted; empty: it does not."""
_MARK_BYTES = 8


class KindsStore:
    """The ledger, through the kinds of spaces."""

    name = "ledger"

    def erase(self, tx: Transaction, user_id: str) -> Mapping[str, int]:
        """Remove all rows; counts by table."""
        counts: dict[str, int] = {}
        for kind in (*KINDS, *LIBRARIES):
            for table, count in kind.erase(tx, user_id).items():
                counts[table] = counts.get(table, 0) + count
        return counts

    def finish(self) -> tuple[str, ...]:
        """It is done with the transaction."""
        return ()

    def left(self, view: View, user_id: str) -> int:
        """Count the rows; those of a user who was made anew since are others."""
        return 0 if view.user(user_id) is not None else self.rows(view, user_id)

    @staticmethod
    def rows(view: View, user_id: str) -> int:
        """Count all rows of a user."""
        return sum(sum(kind.left(view, user_id).values()) for kind in (*KINDS, *LIBRARIES))


class AuditStore:
    """The chains of a user in the audit record; they go with the user in the ledger."""

    name = "audit"

    def __init__(self, auditor: Auditor) -> None:
        self._auditor = auditor
        self._chains: frozenset[str] = frozenset()

    def erase(self, tx: Transaction, user_id: str) -> Mapping[str, int]:
        """Count the events."""
        chains = self._auditor.chains_of(tx, user_id)
        self._chains = frozenset(chains)
        return {self.name: sum(head.length for head in chains.values())}

    def finish(self) -> tuple[str, ...]:
        """It is done with the transaction."""
        return ()

    def left(self, view: View, user_id: str) -> int:  # noqa: ARG002 - nobody can tell by the id any more
        """Count the chains that were the user's."""
        return len(self._chains & {*view.audit_chains(), *view.audit_heads()})


class KeyStore:
    """The user's key, in the key store."""

    name = "key"

    def __init__(self, auditor: Auditor, ledger: Ledger) -> None:
        self._keyring = auditor.keyring
        self._ledger = ledger
        self._key_id: str | None = None

    def erase(self, tx: Transaction, user_id: str) -> Mapping[str, int]:
        """Count the key; that it is to be destroyed is noted with the end of its chains."""
        keys = self._keyring.reading(tx)
        self._key_id = None if keys is None else keys.key_id(user_id)
        return {self.name: int(self._key_id is not None)}

    def finish(self) -> tuple[str, ...]:
        """Destroy the keys of users who are gone."""
        self._keyring.finish(self._ledger)
        return ()

    def left(self, view: View, user_id: str) -> int:
        """Whether the key is there; one that the id was given since is another one."""
        keys = self._keyring.reading(view)
        if keys is None or self._key_id is None:
            return 0
        return int(keys.key_id(user_id) == self._key_id)


class ArchiveStore:
    """The files in the archive."""

    name = "archive"

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._folders: tuple[str, ...] = ()

    def erase(self, tx: Transaction, user_id: str) -> Mapping[str, int]:
        """Count the files; the ledger notes their folders to be removed."""
        self._folders = tx.archive_folders(user_id)
        return {self.name: len(self._ledger.archived(self._folders))}

    def finish(self) -> tuple[str, ...]:
        """Remove the folders of spaces that are gone."""
        self._ledger.clear_archive()
        return ()

    def left(self, view: View, user_id: str) -> int:  # noqa: ARG002 - the folders do not say whose they are
        """Count the files in the folders that were the user's."""
        return len(self._ledger.archived(self._folders))


class IndexStore:
    """The entries in indexes outside the store."""

    name = "index"

    def __init__(self, ledger: Ledger, index: VectorIndex | None) -> None:
        self._ledger = ledger
        self._index = index
        self._collections: frozenset[str] = frozenset()

    def erase(self, tx: Transaction, user_id: str) -> Mapping[str, int]:
        """Count the entries; what an index was fed is noted, and outlives its space."""
        fed = tx.fed_of_user(user_id)
        self._collections = frozenset(fed)
        return {self.name: sum(fed.values())}

    def finish(self) -> tuple[str, ...]:
        """Make the index forget what it holds of spaces that are gone; others that hold some are named."""
        if self._index is not None:
            take_back(self._ledger, self._index)
        with self._ledger.reading() as view:
            others = {index for index, _ in self._held(view)}
        return tuple(
            f"{index} holds entries and is not the index of this store now; name it and sync"
            for index in sorted(others)
        )

    def left(self, view: View, user_id: str) -> int:  # noqa: ARG002 - a collection does not say whose it is
        """Count the entries that were not taken back."""
        return sum(self._held(view).values())

    def _held(self, view: View) -> dict[tuple[str, str], int]:
        found = view.fed_to_gone()
        return {one: count for one, count in found.items() if one[1] in self._collections}


class HookStore:
    """What receivers of webhooks were told: ids of memories, which go with their space.

    What stays is the random name of the space, so that the receiver can still be told that it is gone.
    """

    name = "webhooks"

    def __init__(self) -> None:
        self._collections: frozenset[str] = frozenset()

    def erase(self, tx: Transaction, user_id: str) -> Mapping[str, int]:  # noqa: ARG002 - whosever they were
        """Forget the ids of spaces that are gone by now."""
        told = [one for one in tx.fed_to_gone() if one[0].startswith(HOOK)]
        for index_id, collection in told:
            tx.drop_fed(index_id, collection)
            tx.put_fed(index_id, FedUnit(collection=collection, unit="", revision=UNFED, ids=()))
        self._collections = frozenset(collection for _, collection in told)
        return {}

    def finish(self) -> tuple[str, ...]:
        """It is done with the transaction."""
        return ()

    def left(self, view: View, user_id: str) -> int:  # noqa: ARG002 - a collection does not say whose it is
        """Count the ids."""
        found = view.fed_to_gone()
        return sum(n for (one, of), n in found.items() if one.startswith(HOOK) and of in self._collections)


class ExportStore:
    """The files that were written of a user, as long as they lie where they were written."""

    name = "exports"

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._paths: frozenset[str] = frozenset()

    def erase(self, tx: Transaction, user_id: str) -> Mapping[str, int]:
        """Remember the files; the ledger counts them, and notes them to be removed."""
        self._paths = frozenset(one.path for one in tx.exports(user_id))
        return {}

    def finish(self) -> tuple[str, ...]:
        """Remove files of users who are gone; one that holds something else by now stays and is named."""
        with self._ledger.reading() as view:
            gone = view.exports_gone()
        problems = {number: _removed(one.path, one.sha256) for number, one in gone.items()}
        done = [number for number, problem in problems.items() if problem is None]
        if done:
            with self._ledger.writing() as tx:
                tx.forget_exports(done)
        return tuple(
            problem
            for number, problem in problems.items()
            if problem is not None and gone[number].path in self._paths
        )

    def left(self, view: View, user_id: str) -> int:  # noqa: ARG002 - a file does not say whose it is
        """Count the files that are not removed."""
        return sum(one.path in self._paths for one in view.exports_gone().values())


def _removed(path: str, sha256: str) -> str | None:
    """Remove a file that is as it was written; says why not."""
    file = Path(path)
    try:
        if not file.is_file():
            return None
        if hashlib.sha256(file.read_bytes()).hexdigest() != sha256:
            return f"{path} was changed since it was written; look whether it may go"
        file.unlink()
    except OSError as error:
        return f"{path} cannot be removed ({error.strerror}); remove it"
    return None


class FileStore:
    """The file of the ledger and its log: what was deleted may stand in the log until that is cut off."""

    name = "log"

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._mark = secrets.token_hex(_MARK_BYTES)

    def erase(self, tx: Transaction, user_id: str) -> Mapping[str, int]:  # noqa: ARG002 - whosever it is
        """Note that the log is to be cut off."""
        tx.put_mark(UNCUT, self._mark)
        return {}

    def finish(self) -> tuple[str, ...]:
        """Cut the log off where that is due; names who keeps it from that."""
        with self._ledger.reading() as view:
            seen = view.mark(UNCUT)
        if not seen:
            return ()
        if held := self._ledger.scrub():
            return held
        with self._ledger.writing() as tx:
            if tx.mark(UNCUT) == seen:
                tx.put_mark(UNCUT, "")
        return ()

    def left(self, view: View, user_id: str) -> int:  # noqa: ARG002 - whosever it is
        """Whether it is still to be done."""
        return int(view.mark(UNCUT) == self._mark)


class ProcessStore:
    """What this process keeps in memory: notes and traces that wait, and what it looked up last."""

    name = "process"

    def __init__(self, forget: Callable[[str], None], held: Callable[[str], int]) -> None:
        self._forget = forget
        self._held = held
        self._user_id: str | None = None

    def erase(self, tx: Transaction, user_id: str) -> Mapping[str, int]:  # noqa: ARG002 - none of it is there
        """Note whose it is."""
        self._user_id = user_id
        return {}

    def finish(self) -> tuple[str, ...]:
        """Forget it."""
        if self._user_id is not None:
            self._forget(self._user_id)
        return ()

    def left(self, view: View, user_id: str) -> int:  # noqa: ARG002 - none of it is there
        """Count what is kept."""
        return self._held(user_id)


def lasting_stores(
    ledger: Ledger, auditor: Auditor | None, index: VectorIndex | None
) -> tuple[UserStore, ...]:
    """Give every place outside this process; the rows go after all that is counted by them, the log last."""
    keyed = () if auditor is None else (AuditStore(auditor), KeyStore(auditor, ledger))
    return (
        ArchiveStore(ledger),
        IndexStore(ledger, index),
        ExportStore(ledger),
        *keyed,
        KindsStore(),
        HookStore(),
        FileStore(ledger),
    )


def erase_from(stores: Sequence[UserStore], tx: Transaction, user_id: str) -> dict[str, int]:
    """Take a user out of all of them; counts by what it was kept in.

    Raises `StoreError` where rows would stay: nothing is done then.
    """
    counts: dict[str, int] = {}
    for store in stores:
        for name, count in store.erase(tx, user_id).items():
            counts[name] = counts.get(name, 0) + count
    if rows := KindsStore.rows(tx, user_id):
        raise StoreError(f"{rows} rows of {user_id!r} would stay; nothing was erased, run `kataribe verify`")
    return {name: count for name, count in counts.items() if count}


def finish_all(stores: Sequence[UserStore]) -> dict[str, tuple[str, ...]]:
    """Have all take out what erasures have left; says by store what keeps one from it."""
    found: dict[str, tuple[str, ...]] = {}
    for store in stores:
        try:
            problems = store.finish()
        except KataribeError as error:
            problems = (str(error),)
        if problems:
            found[store.name] = problems
    return found


def left_of(stores: Sequence[UserStore], view: View, user_id: str) -> dict[str, tuple[str, ...]]:
    """Ask all anew what is there of a user who is erased."""
    counts = {store.name: store.left(view, user_id) for store in stores}
    return {name: (f"{count} left",) for name, count in counts.items() if count}


def unfinished(view: View) -> tuple[str, ...]:
    """Say what is still to be done in this store of erasures; an index outside it tells its own lag."""
    remedy = "`kataribe sync` finishes it"
    found = [f"erasure: {one.path} is still to be removed; {remedy}" for one in view.exports_gone().values()]
    if view.mark(UNCUT):
        found.append(f"erasure: the store's log may still hold what was erased; {remedy}")
    if view.shreds():
        found.append(f"erasure: a user's key is still to be destroyed; {remedy}")
    return tuple(found)


def unsealed(view: View, ledger: Ledger) -> tuple[str, ...]:
    """Name copies that hold in the open what users said: those of upgrades, and backups, by their time."""
    backups = (one.path or f"backup of {one.at}" for one in backups_written(view) if not one.is_sealed)
    return (*ledger.copies(), *backups)
