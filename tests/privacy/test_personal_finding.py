"""What is personal in a text is found, and nothing that only looks like it.

`chosen` is what the patterns were written on. The lines of `kataribe bench privacy` are only counted:
nobody looks into them to mend a pattern.
"""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import outside
from kataribe.bench.privacy import ALL, BUNDLED, MarkedLine, figures, marked_lines
from kataribe.domain.privacy.find import find
from kataribe.domain.privacy.kinds import PersonalKind
from kataribe.domain.terms import LANGUAGES, Language
from support.effort import EFFORT

CHOSEN = marked_lines(Path(__file__).parent)
HELD_BACK = marked_lines(BUNDLED)
# fmt: off
UNITS = [
    "a", "1", "1 ", "1-", "一", "市", "市1-1", "東京都千代田区1-1", "a@", "@", "a.", "0 9 ", "090-",
    "+1 ", "one ", "ゼロ", "にさん", "1:", "a:", "1.1.", "http://a ", "://a:b@",
    "-----BEGIN PRIVATE KEY-----", "eyJaaaaaaaa-", "token=", "password is ", "code 1111 ",
    "code 1111 http://a/ ", "born on ", "生まれ1月", "記号1", "account ", "insurance number ", "10 A ",
    "10 Abc Def ", "P.O. Box 1", "gb82 ", "〒", "<email:", "<email:aaaaaaaaaa>", "\u200b", "ａ", "㍻",
    " ", "\n", " at ", "(at)", " dot ", "アット", "1,", "(0", "三丁目", "090-1234-5678 ",
    "http://a.b 090-1234-5678 ", "a@b.jp ", "田中", "e\u0301", "カﾞ",
]
# fmt: on
"""What a pattern could stumble over, again and again."""


def spans(text: str, language: Language) -> list[tuple[str, int, int]]:
    return [(one.kind.value, one.start, one.end) for one in find(text, language)]


@pytest.mark.parametrize("line", CHOSEN, ids=lambda line: line.text)
def test_personal_data_are_found_and_their_look_alikes_are_not(line: MarkedLine) -> None:
    assert spans(line.text, line.language) == list(line.marked)


