from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kataribe.domain.text.chunk import chunk
from kataribe.errors import InputError


def cut(text: str, size: int, overlap: int = 0) -> list[str]:
    return [text[start:end] for start, end in chunk(text, size=size, overlap=overlap)]


def test_a_short_text_is_one_chunk() -> None:
    assert cut("　澪は来た。\n", 300, 50) == ["澪は来た。"]
    assert chunk("") == chunk(" \n") == ()


def test_paragraphs_come_first() -> None:
    assert cut("澪は来た。樹は去った。\n雨が降った。", 14) == ["澪は来た。樹は去った。", "雨が降った。"]


def test_then_sentences() -> None:
    assert cut("澪は来た。樹は去った。雨が降った。", 12) == ["澪は来た。樹は去った。", "雨が降った。"]


def test_then_clauses_and_spaces() -> None:
    assert cut("澪は森へ行き、樹は海へ行った", 8) == ["澪は森へ行き、", "樹は海へ行った"]
    assert cut("one two three four", 9) == ["one two", "three", "four"]


def test_then_anywhere_but_not_inside_a_letter() -> None:
    assert cut("a" * 10, 4) == ["aaaa", "aaaa", "aa"]
    assert cut("xxxe\u0301yyyy", 4) == ["xxx", "e\u0301yy", "yy"]


def test_dialogue_is_kept_whole_where_it_fits() -> None:
    text = "澪は静かに「行こう。もう遅い。雨だ。」と言った。"
    assert any("「行こう。もう遅い。雨だ。」" in piece for piece in cut(text, 18))


def test_a_speech_too_long_is_cut_at_its_sentences() -> None:
    text = "「一つ目の話。二つ目の話。三つ目の話。」"
    assert cut(text, 14) == ["「一つ目の話。二つ目の話。", "三つ目の話。」"]


def test_an_overlap_begins_at_a_sentence() -> None:
    text = "Mio ran home. Rain fell. Itsuki slept. The bell rang. All was dark."
    assert cut(text, 40, 15) == [
        "Mio ran home. Rain fell. Itsuki slept.",
        "Itsuki slept. The bell rang.",
        "The bell rang. All was dark.",
    ]


@pytest.mark.parametrize(("size", "overlap"), [(0, 0), (-1, 0), (10, 10), (10, 11), (10, -1)])
def test_nonsense_is_refused(size: int, overlap: int) -> None:
    with pytest.raises(InputError):
        chunk("text", size=size, overlap=overlap)


@given(
    st.text(alphabet=list("澪樹は、。「」『』“”\"' .,!?\n　abcé\u0301"), max_size=200),
    st.integers(1, 40),
    st.integers(0, 39),
)
@settings(deadline=None, max_examples=400)
def test_chunks_cover_the_text_within_their_limits(text: str, size: int, overlap: int) -> None:
    overlap = min(overlap, size - 1)
    spans = chunk(text, size=size, overlap=overlap)
    assert all(0 < end - start <= size for start, end in spans)
    assert all(text[start:end] == text[start:end].strip() for start, end in spans)
    covered = {at for start, end in spans for at in range(start, end)}
    assert all(at in covered or char.isspace() for at, char in enumerate(text))
    for (left, left_end), (right, right_end) in pairwise(spans):
        assert left < right
        assert left_end < right_end
        assert left_end - right <= overlap


def test_where_japanese_has_no_boundary_it_is_cut_before_a_word() -> None:
    assert cut("山路を登りながらこう考えた智に働けば角が立つ", 12) == [
        "山路を登りながらこう",
        "考えた智に働けば角が立つ",
    ]
    assert cut("カムパネルラとジョバンニはケンタウル祭へ", 12) == [
        "カムパネルラと",
        "ジョバンニはケンタウル",
        "祭へ",
    ]


@pytest.mark.parametrize(
    "word", ["銀河鉄道《ぎんがてつどう》", "｜Galaxy《ぎんが》", "か\u3099", "👩‍👩‍👧", "髙\U000e0100"]
)
def test_what_is_one_word_or_one_letter_is_never_cut(word: str) -> None:
    for before in range(30):
        pieces = cut("あ" * before + word + "乙" * 40, 24)
        assert any(word in piece for piece in pieces), (before, pieces)
