"""Spreading activation over what goes with what: bounded, and the same every time of the same graph."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from kataribe.domain.arrays import np
from kataribe.domain.conversation.associations.graph import (
    SOURCES,
    AssociationGraph,
    Floats,
    Ints,
    MarkedTurn,
    Node,
)
from kataribe.domain.conversation.associations.policy import AssociationPolicy
from kataribe.domain.similarity import rounded

if TYPE_CHECKING:
    from kataribe.domain.arrays import npt


class EdgeKind(StrEnum):
    """Why two nodes go together: named in one turn, in turns that follow, or one came of the other."""

    TOGETHER = "together"
    AFTER = "after"
    BEFORE = "before"
    EFFECT = "effect"
    CAUSE = "cause"


_KINDS = (EdgeKind.EFFECT, EdgeKind.CAUSE, EdgeKind.TOGETHER, EdgeKind.AFTER, EdgeKind.BEFORE)
"""Of equals the one that says most is told."""
_COUNTED = 256
"""How many nodes, the most active, count when turns are reached."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PathStep:
    """One edge on the way to an idea: from where to where, of which kind, and the turns it is there by."""

    start: Node
    kind: EdgeKind
    end: Node
    turns: tuple[MarkedTurn, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Idea:
    """A node that was reached: how active it is, 0 to 2, after how many hops, and by which path."""

    node: Node
    activation: float
    hops: int
    path: tuple[PathStep, ...]


@dataclass(frozen=True, slots=True)
class _Ways:
    """Ways on from nodes: from which (its place), by which turn, of which kind, how much each weighs."""

    place: Ints
    turn: Ints
    kind: Ints
    weight: Floats

    def joined(self, *others: _Ways) -> _Ways:
        """Add others behind these."""
        every = (self, *others)
        return _Ways(
            np.concatenate([one.place for one in every]),
            np.concatenate([one.turn for one in every]),
            np.concatenate([one.kind for one in every]),
            np.concatenate([one.weight for one in every]),
        )


@dataclass(frozen=True, slots=True)
class _Hop:
    """What was handed on at a hop: along which of the `ways` of `sent_by`, to which node, how much."""

    sent_by: Ints
    ways: _Ways
    along: Ints
    to: Ints
    handed: Floats

    def reaching(self, node: int) -> Ints:
        """Give the places of what was handed on to a node."""
        here = np.nonzero(self.to == node)[0]
        return here[self.handed[here] > 0]


@dataclass(frozen=True, slots=True)
class Spread:
    """How active every node is at the end, and how it came about.

    `seeds` are the nodes it began at, `begun` is with how much.
    """

    graph: AssociationGraph
    seeds: tuple[int, ...]
    activation: Floats
    begun: Floats
    _hops: tuple[_Hop, ...]

    def ideas(self, most: int) -> tuple[Idea, ...]:
        """Give the most active nodes that were not begun at, each with the way to it."""
        active = self.activation.copy()
        active[list(self.seeds)] = 0
        return tuple(self._idea(one) for one in best_of(active, most).tolist())

    def turns_reached(self, most: int) -> list[tuple[MarkedTurn, float]]:
        """Give the turns that name the most of what was reached, above 0, the most first.

        What activation began at does not count, nor how much else a turn names.
        """
        graph = self.graph
        active = (self.activation - self.begun) * graph.rarity
        nodes = best_of(active, _COUNTED)
        turns, place = graph.naming.gathered(nodes)
        summed = _summed(turns, active[nodes][place], len(graph.turns))
        scores = rounded(summed / np.sqrt(graph.sizes))
        best = best_of(scores, most)
        return [(graph.turns[at], float(scores[at])) for at in best.tolist() if scores[at] > 0]

    def _idea(self, node: int) -> Idea:
        first = next(number for number, hop in enumerate(self._hops) if len(hop.reaching(node)))
        steps = tuple(self._back(node, first))[::-1]
        activation = float(self.activation[node])
        return Idea(node=self.graph.nodes[node], activation=activation, hops=first + 1, path=steps)

    def _back(self, node: int, last: int) -> Iterator[PathStep]:
        """Go back from a node, each time to the one that handed most on to it."""
        for number in range(last, -1, -1):
            hop = self._hops[number]
            here = hop.reaching(node)
            along, handed = hop.along[here], hop.handed[here]
            sender = int(np.argmax(rounded(_summed(hop.ways.place[along], handed))))
            is_theirs = hop.ways.place[along] == sender
            along, handed = along[is_theirs], handed[is_theirs]
            kind = int(np.argmax(rounded(_summed(hop.ways.kind[along], handed))))
            turns = np.unique(hop.ways.turn[along[hop.ways.kind[along] == kind]])[-SOURCES:]
            start = int(hop.sent_by[sender])
            yield PathStep(
                start=self.graph.nodes[start],
                kind=_KINDS[kind],
                end=self.graph.nodes[node],
                turns=tuple(self.graph.turns[turn] for turn in turns.tolist()),
            )
            node = start


def spread(
    graph: AssociationGraph, seeds: Mapping[int, float], *, hops: int, policy: AssociationPolicy
) -> Spread:
    """Let activation spread from these nodes, each with its weight above 0; together they begin with 1."""
    size = len(graph.nodes)
    total = sum(seeds.values())
    first = tuple(sorted(seeds))
    fresh = np.zeros(size)
    for one in first:
        fresh[one] = seeds[one] / total
    begun_with = fresh
    activation, sent_by, made = fresh.copy(), np.array(first, dtype=np.int64), []
    quiet = _says_too_often(graph, policy)
    for _ in range(hops):
        if not len(sent_by):
            break
        hop = _handed_on(graph, sent_by, fresh, policy)
        made.append(hop)
        fresh = _summed(hop.to, hop.handed, size)
        activation += fresh
        sent_by = _next_senders(np.where(quiet, 0.0, fresh), policy)
    return Spread(graph, first, rounded(activation), rounded(begun_with), tuple(made))


def seeds_of(graph: AssociationGraph, keys: Collection[str]) -> dict[int, float]:
    """Give the nodes of these keys with how telling each is."""
    places = sorted({graph.places[key] for key in keys if key in graph.places})
    return {place: float(graph.rarity[place]) for place in places}


def best_of(scores: Floats, most: int) -> Ints:
    """Give the places of the highest scores above 0, best first, equals in their order."""
    above = np.nonzero(scores > 0)[0]
    if len(above) > 2 * most:
        # Only what can be among them is sorted.
        least = np.partition(scores[above], len(above) - most)[len(above) - most]
        above = above[scores[above] >= least]
    return above[np.argsort(-scores[above], kind="stable")][:most]


def _says_too_often(graph: AssociationGraph, policy: AssociationPolicy) -> npt.NDArray[np.bool_]:
    if len(graph.turns) < policy.many:
        return np.zeros(len(graph.nodes), dtype=np.bool_)
    return graph.naming.counts * policy.common > len(graph.turns)


def _next_senders(fresh: Floats, policy: AssociationPolicy) -> Ints:
    best = best_of(rounded(fresh), policy.breadth)
    return best[fresh[best] >= max(policy.least, 1e-9)]


def _handed_on(graph: AssociationGraph, sent_by: Ints, fresh: Floats, policy: AssociationPolicy) -> _Hop:
    """Part what each sender has over its edges: by their weights, and by how telling their ends are."""
    turn, place = graph.naming.gathered(sent_by, policy.fan)
    ways = _ways(graph, turn, place, policy.together, EdgeKind.TOGETHER).joined(
        _ways(graph, *_beside(graph.following, turn, place), policy.after, EdgeKind.AFTER),
        _ways(graph, *_beside(graph.preceding, turn, place), policy.before, EdgeKind.BEFORE),
    )
    to, along = graph.named.gathered(ways.turn)
    for kind, weight in ((EdgeKind.EFFECT, policy.effect), (EdgeKind.CAUSE, policy.cause)):
        further, ends = _caused(graph, sent_by, weight, kind, policy.fan)
        along = np.concatenate([along, len(ways.turn) + np.arange(len(ends), dtype=np.int64)])
        to, ways = np.concatenate([to, ends]), ways.joined(further)
    place = ways.place[along]
    weight_to = ways.weight[along] * graph.rarity[to]
    weight_to[to == sent_by[place]] = 0.0
    total = _summed(place, weight_to, len(sent_by))
    parted = policy.decay * fresh[sent_by] / np.where(total > 0, total, 1.0)
    return _Hop(sent_by, ways, along, to, parted[place] * weight_to)


def _ways(graph: AssociationGraph, turn: Ints, place: Ints, weight: float, kind: EdgeKind) -> _Ways:
    """Give ways by these turns; one that names much binds each of it less."""
    kinds = np.full(len(turn), _KINDS.index(kind), dtype=np.int64)
    return _Ways(place, turn, kinds, weight / graph.sizes[turn])


def _beside(beside: Ints, turn: Ints, place: Ints) -> tuple[Ints, Ints]:
    there = beside[turn]
    is_known = there >= 0
    return there[is_known], place[is_known]


def _caused(
    graph: AssociationGraph, sent_by: Ints, weight: float, kind: EdgeKind, fan: int
) -> tuple[_Ways, Ints]:
    """Give ways to what came of the senders, or to what they came of, and where each leads."""
    is_forward = kind is EdgeKind.EFFECT
    lists, ends = (graph.effects, graph.effect_of) if is_forward else (graph.reasons, graph.cause_of)
    cause, place = lists.gathered(sent_by, fan)
    return _ways(graph, graph.told_by[cause], place, weight, kind), ends[cause]


def _summed(places: Ints, weights: Floats, size: int = 0) -> Floats:
    """Add up the weights of each place, in their order; shape (size,) or longer."""
    return np.asarray(np.bincount(places, weights=weights, minlength=size), dtype=np.float64)
