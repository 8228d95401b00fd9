"""Comparing what was said by its words, in Japanese and in English."""

from __future__ import annotations

import pytest

from kataribe.domain.conversation.life.words import (
    WordIndex,
    content_words,
    cut_at_sentence,
    folded,
    holds,
    same_words,
    topic_key,
)
from kataribe.domain.terms import Language


@pytest.mark.parametrize(
    ("text", "language", "words"),
    [
        ("what I said about my tattoo", "en", ("tattoo",)),
        ("I live in Osaka with my two cats", "en", ("live", "osaka", "two", "cat")),
        ("that it is not so any more", "en", ()),
        ("健二との喧嘩のこと", "ja", ("健二", "喧嘩")),
        ("タトゥーの話", "ja", ("タトゥー",)),
        ("りんごがすきなこと", "ja", ("りんご", "すき")),
        ("ＵＳＢを2本", "ja", ("usb", "2", "本")),
    ],
)
def test_content_words_say_what_a_text_is_about(
    text: str, language: Language, words: tuple[str, ...]
) -> None:
    assert content_words(text, language) == words


@pytest.mark.parametrize(
    ("text", "word", "language", "wanted"),
    [
        ("東京都に住む", "京都", "ja", False),
        ("東京都に住む", "東京", "ja", True),
        ("宇治抹茶が好き", "抹茶", "ja", True),
        ("京都と東京都", "京都", "ja", True),
        ("catalogを見た", "cat", "ja", False),
        ("catを見た", "cat", "ja", True),
        ("I saw cats", "cat", "en", True),
        ("I saw a catalog", "cat", "en", False),
    ],
)
def test_a_word_stands_by_itself(text: str, word: str, language: Language, wanted: bool) -> None:
    assert holds(folded(text, language), word, language) is wanted


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_index_finds_what_holds_every_word(language: Language) -> None:
    texts = {
        "en": ["I like red tea", "I like tea", "", "Red is fine", "tea, tea and red tea"],
        "ja": ["赤いお茶が好き", "お茶が好き", "", "赤が好き", "お茶とお茶と赤いお茶"],
    }[language]
    words = {"en": ("red", "tea"), "ja": ("赤", "茶")}[language]
    index = WordIndex(texts, language)
    assert index.holding(words, len(texts)) == [0, 4]
    assert index.holding(words, 4) == [0]
    assert index.holding(words[:1], 5) == [0, 3, 4]
    assert index.holding((), 5) == []


def test_the_same_words_are_the_same_however_they_are_written() -> None:
    assert same_words("I am learning the cello!") == same_words("i am learning the CELLO.")
    assert same_words("ＵＳＢ が要る。") == same_words("USBが要る！")
    assert same_words("お茶が好き") != same_words("お茶が嫌い")
    assert topic_key(" Ｔｅａ  time ") == topic_key("tea TIME")


def test_a_long_item_is_cut_where_a_sentence_ends() -> None:
    english = "First things first. " + "Then a long second sentence that does not fit. " * 9
    assert cut_at_sentence(english, 200).endswith("fit.")
    assert len(cut_at_sentence(english, 200)) <= 200
    japanese = "まず一つ目。" + "それから長い二つ目の文が続く。" * 20
    assert (
        cut_at_sentence(japanese, 40)
        == "まず一つ目。それから長い二つ目の文が続く。それから長い二つ目の文が続く。"
    )
    assert cut_at_sentence("one, two three four five", 12) == "one,"
    assert cut_at_sentence("あ" * 300, 200) == "あ" * 200
    assert cut_at_sentence("  short  ", 200) == "short"
