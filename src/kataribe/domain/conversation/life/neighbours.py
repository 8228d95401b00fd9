"""Likeness to the long-term memories in force: by vectors, and by words where there is no vector."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kataribe.domain.arrays import np
from kataribe.domain.conversation.life.items import LifeItem
from kataribe.domain.conversation.life.words import content_words
from kataribe.domain.recall.ranking import DECIMALS, exact_similarities, fast_products
from kataribe.domain.terms import Language
from kataribe.errors import InputError

if TYPE_CHECKING:
    from kataribe.domain.arrays import npt

    Rows = npt.NDArray[np.float32]
    Bools = npt.NDArray[np.bool_]

_MARGIN = 1e-4
"""What the quick product of two unit vectors may be wrong by."""


@dataclass(frozen=True, slots=True)
class Likeness:
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
        self._floor = floor
        self._rows: Rows = np.zeros((0, 0), dtype=np.float32)
        self._is_alive: Bools = np.zeros(0, dtype=np.bool_)
        self._speaker: npt.NDArray[np.int32] = np.zeros(0, dtype=np.int32)
        self._speakers: dict[str, int] = {}
        self._items: list[LifeItem] = []
        self._of_turn: defaultdict[str, list[int]] = defaultdict(list)
        self._postings: defaultdict[str, list[int]] = defaultdict(list)
        self._posted = 0
        self._bare: list[int] = []
        self._words: dict[int, frozenset[str]] = {}
        self._units: dict[int, Rows | None] = {}

    def __len__(self) -> int:
        return len(self._items)

    def add(self, item: LifeItem) -> int:
        """Take in a memory that speaks as `item` does; its slot is never given again."""
        slot = len(self._items)
        self._grow(slot, item)
        self._items.append(item)
        self._is_alive[slot] = True
        self._speaker[slot] = self._speakers.setdefault(item.turn.speaker, len(self._speakers))
        self._of_turn[item.turn.turn_id].append(slot)
        unit = self._unit(item)
        if unit is None:
            self._bare.append(slot)
        else:
            self._rows[slot] = unit
        return slot

    def remove(self, slot: int) -> None:
        """Take out a memory that is in force no more."""
        self._is_alive[slot] = False

    def look(self, item: LifeItem, *, without: int | None = None, since: int = 0) -> Likeness:
        """Compare an item with all memories in slots from `since` on, but for one."""
        if item.turn.speaker not in self._speakers:
            return Likeness((), None)
        found = self._by_vector(item, since)
        found.update(self._by_words(item, since, self._unit(item) is None))
        if without is not None:
            found.pop(without, None)
        ranked = sorted(((one, slot) for slot, one in found.items()), key=lambda pair: (-pair[0], pair[1]))
        near = tuple(pair for pair in ranked if pair[0] >= self._floor)
        return Likeness(near, ranked[0][0] if ranked else None)

    def _admits(self, since: int, speaker: str) -> Bools:
        end = len(self._items)
        return self._is_alive[since:end] & (self._speaker[since:end] == self._speakers[speaker])

    def _by_vector(self, item: LifeItem, since: int) -> dict[int, float]:
        unit = self._unit(item)
        if unit is None or since >= len(self._items) or not self._rows.shape[1]:
            return {}
        self._check_width(unit)
        quick = fast_products(self._rows[since : len(self._items)], unit)
        quick[~self._admits(since, item.turn.speaker)] = -2.0
        # Only what may reach the floor, and the nearest, is worked out exactly: row by row.
        enough = min(self._floor, float(quick.max())) - _MARGIN
        slots = np.nonzero((quick >= enough) & (quick > -1.5))[0] + since
        exact = exact_similarities(self._rows[slots], unit)
        return dict(zip(slots.tolist(), exact.tolist(), strict=True))

    def _by_words(self, item: LifeItem, since: int, is_bare: bool) -> dict[int, float]:
        if is_bare:
            slots: Iterable[int] = self._sharing(item)
        else:
            same = [one for one in self._of_turn.get(item.turn.turn_id, ()) if self._shares_vector(item, one)]
            slots = [*self._bare, *same]
        code = self._speakers[item.turn.speaker]
        return {
            slot: self._common(item, slot)
            for slot in slots
            if slot >= since and self._is_alive[slot] and self._speaker[slot] == code
        }

    def _shares_vector(self, item: LifeItem, slot: int) -> bool:
        return not item.has_own_vector and not self._items[slot].has_own_vector

    def _sharing(self, item: LifeItem) -> list[int]:
        for slot in range(self._posted, len(self._items)):
            for word in self._words_of(self._items[slot]):
                self._postings[word].append(slot)
        self._posted = len(self._items)
        counts = Counter(slot for word in self._words_of(item) for slot in self._postings.get(word, ()))
        return sorted(counts)

    def _common(self, item: LifeItem, slot: int) -> float:
        one, other = self._words_of(item), self._words_of(self._items[slot])
        every = one | other
        return round(len(one & other) / len(every), DECIMALS) if every else 0.0

    def _words_of(self, item: LifeItem) -> frozenset[str]:
        known = self._words.get(item.number)
        if known is None:
            known = self._words[item.number] = frozenset(content_words(item.text, self._language))
        return known

    def _grow(self, slot: int, item: LifeItem) -> None:
        width = self._rows.shape[1]
        unit = self._unit(item)
        if unit is not None and width:
            self._check_width(unit)
        if slot == len(self._is_alive) or (unit is not None and not width):
            size = max(64, 2 * slot) if slot == len(self._is_alive) else len(self._is_alive)
            width = width or (0 if unit is None else unit.shape[0])
            self._rows = _enlarged(self._rows, (size, width))
            self._is_alive = _enlarged(self._is_alive, (size,))
            self._speaker = _enlarged(self._speaker, (size,))

    def _unit(self, item: LifeItem) -> Rows | None:
        if item.number not in self._units:
            self._units[item.number] = _unit_of(item)
        return self._units[item.number]

    def _check_width(self, unit: Rows) -> None:
        if unit.shape[0] != self._rows.shape[1]:
            raise InputError(
                f"vectors of {self._rows.shape[1]} and of {unit.shape[0]} numbers cannot be compared; "
                "embed all turns with one embedder"
            )


if TYPE_CHECKING:
    from typing import Any, TypeVar

    _Array = TypeVar("_Array", bound=npt.NDArray[Any])


def _enlarged(old: _Array, shape: tuple[int, ...]) -> _Array:
    new = np.zeros(shape, dtype=old.dtype)
    if old.size:
        new[tuple(slice(0, length) for length in old.shape)] = old
    return new  # type: ignore[return-value]


def _unit_of(item: LifeItem) -> Rows | None:
    """Give the vector of an item at length 1, or None where there is nothing to compare."""
    if item.vector is None:
        return None
    vector = np.asarray(item.vector, dtype=np.float32)
    length = float(np.sqrt((vector.astype(np.float64) ** 2).sum()))
    if not np.isfinite(length):
        raise InputError(f"the vector of turn {item.turn.turn_id!r} holds numbers that are not finite")
    return (vector / length).astype(np.float32) if length > 0 else None
