"""NeighbourLikeness to the long-term memories in force: by vectors, and by words where there is no vector."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kataribe.domain.arrays import np
from kataribe.domain.conversation.life.items import LifeItem
from kataribe.domain.conversation.life.words import content_words
from kataribe.domain.similarity import exact_similarities, fast_products, rounded
from kataribe.domain.terms import Language
from kataribe.errors import InputError

if TYPE_CHECKING:
    from kataribe.domain.arrays import npt

    Rows = npt.NDArray[np.float32]
    Bools = npt.NDArray[np.bool_]
    Floats = npt.NDArray[np.float64]
    Counts = npt.NDArray[np.int64]

_NEVER = -2.0
_FEW_PRODUCTS = 100_000
_MARGIN = 1e-4
"""What the quick product of two unit vectors may be wrong by."""


@dataclass(frozen=True, slots=True)
class NeighbourLikeness:
    """Which memories are near to an item, the nearest first: (likeness, slot); all that reach the floor."""

    near: tuple[tuple[float, int], ...]
    best: float | None
    """The likeness of the nearest, also where it is below the floor; None: there is none."""

    @property
    def likenesses(self) -> list[float]:
        """The likenesses alone."""
        return [one for one, _ in self.near]


class Neighbours:
    """The long-term memories in force, each in a slot, as its oldest source in force speaks.

    Only memories of one speaker are compared. Two texts are alike by the cosine of their vectors. Where
    one of them has none, or both have that of one turn, the likeness is the share of content words that
    they have in common.
    """

    def __init__(self, language: Language, floor: float) -> None:
        self._language = language
        self.floor = floor
        self._rows: Rows = np.zeros((0, 0), dtype=np.float32)
        self._is_alive: Bools = np.zeros(0, dtype=np.bool_)
        self._is_bare: Bools = np.zeros(0, dtype=np.bool_)
        self._speaker: Counts = np.zeros(0, dtype=np.int64)
        self._speakers: dict[str, int] = {}
        self._items: list[LifeItem] = []
        self._of_turn: defaultdict[str, list[int]] = defaultdict(list)
        self._has_bare = False
        self._words = _Words(language)
        self._units: dict[int, Rows | None] = {}
        self._prepared: dict[int, Rows] = {}

    def __len__(self) -> int:
        return len(self._items)

    def add(self, item: LifeItem) -> int:
        """Take in a memory that speaks as `item` does; its slot is never given again."""
        slot, unit = len(self._items), self._unit(item)
        self._grow(slot, unit)
        self._items.append(item)
        self._is_alive[slot] = True
        self._speaker[slot] = self._speakers.setdefault(item.turn.speaker, len(self._speakers))
        self._of_turn[item.turn.turn_id].append(slot)
        if unit is None:
            self._is_bare[slot] = self._has_bare = True
        else:
            self._rows[slot] = unit
        return slot

    def remove(self, slot: int) -> None:
        """Take out a memory that is in force no more."""
        self._is_alive[slot] = False

    def prepare(self, items: Iterable[LifeItem]) -> None:
        """Compare many items by their vectors at once, for the looks that follow before the next `add`."""
        known = ((item.number, self._unit(item)) for item in items)
        units = {number: unit for number, unit in known if unit is not None}
        self._prepared = {}
        if not units or not self._items or not self._rows.shape[1]:
            return
        stacked = np.stack([self._checked(unit) for unit in units.values()])
        products = _many_products(self._rows[: len(self._items)], stacked)
        self._prepared = dict(zip(units, products, strict=True))

    def look(self, item: LifeItem, *, without: int | None = None, since: int = 0) -> NeighbourLikeness:
        """Compare an item with all memories in slots from `since` on, but for one."""
        speaker = self._speakers.get(item.turn.speaker, -1)
        end = len(self._items)
        admitted = self._is_alive[since:end] & (self._speaker[since:end] == speaker)
        if without is not None and without >= since:
            admitted[without - since] = False
        return self._compared(item, admitted, since) if admitted.any() else NeighbourLikeness((), None)

    def _compared(self, item: LifeItem, admitted: Bools, since: int) -> NeighbourLikeness:
        about, by_words = self._by_vector(item, since), self._by_words(item, since)
        if by_words is not None:
            is_worded, shares = by_words
            about = np.where(is_worded, shares, about)
        about = np.where(admitted, about, _NEVER)
        # Only what may reach the floor, and the nearest, is worked out exactly: row by row.
        enough = min(self.floor, float(about.max())) - _MARGIN
        places = np.nonzero(about >= max(enough, _NEVER / 2 - _MARGIN))[0]
        exact = self._exact(self._unit(item), places + since)
        if by_words is not None:
            exact = np.where(is_worded[places], shares[places], exact)
        pairs = zip(exact.tolist(), (places + since).tolist(), strict=True)
        ranked = sorted(pairs, key=lambda pair: (-pair[0], pair[1]))
        near = tuple(pair for pair in ranked if pair[0] >= self.floor)
        return NeighbourLikeness(near, ranked[0][0])

    def _by_vector(self, item: LifeItem, since: int) -> Floats:
        unit, end = self._unit(item), len(self._items)
        if unit is None or not self._rows.shape[1]:
            return np.zeros(end - since)
        prepared = self._prepared.get(item.number)
        if prepared is not None and len(prepared) == end:
            return prepared[since:].astype(np.float64)
        return fast_products(self._rows[since:end], self._checked(unit)).astype(np.float64)

    def _exact(self, unit: Rows | None, slots: Counts) -> Floats:
        if unit is None or not self._rows.shape[1]:
            return np.zeros(slots.size)
        return exact_similarities(self._rows[slots], unit)

    def _by_words(self, item: LifeItem, since: int) -> tuple[Bools, Floats] | None:
        """Give which slots are compared by words, and the shares of all; None when none is."""
        same = [one for one in self._of_turn.get(item.turn.turn_id, ()) if self._shares_vector(item, one)]
        is_bare, end = self._unit(item) is None, len(self._items)
        if not (is_bare or same or self._has_bare):
            return None
        is_worded = np.ones(end, dtype=np.bool_) if is_bare else self._is_bare[:end].copy()
        is_worded[same] = True
        return is_worded[since:], self._words.shares(item, self._items)[since:]

    def _shares_vector(self, item: LifeItem, slot: int) -> bool:
        return not item.has_own_vector and not self._items[slot].has_own_vector

    def _grow(self, slot: int, unit: Rows | None) -> None:
        width = self._rows.shape[1]
        if unit is not None and width:
            self._checked(unit)
        is_full = slot == len(self._is_alive)
        size = max(64, 2 * slot) if is_full else len(self._is_alive)
        if is_full or (unit is not None and not width):
            width = width or (0 if unit is None else unit.shape[0])
            self._rows = _enlarged(self._rows, (size, width))
        if is_full:
            self._is_alive = _enlarged(self._is_alive, (size,))
            self._is_bare = _enlarged(self._is_bare, (size,))
            self._speaker = _enlarged(self._speaker, (size,))

    def _unit(self, item: LifeItem) -> Rows | None:
        if item.number not in self._units:
            self._units[item.number] = _unit_of(item)
        return self._units[item.number]

    def _checked(self, unit: Rows) -> Rows:
        if unit.shape[0] != self._rows.shape[1]:
            raise InputError(
                f"vectors of {self._rows.shape[1]} and of {unit.shape[0]} numbers cannot be compared; "
                "embed all turns with one embedder"
            )
        return unit


if TYPE_CHECKING:
    from typing import Any, TypeVar

    _Array = TypeVar("_Array", bound=npt.NDArray[Any])


def _many_products(rows: Rows, units: Rows) -> Rows:
    """Give about the product of each of `units` with each of `rows`, shape (units, rows).

    It is worked out in the calling thread alone: BLAS wakes no other for so few products at once.
    """
    found = np.empty((len(rows), len(units)), dtype=np.float32)
    together = max(1, _FEW_PRODUCTS // units.size)
    whole = len(rows) // together * together
    if whole:
        blocks, room = rows[:whole].reshape(-1, together, rows.shape[1]), found[:whole]
        np.matmul(blocks, units.T, out=room.reshape(-1, together, len(units)))
    if whole < len(rows):
        np.matmul(rows[whole:], units.T, out=found[whole:])
    return np.ascontiguousarray(found.T)


def _enlarged(old: _Array, shape: tuple[int, ...]) -> _Array:
    new = np.zeros(shape, dtype=old.dtype)
    if old.size:
        new[tuple(slice(0, length) for length in old.shape)] = old
    return new  # type: ignore[return-value]


class _Words:
    """The content words of the memories in their slots, taken in when they are first asked for."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self._slots: defaultdict[str, array[int]] = defaultdict(lambda: array("q"))
        self._counts = array("q")
        self._known: dict[int, tuple[str, ...]] = {}

    def shares(self, item: LifeItem, items: Sequence[LifeItem]) -> Floats:
        """Give for each slot the share of content words it has in common with an item, 0 to 1."""
        for slot in range(len(self._counts), len(items)):
            words = self._of(items[slot])
            self._counts.append(len(words))
            for word in words:
                self._slots[word].append(slot)
        wanted = self._of(item)
        found = [np.frombuffer(self._slots[one], dtype=np.int64) for one in wanted if one in self._slots]
        if not found:
            return np.zeros(len(items))
        common = np.bincount(np.concatenate(found), minlength=len(items))
        every = np.frombuffer(self._counts, dtype=np.int64) + len(wanted) - common
        return rounded(common / every)

    def _of(self, item: LifeItem) -> tuple[str, ...]:
        known = self._known.get(item.number)
        if known is None:
            known = self._known[item.number] = content_words(item.text, self._language)
        return known


def _unit_of(item: LifeItem) -> Rows | None:
    """Give the vector of an item at length 1, or None where there is nothing to compare."""
    if item.vector is None:
        return None
    vector = np.asarray(item.vector, dtype=np.float32)
    length = float(np.sqrt((vector.astype(np.float64) ** 2).sum()))
    if not np.isfinite(length):
        raise InputError(f"the vector of turn {item.turn.turn_id!r} holds numbers that are not finite")
    return (vector / length).astype(np.float32) if length > 0 else None
