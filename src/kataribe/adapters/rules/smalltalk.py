"""Small talk: messages that are nothing but a greeting, thanks, a nod, a farewell or a laugh."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import cache

from kataribe.adapters.rules.words import LAUGHTER, SMALL_TALK
from kataribe.domain.ids import normalise

LONGEST = 80
"""Signs that small talk has at most; whoever says more says something."""

_CJK = "ぁ-ゟァ-ヺー-ヿ々〆〇㐀-䶿一-鿿\uf900-\ufaff"
_UNIT = re.compile(f"[{_CJK}]|(?:(?![{_CJK}])[^\\W_])+(?:'[a-z]+)?")
_LAUGHTER = re.compile(LAUGHTER)


def units(text: str) -> tuple[str, ...]:
    """Cut a text into what is compared: a sign where a script has no spaces, a word elsewhere.

    Punctuation, blanks and pictures fall away.
    """
    return tuple(_UNIT.findall(normalise(text).casefold().replace("’", "'")))


@cache
def _phrases() -> dict[str, tuple[tuple[str, ...], ...]]:
    found: defaultdict[str, set[tuple[str, ...]]] = defaultdict(set)
    for line in SMALL_TALK.splitlines():
        for phrase in line.split("|") if line.isascii() else line.split():
            if parts := units(phrase):
                found[parts[0]].add(parts)
    return {first: tuple(sorted(those)) for first, those in found.items()}


def is_small_talk(text: str) -> bool:
    """Whether a message is nothing but small talk; one without any word is, too."""
    given = units(text)
    if len(given) > LONGEST:
        return False
    # Which places can be reached by phrases put one after another: linear, whatever is given.
    reached = [True, *[False] * len(given)]
    for place in range(len(given)):
        if reached[place]:
            for end in _ends(given, place):
                reached[end] = True
    return reached[-1]


def _ends(given: Sequence[str], place: int) -> list[int]:
    """Where a phrase that begins at `place` may end."""
    ends = [
        place + len(phrase)
        for phrase in _phrases().get(given[place], ())
        if tuple(given[place : place + len(phrase)]) == phrase
    ]
    laugh = place
    while laugh < len(given) and given[laugh] == given[place] and len(given[laugh]) == 1:
        laugh += 1
    run = "".join(given[place : max(laugh, place + 1)])
    if _LAUGHTER.fullmatch(run):
        ends.append(max(laugh, place + 1))
    return ends
