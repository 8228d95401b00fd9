"""What goes with what for one viewer: built in arrays from the marks of the turns it may remember.

An edge is not stored: two nodes go together because of the turns that name both, follow one another or
say that one came of the other. So an edge is there as long as such a turn is, and from its position on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from kataribe.domain.arrays import np
from kataribe.domain.conversation.associations.marks import TurnMarks

if TYPE_CHECKING:
    from kataribe.domain.arrays import npt

Ints: TypeAlias = "npt.NDArray[np.int64]"
Floats: TypeAlias = "npt.NDArray[np.float64]"


SOURCES = 3
"""Turns that are named for an idea, or for one step of the way to it: the newest."""


class NodeKind(StrEnum):
    """What sort of thing a node is."""

    CONCEPT = "concept"
    PERSON = "person"
    TOPIC = "topic"
    MEMORY = "memory"


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedTurn:
    """A turn that may be remembered, with what it names; `order` sorts the turns of a session.

    `key` is that of its memory.
    """

    space: str
    turn_id: str
    key: int
    session: str
    order: tuple[int, int, str]
    marks: TurnMarks


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedMemory:
    """A memory in tiers by its id and text, with the word it is about and the turns it rests on."""

    memory_id: str
    text: str
    topic: str
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """Something that was talked about: its key, what sort it is, and how it was first written.

    The label of a memory is its text.
    """

    key: str
    kind: NodeKind
    label: str

    @property
    def memory_id(self) -> str | None:
        """The id of a memory; None for any other kind."""
        return self.key.removeprefix(_MEMORY) if self.kind is NodeKind.MEMORY else None


_MEMORY = "memory "


def memory_key(memory_id: str) -> str:
    """Give the key of a memory's node, which no word has: words have no spaces."""
    return f"{_MEMORY}{memory_id}"


@dataclass(frozen=True, slots=True)
class NumberLists:
    """Lists of numbers, one behind the other: that of owner i is `of[start[i]:start[i+1]]`."""

    start: Ints
    of: Ints

    @property
    def counts(self) -> Ints:
        """How many each owner has."""
        return np.diff(self.start)

    def gathered(self, owners: Ints, most: int | None = None) -> tuple[Ints, Ints]:
        """Give the lists of these owners in one, and beside each number the place of its owner.

        With `most` only the last so many of each.
        """
        end = self.start[owners + 1]
        begin = self.start[owners] if most is None else np.maximum(self.start[owners], end - most)
        counts = end - begin
        place = np.repeat(np.arange(len(owners), dtype=np.int64), counts)
        inside = np.arange(len(place), dtype=np.int64) - np.repeat(np.cumsum(counts) - counts, counts)
        return self.of[begin[place] + inside], place


def number_lists(lists: Sequence[Sequence[int]]) -> NumberLists:
    """Put lists behind one another."""
    start = np.zeros(len(lists) + 1, dtype=np.int64)
    np.cumsum([len(one) for one in lists], out=start[1:])
    return NumberLists(start, np.array([number for one in lists for number in one], dtype=np.int64))


def turned(given: NumberLists, owners: int) -> NumberLists:
    """Give the other way round who has each number; the owners of each in their order."""
    order = np.argsort(given.of, kind="stable")
    start = np.zeros(owners + 1, dtype=np.int64)
    np.cumsum(np.bincount(given.of, minlength=owners), out=start[1:])
    mine = np.repeat(np.arange(len(given.start) - 1, dtype=np.int64), given.counts)
    return NumberLists(start, mine[order])


@dataclass(frozen=True, slots=True, kw_only=True)
class AssociationGraph:
    """Nodes in the order they were first named, turns in the order they were said.

    `named` gives the nodes of each turn, `naming` the turns of each node; `following` and `preceding`
    the turn beside each in its session, -1 for none. `effects` gives for each node the places in
    `caused`: which node came of it, and by which turn; `reasons` the other way.
    """

    nodes: tuple[Node, ...]
    turns: tuple[MarkedTurn, ...]
    named: NumberLists
    naming: NumberLists
    following: Ints
    preceding: Ints
    effects: NumberLists
    reasons: NumberLists
    cause_of: Ints
    effect_of: Ints
    told_by: Ints
    rarity: Floats
    """How telling each node is: ln(1 + turns / turns that name it)."""
    sizes: Floats
    """How many nodes each turn names."""
    places: Mapping[str, int] = field(default_factory=dict)
    """The number of each node by its key."""

    def sources(self, node: Node) -> tuple[MarkedTurn, ...]:
        """Give the turns that name a node, the newest few, as they were said."""
        place = self.places[node.key]
        mine = self.naming.of[self.naming.start[place] : self.naming.start[place + 1]]
        return tuple(self.turns[turn] for turn in mine[-SOURCES:].tolist())


