"""Spreading activation, held against what it promises on any graph."""

from __future__ import annotations

from collections.abc import Callable

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from kataribe.domain.conversation.associations.graph import (
    LinkedMemory,
    MarkedTurn,
    NodeKind,
    build_graph,
    memory_key,
)
from kataribe.domain.conversation.associations.marks import TurnMarks, marks_of
from kataribe.domain.conversation.associations.policy import DEFAULT_ASSOCIATIONS, AssociationPolicy
from kataribe.domain.conversation.associations.spreading import EdgeKind, Spread, seeds_of, spread
from kataribe.domain.conversation.turns import Turn
from kataribe.domain.terms import Language
from kataribe.errors import InputError
from support.talk import DAY_ONE

WORDS = ("mill", "key", "rain", "港", "鍵", "落雷", "harbour")
PEOPLE = ("ann", "ベン")


def marked(
    no: int, concepts: tuple[str, ...], *, session: str = "s", person: str = "ann", cause: bool = False
) -> MarkedTurn:
    causes = (((0,), tuple(range(1, len(concepts)))),) if cause and len(concepts) > 1 else ()
    marks = TurnMarks(concepts=concepts, written=concepts, people=(person,), called=(person,), causes=causes)
    return MarkedTurn(
        space="u", turn_id=f"t{no}", key=no, session=session, order=(no, 0, f"t{no}"), marks=marks
    )


turns = st.lists(
    st.tuples(
        st.lists(st.sampled_from(WORDS), unique=True, max_size=4),
        st.sampled_from(("s1", "s2")),
        st.sampled_from(PEOPLE),
        st.booleans(),
    ),
    min_size=1,
    max_size=12,
).map(
    lambda told: [
        marked(no, tuple(words), session=session, person=person, cause=cause)
        for no, (words, session, person, cause) in enumerate(told)
    ]
)
memories = st.lists(st.integers(0, 11), max_size=3, unique=True).map(
    lambda places: [
        LinkedMemory(memory_id=f"m{one}", text=f"text {one}", topic=WORDS[one % 7], sources=(f"t{one}",))
        for one in places
    ]
)


def spread_from(said: list[MarkedTurn], kept: list[LinkedMemory], word: str, hops: int = 3) -> Spread | None:
    graph = build_graph(said, kept)
    seeds = seeds_of(graph, [word])
    return spread(graph, seeds, hops=hops, policy=DEFAULT_ASSOCIATIONS) if seeds else None


@settings(max_examples=60, deadline=None)
@given(said=turns, kept=memories, word=st.sampled_from(WORDS), data=st.data())
def test_activation_is_bounded_and_does_not_depend_on_the_order_of_what_it_is_given(
    said: list[MarkedTurn], kept: list[LinkedMemory], word: str, data: st.DataObject
) -> None:
    made = spread_from(said, kept, word)
    assert (made is None) == all(word not in one.marks.concepts for one in said)
    if made is None:
        return
    assert 1 <= made.activation.sum() <= 2
    assert (made.activation >= 0).all()
    shuffled = data.draw(st.permutations(said)), data.draw(st.permutations(kept))
    again = spread_from(*shuffled, word)
    assert again is not None
    assert again.ideas(99) == made.ideas(99)
    assert again.turns_reached(99) == made.turns_reached(99)


@settings(max_examples=60, deadline=None)
@given(said=turns, kept=memories, word=st.sampled_from(WORDS), hops=st.integers(1, 3))
def test_every_step_of_a_path_is_an_edge_that_its_turns_make(
    said: list[MarkedTurn], kept: list[LinkedMemory], word: str, hops: int
) -> None:
    made = spread_from(said, kept, word, hops)
    if made is None:
        return
    sources = {memory_key(one.memory_id): one.sources for one in kept}

    def names(turn: MarkedTurn, key: str) -> bool:
        return key in (*turn.marks.concepts, *turn.marks.people) or turn.turn_id in sources.get(key, ())

    for idea in made.ideas(99):
        assert idea.node.key != word
        assert len(idea.path) == idea.hops <= hops
        assert (idea.path[0].start.key, idea.path[-1].end) == (word, idea.node)
        for step, following in zip(idea.path, idea.path[1:], strict=False):
            assert step.end == following.start
        for step in idea.path:
            assert 1 <= len(step.turns) <= 3
            assert all(names(turn, step.end.key) for turn in step.turns)
            if step.kind not in (EdgeKind.AFTER, EdgeKind.BEFORE):
                assert all(names(turn, step.start.key) for turn in step.turns)


