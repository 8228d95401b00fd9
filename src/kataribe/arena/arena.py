"""The arena: shelves kept between searches, as many as fit, each of exactly one revision."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from threading import Lock

from kataribe.arena.feed import Feed
from kataribe.arena.shelf import Shelf, shelf_of

DEFAULT_BYTES = 1 << 30
"""How much memory the shelves of one open store may take: a gibibyte."""

_Address = tuple[str, str]


@dataclass
class _Slot:
    """One (space, holder), and the lock of whoever lays it."""

    lock: Lock = field(default_factory=Lock)
    revision: int = -1
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

    def shelf(self, feed: Feed, space: str, holder: str) -> Shelf:
        """Give the shelf as of the feed's revision."""
        revision = feed.revision(space)
        slot = self._slot((space, holder))
        with slot.lock:
            if slot.revision == revision:
                return slot.shelf
            if slot.revision > revision:
                # A view older than what another reader has seen: it must not see the newer.
                return shelf_of(feed.segments(space, holder))
            slot.shelf = self._brought_up(feed, space, holder, slot)
            slot.revision = revision
        self._trim()
        return slot.shelf

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
    def _brought_up(feed: Feed, space: str, holder: str, slot: _Slot) -> Shelf:
        units = None if slot.revision < 0 else feed.changed(space, slot.revision)
        if units is None:
            return shelf_of(feed.segments(space, holder))
        return slot.shelf.replaced(units, feed.segments(space, holder, units=units))

    def _trim(self) -> None:
        """Drop what was not used for longest, never the last one: somebody just asked for it."""
        with self._lock:
            sizes = {address: slot.shelf.nbytes for address, slot in self._slots.items()}
            total = sum(sizes.values())
            while total > self._max_bytes and len(self._slots) > 1:
                address, _ = self._slots.popitem(last=False)
                total -= sizes[address]
