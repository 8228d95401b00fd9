"""Recall with each of its parts switched off or on, so that every part shows what it earns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from kataribe.domain.recall.ranking import DEFAULT_RECALL, RecallPolicy

WHOLE = "all parts"

SetKind = Literal["talk", "stories"]
"""What a set of questions is about."""

_BOTH: frozenset[SetKind] = frozenset({"talk", "stories"})
_TALK: frozenset[SetKind] = frozenset({"talk"})
_STORIES: frozenset[SetKind] = frozenset({"stories"})


@dataclass(frozen=True, slots=True, kw_only=True)
class SwitchedPart:
    """A part of recall: which numbers switch it off, and which switch it on where it is off by default.

    `counts` are the kinds of sets to which it makes a difference. `without` is what the whole is
    called when the part is off, `off` and `on` are numbers of `RecallPolicy` by name. `unasked` says
    what it is for where no set asks for that.
    """

    name: str
    off: Mapping[str, object]
    on: Mapping[str, object] = field(default_factory=dict)
    without: str = ""
    counts: frozenset[SetKind] = _BOTH
    unasked: str = ""

    def is_on(self, base: RecallPolicy) -> bool:
        """Tell whether it is on under these numbers."""
        return _with(base, self.off) != base

    def switched(self, base: RecallPolicy) -> tuple[str, RecallPolicy]:
        """Give these numbers with the part the other way round, and what that is called."""
        if self.is_on(base):
            return self.without or f"without {self.name}", _with(base, self.off)
        return f"with {self.name}", _with(base, self.on)


PARTS: tuple[SwitchedPart, ...] = (
    SwitchedPart(name="BM25", off={"keyword_weight": 0.0}),
    SwitchedPart(name="vectors", off={"keyword_weight": 1.0}),
    SwitchedPart(name="neighbours", off={"neighbour_share": 0.0, "answer_share": 0.0}, counts=_TALK),
    SwitchedPart(name="answers to questions", off={"answer_share": 0.0}, counts=_TALK),
    SwitchedPart(
        name="sentences beside", off={"sentence_share": 0.0, "far_sentence_share": 0.0}, counts=_STORIES
    ),
    SwitchedPart(name="sentences beyond those", off={"far_sentence_share": 0.0}, counts=_STORIES),
    SwitchedPart(name="sessions", off={"session_share": 0.0}, counts=_TALK),
    SwitchedPart(name="speakers", off={"speaker_bonus": 0.0}, counts=_TALK),
    SwitchedPart(
        name="names taken out of the vector",
        off={"strip_names": False},
        without="with names in the vector",
        counts=_TALK,
    ),
    SwitchedPart(name="phrases", off={"phrase_bonus": 0.0}, on={"phrase_bonus": 0.05}),
    SwitchedPart(
        name="what comes to mind", off={"association_share": 0.0}, on={"association_share": 0.2}, counts=_TALK
    ),
    SwitchedPart(name="words like those asked", off={"like_words": False}),
    SwitchedPart(name="other names", off={"expand_aliases": False}, counts=_STORIES),
    SwitchedPart(
        name="near duplicates make way", off={"duplicate_similarity": 0.0}, without="with near duplicates"
    ),
    SwitchedPart(
        name="intent",
        off={"intent_weight": 0.0},
        unasked="what is stirring comes first where feelings are asked for; no set says what is (S4-90)",
    ),
    SwitchedPart(
        name="age",
        off={"recency_share": 0.0},
        unasked="what is fresh comes first where technique is asked for; no set asks so (S4-90)",
    ),
)
"""What a set of questions can tell the worth of. Pins and uses are a person's: no set has any."""

_ALONE: Mapping[str, object] = {
    "neighbour_share": 0.0,
    "answer_share": 0.0,
    "sentence_share": 0.0,
    "far_sentence_share": 0.0,
    "session_share": 0.0,
    "speaker_bonus": 0.0,
    "phrase_bonus": 0.0,
    "strip_names": False,
    "like_words": False,
}


def parts_of(kind: SetKind) -> tuple[SwitchedPart, ...]:
    """Give the parts that make a difference to sets of a kind."""
    return tuple(part for part in PARTS if kind in part.counts)


def talk_policies(base: RecallPolicy = DEFAULT_RECALL) -> dict[str, RecallPolicy]:
    """Give the settings that make a difference to what was said."""
    return _policies(base, parts_of("talk"))


def story_policies(base: RecallPolicy = DEFAULT_RECALL) -> dict[str, RecallPolicy]:
    """Give the settings that make a difference to stories."""
    return _policies(base, parts_of("stories"))


def policies(base: RecallPolicy = DEFAULT_RECALL) -> dict[str, RecallPolicy]:
    """Give the whole, each search alone without all else, and the whole with one part the other way round."""
    return _policies(base, PARTS)


def _policies(base: RecallPolicy, parts: tuple[SwitchedPart, ...]) -> dict[str, RecallPolicy]:
    return {
        WHOLE: base,
        "BM25 alone": _with(base, {**_ALONE, "keyword_weight": 1.0}),
        "vectors alone": _with(base, {**_ALONE, "keyword_weight": 0.0}),
        **dict(part.switched(base) for part in parts),
    }


def _with(base: RecallPolicy, changed: Mapping[str, object]) -> RecallPolicy:
    return replace(base, **changed)  # type: ignore[arg-type]
