"""Scores: similarity, keywords, what stands beside, as pure functions of what lies inside a gate."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from kataribe.domain.arrays import np, npt
from kataribe.domain.similarity import Floats, exact_similarities, fast_products, rounded

Bools: TypeAlias = "npt.NDArray[np.bool_]"
Places: TypeAlias = "npt.NDArray[np.int64]"
"""Indexes of rows, shape (rows,); -1 where there is none."""

K1 = 1.2
B = 0.75
"""BM25 as usual: a score is idf * count * (K1 + 1) / (count + K1 * (1 - B + B * length / average)),
idf is ln(1 + (N - n + 0.5) / (n + 0.5)), and N, n and average are taken inside the gate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallPolicy:
    """The numbers of recall; a part whose weight is 0 or False is switched off.

    All are shares of the best fused score, which is 1:

    - `keyword_weight`: of the keyword score in the convex fusion, the rest is the vector's.
    - `neighbour_share`: what a turn has of the fused score of the turn before and of the one
      after; `answer_share` of the one before when that ends in a question.
    - `sentence_share`: what a sentence of a text has of the fused scores of the two that the viewer
      knows beside it in its episode, and `far_sentence_share` of the two beyond those.
    - `session_share`: what a turn has of the best in its session.
    - `speaker_bonus`: for turns of whom the question names, when it does not name all.
    - `phrase_bonus`: for holding the distinctive phrases of the question word by word. It is 0:
      their words count among the keywords already, and on no set did it find more.
    - `pinned_bonus`: for what the author pinned.
    - `when_bonus`: for what is from the time or the episodes that the question names. It is added to the
      whole score. People tell of things days after them: with .1 or .2 the evidence of 48 dated
      questions of LoCoMo in ten hits was .948, with 1, where all that is from then goes first, .906 as
      without. A question that says nothing but a date is given what is from then first.
    - `uses_bonus`: the most that what the viewer used before gets.
    - `intent_weight`: how much of the score is that of the intent (`domain.profiles`), the
      rest is the match alone; `recency_share` is how much of the weight of age counts in it.
      With 1 and 1 it is the intent's composite and nothing else. Who asks just after a
      conversation is then given what was said last rather than what was asked for: of the
      evidence in ten hits .43 was left of .82. With these nothing was lost, and what is
      stirring or fresh still comes before what is a little more relevant (S4-90).
    - `duplicate_similarity`: the cosine from which on two memories say the same.
    - `same_matter`: the cosine from which on two turns of one speaker are of the same matter. The newer
      goes before the older then, unless the question asks about back then.
    - `fading_share`: how much of a score is multiplied by the factor of what fades
      (`docs/tiers.md`); the rest stays, so that what matches better still comes first. With 1 a question
      about what was said months ago is answered with what was said last week.
    - `association_share`: of what the question brings to mind by what goes with what
      (`docs/associations.md`), for turns. It is 0: on conversations held back it found nothing more.

    `strip_names` takes the names of speakers out of what is embedded of a question,
    `expand_aliases` adds the other names of whom it names, `like_words` words that mean about the
    same, where the embedder knows words. `pool` is how many candidates each
    search hands on at least, three times `top_k` when that is more; with 200 nothing else was
    found than with 48. `rerank_pool` is how many hits a reranker is given. `profile` names
    the table of the intents and how distance is measured. What is written here are the numbers
    of `kataribe`; those of another profile are its `recall` (`domain.profiles`).
    """

    keyword_weight: float = 0.6
    neighbour_share: float = 0.15
    answer_share: float = 0.4
    sentence_share: float = 0.3
    far_sentence_share: float = 0.1
    session_share: float = 0.4
    speaker_bonus: float = 0.3
    phrase_bonus: float = 0.0
    pinned_bonus: float = 0.1
    when_bonus: float = 0.2
    uses_bonus: float = 0.02
    intent_weight: float = 0.5
    recency_share: float = 0.2
    duplicate_similarity: float = 0.99
    same_matter: float = 0.8
    fading_share: float = 0.1
    association_share: float = 0.0
    strip_names: bool = True
    expand_aliases: bool = True
    like_words: bool = True
    pool: int = 48
    rerank_pool: int = 50
    max_top_k: int = 1000
    profile: str = "kataribe"


DEFAULT_RECALL = RecallPolicy()


def scaled(scores: Floats, best: float | None = None) -> Floats:
    """Give scores as shares of the best, below zero as 0; shape (rows,), 0 to 1.

    The best is theirs unless it is given.
    """
    highest = scores.max(initial=0.0) if best is None else best
    return np.maximum(scores, 0.0) / (max(highest, 0.0) or 1.0)


def fuse(
    similarity: Floats,
    keyword: Floats,
    weight: float,
    *,
    likest: float | None = None,
    wordiest: float | None = None,
) -> Floats:
    """Give the rounded share of each row's two scores, 0 to 1; all shapes are (rows,), a missing score is 0.

    Both scores are scaled by the best one inside the gate (`likest` and `wordiest`, where other
    rows count too), so that they can be added; `weight` is that of the keywords.
    """
    return rounded((1 - weight) * scaled(similarity, likest) + weight * scaled(keyword, wordiest))


