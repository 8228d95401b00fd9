"""chiVe's vectors, averaged over the words that Sudachi finds."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from kataribe.adapters.chive.source import extract
from kataribe.adapters.chive.table import DIMENSIONS, WordTable, cache_folder, open_table, save_table
from kataribe.domain.ids import normalise
from kataribe.errors import EmbedderError, MissingExtraError
from kataribe.ports import Matrix, Vector

if TYPE_CHECKING:
    from sudachipy import Dictionary, Morpheme, Tokenizer

INSTALL = "pip install 'kataribe[ja]'"
SCHEME = "sif1"
_NEEDED = ("ja_ginza", "sudachipy", "sudachidict_core", "msgpack")
# Particles, punctuation, spaces. Auxiliaries stay: 食べない is not 食べる.
_SILENT = [("助詞",), ("補助記号",), ("空白",)]
# Sudachi refuses more than 49,149 bytes at once; a character has at most four.
_PIECE = 8000

Floats = npt.NDArray[np.float64]
Word = tuple[int, float]
"""A row of the table and its weight."""


def _pieces(text: str) -> Iterator[str]:
    """Cut a text that is too long for Sudachi after a sentence or a space, else anywhere."""
    while len(text) > _PIECE:
        cut = max(text.rfind("。", 0, _PIECE), text.rfind(" ", 0, _PIECE)) + 1 or _PIECE
        yield text[:cut]
        text = text[cut:]
    yield text


class _Model:
    """Sudachi and the word table. Tokenizers are not thread-safe, so each thread has its own."""

    def __init__(self, dictionary: Dictionary, table: WordTable) -> None:
        from sudachipy import SplitMode

        self._short = SplitMode.A
        self._dictionary = dictionary
        self._is_silent = dictionary.pos_matcher(_SILENT)
        self._vectors = table.vectors
        self._find = lru_cache(maxsize=1 << 16)(table.find)
        self._local = threading.local()

    def embed(self, text: str) -> Vector:
        """Sum the weighted vectors of a text's words: a mean, as the length is made one anyway."""
        total = np.zeros(DIMENSIONS)
        for piece in _pieces(normalise(text)):
            total += self._sum(piece)
        length = math.sqrt(math.fsum((total * total).tolist()))
        return (total / (length or 1.0)).astype(np.float32)

    def _sum(self, piece: str) -> Floats:
        words = [word for morpheme in self._tokenizer().tokenize(piece) for word in self._words(morpheme)]
        if not words:
            return np.zeros(DIMENSIONS)
        rows, weights = zip(*words, strict=True)
        # Along axis 0 numpy adds row after row: the order is the text's, on every machine.
        weighted = self._vectors[list(rows)] * np.array(weights)[:, None]
        return np.asarray(np.add.reduce(weighted, axis=0))

    def _words(self, morpheme: Morpheme) -> list[Word]:
        """Look a word up; an unknown one by its parts, and an unknown part by its characters."""
        if self._is_silent(morpheme):
            return []
        if word := self._known(morpheme):
            return [word]
        found: list[Word] = []
        for part in morpheme.split(self._short, add_single=True):
            word = self._known(part)
            found += [word] if word else self._characters(part.surface())
        return found

    def _characters(self, name: str) -> list[Word]:
        """Spell an unknown name; all its characters together weigh as one word."""
        known = [word for char in name if (word := self._find(char))]
        return [(row, weight / len(known)) for row, weight in known]

    def _known(self, morpheme: Morpheme) -> Word | None:
        # Most words are found by the first form; the others are asked of Sudachi only when needed.
        return (
            self._find(morpheme.normalized_form())
            or self._find(morpheme.dictionary_form())
            or self._find(morpheme.surface())
        )

    def _tokenizer(self) -> Tokenizer:
        tokenizer: Tokenizer | None = getattr(self._local, "tokenizer", None)
        if tokenizer is None:
            # Its own mode is C, long units. Short ones were no better (one question in 38).
            self._local.tokenizer = tokenizer = self._dictionary.create()
        return tokenizer


def _is_installed(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def _load_table() -> WordTable:
    """Map the table, making it first where it is missing; kept in memory where nothing can be written."""
    folder = cache_folder()
    path = folder / f"chive-{version('ja-ginza')}-{SCHEME}.bin" if folder else None
    if path and (table := open_table(path)):
        return table
    table = extract()
    if path is None:
        return table
    try:
        save_table(table, path)
    except OSError:
        return table
    return open_table(path) or table


class ChiveEmbedder:
    """Mean of chiVe word vectors weighted by a background frequency that no story moves (P2).

    Vectors come out of ja-ginza, taken once into a file of about 34 MB in the cache folder
    (`KATARIBE_CACHE`, else the user's). Nothing is loaded before the first text. May be used
    from several threads.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._model: _Model | None = None

    @classmethod
    def available(cls) -> str | None:
        """Give None when it can be used, else the line to type; imports nothing."""
        return None if all(map(_is_installed, _NEEDED)) else INSTALL

    @property
    def embedder_id(self) -> str:
        """Name the vectors, the dictionary and the weighting. Raises `MissingExtraError`."""
        try:
            return f"chive-ja-ginza-{version('ja-ginza')}-sudachidict-{version('sudachidict-core')}-{SCHEME}"
        except PackageNotFoundError as error:
            raise MissingExtraError(f"{error.name} is not installed; type: {INSTALL}") from error

    @property
    def dimensions(self) -> int:
        """Length of every vector: 300."""
        return DIMENSIONS

    @property
    def is_lexical(self) -> bool:
        """False: words of like meaning are near."""
        return False

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        """Embed each text by itself, in order; shape (len(texts), 300).

        Raises `MissingExtraError` and `EmbedderError`.
        """
        matrix = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
        for row, text in enumerate(texts):
            matrix[row] = self._embed(text)
        return matrix

    async def embed_query(self, text: str) -> Vector:
        """Embed a question as if it were a document; shape (300,). Raises as `embed_documents`."""
        return self._embed(text)

    def _embed(self, text: str) -> Vector:
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise EmbedderError(
                f"a lone surrogate at character {error.start} is not valid text; leave it out"
            ) from error
        return self._loaded().embed(text)

    def _loaded(self) -> _Model:
        if self._model is None:
            with self._lock:
                self._model = self._model or self._load()
        return self._model

    def _load(self) -> _Model:
        if self.available():
            raise MissingExtraError(f"chiVe needs packages that are not installed; type: {INSTALL}")
        try:
            from sudachipy import Dictionary

            return _Model(Dictionary(dict="core"), _load_table())
        except ImportError as error:
            raise MissingExtraError(
                f"chiVe needs packages that are not installed; type: {INSTALL}"
            ) from error
