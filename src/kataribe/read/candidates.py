"""Third step: candidates by likeness and by words, each search behind the gate."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from kataribe.domain.filters import Filter
from kataribe.domain.memory import Candidate, Trait
from kataribe.domain.ranking import RecallPolicy
from kataribe.ports import Reading, Vector
from kataribe.ports.telemetry import step
from kataribe.read.values import Candidates, Opened, Plan

_Beside = Mapping[int, tuple[int | None, int | None]]


@step("candidates", lambda made: {"count": len(made.found)})
def find(
    ledger: Reading,
    opened: Opened,
    plan: Plan,
    vector: Vector,
    *,
    where: Filter | None,
    pool: int,
    policy: RecallPolicy,
    least: float | None = None,
) -> Candidates:
    """Take the `pool` best of each search, and of turns and sentences those just before and after.

    A candidate of one search gets its score in the other too. Nothing less like the question
    than `least` is wanted, where that is told.
    """
    gate = opened.gate
    near = ledger.vectors.nearest(vector, gate=gate, top_k=pool, where=where)
    wordy = ledger.keywords.matching(plan.terms, gate=gate, top_k=pool, where=where)
    found = {candidate.key: candidate for candidate in (*near, *wordy)}
    similarity = {candidate.key: candidate.score for candidate in near}
    keyword = {candidate.key: candidate.score for candidate in wordy}
    # Likeness ranks all there is: when it runs out, words can find nothing more that counts.
    is_all = len(near) < pool or (least is not None and near[-1].score < least)
    traits, touching = _with_neighbours(ledger, opened, found.keys(), where=where, policy=policy)
    found |= {key: _candidate(traits[key]) for key in traits.keys() - found.keys()}
    # A score is that of the pair of question and memory, whichever search found the memory.
    if unlike := found.keys() - similarity.keys():
        similarity |= ledger.vectors.similarities(vector, unlike, gate=gate)
    if wordless := found.keys() - keyword.keys():
        keyword |= ledger.keywords.scores(plan.terms, wordless, gate=gate)
    return Candidates(
        found=found,
        similarity=similarity,
        keyword=keyword,
        traits=traits,
        beside=_beside(touching, traits),
        near=len(near),
        wordy=len(wordy),
        is_all=is_all,
    )


def _with_neighbours(
    ledger: Reading,
    opened: Opened,
    keys: Collection[int],
    *,
    where: Filter | None,
    policy: RecallPolicy,
) -> tuple[Mapping[int, Trait], Mapping[int, Collection[int]]]:
    """Look at candidates and what stands beside them; a fact put in its own words stands alone."""
    gate = opened.gate
    if opened.is_talk:
        lends = policy.neighbour_share > 0 or policy.answer_share > 0
        touching = ledger.neighbours(gate, keys) if lends else {}
        return ledger.traits(gate, {*keys, *_all(touching)}, where=where), touching
    traits = ledger.traits(gate, keys, where=where)
    lends = policy.sentence_share > 0 or policy.far_sentence_share > 0
    sentences = [key for key, trait in traits.items() if trait.session is not None]
    if not lends or not sentences:
        return traits, {}
    touching = ledger.neighbours(gate, sentences)
    return {**traits, **ledger.traits(gate, _all(touching) - traits.keys(), where=where)}, touching


def _all(touching: Mapping[int, Collection[int]]) -> set[int]:
    return {key for keys in touching.values() for key in keys}


def _candidate(trait: Trait) -> Candidate:
    return Candidate(
        trait.key, trait.position, trait.fact_id, trait.holder, 0.0, pinned=trait.pinned, part=trait.part
    )


def _beside(touching: Mapping[int, Collection[int]], traits: Mapping[int, Trait]) -> _Beside:
    """Tell which neighbour came before and which after, both ways: who is beside has one beside it."""
    before: dict[int, int] = {}
    after: dict[int, int] = {}
    for key, keys in touching.items():
        here = traits[key].order
        for other in (one for one in keys if one in traits):
            earlier, later = (key, other) if here < traits[other].order else (other, key)
            after[earlier], before[later] = later, earlier
    return {key: (before.get(key), after.get(key)) for key in before.keys() | after.keys()}
