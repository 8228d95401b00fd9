"""The vectors of what was asked lately, so that the same words are not embedded twice (S3-39)."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock

from kataribe.domain.gate import Viewer
from kataribe.ports import Vector

MOST_KEPT = 500
"""Vectors that are kept; the one asked for longest ago goes first."""


@dataclass(frozen=True, slots=True)
class _QuestionKey:
    """What was asked, of whom and for whom: nobody can tell by the time it takes what another asked."""

    user: str | None
    story: str | None
    persona: str | None
    embedder_id: str
    words: str


class AskedBefore:
    """Vectors by asker, embedder and words.

    A vector follows from the embedder's id and the words alone, so that no write makes it wrong.
    """

    def __init__(self, most: int = MOST_KEPT) -> None:
        self._most = most
        self._kept: OrderedDict[_QuestionKey, Vector] = OrderedDict()
        self._lock = Lock()
        self.erasures = 0
        """How often a user was forgotten."""

    def get(self, viewer: Viewer, embedder_id: str, words: str) -> Vector | None:
        """Give the vector of these words, where this viewer asked them of this embedder."""
        asked = _key_of(viewer, embedder_id, words)
        with self._lock:
            found = self._kept.get(asked)
            if found is not None:
                self._kept.move_to_end(asked)
        return found

    def keep(self, viewer: Viewer, embedder_id: str, words: str, vector: Vector, *, erasures: int) -> None:
        """Keep a vector; not where a user was forgotten since it was looked who is there."""
        with self._lock:
            if erasures == self.erasures:
                self._kept[_key_of(viewer, embedder_id, words)] = vector
            if len(self._kept) > self._most:
                self._kept.popitem(last=False)

    def forget(self, user_id: str) -> None:
        """Forget what was asked for a user, and what is being asked now."""
        with self._lock:
            self.erasures += 1
            for asked in [one for one in self._kept if one.user == user_id]:
                del self._kept[asked]

    def held(self, user_id: str) -> int:
        """Count what is kept of a user."""
        with self._lock:
            return sum(1 for one in self._kept if one.user == user_id)


def _key_of(viewer: Viewer, embedder_id: str, words: str) -> _QuestionKey:
    return _QuestionKey(viewer.user, viewer.story, viewer.persona, embedder_id, words)
