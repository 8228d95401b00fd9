"""Leaving out places of a text."""

from __future__ import annotations

import re
from collections.abc import Iterable

LEFT_OUT = "…"
"""What stands where something was left out."""
_END = re.compile(r"[.!?。．！？…」』\"']*")


def without(text: str, places: Iterable[tuple[int, int]]) -> str:
    """Leave out places, in characters and in order, each with the marks that end its sentence."""
    kept: list[str] = []
    at = 0
    for start, end in places:
        if start < at:
            continue
        kept += [text[at:start], LEFT_OUT]
        ended = _END.match(text, end)
        at = end if ended is None else ended.end()
    return "".join([*kept, text[at:]])
