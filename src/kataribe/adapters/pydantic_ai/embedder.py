"""Embedders that another machine runs, by `provider:model`; nothing of the vendor is loaded before a text."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import TYPE_CHECKING

from kataribe.adapters.embedding import EmbedderChoice, Side, is_installed
from kataribe.domain.arrays import np
from kataribe.domain.ids import check_id, normalise
from kataribe.errors import EmbedderError, InputError, MissingExtraError
from kataribe.ports import Matrix, Vector

if TYPE_CHECKING:
    from kataribe.adapters.pydantic_ai.embedding import EmbeddingName

PROVIDERS = (
    "openai",
    "google",
    "ollama",
    "azure",
    "bedrock",
    "cohere",
    "fireworks",
    "google-cloud",
    "litellm",
    "openrouter",
    "together",
    "vllm",
    "voyageai",
)
"""Whose embedders can be named. The first three are asked with the settings' keys and address; the
others are as pydantic-ai makes them, with the variables and packages it wants."""
BATCH = 20
"""Texts in one request (S4-102)."""
INSTALL = "pip install 'kataribe[model]'"

_VERSION = "embed-1"
"""Version of how texts are given and vectors taken: a new one makes another embedder."""
_DIMENSIONS = {
    "openai:text-embedding-3-large": 3072,
    "openai:text-embedding-3-small": 1536,
    "openai:text-embedding-ada-002": 1536,
    "google:gemini-embedding-001": 3072,
    "google:text-embedding-004": 768,
}
"""Known without asking; a server of one's own is always asked."""
_PROBE = "memory"

Sleep = Callable[[float], Awaitable[None]]


class ModelEmbedder:
    """One model of one provider. May be used from several threads and event loops.

    Questions and documents are told apart where the provider does so (S4-98). What another
    machine computes need not be the same bytes twice; what is stored is embedded once.
    """

    def __init__(self, wanted: EmbedderChoice, *, sleep: Sleep = asyncio.sleep) -> None:
        self._wanted = wanted
        self._full = f"{wanted.family}:{wanted.name}"
        self._id = check_id(
            f"{self._full.replace(':', '/').replace(',', '/')}+{_VERSION}", "name of an embedder"
        )
        self._sleep = sleep
        self._asked: EmbeddingName | None = None
        self._lock = Lock()
        self._length = None if wanted.base_url else _DIMENSIONS.get(self._full)

    @classmethod
    def named(cls, wanted: EmbedderChoice) -> ModelEmbedder:
        """Make the one of a provider's model. Raises `InputError` when none is named."""
        if wanted.family not in PROVIDERS or not wanted.name:
            named = ", ".join(f"{one}:NAME" for one in PROVIDERS)
            raise InputError(f"name an embedder of a provider as one of {named}")
        return cls(wanted)

    @classmethod
    def available(cls) -> str | None:
        """Give None when models can be asked, else the line to type; imports nothing."""
        return None if is_installed("pydantic_ai") else INSTALL

    @property
    def embedder_id(self) -> str:
        """The provider's and the model's name, and the version of how it is asked."""
        return self._id

    @property
    def is_lexical(self) -> bool:
        """False: words of like meaning are near."""
        return False

    @property
    def is_remote(self) -> bool:
        """True: a provider is asked."""
        return True

    @property
    def batch(self) -> int:
        """Texts in one request (S4-102)."""
        return BATCH

    @property
    def dimensions(self) -> int:
        """Length of every vector; where nobody knows it the model is asked once, and waited for.

        Raises `EmbedderError`.
        """
        if self._length is None:
            with ThreadPoolExecutor(1) as pool:
                # A thread and a loop of its own: the caller's loop may be running.
                pool.submit(asyncio.run, self._send([_PROBE], "document")).result()
        assert self._length is not None
        return self._length

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        """Embed what is to be found, in order, 20 texts a request; shape (len(texts), dimensions).

        Raises `EmbedderUnavailableError` when the provider cannot be reached, will not be asked
        or keeps limiting us, `EmbedderError` when it gives no usable vectors.
        """
        return await self._embed(texts, "document")

    async def embed_query(self, text: str) -> Vector:
        """Embed a question; shape (dimensions,). Raises as `embed_documents`."""
        found = await self._embed([text], "query")
        row: Vector = found[0]
        return row

    async def _embed(self, texts: Sequence[str], side: Side) -> Matrix:
        clean = [_checked(text) for text in texts]
        full = [place for place, text in enumerate(clean) if text]
        rows: dict[int, Vector] = {}
        for at in range(0, len(full), BATCH):
            some = full[at : at + BATCH]
            rows.update(zip(some, await self._send([clean[place] for place in some], side), strict=True))
        if self._length is None:
            await self._send([_PROBE], "document")
        assert self._length is not None
        matrix = np.zeros((len(texts), self._length), dtype=np.float32)
        for place, row in rows.items():
            matrix[place] = row
        return matrix

    async def _send(self, texts: Sequence[str], side: Side) -> list[Vector]:
        found = await self._loaded().ask(texts, side)
        if len(found) != len(texts):
            raise EmbedderError(f"{self._full} gave {len(found)} vectors for {len(texts)} texts")
        rows = [self._unit(numbers) for numbers in found]
        with self._lock:
            lengths = {len(row) for row in rows} | ({self._length} if self._length is not None else set())
            if len(lengths) > 1:
                raise EmbedderError(
                    f"{self._full} gave vectors of other lengths than before: "
                    f"{', '.join(map(str, sorted(lengths)))}; it must be one model all the time"
                )
            self._length = lengths.pop()
        return rows

    def _unit(self, numbers: Sequence[float]) -> Vector:
        try:
            found = np.asarray(numbers, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise EmbedderError(f"{self._full} gave something else than numbers") from error
        if found.ndim != 1 or not len(found) or not np.isfinite(found).all():
            raise EmbedderError(f"{self._full} gave a vector with numbers that are none")
        length = math.sqrt(math.fsum((found * found).tolist()))
        if not 0 < length < math.inf:
            raise EmbedderError(f"{self._full} gave a vector without a direction")
        made: Vector = (found / length).astype(np.float32)
        return made

    def _loaded(self) -> EmbeddingName:
        with self._lock:
            if self._asked is None:
                if self.available() is not None:
                    raise MissingExtraError(f"the embedder {self._full!r} is not installed; type: {INSTALL}")
                from kataribe.adapters.pydantic_ai.embedding import EmbeddingName

                self._asked = EmbeddingName(self._wanted, sleep=self._sleep)
            return self._asked


def _checked(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise EmbedderError(
            f"a lone surrogate at character {error.start} is not valid text; leave it out"
        ) from error
    # Texts of one hash have one vector, so what is sent is what is hashed.
    return normalise(text)
