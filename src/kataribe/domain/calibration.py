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

from kataribe.domain.memory import Hit, Kind

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
    _Shipped("chive-ja-ginza-", "-sif1", {Kind.FACT: 0.29, Kind.TURN: 0.31}),
    _Shipped("wordllama-", "-l2-supercat-256-mean1", {Kind.FACT: 0.02, Kind.TURN: 0.17}),
    _Shipped("hash-1", None, {Kind.FACT: 0.03, Kind.TURN: 0.12}),
)
"""Measured by `python -m kataribe.bench calibration` on 2026-11-21, by the rule above.

Facts: the supplied facts and probes of the two stories that come with kataribe, of 銀河鉄道の夜
and of Jekyll & Hyde. Turns: LoCoMo's conversations 26, 30 and 41, and RealPersonaChat's pair
AA-AI. Kept and left out are shares of the evidence, and of all else, among the first ten hits;
unseen are those of one half of the questions under the minimum of the other half.

=========  =====  =========  =======  =====  ========  =========