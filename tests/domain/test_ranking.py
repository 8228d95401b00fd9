"""The parts of a score as pure functions."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kataribe.domain import arrays
from kataribe.domain.recall.ranking import (
    DEFAULT_RECALL,
    best_of_group,
    ends_in_question,
    fuse,
    lent,
    lent_to_sentences,
    repeats,
    scaled,
)
from kataribe.domain.similarity import FEW_PRODUCTS, Floats, exact_similarities, fast_products

SCORES = st.lists(st.floats(-1, 1, allow_nan=False), min_size=1, max_size=12)


def floats(*values: float) -> Floats:
    return np.array(values, dtype=np.float64)


def test_the_published_numbers() -> None:
    """What a benchmark chose; a change of one is a change of every order."""
    assert {f.name: getattr(DEFAULT_RECALL, f.name) for f in fields(DEFAULT_RECALL)} == {
        "keyword_weight": 0.6,
        "neighbour_share": 0.15,
        "answer_share": 0.4,
        "sentence_share": 0.3,
        "far_sentence_share": 0.1,
        "session_share": 0.4,
        "speaker_bonus": 0.3,
        "phrase_bonus": 0.0,
        "pinned_bonus": 0.1,
        "when_bonus": 0.2,
        "uses_bonus": 0.02,
        "intent_weight": 0.5,
        "recency_share": 0.2,
        "fading_share": 0.1,
        "association_share": 0.0,
        "duplicate_similarity": 0.99,
        "same_matter": 0.8,
        "strip_names": True,
        "expand_aliases": True,
        "like_words": True,
        "pool": 48,
        "rerank_pool": 50,
        "max_top_k": 1000,
        "profile": "kataribe",
    }


@given(similarity=SCORES, weight=st.floats(0, 1))
def test_fused_scores_are_shares_of_the_best(similarity: list[float], weight: float) -> None:
    likes = floats(*similarity)
    words = np.abs(likes[::-1]) * 7
    found = fuse(likes, words, weight)
    assert ((found >= 0) & (found <= 1)).all()
    assert (fuse(likes, words, 0.0) == np.round(scaled(likes), 6)).all()
    assert (fuse(likes, words, 1.0) == np.round(scaled(words), 6)).all()


def test_nothing_found_is_no_division_by_zero() -> None:
    assert (fuse(floats(0, -1), floats(0, 0), 0.6) == 0).all()
    assert len(fuse(floats(), floats(), 0.6)) == 0


def test_what_neighbours_lend() -> None:
    """Row 1 answers row 0, row 2 comes after; row 3 stands alone."""
    fused = floats(1.0, 0.5, 0.2, 0.8)
    before, after = np.array([-1, 0, 1, -1]), np.array([1, 2, -1, -1])
    asked = np.array([False, True, False, False])
    found = lent(fused, before, after, asked, DEFAULT_RECALL)
    assert found.tolist() == [0.075, 0.43, 0.075, 0.0]
    plain = lent(fused, before, after, asked, replace(DEFAULT_RECALL, answer_share=0))
    assert plain.tolist() == [0.075, 0.18, 0.075, 0.0]
    none = replace(DEFAULT_RECALL, answer_share=0, neighbour_share=0)
    assert lent(fused, before, after, asked, none).tolist() == [0.0] * 4


def test_what_sentences_lend_each_other() -> None:
    """Rows are not in the order of the text: it goes 3, 0, 4, 1, 2; row 5 has nothing beside it."""
    fused = floats(1.0, 0.5, 0.2, 0.8, 0.0, 0.9)
    before, after = np.array([3, 4, 1, -1, 0, -1]), np.array([4, 2, -1, 0, 1, -1])
    found = lent_to_sentences(fused, before, after, DEFAULT_RECALL)
    near = [0.8 + 0.0, 0.0 + 0.2, 0.5, 1.0, 1.0 + 0.5, 0.0]
    far = [0.5, 1.0, 0.0, 0.0, 0.8 + 0.2, 0.0]
    assert found.tolist() == [round(0.3 * n + 0.1 * f, 6) for n, f in zip(near, far, strict=True)]
    only_near = replace(DEFAULT_RECALL, far_sentence_share=0)
    assert lent_to_sentences(fused, before, after, only_near).tolist() == [round(0.3 * n, 6) for n in near]
    only_far = replace(DEFAULT_RECALL, sentence_share=0)
    assert lent_to_sentences(fused, before, after, only_far).tolist() == [round(0.1 * f, 6) for f in far]
    none = replace(only_near, sentence_share=0)
    assert lent_to_sentences(fused, before, after, none).tolist() == [0.0] * 6


def test_what_was_not_scored_lends_nothing_and_lets_nothing_through() -> None:
    """Of the text 0, x, 1 the sentence in between was not scored; no rows are no error."""
    nobody = np.array([-1, -1])
    assert lent_to_sentences(floats(1.0, 0.5), nobody, nobody, DEFAULT_RECALL).tolist() == [0.0, 0.0]
    empty = np.array([], dtype=np.int64)
    assert lent_to_sentences(floats(), empty, empty, DEFAULT_RECALL).tolist() == []


def test_each_has_the_best_of_its_group() -> None:
    assert best_of_group(floats(0.1, 0.9, 0.5), ["a", "b", "a"]).tolist() == [0.5, 0.9, 0.5]
    assert best_of_group(floats(), []).tolist() == []


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("When?", True),
        ("いつ？", True),
        ("「本当？」", True),
        ('He said "why?"', True),
        ("Really? ", True),
        ("Who? Me.", False),
        ("そうか。", False),
        ("", False),
    ],
)
def test_what_ends_in_a_question(text: str, asks: bool) -> None:
    assert ends_in_question(text) is asks


@st.composite
def rows(draw: st.DrawFn) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    """Unit rows and zeros out of few directions, so that many are alike."""
    corners = st.sampled_from(
        [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.6, 0.8, 0.0), (0.0, 0.0, 0.0), (0.8, 0.6, 0.0)]
    )
    return np.array(draw(st.lists(corners, max_size=10)), dtype=np.float32).reshape(-1, 3)


@given(matrix=rows(), threshold=st.sampled_from([0.0, 0.5, 0.9, 0.96, 1.0]))
def test_repeats_are_like_something_better_and_nothing_that_stays_is(
    matrix: np.ndarray[tuple[int, int], np.dtype[np.float32]], threshold: float
) -> None:
    gone = repeats(matrix, threshold)
    stays = [row for row in range(len(matrix)) if row not in gone]
    if threshold == 0:
        assert gone == {}
        return
    for row, same in gone.items():
        assert same < row
        assert same in stays
        assert exact_similarities(matrix[[same]], matrix[row])[0] >= threshold
    for at, row in enumerate(stays):
        assert all(exact_similarities(matrix[[better]], matrix[row])[0] < threshold for better in stays[:at])


@given(matrix=rows(), enough=st.integers(0, 6))
def test_no_more_are_looked_at_than_needed(
    matrix: np.ndarray[tuple[int, int], np.dtype[np.float32]], enough: int
) -> None:
    """The best that stay are the same, however many are wanted."""
    every, some = repeats(matrix, 0.96), repeats(matrix, 0.96, enough=enough)
    assert some.items() <= every.items()
    stays = [row for row in range(len(matrix)) if row not in every]
    assert [row for row in range(len(matrix)) if row not in some][:enough] == stays[:enough]


def test_zero_rows_say_nothing_the_same() -> None:
    assert repeats(np.zeros((3, 2), dtype=np.float32), 0.5) == {}


@pytest.mark.parametrize("width", [1, 7, 300, 384, FEW_PRODUCTS + 1])
@pytest.mark.parametrize("rows", [0, 1, 29, 30, 31, 500])
def test_the_fast_product_is_that_of_the_whole_matrix_within_the_slack(rows: int, width: int) -> None:
    drawn = np.random.default_rng(rows * 10_000 + width).standard_normal((rows + 1, width))
    drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
    matrix, vector = drawn[1:].astype(np.float32), drawn[0].astype(np.float32)
    fast = fast_products(matrix, vector)
    assert fast.shape == (rows,)
    assert np.abs(fast - exact_similarities(matrix, vector)).max(initial=0.0) < 1e-5


def test_nothing_that_blas_would_share_out_among_threads_is_multiplied_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sizes: list[int] = []
    multiply = np.matmul

    def watched(matrix: Floats, vector: Floats, *, out: Floats) -> Floats:
        sizes.append(matrix.shape[-2] * matrix.shape[-1])
        return multiply(matrix, vector, out=out)

    # What was asked of the module once, is kept beside its name: it is watched there.
    monkeypatch.setattr(arrays.np, "matmul", watched)
    fast_products(np.ones((5_000, 300), dtype=np.float32), np.ones(300, dtype=np.float32))
    assert max(sizes) <= FEW_PRODUCTS
