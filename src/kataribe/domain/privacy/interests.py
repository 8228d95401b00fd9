"""What a user likes to talk of, whom it speaks to, and how deep that goes: counted, never guessed (S3-24).

Each conversation counts once, however much was said in it, so that counting again changes nothing (S3-25).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from kataribe.domain.conversation.life.words import content_words
from kataribe.domain.conversation.turns import Role, Turn, role_of
from kataribe.domain.privacy.find import find
from kataribe.domain.privacy.page import TOKEN
from kataribe.domain.terms import Language

TOP_TOPICS = 10
"""How many topics say what a user likes (S3-26)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interests:
    """In how many conversations a user spoke of each topic, and to whom.

    `depth` counts, by who was spoken to, the conversations in which that one replied.
    """

    topics: Mapping[str, int] = field(default_factory=dict)
    addressed: Mapping[str, int] = field(default_factory=dict)
    depth: Mapping[str, int] = field(default_factory=dict)

    @property
    def top(self) -> tuple[str, ...]:
        """Name the topics of the most conversations, at most `TOP_TOPICS`; alike ones in order of name."""
        ordered = sorted(self.topics, key=lambda topic: (-self.topics[topic], topic))
        return tuple(ordered[:TOP_TOPICS])

    @property
    def words(self) -> str | None:
        """Give the text whose vector says what a user likes; None where nothing was counted (S3-26)."""
        return " ".join(self.top) or None


def interests_of(turns: Iterable[Turn], user_id: str, language: Language) -> Interests:
    """Count what turns say of a user. What holds personal data gives no topics."""
    topics: set[tuple[str, str]] = set()
    addressed: set[tuple[str, str]] = set()
    replied: set[tuple[str, str]] = set()
    for turn in turns:
        match role_of(turn, user_id):
            case Role.USER:
                addressed |= {(turn.session, persona) for persona in turn.audience.members}
                if not (find(turn.text, language) or TOKEN.search(turn.text)):
                    topics |= {(turn.session, word) for word in content_words(turn.text, language)}
            case Role.PERSONA:
                replied.add((turn.session, turn.speaker))
    return Interests(
        topics=_counted(topics),
        addressed=_counted(addressed),
        depth=_counted(addressed & replied),
    )


def _counted(pairs: Iterable[tuple[str, str]]) -> Mapping[str, int]:
    return dict(sorted(Counter(name for _, name in pairs).items()))
