from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from kataribe.adapters.chive import ChiveEmbedder, source, table
from kataribe.adapters.chive.murmur import murmur64
from kataribe.adapters.hashing import HashEmbedder
from kataribe.adapters.wordllama import WordLlamaEmbedder
from kataribe.errors import EmbedderError, MissingExtraError
from kataribe.ports import Embedder
from kataribe.testing.embedder import ENGLISH, EmbedderContract, documents, query

needs_ja = pytest.mark.skipif(
    ChiveEmbedder.available() is not None, reason=f"extra ja is missing: {ChiveEmbedder.available()}"
)
needs_en = pytest.mark.skipif(
    WordLlamaEmbedder.available() is not None, reason=f"extra en is missing: {WordLlamaEmbedder.available()}"
)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def _own_cache(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KATARIBE_CACHE", str(cache))


def similarity(embedder: Embedder, one: str, other: str) -> float:
    return float(query(embedder, one) @ query(embedder, other))


HASH_OF_CAT = [(19, 0.378), (51, 0.378), (56, -0.378), (63, -0.378), (82, -0.378), (114, 0.378), (120, 0.378)]


class TestHashEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return HashEmbedder()

    def test_it_says_that_it_is_lexical(self, embedder: Embedder) -> None:
        assert embedder.is_lexical
        assert (embedder.embedder_id, embedder.dimensions) == ("hash-1", 256)

    def test_case_does_not_matter(self, embedder: Embedder) -> None:
        assert documents(embedder, "STRASSE").tobytes() == documents(embedder, "straße").tobytes()

    @pytest.mark.parametrize(
        ("text", "alike", "other"),
        [
            ("活版所の活字", "活版所", "牛乳と角砂糖"),
            ("The lawyers laughed", "a laughing lawyer", "silver coins"),
        ],
    )
    def test_shared_spelling_is_near(self, embedder: Embedder, text: str, alike: str, other: str) -> None:
        assert similarity(embedder, text, alike) > similarity(embedder, text, other) + 0.2

    def test_its_bytes_never_change(self, embedder: Embedder) -> None:
        """A change here makes every stored vector stale: give the embedder a new id."""
        vector = query(embedder, "猫 cat")
        found = [(int(place), round(float(vector[place]), 4)) for place in np.flatnonzero(vector)]
        assert found == HASH_OF_CAT


@needs_ja
class TestChiveEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return ChiveEmbedder()

    def test_its_id_names_what_decides_a_vector(self, embedder: Embedder) -> None:
        assert embedder.embedder_id.startswith("chive-ja-ginza-")
        assert "-sudachidict-" in embedder.embedder_id
        assert (embedder.dimensions, embedder.is_lexical) == (300, False)

    @pytest.mark.parametrize(
        ("text", "alike", "other"),
        [
            ("医者が患者を診た", "医師の診察", "電車が駅に着いた"),
            ("母に牛乳を買う", "お母さんのミルク", "先生が黒板に書く"),
            ("嬉しい", "楽しい", "石炭"),
        ],
    )
    def test_like_meaning_is_near(self, embedder: Embedder, text: str, alike: str, other: str) -> None:
        assert similarity(embedder, text, alike) > similarity(embedder, text, other) + 0.1

    def test_particles_and_punctuation_are_silent(self, embedder: Embedder) -> None:
        assert documents(embedder, "猫が、眠る。").tobytes() == documents(embedder, "猫は眠る!").tobytes()
        assert not documents(embedder, "。、!?").any()

    def test_a_denial_is_another_text(self, embedder: Embedder) -> None:
        assert documents(embedder, "食べる").tobytes() != documents(embedder, "食べない").tobytes()

    def test_an_unknown_word_is_known_by_its_characters(self, embedder: Embedder) -> None:
        name = "アブデーエワ"
        assert query(embedder, name).any()
        assert similarity(embedder, f"{name}の演奏", name) > similarity(embedder, "演奏", name) + 0.1


@needs_en
class TestWordLlamaEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return WordLlamaEmbedder()

    def test_its_id_names_the_package(self, embedder: Embedder) -> None:
        assert embedder.embedder_id.startswith("wordllama-")
        assert (embedder.dimensions, embedder.is_lexical) == (256, False)

    @pytest.mark.parametrize(
        ("text", "alike", "other"),
        [
            ("The doctor examined the patient", "a physician's checkup", "the train reached the station"),
            ("She is happy", "joyful", "coal"),
            ("He bought a car", "purchasing an automobile", "the moon above the river"),
        ],
    )
    def test_like_meaning_is_near(self, embedder: Embedder, text: str, alike: str, other: str) -> None:
        assert similarity(embedder, text, alike) > similarity(embedder, text, other) + 0.1

    def test_it_agrees_with_the_package(self, embedder: Embedder) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                from wordllama import WordLlama  # type: ignore[import-untyped]
            except (ImportError, Warning) as error:
                pytest.skip(f"wordllama itself cannot be imported without a warning: {error}")
        # Its own search for the tokenizer misses the folder it ships; taken as a cache, that is found.
        spec = importlib.util.find_spec("wordllama")
        assert spec is not None
        assert spec.origin is not None
        folder = Path(spec.origin).parent
        model = WordLlama.load(cache_dir=folder, disable_download=True)
        theirs = model.embed(list(ENGLISH), norm=True)
        np.testing.assert_allclose(documents(embedder, *ENGLISH), theirs, atol=1e-4)


EMBEDDERS = [
    pytest.param(HashEmbedder, id="hash"),
    pytest.param(ChiveEmbedder, id="chive", marks=needs_ja),
    pytest.param(WordLlamaEmbedder, id="wordllama", marks=needs_en),
]


@pytest.mark.parametrize("make", EMBEDDERS)
def test_a_lone_surrogate_is_refused(make: Callable[[], Embedder]) -> None:
    with pytest.raises(EmbedderError, match="lone surrogate"):
        query(make(), "猫\ud800")


@pytest.mark.parametrize("make", EMBEDDERS)
def test_making_one_loads_nothing(make: type[ChiveEmbedder]) -> None:
    heavy = "spacy sudachipy msgpack tokenizers safetensors wordllama requests"
    code = (
        f"import sys; from {make.__module__} import {make.__name__} as make; "
        f"make().dimensions; make().available(); make().embedder_id; "
        f"print([name for name in {heavy.split()} if name in sys.modules])"
    )
    assert run(code) == "[]"


@needs_ja
@needs_en
def test_neither_spacy_nor_a_network_client_is_imported(cache: Path) -> None:
    code = (
        "import asyncio, sys\n"
        "from kataribe.adapters.chive import ChiveEmbedder\n"
        "from kataribe.adapters.wordllama import WordLlamaEmbedder\n"
        "asyncio.run(ChiveEmbedder().embed_query('猫'))\n"
        "asyncio.run(WordLlamaEmbedder().embed_query('cat'))\n"
        "unwanted = ('spacy', 'ja_ginza', 'wordllama', 'requests', 'httpx')\n"
        "print([name for name in unwanted if name in sys.modules])"
    )
    assert run(code, cache) == "[]"


@pytest.mark.parametrize(
    ("make", "package", "line"),
    [
        (ChiveEmbedder, "ja_ginza", "pip install 'kataribe[ja]'"),
        (ChiveEmbedder, "msgpack", "pip install 'kataribe[ja]'"),
        (WordLlamaEmbedder, "tokenizers", "pip install 'kataribe[en]'"),
        (WordLlamaEmbedder, "wordllama", "pip install 'kataribe[en]'"),
    ],
)
def test_what_is_missing_is_said_with_the_line_to_type(
    make: type[ChiveEmbedder], package: str, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    assert make.available() == line
    with pytest.raises(MissingExtraError) as caught:
        query(make(), "cat")
    assert str(caught.value).endswith(line)


def test_the_hash_needs_nothing() -> None:
    assert HashEmbedder.available() is None


@pytest.mark.parametrize(
    ("word", "expected"),
    [("の", 2917952641780334418), ("、", 202075578247595036), ("て", 17929645466003512548)],
)
def test_a_word_hashes_as_in_ja_ginza(word: str, expected: int) -> None:
    assert murmur64(word.encode()) == expected


@needs_ja
def test_the_table_knows_common_words_as_common() -> None:
    words = source.extract()
    weights = [found[1] for word in ("の", "猫", "銀河") if (found := words.find(word))]
    assert len(weights) == 3
    assert weights == sorted(weights)
    assert weights[0] < 0.05
    assert words.find("この語は辞書にない") is None


@needs_ja
def test_many_processes_may_make_the_cache_at_once(tmp_path: Path) -> None:
    code = (
        "import asyncio; from kataribe.adapters.chive import ChiveEmbedder; "
        "print(asyncio.run(ChiveEmbedder().embed_query('銀河の岸の猫')).tobytes().hex())"
    )
    running = [start(code, tmp_path) for _ in range(3)]
    found = {process.communicate()[0].strip() for process in running}
    found.add(run(code, tmp_path))
    assert len(found) == 1
    assert [path.suffix for path in tmp_path.iterdir()] == [".bin"]


@needs_ja
@pytest.mark.parametrize("harm", [b"", b"kataribe chive 1", b"something else" * 9])
def test_a_spoilt_cache_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, harm: bytes) -> None:
    whole = query(ChiveEmbedder(), "猫").tobytes()
    monkeypatch.setenv("KATARIBE_CACHE", str(tmp_path))
    query(ChiveEmbedder(), "猫")
    [file] = tmp_path.iterdir()
    size = file.stat().st_size
    os.replace(write(tmp_path / "spoilt", harm), file)
    assert query(ChiveEmbedder(), "猫").tobytes() == whole
    assert file.stat().st_size == size


@needs_ja
def test_without_a_place_to_write_it_stays_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = query(ChiveEmbedder(), "猫").tobytes()
    # A file where the folder should be stops even root.
    monkeypatch.setenv("KATARIBE_CACHE", str(write(tmp_path / "file", b"")))
    assert query(ChiveEmbedder(), "猫").tobytes() == whole


def test_where_the_cache_lies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert table.cache_folder() == Path(os.environ["KATARIBE_CACHE"])
    monkeypatch.delenv("KATARIBE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert table.cache_folder() == tmp_path / "kataribe"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert table.cache_folder() == tmp_path / ".cache" / "kataribe"


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def start(code: str, cache: Path | None = None) -> subprocess.Popen[str]:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    if cache:
        env["KATARIBE_CACHE"] = str(cache)
    return subprocess.Popen([sys.executable, "-c", code], env=env, stdout=subprocess.PIPE, text=True)


def run(code: str, cache: Path | None = None) -> str:
    process = start(code, cache)
    out, _ = process.communicate()
    assert process.returncode == 0
    return out.strip()
