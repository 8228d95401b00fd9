"""What is recorded of feeding an index outside the store."""

from __future__ import annotations

from dataclasses import dataclass

UNFED = -1
"""The revision of what was never fed: below all there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FedUnit:
    """What an index holds of a unit: the ids of its entries, and the revision they were read at.

    While a unit is being fed, `ids` are those it had and those it is given, `revision` the old one.
    """

    collection: str
    unit: str
    revision: int
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedState:
    """How far an index was fed of a space.

    `collection` is what the index knows the space by, `revision` that of the last change of its
    memories. `fed_upto` is the revision up to which everything was fed (`UNFED`: never). `dimensions`
    is the length of its vectors (0: it has none).
    """

    space: str
    collection: str
    revision: int
    fed_upto: int
    dimensions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedLag:
    """What an outside index lacks of the whole store: units of a space that lag, and in how many spaces.

    `gone` counts units of spaces that are gone and that it may still hold; `too_long` the
    spaces whose vectors it does not take.
    """

    index_id: str
    units: int
    spaces: int
    gone: int
    too_long: int

    @property
    def is_fed(self) -> bool:
        """Whether it holds all it can be given, and nothing else."""
        return self.units == 0 and self.gone == 0
