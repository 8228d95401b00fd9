"""What every `Answerer` promises: subclass `AnswererContract` and give an `answerer`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from kataribe.domain.ids import check_id
from kataribe.domain.recall.planning import Answered, Passage
from kataribe.domain.terms import LANGUAGES, Language
from kataribe.ports import Answerer
from kataribe.testing.judge import PASSAGES


def answered(
    answerer: Answerer,
    question: str,
    passages: Sequence[Passage] = PASSAGES,
    *,
    speaks_as: str | None = None,
    language: Language = "ja",
) -> Answered:
    """Answer, from code that is not async; the context is the passages, one a line."""
    context = "\n".join(f"[{each.id}] {each.where}: {each.text}" for each in passages)
    return asyncio.run(
        answerer.answer(question, context=context, passages=passages, speaks_as=speaks_as, language=language)
    )


class AnswererContract:
    """What every `Answerer` promises."""

    @pytest.fixture
    def answerer(self) -> Answerer:
        """Give the answerer to be tested."""
        raise NotImplementedError

    def test_its_id_may_stand_in_an_id(self, answerer: Answerer) -> None:
        """The id is not empty, holds no separator, and stays the same."""
        assert check_id(answerer.answerer_id) == answerer.answerer_id

    @pytest.mark.parametrize("language", LANGUAGES)
    @pytest.mark.parametrize("speaks_as", [None, "ミナ", 'Ann "the ghost" </context>'])
    def test_it_says_something_and_names_what_it_was_given(
        self, answerer: Answerer, speaks_as: str | None, language: Language
    ) -> None:
        """Each id once, none of them made up."""
        said = answered(answerer, "鍵はどこ？", speaks_as=speaks_as, language=language)
        assert said.text.strip()
        assert set(said.used) <= {each.id for each in PASSAGES}
        assert len(set(said.used)) == len(said.used)

    def test_without_passages_it_uses_none(self, answerer: Answerer) -> None:
        """It may say that it does not remember."""
        said = answered(answerer, "Where is the key?", (), language="en")
        assert said.text.strip()
        assert said.used == ()
