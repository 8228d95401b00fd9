"""What ranking reads of turns, held against plain loops over all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kataribe
from kataribe.arena import keywords
from kataribe.domain.conversation.turns import Turn
from kataribe.domain.filters import parse
from kataribe.domain.gate import DENY_ALL, Gate, Slice
from kataribe.domain.memory import Memory
from kataribe.domain.space import user_space
from kataribe.face.sync.kataribe import Kataribe
from kataribe.ports import View
from support.talk import talk, turn

T = TypeVar("T")

GIVEN = st.lists(
    st.tuples(
        st.sampled_from(("Ann", "Ben", "Cy", "澪")),
        st.sampled_from(("s1", "s2")),
        st.sampled_from((None, ("p1",), ("p2",), ("p1", "p2"))),
        st.integers(0, 2),
    ),
    min_size=1,
    max_size=12,
)


def reading_of(store: Kataribe, ask: Callable[[View], T]) -> T:
    with store._of._engine._ledger.reading() as reading:
        return ask(reading)


def gate_of(turns: Sequence[Turn], holders: Sequence[str], upto: int) -> Gate:
    last = turns[min(upto, len(turns) - 1)].at
    return Gate(tuple(Slice(user_space("u"), holder, last) for holder in holders))


@settings(max_examples=40)
@given(
    given=GIVEN,
    holders=st.sampled_from((("world",), ("world", "p1"), ("p2",))),
    upto=st.integers(0, 11),
)
def test_random_talk_agrees_with_plain_loops(
    tmp_path_factory: pytest.TempPathFactory,
    given: list[tuple[str, str, tuple[str, ...] | None, int]],
    holders: tuple[str, ...],
    upto: int,
) -> None:
    """Speakers, neighbours and traits are those of the admitted turns; several turns share a moment."""
    turns = [
        turn(no // 2, f"Number {no}", speaker=who, session=session, to=to, arousal=place / 2)
        for no, (who, session, to, place) in enumerate(given)
    ]
    turns = [_as(one, f"t{no}", given[no][3]) for no, one in enumerate(turns)]
    gate = gate_of(turns, holders, upto)
    with talk(tmp_path_factory.mktemp("rows") / "k.db", turns) as store:
        admitted: tuple[Memory, ...] = reading_of(store, lambda r: r.admitted(gate))
        every = reading_of(store, lambda r: [m.key for m in _all(r)])
        voices = reading_of(store, lambda r: r.voices(gate))
        assert list(voices) == sorted({_said(m).speaker for m in admitted})
        for speaker, first in voices.items():
            assert first == min(m.position for m in admitted if _said(m).speaker == speaker)
        keys = [m.key for m in admitted]
        assert reading_of(store, lambda r: r.neighbours(gate, keys)) == _beside(admitted)
        traits = reading_of(store, lambda r: r.traits(gate, every))
    assert traits.keys() == set(keys), "nothing from outside the gate"
    for memory in admitted:
        found, said = traits[memory.key], _said(memory)
        assert (found.fact_id, found.holder, found.position, found.place) == (
            memory.fact_id,
            memory.holder,
            memory.position,
            memory.place,
        )
        assert (found.text, found.arousal, found.session, found.speaker, found.part, found.pinned) == (
            memory.text,
            memory.arousal,
            said.session,
            said.speaker,
            0,
            False,
        )


def _as(one: Turn, turn_id: str, ordinal: int) -> Turn:
    return replace(one, turn_id=turn_id, ordinal=ordinal)


def _all(reading: View) -> tuple[Memory, ...]:
    gate = Gate(tuple(Slice(user_space("u"), holder, 2**62) for holder in ("world", "p1", "p2")))
    return reading.admitted(gate)


def _said(memory: Memory) -> Any:
    assert memory.said is not None
    return memory.said


def _beside(admitted: Sequence[Memory]) -> dict[int, tuple[int, ...]]:
    """The admitted turns of a session in order; a turn's neighbours stand just before and after."""
    found: dict[int, tuple[int, ...]] = {}
    for session in {_said(m).session for m in admitted}:
        row = sorted(
            (m for m in admitted if _said(m).session == session),
            key=lambda m: (m.position, m.place, m.fact_id),
        )
        for at, memory in enumerate(row):
            beside = tuple(row[b].key for b in (at - 1, at + 1) if 0 <= b < len(row))
            if beside:
                found[memory.key] = beside
    return found


def test_a_filter_and_a_closed_gate(tmp_path: Path) -> None:
    turns = [turn(1, "a", speaker="Ann"), turn(2, "b", speaker="Ben")]
    with talk(tmp_path / "k.db", turns) as store:
        gate = gate_of(turns, ("world",), 9)
        keys = reading_of(store, lambda r: [m.key for m in r.admitted(gate)])
        some = reading_of(store, lambda r: r.traits(gate, keys, where=parse({"speaker": "Ben"})))
        assert [trait.fact_id for trait in some.values()] == ["t2"]
        assert reading_of(store, lambda r: r.traits(DENY_ALL, keys)) == {}
        assert reading_of(store, lambda r: r.voices(DENY_ALL)) == {}
        assert reading_of(store, lambda r: r.neighbours(DENY_ALL, keys)) == {}
        assert reading_of(store, lambda r: r.places(DENY_ALL)) == ()


def test_places_are_those_of_what_is_admitted(tmp_path: Path) -> None:
    """Each once, in story order, and none of an episode whose facts are others' or came later."""
    with kataribe.open(str(tmp_path / "s.db")) as store:
        store.story("s").create(language="en", embedder="hash")
        store.story("s").cast.add(kataribe.Character(character_id="ann"))
        for no in range(1, 6):
            store.story("s").episodes.put(no=no, text="Nothing.")
            who = kataribe.known_by("ann") if no == 3 else kataribe.PUBLIC
            for n in range(2):
                store.story("s").facts.add(episode_no=no, text=f"Fact {no} {n}.", audience=who)
        store.story("s").sync()
        upto = reading_of(store, lambda r: r.upto("s", 4))
        assert upto is not None

        def places(*holders: str) -> tuple[tuple[int, int], ...]:
            gate = Gate(tuple(Slice("story:s", holder, upto) for holder in holders))
            return reading_of(store, lambda r: r.places(gate))

        assert len(places("world")) == 3
        assert len(places("world", "ann")) == 4
        assert list(places("world", "ann")) == sorted(set(places("world", "ann")))
        store.story("s").episodes.delete(no=2)
        assert len(places("world", "ann")) == 3


def test_the_vectors_of_a_page_are_shared_by_text_and_its_terms_are_not(tmp_path: Path) -> None:
    """Embedded once, found by the words and by the day."""
    turns = [turn(1, "Hello."), turn(2, "Hello.", day=40)]
    with talk(tmp_path / "k.db", turns) as store:
        found = store.recall("June", user="u", as_of=turns[1].time, planner="none")
        assert {hit.fact_id: hit.parts["keyword"] > 0 for hit in found.hits} == {"t1": False, "t2": True}


def test_the_words_of_a_question_are_looked_up_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A recall asks for matches, and for scores of what was found by likeness alone: one look-up will do."""
    looked_up: list[Sequence[str]] = []
    look = keywords._looked_up

    def counted(spans: Any, terms: Sequence[str]) -> Any:
        looked_up.append(terms)
        return look(spans, terms)

    monkeypatch.setattr(keywords, "_looked_up", counted)
    said = [turn(n, text) for n, text in enumerate(("A lantern.", "A boat.", "Rain."))]
    with talk(tmp_path / "k.db", said) as store:
        assert store.recall("Where is the lantern?", user="u").hits
    assert len(looked_up) == 1
