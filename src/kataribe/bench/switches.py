"""Recall with each of its parts switched off, so that every part shows what it earns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from kataribe.domain.ranking import DEFAULT_RECALL, RecallPolicy

WHOLE = "all parts"

_NO_CONTEXT: Mapping[str, object] = {
    "neighbour_share": 0.0,
    "answer_share": 0.0,
    "session_share": 0.0,
    "speaker_bonus": 0.0,
    "phrase_bonus": 0.0,
    "strip_names": False,
}


def policies(base: RecallPolicy = DEFAULT_RECALL) -> dict[str, RecallPolicy]:
    """Give the whole, each search alone without all else, and the whole without one part at a time."""

    def but(**changed: object) -> RecallPolicy:
        return replace(base, **changed)  # type: ignore[arg-type]

    return {
        WHOLE: base,
        "BM25 alone": but(keyword_weight=1.0, **_NO_CONTEXT),
        "vectors alone": but(keyword_weight=0.0, **_NO_CONTEXT),
        "without BM25": but(keyword_weight=0.0),
        "without vectors": but(keyword_weight=1.0),
        "without neighbours": but(neighbour_share=0.0, answer_share=0.0),
        "without answers to questions": but(answer_share=base.neighbour_share),
        "without sessions": but(session_share=0.0),
        "without speakers": but(speaker_bonus=0.0),
        "with names in the vector": but(strip_names=False),
        "without phrases": but(phrase_bonus=0.0),
        "without other names": but(expand_aliases=False),
        "with near duplicates": but(duplicate_similarity=2.0),
    }
