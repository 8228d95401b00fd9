"""Recall with each of its parts switched off, so that every part shows what it earns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from kataribe.domain.ranking import DEFAULT_RECALL, RecallPolicy

WHOLE = "all parts"

_NO_CONTEXT: Mapping[str, object] = {
    "neighbour_share": 0.0,
    "answer_share": 0.0,
    "sentence_share": 0.0,
    "far_sentence_share": 0.0,
    "session_share": 0.0,
    "speaker_bonus": 0.0,
    "phrase_bonus": 0.0,
    "strip_names": False,
}


_OF_TALK = (
    "without neighbours",
    "without answers to questions",
    "without sessions",
    "without speakers",
    "with names in the vector",
)
_OF_STORIES = ("without sentences beside", "without other names")


def talk_policies(base: RecallPolicy = DEFAULT_RECALL) -> dict[str, RecallPolicy]:
    """Give the settings that make a difference to what was said."""
    return {name: policy for name, policy in policies(base).items() if name not in _OF_STORIES}


def story_policies(base: RecallPolicy = DEFAULT_RECALL) -> dict[str, RecallPolicy]:
    """Give the settings that make a difference to stories."""
    return {name: policy for name, policy in policies(base).items() if name not in _OF_TALK}


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
        "without sentences beside": but(sentence_share=0.0, far_sentence_share=0.0),
        "without sessions": but(session_share=0.0),
        "without speakers": but(speaker_bonus=0.0),
        "with names in the vector": but(strip_names=False),
        "without phrases": but(phrase_bonus=0.0),
        "without other names": but(expand_aliases=False),
        "with near duplicates": but(duplicate_similarity=0.0),
        "without intent": but(intent_weight=0.0),
    }
