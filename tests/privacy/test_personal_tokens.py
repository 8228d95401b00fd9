"""Tokens stand for personal data: always the same ones, and the words come back."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kataribe.bench.privacy import marked_lines
from kataribe.domain.privacy import tokens
from kataribe.domain.privacy.find import find
from kataribe.domain.privacy.page import TOKEN
from kataribe.domain.privacy.tokens import TokenValue, restore, together, tokenise
from kataribe.domain.terms import LANGUAGES, Language
from kataribe.errors import ConflictError, InputError
from support.effort import EFFORT

KEY, OTHER = bytes(range(32)), bytes(range(1, 33))
LINES = marked_lines(Path(__file__).parent)
PIECES = st.one_of(
    st.sampled_from([line.text for line in LINES]),
    st.sampled_from(
        [
            "<email:aaaaaaaaaa>",
            "<phone:",
            "090-1234-5678",
            "code ",
            "4821",
            " ",
            "、",
            "\n",
            "の",
            "-",
            "\u0338",
            "゛",
        ]
    ),
    st.text(max_size=6),
)
TEXTS = st.lists(PIECES, max_size=6).map("".join)


@given(text=TEXTS, language=st.sampled_from(LANGUAGES))
@settings(max_examples=80 * EFFORT, deadline=None)
def test_words_come_back_and_tokenising_again_changes_nothing(text: str, language: Language) -> None:
    made = tokenise(text, language, KEY)
    assert made.restored() == text
    again = tokenise(made.text, language, KEY)
    assert (again.text, again.findings) == (made.text, ())


@given(text=TEXTS, language=st.sampled_from(LANGUAGES))
@settings(max_examples=40 * EFFORT, deadline=None)
def test_what_was_found_is_out_of_the_text(text: str, language: Language) -> None:
    made = tokenise(text, language, KEY)
    for one, words in zip(made.findings, made.written, strict=True):
        assert text[one.start : one.end] == words
    assert len(TOKEN.findall(made.text)) >= len(made.findings)


@pytest.mark.parametrize("line", LINES, ids=lambda line: line.text)
def test_no_marked_word_stays(line: object) -> None:
    made = tokenise(line.text, line.language, KEY)  # type: ignore[attr-defined]
    left = TOKEN.sub("", made.text)
    for words in made.written:
        assert len(words) < 6 or words not in left


def test_a_token_depends_on_the_key_the_kind_and_the_value_alone() -> None:
    lines = [line for line in LINES if line.marked]
    alone = {one: token for line in lines for one, token in _tokens(line.text, line.language, KEY)}
    shuffled = random.Random(3).sample(lines, len(lines))
    for line in shuffled:
        for one, token in _tokens(f"{line.text}\n\n{line.text}", line.language, KEY):
            assert alone[one] == token
        for one, token in _tokens(line.text, line.language, OTHER):
            assert alone[one] != token
    assert len(set(alone.values())) == len(alone)


def _tokens(text: str, language: Language, key: bytes) -> list[tuple[tuple[str, str], str]]:
    made = tokenise(text, language, key)
    return [
        ((one.kind.value, one.value), token) for one, token in zip(made.findings, made.tokens, strict=True)
    ]


def test_one_value_has_one_token_in_each_way_of_writing() -> None:
    made = tokenise("090-1234-5678、〇九〇の一二三四の五六七八", "ja", KEY)
    assert len(set(made.tokens)) == 1
    assert restore("電話は" + made.tokens[0], made.values) == "電話は090-1234-5678"
    assert made.restored() == "090-1234-5678、〇九〇の一二三四の五六七八"


def test_a_token_that_somebody_wrote_stays_and_is_nobodys_word() -> None:
    written = "<email:aaaaaaaaaa> and jane@example.com"
    made = tokenise(written, "en", KEY)
    assert made.text.startswith("<email:aaaaaaaaaa> and <email:")
    assert made.restored() == written
    assert restore(made.text, made.values) == written


@pytest.mark.parametrize(
    "text", ["<email:jane@example.com>", "<phone:0312345678>", "<email:short>", "<phone:2345672345>"]
)
def test_what_only_looks_like_a_token_hides_nothing(text: str) -> None:
    assert TOKEN.search(text) is None


def test_two_values_never_share_a_token_silently(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "token_of", lambda kind, value, key: f"<{kind}:aaaaaaaaaa>")
    with pytest.raises(ConflictError, match="two values have the token <email:aaaaaaaaaa>"):
        tokenise("a@example.com b@example.com", "en", KEY)
    one = tokenise("a@example.com", "en", KEY).values
    two = tokenise("b@example.com", "en", KEY).values
    with pytest.raises(ConflictError) as refused:
        together(one, two)
    assert "example.com" not in str(refused.value)
    assert together(one, one) == one


def test_words_that_are_known_first_stay() -> None:
    known = {"<email:aaaaaaaaaa>": TokenValue("a@example.com", "A@example.com")}
    more = {"<email:aaaaaaaaaa>": TokenValue("a@example.com", "a@example.com")}
    assert together(known, more) == known


def test_a_short_key_is_refused() -> None:
    with pytest.raises(InputError, match="at least 32 bytes"):
        tokenise("a@example.com", "en", b"short")


def test_half_a_character_is_no_reason_to_fail() -> None:
    made = tokenise("jane@example.com \ud800 パスワード: abc\ud800def12", "en", KEY)
    assert made.restored().startswith("jane@example.com \ud800")


def test_a_text_without_personal_data_is_the_same_text() -> None:
    text = "今日は寒い。It was cold today."
    assert tokenise(text, "ja", KEY).text is text
    assert find(text, "ja") == ()
