"""What all that are compared are given, and what they must be able to do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from kataribe.arena.block import Bools
from kataribe.arena.segment import Ints
from kataribe.bench.stand_ins import DIMENSIONS, unit_vectors
from kataribe.bench.synthetic import HOLDERS, VIEWER, Made, layout
from kataribe.domain.ids import WORLD
from kataribe.errors import KataribeError
from kataribe.ports import Matrix, Vector

ADMITTED = (WORLD, VIEWER)
"""The holders whose rows are visible, up to a position."""
BATCH = 4_096


class NotInstalledError(KataribeError):
    """What is to be compared is not on this machine."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Rows:
    """Unit vectors, float32 (rows, dimensions), each with a holder and a position (an episode's number).

    Visible are those of `ADMITTED` up to position `upto`: half of them.
    """

    vectors: Matrix
    holders: list[str]
    positions: Ints
    made: Made

    @property
    def upto(self) -> int:
        """The last visible position."""
        return self.made.at - 1

    @cached_property
    def is_visible(self) -> Bools:
        """Shape (rows,): whether the gate admits a row."""
        admitted = np.array([holder in ADMITTED for holder in self.holders])
        mask: Bools = admitted & (self.positions <= self.upto)
        return mask


def made_rows(visible: int) -> Rows:
    """Make as many rows as the stores of the other benchmarks have for so many visible ones."""
    made = layout(Path(), visible)
    places = np.arange(made.total)
    return Rows(
        vectors=unit_vectors(made.total, DIMENSIONS),
        holders=[HOLDERS[place % made.an_episode % len(HOLDERS)] for place in range(made.total)],
        positions=1 + places // made.an_episode,
        made=made,
    )


class Compared(ABC):
    """One that stores rows in a folder of its own and searches them behind the gate."""

    @abstractmethod
    def __init__(self, place: Path) -> None:
        """Open an empty store in this folder. Raises `NotInstalledError`."""

    @abstractmethod
    def put(self, rows: Rows) -> None:
        """Store all rows, durable as it is by default, and whatever makes searching quick."""

    @abstractmethod
    def nearest(self, query: Vector, top: int) -> list[int]:
        """Give the numbers of the visible rows nearest by cosine, best first."""

    def close(self) -> None:
        """Let go of what is open, where something is."""
        return
