"""The summarizer that asks a language model what is worth keeping of what was said (S2-27)."""

from __future__ import annotations

import asyncio
import json
from typing import Generic

from pydantic import BaseModel, ConfigDict, Field

from kataribe.adapters.pydantic_ai.agents import (
    LANGUAGES,
    MATERIAL,
    AgentQuestion,
    Limits,
    Opened,
    Shape,
    UnansweredError,
    cut,
)
from kataribe.adapters.pydantic_ai.names import SUMMARY_VERSION, Asking, ModelName
from kataribe.adapters.pydantic_ai.parts import tokens_of
from kataribe.adapters.pydantic_ai.providers import price
from kataribe.adapters.pydantic_ai.transport import Sleep
from kataribe.domain.conversation.summaries import (
    NewerWords,
    OfferedContradictions,
    OfferedItem,
    OfferedSummary,
    ThreadText,
)
from kataribe.domain.memory import Usage
from kataribe.errors import ExtractionError

_SCHEMA_TOKENS = 350
_ITEM_TOKENS = 60
MOST_TOKENS = 4000
MAX_LINE, MAX_OLDER = 4000, 600
"""Characters that are shown of a turn, and of an older statement."""

SUM_UP = f"""\
You keep notes of a conversation. You are given a JSON object with its "language", "most" (characters), and \
"turns", each with an "id", its "speaker", whether that is the "user", its "day" and its "text".

{MATERIAL}

Give "items": what is worth remembering for weeks. Each is one statement that can be understood by itself, \
in the language of the conversation, in the third person, with days in the place of words like "today", of \
at most "most" characters:
- "text": the statement. Say only what the turns say. Leave out personal data: full addresses, telephone \
numbers, e-mail addresses, account numbers, documents' numbers.
- "topic": one to three words; the same words for the same topic.
- "kind": "decision", "request", "fact" or "policy" (how the user wants things done from now on).
- "sources": the ids of the turns that it rests on, all of them.
- "explicit": true only where the user asks in so many words to remember it.
- "pii": true where you left out personal data.
- "emotion": what the speaker feels about it: "joy", "contentment", "protective", "anxious", "sadness", \
"anger" or "neutral", with its "intensity" from 0 to 1.

Leave out greetings, questions, what is only supposed, joked or quoted, and what the user asks not to \
remember. Give "keywords" of the conversation, at most twelve. Where nothing is worth remembering, give none.\
"""

CONTRADICTED = f"""\
You keep notes of a conversation. You are given a JSON object with its "language", a "newer" turn and \
"older" statements of the same speaker, each with an "id", its day and its text.

{MATERIAL}

Give "ids": those of the older statements that cannot be true any more if the newer turn is, since \
something has changed or was said wrongly. One that may be true beside it, that tells of another time, \
person or thing, or that the newer turn only asks about or supposes, is not among them.\
"""


class NotedItem(BaseModel):
    """One thing worth remembering."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    text: str
    topic: str = ""
    kind: str = Field(default="fact", description="decision, request, fact or policy")
    sources: list[str] = Field(default_factory=list, description="ids of turns")
    explicit: bool = False
    pii: bool = False
    emotion: str = "neutral"
    intensity: float = 0.0


class ThreadNotes(BaseModel):
    """What is worth remembering of a conversation."""

    items: list[NotedItem] = Field(default_factory=list)
    keywords: list[str] = Field(default_factory=list)


class OutdatedIds(BaseModel):
    """Which older statements cannot be true any more."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    ids: list[str] = Field(default_factory=list)


class _Sums(Generic[Shape]):
    """One of the two questions: a failure to answer it is a failed attempt."""

    def __init__(self, question: AgentQuestion[Shape]) -> None:
        self._question = question

    async def ask(self, prompt: dict[str, object]) -> tuple[Shape, Usage]:
        try:
            return await self._question.ask(prompt)
        except UnansweredError as error:
            raise ExtractionError(str(error), usage=error.usage) from error


