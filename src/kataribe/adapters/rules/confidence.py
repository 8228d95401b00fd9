"""How sure each sort of guess is: how often guesses of that sort were right.

Measured on three novels (Ginga tetsudo no yoru, Jekyll and Hyde, Botchan) whose every paragraph has
notes of who is there, on a few chapters of two others (King Solomon's Mines, Kokoro), and on the
secrets of the two stories that come with the package; `kataribe bench holders --data` measures it
anew on others. A cell is the share of right guesses, no work counting more than 150 sentences in it,
drawn to what its neighbours let expect with the weight of 30. What a second measuring on the same
works raised to .95 or more stays at .94: `strict` is to rest on more than one reading. The row
`heard` (who is told something in the narration) is set by hand between `called` and `spoke`: these
works tell too little so to measure it.
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
    SEATED = "seated"
    """Farther apart, but they took a place."""
    TALKING = "talking"
    """A sign before in the same conversation."""
    JUST = "just"
    """A sign just before, none after."""
    STAYED = "stayed"
    """A sign before, none after: but they took a place, and hardly anybody went elsewhere."""
    SINCE = "since"
    """A sign some time ago, none after."""
    LONG_SINCE = "long since"
    """A sign long ago, none after."""
    TALKED_TO = "talked to"
    """None before, but they speak later in the same conversation."""
    SOON = "soon"
    """None before, one just after."""
    LATER = "later"
    """None before, one some time after."""
    ALONE = "alone"
    """None near."""


_COLUMNS = tuple(Around)

# For each sign, how often in a hundred the character was there: a column for each `Around`, in its order.
_FOCUS: dict[str, tuple[int, ...]] = {
    "spoke": (99, 99, 99, 99, 98, 97, 90, 98, 99, 99, 98, 98, 97, 97, 96, 62, 96),
    "thought": (99, 99, 98, 98, 97, 95, 89, 95, 99, 98, 97, 97, 96, 98, 96, 97, 95),
    "acted": (99, 99, 99, 99, 98, 96, 90, 96, 99, 99, 99, 98, 96, 98, 98, 99, 98),
    "called": (99, 97, 96, 96, 95, 94, 87, 94, 97, 95, 93, 93, 90, 94, 90, 85, 80),
    "heard": (98, 97, 96, 96, 95, 94, 87, 94, 97, 95, 93, 93, 90, 94, 92, 90, 85),
    "turn": (98, 97, 95, 95, 95, 93, 87, 93, 97, 95, 93, 93, 90, 94, 90, 90, 85),
    "partner": (97, 97, 95, 95, 93, 93, 90, 93, 97, 95, 87, 87, 80, 90, 93, 90, 70),
    "meant": (94, 93, 93, 93, 93, 91, 85, 91, 93, 93, 93, 93, 93, 93, 93, 93, 93),
    "touched": (99, 96, 74, 93, 90, 90, 82, 91, 96, 94, 90, 90, 80, 91, 85, 77, 60),
    "told": (99, 99, 95, 95, 92, 92, 84, 92, 97, 96, 94, 94, 87, 94, 94, 80, 70),
    "named": (97, 98, 93, 93, 90, 90, 82, 90, 96, 94, 88, 88, 80, 88, 83, 65, 50),
    "absent": (99, 95, 92, 92, 85, 86, 77, 86, 94, 91, 80, 80, 70, 80, 65, 40, 23),
    "none": (99, 99, 99, 95, 90, 94, 82, 94, 94, 91, 92, 94, 87, 76, 66, 52, 15),
}
_OTHERS: dict[str, tuple[int, ...]] = {
    "spoke": (99, 99, 98, 98, 92, 99, 87, 99, 99, 99, 98, 99, 98, 98, 99, 97, 95),
    "thought": (99, 96, 95, 95, 95, 91, 94, 92, 96, 98, 91, 92, 85, 94, 90, 94, 71),
    "acteds": (99, 86, 99, 96, 97, 99, 93, 99, 98, 98, 99, 99, 44, 97, 98, 99, 94),
    "acted": (94, 99, 99, 85, 90, 84, 94, 94, 98, 83, 99, 99, 78, 97, 84, 74, 70),
    "called": (94, 95, 93, 93, 90, 91, 82, 90, 97, 96, 91, 91, 85, 94, 92, 74, 26),
    "heard": (87, 96, 94, 93, 92, 86, 85, 92, 96, 92, 90, 90, 87, 92, 88, 77, 70),
    "turn": (94, 97, 93, 90, 87, 85, 77, 85, 97, 92, 85, 85, 80, 87, 85, 80, 70),
    "partner": (99, 99, 95, 98, 93, 96, 90, 95, 92, 98, 86, 91, 80, 90, 93, 86, 70),
    "meant": (95, 91, 89, 89, 87, 86, 79, 86, 85, 85, 81, 81, 79, 81, 77, 75, 73),
    "touched": (94, 94, 94, 88, 85, 94, 80, 93, 93, 48, 92, 67, 47, 80, 74, 59, 22),
    "told": (99, 99, 94, 83, 75, 61, 91, 74, 91, 21, 74, 49, 26, 79, 38, 72, 29),
    "named": (98, 94, 86, 80, 73, 37, 52, 69, 80, 76, 39, 34, 35, 67, 59, 43, 22),
    "absent": (92, 88, 66, 55, 62, 51, 69, 83, 56, 34, 75, 22, 2, 45, 50, 47, 14),
    "mused": (72, 75, 55, 75, 50, 35, 48, 79, 85, 13, 66, 16, 8, 45, 5, 4, 2),
    "none": (94, 94, 81, 85, 75, 75, 43, 74, 94, 38, 83, 27, 11, 77, 28, 9, 4),
}


def confidence_of(sign: str, around: Around, *, is_focus: bool) -> float:
    """Give how often guesses of a sort were right; `is_focus` for whom the scene goes along with."""
    table = _FOCUS if is_focus else _OTHERS
    row = table.get(sign) or table[sign.removesuffix("s")]
    return row[_COLUMNS.index(around)] / 100
