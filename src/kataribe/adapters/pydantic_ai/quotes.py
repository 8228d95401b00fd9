"""Finding what a model says it quotes in the text itself."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

from kataribe.adapters.pydantic_ai.parts import Piece

Found = tuple[int, int, Piece]
"""Start and end of the text's own words, and the piece they stand in."""

_ALIKE = str.maketrans(dict.fromkeys("“”„", '"') | dict.fromkeys("‘’", "'") | dict.fromkeys("—–―‐", "-"))


def find(text: str, quote: str, given: Sequence[Piece]) -> tuple[Found, ...]:
    """Give every place where the quote stands within one piece.

    Where it stands nowhere as it is, blanks, width and the shape of quotation marks are
    overlooked.
    """
    exact = tuple(found for piece in given for found in _exactly(text, quote, piece))
    if exact:
        return exact
    wanted, _ = _plain(quote, 0)
    if not wanted:
        return ()
    return tuple(found for piece in given for found in _loosely(text, wanted, piece))


def _exactly(text: str, quote: str, piece: Piece) -> Iterator[Found]:
    at = text.find(quote, piece.start, piece.end)
    while at >= 0:
        yield at, at + len(quote), piece
        at = text.find(quote, at + 1, piece.end)


def _loosely(text: str, wanted: str, piece: Piece) -> Iterator[Found]:
    plain, places = _plain(text[piece.start : piece.end], piece.start)
    at = plain.find(wanted)
    while at >= 0:
        yield places[at], places[at + len(wanted) - 1] + 1, piece
        at = plain.find(wanted, at + 1)


def _plain(text: str, offset: int) -> tuple[str, list[int]]:
    """The text as matching sees it, and for each of its characters the place it comes from."""
    signs: list[str] = []
    places: list[int] = []
    for place, char in enumerate(text, offset):
        for sign in unicodedata.normalize("NFKD", char.translate(_ALIKE)):
            if not sign.isspace():
                signs.append(sign)
                places.append(place)
    return "".join(signs), places
