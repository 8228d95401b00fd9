"""What each language says of kinship: patterns with the one it is said of as the group `a`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple


class Having(NamedTuple):
    """Words for having nobody of a sort, and for having somebody."""

    key: str
    nobody: re.Pattern[str]
    somebody: re.Pattern[str]
    says: tuple[str, str]
    """How to say either."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KinPatterns:
    """The patterns for one cast, in one language."""

    related: tuple[re.Pattern[str], ...]
    """`a` is the `r` of `b`."""
    relation: Callable[[str], str | None]
    """Gives one word for all that mean the same relation; None for one that excludes no other."""
    having: tuple[Having, ...]
    even_unreal: str
    """First letters of the keys that count also where the line is a dream, a rumour or the like."""
    counts: tuple[re.Pattern[str], ...]
    """`a` has `n` of the kin `c`."""
    number: Callable[[str], int]
    counted: str
    """How to say a count, with `n` and `c`."""
    job: re.Pattern[str]
    """The `r` of `a` is by profession `job`."""
