"""What an upgrade of a store does, or would do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Upgrade:
    """An upgrade of a store's schema, done or tried on a copy.

    `found` is the version the store had (None: it was new), `head` the newest. `copy` is the file
    the store was copied to before. `counts` are how many rows of inputs and memories there are;
    `problems` are what the store lacks afterwards, empty when it is sound.
    """

    path: str
    found: str | None
    head: str
    is_dry: bool
    copy: str | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    problems: tuple[str, ...] = ()

    @property
    def is_needed(self) -> bool:
        """Whether the store is not of the newest version."""
        return self.found != self.head
