"""Half a year of talk in two languages: what must be in which tier on which date, written before the code."""

from __future__ import annotations

import pytest

from kataribe.domain.conversation.life.values import Life
from kataribe.domain.terms import LANGUAGES, Language
from support.life import Row, at, half_year, rows_of


@pytest.fixture(scope="module")
def lives() -> dict[Language, Life]:
    return {language: half_year(language).life() for language in LANGUAGES}


def expectations() -> list[tuple[Language, Row]]:
    return [(language, row) for language in LANGUAGES for row in rows_of(f"half_year_{language}_tiers.jsonl")]


def named(case: tuple[Language, Row]) -> str:
    language, row = case
    return f"{language}-{row['on'][:10]}-{row.get('turn') or row.get('asked') or row['text'][:20]}"


@pytest.mark.parametrize("case", expectations(), ids=named)
def test_on_each_date_each_memory_is_in_its_tier(
    case: tuple[Language, Row], lives: dict[Language, Life]
) -> None:
    language, row = case
    life, moment = lives[language], at(row["on"])
    if "turn" in row:
        fate = life.turns_at(moment).get(row["turn"])
        assert ("hot" if fate is None else fate.state) == row["state"]
    elif "asked" in row:
        assert [one.why for one in life.asked if one.turn_id == row["asked"]] == [row["reason"]]
    else:
        _holds(life, moment, row)


def _holds(life: Life, moment: int, row: Row) -> None:
    live = [one for one in life.memories_at(moment).values() if one.is_live]
    found = [one for one in live if one.text == row["text"]]
    if row["tier"] is None:
        assert found == []
        return
    assert len(found) == 1, [one.text for one in live]
    (one,) = found
    assert (one.tier, one.state) == (row["tier"], row["state"]), str(one.reason)
    assert one.kind == row.get("kind", one.kind)
    assert list(one.sources) == row.get("sources", list(one.sources))
