"""The planner that asks a language model, and falls back on another that cannot fail."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import replace

from pydantic import BaseModel, Field

from kataribe.adapters.pydantic_ai.agents import (
    LANGUAGES,
    MATERIAL,
    AgentQuestion,
    Limits,
    Opened,
    UnansweredError,
    cut,
)
from kataribe.adapters.pydantic_ai.names import PLAN_VERSION, Asking, ModelName
from kataribe.adapters.pydantic_ai.transport import Sleep
from kataribe.domain.ids import check_text, normalise
from kataribe.domain.memory import Usage
from kataribe.domain.recall.planning import MAX_KEYWORDS, Intent, SearchPlan
from kataribe.domain.terms import Language
from kataribe.domain.text.tokens import tokens
from kataribe.errors import InputError, ModelError
from kataribe.ports import Planner

SECONDS = 8.0
"""How long planning may take in all; a recall waits for it."""
MAX_TERMS = 8
MAX_WORD = 60
"""Signs of one term or keyword; a longer one is no search word and is left out."""
MAX_MESSAGE = 4000
MAX_RECENT = 6
"""Messages said before that a model is shown, so that it knows who "she" is."""
_RECENT_SIZE = 500

INSTRUCTIONS = f"""\
You decide whether and for what the memory of a companion is searched before it replies. You are given \
a JSON object with the latest "message" of somebody, "recent" messages said before it (oldest first) and \
the "language" that memories are written in.

{MATERIAL}

Give:
- "needed": false when no memory can help with the reply: a greeting, thanks, a nod, small talk. Else true. \
When you are not sure: true.
- "terms": up to {MAX_TERMS} words or short phrases to search for beside those of the message, in the \
language of the memories: synonyms, other forms, whom a "she" or "that" stands for by the recent messages. \
Nothing that is guessed: no answer to the question, no name that was not said.
- "keywords": 0 to {MAX_KEYWORDS} proper nouns or distinctive phrases, exactly as said, that a memory must \
hold to be meant. Never a common word. None is better than a common one.
- "intent": what the message is after. "emotional": feelings; "technical": software, settings, errors, \
how things work; "temporal": when something was, what is recent; "relational": people and how they stand \
to each other; "factual": anything else.

If nothing has to be searched you may answer with the one word NONE instead.\
"""


class PlannedSearch(BaseModel):
    """What to search the memory for."""

    needed: bool = Field(description="false when no memory can help with the reply")
    terms: list[str] = Field(default_factory=list, description="synonyms and other words to search for")
    keywords: list[str] = Field(default_factory=list, description="0 to 3 proper nouns, exactly as said")
    intent: Intent = Field(default=Intent.FACTUAL, description="what the message is after")


class ModelPlanner:
    """Asks a model once, within `SECONDS`; small talk is left to `fallback`, and so is a model's failure."""

    def __init__(
        self,
        name: ModelName,
        asking: Asking,
        *,
        fallback: Planner,
        seconds: float = SECONDS,
        opened: Opened | None = None,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._fallback = fallback
        self._id = name.told(PLAN_VERSION)
        self._question = AgentQuestion(
            name,
            asking,
            shape=PlannedSearch,
            wanted="plan",
            instructions=INSTRUCTIONS,
            limits=Limits(tokens=2000, attempts=1, mends=0, seconds=seconds),
            none=PlannedSearch(needed=False),
            opened=opened,
            sleep=sleep,
        )

    @property
    def planner_id(self) -> str:
        """The model's name and the version of what it is told."""
        return self._id

    async def plan(self, question: str, *, language: Language, recent: Sequence[str] = ()) -> SearchPlan:
        """Plan the search; a model that fails or talks nonsense is replaced, and `note` says why."""
        ruled = await self._fallback.plan(question, language=language, recent=recent)
        if not ruled.needed:
            return ruled
        prompt: dict[str, object] = {
            "language": LANGUAGES[language],
            "recent": [cut(message, _RECENT_SIZE) for message in recent[-MAX_RECENT:]],
            "message": cut(question, MAX_MESSAGE),
        }
        try:
            found, usage = await self._question.ask(prompt)
        except UnansweredError as error:
            return replace(ruled, note=f"planned by rules: {error.wordless}", usage=error.usage)
        except ModelError as error:
            return replace(ruled, note=f"planned by rules: {error.wordless}")
        return self._made(found, usage, question, language)

    def _made(self, found: PlannedSearch, usage: Usage, question: str, language: Language) -> SearchPlan:
        if not found.needed:
            return SearchPlan(needed=False, made_by=self._id, usage=usage)
        said = normalise(question).casefold()
        keywords = _words(found.keywords, language)[:MAX_KEYWORDS]
        terms = [term for term in _words(found.terms, language) if term.casefold() not in said]
        return SearchPlan(
            terms=tuple(terms[:MAX_TERMS]),
            keywords=tuple(keywords),
            intent=found.intent,
            detected=True,
            made_by=self._id,
            usage=usage,
        )


def _words(given: Iterable[str], language: Language) -> list[str]:
    """Give what may be searched for, each once: words of a bearable length that are not all common."""
    found: dict[str, str] = {}
    for each in given:
        word = normalise(each)
        if 0 < len(word) <= MAX_WORD and _is_text(word) and tokens(word, language):
            found.setdefault(word.casefold(), word)
    return list(found.values())


def _is_text(word: str) -> bool:
    try:
        check_text(word)
    except InputError:
        return False
    return word.isprintable()
