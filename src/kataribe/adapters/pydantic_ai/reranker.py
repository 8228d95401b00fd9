"""The reranker that asks a language model how well each memory answers a question (S0-42)."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field

from kataribe.adapters.pydantic_ai.agents import MATERIAL, AgentQuestion, Limits, Opened, cut
from kataribe.adapters.pydantic_ai.names import RERANK_VERSION, Asking, ModelName
from kataribe.adapters.pydantic_ai.transport import Sleep

MAX_TEXTS = 50
"""Texts a model is shown at once; those behind them are not scored."""
MAX_TEXT = 1000
MAX_QUESTION = 4000
LEAST, MOST = 0.0, 10.0
"""What a model may give."""
NOT_SCORED = -1.0
"""What a text gets that a model gave nothing: below all that it did score."""

INSTRUCTIONS = f"""\
You are given a JSON object with a "question" and "passages", each with an "id" and a "text". Say for every \
passage how well it helps to answer the question.

{MATERIAL}

Give "scores": for each passage its "id" and a "score" from 0 (has nothing to do with it) to 10 (answers \
it fully). Judge what it says, not how it is worded, how long it is or where it stands.\
"""


class PassageScore(BaseModel):
    """How well one passage helps."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    id: str
    score: float = Field(description="0 (nothing to do with it) to 10 (answers it fully)")


class Scores(BaseModel):
    """How well each passage helps."""

    scores: list[PassageScore]


class ModelReranker:
    """Asks a model once for a score of each text."""

    def __init__(
        self, name: ModelName, asking: Asking, *, opened: Opened | None = None, sleep: Sleep = asyncio.sleep
    ) -> None:
        self._id = name.told(RERANK_VERSION)
        self._question = AgentQuestion(
            name,
            asking,
            shape=Scores,
            wanted="scores",
            instructions=INSTRUCTIONS,
            limits=Limits(tokens=6000),
            opened=opened,
            sleep=sleep,
        )

    @property
    def reranker_id(self) -> str:
        """The model's name and the version of what it is told."""
        return self._id

    async def rerank(self, question: str, texts: Sequence[str]) -> tuple[float, ...]:
        """Give a score for each text: 0 to 10, or -1 for one that was given none. Raises `ModelError`.

        The first score of a text counts; nobody is asked about no texts.
        """
        if not texts:
            return ()
        shown = {str(place): text for place, text in enumerate(texts[:MAX_TEXTS], start=1)}
        prompt: dict[str, object] = {
            "question": cut(question, MAX_QUESTION),
            "passages": [{"id": name, "text": cut(text, MAX_TEXT)} for name, text in shown.items()],
        }
        found, _ = await self._question.must(prompt)
        given: dict[str, float] = {}
        for each in found.scores:
            if math.isfinite(each.score):
                given.setdefault(each.id.strip(), min(MOST, max(LEAST, each.score)))
        return tuple(given.get(str(place), NOT_SCORED) for place in range(1, len(texts) + 1))
