"""Third step: candidates by likeness and by words, each search behind the gate."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from kataribe.domain.filters import Filter
from kataribe.domain.gate import Gate
from kataribe.domain.memory import Candidate, Trait
from kataribe.domain.recall.ranking import RecallPolicy
from kataribe.ports import FoundByBoth, GatedView, Vector
from kataribe.ports.kinds import Home
from kataribe.ports.telemetry import step
from kataribe.read.values import Candidates, Plan

NOTHING_IN_MIND: Mapping[int, float] = {}

_Beside = Mapping[int, tuple[int | None, int | None]]


@step("candidates", lambda made: {"count": len(made.traits)})
def find(
    view: GatedView,
    home: Home,
    plan: Plan,
    vector: Vector,
    *,
    where: Filter | None,
    pool: int,
    policy: RecallPolicy,
    least: float | None = None,
    near: tuple[Candidate, ...] | None = None,
    in_mind: Mapping[int, float] = NOTHING_IN_MIND,
) -> Candidates:
    """Take the `pool` best of each search in one home, and of turns and sentences those beside them.

    A candidate of one search gets its score in the other too. Nothing less like the question
    than `least` is wanted, where that is given. What the index holds and the ledger does not is
    left out. `near` are the best by likeness where they are known already. What is `in_mind` (how much,
    by key) is a candidate too.
    """
    gate, terms = home.gate, plan.terms_for(home)
    if near is None:
        found = view.search(vector, terms, gate=gate, top_k=pool, where=where)
    else:
        found = _beside_those(view, near, vector, terms, gate=gate, pool=pool, where=where)
    similarity = dict(zip(found.keys, found.similarity, strict=True))
    keyword = dict(zip(found.keys, found.keyword, strict=True))
    # Likeness ranks all there is: when it runs out, words can find nothing more that counts.
    is_all = found.near < pool or (least is not None and found.least < least)
    wanted = {*similarity, *in_mind} if in_mind else similarity.keys()
    traits, touching = _with_neighbours(view, home, wanted, where=where, policy=policy)
    strays = similarity.keys() - traits.keys()
    if beside := traits.keys() - similarity.keys():
        similarity |= view.vectors.similarities(vector, beside, gate=gate)
        keyword |= view.keywords.scores(terms, beside, gate=gate)
    # A memory that the index does not hold cannot be scored: it was not found, and is not taken.
    unheld = traits.keys() - (similarity.keys() & keyword.keys())
    kept = {key: trait for key, trait in traits.items() if key not in unheld} if unheld else traits
    return Candidates(
        home=home,
        similarity=similarity,
        keyword=keyword,
        traits=kept,
        beside=_beside(touching, kept) if touching else {},
        near=found.near,
        wordy=found.wordy,
        is_all=is_all,
        in_mind=in_mind,
        strays=bool(strays or unheld),
    )


def _beside_those(
    view: GatedView,
    near: tuple[Candidate, ...],
    vector: Vector,
    terms: tuple[str, ...],
    *,
    gate: Gate,
    pool: int,
    where: Filter | None,
) -> FoundByBoth:
    """Search by words beside what is known to be near; a score is that of the pair, whoever found it."""
    wordy = view.keywords.matching(terms, gate=gate, top_k=pool, where=where)
    similarity = {candidate.key: candidate.score for candidate in near}
    keyword = {candidate.key: candidate.score for candidate in wordy}
    similarity |= view.vectors.similarities(vector, keyword.keys() - similarity.keys(), gate=gate)
    keyword |= view.keywords.scores(terms, similarity.keys() - keyword.keys(), gate=gate)
    keys = [key for key in similarity if key in keyword]
    return FoundByBoth(
        keys=keys,
        similarity=[similarity[key] for key in keys],
        keyword=[keyword[key] for key in keys],
        near=len(near),
        wordy=len(wordy),
        least=near[-1].score if near else 1.0,
    )


def _with_neighbours(
    view: GatedView,
    home: Home,
    keys: Collection[int],
    *,
    where: Filter | None,
    policy: RecallPolicy,
) -> tuple[Mapping[int, Trait], Mapping[int, Collection[int]]]:
    """Look at candidates and what stands beside them; a fact put in its own words stands alone."""
    gate: Gate = home.gate
    if home.lending.by_turns:
        lends = policy.neighbour_share > 0 or policy.answer_share > 0
        touching = view.neighbours(gate, keys) if lends else {}
        return view.traits(gate, {*keys, *_all(touching)}, where=where), touching
    traits = view.traits(gate, keys, where=where)
    lends = policy.sentence_share > 0 or policy.far_sentence_share > 0
    sentences = [key for key, trait in traits.items() if trait.session is not None]
    if not lends or not sentences:
        return traits, {}
    touching = view.neighbours(gate, sentences)
    return {**traits, **view.traits(gate, _all(touching) - traits.keys(), where=where)}, touching


def _all(touching: Mapping[int, Collection[int]]) -> set[int]:
    return {key for keys in touching.values() for key in keys}


def _is_before(one: Trait, other: Trait) -> bool:
    """Tell whether a turn of a session was said before another; most were said at other moments."""
    if one.position != other.position:
        return one.position < other.position
    return one.order < other.order


def _beside(touching: Mapping[int, Collection[int]], traits: Mapping[int, Trait]) -> _Beside:
    """Tell which neighbour came before and which after, both ways: who is beside has one beside it."""
    before: dict[int, int] = {}
    after: dict[int, int] = {}
    for key, keys in touching.items():
        here = traits.get(key)
        if here is None:
            continue
        for other in keys:
            there = traits.get(other)
            if there is not None:
                earlier, later = (key, other) if _is_before(here, there) else (other, key)
                after[earlier], before[later] = later, earlier
    return {key: (before.get(key), after.get(key)) for key in before.keys() | after.keys()}
