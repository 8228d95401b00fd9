"""What every `Embedder` promises: subclass `EmbedderContract` and give an `embedder`."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import ClassVar

import numpy as np
import pytest

from kataribe.domain.ids import check_id
from kataribe.ports import Embedder, Matrix, Vector, Worded

JAPANESE = (
    "ジョバンニは活版所で活字を拾い、小さな銀貨を一つもらった。",
    "猫が窓辺で眠っている。",
    "昨日は母と一緒に東京へ行きました。",
    "ありがとう",
    "銀河の岸に、銀色の空のすすきが風に揺れていた。",
)
ENGLISH = (
    "Mr. Utterson the lawyer was a man of a rugged countenance.",
    "The cat sleeps by the window.",
    "Yesterday I went to London with my mother.",
    "Thanks!",
    "He gave her a small silver coin, and she laughed.",
)
TEXTS = JAPANESE + ENGLISH


def documents(embedder: Embedder, *texts: str) -> Matrix:
    """Embed `texts` as documents, from code that is not async."""
    return asyncio.run(embedder.embed_documents(texts))


def query(embedder: Embedder, text: str) -> Vector:
    """Embed `text` as a question, from code that is not async."""
    return asyncio.run(embedder.embed_query(text))


class EmbedderContract:
    """What every `Embedder` promises."""

    reads_whole: ClassVar[bool] = True
    """False: a model that reads only so much of a text, as its card says."""

    @pytest.fixture
    def embedder(self) -> Embedder:
        """Give the embedder to be tested."""
        raise NotImplementedError

    def test_it_is_an_embedder(self, embedder: Embedder) -> None:
        """It has every member of the port."""
        assert isinstance(embedder, Embedder)
        assert isinstance(embedder.is_lexical, bool)
        assert embedder.dimensions > 0

    def test_its_id_may_stand_in_an_id(self, embedder: Embedder) -> None:
        """The id is not empty, holds no separator, and stays the same."""
        assert check_id(embedder.embedder_id) == embedder.embedder_id

    def test_words_depend_on_their_text_alone(self, embedder: Embedder) -> None:
        """Where it knows words: the same each time, in any thread, and a question has its own at least."""
        if not isinstance(embedder, Worded):
            return
        alone = [(embedder.words_in(text), embedder.words_like(text)) for text in TEXTS]
        with ThreadPoolExecutor(4) as pool:
            again = pool.map(lambda text: (embedder.words_in(text), embedder.words_like(text)), TEXTS)
            assert list(again) == alone
        assert any(told for told, _ in alone)
        assert all(set(told) <= set(like) for told, like in alone)

    def test_rows_are_unit_vectors_in_float32(self, embedder: Embedder) -> None:
        """A matrix has a row a text, each of length one."""
        matrix = documents(embedder, *TEXTS)
        assert matrix.shape == (len(TEXTS), embedder.dimensions)
        assert matrix.dtype == np.float32
        lengths = np.linalg.norm(matrix.astype(np.float64), axis=1)
        np.testing.assert_allclose(lengths, 1.0, atol=1e-5)

    def test_a_question_is_one_unit_vector(self, embedder: Embedder) -> None:
        """A question gives a vector, not a matrix of one row."""
        for text in TEXTS:
            vector = query(embedder, text)
            assert vector.shape == (embedder.dimensions,)
            assert vector.dtype == np.float32
            assert np.linalg.norm(vector.astype(np.float64)) == pytest.approx(1.0, abs=1e-5)

    def test_no_texts_give_no_rows(self, embedder: Embedder) -> None:
        """An empty batch is a matrix of the right width."""
        matrix = documents(embedder)
        assert matrix.shape == (0, embedder.dimensions)
        assert matrix.dtype == np.float32

    @pytest.mark.parametrize("text", ["", " ", "\n\t", "\u3000"])
    def test_an_empty_text_is_all_zeros(self, embedder: Embedder, text: str) -> None:
        """Nothing to embed is zeros, never NaN."""
        assert not documents(embedder, text).any()
        assert not query(embedder, text).any()

    def test_rows_keep_the_order_of_the_texts(self, embedder: Embedder) -> None:
        """Turning the batch round turns the rows round."""
        forward, backward = documents(embedder, *TEXTS), documents(embedder, *reversed(TEXTS))
        assert forward.tobytes() == np.ascontiguousarray(backward[::-1]).tobytes()
        assert len({row.tobytes() for row in forward}) == len(TEXTS)

    def test_a_vector_depends_on_its_text_alone(self, embedder: Embedder) -> None:
        """The bytes are the same in any company (P2)."""
        together = documents(embedder, "", *TEXTS, "", *TEXTS)
        for row, text in zip(together[1:], TEXTS, strict=False):
            assert row.tobytes() == documents(embedder, text)[0].tobytes()
            assert row.tobytes() == documents(embedder, text, "水" * 500, "water " * 500)[0].tobytes()

    def test_the_same_text_gives_the_same_bytes(self, embedder: Embedder) -> None:
        """Every call gives the same (P8)."""
        for text in TEXTS:
            assert documents(embedder, text).tobytes() == documents(embedder, text).tobytes()
            assert query(embedder, text).tobytes() == query(embedder, text).tobytes()

    @pytest.mark.parametrize(
        ("wide", "plain"),
        [("Ｈｅｌｌｏ　Ｗｏｒｌｄ　１２３", "Hello World 123"), ("ｶﾑﾊﾟﾈﾙﾗと銀河", "カムパネルラと銀河")],
    )
    def test_width_does_not_matter(self, embedder: Embedder, wide: str, plain: str) -> None:
        """Full-width and half-width are the same text after NFKC."""
        assert documents(embedder, wide).tobytes() == documents(embedder, plain).tobytes()
        assert query(embedder, wide).tobytes() == query(embedder, plain).tobytes()

    def test_a_text_is_nearest_to_itself(self, embedder: Embedder) -> None:
        """A question in the words of a text finds that text."""
        matrix = documents(embedder, *TEXTS)
        for place, text in enumerate(TEXTS):
            assert int(np.argmax(matrix @ query(embedder, text))) == place

    def test_a_long_text_can_be_embedded(self, embedder: Embedder) -> None:
        """A whole chapter is a text like any other, and its end counts where the model reads that far."""
        for text, other in (("夜の海は静かだ。", "東京。"), ("The sea is calm at night. ", "London. ")):
            matrix = documents(embedder, text * 3000, text * 3000 + other * 3000)
            np.testing.assert_allclose(np.linalg.norm(matrix, axis=1), 1.0, atol=1e-5)
            assert (matrix[0].tobytes() != matrix[1].tobytes()) == self.reads_whole

    def test_threads_do_not_disturb_each_other(self, embedder: Embedder) -> None:
        """Four threads at once, the first load among them, get the bytes of one."""
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda _: documents(embedder, *TEXTS * 5).tobytes(), range(8)))
        assert set(found) == {documents(embedder, *TEXTS * 5).tobytes()}