@pytest.mark.parametrize("half", [CHOSEN, HELD_BACK], ids=["chosen", "held back"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_each_half_holds_at_least_sixty_of_each(half: tuple[MarkedLine, ...], language: Language) -> None:
    marked = [bool(line.marked) for line in half if line.language == language]
    assert min(marked.count(True), marked.count(False)) >= 60


@pytest.mark.parametrize("language", LANGUAGES)
def test_lines_that_were_held_back_are_read_as_well(language: Language) -> None:
    (whole,) = (one for one in figures(HELD_BACK) if (one.language, one.kind) == (language, ALL))
    assert whole.recall >= 0.98
    assert whole.precision >= 0.95


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_kind_but_names_stands_in_the_tables(language: Language) -> None:
    kinds = {kind for line in CHOSEN for kind, *_ in line.marked if line.language == language}
    assert kinds <= set(PersonalKind)
    spoken = {"ssn"} if language == "en" else {"mynumber"}
    assert set(PersonalKind) - {PersonalKind.NAME, PersonalKind.MY_NUMBER} <= kinds
    assert spoken <= kinds


REAL = [
    ("locomo", "turns.jsonl", "en"),
    ("ja-realpersonachat", "utterances.jsonl", "ja"),
    *((story, "episodes.jsonl", "ja") for story in ("ja-botchan", "ja-sanshiro", "ja-ginga-tetsudo")),
    *((story, "episodes.jsonl", "en") for story in ("en-jekyll-hyde", "en-treasure-island")),
]


@pytest.mark.parametrize(("folder", "file", "language"), REAL)
def test_talk_and_stories_without_personal_data_stay_as_they_are(
    folder: str, file: str, language: Language
) -> None:
    for line in (outside(folder) / file).read_text(encoding="utf-8").splitlines():
        text = json.loads(line).get("text") or ""
        assert spans(text, language) == [], text


@pytest.mark.parametrize(
    ("texts", "value"),
    [
        (
            ("090-1234-5678", "０９０１２３４５６７８", "〇九〇の一二三四の五六七八", "+81 90 1234 5678"),
            "+819012345678",
        ),
        (
            ("JANE@Example.com", "jane [at] example [dot] com", "ｊａｎｅ＠ｅｘａｍｐｌｅ．ｃｏｍ"),
            "jane@example.com",
        ),
        (("4111 1111 1111 1111", "４１１１－１１１１－１１１１－１１１１"), "4111111111111111"),
        (("東京都港区芝公園四丁目2番八号", "東京都港区芝公園4-2-8"), "東京都港区芝公園4-2-8"),
        (("生年月日は昭和55年12月1日", "生年月日は1980/12/01", "生年月日 S55.12.1"), "1980-12-01"),
        (("gb82 west 1234 5698 7654 32", "GB82WEST12345698765432"), "GB82WEST12345698765432"),
    ],
)
def test_a_value_is_the_same_however_it_is_written(texts: tuple[str, ...], value: str) -> None:
    assert {one.value for text in texts for one in find(text, "ja")} == {value}


def test_a_number_without_a_country_is_one_of_the_language() -> None:
    assert [one.value for one in find("03-1234-5678", "ja")] == ["+81312345678"]
    assert [one.value for one in find("020 7946 0958", "en")] == ["+442079460958"]


def test_check_digits_tell_a_number_from_its_look_alike() -> None:
    assert find("カード番号 4111 1111 1111 1112", "ja") == ()
    assert find("マイナンバーは123456789019", "ja") == ()
    assert find("IBAN DE89370400440532013001", "en") == ()
    assert find("routing number 021197346", "en") == ()
    assert find("NHS 229 697 3298", "en") == ()


def test_a_key_without_digits_is_a_key() -> None:
    for text in (
        "sk-" + "abcdefgh" * 4,
        "eyJhbGciOiJIUzIz.eyJzdWIiOiJh.abcdef".replace("z", "y"),
        "xoxb-" + "abcdef" * 3,
        "AKIA" + "ABCDEFGH" * 2,
    ):
        (one,) = find(text, "en")
        assert (one.kind, one.start, one.end) == (PersonalKind.SECRET, 0, len(text))


def test_characters_that_nobody_sees_hide_nothing() -> None:
    text = "jane\u200b@exam\u2060ple.com"
    (one,) = find(text, "en")
    assert (text[one.start : one.end], one.value) == (text, "jane@example.com")


def test_names_are_looked_for_only_when_that_is_asked() -> None:
    for text, language, name in (
        ("昨日は田中さんと会った", "ja", "田中"),
        ("I met Mr. Harker", "en", "Harker"),
        ("my sister Nora called", "en", "Nora"),
    ):
        assert find(text, language) == ()  # type: ignore[arg-type]
        (one,) = find(text, language, with_names=True)  # type: ignore[arg-type]
        assert (one.kind, text[one.start : one.end]) == (PersonalKind.NAME, name)


@given(
    parts=st.lists(st.tuples(st.sampled_from(UNITS), st.integers(1, 300)), max_size=4),
    language=st.sampled_from(LANGUAGES),
)
@settings(max_examples=25 * EFFORT, deadline=None)
def test_hostile_texts_are_read_to_their_end(parts: list[tuple[str, int]], language: Language) -> None:
    text = "".join(unit * count for unit, count in parts)
    found = find(text, language, with_names=True)
    assert all(0 <= one.start < one.end <= len(text) for one in found)
    assert all(one.end <= other.start for one, other in pairwise(found))


@pytest.mark.slow
def test_a_million_characters_are_read_to_their_end() -> None:
    each = 1_000_000 // len(UNITS)
    text = "\n".join((unit * each)[:each] for unit in UNITS)
    assert find(text, "ja", with_names=True)