class ModelSummarizer:
    """Asks a model about a thread, or about a turn and older statements, at a time."""

    def __init__(
        self, name: ModelName, asking: Asking, *, opened: Opened | None = None, sleep: Sleep = asyncio.sleep
    ) -> None:
        self._name = name
        self._asking = asking
        limits = Limits(tokens=MOST_TOKENS)
        self._notes = _Sums(
            AgentQuestion(
                name,
                asking,
                shape=ThreadNotes,
                wanted="notes",
                instructions=SUM_UP,
                limits=limits,
                none=ThreadNotes(),
                opened=opened,
                sleep=sleep,
            )
        )
        self._outdated = _Sums(
            AgentQuestion(
                name,
                asking,
                shape=OutdatedIds,
                wanted="ids",
                instructions=CONTRADICTED,
                limits=limits,
                none=OutdatedIds(),
                opened=opened,
                sleep=sleep,
            )
        )

    @property
    def summarizer_id(self) -> str:
        """The model's name and the version of what it is told."""
        return self._name.told(SUMMARY_VERSION)

    async def sum_up(self, thread: ThreadText) -> OfferedSummary:
        """Give what a model makes of a thread. Raises `ExtractionError`, `ModelError`."""
        notes, usage = await self._notes.ask(_thread_prompt(thread))
        named = {_turn(place): line.turn_id for place, line in enumerate(thread.lines, start=1)}
        items = tuple(
            OfferedItem(
                text=item.text,
                topic=item.topic,
                kind=item.kind,
                # What names no turn stays as it is, to be refused.
                sources=tuple(named.get(one.strip(), one) for one in item.sources),
                explicit=item.explicit,
                pii=item.pii,
                emotion=item.emotion,
                intensity=item.intensity,
            )
            for item in notes.items
        )
        return OfferedSummary(items=items, keywords=tuple(notes.keywords), usage=usage)

    async def contradicted(self, newer: NewerWords) -> OfferedContradictions:
        """Say which older statements a newer turn does away with. Raises `ExtractionError`, `ModelError`."""
        found, usage = await self._outdated.ask(_newer_prompt(newer))
        places = tuple(int(one) - 1 if one.strip().isdecimal() else -1 for one in found.ids)
        return OfferedContradictions(places=places, usage=usage)

    def estimate(self, asked: ThreadText | NewerWords) -> Usage:
        """Guess the tokens: what is sent, and some for the answer."""
        if isinstance(asked, ThreadText):
            told, prompt, out = SUM_UP, _thread_prompt(asked), _ITEM_TOKENS * len(asked.lines)
        else:
            told, prompt, out = CONTRADICTED, _newer_prompt(asked), _ITEM_TOKENS
        into = tokens_of(told) + _SCHEMA_TOKENS + tokens_of(json.dumps(prompt, ensure_ascii=False, indent=1))
        cost = price(self._name, self._asking, input_tokens=into, output_tokens=out)
        return Usage(calls=1, input_tokens=into, output_tokens=min(out, MOST_TOKENS), cost=cost)


def _turn(place: int) -> str:
    return f"t{place}"


def _thread_prompt(thread: ThreadText) -> dict[str, object]:
    return {
        "language": LANGUAGES[thread.language],
        "most": thread.most,
        "turns": [
            {
                "id": _turn(place),
                "speaker": line.speaker,
                "user": line.is_users,
                "day": line.day,
                "text": cut(line.text, MAX_LINE),
            }
            for place, line in enumerate(thread.lines, start=1)
        ],
    }


def _newer_prompt(newer: NewerWords) -> dict[str, object]:
    return {
        "language": LANGUAGES[newer.language],
        "newer": {
            "speaker": newer.line.speaker,
            "day": newer.line.day,
            "text": cut(newer.line.text, MAX_LINE),
        },
        "older": [
            {"id": str(place), "day": one.day, "text": cut(one.text, MAX_OLDER)}
            for place, one in enumerate(newer.older, start=1)
        ],
    }
