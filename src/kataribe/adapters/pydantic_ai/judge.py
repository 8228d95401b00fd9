"""The guard that asks a language model what of the evidence may be used (S2-13, S2-29)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field

from kataribe.adapters.pydantic_ai.agents import MATERIAL, AgentQuestion, Limits, Opened, cut
from kataribe.adapters.pydantic_ai.names import JUDGE_VERSION, Asking, ModelName
from kataribe.adapters.pydantic_ai.transport import Sleep
from kataribe.domain.recall.planning import Passage

MAX_PASSAGES = 100
"""Passages a model is shown; those behind them are not kept."""
MAX_QUESTION = 4000
MAX_PASSAGE = 2000

INSTRUCTIONS = f"""\
You guard what a companion is reminded of before it replies. You are given a JSON object with a "question" \
and "passages" of its memory, each with an "id", "where" it is from and its "text".

{MATERIAL}

Choose the passages that may be used for the reply. Leave out:
- what has nothing to do with the question;
- what is outdated: a later passage says that it is so no more;
- what contradicts another passage and is the less certain or the older of the two;
- what is sensitive and was not asked for: secrets of other people, health, money, passwords, addresses.

Give "keep": the ids of the others, as they stand there. Never an id that does not stand there. If nothing \
suffices, give an empty list, or answer with the one word NONE instead.\
"""


class Kept(BaseModel):
    """The passages that may be used."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    keep: list[str] = Field(description="ids of the passages that may be used; empty when none suffices")


class ModelJudge:
    """Asks a model which passages may be used."""

    def __init__(
        self, name: ModelName, asking: Asking, *, opened: Opened | None = None, sleep: Sleep = asyncio.sleep
    ) -> None:
        self._id = name.told(JUDGE_VERSION)
        self._question = AgentQuestion(
            name,
            asking,
            shape=Kept,
            wanted="choice",
            instructions=INSTRUCTIONS,
            limits=Limits(tokens=4000),
            none=Kept(keep=[]),
            opened=opened,
            sleep=sleep,
        )

    @property
    def judge_id(self) -> str:
        """The model's name and the version of what it is told."""
        return self._id

    async def keep(self, question: str, passages: Sequence[Passage]) -> frozenset[str]:
        """Give the ids of what may be used; nobody is asked about nothing. Raises `ModelError`.

        Ids that a model makes up are passed over; NONE, in whatever spelling, is the empty set.
        """
        if not passages:
            return frozenset()
        # Short names: a model copies them without a slip, and they tell it nothing.
        named = {str(place): each for place, each in enumerate(passages[:MAX_PASSAGES], start=1)}
        prompt: dict[str, object] = {
            "question": cut(question, MAX_QUESTION),
            "passages": [
                {"id": name, "where": each.where, "text": cut(each.text, MAX_PASSAGE)}
                for name, each in named.items()
            ],
        }
        found, _ = await self._question.must(prompt)
        return frozenset(named[name].id for name in map(str.strip, found.keep) if name in named)
