"""How sure each sort of guess is: how often guesses of that sort were right.

Measured on three novels (in English and Japanese, told in the first and the third person) whose
every paragraph has notes of who is there, and rounded; `kataribe bench holders --data` measures it
anew on others. Cells with few guesses are set after their neighbours.
"""

from __future__ import annotations

from enum import StrEnum

TELLER = 0.98
"""A narrator whom the cast or a mark names."""
FIRST_PERSON = 0.94
"""One of the cast in whose first person it is told."""
TOLD_TO = 0.96
"""Whom a letter, a diary or a testimony is told to."""
ONLY_APPEARS = 0.3
"""Who appears in a letter, a diary or a testimony, at most."""
THINKER = 0.95
THINKER_UNNAMED = 0.85
"""Who is thought to think because the scene goes along with nobody else."""
SOMEWHERE = 0.04
"""Who is in the scene, but not near."""

class Around(StrEnum):
    """What the nearest other signs of the same character in the same scene say."""

    CLOSE = "close"
    """There is a sign before and one after, close together."""
    WITHIN = "within"
    """One before and one after, a page apart or so."""
    APART = "apart"
    """One before and one after, some pages apart."""
    DISTANT = "distant"
    """One before and one after, farther apart."""
    TALKING = "talking"
    """A sign a line or two ago in the same conversation."""
    JUST = "just"
    """A sign just before, none after."""
    SINCE = "since"
    """A sign some time ago, none after."""
    LONG_SINCE = "long since"
    """A sign long ago, none after."""
    SOON = "soon"
    """None before, one just after."""
    LATER = "later"
    """None before, one some time after."""
    ALONE = "alone"
    """None near."""


_COLUMNS = tuple(Around)

# For each sign, how often the character was there: a column for each `Around`, in its order.
_FOCUS: dict[str, tuple[float, ...]] = {
    "spoke": (0.99, 0.99, 0.99, 0.98, 0.99, 0.98, 0.98, 0.97, 0.95, 0.95, 0.96),
    "thought": (0.99, 0.99, 0.98, 0.97, 0.99, 0.98, 0.97, 0.96, 0.96, 0.95, 0.95),
    "acted": (0.99, 0.99, 0.99, 0.98, 0.99, 0.99, 0.97, 0.96, 0.97, 0.96, 0.96),
    "called": (0.97, 0.97, 0.96, 0.95, 0.97, 0.95, 0.93, 0.90, 0.90, 0.85, 0.80),
    "turn": (0.98, 0.97, 0.95, 0.95, 0.97, 0.95, 0.93, 0.90, 0.90, 0.90, 0.85),
    "touched": (0.97, 0.96, 0.93, 0.90, 0.96, 0.94, 0.90, 0.80, 0.85, 0.70, 0.60),
    "told": (0.98, 0.97, 0.95, 0.92, 0.97, 0.95, 0.93, 0.85, 0.90, 0.80, 0.70),
    "named": (0.97, 0.96, 0.93, 0.90, 0.96, 0.92, 0.88, 0.80, 0.80, 0.65, 0.50),
    "absent": (0.97, 0.95, 0.92, 0.85, 0.95, 0.90, 0.80, 0.70, 0.60, 0.40, 0.30),
    "none": (0.98, 0.97, 0.95, 0.90, 0.96, 0.93, 0.85, 0.76, 0.60, 0.35, 0.15),
}
_OTHERS: dict[str, tuple[float, ...]] = {
    "spoke": (0.99, 0.98, 0.98, 0.95, 0.98, 0.98, 0.97, 0.95, 0.96, 0.95, 0.93),
    "thought": (0.97, 0.96, 0.95, 0.95, 0.96, 0.95, 0.90, 0.85, 0.90, 0.85, 0.65),
    "acteds": (0.99, 0.97, 0.96, 0.96, 0.98, 0.97, 0.96, 0.85, 0.96, 0.95, 0.92),
    "acted": (0.98, 0.92, 0.85, 0.90, 0.97, 0.97, 0.95, 0.90, 0.93, 0.93, 0.70),
    "called": (0.96, 0.95, 0.93, 0.90, 0.95, 0.93, 0.90, 0.85, 0.90, 0.80, 0.55),
    "turn": (0.96, 0.95, 0.90, 0.85, 0.95, 0.92, 0.85, 0.80, 0.85, 0.80, 0.70),
    "touched": (0.97, 0.92, 0.88, 0.85, 0.90, 0.80, 0.70, 0.30, 0.65, 0.45, 0.43),
    "told": (0.97, 0.95, 0.70, 0.75, 0.90, 0.65, 0.60, 0.30, 0.60, 0.50, 0.38),
    "named": (0.95, 0.90, 0.80, 0.70, 0.80, 0.50, 0.40, 0.30, 0.50, 0.35, 0.28),
    "absent": (0.90, 0.80, 0.55, 0.50, 0.50, 0.30, 0.20, 0.12, 0.40, 0.20, 0.15),
    "none": (0.94, 0.88, 0.70, 0.60, 0.90, 0.45, 0.28, 0.12, 0.35, 0.10, 0.04),
}


def confidence_of(sign: str, around: Around, *, is_focus: bool) -> float:
    """Give how often guesses of a sort were right; `is_focus` for whom the scene goes along with."""
    table = _FOCUS if is_focus else _OTHERS
    row = table.get(sign) or table[sign.removesuffix("s")]
    return row[_COLUMNS.index(around)]
