"""The answerer that asks a language model: out of the context given, and nothing else (S2-37, S2-38)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field, field_validator

from kataribe.adapters.pydantic_ai.agents import LANGUAGES, MATERIAL, AgentQuestion, Limits, Opened, cut
from kataribe.adapters.pydantic_ai.names import ANSWER_VERSION, Asking, ModelName
from kataribe.adapters.pydantic_ai.speech import Speech
from kataribe.adapters.pydantic_ai.transport import Sleep
from kataribe.domain.ids import check_text
from kataribe.domain.recall.planning import Answered, Passage
from kataribe.domain.terms import Language
from kataribe.errors import InputError
from kataribe.ports import Heard

MAX_QUESTION = 4000

INSTRUCTIONS = f"""\
You answer a question as the one named in "speak_as", or as a plain assistant where that is null. You are \
given a JSON object with the "question", the "language" to answer in, "context", which is all that you \
remember, and "ids", the ids of the memories in it.

{MATERIAL}

- Say only what the context says. You know nothing else: not what the story tells elsewhere, not what you \
have read of it, not what is likely.
- What the context does not say, you do not remember: say so plainly, and say what is missing. If it says \
nothing of what is asked, say that you do not remember. Never guess, never fill a gap.
- Speak in the first person as the one named, who remembers these things; never speak of a context, of \
passages or of ids.
- Answer in the language named by "language", plainly and in a few sentences.

Give "answer", and in "used" the ids of the memories that the answer rests on, as they stand in "ids".\
"""


class Spoken(BaseModel):
    """The answer, and what it rests on."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    answer: str = Field(description="the answer, in the language asked for")
    used: list[str] = Field(default_factory=list, description="ids of the memories that it rests on")

    @field_validator("answer")
    @classmethod
    def _says_something(cls, value: str) -> str:
        try:
            check_text(value, "answer")
        except InputError as error:
            raise ValueError(str(error)) from error
        if not value.strip():
            raise ValueError("the answer is empty")
        return value.strip()


class ModelAnswerer:
    """Asks a model for an answer."""

    def __init__(
        self, name: ModelName, asking: Asking, *, opened: Opened | None = None, sleep: Sleep = asyncio.sleep
    ) -> None:
        self._id = name.told(ANSWER_VERSION)
        self._speech = Speech(name, asking, opened=opened)
        self._question = AgentQuestion(
            name,
            asking,
            shape=Spoken,
            wanted="answer",
            instructions=INSTRUCTIONS,
            limits=Limits(tokens=4000),
            plain=lambda text: Spoken(answer=text),
            opened=opened,
            sleep=sleep,
        )

    @property
    def answerer_id(self) -> str:
        """The model's name and the version of what it is told."""
        return self._id

    async def answer(
        self,
        question: str,
        *,
        context: str,
        passages: Sequence[Passage],
        speaks_as: str | None,
        language: Language,
    ) -> Answered:
        """Answer as `speaks_as`, from the context alone. Raises `ModelError`.

        `used` names passages only, each once, in their order; a model that answers in plain text
        names none.
        """
        prompt: dict[str, object] = {
            "language": LANGUAGES[language],
            "speak_as": speaks_as,
            "question": cut(question, MAX_QUESTION),
            "context": context,
            "ids": [each.id for each in passages],
        }
        found, usage = await self._question.must(prompt)
        named = {name.strip() for name in found.used}
        used = dict.fromkeys(each.id for each in passages if each.id in named)
        return Answered(text=found.answer, used=tuple(used), usage=usage)

    async def reply(
        self,
        text: str,
        *,
        context: str,
        passages: Sequence[Passage],
        speaks_as: str | None,
        language: Language,
        heard: Heard,
    ) -> Answered:
        """Reply within a conversation, heard while it speaks. Raises `ModelError`."""
        return await self._speech.reply(
            text, context=context, passages=passages, speaks_as=speaks_as, language=language, heard=heard
        )