def lent(fused: Floats, before: Places, after: Places, asked: Bools, policy: RecallPolicy) -> Floats:
    """Give what each turn has of the scores of those beside it: shares of f[i-1] and f[i+1].

    `before` and `after` are the rows of its neighbours; `asked` tells whether the one before
    ends in a question, which its answer is found by. What was not scored counts 0.
    """
    padded = np.append(fused, 0.0)
    shares = np.where(asked, max(policy.answer_share, policy.neighbour_share), policy.neighbour_share)
    return rounded(shares * padded[before] + policy.neighbour_share * padded[after])


def lent_to_sentences(fused: Floats, before: Places, after: Places, policy: RecallPolicy) -> Floats:
    """Give what each sentence has of the scores of the two on either side of it.

    `before` and `after` are the rows of its neighbours; what was not scored counts 0, and so
    does what lies beyond it.
    """
    padded = np.append(fused, 0.0)
    # The last row stands for what is not there, and has nothing beside it.
    earlier, later = np.append(before, -1), np.append(after, -1)
    near = padded[before] + padded[after]
    far = padded[earlier[before]] + padded[later[after]]
    return rounded(policy.sentence_share * near + policy.far_sentence_share * far)


def best_of_group(scores: Floats, groups: Sequence[object]) -> Floats:
    """Give each row the best score of its group; `groups` names that of each row."""
    numbers: dict[object, int] = {}
    of = np.array([numbers.setdefault(group, len(numbers)) for group in groups], dtype=np.int64)
    best = np.zeros(len(numbers))
    np.maximum.at(best, of, scores)
    return best[of]


_ASKS = re.compile(r"[?？][\s\"'”’」』）)]*$")


def ends_in_question(text: str) -> bool:
    """Tell whether a text ends in a question mark, closing quotes and brackets after it allowed."""
    # Most texts hold no question mark at all, and hundreds are looked at.
    return ("?" in text or "？" in text) and _ASKS.search(text) is not None


def repeats(
    matrix: npt.NDArray[np.float32], threshold: float, *, enough: int | None = None
) -> dict[int, int]:
    """Tell which rows say the same as a better one: {row: the row that stays}.

    `matrix` has shape (rows, dimensions), unit rows, the best first. A row goes when its cosine
    with one that stays reaches `threshold`; zero rows are like nothing. Once `enough` rows
    stay, no more are looked at. A `threshold` of 0 or less switches it off.
    """
    gone: dict[int, int] = {}
    if threshold <= 0:
        return gone
    if not _has_alike(matrix, threshold):
        return gone
    stays: list[int] = []
    for row in range(len(matrix)):
        if enough is not None and len(stays) >= enough:
            break
        same = _first_alike(matrix, stays, row, threshold)
        if same is None:
            stays.append(row)
        else:
            gone[row] = same
    return gone


_SLACK = 1e-4
"""How far the fast float32 product of unit vectors may be off; far more than it is."""


_COMPARED = 200_000
"""So many products of two numbers BLAS adds up in the thread that asks where matrices are multiplied."""


_NEARLY = 0.9
"""The share of an older row's score that a newer one needs to go before it."""


def newer_first(
    matrix: npt.NDArray[np.float32],
    groups: Sequence[object],
    when: Places,
    scores: Sequence[float],
    least: float,
) -> list[int]:
    """Order rows so that of two alike in one group the newer goes before the older: the new order of rows.

    `matrix` is as in `repeats`, the best first; `groups` names that of each row, None for a row that
    stays where it is; `when` tells which is newer. A newer row moves up to just before the first older
    one that it is alike and that scores not much better, and nothing else changes its order: what fits
    the question far better than the newer is of another matter.
    """
    order: list[int] = []
    for row, group in enumerate(groups):
        near = [at for at in order if groups[at] == group and scores[row] >= _NEARLY * scores[at]]
        rivals = [] if group is None else [at for at in near if when[at] < when[row]]
        ahead = _first_alike(matrix, rivals, row, least)
        order.insert(len(order) if ahead is None else order.index(ahead), row)
    return order


def _has_alike(matrix: npt.NDArray[np.float32], threshold: float) -> bool:
    """Tell whether any two rows may be alike; most often there are none, and one product says so."""
    together = max(1, _COMPARED // max(1, matrix.size))
    for first in range(0, len(matrix), together):
        block = matrix[first : first + together]
        near = (matrix[first:] @ block.T) >= threshold - _SLACK
        # A row is like itself, and each pair is seen once.
        if near[_below(*near.shape)].any():
            return True
    return False


@lru_cache(maxsize=16)
def _below(rows: int, columns: int) -> Bools:
    """Give which places of a matrix of this shape lie below its diagonal."""
    return np.tri(rows, columns, -1, dtype=np.bool_)


def _first_alike(matrix: npt.NDArray[np.float32], stays: list[int], row: int, threshold: float) -> int | None:
    """Find the best row that stays and is alike; the fast product only preselects (P2)."""
    if not stays:
        return None
    near = np.flatnonzero(fast_products(matrix[stays], matrix[row]) >= threshold - _SLACK)
    if not len(near):
        return None
    rows = [stays[at] for at in near.tolist()]
    exact = exact_similarities(matrix[rows], matrix[row])
    return next(
        (kept for kept, cosine in zip(rows, exact.tolist(), strict=True) if cosine >= threshold), None
    )
