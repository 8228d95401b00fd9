from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kataribe.domain.terms import Language
from kataribe.domain.text.paragraphs import brackets, given_paragraphs, is_scene_break, paragraphs, sentences
from kataribe.errors import InputError

PROSE = st.text(alphabet=list("澪樹はがと。、！？「」『』（）“”‘’\"'.!?…—* \n\r　aBcI12Mr"), max_size=120)


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in paragraphs(text)]


def split(text: str, language: Language = "ja") -> list[str]:
    return [text[start:end] for start, end in sentences(text, 0, len(text), language)]


def test_every_line_is_a_paragraph() -> None:
    assert cut("　澪は来た。\r\n\r\n「やあ」\n樹が笑った\n") == ["澪は来た。", "「やあ」", "樹が笑った"]


def test_hard_wrapped_lines_are_joined() -> None:
    text = "It was a dark\nand stormy night,\nand Mio ran.\nShe fell.\n\nThe end"
    assert cut(text) == ["It was a dark\nand stormy night,\nand Mio ran.", "She fell.", "The end"]


@pytest.mark.parametrize(
    "text",
    [
        "CHAPTER ONE\nIt was dark.",
        "The Story of the Door\nMr. Utterson was there.",
        "# Night\nIt was dark.",
        "He stopped\n* * *\nshe went on.",
        "He stopped\n[[known-by: mio]]",
        "Mio: come here\nItsuki: no way",
        "to buy\n- milk\n- eggs",
        "“Go,” he said”\nand left.",
        "澪は\nmio",
    ],
)
def test_lines_that_stand_alone_are_not_joined(text: str) -> None:
    assert cut(text) == text.split("\n")


def test_a_blank_line_parts_what_would_join() -> None:
    assert cut("It was a dark\n\nand stormy night.") == ["It was a dark", "and stormy night."]


@given(st.text(alphabet=list("aB澪。. \n\r\t　*#"), max_size=80))
@settings(deadline=None)
def test_paragraphs_hold_all_but_blanks(text: str) -> None:
    spans = paragraphs(text)
    assert all(text[start:end] == text[start:end].strip() != "" for start, end in spans)
    assert spans == tuple(sorted(spans))
    assert "".join("".join(text[start:end].split()) for start, end in spans) == "".join(text.split())


def test_given_paragraphs_are_found_one_after_another() -> None:
    text = "　うん。\n澪は言った。\nうん。\n"
    assert given_paragraphs(text, ["　うん。", "澪は言った。", "うん。"]) == ((1, 4), (5, 11), (12, 15))


@pytest.mark.parametrize(("texts", "named"), [(["b", "a"], "paragraph 2"), (["x"], "'x'"), ([" "], "empty")])
def test_a_given_paragraph_that_is_not_there_is_named(texts: list[str], named: str) -> None:
    with pytest.raises(InputError, match=named):
        given_paragraphs("a\nb\n", texts)


@pytest.mark.parametrize(
    "line", ["＊", "* * *", "***", "◇", "◆", "---", "＊＊＊", "☆", "§", "#", "　◇　◇　", "―――――", "- * -"]
)
def test_scene_breaks(line: str) -> None:
    assert is_scene_break(line)


