# ruff: noqa: E501 - tables of sentences
"""The planner by rule, in tables: what is small talk, which words tell, what a question is after."""

from __future__ import annotations

import asyncio
import time
import unicodedata

import hypothesis.strategies as st
import pytest
from hypothesis import given

from kataribe.adapters.rules import RulesPlanner
from kataribe.adapters.rules.keywords import MAX_KEYWORD, keywords
from kataribe.adapters.rules.planner import detect, synonyms
from kataribe.adapters.rules.smalltalk import is_small_talk
from kataribe.adapters.rules.words import (
    COMMON_KANJI,
    COMMON_KATAKANA,
    COMMON_LATIN,
    NOT_NAMES,
    SYNONYMS,
)
from kataribe.domain.ids import normalise
from kataribe.domain.recall.planning import MAX_KEYWORDS, Intent, SearchPlan
from kataribe.ports import Planner
from kataribe.testing.planner import PlannerContract


class TestRulesPlanner(PlannerContract):
    @pytest.fixture
    def planner(self) -> Planner:
        return RulesPlanner()


def plan(question: str) -> SearchPlan:
    return asyncio.run(RulesPlanner().plan(question, language="ja"))


# -- small talk ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        "こんにちは", "おはよう！", "おはようございます〜😊", "こんばんは。", "はじめまして", "ただいまー！", "おかえりなさい",
        "ありがとう", "ありがとうございました！！", "どうもありがとう", "ｻﾝｷｭｰ", "助かりました。ありがとう",
        "了解です", "はい、わかりました。", "うん、そうだね", "なるほど…", "OKです", "ＯＫ", "いいね！", "大丈夫です",
        "おやすみ", "じゃあまた明日ね！", "バイバイ", "お疲れ様でした", "今日もお疲れさまでした！", "では、また",
        "ｗｗｗ", "ありがとうwww", "あはは", "ははははは", "ふふ", "(笑)", "爆笑", "ごめんね", "すみません",
        "お元気ですか？", "よろしくお願いします", "😊👍", "！？", "...",
        "hi", "Hello!", "hey there", "Good morning!", "thanks", "Thank you so much!!", "thx :)", "ok", "Okay, got it.",
        "Sure, no problem", "I see.", "yes", "yeah, right", "bye!", "See you tomorrow", "Good night, sleep well",
        "lol", "hahaha", "Haha, nice!", "How are you?", "What’s up?", "How's it going?", "sorry", "you're welcome",
    ],
)  # fmt: skip
def test_nothing_but_small_talk_is_skipped(words: str) -> None:
    assert is_small_talk(words)
    assert not plan(words).needed


@pytest.mark.parametrize(
    "words",
    [
        "ありがとう！ところで灯台の鍵は？", "おはよう、昨日の話の続きをして", "こんにちは、ミナは元気？", "了解、じゃあ次の予定は？",
        "はい、灯台です", "ありがとうと言ったのは誰？", "おやすみの前に読んだ本は？", "ごめん、いつだっけ？", "それで？",
        "灯台", "ミナ", "鍵", "なぜ笑ったの？", "笑ったのは誰", "またミナに会った？",
        "Thanks! When did she leave?", "OK so who broke it?", "hello kitty", "Hi, where is the key?", "okay computer",
        "Good morning was the name of the boat?", "Did he say thanks?", "ok 42", "How are you related to Ann?",
        "bye bye birdie was which play?", "lamp", "Sorry, what was his name?",
    ],
)  # fmt: skip
def test_what_says_more_is_not_skipped(words: str) -> None:
    assert not is_small_talk(words)
    assert plan(words).needed


# -- distinctive words -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("ジョバンニは銀河鉄道で何を見た？", ("ジョバンニ", "銀河鉄道")),
        ("「ほんとうのさいわい」とは誰の言葉？", ("ほんとうのさいわい",)),
        ("『坊っちゃん』で赤シャツは何をした？", ("坊っちゃん", "シャツ")),
        ("氷室さんは昨日どこへ行ったの？", ("氷室",)),
        ("昨日田中先生が話したことは？", ("田中",)),
        ("樹くんと澪ちゃんの関係は？", ("樹", "澪")),
        ("ヘンリー・ジキルの遺言は？", ("ヘンリー・ジキル", "遺言")),
        ("最近一番嬉しかったことは？", ()),
        ("お母さんは元気？", ()),
        ("昨日話した映画のタイトルは？", ()),
        ("旦那様の仕様書はどこ", ("仕様書",)),
        ("東京湾に行った時の写真", ("東京湾",)),
        ("大学生活はどうだった？", ()),
        ("Docker Composeの設定でエラーが出た", ("Docker Compose",)),
        ("pythonのバージョンは？", ("python",)),
        ("GPT-4を使った実装", ("GPT-4", "実装")),
        ("2023年5月7日に何をした？", ("2023年5月7日",)),
        ("90円の切符を買ったのは？", ("切符", "90円")),
        ("ﾐﾅの灯台", ("ミナ", "灯台")),
        ("いつも何してる？", ()),
        ("What did Mr. Hyde do with the cheque for 90 pounds?", ("Hyde", "90 pounds")),
        ("When did Caroline go to the LGBTQ support group?", ("Caroline", "LGBTQ")),
        ("Does Dr. Lanyon know about the New York trip?", ("Lanyon", "New York")),
        ("Jekyll's will says what?", ("Jekyll",)),
        ("What is the capital?", ()),
        ("Where did you go last Monday?", ()),
        ('Who said "the key is under the stone"?', ("the key is under the stone",)),
        ("Who said “I am Hyde”?", ("I am Hyde",)),
        ("What did she do on 7 May 2023?", ("7 May 2023",)),
        ("What did I do on April 30th? And on the 1st of May?", ("April 30th", "1st of May")),
        ("4月27日に泳いだ場所", ("4月27日",)),
        ("你给我推荐过哪一部电影", ()),
        ("which iPhone did he buy?", ("iPhone",)),
        ("IS THE KEY UNDER THE STONE?", ()),
        ("He met Gabriel John Utterson in Soho.", ("Gabriel John Utterson", "Soho")),
        ("Ask Ann. Ben knows, and Cleo, and Dora.", ("Ann", "Cleo", "Dora")),
        ("", ()),
    ],
)  # fmt: skip
def test_distinctive_words(question: str, wanted: tuple[str, ...]) -> None:
    assert keywords(question) == wanted


