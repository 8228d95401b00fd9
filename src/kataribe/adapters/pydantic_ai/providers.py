"""The models of each provider, with the key and address from the settings."""

from __future__ import annotations

import logging
from decimal import Decimal

import httpx2
from genai_prices import Usage as Tokens
from genai_prices import calc_price
from pydantic_ai.models import Model
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.models.ollama import OllamaModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.google import GoogleProvider
from pydantic_ai.providers.ollama import OllamaProvider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.settings import ModelSettings

from kataribe.adapters.pydantic_ai.names import Asking, ModelName
from kataribe.errors import ModelError

for _client in ("openai", "anthropic", "google_genai"):
    # At DEBUG some log all they send: not because the program logs so, only where they are named.
    if not logging.getLogger(_client).level:
        logging.getLogger(_client).setLevel(logging.INFO)

OLLAMA_URL = "http://localhost:11434/v1"
_NO_KEY = "none"
"""What a server of one's own is given in the place of a key; the clients insist on some."""


def make_model(name: ModelName, asking: Asking, client: httpx2.AsyncClient) -> Model:
    """Make a model; raise `ModelError` when its key is missing."""
    settings = None if asking.temperature is None else ModelSettings(temperature=asking.temperature)
    if name.provider == "ollama":
        key = asking.keys.get("OLLAMA_API_KEY", _NO_KEY)
        ollama = OllamaProvider(base_url=asking.base_url or OLLAMA_URL, api_key=key, http_client=client)
        return OllamaModel(name.model, provider=ollama, settings=settings)
    if name.provider == "openai":
        key = asking.keys.get("OPENAI_API_KEY") or (_NO_KEY if asking.base_url else _missing(name))
        openai = OpenAIProvider(base_url=asking.base_url, api_key=key, http_client=client)
        return OpenAIChatModel(name.model, provider=openai, settings=settings)
    if name.provider == "anthropic":
        key = asking.keys.get("ANTHROPIC_API_KEY") or _missing(name)
        anthropic = AnthropicProvider(api_key=key, http_client=client)
        return AnthropicModel(name.model, provider=anthropic, settings=settings)
    key = asking.keys.get("GOOGLE_API_KEY") or asking.keys.get("GEMINI_API_KEY") or _missing(name)
    google = GoogleProvider(api_key=key, http_client=client)
    return GoogleModel(name.model, provider=google, settings=settings)


def _missing(name: ModelName) -> str:
    variable = f"{name.provider.upper()}_API_KEY"
    server = ", or name a server of your own with --base-url" if name.provider == "openai" else ""
    raise ModelError(f"the model {name.full!r} needs a key: set {variable} in the environment{server}")


def price(name: ModelName, asking: Asking, *, input_tokens: int, output_tokens: int) -> Decimal | None:
    """Give the price in USD of so many tokens; None where nobody knows it."""
    if name.provider == "ollama":
        return Decimal(0) if asking.base_url is None else None
    if name.provider == "openai" and asking.base_url is not None:
        return None
    try:
        tokens = Tokens(input_tokens=input_tokens, output_tokens=output_tokens)
        return calc_price(tokens, name.model, provider_id=name.provider).total_price
    except LookupError:
        return None
