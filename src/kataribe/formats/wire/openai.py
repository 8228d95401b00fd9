"""The shapes of what the OpenAI-compatible routes say of their own."""

from __future__ import annotations

from typing import TypedDict


class OpenAiFaultJson(TypedDict):
    """Why a request was refused: `message` says what the command line says."""

    message: str
    type: str
    param: str | None
    code: str | None


class OpenAiErrorJson(TypedDict):
    """A refusal as OpenAI's clients read it."""

    error: OpenAiFaultJson


class OpenAiModelJson(TypedDict):
    """Who answers: `id` is the name of the model, `name` what a person reads in a list."""

    id: str
    object: str
    created: int
    owned_by: str
    name: str


class OpenAiModelsJson(TypedDict):
    """All who answer."""

    object: str
    data: list[OpenAiModelJson]


class OpenAiEmbeddingJson(TypedDict):
    """The vector of one text: numbers, or their bytes (float32, little end first) in base64."""

    object: str
    index: int
    embedding: list[float] | str


class OpenAiUsageJson(TypedDict):
    """How many tokens were taken, by an estimate."""

    prompt_tokens: int
    total_tokens: int


class OpenAiEmbeddingsJson(TypedDict):
    """The vectors of texts, in their order; `model` is the embedder that made them."""

    object: str
    data: list[OpenAiEmbeddingJson]
    model: str
    usage: OpenAiUsageJson