@pytest.mark.parametrize(
    "line", ["", " ", "――", "……", "澪", "# Night", "*a*", "「」", "1", "-", "。", "*" * 100]
)
def test_what_is_no_scene_break(line: str) -> None:
    assert not is_scene_break(line)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("澪は来た。樹は去った。", ["澪は来た。", "樹は去った。"]),
        ("「やあ。元気？」澪は笑った。", ["「やあ。元気？」", "澪は笑った。"]),
        ("「やあ。元気？」と澪は言った。樹は黙った。", ["「やあ。元気？」と澪は言った。", "樹は黙った。"]),
        ("「行くよ。」って言った。", ["「行くよ。」って言った。"]),
        ("「行くよ。」ところが樹は動かない。", ["「行くよ。」", "ところが樹は動かない。"]),
        ("「行くよ。」もう遅い。", ["「行くよ。」", "もう遅い。"]),
        ("澪は「行くよ。ほら。」と言った。", ["澪は「行くよ。ほら。」と言った。"]),
        ("澪は言った。「行くよ。」そして出た。", ["澪は言った。", "「行くよ。」", "そして出た。"]),
        ("「やあ」「うん」", ["「やあ」", "「うん」"]),
        ("澪は（どうしよう。困った。）と思った。", ["澪は（どうしよう。困った。）と思った。"]),
        ("「『来い。』と樹が言った。」澪は泣いた。", ["「『来い。』と樹が言った。」", "澪は泣いた。"]),
        ("やった！と澪は叫んだ。", ["やった！と澪は叫んだ。"]),
        ("やった！　澪は叫んだ。", ["やった！", "澪は叫んだ。"]),
        ("澪は……黙った。", ["澪は……黙った。"]),
        ("本当！？嘘だ。", ["本当！？", "嘘だ。"]),
        ("一行目\n二行目", ["一行目", "二行目"]),
        ("「鍵をなくした。澪は走った。樹も走った。", ["「鍵をなくした。", "澪は走った。", "樹も走った。"]),
        ("鍵だ。」澪は走った。", ["鍵だ。」", "澪は走った。"]),
        ("円周率は3.14だ。次。", ["円周率は3.14だ。", "次。"]),
    ],
)
def test_sentences_in_japanese(text: str, expected: list[str]) -> None:
    assert split(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mio ran. Itsuki sat.", ["Mio ran.", "Itsuki sat."]),
        ("Mr. Hyde met Dr. Jekyll at St. Paul. He ran.", ["Mr. Hyde met Dr. Jekyll at St. Paul.", "He ran."]),
        (
            "See J. R. R. Tolkien, e.g. No. 5 of it. Done.",
            ["See J. R. R. Tolkien, e.g. No. 5 of it.", "Done."],
        ),
        ("Pi is 3.14 or so. Yes.", ["Pi is 3.14 or so.", "Yes."]),
        ("He said no. Then he left.", ["He said no.", "Then he left."]),
        ("Nor did I. She left.", ["Nor did I.", "She left."]),
        ("Bread, etc. and milk, etc. Then tea.", ["Bread, etc. and milk, etc.", "Then tea."]),
        ("At 5 p.m. she came. So?", ["At 5 p.m. she came.", "So?"]),
        ("Well... he left. I... I stay.", ["Well... he left.", "I... I stay."]),
        ("“Stop! Now.” She ran.", ["“Stop! Now.”", "She ran."]),
        ("“Stop! Now!” said Mio. She ran.", ["“Stop! Now!” said Mio.", "She ran."]),
        ("“Yes,” said Mio, “no. Go.” He went.", ["“Yes,” said Mio, “no. Go.”", "He went."]),
        ('"Who is it?" Mio asked. "Me."', ['"Who is it?"', "Mio asked.", '"Me."']),
        ("‘I can’t. Go,’ said Mio. He went.", ["‘I can’t. Go,’ said Mio.", "He went."]),
        ("'I must go. Now,' she thought. He sat.", ["'I must go. Now,' she thought.", "He sat."]),
        ("It (so he said. Twice.) was late. Then.", ["It (so he said. Twice.) was late.", "Then."]),
        ("“It is open. Mio ran. He ran.", ["“It is open.", "Mio ran.", "He ran."]),
        ("the dogs’ tails. the cats’ ears. “ok", ["the dogs’ tails.", "the cats’ ears.", "“ok"]),
        ("It was a dark\nand stormy night. Rain fell.", ["It was a dark\nand stormy night.", "Rain fell."]),
        ("all is small here. nothing is tall.", ["all is small here.", "nothing is tall."]),
        ("What?! No. (Maybe.) Yes.", ["What?!", "No.", "(Maybe.)", "Yes."]),
    ],
)
def test_sentences_in_english(text: str, expected: list[str]) -> None:
    assert split(text, "en") == expected


def test_only_the_span_asked_for_is_cut() -> None:
    text = "前。澪は来た。後。"
    assert sentences(text, 2, 7, "ja") == ((2, 7),)


def test_a_very_long_sentence_is_kept() -> None:
    text = "「" + "長い話。" * 1000 + "」と澪は言った。"
    assert split(text) == [text]


def test_nested_brackets_are_one() -> None:
    text = "a (b (c) d) 「e『f』」)"
    assert [text[start:end] for start, end in brackets(text, 0, len(text))] == ["(b (c) d)", "「e『f』」"]


@given(PROSE, st.sampled_from(["ja", "en"]))
@settings(deadline=None, max_examples=300)
def test_sentences_and_blanks_make_up_the_paragraph(text: str, language: Language) -> None:
    spans = sentences(text, 0, len(text), language)
    at = 0
    for start, end in spans:
        assert not text[at:start].strip()
        assert text[start:end] == text[start:end].strip() != ""
        at = end
    assert not text[at:].strip()


@given(PROSE)
@settings(deadline=None)
def test_brackets_are_balanced_and_apart(text: str) -> None:
    at = 0
    for start, end in brackets(text, 0, len(text)):
        assert at <= start < end <= len(text)
        at = end
