"""From which cosine on a memory is worth using: it is another one for each embedder (S2-23).

A similarity is a cosine, -1 to 1 (U-6). The 0.78 of S2-23 is one model's; the L2 thresholds of
S4-97, 0.75 and 0.80, are cosines of 0.625 and 0.60 of another's. Here it is measured, by one
stated rule: of the evidence that recall puts into its first `TOP` hits, at least the share
`KEEP` must be enough by `is_enough`, and the minimum is the highest that allows it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kataribe.domain.memory import FactHit, Hit, Kind

TOP = 10
"""Hits of each question that are looked at."""
KEEP = 0.97
"""The share of the evidence among them that must be enough."""
LEAST = 20
"""Labelled questions whose evidence was found at least: below that 3 % of it is nothing."""
_STEP = 0.01
"""A minimum is a whole number of these, rounded down."""


@dataclass(frozen=True, slots=True)
class _Shipped:
    """Minimums of the embedders whose id begins and ends so; the versions of packages stand between.

    Without `ends` the id is `begins` and nothing more.
    """

    begins: str
    ends: str | None
    minimums: Mapping[Kind, float]

    def is_of(self, embedder_id: str) -> bool:
        if self.ends is None:
            return embedder_id == self.begins
        return embedder_id.startswith(self.begins) and embedder_id.endswith(self.ends)


_SHIPPED: tuple[_Shipped, ...] = (
    _Shipped("chive-ja-ginza-", "-sif1-words1", {Kind.FACT: 0.29, Kind.TURN: 0.12}),
    _Shipped("wordllama-", "-l2-supercat-256-mean1", {Kind.FACT: 0.02, Kind.TURN: 0.09}),
    _Shipped("hash-1", None, {Kind.FACT: 0.03, Kind.TURN: 0.02}),
    _Shipped("minilm-c477d9048546bf97", None, {Kind.FACT: 0.01, Kind.TURN: 0.13}),
)
"""Measured by `python -m kataribe.bench calibration` on 2026-11-22, by the rule above.

Chosen on: for facts the supplied facts and probes of the two stories that come with kataribe, for
turns LoCoMo's conversations 26 and 30 and two of three questions about RealPersonaChat's pair
AA-AI. Tried on others, held back from the choice: 銀河鉄道の夜 and Jekyll & Hyde, LoCoMo's
conversation 41, and the other third about AA-AI. MiniLM and WordLlama are asked in English alone,
chive in Japanese. `rule` is the minimum that the rule allows on the first; `kept` and `out` are
shares of the evidence that stays, and of all else that is left out, among the first ten hits, under
the minimum that ships.

=========  ====  ======  =====  =======================  =======================
embedder   kind   ships   rule  chosen on                tried on
                                questions   kept    out  questions   kept    out
=========  ====  ======  =====  =========  =====  =====  =========  =====  =====
chive      fact     .29    .29         31  1.000   .406          7  1.000   .743
chive      turn     .12    .05         25   .967   .145         12  1.000   .065
wordllama  fact     .02   -.03         30   .969   .108          9  1.000   .308
wordllama  turn     .09    .11        259   .989   .093        167   .963   .099
hash       fact     .03    .09         60  1.000   .123         16  1.000   .443
hash       turn     .02    .01        275   .970   .024        170   .995   .020
minilm     fact     .01    .01         30  1.000   .004          9  1.000      0
minilm     turn     .13    .13        267   .973   .105        176   .990   .096
=========  ====  ======  =====  =========  =====  =====  =========  =====  =====

Those of MiniLM are the rule's on what they were chosen on. The others were chosen before, on all of
these data together and without the rules planner: what they are tried on here is not unseen by them.
On unseen questions the rule itself keeps all that it is tried on but for two: .938 of hash's facts
under .09, .947 of wordllama's turns under .11. In both cases a lower minimum ships.

Where next to nothing is left out the cosine does not tell evidence from what hybrid search puts
beside it: a higher minimum would cost evidence, and silence must come from elsewhere. Of what came
back for questions that nothing in those stories answers, .41 is left out with chive, .20 with
wordllama, .14 with hash and .02 with minilm.
"""


def minimum_similarity(embedder_id: str, kind: Kind) -> float | None:
    """Give the cosine below which a memory of this kind is not used; None: nobody measured it."""
    for one in _SHIPPED:
        if one.is_of(embedder_id):
            return one.minimums.get(kind)
    return None


def is_enough(
    similarity: float, parts: Mapping[str, float], minimum: float | None, *, pinned: bool = False
) -> bool:
    """Tell whether a hit is like enough to the question to be used.

    It is when its cosine reaches `minimum` (None: everything does), or when the words speak for
    it though its cosine is low: a distinctive phrase of the question stands in it verbatim
    (`verbatim`), or a person pinned it, whether or not either earns it any score. A cosine of
    exactly 0 beside a `keyword` score means that there was nothing to embed in one of the two:
    the words decide then.
    """
    if minimum is None or similarity >= minimum:
        return True
    return pinned or _by_words(similarity, parts)


def _by_words(similarity: float, parts: Mapping[str, float]) -> bool:
    if parts.get("verbatim", 0.0) > 0 or parts.get("pinned", 0.0) > 0:
        return True
    return similarity == 0.0 and parts.get("keyword", 0.0) > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """A question with who asks it, and what answers it.

    `evidence` are ids of facts or turns; `keys` are words any of which shows a hit to be
    evidence, and `episodes` numbers that do so where neither is given. A story's question has
    `character` and `at`; a user's may have a `persona`.
    """

    question: str
    evidence: frozenset[str] = frozenset()
    keys: tuple[str, ...] = ()
    episodes: frozenset[int] = frozenset()
    character: str | None = None
    at: int | None = None
    persona: str | None = None

    def is_met_by(self, hit: Hit) -> bool:
        """Tell whether a hit is evidence."""
        if hit.fact_id in self.evidence:
            return True
        if any(key in hit.words for key in self.keys):
            return True
        named = self.evidence or self.keys
        return not named and isinstance(hit, FactHit) and hit.episode_no in self.episodes

    def found(self, hits: Sequence[Hit]) -> float:
        """Give the share of the evidence among the hits, 0 to 1; a key in any of them is all of it."""
        met = {hit.fact_id for hit in hits if self.is_met_by(hit)}
        if met - self.evidence:
            return 1.0
        return len(met) / max(len(self.evidence), 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A hit of a labelled question: how like it is, and whether it is evidence."""

    similarity: float
    parts: Mapping[str, float]
    is_evidence: bool


