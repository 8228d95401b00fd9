"""A step between plan and candidates: an index outside the store proposes what is looked at.

It is asked before the view opens. What it proposes is read again behind the gate and scored by the
store, together with all that it was not fed yet, so that nothing it says can widen an answer.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from kataribe.domain.feeding import UNFED, FeedState
from kataribe.domain.gate import Gate, Slice
from kataribe.domain.memory import Candidate, Trait
from kataribe.errors import VectorIndexError
from kataribe.ports import Vector, VectorIndex, View
from kataribe.ports.kinds import Home
from kataribe.ports.telemetry import step
from kataribe.read.values import Opened, Preselected, Proposed

MAY_MISS = "an index outside the store chose what was looked at; something may be missing"
"""What a viewer is told when what the index left out cannot be ruled out."""
UNREACHED = "the index outside the store could not be reached; the store was searched without it"


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexQuestion:
    """What an outside index is asked for one home: its gate by collections, and what is not asked for.

    `spaces` gives the space of each collection that is asked; `seen` and `unfed` are those of `Proposed`.
    """

    gate: Gate
    vector: Vector
    spaces: Mapping[str, str]
    seen: Mapping[str, int]
    unfed: Mapping[str, frozenset[str]]


def questions(
    view: View, opened: Opened, vectors: Mapping[str, Vector], index: VectorIndex
) -> tuple[IndexQuestion, ...]:
    """Say what an index is to be asked; `vectors` are those of the question by title of the home.

    A home is left out where the index was fed nothing of it, or does not take its vectors.
    """
    made = (
        _question(view, home, vectors[home.title], index) for home in opened.read if home.title in vectors
    )
    return tuple(one for one in made if one is not None)


def _question(view: View, home: Home, vector: Vector, index: VectorIndex) -> IndexQuestion | None:
    most = index.capabilities.max_dimensions
    if most is not None and len(vector) > most:
        return None
    found = (view.feed_state(index.index_id, space) for space in _spaces_of(home))
    states = {state.space: state for state in found if state is not None}
    fed = {state.collection: state.space for state in states.values() if state.fed_upto != UNFED}
    if not fed:
        return None
    return IndexQuestion(
        gate=_by_collection(home.gate, states),
        vector=vector,
        spaces=fed,
        seen={space: state.revision for space, state in states.items()},
        unfed={space: frozenset(view.lagging_units(index.index_id, space)) for space in states},
    )


def _by_collection(gate: Gate, states: Mapping[str, FeedState]) -> Gate:
    """Give the gate as the index knows it, without the spaces that it was never fed."""
    return Gate(
        tuple(
            Slice(states[part.space].collection, part.holder, part.upto, part.part)
            for part in gate.slices
            if part.space in states and states[part.space].fed_upto != UNFED
        )
    )


def propose(asked: Collection[IndexQuestion], index: VectorIndex, *, top_k: int) -> Proposed:
    """Ask the index; no view is open. One that cannot be reached proposes nothing, and it is said."""
    ids: dict[str, set[str]] = {}
    seen: dict[str, int] = {}
    unfed: dict[str, frozenset[str]] = {}
    for one in asked:
        try:
            found = index.nearest(one.vector, gate=one.gate, top_k=top_k)
        except VectorIndexError:
            return Proposed(asked=top_k, ids={}, seen={}, unfed={}, misses_nothing=True, was_reached=False)
        for proposal in found:
            # A collection that nobody asked for is none of the gate's.
            if (space := one.spaces.get(proposal.collection)) is not None:
                ids.setdefault(space, set()).add(proposal.entry_id)
        seen.update(one.seen)
        unfed.update(one.unfed)
    return Proposed(
        asked=top_k, ids=ids, seen=seen, unfed=unfed, misses_nothing=index.capabilities.misses_nothing
    )


@step("preselect", lambda made: {"count": 0 if made is None else len(made.near)})
def preselected(
    view: View, home: Home, vector: Vector, proposed: Proposed, *, pool: int
) -> Preselected | None:
    """Score what was proposed for a home and what the index lacks, and give the `pool` best.

    None where the store is to be searched itself: nothing was proposed, or not enough.
    """
    spaces = _spaces_of(home)
    if pool > proposed.asked or not spaces <= proposed.seen.keys():
        return None
    units: dict[str, Collection[str]] = {}
    for space in spaces:
        changed = view.changed_units(space, proposed.seen[space])
        if changed is None:
            return None
        units[space] = {*proposed.unfed[space], *changed}
    keys = view.proposed_keys(home.gate, {space: proposed.ids.get(space, ()) for space in spaces})
    traits = view.traits(home.gate, keys | view.unit_keys(home.gate, units))
    scores = view.vectors.similarities(vector, traits.keys(), gate=home.gate)
    near = sorted((_scored(traits[key], score) for key, score in scores.items()), key=Candidate.order)
    is_whole = len(near) >= min(proposed.asked, view.vectors.size(home.gate))
    return Preselected(near=tuple(near[:pool]), misses_nothing=proposed.misses_nothing and is_whole)


def _spaces_of(home: Home) -> frozenset[str]:
    return frozenset(part.space for part in home.gate.slices)


def _scored(trait: Trait, score: float) -> Candidate:
    return Candidate(
        trait.key, trait.position, trait.fact_id, trait.holder, score, pinned=trait.pinned, part=trait.part
    )
