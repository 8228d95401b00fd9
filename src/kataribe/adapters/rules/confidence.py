"""How sure each sort of guess is: how often guesses of that sort were right.

Measured on three novels (Ginga tetsudo no yoru, Jekyll and Hyde, Botchan) whose every paragraph has
notes of who is there, and on the secrets of the two stories that come with the package;
`kataribe bench holders --data` measures it anew on others. A cell is the share of right guesses,
no work counting more than 150 sentences in it, drawn to what its neighbours let expect with the
weight of 30. The row `heard` (who is told something in the narration) is set by hand between `called` and
`spoke`: these works tell too little so to measure it.
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
    "spoke": (0.99, 0.99, 0.99, 0.99, 0.98, 0.97, 0.90, 0.99, 0.99, 0.98, 0.97, 0.97, 0.95, 0.77, 0.96),
    "thought": (0.99, 0.99, 0.98, 0.98, 0.97, 0.95, 0.89, 0.99, 0.98, 0.97, 0.96, 0.97, 0.96, 0.97, 0.95),
    "acted": (0.99, 0.99, 0.99, 0.99, 0.98, 0.96, 0.90, 0.99, 0.99, 0.98, 0.96, 0.98, 0.98, 0.98, 0.97),
    "called": (0.99, 0.97, 0.96, 0.96, 0.95, 0.94, 0.87, 0.97, 0.95, 0.93, 0.90, 0.94, 0.90, 0.85, 0.80),
    "heard": (0.98, 0.97, 0.96, 0.96, 0.95, 0.94, 0.87, 0.97, 0.95, 0.93, 0.90, 0.94, 0.92, 0.90, 0.85),
    "turn": (0.98, 0.97, 0.95, 0.95, 0.95, 0.93, 0.87, 0.97, 0.95, 0.93, 0.90, 0.94, 0.90, 0.90, 0.85),
    "partner": (0.97, 0.97, 0.95, 0.95, 0.93, 0.93, 0.90, 0.97, 0.95, 0.87, 0.80, 0.90, 0.93, 0.90, 0.70),
    "meant": (0.94, 0.93, 0.93, 0.93, 0.93, 0.91, 0.85, 0.93, 0.93, 0.93, 0.93, 0.93, 0.93, 0.93, 0.93),
    "touched": (0.98, 0.96, 0.81, 0.93, 0.90, 0.90, 0.82, 0.96, 0.94, 0.90, 0.80, 0.91, 0.85, 0.74, 0.60),
    "told": (0.99, 0.99, 0.95, 0.95, 0.92, 0.92, 0.84, 0.97, 0.96, 0.94, 0.86, 0.94, 0.93, 0.80, 0.70),
    "named": (0.97, 0.97, 0.93, 0.93, 0.90, 0.90, 0.82, 0.96, 0.94, 0.88, 0.80, 0.88, 0.83, 0.65, 0.50),
    "absent": (0.98, 0.95, 0.92, 0.92, 0.85, 0.86, 0.77, 0.95, 0.91, 0.80, 0.70, 0.80, 0.60, 0.40, 0.26),
    "none": (0.99, 0.99, 0.98, 0.95, 0.90, 0.94, 0.82, 0.97, 0.90, 0.92, 0.82, 0.76, 0.55, 0.44, 0.15),
}
_OTHERS: dict[str, tuple[float, ...]] = {
    "spoke": (0.99, 0.99, 0.98, 0.98, 0.93, 0.99, 0.87, 0.99, 0.99, 0.98, 0.97, 0.98, 0.98, 0.96, 0.95),
    "thought": (0.98, 0.96, 0.95, 0.95, 0.95, 0.92, 0.92, 0.96, 0.97, 0.91, 0.85, 0.93, 0.90, 0.94, 0.60),
    "acteds": (0.99, 0.88, 0.98, 0.96, 0.96, 0.99, 0.91, 0.98, 0.97, 0.98, 0.55, 0.97, 0.97, 0.98, 0.94),
    "acted": (0.94, 0.99, 0.96, 0.85, 0.90, 0.88, 0.91, 0.98, 0.92, 0.99, 0.96, 0.96, 0.88, 0.87, 0.66),
    "called": (0.94, 0.95, 0.93, 0.93, 0.90, 0.90, 0.82, 0.96, 0.95, 0.91, 0.85, 0.94, 0.91, 0.80, 0.40),
    "heard": (0.96, 0.96, 0.94, 0.93, 0.92, 0.92, 0.85, 0.96, 0.92, 0.90, 0.87, 0.92, 0.88, 0.85, 0.80),
    "turn": (0.98, 0.96, 0.92, 0.90, 0.85, 0.85, 0.77, 0.96, 0.92, 0.85, 0.80, 0.87, 0.85, 0.80, 0.70),
    "partner": (0.97, 0.99, 0.95, 0.97, 0.93, 0.95, 0.90, 0.98, 0.97, 0.86, 0.80, 0.91, 0.95, 0.91, 0.70),
    "meant": (0.95, 0.91, 0.89, 0.89, 0.87, 0.86, 0.79, 0.85, 0.85, 0.81, 0.79, 0.81, 0.77, 0.75, 0.73),
    "touched": (0.88, 0.94, 0.91, 0.88, 0.85, 0.89, 0.80, 0.91, 0.56, 0.82, 0.30, 0.79, 0.69, 0.53, 0.43),
    "told": (0.99, 0.98, 0.92, 0.70, 0.75, 0.66, 0.82, 0.90, 0.37, 0.65, 0.43, 0.78, 0.45, 0.62, 0.44),
    "named": (0.97, 0.93, 0.86, 0.80, 0.70, 0.49, 0.77, 0.80, 0.53, 0.39, 0.43, 0.66, 0.62, 0.65, 0.31),
    "absent": (0.91, 0.85, 0.78, 0.55, 0.55, 0.45, 0.59, 0.53, 0.35, 0.18, 0.05, 0.45, 0.46, 0.59, 0.13),
    "mused": (0.85, 0.75, 0.68, 0.50, 0.40, 0.46, 0.35, 0.85, 0.20, 0.09, 0.09, 0.45, 0.12, 0.10, 0.02),
    "none": (0.93, 0.92, 0.92, 0.72, 0.69, 0.69, 0.57, 0.96, 0.38, 0.27, 0.13, 0.63, 0.28, 0.08, 0.04),
}


def confidence_of(sign: str, around: Around, *, is_focus: bool) -> float:
    """Give how often guesses of a sort were right; `is_focus` for whom the scene goes along with."""
    table = _FOCUS if is_focus else _OTHERS
    row = table.get(sign) or table[sign.removesuffix("s")]
    return row[_COLUMNS.index(around)]
