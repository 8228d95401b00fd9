"""Which sentences ask, which are speech, and how sentences are written together."""

from __future__ import annotations

import pytest

from kataribe.domain.around import StorySentence, around, is_asked, is_speech, joined


def sentence(text: str, start: int = 0, *, end: int | None = None, holder: str = "world") -> StorySentence:
    stop = start + len(text) if end is None else end
    return StorySentence("story:s", holder, 1, "ep-1", f"f{start}", start, stop, text)


@pytest.mark.parametrize(
    "text",
    [
        "“Where is it?” asked Ben.",
        '"Where is it?"',
        "“I know. But where?!”",
        "‘Where?’ said she.",
        "「どこ？」",
        "「鍵はどこですか」とベンは尋ねた。",
        "「誰が水車を止めたんだ」と純は言った。",
        "『行くのかい。』",
    ],
)
def test_who_asks_in_quotes_asks(text: str) -> None:
    assert is_asked(text)
    assert is_speech(text)


@pytest.mark.parametrize(
    "text",
    [
        "Where could it be?",
        "“Under the stone,” said Ann.",
        "Ben's lamp was Ann's.",
        "どこにあるのだろう。",
        "「石の下だ」",
        "「いつも何か隠している」",
        "「どうぞ」",
        "雨が降っていた。",
    ],
)
def test_what_only_tells_or_wonders_asks_nobody(text: str) -> None:
    assert not is_asked(text)


def test_sentences_are_joined_by_their_own_signs_alone() -> None:
    def told(*texts: str) -> str:
        return joined([sentence(text, at * 100) for at, text in enumerate(texts)])

    assert told("One.", "Two.") == "One. Two."
    assert told("“Yes.”", "“No.”") == "“Yes.” “No.”"
    assert told("雨だ。", "「そうか」", "行こう！") == "雨だ。「そうか」行こう！"
    assert told("春はあけぼの", "やうやう白く") == "春はあけぼの やうやう白く"
    assert told("「Yes.」", "No.") == "「Yes.」 No."
    assert told("") == told() == ""


def test_no_words_stand_there_twice() -> None:
    own = sentence("The key is here.", 20, end=40)
    found = [
        sentence("All of it.", 0, end=50),
        sentence("Before.", 0, end=10),
        sentence("Before.", 0, end=10, holder="ann"),
        sentence("Within.", 25, end=30),
        sentence("After and more.", 45, end=70),
        sentence("More.", 60, end=70),
    ]
    assert [one.text for one in around(own, found, [0])] == ["Before.", "The key is here.", "After and more."]
    assert around(own, [], []) == (own,)