def build_graph(turns: Iterable[MarkedTurn], memories: Iterable[LinkedMemory]) -> AssociationGraph:
    """Build the graph of these turns, and of the memories that rest on them."""
    said = tuple(sorted(turns, key=_said_at))
    numbers = _NodeNumbers()
    lists = [numbers.of_turn(one.marks) for one in said]
    people = frozenset(key for one in said for key in one.marks.people)
    topics = numbers.add_memories(sorted(memories, key=lambda one: one.memory_id), said, lists)
    named = number_lists(lists)
    naming = turned(named, len(numbers.keys))
    causes = _causes(said, numbers)
    following, preceding = _beside(said)
    counts = np.maximum(naming.counts, 1)
    return AssociationGraph(
        nodes=tuple(
            Node(key=key, kind=_kind(key, people, topics, numbers.memories), label=label)
            for key, label in zip(numbers.keys, numbers.labels, strict=True)
        ),
        turns=said,
        named=named,
        naming=naming,
        following=following,
        preceding=preceding,
        effects=turned(
            NumberLists(np.arange(len(causes) + 1, dtype=np.int64), causes[:, 0]), len(numbers.keys)
        ),
        reasons=turned(
            NumberLists(np.arange(len(causes) + 1, dtype=np.int64), causes[:, 1]), len(numbers.keys)
        ),
        cause_of=causes[:, 0],
        effect_of=causes[:, 1],
        told_by=causes[:, 2],
        rarity=np.log1p(len(said) / counts),
        sizes=np.maximum(named.counts, 1).astype(np.float64),
        places=numbers.places,
    )


def _said_at(turn: MarkedTurn) -> tuple[int, str, tuple[int, int, str]]:
    return turn.order[0], turn.session, turn.order


class _NodeNumbers:
    """Gives nodes their numbers, in the order in which they are met."""

    def __init__(self) -> None:
        self.places: dict[str, int] = {}
        self.keys: list[str] = []
        self.labels: list[str] = []
        self.memories: set[str] = set()

    def of(self, key: str, label: str) -> int:
        place = self.places.get(key)
        if place is None:
            place = self.places[key] = len(self.keys)
            self.keys.append(key)
            self.labels.append(label)
        return place

    def of_turn(self, marks: TurnMarks) -> list[int]:
        keys, labels = (*marks.concepts, *marks.people), (*marks.written, *marks.called)
        return list(dict.fromkeys(map(self.of, keys, labels)))

    def add_memories(
        self, memories: Iterable[LinkedMemory], said: Sequence[MarkedTurn], lists: Sequence[list[int]]
    ) -> frozenset[str]:
        """Add memories to the turns they rest on; gives the keys of their topics."""
        at = {one.turn_id: number for number, one in enumerate(said)}
        topics: set[str] = set()
        for memory in memories:
            rests_on = dict.fromkeys(at[one] for one in memory.sources if one in at)
            if not rests_on:
                continue
            key = memory_key(memory.memory_id)
            place = self.of(key, memory.text)
            self.memories.add(key)
            topics.add(memory.topic)
            for turn in rests_on:
                lists[turn].append(place)
        return frozenset(topics)


def _kind(key: str, people: frozenset[str], topics: frozenset[str], memories: set[str]) -> NodeKind:
    if key in memories:
        return NodeKind.MEMORY
    if key in people:
        return NodeKind.PERSON
    return NodeKind.TOPIC if key in topics else NodeKind.CONCEPT


def _causes(said: Sequence[MarkedTurn], numbers: _NodeNumbers) -> Ints:
    """Give each (reason, what came of it, turn) once, shape (count, 3)."""
    found: dict[tuple[int, int, int], None] = {}
    for number, one in enumerate(said):
        places = [numbers.places[key] for key in one.marks.concepts]
        for reasons, effects in one.marks.causes:
            pairs = ((places[a], places[b]) for a in reasons for b in effects)
            found.update(((a, b, number), None) for a, b in pairs if a != b)
    return np.array(list(found), dtype=np.int64).reshape(-1, 3)


def _beside(said: Sequence[MarkedTurn]) -> tuple[Ints, Ints]:
    """Give which turn follows each in its session and which precedes it, as far as they are known."""
    following = np.full(len(said), -1, dtype=np.int64)
    preceding = np.full(len(said), -1, dtype=np.int64)
    last: dict[str, int] = {}
    for number, one in enumerate(said):
        before = last.get(one.session)
        if before is not None:
            following[before], preceding[number] = number, before
        last[one.session] = number
    return following, preceding
