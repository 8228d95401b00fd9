"""The audit record is kept by what hands out transactions: no write can be made around it.

A transaction notes which spaces were written and how much; before it ends, an event for each of
them is appended to the chain of that space, and one anchors what has grown in the chain of the store.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Sized
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from inspect import signature
from typing import Any, cast

from kataribe.domain.audit import (
    ANCHOR,
    ERASE,
    STORE_CHAIN,
    Act,
    AuditNote,
    AuditScope,
    Head,
    anchors,
    follow,
    is_chain_under,
)
from kataribe.domain.space import Space, library_space, parse_space, story_space, user_space
from kataribe.engine.keyring import KeyRing
from kataribe.engine.wrapping import WrappedLedger
from kataribe.errors import KeyStoreError
from kataribe.ports import Clock, Ledger, Transaction, View

ACTING: ContextVar[str] = ContextVar("kataribe_acting", default="write")
"""The verb that is at work, as the face calls it."""

UPKEEP_OF_WORK = frozenset(
    {
        "claim", "clear_failures", "put_work", "release", "renew", "void", "want", "sweep",
        "stage_vectors", "clear_staged",
    }
)  # fmt: skip
UPKEEP_OF_INDEXES = frozenset({"doubt_fed", "drop_fed", "put_fed", "settle_feed"})
UPKEEP_OF_RECORDS = frozenset(
    {
        "part",
        "put_traces",
        "put_mark",
        "append_audit",
        "erase_audit",
        "put_shred",
        "delete_shred",
        "forget_exports",
    }
)
UPKEEP_OF_ACCESS = frozenset({"put_access_key", "delete_access_key"})
"""The verbs that call these tell of it themselves, by the key's id."""
UNTOLD = UPKEEP_OF_WORK | UPKEEP_OF_INDEXES | UPKEEP_OF_RECORDS | UPKEEP_OF_ACCESS
"""What a transaction writes that belongs to nobody: no event is made of it."""
_ERASES = "delete_user"
_NO_KEY = "none-"
_NAMED: Mapping[str, Callable[[Any], str]] = {
    "space": lambda given: str(getattr(given, "space", given)),
    "story_id": story_space,
    "user_id": user_space,
    "library_id": library_space,
    "story": lambda given: story_space(given.story_id),
    "user": lambda given: user_space(given.user_id),
    "library": lambda given: library_space(given.library_id),
}
"""By the first parameter of what writes: the space it belongs to."""

Written = tuple[str, str, int]
"""A space, what wrote in it, and how many pieces."""
ErasedCounts = Mapping[str, Mapping[str, int]]
"""How much was erased of users who go in a transaction, by what it was kept in."""


@lru_cache(maxsize=256)
def owner_of_write(name: str) -> Callable[[Any], str] | None:
    """Say how to tell whose it is what a method of a transaction writes; None: it reads, or is untold."""
    method = getattr(Transaction, name, None)
    if method is None or hasattr(View, name) or name in UNTOLD:
        return None
    return _NAMED[tuple(signature(method).parameters)[1]]


class NotedTransaction:
    """A transaction that notes what is written through it."""

    def __init__(
        self, tx: Transaction, settle: Callable[[Transaction, Sequence[Written], str, ErasedCounts], None]
    ) -> None:
        self._tx = tx
        self._settle = settle
        self._written: list[Written] = []
        self._erased: dict[str, Mapping[str, int]] = {}

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._tx, name)
        owner = owner_of_write(name)
        if owner is None:
            return found

        def write(*given: Any, **named: Any) -> Any:
            result = found(*given, **named)
            whose = given[0] if given else next(iter(named.values()))
            self._written.append((owner(whose), name, _pieces(given[1:2] or tuple(named.values())[:1])))
            return result

        return write

    @contextmanager
    def part(self) -> Iterator[None]:
        """Open a part; what is undone of it was not written."""
        before = len(self._written)
        try:
            with self._tx.part():
                yield
        except BaseException:
            del self._written[before:]
            raise

    def settle(self, act: str) -> None:
        """Append the events of what was written up to here."""
        written, self._written = self._written, []
        erased, self._erased = self._erased, {}
        self._settle(self._tx, written, act, erased)

    def note_erased(self, user_id: str, counts: Mapping[str, int]) -> None:
        """Say how much was erased of a user, for what stays of it."""
        self._erased[user_id] = counts


def _pieces(given: Sequence[object]) -> int:
    """Count what was given to be written."""
    several = [one for one in given if isinstance(one, Sized) and not isinstance(one, str | bytes)]
    return len(several[0]) if several else 1


class AuditedLedger(WrappedLedger):
    """A ledger whose transactions leave events."""

    def __init__(self, ledger: Ledger, auditor: Auditor) -> None:
        super().__init__(ledger)
        self._auditor = auditor

    @contextmanager
    def writing(self, *, patience: float | None = None) -> Iterator[Transaction]:
        """Open a transaction; its events are in it."""
        with self._ledger.writing(patience=patience) as tx:
            noted = NotedTransaction(tx, self._auditor.settle)
            yield cast(Transaction, noted)
            noted.settle(ACTING.get())

    def close(self) -> None:
        """Let go of the store and of the keys."""
        super().close()
        self._auditor.keyring.close()


