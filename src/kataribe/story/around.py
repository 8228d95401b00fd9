"""What stands around sentences of a story's texts, inside one gate."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from kataribe.domain.around import StorySentence, around, stretch_around
from kataribe.domain.filters import Filter
from kataribe.domain.gate import Gate
from kataribe.domain.memory import Memory
from kataribe.domain.space import parse_space
from kataribe.ports import View
from kataribe.read.guard import succession

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
    beside = {one.fact_id for told in found.values() for one in told}
    older = succession(view, gate, of=beside).superseded_by.keys()
    return {
        key: around(
            one,
            [
                other
                for other in found.get(wanted[key], ())
                if other.fact_id not in older and gate.admits(other.address)
            ],
            starts[one.space, one.episode_id],
        )
        for key, one in own.items()
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
