"""Whom texts name by themselves, for an author to take into the cast."""

from __future__ import annotations

import pytest

from kataribe.domain.story.inputs import Alias, Character, NameKind
from kataribe.domain.story.suggestion import suggest
from kataribe.domain.terms import Language

JA = (
    "老人は笑った。老人ホームの話である。娘さんは泣いた。孫娘さんの話だ。\n\n＊\n\n"
    "「やあ」と少佐は言った。少佐が黙った。佐藤少佐の帽子。娘さんが来た。老人も来た。\n"
    "「ザネリさん」と呼ぶ。ザネリは走った。アザネリは花だ。"
)
EN = (
    "The detective looked up. A detective-sergeant came. “No,” said the detective.\n\n* * *\n\n"
    "“Yes,” said Jim Hawkins. Jim nodded. Jimmy slept. “So,” said Jim. The Detective Review lay there."
)


def counts(text: str, language: Language) -> dict[str, int]:
    return {one.character.character_id: one.count for one in suggest({1: text}, language)}


def test_people_are_proposed_by_name_and_by_what_they_are_and_never_by_a_piece_of_a_word() -> None:
    assert counts(JA, "ja") == {"老人": 2, "娘さん": 2, "少佐": 2, "ザネリ": 2}
    assert counts(EN, "en") == {"detective": 2, "Jim Hawkins": 3}


@pytest.mark.parametrize(("text", "language", "who"), [(JA, "ja", "少佐"), (EN, "en", "Jim Hawkins")])
def test_a_proposal_says_where_somebody_is_named_first(text: str, language: Language, who: str) -> None:
    found = suggest({3: "", 5: text, 6: text}, language)
    one = next(one for one in found if one.character.character_id == who)
    assert (one.episode_no, one.scene) == (5, 2)
    assert who in one.quote
    assert one.quote in text


@pytest.mark.parametrize(("text", "language"), [(JA, "ja"), (EN, "en")])
def test_what_is_accepted_is_proposed_no_more(text: str, language: Language) -> None:
    cast = [one.character for one in suggest({1: text}, language)]
    assert suggest({1: text}, language, cast) == ()


def test_whom_the_cast_names_is_not_proposed() -> None:
    jim = Character(character_id="x", aliases=(Alias(text="James Jim Hawkins", kind=NameKind.NAME),))
    found = suggest({1: EN}, "en", [jim])
    assert [one.character.character_id for one in found] == ["detective"]
