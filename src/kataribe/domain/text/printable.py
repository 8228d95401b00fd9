"""Text made harmless to print: nothing that comes out of a store commands a terminal or forges a line.

Control characters (escape sequences begin with one), line ends that are not told from others,
halves of characters and signs that turn the direction of writing are written as escapes
(`\\u001b`). What programs read is JSON, where they are escapes anyhow and are read back exactly.
"""

from __future__ import annotations

import re

_HARMFUL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
_BREAK = re.compile(r"\r\n|[\n\t]")


def coded(sign: str) -> str:
    """Write a sign as an escape."""
    code = ord(sign)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def printable(text: str) -> str:
    """Write a text of several lines with nothing in it that a terminal would obey."""
    if text.isprintable():
        return text
    return _HARMFUL.sub(lambda found: coded(found[0]), text.replace("\r\n", "\n"))


def printable_line(text: str) -> str:
    """Write a text on one line, with nothing in it that a terminal would obey."""
    if text.isprintable():
        return text
    return printable(_BREAK.sub(" ", text))


def printable_json(written: str) -> str:
    """Write JSON so that a terminal obeys nothing in it either; it is read back exactly as it was."""
    return _HARMFUL.sub(lambda found: coded(found[0]), written)
