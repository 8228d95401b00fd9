from __future__ import annotations

import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kataribe.domain.terms import Language
from kataribe.domain.text.tokens import JAPANESE_STOP_BIGRAMS, sought, tokens, whole_words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("銀の鍵", ("銀の", "の鍵", "銀", "鍵")),
        ("母", ("母",)),
        ("ミオ", ("ミオ", "~ミオ")),
        ("ﾐｵ", ("ミオ", "~ミオ")),
        ("です", ()),
        ("鍵です", ("鍵で", "鍵")),
        ("GPSの地図", ("gps", "の地", "地図", "地", "図")),
        ("１２時", ("12", "時")),
        ("、。！", ()),
        ("", ()),
    ],
)
def test_japanese(text: str, expected: tuple[str, ...]) -> None:
    assert tokens(text, "ja") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mio was running", ("mio", "run")),
        ("Mio’s keys", ("mio", "key")),
        ("It's the will", ("will",)),
        ("ＭＩＯ", ("mio",)),
        ("澪の key", ("澪の", "澪", "key")),
        ("No. 42!", ("no", "42")),
        ("snake_case", ("snake", "case")),
    ],
)
def test_english(text: str, expected: tuple[str, ...]) -> None:
    assert tokens(text, "en") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("привет мир", ("привет", "мир")),
        ("한국 사람", ("한국", "사람")),
        ("सत्य", ("सत्य",)),
        ("ไทย", ("ไท", "ทย")),
        ("café", ("café",)),
    ],
)
def test_other_scripts(text: str, expected: tuple[str, ...]) -> None:
    assert tokens(text, "ja") == expected


def test_a_one_character_name_is_found_inside_a_sentence() -> None:
    assert set(tokens("母", "ja")) <= set(tokens("ジョバンニの母は寝ていた。", "ja"))


def found_by(question: str, text: str, language: Language = "ja") -> set[str]:
    return set(sought(question, language)) & set(tokens(text, language))


@pytest.mark.parametrize(
    ("one", "other"),
    [("ペット", "チケット"), ("ロケット", "チケット"), ("ラス", "ガラス"), ("マイク", "アイクル")],
)
def test_a_word_of_katakana_is_no_piece_of_another(one: str, other: str) -> None:
    assert not found_by(f"{one}は？", f"{other}を買った")
    assert not found_by(f"{other}は？", f"{one}を買った")


@pytest.mark.parametrize(("text", "question"), [("catを飼う", "concatenate"), ("concatenate", "cat")])
@pytest.mark.parametrize("language", ["ja", "en"])
def test_a_latin_word_is_no_piece_of_another(text: str, question: str, language: Language) -> None:
    assert not found_by(question, text, language)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("ペット", "ﾍﾟｯﾄと暮らす"),
        ("ＣＡＴ", "catと暮らす"),
        ("サーバ", "サーバーが落ちた"),
        ("バイオリン", "ヴァイオリンを弾く"),
        ("コーヒー", "コーヒーカップを割った"),
        ("カップ", "コーヒーカップを割った"),
        ("コーヒーカップ", "コーヒーを飲む"),
        ("ロボット", "ワタシハロボットデスヨロシクオネガイシマス"),
        ("iPhone", "iPhone15を落とした"),
        ("iPhone15", "iPhone 15を落とした"),
    ],
)
def test_a_word_is_found_in_other_spellings_and_as_a_part(question: str, text: str) -> None:
    assert found_by(question, text)


@pytest.mark.parametrize(("word", "compound"), [("コーヒー", "コーヒーカップ"), ("ペット", "スーパーペット")])
def test_a_word_is_found_by_all_that_its_compound_is_found_by_and_more(word: str, compound: str) -> None:
    assert set() < found_by(word, compound) < found_by(word, word)


def test_only_whole_words_are_shown() -> None:
    assert whole_words(sought("ペットのネコ", "ja")) == ("ペット", "ネコ")


def test_repeats_are_kept() -> None:
    assert tokens("key key", "en") == ("key", "key")


@given(st.text(max_size=60), st.sampled_from(["ja", "en"]))
@settings(deadline=None, max_examples=300)
def test_tokens_are_the_same_each_time_and_hold_no_blanks(text: str, language: Language) -> None:
    found = tokens(text, language)
    assert found == tokens(text, language)
    assert all(token and not any(char.isspace() for char in token) for token in found)
    assert not JAPANESE_STOP_BIGRAMS & set(found)


@given(st.text(alphabet="あいうアイ漢字母鍵abc123 ", max_size=40), st.sampled_from(["ja", "en"]))
@settings(deadline=None)
def test_a_part_between_blanks_brings_its_own_tokens(text: str, language: Language) -> None:
    assert sorted(tokens(text, language)) == sorted(
        token for part in text.split() for token in tokens(part, language)
    )


def test_threads_do_not_mix_up_stems() -> None:
    words = [f"running{'s' * (n % 7)}ly{n}ing" for n in range(2000)]
    alone = [tokens(word, "en") for word in words]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda word: tokens(word, "en"), words)) == alone


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "mill water stone river " * 9000),
        ("ja", "水車小屋の石の下に鍵がある" * 9000),
        ("ja", "スイシャゴヤノイシノシタ" * 9000),
    ],
)
def test_a_sentence_of_any_length_takes_a_few_times_its_size(language: Language, text: str) -> None:
    short = tokens(text[: 3 * len(text) // 9000], language)
    tracemalloc.start()
    found = tokens(text, language)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10 * len(text.encode())
    assert set(found) == set(short), "a long run is cut as a short one is"


@pytest.mark.parametrize("language", ["en", "ja"])
@given(text=st.text(alphabet="aB9'_-. \n~", max_size=30))
def test_words_of_plain_letters_are_found_as_those_beside_other_scripts(
    text: str, language: Language
) -> None:
    # The full stop is no word, and makes the text one that is not of plain letters alone.
    assert tokens(text, language) == tokens(f"{text}。", language)


@pytest.mark.parametrize(("text", "language"), [("keys and keys", "en"), ("鍵と鍵", "ja"), ("GPS GPS", "ja")])
def test_equal_words_are_one_object(text: str, language: Language) -> None:
    found = tokens(text, language) + tokens(f"{text} ", language)
    assert len({id(word) for word in found}) == len(set(found))


@pytest.mark.parametrize("length", [2, 63, 64, 65, 300])
def test_a_run_without_spaces_is_cut_the_same_way_however_long_it_is(length: int) -> None:
    run = ("灯台の鍵でした母" * 40)[:length]
    pairs = [run[at : at + 2] for at in range(length - 1)]
    kept = [pair for pair in pairs if pair not in JAPANESE_STOP_BIGRAMS]
    assert tokens(run, "ja") == (*kept, *(sign for sign in run if sign in "灯台鍵母"))


def test_either_apostrophe_joins_a_word() -> None:
    assert tokens("l’été", "ja") == tokens("lʼété", "ja") == tokens("l'été", "ja")