def test_there_are_three_at_most_and_what_tells_most_goes_first() -> None:
    found = keywords("東京湾で「赤い小舟」に乗ったミナとハルトと氷室さん")
    assert found == ("赤い小舟", "氷室", "ミナ")
    assert len(found) == MAX_KEYWORDS


PIECES = st.sampled_from(
    [
        *sorted(COMMON_KANJI)[::7],
        *sorted(COMMON_KATAKANA)[::5],
        *sorted(COMMON_LATIN)[::5],
        "は",
        "の",
        "を",
        "、",
        " ",
        "？",
    ]
)


@given(st.lists(PIECES, max_size=12).map("".join))
def test_common_words_are_never_among_them(question: str) -> None:
    for word in keywords(question):
        assert word not in COMMON_KANJI | COMMON_KATAKANA | NOT_NAMES
        assert word.casefold() not in COMMON_LATIN


@given(
    st.text(max_size=60)
    | st.lists(st.sampled_from("「」『』\"“”さん樹ミナAb '.0９年・ー"), max_size=60).map("".join)
)
def test_whatever_is_asked_stays_within_bounds(question: str) -> None:
    made = plan(question)
    folded = normalise(question)
    assert len(made.keywords) <= MAX_KEYWORDS
    for word in made.keywords:
        assert word.strip()
        assert len(word) <= MAX_KEYWORD
        assert word in folded, "no word is made up"
    assert made == plan(unicodedata.normalize("NFKC", question)), "width does not matter"


@pytest.mark.parametrize(
    "part",
    ["あ", "は", "お", "w", "A ", "Ab ", "Mr. ", "昨日", "漢", "アー", "「", '"', "1", "1.", "1,", "いつ", "ha", "ありがとう", "樹さん", "'s"],
)  # fmt: skip
def test_a_long_question_takes_no_long_time(part: str) -> None:
    begun = time.process_time()
    plan(part * (200_000 // len(part)))
    assert time.process_time() - begun < 3, "a quadratic search would take minutes"


# -- intent ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "intent"),
    [
        ("ミナはどんな気持ちだった？", Intent.EMOTIONAL),
        ("最近一番嬉しかったことは？", Intent.EMOTIONAL),
        ("なぜ彼は泣いたの？", Intent.EMOTIONAL),
        ("何が怖いの？", Intent.EMOTIONAL),
        ("How did Melanie feel after the race?", Intent.EMOTIONAL),
        ("What makes Ann happy?", Intent.EMOTIONAL),
        ("Why is he afraid of the dark?", Intent.EMOTIONAL),
        ("どのバージョンを使ってる？", Intent.TECHNICAL),
        ("インストールでエラーが出た", Intent.TECHNICAL),
        ("Which API version fixed the error?", Intent.TECHNICAL),
        ("how do I configure it", Intent.TECHNICAL),
        ("最後に会ったのはいつ？", Intent.TEMPORAL),
        ("昨日は何をした？", Intent.TEMPORAL),
        ("2023年5月に何があった？", Intent.TEMPORAL),
        ("When did Caroline go to the group?", Intent.TEMPORAL),
        ("What did they do last week?", Intent.TEMPORAL),
        ("What happened on 7 May 2023?", Intent.TEMPORAL),
        ("ミナの友達は？", Intent.RELATIONAL),
        ("誰と旅行した？", Intent.RELATIONAL),
        ("Who is Utterson's friend?", Intent.RELATIONAL),
        ("What is the relationship between Ann and Ben?", Intent.RELATIONAL),
    ],
)
def test_cues_tell_what_a_question_is_after(question: str, intent: Intent) -> None:
    assert detect(question) is intent
    made = plan(question)
    assert (made.intent, made.detected) == (intent, True)


@pytest.mark.parametrize(
    "question",
    ["灯台の鍵の色は？", "いつも何を食べる？", "いつの間にか消えた物", "What is the capital?", "Where is the stone?", "codex", "鍵"],
)  # fmt: skip
def test_without_a_cue_it_falls_back_and_says_so(question: str) -> None:
    assert detect(question) is None
    made = plan(question)
    assert (made.intent, made.detected) == (Intent.FACTUAL, False)


# -- synonyms --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("母は何をしていた？", ("母親", "お母さん")),
        ("父親の職業は？", ("父", "お父さん")),
        ("母校はどこ？", ()),
        ("What did his MOM say?", ("mum", "mother")),
        ("the movie", ("film",)),
        ("the filmmaker", ()),
        ("灯台", ()),
    ],
)
def test_terms_come_out_of_a_table_only(question: str, wanted: tuple[str, ...]) -> None:
    assert set(synonyms(question)) == set(wanted)
    assert plan(question).terms == synonyms(question)


def test_a_word_is_in_one_group_of_synonyms_only() -> None:
    words = [word for group in SYNONYMS for word in group]
    assert len(words) == len(set(words))
    assert all(word == normalise(word).casefold() for word in words)
