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
ADDRESSEE = 0.8
"""Whom a letter in the text greets: it need not have reached them."""
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
    STEADY = "steady"
    """Farther apart, but there are several around."""
    APART = "apart"
    """One before and one after, some pages apart."""
    DISTANT = "distant"
    """One before and one after, farther apart."""
    ROVING = "roving"
    """Farther apart, and somebody goes elsewhere in between."""
    STRAYED = "strayed"
    """So far apart, and with so little between, that they need not have stayed."""
    TALKING = "talking"
    """A sign a line or two ago in the same conversation."""
    JUST = "just"
    """A sign just before, none after."""
    SINCE = "since"
    """A sign some time ago, none after."""
    LONG_SINCE = "long since"
    """A sign long ago, none after."""
    TALKED_TO = "talked to"
    """None before, one in the next line or two of the same conversation."""
    SOON = "soon"
    """None before, one just after."""
    LATER = "later"
    """None before, one some time after."""
    ALONE = "alone"
    """None near."""


_COLUMNS = tuple(Around)

# For each sign, how often the character was there: a column for each `Around`, in its order.
_FOCUS: dict[str, tuple[float, ...]] = {
    "spoke": (1.00, 1.00, 0.99, 0.99, 0.98, 0.99, 0.98, 0.99, 0.99, 0.98, 0.97, 0.95, 0.96, 0.70, 0.96),
    "thought": (1.00, 0.99, 0.98, 0.98, 0.97, 0.97, 0.97, 0.99, 0.98, 0.97, 0.96, 0.96, 0.96, 0.97, 0.96),
    "acted": (1.00, 1.00, 0.99, 0.99, 0.98, 0.98, 0.98, 0.99, 1.00, 0.98, 0.96, 0.97, 0.98, 0.98, 0.97),
    "called": (0.99, 0.97, 0.96, 0.96, 0.95, 0.95, 0.95, 0.97, 0.95, 0.93, 0.90, 0.90, 0.90, 0.85, 0.80),
    "turn": (0.98, 0.97, 0.95, 0.95, 0.95, 0.95, 0.95, 0.97, 0.95, 0.93, 0.90, 0.90, 0.90, 0.90, 0.85),
    "meant": (0.94, 0.93, 0.93, 0.93, 0.93, 0.90, 0.90, 0.90, 0.90, 0.90, 0.90, 0.90, 0.90, 0.90, 0.90),
    "touched": (0.98, 0.96, 0.75, 0.93, 0.90, 0.91, 0.90, 0.96, 0.95, 0.90, 0.80, 0.85, 0.85, 0.70, 0.60),
    "told": (0.99, 0.99, 0.95, 0.95, 0.92, 0.92, 0.92, 0.97, 0.96, 0.94, 0.87, 0.90, 0.94, 0.80, 0.70),
    "named": (0.97, 0.97, 0.93, 0.93, 0.90, 0.90, 0.90, 0.96, 0.94, 0.88, 0.80, 0.80, 0.80, 0.65, 0.66),
    "absent": (0.98, 0.95, 0.92, 0.92, 0.85, 0.85, 0.85, 0.95, 0.91, 0.80, 0.70, 0.67, 0.60, 0.40, 0.30),
    "none": (1.00, 1.00, 0.99, 0.95, 0.90, 0.78, 0.45, 0.97, 0.97, 0.89, 0.85, 0.61, 0.62, 0.48, 0.10),
}
_OTHERS: dict[str, tuple[float, ...]] = {
    "spoke": (1.00, 0.99, 0.98, 0.98, 0.93, 0.99, 0.95, 0.99, 0.99, 0.98, 0.98, 0.97, 0.97, 0.66, 0.95),
    "thought": (0.99, 0.96, 0.95, 0.95, 0.95, 0.92, 0.97, 0.96, 0.98, 0.91, 0.85, 0.90, 0.90, 0.95, 0.58),
    "acteds": (0.99, 0.99, 0.99, 0.96, 0.96, 0.99, 0.97, 0.98, 0.97, 0.99, 0.51, 0.96, 0.98, 0.99, 0.94),
    "acted": (0.92, 0.94, 0.96, 0.85, 0.90, 0.88, 0.96, 0.98, 0.99, 0.99, 0.97, 0.94, 0.80, 0.89, 0.67),
    "called": (0.97, 0.95, 0.93, 0.94, 0.90, 0.90, 0.90, 0.95, 0.95, 0.90, 0.77, 0.93, 0.91, 0.80, 0.42),
    "turn": (0.98, 0.96, 0.91, 0.90, 0.85, 0.85, 0.85, 0.96, 0.92, 0.86, 0.80, 0.85, 0.85, 0.80, 0.70),
    "meant": (0.94, 0.93, 0.93, 0.93, 0.93, 0.90, 0.90, 0.90, 0.90, 0.90, 0.90, 0.90, 0.90, 0.90, 0.90),
    "touched": (0.93, 0.94, 0.93, 0.88, 0.85, 0.92, 0.88, 0.91, 0.55, 0.89, 0.30, 0.68, 0.70, 0.56, 0.43),
    "told": (0.99, 0.99, 0.74, 0.70, 0.75, 0.61, 0.85, 0.92, 0.27, 0.65, 0.44, 0.67, 0.30, 0.71, 0.45),
    "named": (0.96, 0.94, 0.81, 0.80, 0.70, 0.49, 0.85, 0.80, 0.55, 0.38, 0.46, 0.52, 0.60, 0.69, 0.29),
    "absent": (0.91, 0.86, 0.55, 0.59, 0.57, 0.43, 0.67, 0.55, 0.29, 0.17, 0.04, 0.40, 0.44, 0.54, 0.18),
    "mused": (0.70, 0.60, 0.50, 0.45, 0.45, 0.45, 0.41, 0.50, 0.19, 0.09, 0.10, 0.20, 0.10, 0.11, 0.01),
    "none": (0.91, 0.95, 0.84, 0.80, 0.70, 0.70, 0.56, 0.97, 0.31, 0.29, 0.13, 0.50, 0.19, 0.05, 0.02),
}


def confidence_of(sign: str, around: Around, *, is_focus: bool) -> float:
    """Give how often guesses of a sort were right; `is_focus` for whom the scene goes along with."""
    table = _FOCUS if is_focus else _OTHERS
    row = table.get(sign) or table[sign.removesuffix("s")]
    return row[_COLUMNS.index(around)]
