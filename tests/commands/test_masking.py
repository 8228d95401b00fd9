"""One-time codes and links are masked, and nothing that only looks like one."""

from __future__ import annotations

from typing import Any

import pytest

from commands.tables import LANGUAGES, rows
from conftest import outside
from kataribe.domain.conversation.masking import MASKS, find_one_time, mask_one_time
from kataribe.domain.terms import Language


@pytest.mark.parametrize("row", rows("masking"), ids=lambda row: row["text"])
def test_a_one_time_code_or_link_is_masked_and_its_look_alikes_stay(row: dict[str, Any]) -> None:
    assert mask_one_time(row["text"]) == row["expected"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_table_holds_at_least_twenty_of_each(language: Language) -> None:
    given = [row["text"] == row["expected"] for row in rows("masking", language)]
    assert min(given.count(True), given.count(False)) >= 20


@pytest.mark.parametrize("row", rows("masking"), ids=lambda row: row["text"])
def test_what_is_masked_once_is_masked_for_good(row: dict[str, Any]) -> None:
    once = mask_one_time(row["text"])
    assert mask_one_time(once) == once


def test_what_is_found_is_what_is_masked() -> None:
    text = "ＯＴＰは４４７１、 https://a.example/?otp=4471 です"
    found = find_one_time(text)
    assert [text[slice(*one.span)] for one in found] == ["４４７１", "https://a.example/?otp=4471"]
    assert [MASKS[one.kind] for one in found] == ["<one-time code>", "<one-time link>"]


@pytest.mark.parametrize("name", ["locomo/turns.jsonl", "ja-realpersonachat/utterances.jsonl"])
def test_talk_without_codes_stays_as_it_is(name: str) -> None:
    folder, file = name.split("/")
    for line in (outside(folder) / file).read_text(encoding="utf-8").splitlines():
        text = line.replace("<", "")
        assert mask_one_time(text) == text
