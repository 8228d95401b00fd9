"""What goes with what, for one who asks: the graph of what its gate admits in one space, and its ideas."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field

from kataribe.conversation.fading import fading
from kataribe.conversation.homes import user_of
from kataribe.conversation.store import spaces_of
from kataribe.conversation.threads import HeldShare, viewer_shares
from kataribe.domain.conversation.associations.graph import (
    AssociationGraph,
    LinkedMemory,
    MarkedTurn,
    build_graph,
)
from kataribe.domain.conversation.associations.policy import DEFAULT_ASSOCIATIONS, AssociationPolicy
from kataribe.domain.conversation.associations.spreading import Idea, seeds_of, spread
from kataribe.domain.conversation.life.values import Life, TierState
from kataribe.domain.conversation.life.words import content_words
from kataribe.domain.gate import Gate, Viewer
from kataribe.domain.ids import WORLD
from kataribe.domain.terms import Language
from kataribe.ports import View
from kataribe.ports.kinds import Kinds, Told

RECALL_HOPS = 2
"""How far activation spreads from a question."""
_KEPT = 8
"""Graphs that are kept until somebody writes."""
_IN_MIND = 96
"""How many turns a question brings to mind at most."""


@dataclass(frozen=True, slots=True)
class HeldIdea:
    """An idea, and who holds what it rests on where; `sources` are the newest turns that name it."""

    space: str
    holder: str
    idea: Idea
    sources: tuple[MarkedTurn, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Associations:
    """What a text brings to mind, the most active first.

    `found` are the words of the text that were talked about: activation began at them.
    """

    viewer: Viewer | None
    text: str
    found: tuple[str, ...] = ()
    ideas: tuple[HeldIdea, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AssociationRequest:
    """What is asked: a text, how far to go (1 to 3 hops), and how many ideas are wanted."""

    text: str
    hops: int
    most: int
    policy: AssociationPolicy


def viewer_associations(kinds: Kinds, view: View, viewer: Viewer, asked: AssociationRequest) -> Associations:
    """Give what a text brings to a viewer's mind at its moment. Raises `NotFoundError`."""
    shares = viewer_shares(kinds, view, viewer)
    language = user_of(view, viewer.user or "").language
    return _merged(view, viewer, viewer.user or "", language, shares, asked)


def author_associations(view: View, user_id: str, asked: AssociationRequest, *, now: int) -> Associations:
    """Give what a text brings to mind for everybody who holds anything (author). Raises `NotFoundError`."""
    language = user_of(view, user_id).language
    shares = [
        HeldShare(space, holder, tuple(dict.fromkeys((WORLD, holder))), now)
        for space in spaces_of(view, user_id)
        for holder in sorted({one for turn in view.turns(space) for one in turn.audience.holders()})
    ]
    return _merged(view, None, user_id, language, shares, asked)


def share_graph(view: View, user_id: str, share: HeldShare) -> AssociationGraph:
    """Give the graph of what a holder may remember of a space, kept until somebody writes.

    What is forgotten, superseded, kept in the log alone or too old to be searched is not in it.
    """
    gone = frozenset(fading(view, user_id, share.gate).unsearched)
    return _graph(view, share.gate, gone, tuple(_memories(view, share)))


def _graph(
    view: View, gate: Gate, gone: frozenset[Told], memories: tuple[LinkedMemory, ...]
) -> AssociationGraph:
    marked = view.marked_upto(gate)
    kept = view.once(("association graphs",), KeptGraphs)

    def build() -> AssociationGraph:
        turns = (turn for turn in view.marked_turns(marked) if (turn.space, turn.turn_id) not in gone)
        return build_graph(turns, memories)

    return kept.get((marked, gone, memories), build)


def _memories(view: View, share: HeldShare) -> Iterator[LinkedMemory]:
    """Give the memories in tiers that are in force at the moment of a share."""
    holder = share.lived_by(view)
    for value in _life(view, share.space, holder).memories_at(share.upto).values():
        if value.is_live and value.state is not TierState.ARCHIVED:
            yield LinkedMemory(
                memory_id=value.memory_id, text=value.text, topic=value.topic, sources=value.sources
            )


def _life(view: View, space: str, holder: str) -> Life:
    return view.once(("life", space, holder), lambda: view.life(space, holder))


@dataclass(slots=True)
class KeptGraphs:
    """The last graphs that were built, by what they were built of."""

    _graphs: OrderedDict[Hashable, AssociationGraph] = field(default_factory=OrderedDict)

    def get(self, key: Hashable, build: Callable[[], AssociationGraph]) -> AssociationGraph:
        """Give the graph of a key, built where it is not kept; the one not asked for longest goes."""
        graph = self._graphs.pop(key, None)
        self._graphs[key] = graph = build() if graph is None else graph
        if len(self._graphs) > _KEPT:
            self._graphs.popitem(last=False)
        return graph


def _merged(
    view: View,
    viewer: Viewer | None,
    user_id: str,
    language: Language,
    shares: list[HeldShare],
    asked: AssociationRequest,
) -> Associations:
    """Put what comes of each space behind one another by activation: no path leads from one to another."""
    words = content_words(asked.text, language)
    found: dict[str, str] = {}
    ideas: list[HeldIdea] = []
    for share in shares:
        graph = share_graph(view, user_id, share)
        seeds = seeds_of(graph, words)
        found |= {graph.nodes[one].key: graph.nodes[one].label for one in seeds}
        if seeds:
            spread_out = spread(graph, seeds, hops=asked.hops, policy=asked.policy)
            ideas += [
                HeldIdea(share.space, share.holder, idea, graph.sources(idea.node))
                for idea in spread_out.ideas(asked.most)
            ]
    ideas.sort(key=lambda one: -one.idea.activation)
    told = tuple(found[word] for word in words if word in found)
    return Associations(viewer=viewer, text=asked.text, found=told, ideas=tuple(ideas[: asked.most]))


def turns_in_mind(
    view: View, gate: Gate, text: str, language: Language, gone: frozenset[Told]
) -> Mapping[int, float]:
    """Give the turns behind a gate that a text brings to mind: how much, by the key of the memory.

    What counts is what activation spread to, not where it began: turns with the words of the text are
    found by these already.
    """
    words = content_words(text, language)
    found: dict[int, float] = {}
    for space in dict.fromkeys(part.space for part in gate.slices):
        within = Gate(tuple(part for part in gate.slices if part.space == space))
        graph = _graph(view, within, gone, ())
        if seeds := seeds_of(graph, words):
            made = spread(graph, seeds, hops=RECALL_HOPS, policy=DEFAULT_ASSOCIATIONS)
            found |= {turn.key: score for turn, score in made.turns_reached(_IN_MIND)}
    return found
