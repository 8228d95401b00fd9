"""The arena: shelves kept between searches, as many as fit, each of exactly one revision."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from threading import Lock

from kataribe.arena.feed import Feed
from kataribe.arena.shelf import Shelf, shelf_of
from kataribe.ports import NotWarmError

DEFAULT_BYTES = 1 << 30
"""How much memory the shelves of one open store may take: a gibibyte."""

_Address = tuple[str, str]


_NOWHERE = -1
"""Before every position."""


@dataclass
class _Slot:
    """One (space, holder): its shelf up to a position, and the lock of whoever lays it."""

    lock: Lock = field(default_factory=Lock)
    revision: int = -1
    upto: int = _NOWHERE
    shelf: Shelf = field(default_factory=Shelf)


class Arena:
    """Shelves by (space, holder), the least recently used dropped first.

    What it gives is a function of the feed's view alone; the arena only spares the reading. It
    may be cleared at any time, and is shared by threads.
    """

    def __init__(self, max_bytes: int = DEFAULT_BYTES) -> None:
        self._max_bytes = max_bytes
        self._slots: OrderedDict[_Address, _Slot] = OrderedDict()
        self._lock = Lock()

    def shelf(self, feed: Feed, space: str, holder: str, *, upto: int) -> Shelf:
        """Give the shelf as of the feed's revision, with all that lies up to a position.

        What lies behind every position asked for is not even read.
        """
        revision = feed.revision(space)
        slot = self._slot((space, holder))
        if not slot.lock.acquire(blocking=not feed.is_warm):
            raise NotWarmError
        try:
            if slot.revision == revision and slot.upto >= upto:
                return slot.shelf
            if slot.revision > revision:
                # A view older than what another reader has seen: it must not see the newer.
                return shelf_of(feed.segments(space, holder, upto=upto))
            self._bring_up(feed, space, holder, slot, revision)
            if slot.upto < upto:
                longer = feed.segments(space, holder, after=slot.upto, upto=upto)
                slot.shelf, slot.upto = slot.shelf.replaced((), longer), upto
            shelf = slot.shelf
        finally:
            slot.lock.release()
        self._trim()
        return shelf

    def clear(self) -> None:
        """Forget all shelves."""
        with self._lock:
            self._slots.clear()

    @property
    def nbytes(self) -> int:
        """About how much memory the shelves take, in bytes."""
        with self._lock:
            return sum(slot.shelf.nbytes for slot in self._slots.values())

    def _slot(self, address: _Address) -> _Slot:
        with self._lock:
            slot = self._slots.setdefault(address, _Slot())
            self._slots.move_to_end(address)
            return slot

    @staticmethod
    def _bring_up(feed: Feed, space: str, holder: str, slot: _Slot, revision: int) -> None:
        """Bring what is laid to a revision; nothing is laid when all of it may be another now."""
        units = None if slot.revision < 0 else feed.changed(space, slot.revision)
        if units is None:
            slot.shelf, slot.upto = Shelf(), _NOWHERE
        elif units:
            changed = feed.segments(space, holder, upto=slot.upto, units=units)
            slot.shelf = slot.shelf.replaced(units, changed)
        slot.revision = revision

    def _trim(self) -> None:
        """Drop what was not used for longest, never the last one: somebody just asked for it."""
        with self._lock:
            sizes = {address: slot.shelf.nbytes for address, slot in self._slots.items()}
            total = sum(sizes.values())
            while total > self._max_bytes and len(self._slots) > 1:
                address, _ = self._slots.popitem(last=False)
                total -= sizes[address]
