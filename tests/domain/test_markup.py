from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kataribe.domain.markup import plain, same_words


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("｜京都郡《みやこぐん》の三四郎《さんしろう》は", "京都郡の三四郎は"),
        ("|鏡花《きょうか》と澪《ミオ》", "鏡花と澪"),
        ("｜魔法使い（まほうつかい）が来た", "魔法使いが来た"),
        ("《《絶対に》》言わない", "絶対に言わない"),
        ("ひめいち［＃「ひめいち」に傍点］を送る", "ひめいちを送る"),
        ("［＃７字下げ］一［＃「一」は中見出し］", "一"),
        ("※［＃「彳＋低のつくり」、第3水準1-84-31］徊《ていかい》した", "彽徊した"),
        ("※［＃「けものへん」、U+72AC、12-3］がいる", "犬がいる"),
        ("<ruby>漢字<rp>(</rp><rt>かんじ</rt><rp>)</rp></ruby>だ", "漢字だ"),
        ("<ruby><rb>灯</rb><rt>ひ</rt></ruby><br/>消えた", "灯\n消えた"),
        ("これは**強調**で、*彼は*笑った。", "これは強調で、彼は笑った。"),
        ("*I must not tell.* She **ran** to _the door_.", "I must not tell. She ran to the door."),
        ("He said *“No.”* and ***left***.", "He said “No.” and left."),
        ("<em>Never</em>, she <b>said</b>", "Never, she said"),
        ("Dulcinée《ドゥルシネ》 came", "Dulcinée came"),
    ],
)
def test_readings_notes_and_emphasis_are_not_read(written: str, read: str) -> None:
    assert plain(written).text == read
    assert same_words(read, written)


@pytest.mark.parametrize(
    "text",
    [
        "《お前は誰だ》と声がした。",
        "スキル《火炎弾》を使う。",
        "彼女（たぶん）は来た。",
        "| 名前 | 説明（せつめい） |",
        "2*3*4 = 24, snake_case_name, (*_*)",
        "* * *",
        "* an item\n* another",
        "[[known-by: mio_k_, _ren]] あ",
        "a < b and b > c",
        "《",
        "｜",
    ],
)
def test_what_only_looks_like_markup_stays(text: str) -> None:
    assert plain(text).text == text
    assert plain(text).is_same or plain(text).text == text


def test_marks_that_tell_a_thought_can_be_kept() -> None:
    text = "*彼女は知らない。* *She must not know.* 鏡花《きょうか》"
    assert plain(text, emphasis=True).text == "*彼女は知らない。* *She must not know.* 鏡花"


def test_a_span_comes_back_with_the_markup_that_belongs_to_it() -> None:
    text = "　｜鏡花《きょうか》は**笑った**。※［＃「彳＋低のつくり」、第3水準1-84-31］徊《ていかい》"
    read = plain(text)

    def written(words: str) -> str:
        at = read.text.index(words)
        start, end = read.written(at, at + len(words))
        return text[start:end]

    assert written("鏡花") == "｜鏡花《きょうか》"
    assert written("笑った") == "**笑った**"
    assert written("笑った。") == "**笑った**。"
    assert written("彽徊") == text[text.index("※") :]
    assert written(read.text) == text


MARKS = "《かな》 《 》 ｜ 《《 》》 ［＃改ページ］ ※ * ** _ <b> </b> <ruby> <rt>か</rt> （かな） <br>"
PIECES = st.sampled_from(
    [*MARKS.split(), "［＃「鏡」に傍点］", "[[known-by: a]]", "鏡", "花", "a", " ", "。", "\n"]
)


@given(st.lists(PIECES, max_size=30).map("".join), st.booleans())
def test_every_character_has_its_place_in_order(text: str, emphasis: bool) -> None:
    read = plain(text, emphasis=emphasis)
    spans = [read.written(at, at + 1) for at in range(len(read.text))]
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(before[0] <= after[0] and before[1] <= after[1] for before, after in itertools.pairwise(spans))
    for at, (start, end) in enumerate(spans):
        assert read.text[at] in text[start:end] or "<br" in text[start:end] or "※" in text[start:end]
    if read.text:
        assert read.read(0, len(text)) == (0, len(read.text))
