"""chiVe's vectors, averaged over the words that Sudachi finds."""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Iterator
from functools import cached_property, lru_cache
from importlib.metadata import PackageNotFoundError
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from kataribe.adapters.chive.like import LikeWords, named
from kataribe.adapters.chive.source import extract
from kataribe.adapters.chive.table import DIMENSIONS, WordTable, cache_folder, open_table, save_table
from kataribe.adapters.embedding import PackagedEmbedder, installed
from kataribe.domain.ids import normalise
from kataribe.errors import MissingExtraError
from kataribe.ports import Vector

if TYPE_CHECKING:
    from sudachipy import Dictionary, Morpheme, Tokenizer

SCHEME = "sif1"
_WORDS = "words1"
"""How texts are taken apart into words that are looked up; a part of the id, as vectors' scheme is."""
# Particles, punctuation, spaces. Auxiliaries stay: 食べない is not 食べる.
_SILENT = [("助詞",), ("補助記号",), ("空白",)]
# What says something by itself, but for names and numbers, which are found by their spelling. Two words of
# one kanji side by side are pieces of a name that Sudachi does not know.
_TELLING = [("名詞", "普通名詞"), ("動詞", "一般"), ("形容詞", "一般"), ("形状詞",), ("副詞",)]
_ONE_KANJI = re.compile("[一-鿿]")
_TELLS = 0.3
"""The least weight of a word that is looked up: the thirty most common weigh less."""
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


class _ChiveModel:
    """Sudachi and the word table. Tokenizers are not thread-safe, so each thread has its own."""

    def __init__(self, dictionary: Dictionary, table: WordTable) -> None:
        from sudachipy import SplitMode

        self._short = SplitMode.A
        self._dictionary = dictionary
        self._is_silent = dictionary.pos_matcher(_SILENT)
        self._is_telling = dictionary.pos_matcher(_TELLING)
        self._table = table
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

    @cached_property
    def _like(self) -> LikeWords:
        return LikeWords(self._table)

    def rows_in(self, text: str) -> list[int]:
        """Give the rows of the words that say something by themselves, in order."""
        found: list[int] = []
        for piece in _pieces(normalise(text)):
            morphemes = list(self._tokenizer().tokenize(piece))
            short = [_ONE_KANJI.fullmatch(one.surface()) is not None for one in morphemes]
            for at, morpheme in enumerate(morphemes):
                beside = short[max(at - 1, 0) : at] + short[at + 1 : at + 2]
                is_piece = short[at] and any(beside)
                if not is_piece and self._is_telling(morpheme) and (word := self._known(morpheme)):
                    found += [word[0]] if word[1] >= _TELLS else []
        return found

    def rows_like(self, text: str) -> list[int]:
        """Give the rows of a text's words and of those like them, each once."""
        return list(dict.fromkeys(near for row in self.rows_in(text) for near in self._like.near(row)))

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


def _load_table() -> WordTable:
    """Map the table, making it first where it is missing; kept in memory where nothing can be written."""
    folder = cache_folder()
    path = folder / f"chive-{installed('ja-ginza')}-{SCHEME}.bin" if folder else None
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


def _load() -> _ChiveModel:
    from sudachipy import Dictionary

    return _ChiveModel(Dictionary(dict="core"), _load_table())


class ChiveEmbedder(PackagedEmbedder[_ChiveModel]):
    """Mean of chiVe word vectors weighted by a background frequency that no story moves (P2).

    Vectors come out of ja-ginza, taken once into a file of about 34 MB in the cache folder
    (`KATARIBE_CACHE`, else the user's).
    """

    title = "chiVe"
    needed = ("ja_ginza", "sudachipy", "sudachidict_core", "msgpack")
    install = "pip install 'kataribe[ja]'"

    @property
    def embedder_id(self) -> str:
        """Name the vectors, the dictionary and the weighting. Raises `MissingExtraError`."""
        try:
            words = f"sudachidict-{installed('sudachidict-core')}"
            return f"chive-ja-ginza-{installed('ja-ginza')}-{words}-{SCHEME}-{_WORDS}"
        except PackageNotFoundError as error:
            raise MissingExtraError(f"{error.name} is not installed; type: {self.install}") from error

    @property
    def dimensions(self) -> int:
        """Length of every vector: 300."""
        return DIMENSIONS

    def words_in(self, text: str) -> tuple[str, ...]:
        """Give the words of a text, whatever their form (辞めた as 辞める). Raises `MissingExtraError`."""
        return named(self._loaded(_load).rows_in(text))

    def words_like(self, text: str) -> tuple[str, ...]:
        """Give the words of a question and those near them (辞める for 退職). Raises as `words_in`."""
        return named(self._loaded(_load).rows_like(text))

    def _embed(self, text: str) -> Vector:
        return self._loaded(_load).embed(text)
