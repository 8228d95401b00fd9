"""Stand-ins for the models that plan, judge and answer: scripted, counted, and able to fail."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace

from kataribe.domain.memory import Usage
from kataribe.domain.recall.planning import Answered, Passage, SearchPlan
from kataribe.domain.terms import Language
from kataribe.engine import Services
from kataribe.errors import ModelError


@dataclass
class FakePlanner:
    """Gives one plan."""

    made: SearchPlan = field(default_factory=SearchPlan)
    planner_id: str = "fake-planner"
    asked: list[tuple[str, Language, tuple[str, ...]]] = field(default_factory=list)

    async def plan(self, question: str, *, language: Language, recent: Sequence[str] = ()) -> SearchPlan:
        self.asked.append((question, language, tuple(recent)))
        return replace(self.made, made_by=self.planner_id)


@dataclass
class FakeJudge:
    """Keeps what it is told to keep of the ids it is given."""

    keeps: Callable[[Passage], bool] | None = None
    invents: Collection[str] = ()
    fails: bool = False
    judge_id: str = "fake-judge"
    asked: list[list[Passage]] = field(default_factory=list)

    async def keep(self, question: str, passages: Sequence[Passage]) -> frozenset[str]:
        self.asked.append(list(passages))
        if self.fails:
            raise ModelError("told to fail")
        kept = {one.id for one in passages if self.keeps is None or self.keeps(one)}
        return frozenset({*kept, *self.invents})


@dataclass
class FakeAnswerer:
    """Answers with the first memory's words, and says which it used."""

    uses: Callable[[Sequence[Passage]], Sequence[str]] = lambda given: [one.id for one in given[:1]]
    text: str | None = None
    fails: bool = False
    answerer_id: str = "fake-answerer"
    asked: list[dict[str, object]] = field(default_factory=list)
    meanwhile: Callable[[], object] = lambda: None

    async def answer(
        self,
        question: str,
        *,
        context: str,
        passages: Sequence[Passage],
        speaks_as: str | None,
        language: Language,
    ) -> Answered:
        self.asked.append(
            {
                "question": question,
                "context": context,
                "passages": tuple(passages),
                "speaks_as": speaks_as,
                "language": language,
            }
        )
        await asyncio.to_thread(self.meanwhile)
        if self.fails:
            raise ModelError("told to fail")
        text = self.text if self.text is not None else (passages[0].text if passages else "Hello.")
        return Answered(text=text, used=tuple(self.uses(passages)), usage=Usage(calls=1, input_tokens=7))


def with_fakes(
    services: Services,
    *,
    planner: FakePlanner | None = None,
    judge: FakeJudge | None = None,
    answerer: FakeAnswerer | None = None,
) -> Services:
    """Give engines in which these answer to every name."""
    if planner is not None:
        services = replace(services, planner=lambda name: planner)
    if judge is not None:
        services = replace(services, judge=lambda name: judge)
    if answerer is not None:
        services = replace(services, answerer=lambda name: answerer)
    return services
