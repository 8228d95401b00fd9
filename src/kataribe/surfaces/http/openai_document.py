"""What the OpenAPI document says of the OpenAI-compatible routes."""

from __future__ import annotations

from collections.abc import Mapping

from kataribe.formats.wire.openai import (
    OpenAiEmbeddingsJson,
    OpenAiErrorJson,
    OpenAiModelJson,
    OpenAiModelsJson,
)
from kataribe.formats.wire.schema import name_of
from kataribe.surfaces.http.readers import Schema

_ROLES = ("system", "developer", "user", "assistant", "tool", "function")
_TEXT: Schema = {"type": "string"}
_PARTS: Schema = {"type": "array", "items": {"type": "object"}}
_MESSAGE: Schema = {
    "type": "object",
    "properties": {
        "role": {"enum": _ROLES},
        "content": {"anyOf": [_TEXT, _PARTS, {"type": "null"}]},
    },
    "required": ["role"],
}
_SHARED: Schema = {
    "model": {"type": "string", "description": "who answers, as `GET /v1/models` lists it"},
    "stream": {"type": "boolean"},
    "user": _TEXT,
    "session_id": _TEXT,
    "metadata": {"type": "object", "properties": {"session_id": _TEXT}},
}
_CHAT: Schema = {
    "type": "object",
    "properties": {**_SHARED, "messages": {"type": "array", "minItems": 1, "items": _MESSAGE}},
    "required": ["model", "messages"],
    "example": {
        "model": "kataribe/akari",
        "user": "nora",
        "messages": [{"role": "user", "content": "Where did I leave my umbrella?"}],
    },
}
_RESPONSE: Schema = {
    "type": "object",
    "properties": {
        **_SHARED,
        "input": {"anyOf": [_TEXT, {"type": "array", "minItems": 1, "items": {"type": "object"}}]},
        "instructions": _TEXT,
    },
    "required": ["model", "input"],
    "example": {"model": "kataribe/akari", "user": "nora", "input": "Where did I leave my umbrella?"},
}
_EMBEDDINGS: Schema = {
    "type": "object",
    "properties": {
        "model": _TEXT,
        "input": {"anyOf": [_TEXT, {"type": "array", "minItems": 1, "items": _TEXT}]},
        "encoding_format": {"enum": ["float", "base64"]},
        "dimensions": {"type": "integer"},
    },
    "required": ["model", "input"],
    "example": {"model": "kataribe/embedder:hash", "input": ["a lighthouse", "灯台"]},
}
_REFUSALS = {
    400: "what was sent is wrong; `message` says what",
    401: "no access key, or one that opens nothing",
    403: "a key of another scope is needed",
    404: "there is no such model, or not for this key",
    409: "the state forbids it",
    429: "this caller asks too often",
    502: "the upstream, a model or an embedder failed",
    503: "the store or the upstream is busy, or a part is missing",
    504: "the upstream was silent for too long",
    507: "the disk is full",
}
_OF_BODIES = {408: "the body did not come in time", 413: "the body is too large", 415: "the body is not JSON"}


def openai_paths() -> Mapping[str, Schema]:
    """Give the routes by their paths."""
    model: Schema = {
        "name": "model",
        "in": "path",
        "required": True,
        "schema": _TEXT,
        "example": "kataribe/akari",
    }
    return {
        "/v1/models": {"get": _operation("models", "Who answers this key", _ref(OpenAiModelsJson))},
        "/v1/models/{model}": {
            "get": {**_operation("model", "One who answers", _ref(OpenAiModelJson)), "parameters": [model]}
        },
        "/v1/chat/completions": {
            "post": _operation("chat_completions", "A reply in a conversation", None, _CHAT, streams=True)
        },
        "/v1/responses": {
            "post": _operation("responses", "A reply, as a response", None, _RESPONSE, streams=True)
        },
        "/v1/embeddings": {
            "post": _operation("embeddings", "Vectors of texts", _ref(OpenAiEmbeddingsJson), _EMBEDDINGS)
        },
    }


def _operation(
    name: str, summary: str, shape: Schema | None, body: Schema | None = None, *, streams: bool = False
) -> Schema:
    content: Schema = {"application/json": {"schema": shape or {"type": "object"}}}
    if streams:
        content["text/event-stream"] = {}
    refused = {**_REFUSALS, **({} if body is None else _OF_BODIES)}
    responses: Schema = {
        str(status): {
            "description": why,
            "content": {"application/json": {"schema": _ref(OpenAiErrorJson)}},
        }
        for status, why in sorted(refused.items())
    }
    told: Schema = {
        "operationId": f"openai_{name}",
        "summary": summary,
        "description": f"{summary}, as OpenAI's clients ask for it.",
        "tags": ["OpenAI"],
        "responses": {"200": {"description": "what was asked for", "content": content}, **responses},
    }
    if body is not None:
        told["requestBody"] = {"required": True, "content": {"application/json": {"schema": body}}}
    return told


def _ref(shape: type) -> Schema:
    return {"$ref": f"#/components/schemas/{name_of(shape)}"}
