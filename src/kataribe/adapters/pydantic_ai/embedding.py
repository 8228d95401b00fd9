"""Asking a provider for vectors: patiently, but never for ever (S4-102)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import httpx2
from openai import AsyncOpenAI
from pydantic_ai.embeddings import EmbeddingModel, infer_embedding_model
from pydantic_ai.embeddings.google import GoogleEmbeddingModel
from pydantic_ai.embeddings.openai import OpenAIEmbeddingModel
from pydantic_ai.exceptions import (
    AgentRunError,
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelNotFoundError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelServerError,
    ModelUnavailableError,
    UserError,
)
from pydantic_ai.providers.google import GoogleProvider
from pydantic_ai.providers.ollama import OllamaProvider
from pydantic_ai.providers.openai import OpenAIProvider

from kataribe.adapters.embedding import EmbedderChoice, Side
from kataribe.adapters.pydantic_ai.providers import OLLAMA_URL
from kataribe.adapters.pydantic_ai.transport import LONGEST_WAIT, Sleep, Turnstile, http_client, why
from kataribe.errors import EmbedderError, EmbedderUnavailableError, MissingExtraError, withheld

RETRIES = 3
"""How often a request that was turned away is sent again; then its texts are left for later (S4-102)."""
PAUSE = 2.0
"""Seconds between requests while the provider limits us (S4-102)."""

_CALM = 20
"""Requests in a row that must pass before the pauses end."""
_PASSING = (ModelRateLimitError, ModelUnavailableError, ModelServerError, ModelConnectionError)
_FOR_GOOD = (ModelAuthenticationError, ModelNotFoundError, ModelQuotaExceededError)
_NO_KEY = "none"
"""What a server of one's own is given in the place of a key; the clients insist on some."""


class EmbeddingName:
    """One model of one provider, asked again when the network or the server fails."""

    def __init__(self, wanted: EmbedderChoice, *, sleep: Sleep = asyncio.sleep) -> None:
        self._wanted = wanted
        self._full = f"{wanted.family}:{wanted.name}"
        self._sleep = sleep
        self._turnstile = Turnstile()
        self._pauses = 0

    async def ask(self, texts: Sequence[str], side: Side) -> Sequence[Sequence[float]]:
        """Give what the model answers for these texts, unchecked; a question does not wait its turn.

        Raises `EmbedderUnavailableError` when it cannot be had for any text, `EmbedderError`
        when these texts, or this answer, are at fault.
        """
        if self._pauses and side == "document":
            self._pauses -= 1
            await self._sleep(PAUSE)
        for attempt in range(RETRIES + 1):
            try:
                return await self._once(texts, side)
            except _PASSING as error:
                if isinstance(error, ModelRateLimitError):
                    self._pauses = _CALM
                wait = 2.0**attempt if error.retry_after is None else error.retry_after
                if attempt == RETRIES or wait > LONGEST_WAIT:
                    raise EmbedderUnavailableError(
                        f"{self._full} cannot be asked now: {why(error)}"
                    ) from error
                await self._sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    async def _once(self, texts: Sequence[str], side: Side) -> Sequence[Sequence[float]]:
        seconds = self._wanted.seconds
        async with self._turnstile.of_loop(), http_client(seconds) as client:
            try:
                async with asyncio.timeout(seconds):
                    answer = await make_model(self._wanted, client).embed(texts, input_type=side)
            except TimeoutError as error:
                told = f"no whole answer within {seconds:g} seconds"
                raise ModelConnectionError(self._wanted.name, told) from error
            except _PASSING:
                raise
            except _FOR_GOOD as error:
                raise EmbedderUnavailableError(f"{self._full} cannot be asked: {why(error)}") from error
            except ModelAPIError as error:
                raise EmbedderError(f"{self._full} refused a text: {why(error)}") from error
            except UserError as error:
                raise EmbedderUnavailableError(f"{self._full} cannot be asked: {withheld(error)}") from error
            except (AgentRunError, AttributeError, LookupError, TypeError, ValueError) as error:
                # A body of another shape than the vendor reckons with fails wherever it is looked at.
                said = withheld(error, type(error).__name__)
                raise EmbedderError(f"{self._full} gave an answer that is none: {said}") from error
        return answer.embeddings


def make_model(wanted: EmbedderChoice, client: httpx2.AsyncClient) -> EmbeddingModel:
    """Make a model with the key and address of the settings.

    Raises `EmbedderUnavailableError` when its key is missing, `MissingExtraError` when the
    provider needs a package of its own.
    """
    if wanted.family == "openai":
        key = wanted.keys.get("OPENAI_API_KEY") or (_NO_KEY if wanted.base_url else _missing(wanted))
        # Asking again is done above, where what the server says of waiting is heard.
        openai = AsyncOpenAI(base_url=wanted.base_url, api_key=key, http_client=client, max_retries=0)
        return OpenAIEmbeddingModel(wanted.name, provider=OpenAIProvider(openai_client=openai))
    if wanted.family == "ollama":
        key = wanted.keys.get("OLLAMA_API_KEY", _NO_KEY)
        url = wanted.base_url or OLLAMA_URL
        ollama = AsyncOpenAI(base_url=url, api_key=key, http_client=client, max_retries=0)
        return OpenAIEmbeddingModel(wanted.name, provider=OllamaProvider(openai_client=ollama))
    if wanted.family == "google":
        key = wanted.keys.get("GOOGLE_API_KEY") or wanted.keys.get("GEMINI_API_KEY") or _missing(wanted)
        return GoogleEmbeddingModel(wanted.name, provider=GoogleProvider(api_key=key, http_client=client))
    try:
        return infer_embedding_model(f"{wanted.family}:{wanted.name}")
    except ImportError as error:
        raise MissingExtraError(
            f"the embedders of {wanted.family} need a package that is not installed; "
            f"type: pip install 'pydantic-ai-slim[{wanted.family}]'"
        ) from error


def _missing(wanted: EmbedderChoice) -> str:
    variable = f"{wanted.family.upper()}_API_KEY"
    server = ", or name a server of your own with --base-url" if wanted.family == "openai" else ""
    raise EmbedderUnavailableError(
        f"the embedder {wanted.family}:{wanted.name} needs a key: set {variable} in the environment{server}"
    )
