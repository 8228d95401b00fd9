"""What a viewer has at hand of what was said: its last messages, and what is kept of the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from kataribe.domain.conversation.life.words import content_words
from kataribe.domain.recall.context import Component
from kataribe.domain.terms import Language


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidLine:
    """A message that was just said, with what a picture in it shows.

    `is_withheld` says that it holds what is sensitive, and was told to all and not to this viewer.
    """

    space: str
    turn_id: str
    speaker: str
    text: str
    is_withheld: bool = False

    @property
    def line(self) -> str:
        """Give it as a model is told it."""
        return f"{self.speaker}: {self.text}"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptLine:
    """A memory made of what was said, as it stands at the viewer's moment.

    `part` is where it stands in a context: long or mid term. `sources` are the ids of the turns it
    rests on, in `space`. `is_standing` says that the user wanted it kept or somebody pinned it,
    `is_resumed` that it came of what was spoken of last, `is_by_hand` that a person wrote its text, and
    `is_withheld` that it holds what is sensitive and not all of which was said to this viewer.
    """

    space: str
    memory_id: str
    part: Component
    kind: str
    text: str
    since: datetime
    sources: tuple[str, ...]
    importance: float = 0.0
    is_fresh: bool = False
    is_standing: bool = False
    is_resumed: bool = False
    is_by_hand: bool = False
    is_withheld: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AtHand:
    """What is at hand: `said` oldest first, why nothing before it is, and what is `kept`.

    `position` is that of the last thing that was said; None: nothing ever was.
    """

    said: tuple[SaidLine, ...] = ()
    ended_by: str | None = None
    kept: tuple[KeptLine, ...] = ()
    position: int | None = None


def wanted_kept(
    kept: Sequence[KeptLine], question: str, language: Language
) -> tuple[tuple[KeptLine, int], ...]:
    """Choose what is worth a place in a context, the best first, with how many words of a question are in it.

    Of the long term everything is, what the user wanted kept first; of the mid term what came of
    the conversation that goes on, what is fresh, and what shares a word with the question.
    """
    asked = set(content_words(question, language))
    shared = [(one, len(asked & set(content_words(one.text, language)))) for one in kept]
    chosen = [
        (one, words)
        for one, words in shared
        if one.part is Component.LONG or one.is_resumed or one.is_fresh or one.is_standing or words
    ]
    return tuple(sorted(chosen, key=lambda pair: _order(*pair)))


def _order(one: KeptLine, words: int) -> tuple[bool, int, float, float, str, str]:
    is_first = one.is_standing if one.part is Component.LONG else one.is_resumed
    return (not is_first, -words, -one.importance, -one.since.timestamp(), one.space, one.memory_id)
