"""What stands around sentences of a story's texts, inside one gate."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from kataribe.domain.around import StorySentence, TextStretch, around, stretch_around
from kataribe.domain.filters import Filter
from kataribe.domain.gate import Gate
from kataribe.domain.memory import Memory
from kataribe.domain.space import MemoryAddress, parse_space
from kataribe.ports import View
from kataribe.read.guard import succession

_Found = Mapping[TextStretch, tuple[StorySentence, ...]]
_Starts = Mapping[tuple[str, str], Sequence[int]]


def sentences_around(
    view: View, gate: Gate, memories: Collection[Memory], where: Filter | None
) -> Mapping[int, tuple[StorySentence, ...]]:
    """Give for each memory that is a sentence of its text, by key, the sentences to read it among.

    They are memories that the gate admits and nothing newer replaces; what else stands in the
    paragraph leaves no trace (P2).
    """
    own = {memory.key: sentence for memory in memories if (sentence := memory.in_text) is not None}
    if not own:
        return {}
    starts = _starts(view, own.values())
    wanted = {key: stretch_around(one, starts[one.space, one.episode_id]) for key, one in own.items()}
    found = view.sentences(gate, set(wanted.values()), where=where)
    kept = _kept(view, gate, found)
    return {
        key: around(one, kept.get(wanted[key], ()), starts[one.space, one.episode_id])
        for key, one in own.items()
    }


def _kept(view: View, gate: Gate, found: _Found) -> _Found:
    """Leave out what something newer replaces, and what the gate, asked again, does not admit (U-4)."""
    every = [one for told in found.values() for one in told]
    older = succession(view, gate, of={one.fact_id for one in every}).superseded_by.keys()
    # Many sentences live at few addresses.
    places = {(one.space, one.holder, one.position) for one in every}
    admitted = {place for place in places if gate.admits(MemoryAddress(*place))}
    return {
        here: tuple(
            [
                one
                for one in told
                if one.fact_id not in older and (one.space, one.holder, one.position) in admitted
            ]
        )
        for here, told in found.items()
    }


def _starts(view: View, sentences: Collection[StorySentence]) -> _Starts:
    """Give where the paragraphs of these sentences' episodes begin, by space and episode."""
    by_space: dict[str, set[str]] = {}
    for one in sentences:
        by_space.setdefault(one.space, set()).add(one.episode_id)
    return {
        (space, episode_id): starts
        for space, episode_ids in by_space.items()
        for episode_id, starts in view.paragraph_starts(parse_space(space).story or "", episode_ids).items()
    }
