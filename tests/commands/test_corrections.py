"""Words that say a newer statement replaces an older one."""

from __future__ import annotations

from typing import Any

import pytest

from commands.tables import LANGUAGES, rows
from kataribe.domain.conversation.corrections import Correction, read_correction
from kataribe.domain.terms import Language


def told(text: str, found: Correction | None) -> dict[str, str | None] | None:
    if found is None:
        return None
    return {"new": text[slice(*found.new)], "old": text[slice(*found.old)] if found.old else None}


@pytest.mark.parametrize("row", rows("corrections"), ids=lambda row: row["text"])
def test_a_correction_is_read_only_where_the_words_say_so(row: dict[str, Any]) -> None:
    assert told(row["text"], read_correction(row["text"], row["language"])) == row["expected"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_lines_not_used_for_the_rules_are_read_nearly_as_well(language: Language) -> None:
    given = rows("corrections.held_back", language)
    found = [told(row["text"], read_correction(row["text"], language)) for row in given]
    wanted = [row["expected"] for row in given]
    right = sum(one is not None and one == other for one, other in zip(found, wanted, strict=True))
    assert right >= 0.9 * sum(one is not None for one in found)
    assert right >= 0.9 * sum(one is not None for one in wanted)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_table_holds_at_least_twenty_of_each(language: Language) -> None:
    given = [row["expected"] is None for row in rows("corrections", language)]
    assert min(given.count(True), given.count(False)) >= 20


@pytest.mark.parametrize(
    ("text", "language", "new"),
    [
        ("Hi there! I've changed my mind. I want the red one.", "en", "I want the red one"),
        ("こんにちは！気が変わった。赤いのがいい。", "ja", "赤いのがいい"),
    ],
)
def test_a_sentence_that_announces_a_correction_points_at_the_next(
    text: str, language: Language, new: str
) -> None:
    found = read_correction(text, language)
    assert found is not None
    assert text[slice(*found.new)] == new


@pytest.mark.parametrize(
    ("text", "language", "old"),
    [
        ("Ｉ ｎｏ ｌｏｎｇｅｒ ｅａｔ ｆｉｓｈ．", "en", "ｅａｔ ｆｉｓｈ"),
        ("ﾃﾆｽじゃなくてｻｯｶｰです！", "ja", "ﾃﾆｽ"),
    ],
)
def test_the_values_come_back_as_they_were_written(text: str, language: Language, old: str) -> None:
    found = read_correction(text, language)
    assert found is not None
    assert found.old is not None
    assert text[slice(*found.old)] == old
