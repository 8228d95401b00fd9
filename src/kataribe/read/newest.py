"""Of two things that one speaker said of the same matter, the newer goes first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kataribe.domain.arrays import np
from kataribe.domain.recall.ranking import RecallPolicy, newer_first
from kataribe.read.found_vectors import FoundVectors
from kataribe.read.values import Candidates, Scored


def newest_first(
    vectors: FoundVectors,
    candidates: Sequence[Candidates],
    left: list[Scored],
    policy: RecallPolicy,
    *,
    some: int,
) -> list[Scored]:
    """Move newer turns up before the older ones they are like.

    What changes place has the score of its new one. Only the first `some` are looked at.
    """
    turns = [at for at, one in enumerate(left[:some]) if candidates[one.home].home.lending.by_turns]
    if len(turns) < 2 or policy.same_matter <= 0:
        return left
    known = vectors.of([left[at] for at in turns])
    turns = [at for at in turns if left[at].candidate.key in known]
    if len(turns) < 2:
        return left
    rows = [_row(candidates, left[at]) for at in turns]
    order = newer_first(
        np.stack([known[left[at].candidate.key] for at in turns]),
        [row.group for row in rows],
        np.array([row.said for row in rows], dtype=np.int64),
        [left[at].score for at in turns],
        policy.same_matter,
    )
    moved = list(left)
    for at, row in zip(turns, order, strict=True):
        moved[at] = left[turns[row]]._replace(score=left[at].score)
    return moved


@dataclass(frozen=True, slots=True)
class _Row:
    group: object
    said: int


def _row(candidates: Sequence[Candidates], one: Scored) -> _Row:
    trait = candidates[one.home].traits[one.candidate.key]
    speaker = None if trait.speaker is None else (one.home, trait.space, trait.speaker)
    return _Row(speaker, trait.position)
