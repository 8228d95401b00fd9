"""Third step: candidates by likeness and by words, each search behind the gate."""

from __future__ import annotations

from kataribe.domain.filters import Filter
from kataribe.domain.gate import Gate
from kataribe.ports import Reading, Vector
from kataribe.ports.telemetry import step
from kataribe.read.values import Candidates, Plan


@step("candidates", lambda made: {"count": len(made.found)})
def find(
    ledger: Reading,
    gate: Gate,
    plan: Plan,
    vector: Vector,
    *,
    where: Filter | None,
    pool: int,
) -> Candidates:
    """Take the `pool` best of each search; a candidate of one gets its score in the other too."""
    near = ledger.vectors.nearest(vector, gate=gate, top_k=pool, where=where)
    wordy = ledger.keywords.matching(plan.terms, gate=gate, top_k=pool, where=where)
    found = {candidate.key: candidate for candidate in (*near, *wordy)}
    similarity = {candidate.key: candidate.score for candidate in near}
    keyword = {candidate.key: candidate.score for candidate in wordy}
    # A score is that of the pair of question and memory, whichever search found the memory.
    if unlike := found.keys() - similarity.keys():
        similarity |= ledger.vectors.similarities(vector, unlike, gate=gate)
    if wordless := found.keys() - keyword.keys():
        keyword |= ledger.keywords.scores(plan.terms, wordless, gate=gate)
    return Candidates(found=found, similarity=similarity, keyword=keyword)
