"""What fades counts for less."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kataribe.domain.recall.ranking import RecallPolicy
from kataribe.domain.similarity import DECIMALS
from kataribe.ports.kinds import Fading
from kataribe.ports.telemetry import step
from kataribe.read.values import Candidates, Ranked, Scored


@step("fading", lambda ranked: {"candidates": len(ranked.scored)})
def faded(
    ranked: Ranked, found: Sequence[Candidates], fadings: Sequence[Fading], policy: RecallPolicy
) -> Ranked:
    """Multiply a share of the scores of what fades, and put the best first again (S2-10, S2-22)."""
    share = policy.fading_share
    if not share or not any(one.changes_scores for one in fadings):
        return ranked
    lowered: list[Scored] = []
    for one in ranked.scored:
        trait = found[one.home].traits[one.candidate.key]
        fading = fadings[one.home]
        factor = fading.factors.get((trait.space, trait.fact_id), fading.usual)
        kept = 1 - share + share * factor
        lowered.append(one if factor == 1 else one._replace(score=round(one.score * kept, DECIMALS)))
    return replace(ranked, scored=tuple(sorted(lowered, key=Scored.order)))
