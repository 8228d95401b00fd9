"""Vectors of texts, in OpenAI's shape."""

from __future__ import annotations

import base64
import struct
from collections.abc import Mapping, Sequence
from typing import Any

from kataribe.engine.embedding import Embeddings
from kataribe.face.aio.kataribe import AsyncKataribe
from kataribe.formats.wire.openai import OpenAiEmbeddingJson, OpenAiEmbeddingsJson
from kataribe.surfaces.http.callers import Caller
from kataribe.surfaces.http.problems import bad_request

EMBEDDER = "kataribe/embedder:"
"""What stands before the name of an embedder, where one is chosen."""


async def embeddings(memory: AsyncKataribe, caller: Caller, body: Mapping[str, Any]) -> OpenAiEmbeddingsJson:
    """Embed the texts of a request. Raises `RefusedError`, and what embedding raises."""
    model = body.get("model")
    if not isinstance(model, str) or not model:
        raise bad_request("name a model; the reply says whose the vectors are")
    texts = _texts(body.get("input"))
    wanted = body.get("encoding_format") or "float"
    if wanted not in ("float", "base64"):
        raise bad_request("encoding_format is float or base64")
    chosen = await _embedder(memory, caller, model)
    # Whose key is bound asks nobody outside at the owner's cost.
    found = await memory.admin.index.embed(texts, embedder=chosen, here=caller.is_bound)
    length = len(found.vectors[0])
    if body.get("dimensions") not in (None, length):
        raise bad_request(f"the vectors of {found.embedder} have {length} dimensions, and no others")
    return _told(found, texts, in_base64=wanted == "base64")


async def _embedder(memory: AsyncKataribe, caller: Caller, model: str) -> str | None:
    """Give the embedder of what a key is bound to, or the one that is named; None: the one that is set."""
    of = None if caller.key is None else caller.key.of
    if of is not None and of.user is not None:
        return (await memory.user(of.user).info()).embedder
    if of is not None and of.story is not None:
        return (await memory.story(of.story).info()).embedder
    return model.removeprefix(EMBEDDER) if model.startswith(EMBEDDER) and not caller.is_bound else None


def _texts(given: object) -> Sequence[str]:
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or not texts or not all(isinstance(one, str) for one in texts):
        raise bad_request("input must be a text or a list of texts; numbers of tokens are not taken")
    return texts


def _told(found: Embeddings, texts: Sequence[str], *, in_base64: bool) -> OpenAiEmbeddingsJson:
    data: list[OpenAiEmbeddingJson] = [
        {"object": "embedding", "index": at, "embedding": _packed(one) if in_base64 else list(one)}
        for at, one in enumerate(found.vectors)
    ]
    # An estimate: nobody counts here.
    count = sum(len(text.encode("utf-8")) // 4 + 1 for text in texts)
    return {
        "object": "list",
        "data": data,
        "model": f"{EMBEDDER}{found.embedder}",
        "usage": {"prompt_tokens": count, "total_tokens": count},
    }


def _packed(vector: Sequence[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode("ascii")
