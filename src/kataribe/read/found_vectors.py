"""The vectors of what a read found, each looked up once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kataribe.ports import Vector, View
from kataribe.read.values import Candidates, Scored


class FoundVectors:
    """Looks vectors up as the steps of a read ask for them, home by home, and keeps them for the next."""

    def __init__(self, view: View, candidates: Sequence[Candidates]) -> None:
        self._view, self._candidates = view, candidates
        self._known: dict[int, Vector] = {}

    def of(self, wanted: Sequence[Scored]) -> Mapping[int, Vector]:
        """Give the vectors of at least these, by key; what has none yet is left out."""
        for number, one in enumerate(self._candidates):
            keys = [each.candidate.key for each in wanted if each.home == number]
            missing = [key for key in keys if key not in self._known]
            if missing:
                self._known.update(self._view.vectors.vectors_of(missing, gate=one.home.gate))
        return self._known
