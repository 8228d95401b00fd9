"""The kind of a user's sentence, and whether it says something of lasting worth."""

from __future__ import annotations

from typing import Any

import pytest

from commands.tables import LANGUAGES, rows
from kataribe.domain.conversation.statements import StatementKind, is_lasting, statement_kind
from kataribe.domain.terms import Language


@pytest.mark.parametrize("row", rows("statements"), ids=lambda row: row["text"])
def test_a_sentence_is_kept_by_its_kind_or_not_at_all(row: dict[str, Any]) -> None:
    text, language = row["text"], row["language"]
    assert is_lasting(text, language) is (row["expected"] is not None)
    if row["expected"] is not None:
        assert statement_kind(text, language) == row["expected"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_table_holds_each_kind_and_as_many_that_say_nothing(language: Language) -> None:
    given = [row["expected"] for row in rows("statements", language)]
    assert given.count(None) >= 20
    assert all(given.count(kind.value) >= 5 for kind in StatementKind)


@pytest.mark.parametrize(("text", "language"), [("", "en"), ("...", "en"), ("！？", "ja"), ("。", "ja")])
def test_nothing_said_is_of_no_lasting_worth(text: str, language: Language) -> None:
    assert not is_lasting(text, language)