def seen_of(asked: Labelled, hits: Sequence[Hit]) -> list[Seen]:
    """Give the hits of a question as they are judged; none when no evidence is among them.

    A question that found nothing says nothing about what is worth using.
    """
    seen = [
        Seen(similarity=hit.parts.get("similarity", 0.0), parts=hit.parts, is_evidence=asked.is_met_by(hit))
        for hit in hits
    ]
    return seen if any(one.is_evidence for one in seen) else []


@dataclass(frozen=True, slots=True, kw_only=True)
class Separation:
    """What a minimum does to the hits it was measured on.

    `evidence` and `others` are how many hits there were, `kept` and `removed` the share of the
    evidence that is enough and of the others that is not. `spread` and `other_spread` are the
    5th, 50th and 95th percentiles of their cosines.
    """

    kind: Kind
    minimum: float
    evidence: int
    others: int
    kept: float
    removed: float
    spread: tuple[float, float, float]
    other_spread: tuple[float, float, float]


def separate(kind: Kind, seen: Sequence[Seen], *, keep: float = KEEP) -> Separation:
    """Find the highest minimum by which at least the share `keep` of the evidence is enough.

    Where words speak for all the evidence, or there is none, the minimum is -1: nothing is left out.
    """
    evidence = [one for one in seen if one.is_evidence]
    others = [one for one in seen if not one.is_evidence]
    minimum = _minimum(evidence, keep)
    return Separation(
        kind=kind,
        minimum=minimum,
        evidence=len(evidence),
        others=len(others),
        kept=_share(evidence, minimum),
        removed=round(1.0 - _share(others, minimum), 6) if others else 0.0,
        spread=_spread(evidence),
        other_spread=_spread(others),
    )


def _minimum(evidence: Sequence[Seen], keep: float) -> float:
    bare = sorted(one.similarity for one in evidence if not _by_words(one.similarity, one.parts))
    may_go = len(evidence) - math.ceil(keep * len(evidence) - 1e-9)
    if not bare:
        return -1.0
    lowest = bare[min(may_go, len(bare) - 1)]
    return max(-1.0, round(math.floor(lowest / _STEP + 1e-9) * _STEP, 2))


def _share(hits: Sequence[Seen], minimum: float) -> float:
    enough = sum(is_enough(one.similarity, one.parts, minimum) for one in hits)
    return round(enough / len(hits), 6) if hits else 0.0


def _spread(hits: Sequence[Seen]) -> tuple[float, float, float]:
    ordered = sorted(one.similarity for one in hits) or [0.0]
    low, middle, high = (ordered[round(share * (len(ordered) - 1))] for share in (0.05, 0.5, 0.95))
    return (low, middle, high)


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightTrial:
    """What cross-validation says about the share of the keywords in the fusion.

    `found` is the mean share of the evidence in the first `TOP` hits by weight, over all questions;
    `held_out` is that of weights chosen without the questions they are judged on, `current` that
    of the weight in use. `chosen` is None unless a weight is better than it on questions unseen.
    """

    found: Mapping[float, float]
    held_out: float
    current: float
    chosen: float | None


FOLDS = 5
GAIN = 0.01
"""How much more of the evidence another weight must find on unseen questions to be suggested."""


def try_weights(found: Mapping[float, Sequence[float]], *, current: float) -> WeightTrial:
    """Choose a weight by cross-validation; `found` has for each weight the questions' shares found.

    Question i is in fold i mod `FOLDS`. A fold is judged by the weight that is best on the others,
    the one nearest to `current` of equals. Raises `KeyError` when `current` was not tried.
    """
    many = len(found[current])
    judged = [
        found[_best(found, [i for i in range(many) if i % FOLDS != fold], current)][at]
        for fold in range(FOLDS)
        for at in range(fold, many, FOLDS)
    ]
    now = _mean(found[current])
    held_out = _mean(judged)
    best = _best(found, range(many), current)
    is_better = held_out >= now + GAIN and best != current
    return WeightTrial(
        found={weight: round(_mean(shares), 6) for weight, shares in sorted(found.items())},
        held_out=round(held_out, 6),
        current=round(now, 6),
        chosen=best if is_better else None,
    )


def _best(found: Mapping[float, Sequence[float]], at: Sequence[int], current: float) -> float:
    def worth(weight: float) -> tuple[float, float, float]:
        total = math.fsum(found[weight][i] for i in at)
        return (round(total, 9), -round(abs(weight - current), 9), -weight)

    return max(found, key=worth)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """What was measured of one's own data: counts and cosines, never a text.

    `made` is ISO 8601. `questions` are those asked, `answered` those whose evidence was among
    the first `TOP` hits.
    """

    embedder_id: str
    made: str
    questions: int
    answered: int
    separations: tuple[Separation, ...]
    weights: WeightTrial | None = None
