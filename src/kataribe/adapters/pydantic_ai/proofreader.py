"""The proofreader that asks a language model whether two sentences of a story contradict each other."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field

from kataribe.adapters.pydantic_ai.agents import LANGUAGES, MATERIAL, AgentQuestion, Limits, Opened, cut
from kataribe.adapters.pydantic_ai.names import PROOF_VERSION, Asking, ModelName
from kataribe.adapters.pydantic_ai.transport import Sleep
from kataribe.domain.story.proof import PairVerdict, SentencePair
from kataribe.domain.terms import Language

TOGETHER = 20
"""Pairs a model is shown at once."""
MAX_SENTENCE = 600

INSTRUCTIONS = f"""\
You proofread a story. You are given a JSON object with its "language" and "pairs" of its sentences, each \
with an "id", "one" and "other", and the episodes they stand in.

{MATERIAL}

Say of each pair which of these it is:
- "contradicts": both are told as true, of the same person or thing, and cannot both be true, even if \
time goes by from one to the other. A dream, a memory, a lie, a rumour, a figure of speech, somebody else \
of a like name contradict nothing.
- "tells": whoever reads "other" knows the fact that "one" tells, in whatever words.
- "neither": all else, and whatever is not certain.

Give "verdicts": for each pair its "id", as it stands there, and its "verdict".\
"""


class JudgedPair(BaseModel):
    """What one pair is."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    id: str
    verdict: str = Field(description="contradicts, tells or neither")


class JudgedPairs(BaseModel):
    """What each pair is."""

    verdicts: list[JudgedPair]


class ModelProofreader:
    """Asks a model about pairs of sentences, some at a time."""

    def __init__(
        self, name: ModelName, asking: Asking, *, opened: Opened | None = None, sleep: Sleep = asyncio.sleep
    ) -> None:
        self._id = name.told(PROOF_VERSION)
        self._question = AgentQuestion(
            name,
            asking,
            shape=JudgedPairs,
            wanted="verdicts",
            instructions=INSTRUCTIONS,
            limits=Limits(tokens=4000),
            opened=opened,
            sleep=sleep,
        )

    @property
    def proofreader_id(self) -> str:
        """The model's name and the version of what it is told."""
        return self._id

    async def judge(self, pairs: Sequence[SentencePair], *, language: Language) -> tuple[PairVerdict, ...]:
        """Say of each pair what it is; one that a model leaves out is neither. Raises `ModelError`.

        Nobody is asked about nothing; the first verdict on a pair counts.
        """
        found: list[PairVerdict] = []
        for at in range(0, len(pairs), TOGETHER):
            found += await self._judge(pairs[at : at + TOGETHER], language)
        return tuple(found)

    async def _judge(self, pairs: Sequence[SentencePair], language: Language) -> list[PairVerdict]:
        prompt: dict[str, object] = {
            "language": LANGUAGES[language],
            "pairs": [
                {
                    "id": str(place),
                    "one": cut(pair.one, MAX_SENTENCE),
                    "one_episode": pair.one_no,
                    "other": cut(pair.other, MAX_SENTENCE),
                    "other_episode": pair.other_no,
                }
                for place, pair in enumerate(pairs, start=1)
            ],
        }
        judged, _ = await self._question.must(prompt)
        given: dict[str, PairVerdict] = {}
        for each in judged.verdicts:
            said = each.verdict.strip().casefold()
            given.setdefault(
                each.id.strip(), PairVerdict(said) if said in {*PairVerdict} else PairVerdict.NEITHER
            )
        return [given.get(str(place), PairVerdict.NEITHER) for place in range(1, len(pairs) + 1)]
