"""Conversations for tests: turns in a line or two, and stores with a policy of their own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import kataribe
from kataribe.domain.conversation.turns import Turn
from kataribe.domain.recall.planning import SearchPlan
from kataribe.domain.recall.ranking import DEFAULT_RECALL
from kataribe.domain.terms import PUBLIC, Audience, Language
from kataribe.face.sync.kataribe import Kataribe
from support.stores import empty_store, services

DAY_ONE = datetime(2023, 5, 8, 9, 0, tzinfo=UTC)


def turn(
    no: int,
    text: str,
    *,
    speaker: str = "Ann",
    session: str = "s1",
    day: float = 0,
    to: Iterable[str] | None = None,
    arousal: float | None = None,
) -> Turn:
    """Make a turn, `no` minutes after the start of a day; `to` None tells it to all."""
    return Turn(
        turn_id=f"t{no}",
        session=session,
        speaker=speaker,
        text=text,
        time=DAY_ONE + timedelta(days=day, minutes=no),
        audience=PUBLIC if to is None else Audience(members=frozenset(to)),
        arousal=arousal,
    )


@contextmanager
def talk(
    path: Path, turns: Sequence[Turn], *, language: Language = "en", parts: Any = None, **policy: Any
) -> Iterator[Kataribe]:
    """Give a store with one user `u` whose turns these are, all of them remembered.

    `policy` are numbers of recall, `parts` other things of the engines.
    """
    chosen = replace(services(), recall_policy=replace(DEFAULT_RECALL, **policy), **(parts or {}))
    if path.exists():
        path.unlink()
    with kataribe.open(str(empty_store(path)), services=chosen) as made:
        made.user("u").create(language=language, embedder="hash")
        made.user("u").put_turns(turns)
        made.user("u").sync()
        yield made


class FakePlanner:
    """Gives one plan whatever is asked, and keeps what was asked."""

    def __init__(self, plan: SearchPlan) -> None:
        self.plan_given = plan
        self.asked: list[tuple[str, str, tuple[str, ...]]] = []

    @property
    def planner_id(self) -> str:
        """Its name."""
        return "fake-1"

    async def plan(self, question: str, *, language: Language, recent: Sequence[str] = ()) -> SearchPlan:
        """Give the plan."""
        self.asked.append((question, language, tuple(recent)))
        return self.plan_given


class FakeReranker:
    """Likes short texts, and keeps how many it was given."""

    def __init__(self) -> None:
        self.given: list[int] = []

    @property
    def reranker_id(self) -> str:
        """Its name."""
        return "short-1"

    async def rerank(self, question: str, texts: Sequence[str]) -> tuple[float, ...]:
        """Score by shortness."""
        self.given.append(len(texts))
        return tuple(-float(len(text)) for text in texts)