class Auditor:
    """Makes events, and sees to it that a user who goes takes its chains and its key along."""

    def __init__(self, keyring: KeyRing, scope: AuditScope, clock: Clock) -> None:
        self.keyring = keyring
        self._scope = scope
        self._clock = clock

    def covers(self, of: Space | None) -> bool:
        """Whether a record is kept of what is done in a space (None: to the store as a whole)."""
        if self._scope is not AuditScope.USERS:
            return self._scope is AuditScope.ALL
        return of is None or of.is_personal

    def settle(self, tx: Transaction, written: Sequence[Written], act: str, erased: ErasedCounts) -> None:
        """Append what was written; the chains of whoever was deleted go."""
        gone = {space for space, what, _ in written if what == _ERASES}
        for space in sorted(gone):
            of = parse_space(space)
            self._erase(tx, of, act, erased.get(of.ids["user"], {}))
        told: dict[str, dict[str, int]] = {}
        for space, what, count in written:
            counts = told.setdefault(space, {})
            counts[what] = counts.get(what, 0) + count
        left = {space: counts for space, counts in told.items() if self._is_left(tx, space, gone)}
        now = self._clock.now().isoformat()
        self.put(
            tx,
            [
                AuditNote(of=parse_space(space), act=Act(at=now, act=act, detail={"wrote": counts}))
                for space, counts in left.items()
            ],
        )

    def _is_left(self, tx: Transaction, space: str, gone: Collection[str]) -> bool:
        """Whether a record is to be kept: whoever was deleted in the same breath leaves none."""
        of = parse_space(space)
        if not self.covers(of) or space in gone:
            return False
        return not of.is_personal or not gone or bool(tx.space(space))

    def chains_of(self, view: View, user_id: str) -> dict[str, Head]:
        """Give the chains of a user, and how far they have grown."""
        keys = self.keyring.reading(view)
        pseudonym = None if keys is None else keys.pseudonym(user_id)
        if pseudonym is None:
            return {}
        return {chain: head for chain, head in view.audit_heads().items() if is_chain_under(chain, pseudonym)}

    def _erase(self, tx: Transaction, of: Space, act: str, rows: Mapping[str, int]) -> None:
        """Take the chains of a user out as a whole, say so, and have its key destroyed after the commit."""
        user_id = of.ids["user"]
        chains = self.chains_of(tx, user_id)
        tx.erase_audit(chains)
        now = self._clock.now().isoformat()
        counts = {**rows, "audit": sum(head.length for head in chains.values())}
        # Who never had a key leaves a tombstone all the same.
        keys = self.keyring.writing(tx)
        key_id = keys.key_id(user_id) or f"{_NO_KEY}{secrets.token_hex(8)}"
        tx.put_shred(key_id, keys.tombstone(user_id, at=now, counts=counts))
        if chains and self.covers(None):
            erased = Act(at=now, act=ERASE, detail={"by": act, "chains": anchors(chains)})
            self._append(tx, STORE_CHAIN, [erased])

    def put(self, tx: Transaction, notes: Iterable[AuditNote]) -> None:
        """Append notes to the chains of their spaces, and anchor those in the chain of the store."""
        chains: dict[str, list[Act]] = {}
        called: dict[str, str] = {}
        for note in notes:
            if not self.covers(note.of):
                continue
            chain = STORE_CHAIN if note.of is None else self._chain(tx, note.of, called, chains)
            chains.setdefault(chain, []).append(note.act)
        of_store = chains.pop(STORE_CHAIN, [])
        grown = {chain: self._append(tx, chain, acts) for chain, acts in chains.items()}
        added = {chain: len(acts) for chain, acts in chains.items()}
        if grown:
            now = self._clock.now().isoformat()
            of_store.append(Act(at=now, act=ANCHOR, detail={"chains": anchors(grown, added)}))
        if of_store:
            self._append(tx, STORE_CHAIN, of_store)

    def put_late(self, tx: Transaction, notes: Iterable[AuditNote]) -> None:
        """Append notes of what is over: where nobody can say any more whose they are, without saying it."""
        self.put(tx, [note if self._can_be_named(tx, note.of) else self._unnamed(note) for note in notes])

    def _can_be_named(self, tx: Transaction, of: Space | None) -> bool:
        if of is not None and not _is_text(of.name):
            return False
        if of is None or not of.is_personal or not self.covers(of):
            return True
        if tx.space(of.name) is None:
            return False
        try:
            self.keyring.pseudonym(tx, of.ids["user"])
        except KeyStoreError:
            return False
        return True

    @staticmethod
    def _unnamed(note: AuditNote) -> AuditNote:
        given = note.act
        kept = Act(at=given.at, act=given.act, outcome=given.outcome, reason=given.reason)
        return AuditNote(of=None, act=kept)

    def _chain(self, tx: Transaction, of: Space, called: dict[str, str], chains: dict[str, list[Act]]) -> str:
        """Name the chain of a space; where its user was given a key for it, that is told first."""
        if not of.is_personal:
            return of.name
        user_id = of.ids["user"]
        if user_id not in called:
            called[user_id], made = self.keyring.pseudonym(tx, user_id)
            if made is not None:
                act = Act(at=self._clock.now().isoformat(), act="keys.make", detail={"key": made})
                own = parse_space(user_space(user_id)).under(called[user_id]).name
                chains.setdefault(own, []).append(act)
        return of.under(called[user_id]).name

    @staticmethod
    def _append(tx: Transaction, chain: str, acts: Sequence[Act]) -> Head:
        events = list(follow(chain, tx.audit_head(chain), acts))
        tx.append_audit(events)
        return events[-1].after


def _is_text(name: str) -> bool:
    """Whether a name can be stored: one that was refused may hold what is no text."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
