"""The planner by rule: what a question is after, told by the words it is asked with."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from kataribe.adapters.rules.keywords import MAX_QUESTION, keywords
from kataribe.adapters.rules.smalltalk import is_small_talk
from kataribe.adapters.rules.words import CUES, QUESTION_WORDS, SYNONYMS
from kataribe.domain.ids import normalise
from kataribe.domain.recall.planning import Intent, SearchPlan
from kataribe.domain.terms import Language

PLANNER_ID = "rules-1"

_QUESTION_WORD = 2
"""A question word weighs as much as two cues."""
_ORDER = (Intent.EMOTIONAL, Intent.TECHNICAL, Intent.TEMPORAL, Intent.RELATIONAL)
"""Which intent goes first among equals: what colours an answer before what it is about."""

_KANJI = "々〆〇㐀-䶿一-鿿"


class RulesPlanner:
    """Plans by word lists, in Japanese and English, whatever the language asked for.

    The same question always gives the same plan. It adds no words but those of a short table
    of synonyms: it does not infer.
    """

    @property
    def planner_id(self) -> str:
        """Name and version."""
        return PLANNER_ID

    async def plan(
        self,
        question: str,
        *,
        language: Language,  # noqa: ARG002 - people mix them: both are always looked for
        recent: Sequence[str] = (),  # noqa: ARG002 - rules do not follow a conversation
    ) -> SearchPlan:
        """Plan the search; nothing is needed for small talk (S4-67). Never fails."""
        if is_small_talk(question):
            return SearchPlan(needed=False, made_by=PLANNER_ID, note="small talk: nothing is looked for")
        intent = detect(question)
        return SearchPlan(
            terms=synonyms(question),
            keywords=keywords(question),
            intent=intent or Intent.FACTUAL,
            detected=intent is not None,
            made_by=PLANNER_ID,
        )


def detect(question: str) -> Intent | None:
    """Tell what a question is after by its cues; None when there are none."""
    text = normalise(question)[:MAX_QUESTION].casefold()
    weights = {intent: _weight(intent, text) for intent in _ORDER}
    best = max(_ORDER, key=lambda intent: (weights[intent], -_ORDER.index(intent)))
    return best if weights[best] else None


def _weight(intent: Intent, text: str) -> int:
    """Count the different cues, and the question word."""
    asked = _QUESTION_WORD if _compiled(QUESTION_WORDS[intent]).search(text) else 0
    japanese, english = CUES[intent]
    # Half of the work for most: English is ASCII, and Japanese is not.
    patterns = (english,) if text.isascii() else (japanese, english)
    return asked + len({match[0] for pattern in patterns for match in _compiled(pattern).finditer(text)})


def synonyms(question: str) -> tuple[str, ...]:
    """Give the other words of every group that the question has a word of, in the order of the table."""
    text = normalise(question)[:MAX_QUESTION].casefold()
    found: dict[str, None] = {}
    for group in SYNONYMS:
        there = [word in text and _alone(word).search(text) is not None for word in group]
        if any(there):
            found.update((word, None) for word, known in zip(group, there, strict=True) if not known)
    return tuple(found)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile one of the table's patterns when a question first needs it."""
    return re.compile(pattern)


@cache
def _alone(word: str) -> re.Pattern[str]:
    """A word on its own: no letter beside it, and no kanji beside kanji."""
    beside = r"\w" if word.isascii() else _KANJI
    return re.compile(f"(?<![{beside}]){re.escape(word)}(?![{beside}])")
