"""Words that come in pieces: tokens in them are given back as words, however they are cut."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from kataribe.domain.privacy.sealed import with_words

_BEGUN = re.compile("<[a-z]{0,16}(?::[a-z2-7]{0,10})?$")
"""What may be the beginning of a token."""


class TokenHearer:
    """Passes pieces on with words in place of tokens; what may be half a token waits for the next piece."""

    def __init__(self, values: Mapping[str, str], heard: Callable[[str], None]) -> None:
        self._values = values
        self._heard = heard
        self._waiting = ""

    def hear(self, piece: str) -> None:
        """Hear a piece."""
        whole = self._waiting + piece
        begun = _BEGUN.search(whole)
        cut = len(whole) if begun is None else begun.start()
        self._waiting = whole[cut:]
        self._tell(whole[:cut])

    def finish(self) -> None:
        """Pass on what still waits."""
        left, self._waiting = self._waiting, ""
        self._tell(left)

    def _tell(self, text: str) -> None:
        if text:
            self._heard(with_words(text, self._values))
