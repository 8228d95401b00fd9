"""Whatever is sent, with whatever key: the answer is one that the document names, no error of ours."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from hypothesis import given, settings
from hypothesis import strategies as st

from kataribe.surfaces.http.openapi import document
from kataribe.surfaces.http.options import ServerOptions
from kataribe.surfaces.http.routes import Route
from kataribe.surfaces.http.table import ROUTES
from support.effort import EFFORT
from support.serving import Client, Served, served

FREE = ServerOptions(rate=1e6, burst=10**6)
REQUESTS = 40
PATHS: Mapping[str, Mapping[str, Any]] = document(ROUTES)["paths"]  # type: ignore[assignment]

texts = st.sampled_from(
    ["", " ", "s", "yuki", "澪", "kai", "nobody", "world", "a:b", "a/b", "..", "\x00", "\u2028", "x" * 300,
     "{}", "'; DROP TABLE users; --", "<script>", "🦊", "٣", "1", "-1", "now", "hash", "en", "rules"]
)  # fmt: skip
numbers = st.sampled_from([-1, 0, 1, 2, 3, 10**9, 2**63 - 1, 2**63, -(2**70), 0.5, 1e300, -0.0])
files = st.sampled_from(
    [b"", b"\x00", b"{}", b"[]", b"PK\x03\x04", b"\x89PNG\r\n\x1a\n", "鍵".encode("shift_jis"),
     b'{"name": "Tess"}', b'{"entries": [{"keys": [], "content": "", "extensions": {"kataribe": 7}}]}',
     b'{"spec": "chara_card_v3", "data": {"name": "Tess", "character_book": {"entries": {}}}}']
)  # fmt: skip
junk = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


def likely(schema: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    """Make what a schema may take, and sometimes what it may not."""
    if "enum" in schema:
        return st.sampled_from(schema["enum"]) | junk
    if "anyOf" in schema:
        return st.one_of([likely(one) for one in schema["anyOf"]])
    if schema.get("type") == "array":
        return st.lists(likely(schema["items"]), max_size=3) | junk
    kinds: Mapping[str, st.SearchStrategy[Any]] = {
        "string": texts,
        "integer": numbers,
        "number": numbers,
        "boolean": st.booleans(),
        "object": st.dictionaries(texts, junk, max_size=3),
    }
    return kinds.get(schema.get("type", ""), junk) | junk


@st.composite
def requests(draw: st.DrawFn) -> tuple[Route, str, Any, dict[str, str], str]:
    """Make a request: its route, path, body, head, and whose key it is sent with."""
    route = draw(st.sampled_from(ROUTES))
    path = route.path
    for name in [part[1:-1] for part in route.path.split("/") if part.startswith("{")]:
        told = draw(texts | st.sampled_from(["s", "yuki", "1", "ep-1"]))
        path = path.replace(f"{{{name}}}", quote(told, safe="") or "%20")
    given_ = {
        name: draw(likely(one.reader.schema))
        for name, one in route.beside.items()
        if one.is_required or draw(st.booleans())
    }
    if route.renamed or draw(st.integers(0, 9)) == 0:
        given_ |= draw(st.dictionaries(texts | st.just("user_id"), junk, max_size=1))
    head = {}
    for name in ("if-match", "if-none-match", "idempotency-key", "prefer", "x-user"):
        if draw(st.integers(0, 4)) == 0:
            head[name] = draw(st.sampled_from(["", "*", '"x"', "wait=0", "wait=x", "yuki", "k", "a,b"]))
    who = draw(
        st.sampled_from(["admin", "author", "viewer", "reader", "user", "own", "header", "body", "nobody"])
    )
    if not route.takes_body and given_:
        path += "?" + "&".join(f"{quote(str(k))}={quote(str(v))}" for k, v in given_.items())
    return route, path, draw(files) if route.uploads else given_ if route.takes_body else None, head, who


async def callers(here: Served) -> dict[str, Client]:
    await here.memory.story("s").create(language="ja", embedder="hash")
    await here.memory.story("s").episodes.put(1, "雨", facts=[{"text": "雨が降った。", "known_by": "public"}])
    await here.memory.user("yuki").create(language="ja", embedder="hash")
    await here.memory.user("yuki").said("雨だね", speaker="yuki", persona="澪", session="s")
    return {
        "admin": await here.key("admin"),
        "author": await here.key("author"),
        "viewer": await here.key("viewer", story="s", persona="澪", upto=2),
        "reader": await here.key("reader", story="s", read=1),
        "user": await here.key("user", user="yuki", persona="澪"),
        "own": await here.key("user", user="yuki"),
        "header": await here.key("front", users_from="header:X-User", prefix="w-"),
        "body": await here.key("front", users_from="body:user", prefix="w-"),
        "nobody": here.client("ktr_none_none"),
    }


@settings(max_examples=3 * EFFORT)
@given(sent=st.lists(requests(), min_size=REQUESTS, max_size=REQUESTS))
def test_every_answer_is_one_that_the_document_names(sent: list[Any]) -> None:
    async def run() -> None:
        with tempfile.TemporaryDirectory() as folder:
            async with served(Path(folder), FREE) as here:
                clients = await callers(here)
                for route, path, body, head, who in sent:
                    data = {} if body is None else {"content" if route.uploads else "json": body}
                    got = await clients[who].http.request(route.method, path, headers=head, **data)
                    named = PATHS[route.path][route.method.lower()]["responses"]
                    assert str(got.status_code) in named, (route.method, path, body, who, got.text)
                    if got.status_code >= 400:
                        assert got.headers["content-type"] == "application/problem+json"
                        assert got.json()["status"] == got.status_code

    asyncio.run(run())