@settings(max_examples=40, deadline=None)
@given(said=turns, word=st.sampled_from(WORDS), drop=st.integers(0, 11))
def test_a_turn_that_goes_takes_what_rests_on_it(said: list[MarkedTurn], word: str, drop: int) -> None:
    left = [one for one in said if one.turn_id != f"t{drop}"]
    made = spread_from(left, [], word)
    named = {key for one in left for key in (*one.marks.concepts, *one.marks.people)}
    assert {idea.node.key for idea in made.ideas(99)} <= named if made else word not in named


def test_what_everybody_speaks_of_hands_nothing_on_unless_it_is_asked_for() -> None:
    said = [marked(no, ("common", f"w{no}"), session=str(no), person=f"p{no}") for no in range(40)]
    ideas = spread_from(said, [], "w0")
    assert ideas is not None
    assert {idea.node.key for idea in ideas.ideas(99)} == {"common", "p0"}
    asked = spread_from(said, [], "common")
    assert asked is not None
    assert len(asked.ideas(99)) >= 32, "through its newest turns"


def test_memories_are_nodes_of_the_turns_they_rest_on_and_cannot_be_asked_for() -> None:
    said = [marked(1, ("mill",)), marked(2, ("key",), session="x")]
    kept = [
        LinkedMemory(memory_id="m", text="The mill burned.", topic="mill", sources=("t1", "t9")),
        LinkedMemory(memory_id="lost", text="Nothing.", topic="key", sources=("t9",)),
    ]
    graph = build_graph(said, kept)
    assert {node.key: node.kind for node in graph.nodes} == {
        "mill": NodeKind.TOPIC, "ann": NodeKind.PERSON, "memory m": NodeKind.MEMORY, "key": NodeKind.CONCEPT,
    }  # fmt: skip
    made = spread(graph, seeds_of(graph, ["mill"]), hops=1, policy=DEFAULT_ASSOCIATIONS)
    assert {idea.node.memory_id for idea in made.ideas(9)} == {None, "m"}
    assert seeds_of(graph, ["m"]) == {}


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: AssociationPolicy(decay=1.0),
        lambda: AssociationPolicy(decay=0.0),
        lambda: AssociationPolicy(together=-1.0),
        lambda: AssociationPolicy(fan=0),
        lambda: AssociationPolicy(breadth=0),
    ],
)
def test_numbers_that_never_end_are_refused(wrong: Callable[[], AssociationPolicy]) -> None:
    with pytest.raises(InputError):
        wrong()


@pytest.mark.parametrize(
    ("language", "text", "concepts", "people", "causes"),
    [
        ("en", "We stayed home because of the storm.", ("stay", "home", "storm"), ("ann",),
         [("storm", "stay home")]),
        ("en", "Mr. Smith left, so the cat cried.", ("mr", "smith", "left", "cat", "cri"), ("ann", "smith"),
         [("mr smith left", "cat cri")]),
        ("en", "See https://example.org/a now, so that it works.", ("see", "work"), ("ann",), []),
        ("ja", "田中さんが来たので、猫が逃げた。", ("田中", "来", "猫", "逃"), ("アン", "田中"),
         [("田中 来", "猫 逃")]),
        ("ja", "東京から来た。", ("東京", "来"), ("アン",), []),
    ],
)  # fmt: skip
def test_marks_are_what_a_turn_names(
    language: Language,
    text: str,
    concepts: tuple[str, ...],
    people: tuple[str, ...],
    causes: list[tuple[str, str]],
) -> None:
    speaker = {"en": "Ann", "ja": "アン"}[language]
    made = marks_of(Turn(turn_id="t", session="s", speaker=speaker, text=text, time=DAY_ONE), language)
    assert (made.concepts, made.people) == (concepts, people)
    told = [tuple(" ".join(concepts[place] for place in places) for places in pair) for pair in made.causes]
    assert told == causes


def test_a_turn_of_any_length_names_at_most_32_concepts() -> None:
    words = [f"{one}{other}o" for one in "bdfgklmnpr" for other in "bdfgklmnpr"]
    made = marks_of(Turn(turn_id="t", session="s", speaker="Ann", text=" ".join(words), time=DAY_ONE), "en")
    assert made.concepts == tuple(words[:32])
