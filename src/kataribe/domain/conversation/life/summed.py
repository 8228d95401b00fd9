"""What a model made of threads, as inputs of a replay: items in words of their own, and contradictions."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING

from kataribe.domain.conversation.life.events import Place
from kataribe.domain.conversation.life.values import ItemKind

if TYPE_CHECKING:
    from kataribe.domain.conversation.life.events import Vector


class Emotion(StrEnum):
    """The seven categories of feeling."""

    JOY = "joy"
    CONTENTMENT = "contentment"
    PROTECTIVE = "protective"
    ANXIOUS = "anxious"
    SADNESS = "sadness"
    ANGER = "anger"
    NEUTRAL = "neutral"


VALENCE_OF = MappingProxyType(
    {
        Emotion.JOY: 1.0,
        Emotion.CONTENTMENT: 0.6,
        Emotion.PROTECTIVE: -0.3,
        Emotion.ANXIOUS: -0.6,
        Emotion.SADNESS: -0.8,
        Emotion.ANGER: -1.0,
        Emotion.NEUTRAL: 0.0,
    }
)
"""The valence of a feeling at full intensity, -1 to 1."""


def valence_of(emotion: Emotion, intensity: float) -> float:
    """Give the valence of a feeling: that of its category times its intensity, which is held to 0 to 1."""
    return VALENCE_OF[emotion] * min(1.0, max(0.0, intensity))


@dataclass(frozen=True, slots=True, kw_only=True)
class SummedItem:
    """A statement in a model's words, and the turns of one thread that it rests on, as they were said.

    It is in force as long as all of these turns are. Without a `vector` it is compared by its words.
    """

    text: str
    topic: str
    kind: ItemKind
    sources: tuple[str, ...]
    explicit: bool = False
    pii: bool = False
    valence: float = 0.0
    vector: Vector | None = field(default=None, compare=False, repr=False)

    @property
    def order(self) -> tuple[str, str, str, tuple[str, ...], bool, bool, float]:
        """By which the items of a turn are taken up, in whatever order a model gave them."""
        return self.text, self.kind, self.topic, self.sources, self.explicit, self.pii, self.valence


@dataclass(frozen=True, slots=True, kw_only=True)
class SummedThread:
    """What a model made of a thread: its items stand in the place of what the turns shown to it state."""

    thread_id: str
    turn_ids: frozenset[str]
    items: tuple[SummedItem, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldOtherwise:
    """A turn that a model found to contradict older statements: each a turn's id and the place in it."""

    turn_id: str
    older: tuple[tuple[str, Place], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelWord:
    """All that models have said of what one holder was told in one space."""

    threads: tuple[SummedThread, ...] = ()
    otherwise: tuple[ToldOtherwise, ...] = ()


NO_MODEL = ModelWord()
"""Nobody was asked: rules alone."""
